//! Stop flag: how a long computation is asked to end.
//!
//! Whoever watches a run raises the flag; every loop that can be long polls it. A flag that nobody polls stops nothing, so a flag can be
//! made with a probe, which sees every poll: tests raise the flag at a given poll and measure the time between polls.
//!
//! The flag has two heights. Raised, it ends the search; what was found is still told, and telling evaluates. Raised to the top, it ends that as well.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// Flag shared by a run and those who may end it. Lowered by default; within a run, never lowered again once it is raised.
#[derive(Clone, Default)]
pub struct StopFlag {
    inner: Arc<Inner>,
    /// Only the top counts.
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
    /// A flag whose polls are told to a probe. A poll for which the probe answers true raises the flag.
    pub fn probed(probe: impl Fn() -> bool + Send + Sync + 'static) -> StopFlag {
        let inner = Arc::new(Inner { height: AtomicU8::new(0), probe: Some(Box::new(probe)) });
        StopFlag { inner, heeds_top: false }
    }

    pub fn raise(&self) {
        self.inner.height.fetch_max(RAISED, Ordering::Relaxed);
    }

    /// For the next command of a dialogue: the one that was ended has looked.
    pub fn lower(&self) {
        self.inner.height.store(0, Ordering::Relaxed);
    }

    /// Ends even the telling of what was found.
    pub fn raise_to_top(&self) {
        self.inner.height.fetch_max(TOP, Ordering::Relaxed);
    }

    /// The same flag for those who tell what was found: it counts as raised at the top only.
    #[must_use]
    pub fn at_top(&self) -> StopFlag {
        StopFlag { inner: self.inner.clone(), heeds_top: true }
    }

    /// A poll.
    pub fn is_raised(&self) -> bool {
        self.height() >= if self.heeds_top { TOP } else { RAISED }
    }

    /// A poll by those who tell what was found.
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
    fn telling_ends_at_the_top() {
        let flag = StopFlag::default();
        let telling = flag.at_top();
        flag.raise();
        assert!(flag.is_raised() && !flag.is_at_top() && !telling.is_raised());
        flag.raise_to_top();
        flag.raise();
        assert!(flag.is_raised() && flag.is_at_top() && telling.is_raised());
    }

    #[test]
    fn a_probe_raises_the_flag_at_a_poll() {
        let n_polls = AtomicU64::new(0);
        let flag = StopFlag::probed(move || n_polls.fetch_add(1, Ordering::Relaxed) == 2);
        assert_eq!([(); 5].map(|()| flag.is_raised()), [false, false, true, true, true]);
    }
}
