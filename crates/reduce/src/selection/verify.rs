//! Verification of selections: every selected set is compared with what the proof needs of it, by taking the steps.
//!
//! From a state, all paths of instances outside its set are followed up to a given length. On them nothing may be met that is to be reported
//! and that the state itself has not; no instance of the set may become enabled that was not; and where a step `t` of the set
//! follows a step `u` outside, `t` then `u` must lead to the same state. All steps are taken in the end, so that every reachable
//! state is looked at.

use std::collections::BTreeSet;

use abridge_deps::{AskedErrors, EventId};
use abridge_system::{FindingKind, Properties, Steps, Worker as _};
use abridge_value::BitSet;

use super::{Analysed, DependencyView, SelectedWorker};

/// Paths that are followed from one state.
const MAX_PATHS: usize = 300;

/// A state and the steps out of it.
struct Visited {
    steps: Vec<(EventId, Vec<u32>)>,
    /// What is to be reported about it.
    found: BTreeSet<FindingKind>,
}

impl<S: Analysed> SelectedWorker<'_, S> {
    /// Checks a set for a state; says what is wrong.
    pub(super) fn verify(&mut self, words: &[u32], chosen: &BitSet, length: usize) -> Option<String> {
        let start = self.visit(words)?;
        let mut open: Vec<(Vec<u32>, usize)> = vec![(words.to_vec(), 0)];
        let mut n_paths = 0;
        while let Some((from, n_steps)) = open.pop() {
            let here = self.visit(&from)?;
            for (event, target) in here.steps.iter().filter(|(event, _)| !chosen.contains(*event)) {
                n_paths += 1;
                if n_paths > MAX_PATHS {
                    return None;
                }
                let next = self.visit(target)?;
                if let Some(mistake) = self.mistake(&start, &here, &next, *event, chosen) {
                    return Some(mistake);
                }
                if n_steps + 1 < length {
                    open.push((target.clone(), n_steps + 1));
                }
            }
        }
        None
    }

    /// What is wrong with leaving out a step from one state to the next on a path from the start.
    fn mistake(
        &mut self,
        start: &Visited,
        here: &Visited,
        next: &Visited,
        left_out: EventId,
        chosen: &BitSet,
    ) -> Option<String> {
        let name = |worker: &Self, event: EventId| match &worker.view {
            Some((_, Some(view))) => worker.selected.system.event_name(&view.dependencies, event),
            _ => String::new(),
        };
        if let Some(found) = next.found.difference(&start.found).next() {
            return Some(format!("{} was left out and leads to {found:?}", name(self, left_out)));
        }
        for (event, target) in next.steps.iter().filter(|(event, _)| chosen.contains(*event)) {
            if !start.steps.iter().any(|(other, _)| other == event) {
                return Some(format!("{} was left out and enables {}", name(self, left_out), name(self, *event)));
            }
            let before: Vec<Vec<u32>> =
                here.steps.iter().filter(|(other, _)| other == event).map(|(_, state)| state.clone()).collect();
            let mut has_match = false;
            for state in before {
                let after = self.visit(&state)?;
                has_match |= after.steps.iter().any(|(other, state)| *other == left_out && state == target);
            }
            if !has_match {
                return Some(format!("{} was left out and depends on {}", name(self, left_out), name(self, *event)));
            }
        }
        None
    }

    /// Nothing if the steps out of a state are not known well enough.
    fn visit(&mut self, words: &[u32]) -> Option<Visited> {
        let mut steps = Steps::with_labels(self.selected.system.width());
        let completeness = self.inner.successors(words, &mut steps);
        let Some((_, Some(view))) = &mut self.view else { return None };
        let events = view.events_of(self.selected.system, &steps)?;
        let mut found = BTreeSet::new();
        let asked = self.selected.por.asked;
        if asked.deadlock && steps.is_deadlock(completeness) {
            found.insert(FindingKind::Deadlock);
        }
        found.extend(steps.ill_defined().iter().map(|operation| FindingKind::IllDefined(*operation)));
        let AskedErrors { invariant, assertions, goal, .. } = asked;
        let properties = Properties { invariant, assertions, goal, ..Properties::default() };
        let inspected = self.inner.inspect(words, None, properties, &mut |kind| _ = found.insert(kind));
        let steps = events.into_iter().zip(steps.iter()).map(|(event, step)| (event, step.target.to_vec())).collect();
        // A state of which something is missing is no evidence against a selection.
        completeness.and(inspected).is_whole().then_some(Visited { steps, found })
    }
}

impl DependencyView {
    fn events_of(&mut self, system: &impl Analysed, steps: &Steps) -> Option<Vec<EventId>> {
        steps.iter().map(|step| self.event_of(system, step.operation, step.label)).collect()
    }
}
