//! What the front end says about mistakes that people make: every file under `tests/models/mistakes/`, one folder per family.
//!
//! The question to ask of every one: would a student know what to do? `BLESS=1 cargo test -p abridge-testkit --test mistakes`
//! rewrites marks and messages; the difference is then read like code. `testkit::mistakes` has the format.

use std::fs;
use std::path::{Path, PathBuf};

use abridge_testkit::mistakes::MistakeCase;

/// Cases that there were when this was written; a folder that is not found must not pass.
const MIN_CASES: usize = 295;

fn files_below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
        let path = entry.expect("a readable entry").path();
        if path.is_dir() { files_below(&path, found) } else { found.push(path) }
    }
}

#[test]
fn mistakes_are_reported_where_they_are_marked() {
    let bless = std::env::var_os("BLESS").is_some();
    let mut paths = Vec::new();
    files_below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/models/mistakes"), &mut paths);
    paths.sort();
    let mut failures = Vec::new();
    for path in &paths {
        let text = fs::read_to_string(path).expect("readable");
        let extension = path.extension().and_then(|end| end.to_str()).unwrap_or_default();
        let case = MistakeCase::parse(&text, extension).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let case = if bless { case.blessed() } else { case };
        if bless && case.text() != text {
            fs::write(path, case.text()).expect("writable");
        }
        if !case.expects_something() {
            failures.push(format!("{}: nothing is wrong here\n", path.display()));
        }
        failures.extend(case.difference().map(|difference| format!("{}:\n{difference}", path.display())));
    }
    eprintln!("{} cases", paths.len());
    assert!(failures.is_empty(), "{} of {} cases:\n{}", failures.len(), paths.len(), failures.join("\n"));
    assert!(paths.len() >= MIN_CASES, "only {} cases were found", paths.len());
}
