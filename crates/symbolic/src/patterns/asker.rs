//! Questions to a solver about states that satisfy facts, of which only those are told that have to do with the question.
//!
//! A machine with 60 processes has thousands of cells, and a solver gives a value to each that it knows. Patterns are about few elements, always the first ones, so the facts about the others
//! need not be known. Cells without a value are as in an initial state: facts that are not told are about such cells alone.

use abridge_blast::{Lit, SatAnswer, SatSolver};
use abridge_diag::StopFlag;
use abridge_encoding::{CellId, Encoding};
use abridge_value::BitSet;
use rustc_hash::{FxHashMap, FxHashSet};

use super::MAX_CONFLICTS;

/// Literals that hold in all states of a kind.
pub(super) struct LiteralFacts {
    list: Vec<Lit>,
    by_input: FxHashMap<Lit, Vec<usize>>,
}

impl LiteralFacts {
    pub(super) fn new(encoding: &Encoding, lits: impl IntoIterator<Item = Lit>) -> LiteralFacts {
        let circuit = &encoding.blast.circuit;
        let list: Vec<Lit> = lits.into_iter().flat_map(|lit| circuit.conjuncts(lit)).collect();
        let mut by_input: FxHashMap<Lit, Vec<usize>> = FxHashMap::default();
        for (idx, fact) in list.iter().enumerate() {
            for input in circuit.inputs_of([*fact]) {
                by_input.entry(input).or_default().push(idx);
            }
        }
        LiteralFacts { list, by_input }
    }
}

/// A solver that knows the facts about the inputs that it has heard of.
pub(super) struct Asker {
    solver: SatSolver,
    is_told: Vec<bool>,
    heard: FxHashSet<Lit>,
}

impl Asker {
    pub(super) fn new(facts: &LiteralFacts, stop: &StopFlag) -> Asker {
        let solver = SatSolver::new(MAX_CONFLICTS).stopped_by(stop.clone());
        Asker { solver, is_told: vec![false; facts.list.len()], heard: FxHashSet::default() }
    }

    /// The facts about the inputs of literals, and about those of these facts, that were not told before. Inputs have the values of a state, unless something speaks against it.
    fn hear(&mut self, encoding: &Encoding, (facts, first): (&LiteralFacts, &BitSet), lits: &[Lit]) -> Vec<usize> {
        let mut new = Vec::new();
        let circuit = &encoding.blast.circuit;
        let mut open = circuit.inputs_of(lits.iter().copied());
        while let Some(input) = open.pop() {
            if !self.heard.insert(input) {
                continue;
            }
            if let Some(cell) = encoding.cells.of_input(input) {
                self.solver.prefer(circuit, input, first.contains(cell.0 as usize));
            }
            for idx in facts.by_input.get(&input).into_iter().flatten() {
                if !std::mem::replace(&mut self.is_told[*idx], true) {
                    new.push(*idx);
                    let inputs = circuit.inputs_of([facts.list[*idx]]);
                    open.extend(inputs.into_iter().filter(|input| !self.heard.contains(input)));
                }
            }
        }
        new.sort_unstable();
        new
    }

    /// Requires the facts that were told since the last time.
    fn tell(&mut self, encoding: &Encoding, knowledge: (&LiteralFacts, &BitSet), lits: &[Lit]) {
        for idx in self.hear(encoding, knowledge, lits) {
            self.solver.require(&encoding.blast.circuit, knowledge.0.list[idx]);
        }
    }

    /// Whether there is a state with all of these literals.
    pub(super) fn ask(&mut self, encoding: &Encoding, knowledge: (&LiteralFacts, &BitSet), lits: &[Lit]) -> SatAnswer {
        self.tell(encoding, knowledge, lits);
        self.solver.solve_under(&encoding.blast.circuit, lits, MAX_CONFLICTS)
    }

    pub(super) fn clause(&mut self, encoding: &Encoding, knowledge: (&LiteralFacts, &BitSet), lits: &[Lit]) {
        self.tell(encoding, knowledge, lits);
        self.solver.clause(&encoding.blast.circuit, lits);
    }

    /// Literals that some cells which the solver has heard of are as in a state.
    pub(super) fn kept(&self, encoding: &Encoding, first: &BitSet, is_meant: &dyn Fn(CellId) -> bool) -> Vec<Lit> {
        let mut kept: Vec<Lit> = Vec::new();
        for input in &self.heard {
            let cell = encoding.cells.of_input(*input).filter(|cell| is_meant(*cell));
            kept.extend(cell.map(|cell| if first.contains(cell.0 as usize) { *input } else { !*input }));
        }
        kept.sort_unstable();
        kept
    }

    pub(super) fn is_to_blame(&self, lit: Lit) -> bool {
        self.solver.is_to_blame(lit)
    }

    pub(super) fn value(&self, lit: Lit) -> bool {
        self.solver.value(lit)
    }

    /// The state of the last solution.
    pub(super) fn state(&self, encoding: &Encoding, first: &BitSet) -> BitSet {
        let is_true = |cell: &usize| match encoding.cells.input(CellId(*cell as u32)) {
            Some(input) if self.heard.contains(&input) => self.solver.value(input),
            _ => first.contains(*cell),
        };
        (0..encoding.cells.len()).filter(is_true).collect()
    }
}
