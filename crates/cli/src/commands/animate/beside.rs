//! `abridge animate --beside`: a refinement and its abstraction together, in two columns.
//!
//! Steps are those of the refinement. The abstraction follows with all states that the same trace may have reached, as in
//! `abridge refine`. A step that it cannot follow is listed with the obligation that fails, and leads no further.

use std::path::Path;

use abridge_check::{Animation, Models, Move, Named, Notion, Pair, RefineConfig, SideBySide, pair_of};
use abridge_diag::visible;
use abridge_model::Model;
use serde_json::{Map, Value, json};

use super::{AnimateOptions, back, chosen};
use crate::commands::Compat;
use crate::commands::refine::{obligation_name, values_json};
use crate::exit::Exit;
use crate::formulas::fields;
use crate::out::errln;
use crate::prompt::Prompt;
use crate::session::DialogueSession;
use crate::steps::{event, object, shortened};
use crate::talk::{Reply, Talk, converse};
use crate::watch::usual_budget;

const HELP: &str = "\
Commands:
  NUMBER  take the step with this number; its text works too, as in `put(ITEM1)`
  b [N]   go back one step, or N steps
  r       restart
  trace   print the steps so far
  q       quit
An empty line prints both states again.
";

/// Longer values are shortened.
const MAX_VALUE_CHARS: usize = 60;
/// The left column is made no wider than this.
const MAX_COLUMN_WIDTH: usize = 60;
/// Abstract states that are shown.
const MAX_SHOWN_STATES: usize = 4;

pub(super) fn run(model: &Model, file: &Path, options: &AnimateOptions, json: bool) -> Exit {
    let Some(models) = Models::of(model) else {
        errln!("error: `{}` refines no machine: leave --beside away", model.name);
        return Exit::Usage;
    };
    let prompt = Prompt::new("animate", &options.commands);
    let session = DialogueSession::new(&prompt);
    let config = session.guarded(Compat::config(options.compat, Some(file), usual_budget()));
    let new_is_skip = model.steering.preferences.flag("ALLOW_NEW_OPERATIONS_IN_REFINEMENT");
    let choices = RefineConfig { notion: Notion::Traces, new_is_skip, antichains: false };
    let pair = pair_of(&models, &config, choices);
    let names = (models.concrete_level.name.to_string(), models.abstract_level.name.to_string());
    let mut dialogue = Beside { pair: &pair, names, animation: Animation::new(&pair, options.limit) };
    converse(&mut dialogue, Reply::place(""), &session, prompt, json)
}

struct Beside<'a, 'm> {
    pair: &'a Pair<'m>,
    names: (String, String),
    animation: Animation<'a, Pair<'m>>,
}

fn label(step: &Move) -> String {
    event(&step.name, &step.params, &step.outputs)
}

/// Lines of a column; values that are new are marked.
fn lines(before: Option<&[Named]>, now: &[Named]) -> Vec<String> {
    let width = now.iter().map(|value| value.name.chars().count()).max().unwrap_or(0);
    let line = |value: &Named| {
        let mark = if before.is_some_and(|before| !before.contains(value)) { '*' } else { ' ' };
        format!("{mark} {:<width$} = {}", value.name, shortened(&value.text, MAX_VALUE_CHARS))
    };
    now.iter().map(line).collect()
}

/// The same for the states that the abstraction may be in.
fn abstract_lines(before: Option<&SideBySide>, now: &SideBySide) -> Vec<String> {
    let only = |state: &SideBySide| (state.n_abstract == 1).then(|| state.abstracted.first().cloned()).flatten();
    if let Some(state) = only(now) {
        return lines(before.and_then(only).as_deref(), &state);
    }
    let shown = &now.abstracted[..now.abstracted.len().min(MAX_SHOWN_STATES)];
    let mut all = Vec::new();
    for (idx, state) in shown.iter().enumerate() {
        if idx > 0 {
            all.push("or".to_owned());
        }
        all.extend(lines(None, state));
    }
    let n_more = now.n_abstract - shown.len();
    if n_more > 0 {
        all.push(format!("or one of {n_more} more"));
    }
    all
}

impl Beside<'_, '_> {
    fn state(&self, back: usize) -> Option<SideBySide> {
        let history = self.animation.history();
        let step = history.len().checked_sub(back + 1).map(|idx| &history[idx])?;
        Some(self.pair.side_by_side(&step.to))
    }

    /// Both states, line by line.
    fn columns(&self) -> String {
        let Some(now) = self.state(0) else { return String::new() };
        let before = self.state(1);
        let left = lines(before.as_ref().map(|state| state.concrete.as_slice()), &now.concrete);
        let right = abstract_lines(before.as_ref(), &now);
        let (own, other) = (format!("  {}", self.names.0), format!("  {}", self.names.1));
        let widths = left.iter().chain([&own]).map(|line| line.chars().count());
        let width = widths.max().unwrap_or(0).min(MAX_COLUMN_WIDTH);
        let mut text = format!("{own:<width$}  {other}\n");
        for idx in 0..left.len().max(right.len()) {
            let cell = |lines: &[String]| lines.get(idx).cloned().unwrap_or_default();
            let row = format!("{:<width$}  {}", cell(&left), cell(&right));
            text += &format!("{}\n", row.trim_end());
        }
        text
    }

    fn take(&mut self, choice: &str) -> Reply {
        match chosen(&self.animation.choices().list, choice) {
            Ok(idx) => self.animation.take(idx),
            Err(message) => return Reply::error(message),
        };
        Reply::place("")
    }

    fn failed(&self, step: &Move) -> Option<&'static str> {
        self.pair.failed(&step.to).map(obligation_name)
    }

    fn trace(&self) -> Reply {
        let labels: Vec<String> = self.animation.history().iter().map(label).collect();
        let rows = (1..).zip(&labels).map(|(number, label)| format!("{number:>3}  {label}\n"));
        Reply::text(rows.collect::<String>(), json!({ "trace": labels }))
    }
}

impl Beside<'_, '_> {
    /// Both states, and the steps out of them.
    fn shown(&self) -> String {
        let last = self.animation.history().last();
        let mut text = match last {
            None => format!("{} beside {}: not started\n", self.names.0, self.names.1),
            Some(step) => format!("after {}: {}\n", self.animation.history().len(), label(step)),
        };
        text += &self.columns();
        if let Some(failed) = last.and_then(|step| self.failed(step)) {
            return text + &format!("{} cannot follow: obligation `{failed}` fails\n", self.names.1);
        }
        text.push('\n');
        let choices = self.animation.choices();
        for (number, step) in (1..).zip(&choices.list) {
            let failed = self.failed(step).map(|failed| format!("  {} cannot follow: {failed}", self.names.1));
            text += &format!("{number:>3}  {}{}\n", label(step), failed.unwrap_or_default());
        }
        if choices.is_cut {
            text += "     and more; raise --limit to list them\n";
        }
        if choices.list.is_empty() {
            text += "no step is possible here\n";
        }
        if !choices.completeness.is_whole() {
            text += "steps may be missing: something could not be evaluated\n";
        }
        text
    }
}

impl Talk for Beside<'_, '_> {
    fn command(&mut self, line: &str) -> Reply {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match word {
            "" => Reply::place(""),
            "b" | "back" => back(&mut self.animation, rest.trim()),
            "r" | "restart" => {
                self.animation.restart();
                Reply::place("")
            }
            "trace" => self.trace(),
            "h" | "help" | "?" => Reply::text(HELP, json!({ "help": HELP })),
            _ => self.take(line),
        }
    }

    fn words(&self) -> Vec<String> {
        self.animation.choices().list.iter().map(|step| event(&step.name, &step.params, &[])).collect()
    }

    fn text(&self, _: bool) -> String {
        visible(&self.shown()).into_owned()
    }

    fn json(&self) -> Map<String, Value> {
        let step_json = |(idx, step): (usize, &Move)| {
            json!({ "number": idx + 1, "name": step.name, "params": object(&step.params),
                    "results": object(&step.outputs), "fails": self.failed(step) })
        };
        let choices = self.animation.choices();
        let steps: Vec<Value> = choices.list.iter().enumerate().map(step_json).collect();
        let now = self.state(0);
        let abstracted: Vec<Value> =
            now.iter().flat_map(|state| &state.abstracted).map(|state| values_json(state)).collect();
        fields(json!({
            "depth": self.animation.history().len(),
            "last": self.animation.history().last().map(label),
            "fails": self.animation.history().last().and_then(|step| self.failed(step)),
            "concrete": now.as_ref().map(|state| values_json(&state.concrete)),
            "abstract": abstracted,
            "abstract_states": now.as_ref().map_or(0, |state| state.n_abstract),
            "steps": steps,
            "is_cut": choices.is_cut,
            "is_whole": choices.completeness.is_whole(),
        }))
    }
}
