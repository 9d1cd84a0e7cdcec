//! Typed predicates.
//!
//! Synonyms are replaced: a negated relation by `Not` of the relation, `a > b` by `b < a`, `[x := E] P` by a LET.

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
    /// At least two conjuncts.
    And(Vec<PredId>),
    /// At least two disjuncts.
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
    /// The value of a binding may use earlier bindings.
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
