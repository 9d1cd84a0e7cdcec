//! A naive judge of refinement: the definitions, over labelled graphs that the plain interpreter lists.
//!
//! It shares nothing with the crate `refine` but the models of the two levels: events are compared as values, abstract states
//! are kept in sets without antichains or symmetry, and every obligation is evaluated where it is met. It answers with the number of the first step in which something is wrong,
//! and all that may be told about it: a failure, or a formula without a value. Where something has no bounds there is no answer.
//!
//! A step without a value is met where all steps of a level are listed (traces, failures), or where an obligation asks for it (simulation): calls outside the abstract
//! precondition are nobody's business.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::ops::ControlFlow;
use std::sync::Arc;

use abridge_check::{Models, Notion};
use abridge_diag::StopFlag;
use abridge_eval::{Env, Error, ErrorKind, EvalConfig, Interp, PrescribedChoices, Session, State, Val, Warning};
use abridge_explicit::judge;
use abridge_model::{Level, LocalId, OpId, PredId, Subst};

/// An answer of the judge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Judged {
    Holds,
    /// Steps of a shortest counterexample from the root, the one that fails included.
    Fails(usize),
    /// The number of the first step that is not well-defined.
    IllDefined(usize),
    /// New operations can go on for ever.
    Diverges,
}

/// Choices about a judgement.
#[derive(Clone, Copy, Debug)]
pub struct RefinementQuestion {
    pub notion: Notion,
    pub new_is_skip: bool,
    /// Steps of the abstraction that are not well-defined are left out, as if they could not happen. So much at least holds of a comparison that does not look at all
    /// sets of abstract states.
    pub forgives_abstraction: bool,
    /// What has no bounds is left open instead of being the end: a fault among the rest is one in any case, and without a fault nothing is known.
    pub forgives_gaps: bool,
    /// Pairs of states that are looked at.
    pub max_pairs: usize,
}

/// Reason why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Lost {
    /// There are more pairs of states than the judge looks at.
    TooMany,
    /// The refinement has no initial state, so that nothing is compared.
    NoStart,
    /// The judge was stopped.
    Stopped,
    /// Something has no bounds.
    Unbounded(String),
}

type Answer<T> = Result<T, Lost>;

/// Judges whether the concrete level refines the abstract one: what may be said about the first step in which something is wrong.
pub fn judge_refinement(models: &Models, question: RefinementQuestion, stop: &StopFlag) -> Answer<Vec<Judged>> {
    let judge = |model| judge(model, EvalConfig::default()).stopped_by(stop.clone());
    let naive = Naive {
        models,
        question,
        concrete: judge(&models.concrete),
        abstracted: judge(&models.abstracted),
        joint: judge(&models.joint),
        preconditions: judge(&models.preconditions),
    };
    let faults = match question.notion {
        Notion::Simulation => naive.simulation()?,
        Notion::Traces => naive.traces(false)?,
        Notion::Failures => naive.traces(true)?,
    };
    if faults.step.is_some() {
        return Ok(faults.answers());
    }
    let diverges = question.notion == Notion::Failures && question.new_is_skip && naive.diverges()?;
    Ok(vec![if diverges { Judged::Diverges } else { Judged::Holds }])
}

/// What is wrong in the first step in which anything is.
#[derive(Default)]
struct Faults {
    step: Option<usize>,
    fails: bool,
    is_ill_defined: bool,
}

/// What is found out about one step.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fault {
    Fails,
    IllDefined,
}

impl Faults {
    fn add(&mut self, step: usize, fault: Fault) {
        if self.step.is_none_or(|first| step <= first) {
            self.step = Some(step);
            self.fails |= fault == Fault::Fails;
            self.is_ill_defined |= fault == Fault::IllDefined;
        }
    }

    /// Steps out of a pair at this depth come after the first fault.
    fn is_before(&self, depth: usize) -> bool {
        self.step.is_some_and(|first| depth >= first)
    }

    fn answers(&self) -> Vec<Judged> {
        let step = self.step.unwrap_or_default();
        let fails = self.fails.then_some(Judged::Fails(step));
        fails.into_iter().chain(self.is_ill_defined.then_some(Judged::IllDefined(step))).collect()
    }
}

/// A step: name that callers use, arguments, results, target.
#[derive(Clone)]
struct LabelledStep {
    name: String,
    params: Vec<Val>,
    outputs: Vec<Option<Val>>,
    target: State,
}

/// What was listed, and whether something else there has no value.
struct Listed<T> {
    items: Vec<T>,
    is_ill_defined: bool,
    /// There may be others, which have no bounds.
    is_open: bool,
}

impl<T> Listed<T> {
    fn new() -> Self {
        Listed { items: Vec::new(), is_ill_defined: false, is_open: false }
    }

    fn add(&mut self, found: Result<T, Error>) -> Answer<()> {
        match found {
            Ok(item) => self.items.push(item),
            Err(error) if is_fault(&error) => self.is_ill_defined = true,
            Err(error) => return Err(lost(&error)),
        }
        Ok(())
    }
}

/// The machine is wrong, and not the evaluator at its end.
fn is_fault(error: &Error) -> bool {
    error.is_ill_defined() || error.is_obligation()
}

fn lost(error: &Error) -> Lost {
    if matches!(error.kind(), ErrorKind::Stopped) {
        Lost::Stopped
    } else {
        Lost::Unbounded(format!("{:?}", error.kind()))
    }
}

/// The list is complete; messages of the model itself do not matter.
fn heed_warnings(session: &Session<'_>) -> Answer<()> {
    let is_harmless = |warning: &Warning| matches!(warning, Warning::Impure { .. } | Warning::Reported { .. });
    match session.take_warnings().into_iter().find(|warning| !is_harmless(warning)) {
        Some(warning) => Err(Lost::Unbounded(format!("{warning:?}"))),
        None => Ok(()),
    }
}

/// Collects what a session tells. If that has no bounds and gaps are forgiven, there are others.
fn listed<T>(
    (session, forgives_gaps): (&Session<'_>, bool),
    list: impl FnOnce(&mut dyn FnMut(Result<T, Error>) -> ControlFlow<()>),
) -> Answer<Listed<T>> {
    let (mut all, mut end) = (Listed::new(), Ok(()));
    list(&mut |found| match all.add(found) {
        Ok(()) => ControlFlow::Continue(()),
        Err(lost) => {
            end = Err(lost);
            ControlFlow::Break(())
        }
    });
    match end.and_then(|()| heed_warnings(session)) {
        Err(Lost::Unbounded(_)) if forgives_gaps => all.is_open = true,
        other => other?,
    }
    Ok(all)
}

/// What the constants may be, and the depth of states without variables.
fn set_ups((interp, forgives_gaps): (&Interp<'_>, bool)) -> Answer<(Listed<State>, usize)> {
    let (model, session) = (interp.model(), interp.session());
    let found = listed((&session, forgives_gaps), |tell| session.setup_constants(tell))?;
    let has_setup = !model.constants.is_empty() || !model.properties.is_empty();
    Ok((found, usize::from(has_setup)))
}

fn initial((interp, forgives_gaps): (&Interp<'_>, bool), constants: &State) -> Answer<Listed<State>> {
    let blank = State {
        constants: constants.constants.clone(),
        variables: Arc::new(vec![None; interp.model().variables.len()]),
    };
    let session = interp.session();
    listed((&session, forgives_gaps), |tell| session.initialise(&blank, tell))
}

/// The steps of an operation, for all arguments or for given ones.
fn steps_of(
    (interp, forgives_gaps): (&Interp<'_>, bool),
    (name, op): (&str, OpId),
    state: &State,
    params: Option<&[Val]>,
) -> Answer<Listed<LabelledStep>> {
    let session = interp.session();
    if let Some(params) = params {
        let locals = interp.model().operations[op].params.iter().copied().zip(params.iter().cloned()).collect();
        session.prescribe(PrescribedChoices { locals, variables: None });
    }
    let found = listed((&session, forgives_gaps), |tell| session.operation(op, state, tell))?;
    let label = |transition: abridge_eval::Transition| LabelledStep {
        name: name.to_owned(),
        params: transition.params,
        outputs: transition.outputs,
        target: transition.state,
    };
    let Listed { is_ill_defined, is_open, .. } = found;
    Ok(Listed { items: found.items.into_iter().map(label).collect(), is_ill_defined, is_open })
}

/// The steps of all operations.
struct Offered {
    steps: Vec<LabelledStep>,
    is_ill_defined: bool,
    /// Operations that may have other steps.
    open: Vec<String>,
}

fn steps(interp: (&Interp<'_>, bool), level: &Level, state: &State) -> Answer<Offered> {
    let mut all = Offered { steps: Vec::new(), is_ill_defined: false, open: Vec::new() };
    for (name, op) in &level.operations {
        let found = steps_of(interp, (name, *op), state, None)?;
        all.steps.extend(found.items);
        all.is_ill_defined |= found.is_ill_defined;
        all.open.extend(found.is_open.then(|| name.to_string()));
    }
    Ok(all)
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

/// Pairs that were met, and those that have not been looked at, with the number of steps to them.
struct Front<S> {
    seen: HashSet<(State, S)>,
    open: VecDeque<(State, S, usize)>,
}

impl<S: Clone + Eq + std::hash::Hash> Front<S> {
    fn new() -> Self {
        Front { seen: HashSet::new(), open: VecDeque::new() }
    }

    fn add(&mut self, state: &State, other: S, depth: usize) {
        if self.seen.insert((state.clone(), other.clone())) {
            self.open.push_back((state.clone(), other, depth));
        }
    }

    /// The next pair, unless all that follows comes after the first fault.
    fn next(&mut self, faults: &Faults, max_pairs: usize) -> Answer<Option<(State, S, usize)>> {
        match self.open.pop_front().filter(|(_, _, depth)| !faults.is_before(*depth)) {
            Some(_) if self.seen.len() > max_pairs => Err(Lost::TooMany),
            next => Ok(next),
        }
    }
}

struct Naive<'m> {
    models: &'m Models,
    question: RefinementQuestion,
    concrete: Interp<'m>,
    abstracted: Interp<'m>,
    joint: Interp<'m>,
    preconditions: Interp<'m>,
}

impl Naive<'_> {
    fn is_new(&self, name: &str) -> bool {
        self.models.abstract_level.operation(name).is_none()
    }

    fn is_skip(&self, name: &str) -> bool {
        self.question.new_is_skip && self.is_new(name)
    }

    fn concrete(&self) -> (&Interp<'_>, bool) {
        (&self.concrete, self.question.forgives_gaps)
    }

    fn abstracted(&self) -> (&Interp<'_>, bool) {
        (&self.abstracted, self.question.forgives_gaps)
    }

    fn preconditions(&self) -> (&Interp<'_>, bool) {
        (&self.preconditions, self.question.forgives_gaps)
    }

    fn concrete_steps(&self, state: &State) -> Answer<Offered> {
        steps(self.concrete(), &self.models.concrete_level, state)
    }

    fn abstract_steps(&self, state: &State) -> Answer<Offered> {
        let offered = steps(self.abstracted(), &self.models.abstract_level, state)?;
        Ok(Offered { is_ill_defined: offered.is_ill_defined && !self.question.forgives_abstraction, ..offered })
    }

    /// What is forgiven of a list of the abstraction.
    fn forgiven<T>(&self, listed: Listed<T>) -> Listed<T> {
        Listed { is_ill_defined: listed.is_ill_defined && !self.question.forgives_abstraction, ..listed }
    }

    fn abstract_start(&self, constants: &State) -> Answer<Listed<State>> {
        Ok(self.forgiven(initial(self.abstracted(), constants)?))
    }

    /// The subset construction.
    fn traces(&self, with_refusals: bool) -> Answer<Faults> {
        let (mut numbers, mut front, mut faults) = (Numbers::default(), Front::new(), Faults::default());
        let (constants, depth) = set_ups(self.concrete())?;
        if constants.is_ill_defined {
            faults.add(1, Fault::IllDefined);
            return Ok(faults);
        }
        for constants in constants.items {
            let (own, others) = (initial(self.concrete(), &constants)?, self.abstract_start(&constants)?);
            if own.is_ill_defined || others.is_ill_defined {
                faults.add(depth + 1, Fault::IllDefined);
                continue;
            }
            // What may be missing may be what answers.
            let own_items = if others.is_open { Vec::new() } else { own.items };
            let others: BTreeSet<usize> = others.items.into_iter().map(|state| numbers.of(state)).collect();
            for state in own_items {
                match others.is_empty() {
                    true => faults.add(depth + 1, Fault::Fails),
                    false => front.add(&state, others.clone(), depth + 1),
                }
            }
        }
        if front.seen.is_empty() && faults.step.is_none() {
            return Err(Lost::NoStart);
        }
        while let Some((state, others, depth)) = front.next(&faults, self.question.max_pairs)? {
            let own = self.concrete_steps(&state)?;
            let (mut answers, mut is_ill_defined) = (Vec::new(), own.is_ill_defined);
            for other in &others {
                let answer = self.abstract_steps(&numbers.states[*other])?;
                is_ill_defined |= answer.is_ill_defined;
                answers.push((numbers.states[*other].clone(), answer));
            }
            if is_ill_defined {
                faults.add(depth + 1, Fault::IllDefined);
                continue;
            }
            for step in &own.steps {
                let targets = match self.is_skip(&step.name) {
                    true => Some(answers.iter().map(|(other, _)| other.clone()).collect()),
                    false => self.followed(step, &answers)?,
                };
                let Some(targets) = targets else { continue };
                let next: BTreeSet<usize> = targets.into_iter().map(|other| numbers.of(other)).collect();
                match next.is_empty() {
                    true => faults.add(depth + 1, Fault::Fails),
                    false => front.add(&step.target, next, depth + 1),
                }
            }
            if with_refusals && self.refuses(&state, &own, &answers)? {
                faults.add(depth + 1, Fault::Fails);
            }
        }
        Ok(faults)
    }

    /// The abstract states after a step; nothing if others may be missing.
    fn followed(&self, step: &LabelledStep, answers: &[(State, Offered)]) -> Answer<Option<Vec<State>>> {
        let mut targets = Vec::new();
        for (other, offered) in answers {
            let same = |steps: &[LabelledStep], targets: &mut Vec<State>| {
                let same = steps.iter().filter(|answer| is_same_event(step, answer));
                targets.extend(same.map(|answer| answer.target.clone()));
            };
            if !offered.open.contains(&step.name) {
                same(&offered.steps, &mut targets);
                continue;
            }
            let Some(op) = self.models.abstract_level.operation(&step.name) else { continue };
            let asked = steps_of(self.abstracted(), (&step.name, op), other, Some(&step.params))?;
            if asked.is_open || asked.is_ill_defined {
                return Ok(None);
            }
            same(&asked.items, &mut targets);
        }
        Ok(Some(targets))
    }

    /// A call that every abstract state accepts is refused in a stable state.
    fn refuses(&self, state: &State, own: &Offered, answers: &[(State, Offered)]) -> Answer<bool> {
        let may_be_unstable = own.steps.iter().map(|step| &step.name).chain(&own.open).any(|name| self.is_skip(name));
        if may_be_unstable {
            return Ok(false);
        }
        let accepts = |steps: &[LabelledStep], call: &LabelledStep| steps.iter().any(|other| is_same_call(call, other));
        for call in &answers[0].1.steps {
            if !answers.iter().all(|(_, offered)| accepts(&offered.steps, call)) || accepts(&own.steps, call) {
                continue;
            }
            let is_refused = match self.models.concrete_level.operation(&call.name) {
                Some(op) if own.open.contains(&call.name) => {
                    let asked = steps_of(self.concrete(), (&call.name, op), state, Some(&call.params))?;
                    asked.items.is_empty() && !asked.is_open && !asked.is_ill_defined
                }
                _ => true,
            };
            if is_refused {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The proof obligations, on all reachable pairs of related states.
    fn simulation(&self) -> Answer<Faults> {
        let (mut front, mut faults) = (Front::new(), Faults::default());
        let (constants, depth) = set_ups(self.concrete())?;
        if constants.is_ill_defined {
            faults.add(1, Fault::IllDefined);
            return Ok(faults);
        }
        for constants in constants.items {
            let own = initial(self.concrete(), &constants)?;
            let others = initial(self.abstracted(), &constants)?;
            // The abstraction is asked how it starts if the refinement can start.
            if own.is_ill_defined || (others.is_ill_defined && !own.items.is_empty()) {
                faults.add(depth + 1, Fault::IllDefined);
                continue;
            }
            let own_items = if others.is_open { Vec::new() } else { own.items };
            for state in own_items {
                if let Some(fault) = self.relate(&state, others.items.clone(), depth + 1, &mut front)? {
                    faults.add(depth + 1, fault);
                }
            }
        }
        if front.seen.is_empty() && faults.step.is_none() {
            return Err(Lost::NoStart);
        }
        while let Some((state, other, depth)) = front.next(&faults, self.question.max_pairs)? {
            let mut found = Vec::new();
            for (name, op) in &self.models.concrete_level.operations {
                self.simulate((name, *op), (&state, &other), depth, &mut front, &mut found)?;
            }
            for (name, op) in &self.models.abstract_level.operations {
                if self.models.concrete_level.operation(name).is_none() {
                    let calls = steps_of(self.preconditions(), (name, *op), &other, None)?;
                    found.extend(calls.is_ill_defined.then_some(Fault::IllDefined));
                    found.extend(calls.items.first().map(|_| Fault::Fails));
                }
            }
            found.into_iter().for_each(|fault| faults.add(depth + 1, fault));
        }
        Ok(faults)
    }

    /// The obligations of one operation in one pair.
    fn simulate(
        &self,
        (name, op): (&str, OpId),
        (state, other): (&State, &State),
        depth: usize,
        front: &mut Front<State>,
        found: &mut Vec<Fault>,
    ) -> Answer<()> {
        // Calls that the abstraction does not allow may be infinitely many.
        let forgives_gaps = !self.is_new(name) || self.question.forgives_gaps;
        let own = steps_of((&self.concrete, forgives_gaps), (name, op), state, None)?;
        let own = Some(own).filter(|own| !own.is_open || self.is_new(name));
        if let Some(own) = own.as_ref().filter(|_| self.is_new(name)) {
            found.extend(own.is_ill_defined.then_some(Fault::IllDefined));
            for step in &own.items {
                found.extend(match self.question.new_is_skip {
                    true => self.relate(&step.target, vec![other.clone()], depth + 1, front)?,
                    false => Some(Fault::Fails),
                });
            }
            return Ok(());
        }
        let refined = self.models.abstract_level.operation(name).ok_or(Lost::NoStart)?;
        let mut allowed = Vec::new();
        let whole = own.filter(|own| !own.is_ill_defined && condition(&self.concrete, op).is_none());
        if let Some(own) = whole {
            // Nothing is asked of calls without an outcome.
            for step in own.items {
                match precondition(&self.abstracted, refined, other, &step.params)? {
                    Some(true) => allowed.push(step),
                    Some(false) => {}
                    None => found.push(Fault::IllDefined),
                }
            }
        } else {
            let calls = steps_of(self.preconditions(), (name, refined), other, None)?;
            found.extend(calls.is_ill_defined.then_some(Fault::IllDefined));
            for call in calls.items {
                match precondition(&self.concrete, op, state, &call.params)? {
                    Some(true) => {
                        let outcomes = steps_of(self.concrete(), (name, op), state, Some(&call.params))?;
                        found.extend(outcomes.is_ill_defined.then_some(Fault::IllDefined));
                        allowed.extend(outcomes.items);
                    }
                    Some(false) => found.push(Fault::Fails),
                    None => found.push(Fault::IllDefined),
                }
            }
        }
        let mut asked: HashMap<&[Val], Listed<LabelledStep>> = HashMap::new();
        for step in &allowed {
            if !asked.contains_key(&step.params[..]) {
                let answers = steps_of(self.abstracted(), (name, refined), other, Some(&step.params))?;
                asked.insert(&step.params, answers);
            }
            let answers = &asked[&step.params[..]];
            if answers.is_ill_defined {
                found.push(Fault::IllDefined);
            }
            if answers.is_ill_defined || answers.is_open {
                continue;
            }
            let same = answers.items.iter().filter(|answer| is_same_event(step, answer));
            let targets = same.map(|answer| answer.target.clone()).collect();
            found.extend(self.relate(&step.target, targets, depth + 1, front)?);
        }
        Ok(())
    }

    /// Adds the related pairs; a fault if there are none.
    fn relate(
        &self,
        state: &State,
        candidates: Vec<State>,
        depth: usize,
        front: &mut Front<State>,
    ) -> Answer<Option<Fault>> {
        let (mut is_related, mut is_ill_defined) = (false, false);
        for candidate in candidates {
            match self.are_glued(state, &candidate)? {
                Some(true) => {
                    is_related = true;
                    front.add(state, candidate, depth);
                }
                Some(false) => {}
                None => is_ill_defined = true,
            }
        }
        Ok(match (is_related, is_ill_defined) {
            (true, _) => None,
            (false, true) => Some(Fault::IllDefined),
            (false, false) => Some(Fault::Fails),
        })
    }

    /// Truth of the gluing invariant.
    fn are_glued(&self, state: &State, other: &State) -> Answer<Option<bool>> {
        let mut variables = state.variables.to_vec();
        for (own, other) in variables.iter_mut().zip(other.variables.iter()) {
            match (&own, other) {
                (Some(own), Some(other)) if own != other => return Ok(Some(false)),
                (None, Some(other)) => *own = Some(other.clone()),
                _ => {}
            }
        }
        let both = State { constants: state.constants.clone(), variables: Arc::new(variables) };
        let model = self.joint.model();
        truth(&self.joint, model.invariant.iter().map(|conjunct| conjunct.pred), &Env::new(&both))
    }

    /// New operations of the refinement can be performed without end.
    fn diverges(&self) -> Answer<bool> {
        let mut numbers = Numbers::default();
        let (constants, _) = set_ups(self.concrete())?;
        for constants in constants.items {
            for state in initial(self.concrete(), &constants)?.items {
                numbers.of(state);
            }
        }
        let mut hidden: Vec<Vec<usize>> = Vec::new();
        while let Some(state) = numbers.states.get(hidden.len()).cloned() {
            let mut targets = Vec::new();
            for step in self.concrete_steps(&state)?.steps {
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

fn condition(interp: &Interp<'_>, op: OpId) -> Option<PredId> {
    let model = interp.model();
    match model.subst(model.operations[op].body) {
        Subst::Pre { pred, .. } => Some(*pred),
        _ => None,
    }
}

/// Truth of the precondition of a call, nothing if it has none.
fn precondition(interp: &Interp<'_>, op: OpId, state: &State, params: &[Val]) -> Answer<Option<bool>> {
    let Some(pred) = condition(interp, op) else { return Ok(Some(true)) };
    let locals = interp.model().operations[op].params.iter().copied().zip(params.iter().cloned());
    // Conjuncts about results are typing.
    let operation = &interp.model().operations[op];
    let mentions = |pred: &PredId, wanted: &[LocalId]| {
        let names = interp.names_of_pred(*pred);
        wanted.iter().any(|local| names.locals.contains(local))
    };
    let is_typing = |pred: &PredId| mentions(pred, &operation.outputs);
    let is_search = |pred: &PredId| mentions(pred, &operation.params);
    let env = Env::new(state).bind_all(locals);
    let (open, closed): (Vec<PredId>, Vec<PredId>) =
        interp.conjuncts(pred).iter().copied().filter(|pred| !is_typing(pred)).partition(is_search);
    match truth(interp, open.into_iter(), &env)? {
        Some(true) => truth(interp, closed.into_iter(), &env),
        // A condition on arguments that has no value counts as false, here as where arguments are listed.
        Some(false) | None => Ok(Some(false)),
    }
}

/// Truth of a conjunction. One conjunct that is false makes it false, whatever the others are.
fn truth(interp: &Interp<'_>, conjuncts: impl Iterator<Item = PredId>, env: &Env) -> Answer<Option<bool>> {
    let session = interp.session();
    let mut is_ill_defined = false;
    for pred in conjuncts {
        match session.pred(pred, env) {
            Ok(true) => {}
            Ok(false) => return Ok(Some(false)),
            Err(error) if is_fault(&error) => is_ill_defined = true,
            Err(error) => return Err(lost(&error)),
        }
    }
    heed_warnings(&session)?;
    Ok((!is_ill_defined).then_some(true))
}
