//! SAT search for the nodes of a search that have many candidates.
//!
//! The remaining constraints of a node become circuits, and a SAT solver enumerates the solutions. Each is checked like any other solution. A short
//! search (probe) comes first: it settles most problems, and a problem with very many solutions is better searched to the end.

use std::ops::ControlFlow;

use abridge_blast::{CircuitValue, Lit, Next, SatAnswer, SatSolver};
use abridge_eval::{
    Constraint, ConstraintKind, Cost, Error, OpenUnknowns, Operand, Relation, Result, Size, SolutionFn, SymbolicSet,
    Unknown, Val,
};
use abridge_model::{Arrow, BinaryOp, Expr, TypeTable, UnaryOp};
use abridge_value::{Int, Set, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use super::choose::SolverBranch;
use super::linear::{BoundKey, Bounds};
use super::{GO_ON, Repetition, SearchNode, SolutionSearch};
use crate::encode::{self, CircuitEncoder, CircuitResult, NoCircuit, TruthPair};

/// Attempts at a circuit in one search: an unknown without bounds may get them further down.
pub(super) const MAX_CIRCUIT_ATTEMPTS: u32 = 3;
/// Solutions of the probe beyond which one SAT call per solution is too slow.
const MAX_QUESTIONED_SOLUTIONS: usize = 200;
/// Largest number of candidates of an unknown that is enumerated to make circuits simpler.
const MAX_SHAPING_COST: Cost = Cost::candidates(12.0);
/// Largest number of candidates of a single unknown that are enumerated without a circuit.
const MAX_LISTED_COST: Cost = Cost::candidates(4096.0);
/// Steps that one SAT call counts as.
const STEPS_PER_QUESTION: u64 = 200;
/// Solutions in a row that are symmetric to known ones after which the search is asked again: it leaves symmetric nodes out, and SAT does not.
const MAX_REPEATED_CLASSES: u32 = 1_000;
/// Probes in the time of which the search may answer then.
const PROBES_OF_SECOND_SEARCH: u64 = 64;

/// The end of a search of limited length.
enum LimitedSearch {
    Whole(ControlFlow<()>),
    /// Too many nodes, or a set that could not be listed, after so many solutions.
    Open(usize, Option<Error>),
}

/// The end of a list of solutions by circuits.
enum CircuitListing {
    Whole(ControlFlow<()>),
    /// Too many conflicts.
    GaveUp,
    /// Many solutions in a row were symmetric to known ones.
    Repeats,
}

impl SolutionSearch<'_> {
    /// Whether a node is worth a circuit: there are many candidates for the next branching or for all unknowns together.
    pub(super) fn is_hard(&self, cost: Cost, node: &SearchNode) -> bool {
        let hard = self.session.config().hard;
        // The candidates of a single unknown are evaluated one by one faster than a circuit decides them all at once.
        let most = MAX_LISTED_COST.min(Cost::from(self.session.config().probe));
        let is_listed = node.open.len() == 1 && cost <= most;
        cost > Cost::ONE
            && !is_listed
            && self.circuits_left.get() > 0
            && !self.session.is_probing()
            && (cost >= Cost::from(hard) || self.combinations(node) >= hard)
            && self.is_encodable(node)
    }

    /// Whether a branching binds an unknown with few values on which the sets of others depend, as `n` in `f : 1..n --> S`. Circuits are much simpler
    /// once `n` is known.
    pub(super) fn shapes_others(&self, cost: Cost, step: &SolverBranch, node: &SearchNode) -> bool {
        let unknown = match step {
            SolverBranch::Values { unknown, .. } => Some(*unknown),
            SolverBranch::Elements { pattern, .. } => self.as_unknown(pattern, node),
            _ => None,
        };
        let Some(unknown) = unknown.filter(|_| cost <= MAX_SHAPING_COST) else { return false };
        node.constraints.iter().any(|constraint| match &constraint.kind {
            ConstraintKind::Relation(Relation::Member | Relation::Subset, left, right) => {
                self.as_unknown(left, node).is_some_and(|other| other != unknown)
                    && unknown.is_in(&right.names(self.session))
            }
            _ => false,
        })
    }

    /// Estimated number of combinations of values of the unknowns.
    fn combinations(&self, node: &SearchNode) -> u64 {
        let model = self.session.model();
        let mut by_set: FxHashMap<Unknown, u64> = FxHashMap::default();
        for constraint in &node.constraints {
            if let ConstraintKind::Relation(Relation::Member, left, Operand::Known(set)) = &constraint.kind
                && let Some(unknown) = self.as_unknown(left, node)
            {
                let least = by_set.entry(unknown).or_insert(u64::MAX);
                *least = self.rank(set).min(*least);
            }
        }
        let of = |unknown: &Unknown| {
            let by_type = self.rank(&self.session.type_set(unknown.ty(model)));
            by_set.get(unknown).map_or(by_type, |by_set| by_type.min(*by_set))
        };
        node.open.iter().map(of).fold(1, u64::saturating_mul)
    }

    /// Solves a node that may be hard: by a probe, then by a circuit, then by the ordinary search.
    pub(super) fn hard(
        &self,
        step: SolverBranch,
        mut node: SearchNode,
        found: &mut SolutionFn<'_>,
    ) -> Result<ControlFlow<()>> {
        let after = node.repetition.max(Repetition::AfterAbandoned);
        if let SolverBranch::LastResort = step {
            node.repetition = Repetition::Always;
            return match self.by_circuit_or_sieve(&node, found) {
                Ok(Some(flow)) => Ok(flow),
                Ok(None) | Err(NoCircuit::Unsupported(_)) => {
                    self.circuits_left.set(self.circuits_left.get() - 1);
                    node.repetition = after;
                    self.branch(step, node, found)
                }
                Err(NoCircuit::Fatal(error)) => Err(error),
            };
        }
        let (n_met, error) = match self.search_for(self.session.config().probe, step, &node, found)? {
            LimitedSearch::Whole(flow) => return Ok(flow),
            LimitedSearch::Open(n_met, error) => (n_met, error),
        };
        node.repetition = Repetition::Always;
        if n_met <= MAX_QUESTIONED_SOLUTIONS {
            match self.by_circuit_or_sieve(&node, found) {
                Ok(Some(flow)) => return Ok(flow),
                Ok(None) | Err(NoCircuit::Unsupported(_)) => {}
                Err(NoCircuit::Fatal(error)) => return Err(error),
            }
        }
        self.circuits_left.set(self.circuits_left.get() - 1);
        if let Some(error) = error {
            return Err(error);
        }
        node.repetition = after;
        match self.choose(&mut node)? {
            Some((_, step)) => self.branch(step, node, found),
            None => GO_ON,
        }
    }

    /// Searches below a node for some steps. Solutions that are found are not found again.
    fn search_for(
        &self,
        steps: u64,
        step: SolverBranch,
        node: &SearchNode,
        found: &mut SolutionFn<'_>,
    ) -> Result<LimitedSearch> {
        let session = self.session;
        let mut met = Vec::new();
        let mut noted = |env: &abridge_eval::Env| {
            met.push(self.values_of_unknowns(env));
            session.outside_probe(|| found(env))
        };
        let cuts = self.cuts.borrow().clone();
        let forms = self.classes.map(|_| self.forms.borrow().clone());
        let error = match session.probe(steps, || self.branch(step, node.clone(), &mut noted)) {
            Some(Ok(flow)) => return Ok(LimitedSearch::Whole(flow)),
            Some(Err(error)) if !error.is_expansion() => return Err(error),
            probed => probed.and_then(Result::err),
        };
        self.cuts.replace(cuts);
        // The probe did not exhaust the nodes that it visited, so they are forgotten.
        if let Some(forms) = forms {
            self.forms.replace(forms);
        }
        let n_met = met.len();
        self.seen.borrow_mut().extend(met);
        Ok(LimitedSearch::Open(n_met, error))
    }

    /// Enumerates all solutions by a SAT solver or, where most of them are symmetric to one another, by the search, which leaves symmetric nodes out; `None` if both gave up.
    fn by_circuit_or_sieve(
        &self,
        node: &SearchNode,
        found: &mut SolutionFn<'_>,
    ) -> CircuitResult<Option<ControlFlow<()>>> {
        let max_repeated = if self.is_sieved(node) { MAX_REPEATED_CLASSES } else { u32::MAX };
        match self.by_circuit(node, max_repeated, found)? {
            CircuitListing::Whole(flow) => return Ok(Some(flow)),
            CircuitListing::GaveUp => return Ok(None),
            CircuitListing::Repeats => {}
        }
        let mut next = node.clone();
        if let Some((_, step)) = self.choose(&mut next).map_err(NoCircuit::Fatal)? {
            let steps = self.session.config().probe.saturating_mul(PROBES_OF_SECOND_SEARCH);
            if let LimitedSearch::Whole(flow) = self.search_for(steps, step, &next, found).map_err(NoCircuit::Fatal)? {
                return Ok(Some(flow));
            }
        }
        match self.by_circuit(node, u32::MAX, found)? {
            CircuitListing::Whole(flow) => Ok(Some(flow)),
            CircuitListing::GaveUp | CircuitListing::Repeats => Ok(None),
        }
    }

    /// Whether ill-definedness counts as false in all constraints. Circuits cannot report it.
    pub(super) fn is_encodable(&self, node: &SearchNode) -> bool {
        let is_lenient = |constraint: &Constraint| !constraint.strict && constraint.is_searched;
        self.session.config().ill_defined_search_is_false
            && node.error.is_none()
            && node.constraints.iter().all(is_lenient)
    }

    /// Enumerates solutions by a SAT solver, until so many in a row are symmetric to known ones.
    ///
    /// A constraint without a circuit is omitted, since every solution is checked against all constraints.
    fn by_circuit(
        &self,
        node: &SearchNode,
        max_repeated: u32,
        found: &mut SolutionFn<'_>,
    ) -> CircuitResult<CircuitListing> {
        let mut encoder = CircuitEncoder::new(self.session);
        let DeclaredUnknowns { conditions: mut required, free, left_out: unbounded } =
            self.declare_all(&mut encoder, node)?;
        if !unbounded.is_empty() {
            return Err(NoCircuit::Unsupported("an unknown without bounds"));
        }
        let mut left_out = 0;
        for constraint in &node.constraints {
            match encoder.constraint(constraint, node) {
                Ok(truth) => required.push(truth.holds),
                Err(NoCircuit::Unsupported(_)) => left_out += 1,
                Err(stop) => return Err(stop),
            }
        }
        if left_out * 2 > node.constraints.len() {
            return Err(NoCircuit::Unsupported("most constraints"));
        }
        let mut solver = SatSolver::new(self.session.config().conflicts).stopped_by(self.session.stop());
        for lit in required {
            solver.require(&encoder.blast.circuit, lit);
        }
        let symbols: Vec<(Unknown, CircuitValue)> =
            node.open.iter().filter_map(|open| Some((*open, encoder.symbol(*open)?.clone()))).collect();
        for (_, sym) in &symbols {
            sym.for_each_lit(&mut |lit| solver.track(&encoder.blast.circuit, lit));
        }
        let mut met = FxHashSet::default();
        let mut flow: Result<ControlFlow<()>> = GO_ON;
        let (mut n_repeated, mut n_classes) = (0, self.n_found_classes());
        let answer = solver.each_solution(&mut |value| {
            let mut next = node.clone();
            next.open = OpenUnknowns::default();
            next.is_forced = false;
            let decoded: Vec<Option<Value>> = symbols.iter().map(|(_, sym)| sym.decode(value)).collect();
            for ((unknown, _), val) in symbols.iter().zip(&decoded) {
                if let Some(val) = val {
                    next.env = unknown.bind(&next.env, val.clone().into());
                }
            }
            let is_complete = decoded.iter().all(Option::is_some);
            if !is_complete || !met.insert(decoded) {
                let mut different = Vec::new();
                let free = symbols.iter().filter(|(unknown, _)| free.contains(unknown));
                free.for_each(|(_, sym)| sym.distinguish(value, &mut different));
                return Next::Differing(different);
            }
            flow = self.session.ticks(STEPS_PER_QUESTION).and_then(|()| self.run(next, found));
            let before = std::mem::replace(&mut n_classes, self.n_found_classes());
            n_repeated = if n_classes == before { n_repeated + 1 } else { 0 };
            let goes_on = matches!(flow, Ok(ControlFlow::Continue(()))) && n_repeated < max_repeated;
            if goes_on { Next::Another } else { Next::Stop }
        });
        match (answer, flow.map_err(NoCircuit::Fatal)?) {
            (SatAnswer::Unknown, _) => Ok(CircuitListing::GaveUp),
            (SatAnswer::Unsatisfiable, flow) => {
                self.session.count_circuit();
                Ok(CircuitListing::Whole(flow))
            }
            (SatAnswer::Satisfiable, ControlFlow::Continue(())) => Ok(CircuitListing::Repeats),
            (SatAnswer::Satisfiable, flow) => Ok(CircuitListing::Whole(flow)),
        }
    }

    /// Declares a circuit value for every open unknown that has one.
    pub(super) fn declare_all(
        &self,
        encoder: &mut CircuitEncoder<'_>,
        node: &SearchNode,
    ) -> CircuitResult<DeclaredUnknowns> {
        let bounds = match self.infer_bounds(node) {
            Ok(Some(bounds)) => bounds,
            Ok(None) => return Ok(DeclaredUnknowns { conditions: vec![Lit::FALSE], ..DeclaredUnknowns::default() }),
            Err(error) => return Err(NoCircuit::Fatal(error)),
        };
        let defining = DefiningConstraints::of(self, node);
        let mut open = node.open.clone();
        let mut declared = DeclaredUnknowns::default();
        // An unknown defined by an equation waits for the unknowns on the other side, unless all wait for each other.
        let mut patient = true;
        while !open.is_empty() {
            let before = open.len();
            let round = open.to_vec();
            for unknown in round {
                let found = match self.by_equation(encoder, unknown, &open, (node, &defining))? {
                    Equation::Defined(sym, defined) => Some((sym, defined)),
                    Equation::Pending if patient => None,
                    _ => {
                        let found = self.by_membership(encoder, unknown, &open, &bounds, (node, &defining))?;
                        declared.free.extend(found.as_ref().map(|_| unknown));
                        found
                    }
                };
                if let Some((sym, condition)) = found {
                    encoder.declare(unknown, sym);
                    declared.conditions.push(condition);
                    open.remove(unknown);
                }
            }
            if open.len() == before {
                if !patient {
                    declared.left_out = open.to_vec();
                    break;
                }
                patient = false;
            } else {
                patient = true;
            }
        }
        Ok(declared)
    }

    fn by_equation(
        &self,
        encoder: &mut CircuitEncoder<'_>,
        unknown: Unknown,
        open: &OpenUnknowns,
        (node, defining): (&SearchNode, &DefiningConstraints<'_>),
    ) -> CircuitResult<Equation> {
        let mut answer = Equation::None;
        for constraint in defining.equations.get(&unknown).into_iter().flatten() {
            let ConstraintKind::Relation(Relation::Equal, left, right) = &constraint.kind else { continue };
            for (one, other) in [(left, right), (right, left)] {
                if self.as_unknown(one, node) != Some(unknown) {
                    continue;
                }
                if !other.is_ready(self.session, open) {
                    answer = Equation::Pending;
                    continue;
                }
                match encoder.term(other, node) {
                    Ok(encode::CircuitTerm { kind: encode::TermKind::Circuit(sym), defined }) => {
                        return Ok(Equation::Defined(sym, defined));
                    }
                    Ok(_) | Err(NoCircuit::Unsupported(_)) => {}
                    Err(stop) => return Err(stop),
                }
            }
        }
        Ok(answer)
    }

    /// Circuit value for an unknown, from the smallest set that a constraint or the type gives.
    fn by_membership(
        &self,
        encoder: &mut CircuitEncoder<'_>,
        unknown: Unknown,
        open: &OpenUnknowns,
        bounds: &Bounds,
        (node, defining): (&SearchNode, &DefiningConstraints<'_>),
    ) -> CircuitResult<Option<(CircuitValue, Lit)>> {
        let model = self.session.model();
        if unknown.ty(model) == TypeTable::INTEGER {
            let range = bounds.get(&BoundKey::Value(unknown));
            if let (Some(lo), Some(hi)) = (&range.lo, &range.hi)
                && let (Some(lo), Some(hi)) = (lo.to_i64(), hi.to_i64())
            {
                return Ok(Some(encoder.blast.fresh_int(lo, hi)?));
            }
        }
        let mut sets: Vec<(u64, Val)> = Vec::new();
        // The minimum and the maximum of a set bound its elements.
        let (least, greatest) = (bounds.get(&BoundKey::Least(unknown)), bounds.get(&BoundKey::Greatest(unknown)));
        if let (Some(lo), Some(hi)) = (least.lo, greatest.hi) {
            let set = SymbolicSet::unary(UnaryOp::Pow, Set::interval(lo, hi).into());
            sets.push((self.rank(&set), set));
        }
        for constraint in defining.inclusions.get(&unknown).into_iter().flatten() {
            let ConstraintKind::Relation(relation @ (Relation::Member | Relation::Subset), _, right) = &constraint.kind
            else {
                continue;
            };
            if !right.is_ready(self.session, open) {
                continue;
            }
            if let Some(set) = self.upper_bound(encoder, right, node)? {
                let set = if *relation == Relation::Subset { SymbolicSet::unary(UnaryOp::Pow, set) } else { set };
                sets.push((self.rank(&set), set));
            }
        }
        sets.sort_by_key(|(rank, _)| *rank);
        sets.push((0, self.session.type_set(unknown.ty(model))));
        for (_, set) in &sets {
            let fresh = match (self.sequence_base(unknown, set, bounds), function_sets(set)) {
                (Some((base, max_len)), _) => encoder.fresh_sequence(&base, max_len, &node.env),
                (None, Some((arrow, from, to))) if bounds.points(unknown).next().is_some() => {
                    let ranges: Vec<(&Value, (Int, Int))> = bounds
                        .points(unknown)
                        .filter_map(|(point, range)| Some((point, (range.lo.clone()?, range.hi.clone()?))))
                        .collect();
                    encoder.fresh_bounded(arrow, from, to, &ranges, &node.env)
                }
                _ => encoder.fresh(set, &node.env),
            };
            match fresh {
                Ok(found) => return Ok(Some(found)),
                Err(NoCircuit::Unsupported(_)) => {}
                Err(stop) => return Err(stop),
            }
        }
        Ok(None)
    }

    fn rank(&self, set: &Val) -> u64 {
        match self.session.size(set) {
            Size::AtMost(bound) => bound,
            _ => u64::MAX,
        }
    }

    /// `seq(S)` with a bound on the length.
    fn sequence_base(&self, unknown: Unknown, set: &Val, bounds: &Bounds) -> Option<(Val, u64)> {
        let Some(SymbolicSet::Unary(UnaryOp::Seq | UnaryOp::Seq1, base)) = set.as_sym() else { return None };
        Some((base.clone(), bounds.get(&BoundKey::Size(unknown)).hi?.to_u64()?))
    }

    /// Known superset of a set-valued term.
    fn upper_bound(
        &self,
        encoder: &mut CircuitEncoder<'_>,
        set: &Operand,
        node: &SearchNode,
    ) -> CircuitResult<Option<Val>> {
        if set.is_ready(self.session, &node.open) {
            return Ok(set.eval(self.session, &node.env).ok());
        }
        let Operand::Expr(id) = set else { return Ok(None) };
        let part = |encoder: &mut CircuitEncoder<'_>, id| self.upper_bound(encoder, &Operand::Expr(id), node);
        match self.session.model().expr(*id) {
            Expr::Unary(op @ (UnaryOp::Pow | UnaryOp::Fin | UnaryOp::Pow1 | UnaryOp::Fin1 | UnaryOp::Iseq), base) => {
                let op = if *op == UnaryOp::Iseq { UnaryOp::Iseq } else { UnaryOp::Pow };
                Ok(part(encoder, *base)?.map(|base| SymbolicSet::unary(op, base)))
            }
            Expr::Binary(BinaryOp::Arrow(arrow), from, to) => {
                let (Some(from), Some(to)) = (part(encoder, *from)?, part(encoder, *to)?) else { return Ok(None) };
                // For larger domains and ranges, only functionality and injectivity remain true.
                let arrow = Arrow { total: false, surjective: false, ..*arrow };
                Ok(Some(SymbolicSet::binary(BinaryOp::Arrow(arrow), from, to)))
            }
            Expr::Binary(BinaryOp::Cartesian, left, right) => {
                let (Some(left), Some(right)) = (part(encoder, *left)?, part(encoder, *right)?) else {
                    return Ok(None);
                };
                Ok(Some(self.session.cartesian(&left, &right)))
            }
            _ => {
                let sym = match encoder.term(set, node) {
                    Ok(encode::CircuitTerm { kind: encode::TermKind::Circuit(sym), .. }) => sym,
                    Ok(_) | Err(NoCircuit::Unsupported(_)) => return Ok(None),
                    Err(stop) => return Err(stop),
                };
                let members = encoder.blast.members(&sym).ok();
                Ok(members.map(|members| members.items.into_iter().map(|(item, _)| item).collect::<Set>().into()))
            }
        }
    }
}

/// Arrow, domain and range of a set of functions.
fn function_sets(set: &Val) -> Option<(Arrow, &Val, &Val)> {
    match set.as_sym() {
        Some(SymbolicSet::Binary(BinaryOp::Arrow(arrow), from, to)) if arrow.functional => Some((*arrow, from, to)),
        _ => None,
    }
}

/// Result of declaring circuit values for unknowns.
#[derive(Default)]
pub(super) struct DeclaredUnknowns {
    /// Conditions on the values.
    pub(super) conditions: Vec<Lit>,
    /// Unknowns that the others do not determine.
    free: Vec<Unknown>,
    /// Unknowns without circuit value: nothing bounds them, or they are too large.
    pub(super) left_out: Vec<Unknown>,
}

/// Constraints of a node that may give an unknown its circuit value, in the order of the node.
#[derive(Default)]
struct DefiningConstraints<'n> {
    /// Equations with the unknown on one side.
    equations: FxHashMap<Unknown, Vec<&'n Constraint>>,
    /// Memberships and inclusions with the unknown on the left.
    inclusions: FxHashMap<Unknown, Vec<&'n Constraint>>,
}

impl<'n> DefiningConstraints<'n> {
    fn of(search: &SolutionSearch<'_>, node: &'n SearchNode) -> Self {
        let mut defining = DefiningConstraints::default();
        for constraint in &node.constraints {
            let ConstraintKind::Relation(relation, left, right) = &constraint.kind else { continue };
            let (left, right) = (search.as_unknown(left, node), search.as_unknown(right, node));
            match relation {
                Relation::Equal => {
                    let other = right.filter(|_| left != right);
                    for unknown in left.into_iter().chain(other) {
                        defining.equations.entry(unknown).or_default().push(constraint);
                    }
                }
                Relation::Member | Relation::Subset => {
                    left.into_iter().for_each(|left| defining.inclusions.entry(left).or_default().push(constraint));
                }
                _ => {}
            }
        }
        defining
    }
}

/// Circuit value of an unknown from an equation.
enum Equation {
    None,
    /// The other side has unknowns without circuit value.
    Pending,
    Defined(CircuitValue, Lit),
}

impl CircuitEncoder<'_> {
    fn term(&mut self, term: &Operand, node: &SearchNode) -> CircuitResult<encode::CircuitTerm> {
        match term {
            Operand::Expr(id) => self.expr(*id, &node.env),
            Operand::Local(id) => self.local(*id, &node.env),
            Operand::Known(val) => Ok(encode::CircuitTerm::known(val.clone())),
        }
    }

    pub(super) fn constraint(&mut self, constraint: &Constraint, node: &SearchNode) -> CircuitResult<TruthPair> {
        let env = &node.env;
        match &constraint.kind {
            ConstraintKind::Holds(pred) => self.pred(*pred, env),
            ConstraintKind::Fails(pred) => Ok(self.pred(*pred, env)?.negated()),
            ConstraintKind::Relation(relation, left, right) => {
                let left = self.term(left, node)?;
                let truth = match relation {
                    Relation::Member | Relation::NotMember | Relation::Subset => {
                        let set = match right {
                            Operand::Expr(id) => encode::SetArg::Expr(*id),
                            Operand::Known(val) => encode::SetArg::Val(val.clone()),
                            Operand::Local(_) => return Err(NoCircuit::Unsupported("a set")),
                        };
                        match relation {
                            Relation::Member => self.in_set(&left, &set, env)?,
                            Relation::NotMember => self.in_set(&left, &set, env)?.negated(),
                            _ => self.within(&left, &set, env)?,
                        }
                    }
                    Relation::Equal | Relation::NotEqual | Relation::Less | Relation::LessEqual => {
                        let right = self.term(right, node)?;
                        let holds = match relation {
                            Relation::Equal => self.same(&left, &right, env)?,
                            Relation::NotEqual => !self.same(&left, &right, env)?,
                            Relation::Less => self.less(&left, &right, env)?,
                            _ => !self.less(&right, &left, env)?,
                        };
                        self.decided(&[&right], holds)
                    }
                };
                Ok(self.guarded(left.defined, truth))
            }
        }
    }
}
