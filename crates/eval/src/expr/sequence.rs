//! Operators on sequences, which are functions from `1..n`. They are ill-defined on other relations.

use abridge_model::{BinaryOp, ExprId, UnaryOp};
use abridge_value::{Int, Value, sequence};

use crate::domain::{Env, IllDefined, Result, Val};
use crate::interp::Session;

impl Session<'_> {
    pub(super) fn sequence_extension(&self, items: &[ExprId], env: &Env) -> Result<Val> {
        let items: Result<Vec<Value>> = items.iter().map(|item| self.finite(&self.expr(*item, env)?, env)).collect();
        Ok(sequence::from_items(items?).into())
    }

    /// Items of a sequence.
    pub(super) fn items(&self, operator: &'static str, val: &Val, env: &Env) -> Result<Vec<Value>> {
        let set = self.enumerate(val, env)?;
        match sequence::items(&set) {
            Some(items) => Ok(items.into_iter().cloned().collect()),
            None => Err(IllDefined::NotSequence { operator, operand: set.into() }.into()),
        }
    }

    pub(super) fn unary_sequence(&self, op: UnaryOp, val: &Val, env: &Env) -> Result<Val> {
        let operator = match op {
            UnaryOp::Size => "size",
            UnaryOp::SeqFirst => "first",
            UnaryOp::SeqLast => "last",
            UnaryOp::Front => "front",
            UnaryOp::Tail => "tail",
            UnaryOp::Rev => "rev",
            _ => "conc",
        };
        let items = self.items(operator, val, env)?;
        let empty = || IllDefined::EmptySequence(operator);
        match op {
            UnaryOp::Size => Ok(Int::from(items.len()).into()),
            UnaryOp::SeqFirst => Ok(items.first().cloned().ok_or_else(empty)?.into()),
            UnaryOp::SeqLast => Ok(items.last().cloned().ok_or_else(empty)?.into()),
            UnaryOp::Front => Ok(sequence::from_items(items.split_last().ok_or_else(empty)?.1.iter().cloned()).into()),
            UnaryOp::Tail => Ok(sequence::from_items(items.split_first().ok_or_else(empty)?.1.iter().cloned()).into()),
            UnaryOp::Rev => Ok(sequence::from_items(items.into_iter().rev()).into()),
            _ => self.general_concat(operator, items, env),
        }
    }

    /// `conc(s)`
    fn general_concat(&self, operator: &'static str, parts: Vec<Value>, env: &Env) -> Result<Val> {
        let mut joined = Vec::new();
        for part in parts {
            let part = part.into();
            // The result shares no pairs with its parts.
            self.charge_copies([&part])?;
            joined.extend(self.items(operator, &part, env)?);
        }
        Ok(sequence::from_items(joined).into())
    }

    pub(super) fn binary_sequence(&self, op: BinaryOp, left: &Val, right: &Val, env: &Env) -> Result<Val> {
        let items = match op {
            BinaryOp::Concat => {
                let mut items = self.items("^", left, env)?;
                items.extend(self.items("^", right, env)?);
                items
            }
            BinaryOp::InsertFront => {
                let mut items = vec![self.finite(left, env)?];
                items.extend(self.items("->", right, env)?);
                items
            }
            BinaryOp::InsertTail => {
                let mut items = self.items("<-", left, env)?;
                items.push(self.finite(right, env)?);
                items
            }
            BinaryOp::Take => take(self.items("/|\\", left, env)?, right)?,
            _ => skip(self.items("\\|/", left, env)?, right)?,
        };
        Ok(sequence::from_items(items).into())
    }
}

/// `s /|\ n`; a number beyond the end takes all items.
fn take(mut items: Vec<Value>, n: &Val) -> Result<Vec<Value>> {
    let count = n.int()?;
    if count.is_negative() {
        return Err(IllDefined::OutOfRange { operator: "/|\\", operand: n.clone() }.into());
    }
    items.truncate(count.to_usize().unwrap_or(usize::MAX));
    Ok(items)
}

/// `s \|/ n`
fn skip(mut items: Vec<Value>, n: &Val) -> Result<Vec<Value>> {
    match n.int()?.to_usize() {
        Some(count) if count <= items.len() => Ok(items.split_off(count)),
        _ => Err(IllDefined::OutOfRange { operator: "\\|/", operand: n.clone() }.into()),
    }
}
