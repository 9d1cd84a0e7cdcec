//! On real machines the plain interpreter and everything faster give the same answers.
//!
//! The machines lie beside the repository; without them the test says so and does nothing. Large state spaces are left
//! out: how many were compared is asserted. `RUN_SLOW=1` raises the limits.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use abridge_check::{Config, Report, check};
use abridge_model::Model;
use abridge_sema::{Options, analyse};
use abridge_testkit::FolderFiles;

/// Machines that are small enough for these limits; none depends on the clock.
const MIN_COMPARED: usize = 540;

/// The machines with exact published results; by default those that took little time then.
fn machines(slow: bool) -> Option<Vec<PathBuf>> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let expected = std::fs::read_to_string(corpus.join("expected.csv")).ok()?;
    let rows = expected.lines().skip(1).map(|line| line.split(',').collect::<Vec<&str>>());
    let is_wanted = |row: &Vec<&str>| {
        let milliseconds: Option<u64> = row.get(6).and_then(|text| text.parse().ok());
        row.get(1) == Some(&"exact") && (slow || milliseconds.is_some_and(|milliseconds| milliseconds <= 150))
    };
    Some(rows.filter(is_wanted).map(|row| corpus.join("machines").join(row[0])).collect())
}

/// One way of evaluating.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    Plain,
    /// As users get it.
    Fast,
    /// Every search by circuits, however small.
    Circuits,
}

fn explore(model: &Model, way: Way, slow: bool) -> Report {
    let mut config = Config { find_all: true, goal: false, ..Config::default() }.prob();
    config.max_states = Some(if slow { 5000 } else { 120 });
    config.eval.fuel = if slow { 4_000_000 } else { 400_000 };
    config.eval.conflicts = if slow { 100_000 } else { 1000 };
    config.system.compiled = way == Way::Fast;
    config.system.memo = way == Way::Fast;
    match way {
        Way::Plain => config.eval.hard = u64::MAX,
        Way::Fast => {}
        Way::Circuits => (config.eval.hard, config.eval.probe) = (2, 0),
    }
    check(model, &config, &mut ())
}

/// What must not depend on the way; nothing if the run did not come to its end.
fn answer(report: &Report) -> Option<String> {
    let is_cut = report.limits.iter().any(|limit| !limit.contains("MININT") && !limit.contains("two strings"));
    (!is_cut).then(|| {
        format!("{:?} {} states, {} transitions, {:?}", report.verdict, report.states, report.transitions, report.found)
    })
}

#[test]
fn all_ways_agree_on_the_corpus() {
    let slow = std::env::var_os("RUN_SLOW").is_some();
    let Some(machines) = machines(slow) else {
        eprintln!("SKIPPED: ../shared/corpus is not here, so nothing was compared");
        return;
    };
    let queue = Mutex::new(machines.into_iter());
    let compared = Mutex::new((0, 0));
    let differences = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some(path) = queue.lock().expect("no panic").next() else { break };
                    let Some(model) = analyse(&FolderFiles, &path, &Options::default()).model else { continue };
                    let Some(plain) = answer(&explore(&model, Way::Plain, slow)) else { continue };
                    for way in [Way::Fast, Way::Circuits] {
                        let Some(found) = answer(&explore(&model, way, slow)) else { continue };
                        let mut compared = compared.lock().expect("no panic");
                        *(if way == Way::Fast { &mut compared.0 } else { &mut compared.1 }) += 1;
                        if found != plain {
                            let text = format!("{}: plain {plain}; {way:?} {found}", path.display());
                            differences.lock().expect("no panic").push(text);
                        }
                    }
                }
            });
        }
    });
    let (n_fast, n_circuits) = compared.into_inner().expect("no panic");
    eprintln!("compared: {n_fast} with the fast path, {n_circuits} with circuits");
    let differences = differences.into_inner().expect("no panic");
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    assert!(
        n_fast >= MIN_COMPARED && n_circuits >= MIN_COMPARED,
        "only {n_fast} and {n_circuits} machines were compared"
    );
}
