//! Translation of expressions and predicates.

use abridge_diag::with_stack;
use abridge_eval::cases;
use abridge_model::ModelNode;
use abridge_model::{
    BaseSet, BinaryOp, Binding, Comparison, Compiled, Expr, ExprId, LocalId, Pred, PredId, QuantifiedOp, UnaryOp,
    may_fail,
};
use abridge_value::{Int, Set, Value};

use super::CodeBuilder;
use crate::code::{Code, Head, PerElement, Plan, Purpose, SetTest, SolutionTable, Test};

impl CodeBuilder<'_, '_> {
    /// Compiled form of an expression.
    pub(crate) fn code(&mut self, id: ExprId) -> Code {
        with_stack(|| self.code_inner(id))
    }

    pub(crate) fn boxed(&mut self, id: ExprId) -> Box<Code> {
        Box::new(self.code(id))
    }

    pub(crate) fn interpret(&mut self, id: ExprId) -> Code {
        let names = self.names.of_expr(self.model, id);
        if names.locals.is_empty() && names.variables.is_empty() {
            self.numbers.cells += 1;
            return Code::Cell(self.numbers.cells - 1, id);
        }
        Code::Interpret(id, names)
    }

    pub(crate) fn code_inner(&mut self, id: ExprId) -> Code {
        let model = self.model;
        match model.expr(id) {
            Expr::Integer(int) => Code::Value(Value::int(Int::from(int.clone()))),
            Expr::Real(real) => Code::Value(Value::real(*real)),
            Expr::String(text) => Code::Value(Value::string(text.as_str())),
            Expr::Bool(flag) => Code::Value(Value::Bool(*flag)),
            Expr::Element(set, index) => Code::Value(Value::element(set.0, *index)),
            Expr::Carrier(set) => Code::Value(Value::Set(Set::carrier(set.0, model.sets[*set].size()))),
            Expr::BaseSet(BaseSet::Bool) => Code::Value(Value::Set(Set::booleans())),
            Expr::EmptySet => Code::Value(Value::Set(Set::EMPTY)),
            Expr::Constant(id) => Code::Slot(self.layout.constant(*id)),
            Expr::Variable(id) => Code::Slot(self.layout.variable(*id)),
            Expr::Local(id) => Code::Slot(self.layout.local(*id)),
            _ if self.is_constant(id) => self.interpret(id),
            _ => match self.only_element(id).filter(|_| self.keeps_per_element) {
                Some(local) => self.per_element(id, local),
                None => self.operator(id),
            },
        }
    }

    pub(crate) fn per_element(&mut self, id: ExprId, local: LocalId) -> Code {
        let code = match self.operator(id) {
            code @ Code::Interpret(..) => return code,
            code => Box::new(code),
        };
        self.numbers.per_element += 1;
        Code::PerElement(PerElement { number: self.numbers.per_element - 1, slot: self.layout.local(local), code })
    }

    /// Compiled form of an expression other than a name or literal, even if it is constant.
    pub(crate) fn operator(&mut self, id: ExprId) -> Code {
        let model = self.model;
        match model.expr(id) {
            Expr::Unary(op, operand) if op.facts().compiled == Compiled::Directly => {
                Code::Unary(*op, self.boxed(*operand))
            }
            Expr::Binary(BinaryOp::Apply, function, arg) if let Some(cases) = cases(model, *function) => {
                let cases = cases.into_iter().map(|(key, value)| (key, self.code(value))).collect();
                Code::Case(self.boxed(*arg), cases)
            }
            Expr::Binary(BinaryOp::Apply, function, arg) if let Some(code) = self.beta(*function, *arg) => code,
            Expr::Binary(BinaryOp::Apply, function, arg) => Code::Apply(self.head(*function), self.boxed(*arg)),
            Expr::Binary(BinaryOp::Image, relation, set) => self.image(*relation, *set),
            Expr::Binary(op, left, right) if op.facts().compiled == Compiled::Directly => {
                Code::Binary(*op, self.boxed(*left), self.boxed(*right))
            }
            Expr::SetExtension(items) => Code::SetExtension(items.iter().map(|item| self.code(*item)).collect()),
            Expr::SequenceExtension(items) => {
                Code::SequenceExtension(items.iter().map(|item| self.code(*item)).collect())
            }
            Expr::Record(fields) => {
                Code::Record(model.ty(id).0, fields.iter().map(|field| self.code(*field)).collect())
            }
            Expr::Field(record, field) => Code::Field(self.boxed(*record), *field),
            Expr::WithField(record, field, value) => Code::WithField(self.boxed(*record), *field, self.boxed(*value)),
            Expr::If(condition, then, otherwise) => {
                Code::If(Box::new(self.test(*condition)), self.boxed(*then), self.boxed(*otherwise))
            }
            Expr::Let { bindings, body } => Code::Let(self.bindings(bindings), self.boxed(*body)),
            Expr::BoolOf(pred) => Code::BoolOf(Box::new(self.test(*pred))),
            Expr::Comprehension { binder, pred, symbolic: false } => match self.table_plan(binder, Some(*pred)) {
                Some(plan) => {
                    let plan = self.with_orbits(plan, &self.names.of_expr(model, id), Purpose::List);
                    Code::Collect(plan, Box::new(self.binder_tuple(binder)))
                }
                None => self.interpret(id),
            },
            Expr::SetImage { binder, pred, expr } => match self.table_plan(binder, Some(*pred)) {
                Some(plan) => {
                    let plan = self.with_orbits(plan, &self.names.of_expr(model, id), Purpose::List);
                    Code::Collect(plan, self.boxed(*expr))
                }
                None => self.interpret(id),
            },
            Expr::Quantified { op, binder, pred, expr, symbolic: false }
                if !matches!(op, QuantifiedOp::RealSigma | QuantifiedOp::RealPi) =>
            {
                let is_sum = matches!(op, QuantifiedOp::Sigma | QuantifiedOp::Pi);
                let purpose = if is_sum { Purpose::Sum } else { Purpose::List };
                let plan = self.table_plan(binder, Some(*pred)).filter(|plan| !(is_sum && plan.may_repeat));
                match plan.map(|plan| self.with_orbits(plan, &self.names.of_expr(model, id), purpose)) {
                    Some(plan) if *op == QuantifiedOp::Lambda => {
                        let arg = Box::new(self.binder_tuple(binder));
                        Code::Lambda(plan, arg, self.boxed(*expr))
                    }
                    Some(plan) => Code::Fold(*op, plan, self.boxed(*expr)),
                    None => self.interpret(id),
                }
            }
            _ => self.interpret(id),
        }
    }

    pub(crate) fn image(&mut self, relation: ExprId, set: ExprId) -> Code {
        match self.model.expr(relation) {
            Expr::Unary(UnaryOp::Inverse, forward) if !self.is_constant(relation) => {
                match self.code(*forward) {
                    // A relation that may be symbolic is inverted by the plain interpreter.
                    Code::Interpret(..) => Code::Image(self.head(relation), self.boxed(set)),
                    forward => Code::Preimage(Box::new(forward), self.boxed(set)),
                }
            }
            _ => Code::Image(self.head(relation), self.boxed(set)),
        }
    }

    /// Beta reduction of an applied lambda. A lambda over constants only is better tabulated.
    pub(crate) fn beta(&mut self, function: ExprId, arg: ExprId) -> Option<Code> {
        let Expr::Quantified { op: QuantifiedOp::Lambda, binder, pred, expr, .. } = self.model.expr(function) else {
            return None;
        };
        if self.is_constant(function) {
            return None;
        }
        let slots = binder.iter().map(|local| self.layout.local(*local)).collect();
        Some(Code::Beta(self.boxed(arg), slots, Box::new(self.test(*pred)), self.boxed(*expr)))
    }

    /// Set of the values of the last local for which a predicate holds, given the others.
    pub(crate) fn last_components(&mut self, binder: &[LocalId], pred: PredId) -> Option<Code> {
        let last = binder.last()?;
        let plan = self.plan(&[*last], &[pred], &[])?;
        Some(Code::Collect(plan, Box::new(Code::Slot(self.layout.local(*last)))))
    }

    /// Plan for all solutions, with a table if they depend on constants only and take more than listing a set.
    pub(crate) fn table_plan(&mut self, binder: &[LocalId], pred: Option<PredId>) -> Option<Plan> {
        let mut plan = self.plan(binder, pred.as_slice(), &[])?;
        let names = pred.map(|pred| self.names.of_pred(self.model, pred)).unwrap_or_default();
        let is_constant = names.variables.is_empty() && names.locals.iter().all(|local| binder.contains(local));
        if is_constant && plan.steps.len() > 1 && !binder.is_empty() {
            plan.table = Some(self.table(binder, names.constants.is_empty()));
        }
        Some(plan)
    }

    /// New table for the values of some locals in all solutions.
    pub(crate) fn table(&mut self, locals: &[LocalId], is_fixed: bool) -> SolutionTable {
        let slots = locals.iter().map(|local| self.layout.local(*local)).collect();
        self.numbers.tables += 1;
        SolutionTable { number: self.numbers.tables - 1, slots, is_fixed }
    }

    pub(crate) fn is_constant(&self, id: ExprId) -> bool {
        let names = self.names.of_expr(self.model, id);
        names.locals.is_empty() && names.variables.is_empty()
    }

    pub(crate) fn bindings(&mut self, bindings: &[Binding]) -> Vec<(usize, Code)> {
        bindings.iter().map(|binding| (self.layout.local(binding.local), self.code(binding.value))).collect()
    }

    pub(crate) fn binder_tuple(&self, binder: &[LocalId]) -> Code {
        let mut slots = binder.iter().map(|local| Code::Slot(self.layout.local(*local)));
        let first = slots.next().unwrap_or(Code::Value(Value::Bool(false)));
        slots.fold(first, |left, right| Code::Binary(BinaryOp::Pair, Box::new(left), Box::new(right)))
    }

    /// Compiled form of a predicate.
    pub(crate) fn test(&mut self, id: PredId) -> Test {
        with_stack(|| self.test_inner(id))
    }

    pub(crate) fn test_inner(&mut self, id: PredId) -> Test {
        let model = self.model;
        match model.pred(id) {
            Pred::True => Test::Known(true),
            Pred::False => Test::Known(false),
            Pred::Not(operand) => Test::Not(Box::new(self.test(*operand))),
            Pred::And(operands) => Test::And(operands.iter().map(|operand| self.test(*operand)).collect()),
            Pred::Or(operands) => Test::Or(operands.iter().map(|operand| self.test(*operand)).collect()),
            Pred::Implies(left, right) => Test::Implies(Box::new(self.test(*left)), Box::new(self.test(*right))),
            Pred::Equivalent(left, right) => Test::Equivalent(Box::new(self.test(*left)), Box::new(self.test(*right))),
            Pred::Compare(op, left, right) => self.comparison(id, *op, *left, *right),
            Pred::Exists { binder, body } => match self.plan(binder, &[*body], &[]) {
                Some(plan) => Test::Exists(self.for_truth(plan, id)),
                None => self.interpret_pred(id),
            },
            Pred::Forall { binder, body } => {
                let (condition, conclusion) = match model.pred(*body) {
                    Pred::Implies(condition, conclusion) => (Some(*condition), *conclusion),
                    _ => (None, *body),
                };
                match self.table_plan(binder, condition) {
                    Some(plan) => Test::Forall {
                        plan: self.for_truth(plan, id),
                        test: Box::new(self.test(conclusion)),
                        is_exact: !matches!(
                            model.pred(conclusion),
                            Pred::Implies(..) | Pred::Not(_) | Pred::Let { .. }
                        ),
                    },
                    None => self.interpret_pred(id),
                }
            }
            Pred::If(condition, then, otherwise) => {
                Test::If(Box::new(self.test(*condition)), Box::new(self.test(*then)), Box::new(self.test(*otherwise)))
            }
            Pred::Let { bindings, body } => Test::Let(self.bindings(bindings), Box::new(self.test(*body))),
            Pred::Finite(_) | Pred::Partition(..) | Pred::External(..) => self.interpret_pred(id),
        }
    }

    /// Plan of a quantified predicate, with steps marked for the search by orbits.
    pub(crate) fn for_truth(&mut self, plan: Plan, quantified: PredId) -> Plan {
        self.with_orbits(plan, &self.names.of_pred(self.model, quantified), Purpose::Truth)
    }

    pub(crate) fn interpret_pred(&self, id: PredId) -> Test {
        Test::Interpret(id, self.names.of_pred(self.model, id))
    }

    pub(crate) fn comparison(&mut self, id: PredId, op: Comparison, left: ExprId, right: ExprId) -> Test {
        match op {
            Comparison::Equal => match (self.code(left), self.code(right)) {
                // Two sets that may both be symbolic are compared by the plain interpreter.
                (Code::Interpret(..), _) | (_, Code::Interpret(..)) => self.interpret_pred(id),
                (Code::Binary(BinaryOp::Intersection, left, right), Code::Value(Value::Set(set))) if set.is_empty() => {
                    Test::Disjoint(*left, *right)
                }
                (left, right) => Test::Equal(left, right),
            },
            Comparison::Member => Test::Member(self.code(left), self.set_test(right)),
            Comparison::Subset => match self.set_test(right) {
                SetTest::Head(Head::Code(whole)) => Test::Subset(self.code(left), *whole),
                whole => Test::Within(self.code(left), whole),
            },
            Comparison::StrictSubset => Test::StrictSubset(self.code(left), self.code(right)),
            Comparison::Less => Test::Less(self.code(left), self.code(right)),
            Comparison::LessEqual => Test::LessEqual(self.code(left), self.code(right)),
            Comparison::RealLess | Comparison::RealLessEqual => self.interpret_pred(id),
        }
    }

    /// Membership test for a set. The set has a value only if all its operands have one, even if fewer decide membership.
    pub(crate) fn set_test(&mut self, id: ExprId) -> SetTest {
        let mut partial = Vec::new();
        self.partial_operands(id, &mut partial);
        // If the set itself is the operand, the test evaluates it anyway.
        partial.retain(|operand| *operand != id);
        let test = self.set_part(id);
        if partial.is_empty() {
            return test;
        }
        let operands = partial.into_iter().map(|operand| self.code(operand)).collect();
        SetTest::Defined(operands, Box::new(test))
    }

    /// Collects operands that may be ill-defined and that the test may skip.
    fn partial_operands(&self, id: ExprId, out: &mut Vec<ExprId>) {
        with_stack(|| match self.model.expr(id) {
            Expr::Unary(op, of) if is_set_of_sets(*op) => self.partial_operands(*of, out),
            Expr::Binary(op, left, right) if is_taken_apart(*op) => {
                self.partial_operands(*left, out);
                self.partial_operands(*right, out);
            }
            Expr::StructSet(fields) => fields.iter().for_each(|field| self.partial_operands(*field, out)),
            Expr::Comprehension { .. } if !self.is_constant(id) => {}
            _ => {
                if may_fail(self.model, ModelNode::Expr(id)) {
                    out.push(id);
                }
            }
        });
    }

    fn boxed_set(&mut self, id: ExprId) -> Box<SetTest> {
        Box::new(self.set_part(id))
    }

    /// Membership test for a set or an operand of one, whose operands are defined.
    fn set_part(&mut self, id: ExprId) -> SetTest {
        with_stack(|| self.set_part_inner(id))
    }

    fn set_part_inner(&mut self, id: ExprId) -> SetTest {
        match self.model.expr(id) {
            Expr::BaseSet(BaseSet::Natural) => SetTest::Natural,
            Expr::BaseSet(BaseSet::Natural1) => SetTest::Natural1,
            Expr::BaseSet(_) | Expr::Carrier(_) => SetTest::All,
            Expr::Binary(BinaryOp::Interval, low, high) => SetTest::Interval(self.code(*low), self.code(*high)),
            Expr::Unary(op @ (UnaryOp::Pow | UnaryOp::Fin | UnaryOp::Pow1 | UnaryOp::Fin1), of) => {
                SetTest::Power { of: self.boxed_set(*of), non_empty: matches!(op, UnaryOp::Pow1 | UnaryOp::Fin1) }
            }
            Expr::Unary(op @ (UnaryOp::Seq | UnaryOp::Seq1 | UnaryOp::Iseq | UnaryOp::Iseq1), of) => {
                SetTest::Sequence {
                    of: self.boxed_set(*of),
                    non_empty: matches!(op, UnaryOp::Seq1 | UnaryOp::Iseq1),
                    injective: matches!(op, UnaryOp::Iseq | UnaryOp::Iseq1),
                }
            }
            Expr::Binary(BinaryOp::Arrow(arrow), from, to) => SetTest::Arrow {
                arrow: *arrow,
                from_set: arrow.total.then(|| self.code(*from)),
                to_set: arrow.surjective.then(|| self.code(*to)),
                from: self.boxed_set(*from),
                to: self.boxed_set(*to),
            },
            Expr::Binary(BinaryOp::Cartesian, left, right) => {
                SetTest::Cartesian(self.boxed_set(*left), self.boxed_set(*right))
            }
            Expr::Binary(BinaryOp::Union, left, right) => SetTest::Union(self.boxed_set(*left), self.boxed_set(*right)),
            Expr::Binary(BinaryOp::Intersection, left, right) => {
                SetTest::Intersection(self.boxed_set(*left), self.boxed_set(*right))
            }
            Expr::Binary(BinaryOp::Difference, left, right) => {
                SetTest::Difference(self.boxed_set(*left), self.boxed_set(*right))
            }
            Expr::StructSet(fields) => SetTest::Struct(fields.iter().map(|field| self.set_part(*field)).collect()),
            Expr::Comprehension { binder, pred, .. } if !self.is_constant(id) => {
                let slots = binder.iter().map(|local| self.layout.local(*local)).collect();
                SetTest::Comprehension(slots, Box::new(self.test(*pred)))
            }
            _ => SetTest::Head(self.head(id)),
        }
    }
}

/// Whether an operator makes sets of sets, with membership tested element by element.
fn is_set_of_sets(op: UnaryOp) -> bool {
    use UnaryOp::*;
    matches!(op, Pow | Fin | Pow1 | Fin1 | Seq | Seq1 | Iseq | Iseq1)
}

/// Whether membership in a set is tested operand by operand.
fn is_taken_apart(op: BinaryOp) -> bool {
    use BinaryOp::*;
    matches!(op, Arrow(_) | Cartesian | Union | Intersection | Difference | Interval)
}
