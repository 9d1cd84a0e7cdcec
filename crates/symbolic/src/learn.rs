//! Relations and properties that are learnt from the evaluator, for what has no exact circuit.
//!
//! An operation depends on the variables that it reads, and on those that it may leave as they are. Whenever new values of these turn up in a set of
//! states, the evaluator says what the operation does there, and the answer joins the relation (as LTSmin does; Blom, van de Pol, "Symbolic reachability for
//! process algebras with recursive data types", 2008). Properties are learnt in the same way. A set must be learnt before its image is taken.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use abridge_eval::{Env, Error, ErrorKind, Session, State, Unbounded, Warning};
use abridge_model::PredId;
use abridge_model::ids::Id as _;
use num_bigint::BigUint;

use abridge_encoding::PropertyKind;

use crate::bdd::{Bdd, BddStop, Made, Var};
use crate::space::{Checked, Halt, RelationPart, Space};
use crate::within::Gates;

/// What is known about something that depends on some variables.
pub(crate) struct LearntDomain {
    /// Bits that it depends on, and the cube of all others.
    key: Vec<Var>,
    rest: Bdd,
    /// The values that were evaluated.
    domain: Bdd,
}

pub(crate) struct LearntOperation {
    known: LearntDomain,
    /// Positions of the variables that it writes.
    writes: Vec<usize>,
    /// States by the number of their transitions.
    by_count: BTreeMap<u64, Bdd>,
}

pub(crate) struct LearntProperty {
    known: LearntDomain,
    pred: PredId,
}

/// Answers are joined to a relation in parts of this many.
const ANSWERS_PER_PART: usize = 512;
/// Values that the evaluator is asked about only to count transitions, at most.
const MAX_COUNTING_QUESTIONS: u32 = 1 << 12;

impl Space<'_> {
    fn known(&mut self, positions: &[usize]) -> Made<LearntDomain> {
        let key: Vec<Var> = positions.iter().flat_map(|position| self.layout.bits_of(*position)).copied().collect();
        let rest: Vec<Var> = self.layout.bits().iter().copied().filter(|bit| !key.contains(bit)).collect();
        Ok(LearntDomain { key, rest: self.manager.cube(rest)?, domain: self.manager.constant(false) })
    }

    /// A step that nothing is known about.
    pub(crate) fn learnt_step(&mut self, operation: usize) -> Result<RelationPart, Halt> {
        let effects = &self.source.interp.model().operations[self.source.operations[operation]].effects;
        let writes: Vec<usize> = effects.writes.iter().filter_map(|id| self.layout.position(id)).collect();
        let reads = effects.reads.iter().filter_map(|id| self.layout.position(id));
        let mut positions: Vec<usize> = reads.chain(writes.iter().copied()).collect();
        positions.sort_unstable();
        positions.dedup();
        let written: Vec<Var> = writes.iter().flat_map(|position| self.layout.bits_of(*position)).copied().collect();
        let known = self.known(&positions)?;
        let none = self.manager.constant(false);
        Ok(RelationPart {
            operation,
            instance: None,
            relation: none.clone(),
            writes: self.manager.cube(written.iter().copied())?,
            written,
            enabled: none.clone(),
            errors: none.clone(),
            partial: none,
            learnt: Some(LearntOperation { known, writes, by_count: BTreeMap::new() }),
        })
    }

    /// Transitions of an operation out of the states of a set, counted by the evaluator; nothing if there are many different values to ask about, or if it does not know.
    pub(crate) fn evaluated_transitions(&mut self, operation: usize, set: &Bdd) -> Result<Option<BigUint>, Halt> {
        let step = self.learnt_step(operation)?;
        let Some(LearntDomain { key, rest, .. }) = step.learnt.as_ref().map(|learnt| &learnt.known) else {
            return Ok(None);
        };
        let asked = self.manager.exists(set, rest)?;
        if self.manager.count(&asked, key) > BigUint::from(MAX_COUNTING_QUESTIONS) {
            return Ok(None);
        }
        let missing = self.missing.clone();
        self.steps.push(step);
        let result = self.learn_step(self.steps.len() - 1, set);
        let step = self.steps.pop();
        let is_known = std::mem::replace(&mut self.missing, missing) == self.missing;
        result?;
        let Some(learnt) = step.and_then(|step| step.learnt).filter(|_| is_known) else { return Ok(None) };
        Ok(Some(self.counted_transitions(&learnt, set)?))
    }

    /// Transitions of an operation that was learnt, out of the states of a set.
    pub(crate) fn counted_transitions(&mut self, learnt: &LearntOperation, set: &Bdd) -> Made<BigUint> {
        let mut sum = BigUint::default();
        for (n_transitions, states) in &learnt.by_count {
            let states = self.manager.and(set, states)?;
            sum += self.manager.count(&states, self.layout.bits()) * *n_transitions;
        }
        Ok(sum)
    }

    /// A property that nothing is known about.
    pub(crate) fn learnt_property(&mut self, position: usize) -> Result<Checked, Halt> {
        let model = self.source.interp.model();
        let property = &self.encoding.properties[position];
        let pred = match property.kind {
            PropertyKind::Invariant(idx) => Some(model.invariant[idx].pred),
            PropertyKind::Assertion(idx) => Some(model.assertions[idx].pred),
            PropertyKind::Goal => model.steering.goal,
            PropertyKind::Proposition(idx) => Some(self.source.propositions[idx]),
        };
        let positions: Vec<usize> = property.reads.iter().filter_map(|id| self.layout.position(*id)).collect();
        let known = self.known(&positions)?;
        let none = self.manager.constant(false);
        let learnt = pred.map(|pred| LearntProperty { known, pred });
        Ok(Checked { position, holds: none.clone(), fails: none, learnt, within: None })
    }

    /// States of a set with values that were not evaluated, one for each valuation of the key.
    fn unknown(&mut self, known: &LearntDomain, set: &Bdd) -> Result<Vec<(Bdd, State)>, Halt> {
        let projected = self.manager.exists(set, &known.rest)?;
        let mut open = self.manager.minus(&projected, &known.domain)?;
        let mut found = Vec::new();
        while let Some(bits) = self.manager.pick(&open).filter(|_| found.len() < ANSWERS_PER_PART) {
            let key = self.manager.assignment(known.key.iter().map(|bit| (*bit, bits.contains(bit))))?;
            let whole = self.manager.and(set, &key)?;
            let state =
                self.manager.pick(&whole).and_then(|bits| self.layout.decode(&self.encoding, &bits, &self.blank));
            found.push((key.clone(), state.ok_or(Halt::ManyValues)?));
            open = self.manager.minus(&open, &key)?;
        }
        Ok(found)
    }

    /// Makes a step know all states of a set.
    pub(crate) fn learn_step(&mut self, idx: usize, set: &Bdd) -> Result<(), Halt> {
        let Some(mut learnt) = self.steps[idx].learnt.take() else { return Ok(()) };
        let result = self.learn_operation(idx, &mut learnt, set);
        self.steps[idx].learnt = Some(learnt);
        result
    }

    fn learn_operation(&mut self, idx: usize, learnt: &mut LearntOperation, set: &Bdd) -> Result<(), Halt> {
        loop {
            let open = self.unknown(&learnt.known, set)?;
            if open.is_empty() {
                return Ok(());
            }
            let (mut domain, mut relation, mut enabled, mut errors, mut partial) =
                (vec![learnt.known.domain.clone()], Vec::new(), Vec::new(), Vec::new(), Vec::new());
            let mut counted: BTreeMap<u64, Vec<Bdd>> = BTreeMap::new();
            for (key, state) in open {
                let outcomes = self.outcomes(self.steps[idx].operation, &state)?;
                domain.push(key.clone());
                if outcomes.has_error {
                    errors.push(key.clone());
                }
                if outcomes.is_partial {
                    partial.push(key.clone());
                }
                if !outcomes.targets.is_empty() {
                    enabled.push(key.clone());
                    counted.entry(outcomes.n_transitions).or_default().push(key.clone());
                }
                for target in outcomes.targets {
                    let next = self.next_values(&learnt.writes, &target)?;
                    relation.push(self.manager.and(&key, &next)?);
                }
            }
            learnt.known.domain = self.manager.any(domain)?;
            for (n_transitions, keys) in counted {
                let none = self.manager.constant(false);
                let before = learnt.by_count.remove(&n_transitions).unwrap_or(none);
                let all = self.manager.any(keys.into_iter().chain([before]).collect())?;
                learnt.by_count.insert(n_transitions, all);
            }
            let step = &mut self.steps[idx];
            relation.push(step.relation.clone());
            enabled.push(step.enabled.clone());
            errors.push(step.errors.clone());
            partial.push(step.partial.clone());
            step.relation = self.manager.any(relation)?;
            step.enabled = self.manager.any(enabled)?;
            step.errors = self.manager.any(errors)?;
            step.partial = self.manager.any(partial)?;
        }
    }

    /// The next values of variables in a state.
    fn next_values(&mut self, positions: &[usize], state: &State) -> Result<Bdd, Halt> {
        let mut values = Vec::new();
        for position in positions {
            let variable = self.source.variables[*position];
            let val = state.variables[variable.index()].clone().ok_or(Halt::ManyValues)?;
            let bits = self.layout.encode_val(&self.encoding, *position, &val).ok_or(Halt::ManyValues)?;
            values.extend(self.layout.bits_of(*position).iter().map(|bit| (bit.next(), bits.contains(bit))));
        }
        Ok(self.manager.assignment(values)?)
    }

    fn outcomes(&mut self, operation: usize, state: &State) -> Result<EvaluatedSteps, Halt> {
        let op = self.source.operations[operation];
        let name = &self.source.interp.model().operations[op].name;
        let session = self.source.interp.session();
        let mut outcomes = EvaluatedSteps::default();
        let mut failure = None;
        session.operation(op, state, &mut |found| match found {
            Ok(transition) => {
                outcomes.n_transitions += 1;
                if !outcomes.targets.contains(&transition.state) {
                    outcomes.targets.push(transition.state);
                }
                ControlFlow::Continue(())
            }
            Err(error) if is_violation(&error) => {
                outcomes.has_error = true;
                ControlFlow::Continue(())
            }
            Err(error) => {
                failure = Some(error);
                ControlFlow::Continue(())
            }
        });
        let missing = missing(&session, session.take_warnings(), failure, &format!("operation `{name}`"))?;
        outcomes.is_partial = !missing.is_empty();
        self.missing.extend(missing);
        Ok(outcomes)
    }

    /// The states that an operation leads to from a state.
    pub(crate) fn targets_of(&mut self, operation: usize, state: &State) -> Result<Vec<State>, Halt> {
        Ok(self.outcomes(operation, state)?.targets)
    }

    /// Makes some properties know the states of a set. Others are not evaluated, since that may fail or take long.
    pub(crate) fn learn_properties(&mut self, set: &Bdd, is_wanted: &dyn Fn(PropertyKind) -> bool) -> Result<(), Halt> {
        for idx in 0..self.properties.len() {
            if !is_wanted(self.encoding.properties[self.properties[idx].position].kind) {
                continue;
            }
            self.evaluate_within(idx, set)?;
            let Some(mut learnt) = self.properties[idx].learnt.take() else { continue };
            let result = self.learn_property(idx, &mut learnt, set);
            self.properties[idx].learnt = Some(learnt);
            result?;
        }
        Ok(())
    }

    /// Evaluates a property within a set, if it has no diagrams for all states.
    fn evaluate_within(&mut self, idx: usize, set: &Bdd) -> Made<()> {
        let Space { encoding, layout, manager, properties, .. } = self;
        let checked = &mut properties[idx];
        let (Some(known), Ok(truth)) = (&checked.within, &encoding.properties[checked.position].truth) else {
            return Ok(());
        };
        if manager.implies(set, known)? {
            return Ok(());
        }
        let gates = Gates::new(encoding, layout, manager, &[truth.holds, truth.fails])?;
        checked.holds = gates.within(manager, set, truth.holds)?;
        checked.fails = gates.within(manager, set, truth.fails)?;
        checked.within = Some(set.clone());
        Ok(())
    }

    fn learn_property(&mut self, idx: usize, learnt: &mut LearntProperty, set: &Bdd) -> Result<(), Halt> {
        loop {
            let open = self.unknown(&learnt.known, set)?;
            if open.is_empty() {
                return Ok(());
            }
            let checked = &self.properties[idx];
            let kind = self.encoding.properties[checked.position].kind;
            let mut domain = vec![learnt.known.domain.clone()];
            let (mut holds, mut fails) = (vec![checked.holds.clone()], vec![checked.fails.clone()]);
            for (key, state) in open {
                let session = self.source.interp.session();
                let (truth, missing) = truth(&session, learnt.pred, &state)?;
                self.missing.extend(missing);
                match truth {
                    EvaluatedTruth::True => holds.push(key.clone()),
                    EvaluatedTruth::False => fails.push(key.clone()),
                    EvaluatedTruth::IllDefined => {}
                    // What is not known is no finding; the limit says so.
                    EvaluatedTruth::Unknown if kind == PropertyKind::Goal => fails.push(key.clone()),
                    EvaluatedTruth::Unknown => holds.push(key.clone()),
                }
                domain.push(key);
            }
            learnt.known.domain = self.manager.any(domain)?;
            self.properties[idx].holds = self.manager.any(holds)?;
            self.properties[idx].fails = self.manager.any(fails)?;
        }
    }

    /// Lists the initial states.
    pub(crate) fn list_initial(&mut self) -> Result<(), Halt> {
        self.lists_initial = true;
        let session = self.source.interp.session();
        let (mut states, mut failure) = (Vec::new(), None);
        session.initialise(&self.blank, &mut |found| {
            match found {
                Ok(state) => states.push(state),
                Err(error) if is_violation(&error) => self.is_start_ill_defined = true,
                Err(error) => failure = Some(error),
            }
            ControlFlow::Continue(())
        });
        let missing = missing(&session, session.take_warnings(), failure, "the initialisation")?;
        self.missing.extend(missing);
        let mut cubes = Vec::new();
        for state in states {
            let bits = self.layout.encode(&self.encoding, &state).ok_or(Halt::ManyValues)?;
            let bits: rustc_hash::FxHashSet<Var> = bits.into_iter().collect();
            let values: Vec<(Var, bool)> = self.layout.bits().iter().map(|bit| (*bit, bits.contains(bit))).collect();
            cubes.push(self.manager.assignment(values)?);
        }
        self.initial = self.manager.any(cubes)?;
        Ok(())
    }
}

/// What an operation does in a state.
#[derive(Default)]
struct EvaluatedSteps {
    targets: Vec<State>,
    n_transitions: u64,
    has_error: bool,
    /// There may be more steps than these.
    is_partial: bool,
}

/// The machine is to blame, not our means.
fn is_violation(error: &Error) -> bool {
    error.is_ill_defined() || error.is_obligation()
}

/// Truth of a property in a state.
enum EvaluatedTruth {
    True,
    False,
    IllDefined,
    /// Not evaluated, or so by an assumption only.
    Unknown,
}

/// Truth by the evaluator, and why it may be another one. As in the explicit engine, an assumption makes no finding, unless the conventions are those of ProB.
fn truth(session: &Session<'_>, pred: PredId, state: &State) -> Result<(EvaluatedTruth, Vec<String>), Halt> {
    let (answer, failure) = match session.pred(pred, &Env::new(state)) {
        Ok(true) => (EvaluatedTruth::True, None),
        Ok(false) => (EvaluatedTruth::False, None),
        Err(error) if error.is_failed_assertion() => (EvaluatedTruth::False, None),
        Err(error) if is_violation(&error) => (EvaluatedTruth::IllDefined, None),
        Err(error) => (EvaluatedTruth::Unknown, Some(error)),
    };
    let is_exact = session.config().unbounded == Unbounded::Error;
    let warnings = session.take_warnings();
    let is_assumed = is_exact && warnings.iter().any(|warning| warning.is_bounding(is_exact));
    let answer =
        if is_assumed && !matches!(answer, EvaluatedTruth::IllDefined) { EvaluatedTruth::Unknown } else { answer };
    Ok((answer, missing(session, warnings, failure, "a property")?))
}

/// Why the answers of a session may lack something, in words.
fn missing(
    session: &Session<'_>,
    warnings: Vec<Warning>,
    failure: Option<Error>,
    what: &str,
) -> Result<Vec<String>, Halt> {
    if failure.as_ref().is_some_and(|error| matches!(error.kind(), ErrorKind::Stopped)) {
        return Err(Halt::Stop(BddStop::Stopped));
    }
    let is_exact = session.config().unbounded == Unbounded::Error;
    let caveats = warnings.into_iter().filter_map(|warning| warning.caveat(is_exact));
    Ok(failure.map(|_| format!("{what} could not be evaluated")).into_iter().chain(caveats).collect())
}
