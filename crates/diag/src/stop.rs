//! Stop flag: request to end a long computation.
//!
//! The controller of a run raises the flag, and every potentially long loop polls it. A loop that does not poll cannot be stopped. So a flag can have
//! a probe that is called at every poll: tests use it to raise the flag at a given poll and to measure the time between polls.
//!
//! The flag has two levels. `raise` ends the search; findings are still reported, which needs further evaluation (replay of traces). `raise_to_top`
//! ends reporting as well.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// Flag shared by a run and its controllers. It is lowered by default. Once raised, it stays raised to the end of the run.
#[derive(Clone, Default)]
pub struct StopFlag {
    inner: Arc<Inner>,
    /// True if only the top level counts as raised.
    heeds_top: bool,
}

const RAISED: u8 = 1;
const TOP: u8 = 2;

#[derive(Default)]
struct Inner {
    height: AtomicU8,
    probe: Option<Box<dyn Fn() -> bool + Send + Sync>>,
}

impl StopFlag {
    /// Flag with a probe that is called at every poll. If the probe returns true, the flag is raised.
    pub fn probed(probe: impl Fn() -> bool + Send + Sync + 'static) -> StopFlag {
        let inner = Arc::new(Inner { height: AtomicU8::new(0), probe: Some(Box::new(probe)) });
        StopFlag { inner, heeds_top: false }
    }

    pub fn raise(&self) {
        self.inner.height.fetch_max(RAISED, Ordering::Relaxed);
    }

    /// Lowers the flag for the next command of a dialogue. Evaluations of the last command must be over.
    pub fn lower(&self) {
        self.inner.height.store(0, Ordering::Relaxed);
    }

    /// Ends the search and the reporting of findings.
    pub fn raise_to_top(&self) {
        self.inner.height.fetch_max(TOP, Ordering::Relaxed);
    }

    /// The same flag for the reporting of findings: it counts as raised only at the top level.
    #[must_use]
    pub fn at_top(&self) -> StopFlag {
        StopFlag { inner: self.inner.clone(), heeds_top: true }
    }

    /// Polls the flag.
    pub fn is_raised(&self) -> bool {
        self.height() >= if self.heeds_top { TOP } else { RAISED }
    }

    /// Polls the flag during the reporting of findings.
    pub fn is_at_top(&self) -> bool {
        self.height() >= TOP
    }

    fn height(&self) -> u8 {
        if self.inner.probe.as_ref().is_some_and(|probe| probe()) {
            self.raise();
        }
        self.inner.height.load(Ordering::Relaxed)
    }
}

impl fmt::Debug for StopFlag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("StopFlag").field(&self.inner.height).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;

    use super::*;

    #[test]
    fn a_raised_flag_stays_raised_until_it_is_lowered() {
        let flag = StopFlag::default();
        let other = flag.clone();
        assert!(!other.is_raised());
        flag.raise();
        assert!(other.is_raised() && flag.is_raised());
        flag.lower();
        assert!(!other.is_raised() && !flag.is_raised());
    }

    #[test]
    fn reporting_ends_at_the_top() {
        let flag = StopFlag::default();
        let reporting = flag.at_top();
        flag.raise();
        assert!(flag.is_raised() && !flag.is_at_top() && !reporting.is_raised());
        flag.raise_to_top();
        flag.raise();
        assert!(flag.is_raised() && flag.is_at_top() && reporting.is_raised());
    }

    #[test]
    fn a_probe_raises_the_flag_at_a_poll() {
        let n_polls = AtomicU64::new(0);
        let flag = StopFlag::probed(move || n_polls.fetch_add(1, Ordering::Relaxed) == 2);
        assert_eq!([(); 5].map(|()| flag.is_raised()), [false, false, true, true, true]);
    }
}
