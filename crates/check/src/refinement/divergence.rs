//! Divergence: new operations of a refinement that can go on for ever.
//!
//! Callers do not see operations that refine `skip`. A refinement that can perform them without end keeps its callers waiting, which the
//! abstraction never does. In a finite state space that is a cycle of such steps. Up to symmetry it is a cycle of orbits: going round
//! it, some state comes back sooner or later, since there are finitely many permutations.

use abridge_explicit::{Explicit, FIRST_OPERATION};
use abridge_reduce::symmetry::{Auto, Canonizer, Method, Quotient as _, symmetry_of};
use abridge_refine::Pair;
use abridge_search::{Control, Progress};
use abridge_system::{Machine as _, Origin, Properties, Steps, System as _, Worker as _};
use rustc_hash::FxHashMap;

use super::{Counterexample, paired};
use crate::Config;
use crate::report::limit_text;
use crate::trace::{Path, next_state};

/// Rounds of a cycle of orbits after which no state is expected to come back any more.
const MAX_ROUNDS: usize = 1_000;

const STATES_PER_POLL: usize = 256;

/// A run of the refinement that ends in a loop of new operations; a limit if there is no telling.
pub(super) fn find(
    pair: &Pair<'_>,
    config: &Config,
    control: &mut dyn Control,
) -> Result<Option<Counterexample>, String> {
    let new = pair.new_operations();
    if new.is_empty() {
        return Ok(None);
    }
    let system = pair.concrete();
    let numbers = (FIRST_OPERATION..).zip(system.operations());
    let hidden: Vec<u32> = numbers.filter(|(_, op)| new.contains(op)).map(|(number, _)| number).collect();
    let (joint, pinned) = pair.joint();
    let group = match config.symmetry {
        Method::Off => Default::default(),
        _ => symmetry_of(joint, Properties::default(), &[], pinned).group,
    };
    let quotient = Auto::new(system, group);
    let graph = Graph::explore(system, &hidden, &mut quotient.canonizer(), control)?;
    let Some((stem, cycle)) = graph.lasso() else { return Ok(None) };
    let lasso = realised(system, &graph, &stem, &cycle, &mut quotient.judge())?;
    let (states, loop_start) = in_pairs(pair, lasso)?;
    let mut found = paired(pair, &Path { states, gap: None });
    match &found.gap {
        Some(gap) => Err(format!("a divergence was found, but its trace was not: {gap}")),
        None => {
            found.loop_start = Some(loop_start);
            Ok(Some(found))
        }
    }
}

/// Representatives of the states of the refinement, with the steps that callers do not see.
#[derive(Default)]
struct Graph {
    states: Vec<Vec<u32>>,
    parents: Vec<Option<u32>>,
    hidden: Vec<Vec<u32>>,
}

impl Graph {
    fn explore(
        system: &Explicit<'_>,
        hidden: &[u32],
        canonizer: &mut dyn Canonizer,
        control: &mut dyn Control,
    ) -> Result<Graph, String> {
        let mut graph = Graph::default();
        let mut numbers: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
        let (mut worker, mut steps) = (system.worker(), Steps::new(system.width()));
        let mut next: Option<u32> = None;
        loop {
            steps.clear();
            let completeness = match next {
                None => worker.initial(&mut steps),
                Some(number) => worker.successors(&graph.states[number as usize], &mut steps),
            };
            if !completeness.is_whole() {
                return Err("divergence could not be excluded: steps are missing".to_owned());
            }
            for step in steps.iter() {
                let mut target = step.target.to_vec();
                canonizer.represent(&mut target);
                let number = *numbers.entry(target).or_insert_with_key(|target| {
                    graph.states.push(target.clone());
                    graph.parents.push(next);
                    graph.hidden.push(Vec::new());
                    graph.states.len() as u32 - 1
                });
                if let Some(from) = next.filter(|_| hidden.contains(&step.operation)) {
                    graph.hidden[from as usize].push(number);
                }
            }
            let following = next.map_or(0, |number| number + 1);
            if following as usize >= graph.states.len() {
                return Ok(graph);
            }
            next = Some(following);
            if (following as usize).is_multiple_of(STATES_PER_POLL) {
                let progress = Progress {
                    states: graph.states.len() as u64,
                    waiting: graph.states.len() as u64 - u64::from(following),
                    bytes: (graph.states.len() * (system.width() * 8 + 80)) as u64 + system.bytes(),
                    ..Progress::default()
                };
                if let Some(limit) = control.poll(&progress) {
                    return Err(format!("divergence could not be excluded: {}", limit_text(limit)));
                }
            }
        }
    }

    /// A path to a cycle of hidden steps, and the cycle; nothing if there is none.
    fn lasso(&self) -> Option<(Vec<u32>, Vec<u32>)> {
        let mut n_open: Vec<usize> = self.hidden.iter().map(Vec::len).collect();
        let mut sources: Vec<Vec<u32>> = vec![Vec::new(); self.hidden.len()];
        for (from, targets) in (0..).zip(&self.hidden) {
            targets.iter().for_each(|to| sources[*to as usize].push(from));
        }
        let mut ends: Vec<u32> = (0..n_open.len() as u32).filter(|state| n_open[*state as usize] == 0).collect();
        while let Some(end) = ends.pop() {
            for from in &sources[end as usize] {
                let open = &mut n_open[*from as usize];
                *open -= 1;
                if *open == 0 {
                    ends.push(*from);
                }
            }
        }
        let first = n_open.iter().position(|open| *open > 0)? as u32;
        let mut walk = vec![first];
        loop {
            let last = walk[walk.len() - 1];
            let next = *self.hidden[last as usize].iter().find(|to| n_open[**to as usize] > 0)?;
            if let Some(start) = walk.iter().position(|state| *state == next) {
                let cycle = walk.split_off(start);
                let mut stem = vec![];
                let mut at = Some(*walk.first().unwrap_or(&cycle[0]));
                while let Some(state) = at {
                    stem.push(state);
                    at = self.parents[state as usize];
                }
                stem.reverse();
                stem.extend(walk.iter().skip(1));
                if stem.last() != Some(&cycle[0]) {
                    stem.push(cycle[0]);
                }
                return Some((stem, cycle));
            }
            walk.push(next);
        }
    }
}

/// Real states along a path of orbits and round a cycle of orbits until one comes back, and the position of that one.
fn realised(
    system: &Explicit<'_>,
    graph: &Graph,
    stem: &[u32],
    cycle: &[u32],
    canonizer: &mut dyn Canonizer,
) -> Result<(Vec<Vec<u32>>, usize), String> {
    let mut states: Vec<Vec<u32>> = Vec::new();
    let mut follow = |states: &mut Vec<Vec<u32>>, number: u32| {
        let representative = &graph.states[number as usize];
        let is_first = states.is_empty() && system.is_start(representative);
        let next = match is_first {
            true => Some(representative.clone()),
            false => next_state(system, states.last().map(Vec::as_slice), representative, canonizer),
        };
        let next = next.ok_or_else(|| "a divergence was found, but no real states of it".to_owned())?;
        states.push(next);
        Ok::<(), String>(())
    };
    for number in stem {
        follow(&mut states, *number)?;
    }
    let start = states.len() - 1;
    for _ in 0..MAX_ROUNDS {
        for number in cycle.iter().skip(1).chain(&cycle[..1]) {
            follow(&mut states, *number)?;
        }
        let last = states.len() - 1;
        let again = (start..last).step_by(cycle.len()).find(|idx| states[*idx] == states[last]);
        if let Some(again) = again {
            return Ok((states, again + 1));
        }
    }
    Err("a divergence was found, but no state of it came back".to_owned())
}

/// The same run of both machines.
fn in_pairs(pair: &Pair<'_>, (states, loop_start): (Vec<Vec<u32>>, usize)) -> Result<(Vec<Vec<u32>>, usize), String> {
    let mut pairs: Vec<Vec<u32>> = Vec::new();
    for state in states {
        let origin = pairs.last().map_or(Origin::Root, |last| Origin::State(last));
        let mut steps = Steps::new(pair.width());
        let completeness = pair.worker().expand(origin, None, &mut steps, &mut abridge_system::go_on);
        let found =
            steps.iter().find(|step| pair.concrete_words(step.target) == state).map(|step| step.target.to_vec());
        match found {
            Some(found) => pairs.push(found),
            None => {
                let why = if completeness.is_whole() { "the abstraction does not follow" } else { "steps are missing" };
                return Err(format!("a divergence was found, but not its trace: {why}"));
            }
        }
    }
    Ok((pairs, loop_start))
}
