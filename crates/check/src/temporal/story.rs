//! The path of a violation, found again by the judge and told.
//!
//! The engine names states of the table and letters. Here each step is looked for among the executions that the plain interpreter lists, and
//! the atoms are evaluated by it, too. Where the table holds representatives of orbits, the path goes through real states; its loop closes when a
//! real state comes back. The word that results is judged by [`abridge_temporal::evaluate`], which knows nothing of automata.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

use abridge_eval::{Env, Error};
use abridge_model::ids::Id as _;
use abridge_model_system::{Execution, ModelSystem, Place, executions, step_number};
use abridge_reduce::symmetry::{Canonizer, permute_state};
use abridge_temporal::emptiness::{LetterPath, PathEnd, Truth};
use abridge_temporal::formula::{AtomId, BinaryTemporal, Ltl, LtlNode, NodeId, UnaryTemporal};
use abridge_temporal::{ExpandedFormula, FairnessConstraint, FairnessSubject, LassoTruth, Word, evaluate, is_fair};

use super::Searched;
use super::atoms::{ChangeTest, LoweredAtom, StepPattern};
use super::letters::{StepLetter, truth_of};
use super::prepare::PreparedBody;
use super::turns::{ElementNames, turned_vals};
use crate::trace::{self, Trace, TraceStep};

/// Truth of subformulas along a path, and the sentence that names the culprit.
#[derive(Clone, Debug)]
pub struct Story {
    pub rows: Vec<StoryRow>,
    pub end: StoryEnd,
    /// What went wrong, in a sentence.
    pub culprit: String,
    /// For each fairness constraint of an alternative of the premise, why it holds on the loop.
    pub fairness: Vec<String>,
}

/// How the path ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StoryEnd {
    Deadlock,
    /// The last step leads back to this position.
    Loop(usize),
    /// Whatever follows, the formula is false.
    Anything,
}

/// A subformula and its truth at each position of the path.
#[derive(Clone, Debug)]
pub struct StoryRow {
    pub text: String,
    pub truths: Vec<bool>,
}

/// Executions that are listed in one state.
const MAX_EXECUTIONS: usize = 100_000;
/// Rounds after which a loop between representatives must have closed.
const MAX_ROUNDS: usize = 10_000;
/// Steps by which a prefix is continued to be judged.
const MAX_CONTINUATION: usize = 1_000;
/// Steps of a path up to which subformulas are tabled.
const MAX_TABLED: usize = 10_000;

/// The trace of a path, and its story if the path violates a formula of linear time.
pub(super) fn tell(
    searched: &Searched<'_, impl ModelSystem>,
    body: &PreparedBody,
    expanded: &ExpandedFormula,
    path: &LetterPath,
    letters: &[StepLetter],
    canonizer: Option<&mut dyn Canonizer>,
) -> (Trace, Option<Story>) {
    let mut real_path = match RealPath::begin(searched, body, path, canonizer) {
        Ok(real_path) => real_path,
        Err(trace) => return (trace, None),
    };
    let targets: Vec<u32> = path.positions.iter().skip(1).map(|(state, _)| *state).collect();
    let letter = |position: usize| &letters[path.positions[position].1 as usize];
    for (position, target) in targets.iter().enumerate() {
        if !real_path.step(letter(position), *target) {
            return (real_path.trace, None);
        }
    }
    let n_positions = path.positions.len();
    let end = match path.end {
        PathEnd::Deadlock => {
            real_path.stay();
            StoryEnd::Deadlock
        }
        PathEnd::Anything(state) => {
            if n_positions > 0 && !real_path.step(letter(n_positions - 1), state) {
                return (real_path.trace, None);
            }
            StoryEnd::Anything
        }
        PathEnd::Loop(start) => match real_path.close(path, start, &letter) {
            Some(start) => StoryEnd::Loop(start),
            None => return (real_path.trace, None),
        },
    };
    if real_path.trace.gap.is_some() {
        return (real_path.trace, None);
    }
    let story = real_path.story(expanded, end);
    (real_path.trace, story)
}

/// The trace to a state of the table.
pub(super) fn path_to_state(
    searched: &Searched<'_, impl ModelSystem>,
    state: u32,
    canonizer: Option<&mut dyn Canonizer>,
) -> Trace {
    match trace::states_to(searched.system, &searched.exploration.table, Some(state), &[], canonizer) {
        Ok(path) => Trace::through(searched.system, &path),
        Err(error) => Trace { gap: Some(format!("states could not be read: {error}")), ..Trace::default() },
    }
}

/// A path through real states.
pub(super) struct RealPath<'w, 's, 'c, S> {
    searched: &'w Searched<'s, S>,
    /// Atoms of the formula among those of all formulas.
    atoms: &'w [usize],
    canonizer: Option<&'c mut dyn Canonizer>,
    pub(super) trace: Trace,
    /// Real states in which paths are, from the initial one on.
    pub(super) states: Vec<Vec<u32>>,
    /// Values of the formula's atoms at each position that a step has left.
    word: Vec<Vec<Truth>>,
    /// Steps of the trace before the initial state.
    n_before: usize,
    /// Steps of the path that no operation takes.
    n_stuttered: usize,
    /// What elements are called in the states of the table, where instances are followed through a quotient.
    pub(super) names: Option<ElementNames>,
}

impl<'w, 's, 'c, S: ModelSystem> RealPath<'w, 's, 'c, S> {
    fn begin(
        searched: &'w Searched<'s, S>,
        body: &'w PreparedBody,
        path: &LetterPath,
        canonizer: Option<&'c mut dyn Canonizer>,
    ) -> Result<Self, Trace> {
        let start = match (path.positions.first(), path.end) {
            (Some((state, _)), _) => *state,
            (None, PathEnd::Anything(state)) => state,
            (None, _) => 0,
        };
        RealPath::from_state(searched, &body.atoms, start, canonizer)
    }

    /// Goes on from a real state.
    pub(super) fn at(
        searched: &'w Searched<'s, S>,
        atoms: &'w [usize],
        (state, names): (Vec<u32>, Option<ElementNames>),
        canonizer: Option<&'c mut dyn Canonizer>,
    ) -> Self {
        let (trace, word) = (Trace::default(), Vec::new());
        RealPath { searched, atoms, canonizer, trace, states: vec![state], word, n_before: 0, n_stuttered: 0, names }
    }

    /// Leads to an initial state.
    pub(super) fn from_state(
        searched: &'w Searched<'s, S>,
        atoms: &'w [usize],
        start: u32,
        mut canonizer: Option<&'c mut dyn Canonizer>,
    ) -> Result<Self, Trace> {
        let lent = canonizer.as_mut().map(|canonizer| &mut **canonizer as &mut dyn Canonizer);
        let table = &searched.exploration.table;
        let path = match trace::states_to(searched.system, table, Some(start), &[], lent) {
            Ok(path) => path,
            Err(error) => {
                return Err(Trace { gap: Some(format!("states could not be read: {error}")), ..Trace::default() });
            }
        };
        let trace = Trace::through(searched.system, &path);
        let Some(state) = path.states.last().cloned().filter(|_| trace.gap.is_none()) else { return Err(trace) };
        let n_before = trace.steps.len();
        let names = searched.turning.zip(canonizer.as_mut()).and_then(|(turning, canonizer)| {
            ElementNames::between(searched.system, turning.group, &mut **canonizer, &state, &table.get(start).ok()?)
        });
        let (states, word) = (vec![state], Vec::new());
        Ok(RealPath { searched, atoms, canonizer, trace, states, word, n_before, n_stuttered: 0, names })
    }

    fn system(&self) -> &'s S {
        self.searched.system
    }

    fn here(&self) -> &[u32] {
        &self.states[self.states.len() - 1]
    }

    fn executions(&self, state: &[u32]) -> Vec<Execution> {
        let system = self.system();
        let session = system.judge().session();
        let place = Place::of_words(system, Some(state));
        let mut list = Vec::new();
        for op in system.operation_ids() {
            executions(system, &session, &place, Some(*op), &mut |execution| {
                list.extend(execution.ok());
                if list.len() >= MAX_EXECUTIONS { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
        }
        list
    }

    /// Takes a step with a letter to a state of the table, or to a member of its orbit; false if there is none.
    pub(super) fn step(&mut self, letter: &StepLetter, target: u32) -> bool {
        let mut wanted = match self.searched.exploration.table.get(target) {
            Ok(words) => words,
            Err(error) => {
                self.trace.gap = Some(format!("states could not be read: {error}"));
                return false;
            }
        };
        let turn = letter.turn.zip(self.searched.turning).map(|(turn, turning)| (turning.images)(turn));
        let next = self.names.as_ref().map(|names| names.after(turn.as_deref()));
        if let Some(canonizer) = self.canonizer.as_mut().filter(|_| next.is_none()) {
            canonizer.represent(&mut wanted);
        }
        let here = self.here().to_vec();
        let executions = self.executions(&here);
        let of_state = self.of_state(&here, &executions);
        if executions.is_empty() && self.searched.config.stutters {
            self.states.push(here);
            self.word.push(of_state);
            self.n_stuttered += 1;
            return true;
        }
        for execution in &executions {
            let mut to = execution.to.words(self.system()).unwrap_or_default();
            if let Some((names, images)) = self.names.as_ref().zip(next.as_ref()) {
                to = permute_state(self.system(), &names.group, images, &to);
            } else if let Some(canonizer) = &mut self.canonizer {
                canonizer.represent(&mut to);
            }
            if to != wanted {
                continue;
            }
            let truths = self.on_step(&here, execution, &of_state);
            let has_truths = letter.truths.is_empty()
                || self.atoms.iter().zip(&truths).all(|(atom, truth)| letter.truths[*atom] == *truth);
            // Fairness to every operation with its arguments depends on which one is taken.
            let is_meant = has_truths && letter.instance.is_none_or(|wanted| self.instance(execution) == Some(wanted));
            if is_meant {
                self.take(&here, execution, truths);
                self.names.iter_mut().zip(next).for_each(|(names, images)| names.images = images);
                return true;
            }
        }
        let number = self.trace.n_steps() + 1;
        self.trace.gap.get_or_insert(format!("step {number} could not be found again by the plain interpreter"));
        false
    }

    fn instance(&self, execution: &Execution) -> Option<u32> {
        let operation = step_number(self.system().model(), execution.op?)?;
        let params = match &self.names {
            Some(names) => turned_vals(&names.group, &names.images, &execution.params),
            None => execution.params.clone(),
        };
        Some((self.searched.instance)(operation, params))
    }

    fn take(&mut self, here: &[u32], execution: &Execution, truths: Vec<Truth>) {
        let step = execution.shown(self.system());
        self.trace.steps.push(TraceStep::of(self.system(), Some(here), &step));
        self.states.push(step.to);
        self.word.push(truths);
    }

    /// Notes the letter of a state where the path ends.
    fn stay(&mut self) {
        let here = self.here().to_vec();
        let executions = self.executions(&here);
        if !executions.is_empty() {
            self.trace.gap.get_or_insert("the plain interpreter finds steps out of the last state".to_owned());
        }
        let truths = self.of_state(&here, &executions);
        self.word.push(truths);
    }

    /// Goes around a loop until a real state comes back; the position from which on it repeats.
    pub(super) fn close<'l>(
        &mut self,
        path: &LetterPath,
        start: usize,
        letter: &dyn Fn(usize) -> &'l StepLetter,
    ) -> Option<usize> {
        let n_positions = path.positions.len();
        let mut heads: Vec<usize> = vec![start];
        for _ in 0..MAX_ROUNDS {
            // All steps of the round but the last were taken.
            if !self.step(letter(n_positions - 1), path.positions[start].0) {
                return None;
            }
            let head = self.states.len() - 1;
            if let Some(first) = heads.iter().find(|first| self.states[**first] == self.states[head]).copied() {
                self.trace.loop_start = (self.n_stuttered == 0).then_some(self.n_before + first);
                return Some(first);
            }
            heads.push(head);
            for position in start..n_positions - 1 {
                if !self.step(letter(position), path.positions[position + 1].0) {
                    return None;
                }
            }
        }
        self.trace.gap = Some("the loop did not close between real states".to_owned());
        None
    }

    /// Values of the formula's atoms in a state; those about a step are false.
    fn of_state(&self, words: &[u32], executions: &[Execution]) -> Vec<Truth> {
        let all = &self.searched.config.formulas;
        let value = |atom: &usize| {
            self.truth(&all.atoms[*atom], words, executions, None).unwrap_or_else(|error| truth_of(&error))
        };
        self.atoms.iter().map(value).collect()
    }

    fn on_step(&self, words: &[u32], execution: &Execution, of_state: &[Truth]) -> Vec<Truth> {
        let all = &self.searched.config.formulas;
        let value = |(atom, known): (&usize, &Truth)| match &all.atoms[*atom] {
            atom if atom.is_about_step() => {
                self.truth(atom, words, &[], Some(execution)).unwrap_or_else(|error| truth_of(&error))
            }
            _ => *known,
        };
        self.atoms.iter().zip(of_state).map(value).collect()
    }

    /// The value of an atom by the plain interpreter.
    fn truth(
        &self,
        atom: &LoweredAtom,
        words: &[u32],
        executions: &[Execution],
        step: Option<&Execution>,
    ) -> Result<Truth, Error> {
        let system = self.system();
        let session = system.judge().session();
        let state = || system.decode(words).0;
        let n_enabled = |patterns: &[StepPattern]| -> Result<usize, Error> {
            let mut n_enabled = 0;
            for pattern in patterns {
                n_enabled += usize::from(self.is_enabled(pattern, words, executions)?);
            }
            Ok(n_enabled)
        };
        Ok(match atom {
            LoweredAtom::Proposition(number) => {
                let pred = self.searched.config.formulas.propositions[*number as usize];
                session.pred(pred, &Env::new(&state()))?.into()
            }
            LoweredAtom::Enabled(pattern) => self.is_enabled(pattern, words, executions)?.into(),
            LoweredAtom::Deadlock => executions.is_empty().into(),
            LoweredAtom::NoneOf(patterns) => (n_enabled(patterns)? == 0).into(),
            LoweredAtom::AtMostOneOf(patterns) => (n_enabled(patterns)? <= 1).into(),
            LoweredAtom::ExactlyOneOf(patterns) => (n_enabled(patterns)? == 1).into(),
            LoweredAtom::NoOther(pattern) => executions
                .iter()
                .all(|one| one.op.and_then(|op| step_number(system.model(), op)) == Some(pattern.operation))
                .into(),
            LoweredAtom::Sink => executions.iter().all(|one| one.to.words(system).as_deref() == Some(words)).into(),
            LoweredAtom::Error => {
                let is_wrong = |operation: u32| system.violation_of(operation, words).is_some();
                system.operation_ids().iter().filter_map(|op| step_number(system.model(), *op)).any(is_wrong).into()
            }
            LoweredAtom::DeterministicOutput => executions
                .iter()
                .all(|one| {
                    let is_other = |other: &&Execution| (other.op, &other.params) == (one.op, &one.params);
                    executions.iter().filter(is_other).all(|other| other.outputs == one.outputs)
                })
                .into(),
            LoweredAtom::Taken(pattern) => match step {
                Some(step) => self.is_meant(pattern, words, step)?.into(),
                None => Truth::False,
            },
            LoweredAtom::Change(change, expr) => {
                let Some(to) = step.and_then(|step| step.to.state()) else { return Ok(Truth::False) };
                let before = session.expr(*expr, &Env::new(&state()))?;
                let after = session.expr(*expr, &Env::new(to))?;
                let order = match before.real() {
                    Ok(before) => after.real().map(|after| before.total_cmp(&after)),
                    Err(_) => before.int().and_then(|before| Ok(before.cmp(&after.int()?))),
                };
                match change {
                    ChangeTest::Unchanged => session.equal(&before, &after, &Env::empty())?.into(),
                    ChangeTest::Changed => (!session.equal(&before, &after, &Env::empty())?).into(),
                    ChangeTest::Increasing => (order? == Ordering::Less).into(),
                    ChangeTest::Decreasing => (order? == Ordering::Greater).into(),
                }
            }
            LoweredAtom::BeforeAfter(pred, before) => {
                let Some(to) = step.and_then(|step| step.to.state()) else { return Ok(Truth::False) };
                let from = state();
                let bindings = before
                    .iter()
                    .filter_map(|(local, variable)| Some((*local, from.variables.get(variable.index())?.clone()?)));
                session.pred(*pred, &Env::new(to).bind_all(bindings))?.into()
            }
        })
    }

    fn is_enabled(&self, pattern: &StepPattern, words: &[u32], executions: &[Execution]) -> Result<bool, Error> {
        for execution in executions {
            if self.is_meant(pattern, words, execution)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn is_meant(&self, pattern: &StepPattern, words: &[u32], execution: &Execution) -> Result<bool, Error> {
        let system = self.system();
        if execution.op.and_then(|op| step_number(system.model(), op)) != Some(pattern.operation) {
            return Ok(false);
        }
        let (session, state) = (system.judge().session(), system.decode(words).0);
        for (argument, param) in pattern.arguments.iter().zip(&execution.params) {
            let Some(argument) = argument else { continue };
            let value = session.expr(*argument, &Env::new(&state))?;
            if !session.equal(&value, param, &Env::empty())? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Judges the word and tells what went wrong.
    fn story(&mut self, expanded: &ExpandedFormula, end: StoryEnd) -> Option<Story> {
        // A prefix shows its last state, too.
        let n_positions = self.word.len() + usize::from(end == StoryEnd::Anything);
        let word = match end {
            StoryEnd::Loop(start) => Word { letters: self.word.clone(), loop_start: Some(start) },
            StoryEnd::Deadlock => Word { letters: self.word.clone(), loop_start: None },
            StoryEnd::Anything => self.continued()?,
        };
        let is_known = word.letters.iter().flatten().all(|truth| matches!(truth, Truth::True | Truth::False));
        if word.letters.is_empty() || !is_known {
            return None;
        }
        let holds = |letter: &Vec<Truth>, atom: AtomId| letter[atom.0 as usize] == Truth::True;
        let table = evaluate(&expanded.formula, &word, holds);
        if table.holds() {
            self.trace
                .gap
                .get_or_insert("the formula is true on this path, which is a mistake of the engine".to_owned());
            return None;
        }
        let Some(fairness) = self.fairness(expanded, &word, end) else {
            self.trace.gap.get_or_insert("the path is not fair, which is a mistake of the engine".to_owned());
            return None;
        };
        let culprit = Culprit { ltl: &expanded.formula, table: &table, n_shown: n_positions }.sentence();
        let rows = if n_positions <= MAX_TABLED { rows(&expanded.formula, &table, n_positions) } else { Vec::new() };
        Some(Story { rows, end, culprit, fairness })
    }

    /// Why a loop is fair: the reasons of all constraints of an alternative that holds. Nothing if the loop is not fair. Other paths need no reason: a
    /// prefix can be continued fairly, and a path that ends is fair.
    fn fairness(&self, expanded: &ExpandedFormula, word: &Word<Vec<Truth>>, end: StoryEnd) -> Option<Vec<String>> {
        let StoryEnd::Loop(start) = end else { return Some(Vec::new()) };
        let reason = |constraint: &FairnessConstraint| {
            let why = match constraint.subject {
                FairnessSubject::Step { enabled, taken } => {
                    let holds = |letter: &Vec<Truth>, atom: AtomId| letter[atom.0 as usize] == Truth::True;
                    if is_fair(*constraint, word, holds) != Some(true) {
                        return None;
                    }
                    let find = |is_meant: &dyn Fn(&Vec<Truth>) -> bool| {
                        (start..word.letters.len()).find(|position| is_meant(&word.letters[*position]))
                    };
                    match (find(&|letter| holds(letter, taken)), find(&|letter| !holds(letter, enabled))) {
                        (Some(position), _) => format!("taken by step {}", step_before(position + 1)),
                        (None, _) if constraint.is_strong => "never enabled in the loop".to_owned(),
                        (None, Some(position)) => format!("not enabled {}", place_of(position)),
                        (None, None) => return None,
                    }
                }
                FairnessSubject::Every => self.every(constraint.is_strong, start)?,
            };
            Some(format!("{}: {why}", constraint.text(&expanded.formula.atoms)))
        };
        expanded.premises.iter().find_map(|alternative| alternative.iter().map(reason).collect())
    }

    /// Why a loop is fair to each operation with its arguments; nothing if it is not.
    fn every(&self, is_strong: bool, start: usize) -> Option<String> {
        let enabled_at = |position: usize| -> BTreeSet<ShownInstance> {
            let executions = self.executions(&self.states[position]);
            let shown = executions.iter().map(|execution| execution.shown(self.system()));
            shown.map(|step| (step.name, step.params)).collect()
        };
        let n_positions = self.word.len();
        // Where a path stays in a deadlock, positions have no steps.
        let steps = self.trace.steps.iter().skip(self.n_before + start);
        let taken: BTreeSet<ShownInstance> = steps.map(|step| (step.name.clone(), step.params.clone())).collect();
        let mut asked = enabled_at(start);
        for position in start + 1..n_positions {
            let here = enabled_at(position);
            asked = if is_strong { &asked | &here } else { &asked & &here };
        }
        let how = if is_strong { "is enabled" } else { "stays enabled" };
        asked.is_subset(&taken).then(|| format!("each operation that {how} in the loop is taken there"))
    }

    /// The word of a prefix with some continuation; nothing if none is found in time.
    fn continued(&self) -> Option<Word<Vec<Truth>>> {
        let mut letters = self.word.clone();
        let mut states: Vec<Vec<u32>> = vec![self.here().to_vec()];
        let first = letters.len();
        for _ in 0..MAX_CONTINUATION {
            let here = states[states.len() - 1].clone();
            let executions = self.executions(&here);
            let of_state = self.of_state(&here, &executions);
            let Some(execution) = executions.first() else {
                letters.push(of_state);
                return Some(Word { letters, loop_start: None });
            };
            letters.push(self.on_step(&here, execution, &of_state));
            let next = execution.to.words(self.system())?;
            if let Some(known) = states.iter().position(|state| *state == next) {
                return Some(Word { letters, loop_start: Some(first + known) });
            }
            states.push(next);
        }
        None
    }
}

/// Truth of each subformula at the positions of the path, outermost first, each text once.
fn rows(ltl: &Ltl, table: &LassoTruth, n_positions: usize) -> Vec<StoryRow> {
    let mut rows: Vec<StoryRow> = Vec::new();
    let nodes: Vec<NodeId> = ltl.nodes().map(|(id, _)| id).collect();
    for id in nodes.into_iter().rev() {
        let text = ltl.text(id);
        if matches!(ltl.node(id), LtlNode::Const(_)) || rows.iter().any(|row| row.text == text) {
            continue;
        }
        let truths = table.row(id).iter().take(n_positions).copied().collect();
        rows.push(StoryRow { text, truths });
    }
    rows
}

/// An operation with its arguments, as texts.
type ShownInstance = (String, Vec<(String, String)>);

/// The number, in the trace that users see, of the step that leads to a position. Initialisation, which leads to position 0, is step 1.
fn step_before(position: usize) -> usize {
    position + 1
}

/// A position by the step that leads to it.
fn place_of(position: usize) -> String {
    match position {
        0 => "in the initial state".to_owned(),
        position => format!("after step {}", step_before(position)),
    }
}

/// Follows a false formula down to what makes it false.
struct Culprit<'c> {
    ltl: &'c Ltl,
    table: &'c LassoTruth,
    n_shown: usize,
}

impl Culprit<'_> {
    fn sentence(&self) -> String {
        let (mut node, mut at) = (self.ltl.root(), 0);
        loop {
            let value = |node: NodeId, at: usize| self.table.row(node)[at];
            let first_false = |node: NodeId| (at..self.table.row(node).len()).find(|later| !value(node, *later));
            match self.ltl.node(node) {
                LtlNode::Unary(UnaryTemporal::Globally, operand) => match first_false(*operand) {
                    Some(later) => (node, at) = (*operand, later),
                    None => break,
                },
                LtlNode::Binary(BinaryTemporal::And, left, right) => {
                    node = if value(*left, at) { *right } else { *left }
                }
                LtlNode::Binary(BinaryTemporal::Implies, _, right) => node = *right,
                LtlNode::Unary(UnaryTemporal::Next, operand) if at + 1 < self.table.row(*operand).len() => {
                    (node, at) = (*operand, at + 1);
                }
                _ => break,
            }
        }
        let text = self.ltl.text(node);
        let place = if at < self.n_shown { place_of(at) } else { "later on".to_owned() };
        let onwards = match at {
            0 => "from the initial state on".to_owned(),
            at if at < self.n_shown => format!("from step {} on", step_before(at)),
            _ => place.clone(),
        };
        match self.ltl.node(node) {
            LtlNode::Unary(UnaryTemporal::Finally, operand) => {
                format!("`{}` never holds {onwards}", self.ltl.text(*operand))
            }
            LtlNode::Binary(BinaryTemporal::Until, _, right) if !self.table.row(*right)[at..].contains(&true) => {
                format!("`{}` never holds {onwards}", self.ltl.text(*right))
            }
            LtlNode::Unary(UnaryTemporal::Not, operand) => format!("`{}` holds {place}", self.ltl.text(*operand)),
            _ => format!("`{text}` is false {place}"),
        }
    }
}
