//! Profiles: time and evaluations of a search by operation and conjunct. Each worker measures for itself and adds its figures when it ends.

use std::time::{Duration, Instant};

use abridge_model::{OpId, PredId};

/// Usage of one operation or one conjunct.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Usage {
    /// Number of memo hits.
    pub remembered: u64,
    /// Number of evaluations by the compiled form.
    pub computed: u64,
    /// Number of evaluations by the interpreter.
    pub plain: u64,
    pub time: Duration,
}

impl Usage {
    pub(crate) fn add(&mut self, other: Usage) {
        self.remembered += other.remembered;
        self.computed += other.computed;
        self.plain += other.plain;
        self.time += other.time;
    }
}

/// Subject of a measurement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measured {
    Operation(OpId),
    Invariant(PredId),
    Assertion(PredId),
    Goal(PredId),
    Proposition(PredId),
}

/// Usage of all operations and conjuncts; empty without [`SystemConfig::profile`](crate::SystemConfig::profile).
#[derive(Clone, Default, Debug)]
pub struct Profile {
    pub rows: Vec<(Measured, Usage)>,
}

impl Profile {
    pub(crate) fn add(&mut self, measured: Measured, cost: Usage) {
        match self.rows.iter_mut().find(|(other, _)| *other == measured) {
            Some((_, sum)) => sum.add(cost),
            None => self.rows.push((measured, cost)),
        }
    }
}

/// Stopwatch that runs only if profiling is on.
pub(crate) struct Clock(Option<Instant>);

impl Clock {
    pub(crate) fn start(is_wanted: bool) -> Self {
        Clock(is_wanted.then(Instant::now))
    }

    pub(crate) fn stop(self, cost: &mut Usage) {
        cost.time += self.0.map_or(Duration::ZERO, |start| start.elapsed());
    }
}
