//! Operators on concrete values.

use abridge_eval::{MAX_BITS, Session};
use abridge_model::{BinaryOp, UnaryOp};
use abridge_value::{Int, Set, SetBuilder, Value, relation, sequence};

use super::{Fast, Stop};

/// Largest set that the compiled form builds, in elements. Larger sets are better left symbolic.
pub(crate) const MAX_SET_ELEMENTS: u64 = 1 << 20;

#[inline]
pub(crate) fn as_set(value: &Value) -> Fast<&Set> {
    value.as_set().ok_or(Stop::Escape)
}

#[inline]
pub(crate) fn compare(left: &Value, right: &Value) -> Fast<std::cmp::Ordering> {
    match (left, right) {
        (Value::Int(left), Value::Int(right)) => Ok(left.cmp(right)),
        _ => Ok(left.as_int().ok_or(Stop::Escape)?.cmp(&right.as_int().ok_or(Stop::Escape)?)),
    }
}

pub(crate) fn unary(session: &Session<'_>, op: UnaryOp, operand: &Value) -> Fast<Value> {
    let set = || as_set(operand);
    let items = || sequence::items(operand.as_set().ok_or(Stop::Escape)?).ok_or(Stop::IllDefined);
    Ok(match op {
        UnaryOp::Negate => match operand {
            Value::Int(n) => Value::Int(n.checked_neg().ok_or(Stop::Escape)?),
            _ => return Err(Stop::Escape),
        },
        UnaryOp::Max => set()?.last().ok_or(Stop::IllDefined)?,
        UnaryOp::Min => set()?.first().ok_or(Stop::IllDefined)?,
        UnaryOp::Card => Value::int(set()?.card()),
        UnaryOp::GeneralUnion => {
            let mut all = Set::EMPTY;
            for part in set()?.iter() {
                session.charge_bulk(all.copy_bytes())?;
                all = union(&all, as_set(&part)?)?;
            }
            Value::Set(all)
        }
        UnaryOp::GeneralInter => {
            let mut parts = set()?.iter();
            let mut all = as_set(&parts.next().ok_or(Stop::IllDefined)?)?.clone();
            for part in parts {
                all = all.intersection(as_set(&part)?);
            }
            Value::Set(all)
        }
        UnaryOp::First => operand.as_pair().ok_or(Stop::Escape)?.0.clone(),
        UnaryOp::Second => operand.as_pair().ok_or(Stop::Escape)?.1.clone(),
        UnaryOp::Dom => Value::Set(relation::dom(set()?)),
        UnaryOp::Ran => Value::Set(relation::ran(set()?)),
        UnaryOp::Inverse => Value::Set(relation::inverse(set()?)),
        UnaryOp::Id => {
            let set = set()?;
            if is_long(set) {
                return Err(Stop::Escape);
            }
            Value::Set(relation::identity(set))
        }
        UnaryOp::Closure1 => Value::Set(relation::closure1(set()?, &mut session.meter())?),
        UnaryOp::Size => {
            let n = items()?.len();
            Value::Int(n as i64)
        }
        UnaryOp::SeqFirst => (*items()?.first().ok_or(Stop::IllDefined)?).clone(),
        UnaryOp::SeqLast => (*items()?.last().ok_or(Stop::IllDefined)?).clone(),
        UnaryOp::Front => {
            session.charge_bulk(operand.copy_bytes())?;
            let items = items()?;
            let (_, front) = items.split_last().ok_or(Stop::IllDefined)?;
            Value::Set(sequence::from_items(front.iter().map(|item| (*item).clone())))
        }
        UnaryOp::Tail => {
            session.charge_bulk(operand.copy_bytes())?;
            let items = items()?;
            let (_, tail) = items.split_first().ok_or(Stop::IllDefined)?;
            Value::Set(sequence::from_items(tail.iter().map(|item| (*item).clone())))
        }
        UnaryOp::Rev => {
            session.charge_bulk(operand.copy_bytes())?;
            Value::Set(sequence::from_items(items()?.into_iter().rev().cloned()))
        }
        _ => return Err(Stop::Escape),
    })
}

pub(crate) fn binary(session: &Session<'_>, op: BinaryOp, left: &Value, right: &Value) -> Fast<Value> {
    use BinaryOp::*;
    if op == Pair {
        return Ok(Value::pair(left.clone(), right.clone()));
    }
    if let (Value::Int(a), Value::Int(b)) = (left, right)
        && let Some(result) = small(op, *a, *b)?
    {
        return Ok(result);
    }
    session.charge_bulk(left.copy_bytes() + right.copy_bytes())?;
    Ok(match op {
        Add | Subtract | Multiply | Divide | Modulo | Power => return big(op, left, right),
        Interval => {
            let (low, high) = (left.as_int().ok_or(Stop::Escape)?, right.as_int().ok_or(Stop::Escape)?);
            Value::Set(Set::interval(low, high))
        }
        Union => Value::Set(union(as_set(left)?, as_set(right)?)?),
        Intersection => Value::Set(as_set(left)?.intersection(as_set(right)?)),
        Difference => Value::Set(difference(as_set(left)?, as_set(right)?)?),
        Cartesian => {
            let (left, right) = (as_set(left)?, as_set(right)?);
            if left.len().saturating_mul(right.len()) > MAX_SET_ELEMENTS {
                return Err(Stop::Escape);
            }
            Value::Set(relation::cartesian(left, right))
        }
        DomainRestrict => Value::Set(relation::domain_restrict(as_set(left)?, as_set(right)?)),
        DomainSubtract => Value::Set(relation::domain_subtract(as_set(left)?, as_set(right)?)),
        RangeRestrict => Value::Set(relation::range_restrict(as_set(left)?, as_set(right)?)),
        RangeSubtract => Value::Set(relation::range_subtract(as_set(left)?, as_set(right)?)),
        Override => Value::Set(relation::override_with(as_set(left)?, as_set(right)?)),
        Compose => Value::Set(relation::compose(as_set(left)?, as_set(right)?, &mut session.meter())?),
        Concat | InsertFront | InsertTail | Take | Drop => return sequence_operation(op, left, right),
        _ => return Err(Stop::Escape),
    })
}

/// Whether a set is an interval that the plain interpreter leaves symbolic rather than list. To list it takes any time.
fn is_long(set: &Set) -> bool {
    set.len() > MAX_SET_ELEMENTS
}

fn union(left: &Set, right: &Set) -> Fast<Set> {
    let is_listed = (is_long(left) || is_long(right)) && !left.is_empty() && !right.is_empty() && !left.joins(right);
    if is_listed { Err(Stop::Escape) } else { Ok(left.union(right)) }
}

fn difference(left: &Set, right: &Set) -> Fast<Set> {
    let is_listed = is_long(left) && !right.is_empty() && !left.cuts_off(right);
    if is_listed { Err(Stop::Escape) } else { Ok(left.difference(right)) }
}

/// Builder of a set from successive elements, which charges memory as it grows. The plain interpreter handles sets that are too large.
#[derive(Default)]
pub(crate) struct Growing {
    set: SetBuilder,
    /// Bytes not yet charged to the session.
    open_bytes: usize,
}

/// Bytes per charge.
const PORTION_BYTES: usize = 1 << 14;

impl Growing {
    pub(crate) fn push(&mut self, session: &Session<'_>, value: Value) -> Fast<()> {
        self.open_bytes += 3 * size_of::<Value>() + value.owned_bytes();
        self.set.push(value);
        if self.set.len() as u64 > MAX_SET_ELEMENTS {
            return Err(Stop::Escape);
        }
        if self.open_bytes >= PORTION_BYTES {
            session.charge(std::mem::take(&mut self.open_bytes))?;
        }
        Ok(())
    }

    pub(crate) fn finish(self) -> Set {
        self.set.finish()
    }
}

pub(crate) fn items(value: &Value) -> Fast<Vec<Value>> {
    let items = sequence::items(as_set(value)?).ok_or(Stop::IllDefined)?;
    Ok(items.into_iter().cloned().collect())
}

fn sequence_operation(op: BinaryOp, left: &Value, right: &Value) -> Fast<Value> {
    let count = || match right {
        Value::Int(n) => usize::try_from(*n).map_err(|_| Stop::IllDefined),
        _ => Err(Stop::Escape),
    };
    let items = match op {
        BinaryOp::Concat => [items(left)?, items(right)?].concat(),
        BinaryOp::InsertFront => [vec![left.clone()], items(right)?].concat(),
        BinaryOp::InsertTail => [items(left)?, vec![right.clone()]].concat(),
        BinaryOp::Take => {
            let mut items = items(left)?;
            items.truncate(count()?);
            items
        }
        _ => {
            let mut items = items(left)?;
            let n = count()?;
            if n > items.len() {
                return Err(Stop::IllDefined);
            }
            items.split_off(n)
        }
    };
    Ok(Value::Set(sequence::from_items(items)))
}

/// Arithmetic on `i64`; `None` on overflow.
fn small(op: BinaryOp, left: i64, right: i64) -> Fast<Option<Value>> {
    let result = match op {
        BinaryOp::Add => left.checked_add(right),
        BinaryOp::Subtract => left.checked_sub(right),
        BinaryOp::Multiply => left.checked_mul(right),
        BinaryOp::Divide if right == 0 => return Err(Stop::IllDefined),
        BinaryOp::Divide => left.checked_div(right),
        BinaryOp::Modulo if left < 0 || right <= 0 => return Err(Stop::IllDefined),
        BinaryOp::Modulo => left.checked_rem(right),
        BinaryOp::Power if right < 0 => return Err(Stop::IllDefined),
        BinaryOp::Power => u32::try_from(right).ok().and_then(|right| left.checked_pow(right)),
        _ => None,
    };
    Ok(result.map(Value::Int))
}

fn big(op: BinaryOp, left: &Value, right: &Value) -> Fast<Value> {
    let (left, right) = (left.as_int().ok_or(Stop::Escape)?, right.as_int().ok_or(Stop::Escape)?);
    let result: Int = match op {
        BinaryOp::Add => &left + &right,
        BinaryOp::Subtract => &left - &right,
        BinaryOp::Multiply if left.bits() + right.bits() <= MAX_BITS => &left * &right,
        // Other operators are rare on numbers of this size.
        _ => return Err(Stop::Escape),
    };
    Ok(Value::int(result))
}
