//! `abridge canonizers`: the reductions that a machine defines, and what is known about each.
//!
//! The output says for every check of section 4 of the paper whether it is proved, tested or refuted. What is printed as proved decides whether
//! `check --reduce` may end in `holds`.

use std::fmt::Write as _;
use std::path::Path;

use abridge_check::{CheckAnswer, Config, ReductionReport, RefutationReport, choose_reductions, examine_reductions};
use abridge_model::{Model, ReductionDef, dump};
use abridge_sema::Options;
use clap::Args;
use serde_json::{Value, json};

use crate::commands::{Compat, load_and_tell, print_json, seconds};
use crate::exit::Exit;
use crate::out::{errln, out, outln};
use crate::report::count;
use crate::report::json_diagnostics;
use crate::watch::{Guard, Interrupt, RunEnd, Watch, usual_budget};

#[derive(Args)]
pub(crate) struct CanonizersOptions {
    /// Follow the conventions of another tool where B leaves a choice
    #[arg(long, value_enum)]
    compat: Option<Compat>,
    /// Examine these reductions together, as `check --reduce` applies them [default: each by itself]
    #[arg(long, value_name = "NAMES")]
    reduce: Option<String>,
    /// Compare with the whole state space, too. Slow
    #[arg(long)]
    check_reduce: bool,
    /// Stop after a number of seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    time: Option<f64>,
}

pub(crate) fn run(file: &Path, options: &CanonizersOptions, model_options: &Options, json: bool) -> Exit {
    let start = std::time::Instant::now();
    let model_options = &Compat::options(options.compat, model_options);
    let analysis = load_and_tell(file, model_options, json.then(|| json!({ "file": file })));
    let Some(model) = &analysis.model else { return Exit::WrongModel };
    let wanted: Vec<String> = match &options.reduce {
        Some(names) => vec![names.clone()],
        None => model.steering.reductions.iter().map(|reduction| reduction.name.to_string()).collect(),
    };
    let budget = usual_budget();
    let interrupt = Interrupt::new();
    let mut watch = Watch::new(start, options.time, Some(budget), false, interrupt.clone());
    let mut config = Compat::config(options.compat, Some(file), budget);
    let guard = Guard::new(start, options.time, budget, config.eval.memory.clone());
    let stop = interrupt.guard(guard);
    let RunEnd { flag, reason, .. } = stop.clone();
    (config.stop, config.stopped_for) = (flag, reason);
    config.check_reduce = options.check_reduce;
    let mut reports = Vec::new();
    for names in &wanted {
        match choose_reductions(model, names) {
            Ok(chosen) => {
                let config = Config { reduce: chosen, ..config.clone() };
                reports.push(examine_reductions(model, &config, &mut watch));
            }
            Err(message) => {
                stop.answer();
                errln!("error: {message}");
                return Exit::Usage;
            }
        }
    }
    stop.answer();
    if json {
        let reductions: Vec<Value> = model.steering.reductions.iter().map(|it| definition_json(model, it)).collect();
        let reports: Vec<Value> = reports.iter().map(reduction_json).collect();
        let diagnostics = json_diagnostics(&analysis.sources, &analysis.diagnostics);
        print_json(&json!({
            "file": file, "ok": true, "reductions": reductions, "examined": reports, "diagnostics": diagnostics,
        }));
    } else {
        print(model, &reports);
    }
    if reports.iter().any(ReductionReport::is_refuted) { Exit::No } else { Exit::Ok }
}

fn print(model: &Model, reports: &[ReductionReport]) {
    if model.steering.reductions.is_empty() {
        let why = match model.steering.ignored_reductions.is_empty() {
            true => "the DEFINITIONS have no GENERATOR, CANONIZER or family",
            false => "what the DEFINITIONS describe is ignored; see the diagnostics",
        };
        outln!("no reductions: {why}");
    }
    for reduction in &model.steering.reductions {
        outln!("{}", definition_text(model, reduction));
    }
    for report in reports {
        outln!();
        out!("{}", reduction_text(report));
    }
}

/// Functions of a reduction as B.
fn bodies<'m>(model: &'m Model, reduction: &'m ReductionDef) -> impl Iterator<Item = (&'m str, String)> {
    reduction.operations().map(|op| {
        let operation = &model.operations[op];
        (operation.name.as_str(), dump::subst_text(model, operation.body))
    })
}

fn definition_text(model: &Model, reduction: &ReductionDef) -> String {
    let lines: Vec<String> = match &reduction.expansion {
        Some(text) => vec![format!("{} stands for {text}", reduction.name)],
        None => bodies(model, reduction).map(|(name, body)| format!("{name} == {body}")).collect(),
    };
    lines.join("\n")
}

fn definition_json(model: &Model, reduction: &ReductionDef) -> Value {
    let functions: serde_json::Map<String, Value> =
        bodies(model, reduction).map(|(name, body)| (name.to_owned(), json!(body))).collect();
    json!({ "name": reduction.name.as_str(), "functions": functions, "family": reduction.expansion.is_some() })
}

/// The answer to a check in one word, with what is known.
fn answer_parts(answer: &CheckAnswer) -> (&'static str, Option<u64>, &str) {
    match answer {
        CheckAnswer::Proved(how) => ("proved", None, how),
        CheckAnswer::Tested(n_states, why) => ("tested", Some(*n_states), why),
        CheckAnswer::Refuted(shown) => ("refuted", None, shown),
        CheckAnswer::Doubtful(shown) => ("in doubt", None, shown),
        CheckAnswer::Open(why) => ("not proved", None, why),
    }
}

/// What is known about reductions, as text.
pub(crate) fn reduction_text(report: &ReductionReport) -> String {
    let mut text = String::new();
    for part in &report.parts {
        let _ = writeln!(text, "reduction {} ({}):", part.name, part.strategy);
        for (check, answer) in part.checks(report) {
            let _ = match answer_parts(&answer) {
                (_, Some(n_states), why) => {
                    writeln!(text, "  {check}: tested on {} ({why})", count(n_states as usize, "state"))
                }
                (word, None, why) => writeln!(text, "  {check}: {word} ({why})"),
            };
        }
    }
    if report.tested > 0 {
        let _ = writeln!(text, "tested on {}", count(report.tested as usize, "state"));
    }
    match report.compared {
        Some((n_states, true)) if report.refutation.is_none() => {
            let _ = writeln!(text, "compared with all {n_states} states: bisimilar");
        }
        Some((n_states, false)) => {
            let _ = writeln!(text, "compared with {n_states} states, which are not all");
        }
        _ => {}
    }
    report.refutation.iter().chain(&report.further).for_each(|it| text += &refutation_text(it));
    report.troubles.iter().for_each(|trouble| _ = writeln!(text, "{trouble}"));
    if let Some(violation) = &report.unrealised {
        let what = if report.is_contradicted { "has not" } else { "was not shown to have" };
        let _ = writeln!(text, "violation of the reduced system that the machine {what}:");
        for (number, step) in violation.trace.steps.iter().enumerate() {
            let _ = writeln!(text, "  {:>3}  {}  {}", number + 1, step.name, values_text(&step.state));
        }
    }
    text
}

fn values_text(values: &[(String, String)]) -> String {
    values.iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ")
}

fn refutation_text(refutation: &RefutationReport) -> String {
    let what = if refutation.is_doubtful { "in doubt" } else { "refuted" };
    format!(
        "reduction {} is {what}: {}\n  state: {}\n  image: {}\n",
        refutation.name,
        refutation.difference,
        values_text(&refutation.state),
        values_text(&refutation.image)
    )
}

/// The same as JSON.
pub(crate) fn reduction_json(report: &ReductionReport) -> Value {
    let answer = |answer: &CheckAnswer| {
        let (word, n_states, reason) = answer_parts(answer);
        json!({ "proved": word == "proved", "answer": word, "states": n_states, "reason": reason })
    };
    let parts = report.parts.iter().map(|part| {
        let checks: serde_json::Map<String, Value> =
            part.checks(report).iter().map(|(check, it)| (check.replace(' ', "_"), answer(it))).collect();
        json!({ "name": part.name, "strategy": part.strategy, "checks": checks })
    });
    let values = |values: &[(String, String)]| -> Value {
        Value::Object(values.iter().map(|(name, value)| (name.clone(), json!(value))).collect())
    };
    let refutation = |it: &RefutationReport| {
        json!({
            "name": it.name,
            "state": values(&it.state),
            "image": values(&it.image),
            "difference": it.difference,
            "in_doubt": it.is_doubtful,
        })
    };
    json!({
        "parts": parts.collect::<Vec<Value>>(),
        "proved": report.is_proved,
        "tested_states": report.tested,
        "twin": report.compared.map(|(n_states, is_whole)| json!({ "states": n_states, "complete": is_whole })),
        "refutation": report.refutation.as_ref().map(refutation),
        "further_refutation": report.further.as_ref().map(refutation),
        "troubles": report.troubles,
        "unrealised": report.unrealised.as_ref().map(|violation| {
            let steps = violation.trace.steps.iter();
            let steps = steps.map(|step| json!({ "name": step.name, "state": values(&step.state) }));
            json!({ "contradicts": report.is_contradicted, "steps": steps.collect::<Vec<Value>>() })
        }),
    })
}
