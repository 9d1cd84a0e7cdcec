//! Output macros that do not panic.
//!
//! `println!` panics if standard output is closed or full. Commands print through `out!` and `outln!` only.

use std::io::Write as _;

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

pub(crate) fn write(text: std::fmt::Arguments<'_>) {
    if let Err(error) = std::io::stdout().write_fmt(text) {
        quit(&error);
    }
}

pub(crate) fn write_error(text: std::fmt::Arguments<'_>) {
    let _ = std::io::stderr().write_fmt(text);
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
