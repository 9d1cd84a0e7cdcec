//! Tests of the grammar: accepted and refused texts.

mod accepted;
mod refused;
mod robust;

use abridge_diag::{Diagnostic, FileId};

use super::dump;
use crate::ast::Ast;
use crate::{parse_file, parse_formula, parse_substitution};

type Parse = fn(FileId, &str) -> (Ast, Vec<Diagnostic>);

/// Asserts the tree of a correct text.
#[track_caller]
fn check_with(parse: Parse, input: &str, expected: &str) {
    let (ast, diagnostics) = parse(FileId(0), input);
    assert!(diagnostics.is_empty(), "{input}: {diagnostics:#?}");
    assert_eq!(dump::unit(&ast), expected, "{input}");
}

#[track_caller]
fn check(input: &str, expected: &str) {
    check_with(parse_formula, input, expected);
}

#[track_caller]
fn check_substitution(input: &str, expected: &str) {
    check_with(parse_substitution, input, expected);
}

#[track_caller]
fn check_file(input: &str, expected: &str) {
    check_with(parse_file, input, expected);
}

/// Diagnostics of a text, each as `id text`, where `text` is the marked source.
fn mistakes(parse: Parse, input: &str) -> String {
    let (_, diagnostics) = parse(FileId(0), input);
    let shown = diagnostics.iter().map(|diagnostic| {
        let place = diagnostic.span().map_or("", |span| &input[span.start as usize..span.end as usize]);
        format!("{} {place:?}", diagnostic.id)
    });
    shown.collect::<Vec<_>>().join("; ")
}

#[track_caller]
fn refuse(input: &str, expected: &str) {
    assert_eq!(mistakes(parse_formula, input), expected, "{input}");
}

#[track_caller]
fn refuse_substitution(input: &str, expected: &str) {
    assert_eq!(mistakes(parse_substitution, input), expected, "{input}");
}

#[track_caller]
fn refuse_file(input: &str, expected: &str) {
    assert_eq!(mistakes(parse_file, input), expected, "{input}");
}

/// Tree of a text with errors.
fn recovered(parse: Parse, input: &str) -> String {
    let (ast, diagnostics) = parse(FileId(0), input);
    assert!(!diagnostics.is_empty(), "{input}");
    dump::unit(&ast)
}
