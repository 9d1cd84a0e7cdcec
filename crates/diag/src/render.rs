//! Diagnostics as text, in the style of rustc.
//!
//! A line longer than [`RenderConfig::width`] is shown as a window around the marked span, so that an error in a line of 10 MB stays readable.

use std::fmt::Write as _;
use std::ops::Range;

use crate::{Diagnostic, FileId, Label, Severity, SourceMap, is_unsafe, visible};

/// Rendering options.
#[derive(Clone, Copy, Debug)]
pub struct RenderConfig {
    /// ANSI colours.
    pub color: bool,
    /// Columns available for source text.
    pub width: usize,
}

impl Default for RenderConfig {
    fn default() -> Self {
        RenderConfig { color: false, width: 100 }
    }
}

/// Text of a diagnostic, with a final newline.
pub fn render(map: &SourceMap, diagnostic: &Diagnostic, config: RenderConfig) -> String {
    let mut renderer = Renderer { map, config, out: String::new(), gutter: gutter_width(map, diagnostic) };
    renderer.diagnostic(diagnostic);
    renderer.out
}

#[derive(Clone, Copy)]
enum Paint {
    Error,
    Warning,
    Frame,
    Bold,
}

struct Renderer<'a> {
    map: &'a SourceMap,
    config: RenderConfig,
    out: String,
    gutter: usize,
}

/// Label with resolved line and column.
struct Located<'a> {
    file: FileId,
    line: u32,
    label: &'a Label,
    is_primary: bool,
}

fn gutter_width(map: &SourceMap, diagnostic: &Diagnostic) -> usize {
    let labels = diagnostic.primary.iter().chain(&diagnostic.secondary);
    let last = labels.map(|label| map.file(label.span.file).line_column(label.span.start).line).max();
    last.unwrap_or(1).to_string().len()
}

impl Renderer<'_> {
    fn diagnostic(&mut self, diagnostic: &Diagnostic) {
        let (word, paint) = match diagnostic.severity {
            Severity::Error => ("error", Paint::Error),
            Severity::Warning => ("warning", Paint::Warning),
        };
        self.painted(paint, &format!("{word}[{}]", diagnostic.id));
        self.painted(Paint::Bold, &format!(": {}", diagnostic.message));
        self.out.push('\n');
        self.places(diagnostic, paint);
        for (word, texts) in [("note", &diagnostic.notes), ("help", &diagnostic.help)] {
            for text in texts {
                self.margin("=");
                let _ = writeln!(self.out, " {word}: {}", visible(text));
            }
        }
    }

    fn places(&mut self, diagnostic: &Diagnostic, paint: Paint) {
        let locate = |label, is_primary| self.locate(label, is_primary);
        let primary = diagnostic.primary.iter().map(|label| locate(label, true));
        let mut places: Vec<Located> = primary.collect();
        places.extend(diagnostic.secondary.iter().map(|label| locate(label, false)));
        let Some(first) = places.first() else { return };
        let home = first.file;
        // The file of the primary label comes first. Lines of a file ascend.
        places.sort_by_key(|place| (place.file != home, place.file, place.line, !place.is_primary));
        let head = diagnostic.primary.as_ref().map(|label| label.span);
        let mut shown: Option<(FileId, u32, usize)> = None;
        for place in &places {
            if shown.is_none_or(|(file, ..)| file != place.file) {
                let at = head.filter(|span| span.file == place.file).unwrap_or(place.label.span);
                let arrow = if shown.is_none() { "-->" } else { ":::" };
                let _ = write!(self.out, "{:1$}", "", self.gutter + 1);
                self.painted(Paint::Frame, arrow);
                let _ = writeln!(self.out, " {}", visible(&self.map.locate(at)));
            } else if shown.is_some_and(|(_, line, _)| place.line > line + 1) {
                self.painted(Paint::Frame, "...");
                self.out.push('\n');
            }
            let known = shown.filter(|(file, line, _)| (*file, *line) == (place.file, place.line));
            let paint = if place.is_primary { paint } else { Paint::Frame };
            let from = self.place(place, known.map(|(.., from)| from), paint);
            shown = Some((place.file, place.line, from));
        }
    }

    fn locate<'l>(&self, label: &'l Label, is_primary: bool) -> Located<'l> {
        let file = label.span.file;
        let line = self.map.file(file).line_column(label.span.start).line;
        Located { file, line, label, is_primary }
    }

    /// Marks a place, below its line. `shown` is where the window of that line begins, if it was the last one to be printed. The answer is where it begins now.
    fn place(&mut self, place: &Located, shown: Option<usize>, paint: Paint) -> usize {
        let file = self.map.file(place.file);
        let range = file.line_range(place.line);
        let line = &file.text()[range.clone()];
        let start = (place.label.span.start as usize).clamp(range.start, range.end) - range.start;
        let end = (place.label.span.end as usize).clamp(range.start, range.end) - range.start;
        let start = line.floor_char_boundary(start);
        let end = line.ceil_char_boundary(end.max(start));
        let width = self.config.width;
        let is_seen = |from: &usize| *from <= start && line[*from..end].chars().take(width).count() < width;
        let shown = shown.filter(is_seen);
        let from = shown.unwrap_or_else(|| first_shown(line, start, width));
        let window = Window::new(line, from, start..end, width);
        if shown.is_none() {
            self.painted(Paint::Frame, &format!("{:>1$} | ", place.line, self.gutter));
            let _ = writeln!(self.out, "{}", window.text.trim_end());
        }
        self.margin("|");
        let mark = if place.is_primary { "^" } else { "-" };
        let _ = write!(self.out, " {:1$}", "", window.indent);
        let mut marks = mark.repeat(window.marked.max(1));
        if !place.label.text.is_empty() {
            marks.push(' ');
            marks.push_str(&place.label.text);
        }
        self.painted(paint, &marks);
        self.out.push('\n');
        from
    }

    fn margin(&mut self, sign: &str) {
        let _ = write!(self.out, "{:1$} ", "", self.gutter);
        self.painted(Paint::Frame, sign);
    }

    fn painted(&mut self, paint: Paint, text: &str) {
        let text = visible(text);
        if !self.config.color {
            self.out.push_str(&text);
            return;
        }
        let code = match paint {
            Paint::Error => "1;31",
            Paint::Warning => "1;33",
            Paint::Frame => "1;34",
            Paint::Bold => "1",
        };
        let _ = write!(self.out, "\x1b[{code}m{text}\x1b[0m");
    }
}

/// Visible part of a line, with tabs expanded and control characters replaced, and the columns of the marked span in it.
struct Window {
    text: String,
    indent: usize,
    marked: usize,
}

/// Where the window of a line begins that shows what starts there.
fn first_shown(line: &str, start: usize, width: usize) -> usize {
    match line[..start].char_indices().rev().nth(width / 3) {
        Some((idx, _)) if line.len() > width => idx,
        _ => 0,
    }
}

impl Window {
    fn new(line: &str, from: usize, marked: Range<usize>, width: usize) -> Window {
        let mut window = Window { text: String::new(), indent: 0, marked: 0 };
        if from > 0 {
            window.text.push('…');
            window.indent += 1;
        }
        let mut column = window.indent;
        for (idx, ch) in line[from..].char_indices().map(|(idx, ch)| (from + idx, ch)) {
            if column >= width {
                window.text.push('…');
                break;
            }
            let cells = if ch == '\t' { 4 } else { 1 };
            match ch {
                '\t' => window.text.push_str("    "),
                ch if is_unsafe(ch) => window.text.push('\u{fffd}'),
                ch => window.text.push(ch),
            }
            if idx < marked.start {
                window.indent += cells;
            } else if idx < marked.end {
                window.marked += cells;
            }
            column += cells;
        }
        window
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Span;

    fn rendered(text: &str, build: impl FnOnce(FileId) -> Diagnostic) -> String {
        let mut map = SourceMap::new();
        let file = map.add("lift.mch", text);
        render(&map, &build(file), RenderConfig { color: false, width: 60 })
    }

    #[test]
    fn primary_and_secondary_on_different_lines() {
        let text = "VARIABLES x\nINVARIANT x : NAT\nINITIALISATION\n  x := TRUE\n";
        let shown = rendered(text, |file| {
            Diagnostic::error("type-mismatch", "`TRUE` is a BOOL, but `x` is an INTEGER")
                .at_saying(Span::new(file, 52, 56), "this is a BOOL")
                .also(Span::new(file, 22, 23), "`x` is an INTEGER because of this")
                .help("write `bool(..)`")
        });
        assert_eq!(
            shown,
            "error[type-mismatch]: `TRUE` is a BOOL, but `x` is an INTEGER
  --> lift.mch:4:8
2 | INVARIANT x : NAT
  |           - `x` is an INTEGER because of this
...
4 |   x := TRUE
  |        ^^^^ this is a BOOL
  = help: write `bool(..)`
"
        );
    }

    #[test]
    fn long_lines_are_windowed() {
        let text = format!("{}ERR{}", "a".repeat(10_000), "b".repeat(10_000));
        let shown = rendered(&text, |file| Diagnostic::error("x", "m").at(Span::new(file, 10_000, 10_003)));
        assert!(shown.lines().all(|line| line.chars().count() < 80), "{shown}");
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines[2].chars().position(|c| c == 'E'), lines[3].chars().position(|c| c == '^'));
    }

    #[test]
    fn labels_of_one_long_line_are_below_what_they_mean() {
        for n_between in [10, 200] {
            let text = format!("{}FIRST{}ERR{}", "a".repeat(90), "-".repeat(n_between), "b".repeat(90));
            let error = 95 + n_between as u32;
            let shown = rendered(&text, |file| {
                Diagnostic::error("x", "m").at(Span::new(file, error, error + 3)).also(Span::new(file, 90, 95), "here")
            });
            let lines: Vec<&str> = shown.lines().collect();
            let column = |line: &str, ch: char| line.chars().position(|c| c == ch);
            assert_eq!(column(lines[2], 'E'), column(lines[3], '^'), "{shown}");
            // The line is printed again if both labels are not seen together.
            let source = if n_between > 10 { lines[4] } else { lines[2] };
            let marks = lines.last().map(|line| line.find("----- here"));
            assert_eq!(marks, Some(source.find("FIRST").map(|at| at - "…".len() + 1)), "{shown}");
        }
    }

    #[test]
    fn tabs_keep_the_mark_aligned() {
        let shown = rendered("\tx", |file| Diagnostic::error("x", "m").at(Span::new(file, 1, 2)));
        assert!(shown.contains("1 |     x\n  |     ^"), "{shown}");
    }

    #[test]
    fn nothing_reaches_the_terminal_but_text_and_our_colours() {
        let mut map = SourceMap::new();
        let file = map.add("a\x1b[2Jb.mch", "x \x1b[31m \u{202e}y");
        let hostile = "say \x1b]0;title\u{7}";
        let diagnostic =
            Diagnostic::error("x", hostile).at_saying(Span::new(file, 0, 1), hostile).note(hostile).help(hostile);
        let plain = render(&map, &diagnostic, RenderConfig::default());
        assert!(!plain.contains(is_unsafe), "{plain:?}");
        let coloured = render(&map, &diagnostic, RenderConfig { color: true, ..RenderConfig::default() });
        assert!(!coloured.contains("\x1b]") && !coloured.contains("\x1b[2J") && !coloured.contains("\x1b[31m"));
    }

    #[test]
    fn a_span_at_the_end_of_the_file_is_shown() {
        let shown = rendered("MACHINE M", |file| Diagnostic::error("x", "m").at(Span::new(file, 9, 9)));
        assert!(shown.contains("lift.mch:1:10"), "{shown}");
    }
}
