//! Functions on states that are no steps: the generators and canonizers of reductions.
//!
//! They are compiled and remembered like operations, under the words that they read. A result that is missing is told, for whoever took the state itself
//! for its image without saying so would report a reduction that was not made.

use std::sync::atomic::Ordering;

use abridge_model_system::Transformer;
use abridge_system::{Completeness, Gap, Steps};

use super::perform::{Performer, StateExpansion, WorkerBuffers};
use crate::system::Explicit;

/// Applies functions on behalf of one thread.
pub struct ExplicitTransformer<'a> {
    system: &'a Explicit<'a>,
    functions: Vec<Performer<'a>>,
    buffers: WorkerBuffers<'a>,
    epoch: u32,
}

impl<'a> ExplicitTransformer<'a> {
    /// The functions of [`crate::SystemConfig::transformations`].
    pub(crate) fn new(system: &'a Explicit<'a>) -> Self {
        ExplicitTransformer {
            system,
            functions: system.transformations.iter().map(|function| Performer::new(system, function)).collect(),
            buffers: WorkerBuffers::new(system),
            epoch: 0,
        }
    }
}

impl Transformer for ExplicitTransformer<'_> {
    fn images(&mut self, function: usize, words: &[u32], out: &mut Steps) -> Completeness {
        let epoch = self.system.epoch.load(Ordering::Acquire);
        if epoch != self.epoch {
            self.epoch = epoch;
            self.functions.iter_mut().for_each(Performer::refresh);
            self.buffers.verdicts.refresh();
        }
        out.clear();
        let mut at = StateExpansion::new(self.system, words, &mut self.buffers);
        let completeness = self.functions[function].perform(&mut at, out);
        match out.take_ill_defined() {
            true => completeness.and(Completeness::Missing(Gap::Failed)),
            false => completeness,
        }
    }
}
