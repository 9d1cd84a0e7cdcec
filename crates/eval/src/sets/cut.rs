//! Finite subsets of infinite sets: integers cut to MININT..MAXINT, strings to two samples.
//!
//! They are used if nothing bounds a value and the configuration prefers an incomplete search to an error. The caller must warn, since values outside
//! of the cut are not tried.

use abridge_model::{BaseSet, BinaryOp, UnaryOp};
use abridge_value::{Int, Set, Value};

use crate::domain::{SymbolicSet, Val};
use crate::interp::Session;

/// Strings tried for an unbounded string.
const SAMPLE_STRINGS: [&str; 2] = ["STRING1", "STRING2"];
/// Integers tried beyond a bound, or on each side of zero.
const NEARBY_INTEGERS: i64 = 64;

impl Session<'_> {
    /// MININT..MAXINT within the bounds. If a bound lies outside, it is the only value.
    pub fn preferred_range(&self, lo: Option<Int>, hi: Option<Int>) -> Set {
        let (min, max) = self.int_range();
        let lo = lo.unwrap_or_else(|| min.clone());
        let hi = hi.unwrap_or_else(|| max.clone());
        if lo > max && hi == max {
            return Set::interval(lo.clone(), lo);
        }
        if hi < min && lo == min {
            return Set::interval(hi.clone(), hi);
        }
        Set::interval(lo, hi)
    }

    /// Some integers within the bounds, near the one that is known or near zero.
    pub fn nearby_range(&self, lo: Option<Int>, hi: Option<Int>) -> Set {
        let reach = Int::from(NEARBY_INTEGERS);
        let (lo, hi) = match (lo, hi) {
            (Some(lo), None) => (lo.clone(), &lo + &reach),
            (None, Some(hi)) => (&hi - &reach, hi),
            (Some(lo), Some(hi)) => (lo, hi),
            (None, None) => (-&reach, reach),
        };
        Set::interval(lo, hi)
    }

    /// Set with integers cut to MININT..MAXINT and strings to two samples, if that makes it finite.
    pub fn preferred(&self, set: &Val) -> Option<Val> {
        let Some(sym) = set.as_sym() else { return Some(set.clone()) };
        let (min, max) = self.int_range();
        Some(match sym {
            SymbolicSet::Base(BaseSet::Integer) => Set::interval(min, max).into(),
            SymbolicSet::Base(BaseSet::Natural) => Set::interval(Int::ZERO, max).into(),
            SymbolicSet::Base(BaseSet::Natural1) => Set::interval(Int::ONE, max).into(),
            SymbolicSet::Base(BaseSet::String) => SAMPLE_STRINGS.map(Value::string).into_iter().collect::<Set>().into(),
            SymbolicSet::Unary(op @ (UnaryOp::Pow | UnaryOp::Pow1 | UnaryOp::Fin | UnaryOp::Fin1), base) => {
                SymbolicSet::unary(*op, self.preferred(base)?)
            }
            SymbolicSet::Unary(op @ (UnaryOp::Iseq | UnaryOp::Iseq1 | UnaryOp::Perm), base) => {
                SymbolicSet::unary(*op, self.preferred(base)?)
            }
            SymbolicSet::Binary(op @ (BinaryOp::Cartesian | BinaryOp::Arrow(_) | BinaryOp::Union), left, right) => {
                SymbolicSet::binary(*op, self.preferred(left)?, self.preferred(right)?)
            }
            SymbolicSet::Binary(op @ (BinaryOp::Difference | BinaryOp::Intersection), left, right) => {
                SymbolicSet::binary(*op, self.preferred(left)?, right.clone())
            }
            SymbolicSet::Struct(shape, fields) => {
                let fields: Option<Vec<Val>> = fields.iter().map(|field| self.preferred(field)).collect();
                SymbolicSet::Struct(*shape, fields?).into()
            }
            _ => return None,
        })
    }
}
