//! Notation of the names and expressions of a model: which of their values are sequences.
//!
//! Declarations say so (`s : seq(T)`), and operators on sequences do. A name takes its notation from the first typing conjunct or equation that gives one:
//! constants from the properties, variables from the invariant, locals from any formula. A wrong notation could not harm, since a value that is no sequence is
//! never written as one.

use abridge_diag::with_stack;
use abridge_model::ids::IdVec;
use abridge_model::{
    BinaryOp, Comparison, Conjunct, ConstId, Expr, ExprId, LocalId, Model, Pred, PredId, QuantifiedOp, Subst, Target,
    UnaryOp, VarId,
};
use abridge_value::Notation;

use super::text::val_text_as;
use super::val::Val;

/// Expressions nested deeper than this are written in the usual notation.
const MAX_DEPTH: u32 = 12;

/// Notations of all names of a model.
#[derive(Debug)]
pub struct Notations {
    constants: IdVec<ConstId, Notation>,
    variables: IdVec<VarId, Notation>,
    locals: IdVec<LocalId, Notation>,
}

impl Notations {
    pub fn new(model: &Model) -> Notations {
        let mut notations = Notations {
            constants: model.constants.ids().map(|_| Notation::Usual).collect(),
            variables: model.variables.ids().map(|_| Notation::Usual).collect(),
            locals: model.locals.ids().map(|_| Notation::Usual).collect(),
        };
        with_stack(|| notations.collect(model));
        notations
    }

    /// B text of the value of a constant.
    pub fn constant_text(&self, model: &Model, id: ConstId, val: &Val) -> String {
        val_text_as(model, val, &self.constants[id])
    }

    pub fn variable_text(&self, model: &Model, id: VarId, val: &Val) -> String {
        val_text_as(model, val, &self.variables[id])
    }

    /// B text of the value of a parameter, an output or a bound name.
    pub fn local_text(&self, model: &Model, id: LocalId, val: &Val) -> String {
        val_text_as(model, val, &self.locals[id])
    }

    /// B text of the value of an expression.
    pub fn value_text(&self, model: &Model, expr: ExprId, val: &Val) -> String {
        val_text_as(model, val, &self.of(model, expr))
    }

    /// B text of a value that is compared with the elements of a set.
    pub fn element_text(&self, model: &Model, set: ExprId, val: &Val) -> String {
        val_text_as(model, val, &self.of(model, set).elements())
    }

    fn collect(&mut self, model: &Model) {
        for conjunct in &model.properties {
            self.declared_by(model, conjunct, |name| matches!(name, Expr::Constant(_)));
        }
        for conjunct in &model.invariant {
            self.declared_by(model, conjunct, |name| matches!(name, Expr::Variable(_)));
        }
        for pred in model.preds.ids() {
            self.declare(model, pred, |name| matches!(name, Expr::Local(_)));
        }
        // Outputs and local variables are like what they are assigned.
        for node in model.substs.values() {
            if let Subst::Assign { targets, values } = &node.subst {
                for (target, value) in targets.iter().zip(values) {
                    if let Target::Local(local) = target {
                        let notation = self.of(model, *value);
                        keep(&mut self.locals[*local], notation);
                    }
                }
            }
        }
    }

    fn declared_by(&mut self, model: &Model, conjunct: &Conjunct, is_meant: impl Fn(&Expr) -> bool) {
        let mut open = vec![conjunct.pred];
        while let Some(pred) = open.pop() {
            match model.pred(pred) {
                Pred::And(operands) => open.extend(operands.iter().rev()),
                _ => self.declare(model, pred, &is_meant),
            }
        }
    }

    /// Takes a notation from `x : S`, `x <: S` or `x = E`, where `x` is a name that is meant.
    fn declare(&mut self, model: &Model, pred: PredId, is_meant: impl Fn(&Expr) -> bool) {
        let Pred::Compare(comparison, left, right) = model.pred(pred) else { return };
        let name = model.expr(*left);
        if !is_meant(name) {
            return;
        }
        let notation = match comparison {
            Comparison::Member => self.of(model, *right).elements(),
            Comparison::Equal | Comparison::Subset | Comparison::StrictSubset => self.of(model, *right),
            _ => return,
        };
        match name {
            Expr::Constant(id) => keep(&mut self.constants[*id], notation),
            Expr::Variable(id) => keep(&mut self.variables[*id], notation),
            Expr::Local(id) => keep(&mut self.locals[*id], notation),
            _ => {}
        }
    }

    /// Notation of the value of an expression.
    fn of(&self, model: &Model, expr: ExprId) -> Notation {
        self.expr(model, expr, MAX_DEPTH)
    }

    fn expr(&self, model: &Model, id: ExprId, depth: u32) -> Notation {
        let Some(depth) = depth.checked_sub(1) else { return Notation::Usual };
        let of = |id: ExprId| self.expr(model, id, depth);
        let of_first = |ids: &[ExprId]| ids.iter().fold(Notation::Usual, |known, id| known.or_else(|| of(*id)));
        match model.expr(id) {
            Expr::Constant(id) => self.constants[*id].clone(),
            Expr::Variable(id) => self.variables[*id].clone(),
            Expr::Local(id) => self.locals[*id].clone(),
            Expr::Unary(op, operand) => unary(*op, || of(*operand)),
            Expr::Binary(op, left, right) => binary(*op, || of(*left), || of(*right)),
            Expr::SetExtension(items) => Notation::set(of_first(items)),
            Expr::SequenceExtension(items) => Notation::sequence(of_first(items)),
            Expr::Record(fields) => Notation::record(fields.iter().map(|field| of(*field)).collect()),
            Expr::StructSet(fields) => {
                Notation::set(Notation::record(fields.iter().map(|field| of(*field).elements()).collect()))
            }
            Expr::Field(record, field) => of(*record).field(*field as usize).clone(),
            Expr::WithField(record, ..) => of(*record),
            Expr::Comprehension { binder, .. } => Notation::set(self.tuple(binder)),
            Expr::SetImage { expr, .. } => Notation::set(of(*expr)),
            Expr::Quantified { op: QuantifiedOp::Lambda, binder, expr, .. } => {
                Notation::set(Notation::pair(self.tuple(binder), of(*expr)))
            }
            Expr::Quantified { op: QuantifiedOp::Union | QuantifiedOp::Inter, expr, .. } => of(*expr),
            Expr::If(_, then, otherwise) => of_first(&[*then, *otherwise]),
            Expr::Let { body, .. } => of(*body),
            _ => Notation::Usual,
        }
    }

    /// Notation of bound names as a tuple, which associates to the left.
    fn tuple(&self, binder: &[LocalId]) -> Notation {
        let notations = binder.iter().map(|local| self.locals[*local].clone());
        notations.reduce(Notation::pair).unwrap_or_default()
    }
}

/// The first notation that says something counts.
fn keep(known: &mut Notation, notation: Notation) {
    if known.is_usual() {
        *known = notation;
    }
}

fn unary(op: UnaryOp, operand: impl FnOnce() -> Notation) -> Notation {
    match op {
        UnaryOp::Seq | UnaryOp::Seq1 | UnaryOp::Iseq | UnaryOp::Iseq1 | UnaryOp::Perm => {
            Notation::set(Notation::sequence(operand().elements()))
        }
        UnaryOp::Pow | UnaryOp::Pow1 | UnaryOp::Fin | UnaryOp::Fin1 => Notation::set(operand()),
        UnaryOp::Front | UnaryOp::Tail | UnaryOp::Rev => Notation::sequence(operand().images()),
        UnaryOp::GeneralConcat => Notation::sequence(operand().images().images()),
        UnaryOp::SeqFirst | UnaryOp::SeqLast => operand().images(),
        UnaryOp::GeneralUnion | UnaryOp::GeneralInter => operand().elements(),
        UnaryOp::First => operand().first().clone(),
        UnaryOp::Second => operand().second().clone(),
        UnaryOp::Dom => Notation::set(operand().elements().first().clone()),
        UnaryOp::Ran => Notation::set(operand().images()),
        _ => Notation::Usual,
    }
}

fn binary(op: BinaryOp, left: impl FnOnce() -> Notation, right: impl FnOnce() -> Notation) -> Notation {
    match op {
        BinaryOp::Arrow(_) => Notation::set(Notation::set(Notation::pair(left().elements(), right().elements()))),
        BinaryOp::Cartesian => Notation::set(Notation::pair(left().elements(), right().elements())),
        BinaryOp::Pair => Notation::pair(left(), right()),
        BinaryOp::Apply => left().images(),
        BinaryOp::Image => Notation::set(left().images()),
        BinaryOp::Union | BinaryOp::Intersection | BinaryOp::Difference | BinaryOp::Override => left().or_else(right),
        BinaryOp::DomainRestrict | BinaryOp::DomainSubtract => Notation::set(right().elements()),
        BinaryOp::RangeRestrict | BinaryOp::RangeSubtract => Notation::set(left().elements()),
        BinaryOp::Concat => Notation::sequence(left().images().or_else(|| right().images())),
        BinaryOp::InsertFront => Notation::sequence(left().or_else(|| right().images())),
        BinaryOp::InsertTail => Notation::sequence(right().or_else(|| left().images())),
        BinaryOp::Take | BinaryOp::Drop => Notation::sequence(left().images()),
        _ => Notation::Usual,
    }
}
