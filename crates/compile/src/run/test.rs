//! Evaluation of compiled predicates, and of membership in sets without building them.

use std::ops::ControlFlow;

use abridge_eval::Val;
use abridge_model::Arrow;
use abridge_value::{Set, Value, relation, sequence};

use super::operators::{as_set, compare};
use super::{Fast, Runtime, Stop};
use crate::code::{Code, Head, Plan, SetTest, Test};

impl<'r> Runtime<'r> {
    pub(crate) fn test(&mut self, test: &Test) -> Fast<bool> {
        match test {
            Test::Known(answer) => Ok(*answer),
            Test::Not(operand) => Ok(!self.test(operand)?),
            Test::And(operands) => {
                let mut stop = None;
                for operand in operands {
                    match self.test(operand) {
                        Ok(true) => {}
                        Ok(false) => return Ok(false),
                        Err(Stop::Escape) => return Err(Stop::Escape),
                        Err(found) => stop = Some(found),
                    }
                }
                stop.map_or(Ok(true), Err)
            }
            Test::Or(operands) => {
                for operand in operands {
                    if self.test(operand)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Test::Implies(left, right) => Ok(!self.test(left)? || self.test(right)?),
            Test::Equivalent(left, right) => Ok(self.test(left)? == self.test(right)?),
            Test::Equal(left, right) => self.with_both(left, right, |_, left, right| Ok(left == right)),
            Test::Member(elem, set) => {
                let elem = self.code(elem)?;
                self.member(&elem, set)
            }
            Test::Subset(left, right) => {
                self.with_both(left, right, |_, left, right| Ok(as_set(left)?.is_subset(as_set(right)?)))
            }
            Test::StrictSubset(left, right) => self
                .with_both(left, right, |_, left, right| Ok(left != right && as_set(left)?.is_subset(as_set(right)?))),
            Test::Disjoint(left, right) => {
                self.with_both(left, right, |_, left, right| Ok(as_set(left)?.is_disjoint(as_set(right)?)))
            }
            Test::Within(part, whole) => {
                let part = self.code(part)?;
                self.within(as_set(&part)?, whole)
            }
            Test::Less(left, right) => {
                self.with_both(left, right, |_, left, right| compare(left, right).map(|order| order.is_lt()))
            }
            Test::LessEqual(left, right) => {
                self.with_both(left, right, |_, left, right| compare(left, right).map(|order| order.is_le()))
            }
            Test::Exists(plan) => {
                let flow = self.solutions(plan, &mut |_| Ok(ControlFlow::Break(())))?;
                Ok(flow.is_break())
            }
            Test::Forall { plan, test, is_exact } => self.forall(plan, test, *is_exact),
            Test::If(condition, then, otherwise) => {
                let branch = if self.test(condition)? { then } else { otherwise };
                self.test(branch)
            }
            Test::Let(bindings, body) => {
                let saved = self.bind(bindings)?;
                let result = self.test(body);
                self.restore(saved);
                result
            }
            Test::Interpret(pred, names) => {
                self.interpretable()?;
                let env = self.env(names);
                Ok(self.session.pred(*pred, &env)?)
            }
        }
    }

    pub(crate) fn within(&mut self, part: &Set, whole: &SetTest) -> Fast<bool> {
        match whole {
            SetTest::All => Ok(true),
            SetTest::Defined(operands, whole) => {
                self.evaluate_all(operands)?;
                self.within(part, whole)
            }
            SetTest::Head(head) => {
                let whole = self.head(head)?;
                if let Val::Value(Value::Set(whole)) = &whole {
                    return Ok(part.is_subset(whole));
                }
                for elem in part.iter() {
                    self.tick()?;
                    if !self.symbolic_member(&elem, &whole)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            // An interval may have more elements than there is time for, and its ends say it all.
            SetTest::Natural | SetTest::Natural1 | SetTest::Interval(..) => match (part.first(), part.last()) {
                (Some(first), Some(last)) => Ok(self.member(&first, whole)? && self.member(&last, whole)?),
                _ => Ok(true),
            },
            _ => {
                for elem in part.iter() {
                    self.tick()?;
                    if !self.member(&elem, whole)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
        }
    }

    /// Evaluates operands only for their definedness.
    fn evaluate_all(&mut self, operands: &[Code]) -> Fast<()> {
        operands.iter().try_for_each(|operand| self.code(operand).map(|_| ()))
    }

    pub(crate) fn symbolic_member(&mut self, elem: &Value, set: &Val) -> Fast<bool> {
        let env = self.env(&Default::default());
        Ok(self.session.member(&elem.clone().into(), set, &env)?)
    }

    pub(crate) fn member(&mut self, elem: &Value, set: &SetTest) -> Fast<bool> {
        match set {
            SetTest::All => Ok(true),
            SetTest::Natural => Ok(compare(elem, &Value::Int(0))?.is_ge()),
            SetTest::Natural1 => Ok(compare(elem, &Value::Int(1))?.is_ge()),
            SetTest::Interval(low, high) => self
                .with_both(low, high, |_, low, high| Ok(compare(low, elem)?.is_le() && compare(elem, high)?.is_le())),
            SetTest::Head(head) => {
                let direct = match head {
                    Head::Slot(slot) => contains(&self.slots[*slot], elem),
                    Head::Cell(cell, expr) => contains(self.cell(*cell, *expr)?, elem),
                    Head::Code(_) => self.head_at_hand(head).and_then(|set| contains(set, elem)),
                };
                match direct {
                    Some(answer) => Ok(answer),
                    None => {
                        let set = self.head(head)?;
                        match contains(&set, elem) {
                            Some(answer) => Ok(answer),
                            None => self.symbolic_member(elem, &set),
                        }
                    }
                }
            }
            SetTest::Power { of, non_empty } => {
                let part = as_set(elem)?;
                Ok(!(*non_empty && part.is_empty()) && self.within(part, of)?)
            }
            SetTest::Arrow { arrow, from, to, from_set, to_set } => {
                self.arrow(as_set(elem)?, *arrow, from, to, from_set.as_ref(), to_set.as_ref())
            }
            SetTest::Cartesian(left, right) => {
                let (first, second) = elem.as_pair().ok_or(Stop::Escape)?;
                Ok(self.member(first, left)? && self.member(second, right)?)
            }
            SetTest::Union(left, right) => Ok(self.member(elem, left)? || self.member(elem, right)?),
            SetTest::Intersection(left, right) => Ok(self.member(elem, left)? && self.member(elem, right)?),
            SetTest::Difference(left, right) => Ok(self.member(elem, left)? && !self.member(elem, right)?),
            SetTest::Sequence { of, non_empty, injective } => {
                let set = as_set(elem)?;
                if (*non_empty && set.is_empty())
                    || !sequence::is_sequence(set)
                    || (*injective && !relation::is_injective(set))
                {
                    return Ok(false);
                }
                for (_, item) in relation::pairs(set) {
                    if !self.member(&item, of)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            SetTest::Struct(fields) => {
                let Value::Record(record) = elem else { return Err(Stop::Escape) };
                for (field, set) in record.fields().iter().zip(fields) {
                    if !self.member(field, set)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            SetTest::Defined(operands, set) => {
                self.evaluate_all(operands)?;
                self.member(elem, set)
            }
            SetTest::Comprehension(slots, test) => {
                let saved = self.assign_tuple(slots, elem.clone())?;
                let answer = self.test(test);
                self.restore(saved);
                // In a search an ill-defined condition excludes the element.
                match answer {
                    Err(Stop::IllDefined) if self.is_lenient() => Ok(false),
                    answer => answer,
                }
            }
        }
    }

    /// Whether no solution of the plan fails the test. One that fails it settles the answer, whether the test is ill-defined for others or not.
    fn forall(&mut self, plan: &Plan, test: &Test, is_exact: bool) -> Fast<bool> {
        let mut is_ill_defined = false;
        let flow = self.solutions(plan, &mut |runtime| match runtime.test(test) {
            Ok(true) => Ok(ControlFlow::Continue(())),
            Ok(false) => Ok(ControlFlow::Break(())),
            // A search around the quantifier would take the candidate for none.
            Err(Stop::IllDefined) if !is_exact => Err(Stop::Escape),
            Err(Stop::IllDefined) => {
                is_ill_defined = true;
                Ok(ControlFlow::Continue(()))
            }
            Err(Stop::Escape) => Err(Stop::Escape),
        })?;
        if flow.is_continue() && is_ill_defined { Err(Stop::IllDefined) } else { Ok(flow.is_continue()) }
    }

    pub(crate) fn arrow(
        &mut self,
        set: &Set,
        arrow: Arrow,
        from: &SetTest,
        to: &SetTest,
        from_set: Option<&Code>,
        to_set: Option<&Code>,
    ) -> Fast<bool> {
        if (arrow.functional && !relation::is_functional(set)) || (arrow.injective && !relation::is_injective(set)) {
            return Ok(false);
        }
        let fits: Fast<bool> =
            relation::every_pair(set, |first, second| Ok(self.member(first, from)? && self.member(second, to)?));
        if !fits? {
            return Ok(false);
        }
        if let Some(code) = from_set {
            let n_keys = if arrow.functional { set.len() } else { relation::dom(set).len() };
            if n_keys != self.size_of(code)? {
                return Ok(false);
            }
        }
        if let Some(code) = to_set {
            // In an injective relation, pairs may share a key, but not a target.
            let n_targets = if arrow.injective { set.len() } else { relation::ran(set).len() };
            if n_targets != self.size_of(code)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Number of elements of a set.
    pub(crate) fn size_of(&mut self, code: &Code) -> Fast<u64> {
        match self.at_hand(code) {
            Some(set) => Ok(as_set(set)?.len()),
            None => Ok(as_set(&self.code(code)?)?.len()),
        }
    }
}

pub(crate) fn contains(set: &Val, elem: &Value) -> Option<bool> {
    match set {
        Val::Value(Value::Set(set)) => Some(set.contains(elem)),
        _ => None,
    }
}
