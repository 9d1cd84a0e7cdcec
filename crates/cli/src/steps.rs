//! Steps of a trace, as text and as JSON.

use abridge_check::TraceStep;
use serde_json::{Value, json};

use crate::watch::grouped;

/// `open_door(inner)`, with `--> results` if there are any.
pub(crate) fn label(step: &TraceStep) -> String {
    event(&step.name, &step.params, &step.outputs)
}

/// The same for an operation with the names and values of its parameters and outputs.
pub(crate) fn event(name: &str, params: &[(String, String)], outputs: &[(String, String)]) -> String {
    let values = |list: &[(String, String)]| list.iter().map(|(_, value)| value.as_str()).collect::<Vec<_>>().join(",");
    let mut label = name.to_owned();
    if !params.is_empty() {
        label = format!("{label}({})", values(params));
    }
    if !outputs.is_empty() {
        label = format!("{label} --> {}", values(outputs));
    }
    label
}

/// Values that a step changed, as `level = 1, door = open`.
pub(crate) fn changes(step: &TraceStep) -> String {
    let texts: Vec<String> =
        step.changes().map(|(name, value)| format!("{name} = {}", shortened(value, 120))).collect();
    texts.join(", ")
}

/// Longer traces are folded.
pub(crate) const MAX_LISTED_STEPS: usize = 200;
/// Steps at each end of a folded trace.
pub(crate) const N_END_STEPS: usize = 50;

/// One row per step: number, label, changed values. The first row has the number `first`. The middle of a long trace is left out.
pub(crate) fn table(steps: &[TraceStep], first: usize) -> String {
    let hidden = match steps.len() > MAX_LISTED_STEPS {
        true => N_END_STEPS..steps.len() - N_END_STEPS,
        false => 0..0,
    };
    let shown: Vec<(usize, &TraceStep, String)> = (steps.iter().enumerate())
        .filter(|(idx, _)| !hidden.contains(idx))
        .map(|(idx, step)| (idx, step, label(step)))
        .collect();
    let width = shown.iter().map(|(.., label)| label.chars().count()).max().unwrap_or(0).min(40);
    let mut text = String::new();
    for (idx, step, label) in shown {
        if idx == hidden.end && idx > 0 {
            text += &format!(
                "  ...  {} steps not shown; --json and saved traces have them\n",
                grouped(hidden.len() as u64)
            );
        }
        let number = first + idx;
        text += format!("  {number:>3}  {label:<width$}  {}", changes(step)).trim_end();
        text.push('\n');
    }
    text
}

/// Text cut at `longest` characters.
pub(crate) fn shortened(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

pub(crate) fn steps_json(steps: &[TraceStep]) -> Value {
    steps.iter().map(step_json).collect()
}

pub(crate) fn step_json(step: &TraceStep) -> Value {
    let mut json = json!({ "name": step.name, "changed": step.changed });
    json["params"] = object(&step.params);
    json["results"] = object(&step.outputs);
    json["state"] = object(&step.state);
    json
}

/// A JSON object from names to values.
pub(crate) fn object(list: &[(String, String)]) -> Value {
    Value::Object(list.iter().map(|(name, value)| (name.clone(), json!(value))).collect())
}
