//! Coverage of a state space: the values that variables take, and guards that are never true.
//!
//! Transitions per operation are counted by the search. The rest is read off the table of visited states: a variable is one word of a state, so values are counted by their ids and
//! written once each. A guard is a condition that an operation waits for, and is tried by the judge; it is named only if no visited state makes it true. Under symmetry reduction the
//! states are representatives.
//!
//! What breaks if it is wrong: people believe that a value never occurs, or that a guard can never be true.

use std::collections::HashMap;
use std::ops::ControlFlow;

use abridge_diag::{Span, with_stack};
use abridge_eval::{Env, Interp, Problem, Session, State, Unbounded, Unknown};
use abridge_model::{LocalId, Model, PredId, Subst, SubstId, VarId};
use abridge_model_system::ModelSystem;
use abridge_search::{Control, Progress};
use abridge_store::StateTable;

/// Values and guards in the visited states.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct StateCoverage {
    /// Initialised states that were looked at.
    pub states: u64,
    /// All visited states were looked at.
    pub is_whole: bool,
    pub variables: Vec<VariableCoverage>,
    /// Guards that none of `guard_states` states makes true.
    pub guards: Vec<DeadGuard>,
    pub guard_states: u64,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VariableCoverage {
    pub name: String,
    /// Number of different values.
    pub n_values: u64,
    /// The most frequent values with the number of states that have them, most frequent first.
    pub values: Vec<(String, u64)>,
}

/// Condition of an operation that is never true together with those before it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeadGuard {
    pub operation: String,
    pub span: Span,
}

/// States in which guards are tried; most are true in one of the first.
const MAX_GUARD_STATES: u64 = 20_000;
/// Steps of evaluation for one question.
const FUEL: u64 = 1 << 20;
/// Values that are written to find the most frequent ones.
const MAX_WRITTEN: usize = 1 << 14;
/// States between two looks at the clock.
const STATES_PER_POLL: u32 = 1 << 12;

/// Looks at the visited states. At most `max_values` values of each variable are kept.
pub(crate) fn coverage(
    system: &impl ModelSystem,
    table: &StateTable,
    max_values: usize,
    control: &mut dyn Control,
) -> StateCoverage {
    with_stack(|| coverage_inner(system, table, max_values, control))
}

fn coverage_inner(
    system: &impl ModelSystem,
    table: &StateTable,
    max_values: usize,
    control: &mut dyn Control,
) -> StateCoverage {
    let mut found = StateCoverage { is_whole: true, ..StateCoverage::default() };
    let mut counts: Vec<HashMap<u32, u64>> = vec![HashMap::new(); system.variables().len()];
    let mut trials = GuardTrials::new(system.judge());
    let scope = system.model().steering.scope.filter(|_| system.has_scope());
    for number in 0..table.len() as u32 {
        let is_look_due = number % STATES_PER_POLL == STATES_PER_POLL - 1;
        if is_look_due && control.poll(&Progress { states: found.states, ..Progress::default() }).is_some() {
            found.is_whole = false;
            break;
        }
        let words = match table.get(number) {
            Ok(words) if words.len() == system.width() => words,
            _ => {
                found.is_whole = false;
                break;
            }
        };
        let is_initialised = words[0] & 1 == 1;
        if !is_initialised || scope.is_some_and(|scope| !matches!(system.holds(scope, &words), Ok(true))) {
            continue;
        }
        found.states += 1;
        counts.iter_mut().zip(&words[1..]).for_each(|(count, id)| *count.entry(*id).or_default() += 1);
        if found.guard_states < MAX_GUARD_STATES {
            found.guard_states += 1;
            trials.visit(&system.decode(&words).0);
        }
    }
    let mut variables: Vec<(VarId, VariableCoverage)> = Vec::new();
    for (place, (variable, count)) in system.variables().iter().zip(counts).enumerate() {
        let name = system.model().variables[*variable].name.to_string();
        let text = |id| system.notations().variable_text(system.model(), *variable, &system.decode_val(place + 1, id));
        variables.push((*variable, variable_coverage(name, count, max_values, text)));
    }
    // The order of declaration.
    variables.sort_by_key(|(variable, _)| *variable);
    found.variables = variables.into_iter().map(|(_, covered)| covered).collect();
    found.guards = if found.states > 0 { trials.dead(system.model()) } else { Vec::new() };
    found
}

fn variable_coverage(
    name: String,
    count: HashMap<u32, u64>,
    max_values: usize,
    text: impl Fn(u32) -> String,
) -> VariableCoverage {
    let n_values = count.len() as u64;
    let mut ids: Vec<(u32, u64)> = count.into_iter().collect();
    ids.sort_by_key(|(id, n_states)| (std::cmp::Reverse(*n_states), *id));
    // Values that are as frequent as the last one that is kept are told apart by their texts, if there are not too many of them.
    let least = max_values.checked_sub(1).and_then(|last| ids.get(last)).map_or(0, |(_, n_states)| *n_states);
    let n_candidates = ids.iter().take_while(|(_, n_states)| *n_states >= least).count();
    ids.truncate(n_candidates.min(max_values.max(MAX_WRITTEN)));
    let mut values: Vec<(String, u64)> = ids.into_iter().map(|(id, n_states)| (text(id), n_states)).collect();
    // Ids depend on the order of evaluation, texts do not. Numbers are in their own order.
    values
        .sort_by_cached_key(|(text, n_states)| (std::cmp::Reverse(*n_states), text.parse::<i128>().ok(), text.clone()));
    values.truncate(max_values);
    VariableCoverage { name, n_values, values }
}

/// A guard: conditions that must hold together, one after the other, for some values of locals.
struct OperationGuard {
    operation: String,
    locals: Vec<LocalId>,
    conditions: Vec<PredId>,
    /// So many conditions, the first ones, were true together in some state.
    n_true: usize,
}

struct GuardTrials<'i> {
    session: Session<'i>,
    guards: Vec<OperationGuard>,
}

impl<'i> GuardTrials<'i> {
    fn new(judge: &'i Interp<'_>) -> GuardTrials<'i> {
        let mut guards = Vec::new();
        let model = judge.model();
        for operation in model.operations.values().filter(|operation| operation.is_top_level) {
            let guard = OperationGuard {
                operation: operation.name.to_string(),
                locals: operation.params.clone(),
                conditions: Vec::new(),
                n_true: 0,
            };
            collect(judge, operation.body, guard, &mut guards);
        }
        GuardTrials { session: judge.session(), guards }
    }

    /// Tries in a state what was never true before.
    fn visit(&mut self, state: &State) {
        let env = Env::new(state);
        for guard in &mut self.guards {
            while guard.n_true < guard.conditions.len() && can_hold(&self.session, guard, &env) {
                guard.n_true += 1;
            }
        }
    }

    fn dead(self, model: &Model) -> Vec<DeadGuard> {
        let mut dead: Vec<DeadGuard> = Vec::new();
        for guard in self.guards {
            let Some(condition) = guard.conditions.get(guard.n_true) else { continue };
            let one = DeadGuard { operation: guard.operation, span: model.preds[*condition].span };
            // Branches share what is before them.
            if !dead.contains(&one) {
                dead.push(one);
            }
        }
        dead
    }
}

/// Lists the guards of a substitution, each with the conditions before it.
fn collect(judge: &Interp<'_>, subst: SubstId, mut guard: OperationGuard, guards: &mut Vec<OperationGuard>) {
    let model = judge.model();
    match &model.substs[subst].subst {
        Subst::Pre { pred, body } => {
            guard.conditions.extend(judge.conjuncts(*pred).iter());
            collect(judge, *body, guard, guards);
        }
        Subst::Any { binder, pred, body } => {
            guard.locals.extend(binder);
            guard.conditions.extend(judge.conjuncts(*pred).iter());
            collect(judge, *body, guard, guards);
        }
        Subst::Select { branches, .. } => {
            for (pred, body) in branches {
                let mut branch = OperationGuard {
                    operation: guard.operation.clone(),
                    locals: guard.locals.clone(),
                    conditions: guard.conditions.clone(),
                    n_true: 0,
                };
                branch.conditions.extend(judge.conjuncts(*pred).iter());
                collect(judge, *body, branch, guards);
            }
        }
        _ => guards.push(guard),
    }
}

/// Whether one more condition of a guard may hold together with those before it. What cannot be decided counts as possible, since nothing is to be said about it.
fn can_hold(session: &Session<'_>, guard: &OperationGuard, env: &Env) -> bool {
    let conditions = &guard.conditions[..=guard.n_true];
    let is_read = |local: &&LocalId| {
        conditions.iter().any(|condition| session.interp().names_of_pred(*condition).locals.contains(local))
    };
    let unknowns: Vec<Unknown> = guard.locals.iter().filter(is_read).map(|local| Unknown::Local(*local)).collect();
    let mut problem = Problem::of_unknowns(session, unknowns).unbounded(Unbounded::Error);
    conditions.iter().for_each(|condition| problem.require(session, *condition));
    session.limit(FUEL);
    let mut is_found = false;
    let outcome = session.solve(problem, env, &mut |_| {
        is_found = true;
        Ok(ControlFlow::Break(()))
    });
    let warned = !session.take_warnings().is_empty();
    is_found || outcome.is_err() || warned
}
