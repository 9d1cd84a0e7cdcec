//! Alignment of a value with the literals of another.
//!
//! Two values with the same layout of literals can be compared literal by literal, as state vectors and decision diagrams need it. A literal at a
//! wrong position would compare different parts of the values.

use abridge_value::Value;

use crate::bits::Bits;
use crate::circuit::Lit;
use crate::value::{Blast, CircuitValue, Entry, Unsupported};

type Result<T> = std::result::Result<T, Unsupported>;

impl Blast {
    /// Appends the literals of a value in the order of the literals of `shape` ([`CircuitValue::for_each_lit`]). The caller guarantees that `shape`
    /// can take the value; literals without a counterpart in `shape` are dropped.
    pub fn align(&mut self, shape: &CircuitValue, value: &CircuitValue, out: &mut Vec<Lit>) -> Result<()> {
        self.check_size()?;
        match shape {
            CircuitValue::Bool(_) => out.push(self.bool(value)?),
            CircuitValue::Choice(items) => {
                let choice = self.choice(value)?;
                out.extend(items.iter().map(|(item, _)| crate::value::find(&choice, item)));
            }
            CircuitValue::Bits(shape) => {
                let Bits { bits, .. } = self.bits(value)?;
                let sign = bits.last().copied().unwrap_or(Lit::FALSE);
                out.extend((0..shape.bits.len()).map(|idx| bits.get(idx).copied().unwrap_or(sign)));
            }
            CircuitValue::Pair(pair) => {
                let (first, second) = self.split(value)?;
                self.align(&pair.0, &first, out)?;
                self.align(&pair.1, &second, out)?;
            }
            CircuitValue::Record(_, fields) => {
                for (idx, field) in fields.iter().enumerate() {
                    let value = self.field(value, idx)?;
                    self.align(field, &value, out)?;
                }
            }
            CircuitValue::Set(members) => {
                let value = self.members(value)?;
                out.extend(members.items.iter().map(|(item, _)| value.get(item)));
            }
            CircuitValue::Map(entries) => {
                let value = self.entries(value)?;
                for Entry { key, val, .. } in entries.iter() {
                    match value.binary_search_by(|entry| entry.key.cmp(key)) {
                        Ok(idx) => {
                            let (present, first) = (value[idx].present, out.len() + 1);
                            out.push(present);
                            self.align(val, &value[idx].val, out)?;
                            // An absent argument has no value, so its literals are false.
                            for lit in &mut out[first..] {
                                *lit = self.circuit.and(present, *lit);
                            }
                        }
                        Err(_) => {
                            out.push(Lit::FALSE);
                            val.for_each_lit(&mut |_| out.push(Lit::FALSE));
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

impl CircuitValue {
    /// Appends the values of the literals ([`CircuitValue::for_each_lit`]) that represent a known value. Returns false if the value is not possible.
    pub fn bits_of(&self, value: &Value, out: &mut Vec<bool>) -> bool {
        match (self, value) {
            (CircuitValue::Bool(_), Value::Bool(flag)) => {
                out.push(*flag);
                true
            }
            (CircuitValue::Choice(items), _) => {
                out.extend(items.iter().map(|(item, _)| item == value));
                items.iter().any(|(item, _)| item == value)
            }
            (CircuitValue::Bits(bits), _) => {
                let Some(int) = value.as_int().and_then(|int| int.to_i64()) else { return false };
                out.extend((0..bits.bits.len()).map(|idx| int >> idx.min(63) & 1 == 1));
                (bits.lo..=bits.hi).contains(&int)
            }
            (CircuitValue::Pair(pair), _) => match value.as_pair() {
                Some((first, second)) => pair.0.bits_of(first, out) && pair.1.bits_of(second, out),
                None => false,
            },
            (CircuitValue::Record(_, fields), Value::Record(record)) => {
                fields.len() == record.fields().len()
                    && fields.iter().zip(record.fields()).all(|(field, value)| field.bits_of(value, out))
            }
            (CircuitValue::Set(members), Value::Set(set)) => {
                let before = out.len();
                out.extend(members.items.iter().map(|(item, _)| set.contains(item)));
                let is_whole = out[before..].iter().filter(|inside| **inside).count() as u64 == set.len();
                is_whole && (!members.is_function || abridge_value::relation::is_functional(set))
            }
            (CircuitValue::Map(entries), Value::Set(set)) => {
                let mut n_found = 0;
                for Entry { key, present, val } in entries.iter() {
                    let found = abridge_value::relation::apply(set, key).ok();
                    out.push(found.is_some());
                    match found {
                        Some(value) if !val.bits_of(&value, out) => return false,
                        Some(_) => n_found += 1,
                        None if *present == Lit::TRUE => return false,
                        None => val.for_each_lit(&mut |_| out.push(false)),
                    }
                }
                n_found == set.len()
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use abridge_value::{Int, Set, Value};

    use super::*;
    use crate::Members;

    fn int(value: i64) -> Value {
        Value::int(Int::from(value))
    }

    #[test]
    fn a_known_value_in_the_shape_of_an_unknown_one_is_read_back() {
        let mut blast = Blast::new(100_000);
        let (small, _) = blast.fresh_int(0, 5).unwrap();
        let (wide, _) = blast.fresh_int(-1000, 1000).unwrap();
        let set = CircuitValue::Set(blast.fresh_subset((0..4).map(int)));
        let entry = |key, present, val: &CircuitValue| Entry { key: int(key), present, val: val.clone() };
        let (one, two) = (blast.circuit.input(), blast.circuit.input());
        let (other, _) = blast.fresh_int(-1000, 1000).unwrap();
        let map = CircuitValue::Map([entry(1, one, &wide), entry(2, two, &other)].into());
        let pairs: Set = [Value::pair(int(2), int(-7))].into_iter().collect();
        let cases = [
            (small.clone(), int(3)),
            (wide, int(-999)),
            (set.clone(), Value::Set([int(0), int(3)].into_iter().collect())),
            (CircuitValue::pair(small, set), Value::pair(int(5), Value::Set(Set::singleton(int(1))))),
            (map, Value::Set(pairs)),
        ];
        for (shape, value) in cases {
            let mut lits = Vec::new();
            shape.for_each_lit(&mut |lit| lits.push(lit));
            let mut known = Vec::new();
            blast.align(&shape, &CircuitValue::known(&value), &mut known).unwrap();
            let at = |lit: Lit| match lits.iter().position(|other| *other == lit || *other == !lit) {
                Some(idx) => (known[idx] == Lit::TRUE) == (lits[idx] == lit),
                None => lit == Lit::TRUE,
            };
            assert_eq!(shape.decode(&at).as_ref(), Some(&value));
            let mut bits = Vec::new();
            assert!(shape.bits_of(&value, &mut bits));
            assert!(known.iter().zip(&bits).all(|(lit, bit)| *lit == Lit::from(*bit)));
        }
    }

    #[test]
    fn what_has_been_removed_has_no_value() {
        let mut blast = Blast::new(100_000);
        let vals = [
            CircuitValue::Set(blast.fresh_subset((0..2).map(int))),
            CircuitValue::Set(blast.fresh_subset((0..2).map(int))),
        ];
        let entries = vals.into_iter().enumerate();
        let entries = entries.map(|(key, val)| Entry { key: int(key as i64), present: blast.circuit.input(), val });
        let shape = CircuitValue::Map(entries.collect());
        let removed = CircuitValue::known(&Value::Set(Set::singleton(int(0))));
        let rest = blast.restrict(&shape, &removed, crate::Side::First, false).unwrap();
        let (mut olds, mut news) = (Vec::new(), Vec::new());
        shape.for_each_lit(&mut |lit| olds.push(lit));
        blast.align(&shape, &rest, &mut news).unwrap();
        assert_eq!(news[..3], [Lit::FALSE; 3]);
        assert_eq!(news[3], olds[3]);
        // The value at the other argument is unchanged where it is present.
        let both = [blast.circuit.and(olds[3], olds[4]), blast.circuit.and(olds[3], olds[5])];
        assert_eq!(news[4..], both);
    }

    #[test]
    fn an_unknown_integer_stays_in_its_range() {
        let mut blast = Blast::new(100_000);
        let (wide, inside) = blast.fresh_int(-1000, 1000).unwrap();
        for (bound, is_above) in [(1000, true), (-1000, false)] {
            let bound = CircuitValue::known(&int(bound));
            let outside = if is_above { blast.less(&bound, &wide) } else { blast.less(&wide, &bound) };
            // Comparison may assume the bounds, so the bits are compared as an integer without bounds.
            let CircuitValue::Bits(bits) = &wide else { panic!("a wide range is in binary") };
            let free = CircuitValue::Bits(Bits { lo: i64::MIN, hi: i64::MAX, ..bits.clone() });
            let surely = if is_above { blast.less(&bound, &free) } else { blast.less(&free, &bound) };
            assert_eq!(outside.unwrap(), Lit::FALSE);
            let mut solver = crate::SatSolver::new(1000);
            solver.require(&blast.circuit, inside);
            solver.require(&blast.circuit, surely.unwrap());
            assert_eq!(solver.solve(), crate::SatAnswer::Unsatisfiable);
        }
    }

    #[test]
    fn what_does_not_fit_is_noticed() {
        let mut blast = Blast::new(100_000);
        let (small, _) = blast.fresh_int(0, 5).unwrap();
        let (wide, _) = blast.fresh_int(-1000, 1000).unwrap();
        let set = CircuitValue::Set(blast.fresh_subset((0..4).map(int)));
        assert!(!small.bits_of(&int(6), &mut Vec::new()));
        assert!(!wide.bits_of(&int(1001), &mut Vec::new()));
        assert!(!set.bits_of(&Value::Set(Set::singleton(int(4))), &mut Vec::new()));
        let pairs = |pairs: &[(i64, i64)]| -> Value {
            Value::Set(pairs.iter().map(|(first, second)| Value::pair(int(*first), int(*second))).collect())
        };
        let total = CircuitValue::Map([Entry { key: int(1), present: Lit::TRUE, val: wide }].into());
        assert!(total.bits_of(&pairs(&[(1, 7)]), &mut Vec::new()));
        assert!(!total.bits_of(&pairs(&[]), &mut Vec::new()), "an argument is missing");
        let items = [(1, 1), (1, 2)].map(|(first, second)| Value::pair(int(first), int(second)));
        let function = CircuitValue::Set(Members { is_function: true, ..blast.fresh_subset(items) });
        assert!(function.bits_of(&pairs(&[(1, 2)]), &mut Vec::new()));
        assert!(!function.bits_of(&pairs(&[(1, 1), (1, 2)]), &mut Vec::new()), "no function");
    }
}
