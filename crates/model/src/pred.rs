//! Typed predicates.
//!
//! Synonyms are gone: a negated relation is `Not` of the relation, `a > b` is `b < a`, `[x := E] P` is a LET.

use abridge_diag::Span;

use crate::expr::Binding;
use crate::ids::{ExprId, ExternalId, LocalId, PredId};

#[derive(Clone, Debug)]
pub struct PredNode {
    pub pred: Pred,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum Pred {
    True,
    False,
    Not(PredId),
    /// At least two.
    And(Vec<PredId>),
    /// At least two.
    Or(Vec<PredId>),
    Implies(PredId, PredId),
    Equivalent(PredId, PredId),
    Compare(Comparison, ExprId, ExprId),
    Forall {
        binder: Vec<LocalId>,
        body: PredId,
    },
    Exists {
        binder: Vec<LocalId>,
        body: PredId,
    },
    If(PredId, PredId, PredId),
    /// Each binding sees those before it.
    Let {
        bindings: Vec<Binding>,
        body: PredId,
    },
    /// `@finite(S)`
    Finite(ExprId),
    /// `@partition(S, A, B, ...)`
    Partition(ExprId, Vec<ExprId>),
    External(ExternalId, Vec<ExprId>),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Comparison {
    Equal,
    Member,
    Subset,
    StrictSubset,
    Less,
    LessEqual,
    RealLess,
    RealLessEqual,
}
