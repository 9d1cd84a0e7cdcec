//! Pretty-printer: syntax tree to text.
//!
//! [`print`] writes a file that parses to the same tree. It keeps all comments and the user's redundant parentheses. Lines stay within
//! [`PrintConfig::width`] if possible. Printing is idempotent. `machine.rs`, `substitution.rs` and `formula.rs` turn the tree into a stream of words
//! and possible breaks, and `layout.rs` turns the stream into lines. `lexeme.rs` spells names and literals, `comments.rs` places comments.

mod comments;
mod formula;
mod layout;
mod lexeme;
mod machine;
mod substitution;
#[cfg(test)]
mod tests;

use crate::ast::{Ast, Expr, ExprId, Ident, SmolStr};
use comments::Cursor;
use layout::{Doc, Item};

/// Printing options.
#[derive(Clone, Copy, Debug)]
pub struct PrintConfig {
    /// Unicode symbols (`∈`, `∪`) instead of their ASCII forms.
    pub unicode: bool,
    /// Maximum line width, if possible.
    pub width: usize,
}

impl Default for PrintConfig {
    fn default() -> Self {
        PrintConfig { unicode: false, width: 100 }
    }
}

/// Text of a file, with a final line end.
pub fn print(ast: &Ast, config: PrintConfig) -> String {
    let mut printer = Printer::new(ast, config, Cursor::new(ast));
    printer.unit();
    let mut text = printer.doc.render(config.width);
    text.push('\n');
    text
}

/// Text of a formula on one line, without comments.
pub fn print_expr(ast: &Ast, id: ExprId, config: PrintConfig) -> String {
    let mut printer = Printer::new(ast, config, Cursor::nothing());
    printer.one_line = true;
    printer.formula(id);
    printer.doc.render(usize::MAX)
}

/// Indentation of the content of a keyword or a bracket.
const INDENT_COLUMNS: u16 = 2;

struct Printer<'a> {
    ast: &'a Ast,
    unicode: bool,
    /// True if pragmas may not contain line ends.
    one_line: bool,
    cursor: Cursor<'a>,
    doc: Doc,
}

/// Line breaking of a list that does not fit on one line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Breaking {
    /// As many items per line as fit.
    Fill,
    /// One item per line.
    Each,
    /// One item per line, even if all fit on one.
    Always,
    /// One item per line, with empty lines between.
    Apart,
}

impl<'a> Printer<'a> {
    fn new(ast: &'a Ast, config: PrintConfig, cursor: Cursor<'a>) -> Self {
        Printer { ast, unicode: config.unicode, one_line: false, cursor, doc: Doc::default() }
    }

    /// Writes the ASCII or the Unicode spelling.
    fn symbol(&mut self, ascii: &'static str, unicode: &'static str) {
        self.doc.word(if self.unicode { unicode } else { ascii });
    }

    fn word(&mut self, text: &'static str) {
        self.doc.word(text);
    }

    fn text(&mut self, text: impl Into<SmolStr>) {
        self.doc.text(text);
    }

    fn space(&mut self) {
        self.doc.push(Item::Space);
    }

    fn line(&mut self) {
        self.doc.push(Item::Line);
    }

    fn soft_line(&mut self) {
        self.doc.push(Item::SoftLine);
    }

    fn hard_line(&mut self) {
        self.doc.push(Item::HardLine);
    }

    fn group(&mut self, content: impl FnOnce(&mut Self)) {
        self.doc.push(Item::Open);
        content(self);
        self.doc.push(Item::Close);
    }

    fn indented(&mut self, content: impl FnOnce(&mut Self)) {
        self.indented_by(INDENT_COLUMNS, content);
    }

    fn indented_by(&mut self, by: u16, content: impl FnOnce(&mut Self)) {
        self.doc.push(Item::Indent(by));
        content(self);
        self.doc.push(Item::Dedent);
    }

    /// Writes items with a separator after all but the last, with their comments and the user's empty lines. The caller opens the group.
    fn list<T>(
        &mut self,
        items: &[T],
        separator: &'static str,
        breaking: Breaking,
        start: impl Fn(&Self, &T) -> u32,
        mut item: impl FnMut(&mut Self, &T),
    ) {
        // A comment inside the list ends its line, so all items get a line each.
        let has_comments = items.last().is_some_and(|last| self.cursor.has_any_before(start(self, last)));
        let line = match breaking {
            Breaking::Always => Item::HardLine,
            Breaking::Apart => Item::BlankLine,
            Breaking::Fill if !has_comments => Item::FillLine,
            _ => Item::Line,
        };
        for (idx, each) in items.iter().enumerate() {
            let pos = start(self, each);
            if idx > 0 {
                self.before_mark(pos);
                self.word(separator);
                self.trailing(pos);
                self.line_ahead(pos, line.clone());
            }
            self.leading(pos);
            item(self, each);
        }
    }

    /// Writes a [`Printer::list`] in a group of its own. Comments before the first item stay outside, so that one on a line of its own does not break
    /// the list.
    fn list_group<T>(
        &mut self,
        items: &[T],
        separator: &'static str,
        breaking: Breaking,
        start: impl Fn(&Self, &T) -> u32,
        item: impl FnMut(&mut Self, &T),
    ) {
        if let Some(first) = items.first() {
            self.leading(start(self, first));
        }
        self.group(|this| this.list(items, separator, breaking, start, item));
    }

    /// Writes `open content close`. In a broken group, the content is on lines of its own. `end` is the end of the brackets in the source.
    fn bracketed(&mut self, open: &'static str, close: &'static str, end: u32, content: impl FnOnce(&mut Self)) {
        self.group(|this| {
            this.word(open);
            this.doc.push(Item::BlockStart);
            this.indented(|this| {
                this.soft_line();
                content(this);
                this.closing(end);
            });
            this.soft_line();
            this.word(close);
        });
    }

    fn ident(&mut self, ident: &Ident) {
        self.leading(ident.span.start);
        self.name(&ident.name);
        self.cursor.pass(ident.span.end);
    }

    fn name(&mut self, name: &SmolStr) {
        self.text(lexeme::name(name));
    }

    /// `a, b, c`
    fn idents(&mut self, idents: &[Ident]) {
        self.indented(|this| {
            this.list_group(idents, ",", Breaking::Fill, |_, ident| ident.span.start, |this, ident| this.ident(ident));
        });
    }

    /// Writes `(a, b)` after a declared name; nothing if there are no parameters.
    fn formal_params(&mut self, params: &[Ident]) {
        if !params.is_empty() {
            self.word("(");
            self.idents(params);
            self.behind_last();
            self.word(")");
        }
    }

    /// Writes `(E, F)` after a called name; nothing if there are no arguments.
    fn actual_params(&mut self, args: &[ExprId], end: u32) {
        if !args.is_empty() {
            self.bracketed("(", ")", end, |this| this.exprs(args));
        }
    }

    /// Writes a right side: on the line of its left side if it fits there or starts with a bracket, otherwise on the next line.
    fn right_side(&mut self, id: ExprId, min_priority: u16) {
        if self.opens_with_bracket(id, min_priority) {
            self.group(|this| {
                this.doc.push(Item::HugLine(INDENT_COLUMNS));
                this.expr(id, min_priority);
            });
        } else {
            self.group(|this| {
                this.indented(|this| {
                    this.line();
                    this.expr(id, min_priority);
                });
            });
        }
    }

    /// Writes `/*@ name text */` so that the lexer reads it back.
    fn pragma(&mut self, name: &'static str, text: &str) {
        let text = if self.one_line { text.replace('\n', " ") } else { text.to_owned() };
        let blank = if text.is_empty() { "" } else { " " };
        self.text(format!("/*@ {name}{blank}{text} */"));
    }

    /// Writes ` /*@ desc text */`.
    fn description(&mut self, text: Option<&SmolStr>) {
        if let Some(text) = text {
            self.space();
            self.pragma("desc", text);
        }
    }

    fn right_side_formula(&mut self, id: ExprId) {
        self.right_side(id, formula::FORMULA);
    }

    fn expr_start(&self, id: ExprId) -> u32 {
        self.ast.expr(id).span.start
    }

    fn expr_end(&self, id: ExprId) -> u32 {
        self.ast.expr(id).span.end
    }

    fn kind(&self, id: ExprId) -> &'a Expr {
        &self.ast.expr(id).expr
    }
}
