//! Printing of substitutions: blocks between keywords, assignments and calls.

use abridge_diag::with_stack;

use super::layout::Item;
use super::{Breaking, Printer};
use crate::AstNode;
use crate::ast::{ExprId, Ident, Subst, SubstId};

impl Printer<'_> {
    pub(super) fn subst(&mut self, id: SubstId) {
        with_stack(|| {
            self.leading(self.subst_start(id));
            let ast = self.ast;
            let node = ast.subst(id);
            let end = node.span.end;
            match &node.subst {
                Subst::Error => self.word("?"),
                Subst::Skip => self.word("skip"),
                Subst::Assign { targets, values } => self.assign(targets, values),
                Subst::BecomesElement { targets, set } => {
                    self.idents(targets);
                    self.before_mark(self.expr_start(*set));
                    self.space();
                    self.symbol("::", ":∈");
                    self.right_side_formula(*set);
                }
                Subst::BecomesSuch { targets, pred } => {
                    self.idents(targets);
                    self.space();
                    self.word(":");
                    self.space();
                    self.bracketed("(", ")", end, |this| this.formula(*pred));
                }
                Subst::Call { outputs, name, args } => self.call(outputs, name, args, end),
                Subst::Sequence(parts) => self.parts(parts, ";"),
                Subst::Parallel(parts) => self.parts(parts, " ||"),
                block => self.group(|this| {
                    if this.is_tall(block) {
                        this.doc.push(Item::ForceBreak);
                    }
                    this.block(block, end);
                    this.end_keyword(end);
                }),
            }
            self.cursor.pass(end);
        });
    }

    fn assign(&mut self, targets: &[ExprId], values: &[ExprId]) {
        self.targets(targets);
        self.before_mark(values.first().map_or(0, |value| self.expr_start(*value)));
        self.space();
        self.symbol(":=", "≔");
        match values {
            [value] => self.right_side_formula(*value),
            values => {
                self.space();
                self.group(|this| this.indented(|this| this.exprs(values)));
            }
        }
    }

    fn targets(&mut self, targets: &[ExprId]) {
        self.indented(|this| {
            this.list_group(targets, ",", Breaking::Fill, |this, id| this.expr_start(*id), |this, id| this.target(*id));
        });
    }

    fn call(&mut self, outputs: &[ExprId], name: &Ident, args: &[ExprId], end: u32) {
        if !outputs.is_empty() {
            self.targets(outputs);
            self.before_mark(name.span.start);
            self.space();
            self.symbol("<--", "←");
            self.space();
        }
        self.ident(name);
        self.actual_params(args, end);
    }

    fn parts(&mut self, parts: &[SubstId], separator: &'static str) {
        self.group(|this| {
            if parts.iter().any(|part| this.is_block(*part)) {
                this.doc.push(Item::ForceBreak);
            }
            this.list(parts, separator, Breaking::Each, |this, id| this.subst_start(*id), |this, id| this.subst(*id));
        });
    }

    /// Writes a block without its END.
    fn block(&mut self, block: &Subst, end: u32) {
        match block {
            Subst::Block(body) => self.keyword_and_body("BEGIN", *body),
            Subst::Pre { pred, body } => self.guarded("PRE", *pred, *body),
            Subst::Assert { pred, body } => self.guarded("ASSERT", *pred, *body),
            Subst::Witness { pred, body } => self.guarded("WITNESS", *pred, *body),
            Subst::Any { ids, pred, body } => {
                self.bound_guard(("ANY", "WHERE", "THEN"), ids, *pred, self.subst_start(*body));
                self.body(*body);
            }
            Subst::Let { ids, pred, body } => {
                self.bound_guard(("LET", "BE", "IN"), ids, *pred, self.subst_start(*body));
                self.body(*body);
            }
            Subst::Var { ids, body } => {
                self.word("VAR");
                self.space();
                self.idents(ids);
                self.before_mark(self.subst_start(*body));
                self.space();
                self.keyword_and_body("IN", *body);
            }
            Subst::Select { branches, otherwise } => self.branches("SELECT", "WHEN", branches, *otherwise),
            Subst::If { branches, otherwise } => self.branches("IF", "ELSIF", branches, *otherwise),
            Subst::Choice(parts) => self.choice(parts),
            Subst::Case { selector, branches, otherwise } => self.case(*selector, branches, *otherwise, end),
            Subst::While { condition, body, invariant, variant } => {
                self.guard(false, "WHILE", *condition, "DO", self.subst_start(*body));
                self.body(*body);
                for (keyword, formula) in [("INVARIANT", invariant), ("VARIANT", variant)] {
                    self.before_keyword(self.expr_start(*formula));
                    self.line_ahead(self.expr_start(*formula), Item::Line);
                    self.group(|this| {
                        this.word(keyword);
                        this.indented_line(|this| this.formula(*formula));
                    });
                }
            }
            _ => {}
        }
    }

    fn guarded(&mut self, keyword: &'static str, pred: ExprId, body: SubstId) {
        self.guard(false, keyword, pred, "THEN", self.subst_start(body));
        self.body(body);
    }

    fn branches(
        &mut self,
        first: &'static str,
        later: &'static str,
        branches: &[(ExprId, SubstId)],
        otherwise: Option<SubstId>,
    ) {
        for (idx, (condition, body)) in branches.iter().enumerate() {
            let keyword = if idx == 0 { first } else { later };
            self.guard(idx > 0, keyword, *condition, "THEN", self.subst_start(*body));
            self.body(*body);
        }
        if let Some(otherwise) = otherwise {
            self.keyword_line("ELSE", self.subst_start(otherwise));
            self.body(otherwise);
        }
    }

    fn choice(&mut self, parts: &[SubstId]) {
        for (idx, part) in parts.iter().enumerate() {
            if idx == 0 {
                self.keyword_and_body("CHOICE", *part);
            } else {
                self.keyword_line("OR", self.subst_start(*part));
                self.body(*part);
            }
        }
    }

    fn case(&mut self, selector: ExprId, branches: &[(Vec<ExprId>, SubstId)], otherwise: Option<SubstId>, end: u32) {
        let start_of = |this: &Self, values: &[ExprId]| values.first().map_or(end, |value| this.expr_start(*value));
        let first = branches.first().map_or(end, |(values, _)| start_of(self, values));
        self.guard(false, "CASE", selector, "OF", first);
        self.indented(|this| {
            for (idx, (values, body)) in branches.iter().enumerate() {
                let start = start_of(this, values);
                this.before_keyword(start);
                if idx == 0 {
                    this.line()
                } else {
                    this.line_ahead(start, Item::Line)
                }
                this.group(|this| {
                    if this.is_block(*body) {
                        this.doc.push(Item::ForceBreak);
                    }
                    this.word(if idx == 0 { "EITHER" } else { "OR" });
                    this.space();
                    this.group(|this| this.indented(|this| this.exprs(values)));
                    this.before_mark(this.subst_start(*body));
                    this.space();
                    this.keyword_and_body("THEN", *body);
                });
            }
            if let Some(otherwise) = otherwise {
                this.keyword_line("ELSE", this.subst_start(otherwise));
                this.body(otherwise);
            }
            // The END of the branches precedes that of the whole block.
            this.end_keyword(end.saturating_sub(END.len() as u32));
        });
    }

    /// Writes `keyword P then`, on one line if it fits. The caller opens the group of the whole block.
    pub(super) fn guard(&mut self, later: bool, keyword: &'static str, pred: ExprId, then: &'static str, next: u32) {
        if later {
            self.before_keyword(self.expr_start(pred));
            self.line_ahead(self.expr_start(pred), Item::Line);
        }
        self.group(|this| {
            this.word(keyword);
            this.trailing(this.expr_start(pred));
            this.indented_line(|this| this.formula(pred));
            this.before_next_keyword();
            this.line();
            this.word(then);
        });
        self.trailing(next);
    }

    /// Writes `ANY x, y WHERE P THEN` and similar heads.
    pub(super) fn bound_guard(
        &mut self,
        (keyword, before_pred, after_pred): (&'static str, &'static str, &'static str),
        ids: &[Ident],
        pred: ExprId,
        next: u32,
    ) {
        self.word(keyword);
        self.space();
        self.idents(ids);
        self.before_mark(self.expr_start(pred));
        self.space();
        self.guard(false, before_pred, pred, after_pred, next);
    }

    /// Writes a keyword on a line of its own; an item at `next` follows.
    pub(super) fn keyword_line(&mut self, keyword: &'static str, next: u32) {
        self.before_keyword(next);
        self.line_before_keyword(next);
        self.word(keyword);
        self.trailing(next);
    }

    fn keyword_and_body(&mut self, keyword: &'static str, body: SubstId) {
        self.word(keyword);
        self.trailing(self.subst_start(body));
        self.body(body);
    }

    fn body(&mut self, body: SubstId) {
        self.indented_line(|this| this.subst(body));
    }

    /// Writes the END of a block that closes at `end`, after the comments before it.
    pub(super) fn end_keyword(&mut self, end: u32) {
        self.before_keyword(end);
        self.line();
        self.word(END);
    }

    /// Writes content that gets an indented line of its own if the group is broken.
    pub(super) fn indented_line(&mut self, content: impl FnOnce(&mut Self)) {
        self.doc.push(Item::BlockStart);
        self.indented(|this| {
            this.line();
            content(this);
        });
    }

    fn is_block(&self, id: SubstId) -> bool {
        use Subst::*;
        let kind = &self.ast.subst(id).subst;
        !matches!(
            kind,
            Error
                | Skip
                | Assign { .. }
                | BecomesElement { .. }
                | BecomesSuch { .. }
                | Call { .. }
                | Sequence(_)
                | Parallel(_)
        )
    }

    /// True if a block never goes on one line, since it contains a block or has many parts.
    fn is_tall(&self, block: &Subst) -> bool {
        let has_parts = match block {
            Subst::Select { branches, .. } | Subst::If { branches, .. } => branches.len() > 1,
            Subst::Case { .. } | Subst::While { .. } => true,
            _ => false,
        };
        let mut has_block = false;
        block.for_each_child(&mut |child| {
            if let AstNode::Subst(child) = child {
                has_block |= self.is_block(child);
            }
        });
        has_parts || has_block
    }

    fn subst_start(&self, id: SubstId) -> u32 {
        self.ast.subst(id).span.start
    }
}

const END: &str = "END";
