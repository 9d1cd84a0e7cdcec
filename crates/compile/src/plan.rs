//! Ordering a search before it runs.
//!
//! Greedy: conditions are tested as soon as their unknowns are bound; the next unknown is bound by the cheapest means at hand, an
//! equation before a small set before a range before a type. A conjunction for which nothing bounds some unknown has no plan here and is
//! left to the plain interpreter.

use abridge_model::{BaseSet, BinaryOp, Comparison, Expr, ExprId, LocalId, Pred, PredId, Type, TypeTable, UnaryOp};

use super::build::Builder;
use super::code::{Code, Head, Part, Pattern, Plan, Source, Step, Test};
use super::keys::Equation;

/// Larger types are not enumerated.
const MAX_TYPE: f64 = 70_000.0;

/// Rather than trying so many values, an existential statement is opened that defines them.
const DEAR: f64 = 64.0;

/// Of so many values those that an equation asks for are looked up.
const SEVERAL: f64 = 16.0;

/// So many values are not tried again and again if few of them can pass.
const MANY: f64 = 200.0;

/// So many combinations are not tried if an equation or a choice of conditions relates them.
const HOPELESS: f64 = 1e5;

/// So many sets are not tried one by one: the solver knows how to bound them.
const ENDLESS: f64 = 1e12;

/// A plan splits into at most so many ways.
const MAX_BRANCHES: u32 = 16;

/// A conjunct that is not used up.
#[derive(Clone)]
pub(super) struct Conjunct {
    pub(super) pred: PredId,
    /// The unknowns it mentions.
    unknowns: Vec<LocalId>,
    negated: bool,
}

/// What solutions are wanted for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// A quantifier or a set: interchangeable elements are tried one after the other, so that one of them can do for all.
    Condition,
    /// The stage of an operation that is remembered: every solution is wanted, in whatever order.
    Stage,
    /// What a substitution chooses: every solution, or one of each kind.
    Choice,
}

/// How far planning goes.
pub(super) struct Limits {
    /// An equation or a disjunction relates several unknowns.
    is_puzzle: bool,
    /// How many ways the plan has split into.
    n_branches: u32,
    /// What is chosen may be one of more than can be tried, since one of each kind can be enough.
    by_kind: bool,
    /// Functions may be looked through for a value (`keys.rs`).
    uses_keys: bool,
}

impl Limits {
    /// For one of two ways to go on.
    pub(super) fn split(&self) -> Limits {
        Limits { n_branches: self.n_branches * 2, ..*self }
    }

    pub(super) fn without_keys(&self) -> Limits {
        Limits { uses_keys: false, ..self.split() }
    }
}

/// A way to bind something.
struct Choice {
    cost: f64,
    step: ChoiceStep,
    /// The conjunct that is used up.
    consumes: Option<usize>,
}

enum ChoiceStep {
    Match {
        pattern: ExprId,
        value: ExprId,
    },
    /// `x + e = value` or the like, solved for `x`.
    Solve {
        local: LocalId,
        value: ExprId,
        other: ExprId,
        how: Inverse,
    },
    Split {
        operands: Vec<ExprId>,
        value: ExprId,
    },
    Elements {
        pattern: ExprId,
        set: ExprId,
    },
    Images {
        key: ExprId,
        pattern: ExprId,
        relation: ExprId,
    },
    Subsets {
        local: LocalId,
        set: ExprId,
    },
    Range {
        local: LocalId,
    },
    Type {
        local: LocalId,
    },
    /// A disjunction whose alternatives say what the unknowns are.
    Either {
        pred: PredId,
    },
    Keys(Equation),
}

#[derive(Clone, Copy)]
enum Inverse {
    /// `x + other = value`
    Sum,
    /// `x - other = value`
    Minuend,
    /// `other - x = value`
    Subtrahend,
}

impl Builder<'_, '_> {
    /// A plan for the solutions of `required`, with all of `excluded` false.
    pub(super) fn plan(&mut self, binder: &[LocalId], required: &[PredId], excluded: &[PredId]) -> Option<Plan> {
        self.plan_for(Wanted::Condition, binder, required, excluded)
    }

    pub(super) fn plan_for(
        &mut self,
        wanted: Wanted,
        binder: &[LocalId],
        required: &[PredId],
        excluded: &[PredId],
    ) -> Option<Plan> {
        let open: Vec<LocalId> = binder.to_vec();
        let mut waiting = Vec::new();
        for pred in required {
            for pred in self.names.conjuncts(self.model, *pred).iter() {
                waiting.push(self.conjunct(*pred, binder, false));
            }
        }
        for pred in excluded {
            waiting.push(self.conjunct(*pred, binder, true));
        }
        let is_puzzle = waiting.iter().any(|conjunct| self.is_sum_of_unknowns(conjunct) || self.is_choice(conjunct));
        let (by_kind, uses_keys) = (wanted == Wanted::Choice, wanted != Wanted::Condition);
        let limits = Limits { is_puzzle, n_branches: 1, by_kind, uses_keys };
        self.plan_rest(waiting, open, &limits)
    }

    pub(super) fn plan_rest(
        &mut self,
        mut waiting: Vec<Conjunct>,
        mut open: Vec<LocalId>,
        limits: &Limits,
    ) -> Option<Plan> {
        let mut steps = Vec::new();
        let mut may_repeat = false;
        let mut n_candidates = 1.0;
        loop {
            self.tests(&mut waiting, &open, &mut steps)?;
            if open.is_empty() {
                break;
            }
            let choice = self.cheapest(&waiting, &open, limits);
            if choice.as_ref().is_none_or(|choice| choice.cost > DEAR) {
                if let Some(idx) = self.defining(&waiting, &open) {
                    self.open_exists(idx, &mut waiting, &mut open);
                    may_repeat = true;
                    continue;
                }
                if let Some((idx, condition, consequence)) = self.conditional(&waiting, &open)
                    && limits.n_branches < MAX_BRANCHES
                {
                    let implication = waiting.remove(idx);
                    let (step, repeats) =
                        self.either_way((condition, consequence), &implication, waiting, open, &limits.split())?;
                    steps.push(step);
                    return Some(Plan { steps, may_repeat: may_repeat || repeats, table: None });
                }
            }
            let choice = choice?;
            if let ChoiceStep::Keys(equation) = choice.step {
                let (step, repeats) = self.by_keys(equation, waiting, open, limits)?;
                steps.push(step);
                return Some(Plan { steps, may_repeat: may_repeat || repeats, table: None });
            }
            if let Some(idx) = choice.consumes {
                waiting.remove(idx);
            }
            may_repeat |= matches!(choice.step, ChoiceStep::Either { .. });
            n_candidates *= choice.cost.max(1.0);
            if limits.is_puzzle && n_candidates > HOPELESS || choice.cost > ENDLESS && self.tries_sets(&choice.step) {
                return None;
            }
            let step = self.choose(choice, &mut waiting, &mut open)?;
            steps.push(step);
        }
        Some(Plan { steps, may_repeat, table: None })
    }

    /// `P => x = E` with a condition that can be decided before `x` is known.
    fn conditional(&self, waiting: &[Conjunct], open: &[LocalId]) -> Option<(usize, PredId, PredId)> {
        waiting.iter().enumerate().filter(|(_, conjunct)| !conjunct.negated).find_map(|(idx, conjunct)| {
            let Pred::Implies(condition, consequence) = self.model.pred(conjunct.pred) else { return None };
            let names = self.names.of_pred(self.model, *condition);
            let is_decided = !names.locals.iter().any(|local| open.contains(local));
            let parts = self.names.conjuncts(self.model, *consequence);
            let parts: Vec<Conjunct> = parts.iter().map(|part| self.conjunct(*part, open, false)).collect();
            (is_decided && self.determined(&parts, open).is_some()).then_some((idx, *condition, *consequence))
        })
    }

    /// The rest of a plan twice: with what follows from a condition where it holds, and without where it does not.
    fn either_way(
        &mut self,
        (condition, consequence): (PredId, PredId),
        implication: &Conjunct,
        waiting: Vec<Conjunct>,
        open: Vec<LocalId>,
        limits: &Limits,
    ) -> Option<(Step, bool)> {
        let mut richer = waiting.clone();
        for part in self.names.conjuncts(self.model, consequence).iter() {
            richer.push(self.conjunct(*part, &implication.unknowns, false));
        }
        let holds = Step::Test { test: self.test(condition), is_open: true };
        let fails = Step::Test { test: Test::Not(Box::new(self.test(condition))), is_open: true };
        let mut with = self.plan_rest(richer, open.clone(), limits)?;
        let mut without = self.plan_rest(waiting, open, limits)?;
        with.steps.insert(0, holds);
        without.steps.insert(0, fails);
        Some((Step::Either(vec![with.steps, without.steps]), with.may_repeat || without.may_repeat))
    }

    /// An equation of integers about several unknowns: what it leaves out, the solver finds by bounds, a plan only by trying.
    fn is_sum_of_unknowns(&self, conjunct: &Conjunct) -> bool {
        matches!(self.model.pred(conjunct.pred), Pred::Compare(Comparison::Equal, left, _)
            if !conjunct.negated && conjunct.unknowns.len() > 2 && self.model.ty(*left) == TypeTable::INTEGER)
    }

    /// Conditions on different integers, one of which must hold: once some are known, the solver infers bounds of the others from what is left.
    fn is_choice(&self, conjunct: &Conjunct) -> bool {
        let Pred::Or(parts) = self.model.pred(conjunct.pred) else { return false };
        let is_integer = |local: &LocalId| self.model.locals[*local].ty == TypeTable::INTEGER;
        let is_single = |part: &PredId| self.conjunct(*part, &conjunct.unknowns, false).unknowns.len() == 1;
        !conjunct.negated
            && conjunct.unknowns.len() > 1
            && conjunct.unknowns.iter().all(is_integer)
            && parts.iter().all(is_single)
    }

    /// Whether a choice tries all subsets of a set.
    fn tries_sets(&self, step: &ChoiceStep) -> bool {
        match step {
            ChoiceStep::Subsets { .. } => true,
            ChoiceStep::Elements { set, .. } => matches!(
                self.model.expr(*set),
                Expr::Unary(UnaryOp::Pow | UnaryOp::Pow1 | UnaryOp::Fin | UnaryOp::Fin1, _)
            ),
            _ => false,
        }
    }

    /// The step of a choice. If it may try many values that depend on constants only, those that pass all conditions which do so too are
    /// kept for the next time: by what an equation asks for if there is one, or by their points.
    fn choose(&mut self, choice: Choice, waiting: &mut Vec<Conjunct>, open: &mut Vec<LocalId>) -> Option<Step> {
        let n_values = self.n_constant_values(&choice, open);
        let before = open.clone();
        let step = self.step(choice.step, waiting, open)?;
        let bound: Vec<LocalId> = before.into_iter().filter(|local| !open.contains(local)).collect();
        let is_fixed_test = |conjunct: &Conjunct| {
            let names = self.names.of_pred(self.model, conjunct.pred);
            names.variables.is_empty() && names.locals.iter().all(|local| bound.contains(local))
        };
        let key = if n_values >= SEVERAL { self.joining(waiting, &bound, open) } else { None };
        let tests = if n_values >= MANY { self.pointwise(waiting, &bound, open) } else { Vec::new() };
        if key.is_none() && tests.is_empty() && (n_values < MANY || !waiting.iter().any(is_fixed_test)) {
            return Some(step);
        }
        let key = key.map(|(idx, key, value)| {
            waiting.remove(idx);
            (self.code(key), self.code(value))
        });
        let (mut fixed, rest) = waiting.drain(..).partition(is_fixed_test);
        *waiting = rest;
        let mut steps = vec![step];
        self.tests(&mut fixed, &[], &mut steps)?;
        let plan = Plan { steps, may_repeat: false, table: Some(self.table(&bound, false)) };
        Some(match key {
            Some((key, value)) => Step::Join { plan, key, value },
            None if !tests.is_empty() => {
                Step::Prefixes { plan, tests: tests.into_iter().map(|pred| self.test(pred)).collect() }
            }
            None => Step::Rows(plan),
        })
    }

    /// How many values a choice tries that depend on constants only; there may be many if nothing but their value tells.
    fn n_constant_values(&self, choice: &Choice, open: &[LocalId]) -> f64 {
        match &choice.step {
            step if !self.is_constant_choice(step, open) => 0.0,
            ChoiceStep::Elements { set, .. } if matches!(self.model.expr(*set), Expr::Constant(_)) => MANY,
            _ => choice.cost,
        }
    }

    /// Conditions that can be tested now and that read the only local just bound, a function, by application only.
    fn pointwise(&self, waiting: &[Conjunct], bound: &[LocalId], open: &[LocalId]) -> Vec<PredId> {
        let [local] = bound else { return Vec::new() };
        if self.model.types.relation(self.model.locals[*local].ty).is_none() {
            return Vec::new();
        }
        let is_usable = |conjunct: &&Conjunct| {
            let names = self.names.of_pred(self.model, conjunct.pred);
            let is_changing = !names.variables.is_empty() || names.locals.len() > 1;
            !conjunct.negated
                && is_changing
                && conjunct.unknowns.contains(local)
                && !conjunct.unknowns.iter().any(|unknown| open.contains(unknown))
                && self.is_only_applied(*local, conjunct.pred)
        };
        waiting.iter().filter(is_usable).map(|conjunct| conjunct.pred).collect()
    }

    fn is_only_applied(&self, function: LocalId, pred: PredId) -> bool {
        let is_function = |id: ExprId| matches!(self.model.expr(id), Expr::Local(local) if *local == function);
        let (mut n_uses, mut n_applications) = (0, 0);
        self.model.for_each_node(abridge_model::walk::Node::Pred(pred), &mut |node| {
            let abridge_model::walk::Node::Expr(id) = node else { return };
            n_uses += usize::from(is_function(id));
            if let Expr::Binary(BinaryOp::Apply, applied, _) = self.model.expr(id) {
                n_applications += usize::from(is_function(*applied));
            }
        });
        n_uses == n_applications
    }

    /// An equation between what depends on the locals just bound and constants only, and what was known before: its place and sides.
    fn joining(&self, waiting: &[Conjunct], bound: &[LocalId], open: &[LocalId]) -> Option<(usize, ExprId, ExprId)> {
        waiting.iter().enumerate().filter(|(_, conjunct)| !conjunct.negated).find_map(|(idx, conjunct)| {
            let Pred::Compare(Comparison::Equal, left, right) = self.model.pred(conjunct.pred) else { return None };
            let joins = |(key, value): &(ExprId, ExprId)| {
                let (of_key, of_value) = (self.names.of_expr(self.model, *key), self.names.of_expr(self.model, *value));
                let is_new = |local: &LocalId| bound.contains(local) || open.contains(local);
                let is_changing = !of_value.locals.is_empty() || !of_value.variables.is_empty();
                let is_own = !of_key.locals.is_empty() && of_key.locals.iter().all(|local| bound.contains(local));
                of_key.variables.is_empty() && is_own && is_changing && !of_value.locals.iter().any(is_new)
            };
            let sides = [(*left, *right), (*right, *left)].into_iter().find(joins);
            sides.map(|(key, value)| (idx, key, value))
        })
    }

    /// Whether what is tried depends on constants only.
    fn is_constant_choice(&self, step: &ChoiceStep, open: &[LocalId]) -> bool {
        match step {
            ChoiceStep::Elements { set, pattern } => self.is_constant(*set) && self.is_open_pattern(*pattern, open),
            ChoiceStep::Subsets { set, .. } => self.is_constant(*set),
            ChoiceStep::Type { .. } => true,
            _ => false,
        }
    }

    /// An existential statement that says what an open unknown is in terms of its own: `#y.(y : S & x = f(y))`.
    fn defining(&self, waiting: &[Conjunct], open: &[LocalId]) -> Option<usize> {
        waiting.iter().position(|conjunct| {
            let Pred::Exists { binder, body } = self.model.pred(conjunct.pred) else { return false };
            let defines = |pred: &PredId| match self.model.pred(*pred) {
                Pred::Compare(Comparison::Equal, left, right) => [(*left, *right), (*right, *left)]
                    .into_iter()
                    .any(|(pattern, value)| self.is_pattern(pattern, open) && self.is_bound(value, open)),
                _ => false,
            };
            let is_new = binder.iter().all(|local| !open.contains(local));
            !conjunct.negated && is_new && self.names.conjuncts(self.model, *body).iter().any(defines)
        })
    }

    /// Its unknowns are looked for together with ours. What they may be several times is one solution of ours.
    fn open_exists(&mut self, idx: usize, waiting: &mut Vec<Conjunct>, open: &mut Vec<LocalId>) {
        let Conjunct { pred, unknowns, .. } = waiting.remove(idx);
        let Pred::Exists { binder, body } = self.model.pred(pred) else { return };
        open.extend(binder);
        let all = [&unknowns[..], binder].concat();
        for pred in self.names.conjuncts(self.model, *body).iter() {
            waiting.push(self.conjunct(*pred, &all, false));
        }
    }

    pub(super) fn conjunct(&self, pred: PredId, binder: &[LocalId], negated: bool) -> Conjunct {
        let names = self.names.of_pred(self.model, pred);
        let unknowns = binder.iter().copied().filter(|local| names.locals.contains(local)).collect();
        Conjunct { pred, unknowns, negated }
    }

    /// Moves what can be tested into the plan, simple conditions first.
    fn tests(&mut self, waiting: &mut Vec<Conjunct>, open: &[LocalId], steps: &mut Vec<Step>) -> Option<()> {
        let (mut ready, rest): (Vec<Conjunct>, Vec<Conjunct>) =
            waiting.drain(..).partition(|conjunct| !conjunct.unknowns.iter().any(|local| open.contains(local)));
        *waiting = rest;
        ready.sort_by_key(|conjunct| self.weight(conjunct.pred));
        for conjunct in ready {
            let mut test = self.test(conjunct.pred);
            if conjunct.negated {
                test = Test::Not(Box::new(test));
            }
            if !matches!(test, Test::Known(true)) {
                steps.push(Step::Test { test, is_open: !conjunct.unknowns.is_empty() });
            }
        }
        Some(())
    }

    /// Roughly what a test costs: quantifiers and comprehensions come last.
    fn weight(&self, pred: PredId) -> u32 {
        let mut weight = 0_u32;
        self.model.for_each_node(abridge_model::walk::Node::Pred(pred), &mut |node| {
            let binds = !self.model.bound_locals(node).is_empty();
            weight = weight.saturating_add(if binds { 1000 } else { 1 });
        });
        weight
    }

    fn is_bound(&self, expr: ExprId, open: &[LocalId]) -> bool {
        !self.names.of_expr(self.model, expr).locals.iter().any(|local| open.contains(local))
    }

    pub(super) fn open_local(&self, expr: ExprId, open: &[LocalId]) -> Option<LocalId> {
        match self.model.expr(expr) {
            Expr::Local(local) if open.contains(local) => Some(*local),
            _ => None,
        }
    }

    /// A tree of pairs whose leaves are open unknowns or bound expressions, with at least one unknown, each once.
    pub(super) fn is_pattern(&self, expr: ExprId, open: &[LocalId]) -> bool {
        let mut unknowns = Vec::new();
        self.collect_pattern(expr, open, &mut unknowns) && !unknowns.is_empty()
    }

    fn collect_pattern(&self, expr: ExprId, open: &[LocalId], unknowns: &mut Vec<LocalId>) -> bool {
        if let Some(local) = self.open_local(expr, open) {
            let is_new = !unknowns.contains(&local);
            unknowns.push(local);
            return is_new;
        }
        match self.model.expr(expr) {
            _ if self.is_bound(expr, open) => true,
            Expr::Binary(BinaryOp::Pair, left, right) => {
                self.collect_pattern(*left, open, unknowns) && self.collect_pattern(*right, open, unknowns)
            }
            _ => false,
        }
    }

    /// A tree of pairs of open unknowns.
    pub(super) fn is_open_pattern(&self, expr: ExprId, open: &[LocalId]) -> bool {
        match self.model.expr(expr) {
            Expr::Binary(BinaryOp::Pair, left, right) => {
                self.is_open_pattern(*left, open) && self.is_open_pattern(*right, open)
            }
            _ => self.open_local(expr, open).is_some(),
        }
    }

    fn cheapest(&self, waiting: &[Conjunct], open: &[LocalId], limits: &Limits) -> Option<Choice> {
        let mut best: Option<Choice> = None;
        let mut offer = |choice: Choice| {
            let is_better = best.as_ref().is_none_or(|best| {
                choice.cost < best.cost
                    || choice.cost == best.cost
                        && choice.cost > 1.0
                        && self.left_after(&choice, waiting, open) < self.left_after(best, waiting, open)
            });
            if is_better {
                best = Some(choice);
            }
        };
        for (idx, conjunct) in waiting.iter().enumerate().filter(|(_, conjunct)| !conjunct.negated) {
            self.offers((idx, conjunct.pred), open, limits, &mut offer);
            if limits.uses_keys && limits.n_branches < MAX_BRANCHES {
                self.offer_keys(conjunct.pred, open, &mut offer);
            }
            self.offer_split(idx, waiting, open, &mut offer);
        }
        for local in open {
            if let Some(cost) = self.range_cost(*local, waiting, open) {
                offer(Choice { cost, step: ChoiceStep::Range { local: *local }, consumes: None });
            }
            let size = self.type_size(self.model.locals[*local].ty);
            if size <= MAX_TYPE {
                offer(Choice { cost: size * 1.5, step: ChoiceStep::Type { local: *local }, consumes: None });
            }
        }
        best
    }

    /// How many unknowns are left to be tried once a choice is made and equations have said what follows from it.
    fn left_after(&self, choice: &Choice, waiting: &[Conjunct], open: &[LocalId]) -> usize {
        let mut left = open.to_vec();
        match &choice.step {
            ChoiceStep::Solve { local, .. }
            | ChoiceStep::Subsets { local, .. }
            | ChoiceStep::Range { local }
            | ChoiceStep::Type { local } => left.retain(|open| open != local),
            ChoiceStep::Match { pattern, .. }
            | ChoiceStep::Elements { pattern, .. }
            | ChoiceStep::Images { pattern, .. }
            | ChoiceStep::Keys(Equation { pattern, .. }) => self.drop_names(*pattern, &mut left),
            ChoiceStep::Either { pred } => {
                let names = self.names.of_pred(self.model, *pred);
                left.retain(|local| !names.locals.contains(local));
            }
            ChoiceStep::Split { operands, .. } => {
                operands.iter().for_each(|operand| self.drop_names(*operand, &mut left));
            }
        }
        while let Some(determined) = self.determined(waiting, &left) {
            self.drop_names(determined, &mut left);
        }
        left.len()
    }

    pub(super) fn drop_names(&self, expr: ExprId, open: &mut Vec<LocalId>) {
        let names = self.names.of_expr(self.model, expr);
        open.retain(|local| !names.locals.contains(local));
    }

    /// One side of an equation whose open unknowns follow from the other side.
    pub(super) fn determined(&self, waiting: &[Conjunct], open: &[LocalId]) -> Option<ExprId> {
        waiting.iter().filter(|conjunct| !conjunct.negated).find_map(|conjunct| {
            let Pred::Compare(Comparison::Equal, left, right) = self.model.pred(conjunct.pred) else { return None };
            let follows = |(pattern, value): &(ExprId, ExprId)| {
                self.is_bound(*value, open)
                    && (self.is_pattern(*pattern, open) || self.solvable(*pattern, *value, open).is_some())
            };
            [(*left, *right), (*right, *left)].into_iter().find(follows).map(|(pattern, _)| pattern)
        })
    }

    fn offers(&self, (idx, pred): (usize, PredId), open: &[LocalId], limits: &Limits, offer: &mut dyn FnMut(Choice)) {
        let consumes = Some(idx);
        match self.model.pred(pred) {
            Pred::Compare(Comparison::Equal, left, right) => {
                for (pattern, value) in [(*left, *right), (*right, *left)] {
                    if self.is_bound(value, open) {
                        if self.is_pattern(pattern, open) {
                            offer(Choice { cost: 0.5, step: ChoiceStep::Match { pattern, value }, consumes });
                        } else if let Some(step) = self.solvable(pattern, value, open) {
                            offer(Choice { cost: 0.6, step, consumes });
                        }
                    }
                }
            }
            Pred::Compare(Comparison::Member, elem, set)
                if self.is_bound(*set, open) && self.is_pattern(*elem, open) =>
            {
                if let Expr::Binary(BinaryOp::Pair, key, rest) = self.model.expr(*elem)
                    && self.is_bound(*key, open)
                    && self.is_listable(*set)
                {
                    let step = ChoiceStep::Images { key: *key, pattern: *rest, relation: *set };
                    offer(Choice { cost: 1.5, step, consumes });
                    return;
                }
                let cost = self.set_cost(*set);
                if cost < f64::INFINITY {
                    offer(Choice { cost, step: ChoiceStep::Elements { pattern: *elem, set: *set }, consumes });
                }
            }
            Pred::Compare(Comparison::Subset, part, whole) if self.is_bound(*whole, open) => {
                if let Some(local) = self.open_local(*part, open) {
                    let cost = self.set_cost(*whole).min(64.0).exp2();
                    if (cost <= 1e9 || limits.by_kind) && self.is_listable(*whole) {
                        offer(Choice { cost, step: ChoiceStep::Subsets { local, set: *whole }, consumes });
                    }
                }
            }
            Pred::Or(_) => {
                if let Some(alternatives) = self.alternatives(pred, open) {
                    offer(Choice { cost: alternatives.len() as f64, step: ChoiceStep::Either { pred }, consumes });
                }
            }
            _ => {}
        }
    }

    /// `f(x) = value` with a function of the state.
    fn offer_keys(&self, pred: PredId, open: &[LocalId], offer: &mut dyn FnMut(Choice)) {
        let Pred::Compare(Comparison::Equal, left, right) = self.model.pred(pred) else { return };
        for (side, value) in [(*left, *right), (*right, *left)] {
            if let Some(equation) = self.applied_to_unknowns(side, value, open).filter(|_| self.is_bound(value, open)) {
                offer(Choice { cost: 1.8, step: ChoiceStep::Keys(equation), consumes: None });
            }
        }
    }

    /// `value = x ^ y ^ ...`
    fn offer_split(&self, idx: usize, waiting: &[Conjunct], open: &[LocalId], offer: &mut dyn FnMut(Choice)) {
        let Pred::Compare(Comparison::Equal, left, right) = self.model.pred(waiting[idx].pred) else { return };
        for (expr, value) in [(*left, *right), (*right, *left)] {
            if !self.is_bound(value, open) || self.is_bound(expr, open) {
                continue;
            }
            let operands = self.concatenated(expr);
            let mut unknowns: Vec<LocalId> =
                operands.iter().filter_map(|operand| self.open_local(*operand, open)).collect();
            let is_known =
                |operand: &ExprId| self.is_bound(*operand, open) || self.open_local(*operand, open).is_some();
            let n_free = unknowns.iter().filter(|local| self.length_of(**local, waiting, open).is_none()).count();
            let n_unknowns = unknowns.len();
            unknowns.sort_unstable();
            unknowns.dedup();
            if operands.len() > 1 && operands.iter().all(is_known) && unknowns.len() == n_unknowns {
                let cost = 0.7 * 15_f64.powi(i32::try_from(n_free.saturating_sub(1)).unwrap_or(i32::MAX));
                offer(Choice { cost, step: ChoiceStep::Split { operands, value }, consumes: Some(idx) });
            }
        }
    }

    /// The operands of nested concatenations.
    fn concatenated(&self, expr: ExprId) -> Vec<ExprId> {
        let (mut open, mut operands) = (vec![expr], Vec::new());
        while let Some(expr) = open.pop() {
            match self.model.expr(expr) {
                Expr::Binary(BinaryOp::Concat, left, right) => open.extend([*right, *left]),
                _ => operands.push(expr),
            }
        }
        operands
    }

    /// `size(local) = e`
    fn length_of(&self, local: LocalId, waiting: &[Conjunct], open: &[LocalId]) -> Option<ExprId> {
        let positive = waiting.iter().filter(|conjunct| !conjunct.negated);
        let sides = positive.filter_map(|conjunct| match self.model.pred(conjunct.pred) {
            Pred::Compare(Comparison::Equal, left, right) => Some([(*left, *right), (*right, *left)]),
            _ => None,
        });
        let says = |(size, len): &(ExprId, ExprId)| {
            matches!(self.model.expr(*size), Expr::Unary(UnaryOp::Size | UnaryOp::Card, of)
                if self.open_local(*of, open) == Some(local))
                && self.is_bound(*len, open)
        };
        sides.flatten().find(says).map(|(_, len)| len)
    }

    fn solvable(&self, expr: ExprId, value: ExprId, open: &[LocalId]) -> Option<ChoiceStep> {
        let Expr::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract), left, right) = self.model.expr(expr) else {
            return None;
        };
        if let Some(local) = self.open_local(*left, open).filter(|_| self.is_bound(*right, open)) {
            let how = if *op == BinaryOp::Add { Inverse::Sum } else { Inverse::Minuend };
            return Some(ChoiceStep::Solve { local, value, other: *right, how });
        }
        let local = self.open_local(*right, open).filter(|_| self.is_bound(*left, open))?;
        let how = if *op == BinaryOp::Add { Inverse::Sum } else { Inverse::Subtrahend };
        Some(ChoiceStep::Solve { local, value, other: *left, how })
    }

    /// The bounds that waiting conjuncts give an integer: conjunct, bound, is it a lower one, is it strict.
    fn bounds(&self, local: LocalId, waiting: &[Conjunct], open: &[LocalId]) -> Vec<(usize, Bound)> {
        let mut found = Vec::new();
        for (idx, conjunct) in waiting.iter().enumerate().filter(|(_, conjunct)| !conjunct.negated) {
            match self.model.pred(conjunct.pred) {
                Pred::Compare(op @ (Comparison::Less | Comparison::LessEqual), low, high) => {
                    let strict = *op == Comparison::Less;
                    if self.open_local(*high, open) == Some(local) && self.is_bound(*low, open) {
                        found.push((idx, Bound::Low(*low, strict)));
                    } else if self.open_local(*low, open) == Some(local) && self.is_bound(*high, open) {
                        found.push((idx, Bound::High(*high, strict)));
                    }
                }
                Pred::Compare(Comparison::Member, elem, set) if self.open_local(*elem, open) == Some(local) => {
                    match self.model.expr(*set) {
                        Expr::BaseSet(BaseSet::Natural) => found.push((idx, Bound::AtLeast(0))),
                        Expr::BaseSet(BaseSet::Natural1) => found.push((idx, Bound::AtLeast(1))),
                        _ => {}
                    }
                }
                _ => {}
            }
        }
        found
    }

    fn range_cost(&self, local: LocalId, waiting: &[Conjunct], open: &[LocalId]) -> Option<f64> {
        if !matches!(self.model.types.get(self.model.locals[local].ty), Type::Integer) {
            return None;
        }
        let bounds = self.bounds(local, waiting, open);
        let is_low = |bound: &Bound| matches!(bound, Bound::Low(..) | Bound::AtLeast(_));
        let both = bounds.iter().any(|(_, bound)| is_low(bound)) && bounds.iter().any(|(_, bound)| !is_low(bound));
        both.then_some(25.0)
    }

    fn step(&mut self, choice: ChoiceStep, waiting: &mut Vec<Conjunct>, open: &mut Vec<LocalId>) -> Option<Step> {
        Some(match choice {
            ChoiceStep::Match { pattern, value } => {
                let code = self.code(value);
                Step::Match { pattern: self.pattern(pattern, open), code }
            }
            ChoiceStep::Solve { local, value, other, how } => {
                let (value, other) = (Box::new(self.code(value)), Box::new(self.code(other)));
                let code = match how {
                    Inverse::Sum => Code::Binary(BinaryOp::Subtract, value, other),
                    Inverse::Minuend => Code::Binary(BinaryOp::Add, value, other),
                    Inverse::Subtrahend => Code::Binary(BinaryOp::Subtract, other, value),
                };
                open.retain(|known| *known != local);
                Step::Match { pattern: Pattern::Bind(self.layout.local(local)), code }
            }
            ChoiceStep::Split { operands, value } => {
                let code = self.code(value);
                let mut parts = Vec::with_capacity(operands.len());
                for operand in &operands {
                    parts.push(match self.open_local(*operand, open) {
                        Some(local) => Part::Bind {
                            slot: self.layout.local(local),
                            len: self.length_of(local, waiting, open).map(|len| self.code(len)),
                        },
                        None => Part::Equal(self.code(*operand)),
                    });
                }
                let bound: Vec<LocalId> =
                    operands.iter().filter_map(|operand| self.open_local(*operand, open)).collect();
                open.retain(|local| !bound.contains(local));
                Step::Split { code, parts }
            }
            ChoiceStep::Elements { pattern, set } => {
                let source = self.source(set);
                Step::Each { pattern: self.pattern(pattern, open), source, twins: None }
            }
            ChoiceStep::Images { key, pattern, relation } => {
                let (relation, key) = (self.head(relation), self.code(key));
                Step::Images { relation, key, pattern: self.pattern(pattern, open) }
            }
            ChoiceStep::Subsets { local, set } => {
                let source = Source::Subsets(self.code(set));
                open.retain(|known| *known != local);
                Step::Each { pattern: Pattern::Bind(self.layout.local(local)), source, twins: None }
            }
            ChoiceStep::Either { pred } => self.either(pred, open)?,
            // What follows from it is planned together with it.
            ChoiceStep::Keys(_) => return None,
            ChoiceStep::Range { local } => self.range(local, waiting, open),
            ChoiceStep::Type { local } => {
                open.retain(|known| *known != local);
                let source = Source::Type(self.model.locals[local].ty);
                Step::Each { pattern: Pattern::Bind(self.layout.local(local)), source, twins: None }
            }
        })
    }

    fn range(&mut self, local: LocalId, waiting: &mut Vec<Conjunct>, open: &mut Vec<LocalId>) -> Step {
        let bounds = self.bounds(local, waiting, open);
        let (mut low, mut high) = (Vec::new(), Vec::new());
        let mut used: Vec<usize> = Vec::new();
        for (idx, bound) in bounds {
            used.push(idx);
            let one = || Box::new(Code::Value(abridge_value::Value::Int(1)));
            match bound {
                Bound::AtLeast(n) => low.push(Code::Value(abridge_value::Value::Int(n))),
                Bound::Low(expr, strict) => {
                    let code = self.code(expr);
                    low.push(if strict { Code::Binary(BinaryOp::Add, Box::new(code), one()) } else { code });
                }
                Bound::High(expr, strict) => {
                    let code = self.code(expr);
                    high.push(if strict { Code::Binary(BinaryOp::Subtract, Box::new(code), one()) } else { code });
                }
            }
        }
        for idx in used.into_iter().rev() {
            waiting.remove(idx);
        }
        open.retain(|known| *known != local);
        Step::Range { slot: self.layout.local(local), low, high }
    }

    /// The pattern of an expression; its unknowns are bound from here on.
    pub(super) fn pattern(&mut self, expr: ExprId, open: &mut Vec<LocalId>) -> Pattern {
        if let Some(local) = self.open_local(expr, open) {
            open.retain(|known| *known != local);
            return Pattern::Bind(self.layout.local(local));
        }
        match self.model.expr(expr) {
            Expr::Binary(BinaryOp::Pair, left, right) if !self.is_bound(expr, open) => {
                let (left, right) = (*left, *right);
                let left = self.pattern(left, open);
                Pattern::Pair(Box::new(left), Box::new(self.pattern(right, open)))
            }
            _ => Pattern::Equal(self.code(expr)),
        }
    }

    /// A set whose elements are to be listed.
    fn source(&mut self, set: ExprId) -> Source {
        let symbolic = matches!(
            self.model.expr(set),
            Expr::Binary(BinaryOp::Arrow(_) | BinaryOp::Cartesian, ..)
                | Expr::Unary(
                    UnaryOp::Pow
                        | UnaryOp::Pow1
                        | UnaryOp::Fin
                        | UnaryOp::Fin1
                        | UnaryOp::Iseq
                        | UnaryOp::Iseq1
                        | UnaryOp::Perm,
                    _
                )
                | Expr::StructSet(_)
        );
        match (symbolic, self.code(set)) {
            (false, code) if !matches!(code, Code::Interpret(..)) => Source::Code(code),
            _ => Source::Interpret(set, self.names.of_expr(self.model, set)),
        }
    }

    /// A relation or set that may be symbolic.
    pub(super) fn head(&mut self, expr: ExprId) -> Head {
        match self.model.expr(expr) {
            Expr::Constant(id) => Head::Slot(self.layout.constant(*id)),
            Expr::Variable(id) => Head::Slot(self.layout.variable(*id)),
            Expr::Local(id) => Head::Slot(self.layout.local(*id)),
            _ => match self.code(expr) {
                Code::Cell(cell, expr) => Head::Cell(cell, expr),
                code => Head::Code(Box::new(code)),
            },
        }
    }
}

#[derive(Clone, Copy)]
enum Bound {
    AtLeast(i64),
    Low(ExprId, bool),
    High(ExprId, bool),
}
