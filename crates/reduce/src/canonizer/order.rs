//! The order of the states of an orbit.
//!
//! States are compared by an expression, if there is one, and then variable by variable in the order of their declaration. It is a total order on values and
//! never on the numbers that values got, so that representatives do not depend on threads; a partial one would let a local strategy run in circles.

use std::cmp::Ordering;

use abridge_eval::{Env, Val, val_text};
use abridge_explicit::{Explicit, UNSET};
use abridge_model::{BinaryOp, Expr, ExprId, Model, VarId};

/// Compares states.
pub(super) struct StateOrder<'s> {
    system: &'s Explicit<'s>,
    /// Words in the order in which they count.
    words: Vec<usize>,
    /// What counts before them.
    key: Option<ExprId>,
}

impl<'s> StateOrder<'s> {
    pub(super) fn new(system: &'s Explicit<'s>, order: Option<ExprId>) -> Self {
        let model = system.model();
        let variables = order.map(|order| variables_of(model, order));
        let (first, key) = match variables {
            Some(Some(variables)) => (variables, None),
            Some(None) => (Vec::new(), order),
            None => (Vec::new(), None),
        };
        let declared = model.state_variables().map(|(id, _)| id);
        let mut words: Vec<usize> = Vec::new();
        for id in first.into_iter().chain(declared) {
            let word = system.variables().iter().position(|variable| *variable == id).map(|idx| idx + 1);
            words.extend(word.filter(|word| !words.contains(word)));
        }
        StateOrder { system, words, key }
    }

    pub(super) fn compare(&self, a: &[u32], b: &[u32]) -> Ordering {
        if let Some(key) = self.key {
            let ordering = match (self.key_of(key, a), self.key_of(key, b)) {
                (Some(a), Some(b)) => self.values(&a, &b),
                // What cannot be evaluated comes last.
                (a, b) => b.is_some().cmp(&a.is_some()),
            };
            if ordering.is_ne() {
                return ordering;
            }
        }
        let differing = self.words.iter().copied().find(|word| a[*word] != b[*word]);
        differing.map_or(Ordering::Equal, |word| match (a[word], b[word]) {
            (UNSET, _) => Ordering::Less,
            (_, UNSET) => Ordering::Greater,
            (x, y) => self.values(&self.system.decode_val(word, x), &self.system.decode_val(word, y)),
        })
    }

    fn key_of(&self, key: ExprId, state: &[u32]) -> Option<Val> {
        let (state, _) = self.system.decode(state);
        self.system.judge().session().expr(key, &Env::new(&state)).ok()
    }

    fn values(&self, a: &Val, b: &Val) -> Ordering {
        match (a.as_value(), b.as_value()) {
            (Some(a), Some(b)) => a.cmp(b),
            // Sets that are kept as formulas have no order of their own.
            _ => val_text(self.system.model(), a).cmp(&val_text(self.system.model(), b)),
        }
    }
}

/// The variables of an order that is a tuple of variables.
fn variables_of(model: &Model, order: ExprId) -> Option<Vec<VarId>> {
    let mut variables = Vec::new();
    let mut open = vec![order];
    while let Some(id) = open.pop() {
        match model.expr(id) {
            Expr::Variable(id) => variables.push(*id),
            Expr::Binary(BinaryOp::Pair, left, right) => open.extend([*right, *left]),
            _ => return None,
        }
    }
    Some(variables)
}
