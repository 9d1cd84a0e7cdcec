//! Where comments go.
//!
//! The tree has no comments; they stand in [`crate::ast::Ast::comments`] with their positions. While the printer walks the tree
//! in the order of the text it passes positions, and the comments before a position are written when it is reached. A comment
//! is one of three:
//!
//! - it touched the item that follows (`/* c */ x`): it stays there;
//! - else, if it stood on a line of its own, it does so again, before the item that follows;
//! - else it stood behind the item before: it stays there, and in lists the line ends after it.
//!
//! The second pass over printed text must find every comment in the class it was printed as; this is what makes printing
//! idempotent.

use super::layout::{Item, Place};
use super::{Printer, lexeme};
use crate::ast::Comment;

/// The comments that have not been written yet.
pub(super) struct Cursor<'a> {
    rest: &'a [Comment],
}

/// The comments before a position, by class.
struct Run {
    /// So many belong to the item before.
    n_behind: usize,
    /// So many, with those, do not touch the item that follows.
    n_loose: usize,
    n_all: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(comments: &'a [Comment]) -> Self {
        Cursor { rest: comments }
    }

    pub(super) fn has_any_before(&self, pos: u32) -> bool {
        self.rest.first().is_some_and(|comment| comment.span.start < pos)
    }

    fn run(&self, pos: u32) -> Run {
        let n_all = self.rest.iter().take_while(|comment| comment.span.start < pos).count();
        let mut n_loose = n_all;
        let mut next = pos;
        while n_loose > 0 && touches(&self.rest[n_loose - 1], next) {
            n_loose -= 1;
            next = self.rest[n_loose].span.start;
        }
        let n_behind = n_behind(&self.rest[..n_loose]);
        Run { n_behind, n_loose, n_all }
    }
}

/// Whether a comment stands directly before the position, on the same line. Only positions are known, not the text between: one
/// character may be a blank or, before an item that is not indented, a line end. In formulas and substitutions it is a blank.
fn touches(comment: &Comment, pos: u32) -> bool {
    !comment.is_line && pos.saturating_sub(comment.span.end) <= 1 && !comment.text.contains('\n')
}

/// How many comments stand behind the item before them, on its line.
fn n_behind(comments: &[Comment]) -> usize {
    let n_behind = comments.iter().take_while(|comment| !comment.own_line).count();
    // A line comment has no other behind it, even if it had a word between.
    let first_line = comments[..n_behind].iter().position(|comment| comment.is_line);
    first_line.map_or(n_behind, |idx| idx + 1)
}

impl Printer<'_> {
    /// The comments before an item at `pos`, to be called when it is next.
    pub(super) fn leading(&mut self, pos: u32) {
        if self.comments.has_any_before(pos) {
            let run = self.comments.run(pos);
            self.emit(run.n_behind, Place::Between);
            self.emit(run.n_loose - run.n_behind, Place::Own);
            self.emit(run.n_all - run.n_loose, Place::Before);
        }
    }

    /// The comments behind an item of a list; the next item, at `pos`, comes on the next line if there are any.
    pub(super) fn trailing(&mut self, pos: u32) {
        if self.comments.has_any_before(pos) {
            let run = self.comments.run(pos);
            self.emit(run.n_behind, Place::EndOfLine);
        }
    }

    /// The comments before a keyword that starts a line and is followed by an item at `pos`.
    pub(super) fn before_keyword(&mut self, pos: u32) {
        if self.comments.has_any_before(pos) {
            let run = self.comments.run(pos);
            self.emit(run.n_behind, Place::EndOfLine);
            self.emit(run.n_loose - run.n_behind, Place::Own);
        }
    }

    /// The comments before a keyword or bracket that stands at `pos` or between the last item and `pos`.
    pub(super) fn closing(&mut self, pos: u32) {
        self.behind_or_own(pos, Place::Behind);
    }

    /// The comments before an entry at `pos` that starts a line, often without indentation, and comes after another one.
    pub(super) fn before_entry(&mut self, pos: u32) {
        self.behind_or_own(pos, Place::EndOfLine);
    }

    fn behind_or_own(&mut self, pos: u32, behind: Place) {
        let rest = self.comments.rest;
        let n_all = rest.iter().take_while(|comment| comment.span.start < pos).count();
        let n_behind = n_behind(&rest[..n_all]);
        self.emit(n_behind, behind);
        self.emit(n_all - n_behind, Place::Own);
    }

    /// The comments before an operator that is followed by an operand at `pos`.
    pub(super) fn before_operator(&mut self, pos: u32) {
        if self.comments.has_any_before(pos) {
            let run = self.comments.run(pos);
            self.emit(run.n_behind, Place::Behind);
            self.emit(run.n_loose - run.n_behind, Place::Own);
        }
    }

    /// The comments behind what has just been written, before an item at `pos`.
    pub(super) fn behind(&mut self, pos: u32) {
        if self.comments.has_any_before(pos) {
            let run = self.comments.run(pos);
            self.emit(run.n_behind, Place::Behind);
        }
    }

    /// The comments behind an item that ends at `end`, if a keyword and an item at `pos` follow. The keyword's position is
    /// not in the tree: a comment that leaves room for it stood behind it, and is left for later.
    pub(super) fn behind_before_keyword(&mut self, end: u32, keyword: &str, pos: u32) {
        if !self.comments.has_any_before(pos) {
            return;
        }
        let run = self.comments.run(pos);
        let mut end = end;
        let mut count = 0;
        for comment in &self.comments.rest[..run.n_behind] {
            if comment.span.start.saturating_sub(end) as usize > keyword.len() {
                break;
            }
            end = comment.span.end;
            count += 1;
        }
        self.emit(count, Place::EndOfLine);
    }

    /// The comments before the first word of a file. Its position is not in the tree: it is where there is room for it.
    pub(super) fn before_first_keyword(&mut self, keyword: &str) {
        let mut end = 0;
        let is_before = |comment: &&Comment| {
            let room = comment.span.start.saturating_sub(end) as usize;
            end = comment.span.end;
            room < keyword.len()
        };
        let count = self.comments.rest.iter().take_while(is_before).count();
        self.emit(count, Place::Own);
    }

    /// Writes the next `count` comments.
    fn emit(&mut self, count: usize, place: Place) {
        let (now, rest) = self.comments.rest.split_at(count);
        self.comments.rest = rest;
        for comment in now {
            let place = match place {
                // A comment behind a comment stays on its line.
                Place::Own if !comment.own_line => Place::EndOfLine,
                Place::Behind | Place::Between if comment.is_line => Place::EndOfLine,
                place => place,
            };
            self.doc.push(Item::Comment(lexeme::comment(&comment.text), place));
        }
    }
}
