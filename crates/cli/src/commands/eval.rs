//! `abridge eval`: a calculator for B formulas.
//!
//! A formula is evaluated on its own or in a state of a machine. A predicate with free identifiers is solved.

use std::path::{Path, PathBuf};
use std::time::Instant;

use abridge_check::{Config, Needs, Place, limit_text, nth_state};
use abridge_diag::with_stack;
use abridge_model::Model;
use abridge_sema::{Formula, FormulaRole, Options};
use abridge_system::Limit;
use clap::Args;
use serde_json::json;

use crate::commands::probcli::quoted;
use crate::commands::{Compat, complain, memory_size, print_json, seconds, system_of};
use crate::exit::Exit;
use crate::formulas::{ToldAnswer, analyse_one, calculate, fields, first_place, needs_of, tell, tell_message};
use crate::out::{err, errln, flush, out};
use crate::report::json_diagnostics;
use crate::watch::{Guard, Interrupt, Watch, usual_budget};

#[derive(Args)]
pub(crate) struct EvalOptions {
    /// Expression or predicate, preceded by a machine file if it refers to one
    #[arg(required = true, num_args = 1..=2, value_name = "FORMULA")]
    args: Vec<String>,
    /// Maximum number of solutions to print
    #[arg(long, value_name = "N", default_value_t = 10)]
    limit: usize,
    /// Evaluate in the N-th state in breadth-first order instead of the first initial state
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    state: Option<u64>,
    /// Stop after a number of seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds, help_heading = "Limits")]
    time: Option<f64>,
    /// Memory limit, for example 4G [default: three quarters of the free memory]
    #[arg(long, value_name = "SIZE", value_parser = memory_size, help_heading = "Limits")]
    memory: Option<u64>,
    /// Follow the conventions of another tool where B leaves a choice
    #[arg(long, value_enum)]
    compat: Option<Compat>,
}

pub(crate) fn run(options: &EvalOptions, model_options: &Options, json: bool) -> Exit {
    let start = Instant::now();
    let (file, text) = match options.args.as_slice() {
        [text, file] if Path::new(file).is_file() && !Path::new(text).exists() => {
            errln!("error: the file comes before the formula: abridge eval {file} {}", quoted(text));
            return Exit::Usage;
        }
        [file, text] => (Some(PathBuf::from(file)), text),
        [only] if Path::new(only).is_file() => {
            errln!("error: missing formula after the file: abridge eval {only} \"...\"");
            return Exit::Usage;
        }
        [only] => (None, only),
        _ => return Exit::Usage,
    };
    let text = &text.trim().to_owned();
    let interrupt = Interrupt::new();
    let budget = options.memory.unwrap_or_else(usual_budget);
    let mut config = Compat::config(options.compat, file.as_deref(), budget);
    let formula_text = text.clone();
    let guard = Guard::new(start, options.time, budget, config.eval.memory.clone());
    let stop = interrupt.guard(guard.at_last(move |limit, _| {
        // The evaluation does not look up; nothing is lost with it.
        let exit = show(&formula_text, stopped(limit), json);
        flush();
        std::process::exit(exit as i32);
    }));
    config.stop = stop.flag.clone();
    let model_options = &Compat::options(options.compat, model_options);
    let analysis = analyse_one(file.as_deref(), text, FormulaRole::Any, model_options);
    let diagnostics = analysis.relevant();
    let (Some(model), Some(formula)) = (&analysis.model, analysis.formulas.first()) else {
        stop.answer();
        if json {
            let diagnostics = json_diagnostics(&analysis.sources, &diagnostics);
            print_json(&json!({ "formula": text, "kind": "error", "diagnostics": diagnostics }));
        } else {
            complain(&analysis.sources, &diagnostics);
        }
        return Exit::WrongModel;
    };
    let mut watch = Watch::new(start, options.time, Some(budget), true, interrupt);
    let told = with_stack(|| match place(model, formula, &config, options.state, &mut watch) {
        Ok(place) => tell(model, &analysis.sources, &calculate(model, formula, &place, options.limit, config)),
        Err((message, exit)) => tell_message(&message, exit),
    });
    let told = match stop.reason.get() {
        Some(limit) if told.exit != Exit::Ok => stopped(*limit),
        _ => told,
    };
    stop.answer();
    show(text, told, json)
}

/// The answer to an evaluation that a limit ended.
fn stopped(limit: Limit) -> ToldAnswer {
    tell_message(&format!("no answer: {}", limit_text(limit)), Exit::Incomplete)
}

/// The place in which the formula is evaluated, or the reason why there is none.
fn place(
    model: &Model,
    formula: &Formula,
    config: &Config,
    number: Option<u64>,
    watch: &mut Watch,
) -> Result<Place, (String, Exit)> {
    let system = system_of(model, config);
    let Some(number) = number else {
        return first_place(&system, needs_of(model, formula)).map_err(|message| (message, Exit::Incomplete));
    };
    let found = nth_state(&system, number, watch);
    watch.clear();
    match found.map(|words| Place::of_words(&system, Some(&words))) {
        None => Err((format!("no state {number}: the state space is smaller"), Exit::Usage)),
        Some(Place::SetUp(_)) if needs_of(model, formula) == Needs::Variables => {
            Err((format!("the machine is not initialised in state {number}"), Exit::Usage))
        }
        Some(place) => Ok(place),
    }
}

fn show(formula: &str, told: ToldAnswer, json: bool) -> Exit {
    if json {
        let mut object = fields(json!({ "formula": formula, "diagnostics": [] }));
        object.extend(told.json);
        print_json(&object);
    } else if told.exit == Exit::IllDefined || told.text.starts_with("error") {
        err!("{}", told.text);
    } else {
        out!("{}", told.text);
    }
    told.exit
}
