//! A wrapper around the system of a model goes through checks, reductions and temporal formulas like the system itself.
//!
//! Where the wrapper withholds nothing, reports are the same. Where it does, nothing holds.

use std::sync::Arc;

use abridge_check::{
    Config, Engine, Evaluator, Method, PorMode, Report, TemporalVerdict, Verdict, check, check_system,
    choose_reductions, replay, system_config,
};
use abridge_explicit::{Explicit, judge};
use abridge_model::{Logic, Model};
use abridge_system::Gap;
use abridge_testkit::Project;
use abridge_testkit::faulty::Faulty;

/// Messages of three clients over a ring of three places. The deferred set, the independent counters and the ring each suit one kind of reduction.
const MACHINE: &str = "MACHINE Clients SETS CLIENT; STATE = {idle, busy}
 DEFINITIONS SEAT == 0..2; ROTATION_rot == SEAT
 VARIABLES waiting, seats, aa, bb
 INVARIANT waiting <: CLIENT & seats : SEAT --> STATE & aa : 0..3 & bb : 0..BOUND
 INITIALISATION waiting := {} || seats := SEAT * {idle} || aa, bb := 0, 0
 OPERATIONS
   ask(cc) = PRE cc : CLIENT - waiting THEN waiting := waiting \\/ {cc} END;
   serve(cc) = PRE cc : waiting THEN waiting := waiting - {cc} END;
   sit(ii) = PRE ii : SEAT & seats(ii) = idle THEN seats(ii) := busy END;
   rise(ii) = PRE ii : SEAT & seats(ii) = busy THEN seats(ii) := idle END;
   count_aa = SELECT aa < 3 THEN aa := aa + 1 END;
   count_bb = SELECT bb < 3 THEN bb := bb + 1 END
 END";

/// The model with formulas, and the ways in which it is checked.
fn subject(bound: &str) -> (Model, Vec<(&'static str, Config)>) {
    let text = MACHINE.replace("BOUND", bound);
    let formulas = [(Logic::Ltl, "G ({aa = 0} or {aa > 0})"), (Logic::Ctl, "AG {card(waiting) <= 3}")];
    let prepared = Project::new(&[("Clients.mch", &text)]).with_formulas(&formulas, &Config::default());
    let (model, formulas) = prepared.expect("the machine has no mistakes");
    let plain = Config { find_all: true, evaluator: Evaluator::Memo, ..Config::default() };
    let judged = Config { formulas: Arc::new(formulas), ..plain.clone() };
    let reduce = choose_reductions(&model, "rot").expect("the reduction is defined");
    let ways = vec![
        ("plain", plain.clone()),
        ("formulas", judged.clone()),
        ("symmetry", Config { symmetry: Method::Auto, ..judged.clone() }),
        ("flooding", Config { symmetry: Method::Flood, ..plain.clone() }),
        ("selection", Config { por: PorMode::Semantic, ..plain.clone() }),
        ("selection along paths", Config { por: PorMode::Semantic, symmetry: Method::Canon, ..judged }),
        ("canonizer", Config { reduce, ..plain }),
    ];
    (model, ways)
}

fn explicit<'m>(model: &'m Model, config: &Config) -> Explicit<'m> {
    Explicit::new(judge(model, config.eval.clone()), system_config(model, config))
}

/// What a report tells: verdict, counts, violations with their traces, answers about formulas.
fn told(report: &Report) -> String {
    let violations: Vec<_> = report.violations.iter().map(|it| (&it.kind, &it.trace, &it.property)).collect();
    let formulas: Vec<_> = report.temporal.iter().map(|it| (&it.name, &it.verdict)).collect();
    let counts = (report.states, report.transitions, report.depth);
    format!("{:?}", (report.verdict, counts, violations, formulas, &report.limits))
}

#[test]
fn a_wrapper_that_withholds_nothing_is_told_like_the_system() {
    for (bound, verdict) in [("3", Verdict::Holds), ("2", Verdict::Violated)] {
        let (model, mut ways) = subject(bound);
        ways.push(("symbolic", Config { engine: Engine::Symbolic, ..Config::default() }));
        for (name, config) in ways {
            let system = explicit(&model, &config);
            let wrapped = check_system(&Faulty::new(&system, 1, u64::MAX, Gap::Failed), &config, &mut ());
            assert_eq!(wrapped.verdict, verdict, "{name}: {:?}", wrapped.limits);
            assert_eq!(told(&wrapped), told(&check(&model, &config, &mut ())), "{name}");
        }
    }
}

#[test]
fn what_a_wrapper_withholds_never_holds() {
    let (model, ways) = subject("3");
    let (mut n_spoilt, mut n_whole) = (0, 0);
    for (name, config) in ways {
        for seed in 0..12 {
            let system = explicit(&model, &config);
            let faulty = Faulty::new(&system, seed, [200, 2_000, 20_000][seed as usize % 3], Gap::Failed);
            let report = check_system(&faulty, &config, &mut ());
            if faulty.n_gaps() == 0 {
                n_whole += 1;
                assert_eq!(report.verdict, Verdict::Holds, "{name}: {:?}", report.limits);
                continue;
            }
            n_spoilt += 1;
            assert_eq!(report.verdict, Verdict::Incomplete, "{name}, seed {seed}");
            assert!(!report.limits.is_empty(), "{name}, seed {seed}");
            assert!(report.temporal.iter().all(|it| it.verdict != TemporalVerdict::Holds), "{name}, seed {seed}");
        }
    }
    assert!(n_spoilt > 30 && n_whole > 10, "{n_spoilt} {n_whole}");
}

/// Replay is about the model, so it needs no more than a system of one.
#[test]
fn traces_are_replayed_through_a_wrapper() {
    let (model, _) = subject("2");
    let config = Config::default();
    let system = explicit(&model, &config);
    let report = check(&model, &config, &mut ());
    let steps = &report.violation().expect("bb becomes 3").trace.steps;
    let wanted: Vec<_> =
        steps.iter().map(|step| abridge_check::WantedStep { name: step.name.clone(), ..Default::default() }).collect();
    let replayed = replay(&Faulty::new(&system, 1, u64::MAX, Gap::Failed), &wanted);
    assert_eq!((replayed.moves.len(), replayed.failure), (steps.len(), None));
}
