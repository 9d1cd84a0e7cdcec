//! Checking by backward search: from what may go wrong to the initial states. States are neither listed nor counted.

use std::ops::ControlFlow;

use abridge_encoding::EncodingSource;
use abridge_eval::State;
use abridge_model_system::{INITIALISATION, ModelSystem};
use abridge_reduce::symmetry::{Group, Method};
use abridge_search::{Control, Progress};
use abridge_symbolic::{BddStop, Halt, NoProof, Representatives, Space, SymbolicFinding, Traced, prove};
use abridge_system::FindingKind;
use abridge_value::Value;

use super::{AfterSetup, SymbolicRun, finding, lists};
use crate::report::BackwardReport;

impl<S: ModelSystem> SymbolicRun<'_, S> {
    /// Searches backwards under the constants of one set-up; nothing if the machine does not start.
    pub(super) fn trace(&mut self, mut space: Space<'_>, setup: Option<&[u32]>) -> ControlFlow<Option<AfterSetup>> {
        let (system, asked) = (self.system, self.asked());
        let mut limit = None;
        let traced = space.trace(asked, &mut |progress| {
            let abridge_symbolic::FixpointProgress { rounds, bytes, .. } = *progress;
            let progress = Progress { bytes: bytes + system.bytes(), depth: rounds, ..Progress::default() };
            limit = Control::poll(&mut *self.control, &progress);
            limit.is_none()
        });
        if setup.is_none() && (space.is_start_ill_defined || !traced.has_start) {
            return ControlFlow::Break(None);
        }
        self.formulas.doubt("a backward search judges no formulas");
        self.limits.extend(limit);
        if let Some(halt) = traced.halt.as_ref().filter(|_| limit.is_none()) {
            match halt {
                Halt::Stop(BddStop::Nodes) => self.stops.push("node limit of the backward search reached".to_owned()),
                halt => self.halt(halt),
            }
        }
        self.stops.extend(space.missing.iter().cloned());
        let mut kinds = Vec::new();
        if space.is_start_ill_defined {
            kinds.push((FindingKind::IllDefined(INITIALISATION), Vec::new()));
        }
        if !traced.has_start && space.missing.is_empty() && self.config.deadlock {
            kinds.push((FindingKind::Deadlock, Vec::new()));
        }
        for (kind, path) in &traced.found {
            if self.is_confirmed(*kind, path.last()) {
                kinds.push((finding(*kind), path.clone()));
            } else {
                self.stops.push("backward search: the interpreter does not confirm what circuits say".to_owned());
            }
        }
        self.add_traced(&traced, &space);
        drop(space);
        self.add_violations(setup, kinds, Vec::new(), None);
        let is_done = !self.config.find_all && !self.violations.is_empty();
        ControlFlow::Break(Some(if is_done || traced.halt.is_some() { AfterSetup::End } else { AfterSetup::Setup }))
    }

    /// Whether patterns exclude everything that is asked about. What they leave open is searched for in other ways.
    pub(super) fn is_excluded(&mut self, source: &EncodingSource<'_>, constants: &State, group: &Group) -> bool {
        if self.config.representatives != Representatives::Patterns || self.config.symmetry == Method::Off {
            return false;
        }
        let elements = interchangeable(group, constants);
        let (asked, system) = (self.asked(), self.system);
        let mut watch = |progress: &abridge_symbolic::FixpointProgress| {
            let progress = Progress { bytes: system.bytes(), depth: progress.rounds, ..Progress::default() };
            Control::poll(&mut *self.control, &progress).is_none()
        };
        let proof = prove(source, constants, &elements, asked, &mut watch, self.config.stop.clone());
        let report = self.shown.backward.get_or_insert_with(BackwardReport::default);
        match proof {
            Err(NoProof(why, _)) => report.without_patterns = Some(why),
            Ok(proof) => {
                report.patterns = report.patterns.max(proof.patterns.len());
                report.proof = Some(Box::new(proof));
                self.formulas.doubt("a backward search judges no formulas");
                self.transitions.fill(None);
                return true;
            }
        }
        false
    }

    fn is_confirmed(&self, kind: SymbolicFinding, state: Option<&State>) -> bool {
        state.is_some_and(|state| self.system.explain(finding(kind), &self.system.words_of(state, true)).is_some())
    }

    fn add_traced(&mut self, traced: &Traced, space: &Space<'_>) {
        let sum = self.shown.backward.get_or_insert_with(BackwardReport::default);
        sum.targets = sum.targets.max(traced.targets);
        sum.refinements += traced.refinements;
        sum.visible = sum.visible.max(traced.visible);
        sum.variables = traced.variables;
        sum.fixpoint_nodes = sum.fixpoint_nodes.max(traced.fixpoint_nodes);
        self.shown.rounds = self.shown.rounds.max(traced.rounds);
        self.shown.peak_nodes = self.shown.peak_nodes.max(space.peak_nodes());
        self.shown.live_nodes = self.shown.live_nodes.max(space.live_nodes());
        self.shown.n_reorderings += space.n_reorderings();
        self.shown.exact_operations = space.parts().exact_operations;
        self.transitions.fill(None);
    }
}

/// The longest list of elements that the constants do not tell apart.
fn interchangeable(group: &Group, constants: &State) -> Vec<Value> {
    let longest = group.ranges().flat_map(|range| lists(group, range, constants)).max_by_key(Vec::len);
    let element = |point: u32| {
        let (set, index) = group.element(point);
        Value::Element { set, index }
    };
    longest.unwrap_or_default().into_iter().map(element).collect()
}
