//! SAT solver for circuits: Tseitin translation to conjunctive normal form, decided by a CDCL solver.
//!
//! Gates become clauses on demand. `Unsatisfiable` is a proof. An exhausted budget is `Unknown`, never `Unsatisfiable`.

use abridge_diag::StopFlag;
use batsat::theory::{Theory, TheoryArg};
use batsat::{Callbacks, ClauseKind, Lit as SatLit, Solver as Sat, SolverInterface, SolverOpts, Var, lbool};

use crate::circuit::{Circuit, Gate, Lit};

/// Answer of the solver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SatAnswer {
    Satisfiable,
    Unsatisfiable,
    /// The budget of conflicts is exhausted.
    Unknown,
}

/// Continuation after a solution.
pub enum Next {
    Stop,
    /// Find another solution; this one may recur.
    Another,
    /// Exclude solutions in which none of these literals holds.
    Differing(Vec<Lit>),
}

/// Callback for a solution, given as the values of literals.
pub type SatSolutionFn<'f> = dyn FnMut(&dyn Fn(Lit) -> bool) -> Next + 'f;

/// Incremental solver for a growing list of required literals of one circuit.
pub struct SatSolver {
    sat: Sat<Budget>,
    /// Solver variable of each gate that occurs in a clause.
    vars: Vars,
    is_contradictory: bool,
}

struct Budget {
    conflicts: u64,
    stop: StopFlag,
}

impl Callbacks for Budget {
    fn on_new_clause(&mut self, _: &[SatLit], kind: ClauseKind) {
        if kind == ClauseKind::Learnt {
            self.conflicts = self.conflicts.saturating_sub(1);
        }
    }

    fn stop(&self) -> bool {
        self.conflicts == 0 || self.stop.is_raised()
    }
}

impl SatSolver {
    /// Creates a solver with a budget of conflicts for all its calls together.
    pub fn new(conflicts: u64) -> SatSolver {
        // Learnt clauses are kept for long, since enumeration of solutions runs into the same conflicts again.
        let opts = SolverOpts { learntsize_factor: 1.0, ..SolverOpts::default() };
        let sat = Sat::new(opts, Budget { conflicts, stop: StopFlag::default() });
        SatSolver { sat, vars: Vars::default(), is_contradictory: false }
    }

    /// Makes the solver stop soon after the flag is set.
    #[must_use]
    pub fn stopped_by(mut self, stop: StopFlag) -> SatSolver {
        self.sat.cb_mut().stop = stop;
        self
    }

    /// Requires a literal.
    pub fn require(&mut self, circuit: &Circuit, lit: Lit) {
        // The arguments of a conjunction are required one by one; a disjunction becomes a clause.
        let mut open = vec![lit];
        while let Some(lit) = open.pop() {
            match circuit.gate(lit.gate()) {
                Gate::Constant => self.is_contradictory |= lit == Lit::FALSE,
                Gate::And { start, end } if !lit.is_negated() => open.extend(circuit.args(start, end)),
                Gate::And { start, end } => {
                    let clause: Vec<Lit> = circuit.args(start, end).iter().map(|arg| !*arg).collect();
                    self.clause(circuit, &clause);
                }
                Gate::Input => self.clause(circuit, &[lit]),
            }
        }
    }

    /// Tracks a literal, so that every solution gives it a value.
    pub fn track(&mut self, circuit: &Circuit, lit: Lit) {
        if !lit.is_constant() {
            self.literal(circuit, lit);
        }
    }

    /// Gives an input of a circuit a value to try first, if the solver has not heard of it.
    pub fn prefer(&mut self, circuit: &Circuit, input: Lit, value: bool) {
        if circuit.is_input(input) && self.vars.get(input.gate()).is_none() {
            let var = self.sat.new_var(lbool::new(value), true);
            self.vars.set(input.gate(), var);
        }
    }

    /// Requires at least one of the literals.
    pub fn clause(&mut self, circuit: &Circuit, lits: &[Lit]) {
        if lits.contains(&Lit::TRUE) {
            return;
        }
        let lits = lits.iter().filter(|lit| **lit != Lit::FALSE);
        let mut clause: Vec<SatLit> = lits.map(|lit| self.literal(circuit, *lit)).collect();
        self.add(&mut clause);
    }

    fn add(&mut self, clause: &mut Vec<SatLit>) {
        self.is_contradictory |= !self.sat.add_clause_reuse(clause);
    }

    /// Solver literal of a circuit literal. Adds the clauses that define the gates below it.
    fn literal(&mut self, circuit: &Circuit, lit: Lit) -> SatLit {
        let mut open = vec![lit.gate()];
        while let Some(idx) = open.pop() {
            if self.vars.get(idx).is_some() {
                continue;
            }
            let Gate::And { start, end } = circuit.gate(idx) else {
                self.vars.set(idx, self.sat.new_var_default());
                continue;
            };
            let args = circuit.args(start, end);
            let missing: Vec<usize> =
                args.iter().map(|arg| arg.gate()).filter(|arg| self.vars.get(*arg).is_none()).collect();
            if missing.is_empty() {
                self.define(idx, args);
            } else {
                open.push(idx);
                open.extend(missing);
            }
        }
        self.known(lit)
    }

    fn define(&mut self, idx: usize, args: &[Lit]) {
        let var = self.sat.new_var_default();
        self.vars.set(idx, var);
        let gate = SatLit::new(var, true);
        let mut all = vec![gate];
        for arg in args {
            let arg = self.known(*arg);
            all.push(!arg);
            self.add(&mut vec![!gate, arg]);
        }
        self.add(&mut all);
    }

    fn known(&self, lit: Lit) -> SatLit {
        known(&self.vars, lit)
    }

    pub fn solve(&mut self) -> SatAnswer {
        self.answer(&[])
    }

    /// Enumerates solutions and calls `found` with the values of tracked literals. Returns `Unsatisfiable` after the last solution, `Satisfiable` if
    /// `found` ended the enumeration.
    pub fn each_solution(&mut self, found: &mut SatSolutionFn<'_>) -> SatAnswer {
        if self.is_contradictory {
            return SatAnswer::Unsatisfiable;
        }
        let mut listing = Listing { vars: &self.vars, found, levels: Vec::new(), n_set: 0, has_stopped: false };
        let answer = self.sat.solve_limited_th(&mut listing, &[]);
        if answer == lbool::TRUE && !listing.has_stopped { SatAnswer::Unsatisfiable } else { as_answer(answer) }
    }

    /// Decides satisfiability under assumptions, with a budget of its own.
    pub fn solve_under(&mut self, circuit: &Circuit, lits: &[Lit], conflicts: u64) -> SatAnswer {
        if lits.contains(&Lit::FALSE) {
            return SatAnswer::Unsatisfiable;
        }
        let lits = lits.iter().filter(|lit| !lit.is_constant());
        let assumptions: Vec<SatLit> = lits.map(|lit| self.literal(circuit, *lit)).collect();
        self.sat.cb_mut().conflicts = conflicts;
        self.answer(&assumptions)
    }

    /// Whether an assumption of the last call, which was answered `Unsatisfiable`, has to do with the contradiction.
    pub fn is_to_blame(&self, lit: Lit) -> bool {
        self.vars.get(lit.gate()).is_some_and(|var| self.sat.unsat_core_contains_var(var))
    }

    /// Number of literals propagated so far; a deterministic measure of time.
    pub fn work(&self) -> u64 {
        self.sat.num_propagations()
    }

    /// Forgets all but the first `n_gates` gates, after the circuit has dropped them.
    pub fn forget(&mut self, n_gates: usize) {
        self.vars.truncate(n_gates);
    }

    fn answer(&mut self, assumptions: &[SatLit]) -> SatAnswer {
        if self.is_contradictory {
            return SatAnswer::Unsatisfiable;
        }
        as_answer(self.sat.solve_limited(assumptions))
    }

    /// Value of a literal in the last solution; false if it has no variable.
    pub fn value(&self, lit: Lit) -> bool {
        match self.vars.get(lit.gate()) {
            _ if lit.is_constant() => lit == Lit::TRUE,
            Some(var) => self.sat.value_lit(SatLit::new(var, !lit.is_negated())) == lbool::TRUE,
            None => false,
        }
    }
}

/// Gates per page of [`Vars`].
const PAGE_GATES: usize = 1 << 8;

/// Solver variables of gates. A solver that looks at a small part of a large circuit needs few pages.
#[derive(Default)]
struct Vars {
    pages: Vec<Option<Box<[Option<Var>; PAGE_GATES]>>>,
}

impl Vars {
    fn get(&self, gate: usize) -> Option<Var> {
        self.pages.get(gate / PAGE_GATES)?.as_ref()?[gate % PAGE_GATES]
    }

    fn set(&mut self, gate: usize, var: Var) {
        let page = gate / PAGE_GATES;
        if page >= self.pages.len() {
            self.pages.resize_with(page + 1, || None);
        }
        self.pages[page].get_or_insert_with(|| Box::new([None; PAGE_GATES]))[gate % PAGE_GATES] = Some(var);
    }

    /// Forgets all but the first gates.
    fn truncate(&mut self, n_gates: usize) {
        self.pages.truncate(n_gates.div_ceil(PAGE_GATES));
        if let Some(Some(last)) = self.pages.get_mut(n_gates / PAGE_GATES) {
            last[n_gates % PAGE_GATES..].fill(None);
        }
    }
}

fn as_answer(answer: lbool) -> SatAnswer {
    if answer == lbool::TRUE {
        SatAnswer::Satisfiable
    } else if answer == lbool::FALSE {
        SatAnswer::Unsatisfiable
    } else {
        SatAnswer::Unknown
    }
}

fn known(vars: &Vars, lit: Lit) -> SatLit {
    let var = vars.get(lit.gate()).unwrap_or(Var::UNDEF);
    SatLit::new(var, !lit.is_negated())
}

/// Enumeration of solutions in one run of the solver. Each solution is reported as a conflict, so the search continues from its current position.
///
/// The decisions imply all literals of a solution. So a clause against the decisions is short and excludes exactly this solution. The solver may
/// delete such a clause later; if the solution recurs, the clause is added again.
struct Listing<'f> {
    vars: &'f Vars,
    found: &'f mut SatSolutionFn<'f>,
    /// Position in the trail of the decision of each level.
    levels: Vec<usize>,
    /// Length of the trail at the last callback.
    n_set: usize,
    has_stopped: bool,
}

impl Theory for Listing<'_> {
    fn final_check(&mut self, acts: &mut TheoryArg<'_>) {
        let value = |lit: Lit| match self.vars.get(lit.gate()) {
            _ if lit.is_constant() => lit == Lit::TRUE,
            Some(var) => (acts.value(var) == lbool::TRUE) != lit.is_negated(),
            None => false,
        };
        let trail = acts.model();
        let (clause, is_lasting): (Vec<SatLit>, bool) = match (self.found)(&value) {
            Next::Stop => {
                self.has_stopped = true;
                return;
            }
            Next::Another => (self.levels.iter().map(|level| !trail[*level]).collect(), false),
            Next::Differing(lits) => {
                let settled = &trail[..self.levels.first().copied().unwrap_or(trail.len())];
                let lits = lits.iter().filter(|lit| !lit.is_constant()).map(|lit| known(self.vars, *lit));
                (lits.filter(|lit| !settled.contains(&!*lit)).collect(), true)
            }
        };
        // If there are no decisions, or no literal can differ, there is no other solution.
        if !clause.is_empty() {
            acts.raise_conflict(&clause, is_lasting);
        }
    }

    fn partial_check(&mut self, acts: &mut TheoryArg<'_>) {
        self.n_set = acts.model().len();
    }

    fn create_level(&mut self) {
        self.levels.push(self.n_set);
    }

    fn pop_levels(&mut self, n: usize) {
        self.levels.truncate(self.levels.len() - n);
    }

    fn n_levels(&self) -> usize {
        self.levels.len()
    }

    fn explain_propagation(&mut self, _: SatLit) -> &[SatLit] {
        &[]
    }
}
