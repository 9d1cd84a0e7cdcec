//! Splits of a known sequence into the operands of a concatenation.

use std::ops::ControlFlow;

use abridge_value::{Value, sequence};

use super::operators::items;
use super::search::Solution;
use super::{Fast, Runtime, Stop};
use crate::code::{Code, ConcatPart, PlanStep};

const GO_ON: Fast<ControlFlow<()>> = Ok(ControlFlow::Continue(()));

/// Remaining steps of a plan.
pub(crate) struct Rest<'a> {
    pub(crate) steps: &'a [PlanStep],
    pub(crate) is_doubtful: bool,
}

impl<'r> Runtime<'r> {
    pub(crate) fn split(
        &mut self,
        parts: &[ConcatPart],
        items: &[Value],
        rest: &Rest<'_>,
        found: &mut Solution<'_, 'r>,
    ) -> Fast<ControlFlow<()>> {
        let Some((part, others)) = parts.split_first() else {
            return if items.is_empty() { self.run(rest.steps, rest.is_doubtful, found) } else { GO_ON };
        };
        let (slot, len) = match part {
            ConcatPart::Equal(code) => {
                let known = match self.lenient_items(code)? {
                    Some(known) if items.starts_with(&known) => known,
                    _ => return GO_ON,
                };
                return self.split(others, &items[known.len()..], rest, found);
            }
            ConcatPart::Bind { slot, len } => (*slot, len.as_ref()),
        };
        let lens = match len {
            Some(code) => match self.code(code)? {
                Value::Int(len) if (0..=items.len() as i64).contains(&len) => len as usize..=len as usize,
                _ => return GO_ON,
            },
            None if others.is_empty() => items.len()..=items.len(),
            None => 0..=items.len(),
        };
        for len in lens {
            let (mine, left) = items.split_at(len);
            let value = Value::Set(sequence::from_items(mine.iter().cloned()));
            let saved = std::mem::replace(&mut self.slots[slot], value.into());
            let flow = self.split(others, left, rest, found);
            self.slots[slot] = saved;
            if flow?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        GO_ON
    }

    /// Items of a sequence; `None` if it is ill-defined and that excludes the candidate.
    pub(crate) fn lenient_items(&mut self, code: &Code) -> Fast<Option<Vec<Value>>> {
        match self.code(code).and_then(|value| items(&value)) {
            Ok(items) => Ok(Some(items)),
            Err(Stop::IllDefined) if self.is_lenient() => Ok(None),
            Err(stop) => Err(stop),
        }
    }
}
