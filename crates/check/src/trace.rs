//! How a state is reached: real steps of the real machine, found again by the plain interpreter.

use abridge_eval::{Explicit, Val, val_text};
use abridge_model::Model;
use abridge_model::ids::Id as _;
use abridge_store::{NO_PARENT, StateTable};

#[derive(Clone, Default, Debug)]
pub struct Trace {
    pub steps: Vec<Step>,
}

/// One step and the state after it, as B text.
#[derive(Clone, Debug)]
pub struct Step {
    /// `SETUP_CONSTANTS`, `INITIALISATION` or the operation.
    pub name: String,
    pub params: Vec<(String, String)>,
    pub outputs: Vec<(String, String)>,
    /// Constants and variables that have a value after the step.
    pub state: Vec<(String, String)>,
    /// Names in `state` whose value the step changed.
    pub changed: Vec<String>,
}

impl Trace {
    /// The path along which a state was first reached.
    pub(crate) fn to(system: &Explicit<'_>, table: &StateTable, state: u32) -> Trace {
        let mut path = vec![state];
        while let Some(last) = path.last().copied().filter(|last| table.parent(*last) != NO_PARENT) {
            path.push(table.parent(last));
        }
        path.reverse();
        let mut trace = Trace::default();
        let mut before: Option<u32> = None;
        for state in path {
            trace.steps.push(step(system, before.map(|before| table.get(before)), table.get(state)));
            before = Some(state);
        }
        trace
    }
}

fn step(system: &Explicit<'_>, from: Option<&[u32]>, to: &[u32]) -> Step {
    let model = system.model();
    let label = system.label(from, to);
    let (is_initialised, op) = (to[0] & 1 == 1, label.as_ref().and_then(|label| label.op));
    let name = match op {
        Some(op) => model.operations[op].name.to_string(),
        None if is_initialised => "INITIALISATION".to_owned(),
        None => "SETUP_CONSTANTS".to_owned(),
    };
    let named = |locals: &[abridge_model::LocalId], vals: Vec<Option<Val>>| -> Vec<(String, String)> {
        let text = |val: Option<Val>| val.map_or("?".to_owned(), |val| val_text(model, &val));
        locals.iter().zip(vals).map(|(local, val)| (model.locals[*local].name.to_string(), text(val))).collect()
    };
    let (params, outputs) = match (op, label) {
        (Some(op), Some(label)) => {
            let params = named(&model.operations[op].params, label.params.into_iter().map(Some).collect());
            (params, named(&model.operations[op].outputs, label.outputs))
        }
        _ => (Vec::new(), Vec::new()),
    };
    let state = state_text(system, to);
    let old = from.map(|from| state_text(system, from)).unwrap_or_default();
    let changed = state.iter().filter(|entry| !old.contains(entry)).map(|(name, _)| name.clone()).collect();
    Step { name, params, outputs, state, changed }
}

/// Names and values of a state.
fn state_text(system: &Explicit<'_>, words: &[u32]) -> Vec<(String, String)> {
    let model: &Model = system.model();
    let (state, _) = system.decode(words);
    let value = |slots: &[Option<Val>], index: usize| slots.get(index).and_then(Option::as_ref).map(|val| val_text(model, val));
    let constants = model.constants.iter().filter_map(|(id, c)| Some((c.name.to_string(), value(&state.constants, id.index())?)));
    let variables = model.state_variables().filter_map(|(id, v)| Some((v.name.to_string(), value(&state.variables, id.index())?)));
    constants.chain(variables).collect()
}
