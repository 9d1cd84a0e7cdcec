//! Proofs that literals cannot hold together, for whoever bounds variables by induction.

use abridge_blast::{Blast, Lit, SatAnswer, SatSolver};
use abridge_diag::StopFlag;
use abridge_value::BitSet;
use rustc_hash::{FxHashMap, FxHashSet};

/// Decides circuits within a budget.
pub trait Prover {
    /// The positions of those queries that may be satisfiable together with the assumptions; each is a conjunction. Adding positions is
    /// sound, leaving one out that is satisfiable is not. The circuit is left as it was.
    fn satisfiable(&mut self, blast: &mut Blast, assumptions: &[Lit], queries: &[Vec<Lit>]) -> BitSet;

    /// Whether the translation is to end now.
    fn is_over(&self) -> bool {
        false
    }
}

/// Cases that are tried one by one, and the conflicts that are allowed for each of them.
const MAX_CASES: usize = 512;
const MAX_CASE_CONFLICTS: u64 = 100;

/// Literals that are seen while a long list is taken apart.
const MAX_SPLIT: usize = 1 << 24;

/// A SAT solver that gives up on a query after so many conflicts, and on everything when the flag is raised.
pub struct SatProver {
    pub conflicts: u64,
    pub stop: StopFlag,
}

impl Default for SatProver {
    fn default() -> SatProver {
        SatProver { conflicts: 20_000, stop: StopFlag::default() }
    }
}

impl Prover for SatProver {
    fn satisfiable(&mut self, blast: &mut Blast, assumptions: &[Lit], queries: &[Vec<Lit>]) -> BitSet {
        let known = Assumed::new(blast, assumptions);
        let may_hold = |query: &Vec<Lit>| self.stop.is_raised() || self.may_hold(blast, &known, query);
        let positions = queries.iter().map(may_hold).enumerate().filter(|(_, may_hold)| *may_hold);
        positions.map(|(idx, _)| idx).collect()
    }

    fn is_over(&self) -> bool {
        self.stop.is_raised()
    }
}

impl SatProver {
    /// Whether a conjunction may hold. It gets a solver of its own, which knows the part of the assumptions that has to do with it: a solver decides about all that it knows.
    fn may_hold(&self, blast: &Blast, known: &Assumed, query: &[Lit]) -> bool {
        if is_contradiction(blast, query) {
            return false;
        }
        let circuit = &blast.circuit;
        let parts: Vec<Lit> = query.iter().flat_map(|lit| circuit.conjuncts(*lit)).collect();
        let mut clauses = Vec::new();
        for part in parts {
            // A conjunction that is false is false in a part that is not assumed.
            let mut negated = if part.is_negated() { circuit.conjuncts(!part) } else { vec![!part] };
            negated.retain(|lit| !known.conjuncts.contains(lit));
            clauses.push(negated);
        }
        if clauses.iter().any(Vec::is_empty) {
            return false;
        }
        // Of very many things that may be false, each has to do with few assumptions, all together with all of them. Each is seen with the other lists, which may be as long.
        let longest = (0..clauses.len()).max_by_key(|idx| clauses[*idx].len());
        let n_lits: usize = clauses.iter().map(Vec::len).sum();
        let is_split = |cases: &[Lit]| cases.len() > MAX_CASES && cases.len() * (n_lits - cases.len()) <= MAX_SPLIT;
        if let Some(longest) = longest.filter(|idx| is_split(&clauses[*idx])) {
            let parts = std::mem::take(&mut clauses[longest]);
            return parts.into_iter().any(|part| {
                clauses[longest] = vec![part];
                self.stop.is_raised() || self.may_fail(blast, known, &clauses)
            });
        }
        self.may_fail(blast, known, &clauses)
    }

    /// Whether there may be a state in which some literal of each list is false.
    fn may_fail(&self, blast: &Blast, known: &Assumed, clauses: &[Vec<Lit>]) -> bool {
        let circuit = &blast.circuit;
        let mut solver = SatSolver::new(self.conflicts).stopped_by(self.stop.clone());
        for lit in known.about(blast, circuit.inputs_of(clauses.iter().flatten().copied())) {
            solver.require(circuit, lit);
        }
        let longest = (0..clauses.len()).max_by_key(|idx| clauses[*idx].len());
        for (_, clause) in clauses.iter().enumerate().filter(|(idx, _)| Some(*idx) != longest) {
            solver.clause(circuit, &negated(clause));
        }
        let Some(cases) = longest.map(|idx| negated(&clauses[idx])).filter(|cases| cases.len() <= MAX_CASES) else {
            longest.iter().for_each(|idx| solver.clause(circuit, &negated(&clauses[*idx])));
            return solver.solve() != SatAnswer::Unsatisfiable;
        };
        // Most ways in which a long clause could be true are refuted by propagation alone, one at a time.
        let mut answers = cases.iter().map(|case| solver.solve_under(circuit, &[*case], MAX_CASE_CONFLICTS));
        match answers.find(|answer| *answer != SatAnswer::Unsatisfiable) {
            Some(SatAnswer::Satisfiable) => return true,
            None => return false,
            _ => {}
        }
        solver.clause(circuit, &cases);
        solver.solve_under(circuit, &[], self.conflicts) != SatAnswer::Unsatisfiable
    }
}

fn negated(lits: &[Lit]) -> Vec<Lit> {
    lits.iter().map(|lit| !*lit).collect()
}

/// Assumptions, conjunct by conjunct.
struct Assumed {
    conjuncts: FxHashSet<Lit>,
    /// Conjuncts by the inputs that they depend on.
    by_input: FxHashMap<Lit, Vec<Lit>>,
}

impl Assumed {
    fn new(blast: &Blast, assumptions: &[Lit]) -> Assumed {
        let conjuncts: FxHashSet<Lit> = assumptions.iter().flat_map(|lit| blast.circuit.conjuncts(*lit)).collect();
        let mut by_input: FxHashMap<Lit, Vec<Lit>> = FxHashMap::default();
        for conjunct in &conjuncts {
            for input in blast.circuit.inputs_of([*conjunct]) {
                by_input.entry(input).or_default().push(*conjunct);
            }
        }
        Assumed { conjuncts, by_input }
    }

    /// The conjuncts that have to do with some inputs, directly or through others. All others hold in some state, whatever the values of these inputs are.
    fn about(&self, blast: &Blast, inputs: Vec<Lit>) -> Vec<Lit> {
        let mut seen: FxHashSet<Lit> = inputs.iter().copied().collect();
        let (mut open, mut about) = (inputs, FxHashSet::default());
        while let Some(input) = open.pop() {
            for conjunct in self.by_input.get(&input).into_iter().flatten() {
                if about.insert(*conjunct) {
                    open.extend(blast.circuit.inputs_of([*conjunct]).into_iter().filter(|input| seen.insert(*input)));
                }
            }
        }
        let mut about: Vec<Lit> = about.into_iter().collect();
        about.sort_unstable();
        about
    }
}

/// Whether the form of literals shows that they exclude each other.
pub(crate) fn is_contradiction(blast: &Blast, lits: &[Lit]) -> bool {
    let parts: Vec<Lit> = lits.iter().flat_map(|lit| blast.circuit.conjuncts(*lit)).collect();
    parts.contains(&Lit::FALSE) || parts.iter().any(|part| parts.contains(&!*part))
}
