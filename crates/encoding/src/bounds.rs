//! Bounds of variables, proved by induction.
//!
//! A variable gets its symbolic value from the invariant where that says more than its type: `f : PROC --> S` is a function and no
//! matrix. What the invariant says is an assumption first. The initial states must satisfy it, and every action must preserve it while all
//! assumptions hold; a variable that may leave its bound loses it, and everything is translated anew with what is left. An assumption that were
//! kept without proof would exclude reachable states.
//!
//! Where the invariant says nothing about an integer, or something that is not so, a range around the constants of the machine is tried: what guards
//! compare with bounds most counters.
//!
//! An integer without bounds may *drift*: it starts within half of a wide range and no step changes it by more than [`MAX_DRIFT`], so that it
//! stays in the range for more steps than a search can take.
//!
//! Who can do without circuits in single states may keep bounds that are not proved: an integer then has a wide range, a sequence a greatest length, and every instance says
//! in which states it leaves them.

use abridge_blast::{CircuitValue, Lit};
use abridge_eval::{State, SymbolicSet, Val};
use abridge_model::ids::Id as _;
use abridge_model::{Arrow, BaseSet, BinaryOp, Model, TypeTable, UnaryOp, VarId};
use abridge_value::{Int, Set};
use rustc_hash::FxHashMap;

use crate::actions::{Action, InitialAction, Translator};
use crate::gap::{Cause, CircuitGap, GapSubject};
use crate::prover::{Prover, is_contradiction};
use crate::source::{EncodingConfig, EncodingSource};

/// A drifting integer is between minus this and this.
pub const DRIFT_RANGE: i64 = 1 << 39;
/// The most by which one step changes a drifting integer.
///
/// It starts within half of the range, so 2^32 steps leave it in the range: as many as a search can take, which counts states with 32 bits.
pub const MAX_DRIFT: i64 = 64;
/// An integer whose bounds are not proved is between about minus twice this and twice this.
const ASSUMED_MAGNITUDE: i64 = 255;
/// Least and greatest element of a set of integers without proved bounds.
const ASSUMED_ELEMENTS: (i64, i64) = (-32, 95);
/// Length of a sequence without proved bounds.
const ASSUMED_LENGTH: i64 = 12;

/// Initial states as they are known while bounds are chosen.
pub(crate) enum KnownStarts {
    Circuit(InitialAction),
    /// All initial states.
    List(Vec<State>),
    Unknown,
}

/// The origin of a bound, from the strongest to the weakest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum BoundOrigin {
    Invariant,
    /// A range around the constants of the machine.
    Constants,
    Drift,
    /// A wide range that nobody proves.
    Assumed,
}

/// What the rounds before have shown about variables: the strongest bound that is not refuted, if there may be one.
#[derive(Default)]
pub(crate) struct Refuted(FxHashMap<VarId, Option<BoundOrigin>>);

impl Refuted {
    fn allows(&self, variable: VarId, origin: BoundOrigin) -> bool {
        self.0.get(&variable).is_none_or(|next| next.is_some_and(|next| next <= origin))
    }

    /// Whether a variable counts as a whole.
    fn is_unbounded(&self, variable: VarId) -> bool {
        self.0.get(&variable).is_some_and(Option::is_none)
    }

    /// Adds what a round has shown: variables that may leave the bounds that were declared.
    pub(crate) fn add(&mut self, variables: Vec<VarId>, declared: &DeclaredVariables) {
        for variable in variables {
            let bound = declared.bounds.iter().find(|bound| bound.variable == variable);
            let next = match bound.map(|bound| bound.origin) {
                Some(BoundOrigin::Invariant) => Some(BoundOrigin::Constants),
                Some(BoundOrigin::Constants) => Some(BoundOrigin::Drift),
                Some(BoundOrigin::Drift) => Some(BoundOrigin::Assumed),
                _ => None,
            };
            self.0.insert(variable, next);
        }
    }
}

/// What an action must preserve about a variable.
struct Bound {
    variable: VarId,
    origin: BoundOrigin,
    /// Nothing for a drift.
    set: Option<Val>,
}

/// What a bound of the invariant is used for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// A function to sets, argument by argument.
    ByArgument,
    Any,
}

/// Variables with their symbolic values.
pub(crate) struct DeclaredVariables {
    /// True in all reachable states, once the bounds are proved.
    pub(crate) assumptions: Vec<Lit>,
    bounds: Vec<Bound>,
    pub(crate) gaps: Vec<CircuitGap>,
}

/// Chooses symbolic values for variables.
pub(crate) struct Declarer<'d, 't, 's> {
    pub(crate) source: &'d EncodingSource<'d>,
    pub(crate) config: &'d EncodingConfig,
    pub(crate) translator: &'t mut Translator<'s>,
    pub(crate) starts: &'d KnownStarts,
    pub(crate) prover: &'d mut dyn Prover,
    declared: DeclaredVariables,
}

impl<'d, 't, 's> Declarer<'d, 't, 's> {
    pub(crate) fn new(
        source: &'d EncodingSource<'d>,
        config: &'d EncodingConfig,
        translator: &'t mut Translator<'s>,
        starts: &'d KnownStarts,
        prover: &'d mut dyn Prover,
    ) -> Self {
        let declared = DeclaredVariables { assumptions: Vec::new(), bounds: Vec::new(), gaps: Vec::new() };
        Declarer { source, config, translator, starts, prover, declared }
    }

    pub(crate) fn declare_all(mut self, refuted: &Refuted) -> DeclaredVariables {
        let model = self.source.interp.model();
        for variable in self.source.variables.iter().copied() {
            if refuted.is_unbounded(variable) || !self.declare(variable, refuted) {
                self.translator.hide(variable);
                let cause = Cause::of_type(model, model.variables[variable].ty);
                self.declared.gaps.push(CircuitGap { subject: GapSubject::Variable(variable), cause });
            }
        }
        self.declared
    }

    fn declare(&mut self, variable: VarId, refuted: &Refuted) -> bool {
        let allows = |origin: BoundOrigin| refuted.allows(variable, origin);
        allows(BoundOrigin::Invariant) && self.declare_bound(variable, Form::ByArgument)
            || allows(BoundOrigin::Invariant)
                && self.config.prefers_invariant
                && self.declare_bound(variable, Form::Any)
            || self.declare_type(variable)
            || allows(BoundOrigin::Invariant) && self.declare_bound(variable, Form::Any)
            || allows(BoundOrigin::Constants) && self.declare_range(variable, BoundOrigin::Constants)
            || allows(BoundOrigin::Drift) && self.config.allows_drift && self.declare_drift(variable)
            || allows(BoundOrigin::Assumed) && self.config.keeps_unproved && self.declare_assumed(variable)
    }

    fn declare_type(&mut self, variable: VarId) -> bool {
        let Some(condition) = self.translator.declare(variable, None).filter(|_| self.has_cells(variable)) else {
            return false;
        };
        self.declared.assumptions.push(condition);
        true
    }

    /// Takes a set that the invariant names, if the initial states allow that.
    fn declare_bound(&mut self, variable: VarId, form: Form) -> bool {
        let model: &Model = self.source.interp.model();
        for pred in model.invariant.iter().map(|conjunct| conjunct.pred) {
            for part in self.translator.conjuncts(pred) {
                let bound = match form {
                    Form::ByArgument => self.translator.function_bound(part),
                    Form::Any => self.translator.bound(part).filter(|(_, set)| !self.translator.is_type(set)),
                };
                let Some((_, set)) = bound.filter(|(bounded, _)| *bounded == variable) else { continue };
                let condition = match form {
                    Form::ByArgument => self.translator.declare_function(variable, &set),
                    Form::Any => self.translator.declare(variable, Some(&set)),
                };
                if self.is_taken(variable, condition, set, BoundOrigin::Invariant) {
                    return true;
                }
            }
        }
        false
    }

    /// Takes a range around the constants of the machine or a wide one: for an integer, or for the values of a function to integers.
    fn declare_range(&mut self, variable: VarId, origin: BoundOrigin) -> bool {
        let model = self.source.interp.model();
        let ty = model.variables[variable].ty;
        let parts: Vec<_> =
            model.invariant.iter().flat_map(|conjunct| self.translator.conjuncts(conjunct.pred)).collect();
        let is_natural =
            |set: &Val| matches!(set.as_sym(), Some(SymbolicSet::Base(BaseSet::Natural | BaseSet::Natural1)));
        if ty == TypeTable::INTEGER {
            let bounds = parts.iter().filter_map(|part| self.translator.bound(*part));
            let is_natural = bounds.into_iter().any(|(bounded, set)| bounded == variable && is_natural(&set));
            let range = self.range(is_natural, origin);
            let condition = self.translator.declare(variable, Some(&range));
            return self.is_taken(variable, condition, range, origin);
        }
        if model.types.relation(ty).is_none_or(|(_, second)| second != TypeTable::INTEGER) {
            return false;
        }
        parts.into_iter().any(|part| {
            let Some((_, set)) = self.translator.bound(part).filter(|(bounded, _)| *bounded == variable) else {
                return false;
            };
            let Some(SymbolicSet::Binary(op @ BinaryOp::Arrow(arrow), from, to)) = set.as_sym() else { return false };
            if !arrow.functional || arrow.surjective {
                return false;
            }
            let set = SymbolicSet::binary(*op, from.clone(), self.range(is_natural(to), origin));
            let condition = self.translator.declare(variable, Some(&set));
            self.is_taken(variable, condition, set, origin)
        })
    }

    /// Takes bounds that are not proved: a wide range, some elements of a set of integers, or a greatest length of a sequence.
    fn declare_assumed(&mut self, variable: VarId) -> bool {
        let model = self.source.interp.model();
        let ty = model.variables[variable].ty;
        let set = match model.types.relation(ty) {
            Some((TypeTable::INTEGER, to)) => {
                let positions = Set::interval(Int::ONE, Int::from(ASSUMED_LENGTH));
                let to = self.translator.type_set(to);
                Some(SymbolicSet::binary(BinaryOp::Arrow(Arrow::PARTIAL), positions.into(), to))
            }
            None if model.types.elem(ty) == Some(TypeTable::INTEGER) => {
                let (lo, hi) = ASSUMED_ELEMENTS;
                Some(SymbolicSet::unary(UnaryOp::Pow, Set::interval(Int::from(lo), Int::from(hi)).into()))
            }
            _ => None,
        };
        let is_declared = set.is_some_and(|set| {
            let condition = self.translator.declare(variable, Some(&set));
            self.is_taken(variable, condition, set, BoundOrigin::Assumed)
        });
        if !is_declared && !self.declare_range(variable, BoundOrigin::Assumed) {
            return false;
        }
        let cause = Cause::of_type(model, ty);
        self.declared.gaps.push(CircuitGap { subject: GapSubject::Variable(variable), cause });
        true
    }

    /// A range around the constants of the machine: a step may go beyond what guards compare with, by as much again. Where nothing is proved, it is wide.
    fn range(&self, is_natural: bool, origin: BoundOrigin) -> Val {
        let least = if origin == BoundOrigin::Assumed { ASSUMED_MAGNITUDE } else { 0 };
        let greatest = self.translator.greatest_integer().clamp(least, DRIFT_RANGE / 4);
        let (lo, hi) = (if is_natural { 0 } else { -2 * greatest - 1 }, 2 * greatest + 1);
        Set::interval(Int::from(lo), Int::from(hi)).into()
    }

    /// Takes a symbolic value that was declared, if it has cells and the initial states are within the bound.
    fn is_taken(&mut self, variable: VarId, condition: Option<Lit>, set: Val, origin: BoundOrigin) -> bool {
        let Some(condition) = condition else { return false };
        if !self.has_cells(variable) || origin != BoundOrigin::Assumed && !self.starts_within(variable, &set) {
            return false;
        }
        self.declared.assumptions.push(condition);
        self.declared.bounds.push(Bound { variable, origin, set: Some(set) });
        true
    }

    /// Lets an integer drift.
    fn declare_drift(&mut self, variable: VarId) -> bool {
        let range = |most: i64| Val::from(Set::interval(Int::from(-most), Int::from(most)));
        if self.source.interp.model().variables[variable].ty != TypeTable::INTEGER
            || self.translator.declare(variable, Some(&range(DRIFT_RANGE / 2))).is_none()
            || !self.starts_within(variable, &range(DRIFT_RANGE / 2))
        {
            return false;
        }
        let Some(condition) = self.translator.declare(variable, Some(&range(DRIFT_RANGE))) else { return false };
        self.declared.assumptions.push(condition);
        self.declared.bounds.push(Bound { variable, origin: BoundOrigin::Drift, set: None });
        self.declared.gaps.push(CircuitGap { subject: GapSubject::Variable(variable), cause: Cause::UnboundedInteger });
        true
    }

    /// Whether the literals of the symbolic value of a variable can be cells: distinct inputs, and not too many.
    fn has_cells(&mut self, variable: VarId) -> bool {
        let mut lits = Vec::new();
        self.translator.shape(variable).into_iter().for_each(|sym| sym.for_each_lit(&mut |lit| lits.push(lit)));
        let n_lits = lits.len();
        lits.retain(|lit| !lit.is_constant());
        let n_inputs = lits.len();
        lits.sort_unstable();
        lits.dedup();
        let circuit = &self.translator.blast().circuit;
        (1..=self.config.max_cells_per_variable).contains(&n_lits)
            && lits.len() == n_inputs
            && lits.iter().all(|lit| circuit.is_input(*lit))
    }

    fn starts_within(&mut self, variable: VarId, set: &Val) -> bool {
        match self.starts {
            KnownStarts::Unknown => false,
            KnownStarts::List(states) => {
                let Some(shape) = self.translator.shape(variable) else { return false };
                states.iter().all(|state| {
                    let val = state.variables[variable.index()].as_ref().and_then(Val::as_value);
                    val.is_some_and(|val| shape.bits_of(val, &mut Vec::new()))
                })
            }
            KnownStarts::Circuit(start) => {
                let Some((_, sym)) = start.values.iter().find(|(id, _)| *id == variable) else { return false };
                let Some(inside) = self.translator.member(sym, set) else { return false };
                let query = vec![start.possible, start.defined, !inside];
                let blast = self.translator.blast();
                is_contradiction(blast, &query) || self.prover.satisfiable(blast, &[], &[query]).is_empty()
            }
        }
    }
}

impl DeclaredVariables {
    /// Whether all bounds are proved.
    pub(crate) fn are_proved(&self) -> bool {
        self.bounds.iter().all(|bound| bound.origin != BoundOrigin::Assumed)
    }

    /// What must hold for the new values of an action to stay within the bounds; nothing where that has no circuit.
    pub(crate) fn obligations(&self, translator: &mut Translator<'_>, action: &Action) -> Vec<(VarId, Option<Lit>)> {
        let mut obligations = Vec::new();
        for bound in self.bounds.iter().filter(|bound| bound.origin != BoundOrigin::Assumed) {
            let Some((_, new)) = action.updates.iter().find(|(id, _)| *id == bound.variable) else { continue };
            let stays = new.as_ref().and_then(|new| match &bound.set {
                Some(set) => translator.member(new, set),
                None => {
                    let old: CircuitValue = translator.shape(bound.variable)?.clone();
                    translator.is_near(&old, new, MAX_DRIFT)
                }
            });
            obligations.push((bound.variable, stays));
        }
        obligations
    }

    /// When the new values of an action leave bounds that are not proved; nothing where that has no circuit.
    pub(crate) fn leaving(&self, translator: &mut Translator<'_>, action: &Action) -> Option<Lit> {
        let mut leaving = Vec::new();
        for bound in self.bounds.iter().filter(|bound| bound.origin == BoundOrigin::Assumed) {
            if let Some((_, Some(new))) = action.updates.iter().find(|(id, _)| *id == bound.variable) {
                leaving.push(!translator.member(new, bound.set.as_ref()?)?);
            }
        }
        Some(translator.blast().circuit.or_all(leaving))
    }

    /// The variables that may leave their bounds; `obligations` are those of actions, each with the condition under which it happens.
    pub(crate) fn refuted(
        &self,
        translator: &mut Translator<'_>,
        obligations: &[(Lit, VarId, Option<Lit>)],
        prover: &mut dyn Prover,
    ) -> Vec<VarId> {
        let query = |(relation, _, stays): &(Lit, VarId, Option<Lit>)| match stays {
            Some(stays) => vec![*relation, !*stays],
            None => vec![*relation],
        };
        let blast = translator.blast();
        let mut queries: Vec<Vec<Lit>> = Vec::new();
        let mut subjects: Vec<VarId> = Vec::new();
        for obligation in obligations {
            let query = query(obligation);
            if !is_contradiction(blast, &query) {
                queries.push(query);
                subjects.push(obligation.1);
            }
        }
        if queries.is_empty() {
            return Vec::new();
        }
        let open = prover.satisfiable(blast, &self.assumptions, &queries);
        let mut variables: Vec<VarId> = open.iter().map(|idx| subjects[idx]).collect();
        variables.sort_unstable();
        variables.dedup();
        variables
    }
}
