//! Steps of a trace, as text and as JSON.

use abridge_check::TraceStep;
use serde_json::{Value, json};

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
    let changed = step.state.iter().filter(|(name, _)| step.changed.contains(name));
    let texts: Vec<String> = changed.map(|(name, value)| format!("{name} = {}", shortened(value, 120))).collect();
    texts.join(", ")
}

/// One row per step: number, label, changed values. The first row has the number `first`.
pub(crate) fn table(steps: &[TraceStep], first: usize) -> String {
    let labels: Vec<String> = steps.iter().map(label).collect();
    let width = labels.iter().map(|label| label.chars().count()).max().unwrap_or(0).min(40);
    let rows = (first..).zip(steps.iter().zip(&labels));
    rows.map(|(number, (step, label))| {
        format!("  {number:>3}  {label:<width$}  {}", changes(step)).trim_end().to_owned() + "\n"
    })
    .collect()
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
