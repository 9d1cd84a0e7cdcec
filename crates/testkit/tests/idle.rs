//! Steps that no temporal formula needs are not stored, and some of them are not even taken. That changes nothing that is told: verdicts, paths, counts and findings are those of a run that stores all steps, which
//! one with a disk does.
//!
//! Random machines have many variables and operations that touch few of them, so that most steps are independent and may be asleep.

use std::fmt::Write as _;
use std::num::NonZero;
use std::sync::Arc;

use abridge_check::{Config, Disk, Evaluator, Method, Report, check, check_on_disk};
use abridge_diag::FileId;
use abridge_model::Logic;
use abridge_temporal::{Budget, Idle, LinearProperty, NoDomain, TemporalText, expand, parse_ltl};
use abridge_testkit::{Project, Random};

const N_MACHINES: u64 = 60;

/// A machine of small variables, each operation of which reads and writes one or two of them.
fn machine(random: &mut Random, n_variables: usize) -> (String, usize) {
    let names: Vec<String> = (0..n_variables).map(|n| format!("vv{n}")).collect();
    let bounds: Vec<String> = names.iter().map(|name| format!("{name} : 0..3")).collect();
    let starts: Vec<String> = names.iter().map(|name| format!("{name} := 0")).collect();
    let mut text = format!("MACHINE M\nVARIABLES {}\nINVARIANT {}\n", names.join(", "), bounds.join(" & "));
    let _ = write!(text, "INITIALISATION {}\nOPERATIONS\n", starts.join(" || "));
    let n_operations = n_variables + random.below(5);
    let mut operations = Vec::new();
    for n in 0..n_operations {
        let own = &names[n % n_variables];
        let other = &names[random.below(n_variables)];
        let bound = random.below(4);
        let body = match random.below(8) {
            0 => format!("SELECT {own} < 3 & {other} = {bound} THEN {own} := {own} + 1 END"),
            1 if other != own => format!("SELECT {own} > {other} THEN {own}, {other} := {other}, {own} END"),
            2 => format!("SELECT {own} = {bound} THEN {own} := 0 END"),
            3 if random.below(8) == 0 => format!("SELECT 4 / ({bound} - {own}) < 9 THEN {own} := {bound} END"),
            4 => format!("ANY xx WHERE xx : 0..3 & xx > {own} THEN {own} := xx END"),
            _ => format!("SELECT {own} < 3 THEN {own} := {own} + 1 END"),
        };
        operations.push(format!("  op{n} = {body}"));
    }
    (text + &operations.join(";\n") + "\nEND\n", n_operations)
}

fn formula(random: &mut Random, n_variables: usize, n_operations: usize) -> String {
    let state = |random: &mut Random| {
        let (left, right, value) = (random.below(n_variables), random.below(n_variables), random.below(4));
        match random.below(4) {
            0 => format!("{{vv{left} = {value}}}"),
            1 => format!("{{vv{left} >= vv{right}}}"),
            2 => format!("{{vv{left} /= {value}}}"),
            // Not defined where the variable is 3.
            _ if random.below(6) == 0 => format!("{{6 / (3 - vv{left}) > {value}}}"),
            _ => format!("{{vv{left} + vv{right} > {value}}}"),
        }
    };
    let step = |random: &mut Random| match random.below(5) {
        0 => format!("e(op{})", random.below(n_operations)),
        _ => format!("[op{}]", random.below(n_operations)),
    };
    let (first, second) = (state(random), state(random));
    let (taken, other) = (step(random), step(random));
    let body = match random.below(9) {
        0 => format!("G ({taken} => F {first})"),
        1 => format!("G ({first} => F {second})"),
        2 => format!("G ({first} or {second})"),
        3 => format!("G ({taken} => X {first})"),
        4 => format!("G ({taken} => {first} W {second})"),
        5 => format!("G ({first} & {taken} => F {other})"),
        6 => format!("G ({taken} => X X F {first})"),
        7 => format!("G ({first} => ({second} U {taken}))"),
        _ => format!("G ({taken} => {first} or Y {second})"),
    };
    match random.below(5) {
        0 => format!("WF(op0) => {body}"),
        1 => format!("SF(op1) & WF(op0) => {body}"),
        _ => body,
    }
}

fn may_leave_out(text: &str) -> bool {
    let (ltl, _) = parse_ltl(TemporalText { file: FileId(0), base: 0, text });
    let expanded = expand(&ltl.expect("a formula"), &mut NoDomain).expect("no quantifiers");
    Idle::new(&LinearProperty::new(&expanded, &Budget::default()).expect("small")).is_some()
}

/// All that is told.
fn told(report: &Report) -> String {
    let temporal: Vec<String> = report
        .temporal
        .iter()
        .map(|formula| format!("{:?} {:?} {:?}", formula.verdict, formula.trace, formula.story))
        .collect();
    format!("{} {} {:?} {:?} {temporal:?}", report.states, report.transitions, report.verdict, report.limits)
}

#[test]
fn what_is_not_stored_is_not_missed() {
    let (mut n_left_out, mut n_violated, mut n_large) = (0, 0, 0);
    for seed in 0..N_MACHINES {
        let mut random = Random::new(seed);
        let n_variables = 4 + random.below(3);
        let (text, n_operations) = machine(&mut random, n_variables);
        let project = Project::new(&[("M.mch", &text)]);
        for _ in 0..4 {
            let formulas: Vec<String> =
                (0..1 + random.below(2)).map(|_| formula(&mut random, n_variables, n_operations)).collect();
            let listed: Vec<(Logic, &str)> = formulas.iter().map(|text| (Logic::Ltl, text.as_str())).collect();
            let config = Config { deadlock: false, find_all: true, max_states: Some(6_000), ..Config::default() };
            let (model, prepared) = project.with_formulas(&listed, &config).expect("a model");
            let config = Config { formulas: Arc::new(prepared), ..config };
            let nothing = Disk { checkpoint: None, spill: None };
            let Ok(whole) = check_on_disk(&model, &config, nothing, &mut ()) else { panic!("nothing is resumed") };
            n_left_out += usize::from(formulas.iter().all(|text| may_leave_out(text)));
            n_violated += usize::from(whole.temporal.iter().any(|formula| formula.trace.is_some()));
            n_large += usize::from(whole.states > 2_000);
            for (evaluator, workers) in [(Evaluator::Memo, 1), (Evaluator::Sliced, 1), (Evaluator::Sliced, 3)] {
                let workers = NonZero::new(workers).expect("some workers");
                let found = check(&model, &Config { evaluator, workers, ..config.clone() }, &mut ());
                assert_eq!(told(&found), told(&whole), "seed {seed} {evaluator:?} {workers}: {formulas:?}\n{text}");
            }
            let symmetric = Config { symmetry: Method::Auto, ..config.clone() };
            let found = check(&model, &symmetric, &mut ());
            let verdicts =
                |report: &Report| -> Vec<_> { report.temporal.iter().map(|formula| formula.verdict.name()).collect() };
            assert_eq!(verdicts(&found), verdicts(&whole), "seed {seed} symmetry: {formulas:?}\n{text}");
        }
    }
    eprintln!("{n_left_out} runs leave steps out, {n_violated} with violations, {n_large} large");
    assert!(n_left_out > 40 && n_violated > 100 && n_large > 20, "{n_left_out} {n_violated} {n_large}");
}
