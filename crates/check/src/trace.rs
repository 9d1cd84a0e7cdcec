//! How a state is reached: real steps of the real machine, found again by the plain interpreter.

use std::io;

use abridge_eval::Explicit;
use abridge_store::{NO_PARENT, StateTable};

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
    /// The path along which a state was first reached.
    pub(crate) fn to(system: &Explicit<'_>, table: &StateTable, state: u32) -> io::Result<Trace> {
        let mut trace = Trace::default();
        let mut before = Place::Start;
        for step in path(system, table, state, None)? {
            trace.steps.push(step.step(system.model(), &before));
            before = step.to;
        }
        Ok(trace)
    }
}

/// The moves along which a state was first reached, from the root or from the given state. States may have to be read from files.
pub(crate) fn path(
    system: &Explicit<'_>,
    table: &StateTable,
    state: u32,
    start: Option<&[u32]>,
) -> io::Result<Vec<Move>> {
    let mut numbers = vec![state];
    while let Some(last) = numbers.last().copied().filter(|last| table.parent(*last) != NO_PARENT) {
        numbers.push(table.parent(last));
    }
    if start.is_some() {
        // The first state of the search is the start itself.
        numbers.pop();
    }
    let mut before = start.map(<[u32]>::to_vec);
    let mut moves = Vec::with_capacity(numbers.len());
    for number in numbers.into_iter().rev() {
        let words = table.get(number)?;
        let to = Place::of_words(system, &words);
        let label = system.label(before.as_deref(), &words);
        moves.push(match label {
            Some(label) => Move { op: label.op, params: label.params, outputs: label.outputs, to },
            None => Move { op: None, params: Vec::new(), outputs: Vec::new(), to },
        });
        before = Some(words);
    }
    Ok(moves)
}
