//! From normal forms to automata: [`translate`].
//!
//! A state is an obligation: a form that the rest of the word satisfies. Its first step is a boolean function of the letter, of obligations for
//! the next state and of *promises*, one for each right side of an until that is put off (Couvreur, "On-the-fly verification of linear
//! temporal logic", 1999). The function is a BDD with the letter's variables first, so letters that offer the same choices
//! are found together; what remains is monotone, and its prime implicants are the edges. An edge has the marks of all promises that it does not make: a
//! run with every mark infinitely often puts nothing off for ever. Forms with equal functions are one state; that is where automata become
//! small. Obligations of a target are not simplified otherwise: `G F (p & F q)` implies `F q`, but a state that drops `F q` for that reason
//! forgets that the promise of q was made.
//!
//! The choices of a letter must come from that letter alone. Prime implicants over letters and obligations together would also be
//! right, but less deterministic.

use std::collections::BTreeMap;

use abridge_diag::with_stack;
use rustc_hash::FxHashMap;

use crate::automaton::{Automaton, AutomatonEdge, AutomatonState, MAX_MARKS, MarkSet};
use crate::bdd::{self, LetterBdd, LetterBdds};
use crate::normal::{Form, Forms, Nf};

/// Bounds on the work for one formula.
#[derive(Clone, Copy)]
pub struct Budget<'a> {
    pub max_states: usize,
    pub max_bdd_nodes: usize,
    /// Asked now and then; the translation ends when it says so.
    pub is_stopped: &'a dyn Fn() -> bool,
}

impl Default for Budget<'_> {
    fn default() -> Self {
        Budget { max_states: 20_000, max_bdd_nodes: 1 << 22, is_stopped: &|| false }
    }
}

/// The translation was given up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GaveUp {
    /// The automaton, or a guard of it, is larger than the budget allows.
    TooLarge,
    Stopped,
}

impl Budget<'_> {
    pub(crate) fn check(&self, bdds: &LetterBdds, n_states: usize) -> Result<(), GaveUp> {
        if bdds.is_full() || n_states > self.max_states {
            return Err(GaveUp::TooLarge);
        }
        if (self.is_stopped)() { Err(GaveUp::Stopped) } else { Ok(()) }
    }
}

/// An automaton for a form over the variables 0 to `n_vars` - 1.
pub(crate) fn translate(
    forms: &mut Forms,
    bdds: &mut LetterBdds,
    root: Nf,
    n_vars: u32,
    budget: &Budget<'_>,
) -> Result<Automaton, GaveUp> {
    let mut translation = Translation {
        forms,
        bdds,
        n_vars,
        meanings: Vec::new(),
        vars: FxHashMap::default(),
        firsts: FxHashMap::default(),
        lasts: FxHashMap::default(),
        states: Vec::new(),
        by_form: FxHashMap::default(),
        by_function: FxHashMap::default(),
    };
    translation.state(root);
    let mut n_done = 0;
    let mut edges: Vec<Vec<UnnumberedEdge>> = Vec::new();
    while n_done < translation.states.len() {
        budget.check(translation.bdds, translation.states.len())?;
        let form = translation.states[n_done];
        edges.push(translation.edges(form, budget)?);
        n_done += 1;
    }
    budget.check(translation.bdds, translation.states.len())?;
    translation.finish(edges)
}

/// What a BDD variable beyond the letter's stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Meaning {
    /// The next state satisfies this.
    Next(Nf),
    /// This is put off.
    Promise(Nf),
}

/// An edge before marks are numbered: letters, target and promises.
struct UnnumberedEdge {
    guard: LetterBdd,
    target: u32,
    promises: Vec<Nf>,
}

struct Translation<'a> {
    forms: &'a mut Forms,
    bdds: &'a mut LetterBdds,
    n_vars: u32,
    meanings: Vec<Meaning>,
    vars: FxHashMap<Meaning, LetterBdd>,
    firsts: FxHashMap<Nf, LetterBdd>,
    lasts: FxHashMap<Nf, LetterBdd>,
    states: Vec<Nf>,
    by_form: FxHashMap<Nf, u32>,
    by_function: FxHashMap<(LetterBdd, LetterBdd), u32>,
}

/// Letters with one set of choices may be as many as there are functions; beyond this, the formula is too large.
const MAX_CHOICES: usize = 1 << 12;

impl Translation<'_> {
    fn var(&mut self, meaning: Meaning) -> LetterBdd {
        if let Some(known) = self.vars.get(&meaning) {
            return *known;
        }
        let var = self.n_vars + self.meanings.len() as u32;
        self.meanings.push(meaning);
        let function = self.bdds.var(var);
        self.vars.insert(meaning, function);
        function
    }

    /// The obligation at the next position; a conjunction is several.
    fn next(&mut self, form: Nf) -> LetterBdd {
        match self.forms.get(form).clone() {
            Form::Const(value) => Forms::constant_bdd(value),
            Form::And(parts) => parts.iter().fold(bdd::TRUE, |all, part| {
                let part = self.var(Meaning::Next(*part));
                self.bdds.and(all, part)
            }),
            _ => self.var(Meaning::Next(form)),
        }
    }

    /// The choices at a letter that has a step.
    fn first(&mut self, form: Nf) -> LetterBdd {
        if let Some(known) = self.firsts.get(&form) {
            return *known;
        }
        let function = with_stack(|| match self.forms.get(form).clone() {
            Form::Const(value) => Forms::constant_bdd(value),
            Form::Literal(var, value) => self.literal(var, value),
            Form::And(parts) => parts.iter().fold(bdd::TRUE, |all, part| {
                let part = self.first(*part);
                self.bdds.and(all, part)
            }),
            Form::Or(parts) => parts.iter().fold(bdd::FALSE, |any, part| {
                let part = self.first(*part);
                self.bdds.or(any, part)
            }),
            Form::Next(operand) | Form::WeakNext(operand) => self.next(operand),
            Form::Until(left, right) => {
                let now = self.first(right);
                let waiting = self.first(left);
                let later = self.next(form);
                let promise = self.var(Meaning::Promise(right));
                let waiting = self.bdds.and(waiting, later);
                let waiting = self.bdds.and(waiting, promise);
                self.bdds.or(now, waiting)
            }
            Form::Release(left, right) => {
                let now = self.first(right);
                let released = self.first(left);
                let later = self.next(form);
                let rest = self.bdds.or(released, later);
                self.bdds.and(now, rest)
            }
        });
        self.firsts.insert(form, function);
        function
    }

    /// The letters without a step that satisfy a form.
    fn last(&mut self, form: Nf) -> LetterBdd {
        if let Some(known) = self.lasts.get(&form) {
            return *known;
        }
        let function = with_stack(|| match self.forms.get(form).clone() {
            Form::Const(value) => Forms::constant_bdd(value),
            Form::Literal(var, value) => self.literal(var, value),
            Form::And(parts) => parts.iter().fold(bdd::TRUE, |all, part| {
                let part = self.last(*part);
                self.bdds.and(all, part)
            }),
            Form::Or(parts) => parts.iter().fold(bdd::FALSE, |any, part| {
                let part = self.last(*part);
                self.bdds.or(any, part)
            }),
            Form::Next(_) => bdd::FALSE,
            Form::WeakNext(_) => bdd::TRUE,
            Form::Until(_, right) | Form::Release(_, right) => self.last(right),
        });
        self.lasts.insert(form, function);
        function
    }

    fn literal(&mut self, var: u32, value: bool) -> LetterBdd {
        let function = self.bdds.var(var);
        if value { function } else { self.bdds.not(function) }
    }

    /// The state of a form; forms with the same choices share one.
    fn state(&mut self, form: Nf) -> u32 {
        if let Some(known) = self.by_form.get(&form) {
            return *known;
        }
        let key = (self.first(form), self.last(form));
        let new = self.states.len() as u32;
        let number = *self.by_function.entry(key).or_insert(new);
        if number == new {
            self.states.push(form);
        }
        self.by_form.insert(form, number);
        number
    }

    fn edges(&mut self, form: Nf, budget: &Budget<'_>) -> Result<Vec<UnnumberedEdge>, GaveUp> {
        let function = self.first(form);
        let mut by_choice: BTreeMap<(u32, Vec<Nf>), LetterBdd> = BTreeMap::new();
        for (choices, guard) in self.by_letters(function)? {
            for implicant in self.prime_implicants(choices)? {
                let (mut obligations, mut promises) = (Vec::new(), Vec::new());
                for var in implicant {
                    match self.meanings[(var - self.n_vars) as usize] {
                        Meaning::Next(form) => obligations.push(form),
                        Meaning::Promise(form) => promises.push(form),
                    }
                }
                let target = self.forms.obligations(obligations);
                promises.sort_unstable();
                let target = self.state(target);
                budget.check(self.bdds, self.states.len())?;
                let known = by_choice.entry((target, promises)).or_insert(bdd::FALSE);
                *known = self.bdds.or(*known, guard);
            }
        }
        Ok(by_choice
            .into_iter()
            .map(|((target, promises), guard)| UnnumberedEdge { guard, target, promises })
            .collect())
    }

    /// The functions of obligations and promises that remain when a letter is known, with the letters that leave each.
    fn by_letters(&mut self, function: LetterBdd) -> Result<Vec<(LetterBdd, LetterBdd)>, GaveUp> {
        // Nodes above the border, each before the nodes that it leads to: the variable grows along every branch.
        let mut letters: BTreeMap<(u32, LetterBdd), LetterBdd> = BTreeMap::new();
        let mut found: BTreeMap<LetterBdd, LetterBdd> = BTreeMap::new();
        let var_of = |bdds: &LetterBdds, function| bdds.top(function).filter(|var| *var < self.n_vars);
        match var_of(self.bdds, function) {
            Some(var) => _ = letters.insert((var, function), bdd::TRUE),
            None => _ = found.insert(function, bdd::TRUE),
        }
        while let Some(((var, at), guard)) = letters.pop_first() {
            let (low, high) = self.bdds.branches(at);
            let literal = self.bdds.var(var);
            for (branch, value) in [(low, false), (high, true)] {
                let here = if value { self.bdds.and(guard, literal) } else { self.bdds.minus(guard, literal) };
                let known = match var_of(self.bdds, branch) {
                    Some(var) => letters.entry((var, branch)).or_insert(bdd::FALSE),
                    None => found.entry(branch).or_insert(bdd::FALSE),
                };
                *known = self.bdds.or(*known, here);
            }
            if letters.len() + found.len() > MAX_CHOICES || self.bdds.is_full() {
                return Err(GaveUp::TooLarge);
            }
        }
        found.remove(&bdd::FALSE);
        Ok(found.into_iter().collect())
    }

    /// Minimal sets of variables that make a monotone function true.
    fn prime_implicants(&self, function: LetterBdd) -> Result<Vec<Vec<u32>>, GaveUp> {
        match function {
            bdd::FALSE => return Ok(Vec::new()),
            bdd::TRUE => return Ok(vec![Vec::new()]),
            _ => {}
        }
        let var = self.bdds.top(function).unwrap_or_default();
        let (low, high) = self.bdds.branches(function);
        let without = with_stack(|| self.prime_implicants(low))?;
        let with = with_stack(|| self.prime_implicants(high))?;
        let is_new = |set: &Vec<u32>| !without.iter().any(|smaller| smaller.iter().all(|var| set.contains(var)));
        let new: Vec<Vec<u32>> = with.into_iter().filter(is_new).collect();
        let grown = new.into_iter().map(|set| [var].into_iter().chain(set).collect());
        let all: Vec<Vec<u32>> = without.iter().cloned().chain(grown).collect();
        if all.len() > MAX_CHOICES { Err(GaveUp::TooLarge) } else { Ok(all) }
    }

    /// The automaton, with a mark for each promise.
    fn finish(self, edges: Vec<Vec<UnnumberedEdge>>) -> Result<Automaton, GaveUp> {
        let mut promises: Vec<Nf> = edges.iter().flatten().flat_map(|choice| choice.promises.iter().copied()).collect();
        promises.sort_unstable();
        promises.dedup();
        if promises.len() > MAX_MARKS as usize {
            return Err(GaveUp::TooLarge);
        }
        let n_marks = promises.len() as u32;
        let mut states: Vec<AutomatonState> = Vec::with_capacity(edges.len());
        for (choices, form) in edges.into_iter().zip(&self.states) {
            let made = |choice: &UnnumberedEdge| {
                let numbers = choice.promises.iter().map(|promise| promises.partition_point(|other| other < promise));
                numbers.fold(MarkSet::default(), |marks, number| marks.with(MarkSet::one(number as u32)))
            };
            let edge = |choice: UnnumberedEdge| AutomatonEdge {
                guard: choice.guard,
                marks: MarkSet::all(n_marks).without(made(&choice)),
                target: choice.target,
            };
            states.push(AutomatonState { edges: choices.into_iter().map(edge).collect(), last: self.lasts[form] });
        }
        Ok(Automaton { states, initial: 0, n_marks })
    }
}

impl Forms {
    /// A propositional form as a function of its propositions.
    pub(crate) fn function(&self, form: Nf, bdds: &mut LetterBdds) -> LetterBdd {
        with_stack(|| match self.get(form) {
            Form::Literal(var, value) => {
                let function = bdds.var(*var);
                if *value { function } else { bdds.not(function) }
            }
            Form::And(parts) => parts.iter().fold(bdd::TRUE, |all, part| {
                let part = self.function(*part, bdds);
                bdds.and(all, part)
            }),
            Form::Or(parts) => parts.iter().fold(bdd::FALSE, |any, part| {
                let part = self.function(*part, bdds);
                bdds.or(any, part)
            }),
            form => Forms::constant_bdd(*form == Form::Const(true)),
        })
    }

    fn constant_bdd(value: bool) -> LetterBdd {
        if value { bdd::TRUE } else { bdd::FALSE }
    }
}
