//! Substitutions.

use expect_test::expect;

use super::{check, check_body};

#[test]
fn equals_as_an_assignment() {
    check_body("x = x + 1", expect![[]]);
}

#[test]
fn double_equals_as_an_assignment() {
    check_body("x == x + 1", expect![[]]);
}

#[test]
fn increment_of_c() {
    check_body("x++", expect![[]]);
}

#[test]
fn compound_assignment_of_c() {
    check_body("x += 1", expect![[]]);
}

#[test]
fn comma_between_assignments() {
    check_body("x := 1, y := 2", expect![[]]);
}

#[test]
fn ampersand_between_assignments() {
    check_body("x := 1 & y := 2", expect![[]]);
}

#[test]
fn separator_is_missing() {
    check_body("x := 1\n    y := 2", expect![[]]);
}

#[test]
fn semicolon_before_end() {
    check_body("x := 1; y := 2;", expect![[]]);
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
        expect![[]],
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
        expect![[]],
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
        expect![[]],
    );
}

#[test]
fn then_is_missing() {
    check_body("IF x > 0 x := 0 END", expect![[]]);
}

#[test]
fn then_is_missing_after_pre() {
    check_body("PRE x > 0\n    x := 0 END", expect![[]]);
}

#[test]
fn if_without_end() {
    check_body("IF x > 0 THEN x := 0", expect![[]]);
}

#[test]
fn else_if() {
    check_body("IF x > 0 THEN x := 0 ELSE IF x < 0 THEN x := 1 END", expect![[]]);
}

#[test]
fn elseif_in_one_word() {
    check_body("IF x > 0 THEN x := 0 ELSEIF x < 0 THEN x := 1 END", expect![[]]);
}

#[test]
fn parentheses_around_a_substitution() {
    check_body("(x := 1 ; y := 2)", expect![[]]);
}

#[test]
fn member_as_a_substitution() {
    check_body("x : 1..3", expect![[]]);
}

#[test]
fn choice_at_an_argument() {
    check_body("load(p) :: 1..3", expect![[]]);
}

#[test]
fn any_without_where() {
    check_body("ANY k THEN x := k END", expect![[]]);
}

#[test]
fn any_with_membership() {
    check_body("ANY k : 1..3 THEN x := k END", expect![[]]);
}

#[test]
fn let_with_an_assignment() {
    check_body("LET k BE k := 3 IN x := k END", expect![[]]);
}

#[test]
fn var_with_a_value() {
    check_body("VAR k := 3 IN x := k END", expect![[]]);
}

#[test]
fn case_with_one_end() {
    check_body("CASE x OF EITHER 1 THEN y := 1 OR 2 THEN y := 2 END", expect![[]]);
}

#[test]
fn case_without_either() {
    check_body("CASE x OF 1 THEN y := 1 END END", expect![[]]);
}

#[test]
fn while_without_invariant() {
    check_body("WHILE x > 0 DO x := x - 1 END", expect![[]]);
}

#[test]
fn while_with_then() {
    check_body("WHILE x > 0 THEN x := x - 1 INVARIANT x >= 0 VARIANT x END", expect![[]]);
}

#[test]
fn begin_is_forgotten() {
    check_body("x := 1 ; y := 2 END", expect![[]]);
}

#[test]
fn expression_as_a_substitution() {
    check_body("x + 1", expect![[]]);
}

#[test]
fn return_statement() {
    check_body("return x", expect![[]]);
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
        expect![[]],
    );
}

#[test]
fn more_targets_than_values() {
    check_body("x, y := 1", expect![[]]);
}

#[test]
fn assigned_twice_in_parallel() {
    check_body("x := 1 || y := 2 || x := 3", expect![[]]);
}

#[test]
fn assigned_twice_in_one_list() {
    check_body("x, x := 1, 2", expect![[]]);
}

#[test]
fn functions_changed_twice_in_parallel() {
    check_body("load(p) := 1 || load := {}", expect![[]]);
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
        expect![[]],
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
        expect![[]],
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
        expect![[]],
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
        expect![[]],
    );
}

#[test]
fn select_with_else_if() {
    check_body("SELECT x > 0 THEN x := 0 SELECT x < 0 THEN x := 1 END", expect![[]]);
}
