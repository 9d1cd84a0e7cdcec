//! Promises `typed` and `externals`: expressions and predicates, except for operators (`operators.rs`).

use std::fmt::{self, Write as _};

use super::operators::{binary, comparison, quantified, tree, unary};
use super::{Faults, Promise};
use crate::ModelNode;
use crate::expr::{BaseSet, Binding, Expr};
use crate::ids::{ExprId, ExternalId, LocalId, TypeId};
use crate::model::{ExternalKind, Model};
use crate::pred::Pred;
use crate::subst::Subst;
use crate::types::{Type, TypeTable};

pub(super) fn check(model: &Model, faults: &mut Faults) {
    for (id, node) in model.exprs.iter() {
        if !expr(model, &node.expr, node.ty) {
            let text = format_args!("{} of type {}", misfit(model, ModelNode::Expr(id)), model.type_text(node.ty));
            faults.add(Promise::Typed, id, text);
        }
        if let Expr::External(external, _) = &node.expr {
            external_use(model, *external, ExternalKind::Function, id, faults);
        }
    }
    for (id, node) in model.preds.iter() {
        if !pred(model, &node.pred) {
            faults.add(Promise::Typed, id, misfit(model, ModelNode::Pred(id)));
        }
        if let Pred::External(external, _) = &node.pred {
            external_use(model, *external, ExternalKind::Predicate, id, faults);
        }
    }
    for (id, node) in model.substs.iter() {
        if !subst(model, &node.subst) {
            faults.add(Promise::Typed, id, misfit(model, ModelNode::Subst(id)));
        }
        if let Subst::External(external, _) = &node.subst {
            external_use(model, *external, ExternalKind::Substitution, id, faults);
        }
    }
}

fn external_use(model: &Model, id: ExternalId, kind: ExternalKind, place: impl fmt::Debug, faults: &mut Faults) {
    let external = &model.externals[id];
    if external.kind != kind {
        let text = format_args!("{} is a {:?} used as a {kind:?}", external.name, external.kind);
        faults.add(Promise::Externals, place, text);
    }
}

/// True if a type fits an expression whose operands are well-typed.
fn expr(model: &Model, expr: &Expr, ty: TypeId) -> bool {
    let (types, of) = (&model.types, |id: &ExprId| model.ty(*id));
    let equals = |ids: &[ExprId], ty| ids.iter().all(|id| of(id) == ty);
    match expr {
        Expr::Integer(_) => ty == TypeTable::INTEGER,
        Expr::Real(_) => ty == TypeTable::REAL,
        Expr::String(_) | Expr::Template(_) => ty == TypeTable::STRING,
        Expr::Bool(_) | Expr::BoolOf(_) => ty == TypeTable::BOOL,
        Expr::Element(set, _) => *types.get(ty) == Type::Given(*set),
        Expr::Constant(id) => ty == model.constants[*id].ty,
        Expr::Variable(id) => ty == model.variables[*id].ty,
        Expr::Local(id) => ty == model.locals[*id].ty,
        Expr::Carrier(set) => types.elem(ty).is_some_and(|elem| *types.get(elem) == Type::Given(*set)),
        Expr::FreeType(free) => types.elem(ty).is_some_and(|elem| *types.get(elem) == Type::Free(*free)),
        Expr::BaseSet(set) => types.elem(ty) == Some(base(*set)),
        Expr::EmptySet => types.elem(ty).is_some(),
        Expr::Unary(op, operand) => unary(types, *op, of(operand), ty),
        Expr::Binary(op, left, right) => binary(types, *op, of(left), of(right), ty),
        Expr::Tree(op, items) => tree(types, *op, &items.iter().map(of).collect::<Vec<_>>(), ty),
        Expr::SetExtension(items) => types.elem(ty).is_some_and(|elem| equals(items, elem)),
        Expr::SequenceExtension(items) => {
            types.relation(ty).is_some_and(|(idx, elem)| idx == TypeTable::INTEGER && equals(items, elem))
        }
        Expr::Record(items) => record(types, ty, items, |id, field| of(id) == field),
        Expr::StructSet(items) => {
            types.elem(ty).is_some_and(|elem| record(types, elem, items, |id, field| types.elem(of(id)) == Some(field)))
        }
        Expr::Field(operand, idx) => field(types, of(operand), *idx) == Some(ty),
        Expr::WithField(operand, idx, value) => of(operand) == ty && field(types, ty, *idx) == Some(of(value)),
        Expr::Comprehension { binder, .. } => {
            types.elem(ty).is_some_and(|elem| is_tuple(types, elem, &locals(model, binder)))
        }
        Expr::SetImage { expr, .. } => types.elem(ty) == Some(of(expr)),
        Expr::Quantified { op, binder, expr, .. } => quantified(types, *op, &locals(model, binder), of(expr), ty),
        Expr::If(_, then, otherwise) => equals(&[*then, *otherwise], ty),
        Expr::Let { bindings: defs, body } => bindings(model, defs) && of(body) == ty,
        Expr::Constructor(free, idx) => {
            constructor(model, &model.free_types[*free].constructors[*idx as usize], *free, ty)
        }
        Expr::Successor | Expr::Predecessor => types.relation(ty) == Some((TypeTable::INTEGER, TypeTable::INTEGER)),
        Expr::FirstProjection => {
            types.relation(ty).is_some_and(|(from, to)| matches!(types.get(from), Type::Pair(first, _) if *first == to))
        }
        Expr::SecondProjection => types
            .relation(ty)
            .is_some_and(|(from, to)| matches!(types.get(from), Type::Pair(_, second) if *second == to)),
        // External functions take any arguments and return any type.
        Expr::External(..) => true,
        // See promise `calls`.
        Expr::CallOperation(..) => true,
    }
}

fn pred(model: &Model, pred: &Pred) -> bool {
    let types = &model.types;
    match pred {
        Pred::Compare(op, left, right) => comparison(types, *op, model.ty(*left), model.ty(*right)),
        Pred::Let { bindings: defs, .. } => bindings(model, defs),
        Pred::Finite(set) => types.elem(model.ty(*set)).is_some(),
        Pred::Partition(set, parts) => {
            let ty = model.ty(*set);
            types.elem(ty).is_some() && parts.iter().all(|part| model.ty(*part) == ty)
        }
        _ => true,
    }
}

fn subst(model: &Model, subst: &Subst) -> bool {
    match subst {
        Subst::Case { selector, branches, .. } => {
            let ty = model.ty(*selector);
            branches.iter().flat_map(|(values, _)| values).all(|value| model.ty(*value) == ty)
        }
        Subst::Let { bindings: defs, .. } => bindings(model, defs),
        Subst::While { variant, .. } => model.ty(*variant) == TypeTable::INTEGER,
        _ => true,
    }
}

fn base(set: BaseSet) -> TypeId {
    match set {
        BaseSet::Integer | BaseSet::Natural | BaseSet::Natural1 => TypeTable::INTEGER,
        BaseSet::Bool => TypeTable::BOOL,
        BaseSet::String => TypeTable::STRING,
        BaseSet::Real => TypeTable::REAL,
    }
}

fn bindings(model: &Model, bindings: &[Binding]) -> bool {
    bindings.iter().all(|binding| model.locals[binding.local].ty == model.ty(binding.value))
}

fn constructor(model: &Model, constructor: &crate::Constructor, free: crate::FreeTypeId, ty: TypeId) -> bool {
    let types = &model.types;
    match constructor.arg {
        None => *types.get(ty) == Type::Free(free),
        Some((_, arg)) => {
            types.relation(ty).is_some_and(|(from, to)| from == arg && *types.get(to) == Type::Free(free))
        }
    }
}

fn record(types: &TypeTable, ty: TypeId, items: &[ExprId], fits: impl Fn(&ExprId, TypeId) -> bool) -> bool {
    let Type::Record(fields) = types.get(ty) else { return false };
    fields.len() == items.len() && items.iter().zip(fields).all(|(item, (_, field))| fits(item, *field))
}

fn field(types: &TypeTable, record: TypeId, idx: u32) -> Option<TypeId> {
    match types.get(record) {
        Type::Record(fields) => fields.get(idx as usize).map(|(_, ty)| *ty),
        _ => None,
    }
}

pub(super) fn locals(model: &Model, binder: &[LocalId]) -> Vec<TypeId> {
    binder.iter().map(|local| model.locals[*local].ty).collect()
}

/// True if a type is the left-nested pair of one or more given types.
pub(super) fn is_tuple(types: &TypeTable, ty: TypeId, parts: &[TypeId]) -> bool {
    let Some((first, rest)) = parts.split_first() else { return false };
    let left = rest.iter().rev().try_fold(ty, |ty, part| match types.get(ty) {
        Type::Pair(left, right) if right == part => Some(*left),
        _ => None,
    });
    left == Some(*first)
}

/// Operator of a node with the types of its first operands, for messages.
fn misfit(model: &Model, node: ModelNode) -> String {
    let mut text = FirstWord(String::new());
    // The writer stops with an error after the first word; the rest is not needed.
    let _ = match node {
        ModelNode::Expr(id) => match model.expr(id) {
            Expr::Unary(op, _) => write!(text, "{op:?}"),
            Expr::Binary(op, ..) => write!(text, "{op:?}"),
            Expr::Tree(op, _) => write!(text, "{op:?}"),
            Expr::Quantified { op, .. } => write!(text, "{op:?}"),
            expr => write!(text, "{expr:?}"),
        },
        ModelNode::Pred(id) => match model.pred(id) {
            Pred::Compare(op, ..) => write!(text, "{op:?}"),
            pred => write!(text, "{pred:?}"),
        },
        ModelNode::Subst(id) => write!(text, "{:?}", model.subst(id)),
    };
    let mut operands = Vec::new();
    model.for_each_child(node, &mut |child| match child {
        ModelNode::Expr(id) if operands.len() < 4 => operands.push(model.type_text(model.ty(id))),
        _ => {}
    });
    format!("{}({})", text.0, operands.join(", "))
}

struct FirstWord(String);

impl fmt::Write for FirstWord {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = text.find(|c: char| !c.is_alphanumeric()).unwrap_or(text.len());
        self.0.push_str(&text[..end]);
        if end < text.len() { Err(fmt::Error) } else { Ok(()) }
    }
}
