//! Profile of a search, as a table and as JSON: time and memo hits per operation and conjunct.

use abridge_check::{Measured, Profile, SlicedUsage, Usage};
use abridge_model::{Model, dump};
use serde_json::{Value, json};

use crate::steps::shortened;
use crate::text::aligned;
use crate::watch::grouped;

/// Longer conjuncts are shortened in the table.
const MAX_TEXT_CHARS: usize = 44;

/// One row per operation or conjunct, the most expensive first. Shares refer to the total time of all workers.
pub(crate) fn table(model: &Model, profile: &Profile, seconds: f64, workers: usize) -> String {
    let header = ["", "", "time", "share", "computed", "memo hits", "plain"].map(str::to_owned).to_vec();
    let of_all = seconds * workers as f64;
    let rows = sorted(profile).into_iter().map(|(measured, cost)| {
        let (kind, text) = name(model, measured);
        vec![
            kind.to_owned(),
            shortened(&text, MAX_TEXT_CHARS),
            format!("{:.3} s", cost.time.as_secs_f64()),
            format!("{:.1} %", 100.0 * cost.time.as_secs_f64() / of_all.max(1e-9)),
            grouped(cost.computed),
            grouped(cost.remembered),
            grouped(cost.plain),
        ]
    });
    let rows: Vec<Vec<String>> = std::iter::once(header).chain(rows).collect();
    let measured: f64 = profile.rows.iter().map(|(_, cost)| cost.time.as_secs_f64()).sum();
    let rest = (of_all - measured).max(0.0);
    let rest = format!("search itself (storing and comparing states, set-up, waiting): {rest:.3} s\n");
    format!("\n{}{rest}", aligned(&rows, 2))
}

/// The evaluator that was used, and why not circuits for everything.
pub(crate) fn evaluator(usage: Option<&SlicedUsage>) -> String {
    let Some(usage) = usage else { return String::new() };
    let mut text = match usage.is_sliced {
        true => format!(
            "evaluator: circuits over blocks of states for {} of {} operations, {} gates\n",
            usage.n_sliced,
            usage.n_operations,
            grouped(usage.n_gates as u64)
        ),
        false => "evaluator: memos\n".to_owned(),
    };
    if usage.n_proved > 0 {
        text.push_str(&format!("  {} properties were proved, and not evaluated in every state\n", usage.n_proved));
    }
    usage.reasons.iter().for_each(|reason| text.push_str(&format!("  {reason}\n")));
    text
}

pub(crate) fn evaluator_json(usage: Option<&SlicedUsage>) -> Value {
    let Some(usage) = usage else { return Value::Null };
    json!({
        "used": if usage.is_sliced { "sliced" } else { "memo" },
        "sliced_operations": usage.n_sliced,
        "operations": usage.n_operations,
        "proved": usage.n_proved,
        "gates": usage.n_gates,
        "reasons": usage.reasons,
    })
}

fn sorted(profile: &Profile) -> Vec<(Measured, Usage)> {
    let mut rows = profile.rows.clone();
    rows.sort_by_key(|(_, cost)| std::cmp::Reverse(cost.time));
    rows
}

fn name(model: &Model, measured: Measured) -> (&'static str, String) {
    match measured {
        Measured::Operation(op) => ("operation", model.operations[op].name.to_string()),
        Measured::Invariant(pred) => ("invariant", dump::pred_text(model, pred)),
        Measured::Assertion(pred) => ("assertion", dump::pred_text(model, pred)),
        Measured::Goal(pred) => ("goal", dump::pred_text(model, pred)),
        Measured::Proposition(pred) => ("proposition", dump::pred_text(model, pred)),
    }
}

pub(crate) fn rows_json(model: &Model, profile: &Profile) -> Value {
    let row = |(measured, cost): (Measured, Usage)| {
        let (kind, text) = name(model, measured);
        json!({
            "kind": kind,
            "text": text,
            "seconds": cost.time.as_secs_f64(),
            "computed": cost.computed,
            "remembered": cost.remembered,
            "plain": cost.plain,
        })
    };
    sorted(profile).into_iter().map(row).collect()
}
