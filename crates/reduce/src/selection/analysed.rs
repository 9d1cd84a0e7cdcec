//! Systems whose steps are events of a dependency analysis: the face that a selection needs of them.

use abridge_deps::{AnalysisDepth, AskedErrors, Dependencies, EventId, Observed, Resources};
use abridge_encoding::EncodingSource;
use abridge_model_system::{FIRST_OPERATION, ModelSystem, is_initialised};
use abridge_system::{LabelId, System};
use abridge_value::BitSet;

/// A system with a dependency analysis. What it tells about a state must agree with the analysis of that state.
pub trait Analysed: System {
    /// The number of the analysis that a state belongs to; nothing where all steps have to be taken.
    fn analysis_of(&self, state: &[u32]) -> Option<u32>;

    /// Analyses the operations around a state, and what formulas about paths observe; nothing if they are beyond analysis.
    fn analyse(
        &self,
        state: &[u32],
        asked: (AskedErrors, &[Observed]),
        depth: AnalysisDepth,
        resources: &Resources,
    ) -> Option<Dependencies>;

    /// The event of a step; nothing if the analysis does not know it.
    fn event_of(&self, dependencies: &Dependencies, operation: u32, label: Option<LabelId>) -> Option<EventId>;

    /// The cells that are true where a word of a state has this value; nothing if the analysis excludes the value.
    fn true_cells(&self, dependencies: &Dependencies, word: usize, value: u32) -> Option<BitSet>;

    fn event_name(&self, dependencies: &Dependencies, event: EventId) -> String;
}

/// The machine as the encoding sees it, with variables and labels in the order of the system. Functions on states of a reduction lead to
/// states that no step reaches, so they are part of it.
pub fn source_of<S: ModelSystem>(system: &S) -> EncodingSource<'_> {
    EncodingSource {
        interp: system.judge(),
        variables: system.variables().to_vec(),
        operations: system.operation_ids().to_vec(),
        labels: (0..system.operation_ids().len()).map(|idx| system.instance_locals(idx).to_vec()).collect(),
        functions: system.transformations().to_vec(),
        propositions: Vec::new(),
    }
}

/// One analysis for each valuation of the constants.
impl<S: ModelSystem> Analysed for S {
    fn analysis_of(&self, state: &[u32]) -> Option<u32> {
        is_initialised(state).then_some(state[0] >> 1)
    }

    fn analyse(
        &self,
        state: &[u32],
        asked: (AskedErrors, &[Observed]),
        depth: AnalysisDepth,
        resources: &Resources,
    ) -> Option<Dependencies> {
        let mut source = source_of(self);
        let truths = asked.1.iter().filter_map(|one| if let Observed::Truth(pred) = one { Some(*pred) } else { None });
        source.propositions.extend(truths);
        Dependencies::new(&source, &self.decode(state).0, asked, depth, resources)
    }

    fn event_of(&self, dependencies: &Dependencies, operation: u32, label: Option<LabelId>) -> Option<EventId> {
        let position = (operation - FIRST_OPERATION) as usize;
        match label.and_then(|label| self.instance_vals(operation, label)) {
            Some(vals) => dependencies.instance_of(position, &vals),
            None => dependencies.is_whole(position),
        }
    }

    fn true_cells(&self, dependencies: &Dependencies, word: usize, value: u32) -> Option<BitSet> {
        // The first word is about the constants, which are part of the analysis.
        if word == 0 {
            return Some(BitSet::default());
        }
        let cells = dependencies.true_cells(word, self.value_of(word, value).as_deref())?;
        Some(cells.into_iter().map(|cell| cell.0 as usize).collect())
    }

    fn event_name(&self, dependencies: &Dependencies, event: EventId) -> String {
        dependencies.name(self.model(), self.operation_ids(), event)
    }
}
