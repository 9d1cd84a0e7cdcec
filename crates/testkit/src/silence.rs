//! Silence: the time that a run takes between two polls of its stop flag.
//!
//! A run that does not poll ignores time limits, memory limits and Ctrl-C. A [`Listener`] sees every poll through the probe of the flag, measures
//! the processor time of the thread since the poll before, and raises the flag at a chosen poll. [`listen`] runs a machine from the
//! disk that way. Processor time and not the clock, since a busy computer is silent as well.

use std::backtrace::Backtrace;
use std::cell::RefCell;
use std::num::NonZero;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use abridge_check::{Config, Control, Memory, Method, PorMode, Prepared, Progress, Report, Strategy, check};
use abridge_diag::StopFlag;
use abridge_model::Model;
use abridge_sema::Options;
use abridge_system::Limit;
use rustix::time::{ClockId, clock_gettime};

use crate::{FolderFiles, with_formulas};

/// Between two readings of the processor clock; the error of a silence.
const READING: Duration = Duration::from_millis(5);
/// A silence that is shorter is not looked at.
const MIN_SILENCE: Duration = Duration::from_millis(20);
/// A silence that is longer has its place looked up, which takes memory and time.
const MIN_TRACED: Duration = Duration::from_millis(250);
/// Frames of a place.
const N_FRAMES: usize = 4;

/// Time without a poll.
#[derive(Clone, Default, Debug)]
pub struct Silence {
    pub time: Duration,
    /// Growth of the process in that time.
    pub bytes: u64,
    /// Functions that polled at its end, innermost first; empty for a silence that is short.
    pub place: String,
}

/// Sees the polls of a run.
#[derive(Clone)]
pub struct Listener(Arc<Shared>);

struct Shared {
    /// Number of the poll at which the flag is raised.
    raised_at: u64,
    deadline: Option<Instant>,
    n_polls: AtomicU64,
    longest: Mutex<Silence>,
    largest: AtomicU64,
}

/// Last poll of a thread.
struct Last {
    shared: Arc<Shared>,
    polled: Instant,
    read: Instant,
    processor: Duration,
    bytes: u64,
}

thread_local! {
    static LAST: RefCell<Option<Last>> = const { RefCell::new(None) };
}

impl Listener {
    /// Listens to the calling thread from now on, and to others from their first poll. The flag is raised at a poll and at a time.
    pub fn new(raised_at: Option<u64>, deadline: Option<Instant>) -> Listener {
        let shared = Arc::new(Shared {
            raised_at: raised_at.unwrap_or(u64::MAX),
            deadline,
            n_polls: AtomicU64::new(0),
            longest: Mutex::default(),
            largest: AtomicU64::new(0),
        });
        LAST.set(Some(Last::now(&shared, processor_time())));
        Listener(shared)
    }

    /// The flag that is listened to.
    pub fn flag(&self) -> StopFlag {
        let listener = self.clone();
        StopFlag::probed(move || listener.poll())
    }

    /// A poll; whether the run is to end.
    fn poll(&self) -> bool {
        let number = self.0.n_polls.fetch_add(1, Ordering::Relaxed) + 1;
        let now = Instant::now();
        LAST.with_borrow_mut(|last| match last {
            Some(last) if Arc::ptr_eq(&last.shared, &self.0) => last.hear(now),
            // The clock of the thread began with the thread.
            _ => {
                let mut first = Last::now(&self.0, Duration::ZERO);
                first.measure();
                *last = Some(first);
            }
        });
        number >= self.0.raised_at || self.0.deadline.is_some_and(|deadline| now >= deadline)
    }

    /// Ends the listening: the time since the last poll of this thread was silent, too.
    pub fn end(self) -> Heard {
        LAST.take();
        let longest = self.0.longest.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Heard {
            n_polls: self.0.n_polls.load(Ordering::Relaxed),
            longest,
            largest: self.0.largest.load(Ordering::Relaxed),
        }
    }
}

/// The run is ended as the command line ends it: the search is told, and the flag ends evaluations.
impl Control for Listener {
    fn poll(&mut self, _: &Progress) -> Option<Limit> {
        Listener::poll(self).then_some(Limit::Interrupted)
    }
}

impl Last {
    fn now(shared: &Arc<Shared>, processor: Duration) -> Last {
        let now = Instant::now();
        Last { shared: shared.clone(), polled: now, read: now, processor, bytes: resident_bytes() }
    }

    fn hear(&mut self, now: Instant) {
        let silence = now - self.polled;
        if silence >= MIN_SILENCE {
            self.measure();
        } else if now - self.read >= READING {
            self.read = now;
            self.processor = processor_time();
            self.bytes = resident_bytes();
        }
        self.polled = Instant::now();
    }

    /// Takes note of the silence that ends now.
    fn measure(&mut self) {
        let bytes = resident_bytes().saturating_sub(self.bytes);
        let time = processor_time().saturating_sub(self.processor);
        self.shared.largest.fetch_max(bytes, Ordering::Relaxed);
        let mut longest = self.shared.longest.lock().unwrap_or_else(PoisonError::into_inner);
        if time > longest.time {
            let place = if time >= MIN_TRACED { place() } else { String::new() };
            *longest = Silence { time, bytes, place };
        }
        self.read = Instant::now();
        self.processor = processor_time();
        self.bytes = resident_bytes();
    }
}

/// The last silence of a thread lasts until its end.
impl Drop for Last {
    fn drop(&mut self) {
        if self.polled.elapsed() >= MIN_SILENCE {
            self.measure();
        }
    }
}

/// What a listener heard.
#[derive(Clone, Debug)]
pub struct Heard {
    pub n_polls: u64,
    pub longest: Silence,
    /// Largest growth of the process in a silence.
    pub largest: u64,
}

/// How a machine is run.
#[derive(Clone, Copy, Debug)]
pub struct RunOptions {
    pub time: Duration,
    pub bytes: u64,
    pub symmetry: Method,
    pub por: PorMode,
    pub strategy: Strategy,
    pub workers: NonZero<usize>,
}

impl Default for RunOptions {
    fn default() -> RunOptions {
        RunOptions {
            time: Duration::from_secs(60),
            bytes: 1 << 30,
            symmetry: Method::Off,
            por: PorMode::Off,
            strategy: Strategy::BreadthFirst,
            workers: NonZero::<usize>::MIN,
        }
    }
}

/// A run that was listened to.
pub struct Listened {
    pub heard: Heard,
    /// Processor time from the end of loading to the end of the run.
    pub time: Duration,
    pub report: Report,
}

/// A machine from the disk with its temporal formulas, and the processor time that loading it took.
pub struct LoadedMachine {
    pub model: Model,
    pub formulas: Arc<Prepared>,
    pub time: Duration,
}

/// Loads a machine; nothing if it has mistakes.
pub fn load(path: &Path) -> Option<LoadedMachine> {
    let start = processor_time();
    let (model, formulas) = with_formulas(&FolderFiles, path, &Options::default(), &[], &Config::default())?;
    Some(LoadedMachine { model, formulas: Arc::new(formulas), time: processor_time().saturating_sub(start) })
}

/// Runs a machine as the command line does, until its end, a poll or the time that is asked for.
pub fn listen(loaded: &LoadedMachine, asked: &RunOptions, raised_at: Option<u64>) -> Listened {
    let start = processor_time();
    let mut listener = Listener::new(raised_at, Instant::now().checked_add(asked.time));
    let mut config = Config {
        stop: listener.flag(),
        symmetry: asked.symmetry,
        por: asked.por,
        strategy: asked.strategy,
        workers: asked.workers,
        formulas: loaded.formulas.clone(),
        leaves_memory: true,
        ..Config::default()
    };
    config.eval.memory = Memory::below(asked.bytes, resident_bytes);
    config.system.memo_bytes = Some(asked.bytes / 4);
    let report = check(&loaded.model, &config, &mut listener);
    drop(config);
    Listened { heard: listener.end(), time: processor_time().saturating_sub(start), report }
}

/// Processor time of this thread.
fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// Memory of the process.
pub fn resident_bytes() -> u64 {
    const PAGE: u64 = 4096;
    let sizes = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    sizes.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok()).unwrap_or(0) * PAGE
}

/// The innermost functions of Abridge below the poll.
fn place() -> String {
    let text = Backtrace::force_capture().to_string();
    let frames = text.lines().filter_map(|line| line.split_once(": ").map(|(_, name)| name));
    let ours = frames.filter(|name| name.contains("abridge_"));
    let below = ours.filter(|name| !name.contains("abridge_testkit::silence") && !name.contains("abridge_diag::stop"));
    let names: Vec<&str> = below.map(|name| name.split("::h").next().unwrap_or(name)).take(N_FRAMES).collect();
    names.join(" < ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Works without a poll.
    fn work(time: Duration) {
        let start = processor_time();
        while processor_time() - start < time {}
    }

    #[test]
    fn the_longest_silence_is_heard() {
        let listener = Listener::new(Some(3), None);
        let flag = listener.flag();
        assert!(!flag.is_raised());
        work(Duration::from_millis(120));
        assert!(!flag.is_raised());
        work(Duration::from_millis(40));
        assert!(flag.is_raised());
        let heard = listener.end();
        assert_eq!(heard.n_polls, 3);
        assert!(heard.longest.time >= Duration::from_millis(120), "{heard:?}");
    }

    #[test]
    fn silence_at_the_end_and_on_other_threads_is_heard() {
        let listener = Listener::new(None, None);
        let flag = listener.flag();
        assert!(!flag.is_raised());
        work(Duration::from_millis(60));
        assert!(listener.end().longest.time >= Duration::from_millis(60));
        let listener = Listener::new(None, None);
        let flag = listener.flag();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                work(Duration::from_millis(60));
                assert!(!flag.is_raised());
            });
        });
        assert!(listener.end().longest.time >= Duration::from_millis(60));
    }
}
