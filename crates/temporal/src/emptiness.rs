//! Paths of a graph that violate a property: [`find_violation`].
//!
//! The product of a graph with the automaton of violations is never stored. A search breadth-first (`reach.rs`) finds the shortest path that
//! ends and violates the property, or the shortest prefix that no continuation saves. What remains are infinite paths. Nodes that lie on no accepted cycle
//! for a simple reason are taken away first (`trim.rs`): that needs a bit for each node and goes through the graph in the order of its states, so
//! most properties that hold are settled there, also where steps lie in files. The others need strongly connected components of the product
//! with all marks of the automaton (`components.rs`), in which the fairness premises and the Streett pairs of the property can be met (`fair.rs`). A component
//! that has what it needs becomes a lasso (`lasso.rs`).
//!
//! Nothing depends on chance or on threads: a graph has one answer and one path.

mod components;
mod cycles;
mod fair;
mod lasso;
mod letters;
mod on_the_fly;
mod reach;
mod threads;
mod trim;

use std::ops::Range;

use abridge_value::BitSet;

use crate::formula::AtomId;
use crate::property::{Class, LinearProperty};

pub(crate) use cycles::FairCycles;
pub(crate) use letters::decide;
pub use on_the_fly::{Suspicion, holds_violation};

use components::for_each_component;
use fair::{FairConditions, FairPart};
use letters::Moves;
use reach::{Hit, Reached};

/// Truth of an atom in a letter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Truth {
    False,
    True,
    /// The atom has no value there.
    IllDefined,
    /// The value is not known, because steps are missing.
    Unknown,
}

impl From<bool> for Truth {
    fn from(value: bool) -> Truth {
        if value { Truth::True } else { Truth::False }
    }
}

/// A finite graph whose steps carry letters.
///
/// A letter says which atoms hold in a state and on the step that leaves it, or in a state where a path ends. Letters are numbered.
pub trait LetterGraph {
    fn n_states(&self) -> usize;

    /// The states in which paths begin, each once, in ascending order.
    fn initial(&self) -> &[u32];

    /// Calls `visit` with letter and target of each step that leaves a state, always in the same order.
    fn steps(&self, state: u32, visit: &mut dyn FnMut(u32, u32));

    /// The letter of a state where paths end; nothing if steps leave it, or if it is not known whether any does.
    fn ending(&self, state: u32) -> Option<u32>;

    fn n_letters(&self) -> usize;

    fn truth(&self, letter: u32, atom: AtomId) -> Truth;

    /// The operation with its arguments that a letter's step is an instance of, as a number. Asked for where `WEF` or `SEF` is a premise.
    fn instance(&self, letter: u32) -> Option<u32>;

    /// Steps rename operations with their arguments.
    fn has_turns(&self) -> bool {
        false
    }

    /// The name that an operation with its arguments has after the step of a letter. In a quotient, the permutation between a target and its representative renames it.
    fn turned(&self, letter: u32, instance: u32) -> u32 {
        let _ = letter;
        instance
    }

    /// Steps of a state may be missing: it was not expanded, or not as a whole.
    fn is_open(&self, state: u32) -> bool {
        let _ = state;
        false
    }

    /// Whether the search should end.
    fn is_stopped(&self) -> bool {
        false
    }
}

/// A path: states with the letters that leave them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LetterPath {
    pub positions: Vec<(u32, u32)>,
    pub end: PathEnd,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PathEnd {
    /// Nothing leaves the last state.
    Deadlock,
    /// The last step leads back to this position.
    Loop(usize),
    /// The last step leads to this state, and whatever follows, the answer stays.
    Anything(u32),
}

/// What is known about the paths of a graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PathAnswer {
    /// No path violates the property.
    None,
    Path(LetterPath),
    /// At the end of the path an atom decides that has no value there.
    IllDefined(LetterPath, AtomId),
    /// No path is known to violate the property, but values of atoms that would matter are not known.
    Unknown,
    Stopped,
}

/// Product nodes between two looks at the stop flag.
const STOP_INTERVAL: u64 = 1 << 12;

/// A node of the product: `state * n_automaton_states + automaton_state`.
type ProductNode = u64;

/// Looks for a path from an initial state that violates a property.
pub fn find_violation<G: LetterGraph>(graph: &G, property: &LinearProperty) -> PathAnswer {
    let mut moves = Moves::new(graph, property);
    let starts = graph.initial().iter().copied();
    match search(graph, &mut moves, starts) {
        SearchResult::Nothing if moves.is_partial => PathAnswer::Unknown,
        SearchResult::Nothing => PathAnswer::None,
        SearchResult::Stopped => PathAnswer::Stopped,
        SearchResult::Hit(hit) => reach::answer(graph, &mut moves, hit),
        SearchResult::Part(part, mut conditions) => match lasso::lasso(graph, &mut moves, &part, &mut conditions) {
            Some(path) => PathAnswer::Path(path),
            None => PathAnswer::Stopped,
        },
    }
}

/// Whether a graph without the steps that are [`Idle`](crate::Idle) holds a violation, where all states of a range can be reached. The path is to be found in the graph with all steps.
pub fn has_violation<G: LetterGraph>(graph: &G, property: &LinearProperty, states: Range<u32>) -> Suspicion {
    let mut moves = Moves::new(graph, property);
    match search(graph, &mut moves, states) {
        SearchResult::Hit(_) | SearchResult::Part(..) => Suspicion::Violation,
        SearchResult::Nothing if moves.is_partial => Suspicion::Unknown,
        SearchResult::Nothing => Suspicion::None,
        SearchResult::Stopped => Suspicion::Stopped,
    }
}

/// What a search has found.
enum SearchResult<'g, G> {
    Nothing,
    Stopped,
    /// A node that shows a violation without a loop.
    Hit(Hit),
    /// A fair component that is accepted.
    Part(FairPart, FairConditions<'g, G>),
}

/// Looks for a violation on paths that begin in some states.
fn search<'g, G: LetterGraph>(
    graph: &'g G,
    moves: &mut Moves<'g, G>,
    starts: impl Iterator<Item = u32> + Clone,
) -> SearchResult<'g, G> {
    let property = moves.property;
    let universal = property.violation.universal_state().filter(|_| property.class == Class::Safety);
    let reached = match reach::reach(graph, moves, starts, universal) {
        Reached::All(reached) => reached,
        Reached::Hit(hit) => return SearchResult::Hit(hit),
        Reached::Stopped => return SearchResult::Stopped,
    };
    if property.class != Class::Safety {
        for alternative in &property.premises {
            let conditions = FairConditions::new(graph, property, alternative);
            match infinite(graph, moves, &reached, conditions) {
                SearchResult::Nothing => {}
                found => return found,
            }
        }
    }
    SearchResult::Nothing
}

/// Looks for a fair component that is accepted.
fn infinite<'g, G: LetterGraph>(
    graph: &'g G,
    moves: &mut Moves<'g, G>,
    reached: &BitSet,
    mut conditions: FairConditions<'g, G>,
) -> SearchResult<'g, G> {
    let mut found = None;
    let Some(left) = trim::trimmed(graph, moves, reached, &conditions) else { return SearchResult::Stopped };
    let is_whole = for_each_component(graph, moves, &left, &mut |component, moves| {
        found = conditions.fair_part(component, moves);
        found.is_some()
    });
    match found {
        Some(part) => SearchResult::Part(part, conditions),
        None if !is_whole => SearchResult::Stopped,
        None => {
            moves.is_partial |= conditions.is_partial;
            SearchResult::Nothing
        }
    }
}
