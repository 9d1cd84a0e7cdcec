//! A lasso out of a fair part of a component: [`lasso`].

use std::collections::BTreeSet;

use abridge_value::BitSet;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::automaton::Marks;

use super::fair::{Conditions, FairPart};
use super::letters::Moves;
use super::reach::path_to;
use super::{LetterGraph, Node, Path, PathEnd};

/// What a loop still has to take.
struct Wanted {
    marks: Marks,
    weak: BitSet,
    /// Pairs that a request asks for.
    responses: BitSet,
    /// Operations with arguments that are to be taken.
    taken: BTreeSet<u32>,
    /// Operations with arguments that are to be taken, or not to be enabled somewhere.
    taken_or_not_enabled: BTreeSet<u32>,
}

impl Wanted {
    fn is_empty(&self) -> bool {
        self.marks == Marks::default()
            && self.weak.is_empty()
            && self.responses.is_empty()
            && self.taken.is_empty()
            && self.taken_or_not_enabled.is_empty()
    }
}

/// A step inside the part.
#[derive(Clone, Copy)]
struct Inner {
    source: Node,
    letter: u32,
    marks: Marks,
    target: Node,
}

/// A shortest stem to the part and a loop in it that has everything; nothing if the search was stopped.
pub(super) fn lasso<'g, G: LetterGraph>(
    graph: &'g G,
    moves: &mut Moves<'g, G>,
    part: &FairPart,
    conditions: &mut Conditions<'g, G>,
) -> Option<Path> {
    let members: FxHashSet<Node> = part.members.iter().copied().collect();
    let (mut positions, start) = path_to(graph, moves, &mut |node| members.contains(&node))?;
    let mut inner = Loop { graph, moves, conditions, members: &members, banned: &part.banned };
    let mut wanted = inner.wanted(part);
    let mut at = start;
    let mut steps: Vec<Inner> = Vec::new();
    while !wanted.is_empty() {
        let path = inner.nearest(at, &mut |step, inner| inner.serves(step, &wanted))?;
        path.iter().for_each(|step| inner.note(step, &mut wanted));
        at = path.last()?.target;
        steps.extend(path);
    }
    if at != start || steps.is_empty() {
        steps.extend(inner.nearest(at, &mut |step, _| step.target == start)?);
    }
    let loop_start = positions.len();
    positions.extend(steps.iter().map(|step| (inner.moves.parts(step.source).0, step.letter)));
    Some(Path { positions, end: PathEnd::Loop(loop_start) })
}

struct Loop<'l, 'g, G> {
    graph: &'g G,
    moves: &'l mut Moves<'g, G>,
    conditions: &'l mut Conditions<'g, G>,
    members: &'l FxHashSet<Node>,
    banned: &'l BitSet,
}

impl<'g, G: LetterGraph> Loop<'_, 'g, G> {
    fn steps(&mut self, source: Node) -> Vec<Inner> {
        let mut steps = Vec::new();
        self.moves.for_each(source, |letter, target, marks| steps.push(Inner { source, letter, marks, target }));
        steps.retain(|step| {
            let is_banned = self.conditions.row(step.letter).requests.iter().any(|pair| self.banned.contains(pair));
            self.members.contains(&step.target) && !is_banned
        });
        steps
    }

    fn wanted(&mut self, part: &FairPart) -> Wanted {
        let mut wanted = Wanted {
            marks: Marks::all(self.moves.property.violation.n_marks),
            weak: (0..self.conditions.n_weak()).collect(),
            responses: BitSet::default(),
            taken: BTreeSet::new(),
            taken_or_not_enabled: BTreeSet::new(),
        };
        for node in &part.members {
            for step in self.steps(*node) {
                wanted.responses.union_with(&self.conditions.row(step.letter).requests);
            }
            if self.conditions.has_strong_every || self.conditions.has_weak_every {
                let enabled = self.conditions.enabled(self.moves.parts(*node).0);
                let of = match self.conditions.has_strong_every {
                    true => &mut wanted.taken,
                    false => &mut wanted.taken_or_not_enabled,
                };
                of.extend(enabled);
            }
        }
        wanted
    }

    fn serves(&mut self, step: &Inner, wanted: &Wanted) -> bool {
        let row = self.conditions.row(step.letter);
        if step.marks.0 & wanted.marks.0 != 0
            || wanted.weak.iter().any(|idx| row.meets.contains(idx))
            || wanted.responses.iter().any(|idx| row.responses.contains(idx))
        {
            return true;
        }
        if wanted.taken.is_empty() && wanted.taken_or_not_enabled.is_empty() {
            return false;
        }
        let instance = self.graph.instance(step.letter);
        let is_wanted =
            |instance: u32| wanted.taken.contains(&instance) || wanted.taken_or_not_enabled.contains(&instance);
        if instance.is_some_and(is_wanted) {
            return true;
        }
        let enabled = self.conditions.enabled(self.moves.parts(step.source).0);
        wanted.taken_or_not_enabled.iter().any(|instance| !enabled.contains(instance))
    }

    /// Takes what a step serves off the list.
    fn note(&mut self, step: &Inner, wanted: &mut Wanted) {
        wanted.marks = wanted.marks.without(step.marks);
        let row = self.conditions.row(step.letter);
        row.meets.iter().for_each(|idx| wanted.weak.remove(idx));
        row.responses.iter().for_each(|idx| wanted.responses.remove(idx));
        if wanted.taken.is_empty() && wanted.taken_or_not_enabled.is_empty() {
            return;
        }
        if let Some(instance) = self.graph.instance(step.letter) {
            wanted.taken.remove(&instance);
            wanted.taken_or_not_enabled.remove(&instance);
        }
        let enabled = self.conditions.enabled(self.moves.parts(step.source).0);
        wanted.taken_or_not_enabled.retain(|instance| enabled.contains(instance));
    }

    /// The shortest path inside that ends with a step of some kind.
    fn nearest(&mut self, from: Node, is_goal: &mut dyn FnMut(&Inner, &mut Self) -> bool) -> Option<Vec<Inner>> {
        let mut parents: FxHashMap<Node, Inner> = FxHashMap::default();
        let mut queue = vec![from];
        let mut next = 0;
        while let Some(node) = queue.get(next).copied() {
            next += 1;
            for step in self.steps(node) {
                if is_goal(&step, self) {
                    let mut path = vec![step];
                    let mut at = node;
                    while at != from {
                        let before = parents[&at];
                        at = before.source;
                        path.push(before);
                    }
                    path.reverse();
                    return Some(path);
                }
                if step.target != from && !parents.contains_key(&step.target) {
                    parents.insert(step.target, step);
                    queue.push(step.target);
                }
            }
            if next.is_multiple_of(1024) && self.graph.is_stopped() {
                return None;
            }
        }
        None
    }
}
