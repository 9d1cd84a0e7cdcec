//! Characters, strings, comments, numbers.

use expect_test::expect;

use super::{check, check_predicate};

#[test]
fn string_is_never_closed() {
    check_predicate(r#"name /= "idle"#, expect![[]]);
}

#[test]
fn text_in_single_quotes() {
    check_predicate("name /= 'idle'", expect![[]]);
}

#[test]
fn comment_is_never_closed() {
    check(
        "
        MACHINE M
        /* counts
        VARIABLES x
        INVARIANT x : NAT
        INITIALISATION x := 0
        END
        ",
        expect![[]],
    );
}

#[test]
fn comments_do_not_nest() {
    check(
        "
        MACHINE M
        /* counts /* for now */ upwards */
        VARIABLES x
        INVARIANT x : NAT
        INITIALISATION x := 0
        END
        ",
        expect![[]],
    );
}

#[test]
fn character_without_meaning() {
    check_predicate("x = y ? 1", expect![[]]);
}

#[test]
fn name_starts_with_underscore() {
    check_predicate("x = _y", expect![[]]);
}

#[test]
fn name_starts_with_a_digit() {
    check_predicate("x = 2y", expect![[]]);
}

#[test]
fn prime_on_a_variable() {
    check_body_with_prime();
}

fn check_body_with_prime() {
    super::check_body("x' := x + 1", expect![[]]);
}

#[test]
fn dollar_one() {
    super::check_body("x : (x > x$1)", expect![[]]);
}

#[test]
fn real_without_digits_after_the_dot() {
    check_predicate("x = 1.", expect![[]]);
}

#[test]
fn quotation_marks_of_a_word_processor() {
    check_predicate("name = “idle”", expect![[]]);
}

#[test]
fn big_conjunction_sign() {
    check_predicate("x ∈ ℕ ⋀ y ∈ ℕ", expect![[]]);
}

#[test]
fn another_element_sign() {
    check_predicate("x ∊ ℕ", expect![[]]);
}

#[test]
fn unicode_minus_inside_a_number_is_fine_but_a_dash_is_not() {
    check_predicate("x = y – 1", expect![[]]);
}

#[test]
fn backquote_is_never_closed() {
    check_predicate("x = `first value", expect![[]]);
}

#[test]
fn hash_comment() {
    check(
        "
        MACHINE M
        # a counter
        END
        ",
        expect![[]],
    );
}

#[test]
fn file_in_another_encoding() {
    check_predicate("name = na\u{fffd}ve", expect![[]]);
}
