//! Runs of the program on machines that explode, with the time and the memory that each takes.
//!
//!     cargo run --release -p abridge-testkit --example explosions -- BINARY SECONDS MEMORY [NAME [OPTIONS...]]
//!
//! checks every machine of `explosions.rs` whose name contains NAME with `BINARY check --time SECONDS --memory MEMORY OPTIONS`. MEMORY is a number of
//! megabytes. A run keeps its limits if it ends within a second of processor time after SECONDS and never has more than a tenth above MEMORY. The last line counts the
//! runs that do not, and the exit status is 1 if there are any.
//!
//!     cargo run --release -p abridge-testkit --example explosions -- write FOLDER
//!
//! writes the machines as files.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use abridge_testkit::explosions::{DECLARATIONS, EVALUATION, Explosion};
use abridge_testkit::limited::{self, LimitedRun, Limits};

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
    let run = limited::run(binary, &file, limits, options, &folder);
    let mark = if run.keeps(limits) { "ok    " } else { "BROKEN" };
    let LimitedRun { seconds, late, megabytes, status, said, .. } = &run;
    println!("{mark} {seconds:6.2} s, {late:.2} s late, {megabytes:6.0} MB  {status:?}  {}: {said}", one.name);
    let _ = fs::remove_dir_all(&folder);
    run.keeps(limits)
}
