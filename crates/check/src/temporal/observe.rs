//! What temporal formulas observe of states and steps, for a reduction that leaves out steps.
//!
//! The theorems are in `abridge_reduce::Paths`. Whatever they do not cover is refused with a reason; an atom that was forgotten here would let steps be left out that
//! decide a formula.

use abridge_deps::{Observed, ObservedOperation as ObservedPattern};
use abridge_model::Model;
use abridge_model_system::FIRST_OPERATION;
use abridge_reduce::Paths;
use abridge_temporal::formula::CtlNode;
use abridge_temporal::{BranchingFormula, Budget, ExpandedFormula, FairnessSubject, LinearProperty};

use super::atoms::{LoweredAtom, StepPattern};
use super::prepare::{FormulaTree, Prepared, PreparedFormula};

impl Prepared {
    /// For each formula the reason why steps may not be left out for it, if there is one.
    pub fn refusals(&self, model: &Model) -> Vec<Option<String>> {
        self.formulas.iter().map(|formula| self.refusal(model, formula)).collect()
    }

    fn refusal(&self, model: &Model, formula: &PreparedFormula) -> Option<String> {
        let body = formula.body.as_ref()?;
        let why = match &body.tree {
            FormulaTree::Ltl(expanded) => refused_ltl(expanded),
            FormulaTree::Ctl(ctl) => refused_ctl(ctl),
        };
        let refused = why.map(|why| format!("`{}` {why}", formula.source.name));
        let mut atoms = body.atoms.iter().map(|atom| self.observe(model, &self.atoms[*atom], &mut Vec::new()));
        let undecided = || atoms.find_map(Result::err).map(|what| format!("`{what}` depends on all steps of a state"));
        refused.or_else(undecided)
    }

    /// The reason why a bisimulation that respects operations, but not their arguments, does not preserve the formulas; nothing if it does. Propositions
    /// are not looked at: whether they are preserved is for the bisimulation to say.
    pub(crate) fn beyond_bisimulation(&self) -> Option<String> {
        if self.needs_instances {
            return Some("a formula observes every operation with its arguments".to_owned());
        }
        let is_preserved = |atom: &LoweredAtom| match atom {
            LoweredAtom::Proposition(_) | LoweredAtom::Deadlock | LoweredAtom::Error => true,
            LoweredAtom::Taken(pattern) | LoweredAtom::Enabled(pattern) | LoweredAtom::NoOther(pattern) => {
                !pattern.has_arguments()
            }
            LoweredAtom::NoneOf(patterns)
            | LoweredAtom::AtMostOneOf(patterns)
            | LoweredAtom::ExactlyOneOf(patterns) => !patterns.iter().any(StepPattern::has_arguments),
            // These compare the states before and after a step, or steps with each other.
            LoweredAtom::Sink
            | LoweredAtom::DeterministicOutput
            | LoweredAtom::Change(..)
            | LoweredAtom::BeforeAfter(..) => false,
        };
        let is_lost = self.atoms.iter().any(|atom| !is_preserved(atom));
        is_lost.then(|| "an atom of a formula observes arguments, or more than one state".to_owned())
    }

    /// What the formulas ask of a reduction that leaves out steps.
    ///
    /// # Errors
    /// The reason why no step may be left out.
    pub(crate) fn paths(&self, model: &Model) -> Result<Paths, String> {
        if let Some(why) = self.refusals(model).into_iter().flatten().next() {
            return Err(why);
        }
        let bodies = || self.formulas.iter().filter_map(|formula| formula.body.as_ref());
        let mut observed = Vec::new();
        for atom in bodies().flat_map(|body| &body.atoms) {
            self.observe(model, &self.atoms[*atom], &mut observed)?;
        }
        let is_branching = bodies().any(|body| matches!(body.tree, FormulaTree::Ctl(_)));
        Ok(Paths::new(observed, is_branching))
    }

    fn observe(&self, model: &Model, atom: &LoweredAtom, out: &mut Vec<Observed>) -> Result<(), &'static str> {
        match atom {
            LoweredAtom::Proposition(number) => out.push(Observed::Truth(self.propositions[*number as usize])),
            LoweredAtom::Change(_, expr) => out.push(Observed::Value(*expr)),
            LoweredAtom::Taken(pattern) => out.push(Observed::Taken(observed_pattern(pattern))),
            LoweredAtom::Enabled(pattern) => out.push(Observed::Enabled(observed_pattern(pattern))),
            LoweredAtom::NoneOf(patterns)
            | LoweredAtom::AtMostOneOf(patterns)
            | LoweredAtom::ExactlyOneOf(patterns) => {
                out.extend(patterns.iter().map(|pattern| Observed::Enabled(observed_pattern(pattern))));
            }
            LoweredAtom::NoOther(pattern) => {
                let all = (0..model.transitions().count()).map(|operation| operation as u32 + FIRST_OPERATION);
                let others = all.filter(|operation| *operation != pattern.operation);
                out.extend(others.map(|operation| {
                    Observed::Enabled(observed_pattern(&StepPattern { operation, arguments: Vec::new() }))
                }));
            }
            // A state of which steps are left out is none, and leads to none.
            LoweredAtom::Deadlock => {}
            LoweredAtom::Sink => return Err("sink"),
            LoweredAtom::Error => return Err("error"),
            LoweredAtom::DeterministicOutput => return Err("det_output"),
            LoweredAtom::BeforeAfter(..) => return Err("BA"),
        }
        Ok(())
    }
}

fn observed_pattern(pattern: &StepPattern) -> ObservedPattern {
    let operation = (pattern.operation - FIRST_OPERATION) as usize;
    ObservedPattern { operation, arguments: pattern.arguments.clone() }
}

/// Why steps may not be left out, for a formula of linear time.
fn refused_ltl(expanded: &ExpandedFormula) -> Option<&'static str> {
    if expanded.premises.iter().flatten().any(|constraint| constraint.subject == FairnessSubject::Every) {
        return Some("observes every operation with its arguments");
    }
    match LinearProperty::new(expanded, &Budget::default()) {
        Ok(property) if property.is_stutter_invariant => None,
        Ok(_) => Some("is not stutter-invariant"),
        Err(_) => Some("has an automaton that is too large"),
    }
}

fn refused_ctl(branching: &BranchingFormula) -> Option<&'static str> {
    if branching.has_premise() {
        return Some("is a formula of CTL with a fairness premise");
    }
    let ctl = &branching.formula;
    let has_next = ctl.nodes().any(|(_, node)| matches!(node, CtlNode::Next(..)));
    let is_about_steps = ctl.atoms.iter().any(|(_, atom)| atom.kind.is_about_step());
    (has_next || is_about_steps).then_some("is a formula of CTL about next steps")
}
