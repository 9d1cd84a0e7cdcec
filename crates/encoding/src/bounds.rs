//! Bounds of variables, proved by induction.
//!
//! A variable gets its symbolic value from the invariant where that says more than its type: `f : PROC --> S` is a function and no
//! matrix. What the invariant says is an assumption first. The initial states must satisfy it, and every action must preserve it while all
//! assumptions hold; a variable that may leave its bound loses it, and everything is translated anew with what is left. An assumption that were
//! kept without proof would exclude reachable states.
//!
//! An integer without bounds may *drift*: it starts within half of a wide range and no step changes it by more than [`MAX_DRIFT`], so that it
//! stays in the range for more steps than a search can take.

use abridge_blast::{Lit, Sym};
use abridge_eval::{State, Val};
use abridge_model::ids::Id as _;
use abridge_model::{IdSet, Model, TypeTable, VarId};
use abridge_value::{Int, Set};

use crate::actions::{Action, Start, Translator};
use crate::gap::{Cause, Gap, Subject};
use crate::prover::{Prover, is_contradiction};
use crate::{Config, Source};

/// A drifting integer is between minus this and this.
pub const DRIFT_RANGE: i64 = 1 << 39;
/// The most by which one step changes a drifting integer.
///
/// It starts within half of the range, so 2^32 steps leave it in the range: as many as a search can take, which counts states with 32 bits.
pub const MAX_DRIFT: i64 = 64;

/// Initial states as they are known while bounds are chosen.
pub(crate) enum Starts {
    Circuit(Start),
    /// All initial states.
    List(Vec<State>),
    Unknown,
}

/// What the rounds before have shown about variables.
#[derive(Default)]
pub(crate) struct Refuted {
    /// They may leave what the invariant says.
    bounds: IdSet<VarId>,
    /// They may also leave what was tried instead, and count as a whole.
    all: IdSet<VarId>,
}

impl Refuted {
    /// Adds what a round has shown.
    pub(crate) fn add(&mut self, variables: Vec<VarId>) {
        for variable in variables {
            if !self.bounds.insert(variable) {
                self.all.insert(variable);
            }
        }
    }
}

/// What an action must preserve about a variable.
enum Bound {
    Within(VarId, Val),
    Drift(VarId),
}

/// What a bound of the invariant is used for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// A function to sets, argument by argument.
    ByArgument,
    Any,
}

/// Variables with their symbolic values.
pub(crate) struct Declared {
    /// True in all reachable states, once the bounds are proved.
    pub(crate) assumptions: Vec<Lit>,
    bounds: Vec<Bound>,
    pub(crate) gaps: Vec<Gap>,
}

/// Chooses symbolic values for variables.
pub(crate) struct Declarer<'d, 't, 's> {
    pub(crate) source: &'d Source<'d>,
    pub(crate) config: &'d Config,
    pub(crate) translator: &'t mut Translator<'s>,
    pub(crate) starts: &'d Starts,
    pub(crate) prover: &'d mut dyn Prover,
    declared: Declared,
}

impl<'d, 't, 's> Declarer<'d, 't, 's> {
    pub(crate) fn new(
        source: &'d Source<'d>,
        config: &'d Config,
        translator: &'t mut Translator<'s>,
        starts: &'d Starts,
        prover: &'d mut dyn Prover,
    ) -> Self {
        let declared = Declared { assumptions: Vec::new(), bounds: Vec::new(), gaps: Vec::new() };
        Declarer { source, config, translator, starts, prover, declared }
    }

    pub(crate) fn declare_all(mut self, refuted: &Refuted) -> Declared {
        let model = self.source.interp.model();
        for variable in self.source.variables.iter().copied() {
            if refuted.all.contains(variable) || !self.declare(variable, refuted.bounds.contains(variable)) {
                self.translator.hide(variable);
                let cause = Cause::of_type(model, model.variables[variable].ty);
                self.declared.gaps.push(Gap { subject: Subject::Variable(variable), cause });
            }
        }
        self.declared
    }

    fn declare(&mut self, variable: VarId, is_refuted: bool) -> bool {
        !is_refuted && self.declare_bound(variable, Form::ByArgument)
            || !is_refuted && self.config.prefers_invariant && self.declare_bound(variable, Form::Any)
            || self.declare_type(variable)
            || !is_refuted && self.declare_bound(variable, Form::Any)
            || self.config.allows_drift && self.declare_drift(variable)
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
                if let Some(condition) = condition
                    && self.has_cells(variable)
                    && self.starts_within(variable, &set)
                {
                    self.declared.assumptions.push(condition);
                    self.declared.bounds.push(Bound::Within(variable, set));
                    return true;
                }
            }
        }
        false
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
        self.declared.bounds.push(Bound::Drift(variable));
        self.declared.gaps.push(Gap { subject: Subject::Variable(variable), cause: Cause::UnboundedInteger });
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
            Starts::Unknown => false,
            Starts::List(states) => {
                let Some(shape) = self.translator.shape(variable) else { return false };
                states.iter().all(|state| {
                    let val = state.variables[variable.index()].as_ref().and_then(Val::as_value);
                    val.is_some_and(|val| shape.bits_of(val, &mut Vec::new()))
                })
            }
            Starts::Circuit(start) => {
                let Some((_, sym)) = start.values.iter().find(|(id, _)| *id == variable) else { return false };
                let Some(inside) = self.translator.member(sym, set) else { return false };
                let query = vec![start.possible, start.defined, !inside];
                let blast = self.translator.blast();
                is_contradiction(blast, &query) || self.prover.satisfiable(blast, &[], &[query]).is_empty()
            }
        }
    }
}

impl Declared {
    /// What must hold for the new values of an action to stay within the bounds; nothing where that has no circuit.
    pub(crate) fn obligations(&self, translator: &mut Translator<'_>, action: &Action) -> Vec<(VarId, Option<Lit>)> {
        let mut obligations = Vec::new();
        for bound in &self.bounds {
            let (Bound::Within(variable, _) | Bound::Drift(variable)) = bound;
            let Some((_, new)) = action.updates.iter().find(|(id, _)| id == variable) else { continue };
            let stays = new.as_ref().and_then(|new| match bound {
                Bound::Within(_, set) => translator.member(new, set),
                Bound::Drift(_) => {
                    let old: Sym = translator.shape(*variable)?.clone();
                    translator.is_near(&old, new, MAX_DRIFT)
                }
            });
            obligations.push((*variable, stays));
        }
        obligations
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
