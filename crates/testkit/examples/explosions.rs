//! Runs of the program on machines that explode, with the time and the memory that each takes.
//!
//!     cargo run --release -p abridge-testkit --example explosions -- BINARY SECONDS MEMORY [NAME [OPTIONS...]]
//!
//! checks every machine of `explosions.rs` whose name contains NAME with `BINARY check --time SECONDS --memory MEMORY OPTIONS`. MEMORY is a number of
//! megabytes. A run keeps its limits if it ends within a second after SECONDS and never has more than a tenth above MEMORY. The last line counts the
//! runs that do not, and the exit status is 1 if there are any.
//!
//!     cargo run --release -p abridge-testkit --example explosions -- write FOLDER
//!
//! writes the machines as files.

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use abridge_testkit::explosions::{DECLARATIONS, EVALUATION, Explosion};

const POLL: Duration = Duration::from_millis(10);
/// Times the limit after which a run is ended from outside.
const PATIENCE: f64 = 4.0;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.as_slice() {
        [first, folder] if first == "write" => {
            all("").for_each(|one| write(Path::new(folder), one));
            ExitCode::SUCCESS
        }
        [binary, seconds, megabytes, rest @ ..] => {
            let (part, options) = rest.split_first().map_or(("", rest), |(part, options)| (part.as_str(), options));
            let limits = Limits { seconds: number(seconds), megabytes: number(megabytes) };
            let n_broken = all(part).filter(|one| !run(Path::new(binary), one, &limits, options)).count();
            println!("{n_broken} runs broke a limit");
            if n_broken == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        _ => {
            eprintln!("usage: explosions BINARY SECONDS MEMORY [NAME [OPTIONS...]] | explosions write FOLDER");
            ExitCode::from(2)
        }
    }
}

struct Limits {
    seconds: f64,
    megabytes: f64,
}

fn number(text: &str) -> f64 {
    text.parse().unwrap_or_else(|_| panic!("`{text}` is not a number"))
}

fn all(part: &str) -> impl Iterator<Item = &'static Explosion> {
    EVALUATION.iter().chain(DECLARATIONS).filter(move |one| one.name.contains(part))
}

fn write(folder: &Path, one: &Explosion) {
    fs::create_dir_all(folder).expect("the folder can be made");
    let file = folder.join(one.name.replace(' ', "_")).with_extension("mch");
    fs::write(file, (one.machine)(one.scale)).expect("the machine can be written");
}

/// Checks one machine. True if the limits were kept.
fn run(binary: &Path, one: &Explosion, limits: &Limits, options: &[String]) -> bool {
    let folder = std::env::temp_dir().join(format!("abridge-explosions-{}", std::process::id()));
    write(&folder, one);
    let file = folder.join(one.name.replace(' ', "_")).with_extension("mch");
    let start = Instant::now();
    let output = fs::File::create(folder.join("output")).expect("a file can be made");
    let mut child = Command::new(binary)
        .args(["check", "--time", &limits.seconds.to_string(), "--memory", &format!("{}M", limits.megabytes)])
        .args(options)
        .arg(&file)
        .stdout(output.try_clone().expect("a file can be shared"))
        .stderr(output)
        .stdin(Stdio::null())
        .spawn()
        .expect("the program can be started");
    let mut peak = 0.0;
    let status = loop {
        peak = peak_megabytes(child.id()).unwrap_or(peak);
        if let Some(status) = child.try_wait().expect("the program can be waited for") {
            break status.code();
        }
        if start.elapsed().as_secs_f64() > PATIENCE * limits.seconds || peak > PATIENCE * limits.megabytes {
            let _ = child.kill();
            let _ = child.wait();
            break None;
        }
        thread::sleep(POLL);
    };
    let seconds = start.elapsed().as_secs_f64();
    let is_kept = status.is_some() && seconds <= limits.seconds + 1.0 && peak <= 1.1 * limits.megabytes;
    let text = fs::read_to_string(folder.join("output")).unwrap_or_default();
    let said: String = text.lines().next().unwrap_or_default().chars().take(80).collect();
    let mark = if is_kept { "ok    " } else { "BROKEN" };
    println!("{mark} {seconds:6.2} s {peak:6.0} MB  {status:?}  {}: {said}", one.name);
    let _ = fs::remove_dir_all(&folder);
    is_kept
}

/// The most memory that a process had.
fn peak_megabytes(process: u32) -> Option<f64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches("kB").trim().parse::<f64>().ok().map(|kilobytes| kilobytes / 1024.0)
}
