//! Substitutions.

use expect_test::expect;

use super::{check, check_body};

#[test]
fn equals_as_an_assignment() {
    check_body("x = x + 1", expect![[r#"
        error[comparison-as-substitution]: this is a comparison, but a substitution is needed here
           --> M.mch:14:7
        14 |     x = x + 1
           |       ^
           = help: an assignment is written `:=`
    "#]]);
}

#[test]
fn double_equals_as_an_assignment() {
    check_body("x == x + 1", expect![[r#"
        error[comparison-as-substitution]: this is a comparison, but a substitution is needed here
           --> M.mch:14:7
        14 |     x == x + 1
           |       ^^
           = help: an assignment is written `:=`
    "#]]);
}

#[test]
fn increment_of_c() {
    check_body("x++", expect![[r#"
        error[unexpected-token]: expected `:=`, found `+`
           --> M.mch:14:6
        14 |     x++
           |      ^
           = help: an expression does nothing; write `x := E` to change a variable
    "#]]);
}

#[test]
fn compound_assignment_of_c() {
    check_body("x += 1", expect![[r#"
        error[unexpected-token]: expected `:=`, found `+`
           --> M.mch:14:7
        14 |     x += 1
           |       ^
           = help: write `x := x + E`
    "#]]);
}

#[test]
fn comma_between_assignments() {
    check_body("x := 1, y := 2", expect![[r#"
        error[assignment-count]: one target assigned 2 values
           --> M.mch:14:5
        14 |     x := 1, y := 2
           |     ^^^^^^^^^^^^^^
           = help: the left and right lists of `:=` have equal lengths

        error[expression-expected]: an expression is needed here, but this is a predicate
           --> M.mch:14:13
        14 |     x := 1, y := 2
           |             ^^^^^^
           = help: a predicate has no value; `bool(P)` turns it into TRUE or FALSE

        error[assignment-in-formula]: `:=` assigns; equality is written `=`
           --> M.mch:14:15
        14 |     x := 1, y := 2
           |               ^^
           = help: write `=`
    "#]]);
}

#[test]
fn ampersand_between_assignments() {
    check_body("x := 1 & y := 2", expect![[r#"
        error[predicate-expected]: a predicate is needed here, but this is an expression
           --> M.mch:14:10
        14 |     x := 1 & y := 2
           |          ^
           = help: compare it with something; if it is a BOOL, write `1 = TRUE`

        error[expression-expected]: an expression is needed here, but this is a predicate
           --> M.mch:14:10
        14 |     x := 1 & y := 2
           |          ^^^^^^^^^^
           = help: a predicate has no value; `bool(P)` turns it into TRUE or FALSE

        error[expression-expected]: `1 & y := 2` is a predicate, but an expression is needed here
           --> M.mch:14:10
        14 |     x := 1 & y := 2
           |          ^^^^^^^^^^
           = help: `bool(1 & y := 2)` is its truth value as a BOOL

        error[assignment-in-formula]: `:=` assigns; equality is written `=`
           --> M.mch:14:16
        14 |     x := 1 & y := 2
           |                ^^
           = help: write `=`
    "#]]);
}

#[test]
fn separator_is_missing() {
    check_body("x := 1\n    y := 2", expect![[r#"
        error[missing-separator]: expected `;` or `||` between substitutions, found `y`
           --> M.mch:15:5
        15 |     y := 2
           |     ^
           = help: write `;` to do one after the other, `||` to do both at once
    "#]]);
}

#[test]
fn semicolon_before_end() {
    check_body("x := 1; y := 2;", expect![[r#"
        error[trailing-semicolon]: a `;` stands between two things, but nothing follows here
           --> M.mch:14:19
        14 |     x := 1; y := 2;
           |                   ^
           = help: remove the `;`
    "#]]);
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
    check_body("IF x > 0 x := 0 END", expect![[r#"
        error[missing-keyword]: expected `THEN`, found `x`
           --> M.mch:14:14
        14 |     IF x > 0 x := 0 END
           |              ^
           |     -- this `IF` needs its `THEN`
    "#]]);
}

#[test]
fn then_is_missing_after_pre() {
    check_body("PRE x > 0\n    x := 0 END", expect![[r#"
        error[missing-keyword]: expected `THEN`, found `x`
           --> M.mch:15:5
        14 |     PRE x > 0
           |     --- this `PRE` needs its `THEN`
        15 |     x := 0 END
           |     ^
    "#]]);
}

#[test]
fn if_without_end() {
    check_body("IF x > 0 THEN x := 0", expect![[r#"
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
    "#]]);
}

#[test]
fn else_if() {
    check_body("IF x > 0 THEN x := 0 ELSE IF x < 0 THEN x := 1 END", expect![[r#"
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
    "#]]);
}

#[test]
fn elseif_in_one_word() {
    check_body("IF x > 0 THEN x := 0 ELSEIF x < 0 THEN x := 1 END", expect![[r#"
        error[missing-separator]: expected `;` or `||` between substitutions, found `ELSEIF`
           --> M.mch:14:26
        14 |     IF x > 0 THEN x := 0 ELSEIF x < 0 THEN x := 1 END
           |                          ^^^^^^
           = help: write `;` to do one after the other, `||` to do both at once

        error[unknown-operation]: there is no operation or definition `ELSEIF` to call
           --> M.mch:14:26
        14 |     IF x > 0 THEN x := 0 ELSEIF x < 0 THEN x := 1 END
           |                          ^^^^^^
           = help: operations of other machines are callable after INCLUDES or EXTENDS

        error[missing-separator]: expected `;` or `||` between substitutions, found `x`
           --> M.mch:14:33
        14 |     IF x > 0 THEN x := 0 ELSEIF x < 0 THEN x := 1 END
           |                                 ^
           = help: write `;` to do one after the other, `||` to do both at once

        error[unexpected-token]: expected `:=`, found `<`
           --> M.mch:14:35
        14 |     IF x > 0 THEN x := 0 ELSEIF x < 0 THEN x := 1 END
           |                                   ^
           = help: an expression does nothing; write `x := E` to change a variable
    "#]]);
}

#[test]
fn parentheses_around_a_substitution() {
    check_body("(x := 1 ; y := 2)", expect![[r#"
        error[parenthesised-substitution]: substitutions cannot be put in parentheses
           --> M.mch:14:5
        14 |     (x := 1 ; y := 2)
           |     ^
           = help: write `BEGIN S END`
    "#]]);
}

#[test]
fn member_as_a_substitution() {
    check_body("x : 1..3", expect![[r#"
        error[comparison-as-substitution]: `:` is a test, but a substitution is needed here
           --> M.mch:14:7
        14 |     x : 1..3
           |       ^
           = help: write `x :: S` for any element of `S`, or `x : (P)` for a value with `P`
    "#]]);
}

#[test]
fn choice_at_an_argument() {
    check_body("load(p) :: 1..3", expect![[r#"
        error[bad-assignment-target]: only names can stand before `::`
           --> M.mch:14:5
        14 |     load(p) :: 1..3
           |     ^^^^^^^
           = help: choose the value with `ANY v WHERE ... THEN f(x) := v END`
    "#]]);
}

#[test]
fn any_without_where() {
    check_body("ANY k THEN x := k END", expect![[r#"
        error[missing-keyword]: expected `WHERE`, found `THEN`
           --> M.mch:14:11
        14 |     ANY k THEN x := k END
           |           ^^^^
           |     --- this `ANY` needs its `WHERE`
           = help: `ANY` is written `ANY x WHERE P THEN S END`
    "#]]);
}

#[test]
fn any_with_membership() {
    check_body("ANY k : 1..3 THEN x := k END", expect![[r#"
        error[missing-keyword]: expected `WHERE`, found `:`
           --> M.mch:14:11
        14 |     ANY k : 1..3 THEN x := k END
           |           ^
           |     --- this `ANY` needs its `WHERE`
    "#]]);
}

#[test]
fn let_with_an_assignment() {
    check_body("LET k BE k := 3 IN x := k END", expect![[r#"
        error[assignment-in-formula]: `:=` assigns; equality is written `=`
           --> M.mch:14:16
        14 |     LET k BE k := 3 IN x := k END
           |                ^^
           = help: write `=`
    "#]]);
}

#[test]
fn var_with_a_value() {
    check_body("VAR k := 3 IN x := k END", expect![[r#"
        error[missing-keyword]: expected `IN`, found `:=`
           --> M.mch:14:11
        14 |     VAR k := 3 IN x := k END
           |           ^^
           |     --- this `VAR` needs its `IN`
           = help: variables are only named here; write `VAR x IN x := E; S END`
    "#]]);
}

#[test]
fn case_with_one_end() {
    check_body("CASE x OF EITHER 1 THEN y := 1 OR 2 THEN y := 2 END", expect![[r#"
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
    "#]]);
}

#[test]
fn case_without_either() {
    check_body("CASE x OF 1 THEN y := 1 END END", expect![[r#"
        error[missing-keyword]: expected `EITHER`, found `1`
           --> M.mch:14:15
        14 |     CASE x OF 1 THEN y := 1 END END
           |               ^
           |     ---- this `CASE` needs its `EITHER`
    "#]]);
}

#[test]
fn while_without_invariant() {
    check_body("WHILE x > 0 DO x := x - 1 END", expect![[r#"
        error[missing-keyword]: expected `INVARIANT`, found `END`
           --> M.mch:14:31
        14 |     WHILE x > 0 DO x := x - 1 END
           |                               ^^^
           |     ----- this `WHILE` needs its `INVARIANT`
           = help: a loop is written `WHILE P DO S INVARIANT I VARIANT V END`
    "#]]);
}

#[test]
fn while_with_then() {
    check_body("WHILE x > 0 THEN x := x - 1 INVARIANT x >= 0 VARIANT x END", expect![[r#"
        error[missing-keyword]: expected `DO`, found `THEN`
           --> M.mch:14:17
        14 |     WHILE x > 0 THEN x := x - 1 INVARIANT x >= 0 VARIANT x END
           |                 ^^^^
           |     ----- this `WHILE` needs its `DO`
           = help: `WHILE` has `DO`, not `THEN`
    "#]]);
}

#[test]
fn begin_is_forgotten() {
    check_body("x := 1 ; y := 2 END", expect![[r#"
        error[text-after-end]: this `END` closes the machine, but more text follows
           --> M.mch:15:3
        15 |   END
           |   ^^^
        16 | END
           | --- the text that follows
           = help: remove an `END`, or the text after the last one
    "#]]);
}

#[test]
fn expression_as_a_substitution() {
    check_body("x + 1", expect![[r#"
        error[unexpected-token]: expected `:=`, found `+`
           --> M.mch:14:7
        14 |     x + 1
           |       ^
           = help: an expression does nothing; write `x := E` to change a variable
    "#]]);
}

#[test]
fn return_statement() {
    check_body("return x", expect![[r#"
        error[unknown-operation]: there is no operation or definition `return` to call
           --> M.mch:14:5
        14 |     return x
           |     ^^^^^^
           = help: operations of other machines are callable after INCLUDES or EXTENDS

        error[missing-separator]: expected `;` or `||` between substitutions, found `x`
           --> M.mch:14:12
        14 |     return x
           |            ^
           = help: write `;` to do one after the other, `||` to do both at once

        error[unknown-operation]: there is no operation or definition `x` to call
           --> M.mch:14:12
        14 |     return x
           |            ^
           = note: `x` is a value; an assignment is written `x := ...`
    "#]]);
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
        "#]],
    );
}

#[test]
fn more_targets_than_values() {
    check_body("x, y := 1", expect![[r#"
        error[assignment-count]: 2 targets assigned one value
           --> M.mch:14:5
        14 |     x, y := 1
           |     ^^^^^^^^^
           = help: the left and right lists of `:=` have equal lengths
    "#]]);
}

#[test]
fn assigned_twice_in_parallel() {
    check_body("x := 1 || y := 2 || x := 3", expect![[r#"
        error[assigned-twice]: `x` is assigned in two branches of `||`
           --> M.mch:14:25
        14 |     x := 1 || y := 2 || x := 3
           |                         ^^^^^^
           |     ------ also assigned here
           = help: use `;` for one after the other, or assign it once
    "#]]);
}

#[test]
fn assigned_twice_in_one_list() {
    check_body("x, x := 1, 2", expect![[r#"
        error[assigned-twice]: `x` is assigned twice at once
           --> M.mch:14:8
        14 |     x, x := 1, 2
           |        ^
           |     - first assigned here
    "#]]);
}

#[test]
fn functions_changed_twice_in_parallel() {
    check_body("load(p) := 1 || load := {}", expect![[r#"
        error[assigned-twice]: `load` is assigned in two branches of `||`
           --> M.mch:14:21
        14 |     load(p) := 1 || load := {}
           |                     ^^^^^^^^^^
           |     ------------ also assigned here
           = help: use `;` for one after the other, or assign it once
    "#]]);
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
              = help: an assignment is written `:=`
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
            error[unexpected-token]: expected `=` and the body of the operation, found `<-`
              --> M.mch:3:5
            3 |   r <- read = r := 3
              |     ^^
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
            error[unknown-type]: the type of parameter `v` cannot be inferred
              --> M.mch:3:7
            3 |   set(v : NAT) = skip
              |       ^
              = help: add a typing predicate such as `v : S` to the operation's precondition

            error[unexpected-token]: expected `)` or an operator, found `:`
              --> M.mch:3:9
            3 |   set(v : NAT) = skip
              |         ^
              |      - inside this `(`
        "#]],
    );
}

#[test]
fn select_with_else_if() {
    check_body("SELECT x > 0 THEN x := 0 SELECT x < 0 THEN x := 1 END", expect![[r#"
        error[missing-separator]: expected `;` or `||` between substitutions, found `SELECT`
           --> M.mch:14:30
        14 |     SELECT x > 0 THEN x := 0 SELECT x < 0 THEN x := 1 END
           |                              ^^^^^^
           = help: write `;` to do one after the other, `||` to do both at once

        error[missing-end]: the machine has no `END`
           --> M.mch:16:4
         1 | MACHINE M
           | ------- the machine starts here
        ...
        15 |   END
           |   --- this `END` closes the `SELECT`, but is indented less
        16 | END
           |    ^
           = help: look at this `SELECT`: perhaps its `END` is the missing one
    "#]]);
}
