//! Output macros that neither panic nor pass control characters to the terminal.
//!
//! `println!` panics if standard output is closed or full, and text of a model may contain escape sequences. All output goes through
//! [`visible`], except output for programs (`raw`) and text with escape sequences of our own (`write_raw_error`).

use std::fmt;
use std::io::Write as _;

use abridge_diag::visible;

/// Prints like `print!`; a write error ends the process with a message.
macro_rules! out {
    ($($arg:tt)*) => { $crate::out::write(format_args!($($arg)*)) };
}

/// Prints like `println!`; see `out!`.
macro_rules! outln {
    () => { $crate::out::write(format_args!("\n")) };
    ($($arg:tt)*) => {{
        $crate::out::write(format_args!($($arg)*));
        $crate::out::write(format_args!("\n"));
    }};
}

/// Prints like `eprint!`; write errors are ignored.
macro_rules! err {
    ($($arg:tt)*) => { $crate::out::write_error(format_args!($($arg)*)) };
}

/// Prints like `eprintln!`; see `err!`.
macro_rules! errln {
    ($($arg:tt)*) => {{
        $crate::out::write_error(format_args!($($arg)*));
        $crate::out::write_error(format_args!("\n"));
    }};
}

pub(crate) use {err, errln, out, outln};

pub(crate) fn write(text: fmt::Arguments<'_>) {
    raw(visible(&fmt::format(text)).as_bytes());
}

/// Bytes as they are: a file on standard output, not text for people.
pub(crate) fn raw(bytes: &[u8]) {
    if let Err(error) = std::io::stdout().write_all(bytes) {
        quit(&error);
    }
}

pub(crate) fn write_error(text: fmt::Arguments<'_>) {
    write_raw_error(&visible(&fmt::format(text)));
}

/// Text with escape sequences of our own: colours and the line of progress.
pub(crate) fn write_raw_error(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// Flushes standard output.
pub(crate) fn flush() {
    if let Err(error) = std::io::stdout().flush() {
        quit(&error);
    }
}

fn quit(error: &std::io::Error) -> ! {
    errln!("error: cannot write to standard output: {error}");
    std::process::exit(crate::exit::Exit::Usage as i32)
}

/// Lets a closed pipe, as in `abridge ... | head`, end the process silently.
pub(crate) fn end_with_the_reader() {
    #[cfg(unix)]
    {
        let always = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
        let _ = signal_hook::flag::register_conditional_shutdown(signal_hook::consts::SIGPIPE, 141, always);
    }
}
