//! Comparisons of two machines beyond verdicts: saved and gone on with, with pairs in files, over several levels, and with
//! abstractions that leave very much open.

use std::num::NonZero;
use std::sync::LazyLock;

use abridge_check::{
    Checkpoint, Config, Control, Disk, DiskUse, Key, Method, Models, Notion, Obligation, Progress, Ram, RefineConfig,
    Refinement, Refusal, Verdict, Volume, refine, refine_on_disk,
};
use abridge_diag::StopFlag;
use abridge_model::Model;
use abridge_system::Limit;
use abridge_testkit::Project;
use abridge_testkit::refinement::{Judged, RefinementQuestion, judge_refinement};

const NOTIONS: [Notion; 3] = [Notion::Traces, Notion::Simulation, Notion::Failures];

fn model_of(files: &[(&str, &str)]) -> Model {
    let mut project = Project::new(files);
    project.options.ignore_abstract_preconditions = true;
    let analysis = project.analyse();
    analysis.model.unwrap_or_else(|| panic!("{}", project.diagnostics()))
}

fn choices(notion: Notion) -> RefineConfig {
    RefineConfig { notion, new_is_skip: false, antichains: true }
}

fn config(workers: usize, symmetry: Method) -> Config {
    Config { workers: NonZero::new(workers).unwrap_or(NonZero::<usize>::MIN), symmetry, ..Config::default() }
}

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

/// All that does not depend on memory and files.
fn essence(mut report: Refinement) -> String {
    report.table_bytes = 0;
    report.disk = DiskUse::default();
    format!("{report:#?}")
}

fn disk<'v>(saved: &'v Ram, resume: bool, scratch: Option<&'v Ram>) -> Disk<'v> {
    static KEY: LazyLock<Key> = LazyLock::new(|| Key::new([1; 32]));
    let checkpoint = Some(Checkpoint { volume: saved, key: &KEY, fingerprint: [7; 32], resume });
    Disk { checkpoint, spill: scratch.map(|volume| volume as &dyn Volume) }
}

/// Length of the runs of [`hidden`].
const LEN: u32 = 24;

/// The abstraction may be in several states, some of which `test` rules out; the refinement has a bound `last` that may be wrong.
fn hidden(last: u32) -> Model {
    let abstraction = "
        MACHINE Abs
        VARIABLES aa, bb
        INVARIANT aa : 0..40 & bb : 0..LEN
        INITIALISATION aa :: 0..3 || bb := 0
        OPERATIONS
          step = SELECT bb < LEN THEN ANY dd WHERE dd : 0..1 THEN aa := aa + dd || bb := bb + 1 END END;
          rr <-- test = rr := bool(aa >= bb);
          rr <-- show = SELECT bb = LEN THEN rr := aa END;
          back = SELECT bb > 0 THEN bb := bb - 1 || aa := max({aa - 1, 0}) END
        END";
    let refinement = "
        REFINEMENT Con REFINES Abs
        VARIABLES cc, ee
        INVARIANT cc : 0..40 & ee : 0..LEN & cc = aa & ee = bb
        INITIALISATION cc :: 0..3 || ee := 0
        OPERATIONS
          step = SELECT ee < LEN THEN CHOICE cc := cc OR cc := cc + 1 END || ee := ee + 1 END;
          rr <-- test = rr := bool(cc >= ee);
          rr <-- show = SELECT ee = LAST THEN rr := cc END;
          back = SELECT ee > 0 THEN ee := ee - 1 || cc := max({cc - 1, 0}) END
        END";
    let [refinement, abstraction] = [refinement.replace("LAST", &last.to_string()), abstraction.to_owned()];
    let [refinement, abstraction] = [refinement, abstraction].map(|text| text.replace("LEN", &LEN.to_string()));
    model_of(&[("Con.ref", &refinement), ("Abs.mch", &abstraction)])
}

/// Interrupts a comparison again and again, with another number of workers each time; the report of the last part and the number of parts.
fn in_parts(models: &Models, choices: RefineConfig, symmetry: Method, scratch: Option<&Ram>) -> (Refinement, u32) {
    let saved = Ram::new();
    let memory = if scratch.is_some() { 200_000 } else { u64::MAX };
    let mut n_parts = 0;
    loop {
        let mut control = Impatient { polls: 2 + n_parts, memory };
        let config = config([1, 2, 8][n_parts as usize % 3], symmetry);
        let run = refine_on_disk(models, &config, choices, disk(&saved, n_parts > 0, scratch), &mut control);
        let report = run.unwrap_or_else(|refusal| panic!("{refusal:?}"));
        n_parts += 1;
        if saved.names().is_empty() {
            return (report, n_parts);
        }
    }
}

#[test]
fn comparisons_in_parts() {
    for last in [LEN, LEN - 1] {
        let model = hidden(last);
        let models = Models::of(&model).expect("a refinement");
        for notion in NOTIONS {
            let choices = choices(notion);
            let whole = refine(&models, &config(1, Method::Auto), choices, &mut ());
            assert_eq!(whole.verdict == Verdict::Holds, last == LEN, "{notion:?} {:?}", whole.limits);
            let whole = essence(whole);
            for workers in [2, 8] {
                let many = refine(&models, &config(workers, Method::Auto), choices, &mut ());
                assert_eq!(essence(many), whole, "{notion:?} with {workers} workers");
            }
            for scratch in [None, Some(&Ram::new())] {
                let (report, n_parts) = in_parts(&models, choices, Method::Auto, scratch);
                assert!(n_parts > 1 || last != LEN || notion == Notion::Simulation, "{notion:?} was not interrupted");
                assert_eq!(essence(report), whole, "{notion:?} in {n_parts} parts");
            }
        }
    }
}

#[test]
fn pairs_go_to_files() {
    let abstraction = "
        MACHINE Abs VARIABLES aa INVARIANT aa : BOOL INITIALISATION aa := FALSE
        OPERATIONS one = BEGIN skip END; two = BEGIN skip END; three = BEGIN skip END; rr <-- get = BEGIN rr := aa END
        END";
    let refinement = "
        REFINEMENT Con REFINES Abs VARIABLES c1, c2, c3 INVARIANT c1 : 0..35 & c2 : 0..35 & c3 : 0..35
        INITIALISATION c1 := 0 || c2 := 0 || c3 := 0
        OPERATIONS
          one = SELECT c1 < 35 THEN c1 := c1 + 1 END;
          two = SELECT c2 < 35 THEN c2 := c2 + 1 END;
          three = SELECT c3 < 35 THEN c3 := c3 + 1 END;
          rr <-- get = BEGIN rr := FALSE END
        END";
    let model = model_of(&[("Con.ref", refinement), ("Abs.mch", abstraction)]);
    let models = Models::of(&model).expect("a refinement");
    let choices = choices(Notion::Traces);
    let whole = refine(&models, &config(2, Method::Auto), choices, &mut ());
    let scratch = Ram::new();
    let disk = Disk { checkpoint: None, spill: Some(&scratch) };
    let mut control = Impatient { polls: u32::MAX, memory: 500_000 };
    let report = refine_on_disk(&models, &config(2, Method::Auto), choices, disk, &mut control).expect("no checkpoint");
    assert!(report.disk.is_spilled, "nothing was spilled: {} bytes", report.table_bytes);
    assert_eq!(essence(report), essence(whole));
}

#[test]
fn damaged_comparisons_are_refused() {
    let model = hidden(LEN);
    let models = Models::of(&model).expect("a refinement");
    let choices = choices(Notion::Traces);
    let saved = Ram::new();
    let mut control = Impatient { polls: 2, memory: u64::MAX };
    let first = refine_on_disk(&models, &config(1, Method::Off), choices, disk(&saved, false, None), &mut control);
    assert_eq!(first.map(|report| report.verdict).ok(), Some(Verdict::Incomplete));
    // Tables of another machine: what the words stand for is not there.
    let other = hidden(LEN - 1);
    let others = Models::of(&other).expect("a refinement");
    let mut fewer = disk(&saved, true, None);
    fewer.checkpoint = fewer.checkpoint.map(|checkpoint| Checkpoint { fingerprint: [8; 32], ..checkpoint });
    let refused = refine_on_disk(&others, &config(1, Method::Off), choices, fewer, &mut ());
    assert!(matches!(refused, Err(Refusal::OtherModel)), "{refused:?}");
    let again = refine_on_disk(&models, &config(1, Method::Off), choices, disk(&saved, true, None), &mut ());
    assert_eq!(again.map(|report| report.verdict).ok(), Some(Verdict::Holds));
}

/// An abstraction that says next to nothing about variables that its refinement keeps.
fn open(initial: &str, step: &str) -> Model {
    let abstraction = "
        MACHINE Abs
        VARIABLES v1, v2, v3, v4, v5, v6, v7, v8
        INVARIANT v1 : 0..9 & v2 : 0..9 & v3 : 0..9 & v4 : 0..9 & v5 : 0..9 & v6 : 0..9 & v7 : 0..9 & v8 : BOOL
        INITIALISATION
          v1, v2, v3, v4, v5, v6, v7 : (v1 : 0..9 & v2 : 0..9 & v3 : 0..9 & v4 : 0..9 & v5 : 0..9 & v6 : 0..9 & v7 : 0..9) ||
          v8 :: BOOL
        OPERATIONS
          step = BEGIN
            v1, v2, v3, v4, v5, v6, v7 :
              (v1 : 0..9 & v2 : 0..9 & v3 : 0..9 & v4 : 0..9 & v5 : 0..9 & v6 : 0..9 & v7 : 0..9 & v1 > v1$0)
          END
        END";
    let refinement = format!(
        "REFINEMENT Con REFINES Abs
        VARIABLES v1, v2, v3, v4, v5, v6, v7, v8
        INITIALISATION v1 := {initial} || v2 := 0 || v3 := 0 || v4 := 0 || v5 := 0 || v6 := 0 || v7 := 0 || v8 := TRUE
        OPERATIONS step = SELECT v1 < 9 THEN v1 := {step} || v2 := v1 END
        END"
    );
    model_of(&[("Con.ref", &refinement), ("Abs.mch", abstraction)])
}

#[test]
fn kept_variables_decide_abstract_choices() {
    let run = |model: &Model| {
        let models = Models::of(model).expect("a refinement");
        refine(&models, &config(1, Method::Off), choices(Notion::Simulation), &mut ())
    };
    let right = run(&open("0", "v1 + 1"));
    assert_eq!((right.verdict, right.pairs), (Verdict::Holds, 10), "{:?}", right.limits);
    let at_start = run(&open("10", "v1 + 1"));
    let failed = |report: &Refinement| {
        let found = report.counterexample.clone().expect("a counterexample");
        (found.failed.map(|failed| failed.obligation), found.steps.len())
    };
    assert_eq!(failed(&at_start), (Some(Obligation::Initialisation), 1), "{:?}", at_start.limits);
    let later = run(&open("3", "IF v1 = 5 THEN v1 ELSE v1 + 1 END"));
    assert_eq!(failed(&later), (Some(Obligation::Outcome), 4), "{:?}", later.limits);
}

/// A variable that is assigned twice: its first value is not its last, and nothing may be concluded from the last.
#[test]
fn variables_that_are_assigned_twice_decide_nothing() {
    let abstraction = "
        MACHINE Abs
        VARIABLES xx, yy
        INVARIANT xx : 0..3 & yy : 0..3
        INITIALISATION xx := 0 || yy := 0
        OPERATIONS
          set = BEGIN xx :: 0..3; yy := xx; xx := 0 END;
          rr <-- get = rr := yy
        END";
    let refinement = "
        REFINEMENT Con REFINES Abs
        VARIABLES xx, zz
        INVARIANT zz : 0..3 & zz = yy
        INITIALISATION xx := 0 || zz := 0
        OPERATIONS
          set = BEGIN xx := 0 ; zz :: 1..2 END;
          rr <-- get = rr := zz
        END";
    let model = model_of(&[("Con.ref", refinement), ("Abs.mch", abstraction)]);
    let models = Models::of(&model).expect("a refinement");
    for notion in NOTIONS {
        let question = RefinementQuestion {
            notion,
            new_is_skip: false,
            forgives_abstraction: false,
            forgives_gaps: false,
            max_pairs: 1_000,
        };
        assert_eq!(judge_refinement(&models, question, &StopFlag::default()), Ok(vec![Judged::Holds]));
        let report = refine(&models, &config(1, Method::Off), choices(notion), &mut ());
        assert_eq!(report.verdict, Verdict::Holds, "{notion:?} {:?}", report.limits);
    }
}

/// Each level of a chain has a gluing invariant about the next one.
#[test]
fn chains_are_compared_link_by_link() {
    let files = |last: &str| {
        [
            (
                "CC.ref",
                "REFINEMENT CC REFINES BB VARIABLES cc INVARIANT cc : 0..9 & cc = bb + 1 INITIALISATION cc := 1
                 OPERATIONS up = SELECT cc < 4 THEN cc := cc + 1 END END"
                    .to_owned(),
            ),
            (
                "BB.ref",
                format!(
                    "REFINEMENT BB REFINES AA VARIABLES bb INVARIANT bb : 0..9 & 2 * bb = aa INITIALISATION bb := 0
                     OPERATIONS up = SELECT bb < {last} THEN bb := bb + 1 END END"
                ),
            ),
            (
                "AA.mch",
                "MACHINE AA VARIABLES aa INVARIANT aa : 0..9 INITIALISATION aa := 0
                 OPERATIONS up = SELECT aa < 6 THEN aa := aa + 2 END END"
                    .to_owned(),
            ),
        ]
    };
    for (last, fails_at) in [("3", None), ("4", Some(1))] {
        let files = files(last);
        let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
        let model = model_of(&files);
        let links: Vec<Models> = (0..).map_while(|level| Models::of_link(&model, level)).collect();
        let names = |models: &Models| format!("{} {}", models.concrete_level.name, models.abstract_level.name);
        assert_eq!(links.iter().map(names).collect::<Vec<_>>(), ["CC BB", "BB AA"]);
        let run = |models| refine(models, &config(1, Method::Off), choices(Notion::Simulation), &mut ());
        let failing = links.iter().position(|models| run(models).verdict == Verdict::Violated);
        assert_eq!(failing, fails_at, "bound {last}");
        assert!(links.iter().all(|models| run(models).limits.is_empty()));
    }
}

/// Both levels have one valuation of the constants: VALUES of the implementation choose among those that the abstraction allows.
#[test]
fn implementations_with_values_and_imports() {
    let run = |value: &str| {
        let implementation = format!(
            "IMPLEMENTATION Imp REFINES Abs IMPORTS Counter VALUES nn = {value} INVARIANT cc = aa INITIALISATION set(0)
             OPERATIONS rr <-- up = BEGIN inc; rr <-- get END END"
        );
        let model = model_of(&[
            ("Imp.imp", &implementation),
            (
                "Abs.mch",
                "MACHINE Abs CONCRETE_CONSTANTS nn PROPERTIES nn : 1..3 VARIABLES aa INVARIANT aa : 0..3
                 INITIALISATION aa := 0 OPERATIONS rr <-- up = PRE aa < nn THEN aa := aa + 1 || rr := aa + 1 END END",
            ),
            (
                "Counter.mch",
                "MACHINE Counter VARIABLES cc INVARIANT cc : 0..9 INITIALISATION cc := 5
                 OPERATIONS set(xx) = PRE xx : 0..9 THEN cc := xx END; inc = PRE cc < 9 THEN cc := cc + 1 END;
                 rr <-- get = BEGIN rr := cc END END",
            ),
        ]);
        let models = Models::of(&model).expect("an implementation");
        refine(&models, &config(1, Method::Off), choices(Notion::Simulation), &mut ())
    };
    for (value, n_pairs) in [("1", 1 + 2), ("2", 1 + 3), ("3", 1 + 4)] {
        let report = run(value);
        assert_eq!((report.verdict, report.pairs), (Verdict::Holds, n_pairs), "nn = {value}: {:?}", report.limits);
    }
    assert_eq!(run("4").verdict, Verdict::Incomplete);
}
