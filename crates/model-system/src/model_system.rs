//! [`ModelSystem`]: a machine made from a model.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::Arc;

use abridge_compile::Interchangeable;
use abridge_eval::{Classes, Env, Error, Interp, Notations, Result, Session, Slots, State, Val};
use abridge_model::ids::Id as _;
use abridge_model::{ConstId, LocalId, Model, OpId, PredId, VarId};
use abridge_system::{Completeness, LabelId, Machine, Steps};
use abridge_value::Value;

use crate::layout::{FIRST_OPERATION, INITIALISATION, SETUP, UNSET};

/// Machine made from a model, with states laid out as `layout.rs` says.
///
/// All answers about formulas come from the judge. A layer implements [`MachineLayer`](abridge_system::MachineLayer) instead.
pub trait ModelSystem: Machine {
    type Transformer<'a>: Transformer
    where
        Self: 'a;

    /// Plain interpreter of the model, which finds traces again and has the last word about every state.
    fn judge(&self) -> &Interp<'_>;

    /// How values of the model are written.
    fn notations(&self) -> &Notations;

    /// Operations in the order of their step numbers, which begin at [`FIRST_OPERATION`].
    fn operation_ids(&self) -> &[OpId];

    /// Variables of a state, in the order of its words from word 1 on.
    fn variables(&self) -> &[VarId];

    /// Constants with a value fixed in advance.
    fn pinned(&self) -> &[(ConstId, Val)];

    /// Whether setting up constants is a separate step.
    fn has_setup(&self) -> bool;

    /// Atomic propositions, in the order of their numbers.
    fn propositions(&self) -> &[PredId];

    /// Functions on states, in the order of their numbers.
    fn transformations(&self) -> &[OpId];

    /// Applies the functions on states, for one thread.
    fn transformer(&self) -> Self::Transformer<'_>;

    /// Word for a value at a position of a state other than 0.
    fn encode_val(&self, word: usize, val: &Val) -> u32;

    /// Value of a word other than [`UNSET`] at a position of a state other than 0.
    fn decode_val(&self, word: usize, id: u32) -> Cow<'_, Val>;

    /// Values of the constants in a state.
    fn constants_of(&self, words: &[u32]) -> &Arc<Slots>;

    /// Word 0 for values of the constants.
    fn encode_constants(&self, constants: &Arc<Slots>, is_initialised: bool) -> u32;

    /// Locals that distinguish the instances of an operation, given by its position.
    fn instance_locals(&self, operation: usize) -> &[LocalId];

    /// Values of [`ModelSystem::instance_locals`] in a step, by operation and label; `None` if only parameters and outputs are known.
    fn instance_vals(&self, operation: u32, label: LabelId) -> Option<Vec<Val>>;

    /// Parameters and outputs of a step, by operation and label.
    fn label_values(&self, operation: u32, label: LabelId) -> LabelValues<'_>;

    /// Sets constants up one valuation per class from now on. The one step counts for the whole class.
    fn set_up_by_class(&self, classes: Arc<dyn Classes>);

    /// Lets quantifiers and comprehensions exploit elements that the text of the model cannot distinguish. Must be called before workers are made.
    fn use_interchangeable(&self, interchangeable: Interchangeable);

    /// Makes the warnings of a session of the judge caveats of the run.
    fn note_warnings(&self, session: &Session<'_>);

    fn model(&self) -> &Model {
        self.judge().model()
    }

    /// Word of a variable; `None` if the variable never changes.
    fn word_of(&self, id: VarId) -> Option<usize> {
        self.variables().iter().position(|variable| *variable == id).map(|idx| idx + 1)
    }

    /// Value of a variable, by its position and word; `None` if it has none.
    fn value_of(&self, word: usize, id: u32) -> Option<Cow<'_, Val>> {
        (id != UNSET).then(|| self.decode_val(word, id))
    }

    /// Decodes a vector to a state, and whether the machine is initialised.
    fn decode(&self, words: &[u32]) -> (State, bool) {
        let mut variables: Slots = vec![None; self.model().variables.len()];
        for (word, variable) in (1..).zip(self.variables()) {
            variables[variable.index()] = self.value_of(word, words[word]).map(Cow::into_owned);
        }
        let constants = self.constants_of(words).clone();
        (State { constants, variables: Arc::new(variables) }, crate::is_initialised(words))
    }

    /// Encodes a state, which need not be reachable, as a vector.
    fn encode(&self, state: &State, is_initialised: bool, out: &mut Vec<u32>) {
        out.clear();
        out.push(self.encode_constants(&state.constants, is_initialised));
        for (word, variable) in (1..).zip(self.variables()) {
            let val = state.variables.get(variable.index()).and_then(Option::as_ref);
            out.push(val.map_or(UNSET, |val| self.encode_val(word, val)));
        }
    }

    /// Vector of a state, which need not be reachable.
    fn words_of(&self, state: &State, is_initialised: bool) -> Vec<u32> {
        let mut words = Vec::with_capacity(self.width());
        self.encode(state, is_initialised, &mut words);
        words
    }

    /// State before the first step: only pinned constants have a value.
    fn blank(&self) -> State {
        let model = self.model();
        let mut constants: Slots = vec![None; model.constants.len()];
        for (id, val) in self.pinned() {
            constants[id.index()] = Some(val.clone());
        }
        State { constants: Arc::new(constants), variables: Arc::new(vec![None; model.variables.len()]) }
    }

    /// Word 0 of a state after `change` was applied to the leaves of the constants; `None` if no leaf changes.
    fn map_constants(&self, words: &[u32], change: &mut dyn FnMut(&Value) -> Option<Value>) -> Option<u32> {
        let changed = abridge_eval::map_slots(self.constants_of(words), change)?;
        Some(self.encode_constants(&Arc::new(changed), crate::is_initialised(words)))
    }

    /// Truth of a predicate in a state, by the judge.
    fn holds(&self, pred: PredId, words: &[u32]) -> Result<bool> {
        let (state, _) = self.decode(words);
        self.judge().session().pred(pred, &Env::new(&state))
    }

    /// Asks the judge for something that a verdict rests on: its warnings are caveats of the run.
    fn ask<T>(&self, question: impl FnOnce(&Session<'_>) -> Result<T>) -> Result<T> {
        let session = self.judge().session();
        let answer = question(&session);
        self.note_warnings(&session);
        answer
    }

    /// True if some states are not expanded because of a SCOPE.
    fn has_scope(&self) -> bool {
        has_scope(self.model())
    }

    /// First violation that the judge finds in the set-up, the initialisation or an operation out of a state: ill-definedness or a broken obligation.
    /// A failure for lack of bounds is no violation.
    fn violation_of(&self, operation: u32, words: &[u32]) -> Option<Error> {
        let (state, _) = self.decode(words);
        let session = self.judge().session();
        let mut first = None;
        let mut judge = |error: Option<Error>| {
            first = error.filter(Error::is_violation);
            if first.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        match operation {
            SETUP => session.setup_constants(&mut |found| judge(found.err())),
            INITIALISATION => session.initialise(&state, &mut |found| judge(found.err())),
            number => {
                let op = *self.operation_ids().get((number - FIRST_OPERATION) as usize)?;
                session.operation(op, &state, &mut |found| judge(found.err()));
            }
        }
        first
    }
}

/// Whether a model has a SCOPE that is in force.
pub fn has_scope(model: &Model) -> bool {
    let is_off = || model.steering.preferences.get("USE_SCOPE_DEFINITION").is_some_and(|value| value == "FALSE");
    model.steering.scope.is_some() && !is_off()
}

/// Applies functions on states, on behalf of one thread.
pub trait Transformer {
    /// Puts the images of an initialised state into the list, one for each value of the parameters of a function; equal images are there once. They
    /// are all of them only if the answer is whole: an image that is not well-defined is a gap.
    fn images(&mut self, function: usize, words: &[u32], out: &mut Steps) -> Completeness;
}

/// Parameters and outputs of a labelled step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LabelValues<'a> {
    /// Values of the parameters, in order.
    pub params: Vec<&'a Val>,
    /// Values of the outputs, in order; `None` for an output that the step does not assign.
    pub outputs: Vec<Option<&'a Val>>,
}
