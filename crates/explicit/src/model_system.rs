//! [`ModelSystem`] of the explicit system: the tables of values, labels and constants, read from outside.

use std::borrow::Cow;
use std::sync::Arc;

use abridge_compile::Interchangeable;
use abridge_eval::{Classes, Interp, Notations, Session, Slots, Val};
use abridge_model::{ConstId, LocalId, OpId, PredId, VarId};
use abridge_model_system::{FIRST_OPERATION, LabelValues, ModelSystem};
use abridge_system::LabelId;
use abridge_value::ValueId;

use crate::system::Explicit;
use crate::worker::ExplicitTransformer;

impl ModelSystem for Explicit<'_> {
    type Transformer<'a>
        = ExplicitTransformer<'a>
    where
        Self: 'a;

    fn judge(&self) -> &Interp<'_> {
        &self.judge
    }

    fn notations(&self) -> &Notations {
        self.notations.get_or_init(|| Notations::new(self.judge.model()))
    }

    fn operation_ids(&self) -> &[OpId] {
        &self.operations
    }

    fn variables(&self) -> &[VarId] {
        &self.variables
    }

    fn pinned(&self) -> &[(ConstId, Val)] {
        &self.pinned
    }

    fn has_setup(&self) -> bool {
        self.has_setup
    }

    fn propositions(&self) -> &[PredId] {
        &self.config.propositions
    }

    fn transformations(&self) -> &[OpId] {
        &self.config.transformations
    }

    fn transformer(&self) -> ExplicitTransformer<'_> {
        ExplicitTransformer::new(self)
    }

    #[inline]
    fn encode_val(&self, word: usize, val: &Val) -> u32 {
        self.values[word - 1].intern(val).0
    }

    #[inline]
    fn decode_val(&self, word: usize, id: u32) -> Cow<'_, Val> {
        self.values[word - 1].get(ValueId(id))
    }

    #[inline]
    fn constants_of(&self, words: &[u32]) -> &Arc<Slots> {
        self.constants.get(ValueId(words[0] >> 1))
    }

    fn encode_constants(&self, constants: &Arc<Slots>, is_initialised: bool) -> u32 {
        self.constants.intern(constants).0 << 1 | u32::from(is_initialised)
    }

    fn instance_locals(&self, operation: usize) -> &[LocalId] {
        &self.operation_memos[operation].instance
    }

    fn instance_vals(&self, operation: u32, label: LabelId) -> Option<Vec<Val>> {
        let (instance, _) = self.label_ids(operation, label);
        instance.iter().map(|id| self.known_local(*id).cloned()).collect()
    }

    fn label_values(&self, operation: u32, label: LabelId) -> LabelValues<'_> {
        let n_params = self.operation_memos[(operation - FIRST_OPERATION) as usize].n_params;
        let (instance, outputs) = self.label_ids(operation, label);
        LabelValues {
            params: instance[..n_params].iter().map(|id| self.local(*id)).collect(),
            outputs: outputs.iter().map(|id| self.known_local(*id)).collect(),
        }
    }

    fn set_up_by_class(&self, classes: Arc<dyn Classes>) {
        let _ = self.classes.set(classes);
    }

    fn use_interchangeable(&self, interchangeable: Interchangeable) {
        let _ = self.interchangeable.set(Arc::new(interchangeable));
    }

    fn note_warnings(&self, session: &Session<'_>) {
        self.note(session, "a temporal formula", None);
    }
}
