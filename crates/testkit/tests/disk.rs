//! Runs that are interrupted, saved and gone on with, and runs that keep states in files, report what plain runs report.

use std::num::NonZero;

use abridge_check::{
    Checkpoint, Config, Control, Disk as DiskOf, DiskUse, Progress, Ram, Refusal, Report, Volume, check, check_on_disk,
    fingerprint,
};
use abridge_model::Model;
use abridge_system::Limit;
use abridge_testkit::Project;
use abridge_testkit::models::model;

/// Says stop after some polls, and that memory is short beyond some bytes.
struct Impatient {
    polls: u32,
    memory: u64,
}

impl Control for Impatient {
    fn poll(&mut self, progress: &Progress) -> Option<Limit> {
        self.polls = self.polls.saturating_sub(1);
        match self.polls {
            0 => Some(Limit::Interrupted),
            _ => (progress.bytes >= self.memory).then_some(Limit::Memory),
        }
    }
}

fn patient() -> Impatient {
    Impatient { polls: u32::MAX, memory: u64::MAX }
}

/// All that does not depend on memory and files.
fn essence(mut report: Report) -> String {
    report.table_bytes = 0;
    report.disk = DiskUse::default();
    format!("{report:#?}")
}

fn disk<'v>(saved: &'v Ram, resume: bool, scratch: Option<&'v Ram>) -> DiskOf<'v> {
    let checkpoint = Some(Checkpoint { volume: saved, fingerprint: 7, resume });
    DiskOf { checkpoint, spill: scratch.map(|volume| volume as &dyn Volume) }
}

/// Interrupts a run again and again; the report of the last part and the number of parts.
fn in_parts(model: &Model, config: &Config, polls: u32, scratch: Option<&Ram>) -> (Report, u32) {
    let saved = Ram::new();
    let memory = if scratch.is_some() { 300_000 } else { u64::MAX };
    let mut n_parts = 0;
    loop {
        let mut control = Impatient { polls: polls + n_parts, memory };
        let run = check_on_disk(model, config, disk(&saved, n_parts > 0, scratch), &mut control);
        let report = run.unwrap_or_else(|refusal| panic!("{refusal:?}"));
        n_parts += 1;
        if saved.names().is_empty() {
            return (report, n_parts);
        }
    }
}

fn configs() -> impl Iterator<Item = Config> {
    let switches = [(true, 1), (true, 2), (false, 1)];
    switches.into_iter().map(|(find_all, workers)| Config {
        find_all,
        workers: NonZero::new(workers).unwrap_or(NonZero::<usize>::MIN),
        ..Config::default()
    })
}

fn agree(name: &str, model: &Model, must_be_cut: bool) {
    for config in configs() {
        let whole = essence(check(model, &config, &mut patient()));
        for polls in [2, 9] {
            let (report, n_parts) = in_parts(model, &config, polls, None);
            assert!(n_parts > 1 || !must_be_cut || !config.find_all || polls > 2, "{name} was not interrupted");
            assert_eq!(essence(report), whole, "{name} in {n_parts} parts");
        }
    }
}

#[test]
fn models_in_parts() {
    for name in ["scheduler.mch", "Club.mch", "Personnel.mch", "airlock.mch", "locks.mch"] {
        agree(name, &model(name), false);
    }
    agree("Interlocking_Small.mch", &model("Interlocking_Small.mch"), true);
}

/// Several set-ups, symbolic constants and variables, values of many kinds, warnings, and something that is not well-defined.
const MANY_KINDS: &str = "
    MACHINE m
    SETS COLOUR = {red, green, blue}; ITEM
    CONSTANTS twice, table
    PROPERTIES twice = %x.(x : INTEGER | x + x) & table : {1, 2} --> BOOL & card(ITEM) = 2
    VARIABLES n, f, s, r, big, name
    INVARIANT n : 0..40 & f : INTEGER +-> INTEGER & s : ITEM <-> COLOUR & card(s) < 5
    INITIALISATION n := 0 || f := twice || s := {} || r := rec(a: 0, b: {{1}}) || big := 1 || name := \"start\"
    OPERATIONS
      step = SELECT n < 40 THEN n := n + 1 || f := %x.(x : INTEGER | x + n) || big := big * 1000003 END;
      put(i, c) = PRE i : ITEM & c : COLOUR & n mod 20 = 3 THEN s := s <+ {i |-> c} || r := rec(a: n, b: {{n}, 1..n}) END;
      rename = SELECT n mod 7 = 5 & name = \"start\" THEN name := name ^ \"x\" || n := n + 2 END;
      back = SELECT n = 33 & table(1) = TRUE THEN n := max({m | m : 1..n & m * m = 9 & m > card(s) + 1}) || big := 1 END
    END
";

#[test]
fn values_of_many_kinds_in_parts() {
    let model = Project::model_of(MANY_KINDS);
    agree("m", &model, true);
    let report = check(&model, &Config { find_all: true, ..Config::default() }, &mut patient());
    assert!(report.states > 5_000 && report.found.ill_defined, "{} {:?}", report.states, report.found);
}

/// Many states that are cheap to compute, and a violation far away.
const GRID: &str = "
    MACHINE g
    VARIABLES a, b, c
    INVARIANT a : 0..44 & b : 0..44 & c : 0..44 & a + b + c < 130
    INITIALISATION a := 0 || b := 0 || c := 0
    OPERATIONS
      right = SELECT a < 44 THEN a := a + 1 END;
      up = SELECT b < 44 THEN b := b + 1 END;
      away = SELECT c < 44 THEN c := c + 1 END;
      home = SELECT a = b & b = c THEN a := 0 || b := 0 || c := 0 END
    END
";

#[test]
fn files_of_states_change_no_report() {
    let grid = Project::model_of(GRID);
    let whole = check(&grid, &Config { find_all: true, ..Config::default() }, &mut patient());
    assert_eq!((whole.states, whole.found.invariant), (45 * 45 * 45, true));
    for mut config in configs() {
        // What is remembered would be most of the memory of so small a run.
        config.system.memo = false;
        let whole = essence(check(&grid, &config, &mut patient()));
        let scratch = Ram::new();
        let (report, _) = in_parts(&grid, &config, u32::MAX / 2, Some(&scratch));
        assert!(report.disk.is_spilled);
        assert_eq!(essence(report), whole);
        let (report, _) = in_parts(&grid, &config, 300, Some(&scratch));
        assert_eq!(essence(report), whole);
    }
}

#[test]
fn another_model_or_other_options_have_another_fingerprint() {
    let (model, config) = (Project::model_of(MANY_KINDS), Config::default());
    let print = |text: &str, config: &Config| fingerprint(&model, [text].into_iter(), config);
    let own = print(MANY_KINDS, &config);
    assert_eq!(own, print(MANY_KINDS, &config));
    assert_ne!(own, print(&MANY_KINDS.replace("40", "41"), &config));
    assert_ne!(own, print(MANY_KINDS, &Config { find_all: true, ..config.clone() }));
    assert_ne!(own, print(MANY_KINDS, &config.clone().prob()));
    let other = Config { workers: NonZero::<usize>::MAX, max_states: Some(5), ..config.clone() };
    assert_eq!(own, print(MANY_KINDS, &other));
}

#[test]
fn a_checkpoint_of_another_model_is_refused() {
    let saved = Ram::new();
    let config = Config { find_all: true, ..Config::default() };
    let mut control = Impatient { polls: 4, memory: u64::MAX };
    let run = check_on_disk(&Project::model_of(MANY_KINDS), &config, disk(&saved, false, None), &mut control);
    assert!(run.is_ok_and(|report| report.disk.n_checkpoints == 1));
    let checkpoint = Some(Checkpoint { volume: &saved, fingerprint: 8, resume: true });
    let other = DiskOf { checkpoint, spill: None };
    let run = check_on_disk(&model("lift.mch"), &config, other, &mut patient());
    assert!(matches!(run, Err(Refusal::OtherModel)));
    // Even one that pretends to be the same is found out.
    let run = check_on_disk(&model("lift.mch"), &config, disk(&saved, true, None), &mut patient());
    assert!(matches!(run, Err(Refusal::Damaged)));
}
