//! Operations with arguments followed through a quotient: [`Threads`].
//!
//! In a quotient by symmetry, a step leads to the representative of its target, and the permutation between both renames arguments. What is one operation with its arguments along a real path is
//! called by changing names along its image: a *thread* of pairs of a node and a local name (Emerson and Sistla, "Utilizing symmetry when model checking under fairness assumptions", 1997; Gyuris and
//! Sistla, "On-the-fly model checking under fairness that exploits symmetry", 1999). In a strongly connected part, permutations can be undone by going on, so pairs fall into classes within which every
//! pair leads to every other. Any real operation stays in one class, so the part is fair to all of them if each class is: it has a step that takes its name there or, for weak
//! fairness, a node where it is not enabled. Only classes with a node where the name is enabled matter. Without symmetry, names stay, and classes are operations.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::letters::Moves;
use super::{LetterGraph, ProductNode};

#[derive(Default)]
pub(super) struct Threads {
    /// Names change. Otherwise all nodes count as one.
    has_turns: bool,
    numbers: FxHashMap<(ProductNode, u32), u32>,
    /// For each pair one of its class.
    parents: Vec<u32>,
    /// By the pair that stands for a class.
    is_taken: Vec<bool>,
    is_off: Vec<bool>,
}

/// What is enabled in a node, and the steps of the node that stay inside the part, each with its letter.
type StaySteps = (BTreeSet<u32>, Vec<(u32, ProductNode)>);

/// The operations with arguments that are enabled in a state, by their local names.
pub(super) fn enabled<G: LetterGraph>(graph: &G, state: u32) -> BTreeSet<u32> {
    let mut enabled = BTreeSet::new();
    graph.steps(state, &mut |letter, _| enabled.extend(graph.instance(letter)));
    enabled
}

impl Threads {
    /// Follows all that is enabled somewhere in a strongly connected part, along the steps between its nodes.
    pub(super) fn new<'g, G: LetterGraph>(
        graph: &'g G,
        members: &[ProductNode],
        moves: &mut Moves<'g, G>,
        is_inside: &mut dyn FnMut(u32, ProductNode) -> bool,
    ) -> Threads {
        let mut threads = Threads { has_turns: graph.has_turns(), ..Threads::default() };
        if !threads.has_turns {
            threads.count(graph, members, moves, is_inside);
            return threads;
        }
        let mut steps: FxHashMap<ProductNode, StaySteps> = FxHashMap::default();
        let mut open = Vec::new();
        for node in members {
            let here = enabled(graph, moves.parts(*node).0);
            open.extend(here.iter().map(|name| (*node, *name)));
            let mut inside = Vec::new();
            moves.for_each(*node, |letter, target, _| {
                if is_inside(letter, target) {
                    inside.push((letter, target));
                }
            });
            inside.sort_unstable();
            inside.dedup();
            steps.insert(*node, (here, inside));
        }
        open.iter().for_each(|pair| _ = threads.number(*pair));
        while let Some((node, name)) = open.pop() {
            let own = threads.number((node, name));
            let (here, inside) = &steps[&node];
            if !here.contains(&name) {
                threads.note(own, false);
            }
            for (letter, target) in inside {
                if graph.instance(*letter) == Some(name) {
                    threads.note(own, true);
                }
                let next = (*target, graph.turned(*letter, name));
                if !threads.numbers.contains_key(&next) {
                    open.push(next);
                }
                let next = threads.number(next);
                threads.join(own, next);
            }
        }
        for number in 0..threads.parents.len() as u32 {
            threads.parents[number as usize] = threads.find(number);
        }
        threads
    }

    /// The same where names stay.
    fn count<'g, G: LetterGraph>(
        &mut self,
        graph: &'g G,
        members: &[ProductNode],
        moves: &mut Moves<'g, G>,
        is_inside: &mut dyn FnMut(u32, ProductNode) -> bool,
    ) {
        let mut n_enabled: FxHashMap<u32, usize> = FxHashMap::default();
        let mut taken = BTreeSet::new();
        for node in members {
            for name in enabled(graph, moves.parts(*node).0) {
                *n_enabled.entry(name).or_insert(0) += 1;
            }
            moves.for_each(*node, |letter, target, _| {
                if is_inside(letter, target) {
                    taken.extend(graph.instance(letter));
                }
            });
        }
        for (name, n_enabled) in n_enabled {
            let number = self.number((0, name)) as usize;
            self.is_taken[number] = taken.contains(&name);
            self.is_off[number] = n_enabled < members.len();
        }
    }

    fn key(&self, node: ProductNode, name: u32) -> (ProductNode, u32) {
        (if self.has_turns { node } else { 0 }, name)
    }

    fn number(&mut self, pair: (ProductNode, u32)) -> u32 {
        let next = self.parents.len() as u32;
        let number = *self.numbers.entry(pair).or_insert(next);
        if number == next {
            self.parents.push(next);
            self.is_taken.push(false);
            self.is_off.push(false);
        }
        number
    }

    /// The pair that stands for the class of another one.
    fn find(&mut self, mut number: u32) -> u32 {
        while self.parents[number as usize] != number {
            let parent = self.parents[number as usize];
            self.parents[number as usize] = self.parents[parent as usize];
            number = parent;
        }
        number
    }

    fn note(&mut self, number: u32, is_taken: bool) {
        let class = self.find(number) as usize;
        let list = if is_taken { &mut self.is_taken } else { &mut self.is_off };
        list[class] = true;
    }

    fn join(&mut self, left: u32, right: u32) {
        let (left, right) = (self.find(left) as usize, self.find(right) as usize);
        if left == right {
            return;
        }
        let (keeps, goes) = if left < right { (left, right) } else { (right, left) };
        self.parents[goes] = keeps as u32;
        self.is_taken[keeps] |= self.is_taken[goes];
        self.is_off[keeps] |= self.is_off[goes];
    }

    /// A step somewhere takes what has this name here.
    pub(super) fn is_taken(&self, node: ProductNode, name: u32) -> bool {
        let number = self.numbers.get(&self.key(node, name));
        number.is_some_and(|number| self.is_taken[self.parents[*number as usize] as usize])
    }

    /// Every operation is taken somewhere, or not enabled somewhere.
    pub(super) fn are_weakly_fair(&self) -> bool {
        self.parents.iter().all(|class| self.is_taken[*class as usize] || self.is_off[*class as usize])
    }

    /// The names at a node of all that is enabled somewhere.
    pub(super) fn names_at(&self, node: ProductNode) -> BTreeSet<u32> {
        let (node, _) = self.key(node, 0);
        self.numbers.keys().filter(|(other, _)| *other == node).map(|(_, name)| *name).collect()
    }
}
