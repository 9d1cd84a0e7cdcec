//! Deep and large inputs: each gives a result or a diagnostic, in little stack. `RUN_SLOW=1` makes them larger.

use std::thread;

use abridge_testkit::fuzz;
use abridge_testkit::sizes::{self, Input};

/// Runs inputs of a table whose names contain `part`, with less stack than any thread of ours has.
fn run(table: &'static [Input], n: usize, part: &str, oracle: fn(&[u8])) {
    let each = || {
        for (name, text) in sizes::inputs(table, n, part) {
            println!("{name}");
            oracle(text.as_bytes());
        }
    };
    thread::scope(|scope| {
        let worker = thread::Builder::new().stack_size(512 * 1024).spawn_scoped(scope, each);
        worker.expect("a thread can be started").join().expect("the test passes");
    });
}

/// One of two sizes.
fn size(usual: usize, slow: usize) -> usize {
    if std::env::var_os("RUN_SLOW").is_some() { slow } else { usual }
}

#[test]
fn all_deep_inputs() {
    run(sizes::DEEP, size(300, 19_000), "", fuzz::all);
}

/// What is nested so deep is refused at some depth; the rest of the front end must bear what is left.
#[test]
fn a_hundred_thousand_levels() {
    let nests = [
        "parentheses",
        "never closed",
        "negations",
        "quantifiers",
        "sets in sets",
        "records in records",
        "power sets",
        "blocks",
    ];
    for part in
        nests.into_iter().chain(["conditions", "sums", "implications", "definitions", "identifier", "templates"])
    {
        run(sizes::DEEP, 100_000, part, fuzz::parse_never_fails);
        run(sizes::DEEP, size(21_000, 100_000), part, fuzz::analyse_never_fails);
    }
}

#[test]
fn deep_trees_are_printed() {
    for part in ["parentheses around", "sets in sets", "conditional expressions", "blocks", "conditions in ELSE"] {
        run(sizes::DEEP, 19_000, part, fuzz::print_parse_round_trip);
    }
}

#[test]
fn long_chains() {
    run(sizes::DEEP, size(5_000, 100_000), "chain", fuzz::analyse_never_fails);
    run(sizes::DEEP, 20_000, "a chain of equal constants", fuzz::analyse_never_fails);
    run(sizes::DEEP, size(2_000, 20_000), "double", fuzz::analyse_never_fails);
}

#[test]
fn all_large_inputs() {
    run(sizes::LARGE, size(200_000, 10_000_000), "", fuzz::all);
}

#[test]
fn ten_megabytes_in_one_line() {
    run(sizes::LARGE, 10_000_000, "", fuzz::parse_file_never_fails);
}
