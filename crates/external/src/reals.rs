//! LibraryReals: functions on reals, which are doubles.
//!
//! A result that is infinite or not a number is ill-defined.

use abridge_eval::{Result, Val};
use abridge_value::{Int, Value};

use super::{Call, number};

impl Call<'_> {
    pub(super) fn real_function(&self) -> Result<Option<Val>> {
        if let Some(function) = unary(self.name) {
            return self.finite_real(function(self.real(0)?));
        }
        if let Some(function) = binary(self.name) {
            return self.finite_real(function(self.real(0)?, self.real(1)?));
        }
        match self.name {
            "RPI" => self.finite_real(std::f64::consts::PI),
            "REULER" => self.finite_real(std::f64::consts::E),
            "RZERO" => self.finite_real(0.0),
            "RONE" => self.finite_real(1.0),
            "REPSILON" => self.finite_real(f64::EPSILON),
            "RMAXFLOAT" => self.finite_real(f64::MAX),
            "RSIGN" => {
                let real = self.real(0)?;
                self.finite_real(if real == 0.0 { 0.0 } else { real.signum() })
            }
            "RMAXIMUM" => self.extreme(self.set(0)?.last()),
            "RMINIMUM" => self.extreme(self.set(0)?.first()),
            "ROUND" => {
                let rounded = Int::from_f64(self.real(0)?.round());
                number(rounded.ok_or_else(|| self.ill_defined("the number is not finite"))?)
            }
            "RDECIMAL" => {
                let source = format!("{}e{}", self.int(0)?, self.int(1)?);
                self.finite_real(source.parse().unwrap_or(f64::NAN))
            }
            "RAND" | "RNORMAL" => {
                self.impure();
                self.finite_real(self.real(0)?)
            }
            _ => Ok(None),
        }
    }

    fn finite_real(&self, real: f64) -> Result<Option<Val>> {
        if real.is_finite() {
            Ok(Some(Value::real(real).into()))
        } else {
            Err(self.ill_defined("the result is not a finite number"))
        }
    }

    fn extreme(&self, value: Option<Value>) -> Result<Option<Val>> {
        Ok(Some(value.ok_or_else(|| self.ill_defined("the set is empty"))?.into()))
    }
}

/// Unary function on reals. Outside its domain, it yields NaN or an infinity; the call is then ill-defined.
fn unary(name: &str) -> Option<fn(f64) -> f64> {
    Some(match name {
        "RINV" => f64::recip,
        "RUMINUS" => |x| -x,
        "RABS" => f64::abs,
        "RINTEGER" => f64::trunc,
        "RFRACTION" => f64::fract,
        "RNEXT" => f64::next_up,
        "RPREV" => f64::next_down,
        "RSQRT" => f64::sqrt,
        "REXP" => f64::exp,
        "RLOGe" => f64::ln,
        "RADIANS" => f64::to_radians,
        "DEGREE" => f64::to_degrees,
        "RSIN" => f64::sin,
        "RCOS" => f64::cos,
        "RTAN" => f64::tan,
        "RCOT" => |x| x.tan().recip(),
        "RSINH" => f64::sinh,
        "RCOSH" => f64::cosh,
        "RTANH" => f64::tanh,
        "RCOTH" => |x| x.tanh().recip(),
        "RASIN" => f64::asin,
        "RACOS" => f64::acos,
        "RATAN" => f64::atan,
        "RACOT" => |x| if x == 0.0 { f64::NAN } else { x.recip().atan() },
        "RASINH" => f64::asinh,
        "RACOSH" => f64::acosh,
        "RATANH" => f64::atanh,
        "RACOTH" => |x| x.recip().atanh(),
        _ => return None,
    })
}

fn binary(name: &str) -> Option<fn(f64, f64) -> f64> {
    Some(match name {
        "RADD" => |x, y| x + y,
        "RSUB" => |x, y| x - y,
        "RMUL" => |x, y| x * y,
        "RDIV" => |x, y| x / y,
        "RMAX" => f64::max,
        "RMIN" => f64::min,
        "RPOW" => f64::powf,
        "RLOG" => |base, x| if base == 1.0 || base <= 0.0 { f64::NAN } else { x.log(base) },
        "RHYPOT" => f64::hypot,
        "RATAN2" => f64::atan2,
        _ => return None,
    })
}
