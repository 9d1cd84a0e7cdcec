//! Success rate of a compiled form, which is used as long as it answers often enough.
//!
//! A form that mostly stops costs time twice, since the plain interpreter answers afterwards. The rate affects speed only, never results.

use std::sync::atomic::{AtomicU32, Ordering};

/// Number of stops from which on a form must have more answers than stops.
const TRIAL_STOPS: u32 = 8;

/// Numbers of answers and stops, shared by threads. Some counts may be lost.
#[derive(Default)]
pub struct SuccessRate {
    answers: AtomicU32,
    stops: AtomicU32,
}

impl SuccessRate {
    /// Whether the form is worth running.
    pub fn is_worthwhile(&self) -> bool {
        let stops = self.stops.load(Ordering::Relaxed);
        stops < TRIAL_STOPS || stops < self.answers.load(Ordering::Relaxed)
    }

    pub fn count(&self, is_answer: bool) {
        let counter = if is_answer { &self.answers } else { &self.stops };
        counter.store(counter.load(Ordering::Relaxed).saturating_add(1), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_that_mostly_stops_is_given_up_and_may_come_back() {
        let rate = SuccessRate::default();
        (0..TRIAL_STOPS).for_each(|_| rate.count(false));
        assert!(!rate.is_worthwhile());
        (0..=TRIAL_STOPS).for_each(|_| rate.count(true));
        assert!(rate.is_worthwhile());
    }
}
