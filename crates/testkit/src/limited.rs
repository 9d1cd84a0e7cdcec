//! Runs of the program under limits on time and memory, watched from outside.
//!
//! [`run`] starts the program and measures what it takes. Whether a run kept its time is judged by the processor time that it had after the limit: on a busy
//! computer the clock alone blames the program for what others do.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const POLL: Duration = Duration::from_millis(10);
/// Times the limit after which a run is ended from outside.
const KILL_FACTOR: f64 = 6.0;
/// Processor time that a run may take after its time limit.
const MAX_LATE_SECONDS: f64 = 1.0;
/// Share of the memory limit that a run may have.
const MAX_MEMORY_SHARE: f64 = 1.1;

#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub seconds: f64,
    pub megabytes: f64,
}

/// What a run took.
#[derive(Clone, Debug, Default)]
pub struct LimitedRun {
    /// By the clock.
    pub seconds: f64,
    /// Processor time of all threads.
    pub processor: f64,
    /// Processor time of all threads after the time limit.
    pub late: f64,
    /// The most memory that it had.
    pub megabytes: f64,
    /// Exit status; nothing if it was ended from outside or by a signal.
    pub status: Option<i32>,
    /// First line of its output.
    pub said: String,
}

impl LimitedRun {
    pub fn keeps(&self, limits: &Limits) -> bool {
        self.status.is_some()
            && (self.late <= MAX_LATE_SECONDS || self.seconds <= limits.seconds + MAX_LATE_SECONDS)
            && self.megabytes <= MAX_MEMORY_SHARE * limits.megabytes
    }
}

/// Checks a file with the program under limits. The output goes to a file in `folder`.
///
/// # Panics
/// If the program cannot be started.
pub fn run(binary: &Path, file: &Path, limits: &Limits, options: &[String], folder: &Path) -> LimitedRun {
    let output = folder.join("output");
    let sink = File::create(&output).expect("a file can be made");
    let start = Instant::now();
    let mut child = Command::new(binary)
        .args(["check", "--time", &limits.seconds.to_string(), "--memory", &format!("{}M", limits.megabytes)])
        .args(options)
        .arg(file)
        .stdout(sink.try_clone().expect("a file can be shared"))
        .stderr(sink)
        .stdin(Stdio::null())
        .spawn()
        .expect("the program can be started");
    let mut run = LimitedRun::default();
    watch(&mut child, start, limits, &mut run);
    run.seconds = start.elapsed().as_secs_f64();
    let mut text = Vec::new();
    let _ = File::open(&output).and_then(|file| file.take(1 << 20).read_to_end(&mut text));
    let text = String::from_utf8_lossy(&text);
    run.said = text.lines().next().unwrap_or_default().chars().take(100).collect();
    run
}

/// Measures a process until it ends.
fn watch(child: &mut Child, start: Instant, limits: &Limits, run: &mut LimitedRun) {
    let mut at_limit = None;
    loop {
        run.megabytes = peak_megabytes(child.id()).unwrap_or(run.megabytes);
        run.processor = processor_seconds(child.id()).unwrap_or(run.processor);
        if start.elapsed().as_secs_f64() >= limits.seconds {
            run.late = run.processor - *at_limit.get_or_insert(run.processor);
        }
        if let Some(status) = child.try_wait().expect("the program can be waited for") {
            run.status = status.code();
            return;
        }
        let is_hopeless = run.late > KILL_FACTOR * limits.seconds || run.megabytes > KILL_FACTOR * limits.megabytes;
        if is_hopeless || start.elapsed().as_secs_f64() > KILL_FACTOR * KILL_FACTOR * limits.seconds {
            let _ = child.kill();
            let _ = child.wait();
            return;
        }
        thread::sleep(POLL);
    }
}

/// The most memory that a process had.
fn peak_megabytes(process: u32) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches("kB").trim().parse::<f64>().ok().map(|kilobytes| kilobytes / 1024.0)
}

/// Processor time of all threads of a process.
fn processor_seconds(process: u32) -> Option<f64> {
    const TICKS_PER_SECOND: f64 = 100.0;
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name of the program, in parentheses, may contain anything.
    let fields = stat.rsplit_once(')')?.1.split_whitespace();
    let ticks: Vec<f64> = fields.skip(11).take(2).filter_map(|field| field.parse().ok()).collect();
    Some(ticks.iter().sum::<f64>() / TICKS_PER_SECOND)
}
