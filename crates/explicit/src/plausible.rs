//! Validation of values from files against the model.
//!
//! Evaluation trusts values: an element has a name, the expression of a closure exists, a record has the fields of its type. A file can contain
//! anything, so values are validated once, when they are read. Concrete values are validated in full, by type. Of symbolic sets, the ids and the
//! values inside are; a set of the wrong kind is an error of evaluation. Without validation a file could make evaluation panic.

use abridge_diag::{Span, with_stack};
use abridge_eval::{Closure, Slots, SymbolicSet, Val};
use abridge_model::{BaseSet, FreeTypeId, Model, SetId, Type, TypeId, TypeTable};
use abridge_value::{Set, Value};

/// Whether each slot is empty or holds a value of its type.
pub(crate) fn are_slots(model: &Model, types: &[TypeId], slots: &Slots) -> bool {
    slots.len() <= types.len()
        && slots.iter().zip(types).all(|(slot, ty)| slot.as_ref().is_none_or(|val| is_val(model, Some(*ty), val)))
}

/// Whether `val` can be a value of a type, or of any type if `ty` is `None`.
pub(crate) fn is_val(model: &Model, ty: Option<TypeId>, val: &Val) -> bool {
    with_stack(|| match val {
        Val::Value(value) => is_value(model, ty, value),
        Val::Pair(pair) => {
            let Some((first, second)) = parts(model, ty) else { return false };
            is_val(model, first, &pair.0) && is_val(model, second, &pair.1)
        }
        Val::Record(shape, fields) => {
            let types = fields_of(model, ty, *shape, fields.len());
            types.is_some_and(|types| types.zip(fields.iter()).all(|(ty, field)| is_val(model, Some(ty), field)))
        }
        Val::Symbolic(sym) => elements(model, ty).is_some_and(|elements| is_sym(model, ty, elements, sym)),
    })
}

/// Whether a span lies in a file of the model.
pub(crate) fn is_place(model: &Model, span: Span) -> bool {
    let exprs = model.exprs.values().map(|node| node.span);
    let spans = exprs.chain(model.preds.values().map(|node| node.span));
    spans.chain(model.substs.values().map(|node| node.span)).any(|other| other.file == span.file)
}

fn is_value(model: &Model, ty: Option<TypeId>, value: &Value) -> bool {
    let is = |wanted: &Type| ty.is_none_or(|ty| model.types.get(ty) == wanted);
    match value {
        Value::Bool(_) => is(&Type::Bool),
        Value::Int(_) | Value::BigInt(_) => is(&Type::Integer),
        Value::Real(_) => is(&Type::Real),
        Value::String(_) => is(&Type::String),
        Value::Element { set, index } => {
            let set = SetId(*set);
            model.sets.get(set).is_some_and(|carrier| *index < carrier.size()) && is(&Type::Given(set))
        }
        Value::Pair(pair) => with_stack(|| {
            let Some((first, second)) = parts(model, ty) else { return false };
            is_value(model, first, &pair.0) && is_value(model, second, &pair.1)
        }),
        Value::Record(record) => with_stack(|| {
            let types = fields_of(model, ty, record.shape(), record.fields().len());
            types.is_some_and(|types| types.zip(record.fields()).all(|(ty, field)| is_value(model, Some(ty), field)))
        }),
        Value::Free(free) => {
            let id = FreeTypeId(free.free_type());
            let Some(arg) = argument(model, id, free.constructor()).filter(|_| is(&Type::Free(id))) else {
                return false;
            };
            match (arg, free.arg()) {
                (None, None) => true,
                (Some(ty), Some(arg)) => with_stack(|| is_value(model, Some(ty), arg)),
                _ => false,
            }
        }
        Value::Set(set) => elements(model, ty).is_some_and(|ty| with_stack(|| is_set(model, ty, set))),
    }
}

/// Whether all members have a type. An interval may be too long to visit its members, which are integers anyway.
fn is_set(model: &Model, ty: Option<TypeId>, set: &Set) -> bool {
    match set.ends() {
        Some(_) => ty.is_none_or(|ty| ty == TypeTable::INTEGER),
        None => set.iter().all(|value| is_value(model, ty, &value)),
    }
}

/// Whether `sym` can be a set of type `set` with elements of type `ty`.
fn is_sym(model: &Model, set: Option<TypeId>, ty: Option<TypeId>, sym: &SymbolicSet) -> bool {
    let is_any = |val: &Val| is_val(model, None, val);
    match sym {
        SymbolicSet::Base(base) => ty.is_none_or(|ty| ty == base_type(*base)),
        SymbolicSet::FreeType(id) => {
            model.free_types.get(*id).is_some() && ty.is_none_or(|ty| *model.types.get(ty) == Type::Free(*id))
        }
        SymbolicSet::Unary(_, val) | SymbolicSet::Tree(_, val) => is_any(val),
        SymbolicSet::Binary(_, left, right) => is_any(left) && is_any(right),
        SymbolicSet::Struct(shape, sets) => {
            fields_of(model, ty, *shape, sets.len()).is_some() && sets.iter().all(is_any)
        }
        SymbolicSet::Closure(closure) => is_closure(model, set, closure),
        SymbolicSet::Successor | SymbolicSet::Predecessor => true,
        SymbolicSet::Constructor(id, constructor) => argument(model, *id, *constructor).is_some(),
        SymbolicSet::Partial(partial) => {
            [&partial.decided, &partial.absent, &partial.open].into_iter().all(|set| is_set(model, None, set))
        }
    }
}

fn is_closure(model: &Model, ty: Option<TypeId>, closure: &Closure) -> bool {
    let Closure { expr, scope } = closure;
    let variables: Vec<TypeId> = model.variables.values().map(|variable| variable.ty).collect();
    model.exprs.get(*expr).is_some_and(|node| ty.is_none_or(|ty| node.ty == ty))
        && are_slots(model, &variables, &scope.variables)
        && scope.locals.frames().all(|(local, val)| {
            let ty = model.locals.get(local).map(|local| local.ty);
            ty.is_some() && val.as_ref().is_none_or(|val| is_val(model, ty, val))
        })
}

fn base_type(base: BaseSet) -> TypeId {
    match base {
        BaseSet::Integer | BaseSet::Natural | BaseSet::Natural1 => TypeTable::INTEGER,
        BaseSet::Bool => TypeTable::BOOL,
        BaseSet::String => TypeTable::STRING,
        BaseSet::Real => TypeTable::REAL,
    }
}

/// Types of both components of a pair; `None` if the type is no pair.
fn parts(model: &Model, ty: Option<TypeId>) -> Option<(Option<TypeId>, Option<TypeId>)> {
    match ty.map(|ty| model.types.get(ty)) {
        None => Some((None, None)),
        Some(Type::Pair(first, second)) => Some((Some(*first), Some(*second))),
        Some(_) => None,
    }
}

/// Type of the elements of a set; `None` if the type is no set.
fn elements(model: &Model, ty: Option<TypeId>) -> Option<Option<TypeId>> {
    match ty.map(|ty| model.types.get(ty)) {
        None => Some(None),
        Some(Type::Pow(elements)) => Some(Some(*elements)),
        Some(_) => None,
    }
}

/// Types of the fields of a record, whose shape is the id of its type.
fn fields_of(model: &Model, ty: Option<TypeId>, shape: u32, n_fields: usize) -> Option<impl Iterator<Item = TypeId>> {
    let own = TypeId(shape);
    if own.0 as usize >= model.types.len() || ty.is_some_and(|ty| ty != own) {
        return None;
    }
    match model.types.get(own) {
        Type::Record(fields) if fields.len() == n_fields => Some(fields.iter().map(|(_, ty)| *ty)),
        _ => None,
    }
}

/// Type of the argument of a constructor, if it has one; `None` if there is no such constructor.
fn argument(model: &Model, id: FreeTypeId, constructor: u32) -> Option<Option<TypeId>> {
    let constructor = model.free_types.get(id)?.constructors.get(constructor as usize)?;
    Some(constructor.arg.map(|(_, ty)| ty))
}
