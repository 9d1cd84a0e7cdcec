//! The exit statuses of `abridge`, in one place.

use std::process::ExitCode;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Exit {
    /// Everything asked for holds or was done.
    Ok = 0,
    /// The answer is no: a false formula, a trace that cannot be replayed, a disagreement.
    No = 1,
    /// The command line was wrong, or a file could not be written.
    Usage = 2,
    Deadlock = 11,
    Invariant = 12,
    Assertion = 14,
    /// Stopped early, or not everything could be visited.
    Incomplete = 20,
    /// Something has no value where it is needed.
    IllDefined = 75,
    /// The model is wrong: a file that cannot be read, a syntax, naming or type error.
    WrongModel = 150,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit as u8)
    }
}
