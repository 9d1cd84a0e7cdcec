//! Checks with reductions that the machine defines: proofs and tests first, then the search, then what the two together are worth.
//!
//! `Holds` needs a proof for every reduction or a complete exhaustive comparison; anything less ends in `Incomplete`, whatever the search says. A refuted reduction is not
//! searched with. A violation counts if the judge finds its trace among the steps of the machine itself.

use std::ops::ControlFlow;

use abridge_diag::with_stack;
use abridge_eval::State;
use abridge_explicit::{SystemConfig, judge};
use abridge_model::{Logic, Model, ModelNode, OpId, ReductionDef, ReductionKind, SetId, Steering};
use abridge_model_system::ModelSystem;
use abridge_reduce::canonizer::{
    Canonized, CanonizerStrategy, ChosenReduction, PartKind, PartSample, PlannedReduction, ReductionPlan,
    ReductionProof, Refutation, Sampled, ToldApart, Trouble, TroubleKind, accompany, compare_all, prove, sample,
};
use abridge_reduce::symmetry::{Auto, Method, Quotient, Symmetry, ValueStates as _, symmetry_of};
use abridge_reduce::{Selected, SelectionTally};
use abridge_search::Strategy as SearchStrategy;
use abridge_system::{AnySystem, FindingKind, Limit, Origin, Properties, Steps, Worker as _};

use crate::explorer::Explorer;
use crate::por::{PorMode, PorTrial};
use crate::report::{Report, Verdict, Violation};
use crate::stack::EvaluatedSystem;
use crate::symbolic::{self, Engine};
use crate::temporal::TemporalVerdict;
use crate::{Config, Control, asked, por, reduced, search_config, stack, summarise};

/// States on which a reduction without a proof is tested.
const SAMPLE_STATES: usize = 300;
/// States of an exhaustive comparison at most.
const MAX_COMPARED_STATES: usize = 500_000;
/// States of the machine that are searched for a violation that is not found again.
const MAX_NEAR_STATES: u64 = 100_000;
/// The strategy of reductions that are left to symmetry reduction.
const SYMMETRY: &str = "symmetry";
/// Valuations of the constants that are listed.
const MAX_LISTED_SETUPS: usize = 64;

/// What is known about the reductions of a run.
#[derive(Clone, Default, Debug)]
pub struct ReductionReport {
    pub parts: Vec<PartReport>,
    /// States on which reductions without a proof were tested.
    pub tested: u64,
    /// States that the exhaustive comparison covered, and whether these were all.
    pub compared: Option<(u64, bool)>,
    /// A state and an image of it that are not equivalent.
    pub refutation: Option<RefutationReport>,
    /// Another state and image that differ in the other way: by a step, or by a property.
    pub further: Option<RefutationReport>,
    /// States in which a function had no result, in words.
    pub troubles: Vec<String>,
    /// Every reduction is proved, or the exhaustive comparison was complete.
    pub is_proved: bool,
    /// A violation of the reduced system that the machine was not shown to have. Its trace has two parts for each step: `s -> s'`, and `s' -> c(s')`.
    pub unrealised: Option<Violation>,
    /// The machine has no violation as near as that one, which refutes the reduction.
    pub is_contradicted: bool,
}

/// The answer to one of the checks of a reduction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CheckAnswer {
    /// For all states, for this reason.
    Proved(String),
    /// On so many states; the reason why it is not proved.
    Tested(u64, String),
    /// A state and its image show the contrary.
    Refuted(String),
    /// A state and its image do not show it.
    Doubtful(String),
    /// Neither proved nor tested, for this reason.
    Open(String),
}

/// One reduction of a run.
#[derive(Clone, Debug)]
pub struct PartReport {
    pub name: String,
    /// How representatives are chosen.
    pub strategy: &'static str,
    pub proof: ReductionProof,
    /// What tests say about the group and about representatives; nothing if all is proved.
    pub sample: Option<PartSample>,
}

impl PartReport {
    /// Proved, tested or refuted: the checks of a reduction in the order of the paper.
    pub fn checks(&self, report: &ReductionReport) -> [(&'static str, CheckAnswer); 4] {
        let ReductionProof { action, predicates, bisimulation, strong } = &self.proof;
        let of_sample = |proof: &Result<String, String>, found: Option<(u64, bool)>, shown: &str| match (proof, found) {
            (Ok(how), _) => CheckAnswer::Proved(how.clone()),
            (Err(_), Some((_, true))) => CheckAnswer::Refuted(shown.to_owned()),
            (Err(why), Some((n_images @ 1.., false))) => CheckAnswer::Tested(n_images, why.clone()),
            (Err(why), _) => CheckAnswer::Open(why.clone()),
        };
        let closed = self.sample.as_ref().map(|it| (it.n_closed, it.unclosed.is_some()));
        let joined = self.sample.as_ref().map(|it| (it.n_joined, it.split.is_some()));
        [
            ("group action", of_sample(action, closed, "no way back from an image was found")),
            ("predicates", self.compared(report, predicates, false)),
            ("bisimulation", self.compared(report, bisimulation, true)),
            ("strong", of_sample(strong, joined, "a state and an image have two representatives")),
        ]
    }

    /// What is known by proof, by comparison with all states, or by tests.
    fn compared(&self, report: &ReductionReport, proof: &Result<String, String>, is_about_steps: bool) -> CheckAnswer {
        let refutation = report.refutation.as_ref();
        let mut known = refutation.into_iter().chain(&report.further);
        let is_mine =
            |it: &RefutationReport| it.name == self.name || report.parts.iter().all(|part| part.name != it.name);
        let mine = known.find(|it| it.is_about_steps == is_about_steps && is_mine(it));
        match (proof, mine, report.compared) {
            (Ok(how), ..) => CheckAnswer::Proved(how.clone()),
            (Err(_), Some(it), _) if it.is_doubtful => CheckAnswer::Doubtful(it.difference.clone()),
            (Err(_), Some(it), _) => CheckAnswer::Refuted(it.difference.clone()),
            (Err(_), None, Some((n_states, true))) if refutation.is_none() => {
                CheckAnswer::Proved(format!("compared with all {n_states} states"))
            }
            (Err(why), None, _) if report.tested > 0 => CheckAnswer::Tested(report.tested, why.clone()),
            (Err(why), None, _) => CheckAnswer::Open(why.clone()),
        }
    }
}

/// A refutation for people.
#[derive(Clone, Debug)]
pub struct RefutationReport {
    pub name: String,
    /// Values of the state and of its image.
    pub state: Vec<(String, String)>,
    pub image: Vec<(String, String)>,
    /// What tells them apart.
    pub difference: String,
    /// The two may be equivalent all the same: the canonizer does not show it.
    pub is_doubtful: bool,
    /// A step tells them apart, and not a property.
    pub is_about_steps: bool,
}

impl ReductionReport {
    /// It must not be used.
    pub fn is_refuted(&self) -> bool {
        self.is_contradicted || self.refutation.as_ref().is_some_and(|refutation| !refutation.is_doubtful)
    }
}

/// The reason why formulas are not claimed to hold on the reduced graph; nothing if they are preserved. Letters are preserved if all that they look at is: states
/// by the proofs of propositions, steps by operations, which proofs of bisimulation respect. An exhaustive comparison looks at targets only.
fn formula_doubt(config: &Config, examined: &ReductionReport) -> Option<String> {
    if config.formulas.formulas.is_empty() {
        return None;
    }
    if !examined.parts.iter().all(|part| part.proof.is_complete()) {
        return Some("the reduction is not proved for the atoms of temporal formulas".to_owned());
    }
    config.formulas.beyond_bisimulation()
}

/// The functions on states that a run needs.
pub(crate) fn functions(model: &Model, config: &Config) -> Vec<OpId> {
    plan(model, config, |_| false).functions
}

fn plan(model: &Model, config: &Config, is_symmetric: impl Fn(SetId) -> bool) -> ReductionPlan {
    ReductionPlan::new(model, &config.reduce, config.canonises_start, is_symmetric)
}

/// The plan of a run: symmetry reduction first, if it is asked for.
fn plan_of(system: &impl ModelSystem, config: &Config) -> ReductionPlan {
    let plan = plan_without_symmetry(system, config);
    if config.symmetry == Method::Off || unsymmetric(system, config).is_some() {
        return plan;
    }
    let group = symmetry_beside(system, config).group;
    match group.is_trivial() || system.movable_words(&group).is_empty() {
        true => plan,
        false => plan.after_symmetry(group),
    }
}

/// The permutations that go with other reductions. Proofs take the bounds of variables from the invariant, whether the run checks it or not. Images of
/// functions need not be reachable, so bounds hold for permuted ones only if the invariant does not tell elements apart either.
fn symmetry_beside(system: &impl ModelSystem, config: &Config) -> Symmetry {
    let model = system.model();
    let mut nodes = config.formulas.nodes();
    nodes.extend(model.invariant.iter().map(|conjunct| ModelNode::Pred(conjunct.pred)));
    symmetry_of(model, search_config(config).properties, &nodes, system.pinned())
}

/// Why symmetry reduction is not applied beside other reductions.
fn unsymmetric(system: &impl ModelSystem, config: &Config) -> Option<&'static str> {
    match config.symmetry {
        Method::Off => None,
        Method::Auto if system.has_setup() => Some("permutations would move the constants of the machine"),
        Method::Auto if !system.model().steering.force_symmetry.is_empty() => Some("FORCE_SYMMETRY is not proved"),
        Method::Auto if config.formulas.needs_instances => Some("a formula follows operations with their arguments"),
        Method::Auto => None,
        _ => Some("only the method `auto` goes with it"),
    }
}

/// All permutations of a given set are left to symmetry reduction, if the text of the model does not tell its elements apart.
fn plan_without_symmetry(system: &impl ModelSystem, config: &Config) -> ReductionPlan {
    let model = system.model();
    // Permutations move constants, too, for which the proofs of other reductions were not made.
    let permutes = |chosen: &ChosenReduction| match &model.steering.reductions[chosen.reduction].kind {
        ReductionKind::Generated { permuted, order, .. } => permuted.is_some() && order.is_none(),
        ReductionKind::Canonizer(_) => false,
    };
    let is_alone = config.reduce.iter().all(permutes) || !system.has_setup();
    if !is_alone || !model.steering.force_symmetry.is_empty() || config.formulas.needs_instances {
        return plan(model, config, |_| false);
    }
    let symmetry = symmetry_beside(system, config);
    system.use_interchangeable(symmetry.interchangeable());
    plan(model, config, |set| {
        let size = model.sets[set].size() as usize;
        symmetry.carriers.iter().any(|carrier| carrier.set == set && carrier.blocks.iter().any(|it| it.len() == size))
    })
}

/// Examines the reductions of a configuration without a search.
pub fn examine_reductions(model: &Model, config: &Config, control: &mut dyn Control) -> ReductionReport {
    with_stack(|| {
        let interp = judge(model, config.eval.clone()).stopped_by(config.stop.clone());
        let transformations = functions(model, config);
        let system = stack::system_of(interp, SystemConfig { transformations, ..config.system.clone() });
        examine(&system, &plan_of(&system, config), config, control)
    })
}

/// Explores a system with the reductions of a configuration.
pub(crate) fn run<E: Explorer>(
    system: &impl EvaluatedSystem,
    config: &Config,
    explorer: &mut E,
) -> Result<Report, E::Refusal> {
    if let Some(why) = unsymmetric(system, config) {
        return Ok(Report::unsearched(format!("symmetry and reductions cannot be combined here: {why}")));
    }
    let plan = plan_of(system, config);
    // A system of its own, since one that goes on from a checkpoint must not know any values yet.
    let interp = judge(system.model(), config.eval.clone()).stopped_by(config.stop.clone());
    let (transformations, propositions) = (plan.functions.clone(), system.propositions().to_vec());
    let apart = stack::system_of(interp, SystemConfig { transformations, propositions, ..config.system.clone() });
    let mut examined = examine(&apart, &plan, config, explorer.control());
    if examined.is_refuted() {
        let limit = refuted_text(&examined);
        return Ok(Report { reduction: Some(examined), ..Report::unsearched(limit) });
    }
    let canonized = Canonized::new(system, &plan);
    let symbolic = match config.engine {
        Engine::Symbolic => symbolic::canonized::run(system, config, &plan, &canonized, explorer.control()),
        Engine::Explicit | Engine::Auto => None,
    };
    let mut report = match (symbolic, plan.only_symmetry()) {
        (Some(report), _) => report,
        (None, Some(group)) => {
            reduced::use_group(system, group);
            explore(system, config, &Auto::new(system, group.clone()), explorer)?
        }
        (None, None) => explore(system, config, &canonized, explorer)?,
    };
    if let Some(why) = formula_doubt(config, &examined) {
        doubt_formulas(&mut report, &why);
    }
    let troubles = canonized.troubles();
    if !troubles.is_empty() {
        examined.troubles = trouble_texts(system, &plan, &troubles);
    }
    confirm(&mut report, &mut examined, system, config, explorer.control());
    settle(&mut report, examined);
    Ok(report)
}

/// Looks for violations of the machine itself where those of the reduced system are not found again. Bisimilar states are at the same distance from violations,
/// so that a search up to there decides: it has a violation of its own, or it refutes the reduction.
fn confirm(
    report: &mut Report,
    examined: &mut ReductionReport,
    system: &impl ModelSystem,
    config: &Config,
    control: &mut dyn Control,
) {
    let Some(unreal) = report.violations.iter().find(|violation| violation.trace.gap.is_some()).cloned() else {
        return;
    };
    let near = Config {
        strategy: SearchStrategy::BreadthFirst,
        // The depth of a search does not count the set-up.
        max_depth: Some(report.depth + 1),
        max_states: Some(MAX_NEAR_STATES),
        ..config.clone()
    };
    let exploration = abridge_search::explore(system, &search_config(&near), control);
    let found = summarise(system, &exploration, None, &near);
    let is_real = |violation: &Violation| violation.trace.gap.is_none();
    if found.violations.iter().any(is_real) {
        report.violations.retain(is_real);
        let is_new = report.violations.is_empty();
        report.violations.extend(found.violations.into_iter().filter(|it| is_new && is_real(it)));
        return;
    }
    let is_whole = exploration.limits.iter().all(|limit| matches!(limit, Limit::Depth(_)));
    examined.is_contradicted = !examined.is_proved && is_whole && exploration.findings.is_empty();
    examined.unrealised = Some(unreal);
}

/// Explores the representatives, with fewer steps if partial order reduction is asked for. The induction of `abridge_reduce::Selected` is about the length of
/// a path to what is looked for, and a bisimilar state has a path of the same length, so the quotient may lie around the selection.
fn explore<S: EvaluatedSystem, Q: Quotient, E: Explorer>(
    system: &S,
    config: &Config,
    quotient: &Q,
    explorer: &mut E,
) -> Result<Report, E::Refusal> {
    let is_auto = config.por == PorMode::Auto;
    let is_about_paths = config.formulas.formulas.iter().any(|formula| formula.body.is_some());
    let may_try = !is_auto || explorer.may_restart() && !is_about_paths;
    let Some(por) = por::settings(system, config).filter(|_| may_try) else {
        return all_steps(system, config, quotient, explorer);
    };
    if is_about_paths {
        let why = "with reductions, steps are left out for properties of states only".to_owned();
        let report = all_steps(system, config, quotient, explorer)?;
        return Ok(Report { por: Some(SelectionTally { refused: Some(why), ..SelectionTally::default() }), ..report });
    }
    if is_auto {
        let mut trial = PorTrial::new(explorer.control(), system, por, None, config.answers.clone());
        let Ok(report) = all_steps(system, config, quotient, &mut trial);
        if !trial.is_promising {
            return Ok(report);
        }
    }
    let selected = Selected::new(system, por, reduced::resources(config));
    let report = reduced::by_quotient(system, AnySystem::of(&selected), config, quotient, explorer)?;
    Ok(Report { por: Some(selected.tally()), ..report })
}

/// Explores the representatives by all their steps.
fn all_steps<S: EvaluatedSystem, Q: Quotient, E: Explorer>(
    system: &S,
    config: &Config,
    quotient: &Q,
    explorer: &mut E,
) -> Result<Report, E::Refusal> {
    let evaluator = system.evaluator(config);
    let report = reduced::by_quotient(system, AnySystem::of(&evaluator), config, quotient, explorer)?;
    Ok(Report { sliced: S::usage(&evaluator), ..report })
}

/// Of formulas, only violations that the judge has realised count: paths that violate a formula of linear time. One of branching time speaks of all steps of a
/// state, too, and those were seen in the reduced graph only.
fn doubt_formulas(report: &mut Report, why: &str) {
    for formula in &mut report.temporal {
        let is_real = formula.trace.as_ref().is_some_and(|trace| trace.gap.is_none());
        match (&formula.verdict, formula.logic) {
            (TemporalVerdict::Violated, Logic::Ltl) if is_real => {}
            (TemporalVerdict::Incomplete(_) | TemporalVerdict::Error(_), _) => {}
            _ => formula.verdict = TemporalVerdict::Incomplete(why.to_owned()),
        }
    }
    let is_violated = report.temporal.iter().any(|formula| formula.verdict == TemporalVerdict::Violated);
    if report.verdict == Verdict::Violated && report.violations.is_empty() && !is_violated {
        report.verdict = Verdict::Incomplete;
    }
    report.limits.push(why.to_owned());
}

/// Makes the verdict one about the machine and not about its reduction.
fn settle(report: &mut Report, examined: ReductionReport) {
    let is_certain = examined.is_proved;
    let unreal = report.violations.iter().find(|violation| violation.trace.gap.is_some());
    if let Some(violation) = unreal.filter(|_| !is_certain) {
        let gap = violation.trace.gap.clone().unwrap_or_default();
        report.violations.retain(|violation| violation.trace.gap.is_none());
        report.limits.insert(0, format!("a violation of the reduced system could not be realised: {gap}"));
        if examined.is_contradicted {
            let n_steps = report.depth;
            report.limits.insert(0, format!("reduction refuted: the machine has no violation within {n_steps} steps"));
        }
        if report.violations.is_empty() {
            report.verdict = Verdict::Incomplete;
        }
    }
    if !is_certain {
        let why = match (&examined.refutation, examined.compared) {
            (Some(_), _) => "the reduction may be wrong: a step of a state has no counterpart".to_owned(),
            (None, Some((n_states, _))) => format!("reduction compared on {n_states} states, which are not all"),
            (None, None) if examined.tested == 1 => "reduction tested on 1 state".to_owned(),
            (None, None) => format!("reduction tested on {} states", examined.tested),
        };
        // That nothing was explored matters more.
        let place = if report.states == 0 { report.limits.len() } else { 0 };
        report.limits.insert(place, why);
    }
    // A state that stays as it is costs no verdict, but its author should know.
    report.limits.extend(examined.troubles.iter().filter(|_| !is_certain).cloned());
    if report.verdict == Verdict::Holds && !report.limits.is_empty() {
        report.verdict = Verdict::Incomplete;
    }
    report.reduction = Some(examined);
}

fn refuted_text(examined: &ReductionReport) -> String {
    let refutation = examined.refutation.as_ref();
    refutation.map_or_else(String::new, |refutation| {
        format!("reduction `{}` is refuted, nothing was searched", refutation.name)
    })
}

/// Proves, tests and compares.
fn examine(
    system: &impl ModelSystem,
    plan: &ReductionPlan,
    config: &Config,
    control: &mut dyn Control,
) -> ReductionReport {
    let propositions = !config.formulas.formulas.is_empty();
    let (asked, deadlock) = (Properties { propositions, ..asked(config) }, config.deadlock);
    let setups = setups(system);
    let is_over = || config.stop.is_raised();
    let mut proofs = prove(system, plan, asked, setups.as_deref(), &is_over);
    if system.has_scope() {
        let why = "SCOPE may tell a state and its image apart";
        for proof in &mut proofs {
            (proof.predicates, proof.bisimulation) = (Err(why.to_owned()), Err(why.to_owned()));
        }
    }
    let mut report = ReductionReport {
        is_proved: proofs.iter().all(ReductionProof::is_complete),
        parts: plan.parts.iter().zip(proofs).map(|(part, proof)| part_report(part, proof)).collect(),
        ..ReductionReport::default()
    };
    if !report.is_proved {
        let tested = plan.without_symmetry();
        let sampled = sample(system, &tested, asked, deadlock, SAMPLE_STATES);
        let Sampled { n_states, refutation, is_doubtful, further, parts, untested } = sampled;
        report.tested = n_states;
        report.troubles.extend(untested.map(|(n_states, first)| untested_text(system, n_states, &first)));
        let is_tested = |part: &&mut PartReport| part.strategy != SYMMETRY;
        report.parts.iter_mut().filter(is_tested).zip(parts).for_each(|(part, it)| part.sample = Some(it));
        report.refutation = refutation.map(|it| refutation_report(system, &tested, &it, is_doubtful));
        report.further = further.map(|(it, is_doubtful)| refutation_report(system, &tested, &it, is_doubtful));
    }
    if config.check_reduce && !report.is_refuted() {
        compare(system, plan, config, asked, control, &mut report);
    }
    report
}

/// Compares with the whole state space.
fn compare(
    system: &impl ModelSystem,
    plan: &ReductionPlan,
    config: &Config,
    asked: Properties,
    control: &mut dyn Control,
    report: &mut ReductionReport,
) {
    let mut n_polls = 0_u64;
    let mut is_over = || {
        n_polls += 1;
        let progress = crate::Progress { states: n_polls, ..crate::Progress::default() };
        config.stop.is_raised() || n_polls.is_multiple_of(256) && control.poll(&progress).is_some()
    };
    let max_states = config.max_states.map_or(MAX_COMPARED_STATES, |max| max as usize);
    // What the search will do comes first: the machine itself may have infinitely many states.
    let tested = plan.without_symmetry();
    let along = accompany(system, &tested, asked, config.deadlock, max_states, &mut is_over);
    // A step without a counterpart that is known casts doubt on what is not proved.
    let is_doubted = !report.is_proved || !along.is_doubtful;
    if let Some(refutation) = along.refutation.filter(|_| is_doubted) {
        report.refutation = Some(refutation_report(system, &tested, &refutation, along.is_doubtful));
        report.is_proved = false;
    }
    if report.is_refuted() {
        report.compared = Some((along.n_states, false));
        return;
    }
    let comparison = compare_all(system, plan, asked, config.deadlock, max_states, &mut is_over);
    report.compared =
        Some((if comparison.is_whole { comparison.n_states } else { along.n_states }, comparison.is_whole));
    match comparison.refutation {
        Some((part, state, image)) => {
            report.refutation = Some(RefutationReport {
                name: part_name(plan, part),
                state: values(system, &state),
                image: values(system, &image),
                difference: "the state and its image are not bisimilar".to_owned(),
                is_doubtful: false,
                is_about_steps: true,
            });
            report.is_proved = false;
        }
        None if comparison.is_whole => {
            (report.refutation, report.further) = (None, None);
            report.is_proved = true;
        }
        None => {}
    }
}

fn part_report(part: &PlannedReduction, proof: ReductionProof) -> PartReport {
    let strategy = match &part.kind {
        PartKind::Canonizer(_) => "canonizer",
        PartKind::Orbit { strategy: CanonizerStrategy::Local, .. } => "local",
        PartKind::Orbit { strategy: CanonizerStrategy::Enumerate, .. } => "enumerate",
        PartKind::Symmetry { .. } => SYMMETRY,
    };
    PartReport { name: part.name.clone(), strategy, proof, sample: None }
}

/// All valuations of the constants; nothing if they are too many or not known.
fn setups(system: &impl ModelSystem) -> Option<Vec<State>> {
    if !system.has_setup() {
        return Some(vec![system.blank()]);
    }
    let mut steps = Steps::new(system.width());
    let completeness = system.worker().expand(Origin::Root, None, &mut steps, &mut |steps| {
        if steps.len() > MAX_LISTED_SETUPS { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let is_known = completeness.is_whole() && steps.len() <= MAX_LISTED_SETUPS;
    is_known.then(|| steps.iter().map(|step| system.decode(step.target).0).collect())
}

fn values(system: &impl ModelSystem, state: &[u32]) -> Vec<(String, String)> {
    system.values(state).into_iter().map(|value| (value.name, value.text)).collect()
}

fn shown(system: &impl ModelSystem, state: &[u32]) -> String {
    let values = values(system, state);
    values.into_iter().map(|(name, text)| format!("{name} = {text}")).collect::<Vec<_>>().join(", ")
}

/// The name of a reduction; behind the last one, all together.
fn part_name(plan: &ReductionPlan, part: usize) -> String {
    plan.parts.get(part).map_or("all together", |part| &part.name).to_owned()
}

fn refutation_report(
    system: &impl ModelSystem,
    plan: &ReductionPlan,
    refutation: &Refutation,
    is_doubtful: bool,
) -> RefutationReport {
    let difference = match &refutation.difference {
        ToldApart::Finding(kind) => format!("{} in one of the two only", finding_text(system, *kind)),
        ToldApart::Step { operation, target } => format!(
            "`{}` leads from the state to {}, and from its image to no equivalent state",
            system.operation_name(*operation),
            shown(system, target)
        ),
        ToldApart::StepOfImage { operation, target } => format!(
            "`{}` leads from the image to {}, and from the state to no equivalent state",
            system.operation_name(*operation),
            shown(system, target)
        ),
    };
    RefutationReport {
        name: part_name(plan, refutation.part),
        state: values(system, &refutation.state),
        image: values(system, &refutation.image),
        difference,
        is_doubtful,
        is_about_steps: refutation.is_about_steps(),
    }
}

fn finding_text(system: &impl ModelSystem, kind: FindingKind) -> String {
    match kind {
        FindingKind::Invariant(idx) => format!("conjunct {} of the invariant is false", idx + 1),
        FindingKind::IllDefinedInvariant(idx) => format!("conjunct {} of the invariant is ill-defined", idx + 1),
        FindingKind::Assertion(idx) => format!("assertion {} is false", idx + 1),
        FindingKind::IllDefinedAssertion(idx) => format!("assertion {} is ill-defined", idx + 1),
        FindingKind::Deadlock => "there is a deadlock".to_owned(),
        FindingKind::Goal => "the goal holds".to_owned(),
        FindingKind::IllDefined(operation) => format!("`{}` is ill-defined", system.operation_name(operation)),
        FindingKind::Proposition(_) => "an atom of a temporal formula is false".to_owned(),
        FindingKind::IllDefinedProposition(_) => "an atom of a temporal formula is ill-defined".to_owned(),
    }
}

fn untested_text(system: &impl ModelSystem, n_states: u64, first: &[u32]) -> String {
    let first = shown(system, first);
    let why = "a function has no result there, or some step could not be evaluated";
    match n_states {
        1 => format!("a state with {first} could not be tested: {why}"),
        n_states => format!("{n_states} states could not be tested, the first with {first}: {why}"),
    }
}

fn trouble_texts(system: &impl ModelSystem, plan: &ReductionPlan, troubles: &[Trouble]) -> Vec<String> {
    let text = |trouble: &Trouble| {
        let what = match trouble.kind {
            TroubleKind::Undefined => "has no result",
            TroubleKind::Several => "has several results",
            TroubleKind::LargeOrbit => "has an orbit too large to enumerate",
            TroubleKind::NoReturn => "never leads back",
            TroubleKind::Endless => "does not come to an end",
        };
        let name = &plan.parts[trouble.part].name;
        format!("reduction `{name}` {what} in a state with {}, which stays as it is", shown(system, &trouble.state))
    };
    troubles.iter().map(text).collect()
}

/// Chooses reductions of a model by name; the error says which name is unknown.
pub fn choose_reductions(model: &Model, names: &str) -> Result<Vec<ChosenReduction>, String> {
    let known = &model.steering.reductions;
    let mut chosen: Vec<ChosenReduction> = Vec::new();
    for item in names.split(',').map(str::trim).filter(|item| !item.is_empty()) {
        let (name, strategy) = match item.split_once(':') {
            None => (item, CanonizerStrategy::Enumerate),
            Some((name, "enumerate")) => (name, CanonizerStrategy::Enumerate),
            Some((name, "local")) => (name, CanonizerStrategy::Local),
            Some((_, other)) => return Err(format!("`{other}` is no strategy: write `local` or `enumerate`")),
        };
        let Some(reduction) = known.iter().position(|reduction| reduction.name == name) else {
            return Err(no_reduction(model, name));
        };
        if item.contains(':') && matches!(known[reduction].kind, ReductionKind::Canonizer(_)) {
            return Err(format!(
                "reduction `{name}` is a canonizer, and strategies are for generators: write `{name}`"
            ));
        }
        if chosen.last().is_some_and(|last| last.reduction == reduction) {
            return Err(format!("reduction `{name}` is named twice in a row: name it once"));
        }
        chosen.push(ChosenReduction { reduction, strategy });
    }
    if chosen.is_empty() {
        return Err(match known.is_empty() {
            true => "the DEFINITIONS of the machine describe no reduction".to_owned(),
            false => format!("no reduction is named; the machine has {}", listed(known)),
        });
    }
    Ok(chosen)
}

/// Why a machine does not have a reduction.
fn no_reduction(model: &Model, name: &str) -> String {
    let Steering { reductions, ignored_reductions, .. } = &model.steering;
    if let Some((_, definition)) = ignored_reductions.iter().find(|(ignored, _)| ignored == name) {
        return format!(
            "the machine has no reduction `{name}`: `{definition}` is ignored; see the diagnostic about it"
        );
    }
    match reductions.is_empty() {
        true => format!("the machine has no reduction `{name}`: its DEFINITIONS describe none"),
        false => format!("the machine has no reduction `{name}`; it has {}", listed(reductions)),
    }
}

fn listed(reductions: &[ReductionDef]) -> String {
    reductions.iter().map(|reduction| format!("`{}`", reduction.name)).collect::<Vec<_>>().join(", ")
}
