//! The order of the states of an orbit.
//!
//! States are compared criterion by criterion: the components of the order that the user wrote, then the variables in the order of their declaration. It is a
//! total order on values and never on the numbers that values got, so that representatives do not depend on threads; a partial one would let a
//! local strategy run in circles.

use std::cmp::Ordering;

use abridge_eval::{Env, Val, val_text};
use abridge_model::{BinaryOp, Expr, ExprId, IdSet, Model, VarId, effects};
use abridge_model_system::{ModelSystem, UNSET};

/// Compares states.
pub(super) struct StateOrder<'s, S> {
    system: &'s S,
    criteria: Vec<Criterion>,
}

/// Something by which states are compared.
pub(super) enum Criterion {
    /// The value of this word.
    Word(usize),
    /// The value of an expression that reads these words, and perhaps constants.
    Key { expr: ExprId, reads: Vec<usize>, reads_constants: bool },
}

impl Criterion {
    /// The words that it depends on.
    pub(super) fn reads(&self) -> &[usize] {
        match self {
            Criterion::Word(word) => std::slice::from_ref(word),
            Criterion::Key { reads, .. } => reads,
        }
    }
}

/// What a criterion says about a state, to be compared.
pub(super) enum Rank<'r> {
    Word(u32),
    Key(Option<&'r Val>),
}

impl<'s, S: ModelSystem> StateOrder<'s, S> {
    pub(super) fn new(system: &'s S, order: Option<ExprId>) -> Self {
        let model = system.model();
        let mut criteria = Vec::new();
        for component in order.map(|order| components(model, order)).unwrap_or_default() {
            criteria.push(match model.expr(component) {
                Expr::Variable(id) if system.word_of(*id).is_some() => {
                    Criterion::Word(system.word_of(*id).unwrap_or_default())
                }
                _ => {
                    let reads = effects::reads_of_expr(model, component);
                    let reads_constants = !reads.constants.is_empty();
                    Criterion::Key { expr: component, reads: words_of(system, &reads.variables), reads_constants }
                }
            });
        }
        for (id, _) in model.state_variables() {
            let is_known =
                |word: &usize| criteria.iter().any(|known| matches!(known, Criterion::Word(it) if it == word));
            let word = system.word_of(id).filter(|word| !is_known(word));
            criteria.extend(word.map(Criterion::Word));
        }
        StateOrder { system, criteria }
    }

    pub(super) fn criteria(&self) -> &[Criterion] {
        &self.criteria
    }

    pub(super) fn compare(&self, a: &[u32], b: &[u32]) -> Ordering {
        for criterion in &self.criteria {
            if criterion.reads().iter().all(|word| a[*word] == b[*word]) {
                continue;
            }
            let ordering = match criterion {
                Criterion::Word(word) => self.ranks(*word, Rank::Word(a[*word]), Rank::Word(b[*word])),
                Criterion::Key { expr, .. } => {
                    let (a, b) = (self.key_of(*expr, a), self.key_of(*expr, b));
                    self.ranks(0, Rank::Key(a.as_ref()), Rank::Key(b.as_ref()))
                }
            };
            if ordering.is_ne() {
                return ordering;
            }
        }
        Ordering::Equal
    }

    /// Compares what one criterion says about two states; `word` is the one of [`Rank::Word`].
    pub(super) fn ranks(&self, word: usize, a: Rank<'_>, b: Rank<'_>) -> Ordering {
        match (a, b) {
            (Rank::Word(x), Rank::Word(y)) if x == y => Ordering::Equal,
            (Rank::Word(UNSET), _) => Ordering::Less,
            (_, Rank::Word(UNSET)) => Ordering::Greater,
            (Rank::Word(x), Rank::Word(y)) => {
                self.values(&self.system.decode_val(word, x), &self.system.decode_val(word, y))
            }
            (Rank::Key(Some(a)), Rank::Key(Some(b))) => self.values(a, b),
            // What cannot be evaluated comes last.
            (a, b) => is_key(&b).cmp(&is_key(&a)),
        }
    }

    /// The value of an expression in a state, if it has one.
    pub(super) fn key_of(&self, key: ExprId, state: &[u32]) -> Option<Val> {
        let (state, _) = self.system.decode(state);
        self.system.judge().session().value(key, &Env::new(&state)).ok()
    }

    fn values(&self, a: &Val, b: &Val) -> Ordering {
        match (a.as_value(), b.as_value()) {
            (Some(a), Some(b)) => a.cmp(b),
            // Sets that are kept as formulas have no order of their own.
            _ => val_text(self.system.model(), a).cmp(&val_text(self.system.model(), b)),
        }
    }
}

fn is_key(rank: &Rank<'_>) -> bool {
    matches!(rank, Rank::Key(Some(_)))
}

/// The words of variables; those without a word never change.
pub(super) fn words_of(system: &impl ModelSystem, variables: &IdSet<VarId>) -> Vec<usize> {
    variables.iter().filter_map(|id| system.word_of(id)).collect()
}

/// The components of an order that is a tuple, from left to right.
fn components(model: &Model, order: ExprId) -> Vec<ExprId> {
    let (mut components, mut open) = (Vec::new(), vec![order]);
    while let Some(id) = open.pop() {
        match model.expr(id) {
            Expr::Binary(BinaryOp::Pair, left, right) => open.extend([*right, *left]),
            _ => components.push(id),
        }
    }
    components
}
