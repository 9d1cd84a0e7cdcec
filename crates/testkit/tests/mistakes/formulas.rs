//! Predicates and expressions.

use expect_test::expect;

use super::check_predicate;

#[test]
fn double_equals() {
    check_predicate(
        "x == y",
        expect![[r#"
            error[foreign-operator]: equality is written `=` in B, not `==`
              --> M.mch:9:5
            9 |   x == y
              |     ^^
              = help: write `=`
        "#]],
    );
}

#[test]
fn assignment_in_a_predicate() {
    check_predicate(
        "x := y",
        expect![[r#"
            error[assignment-in-formula]: `:=` assigns; equality is written `=`
              --> M.mch:9:5
            9 |   x := y
              |     ^^
              = help: write `=`
        "#]],
    );
}

#[test]
fn and_of_c() {
    check_predicate(
        "x > 0 && y > 0",
        expect![[r#"
            error[foreign-operator]: a conjunction is written `&` in B, not `&&`
              --> M.mch:9:9
            9 |   x > 0 && y > 0
              |         ^^
              = help: write `&`
        "#]],
    );
}

#[test]
fn or_of_c() {
    check_predicate(
        "x > 0 || y > 0",
        expect![[r#"
            error[foreign-operator]: a disjunction is written `or` in B, not `||`
              --> M.mch:9:9
            9 |   x > 0 || y > 0
              |         ^^
              = help: write `or`
        "#]],
    );
}

#[test]
fn words_for_connectives() {
    check_predicate(
        "x > 0 and y > 0",
        expect![[r#"
            error[foreign-operator]: a conjunction is written `&` in B, not `and`
              --> M.mch:9:9
            9 |   x > 0 and y > 0
              |         ^^^
              = help: write `&`
        "#]],
    );
}

#[test]
fn or_in_upper_case() {
    check_predicate(
        "x > 0 OR y > 0",
        expect![[r#"
            error[foreign-operator]: a disjunction is written `or` in B, not `OR`
              --> M.mch:9:9
            9 |   x > 0 OR y > 0
              |         ^^
              = help: write `or`
        "#]],
    );
}

#[test]
fn not_equal_of_c() {
    check_predicate(
        "x != y",
        expect![[r#"
            error[foreign-operator]: inequality is written `/=` in B, not `!=`
              --> M.mch:9:5
            9 |   x != y
              |     ^^
              = help: write `/=`
        "#]],
    );
}

#[test]
fn not_equal_of_pascal() {
    check_predicate(
        "x <> y",
        expect![[r#"
            error[foreign-operator]: inequality is written `/=` in B, not `<>`
              --> M.mch:9:5
            9 |   x <> y
              |     ^^
              = help: write `/=`
        "#]],
    );
}

#[test]
fn less_or_equal_the_wrong_way_round() {
    check_predicate(
        "x =< y",
        expect![[r#"
            error[foreign-operator]: this comparison is written `<=` in B
              --> M.mch:9:5
            9 |   x =< y
              |     ^^
              = help: write `<=`
        "#]],
    );
}

#[test]
fn arrow_for_greater_or_equal() {
    check_predicate(
        "x => 3",
        expect![[r#"
            error[predicate-expected]: `=>` joins predicates, but these are expressions
              --> M.mch:9:3
            9 |   x => 3
              |   ^^^^^^
              = help: write `>=` for greater or equal
        "#]],
    );
}

#[test]
fn arrow_for_implication() {
    check_predicate(
        "x > 0 -> y > 0",
        expect![[r#"
            error[chained-relation]: relations cannot be chained
              --> M.mch:9:14
            9 |   x > 0 -> y > 0
              |              ^
              |   ---------- this is a predicate already
              = help: an implication is written `=>`
        "#]],
    );
}

#[test]
fn negation_without_parentheses() {
    check_predicate(
        "not x = y",
        expect![[r#"
            error[missing-parentheses]: `not` needs parentheses around a predicate
              --> M.mch:9:7
            9 |   not x = y
              |       ^
              |   --- needed by this
              = help: write `not(x = y)`
        "#]],
    );
}

#[test]
fn negation_of_c() {
    check_predicate(
        "!(x = y)",
        expect![[r#"
            error[foreign-operator]: a negation is written `not` in B, not `!`
              --> M.mch:9:3
            9 |   !(x = y)
              |   ^
              = help: write `not(P)`; `!x.(P)` is for all `x`
        "#]],
    );
}

#[test]
fn chained_comparison() {
    check_predicate(
        "0 <= x <= 3",
        expect![[r#"
            error[chained-relation]: relations cannot be chained
              --> M.mch:9:10
            9 |   0 <= x <= 3
              |          ^^
              |   ------ this is a predicate already
              = help: write `0 <= x & x <= 3`
        "#]],
    );
}

#[test]
fn equality_of_predicates() {
    check_predicate(
        "flag = (x > 0)",
        expect![[r#"
            error[expression-expected]: an expression is needed here, but this is a predicate
              --> M.mch:9:10
            9 |   flag = (x > 0)
              |          ^^^^^^^
              = help: a predicate has no value; write `bool(x > 0)` for TRUE or FALSE
        "#]],
    );
}

#[test]
fn equality_with_an_unprotected_comparison() {
    check_predicate(
        "flag = x > 0",
        expect![[r#"
            error[chained-relation]: relations cannot be chained
              --> M.mch:9:12
            9 |   flag = x > 0
              |            ^
              |   -------- this is a predicate already
              = help: write `flag = bool(x > 0)`
        "#]],
    );
}

#[test]
fn bool_variable_as_a_predicate() {
    check_predicate(
        "flag & x > 0",
        expect![[r#"
            error[predicate-expected]: `flag` is an expression of type BOOL, but a predicate is needed here
              --> M.mch:9:3
            9 |   flag & x > 0
              |   ^^^^
              = help: write `flag = TRUE`
        "#]],
    );
}

#[test]
fn true_as_a_predicate() {
    check_predicate(
        "TRUE",
        expect![[r#"
            error[predicate-expected]: a predicate is needed here, but this is an expression
              --> M.mch:9:3
            9 |   TRUE
              |   ^^^^
              = help: write `btrue` for the predicate that always holds
        "#]],
    );
}

#[test]
fn btrue_as_a_value() {
    check_predicate(
        "flag = bfalse",
        expect![[r#"
            error[expression-expected]: an expression is needed here, but this is a predicate
              --> M.mch:9:10
            9 |   flag = bfalse
              |          ^^^^^^
              = help: the values of BOOL are `TRUE` and `FALSE`
        "#]],
    );
}

#[test]
fn function_value_as_a_predicate() {
    check_predicate(
        "not(procs)",
        expect![[r#"
            error[predicate-expected]: `procs` is an expression of type POW(PROC), but a predicate is needed here
              --> M.mch:9:7
            9 |   not(procs)
              |       ^^^^^
              = help: say something about it, such as `procs /= {}`
        "#]],
    );
}

#[test]
fn forall_without_parentheses() {
    check_predicate(
        "!p. p : procs => p : dom(load)",
        expect![[r#"
            error[missing-parentheses]: `!` needs parentheses around its predicate
              --> M.mch:9:7
            9 |   !p. p : procs => p : dom(load)
              |       ^
              |   - needed by this
              = help: write `!p.(p : procs => p : dom(load))`
        "#]],
    );
}

#[test]
fn forall_without_a_dot() {
    check_predicate(
        "!p (p : procs => p : dom(load))",
        expect![[r#"
            error[missing-dot]: expected `.` after the variables of `!`, found `(`
              --> M.mch:9:6
            9 |   !p (p : procs => p : dom(load))
              |      ^
              = help: write `!x.(P)` or `!(x, y).(P)`
        "#]],
    );
}

#[test]
fn forall_with_a_range() {
    check_predicate(
        "!p : procs . (p : dom(load))",
        expect![[r#"
            error[missing-dot]: expected `.` after the variables of `!`, found `:`
              --> M.mch:9:6
            9 |   !p : procs . (p : dom(load))
              |      ^
              = help: the variables get their types inside: `!x.(x : S => P)`
        "#]],
    );
}

#[test]
fn forall_with_a_bar() {
    check_predicate(
        "!p.(p : procs | p : dom(load))",
        expect![[r#"
            error[unexpected-token]: the body of `!` is one predicate, without `|`
              --> M.mch:9:17
            9 |   !p.(p : procs | p : dom(load))
              |                 ^
              = help: write `!x.(P => Q)`
        "#]],
    );
}

#[test]
fn exists_in_words() {
    check_predicate(
        "exists p.(p : procs)",
        expect![[r#"
            error[foreign-operator]: `exists` is written `#` in B
              --> M.mch:9:3
            9 |   exists p.(p : procs)
              |   ^^^^^^
              = help: write `#x.(P)`
        "#]],
    );
}

#[test]
fn lambda_without_a_bar() {
    check_predicate(
        "%k.(k : 1..3) = {}",
        expect![[r#"
            error[missing-bar]: expected `|` and an expression, found `)`
              --> M.mch:9:15
            9 |   %k.(k : 1..3) = {}
              |               ^
              = help: write `%(x).(P | E)`: a predicate, a bar, an expression
        "#]],
    );
}

#[test]
fn comprehension_with_a_range() {
    check_predicate(
        "{k : 1..3 | k > x} = {}",
        expect![[r#"
            error[bad-bound-variable]: before `|` there must be variables with commas between
              --> M.mch:9:4
            9 |   {k : 1..3 | k > x} = {}
              |    ^^^^^^^^
              = help: write `{k | k : 1..3 & ...}`
        "#]],
    );
}

#[test]
fn comprehension_of_an_expression() {
    check_predicate(
        "{k * k | k : 1..3} = {}",
        expect![[r#"
            error[bad-bound-variable]: before `|` there must be variables with commas between
              --> M.mch:9:4
            9 |   {k * k | k : 1..3} = {}
              |    ^^^^^
              = help: write `{x · P | k * k}` for all values of `k * k`
        "#]],
    );
}

#[test]
fn comprehension_with_two_bars() {
    check_predicate(
        "{k | k : 1..3 | k * k} = {}",
        expect![[r#"
            error[second-bar]: a set comprehension has one `|`
              --> M.mch:9:17
            9 |   {k | k : 1..3 | k * k} = {}
              |                 ^
              = help: write `{x · P | E}` for the set of all `E`
        "#]],
    );
}

#[test]
fn parenthesis_is_never_closed() {
    check_predicate(
        "(x + y * 2 = 4 & y > 0",
        expect![[r#"
            error[unclosed-bracket]: this `(` is never closed
               --> M.mch:9:3
             9 |   (x + y * 2 = 4 & y > 0
               |   ^
            10 | INITIALISATION
               | -------------- noticed here, at `INITIALISATION`
               = help: write the missing `)`
        "#]],
    );
}

#[test]
fn parenthesis_closed_twice() {
    check_predicate(
        "(x + y)) = 4 & y > 0",
        expect![[r#"
            error[unmatched-bracket]: nothing was opened that `)` could close
              --> M.mch:9:10
            9 |   (x + y)) = 4 & y > 0
              |          ^
              = help: remove it, or write its partner
        "#]],
    );
}

#[test]
fn brace_closed_by_a_bracket() {
    check_predicate(
        "x : {1, 2] & y > 0",
        expect![[r#"
            error[mismatched-bracket]: this `{` is closed by `]`
              --> M.mch:9:12
            9 |   x : {1, 2] & y > 0
              |            ^
              |       - opened here
              = help: write `}`
        "#]],
    );
}

#[test]
fn square_brackets_for_application() {
    check_predicate(
        "!p.(p : procs => load[p] = 3)",
        expect![[r#"
            error[type-mismatch]: `p` is PROC, but `load[...]` needs a set of elements that `load` relates: POW(PROC)
              --> M.mch:9:25
            9 |   !p.(p : procs => load[p] = 3)
              |                         ^ this is PROC
              |       --------- `p` is PROC because of this
              = help: the set that holds only `p` is `{p}`
              = help: the value of a function at `p` is written `load(p)`
        "#]],
    );
}

#[test]
fn operand_is_missing() {
    check_predicate(
        "x + = y",
        expect![[r#"
            error[missing-operand]: the right side of `+` is missing
              --> M.mch:9:5
            9 |   x + = y
              |     ^
              = help: write what is missing, or remove the operator
        "#]],
    );
}

#[test]
fn comma_for_conjunction() {
    check_predicate(
        "x > 0, y > 0",
        expect![[r#"
            error[wrong-separator]: the `INVARIANT` clause is one predicate, without `,`
              --> M.mch:9:8
            9 |   x > 0, y > 0
              |        ^
              = help: join predicates with `&`
        "#]],
    );
}

#[test]
fn minus_touching_less() {
    check_predicate(
        "x <-1",
        expect![[r#"
            error[predicate-expected]: a predicate is needed here, but this is an expression
              --> M.mch:9:3
            9 |   x <-1
              |   ^^^^^
              = help: `<-` appends to a sequence; write `< -` to compare
        "#]],
    );
}

#[test]
fn if_without_else() {
    check_predicate(
        "x = IF y > 0 THEN 1 END",
        expect![[r#"
            error[missing-else]: an `IF` inside a formula needs an `ELSE`
              --> M.mch:9:23
            9 |   x = IF y > 0 THEN 1 END
              |                       ^^^
              |       -- the `IF`
              = help: say what it is when no condition holds
        "#]],
    );
}

#[test]
fn if_as_a_question_mark() {
    check_predicate(
        "x = (y > 0 ? 1 : 2)",
        expect![[r#"
            error[unexpected-character]: `?` has no meaning in B
              --> M.mch:9:14
            9 |   x = (y > 0 ? 1 : 2)
              |              ^
              = help: a choice between values is written `IF P THEN E ELSE F END`
        "#]],
    );
}

#[test]
fn max_of_two_arguments() {
    check_predicate(
        "x = max(y, 3)",
        expect![[r#"
            error[wrong-number-of-arguments]: `max` takes one argument, but 2 are given
              --> M.mch:9:7
            9 |   x = max(y, 3)
              |       ^^^
              = help: write `max({a, b})`
        "#]],
    );
}

#[test]
fn card_without_parentheses() {
    check_predicate(
        "x = card procs",
        expect![[r#"
            error[missing-parentheses]: expected `(` after `card`, found `procs`
              --> M.mch:9:12
            9 |   x = card procs
              |            ^^^^^
              |       ---- applied here
              = help: write `card(procs)`
        "#]],
    );
}

#[test]
fn bars_for_the_size() {
    check_predicate(
        "|procs| = 3",
        expect![[r#"
            error[unexpected-token]: expected a predicate or an expression, found `|`
              --> M.mch:9:3
            9 |   |procs| = 3
              |   ^
              = help: the number of elements of a set is written `card(S)`
        "#]],
    );
}

#[test]
fn percent_for_modulo() {
    check_predicate(
        "x % 2 = 0",
        expect![[r#"
            error[foreign-operator]: the remainder of a division is written `mod` in B, not `%`
              --> M.mch:9:5
            9 |   x % 2 = 0
              |     ^
              = help: write `mod`
        "#]],
    );
}

#[test]
fn caret_for_power() {
    check_predicate(
        "x = 2 ^ 3",
        expect![[r#"
            error[type-mismatch]: `2` is INTEGER, but `^` joins sequences or strings; a power is written `**`
              --> M.mch:9:7
            9 |   x = 2 ^ 3
              |       ^ this is INTEGER
        "#]],
    );
}

#[test]
fn composition_outside_parentheses() {
    check_predicate(
        "load ; load~ = {}",
        expect![[r#"
            error[wrong-separator]: the `INVARIANT` clause is one predicate, without `;`
              --> M.mch:9:8
            9 |   load ; load~ = {}
              |        ^
              = help: put a composition in parentheses: `(f ; g)`
        "#]],
    );
}

#[test]
fn field_with_a_dot() {
    check_predicate(
        "point.east = 3",
        expect![[r#"
            error[unknown-identifier]: `point.east` is not declared
              --> M.mch:9:3
            9 |   point.east = 3
              |   ^^^^^^^^^^
              = help: a field of a record is written `point'east`
        "#]],
    );
}

#[test]
fn field_after_a_call() {
    check_predicate(
        "table(x, y).east = 3",
        expect![[r#"
            error[unexpected-token]: expected an operator, a clause or `END`, found `.`
              --> M.mch:9:14
            9 |   table(x, y).east = 3
              |              ^
              = help: a field of a record is written `r'f`
        "#]],
    );
}

#[test]
fn record_with_equals() {
    check_predicate(
        "point = rec(east = 1, north = 2)",
        expect![[r#"
            error[wrong-sign]: a field of a record is written with `:`, not `=`
              --> M.mch:9:20
            9 |   point = rec(east = 1, north = 2)
              |                    ^
              = help: write `:`

            error[wrong-sign]: a field of a record is written with `:`, not `=`
              --> M.mch:9:31
            9 |   point = rec(east = 1, north = 2)
              |                               ^
              = help: write `:`
        "#]],
    );
}

#[test]
fn not_a_subset() {
    check_predicate(
        "not procs <: PROC",
        expect![[r#"
            error[missing-parentheses]: `not` needs parentheses around a predicate
              --> M.mch:9:7
            9 |   not procs <: PROC
              |       ^^^^^
              |   --- needed by this
              = help: write `not(procs <: PROC)`
        "#]],
    );
}

#[test]
fn double_minus() {
    check_predicate(
        "x = --y",
        expect![[r#"
            error[double-minus]: a minus sign cannot follow a minus sign
              --> M.mch:9:8
            9 |   x = --y
              |        ^
              = help: write `-(-x)`
        "#]],
    );
}

#[test]
fn membership_in_words() {
    check_predicate(
        "x in NAT",
        expect![[r#"
            error[foreign-operator]: membership is written `:` in B, not `in`
              --> M.mch:9:5
            9 |   x in NAT
              |     ^^
              = help: write `:`
        "#]],
    );
}

#[test]
fn two_mistakes_in_one_predicate() {
    check_predicate(
        "x == 3 & card procs = 2 & y != 4",
        expect![[r#"
            error[foreign-operator]: equality is written `=` in B, not `==`
              --> M.mch:9:5
            9 |   x == 3 & card procs = 2 & y != 4
              |     ^^
              = help: write `=`

            error[missing-parentheses]: expected `(` after `card`, found `procs`
              --> M.mch:9:17
            9 |   x == 3 & card procs = 2 & y != 4
              |                 ^^^^^
              |            ---- applied here
              = help: write `card(procs)`

            error[foreign-operator]: inequality is written `/=` in B, not `!=`
              --> M.mch:9:31
            9 |   x == 3 & card procs = 2 & y != 4
              |                               ^^
              = help: write `/=`
        "#]],
    );
}
