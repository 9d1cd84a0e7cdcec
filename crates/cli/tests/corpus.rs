//! `abridge corpus` on a table of a few machines.

mod common;

use common::{Folder, abridge, counter};

const HEADER: &str = "path,kind,deadlock,invariant_violated,states,transitions,prob_ms,note\n";

fn folder(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.file("good.mch", &counter("n <= 3", "up = PRE n < 3 THEN n := n + 1 END; down = n := 0"));
    folder.file("stuck.mch", &counter("n <= 3", "up = PRE n < 3 THEN n := n + 1 END"));
    folder.file("wrong.mch", &counter("n = TRUE", "up = n := n + 1"));
    folder.file("endless.mch", &counter("n >= 0", "up = n := n + 1"));
    folder
}

fn corpus(folder: &Folder, rows: &str, options: &[&str]) -> common::Run {
    let table = folder.file("expected.csv", &format!("{HEADER}{rows}"));
    let dir = folder.path("");
    abridge(&[&["corpus", &dir, "--expect", &table], options].concat())
}

#[test]
fn agreement() {
    let folder = folder("corpus-agree");
    let rows = "good.mch,exact,false,false,4,8,10,\nstuck.mch,verdict,true,false,,,10,\"counts, unknown\"\n";
    let out = folder.path("rows.csv");
    let run = corpus(&folder, rows, &["--jobs", "2", "--out", &out]);
    assert_eq!(run.status, 0, "{}{}", run.stdout, run.stderr);
    assert!(
        run.stdout.contains("exact    1 of 1 agree (100.00 %)\nverdict  1 of 1 agree (100.00 %)\n"),
        "{}",
        run.stdout
    );
    let table = std::fs::read_to_string(out).expect("the rows");
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines[0], "path,kind,agree,seconds,prob_ms,states,search_seconds,detail");
    assert!(lines[1].starts_with("good.mch,exact,True,") && lines[2].starts_with("stuck.mch,verdict,True,"), "{table}");
}

#[test]
fn disagreement() {
    let folder = folder("corpus-disagree");
    let rows = "good.mch,exact,true,false,5,8,,\nstuck.mch,likely,true,true,4,4,,\nwrong.mch,exact,false,false,1,1,,\nmissing.mch,exact,false,false,1,1,,\n";
    let run = corpus(&folder, rows, &[]);
    assert_eq!(run.status, 1);
    for expected in [
        "exact    good.mch: deadlock false, published true; states 4, published 5\n",
        "likely   stuck.mch: invariant_violated false, published true\n",
        "exact    wrong.mch: states null, published 1; transitions null, published 1; error: ",
        "exact    missing.mch: states null, published 1; transitions null, published 1; error: cannot read",
        "exact    0 of 3 agree (0.00 %)\nlikely   0 of 1 agree (0.00 %)\n",
    ] {
        assert!(run.stdout.contains(expected), "{expected}: {}", run.stdout);
    }
}

#[test]
fn what_takes_too_long_is_ended() {
    let folder = folder("corpus-timeout");
    let rows = "endless.mch,exact,false,false,1,1,,\n";
    let run = corpus(&folder, rows, &["--timeout", "0.3"]);
    assert_eq!(run.status, 1);
    assert!(run.stdout.contains("exact    endless.mch: timeout\n"), "{}", run.stdout);
    let run = corpus(&folder, rows, &["--", "--max-states", "10"]);
    assert!(run.stdout.contains("states 10, published 1"), "{}", run.stdout);
}

/// A run that was cut short, and integers that were cut short, are not held against us.
#[test]
fn notes_are_heeded() {
    let folder = folder("corpus-notes");
    let rows = "stuck.mch,verdict,false,false,,,,timed out\nendless.mch,likely,false,false,10,,,integer-domain\n";
    let run = corpus(&folder, rows, &["--", "--max-states", "10"]);
    assert_eq!(run.status, 0, "{}", run.stdout);
}

#[test]
fn rows_can_be_selected() {
    let folder = folder("corpus-select");
    let rows = "good.mch,exact,false,false,4,8,10,\nstuck.mch,verdict,true,false,,,10,\n";
    assert_eq!(
        corpus(&folder, rows, &["--kind", "exact", "--json"]).json()["machines"].as_array().map(Vec::len),
        Some(1)
    );
    let json = corpus(&folder, rows, &["--only", "stuck", "--json"]).json();
    assert_eq!((&json["machines"][0]["path"], &json["kinds"]["verdict"]["agree"]), (&"stuck.mch".into(), &1.into()));
}

#[test]
fn wrong_use() {
    let folder = folder("corpus-use");
    let table = folder.file("bad.csv", "file,kind\na,exact\n");
    let run = abridge(&["corpus", "models", "--expect", &table]);
    assert_eq!((run.status, run.stderr.contains("has no column `path`")), (2, true));
    assert_eq!(abridge(&["corpus", "models", "--expect", "nowhere.csv"]).status, 2);
    assert_eq!(abridge(&["corpus", "models"]).status, 2);
}

#[test]
fn methods_are_compared_with_none() {
    let folder = folder("corpus-methods");
    let club = "MACHINE club SETS S VARIABLES s INVARIANT s <: S & card(s) < 2 INITIALISATION s := {}
        OPERATIONS join(p) = PRE p : S - s THEN s := s \\/ {p} END END";
    folder.file("club.mch", club);
    folder.file(
        "fixed.mch",
        &club.replace("SETS S", "SETS S = {a, b}").replace("p : S - s", "p : S - s & (p = a or a : s)"),
    );
    let rows = "club.mch,exact,,,,,,\nfixed.mch,exact,,,,,,\ngood.mch,exact,,,,,,\nwrong.mch,exact,,,,,,\n";
    let kinds = |rows: &str, timeout: &str| {
        let run = corpus(&folder, rows, &["--symmetry", "auto,canon,flood,marker", "--timeout", timeout, "--json"]);
        assert_eq!(run.status, 0, "{}{}", run.stdout, run.stderr);
        let answer: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
        let rows = answer["machines"].as_array().expect("rows").iter();
        rows.filter_map(|row| row["kind"].as_str().map(str::to_owned)).collect::<Vec<String>>()
    };
    assert_eq!(kinds(rows, "60"), ["symmetric", "other", "other", "refused"]);
    assert_eq!(kinds("endless.mch,exact,,,,,,\n", "0.3"), ["too long"]);
    // What one of the runs may not do, the others did.
    let run = corpus(&folder, "club.mch,exact,,,,,,\n", &["--symmetry", "auto,none", "--timeout", "60"]);
    assert_eq!(run.status, 1, "{}", run.stdout);
    assert!(run.stdout.contains("symmetric club.mch: none: no JSON"), "{}", run.stdout);
}
