//! The core of Abridge: one flat, typed, name-free B machine.
//!
//! The front end (`sema`) composes all files of a project into one [`Model`]. Every evaluator, encoder and analysis reads the model and
//! nothing else. Names are resolved, definitions expanded, overloads decided and types inferred; [`mod@verify`] is the contract that
//! readers rely on. [`Builder`] constructs models that satisfy it, for front ends. [`effects`] computes read and write sets; [`dump`]
//! prints the model as text.
//!
//! Start with `model.rs`, then `expr.rs`, `pred.rs` and `subst.rs`.

pub mod builder;
pub mod carriers;
pub mod dump;
pub mod effects;
pub mod expr;
pub mod ids;
mod label;
mod levels;
pub mod model;
pub mod operators;
pub mod pred;
pub mod subst;
mod traverse;
pub mod types;
pub mod verify;

pub use builder::{Builder, BuilderName, Rejected};
pub use expr::{Arrow, BaseSet, BinaryOp, Binding, Expr, ExprNode, QuantifiedOp, TreeOp, UnaryOp};
pub use ids::{
    ConstId, ExprId, ExternalId, FreeTypeId, IdSet, IdVec, LocalId, OpId, PredId, SetId, SubstId, TypeId, VarId,
};
pub use levels::Level;
pub use model::{
    Abstraction, CarrierKind, CarrierSet, Conjunct, Constant, Constructor, DeclOrigin, Effects, External, ExternalKind,
    FreeType, Local, Logic, Model, ModelKind, Operation, Preferences, ReductionDef, ReductionKind, Steering,
    TemporalProperty, Variable,
};
pub use operators::{Compiled, Definedness, OperatorFacts, may_fail};
pub use pred::{Comparison, Pred, PredNode};
pub use smol_str::SmolStr;
pub use subst::{Subst, SubstNode, Target};
pub use traverse::ModelNode;
pub use types::{Type, TypeTable};
pub use verify::{Fault, verify};
