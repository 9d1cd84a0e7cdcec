//! How a state is reached: real steps of the real machine, found again by the plain interpreter.

use std::io;
use std::ops::ControlFlow;

use abridge_explicit::Explicit;
use abridge_reduce::symmetry::Canonizer;
use abridge_store::{NO_PARENT, StateTable};
use abridge_system::{Steps, System as _, Worker as _};

use crate::walk::{Move, Place};

#[derive(Clone, Default, Debug)]
pub struct Trace {
    pub steps: Vec<Step>,
}

/// One step and the state after it, as B text.
#[derive(Clone, Debug)]
pub struct Step {
    /// `SETUP_CONSTANTS`, `INITIALISATION` or the operation.
    pub name: String,
    pub params: Vec<(String, String)>,
    pub outputs: Vec<(String, String)>,
    /// Constants and variables that have a value after the step.
    pub state: Vec<(String, String)>,
    /// Names in `state` whose value the step changed.
    pub changed: Vec<String>,
    /// Names in `state` whose text is not a value that could be read back: infinite or very large sets.
    pub opaque: Vec<String>,
}

impl Trace {
    /// The trace through states that follow each other.
    pub(crate) fn through(system: &Explicit<'_>, states: &[Vec<u32>]) -> Trace {
        let mut trace = Trace::default();
        let mut before = Place::Start;
        for step in moves_through(system, None, states) {
            trace.steps.push(step.step(system.model(), &before));
            before = step.to;
        }
        trace
    }
}

/// The states along which a state was first reached, itself included, and further states behind it: states of the system as it is. Those of
/// the table may be representatives; then each state on the way is one that its representative stands for. They may have to be read from
/// files.
pub(crate) fn states_to(
    system: &Explicit<'_>,
    table: &StateTable,
    state: Option<u32>,
    behind: &[Vec<u32>],
    canonizer: Option<&mut dyn Canonizer>,
) -> io::Result<Vec<Vec<u32>>> {
    let mut numbers: Vec<u32> = state.into_iter().collect();
    while let Some(last) = numbers.last().copied().filter(|last| table.parent(*last) != NO_PARENT) {
        numbers.push(table.parent(last));
    }
    let states: io::Result<Vec<Vec<u32>>> = numbers.into_iter().rev().map(|number| table.get(number)).collect();
    let mut states = states?;
    states.extend_from_slice(behind);
    Ok(match canonizer {
        Some(canonizer) => realise(system, &states, canonizer),
        None => states,
    })
}

/// So many initial states are listed, and more of them looked at one by one.
const MANY: usize = 4096;

/// A path of the system whose states have the given representatives.
fn realise(system: &Explicit<'_>, representatives: &[Vec<u32>], canonizer: &mut dyn Canonizer) -> Vec<Vec<u32>> {
    let mut worker = system.worker();
    let mut steps = Steps::new(system.width());
    let mut states: Vec<Vec<u32>> = Vec::with_capacity(representatives.len());
    for representative in representatives {
        if states.is_empty() && is_set_up(system, representative) {
            states.push(representative.clone());
            continue;
        }
        let mut wanted = representative.clone();
        canonizer.represent(&mut wanted);
        steps.clear();
        // Of several steps that lead to one class, one is enough.
        let is_listed = match states.last() {
            Some(state) => {
                let pause = &mut |steps: &mut Steps| match steps.len() {
                    MANY.. => ControlFlow::Break(()),
                    _ => ControlFlow::Continue(()),
                };
                worker.successors_by_parts(state, canonizer.alike(state), &mut steps, pause);
                steps.len() < MANY || !is_set_up(system, state)
            }
            None => canonizer.alike_at_first().is_some_and(|alike| worker.initial_alike(alike, &mut steps)),
        };
        let mut stands_for = |target: &[u32]| {
            let mut found = target.to_vec();
            canonizer.represent(&mut found);
            found == wanted
        };
        if !is_listed {
            steps.clear();
            let pause = &mut |steps: &mut Steps| match steps.last() {
                Some((_, target)) if stands_for(target) => ControlFlow::Break(()),
                _ => {
                    steps.clear();
                    ControlFlow::Continue(())
                }
            };
            match states.last() {
                Some(state) => worker.successors_by_parts(state, None, &mut steps, pause),
                None => worker.initial_by_parts(&mut steps, pause),
            }
        }
        let next = steps.iter().map(|(_, _, target)| target).find(|target| stands_for(target)).map(<[u32]>::to_vec);
        // Symmetric states have corresponding steps, so there is one.
        states.push(next.unwrap_or_else(|| representative.clone()));
    }
    states
}

/// Whether a state is one in which constants have just been set up. Representatives of such states are such states themselves, unless
/// the model forces a symmetry that its properties do not have; then looking is still faster than setting up again.
fn is_set_up(system: &Explicit<'_>, words: &[u32]) -> bool {
    let (_, is_initialised) = system.decode(words);
    let model = system.model();
    let is_honest = model.steering.force_symmetry.is_empty();
    system.has_setup()
        && !is_initialised
        && (is_honest || model.properties.iter().all(|one| matches!(system.holds(one.pred, words), Ok(true))))
}

/// The moves along which a state was first reached, from the root or from the given state.
pub(crate) fn path(
    system: &Explicit<'_>,
    table: &StateTable,
    state: u32,
    start: Option<&[u32]>,
) -> io::Result<Vec<Move>> {
    let states = states_to(system, table, Some(state), &[], None)?;
    // With a start, the first state of the search is the start itself.
    Ok(moves_through(system, start, &states[usize::from(start.is_some())..]))
}

fn moves_through(system: &Explicit<'_>, start: Option<&[u32]>, states: &[Vec<u32>]) -> Vec<Move> {
    let mut before = start;
    let mut moves = Vec::with_capacity(states.len());
    for words in states {
        let to = Place::of_words(system, words);
        // Set-up and initialisation have no labels.
        let label =
            before.filter(|before| system.decode(before).1).and_then(|before| system.label(Some(before), words));
        moves.push(match label {
            Some(label) => Move { op: label.op, params: label.params, outputs: label.outputs, to },
            None => Move { op: None, params: Vec::new(), outputs: Vec::new(), to },
        });
        before = Some(words);
    }
    moves
}
