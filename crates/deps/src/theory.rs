//! Decision procedure for literals of a circuit, relative to known facts about all reachable states.
//!
//! Questions cost effort from one budget of the run; answers are cached under a digest of the question. A wrong answer "cannot hold together" would
//! make dependent steps independent, so every doubt counts as "can".

use abridge_blast::{Blast, Circuit, Lit, SatAnswer, SatSolver, Savepoint};
use abridge_value::BitSet;
use rustc_hash::FxHashSet;

use crate::answers::QuestionDigest;
use crate::dependencies::Resources;

/// Circuit, and literals known to hold in all reachable states.
pub(crate) struct Theory {
    pub(crate) blast: Blast,
    /// Savepoint of the circuit. Gates built later are dropped after each question.
    base: Savepoint,
    info: Vec<KnownLits>,
    /// Conflicts after which the solver gives up; `None` if no solver is used.
    conflicts: Option<u64>,
    pub(crate) n_asked: u64,
    /// The effort ran out before all questions were asked.
    pub(crate) is_exhausted: bool,
    /// Solver with all known literals, and its number of questions so far.
    shared: Option<(u32, SatSolver)>,
    /// Questions on which the solver gave up.
    n_given_up: u64,
    resources: Resources,
    /// Digest of everything that answers depend on, except the known literals.
    digest: QuestionDigest,
    /// Digest of the known literals.
    info_digest: QuestionDigest,
}

/// Kind of a question whose answer is a set of numbers.
#[derive(Clone, Copy)]
pub(crate) enum QuestionKind {
    Unbounded,
    Initial,
    Inductive,
    Impossible,
    Deadlock,
    Enablers,
    Discords,
    Disablers,
    Noticed,
}

/// Questions after which a solver is replaced, since most of its clauses are of no further use.
const MAX_QUESTIONS_PER_SOLVER: u32 = 200;

struct KnownLits {
    lit: Lit,
    inputs: Vec<Lit>,
}

/// Propagated literals per unit of effort.
const PROPAGATIONS_PER_EFFORT: u64 = 2000;
/// Gates and connections of a circuit per additional unit of effort of a question.
const GATES_PER_EFFORT: u64 = 30_000;
/// Rounds in which known literals are added that share an input with the question or with those added before.
const RELEVANCE_ROUNDS: usize = 3;

impl Theory {
    pub(crate) fn new(blast: Blast, conflicts: Option<u64>, resources: Resources) -> Theory {
        let base = blast.circuit.savepoint();
        let mut digest = QuestionDigest::of_version();
        blast.circuit.describe_since(None, &mut |word| digest.add(word));
        Theory {
            blast,
            base,
            info: Vec::new(),
            conflicts,
            n_asked: 0,
            is_exhausted: false,
            shared: None,
            n_given_up: 0,
            resources,
            digest,
            info_digest: QuestionDigest::new(),
        }
    }

    /// Adds data that answers depend on, beside the circuit and the known literals, to the digest.
    pub(crate) fn note(&mut self, words: impl IntoIterator<Item = u32>) {
        self.digest.add_all(words);
    }

    /// Answer to a question, from the cache or by `ask`. `words` identify the question; the answer consists of numbers below `limit`.
    pub(crate) fn remembered(
        &mut self,
        topic: QuestionKind,
        words: impl IntoIterator<Item = u32>,
        limit: usize,
        ask: impl FnOnce(&mut Theory) -> BitSet,
    ) -> BitSet {
        // Without a solver the answer is cheap.
        let Some(conflicts) = self.conflicts else { return ask(self) };
        let mut digest = self.digest;
        digest.add_all([topic as u32]);
        digest.add_all(words);
        digest.add_digest(self.info_digest);
        if let Some(known) = self.resources.answers.get(digest.get(), conflicts, limit) {
            return known;
        }
        let n_given_up = self.n_given_up;
        let answer = ask(self);
        if !self.is_exhausted {
            let given_up = (self.n_given_up > n_given_up).then_some(conflicts);
            self.resources.answers.put(digest.get(), answer.clone(), given_up);
        }
        answer
    }

    pub(crate) fn circuit(&mut self) -> &mut Circuit {
        &mut self.blast.circuit
    }

    pub(crate) fn is_semantic(&self) -> bool {
        self.conflicts.is_some()
    }

    /// Sets the literals known to hold in all reachable states. Omitting some is sound.
    pub(crate) fn know(&mut self, lits: impl IntoIterator<Item = Lit>) {
        self.info = Vec::new();
        self.shared = None;
        self.info_digest = QuestionDigest::new();
        for lit in lits.into_iter().flat_map(|lit| self.blast.circuit.conjuncts(lit)).collect::<Vec<_>>() {
            let inputs = self.blast.circuit.inputs_of([lit]);
            self.info_digest.add(lit.number());
            self.info.push(KnownLits { lit, inputs });
        }
    }

    /// Keeps the gates built so far, as part of the digest.
    pub(crate) fn keep(&mut self) {
        self.blast.circuit.describe_since(Some(self.base), &mut |word| self.digest.add(word));
        self.base = self.blast.circuit.savepoint();
    }

    /// Drops the gates built for a question.
    pub(crate) fn forget(&mut self) {
        self.blast.circuit.reset(self.base);
        self.shared.iter_mut().for_each(|(_, solver)| solver.forget(self.base.n_gates()));
    }

    /// Takes the effort of a question; `false` if it may not be asked.
    fn spend(&mut self) -> bool {
        let cost = 1 + self.blast.circuit.size() as u64 / GATES_PER_EFFORT;
        self.is_exhausted |= self.resources.is_over() || !self.resources.spend(cost);
        if self.is_exhausted {
            return false;
        }
        self.n_asked += 1;
        true
    }

    /// Takes the effort that a solver spent on a question.
    fn pay(&mut self, work: u64) {
        self.resources.spend(work / PROPAGATIONS_PER_EFFORT);
    }

    /// Whether the literals are proved not to hold together in any reachable state.
    pub(crate) fn refutes(&mut self, lits: &[Lit]) -> bool {
        let parts: Vec<Lit> = lits.iter().flat_map(|lit| self.blast.circuit.conjuncts(*lit)).collect();
        if self.blast.circuit.and_all(parts.iter().copied()) == Lit::FALSE {
            return true;
        }
        let Some(conflicts) = self.conflicts.filter(|_| self.spend()) else { return false };
        let relevant = self.relevant(&parts);
        if relevant.len() * 4 < self.info.len() {
            let mut solver = SatSolver::new(conflicts);
            parts.iter().chain(&relevant).for_each(|lit| solver.require(&self.blast.circuit, *lit));
            let answer = solver.solve();
            self.pay(solver.work());
            return self.is_refuted(answer);
        }
        let (age, mut solver) =
            self.shared.take().filter(|(age, _)| *age < MAX_QUESTIONS_PER_SOLVER).unwrap_or_else(|| {
                let mut solver = SatSolver::new(u64::MAX);
                self.info.iter().for_each(|known| solver.require(&self.blast.circuit, known.lit));
                (0, solver)
            });
        let before = solver.work();
        let answer = solver.solve_under(&self.blast.circuit, &parts, conflicts);
        self.pay(solver.work() - before);
        self.shared = Some((age + 1, solver));
        self.is_refuted(answer)
    }

    /// Runs a solver, and counts its work and whether it gave up.
    pub(crate) fn solve(&mut self, solver: &mut SatSolver) -> SatAnswer {
        let before = solver.work();
        let answer = solver.solve();
        self.pay(solver.work() - before);
        self.is_refuted(answer);
        answer
    }

    fn is_refuted(&mut self, answer: SatAnswer) -> bool {
        self.n_given_up += u64::from(answer == SatAnswer::Unknown);
        answer == SatAnswer::Unsatisfiable
    }

    /// Solver for literals and the relevant known literals; `None` if no solver is used or the effort ran out.
    pub(crate) fn solver(&mut self, lits: &[Lit]) -> Option<SatSolver> {
        let mut solver = SatSolver::new(self.conflicts.filter(|_| self.spend())?);
        let relevant = self.relevant(lits);
        lits.iter().chain(&relevant).for_each(|lit| solver.require(&self.blast.circuit, *lit));
        Some(solver)
    }

    /// Known literals that share inputs with the given ones, transitively in a few rounds.
    fn relevant(&self, lits: &[Lit]) -> Vec<Lit> {
        let mut inputs: FxHashSet<Lit> = self.blast.circuit.inputs_of(lits.iter().copied()).into_iter().collect();
        let mut is_taken = vec![false; self.info.len()];
        for _ in 0..RELEVANCE_ROUNDS {
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
