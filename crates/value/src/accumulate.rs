//! Sums and products of many reals, as functions of the multiset of their operands.
//!
//! Addition and multiplication of doubles are not associative, so the result of a fold depends on the order of its operands. Sets are iterated in the
//! order of element numbers; a fold in that order would distinguish interchangeable elements, and symmetry reduction would lose states. A sum is
//! therefore computed exactly and rounded once. A product is folded in an order that depends on the factors alone.

use num_bigint::{BigInt, Sign};
use num_traits::ToPrimitive as _;

/// Exact sum of doubles.
#[derive(Clone, Debug, Default)]
pub struct RealSum {
    /// Sum of the finite summands, in units of the least positive double.
    finite: BigInt,
    /// Sum of the infinite summands and NaN; zero if there are none. It does not depend on their order.
    other: f64,
}

/// Bits of a mantissa, including the leading one.
const MANTISSA_BITS: u64 = 53;

impl RealSum {
    pub fn add(&mut self, real: f64) {
        if !real.is_finite() {
            self.other += real;
            return;
        }
        let bits = real.to_bits();
        let fraction = bits & ((1 << (MANTISSA_BITS - 1)) - 1);
        let exponent = bits >> (MANTISSA_BITS - 1) & 0x7ff;
        // Subnormal numbers have no leading one; their exponent is that of the least normal numbers.
        let mantissa = if exponent == 0 { fraction } else { fraction | 1 << (MANTISSA_BITS - 1) };
        let units = BigInt::from(mantissa) << exponent.saturating_sub(1);
        if real.is_sign_negative() {
            self.finite -= units;
        } else {
            self.finite += units;
        }
    }

    /// The sum, rounded to the nearest double, ties to even.
    pub fn total(&self) -> f64 {
        if self.other != 0.0 {
            return self.other;
        }
        let magnitude = self.finite.magnitude();
        let excess = magnitude.bits().saturating_sub(MANTISSA_BITS);
        let mut leading = (magnitude >> excess).to_u64().unwrap_or(u64::MAX);
        if excess > 0 {
            let is_half = magnitude.bit(excess - 1);
            let is_more = is_half && magnitude.trailing_zeros().is_some_and(|zeros| zeros < excess - 1);
            leading += u64::from(is_more || is_half && leading % 2 == 1);
        }
        // The product is exact: it has at most 53 bits, or it is at least 2^1024 and overflows correctly.
        let total = leading as f64 * unit_shifted(excess);
        if self.finite.sign() == Sign::Minus { -total } else { total }
    }
}

/// Least positive double, times a power of two.
fn unit_shifted(shift: u64) -> f64 {
    let smallest_normal = MANTISSA_BITS - 1;
    if shift < smallest_normal {
        return f64::from_bits(1 << shift);
    }
    let exponent = shift - smallest_normal + 1;
    if exponent < 0x7ff { f64::from_bits(exponent << smallest_normal) } else { f64::INFINITY }
}

/// Product of doubles. Large and small factors alternate, so that it overflows or underflows only if the exact product does.
pub fn real_product(mut factors: Vec<f64>) -> f64 {
    let is_negative = factors.iter().filter(|factor| factor.is_sign_negative()).count() % 2 == 1;
    factors.iter_mut().for_each(|factor| *factor = factor.abs());
    factors.sort_unstable_by(f64::total_cmp);
    let mut rest = factors.as_slice();
    let mut product = 1.0_f64;
    while let [smallest, others @ ..] = rest {
        if product >= 1.0 {
            product *= smallest;
            rest = others;
        } else if let [others @ .., largest] = rest {
            product *= largest;
            rest = others;
        }
    }
    if is_negative { -product } else { product }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sum(reals: &[f64]) -> f64 {
        let mut sum = RealSum::default();
        reals.iter().for_each(|real| sum.add(*real));
        sum.total()
    }

    #[test]
    fn sums_are_rounded_once() {
        assert_eq!(sum(&[]), 0.0);
        assert_eq!(sum(&[0.1, 0.2, 0.3, 0.4]), 1.0);
        assert_eq!(sum(&[1e308, 1e308, -1e308]), 1e308);
        assert_eq!(sum(&[1e308, 1e308]), f64::INFINITY);
        assert_eq!(sum(&[1.0, 1e-300, -1.0]), 1e-300);
        // Half a unit in the last place goes to the even neighbour, more than half away from zero.
        assert_eq!(sum(&[9007199254740992.0, 1.0]), 9007199254740992.0);
        assert_eq!(sum(&[9007199254740992.0, 1.0, 1e-9]), 9007199254740994.0);
        assert_eq!(sum(&[f64::MAX, f64::MAX * f64::EPSILON / 8.0]), f64::MAX);
        assert!(sum(&[f64::INFINITY, f64::NEG_INFINITY, 1.0]).is_nan());
        assert_eq!(sum(&[f64::NEG_INFINITY, 1.0]), f64::NEG_INFINITY);
        assert_eq!(sum(&[5e-324, 5e-324, -5e-324]), 5e-324);
    }

    #[test]
    fn products_overflow_only_at_the_end() {
        assert_eq!(real_product(Vec::new()), 1.0);
        assert_eq!(real_product(vec![1e200, 1e200, 1e-200, 1e-200]), 1.0);
        assert_eq!(real_product(vec![-2.0, 3.0, -0.5]), 3.0);
        assert_eq!(real_product(vec![-1e200, 1e200]), f64::NEG_INFINITY);
        assert!(real_product(vec![0.0, f64::INFINITY]).is_nan());
    }

    proptest! {
        #[test]
        fn forall_two_reals_the_operators_agree(left: f64, right: f64) {
            prop_assert_eq!(sum(&[left, right]).to_bits(), (left + right + 0.0).to_bits());
            prop_assert_eq!(real_product(vec![left, right]), left * right);
        }

        #[test]
        fn forall_orders_the_result_is_the_same(
            (reals, shuffled) in prop::collection::vec(prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL, 0..9)
                .prop_flat_map(|reals| (Just(reals.clone()), Just(reals).prop_shuffle()))
        ) {
            prop_assert_eq!(sum(&reals), sum(&shuffled));
            let (product, other) = (real_product(reals), real_product(shuffled));
            prop_assert_eq!(product.to_bits(), other.to_bits());
        }
    }
}
