//! `abridge probcli`: command lines of ProB, translated into commands of Abridge and executed.
//!
//! [`OPTIONS`] says for each option what becomes of it. An option without effect is told with the reason, one that asks for something Abridge cannot do is told with an
//! alternative and keeps the status from being 0, and one that is not known ends the run: a script must never pass because an option was overlooked.

mod options;

use clap::Args;
use serde_json::json;

use crate::commands::print_json;
use crate::exit::Exit;
use crate::out::{errln, flush, outln};
use crate::text::aligned;
use options::{OPTIONS, OptionEffect, OptionRow};

#[derive(Args)]
pub(crate) struct ProbcliOptions {
    /// Print the commands that would be executed, and what has no effect, and do nothing
    #[arg(long)]
    explain: bool,
    /// Print what becomes of each option of ProB
    #[arg(long)]
    list: bool,
    /// Machine and options, as for ProB's command line
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGS")]
    args: Vec<String>,
}

/// The command that `-init` becomes.
const INIT: [&str; 3] = ["animate", "--do", "init"];

/// States of a drawing beside a model check, in a file that programs read.
const MAX_WRITTEN_STATES: u64 = 100_000;

/// Translation of a command line.
#[derive(Default)]
struct Plan {
    file: Option<String>,
    /// Preferences and sizes of sets, for every command.
    model: Vec<String>,
    /// Options of `abridge check`.
    check: Vec<String>,
    is_checked: bool,
    /// The temporal properties of the machine are checked as well.
    checks_temporal: bool,
    /// Properties of single states are checked; not if only formulas are asked for.
    checks_states: bool,
    /// The options behind `check`, as they were given.
    given_for_check: Vec<String>,
    /// The file that gets the trace of a finding or of a walk.
    history: Option<String>,
    /// Other commands, to which the file is added behind the first word.
    others: Vec<Vec<String>>,
    /// States that a drawing of the state space may have: those that are visited.
    max_drawn: Option<u64>,
    /// Options without effect, and why.
    notes: Vec<String>,
    /// What was asked for and cannot be done.
    missing: Vec<String>,
    /// Kind of error that is expected, with the statuses that it may end in.
    expected: Option<(String, &'static [Exit])>,
    asks_version: bool,
    asks_help: bool,
}

impl Plan {
    fn other(&mut self, words: &[&str]) {
        self.others.push(words.iter().map(|word| (*word).to_owned()).collect());
    }

    /// The commands, each without the name of the program.
    fn commands(&self) -> Vec<Vec<String>> {
        let file = self.file.as_slice();
        let compat = ["--compat".to_owned(), "prob".to_owned()];
        let mut commands = Vec::new();
        for other in &self.others {
            let (words, rest) = other.split_at(if other[0] == "trace" { 2 } else { 1 });
            let mut command: Vec<String> = words.iter().chain(file).chain(&self.model).cloned().collect();
            if words[0] != "typecheck" && words[0] != "refine" && words[0] != "show" {
                command.extend_from_slice(&compat);
            }
            command.extend_from_slice(rest);
            // A drawing that a program reads is the whole state space, one that people look at is cut.
            if let ("graph", Some(max_drawn)) = (words[0].as_str(), self.max_drawn) {
                command.extend(["--max-states".to_owned(), max_drawn.to_string()]);
            }
            commands.push(command);
        }
        if self.is_checked {
            let mut command: Vec<String> =
                ["check".to_owned()].iter().chain(file).chain(&self.model).cloned().collect();
            command.extend_from_slice(&compat);
            command.extend_from_slice(&self.check);
            let leave_out = |condition: bool, options: &[&str]| -> Vec<String> {
                options.iter().filter(|_| condition).map(|option| (*option).to_owned()).collect()
            };
            command.extend(leave_out(!self.checks_temporal, &["--no-temporal"]));
            let states = ["--no-invariant", "--no-deadlock", "--no-assertions", "--no-goal"];
            let given = &self.check;
            let states: Vec<&str> = states.into_iter().filter(|one| !given.iter().any(|known| known == one)).collect();
            command.extend(leave_out(!self.checks_states, &states));
            commands.push(command);
        }
        commands
    }
}

/// Translates a command line; a message if some part of it is not known.
fn translate(args: &[String]) -> Result<Plan, String> {
    let mut plan = Plan::default();
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        if arg == "--" {
            let given: Vec<&str> = rest.by_ref().map(String::as_str).collect();
            plan.missing.push(format!("`-- {}` cannot be done: machines have no arguments", given.join(" ")));
            break;
        }
        let Some(name) = arg.strip_prefix('-') else {
            match plan.file.replace(arg.clone()) {
                Some(first) => return Err(format!("two machines: `{first}` and `{arg}`")),
                None => continue,
            }
        };
        // ProB takes one dash or two, and either kind of line between words.
        let name = name.strip_prefix('-').unwrap_or(name).replace('-', "_");
        let Some(row) = OPTIONS.iter().find(|row| row.names.contains(&name.as_str())) else {
            let names = OPTIONS.iter().flat_map(|row| row.names).copied();
            let near = abridge_sema::nearest(&name, names).map(|near| format!("; a similar one exists: `-{near}`"));
            let near = near.unwrap_or_default();
            return Err(format!("unknown option `{arg}`{near}; `abridge probcli --list` prints those that are known"));
        };
        let values: Vec<&str> = rest.by_ref().take(row.n_values).map(String::as_str).collect();
        if values.len() < row.n_values {
            let n_values = crate::report::count(row.n_values, "value");
            return Err(format!("`{arg}` needs {n_values}"));
        }
        let n_before = plan.check.len();
        apply(&mut plan, row, arg, &values)?;
        if plan.check.len() > n_before {
            plan.given_for_check.push([&[arg.as_str()], &values[..]].concat().join(" "));
        }
    }
    finish(&mut plan);
    Ok(plan)
}

/// Settles what depends on several options, in whatever order they were given.
fn finish(plan: &mut Plan) {
    let asks_nothing = plan.others.is_empty() && plan.missing.is_empty() && !plan.asks_version && !plan.asks_help;
    // ProB reads and types a machine that nothing else is asked about.
    if plan.file.is_some() && !plan.is_checked && asks_nothing {
        plan.other(&["typecheck"]);
    }
    let is_picture = |other: &Vec<String>| other.last().is_some_and(|file| file.ends_with(".svg"));
    if plan.is_checked && plan.max_drawn.is_none() && !plan.others.iter().any(is_picture) {
        plan.max_drawn = Some(MAX_WRITTEN_STATES);
    }
    // A walk initialises the machine, too.
    if plan.others.iter().any(|other| other.starts_with(&INIT.map(str::to_owned)) && other.len() > INIT.len()) {
        plan.others.retain(|other| *other != INIT);
    }
    if let Some(file) = plan.history.take() {
        let save = ["--do".to_owned(), format!("save {file}")];
        let is_walk = |other: &&mut Vec<String>| other[0] == "animate" && other.iter().any(|word| word == "--do");
        let mut walks = plan.others.iter_mut().filter(is_walk);
        match walks.next_back() {
            _ if plan.is_checked => plan.check.extend(["--save-trace".to_owned(), file]),
            Some(walk) => walk.extend(save),
            None => plan.notes.push(format!("`-his {file}` has no effect: there is neither a model check nor a walk")),
        }
    }
    if !plan.is_checked {
        let given = plan.given_for_check.drain(..);
        plan.notes.extend(given.map(|option| format!("`{option}` has no effect: no model check is asked for")));
    }
}

fn apply(plan: &mut Plan, row: &OptionRow, arg: &str, values: &[&str]) -> Result<(), String> {
    match row.effect {
        OptionEffect::Check(options) => plan.check.extend(options.iter().map(|option| (*option).to_owned())),
        OptionEffect::Do(act) => act(plan, values)?,
        OptionEffect::None => plan.notes.push(format!("`{arg}` has no effect: {}", row.becomes)),
        OptionEffect::Missing => {
            let given: Vec<String> = [&[arg], values].concat().into_iter().map(quoted).collect();
            plan.missing.push(format!("`{}` cannot be done: {}", given.join(" "), row.becomes));
        }
    }
    Ok(())
}

/// Executes the translation of a command line, command by command; `execute` runs one.
pub(crate) fn run(options: &ProbcliOptions, json: bool, execute: &dyn Fn(&[String]) -> Exit) -> Exit {
    if options.list {
        list(json);
        return Exit::Ok;
    }
    let plan = match translate(&options.args) {
        Ok(plan) => plan,
        Err(message) => {
            errln!("error: {message}");
            return Exit::Usage;
        }
    };
    let commands = plan.commands();
    if options.explain {
        explain(&plan, &commands, json);
        return if plan.missing.is_empty() { Exit::Ok } else { Exit::Incomplete };
    }
    plan.notes.iter().for_each(|note| errln!("note: {note}"));
    plan.missing.iter().for_each(|missing| errln!("warning: {missing}"));
    if plan.asks_version {
        outln!("abridge {}", env!("CARGO_PKG_VERSION"));
    }
    if plan.asks_help {
        list(json);
    }
    if commands.is_empty() && (plan.asks_version || plan.asks_help) {
        return if plan.missing.is_empty() { Exit::Ok } else { Exit::Incomplete };
    }
    if commands.is_empty() && plan.missing.is_empty() {
        errln!("error: nothing to do: give a machine and, for example, `-mc 1000`");
        return Exit::Usage;
    }
    let needs_machine = |command: &Vec<String>| !["eval", "repl"].contains(&command[0].as_str());
    if plan.file.is_none() && commands.iter().any(needs_machine) {
        errln!("error: no machine is given, for example: abridge probcli lift.mch -model_check");
        return Exit::Usage;
    }
    let mut worst = if plan.missing.is_empty() { Exit::Ok } else { Exit::Incomplete };
    for command in &commands {
        errln!("abridge {}", shell_text(command));
        worst = worst.max(execute(command));
        flush();
    }
    match &plan.expected {
        Some((_, expected)) if expected.contains(&worst) => Exit::Ok,
        Some((name, _)) => {
            errln!("error: `{name}` was expected, and did not happen");
            Exit::No
        }
        None => worst,
    }
}

fn explain(plan: &Plan, commands: &[Vec<String>], json: bool) {
    let texts: Vec<String> = commands.iter().map(|command| format!("abridge {}", shell_text(command))).collect();
    if json {
        print_json(&json!({ "commands": texts, "notes": plan.notes, "missing": plan.missing }));
        return;
    }
    texts.iter().for_each(|text| outln!("{text}"));
    plan.notes.iter().for_each(|note| outln!("note: {note}"));
    plan.missing.iter().for_each(|missing| outln!("warning: {missing}"));
}

/// A command as one would type it.
fn shell_text(command: &[String]) -> String {
    command.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

/// A word as the shell reads it.
pub(crate) fn quoted(word: &str) -> String {
    let is_plain = |ch: char| ch.is_ascii_alphanumeric() || "-_./=,:".contains(ch);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

fn list(json: bool) {
    let names = |row: &OptionRow| row.names.iter().map(|name| format!("-{name}")).collect::<Vec<_>>().join(", ");
    let verdict = |row: &OptionRow| match row.effect {
        OptionEffect::Check(_) | OptionEffect::Do(_) => "yes",
        OptionEffect::None => "no effect",
        OptionEffect::Missing => "no",
    };
    if json {
        let rows = OPTIONS.iter().map(
            |row| json!({ "options": row.names, "values": row.n_values, "done": verdict(row), "becomes": row.becomes }),
        );
        print_json(&json!({ "options": rows.collect::<Vec<_>>() }));
        return;
    }
    let rows: Vec<Vec<String>> =
        OPTIONS.iter().map(|row| vec![names(row), verdict(row).to_owned(), row.becomes.to_owned()]).collect();
    outln!("{}", aligned(&rows, usize::MAX).trim_end());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_named_once() {
        let mut names: Vec<&str> = OPTIONS.iter().flat_map(|row| row.names).copied().collect();
        let n_names = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), n_names);
        assert!(OPTIONS.iter().all(|row| !row.becomes.is_empty()));
    }

    #[test]
    fn words_are_quoted_for_the_shell() {
        let words = ["eval", "it's", "a b", ""].map(str::to_owned);
        assert_eq!(shell_text(&words), r"eval 'it'\''s' 'a b' ''");
    }
}
