//! Inverse lookup: arguments at which a function of the state has a value (`build/inverse.rs`).

use std::ops::ControlFlow;

use abridge_eval::Val;
use abridge_value::{Value, relation};

use super::search::Solution;
use super::split::Rest;
use super::{Fast, Runtime};
use crate::code::InverseLookup;

impl<'r> Runtime<'r> {
    /// Runs the rest for each argument at which the function has the value, or the plan without the lookup.
    pub(crate) fn by_inverse(
        &mut self,
        keys: &InverseLookup,
        is_doubtful: bool,
        found: &mut Solution<'_, 'r>,
    ) -> Fast<ControlFlow<()>> {
        let Some(list) = self.keys(keys) else {
            return match &keys.sorted_by {
                Some(slots) => self.sorted([&*keys.otherwise], slots, &Rest { steps: &[], is_doubtful }, found),
                None => self.run(&keys.otherwise, is_doubtful, found),
            };
        };
        for key in &list {
            if self.matched(&keys.pattern, key, &keys.found, is_doubtful, found)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Arguments at which the function has the value; `None` if the lookup does not apply.
    fn keys(&mut self, keys: &InverseLookup) -> Option<Vec<Value>> {
        if !self.is_lenient() {
            return None;
        }
        let value = self.code(&keys.value).ok()?;
        match self.head_at_hand(&keys.function)? {
            Val::Value(Value::Set(function)) if function.len() <= keys.most => {
                Some(relation::keys_of(function, &value).collect())
            }
            _ => None,
        }
    }
}
