//! Where the time of a search goes, by operation and by conjunct. Each worker measures for itself and adds what it has when it ends.

use std::time::{Duration, Instant};

use abridge_model::{OpId, PredId};

use super::conjunct::Role;

/// What one operation or one conjunct took.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Cost {
    /// How often something was to be computed and was remembered.
    pub remembered: u64,
    /// How often the compiled form computed something.
    pub computed: u64,
    /// How often the plain interpreter had to.
    pub plain: u64,
    pub time: Duration,
}

impl Cost {
    pub(super) fn add(&mut self, other: Cost) {
        self.remembered += other.remembered;
        self.computed += other.computed;
        self.plain += other.plain;
        self.time += other.time;
    }
}

/// What was measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measured {
    Operation(OpId),
    Invariant(PredId),
    Assertion(PredId),
    Goal(PredId),
    Proposition(PredId),
}

impl Measured {
    pub(super) fn conjunct(role: Role, pred: PredId) -> Self {
        match role {
            Role::Invariant => Measured::Invariant(pred),
            Role::Assertion => Measured::Assertion(pred),
            Role::Goal => Measured::Goal(pred),
            Role::Proposition => Measured::Proposition(pred),
        }
    }
}

/// The costs of everything that was measured; empty if nothing was asked for.
#[derive(Clone, Default, Debug)]
pub struct Profile {
    pub rows: Vec<(Measured, Cost)>,
}

impl Profile {
    pub(super) fn add(&mut self, measured: Measured, cost: Cost) {
        match self.rows.iter_mut().find(|(other, _)| *other == measured) {
            Some((_, sum)) => sum.add(cost),
            None => self.rows.push((measured, cost)),
        }
    }
}

/// Measures a span of time, if asked to.
pub(super) struct Clock(Option<Instant>);

impl Clock {
    pub(super) fn start(is_wanted: bool) -> Self {
        Clock(is_wanted.then(Instant::now))
    }

    pub(super) fn stop(self, cost: &mut Cost) {
        cost.time += self.0.map_or(Duration::ZERO, |start| start.elapsed());
    }
}
