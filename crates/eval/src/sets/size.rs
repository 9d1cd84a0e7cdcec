//! Sizes of sets: bounds without listing, and exact cardinalities.
//!
//! A bound may be too large, never too small: planners rely on it, as does the decision to list a set.

use std::ops::ControlFlow;

use abridge_model::{Arrow, BinaryOp, Expr, FreeTypeId, QuantifiedOp, Type, TypeId, UnaryOp};
use abridge_value::Int;

use crate::domain::{Env, ErrorKind, Result, SymbolicSet, Val};
use crate::interp::Session;

/// Bound on a cardinality, without listing elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Size {
    /// Finite, with at most this many elements; `u64::MAX` for any number.
    AtMost(u64),
    Infinite,
    Unknown,
}

impl Size {
    fn map(self, f: impl FnOnce(u64) -> u64) -> Size {
        match self {
            Size::AtMost(bound) => Size::AtMost(f(bound)),
            other => other,
        }
    }

    fn sum(self, other: Size) -> Size {
        match (self, other) {
            (Size::AtMost(left), Size::AtMost(right)) => Size::AtMost(left.saturating_add(right)),
            (Size::Infinite, _) | (_, Size::Infinite) => Size::Infinite,
            _ => Size::Unknown,
        }
    }

    /// Size of a subset: a finite bound carries over.
    fn or_part_of(self) -> Size {
        match self {
            Size::AtMost(bound) => Size::AtMost(bound),
            _ => Size::Unknown,
        }
    }

    fn min(self, other: Size) -> Size {
        match (self, other) {
            (Size::AtMost(left), Size::AtMost(right)) => Size::AtMost(left.min(right)),
            (Size::AtMost(bound), _) | (_, Size::AtMost(bound)) => Size::AtMost(bound),
            _ => Size::Unknown,
        }
    }
}

/// Elements of a comprehension or lambda that are counted at most, which takes some seconds.
const MAX_COUNTED_ELEMENTS: u64 = 1 << 24;

/// Largest depth of a symbolic set whose size is computed.
const MAX_DEPTH: u32 = 10;

impl Session<'_> {
    pub fn size(&self, val: &Val) -> Size {
        match val {
            Val::Value(value) => value.as_set().map_or(Size::Unknown, |set| Size::AtMost(set.len())),
            // Deep formulas are rare, and listing them tells as much.
            Val::Symbolic(_) if val.depth() > MAX_DEPTH => Size::Unknown,
            Val::Symbolic(sym) => self.sym_size(sym),
            Val::Pair(_) | Val::Record(..) => Size::Unknown,
        }
    }

    fn sym_size(&self, sym: &SymbolicSet) -> Size {
        match sym {
            SymbolicSet::Base(_) | SymbolicSet::Successor | SymbolicSet::Predecessor | SymbolicSet::Tree(..) => {
                Size::Infinite
            }
            SymbolicSet::FreeType(id) if self.is_recursive(*id) => Size::Infinite,
            SymbolicSet::FreeType(_)
            | SymbolicSet::Closure(_)
            | SymbolicSet::Constructor(..)
            | SymbolicSet::Partial(_) => Size::Unknown,
            SymbolicSet::Struct(_, fields) => fields
                .iter()
                .map(|field| self.size(field))
                .reduce(|left, right| self.product(left, right))
                .unwrap_or(Size::AtMost(1)),
            SymbolicSet::Unary(op, operand) => self.unary_size(*op, operand),
            SymbolicSet::Binary(op, left, right) => self.binary_size(*op, left, right),
        }
    }

    fn unary_size(&self, op: UnaryOp, operand: &Val) -> Size {
        let size = self.size(operand);
        match op {
            UnaryOp::Pow | UnaryOp::Pow1 | UnaryOp::Fin | UnaryOp::Fin1 => size.map(pow2),
            UnaryOp::Seq | UnaryOp::Seq1 => match size {
                Size::AtMost(0) => Size::AtMost(1),
                Size::AtMost(_) if operand.as_set().is_none() => Size::Unknown,
                Size::Unknown => Size::Unknown,
                _ => Size::Infinite,
            },
            UnaryOp::Iseq | UnaryOp::Iseq1 | UnaryOp::Perm => size.map(arrangements),
            UnaryOp::Id | UnaryOp::Inverse => size,
            UnaryOp::Closure1 => size.map(|bound| bound.saturating_mul(bound)).or_part_of(),
            UnaryOp::Dom | UnaryOp::Ran | UnaryOp::Fnc => size.or_part_of(),
            _ => Size::Unknown,
        }
    }

    fn binary_size(&self, op: BinaryOp, left_val: &Val, right_val: &Val) -> Size {
        let (left, right) = (self.size(left_val), self.size(right_val));
        match op {
            BinaryOp::Cartesian | BinaryOp::Prj1 | BinaryOp::Prj2 | BinaryOp::ParallelProduct => {
                self.product(left, right)
            }
            BinaryOp::Arrow(arrow) => arrow_size(arrow, left, right),
            BinaryOp::Union => left.sum(right),
            BinaryOp::Override => match left.sum(right) {
                Size::Infinite => Size::Unknown,
                size => size,
            },
            BinaryOp::Intersection => left.min(right),
            BinaryOp::Difference => match (left, right) {
                (Size::Infinite, Size::AtMost(_)) => Size::Infinite,
                _ => left.or_part_of(),
            },
            BinaryOp::DomainRestrict => match (right, left) {
                (Size::AtMost(bound), _) => Size::AtMost(bound),
                (_, Size::AtMost(bound)) if self.is_surely_functional(right_val) => Size::AtMost(bound),
                _ => Size::Unknown,
            },
            BinaryOp::DomainSubtract => right.or_part_of(),
            BinaryOp::RangeRestrict | BinaryOp::RangeSubtract => left.or_part_of(),
            BinaryOp::Compose | BinaryOp::DirectProduct => match self.product(left, right) {
                Size::AtMost(bound) => Size::AtMost(bound),
                _ => match left {
                    Size::AtMost(bound) if self.is_surely_functional(right_val) => Size::AtMost(bound),
                    _ => Size::Unknown,
                },
            },
            BinaryOp::Image => match (left, right) {
                (Size::AtMost(bound), _) => Size::AtMost(bound),
                (_, Size::AtMost(bound)) if self.is_surely_functional(left_val) => Size::AtMost(bound),
                _ => Size::Unknown,
            },
            _ => Size::Unknown,
        }
    }

    fn product(&self, left: Size, right: Size) -> Size {
        match (left, right) {
            (Size::AtMost(0), _) | (_, Size::AtMost(0)) => Size::AtMost(0),
            (Size::AtMost(left), Size::AtMost(right)) => Size::AtMost(left.saturating_mul(right)),
            (Size::Infinite, Size::Infinite) => Size::Infinite,
            // The finite side may be empty, since a bound is not a count. Callers that care test emptiness.
            _ => Size::Unknown,
        }
    }

    /// Whether the set is infinite; `None` if that is not known without listing it.
    pub fn is_infinite(&self, val: &Val, env: &Env) -> Result<Option<bool>> {
        match self.size(val) {
            Size::AtMost(_) => return Ok(Some(false)),
            Size::Infinite => return Ok(Some(true)),
            Size::Unknown => {}
        }
        let Some(sym) = val.as_sym() else { return Ok(None) };
        let parts = match sym {
            SymbolicSet::Binary(BinaryOp::Cartesian | BinaryOp::ParallelProduct, left, right) => vec![left, right],
            SymbolicSet::Struct(_, fields) => fields.iter().collect(),
            _ => return Ok(None),
        };
        let mut infinite = Some(false);
        for part in parts {
            if self.is_empty(part, env)? {
                return Ok(Some(false));
            }
            match self.is_infinite(part, env)? {
                Some(true) => infinite = Some(true),
                None if infinite == Some(false) => infinite = None,
                _ => {}
            }
        }
        Ok(infinite)
    }

    /// Whether the set is finite. It is listed if nothing else decides.
    pub fn is_finite(&self, val: &Val, env: &Env) -> Result<bool> {
        match self.is_infinite(val, env)? {
            Some(infinite) => Ok(!infinite),
            None => self.enumerate(val, env).map(|_| true),
        }
    }

    pub fn is_empty(&self, val: &Val, env: &Env) -> Result<bool> {
        self.tick()?;
        abridge_diag::with_stack(|| self.is_empty_inner(val, env))
    }

    fn is_empty_inner(&self, val: &Val, env: &Env) -> Result<bool> {
        if let Some(set) = val.as_set() {
            return Ok(set.is_empty());
        }
        match val.as_sym() {
            None => return Err(ErrorKind::Internal("a set is expected").into()),
            Some(
                SymbolicSet::Base(_) | SymbolicSet::Successor | SymbolicSet::Predecessor | SymbolicSet::FreeType(_),
            ) => return Ok(false),
            Some(SymbolicSet::Partial(partial)) if !partial.decided.is_empty() => return Ok(false),
            Some(SymbolicSet::Unary(op, operand)) => match op {
                UnaryOp::Pow | UnaryOp::Fin | UnaryOp::Seq | UnaryOp::Iseq | UnaryOp::Perm => return Ok(false),
                UnaryOp::Pow1 | UnaryOp::Fin1 | UnaryOp::Seq1 | UnaryOp::Iseq1 => return self.is_empty(operand, env),
                UnaryOp::Dom | UnaryOp::Ran | UnaryOp::Inverse | UnaryOp::Id | UnaryOp::Closure1 | UnaryOp::Fnc => {
                    return self.is_empty(operand, env);
                }
                _ => {}
            },
            Some(SymbolicSet::Binary(op, left, right)) => match op {
                BinaryOp::Cartesian => {
                    return Ok(self.is_empty(left, env)? || !left.is_same(right) && self.is_empty(right, env)?);
                }
                BinaryOp::Union | BinaryOp::Override => {
                    return Ok(self.is_empty(left, env)? && self.is_empty(right, env)?);
                }
                BinaryOp::Arrow(arrow) if !arrow.total && !arrow.surjective => return Ok(false),
                BinaryOp::Difference if self.size(val) == Size::Infinite => return Ok(false),
                _ => {}
            },
            Some(SymbolicSet::Struct(_, fields)) => {
                for field in fields {
                    if self.is_empty(field, env)? {
                        return Ok(true);
                    }
                }
                return Ok(false);
            }
            Some(_) => {}
        }
        // One element is enough.
        Ok(self.each(val, env, &mut |_| Ok(std::ops::ControlFlow::Break(())))?.is_continue())
    }

    /// Exact number of elements.
    pub fn cardinality(&self, val: &Val, env: &Env) -> Result<Int> {
        if let Some(set) = val.as_set() {
            return Ok(set.card());
        }
        if let Some(SymbolicSet::Binary(BinaryOp::Cartesian, left, right)) = val.as_sym() {
            if self.is_empty(left, env)? || self.is_empty(right, env)? {
                return Ok(Int::ZERO);
            }
            return Ok(&self.cardinality(left, env)? * &self.cardinality(right, env)?);
        }
        if let Some(SymbolicSet::Unary(op @ (UnaryOp::Pow | UnaryOp::Fin | UnaryOp::Pow1 | UnaryOp::Fin1), operand)) =
            val.as_sym()
        {
            let less = if matches!(op, UnaryOp::Pow | UnaryOp::Fin) { Int::ZERO } else { Int::ONE };
            return Ok(&power(&Int::from(2), &self.cardinality(operand, env)?)? - &less);
        }
        if let Some(SymbolicSet::Binary(BinaryOp::Arrow(arrow), from, to)) = val.as_sym()
            && let Some(card) = arrow_cardinality(*arrow, &self.cardinality(from, env)?, &self.cardinality(to, env)?)?
        {
            return Ok(card);
        }
        match self.enumerate(val, env) {
            Err(error) if matches!(error.kind(), ErrorKind::SetTooLarge { .. }) => self.count(val, env)?.ok_or(error),
            set => Ok(set?.card()),
        }
    }

    /// Number of elements of a comprehension or lambda that is too long to be listed: they are met one by one, each once. Nothing where there are very many,
    /// or where elements have symbolic parts, since equal ones may have different forms.
    fn count(&self, val: &Val, env: &Env) -> Result<Option<Int>> {
        let Some(SymbolicSet::Closure(closure)) = val.as_sym() else { return Ok(None) };
        let expr = self.model().expr(closure.expr);
        if !matches!(expr, Expr::Comprehension { .. } | Expr::Quantified { op: QuantifiedOp::Lambda, .. }) {
            return Ok(None);
        }
        let mut n_elements = 0_u64;
        let flow = self.each(val, env, &mut |element| {
            n_elements += 1;
            let is_counted = matches!(element, Val::Value(_)) && n_elements <= MAX_COUNTED_ELEMENTS;
            Ok(if is_counted { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
        })?;
        Ok(flow.is_continue().then(|| Int::from(n_elements)))
    }

    /// Whether values of the freetype contain values of the same freetype.
    pub fn is_recursive(&self, id: FreeTypeId) -> bool {
        let model = self.model();
        let mut seen = vec![false; model.free_types.len()];
        let mut open: Vec<TypeId> = constructor_types(model, id).collect();
        while let Some(ty) = open.pop() {
            match model.types.get(ty) {
                Type::Free(free) if *free == id => return true,
                Type::Free(free) if !std::mem::replace(&mut seen[free.0 as usize], true) => {
                    open.extend(constructor_types(model, *free));
                }
                Type::Pow(elem) => open.push(*elem),
                Type::Pair(first, second) => open.extend([*first, *second]),
                Type::Record(fields) => open.extend(fields.iter().map(|(_, field)| *field)),
                _ => {}
            }
        }
        false
    }
}

fn constructor_types(model: &abridge_model::Model, id: FreeTypeId) -> impl Iterator<Item = TypeId> {
    model.free_types[id].constructors.iter().filter_map(|constructor| constructor.arg.map(|(_, ty)| ty))
}

fn pow2(exponent: u64) -> u64 {
    if exponent < 64 { 1 << exponent } else { u64::MAX }
}

/// Number of injective sequences over `n` items, saturating.
fn arrangements(n: u64) -> u64 {
    // a(n) = n * a(n - 1) + 1
    (1..=n.min(32)).fold(1_u64, |count, k| count.saturating_mul(k).saturating_add(1))
}

fn arrow_size(arrow: Arrow, from: Size, to: Size) -> Size {
    let (Size::AtMost(from), Size::AtMost(to)) = (from, to) else {
        return match (from, to) {
            (Size::AtMost(0), _) => Size::AtMost(1),
            (Size::Infinite, Size::Infinite) => Size::Infinite,
            _ => Size::Unknown,
        };
    };
    let exponent = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
    Size::AtMost(match (arrow.functional, arrow.total) {
        (false, _) => pow2(from.saturating_mul(to)),
        (true, false) => to.saturating_add(1).saturating_pow(exponent(from)),
        (true, true) => to.saturating_pow(exponent(from)),
    })
}

/// Exact number of relations or functions of a kind, if there is a simple formula.
fn arrow_cardinality(arrow: Arrow, from: &Int, to: &Int) -> Result<Option<Int>> {
    let Arrow { functional, total, injective, surjective } = arrow;
    Ok(match (functional, total, injective, surjective) {
        (false, false, _, false) => Some(power(&Int::from(2), &(from * to))?),
        (true, false, false, false) => Some(power(&(to + &Int::ONE), from)?),
        (true, true, false, false) => Some(power(to, from)?),
        _ => None,
    })
}

/// Power; an error if it is absurdly large.
fn power(base: &Int, exponent: &Int) -> Result<Int> {
    const MAX_BITS: u64 = 1 << 20;
    match exponent.to_u64() {
        Some(small) if small.saturating_mul(base.bits().max(1)) <= MAX_BITS => Ok(base.pow(small as u32)),
        _ if *base <= Int::ONE && !base.is_negative() && !exponent.is_negative() => {
            Ok(if exponent.is_zero() { Int::ONE } else { base.clone() })
        }
        _ => Err(ErrorKind::SetTooLarge { limit: MAX_BITS }.into()),
    }
}
