//! A lasso out of a fair part of a component: [`lasso`].

use std::collections::BTreeSet;

use abridge_value::BitSet;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::automaton::MarkSet;

use super::fair::{FairConditions, FairPart};
use super::letters::Moves;
use super::reach::path_to;
use super::threads::enabled;
use super::{LetterGraph, LetterPath, PathEnd, ProductNode};

/// What a loop still has to take.
struct LoopGoals {
    marks: MarkSet,
    weak: BitSet,
    /// Pairs that a request asks for.
    responses: BitSet,
    /// Operations with arguments that are to be taken, by their names at the end of the path so far.
    names: BTreeSet<u32>,
}

impl LoopGoals {
    /// How many things are to be taken.
    fn len(&self) -> usize {
        self.marks.0.count_ones() as usize + self.weak.len() + self.responses.len() + self.names.len()
    }

    fn is_empty(&self) -> bool {
        self.marks == MarkSet::default() && self.weak.is_empty() && self.responses.is_empty() && self.names.is_empty()
    }
}

/// A step inside the part.
#[derive(Clone, Copy)]
struct Inner {
    source: ProductNode,
    letter: u32,
    marks: MarkSet,
    target: ProductNode,
}

/// A shortest stem to the part and a loop in it that has everything; nothing if the search was stopped.
pub(super) fn lasso<'g, G: LetterGraph>(
    graph: &'g G,
    moves: &mut Moves<'g, G>,
    part: &FairPart,
    conditions: &mut FairConditions<'g, G>,
) -> Option<LetterPath> {
    let members: FxHashSet<ProductNode> = part.members.iter().copied().collect();
    let (mut positions, start) = path_to(graph, moves, &mut |node| members.contains(&node))?;
    let loop_start = positions.len();
    positions.extend(loop_from(graph, moves, part, conditions, start)?);
    Some(LetterPath { positions, end: PathEnd::Loop(loop_start) })
}

/// States and letters of a loop in a part from one of its nodes on that has everything; nothing if the search was stopped.
pub(super) fn loop_from<'g, G: LetterGraph>(
    graph: &'g G,
    moves: &mut Moves<'g, G>,
    part: &FairPart,
    conditions: &mut FairConditions<'g, G>,
    start: ProductNode,
) -> Option<Vec<(u32, u32)>> {
    let members: FxHashSet<ProductNode> = part.members.iter().copied().collect();
    let mut inner = LoopSearch { graph, moves, conditions, members: &members, banned: &part.banned };
    let mut wanted = inner.wanted(part, start);
    let mut at = start;
    let mut steps: Vec<Inner> = Vec::new();
    while !wanted.is_empty() {
        let path = match wanted.names.first() {
            Some(name) if wanted.names.len() == wanted.len() => inner.thread(at, *name)?,
            _ => inner.nearest(at, &mut |step, inner| inner.serves(step, &wanted))?,
        };
        path.iter().for_each(|step| inner.note(step, &mut wanted));
        at = path.last()?.target;
        steps.extend(path);
    }
    if at != start || steps.is_empty() {
        steps.extend(inner.nearest(at, &mut |step, _| step.target == start)?);
    }
    Some(steps.iter().map(|step| (inner.moves.parts(step.source).0, step.letter)).collect())
}

struct LoopSearch<'l, 'g, G> {
    graph: &'g G,
    moves: &'l mut Moves<'g, G>,
    conditions: &'l mut FairConditions<'g, G>,
    members: &'l FxHashSet<ProductNode>,
    banned: &'l BitSet,
}

impl<'g, G: LetterGraph> LoopSearch<'_, 'g, G> {
    fn steps(&mut self, source: ProductNode) -> Vec<Inner> {
        let mut steps = Vec::new();
        self.moves.for_each(source, |letter, target, marks| steps.push(Inner { source, letter, marks, target }));
        steps.retain(|step| {
            let is_banned = self.conditions.row(step.letter).requests.iter().any(|pair| self.banned.contains(pair));
            self.members.contains(&step.target) && !is_banned
        });
        steps
    }

    fn wanted(&mut self, part: &FairPart, start: ProductNode) -> LoopGoals {
        let mut wanted = LoopGoals {
            marks: MarkSet::all(self.moves.property.violation.n_marks),
            weak: (0..self.conditions.n_weak()).collect(),
            responses: BitSet::default(),
            names: BTreeSet::new(),
        };
        for node in &part.members {
            for step in self.steps(*node) {
                wanted.responses.union_with(&self.conditions.row(step.letter).requests);
            }
        }
        if self.conditions.has_strong_every || self.conditions.has_weak_every {
            let members = self.members;
            let is_inside = |node: ProductNode| members.contains(&node);
            let threads = self.conditions.threads(&part.members, &is_inside, self.banned, self.moves);
            wanted.names = threads.names_at(start);
        }
        wanted
    }

    fn serves(&mut self, step: &Inner, wanted: &LoopGoals) -> bool {
        let row = self.conditions.row(step.letter);
        step.marks.0 & wanted.marks.0 != 0
            || wanted.weak.iter().any(|idx| row.meets.contains(idx))
            || wanted.responses.iter().any(|idx| row.responses.contains(idx))
    }

    /// A step serves what has this name where the step begins.
    fn serves_name(&self, step: &Inner, name: u32) -> bool {
        self.graph.instance(step.letter) == Some(name)
            || !self.conditions.has_strong_every
                && !enabled(self.graph, self.moves.parts(step.source).0).contains(&name)
    }

    /// Takes what a step serves off the list.
    fn note(&mut self, step: &Inner, wanted: &mut LoopGoals) {
        wanted.marks = wanted.marks.without(step.marks);
        let row = self.conditions.row(step.letter);
        row.meets.iter().for_each(|idx| wanted.weak.remove(idx));
        row.responses.iter().for_each(|idx| wanted.responses.remove(idx));
        let left = wanted.names.iter().filter(|name| !self.serves_name(step, **name));
        wanted.names = left.map(|name| self.graph.turned(step.letter, *name)).collect();
    }

    /// The shortest path inside that serves what has this name at a node.
    fn thread(&mut self, from: ProductNode, name: u32) -> Option<Vec<Inner>> {
        let mut parents: FxHashMap<(ProductNode, u32), (Inner, u32)> = FxHashMap::default();
        let mut queue = vec![(from, name)];
        let mut next = 0;
        while let Some((node, here)) = queue.get(next).copied() {
            next += 1;
            for step in self.steps(node) {
                if self.serves_name(&step, here) {
                    let (mut path, mut at) = (vec![step], (node, here));
                    while at != (from, name) {
                        let (before, named) = parents[&at];
                        at = (before.source, named);
                        path.push(before);
                    }
                    path.reverse();
                    return Some(path);
                }
                let target = (step.target, self.graph.turned(step.letter, here));
                if target != (from, name) && !parents.contains_key(&target) {
                    parents.insert(target, (step, here));
                    queue.push(target);
                }
            }
            if next.is_multiple_of(1024) && self.graph.is_stopped() {
                return None;
            }
        }
        None
    }

    /// The shortest path inside that ends with a step of some kind.
    fn nearest(&mut self, from: ProductNode, is_goal: &mut dyn FnMut(&Inner, &mut Self) -> bool) -> Option<Vec<Inner>> {
        let mut parents: FxHashMap<ProductNode, Inner> = FxHashMap::default();
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
