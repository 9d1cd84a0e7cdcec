//! `abridge animate`: step through a machine in the terminal, or drive it with commands on standard input.
//!
//! Each line is one command. [`Dialogue`] executes commands and answers with a [`Reply`]: text for people, a JSON object for
//! programs. `view.rs` renders the current state and its successors, `typed.rs` takes steps that are typed, described or left to chance, `tree.rs` keeps
//! what was undone.

mod beside;
mod ltl;
mod tree;
mod typed;
mod view;

use std::path::Path;
use std::time::Instant;

use abridge_check::{Animation, Config, Execution, Move, Place, Sought, TraceStep, find};
use abridge_diag::{Diagnostic, SourceMap, with_stack};
use abridge_explicit::Explicit;
use abridge_model::Model;
use abridge_model_system::{INITIALISATION_NAME, ModelSystem as _};
use abridge_sema::{FormulaAnalysis, FormulaBody, FormulaRole, Options};
use abridge_system::{FindingKind, Machine};
use clap::Args;
use serde_json::{Map, Value, json};

use crate::commands::{Compat, load_and_tell, system_of};
use crate::exit::Exit;
use crate::formulas::{analyse_one, calculate, fields, needs_of, tell, tell_error};
use crate::prompt::Prompt;
use crate::report::{conjunct_text, count, explanation_lines, json_diagnostics, text_diagnostics};
use crate::session::DialogueSession;
use crate::steps::{changes, event, shortened, steps_json, table};
use crate::talk::{Reply, Talk, converse};
use crate::trace_file::{self, NoReplay};
use crate::watch::{Watch, usual_budget};
use tree::Tree;
use view::AnimateView;

#[derive(Args)]
pub(crate) struct AnimateOptions {
    /// Maximum number of steps to list per operation, and of solutions to print
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,
    /// Follow the conventions of another tool where B leaves a choice
    #[arg(long, value_enum)]
    compat: Option<Compat>,
    /// Start with a saved trace
    #[arg(long, value_name = "TRACE")]
    load: Option<String>,
    /// Execute this command instead of reading commands; may be repeated
    #[arg(long = "do", value_name = "COMMAND", allow_hyphen_values = true)]
    commands: Vec<String>,
    /// Animate a refinement and its abstraction together, in two columns
    #[arg(long, conflicts_with = "load")]
    beside: bool,
}

const HELP: &str = "\
Commands:
  NUMBER          take the step with this number
  OP(VALUES)      take a step by its text, listed or not, as in `press(2)`
  init            take first steps until the machine is initialised
  exec OP PRED    take a step of an operation whose parameters satisfy a predicate
  walk N [SEED]   take N random steps
  b [N]           go back one step, or N steps
  redo            take the step again that was undone last
  tree            print all steps so far, those that were undone included, with numbers
  goto N          go to a step of the tree
  r               restart
  find PREDICATE  go to a nearest state that satisfies the predicate
  eval FORMULA    evaluate a formula in this state, or solve it; `eval` may be left out if no name is unknown
  ltl FORMULA     check an LTL formula on all paths from this state on
  past FORMULA    print the truth of an LTL formula and its parts along the steps so far
  vars            print all constants and variables in full
  inv             print the truth value of each invariant conjunct
  trace           print the steps so far
  save FILE       save the steps as a trace
  load FILE       replay a saved trace from the start
  q               quit
An empty line prints the state again.
";

pub(crate) fn run(file: &Path, options: &AnimateOptions, model_options: &Options, json: bool) -> Exit {
    let model_options = &Compat::options(options.compat, model_options);
    let analysis = load_and_tell(file, model_options, json.then(|| json!({})));
    let Some(model) = &analysis.model else { return Exit::WrongModel };
    if options.beside {
        return with_stack(|| beside::run(model, file, options, json));
    }
    with_stack(|| {
        let prompt = Prompt::new("animate", &options.commands);
        let session = DialogueSession::new(&prompt);
        let config = session.guarded(Compat::config(options.compat, Some(file), usual_budget()));
        let system = system_of(model, &config);
        let setting = Setting { file, sources: &analysis.sources, options, model_options, session: &session };
        let mut dialogue = session.run(|| Dialogue::new(setting, &system));
        let first = match &options.load {
            Some(trace) => session.run(|| dialogue.load(trace)),
            None => Reply::place(""),
        };
        converse(&mut dialogue, first, &session, prompt, json)
    })
}

/// Characters of the values of a step in the tree.
const MAX_TREE_CHARS: usize = 60;
/// Commands that can be completed.
const COMMANDS: &[&str] = &[
    "back", "redo", "tree", "goto", "restart", "find", "init", "exec", "walk", "eval", "ltl", "past", "vars", "inv",
    "trace", "save", "load", "help", "quit",
];

/// The position of a step that is given by its number or its text; a message if there is none.
fn chosen(choices: &[Move], choice: &str) -> Result<usize, String> {
    let n_choices = choices.len();
    if let Ok(number) = choice.parse::<usize>() {
        return match number.checked_sub(1).filter(|idx| *idx < n_choices) {
            Some(idx) => Ok(idx),
            None if n_choices == 0 => Err("no step is possible here".to_owned()),
            None => Err(format!("no step {number}: steps are numbered from 1 to {n_choices}")),
        };
    }
    let bare = |text: &str| -> String { text.chars().filter(|ch| !ch.is_whitespace()).collect() };
    let is_meant = |step: &Move| bare(&event(&step.name, &step.params, &[])) == bare(choice);
    let unknown = || format!("`{choice}` is neither a command nor a step; type `help` for a list of commands");
    choices.iter().position(is_meant).ok_or_else(unknown)
}

/// Goes back a number of steps, one if none is given.
fn back(animation: &mut Animation<'_, impl Machine>, steps: &str) -> Reply {
    let steps = match steps {
        "" => 1,
        text => match text.parse::<usize>() {
            Ok(steps) => steps,
            Err(_) => return Reply::error(format!("`{text}` is not a number of steps")),
        },
    };
    if animation.history().is_empty() && steps > 0 {
        return Reply::error("no step to undo");
    }
    animation.back(steps);
    Reply::place("")
}

/// What a dialogue is about, beside the system.
struct Setting<'a> {
    file: &'a Path,
    sources: &'a SourceMap,
    options: &'a AnimateOptions,
    model_options: &'a Options,
    session: &'a DialogueSession,
}

struct Dialogue<'a> {
    file: &'a Path,
    sources: &'a SourceMap,
    model: &'a Model,
    system: &'a Explicit<'a>,
    options: &'a AnimateOptions,
    model_options: &'a Options,
    session: &'a DialogueSession,
    animation: Animation<'a, Explicit<'a>>,
    tree: Tree,
}

impl<'a> Dialogue<'a> {
    fn new(setting: Setting<'a>, system: &'a Explicit<'a>) -> Self {
        let Setting { file, sources, options, model_options, session } = setting;
        let (animation, tree) = (Animation::new(system, options.limit), Tree::default());
        Dialogue { file, sources, model: system.model(), system, options, model_options, session, animation, tree }
    }

    /// How formulas and steps are evaluated, until the user interrupts.
    fn config(&self) -> Config {
        self.session.guarded(Compat::config(self.options.compat, Some(self.file), usual_budget()))
    }
}

impl Talk for Dialogue<'_> {
    fn command(&mut self, line: &str) -> Reply {
        let reply = self.execute(line);
        self.tree.record(self.animation.history());
        reply
    }

    fn text(&self, is_coloured: bool) -> String {
        AnimateView { dialogue: self, is_coloured }.text()
    }

    fn json(&self) -> Map<String, Value> {
        AnimateView { dialogue: self, is_coloured: false }.json()
    }

    fn words(&self) -> Vec<String> {
        let model = self.model;
        let names = model.constants.values().map(|it| it.name.to_string());
        let names = names.chain(model.variables.values().map(|it| it.name.to_string()));
        let names = names.chain(model.sets.values().map(|it| it.name.to_string()));
        let opening = |has_params: bool| if has_params { "(" } else { "" };
        let operations = model.transitions().map(|(_, op)| format!("{}{}", op.name, opening(!op.params.is_empty())));
        let choices = self.animation.choices().list.iter().map(|step| event(&step.name, &step.params, &[]));
        names.chain(operations).chain(choices).chain(COMMANDS.iter().map(|word| (*word).to_owned())).collect()
    }
}

impl Dialogue<'_> {
    fn execute(&mut self, line: &str) -> Reply {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match word {
            "" => Reply::place(""),
            "b" | "back" => back(&mut self.animation, rest),
            "redo" => self.redo(),
            "tree" => self
                .tree
                .reply(&|before, step| shortened(&changes(&TraceStep::of(self.system, before, step)), MAX_TREE_CHARS)),
            "goto" => self.goto(rest),
            "r" | "restart" => {
                self.animation.restart();
                Reply::place("")
            }
            "find" => self.find(rest),
            "init" => self.initialise(),
            "exec" => self.exec(rest),
            "walk" => self.walk(rest),
            "eval" => self.eval(rest),
            "ltl" => self.ltl(rest),
            "past" => self.past(rest),
            "vars" => AnimateView { dialogue: self, is_coloured: false }.variables(),
            "inv" => self.invariant(),
            "trace" => {
                let steps = self.animation.trace();
                Reply::text(table(&steps, self.first_number()), json!({ "trace": steps_json(&steps) }))
            }
            "save" => self.save(rest),
            "load" => self.load(rest),
            "h" | "help" | "?" => Reply::text(HELP, json!({ "help": HELP })),
            _ => self.take(line),
        }
    }

    /// A conjunct of the invariant as the user wrote it.
    fn conjunct(&self, idx: usize) -> String {
        conjunct_text(self.model, self.sources, &self.model.invariant[idx])
    }

    /// What makes a conjunct of the invariant false in this state.
    fn why_false(&self, idx: usize) -> Vec<String> {
        let kind = FindingKind::Invariant(idx as u32);
        let explanation = self.animation.state().and_then(|state| self.system.explain(kind, state));
        explanation.map_or_else(Vec::new, |found| explanation_lines(self.sources, &found.parts, &found.reasons))
    }

    /// Number of the first step, as in the traces of `check`: the initialisation is the first one.
    fn first_number(&self) -> usize {
        usize::from(!self.system.has_setup())
    }

    /// Says which first steps are missing.
    fn uninitialised(&self) -> Reply {
        let missing = match self.place() {
            Place::Start if self.system.has_setup() => "SETUP_CONSTANTS and INITIALISATION are missing",
            _ => "INITIALISATION is missing",
        };
        Reply::error(format!("the machine is not initialised: {missing}; `init` takes the first steps"))
    }

    fn place(&self) -> Place {
        Place::of_words(self.system, self.animation.state())
    }

    /// Steps of the machine from their values.
    fn shown(&self, executions: &[Execution]) -> Vec<Move> {
        executions.iter().map(|execution| execution.shown(self.system)).collect()
    }

    /// Takes a step, given by its number or its text.
    fn take(&mut self, choice: &str) -> Reply {
        match chosen(&self.animation.choices().list, choice) {
            Ok(idx) => self.animation.take(idx),
            Err(message) => return self.typed(choice).unwrap_or_else(|| self.formula(choice, message)),
        };
        Reply::place("")
    }

    /// The value of a text that is neither a command nor a step, if it is a formula without unknown names; else the message.
    fn formula(&self, text: &str, message: String) -> Reply {
        if text.starts_with(|ch: char| ch.is_ascii_digit()) && text.parse::<u64>().is_ok() {
            return Reply::error(message);
        }
        let analysis = analyse_one(Some(self.file), text, FormulaRole::Any, self.model_options);
        match analysis.formulas.first() {
            Some(formula) if analysis.model.is_some() && formula.free.is_empty() => self.eval(text),
            _ if text == INITIALISATION_NAME && !matches!(self.place(), Place::Running(_)) => self.uninitialised(),
            Some(formula) if analysis.model.is_some() && is_formula(text, &analysis) => {
                let free =
                    formula.free.iter().filter_map(|id| Some(analysis.model.as_ref()?.locals[*id].name.as_str()));
                let free = free.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
                Reply::error(format!("{message}; `eval {text}` looks for values of {free}"))
            }
            _ if is_formula(text, &analysis) => refused(&analysis),
            _ => Reply::error(message + &self.similar(text.split([' ', '(']).next().unwrap_or_default())),
        }
    }

    /// A command or an operation with nearly this name.
    fn similar(&self, name: &str) -> String {
        let operations = self.model.transitions().map(|(_, op)| op.name.as_str());
        let near = abridge_sema::nearest(name, operations.chain(COMMANDS.iter().copied()));
        near.map(|near| format!("; `{near}` is similar")).unwrap_or_default()
    }

    fn find(&mut self, text: &str) -> Reply {
        if text.is_empty() {
            return Reply::error("`find` needs a predicate, for example: find card(inside) > 1");
        }
        let analysis = analyse_one(Some(self.file), text, FormulaRole::Predicate, self.model_options);
        let pred = match (&analysis.model, analysis.formulas.first().map(|formula| formula.body)) {
            (Some(model), Some(FormulaBody::Pred(pred))) => (model, pred),
            _ => return refused(&analysis),
        };
        let (model, pred) = pred;
        let system = system_of(model, &self.config());
        let mut watch = Watch::new(Instant::now(), None, None, true, self.session.interrupt().clone());
        let start = self.place().words(&system);
        let sought = find(&system, start.as_deref(), &|state| system.holds(pred, state), &mut watch);
        watch.clear();
        match sought {
            Sought::Found(path) if path.is_empty() => Reply::place("the predicate holds in this state\n"),
            Sought::Found(path) => {
                let text = format!("found after {}\n", count(path.len(), "more step"));
                let befores = std::iter::once(start.as_deref()).chain(path.iter().map(|step| Some(step.to.as_slice())));
                let steps = befores.zip(&path).map(|(before, step)| system.execution_between(before, &step.to));
                // The same steps of the machine that is shown, whose states are numbered otherwise.
                match steps.collect::<Option<Vec<Execution>>>() {
                    Some(steps) => {
                        self.animation.follow(self.shown(&steps));
                        Reply::place(text)
                    }
                    None => Reply::error("a step to it could not be found again by the plain interpreter"),
                }
            }
            Sought::Nowhere => Reply::error("no reachable state satisfies the predicate"),
            Sought::Stopped(why) => Reply::error(format!("not found: {why}")),
            Sought::Failed(error) => {
                Reply::told(tell_error(&analysis.sources, &error.diagnostic(model), Exit::IllDefined))
            }
        }
    }

    fn eval(&self, text: &str) -> Reply {
        if text.is_empty() {
            return Reply::error("`eval` needs a formula, for example: eval card(inside)");
        }
        let analysis = analyse_one(Some(self.file), text, FormulaRole::Any, self.model_options);
        let (Some(model), Some(formula)) = (&analysis.model, analysis.formulas.first()) else {
            return refused(&analysis);
        };
        let place = self.place();
        let is_known = match place {
            Place::Start => abridge_check::Needs::Nothing,
            Place::SetUp(_) => abridge_check::Needs::Constants,
            Place::Running(_) => abridge_check::Needs::Variables,
        };
        if needs_of(model, formula) > is_known {
            return Reply::error("the formula refers to constants or variables without values; take a step first");
        }
        let calculation = calculate(model, formula, &place, self.options.limit, self.config());
        Reply::told(tell(model, &analysis.sources, &calculation))
    }

    fn invariant(&self) -> Reply {
        let Place::Running(state) = self.place() else {
            return self.uninitialised();
        };
        let mut text = String::new();
        let mut list = Vec::new();
        for (idx, truth) in self.system.judge().session().invariant(&state) {
            let conjunct = self.conjunct(idx);
            let (word, value) = match truth {
                Ok(true) => ("TRUE ".to_owned(), json!(true)),
                Ok(false) => ("FALSE".to_owned(), json!(false)),
                Err(error) => (format!("?      {}\n      ", error.diagnostic(self.model).message), Value::Null),
            };
            text += &format!("  {word}  {conjunct}\n");
            let why = if value == json!(false) { self.why_false(idx) } else { Vec::new() };
            text.extend(why.iter().map(|line| format!("           {line}\n")));
            list.push(json!({ "text": conjunct, "holds": value, "why": why }));
        }
        Reply::text(text, json!({ "invariant": list }))
    }

    fn save(&self, path: &str) -> Reply {
        if path.is_empty() {
            return Reply::error("`save` needs a file name, for example: save story.prob2trace");
        }
        let path = trace_file::path_of(path);
        match trace_file::save(&path, self.model, &self.animation.trace(), None, None) {
            Ok(()) => Reply::text(
                format!("saved {} to {}\n", count(self.animation.history().len(), "step"), path.display()),
                json!({ "saved": path }),
            ),
            Err(message) => Reply::error(message),
        }
    }

    fn load(&mut self, path: &str) -> Reply {
        if path.is_empty() {
            return Reply::error("`load` needs a file name, for example: load story.prob2trace");
        }
        let trace = match trace_file::load(&trace_file::path_of(path)) {
            Ok(trace) => trace,
            Err(message) => return Reply::error(message),
        };
        let replayed = match trace_file::replay_file(self.file, &trace, self.model_options, self.options.compat) {
            Ok(replayed) => replayed,
            Err(NoReplay::Value(message)) => return Reply::error(message),
            Err(NoReplay::Wrong(sources, diagnostics, _)) => {
                let json = json!({ "diagnostics": json_diagnostics(&sources, &diagnostics) });
                return Reply {
                    is_ok: false,
                    text: text_diagnostics(&sources, &diagnostics),
                    json: fields(json),
                    shows_place: false,
                };
            }
        };
        let failure = replayed.replay.failure;
        self.animation.restart();
        self.animation.follow(self.shown(&replayed.replay.moves));
        let text: String = replayed.notes.iter().map(|note| format!("note: {note}\n")).collect();
        match failure {
            None => Reply::place(text),
            Some(failure) => {
                let message = format!("step {} of {} fails: {}", failure.step + 1, trace.n_steps(), failure.reason);
                let json = fields(json!({ "message": message }));
                Reply { is_ok: false, text: format!("{text}{message}\n"), json, shows_place: true }
            }
        }
    }
}

/// Whether a text that was refused is meant as a formula, not as a command or a step: by its shape, or since what is wrong is not the first name.
fn is_formula(text: &str, analysis: &FormulaAnalysis) -> bool {
    let rest = text.trim_start_matches(|ch: char| ch.is_alphanumeric() || ch == '_' || ch == '.');
    let is_named = rest.len() < text.len() && !text.starts_with(|ch: char| ch.is_ascii_digit());
    let errors = analysis.diagnostics.iter().filter(|diagnostic| diagnostic.is_error());
    let is_later =
        errors.filter_map(Diagnostic::span).all(|span| analysis.files.contains(&span.file) && span.start > 0);
    match rest.trim_start().chars().next() {
        _ if !is_named => true,
        None => false,
        Some('(') => is_later,
        Some(ch) => !ch.is_alphanumeric() && !matches!(ch, '_' | '"' | '{'),
    }
}

/// A formula that was refused.
fn refused(analysis: &FormulaAnalysis) -> Reply {
    let diagnostics: Vec<Diagnostic> = analysis.relevant();
    let json = json!({ "kind": "error", "diagnostics": json_diagnostics(&analysis.sources, &diagnostics) });
    Reply {
        is_ok: false,
        text: text_diagnostics(&analysis.sources, &diagnostics),
        json: fields(json),
        shows_place: false,
    }
}
