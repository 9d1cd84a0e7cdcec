//! Encoding of values as bytes, and decoding.
//!
//! The bytes describe the value, not its layout. Decoding goes through the constructors, so its result is canonical whatever the bytes.

use num_bigint::BigInt;

use abridge_diag::with_stack;

use crate::bytes::{Reader, put_bytes, put_number};
use crate::int::Int;
use crate::set::Set;
use crate::value::Value;

const FALSE: u8 = 0;
const TRUE: u8 = 1;
const INT: u8 = 2;
const BIG: u8 = 3;
const REAL: u8 = 4;
const STRING: u8 = 5;
const ELEMENT: u8 = 6;
const PAIR: u8 = 7;
const RECORD: u8 = 8;
const FREE: u8 = 9;
const FREE_APPLIED: u8 = 10;
const INTERVAL: u8 = 11;
const BITS: u8 = 12;
const LIST: u8 = 13;

/// Encodes a value.
pub fn put_value(out: &mut Vec<u8>, value: &Value) {
    match value {
        Value::Bool(flag) => out.push(if *flag { TRUE } else { FALSE }),
        Value::Int(small) => {
            out.push(INT);
            put_number(out, zigzag(*small));
        }
        Value::BigInt(big) => {
            out.push(BIG);
            put_bytes(out, &big.get().to_signed_bytes_le());
        }
        Value::Real(real) => {
            out.push(REAL);
            out.extend_from_slice(&real.get().to_bits().to_le_bytes());
        }
        Value::String(text) => {
            out.push(STRING);
            put_bytes(out, text.get().as_bytes());
        }
        Value::Element { set, index } => {
            out.push(ELEMENT);
            put_number(out, u64::from(*set));
            put_number(out, u64::from(*index));
        }
        Value::Pair(pair) => {
            out.push(PAIR);
            put_value(out, &pair.0);
            put_value(out, &pair.1);
        }
        Value::Record(record) => {
            out.push(RECORD);
            put_number(out, u64::from(record.shape()));
            put_values(out, record.fields().iter());
        }
        Value::Free(free) => {
            out.push(if free.arg().is_some() { FREE_APPLIED } else { FREE });
            put_number(out, u64::from(free.free_type()));
            put_number(out, u64::from(free.constructor()));
            if let Some(arg) = free.arg() {
                with_stack(|| put_value(out, arg));
            }
        }
        Value::Set(set) => put_set(out, set),
    }
}

fn put_values<'v>(out: &mut Vec<u8>, values: impl ExactSizeIterator<Item = &'v Value>) {
    put_number(out, values.len() as u64);
    values.for_each(|value| put_value(out, value));
}

fn put_set(out: &mut Vec<u8>, set: &Set) {
    if let Some((lo, hi)) = set.ends() {
        out.push(INTERVAL);
        put_value(out, &Value::int(lo));
        return put_value(out, &Value::int(hi));
    }
    if let Some((carrier, bits)) = set.as_bits() {
        out.push(BITS);
        put_number(out, u64::from(carrier));
        return put_number(out, bits);
    }
    out.push(LIST);
    match set.as_slice() {
        Some(items) => put_values(out, items.iter()),
        None => {
            put_number(out, set.len());
            set.iter().for_each(|item| put_value(out, &item));
        }
    }
}

/// Zigzag encoding: numbers of small magnitude become small.
fn zigzag(number: i64) -> u64 {
    (number << 1 ^ number >> 63) as u64
}

/// Decodes the next value; `None` on malformed bytes.
pub fn read_value(reader: &mut Reader<'_>) -> Option<Value> {
    Some(match reader.byte()? {
        FALSE => Value::Bool(false),
        TRUE => Value::Bool(true),
        INT => {
            let number = reader.number()?;
            Value::Int((number >> 1) as i64 ^ -((number & 1) as i64))
        }
        BIG => Value::int(Int::from(BigInt::from_signed_bytes_le(reader.bytes()?))),
        REAL => {
            let mut bits = [0; 8];
            for byte in &mut bits {
                *byte = reader.byte()?;
            }
            Value::real(f64::from_bits(u64::from_le_bytes(bits)))
        }
        STRING => Value::string(reader.text()?),
        ELEMENT => Value::element(reader.small()?, reader.small()?),
        PAIR => Value::pair(with_stack(|| read_value(reader))?, with_stack(|| read_value(reader))?),
        RECORD => Value::record(reader.small()?, reader.list(|reader| with_stack(|| read_value(reader)))?),
        FREE => Value::free(reader.small()?, reader.small()?, None),
        FREE_APPLIED => {
            let (free_type, constructor) = (reader.small()?, reader.small()?);
            Value::free(free_type, constructor, Some(with_stack(|| read_value(reader))?))
        }
        INTERVAL => {
            let (lo, hi) = (read_value(reader)?, read_value(reader)?);
            Value::Set(Set::interval(lo.as_int()?, hi.as_int()?))
        }
        BITS => Value::Set(Set::from_bits(reader.small()?, reader.number()?)),
        LIST => Value::Set(reader.list(|reader| with_stack(|| read_value(reader)))?.into_iter().collect()),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comes_back(value: &Value) {
        let mut out = Vec::new();
        put_value(&mut out, value);
        let mut reader = Reader::new(&out);
        assert_eq!(read_value(&mut reader).as_ref(), Some(value));
        assert!(reader.is_empty());
        // A truncated encoding is not another value.
        assert_eq!(read_value(&mut Reader::new(&out[..out.len() - 1])), None);
    }

    fn big(text: &str) -> Value {
        Value::int(Int::from(text.parse::<BigInt>().expect("a number")))
    }

    #[test]
    fn values_of_every_layout_come_back() {
        let elements = |indices: &[u32]| indices.iter().map(|index| Value::element(3, *index)).collect::<Set>();
        let ints = |ints: &[i64]| ints.iter().map(|int| Value::Int(*int)).collect::<Set>();
        let plain = [
            Value::Bool(true),
            Value::Int(0),
            Value::Int(-1),
            Value::Int(i64::MIN),
            Value::Int(i64::MAX),
            big("-123456789012345678901234567890"),
            big("9223372036854775808"),
            Value::real(-0.1),
            Value::real(f64::NAN),
            Value::string("\u{1f686} and \"more\""),
            Value::element(7, 1_000_000),
            Value::free(1, 2, None),
            Value::Set(Set::EMPTY),
            Value::Set(Set::booleans()),
            Value::Set(elements(&[0, 63])),
            Value::Set(elements(&[5, 64, 700])),
            Value::Set(ints(&[-3, -2, -1])),
            Value::Set(ints(&[-3, 9, 80])),
            Value::Set(Set::interval(Int::Small(i64::MIN), Int::Small(i64::MAX))),
            Value::Set([big("9223372036854775808"), Value::Int(4)].into_iter().collect()),
        ];
        plain.iter().for_each(comes_back);
        for (left, right) in plain.iter().zip(plain.iter().rev()) {
            comes_back(&Value::pair(left.clone(), right.clone()));
            comes_back(&Value::record(4, vec![left.clone(), right.clone(), left.clone()]));
            comes_back(&Value::free(0, 1, Some(Value::pair(right.clone(), left.clone()))));
        }
        let relation = (0..300).map(|n| Value::pair(Value::Int(n), Value::Set(elements(&[n as u32 % 70]))));
        comes_back(&Value::Set(relation.collect()));
    }

    #[test]
    fn a_deep_value_comes_back() {
        let deep = (0..100_000)
            .fold(Value::free(0, 0, None), |tail, n| Value::free(0, 1, Some(Value::pair(Value::Int(n), tail))));
        let mut out = Vec::new();
        put_value(&mut out, &deep);
        assert_eq!(read_value(&mut Reader::new(&out)), Some(deep));
    }

    #[test]
    fn nonsense_is_no_value() {
        for first in 0..=255_u8 {
            for rest in [0, 1, 0x7f, 0xff] {
                let _ = read_value(&mut Reader::new(&[first, rest, rest, rest, rest]));
            }
        }
        assert_eq!(read_value(&mut Reader::new(&[99])), None);
        assert_eq!(read_value(&mut Reader::new(&[STRING, 2, 0xff, 0xff])), None);
        assert_eq!(read_value(&mut Reader::new(&[INTERVAL, TRUE, TRUE])), None);
    }
}
