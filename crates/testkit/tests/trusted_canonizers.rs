//! Random canonizers, most of them wrong: whatever a machine defines, a run with it never contradicts the run without it.
//!
//! Variables that few operations read make some of the functions right by chance, which is where proofs are put to the test. Properties are in the invariant or,
//! with the invariant switched off, in an assertion, since bounds of proofs come from an invariant that may name elements. `MACHINES=5000` sets the
//! number of random machines, `SEED` the first of them.

use std::sync::Arc;

use abridge_check::{Config, Engine, Method, PorMode, Report, TemporalVerdict, Verdict, check, choose_reductions};
use abridge_model::{Logic, Model};
use abridge_testkit::{Project, Random};

/// Variables with values that fit.
const VARIABLES: [(&str, &[&str]); 6] = [
    ("aa", &["0", "1", "2", "bb", "2 - aa", "min({aa, 1})"]),
    ("bb", &["0", "1", "2", "aa", "(bb + 1) mod 3", "max({aa, bb})"]),
    ("ff", &["S * {0}", "ff <+ {s1 |-> 1}", "{s1 |-> ff(s2), s2 |-> ff(s1), s3 |-> ff(s3)}", "S * {aa mod 2}"]),
    ("tt", &["{}", "{s2}", "S", "tt - {s1}", "tt \\/ ff~[{1}]", "S - tt"]),
    ("uu", &["uu", "s1", "s2"]),
    ("bad", &["0", "1", "bad"]),
];
/// Values without names of elements, in the same order.
const ANONYMOUS: [&[&str]; 6] = [
    &["0", "1", "(aa + 1) mod 3", "bb", "2 - aa"],
    &["0", "2", "aa", "(bb + 1) mod 3"],
    &["S * {0}", "ff <+ {pp |-> 1}", "ff <+ {pp |-> 1 - ff(pp)}"],
    &["{}", "tt \\/ {pp}", "tt - {pp}", "{pp}"],
    &["uu", "pp"],
    &["0", "1", "1", "1"],
];
const TESTS: [&[&str]; 6] = [
    &["aa = 0", "aa < 2", "aa <= bb", "aa /= 1"],
    &["bb = 0", "bb > aa", "bb < 2"],
    &["ff(pp) = 0", "ff(pp) = 1", "card(ff~[{1}]) < 2"],
    &["pp : tt", "pp /: tt", "card(tt) < 2", "tt = {}"],
    &["uu = pp", "uu /: tt"],
    &["bad = 0"],
];
/// Bounds of the invariant, some of which name elements.
const BOUNDS: [&[&str]; 6] = [
    &["aa : 0..2", "aa : NATURAL"],
    &["bb : 0..2", "bb : -1..3"],
    &["ff : S --> 0..1", "ff : S --> NATURAL", "ff : S +-> 0..1"],
    &["tt <: S", "tt <: {s2}", "tt : POW({s1, s2})"],
    &["uu : S", "uu : {s1}"],
    &["bad : 0..1"],
];

struct Case {
    text: String,
    is_in_invariant: bool,
}

fn condition(random: &mut Random, readable: &[usize], has_parameter: bool) -> String {
    for _ in 0..8 {
        let variable = *random.pick(readable);
        let test = *random.pick(TESTS[variable]);
        if has_parameter || !test.contains("pp") {
            return test.to_owned();
        }
    }
    "aa < 2".to_owned()
}

fn operation(random: &mut Random, number: usize, readable: &[usize], written: &[usize]) -> String {
    let has_parameter = !random.once_in(3);
    let mut guards = vec![if has_parameter { "pp : S" } else { "1 = 1" }.to_owned()];
    for _ in 0..1 + random.below(2) {
        guards.push(condition(random, readable, has_parameter));
    }
    let mut assigned: Vec<usize> = (0..1 + random.below(2)).map(|_| *random.pick(written)).collect();
    assigned.sort_unstable();
    assigned.dedup();
    let mut assignments = Vec::new();
    for variable in assigned {
        let values: Vec<&str> =
            ANONYMOUS[variable].iter().copied().filter(|value| has_parameter || !value.contains("pp")).collect();
        assignments.push(format!("{} := {}", VARIABLES[variable].0, random.pick(&values)));
    }
    let parameters = if has_parameter { "(pp)" } else { "" };
    format!("op{number}{parameters} = PRE {} THEN {} END", guards.join(" & "), assignments.join(" || "))
}

fn assignment(random: &mut Random, moved: &[usize]) -> String {
    let (name, values) = VARIABLES[*random.pick(moved)];
    format!("{name} := {}", random.pick(values))
}

fn reduction(random: &mut Random, moved: &[usize]) -> String {
    let test = |random: &mut Random| {
        let tests = ["tt = {s2}", "tt /= {s2}", "tt = {}", "aa > bb", "ff(s1) = 0", "uu = s2", "aa = 2", "bad = 1"];
        (*random.pick(&tests)).to_owned()
    };
    match random.below(8) {
        0 => format!("CANONIZER_c == BEGIN {} END", assignment(random, moved)),
        1 => format!("CANONIZER_c == IF {} THEN {} END", test(random), assignment(random, moved)),
        2 | 3 => format!(
            "CANONIZER_c == IF {} THEN {} ELSIF {} THEN {} END",
            test(random),
            assignment(random, moved),
            test(random),
            assignment(random, moved)
        ),
        4 => "GENERATOR_c == BEGIN aa, bb := bb, aa END".to_owned(),
        5 => {
            "GENERATOR_c(xx, yy) == PRE xx : S & yy : S & xx /= yy THEN ff := ff <+ {xx |-> ff(yy), yy |-> ff(xx)} END"
                .to_owned()
        }
        6 => "GENERATOR_c == BEGIN tt := {s1 |-> s2, s2 |-> s3, s3 |-> s1}[tt] END; ORDER_c == card(tt)".to_owned(),
        _ => "PERMUTATION_c == S".to_owned(),
    }
}

fn case(seed: u64) -> Case {
    let mut random = Random::new(seed);
    let n_readable = 1 + random.below(4);
    let readable: Vec<usize> = (0..n_readable).map(|_| random.below(6)).collect();
    let written: Vec<usize> = (0..4).map(|_| random.below(6)).chain([5]).collect();
    // What nobody reads can be moved at will; now and then something is moved that matters.
    let dead: Vec<usize> = (0..5).filter(|variable| !readable.contains(variable)).collect();
    let moved = if dead.is_empty() || random.once_in(4) { (0..6).collect() } else { [&dead[..], &[5]].concat() };
    let operations: Vec<String> =
        (0..2 + random.below(3)).map(|number| operation(&mut random, number, &readable, &written)).collect();
    let bounds: Vec<&str> = BOUNDS.iter().map(|bounds| *random.pick(bounds)).collect();
    let property = *random.pick(&["bad = 0", "bad = 0", "not(aa = 2 & bb = 2)", "card(tt) < 3"]);
    let is_in_invariant = random.once_in(2);
    let (joined, assertions) = if is_in_invariant {
        (format!(" & {property}"), String::new())
    } else {
        (String::new(), format!("ASSERTIONS {property}\n"))
    };
    let reduction = reduction(&mut random, &moved);
    let text = format!(
        "MACHINE Random\nSETS S = {{s1, s2, s3}}\nDEFINITIONS {reduction}\nVARIABLES aa, bb, ff, tt, uu, bad\nINVARIANT {}{joined}\n{assertions}\
         INITIALISATION aa, bb, bad := 0, 0, 0 || ff := S * {{0}} || tt := {{}} || uu :: S\nOPERATIONS {}\nEND",
        bounds.join(" & "),
        operations.join(";\n ")
    );
    Case { text, is_in_invariant }
}

/// The runs of a case: names and settings.
fn ways(config: &Config) -> Vec<(&'static str, Config)> {
    let config = config.clone();
    vec![
        ("alone", config.clone()),
        ("first states as they are", Config { canonises_start: false, ..config.clone() }),
        ("with symmetry", Config { symmetry: Method::Auto, ..config.clone() }),
        ("with partial order", Config { por: PorMode::Semantic, ..config.clone() }),
        ("with both", Config { symmetry: Method::Auto, por: PorMode::Syntactic, ..config.clone() }),
        ("symbolically", Config { engine: Engine::Symbolic, ..config.clone() }),
        ("symbolically with symmetry", Config { engine: Engine::Symbolic, symmetry: Method::Auto, ..config.clone() }),
        ("compared", Config { check_reduce: true, ..config.clone() }),
        ("compared, with symmetry", Config { check_reduce: true, symmetry: Method::Auto, ..config }),
    ]
}

/// Neither of two runs claims what the other one refutes.
fn contradiction(plain: &Report, report: &Report) -> Option<String> {
    let verdicts = (plain.verdict, report.verdict);
    if matches!(verdicts, (Verdict::Violated, Verdict::Holds) | (Verdict::Holds, Verdict::Violated)) {
        return Some(format!("{verdicts:?}"));
    }
    for (plain, found) in plain.temporal.iter().zip(&report.temporal) {
        let verdicts = (&plain.verdict, &found.verdict);
        if matches!(
            verdicts,
            (TemporalVerdict::Violated, TemporalVerdict::Holds) | (TemporalVerdict::Holds, TemporalVerdict::Violated)
        ) {
            return Some(format!("{}: {verdicts:?}", plain.formula));
        }
    }
    None
}

const FORMULAS: [(Logic, &str); 5] = [
    (Logic::Ltl, "G {bad = 0}"),
    (Logic::Ltl, "G ([op0] => F {aa = 0})"),
    (Logic::Ltl, "G (e(op1) => X not([op0]))"),
    (Logic::Ctl, "AG EF {bad = 0}"),
    (Logic::Ctl, "AG (e(op0) => EX {tt = {}})"),
];

/// Machines on which a difference was found: a formula of branching time was called violated.
const FOUND: [u64; 1] = [280];

#[derive(Default, Debug)]
struct Tally {
    n_machines: usize,
    n_violated: usize,
    n_proved: usize,
    n_refuted: usize,
    n_holding: usize,
    n_formulas_holding: usize,
}

impl Tally {
    fn add(&mut self, report: &Report) {
        self.n_proved += usize::from(report.reduction.as_ref().is_some_and(|it| it.is_proved));
        self.n_refuted += usize::from(report.reduction.as_ref().is_some_and(|it| it.is_refuted()));
        self.n_holding += usize::from(report.verdict == Verdict::Holds);
        let holding = report.temporal.iter().filter(|it| it.verdict == TemporalVerdict::Holds);
        self.n_formulas_holding += holding.count();
    }
}

fn compare(seed: u64, tally: &mut Tally) {
    let Case { text, is_in_invariant } = case(seed);
    let project = Project::new(&[("Random.mch", &text)]);
    let plain = Config {
        deadlock: false,
        invariant: is_in_invariant,
        find_all: true,
        max_states: Some(5_000),
        ..Config::default()
    };
    let run = |model: &Model, config: &Config, what: &str, tally: &mut Tally| {
        let plain = check(model, config, &mut ());
        if !plain.limits.is_empty() {
            return plain;
        }
        let reduce = choose_reductions(model, "c").unwrap_or_else(|message| panic!("seed {seed}: {message}"));
        for (way, config) in ways(&Config { reduce, ..config.clone() }) {
            let report = check(model, &config, &mut ());
            if let Some(difference) = contradiction(&plain, &report) {
                panic!("seed {seed}, {what}, {way}: {difference}\n{text}");
            }
            tally.add(&report);
        }
        plain
    };
    let model = project.analyse().model.unwrap_or_else(|| panic!("seed {seed}: {}\n{text}", project.diagnostics()));
    let report = run(&model, &plain, "states", tally);
    tally.n_machines += 1;
    tally.n_violated += usize::from(report.verdict == Verdict::Violated);
    let formulas = project.with_formulas(&FORMULAS, &plain);
    let (model, prepared) = formulas.unwrap_or_else(|| panic!("seed {seed}: formulas"));
    let config = Config { formulas: Arc::new(prepared), invariant: false, assertions: false, ..plain };
    run(&model, &config, "formulas", tally);
}

#[test]
fn random_canonizers_contradict_no_run_without_them() {
    let number = |variable: &str, default: u64| {
        std::env::var(variable)
            .map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{variable} is no number: {text}")))
    };
    let (first, n_machines) = (number("SEED", 0), number("MACHINES", 100));
    let mut tally = Tally::default();
    FOUND.into_iter().chain(first..first + n_machines).for_each(|seed| compare(seed, &mut tally));
    eprintln!("{tally:?}");
    let Tally { n_machines, n_violated, n_proved, n_refuted, n_holding, n_formulas_holding } = tally;
    assert!(n_violated * 4 > n_machines && n_proved > n_machines && n_refuted > n_machines);
    assert!(n_holding > n_machines && n_formulas_holding > n_machines);
}
