//! `abridge check` with a disk: runs that are killed and gone on with, runs beyond the memory, and what cannot be done.

mod common;

use std::path::Path;
use std::process::{Child, Stdio};

use common::{Folder, abridge, command};
use serde_json::Value;

/// 405,224 states; every eighth way ends in a corner that breaks the invariant last.
const GRID: &str = "MACHINE grid VARIABLES a, b, c INVARIANT a : 0..73 & b : 0..73 & c : 0..73 & a + b + c < 219
    INITIALISATION a := 0 || b := 0 || c := 0 OPERATIONS
    right = SELECT a < 73 THEN a := a + 1 END; up = SELECT b < 73 THEN b := b + 1 END;
    away(n) = SELECT c < 73 & n : 1..2 & c + n < 74 THEN c := c + n END;
    home = SELECT a = b & b = c THEN a := 0 || b := 0 || c := 0 END END";

/// Sizes of grids for runs that are to be stopped: a run that was over before gets a larger grid.
const SIZES: [u64; 4] = [73, 100, 140, 200];

/// The same grid with another size.
fn grid_to(most: u64) -> String {
    let with = |text: &str, from: &str, to: u64| text.replace(from, &to.to_string());
    with(&with(&with(GRID, "74", most + 1), "73", most), "219", 3 * most)
}

/// The same without a violation, which a run that is ended early may or may not know of by a look ahead.
fn safe_grid(most: u64) -> String {
    let sum = 3 * most;
    grid_to(most).replace(&format!("< {sum}"), &format!("<= {sum}"))
}

fn start(args: &[&str]) -> Child {
    command(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program starts")
}

/// Waits until a run has saved itself so many times; false if it ended before.
fn has_saved(child: &mut Child, dir: &str, times: usize) -> bool {
    let manifest = Path::new(dir).join("manifest");
    let (mut n_saved, mut last) = (0, None);
    while n_saved < times {
        if child.try_wait().expect("a child").is_some() {
            return false;
        }
        // A manifest is replaced as a whole, so another one is another file.
        let this = std::fs::read(&manifest).ok();
        n_saved += usize::from(this.is_some() && this != last);
        last = this.or(last);
        std::thread::yield_now();
    }
    true
}

/// Kills a run, without warning, after it has saved itself so many times. False if it ended before.
fn killed(file: &str, dir: &str, times: usize) -> bool {
    killed_run(&["check", file, "--checkpoint", dir, "--checkpoint-every", "0.0005", "--find", "all"], dir, times)
}

fn killed_run(args: &[&str], dir: &str, times: usize) -> bool {
    let mut child = start(args);
    let was_running = has_saved(&mut child, dir, times) && child.try_wait().expect("a child").is_none();
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
    was_running && Path::new(dir).join("manifest").exists()
}

fn without_figures(mut json: Value) -> Value {
    let fields = json.as_object_mut().expect("an object");
    for field in ["search_seconds", "total_seconds", "peak_bytes", "table_bytes", "bytes_per_state"] {
        fields.remove(field);
    }
    for field in ["resumed", "checkpoints", "spilled", "workers", "evaluator"] {
        fields.remove(field);
    }
    json
}

#[test]
fn a_killed_run_goes_on_to_the_same_end() {
    let folder = Folder::new("disk-kill");
    for times in [1, 2, 4] {
        let kill = |most: u64| {
            let file = folder.file(&format!("grid{most}.mch"), &grid_to(most));
            let dir = folder.path(&format!("saved{most}-{times}"));
            killed(&file, &dir, times).then_some((file, dir))
        };
        let (file, dir) = SIZES.into_iter().find_map(kill).expect("a run that is killed before its end");
        let whole = abridge(&["check", &file, "--find", "all", "--json"]);
        let run = abridge(&["check", &file, "--find", "all", "--resume", &dir, "--workers", "1", "--json"]);
        assert_eq!((run.status, &run.json()["resumed"]), (whole.status, &Value::Bool(true)), "{}", run.stdout);
        assert_eq!(without_figures(run.json()), without_figures(whole.json()));
        // A run that is over leaves nothing to go on with.
        assert!(!Path::new(&dir).join("manifest").exists());
        assert_eq!(abridge(&["check", &file, "--find", "all", "--resume", &dir]).status, 2);
    }
}

/// A response formula and one of branching time that hold, on the interlocking.
#[test]
fn a_killed_run_with_formulas_goes_on_to_the_same_end() {
    let folder = Folder::new("disk-formulas");
    let ask = ["check", "models/Interlocking_Reduced.mch", "--no-temporal", "--no-deadlock"];
    let formulas = ["--ltl", "G ([route_reservation] => F {resrt /= {}})", "--ctl", "AG EF {resrt = {}}"];
    let whole = abridge(&[&ask[..], &formulas, &["--json"]].concat());
    let verdicts: Vec<Value> =
        whole.json()["temporal"].as_array().expect("formulas").iter().map(|one| one["verdict"].clone()).collect();
    assert_eq!(verdicts, ["holds", "holds"], "{}", whole.stdout);
    let dir = folder.path("saved");
    let saved = ["--checkpoint", dir.as_str(), "--checkpoint-every", "0.0005"];
    assert!(killed_run(&[&ask[..], &formulas, &saved].concat(), &dir, 1), "the run was over before it was killed");
    let run = abridge(&[&ask[..], &formulas, &["--resume", dir.as_str(), "--memory", "150M", "--json"]].concat());
    assert_eq!((run.status, &run.json()["resumed"]), (whole.status, &Value::Bool(true)), "{}", run.stdout);
    assert_eq!(without_figures(run.json()), without_figures(whole.json()));
}

#[test]
fn a_limit_saves_the_run() {
    let folder = Folder::new("disk-limit");
    let file = folder.file("grid.mch", GRID);
    let dir = folder.path("saved");
    let run = abridge(&["check", &file, "--max-states", "50000", "--checkpoint", &dir]);
    assert_eq!(run.status, 20);
    assert!(
        run.stdout.contains(&format!("checkpoint saved; continue with: abridge check {file} --resume {dir}")),
        "{}",
        run.stdout
    );
    let again = abridge(&["check", &file, "--checkpoint", &dir]);
    assert_eq!(again.status, 2);
    assert!(again.stderr.contains("already holds a checkpoint"), "{}", again.stderr);
    // More states, more threads: the same as if it had been asked for at once.
    let run = abridge(&["check", &file, "--max-states", "90000", "--resume", &dir, "--json"]);
    let whole = abridge(&["check", &file, "--max-states", "90000", "--json"]);
    assert_eq!((run.status, run.json()["states"].clone()), (20, whole.json()["states"].clone()));
    // As many states as there are: nothing is done.
    let run = abridge(&["check", &file, "--max-states", "90000", "--resume", &dir, "--json"]);
    assert_eq!((run.status, run.json()["states"].clone()), (20, whole.json()["states"].clone()));
    let run = abridge(&["check", &file, "--resume", &dir, "--json"]);
    assert_eq!(without_figures(run.json()), without_figures(abridge(&["check", &file, "--json"]).json()));
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_saves_the_run() {
    let folder = Folder::new("disk-interrupt");
    let interrupted = |most: u64| {
        let file = folder.file(&format!("grid{most}.mch"), &safe_grid(most));
        let dir = folder.path(&format!("saved{most}"));
        let mut child = start(&["check", &file, "--find", "all", "--checkpoint", &dir, "--checkpoint-every", "0.0005"]);
        if has_saved(&mut child, &dir, 1) {
            common::interrupt(&child);
        }
        let status = child.wait_with_output().expect("it ends").status.code();
        assert!(matches!(status, Some(0 | 20)), "{status:?}");
        (status == Some(20)).then_some((most, file, dir))
    };
    let (most, file, dir) = SIZES.into_iter().find_map(interrupted).expect("a run that is interrupted before its end");
    let run = abridge(&["check", &file, "--find", "all", "--resume", &dir, "--json"]);
    assert_eq!((run.status, &run.json()["states"]), (0, &(most + 1).pow(3).into()));
}

#[test]
fn what_cannot_be_gone_on_with_is_refused() {
    let folder = Folder::new("disk-refuse");
    let file = folder.file("grid.mch", GRID);
    let dir = folder.path("saved");
    let refused = |args: &[&str], message: &str| {
        let run = abridge(args);
        assert_eq!(run.status, 2, "{}{}", run.stdout, run.stderr);
        assert!(run.stderr.contains(message), "{}", run.stderr);
        let json = abridge(&[args, &["--json"]].concat());
        assert_eq!((json.status, &json.json()["verdict"]), (2, &"error".into()));
        assert!(json.json()["message"].as_str().is_some_and(|text| text.contains(message)));
    };
    refused(&["check", &file, "--resume", &dir], "no checkpoint in");
    for method in ["flood", "marker"] {
        refused(&["check", &file, "--symmetry", method, "--checkpoint", &dir], "other than `flood` and `marker`");
    }
    assert!(!Path::new(&dir).exists());
    assert_eq!(abridge(&["check", &file, "--max-states", "50000", "--checkpoint", &dir]).status, 20);
    let other = folder.file("other.mch", &GRID.replace("219", "218"));
    refused(&["check", &other, "--resume", &dir], "belongs to another model or other options");
    refused(&["check", &file, "--no-deadlock", "--resume", &dir], "belongs to another model or other options");
    refused(&["check", &file, "--strategy", "dfs", "--resume", &dir], "need breadth-first search");
    let roots = Path::new(&dir).join("roots");
    let content = std::fs::read(&roots).expect("roots");
    for damage in [content[..content.len() - 9].to_vec(), content.iter().map(|byte| byte ^ 1).collect()] {
        std::fs::write(&roots, damage).expect("roots");
        refused(&["check", &file, "--resume", &dir], "is damaged");
    }
    std::fs::write(&roots, content).expect("roots");
    assert_eq!(abridge(&["check", &file, "--resume", &dir]).status, 12);
    refused(&["check", &file, "--checkpoint", "/dev/null/x"], "cannot use");
}

#[test]
fn states_beyond_the_memory_go_to_files() {
    let folder = Folder::new("disk-spill");
    let file = folder.file("grid.mch", GRID);
    std::fs::create_dir(folder.path("scratch")).expect("a folder");
    for workers in ["1", "2"] {
        let args = ["check", &file, "--find", "all", "--workers", workers, "--no-memo", "--json"];
        let whole = abridge(&args);
        let memory = whole.json()["peak_bytes"].to_string();
        let run = abridge(&[&args[..], &["--memory", &memory, "--spill", &folder.path("scratch")]].concat());
        assert_eq!(run.json()["spilled"], true, "{}", run.stdout);
        assert_eq!((run.status, without_figures(run.json())), (whole.status, without_figures(whole.json())));
    }
    assert_eq!(std::fs::read_dir(folder.path("scratch")).expect("the folder").count(), 0);
}

/// Each of the 181,440 states has a value of its own. States go to files; values cannot, so they must be small.
#[test]
fn values_that_take_most_of_the_memory_are_kept_in_parts() {
    let puzzle = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/EightPuzzle.mch");
    let all = ["1", "2", "8"];
    let workers = if std::env::var_os("RUN_SLOW").is_some() { &all[..] } else { &all[1..2] };
    for workers in workers {
        let run = abridge(&["check", puzzle, "--survey", "--memory", "60M", "--workers", workers, "--json"]);
        assert_eq!((run.status, &run.json()["states"]), (0, &181_440.into()), "{}", run.stdout);
        let peak = run.json()["peak_bytes"].as_u64().expect("a number");
        assert!(peak <= 64 << 20, "{} MB with {workers} workers", peak >> 20);
    }
}

#[test]
fn limits_on_states_and_memory_are_hardly_exceeded() {
    let puzzle = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/EightPuzzle.mch");
    for workers in ["1", "2"] {
        let ask = ["check", puzzle, "--survey", "--workers", workers, "--json"];
        let states = abridge(&[&ask[..], &["--max-states", "30000"]].concat()).json()["states"].as_u64();
        assert!(states.is_some_and(|states| (30_000..30_100).contains(&states)), "{states:?} with {workers} workers");
        let run = abridge(&[&ask[..], &["--memory", "30M"]].concat());
        let peak = run.json()["peak_bytes"].as_u64().expect("a number");
        assert!(peak <= 34 << 20, "{} MB with {workers} workers", peak >> 20);
        // With so little memory not even values fit, and that is told.
        assert_eq!((run.status, &run.json()["limits"][0]), (20, &"memory limit reached".into()), "{}", run.stdout);
    }
}

#[test]
fn too_little_memory_or_no_disk_is_told() {
    let folder = Folder::new("disk-none");
    let file = folder.file("grid.mch", &safe_grid(73));
    let run = abridge(&["check", &file, "--memory", "1M", "--json"]);
    assert_eq!((run.status, &run.json()["verdict"]), (20, &"incomplete".into()));
    assert_eq!(run.json()["limits"][0], "memory limit reached");
    assert_eq!(abridge(&["check", &file, "--memory", "14M", "--spill", &folder.path("absent")]).status, 2);
    let args = ["check", &file, "--no-memo", "--workers", "1", "--json"];
    let needed = abridge(&args).json()["peak_bytes"].as_u64().expect("a number");
    let run = abridge(&[&args[..], &["--no-spill", "--memory", &(needed / 10 * 9).to_string()]].concat());
    assert_eq!((run.status, &run.json()["spilled"]), (20, &false.into()));
    // Where nothing can be written, a run that needs it ends, and says why.
    let run = abridge(&[&args[..], &["--memory", &needed.to_string(), "--spill", "/proc"]].concat());
    assert_eq!((run.status, &run.json()["verdict"]), (20, &"incomplete".into()), "{}", run.stdout);
    let limits = run.json()["limits"].to_string();
    assert!(limits.contains("could not be written to files") && limits.contains("state files: "), "{limits}");
}
