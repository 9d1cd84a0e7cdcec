//! [`Int`]: integers of any size.
//!
//! An integer within `i64` is stored as such, any other as a big integer. The representation is unique, so equality is structural. No
//! operation wraps or overflows.

use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, Mul, Neg, Sub};

use num_bigint::{BigInt, Sign};
use num_integer::Integer as _;
use num_traits::{Pow as _, Signed as _, ToPrimitive as _};
use triomphe::Arc;

/// Integer of any size in canonical form.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum Int {
    Small(i64),
    Big(Big),
}

/// Integer outside the range of `i64`; only [`Int`] constructs it.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Big(Arc<BigInt>);

impl Big {
    pub fn get(&self) -> &BigInt {
        &self.0
    }
}

impl Int {
    pub const ZERO: Int = Int::Small(0);
    pub const ONE: Int = Int::Small(1);

    pub fn to_big(&self) -> BigInt {
        match self {
            Int::Small(small) => BigInt::from(*small),
            Int::Big(big) => big.get().clone(),
        }
    }

    pub fn to_i64(&self) -> Option<i64> {
        match self {
            Int::Small(small) => Some(*small),
            Int::Big(_) => None,
        }
    }

    pub fn to_u64(&self) -> Option<u64> {
        match self {
            Int::Small(small) => u64::try_from(*small).ok(),
            Int::Big(big) => big.get().to_u64(),
        }
    }

    pub fn to_usize(&self) -> Option<usize> {
        usize::try_from(self.to_u64()?).ok()
    }

    /// Nearest double; infinite beyond its range.
    pub fn to_f64(&self) -> f64 {
        match self {
            Int::Small(small) => *small as f64,
            Int::Big(big) => {
                let infinite = if big.get().is_negative() { f64::NEG_INFINITY } else { f64::INFINITY };
                big.get().to_f64().unwrap_or(infinite)
            }
        }
    }

    /// Converts a double by truncation; `None` for infinities and NaN.
    pub fn from_f64(real: f64) -> Option<Int> {
        use num_traits::FromPrimitive as _;
        BigInt::from_f64(real).map(Int::from)
    }

    pub fn is_zero(&self) -> bool {
        *self == Int::ZERO
    }

    pub fn is_negative(&self) -> bool {
        *self < Int::ZERO
    }

    pub fn abs(&self) -> Int {
        if self.is_negative() { -self } else { self.clone() }
    }

    /// Division that truncates toward zero; `None` if the divisor is zero.
    pub fn div(&self, divisor: &Int) -> Option<Int> {
        if divisor.is_zero() {
            return None;
        }
        if let (Int::Small(left), Int::Small(right)) = (self, divisor)
            && let Some(quotient) = left.checked_div(*right)
        {
            return Some(Int::Small(quotient));
        }
        Some(Int::from(self.to_big() / divisor.to_big()))
    }

    /// Division that rounds down; `None` if the divisor is zero.
    pub fn div_floor(&self, divisor: &Int) -> Option<Int> {
        if divisor.is_zero() {
            return None;
        }
        if let (Int::Small(left), Int::Small(right)) = (self, divisor)
            && left.checked_div(*right).is_some()
        {
            return Some(Int::Small(left.div_floor(right)));
        }
        Some(Int::from(self.to_big().div_floor(&divisor.to_big())))
    }

    /// Division that rounds up; `None` if the divisor is zero.
    pub fn div_ceil(&self, divisor: &Int) -> Option<Int> {
        Some(-(-self).div_floor(divisor)?)
    }

    /// Remainder of truncated division; `None` if the divisor is zero.
    pub fn rem(&self, divisor: &Int) -> Option<Int> {
        let quotient = self.div(divisor)?;
        Some(self - &(&quotient * divisor))
    }

    pub fn pow(&self, exponent: u32) -> Int {
        if let Int::Small(base) = self
            && let Some(power) = base.checked_pow(exponent)
        {
            return Int::Small(power);
        }
        Int::from(self.to_big().pow(exponent))
    }

    /// Number of bits of the absolute value.
    pub fn bits(&self) -> u64 {
        match self {
            Int::Small(small) => u64::from(u64::BITS - small.unsigned_abs().leading_zeros()),
            Int::Big(big) => big.get().bits(),
        }
    }

    /// Parses an optional minus and decimal digits.
    pub fn parse(text: &str) -> Option<Int> {
        let digits = text.strip_prefix('-').unwrap_or(text);
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        BigInt::parse_bytes(text.as_bytes(), 10).map(Int::from)
    }
}

impl From<BigInt> for Int {
    fn from(big: BigInt) -> Int {
        match big.to_i64() {
            Some(small) => Int::Small(small),
            None => Int::Big(Big(Arc::new(big))),
        }
    }
}

impl From<&BigInt> for Int {
    fn from(big: &BigInt) -> Int {
        match big.to_i64() {
            Some(small) => Int::Small(small),
            None => Int::Big(Big(Arc::new(big.clone()))),
        }
    }
}

macro_rules! from_primitive {
    ($($ty:ty),*) => {$(
        impl From<$ty> for Int {
            fn from(number: $ty) -> Int {
                match i64::try_from(number) {
                    Ok(small) => Int::Small(small),
                    Err(_) => Int::from(BigInt::from(number)),
                }
            }
        }
    )*};
}

from_primitive!(i32, i64, i128, u32, u64, usize);

macro_rules! arithmetic {
    ($($trait:ident, $method:ident, $checked:ident, $op:tt;)*) => {$(
        impl $trait for &Int {
            type Output = Int;
            fn $method(self, other: &Int) -> Int {
                if let (Int::Small(left), Int::Small(right)) = (self, other)
                    && let Some(small) = left.$checked(*right)
                {
                    return Int::Small(small);
                }
                Int::from(self.to_big() $op other.to_big())
            }
        }

        impl $trait for Int {
            type Output = Int;
            fn $method(self, other: Int) -> Int {
                &self $op &other
            }
        }
    )*};
}

arithmetic! {
    Add, add, checked_add, +;
    Sub, sub, checked_sub, -;
    Mul, mul, checked_mul, *;
}

impl Neg for &Int {
    type Output = Int;
    fn neg(self) -> Int {
        &Int::ZERO - self
    }
}

impl Neg for Int {
    type Output = Int;
    fn neg(self) -> Int {
        -&self
    }
}

impl Ord for Int {
    fn cmp(&self, other: &Int) -> Ordering {
        match (self, other) {
            (Int::Small(left), Int::Small(right)) => left.cmp(right),
            (Int::Big(left), Int::Big(right)) => left.get().cmp(right.get()),
            // A big integer is greater or less than every small one, depending on its sign.
            (Int::Small(_), Int::Big(right)) => beyond(right).reverse(),
            (Int::Big(left), Int::Small(_)) => beyond(left),
        }
    }
}

fn beyond(big: &Big) -> Ordering {
    if big.get().sign() == Sign::Minus { Ordering::Less } else { Ordering::Greater }
}

impl PartialOrd for Int {
    fn partial_cmp(&self, other: &Int) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Int::Small(small) => small.fmt(f),
            Int::Big(big) => big.get().fmt(f),
        }
    }
}

impl fmt::Debug for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Debug for Big {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.get(), f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_truncates_and_floors() {
        let div = |a: i64, b: i64| Int::from(a).div(&Int::from(b)).map(|q| q.to_string());
        assert_eq!(div(-7, 2).as_deref(), Some("-3"));
        assert_eq!(div(7, -2).as_deref(), Some("-3"));
        assert_eq!(div(-1, 4).as_deref(), Some("0"));
        assert_eq!(div(3, 0), None);
        assert_eq!(Int::from(-7).div_floor(&Int::from(2)), Some(Int::from(-4)));
        assert_eq!(Int::from(-7).div_ceil(&Int::from(2)), Some(Int::from(-3)));
        assert_eq!(Int::from(7).div_ceil(&Int::from(2)), Some(Int::from(4)));
    }

    #[test]
    fn the_edge_of_the_fast_path_is_exact() {
        let min = Int::from(i64::MIN);
        assert_eq!((-&min).to_string(), "9223372036854775808");
        assert_eq!(min.div(&Int::from(-1)), Some(-&min));
        assert_eq!(-(-&min), min);
        assert_eq!(min.div_floor(&Int::from(-1)), Some(-&min));
        assert_eq!(&(&min * &min) - &(&min * &min), Int::ZERO);
    }
}
