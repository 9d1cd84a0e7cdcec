//! Substitutions.

use expect_test::expect;

use super::{check, check_body};

#[test]
fn equals_as_an_assignment() {
    check_body(
        "x = x + 1",
        expect![[r#"
            error[comparison-as-substitution]: this is a comparison, but a substitution is needed here
               --> M.mch:14:7
            14 |     x = x + 1
               |       ^
               = help: an assignment is written `:=`
        "#]],
    );
}

#[test]
fn double_equals_as_an_assignment() {
    check_body(
        "x == x + 1",
        expect![[r#"
            error[comparison-as-substitution]: this is a comparison, but a substitution is needed here
               --> M.mch:14:7
            14 |     x == x + 1
               |       ^^
               = help: an assignment is written `:=`
        "#]],
    );
}

#[test]
fn increment_of_c() {
    check_body(
        "x++",
        expect![[r#"
            error[unexpected-token]: expected `:=`, found `+`
               --> M.mch:14:6
            14 |     x++
               |      ^
               = help: write `x := x + 1`
        "#]],
    );
}

#[test]
fn compound_assignment_of_c() {
    check_body(
        "x += 1",
        expect![[r#"
            error[unexpected-token]: expected `:=`, found `+`
               --> M.mch:14:7
            14 |     x += 1
               |       ^
               = help: write `x := x + ...`
        "#]],
    );
}

#[test]
fn comma_between_assignments() {
    check_body(
        "x := 1, y := 2",
        expect![[r#"
            error[wrong-separator]: substitutions are separated by `||` or `;`, not `,`
               --> M.mch:14:11
            14 |     x := 1, y := 2
               |           ^
               = help: write `||` to do both at once, `;` to do one after the other
        "#]],
    );
}

#[test]
fn ampersand_between_assignments() {
    check_body(
        "x := 1 & y := 2",
        expect![[r#"
            error[wrong-separator]: substitutions are separated by `||` or `;`, not `&`
               --> M.mch:14:12
            14 |     x := 1 & y := 2
               |            ^
               = help: write `||` to do both at once, `;` to do one after the other
        "#]],
    );
}

#[test]
fn separator_is_missing() {
    check_body(
        "x := 1\n    y := 2",
        expect![[r#"
            error[missing-separator]: expected `;` or `||` between substitutions, found `y`
               --> M.mch:15:5
            15 |     y := 2
               |     ^
               = help: write `;` to do one after the other, `||` to do both at once
        "#]],
    );
}

#[test]
fn semicolon_before_end() {
    check_body(
        "x := 1; y := 2;",
        expect![[r#"
            error[trailing-semicolon]: a `;` stands between substitutions, but none follows
               --> M.mch:14:19
            14 |     x := 1; y := 2;
               |                   ^
               = help: remove the `;`
        "#]],
    );
}

#[test]
fn semicolon_in_an_operation_body() {
    check(
        "
        MACHINE M
        VARIABLES x, y
        INVARIANT x : NAT & y : NAT
        INITIALISATION x := 0 || y := 0
        OPERATIONS
          both = x := 1; y := 2;
          none = x := 0
        END
        ",
        expect![[r#"
            error[body-needs-begin]: a `;` ends the operation, so this assignment belongs to none
              --> M.mch:6:20
            6 |   both = x := 1; y := 2;
              |                    ^^
              = help: put a body with `;` between `BEGIN` and `END`
        "#]],
    );
}

#[test]
fn operation_with_double_equals() {
    check(
        "
        MACHINE M
        OPERATIONS
          nothing == skip
        END
        ",
        expect![[r#"
            error[wrong-sign]: an operation is written with `=`; `==` is for DEFINITIONS
              --> M.mch:3:11
            3 |   nothing == skip
              |           ^^
              = help: write `=`
        "#]],
    );
}

#[test]
fn operation_with_empty_parentheses() {
    check(
        "
        MACHINE M
        OPERATIONS
          nothing() = skip
        END
        ",
        expect![[r#"
            error[empty-parentheses]: parentheses cannot be empty
              --> M.mch:3:10
            3 |   nothing() = skip
              |          ^^
              = help: leave out `()`
        "#]],
    );
}

#[test]
fn then_is_missing() {
    check_body(
        "IF x > 0 x := 0 END",
        expect![[r#"
            error[missing-keyword]: expected `THEN`, found `x`
               --> M.mch:14:14
            14 |     IF x > 0 x := 0 END
               |              ^
               |     -- this `IF` needs its `THEN`
               = help: write `THEN` before the substitution
        "#]],
    );
}

#[test]
fn then_is_missing_after_pre() {
    check_body(
        "PRE x > 0\n    x := 0 END",
        expect![[r#"
            error[missing-keyword]: expected `THEN`, found `x`
               --> M.mch:15:5
            14 |     PRE x > 0
               |     --- this `PRE` needs its `THEN`
            15 |     x := 0 END
               |     ^
               = help: write `THEN` before the substitution
        "#]],
    );
}

#[test]
fn if_without_end() {
    check_body(
        "IF x > 0 THEN x := 0",
        expect![[r#"
            error[missing-end]: the machine has no `END`
               --> M.mch:16:4
             1 | MACHINE M
               | ------- the machine starts here
            ...
            15 |   END
               |   --- this `END` closes the `IF`, but is indented less
            16 | END
               |    ^
               = help: look at this `IF`: perhaps its `END` is the missing one
        "#]],
    );
}

#[test]
fn else_if() {
    check_body(
        "IF x > 0 THEN x := 0 ELSE IF x < 0 THEN x := 1 END",
        expect![[r#"
            error[missing-end]: the machine has no `END`
               --> M.mch:16:4
             1 | MACHINE M
               | ------- the machine starts here
            ...
            15 |   END
               |   --- this `END` closes the `IF`, but is indented less
            16 | END
               |    ^
               = help: look at this `IF`: perhaps its `END` is the missing one
               = help: an `IF` after `ELSE` needs an `END` of its own; write `ELSIF` to go on with the same `IF`
        "#]],
    );
}

#[test]
fn elseif_in_one_word() {
    check_body(
        "IF x > 0 THEN x := 0 ELSEIF x < 0 THEN x := 1 END",
        expect![[r#"
            error[foreign-operator]: `ELSEIF` is written `ELSIF` in B
               --> M.mch:14:26
            14 |     IF x > 0 THEN x := 0 ELSEIF x < 0 THEN x := 1 END
               |                          ^^^^^^
               = help: write `ELSIF`
        "#]],
    );
}

#[test]
fn parentheses_around_a_substitution() {
    check_body(
        "(x := 1 ; y := 2)",
        expect![[r#"
            error[parenthesised-substitution]: substitutions cannot be put in parentheses
               --> M.mch:14:5
            14 |     (x := 1 ; y := 2)
               |     ^
               = help: write `BEGIN S END`
        "#]],
    );
}

#[test]
fn member_as_a_substitution() {
    check_body(
        "x : 1..3",
        expect![[r#"
            error[comparison-as-substitution]: `:` is a test, but a substitution is needed here
               --> M.mch:14:7
            14 |     x : 1..3
               |       ^
               = help: write `x :: S` for any element of `S`, or `x : (P)` for a value with `P`
        "#]],
    );
}

#[test]
fn choice_at_an_argument() {
    check_body(
        "load(p) :: 1..3",
        expect![[r#"
            error[bad-assignment-target]: only names can stand before `::`
               --> M.mch:14:5
            14 |     load(p) :: 1..3
               |     ^^^^^^^
               = help: choose the value with `ANY v WHERE ... THEN f(x) := v END`
        "#]],
    );
}

#[test]
fn any_without_where() {
    check_body(
        "ANY k THEN x := k END",
        expect![[r#"
            error[missing-keyword]: expected `WHERE`, found `THEN`
               --> M.mch:14:11
            14 |     ANY k THEN x := k END
               |           ^^^^
               |     --- this `ANY` needs its `WHERE`
               = help: `ANY` is written `ANY x WHERE P THEN S END`
        "#]],
    );
}

#[test]
fn any_with_membership() {
    check_body(
        "ANY k : 1..3 THEN x := k END",
        expect![[r#"
            error[missing-keyword]: expected `WHERE`, found `:`
               --> M.mch:14:11
            14 |     ANY k : 1..3 THEN x := k END
               |           ^
               |     --- this `ANY` needs its `WHERE`
               = help: the values are described after `WHERE`: `ANY x WHERE x : S THEN T END`
        "#]],
    );
}

#[test]
fn let_with_an_assignment() {
    check_body(
        "LET k BE k := 3 IN x := k END",
        expect![[r#"
            error[assignment-in-formula]: `:=` assigns; equality is written `=`
               --> M.mch:14:16
            14 |     LET k BE k := 3 IN x := k END
               |                ^^
               = help: write `=`
        "#]],
    );
}

#[test]
fn var_with_a_value() {
    check_body(
        "VAR k := 3 IN x := k END",
        expect![[r#"
            error[missing-keyword]: expected `IN`, found `:=`
               --> M.mch:14:11
            14 |     VAR k := 3 IN x := k END
               |           ^^
               |     --- this `VAR` needs its `IN`
               = help: variables are only named here; write `VAR x IN x := E; S END`
        "#]],
    );
}

#[test]
fn case_with_one_end() {
    check_body(
        "CASE x OF EITHER 1 THEN y := 1 OR 2 THEN y := 2 END",
        expect![[r#"
            error[missing-end]: the machine has no `END`
               --> M.mch:16:4
             1 | MACHINE M
               | ------- the machine starts here
            ...
            15 |   END
               |   --- this `END` closes the `CASE`, but is indented less
            16 | END
               |    ^
               = help: look at this `CASE`: perhaps its `END` is the missing one
               = help: a `CASE` has two `END`s: one for `EITHER`, one for `CASE`
        "#]],
    );
}

#[test]
fn case_without_either() {
    check_body(
        "CASE x OF 1 THEN y := 1 END END",
        expect![[r#"
            error[missing-keyword]: expected `EITHER`, found `1`
               --> M.mch:14:15
            14 |     CASE x OF 1 THEN y := 1 END END
               |               ^
               |     ---- this `CASE` needs its `EITHER`
               = help: `CASE` is written `CASE E OF EITHER a THEN S OR b THEN T ELSE U END END`
        "#]],
    );
}

#[test]
fn while_without_invariant() {
    check_body(
        "WHILE x > 0 DO x := x - 1 END",
        expect![[r#"
            error[missing-keyword]: expected `INVARIANT`, found `END`
               --> M.mch:14:31
            14 |     WHILE x > 0 DO x := x - 1 END
               |                               ^^^
               |     ----- this `WHILE` needs its `INVARIANT`
               = help: a loop is written `WHILE P DO S INVARIANT I VARIANT V END`
        "#]],
    );
}

#[test]
fn while_with_then() {
    check_body(
        "WHILE x > 0 THEN x := x - 1 INVARIANT x >= 0 VARIANT x END",
        expect![[r#"
            error[missing-keyword]: expected `DO`, found `THEN`
               --> M.mch:14:17
            14 |     WHILE x > 0 THEN x := x - 1 INVARIANT x >= 0 VARIANT x END
               |                 ^^^^
               |     ----- this `WHILE` needs its `DO`
               = help: `WHILE` has `DO`, not `THEN`
        "#]],
    );
}

#[test]
fn begin_is_forgotten() {
    check_body(
        "x := 1 ; y := 2 END",
        expect![[r#"
            error[extra-end]: this `END` has no partner
               --> M.mch:15:3
            15 |   END
               |   ^^^
               = help: remove it, or write the `BEGIN` that it should close
        "#]],
    );
}

#[test]
fn expression_as_a_substitution() {
    check_body(
        "x + 1",
        expect![[r#"
            error[unexpected-token]: expected `:=`, found `+`
               --> M.mch:14:7
            14 |     x + 1
               |       ^
               = help: an expression does nothing; write `x := E` to change a variable
        "#]],
    );
}

#[test]
fn return_statement() {
    check_body(
        "return x",
        expect![[r#"
            error[missing-separator]: expected `;` or `||` between substitutions, found `x`
               --> M.mch:14:12
            14 |     return x
               |            ^
               = help: the result of an operation is assigned to an output: `r <-- op = r := E`
        "#]],
    );
}

#[test]
fn nothing_at_all() {
    check(
        "
        MACHINE M
        OPERATIONS
          nothing = BEGIN END
        END
        ",
        expect![[r#"
            error[unexpected-token]: expected a substitution, found `END`
              --> M.mch:3:19
            3 |   nothing = BEGIN END
              |                   ^^^
              = help: write `skip` to do nothing
        "#]],
    );
}

#[test]
fn more_targets_than_values() {
    check_body(
        "x, y := 1",
        expect![[r#"
            error[assignment-count]: `:=` has 2 variables on its left, but one value on its right
               --> M.mch:14:5
            14 |     x, y := 1
               |     ^^^^^^^^^
               = help: write one value for each variable, with commas between
        "#]],
    );
}

#[test]
fn assigned_twice_in_parallel() {
    check_body(
        "x := 1 || y := 2 || x := 3",
        expect![[r#"
            error[assigned-twice]: `x` is assigned in two branches of `||`
               --> M.mch:14:25
            14 |     x := 1 || y := 2 || x := 3
               |                         ^^^^^^
               |     ------ also assigned here
               = help: use `;` for one after the other, or assign it once
        "#]],
    );
}

#[test]
fn assigned_twice_in_one_list() {
    check_body(
        "x, x := 1, 2",
        expect![[r#"
            error[assigned-twice]: `x` is assigned twice at once
               --> M.mch:14:8
            14 |     x, x := 1, 2
               |        ^
               |     - first assigned here
               = help: a variable gets one value; assign it once
        "#]],
    );
}

#[test]
fn functions_changed_twice_in_parallel() {
    check_body(
        "load(p) := 1 || load := {}",
        expect![[r#"
            error[assigned-twice]: `load` is assigned in two branches of `||`
               --> M.mch:14:21
            14 |     load(p) := 1 || load := {}
               |                     ^^^^^^^^^^
               |     ------------ also assigned here
               = help: use `;` for one after the other, or assign it once
        "#]],
    );
}

#[test]
fn operation_without_a_body() {
    check(
        "
        MACHINE M
        OPERATIONS
          one = ;
          two = skip
        END
        ",
        expect![[r#"
            error[unexpected-token]: expected a substitution, found `;`
              --> M.mch:3:9
            3 |   one = ;
              |         ^
              = help: write `skip` to do nothing
        "#]],
    );
}

#[test]
fn output_without_the_arrow() {
    check(
        "
        MACHINE M
        OPERATIONS
          r = read = r := 3
        END
        ",
        expect![[r#"
            error[comparison-as-substitution]: this is a comparison, but a substitution is needed here
              --> M.mch:3:12
            3 |   r = read = r := 3
              |            ^
              = help: an assignment is written `:=`, an operation with an output `r <-- op = S`
        "#]],
    );
}

#[test]
fn output_with_a_short_arrow() {
    check(
        "
        MACHINE M
        OPERATIONS
          r <- read = r := 3
        END
        ",
        expect![[r#"
            error[wrong-sign]: the outputs of an operation are followed by `<--`, not `<-`
              --> M.mch:3:5
            3 |   r <- read = r := 3
              |     ^^
              = help: write `<--`
        "#]],
    );
}

#[test]
fn parameters_with_types() {
    check(
        "
        MACHINE M
        OPERATIONS
          set(v : NAT) = skip
        END
        ",
        expect![[r#"
            error[typed-declaration]: parameters are only named here
              --> M.mch:3:9
            3 |   set(v : NAT) = skip
              |         ^
              = help: say in a precondition what values a parameter can have: `op(p) = PRE p : NAT THEN S END`
        "#]],
    );
}

#[test]
fn lower_case_keywords() {
    check_body(
        "if x > 0 then x := 0 else x := 1 end",
        expect![[r#"
            error[misspelt-keyword]: `if` is written `IF` in B
               --> M.mch:14:5
            14 |     if x > 0 then x := 0 else x := 1 end
               |     ^^
               = help: keywords of substitutions are in upper case

            error[misspelt-keyword]: `then` is written `THEN` in B
               --> M.mch:14:14
            14 |     if x > 0 then x := 0 else x := 1 end
               |              ^^^^
               = help: keywords of substitutions are in upper case

            error[misspelt-keyword]: `else` is written `ELSE` in B
               --> M.mch:14:26
            14 |     if x > 0 then x := 0 else x := 1 end
               |                          ^^^^
               = help: keywords of substitutions are in upper case

            error[misspelt-keyword]: `end` is written `END` in B
               --> M.mch:14:38
            14 |     if x > 0 then x := 0 else x := 1 end
               |                                      ^^^
               = help: keywords of substitutions are in upper case
        "#]],
    );
}

#[test]
fn functions_changed_at_two_arguments() {
    check_body(
        "load(p) := 1 || load(p) := 2",
        expect![[r#"
            error[assigned-twice]: `load` is assigned in two branches of `||`
               --> M.mch:14:21
            14 |     load(p) := 1 || load(p) := 2
               |                     ^^^^^^^^^^^^
               |     ------------ also assigned here
               = help: change it at both arguments at once: `load := load <+ {x |-> E, y |-> F}`
        "#]],
    );
}

#[test]
fn ampersand_is_missing_in_a_precondition() {
    check(
        "
        MACHINE M
        VARIABLES x
        INVARIANT x : NAT
        INITIALISATION x := 0
        OPERATIONS
          set(v) = PRE v : NAT v < 3 THEN x := v END
        END
        ",
        expect![[r#"
            error[missing-keyword]: expected `&` or `THEN`, found `v`
              --> M.mch:6:24
            6 |   set(v) = PRE v : NAT v < 3 THEN x := v END
              |                        ^
              |            --- in the predicate of this `PRE`
              = help: join predicates with `&`
        "#]],
    );
}
