//! Names: what is declared, where it is visible, what may be done with it.

use expect_test::expect;

use super::{check, check_body, check_predicate};

#[test]
fn unknown_identifier() {
    check_predicate(
        "x : INTEGER & x < limmit",
        expect![[r#"
            error[unknown-identifier]: `limmit` is not declared
              --> M.mch:9:21
            9 |   x : INTEGER & x < limmit
              |                     ^^^^^^
              = help: a similar name is visible: `limit`
        "#]],
    );
}

#[test]
fn unknown_identifier_in_another_case() {
    check_predicate(
        "procs <: Proc",
        expect![[r#"
            error[unknown-identifier]: `Proc` is not declared
              --> M.mch:9:12
            9 |   procs <: Proc
              |            ^^^^
              = help: a similar name is visible: `PROC`
        "#]],
    );
}

#[test]
fn unknown_identifier_without_a_likely_candidate() {
    check_predicate(
        "x < threshold",
        expect![[r#"
            error[unknown-identifier]: `threshold` is not declared
              --> M.mch:9:7
            9 |   x < threshold
              |       ^^^^^^^^^
        "#]],
    );
}

#[test]
fn unknown_identifier_used_often() {
    check_predicate(
        "count > 0 & count < 3 & count + x = 2",
        expect![[r#"
            error[unknown-identifier]: `count` is not declared
              --> M.mch:9:3
            9 |   count > 0 & count < 3 & count + x = 2
              |   ^^^^^
        "#]],
    );
}

#[test]
fn bound_variable_outside_its_quantifier() {
    check_predicate(
        "#k.(k : 1..3 & k > x) & k < 3",
        expect![[r#"
            error[unknown-identifier]: `k` is not declared
              --> M.mch:9:27
            9 |   #k.(k : 1..3 & k > x) & k < 3
              |                           ^
              |    - this `k` exists only inside its quantifier or substitution
        "#]],
    );
}

#[test]
fn parameter_in_the_invariant() {
    check(
        "
        MACHINE M
        VARIABLES x
        INVARIANT x : NAT & amount < 3
        INITIALISATION x := 0
        OPERATIONS
          add(amount) = PRE amount : NAT THEN x := x + amount END
        END
        ",
        expect![[r#"
            error[unknown-identifier]: `amount` is not declared
              --> M.mch:3:21
            3 | INVARIANT x : NAT & amount < 3
              |                     ^^^^^^
            ...
            6 |   add(amount) = PRE amount : NAT THEN x := x + amount END
              |       ------ this `amount` exists only in the operation `add`
        "#]],
    );
}

#[test]
fn variable_that_is_not_declared() {
    check_body(
        "z := 3",
        expect![[r#"
            error[unknown-identifier]: `z` is not declared
               --> M.mch:14:5
            14 |     z := 3
               |     ^
               = help: declare `z` among the VARIABLES
        "#]],
    );
}

#[test]
fn unknown_operation() {
    check_body(
        "stp(p)",
        expect![[r#"
            error[unknown-operation]: there is no operation or definition `stp` to call
               --> M.mch:14:5
            14 |     stp(p)
               |     ^^^
               = help: operations of other machines are callable after INCLUDES or EXTENDS
        "#]],
    );
}

#[test]
fn variable_called_like_an_operation() {
    check_body(
        "x",
        expect![[r#"
            error[unknown-operation]: there is no operation or definition `x` to call
               --> M.mch:14:5
            14 |     x
               |     ^
               = note: `x` is a value; an assignment is written `x := ...`
        "#]],
    );
}

#[test]
fn operation_used_as_a_value() {
    check(
        "
        MACHINE M
        VARIABLES x
        INVARIANT x : NAT
        INITIALISATION x := 0
        OPERATIONS
          r <-- read = r := x;
          twice = x := read + read
        END
        ",
        expect![[r#"
            error[unknown-identifier]: `read` is not declared
              --> M.mch:7:16
            7 |   twice = x := read + read
              |                ^^^^
              = note: `read` is an operation; operations are called as substitutions
              = help: call it with `v <-- read` and use the value of `v`
        "#]],
    );
}

#[test]
fn variable_declared_twice() {
    check(
        "
        MACHINE M
        VARIABLES x, y, x
        INVARIANT x : NAT & y : NAT
        INITIALISATION x := 0 || y := 0
        END
        ",
        expect![[r#"
            error[duplicate-name]: `x` is declared twice
              --> M.mch:2:17
            2 | VARIABLES x, y, x
              |                 ^ declared again
              |           - first declared here
        "#]],
    );
}

#[test]
fn constant_and_variable_of_one_name() {
    check(
        "
        MACHINE M
        CONSTANTS n
        PROPERTIES n = 3
        VARIABLES n
        INVARIANT n : NAT
        INITIALISATION n := 0
        END
        ",
        expect![[r#"
            error[duplicate-name]: `n` is declared twice
              --> M.mch:4:11
            2 | CONSTANTS n
              |           - first declared here
            ...
            4 | VARIABLES n
              |           ^ declared again
        "#]],
    );
}

#[test]
fn element_in_two_sets() {
    check(
        "
        MACHINE M
        SETS LIGHT = {red, green}; FRUIT = {apple, green}
        END
        ",
        expect![[r#"
            error[duplicate-name]: `green` is declared twice
              --> M.mch:2:44
            2 | SETS LIGHT = {red, green}; FRUIT = {apple, green}
              |                                            ^^^^^ declared again
              |                    ----- first declared here
        "#]],
    );
}

#[test]
fn operation_declared_twice() {
    check(
        "
        MACHINE M
        OPERATIONS
          go = skip;
          stop = skip;
          go = skip
        END
        ",
        expect![[r#"
            error[duplicate-name]: operation `go` is declared twice
              --> M.mch:5:3
            3 |   go = skip;
              |   -- first declared here
            ...
            5 |   go = skip
              |   ^^ declared again
        "#]],
    );
}

#[test]
fn parameter_declared_twice() {
    check(
        "
        MACHINE M
        OPERATIONS
          go(a, a) = PRE a : NAT THEN skip END
        END
        ",
        expect![[r#"
            error[duplicate-identifier]: `a` is declared twice in the heading of operation `go`
              --> M.mch:3:9
            3 |   go(a, a) = PRE a : NAT THEN skip END
              |         ^
              |      - first declared here
        "#]],
    );
}

#[test]
fn bound_variable_declared_twice() {
    check_predicate(
        "!(k, k).(k : 1..3 => k > 0)",
        expect![[r#"
            error[duplicate-identifier]: `k` is declared twice in one list
              --> M.mch:9:8
            9 |   !(k, k).(k : 1..3 => k > 0)
              |        ^
              |     - first declared here
        "#]],
    );
}

#[test]
fn assignment_to_a_constant() {
    check_body(
        "limit := 3",
        expect![[r#"
            error[not-assignable]: `limit` cannot be assigned: it is a constant
               --> M.mch:14:5
             3 | CONSTANTS limit, table
               |           ----- declared here
            ...
            14 |     limit := 3
               |     ^^^^^
               = help: declare it among the VARIABLES if it changes
        "#]],
    );
}

#[test]
fn assignment_to_a_parameter() {
    check_body(
        "p :: PROC",
        expect![[r#"
            error[not-assignable]: `p` cannot be assigned: it is a parameter of the operation
               --> M.mch:14:5
            13 |   step(p) = PRE p : PROC THEN
               |        - declared here
            14 |     p :: PROC
               |     ^
               = help: parameters are read only; assign a variable or an output
        "#]],
    );
}

#[test]
fn assignment_to_a_let_variable() {
    check_body(
        "LET k BE k = 3 IN k := 4 END",
        expect![[r#"
            error[not-assignable]: `k` cannot be assigned: it is bound by a quantifier, ANY or LET
               --> M.mch:14:23
            14 |     LET k BE k = 3 IN k := 4 END
               |                       ^
               |         - declared here
               = help: use VAR for local variables that change
        "#]],
    );
}

#[test]
fn assignment_to_a_set_element() {
    check_body(
        "red := green",
        expect![[r#"
            error[not-assignable]: `red` cannot be assigned: it is an element of a set
               --> M.mch:14:5
             2 | SETS PROC; COLOUR = {red, green}
               |                      --- declared here
            ...
            14 |     red := green
               |     ^^^
               = help: assign a variable
        "#]],
    );
}

#[test]
fn assignment_to_a_set() {
    check_body(
        "PROC := procs",
        expect![[r#"
            error[not-assignable]: `PROC` cannot be assigned: it is a set of the SETS clause
               --> M.mch:14:5
             2 | SETS PROC; COLOUR = {red, green}
               |      ---- declared here
            ...
            14 |     PROC := procs
               |     ^^^^
               = help: use a variable for a set that changes
        "#]],
    );
}

#[test]
fn variable_in_the_properties() {
    check(
        "
        MACHINE M
        CONSTANTS n
        PROPERTIES n : NAT & n > x
        VARIABLES x
        INVARIANT x : NAT
        INITIALISATION x := 0
        END
        ",
        expect![[r#"
            error[variable-not-visible]: variable `x` cannot be used here
              --> M.mch:3:26
            3 | PROPERTIES n : NAT & n > x
              |                          ^ PROPERTIES speak about constants only
            4 | VARIABLES x
              |           - declared here
              = help: say it in the INVARIANT
        "#]],
    );
}

#[test]
fn parameter_in_the_properties() {
    check(
        "
        MACHINE M(capacity)
        CONSTRAINTS capacity : NAT1
        CONSTANTS n
        PROPERTIES n : NAT & n < capacity
        END
        ",
        expect![[r#"
            error[parameter-not-visible]: parameter `capacity` cannot be used in PROPERTIES
              --> M.mch:4:26
            4 | PROPERTIES n : NAT & n < capacity
              |                          ^^^^^^^^
              = help: constants do not depend on parameters; relate the two in the INVARIANT
        "#]],
    );
}

#[test]
fn constant_in_the_constraints() {
    check(
        "
        MACHINE M(capacity)
        CONSTRAINTS capacity : NAT1 & capacity < n
        CONSTANTS n
        PROPERTIES n : NAT
        END
        ",
        expect![[r#"
            error[constant-not-visible]: constant `n` cannot be used in CONSTRAINTS, which speak about parameters only
              --> M.mch:2:42
            2 | CONSTRAINTS capacity : NAT1 & capacity < n
              |                                          ^
              = help: relate parameters and constants in the INVARIANT
        "#]],
    );
}

#[test]
fn before_value_in_an_assignment() {
    check_body(
        "x := x$0 + 1",
        expect![[r#"
            error[misplaced-before-value]: `x$0` has no meaning here
               --> M.mch:14:10
            14 |     x := x$0 + 1
               |          ^^^
               = note: `x$0`, the value before, is allowed in `x : (P)` and in the invariant of a WHILE loop
               = help: elsewhere `x` is the value before; leave out `$0`
        "#]],
    );
}

#[test]
fn before_value_in_the_invariant() {
    check_predicate(
        "x >= x$0",
        expect![[r#"
            error[misplaced-before-value]: `x$0` has no meaning here
              --> M.mch:9:8
            9 |   x >= x$0
              |        ^^^
              = note: `x$0`, the value before, is allowed in `x : (P)` and in the invariant of a WHILE loop
        "#]],
    );
}

#[test]
fn let_with_a_membership() {
    check_body(
        "LET k BE k : 1..3 IN x := k END",
        expect![[r#"
            error[let-not-an-equation]: LET needs one equation `x = E` for each of its identifiers
               --> M.mch:14:14
            14 |     LET k BE k : 1..3 IN x := k END
               |              ^^^^^^^^
               = help: use ANY for values that are only described by a predicate
        "#]],
    );
}

#[test]
fn let_that_leaves_a_name_out() {
    check_body(
        "LET k, m BE k = 3 IN x := k + m END",
        expect![[r#"
            error[let-without-value]: LET gives no value to `m`
               --> M.mch:14:12
            14 |     LET k, m BE k = 3 IN x := k + m END
               |            ^
               = help: add an equation `m = ...` after BE
        "#]],
    );
}

#[test]
fn let_that_uses_itself() {
    check_body(
        "LET k BE k = k + 1 IN x := k END",
        expect![[r#"
            error[let-uses-let]: the value of `k` mentions `k` itself
               --> M.mch:14:18
            14 |     LET k BE k = k + 1 IN x := k END
               |                  ^
               = help: choose another name if a `k` from outside is meant
        "#]],
    );
}

#[test]
fn let_whose_values_use_each_other() {
    check_body(
        "LET k, m BE k = 1 & m = k + 1 IN x := m END",
        expect![[r#"
            error[let-uses-let]: the value of `m` mentions `k`, which the same LET introduces
               --> M.mch:14:29
            14 |     LET k, m BE k = 1 & m = k + 1 IN x := m END
               |                             ^
               = help: put a LET for `m` inside a LET for `k`, or set the preference ALLOW_COMPLEX_LETS
        "#]],
    );
}

#[test]
fn variable_without_a_first_value() {
    check(
        "
        MACHINE M
        VARIABLES x, y
        INVARIANT x : NAT & y : NAT
        INITIALISATION x := 0
        END
        ",
        expect![[r#"
            warning[uninitialised]: INITIALISATION gives no value to variable `y`
              --> M.mch:2:14
            2 | VARIABLES x, y
              |              ^
              = help: add `y := ...` to INITIALISATION
        "#]],
    );
}

#[test]
fn call_of_an_operation_of_the_same_machine() {
    check(
        "
        MACHINE M
        VARIABLES x
        INVARIANT x : NAT
        INITIALISATION x := 0
        OPERATIONS
          up = x := x + 1;
          again = BEGIN up END
        END
        ",
        expect![[r#"
            error[local-call]: operation `up` of the same machine cannot be called
              --> M.mch:7:17
            6 |   up = x := x + 1;
              |   -- declared here
            7 |   again = BEGIN up END
              |                 ^^
              = help: share the body through a definition, or set the preference ALLOW_LOCAL_OPERATION_CALLS
        "#]],
    );
}
