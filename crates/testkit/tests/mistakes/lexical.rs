//! Characters, strings, comments, numbers.

use expect_test::expect;

use super::{check, check_body, check_predicate};

#[test]
fn string_is_never_closed() {
    check_predicate(
        r#"name /= "idle"#,
        expect![[r#"
            error[unclosed-string]: this string is never closed
              --> M.mch:9:11
            9 |   name /= "idle
              |           ^ the line ends before the closing `"`
              = help: write the closing `"` on the same line; `'''...'''` may span several lines
        "#]],
    );
}

#[test]
fn text_in_single_quotes() {
    check_predicate(
        "name /= 'idle'",
        expect![[r#"
            error[unexpected-token]: expected a predicate or an expression, found `'`
              --> M.mch:9:11
            9 |   name /= 'idle'
              |           ^
              = help: text is written between double quotes: `"text"`
        "#]],
    );
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
        expect![[r#"
            error[unclosed-comment]: this comment is never closed
              --> M.mch:2:1
            2 | /* counts
              | ^^ the file ends before the closing `*/`
              = help: write `*/` where the comment ends
        "#]],
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
        expect![[r#"
            error[unexpected-token]: expected a clause or the `END` of the machine, found `upwards`
              --> M.mch:2:25
            2 | /* counts /* for now */ upwards */
              |                         ^^^^^^^
              = help: comments do not nest: the one before this ends at the first `*/`
        "#]],
    );
}

#[test]
fn character_without_meaning() {
    check_predicate(
        "x = y ? 1",
        expect![[r#"
            error[unexpected-character]: `?` has no meaning in B
              --> M.mch:9:9
            9 |   x = y ? 1
              |         ^
              = help: a choice between values is written `IF P THEN E ELSE F END`
        "#]],
    );
}

#[test]
fn name_starts_with_underscore() {
    check_predicate(
        "x = _y",
        expect![[r#"
            error[unexpected-character]: a name cannot start with `_`
              --> M.mch:9:7
            9 |   x = _y
              |       ^
              = help: start it with a letter
        "#]],
    );
}

#[test]
fn name_starts_with_a_digit() {
    check_predicate(
        "x = 2y",
        expect![[r#"
            error[bad-name]: `2y` is neither a number nor a name
              --> M.mch:9:7
            9 |   x = 2y
              |       ^^
              = help: a name cannot start with a digit; multiplication is written `2 * y`
        "#]],
    );
}

#[test]
fn prime_on_a_variable() {
    check_body(
        "x' := x + 1",
        expect![[r#"
            error[unexpected-token]: expected the name of a field, found `:=`
               --> M.mch:14:8
            14 |     x' := x + 1
               |        ^^
               = help: `'` is not part of a name; it takes a field of a record: `r'f`
        "#]],
    );
}

#[test]
fn dollar_one() {
    check_body(
        "x : (x > x$1)",
        expect![[r#"
            error[bad-dollar]: `$` is only used in `x$0`, the value of `x` before a substitution
               --> M.mch:14:15
            14 |     x : (x > x$1)
               |               ^^
               = help: write `$0` directly after a name
        "#]],
    );
}

#[test]
fn real_without_digits_after_the_dot() {
    check_predicate(
        "x = 1.",
        expect![[r#"
            error[bad-number]: a real number has digits after the point
              --> M.mch:9:7
            9 |   x = 1.
              |       ^^
              = help: write `1.0`
        "#]],
    );
}

#[test]
fn quotation_marks_of_a_word_processor() {
    check_predicate(
        "name = “idle”",
        expect![[r#"
            error[unexpected-character]: strings are written between straight quotation marks
              --> M.mch:9:10
            9 |   name = “idle”
              |          ^^^^^^
              = help: write `"text"`
        "#]],
    );
}

#[test]
fn big_conjunction_sign() {
    check_predicate(
        "x ∈ ℕ ⋀ y ∈ ℕ",
        expect![[r#"
            error[unexpected-character]: `⋀` is not a symbol of B
              --> M.mch:9:9
            9 |   x ∈ ℕ ⋀ y ∈ ℕ
              |         ^
              = help: write `&` or `∧` between predicates
        "#]],
    );
}

#[test]
fn another_element_sign() {
    check_predicate(
        "x ∊ ℕ",
        expect![[r#"
            error[unexpected-character]: `∊` is not a symbol of B
              --> M.mch:9:5
            9 |   x ∊ ℕ
              |     ^
              = help: write `:` or `∈` for membership
        "#]],
    );
}

#[test]
fn unicode_minus_inside_a_number_is_fine_but_a_dash_is_not() {
    check_predicate(
        "x = y – 1",
        expect![[r#"
            error[unexpected-character]: `–` is not a symbol of B
              --> M.mch:9:9
            9 |   x = y – 1
              |         ^
              = help: write `-` for minus
        "#]],
    );
}

#[test]
fn backquote_is_never_closed() {
    check_predicate(
        "x = `first value",
        expect![[r#"
            error[unclosed-name]: this quoted name is never closed
              --> M.mch:9:7
            9 |   x = `first value
              |       ^^^^^^^^^^^^
              = help: write the closing back quote
        "#]],
    );
}

#[test]
fn hash_comment() {
    check(
        "
        MACHINE M
        # a counter
        END
        ",
        expect![[r#"
            error[unexpected-token]: expected a clause or the `END` of the machine, found `#`
              --> M.mch:2:1
            2 | # a counter
              | ^
              = help: a comment is written `// text` or `/* text */`
        "#]],
    );
}

#[test]
fn file_in_another_encoding() {
    check_predicate(
        "name = na\u{fffd}ve",
        expect![[r#"
            error[unexpected-character]: this text is not valid UTF-8
              --> M.mch:9:12
            9 |   name = na�ve
              |            ^
              = help: save the file as UTF-8; other encodings are only understood inside comments
        "#]],
    );
}
