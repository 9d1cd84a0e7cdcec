//! A long fuzzing run without a fuzzer: many mutated inputs through all oracles, on all cores.
//!
//!     cargo run --release -p abridge-testkit --example campaign -- COUNT FOLDER [FIRST [SEEDS...]]
//!
//! runs the inputs FIRST to FIRST + COUNT made from the built-in seeds, `models/` and the B files of the folders SEEDS. Every kind of
//! failure (a panic, an input that takes more than a second) is reported once and saved in FOLDER, panics also minimised. The
//! input that each worker is busy with is in FOLDER as well, for the cases that end the process. The last lines give the figures:
//! inputs, slowest input, peak memory.
//!
//!     cargo run --release -p abridge-testkit --example campaign -- file FILE...
//!
//! runs files instead, one after the other, with the time each takes.
//!
//!     cargo run --release -p abridge-testkit --example campaign -- sizes SCALE BYTES [NAME]
//!
//! runs the deep and large inputs of `sizes.rs` (those whose name contains NAME), with the time and memory each takes.
//!
//!     cargo run --release -p abridge-testkit --example campaign -- compare COUNT FOLDER [FIRST]
//!
//! checks the random machines FIRST to FIRST + COUNT of `everything.rs` in all ways of `compare.rs`, each in a process with limits on time and memory.
//! Every machine for which a way disagrees with the plain interpreter or does not end is saved in FOLDER, the first of each way as small as
//! possible. The figures so far are printed every minute. `one NUMBER` does one machine, `smallest NUMBER WAY` prints its smallest form.
//!
//!     cargo run --release -p abridge-testkit --example campaign -- temporal COUNT FOLDER [FIRST]
//!
//! checks the random machines with temporal formulas FIRST to FIRST + COUNT of `temporal/machines.rs` in all ways. Each case in which a way
//! disagrees is saved in FOLDER.
//!
//!     cargo run --release -p abridge-testkit --example campaign -- seeds FOLDER
//!
//! writes the seeds as files, for a fuzzer.
//!
//!     cargo run --release -p abridge-testkit --example campaign -- nesting DEPTH [NAME...]
//!
//! does everything with the machines of `nesting.rs`, with the time that each thing takes.

mod compare;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::ops::Range;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use abridge_testkit::minimise::minimise;
use abridge_testkit::mutate::Mutator;
use abridge_testkit::temporal::machines;
use abridge_testkit::{fuzz, nesting, seeds, sizes};

const MAX_TIME: Duration = Duration::from_secs(1);
const MAX_MEMORY: u64 = 1 << 30;

fn main() {
    panic::set_hook(Box::new(|info| {
        let place = info.location().map(|place| format!("{}:{}", place.file(), place.line())).unwrap_or_default();
        LAST_PANIC.with_borrow_mut(|last| *last = format!("{place}: {}", info.payload_as_str().unwrap_or("?")));
    }));
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.as_slice() {
        [first, files @ ..] if first == "file" => files.iter().for_each(|file| run_file(Path::new(file))),
        [first, count, folder, rest @ ..] if first == "compare" => {
            let first = rest.first().map_or(0, |text| number(text));
            compare::compare_machines(first..first + number(count), Path::new(folder));
        }
        [first, number_of] if first == "one" => compare::one(number(number_of)),
        [first, number_of, way] if first == "smallest" => compare::smallest(number(number_of), way),
        [first, count, folder, rest @ ..] if first == "temporal" => {
            let first = rest.first().map_or(0, |text| number(text));
            compare_formulas(first..first + number(count), Path::new(folder));
        }
        [first, folder] if first == "seeds" => write_seeds(Path::new(folder)),
        [first, scale, bytes, names @ ..] if first == "sizes" => {
            let part = names.first().cloned().unwrap_or_default();
            let deep = sizes::inputs(sizes::DEEP, number(scale) as usize, &part);
            let inputs = deep.chain(sizes::inputs(sizes::LARGE, number(bytes) as usize, &part));
            on_a_small_stack(|| inputs.for_each(|(name, text)| run_timed(name, text.as_bytes())));
        }
        [first, depth, names @ ..] if first == "nesting" => {
            let is_meant = |case: &nesting::NestingCase| names.is_empty() || names.contains(&case.name);
            for case in nesting::cases(number(depth) as usize).iter().filter(|case| is_meant(case)) {
                on_a_small_stack(|| nest(case));
            }
        }
        [count, folder, rest @ ..] => {
            let first = rest.first().map_or(0, |text| number(text));
            let mut seeds = seeds::all();
            rest.iter().skip(1).for_each(|folder| seeds.extend(seeds::in_folder(Path::new(folder))));
            let campaign = Campaign::new(folder, &seeds, first, number(count));
            campaign.run();
        }
        _ => eprintln!(
            "usage: campaign COUNT FOLDER [FIRST [SEEDS...]] | campaign file FILE... | campaign sizes SCALE BYTES [NAME] | \
             campaign compare COUNT FOLDER [FIRST] | campaign one NUMBER | campaign smallest NUMBER WAY | \
             campaign temporal COUNT FOLDER [FIRST] | campaign seeds FOLDER | campaign nesting DEPTH [NAME...]"
        ),
    }
}

/// Runs on a thread with little stack: what recurses without care fails here first.
fn on_a_small_stack(run: impl FnOnce() + Send) {
    thread::scope(|scope| {
        let worker = thread::Builder::new().stack_size(512 * 1024).spawn_scoped(scope, run);
        worker.map(|worker| worker.join()).expect("a thread can be started").expect("panics are caught");
    });
}

/// Says what is done before it is done, for the sake of those who do not come back.
fn nest(case: &nesting::NestingCase) {
    let mut start = Instant::now();
    print!("{}:", case.name);
    nesting::everything(case, |what| {
        print!(" {:.2?} {what}", start.elapsed());
        let _ = std::io::stdout().flush();
        start = Instant::now();
    });
    println!(" {:.2?}", start.elapsed());
}

fn number(text: &str) -> u64 {
    text.parse().unwrap_or_else(|_| panic!("`{text}` is not a number"))
}

fn write_seeds(folder: &Path) {
    fs::create_dir_all(folder).expect("the folder can be created");
    for (idx, seed) in seeds::all().iter().enumerate() {
        fs::write(folder.join(format!("seed-{idx}.mch")), seed).expect("a seed can be written");
    }
}

/// Compares random machines with temporal formulas on all cores.
fn compare_formulas(numbers: Range<u64>, folder: &Path) {
    fs::create_dir_all(folder).expect("the folder can be created");
    let (next, start) = (AtomicU64::new(numbers.start), Instant::now());
    let (all, n_differences) = (Mutex::new(machines::FormulaComparison::default()), AtomicU64::new(0));
    let work = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= numbers.end {
                break;
            }
            let case = machines::case(number);
            let result = panic::catch_unwind(AssertUnwindSafe(|| machines::compare_formulas(&case)))
                .unwrap_or_else(|_| Err(format!("panic: {}", LAST_PANIC.with_borrow(Clone::clone))));
            match result {
                Ok(compared) => all.lock().expect("no worker panics").add(compared),
                Err(difference) => {
                    n_differences.fetch_add(1, Ordering::Relaxed);
                    println!("case {number}: {difference}");
                    let comment: String = difference.lines().map(|line| format!("// {line}\n")).collect();
                    let path = folder.join(format!("temporal-{number}.mch"));
                    fs::write(path, format!("{comment}{}", case.machine)).expect("a machine can be saved");
                }
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    println!("{} machines in {:.1?}", numbers.end - numbers.start, start.elapsed());
    println!("{:?}", all.into_inner().expect("no worker panics"));
    println!("{} differences", n_differences.into_inner());
}

fn run_file(path: &Path) {
    let bytes = fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    run_timed(&path.display().to_string(), &bytes);
}

/// Each oracle in turn, with the time it takes.
fn run_timed(name: &str, input: &[u8]) {
    let oracles = [fuzz::parse_never_fails, fuzz::print_parse_round_trip, fuzz::analyse_never_fails];
    let mut times = String::new();
    for oracle in oracles {
        let start = Instant::now();
        let result = panic::catch_unwind(|| oracle(input));
        times.push_str(&format!(" {:8.3}", start.elapsed().as_secs_f64()));
        if result.is_err() {
            println!("{name}: {}", LAST_PANIC.with_borrow(Clone::clone));
        }
    }
    println!("{times} s {:5} MB  {name}", peak_memory() >> 20);
}

thread_local! {
    static LAST_PANIC: std::cell::RefCell<String> = const { std::cell::RefCell::new(String::new()) };
}

/// The message of the panic that an input causes.
fn failure(input: &[u8]) -> Option<String> {
    let result = panic::catch_unwind(AssertUnwindSafe(|| fuzz::all(input)));
    result.is_err().then(|| LAST_PANIC.with_borrow(Clone::clone))
}

/// What two panics have in common that have one cause: the start of the message without what differs from input to input.
fn kind(message: &str) -> String {
    let lines: Vec<&str> = message.lines().map(str::trim).filter(|line| line.contains(':')).take(2).collect();
    let mut kind = String::new();
    for ch in lines.join(" ").chars().take(160) {
        match ch {
            '0'..='9' if kind.ends_with('0') => {}
            '0'..='9' => kind.push('0'),
            ch => kind.push(ch),
        }
    }
    kind
}

struct Campaign {
    folder: PathBuf,
    mutator: Mutator,
    next: AtomicU64,
    first: u64,
    end: u64,
    found: Mutex<Found>,
}

#[derive(Default)]
struct Found {
    /// How often each kind of failure came up.
    kinds: BTreeMap<String, u64>,
    n_slow: u64,
    slowest: (Duration, u64),
}

impl Campaign {
    fn new(folder: &str, seeds: &[String], first: u64, count: u64) -> Self {
        let folder = PathBuf::from(folder);
        fs::create_dir_all(&folder).expect("the folder can be created");
        println!("{} seeds", seeds.len());
        let (next, end) = (AtomicU64::new(first), first + count);
        Campaign { folder, mutator: Mutator::new(seeds), next, first, end, found: Mutex::default() }
    }

    fn run(&self) {
        let start = Instant::now();
        let n_workers = thread::available_parallelism().map_or(1, usize::from);
        thread::scope(|scope| {
            for worker in 0..n_workers {
                scope.spawn(move || self.work(worker));
            }
        });
        let found = self.found.lock().expect("no worker panics");
        let n_inputs = self.end - self.first;
        println!("{n_inputs} inputs in {:.1?} on {n_workers} threads", start.elapsed());
        println!("slowest: {:.3?} (input {}), {} above {MAX_TIME:?}", found.slowest.0, found.slowest.1, found.n_slow);
        let memory = peak_memory();
        println!("peak memory: {} MB{}", memory >> 20, if memory > MAX_MEMORY { ", too much" } else { "" });
        println!("{} kinds of failures", found.kinds.len());
        for (kind, count) in &found.kinds {
            println!("{count:8} {kind}");
        }
    }

    fn work(&self, worker: usize) {
        let current = self.folder.join(format!("current-{worker}.mch"));
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            if number >= self.end {
                break;
            }
            let input = self.mutator.input(number);
            fs::write(&current, &input).expect("the input can be saved");
            let memory = peak_memory();
            let start = Instant::now();
            let failure = failure(&input);
            self.note_time(number, &input, start.elapsed());
            if peak_memory() > memory.max(MAX_MEMORY) {
                self.save(&format!("memory-{number}"), &input);
                println!("input {number} raised the peak memory to {} MB", peak_memory() >> 20);
            }
            if let Some(message) = failure {
                self.note_failure(number, &input, &message);
            }
            if (number - self.first).is_multiple_of(100_000) {
                println!("{} ...", number - self.first);
            }
        }
    }

    fn note_time(&self, number: u64, input: &[u8], time: Duration) {
        let mut found = self.found.lock().expect("no worker panics");
        found.slowest = found.slowest.max((time, number));
        if time > MAX_TIME {
            found.n_slow += 1;
            println!("input {number} took {time:?}");
            self.save(&format!("slow-{number}"), input);
        }
    }

    fn note_failure(&self, number: u64, input: &[u8], message: &str) {
        let this_kind = kind(message);
        let count = {
            let mut found = self.found.lock().expect("no worker panics");
            let count = found.kinds.entry(this_kind.clone()).or_default();
            *count += 1;
            *count
        };
        if count > 1 {
            return;
        }
        println!("input {number}: {}", message.chars().take(400).collect::<String>());
        self.save(&format!("panic-{number}"), input);
        let small = minimise(input, |input| failure(input).is_some_and(|message| kind(&message) == this_kind));
        self.save(&format!("panic-{number}-small"), &small);
        println!("--- smallest:\n{}\n---", String::from_utf8_lossy(&small));
    }

    fn save(&self, name: &str, input: &[u8]) {
        fs::write(self.folder.join(format!("{name}.mch")), input).expect("the input can be saved");
    }
}

/// The most memory this process has had, in bytes; 0 where the system does not tell.
fn peak_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) << 10
}
