//! Operations as circuits over a state that is not known: what deductions about all states at once are made from.
//!
//! The constants are known, the variables are inputs. An operation is translated for each value of what labels its steps, parameters
//! mostly, as far as these can be listed; otherwise as a whole. An [`Action`] covers every step with its label: what has no circuit is
//! named by the variables that it reads or writes, and nothing is left out.

use std::collections::HashMap;

use abridge_blast::{Blast, Lit, Sym};
use abridge_model::{
    Arrow, BinaryOp, Comparison, Expr, ExprId, LocalId, OpId, Pred, PredId, Subst, SubstId, Target, Type, UnaryOp,
    VarId,
};

use abridge_model::walk::Node;

use abridge_eval::{Env, Session, State, SymbolicSet, Val};
use abridge_solve::encode::{Encoded, Encoder, Executor, SetArg, Stop, Term, Truth, may_fail};

/// A condition of an action, all of which must hold.
#[derive(Clone, Debug)]
pub struct Guard {
    /// Nothing if it has no circuit.
    pub truth: Option<Truth>,
    /// The variables that it reads.
    pub reads: Vec<VarId>,
    /// It does not depend on what is chosen for the step: where such a condition is ill-defined, that may be an error.
    pub is_closed: bool,
    /// It may be ill-defined in ways that the circuit does not tell.
    pub may_fail: bool,
}

/// What the steps of an operation with one label do, or all its steps.
#[derive(Clone, Debug)]
pub struct Action {
    /// Nothing for the operation as a whole.
    pub label: Option<Vec<Val>>,
    pub guards: Vec<Guard>,
    /// Further conditions under which there is an outcome, on choices too.
    pub possible: Lit,
    /// Under the guards nothing goes wrong in what has a circuit.
    pub defined: Lit,
    /// New values of variables; nothing where there is no circuit. Other variables keep their values.
    pub updates: Vec<(VarId, Option<Sym>)>,
    /// Variables that are read by parts of the body without a circuit.
    pub loose: Vec<VarId>,
    /// Something without a circuit may go wrong.
    pub is_doubtful: bool,
    /// There may be several outcomes: circuits have inputs beside those of the state.
    pub has_choice: bool,
}

/// A translator for one valuation of the constants.
pub struct Translator<'s> {
    session: &'s Session<'s>,
    encoder: Encoder<'s>,
    env: Env,
}

/// An operation without the guards around it.
struct Peeled {
    guards: Vec<PredId>,
    /// The locals of an ANY that was taken off.
    binder: Vec<LocalId>,
    body: SubstId,
}

impl<'s> Translator<'s> {
    /// `constants` are those of the state; its variables are not looked at.
    pub fn new(session: &'s Session<'s>, constants: &State) -> Self {
        let blank = vec![None; session.model().variables.len()];
        let state = State { constants: constants.constants.clone(), variables: std::sync::Arc::new(blank) };
        Translator { session, encoder: Encoder::new(session), env: Env::new(&state) }
    }

    /// Makes a variable stand for any element of a set, or any value of its type; the literal says that it is one. Nothing if it has no
    /// symbolic value: formulas that read it have no circuit.
    pub fn declare(&mut self, variable: VarId, set: Option<&Val>) -> Option<Lit> {
        let ty = self.session.model().variables[variable].ty;
        let set = set.cloned().unwrap_or_else(|| self.session.type_set(ty));
        let fresh = self.encoder.fresh(&set, &self.env).ok();
        let (sym, condition) = fresh.map_or((None, None), |(sym, condition)| (Some(sym), Some(condition)));
        self.encoder.set_variable(variable, sym);
        condition
    }

    /// Makes a variable stand for any function from one set to another, argument by argument, so that its values have parts: what
    /// [`Translator::function_bound`] gives. The literal is as in [`Translator::declare`].
    pub fn declare_function(&mut self, variable: VarId, set: &Val) -> Option<Lit> {
        let Some(SymbolicSet::Binary(BinaryOp::Arrow(arrow), from, to)) = set.as_sym() else { return None };
        let (sym, condition) = self.encoder.fresh_by_argument(*arrow, from, to, &self.env).ok()?;
        self.encoder.set_variable(variable, Some(sym));
        Some(condition)
    }

    /// Takes the symbolic value from a variable.
    pub fn hide(&mut self, variable: VarId) {
        self.encoder.set_variable(variable, None);
    }

    /// The inputs that a variable stands for.
    pub fn shape(&self, variable: VarId) -> Option<&Sym> {
        self.encoder.variable(variable)
    }

    pub fn blast(&mut self) -> &mut Blast {
        &mut self.encoder.blast
    }

    pub fn into_blast(self) -> Blast {
        self.encoder.blast
    }

    /// The circuit of a predicate over the state.
    pub fn truth(&mut self, pred: PredId) -> Option<Truth> {
        if let Ok(truth) = self.encoder.pred(pred, &self.env) {
            return Some(truth);
        }
        // A variable needs no circuit to be what its type says.
        let (_, set) = self.bound(pred)?;
        self.session.is_whole_type(&set).then_some(Truth { holds: Lit::TRUE, fails: Lit::FALSE })
    }

    /// When a value is an element of a set.
    pub fn member(&mut self, value: &Sym, set: &Val) -> Option<Lit> {
        let truth = self.encoder.in_set(&Term::of_sym(value.clone()), &SetArg::Val(set.clone()), &self.env);
        truth.ok().map(|truth| truth.holds)
    }

    /// The variables that a predicate reads.
    pub fn reads(&self, pred: PredId) -> Vec<VarId> {
        self.session.interp().names().of_pred(self.session.model(), pred).variables.clone()
    }

    /// The conjuncts of a predicate.
    pub fn conjuncts(&self, pred: PredId) -> Vec<PredId> {
        self.session.interp().names().conjuncts(self.session.model(), pred).to_vec()
    }

    /// A set that depends on the constants alone and that a predicate wants a variable to belong to.
    pub fn bound(&self, pred: PredId) -> Option<(VarId, Val)> {
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
        let names = self.session.interp().names().of_expr(self.session.model(), expr);
        if !names.variables.is_empty() || !names.locals.is_empty() {
            return None;
        }
        self.session.expr(expr, &self.env).ok()
    }

    /// A set of functions to sets that a predicate wants a variable to belong to, or a larger one where it depends on other variables.
    pub fn function_bound(&self, pred: PredId) -> Option<(VarId, Val)> {
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
    pub fn actions(&mut self, op: OpId, label: &[LocalId], most: usize) -> Vec<Action> {
        let peeled = self.peel(op, label);
        match self.unrolled(op, &peeled, label, most) {
            Ok(actions) => actions,
            Err(_) => vec![self.whole(op, &peeled).unwrap_or_else(|_| self.opaque(op))],
        }
    }

    fn peel(&self, op: OpId, label: &[LocalId]) -> Peeled {
        let model = self.session.model();
        let operation = &model.operations[op];
        let mut peeled = Peeled { guards: Vec::new(), binder: Vec::new(), body: operation.body };
        if let Subst::Pre { pred, body } = model.subst(peeled.body) {
            // What a precondition says about outputs only types them.
            let is_typing = |pred: &PredId| {
                let names = self.session.interp().names().of_pred(model, *pred);
                operation.outputs.iter().any(|output| names.locals.contains(output))
            };
            peeled.guards.extend(self.conjuncts(*pred).into_iter().filter(|pred| !is_typing(pred)));
            peeled.body = *body;
        }
        loop {
            match model.subst(peeled.body) {
                Subst::Select { branches, otherwise: None } if branches.len() == 1 => {
                    peeled.guards.extend(self.conjuncts(branches[0].0));
                    peeled.body = branches[0].1;
                }
                Subst::Any { binder, pred, body }
                    if operation.params.is_empty() && self.tells_apart(label, binder, *body) =>
                {
                    peeled.guards.extend(self.conjuncts(*pred));
                    peeled.binder.clone_from(binder);
                    peeled.body = *body;
                    return peeled;
                }
                _ => return peeled,
            }
        }
    }

    /// Whether a label says all that a body reads of what was chosen for it.
    fn tells_apart(&self, label: &[LocalId], binder: &[LocalId], body: SubstId) -> bool {
        let read = self.session.interp().names().of_subst(self.session.model(), body).locals;
        label.iter().all(|local| binder.contains(local))
            && binder.iter().all(|local| label.contains(local) || !read.contains(local))
    }

    /// One action for each label.
    fn unrolled(&mut self, op: OpId, peeled: &Peeled, label: &[LocalId], most: usize) -> Encoded<Vec<Action>> {
        let params = &self.session.model().operations[op].params;
        let binder: Vec<LocalId> = params.iter().chain(&peeled.binder).copied().collect();
        if !label.iter().all(|local| binder.contains(local)) {
            return Err(Stop::Unsupported("a label"));
        }
        let mut groups: Vec<(Vec<Val>, Vec<Env>)> = Vec::new();
        let mut places: HashMap<Vec<Val>, usize> = HashMap::new();
        let mut count = 0;
        self.encoder.bind_each(&binder, &peeled.guards, &self.env, &mut |_, env| {
            count += 1;
            if count > most {
                return Err(Stop::Unsupported("many labels"));
            }
            let vals: Option<Vec<Val>> = label.iter().map(|local| env.local(*local).cloned()).collect();
            let vals = vals.ok_or(Stop::Unsupported("a label without a value"))?;
            let place = *places.entry(vals).or_insert_with_key(|vals| {
                groups.push((vals.clone(), Vec::new()));
                groups.len() - 1
            });
            groups[place].1.push(env.clone());
            Ok(())
        })?;
        let mut actions = Vec::with_capacity(groups.len());
        for (label, envs) in groups {
            let guards = self.guards_of_group(&peeled.guards, &binder, &envs)?;
            let impossible = |guard: &Guard| guard.truth.is_some_and(|truth| truth.fails == Lit::TRUE);
            if guards.iter().any(impossible) {
                continue;
            }
            let action = self.action(op, Some(label), guards, peeled.body, &envs[0])?;
            actions.push(action);
        }
        Ok(actions)
    }

    /// The guards for one label: several ways to choose the rest of what is chosen come to one condition.
    fn guards_of_group(&mut self, guards: &[PredId], binder: &[LocalId], envs: &[Env]) -> Encoded<Vec<Guard>> {
        if let [env] = envs {
            return guards.iter().map(|guard| self.guard(*guard, binder, env)).collect();
        }
        let (mut holds, mut fails) = (Vec::new(), Vec::new());
        let mut reads = Vec::new();
        let (mut has_circuit, mut some_may_fail, mut is_closed) = (true, false, false);
        for env in envs {
            let parts: Vec<Guard> =
                guards.iter().map(|guard| self.guard(*guard, binder, env)).collect::<Encoded<_>>()?;
            reads.extend(parts.iter().flat_map(|part| part.reads.iter().copied()));
            let truths: Option<Vec<Truth>> = parts.iter().map(|part| part.truth).collect();
            has_circuit &= truths.is_some();
            is_closed |= parts.iter().any(|part| part.is_closed);
            some_may_fail |= parts.iter().any(|part| part.may_fail || part.truth.is_some());
            let truths = truths.unwrap_or_default();
            let circuit = &mut self.encoder.blast.circuit;
            holds.push(circuit.and_all(truths.iter().map(|truth| truth.holds)));
            fails.push(circuit.or_all(truths.iter().map(|truth| truth.fails)));
        }
        reads.sort_unstable();
        reads.dedup();
        let circuit = &mut self.encoder.blast.circuit;
        let truth = Truth { holds: circuit.or_all(holds), fails: circuit.and_all(fails) };
        let may_fail = !has_circuit && some_may_fail;
        Ok(vec![Guard { truth: has_circuit.then_some(truth), reads, is_closed, may_fail }])
    }

    fn guard(&mut self, pred: PredId, binder: &[LocalId], env: &Env) -> Encoded<Guard> {
        let truth = match self.encoder.pred(pred, env) {
            Ok(truth) => Some(truth),
            Err(Stop::Unsupported(_)) => None,
            Err(stop) => return Err(stop),
        };
        let may_fail = truth.is_none() && may_fail(self.session.model(), Node::Pred(pred));
        let names = self.session.interp().names().of_pred(self.session.model(), pred);
        let is_closed = !binder.iter().any(|local| names.locals.contains(local));
        Ok(Guard { truth, reads: names.variables.clone(), is_closed, may_fail })
    }

    fn action(
        &mut self,
        op: OpId,
        label: Option<Vec<Val>>,
        guards: Vec<Guard>,
        body: SubstId,
        env: &Env,
    ) -> Encoded<Action> {
        let mut executor = Executor::new(&mut self.encoder);
        let effect = match executor.execute(body, env) {
            Ok(effect) => effect,
            Err(Stop::Unsupported(_)) => {
                let opaque = self.opaque(op);
                return Ok(Action { label, guards, ..opaque });
            }
            Err(stop) => return Err(stop),
        };
        let Executor { loose, is_doubtful, has_choice, .. } = executor;
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
        })
    }

    /// The operation as a whole, parameters being choices.
    fn whole(&mut self, op: OpId, peeled: &Peeled) -> Encoded<Action> {
        let params = &self.session.model().operations[op].params;
        let binder: Vec<LocalId> = params.iter().chain(&peeled.binder).copied().collect();
        let env = self.env.clone();
        let conditions = Executor::new(&mut self.encoder).choose_within(&binder, &peeled.guards, &env)?;
        let guards = peeled.guards.iter().map(|guard| self.guard(*guard, &binder, &env)).collect::<Encoded<_>>()?;
        let mut action = self.action(op, None, guards, peeled.body, &env)?;
        let circuit = &mut self.encoder.blast.circuit;
        action.possible = circuit.and_all(conditions.into_iter().chain([action.possible]));
        action.has_choice = true;
        Ok(action)
    }

    /// The operation by the variables that it reads and writes.
    fn opaque(&self, op: OpId) -> Action {
        let effects = &self.session.model().operations[op].effects;
        let reads: Vec<VarId> = effects.reads.iter().collect();
        Action {
            label: None,
            guards: vec![Guard { truth: None, reads: reads.clone(), is_closed: true, may_fail: true }],
            possible: Lit::TRUE,
            defined: Lit::TRUE,
            updates: effects.writes.iter().map(|id| (id, None)).collect(),
            loose: reads,
            is_doubtful: true,
            has_choice: true,
        }
    }
}
