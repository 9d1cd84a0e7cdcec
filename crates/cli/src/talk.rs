//! Dialogues: commands in, one a line, and answers out, as text for people or as one JSON object a line.
//!
//! `animate` and `repl` are dialogues. An error of a person is told; an error in a script is its exit status.

use abridge_diag::with_stack;
use serde_json::{Map, Value, json};

use crate::commands::print_json;
use crate::exit::Exit;
use crate::formulas::{ToldAnswer, fields};
use crate::out::{out, raw};
use crate::prompt::{Line, Prompt};
use crate::session::DialogueSession;
use crate::symbols::with_symbols;
use crate::terminal::{colours_output, wrapped_for_output};

/// Answer to a command.
pub(crate) struct Reply {
    pub(crate) is_ok: bool,
    pub(crate) text: String,
    pub(crate) json: Map<String, Value>,
    /// Print the current state and its successors as well.
    pub(crate) shows_place: bool,
}

impl Reply {
    pub(crate) fn place(text: impl Into<String>) -> Reply {
        Reply { is_ok: true, text: text.into(), json: Map::new(), shows_place: true }
    }

    pub(crate) fn text(text: impl Into<String>, json: Value) -> Reply {
        Reply { is_ok: true, text: text.into(), json: fields(json), shows_place: false }
    }

    pub(crate) fn error(message: impl Into<String>) -> Reply {
        let message = message.into();
        Reply { is_ok: false, json: fields(json!({ "message": message })), text: message + "\n", shows_place: false }
    }

    pub(crate) fn told(told: ToldAnswer) -> Reply {
        let is_ok = matches!(told.exit, Exit::Ok | Exit::No);
        Reply { is_ok, text: told.text, json: told.json, shows_place: false }
    }
}

/// Whoever answers commands.
pub(crate) trait Talk {
    fn command(&mut self, line: &str) -> Reply;

    /// The current state and its successors, for people: as it is sent to a terminal, with [`abridge_diag::visible`] applied to what a machine says.
    fn text(&self, _is_coloured: bool) -> String {
        String::new()
    }

    /// The same for programs.
    fn json(&self) -> Map<String, Value> {
        Map::new()
    }

    /// What may be completed.
    fn words(&self) -> Vec<String>;
}

/// Reads and answers commands until end of input or `quit`.
pub(crate) fn converse(
    talk: &mut impl Talk,
    first: Reply,
    session: &DialogueSession,
    mut prompt: Prompt,
    json: bool,
) -> Exit {
    let mut all_ok = first.is_ok;
    session.run(|| answer(talk, "", first, json));
    let sign = if json { "" } else { "> " };
    loop {
        let line = match prompt.read(sign, || talk.words()) {
            Line::Text(line) => with_symbols(line.trim()),
            Line::GivenUp => continue,
            Line::End => break,
        };
        if matches!(line.as_str(), "q" | "quit" | "exit" | ":q" | ":quit") {
            break;
        }
        all_ok &= session.run(|| {
            let mut reply = with_stack(|| talk.command(&line));
            if session.is_interrupted() && !reply.is_ok {
                reply = Reply::error("interrupted");
            }
            let is_ok = reply.is_ok;
            answer(talk, &line, reply, json);
            is_ok
        });
    }
    if all_ok || prompt.is_person() { Exit::Ok } else { Exit::No }
}

fn answer(talk: &impl Talk, command: &str, reply: Reply, json: bool) {
    if json {
        let mut object = fields(json!({ "command": command, "ok": reply.is_ok }));
        object.extend(reply.json);
        if reply.shows_place {
            object.extend(talk.json());
        }
        print_json(&object);
    } else {
        out!("{}", wrapped_for_output(&reply.text));
        if reply.shows_place {
            raw(wrapped_for_output(&talk.text(colours_output())).as_bytes());
        }
    }
}
