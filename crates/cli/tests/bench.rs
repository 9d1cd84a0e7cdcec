//! `abridge bench` and `abridge check --profile`: what was measured is told.

mod common;

use common::{Folder, abridge};

#[test]
fn models_are_measured_and_compared_with_an_earlier_run() {
    let folder = Folder::new("bench");
    let before = folder.path("before.json");
    let run = abridge(&["bench", "models/lift.mch", "--out", &before]);
    assert_eq!(run.status, 0, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("models/lift.mch  holds        36           85"), "{}", run.stdout);
    let json = abridge(&["bench", "models/lift.mch", "--against", &before, "--json"]).json();
    let row = &json["rows"][0];
    assert_eq!(
        (&row["states"], &row["transitions"], &row["error"]),
        (&36.into(), &85.into(), &serde_json::Value::Null)
    );
    assert!(row["times_as_fast"].as_f64() > Some(0.0));
    assert!(json["machine"]["cores"].as_u64() > Some(0) && json["commit"].is_string());
}

#[test]
fn sets_come_from_a_file() {
    let folder = Folder::new("bench-sets");
    folder.file("Small.mch", "MACHINE Small END");
    let sets = folder.file("sets.txt", "[small]\nnothing: Small.mch --no-deadlock\n[broken]\nmissing: Missing.mch\n");
    let json = abridge(&["bench", "small", "--sets", &sets, "--json"]).json();
    assert_eq!((&json["rows"][0]["name"], &json["rows"][0]["verdict"]), (&"nothing".into(), &"holds".into()));
    let csv = folder.path("rows.csv");
    assert_eq!(abridge(&["bench", "broken", "--sets", &sets, "--out", &csv]).status, 1);
    assert!(std::fs::read_to_string(csv).expect("the rows are written").starts_with("set,name,verdict,states"));
    let run = abridge(&["bench", "large", "--sets", &sets]);
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("has no set or model `large`"), "{}", run.stderr);
}

#[test]
fn a_profile_says_what_was_computed() {
    let json = abridge(&["check", "models/lift.mch", "--profile", "--json"]).json();
    let rows = json["profile"].as_array().expect("a list");
    let of = |kind: &str| rows.iter().filter(|row| row["kind"] == kind).count();
    assert!(of("operation") > 1 && of("invariant") > 1, "{rows:?}");
    for row in rows.iter().filter(|row| row["kind"] == "operation") {
        assert_eq!(row["plain"], 0, "{row}");
        assert!(row["computed"].as_u64() > Some(0), "{row}");
    }
    let text = abridge(&["check", "models/lift.mch", "--profile"]).stdout;
    assert!(text.contains("share") && text.contains("memo hits") && text.contains("search itself"), "{text}");
}
