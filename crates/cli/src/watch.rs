//! Control of a running search: progress line, limits on time and memory, Ctrl-C and other signals.
//!
//! [`Watch`] answers the polls of the search. Between polls, the flag of a [`Guard`] aborts single evaluations. Without
//! both, a long evaluation would ignore every limit.

use std::io::Write as _;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use abridge_check::{Control, Memory, Progress};
use abridge_diag::StopFlag;
use abridge_system::Limit;

use crate::out::write_raw_error;
use crate::terminal::{can_overwrite, fitted, width};

/// Limits and progress display of a search.
pub(crate) struct Watch {
    start: Instant,
    last: Option<Instant>,
    time: Option<Duration>,
    memory: Option<Budget>,
    /// How often the search is to be saved, and when it was last.
    /// The time between two checkpoints, and when the last one was due.
    checkpoint: Option<(Duration, Option<Instant>)>,
    /// How long to go on counting once a violation has been found.
    settle: Option<Duration>,
    is_shown: bool,
    interrupt: Interrupt,
    /// When memory was last looked at, which takes a while.
    weighed: Option<Instant>,
    told: SearchSignals,
}

/// What the search says and hears at its polls, for whoever has to end the run without it.
#[derive(Clone, Default)]
pub(crate) struct SearchSignals {
    n_states: Arc<AtomicU64>,
    /// The search was asked to end.
    is_asked: Arc<AtomicBool>,
}

impl SearchSignals {
    /// The number of states that were visited at the last poll.
    pub(crate) fn n_states(&self) -> u64 {
        self.n_states.load(Ordering::Relaxed)
    }
}

/// The memory that may be used.
struct Budget {
    bytes: u64,
    /// What the process had beside what the search knows of, when memory was last short.
    beside: u64,
    is_spilled: bool,
}

impl Budget {
    /// Whether there is too little memory left. Memory that was freed when states went to files may still count as the process's, and
    /// is used again; so from then on the search's own account is what matters, up to the budget itself.
    fn is_short(&mut self, resident: u64, progress: &Progress) -> bool {
        let kept = progress.bytes;
        self.is_spilled |= progress.is_spilled;
        let enough = if progress.can_spill { self.bytes / 8 * 7 } else { self.bytes };
        if !self.is_spilled {
            self.beside = resident.saturating_sub(kept);
            return resident >= enough;
        }
        self.beside + kept >= enough || resident >= self.bytes
    }
}

/// Whether the user wants an end. Ctrl-C asks for it, and so do the end of the session and of the system; asked a second time, the process
/// ends at once.
#[derive(Clone)]
pub(crate) struct Interrupt {
    asked: Arc<AtomicBool>,
    /// The next signal ends the process.
    ends: Arc<AtomicBool>,
}

impl Interrupt {
    pub(crate) fn new() -> Self {
        let asked = Arc::new(AtomicBool::new(false));
        #[cfg(unix)]
        {
            use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
            // `nohup` has a hang-up ignored.
            let heeded =
                [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| *signal != SIGHUP || !is_ignored(SIGHUP));
            for signal in heeded {
                // The order matters: the first signal must not meet its own request.
                let _ = signal_hook::flag::register_conditional_shutdown(signal, 128 + signal, asked.clone());
                let _ = signal_hook::flag::register(signal, asked.clone());
            }
        }
        Interrupt { ends: asked.clone(), asked }
    }

    /// For a dialogue, of which Ctrl-C ends a command or, with `ends`, everything.
    pub(crate) fn of_session(ends: bool) -> Self {
        let (asked, ends) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(ends)));
        #[cfg(unix)]
        {
            use signal_hook::consts::SIGINT;
            let _ = signal_hook::flag::register_conditional_shutdown(SIGINT, 128 + SIGINT, ends.clone());
            let _ = signal_hook::flag::register(SIGINT, asked.clone());
        }
        Interrupt { asked, ends }
    }

    pub(crate) fn set_asked(&self, asked: bool) {
        self.asked.store(asked, Ordering::Relaxed);
    }

    pub(crate) fn set_ends(&self, ends: bool) {
        self.ends.store(ends, Ordering::Relaxed);
    }

    pub(crate) fn is_asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }

    /// Looks after the limits of evaluation even while nobody polls.
    pub(crate) fn guard(&self, guard: Guard) -> RunEnd {
        let stop = RunEnd::default();
        let (asked, told) = (self.clone(), stop.clone());
        std::thread::spawn(move || guard.keep(&asked, &told));
        stop
    }
}

/// Ends evaluations: a flag that they look at, and why it is set.
#[derive(Clone, Default)]
pub(crate) struct RunEnd {
    pub(crate) flag: StopFlag,
    pub(crate) reason: Arc<OnceLock<Limit>>,
    /// Set when the evaluations are over and the answer is on its way.
    pub(crate) is_over: Arc<AtomicBool>,
    /// Set by whoever gives the answer: the run, or the guard at last.
    is_answered: Arc<AtomicBool>,
}

impl RunEnd {
    /// Claims the right to give the answer. The process is about to end if that is the guard's.
    pub(crate) fn answer(&self) {
        if self.is_answered.swap(true, Ordering::Relaxed) {
            loop {
                std::thread::park();
            }
        }
    }
}

/// What a run is busy with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    Loading,
    Searching,
    Telling,
}

impl Stage {
    /// When a run was ended that did not look up, as part of a sentence.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Stage::Loading => "while the machine was loaded",
            Stage::Searching => "during an evaluation that could not be interrupted",
            Stage::Telling => "while the report was made",
        }
    }
}

/// Gives an answer in place of the run; told why, and whether the run had one on its way.
type AtLast = Box<dyn FnOnce(Limit, bool) + Send>;

/// When evaluations are to be ended.
pub(crate) struct Guard {
    start: Instant,
    limit: Option<Duration>,
    /// Account of the bytes that evaluations may take.
    memory: Memory,
    ceiling: Ceiling,
    /// A search is given so long to end in an orderly way, unless it is memory that it lacks.
    patience: Duration,
    /// Evaluations are not aborted, since a run that is saved must not miss their steps; what its polls hear.
    saved: Option<SearchSignals>,
    /// What to do when the flag has not ended the evaluation.
    at_last: Option<AtLast>,
}

/// The longest and the shortest time between two looks at the clock and at the memory.
const MAX_POLL_INTERVAL: Duration = Duration::from_millis(20);
const MIN_POLL_INTERVAL: Duration = Duration::from_millis(2);
/// Bytes that all threads together take in a microsecond at most.
const BYTES_PER_MICROSECOND: u64 = 4 << 10;
/// The time that an evaluation has to see the flag, by the clock and by the processor. A computer that is busy with other things gives it longer, up to a
/// time that nobody waits for.
const GRACE: Duration = Duration::from_millis(500);
const GRACE_OF_PROCESSOR: Duration = Duration::from_millis(250);
const MAX_GRACE: Duration = Duration::from_secs(10);
/// The time that a run with checkpoints has to look up, since what it did after the last one is lost otherwise, and then to save itself.
const GRACE_TO_LOOK_UP: Duration = Duration::from_secs(10);
const GRACE_TO_SAVE: Duration = Duration::from_secs(120);

/// Memory of the process at which evaluations are ended.
#[derive(Clone, Copy)]
pub(crate) struct Ceiling {
    /// Evaluations are aborted here. It lies above the budget, since states on their way to files take a little more for a while.
    pub(crate) soft: u64,
    /// The process ends here, if an evaluation has not looked up.
    pub(crate) hard: u64,
}

impl Ceiling {
    pub(crate) fn above(budget: u64) -> Ceiling {
        let beyond = |share: u64, least: u64| budget.saturating_add((budget / share).max(least));
        Ceiling { soft: beyond(20, 48 << 20), hard: beyond(12, 64 << 20) }
    }
}

impl Guard {
    /// A guard over evaluations that began at some time, with an account of memory that they share.
    pub(crate) fn new(start: Instant, seconds: Option<f64>, budget: u64, memory: Memory) -> Guard {
        let limit = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        Guard {
            start,
            limit,
            memory,
            ceiling: Ceiling::above(budget),
            patience: Duration::ZERO,
            saved: None,
            at_last: None,
        }
    }

    pub(crate) fn patient(self) -> Guard {
        Guard { patience: Duration::from_millis(250), ..self }
    }

    /// For a run that is saved.
    pub(crate) fn saved(self, told: SearchSignals) -> Guard {
        Guard { saved: Some(told), ..self }
    }

    pub(crate) fn at_last(self, act: impl FnOnce(Limit, bool) + Send + 'static) -> Guard {
        Guard { at_last: Some(Box::new(act)), ..self }
    }

    fn keep(mut self, asked: &Interrupt, stop: &RunEnd) {
        let mut reason = None;
        let mut patience = self.start;
        // Processor time when the flag was set.
        let mut flagged = None;
        loop {
            let resident = resident_bytes();
            self.memory.update(resident);
            let now = Instant::now();
            let limit = match resident {
                _ if asked.is_asked() => Some(Limit::Interrupted),
                bytes if bytes >= self.ceiling.soft => Some(Limit::Memory),
                _ if self.limit.is_some_and(|limit| now - self.start >= limit) => Some(Limit::Time),
                _ => None,
            };
            if let (Some(limit), None) = (limit, reason) {
                reason = Some(limit);
                patience = now + self.patience;
            }
            if let Some(reason) = reason {
                if limit == Some(Limit::Memory) || now >= patience {
                    if self.saved.is_none() {
                        let _ = stop.reason.set(reason);
                        stop.flag.raise();
                    }
                    flagged.get_or_insert_with(processor_time);
                }
                let had_turn = flagged.is_some_and(|before: Option<Duration>| {
                    before.zip(processor_time()).is_none_or(|(before, now)| now >= before + GRACE_OF_PROCESSOR)
                });
                let is_late = now >= patience + self.grace(had_turn);
                // What was found is told, but not at any price.
                let is_over = stop.is_over.load(Ordering::Relaxed);
                if is_late && is_over {
                    stop.flag.raise_to_top();
                }
                let is_late = is_late && !is_over || resident >= self.ceiling.hard;
                if is_late
                    && let Some(act) = self.at_last.take()
                    && !stop.is_answered.swap(true, Ordering::Relaxed)
                {
                    act(reason, is_over);
                }
            }
            std::thread::sleep(self.pause(resident));
        }
    }

    /// The time after which a run is late.
    fn grace(&self, had_turn: bool) -> Duration {
        match &self.saved {
            Some(told) if told.is_asked.load(Ordering::Relaxed) => GRACE_TO_SAVE,
            Some(_) => GRACE_TO_LOOK_UP,
            None if had_turn => GRACE,
            None => MAX_GRACE,
        }
    }

    /// The time until the next look: shorter when the process comes near the ceiling.
    fn pause(&self, resident: u64) -> Duration {
        let room = self.ceiling.soft.saturating_sub(resident);
        Duration::from_micros(room / BYTES_PER_MICROSECOND).clamp(MIN_POLL_INTERVAL, MAX_POLL_INTERVAL)
    }
}

impl Watch {
    /// A watch with limits in seconds and bytes; progress is shown on a terminal only.
    pub(crate) fn new(
        start: Instant,
        time: Option<f64>,
        memory: Option<u64>,
        wants_progress: bool,
        interrupt: Interrupt,
    ) -> Self {
        let time = time.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        let is_shown = wants_progress && can_overwrite();
        let memory = memory.map(|bytes| Budget { bytes, beside: 0, is_spilled: false });
        Watch {
            start,
            last: None,
            time,
            memory,
            checkpoint: None,
            settle: None,
            is_shown,
            interrupt,
            weighed: None,
            told: SearchSignals::default(),
        }
    }

    /// With somebody who hears what is said at polls.
    pub(crate) fn heard_by(self, told: SearchSignals) -> Self {
        Watch { told, ..self }
    }

    /// With so many minutes between two checkpoints.
    pub(crate) fn checkpoint_every(mut self, minutes: Option<f64>) -> Self {
        let every = minutes.and_then(|minutes| Duration::try_from_secs_f64(minutes * 60.0).ok());
        self.checkpoint = every.map(|every| (every, Some(Instant::now())));
        self
    }

    /// With the first checkpoint as soon as there is something to save.
    pub(crate) fn checkpoint_soon(mut self) -> Self {
        self.checkpoint = self.checkpoint.map(|(every, _)| (every, None));
        self
    }

    /// With so many seconds from the start to go on counting once a violation has been found.
    pub(crate) fn settle_after(mut self, seconds: Option<f64>) -> Self {
        self.settle = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        self
    }

    fn show(&mut self, progress: &Progress) {
        let now = Instant::now();
        if !self.is_shown || self.last.is_some_and(|last| now - last < Duration::from_millis(200)) {
            return;
        }
        self.last = Some(now);
        let rate = progress.states as f64 / self.start.elapsed().as_secs_f64().max(0.001);
        let mut parts = vec![format!("{} states", grouped(progress.states))];
        if progress.is_settled {
            parts.push("violation found".to_owned());
        }
        parts.extend([
            format!("frontier {}", grouped(progress.waiting)),
            format!("depth {}", progress.depth),
            format!("{rate:.0} states/s"),
            format!("{} transitions", grouped(progress.transitions)),
            format!("{} MB", resident_bytes() >> 20),
        ]);
        write_raw_error(&format!("\r\x1b[2K{}", fitted(&parts, width())));
        let _ = std::io::stderr().flush();
    }

    /// Whether memory is short; looked at now and then.
    fn is_memory_short(&mut self, progress: &Progress) -> bool {
        let Some(memory) = &mut self.memory else { return false };
        let now = Instant::now();
        if self.weighed.is_some_and(|last| now - last < Duration::from_millis(10)) {
            return false;
        }
        self.weighed = Some(now);
        memory.is_short(resident_bytes(), progress)
    }

    /// Erases the progress line.
    pub(crate) fn clear(&self) {
        if self.is_shown && self.last.is_some() {
            write_raw_error("\r\x1b[2K");
        }
    }
}

impl Control for Watch {
    fn poll(&mut self, progress: &Progress) -> Option<Limit> {
        self.show(progress);
        self.told.n_states.store(progress.states, Ordering::Relaxed);
        let is_late = self.time.is_some_and(|time| self.start.elapsed() >= time);
        if self.interrupt.is_asked() || is_late {
            self.told.is_asked.store(true, Ordering::Relaxed);
            return Some(if self.interrupt.is_asked() { Limit::Interrupted } else { Limit::Time });
        }
        if progress.is_settled && self.settle.is_some_and(|time| self.start.elapsed() >= time) {
            return Some(Limit::Settled);
        }
        if self.is_memory_short(progress) {
            return Some(Limit::Memory);
        }
        None
    }

    fn elapsed(&self) -> Option<Duration> {
        Some(self.start.elapsed())
    }

    fn is_checkpoint_due(&mut self) -> bool {
        let Some((every, last)) = &mut self.checkpoint else { return false };
        let is_due = last.is_none_or(|last| last.elapsed() >= *every);
        if is_due {
            *last = Some(Instant::now());
        }
        is_due
    }
}

/// Whether whoever started the process had it ignore a signal.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| u64::from_str_radix(line.strip_prefix("SigIgn:")?.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

/// Memory of the process now.
pub(crate) fn resident_bytes() -> u64 {
    status_kb("VmRSS:") * 1024
}

/// Memory that a run may take if nobody says how much: most of what is free now, so that other programs are not driven out.
pub(crate) fn usual_budget() -> u64 {
    match file_kb("/proc/meminfo", "MemAvailable:") {
        0 => u64::MAX,
        free => free * 1024 / 4 * 3,
    }
}

/// Time that all threads of the process had on processors, if the system tells.
pub(crate) fn processor_time() -> Option<Duration> {
    const TICK: Duration = Duration::from_millis(10);
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name of the program, in parentheses, may contain anything.
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields).split_whitespace();
    let ticks: Vec<u32> = fields.skip(11).take(2).filter_map(|field| field.parse().ok()).collect();
    (ticks.len() == 2).then(|| ticks.iter().sum::<u32>() * TICK)
}

/// The most memory the process had.
pub(crate) fn peak_bytes() -> u64 {
    status_kb("VmHWM:") * 1024
}

fn status_kb(key: &str) -> u64 {
    file_kb("/proc/self/status", key)
}

/// A number of kilobytes from a file of the system; zero if it is not told.
fn file_kb(file: &str, key: &str) -> u64 {
    let status = std::fs::read_to_string(file).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(key));
    line.and_then(|rest| rest.trim().trim_end_matches("kB").trim().parse().ok()).unwrap_or(0)
}

/// `1,234,567`
pub(crate) fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (idx, digit) in digits.chars().enumerate() {
        if idx > 0 && (digits.len() - idx).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
