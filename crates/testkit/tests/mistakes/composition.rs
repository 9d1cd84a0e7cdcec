//! Machines that refer to each other.

use expect_test::expect;

use super::{check, check_project};

const COUNTER: &str = "
    MACHINE Counter
    VARIABLES n
    INVARIANT n : NAT
    INITIALISATION n := 0
    OPERATIONS
      add(k) = PRE k : NAT THEN n := n + k END;
      r <-- read = r := n
    END
    ";

const COLOURS: &str = "
    MACHINE Colours
    SETS COLOUR = {red, green}
    END
    ";

#[test]
fn machine_that_does_not_exist() {
    check(
        "
        MACHINE M
        INCLUDES Conter
        END
        ",
        expect![[r#"
            error[missing-machine]: machine `Conter` not found
              --> M.mch:2:10
            2 | INCLUDES Conter
              |          ^^^^^^ no file `Conter.mch`, `.ref`, `.sys` or `.imp` in the current folder
              = help: other folders can be named with `--include DIR`
        "#]],
    );
}

#[test]
fn machine_with_a_similar_name() {
    check_project(
        &[
            (
                "M.mch",
                "
                MACHINE M
                SEES Conter
                INCLUDES Counter
                END
                ",
            ),
            ("Counter.mch", COUNTER),
        ],
        expect![[r#"
            error[missing-machine]: machine `Conter` not found
              --> M.mch:2:6
            2 | SEES Conter
              |      ^^^^^^ no file `Conter.mch`, `.ref`, `.sys` or `.imp` in the current folder
              = help: other folders can be named with `--include DIR`
        "#]],
    );
}

#[test]
fn machine_with_another_name_than_its_file() {
    check_project(
        &[
            (
                "M.mch",
                "
                MACHINE M
                SEES Palette
                END
                ",
            ),
            ("Palette.mch", COLOURS),
        ],
        expect![[r#"
            error[wrong-machine-name]: the file of machine `Palette` holds a machine named `Colours`
              --> Palette.mch:1:9
            1 | MACHINE Colours
              |         ^^^^^^^
              ::: M.mch:2:6
            2 | SEES Palette
              |      ------- referred to here
              = help: a machine that others refer to has the name of its file
        "#]],
    );
}

#[test]
fn machines_that_see_each_other() {
    check_project(
        &[
            ("M.mch", "MACHINE M\nSEES A\nEND"),
            ("A.mch", "MACHINE A\nSEES B\nEND"),
            ("B.mch", "MACHINE B\nSEES A\nEND"),
        ],
        expect![[r#"
            error[cyclic-machines]: machines refer to each other in a cycle: A -> B -> A
              --> B.mch:2:6
            2 | SEES A
              |      ^
              = help: move what both need into a third file
        "#]],
    );
}

#[test]
fn machine_that_includes_itself() {
    check(
        "
        MACHINE M
        INCLUDES M
        END
        ",
        expect![[r#"
            error[cyclic-machines]: machine `M` refers to itself
              --> M.mch:2:10
            2 | INCLUDES M
              |          ^
              = help: a machine sees its own names anyway; remove the reference
        "#]],
    );
}

#[test]
fn included_twice() {
    check_project(
        &[
            (
                "M.mch",
                "
                MACHINE M
                INCLUDES Counter, Counter
                END
                ",
            ),
            ("Counter.mch", COUNTER),
        ],
        expect![[r#"
            error[included-twice]: machine `Counter` is included twice under the same name
              --> M.mch:2:19
            2 | INCLUDES Counter, Counter
              |                   ^^^^^^^
              |          ------- first included here
              = help: give the copies different prefixes: `a.Counter, b.Counter`
        "#]],
    );
}

#[test]
fn name_in_two_included_machines() {
    check_project(
        &[
            (
                "M.mch",
                "
                MACHINE M
                INCLUDES Counter, Clock
                END
                ",
            ),
            ("Counter.mch", COUNTER),
            (
                "Clock.mch",
                "
                MACHINE Clock
                VARIABLES n
                INVARIANT n : 0..23
                INITIALISATION n := 0
                END
                ",
            ),
        ],
        expect![[r#"
            error[name-clash]: `n` is declared by two machines that `M` refers to
              --> M.mch:2:19
            2 | INCLUDES Counter, Clock
              |                   ^^^^^
              ::: Counter.mch:2:11
            2 | VARIABLES n
              |           - declared here
              ::: Clock.mch:2:11
            2 | VARIABLES n
              |           - and declared here
              = help: include one of them with a prefix: `a.M`
        "#]],
    );
}

#[test]
fn name_of_an_included_machine() {
    check_project(
        &[
            (
                "M.mch",
                "
                MACHINE M
                INCLUDES Counter
                VARIABLES n
                INVARIANT n : NAT
                INITIALISATION n := 0
                END
                ",
            ),
            ("Counter.mch", COUNTER),
        ],
        expect![[r#"
            error[name-clash]: `n` is already the name of a variable of another machine
              --> M.mch:3:11
            3 | VARIABLES n
              |           ^ declared again
              ::: Counter.mch:2:11
            2 | VARIABLES n
              |           - first declared here
              = help: choose another name, or include the other machine with a prefix: `a.M`
        "#]],
    );
}

#[test]
fn ambiguous_sees() {
    check_project(
        &[
            (
                "M.mch",
                "
                MACHINE M
                INCLUDES a.Counter, b.Counter, Watch
                END
                ",
            ),
            ("Counter.mch", COUNTER),
            (
                "Watch.mch",
                "
                MACHINE Watch
                SEES Counter
                END
                ",
            ),
        ],
        expect![[r#"
            error[ambiguous-seen]: machine `Counter` is seen, but it is included more than once: `a.Counter`, `b.Counter`
              --> Watch.mch:2:6
            2 | SEES Counter
              |      ^^^^^^^
              = help: name the copy that is meant, or include the machine only once
        "#]],
    );
}

#[test]
fn writing_an_included_variable() {
    check_project(
        &[
            (
                "M.mch",
                "
                MACHINE M
                INCLUDES Counter
                OPERATIONS
                  reset = n := 0
                END
                ",
            ),
            ("Counter.mch", COUNTER),
        ],
        expect![[r#"
            error[writes-included-variable]: `n` cannot be assigned: it is a variable of an included machine
              --> M.mch:4:11
            4 |   reset = n := 0
              |           ^
              ::: Counter.mch:2:11
            2 | VARIABLES n
              |           - declared here
              = help: call one of that machine's operations instead
        "#]],
    );
}

#[test]
fn writing_a_seen_variable() {
    check_project(
        &[
            (
                "M.mch",
                "
                MACHINE M
                SEES Counter
                OPERATIONS
                  reset = n := 0
                END
                ",
            ),
            ("Counter.mch", COUNTER),
        ],
        expect![[r#"
            error[writes-seen-variable]: `n` cannot be assigned: it is a variable of a machine that is only seen or used
              --> M.mch:4:11
            4 |   reset = n := 0
              |           ^
              ::: Counter.mch:2:11
            2 | VARIABLES n
              |           - declared here
              = help: include the machine and call one of its operations
        "#]],
    );
}

#[test]
fn prefix_is_forgotten() {
    check_project(
        &[
            (
                "M.mch",
                "
                MACHINE M
                INCLUDES a.Counter, b.Counter
                INVARIANT a.n <= b.n & n > 0
                OPERATIONS
                  go = add(1)
                END
                ",
            ),
            ("Counter.mch", COUNTER),
        ],
        expect![[r#"
            error[unknown-identifier]: `n` is not declared
              --> M.mch:3:24
            3 | INVARIANT a.n <= b.n & n > 0
              |                        ^
              = help: a similar name is visible: `a.n`

            error[unknown-operation]: there is no operation or definition `add` to call
              --> M.mch:5:8
            5 |   go = add(1)
              |        ^^^
              = help: a similar name exists: `a.add`
        "#]],
    );
}

#[test]
fn call_with_too_few_arguments() {
    check_project(
        &[
            (
                "M.mch",
                "
                MACHINE M
                INCLUDES Counter
                OPERATIONS
                  go = add
                END
                ",
            ),
            ("Counter.mch", COUNTER),
        ],
        expect![[r#"
            error[wrong-arity]: operation `add` takes one argument, but is given none
              --> M.mch:4:8
            4 |   go = add
              |        ^^^
              ::: Counter.mch:6:3
            6 |   add(k) = PRE k : NAT THEN n := n + k END;
              |   --- declared here
              = help: write `add(k)`
        "#]],
    );
}

#[test]
fn output_that_is_not_taken() {
    check_project(
        &[
            (
                "M.mch",
                "
                MACHINE M
                INCLUDES Counter
                OPERATIONS
                  look = read
                END
                ",
            ),
            ("Counter.mch", COUNTER),
        ],
        expect![[r#"
            error[wrong-arity]: operation `read` has one output, but none are taken
              --> M.mch:4:10
            4 |   look = read
              |          ^^^^
              ::: Counter.mch:7:9
            7 |   r <-- read = r := n
              |         ---- declared here
              = help: write `r <-- read` with variables of your own
        "#]],
    );
}

#[test]
fn output_of_an_operation_that_has_none() {
    check_project(
        &[
            (
                "M.mch",
                "
                MACHINE M
                INCLUDES Counter
                OPERATIONS
                  r <-- go = r <-- add(1)
                END
                ",
            ),
            ("Counter.mch", COUNTER),
        ],
        expect![[r#"
            error[wrong-arity]: operation `add` has no outputs, but one is taken
              --> M.mch:4:14
            4 |   r <-- go = r <-- add(1)
              |              ^^^^^^^^^^^^
              ::: Counter.mch:6:3
            6 |   add(k) = PRE k : NAT THEN n := n + k END;
              |   --- declared here
              = help: leave out what stands before the call and `<--`
        "#]],
    );
}

#[test]
fn promoted_operation_that_does_not_exist() {
    check_project(
        &[
            (
                "M.mch",
                "
                MACHINE M
                INCLUDES Counter
                PROMOTES ad, read
                END
                ",
            ),
            ("Counter.mch", COUNTER),
        ],
        expect![[r#"
            error[unknown-operation]: no included machine has an operation `ad` to promote
              --> M.mch:3:10
            3 | PROMOTES ad, read
              |          ^^
              = help: a similar name exists: `add`
        "#]],
    );
}

#[test]
fn promoted_without_its_prefix() {
    check_project(
        &[
            (
                "M.mch",
                "
                MACHINE M
                INCLUDES a.Counter
                PROMOTES add
                END
                ",
            ),
            ("Counter.mch", COUNTER),
        ],
        expect![[r#"
            error[unknown-operation]: no included machine has an operation `add` to promote
              --> M.mch:3:10
            3 | PROMOTES add
              |          ^^^
              = help: a similar name exists: `a.add`
        "#]],
    );
}

#[test]
fn promoted_from_a_seen_machine() {
    check_project(
        &[
            (
                "M.mch",
                "
                MACHINE M
                SEES Counter
                PROMOTES add
                END
                ",
            ),
            ("Counter.mch", COUNTER),
        ],
        expect![[r#"
            error[unknown-operation]: no included machine has an operation `add` to promote
              --> M.mch:3:10
            3 | PROMOTES add
              |          ^^^
              = help: its machine is only seen or used; operations are promoted from machines in INCLUDES
        "#]],
    );
}

#[test]
fn operation_of_a_machine_that_is_not_included() {
    check_project(
        &[
            (
                "M.mch",
                "
                MACHINE M
                OPERATIONS
                  go = add(1)
                END
                ",
            ),
            ("Counter.mch", COUNTER),
        ],
        expect![[r#"
            error[unknown-operation]: there is no operation or definition `add` to call
              --> M.mch:3:8
            3 |   go = add(1)
              |        ^^^
              = help: operations of other machines are callable after INCLUDES or EXTENDS
        "#]],
    );
}

#[test]
fn wrong_number_of_machine_parameters() {
    check_project(
        &[
            (
                "M.mch",
                "
                MACHINE M
                INCLUDES Buffer(3)
                END
                ",
            ),
            (
                "Buffer.mch",
                "
                MACHINE Buffer(ITEM, capacity)
                CONSTRAINTS capacity : NAT1
                VARIABLES items
                INVARIANT items : seq(ITEM) & size(items) <= capacity
                INITIALISATION items := []
                END
                ",
            ),
        ],
        expect![[r#"
            error[wrong-arity]: machine `Buffer` has 2 parameters, but is given one
              --> M.mch:2:10
            2 | INCLUDES Buffer(3)
              |          ^^^^^^^^^
              ::: Buffer.mch:1:9
            1 | MACHINE Buffer(ITEM, capacity)
              |         ------ declared here
              = help: write `Buffer(ITEM, capacity)`
        "#]],
    );
}

#[test]
fn machine_parameter_of_the_wrong_type() {
    check_project(
        &[
            (
                "M.mch",
                "
                MACHINE M
                INCLUDES Buffer(BOOL, TRUE)
                END
                ",
            ),
            (
                "Buffer.mch",
                "
                MACHINE Buffer(ITEM, capacity)
                CONSTRAINTS capacity : NAT1
                VARIABLES items
                INVARIANT items : seq(ITEM) & size(items) <= capacity
                INITIALISATION items := []
                END
                ",
            ),
        ],
        expect![[r#"
            error[type-mismatch]: `TRUE` is BOOL, but parameter `capacity` of `Buffer` is INTEGER
              --> M.mch:2:23
            2 | INCLUDES Buffer(BOOL, TRUE)
              |                       ^^^^ this is BOOL
              ::: Buffer.mch:1:22
            1 | MACHINE Buffer(ITEM, capacity)
              |                      -------- declared here
              = help: the values of BOOL are `TRUE` and `FALSE`, which are not numbers
        "#]],
    );
}

#[test]
fn seen_machine_with_arguments() {
    check_project(
        &[
            (
                "M.mch",
                "
                MACHINE M
                SEES Colours(3)
                END
                ",
            ),
            ("Colours.mch", COLOURS),
        ],
        expect![[r#"
            error[unexpected-arguments]: machines in `SEES` are named without arguments
              --> M.mch:2:6
            2 | SEES Colours(3)
              |      ^^^^^^^^^^
              = help: the machine gets its arguments where it is included or imported
        "#]],
    );
}

#[test]
fn abstract_variable_in_a_refinement() {
    check_project(
        &[
            (
                "R.ref",
                "
                REFINEMENT R
                REFINES Counter
                VARIABLES bits
                INVARIANT bits : seq(BOOL)
                INITIALISATION bits := []
                OPERATIONS
                  add(k) = PRE k : NAT THEN n := n + k END
                END
                ",
            ),
            ("Counter.mch", COUNTER),
        ],
        expect![[r#"
            error[abstract-variable]: `n` is a variable of the abstraction, which the refinement no longer has
              --> R.ref:7:34
            7 |   add(k) = PRE k : NAT THEN n := n + k END
              |                                  ^
              ::: Counter.mch:2:11
            2 | VARIABLES n
              |           - declared here
              = help: use the refinement's own variables, or keep `n` among its VARIABLES
        "#]],
    );
}

#[test]
fn refinement_of_an_implementation() {
    check_project(
        &[
            ("R.ref", "REFINEMENT R\nREFINES I\nEND"),
            ("I.imp", "IMPLEMENTATION I\nREFINES A\nEND"),
            ("A.mch", "MACHINE A\nEND"),
        ],
        expect![[r#"
            error[refines-implementation]: `I` is an implementation and cannot be refined
              --> R.ref:2:9
            2 | REFINES I
              |         ^
              = help: an implementation is the last step; refine what `I` refines
        "#]],
    );
}

#[test]
fn refined_operation_with_another_type() {
    check_project(
        &[
            (
                "R.ref",
                "
                REFINEMENT R
                REFINES Counter
                VARIABLES n
                INVARIANT n : NAT
                INITIALISATION n := 0
                OPERATIONS
                  add(k) = PRE k : BOOL THEN n := 0 END
                END
                ",
            ),
            ("Counter.mch", COUNTER),
        ],
        expect![[r#"
            error[type-mismatch]: `k` is INTEGER, but the elements of `BOOL` are BOOL
              --> R.ref:7:16
            7 |   add(k) = PRE k : BOOL THEN n := 0 END
              |                ^ this is INTEGER
              |                    ---- this is POW(BOOL)
              ::: Counter.mch:6:7
            6 |   add(k) = PRE k : NAT THEN n := n + k END;
              |       - `k` is INTEGER because of this
              = help: the values of BOOL are `TRUE` and `FALSE`, which are not numbers
        "#]],
    );
}

#[test]
fn mistake_in_an_included_machine() {
    check_project(
        &[
            (
                "M.mch",
                "
                MACHINE M
                INCLUDES Counter
                OPERATIONS
                  go = add(1)
                END
                ",
            ),
            (
                "Counter.mch",
                "
                MACHINE Counter
                VARIABLES n
                INVARIANT n : NAT
                INITIALISATION n := 0
                OPERATIONS
                  add(k) = PRE k : NAT n := n + k END
                END
                ",
            ),
        ],
        expect![[r#"
            error[missing-keyword]: expected `THEN`, found `n`
              --> Counter.mch:6:24
            6 |   add(k) = PRE k : NAT n := n + k END
              |                        ^
              |            --- this `PRE` needs its `THEN`
              = help: write `THEN` before the substitution
        "#]],
    );
}

#[test]
fn definition_file_in_place_of_a_machine() {
    check_project(
        &[("limits.def", "DEFINITIONS\n  SMALL == 0..3")],
        expect![[r#"
            error[not-a-machine]: `limits.def` holds definitions only, not a machine
        "#]],
    );
}

#[test]
fn local_operation_with_another_heading() {
    check(
        "
        MACHINE M
        VARIABLES x
        INVARIANT x : NAT
        INITIALISATION x := 0
        LOCAL_OPERATIONS put(n) = PRE n : NAT THEN x := n END
        OPERATIONS put = x := 1; go = put(1)
        END
        ",
        expect![[r#"
            error[wrong-arity]: operation `put` has another heading in LOCAL_OPERATIONS
              --> M.mch:6:12
            5 | LOCAL_OPERATIONS put(n) = PRE n : NAT THEN x := n END
              |                  --- specified here
            6 | OPERATIONS put = x := 1; go = put(1)
              |            ^^^
              = help: repeat the parameters and outputs of the specification
        "#]],
    );
}

#[test]
fn local_operation_that_is_realised_twice() {
    check(
        "
        MACHINE M
        LOCAL_OPERATIONS put = skip
        OPERATIONS put = skip; go = put; put = skip
        END
        ",
        expect![[r#"
            error[duplicate-name]: operation `put` is declared twice
              --> M.mch:3:34
            3 | OPERATIONS put = skip; go = put; put = skip
              |                                  ^^^ declared again
              |            --- first declared here
        "#]],
    );
}

#[test]
fn valued_set_is_no_set_of_integers() {
    check_project(
        &[
            (
                "I.imp",
                "
                IMPLEMENTATION I
                REFINES A
                VALUES n = 3; OBJ = 1..n; KIND = {0, 1}
                CONCRETE_VARIABLES f
                INVARIANT f : 1..3 --> BOOL & used = f~[{TRUE}]
                INITIALISATION f := (1..3) * {FALSE}
                END
                ",
            ),
            (
                "A.mch",
                "
                MACHINE A
                SETS OBJ; KIND
                CONSTANTS n
                PROPERTIES n : NAT
                VARIABLES used
                INVARIANT used <: OBJ
                INITIALISATION used := {}
                END
                ",
            ),
        ],
        expect![[r#"
            error[type-mismatch]: `used` is POW(OBJ), but `f~[{TRUE}]` is POW(INTEGER)
              --> I.imp:5:38
            5 | INVARIANT f : 1..3 --> BOOL & used = f~[{TRUE}]
              |                                      ^^^^^^^^^^ this is POW(INTEGER)
              |                               ---- this is POW(OBJ)
              ::: A.mch:6:11
            6 | INVARIANT used <: OBJ
              |           ----------- `used` is POW(OBJ) because of this
              = help: VALUES give `OBJ` its size only: as in ProB, its elements are no integers

            warning[set-value-ignored]: the value of the set `KIND` is not an interval with known bounds and is ignored
              --> I.imp:3:34
            3 | VALUES n = 3; OBJ = 1..n; KIND = {0, 1}
              |                                  ^^^^^^
              = note: VALUES give a set its size only: as in ProB, its elements are no integers
        "#]],
    );
}

#[test]
fn machine_of_a_library_that_is_not_here() {
    check(
        "
        MACHINE M
        SEES BASIC_IO
        END
        ",
        expect![[r#"
            error[missing-machine]: machine `BASIC_IO` not found
              --> M.mch:2:6
            2 | SEES BASIC_IO
              |      ^^^^^^^^ no file `BASIC_IO.mch`, `.ref`, `.sys` or `.imp` in the current folder
              = note: the library of Atelier B has machines of such names; as in ProB, it is not built in
              = help: other folders can be named with `--include DIR`
        "#]],
    );
}
