//! Cost of a step in a search for values: the common unit of the solver and the planner of compiled forms.
//!
//! A cost is the number of candidates of a step, known or estimated. Both planners take the cheapest step next and compare it with the thresholds
//! here. Costs below one order the steps without a choice. A wrong cost makes a search slow, never wrong.

use abridge_model::{Model, Type, TypeId};

use crate::sets::Size;

/// Number of candidates.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
pub struct Cost(f64);

impl Cost {
    /// Equation that determines a value.
    pub const EQUATION: Cost = Cost(0.5);
    /// Equation that is solved for a value, such as `x + 1 = n`.
    pub const INVERSE: Cost = Cost(0.6);
    /// Concatenation that splits in one way.
    pub const SPLIT: Cost = Cost(0.7);
    pub const ONE: Cost = Cost(1.0);
    /// Images of a key under a relation.
    pub const IMAGES: Cost = Cost(1.5);
    /// Inverse lookup: arguments at which a function has a value.
    pub const LOOKUP: Cost = Cost(1.8);
    /// Number of candidates up to which no better step is looked for.
    pub const ACCEPTED_AT_ONCE: Cost = Cost(2.0);
    /// Number of candidates beyond which a disjunction or quantifier is opened first.
    pub const MAX_BEFORE_CASE_SPLIT: Cost = Cost(64.0);
    /// No finite set of candidates.
    pub const UNBOUNDED: Cost = Cost(f64::INFINITY);

    /// Known or assumed number of candidates.
    pub const fn candidates(n: f64) -> Cost {
        Cost(n)
    }

    /// Number of values of a type.
    pub fn of_type(model: &Model, ty: TypeId) -> Cost {
        match model.types.get(ty) {
            Type::Bool => Cost(2.0),
            Type::Given(set) => Cost(f64::from(model.sets[*set].size())),
            Type::Pair(first, second) => Cost::of_type(model, *first).times(Cost::of_type(model, *second)),
            // Types nest deeply, and five times the subsets of anything are as many as are counted.
            Type::Pow(_) if is_pow_of_depth(model, ty, 5) => Cost::UNBOUNDED.subsets(),
            Type::Pow(elem) => Cost::of_type(model, *elem).subsets(),
            Type::Record(fields) => {
                fields.iter().map(|(_, field)| Cost::of_type(model, *field)).fold(Cost::ONE, Cost::times)
            }
            Type::Integer | Type::String | Type::Real | Type::Free(_) => Cost::UNBOUNDED,
        }
    }

    /// Number of subsets.
    #[must_use]
    pub fn subsets(self) -> Cost {
        Cost(self.0.min(1000.0).exp2())
    }

    /// Number of partial functions to a set.
    #[must_use]
    pub fn functions_to(self, values: Cost) -> Cost {
        Cost((values.0 + 1.0).powf(self.0))
    }

    #[must_use]
    pub fn times(self, other: Cost) -> Cost {
        Cost(self.0 * other.0)
    }

    #[must_use]
    pub fn plus(self, other: Cost) -> Cost {
        Cost(self.0 + other.0)
    }

    #[must_use]
    pub fn min(self, other: Cost) -> Cost {
        Cost(self.0.min(other.0))
    }

    #[must_use]
    pub fn max(self, other: Cost) -> Cost {
        Cost(self.0.max(other.0))
    }

    pub fn is_bounded(self) -> bool {
        self.0 < f64::INFINITY
    }

    /// Number of candidates, rounded down.
    pub fn count(self) -> u64 {
        self.0 as u64
    }
}

fn is_pow_of_depth(model: &Model, mut ty: TypeId, depth: u32) -> bool {
    (0..depth).all(|_| match model.types.get(ty) {
        Type::Pow(elem) => {
            ty = *elem;
            true
        }
        _ => false,
    })
}

impl From<u64> for Cost {
    fn from(n_candidates: u64) -> Cost {
        Cost(n_candidates as f64)
    }
}

impl From<Size> for Cost {
    fn from(size: Size) -> Cost {
        match size {
            Size::AtMost(n) => Cost::from(n),
            Size::Infinite | Size::Unknown => Cost::UNBOUNDED,
        }
    }
}
