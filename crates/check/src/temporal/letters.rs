//! Letters: which atoms hold in a state and on a step that leaves it.
//!
//! [`Lettered`] is a layer around a B machine that numbers letters and sets the number of its letter as the mark of each step. A quotient lies around
//! it, so letters are computed on real steps, before targets are replaced by representatives. Values that cannot be known because steps are missing, or that
//! are not defined, are told as such and never as false.

use std::cmp::Ordering;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use abridge_eval::{Env, Error, State, Val, put_val, read_val};
use abridge_model::ExprId;
use abridge_model::ids::Id as _;
use abridge_model_system::{FIRST_OPERATION, ModelSystem};
use abridge_reduce::symmetry::{Group, Permutation, Turns};
use abridge_system::{
    Ahead, Alike, AnySystem, AnyWorker, Completeness, FindingKind, Gap, LabelId, Layer, Marks, NOT_STORED, Origin,
    Pause, Properties, Question, Step, Steps, System as _, Worker as _, WorkerLayer, go_on,
};
use abridge_temporal::emptiness::Truth;
use abridge_value::bytes::{Reader, put_bytes, put_number};
use rustc_hash::FxHashMap;

use super::atoms::{ChangeTest, LoweredAtom, StepPattern};
use super::idle::LinearProperties as Formulas;
use super::turns::{Permutations, turned_vals};

/// Values of all atoms, and the operation with its arguments that the step is an instance of.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct StepLetter {
    pub(crate) truths: Box<[Truth]>,
    pub(crate) instance: Option<u32>,
    /// The number of the permutation between the target of the step and its representative, where instances count and there is one.
    pub(crate) turn: Option<u32>,
}

/// Truths by the numbers under which they are saved.
const TRUTHS: [Truth; 4] = [Truth::False, Truth::True, Truth::IllDefined, Truth::Unknown];

/// Letters by number, shared by all threads.
#[derive(Default)]
struct LetterTable {
    numbers: FxHashMap<StepLetter, u32>,
    letters: Vec<StepLetter>,
    /// Numbers of operations with arguments.
    instances: FxHashMap<(u32, Vec<Val>), u32>,
    /// Operations with arguments by their numbers.
    named: Vec<(u32, Vec<Val>)>,
    permutations: Permutations,
    /// By permutation and instance.
    turned: FxHashMap<(u32, u32), u32>,
}

/// A B machine, or some of its steps, with letters on the steps.
pub(crate) struct Lettered<'s, S> {
    system: &'s S,
    inner: AnySystem<'s>,
    atoms: &'s [LoweredAtom],
    needs_labels: bool,
    needs_instances: bool,
    /// The group of a quotient around it, if instances are to be followed through that.
    group: Option<Group>,
    table: Mutex<LetterTable>,
    /// Steps that no formula needs are marked as such.
    properties: Option<&'s Formulas>,
    /// Workers that are made now mark no step so.
    wants_all: AtomicBool,
}

impl<'s, S: ModelSystem> Lettered<'s, S> {
    pub(crate) fn new(system: &'s S, inner: AnySystem<'s>, atoms: &'s [LoweredAtom], needs_instances: bool) -> Self {
        Lettered {
            system,
            inner,
            atoms,
            needs_labels: needs_instances || atoms.iter().any(LoweredAtom::needs_labels),
            needs_instances,
            group: None,
            table: Mutex::default(),
            properties: None,
            wants_all: AtomicBool::new(false),
        }
    }

    /// The same with steps that need not be stored, if there are any.
    #[must_use]
    pub(crate) fn leaving_out(self, properties: &'s Formulas) -> Self {
        Lettered { properties: properties.has_idle_steps().then_some(properties), ..self }
    }

    /// Some steps may be marked as such that need not be stored.
    pub(crate) fn leaves_out(&self) -> bool {
        self.properties.is_some()
    }

    /// Calls `work`, whose workers give every step its letter.
    pub(crate) fn with_all_steps<T>(&self, work: impl FnOnce() -> T) -> T {
        self.wants_all.store(true, Relaxed);
        let result = work();
        self.wants_all.store(false, Relaxed);
        result
    }

    /// Whether steps may be asleep: every value that does not depend on the step is known without the list of steps.
    fn may_sleep(&self) -> bool {
        let is_simple = |atom: &LoweredAtom| matches!(atom, LoweredAtom::Proposition(_)) || atom.is_about_step();
        self.leaves_out() && !self.needs_labels && self.atoms.iter().all(is_simple)
    }

    /// The same for a quotient by a group that lies around it.
    #[must_use]
    pub(crate) fn turned_by(self, group: Option<Group>) -> Self {
        Lettered { group: group.filter(|_| self.needs_instances), ..self }
    }

    pub(crate) fn group(&self) -> Option<&Group> {
        self.group.as_ref()
    }

    /// Notes permutations on steps, if they are needed.
    pub(crate) fn turns(&self) -> Option<&dyn Turns> {
        self.group.is_some().then_some(self as &dyn Turns)
    }

    /// The images of points under a permutation.
    pub(crate) fn images(&self, turn: u32) -> Permutation {
        locked(&self.table).permutations.get(turn).to_vec()
    }

    /// The number of an instance after a permutation.
    pub(crate) fn turned_instance(&self, turn: u32, instance: u32) -> u32 {
        let mut table = locked(&self.table);
        let Some(group) = &self.group else { return instance };
        if let Some(known) = table.turned.get(&(turn, instance)) {
            return *known;
        }
        let Some((operation, params)) = table.named.get(instance as usize) else { return instance };
        let (operation, params) = (*operation, turned_vals(group, table.permutations.get(turn), params));
        let image = table.instance(operation, params);
        table.turned.insert((turn, instance), image);
        image
    }

    /// All letters so far, by number.
    pub(crate) fn letters(&self) -> Vec<StepLetter> {
        locked(&self.table).letters.clone()
    }

    pub(crate) fn n_letters(&self) -> usize {
        locked(&self.table).letters.len()
    }

    /// Adds the letters that are new since a list was made, by number.
    pub(crate) fn extend(&self, letters: &mut Vec<StepLetter>) {
        let table = locked(&self.table);
        letters.extend_from_slice(&table.letters[letters.len()..]);
    }

    /// The number of an operation with its arguments.
    pub(crate) fn instance(&self, operation: u32, params: Vec<Val>) -> u32 {
        locked(&self.table).instance(operation, params)
    }
}

fn locked(table: &Mutex<LetterTable>) -> MutexGuard<'_, LetterTable> {
    table.lock().unwrap_or_else(PoisonError::into_inner)
}

impl LetterTable {
    fn number(&mut self, letter: &StepLetter) -> u32 {
        if let Some(known) = self.numbers.get(letter) {
            return *known;
        }
        let number = self.letters.len() as u32;
        self.letters.push(letter.clone());
        self.numbers.insert(letter.clone(), number);
        number
    }

    fn instance(&mut self, operation: u32, params: Vec<Val>) -> u32 {
        let instance = (operation, params);
        if let Some(known) = self.instances.get(&instance) {
            return *known;
        }
        let number = self.named.len() as u32;
        self.named.push(instance.clone());
        self.instances.insert(instance, number);
        number
    }

    /// Letters, instances and permutations in the order of their numbers. An instance whose values cannot be written ends the list, which is then refused.
    fn save(&self, out: &mut Vec<u8>) {
        let put_option =
            |out: &mut Vec<u8>, number: Option<u32>| put_number(out, number.map_or(0, |it| u64::from(it) + 1));
        put_number(out, self.letters.len() as u64);
        for letter in &self.letters {
            out.extend(letter.truths.iter().map(|truth| *truth as u8));
            put_option(out, letter.instance);
            put_option(out, letter.turn);
        }
        self.permutations.save(out);
        put_number(out, self.named.len() as u64);
        for (operation, params) in &self.named {
            put_number(out, u64::from(*operation));
            put_number(out, params.len() as u64);
            if params.iter().try_for_each(|param| put_val(out, param)).is_none() {
                return;
            }
        }
    }

    /// Reads what was saved, for permutations of so many points.
    fn restore(reader: &mut Reader<'_>, n_atoms: usize, n_points: usize) -> Option<LetterTable> {
        let mut table = LetterTable::default();
        let option = |reader: &mut Reader<'_>| {
            let number: u32 = reader.small()?;
            Some(number.checked_sub(1))
        };
        let letters = reader.list(|reader| {
            let truths = (0..n_atoms).map(|_| TRUTHS.get(usize::from(reader.byte()?)).copied());
            let truths: Option<Box<[Truth]>> = truths.collect();
            Some(StepLetter { truths: truths?, instance: option(reader)?, turn: option(reader)? })
        })?;
        for (number, letter) in letters.iter().enumerate() {
            (table.number(letter) as usize == number).then_some(())?;
        }
        table.permutations = Permutations::restore(reader, n_points)?;
        let instances = reader.list(|reader| Some((reader.small()?, reader.list(read_val)?)))?;
        for (number, (operation, params)) in instances.into_iter().enumerate() {
            (table.instance(operation, params) as usize == number).then_some(())?;
        }
        let (n_instances, n_turns) = (table.named.len(), table.permutations.len());
        let is_known = |letter: &StepLetter| {
            letter.instance.is_none_or(|instance| (instance as usize) < n_instances)
                && letter.turn.is_none_or(|turn| (turn as usize) < n_turns)
        };
        letters.iter().all(is_known).then_some(table)
    }
}

impl<S: ModelSystem> Turns for Lettered<'_, S> {
    fn turned(&self, marks: Marks, images: &[u32]) -> Marks {
        let mut table = locked(&self.table);
        // Steps that set the machine up or initialise it have no letter, and no path begins with them.
        let Some(letter) = table.letters.get(marks as usize).cloned() else { return marks };
        let turn = Some(table.permutations.number(images));
        u64::from(table.number(&StepLetter { turn, ..letter }))
    }
}

impl<'s, S: ModelSystem> Layer for Lettered<'s, S> {
    type Inner = AnySystem<'s>;
    type Worker<'a>
        = LetteredWorker<'a, S>
    where
        Self: 'a;

    fn inner(&self) -> &AnySystem<'s> {
        &self.inner
    }

    fn layer_save_notes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        put_bytes(&mut out, &self.inner.save_notes());
        locked(&self.table).save(&mut out);
        out
    }

    fn layer_restore(&self, marks: &[u64], source: &mut dyn io::Read, notes: &[u8]) -> io::Result<()> {
        let mut reader = Reader::new(notes);
        let inner = reader.bytes().ok_or(io::ErrorKind::InvalidData)?;
        self.inner.restore(marks, source, inner)?;
        let n_points = self.group.as_ref().map_or(0, |group| group.identity().len());
        let restored = LetterTable::restore(&mut reader, self.atoms.len(), n_points).filter(|_| reader.is_empty());
        *locked(&self.table) = restored.ok_or(io::ErrorKind::InvalidData)?;
        Ok(())
    }

    fn layer_is_mark(&self, marks: Marks) -> bool {
        marks < locked(&self.table).letters.len() as u64
    }

    fn layer_sleep_words(&self) -> usize {
        if self.may_sleep() { self.inner.sleep_words() } else { 0 }
    }

    fn layer_worker(&self) -> Self::Worker<'_> {
        let width = self.system.width();
        let steps = if self.needs_labels { Steps::with_labels(width) } else { Steps::new(width) };
        LetteredWorker {
            worker: self.inner.worker(),
            evaluator: ExpressionCache { system: self.system, cache: FxHashMap::default() },
            system: self.system,
            atoms: self.atoms,
            needs_labels: self.needs_labels,
            needs_instances: self.needs_instances,
            table: &self.table,
            steps,
            known: FxHashMap::default(),
            properties: self.properties.filter(|_| !self.wants_all.load(Relaxed)),
            may_sleep: self.may_sleep(),
            ahead: Vec::new(),
        }
    }
}

pub(crate) struct LetteredWorker<'a, S> {
    worker: AnyWorker<'a>,
    evaluator: ExpressionCache<'a, S>,
    system: &'a S,
    atoms: &'a [LoweredAtom],
    needs_labels: bool,
    needs_instances: bool,
    table: &'a Mutex<LetterTable>,
    steps: Steps,
    /// Marks of the letters that this thread has met, in short form.
    known: FxHashMap<ShortLetter, Marks>,
    /// Steps that no formula needs are marked as such.
    properties: Option<&'a Formulas>,
    may_sleep: bool,
    /// States that are announced, without the sleep sets of those whose steps are stored.
    ahead: Vec<Ahead>,
}

/// A letter whose atoms fit into a word.
type ShortLetter = (u64, Option<u32>);

/// Truths of atoms in two bits each; nothing if there are too many.
fn packed(truths: &[Truth]) -> Option<u64> {
    (truths.len() <= 32).then(|| truths.iter().fold(0, |all, truth| all << 2 | *truth as u64))
}

impl<'a, S: ModelSystem> WorkerLayer for LetteredWorker<'a, S> {
    type Inner = AnyWorker<'a>;

    fn inner(&self) -> &AnyWorker<'a> {
        &self.worker
    }

    fn inner_mut(&mut self) -> &mut AnyWorker<'a> {
        &mut self.worker
    }

    fn layer_wants_alike(&self, origin: Origin<'_>) -> bool {
        !self.needs_labels && self.worker.wants_alike(origin)
    }

    /// States are inspected by the inner worker alone.
    fn layer_settled(&self) -> &[u64] {
        self.worker.settled()
    }

    fn layer_announce(&mut self, states: &[Ahead], question: Question) {
        let has_asleep = |state: &Ahead| state.words[0] & 1 == 1 && state.asleep.iter().any(|word| *word != 0);
        let is_kept = !self.may_sleep || !matches!(question, Question::Successors) || !states.iter().any(has_asleep);
        if is_kept {
            return self.worker.announce(states, question);
        }
        let mut ahead = std::mem::take(&mut self.ahead);
        ahead.resize_with(states.len().max(ahead.len()), Ahead::default);
        for (own, state) in ahead.iter_mut().zip(states) {
            own.words.clone_from(&state.words);
            own.asleep.clone_from(&state.asleep);
            if has_asleep(state) && !self.is_idle_on_all_steps(&state.words) {
                own.asleep.clear();
            }
        }
        // Sleep sets are given for all states or for none.
        let n_words = states.first().map_or(0, |state| state.asleep.len());
        ahead.iter_mut().for_each(|state| state.asleep.resize(n_words, 0));
        self.worker.announce(&ahead[..states.len()], question);
        self.ahead = ahead;
    }

    fn layer_expand(
        &mut self,
        origin: Origin<'_>,
        alike: Option<&dyn Alike>,
        out: &mut Steps,
        pause: &mut Pause<'_>,
    ) -> Completeness {
        let words = match origin {
            Origin::State(words) if words[0] & 1 == 1 => words,
            _ => return self.worker.expand(origin, alike, out, pause),
        };
        let mut steps = std::mem::take(&mut self.steps);
        steps.clear();
        let completeness = self.worker.expand(origin, alike, &mut steps, &mut go_on);
        let completeness = self.take(words, &steps, completeness, out);
        self.steps = steps;
        completeness
    }
}

impl<S: ModelSystem> LetteredWorker<'_, S> {
    fn take(&mut self, words: &[u32], steps: &Steps, completeness: Completeness, out: &mut Steps) -> Completeness {
        steps.ill_defined().iter().for_each(|operation| out.push_ill_defined(*operation));
        out.is_reduced |= steps.is_reduced;
        out.puts_off |= steps.puts_off;
        let (mut truths, inspected) = self.of_state(words, steps, completeness);
        // A value that is not known is part of the letter. What was ended may have one the next time.
        let ended = inspected.gap().filter(|gap| *gap >= Gap::Memory);
        let completeness = completeness.and(ended.into());
        if steps.is_deadlock(completeness) {
            let letter = self.letter(&truths, None, false);
            out.set_ending(Some(letter));
            return completeness;
        }
        out.copy_known(steps);
        let mut last: Option<(u32, Option<LabelId>, Marks)> = None;
        let is_simple =
            !self.atoms.iter().any(|atom| matches!(atom, LoweredAtom::Change(..) | LoweredAtom::BeforeAfter(..)));
        for (idx, step) in steps.iter().enumerate() {
            let marks = match last {
                // The letter depends on the operation and the label only.
                Some((operation, label, marks)) if is_simple && (operation, label) == (step.operation, step.label) => {
                    marks
                }
                _ => {
                    self.on_step(words, &step, &mut truths);
                    let instance = self.needs_instances.then(|| {
                        let params = self.params(&step).into_iter().cloned().collect();
                        locked(self.table).instance(step.operation, params)
                    });
                    self.letter(&truths, instance, true)
                }
            };
            last = Some((step.operation, step.label, marks));
            out.push_like(&step, marks, step.target);
            let asleep = steps.sleep_set(idx);
            if !asleep.is_empty() {
                out.set_sleep_set(asleep.iter().copied());
            }
        }
        completeness
    }

    /// The number of a letter, or the mark of steps that need not be stored.
    fn letter(&mut self, truths: &[Truth], instance: Option<u32>, has_step: bool) -> Marks {
        // A letter without a step is never left out, and has its own entry.
        let short = packed(truths).filter(|_| has_step).map(|packed| (packed, instance));
        if let Some(known) = short.and_then(|short| self.known.get(&short)) {
            return *known;
        }
        let is_idle = has_step && self.properties.is_some_and(|properties| properties.are_idle(truths));
        let marks = match is_idle {
            true => NOT_STORED,
            false => u64::from(locked(self.table).number(&StepLetter { truths: truths.into(), instance, turn: None })),
        };
        if let Some(short) = short {
            self.known.insert(short, marks);
        }
        marks
    }

    /// No step of a state is needed, whichever it is.
    fn is_idle_on_all_steps(&mut self, words: &[u32]) -> bool {
        let Some(properties) = self.properties else { return false };
        let (mut truths, _) = self.of_state(words, &Steps::default(), Completeness::Whole);
        for (truth, _) in truths.iter_mut().zip(self.atoms).filter(|(_, atom)| atom.is_about_step()) {
            *truth = Truth::Unknown;
        }
        properties.are_idle(&truths)
    }

    /// Values of the parameters of a step.
    fn params(&self, step: &Step<'_>) -> Vec<&Val> {
        match step.label {
            Some(label) if step.operation >= FIRST_OPERATION => self.system.label_values(step.operation, label).params,
            _ => Vec::new(),
        }
    }

    /// Values of the atoms that do not speak about a step; those that do are false.
    fn of_state(&mut self, words: &[u32], steps: &Steps, completeness: Completeness) -> (Vec<Truth>, Completeness) {
        let mut truths = vec![Truth::False; self.atoms.len()];
        let n_propositions = self.atoms.iter().filter(|atom| matches!(atom, LoweredAtom::Proposition(_))).count();
        let mut propositions = vec![Truth::True; n_propositions];
        let mut inspected = Completeness::Whole;
        if n_propositions > 0 {
            let asked = Properties { propositions: true, ..Properties::default() };
            inspected = self.worker.inspect(words, None, asked, &mut |kind| match kind {
                FindingKind::Proposition(number) => propositions[number as usize] = Truth::False,
                FindingKind::IllDefinedProposition(number) => propositions[number as usize] = Truth::IllDefined,
                _ => {}
            });
            if !inspected.is_whole() {
                propositions
                    .iter_mut()
                    .filter(|truth| **truth == Truth::True)
                    .for_each(|truth| *truth = Truth::Unknown);
            }
        }
        for (idx, atom) in self.atoms.iter().enumerate() {
            truths[idx] = match atom {
                LoweredAtom::Proposition(number) => propositions[*number as usize],
                atom if atom.needs_all_steps() && !completeness.is_whole() => Truth::Unknown,
                atom if atom.needs_targets() && steps.is_reduced => Truth::Unknown,
                LoweredAtom::Enabled(pattern) => self.enabled(words, pattern, steps),
                LoweredAtom::Deadlock => (steps.is_empty() && !steps.is_reduced).into(),
                LoweredAtom::NoneOf(patterns) => self.number_enabled(words, patterns, steps, |n| n == 0),
                LoweredAtom::AtMostOneOf(patterns) => self.number_enabled(words, patterns, steps, |n| n <= 1),
                LoweredAtom::ExactlyOneOf(patterns) => self.number_enabled(words, patterns, steps, |n| n == 1),
                LoweredAtom::NoOther(pattern) => {
                    let left_out = steps.left_out.iter().map(|(operation, _)| *operation);
                    let mut operations = steps.iter().map(|step| step.operation).chain(left_out);
                    operations.all(|operation| operation == pattern.operation).into()
                }
                LoweredAtom::Sink => steps.iter().all(|step| step.target == words).into(),
                LoweredAtom::Error => (!steps.ill_defined().is_empty()).into(),
                LoweredAtom::DeterministicOutput => self.has_one_output(steps).into(),
                LoweredAtom::Taken(_) | LoweredAtom::Change(..) | LoweredAtom::BeforeAfter(..) => Truth::False,
            };
        }
        (truths, inspected)
    }

    fn has_one_output(&self, steps: &Steps) -> bool {
        let mut outputs: FxHashMap<(u32, Vec<&Val>), Vec<Option<&Val>>> = FxHashMap::default();
        steps.iter().all(|step| {
            let Some(label) = step.label else { return true };
            let values = self.system.label_values(step.operation, label);
            let known = outputs.entry((step.operation, values.params)).or_insert_with(|| values.outputs.clone());
            *known == values.outputs
        })
    }

    fn number_enabled(
        &mut self,
        words: &[u32],
        patterns: &[StepPattern],
        steps: &Steps,
        fits: impl Fn(usize) -> bool,
    ) -> Truth {
        let mut n_enabled = 0;
        for pattern in patterns {
            match self.enabled(words, pattern, steps) {
                Truth::True => n_enabled += 1,
                Truth::False => {}
                other => return other,
            }
        }
        fits(n_enabled).into()
    }

    fn enabled(&mut self, words: &[u32], pattern: &StepPattern, steps: &Steps) -> Truth {
        let taken = steps.iter().map(|step| (step.operation, step.label));
        let all = taken.chain(steps.left_out.iter().copied());
        for (operation, label) in all.filter(|(operation, _)| *operation == pattern.operation) {
            match self.matches(words, pattern, operation, label) {
                Truth::False => {}
                other => return other,
            }
        }
        Truth::False
    }

    /// Whether a step is one of those that a pattern means. Arguments are evaluated in the state that it leaves.
    fn matches(&mut self, words: &[u32], pattern: &StepPattern, operation: u32, label: Option<LabelId>) -> Truth {
        if operation != pattern.operation {
            return Truth::False;
        }
        if !pattern.has_arguments() {
            return Truth::True;
        }
        let Some(label) = label else { return Truth::Unknown };
        let system = self.system;
        let params = system.label_values(operation, label).params;
        for (argument, param) in pattern.arguments.iter().zip(params) {
            let Some(argument) = argument else { continue };
            let is_equal = self.evaluator.value(*argument, words).and_then(|val| {
                if val == *param { Ok(true) } else { system.ask(|it| it.equal(&val, param, &Env::empty())) }
            });
            match is_equal {
                Ok(true) => {}
                Ok(false) => return Truth::False,
                Err(error) => return truth_of(&error),
            }
        }
        Truth::True
    }

    /// Fills in the atoms that speak about a step.
    fn on_step(&mut self, words: &[u32], step: &Step<'_>, truths: &mut [Truth]) {
        for (idx, atom) in self.atoms.iter().enumerate().filter(|(_, atom)| atom.is_about_step()) {
            truths[idx] = match atom {
                LoweredAtom::Taken(pattern) => self.matches(words, pattern, step.operation, step.label),
                LoweredAtom::Change(change, expr) => {
                    self.evaluator.changes(*change, *expr, words, step.target).unwrap_or_else(|error| truth_of(&error))
                }
                LoweredAtom::BeforeAfter(pred, before) => {
                    let (state, _) = self.system.decode(words);
                    let (target, _) = self.system.decode(step.target);
                    let bindings = before.iter().filter_map(|(local, variable)| {
                        Some((*local, state.variables.get(variable.index())?.clone()?))
                    });
                    let env = Env::new(&target).bind_all(bindings);
                    let truth = self.system.ask(|session| session.pred(*pred, &env));
                    truth.map_or_else(|error| truth_of(&error), Truth::from)
                }
                _ => Truth::False,
            };
        }
    }
}

pub(super) fn truth_of(error: &Error) -> Truth {
    if error.is_ill_defined() || error.is_obligation() { Truth::IllDefined } else { Truth::Unknown }
}

/// Values that are kept per thread; beyond that, all are forgotten.
const MAX_KEPT_VALUES: usize = 1 << 16;

/// Expressions in states, remembered under the words that they read.
struct ExpressionCache<'a, S> {
    system: &'a S,
    cache: FxHashMap<(ExprId, Vec<u32>), Result<Val, Error>>,
}

impl<S: ModelSystem> ExpressionCache<'_, S> {
    fn value(&mut self, expr: ExprId, words: &[u32]) -> Result<Val, Error> {
        let judge = self.system.judge();
        let names = judge.names_of_expr(expr);
        let variables = self.system.variables();
        let read = variables.iter().zip(&words[1..]).filter(|(variable, _)| names.variables.contains(variable));
        let key: Vec<u32> = std::iter::once(words[0]).chain(read.map(|(_, word)| *word)).collect();
        if let Some(known) = self.cache.get(&(expr, key.clone())) {
            return known.clone();
        }
        let (state, _): (State, bool) = self.system.decode(words);
        let value = self.system.ask(|session| session.expr(expr, &Env::new(&state)));
        if self.cache.len() >= MAX_KEPT_VALUES {
            self.cache.clear();
        }
        self.cache.insert((expr, key), value.clone());
        value
    }

    fn changes(&mut self, change: ChangeTest, expr: ExprId, words: &[u32], target: &[u32]) -> Result<Truth, Error> {
        let (before, after) = (self.value(expr, words)?, self.value(expr, target)?);
        let is_equal = || self.system.ask(|session| session.equal(&before, &after, &Env::empty()));
        let order = || -> Result<Ordering, Error> {
            match before.real() {
                Ok(before) => Ok(before.total_cmp(&after.real()?)),
                Err(_) => Ok(before.int()?.cmp(&after.int()?)),
            }
        };
        Ok(match change {
            ChangeTest::Unchanged => is_equal()?.into(),
            ChangeTest::Changed => (!is_equal()?).into(),
            ChangeTest::Increasing => (order()? == Ordering::Less).into(),
            ChangeTest::Decreasing => (order()? == Ordering::Greater).into(),
        })
    }
}
