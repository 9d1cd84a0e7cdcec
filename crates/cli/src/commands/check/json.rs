//! The report of a check as JSON; `docs/json.md` describes the fields.

use abridge_check::{Report, SymbolicReport, SymbolicSymmetry, TemporalVerdict, Verdict, Violation, ViolationKind};
use abridge_diag::SourceMap;
use abridge_model::Model;
use num_bigint::BigUint;
use serde_json::{Value, json};

use super::{CheckTimes, temporal};
use crate::report::{conjunct_text, part_text, reason_text};
use crate::steps::steps_json;
use crate::watch::peak_bytes;

pub(super) fn report_json(model: &Model, sources: &SourceMap, report: &Report, times: &CheckTimes) -> Value {
    let verdict = match report.verdict {
        Verdict::Holds => "holds",
        Verdict::Violated => "violated",
        Verdict::GoalReached => "goal",
        Verdict::Incomplete => "incomplete",
    };
    let coverage: serde_json::Map<String, Value> =
        report.coverage.iter().map(|item| (item.operation.clone(), json!(item.transitions))).collect();
    let violation = report.violation().map(|violation| violation_json(model, sources, violation));
    let mut json = json!({
        "verdict": verdict,
        "states": report.states,
        "nodes": report.states + 1,
        "transitions": report.transitions,
        "depth": report.depth,
        "found": {
            "deadlock": report.found.deadlock,
            "invariant": report.found.invariant,
            "assertion": report.found.assertion,
            "ill_defined": report.found.ill_defined,
            "goal": report.found.goal,
            "temporal": report.temporal.iter().any(|formula| formula.verdict == TemporalVerdict::Violated),
        },
        "coverage": coverage,
        "limits": report.limits,
        "outside_scope": report.outside_scope,
        "message": report.failures.first().map(|(what, diagnostic)| format!("{what}: {}", diagnostic.message)).unwrap_or_default(),
        "engine": if report.symbolic.is_some() { "symbolic" } else { "explicit" },
        "symmetry": report.symmetry.method.name(),
        "symmetric": symmetric_json(model, report),
        "symmetry_restrictions": report.symmetry.restrictions,
        "approximate": report.symmetry.is_approximate,
        "search_seconds": times.search,
        "total_seconds": times.total,
        "peak_bytes": peak_bytes(),
        "table_bytes": report.table_bytes,
        "spilled": report.disk.is_spilled,
        "checkpoints": report.disk.n_checkpoints,
        "checkpoint_error": report.disk.checkpoint_error,
    });
    if let Some(symbolic) = &report.symbolic {
        add_symbolic(&mut json, symbolic);
    }
    // Traces may be long: they are moved, where `json!` would copy them.
    json["violation"] = violation.unwrap_or_default();
    json["temporal"] = temporal::json(report, sources);
    json
}

/// Puts the counts and figures of the symbolic engine into a report.
fn add_symbolic(json: &mut Value, symbolic: &SymbolicReport) {
    let number = |count: &BigUint| u64::try_from(count).map_or_else(|_| json!(count.to_string()), |count| json!(count));
    json["states"] = number(&symbolic.states);
    json["nodes"] = number(&(&symbolic.states + 1_u32));
    json["transitions"] = symbolic.transitions.as_ref().map(number).unwrap_or_default();
    json["depth"] = Value::Null;
    if symbolic.backward.is_some() {
        (json["states"], json["nodes"]) = (Value::Null, Value::Null);
    }
    json["symbolic"] = json!({
        "all_states": symbolic.states_behind.as_ref().filter(|_| symbolic.backward.is_none()).map(number),
        "representatives": match symbolic.symmetry {
            SymbolicSymmetry::Off => Value::Null,
            SymbolicSymmetry::Unique => json!("unique"),
            SymbolicSymmetry::Several => json!("several"),
        },
        "peak_nodes": symbolic.peak_nodes,
        "live_nodes": symbolic.live_nodes,
        "reorderings": symbolic.n_reorderings,
        "rounds": symbolic.rounds,
        "exact_operations": symbolic.exact_operations,
        "learnt_operations": symbolic.learnt_operations,
        "numbered_variables": symbolic.numbered_variables,
        "learnt_properties": symbolic.learnt_properties,
        "lists_initial": symbolic.lists_initial,
        "direction": if symbolic.backward.is_some() { "backward" } else { "forward" },
        "backward": symbolic.backward.as_ref().map(|backward| json!({
            "targets": backward.targets,
            "refinements": backward.refinements,
            "visible_variables": backward.visible,
            "variables": backward.variables,
            "fixpoint_nodes": backward.fixpoint_nodes,
            "patterns": backward.proof.as_ref().map(|proof| json!({
                "never": proof.patterns,
                "elements": proof.n_variables,
                "answers": proof.queries,
                "searches": proof.searches,
                "samples": proof.samples,
            })),
            "without_patterns": backward.without_patterns,
        })),
    });
}

/// Interchangeable elements by given set.
fn symmetric_json(model: &Model, report: &Report) -> Value {
    let names = |set, block: &Vec<u32>| -> Vec<String> {
        block.iter().map(|index| model.sets[set].element_name(*index).to_string()).collect()
    };
    let carriers = report.symmetry.carriers.iter().filter(|carrier| !carrier.blocks.is_empty()).map(|carrier| {
        let blocks: Vec<Vec<String>> = carrier.blocks.iter().map(|block| names(carrier.set, block)).collect();
        (model.sets[carrier.set].name.to_string(), json!(blocks))
    });
    Value::Object(carriers.collect())
}

/// Statistics of partial order reduction and of its dependence analysis.
pub(super) fn por_json(report: &Report) -> Value {
    let Some(tally) = &report.por else { return Value::Null };
    json!({
        "reduced_states": tally.reduced,
        "refused": tally.refused,
        "mistakes": tally.mistakes,
        "instances": tally.outline.instances,
        "errors": tally.outline.errors,
        "places": tally.outline.cells,
        "proven": tally.outline.proven,
        "questions": tally.outline.questions,
    })
}

/// Peak memory of the search, divided by the number of states.
pub(super) fn bytes_per_state(report: &Report, bytes_before: u64) -> f64 {
    peak_bytes().saturating_sub(bytes_before) as f64 / report.states.max(1) as f64
}

pub(super) fn violation_json(model: &Model, sources: &SourceMap, violation: &Violation) -> Value {
    let (kind, detail) = match &violation.kind {
        ViolationKind::Invariant { conjunct } => {
            let conjunct = &model.invariant[*conjunct];
            (
                "invariant",
                json!({ "text": conjunct_text(model, sources, conjunct), "place": sources.locate(conjunct.span) }),
            )
        }
        ViolationKind::Assertion { conjunct } => {
            let conjunct = &model.assertions[*conjunct];
            (
                "assertion",
                json!({ "text": conjunct_text(model, sources, conjunct), "place": sources.locate(conjunct.span) }),
            )
        }
        ViolationKind::Deadlock => ("deadlock", Value::Null),
        ViolationKind::Goal => ("goal", Value::Null),
        ViolationKind::IllDefined { operation, error } => (
            "ill_defined",
            json!({ "operation": operation, "id": error.id, "text": error.message, "place": error.span().map(|span| sources.locate(span)) }),
        ),
    };
    let parts: Vec<Value> =
        violation.parts.iter().map(|part| json!({ "text": part_text(sources, part), "value": part.value })).collect();
    let mut json = json!({ "kind": kind, "detail": detail, "parts": parts, "steps": violation.trace.n_steps() });
    json["reasons"] = violation.reasons.iter().map(|reason| json!(reason_text(sources, reason))).collect();
    json["gap"] = json!(violation.trace.gap);
    json["trace"] = steps_json(&violation.trace.steps);
    json
}
