//! `abridge eval`: a calculator for B formulas.

use std::path::{Path, PathBuf};

use abridge_check::{Needs, Place, nth_state};
use abridge_model::Model;
use abridge_sema::{Formula, Options, Role};
use clap::Args;
use serde_json::json;

use crate::commands::{Compat, complain, print_json, system};
use crate::exit::Exit;
use crate::formulas::{Told, analyse_one, calculate, fields, first_place, needs_of, tell, tell_message};
use crate::out::{err, errln, out};
use crate::report::json_diagnostics;
use crate::watch::{Interrupt, Watch};

#[derive(Args)]
pub(crate) struct EvalOptions {
    /// An expression or a predicate, after a machine if it is about one
    #[arg(required = true, num_args = 1..=2, value_name = "FORMULA")]
    args: Vec<String>,
    /// Solutions to show if identifiers are free
    #[arg(long, value_name = "N", default_value_t = 10)]
    limit: usize,
    /// Variables have their values in the N-th state in breadth-first order, not in the first initial one
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    state: Option<u64>,
    /// Follow the conventions of another tool where B leaves room
    #[arg(long, value_enum)]
    compat: Option<Compat>,
}

pub(crate) fn run(options: &EvalOptions, model_options: &Options, json: bool) -> Exit {
    let (file, text) = match options.args.as_slice() {
        [file, text] => (Some(PathBuf::from(file)), text),
        [only] if Path::new(only).is_file() => {
            errln!("error: `{only}` is a file; a formula must follow: abridge eval {only} \"...\"");
            return Exit::Usage;
        }
        [only] => (None, only),
        _ => return Exit::Usage,
    };
    let model_options = &Compat::options(options.compat, model_options);
    let analysis = analyse_one(file.as_deref(), text, Role::Any, model_options);
    let diagnostics = analysis.relevant();
    let (Some(model), Some(formula)) = (&analysis.model, analysis.formulas.first()) else {
        if json {
            let diagnostics = json_diagnostics(&analysis.sources, &diagnostics);
            print_json(&json!({ "formula": text, "kind": "error", "diagnostics": diagnostics }));
        } else {
            complain(&analysis.sources, &diagnostics);
        }
        return Exit::WrongModel;
    };
    let config = Compat::config(options.compat, file.as_deref());
    let told = match place(model, formula, file.as_deref(), options) {
        Ok(place) => tell(model, &analysis.sources, &calculate(model, formula, &place, options.limit, config)),
        Err((message, exit)) => tell_message(&message, exit),
    };
    show(text, told, json)
}

/// Where the formula is evaluated; why there is no such place.
fn place(
    model: &Model,
    formula: &Formula,
    file: Option<&Path>,
    options: &EvalOptions,
) -> Result<Place, (String, Exit)> {
    let system = system(model, file, options.compat);
    let Some(number) = options.state else {
        return first_place(&system, needs_of(model, formula)).map_err(|message| (message, Exit::Incomplete));
    };
    let mut watch = Watch::new(None, None, true, Interrupt::new());
    let found = nth_state(&system, number, &mut watch);
    watch.clear();
    match found.map(|words| Place::of_words(&system, Some(&words))) {
        None => Err((format!("there is no state {number}"), Exit::Usage)),
        Some(Place::SetUp(_)) if needs_of(model, formula) == Needs::Variables => {
            Err((format!("in state {number} the machine is not initialised yet"), Exit::Usage))
        }
        Some(place) => Ok(place),
    }
}

fn show(formula: &str, told: Told, json: bool) -> Exit {
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
