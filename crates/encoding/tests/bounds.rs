//! Bounds, gaps and the meaning of cells.

mod common;

use abridge_encoding::{Cause, CellId, Encoding, EncodingConfig, GapSubject, Initial, PropertyKind};
use abridge_eval::{Env, EvalConfig};
use abridge_explicit::judge;
use abridge_model::Model;
use abridge_testkit::Project;
use common::{constants_of, encode};

fn with_encoding<T>(text: &str, config: &EncodingConfig, look: impl FnOnce(&Model, Encoding) -> T) -> T {
    let model = Project::model_of(text);
    let interp = judge(&model, EvalConfig::default());
    let constants = constants_of(&interp).remove(0);
    let encoding = encode(&interp, &constants, config).unwrap_or_else(|gap| panic!("{}", gap.text(&model)));
    look(&model, encoding)
}

/// The cells of a machine as text, and its gaps.
fn cells_and_gaps(text: &str, config: &EncodingConfig) -> (Vec<String>, Vec<String>) {
    with_encoding(text, config, |model, encoding| {
        let cells = (0..encoding.cells.len() as u32).map(|cell| encoding.cells.text(model, CellId(cell))).collect();
        (cells, encoding.gaps.iter().map(|gap| gap.text(model)).collect())
    })
}

fn counter(typing: &str, initial: &str, operations: &str) -> String {
    format!(
        "MACHINE M CONSTANTS k PROPERTIES k = 6 VARIABLES x INVARIANT {typing} INITIALISATION x := {initial}
         OPERATIONS {operations} END"
    )
}

#[test]
fn the_invariant_bounds_what_stays_within_it() {
    let one_hot = EncodingConfig { max_one_hot: 128, ..EncodingConfig::default() };
    let within = counter("x : 0..2", "0", "up = SELECT x < 2 THEN x := x + 1 END");
    assert_eq!(cells_and_gaps(&within, &one_hot), (["x = 0", "x = 1", "x = 2"].map(str::to_owned).to_vec(), vec![]));
    let binary = ["x mod 2 >= 1", "x mod 4 >= 2"].map(str::to_owned).to_vec();
    assert_eq!(cells_and_gaps(&within, &EncodingConfig::default()), (binary, vec![]));
}

#[test]
fn constants_bound_what_guards_bound() {
    for (typing, guard) in [("x : NATURAL", "x < 5"), ("x : INTEGER", "x < k"), ("x : 0..1", "x < 5")] {
        let text = counter(typing, "0", &format!("up = SELECT {guard} THEN x := x + 1 END"));
        let (_, gaps) = cells_and_gaps(&text, &EncodingConfig::default());
        assert_eq!(gaps, Vec::<String>::new(), "{typing}, {guard}");
    }
    let text =
        counter("x : 1..3 +-> NATURAL", "{}", "put(i) = PRE i : 1..3 THEN x(i) := 7 END; clear = BEGIN x := {} END");
    assert_eq!(cells_and_gaps(&text, &EncodingConfig::default()).1, Vec::<String>::new());
}

#[test]
fn an_integer_that_grows_for_ever_is_a_gap() {
    let text = counter("x : NATURAL", "0", "up = BEGIN x := x + 1 END");
    let (cells, gaps) = cells_and_gaps(&text, &EncodingConfig::default());
    assert_eq!(cells, ["x"]);
    assert_eq!(gaps[0], "variable `x` has no exact circuit: an integer without proved bounds");
    assert!(gaps.contains(&"operation `up` has no exact circuit: it reads `x`".to_owned()), "{gaps:?}");
}

#[test]
fn a_drift_is_proved() {
    let drift = EncodingConfig { allows_drift: true, ..EncodingConfig::default() };
    let is_opaque = |operation: &str, initial: &str| {
        let text = counter("x : INTEGER", initial, operation);
        with_encoding(&text, &drift, |_, encoding| encoding.cells.input(CellId(0)).is_none())
    };
    for change in ["x + 1", "x - 64", "x + 64", "IF x > 3 THEN x - 64 ELSE x + 63 END"] {
        assert!(!is_opaque(&format!("go = BEGIN x := {change} END"), "0"), "{change}");
    }
    for change in ["x + 65", "x - 65", "x * 2", "549755813888", "IF x = 0 THEN 274877906944 ELSE x + 1 END", "-x"] {
        assert!(is_opaque(&format!("go = BEGIN x := {change} END; on = BEGIN x := x + 1 END"), "0"), "{change}");
    }
    // Drifts begin within half of the range.
    assert!(!is_opaque("go = BEGIN x := x + 1 END", "274877906944"));
    assert!(is_opaque("go = BEGIN x := x + 1 END", "274877906945"));
    assert!(is_opaque("go = BEGIN x := x + 1 END", "-9223372036854775809"));
    // It may be used, but is no exact form.
    let text = counter("x : INTEGER", "0", "go = BEGIN x := x + 1 END");
    with_encoding(&text, &drift, |_, encoding| {
        assert!(!encoding.is_exact());
        assert_eq!(encoding.gaps[0].cause, Cause::UnboundedInteger);
    });
}

#[test]
fn gaps_have_reasons() {
    let machine = |variable: &str, initial: &str, operation: &str| {
        format!(
            "MACHINE M VARIABLES v, n INVARIANT v : {variable} & n : 0..3 INITIALISATION v := {initial} || n := 0
             OPERATIONS go = {operation} END"
        )
    };
    let cases = [
        (machine("STRING", "\"a\"", "skip"), "variable `v` has no exact circuit: strings"),
        (machine("REAL", "1.0", "skip"), "variable `v` has no exact circuit: real numbers"),
        (
            machine("seq(BOOL)", "[]", "BEGIN v := v <- TRUE END"),
            "variable `v` has no exact circuit: a sequence, or a function of integers, without proved bounds",
        ),
        (
            machine("BOOL", "TRUE", "WHILE n < 3 DO n := n + 1 INVARIANT n : 0..3 VARIANT 3 - n END"),
            "operation `go` has no exact circuit: a loop",
        ),
    ];
    for (text, expected) in cases {
        let (_, gaps) = cells_and_gaps(&text, &EncodingConfig::default());
        assert!(gaps.iter().any(|gap| gap == expected), "{gaps:?}\n{text}");
    }
    let many = "MACHINE M VARIABLES n INVARIANT n : 0..3000 INITIALISATION n := 0
         OPERATIONS set(i) = PRE i : 0..3000 & i > n THEN n := i END END";
    let few = EncodingConfig { max_instances: 3, max_labels: 5000, ..EncodingConfig::default() };
    let model = Project::model_of(many);
    let interp = judge(&model, EvalConfig::default());
    let gap = encode(&interp, &constants_of(&interp).remove(0), &few).err().expect("there are many instances");
    assert!(gap.cause == Cause::ManyInstances && matches!(gap.subject, GapSubject::Operation(_)));
    // As a whole it is exact: the parameter is a choice.
    let whole = EncodingConfig { max_labels: 5, ..EncodingConfig::default() };
    with_encoding(many, &whole, |_, encoding| {
        assert!(encoding.instances.len() == 1 && encoding.instances[0].label.is_none());
        assert!(encoding.instances[0].choices.len() >= 12);
    });
}

#[test]
fn many_initial_states_are_a_circuit_and_few_without_one_a_list() {
    let many = "MACHINE M VARIABLES s, f INVARIANT s <: 1..20 & f : 1..10 --> 0..3
        INITIALISATION s :: POW(1..20) || f :: 1..10 --> 0..3 OPERATIONS go = skip END";
    with_encoding(many, &EncodingConfig::default(), |_, encoding| {
        assert!(matches!(encoding.initial, Initial::Circuit { .. }) && encoding.is_exact());
    });
    let looped = "MACHINE M VARIABLES n INVARIANT n : 0..3
        INITIALISATION BEGIN n := 0; WHILE n < 2 DO n := n + 1 INVARIANT n : 0..3 VARIANT 3 - n END END
        OPERATIONS go = SELECT n = 2 THEN n := 3 END END";
    with_encoding(looped, &EncodingConfig::default(), |model, mut encoding| {
        let Initial::List(states, Cause::Loop) = &encoding.initial else { panic!("the initial states are listed") };
        assert_eq!(states.len(), 1);
        assert_eq!(encoding.gaps[0].text(model), "the initialisation has no exact circuit: a loop");
        let relation = encoding.initial.relation(&encoding.cells, &mut encoding.blast).expect("a relation");
        let bits =
            |n: u32| encoding.blast.circuit.evaluate(&[relation], |input| n >> input_bit(&encoding, input) & 1 == 1)[0];
        assert_eq!((0..4).map(bits).collect::<Vec<_>>(), [false, false, true, false]);
    });
}

fn input_bit(encoding: &Encoding, input: abridge_blast::Lit) -> u32 {
    encoding.cells.of_input(input).expect("a cell").0
}

/// The text of a cell is a predicate that holds where the cell is true.
#[test]
fn cells_mean_what_their_text_says() {
    let variables = "x : -5..6 & y : 0..9 & s <: S & f : S +-> 0..2 & g : S --> BOOL & h : D +-> POW(D) & p : D * (0..3) & \
                     r : struct(a: BOOL, b: 0..2)";
    let initial = "x :: {-5, -1, 0, 3, 6} || y :: {0, 5, 9} || s :: {{}, {a, c}} || f :: {{}, {a |-> 2}, {b |-> 0, c |-> 1}} || \
                   g := {a |-> TRUE, b |-> FALSE, c |-> TRUE} || h :: {{}, {d |-> {e}}, {d |-> {}, e |-> {d, e}}} || \
                   p :: {d |-> 3, e |-> 0} || r :: {rec(a: TRUE, b: 2), rec(a: FALSE, b: 1)}";
    let machine = |assertions: &str| {
        format!(
            "MACHINE M SETS S = {{a, b, c}}; D = {{d, e}} VARIABLES x, y, s, f, g, h, p, r INVARIANT {variables} \
             ASSERTIONS {assertions} INITIALISATION {initial} OPERATIONS go = skip END"
        )
    };
    for config in common::configs() {
        let texts = cells_and_gaps(&machine("TRUE = TRUE"), &config).0;
        assert!(texts.len() > 20);
        // The texts are parsed as assertions, and evaluated in states whose cells are known.
        let model = Project::model_of(&machine(&texts.join("; ")));
        let interp = judge(&model, EvalConfig::default());
        let constants = constants_of(&interp).remove(0);
        let encoding = encode(&interp, &constants, &config).unwrap_or_else(|gap| panic!("{}", gap.text(&model)));
        let mut n_states = 0;
        interp.session().initialise(&constants, &mut |state| {
            let state = state.expect("an initial state");
            let bits = encoding.cells.encode(&state).expect("the state has cells");
            assert_eq!(encoding.cells.decode(&bits, &constants).as_ref(), Some(&state));
            for (cell, assertion) in model.assertions.iter().enumerate() {
                let holds = interp.session().pred(assertion.pred, &Env::new(&state)).expect("it is well-defined");
                assert_eq!(holds, bits.contains(cell), "{}", texts[cell]);
            }
            n_states += 1;
            std::ops::ControlFlow::Continue(())
        });
        assert!(n_states > 100);
    }
}

/// Sets of sets that share elements have no cells of their own; they are widened to their type or given up, never mistaken.
#[test]
fn a_bound_whose_literals_are_no_inputs_is_not_used() {
    let text = "MACHINE M SETS S = {a, b, c} VARIABLES s, t INVARIANT s : {{a, b}, {b, c}} & t : {{1, 2}, {2, 3}}
        INITIALISATION s := {a, b} || t := {1, 2}
        OPERATIONS swap = BEGIN s := IF s = {a, b} THEN {b, c} ELSE {a, b} END || t := IF t = {1, 2} THEN {2, 3} ELSE {1, 2} END END END";
    let (cells, gaps) = cells_and_gaps(text, &EncodingConfig::default());
    assert_eq!(cells, ["a : s", "b : s", "c : s", "t"]);
    assert_eq!(gaps[0], "variable `t` has no exact circuit: an integer without proved bounds");
    assert!(common::compare(text).states > 0);
}

/// A property that is nothing but bounds is proved with them, unless some bound is kept without proof.
#[test]
fn properties_follow_from_proved_bounds() {
    let proved = |text: &str, keeps_unproved| {
        let config = EncodingConfig { keeps_unproved, ..EncodingConfig::default() };
        with_encoding(text, &config, |_, encoding| encoding.proved())
    };
    let up = "up = SELECT x < 2 THEN x := x + 1 END";
    for keeps_unproved in [false, true] {
        assert_eq!(proved(&counter("x : 0..2", "0", up), keeps_unproved), [PropertyKind::Invariant(0)]);
        assert_eq!(proved(&counter("x : 0..2 & x /= 1", "0", up), keeps_unproved), [PropertyKind::Invariant(0)]);
        // One more floor than allowed, a start outside, and a step that nobody proves.
        for (initial, operations) in [
            ("0", "up = SELECT x < 3 THEN x := x + 1 END"),
            ("4", up),
            ("0", "any(n) = PRE n : NATURAL THEN x := n END"),
        ] {
            assert_eq!(proved(&counter("x : 0..2", initial, operations), keeps_unproved), []);
        }
    }
    let beside = "MACHINE M VARIABLES x, y INVARIANT x : 0..2 & y : INTEGER INITIALISATION x, y := 0, 1
        OPERATIONS up = SELECT x < 2 THEN x := x + 1 END; grow = BEGIN y := y + y END END";
    assert_eq!(proved(beside, true), []);
}
