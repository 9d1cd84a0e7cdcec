//! Layout: a stream of words, possible breaks and groups to lines of text.
//!
//! The algorithm is Oppen's ("Prettyprinting", TOPLAS 1980), simplified by keeping the whole stream in memory: one pass measures
//! every group with prefix sums, a second pass writes. A group that fits into the rest of its line is written flat. Otherwise
//! its own breaks become line ends, and each inner group is decided separately. Both passes are linear.
//!
//! Comments are part of the stream. Nothing is ever written after a line comment on its line.

use crate::ast::SmolStr;

/// One element of the stream.
#[derive(Clone, Debug)]
pub(super) enum Item {
    Text(SmolStr),
    Space,
    /// Flat: a blank. Broken: a line end.
    Line,
    /// Flat: nothing. Broken: a line end.
    SoftLine,
    /// A blank, unless what follows up to the next break of this group does not fit: then a line end.
    FillLine,
    /// A blank, unless what follows up to the end of this group fits into the next line, so much indented, but not into this
    /// one. For what is in brackets and can break inside.
    HugLine(u16),
    HardLine,
    /// An empty line.
    BlankLine,
    /// The groups around it are broken.
    ForceBreak,
    /// Up to the next word, empty lines are left out.
    BlockStart,
    Open,
    Close,
    Indent(u16),
    Dedent,
    Comment(SmolStr, Place),
}

/// Placement of a comment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    /// On a line of its own.
    Own,
    /// Behind what was written last; the line ends after it.
    EndOfLine,
    /// Behind what was written last; a line may end after it.
    Behind,
    /// Between two words of one line.
    Inside,
    /// Before what is written next.
    Before,
    /// Behind what was written last if a line end follows it, else before what is written next.
    Between,
}

/// The stream under construction.
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

    /// The text, without a final line end.
    pub(super) fn render(&self, width: usize) -> String {
        let marks = measure(&self.items);
        let mut writer = Writer {
            width,
            deepest_indent: (width / 2).max(MIN_DEEPEST_INDENT),
            marks: &marks,
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

/// Indentation stops growing at half the width, or at this column if that is more.
const MIN_DEEPEST_INDENT: usize = 20;

/// Measurements of the first pass at a position of the stream.
#[derive(Clone, Copy, Default)]
struct Measurement {
    /// Columns of all items before this one, written flat.
    columns: u32,
    /// Number of items before this one that cannot be written flat.
    n_hard: u32,
    /// `Open`: its `Close`. `FillLine` and `HugLine`: the next break of the same group, or its `Close`.
    end: u32,
    /// The first break at or after this position.
    next_break: u32,
}

/// Columns of an item written flat; none if it cannot be.
fn flat_columns(item: &Item) -> Option<usize> {
    match item {
        Item::Text(text) if text.contains('\n') => None,
        Item::Text(text) => Some(text.chars().count()),
        Item::Space | Item::Line | Item::FillLine | Item::HugLine(_) => Some(1),
        Item::SoftLine | Item::Open | Item::Close | Item::Indent(_) | Item::Dedent | Item::BlockStart => Some(0),
        Item::HardLine | Item::BlankLine | Item::ForceBreak => None,
        Item::Comment(_, Place::Own | Place::EndOfLine) => None,
        Item::Comment(text, _) if text.contains('\n') => None,
        Item::Comment(text, _) => Some(text.chars().count() + 1),
    }
}

fn is_break(item: &Item) -> bool {
    match item {
        Item::Line | Item::SoftLine | Item::FillLine | Item::HugLine(_) | Item::HardLine | Item::BlankLine => true,
        Item::Comment(_, place) => matches!(place, Place::Own | Place::EndOfLine | Place::Behind),
        _ => false,
    }
}

fn measure(items: &[Item]) -> Vec<Measurement> {
    let mut marks = vec![Measurement::default(); items.len() + 1];
    // The open groups: where each starts, and its last break that asks what follows.
    let mut groups: Vec<(usize, Option<usize>)> = vec![(items.len(), None)];
    for (idx, item) in items.iter().enumerate() {
        match item {
            Item::Open => groups.push((idx, None)),
            Item::Close if groups.len() > 1 => {
                if let Some((start, fill)) = groups.pop() {
                    marks[start].end = idx as u32;
                    fill.into_iter().for_each(|fill| marks[fill].end = idx as u32);
                }
            }
            item if is_break(item) => {
                if let Some((_, fill)) = groups.last_mut() {
                    fill.iter().for_each(|fill| marks[*fill].end = idx as u32);
                    *fill = matches!(item, Item::FillLine | Item::HugLine(_)).then_some(idx);
                }
            }
            _ => {}
        }
        let columns = flat_columns(item);
        marks[idx + 1].columns = marks[idx].columns + columns.unwrap_or(0) as u32;
        marks[idx + 1].n_hard = marks[idx].n_hard + u32::from(columns.is_none());
    }
    marks[items.len()].next_break = items.len() as u32;
    for (idx, item) in items.iter().enumerate().rev() {
        marks[idx].next_break = if is_break(item) { idx as u32 } else { marks[idx + 1].next_break };
    }
    marks
}

/// Pending separator before the next word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pending {
    Nothing,
    Space,
    Newline { indent: usize, blank: bool },
}

/// The last item written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum After {
    Code,
    /// A comment that ends its line; another one of `/* */` may still join it.
    BlockComment,
    LineComment,
}

struct Writer<'a> {
    width: usize,
    /// Indentation stops growing here: a formula nested a thousand levels deep keeps its shape near the leaves, and the text
    /// stays linear in the tree.
    deepest_indent: usize,
    marks: &'a [Measurement],
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
                let flat = self.is_flat() || self.fits(idx, self.marks[idx].end as usize, self.next_column());
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

    /// True if the items from `from` to `to`, with inseparable successors, fit when they start at `column`.
    fn fits(&self, from: usize, to: usize, column: usize) -> bool {
        let tail = self.marks[to].next_break as usize;
        let columns = self.marks[tail].columns - self.marks[from].columns;
        self.marks[from].n_hard == self.marks[to].n_hard && column.saturating_add(columns as usize) <= self.width
    }

    /// True if the items after a break fit, starting at `column`.
    fn rest_fits(&self, idx: usize, column: usize) -> bool {
        self.fits(idx + 1, self.marks[idx].end as usize, column)
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

    fn comment(&mut self, text: &str, place: Place) {
        let is_line = !text.starts_with("/*");
        let text = if is_line { text.trim_end() } else { text };
        let place = match place {
            Place::Between if self.at_line_start() => Place::Behind,
            Place::Between => Place::Before,
            place => place,
        };
        match place {
            Place::EndOfLine | Place::Behind | Place::Inside if self.after != After::LineComment => {
                // It belongs to what was written last, even if a line end is already due.
                let due = std::mem::replace(&mut self.pending, Pending::Space);
                let at_block_start = self.at_block_start;
                let ends_line = is_line || place == Place::EndOfLine || self.after == After::BlockComment;
                self.write_comment(text, is_line, ends_line);
                self.at_block_start = at_block_start;
                if matches!(due, Pending::Newline { .. }) {
                    self.pending = due;
                }
            }
            Place::Before => {
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
