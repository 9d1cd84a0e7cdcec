//! Symmetry that temporal formulas restrict: a sentence for the report for each formula and given set.
//!
//! Elements that a formula tells apart are not interchangeable any more, whatever the machine does with them. A user who misses
//! the reduction finds the reason in the report. The sentences decide nothing: a wrong one would mislead, but change no verdict.

use abridge_model::Model;
use abridge_model_system::ModelSystem;
use abridge_reduce::symmetry::{AsymmetryReason, Carrier, Symmetry, symmetry_of};
use abridge_system::Properties;

use super::{Prepared, PreparedFormula};

/// Maximum number of elements that a sentence names; the rest is counted.
const MAX_NAMED: usize = 4;

/// How the formulas restrict the symmetry, which is `restricted` with all of them: one text for each formula and given set.
pub(crate) fn restrictions(
    system: &impl ModelSystem,
    asked: Properties,
    formulas: &Prepared,
    restricted: &Symmetry,
) -> Vec<String> {
    let model = system.model();
    let free = symmetry_of(model, asked, &[], system.pinned());
    let is_restricted = |all: &Symmetry| free.carriers.iter().zip(&all.carriers).any(|(a, b)| a.blocks != b.blocks);
    if !is_restricted(restricted) {
        return Vec::new();
    }
    let mut texts = Vec::new();
    for formula in &formulas.formulas {
        let nodes = formulas.nodes_of(formula);
        if nodes.is_empty() {
            continue;
        }
        let alone = symmetry_of(model, asked, &nodes, system.pinned());
        for (before, after) in free.carriers.iter().zip(&alone.carriers) {
            if before.blocks != after.blocks {
                texts.push(format!("restricted, since {}", told_apart(model, formula, before, after)));
            }
        }
    }
    texts
}

/// Why a method that does not tell permutations makes no reduction.
pub(crate) fn needs_permutations(formulas: &Prepared) -> String {
    let name = formulas.formulas.iter().find(|formula| formula.needs_instances()).map(|formula| &formula.source.name);
    let name = name.map_or("a formula".to_owned(), |name| format!("`{name}`"));
    format!("not made, since {name} follows every operation with its arguments, which needs `--symmetry auto`")
}

/// What a formula does with the elements of a set, of which there were more interchangeable ones `before`.
fn told_apart(model: &Model, formula: &PreparedFormula, before: &Carrier, after: &Carrier) -> String {
    let (name, set) = (&formula.source.name, &model.sets[after.set]);
    let was_free = |index: &u32| before.blocks.iter().any(|block| block.contains(index));
    let mut named = Vec::new();
    for (index, reason) in &after.reasons {
        if matches!(reason, AsymmetryReason::Named(_)) && was_free(index) {
            named.push(set.element_name(*index).to_string());
        }
    }
    let n_more = named.len().saturating_sub(MAX_NAMED);
    named.truncate(MAX_NAMED);
    match (named.is_empty(), n_more) {
        (true, _) => format!("`{name}` tells elements of {} apart", set.name),
        (false, 0) => format!("`{name}` names {} of {}", named.join(", "), set.name),
        (false, _) => format!("`{name}` names {} and {n_more} more of {}", named.join(", "), set.name),
    }
}
