//! Evaluations that explode end with a limit, within a small budget of bytes and steps, and are never taken for ill-defined or for all there is.
//!
//! The budget of bytes has no measure behind it, so the tests depend neither on the clock nor on the computer.
//! `examples/explosions.rs` checks the same machines for time and memory.

use std::ops::ControlFlow;

use abridge_check::{Config, Control, Memory, Progress, Report, Verdict, check};
use abridge_eval::{Env, ErrorKind, State};
use abridge_explicit::judge;
use abridge_model::Model;
use abridge_system::Limit;
use abridge_testkit::Project;
use abridge_testkit::explosions::{DECLARATIONS, EVALUATION, Explosion};

/// Memory of all evaluations of a run.
const BUDGET_BYTES: u64 = 1 << 20;
/// Steps of one evaluation.
const BUDGET_STEPS: u64 = 1 << 13;
/// Steps that suffice to come to results that are too large.
const MORE_STEPS: u64 = 1 << 22;
/// Polls after which a search has seen enough states.
const MAX_POLLS: u32 = 3;

/// Families that have an answer at any scale, since large sets stay symbolic.
const ANSWERED: [&str; 7] = [
    "Cartesian product in a variable",
    "permutations",
    "power set in a variable",
    "power set of a power set",
    "records in a variable",
    "fnc of a relation",
    "quantifier over subsets",
];

/// Families whose results are too large for the compiled form and for the plain interpreter alike.
const LARGE_RESULTS: [&str; 13] = [
    "closure of a chain",
    "closure of a wide relation",
    "reflexive closure of a chain",
    "sequence doubled in a loop",
    "sequence squared by conc",
    "string doubled in a loop",
    "string that STRING_REPLACE multiplies",
    "string joined from itself",
    "string of one set in another",
    "characters of a string",
    "nested lambdas",
    "concatenation of rows",
    "concatenations in a loop",
];

/// Ends a search after some polls.
struct Impatient(u32);

impl Control for Impatient {
    fn poll(&mut self, _: &Progress) -> Option<Limit> {
        self.0 = self.0.saturating_sub(1);
        (self.0 == 0).then_some(Limit::Interrupted)
    }
}

fn run(one: &Explosion, is_compiled: bool, n_steps: u64) -> Report {
    let model = Project::model_of(&(one.machine)(one.scale));
    let mut config = Config::default();
    config.eval.memory = Memory::of_bytes(BUDGET_BYTES);
    config.eval.fuel = n_steps;
    config.system.compiled = is_compiled;
    check(&model, &config, &mut Impatient(MAX_POLLS))
}

fn named(name: &str) -> &'static Explosion {
    EVALUATION.iter().chain(DECLARATIONS).find(|one| one.name == name).unwrap_or_else(|| panic!("no family `{name}`"))
}

#[test]
fn explosions_end_with_a_limit() {
    for one in EVALUATION {
        let report = run(one, false, BUDGET_STEPS);
        let expected = if ANSWERED.contains(&one.name) { Verdict::Holds } else { Verdict::Incomplete };
        assert_eq!(report.verdict, expected, "{}: {:?}", one.name, report.limits);
    }
}

#[test]
fn large_results_are_a_stop_by_memory() {
    for name in LARGE_RESULTS {
        for is_compiled in [false, true] {
            let report = run(named(name), is_compiled, MORE_STEPS);
            let is_told = report.limits.iter().any(|limit| limit.contains("memory limit reached"));
            assert!(report.verdict == Verdict::Incomplete && is_told, "{name}: {:?}", report.limits);
        }
    }
}

/// The initial state of a machine without constants.
fn initial_state(model: &Model) -> State {
    let interp = judge(model, abridge_eval::EvalConfig::default());
    let mut found = None;
    interp.session().setup_constants(&mut |constants| {
        interp.session().initialise(&constants.expect("there are no constants"), &mut |state| {
            found = Some(state.expect("the machine can start"));
            ControlFlow::Break(())
        });
        ControlFlow::Break(())
    });
    found.expect("the machine can start")
}

/// An operator asks before it takes, so the account is never overdrawn, and what is within the budget is evaluated.
#[test]
fn operators_ask_for_the_memory_of_their_results() {
    let texts = [
        ("closure1(%i.(i : 1..{n} | i + 1))", 30, 3_000),
        ("(%i.(i : 1..{n} | 0) ; {0} * (1..{n}))", 30, 1_000),
        ("conc(%x.(x : 1..{n} | %y.(y : 1..{n} | x * y)))", 10, 500),
        ("{x, y | x : 1..{n} & y : 1..{n} & x /= y}", 10, 500),
        ("union({s | #i.(i : 1..{n} & s = {i} * (1..{n}))})", 10, 500),
        ("rel(%x.(x : 1..{n} | {y | y : 1..{n} & y /= x}))", 10, 500),
    ];
    for (text, small, large) in texts {
        let evaluated = |scale: usize| {
            let formula = text.replace("{n}", &scale.to_string());
            let machine = format!(
                "MACHINE M VARIABLES v INVARIANT v : INTEGER ASSERTIONS card({formula}) >= v INITIALISATION v := 0 END"
            );
            let model = Project::model_of(&machine);
            let memory = Memory::of_bytes(BUDGET_BYTES);
            let config = abridge_eval::EvalConfig { memory: memory.clone(), ..abridge_eval::EvalConfig::default() };
            let interp = judge(&model, config);
            let answer = interp.session().pred(model.assertions[0].pred, &Env::new(&initial_state(&model)));
            (answer, memory.left())
        };
        let (answer, left) = evaluated(small);
        assert!(answer.is_ok_and(|holds| holds) && left <= BUDGET_BYTES, "{text}");
        let (answer, left) = evaluated(large);
        let error = answer.expect_err(text);
        assert_eq!(error.kind(), &ErrorKind::OutOfMemory, "{text}");
        assert!(!error.is_ill_defined() && error.is_fatal(), "{text}");
        // Nearly all of it was given out before there was too little.
        assert!(left < BUDGET_BYTES / 2, "{text}: {left}");
    }
}

/// Whoever charges its operands one by one gets more than there is: the process is measured anew between two charges, and has nothing of either yet.
#[test]
fn operands_are_charged_together() {
    let texts =
        ["STRING_LENGTH(STRING_APPEND(v, v)) >= 0", "size(v ^ v) >= 0", "STRING_LENGTH(STRING_CONC([v, v])) >= 0"];
    for text in texts {
        let machine = format!(
            "MACHINE M DEFINITIONS \"LibraryStrings.def\" VARIABLES v INVARIANT v : STRING ASSERTIONS {text} \
             INITIALISATION v := STRING_PADLEFT(\"\", 100000, \"b\") END"
        );
        let model = Project::model_of(&machine);
        let holds = |ceiling: u64| {
            let memory = Memory::below(ceiling, || 0);
            let config = abridge_eval::EvalConfig { memory, ..abridge_eval::EvalConfig::default() };
            judge(&model, config).session().pred(model.assertions[0].pred, &Env::new(&initial_state(&model)))
        };
        assert!(holds(400_000).is_ok_and(|holds| holds), "{text}");
        assert_eq!(holds(150_000).expect_err(text).kind(), &ErrorKind::OutOfMemory, "{text}");
    }
}

/// An interval has two ends and any number of elements.
#[test]
fn long_intervals_are_compared_by_their_ends() {
    let model = Project::model_of(
        "MACHINE M VARIABLES v, w INVARIANT v <: 0..9000000000000000000 & v : POW(NATURAL) & w <: NATURAL & v - {5} /= v \
         & v \\/ {-9} /= v & union({v, {-9}}) /= v & v - (2..9) /= v \
         INITIALISATION v, w := 0..9000000000000000000, NATURAL \
         OPERATIONS op(x) = PRE x : 0..1 THEN v := -x..9000000000000000000 END; less(x) = PRE x : 0..3 THEN v := v - {x} END END",
    );
    let report = |is_compiled: bool| {
        let mut config = Config { find_all: true, ..Config::default() };
        config.eval.fuel = BUDGET_STEPS;
        config.system.compiled = is_compiled;
        check(&model, &config, &mut ())
    };
    let [plain, compiled] = [false, true].map(report);
    assert_eq!((plain.verdict, plain.found), (compiled.verdict, compiled.found));
    assert_eq!((plain.states, plain.transitions), (compiled.states, compiled.transitions));
    assert!(plain.found.invariant, "{:?}", plain.limits);
}

/// A set that is too long to be listed stays symbolic, as an infinite one does. What is false or ill-defined of infinite sets need not be of long ones.
#[test]
fn long_sets_are_not_taken_for_infinite_ones() {
    let lambda = "%x.(x : 1..20 | x)";
    let members = ["seq(1..20)", "seq1(NATURAL)", "iseq(NATURAL)", "iseq1(1..20)", "perm(1..20)"];
    let mut texts: Vec<String> = members.iter().map(|set| format!("{lambda} : {set}")).collect();
    texts.extend(
        [
            "(1..20) * {1} : seq({1})",
            "{(0..20) |-> 1}({x | x : 0..20 & x >= 0}) = 1",
            "{(0..20) |-> 1, {} |-> 2}({x | x : 0..20 & x >= 0}) = 1",
            "{1 |-> (0..20)}~({x | x : 0..20 & x >= 0}) = 1",
            "{((0..20) |-> 3) |-> 1}({x | x : 0..20 & x >= 0} |-> 3) = 1",
        ]
        .map(String::from),
    );
    for text in texts {
        let machine =
            format!("MACHINE M VARIABLES v INVARIANT v : INTEGER ASSERTIONS {text} INITIALISATION v := 0 END");
        let model = Project::model_of(&machine);
        let config = abridge_eval::EvalConfig { max_set_size: 10, ..abridge_eval::EvalConfig::default() };
        let interp = judge(&model, config);
        match interp.session().pred(model.assertions[0].pred, &Env::new(&initial_state(&model))) {
            Ok(holds) => assert!(holds, "{text}"),
            Err(error) => assert!(!error.is_ill_defined(), "{text}: {:?}", error.kind()),
        }
    }
}

#[test]
fn very_many_declarations_are_checked() {
    for one in DECLARATIONS.iter().filter(|one| !one.name.contains("assignments")) {
        let scale = if one.scale >= 1_000 { one.scale / 50 } else { one.scale };
        let model = Project::model_of(&(one.machine)(scale));
        let mut config = Config::default();
        config.eval.memory = Memory::of_bytes(BUDGET_BYTES);
        config.eval.fuel = MORE_STEPS;
        let report = check(&model, &config, &mut Impatient(MAX_POLLS));
        assert!(!report.found.invariant && !report.found.ill_defined, "{}: {:?}", one.name, report.limits);
        let is_answered = matches!(report.verdict, Verdict::Holds | Verdict::Violated);
        assert!(is_answered || !report.limits.is_empty(), "{}", one.name);
    }
}
