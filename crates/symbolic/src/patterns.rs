//! Patterns: backward search over partial states, up to permutations of interchangeable elements.
//!
//! A backward search from "two processes are inside" leads to sets that speak of few processes. Here such a set is a list of *patterns*: conjunctions over two or three variables that stand
//! for any distinct elements. A pattern costs the same for 3 processes and for 60, and so does its predecessor: by symmetry, one instance of an operation stands for those of all
//! elements. (Compare dynamic symmetry reduction, `symmetry.rs`: the representative of a set of partial states is chosen when the set is found.)
//!
//! The list is closed if no step leads from a state without any pattern into a pattern, which a SAT solver decides over the circuits of the machine. If no initial state has one, and every state with a
//! finding does, nothing is ever found: the negations of the patterns are facts that together are inductive. A predecessor that the solver shows is *lifted*, to the literals that make the step lead where it
//! does, and then *generalised*: literals are dropped as long as no state that is known to be reachable has the pattern (S. Conchon and others, "Invariants for finite instances and
//! beyond", 2013). Whether that was too much comes out when a reachable state turns up in a pattern; the search starts again with one more state known. What is answered `Ok`
//! is proved, for the size at hand; everything else is left to other searches.

mod asker;
mod clauses;
mod induction;
mod lifting;
mod pattern;
mod samples;
mod vocabulary;

use std::cmp::Reverse;

use abridge_blast::{Lit, Replaced, SatAnswer, SatSolver};
use abridge_diag::StopFlag;
use abridge_encoding::{CellId, Encoding, EncodingConfig, EncodingSource, Initial, PropertyKind, SatProver};
use abridge_eval::{State, Val};
use abridge_value::{BitSet, Value};
use rustc_hash::FxHashMap;

use crate::reach::{AskedFindings, FixpointProgress, FixpointWatch};
use crate::space::{Distrust, is_learnt};
use asker::{Asker, LiteralFacts};
use pattern::{Literal, Pattern};
use samples::{SampleMatch, Samples};
use vocabulary::{Element, Vocabulary, anonymous, images};

/// Conflicts of one question to the solver.
const MAX_CONFLICTS: u64 = 20_000;
/// Patterns of one search, searches, and variables of a pattern, beyond which there is no answer.
const MAX_PATTERNS: usize = 200;
const MAX_SEARCHES: u32 = 30;
const MAX_VARIABLES: usize = 5;
/// Elements whose tuples get the clauses of a pattern at once; others get them when a solution asks for it.
const EAGER_ELEMENTS: u32 = 4;
/// Clauses that one solution asks for.
const MAX_CLAUSES: usize = 4_000;

/// A list of patterns that excludes everything that is asked about.
#[derive(Clone, Debug, Default)]
pub struct PatternProof {
    /// Each pattern as a predicate about the first elements; none if the properties are inductive as they are.
    pub patterns: Vec<String>,
    /// Variables of a pattern at most.
    pub n_variables: usize,
    /// Questions that the solver answered, and searches.
    pub queries: u64,
    pub searches: u32,
    /// Reachable states that were looked at.
    pub samples: usize,
}

/// The reason why patterns give no answer, and whether other ways to generalise may give one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoProof(pub &'static str, pub bool);

/// What is dropped from a pattern first, and when.
#[derive(Clone, Copy, Debug)]
struct Policy {
    /// Relations go before variables.
    relations_first: bool,
    /// A variable goes only if there are fewer ways into the pattern then, even if there are many variables.
    must_gain: bool,
    /// In the end, other literals go too.
    drops_all: bool,
}

/// Policies that are tried, one after the other.
const POLICIES: [Policy; 4] = [
    Policy { relations_first: true, must_gain: false, drops_all: false },
    Policy { relations_first: false, must_gain: false, drops_all: false },
    Policy { relations_first: true, must_gain: true, drops_all: false },
    Policy { relations_first: true, must_gain: false, drops_all: true },
];

/// A pattern with where it comes from.
struct FoundPattern {
    pattern: Pattern,
    /// What was found before literals were dropped, over elements.
    lifted: Pattern,
    frame: Vec<Element>,
    /// The step that leads from the lifted pattern into another one.
    step: Option<PatternStep>,
}

#[derive(Clone)]
struct PatternStep {
    instance: usize,
    choices: Vec<(Lit, bool)>,
    target: usize,
}

/// The end of a search.
enum SearchEnd {
    Closed,
    /// One more reachable state is known.
    Again,
}

struct PatternSearch<'s, 'w> {
    source: &'s EncodingSource<'s>,
    encoding: Encoding,
    vocabulary: Vocabulary,
    /// What holds in initial states, in all states, and in all states before the first finding.
    facts: [LiteralFacts; 3],
    /// Initial states, states within bounds, those of them without a pattern, and the same with properties.
    initial: Asker,
    bounded: Asker,
    outside: Asker,
    good: Asker,
    good_outside: Asker,
    /// Steps as substitutions, by instance.
    replaced: Vec<Replaced>,
    /// Elements that label each instance; they are the first.
    n_labels: Vec<usize>,
    roots: Vec<Lit>,
    /// Properties that are checked.
    holding: Vec<Lit>,
    /// An initial state.
    first: BitSet,
    samples: Samples,
    known: Vec<BitSet>,
    entries: Vec<FoundPattern>,
    /// Assumed for the clauses of this search, and for what looks unlikely.
    is_current: Lit,
    is_likely: Lit,
    has_guards: bool,
    policy: Policy,
    queries: u64,
    watch: &'s mut FixpointWatch<'w>,
    stop: StopFlag,
}

/// Excludes everything that is asked about by patterns, or says why not.
///
/// # Errors
/// The reason why this is open.
pub fn prove(
    source: &EncodingSource<'_>,
    constants: &State,
    elements: &[Value],
    asked: AskedFindings,
    watch: &mut FixpointWatch<'_>,
    stop: StopFlag,
) -> Result<PatternProof, NoProof> {
    if asked.deadlock {
        return Err(NoProof("a deadlock is about all elements", false));
    }
    let mut last = NoProof("no vocabulary", false);
    for has_guards in [false, true] {
        let mut search =
            PatternSearch::new(source, constants, elements, asked, has_guards, (&mut *watch, stop.clone()))?;
        if !has_guards && search.is_inductive()? {
            return Ok(search.proof(0));
        }
        search.add_unlikely();
        for policy in POLICIES {
            search.policy = policy;
            match search.run() {
                Err(open) if open.1 => last = open,
                result => return result,
            }
        }
    }
    Err(last)
}

const NO_WORDS: NoProof = NoProof("patterns have no words for a set of states", true);
const STOPPED: NoProof = NoProof("stopped", false);
const FOUND: NoProof = NoProof("something is found", false);

/// Of the labels that permutations of elements make equal, the one with the first elements in their order.
fn label_elements(label: &[Val], places: &FxHashMap<Value, Element>) -> Option<Vec<Element>> {
    let mut tuple = Vec::new();
    for val in label {
        anonymous(val.as_value()?, places, &mut tuple)?;
    }
    Some(tuple)
}

fn is_ascending(tuple: &[Element]) -> bool {
    tuple.iter().zip(0..).all(|(element, place)| *element == place)
}

impl<'s, 'w> PatternSearch<'s, 'w> {
    fn new(
        source: &'s EncodingSource<'s>,
        constants: &State,
        elements: &[Value],
        asked: AskedFindings,
        has_guards: bool,
        (watch, stop): (&'s mut FixpointWatch<'w>, StopFlag),
    ) -> Result<PatternSearch<'s, 'w>, NoProof> {
        let places: FxHashMap<Value, Element> = elements.iter().cloned().zip(0..).collect();
        let is_meant = |label: &[Val]| label_elements(label, &places).is_none_or(|tuple| is_ascending(&tuple));
        let mut prover = SatProver { stop: stop.clone(), ..SatProver::default() };
        let encoding = Encoding::of_labels(source, constants, &EncodingConfig::default(), &mut prover, &is_meant);
        let mut encoding = encoding.map_err(|_| NoProof("no encoding", false))?;
        let vocabulary = Vocabulary::new(&encoding, &source.variables, elements);
        let vocabulary = vocabulary.ok_or(NoProof("cells are not about tuples of elements", false))?;
        let n_labels: Option<Vec<usize>> = encoding
            .instances
            .iter()
            .map(|instance| match &instance.label {
                Some(label) => label_elements(label, &places).map(|tuple| tuple.len()),
                None => Some(0),
            })
            .collect();
        let n_labels = n_labels.ok_or(NoProof("labels are not tuples of elements", false))?;
        let (roots, holding) = properties(source, &mut encoding, asked)?;
        let roots = representatives(&mut encoding, &vocabulary, &roots);
        let (relation, first) = initial_states(&mut encoding, &stop)?;
        let bounds = encoding.assumptions.iter().copied();
        let facts = [
            LiteralFacts::new(&encoding, [relation]),
            LiteralFacts::new(&encoding, bounds.clone()),
            LiteralFacts::new(&encoding, bounds.chain(holding.iter().copied())),
        ];
        let asker = |kind: usize| Asker::new(&facts[kind], &stop);
        let (initial, bounded, outside) = (asker(0), asker(1), asker(1));
        let (good, good_outside) = (asker(2), asker(2));
        let n_most = n_labels.iter().copied().max().unwrap_or(0);
        let is_stopped = || stop.is_raised();
        let samples = Samples::new(&mut encoding, &vocabulary, &first, (has_guards, n_most), &is_stopped);
        let replaced = encoding.instances.iter().map(|_| Replaced::default()).collect();
        Ok(PatternSearch {
            source,
            is_current: encoding.blast.circuit.input(),
            is_likely: encoding.blast.circuit.input(),
            encoding,
            vocabulary,
            facts,
            initial,
            bounded,
            outside,
            good,
            good_outside,
            replaced,
            n_labels,
            roots,
            holding,
            first,
            samples,
            known: Vec::new(),
            entries: Vec::new(),
            has_guards,
            policy: POLICIES[0],
            queries: 0,
            watch,
            stop,
        })
    }

    fn run(&mut self) -> Result<PatternProof, NoProof> {
        for searches in 1..=MAX_SEARCHES {
            self.entries.clear();
            self.is_current = self.encoding.blast.circuit.input();
            if let SearchEnd::Closed = self.search()? {
                return Ok(self.proof(searches));
            }
        }
        Err(NoProof("patterns were generalised too much again and again", true))
    }

    fn proof(&self, searches: u32) -> PatternProof {
        let model = self.source.interp.model();
        let text = |(atom, is_true): &Literal| self.vocabulary.text(&self.encoding, model, atom, *is_true);
        let whole = |entry: &FoundPattern| entry.pattern.literals.iter().map(text).collect::<Vec<_>>().join(" & ");
        PatternProof {
            patterns: self.entries.iter().map(whole).collect(),
            n_variables: self.entries.iter().map(|it| usize::from(it.pattern.n_variables)).max().unwrap_or(0),
            queries: self.queries,
            searches,
            samples: self.samples.len() + self.known.len(),
        }
    }

    /// Searches for a closed list of patterns.
    fn search(&mut self) -> Result<SearchEnd, NoProof> {
        let is_found = self.encoding.blast.circuit.evaluate(&self.roots, |input| {
            self.encoding.cells.of_input(input).is_some_and(|cell| self.first.contains(cell.0 as usize))
        });
        if is_found.contains(&true) {
            return Err(FOUND);
        }
        for root in self.roots.clone() {
            while let Some(state) = self.state_of(false, &[root], Some(EAGER_ELEMENTS as usize))? {
                let lifted = self.lift(false, &state, Vec::new(), &[], root)?;
                if let SearchEnd::Again = self.add(lifted, None)? {
                    return Ok(SearchEnd::Again);
                }
            }
        }
        let mut is_done: Vec<bool> = Vec::new();
        loop {
            is_done.resize(self.entries.len(), false);
            // Those about many elements first: they become much larger, which leaves fewer ways into others.
            let open = (0..self.entries.len()).filter(|idx| !is_done[*idx]);
            let Some(next) = open.min_by_key(|idx| (Reverse(self.entries[*idx].pattern.n_variables), *idx)) else {
                return Ok(SearchEnd::Closed);
            };
            is_done[next] = true;
            self.enlarge(next)?;
            for instance in 0..self.encoding.instances.len() {
                for elements in self.frames(usize::from(self.entries[next].pattern.n_variables), instance) {
                    if let SearchEnd::Again = self.predecessors(next, instance, &elements)? {
                        return Ok(SearchEnd::Again);
                    }
                }
            }
        }
    }

    /// Makes a pattern larger, as far as that leads to no new ways into it.
    fn enlarge(&mut self, entry: usize) -> Result<(), NoProof> {
        let pattern = self.entries[entry].pattern.clone();
        let larger = self.generalised(&pattern, true)?;
        if larger != pattern {
            self.entries[entry].pattern = larger;
            self.add_clauses(entry);
        }
        Ok(())
    }

    /// Elements for so many variables, up to permutations that keep the elements of a label: those, or the first of the others.
    fn frames(&self, n_variables: usize, instance: usize) -> Vec<Vec<Element>> {
        let n_labels = self.n_labels[instance] as u32;
        let mut frames: Vec<(Vec<Element>, u32)> = vec![(Vec::new(), n_labels)];
        for _ in 0..n_variables {
            let longer = |(frame, next): &(Vec<Element>, u32)| -> Vec<(Vec<Element>, u32)> {
                let labels = (0..n_labels).filter(|label| !frame.contains(label)).map(|label| (label, *next));
                let with = |(element, next): (u32, u32)| (frame.iter().copied().chain([element]).collect(), next);
                labels.chain([(*next, next + 1)]).map(with).collect()
            };
            frames = frames.iter().flat_map(longer).collect();
        }
        let n_elements = self.vocabulary.elements.len() as u32;
        frames.into_iter().filter(|(_, next)| *next <= n_elements).map(|(frame, _)| frame).collect()
    }

    /// Adds patterns until no step of an instance leads from a state outside of all into a pattern, whose variables are these elements.
    fn predecessors(&mut self, entry: usize, instance: usize, elements: &[Element]) -> Result<SearchEnd, NoProof> {
        let pattern = self.entries[entry].pattern.clone();
        let Some((goal, n_named)) = self.goal(&pattern, instance, elements) else { return Ok(SearchEnd::Closed) };
        while let Some(state) = self.state_of(true, &goal, Some(n_named + 1))? {
            let solver = &self.good_outside;
            let choices: Vec<(Lit, bool)> =
                self.encoding.instances[instance].choices.iter().map(|lit| (*lit, solver.value(*lit))).collect();
            let whole = self.encoding.blast.circuit.and_all(goal.iter().copied());
            let named = (0..n_named as u32).collect();
            let lifted = self.lift(true, &state, named, &choices, whole)?;
            if let SearchEnd::Again = self.add(lifted, Some(PatternStep { instance, choices, target: entry }))? {
                return Ok(SearchEnd::Again);
            }
        }
        Ok(SearchEnd::Closed)
    }

    /// Literals of a step of an instance into a pattern, whose variables are these elements, and how many elements it is about; nothing if no step changes anything of that.
    fn goal(&mut self, pattern: &Pattern, instance: usize, elements: &[Element]) -> Option<(Vec<Lit>, usize)> {
        let mut goal = vec![self.encoding.instances[instance].relation];
        let mut is_touched = false;
        for old in self.literals_of(pattern, elements) {
            let new = self.after(instance, old);
            is_touched |= old != new;
            goal.push(new);
        }
        let n_named = elements.iter().map(|element| *element as usize + 1).max().unwrap_or(0);
        (is_touched && !goal.contains(&Lit::FALSE)).then(|| (goal, n_named.max(self.n_labels[instance])))
    }

    /// The literals of a pattern whose variables are these elements.
    fn literals_of(&mut self, pattern: &Pattern, elements: &[Element]) -> Vec<Lit> {
        let PatternSearch { encoding, vocabulary, .. } = self;
        let literal = |(atom, is_true): &Literal| {
            let lit = vocabulary.literal(encoding, atom, elements);
            if *is_true { lit } else { !lit }
        };
        pattern.literals.iter().map(literal).collect()
    }

    /// A literal about the state after a step.
    fn after(&mut self, instance: usize, lit: Lit) -> Lit {
        let PatternSearch { encoding, replaced, .. } = self;
        let Encoding { blast, cells, instances, .. } = encoding;
        let with = |input: Lit| instances[instance].new_literal(cells.of_input(input)?);
        blast.circuit.replace(lit, &with, &mut replaced[instance])
    }

    /// A state with some literals and without any pattern; with properties, if it is to be good. One in which only the first elements differ from an initial state is preferred.
    fn state_of(&mut self, is_good: bool, lits: &[Lit], n_different: Option<usize>) -> Result<Option<BitSet>, NoProof> {
        let assumed: Vec<Lit> = lits.iter().copied().chain([self.is_current]).collect();
        loop {
            let progress = FixpointProgress { rounds: self.entries.len() as u32, ..FixpointProgress::default() };
            if self.stop.is_raised() || !(self.watch)(&progress) {
                return Err(STOPPED);
            }
            self.queries += 1;
            let PatternSearch { encoding, facts, first, outside, good_outside, .. } = self;
            let (asker, facts) = if is_good { (good_outside, &facts[2]) } else { (outside, &facts[1]) };
            match asker.ask(encoding, (facts, first), &assumed) {
                SatAnswer::Unsatisfiable => return Ok(None),
                SatAnswer::Unknown => return Err(NoProof("a question to the solver takes too long", true)),
                SatAnswer::Satisfiable => {}
            }
            if let Some(n_different) = n_different {
                let is_far = |cell: CellId| {
                    self.vocabulary.cells[cell.0 as usize].1.iter().any(|element| *element as usize >= n_different)
                };
                let narrow: Vec<Lit> = assumed.iter().copied().chain(asker.kept(encoding, first, &is_far)).collect();
                if asker.ask(encoding, (facts, first), &narrow) != SatAnswer::Satisfiable {
                    asker.ask(encoding, (facts, first), &assumed);
                }
            }
            let state = asker.state(encoding, first);
            if !self.exclude(&state) {
                return Ok(Some(state));
            }
        }
    }

    /// Adds clauses against patterns that a state has; false if it has none.
    fn exclude(&mut self, state: &BitSet) -> bool {
        let candidates = self.vocabulary.candidates(state, &self.first);
        let mut clauses: Vec<(usize, Vec<Element>)> = Vec::new();
        for (idx, entry) in self.entries.iter().enumerate() {
            entry.pattern.matches(&self.vocabulary, (state, &candidates), &mut |elements| {
                clauses.push((idx, elements.to_vec()));
                clauses.len() >= MAX_CLAUSES
            });
        }
        for (idx, elements) in &clauses {
            self.add_clause(*idx, elements);
        }
        !clauses.is_empty()
    }

    fn add_clause(&mut self, entry: usize, elements: &[Element]) {
        let pattern = self.entries[entry].pattern.clone();
        let lits = self.literals_of(&pattern, elements);
        let clause: Vec<Lit> = lits.into_iter().map(|lit| !lit).chain([!self.is_current]).collect();
        self.outside.clause(&self.encoding, (&self.facts[1], &self.first), &clause);
        self.good_outside.clause(&self.encoding, (&self.facts[2], &self.first), &clause);
    }

    /// Adds a generalisation of a lifted pattern, unless a reachable state has the pattern.
    fn add(
        &mut self,
        (lifted, frame, is_exact): (Pattern, Vec<Element>, bool),
        step: Option<PatternStep>,
    ) -> Result<SearchEnd, NoProof> {
        if self.entries.len() >= MAX_PATTERNS {
            return Err(NoProof("too many patterns", true));
        }
        if let Some(state) = self.reachable(&lifted, &frame)? {
            if !is_exact {
                return Err(NO_WORDS);
            }
            return self.follow(&lifted, &frame, step.as_ref(), state);
        }
        // A pattern that goes on as the state does is made larger when its turn comes: more is known then about the ways into it.
        let pattern = if is_exact { lifted.clone() } else { self.generalised(&lifted, false)? };
        if usize::from(pattern.n_variables) > MAX_VARIABLES {
            return Err(NoProof("patterns have too many variables", true));
        }
        self.entries.push(FoundPattern { pattern, lifted, frame, step });
        self.add_clauses(self.entries.len() - 1);
        Ok(SearchEnd::Closed)
    }

    /// Adds the clauses against a pattern for the first elements.
    fn add_clauses(&mut self, entry: usize) {
        let n_variables = usize::from(self.entries[entry].pattern.n_variables);
        let n_eager = EAGER_ELEMENTS.min(self.vocabulary.elements.len() as u32);
        let mut tuples: Vec<Vec<Element>> = vec![Vec::new()];
        for _ in 0..n_variables {
            let longer = |tuple: &Vec<Element>| -> Vec<Vec<Element>> {
                let free = (0..n_eager).filter(|next| !tuple.contains(next));
                free.map(|next| tuple.iter().copied().chain([next]).collect()).collect()
            };
            tuples = tuples.iter().flat_map(longer).collect();
        }
        for tuple in tuples {
            self.add_clause(entry, &tuple);
        }
    }

    /// A reachable state with a pattern that these elements make true, if one is known.
    fn reachable(&mut self, pattern: &Pattern, frame: &[Element]) -> Result<Option<BitSet>, NoProof> {
        if self.meets_initial(pattern, frame)? {
            return Ok(Some(self.initial.state(&self.encoding, &self.first)));
        }
        let mut found = None;
        for state in &self.known {
            let candidates = self.vocabulary.candidates(state, &self.first);
            pattern.matches(&self.vocabulary, (state, &candidates), &mut |elements| {
                found = Some((state.clone(), elements.to_vec()));
                true
            });
        }
        if let SampleMatch::In(state, elements) = self.samples.find(pattern) {
            found = Some((self.samples.state(state, &self.first), elements));
        }
        Ok(found.map(|(state, elements)| self.moved(&state, &elements, frame)))
    }

    /// A state permuted so that some elements become others.
    fn moved(&self, state: &BitSet, from: &[Element], to: &[Element]) -> BitSet {
        let n_elements = self.vocabulary.elements.len() as u32;
        let images = images(n_elements, from, to);
        self.vocabulary.permuted(state, &images)
    }

    fn meets_initial(&mut self, pattern: &Pattern, elements: &[Element]) -> Result<bool, NoProof> {
        let lits = self.literals_of(pattern, elements);
        let lit = self.encoding.blast.circuit.and_all(lits);
        self.initial_has(lit)
    }

    /// Follows steps from a reachable state in a lifted pattern, as long as the pattern that a step leads into was not generalised, or the state after it has the lifted one.
    /// The last state is reachable, and in a pattern that was generalised too much.
    fn follow(
        &mut self,
        lifted: &Pattern,
        frame: &[Element],
        step: Option<&PatternStep>,
        state: BitSet,
    ) -> Result<SearchEnd, NoProof> {
        let (mut state, mut step) = (state, step.cloned());
        debug_assert!(
            lifted.literals.iter().all(|(atom, is_true)| self.vocabulary.value(atom, frame, &state) == *is_true)
        );
        while let Some(PatternStep { instance, choices, target }) = step {
            // A pattern that was not lifted to a step may have none.
            let Some(after) = self.stepped(&state, instance, &choices) else {
                self.known.push(state);
                return Ok(SearchEnd::Again);
            };
            state = after;
            let entry = &self.entries[target];
            let mut found = None;
            let candidates = self.vocabulary.candidates(&state, &self.first);
            entry.lifted.matches(&self.vocabulary, (&state, &candidates), &mut |elements| {
                found = Some(elements.to_vec());
                true
            });
            let Some(elements) = found else {
                self.known.push(state);
                return Ok(SearchEnd::Again);
            };
            state = self.moved(&state, &elements, &entry.frame.clone());
            step = self.entries[target].step.clone();
        }
        Err(FOUND)
    }

    /// The state after a step; nothing if there is none.
    fn stepped(&self, state: &BitSet, instance: usize, choices: &[(Lit, bool)]) -> Option<BitSet> {
        let Encoding { blast, cells, instances, .. } = &self.encoding;
        let writes = &instances[instance].writes;
        let news = writes.iter().map(|(_, lit)| lit.unwrap_or(Lit::FALSE));
        let lits: Vec<Lit> = [instances[instance].relation].into_iter().chain(news).collect();
        let values = blast.circuit.evaluate(&lits, |input| match cells.of_input(input) {
            Some(cell) => state.contains(cell.0 as usize),
            None => choices.iter().any(|(choice, value)| *choice == input && *value),
        });
        let mut after = state.clone();
        for ((cell, _), value) in writes.iter().zip(&values[1..]) {
            if *value {
                after.insert(cell.0 as usize);
            } else {
                after.remove(cell.0 as usize);
            }
        }
        values[0].then_some(after)
    }
}

/// The literal of initial states, and one of them.
fn initial_states(encoding: &mut Encoding, stop: &StopFlag) -> Result<(Lit, BitSet), NoProof> {
    let Initial::Circuit { holds, error, .. } = &encoding.initial else {
        return Err(NoProof("the initialisation has no circuit", false));
    };
    let (holds, error) = (*holds, *error);
    let relation = encoding.initial.relation(&encoding.cells, &mut encoding.blast);
    let relation = relation.ok_or(NoProof("the initialisation has no circuit", false))?;
    let circuit = &encoding.blast.circuit;
    let mut solver = SatSolver::new(MAX_CONFLICTS).stopped_by(stop.clone());
    if solver.solve_under(circuit, &[error], MAX_CONFLICTS) != SatAnswer::Unsatisfiable {
        return Err(NoProof("the initialisation may be ill-defined", false));
    }
    solver.require(circuit, relation);
    if solver.solve_under(circuit, &[holds], MAX_CONFLICTS) != SatAnswer::Satisfiable {
        return Err(NoProof("there may be no initial state", false));
    }
    let is_true = |cell: &usize| encoding.cells.input(CellId(*cell as u32)).is_some_and(|lit| solver.value(lit));
    Ok((relation, (0..encoding.cells.len()).filter(is_true).collect()))
}

/// Literals of what may be found, and of what holds before the first finding.
fn properties(
    source: &EncodingSource<'_>,
    encoding: &mut Encoding,
    asked: AskedFindings,
) -> Result<(Vec<Lit>, Vec<Lit>), NoProof> {
    let trust = Distrust::default();
    if !source.functions.is_empty() || source.variables.iter().any(|variable| encoding.cells.is_opaque(*variable)) {
        return Err(NoProof("a variable has no exact form", false));
    }
    if (0..source.operations.len()).any(|operation| is_learnt(encoding, operation, &trust)) {
        return Err(NoProof("an operation has no exact circuit", false));
    }
    let (mut roots, mut holding) = (Vec::new(), Vec::new());
    for property in encoding.properties.iter().filter(|property| asked.includes(property.kind)) {
        let truth = property.truth.map_err(|_| NoProof("a property has no exact circuit", false))?;
        if property.kind == PropertyKind::Goal {
            roots.push(truth.holds);
        } else {
            roots.push(!truth.holds);
            holding.push(truth.holds);
        }
    }
    let errors = encoding.instances.iter().map(|instance| [instance.error.context, instance.error.ill_defined]);
    let errors: Vec<[Lit; 2]> = errors.collect();
    roots.extend(errors.into_iter().map(|parts| encoding.blast.circuit.and_all(parts)));
    roots.retain(|root| *root != Lit::FALSE);
    Ok((roots, holding))
}

/// Literals that hold where some of the roots do, up to permutations of elements. A root that is a disjunction is split into parts that have no cell in common, and of parts that
/// an exchange of two elements makes equal, which a solver decides, one is kept.
fn representatives(encoding: &mut Encoding, vocabulary: &Vocabulary, roots: &[Lit]) -> Vec<Lit> {
    let mut kept: Vec<(Lit, Option<Element>)> = Vec::new();
    for root in roots {
        for part in parts(encoding, *root) {
            let cells = encoding.blast.circuit.inputs_of([part]);
            let mut cells = cells.into_iter().filter_map(|input| encoding.cells.of_input(input));
            // An element that all cells are about.
            let first = cells.next().map(|cell| vocabulary.cells[cell.0 as usize].1.clone()).unwrap_or_default();
            let rest: Vec<CellId> = cells.collect();
            let is_common =
                |element: &&Element| rest.iter().all(|cell| vocabulary.cells[cell.0 as usize].1.contains(element));
            let element = first.iter().find(is_common).copied();
            let is_known = kept.clone().into_iter().any(|(other, other_element)| match (element, other_element) {
                (Some(left), Some(right)) => is_image(encoding, vocabulary, (part, other), (left, right)),
                _ => part == other,
            });
            if !is_known {
                kept.push((part, element));
            }
        }
    }
    kept.into_iter().map(|(root, _)| root).collect()
}

/// The alternatives of a literal, those with a cell in common together.
fn parts(encoding: &mut Encoding, root: Lit) -> Vec<Lit> {
    let circuit = &mut encoding.blast.circuit;
    let mut groups: Vec<(Vec<Lit>, Vec<Lit>)> = Vec::new();
    let mut group_of: FxHashMap<Lit, usize> = FxHashMap::default();
    for conjunct in circuit.conjuncts(!root) {
        let inputs = circuit.inputs_of([conjunct]);
        let mut found: Vec<usize> = inputs.iter().filter_map(|input| group_of.get(input)).copied().collect();
        found.sort_unstable();
        found.dedup();
        let (mut members, mut cells) = (vec![conjunct], inputs);
        for old in found {
            let (other_members, other_cells) = std::mem::take(&mut groups[old]);
            members.extend(other_members);
            cells.extend(other_cells);
        }
        cells.iter().for_each(|input| _ = group_of.insert(*input, groups.len()));
        groups.push((members, cells));
    }
    let groups = groups.into_iter().filter(|(members, _)| !members.is_empty());
    groups.map(|(members, _)| !circuit.and_all(members)).collect()
}

/// Whether a literal is another one with two elements exchanged.
fn is_image(
    encoding: &mut Encoding,
    vocabulary: &Vocabulary,
    (lit, other): (Lit, Lit),
    (left, right): (Element, Element),
) -> bool {
    let Encoding { blast, cells, .. } = encoding;
    let exchange = |element: &Element| match *element {
        element if element == left => right,
        element if element == right => left,
        element => element,
    };
    let with = |input: Lit| {
        let (scheme, tuple) = &vocabulary.cells[cells.of_input(input)?.0 as usize];
        let tuple: Vec<Element> = tuple.iter().map(exchange).collect();
        cells.input(vocabulary.cell(*scheme, &tuple)?)
    };
    let image = blast.circuit.replace(lit, &with, &mut Replaced::default());
    let mut of_image = blast.circuit.inputs_of([image]);
    let mut of_other = blast.circuit.inputs_of([other]);
    of_image.sort_unstable();
    of_other.sort_unstable();
    if of_image != of_other {
        return false;
    }
    let differs = blast.circuit.xor(image, other);
    SatSolver::new(MAX_CONFLICTS).solve_under(&blast.circuit, &[differs], MAX_CONFLICTS) == SatAnswer::Unsatisfiable
}
