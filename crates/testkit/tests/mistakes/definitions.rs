//! DEFINITIONS.

use expect_test::expect;

use super::{check, check_project};

#[test]
fn single_equals() {
    check(
        "
        MACHINE M
        DEFINITIONS
          double(k) = 2 * k;
          SMALL == 0..3
        VARIABLES x
        INVARIANT x : SMALL
        INITIALISATION x := double(0)
        END
        ",
        expect![[r#"
            error[wrong-sign]: a definition is written with `==`, not `=`
              --> M.mch:3:13
            3 |   double(k) = 2 * k;
              |             ^
              = help: write `==`
        "#]],
    );
}

#[test]
fn semicolon_is_missing() {
    check(
        "
        MACHINE M
        DEFINITIONS
          SMALL == 0..3
          LARGE == 4..9
        VARIABLES x
        INVARIANT x : SMALL \\/ LARGE
        INITIALISATION x := 0
        END
        ",
        expect![[r#"
            error[missing-separator]: expected `;` between two definitions
              --> M.mch:4:3
            4 |   LARGE == 4..9
              |   ^^^^^
              = help: write `;` before it
        "#]],
    );
}

#[test]
fn cycle() {
    check(
        "
        MACHINE M
        DEFINITIONS
          EVEN(k) == bool(k = 0 or ODD(k - 1) = TRUE);
          ODD(k) == bool(k /= 0 & EVEN(k - 1) = TRUE)
        VARIABLES x
        INVARIANT x : NAT & EVEN(x) = TRUE
        INITIALISATION x := 0
        END
        ",
        expect![[r#"
            error[cyclic-definition]: definitions use each other in a cycle: EVEN -> ODD -> EVEN
              --> M.mch:4:27
            4 |   ODD(k) == bool(k /= 0 & EVEN(k - 1) = TRUE)
              |                           ^^^^
              = help: definitions are expanded where they are used; a recursive function is a constant with an equation in PROPERTIES
        "#]],
    );
}

#[test]
fn recursive_definition() {
    check(
        "
        MACHINE M
        DEFINITIONS
          FACT(k) == IF k = 0 THEN 1 ELSE k * FACT(k - 1) END
        VARIABLES x
        INVARIANT x : NAT
        INITIALISATION x := FACT(3)
        END
        ",
        expect![[r#"
            error[cyclic-definition]: definition `FACT` uses itself
              --> M.mch:3:39
            3 |   FACT(k) == IF k = 0 THEN 1 ELSE k * FACT(k - 1) END
              |                                       ^^^^
              = help: definitions are expanded where they are used; a recursive function is a constant with an equation in PROPERTIES
        "#]],
    );
}

#[test]
fn wrong_number_of_arguments() {
    check(
        "
        MACHINE M
        DEFINITIONS
          between(k, low, high) == low <= k & k <= high
        VARIABLES x
        INVARIANT x : NAT & between(x, 3)
        INITIALISATION x := 0
        END
        ",
        expect![[r#"
            error[wrong-arity]: definition `between` takes 3 arguments, but is given 2
              --> M.mch:5:21
            3 |   between(k, low, high) == low <= k & k <= high
              |   ------- defined here
            ...
            5 | INVARIANT x : NAT & between(x, 3)
              |                     ^^^^^^^^^^^^^
              = help: write `between(k, low, high)`
        "#]],
    );
}

#[test]
fn arguments_are_missing() {
    check(
        "
        MACHINE M
        DEFINITIONS
          double(k) == 2 * k
        VARIABLES x
        INVARIANT x : NAT & x < double
        INITIALISATION x := 0
        END
        ",
        expect![[r#"
            error[wrong-arity]: definition `double` takes one argument, but is given none
              --> M.mch:5:25
            3 |   double(k) == 2 * k
              |   ------ defined here
            ...
            5 | INVARIANT x : NAT & x < double
              |                         ^^^^^^
              = help: write `double(k)`
        "#]],
    );
}

#[test]
fn defined_twice() {
    check(
        "
        MACHINE M
        DEFINITIONS
          SMALL == 0..3;
          SMALL == 0..4
        VARIABLES x
        INVARIANT x : SMALL
        INITIALISATION x := 0
        END
        ",
        expect![[r#"
            error[duplicate-definition]: `SMALL` is defined twice
              --> M.mch:4:3
            3 |   SMALL == 0..3;
              |   ----- first defined here
            4 |   SMALL == 0..4
              |   ^^^^^ defined again
              = help: remove one of them, or give it another name
        "#]],
    );
}

#[test]
fn definition_of_another_machine() {
    check_project(
        &[
            (
                "M.mch",
                "
                MACHINE M
                SEES Limits
                VARIABLES x
                INVARIANT x : SMALL
                INITIALISATION x := 0
                END
                ",
            ),
            (
                "Limits.mch",
                "
                MACHINE Limits
                DEFINITIONS
                  SMALL == 0..3
                END
                ",
            ),
        ],
        expect![[r#"
            error[unknown-identifier]: `SMALL` is not declared
              --> M.mch:4:15
            4 | INVARIANT x : SMALL
              |               ^^^^^
              ::: Limits.mch:3:3
            3 |   SMALL == 0..3
              |   ----- a definition of machine `Limits`, visible only there
              = help: put shared definitions into a file and import it: `DEFINITIONS "file.def"`
        "#]],
    );
}

#[test]
fn definition_as_a_bound_variable() {
    check(
        "
        MACHINE M
        DEFINITIONS
          k == 3
        VARIABLES x
        INVARIANT x : NAT & !k.(k : 0..x => k < 3)
        INITIALISATION x := 0
        END
        ",
        expect![[r#"
            error[definition-as-identifier]: `k` is a definition and cannot be used as a new name
              --> M.mch:5:22
            3 |   k == 3
              |   - defined here
            ...
            5 | INVARIANT x : NAT & !k.(k : 0..x => k < 3)
              |                      ^
              = help: choose another name for the bound variable
        "#]],
    );
}

#[test]
fn definition_as_a_variable() {
    check(
        "
        MACHINE M
        DEFINITIONS
          x == 3
        VARIABLES x
        INVARIANT x : NAT
        INITIALISATION x := 0
        END
        ",
        expect![[r#"
            error[not-assignable]: `x` cannot be assigned: it is a definition
              --> M.mch:6:16
            3 |   x == 3
              |   - defined here
            4 | VARIABLES x
              |           - the definition hides this variable
            ...
            6 | INITIALISATION x := 0
              |                ^
              = help: give the definition or the variable another name

            warning[definition-hides-name]: the definition `x` hides the declared `x`
              --> M.mch:3:3
            3 |   x == 3
              |   ^
            4 | VARIABLES x
              |           - declared here
              = help: give one of them another name
        "#]],
    );
}

#[test]
fn parameter_with_the_name_of_a_definition() {
    check(
        "
        MACHINE M
        DEFINITIONS
          SMALL == 0..3;
          inside(k, SMALL) == k : SMALL
        VARIABLES x
        INVARIANT x : NAT & inside(x, 0..4)
        INITIALISATION x := 0
        END
        ",
        expect![[r#"
            error[definition-parameter-clash]: parameter `SMALL` of `inside` is also the name of a definition
              --> M.mch:4:13
            3 |   SMALL == 0..3;
              |   ----- the definition
            4 |   inside(k, SMALL) == k : SMALL
              |             ^^^^^
              = help: rename the parameter
        "#]],
    );
}

#[test]
fn substitution_as_an_expression() {
    check(
        "
        MACHINE M
        DEFINITIONS
          reset == BEGIN x := 0 END
        VARIABLES x
        INVARIANT x : NAT & reset = 0
        INITIALISATION x := 0
        END
        ",
        expect![[r#"
            error[substitution-as-formula]: definition `reset` is a substitution, but a formula is needed here
              --> M.mch:5:21
            3 |   reset == BEGIN x := 0 END
              |   ----- defined here
            ...
            5 | INVARIANT x : NAT & reset = 0
              |                     ^^^^^
        "#]],
    );
}

#[test]
fn formula_as_a_substitution() {
    check(
        "
        MACHINE M
        DEFINITIONS
          is_zero == x = 0
        VARIABLES x
        INVARIANT x : NAT
        INITIALISATION is_zero
        END
        ",
        expect![[r#"
            error[formula-as-substitution]: definition `is_zero` is a formula, but a substitution is needed here
              --> M.mch:6:16
            3 |   is_zero == x = 0
              |              ----- its body
            ...
            6 | INITIALISATION is_zero
              |                ^^^^^^^
        "#]],
    );
}

#[test]
fn expression_as_a_predicate() {
    check(
        "
        MACHINE M
        DEFINITIONS
          double(k) == 2 * k
        VARIABLES x
        INVARIANT x : NAT & double(x)
        INITIALISATION x := 0
        END
        ",
        expect![[r#"
            error[predicate-expected]: `double(x)` is an expression of type INTEGER, but a predicate is needed here
              --> M.mch:5:21
            3 |   double(k) == 2 * k
              |   ------ defined here
            ...
            5 | INVARIANT x : NAT & double(x)
              |                     ^^^^^^^^^
              = help: compare it with something: `double(x) = ...`
        "#]],
    );
}

#[test]
fn predicate_as_an_expression() {
    check(
        "
        MACHINE M
        DEFINITIONS
          positive(k) == k > 0
        VARIABLES x
        INVARIANT x : NAT & positive(x) = TRUE
        INITIALISATION x := 0
        END
        ",
        expect![[r#"
            error[expression-expected]: `positive(x)` is a predicate, but an expression is needed here
              --> M.mch:5:21
            3 |   positive(k) == k > 0
              |   -------- defined here
            ...
            5 | INVARIANT x : NAT & positive(x) = TRUE
              |                     ^^^^^^^^^^^
              = help: `bool(positive(x))` is its truth value as a BOOL
        "#]],
    );
}

#[test]
fn parallel_substitutions_as_a_body() {
    check(
        "
        MACHINE M
        DEFINITIONS
          reset == x := 0 || y := 0
        VARIABLES x, y
        INVARIANT x : NAT & y : NAT
        INITIALISATION reset
        END
        ",
        expect![[r#"
            error[body-needs-begin]: the body of a definition is a single substitution
              --> M.mch:3:19
            3 |   reset == x := 0 || y := 0
              |                   ^^
              = help: put it between `BEGIN` and `END`
        "#]],
    );
}

#[test]
fn type_error_in_the_expansion() {
    check(
        "
        MACHINE M
        DEFINITIONS
          double(k) == 2 * k
        VARIABLES x
        INVARIANT x : BOOL & double(x) > 0
        INITIALISATION x := TRUE
        END
        ",
        expect![[r#"
            error[type-mismatch]: `2` is INTEGER, but `x` is BOOL
              --> M.mch:5:29
            3 |   double(k) == 2 * k
              |                - this is INTEGER
            ...
            5 | INVARIANT x : BOOL & double(x) > 0
              |                             ^ this is BOOL
              |           -------- `x` is BOOL because of this
              = help: the values of BOOL are `TRUE` and `FALSE`, which are not numbers
        "#]],
    );
}

#[test]
fn unknown_definition_file() {
    check(
        "
        MACHINE M
        DEFINITIONS \"LibraryString.def\"
        END
        ",
        expect![[r#"
            error[missing-file]: definition file `LibraryString.def` not found
              --> M.mch:2:13
            2 | DEFINITIONS "LibraryString.def"
              |             ^^^^^^^^^^^^^^^^^^^
              = help: a built-in library has a similar name: `LibraryStrings.def`
              = help: definition files are searched beside the importing file, then in the folders of `--include`, then among the built-in libraries
        "#]],
    );
}

#[test]
fn definition_file_with_a_mistake() {
    check_project(
        &[
            (
                "M.mch",
                "
                MACHINE M
                DEFINITIONS \"limits.def\"
                VARIABLES x
                INVARIANT x : SMALL
                INITIALISATION x := 0
                END
                ",
            ),
            (
                "limits.def",
                "
                DEFINITIONS
                  SMALL = 0..3
                ",
            ),
        ],
        expect![[r#"
            error[wrong-sign]: a definition is written with `==`, not `=`
              --> limits.def:2:9
            2 |   SMALL = 0..3
              |         ^
              = help: write `==`
        "#]],
    );
}

#[test]
fn definition_files_in_a_cycle() {
    check_project(
        &[
            ("M.mch", "MACHINE M DEFINITIONS \"a.def\" END"),
            ("a.def", "DEFINITIONS \"b.def\"; ONE == 1"),
            ("b.def", "DEFINITIONS \"a.def\"; TWO == 2"),
        ],
        expect![[r#"
            error[cyclic-import]: definition files import each other: a -> b -> a
              --> b.def:1:13
            1 | DEFINITIONS "a.def"; TWO == 2
              |             ^^^^^^^
              = help: move what both need into a third file
        "#]],
    );
}

#[test]
fn library_that_is_not_imported() {
    check(
        "
        MACHINE M
        VARIABLES text
        INVARIANT text : STRING
        INITIALISATION text := STRING_APPEND(\"a\", \"b\")
        END
        ",
        expect![[r#"
            error[unknown-identifier]: `STRING_APPEND` is not declared
              --> M.mch:4:24
            4 | INITIALISATION text := STRING_APPEND("a", "b")
              |                        ^^^^^^^^^^^^^
              = help: it is defined in a library: add `"LibraryStrings.def"` to the DEFINITIONS
        "#]],
    );
}
