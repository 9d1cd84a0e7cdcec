//! Linear forms over integer subjects, and the propagation of bounds through them.
//!
//! A form `c1*k1 + .. + cn*kn + rest` has subjects `k`: an unknown, a product or power of unknowns, the size of a set, a point of a function.
//! `rest` is a range that covers what is not linear. Forms stand for inequalities `form <= 0`, and each bounds its subjects by the least value of
//! the others. A bound that is too tight loses solutions.

use abridge_eval::{Relation, Unknown};
use abridge_value::{Int, Value};

/// Range of integers; an absent end is infinite.
#[derive(Clone, Default, PartialEq, Debug)]
pub(super) struct Range {
    pub(super) lo: Option<Int>,
    pub(super) hi: Option<Int>,
}

/// Subject of a bound.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum BoundKey {
    Value(Unknown),
    /// `card(s)`, `size(s)`
    Size(Unknown),
    /// `x * y` of different unknowns.
    Product(Unknown, Unknown),
    /// `x ** n`, `x * .. * x` with an exponent of at least 2.
    Power(Unknown, u32),
    /// `b ** x` with a base of at least 2.
    Exponential(u32, Unknown),
    /// `f(k)` of the function under construction.
    Point(Value),
    /// `f(k)` of an unknown function.
    At(Unknown, Value),
    /// `min(s)`
    Least(Unknown),
    /// `max(s)`
    Greatest(Unknown),
}

/// Linear form: a sum of keys with factors, plus a range.
#[derive(Clone, Debug)]
pub(super) struct Linear {
    terms: Vec<(BoundKey, Int)>,
    rest: Range,
}

/// Rounds of propagation: enough for chains of inequalities. Bounds that creep further are left as they are.
const MAX_ROUNDS: usize = 12;
/// Bits of the ends of a range. An end that is further out says nothing: squares of squares double their length in each round.
const MAX_BITS: u64 = 1 << 12;
/// Terms of a product that is multiplied out.
const MAX_EXPANDED_TERMS: usize = 16;
/// Exponents of powers of unknowns.
pub(super) const MAX_EXPONENT: u32 = 64;

impl Range {
    pub(super) fn exactly(int: Int) -> Range {
        Range { lo: Some(int.clone()), hi: Some(int) }
    }

    fn add(&self, other: &Range) -> Range {
        let sum = |left: &Option<Int>, right: &Option<Int>| Some(left.as_ref()? + right.as_ref()?);
        Range { lo: sum(&self.lo, &other.lo), hi: sum(&self.hi, &other.hi) }
    }

    fn scale(&self, factor: &Int) -> Range {
        let scaled = |end: &Option<Int>| end.as_ref().and_then(|end| short_product(end, factor));
        if factor.is_negative() {
            Range { lo: scaled(&self.hi), hi: scaled(&self.lo) }
        } else if factor.is_zero() {
            Range::exactly(Int::ZERO)
        } else {
            Range { lo: scaled(&self.lo), hi: scaled(&self.hi) }
        }
    }

    fn multiply(&self, other: &Range) -> Range {
        let (Some(a), Some(b), Some(c), Some(d)) = (&self.lo, &self.hi, &other.lo, &other.hi) else {
            let not_negative = |range: &Range| range.lo.as_ref().is_some_and(|lo| !lo.is_negative());
            let lo = (not_negative(self) && not_negative(other)).then_some(Int::ZERO);
            return Range { lo, hi: None };
        };
        let products = [(a, c), (a, d), (b, c), (b, d)].map(|(left, right)| short_product(left, right));
        let Some(products) = products.into_iter().collect::<Option<Vec<Int>>>() else { return Range::default() };
        Range { lo: products.iter().min().cloned(), hi: products.iter().max().cloned() }
    }

    /// Greatest distance from zero, if zero is outside of the range and both ends are known.
    fn nonzero_magnitude(&self) -> Option<Int> {
        let (lo, hi) = (self.lo.as_ref()?, self.hi.as_ref()?);
        let has_zero = !hi.is_negative() && *lo <= Int::ZERO;
        (!has_zero).then(|| Int::max(-lo, hi.clone()))
    }

    fn is_empty(&self) -> bool {
        matches!((&self.lo, &self.hi), (Some(lo), Some(hi)) if lo > hi)
    }

    fn raise(&mut self, lo: Int) -> bool {
        let better = lo.bits() <= MAX_BITS && self.lo.as_ref().is_none_or(|old| *old < lo);
        if better {
            self.lo = Some(lo);
        }
        better
    }

    fn lower(&mut self, hi: Int) -> bool {
        let better = hi.bits() <= MAX_BITS && self.hi.as_ref().is_none_or(|old| *old > hi);
        if better {
            self.hi = Some(hi);
        }
        better
    }
}

impl BoundKey {
    fn as_power(&self) -> Option<(Unknown, u32)> {
        match self {
            BoundKey::Value(unknown) => Some((*unknown, 1)),
            BoundKey::Power(unknown, exponent) => Some((*unknown, *exponent)),
            _ => None,
        }
    }

    /// Subject of the product of two.
    fn times(&self, other: &BoundKey) -> Option<BoundKey> {
        match (self.as_power()?, other.as_power()?) {
            ((base, left), (other, right)) if base == other => {
                (left + right <= MAX_EXPONENT).then_some(BoundKey::Power(base, left + right))
            }
            ((left, 1), (right, 1)) => Some(BoundKey::Product(left, right)),
            _ => None,
        }
    }
}

impl Linear {
    pub(super) fn of(key: BoundKey) -> Linear {
        Linear { terms: vec![(key, Int::ONE)], rest: Range::exactly(Int::ZERO) }
    }

    /// Whether the form relates several points of a function.
    pub(super) fn relates_points(&self) -> bool {
        self.terms.iter().filter(|(key, _)| matches!(key, BoundKey::Point(_))).count() > 1
    }

    /// The subject, if the form consists of it alone.
    pub(super) fn as_key(&self) -> Option<&BoundKey> {
        match &self.terms[..] {
            [(key, factor)] if *factor == Int::ONE && self.rest == Range::exactly(Int::ZERO) => Some(key),
            _ => None,
        }
    }

    /// Product of two forms. Where bounds say little about it, it is multiplied out.
    pub(super) fn multiply(&self, other: &Linear, bounds: &Bounds) -> Linear {
        match (factor(self), factor(other)) {
            (Some(factor), _) => return other.clone().scale(&factor),
            (_, Some(factor)) => return self.clone().scale(&factor),
            _ => {}
        }
        if let (Some(left), Some(right)) = (self.as_key(), other.as_key())
            && let Some(product) = left.times(right)
        {
            return Linear::of(product);
        }
        let range = evaluate(self, bounds).multiply(&evaluate(other, bounds));
        let is_bounded = range.lo.is_some() && range.hi.is_some();
        let expanded = if is_bounded { None } else { self.expand(other) };
        expanded.unwrap_or_else(|| Linear::constant(range))
    }

    /// Exponents and coefficients of a polynomial in one unknown, in ascending order, with the least constant term.
    fn coefficients(&self) -> Option<(Unknown, Vec<(u32, Int)>)> {
        let mut coefficients = vec![(0, self.rest.lo.clone()?)];
        let mut unknown = None;
        for (key, factor) in &self.terms {
            let (base, exponent) = key.as_power()?;
            if *unknown.get_or_insert(base) != base {
                return None;
            }
            coefficients.push((exponent, factor.clone()));
        }
        coefficients.sort_unstable_by_key(|(exponent, _)| *exponent);
        let is_linear = coefficients.last().is_none_or(|(exponent, _)| *exponent < 2);
        if is_linear { None } else { Some((unknown?, coefficients)) }
    }

    fn expand(&self, other: &Linear) -> Option<Linear> {
        let constant = |linear: &Linear| (linear.rest.lo == linear.rest.hi).then(|| linear.rest.lo.clone()).flatten();
        let (mine, theirs) = (constant(self)?, constant(other)?);
        if self.terms.len() * other.terms.len() > MAX_EXPANDED_TERMS {
            return None;
        }
        let without_rest = |linear: &Linear| Linear { terms: linear.terms.clone(), rest: Range::exactly(Int::ZERO) };
        let mut sum = Linear::constant(Range::exactly(&mine * &theirs));
        sum = sum.add(without_rest(self).scale(&theirs)).add(without_rest(other).scale(&mine));
        for (left, left_factor) in &self.terms {
            for (right, right_factor) in &other.terms {
                sum = sum.add(Linear::of(left.times(right)?).scale(&(left_factor * right_factor)));
            }
        }
        Some(sum)
    }

    pub(super) fn constant(rest: Range) -> Linear {
        Linear { terms: Vec::new(), rest }
    }

    pub(super) fn add(mut self, other: Linear) -> Linear {
        for (unknown, factor) in other.terms {
            match self.terms.iter_mut().find(|(mine, _)| *mine == unknown) {
                Some((_, mine)) => *mine = &*mine + &factor,
                None => self.terms.push((unknown, factor)),
            }
        }
        self.terms.retain(|(_, factor)| !factor.is_zero());
        self.rest = self.rest.add(&other.rest);
        self
    }

    pub(super) fn scale(mut self, factor: &Int) -> Linear {
        for (_, mine) in &mut self.terms {
            *mine = &*mine * factor;
        }
        self.terms.retain(|(_, factor)| !factor.is_zero());
        self.rest = self.rest.scale(factor);
        self
    }
}

/// Range of each key.
#[derive(Default)]
pub(super) struct Bounds {
    ranges: Vec<(BoundKey, Range)>,
    /// Ranges of the values of unknown functions.
    pub(super) codomains: Vec<(Unknown, Range)>,
}

impl Bounds {
    pub(super) fn get(&self, key: &BoundKey) -> Range {
        let known = self.ranges.iter().find(|(other, _)| other == key).map(|(_, range)| range.clone());
        known.unwrap_or_else(|| self.initial(key))
    }

    fn initial(&self, key: &BoundKey) -> Range {
        match key {
            BoundKey::Size(_) => Range { lo: Some(Int::ZERO), hi: None },
            BoundKey::Power(_, exponent) if exponent % 2 == 0 => Range { lo: Some(Int::ZERO), hi: None },
            BoundKey::Exponential(..) => Range { lo: Some(Int::ONE), hi: None },
            BoundKey::At(function, _) => {
                let codomain = self.codomains.iter().find(|(other, _)| other == function);
                codomain.map(|(_, range)| range.clone()).unwrap_or_default()
            }
            _ => Range::default(),
        }
    }

    /// Bounds of the values of an unknown function at single points.
    pub(super) fn points(&self, function: Unknown) -> impl Iterator<Item = (&Value, &Range)> {
        self.ranges.iter().filter_map(move |(key, range)| match key {
            BoundKey::At(other, point) if *other == function => Some((point, range)),
            _ => None,
        })
    }

    pub(super) fn is_contradictory(&self) -> bool {
        self.ranges.iter().any(|(_, range)| range.is_empty())
    }

    /// Ranges of the integer unknowns.
    pub(super) fn values(self) -> impl Iterator<Item = (Unknown, Range)> {
        self.ranges.into_iter().filter_map(|(key, range)| match key {
            BoundKey::Value(unknown) => Some((unknown, range)),
            _ => None,
        })
    }

    pub(super) fn entry(&mut self, key: &BoundKey) -> &mut Range {
        let idx = self.ranges.iter().position(|(other, _)| other == key).unwrap_or_else(|| {
            let range = self.initial(key);
            self.ranges.push((key.clone(), range));
            self.ranges.len() - 1
        });
        &mut self.ranges[idx].1
    }

    pub(super) fn narrow(&mut self, key: &BoundKey, range: Range) -> bool {
        let known = self.entry(key);
        let raised = range.lo.is_some_and(|lo| known.raise(lo));
        let lowered = range.hi.is_some_and(|hi| known.lower(hi));
        raised || lowered
    }

    /// Narrows products and powers by their operands, and operands by products and powers.
    fn narrow_products(&mut self) -> bool {
        let mut changed = false;
        for idx in 0..self.ranges.len() {
            let (key, range) = self.ranges[idx].clone();
            changed |= match key {
                BoundKey::Product(left, right) => self.narrow_product((left, right), &range),
                BoundKey::Power(base, exponent) => self.narrow_power((base, exponent), &range),
                BoundKey::Exponential(base, exponent) => self.narrow_exponential((base, exponent), &range),
                _ => false,
            };
        }
        changed
    }

    fn narrow_product(&mut self, (left, right): (Unknown, Unknown), product: &Range) -> bool {
        let (a, b) = (self.get(&BoundKey::Value(left)), self.get(&BoundKey::Value(right)));
        let mut changed = false;
        for (factor, other) in [(left, &b), (right, &a)] {
            changed |= self.narrow(&BoundKey::Value(factor), quotient(product, other));
            // No factor of a number other than zero is further from zero.
            if let Some(magnitude) = product.nonzero_magnitude() {
                changed |= self.narrow(&BoundKey::Value(factor), Range { lo: Some(-&magnitude), hi: Some(magnitude) });
            }
        }
        changed | self.narrow(&BoundKey::Product(left, right), a.multiply(&b))
    }

    fn narrow_power(&mut self, (base, exponent): (Unknown, u32), power: &Range) -> bool {
        let root = |end: &Int| Int::from(end.to_big().nth_root(exponent));
        let roots = match (exponent % 2, &power.hi) {
            (0, Some(hi)) if !hi.is_negative() => {
                let root = root(hi);
                Range { lo: Some(-&root), hi: Some(root) }
            }
            (0, _) => Range::default(),
            // The root is rounded towards zero, so each end is one beyond it.
            _ => Range {
                lo: power.lo.as_ref().map(|lo| &root(lo) - &Int::ONE),
                hi: power.hi.as_ref().map(|hi| &root(hi) + &Int::ONE),
            },
        };
        let known = self.get(&BoundKey::Value(base));
        let powers = (1..exponent).fold(known.clone(), |powers, _| powers.multiply(&known));
        self.narrow(&BoundKey::Value(base), roots) | self.narrow(&BoundKey::Power(base, exponent), powers)
    }

    /// The exponent is natural where the power is defined, and less than the number of bits of the power.
    fn narrow_exponential(&mut self, (base, exponent): (u32, Unknown), power: &Range) -> bool {
        let range = Range { lo: Some(Int::ZERO), hi: power.hi.as_ref().map(|hi| Int::from(hi.bits())) };
        let narrowed = self.narrow(&BoundKey::Value(exponent), range);
        let known = self.get(&BoundKey::Value(exponent));
        let of = |end: Option<Int>| {
            let end =
                end.and_then(|end| u32::try_from(end.to_u64()?).ok()).filter(|end| u64::from(*end) <= MAX_BITS / 32)?;
            Some(Int::from(i64::from(base)).pow(end))
        };
        narrowed | self.narrow(&BoundKey::Exponential(base, exponent), Range { lo: of(known.lo), hi: of(known.hi) })
    }
}

/// A product, unless it is long.
fn short_product(left: &Int, right: &Int) -> Option<Int> {
    (left.bits() + right.bits() <= MAX_BITS).then(|| left * right)
}

/// The other factor of a natural product with a positive factor.
fn quotient(product: &Range, factor: &Range) -> Range {
    match (&product.hi, &factor.lo) {
        (Some(hi), Some(lo)) if !hi.is_negative() && *lo > Int::ZERO => Range { lo: None, hi: hi.div_floor(lo) },
        _ => Range::default(),
    }
}

/// Propagates bounds up to a fixpoint; `false` if they contradict each other.
pub(super) fn settle(at_most_zero: &[Linear], bounds: &mut Bounds) -> bool {
    for linear in at_most_zero {
        narrow_polynomial(linear, bounds);
    }
    for _ in 0..MAX_ROUNDS {
        let mut changed = bounds.narrow_products();
        for linear in at_most_zero {
            changed |= propagate(linear, bounds);
        }
        if bounds.is_contradictory() {
            return false;
        }
        if !changed {
            break;
        }
    }
    true
}

/// Bounds the unknown of a polynomial that is at most zero: beyond Cauchy's bound of its roots it has the sign of its leading term.
fn narrow_polynomial(linear: &Linear, bounds: &mut Bounds) {
    let Some((unknown, mut coefficients)) = linear.coefficients() else { return };
    let Some((degree, leading)) = coefficients.pop() else { return };
    let largest = coefficients.iter().map(|(_, coefficient)| coefficient.abs()).max().unwrap_or(Int::ZERO);
    let Some(quotient) = largest.div_ceil(&leading.abs()) else { return };
    let bound = &quotient + &Int::ONE;
    let is_positive_above = !leading.is_negative();
    let is_positive_below = is_positive_above == (degree % 2 == 0);
    let range = Range { lo: is_positive_below.then(|| -&bound), hi: is_positive_above.then(|| bound.clone()) };
    bounds.narrow(&BoundKey::Value(unknown), range);
}

/// Adds the inequalities of `left = right`, `left < right` or `left <= right`.
pub(super) fn compare(relation: Relation, left: Linear, right: Linear, at_most_zero: &mut Vec<Linear>) {
    let minus = Int::from(-1);
    let difference = left.add(right.scale(&minus));
    if relation == Relation::Equal {
        at_most_zero.push(difference.clone().scale(&minus));
    }
    let strictness = if relation == Relation::Less { Int::ONE } else { Int::ZERO };
    at_most_zero.push(difference.add(Linear::constant(Range::exactly(strictness))));
}

/// Value of a linear form without unknowns.
pub(super) fn factor(linear: &Linear) -> Option<Int> {
    if linear.terms.is_empty() && linear.rest.lo == linear.rest.hi { linear.rest.lo.clone() } else { None }
}

pub(super) fn evaluate(linear: &Linear, bounds: &Bounds) -> Range {
    linear.terms.iter().fold(linear.rest.clone(), |sum, (key, factor)| sum.add(&bounds.get(key).scale(factor)))
}

/// Narrows each key by the least value of the other terms.
fn propagate(linear: &Linear, bounds: &mut Bounds) -> bool {
    let mut changed = false;
    for (idx, (key, factor)) in linear.terms.iter().enumerate() {
        let mut others = linear.clone();
        others.terms.remove(idx);
        let Some(least) = evaluate(&others, bounds).lo else { continue };
        // factor * key <= -least
        let limit = -least;
        let range = bounds.entry(key);
        changed |= if factor.is_negative() {
            limit.div_ceil(factor).is_some_and(|lo| range.raise(lo))
        } else {
            limit.div_floor(factor).is_some_and(|hi| range.lower(hi))
        };
    }
    changed
}
