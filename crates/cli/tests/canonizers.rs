//! `abridge canonizers` and `abridge check --reduce`: exit statuses, verdict lines and JSON.

mod common;

use std::path::Path;

use common::abridge;

fn ring() -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/Ring.mch").display().to_string()
}

#[test]
fn a_proved_reduction_holds_and_a_refuted_one_is_not_searched_with() {
    let run = abridge(&["check", &ring(), "--no-deadlock", "--reduce", "turn", "--json"]);
    let json = run.json();
    assert_eq!((run.status, &json["verdict"], &json["states"]), (0, &"holds".into(), &11.into()), "{json}");
    assert_eq!(json["reduction"]["proved"], true);
    let run = abridge(&["check", &ring(), "--no-deadlock", "--reduce", "mix", "--json"]);
    let json = run.json();
    assert_eq!((run.status, &json["verdict"], &json["states"]), (20, &"incomplete".into(), &0.into()), "{json}");
    assert_eq!(json["reduction"]["refutation"]["name"], "mix");
}

#[test]
fn each_reduction_is_examined() {
    let run = abridge(&["canonizers", &ring(), "--json"]);
    let json = run.json();
    let proved: Vec<bool> =
        json["examined"].as_array().expect("a list").iter().map(|it| it["proved"] == true).collect();
    assert_eq!((run.status, proved), (1, vec![true, false, true]), "{json}");
}

#[test]
fn what_cannot_be_combined_is_refused() {
    for options in [&["--por", "semantic"][..], &["--symmetry", "auto"], &["--engine", "symbolic"], &["--prob-limits"]]
    {
        let run = abridge(&[&["check", &ring(), "--reduce", "turn"][..], options].concat());
        assert_eq!(run.status, 2, "{options:?}");
    }
    assert_eq!(abridge(&["check", &ring(), "--reduce", "spin"]).status, 2);
    assert_eq!(abridge(&["check", &ring(), "--check-reduce"]).status, 2);
}
