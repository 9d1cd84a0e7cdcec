//! Success rate of a compiled form: it is asked as long as it answers often enough.
//!
//! A form that mostly ends in a stop costs time twice, since the plain interpreter answers afterwards. The rate steers only; results do not depend on it.

use std::sync::atomic::{AtomicU32, Ordering};

/// Stops after which a form has to have answered more often than it stopped.
const TRIAL_STOPS: u32 = 8;

/// Numbers of answers and stops. Shared by threads, which may lose a count now and then.
#[derive(Default)]
pub struct SuccessRate {
    answers: AtomicU32,
    stops: AtomicU32,
}

impl SuccessRate {
    /// True if the form is worth asking.
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
