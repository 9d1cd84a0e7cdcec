//! Temporal formulas of `abridge check`: where they come from, and how their verdicts look.

use std::fs;
use std::path::{Path, PathBuf};

use abridge_check::{
    Branch, BranchShown, BranchingStory, FormulaSource, Prepared, Report, StoryEnd, StoryRow, TemporalReport,
    TemporalVerdict, TraceStep, formulas_of, prepare,
};
use abridge_diag::{Diagnostic, SourceMap};
use abridge_model::{Logic, Model};
use abridge_sema::Options;
use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use crate::commands;
use crate::load::load_with;
use crate::out::{out, outln};
use crate::report::{count, json_diagnostics};
use crate::steps::{MAX_LISTED_STEPS, steps_json, table};
use crate::terminal::{Tone, print_toned};
use crate::text::io_text;

#[derive(Args)]
pub(crate) struct TemporalOptions {
    /// Check this LTL formula as well; may be repeated
    #[arg(long, value_name = "FORMULA", allow_hyphen_values = true, help_heading = "Properties")]
    ltl: Vec<String>,
    /// Check this CTL formula as well; may be repeated
    #[arg(long, value_name = "FORMULA", allow_hyphen_values = true, help_heading = "Properties")]
    ctl: Vec<String>,
    /// Check the formulas of a file as well: lines `ltl FORMULA` or `ctl FORMULA`, or a project of ProB 2 (.prob2project)
    #[arg(long, value_name = "FILE", help_heading = "Properties")]
    formulas: Vec<PathBuf>,
    /// How paths of temporal formulas go on where nothing is enabled
    #[arg(long, value_enum, default_value = "end", value_name = "HOW", help_heading = "Properties")]
    pub(crate) deadlock: AtDeadlock,
    /// Do not check the temporal properties of the machine
    #[arg(long, help_heading = "Properties")]
    pub(crate) no_temporal: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AtDeadlock {
    /// The path ends there, as in ProB
    End,
    /// The path stays there for ever, as in tools without finite paths
    Stutter,
}

impl TemporalOptions {
    /// All formulas in the order of their reports: those of the machine, of `--ltl`, of `--ctl`, of files. Their texts are added to the
    /// sources.
    pub(crate) fn sources(
        &self,
        model: &Model,
        of_machine: bool,
        sources: &mut SourceMap,
    ) -> Result<Vec<FormulaSource>, String> {
        let mut all = Vec::new();
        if of_machine {
            all.extend(formulas_of(model, sources));
        }
        let mut add = |name: String, logic: Logic, text: String| {
            let file = sources.add(format!("<{name}>"), text.as_str());
            all.push(FormulaSource { name, logic, text, file, base: 0 });
        };
        let options = [("--ltl", Logic::Ltl, &self.ltl), ("--ctl", Logic::Ctl, &self.ctl)];
        for (option, logic, texts) in options {
            for (number, text) in (1..).zip(texts) {
                let name = if texts.len() == 1 { option.to_owned() } else { format!("{option} {number}") };
                add(name, logic, text.clone());
            }
        }
        for file in &self.formulas {
            let text = fs::read_to_string(file)
                .map_err(|error| format!("cannot read `{}`: {}", file.display(), io_text(&error)))?;
            for (name, logic, text) in formulas_in(file, &text)? {
                add(name, logic, text);
            }
        }
        Ok(all)
    }
}

/// Reads formulas in the scope of a machine. The model is the given one with their atoms, if they have any.
pub(crate) fn prepared(
    file: &Path,
    model: &Model,
    formulas: Vec<FormulaSource>,
    config: &abridge_check::Config,
    options: &Options,
) -> (Option<Model>, Prepared) {
    prepare(model, formulas, config, &mut |texts| load_with(Some(file), texts, options))
}

/// Tells errors and warnings about formulas before the search.
pub(crate) fn complain(prepared: &Prepared, sources: &SourceMap) {
    prepared.formulas.iter().for_each(|formula| commands::complain(sources, &formula.diagnostics));
}

/// A formula of the command line is wrong. Then there is no search: whoever mistypes a formula wants to correct it.
/// Other formulas are named after the definition or the file that they are from.
pub(crate) fn has_wrong_option(prepared: &Prepared) -> bool {
    let is_option = |name: &str| name.starts_with("--");
    prepared.formulas.iter().any(|it| is_option(&it.source.name) && it.diagnostics.iter().any(Diagnostic::is_error))
}

/// The formulas in a file, each with a name.
fn formulas_in(file: &Path, text: &str) -> Result<Vec<(String, Logic, String)>, String> {
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if file.extension().is_some_and(|end| end == "prob2project" || end == "json") {
        let value: Value =
            serde_json::from_str(text).map_err(|error| format!("cannot read `{}`: {error}", file.display()))?;
        let mut found = Vec::new();
        collect(&value, &name, &mut found);
        return Ok(found);
    }
    let mut found = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with("//") || line.starts_with('#') {
            continue;
        }
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let logic = match word.to_lowercase().as_str() {
            "ltl" => Logic::Ltl,
            "ctl" => Logic::Ctl,
            _ => return Err(format!("`{}`, line {number}: a line begins with `ltl` or `ctl`", file.display())),
        };
        found.push((format!("{name}:{number}"), logic, rest.trim().to_owned()));
    }
    Ok(found)
}

/// Formulas of a project of ProB 2: objects with a `code` in lists whose name, or whose own type, says which logic it is.
fn collect(value: &Value, name: &str, found: &mut Vec<(String, Logic, String)>) {
    // Projects are a few levels deep; `serde_json` refuses what is deeper than 128.
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect(item, name, found)),
        Value::Object(fields) => {
            let kind = ["validationTaskType", "type", "logic"].iter().find_map(|key| fields.get(*key)?.as_str());
            let logic = match kind.unwrap_or_default().to_uppercase() {
                kind if kind.starts_with("LTL") && !kind.contains("PATTERN") => Some(Logic::Ltl),
                kind if kind.starts_with("CTL") => Some(Logic::Ctl),
                _ => None,
            };
            if let (Some(logic), Some(code)) = (logic, fields.get("code").and_then(Value::as_str)) {
                found.push((format!("{name} {}", found.len() + 1), logic, code.to_owned()));
                return;
            }
            for (key, item) in fields {
                if let ("ltlFormulas", Value::Array(formulas)) = (key.as_str(), item) {
                    let codes = formulas.iter().filter_map(|formula| formula.get("code")?.as_str());
                    for code in codes {
                        found.push((format!("{name} {}", found.len() + 1), Logic::Ltl, code.to_owned()));
                    }
                } else {
                    collect(item, name, found);
                }
            }
        }
        _ => {}
    }
}

/// The verdict of a run whose only violations are of temporal formulas.
pub(crate) fn violated_text(report: &Report) -> String {
    let n_violated = report.temporal.iter().filter(|formula| formula.verdict == TemporalVerdict::Violated).count();
    match (n_violated, report.temporal.len()) {
        (0, _) => "temporal property not well-defined".to_owned(),
        (1, 1) => "temporal property violated".to_owned(),
        (n_violated, n_formulas) => format!("{n_violated} of {n_formulas} temporal properties violated"),
    }
}

/// Prints what became of all formulas, violations with their paths.
pub(crate) fn print(report: &Report) {
    let mut is_behind_path = false;
    for formula in &report.temporal {
        let TemporalReport { name, formula: text, verdict, trace, story, evidence, .. } = formula;
        if std::mem::take(&mut is_behind_path) {
            outln!();
        }
        match verdict {
            TemporalVerdict::Holds => print_toned(&format!("{name} holds: {text}"), Tone::Good),
            TemporalVerdict::Violated => print_toned(&format!("{name} violated: {text}"), Tone::Bad),
            TemporalVerdict::Incomplete(why) => {
                print_toned(&format!("{name}: not known ({why}): {text}"), Tone::Open);
            }
            TemporalVerdict::IllDefined(atom) => {
                print_toned(&format!("{name}: `{atom}` is not well-defined: {text}"), Tone::Bad);
            }
            TemporalVerdict::Error(_) => outln!("{name}: the formula is wrong"),
        }
        if let Some(evidence) = evidence {
            out!("{}", evidence_text(evidence));
            is_behind_path = true;
            continue;
        }
        let Some(trace) = trace else { continue };
        is_behind_path = true;
        if let Some(story) = story {
            outln!("  {}", story.culprit);
            story.fairness.iter().for_each(|reason| outln!("  fair: {reason}"));
        }
        outln!();
        let end = story.as_ref().map(|story| story.end);
        out!("{}", path_text(&trace.steps, 1 - trace.n_setup.min(1), trace.loop_start, end));
        if let Some(gap) = &trace.gap {
            outln!("  the trace is incomplete: {gap}");
        }
        story.iter().for_each(|story| out!("{}", table_text(&story.rows, 1)));
        if trace.steps.len() > MAX_LISTED_STEPS {
            // The first line has left the screen.
            outln!();
            print_toned(&format!("{name} violated: {text}"), Tone::Bad);
        }
    }
}

/// The steps of a path, its loop and its end. The first step has the number `first`.
pub(crate) fn path_text(steps: &[TraceStep], first: usize, loop_start: Option<usize>, end: Option<StoryEnd>) -> String {
    if let Some(start) = loop_start {
        let (stem, round) = steps.split_at(start);
        let (stem, n_round, round) = (table(stem, first), round.len(), table(round, first + start));
        let repeated = if n_round == 1 { "step".to_owned() } else { count(n_round, "step") };
        return format!("{stem}  loop starts here\n{round}  loop: the last {repeated} for ever\n");
    }
    let end = match end {
        Some(StoryEnd::Loop(_)) => "  stays in a deadlock for ever\n",
        Some(StoryEnd::Deadlock) => "  ends in a deadlock\n",
        Some(StoryEnd::Anything) => "  whatever follows, the formula is false\n",
        None => "",
    };
    table(steps, first) + end
}

/// Branches that are shown at a path.
const MAX_BRANCHES: usize = 20;

/// The tree of paths of a formula of branching time.
fn evidence_text(story: &BranchingStory) -> String {
    let root = &story.root;
    let head = if story.is_about_part { format!("  {}\n", sentence(root)) } else { String::new() };
    head + "\n" + &branch_text(root, 1 - story.n_setup.min(1))
}

/// The path of a branch, whose first step has the number `first`, and what hangs off it.
fn branch_text(branch: &Branch, first: usize) -> String {
    let end = (branch.shown == BranchShown::PathToDeadlock).then_some(StoryEnd::Deadlock);
    let mut text = path_text(&branch.steps, first, branch.loop_start, end);
    if let Some(gap) = &branch.gap {
        text += &format!("  the path is incomplete: {gap}\n");
    }
    for part in branch.parts.iter().take(MAX_BRANCHES) {
        let step = first + part.after;
        text += &format!("  after step {}: {}\n", step.saturating_sub(1), sentence(part));
        let below = abridge_diag::with_stack(|| branch_text(part, step));
        below.lines().for_each(|line| text += &format!("  {line}\n"));
    }
    let n_left = branch.parts.len().saturating_sub(MAX_BRANCHES);
    if n_left > 0 {
        text += &format!("  and {n_left} more, which `--json` tells\n");
    }
    text
}

/// The value of a formula, and where it can be seen.
fn sentence(branch: &Branch) -> String {
    let value = if branch.holds { "holds" } else { "is false" };
    let shown = match branch.shown {
        BranchShown::Fact | BranchShown::Path | BranchShown::PathToDeadlock => "",
        BranchShown::AllPaths => ", on all paths",
        BranchShown::Omitted => " (not shown)",
    };
    format!("`{}` {value}{shown}", branch.formula)
}

fn branch_json(branch: &Branch) -> Value {
    let parts: Vec<Value> = branch.parts.iter().map(|part| abridge_diag::with_stack(|| branch_json(part))).collect();
    json!({
        "formula": branch.formula,
        "holds": branch.holds,
        "after": branch.after,
        "trace": steps_json(&branch.steps),
        "loop_start": branch.loop_start,
        "gap": branch.gap,
        "ends_in_deadlock": branch.shown == BranchShown::PathToDeadlock,
        "on_all_paths": branch.shown == BranchShown::AllPaths,
        "is_omitted": branch.shown == BranchShown::Omitted,
        "parts": parts,
    })
}

/// Positions that a table of subformulas shows.
const MAX_COLUMNS: usize = 24;

/// Truth of subformulas at the positions of a path, the first of which is the state after step `first`.
pub(crate) fn table_text(rows: &[StoryRow], first: usize) -> String {
    let n_positions = rows.first().map_or(0, |row| row.truths.len());
    if n_positions == 0 || n_positions > MAX_COLUMNS {
        return String::new();
    }
    let head: String = (first..).take(n_positions).map(|step| format!("{step:>3}")).collect();
    let mut text = format!("\n  {head}  after step\n");
    for row in rows {
        let truths: String = row.truths.iter().map(|truth| if *truth { "  ●" } else { "  ·" }).collect();
        text += &format!("  {truths}  {}\n", row.text);
    }
    text
}

/// What became of all formulas.
pub(crate) fn json(report: &Report, sources: &SourceMap) -> Value {
    report.temporal.iter().map(|formula| formula_json(formula, sources)).collect()
}

fn formula_json(formula: &TemporalReport, sources: &SourceMap) -> Value {
    let message = match &formula.verdict {
        TemporalVerdict::Holds | TemporalVerdict::Violated => String::new(),
        TemporalVerdict::Incomplete(why) | TemporalVerdict::Error(why) => why.clone(),
        TemporalVerdict::IllDefined(atom) => format!("`{atom}` is not well-defined"),
    };
    let mut value = json!({
        "name": formula.name,
        "logic": match formula.logic { Logic::Ltl => "ltl", Logic::Ctl => "ctl" },
        "formula": formula.formula,
        "verdict": formula.verdict.name(),
        "ill_defined": matches!(formula.verdict, TemporalVerdict::IllDefined(_)),
        "message": message,
        "diagnostics": json_diagnostics(sources, &formula.diagnostics),
    });
    if let Some(trace) = &formula.trace {
        value["trace"] = steps_json(&trace.steps);
        value["loop_start"] = json!(trace.loop_start);
        value["gap"] = json!(trace.gap);
    }
    if let Some(story) = &formula.evidence {
        value["evidence"] = branch_json(&story.root);
    }
    if let Some(story) = &formula.story {
        value["culprit"] = json!(story.culprit);
        value["fairness"] = json!(story.fairness);
        value["ends_in_deadlock"] = json!(story.end == StoryEnd::Deadlock);
        value["is_prefix"] = json!(story.end == StoryEnd::Anything);
        value["subformulas"] = story.rows.iter().map(|row| json!({ "text": row.text, "holds": row.truths })).collect();
    }
    value
}

/// Warnings and errors about formulas.
pub(crate) fn diagnostics(report: &Report) -> impl Iterator<Item = &Diagnostic> {
    report.temporal.iter().flat_map(|formula| &formula.diagnostics)
}
