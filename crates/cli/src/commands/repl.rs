//! `abridge repl`: formulas at a prompt, in the scope of a machine if there is one.
//!
//! A line is a formula, or a command that begins with a colon. Formulas are answered as by `abridge eval`: expressions by their value, predicates by their truth, predicates with
//! unknown identifiers by solutions. What `:let` names is put around a formula as `LET`, so that it means the same as if it had been written there.

use std::path::{Path, PathBuf};

use abridge_check::{Config, Place};
use abridge_diag::{FileId, with_stack};
use abridge_eval::{Env, val_text};
use abridge_explicit::Explicit;
use abridge_model::{ExprId, Model, Type, TypeId};
use abridge_model_system::ModelSystem as _;
use abridge_sema::{Formula, FormulaAnalysis, FormulaBody, FormulaRole, Options};
use abridge_syntax::parse_formula;
use abridge_value::Value as BValue;
use clap::Args;
use serde_json::{Value, json};

use crate::commands::{Compat, load_and_tell, system_of};
use crate::exit::Exit;
use crate::formulas::{analyse_one, calculate, first_place, needs_of, tell};
use crate::load::load;
use crate::prompt::Prompt;
use crate::report::{count, json_diagnostics, text_diagnostics};
use crate::session::DialogueSession;
use crate::talk::{Reply, Talk, converse};
use crate::text::aligned;
use crate::watch::usual_budget;

#[derive(Args)]
pub(crate) struct ReplOptions {
    /// Machine file whose names formulas may use
    file: Option<PathBuf>,
    /// Maximum number of solutions to print
    #[arg(long, value_name = "N", default_value_t = 10)]
    limit: usize,
    /// Follow the conventions of another tool where B leaves a choice
    #[arg(long, value_enum)]
    compat: Option<Compat>,
}

const HELP: &str = "\
Commands:
  FORMULA          value of an expression, truth of a predicate, solutions for unknown names
  :type FORMULA    type of a formula and of its unknown identifiers
  :table FORMULA   set of tuples as a table
  :let X = EXPR    name for an expression; `:let` prints all names, `:let X` forgets one
  :browse          sets, constants, variables and operations of the machine
  :load FILE       use the names of another machine
  :reload          read the machine again
  :help            this list
  :quit            quit (Ctrl-D, too)
The first letters of a command are enough: `:t`, `:b`.
Variables have their values in the first initial state.
`\\forall`, `\\in`, ... and `\\u2200` stand for symbols; Tab completes them, and names.
Ctrl-C ends an evaluation.
";

/// Commands that can be completed.
const COMMANDS: &[&str] = &[":type", ":table", ":let", ":browse", ":load", ":reload", ":help", ":quit"];

pub(crate) fn run(options: &ReplOptions, model_options: &Options, json: bool) -> Exit {
    let prompt = Prompt::new("repl", &[]);
    let session = DialogueSession::new(&prompt);
    let model_options = Compat::options(options.compat, model_options);
    let mut repl = Repl { session: &session, options, model_options, file: None, lets: Vec::new(), words: Vec::new() };
    repl.words = repl.words_of(None);
    if let Some(file) = &options.file {
        let analysis = load_and_tell(file, &repl.model_options, json.then(|| json!({})));
        let Some(model) = &analysis.model else { return Exit::WrongModel };
        repl.words = repl.words_of(Some(model));
        repl.file = Some(file.clone());
    }
    let first = match prompt.is_person() && !json {
        true => Reply::text("type a formula, or `:help` for a list of commands\n", json!({})),
        false => Reply::text("", json!({ "machine": options.file })),
    };
    converse(&mut repl, first, &session, prompt, json)
}

struct Repl<'a> {
    session: &'a DialogueSession,
    options: &'a ReplOptions,
    model_options: Options,
    file: Option<PathBuf>,
    /// Names with the texts of their expressions, in the order of definition.
    lets: Vec<(String, String)>,
    words: Vec<String>,
}

impl Talk for Repl<'_> {
    fn command(&mut self, line: &str) -> Reply {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match whole(word) {
            "" => Reply::text("", json!({})),
            ":type" => self.about(rest, Repl::type_of),
            ":table" => self.about(rest, Repl::table),
            ":let" => self.define(rest),
            ":browse" => self.browse(),
            ":load" => self.load(Path::new(rest)),
            ":reload" => match self.file.clone() {
                Some(file) => self.load(&file),
                None => Reply::error("no machine to read again; `:load FILE` reads one"),
            },
            ":help" | ":?" | "help" => Reply::text(HELP, json!({ "help": HELP })),
            word if word.starts_with(':') => Reply::error(format!("no command `{word}`; `:help` prints all")),
            _ => self.about(line, Repl::evaluate),
        }
    }

    fn words(&self) -> Vec<String> {
        self.words.iter().cloned().chain(self.lets.iter().map(|(name, _)| name.clone())).collect()
    }
}

/// A command whose first letters are given. Of several, the first of the list is meant: `:t` is `:type`, as in ProB.
fn whole(word: &str) -> &str {
    let is_begun = |command: &&&str| word.len() > 1 && word.starts_with(':') && command.starts_with(word);
    COMMANDS.iter().find(is_begun).copied().unwrap_or(word)
}

/// A formula with its model.
struct ReplSubject<'s> {
    analysis: &'s FormulaAnalysis,
    model: &'s Model,
    formula: &'s Formula,
}

impl Repl<'_> {
    fn config(&self) -> Config {
        self.session.guarded(Compat::config(self.options.compat, self.file.as_deref(), usual_budget()))
    }

    fn words_of(&self, model: Option<&Model>) -> Vec<String> {
        let mut words: Vec<String> = COMMANDS.iter().chain(KEYWORDS).map(|word| (*word).to_owned()).collect();
        if let Some(model) = model {
            words.extend(model.sets.values().map(|it| it.name.to_string()));
            let elements =
                model.sets.values().flat_map(|set| (0..set.size()).map(|idx| set.element_name(idx).to_string()));
            words.extend(elements.take(MAX_COMPLETED_ELEMENTS));
            words.extend(model.constants.values().map(|it| it.name.to_string()));
            words.extend(model.variables.values().map(|it| it.name.to_string()));
        }
        words
    }

    /// A formula inside the names that it mentions, each inside those that were defined before it. They stand in a line of their own, so that messages show what was typed;
    /// there is none if no name is mentioned.
    fn with_lets(&self, text: &str) -> Option<String> {
        let (mut names, mut n_names) = (String::new(), 0);
        for (name, value) in self.lets.iter().rev() {
            if mentions(text, name) || mentions(&names, name) {
                names = format!("LET {name} BE {name} = ({value}) IN {names}");
                n_names += 1;
            }
        }
        (n_names > 0).then(|| format!("{names}\n{text}\n{}", "END ".repeat(n_names)))
    }

    /// The formula in the scope of the machine and of the names.
    fn analysed(&self, text: &str) -> FormulaAnalysis {
        let analyse = |text: &str| analyse_one(self.file.as_deref(), text, FormulaRole::Any, &self.model_options);
        let is_well_formed = || parse_formula(FileId(0), text).1.iter().all(|diagnostic| !diagnostic.is_error());
        match self.with_lets(text).filter(|_| is_well_formed()) {
            Some(whole) => {
                let mut analysis = analyse(&whole);
                analysis.files.iter().for_each(|file| analysis.sources.hide_first_line(*file));
                analysis
            }
            None => analyse(text),
        }
    }

    /// Answers a question about a formula.
    fn about(&self, text: &str, ask: fn(&Self, &ReplSubject<'_>) -> Reply) -> Reply {
        if text.is_empty() {
            return Reply::error("a formula is missing, for example: {1,2} \\/ {3}");
        }
        let analysis = self.analysed(text);
        match (&analysis.model, analysis.formulas.first()) {
            (Some(model), Some(formula)) => ask(self, &ReplSubject { analysis: &analysis, model, formula }),
            _ => refused(&analysis),
        }
    }

    /// The place in which a formula is evaluated.
    fn place(&self, system: &Explicit<'_>, subject: &ReplSubject<'_>) -> Result<Place, Reply> {
        first_place(system, needs_of(subject.model, subject.formula)).map_err(Reply::error)
    }

    fn evaluate(&self, subject: &ReplSubject<'_>) -> Reply {
        let ReplSubject { analysis, model, formula } = subject;
        let config = self.config();
        let place = match self.place(&system_of(model, &config), subject) {
            Ok(place) => place,
            Err(reply) => return reply,
        };
        let calculation = calculate(model, formula, &place, self.options.limit, config);
        Reply::told(tell(model, &analysis.sources, &calculation))
    }

    fn type_of(&self, subject: &ReplSubject<'_>) -> Reply {
        let ReplSubject { model, formula, .. } = subject;
        let ty = match formula.body {
            FormulaBody::Expr(expr) => model.type_text(model.ty(expr)),
            FormulaBody::Pred(_) => "predicate".to_owned(),
        };
        let free = formula.free.iter().map(|local| &model.locals[*local]);
        let free: Vec<(String, String)> = free.map(|it| (it.name.to_string(), model.type_text(it.ty))).collect();
        let text: String = free.iter().map(|(name, ty)| format!("{name} : {ty}\n")).collect();
        let identifiers: Vec<Value> = free.iter().map(|(name, ty)| json!({ "name": name, "type": ty })).collect();
        Reply::text(format!("{ty}\n{text}"), json!({ "kind": "type", "type": ty, "identifiers": identifiers }))
    }

    /// A set of tuples, one a row; columns are the parts of the tuples.
    fn table(&self, subject: &ReplSubject<'_>) -> Reply {
        let ReplSubject { model, formula, .. } = subject;
        let FormulaBody::Expr(expr) = formula.body else { return Reply::error("a table needs a set") };
        let Type::Pow(element) = model.types.get(model.ty(expr)) else { return Reply::error("a table needs a set") };
        let system = system_of(model, &self.config());
        let place = match self.place(&system, subject) {
            Ok(place) => place,
            Err(reply) => return reply,
        };
        match rows(&system, expr, &place, n_columns(model, *element)) {
            Ok(rows) => {
                let text = aligned(&rows, usize::MAX);
                Reply::text(format!("{text}{}\n", count(rows.len(), "row")), json!({ "kind": "table", "rows": rows }))
            }
            Err(message) => Reply::error(message),
        }
    }

    fn define(&mut self, text: &str) -> Reply {
        let is_inside = |ch: char| ch.is_alphanumeric() || ch == '_';
        let (name, rest) = text.split_at(text.len() - text.trim_start_matches(is_inside).len());
        // The sign may be left out, as in ProB.
        let value = rest.trim_start().strip_prefix('=').unwrap_or(rest).trim();
        if rest.is_empty() {
            return self.defined(text);
        }
        if !name.starts_with(char::is_alphabetic) || value.is_empty() {
            return Reply::error("`:let` needs a name and an expression, for example: :let s = {1,2,3}");
        }
        if mentions(value, name) {
            return Reply::error(format!("`{name}` cannot be defined by itself"));
        }
        let reply = self.about(value, |repl, subject| match subject.formula.body {
            FormulaBody::Expr(_) => repl.evaluate(subject),
            FormulaBody::Pred(_) => Reply::error("`:let` names expressions; `bool(...)` makes one of a predicate"),
        });
        if reply.is_ok {
            self.lets.retain(|(known, _)| known != name);
            self.lets.push((name.to_owned(), value.to_owned()));
        }
        reply
    }

    /// All names, or one name less.
    fn defined(&mut self, name: &str) -> Reply {
        if name.is_empty() {
            let text: String = self.lets.iter().map(|(name, value)| format!("{name} = {value}\n")).collect();
            let list: Vec<Value> = self.lets.iter().map(|(name, text)| json!({ "name": name, "text": text })).collect();
            return Reply::text(text, json!({ "lets": list }));
        }
        let n_before = self.lets.len();
        self.lets.retain(|(known, _)| known != name);
        match self.lets.len() < n_before {
            true => Reply::text("", json!({})),
            false => Reply::error(format!("no name `{name}`; `:let {name} = EXPR` defines it")),
        }
    }

    fn browse(&self) -> Reply {
        let Some(file) = &self.file else { return Reply::error("no machine; `:load FILE` reads one") };
        let analysis = load(file, &self.model_options);
        let Some(model) = &analysis.model else {
            return wrong(text_diagnostics(&analysis.sources, &analysis.diagnostics));
        };
        let mut rows: Vec<Vec<String>> = Vec::new();
        let mut add = |kind: &str, name: &str, ty: String| rows.push(vec![kind.to_owned(), name.to_owned(), ty]);
        for set in model.sets.values() {
            let kind = if set.is_deferred() { "deferred" } else { "enumerated" };
            add("set", &set.name, format!("{kind}, {} elements", set.size()));
        }
        model.constants.values().for_each(|it| add("constant", &it.name, model.type_text(it.ty)));
        model.state_variables().for_each(|(_, it)| add("variable", &it.name, model.type_text(it.ty)));
        for (_, op) in model.transitions() {
            let typed = |locals: &[abridge_model::LocalId]| -> String {
                let typed = locals.iter().map(|id| &model.locals[*id]);
                typed.map(|it| format!("{} : {}", it.name, model.type_text(it.ty))).collect::<Vec<_>>().join(", ")
            };
            let results = if op.outputs.is_empty() { String::new() } else { format!(" --> {}", typed(&op.outputs)) };
            add("operation", &op.name, format!("({}){results}", typed(&op.params)));
        }
        let list: Vec<Value> =
            rows.iter().map(|row| json!({ "kind": row[0], "name": row[1], "type": row[2] })).collect();
        Reply::text(aligned(&rows, usize::MAX), json!({ "names": list }))
    }

    fn load(&mut self, file: &Path) -> Reply {
        if file.as_os_str().is_empty() {
            return Reply::error("`:load` needs a file, for example: :load models/lift.mch");
        }
        let analysis = load(file, &self.model_options);
        let text = text_diagnostics(&analysis.sources, &analysis.diagnostics);
        let Some(model) = &analysis.model else { return wrong(text) };
        self.words = self.words_of(Some(model));
        self.file = Some(file.to_owned());
        Reply::text(format!("{text}loaded {}\n", model.name), json!({ "machine": file }))
    }
}

/// Keywords that can be completed.
const KEYWORDS: &[&str] = &[
    "BOOL", "FALSE", "FIN", "INTEGER", "MAXINT", "MININT", "NATURAL", "NATURAL1", "POW", "SIGMA", "STRING", "TRUE",
    "UNION", "card", "closure", "closure1", "first", "front", "inter", "iseq", "iterate", "last", "perm", "size",
    "struct", "tail", "union",
];
/// Elements of sets that can be completed.
const MAX_COMPLETED_ELEMENTS: usize = 1000;

/// Whether a name occurs in a text as a word.
fn mentions(text: &str, name: &str) -> bool {
    text.split(|ch: char| !ch.is_alphanumeric() && ch != '_').any(|word| word == name)
}

fn refused(analysis: &FormulaAnalysis) -> Reply {
    let diagnostics = analysis.relevant();
    let json = json!({ "kind": "error", "diagnostics": json_diagnostics(&analysis.sources, &diagnostics) });
    Reply { is_ok: false, ..Reply::text(text_diagnostics(&analysis.sources, &diagnostics), json) }
}

/// A machine with mistakes.
fn wrong(text: String) -> Reply {
    Reply { is_ok: false, ..Reply::text(text.clone(), json!({ "message": text })) }
}

/// The number of parts of a tuple, which associates to the left.
fn n_columns(model: &Model, ty: TypeId) -> usize {
    let (mut n_columns, mut ty) = (1, ty);
    while let Type::Pair(first, _) = model.types.get(ty) {
        n_columns += 1;
        ty = *first;
    }
    n_columns
}

/// The elements of a set, each with the texts of its parts.
fn rows(system: &Explicit<'_>, expr: ExprId, place: &Place, n_columns: usize) -> Result<Vec<Vec<String>>, String> {
    with_stack(|| {
        let model = system.model();
        let session = system.judge().session();
        let env = place.state().map_or_else(Env::empty, Env::new);
        let val = session.value(expr, &env).map_err(|error| error.diagnostic(model).message)?;
        let Some(set) = val.as_set() else { return Err("the set has too many elements for a table".to_owned()) };
        let row = |element: BValue| {
            let (mut parts, mut rest) = (Vec::new(), element);
            while parts.len() + 1 < n_columns
                && let Some((first, last)) = rest.as_pair().map(|(first, last)| (first.clone(), last.clone()))
            {
                parts.push(val_text(model, &last.into()));
                rest = first;
            }
            parts.push(val_text(model, &rest.into()));
            parts.reverse();
            parts
        };
        Ok(set.iter().map(row).collect())
    })
}
