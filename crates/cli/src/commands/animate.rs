//! `abridge animate`: step through a machine in the terminal, or drive it with commands on standard input.
//!
//! Each line is one command. [`Dialogue`] executes commands and answers with a [`Reply`]: text for people, a JSON object for
//! programs. `view.rs` renders the current state and its successors.

mod ltl;
mod view;

use std::io::{BufRead as _, IsTerminal as _};
use std::path::Path;
use std::time::Instant;

use abridge_check::{Animation, Execution, Move, Place, Sought, TraceStep, find};
use abridge_diag::{Diagnostic, with_stack};
use abridge_explicit::Explicit;
use abridge_model::{Model, dump};
use abridge_sema::{FormulaAnalysis, FormulaBody, Options, Role};
use clap::Args;
use serde_json::{Map, Value, json};

use crate::commands::{Compat, complain, print_json, system};
use crate::exit::Exit;
use crate::formulas::{Told, analyse_one, calculate, fields, needs_of, tell, tell_error};
use crate::load::load;
use crate::out::{flush, out};
use crate::report::{count, json_diagnostics, text_diagnostics};
use crate::steps::{label, steps_json, table};
use crate::trace_file::{self, NoReplay};
use crate::watch::{Interrupt, Watch, usual_budget};
use view::View;

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
}

const HELP: &str = "\
  NUMBER          take the step with this number; its text works too, as in `press(2)`
  b [N]           go back one step, or N steps
  r               restart
  find PREDICATE  go to a nearest state that satisfies the predicate
  eval FORMULA    evaluate an expression or predicate in this state
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

/// Answer to a command.
struct Reply {
    is_ok: bool,
    text: String,
    json: Map<String, Value>,
    /// Print the current state and its successors as well.
    shows_place: bool,
}

impl Reply {
    fn place(text: impl Into<String>) -> Reply {
        Reply { is_ok: true, text: text.into(), json: Map::new(), shows_place: true }
    }

    fn text(text: impl Into<String>, json: Value) -> Reply {
        Reply { is_ok: true, text: text.into(), json: fields(json), shows_place: false }
    }

    fn error(message: impl Into<String>) -> Reply {
        let message = message.into();
        Reply { is_ok: false, json: fields(json!({ "message": message })), text: message + "\n", shows_place: false }
    }
}

pub(crate) fn run(file: &Path, options: &AnimateOptions, model_options: &Options, json: bool) -> Exit {
    let model_options = &Compat::options(options.compat, model_options);
    let analysis = load(file, model_options);
    let Some(model) = &analysis.model else {
        if json {
            let diagnostics = json_diagnostics(&analysis.sources, &analysis.diagnostics);
            print_json(&json!({ "ok": false, "diagnostics": diagnostics }));
        } else {
            complain(&analysis.sources, &analysis.diagnostics);
        }
        return Exit::WrongModel;
    };
    if !json {
        complain(&analysis.sources, &analysis.diagnostics);
    }
    with_stack(|| {
        let system = system(model, Some(file), options.compat);
        let mut dialogue = Dialogue::new(file, &system, options, model_options);
        let first = match &options.load {
            Some(trace) => dialogue.load(trace),
            None => Reply::place(""),
        };
        dialogue.converse(first, json)
    })
}

struct Dialogue<'a> {
    file: &'a Path,
    model: &'a Model,
    system: &'a Explicit<'a>,
    options: &'a AnimateOptions,
    model_options: &'a Options,
    animation: Animation<'a, Explicit<'a>>,
    interrupt: Interrupt,
}

impl<'a> Dialogue<'a> {
    fn new(file: &'a Path, system: &'a Explicit<'a>, options: &'a AnimateOptions, model_options: &'a Options) -> Self {
        let animation = Animation::new(system, options.limit);
        let interrupt = Interrupt::new();
        interrupt.set(true);
        Dialogue { file, model: system.model(), system, options, model_options, animation, interrupt }
    }

    /// Reads and answers commands until end of input or `quit`.
    fn converse(&mut self, first: Reply, json: bool) -> Exit {
        let is_person = std::io::stdin().is_terminal();
        let mut all_ok = first.is_ok;
        self.answer("", first, json);
        let mut line = String::new();
        loop {
            if is_person && !json {
                out!("> ");
            }
            flush();
            line.clear();
            match std::io::stdin().lock().read_line(&mut line) {
                Ok(0) | Err(_) => break,
                Ok(_) => {}
            }
            let command = line.trim();
            if matches!(command, "q" | "quit" | "exit") {
                break;
            }
            let reply = with_stack(|| self.command(command));
            all_ok &= reply.is_ok;
            self.answer(command, reply, json);
        }
        if all_ok || is_person { Exit::Ok } else { Exit::No }
    }

    fn answer(&self, command: &str, reply: Reply, json: bool) {
        let view = View { dialogue: self, is_coloured: !json && std::io::stdout().is_terminal() };
        if json {
            let mut object = fields(json!({ "command": command, "ok": reply.is_ok }));
            object.extend(reply.json);
            if reply.shows_place {
                object.extend(view.json());
            }
            print_json(&object);
        } else {
            out!("{}", reply.text);
            if reply.shows_place {
                out!("{}", view.text());
            }
        }
    }

    fn command(&mut self, line: &str) -> Reply {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match word {
            "" => Reply::place(""),
            "b" | "back" => self.back(rest),
            "r" | "restart" => {
                self.animation.restart();
                Reply::place("")
            }
            "find" => self.find(rest),
            "eval" => self.eval(rest),
            "ltl" => self.ltl(rest),
            "past" => self.past(rest),
            "vars" => View { dialogue: self, is_coloured: false }.variables(),
            "inv" => self.invariant(),
            "trace" => {
                let steps = self.animation.trace();
                Reply::text(table(&steps, 1), json!({ "trace": steps_json(&steps) }))
            }
            "save" => self.save(rest),
            "load" => self.load(rest),
            "h" | "help" | "?" => Reply::text(HELP, json!({ "help": HELP })),
            _ => self.take(line),
        }
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
        let choices = &self.animation.choices().list;
        let n_choices = choices.len();
        let chosen = match choice.parse::<usize>() {
            Ok(number) => match number.checked_sub(1).filter(|idx| *idx < n_choices) {
                Some(idx) => idx,
                None if n_choices == 0 => return Reply::error("no step is possible here"),
                None => {
                    return Reply::error(format!("no step {number}: steps are numbered from 1 to {n_choices}"));
                }
            },
            Err(_) => {
                let bare = |text: &str| -> String { text.chars().filter(|ch| !ch.is_whitespace()).collect() };
                let is_meant = |taken: &Move| {
                    let step = TraceStep::of(self.system, None, &Move { outputs: Vec::new(), ..taken.clone() });
                    bare(&label(&step)) == bare(choice)
                };
                match choices.iter().position(is_meant) {
                    Some(idx) => idx,
                    None => {
                        return Reply::error(format!(
                            "`{choice}` is neither a command nor a step; type `help` for a list of commands"
                        ));
                    }
                }
            }
        };
        self.animation.take(chosen);
        Reply::place("")
    }

    fn back(&mut self, steps: &str) -> Reply {
        let steps = match steps {
            "" => 1,
            text => match text.parse::<usize>() {
                Ok(steps) => steps,
                Err(_) => return Reply::error(format!("`{text}` is not a number of steps")),
            },
        };
        if self.animation.history().is_empty() && steps > 0 {
            return Reply::error("no step to undo");
        }
        self.animation.back(steps);
        Reply::place("")
    }

    fn find(&mut self, text: &str) -> Reply {
        if text.is_empty() {
            return Reply::error("`find` needs a predicate, for example: find card(inside) > 1");
        }
        let analysis = analyse_one(Some(self.file), text, Role::Predicate, self.model_options);
        let pred = match (&analysis.model, analysis.formulas.first().map(|formula| formula.body)) {
            (Some(model), Some(FormulaBody::Pred(pred))) => (model, pred),
            _ => return refused(&analysis),
        };
        let (model, pred) = pred;
        let system = system(model, Some(self.file), self.options.compat);
        let mut watch = Watch::new(Instant::now(), None, None, true, self.interrupt.clone());
        self.interrupt.set(false);
        let start = self.place().words(&system);
        let sought = find(&system, start.as_deref(), &|state| system.holds(pred, state), &mut watch);
        self.interrupt.set(true);
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
            Sought::Failed(error) => told(tell_error(&analysis.sources, &error.diagnostic(model), Exit::IllDefined)),
        }
    }

    fn eval(&self, text: &str) -> Reply {
        if text.is_empty() {
            return Reply::error("`eval` needs a formula, for example: eval card(inside)");
        }
        let analysis = analyse_one(Some(self.file), text, Role::Any, self.model_options);
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
        let config = Compat::config(self.options.compat, Some(self.file), usual_budget());
        told(tell(model, &analysis.sources, &calculate(model, formula, &place, self.options.limit, config)))
    }

    fn invariant(&self) -> Reply {
        let Place::Running(state) = self.place() else {
            return Reply::error("the machine is not initialised");
        };
        let mut text = String::new();
        let mut list = Vec::new();
        for (idx, truth) in self.system.judge().session().invariant(&state) {
            let conjunct = dump::pred_text(self.model, self.model.invariant[idx].pred);
            let (word, value) = match truth {
                Ok(true) => ("TRUE ".to_owned(), json!(true)),
                Ok(false) => ("FALSE".to_owned(), json!(false)),
                Err(error) => (format!("?      {}\n      ", error.diagnostic(self.model).message), Value::Null),
            };
            text += &format!("  {word}  {conjunct}\n");
            list.push(json!({ "text": conjunct, "holds": value }));
        }
        Reply::text(text, json!({ "invariant": list }))
    }

    fn save(&self, path: &str) -> Reply {
        if path.is_empty() {
            return Reply::error("`save` needs a file name, for example: save story.prob2trace");
        }
        let path = trace_file::path_of(path);
        match trace_file::save(&path, self.model, &self.animation.trace(), None) {
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

fn told(told: Told) -> Reply {
    let is_ok = matches!(told.exit, Exit::Ok | Exit::No);
    Reply { is_ok, text: told.text, json: told.json, shows_place: false }
}
