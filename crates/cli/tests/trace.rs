//! Saved traces: written, read back, and replayed.

mod common;

use common::{Folder, abridge};
use serde_json::{Value, json};

fn replay(machine: &str, trace: &str) -> (i32, String) {
    let run = abridge(&["trace", "replay", machine, trace]);
    (run.status, run.stdout + &run.stderr)
}

#[test]
fn what_check_saves_can_be_replayed() {
    let folder = Folder::new("trace-round-trip");
    let trace = folder.path("story.prob2trace");
    assert_eq!(abridge(&["check", "models/airlock.mch", "--save-trace", &trace]).status, 12);
    assert_eq!(folder.names(), ["story.prob2trace"], "nothing else is left behind");
    let (status, text) = replay("models/airlock.mch", &trace);
    assert_eq!((status, text.starts_with("replayed 5 steps\n")), (0, true), "{text}");
    let file: Value = serde_json::from_str(&std::fs::read_to_string(&trace).expect("the trace")).expect("JSON");
    let last = &file["transitionList"][4];
    assert_eq!((&file["metadata"]["fileType"], &file["metadata"]["creator"]), (&"Trace".into(), &"Abridge".into()));
    assert_eq!((&file["metadata"]["formatVersion"], &file["metadata"]["modelName"]), (&5.into(), &"airlock".into()));
    assert_eq!(
        (&file["transitionList"][0]["name"], &last["name"], &last["params"]["dd"]),
        (&"$initialise_machine".into(), &"open_door".into(), &"outer".into())
    );
    assert_eq!(last["destState"]["is_open"], "{inner,outer}");
}

/// Every kind of value survives the way to the file and back.
#[test]
fn values_of_all_kinds_come_back() {
    let folder = Folder::new("trace-values");
    let text = r#"MACHINE M SETS S; E = {aa, bb} CONSTANTS c PROPERTIES c = {x | x : NATURAL & x mod 2 = 0}
        VARIABLES i, s, r, f, q, t, b, p, e
        INVARIANT i : INTEGER & s <: S & r : struct(x:POW(INTEGER), y:BOOL) & f : S +-> E & q : seq(INTEGER) & t : STRING & b : REAL
            & p : INTEGER*(BOOL*INTEGER) & e : POW(POW(S)) & i < 3
        INITIALISATION i, s, f, q, t, b := -3, {}, {}, [], "", 0.5 || r := rec(x:{}, y:TRUE) || p := 1|->(TRUE|->2) || e := {}
        OPERATIONS
          out <-- fill(k) = PRE k : S & i < 3 THEN i := i + 100 || s := S || r := rec(x:{1}, y:FALSE) || f := {k |-> aa} || q := [3, 1]
            || t := "a\"b\\c" || b := 2.0 || p := (-1)|->(FALSE|->0) || e := {{}, {k}} || out := k END
        END"#;
    let (machine, trace) = (folder.file("M.mch", text), folder.path("t.prob2trace"));
    let run = abridge(&["check", &machine, "--save-trace", &trace]);
    assert_eq!(run.status, 12, "{}{}", run.stdout, run.stderr);
    let (status, text) = replay(&machine, &trace);
    assert_eq!((status, text.contains("replayed 3 steps")), (0, true), "{text}");
    assert!(!text.contains("note:"), "{text}");
}

fn write(folder: &Folder, steps: Value) -> String {
    folder.file(
        "t.prob2trace",
        &json!({ "transitionList": steps, "metadata": { "fileType": "Trace", "formatVersion": 5 } }).to_string(),
    )
}

#[test]
fn what_is_left_out_is_free() {
    let folder = Folder::new("trace-free");
    let trace = write(
        &folder,
        json!([
            { "name": "$initialise_machine" },
            { "name": "request", "params": {} },
            { "name": "request", "params": null, "destState": { "granted": "{inner,outer}" } },
            { "name": "open_door", "params": { "dd": "outer" } },
        ]),
    );
    assert_eq!(replay("models/airlock.mch", &trace).0, 0);
}

/// Which step a trace without values means may turn out only later.
#[test]
fn several_ways_are_followed() {
    let folder = Folder::new("trace-ways");
    let trace = write(
        &folder,
        json!([
            { "name": "$initialise_machine" },
            { "name": "request" },
            { "name": "open_door", "params": { "dd": "outer" } },
        ]),
    );
    let (status, text) = replay("models/airlock.mch", &trace);
    assert_eq!((status, text.contains("request(outer)")), (0, true), "{text}");
}

#[test]
fn failures_name_the_step_and_the_reason() {
    let folder = Folder::new("trace-failures");
    let init = json!({ "name": "$initialise_machine" });
    for (step, reason) in [
        (json!({ "name": "shut_door" }), "step 2 of 2 fails: `shut_door` is not enabled here"),
        (json!({ "name": "jump" }), "step 2 of 2 fails: the machine has no operation `jump`"),
        (json!({ "name": "$initialise_machine" }), "step 2 of 2 fails: `INITIALISATION` is not enabled here"),
        (
            json!({ "name": "request", "params": { "dd": "inner" }, "destState": { "granted": "{outer}" } }),
            "step 2 of 2 fails: `request` is possible, but leads elsewhere: granted = {inner}",
        ),
        (
            json!({ "name": "request", "destStateNotChanged": ["granted"] }),
            "`request` is possible, but leads elsewhere: granted = {inner}; granted = {outer}",
        ),
        (json!({ "name": "request", "params": { "dd": "1" } }), "error[type-mismatch]"),
        (json!({ "name": "request", "params": { "dd": "middle" } }), "error[unknown-identifier]"),
    ] {
        let trace = write(&folder, json!([init, step]));
        let (status, text) = replay("models/airlock.mch", &trace);
        assert_eq!((status, text.contains(reason)), (1, true), "{reason}: {text}");
    }
    let trace = write(
        &folder,
        json!([init, { "name": "request", "params": { "dd": "inner" } }, { "name": "request", "params": { "dd": "inner" } }]),
    );
    let (status, text) = replay("models/airlock.mch", &trace);
    assert_eq!(
        (status, text.contains("`request` is possible only with other parameters: dd = outer")),
        (1, true),
        "{text}"
    );
}

#[test]
fn names_that_the_machine_does_not_know_are_noted() {
    let folder = Folder::new("trace-unknown");
    let trace =
        write(&folder, json!([{ "name": "$initialise_machine", "destState": { "other": "1", "granted": "{}" } }]));
    let (status, text) = replay("models/airlock.mch", &trace);
    assert_eq!((status, text.contains("note: step 1: the machine does not declare `other`")), (0, true), "{text}");
}

/// Other tools write older versions, and symbols.
#[test]
fn old_versions_and_symbols_are_read() {
    let folder = Folder::new("trace-old");
    let old = json!({ "name": "x", "trace": { "transitionList": [
        { "operationName": "$initialise_machine", "parameters": null, "outputParameters": null, "destinationStateVariables": { "granted": "∅" } },
        { "operationName": "request", "parameters": { "dd": "outer" }, "destinationStateVariables": { "granted": "{outer}" } },
    ] }, "metaData": { "formatVersion": 1 } });
    let trace = folder.file("old.prob2trace", &old.to_string());
    let (status, text) = replay("models/airlock.mch", &trace);
    assert_eq!((status, text.contains("replayed 2 steps")), (0, true), "{text}");
}

#[test]
fn set_ups_may_be_missing_or_superfluous() {
    let folder = Folder::new("trace-setup");
    let trace = write(&folder, json!([{ "name": "$setup_constants" }, { "name": "$initialise_machine" }]));
    assert_eq!(replay("models/airlock.mch", &trace).0, 0);
    let machine = folder.file(
        "M.mch",
        "MACHINE M CONSTANTS c PROPERTIES c : 1..3 VARIABLES v INVARIANT v : 1..3 INITIALISATION v := c END",
    );
    let trace = write(&folder, json!([{ "name": "$initialise_machine", "destState": { "v": "2" } }]));
    let (status, text) = replay(&machine, &trace);
    assert_eq!((status, text.contains("c = 2")), (0, true), "{text}");
}

#[test]
fn files_that_are_no_traces() {
    let folder = Folder::new("trace-broken");
    for text in ["", "{", "[]", "{\"transitionList\": 3}", "{\"transitionList\": [{}]}"] {
        let trace = folder.file("t.prob2trace", text);
        let (status, output) = replay("models/airlock.mch", &trace);
        assert_eq!((status, output.contains("cannot read the trace")), (2, true), "{text}: {output}");
    }
    let trace = write(&folder, json!([]));
    assert_eq!(replay("models/nowhere.mch", &trace).0, 150);
    assert_eq!(replay("models/airlock.mch", &trace).0, 0);
}

#[test]
fn answers_for_programs() {
    let folder = Folder::new("trace-json");
    let trace = write(&folder, json!([{ "name": "$initialise_machine" }, { "name": "shut_door" }]));
    let run = abridge(&["trace", "replay", "models/airlock.mch", &trace, "--json"]);
    let json = run.json();
    assert_eq!(
        (run.status, &json["ok"], &json["failed_step"], &json["steps"]),
        (1, &false.into(), &2.into(), &2.into())
    );
    assert_eq!(json["replayed"][0]["name"], "INITIALISATION");
}
