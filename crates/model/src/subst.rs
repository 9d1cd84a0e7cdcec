//! Typed substitutions.
//!
//! An assignment to a part (`f(x) := E`, `r'a := E`) is an assignment of the whole with `<+` or [`crate::Expr::WithField`].

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
    /// Simultaneous; targets are distinct and there are as many values.
    Assign {
        targets: Vec<Target>,
        values: Vec<ExprId>,
    },
    /// The targets together, as a left-nested pair, become an element of the set.
    BecomesElement {
        targets: Vec<Target>,
        set: ExprId,
    },
    /// The targets become values such that `pred` holds; in it `new` (one local per target) are the new values, and the
    /// targets themselves the old ones.
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
    /// Not empty.
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
    /// Each binding sees those before it.
    Let {
        bindings: Vec<Binding>,
        body: SubstId,
    },
    /// Fresh locals, undefined until assigned.
    Var {
        locals: Vec<LocalId>,
        body: SubstId,
    },
    /// In `invariant` and `variant`, `before` (one per pair) holds the value its target had before the loop (`x$0`).
    While {
        condition: PredId,
        body: SubstId,
        invariant: PredId,
        variant: ExprId,
        before: Vec<(Target, LocalId)>,
    },
    /// As many arguments as the operation has parameters, as many outputs as it has outputs.
    Call {
        op: OpId,
        args: Vec<ExprId>,
        outputs: Vec<Target>,
    },
    External(ExternalId, Vec<ExprId>),
    /// At least two.
    Sequence(Vec<SubstId>),
    /// At least two.
    Parallel(Vec<SubstId>),
}
