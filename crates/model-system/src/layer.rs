//! Layers around systems of models. Their words and labels mean what they mean inside, so every question is passed on.

use std::borrow::Cow;
use std::sync::Arc;

use abridge_compile::Interchangeable;
use abridge_eval::{Classes, Interp, Notations, Session, Slots, Val};
use abridge_model::{ConstId, LocalId, OpId, PredId, VarId};
use abridge_system::{LabelId, MachineLayer};

use crate::model_system::{LabelValues, ModelSystem};

impl<L: MachineLayer> ModelSystem for L
where
    L::Inner: ModelSystem,
{
    type Transformer<'a>
        = <L::Inner as ModelSystem>::Transformer<'a>
    where
        Self: 'a;

    fn judge(&self) -> &Interp<'_> {
        self.inner().judge()
    }

    fn notations(&self) -> &Notations {
        self.inner().notations()
    }

    fn operation_ids(&self) -> &[OpId] {
        self.inner().operation_ids()
    }

    fn variables(&self) -> &[VarId] {
        self.inner().variables()
    }

    fn pinned(&self) -> &[(ConstId, Val)] {
        self.inner().pinned()
    }

    fn has_setup(&self) -> bool {
        self.inner().has_setup()
    }

    fn propositions(&self) -> &[PredId] {
        self.inner().propositions()
    }

    fn transformations(&self) -> &[OpId] {
        self.inner().transformations()
    }

    fn transformer(&self) -> Self::Transformer<'_> {
        self.inner().transformer()
    }

    fn encode_val(&self, word: usize, val: &Val) -> u32 {
        self.inner().encode_val(word, val)
    }

    fn decode_val(&self, word: usize, id: u32) -> Cow<'_, Val> {
        self.inner().decode_val(word, id)
    }

    fn constants_of(&self, words: &[u32]) -> &Arc<Slots> {
        self.inner().constants_of(words)
    }

    fn encode_constants(&self, constants: &Arc<Slots>, is_initialised: bool) -> u32 {
        self.inner().encode_constants(constants, is_initialised)
    }

    fn instance_locals(&self, operation: usize) -> &[LocalId] {
        self.inner().instance_locals(operation)
    }

    fn instance_vals(&self, operation: u32, label: LabelId) -> Option<Vec<Val>> {
        self.inner().instance_vals(operation, label)
    }

    fn label_values(&self, operation: u32, label: LabelId) -> LabelValues<'_> {
        self.inner().label_values(operation, label)
    }

    fn set_up_by_class(&self, classes: Arc<dyn Classes>) {
        self.inner().set_up_by_class(classes);
    }

    fn use_interchangeable(&self, interchangeable: Interchangeable) {
        self.inner().use_interchangeable(interchangeable);
    }

    fn note_warnings(&self, session: &Session<'_>) {
        self.inner().note_warnings(session);
    }
}
