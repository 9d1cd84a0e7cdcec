//! Limits of the symbolic engine: memory, and what is told when nodes run out.

mod common;

use common::abridge;

/// Far more states than there is room for.
const LOCK: [&str; 8] =
    ["check", "models/McsLock.mch", "--engine", "symbolic", "--json", "--find", "all", "--set-size"];

#[test]
fn the_memory_of_diagrams_is_kept() {
    for (size, symmetry, megabytes) in [("PROC=5", "off", 40), ("PROC=4", "auto", 44)] {
        let memory = format!("{megabytes}M");
        let run = abridge(&[&LOCK[..], &[size, "--symmetry", symmetry, "--memory", &memory]].concat());
        let json = run.json();
        assert_eq!((run.status, &json["verdict"]), (20, &"incomplete".into()), "{json}");
        let limits = json["limits"].to_string();
        assert!(limits.contains("node limit") || limits.contains("memory limit"), "{limits}");
        let peak = json["peak_bytes"].as_u64().expect("a number");
        assert!(peak <= (megabytes << 20) / 10 * 11, "{} MB of {megabytes}", peak >> 20);
        // What was found is told, with the rounds that it took.
        let (states, rounds) = (json["states"].as_u64(), json["symbolic"]["rounds"].as_u64());
        assert!(states > Some(100) && rounds > Some(1), "{json}");
    }
}
