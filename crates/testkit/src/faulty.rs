//! A layer that withholds, stops and fails at random, and says so.
//!
//! Whatever explores or wraps it must end with a limit: never with `holds`, never with "nowhere", never with an empty list of limits.
//! [`Faulty::n_gaps`] counts what it withheld, so that a test knows whether a limit is due.

use std::sync::atomic::{AtomicU64, Ordering};

use abridge_deps::{Asked, Dependencies, Depth, EventId, Observed, Resources};
use abridge_reduce::Analysed;
use abridge_system::{
    Alike, Completeness, Explanation, FindingKind, Gap, LabelId, Layer, Listing, Machine, Move, Named, Origin, Pause,
    Properties, Remarks, Steps, System, Worker, WorkerLayer,
};
use abridge_value::BitSet;

/// A system of which some steps and truth values are missing.
pub struct Faulty<'s, S> {
    system: &'s S,
    seed: u64,
    /// One answer in so many is spoilt.
    one_in: u64,
    gap: Gap,
    n_gaps: AtomicU64,
}

impl<'s, S: System> Faulty<'s, S> {
    pub fn new(system: &'s S, seed: u64, one_in: u64, gap: Gap) -> Self {
        Faulty { system, seed, one_in, gap, n_gaps: AtomicU64::new(0) }
    }

    /// Answers that were spoilt so far.
    pub fn n_gaps(&self) -> u64 {
        self.n_gaps.load(Ordering::Relaxed)
    }

    /// Whether an answer about a state is spoilt. It depends on the state and not on the order of questions.
    fn spoils(&self, state: Option<&[u32]>, question: u64) -> bool {
        let words = state.into_iter().flatten().map(|word| u64::from(*word));
        let mixed = words.chain([question]).fold(self.seed ^ 0x9e37_79b9_7f4a_7c15, |hash, word| {
            (hash ^ word).wrapping_mul(0xff51_afd7_ed55_8ccd).rotate_left(29)
        });
        let is_spoilt = (mixed >> 7).is_multiple_of(self.one_in);
        self.n_gaps.fetch_add(u64::from(is_spoilt), Ordering::Relaxed);
        is_spoilt
    }
}

impl<S: System> Layer for Faulty<'_, S> {
    type Inner = S;
    type Worker<'a>
        = FaultyWorker<'a, S>
    where
        Self: 'a;

    fn inner(&self) -> &S {
        self.system
    }

    fn layer_worker(&self) -> FaultyWorker<'_, S> {
        FaultyWorker { worker: self.system.worker(), faulty: self }
    }
}

/// Worker of a system of which something is missing.
pub struct FaultyWorker<'a, S: System + 'a> {
    worker: S::Worker<'a>,
    faulty: &'a Faulty<'a, S>,
}

impl<'a, S: System> WorkerLayer for FaultyWorker<'a, S> {
    type Inner = S::Worker<'a>;

    fn inner(&self) -> &S::Worker<'a> {
        &self.worker
    }

    fn inner_mut(&mut self) -> &mut S::Worker<'a> {
        &mut self.worker
    }

    fn layer_expand(
        &mut self,
        origin: Origin<'_>,
        alike: Option<&dyn Alike>,
        out: &mut Steps,
        pause: &mut Pause<'_>,
    ) -> Completeness {
        let start = out.len();
        let completeness = self.worker.expand(origin, alike, out, pause);
        if !self.faulty.spoils(origin.state(), 0) {
            return completeness;
        }
        out.truncate(start + out.len().saturating_sub(start) / 2);
        completeness.and(Completeness::Missing(self.faulty.gap))
    }

    fn layer_inspect(
        &mut self,
        state: &[u32],
        before: Option<&[u32]>,
        asked: Properties,
        found: &mut dyn FnMut(FindingKind),
    ) -> Completeness {
        if self.faulty.spoils(Some(state), 1) {
            return Completeness::Missing(self.faulty.gap);
        }
        self.worker.inspect(state, before, asked, found)
    }
}

/// A selection may be laid around it: dependencies are those of the whole system.
impl<S: Analysed> Analysed for Faulty<'_, S> {
    fn analysis_of(&self, state: &[u32]) -> Option<u32> {
        self.system.analysis_of(state)
    }

    fn analyse(
        &self,
        state: &[u32],
        asked: (Asked, &[Observed]),
        depth: Depth,
        resources: &Resources,
    ) -> Option<Dependencies> {
        self.system.analyse(state, asked, depth, resources)
    }

    fn event_of(&self, dependencies: &Dependencies, operation: u32, label: Option<LabelId>) -> Option<EventId> {
        self.system.event_of(dependencies, operation, label)
    }

    fn true_cells(&self, dependencies: &Dependencies, word: usize, value: u32) -> Option<BitSet> {
        self.system.true_cells(dependencies, word, value)
    }

    fn event_name(&self, dependencies: &Dependencies, event: EventId) -> String {
        self.system.event_name(dependencies, event)
    }
}

impl<M: Machine> Machine for Faulty<'_, M> {
    fn operation_name(&self, operation: u32) -> String {
        self.system.operation_name(operation)
    }

    fn operations(&self) -> Vec<u32> {
        self.system.operations()
    }

    fn is_running(&self, origin: Origin<'_>) -> bool {
        self.system.is_running(origin)
    }

    fn start_name(&self, state: &[u32]) -> String {
        self.system.start_name(state)
    }

    fn values(&self, state: &[u32]) -> Vec<Named> {
        self.system.values(state)
    }

    fn moves(&self, origin: Origin<'_>, operation: Option<u32>, found: &mut Listing<'_>) -> Completeness {
        if self.spoils(origin.state(), 2) {
            return Completeness::Missing(self.gap);
        }
        self.system.moves(origin, operation, found)
    }

    fn move_to(&self, origin: Origin<'_>, target: &[u32]) -> Option<Move> {
        self.system.move_to(origin, target)
    }

    fn explain(&self, kind: FindingKind, state: &[u32]) -> Option<Explanation> {
        self.system.explain(kind, state)
    }

    fn remarks(&self) -> Remarks {
        self.system.remarks()
    }
}
