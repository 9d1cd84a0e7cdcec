//! Type inference by unification.
//!
//! [`Unifier`] holds types with unknowns; a type is a [`Ty`], an index into it. Binding an unknown records the place that caused it, so
//! a mismatch can tell where each side's type came from. Operators whose meaning depends on the operands' types (`-`, `*`, `+` on reals,
//! `^` on strings, field access) wait as [`overload::Pending`] until enough is known.

pub(crate) mod overload;

use std::fmt::Write as _;

use abridge_diag::{Span, with_stack};
use abridge_model::{FreeTypeId, IdVec, Model, SetId, SmolStr, Type, TypeId};

/// A type that may contain unknowns; an index into a [`Unifier`].
pub(crate) type Ty = TypeId;

#[derive(Clone, Debug)]
pub(crate) enum Shape {
    Unknown,
    Integer,
    Bool,
    String,
    Real,
    Given(SetId),
    Free(FreeTypeId),
    Pow(Ty),
    Pair(Ty, Ty),
    /// Fields in the order of their names.
    Record(Vec<(SmolStr, Ty)>),
    /// Some type follows a reported mistake; it agrees with everything.
    Error,
}

#[derive(Clone, Debug)]
enum Slot {
    Shape(Shape),
    /// Bound to another type, and by what.
    Link(Ty, Span),
}

pub(crate) struct Unifier {
    slots: IdVec<Ty, Slot>,
}

/// Two types that cannot be made equal.
pub(crate) struct Mismatch {
    /// One would have to contain itself.
    pub(crate) is_infinite: bool,
}

impl Unifier {
    pub(crate) const INTEGER: Ty = TypeId(0);
    pub(crate) const BOOL: Ty = TypeId(1);
    pub(crate) const STRING: Ty = TypeId(2);
    pub(crate) const REAL: Ty = TypeId(3);
    pub(crate) const ERROR: Ty = TypeId(4);

    pub(crate) fn new() -> Self {
        let basic = [Shape::Integer, Shape::Bool, Shape::String, Shape::Real, Shape::Error];
        Unifier { slots: basic.into_iter().map(Slot::Shape).collect() }
    }

    pub(crate) fn add(&mut self, shape: Shape) -> Ty {
        self.slots.push(Slot::Shape(shape))
    }

    pub(crate) fn fresh(&mut self) -> Ty {
        self.add(Shape::Unknown)
    }

    pub(crate) fn pow(&mut self, elem: Ty) -> Ty {
        self.add(Shape::Pow(elem))
    }

    pub(crate) fn pair(&mut self, first: Ty, second: Ty) -> Ty {
        self.add(Shape::Pair(first, second))
    }

    /// `POW(first * second)`
    pub(crate) fn relation(&mut self, first: Ty, second: Ty) -> Ty {
        let pair = self.pair(first, second);
        self.pow(pair)
    }

    /// `POW(INTEGER * elem)`
    pub(crate) fn sequence(&mut self, elem: Ty) -> Ty {
        self.relation(Unifier::INTEGER, elem)
    }

    fn root(&self, mut ty: Ty) -> Ty {
        while let Slot::Link(next, _) = &self.slots[ty] {
            ty = *next;
        }
        ty
    }

    pub(crate) fn shape(&self, ty: Ty) -> &Shape {
        match &self.slots[self.root(ty)] {
            Slot::Shape(shape) => shape,
            Slot::Link(..) => &Shape::Unknown,
        }
    }

    /// The place that first told something about a type that began as an unknown.
    pub(crate) fn reason(&self, ty: Ty) -> Option<Span> {
        match &self.slots[ty] {
            Slot::Link(next, span) => match self.shape(*next) {
                // Two unknowns were equated first; what bound the other one says more.
                Shape::Unknown => Some(*span),
                _ => self.reason_beyond(*next).or(Some(*span)),
            },
            Slot::Shape(_) => None,
        }
    }

    fn reason_beyond(&self, mut ty: Ty) -> Option<Span> {
        let mut last = None;
        while let Slot::Link(next, span) = &self.slots[ty] {
            last = Some(*span);
            ty = *next;
        }
        last
    }

    /// Makes two types equal; `because` is the formula that asks for it.
    pub(crate) fn unify(&mut self, left: Ty, right: Ty, because: Span) -> Result<(), Mismatch> {
        let mut open = vec![(left, right)];
        while let Some((left, right)) = open.pop() {
            let (left, right) = (self.root(left), self.root(right));
            if left == right {
                continue;
            }
            let clash = Err(Mismatch { is_infinite: false });
            match (self.shape(left), self.shape(right)) {
                (Shape::Error, _) => self.poison(right, because),
                (_, Shape::Error) => self.poison(left, because),
                (Shape::Unknown, _) => self.bind(left, right, because)?,
                (_, Shape::Unknown) => self.bind(right, left, because)?,
                (Shape::Integer, Shape::Integer) | (Shape::Bool, Shape::Bool) => {}
                (Shape::String, Shape::String) | (Shape::Real, Shape::Real) => {}
                (Shape::Given(a), Shape::Given(b)) if a == b => {}
                (Shape::Free(a), Shape::Free(b)) if a == b => {}
                (Shape::Pow(a), Shape::Pow(b)) => open.push((*a, *b)),
                (Shape::Pair(a, b), Shape::Pair(c, d)) => {
                    let (first, second) = ((*a, *c), (*b, *d));
                    open.push(second);
                    open.push(first);
                }
                (Shape::Record(a), Shape::Record(b)) => {
                    if a.len() != b.len() || a.iter().zip(b).any(|((name, _), (other, _))| name != other) {
                        return clash;
                    }
                    let pairs: Vec<_> = a.iter().zip(b).map(|((_, a), (_, b))| (*a, *b)).collect();
                    open.extend(pairs);
                }
                _ => return clash,
            }
        }
        Ok(())
    }

    /// What is equated with a mistake is not worth a message of its own.
    fn poison(&mut self, ty: Ty, because: Span) {
        let mut open = vec![ty];
        while let Some(ty) = open.pop() {
            match self.shape(ty) {
                Shape::Unknown => {
                    let root = self.root(ty);
                    self.slots[root] = Slot::Link(Unifier::ERROR, because);
                }
                Shape::Pow(elem) => open.push(*elem),
                Shape::Pair(first, second) => open.extend([*first, *second]),
                Shape::Record(fields) => open.extend(fields.iter().map(|(_, ty)| *ty)),
                _ => {}
            }
        }
    }

    fn bind(&mut self, unknown: Ty, to: Ty, because: Span) -> Result<(), Mismatch> {
        if self.occurs(unknown, to) {
            return Err(Mismatch { is_infinite: true });
        }
        self.slots[unknown] = Slot::Link(to, because);
        Ok(())
    }

    fn occurs(&self, unknown: Ty, within: Ty) -> bool {
        let mut open = vec![within];
        while let Some(ty) = open.pop() {
            let root = self.root(ty);
            if root == unknown {
                return true;
            }
            match self.shape(root) {
                Shape::Pow(elem) => open.push(*elem),
                Shape::Pair(first, second) => open.extend([*first, *second]),
                Shape::Record(fields) => open.extend(fields.iter().map(|(_, ty)| *ty)),
                _ => {}
            }
        }
        false
    }

    pub(crate) fn is_error(&self, ty: Ty) -> bool {
        matches!(self.shape(ty), Shape::Error)
    }

    /// The unknowns in a type, or nothing if it is ground.
    pub(crate) fn has_unknown(&self, ty: Ty) -> bool {
        match self.shape(ty) {
            Shape::Unknown => true,
            Shape::Pow(elem) => self.has_unknown(*elem),
            Shape::Pair(first, second) => self.has_unknown(*first) || self.has_unknown(*second),
            Shape::Record(fields) => fields.iter().any(|(_, ty)| self.has_unknown(*ty)),
            _ => false,
        }
    }

    /// Binds every unknown inside a type to INTEGER: the type of an empty set that nothing constrains does not matter.
    pub(crate) fn default_unknowns(&mut self, ty: Ty, because: Span) {
        match self.shape(ty).clone() {
            Shape::Unknown => {
                let root = self.root(ty);
                self.slots[root] = Slot::Link(Unifier::INTEGER, because);
            }
            Shape::Pow(elem) => self.default_unknowns(elem, because),
            Shape::Pair(first, second) => {
                self.default_unknowns(first, because);
                self.default_unknowns(second, because);
            }
            Shape::Record(fields) => fields.iter().for_each(|(_, ty)| self.default_unknowns(*ty, because)),
            _ => {}
        }
    }

    /// The ground type in the model's table. Unknowns and errors must be gone; what is left of them becomes INTEGER.
    pub(crate) fn ground(&self, ty: Ty, model: &mut Model, cache: &mut IdVec<Ty, Option<TypeId>>) -> TypeId {
        let root = self.root(ty);
        if let Some(Some(done)) = cache.get(root) {
            return *done;
        }
        let shape = match self.shape(root) {
            Shape::Unknown | Shape::Error | Shape::Integer => Type::Integer,
            Shape::Bool => Type::Bool,
            Shape::String => Type::String,
            Shape::Real => Type::Real,
            Shape::Given(set) => Type::Given(*set),
            Shape::Free(free) => Type::Free(*free),
            Shape::Pow(elem) => Type::Pow(with_stack(|| self.ground(*elem, model, cache))),
            Shape::Pair(first, second) => with_stack(|| {
                let first = self.ground(*first, model, cache);
                Type::Pair(first, self.ground(*second, model, cache))
            }),
            Shape::Record(fields) => {
                let ground = |(name, ty): &(SmolStr, Ty)| (name.clone(), self.ground(*ty, model, cache));
                Type::Record(fields.iter().map(ground).collect())
            }
        };
        let done = model.types.intern(shape);
        cache[root] = Some(done);
        done
    }

    pub(crate) fn n_types(&self) -> usize {
        self.slots.len()
    }

    /// A type in B's notation; `?` is what is not known.
    pub(crate) fn text(&self, model: &Model, ty: Ty) -> String {
        let mut out = String::new();
        self.write(model, &mut out, ty, false, 0);
        out
    }

    fn write(&self, model: &Model, out: &mut String, ty: Ty, is_operand: bool, depth: u32) {
        if depth > 24 || out.len() > 400 {
            out.push('…');
            return;
        }
        match self.shape(ty) {
            Shape::Unknown | Shape::Error => out.push('?'),
            Shape::Integer => out.push_str("INTEGER"),
            Shape::Bool => out.push_str("BOOL"),
            Shape::String => out.push_str("STRING"),
            Shape::Real => out.push_str("REAL"),
            Shape::Given(set) => out.push_str(&model.sets[*set].name),
            Shape::Free(free) => out.push_str(&model.free_types[*free].name),
            Shape::Pow(elem) => {
                out.push_str("POW(");
                self.write(model, out, *elem, false, depth + 1);
                out.push(')');
            }
            Shape::Pair(first, second) => {
                if is_operand {
                    out.push('(');
                }
                self.write(model, out, *first, false, depth + 1);
                out.push('*');
                self.write(model, out, *second, true, depth + 1);
                if is_operand {
                    out.push(')');
                }
            }
            Shape::Record(fields) => {
                out.push_str("struct(");
                for (idx, (name, ty)) in fields.iter().enumerate() {
                    let _ = write!(out, "{}{name}:", if idx > 0 { "," } else { "" });
                    self.write(model, out, *ty, false, depth + 1);
                }
                out.push(')');
            }
        }
    }
}
