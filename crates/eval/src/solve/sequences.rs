//! Equations between a known sequence and one built from unknown parts: `z = x ^ y`, `z = [x] ^ rev(y)`, `z = s <- x`.
//!
//! Parts whose length is known are cut off from both ends. What remains is one part, which is then known, or several, of which the first
//! or last is tried with every length.

use abridge_model::{BinaryOp, Expr, ExprId, UnaryOp};
use abridge_value::{Set, Value, sequence};

use super::choose::{Best, Step};
use super::constraint::Term;
use super::{Node, Search, Unknown};
use crate::env::Env;
use crate::val::Val;

/// What an equation says.
#[derive(Default)]
struct Said {
    /// Expressions that have these values.
    known: Vec<(ExprId, Val)>,
    /// An unknown that has one of these values.
    choice: Option<(Unknown, Set)>,
}

/// The two sides cannot be equal.
struct Contradiction;

type Told = std::result::Result<(), Contradiction>;

impl Search<'_> {
    /// `expr = term` with a known term. Nothing if it does not help, else whether the node is alive.
    pub(super) fn offer_sequence(
        &self,
        constraint: usize,
        expr: &Term,
        term: &Term,
        node: &Node,
        best: &mut Best,
    ) -> Option<bool> {
        let Term::Expr(id) = expr else { return None };
        if !self.is_built(*id) || !term.is_ready(self.session, &node.open) {
            return None;
        }
        let val = term.eval(self.session, &node.env).and_then(|val| self.session.force(&val, &node.env)).ok()?;
        let items: Vec<Value> = sequence::items(val.as_set()?)?.into_iter().cloned().collect();
        let mut said = Said::default();
        if self.split(*id, &items, node, &mut said).is_err() {
            return Some(false);
        }
        let pattern = |id: &ExprId| self.session.pattern(&Term::Expr(*id), &node.open);
        if let Some((id, val)) = said.known.into_iter().find(|(id, _)| pattern(id).binds) {
            best.offer(0, Step::Match { constraint, pattern: Term::Expr(id), val, exact: false });
            return Some(true);
        }
        if let Some((unknown, set)) = said.choice {
            best.offer(set.len(), Step::Values { constraint: None, unknown, set: set.into() });
            return Some(true);
        }
        None
    }

    fn is_built(&self, id: ExprId) -> bool {
        matches!(
            self.session.model().expr(id),
            Expr::Binary(BinaryOp::Concat | BinaryOp::InsertFront | BinaryOp::InsertTail, ..)
                | Expr::Unary(UnaryOp::Rev | UnaryOp::GeneralConcat, _)
        )
    }

    fn split(&self, id: ExprId, items: &[Value], node: &Node, said: &mut Said) -> Told {
        let val = |items: &[Value]| Val::from(sequence::from_items(items.iter().cloned()));
        match self.session.model().expr(id) {
            Expr::Binary(BinaryOp::Concat, ..) => {
                let mut parts = Vec::new();
                self.flatten(id, &mut parts);
                self.split_parts(&parts, items, node, said)
            }
            Expr::Unary(UnaryOp::GeneralConcat, list) => match self.session.model().expr(*list) {
                Expr::SequenceExtension(parts) => self.split_parts(parts, items, node, said),
                _ => Ok(()),
            },
            Expr::Binary(BinaryOp::InsertFront, first, rest) => {
                let (item, items) = items.split_first().ok_or(Contradiction)?;
                said.known.push((*first, item.clone().into()));
                self.split(*rest, items, node, said)
            }
            Expr::Binary(BinaryOp::InsertTail, rest, last) => {
                let (item, items) = items.split_last().ok_or(Contradiction)?;
                said.known.push((*last, item.clone().into()));
                self.split(*rest, items, node, said)
            }
            Expr::Unary(UnaryOp::Rev, operand) => {
                let reversed: Vec<Value> = items.iter().rev().cloned().collect();
                self.split(*operand, &reversed, node, said)
            }
            _ => {
                said.known.push((id, val(items)));
                Ok(())
            }
        }
    }

    /// The operands of nested concatenations.
    fn flatten(&self, id: ExprId, parts: &mut Vec<ExprId>) {
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            match self.session.model().expr(id) {
                Expr::Binary(BinaryOp::Concat, left, right) => open.extend([*right, *left]),
                _ => parts.push(id),
            }
        }
    }

    fn split_parts(&self, parts: &[ExprId], items: &[Value], node: &Node, said: &mut Said) -> Told {
        let (mut parts, mut items) = (parts, items);
        while let Some((first, rest)) = parts.split_first()
            && let Some(len) = self.length(*first, node)
        {
            let (mine, others) = items.split_at_checked(len).ok_or(Contradiction)?;
            self.split_known(*first, mine, node, said)?;
            (parts, items) = (rest, others);
        }
        while let Some((last, rest)) = parts.split_last()
            && let Some(len) = self.length(*last, node)
        {
            let at = items.len().checked_sub(len).ok_or(Contradiction)?;
            let (others, mine) = items.split_at(at);
            self.split_known(*last, mine, node, said)?;
            (parts, items) = (rest, others);
        }
        match parts {
            [] if items.is_empty() => Ok(()),
            [] => Err(Contradiction),
            [only] => self.split(*only, items, node, said),
            [first, .., last] => {
                said.choice = said.choice.take().or_else(|| self.either_end(*first, *last, items, node));
                Ok(())
            }
        }
    }

    /// A part of known length must be the items at its place.
    fn split_known(&self, part: ExprId, items: &[Value], node: &Node, said: &mut Said) -> Told {
        match self.known_items(part, node, &node.env) {
            Some(known) if known != items => Err(Contradiction),
            Some(_) => Ok(()),
            None => self.split(part, items, node, said),
        }
    }

    /// All beginnings, or all ends.
    fn either_end(&self, first: ExprId, last: ExprId, items: &[Value], node: &Node) -> Option<(Unknown, Set)> {
        let set = |runs: &mut dyn Iterator<Item = &[Value]>| -> Set {
            runs.map(|run| Value::Set(sequence::from_items(run.iter().cloned()))).collect()
        };
        if let Some(unknown) = self.as_unknown(&Term::Expr(first), node) {
            return Some((unknown, set(&mut (0..=items.len()).map(|len| &items[..len]))));
        }
        let unknown = self.as_unknown(&Term::Expr(last), node)?;
        Some((unknown, set(&mut (0..=items.len()).map(|len| &items[len..]))))
    }

    /// The items of a part without open unknowns.
    fn known_items(&self, part: ExprId, node: &Node, env: &Env) -> Option<Vec<Value>> {
        if !Term::Expr(part).is_ready(self.session, &node.open) {
            return None;
        }
        let val = self.session.expr(part, env).and_then(|val| self.session.force(&val, env)).ok()?;
        Some(sequence::items(val.as_set()?)?.into_iter().cloned().collect())
    }

    /// The length of a part, if its form or value says it.
    fn length(&self, part: ExprId, node: &Node) -> Option<usize> {
        match self.session.model().expr(part) {
            Expr::SequenceExtension(items) => Some(items.len()),
            Expr::Unary(UnaryOp::Rev, operand) => self.length(*operand, node),
            _ => self.known_items(part, node, &node.env).map(|items| items.len()),
        }
    }
}
