//! Plan steps of the chosen ways to bind unknowns.

use abridge_model::{BinaryOp, Expr, ExprId, LocalId, UnaryOp};

use super::CodeBuilder;
use super::offers::{Inverse, OfferStep, RangeBound};
use super::plan::OpenConjunct;
use crate::code::{CandidateSource, Code, ConcatPart, Head, PlanStep, ValuePattern};

impl CodeBuilder<'_, '_> {
    pub(crate) fn step(
        &mut self,
        choice: OfferStep,
        waiting: &mut Vec<OpenConjunct>,
        open: &mut Vec<LocalId>,
    ) -> Option<PlanStep> {
        Some(match choice {
            OfferStep::Match { pattern, value } => {
                let code = self.code(value);
                PlanStep::Match { pattern: self.pattern(pattern, open), code }
            }
            OfferStep::Solve { local, value, other, how } => {
                let (value, other) = (Box::new(self.code(value)), Box::new(self.code(other)));
                let code = match how {
                    Inverse::Sum => Code::Binary(BinaryOp::Subtract, value, other),
                    Inverse::Minuend => Code::Binary(BinaryOp::Add, value, other),
                    Inverse::Subtrahend => Code::Binary(BinaryOp::Subtract, other, value),
                };
                open.retain(|known| *known != local);
                PlanStep::Match { pattern: ValuePattern::Bind(self.layout.local(local)), code }
            }
            OfferStep::Split { operands, value } => {
                let code = self.code(value);
                let mut parts = Vec::with_capacity(operands.len());
                for operand in &operands {
                    parts.push(match self.open_local(*operand, open) {
                        Some(local) => ConcatPart::Bind {
                            slot: self.layout.local(local),
                            len: self.length_of(local, waiting, open).map(|len| self.code(len)),
                        },
                        None => ConcatPart::Equal(self.code(*operand)),
                    });
                }
                let bound: Vec<LocalId> =
                    operands.iter().filter_map(|operand| self.open_local(*operand, open)).collect();
                open.retain(|local| !bound.contains(local));
                PlanStep::Split { code, parts }
            }
            OfferStep::Elements { pattern, set } => {
                let source = match (self.source(set), self.open_local(pattern, open)) {
                    (CandidateSource::Code(code), Some(local)) if self.is_bounded_by(waiting, local) => {
                        CandidateSource::Bounded(code)
                    }
                    (source, _) => source,
                };
                PlanStep::Each { pattern: self.pattern(pattern, open), source, orbits: None }
            }
            OfferStep::Images { key, pattern, relation } => {
                let (relation, key) = (self.head(relation), self.code(key));
                PlanStep::Images { relation, key, pattern: self.pattern(pattern, open) }
            }
            OfferStep::Subsets { local, set } => {
                let source = CandidateSource::Subsets(self.code(set));
                open.retain(|known| *known != local);
                PlanStep::Each { pattern: ValuePattern::Bind(self.layout.local(local)), source, orbits: None }
            }
            OfferStep::Either { pred, in_order } => self.either(pred, in_order, open)?,
            // `by_inverse` plans a lookup together with the rest.
            OfferStep::Lookup(_) => return None,
            OfferStep::Range { local } => self.range(local, waiting, open),
            OfferStep::Type { local } => {
                open.retain(|known| *known != local);
                let source = CandidateSource::Type(self.model.locals[local].ty);
                PlanStep::Each { pattern: ValuePattern::Bind(self.layout.local(local)), source, orbits: None }
            }
        })
    }

    pub(crate) fn range(
        &mut self,
        local: LocalId,
        waiting: &mut Vec<OpenConjunct>,
        open: &mut Vec<LocalId>,
    ) -> PlanStep {
        let bounds = self.bounds(local, waiting, open);
        let (mut low, mut high) = (Vec::new(), Vec::new());
        let mut used: Vec<usize> = Vec::new();
        for (idx, bound) in bounds {
            used.push(idx);
            let one = || Box::new(Code::Value(abridge_value::Value::Int(1)));
            match bound {
                RangeBound::AtLeast(n) => low.push(Code::Value(abridge_value::Value::Int(n))),
                RangeBound::Low(expr, strict) => {
                    let code = self.code(expr);
                    low.push(if strict { Code::Binary(BinaryOp::Add, Box::new(code), one()) } else { code });
                }
                RangeBound::High(expr, strict) => {
                    let code = self.code(expr);
                    high.push(if strict { Code::Binary(BinaryOp::Subtract, Box::new(code), one()) } else { code });
                }
            }
        }
        used.dedup();
        for idx in used.into_iter().rev() {
            waiting.remove(idx);
        }
        open.retain(|known| *known != local);
        PlanStep::Range { slot: self.layout.local(local), low, high, is_bounded: self.is_bounded_by(waiting, local) }
    }

    /// Pattern of an expression. Its unknowns are bound from here on.
    pub(crate) fn pattern(&mut self, expr: ExprId, open: &mut Vec<LocalId>) -> ValuePattern {
        if let Some(local) = self.open_local(expr, open) {
            open.retain(|known| *known != local);
            return ValuePattern::Bind(self.layout.local(local));
        }
        match self.model.expr(expr) {
            Expr::Binary(BinaryOp::Pair, left, right) if !self.is_bound(expr, open) => {
                let (left, right) = (*left, *right);
                let left = self.pattern(left, open);
                ValuePattern::Pair(Box::new(left), Box::new(self.pattern(right, open)))
            }
            _ => ValuePattern::Equal(self.code(expr)),
        }
    }

    /// Source of the elements of a set.
    pub(crate) fn source(&mut self, set: ExprId) -> CandidateSource {
        let symbolic = matches!(
            self.model.expr(set),
            Expr::Binary(BinaryOp::Arrow(_) | BinaryOp::Cartesian, ..)
                | Expr::Unary(
                    UnaryOp::Pow
                        | UnaryOp::Pow1
                        | UnaryOp::Fin
                        | UnaryOp::Fin1
                        | UnaryOp::Iseq
                        | UnaryOp::Iseq1
                        | UnaryOp::Perm,
                    _
                )
                | Expr::StructSet(_)
        );
        match (symbolic, self.code(set)) {
            (false, code) if !matches!(code, Code::Interpret(..)) => CandidateSource::Code(code),
            _ => CandidateSource::Interpret(set, self.names.of_expr(self.model, set)),
        }
    }

    /// Function, relation or set that may be symbolic.
    pub(crate) fn head(&mut self, expr: ExprId) -> Head {
        match self.model.expr(expr) {
            Expr::Constant(id) => Head::Slot(self.layout.constant(*id)),
            Expr::Variable(id) => Head::Slot(self.layout.variable(*id)),
            Expr::Local(id) => Head::Slot(self.layout.local(*id)),
            _ => match self.code(expr) {
                Code::Cell(cell, expr) => Head::Cell(cell, expr),
                code => Head::Code(Box::new(code)),
            },
        }
    }
}
