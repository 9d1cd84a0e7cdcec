//! Printing: what is printed reads back as the same tree, keeps its comments, and does not change when printed again.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use abridge_diag::{Diagnostic, FileId};
use abridge_syntax::ast::{Ast, Unit};
use abridge_syntax::{PrintConfig, parse_file, parse_formula, parse_substitution, print, print_expr, same_tree};

const ASCII: PrintConfig = PrintConfig { unicode: false, width: 100 };
const UNICODE: PrintConfig = PrintConfig { unicode: true, width: 100 };

type Parse = fn(FileId, &str) -> (Ast, Vec<Diagnostic>);

fn parsed(parse: Parse, text: &str) -> Result<Ast, String> {
    let (ast, diagnostics) = parse(FileId(0), text);
    match diagnostics.iter().find(|diagnostic| diagnostic.is_error()) {
        None => Ok(ast),
        Some(error) => Err(format!("{} at {:?}\n{text}", error.message, error.span())),
    }
}

/// The comments of a file, without the blanks behind line comments.
fn comments(ast: &Ast) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for comment in &ast.comments {
        let text = if comment.is_line { comment.text.trim_end() } else { &comment.text };
        *counts.entry(text.to_owned()).or_default() += 1;
    }
    counts
}

/// Everything that holds of all printed texts.
fn check_printed(parse: Parse, ast: &Ast, config: PrintConfig) -> Result<String, String> {
    let printed = print(ast, config);
    let again = parsed(parse, &printed)?;
    if !same_tree(ast, &again) {
        return Err(format!("another tree\n{printed}"));
    }
    if comments(ast) != comments(&again) {
        return Err(format!("other comments\n{printed}"));
    }
    let twice = print(&again, config);
    if printed != twice {
        let lines = printed.lines().zip(twice.lines()).find(|(once, twice)| once != twice);
        return Err(format!("printed twice is different: {lines:?}\n{printed}\n-----\n{twice}"));
    }
    if let Some(line) = printed.lines().find(|line| line.ends_with(' ') && !line.contains("*")) {
        return Err(format!("a blank at the end of {line:?}"));
    }
    Ok(printed)
}

fn check(parse: Parse, text: &str, config: PrintConfig) -> String {
    let ast = parsed(parse, text).unwrap_or_else(|error| panic!("{error}"));
    check_printed(parse, &ast, config).unwrap_or_else(|error| panic!("{error}\n-----\n{text}"))
}

/// A formula reads back the same in both alphabets and is printed as expected.
fn check_formula(text: &str, expected: &str) {
    let printed = check(parse_formula, text, ASCII);
    assert_eq!(printed.trim_end(), expected);
    check(parse_formula, text, UNICODE);
    check(parse_formula, text, PrintConfig { unicode: false, width: 10 });
}

fn check_machine(text: &str, expected: &str) {
    let printed = check(parse_file, text, ASCII);
    assert_eq!(printed, expected, "\n{printed}");
    check(parse_file, text, UNICODE);
    check(parse_file, text, PrintConfig { unicode: false, width: 30 });
}

// The corpus.

fn corpus() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/machines");
    if !path.is_dir() {
        println!("SKIPPED: no machines at {}", path.display());
        return None;
    }
    Some(path)
}

fn files_under(dir: &Path, files: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(dir).unwrap_or_else(|error| panic!("{}: {error}", dir.display()));
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            files_under(&path, files);
        } else {
            files.push(path);
        }
    }
    files.sort();
}

#[test]
fn every_machine_of_the_corpus_reads_back_the_same() {
    let Some(corpus) = corpus() else { return };
    let mut files = Vec::new();
    files_under(&corpus, &mut files);
    let mut n_refused = 0;
    let mut mistakes = Vec::new();
    for path in &files {
        let text = String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).into_owned();
        let Ok(ast) = parsed(parse_file, &text) else {
            n_refused += 1;
            continue;
        };
        for config in [ASCII, UNICODE, PrintConfig { unicode: false, width: 40 }] {
            if let Err(mistake) = check_printed(parse_file, &ast, config) {
                mistakes.push(format!("{} ({config:?}): {mistake}", path.display()));
            }
        }
    }
    println!("{} files, {n_refused} refused by the parser, {} mistakes", files.len(), mistakes.len());
    assert!(mistakes.is_empty(), "{} mistakes, the first:\n{}", mistakes.len(), mistakes[0]);
}
