//! A layer that withholds, stops and fails at random, and says so.
//!
//! Whatever explores or wraps it must end with a limit: never with `holds`, never with "nowhere", never with an empty list of limits.
//! [`Faulty::n_gaps`] counts what it withheld, so that a test knows whether a limit is due.

use std::sync::atomic::{AtomicU64, Ordering};

use abridge_system::{
    Alike, Completeness, FindingKind, Gap, Layer, Listing, Machine, MachineLayer, Origin, Pause, Properties, Steps,
    System, Worker, WorkerLayer,
};

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

/// States and labels are those inside, so a system of a model stays one, and reductions may be laid around it.
impl<M: Machine> MachineLayer for Faulty<'_, M> {
    fn layer_moves(&self, origin: Origin<'_>, operation: Option<u32>, found: &mut Listing<'_>) -> Completeness {
        if self.spoils(origin.state(), 2) {
            return Completeness::Missing(self.gap);
        }
        self.system.moves(origin, operation, found)
    }
}
