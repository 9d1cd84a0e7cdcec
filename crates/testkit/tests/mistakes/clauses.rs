//! Clauses and the shape of a file.

use expect_test::expect;

use super::{check, check_project};

#[test]
fn end_of_the_machine_is_missing() {
    check(
        "
        MACHINE M
        VARIABLES x
        INVARIANT x : NAT
        INITIALISATION x := 0
        ",
        expect![[r#"
            error[missing-end]: the machine has no `END`
              --> M.mch:4:22
            1 | MACHINE M
              | ------- the machine starts here
            ...
            4 | INITIALISATION x := 0
              |                      ^
              = help: write `END` at the end of the file, or find the block above that lacks its `END`
        "#]],
    );
}

#[test]
fn end_of_an_operation_is_missing() {
    check(
        "
        MACHINE M
        VARIABLES x
        INVARIANT x : NAT
        INITIALISATION x := 0
        OPERATIONS
          up = PRE x < 3 THEN
            x := x + 1;
          down = PRE x > 0 THEN
            x := x - 1
          END
        END
        ",
        expect![[r#"
            error[missing-end]: expected the `END` of this `PRE`, found `;`
              --> M.mch:7:15
            6 |   up = PRE x < 3 THEN
              |        --- opened here
            7 |     x := x + 1;
              |               ^
              = help: another operation follows; write the `END` of the `PRE` before the `;`
        "#]],
    );
}

#[test]
fn end_of_the_last_operation_is_missing() {
    check(
        "
        MACHINE M
        VARIABLES x
        INVARIANT x : NAT
        INITIALISATION x := 0
        OPERATIONS
          up = PRE x < 3 THEN
            IF x = 2 THEN
              x := 0
            ELSE
              x := x + 1
          END
        END
        ",
        expect![[r#"
            error[missing-end]: the machine has no `END`
               --> M.mch:12:4
             1 | MACHINE M
               | ------- the machine starts here
            ...
            11 |   END
               |   --- this `END` closes the `IF`, but is indented less
            12 | END
               |    ^
               = help: look at this `IF`: perhaps its `END` is the missing one
        "#]],
    );
}

#[test]
fn one_end_too_many() {
    check(
        "
        MACHINE M
        VARIABLES x
        INVARIANT x : NAT
        INITIALISATION x := 0
        OPERATIONS
          up = x := x + 1 END;
          down = x := x - 1
        END
        ",
        expect![[r#"
            error[extra-end]: this `END` has no partner
              --> M.mch:6:19
            6 |   up = x := x + 1 END;
              |                   ^^^
              = help: remove it, or write the `BEGIN` that it should close
        "#]],
    );
}

#[test]
fn misspelt_clause() {
    check(
        "
        MACHINE M
        VARIABELS x
        INVARIANT x : NAT
        INITIALISATION x := 0
        END
        ",
        expect![[r#"
            error[unknown-clause]: there is no clause `VARIABELS`
              --> M.mch:2:1
            2 | VARIABELS x
              | ^^^^^^^^^
              = help: did you mean `VARIABLES`?
        "#]],
    );
}

#[test]
fn clause_in_lower_case() {
    check(
        "
        MACHINE M
        VARIABLES x
        invariant x : NAT
        INITIALISATION x := 0
        END
        ",
        expect![[r#"
            error[unknown-clause]: there is no clause `invariant`
              --> M.mch:3:1
            3 | invariant x : NAT
              | ^^^^^^^^^
              = help: did you mean `INVARIANT`?
        "#]],
    );
}

#[test]
fn clause_of_event_b() {
    check(
        "
        MACHINE M
        VARIABLES x
        INVARIANTS x : NAT
        INITIALISATION x := 0
        END
        ",
        expect![[r#"
            error[unknown-clause]: there is no clause `INVARIANTS`
              --> M.mch:3:1
            3 | INVARIANTS x : NAT
              | ^^^^^^^^^^
              = help: did you mean `INVARIANT`?
        "#]],
    );
}

#[test]
fn duplicate_clause() {
    check(
        "
        MACHINE M
        VARIABLES x
        VARIABLES y
        INVARIANT x : NAT & y : NAT
        INITIALISATION x := 0 || y := 0
        END
        ",
        expect![[r#"
            error[duplicate-clause]: there is a second `VARIABLES` clause
              --> M.mch:3:1
            2 | VARIABLES x
              | --------- the first one
            3 | VARIABLES y
              | ^^^^^^^^^
              = help: write all of it in one clause
        "#]],
    );
}

#[test]
fn clause_not_allowed_in_a_machine() {
    check(
        "
        MACHINE M
        CONSTANTS c
        PROPERTIES c : NAT
        VALUES c = 3
        END
        ",
        expect![[r#"
            error[clause-not-allowed]: the clause `VALUES` is not allowed in a machine
              --> M.mch:4:1
            4 | VALUES c = 3
              | ^^^^^^
              = help: only implementations give values; write an equation in `PROPERTIES`
        "#]],
    );
}

#[test]
fn refines_in_a_machine() {
    check_project(
        &[
            (
                "M.mch",
                "
                MACHINE M
                REFINES A
                END
                ",
            ),
            ("A.mch", "MACHINE A END"),
        ],
        expect![[r#"
            error[clause-not-allowed]: a machine cannot have a `REFINES` clause
              --> M.mch:2:1
            2 | REFINES A
              | ^^^^^^^
              = help: start the file with `REFINEMENT` or `IMPLEMENTATION`
        "#]],
    );
}

#[test]
fn refinement_of_nothing() {
    check(
        "
        REFINEMENT M
        VARIABLES x
        INVARIANT x : NAT
        INITIALISATION x := 0
        END
        ",
        expect![[r#"
            error[missing-clause]: a refinement or implementation must say what it refines
              --> M.mch:1:1
            1 | REFINEMENT M
              | ^^^^^^^^^^
              = help: write `REFINES` and the name of the refined machine after its name
        "#]],
    );
}

#[test]
fn variables_in_an_implementation() {
    check_project(
        &[
            (
                "M.imp",
                "
                IMPLEMENTATION M
                REFINES A
                VARIABLES x
                INVARIANT x : NAT
                INITIALISATION x := 0
                END
                ",
            ),
            ("A.mch", "MACHINE A END"),
        ],
        expect![[r#"
            error[clause-not-allowed]: the clause `VARIABLES` is not allowed in an implementation
              --> M.imp:3:1
            3 | VARIABLES x
              | ^^^^^^^^^
              = help: write `CONCRETE_VARIABLES`
        "#]],
    );
}

#[test]
fn missing_properties() {
    check(
        "
        MACHINE M
        CONSTANTS c
        END
        ",
        expect![[r#"
            error[missing-clause]: a machine with constants needs the clause `PROPERTIES`
              --> M.mch:2:1
            2 | CONSTANTS c
              | ^^^^^^^^^
              = help: say what values the names can have: `PROPERTIES c : ...`
        "#]],
    );
}

#[test]
fn missing_invariant() {
    check(
        "
        MACHINE M
        VARIABLES x
        INITIALISATION x := 0
        END
        ",
        expect![[r#"
            error[missing-clause]: a machine with variables needs the clause `INVARIANT`
              --> M.mch:2:1
            2 | VARIABLES x
              | ^^^^^^^^^
              = help: say what values the names can have: `INVARIANT x : ...`
        "#]],
    );
}

#[test]
fn missing_initialisation() {
    check(
        "
        MACHINE M
        VARIABLES x
        INVARIANT x : NAT
        END
        ",
        expect![[r#"
            error[missing-clause]: a machine with variables needs the clause `INITIALISATION`
              --> M.mch:2:1
            2 | VARIABLES x
              | ^^^^^^^^^
              = help: give every variable its first value: `INITIALISATION x := ...`
        "#]],
    );
}

#[test]
fn missing_constraints() {
    check(
        "
        MACHINE M(capacity)
        VARIABLES x
        INVARIANT x : 0..3
        INITIALISATION x := 0
        END
        ",
        expect![[r#"
            error[missing-clause]: a machine with a parameter that is not a set needs the clause `CONSTRAINTS`
              --> M.mch:1:11
            1 | MACHINE M(capacity)
              |           ^^^^^^^^
              = help: say what values the names can have: `CONSTRAINTS capacity : ...`
        "#]],
    );
}

#[test]
fn semicolon_after_the_last_operation() {
    check(
        "
        MACHINE M
        VARIABLES x
        INVARIANT x : NAT
        INITIALISATION x := 0
        OPERATIONS
          up = x := x + 1;
          down = x := x - 1;
        END
        ",
        expect![[r#"
            error[trailing-semicolon]: a `;` stands between operations, but none follows
              --> M.mch:7:20
            7 |   down = x := x - 1;
              |                    ^
              = help: remove the `;`
        "#]],
    );
}

#[test]
fn semicolon_between_operations_is_missing() {
    check(
        "
        MACHINE M
        VARIABLES x
        INVARIANT x : NAT
        INITIALISATION x := 0
        OPERATIONS
          up = BEGIN x := x + 1 END
          down = BEGIN x := x - 1 END
        END
        ",
        expect![[r#"
            error[missing-separator]: expected `;` between two operations
              --> M.mch:7:3
            7 |   down = BEGIN x := x - 1 END
              |   ^^^^
              = help: write `;` before it
        "#]],
    );
}

#[test]
fn semicolon_after_a_clause() {
    check(
        "
        MACHINE M
        VARIABLES x;
        INVARIANT x : NAT;
        INITIALISATION x := 0;
        END
        ",
        expect![[r#"
            error[trailing-semicolon]: a clause does not end with `;`
              --> M.mch:2:12
            2 | VARIABLES x;
              |            ^
              = help: remove the `;`

            error[trailing-semicolon]: a clause does not end with `;`
              --> M.mch:3:18
            3 | INVARIANT x : NAT;
              |                  ^
              = help: remove the `;`

            error[trailing-semicolon]: a `;` stands between substitutions, but none follows
              --> M.mch:4:22
            4 | INITIALISATION x := 0;
              |                      ^
              = help: remove the `;`
        "#]],
    );
}

#[test]
fn semicolon_between_variables() {
    check(
        "
        MACHINE M
        VARIABLES x; y
        INVARIANT x : NAT & y : NAT
        INITIALISATION x := 0 || y := 0
        END
        ",
        expect![[r#"
            error[wrong-separator]: names in this clause are separated by `,`, not `;`
              --> M.mch:2:12
            2 | VARIABLES x; y
              |            ^
              = help: write `,`
        "#]],
    );
}

#[test]
fn comma_between_sets() {
    check(
        "
        MACHINE M
        SETS S = {a, b}, T = {c, d}
        END
        ",
        expect![[r#"
            error[wrong-separator]: the entries of this clause are separated by `;`, not `,`
              --> M.mch:2:16
            2 | SETS S = {a, b}, T = {c, d}
              |                ^
              = help: write `;`
        "#]],
    );
}

#[test]
fn comma_is_missing_between_variables() {
    check(
        "
        MACHINE M
        VARIABLES x y
        INVARIANT x : NAT & y : NAT
        INITIALISATION x := 0 || y := 0
        END
        ",
        expect![[r#"
            error[missing-separator]: expected `,` between two names, found `y`
              --> M.mch:2:13
            2 | VARIABLES x y
              |             ^
              = help: write `,` before it
        "#]],
    );
}

#[test]
fn comma_at_the_end_of_variables() {
    check(
        "
        MACHINE M
        VARIABLES x, y,
        INVARIANT x : NAT & y : NAT
        INITIALISATION x := 0 || y := 0
        END
        ",
        expect![[r#"
            error[trailing-comma]: a `,` stands between names, but none follows
              --> M.mch:2:15
            2 | VARIABLES x, y,
              |               ^
              = help: remove the `,`
        "#]],
    );
}

#[test]
fn typed_declaration() {
    check(
        "
        MACHINE M
        VARIABLES x : NAT, y : NAT
        INVARIANT x < y
        INITIALISATION x := 0 || y := 1
        END
        ",
        expect![[r#"
            error[typed-declaration]: names are only listed here
              --> M.mch:2:13
            2 | VARIABLES x : NAT, y : NAT
              |             ^
              = help: say in the INVARIANT what values a name can have: `x : NAT`
        "#]],
    );
}

#[test]
fn ampersand_between_conjuncts_is_missing() {
    check(
        "
        MACHINE M
        VARIABLES x, y
        INVARIANT
          x : NAT
          y : NAT
        INITIALISATION x := 0 || y := 0
        END
        ",
        expect![[r#"
            error[missing-separator]: expected `&` between two predicates, found `y`
              --> M.mch:5:3
            5 |   y : NAT
              |   ^
              = help: write `&` before it
        "#]],
    );
}

#[test]
fn ampersand_at_the_end_of_the_invariant() {
    check(
        "
        MACHINE M
        VARIABLES x
        INVARIANT x : NAT &
        INITIALISATION x := 0
        END
        ",
        expect![[r#"
            error[missing-operand]: the right side of `&` is missing
              --> M.mch:3:19
            3 | INVARIANT x : NAT &
              |                   ^
              = help: write what is missing, or remove the operator
        "#]],
    );
}

#[test]
fn text_after_the_end() {
    check(
        "
        MACHINE M
        VARIABLES x
        INVARIANT x : NAT
        INITIALISATION x := 0
        END
        that is all
        ",
        expect![[r#"
            error[text-after-end]: this `END` closes the machine, but more text follows
              --> M.mch:5:1
            5 | END
              | ^^^
            6 | that is all
              | ---- the text that follows
              = help: remove the text after `END`
        "#]],
    );
}

#[test]
fn operations_after_the_end() {
    check(
        "
        MACHINE M
        VARIABLES x
        INVARIANT x : NAT
        INITIALISATION x := 0
        END
        OPERATIONS
          up = x := x + 1
        END
        ",
        expect![[r#"
            error[text-after-end]: this `END` closes the machine, but more text follows
              --> M.mch:5:1
            5 | END
              | ^^^
            6 | OPERATIONS
              | ---------- the text that follows
              = help: move the `END` behind the last clause
        "#]],
    );
}

#[test]
fn machine_keyword_is_missing() {
    check(
        "
        M
        VARIABLES x
        INVARIANT x : NAT
        INITIALISATION x := 0
        END
        ",
        expect![[r#"
            error[no-machine]: expected `MACHINE`, `REFINEMENT`, `IMPLEMENTATION` or `DEFINITIONS`, found `M`
              --> M.mch:1:1
            1 | M
              | ^
              = help: a B file starts with `MACHINE` and a name, after comments
        "#]],
    );
}

#[test]
fn machine_without_a_name() {
    check(
        "
        MACHINE
        VARIABLES x
        INVARIANT x : NAT
        INITIALISATION x := 0
        END
        ",
        expect![[r#"
            error[missing-name]: the name of the machine is missing
              --> M.mch:1:1
            1 | MACHINE
              | ^^^^^^^
              = help: write `MACHINE M`, where `M` is the name of the file
        "#]],
    );
}

#[test]
fn empty_file() {
    check(
        "",
        expect![[r#"
            error[no-machine]: this file holds no machine
              --> M.mch:1:1
            1 | 
              | ^
              = help: a B file starts with `MACHINE` and a name, after comments
        "#]],
    );
}

#[test]
fn enumerated_set_without_elements() {
    check(
        "
        MACHINE M
        SETS S = {}
        END
        ",
        expect![[r#"
            error[empty-set]: an enumerated set must have an element
              --> M.mch:2:10
            2 | SETS S = {}
              |          ^^
              = help: leave out `= {}` for a set whose elements are not named
        "#]],
    );
}

#[test]
fn enumerated_set_of_numbers() {
    check(
        "
        MACHINE M
        SETS S = {1, 2, 3}
        END
        ",
        expect![[r#"
            error[not-a-new-set]: SETS declares new sets; their elements are new names: `{a, b}`
              --> M.mch:2:10
            2 | SETS S = {1, 2, 3}
              |          ^
              = help: a set of known values is a constant with an equation in PROPERTIES, or a definition
        "#]],
    );
}

#[test]
fn set_as_an_interval() {
    check(
        "
        MACHINE M
        SETS S = 1..3
        END
        ",
        expect![[r#"
            error[not-a-new-set]: SETS declares new sets; their elements are new names: `{a, b}`
              --> M.mch:2:10
            2 | SETS S = 1..3
              |          ^
              = help: a set of known values is a constant with an equation in PROPERTIES, or a definition
        "#]],
    );
}

#[test]
fn initialisation_as_a_predicate() {
    check(
        "
        MACHINE M
        VARIABLES x, y
        INVARIANT x : NAT & y : NAT
        INITIALISATION x = 0 & y = 0
        END
        ",
        expect![[r#"
            error[comparison-as-substitution]: this is a comparison, but a substitution is needed here
              --> M.mch:4:18
            4 | INITIALISATION x = 0 & y = 0
              |                  ^
              = help: an assignment is written `:=`
        "#]],
    );
}

#[test]
fn operations_without_a_keyword() {
    check(
        "
        MACHINE M
        VARIABLES x
        INVARIANT x : NAT
        INITIALISATION x := 0

        up = PRE x < 3 THEN x := x + 1 END;
        down = PRE x > 0 THEN x := x - 1 END
        END
        ",
        expect![[r#"
            error[missing-keyword]: operations need the keyword `OPERATIONS` before them
              --> M.mch:6:1
            6 | up = PRE x < 3 THEN x := x + 1 END;
              | ^^
              = help: write `OPERATIONS` before the first one
        "#]],
    );
}

#[test]
fn empty_operations_clause() {
    check(
        "
        MACHINE M
        OPERATIONS
        END
        ",
        expect![[r#"
            error[unexpected-token]: expected an operation, found `END`
              --> M.mch:3:1
            3 | END
              | ^^^
              = help: leave out the clause, or write an operation: `name = skip`
        "#]],
    );
}

#[test]
fn keyword_as_a_variable() {
    check(
        "
        MACHINE M
        VARIABLES first, size
        INVARIANT first : NAT & size : NAT
        INITIALISATION first := 0 || size := 0
        END
        ",
        expect![[r#"
            error[keyword-as-name]: `first` is a keyword of B and cannot be a variable
              --> M.mch:2:11
            2 | VARIABLES first, size
              |           ^^^^^
              = help: choose another name, or write it in back quotes: `` `first` ``

            error[keyword-as-name]: `size` is a keyword of B and cannot be a variable
              --> M.mch:2:18
            2 | VARIABLES first, size
              |                  ^^^^
              = help: choose another name, or write it in back quotes: `` `size` ``
        "#]],
    );
}

#[test]
fn two_machines_in_one_file() {
    check(
        "
        MACHINE M
        END
        MACHINE N
        END
        ",
        expect![[r#"
            error[text-after-end]: this `END` closes the machine, but more text follows
              --> M.mch:2:1
            2 | END
              | ^^^
            3 | MACHINE N
              | ------- the text that follows
              = help: a file holds one machine; move the other one to its own file
        "#]],
    );
}

#[test]
fn refines_is_not_the_first_clause() {
    check_project(
        &[
            (
                "R.ref",
                "
                REFINEMENT R
                VARIABLES x
                REFINES A
                INVARIANT x : NAT
                INITIALISATION x := 0
                END
                ",
            ),
            ("A.mch", "MACHINE A END"),
        ],
        expect![[r#"
            error[clause-not-allowed]: `REFINES` comes directly after the name of the machine
              --> R.ref:3:1
            3 | REFINES A
              | ^^^^^^^
              = help: move it up, before the other clauses
        "#]],
    );
}

#[test]
fn independent_mistakes_are_all_reported() {
    check(
        "
        MACHINE M
        CONSTANTS limit
        PROPERTIES limit : NAT
        VARIABLES x, y
        INVARIANT
          x : NAT & y : BOOL &
          x < limt &
          y = 3
        INITIALISATION
          x := 0 || y := TRUE
        OPERATIONS
          up = PRE x < limit THEN x = x + 1 END;
          flip = y := bool(y == FALSE);
          set(v) = PRE v : NAT THEN limit := v END
        END
        ",
        expect![[r#"
            error[unknown-identifier]: `limt` is not declared
              --> M.mch:7:7
            7 |   x < limt &
              |       ^^^^
              = help: a similar name is visible: `limit`

            error[type-mismatch]: `y` is BOOL, but `3` is INTEGER
              --> M.mch:8:7
            6 |   x : NAT & y : BOOL &
              |             -------- `y` is BOOL because of this
            ...
            8 |   y = 3
              |       ^ this is INTEGER
              |   - this is BOOL
              = help: the values of BOOL are `TRUE` and `FALSE`, which are not numbers

            error[comparison-as-substitution]: this is a comparison, but a substitution is needed here
               --> M.mch:12:29
            12 |   up = PRE x < limit THEN x = x + 1 END;
               |                             ^
               = help: an assignment is written `:=`

            error[foreign-operator]: equality is written `=` in B, not `==`
               --> M.mch:13:22
            13 |   flip = y := bool(y == FALSE);
               |                      ^^
               = help: write `=`

            error[not-assignable]: `limit` cannot be assigned: it is a constant
               --> M.mch:14:29
             2 | CONSTANTS limit
               |           ----- declared here
            ...
            14 |   set(v) = PRE v : NAT THEN limit := v END
               |                             ^^^^^
               = help: declare it among the VARIABLES if it changes
        "#]],
    );
}
