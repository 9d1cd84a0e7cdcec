//! Runs that are interrupted, saved and gone on with, and runs that keep states in files, report what plain runs report.

use std::num::NonZero;
use std::sync::{Arc, LazyLock};

use abridge_check::{
    Checkpoint, Config, Control, Disk as DiskOf, DiskUse, Key, Progress, Ram, Refusal, Report, Volume, check,
    check_on_disk, fingerprint,
};
use abridge_model::{Logic, Model};
use abridge_system::Limit;
use abridge_testkit::Project;
use abridge_testkit::models::model;
use abridge_value::bytes::{DIGEST_BYTES, Digest, Reader, put_number, seal};

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
    // Which evaluator a run chooses depends on the clock, and a part may be too short for a choice.
    report.sliced = None;
    format!("{report:#?}")
}

fn key() -> &'static Key {
    static KEY: LazyLock<Key> = LazyLock::new(|| Key::new([1; 32]));
    &KEY
}

fn disk<'v>(saved: &'v Ram, resume: bool, scratch: Option<&'v Ram>) -> DiskOf<'v> {
    let checkpoint = Some(Checkpoint { volume: saved, key: key(), fingerprint: [7; 32], resume });
    DiskOf { checkpoint, spill: scratch.map(|volume| volume as &dyn Volume) }
}

/// Interrupts a run again and again; the report of the last part and the number of parts.
fn in_parts(model: &Model, config: &Config, polls: u32, scratch: Option<(&Ram, u64)>) -> (Report, u32) {
    let saved = Ram::new();
    let (scratch, memory) = scratch.map_or((None, u64::MAX), |(volume, memory)| (Some(volume), memory));
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
        let (report, _) = in_parts(&grid, &config, u32::MAX / 2, Some((&scratch, 300_000)));
        assert!(report.disk.is_spilled);
        assert_eq!(essence(report), whole);
        let (report, _) = in_parts(&grid, &config, 300, Some((&scratch, 300_000)));
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
    let checkpoint = Some(Checkpoint { volume: &saved, key: key(), fingerprint: [8; 32], resume: true });
    let other = DiskOf { checkpoint, spill: None };
    let run = check_on_disk(&model("lift.mch"), &config, other, &mut patient());
    assert!(matches!(run, Err(Refusal::OtherModel)));
    // Even one that pretends to be the same is found out.
    let run = check_on_disk(&model("lift.mch"), &config, disk(&saved, true, None), &mut patient());
    assert!(matches!(run, Err(Refusal::Damaged)));
}

/// What stands before the lengths of files in a manifest: a mark, the version, the name of the key, the fingerprint.
const HEAD_BYTES: usize = 8 + 1 + DIGEST_BYTES + DIGEST_BYTES;
const GROWING: [&str; 5] = ["roots", "quads", "parents", "values", "steps"];

/// A saved run as somebody with the key could have changed it: one file is another one, and all digests are right.
fn forged(saved: &Ram, name: &str, change: impl FnOnce(&mut Vec<u8>)) -> Ram {
    let read = |name: &str| saved.read(name).expect("a file of the checkpoint");
    let copy = Ram::new();
    let manifest = read("manifest");
    let (head, body) = manifest.split_at(HEAD_BYTES);
    let mut reader = Reader::new(&body[..body.len() - DIGEST_BYTES]);
    for _ in GROWING {
        let _ = (reader.number(), reader.array::<DIGEST_BYTES>());
    }
    let mut rest = body[body.len() - DIGEST_BYTES - reader.len()..body.len() - DIGEST_BYTES].to_vec();
    let mut contents: Vec<Vec<u8>> = GROWING.map(read).into();
    match GROWING.iter().position(|file| *file == name) {
        Some(file) => change(&mut contents[file]),
        None => change(&mut rest),
    }
    let mut out = head.to_vec();
    for (file, content) in GROWING.iter().zip(&contents) {
        copy.replace(file, content).expect("there is room");
        let mut digest = Digest::keyed(key());
        digest.add(content);
        put_number(&mut out, content.len() as u64);
        out.extend_from_slice(&digest.get());
    }
    out.extend_from_slice(&rest);
    seal(key(), &mut out);
    copy.replace("manifest", &out).expect("there is room");
    copy
}

/// Digests cannot tell what somebody with the key has written, so nothing that is read may be relied on: whatever it is, it is refused or
/// gone on with, and nothing panics or loops.
#[test]
fn nothing_that_was_forged_with_the_key_makes_it_panic() {
    let mut random = 88_172_645_463_325_252_u64;
    let mut next = move |bound: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random % bound.max(1) as u64) as usize
    };
    let (mut n_refused, mut n_gone_on) = (0, 0);
    let config = Config { find_all: true, ..Config::default() };
    let without = |text: &str| (Project::model_of(text), config.clone(), 9);
    let (with_steps, with_formulas) = rounds(&config);
    for (model, config, polls) in [without(MANY_KINDS), without(GRID), (with_steps, with_formulas, 99)] {
        let saved = Ram::new();
        let mut control = Impatient { polls, memory: u64::MAX };
        let run = check_on_disk(&model, &config, disk(&saved, false, None), &mut control);
        assert!(run.is_ok_and(|report| report.disk.n_checkpoints == 1));
        for round in 0..500 {
            let name = ["manifest", "roots", "quads", "parents", "values", "steps"][round % 6];
            let copy = forged(&saved, name, |bytes| {
                let at = next(bytes.len());
                match next(6) {
                    _ if bytes.is_empty() => bytes.push(1),
                    0 => bytes[at] ^= 1 << next(8),
                    1 => bytes[at] = 0xff,
                    2 => bytes[at] = 0,
                    3 => bytes[at] = bytes[at].wrapping_add(1),
                    4 => _ = bytes.remove(at),
                    _ => bytes.insert(at, 0x7f),
                }
            });
            let mut control = Impatient { polls: 20, memory: u64::MAX };
            match check_on_disk(&model, &config, disk(&copy, true, None), &mut control) {
                Ok(_) => n_gone_on += 1,
                Err(Refusal::Damaged) => n_refused += 1,
                Err(other) => panic!("{name}: {other:?}"),
            }
        }
    }
    assert!(n_refused > 300 && n_gone_on > 0, "{n_refused} refused, {n_gone_on} gone on with");
}

#[test]
fn a_checkpoint_by_another_key_is_refused() {
    let saved = Ram::new();
    let config = Config { find_all: true, ..Config::default() };
    let model = Project::model_of(MANY_KINDS);
    let mut control = Impatient { polls: 4, memory: u64::MAX };
    let run = check_on_disk(&model, &config, disk(&saved, false, None), &mut control);
    assert!(run.is_ok_and(|report| report.disk.n_checkpoints == 1));
    let other = Key::new([2; DIGEST_BYTES]);
    let checkpoint = Some(Checkpoint { volume: &saved, key: &other, fingerprint: [7; 32], resume: true });
    let run = check_on_disk(&model, &config, DiskOf { checkpoint, spill: None }, &mut patient());
    assert!(matches!(run, Err(Refusal::OtherKey)));
    // The name of the key alone opens nothing.
    let mut manifest = saved.read("manifest").expect("a manifest");
    manifest[9..9 + DIGEST_BYTES].copy_from_slice(&other.name());
    saved.replace("manifest", &manifest).expect("there is room");
    let run = check_on_disk(&model, &config, DiskOf { checkpoint, spill: None }, &mut patient());
    assert!(matches!(run, Err(Refusal::Damaged)));
}

/// Two counters that go round, one of which may stop for ever.
const ROUNDS: &str = "
    MACHINE r
    CONSTANTS top
    PROPERTIES top = 200
    VARIABLES a, b, c
    INVARIANT a : 0..top & b : 0..top & c : BOOL
    INITIALISATION a := 0 || b :: {0, 1} || c := FALSE
    OPERATIONS
      left = SELECT a < top & c = FALSE THEN a := a + 1 END;
      right = SELECT b < top THEN b := b + 1 END;
      stop = SELECT a = 17 & b > 20 THEN c := TRUE END;
      again = SELECT a = top THEN a := 0 END;
      back = SELECT b = top THEN b := 0 END
    END
";

/// The machine with formulas, and the verdicts of these: a response and an existence that fail late, a safety property that fails, and others that hold, with and without fairness.
const OF_ROUNDS: [(Logic, &str, &str); 8] = [
    (Logic::Ltl, "G ({a = 16} => F {a = 17 or c = TRUE})", "violated"),
    (Logic::Ltl, "WF(left) => G F ([again] or {c = TRUE})", "violated"),
    (Logic::Ltl, "SF(right) & WF(left) & WF(again) => G ({c = FALSE} => F ({a = 0} or {c = TRUE}))", "holds"),
    (Logic::Ltl, "WEF => G F [back]", "holds"),
    (Logic::Ltl, "G {a + b < top + top - 1}", "violated"),
    (Logic::Ltl, "G ([stop] => X G not [left])", "holds"),
    (Logic::Ctl, "AG EF {b = 0}", "holds"),
    (Logic::Ctl, "AG EF {a = 0}", "violated"),
];

fn rounds(config: &Config) -> (Model, Config) {
    let project = Project::new(&[("r.mch", ROUNDS)]);
    let formulas = OF_ROUNDS.map(|(logic, text, _)| (logic, text));
    let (model, prepared) =
        project.with_formulas(&formulas, config).unwrap_or_else(|| panic!("{}", project.diagnostics()));
    (model, Config { formulas: Arc::new(prepared), ..config.clone() })
}

#[test]
fn temporal_formulas_with_steps_in_files_and_in_parts() {
    let workers = NonZero::new(2).unwrap_or(NonZero::<usize>::MIN);
    let (model, mut config) = rounds(&Config { find_all: true, workers, ..Config::default() });
    // What is remembered would be most of the memory of so small a run.
    config.system.memo = false;
    let whole = check(&model, &config, &mut patient());
    for (report, (_, text, verdict)) in whole.temporal.iter().zip(OF_ROUNDS) {
        assert_eq!(report.verdict.name(), verdict, "{text}: {report:#?}");
    }
    let whole = essence(whole);
    let scratch = Ram::new();
    // With less memory, too little of it is taken by states; with more, it is not used up.
    let is_moved = |memory: &u64| {
        let disk = DiskOf { checkpoint: None, spill: Some(&scratch) };
        let run = check_on_disk(&model, &config, disk, &mut Impatient { polls: u32::MAX, memory: *memory });
        let report = run.unwrap_or_else(|refusal| panic!("{refusal:?}"));
        let is_moved = report.disk.is_spilled && report.limits.is_empty();
        assert!(!is_moved || essence(report) == whole, "in files, with {memory} bytes");
        is_moved
    };
    let memory = (2..40).map(|n| n * 100_000).find(is_moved).expect("states go to files");
    for scratch in [None, Some((&scratch, memory))] {
        let (report, n_parts) = in_parts(&model, &config, 150, scratch);
        assert!(n_parts > 1);
        assert_eq!(report.disk.is_spilled, scratch.is_some());
        assert_eq!(essence(report), whole, "{n_parts} parts");
    }
    let alone = Config { workers: NonZero::<usize>::MIN, ..config.clone() };
    assert_eq!(essence(check(&model, &alone, &mut patient())), whole);
}
