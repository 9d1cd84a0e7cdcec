//! Preferences and sizes of sets.

use abridge_testkit::{Project, dedent};
use expect_test::{Expect, expect};

use super::check;

const MACHINE: &str = "
    MACHINE M
    SETS PROC; COLOUR = {red, green}
    END
    ";

fn check_options(preferences: &[(&str, &str)], set_sizes: &[(&str, u32)], expected: Expect) {
    let text = dedent(MACHINE);
    let mut project = Project::new(&[("M.mch", &text)]);
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    project.options.preferences = preferences.iter().map(owned).collect();
    project.options.set_sizes = set_sizes.iter().map(|(name, size)| ((*name).to_owned(), *size)).collect();
    expected.assert_eq(&project.diagnostics());
}

#[test]
fn unknown_preference() {
    check_options(
        &[("MAXIMT", "5")],
        &[],
        expect![[r#"
            warning[unknown-preference]: there is no preference `MAXIMT`
              = help: a similar one exists: `MAXINT`
        "#]],
    );
}

#[test]
fn preference_that_is_no_number() {
    check_options(
        &[("MAXINT", "many")],
        &[],
        expect![[r#"
            error[wrong-preference]: preference `MAXINT` needs an integer, not `many`
        "#]],
    );
}

#[test]
fn preference_in_a_definition() {
    check(
        "
        MACHINE M
        DEFINITIONS
          SET_PREF_MAXINT == \"5\";
          SET_PREF_DEFAULT_SETSIZE == 0;
          SET_PREF_TIMEOUT == 1000
        END
        ",
        expect![[r#"
            error[wrong-preference]: preference `DEFAULT_SETSIZE` needs a positive number, not `0`
              --> M.mch:4:3
            4 |   SET_PREF_DEFAULT_SETSIZE == 0;
              |   ^^^^^^^^^^^^^^^^^^^^^^^^

            warning[unknown-preference]: there is no preference `TIMEOUT`
              --> M.mch:5:3
            5 |   SET_PREF_TIMEOUT == 1000
              |   ^^^^^^^^^^^^^^^^
              = help: a similar one exists: `TIME_OUT`
        "#]],
    );
}

#[test]
fn size_of_an_unknown_set() {
    check_options(
        &[],
        &[("PRC", 3)],
        expect![[r#"
            error[wrong-set-size]: `--set-size` names `PRC`, but the machine has no such set
              = help: a similar deferred set exists: `PROC`
        "#]],
    );
}

#[test]
fn size_of_an_enumerated_set() {
    check_options(
        &[],
        &[("COLOUR", 3)],
        expect![[r#"
            error[wrong-set-size]: `--set-size` names `COLOUR`, but its elements are enumerated
        "#]],
    );
}

#[test]
fn size_that_is_too_large() {
    check_options(
        &[],
        &[("PROC", 4_000_000_000)],
        expect![[r#"
            error[wrong-set-size]: deferred set `PROC` cannot have 4000000000 elements
              --> M.mch:2:6
            2 | SETS PROC; COLOUR = {red, green}
              |      ^^^^
              = note: a deferred set has between 1 and 1000000 elements
        "#]],
    );
}

#[test]
fn goal_that_is_wrong() {
    check(
        "
        MACHINE M
        DEFINITIONS
          GOAL == x = red;
          ASSERT_LTL == x > 0;
          FORCE_SYMMETRY_T == TRUE
        SETS COLOUR = {red, green}
        VARIABLES x
        INVARIANT x : NAT
        INITIALISATION x := 0
        END
        ",
        expect![[r#"
            warning[type-mismatch]: `x` is INTEGER, but `red` is COLOUR
              --> M.mch:3:15
            3 |   GOAL == x = red;
              |               ^^^ this is COLOUR
              |           - this is INTEGER
            ...
            8 | INVARIANT x : NAT
              |           ------- `x` is INTEGER because of this
              = note: `GOAL` is ignored

            warning[wrong-steering]: `ASSERT_LTL` is not a string with a temporal formula
              --> M.mch:4:17
            4 |   ASSERT_LTL == x > 0;
              |                 ^^^^^

            warning[wrong-steering]: `FORCE_SYMMETRY_T` speaks of the set `T`, which does not exist
              --> M.mch:5:3
            5 |   FORCE_SYMMETRY_T == TRUE
              |   ^^^^^^^^^^^^^^^^
        "#]],
    );
}
