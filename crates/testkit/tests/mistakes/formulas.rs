//! Predicates and expressions.

use expect_test::expect;

use super::check_predicate;

#[test]
fn double_equals() {
    check_predicate("x == y", expect![[]]);
}

#[test]
fn assignment_in_a_predicate() {
    check_predicate("x := y", expect![[]]);
}

#[test]
fn and_of_c() {
    check_predicate("x > 0 && y > 0", expect![[]]);
}

#[test]
fn or_of_c() {
    check_predicate("x > 0 || y > 0", expect![[]]);
}

#[test]
fn words_for_connectives() {
    check_predicate("x > 0 and y > 0", expect![[]]);
}

#[test]
fn or_in_upper_case() {
    check_predicate("x > 0 OR y > 0", expect![[]]);
}

#[test]
fn not_equal_of_c() {
    check_predicate("x != y", expect![[]]);
}

#[test]
fn not_equal_of_pascal() {
    check_predicate("x <> y", expect![[]]);
}

#[test]
fn less_or_equal_the_wrong_way_round() {
    check_predicate("x =< y", expect![[]]);
}

#[test]
fn arrow_for_greater_or_equal() {
    check_predicate("x => 3", expect![[]]);
}

#[test]
fn arrow_for_implication() {
    check_predicate("x > 0 -> y > 0", expect![[]]);
}

#[test]
fn negation_without_parentheses() {
    check_predicate("not x = y", expect![[]]);
}

#[test]
fn negation_of_c() {
    check_predicate("!(x = y)", expect![[]]);
}

#[test]
fn chained_comparison() {
    check_predicate("0 <= x <= 3", expect![[]]);
}

#[test]
fn equality_of_predicates() {
    check_predicate("flag = (x > 0)", expect![[]]);
}

#[test]
fn equality_with_an_unprotected_comparison() {
    check_predicate("flag = x > 0", expect![[]]);
}

#[test]
fn bool_variable_as_a_predicate() {
    check_predicate("flag & x > 0", expect![[]]);
}

#[test]
fn true_as_a_predicate() {
    check_predicate("TRUE", expect![[]]);
}

#[test]
fn btrue_as_a_value() {
    check_predicate("flag = bfalse", expect![[]]);
}

#[test]
fn function_value_as_a_predicate() {
    check_predicate("not(procs)", expect![[]]);
}

#[test]
fn forall_without_parentheses() {
    check_predicate("!p. p : procs => p : dom(load)", expect![[]]);
}

#[test]
fn forall_without_a_dot() {
    check_predicate("!p (p : procs => p : dom(load))", expect![[]]);
}

#[test]
fn forall_with_a_range() {
    check_predicate("!p : procs . (p : dom(load))", expect![[]]);
}

#[test]
fn forall_with_a_bar() {
    check_predicate("!p.(p : procs | p : dom(load))", expect![[]]);
}

#[test]
fn exists_in_words() {
    check_predicate("exists p.(p : procs)", expect![[]]);
}

#[test]
fn lambda_without_a_bar() {
    check_predicate("%k.(k : 1..3) = {}", expect![[]]);
}

#[test]
fn comprehension_with_a_range() {
    check_predicate("{k : 1..3 | k > x} = {}", expect![[]]);
}

#[test]
fn comprehension_of_an_expression() {
    check_predicate("{k * k | k : 1..3} = {}", expect![[]]);
}

#[test]
fn comprehension_with_two_bars() {
    check_predicate("{k | k : 1..3 | k * k} = {}", expect![[]]);
}

#[test]
fn parenthesis_is_never_closed() {
    check_predicate("(x + y * 2 = 4 & y > 0", expect![[]]);
}

#[test]
fn parenthesis_closed_twice() {
    check_predicate("(x + y)) = 4 & y > 0", expect![[]]);
}

#[test]
fn brace_closed_by_a_bracket() {
    check_predicate("x : {1, 2] & y > 0", expect![[]]);
}

#[test]
fn square_brackets_for_application() {
    check_predicate("load[red] = 3", expect![[]]);
}

#[test]
fn operand_is_missing() {
    check_predicate("x + = y", expect![[]]);
}

#[test]
fn comma_for_conjunction() {
    check_predicate("x > 0, y > 0", expect![[]]);
}

#[test]
fn minus_touching_less() {
    check_predicate("x <-1", expect![[]]);
}

#[test]
fn if_without_else() {
    check_predicate("x = IF y > 0 THEN 1 END", expect![[]]);
}

#[test]
fn if_as_a_question_mark() {
    check_predicate("x = (y > 0 ? 1 : 2)", expect![[]]);
}

#[test]
fn max_of_two_arguments() {
    check_predicate("x = max(y, 3)", expect![[]]);
}

#[test]
fn card_without_parentheses() {
    check_predicate("x = card procs", expect![[]]);
}

#[test]
fn bars_for_the_size() {
    check_predicate("|procs| = 3", expect![[]]);
}

#[test]
fn percent_for_modulo() {
    check_predicate("x % 2 = 0", expect![[]]);
}

#[test]
fn caret_for_power() {
    check_predicate("x = 2 ^ 3", expect![[]]);
}

#[test]
fn composition_outside_parentheses() {
    check_predicate("load ; load~ = {}", expect![[]]);
}

#[test]
fn field_with_a_dot() {
    check_predicate("point.east = 3", expect![[]]);
}

#[test]
fn field_after_a_call() {
    check_predicate("load(red).east = 3", expect![[]]);
}

#[test]
fn record_with_equals() {
    check_predicate("point = rec(east = 1, north = 2)", expect![[]]);
}

#[test]
fn not_a_subset() {
    check_predicate("not procs <: PROC", expect![[]]);
}

#[test]
fn double_minus() {
    check_predicate("x = --y", expect![[]]);
}

#[test]
fn membership_in_words() {
    check_predicate("x in NAT", expect![[]]);
}

#[test]
fn two_mistakes_in_one_predicate() {
    check_predicate("x == 3 & card procs = 2 & y != 4", expect![[]]);
}
