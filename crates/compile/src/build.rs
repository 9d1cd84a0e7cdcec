//! From the model to compiled forms.

use std::sync::Arc;

use abridge_diag::with_stack;
use abridge_eval::{Interp, NameCache, cases};
use abridge_model::{
    BaseSet, BinaryOp, Binding, Comparison, Expr, ExprId, LocalId, Model, OpId, Pred, PredId, QuantifiedOp, Subst,
    SubstId, Target, UnaryOp,
};
use abridge_value::{Int, Set, Value};

use super::code::{Case, Code, Exec, Head, PerElement, Plan, SetTest, Source, Table, Test, While};
use super::plan::Wanted;
use super::{Layout, Operation, Program, staged};
use crate::symmetry::twins::Purpose;

pub(super) struct Builder<'a, 'm> {
    pub(super) model: &'m Model,
    pub(super) names: &'a NameCache,
    pub(super) layout: Layout,
    pub(super) numbers: Numbers,
    /// Operations being compiled; one that calls itself is left to the plain interpreter.
    open: Vec<OpId>,
    /// Constants stay the same for long, so that values for elements are worth keeping.
    keeps_per_element: bool,
}

/// How many places for what is remembered were given away.
#[derive(Clone, Copy, Default)]
pub(super) struct Numbers {
    cells: usize,
    tables: usize,
    /// Places for the values of expressions by element.
    per_element: usize,
    /// Places for classes of interchangeable elements.
    pub(super) classes: usize,
}

pub(super) fn program(interp: &Interp<'_>) -> Program {
    let model = interp.model();
    let layout = Layout::of(model);
    let mut builder = Builder { keeps_per_element: true, ..Builder::new(interp, layout, Numbers::default()) };
    let operations = model.operations.ids().map(|op| {
        let wanted = model.operations[op].is_top_level;
        if wanted { builder.operation(op) } else { None }
    });
    let operations: Vec<Option<Operation>> = operations.collect();
    let staged = model.operations.ids().zip(&operations);
    let staged = staged.map(|(op, form)| form.as_ref().and_then(|_| staged::staged(&mut builder, op))).collect();
    let conjuncts = model.invariant.iter().chain(&model.assertions).filter(|conjunct| !conjunct.is_gluing);
    let preds = conjuncts.map(|conjunct| conjunct.pred).chain(model.steering.goal);
    let tests = preds.map(|pred| (pred, builder.test(pred))).collect();
    Program { layout, n_cells: builder.numbers.cells, operations, staged, tests }
}

impl<'a, 'm> Builder<'a, 'm> {
    pub(super) fn new(interp: &'a Interp<'m>, layout: Layout, numbers: Numbers) -> Builder<'a, 'm> {
        Builder {
            model: interp.model(),
            names: interp.names(),
            layout,
            numbers,
            open: Vec::new(),
            keeps_per_element: false,
        }
    }
}

impl Builder<'_, '_> {
    /// An expression.
    pub(super) fn code(&mut self, id: ExprId) -> Code {
        with_stack(|| self.code_inner(id))
    }

    fn boxed(&mut self, id: ExprId) -> Box<Code> {
        Box::new(self.code(id))
    }

    fn interpret(&mut self, id: ExprId) -> Code {
        let names = self.names.of_expr(self.model, id);
        if names.locals.is_empty() && names.variables.is_empty() {
            self.numbers.cells += 1;
            return Code::Cell(self.numbers.cells - 1, id);
        }
        Code::Interpret(id, names)
    }

    fn code_inner(&mut self, id: ExprId) -> Code {
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

    fn per_element(&mut self, id: ExprId, local: LocalId) -> Code {
        let code = match self.operator(id) {
            code @ Code::Interpret(..) => return code,
            code => Box::new(code),
        };
        self.numbers.per_element += 1;
        Code::PerElement(PerElement { number: self.numbers.per_element - 1, slot: self.layout.local(local), code })
    }

    /// An expression that is more than a name or a literal, even if it is constant.
    pub(super) fn operator(&mut self, id: ExprId) -> Code {
        let model = self.model;
        match model.expr(id) {
            Expr::Unary(op, operand) if is_fast_unary(*op) => Code::Unary(*op, self.boxed(*operand)),
            Expr::Binary(BinaryOp::Apply, function, arg) if let Some(cases) = cases(model, *function) => {
                let cases = cases.into_iter().map(|(key, value)| (key, self.code(value))).collect();
                Code::Case(self.boxed(*arg), cases)
            }
            Expr::Binary(BinaryOp::Apply, function, arg) if let Some(code) = self.beta(*function, *arg) => code,
            Expr::Binary(BinaryOp::Apply, function, arg) => Code::Apply(self.head(*function), self.boxed(*arg)),
            Expr::Binary(BinaryOp::Image, relation, set) => self.image(*relation, *set),
            Expr::Binary(op, left, right) if is_fast_binary(*op) => {
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
                    let plan = self.with_twins(plan, &self.names.of_expr(model, id), Purpose::List);
                    Code::Collect(plan, Box::new(self.binder_tuple(binder)))
                }
                None => self.interpret(id),
            },
            Expr::SetImage { binder, pred, expr } => match self.table_plan(binder, Some(*pred)) {
                Some(plan) => {
                    let plan = self.with_twins(plan, &self.names.of_expr(model, id), Purpose::List);
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
                match plan.map(|plan| self.with_twins(plan, &self.names.of_expr(model, id), purpose)) {
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

    fn image(&mut self, relation: ExprId, set: ExprId) -> Code {
        match self.model.expr(relation) {
            Expr::Unary(UnaryOp::Inverse, forward) if !self.is_constant(relation) => {
                match self.code(*forward) {
                    // A relation that may be symbolic is turned round by the plain interpreter.
                    Code::Interpret(..) => Code::Image(self.head(relation), self.boxed(set)),
                    forward => Code::Preimage(Box::new(forward), self.boxed(set)),
                }
            }
            _ => Code::Image(self.head(relation), self.boxed(set)),
        }
    }

    /// A lambda that is applied where it stands; one of constants only is better a table.
    fn beta(&mut self, function: ExprId, arg: ExprId) -> Option<Code> {
        let Expr::Quantified { op: QuantifiedOp::Lambda, binder, pred, expr, .. } = self.model.expr(function) else {
            return None;
        };
        if self.is_constant(function) {
            return None;
        }
        let slots = binder.iter().map(|local| self.layout.local(*local)).collect();
        Some(Code::Beta(self.boxed(arg), slots, Box::new(self.test(*pred)), self.boxed(*expr)))
    }

    /// The values of the last local for which a predicate holds, given the others.
    pub(super) fn last_components(&mut self, binder: &[LocalId], pred: PredId) -> Option<Code> {
        let last = binder.last()?;
        let plan = self.plan(&[*last], &[pred], &[])?;
        Some(Code::Collect(plan, Box::new(Code::Slot(self.layout.local(*last)))))
    }

    /// A plan for all solutions, which are kept if they depend on constants only and take more than listing a set.
    fn table_plan(&mut self, binder: &[LocalId], pred: Option<PredId>) -> Option<Plan> {
        let mut plan = self.plan(binder, pred.as_slice(), &[])?;
        let names = pred.map(|pred| self.names.of_pred(self.model, pred)).unwrap_or_default();
        let is_constant = names.variables.is_empty() && names.locals.iter().all(|local| binder.contains(local));
        if is_constant && plan.steps.len() > 1 && !binder.is_empty() {
            plan.table = Some(self.table(binder, names.constants.is_empty()));
        }
        Some(plan)
    }

    /// A place for the values of some locals in all solutions.
    pub(super) fn table(&mut self, locals: &[LocalId], is_fixed: bool) -> Table {
        let slots = locals.iter().map(|local| self.layout.local(*local)).collect();
        self.numbers.tables += 1;
        Table { number: self.numbers.tables - 1, slots, is_fixed }
    }

    pub(super) fn is_constant(&self, id: ExprId) -> bool {
        let names = self.names.of_expr(self.model, id);
        names.locals.is_empty() && names.variables.is_empty()
    }

    fn bindings(&mut self, bindings: &[Binding]) -> Vec<(usize, Code)> {
        bindings.iter().map(|binding| (self.layout.local(binding.local), self.code(binding.value))).collect()
    }

    fn binder_tuple(&self, binder: &[LocalId]) -> Code {
        let mut slots = binder.iter().map(|local| Code::Slot(self.layout.local(*local)));
        let first = slots.next().unwrap_or(Code::Value(Value::Bool(false)));
        slots.fold(first, |left, right| Code::Binary(BinaryOp::Pair, Box::new(left), Box::new(right)))
    }

    /// A predicate.
    pub(super) fn test(&mut self, id: PredId) -> Test {
        with_stack(|| self.test_inner(id))
    }

    fn test_inner(&mut self, id: PredId) -> Test {
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
            Pred::Forall { binder, body } => match model.pred(*body) {
                Pred::Implies(condition, conclusion) => match self.table_plan(binder, Some(*condition)) {
                    Some(plan) => Test::Forall(self.for_truth(plan, id), Box::new(self.test(*conclusion))),
                    None => self.interpret_pred(id),
                },
                _ => match self.table_plan(binder, None) {
                    Some(plan) => Test::Forall(self.for_truth(plan, id), Box::new(self.test(*body))),
                    None => self.interpret_pred(id),
                },
            },
            Pred::If(condition, then, otherwise) => {
                Test::If(Box::new(self.test(*condition)), Box::new(self.test(*then)), Box::new(self.test(*otherwise)))
            }
            Pred::Let { bindings, body } => Test::Let(self.bindings(bindings), Box::new(self.test(*body))),
            Pred::Finite(_) | Pred::Partition(..) | Pred::External(..) => self.interpret_pred(id),
        }
    }

    /// The plan of a quantified predicate, which says where one of several elements is enough.
    fn for_truth(&mut self, plan: Plan, quantified: PredId) -> Plan {
        self.with_twins(plan, &self.names.of_pred(self.model, quantified), Purpose::Truth)
    }

    fn interpret_pred(&self, id: PredId) -> Test {
        Test::Interpret(id, self.names.of_pred(self.model, id))
    }

    fn comparison(&mut self, id: PredId, op: Comparison, left: ExprId, right: ExprId) -> Test {
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

    /// A set of which only membership matters.
    fn set_test(&mut self, id: ExprId) -> SetTest {
        with_stack(|| self.set_test_inner(id))
    }

    fn boxed_set(&mut self, id: ExprId) -> Box<SetTest> {
        Box::new(self.set_test(id))
    }

    fn set_test_inner(&mut self, id: ExprId) -> SetTest {
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
            Expr::StructSet(fields) => SetTest::Struct(fields.iter().map(|field| self.set_test(*field)).collect()),
            Expr::Comprehension { binder, pred, .. } if !self.is_constant(id) => {
                let slots = binder.iter().map(|local| self.layout.local(*local)).collect();
                SetTest::Comprehension(slots, Box::new(self.test(*pred)))
            }
            _ => SetTest::Head(self.head(id)),
        }
    }

    fn operation(&mut self, op: OpId) -> Option<Operation> {
        let model = self.model;
        let operation = &model.operations[op];
        self.open.push(op);
        let cases = self.cases(operation.body, &operation.params);
        self.open.pop();
        let slots =
            |locals: &[LocalId]| -> Vec<usize> { locals.iter().map(|local| self.layout.local(*local)).collect() };
        let (params, outputs) = (slots(&operation.params), slots(&operation.outputs));
        let writes = operation.effects.writes.iter().map(|id| self.layout.variable(id)).collect();
        let cases = cases?;
        let may_repeat =
            cases.len() > 1 || cases.iter().any(|case| case.plan.may_repeat || !is_deterministic(&case.body));
        Some(Operation { cases, label: [params, outputs.clone()].concat(), outputs, writes, may_repeat })
    }

    /// The ways an operation can go, as the plain interpreter sees them: its outermost PRE and the SELECTs directly inside are guards.
    fn cases(&mut self, body: SubstId, params: &[LocalId]) -> Option<Vec<Case>> {
        let mut first = OpenCase { guards: Vec::new(), excluded: Vec::new(), body };
        if let Subst::Pre { pred, body } = self.model.subst(body) {
            first.guards.push(*pred);
            first.body = *body;
        }
        let mut open = vec![first];
        let mut done = Vec::new();
        while let Some(case) = open.pop() {
            let Subst::Select { branches, otherwise } = self.model.subst(case.body) else {
                let plan = self.plan_for(Wanted::Choice, params, &case.guards, &case.excluded)?;
                let body = self.exec(case.body)?;
                done.push(Case { plan, is_settled: is_deterministic(&body), body });
                continue;
            };
            let all: Vec<PredId> = branches.iter().map(|(guard, _)| *guard).collect();
            if let Some(body) = otherwise {
                open.push(OpenCase {
                    excluded: [&case.excluded[..], &all].concat(),
                    body: *body,
                    guards: case.guards.clone(),
                });
            }
            for (guard, body) in branches.iter().rev() {
                open.push(OpenCase {
                    guards: [&case.guards[..], &[*guard]].concat(),
                    body: *body,
                    excluded: case.excluded.clone(),
                });
            }
        }
        Some(done)
    }

    fn target(&self, target: Target) -> usize {
        match target {
            Target::Variable(id) => self.layout.variable(id),
            Target::Local(id) => self.layout.local(id),
        }
    }

    /// A substitution; nothing if it is not covered.
    pub(super) fn exec(&mut self, id: SubstId) -> Option<Exec> {
        with_stack(|| self.exec_inner(id))
    }

    fn exec_inner(&mut self, id: SubstId) -> Option<Exec> {
        let model = self.model;
        Some(match model.subst(id) {
            Subst::Skip => Exec::Skip,
            Subst::Assign { targets, values } => Exec::Assign(
                targets.iter().zip(values).map(|(target, value)| (self.target(*target), self.code(*value))).collect(),
            ),
            Subst::BecomesElement { targets, set } => {
                let source = match self.code(*set) {
                    Code::Interpret(id, names) => Source::Interpret(id, names),
                    code => Source::Code(code),
                };
                Exec::Choose { targets: targets.iter().map(|target| self.target(*target)).collect(), source }
            }
            Subst::BecomesSuch { targets, new, pred } => {
                let plan = self.plan_for(Wanted::Choice, new, &[*pred], &[])?;
                let copies =
                    new.iter().zip(targets).map(|(new, target)| (self.layout.local(*new), self.target(*target)));
                Exec::Such { plan, copies: copies.collect() }
            }
            Subst::Pre { pred, body } | Subst::Assert { pred, body } => {
                Exec::Require(self.test(*pred), Box::new(self.exec(*body)?))
            }
            Subst::Select { branches, otherwise } => {
                let (branches, otherwise) = self.branches(branches, *otherwise)?;
                Exec::Select { branches, otherwise }
            }
            Subst::If { branches, otherwise } => {
                let (branches, otherwise) = self.branches(branches, *otherwise)?;
                Exec::If { branches, otherwise }
            }
            Subst::Choice(parts) => Exec::Choice(self.all(parts)?),
            Subst::Case { selector, branches, otherwise } => {
                let selector = self.code(*selector);
                let mut compiled = Vec::new();
                for (values, body) in branches {
                    let values = values.iter().map(|value| self.code(*value)).collect();
                    compiled.push((values, self.exec(*body)?));
                }
                Exec::Case { selector, branches: compiled, otherwise: self.optional(*otherwise)? }
            }
            Subst::Any { binder, pred, body } => {
                Exec::Any(self.plan_for(Wanted::Choice, binder, &[*pred], &[])?, Box::new(self.exec(*body)?))
            }
            Subst::Let { bindings, body } => Exec::Let(self.bindings(bindings), Box::new(self.exec(*body)?)),
            Subst::Var { locals, body } => {
                Exec::Var(locals.iter().map(|local| self.layout.local(*local)).collect(), Box::new(self.exec(*body)?))
            }
            Subst::While { condition, body, invariant, variant, before } => {
                let writes = self.written(*body);
                let body = self.exec(*body)?;
                if !is_deterministic(&body) {
                    return None;
                }
                let before =
                    before.iter().map(|(target, local)| (self.target(*target), self.layout.local(*local))).collect();
                let (condition, invariant) = (self.test(*condition), self.test(*invariant));
                let variant = self.code(*variant);
                Exec::While(Box::new(While { condition, body, writes, invariant, variant, before }))
            }
            Subst::Call { op, args, outputs } => self.call(*op, args, outputs)?,
            Subst::External(..) => return None,
            Subst::Sequence(parts) => Exec::Sequence(self.all(parts)?),
            Subst::Parallel(parts) => self.parallel(parts)?,
        })
    }

    fn all(&mut self, parts: &[SubstId]) -> Option<Vec<Exec>> {
        parts.iter().map(|part| self.exec(*part)).collect()
    }

    fn optional(&mut self, body: Option<SubstId>) -> Option<Option<Box<Exec>>> {
        match body {
            Some(body) => Some(Some(Box::new(self.exec(body)?))),
            None => Some(None),
        }
    }

    #[expect(clippy::type_complexity, reason = "the two parts of IF and SELECT")]
    fn branches(
        &mut self,
        branches: &[(PredId, SubstId)],
        otherwise: Option<SubstId>,
    ) -> Option<(Vec<(Test, Exec)>, Option<Box<Exec>>)> {
        let mut compiled = Vec::new();
        for (condition, body) in branches {
            compiled.push((self.test(*condition), self.exec(*body)?));
        }
        Some((compiled, self.optional(otherwise)?))
    }

    fn call(&mut self, op: OpId, args: &[ExprId], outputs: &[Target]) -> Option<Exec> {
        if self.open.contains(&op) || self.open.len() > 20 {
            return None;
        }
        let operation = &self.model.operations[op];
        self.open.push(op);
        let body = self.exec(operation.body);
        self.open.pop();
        let params = operation
            .params
            .iter()
            .zip(args)
            .map(|(param, arg)| (self.layout.local(*param), self.code(*arg)))
            .collect();
        let locals: Vec<usize> = operation.outputs.iter().map(|local| self.layout.local(*local)).collect();
        let outputs = locals.iter().copied().zip(outputs.iter().map(|target| self.target(*target))).collect();
        Some(Exec::Call { params, locals, body: Arc::new(body?), outputs })
    }

    fn parallel(&mut self, parts: &[SubstId]) -> Option<Exec> {
        let compiled = self.all(parts)?;
        if compiled.iter().all(|part| matches!(part, Exec::Assign(_) | Exec::Skip)) {
            let assignments = compiled.into_iter().flat_map(|part| match part {
                Exec::Assign(assignments) => assignments,
                _ => Vec::new(),
            });
            return Some(Exec::Assign(assignments.collect()));
        }
        let writes = parts.iter().map(|part| self.written(*part));
        let writes: Vec<Vec<usize>> = writes.collect();
        let disjoint = (0..writes.len())
            .all(|i| writes[i + 1..].iter().all(|other| other.iter().all(|slot| !writes[i].contains(slot))));
        disjoint.then(|| Exec::Parallel(compiled.into_iter().zip(writes).collect()))
    }

    /// Slots that a substitution may write, calls included.
    fn written(&self, id: SubstId) -> Vec<usize> {
        self.targets(id).into_iter().map(|(_, slot)| slot).collect()
    }

    /// What a substitution may write, calls included, in the order of slots.
    pub(super) fn targets(&self, id: SubstId) -> Vec<(Target, usize)> {
        let model = self.model;
        let mut written = Vec::new();
        model.for_each_node(abridge_model::walk::Node::Subst(id), &mut |node| {
            let abridge_model::walk::Node::Subst(id) = node else { return };
            written.extend(model.subst(id).targets());
            if let Subst::Call { op, .. } = model.subst(id) {
                written.extend(model.operations[*op].effects.writes.iter().map(Target::Variable));
            }
        });
        let mut written: Vec<(Target, usize)> =
            written.into_iter().map(|target| (target, self.target(target))).collect();
        written.sort_unstable_by_key(|(_, slot)| *slot);
        written.dedup();
        written
    }
}

struct OpenCase {
    guards: Vec<PredId>,
    excluded: Vec<PredId>,
    body: SubstId,
}

/// At most one outcome.
pub(super) fn is_deterministic(exec: &Exec) -> bool {
    match exec {
        Exec::Skip | Exec::Assign(_) => true,
        Exec::Choose { .. } | Exec::Such { .. } | Exec::Any(..) | Exec::Choice(_) => false,
        Exec::Select { branches, otherwise } => {
            branches.len() == 1 && is_deterministic(&branches[0].1) && otherwise.as_deref().is_none_or(is_deterministic)
        }
        Exec::Require(_, body) | Exec::Let(_, body) | Exec::Var(_, body) => is_deterministic(body),
        Exec::If { branches, otherwise } => {
            branches.iter().all(|(_, body)| is_deterministic(body)) && otherwise.as_deref().is_none_or(is_deterministic)
        }
        Exec::Case { branches, otherwise, .. } => {
            branches.iter().all(|(_, body)| is_deterministic(body)) && otherwise.as_deref().is_none_or(is_deterministic)
        }
        Exec::While(_) => true,
        Exec::Call { body, .. } => is_deterministic(body),
        Exec::Sequence(parts) => parts.iter().all(is_deterministic),
        Exec::Parallel(parts) => parts.iter().all(|(part, _)| is_deterministic(part)),
    }
}

/// Operators that `operators.rs` knows.
fn is_fast_unary(op: UnaryOp) -> bool {
    use UnaryOp::*;
    matches!(
        op,
        Negate
            | Max
            | Min
            | Card
            | GeneralUnion
            | GeneralInter
            | First
            | Second
            | Dom
            | Ran
            | Inverse
            | Id
            | Closure1
            | Size
            | SeqFirst
            | SeqLast
            | Front
            | Tail
            | Rev
    )
}

fn is_fast_binary(op: BinaryOp) -> bool {
    use BinaryOp::*;
    matches!(
        op,
        Add | Subtract
            | Multiply
            | Divide
            | Modulo
            | Power
            | Interval
            | Union
            | Intersection
            | Difference
            | Cartesian
            | Pair
            | DomainRestrict
            | DomainSubtract
            | RangeRestrict
            | RangeSubtract
            | Override
            | Compose
            | Concat
            | InsertFront
            | InsertTail
            | Take
            | Drop
    )
}

/// Unused plans would never be built: a plan without steps has one solution.
impl Plan {
    pub(super) fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }
}
