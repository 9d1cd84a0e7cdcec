//! Types.

use expect_test::expect;

use super::{check, check_body, check_predicate};

#[test]
fn integer_against_set() {
    check_predicate(
        "x = {1}",
        expect![[r#"
            error[type-mismatch]: `x` is INTEGER, but `{1}` is POW(INTEGER)
              --> M.mch:9:7
            7 |   x : INTEGER & y : INTEGER & procs <: PROC & flag : BOOL & load : PROC +-> INTEGER &
              |   ----------- `x` is INTEGER because of this
            ...
            9 |   x = {1}
              |       ^^^ this is POW(INTEGER)
              |   - this is INTEGER
              = help: the set that holds only `x` is `{x}`
              = help: that an element is in a set is written `x : {1}`
        "#]],
    );
}

#[test]
fn element_in_place_of_a_set() {
    check_body(
        "procs := procs \\/ p",
        expect![[r#"
            error[type-mismatch]: `p` is PROC, but `\/` needs sets
               --> M.mch:14:23
            13 |   step(p) = PRE p : PROC THEN
               |                 -------- `p` is PROC because of this
            14 |     procs := procs \/ p
               |                       ^ this is PROC
               = help: the set that holds only `p` is `{p}`
        "#]],
    );
}

#[test]
fn set_in_place_of_an_element() {
    check_predicate(
        "procs : PROC",
        expect![[r#"
            error[type-mismatch]: `procs` is POW(PROC), but the elements of `PROC` are PROC
              --> M.mch:9:3
            7 |   x : INTEGER & y : INTEGER & procs <: PROC & flag : BOOL & load : PROC +-> INTEGER &
              |                               ------------- `procs` is POW(PROC) because of this
            ...
            9 |   procs : PROC
              |   ^^^^^ this is POW(PROC)
              |           ---- this is POW(PROC)
              = help: write `procs <: PROC`: `:` is for elements, `<:` for subsets
        "#]],
    );
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
            error[type-mismatch]: `s` is POW(S), but the elements of `t` are S
              --> M.mch:4:29
            4 | INVARIANT s <: S & t <: S & s : t
              |                             ^ this is POW(S)
              |                                 - this is POW(S)
              |           ------ `s` is POW(S) because of this
              |                    ------ `t` is POW(S) because of this
              = help: write `s <: t`: `:` is for elements, `<:` for subsets
        "#]],
    );
}

#[test]
fn subset_for_member() {
    check_body(
        "procs :: PROC",
        expect![[r#"
            error[type-mismatch]: `PROC` is POW(PROC), but `::` needs a set of values to choose from: POW(POW(PROC))
               --> M.mch:14:14
            14 |     procs :: PROC
               |              ^^^^ this is POW(PROC)
               = help: any subset of `PROC` is chosen with `:: POW(PROC)`; `:=` assigns `PROC` itself
        "#]],
    );
}

#[test]
fn element_of_another_set() {
    check_predicate(
        "red : procs",
        expect![[r#"
            error[type-mismatch]: `red` is COLOUR, but the elements of `procs` are PROC
              --> M.mch:9:3
            7 |   x : INTEGER & y : INTEGER & procs <: PROC & flag : BOOL & load : PROC +-> INTEGER &
              |                               ------------- `procs` is POW(PROC) because of this
            ...
            9 |   red : procs
              |   ^^^ this is COLOUR
              |         ----- this is POW(PROC)
        "#]],
    );
}

#[test]
fn two_kinds_of_elements() {
    check_predicate(
        "{1, red} /= {}",
        expect![[r#"
            error[type-mismatch]: `1` is INTEGER, but `red` is COLOUR
              --> M.mch:9:7
            9 |   {1, red} /= {}
              |       ^^^ this is COLOUR
              |    - this is INTEGER
        "#]],
    );
}

#[test]
fn bool_against_integer() {
    check_predicate(
        "flag = 1",
        expect![[r#"
            error[type-mismatch]: `flag` is BOOL, but `1` is INTEGER
              --> M.mch:9:10
            7 |   x : INTEGER & y : INTEGER & procs <: PROC & flag : BOOL & load : PROC +-> INTEGER &
              |                                               ----------- `flag` is BOOL because of this
            ...
            9 |   flag = 1
              |          ^ this is INTEGER
              |   ---- this is BOOL
              = help: the values of BOOL are `TRUE` and `FALSE`, which are not numbers
        "#]],
    );
}

#[test]
fn string_against_integer() {
    check_predicate(
        "name = 3",
        expect![[r#"
            error[type-mismatch]: `name` is STRING, but `3` is INTEGER
              --> M.mch:9:10
            8 |   name : STRING & point : struct(east : INTEGER, north : INTEGER) &
              |   ------------- `name` is STRING because of this
            9 |   name = 3
              |          ^ this is INTEGER
              |   ---- this is STRING
              = help: convert the integer with `INT_TO_STRING(3)` of `LibraryStrings.def`
        "#]],
    );
}

#[test]
fn string_joined_with_plus() {
    check_body(
        "name := name + \"!\"",
        expect![[r#"
            error[type-mismatch]: numbers are needed in `name + "!"`, but the operands are STRING
               --> M.mch:14:13
            14 |     name := name + "!"
               |             ^^^^^^^^^^
               = help: strings are joined with `^`
        "#]],
    );
}

#[test]
fn number_joined_to_a_string() {
    check_body(
        "name := name ^ x",
        expect![[r#"
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
               = help: convert the integer with `INT_TO_STRING(x)` of `LibraryStrings.def`
        "#]],
    );
}

#[test]
fn real_against_integer() {
    check_predicate(
        "x < 1.5",
        expect![[r#"
            error[type-mismatch]: `x` is INTEGER, but `1.5` is REAL
              --> M.mch:9:7
            7 |   x : INTEGER & y : INTEGER & procs <: PROC & flag : BOOL & load : PROC +-> INTEGER &
              |   ----------- `x` is INTEGER because of this
            ...
            9 |   x < 1.5
              |       ^^^ this is REAL
              |   - this is INTEGER
              = help: convert the integer with `real(x)`
        "#]],
    );
}

#[test]
fn real_as_an_interval_bound() {
    check_predicate(
        "x : 0..1.5",
        expect![[r#"
            error[type-mismatch]: `1.5` is REAL, but an interval `a..b` has integer bounds
              --> M.mch:9:10
            9 |   x : 0..1.5
              |          ^^^ this is REAL
              = help: convert the real with `floor(1.5)` or `ceiling(1.5)`
        "#]],
    );
}

#[test]
fn product_of_intervals_without_parentheses() {
    check_predicate(
        "table : 0..3 * 0..3 --> COLOUR",
        expect![[r#"
            error[type-mismatch]: `0..3 * 0` is POW(INTEGER), but an interval `a..b` has integer bounds
              --> M.mch:9:11
            9 |   table : 0..3 * 0..3 --> COLOUR
              |           ^^^^^^^^ this is POW(INTEGER)
              = help: `..` binds looser than `*`, `+` and `-`; put intervals in parentheses: `(a..b)`
        "#]],
    );
}

#[test]
fn sets_compared_with_less() {
    check_predicate(
        "procs < PROC",
        expect![[r#"
            error[type-mismatch]: numbers are needed in `procs < PROC`, but the operands are POW(PROC)
              --> M.mch:9:3
            9 |   procs < PROC
              |   ^^^^^^^^^^^^
              = help: `<:` says that a set is part of another, `<<:` that it is smaller; `card` counts elements
        "#]],
    );
}

#[test]
fn sets_joined_with_plus() {
    check_predicate(
        "procs + {} = PROC",
        expect![[r#"
            error[type-mismatch]: numbers are needed in `procs + {}`, but the operands are POW(PROC)
              --> M.mch:9:3
            9 |   procs + {} = PROC
              |   ^^^^^^^^^^
              = help: sets are joined with `\/`, sequences with `^`
        "#]],
    );
}

#[test]
fn number_minus_set() {
    check_predicate(
        "x - procs = {}",
        expect![[r#"
            error[type-mismatch]: `x` is INTEGER, but `procs` is POW(PROC)
              --> M.mch:9:7
            7 |   x : INTEGER & y : INTEGER & procs <: PROC & flag : BOOL & load : PROC +-> INTEGER &
              |                               ------------- `procs` is POW(PROC) because of this
              |   ----------- `x` is INTEGER because of this
            ...
            9 |   x - procs = {}
              |       ^^^^^ this is POW(PROC)
              |   - this is INTEGER
        "#]],
    );
}

#[test]
fn card_of_a_number() {
    check_predicate(
        "card(x) = 1",
        expect![[r#"
            error[type-mismatch]: `x` is INTEGER, but `card` needs a set
              --> M.mch:9:8
            7 |   x : INTEGER & y : INTEGER & procs <: PROC & flag : BOOL & load : PROC +-> INTEGER &
              |   ----------- `x` is INTEGER because of this
            ...
            9 |   card(x) = 1
              |        ^ this is INTEGER
              = help: the set that holds only `x` is `{x}`, an interval is written `0..x`
        "#]],
    );
}

#[test]
fn sum_of_sets() {
    check_predicate(
        "SIGMA(k).(k : 1..3 | {k}) = {6}",
        expect![[r#"
            error[type-mismatch]: numbers are needed in `SIGMA(k).(k : 1..3 | {k})`, but the operands are POW(INTEGER)
              --> M.mch:9:3
            9 |   SIGMA(k).(k : 1..3 | {k}) = {6}
              |   ^^^^^^^^^^^^^^^^^^^^^^^^^
              = help: sets are joined with `UNION` and `INTER`
        "#]],
    );
}

#[test]
fn union_of_numbers() {
    check_predicate(
        "UNION(k).(k : 1..3 | k) = {}",
        expect![[r#"
            error[type-mismatch]: `k` is INTEGER, but `UNION` joins sets
              --> M.mch:9:24
            9 |   UNION(k).(k : 1..3 | k) = {}
              |                        ^ this is INTEGER
              |             -------- `k` is INTEGER because of this
              = help: the set that holds only `k` is `{k}`, an interval is written `0..k`
        "#]],
    );
}

#[test]
fn function_applied_to_the_wrong_type() {
    check_predicate(
        "load(3) = 0",
        expect![[r#"
            error[wrong-argument]: `load` takes an argument of type PROC, but is given INTEGER
              --> M.mch:9:8
            7 |   x : INTEGER & y : INTEGER & procs <: PROC & flag : BOOL & load : PROC +-> INTEGER &
              |                                                             ----------------------- `load` is POW(PROC*INTEGER) because of this
            ...
            9 |   load(3) = 0
              |        ^ this is INTEGER
        "#]],
    );
}

#[test]
fn function_of_pairs_applied_to_one_argument() {
    check_predicate(
        "table(x) = red",
        expect![[r#"
            error[wrong-argument]: `table` takes 2 arguments, but is given one argument
              --> M.mch:9:9
            4 | PROPERTIES limit : NAT & table : INTEGER * INTEGER --> COLOUR
              |                          ------------------------------------ `table` is POW(INTEGER*INTEGER*COLOUR) because of this
            ...
            9 |   table(x) = red
              |         ^ this is INTEGER
              = help: its arguments are INTEGER*INTEGER; write them with commas between, as in `table(a, b)`
        "#]],
    );
}

#[test]
fn function_applied_to_two_arguments() {
    check_body(
        "x := load(p, 1)",
        expect![[r#"
            error[wrong-argument]: `load` takes one argument, but is given 2 arguments
               --> M.mch:14:15
             7 |   x : INTEGER & y : INTEGER & procs <: PROC & flag : BOOL & load : PROC +-> INTEGER &
               |                                                             ----------------------- `load` is POW(PROC*INTEGER) because of this
            ...
            14 |     x := load(p, 1)
               |               ^^^^ this is PROC*INTEGER
        "#]],
    );
}

#[test]
fn function_of_pairs_applied_to_a_set() {
    check_predicate(
        "table({x, y}) = red",
        expect![[r#"
            error[wrong-argument]: `table` takes 2 arguments, but is given one argument
              --> M.mch:9:9
            4 | PROPERTIES limit : NAT & table : INTEGER * INTEGER --> COLOUR
              |                          ------------------------------------ `table` is POW(INTEGER*INTEGER*COLOUR) because of this
            ...
            9 |   table({x, y}) = red
              |         ^^^^^^ this is POW(INTEGER)
              = help: write the arguments without braces: `table(x, y)`
        "#]],
    );
}

#[test]
fn pair_for_two_elements() {
    check_predicate(
        "{1, 2 |-> 3} /= {}",
        expect![[r#"
            error[type-mismatch]: `1` is INTEGER, but `2 |-> 3` is INTEGER*INTEGER
              --> M.mch:9:7
            9 |   {1, 2 |-> 3} /= {}
              |       ^^^^^^^ this is INTEGER*INTEGER
              |    - this is INTEGER
        "#]],
    );
}

#[test]
fn number_applied_to_an_argument() {
    check_predicate(
        "x(1) = 2",
        expect![[r#"
            error[not-a-function]: `x` is INTEGER and cannot be applied to an argument
              --> M.mch:9:3
            7 |   x : INTEGER & y : INTEGER & procs <: PROC & flag : BOOL & load : PROC +-> INTEGER &
              |   ----------- `x` is INTEGER because of this
            ...
            9 |   x(1) = 2
              |   ^ this is no function
        "#]],
    );
}

#[test]
fn function_assigned_the_wrong_type() {
    check_body(
        "load(p) := red",
        expect![[r#"
            error[type-mismatch]: `load(p)` is INTEGER, but `red` is COLOUR
               --> M.mch:14:16
            14 |     load(p) := red
               |                ^^^ this is COLOUR
               |     ------- this is INTEGER
        "#]],
    );
}

#[test]
fn image_of_an_element() {
    check_body(
        "x := card(load[p])",
        expect![[r#"
            error[type-mismatch]: `p` is PROC, but `load[...]` needs a set of elements that `load` relates: POW(PROC)
               --> M.mch:14:20
            13 |   step(p) = PRE p : PROC THEN
               |                 -------- `p` is PROC because of this
            14 |     x := card(load[p])
               |                    ^ this is PROC
               = help: the set that holds only `p` is `{p}`
               = help: the value of a function at `p` is written `load(p)`
        "#]],
    );
}

#[test]
fn function_in_place_of_its_value() {
    check_body(
        "x := load + 1",
        expect![[r#"
            error[type-mismatch]: `load` is POW(PROC*INTEGER), but `1` is INTEGER
               --> M.mch:14:17
             7 |   x : INTEGER & y : INTEGER & procs <: PROC & flag : BOOL & load : PROC +-> INTEGER &
               |                                                             ----------------------- `load` is POW(PROC*INTEGER) because of this
            ...
            14 |     x := load + 1
               |                 ^ this is INTEGER
               |          ---- this is POW(PROC*INTEGER)
               = help: a value of the function is written `load(...)`
        "#]],
    );
}

#[test]
fn domain_restriction_the_wrong_way_round() {
    check_body(
        "load := load <| {p}",
        expect![[r#"
            error[type-mismatch]: `{p}` is POW(PROC), but `<|` needs a relation on its right
               --> M.mch:14:21
            14 |     load := load <| {p}
               |                     ^^^ this is POW(PROC)
               = help: write `{p} <| load`
        "#]],
    );
}

#[test]
fn override_with_a_pair() {
    check_body(
        "load := load <+ (p |-> 3)",
        expect![[r#"
            error[type-mismatch]: `(p |-> 3)` is PROC*INTEGER, but `<+` needs relations
               --> M.mch:14:21
            14 |     load := load <+ (p |-> 3)
               |                     ^^^^^^^^^ this is PROC*INTEGER
               = help: the set that holds only `p |-> 3` is `{p |-> 3}`
        "#]],
    );
}

#[test]
fn composition_that_does_not_fit() {
    check_predicate(
        "(load ; load) = {}",
        expect![[r#"
            error[type-mismatch]: the first relation leads to elements that the second does not start from
              --> M.mch:9:11
            9 |   (load ; load) = {}
              |           ^^^^ starts from PROC
              |    ---- leads to INTEGER
        "#]],
    );
}

#[test]
fn function_space_with_an_element() {
    check_predicate(
        "load : PROC +-> limit",
        expect![[r#"
            error[type-mismatch]: `limit` is INTEGER, but `+->` needs sets
              --> M.mch:9:19
            4 | PROPERTIES limit : NAT & table : INTEGER * INTEGER --> COLOUR
              |            ----------- `limit` is INTEGER because of this
            ...
            9 |   load : PROC +-> limit
              |                   ^^^^^ this is INTEGER
              = help: the set that holds only `limit` is `{limit}`, an interval is written `0..limit`
        "#]],
    );
}

#[test]
fn product_in_place_of_a_function_space() {
    check_predicate(
        "load : PROC * INTEGER",
        expect![[r#"
            error[type-mismatch]: `load` is POW(PROC*INTEGER), but the elements of `PROC * INTEGER` are PROC*INTEGER
              --> M.mch:9:3
            7 |   x : INTEGER & y : INTEGER & procs <: PROC & flag : BOOL & load : PROC +-> INTEGER &
              |                                                             ----------------------- `load` is POW(PROC*INTEGER) because of this
            ...
            9 |   load : PROC * INTEGER
              |   ^^^^ this is POW(PROC*INTEGER)
              |          -------------- this is POW(PROC*INTEGER)
              = help: write `load <: PROC * INTEGER`: `:` is for elements, `<:` for subsets
        "#]],
    );
}

#[test]
fn sequence_in_place_of_a_set() {
    check_predicate(
        "x : [1, 2, 3]",
        expect![[r#"
            error[type-mismatch]: `x` is INTEGER, but the elements of `[1, 2, 3]` are INTEGER*INTEGER
              --> M.mch:9:3
            7 |   x : INTEGER & y : INTEGER & procs <: PROC & flag : BOOL & load : PROC +-> INTEGER &
              |   ----------- `x` is INTEGER because of this
            ...
            9 |   x : [1, 2, 3]
              |   ^ this is INTEGER
              |       --------- this is POW(INTEGER*INTEGER)
              = help: the values of a function or sequence are its range: `ran([1, 2, 3])`
        "#]],
    );
}

#[test]
fn unknown_field() {
    check_predicate(
        "point'nort = 3",
        expect![[r#"
            error[unknown-field]: the record has no field `nort`
              --> M.mch:9:9
            9 |   point'nort = 3
              |         ^^^^
              = help: a field with a similar name exists: `north`
        "#]],
    );
}

#[test]
fn field_of_a_number() {
    check_predicate(
        "x'east = 3",
        expect![[r#"
            error[not-a-record]: `x` is INTEGER, not a record, and has no field `east`
              --> M.mch:9:3
            7 |   x : INTEGER & y : INTEGER & procs <: PROC & flag : BOOL & load : PROC +-> INTEGER &
              |   ----------- `x` is INTEGER because of this
            ...
            9 |   x'east = 3
              |   ^ this is INTEGER
        "#]],
    );
}

#[test]
fn records_with_different_fields() {
    check_body(
        "point := rec(east : 1, west : 2)",
        expect![[r#"
            error[type-mismatch]: `point` is struct(east:INTEGER,north:INTEGER), but `rec(east : 1, west : 2)` is struct(east:INTEGER,west:INTEGER)
               --> M.mch:14:14
             8 |   name : STRING & point : struct(east : INTEGER, north : INTEGER) &
               |                   ----------------------------------------------- `point` is struct(east:INTEGER,north:INTEGER) because of this
            ...
            14 |     point := rec(east : 1, west : 2)
               |              ^^^^^^^^^^^^^^^^^^^^^^^ this is struct(east:INTEGER,west:INTEGER)
               |     ----- this is struct(east:INTEGER,north:INTEGER)
               = note: the field `west` is not expected
               = note: the field `north` is missing
        "#]],
    );
}

#[test]
fn field_given_twice() {
    check_body(
        "point := rec(east : 1, east : 2)",
        expect![[r#"
            error[duplicate-field]: field `east` is given twice
               --> M.mch:14:28
            14 |     point := rec(east : 1, east : 2)
               |                            ^^^^
               |                  ---- first given here
        "#]],
    );
}

#[test]
fn field_with_the_wrong_type() {
    check_body(
        "point'east := TRUE",
        expect![[r#"
            error[type-mismatch]: `TRUE` is BOOL, but field `east` is INTEGER
               --> M.mch:14:19
            14 |     point'east := TRUE
               |                   ^^^^ this is BOOL
               = help: the values of BOOL are `TRUE` and `FALSE`, which are not numbers
        "#]],
    );
}

#[test]
fn struct_over_an_element() {
    check_predicate(
        "point : struct(east : 3, north : INTEGER)",
        expect![[r#"
            error[type-mismatch]: `3` is INTEGER, but a field of `struct` ranges over a set
              --> M.mch:9:25
            9 |   point : struct(east : 3, north : INTEGER)
              |                         ^ this is INTEGER
              = help: the set that holds only `3` is `{3}`, an interval is written `0..3`
        "#]],
    );
}

#[test]
fn branches_of_different_types() {
    check_body(
        "x := IF x > 0 THEN 1 ELSE FALSE END",
        expect![[r#"
            error[type-mismatch]: `1` is INTEGER, but `FALSE` is BOOL
               --> M.mch:14:31
            14 |     x := IF x > 0 THEN 1 ELSE FALSE END
               |                               ^^^^^ this is BOOL
               |                        - this is INTEGER
               = help: the values of BOOL are `TRUE` and `FALSE`, which are not numbers
        "#]],
    );
}

#[test]
fn case_label_of_another_type() {
    check_body(
        "CASE x OF EITHER red THEN skip END END",
        expect![[r#"
            error[type-mismatch]: `x` is INTEGER, but `red` is COLOUR
               --> M.mch:14:22
             7 |   x : INTEGER & y : INTEGER & procs <: PROC & flag : BOOL & load : PROC +-> INTEGER &
               |   ----------- `x` is INTEGER because of this
            ...
            14 |     CASE x OF EITHER red THEN skip END END
               |                      ^^^ this is COLOUR
               |          - this is INTEGER
        "#]],
    );
}

#[test]
fn type_given_elsewhere() {
    check_body(
        "x := flag",
        expect![[r#"
            error[type-mismatch]: `x` is INTEGER, but `flag` is BOOL
               --> M.mch:14:10
             7 |   x : INTEGER & y : INTEGER & procs <: PROC & flag : BOOL & load : PROC +-> INTEGER &
               |                                               ----------- `flag` is BOOL because of this
               |   ----------- `x` is INTEGER because of this
            ...
            14 |     x := flag
               |          ^^^^ this is BOOL
               |     - this is INTEGER
               = help: the values of BOOL are `TRUE` and `FALSE`, which are not numbers
        "#]],
    );
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
            error[type-mismatch]: `TRUE` is BOOL, but parameter `k` of `add` is INTEGER
              --> M.mch:4:12
            4 |   go = add(TRUE)
              |            ^^^^ this is BOOL
              ::: Counter.mch:6:16
            6 |   add(k) = PRE k : NAT THEN n := n + k END
              |                ------- `k` is INTEGER because of this
              = help: the values of BOOL are `TRUE` and `FALSE`, which are not numbers
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
              = help: add a typing predicate such as `buffer <: S` to the INVARIANT
        "#]],
    );
}

#[test]
fn untyped_bound_variable() {
    check_predicate(
        "!k.(x > 0)",
        expect![[r#"
            error[unknown-type]: the type of identifier `k` cannot be inferred
              --> M.mch:9:4
            9 |   !k.(x > 0)
              |    ^
              = help: add a typing predicate such as `k : S` to the predicate that belongs to it
        "#]],
    );
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
            error[type-mismatch]: no type fits `c`: it would have to contain itself
              --> M.mch:3:16
            3 | PROPERTIES c : c
              |                ^
              = note: a set and its elements have different types
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
              = help: the set that holds only `b` is `{b}`
        "#]],
    );
}

#[test]
fn size_of_a_set() {
    check_predicate(
        "size(procs) = 3",
        expect![[r#"
            error[type-mismatch]: `procs` is POW(PROC), but `size` needs a sequence; the elements of a set are counted by `card`
              --> M.mch:9:8
            7 |   x : INTEGER & y : INTEGER & procs <: PROC & flag : BOOL & load : PROC +-> INTEGER &
              |                               ------------- `procs` is POW(PROC) because of this
            ...
            9 |   size(procs) = 3
              |        ^^^^^ this is POW(PROC)
        "#]],
    );
}
