//! Layout: a stream of words, possible breaks and groups to lines of text.
//!
//! The algorithm is that of Oppen ("Prettyprinting", TOPLAS 1980), simplified by keeping the whole stream in memory: one pass measures every group
//! with prefix sums, a second pass writes. A group that fits on the rest of its line is written flat. Otherwise its own breaks become line ends, and
//! each inner group is decided separately. Both passes are linear.
//!
//! Comments are part of the stream. Nothing is written after a line comment on its line.

use crate::ast::SmolStr;

/// Element of the stream.
#[derive(Clone, Debug)]
pub(super) enum Item {
    Text(SmolStr),
    Space,
    /// A blank in a flat group, a line end in a broken one.
    Line,
    /// Nothing in a flat group, a line end in a broken one.
    SoftLine,
    /// A line end if the items up to the next break of this group do not fit on the line, otherwise a blank.
    FillLine,
    /// A line end if the items up to the end of this group fit on the next line, with this indentation, but not on the current one; otherwise a
    /// blank. For bracketed items, which can break inside.
    HugLine(u16),
    HardLine,
    /// An empty line.
    BlankLine,
    /// Breaks the enclosing groups.
    ForceBreak,
    /// Suppresses empty lines up to the next word.
    BlockStart,
    Open,
    Close,
    Indent(u16),
    Dedent,
    Comment(SmolStr, CommentPlace),
}

/// Placement of a comment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum CommentPlace {
    /// On a line of its own.
    Own,
    /// After the last word; the line ends after it.
    EndOfLine,
    /// After the last word; the line may end after it.
    Behind,
    /// Between two words of one line.
    Inside,
    /// Before the next word.
    Before,
    /// After the last word if a line end follows, otherwise before the next word.
    Between,
}

/// Stream under construction.
#[derive(Default)]
pub(super) struct Doc {
    items: Vec<Item>,
}

impl Doc {
    pub(super) fn push(&mut self, item: Item) {
        self.items.push(item);
    }

    pub(super) fn word(&mut self, text: &'static str) {
        self.items.push(Item::Text(SmolStr::new_static(text)));
    }

    pub(super) fn text(&mut self, text: impl Into<SmolStr>) {
        self.items.push(Item::Text(text.into()));
    }

    /// Text without a final line end.
    pub(super) fn render(&self, width: usize) -> String {
        let measurements = measure(&self.items);
        let mut writer = Writer {
            width,
            deepest_indent: (width / 2).max(MIN_DEEPEST_INDENT),
            measurements: &measurements,
            out: String::new(),
            column: 0,
            pending: Pending::Nothing,
            after: After::Code,
            at_block_start: false,
            indents: vec![0],
            flat: vec![false],
        };
        for (idx, item) in self.items.iter().enumerate() {
            writer.item(idx, item);
        }
        writer.out
    }
}

/// Minimum of the largest indentation, which is otherwise half the width.
const MIN_DEEPEST_INDENT: usize = 20;

/// Measurements of the first pass at a position of the stream.
#[derive(Clone, Copy, Default)]
struct Measurement {
    /// Columns of all items before this one, written flat.
    columns: u32,
    /// Number of items before this one that cannot be written flat.
    n_hard: u32,
    /// Matching `Close` of an `Open`; next break of the same group, or its `Close`, of a `FillLine` or `HugLine`.
    end: u32,
    /// First break at or after this position.
    next_break: u32,
}

/// Columns of an item written flat; `None` if it cannot be.
fn flat_columns(item: &Item) -> Option<usize> {
    match item {
        Item::Text(text) if text.contains('\n') => None,
        Item::Text(text) => Some(text.chars().count()),
        Item::Space | Item::Line | Item::FillLine | Item::HugLine(_) => Some(1),
        Item::SoftLine | Item::Open | Item::Close | Item::Indent(_) | Item::Dedent | Item::BlockStart => Some(0),
        Item::HardLine | Item::BlankLine | Item::ForceBreak => None,
        Item::Comment(_, CommentPlace::Own | CommentPlace::EndOfLine) => None,
        Item::Comment(text, _) if text.contains('\n') => None,
        Item::Comment(text, _) => Some(text.chars().count() + 1),
    }
}

fn is_break(item: &Item) -> bool {
    match item {
        Item::Line | Item::SoftLine | Item::FillLine | Item::HugLine(_) | Item::HardLine | Item::BlankLine => true,
        Item::Comment(_, place) => matches!(place, CommentPlace::Own | CommentPlace::EndOfLine | CommentPlace::Behind),
        _ => false,
    }
}

fn measure(items: &[Item]) -> Vec<Measurement> {
    let mut measurements = vec![Measurement::default(); items.len() + 1];
    // Open groups: start, and last break whose decision depends on the following items.
    let mut groups: Vec<(usize, Option<usize>)> = vec![(items.len(), None)];
    for (idx, item) in items.iter().enumerate() {
        match item {
            Item::Open => groups.push((idx, None)),
            Item::Close if groups.len() > 1 => {
                if let Some((start, fill)) = groups.pop() {
                    measurements[start].end = idx as u32;
                    fill.into_iter().for_each(|fill| measurements[fill].end = idx as u32);
                }
            }
            item if is_break(item) => {
                if let Some((_, fill)) = groups.last_mut() {
                    fill.iter().for_each(|fill| measurements[*fill].end = idx as u32);
                    *fill = matches!(item, Item::FillLine | Item::HugLine(_)).then_some(idx);
                }
            }
            _ => {}
        }
        let columns = flat_columns(item);
        measurements[idx + 1].columns = measurements[idx].columns + columns.unwrap_or(0) as u32;
        measurements[idx + 1].n_hard = measurements[idx].n_hard + u32::from(columns.is_none());
    }
    measurements[items.len()].next_break = items.len() as u32;
    for (idx, item) in items.iter().enumerate().rev() {
        measurements[idx].next_break = if is_break(item) { idx as u32 } else { measurements[idx + 1].next_break };
    }
    measurements
}

/// Pending separator before the next word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pending {
    Nothing,
    Space,
    Newline { indent: usize, blank: bool },
}

/// Kind of the last item written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum After {
    Code,
    /// Comment that ends its line; another `/* */` comment may still follow on it.
    BlockComment,
    LineComment,
}

struct Writer<'a> {
    width: usize,
    /// Largest indentation. It keeps deeply nested formulas readable, and the text linear in the size of the tree.
    deepest_indent: usize,
    measurements: &'a [Measurement],
    out: String,
    column: usize,
    pending: Pending,
    after: After,
    at_block_start: bool,
    indents: Vec<usize>,
    flat: Vec<bool>,
}

impl Writer<'_> {
    fn item(&mut self, idx: usize, item: &Item) {
        match item {
            Item::Text(text) => self.text(text),
            Item::Space => self.space(),
            Item::Line if self.is_flat() => self.space(),
            Item::SoftLine if self.is_flat() => {}
            Item::FillLine if self.is_flat() || self.rest_fits(idx, self.next_column() + 1) => self.space(),
            Item::HugLine(by) => {
                let fits = !self.is_flat() && self.rest_fits(idx, self.indent_by(*by));
                if fits { self.newline_at(self.indent_by(*by), false) } else { self.space() }
            }
            Item::Line | Item::SoftLine | Item::FillLine | Item::HardLine => self.newline(false),
            Item::BlankLine => self.newline(true),
            Item::ForceBreak => {}
            Item::BlockStart => self.at_block_start = true,
            Item::Open => {
                let flat = self.is_flat() || self.fits(idx, self.measurements[idx].end as usize, self.next_column());
                self.flat.push(flat);
            }
            Item::Close => {
                self.flat.pop();
            }
            Item::Indent(by) => self.indents.push(self.indent_by(*by)),
            Item::Dedent => {
                self.indents.pop();
            }
            Item::Comment(text, place) => self.comment(text, *place),
        }
    }

    fn is_flat(&self) -> bool {
        self.flat.last().is_some_and(|flat| *flat)
    }

    fn indent(&self) -> usize {
        self.indents.last().copied().unwrap_or(0)
    }

    fn indent_by(&self, by: u16) -> usize {
        let indent = self.indent();
        indent.max((indent + by as usize).min(self.deepest_indent))
    }

    fn next_column(&self) -> usize {
        match self.pending {
            Pending::Nothing => self.column,
            Pending::Space => self.column + 1,
            Pending::Newline { indent, .. } => indent,
        }
    }

    /// True if the items from `from` to `to`, with all items up to the next break, fit on a line from `column`.
    fn fits(&self, from: usize, to: usize, column: usize) -> bool {
        let tail = self.measurements[to].next_break as usize;
        let columns = self.measurements[tail].columns - self.measurements[from].columns;
        self.measurements[from].n_hard == self.measurements[to].n_hard
            && column.saturating_add(columns as usize) <= self.width
    }

    /// True if the items after a break fit on a line from `column`.
    fn rest_fits(&self, idx: usize, column: usize) -> bool {
        self.fits(idx + 1, self.measurements[idx].end as usize, column)
    }

    fn space(&mut self) {
        if self.pending == Pending::Nothing {
            self.pending = Pending::Space;
        }
    }

    fn newline(&mut self, blank: bool) {
        self.newline_at(self.indent(), blank);
    }

    fn newline_at(&mut self, indent: usize, blank: bool) {
        let was_blank = matches!(self.pending, Pending::Newline { blank: true, .. });
        if !self.out.is_empty() {
            self.pending = Pending::Newline { indent, blank: was_blank || blank && !self.at_block_start };
        }
    }

    fn at_line_start(&self) -> bool {
        self.out.is_empty() || matches!(self.pending, Pending::Newline { .. })
    }

    fn text(&mut self, text: &str) {
        self.after = After::Code;
        self.write(text);
    }

    fn write(&mut self, text: &str) {
        match std::mem::replace(&mut self.pending, Pending::Nothing) {
            Pending::Nothing => {}
            Pending::Space if self.out.is_empty() => {}
            Pending::Space => {
                self.out.push(' ');
                self.column += 1;
            }
            Pending::Newline { indent, blank } => {
                self.out.push_str(if blank { "\n\n" } else { "\n" });
                self.out.extend(std::iter::repeat_n(' ', indent));
                self.column = indent;
            }
        }
        self.at_block_start = false;
        self.out.push_str(text);
        match text.rsplit_once('\n') {
            Some((_, last)) => self.column = last.chars().count(),
            None => self.column += text.chars().count(),
        }
    }

    fn comment(&mut self, text: &str, place: CommentPlace) {
        let is_line = !text.starts_with("/*");
        let text = if is_line { text.trim_end() } else { text };
        let place = match place {
            CommentPlace::Between if self.at_line_start() => CommentPlace::Behind,
            CommentPlace::Between => CommentPlace::Before,
            place => place,
        };
        match place {
            CommentPlace::EndOfLine | CommentPlace::Behind | CommentPlace::Inside
                if self.after != After::LineComment =>
            {
                // The comment belongs to the last word, even if a line end is pending.
                let due = std::mem::replace(&mut self.pending, Pending::Space);
                let at_block_start = self.at_block_start;
                let ends_line = is_line || place == CommentPlace::EndOfLine || self.after == After::BlockComment;
                self.write_comment(text, is_line, ends_line);
                self.at_block_start = at_block_start;
                if matches!(due, Pending::Newline { .. }) {
                    self.pending = due;
                }
            }
            CommentPlace::Before => {
                self.write_comment(text, is_line, is_line);
                self.space();
            }
            _ => {
                self.newline(false);
                self.write_comment(text, is_line, true);
            }
        }
    }

    fn write_comment(&mut self, text: &str, is_line: bool, ends_line: bool) {
        self.write(text);
        self.after = match (ends_line, is_line) {
            (false, _) => After::Code,
            (true, false) => After::BlockComment,
            (true, true) => After::LineComment,
        };
        if ends_line {
            self.newline(false);
        }
    }
}
