//! Worker pool: a leader and helper threads that run one task at a time together.
//!
//! Each order has a number, and a helper follows each order once. [`Pool::lead`] returns when all helpers have finished. A helper that panics
//! still reports, since the leader would wait for it for ever; a leader that panics dismisses the helpers, since nobody else would
//! ([`Pool::dismissal`]).

use std::hint::spin_loop;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Looks at what a thread waits for before it sleeps. Phases of a block follow each other within microseconds, and waking a thread takes longer than that.
const N_SPINS: usize = 1 << 12;

/// Current order of the leader, and the two events around it.
pub(crate) struct Pool<T> {
    order: Mutex<Order<T>>,
    /// A new order was given, or the pool was dismissed.
    begin: Condvar,
    /// A helper has finished.
    end: Condvar,
    /// Copies of the number of the order and of the number of busy helpers, to look at without a lock.
    number: AtomicU64,
    n_busy: AtomicUsize,
}

struct Order<T> {
    task: Option<T>,
    /// Number of the order. A helper follows each number once.
    number: u64,
    n_helpers: usize,
    n_busy: usize,
    is_over: bool,
}

impl<T: Copy> Pool<T> {
    pub(crate) fn new() -> Self {
        let order = Order { task: None, number: 0, n_helpers: 0, n_busy: 0, is_over: false };
        Pool {
            order: Mutex::new(order),
            begin: Condvar::new(),
            end: Condvar::new(),
            number: AtomicU64::new(0),
            n_busy: AtomicUsize::new(0),
        }
    }

    fn order(&self) -> MutexGuard<'_, Order<T>> {
        self.order.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers a helper. Returns the number of the last order before it, with which the helper calls [`Pool::help`].
    pub(crate) fn enlist(&self) -> u64 {
        let mut order = self.order();
        order.n_helpers += 1;
        order.number
    }

    pub(crate) fn has_helpers(&self) -> bool {
        self.order().n_helpers > 0
    }

    /// Runs a task on all threads, `own` being the share of the leader; returns when all have finished.
    pub(crate) fn lead(&self, task: T, own: impl FnOnce()) {
        let mut order = self.order();
        order.task = Some(task);
        order.number += 1;
        order.n_busy = order.n_helpers;
        self.n_busy.store(order.n_busy, Ordering::Release);
        self.number.store(order.number, Ordering::Release);
        drop(order);
        self.begin.notify_all();
        own();
        spin_until(|| self.n_busy.load(Ordering::Acquire) == 0);
        let order = self.order();
        drop(self.end.wait_while(order, |order| order.n_busy > 0).unwrap_or_else(PoisonError::into_inner));
    }

    /// Guard that ends the helper threads when it is dropped, also by a panic of the leader.
    pub(crate) fn dismissal(&self) -> Dismissal<'_, T> {
        Dismissal(self)
    }

    /// Runs the tasks of all orders after number `done`, until the pool is dismissed.
    pub(crate) fn help(&self, mut done: u64, mut work: impl FnMut(T)) {
        loop {
            spin_until(|| self.number.load(Ordering::Acquire) != done);
            let order = self.order();
            let waits = |order: &mut Order<T>| order.number == done && !order.is_over;
            let order = self.begin.wait_while(order, waits).unwrap_or_else(PoisonError::into_inner);
            let (Some(task), false) = (order.task, order.is_over) else { return };
            done = order.number;
            drop(order);
            let finish = Finish(self);
            work(task);
            drop(finish);
        }
    }
}

/// Waits a short while for something to become true.
fn spin_until(is_true: impl Fn() -> bool) {
    for _ in 0..N_SPINS {
        if is_true() {
            return;
        }
        spin_loop();
    }
}

/// Guard that ends the helper threads.
pub(crate) struct Dismissal<'c, T: Copy>(&'c Pool<T>);

impl<T: Copy> Drop for Dismissal<'_, T> {
    fn drop(&mut self) {
        self.0.order().is_over = true;
        self.0.begin.notify_all();
    }
}

/// Guard that reports the end of a helper's task, also after a panic, so that the leader does not wait for ever.
struct Finish<'c, T: Copy>(&'c Pool<T>);

impl<T: Copy> Drop for Finish<'_, T> {
    fn drop(&mut self) {
        let mut order = self.0.order();
        order.n_busy -= 1;
        self.0.n_busy.store(order.n_busy, Ordering::Release);
        if std::thread::panicking() {
            order.n_helpers -= 1;
        }
        drop(order);
        self.0.end.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    #[test]
    fn everybody_does_every_task_once() {
        let (pool, sum) = (&Pool::new(), &AtomicU64::new(0));
        let work = |task: u64| {
            sum.fetch_add(task, Ordering::Relaxed);
        };
        std::thread::scope(|scope| {
            let _dismissal = pool.dismissal();
            // Helpers do not follow orders from before they were enlisted.
            pool.lead(1000, || ());
            for _ in 0..3 {
                let last = pool.enlist();
                scope.spawn(move || pool.help(last, work));
            }
            std::thread::sleep(std::time::Duration::from_millis(2));
            for task in 1..=100 {
                pool.lead(task, || work(task));
                assert_eq!(sum.load(Ordering::Relaxed), 4 * task * (task + 1) / 2);
            }
        });
    }

    #[test]
    fn helpers_end_when_the_leader_panics() {
        let led = std::panic::catch_unwind(|| {
            let pool = &Pool::new();
            std::thread::scope(|scope| {
                let _dismissal = pool.dismissal();
                for _ in 0..3 {
                    let last = pool.enlist();
                    scope.spawn(move || pool.help(last, |()| ()));
                }
                pool.lead((), || ());
                pool.lead((), || panic!("the share of the leader"));
            });
        });
        assert!(led.is_err());
    }
}
