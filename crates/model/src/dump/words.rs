//! Identifiers and literals as B text.
//!
//! A name that the lexer would read as something else is put in back quotes, so that the text parses to the same model.

use std::borrow::Cow;

/// Identifier, in back quotes if it is a keyword or not a plain identifier. The parts of a dotted name are quoted one by one; in `x$0`, only `x` is.
pub fn ident(name: &str) -> Cow<'_, str> {
    if is_plain(name) && !RESERVED.contains(&name) {
        return Cow::Borrowed(name);
    }
    let (base, mark) = match name.strip_suffix("$0") {
        Some(base) => (base, "$0"),
        None => (name, ""),
    };
    let parts: Vec<Cow<str>> = base.split('.').map(part).collect();
    Cow::Owned(parts.join(".") + mark)
}

fn part(name: &str) -> Cow<'_, str> {
    if is_plain(name) && !RESERVED.contains(&name) { Cow::Borrowed(name) } else { Cow::Owned(quoted(name)) }
}

/// Quotes an identifier that an opening parenthesis follows, if it is a keyword there.
pub(super) fn called(text: &str) -> Cow<'_, str> {
    if CONTEXTUAL.contains(&text) { Cow::Owned(quoted(text)) } else { Cow::Borrowed(text) }
}

fn quoted(name: &str) -> String {
    let mut out = String::from("`");
    escape(&mut out, name, '`');
    out.push('`');
    out
}

/// True for a letter, then letters, digits and `_`, then subscripts, then primes.
fn is_plain(name: &str) -> bool {
    let is_subscript = |c: char| ('\u{2080}'..='\u{2089}').contains(&c);
    let base = name.trim_end_matches(['\u{2032}', '\u{2018}', '\u{2019}']).trim_end_matches(is_subscript);
    let mut chars = base.chars();
    chars.next().is_some_and(char::is_alphabetic) && chars.all(|c| c.is_alphabetic() || c.is_ascii_digit() || c == '_')
}

/// Writes a string literal.
pub(super) fn string(out: &mut String, value: &str) {
    // These characters end a line, so only the multi-line form may contain them.
    let (delimiter, quote) = if value.contains(['\u{2028}', '\u{2029}']) { ("'''", '\'') } else { ("\"", '"') };
    out.push_str(delimiter);
    escape(out, value, quote);
    out.push_str(delimiter);
}

fn escape(out: &mut String, value: &str, quote: char) {
    for c in value.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c == '\\' || c == quote => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
}

/// Writes a real literal, with digits on both sides of the dot.
pub(super) fn real(out: &mut String, value: f64) {
    if value.is_infinite() {
        // This literal overflows to infinity.
        out.push_str(if value < 0.0 { "-1.0e999" } else { "1.0e999" });
        return;
    }
    let text = format!("{value:?}");
    match text.split_once('e') {
        Some((digits, exponent)) if !digits.contains('.') => out.extend([digits, ".0e", exponent]),
        _ => out.push_str(&text),
    }
}

#[rustfmt::skip]
const RESERVED: &[&str] = &[
    "ABSTRACT_CONSTANTS", "ABSTRACT_VARIABLES", "ANY", "ASSERT", "ASSERTIONS", "BE", "BEGIN", "BOOL", "CASE", "CHOICE",
    "CONCRETE_CONSTANTS", "CONCRETE_VARIABLES", "CONSTANTS", "CONSTRAINTS", "DEFINITIONS", "DO", "EITHER", "ELSE",
    "ELSIF", "END", "EVENTS", "EXPRESSIONS", "EXTENDS", "FALSE", "FIN", "FIN1", "FLOAT", "FREETYPES", "IF",
    "IMPLEMENTATION", "IMPORTS", "IN", "INCLUDES", "INITIALISATION", "INITIALIZATION", "INT", "INTEGER", "INTER",
    "INVARIANT", "LET", "LOCAL_OPERATIONS", "MACHINE", "MAXINT", "MININT", "MODEL", "NAT", "NAT1", "NATURAL",
    "NATURAL1", "OF", "OPERATIONS", "OR", "PI", "POW", "POW1", "PRE", "PREDICATES", "PROMOTES", "PROPERTIES", "REAL",
    "REFINEMENT", "REFINES", "SEES", "SELECT", "SETS", "SIGMA", "STRING", "SYSTEM", "THEN", "TRUE", "UNION", "USES",
    "VALUES", "VAR", "VARIABLES", "VARIANT", "WHEN", "WHERE", "WHILE", "WITNESS", "bfalse", "bool", "btrue", "card",
    "closure", "closure1", "conc", "dom", "first", "fnc", "front", "id", "inter", "iseq", "iseq1", "iterate", "last",
    "max", "min", "mod", "not", "or", "perm", "pred", "prj1", "prj2", "ran", "rec", "rel", "rev", "seq", "seq1", "size",
    "skip", "struct", "succ", "tail", "union",
];

/// Keywords only before an opening parenthesis.
#[rustfmt::skip]
const CONTEXTUAL: &[&str] = &[
    "arity", "bin", "btree", "ceiling", "const", "father", "floor", "infix", "left", "mirror", "postfix", "prefix",
    "rank", "real", "right", "sizet", "son", "sons", "subtree", "top", "tree",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_quoted_where_needed() {
        let expected = [
            ("x", "x"),
            ("m.x", "m.x"),
            ("x$0", "x$0"),
            ("é_1", "é_1"),
            ("x₁′", "x₁′"),
            ("skip", "`skip`"),
            ("a.max", "a.`max`"),
            ("dom$0", "`dom`$0"),
            ("two words", "`two words`"),
            ("_x", "`_x`"),
            ("left", "left"),
            ("", "``"),
        ];
        for (name, text) in expected {
            assert_eq!(ident(name), text);
        }
        assert_eq!(called("left"), "`left`");
        assert_eq!(called("f"), "f");
    }

    #[test]
    fn literals_can_be_read_back() {
        let text = |value: &str| {
            let mut out = String::new();
            string(&mut out, value);
            out
        };
        assert_eq!(text("a\"b\\d\n'"), r#""a\"b\\d\n'""#);
        assert_eq!(text("\u{2028}'"), "'''\u{2028}\\''''");
        let text = |value: f64| {
            let mut out = String::new();
            real(&mut out, value);
            out
        };
        let reals = [1.5, 150.0, 1e16, 1e-7, 2.5e-9, -0.5, f64::INFINITY].map(text);
        assert_eq!(reals, ["1.5", "150.0", "1.0e16", "1.0e-7", "2.5e-9", "-0.5", "1.0e999"]);
    }
}
