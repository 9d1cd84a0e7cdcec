//! Values as B text.
//!
//! The text parses back to the value, so traces and JSON can be replayed.

use std::borrow::Cow;
use std::fmt::{self, Write};

use crate::notation::Notation;
use crate::sequence;
use crate::set::Set;
use crate::value::{Free, Value};

/// Names for the numbers inside values.
pub trait Names {
    /// An element of a given set.
    fn element(&self, set: u32, index: u32) -> Cow<'_, str>;
    /// A field of a record type.
    fn field(&self, shape: u32, field: u32) -> Cow<'_, str>;
    fn constructor(&self, free_type: u32, constructor: u32) -> Cow<'_, str>;
}

/// Names made of numbers, for tests and debug output without a model.
pub struct PlainNames;

impl Names for PlainNames {
    fn element(&self, set: u32, index: u32) -> Cow<'_, str> {
        format!("S{set}_{}", index + 1).into()
    }

    fn field(&self, _shape: u32, field: u32) -> Cow<'_, str> {
        format!("f{field}").into()
    }

    fn constructor(&self, free_type: u32, constructor: u32) -> Cow<'_, str> {
        format!("C{free_type}_{constructor}").into()
    }
}

/// Printing options.
#[derive(Clone, Copy)]
pub struct Printer<'a> {
    names: &'a dyn Names,
    /// Print sequences of several elements as `[a,b]`.
    sequences: bool,
    /// Print intervals with more elements than this as `lo..hi`.
    longest_interval: u64,
}

/// Value with names and options, ready to print.
pub struct Shown<'a> {
    printer: Printer<'a>,
    value: &'a Value,
    notation: &'a Notation,
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.printer.write(f, self.value, self.notation)
    }
}

impl<'a> Printer<'a> {
    pub fn new(names: &'a dyn Names) -> Printer<'a> {
        Printer { names, sequences: false, longest_interval: 64 }
    }

    /// Prints sequences as `[a,b]`, as ProB does; off by default. One pair alone stays a pair unless a [`Notation`] says that it is a sequence, since a
    /// relation of one pair is seldom meant as one.
    #[must_use]
    pub fn sequences(self, sequences: bool) -> Printer<'a> {
        Printer { sequences, ..self }
    }

    /// Prints longer intervals as `lo..hi`; 64 by default.
    #[must_use]
    pub fn longest_interval(self, longest_interval: u64) -> Printer<'a> {
        Printer { longest_interval, ..self }
    }

    pub fn value(self, value: &'a Value) -> Shown<'a> {
        self.value_as(value, &Notation::Usual)
    }

    /// The same in a notation, which may be that of another value.
    pub fn value_as(self, value: &'a Value, notation: &'a Notation) -> Shown<'a> {
        Shown { printer: self, value, notation }
    }

    fn write(self, f: &mut fmt::Formatter<'_>, value: &Value, notation: &Notation) -> fmt::Result {
        match value {
            Value::Bool(flag) => f.write_str(if *flag { "TRUE" } else { "FALSE" }),
            Value::Int(small) => write!(f, "{small}"),
            Value::BigInt(big) => write!(f, "{}", big.get()),
            Value::Real(real) => write!(f, "{real}"),
            Value::String(text) => write_quoted(f, text.get()),
            Value::Element { set, index } => f.write_str(&self.names.element(*set, *index)),
            Value::Pair(pair) => {
                f.write_char('(')?;
                self.write_pair(f, &pair.0, &pair.1, notation)?;
                f.write_char(')')
            }
            Value::Record(record) => {
                f.write_str("rec(")?;
                for (field, value) in (0..).zip(record.fields()) {
                    let comma = if field > 0 { "," } else { "" };
                    write!(f, "{comma}{}:", self.names.field(record.shape(), field))?;
                    self.write(f, value, notation.field(field as usize))?;
                }
                f.write_char(')')
            }
            Value::Free(free) => abridge_diag::with_stack(|| self.write_free(f, free)),
            Value::Set(set) => self.write_set(f, set, notation),
        }
    }

    /// Writes a pair without outer parentheses. Pairs associate to the left, so a pair on the left needs no parentheses.
    fn write_pair(self, f: &mut fmt::Formatter<'_>, first: &Value, second: &Value, notation: &Notation) -> fmt::Result {
        match first.as_pair() {
            Some((inner_first, inner_second)) => self.write_pair(f, inner_first, inner_second, notation.first())?,
            None => self.write(f, first, notation.first())?,
        }
        f.write_str("|->")?;
        self.write(f, second, notation.second())
    }

    fn write_free(self, f: &mut fmt::Formatter<'_>, free: &Free) -> fmt::Result {
        f.write_str(&self.names.constructor(free.free_type(), free.constructor()))?;
        match free.arg() {
            // A printed pair has its own parentheses.
            Some(arg @ Value::Pair(_)) => self.write(f, arg, &Notation::Usual),
            Some(arg) => {
                f.write_char('(')?;
                self.write(f, arg, &Notation::Usual)?;
                f.write_char(')')
            }
            None => Ok(()),
        }
    }

    fn write_set(self, f: &mut fmt::Formatter<'_>, set: &Set, notation: &Notation) -> fmt::Result {
        if let Some((lo, hi)) = set.ends()
            && set.len() > self.longest_interval
        {
            return write!(f, "({lo}..{hi})");
        }
        let is_meant = matches!(notation, Notation::Sequence(_));
        let is_sequence = is_meant || set.len() > 1;
        if self.sequences && is_meant && set.is_empty() {
            return f.write_str("[]");
        }
        if self.sequences
            && is_sequence
            && let Some(items) = sequence::items(set)
        {
            return self.write_list(f, ('[', ']'), items.into_iter().cloned(), &notation.images());
        }
        self.write_list(f, ('{', '}'), set.iter(), &notation.elements())
    }

    fn write_list(
        self,
        f: &mut fmt::Formatter<'_>,
        (open, close): (char, char),
        items: impl Iterator<Item = Value>,
        notation: &Notation,
    ) -> fmt::Result {
        f.write_char(open)?;
        for (idx, item) in items.enumerate() {
            if idx > 0 {
                f.write_char(',')?;
            }
            self.write(f, &item, notation)?;
        }
        f.write_char(close)
    }
}

fn write_quoted(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_char('"')?;
    for ch in text.chars() {
        match ch {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            '\r' => f.write_str("\\r")?,
            '\t' => f.write_str("\\t")?,
            ch => f.write_char(ch)?,
        }
    }
    f.write_char('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: &Value) -> String {
        Printer::new(&PlainNames).sequences(true).value(value).to_string()
    }

    #[test]
    fn values_read_as_b() {
        let pair = Value::pair(Value::pair(Value::Int(1), Value::Int(2)), Value::Int(3));
        assert_eq!(text(&pair), "(1|->2|->3)");
        let pair = Value::pair(Value::Int(1), Value::pair(Value::Int(2), Value::Int(3)));
        assert_eq!(text(&pair), "(1|->(2|->3))");
        let sequence = Value::Set(sequence::from_items([Value::from("a\n"), Value::from("b")]));
        assert_eq!(text(&sequence), r#"["a\n","b"]"#);
        assert_eq!(text(&Value::Set(sequence::from_items([Value::Int(7)]))), "{(1|->7)}");
        assert_eq!(format!("{sequence:?}"), r#"{(1|->"a\n"),(2|->"b")}"#);
        let short = [Value::Set([].into_iter().collect()), Value::Set(sequence::from_items([Value::Int(7)]))];
        let nested = Value::Set(sequence::from_items(short.clone()));
        let pairs: Set = short.into_iter().map(|item| Value::pair(Value::Bool(true), item)).collect();
        let sequences = Notation::sequence(Notation::Usual);
        let text_as = |value: &Value, notation: &Notation| {
            Printer::new(&PlainNames).sequences(true).value_as(value, notation).to_string()
        };
        assert_eq!(text_as(&nested, &Notation::sequence(sequences.clone())), "[[],[7]]");
        assert_eq!(text_as(&nested, &sequences), "[{},{(1|->7)}]");
        let relation = Notation::set(Notation::pair(Notation::Usual, sequences));
        assert_eq!(text_as(&Value::Set(pairs), &relation), "{(TRUE|->[]),(TRUE|->[7])}");
        let record = Value::record(0, vec![Value::Bool(true), Value::element(1, 0)]);
        assert_eq!(text(&record), "rec(f0:TRUE,f1:S1_1)");
        let set: Set = [3, 1, 2].map(Value::Int).into_iter().collect();
        assert_eq!(text(&Value::Set(set)), "{1,2,3}");
        assert_eq!(text(&Value::Set(Set::interval(0.into(), 1000.into()))), "(0..1000)");
        assert_eq!(text(&Value::free(0, 1, Some(Value::Int(4)))), "C0_1(4)");
        assert_eq!(text(&Value::Set(Set::EMPTY)), "{}");
    }
}
