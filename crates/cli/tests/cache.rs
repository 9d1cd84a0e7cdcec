//! Answers about a machine are kept for the next run, and nothing depends on them.

mod common;

use common::{Folder, abridge};
use serde_json::Value;

const MACHINE: &str = "MACHINE Clients
SETS CLIENT = {c1, c2, c3}
VARIABLES waiting, inside
INVARIANT waiting <: CLIENT & inside <: CLIENT & waiting /\\ inside = {} & card(inside) <= 3
INITIALISATION waiting := {} || inside := {}
OPERATIONS
  ask(cc) = SELECT cc : CLIENT & cc /: waiting \\/ inside THEN waiting := waiting \\/ {cc} END;
  enter(cc) = SELECT cc : waiting THEN waiting := waiting - {cc} || inside := inside \\/ {cc} END;
  leave(cc) = SELECT cc : inside & inside <: CLIENT THEN inside := inside - {cc} END
END
";

fn check(file: &str, cache: &str) -> Value {
    let run = abridge(&["check", file, "--json", "--por", "semantic", "--symmetry", "off", "--por-cache", cache]);
    assert_eq!(run.status, 0, "{}{}", run.stdout, run.stderr);
    run.json()
}

fn questions(report: &Value) -> u64 {
    report["partial_order"]["questions"].as_u64().expect("a number")
}

/// The files in the folder for answers.
fn kept(cache: &str) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(cache).into_iter().flatten().flatten();
    let mut files: Vec<_> = entries.map(|entry| entry.path()).collect();
    files.sort();
    files
}

#[test]
fn the_second_run_asks_nothing() {
    let folder = Folder::new("cache-second-run");
    let (file, cache) = (folder.file("Clients.mch", MACHINE), folder.path("deep/cache"));
    let first = check(&file, &cache);
    assert!(questions(&first) > 0);
    let files = kept(&cache);
    assert_eq!(files.len(), 1, "{files:?}");
    let bytes = std::fs::read(&files[0]).expect("the file is readable");
    let second = check(&file, &cache);
    assert_eq!(questions(&second), 0);
    assert_eq!(std::fs::read(&files[0]).expect("the file is readable"), bytes);
    for key in ["verdict", "states", "transitions", "found"] {
        assert_eq!(first[key], second[key]);
    }
    // `abridge por` finds the same answers.
    assert_eq!(abridge(&["por", &file, "--por-cache", &cache]).status, 0);
}

#[test]
fn a_changed_machine_is_asked_about_again() {
    let folder = Folder::new("cache-changed");
    let (file, cache) = (folder.file("Clients.mch", MACHINE), folder.path("cache"));
    let asked = questions(&check(&file, &cache));
    folder.file("Clients.mch", &MACHINE.replace("card(inside) <= 3", "card(waiting) <= 3"));
    assert!(questions(&check(&file, &cache)) > 0);
    assert_eq!(kept(&cache).len(), 2);
    // And with another size of a set.
    let deferred = folder.file("Deferred.mch", &MACHINE.replace("CLIENT = {c1, c2, c3}", "CLIENT"));
    let sized = |size: &str| {
        let options = ["--json", "--por", "semantic", "--symmetry", "off", "--por-cache", &cache, "--set-size", size];
        questions(&abridge(&[&["check", &deferred][..], &options].concat()).json())
    };
    assert!(sized("CLIENT=2") > 0 && sized("CLIENT=4") > 0);
    assert_eq!((sized("CLIENT=2"), sized("CLIENT=4")), (0, 0));
    folder.file("Clients.mch", MACHINE);
    assert!(asked > 0 && questions(&check(&file, &cache)) == 0);
}

#[test]
fn damaged_files_are_ignored_and_replaced() {
    let folder = Folder::new("cache-damaged");
    let (file, cache) = (folder.file("Clients.mch", MACHINE), folder.path("cache"));
    let first = check(&file, &cache);
    let kept = kept(&cache).remove(0);
    let bytes = std::fs::read(&kept).expect("the file is readable");
    let mut flipped = bytes.clone();
    flipped[bytes.len() / 2] ^= 4;
    for damaged in [&flipped, &bytes[..bytes.len() / 2], b"", b"something else"] {
        std::fs::write(&kept, damaged).expect("the file is writable");
        let again = check(&file, &cache);
        assert_eq!(questions(&again), questions(&first));
        assert_eq!((&again["states"], &again["verdict"]), (&first["states"], &first["verdict"]));
        assert_eq!(std::fs::read(&kept).expect("the file is readable"), bytes);
    }
}

#[test]
fn a_folder_that_cannot_be_used_costs_a_note() {
    let folder = Folder::new("cache-unusable");
    let file = folder.file("Clients.mch", MACHINE);
    let blocked = folder.file("blocked", "no folder");
    let run = abridge(&["check", &file, "--por", "semantic", "--symmetry", "off", "--por-cache", &blocked]);
    assert_eq!(run.status, 0);
    assert!(run.stderr.contains("note: cannot write the cache file"), "{}", run.stderr);
    assert_eq!(std::fs::read_to_string(&blocked).expect("the file is still there"), "no folder");
}

#[test]
fn nothing_is_kept_if_nobody_wants_it() {
    let folder = Folder::new("cache-off");
    let file = folder.file("Clients.mch", MACHINE);
    let cache = folder.path("cache");
    assert!(questions(&check(&file, "off")) > 0);
    assert!(questions(&check(&file, "off")) > 0);
    let run = abridge(&["check", &file, "--json", "--por-cache", &cache]);
    assert_eq!((run.status, kept(&cache).len()), (0, 0), "without a reduction there are no answers");
    assert!(!std::path::Path::new("off").exists());
}
