//! Smaller automata for the same words: [`simplify`].
//!
//! States from which nothing is accepted go; marks that say nothing go; states that simulate each other become one, and letters leave an edge if a
//! better edge reads them. Simulation is direct: each letter is matched by an edge with at least the same marks, and the `last` guard covers the other's, so it
//! preserves finite words as well (Etessami and Holzmann 2000; Somenzi and Bloem 2000 for the reverse direction; Babiak,
//! Badie, Duret-Lutz, Křetínský, Strejček, "Compositional approach to suspension and other improvements to LTL translation", 2013, for
//! marks per component). Marks of edges between components count for nothing in a run. So each reduction is tried with all marks on these edges and with
//! none. It must be the same for both sides of a comparison: if such edges matched any marks, simulation would not be transitive,
//! and states would be merged that accept different words.

use crate::automaton::{Automaton, AutomatonEdge, MarkSet, Structure, merge_edges};
use crate::bdd::{self, LetterBdd, LetterBdds};
use crate::translate::{Budget, GaveUp};

/// Simulation compares edges in pairs; beyond this many it costs more than it saves.
const MAX_SIMULATED_EDGES: usize = 1_500;

pub(crate) fn simplify(automaton: Automaton, bdds: &mut LetterBdds, budget: &Budget<'_>) -> Result<Automaton, GaveUp> {
    let mut best = reduced_marks(&pruned(&automaton, bdds));
    loop {
        let mut next = best.clone();
        if next.n_edges() <= MAX_SIMULATED_EDGES {
            for marks_between in [MarkSet::all(next.n_marks), MarkSet::default()] {
                next = merged_by_simulation(&with_marks_between(&next, marks_between), bdds, budget)?;
                next = reduced_marks(&pruned(&next, bdds));
            }
            next = merged_by_reverse_simulation(&next, bdds, budget)?;
        }
        next = reduced_marks(&pruned(&next, bdds));
        budget.check(bdds, next.states.len())?;
        if (next.states.len(), next.n_edges(), next.n_marks) >= (best.states.len(), best.n_edges(), best.n_marks) {
            return Ok(best);
        }
        best = next;
    }
}

/// The automaton without states that cannot be reached or from which nothing is accepted.
pub(crate) fn pruned(automaton: &Automaton, bdds: &mut LetterBdds) -> Automaton {
    let structure = automaton.structure();
    let of = &structure.components.of;
    let mut is_useful = structure.is_accepting.clone();
    // Components are numbered against the edges, so one pass meets targets first.
    for (component, members) in structure.components.members().iter().enumerate() {
        is_useful[component] |= members.iter().any(|member| {
            let state = &automaton.states[*member as usize];
            state.last != bdd::FALSE
                || state
                    .edges
                    .iter()
                    .any(|edge| edge.guard != bdd::FALSE && is_useful[of[edge.target as usize] as usize])
        });
    }
    let mut n_kept = 0;
    let keeps = |component: &u32| *component != crate::components::UNKNOWN && is_useful[*component as usize];
    let new_state: Vec<Option<u32>> = of
        .iter()
        .map(|component| {
            keeps(component).then(|| {
                n_kept += 1;
                n_kept - 1
            })
        })
        .collect();
    if new_state[automaton.initial as usize].is_none() {
        return Automaton::empty();
    }
    automaton.renumbered(bdds, &new_state, n_kept as usize)
}

/// The automaton with as few marks as each component needs, numbered from 0, and no marks where no accepting run stays.
fn reduced_marks(automaton: &Automaton) -> Automaton {
    let structure = automaton.structure();
    let members = structure.components.members();
    let needed: Vec<Vec<u32>> = members
        .iter()
        .enumerate()
        .map(|(component, members)| match structure.is_accepting[component] {
            true => needed_marks(automaton, &structure, members),
            false => Vec::new(),
        })
        .collect();
    let most = needed.iter().map(Vec::len).max().unwrap_or(0) as u32;
    let has_rejecting =
        structure.is_cyclic.iter().zip(&structure.is_accepting).any(|(cyclic, accepting)| *cyclic && !accepting);
    let n_marks = most.max(u32::from(has_rejecting));
    let mut reduced = Automaton { n_marks, ..automaton.clone() };
    for (source, state) in reduced.states.iter_mut().enumerate() {
        for edge in &mut state.edges {
            let component = structure.components.of[source] as usize;
            let is_inside = structure.is_inside(source as u32, edge.target) && structure.is_accepting[component];
            let old = edge.marks;
            edge.marks = MarkSet::default();
            if !is_inside {
                continue;
            }
            let kept = &needed[component];
            let has = |mark: &u32| kept.get(*mark as usize).is_none_or(|kept| old.contains(*kept));
            edge.marks =
                (0..n_marks).filter(has).fold(MarkSet::default(), |marks, mark| marks.with(MarkSet::one(mark)));
        }
    }
    reduced
}

/// Marks of a component that are not implied by others and not met on all of its cycles.
fn needed_marks(automaton: &Automaton, structure: &Structure, members: &[u32]) -> Vec<u32> {
    let inside: Vec<(u32, &AutomatonEdge)> = members
        .iter()
        .flat_map(|member| automaton.states[*member as usize].edges.iter().map(move |edge| (*member, edge)))
        .filter(|(source, edge)| structure.is_inside(*source, edge.target))
        .collect();
    let mut needed: Vec<u32> = (0..automaton.n_marks).collect();
    for mark in 0..automaton.n_marks {
        let is_implied = |other: &u32| {
            *other != mark && inside.iter().all(|(_, edge)| !edge.marks.contains(*other) || edge.marks.contains(mark))
        };
        let without: Vec<(u32, u32)> = inside
            .iter()
            .filter(|(_, edge)| !edge.marks.contains(mark))
            .map(|(source, edge)| (*source, edge.target))
            .collect();
        if needed.iter().any(is_implied) || !has_cycle(automaton.states.len(), members, &without) {
            needed.retain(|kept| *kept != mark);
        }
    }
    needed
}

fn has_cycle(n_states: usize, members: &[u32], edges: &[(u32, u32)]) -> bool {
    let mut targets: Vec<Vec<u32>> = vec![Vec::new(); n_states];
    for (source, target) in edges {
        if source == target {
            return true;
        }
        targets[*source as usize].push(*target);
    }
    let successors = |state: u32, out: &mut Vec<u32>| out.extend(&targets[state as usize]);
    let found = crate::components::components(n_states, members.iter().copied(), successors);
    found.members().iter().any(|members| members.len() > 1)
}

/// A relation on states; `[small][large]` says that the second simulates the first.
type Relation = Vec<Vec<bool>>;

/// The greatest relation that is within `relation` and that `holds` for each of its pairs. States are visited in `order`; what pairs depend on should
/// come early.
fn greatest(
    mut relation: Relation,
    order: &[usize],
    bdds: &mut LetterBdds,
    budget: &Budget<'_>,
    holds: impl Fn(&mut LetterBdds, &Relation, u32, u32) -> bool,
) -> Result<Relation, GaveUp> {
    let n_states = relation.len();
    let mut has_changed = true;
    while has_changed {
        has_changed = false;
        for small in order.iter().copied() {
            budget.check(bdds, n_states)?;
            for large in order.iter().copied() {
                if small != large && relation[small][large] && !holds(bdds, &relation, small as u32, large as u32) {
                    relation[small][large] = false;
                    has_changed = true;
                }
            }
        }
    }
    Ok(relation)
}

/// Numbers for classes of states that stand in a relation both ways, and how many there are.
fn classes(relation: &Relation) -> (Vec<Option<u32>>, usize) {
    let mut numbers: Vec<Option<u32>> = vec![None; relation.len()];
    let mut n_classes = 0;
    for state in 0..relation.len() {
        let same = (0..state).find(|other| relation[state][*other] && relation[*other][state]);
        numbers[state] = match same {
            Some(other) => numbers[other],
            None => {
                n_classes += 1;
                Some(n_classes as u32 - 1)
            }
        };
    }
    (numbers, n_classes)
}

/// The automaton with the same marks on all edges between components.
fn with_marks_between(automaton: &Automaton, marks: MarkSet) -> Automaton {
    let structure = automaton.structure();
    let mut changed = automaton.clone();
    for (source, state) in changed.states.iter_mut().enumerate() {
        let between = state.edges.iter_mut().filter(|edge| !structure.is_inside(source as u32, edge.target));
        between.for_each(|edge| edge.marks = marks);
    }
    changed
}

fn simulation(automaton: &Automaton, bdds: &mut LetterBdds, budget: &Budget<'_>) -> Result<Relation, GaveUp> {
    let n_states = automaton.states.len();
    let lasts: Vec<LetterBdd> = automaton.states.iter().map(|state| state.last).collect();
    let relation = (0..n_states)
        .map(|small| (0..n_states).map(|large| bdds.implies(lasts[small], lasts[large])).collect())
        .collect();
    let backwards: Vec<usize> = (0..n_states).rev().collect();
    greatest(relation, &backwards, bdds, budget, |bdds, relation, small, large| {
        automaton.states[small as usize].edges.iter().all(|edge| {
            let mut left = edge.guard;
            for other in &automaton.states[large as usize].edges {
                if left == bdd::FALSE {
                    break;
                }
                if edge.marks.is_within(other.marks) && relation[edge.target as usize][other.target as usize] {
                    left = bdds.minus(left, other.guard);
                }
            }
            left == bdd::FALSE
        })
    })
}

fn merged_by_simulation(
    automaton: &Automaton,
    bdds: &mut LetterBdds,
    budget: &Budget<'_>,
) -> Result<Automaton, GaveUp> {
    let relation = simulation(automaton, bdds, budget)?;
    let (numbers, n_classes) = classes(&relation);
    let merged = automaton.renumbered(bdds, &numbers, n_classes);
    // A class simulates another if its members do.
    let mut of_classes: Relation = vec![vec![false; n_classes]; n_classes];
    for (small, row) in relation.iter().enumerate() {
        for (large, holds) in row.iter().enumerate() {
            if let (Some(small), Some(large), true) = (numbers[small], numbers[large], *holds) {
                of_classes[small as usize][large as usize] = true;
            }
        }
    }
    Ok(without_worse_edges(merged, &of_classes, bdds))
}

/// Takes letters from edges that a better edge of the same state reads too.
fn without_worse_edges(mut automaton: Automaton, relation: &Relation, bdds: &mut LetterBdds) -> Automaton {
    for source in 0..automaton.states.len() {
        let edges = &mut automaton.states[source].edges;
        for idx in 0..edges.len() {
            let edge = edges[idx];
            let mut left = edge.guard;
            for (other_idx, other) in edges.iter().enumerate() {
                let is_better = other_idx != idx
                    && relation[edge.target as usize][other.target as usize]
                    && edge.marks.is_within(other.marks);
                if is_better {
                    left = bdds.minus(left, other.guard);
                }
            }
            edges[idx].guard = left;
        }
        merge_edges(bdds, edges);
    }
    automaton
}

fn merged_by_reverse_simulation(
    automaton: &Automaton,
    bdds: &mut LetterBdds,
    budget: &Budget<'_>,
) -> Result<Automaton, GaveUp> {
    let n_states = automaton.states.len();
    let mut incoming: Vec<Vec<AutomatonEdge>> = vec![Vec::new(); n_states];
    for (source, edge) in automaton.edges() {
        incoming[edge.target as usize].push(AutomatonEdge { target: source, ..*edge });
    }
    let is_initial = |state: usize| state == automaton.initial as usize;
    let relation =
        (0..n_states).map(|small| (0..n_states).map(|large| !is_initial(small) || is_initial(large)).collect());
    let forwards: Vec<usize> = (0..n_states).collect();
    let relation = greatest(relation.collect(), &forwards, bdds, budget, |bdds, relation, small, large| {
        incoming[small as usize].iter().all(|edge| {
            let mut left = edge.guard;
            for other in &incoming[large as usize] {
                if left == bdd::FALSE {
                    break;
                }
                if edge.marks.is_within(other.marks) && relation[edge.target as usize][other.target as usize] {
                    left = bdds.minus(left, other.guard);
                }
            }
            left == bdd::FALSE
        })
    })?;
    let (numbers, n_classes) = classes(&relation);
    Ok(automaton.renumbered(bdds, &numbers, n_classes))
}
