//! Explanation of a false predicate: the values of its subformulas, and the element that is to blame.

mod reasons;

use abridge_diag::{Span, with_stack};
use abridge_model::{BinaryOp, Expr, ExprId, Model, Pred, PredId, dump};
use abridge_system::{Part, Reason};

use abridge_eval::{Env, Notations, Session, State};

/// Largest number of subformulas in an explanation.
const MAX_PARTS: usize = 6;
/// Depth of operands below a comparison.
const MAX_DEPTH: u32 = 2;
/// Characters after which a text is cut.
const MAX_TEXT_CHARS: usize = 100;

/// Subformulas of a predicate that is false in a state, with their values, and sentences that say what makes it false.
pub(crate) fn explain(
    session: &Session<'_>,
    notations: &Notations,
    pred: PredId,
    state: &State,
) -> (Vec<Part>, Vec<Reason>) {
    why_false(session, notations, pred, &Env::new(state))
}

/// The same for a predicate that is false in an environment.
pub fn why_false(session: &Session<'_>, notations: &Notations, pred: PredId, env: &Env) -> (Vec<Part>, Vec<Reason>) {
    let model = session.model();
    let mut explanation = ExplanationBuilder { session, notations, model, parts: Vec::new(), reasons: Vec::new() };
    explanation.false_pred(pred, env);
    (explanation.parts, explanation.reasons)
}

struct ExplanationBuilder<'a> {
    session: &'a Session<'a>,
    notations: &'a Notations,
    model: &'a Model,
    parts: Vec<Part>,
    reasons: Vec<Reason>,
}

impl ExplanationBuilder<'_> {
    /// Explains a false predicate.
    fn false_pred(&mut self, id: PredId, env: &Env) {
        with_stack(|| self.false_pred_inner(id, env));
    }

    fn false_pred_inner(&mut self, id: PredId, env: &Env) {
        match self.model.pred(id) {
            Pred::And(operands) => {
                let culprit = operands.iter().find(|operand| matches!(self.session.pred(**operand, env), Ok(false)));
                culprit.into_iter().for_each(|culprit| self.false_pred(*culprit, env));
            }
            Pred::Or(operands) => operands.iter().for_each(|operand| self.false_pred(*operand, env)),
            Pred::Implies(left, right) => {
                self.operands(*left, env);
                self.false_pred(*right, env);
            }
            Pred::Forall { binder, body } => {
                if let Ok(Some(witness)) = self.session.counterexample(binder, *body, env) {
                    for local in binder {
                        let value = witness.local(*local).map(|val| self.notations.local_text(self.model, *local, val));
                        self.add(self.model.locals[*local].name.to_string(), None, value);
                    }
                    self.false_pred(*body, &witness);
                }
            }
            Pred::Let { bindings, body } => {
                let mut inner = env.clone();
                for binding in bindings {
                    let Ok(val) = self.session.value(binding.value, &inner) else { return };
                    inner = inner.bind_all(vec![(binding.local, val)]);
                }
                self.false_pred(*body, &inner);
            }
            _ => {
                self.operands(id, env);
                if self.reasons.len() < MAX_PARTS {
                    self.reasons.extend(reasons::reason(self.session, self.notations, id, env));
                }
            }
        }
    }

    /// Adds the expressions directly inside a predicate.
    fn operands(&mut self, id: PredId, env: &Env) {
        if self.parts.len() < MAX_PARTS {
            with_stack(|| self.operands_inner(id, env));
        }
    }

    fn operands_inner(&mut self, id: PredId, env: &Env) {
        match self.model.pred(id) {
            Pred::Not(operand) => self.operands(*operand, env),
            Pred::And(operands) | Pred::Or(operands) => {
                operands.iter().for_each(|operand| self.operands(*operand, env))
            }
            Pred::Implies(left, right) | Pred::Equivalent(left, right) => {
                self.operands(*left, env);
                self.operands(*right, env);
            }
            Pred::Compare(_, left, right) => {
                self.expr(*left, env, MAX_DEPTH);
                self.expr(*right, env, MAX_DEPTH);
            }
            Pred::Finite(set) => self.expr(*set, env, MAX_DEPTH),
            Pred::Partition(set, parts) => {
                self.expr(*set, env, MAX_DEPTH);
                parts.iter().for_each(|part| self.expr(*part, env, MAX_DEPTH));
            }
            _ => {}
        }
    }

    /// Adds an operand and, down to a depth, its own operands.
    fn expr(&mut self, id: ExprId, env: &Env, depth: u32) {
        if self.parts.len() >= MAX_PARTS {
            return;
        }
        match self.model.expr(id) {
            Expr::Integer(_)
            | Expr::Real(_)
            | Expr::String(_)
            | Expr::Bool(_)
            | Expr::Element(..)
            | Expr::Carrier(_) => return,
            Expr::EmptySet | Expr::BaseSet(_) | Expr::FreeType(_) => return,
            _ => {}
        }
        let inner: Vec<ExprId> = match self.model.expr(id) {
            // For a set of functions or an interval, the operands say more than the elements.
            Expr::Unary(op, operand) if op.facts().is_set_constructor => return self.inside(&[*operand], env, depth),
            Expr::Binary(BinaryOp::Arrow(_) | BinaryOp::Interval | BinaryOp::Cartesian, left, right) => {
                return self.inside(&[*left, *right], env, depth);
            }
            Expr::Unary(_, operand) => vec![*operand],
            Expr::Binary(_, left, right) => vec![*left, *right],
            Expr::SetExtension(items) | Expr::SequenceExtension(items) => items.clone(),
            Expr::Field(record, _) => vec![*record],
            _ => Vec::new(),
        };
        let value = self.session.value(id, env).ok().map(|val| self.notations.value_text(self.model, id, &val));
        // A name alone is shown with the prefix of its machine, which the text of that machine lacks.
        let is_name = matches!(self.model.expr(id), Expr::Variable(_) | Expr::Constant(_) | Expr::Local(_));
        let span = (!is_name).then_some(self.model.exprs[id].span);
        self.add(dump::expr_text(self.model, id), span, value);
        self.inside(&inner, env, depth);
    }

    fn inside(&mut self, operands: &[ExprId], env: &Env, depth: u32) {
        if depth > 0 {
            operands.iter().for_each(|operand| self.expr(*operand, env, depth - 1));
        }
    }

    fn add(&mut self, text: String, span: Option<Span>, value: Option<String>) {
        let Some(value) = value.filter(|value| *value != text) else { return };
        let part = Part { text: shortened(text), span, value: shortened(value) };
        if self.parts.len() < MAX_PARTS && self.parts.iter().all(|known| known.text != part.text) {
            self.parts.push(part);
        }
    }
}

fn shortened(text: String) -> String {
    match text.char_indices().nth(MAX_TEXT_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
