//! The comparison of random machines in all ways, each machine in a process of its own.
//!
//! A machine that hangs, that takes all memory or that ends the process is a difference like any other, under the way that was being tried, and the
//! campaign goes on. The figures so far are printed every minute, so that a campaign that is cut off has some.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::ops::Range;
use std::panic;
use std::path::Path;
use std::process::{self, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use abridge_testkit::allowance::MachineAllowance;
use abridge_testkit::{Project, compare};

/// For all ways together; a machine takes two seconds at most on an idle computer.
const ONE: MachineAllowance = MachineAllowance { time: Duration::from_secs(120), bytes: 4 << 30 };
/// For finding a smallest machine.
const SMALLEST: MachineAllowance = MachineAllowance { time: Duration::from_secs(600), bytes: 4 << 30 };
const BETWEEN_FIGURES: Duration = Duration::from_secs(60);

/// Compares random machines on all cores.
pub(crate) fn compare_machines(numbers: Range<u64>, folder: &Path) {
    fs::create_dir_all(folder).expect("the folder can be created");
    let next = AtomicU64::new(numbers.start);
    let tally = Mutex::new(Tally::new(numbers.end - numbers.start));
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= numbers.end {
                        break;
                    }
                    let outcome = outcome(number);
                    let is_new = tally.lock().expect("no worker panics").add(&outcome);
                    if let Outcome::Different(way, message) = outcome {
                        save(number, &way, &message, is_new, folder);
                    }
                }
            });
        }
    });
    tally.into_inner().expect("no worker panics").print();
}

/// This program with other arguments.
fn this_program(args: &[&str]) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this program has a path"));
    command.args(args).stdin(Stdio::null()).stderr(Stdio::null());
    command
}

/// What a machine came to.
enum Outcome {
    Same(Counts),
    /// The way, and what it found.
    Different(String, String),
}

/// What [`one`] tells about a machine, in a line.
#[derive(Default)]
struct Counts {
    finished: u64,
    unfinished: u64,
    states: u64,
    is_open: bool,
    is_violated: bool,
}

impl Counts {
    fn line(&self) -> String {
        let Counts { finished, unfinished, states, is_open, is_violated } = self;
        format!("{finished} {unfinished} {states} {} {}", u8::from(*is_open), u8::from(*is_violated))
    }

    fn read(line: &str) -> Option<Counts> {
        let numbers: Vec<u64> = line.split(' ').map(str::parse).collect::<Result<_, _>>().ok()?;
        let [finished, unfinished, states, is_open, is_violated] = numbers[..] else { return None };
        Some(Counts { finished, unfinished, states, is_open: is_open != 0, is_violated: is_violated != 0 })
    }
}

/// Compares a machine in a process of its own.
fn outcome(number: u64) -> Outcome {
    let output = this_program(&["one", &number.to_string()]).output().expect("this program can be started");
    let text = String::from_utf8_lossy(&output.stdout);
    let way = text.lines().filter_map(|line| line.strip_prefix(WAY)).next_back().unwrap_or("typing").to_owned();
    let rest: Vec<&str> = text.lines().filter(|line| !line.starts_with(WAY)).collect();
    match rest.split_first() {
        Some((&DIFFERENT, message)) => Outcome::Different(way, message.join("\n")),
        Some((line, _)) if output.status.success() => {
            Counts::read(line).map_or_else(|| Outcome::Different(way, text.into_owned()), Outcome::Same)
        }
        _ => Outcome::Different(way, format!("ended by {}", output.status)),
    }
}

const WAY: &str = "way ";
const DIFFERENT: &str = "different";

/// Compares one machine and tells every way before it is tried, then the result.
pub(crate) fn one(number: u64) {
    let different = |reason: &str| println!("{DIFFERENT}\n{reason}");
    ONE.watch(move |reason| different(&format!("ended for its {reason}")));
    panic::set_hook(Box::new(move |info| {
        different(&format!("panic: {info}"));
        process::exit(1);
    }));
    let model = Project::model_of(&compare::machine(number));
    match compare::compare(&model, &compare::ways(), |way| println!("{WAY}{way}")) {
        Ok(compared) => {
            let counts = Counts {
                finished: compared.finished as u64,
                unfinished: compared.unfinished as u64,
                states: compared.states,
                is_open: compared.is_open,
                is_violated: compared.found != Default::default(),
            };
            println!("{}", counts.line());
        }
        Err(difference) => different(&difference.to_string()),
    }
}

/// Prints the smallest machine found for a difference in a way.
pub(crate) fn smallest(number: u64, way: &str) {
    SMALLEST.watch(|_| ());
    let known = compare::ways().into_iter().find(|candidate| candidate.name == way).expect("a way");
    print!("{}", compare::minimised(&compare::machine(number), known.name));
}

struct Tally {
    start: Instant,
    told: Instant,
    n_all: u64,
    n_done: u64,
    /// Machines that the plain interpreter visited as a whole.
    compared: u64,
    sum: Counts,
    violated: u64,
    open: u64,
    /// How often each way disagreed.
    differences: BTreeMap<String, u64>,
}

impl Tally {
    fn new(n_all: u64) -> Tally {
        let now = Instant::now();
        Tally {
            start: now,
            told: now,
            n_all,
            n_done: 0,
            compared: 0,
            sum: Counts::default(),
            violated: 0,
            open: 0,
            differences: BTreeMap::new(),
        }
    }

    /// Whether this is the first difference of its way.
    fn add(&mut self, outcome: &Outcome) -> bool {
        self.n_done += 1;
        let mut is_new = false;
        match outcome {
            Outcome::Same(counts) => {
                let is_compared = counts.finished > 0;
                self.compared += u64::from(is_compared);
                self.violated += u64::from(is_compared && counts.is_violated);
                self.open += u64::from(counts.is_open);
                self.sum.finished += counts.finished;
                self.sum.unfinished += counts.unfinished;
                self.sum.states += counts.states;
            }
            Outcome::Different(way, _) => {
                let count = self.differences.entry(way.clone()).or_default();
                *count += 1;
                is_new = *count == 1;
            }
        }
        if self.told.elapsed() >= BETWEEN_FIGURES {
            self.told = Instant::now();
            self.print();
        }
        is_new
    }

    fn print(&self) {
        let Tally { n_done, n_all, compared, violated, open, sum, .. } = self;
        let n_differences: u64 = self.differences.values().sum();
        println!("{n_done} of {n_all} machines in {:.0?}", self.start.elapsed());
        println!("  {compared} compared, {violated} of them violated, {} states", sum.states);
        println!("  {} comparisons, {} of them not finished", sum.finished + sum.unfinished, sum.unfinished);
        println!("  {open} machines leave something open, as every way says");
        println!("  {n_differences} differences");
        for (way, count) in &self.differences {
            println!("{count:8} in {way}");
        }
        let _ = std::io::stdout().flush();
    }
}

/// Saves a machine that differs, as small as possible if it is the first of its way.
fn save(number: u64, way: &str, message: &str, is_first: bool, folder: &Path) {
    let message = format!("machine {number}, {way}: {message}");
    println!("{message}");
    let small = is_first.then(|| small_machine(number, way)).flatten();
    let text = small.unwrap_or_else(|| compare::machine(number));
    let comment: String = message.lines().map(|line| format!("// {line}\n")).collect();
    let path = folder.join(format!("{}-{number}.mch", way.replace([' ', ','], "-")));
    fs::write(path, format!("{comment}{text}\n")).expect("a machine can be saved");
}

/// The smallest machine found in a process of its own; nothing if that does not come to its end.
fn small_machine(number: u64, way: &str) -> Option<String> {
    let output = this_program(&["smallest", &number.to_string(), way]).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}
