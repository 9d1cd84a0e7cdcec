//! Overloaded operators, whose meaning depends on types.
//!
//! Each case is tried when it arises and again after each clause. The model node is patched once the types decide.

use std::collections::{BTreeSet, HashMap};

use abridge_diag::{Diagnostic, Span};
use abridge_model::{BinaryOp, Comparison, Expr, ExprId, Pred, PredId, QuantifiedOp, SmolStr, UnaryOp};

use super::{Ty, TypeTerm, Unifier};
use crate::lower::Lower;

/// Waiting cases. A case is tried again only when an unknown that it waits for is bound.
#[derive(Default)]
pub(crate) struct Overloads {
    /// Cases in the order of their origin; `None` once decided.
    cases: Vec<Option<Pending>>,
    /// Cases that wait for an unknown, by its root.
    watchers: HashMap<Ty, Vec<usize>>,
    /// Cases to be tried again.
    woken: BTreeSet<usize>,
}

impl Overloads {
    /// Number of cases so far.
    pub(crate) fn n_cases(&self) -> usize {
        self.cases.len()
    }

    /// Drops all but the first `n_cases` cases.
    pub(crate) fn truncate(&mut self, n_cases: usize) {
        self.cases.truncate(n_cases);
    }
}

pub(crate) struct Pending {
    pub(crate) kind: PendingKind,
    pub(crate) span: Span,
}

pub(crate) enum PendingKind {
    /// Node with different meanings on INTEGER and REAL; `ty` is the type of numbers.
    Number { node: NumberNode, ty: Ty },
    /// `a - b`; operands and result have one type.
    Minus { node: ExprId, ty: Ty },
    /// `a * b`
    Times { node: ExprId, left: ExprId, right: ExprId },
    /// Node with different meanings on sequences and strings; `ty` is the type of the operand.
    Text { node: ExprId, op: TextOp, operand: ExprId, ty: Ty },
    /// `r'f`
    Field { node: ExprId, record: ExprId, name: SmolStr, name_span: Span },
    /// `r'f := value`, as the record with one field replaced.
    WithField { node: ExprId, record: ExprId, name: SmolStr, name_span: Span, value: ExprId },
}

#[derive(Clone, Copy)]
pub(crate) enum NumberNode {
    Expr(ExprId),
    Pred(PredId),
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextOp {
    Concat,
    Size,
    Rev,
    /// `conc`
    GeneralConcat,
}

/// Result of trying a case.
enum Progress {
    Done,
    Wait,
}

impl Lower<'_> {
    /// Adds a case and tries it at once.
    pub(crate) fn overloaded(&mut self, kind: PendingKind, span: Span) {
        let pending = Pending { kind, span };
        if let Progress::Wait = self.try_resolve(&pending) {
            self.pending.cases.push(None);
            self.wait(self.pending.cases.len() - 1, pending);
        }
    }

    /// Tries the waiting cases until none makes progress.
    pub(crate) fn resolve_overloads(&mut self) {
        self.resolve_overloads_from(0);
    }

    /// [`Lower::resolve_overloads`] for the cases from a number on.
    pub(crate) fn resolve_overloads_from(&mut self, first: usize) {
        loop {
            for ty in self.types.take_linked() {
                let watchers = self.pending.watchers.remove(&ty);
                self.pending.woken.extend(watchers.into_iter().flatten());
            }
            let woken = self.pending.woken.split_off(&first);
            if woken.is_empty() {
                break;
            }
            for idx in woken {
                let Some(pending) = self.pending.cases.get_mut(idx).and_then(Option::take) else { continue };
                if let Progress::Wait = self.try_resolve(&pending) {
                    self.wait(idx, pending);
                }
            }
        }
    }

    /// Keeps a case until one of the types that decide it is known.
    fn wait(&mut self, idx: usize, pending: Pending) {
        let types = match &pending.kind {
            PendingKind::Number { ty, .. } | PendingKind::Minus { ty, .. } => vec![*ty],
            PendingKind::Times { node, left, right } => [*node, *left, *right].map(|expr| self.ty(expr)).to_vec(),
            PendingKind::Text { op, ty, .. } => match (op, self.types.shape(*ty)) {
                (TextOp::GeneralConcat, TypeTerm::Pow(pair)) => match self.types.shape(*pair) {
                    TypeTerm::Pair(_, elem) => vec![*elem],
                    _ => vec![*pair],
                },
                _ => vec![*ty],
            },
            PendingKind::Field { record, .. } | PendingKind::WithField { record, .. } => vec![self.ty(*record)],
        };
        for ty in types {
            self.pending.watchers.entry(self.types.root(ty)).or_default().push(idx);
        }
        self.pending.cases[idx] = Some(pending);
    }

    /// Applies defaults to undecided cases: `^`, `size` and the like mean sequences, arithmetic means integers. Reports the rest.
    pub(crate) fn settle_overloads(&mut self) {
        self.resolve_overloads();
        for idx in 0..self.pending.cases.len() {
            if let Some(Pending { kind: PendingKind::Text { operand, op, .. }, span }) = &self.pending.cases[idx] {
                let (operand, op, span) = (*operand, *op, *span);
                let elem = self.types.fresh();
                let sequence = self.types.sequence(elem);
                let expected = if op == TextOp::GeneralConcat { self.types.sequence(sequence) } else { sequence };
                self.expect(operand, expected, sequence_needed(op), span);
            }
        }
        self.resolve_overloads();
        for idx in 0..self.pending.cases.len() {
            if let Some(Pending { kind: PendingKind::Number { ty, .. }, span }) = &self.pending.cases[idx] {
                let (ty, span) = (*ty, *span);
                self.agree(ty, Unifier::INTEGER, |found, _| format!("a number is needed here, not {found}"), span);
            }
        }
        self.resolve_overloads();
        for pending in std::mem::take(&mut self.pending).cases.into_iter().flatten() {
            self.report_ambiguous(&pending);
        }
    }

    fn report_ambiguous(&mut self, pending: &Pending) {
        let snippet = self.snippet(pending.span);
        let what = match &pending.kind {
            PendingKind::Minus { .. } => "a difference of numbers or of sets",
            PendingKind::Times { .. } => "a product of numbers or of sets",
            // Both have defaults.
            PendingKind::Number { .. } | PendingKind::Text { .. } => return,
            PendingKind::Field { name, .. } | PendingKind::WithField { name, .. } => {
                let message = format!("the type of the record whose field `{name}` is used is not known");
                self.report(
                    Diagnostic::error("unknown-type", message)
                        .at(pending.span)
                        .help("add a typing predicate such as `r : struct(...)`"),
                );
                return;
            }
        };
        let message = format!("cannot tell whether `{snippet}` is {what}");
        self.report(
            Diagnostic::error("unknown-type", message).at(pending.span).help("add typing predicates for its operands"),
        );
        // The names in it have no type either; one diagnostic is enough.
        let types = match &pending.kind {
            PendingKind::Minus { ty, .. } => vec![*ty],
            PendingKind::Times { node, left, right } => [*node, *left, *right].map(|expr| self.ty(expr)).to_vec(),
            _ => Vec::new(),
        };
        for ty in types {
            let _ = self.types.unify(ty, Unifier::ERROR, pending.span);
        }
    }

    fn try_resolve(&mut self, pending: &Pending) -> Progress {
        match &pending.kind {
            PendingKind::Number { node, ty } => self.try_number(*node, *ty, pending.span),
            PendingKind::Minus { node, ty } => self.try_minus(*node, *ty, pending.span),
            PendingKind::Times { node, left, right } => self.try_times(*node, *left, *right, pending.span),
            PendingKind::Text { node, op, operand, ty } => self.try_text(*node, *op, *operand, *ty, pending.span),
            PendingKind::Field { node, record, name, name_span } => {
                self.try_field(*node, *record, name, *name_span, None)
            }
            PendingKind::WithField { node, record, name, name_span, value } => {
                self.try_field(*node, *record, name, *name_span, Some(*value))
            }
        }
    }

    fn try_number(&mut self, node: NumberNode, ty: Ty, span: Span) -> Progress {
        match self.types.shape(ty) {
            TypeTerm::Unknown => Progress::Wait,
            TypeTerm::Integer | TypeTerm::Error => Progress::Done,
            TypeTerm::Real => {
                match node {
                    NumberNode::Expr(id) => {
                        let expr = &mut self.model.exprs[id].expr;
                        if !to_real(expr) {
                            let snippet = self.snippet(span);
                            self.report(
                                Diagnostic::error("type-mismatch", format!("`{snippet}` is defined for integers only"))
                                    .at(span),
                            );
                        }
                    }
                    NumberNode::Pred(id) => pred_to_real(&mut self.model.preds[id].pred),
                }
                Progress::Done
            }
            _ => {
                self.report_not_a_number(node, ty, span);
                Progress::Done
            }
        }
    }

    fn report_not_a_number(&mut self, node: NumberNode, ty: Ty, span: Span) {
        let (text, snippet) = (self.types.text(&self.model, ty), self.snippet(span));
        let message = format!("numbers are needed in `{snippet}`, but the operands are {text}");
        let diagnostic = Diagnostic::error("type-mismatch", message).at(span);
        let diagnostic = match self.instead_of_number(node, ty) {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        };
        self.report(diagnostic);
    }

    /// Likely intention of a user who applies an operator on numbers to sets or strings.
    fn instead_of_number(&self, node: NumberNode, ty: Ty) -> Option<&'static str> {
        let expr = match node {
            NumberNode::Expr(id) => &self.model.exprs[id].expr,
            NumberNode::Pred(_) if matches!(self.types.shape(ty), TypeTerm::Pow(_)) => {
                return Some(
                    "`<:` says that a set is part of another, `<<:` that it is smaller; `card` counts elements",
                );
            }
            NumberNode::Pred(_) => return None,
        };
        match (expr, self.types.shape(ty)) {
            (Expr::Binary(BinaryOp::Add, ..), TypeTerm::String) => Some("strings are joined with `^`"),
            (Expr::Binary(BinaryOp::Add, ..), TypeTerm::Pow(_)) => {
                Some("sets are joined with `\\/`, sequences with `^`")
            }
            (Expr::Quantified { .. }, TypeTerm::Pow(_)) => Some("sets are joined with `UNION` and `INTER`"),
            (Expr::Unary(UnaryOp::Max | UnaryOp::Min, _), _) => Some("`max` and `min` take a set of numbers"),
            _ => None,
        }
    }

    fn try_minus(&mut self, node: ExprId, ty: Ty, span: Span) -> Progress {
        let op = match self.types.shape(ty) {
            TypeTerm::Unknown => return Progress::Wait,
            TypeTerm::Integer | TypeTerm::Error => BinaryOp::Subtract,
            TypeTerm::Real => BinaryOp::RealSubtract,
            TypeTerm::Pow(_) => BinaryOp::Difference,
            _ => {
                let text = self.types.text(&self.model, ty);
                let snippet = self.snippet(span);
                let message = format!("`-` needs numbers or sets, but the operands of `{snippet}` are {text}");
                self.report(Diagnostic::error("type-mismatch", message).at(span));
                return Progress::Done;
            }
        };
        if let Expr::Binary(known, ..) = &mut self.model.exprs[node].expr {
            *known = op;
        }
        Progress::Done
    }

    fn try_times(&mut self, node: ExprId, left: ExprId, right: ExprId, span: Span) -> Progress {
        let (left_ty, right_ty, result) = (self.ty(left), self.ty(right), self.ty(node));
        let is_number = |shape: &TypeTerm| matches!(shape, TypeTerm::Integer | TypeTerm::Real);
        let shapes = [left_ty, right_ty, result].map(|ty| self.types.shape(ty));
        if shapes.iter().any(|shape| matches!(shape, TypeTerm::Error)) {
            return Progress::Done;
        }
        if shapes.iter().copied().any(is_number) {
            self.expect_like(left, right, span);
            self.expect(node, left_ty, "a product of numbers is a number", span);
            if matches!(self.types.shape(left_ty), TypeTerm::Real)
                && let Expr::Binary(op, ..) = &mut self.model.exprs[node].expr
            {
                *op = BinaryOp::RealMultiply;
            }
            return Progress::Done;
        }
        if shapes.iter().any(|shape| matches!(shape, TypeTerm::Pow(_))) {
            let (first, second) = (self.types.fresh(), self.types.fresh());
            let (first_set, second_set) = (self.types.pow(first), self.types.pow(second));
            let product = self.types.relation(first, second);
            self.expect(left, first_set, "`*` between sets needs a set on the left", span);
            self.expect(right, second_set, "`*` between sets needs a set on the right", span);
            self.expect(node, product, "a cartesian product is a set of pairs", span);
            if let Expr::Binary(op, ..) = &mut self.model.exprs[node].expr {
                *op = BinaryOp::Cartesian;
            }
            return Progress::Done;
        }
        if shapes.iter().all(|shape| matches!(shape, TypeTerm::Unknown)) {
            return Progress::Wait;
        }
        let known = if matches!(shapes[0], TypeTerm::Unknown) { right } else { left };
        let (snippet, text) = (self.snippet(self.span(known)), self.types.text(&self.model, self.ty(known)));
        let message = format!("`*` needs numbers or sets, but `{snippet}` is {text}");
        self.report(Diagnostic::error("type-mismatch", message).at(self.span(known)));
        Progress::Done
    }

    fn try_text(&mut self, node: ExprId, op: TextOp, operand: ExprId, ty: Ty, span: Span) -> Progress {
        let mut shape = self.types.shape(ty).clone();
        if op == TextOp::GeneralConcat {
            // `conc` takes a sequence of sequences or a sequence of strings.
            let TypeTerm::Pow(pair) = shape else { return self.text_shape(&shape, op, operand, span) };
            let TypeTerm::Pair(_, elem) = self.types.shape(pair).clone() else {
                return self.text_shape(&TypeTerm::Unknown, op, operand, span);
            };
            shape = self.types.shape(elem).clone();
        }
        match shape {
            TypeTerm::String => {
                match &mut self.model.exprs[node].expr {
                    Expr::Binary(known, ..) => *known = BinaryOp::StringConcat,
                    Expr::Unary(known, _) => {
                        *known = match op {
                            TextOp::Size => UnaryOp::StringSize,
                            TextOp::Rev => UnaryOp::StringRev,
                            _ => UnaryOp::StringGeneralConcat,
                        };
                    }
                    _ => {}
                }
                if op == TextOp::GeneralConcat {
                    self.expect(node, Unifier::STRING, "joined strings are a string", span);
                }
                Progress::Done
            }
            TypeTerm::Pow(_) => {
                let elem = self.types.fresh();
                let sequence = self.types.sequence(elem);
                match op {
                    TextOp::GeneralConcat => self.expect(node, sequence, "joined sequences are a sequence", span),
                    _ => self.expect(operand, sequence, sequence_needed(op), span),
                };
                if op == TextOp::GeneralConcat {
                    let sequences = self.types.sequence(sequence);
                    self.expect(operand, sequences, "`conc` needs a sequence of sequences", span);
                }
                Progress::Done
            }
            shape => self.text_shape(&shape, op, operand, span),
        }
    }

    fn text_shape(&mut self, shape: &TypeTerm, op: TextOp, operand: ExprId, span: Span) -> Progress {
        match shape {
            TypeTerm::Unknown => Progress::Wait,
            TypeTerm::Error => Progress::Done,
            _ => {
                let elem = self.types.fresh();
                let sequence = self.types.sequence(elem);
                let expected = if op == TextOp::GeneralConcat { self.types.sequence(sequence) } else { sequence };
                self.expect(operand, expected, sequence_needed(op), span);
                Progress::Done
            }
        }
    }

    fn try_field(
        &mut self,
        node: ExprId,
        record: ExprId,
        name: &SmolStr,
        name_span: Span,
        value: Option<ExprId>,
    ) -> Progress {
        let fields = match self.types.shape(self.ty(record)) {
            TypeTerm::Unknown => return Progress::Wait,
            TypeTerm::Error => return Progress::Done,
            TypeTerm::Record(fields) => fields.clone(),
            _ => {
                let (snippet, text) = (self.snippet(self.span(record)), self.types.text(&self.model, self.ty(record)));
                let message = format!("`{snippet}` is {text}, not a record, and has no field `{name}`");
                let diagnostic =
                    Diagnostic::error("not-a-record", message).at_saying(self.span(record), format!("this is {text}"));
                let diagnostic = self.with_reason(diagnostic, record);
                self.report(diagnostic);
                return Progress::Done;
            }
        };
        let Some(idx) = fields.iter().position(|(known, _)| known == name) else {
            let known: Vec<&str> = fields.iter().map(|(name, _)| name.as_str()).collect();
            let mut diagnostic =
                Diagnostic::error("unknown-field", format!("the record has no field `{name}`")).at(name_span);
            diagnostic = match crate::suggest::nearest(name, known.iter().copied()) {
                Some(near) => diagnostic.help(format!("a field with a similar name exists: `{near}`")),
                None => diagnostic.note(format!("its fields are {}", known.join(", "))),
            };
            self.report(diagnostic);
            return Progress::Done;
        };
        let field_ty = fields[idx].1;
        match (&mut self.model.exprs[node].expr, value) {
            (Expr::Field(_, position), None) => {
                *position = idx as u32;
                self.expect(node, field_ty, &format!("field `{name}` is {{}}"), name_span);
            }
            (Expr::WithField(_, position, _), Some(value)) => {
                *position = idx as u32;
                self.expect(value, field_ty, &format!("field `{name}` is {{}}"), name_span);
            }
            _ => {}
        }
        Progress::Done
    }
}

/// Text after "... but" for operators on sequences, with a hint on a common confusion.
fn sequence_needed(op: TextOp) -> &'static str {
    match op {
        TextOp::Concat => "`^` joins sequences or strings; a power is written `**`",
        TextOp::Size => "`size` needs a sequence; the elements of a set are counted by `card`",
        TextOp::Rev => "`rev` needs a sequence",
        TextOp::GeneralConcat => "`conc` needs a sequence of sequences",
    }
}

/// Turns an operation on INTEGER into the one on REAL; `false` if there is none.
fn to_real(expr: &mut Expr) -> bool {
    match expr {
        Expr::Binary(op, ..) => {
            *op = match op {
                BinaryOp::Add => BinaryOp::RealAdd,
                BinaryOp::Subtract => BinaryOp::RealSubtract,
                BinaryOp::Multiply => BinaryOp::RealMultiply,
                BinaryOp::Divide => BinaryOp::RealDivide,
                BinaryOp::Power => BinaryOp::RealPower,
                _ => return false,
            };
        }
        Expr::Unary(op, _) => {
            *op = match op {
                UnaryOp::Negate => UnaryOp::RealNegate,
                UnaryOp::Max => UnaryOp::RealMax,
                UnaryOp::Min => UnaryOp::RealMin,
                _ => return false,
            };
        }
        Expr::Quantified { op, .. } => {
            *op = match op {
                QuantifiedOp::Sigma => QuantifiedOp::RealSigma,
                QuantifiedOp::Pi => QuantifiedOp::RealPi,
                _ => return false,
            };
        }
        _ => return false,
    }
    true
}

fn pred_to_real(pred: &mut Pred) {
    if let Pred::Compare(op, ..) = pred {
        *op = match *op {
            Comparison::Less => Comparison::RealLess,
            Comparison::LessEqual => Comparison::RealLessEqual,
            other => other,
        };
    }
}
