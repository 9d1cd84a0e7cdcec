//! Planner: fixes the order of a search in advance.
//!
//! The planner is greedy. Conditions are tested as soon as their unknowns are bound. The next unknown is bound in the cheapest way: an equation
//! before a small set, before a range, before a type. A conjunction in which nothing bounds some unknown has no plan and is left to the plain
//! interpreter.

use abridge_eval::Cost;
use abridge_model::{BinaryOp, Comparison, Expr, ExprId, LocalId, Pred, PredId, TypeTable, UnaryOp};

use super::CodeBuilder;
use super::offers::{Offer, OfferStep};
use crate::code::{Plan, PlanStep, Test};

/// Number of constant candidates from which on an equation looks its solutions up in a table.
const MIN_JOINED: Cost = Cost::candidates(16.0);

/// Number of constant candidates from which on those that pass constant conditions are tabulated.
pub(crate) const MIN_TABULATED: Cost = Cost::candidates(200.0);

/// Largest number of combinations tried if an equation or a disjunction relates the unknowns. Beyond it the solver is better: it infers bounds.
const MAX_RELATED: Cost = Cost::candidates(1e5);

/// Largest number of sets tried one by one. Beyond it the solver is better: it bounds sets from both sides.
const MAX_SETS: Cost = Cost::candidates(1e12);

/// Largest number of branches of a plan.
pub(crate) const MAX_BRANCHES: u32 = 16;

/// Conjunct that the plan does not yet cover.
#[derive(Clone)]
pub(crate) struct OpenConjunct {
    pub(crate) pred: PredId,
    /// Unknowns that it mentions.
    pub(crate) unknowns: Vec<LocalId>,
    pub(crate) negated: bool,
}

/// Use of the solutions.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum SolutionUse {
    /// Quantifier or set. Elements are tried one after the other, so that one of several interchangeable ones can be enough.
    Condition,
    /// Memoised stage of an operation: every solution.
    Stage,
    /// Choice of a substitution: every solution, or one per orbit.
    Choice,
}

/// Limits and options of the planner.
pub(crate) struct PlanLimits {
    /// An equation or a disjunction relates several unknowns.
    pub(crate) is_puzzle: bool,
    /// Number of branches so far.
    pub(crate) n_branches: u32,
    /// More candidates are allowed than can be tried, since one per orbit may be enough.
    pub(crate) by_orbit: bool,
    /// Functions may be scanned for a value (`inverse.rs`).
    pub(crate) uses_inverse: bool,
    /// Solutions become steps, whose order matters.
    pub(crate) in_order: bool,
    /// A condition without unknowns is evaluated rather than searched, as in a guard.
    pub(crate) closed_is_strict: bool,
}

/// Largest number of unknowns. Planning takes time cubic in it; beyond it the solver, which plans as it goes, is better.
const MAX_UNKNOWNS: usize = 400;

impl PlanLimits {
    /// Limits for one of two branches.
    pub(crate) fn split(&self) -> PlanLimits {
        PlanLimits { n_branches: self.n_branches * 2, ..*self }
    }

    pub(crate) fn without_inverse(&self) -> PlanLimits {
        PlanLimits { uses_inverse: false, ..self.split() }
    }
}

impl CodeBuilder<'_, '_> {
    /// Plan for the solutions of `required` with all of `excluded` false.
    pub(crate) fn plan(&mut self, binder: &[LocalId], required: &[PredId], excluded: &[PredId]) -> Option<Plan> {
        self.plan_for(SolutionUse::Condition, binder, required, excluded)
    }

    pub(crate) fn plan_for(
        &mut self,
        wanted: SolutionUse,
        binder: &[LocalId],
        required: &[PredId],
        excluded: &[PredId],
    ) -> Option<Plan> {
        if binder.len() > MAX_UNKNOWNS {
            return None;
        }
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
        let makes_steps = wanted != SolutionUse::Condition;
        let limits = PlanLimits {
            is_puzzle,
            n_branches: 1,
            by_orbit: wanted == SolutionUse::Choice,
            uses_inverse: makes_steps,
            in_order: makes_steps,
            closed_is_strict: makes_steps,
        };
        self.plan_rest(waiting, open, &limits)
    }

    pub(crate) fn plan_rest(
        &mut self,
        mut waiting: Vec<OpenConjunct>,
        mut open: Vec<LocalId>,
        limits: &PlanLimits,
    ) -> Option<Plan> {
        let mut steps = Vec::new();
        let mut may_repeat = false;
        let mut n_candidates = Cost::ONE;
        loop {
            self.tests(&mut waiting, &open, limits, &mut steps)?;
            if open.is_empty() {
                break;
            }
            let choice = self.cheapest(&waiting, &open, limits);
            if choice.as_ref().is_none_or(|choice| choice.cost > Cost::MAX_BEFORE_CASE_SPLIT) {
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
            if let OfferStep::Lookup(equation) = choice.step {
                let (step, repeats) = self.by_inverse(equation, waiting, open, limits)?;
                steps.push(step);
                return Some(Plan { steps, may_repeat: may_repeat || repeats, table: None });
            }
            if let Some(idx) = choice.consumes {
                waiting.remove(idx);
            }
            may_repeat |= matches!(choice.step, OfferStep::Either { in_order: false, .. });
            n_candidates = n_candidates.times(choice.cost.max(Cost::ONE));
            if limits.is_puzzle && n_candidates > MAX_RELATED || choice.cost > MAX_SETS && self.tries_sets(&choice.step)
            {
                return None;
            }
            let step = self.choose(choice, &mut waiting, &mut open, limits)?;
            steps.push(step);
        }
        Some(Plan { steps, may_repeat, table: None })
    }

    /// Conjunct `P => x = E` with a condition that can be decided before `x` is known.
    pub(crate) fn conditional(&self, waiting: &[OpenConjunct], open: &[LocalId]) -> Option<(usize, PredId, PredId)> {
        waiting.iter().enumerate().filter(|(_, conjunct)| !conjunct.negated).find_map(|(idx, conjunct)| {
            let Pred::Implies(condition, consequence) = self.model.pred(conjunct.pred) else { return None };
            let names = self.names.of_pred(self.model, *condition);
            let is_decided = !names.locals.iter().any(|local| open.contains(local));
            let parts = self.names.conjuncts(self.model, *consequence);
            let parts: Vec<OpenConjunct> = parts.iter().map(|part| self.conjunct(*part, open, false)).collect();
            (is_decided && self.determined(&parts, open).is_some()).then_some((idx, *condition, *consequence))
        })
    }

    /// Case split on the condition of an implication: the rest of the plan with its consequence if it holds, and without if it does not.
    pub(crate) fn either_way(
        &mut self,
        (condition, consequence): (PredId, PredId),
        implication: &OpenConjunct,
        waiting: Vec<OpenConjunct>,
        open: Vec<LocalId>,
        limits: &PlanLimits,
    ) -> Option<(PlanStep, bool)> {
        let mut richer = waiting.clone();
        for part in self.names.conjuncts(self.model, consequence).iter() {
            richer.push(self.conjunct(*part, &implication.unknowns, false));
        }
        let holds = PlanStep::Test { test: self.test(condition), is_searched: true };
        let fails = PlanStep::Test { test: Test::Not(Box::new(self.test(condition))), is_searched: true };
        let mut with = self.plan_rest(richer, open.clone(), limits)?;
        let mut without = self.plan_rest(waiting, open, limits)?;
        with.steps.insert(0, holds);
        without.steps.insert(0, fails);
        Some((PlanStep::Either(vec![with.steps, without.steps]), with.may_repeat || without.may_repeat))
    }

    /// Whether a conjunct is an integer equation with several unknowns. The solver infers bounds from it; a plan could only try values.
    pub(crate) fn is_sum_of_unknowns(&self, conjunct: &OpenConjunct) -> bool {
        matches!(self.model.pred(conjunct.pred), Pred::Compare(Comparison::Equal, left, _)
            if !conjunct.negated && conjunct.unknowns.len() > 2 && self.model.ty(*left) == TypeTable::INTEGER)
    }

    /// Whether a conjunct is a disjunction of conditions on different integers. Once some are known, the solver infers bounds of the others.
    pub(crate) fn is_choice(&self, conjunct: &OpenConjunct) -> bool {
        let Pred::Or(parts) = self.model.pred(conjunct.pred) else { return false };
        let is_integer = |local: &LocalId| self.model.locals[*local].ty == TypeTable::INTEGER;
        let is_single = |part: &PredId| self.conjunct(*part, &conjunct.unknowns, false).unknowns.len() == 1;
        !conjunct.negated
            && conjunct.unknowns.len() > 1
            && conjunct.unknowns.iter().all(is_integer)
            && parts.iter().all(is_single)
    }

    /// Whether a choice tries all subsets of a set.
    pub(crate) fn tries_sets(&self, step: &OfferStep) -> bool {
        match step {
            OfferStep::Subsets { .. } => true,
            OfferStep::Elements { set, .. } => matches!(
                self.model.expr(*set),
                Expr::Unary(UnaryOp::Pow | UnaryOp::Pow1 | UnaryOp::Fin | UnaryOp::Fin1, _)
            ),
            _ => false,
        }
    }

    /// Plan step of a choice. If its candidates are many and depend on constants only, those that pass all constant conditions are tabulated: by
    /// the key of an equation if there is one, or by prefix for functions.
    pub(crate) fn choose(
        &mut self,
        choice: Offer,
        waiting: &mut Vec<OpenConjunct>,
        open: &mut Vec<LocalId>,
        limits: &PlanLimits,
    ) -> Option<PlanStep> {
        let n_values = self.n_constant_values(&choice, open);
        let before = open.clone();
        let step = self.step(choice.step, waiting, open)?;
        let bound: Vec<LocalId> = before.into_iter().filter(|local| !open.contains(local)).collect();
        let is_fixed_test = |conjunct: &OpenConjunct| {
            let names = self.names.of_pred(self.model, conjunct.pred);
            names.variables.is_empty() && names.locals.iter().all(|local| bound.contains(local))
        };
        let key = if n_values >= MIN_JOINED { self.joining(waiting, &bound, open) } else { None };
        let tests = if n_values >= MIN_TABULATED { self.pointwise(waiting, &bound, open) } else { Vec::new() };
        if key.is_none() && tests.is_empty() && (n_values < MIN_TABULATED || !waiting.iter().any(is_fixed_test)) {
            return Some(step);
        }
        let key = key.map(|(idx, key, value)| {
            waiting.remove(idx);
            (self.code(key), self.code(value))
        });
        let (mut fixed, rest) = waiting.drain(..).partition(is_fixed_test);
        *waiting = rest;
        let mut steps = vec![step];
        self.tests(&mut fixed, &[], limits, &mut steps)?;
        let plan = Plan { steps, may_repeat: false, table: Some(self.table(&bound, false)) };
        Some(match key {
            Some((key, value)) => PlanStep::Join { plan, key, value },
            None if !tests.is_empty() => {
                PlanStep::Prefixes { plan, tests: tests.into_iter().map(|pred| self.test(pred)).collect() }
            }
            None => PlanStep::Rows(plan),
        })
    }

    /// Number of candidates of a choice that depends on constants only, otherwise 0. A set whose size is not known counts as large.
    pub(crate) fn n_constant_values(&self, choice: &Offer, open: &[LocalId]) -> Cost {
        match &choice.step {
            step if !self.is_constant_choice(step, open) => Cost::candidates(0.0),
            OfferStep::Elements { set, .. } if matches!(self.model.expr(*set), Expr::Constant(_)) => MIN_TABULATED,
            _ => choice.cost,
        }
    }

    /// Conditions that can be tested now and that read the local just bound, a function, by application only.
    pub(crate) fn pointwise(&self, waiting: &[OpenConjunct], bound: &[LocalId], open: &[LocalId]) -> Vec<PredId> {
        let [local] = bound else { return Vec::new() };
        if self.model.types.relation(self.model.locals[*local].ty).is_none() {
            return Vec::new();
        }
        let is_usable = |conjunct: &&OpenConjunct| {
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

    pub(crate) fn is_only_applied(&self, function: LocalId, pred: PredId) -> bool {
        let is_function = |id: ExprId| matches!(self.model.expr(id), Expr::Local(local) if *local == function);
        let (mut n_uses, mut n_applications) = (0, 0);
        self.model.for_each_node(abridge_model::ModelNode::Pred(pred), &mut |node| {
            let abridge_model::ModelNode::Expr(id) = node else { return };
            n_uses += usize::from(is_function(id));
            if let Expr::Binary(BinaryOp::Apply, applied, _) = self.model.expr(id) {
                n_applications += usize::from(is_function(*applied));
            }
        });
        n_uses == n_applications
    }

    /// Equation between an expression over the locals just bound and constants, and one known before: its index and both sides.
    pub(crate) fn joining(
        &self,
        waiting: &[OpenConjunct],
        bound: &[LocalId],
        open: &[LocalId],
    ) -> Option<(usize, ExprId, ExprId)> {
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

    /// Whether the candidates of a choice depend on constants only.
    pub(crate) fn is_constant_choice(&self, step: &OfferStep, open: &[LocalId]) -> bool {
        match step {
            OfferStep::Elements { set, pattern } => self.is_constant(*set) && self.is_open_pattern(*pattern, open),
            OfferStep::Subsets { set, .. } => self.is_constant(*set),
            OfferStep::Type { .. } => true,
            _ => false,
        }
    }

    /// Existential quantifier that defines an open unknown: `#y.(y : S & x = f(y))`.
    pub(crate) fn defining(&self, waiting: &[OpenConjunct], open: &[LocalId]) -> Option<usize> {
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

    /// Adds the locals of an existential quantifier to the unknowns. Solutions may then repeat.
    pub(crate) fn open_exists(&mut self, idx: usize, waiting: &mut Vec<OpenConjunct>, open: &mut Vec<LocalId>) {
        let OpenConjunct { pred, unknowns, .. } = waiting.remove(idx);
        let Pred::Exists { binder, body } = self.model.pred(pred) else { return };
        open.extend(binder);
        let all = [&unknowns[..], binder].concat();
        for pred in self.names.conjuncts(self.model, *body).iter() {
            waiting.push(self.conjunct(*pred, &all, false));
        }
    }

    pub(crate) fn conjunct(&self, pred: PredId, binder: &[LocalId], negated: bool) -> OpenConjunct {
        let names = self.names.of_pred(self.model, pred);
        let unknowns = binder.iter().copied().filter(|local| names.locals.contains(local)).collect();
        OpenConjunct { pred, unknowns, negated }
    }

    /// Moves conjuncts without open unknowns into the plan as tests, cheap ones first.
    pub(crate) fn tests(
        &mut self,
        waiting: &mut Vec<OpenConjunct>,
        open: &[LocalId],
        limits: &PlanLimits,
        steps: &mut Vec<PlanStep>,
    ) -> Option<()> {
        let (mut ready, rest): (Vec<OpenConjunct>, Vec<OpenConjunct>) =
            waiting.drain(..).partition(|conjunct| !conjunct.unknowns.iter().any(|local| open.contains(local)));
        *waiting = rest;
        ready.sort_by_key(|conjunct| self.weight(conjunct.pred));
        for conjunct in ready {
            let mut test = self.test(conjunct.pred);
            if conjunct.negated {
                test = Test::Not(Box::new(test));
            }
            if !matches!(test, Test::Known(true)) {
                let is_searched = !limits.closed_is_strict || !conjunct.unknowns.is_empty();
                steps.push(PlanStep::Test { test, is_searched });
            }
        }
        Some(())
    }

    /// Estimated cost of a test. Quantifiers and comprehensions come last.
    pub(crate) fn weight(&self, pred: PredId) -> u32 {
        let mut weight = 0_u32;
        self.model.for_each_node(abridge_model::ModelNode::Pred(pred), &mut |node| {
            let binds = !self.model.bound_locals(node).is_empty();
            weight = weight.saturating_add(if binds { 1000 } else { 1 });
        });
        weight
    }

    pub(crate) fn is_bound(&self, expr: ExprId, open: &[LocalId]) -> bool {
        !self.names.of_expr(self.model, expr).locals.iter().any(|local| open.contains(local))
    }

    pub(crate) fn is_local(&self, expr: ExprId, local: LocalId) -> bool {
        matches!(self.model.expr(expr), Expr::Local(other) if *other == local)
    }

    pub(crate) fn open_local(&self, expr: ExprId, open: &[LocalId]) -> Option<LocalId> {
        match self.model.expr(expr) {
            Expr::Local(local) if open.contains(local) => Some(*local),
            _ => None,
        }
    }

    /// Whether an expression is a tree of pairs over open unknowns, each once and at least one, and bound expressions.
    pub(crate) fn is_pattern(&self, expr: ExprId, open: &[LocalId]) -> bool {
        let mut unknowns = Vec::new();
        self.collect_pattern(expr, open, &mut unknowns) && !unknowns.is_empty()
    }

    pub(crate) fn collect_pattern(&self, expr: ExprId, open: &[LocalId], unknowns: &mut Vec<LocalId>) -> bool {
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

    /// Whether an expression is a tree of pairs over open unknowns.
    pub(crate) fn is_open_pattern(&self, expr: ExprId, open: &[LocalId]) -> bool {
        match self.model.expr(expr) {
            Expr::Binary(BinaryOp::Pair, left, right) => {
                self.is_open_pattern(*left, open) && self.is_open_pattern(*right, open)
            }
            _ => self.open_local(expr, open).is_some(),
        }
    }

    pub(crate) fn drop_names(&self, expr: ExprId, open: &mut Vec<LocalId>) {
        let names = self.names.of_expr(self.model, expr);
        open.retain(|local| !names.locals.contains(local));
    }

    /// Side of an equation whose open unknowns follow from the other side.
    pub(crate) fn determined(&self, waiting: &[OpenConjunct], open: &[LocalId]) -> Option<ExprId> {
        waiting.iter().filter(|conjunct| !conjunct.negated).find_map(|conjunct| {
            let Pred::Compare(Comparison::Equal, left, right) = self.model.pred(conjunct.pred) else { return None };
            let follows = |(pattern, value): &(ExprId, ExprId)| {
                self.is_bound(*value, open)
                    && (self.is_pattern(*pattern, open) || self.solvable(*pattern, *value, open).is_some())
            };
            [(*left, *right), (*right, *left)].into_iter().find(follows).map(|(pattern, _)| pattern)
        })
    }
}
