//! Reasons why something has no exact circuit.
//!
//! An encoding never approximates in silence: whatever it cannot say exactly is a [`CircuitGap`] with its subject and its cause. An engine that
//! needs exact circuits refuses a machine with gaps; an analysis that may err on the safe side goes on with the rest. A gap that was
//! forgotten would make an exact engine prove what is not so.

use abridge_model::ModelNode;
use abridge_model::{Expr, Model, OpId, Pred, Subst, Type, TypeId, VarId};
use abridge_solve::encode::NoCircuit;

/// Something without an exact circuit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CircuitGap {
    pub subject: GapSubject,
    pub cause: Cause,
}

/// A part of a machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GapSubject {
    Machine,
    Variable(VarId),
    Initialisation,
    Operation(OpId),
    /// A conjunct, by position.
    Invariant(usize),
    Assertion(usize),
    Goal,
    Proposition(usize),
}

/// A reason for a gap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// No bound of an integer could be proved.
    UnboundedInteger,
    /// No bound of the length of a sequence, or of the arguments of a function of integers, could be proved.
    UnboundedSequence,
    String,
    Real,
    /// The value would take more cells than allowed.
    ManyCells,
    /// There are more values of parameters than allowed.
    ManyInstances,
    /// More initial states than can be listed.
    ManyInitialStates,
    External,
    Loop,
    /// The steps of translation or the size of the circuit ran out.
    Budget,
    /// It reads a variable that has no exact form.
    Reads(VarId),
    /// Evaluation may fail in ways that circuits do not tell.
    IllDefinedness,
    /// A construct without a circuit.
    Construct(&'static str),
}

impl CircuitGap {
    /// The gap in words.
    pub fn text(&self, model: &Model) -> String {
        let subject = match self.subject {
            GapSubject::Machine => "the machine".to_owned(),
            GapSubject::Variable(id) => format!("variable `{}`", model.variables[id].name),
            GapSubject::Initialisation => "the initialisation".to_owned(),
            GapSubject::Operation(op) if model.transformations().any(|function| function == op) => {
                format!("function `{}`", model.operations[op].name)
            }
            GapSubject::Operation(op) => format!("operation `{}`", model.operations[op].name),
            GapSubject::Invariant(idx) => format!("invariant {}", idx + 1),
            GapSubject::Assertion(idx) => format!("assertion {}", idx + 1),
            GapSubject::Goal => "the goal".to_owned(),
            GapSubject::Proposition(idx) => format!("proposition {} of the temporal formulas", idx + 1),
        };
        let cause = match self.cause {
            Cause::UnboundedInteger => "an integer without proved bounds".to_owned(),
            Cause::UnboundedSequence => "a sequence, or a function of integers, without proved bounds".to_owned(),
            Cause::String => "strings".to_owned(),
            Cause::Real => "real numbers".to_owned(),
            Cause::ManyCells => "too many cells".to_owned(),
            Cause::ManyInstances => "too many values of parameters".to_owned(),
            Cause::ManyInitialStates => "too many initial states to list".to_owned(),
            Cause::External => "an external function".to_owned(),
            Cause::Loop => "a loop".to_owned(),
            Cause::Budget => "the budget of the translation".to_owned(),
            Cause::Reads(id) => format!("it reads `{}`", model.variables[id].name),
            Cause::IllDefinedness => "a condition that may be ill-defined".to_owned(),
            Cause::Construct(what) => what.to_owned(),
        };
        format!("{subject} has no exact circuit: {cause}")
    }
}

impl Cause {
    /// The reason why a node has no circuit; `is_opaque` tells variables without an exact form.
    pub(crate) fn of_node(
        model: &Model,
        node: ModelNode,
        stop: &NoCircuit,
        is_opaque: impl Fn(VarId) -> bool,
    ) -> Cause {
        let what = match stop {
            NoCircuit::Fatal(_) => return Cause::Budget,
            NoCircuit::Unsupported("a large circuit") => return Cause::Budget,
            NoCircuit::Unsupported(what) => *what,
        };
        let mut found = None;
        model.for_each_node(node, &mut |node| {
            let cause = match node {
                ModelNode::Expr(id) => match model.expr(id) {
                    Expr::External(..) => Some(Cause::External),
                    Expr::Variable(id) if is_opaque(*id) => Some(Cause::Reads(*id)),
                    _ => None,
                },
                ModelNode::Pred(id) => matches!(model.pred(id), Pred::External(..)).then_some(Cause::External),
                ModelNode::Subst(id) => match model.subst(id) {
                    Subst::While { .. } => Some(Cause::Loop),
                    Subst::External(..) => Some(Cause::External),
                    _ => None,
                },
            };
            found = found.or(cause);
        });
        found.unwrap_or(Cause::Construct(what))
    }

    /// The reason why the values of a type cannot be listed.
    pub(crate) fn of_type(model: &Model, ty: TypeId) -> Cause {
        let mut open = vec![ty];
        let mut is_sequence = false;
        let mut cause = Cause::ManyCells;
        while let Some(ty) = open.pop() {
            match model.types.get(ty) {
                Type::String => return Cause::String,
                Type::Real => return Cause::Real,
                Type::Integer => cause = Cause::UnboundedInteger,
                Type::Pow(inner) => {
                    is_sequence |= matches!(model.types.get(*inner), Type::Pair(first, _)
                        if matches!(model.types.get(*first), Type::Integer));
                    open.push(*inner);
                }
                Type::Pair(first, second) => open.extend([*first, *second]),
                Type::Record(fields) => open.extend(fields.iter().map(|(_, ty)| *ty)),
                _ => {}
            }
        }
        if is_sequence && cause == Cause::UnboundedInteger { Cause::UnboundedSequence } else { cause }
    }
}
