//! Lines that are typed at a prompt, with editing, history and completion; or read from a pipe, one after the other.
//!
//! An editor needs a terminal on both sides. Whatever is not typed by a person is read as it is, without a prompt, so that scripts see answers only.

use std::io::{BufRead as _, IsTerminal as _};
use std::path::PathBuf;

use rustyline::completion::{Completer, FilenameCompleter, Pair};
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::Validator;
use rustyline::{ColorMode, CompletionType, Config, Context, Editor, Helper};

use crate::cache::user_folder;
use crate::files::private_folder;
use crate::out::{flush, out};
use crate::symbols::SYMBOLS;
use crate::terminal::colours_output;

/// Lines of history that are kept.
const MAX_HISTORY_LINES: usize = 1000;

/// What came in.
pub(crate) enum Line {
    Text(String),
    /// Ctrl-C at the prompt: the line is given up.
    GivenUp,
    /// End of input.
    End,
}

pub(crate) struct Prompt {
    editor: Option<Editor<CompletionWords, FileHistory>>,
    history: Option<PathBuf>,
    /// Lines that take the place of input, in reverse; `is_scripted` even when none is left.
    script: Vec<String>,
    is_scripted: bool,
    is_person: bool,
}

impl Prompt {
    /// A prompt with a history of its own, or lines that take the place of input.
    pub(crate) fn new(name: &str, script: &[String]) -> Prompt {
        let is_scripted = !script.is_empty();
        let is_person = std::io::stdin().is_terminal() && !is_scripted;
        let script = script.iter().rev().cloned().collect();
        let mut prompt = Prompt { editor: None, history: None, script, is_scripted, is_person };
        if is_person && std::io::stdout().is_terminal() {
            prompt.edit(name);
        }
        prompt
    }

    /// Somebody types the lines.
    pub(crate) fn is_person(&self) -> bool {
        self.is_person
    }

    /// Has lines edited, with the history of a name.
    fn edit(&mut self, name: &str) {
        let colours = if colours_output() { ColorMode::Enabled } else { ColorMode::Disabled };
        let config = Config::builder()
            .completion_type(CompletionType::List)
            .history_ignore_space(true)
            .auto_add_history(true)
            .color_mode(colours);
        let config = config.max_history_size(MAX_HISTORY_LINES).map(|config| config.build()).unwrap_or_default();
        let Ok(mut editor) = Editor::<CompletionWords, FileHistory>::with_config(config) else { return };
        editor.set_helper(Some(CompletionWords::default()));
        let folder = user_folder().filter(|folder| private_folder(folder, true).is_ok());
        let history = folder.map(|folder| folder.join(format!("{name}.history")));
        if let Some(file) = &history {
            // The first session has none.
            let _ = editor.load_history(file);
        }
        (self.editor, self.history) = (Some(editor), history);
    }

    /// The next line; `words` are what may be completed.
    pub(crate) fn read(&mut self, prompt: &str, words: impl FnOnce() -> Vec<String>) -> Line {
        flush();
        if self.is_scripted {
            return self.script.pop().map_or(Line::End, Line::Text);
        }
        let Some(editor) = &mut self.editor else { return self.read_plain(prompt) };
        if let Some(helper) = editor.helper_mut() {
            helper.words = words();
        }
        match editor.readline(prompt) {
            Ok(line) => {
                if let Some(file) = &self.history {
                    // What cannot be kept is not worth a word.
                    let _ = editor.append_history(file);
                }
                Line::Text(line)
            }
            Err(ReadlineError::Interrupted) => Line::GivenUp,
            Err(_) => Line::End,
        }
    }

    fn read_plain(&self, prompt: &str) -> Line {
        if self.is_person {
            out!("{prompt}");
            flush();
        }
        let mut line = String::new();
        match std::io::stdin().lock().read_line(&mut line) {
            Ok(0) | Err(_) => Line::End,
            Ok(_) => Line::Text(line),
        }
    }
}

/// Words that can be completed: names, commands, symbols behind a backslash, and files behind commands that take one.
#[derive(Default)]
struct CompletionWords {
    words: Vec<String>,
}

impl Helper for CompletionWords {}
impl Highlighter for CompletionWords {}
impl Validator for CompletionWords {}

impl Hinter for CompletionWords {
    type Hint = String;
}

impl Completer for CompletionWords {
    type Candidate = Pair;

    fn complete(&self, line: &str, pos: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        let typed = &line[..pos];
        if ["load ", "save ", ":load "].iter().any(|command| typed.starts_with(command)) {
            return FilenameCompleter::new().complete_path(line, pos);
        }
        Ok(completions(typed, &self.words))
    }
}

/// The start of the word at the end of a text, and what it may become.
fn completions(typed: &str, words: &[String]) -> (usize, Vec<Pair>) {
    let pair = |text: &str, becomes: &str| Pair { display: text.to_owned(), replacement: becomes.to_owned() };
    // Steps are completed with their arguments.
    let steps = words.iter().filter(|known| typed.contains('(') && known.starts_with(typed) && *known != typed);
    let steps: Vec<Pair> = steps.map(|known| pair(known, known)).collect();
    if !steps.is_empty() {
        return (0, steps);
    }
    let is_inside = |ch: char| ch.is_alphanumeric() || ch == '_' || ch == '.';
    let mut start = typed.trim_end_matches(is_inside).len();
    if let Some(before) = typed[..start].chars().next_back().filter(|ch| matches!(ch, '\\' | ':')) {
        // A colon begins a command only at the start of the line; elsewhere it is the operator.
        if before == '\\' || start == 1 {
            start -= 1;
        }
    }
    let word = &typed[start..];
    if let Some(name) = word.strip_prefix('\\') {
        let found = SYMBOLS.iter().filter(|(known, _)| known.starts_with(name));
        return (start, found.map(|(known, symbol)| pair(&format!("\\{known} {symbol}"), symbol)).collect());
    }
    if word.is_empty() {
        return (start, Vec::new());
    }
    let found = words.iter().filter(|known| known.starts_with(word)).map(String::as_str);
    // A step begins the line; elsewhere its name stands alone.
    let mut found: Vec<&str> =
        found.map(|known| if start == 0 { known } else { known.trim_end_matches('(') }).collect();
    found.sort_unstable();
    found.dedup();
    (start, found.into_iter().map(|known| pair(known, known)).collect())
}

#[cfg(test)]
mod tests {
    use super::completions;

    fn after(typed: &str) -> Vec<String> {
        let words = [":type", ":table", "level", "levels", "lift.level", "press(", "go(1)", "go(2)"].map(str::to_owned);
        let (start, found) = completions(typed, &words);
        found.into_iter().map(|pair| typed[..start].to_owned() + &pair.replacement).collect()
    }

    #[test]
    fn words_symbols_and_commands_are_completed() {
        assert_eq!(after("1 + le"), ["1 + level", "1 + levels"]);
        assert_eq!(after("x:le"), ["x:level", "x:levels"]);
        assert_eq!(after(":t"), [":table", ":type"]);
        assert_eq!(after("lift."), ["lift.level"]);
        assert_eq!(after("go("), ["go(1)", "go(2)"]);
        assert!(after("press(").is_empty());
        assert_eq!(after("go(le"), ["go(level", "go(levels"]);
        assert_eq!(after("pre"), ["press("]);
        assert_eq!(after("exec pre"), ["exec press"]);
        assert_eq!(after("x \\foral"), ["x ∀"]);
        assert!(after("1 + ").is_empty());
    }
}
