//! Violations in a graph that is made while it is searched: [`holds_violation`].
//!
//! A search depth-first through the product that keeps the strongly connected components of its stack with the marks that they have (Couvreur, "On-the-fly verification of linear
//! temporal logic", 1999; compared by Renault and others, "Three SCC-based emptiness checks for generalized Büchi automata", 2013). It ends as soon as a component has all marks, so it needs not see
//! the whole graph, which may be without end. Weak premises are further marks. Pairs, `WEF` and `SEF` are about components as a whole: a component with all marks is only
//! a suspicion, which the engine for stored graphs confirms. It is also asked whenever the number of nodes has doubled, since the first of many steps may lead into a part without end that
//! holds no violation, while another step of a node on the stack closes a loop. For the same reason, steps into accepting components of the automaton come first.
//!
//! The answer is only that there is a violation among the states that were visited. [`super::find_violation`] on these finds the path.

use rustc_hash::FxHashMap;

use crate::automaton::{MarkSet, Structure};
use crate::property::{Class, LinearProperty};

use super::fair::FairConditions;
use super::letters::Moves;
use super::{LetterGraph, ProductNode, reach};

/// What a search that finds no path found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Suspicion {
    /// The states that were visited hold a violation.
    Violation,
    /// All states were visited, and there is none.
    None,
    /// All states were visited; values that are not known would have mattered.
    Unknown,
    Stopped,
}

/// Looks for a violation in a graph whose steps may be computed when they are asked for. `confirm` is asked whether the states so far hold a violation, where a component
/// alone does not tell; it is asked again only after the number of nodes has doubled.
pub fn holds_violation<G: LetterGraph>(
    graph: &G,
    property: &LinearProperty,
    confirm: &mut dyn FnMut() -> bool,
) -> Suspicion {
    let mut moves = Moves::new(graph, property);
    for alternative in &property.premises {
        let conditions = FairConditions::new(graph, property, alternative);
        let mut search = OnTheFlySearch::new(graph, &mut moves, conditions);
        match search.run(confirm) {
            Suspicion::None => {}
            found => return found,
        }
    }
    Suspicion::None
}

/// A node whose steps are being followed.
struct OpenNode {
    node: ProductNode,
    /// Where its steps begin among all that wait.
    first: usize,
}

/// Nodes after which the engine for stored graphs is asked for the first time.
const FIRST_LOOK_NODES: usize = 1 << 10;

/// The first node of a component on the stack.
struct ComponentRoot {
    /// Its number.
    number: u32,
    /// Marks of the steps inside the component.
    marks: MarkSet,
    /// Marks of the step that leads into it.
    entry: MarkSet,
}

struct OnTheFlySearch<'s, 'g, G> {
    graph: &'g G,
    moves: &'s mut Moves<'g, G>,
    conditions: FairConditions<'g, G>,
    /// All marks, those of weak premises behind those of the automaton.
    all: MarkSet,
    /// A component with all marks is a violation.
    is_sure: bool,
    universal: Option<u32>,
    /// Numbers in the order of visit; 0 for nodes whose component is done.
    numbers: FxHashMap<ProductNode, u32>,
    /// Nodes whose component is not done.
    live: Vec<ProductNode>,
    roots: Vec<ComponentRoot>,
    calls: Vec<OpenNode>,
    /// Steps of all calls that were not followed yet: targets with what the steps have.
    waiting: Vec<(ProductNode, MarkSet)>,
    structure: Structure,
    next_look: usize,
    next_confirmation: usize,
    /// There was a component with all marks that nobody was asked about.
    is_suspicious: bool,
}

impl<'s, 'g, G: LetterGraph> OnTheFlySearch<'s, 'g, G> {
    fn new(graph: &'g G, moves: &'s mut Moves<'g, G>, conditions: FairConditions<'g, G>) -> Self {
        let property = moves.property;
        let n_marks = property.violation.n_marks + conditions.n_weak() as u32;
        OnTheFlySearch {
            graph,
            // More marks than there is room for are left to the confirmation.
            is_sure: n_marks <= 64 && conditions.is_about_marks(),
            all: MarkSet::all(n_marks),
            universal: property.violation.universal_state().filter(|_| property.class == Class::Safety),
            moves,
            conditions,
            numbers: FxHashMap::default(),
            live: Vec::new(),
            roots: Vec::new(),
            calls: Vec::new(),
            waiting: Vec::new(),
            structure: property.violation.structure(),
            next_look: FIRST_LOOK_NODES,
            next_confirmation: 0,
            is_suspicious: false,
        }
    }

    fn run(&mut self, confirm: &mut dyn FnMut() -> bool) -> Suspicion {
        for start in reach::starts(self.graph, self.moves) {
            if self.numbers.contains_key(&start) {
                continue;
            }
            if self.enter(start, MarkSet::default()) {
                return Suspicion::Violation;
            }
            while let Some(call) = self.calls.last() {
                if self.graph.is_stopped() {
                    return Suspicion::Stopped;
                }
                if self.waiting.len() == call.first {
                    self.leave();
                    continue;
                }
                let Some((target, marks)) = self.waiting.pop() else { break };
                let is_found = match self.numbers.get(&target) {
                    None => self.enter(target, marks),
                    Some(0) => false,
                    Some(number) => {
                        let number = *number;
                        self.close(number, marks) && self.is_violation(confirm)
                    }
                };
                if is_found || self.is_look_due() && confirm() {
                    return Suspicion::Violation;
                }
            }
        }
        if self.graph.is_stopped() {
            return Suspicion::Stopped;
        }
        if self.is_suspicious && confirm() { Suspicion::Violation } else { Suspicion::None }
    }

    /// Visits a node; true if a violation shows there.
    fn enter(&mut self, node: ProductNode, entry: MarkSet) -> bool {
        let (state, automaton) = self.moves.parts(node);
        let number = self.numbers.len() as u32 + 1;
        self.numbers.insert(node, number);
        self.live.push(node);
        self.roots.push(ComponentRoot { number, marks: MarkSet::default(), entry });
        let mut is_hit = self.universal == Some(automaton);
        if let Some(letter) = self.graph.ending(state) {
            is_hit |= !matches!(self.moves.accepts_end(automaton, letter), Ok(false));
        }
        let mut found: Vec<(u32, ProductNode, MarkSet)> = Vec::new();
        self.moves.for_each(node, |letter, target, marks| found.push((letter, target, marks)));
        let graph = self.graph;
        graph.steps(state, &mut |letter, _| is_hit |= self.moves.reaction(automaton, letter).ill_defined.is_some());
        let n_marks = self.moves.property.violation.n_marks;
        let steps = found.into_iter().map(|(letter, target, marks)| {
            let met = self.conditions.row(letter).meets.iter().take_while(|idx| (*idx as u32) < 64 - n_marks.min(64));
            let met = met.fold(MarkSet::default(), |met, idx| met.with(MarkSet::one(n_marks + idx as u32)));
            (target, marks.with(met))
        });
        let mut steps: Vec<(ProductNode, MarkSet)> = steps.collect();
        // The last one is followed first: the first of those that lead into an accepting component, if there are any.
        steps.reverse();
        steps.sort_by_key(|(target, _)| self.structure.is_accepting_at(self.moves.parts(*target).1));
        self.calls.push(OpenNode { node, first: self.waiting.len() });
        self.waiting.append(&mut steps);
        is_hit
    }

    /// The number of nodes has doubled.
    fn is_look_due(&mut self) -> bool {
        let is_due = self.numbers.len() >= self.next_look;
        if is_due {
            self.next_look = self.numbers.len() * 2;
        }
        is_due
    }

    /// A step leads back to a node on the stack: the components from there on are one. True if it has all marks.
    fn close(&mut self, number: u32, marks: MarkSet) -> bool {
        let mut marks = marks;
        while let Some(root) = self.roots.last_mut() {
            marks = marks.with(root.marks);
            if root.number <= number {
                root.marks = marks;
                break;
            }
            marks = marks.with(root.entry);
            self.roots.pop();
        }
        self.all.is_within(marks)
    }

    fn is_violation(&mut self, confirm: &mut dyn FnMut() -> bool) -> bool {
        if self.is_sure {
            return true;
        }
        self.is_suspicious = self.numbers.len() < self.next_confirmation;
        if self.is_suspicious {
            return false;
        }
        self.next_confirmation = self.numbers.len() * 2;
        let is_confirmed = confirm();
        // The component may grow.
        self.is_suspicious = !is_confirmed;
        is_confirmed
    }

    /// Ends the last call, and its component if the node is its root.
    fn leave(&mut self) {
        let Some(call) = self.calls.pop() else { return };
        let number = self.numbers.get(&call.node).copied().unwrap_or(0);
        if self.roots.last().is_some_and(|root| root.number == number) {
            self.roots.pop();
            while let Some(node) = self.live.pop() {
                self.numbers.insert(node, 0);
                if node == call.node {
                    break;
                }
            }
        }
    }
}
