//! Large collections go away on a thread of their own.
//!
//! Dropping a collection of millions of values takes seconds, in which the thread that held it would neither look at its stop flag nor go on. A run that was
//! ended would be ended a second time, and lose its report.

use std::collections::HashSet;
use std::hash::BuildHasher;
use std::ops::{Deref, DerefMut};
use std::thread;

use crate::with_stack;

/// Collections with fewer elements are dropped in some milliseconds.
const MIN_ASIDE_ELEMENTS: usize = 1 << 16;

/// Drops a set, elsewhere if it is large.
pub fn drop_aside<T: Send + 'static, S: Send + 'static>(set: HashSet<T, S>) {
    if set.len() >= MIN_ASIDE_ELEMENTS {
        // Without a thread it is dropped here, together with the closure.
        let _ = thread::Builder::new().spawn(move || with_stack(|| drop(set)));
    }
}

/// Set that is dropped aside, whichever way its owner returns.
pub struct AsideSet<T: Send + 'static, S: BuildHasher + Default + Send + 'static>(HashSet<T, S>);

impl<T: Send, S: BuildHasher + Default + Send> Default for AsideSet<T, S> {
    fn default() -> Self {
        AsideSet(HashSet::default())
    }
}

impl<T: Send, S: BuildHasher + Default + Send> Deref for AsideSet<T, S> {
    type Target = HashSet<T, S>;

    fn deref(&self) -> &HashSet<T, S> {
        &self.0
    }
}

impl<T: Send, S: BuildHasher + Default + Send> DerefMut for AsideSet<T, S> {
    fn deref_mut(&mut self) -> &mut HashSet<T, S> {
        &mut self.0
    }
}

impl<T: Send + 'static, S: BuildHasher + Default + Send + 'static> Drop for AsideSet<T, S> {
    fn drop(&mut self) {
        drop_aside(std::mem::take(&mut self.0));
    }
}

#[cfg(test)]
mod tests {
    use std::hash::RandomState;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread::ThreadId;
    use std::time::Duration;

    use super::*;

    /// Counts the elements that are dropped by another thread.
    #[derive(Clone)]
    struct Counted {
        number: usize,
        home: ThreadId,
        n_here: Arc<AtomicUsize>,
        n_elsewhere: Arc<AtomicUsize>,
    }

    impl PartialEq for Counted {
        fn eq(&self, other: &Self) -> bool {
            self.number == other.number
        }
    }

    impl Eq for Counted {}

    impl std::hash::Hash for Counted {
        fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
            self.number.hash(state);
        }
    }

    impl Drop for Counted {
        fn drop(&mut self) {
            let is_here = thread::current().id() == self.home;
            let count = if is_here { &self.n_here } else { &self.n_elsewhere };
            count.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// Elements dropped here and elsewhere.
    fn dropped(n_elements: usize) -> (usize, usize) {
        let (n_here, n_elsewhere) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let element = |number| Counted {
            number,
            home: thread::current().id(),
            n_here: n_here.clone(),
            n_elsewhere: n_elsewhere.clone(),
        };
        let mut set: AsideSet<Counted, RandomState> = AsideSet::default();
        set.extend((0..n_elements).map(element));
        drop(set);
        let count = || (n_here.load(Ordering::SeqCst), n_elsewhere.load(Ordering::SeqCst));
        for _ in 0..10_000 {
            if count().0 + count().1 == n_elements {
                break;
            }
            thread::sleep(Duration::from_millis(1));
        }
        count()
    }

    #[test]
    fn large_sets_are_dropped_elsewhere() {
        assert_eq!(dropped(100), (100, 0));
        assert_eq!(dropped(MIN_ASIDE_ELEMENTS), (0, MIN_ASIDE_ELEMENTS));
    }
}
