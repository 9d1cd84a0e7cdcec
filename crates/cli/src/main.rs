//! `abridge`: the command line.
//!
//! This file holds argument parsing, help texts and dispatch. Each command has a file of its own under `commands/` and returns an
//! [`Exit`] status, which scripts rely on.

mod cache;
mod child;
mod commands;
mod csv;
mod disk;
mod endings;
mod exit;
mod files;
mod formulas;
mod key;
mod load;
mod out;
mod profile;
mod prompt;
mod report;
mod session;
mod steps;
mod symbols;
mod talk;
mod terminal;
mod text;
mod trace_file;
mod volume;
mod watch;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue};
use clap::{Args, CommandFactory, Parser, Subcommand};
use clap_complete::Shell;

use crate::commands::Compat;
use crate::exit::Exit;

/// A model checker and animator for the B method.
#[derive(Parser)]
#[command(name = "abridge", version, after_help = FIRST_STEPS, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    files: disk::FileOptions,
    /// Colours in messages, verdicts and the animator
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto", global = true)]
    color: terminal::Colours,
}

const FIRST_STEPS: &str = "\
First steps:
  abridge check lift.mch      verdict about all reachable states, with a shortest trace
  abridge animate lift.mch    steps by hand
  abridge repl lift.mch       values of formulas
  abridge help check          options of a command, with examples

docs/tutorial.md is a first hour with Abridge, docs/from-prob.md is for users of ProB.

Exit statuses:
  0    success: all properties hold, the formula is true, the command is done
  1    negative answer: formula false, trace not replayable, machines disagree
  2    usage error, or a file that cannot be written
  11   deadlock
  12   invariant violated
  13   temporal property violated
  14   assertion violated
  15   refinement violated
  20   incomplete: a limit was reached, or something could not be evaluated
  75   not well-defined, for example a division by zero
  150  model error: unreadable file, syntax, names or types
  101  internal error of Abridge; please report it";

#[derive(Subcommand)]
enum Command {
    /// Check all reachable states: invariant, deadlocks, assertions, goal, temporal properties
    #[command(after_help = CHECK_HELP)]
    Check {
        /// Machine file: .mch, .ref, .imp or .sys
        file: PathBuf,
        #[command(flatten)]
        check: Box<commands::check::CheckOptions>,
        #[command(flatten)]
        model: ModelOptions,
        #[command(flatten)]
        output: Output,
    },
    /// Step through a machine interactively
    #[command(after_help = ANIMATE_HELP)]
    Animate {
        /// Machine file: .mch, .ref, .imp or .sys
        file: PathBuf,
        #[command(flatten)]
        animate: commands::animate::AnimateOptions,
        #[command(flatten)]
        model: ModelOptions,
        #[command(flatten)]
        output: Output,
    },
    /// Evaluate formulas one after the other at a prompt, in the scope of a machine if one is given
    #[command(after_help = REPL_HELP)]
    Repl {
        #[command(flatten)]
        repl: commands::repl::ReplOptions,
        #[command(flatten)]
        model: ModelOptions,
        #[command(flatten)]
        output: Output,
    },
    /// Evaluate an expression, or decide or solve a predicate
    #[command(after_help = EVAL_HELP, override_usage = "abridge eval [OPTIONS] [FILE] FORMULA")]
    Eval {
        #[command(flatten)]
        eval: commands::eval::EvalOptions,
        #[command(flatten)]
        model: ModelOptions,
        #[command(flatten)]
        output: Output,
    },
    /// Check whether a machine refines another: traces, simulation with the gluing invariant, or failures
    #[command(
        after_help = "Examples:\n  abridge refine models/scheduler1.ref                   by traces\n  abridge refine models/scheduler1.ref --by simulation   with the gluing invariant\n  abridge refine new.mch --against old.mch               two machines without REFINES"
    )]
    Refine {
        /// Machine file: .ref, .imp, or any with --against
        file: PathBuf,
        #[command(flatten)]
        refine: commands::refine::RefineOptions,
        #[command(flatten)]
        model: ModelOptions,
        #[command(flatten)]
        output: Output,
    },
    /// Draw the state space, its symmetry quotient or one state, as DOT or SVG
    #[command(
        after_help = "Examples:\n  abridge graph models/LoginVerySimple.mch -o states.svg                     every state\n  abridge graph models/LoginVerySimple.mch --symmetry auto -o quotient.svg   one per orbit\n  abridge graph models/lift.mch --project level --project door -o doors.svg  states joined by values\n  abridge graph models/Personnel.mch --state 3 | dot -Tpdf -o state.pdf      one state as a graph"
    )]
    Graph {
        /// Machine file: .mch, .ref, .imp or .sys
        file: PathBuf,
        #[command(flatten)]
        graph: commands::graph::GraphOptions,
        #[command(flatten)]
        model: ModelOptions,
    },
    /// Replay saved traces
    #[command(subcommand)]
    Trace(TraceCommand),
    /// Parse, compose and type-check machines, in parallel
    #[command(
        after_help = "Examples:\n  abridge typecheck models\n  abridge typecheck lift.mch --set-size FLOOR=4 -p MAXINT 10"
    )]
    Typecheck {
        /// Machine files, or folders to search for .mch, .ref, .imp and .sys files
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Number of threads [default: all cores]
        #[arg(long, value_name = "N")]
        jobs: Option<usize>,
        #[command(flatten)]
        model: ModelOptions,
        #[command(flatten)]
        output: Output,
    },
    /// Format a file
    #[command(
        after_help = "Examples:\n  abridge fmt lift.mch              print the formatted text\n  abridge fmt lift.mch --write      overwrite the file\n  abridge fmt lift.mch --unicode    write ∈, ∧, ⇸ for :, &, +->"
    )]
    Fmt {
        /// Machine or definition file
        file: PathBuf,
        /// Use mathematical symbols
        #[arg(long, conflicts_with = "ascii")]
        unicode: bool,
        /// Use ASCII operators (default)
        #[arg(long)]
        ascii: bool,
        /// Overwrite the file instead of printing
        #[arg(long)]
        write: bool,
        /// Maximum line width
        #[arg(long, default_value_t = 100)]
        width: usize,
        #[command(flatten)]
        output: Output,
    },
    /// Show a machine as Abridge reads it: overview, types, model, symmetry
    #[command(
        after_help = "Examples:\n  abridge show models/lift.mch               overview\n  abridge show models/lift.mch --types       declared names with their types\n  abridge show models/lift.mch --model       typed model, as it is checked\n  abridge show models/mutex.mch --symmetry   interchangeable elements"
    )]
    Show {
        /// Machine file: .mch, .ref, .imp or .sys
        file: PathBuf,
        /// Syntax tree
        #[arg(long, group = "view")]
        ast: bool,
        /// Declared names with their types
        #[arg(long, group = "view")]
        types: bool,
        /// Composed and typed model
        #[arg(long = "model", group = "view")]
        model_view: bool,
        /// Interchangeable elements of each given set, and the reason why others are not
        #[arg(long, group = "view")]
        symmetry: bool,
        #[command(flatten)]
        model: ModelOptions,
        #[command(flatten)]
        output: Output,
    },
    /// Show an LTL formula as a checker sees it: class, stutter invariance, automaton
    #[command(after_help = LTL_HELP)]
    Ltl {
        #[command(flatten)]
        ltl: commands::ltl::LtlOptions,
        #[command(flatten)]
        output: Output,
    },
    /// Show the dependences between operations that partial order reduction uses, with reasons
    #[command(
        after_help = "An instance is an operation with values for its parameters. Independent\ninstances commute, so that `abridge check --por` explores one order of them only.\n\nExamples:\n  abridge por models/mutex.mch            dependence matrix, and the reason for each dependence\n  abridge por models/mutex.mch --of ask   dependences of the operation ask\n  abridge por models/mutex.mch --dot enabling | dot -Tsvg > enabling.svg"
    )]
    Por {
        /// Machine file: .mch, .ref, .imp or .sys
        file: PathBuf,
        #[command(flatten)]
        por: commands::por::PorOptions,
        #[command(flatten)]
        model: ModelOptions,
        #[command(flatten)]
        output: Output,
    },
    /// Show the reductions that a machine defines, and what is proved, tested or refuted about each
    #[command(
        after_help = "Examples:\n  abridge canonizers models/Ring.mch                      proofs and tests of each reduction\n  abridge canonizers models/Ring.mch --check-reduce       comparison with the whole state space\n  abridge check models/Ring.mch --reduce rot              search with a reduction\n\ndocs/canonizers.md explains the definitions and the checks."
    )]
    Canonizers {
        /// Machine file: .mch, .ref, .imp or .sys
        file: PathBuf,
        #[command(flatten)]
        canonizers: commands::canonizers::CanonizersOptions,
        #[command(flatten)]
        model: ModelOptions,
        #[command(flatten)]
        output: Output,
    },
    /// Parse one file and report syntax errors
    #[command(after_help = "Example:\n  abridge parse models/lift.mch")]
    Parse {
        /// Machine or definition file
        file: PathBuf,
        #[command(flatten)]
        output: Output,
    },
    /// Execute a command line of ProB: its options become commands of Abridge; what has no effect or cannot be done is reported
    #[command(
        after_help = "Examples:\n  abridge probcli lift.mch -model_check -p MAXINT 10\n  abridge probcli --explain lift.mch -mc 1000 -nodead   the commands that this becomes\n  abridge probcli --list                                all options\n\ndocs/from-prob.md explains the differences."
    )]
    Probcli {
        #[command(flatten)]
        output: Output,
        #[command(flatten)]
        probcli: commands::probcli::ProbcliOptions,
    },
    /// Preferences of ProB: what each does here, or why it does nothing
    #[command(after_help = "Examples:\n  abridge preferences\n  abridge preferences symmetry")]
    Preferences {
        #[command(flatten)]
        preferences: commands::preferences::PreferencesOptions,
        #[command(flatten)]
        output: Output,
    },
    /// Check a folder of machines against a table of expected results
    #[command(after_help = CORPUS_HELP)]
    Corpus {
        #[command(flatten)]
        corpus: commands::corpus::CorpusOptions,
        #[command(flatten)]
        output: Output,
    },
    /// Benchmark sets of models: states, transitions, time, memory
    #[command(after_help = BENCH_HELP, args_conflicts_with_subcommands = true)]
    Bench {
        #[command(subcommand)]
        tables: Option<BenchCommand>,
        #[command(flatten)]
        bench: commands::bench::BenchOptions,
        #[command(flatten)]
        output: Output,
    },
    /// Print the manual page, of the program or of one command
    #[command(after_help = "Example:\n  abridge man > ~/.local/share/man/man1/abridge.1")]
    Man {
        /// Command
        command: Option<String>,
    },
    /// Print a shell completion script
    Completions {
        /// Shell to generate the script for
        shell: Shell,
    },
}

#[derive(Subcommand)]
enum BenchCommand {
    /// Print the tables of the symmetry papers beside our numbers, as Markdown
    Tables(commands::tables::TablesOptions),
}

#[derive(Subcommand)]
enum TraceCommand {
    /// Replay a trace step by step on a machine
    #[command(after_help = REPLAY_HELP)]
    Replay {
        /// Machine file: .mch, .ref, .imp or .sys
        file: PathBuf,
        /// Trace file written by `check --save-trace`, by `animate` or by ProB 2
        trace: PathBuf,
        /// Follow the conventions of another tool where B leaves a choice
        #[arg(long, value_enum)]
        compat: Option<Compat>,
        #[command(flatten)]
        model: ModelOptions,
        #[command(flatten)]
        output: Output,
    },
}

const CHECK_HELP: &str = "\
The verdict is `holds` only after an exhaustive, exact search. A violation comes with a shortest
trace: one line per step, with the values that the step changed. A search that ends early reports
`no violation found` with the limit that ended it.

Examples:
  abridge check models/lift.mch
  abridge check models/mutex.mch --set-size PROC=4
  abridge check models/lift.mch --find all --max-states 1000000
  abridge check models/airlock.mch --save-trace story.prob2trace
  abridge check models/lift.mch --ltl \"G ({level = 0} => F {level = 1})\"";

const LTL_HELP: &str = "\
The automaton accepts the paths that satisfy the formula. A path is infinite or ends in a deadlock;
a state says for which last states of a path it accepts. An infinite path is accepted if some run
has every mark infinitely often. Fairness premises are no part of the automaton. Operations and
predicates are not looked up, so no machine is needed.

Examples:
  abridge ltl \"G ([request] => F [serve])\"
  abridge ltl \"G ([request] => F [serve])\" --violations --hoa
  abridge ltl \"GF {on = TRUE}\" --svg > automaton.svg";

const EVAL_HELP: &str = "\
Without a machine, the formula may use numbers, sets, relations and the built-in libraries. With a
machine, it may also use the sets, constants, definitions and variables of the machine. Variables
have their values in the first initial state; --state chooses another one.

Examples:
  abridge eval \"SIGMA(x).(x:1..10|x*x)\"         385 : INTEGER
  abridge eval \"!x.(x:1..5 => x*x < 30)\"        TRUE
  abridge eval \"x:1..5 & x*x > 10\"              solutions for x
  abridge eval models/lift.mch \"LEVELS - calls\"
  abridge eval models/mutex.mch \"waiting\" --state 5
  abridge eval -p MAXINT 10 \"NAT\"
  abridge eval -- \"-7 / 2\"                     formula with a leading minus";

const ANIMATE_HELP: &str = "\
Commands are read from the terminal, a file or a pipe. Type `help` at the prompt for a list.

  abridge animate models/airlock.mch
  printf '1\\nfind card(is_open) = 2\\nsave story.prob2trace\\n' | abridge animate models/airlock.mch

With --json, each command is answered by one JSON object on one line.";

const REPL_HELP: &str = "\
Type `:help` at the prompt for a list of commands. Tab completes names and symbols (`\\forall`), Ctrl-C ends an evaluation.

Examples:
  abridge repl
  abridge repl models/lift.mch
  echo 'x:1..5 & x*x > 10' | abridge repl";

const REPLAY_HELP: &str = "\
Traces have the format of ProB 2 (.prob2trace). Parameters, results and values that the trace does
not give are unconstrained.

Example:
  abridge check models/airlock.mch --save-trace story.prob2trace
  abridge trace replay models/airlock.mch story.prob2trace";

const CORPUS_HELP: &str = "\
Each machine is checked by `abridge check FILE --compat prob --survey --json` in a process of its
own. Rows of kind `exact` or `likely` agree if verdict and counts are equal, other rows if the
verdict is equal.

Examples:
  abridge corpus machines --expect expected.csv --kind exact
  abridge corpus machines --expect expected.csv --only Puzzles --timeout 120 -- --no-memo";

const BENCH_HELP: &str = "\
Models run one after the other, each in a process of its own, so time and memory are per model.

Examples:
  abridge bench engine
  abridge bench engine --repeat 3 --out before.json
  abridge bench engine --against before.json
  abridge bench tables
  abridge bench models/Dining.mch -- --set-size Phil=4 --workers 1";

/// Options that determine the model, besides its file.
#[derive(Args, Default)]
struct ModelOptions {
    /// Additional search folder for machines and definition files (repeatable)
    #[arg(long, value_name = "DIR")]
    include: Vec<PathBuf>,
    /// Set a preference, as in ProB (repeatable), for example -p MAXINT 10
    #[arg(short = 'p', long = "preference", num_args = 2, value_names = ["NAME", "VALUE"], allow_negative_numbers = true)]
    preferences: Vec<String>,
    /// Set the size of a deferred set (repeatable)
    #[arg(long = "set-size", value_name = "SET=N", value_parser = set_size)]
    set_sizes: Vec<(String, u32)>,
    /// Do not assume abstract preconditions in the operations of a refinement (implied by --compat prob)
    #[arg(long)]
    ignore_abstract_preconditions: bool,
}

impl ModelOptions {
    fn to_sema(&self) -> abridge_sema::Options {
        let pairs = self.preferences.chunks_exact(2).map(|pair| (pair[0].clone(), pair[1].clone()));
        abridge_sema::Options {
            include: self.include.clone(),
            preferences: pairs.collect(),
            set_sizes: self.set_sizes.clone(),
            ignore_abstract_preconditions: self.ignore_abstract_preconditions,
            ..abridge_sema::Options::default()
        }
    }
}

fn set_size(text: &str) -> Result<(String, u32), String> {
    let (name, size) = text.split_once('=').ok_or("expected SET=N, for example PROC=3")?;
    let size: u32 = size.trim().parse().map_err(|_| format!("`{size}` is not a valid size"))?;
    if size == 0 { Err("the size of a set is at least 1".to_owned()) } else { Ok((name.trim().to_owned(), size)) }
}

#[derive(Args, Clone, Copy)]
struct Output {
    /// Print JSON instead of text
    #[arg(long)]
    json: bool,
}

fn main() -> ExitCode {
    exit::end_on_panic();
    out::end_with_the_reader();
    let cli = match Cli::try_parse_from(arguments()) {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    disk::allow(cli.files);
    terminal::choose(cli.color);
    let exit = execute(cli.command);
    out::flush();
    exit.into()
}

/// The arguments of the process. What `eval` gets may begin with a minus sign; a blank before it says that it is no option.
fn arguments() -> Vec<OsString> {
    let mut words: Vec<OsString> = std::env::args_os().collect();
    let is_eval = words.get(1).is_some_and(|word| word == "eval");
    let is_preference = |word: &OsString| word == "-p" || word == "--preference";
    let negated = |word: &OsString| {
        let text = word.to_str()?;
        let rest = text.strip_prefix('-')?;
        rest.starts_with(|ch: char| ch.is_ascii_digit() || ch == '(').then(|| OsString::from(format!(" {text}")))
    };
    for idx in 2..words.len() {
        let is_value = words[idx - 2..idx].iter().any(is_preference);
        if let Some(word) = negated(&words[idx]).filter(|_| is_eval && !is_value) {
            words[idx] = word;
        }
    }
    words
}

/// Tells what is wrong with a command line, or prints the help that it asks for.
fn usage(error: &clap::Error) -> ExitCode {
    let word = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(word)) if Path::new(word).is_file() => word,
        _ => error.exit(),
    };
    out::errln!(
        "error: `{word}` is no command; `abridge check {word}` checks it, `abridge animate {word}` steps through it"
    );
    Exit::Usage.into()
}

/// Executes a command line that was made by another command.
fn execute_line(words: &[String]) -> Exit {
    let words = std::iter::once("abridge").chain(words.iter().map(String::as_str));
    match Cli::try_parse_from(words) {
        Ok(cli) => execute(cli.command),
        Err(error) => {
            out::errln!("{error}");
            Exit::Usage
        }
    }
}

fn execute(command: Command) -> Exit {
    match command {
        Command::Parse { file, output } => commands::parse::run(&file, output.json),
        Command::Typecheck { files, jobs, model, output } => {
            commands::typecheck::run(&files, jobs, &model.to_sema(), output.json)
        }
        Command::Show { file, ast, types, model_view, symmetry, model, output } => {
            let view = match (ast, types, model_view, symmetry) {
                (true, ..) => commands::show::ShowView::Ast,
                (_, true, ..) => commands::show::ShowView::Types,
                (_, _, true, _) => commands::show::ShowView::Model,
                (.., true) => commands::show::ShowView::Symmetry,
                _ => commands::show::ShowView::Overview,
            };
            commands::show::run(&file, view, &model.to_sema(), output.json)
        }
        Command::Check { file, check, model, output } => {
            commands::check::run(&file, &check, &model.to_sema(), output.json)
        }
        Command::Refine { file, refine, model, output } => {
            commands::refine::run(&file, &refine, &model.to_sema(), output.json)
        }
        Command::Graph { file, graph, model } => commands::graph::run(&file, &graph, &model.to_sema()),
        Command::Por { file, por, model, output } => commands::por::run(&file, &por, &model.to_sema(), output.json),
        Command::Canonizers { file, canonizers, model, output } => {
            commands::canonizers::run(&file, &canonizers, &model.to_sema(), output.json)
        }
        Command::Ltl { ltl, output } => commands::ltl::run(&ltl, output.json),
        Command::Eval { eval, model, output } => commands::eval::run(&eval, &model.to_sema(), output.json),
        Command::Repl { repl, model, output } => commands::repl::run(&repl, &model.to_sema(), output.json),
        Command::Animate { file, animate, model, output } => {
            commands::animate::run(&file, &animate, &model.to_sema(), output.json)
        }
        Command::Trace(TraceCommand::Replay { file, trace, compat, model, output }) => {
            commands::trace::replay(&file, &trace, &model.to_sema(), compat, output.json)
        }
        Command::Corpus { corpus, output } => commands::corpus::run(&corpus, output.json),
        Command::Bench { tables: Some(BenchCommand::Tables(tables)), .. } => commands::tables::run(&tables),
        Command::Bench { tables: None, bench, output } => commands::bench::run(&bench, output.json),
        Command::Fmt { file, unicode, width, write, output, .. } => {
            commands::fmt::run(&file, unicode, width, write, output.json)
        }
        Command::Probcli { probcli, output } => commands::probcli::run(&probcli, output.json, &execute_line),
        Command::Preferences { preferences, output } => commands::preferences::run(&preferences, output.json),
        Command::Man { command } => manual(command.as_deref()),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "abridge", &mut script);
            out::raw(&script);
            Exit::Ok
        }
    }
}

/// Prints a manual page.
fn manual(name: Option<&str>) -> Exit {
    let program = Cli::command();
    let command = match name {
        None => Some(program),
        Some(name) => program.find_subcommand(name).map(|command| {
            let title: &'static str = Box::leak(format!("abridge-{name}").into_boxed_str());
            command.clone().name(title).bin_name(format!("abridge {name}"))
        }),
    };
    let Some(command) = command else {
        out::errln!("error: no command `{}`; `abridge --help` lists all", name.unwrap_or_default());
        return Exit::Usage;
    };
    let mut page = Vec::new();
    match clap_mangen::Man::new(command).render(&mut page) {
        Ok(()) => out::raw(&page),
        Err(error) => out::errln!("error: cannot write the page: {error}"),
    }
    Exit::Ok
}
