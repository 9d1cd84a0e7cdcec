//! Formulas of linear time on a graph that is made while it is searched: `--strategy dfs`.
//!
//! States are expanded when the search through the product of a formula asks for their steps (`temporal/src/emptiness/on_the_fly.rs`), so a violation near the start is found in
//! spaces without end. All formulas share what was expanded. What the search saw becomes the exploration of the run, in which the path of the violation is found as everywhere else.

use std::cell::{Cell, RefCell};

use abridge_model_system::ModelSystem;
use abridge_search::{Control, Expansion, Exploration, Lazy, SearchConfig};
use abridge_system::{AnySystem, Origin};
use abridge_temporal::emptiness::{LetterGraph, PathAnswer, Suspicion, Truth, find_violation, holds_violation};
use abridge_temporal::formula::AtomId;

use super::letters::{Lettered, StepLetter};
use super::{PathStarts, Temporal};

/// Steps that are computed when somebody asks for them.
struct OnDemand<'d, 's, S> {
    lettered: &'d Lettered<'s, S>,
    lazy: RefCell<Lazy<'d, AnySystem<'s>>>,
    control: RefCell<&'d mut dyn Control>,
    known: RefCell<ExpandedSteps>,
    /// Letters so far, which no other thread waits for.
    letters: RefCell<Vec<StepLetter>>,
    starts: PathStarts,
    /// States that were not expanded stay so.
    is_frozen: Cell<bool>,
    config: &'d crate::Config,
}

/// Steps of the states that were expanded, in one list: there may be many, and they are forgotten at once.
#[derive(Default)]
struct ExpandedSteps {
    /// By state: where its steps lie and the letter of a path that ends there.
    states: Vec<Option<(usize, u32, Option<u32>)>>,
    /// Letters and targets.
    steps: Vec<(u32, u32)>,
}

impl ExpandedSteps {
    fn add(&mut self, state: u32, expansion: &Expansion) {
        let ending = expansion.ending.map(|letter| letter as u32);
        self.states[state as usize] = Some((self.steps.len(), expansion.steps.len() as u32, ending));
        self.steps.extend(expansion.steps.iter().map(|(letter, target)| (*letter as u32, *target)));
    }
}

/// The same as one formula sees it.
struct FormulaView<'v, 'd, 's, S> {
    graph: &'v OnDemand<'d, 's, S>,
    /// Atoms of the formula among those of all formulas.
    atoms: &'v [usize],
}

impl<S: ModelSystem> Temporal<'_, S> {
    /// Explores depth-first, along the paths that matter to each formula of linear time; then the rest, unless all formulas are known to be violated.
    pub(crate) fn explore_on_the_fly(&mut self, search: &SearchConfig, control: &mut dyn Control) -> Exploration {
        let (config, system, steps) = (self.config, self.system, self.steps);
        let mut lazy = Lazy::new(&steps, search, control);
        let starts = starts(&mut lazy, &mut *control, |words| system.is_running(Origin::State(words)));
        let graph = OnDemand {
            lettered: self.lettered,
            lazy: RefCell::new(lazy),
            control: RefCell::new(control),
            known: RefCell::default(),
            letters: RefCell::default(),
            starts,
            is_frozen: Cell::new(false),
            config,
        };
        for (number, formula) in config.formulas.formulas.iter().enumerate() {
            let Some(body) = &formula.body else { continue };
            // A formula without an automaton is told of in the end.
            let Some(Ok(property)) = self.properties.of_formula(number) else { continue };
            let view = FormulaView { graph: &graph, atoms: &body.atoms };
            let frozen = || {
                graph.is_frozen.set(true);
                let answer = find_violation(&view, property);
                graph.is_frozen.set(false);
                Some(answer).filter(|answer| matches!(answer, PathAnswer::Path(_) | PathAnswer::IllDefined(..)))
            };
            let suspicion = holds_violation(&view, property, &mut || frozen().is_some());
            let answer = if suspicion == Suspicion::Violation { frozen() } else { None };
            self.found[number] = answer;
        }
        let is_enough = !config.find_all && self.are_all_known();
        let OnDemand { lazy, control, .. } = graph;
        let mut lazy = lazy.into_inner();
        if !is_enough {
            lazy.finish(*control.borrow_mut());
        }
        lazy.into_exploration()
    }
}

/// Where paths begin. Set-ups are expanded for that.
fn starts(
    lazy: &mut Lazy<'_, AnySystem<'_>>,
    control: &mut dyn Control,
    is_running: impl Fn(&[u32]) -> bool,
) -> PathStarts {
    let first: Vec<u32> = lazy.first().collect();
    if first.first().is_some_and(|state| is_running(&lazy.words(*state))) {
        return PathStarts { n_setups: 0, initial: first };
    }
    let expansions = first.iter().map(|state| lazy.expand(*state, control));
    let mut initial: Vec<u32> = expansions.flat_map(|expansion| expansion.steps).map(|(_, target)| target).collect();
    initial.sort_unstable();
    initial.dedup();
    PathStarts { n_setups: first.len() as u32, initial }
}

impl<S: ModelSystem> OnDemand<'_, '_, S> {
    fn of_letter<T>(&self, letter: u32, tell: impl FnOnce(&StepLetter) -> T) -> T {
        let mut letters = self.letters.borrow_mut();
        if letters.len() <= letter as usize {
            self.lettered.extend(&mut letters);
        }
        tell(&letters[letter as usize])
    }

    /// The steps of a state and the letter of a path that ends there, if that is known or may be found out.
    fn leaving(&self, state: u32) -> (Vec<(u32, u32)>, Option<u32>) {
        if state < self.starts.n_setups {
            return (Vec::new(), None);
        }
        let mut known = self.known.borrow_mut();
        if known.states.len() <= state as usize {
            known.states.resize(state as usize + 1, None);
        }
        if known.states[state as usize].is_none() && !self.is_frozen.get() {
            let expansion = self.lazy.borrow_mut().expand(state, *self.control.borrow_mut());
            if !self.lazy.borrow().is_done() {
                known.add(state, &expansion);
            }
        }
        match known.states[state as usize] {
            Some((first, n_steps, ending)) => (known.steps[first..first + n_steps as usize].to_vec(), ending),
            None => (Vec::new(), None),
        }
    }
}

impl<S: ModelSystem> LetterGraph for FormulaView<'_, '_, '_, S> {
    fn n_states(&self) -> usize {
        self.graph.lazy.borrow().n_states() as usize
    }

    fn initial(&self) -> &[u32] {
        &self.graph.starts.initial
    }

    fn steps(&self, state: u32, visit: &mut dyn FnMut(u32, u32)) {
        let (steps, ending) = self.graph.leaving(state);
        let own = ending.filter(|_| self.graph.config.stutters).map(|letter| (letter, state));
        steps.into_iter().chain(own).for_each(|(letter, target)| visit(letter, target));
    }

    fn ending(&self, state: u32) -> Option<u32> {
        self.graph.leaving(state).1.filter(|_| !self.graph.config.stutters)
    }

    fn n_letters(&self) -> usize {
        self.graph.lettered.n_letters()
    }

    fn truth(&self, letter: u32, atom: AtomId) -> Truth {
        self.graph.of_letter(letter, |letter| letter.truths[self.atoms[atom.0 as usize]])
    }

    fn instance(&self, letter: u32) -> Option<u32> {
        self.graph.of_letter(letter, |letter| letter.instance)
    }

    fn has_turns(&self) -> bool {
        self.graph.lettered.group().is_some()
    }

    fn turned(&self, letter: u32, instance: u32) -> u32 {
        let lettered = self.graph.lettered;
        let turn = self.graph.of_letter(letter, |letter| letter.turn);
        turn.map_or(instance, |turn| lettered.turned_instance(turn, instance))
    }

    fn is_stopped(&self) -> bool {
        let is_ended = !self.graph.is_frozen.get() && self.graph.lazy.borrow().is_done();
        is_ended || self.graph.config.stop.is_raised()
    }
}
