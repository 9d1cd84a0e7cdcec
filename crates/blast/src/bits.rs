//! Binary circuits for integers, in two's complement with known bounds.
//!
//! The width of a result follows from the bounds of the operands, so no operation overflows. Bounds that are too narrow would make results wrong.

use crate::circuit::{Circuit, Lit};

/// Integer between `lo` and `hi`, lowest bit first; the last bit is the sign.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bits {
    pub(crate) bits: Vec<Lit>,
    pub(crate) lo: i64,
    pub(crate) hi: i64,
}

/// Integers of larger magnitude have no circuit.
pub(crate) const MAX_MAGNITUDE: i64 = 1 << 40;

/// Number of bits of a range, including the sign.
fn width(lo: i64, hi: i64) -> usize {
    let magnitude = |end: i64| 64 - (if end < 0 { !end } else { end }).leading_zeros() as usize;
    magnitude(lo).max(magnitude(hi)) + 1
}

impl Bits {
    pub(crate) fn constant(int: i64) -> Bits {
        let bits = (0..width(int, int)).map(|bit| Lit::from(int >> bit.min(63) & 1 == 1)).collect();
        Bits { bits, lo: int, hi: int }
    }

    /// Literals of the bits, the sign last.
    pub fn lits(&self) -> &[Lit] {
        &self.bits
    }

    /// Bounds of the integer.
    pub fn range(&self) -> (i64, i64) {
        (self.lo, self.hi)
    }

    /// Integer under an assignment of the bits.
    pub fn decode(&self, value: &(impl Fn(Lit) -> bool + ?Sized)) -> i64 {
        let ones = self.bits.iter().enumerate().filter(|(_, bit)| value(**bit));
        let sign = self.bits.len() - 1;
        ones.map(|(idx, _)| if idx == sign { -(1 << idx) } else { 1 << idx }).sum()
    }

    fn bit(&self, idx: usize) -> Lit {
        self.bits.get(idx).or(self.bits.last()).copied().unwrap_or(Lit::FALSE)
    }

    fn fitted(mut self, lo: i64, hi: i64) -> Option<Bits> {
        if lo < -MAX_MAGNITUDE || hi > MAX_MAGNITUDE {
            return None;
        }
        self.bits.truncate(width(lo, hi));
        Some(Bits { lo, hi, ..self })
    }
}

impl Circuit {
    /// Unknown integer, with the condition that it is within its bounds.
    pub(crate) fn fresh_bits(&mut self, lo: i64, hi: i64) -> (Bits, Lit) {
        let mut bits: Vec<Lit> = (0..width(lo, hi)).map(|_| self.input()).collect();
        if lo >= 0
            && let Some(sign) = bits.last_mut()
        {
            *sign = Lit::FALSE;
        }
        // The bits alone can represent integers outside the bounds.
        let any = Bits { bits, lo: i64::MIN, hi: i64::MAX };
        let above = self.less_equal(&Bits::constant(lo), &any);
        let below = self.less_equal(&any, &Bits::constant(hi));
        let inside = self.and(above, below);
        (Bits { lo, hi, ..any }, inside)
    }

    fn full_adder(&mut self, a: Lit, b: Lit, carry: Lit) -> (Lit, Lit) {
        let half = self.xor(a, b);
        let sum = self.xor(half, carry);
        let both = self.and(a, b);
        let passed = self.and(half, carry);
        let carry = self.or(both, passed);
        (sum, carry)
    }

    fn sum(&mut self, left: &Bits, right: &Bits, width: usize, negate: bool) -> Vec<Lit> {
        let mut carry = Lit::from(negate);
        (0..width)
            .map(|idx| {
                let other = right.bit(idx);
                let (sum, next) = self.full_adder(left.bit(idx), if negate { !other } else { other }, carry);
                carry = next;
                sum
            })
            .collect()
    }

    pub(crate) fn add(&mut self, left: &Bits, right: &Bits) -> Option<Bits> {
        let (lo, hi) = (left.lo.checked_add(right.lo)?, left.hi.checked_add(right.hi)?);
        let bits = self.sum(left, right, width(lo, hi), false);
        Bits { bits, lo, hi }.fitted(lo, hi)
    }

    pub(crate) fn subtract(&mut self, left: &Bits, right: &Bits) -> Option<Bits> {
        let (lo, hi) = (left.lo.checked_sub(right.hi)?, left.hi.checked_sub(right.lo)?);
        let bits = self.sum(left, right, width(lo, hi), true);
        Bits { bits, lo, hi }.fitted(lo, hi)
    }

    pub(crate) fn multiply(&mut self, left: &Bits, right: &Bits) -> Option<Bits> {
        let ends = [(left.lo, right.lo), (left.lo, right.hi), (left.hi, right.lo), (left.hi, right.hi)];
        let products: Option<Vec<i64>> = ends.iter().map(|(a, b)| a.checked_mul(*b)).collect();
        let products = products?;
        let (lo, hi) = (*products.iter().min()?, *products.iter().max()?);
        if lo < -MAX_MAGNITUDE || hi > MAX_MAGNITUDE {
            return None;
        }
        let width = width(lo, hi);
        let mut total = Bits { bits: vec![Lit::FALSE; width], lo: 0, hi: 0 };
        let (left, right) = if left.bits.len() < right.bits.len() { (right, left) } else { (left, right) };
        // The sign bit has a negative weight. Bits beyond the width of the product are ignored.
        for (idx, factor) in right.bits.iter().enumerate().take(width) {
            let mut shifted = vec![Lit::FALSE; idx];
            for bit in 0..width - idx {
                shifted.push(self.and(left.bit(bit), *factor));
            }
            let shifted = Bits { bits: shifted, lo: 0, hi: 0 };
            total.bits = self.sum(&total, &shifted, width, idx + 1 == right.bits.len());
        }
        Some(Bits { lo, hi, ..total })
    }

    pub(crate) fn less_equal(&mut self, left: &Bits, right: &Bits) -> Lit {
        !self.less(right, left)
    }

    pub(crate) fn less(&mut self, left: &Bits, right: &Bits) -> Lit {
        if left.hi < right.lo {
            return Lit::TRUE;
        }
        if left.lo >= right.hi {
            return Lit::FALSE;
        }
        let width = left.bits.len().max(right.bits.len());
        let mut less = Lit::FALSE;
        for idx in 0..width {
            let (mut a, mut b) = (left.bit(idx), right.bit(idx));
            if idx == width - 1 {
                (a, b) = (!a, !b);
            }
            let smaller = self.and(!a, b);
            let same = self.iff(a, b);
            let kept = self.and(same, less);
            less = self.or(smaller, kept);
        }
        less
    }

    pub(crate) fn equal_bits(&mut self, left: &Bits, right: &Bits) -> Lit {
        let width = left.bits.len().max(right.bits.len());
        let same: Vec<Lit> = (0..width).map(|idx| self.iff(left.bit(idx), right.bit(idx))).collect();
        self.and_all(same)
    }
}
