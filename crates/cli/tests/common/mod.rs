//! Running the built program on files.

#![allow(dead_code, reason = "each test file uses some of these")]

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// What a run of the program left behind.
pub(crate) struct Run {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    pub(crate) fn new(output: Output) -> Run {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the program writes UTF-8");
        let run = Run {
            status: output.status.code().unwrap_or(-1),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        };
        assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
        run
    }

    /// The one JSON object on standard output.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {}{}", self.stdout, self.stderr))
    }

    /// One JSON object a line.
    pub(crate) fn json_lines(&self) -> Vec<Value> {
        self.stdout.lines().map(|line| serde_json::from_str(line).expect("a JSON object")).collect()
    }
}

/// Runs the program from the root of the repository.
pub(crate) fn abridge(args: &[&str]) -> Run {
    abridge_with(args, "")
}

/// The same with text on standard input.
pub(crate) fn abridge_with(args: &[&str], stdin: &str) -> Run {
    let mut child = command(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let _ = child.stdin.take().expect("a pipe").write_all(stdin.as_bytes());
    Run::new(child.wait_with_output().expect("the program ends"))
}

pub(crate) fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_abridge"));
    // Without a home there is no folder for caches.
    ["HOME", "XDG_CACHE_HOME", "LOCALAPPDATA"].iter().for_each(|name| _ = command.env_remove(name));
    command.env("XDG_STATE_HOME", Path::new(env!("CARGO_TARGET_TMPDIR")).join("state"));
    command.args(args).current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."));
    command
}

/// Sends SIGINT to a run as soon as it would heed it: when its handler is installed, as the system tells. A run that is over gets it without effect.
#[cfg(target_os = "linux")]
pub(crate) fn interrupt(child: &std::process::Child) {
    const SIGINT_BIT: u64 = 1 << 1;
    let path = format!("/proc/{}/status", child.id());
    let is_ready = || {
        let status = std::fs::read_to_string(&path).expect("a child that was not waited for");
        if status.lines().any(|line| line.starts_with("State:\tZ")) {
            return true;
        }
        let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).expect("a mask of caught signals");
        u64::from_str_radix(mask.trim(), 16).expect("hexadecimal") & SIGINT_BIT != 0
    };
    while !is_ready() {
        std::thread::yield_now();
    }
    let status = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(status.success());
}

/// A folder of its own for one test, empty at first.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Folder {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("a folder for the test");
        Folder(path)
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().expect("a path in UTF-8").to_owned()
    }

    /// Writes a file; its path.
    pub(crate) fn file(&self, name: &str, text: &str) -> String {
        std::fs::write(self.0.join(name), text).expect("a file for the test");
        self.path(name)
    }

    pub(crate) fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).expect("the folder").map(|entry| entry.expect("an entry").file_name());
        let mut names: Vec<String> = entries.map(|name| name.to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

/// A counter from 0 to `top` with an invariant and a body to fill in.
pub(crate) fn counter(invariant: &str, operations: &str) -> String {
    format!(
        "MACHINE counter VARIABLES n INVARIANT n : INTEGER & {invariant} INITIALISATION n := 0 OPERATIONS {operations} END"
    )
}
