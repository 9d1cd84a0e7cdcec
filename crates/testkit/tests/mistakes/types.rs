//! Types.

use expect_test::expect;

use super::{check, check_body, check_predicate};

#[test]
fn integer_against_set() {
    check_predicate("x = {1}", expect![[r#"
        error[type-mismatch]: `x` is INTEGER, but `{1}` is POW(INTEGER)
          --> M.mch:9:7
        7 |   x : INTEGER & y : INTEGER & procs <: PROC & flag : BOOL & load : PROC +-> INTEGER &
          |   ----------- `x` is INTEGER because of this
        ...
        9 |   x = {1}
          |       ^^^ this is POW(INTEGER)
          |   - this is INTEGER
          = help: a set is used where one element is needed; `<:` says that a set is part of another, `:` that an element is in it
    "#]]);
}

#[test]
fn element_in_place_of_a_set() {
    check_body("procs := procs \\/ p", expect![[r#"
        error[type-mismatch]: `p` is PROC, but `\/` needs sets: POW(?)
           --> M.mch:14:23
        13 |   step(p) = PRE p : PROC THEN
           |                 -------- `p` is PROC because of this
        14 |     procs := procs \/ p
           |                       ^ this is PROC
           = help: the set that holds only this element is `{p}`
    "#]]);
}

#[test]
fn set_in_place_of_an_element() {
    check_predicate("procs : PROC", expect![[r#"
        error[type-mismatch]: `procs` is POW(PROC), but the set on the right of `:` has elements of another type: PROC
          --> M.mch:9:3
        7 |   x : INTEGER & y : INTEGER & procs <: PROC & flag : BOOL & load : PROC +-> INTEGER &
          |                               ------------- `procs` is POW(PROC) because of this
        ...
        9 |   procs : PROC
          |   ^^^^^ this is POW(PROC)
          = help: a set is used where one element is needed; `<:` says that a set is part of another, `:` that an element is in it
    "#]]);
}

#[test]
fn member_for_subset() {
    check(
        "
        MACHINE M
        SETS S
        VARIABLES s, t
        INVARIANT s <: S & t <: S & s : t
        INITIALISATION s := {} || t := {}
        END
        ",
        expect![[r#"
            error[type-mismatch]: `s` is POW(S), but the set on the right of `:` has elements of another type: S
              --> M.mch:4:29
            4 | INVARIANT s <: S & t <: S & s : t
              |                             ^ this is POW(S)
              |           ------ `s` is POW(S) because of this
              = help: a set is used where one element is needed; `<:` says that a set is part of another, `:` that an element is in it
        "#]],
    );
}

#[test]
fn subset_for_member() {
    check_body("procs :: PROC", expect![[r#"
        error[type-mismatch]: `PROC` is POW(PROC), but `::` chooses from a set of values of the variable's type: POW(POW(PROC))
           --> M.mch:14:14
        14 |     procs :: PROC
           |              ^^^^ this is POW(PROC)
           = help: the set that holds only this element is `{PROC}`
    "#]]);
}

#[test]
fn element_of_another_set() {
    check_predicate("red : procs", expect![[r#"
        error[type-mismatch]: `red` is COLOUR, but the set on the right of `:` has elements of another type: PROC
          --> M.mch:9:3
        9 |   red : procs
          |   ^^^ this is COLOUR
    "#]]);
}

#[test]
fn two_kinds_of_elements() {
    check_predicate("{1, red} /= {}", expect![[r#"
        error[type-mismatch]: `1` is INTEGER, but `red` is COLOUR
          --> M.mch:9:7
        9 |   {1, red} /= {}
          |       ^^^ this is COLOUR
          |    - this is INTEGER
    "#]]);
}

#[test]
fn bool_against_integer() {
    check_predicate("flag = 1", expect![[r#"
        error[type-mismatch]: `flag` is BOOL, but `1` is INTEGER
          --> M.mch:9:10
        7 |   x : INTEGER & y : INTEGER & procs <: PROC & flag : BOOL & load : PROC +-> INTEGER &
          |                                               ----------- `flag` is BOOL because of this
        ...
        9 |   flag = 1
          |          ^ this is INTEGER
          |   ---- this is BOOL
    "#]]);
}

#[test]
fn string_against_integer() {
    check_predicate("name = 3", expect![[r#"
        error[type-mismatch]: `name` is STRING, but `3` is INTEGER
          --> M.mch:9:10
        8 |   name : STRING & point : struct(east : INTEGER, north : INTEGER) &
          |   ------------- `name` is STRING because of this
        9 |   name = 3
          |          ^ this is INTEGER
          |   ---- this is STRING
          = help: an integer and the string of its digits are different things
    "#]]);
}

#[test]
fn string_joined_with_plus() {
    check_body("name := name + \"!\"", expect![[r#"
        error[type-mismatch]: numbers are needed in `name + "!"`, but the operands are STRING
           --> M.mch:14:13
        14 |     name := name + "!"
           |             ^^^^^^^^^^
    "#]]);
}

#[test]
fn number_joined_to_a_string() {
    check_body("name := name ^ x", expect![[r#"
        error[type-mismatch]: `name` is STRING, but `x` is INTEGER
           --> M.mch:14:20
         7 |   x : INTEGER & y : INTEGER & procs <: PROC & flag : BOOL & load : PROC +-> INTEGER &
           |   ----------- `x` is INTEGER because of this
         8 |   name : STRING & point : struct(east : INTEGER, north : INTEGER) &
           |   ------------- `name` is STRING because of this
        ...
        14 |     name := name ^ x
           |                    ^ this is INTEGER
           |             ---- this is STRING
           = help: an integer and the string of its digits are different things
    "#]]);
}

#[test]
fn real_against_integer() {
    check_predicate("x < 1.5", expect![[r#"
        error[type-mismatch]: `x` is INTEGER, but `1.5` is REAL
          --> M.mch:9:7
        7 |   x : INTEGER & y : INTEGER & procs <: PROC & flag : BOOL & load : PROC +-> INTEGER &
          |   ----------- `x` is INTEGER because of this
        ...
        9 |   x < 1.5
          |       ^^^ this is REAL
          |   - this is INTEGER
          = help: convert the real with `floor(1.5)` or `ceiling(1.5)`
    "#]]);
}

#[test]
fn real_as_an_interval_bound() {
    check_predicate("x : 0..1.5", expect![[r#"
        error[type-mismatch]: `1.5` is REAL, but an interval `a..b` has integer bounds: INTEGER
          --> M.mch:9:10
        9 |   x : 0..1.5
          |          ^^^ this is REAL
          = help: convert the real with `floor(1.5)` or `ceiling(1.5)`
    "#]]);
}

#[test]
fn sets_compared_with_less() {
    check_predicate("procs < PROC", expect![[r#"
        error[type-mismatch]: numbers are needed in `procs < PROC`, but the operands are POW(PROC)
          --> M.mch:9:3
        9 |   procs < PROC
          |   ^^^^^^^^^^^^
          = help: sets are joined with `\/`, compared with `<:` and counted with `card`
    "#]]);
}

#[test]
fn sets_joined_with_plus() {
    check_predicate("procs + {} = PROC", expect![[r#"
        error[type-mismatch]: numbers are needed in `procs + {}`, but the operands are POW(PROC)
          --> M.mch:9:3
        9 |   procs + {} = PROC
          |   ^^^^^^^^^^
          = help: sets are joined with `\/`, compared with `<:` and counted with `card`
    "#]]);
}

#[test]
fn number_minus_set() {
    check_predicate("x - procs = {}", expect![[r#"
        error[type-mismatch]: `x` is INTEGER, but `procs` is POW(PROC)
          --> M.mch:9:7
        7 |   x : INTEGER & y : INTEGER & procs <: PROC & flag : BOOL & load : PROC +-> INTEGER &
          |                               ------------- `procs` is POW(PROC) because of this
          |   ----------- `x` is INTEGER because of this
        ...
        9 |   x - procs = {}
          |       ^^^^^ this is POW(PROC)
          |   - this is INTEGER

        error[type-mismatch]: `x - procs` is INTEGER, but `{}` is POW(?)
          --> M.mch:9:15
        9 |   x - procs = {}
          |               ^^ this is POW(?)
          |   --------- this is INTEGER
          = help: a set is used where one element is needed; `<:` says that a set is part of another, `:` that an element is in it
    "#]]);
}

#[test]
fn card_of_a_number() {
    check_predicate("card(x) = 1", expect![[r#"
        error[type-mismatch]: `x` is INTEGER, but `card` needs a set: POW(?)
          --> M.mch:9:8
        7 |   x : INTEGER & y : INTEGER & procs <: PROC & flag : BOOL & load : PROC +-> INTEGER &
          |   ----------- `x` is INTEGER because of this
        ...
        9 |   card(x) = 1
          |        ^ this is INTEGER
          = help: the set that holds only this element is `{x}`
    "#]]);
}

#[test]
fn sum_of_sets() {
    check_predicate("SIGMA(k).(k : 1..3 | {k}) = {6}", expect![[r#"
        error[type-mismatch]: numbers are needed in `SIGMA(k).(k : 1..3 | {k})`, but the operands are POW(INTEGER)
          --> M.mch:9:3
        9 |   SIGMA(k).(k : 1..3 | {k}) = {6}
          |   ^^^^^^^^^^^^^^^^^^^^^^^^^
          = help: sets are joined with `\/`, compared with `<:` and counted with `card`
    "#]]);
}

#[test]
fn union_of_numbers() {
    check_predicate("UNION(k).(k : 1..3 | k) = {}", expect![[r#"
        error[type-mismatch]: `k` is INTEGER, but the quantified union and intersection need sets: POW(?)
          --> M.mch:9:24
        9 |   UNION(k).(k : 1..3 | k) = {}
          |                        ^ this is INTEGER
          |             -------- `k` is INTEGER because of this
          = help: the set that holds only this element is `{k}`

        error[type-mismatch]: `UNION(k).(k : 1..3 | k)` is INTEGER, but `{}` is POW(?)
          --> M.mch:9:29
        9 |   UNION(k).(k : 1..3 | k) = {}
          |                             ^^ this is POW(?)
          |   ----------------------- this is INTEGER
          = help: a set is used where one element is needed; `<:` says that a set is part of another, `:` that an element is in it
    "#]]);
}

#[test]
fn function_applied_to_the_wrong_type() {
    check_predicate("load(3) = 0", expect![[r#"
        error[wrong-argument]: `load` takes an argument of type PROC, but is given INTEGER
          --> M.mch:9:8
        9 |   load(3) = 0
          |        ^ this is INTEGER
          = note: the argument has type PROC
    "#]]);
}

#[test]
fn function_of_pairs_applied_to_one_argument() {
    check_predicate("table(x) = red", expect![[r#"
        error[wrong-argument]: `table` takes 2 arguments, but is given one argument
          --> M.mch:9:9
        9 |   table(x) = red
          |         ^ this is INTEGER
          = note: the argument has type INTEGER*INTEGER
    "#]]);
}

#[test]
fn function_applied_to_two_arguments() {
    check_body("x := load(p, 1)", expect![[r#"
        error[wrong-argument]: `load` takes one argument, but is given 2 arguments
           --> M.mch:14:10
        14 |     x := load(p, 1)
           |          ^^^^^^^^^^ this is PROC*INTEGER
           = note: the argument has type PROC
    "#]]);
}

#[test]
fn function_of_pairs_applied_to_a_set() {
    check_predicate("table({x, y}) = red", expect![[r#"
        error[wrong-argument]: `table` takes 2 arguments, but is given one argument
          --> M.mch:9:9
        9 |   table({x, y}) = red
          |         ^^^^^^ this is POW(INTEGER)
          = note: the argument has type INTEGER*INTEGER
    "#]]);
}

#[test]
fn pair_for_two_elements() {
    check_predicate("{1, 2 |-> 3} /= {}", expect![[r#"
        error[type-mismatch]: `1` is INTEGER, but `2 |-> 3` is INTEGER*INTEGER
          --> M.mch:9:7
        9 |   {1, 2 |-> 3} /= {}
          |       ^^^^^^^ this is INTEGER*INTEGER
          |    - this is INTEGER
    "#]]);
}

#[test]
fn number_applied_to_an_argument() {
    check_predicate("x(1) = 2", expect![[r#"
        error[not-a-function]: `x` is INTEGER and cannot be applied to an argument
          --> M.mch:9:3
        9 |   x(1) = 2
          |   ^
          |   ---- the application
    "#]]);
}

#[test]
fn function_assigned_the_wrong_type() {
    check_body("load(p) := red", expect![[r#"
        error[type-mismatch]: `load(p)` is INTEGER, but `red` is COLOUR
           --> M.mch:14:16
        14 |     load(p) := red
           |                ^^^ this is COLOUR
           |     ------- this is INTEGER
    "#]]);
}

#[test]
fn image_of_an_element() {
    check_body("x := card(load[p])", expect![[r#"
        error[type-mismatch]: `p` is PROC, but the relation relates elements of another type: POW(PROC)
           --> M.mch:14:20
        13 |   step(p) = PRE p : PROC THEN
           |                 -------- `p` is PROC because of this
        14 |     x := card(load[p])
           |                    ^ this is PROC
           = help: the set that holds only this element is `{p}`
    "#]]);
}

#[test]
fn function_in_place_of_its_value() {
    check_body("x := load + 1", expect![[r#"
        error[type-mismatch]: numbers are needed in `load + 1`, but the operands are POW(PROC*INTEGER)
           --> M.mch:14:10
        14 |     x := load + 1
           |          ^^^^^^^^
           = help: sets are joined with `\/`, compared with `<:` and counted with `card`

        error[type-mismatch]: `x` is INTEGER, but `load + 1` is POW(PROC*INTEGER)
           --> M.mch:14:10
         7 |   x : INTEGER & y : INTEGER & procs <: PROC & flag : BOOL & load : PROC +-> INTEGER &
           |   ----------- `x` is INTEGER because of this
        ...
        14 |     x := load + 1
           |          ^^^^^^^^ this is POW(PROC*INTEGER)
           |     - this is INTEGER

        error[type-mismatch]: `load` is POW(PROC*INTEGER), but `1` is INTEGER
           --> M.mch:14:17
         7 |   x : INTEGER & y : INTEGER & procs <: PROC & flag : BOOL & load : PROC +-> INTEGER &
           |                                                             ----------------------- `load` is POW(PROC*INTEGER) because of this
        ...
        14 |     x := load + 1
           |                 ^ this is INTEGER
           |          ---- this is POW(PROC*INTEGER)
    "#]]);
}

#[test]
fn domain_restriction_the_wrong_way_round() {
    check_body("load := load <| {p}", expect![[r#"
        error[type-mismatch]: `load` is POW(PROC*INTEGER), but `load <| {p}` is POW(PROC)
           --> M.mch:14:13
         7 |   x : INTEGER & y : INTEGER & procs <: PROC & flag : BOOL & load : PROC +-> INTEGER &
           |                                                             ----------------------- `load` is POW(PROC*INTEGER) because of this
        ...
        14 |     load := load <| {p}
           |             ^^^^^^^^^^^ this is POW(PROC)
           |     ---- this is POW(PROC*INTEGER)

        error[type-mismatch]: `{p}` is POW(PROC), but `<|` needs a relation on its right: POW(?*?)
           --> M.mch:14:21
        14 |     load := load <| {p}
           |                     ^^^ this is POW(PROC)
    "#]]);
}

#[test]
fn override_with_a_pair() {
    check_body("load := load <+ (p |-> 3)", expect![[r#"
        error[type-mismatch]: `(p |-> 3)` is PROC*INTEGER, but `<+` needs relations: POW(?*?)
           --> M.mch:14:21
        14 |     load := load <+ (p |-> 3)
           |                     ^^^^^^^^^ this is PROC*INTEGER
           = help: the set that holds only this element is `{(p |-> 3)}`

        error[type-mismatch]: `load` is POW(PROC*INTEGER), but `(p |-> 3)` is PROC*INTEGER
           --> M.mch:14:21
         7 |   x : INTEGER & y : INTEGER & procs <: PROC & flag : BOOL & load : PROC +-> INTEGER &
           |                                                             ----------------------- `load` is POW(PROC*INTEGER) because of this
        ...
        14 |     load := load <+ (p |-> 3)
           |                     ^^^^^^^^^ this is PROC*INTEGER
           |             ---- this is POW(PROC*INTEGER)
           = help: the set that holds only this element is `{(p |-> 3)}`
    "#]]);
}

#[test]
fn composition_that_does_not_fit() {
    check_predicate("(load ; load) = {}", expect![[r#"
        error[type-mismatch]: the relations do not fit together: the first leads to INTEGER, the second starts from PROC
          --> M.mch:9:3
        9 |   (load ; load) = {}
          |   ^^^^^^^^^^^^^
    "#]]);
}

#[test]
fn function_space_with_an_element() {
    check_predicate("load : PROC +-> limit", expect![[r#"
        error[type-mismatch]: `limit` is INTEGER, but `+->` needs sets: POW(?)
          --> M.mch:9:19
        4 | PROPERTIES limit : NAT & table : INTEGER * INTEGER --> COLOUR
          |            ----------- `limit` is INTEGER because of this
        ...
        9 |   load : PROC +-> limit
          |                   ^^^^^ this is INTEGER
          = help: the set that holds only this element is `{limit}`
    "#]]);
}

#[test]
fn product_in_place_of_a_function_space() {
    check_predicate("load : PROC * INTEGER", expect![[r#"
        error[type-mismatch]: `load` is POW(PROC*INTEGER), but the set on the right of `:` has elements of another type: PROC*INTEGER
          --> M.mch:9:3
        7 |   x : INTEGER & y : INTEGER & procs <: PROC & flag : BOOL & load : PROC +-> INTEGER &
          |                                                             ----------------------- `load` is POW(PROC*INTEGER) because of this
        ...
        9 |   load : PROC * INTEGER
          |   ^^^^ this is POW(PROC*INTEGER)
          = help: a set is used where one element is needed; `<:` says that a set is part of another, `:` that an element is in it
    "#]]);
}

#[test]
fn sequence_in_place_of_a_set() {
    check_predicate("x : [1, 2, 3]", expect![[r#"
        error[type-mismatch]: `x` is INTEGER, but the set on the right of `:` has elements of another type: INTEGER*INTEGER
          --> M.mch:9:3
        7 |   x : INTEGER & y : INTEGER & procs <: PROC & flag : BOOL & load : PROC +-> INTEGER &
          |   ----------- `x` is INTEGER because of this
        ...
        9 |   x : [1, 2, 3]
          |   ^ this is INTEGER
    "#]]);
}

#[test]
fn unknown_field() {
    check_predicate("point'nort = 3", expect![[r#"
        error[unknown-field]: the record has no field `nort`
          --> M.mch:9:9
        9 |   point'nort = 3
          |         ^^^^
          = help: a field with a similar name exists: `north`
    "#]]);
}

#[test]
fn field_of_a_number() {
    check_predicate("x'east = 3", expect![[r#"
        error[not-a-record]: `x` is INTEGER, not a record, and has no field `east`
          --> M.mch:9:3
        9 |   x'east = 3
          |   ^
    "#]]);
}

#[test]
fn records_with_different_fields() {
    check_body("point := rec(east : 1, west : 2)", expect![[r#"
        error[type-mismatch]: `point` is struct(east:INTEGER,north:INTEGER), but `rec(east : 1, west : 2)` is struct(east:INTEGER,west:INTEGER)
           --> M.mch:14:14
         8 |   name : STRING & point : struct(east : INTEGER, north : INTEGER) &
           |                   ----------------------------------------------- `point` is struct(east:INTEGER,north:INTEGER) because of this
        ...
        14 |     point := rec(east : 1, west : 2)
           |              ^^^^^^^^^^^^^^^^^^^^^^^ this is struct(east:INTEGER,west:INTEGER)
           |     ----- this is struct(east:INTEGER,north:INTEGER)
    "#]]);
}

#[test]
fn field_given_twice() {
    check_body("point := rec(east : 1, east : 2)", expect![[r#"
        error[type-mismatch]: `point` is struct(east:INTEGER,north:INTEGER), but `rec(east : 1, east : 2)` is struct(east:INTEGER)
           --> M.mch:14:14
         8 |   name : STRING & point : struct(east : INTEGER, north : INTEGER) &
           |                   ----------------------------------------------- `point` is struct(east:INTEGER,north:INTEGER) because of this
        ...
        14 |     point := rec(east : 1, east : 2)
           |              ^^^^^^^^^^^^^^^^^^^^^^^ this is struct(east:INTEGER)
           |     ----- this is struct(east:INTEGER,north:INTEGER)

        error[duplicate-field]: field `east` is given twice
           --> M.mch:14:28
        14 |     point := rec(east : 1, east : 2)
           |                            ^^^^
           |                  ---- first given here
    "#]]);
}

#[test]
fn field_with_the_wrong_type() {
    check_body("point'east := TRUE", expect![[r#"
        error[type-mismatch]: `TRUE` is BOOL, but the field has this type: INTEGER
           --> M.mch:14:19
        14 |     point'east := TRUE
           |                   ^^^^ this is BOOL
    "#]]);
}

#[test]
fn struct_over_an_element() {
    check_predicate("point : struct(east : 3, north : INTEGER)", expect![[r#"
        error[type-mismatch]: `3` is INTEGER, but a field of `struct` ranges over a set: POW(?)
          --> M.mch:9:25
        9 |   point : struct(east : 3, north : INTEGER)
          |                         ^ this is INTEGER
          = help: the set that holds only this element is `{3}`
    "#]]);
}

#[test]
fn branches_of_different_types() {
    check_body("x := IF x > 0 THEN 1 ELSE FALSE END", expect![[r#"
        error[type-mismatch]: `x` is INTEGER, but `IF x > 0 THEN 1 ELSE FALSE END` is BOOL
           --> M.mch:14:10
         7 |   x : INTEGER & y : INTEGER & procs <: PROC & flag : BOOL & load : PROC +-> INTEGER &
           |   ----------- `x` is INTEGER because of this
        ...
        14 |     x := IF x > 0 THEN 1 ELSE FALSE END
           |          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ this is BOOL
           |     - this is INTEGER

        error[type-mismatch]: `1` is INTEGER, but `FALSE` is BOOL
           --> M.mch:14:31
        14 |     x := IF x > 0 THEN 1 ELSE FALSE END
           |                               ^^^^^ this is BOOL
           |                        - this is INTEGER
    "#]]);
}

#[test]
fn case_label_of_another_type() {
    check_body("CASE x OF EITHER red THEN skip END END", expect![[r#"
        error[type-mismatch]: `x` is INTEGER, but `red` is COLOUR
           --> M.mch:14:22
         7 |   x : INTEGER & y : INTEGER & procs <: PROC & flag : BOOL & load : PROC +-> INTEGER &
           |   ----------- `x` is INTEGER because of this
        ...
        14 |     CASE x OF EITHER red THEN skip END END
           |                      ^^^ this is COLOUR
           |          - this is INTEGER
    "#]]);
}

#[test]
fn type_given_elsewhere() {
    check_body("x := flag", expect![[r#"
        error[type-mismatch]: `x` is INTEGER, but `flag` is BOOL
           --> M.mch:14:10
         7 |   x : INTEGER & y : INTEGER & procs <: PROC & flag : BOOL & load : PROC +-> INTEGER &
           |                                               ----------- `flag` is BOOL because of this
           |   ----------- `x` is INTEGER because of this
        ...
        14 |     x := flag
           |          ^^^^ this is BOOL
           |     - this is INTEGER
    "#]]);
}

#[test]
fn call_with_an_argument_of_the_wrong_type() {
    super::check_project(
        &[
            (
                "M.mch",
                "
                MACHINE M
                INCLUDES Counter
                OPERATIONS
                  go = add(TRUE)
                END
                ",
            ),
            (
                "Counter.mch",
                "
                MACHINE Counter
                VARIABLES n
                INVARIANT n : NAT
                INITIALISATION n := 0
                OPERATIONS
                  add(k) = PRE k : NAT THEN n := n + k END
                END
                ",
            ),
        ],
        expect![[r#"
            error[type-mismatch]: `TRUE` is BOOL, but parameter `k` of `add` has another type: INTEGER
              --> M.mch:4:12
            4 |   go = add(TRUE)
              |            ^^^^ this is BOOL
        "#]],
    );
}

#[test]
fn untyped_parameter() {
    check(
        "
        MACHINE M
        VARIABLES x
        INVARIANT x : NAT
        INITIALISATION x := 0
        OPERATIONS
          set(v) = PRE x > 0 THEN x := 0 END
        END
        ",
        expect![[r#"
            error[unknown-type]: the type of parameter `v` cannot be inferred
              --> M.mch:6:7
            6 |   set(v) = PRE x > 0 THEN x := 0 END
              |       ^
              = help: add a typing predicate such as `v : S` to the operation's precondition
        "#]],
    );
}

#[test]
fn untyped_constant() {
    check(
        "
        MACHINE M
        CONSTANTS n, m
        PROPERTIES n : NAT
        END
        ",
        expect![[r#"
            error[unknown-type]: the type of constant `m` cannot be inferred
              --> M.mch:2:14
            2 | CONSTANTS n, m
              |              ^
              = help: add a typing predicate such as `m : S` to PROPERTIES
        "#]],
    );
}

#[test]
fn untyped_variable() {
    check(
        "
        MACHINE M
        VARIABLES x, buffer
        INVARIANT x : NAT
        INITIALISATION x := 0 || buffer := {}
        END
        ",
        expect![[r#"
            error[unknown-type]: the type of variable `buffer` cannot be inferred: all that is known is POW(?)
              --> M.mch:2:14
            2 | VARIABLES x, buffer
              |              ^^^^^^
              = help: add a typing predicate such as `buffer : S` to the INVARIANT
        "#]],
    );
}

#[test]
fn untyped_bound_variable() {
    check_predicate("!k.(x > 0)", expect![[r#"
        error[unknown-type]: the type of identifier `k` cannot be inferred
          --> M.mch:9:4
        9 |   !k.(x > 0)
          |    ^
          = help: add a typing predicate such as `k : S` to the predicate that goes with it
    "#]]);
}

#[test]
fn difference_of_unknown_things() {
    check(
        "
        MACHINE M
        CONSTANTS a, b, c
        PROPERTIES c = a - b
        END
        ",
        expect![[r#"
            error[unknown-type]: the type of constant `a` cannot be inferred
              --> M.mch:2:11
            2 | CONSTANTS a, b, c
              |           ^
              = help: add a typing predicate such as `a : S` to PROPERTIES

            error[unknown-type]: the type of constant `b` cannot be inferred
              --> M.mch:2:14
            2 | CONSTANTS a, b, c
              |              ^
              = help: add a typing predicate such as `b : S` to PROPERTIES

            error[unknown-type]: the type of constant `c` cannot be inferred
              --> M.mch:2:17
            2 | CONSTANTS a, b, c
              |                 ^
              = help: add a typing predicate such as `c : S` to PROPERTIES

            error[unknown-type]: cannot tell whether `a - b` is a difference of numbers or of sets
              --> M.mch:3:16
            3 | PROPERTIES c = a - b
              |                ^^^^^
              = help: add typing predicates for its operands
        "#]],
    );
}

#[test]
fn set_that_contains_itself() {
    check(
        "
        MACHINE M
        CONSTANTS c
        PROPERTIES c : c
        END
        ",
        expect![[r#"
            error[unknown-type]: the type of constant `c` cannot be inferred
              --> M.mch:2:11
            2 | CONSTANTS c
              |           ^
              = help: add a typing predicate such as `c : S` to PROPERTIES

            error[type-mismatch]: the type of `c` would contain itself: ? against POW(?)
              --> M.mch:3:16
            3 | PROPERTIES c : c
              |                ^ this is ?
        "#]],
    );
}

#[test]
fn partition_with_an_element() {
    check(
        "
        MACHINE M
        SETS S
        CONSTANTS a, b
        PROPERTIES a : S & b : S & @partition(S, {a}, b)
        END
        ",
        expect![[r#"
            error[type-mismatch]: `S` is POW(S), but `b` is S
              --> M.mch:4:47
            4 | PROPERTIES a : S & b : S & @partition(S, {a}, b)
              |                                               ^ this is S
              |                                       - this is POW(S)
              |                    ----- `b` is S because of this
              = help: the set that holds only this element is `{b}`
        "#]],
    );
}

#[test]
fn size_of_a_set() {
    check_predicate("size(procs) = 3", expect![[r#"
        error[type-mismatch]: `procs` is POW(PROC), but a sequence is needed here: POW(INTEGER*?)
          --> M.mch:9:8
        7 |   x : INTEGER & y : INTEGER & procs <: PROC & flag : BOOL & load : PROC +-> INTEGER &
          |                               ------------- `procs` is POW(PROC) because of this
        ...
        9 |   size(procs) = 3
          |        ^^^^^ this is POW(PROC)
    "#]]);
}
