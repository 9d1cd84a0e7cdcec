//! Shortest paths to findings: rings of states by their distance from the initial states, and a walk back through them.
//!
//! With symmetry, the states of a path are representatives: from each there is a step to the orbit of the next. Whoever shows a path finds real states for them.

use abridge_eval::State;

use crate::bdd::{Bdd, BddStop, Var};
use crate::reach::{AskedFindings, FixpointProgress, FixpointWatch, ReachedStates, SymbolicFinding};
use crate::space::{Halt, Space};

impl Space<'_> {
    /// A shortest path of states to each of the first kinds that were found, in the order of their distance; the first state is an initial one.
    pub fn paths(
        &mut self,
        reached: &ReachedStates,
        asked: AskedFindings,
        max_paths: usize,
        watch: &mut FixpointWatch<'_>,
    ) -> Result<Vec<(SymbolicFinding, Vec<State>)>, Halt> {
        let mut wanted: Vec<SymbolicFinding> = reached.found.iter().map(|(kind, _)| *kind).collect();
        let mut paths = Vec::new();
        let mut seen = self.representatives(&self.initial.clone())?;
        let mut rings = vec![seen.clone()];
        while let Some(ring) = rings.last().cloned().filter(|ring| !ring.is_false()) {
            for (kind, states) in self.findings(&ring, asked)? {
                // Chaining may have ended before it came to what is nearest.
                let is_new = !paths.iter().any(|(other, _)| *other == kind);
                if is_new && paths.len() < max_paths && (wanted.contains(&kind) || asked.stop_at_first) {
                    paths.push((kind, self.back(&rings, &states)?));
                    wanted.retain(|other| *other != kind);
                }
            }
            if paths.len() >= max_paths || wanted.is_empty() || asked.stop_at_first && !paths.is_empty() {
                break;
            }
            let mut images = Vec::new();
            for idx in 0..self.steps.len() {
                let (nodes, bytes) = (self.manager.n_nodes(), self.manager.bytes());
                if !watch(&FixpointProgress { rounds: rings.len() as u32, nodes, bytes, states: 0 }) {
                    return Err(Halt::Stop(BddStop::Stopped));
                }
                images.push(self.image(idx, &ring)?);
            }
            let next = self.manager.any(images)?;
            let next = self.representatives(&next)?;
            let next = self.manager.minus(&next, &seen)?;
            seen = self.manager.or(&seen, &next)?;
            rings.push(next);
        }
        Ok(paths)
    }

    /// A path through the rings to one of the states in the last.
    fn back(&mut self, rings: &[Bdd], states: &Bdd) -> Result<Vec<State>, Halt> {
        let mut last = self.manager.pick(states).unwrap_or_default();
        let mut path = vec![self.state(&last)?];
        for ring in rings.iter().rev().skip(1) {
            let target: Vec<(Var, bool)> = self.layout.bits().iter().map(|bit| (*bit, last.contains(bit))).collect();
            let target = self.manager.assignment(target)?;
            let target = self.represented(&target)?;
            let mut before = None;
            for step in &self.steps {
                let sources = self.manager.preimage(&target, &step.relation, &step.writes)?;
                let sources = self.manager.and(&sources, ring)?;
                before = self.manager.pick(&sources);
                if before.is_some() {
                    break;
                }
            }
            last = before.expect("every state of a ring has a predecessor in the ring before");
            path.push(self.state(&last)?);
        }
        path.reverse();
        Ok(path)
    }

    pub(crate) fn state(&self, bits: &[Var]) -> Result<State, Halt> {
        self.layout.decode(&self.encoding, bits, &self.blank).ok_or(Halt::ManyValues)
    }
}
