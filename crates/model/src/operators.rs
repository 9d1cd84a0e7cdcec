//! Table of operators, with one column per fact that other crates need.
//!
//! A new operator gets a row here; the compiler reports a missing one. A crate that needs another fact about operators adds a column instead of a
//! `match` of its own. Each column states its safe side: `Partial` for a total operator costs time, `Total` for a partial one makes verdicts wrong.

use crate::ModelNode;
use crate::expr::{BinaryOp, Expr, UnaryOp};
use crate::model::Model;
use crate::pred::Pred;

/// Facts about one operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OperatorFacts {
    pub definedness: Definedness,
    /// Implementation in the compiled form, on concrete values.
    pub compiled: Compiled,
    /// Number of the operator in saved symbolic sets, if these can contain it. A number is never reused.
    pub saved_as: Option<u8>,
    /// The result is a set of sets, functions or sequences that acts as a type: `POW(S)`, `S --> T`, `seq(S)`.
    pub is_set_constructor: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Definedness {
    /// All operands of the right types have a result, which is computed without enumerating an infinite set.
    Total,
    /// The result may be ill-defined, or not computable for some operands.
    Partial,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compiled {
    /// As a function of one or two values.
    Directly,
    /// In a form of its own, or not at all.
    Otherwise,
}

use Compiled::{Directly, Otherwise};
use Definedness::{Partial, Total};

impl OperatorFacts {
    const fn new(definedness: Definedness, compiled: Compiled) -> OperatorFacts {
        OperatorFacts { definedness, compiled, saved_as: None, is_set_constructor: false }
    }

    const fn saved_as(self, number: u8) -> OperatorFacts {
        OperatorFacts { saved_as: Some(number), ..self }
    }

    const fn set_constructor(self) -> OperatorFacts {
        OperatorFacts { is_set_constructor: true, ..self }
    }
}

impl UnaryOp {
    /// Row of the operator.
    pub const fn facts(self) -> OperatorFacts {
        use UnaryOp::*;
        let row = OperatorFacts::new;
        match self {
            Negate => row(Total, Directly),
            RealNegate | Floor | Ceiling | ToReal => row(Partial, Otherwise),
            Max | Min => row(Partial, Directly),
            RealMax | RealMin => row(Partial, Otherwise),
            Card => row(Partial, Directly),
            Pow => row(Partial, Otherwise).saved_as(0).set_constructor(),
            Pow1 => row(Partial, Otherwise).saved_as(1).set_constructor(),
            Fin => row(Partial, Otherwise).saved_as(2).set_constructor(),
            Fin1 => row(Partial, Otherwise).saved_as(3).set_constructor(),
            GeneralUnion => row(Partial, Directly).saved_as(4),
            GeneralInter => row(Partial, Directly).saved_as(5),
            First | Second => row(Total, Directly),
            Dom => row(Total, Directly).saved_as(6),
            Ran => row(Total, Directly).saved_as(7),
            Inverse => row(Total, Directly).saved_as(8),
            Id => row(Partial, Directly).saved_as(9),
            Closure => row(Partial, Otherwise).saved_as(10),
            Closure1 => row(Partial, Directly).saved_as(11),
            Fnc => row(Partial, Otherwise).saved_as(12),
            Rel => row(Partial, Otherwise).saved_as(13),
            Seq => row(Partial, Otherwise).saved_as(14).set_constructor(),
            Seq1 => row(Partial, Otherwise).saved_as(15).set_constructor(),
            Iseq => row(Partial, Otherwise).saved_as(16).set_constructor(),
            Iseq1 => row(Partial, Otherwise).saved_as(17).set_constructor(),
            Perm => row(Partial, Otherwise).saved_as(18).set_constructor(),
            Size | SeqFirst | SeqLast => row(Partial, Directly),
            Front => row(Partial, Directly).saved_as(19),
            Tail => row(Partial, Directly).saved_as(20),
            Rev => row(Partial, Directly).saved_as(21),
            GeneralConcat => row(Partial, Otherwise).saved_as(22),
            StringSize | StringRev | StringGeneralConcat => row(Partial, Otherwise),
        }
    }
}

impl BinaryOp {
    /// Row of the operator.
    pub const fn facts(self) -> OperatorFacts {
        use BinaryOp::*;
        let row = OperatorFacts::new;
        match self {
            Add | Subtract | Multiply => row(Total, Directly),
            Divide | Modulo | Power => row(Partial, Directly),
            RealAdd | RealSubtract | RealMultiply | RealDivide | RealPower => row(Partial, Otherwise),
            Interval => row(Total, Directly).saved_as(0),
            Union => row(Total, Directly).saved_as(1),
            Intersection => row(Total, Directly).saved_as(2),
            Difference => row(Total, Directly).saved_as(3),
            Cartesian => row(Total, Directly).saved_as(4),
            Pair => row(Total, Directly),
            Arrow(_) => row(Partial, Otherwise).set_constructor(),
            Apply => row(Partial, Otherwise),
            Image => row(Partial, Otherwise).saved_as(5),
            DomainRestrict => row(Total, Directly).saved_as(6),
            DomainSubtract => row(Total, Directly).saved_as(7),
            RangeRestrict => row(Total, Directly).saved_as(8),
            RangeSubtract => row(Total, Directly).saved_as(9),
            Override => row(Total, Directly).saved_as(10),
            Compose => row(Partial, Directly).saved_as(11),
            DirectProduct => row(Partial, Otherwise).saved_as(12),
            ParallelProduct => row(Partial, Otherwise).saved_as(13),
            Iterate => row(Partial, Otherwise).saved_as(14),
            Prj1 => row(Partial, Otherwise).saved_as(15),
            Prj2 => row(Partial, Otherwise).saved_as(16),
            Concat => row(Partial, Directly).saved_as(17),
            InsertFront => row(Partial, Directly).saved_as(18),
            InsertTail => row(Partial, Directly).saved_as(19),
            Take => row(Partial, Directly).saved_as(20),
            Drop => row(Partial, Directly).saved_as(21),
            StringConcat => row(Partial, Otherwise),
        }
    }
}

/// True if the evaluation of a formula may fail, because it has an operator that is not defined for all operands.
pub fn may_fail(model: &Model, root: ModelNode) -> bool {
    let mut found = false;
    model.for_each_node(root, &mut |node| {
        found |= match node {
            ModelNode::Expr(id) => !is_total(model.expr(id)),
            ModelNode::Pred(id) => matches!(
                model.pred(id),
                Pred::External(..) | Pred::Finite(_) | Pred::Forall { .. } | Pred::Exists { .. }
            ),
            ModelNode::Subst(_) => true,
        };
    });
    found
}

fn is_total(expr: &Expr) -> bool {
    match expr {
        Expr::Integer(_) | Expr::String(_) | Expr::Bool(_) | Expr::Element(..) | Expr::Constant(_) => true,
        Expr::Variable(_) | Expr::Local(_) | Expr::Carrier(_) | Expr::BaseSet(_) | Expr::EmptySet => true,
        Expr::SetExtension(_) | Expr::SequenceExtension(_) | Expr::Record(_) => true,
        Expr::Field(..) | Expr::WithField(..) | Expr::If(..) | Expr::BoolOf(_) => true,
        Expr::Unary(op, _) => op.facts().definedness == Total,
        Expr::Binary(op, ..) => op.facts().definedness == Total,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn saved_operators_have_numbers_of_their_own() {
        let unary: Vec<u8> = UnaryOp::ALL.iter().filter_map(|op| op.facts().saved_as).collect();
        let binary: Vec<u8> = BinaryOp::ALL.iter().filter_map(|op| op.facts().saved_as).collect();
        for numbers in [unary, binary] {
            let mut distinct = numbers.clone();
            distinct.sort_unstable();
            distinct.dedup();
            assert_eq!(distinct.len(), numbers.len(), "{numbers:?}");
            assert_eq!(usize::from(*distinct.last().expect("some operators are saved")) + 1, distinct.len());
        }
    }
}
