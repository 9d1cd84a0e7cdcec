//! Divergence: new operations of a refinement that can go on for ever.
//!
//! Callers do not see operations that refine `skip`. A refinement that can perform them without end keeps its callers waiting, which the
//! abstraction never does. In a finite state space that is a cycle of such steps. The search stores the steps between pairs with a mark on
//! those that callers do not see, and a search depth-first looks for a cycle of marked ones. Up to symmetry it is a cycle of orbits: going round
//! it, some pair comes back sooner or later, since there are finitely many permutations. A mark that is lost would hide a divergence.

use abridge_reduce::symmetry::Canonizer;
use abridge_refine::{HIDDEN, Pair};
use abridge_search::{Control, Exploration, Progress, StateGraph};
use abridge_store::StateTable;
use abridge_system::{Origin, Steps, System as _, Worker as _};

use super::{Counterexample, paired};
use crate::explorer::Watcher;
use crate::report::limit_text;
use crate::trace;

/// Rounds of a cycle of orbits after which no pair is expected to come back any more.
const MAX_ROUNDS: usize = 1_000;

const PAIRS_PER_POLL: u64 = 1 << 12;

/// Asks a search to store steps, if a divergence is to be looked for.
pub(super) struct StoresSteps(pub(super) bool);

impl Watcher for StoresSteps {
    fn is_enough(&mut self, _: &StateTable, _: &StateGraph, _: &mut dyn Control) -> bool {
        false
    }

    fn needs_steps(&self) -> bool {
        self.0
    }
}

/// Why there is no answer.
pub(super) enum DivergenceUnknown {
    /// It could be found with more time or memory.
    Stopped(String),
    Lost(String),
}

/// A run of both machines that ends in a loop of new operations, in what a search has visited.
pub(super) fn find(
    pair: &Pair<'_>,
    exploration: &Exploration,
    mut canonizer: Option<&mut dyn Canonizer>,
    control: &mut dyn Control,
) -> Result<Option<Counterexample>, DivergenceUnknown> {
    let lost = |why: &str| DivergenceUnknown::Lost(format!("divergence could not be excluded: {why}"));
    let Exploration { table, steps, .. } = exploration;
    let lasso = lasso(steps, table, pair.bytes(), control)?;
    if steps.has_failed() {
        return Err(lost("stored steps could not be read"));
    }
    let Some((stem, cycle)) = lasso else { return Ok(None) };
    let read = |number: &u32| table.get(*number).map_err(|_| lost("stored pairs could not be read"));
    let behind: Vec<Vec<u32>> = stem[1..].iter().map(read).collect::<Result<_, _>>()?;
    let cycle: Vec<Vec<u32>> = cycle.iter().map(read).collect::<Result<_, _>>()?;
    let mut path = trace::states_to(pair, table, Some(stem[0]), &behind, reborrowed(&mut canonizer))
        .map_err(|_| lost("stored pairs could not be read"))?;
    let loop_start = path
        .gap
        .is_none()
        .then(|| go_round(pair, &mut path.states, &cycle, reborrowed(&mut canonizer)))
        .flatten()
        .ok_or_else(|| DivergenceUnknown::Lost("a divergence was found, but no real states of it".to_owned()))?;
    let mut found = paired(pair, &path);
    match &found.gap {
        Some(gap) => Err(DivergenceUnknown::Lost(format!("a divergence was found, but its trace was not: {gap}"))),
        None => {
            found.loop_start = Some(loop_start);
            Ok(Some(found))
        }
    }
}

/// The same canonizer for a shorter time.
fn reborrowed<'c>(canonizer: &'c mut Option<&mut dyn Canonizer>) -> Option<&'c mut dyn Canonizer> {
    match canonizer {
        Some(canonizer) => Some(&mut **canonizer),
        None => None,
    }
}

/// Numbers of pairs.
type PairNumbers = Vec<u32>;

/// A path of hidden steps to a cycle of them, and the cycle, both with its first pair; nothing if there is none.
fn lasso(
    graph: &StateGraph,
    table: &StateTable,
    bytes: u64,
    control: &mut dyn Control,
) -> Result<Option<(PairNumbers, PairNumbers)>, DivergenceUnknown> {
    let n_pairs = graph.n_states();
    let mut reader = graph.reader();
    let (mut is_done, mut is_open) = (vec![false; n_pairs as usize], vec![false; n_pairs as usize]);
    let mut n_visited = 0_u64;
    // Pairs on the way, each with the targets of hidden steps that were not followed yet.
    let mut calls: Vec<(u32, Vec<u32>)> = Vec::new();
    for start in 0..n_pairs {
        let mut next = Some(start).filter(|start| !is_done[*start as usize]);
        loop {
            if let Some(entered) = next.take() {
                let mut targets = Vec::new();
                reader.steps(entered, &mut |marks, target| {
                    if marks & HIDDEN != 0 {
                        targets.push(target);
                    }
                });
                is_open[entered as usize] = true;
                calls.push((entered, targets));
                n_visited += 1;
                if n_visited.is_multiple_of(PAIRS_PER_POLL) {
                    let states = table.len() as u64;
                    let bytes = bytes + (table.bytes() as u64) + graph.bytes() + 2 * u64::from(n_pairs);
                    let progress =
                        Progress { states, waiting: states.saturating_sub(n_visited), bytes, ..Progress::default() };
                    if let Some(limit) = control.poll(&progress) {
                        let why = format!("divergence could not be excluded: {}", limit_text(limit));
                        return Err(DivergenceUnknown::Stopped(why));
                    }
                }
            }
            let Some((last, targets)) = calls.last_mut() else { break };
            match targets.pop() {
                None => {
                    is_open[*last as usize] = false;
                    is_done[*last as usize] = true;
                    calls.pop();
                }
                Some(target) if is_open[target as usize] => {
                    let stem: PairNumbers = calls.iter().map(|(number, _)| *number).collect();
                    let first = stem.iter().position(|number| *number == target).unwrap_or(0);
                    return Ok(Some((stem[..=first].to_vec(), stem[first..].to_vec())));
                }
                Some(target) => next = Some(target).filter(|target| !is_done[*target as usize]),
            }
        }
    }
    Ok(None)
}

/// Follows hidden steps round a cycle of orbits, from its first pair on, until a pair comes back; the position of the first step of the loop.
fn go_round(
    pair: &Pair<'_>,
    states: &mut Vec<Vec<u32>>,
    cycle: &[Vec<u32>],
    mut canonizer: Option<&mut dyn Canonizer>,
) -> Option<usize> {
    let start = states.len().checked_sub(1)?;
    let mut represented = |state: &[u32]| {
        let mut state = state.to_vec();
        canonizer.iter_mut().for_each(|canonizer| canonizer.represent(&mut state));
        state
    };
    let (mut worker, mut steps) = (pair.worker(), Steps::new(pair.width()));
    for _ in 0..MAX_ROUNDS {
        for representative in cycle[1..].iter().chain(&cycle[..1]) {
            let wanted = represented(representative);
            steps.clear();
            // A step that is missing shows: then no pair is found.
            let _ = worker.expand(Origin::State(states.last()?), None, &mut steps, &mut abridge_system::go_on);
            let mut hidden = steps.iter().filter(|step| step.marks & HIDDEN != 0);
            let next = hidden.find(|step| represented(step.target) == wanted)?.target.to_vec();
            states.push(next);
        }
        let last = states.len() - 1;
        if let Some(again) = (start..last).step_by(cycle.len()).find(|idx| states[*idx] == states[last]) {
            return Some(again + 1);
        }
    }
    None
}
