//! Arithmetic on integers, which are exact, and on reals.

use abridge_model::{BaseSet, BinaryOp, UnaryOp};
use abridge_value::{Int, Value};

use crate::domain::{Env, Error, ErrorKind, IllDefined, Result, SymbolicSet, Val};
use crate::interp::Session;

/// Largest integer that is computed, in bits.
pub const MAX_BITS: u64 = 1 << 24;

impl Session<'_> {
    pub(super) fn unary_number(&self, op: UnaryOp, val: &Val) -> Result<Val> {
        Ok(match op {
            UnaryOp::Negate => (-val.int()?).into(),
            UnaryOp::RealNegate => Value::real(-val.real()?).into(),
            UnaryOp::Floor => rounded("floor", val.real()?.floor(), val)?,
            UnaryOp::Ceiling => rounded("ceiling", val.real()?.ceil(), val)?,
            _ => Value::real(val.int()?.to_f64()).into(),
        })
    }

    pub fn integers(&self, op: BinaryOp, left_val: &Val, right_val: &Val) -> Result<Val> {
        let (left, right) = (left_val.int()?, right_val.int()?);
        Ok(match op {
            BinaryOp::Add => &left + &right,
            BinaryOp::Subtract => &left - &right,
            BinaryOp::Multiply => product(&left, &right)?,
            BinaryOp::Divide => left.div(&right).ok_or(IllDefined::DivisionByZero)?,
            BinaryOp::Modulo => {
                let negative = || IllDefined::ModuloNegative { left: left_val.clone(), right: right_val.clone() };
                if left.is_negative() || right <= Int::ZERO {
                    return Err(negative().into());
                }
                left.rem(&right).ok_or_else(negative)?
            }
            _ => power(&left, &right)?,
        }
        .into())
    }

    pub(super) fn reals(&self, op: BinaryOp, left: &Val, right: &Val) -> Result<Val> {
        let (left, right) = (left.real()?, right.real()?);
        Ok(Value::real(match op {
            BinaryOp::RealAdd => left + right,
            BinaryOp::RealSubtract => left - right,
            BinaryOp::RealMultiply => left * right,
            BinaryOp::RealDivide if right == 0.0 => return Err(IllDefined::DivisionByZero.into()),
            BinaryOp::RealDivide => left / right,
            _ => left.powf(right),
        })
        .into())
    }

    /// `max(S)`, `min(S)`
    pub(super) fn extremum(&self, op: UnaryOp, val: &Val, env: &Env) -> Result<Val> {
        let is_max = matches!(op, UnaryOp::Max | UnaryOp::RealMax);
        match val.as_sym() {
            Some(SymbolicSet::Base(BaseSet::Natural)) if !is_max => return Ok(Int::ZERO.into()),
            Some(SymbolicSet::Base(BaseSet::Natural1)) if !is_max => return Ok(Int::ONE.into()),
            _ => {}
        }
        let set = self.enumerate(val, env)?;
        let found = if is_max { set.last() } else { set.first() };
        found.map(Val::Value).ok_or_else(|| IllDefined::EmptySet(if is_max { "max" } else { "min" }).into())
    }
}

fn rounded(operator: &'static str, real: f64, operand: &Val) -> Result<Val> {
    let int = Int::from_f64(real).ok_or_else(|| IllDefined::OutOfRange { operator, operand: operand.clone() })?;
    Ok(int.into())
}

pub(super) fn power(base: &Int, exponent: &Int) -> Result<Int> {
    if exponent.is_negative() {
        return Err(IllDefined::NegativeExponent(exponent.clone().into()).into());
    }
    if base.abs() <= Int::ONE {
        let even = exponent.rem(&Int::from(2)).is_some_and(|rem| rem.is_zero());
        return Ok(if exponent.is_zero() || (even && !base.is_zero()) { Int::ONE } else { base.clone() });
    }
    match exponent.to_u64() {
        Some(exponent) if exponent.saturating_mul(base.bits()) <= MAX_BITS => Ok(base.pow(exponent as u32)),
        _ => Err(too_large()),
    }
}

pub(super) fn product(left: &Int, right: &Int) -> Result<Int> {
    if left.bits() + right.bits() > MAX_BITS { Err(too_large()) } else { Ok(left * right) }
}

fn too_large() -> Error {
    ErrorKind::Unsupported(format!("an integer with more than {MAX_BITS} bits")).into()
}
