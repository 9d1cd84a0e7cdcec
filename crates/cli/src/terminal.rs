//! What may be sent to a terminal: colours, and a line that is written over.
//!
//! `--color` decides; with `auto`, the conventions of the environment do: NO_COLOR, CLICOLOR_FORCE, CLICOLOR and TERM=dumb. Control
//! sequences in a file or in a terminal that does not know them are noise.

use std::io::IsTerminal as _;
use std::sync::OnceLock;

use abridge_diag::visible;
use clap::ValueEnum;

use crate::out::raw;

/// When output has colours.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, ValueEnum)]
pub(crate) enum Colours {
    /// On a terminal, unless NO_COLOR, CLICOLOR=0 or TERM=dumb say otherwise
    #[default]
    Auto,
    Always,
    Never,
}

/// What the user of this process asked for: said once, before anything is printed.
static CHOICE: OnceLock<Colours> = OnceLock::new();

pub(crate) fn choose(colours: Colours) {
    let _ = CHOICE.set(colours);
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

fn is_coloured(choice: Colours, is_terminal: bool, variable: &dyn Fn(&str) -> Option<String>) -> bool {
    match choice {
        Colours::Always => true,
        Colours::Never => false,
        Colours::Auto if variable("NO_COLOR").is_some() => false,
        Colours::Auto if variable("CLICOLOR_FORCE").is_some_and(|value| value != "0") => true,
        Colours::Auto => {
            let is_off = variable("CLICOLOR").is_some_and(|value| value == "0");
            is_terminal && !is_off && !is_dumb(variable)
        }
    }
}

fn is_dumb(variable: &dyn Fn(&str) -> Option<String>) -> bool {
    variable("TERM").is_some_and(|term| term == "dumb")
}

/// Standard output has colours.
pub(crate) fn colours_output() -> bool {
    is_coloured(CHOICE.get().copied().unwrap_or_default(), std::io::stdout().is_terminal(), &variable)
}

/// What a line says about a machine.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    Good,
    Bad,
    /// Not known.
    Open,
}

/// Prints a line to standard output, in green, red or yellow if it has colours.
pub(crate) fn print_toned(text: &str, tone: Tone) {
    let colour = match tone {
        Tone::Good => 32,
        Tone::Bad => 31,
        Tone::Open => 33,
    };
    let text = wrapped_for_output(&format!("{}\n", visible(text)));
    let text = text.trim_end_matches('\n');
    let line = if colours_output() { format!("\x1b[1;{colour}m{text}\x1b[0m\n") } else { format!("{text}\n") };
    raw(line.as_bytes());
}

/// Standard error has colours.
pub(crate) fn colours_errors() -> bool {
    is_coloured(CHOICE.get().copied().unwrap_or_default(), std::io::stderr().is_terminal(), &variable)
}

/// Standard error is a terminal on which a line can be written over.
pub(crate) fn can_overwrite() -> bool {
    std::io::stderr().is_terminal() && !is_dumb(&variable)
}

/// Columns of the terminal behind standard error, as many as usual if it does not tell.
pub(crate) fn width() -> usize {
    const USUAL_WIDTH: usize = 80;
    terminal_size::terminal_size_of(std::io::stderr()).map_or(USUAL_WIDTH, |(width, _)| usize::from(width.0))
}

/// Text for standard output, broken between words if that is a narrow terminal.
pub(crate) fn wrapped_for_output(text: &str) -> String {
    let size = std::io::stdout().is_terminal().then(|| terminal_size::terminal_size_of(std::io::stdout())).flatten();
    size.map_or_else(|| text.to_owned(), |(width, _)| wrapped(text, usize::from(width.0)))
}

/// Lines broken between words. What goes on stands below the last column of the line; words that are longer than that stay where they are.
fn wrapped(text: &str, width: usize) -> String {
    let mut all = String::new();
    for line in text.split_inclusive('\n') {
        if n_columns(line.trim_end()) <= width || is_source(line) {
            all += line;
            continue;
        }
        let indent = continuation(line, width);
        let mut column = 0;
        for word in line.split_inclusive(' ') {
            let n_chars = n_columns(word.trim_end());
            if column > indent && column + n_chars > width && n_chars + indent <= width {
                all.truncate(all.trim_end_matches(' ').len());
                all += "\n";
                all += &" ".repeat(indent);
                column = indent;
            }
            all += word;
            column += n_columns(word.trim_end_matches('\n'));
        }
    }
    all
}

/// Columns that a text takes; colours take none.
fn n_columns(text: &str) -> usize {
    let mut is_escape = false;
    let is_seen = |ch: &char| {
        is_escape |= *ch == '\u{1b}';
        let is_seen = !is_escape;
        is_escape &= *ch != 'm';
        is_seen
    };
    text.chars().filter(is_seen).count()
}

/// A line of a machine that a diagnostic quotes, or the marks below it.
fn is_source(line: &str) -> bool {
    line.trim_start_matches(|ch: char| ch == ' ' || ch.is_ascii_digit()).starts_with("| ")
}

/// Column of what goes on: that of the last field of a table, if it leaves half of the width.
fn continuation(line: &str, width: usize) -> usize {
    const DEEPER: usize = 2;
    let start = line.len() - line.trim_start_matches(' ').len();
    let starts_field = |at: &usize| line[..*at].ends_with("  ") && !line[*at..].starts_with(' ');
    let columns = line.char_indices().map(|(at, _)| at).filter(starts_field).map(|at| n_columns(&line[..at]));
    match columns.filter(|column| *column <= width / 2).max() {
        Some(column) if column > start => column,
        _ => (start + DEEPER).min(width / 2),
    }
}

/// The first parts, as many as fit into one line of a terminal; a line that is wrapped cannot be written over.
pub(crate) fn fitted(parts: &[String], width: usize) -> String {
    let mut line = String::new();
    for part in parts {
        let separator = if line.is_empty() { "" } else { ", " };
        if line.chars().count() + separator.len() + part.chars().count() >= width {
            break;
        }
        line = line + separator + part;
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Variables, whether there is a terminal, and whether there are colours.
    type Case<'c> = (&'c [(&'c str, &'c str)], bool, bool);

    #[test]
    fn the_environment_decides_about_colours() {
        let cases: [Case<'_>; 9] = [
            (&[], true, true),
            (&[], false, false),
            (&[("NO_COLOR", "1")], true, false),
            (&[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")], true, false),
            (&[("CLICOLOR", "0")], true, false),
            (&[("CLICOLOR", "1")], false, false),
            (&[("CLICOLOR_FORCE", "1")], false, true),
            (&[("CLICOLOR_FORCE", "0")], false, false),
            (&[("TERM", "dumb")], true, false),
        ];
        for (environment, is_terminal, expected) in cases {
            let variable =
                |name: &str| environment.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
            assert_eq!(is_coloured(Colours::Auto, is_terminal, &variable), expected, "{environment:?} {is_terminal}");
            assert!(is_coloured(Colours::Always, is_terminal, &variable));
            assert!(!is_coloured(Colours::Never, is_terminal, &variable));
        }
    }

    #[test]
    fn long_lines_are_broken_between_words() {
        assert_eq!(wrapped("short\n", 20), "short\n");
        let step = "  1  request(outer)  granted = {inner, outer}, is_open = {}\n";
        let below = " ".repeat(21);
        assert_eq!(
            wrapped(step, 42),
            format!("  1  request(outer)  granted = {{inner,\n{below}outer}}, is_open = {{}}\n")
        );
        let help = "  b [N]   go back one step, or N steps\n";
        assert_eq!(wrapped(help, 24), "  b [N]   go back one\n          step, or N\n          steps\n");
        assert_eq!(wrapped("one two three\n", 8), "one two\n  three\n");
        // What has no spaces cannot be broken, and colours take no room.
        let long = "x = {(1|->2),(2|->3),(3|->4)}\n";
        assert_eq!(wrapped(long, 12), long);
        assert_eq!(wrapped("\u{1b}[1;32mone two\u{1b}[0m\n", 7), "\u{1b}[1;32mone two\u{1b}[0m\n");
        assert_eq!(wrapped("12 | a long line of a machine\n", 10), "12 | a long line of a machine\n");
        for width in 0..60 {
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            assert_eq!(words(&wrapped(step, width)), words(step));
        }
    }

    #[test]
    fn lines_fit_any_width() {
        let parts: Vec<String> = ["1,234 states", "depth 5", "99 MB"].map(str::to_owned).to_vec();
        assert_eq!(fitted(&parts, 80), "1,234 states, depth 5, 99 MB");
        assert_eq!(fitted(&parts, 28), "1,234 states, depth 5");
        assert_eq!(fitted(&parts, 29), "1,234 states, depth 5, 99 MB");
        assert_eq!(fitted(&parts, 13), "1,234 states");
        for width in 0..40 {
            assert!(fitted(&parts, width).chars().count() < width.max(1));
        }
    }
}
