//! Every machine under `models/` yields what its header says, with the compiled form and with the plain interpreter.
//!
//! `RUN_SLOW=1` also runs the large ones.

use std::path::{Path, PathBuf};

use abridge_check::{Config, Report, Verdict, ViolationKind, check};
use abridge_model::Model;
use abridge_sema::{Options, analyse};
use abridge_testkit::Disk;
use abridge_testkit::expectations::{Expectation, expectations, size};

/// State spaces up to this size are explored by default, and up to the smaller one by the plain interpreter too.
const MAX_STATES: u64 = 50_000;
const MAX_PLAIN: u64 = 1_000;

fn models() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let entries = std::fs::read_dir(folder).expect("models/ exists");
    let paths = entries.map(|entry| entry.expect("readable").path());
    let mut machines: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|end| end == "mch" || end == "ref")).collect();
    machines.sort();
    machines
}

#[test]
fn models_yield_what_they_promise() {
    let slow = std::env::var_os("RUN_SLOW").is_some();
    let mut n_checked = 0;
    for path in models() {
        let text = std::fs::read_to_string(&path).expect("readable");
        let lines = expectations(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let runs =
            |key: &str| lines.iter().any(|line| line.key == key && line.value.split(", ").any(|run| run == "check"));
        let model = Subject { path: &path, lines: &lines, slow };
        model.analysed(&[]);
        if runs("run") || (slow && runs("run-slow")) {
            n_checked += model.check_counts();
            model.check_verdicts();
        }
    }
    assert!(n_checked > 100, "only {n_checked} counts were compared");
}

struct Subject<'a> {
    path: &'a Path,
    lines: &'a [Expectation],
    slow: bool,
}

impl Subject<'_> {
    fn analysed(&self, sizes: &[(String, u32)]) -> Model {
        let default = self.lines.iter().filter(|line| line.key == "set-size").flat_map(|line| line.value.split(','));
        let mut set_sizes: Vec<(String, u32)> = default.map(|text| size(text).expect("a size")).collect();
        set_sizes.extend(sizes.iter().cloned());
        let analysis = analyse(&Disk, self.path, &Options { set_sizes, ..Options::default() });
        analysis.model.unwrap_or_else(|| panic!("{}: {:?}", self.path.display(), analysis.diagnostics))
    }

    fn explore(&self, model: &Model, compiled: bool) -> Report {
        let mut config = Config {
            find_all: true,
            assertions: false,
            goal: false,
            temporal: false,
            gluing: false,
            ..Config::default()
        };
        if self.lines.iter().any(|line| line.key == "compat") {
            config = config.prob();
        }
        config.system.compiled = compiled;
        let report = check(model, &config, &mut ());
        assert!(report.limits.is_empty(), "{}: {:?}", self.path.display(), report.limits);
        report
    }

    /// Compares states, nodes and transitions for every size that the header names; how many numbers were compared.
    fn check_counts(&self) -> usize {
        let mut n_compared = 0;
        let mut sizes: Vec<&[(String, u32)]> = self.lines.iter().map(|line| line.sizes.as_slice()).collect();
        sizes.sort();
        sizes.dedup();
        for sizes in sizes {
            let about = self.lines.iter().filter(|line| line.sizes == sizes && !line.symmetry && !line.markers);
            let counts: Vec<(&str, u64)> = about
                .filter_map(|line| Some((line.key.as_str(), line.value.parse().ok()?)))
                .filter(|(key, _)| *key != "deadlocks")
                .collect();
            let largest = counts.iter().map(|(_, count)| *count).max().unwrap_or(0);
            if counts.is_empty() || (largest > MAX_STATES && !self.slow) {
                continue;
            }
            let model = self.analysed(sizes);
            for compiled in [true, false] {
                if !compiled && largest > MAX_PLAIN {
                    continue;
                }
                let report = self.explore(&model, compiled);
                for (key, expected) in &counts {
                    let found = match *key {
                        "states" => report.states,
                        "nodes" => report.states + 1,
                        _ => report.transitions,
                    };
                    assert_eq!(found, *expected, "{} {sizes:?}: {key}, compiled: {compiled}", self.path.display());
                    n_compared += 1;
                }
            }
        }
        n_compared
    }

    /// One run with the default sizes for each property that the header names; temporal properties are left out.
    fn check_verdicts(&self) {
        let model = self.analysed(&[]);
        for line in self.lines.iter().filter(|line| !line.symmetry) {
            let (property, length) = match line.value.rsplit_once(" in ") {
                Some((property, n)) => (property, n.parse::<usize>().ok()),
                None => (line.value.as_str(), None),
            };
            let mut config = Config {
                invariant: false,
                deadlock: false,
                assertions: false,
                goal: false,
                temporal: false,
                gluing: false,
                ..Config::default()
            };
            match property {
                "invariant" => config.invariant = true,
                "deadlock" => config.deadlock = true,
                "assertions" => config.assertions = true,
                "GOAL" => config.goal = true,
                _ => continue,
            }
            if self.lines.iter().any(|line| line.key == "compat") {
                config = config.prob();
            }
            let report = check(&model, &config, &mut ());
            let place = format!("{}: {} {}", self.path.display(), line.key, line.value);
            match (&report.violation, line.key.as_str()) {
                (None, "holds") => assert_eq!(report.verdict, Verdict::Holds, "{place}"),
                (Some(violation), "fails" | "reaches") => {
                    assert_eq!(Some(violation.trace.steps.len()), length, "{place}");
                    let is_goal = matches!(violation.kind, ViolationKind::Goal);
                    assert_eq!(is_goal, line.key == "reaches", "{place}");
                }
                (violation, _) => panic!("{place}: {violation:?}"),
            }
        }
    }
}
