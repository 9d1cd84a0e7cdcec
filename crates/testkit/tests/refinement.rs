//! Refinement checking against a naive judge: random pairs, and the refinements of the corpus that are small enough.
//!
//! `PAIRS=5000` sets the number of random pairs; `PAIRS=1000..2000` takes those seeds, so that a campaign can run in portions. `RUN_SLOW` judges the corpus, or
//! with `CORPUS=0..50` the first fifty of its refinements.

use std::num::NonZero;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use abridge_check::{Config, Method, Models, Notion, RefineConfig, Refinement, Verdict, refine};
use abridge_diag::StopFlag;
use abridge_model::Model;
use abridge_sema::{Options, analyse};
use abridge_testkit::pairs::{PairText, pair};
use abridge_testkit::refinement::{Judged, Lost, RefinementQuestion, judge_refinement};
use abridge_testkit::{FolderFiles, Project, Random};

const NOTIONS: [Notion; 3] = [Notion::Traces, Notion::Simulation, Notion::Failures];

/// Pairs of states that the judge looks at.
const MAX_JUDGED: usize = 20_000;

fn run(models: &Models, choices: RefineConfig, symmetry: Method, workers: usize) -> Refinement {
    let workers = NonZero::new(workers).unwrap_or(NonZero::<usize>::MIN);
    refine(models, &Config { symmetry, workers, ..Config::default() }, choices, &mut ())
}

/// What a report says.
fn found(report: &Refinement) -> Option<Judged> {
    let n_steps = report.counterexample.as_ref().map_or(0, |found| found.steps.len());
    match (report.verdict, &report.counterexample) {
        // The trace ends in a state out of which the step is not well-defined, or with the step itself if it is the gluing invariant of its target.
        (Verdict::Violated, Some(found)) if report.ill_defined.is_some() && found.gap.is_none() => {
            Some(Judged::IllDefined(n_steps))
        }
        (Verdict::Violated, None) if report.ill_defined.is_some() => Some(Judged::IllDefined(0)),
        (Verdict::Holds, None) => Some(Judged::Holds),
        (Verdict::Violated, Some(found)) if found.loop_start.is_some() => Some(Judged::Diverges),
        (Verdict::Violated, Some(_)) => Some(Judged::Fails(n_steps)),
        _ => None,
    }
}

/// An answer that the judge gives.
fn is_among(answer: Option<Judged>, judged: &[Judged]) -> bool {
    judged.iter().any(|judged| match (answer, *judged) {
        (Some(Judged::IllDefined(n_steps)), Judged::IllDefined(step)) => n_steps == step || n_steps + 1 == step,
        (answer, judged) => answer == Some(judged),
    })
}

/// An answer of a comparison that leaves out sets of abstract states, where the judge has met steps of the abstraction that are not well-defined. It may have met other ones
/// later, or none. Up to there, what it says holds even of an abstraction without those steps.
fn is_among_forgiven(answer: Option<Judged>, judged: &[Judged], forgiven: &[Judged]) -> bool {
    let step_of = |judged: &Judged| match judged {
        Judged::IllDefined(step) | Judged::Fails(step) => *step,
        Judged::Holds | Judged::Diverges => usize::MAX,
    };
    let first = |judged: &[Judged]| judged.iter().map(step_of).min().unwrap_or(usize::MAX);
    let is_ill_defined = judged.iter().any(|judged| matches!(judged, Judged::IllDefined(_)));
    match answer {
        Some(Judged::IllDefined(n_steps)) => {
            is_ill_defined && n_steps + 1 >= first(judged) && n_steps <= first(forgiven)
        }
        answer => is_ill_defined && is_among(answer, forgiven),
    }
}

/// Seconds for the judge of a refinement of the corpus, and for finding out how many states a level has.
const MAX_SECONDS: u64 = 120;

fn deadline() -> StopFlag {
    let start = Instant::now();
    StopFlag::probed(move || start.elapsed() > Duration::from_secs(MAX_SECONDS))
}

/// Every way to run a comparison gives an answer of the judge, and the same one with the same counts for all numbers of workers.
fn compare(models: &Models, notion: Notion, new_is_skip: bool, place: &str) -> Result<Judged, Lost> {
    compare_until(models, notion, new_is_skip, place, &StopFlag::default)
}

/// The same with a judge that has an end.
fn compare_until(
    models: &Models,
    notion: Notion,
    new_is_skip: bool,
    place: &str,
    stop: &dyn Fn() -> StopFlag,
) -> Result<Judged, Lost> {
    let question = RefinementQuestion {
        notion,
        new_is_skip,
        forgives_abstraction: false,
        forgives_gaps: false,
        max_pairs: MAX_JUDGED,
    };
    let judged = judge_refinement(models, question, &stop())?;
    let question = RefinementQuestion { forgives_abstraction: true, ..question };
    let forgiven = judge_refinement(models, question, &stop())?;
    for antichains in [true, false] {
        let choices = RefineConfig { notion, new_is_skip, antichains };
        for symmetry in [Method::Off, Method::Auto, Method::Canon, Method::Flood] {
            let alone = run(models, choices, symmetry, 1);
            let answer = found(&alone);
            let agrees = is_among(answer, &judged) || (antichains && is_among_forgiven(answer, &judged, &forgiven));
            assert!(agrees, "{place} {choices:?} {symmetry:?}: {answer:?}, judge: {judged:?}; {:?}", alone.limits);
            for workers in [2, 8] {
                if symmetry == Method::Canon || symmetry == Method::Flood {
                    continue;
                }
                let many = run(models, choices, symmetry, workers);
                assert_eq!(found(&many), answer, "{place} {choices:?} {symmetry:?} {workers} workers");
                assert_eq!((many.pairs, many.transitions), (alone.pairs, alone.transitions), "{place} {symmetry:?}");
            }
        }
    }
    Ok(judged[0])
}

/// A comparison in which arguments or constants have no bounds, so that steps are infinitely many. It does not hold; if it fails, so it does for the judge, who leaves out the same steps.
fn compare_part(models: &Models, notion: Notion, place: &str) -> &'static str {
    let question = RefinementQuestion {
        notion,
        new_is_skip: false,
        forgives_abstraction: false,
        forgives_gaps: true,
        max_pairs: MAX_JUDGED,
    };
    let judged = judge_refinement(models, question, &deadline());
    let choices = RefineConfig { notion, new_is_skip: false, antichains: true };
    let mut told = "open";
    for symmetry in [Method::Off, Method::Auto] {
        for workers in [1, 2, 8] {
            let report = run(models, choices, symmetry, workers);
            let answer = found(&report);
            let place = format!("{place} {notion:?} {symmetry:?} {workers}: {answer:?}, judge: {judged:?}");
            assert_ne!(answer, Some(Judged::Holds), "{place}");
            if answer.is_some() {
                assert!(judged.as_ref().is_ok_and(|judged| is_among(answer, judged)), "{place}");
                told = "fails";
            } else {
                assert!(!report.limits.is_empty(), "{place}");
            }
        }
    }
    told
}

fn model_of(text: &PairText, size: u32) -> Model {
    let mut project = Project::new(&[("Con.ref", &text.refinement), ("Abs.mch", &text.abstraction)]);
    project.options.ignore_abstract_preconditions = true;
    project.options.set_sizes = vec![("SS".to_owned(), size)];
    let analysis = project.analyse();
    analysis.model.unwrap_or_else(|| panic!("{}\n{}\n{}", project.diagnostics(), text.abstraction, text.refinement))
}

/// The range that an environment variable names, as `5000` or `1000..2000`.
fn range_of(variable: &str, default: Range<u64>) -> Range<u64> {
    let Ok(text) = std::env::var(variable) else { return default };
    let (start, end) = text.split_once("..").unwrap_or(("0", &text));
    match (start.parse(), end.parse()) {
        (Ok(start), Ok(end)) if start < end => start..end,
        _ => panic!("{variable} is neither a number nor a range: {text}"),
    }
}

#[test]
fn random_pairs_agree_with_the_judge() {
    let seeds = range_of("PAIRS", 0..60);
    let n_pairs = seeds.end - seeds.start;
    let (mut n_holds, mut n_fails, mut n_diverges, mut n_ill_defined) = (0, 0, 0, 0);
    for seed in seeds {
        let mut random = Random::new(seed);
        let text = pair(&mut random);
        let model = model_of(&text, 1 + random.below(3) as u32);
        let models = Models::of(&model).expect("a refinement");
        for notion in NOTIONS {
            let place = format!("seed {seed}\n{}\n{}", text.abstraction, text.refinement);
            match compare(&models, notion, text.new_is_skip, &place) {
                Ok(Judged::Holds) => n_holds += 1,
                Ok(Judged::Fails(_)) => n_fails += 1,
                Ok(Judged::Diverges) => n_diverges += 1,
                Ok(Judged::IllDefined(_)) => n_ill_defined += 1,
                Err(Lost::NoStart) => {}
                Err(lost) => panic!("the judge has no answer: {lost:?}\n{place}"),
            }
        }
    }
    eprintln!(
        "{n_pairs} pairs: {n_holds} comparisons hold, {n_fails} fail, {n_diverges} diverge, {n_ill_defined} are not well-defined"
    );
    assert!(n_holds > n_pairs / 4 && n_fails > n_pairs / 4, "{n_holds} {n_fails} of {n_pairs}");
    assert!(n_pairs < 40 || n_ill_defined > n_pairs / 10, "{n_ill_defined} of {n_pairs}");
}

/// Abstract and concrete body of an operation `oo`, and what simulation says about them. Calls that the abstraction does not allow are nobody's business; in allowed ones nothing
/// may be ill-defined or left out, whatever else there is.
const BODIES: [(&str, &str, Verdict, bool); 6] = [
    ("PRE xx > 1 THEN skip END", "rr := 10 / yy", Verdict::Holds, false),
    ("PRE xx < 2 THEN skip END", "rr := 10 / yy", Verdict::Violated, true),
    ("skip", "CHOICE rr := 1 OR rr := 1 / yy END", Verdict::Violated, true),
    ("skip", "PRE yy < 9 THEN CHOICE rr := 1 OR rr := 1 / yy END END", Verdict::Violated, true),
    (
        "skip",
        "PRE yy < 9 THEN CHOICE rr := 1 OR ANY nn WHERE nn > yy THEN rr := nn END END END",
        Verdict::Incomplete,
        false,
    ),
    ("PRE xx > 1 THEN skip END", "PRE yy < 9 THEN ANY nn WHERE nn > yy THEN rr := nn END END", Verdict::Holds, false),
];

#[test]
fn simulation_looks_at_all_of_an_allowed_call_and_nothing_else() {
    for (abstract_body, concrete_body, verdict, is_ill_defined) in BODIES {
        let abstraction = format!(
            "MACHINE Abs SETS SS VARIABLES xx INVARIANT xx : 0..1 INITIALISATION xx := 0\nOPERATIONS oo = {abstract_body}; pp = xx := 1 - xx END\n"
        );
        let refinement = format!(
            "REFINEMENT Con REFINES Abs VARIABLES yy, rr INVARIANT yy = xx & rr : INTEGER INITIALISATION yy := 0 || rr := 0\n\
             OPERATIONS oo = {concrete_body}; pp = yy := 1 - yy END\n"
        );
        let text = PairText { abstraction, refinement, new_is_skip: false };
        let model = model_of(&text, 1);
        let models = Models::of(&model).expect("a refinement");
        let choices = RefineConfig { notion: Notion::Simulation, new_is_skip: false, antichains: true };
        let report = run(&models, choices, Method::Off, 1);
        let found = (report.verdict, report.ill_defined.is_some());
        assert_eq!(found, (verdict, is_ill_defined), "{} {:?}", text.refinement, report.limits);
    }
}

/// Conjuncts of a precondition about results are typing, also where it is asked which calls it allows.
#[test]
fn preconditions_may_type_results() {
    let abstraction = "MACHINE Abs SETS SS OPERATIONS rr, tt <-- oo(vv) = PRE vv : 0..3 & rr : INT & tt : 0..9 THEN rr := 10 - vv || tt := vv END END\n";
    let refinement =
        "REFINEMENT Con REFINES Abs OPERATIONS rr, tt <-- oo(vv) = BEGIN tt := vv ; rr := 10 - tt END END\n";
    let text = PairText { abstraction: abstraction.to_owned(), refinement: refinement.to_owned(), new_is_skip: false };
    let model = model_of(&text, 1);
    let models = Models::of(&model).expect("a refinement");
    assert_eq!(compare(&models, Notion::Simulation, false, abstraction), Ok(Judged::Holds));
}

/// Initialisations of both levels, some with an outcome that divides by zero. Without constants there is no state out of which it could be told.
const STARTS: [(&str, &str, [Verdict; 3]); 5] = [
    ("xx :: 0..3", "yy := 0", [Verdict::Holds; 3]),
    ("xx :: 0..3", "yy := 1 / (1 - 1)", [Verdict::Violated; 3]),
    ("xx :: 0..3", "CHOICE yy := 0 OR yy := 1 / (1 - 1) END", [Verdict::Violated; 3]),
    ("xx := 1 / (1 - 1)", "yy := 0", [Verdict::Violated; 3]),
    ("CHOICE xx := 0 OR xx := 1 / (1 - 1) END", "yy := 0", [Verdict::Violated; 3]),
];

/// The parameter has bounds in the abstraction only, which is no failure of the operation in whose evaluation a run ends.
#[test]
fn a_stop_is_no_failure_of_an_operation() {
    let abstraction = "MACHINE Abs SETS SS VARIABLES v INVARIANT v : 0..9 INITIALISATION v := 0
        OPERATIONS set(x) = PRE x : 0..9 THEN v := x END END";
    let refinement = "REFINEMENT Con REFINES Abs CONCRETE_VARIABLES w INVARIANT w = v INITIALISATION w := 0
        OPERATIONS set(x) = VAR i IN
            i := 0; WHILE i < 5000 * x DO i := i + 1 INVARIANT i : NATURAL VARIANT 5000 * x - i END; w := x
          END
        END";
    let model =
        model_of(&PairText { abstraction: abstraction.into(), refinement: refinement.into(), new_is_skip: false }, 1);
    let models = Models::of(&model).expect("a refinement");
    let choices = RefineConfig { notion: Notion::Simulation, new_is_skip: false, antichains: true };
    let mut n_ended = 0;
    for poll in 0..40 {
        let n_polls = AtomicU64::new(0);
        let stop = StopFlag::probed(move || n_polls.fetch_add(1, Ordering::Relaxed) >= poll);
        let report = refine(&models, &Config { stop, ..Config::default() }, choices, &mut ());
        n_ended += u32::from(report.verdict == Verdict::Incomplete);
        assert!(report.failures.is_empty(), "{poll}: {:?}", report.failures);
    }
    assert!(n_ended > 10, "only {n_ended} runs were ended");
}

#[test]
fn an_ill_defined_start_never_refines() {
    for constants in ["", "CONSTANTS kk PROPERTIES kk : 0..1"] {
        for (abstract_start, concrete_start, verdicts) in STARTS {
            let abstraction = format!(
                "MACHINE Abs SETS SS {constants} VARIABLES xx INVARIANT xx : 0..3 INITIALISATION {abstract_start} OPERATIONS oo = xx := 0 END\n"
            );
            let refinement = format!(
                "REFINEMENT Con REFINES Abs VARIABLES yy INVARIANT yy = xx INITIALISATION {concrete_start} OPERATIONS oo = yy := 0 END\n"
            );
            let text = PairText { abstraction, refinement, new_is_skip: false };
            let model = model_of(&text, 1);
            let models = Models::of(&model).expect("a refinement");
            for (notion, verdict) in NOTIONS.into_iter().zip(verdicts) {
                let choices = RefineConfig { notion, new_is_skip: false, antichains: true };
                let report = run(&models, choices, Method::Off, 1);
                let found = (report.verdict, report.ill_defined.is_some());
                let place = format!("{notion:?} {} {}", text.abstraction, text.refinement);
                assert_eq!(found, (verdict, verdict == Verdict::Violated), "{place} {:?}", report.limits);
                assert!(compare(&models, notion, false, &place).is_ok(), "{place}");
            }
        }
    }
}

#[test]
fn refinements_of_the_corpus_agree_with_the_judge() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let Ok(list) = std::fs::read_to_string(corpus.join("refinement.csv")) else {
        eprintln!("SKIPPED: no corpus");
        return;
    };
    if std::env::var_os("RUN_SLOW").is_none() {
        eprintln!("SKIPPED: RUN_SLOW is not set, and the judge is slow");
        return;
    }
    let mut paths: Vec<&str> = list.lines().skip(1).filter_map(|line| line.split(',').next()).collect();
    paths.dedup();
    let part = range_of("CORPUS", 0..paths.len() as u64);
    let is_whole = part == (0..paths.len() as u64);
    let (mut n_judged, mut n_partial, mut n_unknown) = (0, 0, 0);
    for (_, path) in (0..).zip(paths).filter(|(number, _)| part.contains(number)) {
        let options = Options { ignore_abstract_preconditions: true, ..Options::default() };
        let Some(model) = analyse(&FolderFiles, &corpus.join("machines").join(path), &options).model else {
            eprintln!("{path}: no model");
            continue;
        };
        let Some(models) = Models::of(&model) else {
            eprintln!("{path}: no abstraction");
            continue;
        };
        if let Err(why) = small_levels(&models) {
            eprintln!("{path}: not small: {why}");
            continue;
        }
        for notion in NOTIONS {
            let start = Instant::now();
            match compare_until(&models, notion, false, path, &deadline) {
                Ok(judged) => {
                    eprintln!("{path} {notion:?}: {judged:?} in {:.1} s", start.elapsed().as_secs_f64());
                    n_judged += 1;
                }
                Err(Lost::NoStart) => {
                    let choices = RefineConfig { notion, new_is_skip: false, antichains: true };
                    let report = run(&models, choices, Method::Off, 1);
                    assert_eq!(report.verdict, Verdict::Incomplete, "{path} {notion:?}");
                    assert!(report.limits.iter().any(|limit| limit.contains("no initial state")), "{path} {notion:?}");
                    eprintln!("{path} {notion:?}: no initial state");
                    n_judged += 1;
                }
                Err(Lost::Unbounded(why)) => {
                    eprintln!("{path} {notion:?}: {}, without bounds: {why}", compare_part(&models, notion, path));
                    n_partial += 1;
                }
                Err(lost) => {
                    eprintln!("{path} {notion:?}: beyond the judge: {lost:?}");
                    n_unknown += 1;
                }
            }
        }
    }
    eprintln!("{n_judged} comparisons judged, {n_partial} as far as there are bounds, {n_unknown} beyond the judge");
    assert_eq!(n_unknown, 0);
    assert!(!is_whole || n_judged >= 30, "{n_judged}");
}

/// States of a level up to which the judge is asked.
const MAX_LEVEL_STATES: u64 = 5_000;

/// Neither level is known to have many states; else the reason.
fn small_levels(models: &Models) -> Result<(), String> {
    for model in [&models.concrete, &models.abstracted] {
        let config = Config {
            invariant: false,
            deadlock: false,
            assertions: false,
            goal: false,
            find_all: true,
            max_states: Some(MAX_LEVEL_STATES),
            stop: deadline(),
            ..Config::default()
        };
        let report = abridge_check::check(model, &config, &mut ());
        // What cannot be evaluated by a level alone may be well in a pair: arguments are those of the abstraction.
        if report.limits.iter().any(|limit| limit.starts_with("stopped after") || limit.contains("aborted")) {
            return Err(format!("{}: {} states, {}", model.name, report.states, report.limits.join("; ")));
        }
    }
    Ok(())
}
