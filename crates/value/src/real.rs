//! REAL as IEEE doubles, with a total order, one zero and one NaN.
//!
//! Without these rules, equal reals could have different encodings.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

/// Double in canonical form: `-0.0` becomes `0.0`, and there is one NaN, the greatest value of the order.
#[derive(Clone, Copy)]
pub struct Real(f64);

impl Real {
    pub fn new(real: f64) -> Real {
        if real.is_nan() {
            Real(f64::NAN)
        } else {
            // Addition of zero turns negative zero into positive zero and changes no other number.
            Real(real + 0.0)
        }
    }

    pub fn get(self) -> f64 {
        self.0
    }
}

impl PartialEq for Real {
    fn eq(&self, other: &Real) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Real {}

impl Hash for Real {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.to_bits().hash(state);
    }
}

impl Ord for Real {
    fn cmp(&self, other: &Real) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Real {
    fn partial_cmp(&self, other: &Real) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Formats as a literal of B, with digits on both sides of the dot.
impl fmt::Display for Real {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{:?}", self.0);
        match text.split_once('e') {
            Some((digits, exponent)) if !digits.contains('.') => write!(f, "{digits}.0e{exponent}"),
            _ => f.write_str(&text),
        }
    }
}

impl fmt::Debug for Real {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_and_nans_are_one() {
        assert_eq!(Real::new(-0.0), Real::new(0.0));
        assert_eq!(Real::new(-f64::NAN), Real::new(f64::NAN));
        assert!(Real::new(f64::INFINITY) < Real::new(f64::NAN));
    }

    #[test]
    fn text_is_a_literal() {
        assert_eq!(Real::new(150.0).to_string(), "150.0");
        assert_eq!(Real::new(1e300).to_string(), "1.0e300");
        assert_eq!(Real::new(-2.5e-9).to_string(), "-2.5e-9");
    }
}
