//! Product nodes that can be reached, breadth-first, and the violations that need no loop.

use abridge_value::BitSet;

use crate::formula::AtomId;

use super::letters::Moves;
use super::{LetterGraph, LetterPath, PathAnswer, PathEnd, ProductNode, STOP_INTERVAL};

pub(super) enum Reached {
    All(BitSet),
    Hit(Hit),
    Stopped,
}

/// Where a search breadth-first ends early.
pub(super) enum Hit {
    /// A path that ends here is accepted.
    End(ProductNode),
    /// Whatever follows is accepted.
    Universal(ProductNode),
    IllDefined(ProductNode, AtomId),
}

/// Visits all nodes, unless a violation is met before.
pub(super) fn reach<G: LetterGraph>(
    graph: &G,
    moves: &mut Moves<'_, G>,
    starts: impl Iterator<Item = u32> + Clone,
    universal: Option<u32>,
) -> Reached {
    let mut reached = BitSet::with_room(graph.n_states() * moves.n_automaton as usize);
    let (n_automaton, initial) = (moves.n_automaton, moves.property.violation.initial);
    let starts = starts.map(|state| u64::from(state) * n_automaton + u64::from(initial));
    starts.clone().for_each(|node| _ = reached.insert(node as usize));
    let mut next = Vec::new();
    let mut n_done = 0_u64;
    let mut visit = |node: ProductNode, next: &mut Vec<ProductNode>| {
        n_done += 1;
        if n_done.is_multiple_of(STOP_INTERVAL) && graph.is_stopped() {
            return Some(Reached::Stopped);
        }
        let hit = look(graph, moves, node, universal, &mut |target| {
            if reached.insert(target as usize) {
                next.push(target);
            }
        });
        hit.map(Reached::Hit)
    };
    // Starts may be as many as there are states, and are not listed.
    for node in starts {
        if let Some(end) = visit(node, &mut next) {
            return end;
        }
    }
    let mut level = Vec::new();
    while !next.is_empty() {
        // Steps are read fastest in the order of their states.
        next.sort_unstable();
        std::mem::swap(&mut level, &mut next);
        for node in level.drain(..) {
            if let Some(end) = visit(node, &mut next) {
                return end;
            }
        }
    }
    Reached::All(reached)
}

/// The nodes in which paths begin.
pub(super) fn starts<G: LetterGraph>(graph: &G, moves: &Moves<'_, G>) -> Vec<ProductNode> {
    graph.initial().iter().map(|state| moves.node(*state, moves.property.violation.initial)).collect()
}

/// Expands a node; nothing if the search goes on.
fn look<G: LetterGraph>(
    graph: &G,
    moves: &mut Moves<'_, G>,
    node: ProductNode,
    universal: Option<u32>,
    found: &mut dyn FnMut(ProductNode),
) -> Option<Hit> {
    let (state, automaton) = moves.parts(node);
    if universal == Some(automaton) {
        return Some(Hit::Universal(node));
    }
    if let Some(letter) = graph.ending(state) {
        return match moves.accepts_end(automaton, letter) {
            Ok(true) => Some(Hit::End(node)),
            Ok(false) => None,
            Err(atom) => Some(Hit::IllDefined(node, atom)),
        };
    }
    let mut hit = None;
    let n_automaton = moves.n_automaton;
    let (mut n_steps, mut n_universal) = (0, 0);
    graph.steps(state, &mut |letter, target| {
        let reaction = moves.reaction(automaton, letter);
        if let Some(atom) = reaction.ill_defined {
            hit.get_or_insert(Hit::IllDefined(node, atom));
        }
        n_steps += 1;
        n_universal += usize::from(reaction.edges.iter().any(|(next, _)| Some(*next) == universal));
        reaction.edges.iter().for_each(|(next, _)| found(u64::from(target) * n_automaton + u64::from(*next)));
    });
    // The state alone decides, if each step out of it does.
    let is_decided = n_steps > 0 && n_universal == n_steps;
    hit.or(is_decided.then_some(Hit::Universal(node)))
}

/// The path to a hit.
pub(super) fn answer<G: LetterGraph>(graph: &G, moves: &mut Moves<'_, G>, hit: Hit) -> PathAnswer {
    let path_to = |node: ProductNode, moves: &mut Moves<'_, G>| path_to(graph, moves, &mut |other| other == node);
    match hit {
        Hit::Universal(node) => match path_to(node, moves) {
            Some((positions, node)) => {
                PathAnswer::Path(LetterPath { positions, end: PathEnd::Anything(moves.parts(node).0) })
            }
            None => PathAnswer::Stopped,
        },
        Hit::End(node) => {
            let letter = graph.ending(moves.parts(node).0);
            match path_to(node, moves).zip(letter) {
                Some(((mut positions, node), letter)) => {
                    positions.push((moves.parts(node).0, letter));
                    PathAnswer::Path(LetterPath { positions, end: PathEnd::Deadlock })
                }
                None => PathAnswer::Stopped,
            }
        }
        Hit::IllDefined(node, atom) => match path_to(node, moves) {
            Some((positions, node)) => {
                PathAnswer::IllDefined(LetterPath { positions, end: PathEnd::Anything(moves.parts(node).0) }, atom)
            }
            None => PathAnswer::Stopped,
        },
    }
}

/// No parent.
const NONE: u32 = u32::MAX;

/// States and letters on a shortest path to the first node of some kind, and that node; nothing if there is none or the search was stopped.
pub(super) fn path_to<G: LetterGraph>(
    graph: &G,
    moves: &mut Moves<'_, G>,
    is_goal: &mut dyn FnMut(ProductNode) -> bool,
) -> Option<(Vec<(u32, u32)>, ProductNode)> {
    // Nodes in the order of their visit, each with the position of its parent and the letter between them.
    let mut visited: Vec<(ProductNode, u32, u32)> = Vec::new();
    let mut seen = BitSet::with_room(graph.n_states() * moves.n_automaton as usize);
    for node in starts(graph, moves) {
        seen.insert(node as usize);
        visited.push((node, NONE, 0));
    }
    let mut next = 0;
    while let Some((node, ..)) = visited.get(next).copied() {
        if is_goal(node) {
            let mut positions = Vec::new();
            let mut at = next;
            while visited[at].1 != NONE {
                let (_, parent, letter) = visited[at];
                at = parent as usize;
                positions.push((moves.parts(visited[at].0).0, letter));
            }
            positions.reverse();
            return Some((positions, node));
        }
        if (next as u64).is_multiple_of(STOP_INTERVAL) && graph.is_stopped() {
            return None;
        }
        moves.for_each(node, |letter, target, _| {
            if seen.insert(target as usize) {
                visited.push((target, next as u32, letter));
            }
        });
        next += 1;
    }
    None
}
