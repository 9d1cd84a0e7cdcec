//! `abridge show --symmetry`: interchangeable elements of each given set, and the reason why others are fixed.

use std::fmt::Write as _;

use abridge_check::{AsymmetryReason, Carrier, Symmetry, symmetry_of};
use abridge_diag::SourceMap;
use abridge_model::Model;
use abridge_system::Properties;
use serde_json::{Value, json};

/// Maximum number of reasons printed per set; the rest is counted.
const MAX_REASONS: usize = 6;

fn symmetry(model: &Model) -> Symmetry {
    symmetry_of(model, Properties { invariant: true, assertions: true, goal: true, propositions: false }, &[], &[])
}

pub(super) fn text(model: &Model, sources: &SourceMap) -> String {
    let symmetry = symmetry(model);
    let mut out = String::new();
    if symmetry.carriers.is_empty() {
        return "no given sets\n".to_owned();
    }
    for carrier in &symmetry.carriers {
        let set = &model.sets[carrier.set];
        let kind = if set.is_deferred() { "deferred" } else { "enumerated" };
        let forced = if carrier.is_forced { ", FORCE_SYMMETRY" } else { "" };
        let _ = writeln!(out, "{} ({kind}, {} elements{forced})", set.name, set.size());
        for block in &carrier.blocks {
            let _ = writeln!(out, "  interchangeable: {}", names(model, carrier, block).join(", "));
        }
        for (index, reason) in carrier.reasons.iter().take(MAX_REASONS) {
            let _ = writeln!(out, "  {} {}", set.element_name(*index), reason_text(model, sources, reason));
        }
        if carrier.reasons.len() > MAX_REASONS {
            let _ = writeln!(out, "  and {} more", carrier.reasons.len() - MAX_REASONS);
        }
    }
    match symmetry.group.order() {
        Some(1) => out.push_str("no symmetry\n"),
        Some(order) => {
            let _ = writeln!(out, "orbits of up to {order} states");
        }
        None => out.push_str("orbits of more than 2^128 states\n"),
    }
    out
}

fn names(model: &Model, carrier: &Carrier, block: &[u32]) -> Vec<String> {
    block.iter().map(|index| model.sets[carrier.set].element_name(*index).to_string()).collect()
}

fn reason_text(model: &Model, sources: &SourceMap, reason: &AsymmetryReason) -> String {
    match reason {
        AsymmetryReason::Named(span) => format!("is named at {}", sources.locate(*span)),
        AsymmetryReason::Pinned(constant) => format!("is the value chosen for {}", model.constants[*constant].name),
        AsymmetryReason::Ordered { name, span } => {
            format!("is fixed by {name} at {}, which depends on names or their order", sources.locate(*span))
        }
        AsymmetryReason::Alone => "has no interchangeable partner".to_owned(),
    }
}

pub(super) fn to_json(model: &Model, sources: &SourceMap) -> Value {
    let carrier = |carrier: &Carrier| {
        let blocks: Vec<Vec<String>> = carrier.blocks.iter().map(|block| names(model, carrier, block)).collect();
        let fixed: Vec<Value> = carrier
            .reasons
            .iter()
            .map(|(index, reason)| {
                json!({
                    "element": model.sets[carrier.set].element_name(*index).as_str(),
                    "reason": reason_text(model, sources, reason),
                })
            })
            .collect();
        json!({
            "set": model.sets[carrier.set].name.as_str(),
            "blocks": blocks,
            "forced": carrier.is_forced,
            "fixed": fixed,
        })
    };
    json!(symmetry(model).carriers.iter().map(carrier).collect::<Vec<Value>>())
}
