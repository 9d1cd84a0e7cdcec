//! Decides whether literals can hold together in a reachable state.

use abridge_blast::{Answer, Blast, Circuit, Lit, Mark, Solver};
use rustc_hash::FxHashSet;

/// A circuit, and what is known to hold in all reachable states.
pub(crate) struct Theory {
    pub(crate) blast: Blast,
    /// What is built after this is forgotten after each question.
    base: Mark,
    info: Vec<Known>,
    /// Conflicts until the solver gives up; nothing if it is not to be asked.
    conflicts: Option<u64>,
    pub(crate) n_asked: u64,
    /// How much may still be asked, and whether that was too little.
    effort: u64,
    pub(crate) is_exhausted: bool,
    /// A solver that knows what is known, and how often it was asked.
    shared: Option<(u32, Solver)>,
}

/// Questions after which a solver has too much in it that nobody needs any more.
const MOST_QUESTIONS: u32 = 200;

struct Known {
    lit: Lit,
    inputs: Vec<Lit>,
}

/// So many conflicts are as much effort as a question.
const CONFLICTS: u64 = 20;
/// Questions about a circuit of this size count twice.
const LARGE: u64 = 30_000;
/// How often what is known is widened by what shares an input with the question.
const ROUNDS: usize = 3;

impl Theory {
    pub(crate) fn new(blast: Blast, conflicts: Option<u64>, effort: u64) -> Theory {
        let base = blast.circuit.mark();
        Theory { blast, base, info: Vec::new(), conflicts, n_asked: 0, effort, is_exhausted: false, shared: None }
    }

    pub(crate) fn circuit(&mut self) -> &mut Circuit {
        &mut self.blast.circuit
    }

    pub(crate) fn is_semantic(&self) -> bool {
        self.conflicts.is_some()
    }

    /// Says what holds in all reachable states. Leaving something out is sound.
    pub(crate) fn know(&mut self, lits: impl IntoIterator<Item = Lit>) {
        self.info = Vec::new();
        self.shared = None;
        for lit in lits.into_iter().flat_map(|lit| self.blast.circuit.conjuncts(lit)).collect::<Vec<_>>() {
            let inputs = self.blast.circuit.inputs_of([lit]);
            self.info.push(Known { lit, inputs });
        }
    }

    /// Keeps what has been built so far.
    pub(crate) fn keep(&mut self) {
        self.base = self.blast.circuit.mark();
    }

    /// Forgets what has been built for a question.
    pub(crate) fn forget(&mut self) {
        self.blast.circuit.reset(self.base);
        self.shared.iter_mut().for_each(|(_, solver)| solver.forget(self.base.n_gates()));
    }

    /// Whether a further question may be asked.
    fn spend(&mut self) -> bool {
        let cost = 1 + self.blast.circuit.size() as u64 / LARGE;
        self.is_exhausted |= self.effort < cost;
        if self.is_exhausted {
            return false;
        }
        self.effort -= cost;
        self.n_asked += 1;
        true
    }

    /// Conflicts are effort too.
    fn pay(&mut self, conflicts: u64) {
        self.effort = self.effort.saturating_sub(conflicts / CONFLICTS);
    }

    /// Whether the literals surely do not hold together in any reachable state.
    pub(crate) fn refutes(&mut self, lits: &[Lit]) -> bool {
        let parts: Vec<Lit> = lits.iter().flat_map(|lit| self.blast.circuit.conjuncts(*lit)).collect();
        if self.blast.circuit.and_all(parts.iter().copied()) == Lit::FALSE {
            return true;
        }
        let Some(conflicts) = self.conflicts.filter(|_| self.spend()) else { return false };
        let relevant = self.relevant(&parts);
        if relevant.len() * 4 < self.info.len() {
            let mut solver = Solver::new(conflicts);
            parts.iter().chain(&relevant).for_each(|lit| solver.require(&self.blast.circuit, *lit));
            let answer = solver.solve();
            self.pay(conflicts - solver.conflicts_left());
            return answer == Answer::Unsatisfiable;
        }
        let (age, mut solver) = self.shared.take().filter(|(age, _)| *age < MOST_QUESTIONS).unwrap_or_else(|| {
            let mut solver = Solver::new(u64::MAX);
            self.info.iter().for_each(|known| solver.require(&self.blast.circuit, known.lit));
            (0, solver)
        });
        let answer = solver.solve_under(&self.blast.circuit, &parts, conflicts);
        self.pay(conflicts - solver.conflicts_left());
        self.shared = Some((age + 1, solver));
        answer == Answer::Unsatisfiable
    }

    /// A solver for literals together with all that is known about their inputs; nothing without a solver.
    pub(crate) fn solver(&mut self, lits: &[Lit]) -> Option<Solver> {
        let mut solver = Solver::new(self.conflicts.filter(|_| self.spend())?);
        let relevant = self.relevant(lits);
        lits.iter().chain(&relevant).for_each(|lit| solver.require(&self.blast.circuit, *lit));
        Some(solver)
    }

    /// What is known about the inputs of literals, and about the inputs of that.
    fn relevant(&self, lits: &[Lit]) -> Vec<Lit> {
        let mut inputs: FxHashSet<Lit> = self.blast.circuit.inputs_of(lits.iter().copied()).into_iter().collect();
        let mut is_taken = vec![false; self.info.len()];
        for _ in 0..ROUNDS {
            let mut more: Vec<Lit> = Vec::new();
            for (known, is_taken) in self.info.iter().zip(&mut is_taken) {
                if !*is_taken && known.inputs.iter().any(|input| inputs.contains(input)) {
                    *is_taken = true;
                    more.extend(&known.inputs);
                }
            }
            inputs.extend(more);
        }
        self.info.iter().zip(is_taken).filter(|(_, is_taken)| *is_taken).map(|(known, _)| known.lit).collect()
    }
}
