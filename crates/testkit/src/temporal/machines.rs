//! Random machines with random temporal formulas: [`compare_formulas`] checks them in every way there is.
//!
//! A third of the machines is about the elements of one set, which are interchangeable unless a formula names one; so most of them have a symmetry that can
//! go wrong. A third are guarded commands (`guarded.rs`) over variables of all kinds. A third are processes with few things in common, whose steps can be reordered. Formulas without premises over predicates and steps are also decided by the naive
//! checkers of `graph.rs`, on a graph that the plain interpreter lists. All others must have the verdict of the plain run in every way, and every violation a trace that was
//! found again whole, which includes that the lasso evaluator agrees. Partial order reduction is asked for the formulas of a machine that allow it, linear and branching time apart.

use std::collections::HashMap;
use std::num::NonZero;
use std::sync::Arc;

use abridge_check::{
    Branch, Config, Method, PorMode, Prepared, Report, Strategy, TemporalReport, TemporalVerdict, check, choices,
};
use abridge_diag::SourceMap;
use abridge_eval::Env;
use abridge_explicit::{Explicit, judge};
use abridge_model::{Logic, Model, PredId};
use abridge_model_system::{ModelSystem as _, Place};
use abridge_sema::{FormulaBody, FormulaRole, FormulaText};
use abridge_system::{Machine as _, Origin};
use abridge_temporal::formula::{AtomId, Atoms, Ltl, LtlNode, UnaryTemporal};
use abridge_temporal::{TemporalText, parse_ctl, parse_ltl};

use super::graph::{Graph, GraphState, has_path, satisfying};
use super::{FormulaShape, bit, random_ctl, random_ltl};
use crate::{Project, Random, guarded};

/// Predicates `p0`, `p1`, .., which every machine defines.
const N_PREDICATES: u32 = 3;
/// Formulas for each machine, at most.
const MAX_FORMULAS: usize = 2;
/// Steps that leave one state, at most.
const MAX_STEPS: usize = 1_000;
/// Larger machines are left out.
const MAX_STATES: u64 = 1_000;

/// A machine with formulas.
#[derive(Clone, Debug)]
pub struct FormulaCase {
    pub machine: String,
    pub formulas: Vec<CaseFormula>,
    kind: FormulaMachineKind,
}

#[derive(Clone, Debug)]
pub struct CaseFormula {
    pub logic: Logic,
    pub text: String,
    /// The formula over `{p0}`, .. and `[s0]`, .., if there is nothing else in it.
    simple: Option<String>,
}

/// What was compared.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct FormulaComparison {
    pub machines: usize,
    pub formulas: usize,
    pub violated: usize,
    /// Formulas that the naive checkers decided, too.
    pub judged: usize,
    /// Verdicts that say `incomplete`.
    pub unknown: usize,
    /// Formulas with `WEF` or `SEF` on machines that symmetry made smaller.
    pub fair_and_symmetric: usize,
    /// By kind of machine.
    pub linear: [Reduced; 3],
    pub branching: [Reduced; 3],
}

/// Kinds of machines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum FormulaMachineKind {
    Elements,
    Guarded,
    Processes,
}

/// Machines and partial order reduction.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Reduced {
    /// Machines with formulas that allow steps to be left out.
    pub allowed: usize,
    /// Those of which steps were left out, and those with fewer states for it.
    pub reduced: usize,
    pub smaller: usize,
}

impl Reduced {
    /// All kinds together.
    pub fn sum(kinds: &[Reduced]) -> Reduced {
        kinds.iter().fold(Reduced::default(), |mut sum, kind| {
            sum.add(*kind);
            sum
        })
    }

    fn add(&mut self, other: Reduced) {
        self.allowed += other.allowed;
        self.reduced += other.reduced;
        self.smaller += other.smaller;
    }
}

impl FormulaComparison {
    pub fn add(&mut self, other: FormulaComparison) {
        self.machines += other.machines;
        self.formulas += other.formulas;
        self.violated += other.violated;
        self.judged += other.judged;
        self.unknown += other.unknown;
        self.fair_and_symmetric += other.fair_and_symmetric;
        self.linear.iter_mut().zip(other.linear).for_each(|(sum, more)| sum.add(more));
        self.branching.iter_mut().zip(other.branching).for_each(|(sum, more)| sum.add(more));
    }
}

/// The case with this number.
pub fn case(number: u64) -> FormulaCase {
    let random = &mut Random::new(number);
    let kind = [FormulaMachineKind::Elements, FormulaMachineKind::Guarded, FormulaMachineKind::Processes]
        [(number % 3) as usize];
    let names_elements = kind != FormulaMachineKind::Guarded && random.once_in(3);
    let n_steps = (if kind == FormulaMachineKind::Processes { 3 } else { 2 }) + random.below(3) as u32;
    let (machine, n_steps) = match kind {
        FormulaMachineKind::Elements => (machine(random, n_steps), n_steps),
        FormulaMachineKind::Guarded => guarded_machine(random),
        FormulaMachineKind::Processes if random.once_in(2) => (processes(random, n_steps, names_elements), n_steps),
        FormulaMachineKind::Processes => (separate_processes(random, n_steps), n_steps),
    };
    let atoms = Special { kind, names_elements: names_elements && kind == FormulaMachineKind::Elements, n_steps };
    let formulas = (0..1 + random.below(MAX_FORMULAS)).map(|_| formula(random, atoms)).collect();
    FormulaCase { machine, formulas, kind }
}

/// Processes that are elements of a set, each with a place; sometimes they look at a variable that all share, or take and give back elements of another set.
fn processes(random: &mut Random, n_steps: u32, names_elements: bool) -> String {
    let has_things = random.once_in(2);
    let mut predicates = vec!["ran(pc) = {0}", "2 : ran(pc)", "yy = 0", "yy > 0", "card(pc~[{1}]) = 1"];
    if names_elements {
        predicates.extend(["pc(e1) = 0", "pc(e2) = 2", "pc(e1) = pc(e2)", "pc(e1) = 1"]);
    }
    if has_things {
        predicates.extend(["own = {}", "dom(own) = QQ", "card(ran(own)) = 1"]);
    }
    let operation = |number: u32, random: &mut Random| {
        let place = number % 3;
        let next = next_place(random, place);
        let (guard, effect) = shared(random);
        let thing = if has_things && random.once_in(2) { random.below(2) } else { 2 };
        let (params, needs, does) = [
            ("pp, qq", " & qq : QQ & qq /: dom(own)", " || own(qq) := pp"),
            ("pp, qq", " & qq : QQ & (qq |-> pp) : own", " || own := {qq} <<| own"),
            ("pp", "", ""),
        ][thing];
        format!(
            "  s{number}({params}) = PRE pp : PP & pc(pp) = {place}{guard}{needs} THEN pc(pp) := {next}{effect}{does} END"
        )
    };
    let operations: Vec<String> = (0..n_steps).map(|number| operation(number, random)).collect();
    let (sets, variables, invariant, start) = match has_things {
        true => ("; QQ = {f1, f2}", ", own", " & own : QQ +-> PP", " || own := {}"),
        false => ("", "", "", ""),
    };
    format!(
        "MACHINE M\nSETS PP = {{e1, e2, e3}}{sets}\nDEFINITIONS\n  {}\nVARIABLES pc, yy{variables}\n\
         INVARIANT pc : PP --> 0..2 & yy : 0..2{invariant}\nINITIALISATION pc := PP * {{0}} || yy := 0{start}\nOPERATIONS\n{}\nEND\n",
        definitions(random, &predicates),
        operations.join(";\n"),
    )
}

/// Processes with a variable each; sometimes they look at one that all share, or at each other.
fn separate_processes(random: &mut Random, n_steps: u32) -> String {
    let predicates = ["x1 = 0", "x2 = 1", "x3 = 2", "x1 > 0", "x1 = x2", "yy = 0", "yy > 0", "x2 + x3 > 1"];
    let operation = |number: u32, random: &mut Random| {
        let (own, place) = (1 + number % 3, number / 3);
        let (next, other) = (next_place(random, place), 1 + random.below(3));
        let (guard, effect) = shared(random);
        let looks = if random.once_in(4) { format!(" & x{other} = {}", random.below(3)) } else { String::new() };
        format!("  s{number} = SELECT x{own} = {place}{guard}{looks} THEN x{own} := {next}{effect} END")
    };
    let operations: Vec<String> = (0..n_steps).map(|number| operation(number, random)).collect();
    format!(
        "MACHINE M\nDEFINITIONS\n  {}\nVARIABLES x1, x2, x3, yy\nINVARIANT x1 : 0..2 & x2 : 0..2 & x3 : 0..2 & yy : 0..2\n\
         INITIALISATION x1 := 0 || x2 := 0 || x3 := 0 || yy := 0\nOPERATIONS\n{}\nEND\n",
        definitions(random, &predicates),
        operations.join(";\n"),
    )
}

/// Where a process goes from a place: mostly to the next one.
fn next_place(random: &mut Random, place: u32) -> u32 {
    if random.once_in(3) { random.below(3) as u32 } else { (place + 1) % 3 }
}

/// What an operation of a process requires and does with the variable that all share.
fn shared(random: &mut Random) -> (&'static str, &'static str) {
    let guard = if random.once_in(4) { *random.pick(&[" & yy = 0", " & yy < 2", " & yy > 0"]) } else { "" };
    let effect = if random.once_in(4) { *random.pick(&[" || yy := 0", " || yy := (yy + 1) mod 3"]) } else { "" };
    (guard, effect)
}

/// Definitions of the predicates that formulas speak about.
fn definitions(random: &mut Random, predicates: &[&str]) -> String {
    let definitions: Vec<String> =
        (0..N_PREDICATES).map(|number| format!("p{number} == ({})", random.pick(predicates))).collect();
    definitions.join(";\n  ")
}

/// A machine of guarded commands with predicates, and the number of its operations.
fn guarded_machine(random: &mut Random) -> (String, u32) {
    let text = guarded::machine(random);
    let predicates = [
        "b1 = TRUE",
        "b2 = TRUE",
        "el = s1",
        "nn > 1",
        "mm = 0",
        "uu = {}",
        "vv = {}",
        "s1 : uu",
        "dom(ff) = SS",
        "nn < mm",
    ];
    let definitions = definitions(random, &predicates);
    let n_steps = text.lines().filter(|line| line.starts_with("  op")).count() as u32;
    let marker = "VARIABLES ";
    (text.replacen(marker, &format!("DEFINITIONS {definitions}\n{marker}"), 1), n_steps)
}

fn machine(random: &mut Random, n_steps: u32) -> String {
    let predicates = ["aa = {}", "bb : aa", "cc = 0", "cc = 2", "card(aa) > 1", "aa <: {bb}", "cc > 0 & bb /: aa"];
    let definitions = definitions(random, &predicates);
    let operations: Vec<String> = (0..n_steps).map(|number| operation(random, number)).collect();
    let initial = *random.pick(&["aa := {} || bb :: ID", "aa := ID || bb :: ID", "bb :: ID || aa :: {{}, ID}"]);
    format!(
        "MACHINE M\nSETS ID = {{e1, e2, e3}}\nDEFINITIONS\n  {}\nVARIABLES aa, bb, cc\nINVARIANT aa <: ID & bb : ID & cc : 0..2\n\
         INITIALISATION {initial} || cc := 0\nOPERATIONS\n{}\nEND\n",
        definitions,
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

/// What formulas may speak about beside predicates and steps.
#[derive(Clone, Copy)]
struct Special {
    kind: FormulaMachineKind,
    names_elements: bool,
    n_steps: u32,
}

fn formula(random: &mut Random, special: Special) -> CaseFormula {
    let n_steps = special.n_steps;
    let size = 1 + random.below(4);
    let shape = FormulaShape {
        size,
        n_predicates: N_PREDICATES,
        n_steps,
        has_next: random.once_in(3),
        has_past: random.once_in(4),
    };
    let is_linear = !random.once_in(3);
    let text = if is_linear { random_ltl(random, shape).to_string() } else { random_ctl(random, shape).to_string() };
    let atoms = special_atoms(random, special, is_linear);
    let atom = random.pick(&atoms).clone();
    let mut simple = (atom == "{p2}" || !text.contains("{p2}")).then(|| text.clone());
    let mut text = text.replace("{p2}", &format!("({atom})").replace("({p2})", "{p2}"));
    if random.once_in(if is_linear { 2 } else { 4 }) {
        text = format!("{} => ({text})", premise(random, n_steps));
        if is_linear && random.once_in(6) && special.kind == FormulaMachineKind::Elements {
            text = format!("({text}) & true");
        }
        simple = None;
    }
    if special.kind == FormulaMachineKind::Guarded {
        for number in 0..n_steps {
            for (before, after) in [("[", "]"), ("(", ")"), ("(", ","), (",", ")")] {
                text = text.replace(&format!("{before}s{number}{after}"), &format!("{before}op{number}{after}"));
            }
        }
    }
    CaseFormula { logic: if is_linear { Logic::Ltl } else { Logic::Ctl }, text, simple }
}

fn special_atoms(random: &mut Random, special: Special, is_linear: bool) -> Vec<String> {
    let step = random.below(special.n_steps as usize);
    let mut atoms = vec!["{p2}", "{p2}", "{p2}", "deadlock", "sink"];
    let steps = match special.kind {
        FormulaMachineKind::Elements => {
            ["changed({bb})", "unchanged({aa})", "increasing({cc})", "BA({bb = bb$0 or cc < cc$0})"]
        }
        FormulaMachineKind::Processes => ["changed({yy})", "unchanged({yy})", "increasing({yy})", "BA({yy = yy$0})"],
        FormulaMachineKind::Guarded => {
            ["changed({el})", "unchanged({uu})", "increasing({nn})", "BA({el = el$0 or nn < nn$0})"]
        }
    };
    if is_linear {
        atoms.extend(steps);
        atoms.push("deterministic(s0,s1)");
        if special.names_elements {
            atoms.extend(["{e1 : aa}", "{bb = e2}", "#x.({x : aa} & F {x = bb})"]);
        }
    }
    atoms.into_iter().map(str::to_owned).chain([format!("e(s{step})")]).collect()
}

fn premise(random: &mut Random, n_steps: u32) -> String {
    let (step, other) = (random.below(n_steps as usize), random.below(n_steps as usize));
    let premises = [
        format!("WF(s{step})"),
        format!("SF(s{step})"),
        format!("SF(s{step}) & WF(s{other})"),
        format!("WF(s{step}) or WF(s{other})"),
        format!("WF(s{step}) & WF(s{other})"),
        "WEF".to_owned(),
        "SEF".to_owned(),
        format!("SEF & WF(s{step})"),
        format!("WEF or WF(s{step})"),
    ];
    random.pick(&premises).clone()
}

fn plain() -> Config {
    let mut config = Config {
        invariant: false,
        deadlock: false,
        assertions: false,
        goal: false,
        gluing: false,
        find_all: true,
        max_states: Some(MAX_STATES),
        ..Config::default()
    };
    config.system.compiled = false;
    config.system.memo = false;
    config
}

fn compiled(change: impl Fn(&mut Config)) -> Config {
    let mut config = plain();
    (config.system.compiled, config.system.memo) = (true, true);
    change(&mut config);
    config
}

fn four_workers(config: &mut Config) {
    config.workers = NonZero::new(4).unwrap_or(NonZero::<usize>::MIN);
}

/// All ways for all formulas but the plain one.
fn ways() -> Vec<(&'static str, Config)> {
    vec![
        ("four workers", compiled(four_workers)),
        ("depth-first", compiled(|config| config.strategy = Strategy::DepthFirst)),
        ("symmetry auto", compiled(|config| config.symmetry = Method::Auto)),
        (
            "symmetry auto, four workers",
            compiled(|config| {
                config.symmetry = Method::Auto;
                four_workers(config);
            }),
        ),
        (
            "symmetry auto, depth-first",
            compiled(|config| {
                (config.symmetry, config.strategy) = (Method::Auto, Strategy::DepthFirst);
            }),
        ),
        ("symmetry canon", compiled(|config| config.symmetry = Method::Canon)),
        ("symmetry flood", compiled(|config| config.symmetry = Method::Flood)),
    ]
}

/// Ways for formulas that allow steps to be left out.
fn selecting_ways() -> Vec<(&'static str, Config)> {
    vec![
        ("partial order", compiled(|config| config.por = PorMode::Semantic)),
        ("partial order, syntactic", compiled(|config| config.por = PorMode::Syntactic)),
        (
            "partial order, four workers",
            compiled(|config| {
                config.por = PorMode::Semantic;
                four_workers(config);
            }),
        ),
        (
            "partial order and symmetry",
            compiled(|config| {
                (config.por, config.symmetry) = (PorMode::Semantic, Method::Auto);
            }),
        ),
    ]
}

/// A case with the formulas that were prepared, and the verdicts of the plain run.
struct FormulaRun<'r> {
    case: &'r FormulaCase,
    project: Project,
    model: Model,
    prepared: Arc<Prepared>,
    expected: Vec<TemporalReport>,
    n_states: u64,
}

/// Checks the formulas of a case in all ways.
///
/// # Errors
/// The first verdict that differs, or a violation whose trace is not whole.
pub fn compare_formulas(case: &FormulaCase) -> Result<FormulaComparison, String> {
    let project = Project::new(&[("M.mch", &case.machine)]);
    let all: Vec<&CaseFormula> = case.formulas.iter().collect();
    let (model, prepared) = prepared(&project, &all)?;
    let report = check(&model, &Config { formulas: prepared.clone(), ..plain() }, &mut ());
    if report.limits.iter().any(|limit| limit.starts_with("stopped")) {
        return Ok(FormulaComparison::default());
    }
    let run = FormulaRun { case, project, model, prepared, expected: report.temporal, n_states: report.states };
    let mut compared = FormulaComparison { machines: 1, formulas: case.formulas.len(), ..FormulaComparison::default() };
    run.judge(&mut compared)?;
    for (way, config) in ways() {
        let config = Config { formulas: run.prepared.clone(), ..config };
        let report = check(&run.model, &config, &mut ());
        run.compare(way, &all, &report)?;
        if way == "symmetry auto" && report.states < run.n_states {
            compared.fair_and_symmetric += all.iter().filter(|formula| formula.text.contains("EF")).count();
        }
    }
    run.each_alone()?;
    compared.linear[case.kind as usize] = run.select(Logic::Ltl)?;
    compared.branching[case.kind as usize] = run.select(Logic::Ctl)?;
    Ok(compared)
}

fn prepared(project: &Project, formulas: &[&CaseFormula]) -> Result<(Model, Arc<Prepared>), String> {
    let texts: Vec<(Logic, &str)> = formulas.iter().map(|formula| (formula.logic, formula.text.as_str())).collect();
    let (model, prepared) = project.with_formulas(&texts, &plain()).ok_or_else(|| project.diagnostics())?;
    Ok((model, Arc::new(prepared)))
}

impl FormulaRun<'_> {
    /// Compares the plain run with the naive checkers.
    fn judge(&self, compared: &mut FormulaComparison) -> Result<(), String> {
        let graph = graph(&self.project, if self.case.kind == FormulaMachineKind::Guarded { "op" } else { "s" });
        for (formula, report) in self.case.formulas.iter().zip(&self.expected) {
            compared.violated += usize::from(report.verdict == TemporalVerdict::Violated);
            compared.unknown += usize::from(matches!(report.verdict, TemporalVerdict::Incomplete(_)));
            whole(report).map_err(|why| format!("plain: {}: {why}", formula.text))?;
            let (Some(graph), Some(simple)) = (&graph, &formula.simple) else { continue };
            compared.judged += 1;
            let is_true = holds(graph, formula.logic, simple);
            let verdict = if is_true { TemporalVerdict::Holds } else { TemporalVerdict::Violated };
            if report.verdict != verdict {
                let (text, found) = (&formula.text, &report.verdict);
                return Err(format!("plain: {text} is {found:?}, the naive checker says {verdict:?}"));
            }
        }
        Ok(())
    }

    /// Compares a run for some formulas with the plain one.
    fn compare(&self, way: &str, formulas: &[&CaseFormula], report: &Report) -> Result<(), String> {
        for (formula, found) in formulas.iter().zip(&report.temporal) {
            let expected = self.expected.iter().find(|expected| expected.formula == formula.text);
            let expected = expected.map(|expected| &expected.verdict);
            if expected.map(TemporalVerdict::name) != Some(found.verdict.name()) {
                return Err(format!("{way}: {} is {:?}, the plain run says {expected:?}", formula.text, found.verdict));
            }
            whole(found).map_err(|why| format!("{way}: {}: {why}", formula.text))?;
        }
        Ok(())
    }

    /// Checks each formula of linear time alone: steps that it does not need are not stored.
    fn each_alone(&self) -> Result<(), String> {
        for formula in self.case.formulas.iter().filter(|formula| formula.logic == Logic::Ltl) {
            let (model, formulas) = prepared(&self.project, &[formula])?;
            for (way, symmetry) in [("alone", Method::Off), ("alone, symmetry auto", Method::Auto)] {
                let config = compiled(|config| config.symmetry = symmetry);
                let report = check(&model, &Config { formulas: formulas.clone(), ..config }, &mut ());
                self.compare(way, &[formula], &report)?;
            }
        }
        Ok(())
    }

    /// Leaves out steps, for the formulas of a logic that allow it.
    fn select(&self, logic: Logic) -> Result<Reduced, String> {
        let refusals = self.prepared.refusals(&self.model);
        let allowed = self.case.formulas.iter().zip(&refusals);
        let allowed = allowed.filter(|(formula, refusal)| formula.logic == logic && refusal.is_none());
        let allowed: Vec<&CaseFormula> = allowed.map(|(formula, _)| formula).collect();
        if allowed.is_empty() {
            return Ok(Reduced::default());
        }
        let (model, prepared) = prepared(&self.project, &allowed)?;
        let mut reduced = Reduced { allowed: 1, ..Reduced::default() };
        for (way, config) in selecting_ways() {
            let config = Config { formulas: prepared.clone(), ..config };
            let report = check(&model, &config, &mut ());
            self.compare(way, &allowed, &report)?;
            if way == "partial order" {
                reduced.reduced = usize::from(report.por.is_some_and(|tally| tally.reduced > 0));
                reduced.smaller = usize::from(report.states < self.n_states);
            }
        }
        Ok(reduced)
    }
}

/// Whether a report has what it must have: a whole trace for a violation, a whole tree for one of branching time, and no mistakes in the formula.
fn whole(report: &TemporalReport) -> Result<(), String> {
    let mut branches: Vec<&Branch> = report.evidence.iter().map(|story| &story.root).collect();
    if branches.is_empty() && report.logic == Logic::Ctl && report.verdict == TemporalVerdict::Violated {
        return Err("no evidence".to_owned());
    }
    while let Some(branch) = branches.pop() {
        if let Some(gap) = &branch.gap {
            return Err(format!("evidence for {}: {gap}", branch.formula));
        }
        branches.extend(&branch.parts);
    }
    match (&report.verdict, &report.trace) {
        (TemporalVerdict::Violated, None) => Err("no trace".to_owned()),
        (TemporalVerdict::Violated, Some(trace)) => trace.gap.clone().map_or(Ok(()), Err),
        (TemporalVerdict::Error(why), _) => Err(why.clone()),
        (TemporalVerdict::IllDefined(atom), _) => Err(format!("`{atom}` has no value")),
        _ => Ok(()),
    }
}

/// The states and steps that the plain interpreter lists, unless something is ill-defined. Letters have the predicates, then the operation.
fn graph(project: &Project, operation: &str) -> Option<Graph> {
    let texts: Vec<FormulaText> = (0..N_PREDICATES)
        .map(|number| FormulaText {
            source: "<p>".to_owned(),
            text: format!("p{number}"),
            role: FormulaRole::Predicate,
        })
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
    let mut initial = Vec::new();
    for start in choices(&system, Origin::Root, MAX_STEPS).list {
        let starts = match system.is_running(Origin::State(&start.to)) {
            true => vec![start.to],
            false => {
                choices(&system, Origin::State(&start.to), MAX_STEPS).list.into_iter().map(|step| step.to).collect()
            }
        };
        initial.extend(starts.into_iter().map(|words| number_of(words, &mut todo)));
    }
    initial.sort_unstable();
    initial.dedup();
    let mut states = Vec::new();
    while let Some(words) = todo.get(states.len()).cloned() {
        let predicates = truths(&words);
        let found = choices(&system, Origin::State(&words), MAX_STEPS);
        if found.is_cut || !found.errors.is_empty() {
            return None;
        }
        let mut steps: Vec<(u32, usize)> = Vec::new();
        for step in found.list {
            let operation: u32 = step.name[operation.len()..].parse().expect("operations are numbered");
            steps.push((predicates | 1 << (N_PREDICATES + operation), number_of(step.to, &mut todo)));
        }
        steps.sort_unstable();
        steps.dedup();
        states.push(GraphState { predicates, steps });
    }
    Some(Graph { states, initial })
}

/// The verdict of the naive checkers.
fn holds(graph: &Graph, logic: Logic, text: &str) -> bool {
    let mut sources = SourceMap::new();
    let file = sources.add("<formula>", text);
    let source = TemporalText { file, base: 0, text };
    let holds = |atoms: &Atoms, letter: u32, atom: AtomId| letter >> bit(&atoms.get(atom).kind, N_PREDICATES) & 1 == 1;
    match logic {
        Logic::Ltl => {
            let mut ltl: Ltl = parse_ltl(source).0.expect("printed formulas can be read");
            let (root, place) = (ltl.root(), ltl.place(ltl.root()));
            ltl.push(LtlNode::Unary(UnaryTemporal::Not, root), place);
            !has_path(graph, &ltl, &|letter, atom| holds(&ltl.atoms, letter, atom))
        }
        Logic::Ctl => {
            let ctl = parse_ctl(source).0.expect("printed formulas can be read");
            let satisfied = satisfying(graph, &ctl, &|letter, atom| holds(&ctl.atoms, letter, atom));
            graph.initial.iter().all(|state| satisfied[*state])
        }
    }
}
