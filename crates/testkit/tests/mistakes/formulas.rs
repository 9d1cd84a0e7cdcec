//! Predicates and expressions.

use expect_test::expect;

use super::check_predicate;

#[test]
fn double_equals() {
    check_predicate("x == y", expect![[r#"
        error[foreign-operator]: equality is written `=` in B, not `==`
          --> M.mch:9:5
        9 |   x == y
          |     ^^
          = help: write `=`
    "#]]);
}

#[test]
fn assignment_in_a_predicate() {
    check_predicate("x := y", expect![[r#"
        error[assignment-in-formula]: `:=` assigns; equality is written `=`
          --> M.mch:9:5
        9 |   x := y
          |     ^^
          = help: write `=`
    "#]]);
}

#[test]
fn and_of_c() {
    check_predicate("x > 0 && y > 0", expect![[r#"
        error[foreign-operator]: a conjunction is written `&` in B, not `&&`
          --> M.mch:9:9
        9 |   x > 0 && y > 0
          |         ^^
          = help: write `&`
    "#]]);
}

#[test]
fn or_of_c() {
    check_predicate("x > 0 || y > 0", expect![[r#"
        error[foreign-operator]: a disjunction is written `or` in B, not `||`
          --> M.mch:9:9
        9 |   x > 0 || y > 0
          |         ^^
          = help: write `or`
    "#]]);
}

#[test]
fn words_for_connectives() {
    check_predicate("x > 0 and y > 0", expect![[r#"
        error[foreign-operator]: a conjunction is written `&` in B, not `and`
          --> M.mch:9:9
        9 |   x > 0 and y > 0
          |         ^^^
          = help: write `&`
    "#]]);
}

#[test]
fn or_in_upper_case() {
    check_predicate("x > 0 OR y > 0", expect![[r#"
        error[foreign-operator]: a disjunction is written `or` in B, not `OR`
          --> M.mch:9:9
        9 |   x > 0 OR y > 0
          |         ^^
          = help: write `or`
    "#]]);
}

#[test]
fn not_equal_of_c() {
    check_predicate("x != y", expect![[r#"
        error[foreign-operator]: inequality is written `/=` in B, not `!=`
          --> M.mch:9:5
        9 |   x != y
          |     ^^
          = help: write `/=`
    "#]]);
}

#[test]
fn not_equal_of_pascal() {
    check_predicate("x <> y", expect![[r#"
        error[foreign-operator]: inequality is written `/=` in B, not `<>`
          --> M.mch:9:5
        9 |   x <> y
          |     ^^
          = help: write `/=`
    "#]]);
}

#[test]
fn less_or_equal_the_wrong_way_round() {
    check_predicate("x =< y", expect![[r#"
        error[foreign-operator]: this comparison is written `<=` in B
          --> M.mch:9:5
        9 |   x =< y
          |     ^^
          = help: write `<=`
    "#]]);
}

#[test]
fn arrow_for_greater_or_equal() {
    check_predicate("x => 3", expect![[r#"
        error[predicate-expected]: `x` is an expression of type INTEGER, but a predicate is needed here
          --> M.mch:9:3
        9 |   x => 3
          |   ^

        error[predicate-expected]: a predicate is needed here, but this is an expression
          --> M.mch:9:8
        9 |   x => 3
          |        ^
          = help: compare it with something; if it is a BOOL, write `3 = TRUE`

        error[predicate-expected]: `3` is an expression of type INTEGER, but a predicate is needed here
          --> M.mch:9:8
        9 |   x => 3
          |        ^
    "#]]);
}

#[test]
fn arrow_for_implication() {
    check_predicate("x > 0 -> y > 0", expect![[r#"
        error[type-mismatch]: `x` is INTEGER, but `0 -> y` is POW(INTEGER*INTEGER)
          --> M.mch:9:7
        7 |   x : INTEGER & y : INTEGER & procs <: PROC & flag : BOOL & load : PROC +-> INTEGER &
          |   ----------- `x` is INTEGER because of this
        ...
        9 |   x > 0 -> y > 0
          |       ^^^^^^ this is POW(INTEGER*INTEGER)
          |   - this is INTEGER

        error[type-mismatch]: `y` is INTEGER, but `->` needs a sequence: POW(INTEGER*INTEGER)
          --> M.mch:9:12
        7 |   x : INTEGER & y : INTEGER & procs <: PROC & flag : BOOL & load : PROC +-> INTEGER &
          |                 ----------- `y` is INTEGER because of this
        ...
        9 |   x > 0 -> y > 0
          |            ^ this is INTEGER

        error[chained-relation]: relations cannot be chained
          --> M.mch:9:14
        9 |   x > 0 -> y > 0
          |              ^
          |   ---------- this is a predicate already
          = help: write `a < b & b < c` instead of `a < b < c`, and `(a = b) <=> (c = d)` between predicates
    "#]]);
}

#[test]
fn negation_without_parentheses() {
    check_predicate("not x = y", expect![[r#"
        error[missing-parentheses]: `not` needs parentheses after it
          --> M.mch:9:7
        9 |   not x = y
          |       ^
          |   --- needed by this
          = help: write `not(P)`
    "#]]);
}

#[test]
fn negation_of_c() {
    check_predicate("!(x = y)", expect![[r#"
        error[unexpected-token]: expected `)` or an operator, found `=`
          --> M.mch:9:7
        9 |   !(x = y)
          |       ^
          |    - inside this `(`

        error[missing-dot]: expected `.` after the variables of `!`, found `INITIALISATION`
           --> M.mch:10:1
        10 | INITIALISATION
           | ^^^^^^^^^^^^^^
           = help: write `!x.(P)` or `!(x, y).(P)`
    "#]]);
}

#[test]
fn chained_comparison() {
    check_predicate("0 <= x <= 3", expect![[r#"
        error[chained-relation]: relations cannot be chained
          --> M.mch:9:10
        9 |   0 <= x <= 3
          |          ^^
          |   ------ this is a predicate already
          = help: write `a < b & b < c` instead of `a < b < c`, and `(a = b) <=> (c = d)` between predicates
    "#]]);
}

#[test]
fn equality_of_predicates() {
    check_predicate("flag = (x > 0)", expect![[r#"
        error[expression-expected]: an expression is needed here, but this is a predicate
          --> M.mch:9:10
        9 |   flag = (x > 0)
          |          ^^^^^^^
          = help: a predicate has no value; `bool(P)` turns it into TRUE or FALSE

        error[expression-expected]: `(x > 0)` is a predicate, but an expression is needed here
          --> M.mch:9:10
        9 |   flag = (x > 0)
          |          ^^^^^^^
          = help: `bool((x > 0))` is its truth value as a BOOL
    "#]]);
}

#[test]
fn equality_with_an_unprotected_comparison() {
    check_predicate("flag = x > 0", expect![[r#"
        error[type-mismatch]: `flag` is BOOL, but `x` is INTEGER
          --> M.mch:9:10
        7 |   x : INTEGER & y : INTEGER & procs <: PROC & flag : BOOL & load : PROC +-> INTEGER &
          |   ----------- `x` is INTEGER because of this
          |                                               ----------- `flag` is BOOL because of this
        ...
        9 |   flag = x > 0
          |          ^ this is INTEGER
          |   ---- this is BOOL

        error[chained-relation]: relations cannot be chained
          --> M.mch:9:12
        9 |   flag = x > 0
          |            ^
          |   -------- this is a predicate already
          = help: write `a < b & b < c` instead of `a < b < c`, and `(a = b) <=> (c = d)` between predicates
    "#]]);
}

#[test]
fn bool_variable_as_a_predicate() {
    check_predicate("flag & x > 0", expect![[r#"
        error[predicate-expected]: `flag` is an expression of type BOOL, but a predicate is needed here
          --> M.mch:9:3
        9 |   flag & x > 0
          |   ^^^^
          = help: write `flag = TRUE`
    "#]]);
}

#[test]
fn true_as_a_predicate() {
    check_predicate("TRUE", expect![[r#"
        error[predicate-expected]: a predicate is needed here, but this is an expression
          --> M.mch:9:3
        9 |   TRUE
          |   ^^^^
          = help: write `btrue` for the predicate that always holds

        error[predicate-expected]: `TRUE` is an expression of type BOOL, but a predicate is needed here
          --> M.mch:9:3
        9 |   TRUE
          |   ^^^^
          = help: write `TRUE = TRUE`
    "#]]);
}

#[test]
fn btrue_as_a_value() {
    check_predicate("flag = bfalse", expect![[r#"
        error[expression-expected]: an expression is needed here, but this is a predicate
          --> M.mch:9:10
        9 |   flag = bfalse
          |          ^^^^^^
          = help: a predicate has no value; `bool(P)` turns it into TRUE or FALSE

        error[expression-expected]: a predicate stands where an expression is needed
          --> M.mch:9:10
        9 |   flag = bfalse
          |          ^^^^^^
          = help: the values of BOOL are `TRUE` and `FALSE`
    "#]]);
}

#[test]
fn function_value_as_a_predicate() {
    check_predicate("not(procs)", expect![[r#"
        error[predicate-expected]: `procs` is an expression of type POW(PROC), but a predicate is needed here
          --> M.mch:9:7
        9 |   not(procs)
          |       ^^^^^
    "#]]);
}

#[test]
fn forall_without_parentheses() {
    check_predicate("!p. p : procs => p : dom(load)", expect![[r#"
        error[missing-parentheses]: `!` needs parentheses after the variables
          --> M.mch:9:7
        9 |   !p. p : procs => p : dom(load)
          |       ^
          |   - needed by this
          = help: write `!x.(P)`

        error[unknown-identifier]: `p` is not declared
          --> M.mch:9:20
        9 |   !p. p : procs => p : dom(load)
          |                    ^
    "#]]);
}

#[test]
fn forall_without_a_dot() {
    check_predicate("!p (p : procs => p : dom(load))", expect![[r#"
        error[missing-dot]: expected `.` after the variables of `!`, found `(`
          --> M.mch:9:6
        9 |   !p (p : procs => p : dom(load))
          |      ^
          = help: write `!x.(P)` or `!(x, y).(P)`
    "#]]);
}

#[test]
fn forall_with_a_range() {
    check_predicate("!p : procs . (p : dom(load))", expect![[r#"
        error[missing-dot]: expected `.` after the variables of `!`, found `:`
          --> M.mch:9:6
        9 |   !p : procs . (p : dom(load))
          |      ^
          = help: the variables get their types inside: `!x.(x : S => P)`
    "#]]);
}

#[test]
fn forall_with_a_bar() {
    check_predicate("!p.(p : procs | p : dom(load))", expect![[r#"
        error[unexpected-token]: expected `)` or an operator, found `|`
          --> M.mch:9:17
        9 |   !p.(p : procs | p : dom(load))
          |                 ^
          |      - inside this `(`
    "#]]);
}

#[test]
fn exists_in_words() {
    check_predicate("exists p.(p : procs)", expect![[r#"
        error[unknown-identifier]: `exists` is not declared
          --> M.mch:9:3
        9 |   exists p.(p : procs)
          |   ^^^^^^

        error[unexpected-token]: expected a clause or the `END` of the machine, found `p`
          --> M.mch:9:10
        9 |   exists p.(p : procs)
          |          ^
    "#]]);
}

#[test]
fn lambda_without_a_bar() {
    check_predicate("%k.(k : 1..3) = {}", expect![[r#"
        error[missing-bar]: expected `|` and an expression, found `)`
          --> M.mch:9:15
        9 |   %k.(k : 1..3) = {}
          |               ^
          = help: write `%(x).(P | E)`: a predicate, a bar, an expression
    "#]]);
}

#[test]
fn comprehension_with_a_range() {
    check_predicate("{k : 1..3 | k > x} = {}", expect![[r#"
        error[bad-bound-variable]: before `|` there must be variables with commas between
          --> M.mch:9:4
        9 |   {k : 1..3 | k > x} = {}
          |    ^^^^^^^^
          = help: write `{x | P}` for the `x` with `P`, or `{x · P | E}` for all values of `E`
    "#]]);
}

#[test]
fn comprehension_of_an_expression() {
    check_predicate("{k * k | k : 1..3} = {}", expect![[r#"
        error[bad-bound-variable]: before `|` there must be variables with commas between
          --> M.mch:9:4
        9 |   {k * k | k : 1..3} = {}
          |    ^^^^^
          = help: write `{x | P}` for the `x` with `P`, or `{x · P | E}` for all values of `E`
    "#]]);
}

#[test]
fn comprehension_with_two_bars() {
    check_predicate("{k | k : 1..3 | k * k} = {}", expect![[r#"
        error[second-bar]: a set comprehension has one `|`
          --> M.mch:9:17
        9 |   {k | k : 1..3 | k * k} = {}
          |                 ^
          = help: write `{x · P | E}` for the set of all `E`
    "#]]);
}

#[test]
fn parenthesis_is_never_closed() {
    check_predicate("(x + y * 2 = 4 & y > 0", expect![[r#"
        error[unclosed-bracket]: this `(` is never closed
           --> M.mch:9:3
         9 |   (x + y * 2 = 4 & y > 0
           |   ^
        10 | INITIALISATION
           | -------------- noticed here, at `INITIALISATION`
           = help: write the missing `)`
    "#]]);
}

#[test]
fn parenthesis_closed_twice() {
    check_predicate("(x + y)) = 4 & y > 0", expect![[r#"
        error[unknown-type]: the type of variable `procs` cannot be inferred: all that is known is POW(?)
          --> M.mch:5:17
        5 | VARIABLES x, y, procs, flag, load, name, point
          |                 ^^^^^
          = help: add a typing predicate such as `procs : S` to the INVARIANT

        error[unknown-type]: the type of variable `load` cannot be inferred: all that is known is POW(?)
          --> M.mch:5:30
        5 | VARIABLES x, y, procs, flag, load, name, point
          |                              ^^^^
          = help: add a typing predicate such as `load : S` to the INVARIANT

        error[expression-expected]: an expression is needed here, but this is a predicate
          --> M.mch:7:3
        7 |   x : INTEGER & y : INTEGER & procs <: PROC & flag : BOOL & load : PROC +-> INTEGER &
          |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
          = help: a predicate has no value; `bool(P)` turns it into TRUE or FALSE

        error[expression-expected]: `x : INTEGER & y : INTEGER & procs <: ...` is a predicate, but an expression is needed here
          --> M.mch:7:3
        7 |   x : INTEGER & y : INTEGER & procs <: PROC & flag : BOOL & load : PROC +-> INTEGER &
          |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
          = help: `bool(x : INTEGER & y : INTEGER & procs <: ...)` is its truth value as a BOOL

        error[predicate-expected]: a predicate is needed here, but this is an expression
          --> M.mch:9:3
        9 |   (x + y)) = 4 & y > 0
          |   ^^^^^^^
          = help: compare it with something; if it is a BOOL, write `(x + y) = TRUE`

        error[unmatched-bracket]: nothing was opened that `)` could close
          --> M.mch:9:10
        9 |   (x + y)) = 4 & y > 0
          |          ^
          = help: remove it, or write its partner
    "#]]);
}

#[test]
fn brace_closed_by_a_bracket() {
    check_predicate("x : {1, 2] & y > 0", expect![[r#"
        error[unexpected-token]: expected `}` or an operator, found `]`
          --> M.mch:9:12
        9 |   x : {1, 2] & y > 0
          |            ^
          |       - inside this `{`
          = help: nothing was opened that `]` could close
    "#]]);
}

#[test]
fn square_brackets_for_application() {
    check_predicate("load[red] = 3", expect![[r#"
        error[type-mismatch]: `red` is COLOUR, but the relation relates elements of another type: POW(PROC)
          --> M.mch:9:8
        9 |   load[red] = 3
          |        ^^^ this is COLOUR

        error[type-mismatch]: `load[red]` is POW(INTEGER), but `3` is INTEGER
          --> M.mch:9:15
        9 |   load[red] = 3
          |               ^ this is INTEGER
          |   --------- this is POW(INTEGER)
          = help: the set that holds only this element is `{3}`
    "#]]);
}

#[test]
fn operand_is_missing() {
    check_predicate("x + = y", expect![[r#"
        error[unexpected-token]: expected a predicate or an expression, found `=`
          --> M.mch:9:7
        9 |   x + = y
          |       ^
    "#]]);
}

#[test]
fn comma_for_conjunction() {
    check_predicate("x > 0, y > 0", expect![[r#"
        error[unexpected-token]: expected a clause or the `END` of the machine, found `,`
          --> M.mch:9:8
        9 |   x > 0, y > 0
          |        ^
    "#]]);
}

#[test]
fn minus_touching_less() {
    check_predicate("x <-1", expect![[r#"
        error[type-mismatch]: `x` is INTEGER, but `<-` needs a sequence: POW(INTEGER*INTEGER)
          --> M.mch:9:3
        7 |   x : INTEGER & y : INTEGER & procs <: PROC & flag : BOOL & load : PROC +-> INTEGER &
          |   ----------- `x` is INTEGER because of this
        ...
        9 |   x <-1
          |   ^ this is INTEGER

        error[predicate-expected]: a predicate is needed here, but this is an expression
          --> M.mch:9:3
        9 |   x <-1
          |   ^^^^^
          = help: `<-` appends to a sequence; write `< -` to compare

        error[predicate-expected]: `x <-1` is an expression of type POW(INTEGER*INTEGER), but a predicate is needed here
          --> M.mch:9:3
        9 |   x <-1
          |   ^^^^^
    "#]]);
}

#[test]
fn if_without_else() {
    check_predicate("x = IF y > 0 THEN 1 END", expect![[r#"
        error[missing-else]: an `IF` inside a formula needs an `ELSE`
          --> M.mch:9:23
        9 |   x = IF y > 0 THEN 1 END
          |                       ^^^
          |       -- the `IF`
          = help: say what it is when no condition holds

        error[text-after-end]: this `END` closes the machine, but more text follows
           --> M.mch:9:23
         9 |   x = IF y > 0 THEN 1 END
           |                       ^^^
        10 | INITIALISATION
           | -------------- the text that follows
           = help: remove an `END`, or the text after the last one
    "#]]);
}

#[test]
fn if_as_a_question_mark() {
    check_predicate("x = (y > 0 ? 1 : 2)", expect![[r#"
        error[expression-expected]: an expression is needed here, but this is a predicate
          --> M.mch:9:7
        9 |   x = (y > 0 ? 1 : 2)
          |       ^^^^^^^^^^^^^^^
          = help: a predicate has no value; `bool(P)` turns it into TRUE or FALSE

        error[expression-expected]: `(y > 0 ? 1 : 2)` is a predicate, but an expression is needed here
          --> M.mch:9:7
        9 |   x = (y > 0 ? 1 : 2)
          |       ^^^^^^^^^^^^^^^
          = help: `bool((y > 0 ? 1 : 2))` is its truth value as a BOOL

        error[unexpected-character]: `?` has no meaning in B
          --> M.mch:9:14
        9 |   x = (y > 0 ? 1 : 2)
          |              ^

        error[unexpected-token]: expected `)` or an operator, found `1`
          --> M.mch:9:16
        9 |   x = (y > 0 ? 1 : 2)
          |                ^
          |       - inside this `(`
    "#]]);
}

#[test]
fn max_of_two_arguments() {
    check_predicate("x = max(y, 3)", expect![[""]]);
}

#[test]
fn card_without_parentheses() {
    check_predicate("x = card procs", expect![[r#"
        error[missing-parentheses]: expected `(` after `card`, found `procs`
          --> M.mch:9:12
        9 |   x = card procs
          |            ^^^^^
          |       ---- applied here
          = help: `card` is a keyword; write its argument in parentheses, or choose another name
    "#]]);
}

#[test]
fn bars_for_the_size() {
    check_predicate("|procs| = 3", expect![[r#"
        error[unexpected-token]: expected a predicate or an expression, found `|`
          --> M.mch:9:3
        9 |   |procs| = 3
          |   ^
    "#]]);
}

#[test]
fn percent_for_modulo() {
    check_predicate("x % 2 = 0", expect![[r#"
        error[predicate-expected]: `x` is an expression of type INTEGER, but a predicate is needed here
          --> M.mch:9:3
        9 |   x % 2 = 0
          |   ^

        error[unexpected-token]: expected a clause or the `END` of the machine, found `%`
          --> M.mch:9:5
        9 |   x % 2 = 0
          |     ^
    "#]]);
}

#[test]
fn caret_for_power() {
    check_predicate("x = 2 ^ 3", expect![[r#"
        error[type-mismatch]: `2` is INTEGER, but a sequence is needed here: POW(INTEGER*?)
          --> M.mch:9:7
        9 |   x = 2 ^ 3
          |       ^ this is INTEGER
    "#]]);
}

#[test]
fn composition_outside_parentheses() {
    check_predicate("load ; load~ = {}", expect![[r#"
        error[predicate-expected]: `load` is an expression of type POW(PROC*INTEGER), but a predicate is needed here
          --> M.mch:9:3
        9 |   load ; load~ = {}
          |   ^^^^

        error[semicolon-in-predicate]: the `INVARIANT` clause is one predicate, without `;`
          --> M.mch:9:8
        9 |   load ; load~ = {}
          |        ^
          = help: join predicates with `&`
    "#]]);
}

#[test]
fn field_with_a_dot() {
    check_predicate("point.east = 3", expect![[r#"
        error[unknown-identifier]: `point.east` is not declared
          --> M.mch:9:3
        9 |   point.east = 3
          |   ^^^^^^^^^^
    "#]]);
}

#[test]
fn field_after_a_call() {
    check_predicate("load(red).east = 3", expect![[r#"
        error[predicate-expected]: `load(red)` is an expression of type INTEGER, but a predicate is needed here
          --> M.mch:9:3
        9 |   load(red).east = 3
          |   ^^^^^^^^^

        error[wrong-argument]: `load` takes an argument of type PROC, but is given COLOUR
          --> M.mch:9:8
        9 |   load(red).east = 3
          |        ^^^ this is COLOUR
          = note: the argument has type PROC

        error[unexpected-token]: expected a clause or the `END` of the machine, found `.`
          --> M.mch:9:12
        9 |   load(red).east = 3
          |            ^
          = help: a field of a record is written `r'f`
    "#]]);
}

#[test]
fn record_with_equals() {
    check_predicate("point = rec(east = 1, north = 2)", expect![[r#"
        error[unexpected-token]: expected `:` after the name of the field, found `=`
          --> M.mch:9:20
        9 |   point = rec(east = 1, north = 2)
          |                    ^
    "#]]);
}

#[test]
fn not_a_subset() {
    check_predicate("not procs <: PROC", expect![[r#"
        error[missing-parentheses]: `not` needs parentheses after it
          --> M.mch:9:7
        9 |   not procs <: PROC
          |       ^^^^^
          |   --- needed by this
          = help: write `not(P)`
    "#]]);
}

#[test]
fn double_minus() {
    check_predicate("x = --y", expect![[r#"
        error[double-minus]: a minus sign cannot follow a minus sign
          --> M.mch:9:8
        9 |   x = --y
          |        ^
          = help: write `-(-x)`
    "#]]);
}

#[test]
fn membership_in_words() {
    check_predicate("x in NAT", expect![[r#"
        error[predicate-expected]: `x` is an expression of type INTEGER, but a predicate is needed here
          --> M.mch:9:3
        9 |   x in NAT
          |   ^

        error[unexpected-token]: expected a clause or the `END` of the machine, found `in`
          --> M.mch:9:5
        9 |   x in NAT
          |     ^^
    "#]]);
}

#[test]
fn two_mistakes_in_one_predicate() {
    check_predicate("x == 3 & card procs = 2 & y != 4", expect![[r#"
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
          = help: `card` is a keyword; write its argument in parentheses, or choose another name

        error[foreign-operator]: inequality is written `/=` in B, not `!=`
          --> M.mch:9:31
        9 |   x == 3 & card procs = 2 & y != 4
          |                               ^^
          = help: write `/=`
    "#]]);
}
