//! Placement of comments and empty lines.
//!
//! The tree has no comments; [`crate::ast::Ast::comments`] lists them with their neighbouring tokens. The printer traverses the tree in the order of
//! the text. Before it writes a token or item, it writes the comments that precede it. Comments on one line form a row. A row has one of four places:
//!
//! - alone on its line: it stays alone, above the same item;
//! - at the end of a line: it stays at the end of the line of the item before it;
//! - at the start of a line with further tokens: it stays before the next item;
//! - between two tokens of one line: it stays with the one that is an item, not a keyword, an operator or a comma.
//!
//! Printing is idempotent only if a second pass finds every comment in the place it was printed at, and every empty line between the same two items.

use super::layout::{CommentPlace, Item};
use super::{Printer, lexeme};
use crate::ast::{Ast, Comment};

/// Position of the printer in the text.
pub(super) struct Cursor<'a> {
    /// Comments not yet written.
    rest: &'a [Comment],
    line_starts: &'a [u32],
    blank_lines: &'a [u32],
    /// End of the last item or comment written.
    done: u32,
}

/// Comments on one line, without a token between them.
#[derive(Clone, Copy)]
struct Row {
    n_comments: usize,
    start: u32,
    /// End of the previous token.
    after: u32,
    /// Start of the next token.
    before: u32,
    /// True if nothing precedes the row on its line.
    own_line: bool,
    /// True if the next token is on the line of the row, and no comment of the row has several lines.
    goes_on: bool,
}

impl Row {
    fn is_trailing(&self) -> bool {
        !self.own_line && !self.goes_on
    }

    /// Placement if an item at `pos` is written next.
    fn place_before_item(&self, pos: u32) -> CommentPlace {
        match self.place_before_token() {
            _ if self.goes_on && self.before >= pos => CommentPlace::Before,
            CommentPlace::Behind => CommentPlace::Between,
            place => place,
        }
    }

    /// Placement if the token after the row is written next.
    fn place_before_token(&self) -> CommentPlace {
        match (self.own_line, self.goes_on) {
            (true, _) => CommentPlace::Own,
            (false, true) => CommentPlace::Behind,
            (false, false) => CommentPlace::EndOfLine,
        }
    }
}

impl<'a> Cursor<'a> {
    pub(super) fn new(ast: &'a Ast) -> Self {
        Cursor { rest: &ast.comments, line_starts: &ast.line_starts, blank_lines: &ast.blank_lines, done: 0 }
    }

    /// Cursor for printing without comments and empty lines.
    pub(super) fn nothing() -> Self {
        Cursor { rest: &[], line_starts: &[], blank_lines: &[], done: 0 }
    }

    pub(super) fn has_any_before(&self, pos: u32) -> bool {
        self.rest.first().is_some_and(|comment| comment.span.start < pos)
    }

    /// Records that an item up to `end` was written.
    pub(super) fn pass(&mut self, end: u32) {
        self.done = self.done.max(end);
    }

    /// Next row, if it starts before `pos`.
    fn row_before(&self, pos: u32) -> Option<Row> {
        self.row(0, |first| first.span.start < pos)
    }

    /// Row that starts with the first comment after `n_skipped` ones, if `is_wanted` accepts that comment. The test comes before the row is measured,
    /// since a long row must not be measured often.
    fn row(&self, n_skipped: usize, is_wanted: impl Fn(&Comment) -> bool) -> Option<Row> {
        let comments = &self.rest[n_skipped..];
        let first = comments.first().filter(|first| is_wanted(first))?;
        let is_same_row = |comment: &&Comment| !comment.own_line && comment.before == first.before;
        Some(Row {
            n_comments: 1 + comments[1..].iter().take_while(is_same_row).count(),
            start: first.span.start,
            after: first.after,
            before: first.before,
            own_line: first.own_line,
            goes_on: !first.is_line && self.line(first.span.start) == self.line(first.before),
        })
    }

    fn line(&self, pos: u32) -> usize {
        self.line_starts.partition_point(|start| *start <= pos)
    }

    fn column(&self, pos: u32) -> u32 {
        let line = self.line(pos);
        pos - line.checked_sub(1).map_or(0, |idx| self.line_starts[idx])
    }

    fn has_blank_between(&self, from: u32, to: u32) -> bool {
        let next = self.blank_lines.partition_point(|start| *start <= from);
        self.blank_lines.get(next).is_some_and(|start| *start < to)
    }

    /// True if the text has an empty line before the next item at `pos`, or before a comment that precedes it.
    fn blank_ahead(&self, pos: u32) -> bool {
        let next = self.rest.first().map_or(pos, |comment| comment.span.start.min(pos));
        self.has_blank_between(self.done, next)
    }

    /// As [`Cursor::blank_ahead`], if a keyword on a line of its own is next and the item at `pos` comes after it.
    fn blank_before_keyword(&self, pos: u32) -> bool {
        match self.rest.first().filter(|comment| comment.span.start < pos) {
            Some(comment) if !comment.own_line => self.has_blank_between(self.done, comment.span.start),
            first => {
                // The keyword is on the line before. An empty line there is after the keyword.
                let line = self.line(first.map_or(pos, |comment| comment.span.start));
                let limit = line.checked_sub(2).map_or(0, |idx| self.line_starts[idx]);
                self.has_blank_between(self.done, limit)
            }
        }
    }
}

// Comments.
impl Printer<'_> {
    /// Writes the comments before an item at `pos`, when the item is next.
    pub(super) fn leading(&mut self, pos: u32) {
        let mut after_own = false;
        while let Some(row) = self.cursor.row_before(pos) {
            let mut place = row.place_before_item(pos);
            let next = self.cursor.row(row.n_comments, |first| first.span.start < pos);
            let next_place = next.map(|next| next.place_before_item(pos));
            if place == CommentPlace::Between && matches!(next_place, Some(CommentPlace::Own | CommentPlace::EndOfLine))
            {
                place = CommentPlace::EndOfLine;
            }
            if place == CommentPlace::Before && after_own {
                self.blank_line_ahead(pos);
            }
            after_own = place == CommentPlace::Own;
            self.emit(row, place);
        }
        if after_own {
            self.blank_line_ahead(pos);
        }
    }

    /// Writes the comments at the end of the current line, which precede an item at `pos`.
    pub(super) fn trailing(&mut self, pos: u32) {
        if let Some(row) = self.cursor.row_before(pos).filter(Row::is_trailing) {
            self.emit(row, CommentPlace::EndOfLine);
        }
    }

    /// Writes the comments before a token that stays on the line of the previous item, such as a comma; an item at `pos` follows. Comments that would
    /// end the line are left for later.
    pub(super) fn before_mark(&mut self, pos: u32) {
        while let Some(row) = self.cursor.row_before(pos) {
            if row.own_line || !row.goes_on || row.before >= pos {
                break;
            }
            self.emit(row, CommentPlace::Inside);
        }
    }

    /// Writes the comments before an operator that starts a line; its operand at `pos` follows. Comments directly before the operand are left for
    /// later.
    pub(super) fn before_operator(&mut self, pos: u32) {
        while let Some(row) = self.cursor.row_before(pos) {
            if row.goes_on && row.before >= pos {
                break;
            }
            self.emit(row, row.place_before_token());
        }
    }

    /// Writes the comments before a keyword that starts a line and precedes `limit`. A comment with a larger indentation than the keyword belongs to
    /// the block before it.
    pub(super) fn before_keyword(&mut self, limit: u32) {
        while let Some(row) = self.cursor.row(0, |first| first.before < limit) {
            self.emit_before_keyword(row);
        }
    }

    /// Writes the comments before a keyword that starts a line directly after the last item.
    pub(super) fn before_next_keyword(&mut self) {
        while let Some(row) = self.cursor.row(0, |first| first.after <= self.cursor.done) {
            self.emit_before_keyword(row);
        }
    }

    fn emit_before_keyword(&mut self, row: Row) {
        let place = row.place_before_token();
        let is_inside = !row.goes_on && self.cursor.column(row.start) > self.cursor.column(row.before);
        if place == CommentPlace::Own && is_inside {
            self.indented(|this| this.emit(row, place));
        } else {
            self.emit(row, place);
        }
    }

    /// Writes the comments before a bracket that closes before `limit`.
    pub(super) fn closing(&mut self, limit: u32) {
        while let Some(row) = self.cursor.row(0, |first| first.before < limit) {
            self.emit(row, row.place_before_token());
        }
    }

    /// Writes the comments directly after the last item, whatever token follows.
    pub(super) fn behind_last(&mut self) {
        while let Some(row) = self.cursor.row(0, |first| first.after <= self.cursor.done) {
            self.emit(row, row.place_before_token());
        }
    }

    /// Writes the comments before the first token of a file, and the empty line before that token.
    pub(super) fn before_first_token(&mut self) {
        while let Some(row) = self.cursor.row(0, |first| first.after == 0) {
            self.emit(row, CommentPlace::Own);
            self.blank_line_ahead(row.before);
        }
    }

    /// Writes the next row.
    fn emit(&mut self, row: Row, place: CommentPlace) {
        if place == CommentPlace::Own && self.cursor.has_blank_between(self.cursor.done.max(row.after), row.start) {
            self.doc.push(Item::BlankLine);
        }
        let (now, rest) = self.cursor.rest.split_at(row.n_comments);
        self.cursor.rest = rest;
        for (idx, comment) in now.iter().enumerate() {
            let place = match place {
                // A comment after a comment stays on the same line.
                CommentPlace::Own if idx > 0 => CommentPlace::EndOfLine,
                CommentPlace::Behind | CommentPlace::Inside | CommentPlace::Between if comment.is_line => {
                    CommentPlace::EndOfLine
                }
                place => place,
            };
            self.doc.push(Item::Comment(lexeme::comment(&comment.text), place));
            self.cursor.pass(comment.span.end);
        }
    }
}

// Empty lines.
impl Printer<'_> {
    /// Writes the user's empty line before the next item at `pos` or a comment before it.
    pub(super) fn blank_line_ahead(&mut self, pos: u32) {
        if self.cursor.blank_ahead(pos) {
            self.doc.push(Item::BlankLine);
        }
    }

    /// Writes a line end, and the user's empty line before the next item at `pos`.
    pub(super) fn line_ahead(&mut self, pos: u32, line: Item) {
        self.doc.push(if self.cursor.blank_ahead(pos) { Item::BlankLine } else { line });
    }

    /// Writes a line end before a keyword on a line of its own, and the user's empty line before it; an item at `pos` follows.
    pub(super) fn line_before_keyword(&mut self, pos: u32) {
        let has_blank = self.cursor.blank_before_keyword(pos);
        self.doc.push(if has_blank { Item::BlankLine } else { Item::Line });
    }
}
