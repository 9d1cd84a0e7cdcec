//! Past operators inside automata: [`with_monitors`].
//!
//! A translated automaton reads the values of monitors as propositions. The product with the monitors replaces each value by a function of the
//! letter and of bits that the states carry, and splits edges by the bits that come next. Monitors are deterministic, so the product
//! accepts the same words. Bits that no later guard depends on are cleared; otherwise a finished past would multiply states for ever.

use rustc_hash::FxHashMap;

use crate::automaton::{Automaton, AutomatonEdge, AutomatonState, merge_edges};
use crate::bdd::{self, LetterBdd, LetterBdds};
use crate::lower::{Lowered, Monitor, PastMemory};
use crate::normal::{Form, Forms, Nf};
use crate::translate::{Budget, GaveUp};

/// Bits of a state, one for each monitor.
type Bits = Box<[bool]>;

/// The automaton with the values of monitors computed and hidden propositions removed.
pub(crate) fn with_monitors(
    automaton: &Automaton,
    lowered: &Lowered,
    bdds: &mut LetterBdds,
    budget: &Budget<'_>,
) -> Result<Automaton, GaveUp> {
    let mut product = if lowered.monitors.is_empty() {
        automaton.clone()
    } else {
        Product::new(automaton, lowered, bdds).build(bdds, budget)?
    };
    if !lowered.hidden.is_empty() {
        let is_hidden = |var: u32| lowered.hidden.contains(&var);
        for state in &mut product.states {
            state.last = bdds.exists(state.last, &is_hidden);
            for edge in &mut state.edges {
                edge.guard = bdds.exists(edge.guard, &is_hidden);
            }
            merge_edges(bdds, &mut state.edges);
        }
        budget.check(bdds, product.states.len())?;
    }
    Ok(product)
}

struct Product<'a> {
    automaton: &'a Automaton,
    monitors: &'a [Monitor],
    forms: &'a Forms,
    /// For each state, the monitors whose bits matter from there on.
    needed: Vec<Vec<bool>>,
}

impl<'a> Product<'a> {
    fn new(automaton: &'a Automaton, lowered: &'a Lowered, bdds: &mut LetterBdds) -> Self {
        let needed = vec![vec![false; lowered.monitors.len()]; automaton.states.len()];
        let mut product = Product { automaton, monitors: &lowered.monitors, forms: &lowered.forms, needed };
        product.find_needed(bdds);
        product
    }

    fn find_needed(&mut self, bdds: &mut LetterBdds) {
        for (idx, state) in self.automaton.states.iter().enumerate() {
            for guard in state.edges.iter().map(|edge| edge.guard).chain([state.last]) {
                for var in bdds.support(guard) {
                    self.need(idx, var);
                }
            }
        }
        // Bits are needed before a state if they are needed after it.
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            for (source, edge) in self.automaton.edges() {
                for monitor in 0..self.monitors.len() {
                    let is_new = self.needed[edge.target as usize][monitor] && !self.needed[source as usize][monitor];
                    self.needed[source as usize][monitor] |= is_new;
                    has_changed |= is_new;
                }
            }
        }
    }

    /// A state needs a proposition, and with it all that the proposition is computed from.
    fn need(&mut self, state: usize, var: u32) {
        let Some(monitor) = self.monitors.iter().position(|monitor| monitor.var == var) else { return };
        if std::mem::replace(&mut self.needed[state][monitor], true) {
            return;
        }
        let operands = match self.monitors[monitor].memory {
            PastMemory::Yesterday(operand) => vec![operand],
            PastMemory::Since(left, right) | PastMemory::Trigger(left, right) => vec![left, right],
        };
        let mut todo = operands;
        while let Some(form) = todo.pop() {
            match self.forms.get(form) {
                Form::And(parts) | Form::Or(parts) => todo.extend(parts.iter()),
                Form::Literal(var, _) => self.need(state, *var),
                _ => {}
            }
        }
    }

    fn build(&self, bdds: &mut LetterBdds, budget: &Budget<'_>) -> Result<Automaton, GaveUp> {
        let initial: Bits = self.monitors.iter().map(|monitor| monitor.memory.initial()).collect();
        let mut numbers: FxHashMap<(u32, Bits), u32> = FxHashMap::default();
        let first = (self.automaton.initial, self.cleared(self.automaton.initial, &initial));
        numbers.insert(first.clone(), 0);
        let mut todo = vec![first];
        let mut states = Vec::new();
        while let Some((source, bits)) = todo.get(states.len()).cloned() {
            budget.check(bdds, todo.len())?;
            let (values, next) = self.functions(&bits, bdds);
            let value_of = |var: u32| {
                let monitor = self.monitors.iter().position(|monitor| monitor.var == var)?;
                Some(values[monitor])
            };
            let state = &self.automaton.states[source as usize];
            let mut edges = Vec::new();
            for edge in &state.edges {
                let guard = bdds.replace(edge.guard, &value_of);
                for (guard, bits) in self.split(guard, edge.target, &next, bdds, budget)? {
                    let key = (edge.target, bits);
                    let new = numbers.len() as u32;
                    let target = *numbers.entry(key.clone()).or_insert(new);
                    if target == new {
                        todo.push(key);
                    }
                    edges.push(AutomatonEdge { guard, marks: edge.marks, target });
                }
            }
            merge_edges(bdds, &mut edges);
            states.push(AutomatonState { edges, last: bdds.replace(state.last, &value_of) });
        }
        Ok(Automaton { states, initial: 0, n_marks: self.automaton.n_marks })
    }

    fn cleared(&self, state: u32, bits: &[bool]) -> Bits {
        bits.iter().zip(&self.needed[state as usize]).map(|(bit, needed)| *bit && *needed).collect()
    }

    /// The values of monitors now and their bits for the next letter, as functions of this one.
    fn functions(&self, bits: &[bool], bdds: &mut LetterBdds) -> (Vec<LetterBdd>, Vec<LetterBdd>) {
        let (mut values, mut next) = (Vec::new(), Vec::new());
        for (monitor, bit) in self.monitors.iter().zip(bits) {
            let bit = if *bit { bdd::TRUE } else { bdd::FALSE };
            let (value, later) = match monitor.memory {
                PastMemory::Yesterday(operand) => (bit, self.function(operand, &values, bdds)),
                PastMemory::Since(left, right) => {
                    let (left, right) = (self.function(left, &values, bdds), self.function(right, &values, bdds));
                    let waiting = bdds.and(left, bit);
                    let value = bdds.or(right, waiting);
                    (value, value)
                }
                PastMemory::Trigger(left, right) => {
                    let (left, right) = (self.function(left, &values, bdds), self.function(right, &values, bdds));
                    let waiting = bdds.or(left, bit);
                    let value = bdds.and(right, waiting);
                    (value, value)
                }
            };
            values.push(value);
            next.push(later);
        }
        (values, next)
    }

    /// A propositional form as a function; values of earlier monitors are known.
    fn function(&self, form: Nf, values: &[LetterBdd], bdds: &mut LetterBdds) -> LetterBdd {
        let value_of =
            |var: u32| self.monitors.iter().position(|monitor| monitor.var == var).map(|monitor| values[monitor]);
        let function = self.forms.function(form, bdds);
        bdds.replace(function, &value_of)
    }

    /// A guard by the bits that follow.
    fn split(
        &self,
        guard: LetterBdd,
        target: u32,
        next: &[LetterBdd],
        bdds: &mut LetterBdds,
        budget: &Budget<'_>,
    ) -> Result<Vec<(LetterBdd, Bits)>, GaveUp> {
        let mut parts: Vec<(LetterBdd, Vec<bool>)> = vec![(guard, Vec::new())];
        for (monitor, function) in next.iter().enumerate() {
            let is_needed = self.needed[target as usize][monitor];
            let mut split = Vec::new();
            for (guard, bits) in parts {
                let with = |bit| bits.iter().copied().chain([bit]).collect::<Vec<bool>>();
                if !is_needed {
                    split.push((guard, with(false)));
                    continue;
                }
                split.push((bdds.minus(guard, *function), with(false)));
                split.push((bdds.and(guard, *function), with(true)));
            }
            split.retain(|(guard, _)| *guard != bdd::FALSE);
            parts = split;
            budget.check(bdds, parts.len())?;
        }
        Ok(parts.into_iter().map(|(guard, bits)| (guard, bits.into())).collect())
    }
}
