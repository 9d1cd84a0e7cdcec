//! Clauses and the shape of a file.

use expect_test::expect;

use super::check;

#[test]
fn end_of_the_machine_is_missing() {
    check(
        "
        MACHINE M
        VARIABLES x
        INVARIANT x : NAT
        INITIALISATION x := 0
        ",
        expect![[]],
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
        expect![[]],
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
        expect![[]],
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
        expect![[]],
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
        expect![[]],
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
        expect![[]],
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
        expect![[]],
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
        expect![[]],
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
        expect![[]],
    );
}

#[test]
fn refines_in_a_machine() {
    check(
        "
        MACHINE M
        REFINES A
        END
        ",
        expect![[]],
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
        expect![[]],
    );
}

#[test]
fn variables_in_an_implementation() {
    super::check_project(
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
        expect![[]],
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
        expect![[]],
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
        expect![[]],
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
        expect![[]],
    );
}

#[test]
fn missing_constraints() {
    check(
        "
        MACHINE M(size)
        VARIABLES x
        INVARIANT x : 0..3
        INITIALISATION x := 0
        END
        ",
        expect![[]],
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
        expect![[]],
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
        expect![[]],
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
        expect![[]],
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
        expect![[]],
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
        expect![[]],
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
        expect![[]],
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
        expect![[]],
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
        expect![[]],
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
        expect![[]],
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
        expect![[]],
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
        expect![[]],
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
        expect![[]],
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
        expect![[]],
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
        expect![[]],
    );
}

#[test]
fn empty_file() {
    check("", expect![[]]);
}

#[test]
fn enumerated_set_without_elements() {
    check(
        "
        MACHINE M
        SETS S = {}
        END
        ",
        expect![[]],
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
        expect![[]],
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
        expect![[]],
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
        expect![[]],
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
        expect![[]],
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
        expect![[]],
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
        expect![[]],
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
        expect![[]],
    );
}
