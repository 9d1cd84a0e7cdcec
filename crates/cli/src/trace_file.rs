//! Trace files in the format of ProB 2 (`.prob2trace`).
//!
//! Version 5 of the format is written; versions 0 to 5 are read. Values are B text. A replay type-checks them in the scope of the
//! machine and evaluates them. Infinite values are omitted from the file, so a replay leaves them unconstrained.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use abridge_check::{INITIALISATION, Replay, SETUP_CONSTANTS, TraceStep, WantedStep, replay};
use abridge_diag::{Diagnostic, SourceMap, with_stack};
use abridge_eval::{Env, Val};
use abridge_explicit::Explicit;
use abridge_model::{Model, SmolStr};
use abridge_model_system::ModelSystem as _;
use abridge_sema::{FormulaAnalysis, FormulaBody, FormulaRole, FormulaText, Options};
use serde::{Deserialize, Serialize};

use crate::commands::{Compat, system};
use crate::exit::Exit;
use crate::files::replace_file;
use crate::load::load_with;
use crate::steps::{label, shortened};
use crate::text::io_text;
use abridge_draw::{Drawing, DrawnEdge, DrawnNode};

const FORMAT_VERSION: u32 = 5;
const SETUP_IN_FILE: &str = "$setup_constants";
const INITIALISE_IN_FILE: &str = "$initialise_machine";

#[derive(Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct TraceFile {
    description: String,
    transition_list: Vec<FileStep>,
    variable_names: Vec<String>,
    constant_names: Vec<String>,
    set_names: Vec<String>,
    machine_operation_infos: serde_json::Map<String, serde_json::Value>,
    global_identifier_types: BTreeMap<String, String>,
    /// Version 1 keeps the list of transitions here.
    #[serde(skip_serializing)]
    trace: Option<Box<TraceFile>>,
    #[serde(skip_deserializing)]
    metadata: Metadata,
}

#[derive(Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct FileStep {
    #[serde(alias = "operationName")]
    name: String,
    #[serde(alias = "parameters", deserialize_with = "or_null")]
    params: BTreeMap<String, String>,
    #[serde(alias = "outputParameters", deserialize_with = "or_null")]
    results: BTreeMap<String, String>,
    #[serde(alias = "destinationStateVariables", deserialize_with = "or_null")]
    dest_state: BTreeMap<String, String>,
    #[serde(deserialize_with = "or_null")]
    dest_state_not_changed: Vec<String>,
    #[serde(alias = "additionalPredicates", deserialize_with = "or_null")]
    preds: Vec<String>,
    #[serde(deserialize_with = "or_null")]
    postconditions: Vec<serde_json::Value>,
    #[serde(deserialize_with = "or_null")]
    description: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Metadata {
    file_type: &'static str,
    format_version: u32,
    /// Never set, so that equal runs write equal files.
    saved_at: Option<String>,
    creator: &'static str,
    #[serde(rename = "proB2KernelVersion")]
    kernel_version: Option<String>,
    #[serde(rename = "proBCliVersion")]
    cli_version: Option<String>,
    model_name: String,
}

impl Default for Metadata {
    fn default() -> Self {
        Metadata {
            file_type: "Trace",
            format_version: FORMAT_VERSION,
            saved_at: None,
            creator: "Abridge",
            kernel_version: None,
            cli_version: None,
            model_name: String::new(),
        }
    }
}

/// Absent and `null` mean the same.
fn or_null<'de, D: serde::Deserializer<'de>, T: Deserialize<'de> + Default>(deserializer: D) -> Result<T, D::Error> {
    Ok(Option::<T>::deserialize(deserializer)?.unwrap_or_default())
}

/// What the file says about the first step of a loop.
const LOOP_STARTS: &str = "loop starts here; it lasts to the end of the trace";

/// Writes the steps of a trace, which may end in a loop; an error message on failure. A file whose name ends in `.svg` becomes a drawing.
/// A drawing marks the last state with `fault`, if there is one.
pub(crate) fn save(
    path: &Path,
    model: &Model,
    steps: &[TraceStep],
    loop_start: Option<usize>,
    fault: Option<&str>,
) -> Result<(), String> {
    let failed = |error: &dyn std::fmt::Display| format!("cannot write `{}`: {error}", path.display());
    if path.extension().is_some_and(|end| end.eq_ignore_ascii_case("svg")) {
        return replace_file(path, drawing(steps, loop_start, fault).svg()).map_err(|error| failed(&io_text(&error)));
    }
    let mut file = TraceFile::of_steps(model, steps);
    if let Some(step) = loop_start.and_then(|start| file.transition_list.get_mut(start)) {
        step.description = LOOP_STARTS.to_owned();
    }
    let text = serde_json::to_string_pretty(&file).map_err(|error| failed(&error))?;
    replace_file(path, text + "\n").map_err(|error| failed(&io_text(&error)))
}

/// States with what was changed, one below the other, and the steps between them. The last step of a loop leads back to where the loop starts.
fn drawing(steps: &[TraceStep], loop_start: Option<usize>, fault: Option<&str>) -> Drawing {
    let n_nodes = steps.len() + usize::from(loop_start.is_none());
    let fault_at = |number: usize| fault.filter(|_| number + 1 == n_nodes);
    let node = |number: usize| {
        let mut lines: Vec<String> = match number.checked_sub(1).and_then(|before| steps.get(before)) {
            None => vec!["start".to_owned()],
            Some(step) => step.changes().map(|(name, value)| format!("{name} = {}", shortened(value, 60))).collect(),
        };
        lines.extend(fault_at(number).map(str::to_owned));
        let in_loop = loop_start.is_some_and(|start| number >= start);
        DrawnNode {
            lines,
            row: number as u32,
            is_round: number == 0,
            colour: in_loop.then_some(1),
            is_marked: fault_at(number).is_some(),
            ..DrawnNode::default()
        }
    };
    let edges = steps.iter().enumerate().map(|(number, step)| {
        let to = if number + 1 < n_nodes { number + 1 } else { loop_start.unwrap_or(number + 1) };
        DrawnEdge { from: number, to, label: label(step), is_dashed: false }
    });
    Drawing { nodes: (0..n_nodes).map(node).collect(), edges: edges.collect() }
}

/// Reads a trace; the message of what went wrong.
pub(crate) fn load(path: &Path) -> Result<TraceFile, String> {
    let failed = |error: &dyn std::fmt::Display| format!("cannot read the trace `{}`: {error}", path.display());
    let bytes = std::fs::read(path).map_err(|error| failed(&io_text(&error)))?;
    let value: serde_json::Value = serde_json::from_slice(&bytes).map_err(|error| failed(&error))?;
    if ["transitionList", "trace", "metadata"].iter().all(|field| value.get(field).is_none()) {
        return Err(failed(&"it is not a trace"));
    }
    let mut file: TraceFile = serde_json::from_value(value).map_err(|error| failed(&error))?;
    if let Some(inner) = file.trace.take().filter(|_| file.transition_list.is_empty()) {
        file.transition_list = inner.transition_list;
    }
    match file.transition_list.iter().position(|step| step.name.is_empty()) {
        Some(idx) => Err(failed(&format!("step {} has no name", idx + 1))),
        None => Ok(file),
    }
}

impl TraceFile {
    fn of_steps(model: &Model, steps: &[TraceStep]) -> TraceFile {
        let names = |list: Vec<&SmolStr>| list.into_iter().map(SmolStr::to_string).collect();
        TraceFile {
            transition_list: steps.iter().map(|step| FileStep::new(model, step)).collect(),
            variable_names: names(model.state_variables().map(|(_, variable)| &variable.name).collect()),
            constant_names: names(model.constants.values().map(|constant| &constant.name).collect()),
            set_names: names(model.sets.values().map(|set| &set.name).collect()),
            metadata: Metadata { model_name: model.name.to_string(), ..Metadata::default() },
            ..TraceFile::default()
        }
    }

    pub(crate) fn n_steps(&self) -> usize {
        self.transition_list.len()
    }

    /// Every value in the file with its step and role.
    fn values(&self) -> Vec<(usize, FormulaRole, &str)> {
        let mut values = Vec::new();
        for (idx, step) in self.transition_list.iter().enumerate() {
            let local = |name: &String| FormulaRole::ValueOfLocal {
                operation: step.name.as_str().into(),
                local: name.as_str().into(),
            };
            let locals = step.params.iter().chain(&step.results).map(|(name, text)| (idx, local(name), text.as_str()));
            let globals = step
                .dest_state
                .iter()
                .map(|(name, text)| (idx, FormulaRole::ValueOf(name.as_str().into()), text.as_str()));
            values.extend(locals.chain(globals));
        }
        values
    }
}

impl FileStep {
    fn new(model: &Model, step: &TraceStep) -> FileStep {
        let is_setup = step.name == SETUP_CONSTANTS;
        let name = match step.name.as_str() {
            SETUP_CONSTANTS => SETUP_IN_FILE.to_owned(),
            INITIALISATION => INITIALISE_IN_FILE.to_owned(),
            name => name.to_owned(),
        };
        let constants: HashSet<&str> = model.constants.values().map(|constant| constant.name.as_str()).collect();
        let [opaque, is_changed] = [&step.opaque, &step.changed].map(|names| names.iter().collect::<HashSet<_>>());
        let is_shown = |name: &String| !opaque.contains(name) && constants.contains(name.as_str()) == is_setup;
        let shown = step.state.iter().filter(|(name, _)| is_shown(name));
        let (changed, unchanged): (Vec<_>, Vec<_>) = shown.cloned().partition(|(name, _)| is_changed.contains(name));
        FileStep {
            name,
            params: step.params.iter().cloned().collect(),
            results: step.outputs.iter().filter(|(_, value)| value != "?").cloned().collect(),
            dest_state: changed.into_iter().collect(),
            dest_state_not_changed: unchanged.into_iter().map(|(name, _)| name).collect(),
            ..FileStep::default()
        }
    }

    fn machine_name(&self) -> &str {
        match self.name.as_str() {
            SETUP_IN_FILE => SETUP_CONSTANTS,
            INITIALISE_IN_FILE => INITIALISATION,
            name => name,
        }
    }
}

/// Result of a replay.
pub(crate) struct Replayed {
    pub(crate) replay: Replay,
    pub(crate) steps: Vec<TraceStep>,
    /// Names in the trace that the machine does not declare.
    pub(crate) notes: Vec<String>,
}

/// Reason why a replay could not start.
pub(crate) enum NoReplay {
    /// The machine or, with the exit status `No`, a value in the trace is wrong.
    Wrong(Box<SourceMap>, Vec<Diagnostic>, Exit),
    /// A value in the trace cannot be evaluated.
    Value(String),
}

/// Replays a trace on a machine.
pub(crate) fn replay_file(
    machine: &Path,
    trace: &TraceFile,
    options: &Options,
    compat: Option<Compat>,
) -> Result<Replayed, NoReplay> {
    let values = trace.values();
    let texts: Vec<FormulaText> = values
        .iter()
        .map(|(idx, role, text)| FormulaText {
            source: format!("<step {}>", idx + 1),
            text: (*text).to_owned(),
            role: role.clone(),
        })
        .collect();
    let analysis = load_with(Some(machine), &texts, options);
    let Some(model) = &analysis.model else {
        let relevant = analysis.relevant();
        let is_in_trace =
            |diagnostic: &Diagnostic| diagnostic.span().is_some_and(|span| analysis.files.contains(&span.file));
        let exit = if relevant.iter().all(is_in_trace) { Exit::No } else { Exit::WrongModel };
        return Err(NoReplay::Wrong(Box::new(analysis.sources), relevant, exit));
    };
    with_stack(|| {
        let system = system(model, Some(machine), compat);
        let roles: Vec<&FormulaRole> = values.iter().map(|(_, role, _)| role).collect();
        let vals = evaluate(&system, &analysis, &values).map_err(NoReplay::Value)?;
        let wanted = wanted(trace, &roles, vals);
        let replay = replay(&system, &wanted);
        let mut animation = abridge_check::Animation::new(&system, 0);
        animation.follow(replay.moves.iter().map(|execution| execution.shown(&system)));
        let steps = animation.trace();
        Ok(Replayed { replay, steps, notes: unknown_names(model, trace) })
    })
}

fn evaluate(
    system: &Explicit<'_>,
    analysis: &FormulaAnalysis,
    values: &[(usize, FormulaRole, &str)],
) -> Result<Vec<Val>, String> {
    let session = system.judge().session();
    let env = Env::new(&system.blank());
    let mut vals = Vec::new();
    for (formula, (idx, _, text)) in analysis.formulas.iter().zip(values) {
        let FormulaBody::Expr(expr) = formula.body else {
            return Err(format!("step {}: `{text}` is not a value", idx + 1));
        };
        let val = session.value(expr, &env).map_err(|error| {
            let message = error.diagnostic(system.model()).message;
            format!("step {}: cannot evaluate the value `{text}`: {message}", idx + 1)
        })?;
        vals.push(val);
    }
    Ok(vals)
}

/// The steps with their values, which come in the order of [`TraceFile::values`].
fn wanted(trace: &TraceFile, roles: &[&FormulaRole], vals: Vec<Val>) -> Vec<WantedStep> {
    let mut named = roles.iter().zip(vals).map(|(role, val)| match role {
        FormulaRole::ValueOf(name) => (name.to_string(), val),
        FormulaRole::ValueOfLocal { local, .. } => (local.to_string(), val),
        FormulaRole::Any | FormulaRole::Predicate | FormulaRole::Expression | FormulaRole::BeforeAfter => {
            (String::new(), val)
        }
    });
    let mut take = |count: usize| -> Vec<(String, Val)> { named.by_ref().take(count).collect() };
    let step = |step: &FileStep| WantedStep {
        name: step.machine_name().to_owned(),
        params: take(step.params.len()),
        outputs: take(step.results.len()),
        state: take(step.dest_state.len()),
        unchanged: step.dest_state_not_changed.clone(),
    };
    trace.transition_list.iter().map(step).collect()
}

fn unknown_names(model: &Model, trace: &TraceFile) -> Vec<String> {
    let mut notes = Vec::new();
    for (idx, role, _) in trace.values() {
        let is_known = match &role {
            FormulaRole::ValueOf(name) => {
                model.constants.values().any(|constant| constant.name == *name)
                    || model.state_variables().any(|(_, variable)| variable.name == *name)
            }
            FormulaRole::ValueOfLocal { operation, local } => model
                .transitions()
                .filter(|(_, op)| op.name == *operation)
                .all(|(_, op)| op.params.iter().chain(&op.outputs).any(|id| model.locals[*id].name == *local)),
            FormulaRole::Any | FormulaRole::Predicate | FormulaRole::Expression | FormulaRole::BeforeAfter => true,
        };
        if let (false, FormulaRole::ValueOf(name) | FormulaRole::ValueOfLocal { local: name, .. }) = (is_known, &role) {
            notes.push(format!("step {}: the machine does not declare `{name}`; its value is ignored", idx + 1));
        }
    }
    notes.truncate(20);
    notes
}

/// A path as typed at a prompt, with or without quotes.
pub(crate) fn path_of(text: &str) -> PathBuf {
    PathBuf::from(text.trim().trim_matches('"'))
}
