//! Witnesses: paths that show why a formula holds or fails in a state.
//!
//! A true existential operator is shown by its path, a false universal one by the path that contradicts it; what follows at the end of the path is shown from
//! there. Other facts are about all paths and have no witness of this form. With symmetry the states are representatives, and a step leads to the orbit of
//! the next state; a loop closes up to a permutation.

use abridge_temporal::formula::{CtlNode, NodeId, PathQuantifier};

use super::{CtlJudge, CtlResult, NoVerdict, Witness};
use crate::bdd::{Bdd, Made, Var};

/// A path of sets with one state each.
pub(super) struct WitnessPath {
    states: Vec<Bdd>,
    pub(super) loop_start: Option<usize>,
}

impl WitnessPath {
    pub(super) fn new(start: Bdd) -> WitnessPath {
        WitnessPath { states: vec![start], loop_start: None }
    }

    pub(super) fn here(&self) -> Bdd {
        self.states[self.states.len() - 1].clone()
    }

    pub(super) fn len(&self) -> usize {
        self.states.len()
    }
}

impl CtlJudge<'_, '_, '_> {
    /// A set with one state of a set.
    pub(super) fn pick(&mut self, set: &Bdd) -> Made<Option<Bdd>> {
        let Some(bits) = self.space.manager.pick(set) else { return Ok(None) };
        let values: Vec<(Var, bool)> = self.space.layout.bits().iter().map(|bit| (*bit, bits.contains(bit))).collect();
        self.space.manager.assignment(values).map(Some)
    }

    pub(super) fn shown(&mut self, walk: &WitnessPath) -> CtlResult<Witness> {
        let mut witness = Witness::default();
        for state in &walk.states {
            let bits = self.space.manager.pick(state).unwrap_or_default();
            witness.states.push(self.space.state(&bits)?);
        }
        witness.loop_start = walk.loop_start;
        Ok(witness)
    }

    /// A shortest path from an initial state to a set.
    pub(super) fn way_to(&mut self, goal: &Bdd) -> CtlResult<Witness> {
        let (all, initial) = (self.all.clone(), self.initial.clone());
        let layers = self.layers(&all, goal, &initial)?;
        let first = self.and(&layers[layers.len() - 1], &initial)?;
        let Some(start) = self.pick(&first)? else { return Ok(Witness::default()) };
        let mut walk = WitnessPath::new(start);
        self.descend(&mut walk, &layers[..layers.len() - 1])?;
        self.shown(&walk)
    }

    /// Goes on by a step into a set; false if there is none.
    pub(super) fn step(&mut self, walk: &mut WitnessPath, targets: &Bdd, parts: &[usize]) -> CtlResult<bool> {
        self.look_up()?;
        let here = walk.here();
        for idx in parts {
            let next = self.space.image(*idx, &here)?;
            let next = self.space.representatives(&next)?;
            let next = self.and(&next, targets)?;
            if let Some(next) = self.pick(&next)? {
                walk.states.push(next);
                return Ok(true);
            }
        }
        Ok(false)
    }

    pub(super) fn all_parts(&self) -> Vec<usize> {
        (0..self.space.steps.len()).collect()
    }

    /// Goes through layers from the last to the first.
    fn descend(&mut self, walk: &mut WitnessPath, layers: &[Bdd]) -> CtlResult<()> {
        let parts = self.all_parts();
        for layer in layers.iter().rev() {
            if !self.step(walk, layer, &parts)? {
                break;
            }
        }
        Ok(())
    }

    /// Goes on through one set to another; false if that is not possible.
    pub(super) fn go_until(&mut self, walk: &mut WitnessPath, stay: &Bdd, goal: &Bdd) -> CtlResult<bool> {
        let here = walk.here();
        let layers = self.layers(stay, goal, &here)?;
        let is_found = !self.and(&layers[layers.len() - 1], &here)?.is_false();
        if is_found {
            self.descend(walk, &layers[..layers.len() - 1])?;
        }
        Ok(is_found)
    }

    /// Goes on in a set for ever: around a loop, or to a state without steps.
    fn go_globally(&mut self, walk: &mut WitnessPath, stay: &Bdd) -> CtlResult<()> {
        if self.fairness.is_some() {
            return self.go_fairly(walk, stay);
        }
        let stay = self.some_globally(stay)?;
        let ends = self.and(&stay, &self.deadlocks.clone())?;
        if !ends.is_false() && self.go_until(walk, &stay, &ends)? {
            return Ok(());
        }
        loop {
            let (start, here) = (walk.states.len() - 1, walk.here());
            let rings = self.rings(&here, &stay)?;
            // A state that comes back to itself is on a loop; otherwise no state behind it leads back, and the last ones are nearest to a loop.
            if let Some(ring) = rings.iter().position(|ring| self.contains(ring, &here)) {
                let mut targets = vec![here.clone()];
                for ring in rings[..ring].iter().rev() {
                    let before = self.some_next(&targets[targets.len() - 1].clone(), None)?;
                    targets.push(self.and(&before, ring)?);
                }
                self.descend(walk, &targets)?;
                walk.loop_start = Some(start);
                return Ok(());
            }
            let Some(last) = rings.last().cloned() else { return Ok(()) };
            let Some(target) = self.pick(&last)? else { return Ok(()) };
            if !self.go_until(walk, &stay, &target)? {
                return Ok(());
            }
        }
    }

    fn contains(&mut self, set: &Bdd, state: &Bdd) -> bool {
        self.and(set, state).is_ok_and(|both| both == *state)
    }

    /// States of a set after one, two and more steps, each in the first ring that has it.
    fn rings(&mut self, start: &Bdd, stay: &Bdd) -> CtlResult<Vec<Bdd>> {
        let (mut rings, mut seen) = (Vec::new(), self.space.manager.constant(false));
        let mut ring = start.clone();
        loop {
            self.look_up()?;
            let mut images = Vec::new();
            for idx in 0..self.space.steps.len() {
                images.push(self.space.image(idx, &ring)?);
            }
            let next = self.space.manager.any(images)?;
            let next = self.space.representatives(&next)?;
            let next = self.and(&next, stay)?;
            ring = self.space.manager.minus(&next, &seen)?;
            if ring.is_false() {
                return Ok(rings);
            }
            seen = self.or(&seen, &ring)?;
            rings.push(ring.clone());
        }
    }

    /// Shows why a subformula holds, or fails, where the walk stands.
    pub(super) fn explain(&mut self, node: NodeId, walk: &mut WitnessPath) -> CtlResult<()> {
        let here = walk.here();
        let holds = self.contains(&self.row(node), &here);
        match self.ctl.node(node).clone() {
            CtlNode::Const(_) | CtlNode::Atom(_) => Ok(()),
            CtlNode::Not(operand) => self.explain(operand, walk),
            CtlNode::And(left, right) | CtlNode::Or(left, right) => {
                // One operand decides a false conjunction and a true disjunction.
                let is_and = matches!(self.ctl.node(node), CtlNode::And(..));
                let is_left = self.contains(&self.row(left), &here) != is_and;
                let decides = holds != is_and;
                self.explain(if decides && !is_left { right } else { left }, walk)
            }
            CtlNode::Implies(left, right) => {
                let is_left = self.contains(&self.row(left), &here);
                self.explain(if holds && !is_left { left } else { right }, walk)
            }
            CtlNode::Iff(_, right) => self.explain(right, walk),
            CtlNode::Next(path, step, operand) if holds == (path == PathQuantifier::E) => {
                let targets = if holds { self.row(operand) } else { self.not(&self.row(operand))? };
                let targets = self.fairly(&targets)?;
                let parts = self.parts(step)?;
                if self.step(walk, &targets, &parts)? { self.explain(operand, walk) } else { Ok(()) }
            }
            CtlNode::Next(..) => Ok(()),
            existential @ (CtlNode::Finally(PathQuantifier::E, _)
            | CtlNode::Globally(PathQuantifier::E, _)
            | CtlNode::Until(PathQuantifier::E, ..)
            | CtlNode::WeakUntil(PathQuantifier::E, ..)
            | CtlNode::Release(PathQuantifier::E, ..)) => {
                if holds {
                    self.explain_some(&existential, walk)
                } else {
                    Ok(())
                }
            }
            universal => {
                if holds {
                    Ok(())
                } else {
                    self.explain_not_all(&universal, walk)
                }
            }
        }
    }

    /// The path of an existential operator that holds.
    fn explain_some(&mut self, node: &CtlNode, walk: &mut WitnessPath) -> CtlResult<()> {
        let all = self.all.clone();
        let (stay, goal, last) = match node {
            CtlNode::Finally(_, operand) => (all, self.row(*operand), *operand),
            CtlNode::Until(_, left, right) | CtlNode::WeakUntil(_, left, right) => {
                (self.row(*left), self.row(*right), *right)
            }
            CtlNode::Release(_, left, right) => {
                let goal = self.and(&self.row(*left), &self.row(*right))?;
                (self.row(*right), goal, *left)
            }
            CtlNode::Globally(_, operand) => return self.go_globally(walk, &self.row(*operand)),
            _ => return Ok(()),
        };
        let goal = self.fairly(&goal)?;
        if self.go_until(walk, &stay, &goal)? { self.explain(last, walk) } else { self.go_globally(walk, &stay) }
    }

    /// The path that contradicts a universal operator.
    fn explain_not_all(&mut self, node: &CtlNode, walk: &mut WitnessPath) -> CtlResult<()> {
        let (lasso, path) = self.contradiction(node)?;
        let path = path.map(|(stay, goal)| Ok::<_, NoVerdict>((stay, self.fairly(&goal)?))).transpose()?;
        if let Some((stay, goal)) = path
            && self.go_until(walk, &stay, &goal)?
        {
            return match node {
                CtlNode::Globally(_, operand) | CtlNode::Release(_, _, operand) => self.explain(*operand, walk),
                CtlNode::Until(_, left, _) | CtlNode::WeakUntil(_, left, _) => self.explain(*left, walk),
                _ => Ok(()),
            };
        }
        lasso.map_or(Ok(()), |stay| self.go_globally(walk, &stay))
    }
}
