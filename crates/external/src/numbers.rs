//! LibraryMath, LibraryBits and conversions of integers.
//!
//! Integers are exact. Functions of real analysis are computed in doubles and rounded.

use abridge_eval::{Result, Val};
use abridge_value::{Int, Value};

use super::{Call, number};

impl Call<'_> {
    pub(super) fn number_function(&self) -> Result<Option<Val>> {
        match self.name {
            "SIN" => self.scaled(Int::from(100), 0, f64::sin),
            "COS" => self.scaled(Int::from(100), 0, f64::cos),
            "TAN" => self.scaled(Int::from(100), 0, f64::tan),
            "SINx" => self.scaled(self.int(0)?, 1, f64::sin),
            "COSx" => self.scaled(self.int(0)?, 1, f64::cos),
            "TANx" => self.scaled(self.int(0)?, 1, f64::tan),
            "LOGx" => self.scaled_logarithm(),
            "PROLOG_FUN" => self.prolog_function(),
            "ABS" => number(self.int(0)?.abs()),
            "SIGN" => number(Int::from(self.int(0)?.cmp(&Int::ZERO) as i32)),
            "GCD" => number(gcd(self.int(0)?, self.int(1)?)),
            "LCM" => {
                let (left, right) = (self.int(0)?, self.int(1)?);
                let product = (&left * &right).abs();
                number(product.div(&gcd(left, right)).unwrap_or(Int::ZERO))
            }
            "MSB" => {
                let int = self.int(0)?;
                if int <= Int::ZERO {
                    return Err(self.ill_defined("the number is not positive"));
                }
                number(Int::from(int.bits() - 1))
            }
            "FDIV" => {
                number(self.int(0)?.div_floor(&self.int(1)?).ok_or_else(|| self.ill_defined("division by zero"))?)
            }
            "CDIV" => number(self.int(0)?.div_ceil(&self.int(1)?).ok_or_else(|| self.ill_defined("division by zero"))?),
            "SQRT" => {
                let int = self.int(0)?;
                if int.is_negative() {
                    return Err(self.ill_defined("the number is negative"));
                }
                number(Int::from(int.to_big().sqrt()))
            }
            "FACTORIAL" => self.factorial(),
            "BNOT" => number(&Int::from(-1) - &self.int(0)?),
            "BAND" => number(Int::from(self.int(0)?.to_big() & self.int(1)?.to_big())),
            "BOR" => number(Int::from(self.int(0)?.to_big() | self.int(1)?.to_big())),
            "BXOR" => number(Int::from(self.int(0)?.to_big() ^ self.int(1)?.to_big())),
            "BLSHIFT" => number(&self.int(0)? * &self.power_of_two()?),
            "BRSHIFT" => number(self.int(0)?.div_floor(&self.power_of_two()?).unwrap_or(Int::ZERO)),
            "TO_INT" => self.to_int(),
            _ => Ok(None),
        }
    }

    /// `m * f(x / m)`, rounded.
    fn scaled(&self, factor: Int, operand: usize, function: fn(f64) -> f64) -> Result<Option<Val>> {
        if factor.is_zero() {
            return Err(self.ill_defined("the factor is zero"));
        }
        let factor = factor.to_f64();
        self.rounded(factor * function(self.int(operand)?.to_f64() / factor))
    }

    fn rounded(&self, real: f64) -> Result<Option<Val>> {
        number(Int::from_f64(real.round()).ok_or_else(|| self.ill_defined("the result is not a number"))?)
    }

    fn scaled_logarithm(&self) -> Result<Option<Val>> {
        let (factor, base, operand) = (self.int(0)?.to_f64(), self.int(1)?.to_f64(), self.int(2)?.to_f64());
        let (base, operand) = (base / factor, operand / factor);
        if factor == 0.0 || base <= 0.0 || base == 1.0 || operand <= 0.0 {
            return Err(self.ill_defined("the logarithm is not defined"));
        }
        self.rounded(factor * operand.log(base))
    }

    fn prolog_function(&self) -> Result<Option<Val>> {
        let function: fn(f64) -> f64 = match self.str(0)? {
            "sin" => f64::sin,
            "cos" => f64::cos,
            "tan" => f64::tan,
            "cot" => |x| x.tan().recip(),
            "sinh" => f64::sinh,
            "cosh" => f64::cosh,
            "tanh" => f64::tanh,
            "asin" => f64::asin,
            "acos" => f64::acos,
            "atan" => f64::atan,
            "acot" => |x| x.recip().atan(),
            "asinh" => f64::asinh,
            "acosh" => f64::acosh,
            "atanh" => f64::atanh,
            "acoth" => |x| x.recip().atanh(),
            "sqrt" => f64::sqrt,
            "log" => f64::ln,
            "exp" => f64::exp,
            _ => return Err(self.ill_defined("the function is not known")),
        };
        self.scaled(self.int(1)?, 2, function)
    }

    fn factorial(&self) -> Result<Option<Val>> {
        const MAX_ARGUMENT: u64 = 10_000;
        match self.int(0)?.to_u64() {
            Some(n) if n <= MAX_ARGUMENT => number((1..=n).fold(Int::ONE, |product, k| &product * &Int::from(k))),
            _ => Err(self.ill_defined("the number is negative or too large")),
        }
    }

    fn power_of_two(&self) -> Result<Int> {
        const MAX_ARGUMENT: u64 = 1 << 24;
        match self.int(1)?.to_u64() {
            Some(n) if n <= MAX_ARGUMENT => Ok(Int::from(2).pow(n as u32)),
            _ => Err(self.ill_defined("the shift is negative or too large")),
        }
    }

    fn to_int(&self) -> Result<Option<Val>> {
        match self.arg(0)?.as_value() {
            Some(value @ (Value::Int(_) | Value::BigInt(_))) => Ok(Some(value.clone().into())),
            Some(Value::Element { index, .. }) => number(Int::from(index + 1)),
            Some(Value::String(text)) => {
                number(Int::parse(text.get()).ok_or_else(|| self.ill_defined("the string is no integer"))?)
            }
            _ => Err(self.ill_defined("the value has no number")),
        }
    }
}

fn gcd(left: Int, right: Int) -> Int {
    let (mut left, mut right) = (left.abs(), right.abs());
    while let Some(rem) = left.rem(&right) {
        (left, right) = (right, rem);
    }
    left
}
