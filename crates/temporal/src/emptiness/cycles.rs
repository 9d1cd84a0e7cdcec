//! Fair cycles of a graph, whatever an automaton says: [`FairCycles`].
//!
//! Branching time asks which states of a set lie on a fair cycle within it. That is the search for a violating loop with an automaton that accepts everything, so
//! premises, `WEF` and `SEF`, quotients with permutations and all, mean the same in both logics. Every state of a component with a fair part leads to that part
//! within the component.

use abridge_value::BitSet;

use crate::expand::{BranchingFormula, ExpandedFormula};
use crate::formula::{Ltl, LtlNode, TextRange};
use crate::property::LinearProperty;
use crate::translate::{Budget, GaveUp};

use super::components::for_each_component;
use super::fair::{FairConditions, FairPart};
use super::lasso::loop_from;
use super::letters::Moves;
use super::{LetterGraph, trim};

/// Cycles that meet the premises of a formula.
pub(crate) struct FairCycles {
    /// Every path violates `false`.
    property: LinearProperty,
}

/// States that lie on a fair cycle, or lead to one inside their component.
pub(crate) struct FairStates {
    pub(crate) states: BitSet,
    /// Values that are not known would have mattered: there may be more.
    pub(crate) is_partial: bool,
}

/// Part of a component in which a fair path can stay.
pub(crate) struct CyclePart {
    alternative: usize,
    part: FairPart,
}

impl CyclePart {
    pub(crate) fn states(&self) -> impl Iterator<Item = u32> {
        self.part.members.iter().map(|node| *node as u32)
    }
}

impl FairCycles {
    pub(crate) fn new(formula: &BranchingFormula) -> Result<FairCycles, GaveUp> {
        let mut never = Ltl::over(formula.formula.atoms.clone());
        never.push(LtlNode::Const(false), TextRange::default());
        let expanded = ExpandedFormula { formula: never, premises: formula.premises.clone() };
        let property = LinearProperty::new(&expanded, &Budget::default())?;
        debug_assert_eq!(property.violation.states.len(), 1, "nodes are states");
        Ok(FairCycles { property })
    }

    /// The states of a set on fair cycles within it; nothing if that was stopped.
    pub(crate) fn states<G: LetterGraph>(&self, graph: &G, within: &BitSet) -> Option<FairStates> {
        let mut found = FairStates { states: BitSet::with_room(graph.n_states()), is_partial: false };
        let is_partial = self.for_each_part(graph, within, &mut |members, _| {
            members.iter().for_each(|node| _ = found.states.insert(*node as usize));
        })?;
        found.is_partial = is_partial;
        Some(found)
    }

    /// The parts of a set in which fair paths can stay; nothing if that was stopped.
    pub(crate) fn parts<G: LetterGraph>(&self, graph: &G, within: &BitSet) -> Option<Vec<CyclePart>> {
        let mut parts = Vec::new();
        self.for_each_part(graph, within, &mut |_, part| parts.push(part))?;
        Some(parts)
    }

    /// Calls `visit` with each component that has a fair part, and that part. Says whether there may be more.
    fn for_each_part<G: LetterGraph>(
        &self,
        graph: &G,
        within: &BitSet,
        visit: &mut dyn FnMut(&[u64], CyclePart),
    ) -> Option<bool> {
        let mut moves = Moves::new(graph, &self.property);
        let mut is_partial = false;
        for (alternative, constraints) in self.property.premises.iter().enumerate() {
            let mut conditions = FairConditions::new(graph, &self.property, constraints);
            let left = trim::trimmed(graph, &mut moves, within, &conditions)?;
            let is_whole = for_each_component(graph, &mut moves, &left, &mut |component, moves| {
                if let Some(part) = conditions.fair_part(component, moves) {
                    visit(component.members, CyclePart { alternative, part });
                }
                false
            });
            is_whole.then_some(())?;
            is_partial |= conditions.is_partial;
        }
        Some(is_partial)
    }

    /// Letters and targets along a fair loop in a part, from one of its states on; nothing if that was stopped.
    pub(crate) fn loop_from<G: LetterGraph>(&self, graph: &G, part: &CyclePart, start: u32) -> Option<Vec<(u32, u32)>> {
        let mut moves = Moves::new(graph, &self.property);
        let constraints = &self.property.premises[part.alternative];
        let mut conditions = FairConditions::new(graph, &self.property, constraints);
        let positions = loop_from(graph, &mut moves, &part.part, &mut conditions, u64::from(start))?;
        let targets = positions.iter().skip(1).map(|(state, _)| *state).chain([start]);
        Some(positions.iter().zip(targets).map(|((_, letter), target)| (*letter, target)).collect())
    }
}
