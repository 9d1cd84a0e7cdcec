//! Explores a machine with the plain interpreter, breadth first, and prints what it counts.
//!
//! `explore FILE... [--max STATES]`; one line per file: name, verdicts, states, transitions, seconds.

use std::collections::{HashMap, VecDeque};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use abridge_eval::{Config, Error, Interp, Session, State};
use abridge_model::Model;
use abridge_sema::{FileSystem, Options, analyse};

struct Disk;

impl FileSystem for Disk {
    fn read(&self, path: &Path) -> std::io::Result<Vec<u8>> {
        std::fs::read(path)
    }

    fn is_file(&self, path: &Path) -> bool {
        path.is_file()
    }
}

#[derive(Default)]
struct Report {
    states: usize,
    transitions: usize,
    deadlock: bool,
    invariant: bool,
    errors: Vec<Error>,
    warnings: usize,
    cut: bool,
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let max = args.iter().position(|arg| arg == "--max").and_then(|idx| args.get(idx + 1)?.parse().ok());
    for path in args.iter().filter(|arg| arg.ends_with(".mch") || arg.ends_with(".ref") || arg.ends_with(".imp") || arg.ends_with(".sys")) {
        one(&PathBuf::from(path), max.unwrap_or(1_000_000));
    }
}

fn one(path: &Path, max: usize) {
    let start = Instant::now();
    let analysis = analyse(&Disk, path, &Options::default());
    let Some(model) = analysis.model else {
        println!("{}\tREFUSED\t{}", path.display(), analysis.diagnostics.iter().find(|d| d.is_error()).map_or("", |d| &d.message));
        return;
    };
    let report = explore(&model, max);
    let first = report.errors.first().map_or(String::new(), |error| {
        let diagnostic = error.diagnostic(&model);
        let place = diagnostic.span().map_or(String::new(), |span| analysis.sources.locate(span));
        format!("{} {} at {place}", diagnostic.id, diagnostic.message)
    });
    println!(
        "{}\tdeadlock={} invariant={} cut={}\t{}\t{}\t{:.2}\tw{} e{} {first}",
        path.display(),
        report.deadlock,
        report.invariant,
        report.cut,
        report.states,
        report.transitions,
        start.elapsed().as_secs_f64(),
        report.warnings,
        report.errors.len(),
    );
}

fn explore(model: &Model, max: usize) -> Report {
    let interp = Interp::new(model, Config::prob());
    let mut report = Report::default();
    let mut seen: HashMap<(bool, State), ()> = HashMap::new();
    let mut open: VecDeque<State> = VecDeque::new();
    let mut roots = Vec::new();
    let session = interp.session();
    session.setup_constants(&mut |found| {
        match found {
            Ok(state) => roots.push(state),
            Err(error) => report.errors.push(error),
        }
        if roots.len() > max { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let has_setup = !model.constants.is_empty() || !model.properties.is_empty();
    for root in &roots {
        let mut enabled = false;
        session.initialise(root, &mut |found| {
            match found {
                Ok(state) => {
                    enabled = true;
                    report.transitions += 1;
                    if seen.insert((true, state.clone()), ()).is_none() {
                        open.push_back(state);
                    }
                }
                Err(error) => report.errors.push(error),
            }
            if open.len() > max { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        report.deadlock |= !enabled;
    }
    if has_setup {
        report.states += roots.len();
        report.transitions += roots.len();
    }
    report.warnings += session.take_warnings().len();
    while let Some(state) = open.pop_front() {
        if seen.len() > max {
            report.cut = true;
            break;
        }
        step(&interp.session(), &state, &mut report, &mut |next| {
            if seen.insert((true, next.clone()), ()).is_none() {
                open.push_back(next);
            }
        });
    }
    report.states += seen.len();
    report
}

fn step(session: &Session<'_>, state: &State, report: &mut Report, visit: &mut dyn FnMut(State)) {
    for (_, answer) in session.invariant(state) {
        match answer {
            Ok(holds) => report.invariant |= !holds,
            Err(error) => {
                report.invariant = true;
                report.errors.push(error);
            }
        }
    }
    let mut enabled = false;
    let model = session.interp().model();
    for (op, _) in model.transitions() {
        session.operation(op, state, &mut |found| {
            match found {
                Ok(transition) => {
                    enabled = true;
                    report.transitions += 1;
                    visit(transition.state);
                }
                Err(error) => report.errors.push(error),
            }
            ControlFlow::Continue(())
        });
    }
    report.deadlock |= !enabled;
    report.warnings += session.take_warnings().len();
}
