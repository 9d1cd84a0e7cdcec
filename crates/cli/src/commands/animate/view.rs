//! The current state of an animation and its successors, as text and as JSON.
//!
//! Long values are shortened in the text; `vars` and JSON have them in full.

use abridge_check::{Place, Shown as _, TraceStep};
use abridge_diag::visible;
use serde_json::{Map, Value, json};

use super::Dialogue;
use crate::formulas::fields;
use crate::steps::{changes, label, object, shortened};
use crate::talk::Reply;
use abridge_model_system::ModelSystem as _;

/// Longer values are shortened; `vars` prints them in full.
const MAX_VALUE_CHARS: usize = 100;

pub(super) struct AnimateView<'v, 'a> {
    pub(super) dialogue: &'v Dialogue<'a>,
    pub(super) is_coloured: bool,
}

impl AnimateView<'_, '_> {
    /// Last step, state with changes marked, violated invariant conjuncts, and the steps out of the state.
    pub(super) fn text(&self) -> String {
        let last = self.dialogue.animation.trace().pop();
        let mut text = match &last {
            None => format!("{}: not started\n", visible(&self.dialogue.model.name)),
            Some(step) => {
                let number = self.dialogue.animation.history().len() + self.dialogue.first_number() - 1;
                let state = if self.is_running() { "" } else { " (not initialised)" };
                format!("after {number}: {}{state}\n", self.bold(&label(step)))
            }
        };
        text += &self.state(last.as_ref());
        for idx in self.broken() {
            text += &format!("  {} {}\n", self.bold("invariant violated:"), visible(&self.dialogue.conjunct(idx)));
            for line in self.dialogue.why_false(idx) {
                text += &format!("    {}\n", visible(&shortened(&line, MAX_VALUE_CHARS)));
            }
        }
        text.push('\n');
        text + &visible(&self.choices())
    }

    fn state(&self, last: Option<&TraceStep>) -> String {
        let Some(step) = last else { return String::new() };
        let model = self.dialogue.model;
        let is_constant = |name: &str| model.constants.values().any(|constant| constant.name == name);
        // Constants are shown once, when they get their values.
        let shown: Vec<&(String, String)> =
            step.state.iter().filter(|(name, _)| step.changed.contains(name) || !is_constant(name)).collect();
        let width = shown.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
        let row = |(name, value): &&(String, String)| {
            let is_changed = step.changed.contains(name);
            let row = format!(
                "{} {name:<width$} = {}",
                if is_changed { '*' } else { ' ' },
                shortened(value, MAX_VALUE_CHARS)
            );
            if is_changed { self.bold(&row) + "\n" } else { visible(&row).into_owned() + "\n" }
        };
        shown.iter().map(row).collect()
    }

    fn is_running(&self) -> bool {
        matches!(self.dialogue.place(), Place::Running(_))
    }

    /// Invariant conjuncts that are false in this state.
    fn broken(&self) -> Vec<usize> {
        let Place::Running(state) = self.dialogue.place() else { return Vec::new() };
        let truths = self.dialogue.system.judge().session().invariant(&state);
        let broken = truths.into_iter().filter(|(_, truth)| matches!(truth, Ok(false)));
        broken.map(|(idx, _)| idx).collect()
    }

    fn steps(&self) -> Vec<TraceStep> {
        let animation = &self.dialogue.animation;
        let choices = animation.choices().list.iter();
        choices.map(|choice| TraceStep::of(animation.machine(), animation.state(), choice)).collect()
    }

    fn choices(&self) -> String {
        let steps = self.steps();
        let labels: Vec<String> = steps.iter().map(label).collect();
        let width = labels.iter().map(|label| label.chars().count()).max().unwrap_or(0).min(40);
        let rows = steps.iter().zip(&labels).enumerate();
        let mut text: String = rows
            .map(|(idx, (step, label))| {
                format!("{:>3}  {label:<width$}  {}", idx + 1, changes(step)).trim_end().to_owned() + "\n"
            })
            .collect();
        if self.dialogue.animation.choices().is_cut {
            text += "     more steps exist (raise --limit)\n";
        }
        for (name, error) in &self.dialogue.animation.choices().errors {
            text += &format!("     {name} could not be evaluated: {}\n", error.message);
        }
        if steps.is_empty() && self.dialogue.animation.choices().errors.is_empty() {
            text += match self.dialogue.place() {
                Place::Running(_) => "     deadlock: no operation is enabled\n",
                _ => "     the machine cannot start; `abridge check` says why\n",
            };
        }
        text
    }

    /// All constants and variables in full.
    pub(super) fn variables(&self) -> Reply {
        let Some(state) = self.dialogue.animation.state() else {
            return Reply::error("nothing has a value yet; take a step first");
        };
        let values = self.dialogue.system.values(state).into_iter().map(|value| (value.name, value.text));
        let values: Vec<(String, String)> = values.collect();
        let width = values.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
        let text: String = values.iter().map(|(name, value)| format!("  {name:<width$} = {value}\n")).collect();
        Reply::text(text, json!({ "state": object(&values) }))
    }

    pub(super) fn json(&self) -> Map<String, Value> {
        let last = self.dialogue.animation.trace().pop();
        let place = match self.dialogue.place() {
            Place::Start => "start",
            Place::SetUp(_) => "set up",
            Place::Running(_) => "running",
        };
        let choice = |(idx, step): (usize, &TraceStep)| {
            let changed: Vec<(String, String)> = step.changes().cloned().collect();
            json!({
                "number": idx + 1,
                "name": step.name,
                "params": object(&step.params),
                "results": object(&step.outputs),
                "changes": object(&changed),
            })
        };
        let errors = self
            .dialogue
            .animation
            .choices()
            .errors
            .iter()
            .map(|(name, error)| json!({ "step": name, "message": error.message }));
        fields(json!({
            "place": place,
            "depth": self.dialogue.animation.history().len(),
            "last": last.as_ref().map(label),
            "state": object(last.as_ref().map(|step| step.state.as_slice()).unwrap_or_default()),
            "changed": last.as_ref().map(|step| step.changed.clone()).unwrap_or_default(),
            "violated": self.broken().into_iter().map(|idx| self.dialogue.conjunct(idx)).collect::<Vec<_>>(),
            "choices": self.steps().iter().enumerate().map(choice).collect::<Vec<_>>(),
            "more": self.dialogue.animation.choices().is_cut,
            "errors": errors.collect::<Vec<_>>(),
        }))
    }

    fn bold(&self, text: &str) -> String {
        let text = visible(text);
        if self.is_coloured { format!("\x1b[1m{text}\x1b[0m") } else { text.into_owned() }
    }
}
