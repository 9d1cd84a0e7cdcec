//! Branching time with fairness premises: path quantifiers range over fair paths.
//!
//! A path is fair if it ends, or if all constraints of one alternative of the premise hold on it. Fair paths that stay in a set are the greatest fixpoint of Emerson and Lei (1986) for weak
//! fairness, with the rule of Kesten, Pnueli and Raviv (1998) for strong fairness: a state where the operation is enabled stays only if it leads to a step of the operation. Targets of `EX` and
//! `EU` count only if a fair path leads on from there. Semantics are those of `abridge_temporal::ctl`.

use abridge_eval::Val;
use abridge_temporal::{FairnessConstraint, FairnessSubject};

use super::witness::WitnessPath;
use super::{CtlJudge, CtlResult, NoVerdict};
use crate::bdd::Bdd;

/// What fair paths do.
pub(super) struct FairPaths {
    alternatives: Vec<Vec<FairnessCondition>>,
    /// Reached states from which a fair path leads on.
    pub(super) states: Bdd,
}

/// Some steps are taken again and again: if they are enabled all the time or, strongly, again and again.
#[derive(Clone)]
struct FairnessCondition {
    is_strong: bool,
    enabled: Bdd,
    /// Positions of the relations of the steps.
    taken: Vec<usize>,
}

/// The position of an operation, and its arguments if it has parameters.
type FairOperation = (usize, Option<Vec<Val>>);

impl CtlJudge<'_, '_, '_> {
    /// Makes path quantifiers range over the paths that meet a premise.
    pub(super) fn be_fair(&mut self, premises: &[Vec<FairnessConstraint>]) -> CtlResult<()> {
        let mut alternatives = Vec::new();
        for constraints in premises {
            let mut conditions = Vec::new();
            for constraint in constraints {
                conditions.extend(self.conditions(constraint)?);
            }
            alternatives.push(conditions);
        }
        let all = self.all.clone();
        self.fairness = Some(FairPaths { alternatives, states: all.clone() });
        let states = self.some_globally(&all)?;
        if let Some(fairness) = &mut self.fairness {
            fairness.states = states;
        }
        Ok(())
    }

    fn conditions(&mut self, constraint: &FairnessConstraint) -> CtlResult<Vec<FairnessCondition>> {
        let is_strong = constraint.is_strong;
        let FairnessSubject::Step { enabled, taken } = constraint.subject else {
            let condition = |(enabled, taken)| FairnessCondition { is_strong, enabled, taken };
            return Ok(self.every_operation()?.into_iter().map(condition).collect());
        };
        let enabled = self.atom(&self.atoms[enabled.0 as usize])?;
        Ok(vec![FairnessCondition { is_strong, enabled, taken: self.parts(Some(taken))? }])
    }

    /// Every operation with its arguments: the reached states where it is enabled, and the positions of its relations.
    pub(super) fn every_operation(&mut self) -> CtlResult<Vec<(Bdd, Vec<usize>)>> {
        if self.space.is_reduced() {
            return Err(NoVerdict::Unsupported("premises about every operation under symmetry"));
        }
        let source = self.space.source;
        let mut groups: Vec<(FairOperation, Vec<usize>)> = Vec::new();
        for (part, step) in self.space.steps.iter().enumerate() {
            let has_params = !source.interp.model().operations[source.operations[step.operation]].params.is_empty();
            let label = step.instance.and_then(|instance| self.space.encoding.instances[instance].label.clone());
            if has_params && label.is_none() {
                return Err(NoVerdict::Unsupported("premises about operations without a circuit for each argument"));
            }
            let key = (step.operation, label.filter(|_| has_params));
            match groups.iter_mut().find(|(other, _)| *other == key) {
                Some((_, parts)) => parts.push(part),
                None => groups.push((key, vec![part])),
            }
        }
        let mut operations = Vec::new();
        for (_, parts) in groups {
            let enabled = parts.iter().map(|part| self.space.steps[*part].enabled.clone()).collect();
            let enabled = self.space.manager.any(enabled)?;
            operations.push((self.and(&enabled, &self.all.clone())?, parts));
        }
        Ok(operations)
    }

    /// The part of a set from which a fair path leads on.
    pub(super) fn fairly(&mut self, set: &Bdd) -> CtlResult<Bdd> {
        match &self.fairness {
            Some(fairness) => Ok(self.space.manager.and(set, &fairness.states)?),
            None => Ok(set.clone()),
        }
    }

    /// States from which a fair path stays in a set.
    pub(super) fn some_fairly(&mut self, stay: &Bdd) -> CtlResult<Bdd> {
        let mut goals = vec![self.and(stay, &self.deadlocks.clone())?];
        for conditions in self.alternatives() {
            goals.push(self.live(stay, &conditions)?);
        }
        let goal = self.space.manager.any(goals)?;
        self.until(stay, &goal)
    }

    fn alternatives(&self) -> Vec<Vec<FairnessCondition>> {
        self.fairness.as_ref().map(|fairness| fairness.alternatives.clone()).unwrap_or_default()
    }

    /// States of a set from which all conditions can be met for ever, if a path stays there.
    fn live(&mut self, stay: &Bdd, conditions: &[FairnessCondition]) -> CtlResult<Bdd> {
        let mut live = stay.clone();
        loop {
            let old = live.clone();
            let before = self.some_next(&live, None)?;
            live = self.and(&live, &before)?;
            for condition in conditions {
                let goal = self.met(&live, condition)?;
                let mut kept = self.until(&live, &goal)?;
                if condition.is_strong {
                    let without = self.space.manager.minus(&live, &condition.enabled)?;
                    kept = self.or(&kept, &without)?;
                }
                live = kept;
            }
            if live == old {
                return Ok(live);
            }
        }
    }

    /// States of a set with a step that stays in the set and counts for a condition.
    fn met(&mut self, live: &Bdd, condition: &FairnessCondition) -> CtlResult<Bdd> {
        let mut sources = self.some_next_by(live, &condition.taken)?;
        if !condition.is_strong {
            let before = self.some_next(live, None)?;
            let idle = self.space.manager.minus(&before, &condition.enabled)?;
            sources = self.or(&sources, &idle)?;
        }
        Ok(self.and(&sources, live)?)
    }

    /// Goes on in a set on a fair path: around a loop, or to a state without steps.
    pub(super) fn go_fairly(&mut self, walk: &mut WitnessPath, stay: &Bdd) -> CtlResult<()> {
        let ends = self.and(stay, &self.deadlocks.clone())?;
        if !ends.is_false() && self.go_until(walk, stay, &ends)? {
            return Ok(());
        }
        for conditions in self.alternatives() {
            let live = self.live(stay, &conditions)?;
            if !live.is_false() && self.go_until(walk, stay, &live)? {
                return self.go_round(walk, &live, &conditions);
            }
        }
        Ok(())
    }

    /// Goes around a loop on which all conditions are met.
    fn go_round(&mut self, walk: &mut WitnessPath, live: &Bdd, conditions: &[FairnessCondition]) -> CtlResult<()> {
        let all = self.all_parts();
        loop {
            let (head, start) = (walk.len() - 1, walk.here());
            if !self.step(walk, live, &all)? {
                return Ok(());
            }
            for condition in conditions {
                let goal = self.met(live, condition)?;
                let is_met = self.go_until(walk, live, &goal)? && self.take(walk, live, condition)?;
                // Where a fair operation cannot be taken any more, it is not enabled any more.
                if !is_met && !condition.is_strong {
                    return Ok(());
                }
            }
            // A state that leads back to itself is on a loop; any other lies before the loops that are left.
            if self.go_until(walk, live, &start)? {
                walk.loop_start = Some(head);
                return Ok(());
            }
        }
    }

    /// Goes on by a step that counts for a condition; false if there is none.
    fn take(&mut self, walk: &mut WitnessPath, live: &Bdd, condition: &FairnessCondition) -> CtlResult<bool> {
        let is_idle = self.and(&walk.here(), &condition.enabled)?.is_false();
        let all = self.all_parts();
        let parts = if is_idle && !condition.is_strong { &all } else { &condition.taken };
        self.step(walk, live, parts)
    }
}
