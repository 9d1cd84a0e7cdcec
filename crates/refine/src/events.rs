//! Events: what callers see of a step.
//!
//! A call is an operation with arguments, an event a call with results. Both levels number their events in one [`Events`] table, under the
//! operations of the abstraction ([`Alphabet`]), so that equal numbers are equal events. Events whose values have no canonical form may
//! be equal and have different numbers; [`Events::is_exact`] tells them apart from those that are certainly different.

use std::sync::Arc;

use abridge_eval::Val;
use abridge_model::{Level, LocalId, Model, OpId, SmolStr};
use abridge_value::{Interner, ValueId};

/// An operation with arguments.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Call {
    /// Number of the operation in the alphabet.
    pub(crate) letter: u32,
    pub(crate) params: Vec<Val>,
}

/// A call with results; one that was not assigned is missing.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Event {
    pub(crate) call: u32,
    pub(crate) outputs: Vec<Option<Val>>,
}

/// Calls and events by number.
#[derive(Default)]
pub(crate) struct Events {
    calls: Interner<Arc<Call>>,
    events: Interner<Arc<Event>>,
}

impl Events {
    pub(crate) fn call_number(&self, call: Call) -> u32 {
        self.calls.intern(&Arc::new(call)).0
    }

    pub(crate) fn number(&self, event: Event) -> u32 {
        self.events.intern(&Arc::new(event)).0
    }

    pub(crate) fn call(&self, number: u32) -> &Call {
        self.calls.get(ValueId(number))
    }

    pub(crate) fn get(&self, number: u32) -> &Event {
        self.events.get(ValueId(number))
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.calls.bytes() + self.events.bytes()
    }

    /// All values of a call have a canonical form, so that another number is another call.
    pub(crate) fn is_exact_call(&self, call: u32) -> bool {
        self.call(call).params.iter().all(|val| val.as_value().is_some())
    }

    /// The same for an event.
    pub(crate) fn is_exact(&self, event: u32) -> bool {
        let event = self.get(event);
        self.is_exact_call(event.call) && event.outputs.iter().flatten().all(|val| val.as_value().is_some())
    }
}

/// An operation of one level, as the alphabet sees it.
#[derive(Clone, Debug)]
pub(crate) struct Letter {
    pub(crate) op: OpId,
    /// The name that callers use.
    pub(crate) name: SmolStr,
    pub(crate) letter: u32,
    /// Positions of the parameters and outputs that callers of both levels see.
    pub(crate) params: Vec<usize>,
    pub(crate) outputs: Vec<usize>,
    /// The operation belongs to a machine that only the refinement sees: a step of others, which the abstraction does not notice.
    pub(crate) is_foreign: bool,
}

impl Letter {
    /// Values for the parameters that a call gives.
    pub(crate) fn given(&self, model: &Model, call: &Call) -> Vec<(LocalId, Val)> {
        let params = &model.operations[self.op].params;
        self.params.iter().map(|position| params[*position]).zip(call.params.iter().cloned()).collect()
    }
}

/// The operations of both levels under common numbers. Those of the abstraction come first; the others are new in the refinement, or foreign.
#[derive(Clone, Debug)]
pub(crate) struct Alphabet {
    pub(crate) concrete: Vec<Letter>,
    pub(crate) abstracted: Vec<Letter>,
}

impl Alphabet {
    pub(crate) fn new(model: &Model, concrete: &Level, abstracted: &Level) -> Alphabet {
        let whole = |op: OpId, name: &SmolStr, letter: u32| Letter {
            op,
            name: name.clone(),
            letter,
            params: (0..model.operations[op].params.len()).collect(),
            outputs: (0..model.operations[op].outputs.len()).collect(),
            is_foreign: false,
        };
        let mut of_abstraction: Vec<Letter> =
            (0..).zip(&abstracted.operations).map(|(letter, (name, op))| whole(*op, name, letter)).collect();
        let mut of_refinement: Vec<Letter> = Vec::new();
        let mut next_new = of_abstraction.len() as u32;
        for (name, op) in &concrete.operations {
            let refined = refined_by(model, abstracted, name, *op);
            let letter = match refined {
                Some(letter) => letter as u32,
                None => {
                    next_new += 1;
                    next_new - 1
                }
            };
            let mut own = whole(*op, name, letter);
            match refined {
                Some(refined) => restrict_to_common(model, &mut own, &mut of_abstraction[refined]),
                None => own.is_foreign = concrete.seen.contains(op),
            }
            of_refinement.push(own);
        }
        Alphabet { concrete: of_refinement, abstracted: of_abstraction }
    }

    /// An operation of the refinement that no operation of the abstraction corresponds to.
    pub(crate) fn is_new(&self, letter: u32) -> bool {
        letter as usize >= self.abstracted.len()
    }

    /// An operation that the refinement itself adds.
    pub(crate) fn is_added(&self, own: &Letter) -> bool {
        self.is_new(own.letter) && !own.is_foreign
    }
}

/// The operation of the abstraction that an operation refines: the one that it says or, if it says none, the one of its name.
fn refined_by(model: &Model, abstracted: &Level, name: &str, op: OpId) -> Option<usize> {
    let position = |op: OpId| abstracted.operations.iter().position(|(_, other)| *other == op);
    let mut next = Some(op);
    while let Some(op) = next {
        if let Some(found) = position(op) {
            return Some(found);
        }
        next = model.operations[op].refines;
    }
    abstracted.operation(name).and_then(position)
}

/// Where two headings differ in length, callers of both see what has the same name.
fn restrict_to_common(model: &Model, own: &mut Letter, other: &mut Letter) {
    let (one, two) = (&model.operations[own.op], &model.operations[other.op]);
    let common = |one: &[LocalId], two: &[LocalId]| -> Option<(Vec<usize>, Vec<usize>)> {
        if one.len() == two.len() {
            return None;
        }
        let name = |local: &LocalId| &model.locals[*local].name;
        let pairs = one
            .iter()
            .enumerate()
            .filter_map(|(position, local)| Some((position, two.iter().position(|other| name(other) == name(local))?)));
        Some(pairs.unzip())
    };
    if let Some((left, right)) = common(&one.params, &two.params) {
        (own.params, other.params) = (left, right);
    }
    if let Some((left, right)) = common(&one.outputs, &two.outputs) {
        (own.outputs, other.outputs) = (left, right);
    }
}
