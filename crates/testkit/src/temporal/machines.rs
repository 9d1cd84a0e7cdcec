//! Random machines with random temporal formulas: [`compare_formulas`] checks them in every way there is.
//!
//! The machines are about the elements of one set, which are interchangeable unless a formula names one; so most of them have a symmetry that can
//! go wrong. Formulas without premises over predicates and steps are also decided by the naive checkers of `graph.rs`, on a graph that the plain interpreter lists. All
//! others must have the verdict of the plain run in every way, and every violation a trace that was found again whole.

use std::collections::HashMap;
use std::num::NonZero;
use std::sync::Arc;

use abridge_check::{Config, Method, PorMode, Strategy, TemporalReport, TemporalVerdict, check, choices};
use abridge_diag::SourceMap;
use abridge_eval::Env;
use abridge_explicit::{Explicit, Place, judge};
use abridge_model::{Logic, PredId};
use abridge_sema::{FormulaBody, FormulaText, Role};
use abridge_system::Origin;
use abridge_temporal::formula::{AtomId, Atoms, Ltl, LtlNode, Unary};
use abridge_temporal::{Source, parse_ctl, parse_ltl};

use super::graph::{Graph, GraphState, has_path, satisfying};
use super::{Shape, bit, random_ctl, random_ltl};
use crate::{Project, Random};

/// Predicates `p0`, `p1`, .., which every machine defines.
const N_PREDICATES: u32 = 3;
/// Formulas for each machine.
const N_FORMULAS: usize = 6;
/// Steps that leave one state, at most.
const MAX_STEPS: usize = 1_000;

/// A machine with formulas.
#[derive(Clone, Debug)]
pub struct Case {
    pub machine: String,
    pub formulas: Vec<CaseFormula>,
}

#[derive(Clone, Debug)]
pub struct CaseFormula {
    pub logic: Logic,
    pub text: String,
    /// Without premises, and over predicates and steps only.
    pub is_simple: bool,
}

/// What was compared.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Compared {
    pub formulas: usize,
    pub violated: usize,
    /// Formulas that the naive checkers decided, too.
    pub judged: usize,
    /// Verdicts that say `incomplete`.
    pub unknown: usize,
}

impl Compared {
    pub fn add(&mut self, other: Compared) {
        self.formulas += other.formulas;
        self.violated += other.violated;
        self.judged += other.judged;
        self.unknown += other.unknown;
    }
}

/// The case with this number.
pub fn case(number: u64) -> Case {
    let random = &mut Random::new(number);
    let n_steps = 2 + random.below(2) as u32;
    let machine = machine(random, n_steps);
    let names_elements = random.once_in(3);
    let formulas = (0..N_FORMULAS).map(|_| formula(random, n_steps, names_elements)).collect();
    Case { machine, formulas }
}

fn machine(random: &mut Random, n_steps: u32) -> String {
    let predicates = ["aa = {}", "bb : aa", "cc = 0", "cc = 2", "card(aa) > 1", "aa <: {bb}", "cc > 0 & bb /: aa"];
    let definitions: Vec<String> =
        (0..N_PREDICATES).map(|number| format!("p{number} == ({})", random.pick(&predicates))).collect();
    let operations: Vec<String> = (0..n_steps).map(|number| operation(random, number)).collect();
    let initial = *random.pick(&["aa := {} || bb :: ID", "aa := ID || bb :: ID", "bb :: ID || aa :: {{}, ID}"]);
    format!(
        "MACHINE M\nSETS ID = {{e1, e2, e3}}\nDEFINITIONS\n  {}\nVARIABLES aa, bb, cc\nINVARIANT aa <: ID & bb : ID & cc : 0..2\n\
         INITIALISATION {initial} || cc := 0\nOPERATIONS\n{}\nEND\n",
        definitions.join(";\n  "),
        operations.join(";\n"),
    )
}

/// An operation `s<number>`, with or without a parameter.
fn operation(random: &mut Random, number: u32) -> String {
    let has_parameter = !random.once_in(3);
    let mut guards = vec!["cc < 2", "cc = 0", "cc > 0", "aa = {}", "aa /= {}", "card(aa) < 2", "bb : aa", "aa <: ID"];
    let mut sets = vec!["aa := {}", "aa := ID - aa", "aa := {bb}", "aa := aa \\/ {bb}"];
    let mut elements = vec!["bb :: ID", "bb :: aa \\/ {bb}"];
    if has_parameter {
        guards.extend(["pp : aa", "pp /: aa", "pp = bb", "pp /= bb"]);
        sets.extend(["aa := aa \\/ {pp}", "aa := aa - {pp}", "aa := {pp}", "aa := aa \\/ {pp}"]);
        elements.extend(["bb := pp", "bb := pp", "bb := pp"]);
    }
    let numbers = ["cc := (cc + 1) mod 3", "cc := 0", "cc := 2 - cc", "cc :: {0, 1}"];
    let mut effects = Vec::new();
    for list in [&sets[..], &elements[..], &numbers[..]] {
        if random.once_in(2) {
            effects.push(*random.pick(list));
        }
    }
    let effect = if effects.is_empty() { "skip".to_owned() } else { effects.join(" || ") };
    let mut guard = (*random.pick(&guards)).to_owned();
    if random.once_in(2) {
        guard = format!("{guard} & {}", random.pick(&guards));
    }
    match has_parameter {
        true => format!("  s{number}(pp) = PRE pp : ID & {guard} THEN {effect} END"),
        false => format!("  s{number} = SELECT {guard} THEN {effect} END"),
    }
}

fn formula(random: &mut Random, n_steps: u32, names_elements: bool) -> CaseFormula {
    let size = 1 + random.below(4);
    let shape =
        Shape { size, n_predicates: N_PREDICATES, n_steps, has_next: random.once_in(2), has_past: random.once_in(4) };
    let step = random.below(n_steps as usize);
    if random.once_in(3) {
        let atoms = [format!("e(s{step})"), "deadlock".to_owned(), "sink".to_owned(), "{p2}".to_owned()];
        let text = random_ctl(random, shape).to_string();
        let special = random.pick(&atoms);
        let is_simple = special == "{p2}" || !text.contains("{p2}");
        return CaseFormula { logic: Logic::Ctl, text: text.replace("{p2}", special), is_simple };
    }
    let mut atoms = vec![
        "{p2}".to_owned(),
        "{p2}".to_owned(),
        "{p2}".to_owned(),
        format!("e(s{step})"),
        "sink".to_owned(),
        "deadlock".to_owned(),
        "deterministic(s0,s1)".to_owned(),
        "changed({bb})".to_owned(),
        "unchanged({aa})".to_owned(),
        "increasing({cc})".to_owned(),
        "BA({bb = bb$0 or cc < cc$0})".to_owned(),
    ];
    if names_elements {
        atoms.extend(["{e1 : aa}".to_owned(), "{bb = e2}".to_owned(), "#x.({x : aa} & F {x = bb})".to_owned()]);
    }
    let body = random_ltl(random, shape).to_string();
    let special = random.pick(&atoms).clone();
    let mut is_simple = special == "{p2}" || !body.contains("{p2}");
    let mut text = body.replace("{p2}", &format!("({special})").replace("({p2})", "{p2}"));
    if random.once_in(2) {
        let other = random.below(n_steps as usize);
        let premises = [
            format!("WF(s{step})"),
            format!("SF(s{step})"),
            format!("SF(s{step}) & WF(s{other})"),
            format!("WF(s{step}) or WF(s{other})"),
            format!("WF(s{step}) & WF(s{other})"),
            "WEF".to_owned(),
            "SEF".to_owned(),
        ];
        text = format!("{} => ({text})", random.pick(&premises));
        is_simple = false;
    }
    CaseFormula { logic: Logic::Ltl, text, is_simple }
}

fn plain() -> Config {
    let mut config = Config {
        invariant: false,
        deadlock: false,
        assertions: false,
        goal: false,
        gluing: false,
        ..Config::default()
    };
    config.system.compiled = false;
    config.system.memo = false;
    config
}

/// All ways but the plain one.
fn ways() -> Vec<(&'static str, Config)> {
    let compiled = |change: fn(&mut Config)| {
        let mut config = plain();
        (config.system.compiled, config.system.memo) = (true, true);
        change(&mut config);
        config
    };
    let four = || NonZero::new(4).unwrap_or(NonZero::<usize>::MIN);
    let with_workers = |mut config: Config| {
        config.workers = four();
        config
    };
    vec![
        ("compiled", compiled(|_| {})),
        ("four workers", with_workers(compiled(|_| {}))),
        ("depth-first", compiled(|config| config.strategy = Strategy::DepthFirst)),
        ("symmetry auto", compiled(|config| config.symmetry = Method::Auto)),
        ("symmetry auto, four workers", with_workers(compiled(|config| config.symmetry = Method::Auto))),
        (
            "symmetry auto, depth-first",
            compiled(|config| {
                (config.symmetry, config.strategy) = (Method::Auto, Strategy::DepthFirst);
            }),
        ),
        ("symmetry canon", compiled(|config| config.symmetry = Method::Canon)),
        ("symmetry flood", compiled(|config| config.symmetry = Method::Flood)),
        ("partial order", compiled(|config| config.por = PorMode::Semantic)),
        (
            "partial order and symmetry",
            compiled(|config| {
                (config.por, config.symmetry) = (PorMode::Semantic, Method::Auto);
            }),
        ),
    ]
}

/// Checks the formulas of a case in all ways.
///
/// # Errors
/// The first verdict that differs, or a violation whose trace is not whole.
pub fn compare_formulas(case: &Case) -> Result<Compared, String> {
    let project = Project::new(&[("M.mch", &case.machine)]);
    let expected = run(&project, case, &plain())?;
    let mut compared = Compared { formulas: case.formulas.len(), ..Compared::default() };
    let graph = graph(&project);
    for (formula, report) in case.formulas.iter().zip(&expected) {
        compared.violated += usize::from(report.verdict == TemporalVerdict::Violated);
        compared.unknown += usize::from(matches!(report.verdict, TemporalVerdict::Incomplete(_)));
        whole(report).map_err(|why| format!("plain: {}: {why}", formula.text))?;
        if formula.is_simple {
            compared.judged += 1;
            let verdict = if holds(&graph, formula) { TemporalVerdict::Holds } else { TemporalVerdict::Violated };
            if report.verdict != verdict {
                return Err(format!(
                    "plain: {} is {:?}, the naive checker says {verdict:?}",
                    formula.text, report.verdict
                ));
            }
        }
    }
    for (way, config) in ways() {
        for (formula, (expected, found)) in
            case.formulas.iter().zip(expected.iter().zip(&run(&project, case, &config)?))
        {
            if found.verdict.name() != expected.verdict.name() {
                let (plain, found) = (&expected.verdict, &found.verdict);
                return Err(format!("{way}: {} is {found:?}, the plain run says {plain:?}", formula.text));
            }
            whole(found).map_err(|why| format!("{way}: {}: {why}", formula.text))?;
        }
    }
    Ok(compared)
}

fn run(project: &Project, case: &Case, config: &Config) -> Result<Vec<TemporalReport>, String> {
    let formulas: Vec<(Logic, &str)> =
        case.formulas.iter().map(|formula| (formula.logic, formula.text.as_str())).collect();
    let (model, prepared) = project.with_formulas(&formulas, config).ok_or_else(|| project.diagnostics())?;
    let config = Config { formulas: Arc::new(prepared), ..config.clone() };
    Ok(check(&model, &config, &mut ()).temporal)
}

/// Whether a report has what it must have: a whole trace for a violation, and no mistakes in the formula.
fn whole(report: &TemporalReport) -> Result<(), String> {
    match (&report.verdict, &report.trace) {
        (TemporalVerdict::Violated, None) => Err("no trace".to_owned()),
        (TemporalVerdict::Violated, Some(trace)) => trace.gap.clone().map_or(Ok(()), Err),
        (TemporalVerdict::Error(why), _) => Err(why.clone()),
        (TemporalVerdict::IllDefined(atom), _) => Err(format!("`{atom}` has no value")),
        _ => Ok(()),
    }
}

/// The states and steps that the plain interpreter lists. Letters have the predicates, then the operation.
fn graph(project: &Project) -> Graph {
    let texts: Vec<FormulaText> = (0..N_PREDICATES)
        .map(|number| FormulaText { source: "<p>".to_owned(), text: format!("p{number}"), role: Role::Predicate })
        .collect();
    let analysis = project.analyse_formulas(&texts);
    let model = analysis.model.as_ref().expect("the definitions are predicates");
    let predicates: Vec<PredId> = analysis
        .formulas
        .iter()
        .map(|formula| match formula.body {
            FormulaBody::Pred(pred) => pred,
            FormulaBody::Expr(_) => panic!("the definitions are predicates"),
        })
        .collect();
    let config = plain();
    let system = Explicit::new(judge(model, config.eval), config.system);
    let truths = |words: &[u32]| {
        let place = Place::of_words(&system, Some(words));
        let state = place.state().expect("the machine runs");
        let session = system.judge().session();
        let holds = |pred: &PredId| session.pred(*pred, &Env::new(state)).expect("a predicate with a value");
        (0..).zip(&predicates).fold(0_u32, |bits, (number, pred)| bits | u32::from(holds(pred)) << number)
    };
    let mut numbers: HashMap<Vec<u32>, usize> = HashMap::new();
    let mut todo: Vec<Vec<u32>> = Vec::new();
    let mut number_of = |words: Vec<u32>, todo: &mut Vec<Vec<u32>>| {
        let next = numbers.len();
        *numbers.entry(words.clone()).or_insert_with(|| {
            todo.push(words);
            next
        })
    };
    let starts = choices(&system, Origin::Root, MAX_STEPS).list;
    let mut initial: Vec<usize> = starts.into_iter().map(|step| number_of(step.to, &mut todo)).collect();
    initial.sort_unstable();
    initial.dedup();
    let mut states = Vec::new();
    while let Some(words) = todo.get(states.len()).cloned() {
        let predicates = truths(&words);
        let found = choices(&system, Origin::State(&words), MAX_STEPS);
        assert!(!found.is_cut && found.errors.is_empty());
        let mut steps: Vec<(u32, usize)> = Vec::new();
        for step in found.list {
            let operation: u32 = step.name[1..].parse().expect("operations are numbered");
            steps.push((predicates | 1 << (N_PREDICATES + operation), number_of(step.to, &mut todo)));
        }
        steps.sort_unstable();
        steps.dedup();
        states.push(GraphState { predicates, steps });
    }
    Graph { states, initial }
}

/// The verdict of the naive checkers.
fn holds(graph: &Graph, formula: &CaseFormula) -> bool {
    let mut sources = SourceMap::new();
    let file = sources.add("<formula>", formula.text.as_str());
    let source = Source { file, base: 0, text: &formula.text };
    let holds = |atoms: &Atoms, letter: u32, atom: AtomId| letter >> bit(&atoms.get(atom).kind, N_PREDICATES) & 1 == 1;
    match formula.logic {
        Logic::Ltl => {
            let mut ltl: Ltl = parse_ltl(source).0.expect("printed formulas can be read");
            let (root, place) = (ltl.root(), ltl.place(ltl.root()));
            ltl.push(LtlNode::Unary(Unary::Not, root), place);
            !has_path(graph, &ltl, &|letter, atom| holds(&ltl.atoms, letter, atom))
        }
        Logic::Ctl => {
            let ctl = parse_ctl(source).0.expect("printed formulas can be read");
            let satisfied = satisfying(graph, &ctl, &|letter, atom| holds(&ctl.atoms, letter, atom));
            graph.initial.iter().all(|state| satisfied[*state])
        }
    }
}
