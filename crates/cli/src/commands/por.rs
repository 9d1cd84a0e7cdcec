//! `abridge por`: dependences between operation instances, with the reason for each.
//!
//! The output explains what `check --por` may skip: a pair that is not listed commutes.

use std::fmt::Write as _;
use std::path::Path;

use abridge_check::{Config, Dependence, DependenceReason, PorAnalysis, analyse_dependences};
use abridge_diag::visible;
use abridge_sema::Options;
use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use crate::cache::{Cache, CacheOptions};
use crate::commands::{Compat, complain, print_json};
use crate::exit::Exit;
use crate::load::load;
use crate::out::{out, outln};
use crate::report::{count, json_diagnostics};
use crate::watch::usual_budget;

#[derive(Args)]
pub(crate) struct PorOptions {
    /// Follow the conventions of another tool where B leaves a choice
    #[arg(long, value_enum)]
    compat: Option<Compat>,
    /// Print a graph in DOT instead of text
    #[arg(long, value_enum, value_name = "GRAPH")]
    dot: Option<Graph>,
    /// Print only dependences of instances whose names begin with NAME
    #[arg(long, value_name = "NAME")]
    of: Option<String>,
    #[command(flatten)]
    cache: CacheOptions,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Graph {
    /// Edges connect dependent instances
    Dependence,
    /// Edges lead from an instance to the instances that it can enable
    Enabling,
}

/// A larger matrix is not printed.
const MAX_MATRIX_INSTANCES: usize = 100;

pub(crate) fn run(file: &Path, options: &PorOptions, model_options: &Options, json: bool) -> Exit {
    let model_options = &Compat::options(options.compat, model_options);
    let sources = load(file, model_options);
    let Some(model) = &sources.model else {
        if json {
            let diagnostics = json_diagnostics(&sources.sources, &sources.diagnostics);
            print_json(&json!({ "file": file, "ok": false, "diagnostics": diagnostics }));
        } else {
            complain(&sources.sources, &sources.diagnostics);
        }
        return Exit::WrongModel;
    };
    let cache = Cache::open(&options.cache, model);
    let config = Config { answers: cache.answers(), ..Compat::config(options.compat, Some(file), usual_budget()) };
    let analysis = analyse_dependences(model, &config);
    cache.save();
    let Some(analysis) = analysis else {
        if json {
            print_json(&json!({ "file": file, "ok": false, "message": "no dependence analysis" }));
        } else {
            outln!(
                "no dependence analysis: PROPERTIES are unsatisfiable, or the machine has too many operation instances"
            );
        }
        return Exit::Incomplete;
    };
    if json {
        print_json(&analysis_json(file, &analysis));
        return Exit::Ok;
    }
    match options.dot {
        Some(Graph::Dependence) => out!("{}", dependence_graph(&analysis)),
        Some(Graph::Enabling) => out!("{}", enabling_graph(&analysis)),
        None => out!("{}", text(&analysis, options.of.as_deref())),
    }
    Exit::Ok
}

fn text(analysis: &PorAnalysis, of: Option<&str>) -> String {
    let mut text = String::new();
    let outline = analysis.outline;
    let pairs = outline.instances * outline.instances.saturating_sub(1) / 2;
    let _ = writeln!(
        text,
        "{}, {} of {}, {}",
        count(outline.instances, "instance"),
        count(analysis.dependences.len(), "dependence"),
        count(pairs, "pair"),
        count(outline.cells, "cell")
    );
    let _ = writeln!(text, "{}", possible(analysis));
    if of.is_none() && outline.instances <= MAX_MATRIX_INSTANCES {
        text.push('\n');
        matrix(analysis, &mut text);
    }
    for dependence in &analysis.dependences {
        let names = [dependence.first, dependence.second].map(|node| analysis.instances[node].as_str());
        if of.is_none_or(|of| names.iter().any(|name| name.starts_with(of))) {
            let _ = write!(text, "\n{}", explanation(dependence, names));
        }
    }
    text
}

/// Violations that induction does not exclude.
fn possible(analysis: &PorAnalysis) -> String {
    let mut errors: Vec<&str> = analysis.errors.iter().map(String::as_str).collect();
    errors.extend(analysis.may_deadlock.then_some("deadlock"));
    errors.dedup();
    if errors.is_empty() {
        return "no violation is possible: excluded by induction".to_owned();
    }
    format!("not excluded by induction: {}", errors.join(", "))
}

fn matrix(analysis: &PorAnalysis, text: &mut String) {
    let n_instances = analysis.instances.len();
    let mut cells = vec![vec!['.'; n_instances]; n_instances];
    for Dependence { first, second, .. } in &analysis.dependences {
        cells[*first][*second] = 'x';
        cells[*second][*first] = 'x';
    }
    let widest = analysis.instances.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    for (name, row) in analysis.instances.iter().zip(cells) {
        let row: String = row.into_iter().collect();
        let _ = writeln!(text, "{name:widest$}  {row}");
    }
}

fn explanation(dependence: &Dependence, [first, second]: [&str; 2]) -> String {
    let mut text = format!("{first} and {second}: ");
    text += &match dependence.reason {
        DependenceReason::Disables => format!("{first} can disable {second}"),
        DependenceReason::IsDisabled => format!("{second} can disable {first}"),
        DependenceReason::Order => "the two orders can lead to different states".to_owned(),
        DependenceReason::Outcomes => "one can enable further outcomes of the other".to_owned(),
        DependenceReason::NoCircuit => "no circuit exists for one of them".to_owned(),
        DependenceReason::Unknown => "undecided within the solver budget".to_owned(),
    };
    let _ = writeln!(text, "\n  shared: {}", shortened(&dependence.shared));
    if !dependence.example.is_empty() {
        let values: Vec<String> = dependence.example.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let _ = writeln!(text, "  example state: {}", values.join(", "));
        let _ = writeln!(
            text,
            "  if no such state is reachable, an inductive invariant or a guard that excludes it removes the dependence"
        );
    }
    text
}

fn shortened(names: &[String]) -> String {
    let shown = names.iter().take(4).map(String::as_str).collect::<Vec<_>>().join(", ");
    if names.len() > 4 { format!("{shown} and {} more", names.len() - 4) } else { shown }
}

fn dependence_graph(analysis: &PorAnalysis) -> String {
    let mut text = String::from("graph dependence {\n");
    nodes(analysis, &mut text);
    for Dependence { first, second, shared, .. } in &analysis.dependences {
        let _ = writeln!(text, "  n{first} -- n{second} [tooltip=\"{}\"];", quoted(&shortened(shared)));
    }
    text + "}\n"
}

fn enabling_graph(analysis: &PorAnalysis) -> String {
    let mut text = String::from("digraph enabling {\n");
    nodes(analysis, &mut text);
    for (by, node) in &analysis.enabling {
        let _ = writeln!(text, "  n{by} -> n{node};");
    }
    text + "}\n"
}

fn nodes(analysis: &PorAnalysis, text: &mut String) {
    for (idx, name) in analysis.instances.iter().enumerate() {
        let _ = writeln!(text, "  n{idx} [label=\"{}\"];", quoted(name));
    }
}

fn quoted(text: &str) -> String {
    visible(text).replace('\\', "\\\\").replace('"', "\\\"")
}

fn analysis_json(file: &Path, analysis: &PorAnalysis) -> Value {
    let dependences = analysis.dependences.iter().map(|dependence| {
        let reason = match dependence.reason {
            DependenceReason::Disables => "first_disables_second",
            DependenceReason::IsDisabled => "second_disables_first",
            DependenceReason::Order => "order",
            DependenceReason::Outcomes => "outcomes",
            DependenceReason::NoCircuit => "no_circuit",
            DependenceReason::Unknown => "unknown",
        };
        let example: serde_json::Map<String, Value> =
            dependence.example.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
        json!({
            "first": dependence.first,
            "second": dependence.second,
            "shared": dependence.shared,
            "reason": reason,
            "example": example,
        })
    });
    json!({
        "file": file,
        "ok": true,
        "instances": analysis.instances,
        "errors": analysis.errors,
        "may_deadlock": analysis.may_deadlock,
        "dependences": dependences.collect::<Vec<Value>>(),
        "enabling": analysis.enabling,
        "places": analysis.outline.cells,
        "questions": analysis.outline.questions,
    })
}
