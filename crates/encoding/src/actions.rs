//! Operations and the initialisation as circuits over a state that is not known.
//!
//! The constants are known, the variables are inputs. An operation is translated for each value of its label, parameters mostly, as far as
//! these can be listed; otherwise as a whole. An [`Action`] covers every step with its label: what has no circuit is named by the
//! variables that it reads or writes and by its cause. A step that no action covered would be lost to every engine.

use std::collections::HashMap;

use abridge_blast::{Blast, Circuit, CircuitValue, Lit};
use abridge_model::{
    Arrow, BinaryOp, Comparison, Expr, ExprId, LocalId, Model, OpId, Pred, PredId, Subst, SubstId, Target, Type,
    TypeId, UnaryOp, VarId,
};
use abridge_value::{Int, Value};

use abridge_eval::{Env, Session, State, SymbolicSet, Val};
use abridge_model::ModelNode;
use abridge_solve::encode::{
    ChoicePoint, CircuitEncoder, CircuitResult, CircuitTerm, Executor, NoCircuit, SetArg, TruthPair, may_fail,
};

use crate::gap::Cause;

/// A condition of an action, all of which must hold.
#[derive(Clone, Debug)]
pub(crate) struct ActionGuard {
    pub(crate) truth: Result<TruthPair, Cause>,
    /// The variables that it reads.
    pub(crate) reads: Vec<VarId>,
    pub(crate) role: GuardRole,
    /// It has no circuit, and may be ill-defined.
    pub(crate) may_fail: bool,
}

/// How the interpreter evaluates a condition, which decides where ill-definedness is an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum GuardRole {
    /// Evaluated: an error where it is ill-defined and no other strict or searched condition is false.
    Strict,
    /// Part of a search for parameters: false where it is ill-defined.
    Searched,
    /// Part of a search that begins once the strict conditions hold.
    Inner,
}

impl ActionGuard {
    /// Whether it is true or false in every state.
    fn is_decided(&self, circuit: &mut Circuit) -> bool {
        match self.truth {
            Ok(truth) => circuit.or(truth.holds, truth.fails) == Lit::TRUE,
            Err(_) => !self.may_fail,
        }
    }
}

/// What the steps of an operation with one label do, or all its steps.
#[derive(Clone, Debug)]
pub(crate) struct Action {
    /// Nothing for the operation as a whole.
    pub(crate) label: Option<Vec<Val>>,
    pub(crate) guards: Vec<ActionGuard>,
    /// Further conditions under which there is an outcome, on choices too.
    pub(crate) possible: Lit,
    /// Under the guards nothing goes wrong in what has a circuit.
    pub(crate) defined: Lit,
    /// New values of variables; nothing where there is no circuit. Other variables keep their values.
    pub(crate) updates: Vec<(VarId, Option<CircuitValue>)>,
    /// Variables that are read by parts of the body without a circuit.
    pub(crate) loose: Vec<VarId>,
    /// Something without a circuit may go wrong.
    pub(crate) is_doubtful: bool,
    /// There may be several outcomes: circuits have inputs beside those of the state.
    pub(crate) has_choice: bool,
    /// Choices of the body, in the order of execution.
    pub(crate) points: Vec<ChoicePoint>,
    /// Values of the outputs; nothing for one without a circuit.
    pub(crate) outputs: Vec<Option<CircuitValue>>,
    /// Why the body is not exact.
    pub(crate) gaps: Vec<Cause>,
}

/// What the initialisation does, as circuits over its choices.
pub(crate) struct InitialAction {
    /// There is an outcome.
    pub(crate) possible: Lit,
    /// Nothing goes wrong.
    pub(crate) defined: Lit,
    pub(crate) values: Vec<(VarId, CircuitValue)>,
}

/// Which labels are to be translated.
pub(crate) type Meant<'m> = dyn Fn(&[Val]) -> bool + 'm;

/// The reason to translate an operation as a whole.
const MANY_LABELS: &str = "many labels";

/// A translator for one valuation of the constants.
pub(crate) struct Translator<'s> {
    session: &'s Session<'s>,
    encoder: CircuitEncoder<'s>,
    env: Env,
}

/// An operation without the guards around it.
struct Peeled {
    /// Conditions that do not read what is searched.
    strict: Vec<PredId>,
    /// Conditions on parameters, or those of an ANY that was taken off.
    searched: Vec<PredId>,
    /// Role of the conditions in `searched`.
    role: GuardRole,
    /// The locals of an ANY that was taken off.
    binder: Vec<LocalId>,
    body: SubstId,
}

impl<'s> Translator<'s> {
    /// `constants` are those of the state; its variables are not looked at.
    pub(crate) fn new(session: &'s Session<'s>, constants: &State, max_one_hot: i64) -> Self {
        let blank = vec![None; session.model().variables.len()];
        let state = State { constants: constants.constants.clone(), variables: std::sync::Arc::new(blank) };
        let mut encoder = CircuitEncoder::new(session);
        encoder.blast.set_max_one_hot(max_one_hot);
        encoder.refuse_warnings();
        Translator { session, encoder, env: Env::new(&state) }
    }

    /// Makes a variable stand for any element of a set, or any value of its type; the literal says that it is one. Nothing if it has no
    /// symbolic value: formulas that read it have no circuit.
    pub(crate) fn declare(&mut self, variable: VarId, set: Option<&Val>) -> Option<Lit> {
        let ty = self.session.model().variables[variable].ty;
        let set = set.cloned().unwrap_or_else(|| self.session.type_set(ty));
        let fresh = self.encoder.fresh(&set, &self.env).ok();
        let (sym, condition) = fresh.map_or((None, None), |(sym, condition)| (Some(sym), Some(condition)));
        self.encoder.set_variable(variable, sym);
        condition
    }

    /// Makes a variable stand for any function from one set to another, argument by argument, so that its values have parts: what
    /// [`Translator::function_bound`] gives. The literal is as in [`Translator::declare`].
    pub(crate) fn declare_function(&mut self, variable: VarId, set: &Val) -> Option<Lit> {
        let Some(SymbolicSet::Binary(BinaryOp::Arrow(arrow), from, to)) = set.as_sym() else { return None };
        let (sym, condition) = self.encoder.fresh_by_argument(*arrow, from, to, &self.env).ok()?;
        self.encoder.set_variable(variable, Some(sym));
        Some(condition)
    }

    /// Takes the symbolic value from a variable.
    pub(crate) fn hide(&mut self, variable: VarId) {
        self.encoder.set_variable(variable, None);
    }

    /// The inputs that a variable stands for.
    pub(crate) fn shape(&self, variable: VarId) -> Option<&CircuitValue> {
        self.encoder.variable(variable)
    }

    pub(crate) fn blast(&mut self) -> &mut Blast {
        &mut self.encoder.blast
    }

    pub(crate) fn into_blast(self) -> Blast {
        self.encoder.blast
    }

    /// The circuit of a predicate over the state.
    pub(crate) fn truth(&mut self, pred: PredId) -> Result<TruthPair, Cause> {
        let stop = match self.encoder.pred(pred, &self.env) {
            Ok(truth) => return Ok(truth),
            Err(stop) => stop,
        };
        // A variable needs no circuit to be what its type says.
        match self.bound(pred) {
            Some((_, set)) if self.session.is_whole_type(&set) => Ok(TruthPair { holds: Lit::TRUE, fails: Lit::FALSE }),
            _ => Err(self.cause(ModelNode::Pred(pred), &stop)),
        }
    }

    fn cause(&self, node: ModelNode, stop: &NoCircuit) -> Cause {
        Cause::of_node(self.session.model(), node, stop, |id| self.encoder.variable(id).is_none())
    }

    /// The condition that a new integer differs from an old one by at most `most`; nothing if it has no circuit.
    pub(crate) fn is_near(&mut self, old: &CircuitValue, new: &CircuitValue, most: i64) -> Option<Lit> {
        let blast = &mut self.encoder.blast;
        let most = CircuitValue::known(&Value::int(Int::from(most)));
        let (greatest, least) = (blast.add(old, &most).ok()?, blast.subtract(old, &most).ok()?);
        let (above, below) = (blast.less(&greatest, new).ok()?, blast.less(new, &least).ok()?);
        Some(blast.circuit.and(!above, !below))
    }

    /// The initialisation, before variables have been declared.
    pub(crate) fn initialisation(&mut self) -> Result<InitialAction, Cause> {
        let (model, env) = (self.session.model(), self.env.clone());
        model.variables.ids().for_each(|id| self.hide(id));
        let body = model.initialisation;
        let mut executor = Executor::new(&mut self.encoder);
        let result = executor.execute(body, &env);
        let (is_doubtful, gap) = (executor.is_doubtful, executor.gaps.first().copied());
        let effect = result.map_err(|stop| self.cause(ModelNode::Subst(body), &stop))?;
        if let Some(what) = gap {
            let stop = NoCircuit::Unsupported(what);
            return Err(if is_doubtful { Cause::IllDefinedness } else { self.cause(ModelNode::Subst(body), &stop) });
        }
        let mut values = Vec::new();
        for (id, _) in model.state_variables() {
            let Some(Some(term)) = effect.updates.get(&Target::Variable(id)) else {
                return Err(Cause::Construct("a variable without an initial value"));
            };
            let sym = self.encoder.as_sym(term, &env).map_err(|stop| self.cause(ModelNode::Subst(body), &stop))?;
            values.push((id, sym));
        }
        Ok(InitialAction { possible: effect.possible, defined: effect.defined, values })
    }

    /// The greatest magnitude of an integer that the machine or its constants name, as far as circuits can have it.
    pub(crate) fn greatest_integer(&self) -> i64 {
        let model = self.session.model();
        let literals = model.exprs.iter().filter_map(|(_, node)| match &node.expr {
            Expr::Integer(int) => i64::try_from(int).ok(),
            _ => None,
        });
        let constants = model.constants.ids().filter_map(|id| self.env.constant(id)?.as_value()?.as_int()?.to_i64());
        literals.chain(constants).map(i64::unsigned_abs).filter_map(|int| i64::try_from(int).ok()).max().unwrap_or(0)
    }

    /// All values of a type.
    pub(crate) fn type_set(&self, ty: TypeId) -> Val {
        self.session.type_set(ty)
    }

    /// Whether a set is a whole type.
    pub(crate) fn is_type(&self, set: &Val) -> bool {
        self.session.is_whole_type(set)
    }

    /// When a value is an element of a set.
    pub(crate) fn member(&mut self, value: &CircuitValue, set: &Val) -> Option<Lit> {
        let truth = self.encoder.in_set(&CircuitTerm::of_sym(value.clone()), &SetArg::Val(set.clone()), &self.env);
        truth.ok().map(|truth| truth.holds)
    }

    /// The variables that a predicate reads.
    pub(crate) fn reads(&self, pred: PredId) -> Vec<VarId> {
        self.session.interp().names_of_pred(pred).variables.clone()
    }

    /// The conjuncts of a predicate.
    pub(crate) fn conjuncts(&self, pred: PredId) -> Vec<PredId> {
        self.session.interp().names().conjuncts(self.session.model(), pred).to_vec()
    }

    /// A set that depends on the constants alone and that a predicate wants a variable to belong to.
    pub(crate) fn bound(&self, pred: PredId) -> Option<(VarId, Val)> {
        let model = self.session.model();
        let Pred::Compare(op, left, right) = model.pred(pred) else { return None };
        let Expr::Variable(variable) = model.expr(*left) else { return None };
        let set = self.constant(*right)?;
        match op {
            Comparison::Member => Some((*variable, set)),
            Comparison::Subset => Some((*variable, SymbolicSet::unary(UnaryOp::Pow, set))),
            _ => None,
        }
    }

    /// The value of an expression that depends on the constants alone.
    fn constant(&self, expr: ExprId) -> Option<Val> {
        let names = self.session.interp().names_of_expr(expr);
        if !names.variables.is_empty() || !names.locals.is_empty() {
            return None;
        }
        let value = self.session.expr(expr, &self.env).ok();
        value.filter(|_| self.session.take_warnings().is_empty())
    }

    /// A set of functions to sets that a predicate wants a variable to belong to, or a larger one where it depends on other variables.
    pub(crate) fn function_bound(&self, pred: PredId) -> Option<(VarId, Val)> {
        let model = self.session.model();
        let Pred::Compare(Comparison::Member, left, right) = model.pred(pred) else { return None };
        let Expr::Variable(variable) = model.expr(*left) else { return None };
        let Expr::Binary(BinaryOp::Arrow(arrow), from, to) = model.expr(*right) else { return None };
        let Type::Pow(pair) = model.types.get(model.variables[*variable].ty) else { return None };
        let Type::Pair(first, second) = model.types.get(*pair) else { return None };
        if !arrow.functional || !matches!(model.types.get(*second), Type::Pow(_)) {
            return None;
        }
        let domain = self.constant(*from);
        let total = arrow.total && domain.is_some();
        let domain = domain.unwrap_or_else(|| self.session.type_set(*first));
        let values = self.constant(*to).filter(|set| set.as_sym().is_some());
        let values = values.unwrap_or_else(|| self.session.type_set(*second));
        let arrow = BinaryOp::Arrow(Arrow { total, ..Arrow::PARTIAL });
        Some((*variable, SymbolicSet::binary(arrow, domain, values)))
    }

    /// The actions of an operation, one for each value of the locals that label its steps, in so far as these are not more than `most`.
    /// Steps with other labels do not exist.
    pub(crate) fn actions(&mut self, op: OpId, label: &[LocalId], most: usize, is_meant: &Meant<'_>) -> Vec<Action> {
        let peeled = self.peel(op, label);
        let mut actions = match self.unrolled(op, &peeled, label, (most, is_meant)) {
            Ok(actions) => actions,
            Err(stop) => {
                let cause = match stop {
                    NoCircuit::Fatal(_) => Cause::Budget,
                    NoCircuit::Unsupported(MANY_LABELS) => Cause::ManyInstances,
                    NoCircuit::Unsupported(what) => Cause::Construct(what),
                };
                let whole = self.whole(op, &peeled);
                vec![whole.unwrap_or_else(|_| self.opaque(op, cause))]
            }
        };
        if self.has_doubtful_order(op, &peeled, &actions) {
            let reads: Vec<VarId> = self.session.model().operations[op].effects.reads.iter().collect();
            for action in &mut actions {
                action.gaps.push(Cause::IllDefinedness);
                action.is_doubtful = true;
                action.loose.clone_from(&reads);
            }
        }
        actions
    }

    fn is_lenient(&self) -> bool {
        self.session.config().ill_defined_guard_is_false
    }

    /// Whether the interpreter evaluates conditions of the body together with ill-defined conditions around it: then a false one among them hides an
    /// error, which circuits do not express.
    fn has_doubtful_order(&mut self, op: OpId, peeled: &Peeled, actions: &[Action]) -> bool {
        let model = self.session.model();
        let is_searched = !model.operations[op].params.is_empty();
        let mut strict =
            actions.iter().flat_map(|action| &action.guards).filter(|guard| guard.role == GuardRole::Strict);
        let is_merged = peeled.role != GuardRole::Inner && has_conditions(model, peeled.body, is_searched);
        let is_lenient = self.is_lenient();
        let circuit = &mut self.encoder.blast.circuit;
        if is_merged && !is_lenient && strict.any(|guard| !guard.is_decided(circuit)) {
            return true;
        }
        is_searched && self.has_doubtful_definition(peeled.body)
    }

    /// Whether a LET that belongs to the search for parameters may be ill-defined beside conditions, or where that counts as false.
    fn has_doubtful_definition(&self, mut body: SubstId) -> bool {
        let model = self.session.model();
        loop {
            body = match model.subst(body) {
                Subst::Let { bindings, body } => {
                    let fails = bindings.iter().any(|it| may_fail(model, ModelNode::Expr(it.value)));
                    if fails && (self.is_lenient() || has_conditions(model, *body, true)) {
                        return true;
                    }
                    *body
                }
                Subst::Any { body, .. } => *body,
                Subst::Select { branches, otherwise } => {
                    let bodies = branches.iter().map(|(_, body)| *body).chain(*otherwise);
                    return bodies.into_iter().any(|body| self.has_doubtful_definition(body));
                }
                _ => return false,
            }
        }
    }

    fn peel(&self, op: OpId, label: &[LocalId]) -> Peeled {
        let model = self.session.model();
        let operation = &model.operations[op];
        let mut peeled = Peeled {
            strict: Vec::new(),
            searched: Vec::new(),
            role: GuardRole::Searched,
            binder: Vec::new(),
            body: operation.body,
        };
        let reads_any = |pred: PredId, locals: &[LocalId]| {
            let names = self.session.interp().names_of_pred(pred);
            locals.iter().any(|local| names.locals.contains(local))
        };
        let mut guards = Vec::new();
        if let Subst::Pre { pred, body } = model.subst(peeled.body) {
            // What a precondition says about outputs only types them.
            guards.extend(self.conjuncts(*pred).into_iter().filter(|pred| !reads_any(*pred, &operation.outputs)));
            peeled.body = *body;
        }
        loop {
            match model.subst(peeled.body) {
                Subst::Select { branches, otherwise: None } if branches.len() == 1 => {
                    guards.extend(self.conjuncts(branches[0].0));
                    peeled.body = branches[0].1;
                }
                Subst::Any { binder, pred, body }
                    if operation.params.is_empty() && self.tells_apart(label, binder, *body) =>
                {
                    peeled.role = GuardRole::Inner;
                    peeled.searched = self.conjuncts(*pred);
                    peeled.binder.clone_from(binder);
                    peeled.body = *body;
                    break;
                }
                _ => break,
            }
        }
        let (searched, strict): (Vec<PredId>, Vec<PredId>) =
            guards.into_iter().partition(|pred| reads_any(*pred, &operation.params));
        peeled.searched.extend(searched);
        peeled.strict = strict;
        peeled
    }

    /// Whether a label says all that a body reads of what was chosen for it.
    fn tells_apart(&self, label: &[LocalId], binder: &[LocalId], body: SubstId) -> bool {
        let read = self.session.interp().names().of_subst(self.session.model(), body).locals;
        label.iter().all(|local| binder.contains(local))
            && binder.iter().all(|local| label.contains(local) || !read.contains(local))
    }

    /// One action for each label.
    fn unrolled(
        &mut self,
        op: OpId,
        peeled: &Peeled,
        label: &[LocalId],
        (most, is_meant): (usize, &Meant<'_>),
    ) -> CircuitResult<Vec<Action>> {
        let params = &self.session.model().operations[op].params;
        let binder: Vec<LocalId> = params.iter().chain(&peeled.binder).copied().collect();
        if !label.iter().all(|local| binder.contains(local)) {
            return Err(NoCircuit::Unsupported("a label"));
        }
        let strict = self.strict_guards(peeled)?;
        let is_impossible = |guard: &ActionGuard| guard.truth.is_ok_and(|truth| truth.fails == Lit::TRUE);
        if strict.iter().any(is_impossible) {
            return Ok(Vec::new());
        }
        let mut groups: Vec<(Vec<Val>, Vec<Env>)> = Vec::new();
        let mut places: HashMap<Vec<Val>, usize> = HashMap::new();
        let mut count = 0;
        self.encoder.bind_each(&binder, &peeled.searched, &self.env, &mut |_, env| {
            let vals: Option<Vec<Val>> = label.iter().map(|local| env.local(*local).cloned()).collect();
            let vals = vals.ok_or(NoCircuit::Unsupported("a label without a value"))?;
            if !is_meant(&vals) {
                return Ok(());
            }
            count += 1;
            if count > most {
                return Err(NoCircuit::Unsupported(MANY_LABELS));
            }
            let place = *places.entry(vals).or_insert_with_key(|vals| {
                groups.push((vals.clone(), Vec::new()));
                groups.len() - 1
            });
            groups[place].1.push(env.clone());
            Ok(())
        })?;
        let mut actions = Vec::with_capacity(groups.len());
        for (label, envs) in groups {
            let mut guards = self.searched_guards(peeled, &envs)?;
            if guards.iter().any(is_impossible) {
                continue;
            }
            guards.extend(strict.iter().cloned());
            let action = self.action(op, Some(label), guards, peeled.body, &envs[0])?;
            actions.push(action);
        }
        // What is searched inside may be empty, and the conditions around it ill-defined nevertheless.
        let carries_errors = actions.is_empty() && peeled.role == GuardRole::Inner && !self.is_lenient();
        let circuit = &mut self.encoder.blast.circuit;
        if carries_errors && !strict.iter().all(|guard| guard.is_decided(circuit)) {
            actions.push(Action::never(strict));
        }
        Ok(actions)
    }

    fn strict_guards(&mut self, peeled: &Peeled) -> CircuitResult<Vec<ActionGuard>> {
        let env = self.env.clone();
        peeled.strict.iter().map(|guard| self.guard(*guard, GuardRole::Strict, &env)).collect()
    }

    /// The searched guards for one label. Several choices beside the label come to one condition: some choice satisfies them.
    fn searched_guards(&mut self, peeled: &Peeled, envs: &[Env]) -> CircuitResult<Vec<ActionGuard>> {
        if envs.len() == 1 {
            return peeled.searched.iter().map(|guard| self.guard(*guard, peeled.role, &envs[0])).collect();
        }
        Ok(vec![self.some_choice(peeled, envs)?])
    }

    fn some_choice(&mut self, peeled: &Peeled, envs: &[Env]) -> CircuitResult<ActionGuard> {
        let (mut holds, mut fails, mut reads, mut gap, mut may_fail) = (vec![], vec![], vec![], None, false);
        for env in envs {
            let (mut all_hold, mut some_fails) = (Vec::new(), Vec::new());
            for guard in &peeled.searched {
                let part = self.guard(*guard, peeled.role, env)?;
                match part.truth {
                    Ok(truth) => {
                        all_hold.push(truth.holds);
                        some_fails.push(truth.fails);
                    }
                    Err(cause) => gap = gap.or(Some(cause)),
                }
                may_fail |= part.may_fail;
                reads.extend(part.reads);
            }
            let circuit = &mut self.encoder.blast.circuit;
            holds.push(circuit.and_all(all_hold));
            fails.push(circuit.or_all(some_fails));
        }
        reads.sort_unstable();
        reads.dedup();
        let circuit = &mut self.encoder.blast.circuit;
        let truth = TruthPair { holds: circuit.or_all(holds), fails: circuit.and_all(fails) };
        Ok(ActionGuard { truth: gap.map_or(Ok(truth), Err), reads, role: peeled.role, may_fail })
    }

    fn guard(&mut self, pred: PredId, role: GuardRole, env: &Env) -> CircuitResult<ActionGuard> {
        let truth = match self.encoder.pred(pred, env) {
            Ok(truth) => Ok(truth),
            Err(stop @ NoCircuit::Unsupported(_)) => Err(self.cause(ModelNode::Pred(pred), &stop)),
            Err(stop) => return Err(stop),
        };
        let may_fail = truth.is_err() && may_fail(self.session.model(), ModelNode::Pred(pred));
        let reads = self.session.interp().names_of_pred(pred).variables.clone();
        Ok(ActionGuard { truth, reads, role, may_fail })
    }

    fn action(
        &mut self,
        op: OpId,
        label: Option<Vec<Val>>,
        guards: Vec<ActionGuard>,
        body: SubstId,
        env: &Env,
    ) -> CircuitResult<Action> {
        let mut executor = Executor::new(&mut self.encoder);
        let effect = match executor.execute(body, env) {
            Ok(effect) => effect,
            Err(stop @ NoCircuit::Unsupported(_)) => {
                let opaque = self.opaque(op, self.cause(ModelNode::Subst(body), &stop));
                return Ok(Action { label, guards, ..opaque });
            }
            Err(stop) => return Err(stop),
        };
        let Executor { loose, is_doubtful, has_choice, gaps, points, .. } = executor;
        let mut gaps: Vec<Cause> =
            gaps.into_iter().map(|what| self.cause(ModelNode::Subst(body), &NoCircuit::Unsupported(what))).collect();
        gaps.extend(is_doubtful.then_some(Cause::IllDefinedness));
        let mut outputs = Vec::new();
        for output in &self.session.model().operations[op].outputs {
            let term = effect.updates.get(&Target::Local(*output)).and_then(Option::as_ref);
            outputs.push(term.and_then(|term| self.encoder.as_sym(term, env).ok()));
        }
        let mut updates = Vec::new();
        for (target, term) in effect.updates {
            if let Target::Variable(id) = target {
                updates.push((id, term.map(|term| self.encoder.as_sym(&term, env)).transpose()?));
            }
        }
        Ok(Action {
            label,
            guards,
            possible: effect.possible,
            defined: effect.defined,
            updates,
            loose: loose.into_iter().collect(),
            is_doubtful,
            has_choice,
            points,
            outputs,
            gaps,
        })
    }

    /// The operation as a whole, parameters being choices.
    fn whole(&mut self, op: OpId, peeled: &Peeled) -> CircuitResult<Action> {
        let params = &self.session.model().operations[op].params;
        let binder: Vec<LocalId> = params.iter().chain(&peeled.binder).copied().collect();
        let env = self.env.clone();
        let mut guards = self.strict_guards(peeled)?;
        let conditions = Executor::new(&mut self.encoder).choose_within(&binder, &peeled.searched, &env)?;
        for guard in &peeled.searched {
            guards.push(self.guard(*guard, peeled.role, &env)?);
        }
        let is_choice = self.encoder.blast.circuit.and_all(conditions);
        let truth = Ok(TruthPair { holds: is_choice, fails: !is_choice });
        guards.push(ActionGuard { truth, reads: Vec::new(), role: peeled.role, may_fail: false });
        let action = self.action(op, None, guards, peeled.body, &env)?;
        Ok(Action { has_choice: true, ..action })
    }

    /// The operation by the variables that it reads and writes.
    fn opaque(&self, op: OpId, cause: Cause) -> Action {
        let effects = &self.session.model().operations[op].effects;
        let reads: Vec<VarId> = effects.reads.iter().collect();
        Action {
            label: None,
            guards: vec![ActionGuard {
                truth: Err(cause),
                reads: reads.clone(),
                role: GuardRole::Strict,
                may_fail: true,
            }],
            possible: Lit::TRUE,
            defined: Lit::TRUE,
            updates: effects.writes.iter().map(|id| (id, None)).collect(),
            loose: reads,
            is_doubtful: true,
            has_choice: true,
            points: Vec::new(),
            outputs: Vec::new(),
            gaps: vec![cause],
        }
    }
}

impl Action {
    /// No step, but perhaps an error.
    fn never(guards: Vec<ActionGuard>) -> Action {
        Action {
            label: None,
            guards,
            possible: Lit::FALSE,
            defined: Lit::TRUE,
            updates: Vec::new(),
            loose: Vec::new(),
            is_doubtful: false,
            has_choice: false,
            points: Vec::new(),
            outputs: Vec::new(),
            gaps: Vec::new(),
        }
    }
}

/// Whether the interpreter looks for conditions in a body before it executes it: in a SELECT, and for the sake of parameters further inside.
fn has_conditions(model: &Model, body: SubstId, is_searched: bool) -> bool {
    match model.subst(body) {
        Subst::Select { .. } => true,
        Subst::Any { .. } => is_searched,
        Subst::Let { body, .. } => is_searched && has_conditions(model, *body, true),
        Subst::Parallel(parts) => is_searched && parts.iter().any(|part| has_hints(model, *part)),
        Subst::Sequence(parts) => is_searched && parts.first().is_some_and(|part| has_hints(model, *part)),
        _ => false,
    }
}

/// Whether a part of a body has a condition that every outcome of the whole needs.
fn has_hints(model: &Model, part: SubstId) -> bool {
    match model.subst(part) {
        Subst::Select { .. } => true,
        Subst::Parallel(parts) => parts.iter().any(|part| has_hints(model, *part)),
        Subst::Sequence(parts) => parts.first().is_some_and(|part| has_hints(model, *part)),
        _ => false,
    }
}
