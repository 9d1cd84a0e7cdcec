//! Writing to standard output without panicking when nobody can read it.

use std::io::Write as _;

/// Prints like `print!`; a device that is full or gone ends the process with a message.
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

/// Prints like `eprint!`; what nobody can read is lost.
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

/// Writes out what is buffered.
pub(crate) fn flush() {
    if let Err(error) = std::io::stdout().flush() {
        quit(&error);
    }
}

fn quit(error: &std::io::Error) -> ! {
    errln!("error: cannot write to standard output: {error}");
    std::process::exit(crate::exit::Exit::Usage as i32)
}

/// A reader that goes away, as in `abridge ... | head`, ends the process quietly.
pub(crate) fn end_with_the_reader() {
    #[cfg(unix)]
    {
        let always = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
        let _ = signal_hook::flag::register_conditional_shutdown(signal_hook::consts::SIGPIPE, 141, always);
    }
}
