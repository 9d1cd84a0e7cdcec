//! Evaluating compiled formulas.

use std::ops::ControlFlow;

use abridge_diag::with_stack;
use abridge_eval::{Error, SymbolicSet, Val};
use abridge_model::{Arrow, BinaryOp, QuantifiedOp, UnaryOp};
use abridge_value::{Builder, Set, Value, relation, sequence};

use super::code::{Code, Head, Pattern, Plan, SetTest, Source, Step, Test};
use super::operators::{MAX_SET, as_set, binary, compare, unary};
use super::split::Rest;
use super::{Fast, Runtime, Stop, concrete, unset};

/// More functions or subsets are not tried one by one: the plain interpreter can solve for them.
pub(super) const MAX_TRIED: u64 = 1 << 15;

impl From<Error> for Stop {
    fn from(error: Error) -> Stop {
        if error.is_ill_defined() { Stop::IllDefined } else { Stop::Escape }
    }
}

pub(super) type Solution<'s, 'r> = dyn FnMut(&mut Runtime<'r>) -> Fast<ControlFlow<()>> + 's;

const GO_ON: Fast<ControlFlow<()>> = Ok(ControlFlow::Continue(()));

impl<'r> Runtime<'r> {
    pub(super) fn code(&mut self, code: &Code) -> Fast<Value> {
        match code {
            Code::Value(value) => Ok(value.clone()),
            Code::Slot(slot) => match &self.slots[*slot] {
                Val::Value(value) => Ok(value.clone()),
                _ => Err(Stop::Escape),
            },
            Code::Cell(cell, expr) => self.cell(*cell, *expr).and_then(|val| concrete(val.clone())),
            Code::PerElement(expr) => self.for_element(expr),
            Code::Interpret(expr, names) => {
                self.interpretable()?;
                let env = self.env(names);
                concrete(self.session.value(*expr, &env)?)
            }
            Code::Unary(op, operand) => {
                if let Some(operand) = self.at_hand(operand) {
                    return unary(*op, operand);
                }
                unary(*op, &self.code(operand)?)
            }
            Code::Binary(op, left, right) => self.with_both(left, right, |left, right| binary(*op, left, right)),
            Code::Apply(head, arg) => {
                if let Code::Binary(BinaryOp::Pair, first, second) = &**arg {
                    let (first, second) = (self.code(first)?, self.code(second)?);
                    return match self.head_at_hand(head) {
                        Some(Val::Value(Value::Set(function))) => {
                            relation::apply_to_pair(function, &first, &second).map_err(|_| Stop::IllDefined)
                        }
                        _ => self.apply(head, &Value::pair(first, second)),
                    };
                }
                let arg = self.code(arg)?;
                self.apply(head, &arg)
            }
            Code::Case(arg, cases) => {
                let arg = self.code(arg)?;
                let (_, value) = cases.iter().find(|(key, _)| *key == arg).ok_or(Stop::IllDefined)?;
                self.code(value)
            }
            Code::Beta(arg, slots, test, expr) => {
                let arg = self.code(arg)?;
                let saved = self.assign_tuple(slots, arg)?;
                let value = match self.test(test) {
                    Ok(true) => self.code(expr),
                    Ok(false) => Err(Stop::IllDefined),
                    Err(stop) => Err(stop),
                };
                self.restore(saved);
                value
            }
            Code::Image(head, set) => {
                let computed = if self.at_hand(set).is_none() { Some(self.code(set)?) } else { None };
                if let (Some(Val::Value(Value::Set(relation))), Some(set)) =
                    (self.head_at_hand(head), computed.as_ref().or_else(|| self.at_hand(set)))
                {
                    return Ok(Value::Set(relation::image(relation, as_set(set)?)));
                }
                let set = match computed {
                    Some(set) => set,
                    None => self.code(set)?,
                };
                match self.head(head)? {
                    Val::Value(Value::Set(relation)) => Ok(Value::Set(relation::image(&relation, as_set(&set)?))),
                    symbolic => {
                        let env = self.env(&Default::default());
                        let image = self.session.image(&symbolic, &set.into(), &env)?;
                        concrete(self.session.force(&image, &env)?)
                    }
                }
            }
            Code::Preimage(relation, set) => self.with_both(relation, set, |relation, set| {
                Ok(Value::Set(relation::preimage(as_set(relation)?, as_set(set)?)))
            }),
            Code::SetExtension(items) => {
                if let [only] = items.as_slice() {
                    return Ok(Value::Set(Set::singleton(self.code(only)?)));
                }
                let mut set = Builder::new();
                for item in items {
                    set.push(self.code(item)?);
                }
                Ok(Value::Set(set.finish()))
            }
            Code::SequenceExtension(items) => {
                let items: Fast<Vec<Value>> = items.iter().map(|item| self.code(item)).collect();
                Ok(Value::Set(sequence::from_items(items?)))
            }
            Code::Record(shape, fields) => {
                let fields: Fast<Vec<Value>> = fields.iter().map(|field| self.code(field)).collect();
                Ok(Value::record(*shape, fields?))
            }
            Code::Field(record, field) => {
                if let Some(Value::Record(record)) = self.at_hand(record) {
                    return record.fields().get(*field as usize).cloned().ok_or(Stop::Escape);
                }
                match self.code(record)? {
                    Value::Record(record) => record.fields().get(*field as usize).cloned().ok_or(Stop::Escape),
                    _ => Err(Stop::Escape),
                }
            }
            Code::WithField(record, field, value) => {
                let record = self.code(record)?;
                let value = self.code(value)?;
                let Value::Record(record) = record else { return Err(Stop::Escape) };
                let mut fields = record.fields().to_vec();
                *fields.get_mut(*field as usize).ok_or(Stop::Escape)? = value;
                Ok(Value::record(record.shape(), fields))
            }
            Code::Collect(plan, expr) => {
                let mut set = Builder::new();
                self.every(plan, &mut |runtime| {
                    set.push(runtime.code(expr)?);
                    if set.len() as u64 > MAX_SET { Err(Stop::Escape) } else { Ok(()) }
                })?;
                Ok(Value::Set(set.finish()))
            }
            Code::Lambda(plan, arg, expr) => {
                let mut set = Builder::new();
                self.every(plan, &mut |runtime| {
                    let arg = runtime.code(arg)?;
                    set.push(Value::pair(arg, runtime.code(expr)?));
                    if set.len() as u64 > MAX_SET { Err(Stop::Escape) } else { Ok(()) }
                })?;
                Ok(Value::Set(set.finish()))
            }
            Code::Fold(op, plan, expr) => self.fold(*op, plan, expr),
            Code::If(condition, then, otherwise) => {
                let branch = if self.test(condition)? { then } else { otherwise };
                self.code(branch)
            }
            Code::Let(bindings, body) => {
                let saved = self.bind(bindings)?;
                let result = self.code(body);
                self.restore(saved);
                result
            }
            Code::BoolOf(test) => self.test(test).map(Value::Bool),
        }
    }

    /// A value that need not be computed.
    fn at_hand<'a>(&'a self, code: &'a Code) -> Option<&'a Value> {
        match code {
            Code::Value(value) => Some(value),
            Code::Slot(slot) => self.slots[*slot].as_value(),
            Code::Cell(cell, _) => self.cells.get(*cell)?.as_ref()?.as_value(),
            Code::PerElement(expr) => self.known_for_element(expr)?.as_value(),
            _ => None,
        }
    }

    /// The same for what may be symbolic.
    pub(super) fn head_at_hand(&self, head: &Head) -> Option<&Val> {
        match head {
            Head::Slot(slot) => Some(&self.slots[*slot]),
            Head::Cell(cell, _) => self.cells.get(*cell)?.as_ref(),
            Head::Code(code) => match &**code {
                Code::PerElement(expr) => self.known_for_element(expr),
                _ => None,
            },
        }
    }

    /// Combines two values; what is at hand is not copied, since workers would wait for each other to count the copies.
    fn with_both<R>(&mut self, left: &Code, right: &Code, combine: impl FnOnce(&Value, &Value) -> Fast<R>) -> Fast<R> {
        match (self.at_hand(left), self.at_hand(right)) {
            (Some(left), Some(right)) => combine(left, right),
            (Some(_), None) => {
                let right = self.code(right)?;
                combine(self.at_hand(left).ok_or(Stop::Escape)?, &right)
            }
            (None, Some(_)) => {
                let left = with_stack(|| self.code(left))?;
                combine(&left, self.at_hand(right).ok_or(Stop::Escape)?)
            }
            (None, None) => {
                let left = with_stack(|| self.code(left))?;
                let right = self.code(right)?;
                combine(&left, &right)
            }
        }
    }

    fn cell(&mut self, cell: usize, expr: abridge_model::ExprId) -> Fast<&Val> {
        if self.cells.len() <= cell {
            self.cells.resize(cell + 1, None);
        }
        if self.cells[cell].is_none() {
            let env = self.env(&Default::default());
            let val = self.session.value(expr, &env)?;
            if self.session.has_warnings() {
                return Err(Stop::Escape);
            }
            self.cells[cell] = Some(val);
        }
        self.cells[cell].as_ref().ok_or(Stop::Escape)
    }

    fn head(&mut self, head: &Head) -> Fast<Val> {
        match head {
            Head::Slot(slot) => Ok(self.slots[*slot].clone()),
            Head::Cell(cell, expr) => self.cell(*cell, *expr).cloned(),
            Head::Code(code) => self.code(code).map(Val::Value),
        }
    }

    fn apply(&mut self, head: &Head, arg: &Value) -> Fast<Value> {
        let looked_up = |function: &Val| match function {
            Val::Value(Value::Set(function)) => Some(relation::apply(function, arg).map_err(|_| Stop::IllDefined)),
            _ => None,
        };
        let direct = match head {
            Head::Slot(slot) => looked_up(&self.slots[*slot]),
            Head::Cell(cell, expr) => looked_up(self.cell(*cell, *expr)?),
            Head::Code(_) => self.head_at_hand(head).and_then(looked_up),
        };
        if let Some(found) = direct {
            return found;
        }
        let function = self.head(head)?;
        if let Some(found) = looked_up(&function) {
            return found;
        }
        self.apply_symbolic(function, arg)
    }

    fn fold(&mut self, op: QuantifiedOp, plan: &Plan, expr: &Code) -> Fast<Value> {
        let outer = self.set_weight(1);
        let answer = self.fold_all(op, plan, expr);
        self.set_weight(outer);
        answer
    }

    fn fold_all(&mut self, op: QuantifiedOp, plan: &Plan, expr: &Code) -> Fast<Value> {
        let mut sum: Option<Value> = None;
        self.every(plan, &mut |runtime| {
            let weight = runtime.weight();
            let next = weighted(op, runtime.code(expr)?, weight)?;
            sum = Some(match (sum.take(), op) {
                (None, _) => next,
                (Some(sum), QuantifiedOp::Sigma) => binary(BinaryOp::Add, &sum, &next)?,
                (Some(sum), QuantifiedOp::Pi) => binary(BinaryOp::Multiply, &sum, &next)?,
                (Some(sum), QuantifiedOp::Union) => binary(BinaryOp::Union, &sum, &next)?,
                (Some(sum), QuantifiedOp::Inter) => binary(BinaryOp::Intersection, &sum, &next)?,
                _ => return Err(Stop::Escape),
            });
            Ok(())
        })?;
        match (sum, op) {
            (Some(sum), _) => Ok(sum),
            (None, QuantifiedOp::Sigma) => Ok(Value::Int(0)),
            (None, QuantifiedOp::Pi) => Ok(Value::Int(1)),
            (None, QuantifiedOp::Union) => Ok(Value::Set(Set::EMPTY)),
            (None, _) => Err(Stop::IllDefined),
        }
    }

    /// Binds slots one after the other; what they held comes back for [`Runtime::restore`].
    pub(super) fn bind(&mut self, bindings: &[(usize, Code)]) -> Fast<Vec<(usize, Val)>> {
        let mut saved = Vec::with_capacity(bindings.len());
        for (slot, code) in bindings {
            match self.code(code) {
                Ok(value) => saved.push((*slot, std::mem::replace(&mut self.slots[*slot], value.into()))),
                Err(stop) => {
                    self.restore(saved);
                    return Err(stop);
                }
            }
        }
        Ok(saved)
    }

    pub(super) fn restore(&mut self, saved: Vec<(usize, Val)>) {
        for (slot, val) in saved.into_iter().rev() {
            self.slots[slot] = val;
        }
    }

    pub(super) fn test(&mut self, test: &Test) -> Fast<bool> {
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
            Test::Equal(left, right) => self.with_both(left, right, |left, right| Ok(left == right)),
            Test::Member(elem, set) => {
                let elem = self.code(elem)?;
                self.member(&elem, set)
            }
            Test::Subset(left, right) => {
                self.with_both(left, right, |left, right| Ok(as_set(left)?.is_subset(as_set(right)?)))
            }
            Test::StrictSubset(left, right) => {
                self.with_both(left, right, |left, right| Ok(left != right && as_set(left)?.is_subset(as_set(right)?)))
            }
            Test::Disjoint(left, right) => {
                self.with_both(left, right, |left, right| Ok(as_set(left)?.is_disjoint(as_set(right)?)))
            }
            Test::Within(part, whole) => {
                let part = self.code(part)?;
                self.within(as_set(&part)?, whole)
            }
            Test::Less(left, right) => {
                self.with_both(left, right, |left, right| compare(left, right).map(|order| order.is_lt()))
            }
            Test::LessEqual(left, right) => {
                self.with_both(left, right, |left, right| compare(left, right).map(|order| order.is_le()))
            }
            Test::Exists(plan) => {
                let flow = self.solutions(plan, &mut |_| Ok(ControlFlow::Break(())))?;
                Ok(flow.is_break())
            }
            Test::Forall(plan, test) => {
                let strict = self.is_strict;
                self.is_strict = true;
                let flow = self.solutions(plan, &mut |runtime| {
                    Ok(if runtime.test(test)? { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
                });
                self.is_strict = strict;
                Ok(flow?.is_continue())
            }
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

    fn within(&mut self, part: &Set, whole: &SetTest) -> Fast<bool> {
        match whole {
            SetTest::All => Ok(true),
            SetTest::Head(head) => {
                let whole = self.head(head)?;
                if let Val::Value(Value::Set(whole)) = &whole {
                    return Ok(part.is_subset(whole));
                }
                for elem in part.iter() {
                    if !self.symbolic_member(&elem, &whole)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            _ => {
                for elem in part.iter() {
                    if !self.member(&elem, whole)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
        }
    }

    fn symbolic_member(&mut self, elem: &Value, set: &Val) -> Fast<bool> {
        let env = self.env(&Default::default());
        Ok(self.session.member(&elem.clone().into(), set, &env)?)
    }

    fn member(&mut self, elem: &Value, set: &SetTest) -> Fast<bool> {
        match set {
            SetTest::All => Ok(true),
            SetTest::Natural => Ok(compare(elem, &Value::Int(0))?.is_ge()),
            SetTest::Natural1 => Ok(compare(elem, &Value::Int(1))?.is_ge()),
            SetTest::Interval(low, high) => {
                self.with_both(low, high, |low, high| Ok(compare(low, elem)?.is_le() && compare(elem, high)?.is_le()))
            }
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

    fn arrow(
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
            // Of an injective relation several pairs may share a key, but none a target.
            let n_targets = if arrow.injective { set.len() } else { relation::ran(set).len() };
            if n_targets != self.size_of(code)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// How many elements a set has.
    fn size_of(&mut self, code: &Code) -> Fast<u64> {
        match self.at_hand(code) {
            Some(set) => Ok(as_set(set)?.len()),
            None => Ok(as_set(&self.code(code)?)?.len()),
        }
    }

    /// Calls `found` in every solution of a plan, until it breaks.
    pub(super) fn solutions(&mut self, plan: &Plan, found: &mut Solution<'_, 'r>) -> Fast<ControlFlow<()>> {
        match &plan.table {
            Some(table) if !self.prefers_search(plan) => self.tabulated(plan, table, found),
            _ => self.run(&plan.steps, false, found),
        }
    }

    /// Calls `found` in every solution of a plan.
    pub(super) fn every(&mut self, plan: &Plan, found: &mut dyn FnMut(&mut Runtime<'r>) -> Fast<()>) -> Fast<()> {
        self.solutions(plan, &mut |runtime| found(runtime).map(ControlFlow::Continue)).map(|_| ())
    }

    /// The plain interpreter does not know that a function may be only the beginning of one.
    fn interpretable(&self) -> Fast<()> {
        if self.is_partial { Err(Stop::Escape) } else { Ok(()) }
    }

    /// Whether candidates for which something is ill-defined are no solutions.
    pub(super) fn is_lenient(&self) -> bool {
        self.session.config().ill_defined_search_is_false && !self.is_strict
    }

    pub(super) fn run(
        &mut self,
        steps: &[Step],
        is_doubtful: bool,
        found: &mut Solution<'_, 'r>,
    ) -> Fast<ControlFlow<()>> {
        self.tick()?;
        let Some((step, rest)) = steps.split_first() else {
            // A condition without unknowns was ill-defined: the plain interpreter decides what that means.
            return if is_doubtful { Err(Stop::IllDefined) } else { found(self) };
        };
        let lenient = self.is_lenient();
        match step {
            Step::Test { test, is_open } => match self.test(test) {
                Ok(true) => self.run(rest, is_doubtful, found),
                Ok(false) => GO_ON,
                Err(Stop::IllDefined) if *is_open && lenient => GO_ON,
                Err(Stop::IllDefined) if !is_open => self.run(rest, true, found),
                Err(stop) => Err(stop),
            },
            Step::Match { pattern, code } => match self.code(code) {
                Ok(value) => self.matched(pattern, &value, rest, is_doubtful, found),
                Err(Stop::IllDefined) if lenient => GO_ON,
                Err(stop) => Err(stop),
            },
            Step::Images { relation, key, pattern } => {
                let images = self.code(key).and_then(|key| self.images(relation, &key));
                match images {
                    Ok(images) => {
                        for image in images {
                            if self.matched(pattern, &image, rest, is_doubtful, found)?.is_break() {
                                return Ok(ControlFlow::Break(()));
                            }
                        }
                        GO_ON
                    }
                    Err(Stop::IllDefined) if lenient => GO_ON,
                    Err(stop) => Err(stop),
                }
            }
            Step::Rows(plan) => self.solutions(plan, &mut |runtime| runtime.run(rest, is_doubtful, found)),
            Step::Join { plan, key, value } => {
                self.joined(plan, (key, value), &mut |runtime| runtime.run(rest, is_doubtful, found))
            }
            Step::Prefixes { plan, tests } => {
                self.by_prefix(plan, tests, &mut |runtime| runtime.run(rest, is_doubtful, found))
            }
            Step::Keys(keys) => self.by_keys(keys, is_doubtful, &mut |runtime| runtime.run(rest, false, found)),
            Step::Either(branches) => {
                for branch in branches {
                    let flow = self.run(branch, false, &mut |runtime| runtime.run(rest, is_doubtful, found))?;
                    if flow.is_break() {
                        return Ok(ControlFlow::Break(()));
                    }
                }
                GO_ON
            }
            Step::Split { code, parts } => match self.lenient_items(code)? {
                Some(items) => self.split(parts, &items, &Rest { steps: rest, is_doubtful }, found),
                None => GO_ON,
            },
            Step::Range { slot, low, high } => match self.range(low, high) {
                Ok(None) => GO_ON,
                Ok(Some((low, high))) => {
                    for n in low..=high {
                        let saved = std::mem::replace(&mut self.slots[*slot], Value::Int(n).into());
                        let flow = self.run(rest, is_doubtful, found);
                        self.slots[*slot] = saved;
                        if flow?.is_break() {
                            return Ok(ControlFlow::Break(()));
                        }
                    }
                    GO_ON
                }
                Err(Stop::IllDefined) if lenient => GO_ON,
                Err(stop) => Err(stop),
            },
            Step::Each { pattern, source, twins } => match self.elements(source) {
                Ok(elements) => {
                    if let (Pattern::Bind(slot), Some(twins)) = (pattern, twins)
                        && let Some(answer) =
                            self.each_class((twins, *slot), &elements, &Rest { steps: rest, is_doubtful }, found)
                    {
                        return answer;
                    }
                    if let Pattern::Pair(left, right) = pattern {
                        for (first, second) in relation::pairs(&elements) {
                            let parts = [(&**left, &first), (&**right, &second)];
                            if self.matched_all(&parts, rest, is_doubtful, found)?.is_break() {
                                return Ok(ControlFlow::Break(()));
                            }
                        }
                        return GO_ON;
                    }
                    for element in elements.iter() {
                        if self.matched(pattern, &element, rest, is_doubtful, found)?.is_break() {
                            return Ok(ControlFlow::Break(()));
                        }
                    }
                    GO_ON
                }
                Err(Stop::IllDefined) if lenient => GO_ON,
                Err(stop) => Err(stop),
            },
        }
    }

    fn images(&mut self, relation: &Head, key: &Value) -> Fast<Vec<Value>> {
        match self.head(relation)? {
            Val::Value(Value::Set(relation)) => Ok(relation::images(&relation, key).collect()),
            _ => Err(Stop::Escape),
        }
    }

    /// The integers between the bounds; nothing if there are none.
    fn range(&mut self, low: &[Code], high: &[Code]) -> Fast<Option<(i64, i64)>> {
        let (mut least, mut greatest) = (i64::MIN, i64::MAX);
        for code in low {
            let Value::Int(bound) = self.code(code)? else { return Err(Stop::Escape) };
            least = least.max(bound);
        }
        for code in high {
            let Value::Int(bound) = self.code(code)? else { return Err(Stop::Escape) };
            greatest = greatest.min(bound);
        }
        if low.is_empty() || high.is_empty() {
            return Err(Stop::Escape);
        }
        Ok((least <= greatest).then_some((least, greatest)))
    }

    /// The elements of a set to be tried one by one.
    pub(super) fn elements(&mut self, source: &Source) -> Fast<Set> {
        match source {
            Source::Code(code) => match self.code(code)? {
                Value::Set(set) => Ok(set),
                _ => Err(Stop::Escape),
            },
            Source::Subsets(code) => {
                let whole = self.code(code)?;
                let subsets = SymbolicSet::unary(UnaryOp::Pow, whole.into());
                let env = self.env(&Default::default());
                self.listed(&subsets, &env)
            }
            Source::Type(ty) => {
                let all = self.session.type_set(*ty);
                let env = self.env(&Default::default());
                self.listed(&all, &env)
            }
            Source::Interpret(expr, names) => {
                self.interpretable()?;
                let env = self.env(names);
                let set = self.session.expr(*expr, &env)?;
                self.listed(&set, &env)
            }
        }
    }

    pub(super) fn listed(&self, set: &Val, env: &abridge_eval::Env) -> Fast<Set> {
        match self.session.size(set) {
            abridge_eval::Size::AtMost(n) if n <= MAX_TRIED => Ok(self.session.enumerate(set, env)?),
            _ => Err(Stop::Escape),
        }
    }

    pub(super) fn matched(
        &mut self,
        pattern: &Pattern,
        value: &Value,
        rest: &[Step],
        is_doubtful: bool,
        found: &mut Solution<'_, 'r>,
    ) -> Fast<ControlFlow<()>> {
        if let Pattern::Bind(slot) = pattern {
            let saved = std::mem::replace(&mut self.slots[*slot], value.clone().into());
            let flow = self.run(rest, is_doubtful, found);
            self.slots[*slot] = saved;
            return flow;
        }
        self.matched_all(&[(pattern, value)], rest, is_doubtful, found)
    }

    /// Goes on where all values fit their patterns.
    fn matched_all(
        &mut self,
        parts: &[(&Pattern, &Value)],
        rest: &[Step],
        is_doubtful: bool,
        found: &mut Solution<'_, 'r>,
    ) -> Fast<ControlFlow<()>> {
        let mut saved = Vec::new();
        let mut fits = Ok(true);
        for (pattern, value) in parts {
            fits = self.take_apart(pattern, value, &mut saved);
            if !matches!(fits, Ok(true)) {
                break;
            }
        }
        let flow = match fits {
            Ok(true) => self.run(rest, is_doubtful, found),
            Ok(false) => GO_ON,
            Err(Stop::IllDefined) if self.is_lenient() => GO_ON,
            Err(stop) => Err(stop),
        };
        self.restore(saved);
        flow
    }

    fn take_apart(&mut self, pattern: &Pattern, value: &Value, saved: &mut Vec<(usize, Val)>) -> Fast<bool> {
        match pattern {
            Pattern::Bind(slot) => {
                saved.push((*slot, std::mem::replace(&mut self.slots[*slot], value.clone().into())));
                Ok(true)
            }
            Pattern::Equal(code) => Ok(self.code(code)? == *value),
            Pattern::Pair(left, right) => {
                let (first, second) = value.as_pair().ok_or(Stop::Escape)?;
                Ok(self.take_apart(left, first, saved)? && self.take_apart(right, second, saved)?)
            }
        }
    }

    /// Empties slots for locals that have no value yet; what they held comes back for [`Runtime::restore`].
    pub(super) fn declare(&mut self, slots: &[usize]) -> Vec<(usize, Val)> {
        slots.iter().map(|slot| (*slot, std::mem::replace(&mut self.slots[*slot], unset()))).collect()
    }
}

/// What a value contributes to a sum or a product if it is there so many times.
fn weighted(op: QuantifiedOp, value: Value, weight: u64) -> Fast<Value> {
    let times = || i64::try_from(weight).map(Value::Int).map_err(|_| Stop::Escape);
    match op {
        _ if weight == 1 => Ok(value),
        QuantifiedOp::Sigma => binary(BinaryOp::Multiply, &value, &times()?),
        QuantifiedOp::Pi => binary(BinaryOp::Power, &value, &times()?),
        _ => Ok(value),
    }
}

fn contains(set: &Val, elem: &Value) -> Option<bool> {
    match set {
        Val::Value(Value::Set(set)) => Some(set.contains(elem)),
        _ => None,
    }
}
