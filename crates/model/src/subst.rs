//! Typed substitutions.
//!
//! An assignment to a part (`f(x) := E`, `r'a := E`) assigns the whole, with `<+` or [`crate::Expr::WithField`].

use abridge_diag::Span;

use crate::expr::Binding;
use crate::ids::{ExprId, ExternalId, LocalId, OpId, PredId, SubstId, VarId};

#[derive(Clone, Debug)]
pub struct SubstNode {
    pub subst: Subst,
    pub span: Span,
}

/// Target of an assignment: a variable of the machine, an output or a VAR local.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Target {
    Variable(VarId),
    Local(LocalId),
}

#[derive(Clone, Debug)]
pub enum Subst {
    Skip,
    /// Simultaneous assignment. Targets are distinct, with one value each.
    Assign {
        targets: Vec<Target>,
        values: Vec<ExprId>,
    },
    /// `x, y :: S`: the targets, as a left-nested pair, become an element of the set.
    BecomesElement {
        targets: Vec<Target>,
        set: ExprId,
    },
    /// `x : (P)`: the targets become values that satisfy `pred`. In `pred`, the locals `new` (one per target) are the new values, and the targets
    /// themselves are the old ones.
    BecomesSuch {
        targets: Vec<Target>,
        new: Vec<LocalId>,
        pred: PredId,
    },
    Pre {
        pred: PredId,
        body: SubstId,
    },
    Assert {
        pred: PredId,
        body: SubstId,
    },
    Select {
        branches: Vec<(PredId, SubstId)>,
        otherwise: Option<SubstId>,
    },
    If {
        branches: Vec<(PredId, SubstId)>,
        otherwise: Option<SubstId>,
    },
    /// At least one branch.
    Choice(Vec<SubstId>),
    Case {
        selector: ExprId,
        branches: Vec<(Vec<ExprId>, SubstId)>,
        otherwise: Option<SubstId>,
    },
    Any {
        binder: Vec<LocalId>,
        pred: PredId,
        body: SubstId,
    },
    /// The value of a binding may use earlier bindings.
    Let {
        bindings: Vec<Binding>,
        body: SubstId,
    },
    /// Local variables without a value until they are assigned.
    Var {
        locals: Vec<LocalId>,
        body: SubstId,
    },
    /// Loop. In `invariant` and `variant`, each local of `before` is the value that its target had before the loop (`x$0`).
    While {
        condition: PredId,
        body: SubstId,
        invariant: PredId,
        variant: ExprId,
        before: Vec<(Target, LocalId)>,
    },
    /// Call with one argument per parameter and one target per output of the operation.
    Call {
        op: OpId,
        args: Vec<ExprId>,
        outputs: Vec<Target>,
    },
    External(ExternalId, Vec<ExprId>),
    /// At least two parts.
    Sequence(Vec<SubstId>),
    /// At least two parts.
    Parallel(Vec<SubstId>),
}
