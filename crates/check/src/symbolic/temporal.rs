//! Temporal formulas with the symbolic engine, one set-up after the other.
//!
//! A formula holds if it holds for every set-up. What the engine cannot judge, such as atoms that compare a state with the next one, is told as not known, with the reason.

use abridge_eval::{Env, State};
use abridge_model::ModelNode;
use abridge_model_system::{FIRST_OPERATION, ModelSystem};
use abridge_reduce::symmetry::{Auto, Group, Quotient as _};
use abridge_symbolic::{
    BddStop, CtlVerdict, FixpointWatch, Halt, Matching, NoVerdict, ReachedStates, Space, StateAtom, SymbolicFinding,
    Witness,
};
use abridge_system::{Gap, Limit};
use abridge_temporal::{Budget, ExpandedFormula, LinearProperty};

use crate::temporal::atoms::{self, StepPattern};
use crate::temporal::{FormulaTree, PreparedFormula, TemporalReport, TemporalVerdict, first_error};
use crate::trace::{StatePath, Trace, realise};
use crate::{Config, Needs, limit_text, needs};

/// The formulas of a run.
pub(super) struct SymbolicFormulas<'r, S> {
    system: &'r S,
    config: &'r Config,
    /// What is known so far: a formula holds as long as no set-up contradicts it.
    pub(super) reports: Vec<TemporalReport>,
    /// Automata of formulas of linear time, once they were asked for.
    properties: Vec<Option<Option<LinearProperty>>>,
}

/// Whether the engine can judge all formulas.
pub(super) fn are_supported(config: &Config) -> bool {
    config.formulas.formulas.iter().all(|formula| formula.body.is_some()) && !config.stutters
}

/// Whether a premise tells every operation with its arguments from all others, so that no two states are alike.
pub(super) fn tell_apart(config: &Config) -> bool {
    let is_about_every =
        |formula: &PreparedFormula| formula.body.as_ref().is_some_and(|body| body.tree.needs_instances());
    config.formulas.formulas.iter().any(is_about_every)
}

impl<'r, S: ModelSystem> SymbolicFormulas<'r, S> {
    pub(super) fn new(system: &'r S, config: &'r Config) -> Self {
        let open = |formula: &PreparedFormula| {
            let verdict = match formula.body.as_ref().map(|body| &body.tree) {
                None => TemporalVerdict::Error(first_error(&formula.diagnostics)),
                Some(_) if config.stutters => unsupported("paths that stay where nothing is enabled"),
                Some(_) => TemporalVerdict::Holds,
            };
            TemporalReport {
                name: formula.source.name.clone(),
                logic: formula.source.logic,
                formula: formula.source.text.clone(),
                verdict,
                trace: None,
                story: None,
                evidence: None,
                diagnostics: formula.diagnostics.clone(),
            }
        };
        let reports: Vec<TemporalReport> = config.formulas.formulas.iter().map(open).collect();
        let properties = vec![None; reports.len()];
        SymbolicFormulas { system, config, reports, properties }
    }

    /// Formulas that nothing contradicts are not known to hold, for a reason.
    pub(super) fn doubt(&mut self, why: &str) {
        for report in self.reports.iter_mut().filter(|report| report.verdict == TemporalVerdict::Holds) {
            report.verdict = TemporalVerdict::Incomplete(why.to_owned());
        }
    }

    /// Judges the formulas that no set-up has contradicted so far.
    pub(super) fn judge(
        &mut self,
        space: &mut Space<'_>,
        reached: &ReachedStates,
        (setup, constants): (Option<&[u32]>, &State),
        group: &Group,
        watch: &mut FixpointWatch<'_>,
    ) {
        let is_open = |report: &TemporalReport| report.verdict == TemporalVerdict::Holds;
        if !self.reports.iter().any(is_open) {
            return;
        }
        let is_ended = !self.config.find_all && !reached.found.is_empty();
        let is_cut = reached.found.iter().any(|(kind, _)| matches!(kind, SymbolicFinding::IllDefined(_)));
        if reached.halt.is_some() || is_ended {
            return self.doubt("the search ended before all states were visited");
        }
        if let Some(why) = space.missing.first().cloned() {
            return self.doubt(&why);
        }
        if is_cut || space.is_start_ill_defined {
            return self.doubt(&limit_text(Limit::Missing(Gap::Failed)));
        }
        for number in 0..self.reports.len() {
            if !is_open(&self.reports[number]) {
                continue;
            }
            let Some(body) = &self.config.formulas.formulas[number].body else { continue };
            let atoms: Vec<StateAtom> = body.atoms.iter().map(|atom| self.atom(*atom, constants)).collect();
            let answer = match &body.tree {
                FormulaTree::Ctl(branching) => space.judge(reached, branching, &atoms, watch),
                FormulaTree::Ltl(expanded) => match self.property(number, expanded) {
                    Some(property) => space.judge_linear(reached, property, &atoms, watch),
                    None => Err(NoVerdict::Unsupported("formulas whose automaton is too large")),
                },
            };
            let reduced_by = space.is_reduced().then_some(group);
            let (verdict, witness) = match answer {
                Ok(CtlVerdict::Holds) => (TemporalVerdict::Holds, None),
                Ok(CtlVerdict::Violated(witness)) => (TemporalVerdict::Violated, Some(witness)),
                Ok(CtlVerdict::IllDefined(atom, witness)) => {
                    let text = match &body.tree {
                        FormulaTree::Ctl(branching) => branching.formula.atoms.get(atom).to_string(),
                        FormulaTree::Ltl(expanded) => expanded.formula.atoms.get(atom).to_string(),
                    };
                    (TemporalVerdict::IllDefined(text), Some(witness))
                }
                Err(NoVerdict::Unsupported(what)) => (unsupported(what), None),
                Err(NoVerdict::Halt(halt)) => (TemporalVerdict::Incomplete(self.why(&halt)), None),
            };
            let trace = witness.map(|witness| self.trace(setup, &witness, reduced_by));
            let report = &mut self.reports[number];
            (report.verdict, report.trace) = (verdict, trace);
        }
    }

    /// The automaton of a formula of linear time; nothing if it is too large.
    fn property(&mut self, number: usize, expanded: &ExpandedFormula) -> Option<&LinearProperty> {
        let config = self.config;
        let made = self.properties[number].get_or_insert_with(|| {
            let is_stopped = || config.stop.is_raised();
            LinearProperty::new(expanded, &Budget { is_stopped: &is_stopped, ..Budget::default() }).ok()
        });
        made.as_ref()
    }

    /// Why the engine stopped, in words.
    fn why(&self, halt: &Halt) -> String {
        match halt {
            Halt::Stop(BddStop::Nodes) => "node limit of the symbolic engine reached".to_owned(),
            _ => limit_text(self.config.stopped_for.get().copied().unwrap_or(Limit::Interrupted)),
        }
    }

    /// The trace of a witness; real steps, found by the judge.
    fn trace(&self, setup: Option<&[u32]>, witness: &Witness, group: Option<&Group>) -> Trace {
        let words = witness.states.iter().map(|state| self.system.words_of(state, true));
        let states: Vec<Vec<u32>> = setup.map(<[u32]>::to_vec).into_iter().chain(words).collect();
        let path = match group {
            Some(group) => realise(self.system, &states, &mut Auto::new(self.system, group.clone()).judge()),
            None => StatePath { states, ..StatePath::default() },
        };
        let mut trace = Trace::through(self.system, &path);
        let head = witness.loop_start.map(|head| trace.n_setup + head);
        // A loop of orbits need not be one of states.
        let is_closed = |head: &usize| trace.gap.is_none() && path.states.get(*head) == path.states.last();
        trace.loop_start = head.filter(is_closed).map(|head| head + 1);
        trace
    }

    /// An atom of the formulas as the engine knows it.
    fn atom(&self, number: usize, constants: &State) -> StateAtom {
        let matching = |pattern: &StepPattern| self.matching(pattern, constants);
        let counted = |patterns: &[StepPattern], least: usize, most: usize| {
            let matchings: Option<Vec<Matching>> = patterns.iter().map(matching).collect();
            matchings.map_or(StateAtom::Unsupported(ARGUMENTS), |matchings| StateAtom::Number(matchings, least, most))
        };
        match &self.config.formulas.atoms[number] {
            atoms::LoweredAtom::Proposition(number) => StateAtom::Proposition(*number as usize),
            atoms::LoweredAtom::Taken(pattern) => {
                matching(pattern).map_or(StateAtom::Unsupported(ARGUMENTS), StateAtom::Taken)
            }
            atoms::LoweredAtom::Enabled(pattern) => {
                matching(pattern).map_or(StateAtom::Unsupported(ARGUMENTS), StateAtom::Enabled)
            }
            atoms::LoweredAtom::Deadlock => StateAtom::Deadlock,
            atoms::LoweredAtom::NoneOf(patterns) => counted(patterns, 0, 0),
            atoms::LoweredAtom::AtMostOneOf(patterns) => counted(patterns, 0, 1),
            atoms::LoweredAtom::ExactlyOneOf(patterns) => counted(patterns, 1, 1),
            atoms::LoweredAtom::NoOther(pattern) => StateAtom::NoOther((pattern.operation - FIRST_OPERATION) as usize),
            atoms::LoweredAtom::Sink => StateAtom::Sink,
            atoms::LoweredAtom::Error => StateAtom::Unsupported("`error`"),
            atoms::LoweredAtom::DeterministicOutput => StateAtom::Unsupported("`det_output`"),
            atoms::LoweredAtom::Change(..) | atoms::LoweredAtom::BeforeAfter(..) => {
                StateAtom::Unsupported("atoms that compare a state with the next")
            }
        }
    }

    /// Steps with given arguments; nothing if an argument depends on the state, or is no finite value.
    fn matching(&self, pattern: &StepPattern, constants: &State) -> Option<Matching> {
        let mut label = Vec::new();
        for (place, argument) in pattern.arguments.iter().enumerate() {
            let Some(argument) = argument else { continue };
            if needs(self.system.model(), ModelNode::Expr(*argument)) == Needs::Variables {
                return None;
            }
            let val = self.system.ask(|session| session.expr(*argument, &Env::new(constants))).ok()?;
            label.push((place, val.as_value()?.clone()));
        }
        Some(Matching { operation: (pattern.operation - FIRST_OPERATION) as usize, label })
    }
}

const ARGUMENTS: &str = "arguments that depend on the state";

fn unsupported(what: &str) -> TemporalVerdict {
    TemporalVerdict::Incomplete(format!("the symbolic engine does not check {what}"))
}
