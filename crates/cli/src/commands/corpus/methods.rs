//! Comparison of symmetry methods with a run without symmetry reduction, machine by machine.
//!
//! A difference in verdict or violation kind is a bug: a reduction must not change a verdict.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{CorpusOptions, RowResult};
use crate::child;

/// Time limit of a run with symmetry reduction, as a multiple of the limit without.
const TIME_LIMIT_FACTOR: u32 = 5;

/// Runs a machine without symmetry reduction and with each method. The kind of the outcome classifies the machine.
pub(super) fn compare(path: &str, methods: &[String], options: &CorpusOptions) -> RowResult {
    let file = options.dir.join(path);
    let start = Instant::now();
    let limit = Duration::try_from_secs_f64(options.timeout).unwrap_or(Duration::MAX);
    let outcome = RowResult { path: path.to_owned(), ..RowResult::default() };
    let Ok(plain) = run(&file, "off", limit, options) else {
        return RowResult { kind: "too long".to_owned(), seconds: start.elapsed().as_secs_f64(), ..outcome };
    };
    let mut differences = Vec::new();
    let mut is_symmetric = false;
    for method in methods {
        match run(&file, method, limit.saturating_mul(TIME_LIMIT_FACTOR), options) {
            Ok(answer) => {
                is_symmetric |= has_symmetry(&answer);
                differences.extend(difference(&plain, &answer).map(|text| format!("{method}: {text}")));
            }
            Err(reason) => differences.push(format!("{method}: {reason}")),
        }
    }
    let kind = match plain["verdict"].as_str() {
        Some("error") => "refused",
        _ if is_symmetric => "symmetric",
        _ => "other",
    };
    RowResult {
        kind: kind.to_owned(),
        detail: differences.join("; "),
        seconds: start.elapsed().as_secs_f64(),
        states: plain["states"].as_u64(),
        search_seconds: plain["search_seconds"].as_f64(),
        ..outcome
    }
}

fn run(file: &Path, method: &str, limit: Duration, options: &CorpusOptions) -> Result<Value, String> {
    let fixed = ["--symmetry", method].map(str::to_owned);
    child::check(file, fixed.iter().chain(&options.extra), limit)
}

fn has_symmetry(answer: &Value) -> bool {
    let blocks = answer["symmetric"].as_object().into_iter().flat_map(|sets| sets.values());
    blocks.filter_map(Value::as_array).any(|blocks| !blocks.is_empty())
}

/// The difference between two results for a machine. An approximate method may say `incomplete` where the exact run says `holds`.
fn difference(plain: &Value, answer: &Value) -> Option<String> {
    let said = |answer: &Value| {
        let kind = answer["violation"]["kind"].as_str().map(|kind| format!(" ({kind})")).unwrap_or_default();
        format!("{}{kind}", answer["verdict"].as_str().unwrap_or("nothing"))
    };
    let is_silent = answer["approximate"] == true && answer["verdict"] == "incomplete" && plain["verdict"] == "holds";
    let (here, there) = (said(answer), said(plain));
    (here != there && !is_silent).then(|| format!("{here}, without {there}"))
}
