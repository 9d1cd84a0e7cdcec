//! `abridge`: the command line.
//!
//! Argument parsing and dispatch stand here; each command has a file under `commands/`.

mod cache;
mod child;
mod commands;
mod csv;
mod disk;
mod drawing;
mod exit;
mod files;
mod formulas;
mod key;
mod load;
mod out;
mod profile;
mod report;
mod steps;
mod text;
mod trace_file;
mod volume;
mod watch;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, CommandFactory, Parser, Subcommand};
use clap_complete::Shell;

use crate::commands::Compat;
use crate::exit::Exit;

/// A model checker and animator for the B method.
#[derive(Parser)]
#[command(name = "abridge", version, after_help = EXIT_STATUSES, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    files: disk::FileOptions,
}

const EXIT_STATUSES: &str = "\
Exit statuses:
  0    everything holds, the formula is true, or done
  1    the answer is no: a false formula, a trace that cannot be replayed, machines that disagree
  2    wrong use of the command line, or a file that cannot be written
  11   a deadlock
  12   the invariant is violated
  14   an assertion is violated
  20   stopped early, or not everything could be visited
  75   something is not well-defined, for instance a division by zero
  150  the model is wrong (unreadable file, syntax, names, types)
  101  a bug of Abridge; please report it";

#[derive(Subcommand)]
enum Command {
    /// Read one file and say whether its syntax is right
    #[command(after_help = "Example:\n  abridge parse models/lift.mch")]
    Parse {
        /// A machine or a file of definitions
        file: PathBuf,
        #[command(flatten)]
        output: Output,
    },
    /// Read, compose and type machines: many files and folders at once
    #[command(
        after_help = "Examples:\n  abridge typecheck models\n  abridge typecheck lift.mch --set-size FLOOR=4 -p MAXINT 10"
    )]
    Typecheck {
        /// Machines, or folders to search for .mch, .ref, .imp and .sys files
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Threads to use; all cores if not given
        #[arg(long, value_name = "N")]
        jobs: Option<usize>,
        #[command(flatten)]
        model: ModelOptions,
        #[command(flatten)]
        output: Output,
    },
    /// Show what Abridge understands of a machine
    #[command(
        after_help = "Examples:\n  abridge show models/lift.mch            an overview\n  abridge show models/lift.mch --types    every declared name with its type\n  abridge show models/lift.mch --model    the typed model that is checked\n  abridge show models/mutex.mch --symmetry   which elements are interchangeable"
    )]
    Show {
        /// The machine: a .mch, .ref, .imp or .sys file
        file: PathBuf,
        /// The syntax tree
        #[arg(long, group = "view")]
        ast: bool,
        /// Declared names with their types
        #[arg(long, group = "view")]
        types: bool,
        /// The composed, typed model
        #[arg(long = "model", group = "view")]
        model_view: bool,
        /// Which elements of given sets are interchangeable, and why others are not
        #[arg(long, group = "view")]
        symmetry: bool,
        #[command(flatten)]
        model: ModelOptions,
        #[command(flatten)]
        output: Output,
    },
    /// Explore all reachable states: invariant, deadlocks, assertions, goal
    #[command(after_help = CHECK_HELP)]
    Check {
        /// The machine: a .mch, .ref, .imp or .sys file
        file: PathBuf,
        #[command(flatten)]
        check: commands::check::CheckOptions,
        #[command(flatten)]
        model: ModelOptions,
        #[command(flatten)]
        output: Output,
    },
    /// Draw a state space, its quotient by symmetry, or the graph of one state, as DOT or SVG
    #[command(
        after_help = "Examples:\n  abridge graph models/LoginVerySimple.mch -o states.svg                     all states\n  abridge graph models/LoginVerySimple.mch --symmetry auto -o quotient.svg   one state of each class\n  abridge graph models/Personnel.mch --state 3 | dot -Tpdf -o state.pdf      the graph of one state"
    )]
    Graph {
        /// The machine: a .mch, .ref, .imp or .sys file
        file: PathBuf,
        #[command(flatten)]
        graph: commands::graph::GraphOptions,
        #[command(flatten)]
        model: ModelOptions,
    },
    /// Show which steps of a machine depend on which, and why: what partial order reduction works with
    #[command(
        after_help = "An instance is an operation with values for its parameters. Instances that do not depend on each other can be taken in any order,\nso that `abridge check --por` needs to try one order only.\n\nExamples:\n  abridge por models/mutex.mch                        the matrix of dependences, and the reason of each\n  abridge por models/mutex.mch --of ask               only what concerns the operation ask\n  abridge por models/mutex.mch --dot enabling | dot -Tsvg > enabling.svg"
    )]
    Por {
        /// The machine: a .mch, .ref, .imp or .sys file
        file: PathBuf,
        #[command(flatten)]
        por: commands::por::PorOptions,
        #[command(flatten)]
        model: ModelOptions,
        #[command(flatten)]
        output: Output,
    },
    /// Calculate: the value of an expression, the truth or the solutions of a predicate
    #[command(after_help = EVAL_HELP, override_usage = "abridge eval [OPTIONS] [FILE] FORMULA")]
    Eval {
        #[command(flatten)]
        eval: commands::eval::EvalOptions,
        #[command(flatten)]
        model: ModelOptions,
        #[command(flatten)]
        output: Output,
    },
    /// Step through a machine: choose steps, go back, search, evaluate
    #[command(after_help = ANIMATE_HELP)]
    Animate {
        /// The machine: a .mch, .ref, .imp or .sys file
        file: PathBuf,
        #[command(flatten)]
        animate: commands::animate::AnimateOptions,
        #[command(flatten)]
        model: ModelOptions,
        #[command(flatten)]
        output: Output,
    },
    /// Work with saved traces
    #[command(subcommand)]
    Trace(TraceCommand),
    /// Check a folder of machines against known answers
    #[command(after_help = CORPUS_HELP)]
    Corpus {
        #[command(flatten)]
        corpus: commands::corpus::CorpusOptions,
        #[command(flatten)]
        output: Output,
    },
    /// Measure sets of models: states, transitions, seconds, memory
    #[command(after_help = BENCH_HELP, args_conflicts_with_subcommands = true)]
    Bench {
        #[command(subcommand)]
        tables: Option<BenchCommand>,
        #[command(flatten)]
        bench: commands::bench::BenchOptions,
        #[command(flatten)]
        output: Output,
    },
    /// Print a file in standard layout
    #[command(
        after_help = "Examples:\n  abridge fmt lift.mch              to the terminal\n  abridge fmt lift.mch --write      change the file\n  abridge fmt lift.mch --unicode    with ∈, ∧, ⇸ for :, &, +->"
    )]
    Fmt {
        /// A machine or a file of definitions
        file: PathBuf,
        /// Mathematical symbols
        #[arg(long, conflicts_with = "ascii")]
        unicode: bool,
        /// ASCII operators (the default)
        #[arg(long)]
        ascii: bool,
        /// Write the result to the file instead of the terminal
        #[arg(long)]
        write: bool,
        /// Columns to use
        #[arg(long, default_value_t = 100)]
        width: usize,
        #[command(flatten)]
        output: Output,
    },
    /// Write a completion script for a shell
    Completions { shell: Shell },
}

#[derive(Subcommand)]
enum BenchCommand {
    /// The tables of the papers on symmetry with our numbers beside the published ones, as markdown
    Tables(commands::tables::TablesOptions),
}

#[derive(Subcommand)]
enum TraceCommand {
    /// Follow a trace step by step and say whether the machine can do it
    #[command(after_help = REPLAY_HELP)]
    Replay {
        /// The machine: a .mch, .ref, .imp or .sys file
        file: PathBuf,
        /// A file written by `check --save-trace`, by `animate`, or by ProB 2
        trace: PathBuf,
        /// Follow the conventions of another tool where B leaves room
        #[arg(long, value_enum)]
        compat: Option<Compat>,
        #[command(flatten)]
        model: ModelOptions,
        #[command(flatten)]
        output: Output,
    },
}

const CHECK_HELP: &str = "\
The verdict `holds` is given only if every reachable state was visited. A violation comes with the
shortest trace that leads to it, one line a step, with what the step changed.

Examples:
  abridge check models/lift.mch
  abridge check models/mutex.mch --set-size PROC=4
  abridge check models/lift.mch --find all --max-states 1000000
  abridge check models/airlock.mch --save-trace story.prob2trace";

const EVAL_HELP: &str = "\
Without a machine the formula is about numbers, sets, relations and what the built-in libraries
define. With one it also sees the machine's sets, constants, definitions and variables; those have
their values in the first initial state.

Examples:
  abridge eval \"SIGMA(x).(x:1..10|x*x)\"         385 : INTEGER
  abridge eval \"!x.(x:1..5 => x*x < 30)\"        TRUE
  abridge eval \"x:1..5 & x*x > 10\"              all x with this property
  abridge eval models/lift.mch \"LEVELS - calls\"
  abridge eval models/mutex.mch \"waiting\" --state 5
  abridge eval -p MAXINT 10 \"NAT\"
  abridge eval -- \"-7 / 2\"                     a formula that starts with a minus";

const ANIMATE_HELP: &str = "\
Type `help` at the prompt for the commands. They can also come from a file or a pipe:

  abridge animate models/airlock.mch
  printf '1\\nfind card(is_open) = 2\\nsave story.prob2trace\\n' | abridge animate models/airlock.mch

With --json each command is answered by one object on a line of its own.";

const REPLAY_HELP: &str = "\
Parameters, results and values that the trace leaves out may be anything. Traces have the format of
ProB 2 (.prob2trace).

Example:
  abridge check models/airlock.mch --save-trace story.prob2trace
  abridge trace replay models/airlock.mch story.prob2trace";

const CORPUS_HELP: &str = "\
Each machine is checked by a process of its own, as `abridge check FILE --compat prob --survey --json`
does it. Rows of the kinds `exact` and `likely` agree if verdicts and counts do, others if the verdicts do.

Examples:
  abridge corpus machines --expect expected.csv --kind exact
  abridge corpus machines --expect expected.csv --only Puzzles --timeout 120 -- --no-memo";

const BENCH_HELP: &str = "\
Each model is checked by a process of its own, one after the other, so that time and memory are its own.

Examples:
  abridge bench engine
  abridge bench engine --repeat 3 --out before.json
  abridge bench engine --against before.json
  abridge bench tables
  abridge bench models/Dining.mch -- --set-size Phil=4 --workers 1";

/// What can be said about a model besides its file.
#[derive(Args, Default)]
struct ModelOptions {
    /// Also search DIR for definition files and machines
    #[arg(long, value_name = "DIR")]
    include: Vec<PathBuf>,
    /// Set a preference, as in ProB
    #[arg(short = 'p', long = "preference", num_args = 2, value_names = ["NAME", "VALUE"], allow_negative_numbers = true)]
    preferences: Vec<String>,
    /// Set the size of a deferred set
    #[arg(long = "set-size", value_name = "SET=N", value_parser = set_size)]
    set_sizes: Vec<(String, u32)>,
    /// Operations of a refinement do not assume the preconditions of the operations that they refine; so it is with --compat prob
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
    let (name, size) = text.split_once('=').ok_or("write SET=N, for instance PROC=3")?;
    let size: u32 = size.trim().parse().map_err(|_| format!("`{size}` is not a number of elements"))?;
    if size == 0 { Err("a set has at least one element".to_owned()) } else { Ok((name.trim().to_owned(), size)) }
}

#[derive(Args, Clone, Copy)]
struct Output {
    /// Write JSON to standard output
    #[arg(long)]
    json: bool,
}

fn main() -> ExitCode {
    out::end_with_the_reader();
    let cli = Cli::parse();
    disk::allow(cli.files);
    let exit = match cli.command {
        Command::Parse { file, output } => commands::parse::run(&file, output.json),
        Command::Typecheck { files, jobs, model, output } => {
            commands::typecheck::run(&files, jobs, &model.to_sema(), output.json)
        }
        Command::Show { file, ast, types, model_view, symmetry, model, output } => {
            let view = match (ast, types, model_view, symmetry) {
                (true, ..) => commands::show::View::Ast,
                (_, true, ..) => commands::show::View::Types,
                (_, _, true, _) => commands::show::View::Model,
                (.., true) => commands::show::View::Symmetry,
                _ => commands::show::View::Overview,
            };
            commands::show::run(&file, view, &model.to_sema(), output.json)
        }
        Command::Check { file, check, model, output } => {
            commands::check::run(&file, &check, &model.to_sema(), output.json)
        }
        Command::Graph { file, graph, model } => commands::graph::run(&file, &graph, &model.to_sema()),
        Command::Por { file, por, model, output } => commands::por::run(&file, &por, &model.to_sema(), output.json),
        Command::Eval { eval, model, output } => commands::eval::run(&eval, &model.to_sema(), output.json),
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
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "abridge", &mut script);
            out::raw(&script);
            Exit::Ok
        }
    };
    out::flush();
    exit.into()
}
