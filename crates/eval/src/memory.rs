//! Account of the memory that evaluation may take.
//!
//! Operations with large results call [`Memory::take`] before they allocate. The account counts requests only, not releases, so it runs out sooner or
//! later. Then the memory of the process is measured, if there is a measure, and the account is refilled. Without the account, a single operation
//! could exhaust the memory of the computer between two checks of the stop flag.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Account shared by all workers; unlimited by default.
#[derive(Clone, Default)]
pub struct Memory(Option<Arc<Account>>);

struct Account {
    /// Largest total memory of the process.
    ceiling: u64,
    left: AtomicU64,
    /// Current memory of the process.
    measure: Option<fn() -> u64>,
}

/// Equal for all accounts: a configuration does not depend on the amount of memory.
impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Memory")
    }
}

impl Memory {
    /// Account of fixed size for all evaluations together, whatever they free.
    pub fn of_bytes(bytes: u64) -> Memory {
        Memory(Some(Arc::new(Account { ceiling: bytes, left: AtomicU64::new(bytes), measure: None })))
    }

    /// Account that keeps the process below a ceiling.
    pub fn below(ceiling: u64, measure: fn() -> u64) -> Memory {
        let left = AtomicU64::new(ceiling.saturating_sub(measure()));
        Memory(Some(Arc::new(Account { ceiling, left, measure: Some(measure) })))
    }

    /// Refills the account from a measurement of the process. Callers that measure anyway should report it, since small allocations are not charged.
    pub fn update(&self, resident_bytes: u64) {
        if let Some(account) = &self.0 {
            account.left.store(account.ceiling.saturating_sub(resident_bytes), Ordering::Relaxed);
        }
    }

    /// Takes bytes from the account; `false` if there are too few.
    #[must_use]
    pub fn take(&self, bytes: u64) -> bool {
        let Some(account) = &self.0 else { return true };
        let has_taken = || {
            let less = |left: u64| left.checked_sub(bytes);
            account.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok()
        };
        has_taken()
            || account.measure.is_some_and(|measure| {
                self.update(measure());
                has_taken()
            })
    }

    /// Bytes left in the account.
    pub fn left(&self) -> u64 {
        self.0.as_ref().map_or(u64::MAX, |account| account.left.load(Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_without_a_measure_runs_out() {
        let memory = Memory::of_bytes(100);
        assert!(memory.take(60) && memory.clone().take(40) && !memory.take(1));
        assert_eq!(memory.left(), 0);
        assert!(Memory::default().take(u64::MAX));
    }

    #[test]
    fn what_was_freed_can_be_taken_again() {
        let memory = Memory::below(100, || 30);
        assert_eq!(memory.left(), 70);
        assert!(memory.take(60) && memory.take(60) && memory.take(70));
        assert!(!memory.take(71));
        memory.update(90);
        assert_eq!(memory.left(), 10);
    }
}
