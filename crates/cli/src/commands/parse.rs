//! `abridge parse`: syntax check of one file, without the files that it refers to.

use std::path::Path;

use abridge_syntax::ast::{ClauseKind, MachineKind, Unit};
use serde::Serialize;

use crate::commands::{complain, exit_for, parse_file, print_json};
use crate::exit::Exit;
use crate::out::outln;
use crate::report::{JsonDiagnostic, count, json_diagnostics};

#[derive(Serialize)]
struct ParseReport {
    file: String,
    ok: bool,
    diagnostics: Vec<JsonDiagnostic>,
}

pub(crate) fn run(file: &Path, json: bool) -> Exit {
    let parsed = parse_file(file);
    let has_errors = parsed.has_errors();
    if json {
        let diagnostics = json_diagnostics(&parsed.sources, &parsed.diagnostics);
        print_json(&ParseReport { file: file.display().to_string(), ok: !has_errors, diagnostics });
        return exit_for(has_errors);
    }
    complain(&parsed.sources, &parsed.diagnostics);
    if let (Some(tree), false) = (&parsed.tree, has_errors) {
        outln!("{}: {}", file.display(), describe(&tree.unit));
    }
    exit_for(has_errors)
}

fn describe(unit: &Unit) -> String {
    match unit {
        Unit::Machine(machine) => {
            let kind = match machine.kind {
                MachineKind::Machine => "machine",
                MachineKind::Model => "model",
                MachineKind::System => "system",
                MachineKind::Refinement => "refinement",
                MachineKind::Implementation => "implementation",
            };
            let operations = machine.clauses.iter().map(|clause| match &clause.kind {
                ClauseKind::Operations(list) => list.len(),
                _ => 0,
            });
            format!("{kind} {}, {}", machine.name.name, count(operations.sum(), "operation"))
        }
        Unit::Definitions(list) => count(list.len(), "definition"),
        Unit::Formula(_) => "a formula".to_owned(),
        Unit::Substitution(_) => "a substitution".to_owned(),
    }
}
