//! Random machines with random formulas of linear time: verdicts with partial order and symmetry reduction are those without, and every violation has a path that
//! the judge finds again.

use std::num::NonZero;
use std::sync::Arc;

use abridge_check::{Config, FormulaSource, Method, PorMode, Prepared, Report, TemporalVerdict, check, prepare};
use abridge_diag::FileId;
use abridge_model::{Logic, Model, Type};
use abridge_testkit::temporal::{Shape, random_ltl};
use abridge_testkit::{Project, Random, guarded};

const MOST_STATES: u64 = 3_000;

/// A predicate about a variable, if there is a simple one for its type.
fn predicate(model: &Model, random: &mut Random) -> Option<String> {
    let variables: Vec<_> = model.state_variables().collect();
    let (_, variable) = variables.get(random.below(variables.len().max(1)))?;
    let name = &variable.name;
    Some(match model.types.get(variable.ty) {
        Type::Integer => format!("{{{name} > {}}}", random.below(3)),
        Type::Bool => format!("{{{name} = TRUE}}"),
        Type::Pow(_) => format!("{{{name} = {{}}}}"),
        _ => return None,
    })
}

/// A formula over predicates of the machine and its operations, without next.
fn formula(model: &Model, random: &mut Random) -> Option<String> {
    let shape = Shape { size: 1 + random.below(4), n_predicates: 2, n_steps: 2, has_next: false, has_past: false };
    let operations: Vec<String> = model.transitions().map(|(_, op)| op.name.to_string()).collect();
    let mut text = random_ltl(random, shape).to_string();
    for number in 0..2 {
        text = text.replace(&format!("{{p{number}}}"), &predicate(model, random)?);
        let operation = operations.get(random.below(operations.len().max(1)))?;
        text = text.replace(&format!("[s{number}]"), &format!("[{operation}]"));
    }
    Some(text)
}

fn prepared(project: &Project, model: &Model, texts: &[String], config: &Config) -> (Model, Prepared) {
    let source = |(number, text): (usize, &String)| FormulaSource {
        name: format!("f{number}"),
        logic: Logic::Ltl,
        text: text.clone(),
        file: FileId(0),
        base: 0,
    };
    let sources = texts.iter().enumerate().map(source).collect();
    let (with_atoms, prepared) = prepare(model, sources, config, &mut |texts| project.analyse_formulas(texts));
    for formula in &prepared.formulas {
        assert!(formula.diagnostics.iter().all(|one| !one.is_error()), "{formula:?}");
    }
    (with_atoms.unwrap_or_else(|| model.clone()), prepared)
}

fn verdicts(report: &Report) -> Vec<TemporalVerdict> {
    report.temporal.iter().map(|formula| formula.verdict.clone()).collect()
}

#[derive(Default)]
struct Tally {
    compared: usize,
    violated: usize,
    reduced: usize,
}

fn compare(seed: u64, tally: &mut Tally) {
    let mut random = Random::new(seed);
    let text = guarded::machine(&mut random);
    let project = Project::new(&[("Random.mch", &text)]);
    let analysis = project.analyse();
    let model = analysis.model.as_ref().unwrap_or_else(|| panic!("seed {seed} is no machine:\n{text}"));
    let formulas: Vec<String> = (0..1 + random.below(2)).filter_map(|_| formula(model, &mut random)).collect();
    let config = Config {
        invariant: false,
        deadlock: false,
        assertions: false,
        goal: false,
        find_all: true,
        max_states: Some(MOST_STATES),
        ..Config::default()
    };
    let (model, prepared) = prepared(&project, model, &formulas, &config);
    let config = Config { formulas: Arc::new(prepared), ..config };
    let full = check(&model, &config, &mut ());
    if full.limits.iter().any(|limit| limit.starts_with("stopped")) {
        return;
    }
    tally.compared += 1;
    let expected = verdicts(&full);
    let context = |what: &str| format!("seed {seed}, {what}: {formulas:?}\n{text}");
    for formula in &full.temporal {
        if formula.verdict == TemporalVerdict::Violated {
            tally.violated += 1;
            let gap = formula.trace.as_ref().and_then(|trace| trace.gap.clone());
            assert_eq!(gap, None, "{}", context(&formula.formula));
        }
    }
    let ways = [
        ("4 workers", Config { workers: NonZero::new(4).unwrap_or(NonZero::<usize>::MIN), ..config.clone() }),
        ("syntactic", Config { por: PorMode::Syntactic, ..config.clone() }),
        ("semantic", Config { por: PorMode::Semantic, ..config.clone() }),
        ("symmetry", Config { symmetry: Method::Auto, ..config.clone() }),
        ("both", Config { por: PorMode::Semantic, symmetry: Method::Auto, ..config.clone() }),
    ];
    for (name, config) in ways {
        let other = check(&model, &config, &mut ());
        assert_eq!(verdicts(&other), expected, "{}", context(name));
        for formula in other.temporal.iter().filter(|formula| formula.verdict == TemporalVerdict::Violated) {
            let gap = formula.trace.as_ref().and_then(|trace| trace.gap.clone());
            assert_eq!(gap, None, "{}", context(name));
        }
        tally.reduced += usize::from(name == "semantic" && other.states < full.states);
    }
}

#[test]
fn forall_machines_and_formulas_reductions_change_no_verdict() {
    let n_machines = if std::env::var_os("RUN_SLOW").is_some() { 10_000 } else { 300 };
    let first: u64 = std::env::var("SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    let mut tally = Tally::default();
    for seed in first..first + n_machines {
        compare(seed, &mut tally);
    }
    let Tally { compared, violated, reduced } = tally;
    eprintln!("{compared} compared, {violated} formulas violated, {reduced} reduced");
    assert!(compared * 2 > n_machines as usize && violated * 4 > compared && reduced * 20 > compared);
}
