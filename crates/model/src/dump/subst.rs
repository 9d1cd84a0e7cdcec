//! Substitutions as B text, on one line or indented.
//!
//! BEGIN and END are added where the grammar needs them, so that the text parses to the same substitution.

use abridge_diag::with_stack;

use super::formula::FormulaPrinter;
use super::spelling::{IMPLICATION, TOP};
use super::words;
use crate::expr::{BinaryOp, Expr};
use crate::ids::{ExprId, PredId, SubstId};
use crate::subst::{Subst, Target};

/// Context of a substitution.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Context {
    /// Keyword block or initialisation: any substitution is allowed.
    Block,
    /// Operand of `||` or body of an operation: a sequence needs BEGIN and END.
    Parallel,
}

/// Maximum indentation.
const MAX_INDENT_COLUMNS: usize = 100;

impl FormulaPrinter<'_> {
    pub(super) fn subst(&mut self, id: SubstId, context: Context) {
        with_stack(|| self.subst_inner(id, context));
    }

    fn subst_inner(&mut self, id: SubstId, context: Context) {
        let model = self.model;
        match model.subst(id) {
            Subst::Skip => self.text("skip"),
            Subst::Assign { targets, values } => self.assign(targets, values),
            Subst::BecomesElement { targets, set } => {
                self.targets(targets);
                self.text(" :: ");
                self.expr(*set, TOP);
            }
            Subst::BecomesSuch { targets, pred, .. } => {
                self.targets(targets);
                self.text(" : (");
                self.old.extend(targets);
                self.pred(*pred, IMPLICATION);
                self.old.clear();
                self.text(")");
            }
            Subst::Pre { pred, body } => self.guarded("PRE", *pred, *body),
            Subst::Assert { pred, body } => self.guarded("ASSERT", *pred, *body),
            Subst::Select { branches, otherwise } => self.branches(["SELECT", "WHEN"], branches, *otherwise),
            Subst::If { branches, otherwise } => self.branches(["IF", "ELSIF"], branches, *otherwise),
            Subst::Choice(parts) => {
                for (idx, part) in parts.iter().enumerate() {
                    self.text(if idx > 0 { "OR" } else { "CHOICE" });
                    self.block(*part);
                }
                self.text("END");
            }
            Subst::Case { selector, branches, otherwise } => self.case(*selector, branches, *otherwise),
            Subst::Any { binder, pred, body } => {
                self.text("ANY ");
                self.locals(binder);
                self.guarded(" WHERE", *pred, *body);
            }
            Subst::Let { bindings, body } => {
                let ends = self.let_head(bindings);
                self.block(*body);
                self.text("END");
                self.text(&" END".repeat(ends - 1));
            }
            Subst::Var { locals, body } => {
                self.text("VAR ");
                self.locals(locals);
                self.text(" IN");
                self.block(*body);
                self.text("END");
            }
            Subst::While { condition, body, invariant, variant, .. } => {
                self.while_loop(*condition, *body, *invariant, *variant);
            }
            Subst::Call { op, args, outputs } => {
                if !outputs.is_empty() {
                    self.targets(outputs);
                    self.text(" <-- ");
                }
                self.call(&model.operations[*op].name, args);
            }
            Subst::External(external, args) => self.call(&model.externals[*external].name, args),
            Subst::Sequence(_) if context == Context::Parallel => {
                self.text("BEGIN");
                self.block(id);
                self.text("END");
            }
            Subst::Sequence(parts) => self.sequence(parts),
            Subst::Parallel(parts) => self.parallel(parts),
        }
    }

    fn while_loop(&mut self, condition: PredId, body: SubstId, invariant: PredId, variant: ExprId) {
        self.text("WHILE ");
        self.pred(condition, IMPLICATION);
        self.text(" DO");
        self.block(body);
        self.text("INVARIANT ");
        self.pred(invariant, IMPLICATION);
        self.gap();
        self.text("VARIANT ");
        self.expr(variant, TOP);
        self.gap();
        self.text("END");
    }

    fn sequence(&mut self, parts: &[SubstId]) {
        for (idx, part) in parts.iter().enumerate() {
            if idx > 0 {
                self.text(";");
                self.gap();
            }
            self.subst(*part, Context::Block);
        }
    }

    fn parallel(&mut self, parts: &[SubstId]) {
        for (idx, part) in parts.iter().enumerate() {
            if idx > 0 {
                self.gap();
                self.text("|| ");
            }
            self.subst(*part, Context::Parallel);
        }
    }

    /// Writes a line break, or a blank in text on one line. Indentation stops at the maximum.
    pub(super) fn gap(&mut self) {
        match self.indent {
            None => self.out.push(' '),
            Some(width) => {
                self.out.push('\n');
                self.out.extend(std::iter::repeat_n(' ', width.min(MAX_INDENT_COLUMNS)));
            }
        }
    }

    /// Writes a substitution between two keywords.
    fn block(&mut self, id: SubstId) {
        self.deeper(|printer| {
            printer.gap();
            printer.subst(id, Context::Block);
        });
        self.gap();
    }

    pub(super) fn deeper(&mut self, write: impl FnOnce(&mut Self)) {
        let width = self.indent;
        self.indent = width.map(|width| width + 2);
        write(self);
        self.indent = width;
    }

    fn guarded(&mut self, keyword: &str, pred: PredId, body: SubstId) {
        self.text(keyword);
        self.text(" ");
        self.pred(pred, IMPLICATION);
        self.text(" THEN");
        self.block(body);
        self.text("END");
    }

    fn branches(&mut self, keywords: [&str; 2], branches: &[(PredId, SubstId)], otherwise: Option<SubstId>) {
        for (idx, (condition, body)) in branches.iter().enumerate() {
            self.text(keywords[idx.min(1)]);
            self.text(" ");
            self.pred(*condition, IMPLICATION);
            self.text(" THEN");
            self.block(*body);
        }
        self.otherwise(otherwise);
        self.text("END");
    }

    fn otherwise(&mut self, body: Option<SubstId>) {
        if let Some(body) = body {
            self.text("ELSE");
            self.block(body);
        }
    }

    fn case(&mut self, selector: ExprId, branches: &[(Vec<ExprId>, SubstId)], otherwise: Option<SubstId>) {
        self.text("CASE ");
        self.expr(selector, TOP);
        self.text(" OF");
        self.deeper(|printer| {
            printer.gap();
            for (idx, (values, body)) in branches.iter().enumerate() {
                printer.text(if idx > 0 { "OR " } else { "EITHER " });
                printer.exprs(values);
                printer.text(" THEN");
                printer.block(*body);
            }
            printer.otherwise(otherwise);
            printer.text("END");
        });
        self.gap();
        self.text("END");
    }

    fn targets(&mut self, targets: &[Target]) {
        self.separated(targets, |printer, target| printer.out.push_str(&printer.names.target(*target)));
    }

    /// Writes an assignment. Assignments to parts are written as such: `f(x) := E`, `r'a := E`.
    fn assign(&mut self, targets: &[Target], values: &[ExprId]) {
        let mut rest = Vec::with_capacity(values.len());
        let pairs: Vec<_> = targets.iter().zip(values).collect();
        self.separated(&pairs, |printer, (target, value)| {
            rest.push(printer.image_of(**target, **value).unwrap_or_else(|| printer.field_of(**target, **value)));
        });
        self.text(" := ");
        self.exprs(&rest);
    }

    /// Writes `f(x)` if the value is `f <+ {x |-> E}`, and returns `E`.
    fn image_of(&mut self, target: Target, value: ExprId) -> Option<ExprId> {
        let model = self.model;
        let Expr::Binary(BinaryOp::Override, function, pairs) = model.expr(value) else { return None };
        let Expr::SetExtension(pairs) = model.expr(*pairs) else { return None };
        let [pair] = pairs.as_slice() else { return None };
        let Expr::Binary(BinaryOp::Pair, key, value) = model.expr(*pair) else { return None };
        if !self.is_part(*function, target, &[]) {
            return None;
        }
        let name = words::called(&self.names.target(target)).into_owned();
        let args = self.arguments(*key);
        self.text(&name);
        self.text("(");
        self.exprs(&args);
        self.text(")");
        Some(*value)
    }

    /// Writes a target with the fields that are assigned, or the target alone if it is assigned as a whole. Returns the assigned value.
    fn field_of(&mut self, target: Target, value: ExprId) -> ExprId {
        let model = self.model;
        self.targets(&[target]);
        let (mut value, mut fields) = (value, Vec::new());
        while let Expr::WithField(record, idx, inner) = model.expr(value)
            && self.is_part(*record, target, &fields)
        {
            self.text("'");
            self.field_name(*record, *idx);
            fields.push(*idx);
            value = *inner;
        }
        value
    }

    /// True if an expression is a target followed by these fields.
    fn is_part(&self, mut id: ExprId, target: Target, fields: &[u32]) -> bool {
        for field in fields.iter().rev() {
            match self.model.expr(id) {
                Expr::Field(record, idx) if idx == field => id = *record,
                _ => return false,
            }
        }
        match (self.model.expr(id), target) {
            (Expr::Variable(id), Target::Variable(variable)) => *id == variable,
            (Expr::Local(id), Target::Local(local)) => *id == local,
            _ => false,
        }
    }
}
