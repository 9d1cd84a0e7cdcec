//! `abridge refine`: check whether a machine refines another.
//!
//! Options become a `check::Config`; the `Refinement` becomes text or JSON and an exit status. Exit 0 must mean that the refinement holds.

mod json;
mod picture;

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Instant;

use abridge_check::{
    Config, Counterexample, Failed, Method, Models, Named, Notion, Obligation, PairedStep, RefineConfig, Refinement,
    Refusal, SideBySide, Verdict, gluing_conjuncts, refine, refine_on_disk, refinement_fingerprint,
};
use abridge_diag::{Diagnostic, RenderConfig, SourceMap, render};
use abridge_model::{Model, Subst};
use abridge_sema::Options;
use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use crate::commands::places::{DiskOptions, Places, UNSAVED_METHOD};
use crate::commands::{Compat, account, complain, memory_size, print_json, seconds};
use crate::endings::{EndingWords, give_up, misuse};
use crate::exit::Exit;
use crate::files::replace_file;
use crate::load::load;
use crate::out::{errln, out, outln};
use crate::report::{count, json_diagnostics};
use crate::steps::{event, shortened};
use crate::text::io_text;
use crate::watch::{Guard, Interrupt, RunEnd, SearchSignals, Stage, Watch, grouped, peak_bytes, usual_budget};

pub(crate) use json::{obligation_name, values_json};

#[derive(Args)]
pub(crate) struct RefineOptions {
    /// What is meant by refinement
    #[arg(long, value_enum, default_value = "traces")]
    by: By,
    /// Machine to compare with: an abstraction of FILE, or any machine if FILE refines none [default: what FILE refines]
    #[arg(long, value_name = "MACHINE")]
    against: Option<PathBuf>,
    /// Operations that only the refinement has: an error, or steps that callers do not see
    #[arg(long, value_enum, value_name = "HOW")]
    new: Option<New>,
    /// Let operations of the refinement assume the abstract preconditions that its state decides. Not with `--by simulation`, which
    /// always assumes them
    #[arg(long)]
    assume_preconditions: bool,
    /// Follow the conventions of another tool where B leaves a choice
    #[arg(long, value_enum)]
    compat: Option<Compat>,
    /// Draw the counterexample, both machines side by side
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Stop after N pairs
    #[arg(long, value_name = "N", help_heading = "Limits")]
    max_states: Option<u64>,
    /// Do not visit pairs more than N steps away from the root
    #[arg(long, value_name = "N", help_heading = "Limits")]
    max_depth: Option<u32>,
    /// Stop after a number of seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds, help_heading = "Limits")]
    time: Option<f64>,
    /// Memory limit, for example 4G. Pairs that do not fit are written to files, see --spill. Without this option, the search stops at
    /// three quarters of the memory that was free at the start
    #[arg(long, value_name = "SIZE", value_parser = memory_size, help_heading = "Limits")]
    memory: Option<u64>,
    #[command(flatten)]
    disk: DiskOptions,
    /// Threads [default: all cores]. The results do not depend on it
    #[arg(long, value_name = "N", help_heading = "Search")]
    workers: Option<NonZero<usize>>,
    /// Evaluate with the reference interpreter only: slow, for comparison
    #[arg(long, help_heading = "Search")]
    plain: bool,
    /// Visit all pairs, also those that pairs with fewer abstract states cover
    #[arg(long, help_heading = "Reductions")]
    no_antichains: bool,
    /// Symmetry reduction, with one permutation for both machines
    #[arg(long, value_enum, default_value = "auto", help_heading = "Reductions")]
    symmetry: RefineSymmetry,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum By {
    /// Every trace of the refinement is one of the abstraction; preconditions are guards
    Traces,
    /// The gluing invariant is a simulation: the proof obligations of classical B, on reachable states
    Simulation,
    /// Traces, and what the refinement refuses the abstraction may refuse; new operations cannot go on for ever
    Failures,
}

impl By {
    fn name(self) -> &'static str {
        match self {
            By::Traces => "traces",
            By::Simulation => "simulation",
            By::Failures => "failures",
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum New {
    /// The abstraction has no such event
    Error,
    /// They refine `skip`
    Skip,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum RefineSymmetry {
    /// No symmetry reduction
    Off,
    /// Signatures of values and partition refinement, with search where these leave ties
    Auto,
    /// Canonical labelling of state graphs
    Canon,
    /// Permutation flooding, which stores the whole orbit of each pair
    Flood,
}

impl RefineSymmetry {
    fn method(self) -> Method {
        match self {
            RefineSymmetry::Off => Method::Off,
            RefineSymmetry::Auto => Method::Auto,
            RefineSymmetry::Canon => Method::Canon,
            RefineSymmetry::Flood => Method::Flood,
        }
    }
}

impl RefineOptions {
    fn config(&self, file: &Path, budget: u64) -> Config {
        let mut config = Compat::config(self.compat, Some(file), budget);
        config.max_states = self.max_states;
        config.max_depth = self.max_depth;
        config.workers = self.workers.or_else(|| thread::available_parallelism().ok()).unwrap_or(NonZero::<usize>::MIN);
        config.system.compiled = !self.plain;
        config.system.memo_bytes = self.memory.map(|memory| memory / 4);
        config.symmetry = self.symmetry.method();
        config
    }

    /// Keeps the limits while files are loaded, which looks at no flag.
    fn guard_loading(&self, file: &Path, start: Instant, interrupt: &Interrupt, json: bool) -> RunEnd {
        let budget = self.memory.unwrap_or_else(usual_budget);
        let (guard, path) = (Guard::new(start, self.time, budget, account(budget)), file.to_owned());
        interrupt.guard(guard.at_last(move |limit, _| give_up(&WORDS, &path, limit, Stage::Loading, 0, json)))
    }

    fn choices(&self, model: &Model) -> RefineConfig {
        let notion = match self.by {
            By::Traces => Notion::Traces,
            By::Simulation => Notion::Simulation,
            By::Failures => Notion::Failures,
        };
        // The preference is how machines themselves ask for it.
        let is_allowed = model.steering.preferences.flag("ALLOW_NEW_OPERATIONS_IN_REFINEMENT");
        let new_is_skip = self.new.map_or(is_allowed, |new| new == New::Skip);
        RefineConfig { notion, new_is_skip, antichains: !self.no_antichains }
    }
}

pub(crate) fn run(file: &Path, options: &RefineOptions, model_options: &Options, json: bool) -> Exit {
    let start = Instant::now();
    let mut model_options = Compat::options(options.compat, model_options);
    model_options.against = options.against.clone();
    model_options.ignore_abstract_preconditions = !options.assume_preconditions || options.by == By::Simulation;
    let interrupt = Interrupt::new();
    let loading = options.guard_loading(file, start, &interrupt, json);
    let mut analysis = load(file, &model_options);
    let distance = analysis.model.as_ref().and_then(|model| model.levels.get(1)).map_or(0, |level| level.distance);
    let n_links = if options.by == By::Simulation { distance.max(1) } else { 1 };
    if n_links > 1 {
        // The gluing invariant of each level is about the next one, so that there is one comparison for each.
        model_options.against = None;
        analysis = load(file, &model_options);
    }
    loading.answer();
    let Some(model) = &analysis.model else {
        return refuse(file, &analysis.sources, &analysis.diagnostics, json);
    };
    let links: Vec<Models> = (0..n_links).map_while(|level| Models::of_link(model, level)).collect();
    if links.is_empty() {
        let message = format!("`{}` refines no machine", model.name);
        let diagnostic = Diagnostic::error("no-abstraction", message)
            .help("check a .ref or .imp file, or name a machine to compare with: `--against MACHINE`");
        return refuse(file, &analysis.sources, &[diagnostic], json);
    }
    if options.symmetry == RefineSymmetry::Flood && options.disk.saves() {
        return misuse(file, json, UNSAVED_METHOD);
    }
    let places = match Places::new(&options.disk, options.memory, true) {
        Ok(places) => places,
        Err(message) => return misuse(file, json, &message),
    };
    if !json {
        complain(&analysis.sources, &analysis.diagnostics);
    }
    let choices = options.choices(model);
    let n_gluing = if options.by == By::Simulation { 0 } else { gluing_conjuncts(model).len() };
    let sources = &analysis.sources;
    let subjects: Vec<RefineSubject<'_>> =
        links.iter().map(|models| RefineSubject { file, models, sources, options, choices, n_gluing }).collect();
    let run = Run { model, places: &places, interrupt, start, json };
    let chain = match run.compare(&subjects) {
        Ok(chain) => chain,
        Err(message) => return misuse(file, json, &message),
    };
    let status = chain.finished.last().map_or(Exit::Incomplete, |(_, report, _)| exit_status(report));
    if json {
        let mut value = chain.json();
        value["resumed"] = json!(places.resumes);
        value["diagnostics"] = json!(json_diagnostics(&analysis.sources, &analysis.diagnostics));
        print_json(&value);
    } else {
        chain.print();
        chain.finished.last().iter().for_each(|(_, report, _)| places.print_outcome(&report.disk, "refine", file));
    }
    let drawn = chain.finished.last().map_or(Ok(()), |(subject, report, _)| subject.draw(report));
    // The process ends now, which gives memory back sooner than value by value.
    std::mem::forget(chain);
    std::mem::forget(links);
    match drawn {
        Ok(()) => status,
        Err(message) => {
            errln!("error: {message}");
            Exit::Usage
        }
    }
}

/// The comparisons of a chain, in their order, up to the first that does not hold.
struct Chain<'s> {
    /// Those that were finished, and held, before the run was saved that this one goes on with.
    held_before: &'s [RefineSubject<'s>],
    finished: Vec<(RefineSubject<'s>, Refinement, RefineTimes)>,
}

impl Chain<'_> {
    /// The last comparison says how the chain ended; the others, which hold, come with it.
    fn json(&self) -> Value {
        let before = self.held_before.iter().map(RefineSubject::held_before_json);
        let finished = self.finished.iter().map(|(subject, report, times)| subject.json(report, times));
        let values: Vec<Value> = before.chain(finished).collect();
        let mut value = values.last().cloned().unwrap_or_default();
        if values.len() > 1 {
            value["links"] = Value::Array(values);
        }
        value
    }

    fn print(&self) {
        for subject in self.held_before {
            let (concrete, abstracted) = subject.names();
            outln!("{concrete} refines {abstracted} by {} (shown before the checkpoint)", subject.options.by.name());
        }
        for (subject, report, times) in &self.finished {
            subject.print(report, times);
        }
    }
}

/// What the comparisons of a run have in common.
struct Run<'r> {
    model: &'r Model,
    places: &'r Places,
    interrupt: Interrupt,
    start: Instant,
    json: bool,
}

impl Run<'_> {
    /// Compares the levels of a chain, link by link; a message if the checkpoint is refused.
    ///
    /// A checkpoint belongs to one link. It is made only after those before have been shown to hold, with the same files and options:
    /// whoever goes on with it need not compare these again.
    fn compare<'s>(&self, subjects: &'s [RefineSubject<'s>]) -> Result<Chain<'s>, String> {
        let mut chain = Chain { held_before: &[], finished: Vec::new() };
        for (number, subject) in subjects.iter().enumerate() {
            let resumes = self.places.resumes && chain.finished.is_empty();
            match self.search(subject, resumes, number > 0) {
                Ok((report, times)) => {
                    let is_proved = report.verdict == Verdict::Holds;
                    chain.finished.push((*subject, report, times));
                    if !is_proved {
                        break;
                    }
                }
                Err(Refusal::OtherModel) if resumes && number + 1 < subjects.len() => {
                    chain.held_before = &subjects[..=number];
                }
                Err(refusal) => return Err(self.places.refusal_text(&refusal)),
            }
        }
        Ok(chain)
    }

    /// Compares two levels. The first checkpoint of a `later` link is made at once, since what was done before is lost without it.
    fn search(
        &self,
        subject: &RefineSubject<'_>,
        resumes: bool,
        later: bool,
    ) -> Result<(Refinement, RefineTimes), Refusal> {
        let RefineSubject { file, models, sources, options, choices, .. } = *subject;
        let Run { model, places, start, json, .. } = *self;
        let budget = options.memory.unwrap_or_else(usual_budget);
        let told = SearchSignals::default();
        let mut watch = Watch::new(start, options.time, Some(budget), !json, self.interrupt.clone())
            .heard_by(told.clone())
            .checkpoint_every(places.folder.is_some().then_some(options.disk.checkpoint_every));
        if later {
            watch = watch.checkpoint_soon();
        }
        let mut config = options.config(file, budget);
        // The flag aborts evaluations, whose steps are then missing. A checkpoint must not miss any.
        let mut stop = RunEnd::default();
        if places.folder.is_none() {
            let guard = Guard::new(start, options.time, budget, config.eval.memory.clone()).patient();
            let path = file.to_owned();
            stop = self.interrupt.guard(guard.at_last(move |limit, is_over| {
                let stage = if is_over { Stage::Telling } else { Stage::Searching };
                give_up(&WORDS, &path, limit, stage, told.n_states(), json);
            }));
            let RunEnd { flag, reason, is_over, .. } = stop.clone();
            (config.stop, config.stopped_for, config.is_search_over) = (flag, reason, is_over);
        }
        let search_start = Instant::now();
        let report = if places.are_used() {
            let texts = sources.iter().map(|(_, file)| &**file.text());
            let disk = places.disk(refinement_fingerprint(model, texts, &config, models, choices), resumes);
            refine_on_disk(models, &config, choices, disk, &mut watch)
        } else {
            Ok(refine(models, &config, choices, &mut watch))
        };
        stop.answer();
        watch.clear();
        Ok((
            report?,
            RefineTimes { search: search_start.elapsed().as_secs_f64(), total: start.elapsed().as_secs_f64() },
        ))
    }
}

/// Words of comparisons.
const WORDS: EndingWords = EndingWords { finding: ("failure", "counterexample"), visited: ("pair", "pairs") };

fn refuse(file: &Path, sources: &SourceMap, diagnostics: &[Diagnostic], json: bool) -> Exit {
    if json {
        let message = diagnostics.iter().find(|one| one.is_error()).map(|one| one.message.clone()).unwrap_or_default();
        let diagnostics = json_diagnostics(sources, diagnostics);
        print_json(&json!({ "file": file, "verdict": "error", "message": message, "diagnostics": diagnostics }));
    } else {
        complain(sources, diagnostics);
    }
    Exit::WrongModel
}

fn exit_status(report: &Refinement) -> Exit {
    match (report.verdict, &report.ill_defined) {
        (Verdict::Violated, Some(_)) => Exit::IllDefined,
        (Verdict::Violated, None) => Exit::Refinement,
        (Verdict::Incomplete, _) => Exit::Incomplete,
        _ => Exit::Ok,
    }
}

struct RefineTimes {
    search: f64,
    total: f64,
}

#[derive(Clone, Copy)]
struct RefineSubject<'s> {
    file: &'s Path,
    models: &'s Models,
    sources: &'s SourceMap,
    options: &'s RefineOptions,
    choices: RefineConfig,
    /// Conjuncts of the gluing invariant that are not looked at.
    n_gluing: usize,
}

impl RefineSubject<'_> {
    fn names(&self) -> (&str, &str) {
        (&self.models.concrete_level.name, &self.models.abstract_level.name)
    }

    fn print(&self, report: &Refinement, times: &RefineTimes) {
        let (concrete, abstracted) = self.names();
        let by = self.options.by.name();
        match (&report.counterexample, &report.ill_defined) {
            (found, Some((operation, error))) => {
                let place = operation.as_ref().map(|name| format!(" in {name}")).unwrap_or_default();
                let n_steps = found.as_ref().map_or(0, n_steps);
                outln!("not well-defined{place} after {}", count(n_steps, "step"));
                out!("{}", render(self.sources, error, RenderConfig::default()));
                found.iter().for_each(|found| self.print_steps(found));
                operation.iter().for_each(|name| self.print_notion(name));
            }
            (Some(found), None) => self.print_failure(found),
            (None, None) if report.verdict == Verdict::Holds => {
                outln!("{concrete} refines {abstracted} by {by} ({} visited)", pairs(report.pairs));
            }
            (None, None) => {
                let limit = report.limits.first().map_or("incomplete", String::as_str);
                outln!("no failure found ({limit}; {} in {:.2} s)", pairs(report.pairs), times.search);
            }
        }
        for limit in report.limits.iter().skip(usize::from(report.counterexample.is_none())) {
            outln!("  {limit}");
        }
        if self.n_gluing > 0 && report.counterexample.is_none() && report.ill_defined.is_none() {
            let conjuncts = count(self.n_gluing, "gluing conjunct");
            outln!("  {conjuncts} of the invariant not checked: {by} do not look at them, `--by simulation` does");
        }
        for (operation, diagnostic) in report.failures.iter().take(3).filter(|_| report.ill_defined.is_none()) {
            out!("{}", render(self.sources, &self.with_hint(operation, diagnostic), RenderConfig::default()));
        }
        outln!();
        outln!(
            "{}, {} transitions, depth {}, {:.2} s, {} MB",
            pairs(report.pairs),
            grouped(report.transitions),
            report.depth,
            times.total,
            peak_bytes() >> 20
        );
        let never = report.coverage.iter().filter(|one| one.transitions == 0 && report.counterexample.is_none());
        let never: Vec<&str> = never.map(|one| one.operation.as_str()).collect();
        if !never.is_empty() && self.choices.notion != Notion::Simulation {
            outln!("operations never taken: {}", never.join(", "));
        }
    }

    /// Implementations leave the types of parameters to the preconditions of their abstraction.
    fn with_hint(&self, operation: &str, diagnostic: &Diagnostic) -> Diagnostic {
        let diagnostic = diagnostic.clone();
        let may_assume = !self.options.assume_preconditions && self.options.by != By::Simulation;
        match diagnostic.id {
            "unbounded-value" if may_assume && self.has_abstract_precondition(operation) => {
                diagnostic.help("`--by simulation` and `--assume-preconditions` take the bounds of the abstraction")
            }
            _ => diagnostic,
        }
    }

    fn print_failure(&self, found: &Counterexample) {
        let (concrete, abstracted) = self.names();
        let Some(failed) = &found.failed else {
            outln!("{concrete} does not refine {abstracted}: new operations can go on for ever");
            self.print_steps(found);
            return;
        };
        let call = event(&failed.operation, &failed.params, &failed.outputs);
        let after = count(n_steps(found).saturating_sub(1), "step");
        let why = match failed.obligation {
            Obligation::Initialisation => format!("{abstracted} has no initial state for one of {concrete}"),
            Obligation::Trace if self.is_new(&failed.operation) => {
                format!("{abstracted} has no operation {}; `--new skip` takes it for a hidden step", failed.operation)
            }
            Obligation::Trace => format!("{abstracted} refuses `{call}` after {after}"),
            Obligation::Precondition => {
                format!("precondition of {concrete} excludes `{call}` after {after}, that of {abstracted} allows it")
            }
            Obligation::Outcome => format!("no outcome of {abstracted} matches `{call}` after {after}"),
            Obligation::Refusal => format!("{concrete} refuses `{call}` after {after}, {abstracted} never does"),
            Obligation::Operation => format!("{concrete} has no operation {}", failed.operation),
        };
        outln!("{concrete} does not refine {abstracted}: {why}");
        self.print_steps(found);
        for candidate in failed.candidates.iter().take(MAX_PRINTED_STATES) {
            outln!("  {abstracted} could go to {}, but false: {}", state_text(&candidate.state), candidate.fault);
            for part in &candidate.parts {
                outln!("    {} is {}", part.text, part.value);
            }
        }
        if failed.candidates.len() > MAX_PRINTED_STATES {
            outln!("  and to others that do not fit");
        }
        match failed.obligation {
            Obligation::Trace | Obligation::Refusal | Obligation::Outcome | Obligation::Precondition => {
                self.print_allowed(failed);
            }
            Obligation::Initialisation | Obligation::Operation => {}
        }
        if failed.obligation == Obligation::Trace {
            self.print_notion(&failed.operation);
        }
    }

    /// In classical B a refinement may do anything outside an abstract precondition, and need not repeat it. Only simulation takes it so.
    fn print_notion(&self, operation: &str) {
        if self.options.by != By::Simulation && self.has_abstract_precondition(operation) {
            let (_, abstracted) = self.names();
            outln!("  `--by simulation` looks at `{operation}` only where its precondition in {abstracted} holds");
        }
    }

    fn has_abstract_precondition(&self, operation: &str) -> bool {
        let abstracted = &self.models.abstracted;
        let op = self.models.abstract_level.operation(operation);
        op.is_some_and(|op| matches!(abstracted.subst(abstracted.operations[op].body), Subst::Pre { .. }))
    }

    fn print_allowed(&self, failed: &Failed) {
        let (_, abstracted) = self.names();
        if failed.allowed.is_empty() {
            outln!("  {abstracted} allows nothing there");
            return;
        }
        outln!("  {abstracted} allows there:");
        for step in &failed.allowed {
            let states =
                if step.n_states > 1 { format!("  ({} states)", grouped(step.n_states as u64)) } else { String::new() };
            outln!("    {}{states}", event(&step.name, &step.params, &step.outputs));
        }
        if failed.n_allowed > failed.allowed.len() {
            outln!("    and {} more", failed.n_allowed - failed.allowed.len());
        }
    }

    fn is_new(&self, operation: &str) -> bool {
        self.models.abstract_level.operation(operation).is_none()
    }

    /// Both machines step by step, with what each step changes.
    fn print_steps(&self, found: &Counterexample) {
        let (concrete, abstracted) = self.names();
        outln!();
        let first = 1 - found.n_setup.min(1);
        let rows: Vec<[Vec<String>; 3]> =
            (0..found.steps.len()).map(|idx| row(found, idx).map(|cell| folded(&cell))).collect();
        let width = |column: usize, title: &str| {
            let widths = rows.iter().flat_map(|row| &row[column]).map(|line| line.chars().count());
            widths.chain([title.len()]).max().unwrap_or(0).min(MAX_COLUMN_WIDTH)
        };
        let (left, middle) = (width(0, ""), width(1, concrete));
        outln!("       {:<left$}  {concrete:<middle$}  {abstracted}", "");
        for (idx, cells) in rows.iter().enumerate() {
            if found.loop_start == Some(idx) {
                outln!("  for ever:");
            }
            for line in 0..cells.iter().map(Vec::len).max().unwrap_or(0).max(1) {
                let [label, own, other] = cells.each_ref().map(|cell| cell.get(line).map_or("", String::as_str));
                let number = if line == 0 { (first + idx).to_string() } else { String::new() };
                let row = format!("  {number:>3}  {label:<left$}  {own:<middle$}  {other}");
                outln!("{}", row.trim_end());
            }
        }
        if let Some(gap) = &found.gap {
            outln!("  the trace is incomplete: {gap}");
        }
    }

    /// Writes the picture that was asked for; a message if that fails.
    fn draw(&self, report: &Refinement) -> Result<(), String> {
        let Some(path) = &self.options.svg else { return Ok(()) };
        let Some(found) = &report.counterexample else {
            errln!("no counterexample, so that {} was not written", path.display());
            return Ok(());
        };
        let picture = picture::svg(self.names(), found);
        replace_file(path, picture).map_err(|error| format!("cannot write `{}`: {}", path.display(), io_text(&error)))
    }
}

fn pairs(n: u64) -> String {
    format!("{} {}", grouped(n), if n == 1 { "pair" } else { "pairs" })
}

/// Number of steps without the set-up.
fn n_steps(found: &Counterexample) -> usize {
    found.steps.len() - found.n_setup
}

fn step_label(step: &PairedStep) -> String {
    event(&step.name, &step.params, &step.outputs)
}

fn state_text(state: &[Named]) -> String {
    items(state).join(", ")
}

/// Columns of a run are made no wider than this.
const MAX_COLUMN_WIDTH: usize = 48;

/// Abstract states of one step that are printed.
const MAX_PRINTED_STATES: usize = 3;

/// A cell of a run as lines: values follow each other as long as there is room.
fn folded(cell: &Cell) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for state in cell {
        let mut is_first = true;
        for item in state {
            match lines.last_mut() {
                Some(line) if !is_first && line.chars().count() + item.chars().count() + 2 <= MAX_COLUMN_WIDTH => {
                    line.push_str(", ");
                    line.push_str(item);
                }
                Some(line) if !is_first => {
                    line.push(',');
                    lines.push(format!("  {item}"));
                }
                Some(_) => lines.push(format!("| {item}")),
                None => lines.push(item.clone()),
            }
            is_first = false;
        }
    }
    lines
}

/// States, each as a list of values.
type Cell = Vec<Vec<String>>;

fn items(state: &[Named]) -> Vec<String> {
    state.iter().map(|value| format!("{} = {}", value.name, shortened(&value.text, 60))).collect()
}

/// A step of a run: its label, and what it does in both machines.
fn row(found: &Counterexample, idx: usize) -> [Cell; 3] {
    let step = &found.steps[idx];
    let before = idx.checked_sub(1).map(|idx| &found.steps[idx].state);
    let failed = found.failed.as_ref().filter(|_| idx + 1 == found.steps.len());
    let own = changes(before.map(|state| state.concrete.as_slice()), &step.state.concrete);
    let (own, other) = match failed.map(|failed| failed.obligation) {
        None => (own, abstract_cell(before, &step.state)),
        Some(Obligation::Precondition) => (remark("precondition false"), remark("precondition true")),
        Some(Obligation::Refusal) => (remark("refuses"), remark("accepts")),
        Some(Obligation::Operation) => (remark("has no such operation"), remark("accepts")),
        Some(_) => (own, remark("cannot follow")),
    };
    [remark(&step_label(step)), own, other]
}

fn remark(text: &str) -> Cell {
    vec![vec![text.to_owned()]]
}

/// Values that are new.
fn changes(before: Option<&[Named]>, now: &[Named]) -> Cell {
    let is_new = |value: &&Named| !before.is_some_and(|before| before.contains(value));
    vec![items(&now.iter().filter(is_new).cloned().collect::<Vec<Named>>())]
}

/// The states that the abstraction may be in after a step; of one that follows one, what is new.
fn abstract_cell(before: Option<&SideBySide>, state: &SideBySide) -> Cell {
    if let [only] = &state.abstracted[..] {
        let before = before.filter(|before| before.n_abstract == 1).and_then(|before| before.abstracted.first());
        return changes(before.map(Vec::as_slice), only);
    }
    let shown = state.abstracted.iter().take(MAX_PRINTED_STATES);
    let mut cell: Cell = shown.map(|state| items(state)).collect();
    let n_more = state.n_abstract - cell.len();
    if n_more > 0 {
        cell.push(vec![format!("and {} more", grouped(n_more as u64))]);
    }
    cell
}
