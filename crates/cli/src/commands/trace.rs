//! `abridge trace replay`: replay a saved trace step by step.
//!
//! Every step is found by the plain interpreter. Exit 0 means that the machine can take all steps of the trace.

use std::path::Path;

use abridge_check::ReplayFailure;
use abridge_sema::Options;
use serde_json::json;

use crate::commands::{Compat, complain, print_json};
use crate::exit::Exit;
use crate::out::{errln, out, outln};
use crate::report::{count, json_diagnostics};
use crate::steps::{steps_json, table};
use crate::trace_file::{self, NoReplay, Replayed};

pub(crate) fn replay(machine: &Path, trace: &Path, options: &Options, compat: Option<Compat>, json: bool) -> Exit {
    let options = &Compat::options(compat, options);
    let told = |message: &str, exit: Exit| {
        if json {
            print_json(&json!({ "file": machine, "trace": trace, "ok": false, "message": message, "diagnostics": [] }));
        } else {
            errln!("error: {message}");
        }
        exit
    };
    let file = match trace_file::load(trace) {
        Ok(file) => file,
        Err(message) => return told(&message, Exit::Usage),
    };
    match trace_file::replay_file(machine, &file, options, compat) {
        Err(NoReplay::Value(message)) => told(&message, Exit::No),
        Err(NoReplay::Wrong(sources, diagnostics, exit)) => {
            if json {
                let diagnostics = json_diagnostics(&sources, &diagnostics);
                print_json(&json!({ "file": machine, "trace": trace, "ok": false, "diagnostics": diagnostics }));
            } else {
                complain(&sources, &diagnostics);
            }
            exit
        }
        Ok(replayed) if json => {
            let failure = replayed.replay.failure.as_ref();
            print_json(&json!({
                "file": machine,
                "trace": trace,
                "ok": replayed.replay.failure.is_none(),
                "message": failure.map(|failure| failure.reason.as_str()).unwrap_or_default(),
                "failed_step": failure.map(|failure| failure.step + 1),
                "steps": file.n_steps(),
                "replayed": steps_json(&replayed.steps),
                "notes": replayed.notes,
                "diagnostics": [],
            }));
            exit(&replayed)
        }
        Ok(replayed) => {
            print_replay(&replayed, file.n_steps());
            exit(&replayed)
        }
    }
}

fn exit(replayed: &Replayed) -> Exit {
    if replayed.replay.failure.is_none() { Exit::Ok } else { Exit::No }
}

fn print_replay(replayed: &Replayed, n_steps: usize) {
    for note in &replayed.notes {
        outln!("note: {note}");
    }
    match &replayed.replay.failure {
        None => outln!("replayed {}", count(n_steps, "step")),
        Some(ReplayFailure { step, reason }) => outln!("step {} of {n_steps} fails: {reason}", step + 1),
    }
    if !replayed.steps.is_empty() {
        outln!();
        out!("{}", table(&replayed.steps, 1));
    }
}
