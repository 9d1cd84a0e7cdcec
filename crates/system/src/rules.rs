//! Stateless systems, whose steps and properties are functions of the state.
//!
//! Such a system implements [`Rules`], and [`RuleWorker`] is its worker. Its lists are always complete. A system that may miss a step must
//! implement [`Worker`] itself.

use crate::finding::FindingKind;
use crate::steps::{Completeness, Steps};
use crate::system::{Alike, Origin, Pause, Properties, Worker};

/// Steps and properties of states.
pub trait Rules {
    /// Appends all steps out of a state or the root. A long list calls `pause` at intervals.
    fn add_steps(&self, origin: Origin<'_>, out: &mut Steps, pause: &mut Pause<'_>);

    /// Calls `found` for each requested property that fails in the state, and for the goal if it holds.
    fn add_findings(&self, state: &[u32], asked: Properties, found: &mut dyn FnMut(FindingKind));
}

/// Worker of a stateless system.
pub struct RuleWorker<'a, R>(pub &'a R);

impl<R: Rules> Worker for RuleWorker<'_, R> {
    fn expand(
        &mut self,
        origin: Origin<'_>,
        _: Option<&dyn Alike>,
        out: &mut Steps,
        pause: &mut Pause<'_>,
    ) -> Completeness {
        self.0.add_steps(origin, out, pause);
        Completeness::Whole
    }

    fn inspect(
        &mut self,
        state: &[u32],
        _: Option<&[u32]>,
        asked: Properties,
        found: &mut dyn FnMut(FindingKind),
    ) -> Completeness {
        self.0.add_findings(state, asked, found);
        Completeness::Whole
    }
}
