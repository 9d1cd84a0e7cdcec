//! Where the time of a search went, for people and for programs.

use abridge_check::{Measured, Profile, Usage};
use abridge_model::{Model, dump};
use serde_json::{Value, json};

use crate::steps::shortened;
use crate::text::aligned;
use crate::watch::grouped;

/// The longest text of a conjunct in the table.
const WIDTH: usize = 44;

/// One row an operation or conjunct, the most expensive first; shares are of the time of all workers together.
pub(crate) fn table(model: &Model, profile: &Profile, seconds: f64, workers: usize) -> String {
    let header = ["", "", "time", "share", "computed", "remembered", "plain"].map(str::to_owned).to_vec();
    let of_all = seconds * workers as f64;
    let rows = sorted(profile).into_iter().map(|(measured, cost)| {
        let (kind, text) = name(model, measured);
        vec![
            kind.to_owned(),
            shortened(&text, WIDTH),
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
    let rest = format!("the rest, {rest:.3} s, is the search itself: states stored and compared, set-up, waiting\n");
    format!("\n{}{rest}", aligned(&rows, 2))
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
