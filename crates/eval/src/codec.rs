//! Byte encoding of values, warnings and spans, for checkpoints.
//!
//! Symbolic sets refer to formulas by id. The same files give the same ids, so the bytes must be bound to the text of the model.

use std::sync::Arc;

use abridge_diag::{FileId, Span, with_stack};
use abridge_model::{Arrow, BaseSet, BinaryOp, ExprId, FreeTypeId, LocalId, TreeOp, UnaryOp};
use abridge_value::bytes::{Reader, put_bytes, put_number};
use abridge_value::{Set, Value, put_value, read_value};

use crate::domain::{Closure, Locals, Partial, Scope, Slots, SymbolicSet, Val};
use crate::interp::Warning;

const VALUE: u8 = 0;
const PAIR: u8 = 1;
const RECORD: u8 = 2;
const BASE: u8 = 3;
const FREE_TYPE: u8 = 4;
const UNARY: u8 = 5;
const BINARY: u8 = 6;
const STRUCT: u8 = 7;
const TREE: u8 = 8;
const CLOSURE: u8 = 9;
const SUCCESSOR: u8 = 10;
const PREDECESSOR: u8 = 11;
const CONSTRUCTOR: u8 = 12;
const PARTIAL: u8 = 13;

const BASE_SETS: [BaseSet; 6] =
    [BaseSet::Integer, BaseSet::Natural, BaseSet::Natural1, BaseSet::Bool, BaseSet::String, BaseSet::Real];

/// First operator number of the arrows, one for each kind.
const ARROWS: u64 = 64;

const TREE_OPS: [TreeOp; 2] = [TreeOp::Tree, TreeOp::Btree];

/// Appends a value; `None` if it cannot be encoded.
pub fn put_val(out: &mut Vec<u8>, val: &Val) -> Option<()> {
    match val {
        Val::Value(value) => {
            out.push(VALUE);
            put_value(out, value);
        }
        Val::Pair(pair) => {
            out.push(PAIR);
            put_val(out, &pair.0)?;
            put_val(out, &pair.1)?;
        }
        Val::Record(shape, fields) => {
            out.push(RECORD);
            put_number(out, u64::from(*shape));
            put_vals(out, fields)?;
        }
        Val::Symbolic(node) => with_stack(|| put_sym(out, node))?,
    }
    Some(())
}

fn put_vals(out: &mut Vec<u8>, vals: &[Val]) -> Option<()> {
    put_number(out, vals.len() as u64);
    vals.iter().try_for_each(|val| put_val(out, val))
}

fn put_sym(out: &mut Vec<u8>, sym: &SymbolicSet) -> Option<()> {
    match sym {
        SymbolicSet::Base(base) => put_tagged(out, BASE, position(&BASE_SETS, base)?),
        SymbolicSet::FreeType(id) => put_tagged(out, FREE_TYPE, u64::from(id.0)),
        SymbolicSet::Unary(op, operand) => {
            put_tagged(out, UNARY, op.facts().saved_as?.into());
            put_val(out, operand)?;
        }
        SymbolicSet::Binary(op, left, right) => {
            let number = match op {
                BinaryOp::Arrow(arrow) => ARROWS + arrow_number(*arrow),
                op => op.facts().saved_as?.into(),
            };
            put_tagged(out, BINARY, number);
            put_val(out, left)?;
            put_val(out, right)?;
        }
        SymbolicSet::Struct(shape, fields) => {
            put_tagged(out, STRUCT, u64::from(*shape));
            put_vals(out, fields)?;
        }
        SymbolicSet::Tree(op, operand) => {
            put_tagged(out, TREE, position(&TREE_OPS, op)?);
            put_val(out, operand)?;
        }
        SymbolicSet::Closure(Closure { expr, scope }) => {
            put_tagged(out, CLOSURE, u64::from(expr.0));
            put_slots(out, &scope.variables)?;
            let frames: Vec<(LocalId, &Option<Val>)> = scope.locals.frames().collect();
            put_number(out, frames.len() as u64);
            for (local, val) in frames {
                put_number(out, u64::from(local.0));
                put_slot(out, val)?;
            }
        }
        SymbolicSet::Successor => out.push(SUCCESSOR),
        SymbolicSet::Predecessor => out.push(PREDECESSOR),
        SymbolicSet::Constructor(id, constructor) => {
            put_tagged(out, CONSTRUCTOR, u64::from(id.0));
            put_number(out, u64::from(*constructor));
        }
        SymbolicSet::Partial(partial) => {
            let Partial { is_function, is_total, is_injective, decided, absent, open } = partial;
            let flags = [*is_function, *is_total, *is_injective];
            put_tagged(out, PARTIAL, bits(&flags));
            [decided, absent, open].into_iter().for_each(|set| put_value(out, &Value::Set(set.clone())));
        }
    }
    Some(())
}

fn put_tagged(out: &mut Vec<u8>, tag: u8, number: u64) {
    out.push(tag);
    put_number(out, number);
}

fn unary_op(number: u8) -> Option<UnaryOp> {
    UnaryOp::ALL.iter().copied().find(|op| op.facts().saved_as == Some(number))
}

fn binary_op(number: u64) -> Option<BinaryOp> {
    BinaryOp::ALL.iter().copied().find(|op| op.facts().saved_as.map(u64::from) == Some(number))
}

fn position<T: PartialEq>(list: &[T], item: &T) -> Option<u64> {
    list.iter().position(|other| other == item).map(|position| position as u64)
}

fn bits(flags: &[bool]) -> u64 {
    flags.iter().enumerate().map(|(bit, flag)| u64::from(*flag) << bit).sum()
}

fn arrow_number(arrow: Arrow) -> u64 {
    bits(&[arrow.functional, arrow.total, arrow.injective, arrow.surjective])
}

fn arrow_of(number: u64) -> Option<Arrow> {
    let is_set = |bit: u32| number >> bit & 1 == 1;
    let arrow = Arrow { functional: is_set(0), total: is_set(1), injective: is_set(2), surjective: is_set(3) };
    (number < 16).then_some(arrow)
}

/// Appends the values of constants or variables.
pub fn put_slots(out: &mut Vec<u8>, slots: &Slots) -> Option<()> {
    put_number(out, slots.len() as u64);
    slots.iter().try_for_each(|slot| put_slot(out, slot))
}

fn put_slot(out: &mut Vec<u8>, slot: &Option<Val>) -> Option<()> {
    out.push(u8::from(slot.is_some()));
    slot.as_ref().map_or(Some(()), |val| put_val(out, val))
}

pub fn read_val(reader: &mut Reader<'_>) -> Option<Val> {
    with_stack(|| read_val_inner(reader))
}

fn read_val_inner(reader: &mut Reader<'_>) -> Option<Val> {
    let sym = match reader.byte()? {
        VALUE => return read_value(reader).map(Val::Value),
        PAIR => return Some(Val::pair(read_val(reader)?, read_val(reader)?)),
        RECORD => return Some(Val::record(reader.small()?, reader.list(read_val)?)),
        BASE => SymbolicSet::Base(*BASE_SETS.get(reader.small::<usize>()?)?),
        FREE_TYPE => SymbolicSet::FreeType(FreeTypeId(reader.small()?)),
        UNARY => SymbolicSet::Unary(unary_op(reader.small::<u8>()?)?, read_val(reader)?),
        BINARY => {
            let op = match reader.number()? {
                number if number >= ARROWS => BinaryOp::Arrow(arrow_of(number - ARROWS)?),
                number => binary_op(number)?,
            };
            SymbolicSet::Binary(op, read_val(reader)?, read_val(reader)?)
        }
        STRUCT => SymbolicSet::Struct(reader.small()?, reader.list(read_val)?),
        TREE => SymbolicSet::Tree(*TREE_OPS.get(reader.small::<usize>()?)?, read_val(reader)?),
        CLOSURE => {
            let expr = ExprId(reader.small()?);
            let variables = Arc::new(read_slots(reader)?);
            let frames = reader.list(|reader| Some((LocalId(reader.small()?), read_slot(reader)?)))?;
            SymbolicSet::Closure(Closure { expr, scope: Scope { variables, locals: Locals::of_frames(frames) } })
        }
        SUCCESSOR => SymbolicSet::Successor,
        PREDECESSOR => SymbolicSet::Predecessor,
        CONSTRUCTOR => SymbolicSet::Constructor(FreeTypeId(reader.small()?), reader.small()?),
        PARTIAL => {
            let flags = reader.number()?;
            SymbolicSet::Partial(Partial {
                is_function: flags & 1 != 0,
                is_total: flags & 2 != 0,
                is_injective: flags & 4 != 0,
                decided: read_set(reader)?,
                absent: read_set(reader)?,
                open: read_set(reader)?,
            })
        }
        _ => return None,
    };
    Some(sym.into())
}

fn read_set(reader: &mut Reader<'_>) -> Option<Set> {
    read_value(reader)?.as_set().cloned()
}

pub fn read_slots(reader: &mut Reader<'_>) -> Option<Slots> {
    reader.list(read_slot)
}

fn read_slot(reader: &mut Reader<'_>) -> Option<Option<Val>> {
    match reader.byte()? {
        0 => Some(None),
        1 => Some(Some(read_val(reader)?)),
        _ => None,
    }
}

pub fn put_span(out: &mut Vec<u8>, span: Option<Span>) {
    out.push(u8::from(span.is_some()));
    if let Some(span) = span {
        [span.file.0, span.start, span.end].into_iter().for_each(|number| put_number(out, u64::from(number)));
    }
}

pub fn read_span(reader: &mut Reader<'_>) -> Option<Option<Span>> {
    match reader.byte()? {
        0 => Some(None),
        _ => Some(Some(Span::new(FileId(reader.small()?), reader.small()?, reader.small()?))),
    }
}

pub fn put_warning(out: &mut Vec<u8>, warning: &Warning) {
    let (tag, text, span) = match warning {
        Warning::Enumeration { name, span } => (0, name.as_str(), *span),
        Warning::Strings { name, span } => (1, name.as_str(), *span),
        Warning::Unchecked { span } => (2, "", *span),
        Warning::Impure { name } => (3, name.as_str(), None),
        Warning::Reported { message } => (4, message.as_str(), None),
    };
    out.push(tag);
    put_bytes(out, text.as_bytes());
    put_span(out, span);
}

pub fn read_warning(reader: &mut Reader<'_>) -> Option<Warning> {
    let (tag, text, span) = (reader.byte()?, reader.text()?.to_owned(), read_span(reader)?);
    Some(match tag {
        0 => Warning::Enumeration { name: text, span },
        1 => Warning::Strings { name: text, span },
        2 => Warning::Unchecked { span },
        3 => Warning::Impure { name: text },
        4 => Warning::Reported { message: text },
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comes_back(val: &Val) {
        let mut out = Vec::new();
        assert_eq!(put_val(&mut out, val), Some(()), "{val:?}");
        let mut reader = Reader::new(&out);
        assert_eq!(read_val(&mut reader).as_ref(), Some(val));
        assert!(reader.is_empty());
        assert_eq!(read_val(&mut Reader::new(&out[..out.len() - 1])), None);
    }

    #[test]
    fn symbolic_sets_come_back() {
        let natural = || Val::from(SymbolicSet::Base(BaseSet::Natural));
        let one = || Val::Value(Value::Int(1));
        let mut vals = vec![one(), natural(), SymbolicSet::Successor.into(), SymbolicSet::Predecessor.into()];
        let saved = UnaryOp::ALL.iter().filter(|op| op.facts().saved_as.is_some());
        vals.extend(saved.map(|op| SymbolicSet::unary(*op, natural())));
        let saved = BinaryOp::ALL.iter().filter(|op| op.facts().saved_as.is_some());
        vals.extend(saved.map(|op| SymbolicSet::binary(*op, natural(), one())));
        vals.extend(
            (0..16).filter_map(arrow_of).map(|arrow| SymbolicSet::binary(BinaryOp::Arrow(arrow), natural(), natural())),
        );
        vals.push(SymbolicSet::FreeType(FreeTypeId(2)).into());
        vals.push(SymbolicSet::Constructor(FreeTypeId(2), 1).into());
        vals.push(SymbolicSet::Tree(TreeOp::Btree, natural()).into());
        vals.push(SymbolicSet::Struct(3, vec![natural(), one()]).into());
        vals.push(Val::pair(one(), natural()));
        vals.push(Val::record(5, vec![natural(), one(), natural()]));
        let frames = vec![(LocalId(4), Some(natural())), (LocalId(7), None), (LocalId(4), Some(one()))];
        let scope = Scope { variables: Arc::new(vec![None, Some(natural())]), locals: Locals::of_frames(frames) };
        vals.push(SymbolicSet::Closure(Closure { expr: ExprId(77), scope }).into());
        let partial = Partial {
            is_function: true,
            is_total: false,
            is_injective: true,
            decided: Set::singleton(Value::pair(Value::Int(1), Value::Int(2))),
            absent: Set::EMPTY,
            open: Set::singleton(Value::Int(3)),
        };
        vals.push(SymbolicSet::Partial(partial).into());
        vals.iter().for_each(comes_back);
        let deep = (0..20_000).fold(natural(), |val, _| SymbolicSet::unary(UnaryOp::Pow, val));
        comes_back(&deep);
    }

    #[test]
    fn warnings_come_back() {
        let span = Some(Span::new(FileId(3), 10, 20));
        for warning in [
            Warning::Enumeration { name: "xx".to_owned(), span },
            Warning::Strings { name: "yy".to_owned(), span: None },
            Warning::Unchecked { span },
            Warning::Impure { name: "RANDOM".to_owned() },
            Warning::Reported { message: "so".to_owned() },
        ] {
            let mut out = Vec::new();
            put_warning(&mut out, &warning);
            assert_eq!(read_warning(&mut Reader::new(&out)), Some(warning));
        }
    }
}
