//! A naive judge of refinement: the definitions, over labelled graphs that the plain interpreter lists.
//!
//! It shares nothing with the crate `refine` but the models of the two levels: events are compared as values, abstract states
//! are kept in sets without antichains or symmetry, and every obligation is evaluated where it is met. It answers with the length of a
//! shortest counterexample, or not at all where anything is not well-defined or has no bounds.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::ops::ControlFlow;
use std::sync::Arc;

use abridge_check::{Models, Notion};
use abridge_diag::StopFlag;
use abridge_eval::{Config, Env, Interp, State, Val};
use abridge_explicit::judge;
use abridge_model::{Level, Model, OpId, Subst};

/// The answer of the judge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Judged {
    Holds,
    /// Steps of a shortest counterexample from the root, the one that fails included.
    Fails(usize),
    /// New operations can go on for ever.
    Diverges,
    /// Something is not well-defined or not bounded, or there are too many states.
    Unknown,
}

/// Judges whether the concrete level refines the abstract one. What is not known when `stop` is raised stays unknown.
pub fn judge_refinement(
    models: &Models,
    notion: Notion,
    new_is_skip: bool,
    max_states: usize,
    stop: &StopFlag,
) -> Judged {
    let judge = |model| judge(model, Config::default()).stopped_by(stop.clone());
    let naive = Naive {
        models,
        concrete: judge(&models.concrete),
        abstracted: judge(&models.abstracted),
        joint: judge(&models.joint),
        preconditions: judge(&models.preconditions),
        new_is_skip,
        max_states,
    };
    let found = match notion {
        Notion::Simulation => naive.simulation(),
        Notion::Traces => naive.traces(false),
        Notion::Failures => naive.traces(true),
    };
    match found {
        Ok(None) if notion == Notion::Failures && new_is_skip => match naive.diverges() {
            Ok(true) => Judged::Diverges,
            Ok(false) => Judged::Holds,
            Err(Lost) => Judged::Unknown,
        },
        Ok(None) => Judged::Holds,
        Ok(Some(length)) => Judged::Fails(length),
        Err(Lost) => Judged::Unknown,
    }
}

/// There is no telling.
struct Lost;

type Answer<T> = Result<T, Lost>;

/// A step: name that callers use, arguments, results, target.
#[derive(Clone)]
struct LabelledStep {
    name: String,
    params: Vec<Val>,
    outputs: Vec<Option<Val>>,
    target: State,
}

struct Naive<'m> {
    models: &'m Models,
    concrete: Interp<'m>,
    abstracted: Interp<'m>,
    joint: Interp<'m>,
    preconditions: Interp<'m>,
    new_is_skip: bool,
    max_states: usize,
}

/// What the constants may be, and the depth of states without variables.
fn set_ups(interp: &Interp<'_>) -> Answer<(Vec<State>, usize)> {
    let model = interp.model();
    let session = interp.session();
    let mut found = Vec::new();
    let mut is_lost = false;
    session.setup_constants(&mut |state| {
        match state {
            Ok(state) => found.push(state),
            Err(_) => is_lost = true,
        }
        ControlFlow::Continue(())
    });
    let has_setup = !model.constants.is_empty() || !model.properties.is_empty();
    if is_lost || !session.take_warnings().is_empty() { Err(Lost) } else { Ok((found, usize::from(has_setup))) }
}

fn initial(interp: &Interp<'_>, constants: &State) -> Answer<Vec<State>> {
    let blank = State {
        constants: constants.constants.clone(),
        variables: Arc::new(vec![None; interp.model().variables.len()]),
    };
    let session = interp.session();
    let (mut found, mut is_lost) = (Vec::new(), false);
    session.initialise(&blank, &mut |state| {
        match state {
            Ok(state) => found.push(state),
            Err(_) => is_lost = true,
        }
        ControlFlow::Continue(())
    });
    if is_lost || !session.take_warnings().is_empty() { Err(Lost) } else { Ok(found) }
}

fn steps(interp: &Interp<'_>, level: &Level, state: &State) -> Answer<Vec<LabelledStep>> {
    let session = interp.session();
    let (mut found, mut is_lost) = (Vec::new(), false);
    for (name, op) in &level.operations {
        session.operation(*op, state, &mut |transition| {
            match transition {
                Ok(transition) => found.push(LabelledStep {
                    name: name.to_string(),
                    params: transition.params,
                    outputs: transition.outputs,
                    target: transition.state,
                }),
                Err(_) => is_lost = true,
            }
            ControlFlow::Continue(())
        });
    }
    if is_lost || !session.take_warnings().is_empty() { Err(Lost) } else { Ok(found) }
}

/// Numbers for states.
#[derive(Default)]
struct Numbers {
    states: Vec<State>,
    numbers: HashMap<State, usize>,
}

impl Numbers {
    fn of(&mut self, state: State) -> usize {
        *self.numbers.entry(state).or_insert_with_key(|state| {
            self.states.push(state.clone());
            self.states.len() - 1
        })
    }
}

impl Naive<'_> {
    fn is_new(&self, name: &str) -> bool {
        self.models.abstract_level.operation(name).is_none()
    }

    fn concrete_steps(&self, state: &State) -> Answer<Vec<LabelledStep>> {
        steps(&self.concrete, &self.models.concrete_level, state)
    }

    fn abstract_steps(&self, state: &State) -> Answer<Vec<LabelledStep>> {
        steps(&self.abstracted, &self.models.abstract_level, state)
    }

    /// The subset construction.
    fn traces(&self, with_refusals: bool) -> Answer<Option<usize>> {
        let (constants, depth) = set_ups(&self.concrete)?;
        let mut numbers = Numbers::default();
        let mut seen: HashSet<(State, BTreeSet<usize>)> = HashSet::new();
        let mut open: VecDeque<(State, BTreeSet<usize>, usize)> = VecDeque::new();
        for constants in constants {
            let others: BTreeSet<usize> =
                initial(&self.abstracted, &constants)?.into_iter().map(|state| numbers.of(state)).collect();
            for state in initial(&self.concrete, &constants)? {
                if others.is_empty() {
                    return Ok(Some(depth + 1));
                }
                if seen.insert((state.clone(), others.clone())) {
                    open.push_back((state, others.clone(), depth + 1));
                }
            }
        }
        // Without initial states nothing is compared.
        if seen.is_empty() {
            return Err(Lost);
        }
        while let Some((state, others, depth)) = open.pop_front() {
            if seen.len() > self.max_states {
                return Err(Lost);
            }
            let own = self.concrete_steps(&state)?;
            let mut answers: Vec<Vec<LabelledStep>> = Vec::new();
            for other in &others {
                answers.push(self.abstract_steps(&numbers.states[*other])?);
            }
            for step in &own {
                let is_new = self.is_new(&step.name);
                let next: BTreeSet<usize> = if is_new && self.new_is_skip {
                    others.clone()
                } else {
                    let same = answers.iter().flatten().filter(|other| is_same_event(step, other));
                    same.map(|other| numbers.of(other.target.clone())).collect()
                };
                if next.is_empty() {
                    return Ok(Some(depth + 1));
                }
                if seen.insert((step.target.clone(), next.clone())) {
                    open.push_back((step.target.clone(), next, depth + 1));
                }
            }
            if with_refusals && self.refuses(&own, &answers) {
                return Ok(Some(depth + 1));
            }
        }
        Ok(None)
    }

    /// A call that every abstract state accepts is refused in a stable state.
    fn refuses(&self, own: &[LabelledStep], answers: &[Vec<LabelledStep>]) -> bool {
        if self.new_is_skip && own.iter().any(|step| self.is_new(&step.name)) {
            return false;
        }
        answers[0].iter().any(|call| {
            answers.iter().all(|answer| answer.iter().any(|other| is_same_call(call, other)))
                && own.iter().all(|step| !is_same_call(call, step))
        })
    }

    /// The proof obligations, on all reachable pairs of related states.
    fn simulation(&self) -> Answer<Option<usize>> {
        let (constants, depth) = set_ups(&self.concrete)?;
        let mut seen: HashSet<(State, State)> = HashSet::new();
        let mut open: VecDeque<(State, State, usize)> = VecDeque::new();
        for constants in constants {
            let others = initial(&self.abstracted, &constants)?;
            for state in initial(&self.concrete, &constants)? {
                if !self.relate(&state, others.clone(), depth + 1, &mut seen, &mut open)? {
                    return Ok(Some(depth + 1));
                }
            }
        }
        if seen.is_empty() {
            return Err(Lost);
        }
        while let Some((state, other, depth)) = open.pop_front() {
            if seen.len() > self.max_states {
                return Err(Lost);
            }
            if !self.simulates(&state, &other, depth, &mut seen, &mut open)? {
                return Ok(Some(depth + 1));
            }
        }
        Ok(None)
    }

    /// All obligations of one pair hold.
    fn simulates(
        &self,
        state: &State,
        other: &State,
        depth: usize,
        seen: &mut HashSet<(State, State)>,
        open: &mut VecDeque<(State, State, usize)>,
    ) -> Answer<bool> {
        let own = self.concrete_steps(state)?;
        let answers = self.abstract_steps(other)?;
        let calls = steps(&self.preconditions, &self.models.abstract_level, other)?;
        for call in &calls {
            let Some(op) = self.models.concrete_level.operation(&call.name) else { return Ok(false) };
            if !precondition(&self.concrete, op, state, &call.params)? {
                return Ok(false);
            }
        }
        for step in &own {
            let candidates: Vec<State> = if self.is_new(&step.name) {
                if !self.new_is_skip {
                    return Ok(false);
                }
                vec![other.clone()]
            } else if calls.iter().any(|call| is_same_call(call, step)) {
                answers
                    .iter()
                    .filter(|answer| is_same_event(step, answer))
                    .map(|answer| answer.target.clone())
                    .collect()
            } else {
                continue;
            };
            if !self.relate(&step.target, candidates, depth + 1, seen, open)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Adds the related pairs; false if there are none.
    fn relate(
        &self,
        state: &State,
        candidates: Vec<State>,
        depth: usize,
        seen: &mut HashSet<(State, State)>,
        open: &mut VecDeque<(State, State, usize)>,
    ) -> Answer<bool> {
        let mut is_related = false;
        for candidate in candidates {
            if self.are_glued(state, &candidate)? {
                is_related = true;
                if seen.insert((state.clone(), candidate.clone())) {
                    open.push_back((state.clone(), candidate, depth));
                }
            }
        }
        Ok(is_related)
    }

    fn are_glued(&self, state: &State, other: &State) -> Answer<bool> {
        let mut variables = state.variables.to_vec();
        for (own, other) in variables.iter_mut().zip(other.variables.iter()) {
            match (&own, other) {
                (Some(own), Some(other)) if own != other => return Ok(false),
                (None, Some(other)) => *own = Some(other.clone()),
                _ => {}
            }
        }
        let both = State { constants: state.constants.clone(), variables: Arc::new(variables) };
        let session = self.joint.session();
        let model = self.joint.model();
        for conjunct in &model.invariant {
            if !session.pred(conjunct.pred, &Env::new(&both)).map_err(|_| Lost)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// New operations of the refinement can be performed without end.
    fn diverges(&self) -> Answer<bool> {
        let mut numbers = Numbers::default();
        let (constants, _) = set_ups(&self.concrete)?;
        for constants in constants {
            for state in initial(&self.concrete, &constants)? {
                numbers.of(state);
            }
        }
        let mut hidden: Vec<Vec<usize>> = Vec::new();
        while let Some(state) = numbers.states.get(hidden.len()).cloned() {
            let mut targets = Vec::new();
            for step in self.concrete_steps(&state)? {
                let target = numbers.of(step.target);
                if self.is_new(&step.name) {
                    targets.push(target);
                }
            }
            hidden.push(targets);
        }
        // A state from which as many hidden steps lead as there are states lies before a cycle.
        let mut alive = vec![true; hidden.len()];
        for _ in 0..hidden.len() {
            alive = hidden.iter().map(|targets| targets.iter().any(|to| alive[*to])).collect();
        }
        Ok(alive.contains(&true))
    }
}

fn is_same_call(left: &LabelledStep, right: &LabelledStep) -> bool {
    left.name == right.name && left.params == right.params
}

fn is_same_event(left: &LabelledStep, right: &LabelledStep) -> bool {
    is_same_call(left, right) && left.outputs == right.outputs
}

fn precondition(interp: &Interp<'_>, op: OpId, state: &State, params: &[Val]) -> Answer<bool> {
    let model: &Model = interp.model();
    let Subst::Pre { pred, .. } = model.subst(model.operations[op].body) else { return Ok(true) };
    let locals = model.operations[op].params.iter().copied().zip(params.iter().cloned());
    interp.session().pred(*pred, &Env::new(state).bind_all(locals)).map_err(|_| Lost)
}
