//! Reports of `abridge refine` as JSON; `docs/json.md` has the meaning of each key.

use abridge_check::{Counterexample, Failed, Named, Obligation, PairedStep, Refinement, Verdict};
use serde_json::{Value, json};

use super::{RefineSubject, RefineTimes, n_steps};
use crate::steps::object;
use crate::watch::peak_bytes;

impl RefineSubject<'_> {
    /// A comparison that was finished, and held, in the run that saved the checkpoint.
    pub(super) fn held_before_json(&self) -> Value {
        let (concrete, abstracted) = self.names();
        json!({ "file": self.file, "verdict": "holds", "by": self.options.by.name(), "refinement": concrete,
                "abstraction": abstracted, "before_checkpoint": true })
    }

    pub(super) fn json(&self, report: &Refinement, times: &RefineTimes) -> Value {
        let (concrete, abstracted) = self.names();
        let verdict = match report.verdict {
            Verdict::Holds | Verdict::GoalReached => "holds",
            Verdict::Violated => "violated",
            Verdict::Incomplete => "incomplete",
        };
        let coverage: serde_json::Map<String, Value> =
            report.coverage.iter().map(|item| (item.operation.clone(), json!(item.transitions))).collect();
        let ill_defined = report.ill_defined.as_ref().map(|(operation, error)| {
            json!({ "operation": operation, "id": error.id, "text": error.message,
                    "place": error.span().map(|span| self.sources.locate(span)) })
        });
        let message = report.failures.first().map(|(what, one)| format!("{what}: {}", one.message)).unwrap_or_default();
        let mut value = json!({
            "file": self.file,
            "verdict": verdict,
            "by": self.options.by.name(),
            "refinement": concrete,
            "abstraction": abstracted,
            "new_operations": if self.choices.new_is_skip { "skip" } else { "error" },
            "pairs": report.pairs,
            "transitions": report.transitions,
            "depth": report.depth,
            "coverage": coverage,
            "limits": report.limits,
            "gluing_unchecked": self.n_gluing,
            "message": message,
            "ill_defined": ill_defined,
            "symmetry": report.symmetry.method.name(),
            "search_seconds": times.search,
            "total_seconds": times.total,
            "peak_bytes": peak_bytes(),
            "table_bytes": report.table_bytes,
            "spilled": report.disk.is_spilled,
            "checkpoints": report.disk.n_checkpoints,
            "checkpoint_error": report.disk.checkpoint_error,
        });
        value["counterexample"] = report.counterexample.as_ref().map(counterexample_json).unwrap_or_default();
        value
    }
}

pub(crate) fn values_json(values: &[Named]) -> Value {
    Value::Object(values.iter().map(|value| (value.name.clone(), json!(value.text))).collect())
}

fn counterexample_json(found: &Counterexample) -> Value {
    let steps: Vec<Value> = found.steps.iter().map(step_json).collect();
    json!({
        "obligation": found.failed.as_ref().map(|failed| obligation_name(failed.obligation)),
        "steps": n_steps(found),
        "loop_start": found.loop_start,
        "gap": found.gap,
        "failed": found.failed.as_ref().map(failed_json),
        "trace": steps,
    })
}

fn step_json(step: &PairedStep) -> Value {
    let abstracted: Vec<Value> = step.state.abstracted.iter().map(|state| values_json(state)).collect();
    json!({
        "name": step.name,
        "params": object(&step.params),
        "results": object(&step.outputs),
        "concrete": values_json(&step.state.concrete),
        "abstract": abstracted,
        "abstract_states": step.state.n_abstract,
    })
}

fn failed_json(failed: &Failed) -> Value {
    let allowed: Vec<Value> = failed
        .allowed
        .iter()
        .map(|step| {
            json!({ "name": step.name, "params": object(&step.params), "results": object(&step.outputs),
                    "state": values_json(&step.state), "states": step.n_states })
        })
        .collect();
    let candidates: Vec<Value> = failed
        .candidates
        .iter()
        .map(|one| {
            let parts: Vec<Value> =
                one.parts.iter().map(|part| json!({ "text": part.text, "value": part.value })).collect();
            json!({ "state": values_json(&one.state), "fault": one.fault, "parts": parts })
        })
        .collect();
    json!({
        "operation": failed.operation,
        "params": object(&failed.params),
        "results": object(&failed.outputs),
        "allowed": allowed,
        "n_allowed": failed.n_allowed,
        "candidates": candidates,
    })
}

pub(crate) fn obligation_name(obligation: Obligation) -> &'static str {
    match obligation {
        Obligation::Initialisation => "initialisation",
        Obligation::Trace => "trace",
        Obligation::Precondition => "precondition",
        Obligation::Outcome => "outcome",
        Obligation::Refusal => "refusal",
        Obligation::Operation => "operation",
    }
}
