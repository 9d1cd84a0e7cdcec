//! Minimal deterministic weak automata: [`deterministic_weak`].
//!
//! Formulas whose infinite words are a boolean combination of safety languages have a deterministic automaton in which each component is accepting or
//! rejecting as a whole, and a smallest one that is unique (Löding, "Efficient minimization of deterministic weak
//! ω-automata", 2001). It is found from any automaton by subsets; a component of subsets is accepting if one of its loops, as a word, is
//! accepted. That is right for formulas of this class and wrong for others, so the result is compared with automata for the formula and its negation
//! (Dax, Eisinger, Klaedtke, "Mechanizing the powerset construction for restricted classes of ω-automata", 2007). Finite words
//! need no such care: subsets are exact for them.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::automaton::{Automaton, AutomatonEdge, AutomatonState, MarkSet};
use crate::bdd::{self, LetterBdd, LetterBdds};
use crate::components::{Components, components};
use crate::product::{Word, accepts, intersect};
use crate::translate::{Budget, GaveUp};

/// A deterministic weak automaton; every state has an edge for every letter.
#[derive(Clone, Debug)]
pub(crate) struct Weak {
    pub(crate) states: Vec<WeakState>,
    pub(crate) initial: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct WeakState {
    pub(crate) edges: Vec<(LetterBdd, u32)>,
    pub(crate) last: LetterBdd,
    pub(crate) is_accepting: bool,
}

impl Weak {
    /// The automaton in the common form. Edges of accepting states have the one mark.
    pub(crate) fn automaton(&self) -> Automaton {
        let state = |state: &WeakState| AutomatonState {
            edges: state
                .edges
                .iter()
                .map(|(guard, target)| AutomatonEdge {
                    guard: *guard,
                    marks: MarkSet(u64::from(state.is_accepting)),
                    target: *target,
                })
                .collect(),
            last: state.last,
        };
        Automaton { states: self.states.iter().map(state).collect(), initial: self.initial, n_marks: 1 }
    }

    /// The automaton for all other words.
    pub(crate) fn complement(&self, bdds: &mut LetterBdds) -> Weak {
        let mut complement = self.clone();
        for state in &mut complement.states {
            state.is_accepting = !state.is_accepting;
            state.last = bdds.not(state.last);
        }
        complement
    }

    pub(crate) fn components(&self) -> Components {
        let successors = |state: u32, out: &mut Vec<u32>| {
            out.extend(self.states[state as usize].edges.iter().map(|edge| edge.1));
        };
        components(self.states.len(), [self.initial], successors)
    }
}

/// The minimal deterministic weak automaton for the words of `automaton`, if there is one that is not too large. `negation` accepts all
/// other words.
pub(crate) fn deterministic_weak(
    automaton: &Automaton,
    negation: &Automaton,
    bdds: &mut LetterBdds,
    budget: &Budget<'_>,
) -> Result<Option<Weak>, GaveUp> {
    let max_subsets = 64 + 8 * automaton.states.len();
    let Some((mut weak, subsets)) = subsets(automaton, max_subsets, bdds, budget)? else { return Ok(None) };
    accept(&mut weak, &subsets, automaton, bdds);
    let weak = minimised(&weak, bdds);
    budget.check(bdds, weak.states.len())?;
    let complement = weak.complement(bdds).automaton();
    let is_right = !intersect(&weak.automaton(), negation, true, bdds, budget)?
        && !intersect(&complement, automaton, true, bdds, budget)?;
    Ok(is_right.then_some(weak))
}

type Subset = Vec<u32>;

/// The deterministic automaton of subsets, all rejecting; `None` if there are too many.
fn subsets(
    automaton: &Automaton,
    max_subsets: usize,
    bdds: &mut LetterBdds,
    budget: &Budget<'_>,
) -> Result<Option<(Weak, Vec<Subset>)>, GaveUp> {
    let mut numbers: FxHashMap<Subset, u32> = FxHashMap::default();
    let mut found: Vec<Subset> = vec![vec![automaton.initial]];
    numbers.insert(found[0].clone(), 0);
    let mut states = Vec::new();
    while let Some(subset) = found.get(states.len()).cloned() {
        budget.check(bdds, found.len())?;
        let mut parts: BTreeMap<Subset, LetterBdd> = BTreeMap::from([(Vec::new(), bdd::TRUE)]);
        let mut last = bdd::FALSE;
        for member in &subset {
            let state = &automaton.states[*member as usize];
            last = bdds.or(last, state.last);
            for edge in &state.edges {
                parts = with_target(parts, edge, bdds);
                if parts.len() > max_subsets {
                    return Ok(None);
                }
            }
        }
        let mut edges = Vec::new();
        for (subset, guard) in parts {
            let new = found.len() as u32;
            let target = *numbers.entry(subset.clone()).or_insert(new);
            if target == new {
                found.push(subset);
            }
            edges.push((guard, target));
        }
        if found.len() > max_subsets {
            return Ok(None);
        }
        states.push(WeakState { edges, last, is_accepting: false });
    }
    Ok(Some((Weak { states, initial: 0 }, found)))
}

/// Letters by subsets, with the target of one more edge.
fn with_target(
    parts: BTreeMap<Subset, LetterBdd>,
    edge: &AutomatonEdge,
    bdds: &mut LetterBdds,
) -> BTreeMap<Subset, LetterBdd> {
    let mut refined: BTreeMap<Subset, LetterBdd> = BTreeMap::new();
    let mut add = |bdds: &mut LetterBdds, subset: Subset, guard: LetterBdd| {
        if guard != bdd::FALSE {
            let known = refined.entry(subset).or_insert(bdd::FALSE);
            *known = bdds.or(*known, guard);
        }
    };
    for (subset, guard) in parts {
        let (inside, outside) = (bdds.and(guard, edge.guard), bdds.minus(guard, edge.guard));
        add(bdds, subset.clone(), outside);
        let mut grown = subset;
        if let Err(place) = grown.binary_search(&edge.target) {
            grown.insert(place, edge.target);
        }
        add(bdds, grown, inside);
    }
    refined
}

/// Makes components accepting by one loop of each.
fn accept(weak: &mut Weak, subsets: &[Subset], automaton: &Automaton, bdds: &LetterBdds) {
    let found = weak.components();
    for members in found.members() {
        let Some(word) = loop_in(weak, &members, bdds) else { continue };
        let holds = |letter: &Vec<(u32, bool)>, var: u32| letter.contains(&(var, true));
        if accepts(automaton, bdds, &subsets[members[0] as usize], &word, holds) {
            members.iter().for_each(|member| weak.states[*member as usize].is_accepting = true);
        }
    }
}

/// The letters of a shortest loop from the first state of a component, if there is one.
fn loop_in(weak: &Weak, members: &[u32], bdds: &LetterBdds) -> Option<Word<Vec<(u32, bool)>>> {
    let start = members[0];
    let mut before: FxHashMap<u32, (u32, LetterBdd)> = FxHashMap::default();
    let mut todo = std::collections::VecDeque::from([start]);
    while let Some(source) = todo.pop_front() {
        for (guard, target) in &weak.states[source as usize].edges {
            if members.binary_search(target).is_err() || before.contains_key(target) {
                continue;
            }
            before.insert(*target, (source, *guard));
            todo.push_back(*target);
            if *target != start {
                continue;
            }
            let mut letters = Vec::new();
            let mut at = start;
            loop {
                let (source, guard) = before[&at];
                letters.push(bdds.some_cube(guard)?);
                at = source;
                if at == start {
                    letters.reverse();
                    return Some(Word { letters, loop_start: Some(0) });
                }
            }
        }
    }
    None
}

/// The smallest automaton for the same words.
fn minimised(weak: &Weak, bdds: &mut LetterBdds) -> Weak {
    let colours = colours(weak);
    let mut classes: Vec<u32> =
        numbered(weak.states.iter().zip(&colours).map(|(state, colour)| (colour % 2, state.last)));
    loop {
        let signature = |bdds: &mut LetterBdds, state: usize| {
            let mut guards: BTreeMap<u32, LetterBdd> = BTreeMap::new();
            for (guard, target) in &weak.states[state].edges {
                let known = guards.entry(classes[*target as usize]).or_insert(bdd::FALSE);
                *known = bdds.or(*known, *guard);
            }
            guards.into_iter().collect::<Vec<_>>()
        };
        let signatures: Vec<_> = (0..weak.states.len()).map(|state| (classes[state], signature(bdds, state))).collect();
        let finer = numbered(signatures.into_iter());
        let has_changed = finer.iter().max() != classes.iter().max();
        classes = finer;
        if !has_changed {
            break;
        }
    }
    let n_classes = classes.iter().max().map_or(0, |max| *max as usize + 1);
    let mut states: Vec<Option<WeakState>> = vec![None; n_classes];
    for (state, class) in classes.iter().enumerate() {
        if states[*class as usize].is_some() {
            continue;
        }
        let mut guards: BTreeMap<u32, LetterBdd> = BTreeMap::new();
        for (guard, target) in &weak.states[state].edges {
            let known = guards.entry(classes[*target as usize]).or_insert(bdd::FALSE);
            *known = bdds.or(*known, *guard);
        }
        let edges = guards.into_iter().map(|(target, guard)| (guard, target)).collect();
        states[*class as usize] =
            Some(WeakState { edges, last: weak.states[state].last, is_accepting: colours[state].is_multiple_of(2) });
    }
    Weak { states: states.into_iter().flatten().collect(), initial: classes[weak.initial as usize] }
}

/// Numbers for equal things, in the order of their first occurrence.
fn numbered<T: std::hash::Hash + Eq>(things: impl Iterator<Item = T>) -> Vec<u32> {
    let mut numbers: FxHashMap<T, u32> = FxHashMap::default();
    things
        .map(|thing| {
            let new = numbers.len() as u32;
            *numbers.entry(thing).or_insert(new)
        })
        .collect()
}

/// Colours that equal languages share: even where accepting, odd where rejecting, not below the colours of successors, and as small as possible. States
/// on no cycle take the largest colour of their successors.
fn colours(weak: &Weak) -> Vec<u32> {
    let found = weak.components();
    let mut colours = vec![0_u32; weak.states.len()];
    for members in found.members() {
        let edges = || members.iter().flat_map(|member| &weak.states[*member as usize].edges);
        let is_inside = |target: &u32| members.binary_search(target).is_ok();
        let is_cyclic = edges().any(|(_, target)| is_inside(target));
        let outside =
            edges().filter(|(_, target)| !is_inside(target)).map(|(_, target)| colours[*target as usize]).max();
        let lowest = outside.unwrap_or(0);
        let parity = u32::from(!weak.states[members[0] as usize].is_accepting);
        let colour = if is_cyclic && lowest % 2 != parity { lowest + 1 } else { lowest };
        members.iter().for_each(|member| colours[*member as usize] = colour);
    }
    colours
}
