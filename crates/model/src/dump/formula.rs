//! Expressions and predicates as B text: ASCII, on one line, with parentheses.
//!
//! Parentheses are written where the parser needs them, or where readers would misread the text. A missing pair changes the meaning of the text.

use std::collections::HashSet;
use std::fmt::Write as _;

use abridge_diag::with_stack;

use super::names::DumpNames;
use super::spelling::{
    self, BRACKETED, BinaryForm, IMPLICATION, INTERVAL, JUNCTION, NEGATION, POSTFIX, POWER, TOP, is_confusing,
};
use super::words;
use crate::expr::{BinaryOp, Binding, Expr, QuantifiedOp, UnaryOp};
use crate::ids::{ExprId, LocalId, PredId};
use crate::model::Model;
use crate::pred::{Comparison, Pred};
use crate::subst::Target;
use crate::types::Type;

pub(super) struct FormulaPrinter<'a> {
    pub(super) model: &'a Model,
    pub(super) names: DumpNames<'a>,
    pub(super) out: String,
    /// Indentation in columns; `None` for text on one line.
    pub(super) indent: Option<usize>,
    /// Targets of the enclosing BecomesSuch, whose names denote old values.
    pub(super) old: HashSet<Target>,
}

impl<'a> FormulaPrinter<'a> {
    pub(super) fn one_line(model: &'a Model, names: DumpNames<'a>) -> Self {
        FormulaPrinter { model, names, out: String::new(), indent: None, old: HashSet::new() }
    }

    pub(super) fn text(&mut self, text: &str) {
        self.out.push_str(text);
    }

    pub(super) fn ident(&mut self, name: &str) {
        self.out.push_str(&words::ident(name));
    }

    /// Writes items with commas between them.
    pub(super) fn separated<T>(&mut self, items: &[T], mut write: impl FnMut(&mut Self, &T)) {
        for (idx, item) in items.iter().enumerate() {
            if idx > 0 {
                self.text(", ");
            }
            write(self, item);
        }
    }

    pub(super) fn exprs(&mut self, items: &[ExprId]) {
        self.separated(items, |printer, item| printer.expr(*item, TOP));
    }

    pub(super) fn locals(&mut self, locals: &[LocalId]) {
        self.separated(locals, |printer, local| printer.out.push_str(&printer.names.local(*local)));
    }

    /// Writes an expression at a place where operators below `level` need parentheses.
    pub(super) fn expr(&mut self, id: ExprId, level: u16) {
        let expr = self.model.expr(id);
        self.expr_in(id, spelling::level(expr) < level);
    }

    fn expr_in(&mut self, id: ExprId, parens: bool) {
        with_stack(|| {
            if parens {
                self.text("(");
            }
            self.expr_bare(id);
            if parens {
                self.text(")");
            }
        });
    }

    fn expr_bare(&mut self, id: ExprId) {
        let model = self.model;
        match model.expr(id) {
            Expr::Integer(value) => _ = write!(self.out, "{value}"),
            Expr::Real(value) => words::real(&mut self.out, *value),
            Expr::String(value) => words::string(&mut self.out, value),
            Expr::Bool(value) => self.text(if *value { "TRUE" } else { "FALSE" }),
            Expr::Element(..)
            | Expr::Constant(_)
            | Expr::Variable(_)
            | Expr::Local(_)
            | Expr::Constructor(..)
            | Expr::Carrier(_)
            | Expr::FreeType(_) => {
                let name = self.name(id).unwrap_or_default();
                self.text(&name);
            }
            Expr::BaseSet(set) => self.text(spelling::base_set(*set)),
            Expr::EmptySet => self.text("{}"),
            Expr::Unary(op, operand) => self.unary(*op, *operand),
            Expr::Binary(op, left, right) => self.binary(*op, *left, *right),
            Expr::Tree(op, items) => self.keyword(spelling::tree(*op), items),
            Expr::SetExtension(items) => self.enclosed("{", items, "}"),
            Expr::SequenceExtension(items) => self.enclosed("[", items, "]"),
            Expr::Record(items) => self.record("rec", id, items),
            Expr::StructSet(items) => self.record("struct", id, items),
            Expr::Field(operand, idx) => {
                self.head(*operand, false);
                self.text("'");
                self.field_name(*operand, *idx);
            }
            Expr::WithField(operand, idx, value) => self.with_field(*operand, *idx, *value),
            Expr::Comprehension { .. } | Expr::SetImage { .. } | Expr::Quantified { .. } => self.bound(id),
            Expr::If(condition, then, otherwise) => self.if_expr(*condition, *then, *otherwise),
            Expr::Let { bindings, body } => {
                let ends = self.let_head(bindings);
                self.text(" ");
                self.expr(*body, TOP);
                self.text(&" END".repeat(ends));
            }
            Expr::BoolOf(pred) => {
                self.text("bool(");
                self.pred(*pred, IMPLICATION);
                self.text(")");
            }
            Expr::Successor => self.text("succ"),
            Expr::Predecessor => self.text("pred"),
            Expr::FirstProjection => self.text("@prj1"),
            Expr::SecondProjection => self.text("@prj2"),
            Expr::Template(parts) => self.template(parts),
            Expr::External(external, args) => self.call(&model.externals[*external].name, args),
            Expr::CallOperation(op, args) => self.call(&model.operations[*op].name, args),
        }
    }

    /// Text of an expression that is a single name.
    fn name(&self, id: ExprId) -> Option<String> {
        let model = self.model;
        let mark = |target| if self.old.contains(&target) { "$0" } else { "" };
        let name = match model.expr(id) {
            Expr::Element(set, idx) => model.sets[*set].element_name(*idx),
            Expr::Constant(id) => model.constants[*id].name.clone(),
            Expr::Variable(id) => {
                let target = Target::Variable(*id);
                return Some(format!("{}{}", self.names.target(target), mark(target)));
            }
            Expr::Local(id) => return Some(format!("{}{}", self.names.local(*id), mark(Target::Local(*id)))),
            Expr::Carrier(id) => model.sets[*id].name.clone(),
            Expr::FreeType(id) => model.free_types[*id].name.clone(),
            Expr::Constructor(free, idx) => model.free_types[*free].constructors[*idx as usize].name.clone(),
            _ => return None,
        };
        Some(words::ident(&name).into_owned())
    }

    fn enclosed(&mut self, open: &str, items: &[ExprId], close: &str) {
        self.text(open);
        self.exprs(items);
        self.text(close);
    }

    /// Writes a keyword with arguments in parentheses.
    fn keyword(&mut self, name: &str, items: &[ExprId]) {
        self.text(name);
        self.text("(");
        self.separated(items, |printer, item| printer.expr(*item, BRACKETED));
        self.text(")");
    }

    /// Writes a name with its arguments, if there are any.
    pub(super) fn call(&mut self, name: &str, args: &[ExprId]) {
        if args.is_empty() {
            return self.ident(name);
        }
        self.text(&words::called(&words::ident(name)));
        self.enclosed("(", args, ")");
    }

    fn unary(&mut self, op: UnaryOp, operand: ExprId) {
        match op {
            UnaryOp::Negate | UnaryOp::RealNegate => {
                self.text("-");
                self.expr(operand, NEGATION + 1);
            }
            UnaryOp::Inverse => {
                self.head(operand, false);
                self.text("~");
            }
            _ => self.keyword(spelling::unary(op), &[operand]),
        }
    }

    fn binary(&mut self, op: BinaryOp, left: ExprId, right: ExprId) {
        match spelling::binary(op) {
            BinaryForm::Infix(text, level) => {
                self.operand(left, text, level, level);
                let is_tight = level == INTERVAL && [left, right].iter().all(|id| self.is_short(*id));
                self.text(if is_tight { "" } else { " " });
                self.text(text);
                self.text(if is_tight { "" } else { " " });
                self.operand(right, text, level, level + 1);
            }
            BinaryForm::Power => {
                // B reads `-x ** 2` as `(-x) ** 2`, unlike mathematical notation, so parentheses are written.
                self.expr(left, NEGATION + 1);
                self.text(" ** ");
                self.expr(right, POWER);
            }
            BinaryForm::Function(name) => self.keyword(name, &[left, right]),
            BinaryForm::Apply => {
                self.head(left, true);
                self.text("(");
                let args = self.arguments(right);
                self.exprs(&args);
                self.text(")");
            }
            BinaryForm::Image => {
                self.head(left, true);
                self.text("[");
                self.expr(right, BRACKETED);
                self.text("]");
            }
        }
    }

    fn operand(&mut self, id: ExprId, text: &str, level: u16, min: u16) {
        let expr = self.model.expr(id);
        self.expr_in(id, spelling::level(expr) < min || is_confusing(expr, text, level));
    }

    fn is_short(&self, id: ExprId) -> bool {
        spelling::level(self.model.expr(id)) >= NEGATION
    }

    /// Parts of a left-nested pair: `f(a, b)` is `f(a |-> b)`.
    pub(super) fn arguments(&self, mut id: ExprId) -> Vec<ExprId> {
        let mut args = Vec::new();
        while let Expr::Binary(BinaryOp::Pair, left, right) = self.model.expr(id) {
            args.push(*right);
            id = *left;
        }
        args.push(id);
        args.reverse();
        args
    }

    /// Writes the operand of a postfix operator. `after_inverse` is true if the operator may follow a `~`.
    fn head(&mut self, id: ExprId, after_inverse: bool) {
        let expr = self.model.expr(id);
        let is_bare = match expr {
            Expr::Unary(UnaryOp::Inverse, _) => after_inverse,
            Expr::If(..) | Expr::Let { .. } | Expr::WithField(..) | Expr::Quantified { .. } => false,
            Expr::Comprehension { symbolic, .. } => !symbolic,
            // Without parentheses, the following arguments would belong to the operand.
            Expr::External(_, args) | Expr::CallOperation(_, args) => !args.is_empty(),
            expr => spelling::level(expr) >= POSTFIX,
        };
        match self.name(id) {
            Some(name) => self.text(&words::called(&name)),
            None => self.expr_in(id, !is_bare),
        }
    }

    pub(super) fn field_name(&mut self, record: ExprId, idx: u32) {
        let model = self.model;
        if let Type::Record(fields) = model.types.get(model.ty(record)) {
            self.ident(&fields[idx as usize].0);
        }
    }

    fn record(&mut self, keyword: &str, id: ExprId, items: &[ExprId]) {
        let (model, ty) = (self.model, self.model.ty(id));
        let record = model.types.elem(ty).unwrap_or(ty);
        let Type::Record(fields) = model.types.get(record) else { return };
        self.text(keyword);
        self.text("(");
        let entries: Vec<_> = fields.iter().zip(items).collect();
        self.separated(&entries, |printer, ((name, _), item)| {
            printer.ident(name);
            printer.text(": ");
            printer.expr(**item, TOP);
        });
        self.text(")");
    }

    /// Writes a record with one field replaced. B has no expression for it, so all fields are listed. A record that is not a name with fields is
    /// bound by a LET first.
    fn with_field(&mut self, record: ExprId, idx: u32, value: ExprId) {
        let model = self.model;
        let Type::Record(fields) = model.types.get(model.ty(record)) else { return };
        let name = (fields.len() > 1 && !self.is_path(record)).then(|| self.names.fresh("r"));
        if let Some(name) = &name {
            let _ = write!(self.out, "LET {name} BE {name} = ");
            self.expr(record, TOP);
            self.text(" IN ");
        }
        self.text("rec(");
        let entries: Vec<_> = (0..).zip(fields).collect();
        self.separated(&entries, |printer, (at, (field, _))| {
            printer.ident(field);
            printer.text(": ");
            match &name {
                _ if *at == idx => return printer.expr(value, TOP),
                Some(name) => printer.text(name),
                None => printer.head(record, false),
            }
            printer.text("'");
            printer.ident(field);
        });
        self.text(if name.is_some() { ") END" } else { ")" });
    }

    /// True if an expression is a name followed by a few fields, and so short enough to be repeated.
    fn is_path(&self, mut id: ExprId) -> bool {
        for _ in 0..8 {
            match self.model.expr(id) {
                Expr::Variable(_) | Expr::Constant(_) | Expr::Local(_) => return true,
                Expr::Field(record, _) => id = *record,
                _ => return false,
            }
        }
        false
    }

    /// Writes bound names; several names are put in parentheses.
    fn binder(&mut self, locals: &[LocalId], parens: bool) {
        let parens = parens || locals.len() > 1;
        self.text(if parens { "(" } else { "" });
        self.locals(locals);
        self.text(if parens { ")." } else { "." });
    }

    fn bound(&mut self, id: ExprId) {
        match self.model.expr(id) {
            Expr::Comprehension { binder, pred, symbolic } => {
                self.text(if *symbolic { "/*@ symbolic */ {" } else { "{" });
                self.locals(binder);
                self.text(" | ");
                self.pred(*pred, IMPLICATION);
                self.text("}");
            }
            Expr::SetImage { binder, pred, expr } => {
                self.text("{");
                self.binder(binder, true);
                self.pred_and_expr(*pred, *expr);
                self.text("}");
            }
            Expr::Quantified { op, binder, pred, expr, symbolic } => {
                self.text(if *symbolic { "/*@ symbolic */ " } else { "" });
                self.text(spelling::quantified(*op));
                self.binder(binder, *op != QuantifiedOp::Lambda);
                self.text("(");
                self.pred_and_expr(*pred, *expr);
                self.text(")");
            }
            _ => {}
        }
    }

    fn pred_and_expr(&mut self, pred: PredId, expr: ExprId) {
        self.pred(pred, IMPLICATION);
        self.text(" | ");
        self.expr(expr, TOP);
    }

    fn if_expr(&mut self, condition: PredId, then: ExprId, otherwise: ExprId) {
        let (mut condition, mut then, mut otherwise) = (condition, then, otherwise);
        self.text("IF ");
        loop {
            self.pred(condition, IMPLICATION);
            self.text(" THEN ");
            self.expr(then, TOP);
            let Expr::If(next, next_then, rest) = self.model.expr(otherwise) else { break };
            self.text(" ELSIF ");
            (condition, then, otherwise) = (*next, *next_then, *rest);
        }
        self.text(" ELSE ");
        self.expr(otherwise, TOP);
        self.text(" END");
    }

    /// Prints `LET ... IN` and returns the number of ENDs. Values that use earlier locals of the LET need nested LETs.
    pub(super) fn let_head(&mut self, bindings: &[Binding]) -> usize {
        let groups: Vec<&[Binding]> =
            if self.names.is_chained(bindings) { bindings.chunks(1).collect() } else { vec![bindings] };
        for (idx, group) in groups.iter().enumerate() {
            self.text(if idx > 0 { " LET " } else { "LET " });
            self.separated(group, |printer, binding| printer.locals(&[binding.local]));
            self.text(" BE ");
            for (idx, binding) in group.iter().enumerate() {
                self.text(if idx > 0 { " & " } else { "" });
                self.locals(&[binding.local]);
                self.text(" = ");
                self.expr(binding.value, TOP);
            }
            self.text(" IN");
        }
        groups.len()
    }

    fn template(&mut self, parts: &[ExprId]) {
        let model = self.model;
        self.text("```");
        for part in parts {
            match model.expr(*part) {
                // Texts with special characters are printed as values.
                Expr::String(text) if !text.contains(['$', '`', '\\']) && !text.chars().any(char::is_control) => {
                    self.text(text);
                }
                _ => {
                    self.text("${");
                    self.expr(*part, TOP);
                    self.text("}");
                }
            }
        }
        self.text("```");
    }

    /// Writes a predicate at a place where connectives below `level` need parentheses.
    pub(super) fn pred(&mut self, id: PredId, level: u16) {
        with_stack(|| {
            let pred = self.model.pred(id);
            let parens = spelling::pred_level(pred) < level;
            self.text(if parens { "(" } else { "" });
            self.pred_bare(pred);
            self.text(if parens { ")" } else { "" });
        });
    }

    fn pred_bare(&mut self, pred: &'a Pred) {
        match pred {
            Pred::True => self.text("btrue"),
            Pred::False => self.text("bfalse"),
            Pred::Not(operand) => self.not(*operand),
            Pred::And(parts) => self.junction(" & ", parts),
            Pred::Or(parts) => self.junction(" or ", parts),
            Pred::Implies(left, right) => {
                self.pred(*left, IMPLICATION + 1);
                self.text(" => ");
                self.pred(*right, IMPLICATION + 1);
            }
            Pred::Equivalent(left, right) => {
                self.pred(*left, JUNCTION + 1);
                self.text(" <=> ");
                self.pred(*right, JUNCTION + 1);
            }
            Pred::Compare(op, left, right) => self.compare(*op, *left, *right),
            Pred::Forall { binder, body } => self.quantified("!", binder, *body),
            Pred::Exists { binder, body } => self.quantified("#", binder, *body),
            Pred::If(condition, then, otherwise) => self.if_pred(*condition, *then, *otherwise),
            Pred::Let { bindings, body } => {
                let ends = self.let_head(bindings);
                self.text(" ");
                self.pred(*body, IMPLICATION);
                self.text(&" END".repeat(ends));
            }
            Pred::Finite(set) => self.keyword("@finite", &[*set]),
            Pred::Partition(set, parts) => {
                let args: Vec<ExprId> = std::iter::once(set).chain(parts).copied().collect();
                self.keyword("@partition", &args);
            }
            Pred::External(external, args) => self.call(&self.model.externals[*external].name, args),
        }
    }

    /// Writes a conjunction or disjunction. A part of the same kind needs no parentheses, a part of the other kind does.
    fn junction(&mut self, text: &str, parts: &[PredId]) {
        for (idx, part) in parts.iter().enumerate() {
            if idx > 0 {
                self.text(text);
            }
            let level = match self.model.pred(*part) {
                Pred::And(_) if text == " & " => JUNCTION,
                Pred::Or(_) if text == " or " => JUNCTION,
                _ => JUNCTION + 1,
            };
            self.pred(*part, level);
        }
    }

    fn not(&mut self, operand: PredId) {
        if let Pred::Compare(op, left, right) = self.model.pred(operand)
            && let Some(text) = spelling::negated(*op)
        {
            return self.relation(*left, text, *right);
        }
        self.text("not(");
        self.pred(operand, IMPLICATION);
        self.text(")");
    }

    /// Writes a comparison, with a literal on the right: `x > 0` instead of `0 < x`.
    fn compare(&mut self, op: Comparison, left: ExprId, right: ExprId) {
        let is_literal = |id| matches!(self.model.expr(id), Expr::Integer(_) | Expr::Real(_));
        match spelling::mirrored(op) {
            Some(text) if is_literal(left) && !is_literal(right) => self.relation(right, text, left),
            _ => self.relation(left, spelling::comparison(op), right),
        }
    }

    fn relation(&mut self, left: ExprId, text: &str, right: ExprId) {
        self.expr(left, TOP);
        let _ = write!(self.out, " {text} ");
        self.expr(right, TOP);
    }

    fn quantified(&mut self, sign: &str, binder: &[LocalId], body: PredId) {
        self.text(sign);
        self.binder(binder, false);
        self.text("(");
        self.pred(body, IMPLICATION);
        self.text(")");
    }

    fn if_pred(&mut self, condition: PredId, then: PredId, otherwise: PredId) {
        let (mut condition, mut then, mut otherwise) = (condition, then, otherwise);
        self.text("IF ");
        loop {
            self.pred(condition, IMPLICATION);
            self.text(" THEN ");
            self.pred(then, IMPLICATION);
            let Pred::If(next, next_then, rest) = self.model.pred(otherwise) else { break };
            self.text(" ELSIF ");
            (condition, then, otherwise) = (*next, *next_then, *rest);
        }
        self.text(" ELSE ");
        self.pred(otherwise, IMPLICATION);
        self.text(" END");
    }
}
