//! Exit statuses of `abridge`. Scripts rely on the numbers, so they never change.

use std::io::{self, Write as _};
use std::process::ExitCode;

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
        let _ = writeln!(
            io::stderr(),
            "internal error of Abridge: please report it, with the machine and the command line"
        );
        std::process::exit(Exit::Bug as i32);
    }));
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit as u8)
    }
}
