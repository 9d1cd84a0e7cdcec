//! Type inference by unification.
//!
//! [`Unifier`] holds types with unknowns; a type is a [`Ty`], an index into it. Binding an unknown records the span that caused it, so that a
//! mismatch can show where the type of each side came from. Operators whose meaning depends on types (`-`, `*`, `+` on reals, `^` on strings, field
//! access) wait as [`overload::Pending`] until enough is known.

pub(crate) mod overload;

use std::cell::Cell;
use std::collections::HashSet;
use std::fmt::Write as _;

use abridge_diag::{Span, with_stack};
use abridge_model::{FreeTypeId, IdVec, Model, SetId, SmolStr, Type, TypeId};

/// Type that may contain unknowns; an index into a [`Unifier`].
pub(crate) type Ty = TypeId;

#[derive(Clone, Debug)]
pub(crate) enum TypeTerm {
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
    /// Type after a reported mistake, which unifies with every type.
    Error,
}

impl TypeTerm {
    /// Calls `visit` for the component types.
    fn for_each_part(&self, mut visit: impl FnMut(Ty)) {
        match self {
            TypeTerm::Pow(elem) => visit(*elem),
            TypeTerm::Pair(first, second) => {
                visit(*first);
                visit(*second);
            }
            TypeTerm::Record(fields) => fields.iter().for_each(|(_, ty)| visit(*ty)),
            _ => {}
        }
    }
}

#[derive(Clone, Debug)]
enum Slot {
    TypeTerm(TypeTerm),
    /// Bound to another type, with the span that caused it.
    Link(Ty, Span),
}

pub(crate) struct Unifier {
    /// Original links, for [`Unifier::reason`].
    slots: IdVec<Ty, Slot>,
    /// Links with path compression, since chains can be as long as the machine.
    parents: IdVec<Ty, Cell<Ty>>,
    /// Level of an unknown: a number that never grows. Level of another type: an upper bound of the levels of its unknowns; 0 if there are none. An
    /// unknown does not occur in a type of smaller level, which decides most occurs checks (Rémy, "Extension of ML type system with a sorted
    /// equational theory on types", 1992).
    levels: IdVec<Ty, u32>,
    /// Number of the last traversal that visited a type, since types share parts.
    seen: IdVec<Ty, u32>,
    n_walks: u32,
    /// Unknowns bound since the last call of [`Unifier::take_linked`].
    linked: Vec<Ty>,
}

/// Parts of a type that the level of an unknown does not tell apart from it.
struct PartsAbove {
    parts: Vec<Ty>,
    /// The level of them all from now on.
    level: u32,
}

/// Failed unification.
pub(crate) struct Mismatch {
    /// A type would have to contain itself.
    pub(crate) is_infinite: bool,
}

impl Unifier {
    pub(crate) const INTEGER: Ty = TypeId(0);
    pub(crate) const BOOL: Ty = TypeId(1);
    pub(crate) const STRING: Ty = TypeId(2);
    pub(crate) const REAL: Ty = TypeId(3);
    pub(crate) const ERROR: Ty = TypeId(4);

    pub(crate) fn new() -> Self {
        let basic = [TypeTerm::Integer, TypeTerm::Bool, TypeTerm::String, TypeTerm::Real, TypeTerm::Error];
        let mut unifier = Unifier {
            slots: IdVec::new(),
            parents: IdVec::new(),
            levels: IdVec::new(),
            seen: IdVec::new(),
            n_walks: 0,
            linked: Vec::new(),
        };
        basic.into_iter().for_each(|shape| _ = unifier.add(shape));
        unifier
    }

    pub(crate) fn add(&mut self, shape: TypeTerm) -> Ty {
        let mut level = if matches!(shape, TypeTerm::Unknown) { self.slots.len() as u32 + 1 } else { 0 };
        shape.for_each_part(|part| level = level.max(self.levels[self.root(part)]));
        let id = self.slots.push(Slot::TypeTerm(shape));
        self.parents.push(Cell::new(id));
        self.levels.push(level);
        self.seen.push(0);
        id
    }

    pub(crate) fn fresh(&mut self) -> Ty {
        self.add(TypeTerm::Unknown)
    }

    pub(crate) fn pow(&mut self, elem: Ty) -> Ty {
        self.add(TypeTerm::Pow(elem))
    }

    pub(crate) fn pair(&mut self, first: Ty, second: Ty) -> Ty {
        self.add(TypeTerm::Pair(first, second))
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

    pub(crate) fn root(&self, mut ty: Ty) -> Ty {
        loop {
            let parent = self.parents[ty].get();
            if parent == ty {
                return ty;
            }
            let next = self.parents[parent].get();
            self.parents[ty].set(next);
            ty = next;
        }
    }

    /// Binds an unknown to another type.
    fn link(&mut self, unknown: Ty, to: Ty, because: Span) {
        self.slots[unknown] = Slot::Link(to, because);
        self.parents[unknown].set(to);
        self.linked.push(unknown);
    }

    /// Takes the unknowns bound since the last call.
    pub(crate) fn take_linked(&mut self) -> Vec<Ty> {
        std::mem::take(&mut self.linked)
    }

    pub(crate) fn shape(&self, ty: Ty) -> &TypeTerm {
        match &self.slots[self.root(ty)] {
            Slot::TypeTerm(shape) => shape,
            Slot::Link(..) => &TypeTerm::Unknown,
        }
    }

    /// Span that first determined a type that began as an unknown.
    pub(crate) fn reason(&self, ty: Ty) -> Option<Span> {
        match &self.slots[ty] {
            Slot::Link(next, span) => match self.shape(*next) {
                // Two unknowns were equated first; the binding of the other one is more informative.
                TypeTerm::Unknown => Some(*span),
                _ => self.reason_beyond(*next).or(Some(*span)),
            },
            Slot::TypeTerm(_) => None,
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

    /// Unifies two types; `because` is the formula that requires it.
    pub(crate) fn unify(&mut self, left: Ty, right: Ty, because: Span) -> Result<(), Mismatch> {
        let mut open = vec![(left, right)];
        let mut n_steps = 0;
        // Types share parts, so their trees may be much larger than their graphs.
        let mut done: HashSet<(Ty, Ty)> = HashSet::new();
        while let Some((left, right)) = open.pop() {
            let (left, right) = (self.root(left), self.root(right));
            n_steps += 1;
            if left == right || (n_steps > 100 && !done.insert((left, right))) {
                continue;
            }
            let clash = Err(Mismatch { is_infinite: false });
            match (self.shape(left), self.shape(right)) {
                (TypeTerm::Error, _) => self.poison(right, because),
                (_, TypeTerm::Error) => self.poison(left, because),
                (TypeTerm::Unknown, _) => self.bind(left, right, because)?,
                (_, TypeTerm::Unknown) => self.bind(right, left, because)?,
                (TypeTerm::Integer, TypeTerm::Integer) | (TypeTerm::Bool, TypeTerm::Bool) => {}
                (TypeTerm::String, TypeTerm::String) | (TypeTerm::Real, TypeTerm::Real) => {}
                (TypeTerm::Given(a), TypeTerm::Given(b)) if a == b => {}
                (TypeTerm::Free(a), TypeTerm::Free(b)) if a == b => {}
                (TypeTerm::Pow(a), TypeTerm::Pow(b)) => open.push((*a, *b)),
                (TypeTerm::Pair(a, b), TypeTerm::Pair(c, d)) => {
                    let (first, second) = ((*a, *c), (*b, *d));
                    open.push(second);
                    open.push(first);
                }
                (TypeTerm::Record(a), TypeTerm::Record(b)) => {
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

    /// Binds the unknowns of a type that is equated with a mistake, so that they cause no messages.
    fn poison(&mut self, ty: Ty, because: Span) {
        for unknown in self.unknowns(ty) {
            self.link(unknown, Unifier::ERROR, because);
        }
    }

    fn bind(&mut self, unknown: Ty, to: Ty, because: Span) -> Result<(), Mismatch> {
        let level = self.levels[unknown];
        let Some(above) = self.parts_above(unknown, level, to) else { return Err(Mismatch { is_infinite: true }) };
        for part in above.parts {
            self.levels[part] = above.level;
        }
        self.link(unknown, to, because);
        Ok(())
    }

    /// Parts of a type whose level is `level` or more; `None` if the unknown is among them.
    fn parts_above(&mut self, unknown: Ty, level: u32, within: Ty) -> Option<PartsAbove> {
        // Without an unknown among them, they have the level of what lies below: a type that is known has level 0, however it came about.
        let mut above = PartsAbove { parts: Vec::new(), level: 0 };
        self.n_walks += 1;
        let mut open = vec![within];
        while let Some(ty) = open.pop() {
            let root = self.root(ty);
            if root == unknown {
                return None;
            }
            if self.levels[root] < level {
                above.level = above.level.max(self.levels[root]);
                continue;
            }
            if self.seen[root] == self.n_walks {
                continue;
            }
            self.seen[root] = self.n_walks;
            above.parts.push(root);
            if matches!(self.shape(root), TypeTerm::Unknown) {
                above.level = level;
            }
            self.shape(root).for_each_part(|part| open.push(part));
        }
        Some(above)
    }

    /// Unknowns in a type.
    fn unknowns(&mut self, ty: Ty) -> Vec<Ty> {
        let mut unknowns = Vec::new();
        let mut walked = Vec::new();
        self.n_walks += 1;
        let mut open = vec![ty];
        while let Some(ty) = open.pop() {
            let root = self.root(ty);
            if self.levels[root] == 0 || self.seen[root] == self.n_walks {
                continue;
            }
            self.seen[root] = self.n_walks;
            match self.shape(root) {
                TypeTerm::Unknown => unknowns.push(root),
                shape => shape.for_each_part(|part| open.push(part)),
            }
            walked.push(root);
        }
        if unknowns.is_empty() {
            walked.into_iter().for_each(|ty| self.levels[ty] = 0);
        }
        unknowns
    }

    pub(crate) fn is_error(&self, ty: Ty) -> bool {
        matches!(self.shape(ty), TypeTerm::Error)
    }

    pub(crate) fn has_unknown(&mut self, ty: Ty) -> bool {
        !self.unknowns(ty).is_empty()
    }

    /// Binds every unknown inside a type to INTEGER: the type of an empty set that nothing constrains does not matter.
    pub(crate) fn default_unknowns(&mut self, ty: Ty, because: Span) {
        for unknown in self.unknowns(ty) {
            self.link(unknown, Unifier::INTEGER, because);
        }
    }

    /// Ground type in the table of the model. Remaining unknowns and errors become INTEGER.
    pub(crate) fn ground(&self, ty: Ty, model: &mut Model, cache: &mut IdVec<Ty, Option<TypeId>>) -> TypeId {
        let root = self.root(ty);
        if let Some(Some(done)) = cache.get(root) {
            return *done;
        }
        let shape = match self.shape(root) {
            TypeTerm::Unknown | TypeTerm::Error | TypeTerm::Integer => Type::Integer,
            TypeTerm::Bool => Type::Bool,
            TypeTerm::String => Type::String,
            TypeTerm::Real => Type::Real,
            TypeTerm::Given(set) => Type::Given(*set),
            TypeTerm::Free(free) => Type::Free(*free),
            TypeTerm::Pow(elem) => Type::Pow(with_stack(|| self.ground(*elem, model, cache))),
            TypeTerm::Pair(first, second) => with_stack(|| {
                let first = self.ground(*first, model, cache);
                Type::Pair(first, self.ground(*second, model, cache))
            }),
            TypeTerm::Record(fields) => {
                let ground = |(name, ty): &(SmolStr, Ty)| (name.clone(), self.ground(*ty, model, cache));
                with_stack(|| Type::Record(fields.iter().map(ground).collect()))
            }
        };
        let done = model.types.intern(shape);
        cache[root] = Some(done);
        done
    }

    pub(crate) fn n_types(&self) -> usize {
        self.slots.len()
    }

    /// Type in B notation, with `?` for unknowns.
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
            TypeTerm::Unknown | TypeTerm::Error => out.push('?'),
            TypeTerm::Integer => out.push_str("INTEGER"),
            TypeTerm::Bool => out.push_str("BOOL"),
            TypeTerm::String => out.push_str("STRING"),
            TypeTerm::Real => out.push_str("REAL"),
            TypeTerm::Given(set) => out.push_str(&model.sets[*set].name),
            TypeTerm::Free(free) => out.push_str(&model.free_types[*free].name),
            TypeTerm::Pow(elem) => {
                out.push_str("POW(");
                self.write(model, out, *elem, false, depth + 1);
                out.push(')');
            }
            TypeTerm::Pair(first, second) => {
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
            TypeTerm::Record(fields) => {
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

#[cfg(test)]
mod tests {
    use abridge_diag::FileId;

    use super::*;

    fn place(start: u32) -> Span {
        Span::new(FileId(0), start, start + 1)
    }

    fn unify(types: &mut Unifier, left: Ty, right: Ty) -> bool {
        types.unify(left, right, place(0)).is_ok()
    }

    #[test]
    fn a_type_does_not_contain_itself_in_any_order_of_binding() {
        for is_late in [false, true] {
            let mut types = Unifier::new();
            let (a, b, c) = (types.fresh(), types.fresh(), types.fresh());
            let (set_a, set_b, set_c) = (types.pow(a), types.pow(b), types.pow(c));
            let pairs = [(b, set_c), (a, set_b), (c, set_a)];
            let mut results: Vec<bool> = Vec::new();
            match is_late {
                true => results.extend(pairs.iter().rev().map(|(left, right)| unify(&mut types, *left, *right))),
                false => results.extend(pairs.iter().map(|(left, right)| unify(&mut types, *left, *right))),
            }
            assert_eq!(results, [true, true, false]);
            assert!(types.has_unknown(a));
        }
    }

    #[test]
    fn a_failed_occurs_check_leaves_the_others_able() {
        let mut types = Unifier::new();
        let (a, b) = (types.fresh(), types.fresh());
        let pair = types.pair(b, a);
        assert!(!unify(&mut types, a, pair));
        let set = types.pow(pair);
        assert!(!unify(&mut types, b, set));
        assert!(unify(&mut types, b, a));
        assert!(!unify(&mut types, a, set));
    }

    #[test]
    fn a_type_that_becomes_known_is_walked_once() {
        let mut types = Unifier::new();
        // As in `{{}, {{}, {{}, {1}}}}`, which is typed from the inside to the outside.
        let unknowns: Vec<Ty> = (0..10).map(|_| types.fresh()).collect();
        let mut inner = types.pow(Unifier::INTEGER);
        for unknown in unknowns.into_iter().rev() {
            let set = types.pow(unknown);
            assert!(unify(&mut types, set, inner));
            assert_eq!(types.levels[types.root(unknown)], 0);
            inner = types.pow(set);
        }
    }

    #[test]
    fn types_with_shared_parts_are_not_walked_as_trees() {
        let mut types = Unifier::new();
        let (mut left, mut right) = (types.fresh(), types.fresh());
        let (first_left, first_right) = (left, right);
        for _ in 0..200 {
            (left, right) = (types.pair(left, left), types.pair(right, right));
        }
        assert!(types.has_unknown(left));
        assert!(unify(&mut types, left, right));
        assert!(unify(&mut types, first_left, Unifier::BOOL));
        assert!(!types.has_unknown(right));
        assert!(matches!(types.shape(first_right), TypeTerm::Bool));
        let fresh = types.fresh();
        assert!(unify(&mut types, fresh, left));
        types.default_unknowns(fresh, place(0));
    }

    #[test]
    fn the_reason_is_what_first_told_something() {
        let mut types = Unifier::new();
        let names: Vec<Ty> = (0..10).map(|_| types.fresh()).collect();
        for (start, pair) in names.windows(2).enumerate() {
            assert!(types.unify(pair[0], pair[1], place(start as u32)).is_ok());
        }
        assert_eq!(types.reason(names[0]), Some(place(0)));
        assert!(types.unify(names[4], Unifier::INTEGER, place(100)).is_ok());
        // Path compression leaves the reasons unchanged.
        assert!(names.iter().all(|name| matches!(types.shape(*name), TypeTerm::Integer)));
        assert!(names.iter().all(|name| types.reason(*name) == Some(place(100))));
    }
}
