//! Exit statuses of `abridge`. Scripts rely on the numbers, so they never change.

use std::io::{self, Write as _};
use std::process::ExitCode;

use abridge_diag::visible;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Exit {
    /// All properties hold, the formula is true, or the command is done.
    Ok = 0,
    /// Negative answer: formula false, trace not replayable, results that disagree.
    No = 1,
    /// Usage error, or a file that cannot be written.
    Usage = 2,
    Deadlock = 11,
    Invariant = 12,
    /// A temporal formula is violated.
    Temporal = 13,
    Assertion = 14,
    /// A machine does not refine another.
    Refinement = 15,
    /// The search was not exhaustive.
    Incomplete = 20,
    /// An evaluation is not well-defined.
    IllDefined = 75,
    /// Internal error of Abridge.
    Bug = 101,
    /// Model error: unreadable file, syntax, names or types.
    WrongModel = 150,
}

/// Has a panic of any thread end the program with [`Exit::Bug`], and ask for a report.
pub(crate) fn end_on_panic() {
    let print = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        print(info);
        let words = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
        let (version, words) = (env!("CARGO_PKG_VERSION"), words.collect::<Vec<String>>().join(" "));
        let command = visible(&words);
        let _ = writeln!(
            io::stderr(),
            "internal error of Abridge {version}: please report it, with this text, the machine, and the command line\n  abridge {command}"
        );
        std::process::exit(Exit::Bug as i32);
    }));
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit as u8)
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    /// Variable of a process that is to panic.
    const PANICS: &str = "ABRIDGE_TEST_PANICS";

    #[test]
    fn a_panic_asks_for_a_report() {
        if std::env::var_os(PANICS).is_some() {
            super::end_on_panic();
            panic!("a mistake of ours");
        }
        let test = "exit::tests::a_panic_asks_for_a_report";
        let mut command = Command::new(std::env::current_exe().expect("this test"));
        let output = command.args(["--exact", test, "--nocapture"]).env(PANICS, "1").output().expect("it starts");
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(101), "{text}");
        for expected in ["a mistake of ours", "exit.rs", "please report it", "  abridge --exact exit::tests::"] {
            assert!(text.contains(expected), "{expected}: {text}");
        }
    }
}
