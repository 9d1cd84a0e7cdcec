//! Spelling of names, strings and pragma texts, such that the lexer reads them back unchanged.

use abridge_diag::FileId;

use crate::ast::{Builtin, SmolStr};
use crate::lexer::{Token, TokenKind, lex, reserved};

/// Name, with parts that are not plain identifiers in back quotes.
pub(super) fn name(name: &SmolStr) -> SmolStr {
    if name.split('.').all(is_plain) {
        return name.clone();
    }
    let parts: Vec<String> = name
        .split('.')
        .map(|part| if is_plain(part) { part.to_owned() } else { format!("`{}`", escaped(part, '`')) })
        .collect();
    SmolStr::new(parts.join("."))
}

/// Name before an argument list, where some names are keywords.
pub(super) fn called_name(called: &SmolStr) -> SmolStr {
    let is_contextual = |builtin: &Builtin| builtin.info().contextual && builtin.info().name == called;
    if Builtin::ALL.iter().any(is_contextual) { SmolStr::new(format!("`{called}`")) } else { name(called) }
}

fn is_plain(part: &str) -> bool {
    let starts_well = part.starts_with(|ch: char| ch.is_ascii_alphabetic());
    if starts_well && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
        return reserved(part).is_none();
    }
    let lexed = lex(FileId(0), part);
    let is_all = |token: &Token| token.kind == TokenKind::Ident && token.start == 0 && token.end as usize == part.len();
    lexed.diagnostics.is_empty() && lexed.tokens.first().is_some_and(is_all)
}

/// String literal `"text"`.
pub(super) fn string(value: &str) -> String {
    format!("\"{}\"", escaped(value, '"'))
}

/// Text between quotes. Every backslash is doubled, since the next character decides whether it starts an escape.
fn escaped(value: &str, quote: char) -> String {
    let mut text = String::with_capacity(value.len());
    for ch in value.chars() {
        match ch {
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            ch if ch == quote || ch == '\\' => text.extend(['\\', ch]),
            ch => text.push(ch),
        }
    }
    text
}

/// Text of a `label` pragma: a word, or any text in quotes without escapes.
pub(super) fn label(label: &str) -> String {
    if is_plain(label) { label.to_owned() } else { format!("\"{label}\"") }
}

/// Path of a pragma, which may be quoted.
pub(super) fn path(path: &str) -> String {
    if path.starts_with('"') { format!("\"{path}\"") } else { path.to_owned() }
}

/// Text part of a template. The backslash of `\${`, which prevents the start of an expression, belongs to the text.
pub(super) fn template_text(text: &str) -> String {
    escaped(text, '`').replace("\\\\$", "\\$")
}

/// Text of a comment. A pragma without effect is changed into a plain comment, so that it has no effect at its new place either.
pub(super) fn comment(text: &SmolStr) -> SmolStr {
    match text.strip_prefix("/*@") {
        Some(inside) if !lex(FileId(0), text).pragmas.is_empty() => SmolStr::new(format!("/* @{inside}")),
        _ => text.clone(),
    }
}
