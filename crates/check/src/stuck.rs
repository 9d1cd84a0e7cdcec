//! Why a machine cannot start: which part of PROPERTIES leaves no values for the constants.
//!
//! The question is put again, with small budgets, so an answer is given only where it is cheap to have.

use std::ops::ControlFlow;

use abridge_diag::Diagnostic;
use abridge_diag::with_stack;
use abridge_eval::Unbounded;
use abridge_explicit::judge;
use abridge_model::Model;

use crate::Config;

/// What keeps a machine from starting.
#[derive(Clone, Debug)]
pub enum Stuck {
    /// A property is not well-defined, and so counts as false.
    IllDefined(Diagnostic),
    /// This property cannot be satisfied together with those before it.
    Property(usize),
    /// There are constants, but INITIALISATION has no outcome.
    Initialisation,
}

/// Steps of evaluation for one question about few properties.
const FUEL: u64 = 1 << 22;
/// With so many properties a step takes twice as long: it looks at each for each constant.
const PROPERTIES_PER_DOUBLING: u64 = 8;
const CONFLICTS: u64 = 20_000;

/// Says why nothing satisfies PROPERTIES, if that can be found out quickly.
pub fn why_stuck(model: &Model, config: &Config) -> Option<Stuck> {
    with_stack(|| why_stuck_inner(model, config))
}

fn why_stuck_inner(model: &Model, config: &Config) -> Option<Stuck> {
    let answer = |n_properties: usize| {
        let mut part = model.clone();
        part.properties.truncate(n_properties);
        satisfiable(&part, config, true)
    };
    let all = model.properties.len();
    match answer(all) {
        StuckAnswer::Yes => return Some(Stuck::Initialisation),
        StuckAnswer::Unknown => return None,
        StuckAnswer::No => {}
    }
    if let StuckAnswer::No = satisfiable(model, config, false) {
        // The shortest list of properties that cannot be satisfied; without any, there are values.
        let (mut open, mut closed) = (0, all);
        while closed - open > 1 {
            let middle = open + (closed - open) / 2;
            match answer(middle) {
                StuckAnswer::No => closed = middle,
                _ => open = middle,
            }
        }
        return (closed > 0).then(|| Stuck::Property(closed - 1));
    }
    first_error(model, config).map(Stuck::IllDefined)
}

enum StuckAnswer {
    Yes,
    No,
    Unknown,
}

/// Whether the properties of a model can be satisfied. With `lenient`, what is ill-defined counts as false.
fn satisfiable(model: &Model, config: &Config, lenient: bool) -> StuckAnswer {
    let mut answer = StuckAnswer::No;
    each_setup(model, config, lenient, &mut |found| {
        answer = if found.is_ok() { StuckAnswer::Yes } else { StuckAnswer::Unknown };
    });
    answer
}

fn first_error(model: &Model, config: &Config) -> Option<Diagnostic> {
    let mut first = None;
    each_setup(model, config, false, &mut |found| {
        first = found.err().filter(abridge_eval::Error::is_ill_defined).map(|error| error.diagnostic(model));
    });
    first
}

/// Calls `visit` with the first set-up or error.
fn each_setup(
    model: &Model,
    config: &Config,
    lenient: bool,
    visit: &mut dyn FnMut(Result<abridge_eval::State, abridge_eval::Error>),
) {
    let n_properties = model.properties.len() as u64;
    let eval = abridge_eval::EvalConfig {
        ill_defined_search_is_false: lenient,
        unbounded: Unbounded::Error,
        fuel: FUEL / (1 + n_properties * n_properties / (PROPERTIES_PER_DOUBLING * PROPERTIES_PER_DOUBLING)),
        conflicts: CONFLICTS,
        ..config.eval.clone()
    };
    let interp = judge(model, eval).stopped_by(config.stop.clone());
    interp.session().setup_constants(&mut |found| {
        visit(found);
        ControlFlow::Break(())
    });
}
