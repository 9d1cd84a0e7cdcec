//! Operations with many choices, performed for one choice per orbit.
//!
//! If the types of its parameters allow very many choices, listing them costs more than a memo saves. In a state with interchangeable elements, one
//! choice per orbit is tried (`compile/src/run/representatives.rs`), and counts for the whole orbit.

use abridge_compile::{Fast, OrbitChoice, Stabiliser, Stop};
use abridge_eval::{PrescribedChoices, Val};
use abridge_model_system::ModelSystem as _;
use abridge_system::{Alike, Steps, System as _};
use abridge_value::Value;

use super::fast::FastPath;
use super::outcomes::OperationOutcomes;
use super::perform::StateExpansion;
use crate::operation::OperationMemos;
use crate::system::Explicit;
use abridge_model_system::Execution;

impl Explicit<'_> {
    /// Stabiliser of a state, from the classes of its interchangeable elements.
    pub(crate) fn stabiliser(&self, alike: &dyn Alike) -> Stabiliser {
        Stabiliser::of_state(alike, self.set_sizes())
    }

    fn set_sizes(&self) -> impl Iterator<Item = u32> {
        self.model().sets.iter().map(|(_, set)| set.size())
    }

    /// Step between two states of an operation with many choices. The choice is searched for among representatives under the common stabiliser of
    /// both states; the plain interpreter then makes that choice.
    pub(crate) fn step_of_many(&self, operation: &OperationMemos, from: &[u32], to: &[u32]) -> Option<Execution> {
        let (source, target) = (self.decode(from).0, self.decode(to).0);
        let vals = [&source.constants, &source.variables, &target.variables].into_iter().flat_map(|slots| slots.iter());
        let values: Option<Vec<&Value>> = vals.flatten().map(Val::as_value).collect();
        let stabiliser = Stabiliser::all(self.set_sizes()).refined(values?);
        let mut fast = FastPath::new(self)?;
        fast.load(self, from, &(1..self.width()).collect::<Vec<_>>());
        let written: Vec<Val> =
            operation.writes.iter().map(|word| self.decode_val(*word, to[*word]).into_owned()).collect();
        let locals = fast.runtime.choices_for(operation.op, &stabiliser, &written).ok()??;
        self.step_between(operation.op, from, to, PrescribedChoices { locals, variables: Some(target.variables) })
    }
}

impl StateExpansion<'_, '_> {
    /// Stabiliser of the state, computed at the first use.
    fn stabiliser(&mut self) -> &Stabiliser {
        let (system, alike) = (self.system, self.alike);
        self.stabiliser.get_or_insert_with(|| match alike {
            Some(alike) => system.stabiliser(alike),
            None => Stabiliser::default(),
        })
    }

    /// Adds one step per orbit of an operation with many choices; `false`, with nothing added, if that is not possible.
    pub(crate) fn perform_by_orbit(&mut self, operation: &OperationMemos, out: &mut Steps) -> bool {
        let Some(by_orbit) = operation.by_orbit.as_ref().filter(|_| self.alike.is_some()) else { return false };
        if self.stabiliser().is_empty() || self.system.config.max_operations.is_some() {
            return false;
        }
        let start = out.len();
        let done = self.steps_by_orbit(operation, by_orbit, out);
        if done.is_err() {
            out.truncate(start);
        }
        done.is_ok()
    }

    fn steps_by_orbit(&mut self, operation: &OperationMemos, by_orbit: &OrbitChoice, out: &mut Steps) -> Fast<()> {
        let (Some(stabiliser), Some(fast)) = (&self.stabiliser, &mut self.buffers.fast) else {
            return Err(Stop::Escape);
        };
        let (system, scratch) = (self.system, &mut self.buffers.scratch);
        fast.load(system, self.words, &operation.touched);
        let mut outcomes = OperationOutcomes::new(operation, self.words, out);
        let done = fast.runtime.operation_by_orbit(operation.op, stabiliser, by_orbit, &mut |count, written| {
            let written = operation.writes.iter().zip(written);
            outcomes.add(&mut scratch.target, count, written.map(|(word, val)| system.encode_val(*word, val)));
        });
        if done.is_err() {
            fast.forget();
        }
        done
    }
}
