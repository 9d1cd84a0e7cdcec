//! Equations between a known sequence and one built from unknown parts: `z = x ^ y`, `z = [x] ^ rev(y)`, `z = s <- x`, `z = front(x)`.
//!
//! Parts of known length are cut off at both ends. If one part remains, its value is known. If several remain, the first or last is tried with every
//! length. The item that `front` or `tail` drops can be anything: such a sequence with unknown items is an *outline*.

use abridge_diag::with_stack;
use abridge_eval::{Cost, Env, Operand, Unknown, Val};
use abridge_model::{BinaryOp, Expr, ExprId, UnaryOp};
use abridge_value::{Set, Value, sequence};

use super::choose::{Best, SolverBranch};
use super::{SearchNode, SolutionSearch, pattern};

/// Item of a sequence; `None` if it can be anything.
type Item = Option<Value>;

/// Consequences of an equation.
#[derive(Default)]
struct Consequences {
    /// Expressions with known values.
    known: Vec<(ExprId, Val)>,
    /// Unknown with one of these values.
    choice: Option<(Unknown, Set)>,
    /// Unknowns with some known items.
    outlines: Vec<(Unknown, Vec<Item>)>,
}

/// The two sides of the equation cannot be equal.
struct Contradiction;

type SplitResult = std::result::Result<(), Contradiction>;

impl SolutionSearch<'_> {
    /// Offers the branching of `expr = term` with a known term. `None` if it offers none; `Some(false)` if it cannot be satisfied.
    pub(super) fn offer_sequence(
        &self,
        constraint: usize,
        expr: &Operand,
        term: &Operand,
        node: &SearchNode,
        best: &mut Best,
    ) -> Option<bool> {
        let Ok(learnt) = self.consequences(expr, term, node)? else { return Some(false) };
        let pattern = |id: &ExprId| pattern::classify(self.session, &Operand::Expr(*id), &node.open);
        if let Some((id, val)) = learnt.known.into_iter().find(|(id, _)| pattern(id).binds) {
            best.offer(
                Cost::EQUATION,
                SolverBranch::Match { constraint, pattern: Operand::Expr(id), val, exact: false },
            );
            return Some(true);
        }
        if let Some((unknown, set)) = learnt.choice {
            best.offer(set.len(), SolverBranch::Values { constraint: None, unknown, set: set.into() });
            return Some(true);
        }
        None
    }

    /// Outline of an unknown in `expr = term` with a known term.
    pub(super) fn outline(
        &self,
        unknown: Unknown,
        expr: &Operand,
        term: &Operand,
        node: &SearchNode,
    ) -> Option<Vec<Item>> {
        let learnt = self.consequences(expr, term, node)?.ok()?;
        learnt.outlines.into_iter().find_map(|(other, items)| (other == unknown).then_some(items))
    }

    /// Consequences of `expr = term`, if the term is known and the expression builds a sequence from parts.
    fn consequences(
        &self,
        expr: &Operand,
        term: &Operand,
        node: &SearchNode,
    ) -> Option<std::result::Result<Consequences, Contradiction>> {
        let Operand::Expr(id) = expr else { return None };
        if !self.is_built(*id) || !term.is_ready(self.session, &node.open) {
            return None;
        }
        let known = self.finite_set(term, &node.env)?;
        let items: Vec<Item> = sequence::items(&known)?.into_iter().cloned().map(Some).collect();
        let mut learnt = Consequences::default();
        Some(self.split(*id, &items, node, &mut learnt).map(|()| learnt))
    }

    fn is_built(&self, id: ExprId) -> bool {
        matches!(
            self.session.model().expr(id),
            Expr::Binary(BinaryOp::Concat | BinaryOp::InsertFront | BinaryOp::InsertTail, ..)
                | Expr::Unary(UnaryOp::Rev | UnaryOp::Front | UnaryOp::Tail | UnaryOp::GeneralConcat, _)
        )
    }

    fn split(&self, id: ExprId, items: &[Item], node: &SearchNode, learnt: &mut Consequences) -> SplitResult {
        with_stack(|| match self.session.model().expr(id) {
            Expr::Binary(BinaryOp::Concat, ..) => {
                let mut parts = Vec::new();
                self.flatten(id, &mut parts);
                self.split_parts(&parts, items, node, learnt)
            }
            Expr::Unary(UnaryOp::GeneralConcat, list) => match self.session.model().expr(*list) {
                Expr::SequenceExtension(parts) => self.split_parts(parts, items, node, learnt),
                _ => Ok(()),
            },
            Expr::Binary(BinaryOp::InsertFront, first, rest) => {
                let (item, items) = items.split_first().ok_or(Contradiction)?;
                learnt.learn(*first, item);
                self.split(*rest, items, node, learnt)
            }
            Expr::Binary(BinaryOp::InsertTail, rest, last) => {
                let (item, items) = items.split_last().ok_or(Contradiction)?;
                learnt.learn(*last, item);
                self.split(*rest, items, node, learnt)
            }
            Expr::Unary(UnaryOp::Rev, operand) => {
                let reversed: Vec<Item> = items.iter().rev().cloned().collect();
                self.split(*operand, &reversed, node, learnt)
            }
            Expr::Unary(UnaryOp::Front, operand) => self.split(*operand, &[items, &[None]].concat(), node, learnt),
            Expr::Unary(UnaryOp::Tail, operand) => self.split(*operand, &[&[None], items].concat(), node, learnt),
            Expr::SequenceExtension(exprs) if exprs.len() != items.len() => Err(Contradiction),
            Expr::SequenceExtension(exprs) => {
                exprs.iter().zip(items).for_each(|(expr, item)| learnt.learn(*expr, item));
                Ok(())
            }
            _ => {
                let known: Option<Vec<Value>> = items.iter().cloned().collect();
                match (known, self.as_unknown(&Operand::Expr(id), node)) {
                    (Some(known), _) => learnt.known.push((id, sequence::from_items(known).into())),
                    (None, Some(unknown)) => learnt.outlines.push((unknown, items.to_vec())),
                    (None, None) => {}
                }
                Ok(())
            }
        })
    }

    /// Collects the operands of nested concatenations.
    fn flatten(&self, id: ExprId, parts: &mut Vec<ExprId>) {
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            match self.session.model().expr(id) {
                Expr::Binary(BinaryOp::Concat, left, right) => open.extend([*right, *left]),
                _ => parts.push(id),
            }
        }
    }

    fn split_parts(
        &self,
        parts: &[ExprId],
        items: &[Item],
        node: &SearchNode,
        learnt: &mut Consequences,
    ) -> SplitResult {
        let (mut parts, mut items) = (parts, items);
        while let Some((first, rest)) = parts.split_first()
            && let Some(len) = self.length(*first, node)
        {
            let (mine, others) = items.split_at_checked(len).ok_or(Contradiction)?;
            self.split_known(*first, mine, node, learnt)?;
            (parts, items) = (rest, others);
        }
        while let Some((last, rest)) = parts.split_last()
            && let Some(len) = self.length(*last, node)
        {
            let at = items.len().checked_sub(len).ok_or(Contradiction)?;
            let (others, mine) = items.split_at(at);
            self.split_known(*last, mine, node, learnt)?;
            (parts, items) = (rest, others);
        }
        match parts {
            [] if items.is_empty() => Ok(()),
            [] => Err(Contradiction),
            [only] => self.split(*only, items, node, learnt),
            [first, .., last] => {
                learnt.choice = learnt.choice.take().or_else(|| self.either_end(*first, *last, items, node));
                Ok(())
            }
        }
    }

    /// Compares a part of known length with the items at its place.
    fn split_known(&self, part: ExprId, items: &[Item], node: &SearchNode, learnt: &mut Consequences) -> SplitResult {
        let Some(known) = self.known_items(part, node, &node.env) else { return self.split(part, items, node, learnt) };
        let differs = |(known, item): (&Value, &Item)| item.as_ref().is_some_and(|item| item != known);
        if known.len() != items.len() || known.iter().zip(items).any(differs) { Err(Contradiction) } else { Ok(()) }
    }

    /// Choice of a prefix for the first part, or of a suffix for the last.
    fn either_end(&self, first: ExprId, last: ExprId, items: &[Item], node: &SearchNode) -> Option<(Unknown, Set)> {
        let items: Vec<Value> = items.iter().cloned().collect::<Option<_>>()?;
        let set = |runs: &mut dyn Iterator<Item = &[Value]>| -> Set {
            runs.map(|run| Value::Set(sequence::from_items(run.iter().cloned()))).collect()
        };
        if let Some(unknown) = self.as_unknown(&Operand::Expr(first), node) {
            return Some((unknown, set(&mut (0..=items.len()).map(|len| &items[..len]))));
        }
        let unknown = self.as_unknown(&Operand::Expr(last), node)?;
        Some((unknown, set(&mut (0..=items.len()).map(|len| &items[len..]))))
    }

    /// Items of a part without open unknowns.
    fn known_items(&self, part: ExprId, node: &SearchNode, env: &Env) -> Option<Vec<Value>> {
        if !Operand::Expr(part).is_ready(self.session, &node.open) {
            return None;
        }
        let val = self.session.expr(part, env).and_then(|val| self.session.force(&val, env)).ok()?;
        Some(sequence::items(val.as_set()?)?.into_iter().cloned().collect())
    }

    /// Length of a part, if its form or value determines it.
    fn length(&self, part: ExprId, node: &SearchNode) -> Option<usize> {
        with_stack(|| match self.session.model().expr(part) {
            Expr::SequenceExtension(items) => Some(items.len()),
            Expr::Unary(UnaryOp::Rev, operand) => self.length(*operand, node),
            Expr::Unary(UnaryOp::Front | UnaryOp::Tail, operand) => self.length(*operand, node)?.checked_sub(1),
            Expr::Binary(BinaryOp::InsertFront, _, rest) | Expr::Binary(BinaryOp::InsertTail, rest, _) => {
                Some(self.length(*rest, node)? + 1)
            }
            _ => self.known_items(part, node, &node.env).map(|items| items.len()),
        })
    }
}

impl Consequences {
    fn learn(&mut self, expr: ExprId, item: &Item) {
        self.known.extend(item.clone().map(|value| (expr, value.into())));
    }
}
