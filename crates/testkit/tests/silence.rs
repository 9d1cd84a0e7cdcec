//! Runs are ended at any poll, and poll often.
//!
//! In small what `examples/limits.rs` does with a folder of machines: the flag is raised at every poll of a short run. A run that was ended must neither claim that the
//! machine holds nor find what is not there.

use std::num::NonZero;
use std::sync::Arc;
use std::time::Duration;

use abridge_check::{FoundViolations, Method, PorMode, Prepared, Strategy, Verdict};
use abridge_testkit::silence::{Listened, LoadedMachine, RunOptions, listen, load};
use abridge_testkit::{Project, models};

/// Silence that nobody notices, with room for builds without optimisation.
const MAX_SILENCE: Duration = Duration::from_secs(2);
const MACHINES: [&str; 4] = ["Philosophers.mch", "mutex.mch", "Dining.mch", "scheduler1.ref"];
/// Polls at which runs are ended.
const POLLS: [u64; 6] = [1, 2, 3, 10, 100, 1000];

fn machines() -> Vec<(&'static str, LoadedMachine)> {
    MACHINES.into_iter().map(|name| (name, load(&models::path(name)).expect("no mistakes"))).collect()
}

fn settings() -> Vec<RunOptions> {
    let asked = |symmetry, por| RunOptions { symmetry, por, ..RunOptions::default() };
    let methods = [Method::Off, Method::Auto];
    methods.into_iter().flat_map(|method| [PorMode::Off, PorMode::Auto].map(|por| asked(method, por))).collect()
}

fn is_part(part: FoundViolations, whole: FoundViolations) -> bool {
    let list =
        |found: FoundViolations| [found.deadlock, found.invariant, found.assertion, found.ill_defined, found.goal];
    list(part).into_iter().zip(list(whole)).all(|(part, whole)| !part || whole)
}

#[test]
fn a_run_that_is_ended_claims_nothing() {
    let mut n_ended = 0;
    for (name, loaded) in machines() {
        for asked in settings() {
            let whole = listen(&loaded, &asked, None);
            assert!(whole.heard.n_polls > 0, "{name} did not poll");
            assert!(whole.heard.longest.time < MAX_SILENCE, "{name} under {asked:?}: {:?}", whole.heard);
            for poll in POLLS {
                let Listened { heard, report, .. } = listen(&loaded, &asked, Some(poll));
                n_ended += u64::from(report.verdict == Verdict::Incomplete);
                let is_wrong = report.verdict == Verdict::Holds && whole.report.verdict != Verdict::Holds;
                assert!(!is_wrong && is_part(report.found, whole.report.found), "{name} at {poll} under {asked:?}");
                assert!(heard.longest.time < MAX_SILENCE, "{name} at {poll} under {asked:?}: {heard:?}");
            }
        }
    }
    assert!(n_ended >= 16, "only {n_ended} runs were ended");
}

/// Machines that list millions of set-ups or outcomes, the poll at which some hundred thousand have been listed, and the share of the time that
/// may be silent. Outcomes are still to be stored; set-ups have been.
const LISTINGS: [(u64, u32, &str); 3] = [
    (20_000, 16, "CONSTANTS f PROPERTIES f : 0..6 --> 0..9"),
    (20_000, 16, "CONSTANTS f PROPERTIES f : 0..6 --> 0..9 & (f(0) = f(1) or f(2) < 9)"),
    (
        4_000,
        6,
        "VARIABLES v INVARIANT v : INTEGER +-> INTEGER INITIALISATION v := {}
         OPERATIONS op = ANY f WHERE f : 0..6 --> 0..9 & (f(0) = f(1) or f(2) < 9) THEN v := f END",
    ),
];

/// What was listed is dropped elsewhere, if it was noted at all: here, a tenth to a third of the time would be silent.
#[test]
fn the_end_of_a_long_listing_is_not_silent() {
    for (poll, share, text) in LISTINGS {
        ends_soon(text, &long_run(Strategy::BreadthFirst, 1), poll, share);
    }
}

/// Operations with millions of targets out of one state, and the poll at which some hundred thousand have been found.
const FANS: [(u64, &str); 3] = [
    (1_500, "op = ANY s WHERE s : 1..30000000 THEN v := s END"),
    (1_500, "op(s) = PRE s : 1..30000000 THEN v := s END"),
    (150, "op = v :: 1..30000000"),
];

/// The targets of one state are as many as an operation has outcomes. What is kept to tell them apart is not dropped where they are found.
#[test]
fn the_end_among_many_targets_is_not_silent() {
    let strategies = [(Strategy::BreadthFirst, 1), (Strategy::BreadthFirst, 2), (Strategy::DepthFirst, 1), (MIXED, 1)];
    for (strategy, workers) in strategies {
        for (poll, operation) in FANS {
            let text = format!("VARIABLES v INVARIANT v : INTEGER INITIALISATION v := 0 OPERATIONS {operation}");
            ends_soon(&text, &long_run(strategy, workers), poll, 2);
        }
    }
}

const MIXED: Strategy = Strategy::Mixed { seed: 0 };

fn long_run(strategy: Strategy, workers: usize) -> RunOptions {
    let workers = NonZero::new(workers).expect("a worker");
    RunOptions { time: Duration::from_secs(300), bytes: 4 << 30, strategy, workers, ..RunOptions::default() }
}

/// Ends a run at a poll. No silence may be longer than this share of the run.
fn ends_soon(clauses: &str, asked: &RunOptions, poll: u64, share: u32) {
    let model = Project::model_of(&format!("MACHINE M {clauses} END"));
    let loaded = LoadedMachine { model, formulas: Arc::new(Prepared::default()), time: Duration::ZERO };
    let Listened { heard, time, report } = listen(&loaded, asked, Some(poll));
    assert_eq!(report.verdict, Verdict::Incomplete, "{clauses}");
    assert!(heard.n_polls >= poll, "{clauses}: only {} polls", heard.n_polls);
    let silence = &heard.longest;
    assert!(silence.time < time / share, "{clauses} under {asked:?}: silent for {silence:?} of {time:?}");
}
