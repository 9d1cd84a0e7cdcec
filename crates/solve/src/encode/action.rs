//! Translation of substitutions into circuits: new values of the assigned targets, and the condition that there is an outcome.
//!
//! Missing circuits are isolated as far as is easy: an assigned value without a circuit does not affect the other values. A choice (CHOICE, `::`, an
//! inner ANY) becomes inputs of its own. Each valuation of the inputs has at most one outcome.

use std::collections::{BTreeMap, BTreeSet};

use abridge_blast::{CircuitValue, Lit};
use abridge_diag::with_stack;
use abridge_eval::{Env, Unknown};
use abridge_model::ModelNode;
use abridge_model::{Comparison, Expr, ExprId, LocalId, OpId, Pred, PredId, Subst, SubstId, Target, VarId, may_fail};
use abridge_value::{Int, Value};

use super::{CircuitEncoder, CircuitResult, CircuitTerm, NoCircuit, TermKind};

/// Effect of a substitution.
pub struct SubstEffect {
    /// There is an outcome.
    pub possible: Lit,
    /// Nothing is ill-defined.
    pub defined: Lit,
    /// New values; `None` for a value without a circuit.
    pub updates: BTreeMap<Target, Option<CircuitTerm>>,
}

/// Choice of a substitution.
#[derive(Clone, Debug)]
pub struct ChoicePoint {
    pub kind: ChoiceKind,
    /// What is chosen, in terms of inputs; for a branch its number.
    pub value: CircuitValue,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChoiceKind {
    /// Branch of a SELECT.
    Branch(SubstId),
    /// Part of a CHOICE.
    Part,
    /// Element of a set.
    Element,
    /// Value of a local.
    Local(LocalId),
}

/// Translator of a substitution, with the facts that literals cannot express.
pub struct Executor<'e, 's> {
    pub encoder: &'e mut CircuitEncoder<'s>,
    /// Variables read by formulas without a circuit.
    pub loose: BTreeSet<VarId>,
    /// A formula without a circuit may be ill-defined.
    pub is_doubtful: bool,
    /// Constructs that have no circuit, or may be ill-defined in ways that circuits do not express.
    pub gaps: Vec<&'static str>,
    /// There are inputs beside those of the state.
    pub has_choice: bool,
    /// Choices in the order of execution; those of branches that are not taken mean nothing.
    pub points: Vec<ChoicePoint>,
    /// Stack of operations being called.
    calls: Vec<OpId>,
}

impl SubstEffect {
    fn nothing() -> SubstEffect {
        SubstEffect { possible: Lit::TRUE, defined: Lit::TRUE, updates: BTreeMap::new() }
    }
}

impl<'e, 's> Executor<'e, 's> {
    pub fn new(encoder: &'e mut CircuitEncoder<'s>) -> Self {
        Executor {
            encoder,
            loose: BTreeSet::new(),
            is_doubtful: false,
            gaps: Vec::new(),
            has_choice: false,
            points: Vec::new(),
            calls: Vec::new(),
        }
    }

    pub fn execute(&mut self, id: SubstId, env: &Env) -> CircuitResult<SubstEffect> {
        self.encoder.tick()?;
        with_stack(|| self.execute_inner(id, env))
    }

    fn execute_inner(&mut self, id: SubstId, env: &Env) -> CircuitResult<SubstEffect> {
        match self.encoder.session.model().subst(id) {
            Subst::Skip => Ok(SubstEffect::nothing()),
            Subst::Assign { targets, values } => self.assign(targets, values, env),
            Subst::BecomesElement { targets, set } => self.becomes_element(targets, *set, env),
            Subst::BecomesSuch { targets, new, pred } => self.becomes_such(targets, new, *pred, env),
            Subst::Pre { pred, body } | Subst::Assert { pred, body } => {
                let holds = self.encoder.pred(*pred, env)?.holds;
                let effect = self.execute(*body, env)?;
                Ok(SubstEffect { defined: self.encoder.and(holds, effect.defined), ..effect })
            }
            Subst::Select { branches, otherwise } => self.select(id, branches, *otherwise, env),
            Subst::If { branches, otherwise } => {
                let mut cases = Vec::new();
                for (condition, body) in branches {
                    cases.push((self.encoder.pred(*condition, env)?, *body));
                }
                self.first_of(cases, *otherwise, env)
            }
            Subst::Case { selector, branches, otherwise } => {
                let selector = self.encoder.expr(*selector, env)?;
                let mut cases = Vec::new();
                for (values, body) in branches {
                    cases.push((self.is_one_of(&selector, values, env)?, *body));
                }
                self.first_of(cases, *otherwise, env)
            }
            Subst::Choice(parts) => {
                let ways = parts.iter().map(|part| (Lit::TRUE, *part)).collect();
                self.any_of(ChoiceKind::Part, ways, env)
            }
            Subst::Any { binder, pred, body } => {
                let possible = self.choose(binder, *pred, env)?;
                let effect = self.execute(*body, env)?;
                Ok(self.limited(possible, effect))
            }
            Subst::Let { bindings, body } => {
                let (env, defined) = self.encoder.bind_let(bindings, env)?;
                let effect = self.execute(*body, &env)?;
                Ok(SubstEffect { defined: self.encoder.and(defined, effect.defined), ..effect })
            }
            Subst::Var { locals, body } => {
                let mut effect = self.execute(*body, env)?;
                effect.updates.retain(|target, _| !matches!(target, Target::Local(id) if locals.contains(id)));
                Ok(effect)
            }
            Subst::Call { op, args, outputs } => self.call(*op, args, outputs, env),
            Subst::Sequence(parts) => self.sequence(parts, env),
            Subst::Parallel(parts) => self.parallel(parts, env),
            Subst::While { .. } => Err(NoCircuit::Unsupported("a loop")),
            Subst::External(..) => Err(NoCircuit::Unsupported("an external substitution")),
        }
    }

    /// Whether a selector equals one of some values, which are evaluated in turn until one does.
    fn is_one_of(&mut self, selector: &CircuitTerm, values: &[ExprId], env: &Env) -> CircuitResult<super::TruthPair> {
        let (mut same, mut none_before) = (Vec::new(), selector.defined);
        for value in values {
            let value = self.encoder.expr(*value, env)?;
            let equal = self.encoder.same(selector, &value, env)?;
            let is_reached = self.encoder.and(none_before, value.defined);
            same.push(self.encoder.and(is_reached, equal));
            none_before = self.encoder.and(is_reached, !equal);
        }
        Ok(super::TruthPair { holds: self.encoder.any(same), fails: none_before })
    }

    fn assign(&mut self, targets: &[Target], values: &[ExprId], env: &Env) -> CircuitResult<SubstEffect> {
        let mut effect = SubstEffect::nothing();
        for (target, value) in targets.iter().zip(values) {
            let term = match self.encoder.expr(*value, env) {
                Ok(term) => Some(term),
                Err(NoCircuit::Unsupported(what)) => {
                    let session = self.encoder.session;
                    self.gaps.push(what);
                    self.loose.extend(&session.interp().names_of_expr(*value).variables);
                    self.is_doubtful |= may_fail(session.model(), ModelNode::Expr(*value));
                    None
                }
                Err(stop) => return Err(stop),
            };
            if let Some(term) = &term {
                effect.defined = self.encoder.and(effect.defined, term.defined);
            }
            if effect.updates.insert(*target, term).is_some() {
                return Err(NoCircuit::Unsupported("a variable that is assigned twice"));
            }
        }
        Ok(effect)
    }

    /// Fresh inputs for an element of a set, and the condition that they are one.
    fn some_element(&mut self, set: ExprId, env: &Env) -> CircuitResult<(CircuitValue, Lit)> {
        self.has_choice = true;
        let term = self.encoder.expr(set, env)?;
        let (sym, inside) = match &term.kind {
            TermKind::Known(set) => self.encoder.fresh(set, env)?,
            TermKind::Circuit(sym) => {
                let items = self.encoder.blast.members(sym)?.items;
                let (element, condition) = self.encoder.blast.fresh_choice(items.iter().map(|(item, _)| item.clone()));
                let inside = self.encoder.blast.member(&element, sym)?;
                (element, self.encoder.and(condition, inside))
            }
        };
        Ok((sym, self.encoder.and(inside, term.defined)))
    }

    fn becomes_element(&mut self, targets: &[Target], set: ExprId, env: &Env) -> CircuitResult<SubstEffect> {
        let (sym, possible) = self.some_element(set, env)?;
        self.points.push(ChoicePoint { kind: ChoiceKind::Element, value: sym.clone() });
        let term = self.encoder.expr(set, env)?;
        let mut effect = SubstEffect { possible, defined: term.defined, updates: BTreeMap::new() };
        let mut rest = sym;
        for target in targets.iter().skip(1).rev() {
            let (left, right) = self.encoder.blast.split(&rest)?;
            effect.updates.insert(*target, Some(CircuitTerm::sym(right)));
            rest = left;
        }
        effect.updates.extend(targets.first().map(|target| (*target, Some(CircuitTerm::sym(rest)))));
        Ok(effect)
    }

    fn becomes_such(
        &mut self,
        targets: &[Target],
        new: &[LocalId],
        pred: PredId,
        env: &Env,
    ) -> CircuitResult<SubstEffect> {
        let possible = self.choose(new, pred, env)?;
        let mut updates = BTreeMap::new();
        for (target, local) in targets.iter().zip(new) {
            updates.insert(*target, Some(self.encoder.local(*local, env)?));
        }
        Ok(SubstEffect { possible, defined: Lit::TRUE, updates })
    }

    /// Binds locals to fresh inputs. Returns the condition that they satisfy a predicate.
    pub fn choose(&mut self, locals: &[LocalId], pred: PredId, env: &Env) -> CircuitResult<Lit> {
        let session = self.encoder.session;
        let conjuncts = session.interp().conjuncts(pred);
        let mut conditions = self.choose_within(locals, &conjuncts, env)?;
        for conjunct in conjuncts.iter().copied() {
            let truth = self.encoder.pred(conjunct, env)?;
            let names = session.interp().names_of_pred(conjunct);
            if !locals.iter().any(|local| names.locals.contains(local)) {
                self.note_doubt(truth, conjunct);
            }
            conditions.push(truth.holds);
        }
        Ok(self.encoder.all(conditions))
    }

    /// Records a condition that may be ill-defined, with consequences that are not tracked.
    fn note_doubt(&mut self, truth: super::TruthPair, pred: PredId) {
        if self.encoder.any([truth.holds, truth.fails]) != Lit::TRUE {
            let session = self.encoder.session;
            self.loose.extend(&session.interp().names_of_pred(pred).variables);
            self.gaps.push("a condition that may be ill-defined");
            self.is_doubtful = true;
        }
    }

    /// Binds locals to fresh inputs from the sets that conjuncts give, or from their types.
    pub fn choose_within(&mut self, locals: &[LocalId], conjuncts: &[PredId], env: &Env) -> CircuitResult<Vec<Lit>> {
        self.has_choice = true;
        let session = self.encoder.session;
        let model = session.model();
        let mut conditions = Vec::new();
        for local in locals {
            self.encoder.symbols.remove(&Unknown::Local(*local));
        }
        for local in locals {
            let mut found = None;
            for conjunct in conjuncts {
                if let Pred::Compare(Comparison::Member, left, right) = model.pred(*conjunct)
                    && matches!(model.expr(*left), Expr::Local(id) if id == local)
                    && !locals.iter().any(|id| session.interp().names_of_expr(*right).locals.contains(id))
                {
                    found = self.some_element(*right, env).ok();
                    if found.is_some() {
                        break;
                    }
                }
            }
            let (sym, condition) = match found {
                Some(found) => found,
                None => self.encoder.fresh(&session.type_set(model.locals[*local].ty), env)?,
            };
            conditions.push(condition);
            self.points.push(ChoicePoint { kind: ChoiceKind::Local(*local), value: sym.clone() });
            self.encoder.bind(*local, &CircuitTerm::sym(sym), env);
        }
        Ok(conditions)
    }

    /// Effect of a SELECT: some branch whose guard holds.
    fn select(
        &mut self,
        id: SubstId,
        branches: &[(PredId, SubstId)],
        otherwise: Option<SubstId>,
        env: &Env,
    ) -> CircuitResult<SubstEffect> {
        let is_lenient = self.encoder.session.config().ill_defined_guard_is_false;
        let mut ways = Vec::new();
        let mut none = Vec::new();
        for (guard, body) in branches {
            let truth = self.encoder.pred(*guard, env)?;
            if !is_lenient {
                self.note_doubt(truth, *guard);
            }
            ways.push((truth.holds, *body));
            none.push(if is_lenient { !truth.holds } else { truth.fails });
        }
        let none = self.encoder.all(none);
        ways.extend(otherwise.map(|body| (none, body)));
        self.any_of(ChoiceKind::Branch(id), ways, env)
    }

    /// Effect of some part whose condition holds, chosen by inputs if there are several.
    fn any_of(&mut self, kind: ChoiceKind, ways: Vec<(Lit, SubstId)>, env: &Env) -> CircuitResult<SubstEffect> {
        if let [(condition, body)] = ways[..] {
            let effect = self.execute(body, env)?;
            return Ok(self.limited(condition, effect));
        }
        self.has_choice = true;
        let numbers = (0..ways.len() as i64).map(|number| Value::int(Int::from(number)));
        let (selector, one) = self.encoder.blast.fresh_choice(numbers);
        let selected = self.encoder.blast.choice(&selector)?;
        self.points.push(ChoicePoint { kind, value: selector });
        let mut cases = Vec::new();
        for ((condition, body), (_, lit)) in ways.into_iter().zip(selected) {
            let effect = self.execute(body, env)?;
            cases.push((lit, self.limited(condition, effect)));
        }
        let effect = self.merged(cases, env)?;
        Ok(self.limited(one, effect))
    }

    /// Effect of the first part whose condition holds, otherwise of the last; skip if there is no last.
    fn first_of(
        &mut self,
        branches: Vec<(super::TruthPair, SubstId)>,
        otherwise: Option<SubstId>,
        env: &Env,
    ) -> CircuitResult<SubstEffect> {
        let (mut cases, mut none_before, mut defined) = (Vec::new(), Lit::TRUE, Vec::new());
        for (truth, body) in branches {
            let is_decided = self.encoder.any([truth.holds, truth.fails]);
            defined.push(self.encoder.blast.circuit.implies(none_before, is_decided));
            let condition = self.encoder.and(none_before, truth.holds);
            none_before = self.encoder.and(none_before, truth.fails);
            if condition != Lit::FALSE {
                cases.push((condition, self.execute(body, env)?));
            }
        }
        if none_before != Lit::FALSE {
            let last = match otherwise {
                Some(body) => self.execute(body, env)?,
                None => SubstEffect::nothing(),
            };
            cases.push((none_before, last));
        }
        let effect = self.merged(cases, env)?;
        defined.push(effect.defined);
        let defined = self.encoder.all(defined);
        // An ill-defined condition gives no outcome, but an error.
        Ok(SubstEffect { defined, ..effect })
    }

    fn limited(&mut self, condition: Lit, effect: SubstEffect) -> SubstEffect {
        let defined = self.encoder.blast.circuit.implies(condition, effect.defined);
        SubstEffect { possible: self.encoder.and(condition, effect.possible), defined, ..effect }
    }

    /// Effect of the case whose condition holds; at most one does.
    fn merged(&mut self, cases: Vec<(Lit, SubstEffect)>, env: &Env) -> CircuitResult<SubstEffect> {
        let targets: BTreeSet<Target> = cases.iter().flat_map(|(_, effect)| effect.updates.keys().copied()).collect();
        let (mut possible, mut defined) = (Vec::new(), Vec::new());
        for (condition, effect) in &cases {
            possible.push(self.encoder.and(*condition, effect.possible));
            defined.push(self.encoder.blast.circuit.implies(*condition, effect.defined));
        }
        let mut updates = BTreeMap::new();
        for target in targets {
            let mut values = Vec::with_capacity(cases.len());
            for (condition, effect) in &cases {
                let term = match effect.updates.get(&target) {
                    Some(term) => term.clone(),
                    None => self.current(target, env),
                };
                values.push(term.map(|term| (*condition, term)));
            }
            updates.insert(target, self.selected(values, env)?);
        }
        Ok(SubstEffect { possible: self.encoder.any(possible), defined: self.encoder.all(defined), updates })
    }

    fn selected(&mut self, values: Vec<Option<(Lit, CircuitTerm)>>, env: &Env) -> CircuitResult<Option<CircuitTerm>> {
        let Some(values) = values.into_iter().collect::<Option<Vec<(Lit, CircuitTerm)>>>() else { return Ok(None) };
        let mut syms = Vec::with_capacity(values.len());
        for (condition, term) in &values {
            syms.push((*condition, self.encoder.as_sym(term, env)?));
        }
        Ok(Some(CircuitTerm::sym(self.encoder.blast.select(&syms)?)))
    }

    /// Value before the substitution; `None` if it has no circuit.
    fn current(&self, target: Target, env: &Env) -> Option<CircuitTerm> {
        match target {
            Target::Variable(id) => self.encoder.variable(id).map(|sym| CircuitTerm::sym(sym.clone())),
            Target::Local(id) => self.encoder.local(id, env).ok(),
        }
    }

    fn call(&mut self, op: OpId, args: &[ExprId], outputs: &[Target], env: &Env) -> CircuitResult<SubstEffect> {
        if self.calls.contains(&op) {
            return Err(NoCircuit::Unsupported("a recursive call"));
        }
        let operation = &self.encoder.session.model().operations[op];
        let mut inner = env.clone();
        let mut defined = Lit::TRUE;
        for (param, arg) in operation.params.iter().zip(args) {
            let term = self.encoder.expr(*arg, env)?;
            defined = self.encoder.and(defined, term.defined);
            inner = self.encoder.bind(*param, &term, &inner);
        }
        self.calls.push(op);
        let effect = self.execute(operation.body, &inner);
        self.calls.pop();
        let mut effect = effect?;
        for (output, target) in operation.outputs.iter().zip(outputs) {
            let term = effect.updates.remove(&Target::Local(*output));
            effect.updates.insert(*target, term.ok_or(NoCircuit::Unsupported("an output without a value"))?);
        }
        Ok(SubstEffect { defined: self.encoder.and(defined, effect.defined), ..effect })
    }

    /// Sequential composition.
    fn sequence(&mut self, parts: &[SubstId], env: &Env) -> CircuitResult<SubstEffect> {
        let mut before = Vec::new();
        let result = self.sequence_inner(parts, env, &mut before);
        for (id, sym) in before.into_iter().rev() {
            self.encoder.set_variable(id, sym);
        }
        result
    }

    fn sequence_inner(
        &mut self,
        parts: &[SubstId],
        env: &Env,
        before: &mut Vec<(VarId, Option<CircuitValue>)>,
    ) -> CircuitResult<SubstEffect> {
        let (mut env, mut whole) = (env.clone(), SubstEffect::nothing());
        for part in parts {
            let effect = self.execute(*part, &env)?;
            // An ill-defined later part matters only if the earlier parts have an outcome.
            let defined = self.encoder.blast.circuit.implies(whole.possible, effect.defined);
            whole.defined = self.encoder.and(whole.defined, defined);
            whole.possible = self.encoder.and(whole.possible, effect.possible);
            for (target, term) in effect.updates {
                match (target, &term) {
                    (Target::Variable(id), _) => {
                        let sym = term.as_ref().map(|term| self.encoder.as_sym(term, &env)).transpose()?;
                        let old = self.encoder.set_variable(id, sym);
                        before.push((id, old));
                    }
                    (Target::Local(id), Some(term)) => env = self.encoder.bind(id, term, &env),
                    (Target::Local(_), None) => return Err(NoCircuit::Unsupported("a local without a circuit")),
                }
                whole.updates.insert(target, term);
            }
        }
        Ok(whole)
    }

    /// Parallel composition.
    fn parallel(&mut self, parts: &[SubstId], env: &Env) -> CircuitResult<SubstEffect> {
        let mut whole = SubstEffect::nothing();
        let (mut defined, mut has_outcome) = (Vec::new(), Vec::new());
        for part in parts {
            let effect = self.execute(*part, env)?;
            whole.possible = self.encoder.and(whole.possible, effect.possible);
            has_outcome.push(self.encoder.any([effect.possible, !effect.defined]));
            defined.push(effect.defined);
            for (target, term) in effect.updates {
                // Which part has assigned it depends on the branches that were taken.
                if whole.updates.insert(target, term).is_some() {
                    return Err(NoCircuit::Unsupported("a variable that several parts assign"));
                }
            }
        }
        // If a part is infeasible, ill-definedness of the others does not matter.
        let is_feasible = self.encoder.all(has_outcome);
        let defined = self.encoder.all(defined);
        Ok(SubstEffect { defined: self.encoder.blast.circuit.implies(is_feasible, defined), ..whole })
    }
}
