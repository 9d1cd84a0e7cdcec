//! Properties of every printed text: it parses to the same tree, keeps its comments, and does not change when printed again.
#![allow(dead_code, reason = "each test file uses some of it")]

use std::collections::BTreeMap;

use abridge_diag::{Diagnostic, FileId};
use abridge_syntax::ast::Ast;
use abridge_syntax::{PrintConfig, parse_file, parse_formula, print, same_tree};

pub(crate) const ASCII: PrintConfig = PrintConfig { unicode: false, width: 100 };
pub(crate) const UNICODE: PrintConfig = PrintConfig { unicode: true, width: 100 };
pub(crate) const NARROW: PrintConfig = PrintConfig { unicode: false, width: 30 };

pub(crate) type Parse = fn(FileId, &str) -> (Ast, Vec<Diagnostic>);

pub(crate) fn parsed(parse: Parse, text: &str) -> Result<Ast, String> {
    let (ast, diagnostics) = parse(FileId(0), text);
    match diagnostics.iter().find(|diagnostic| diagnostic.is_error()) {
        None => Ok(ast),
        Some(error) => Err(format!("{} at {:?}\n{text}", error.message, error.span())),
    }
}

/// Comments of a file, without trailing blanks of line comments.
pub(crate) fn comments(ast: &Ast) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for comment in &ast.comments {
        let text = if comment.is_line { comment.text.trim_end() } else { &comment.text };
        *counts.entry(text.to_owned()).or_default() += 1;
    }
    counts
}

/// Checks all properties of printed texts.
pub(crate) fn check_printed(parse: Parse, ast: &Ast, config: PrintConfig) -> Result<String, String> {
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
    Ok(printed)
}

pub(crate) fn check(parse: Parse, text: &str, config: PrintConfig) -> String {
    let ast = parsed(parse, text).unwrap_or_else(|error| panic!("{error}"));
    check_printed(parse, &ast, config).unwrap_or_else(|error| panic!("{error}\n-----\n{text}"))
}

/// Checks a formula in ASCII and Unicode and in several widths. `expected` is its ASCII form on one line.
#[track_caller]
pub(crate) fn check_formula(text: &str, expected: &str) {
    assert_eq!(check(parse_formula, text, ASCII).trim_end(), expected);
    check(parse_formula, text, UNICODE);
    check(parse_formula, text, NARROW);
}

#[track_caller]
pub(crate) fn check_unicode(text: &str, expected: &str) {
    assert_eq!(check(parse_formula, text, UNICODE).trim_end(), expected);
}

#[track_caller]
pub(crate) fn check_machine(text: &str, expected: &str) {
    let printed = check(parse_file, text, ASCII);
    assert_eq!(printed, expected, "\n{printed}");
    check(parse_file, text, UNICODE);
    check(parse_file, text, NARROW);
}

#[track_caller]
pub(crate) fn check_narrow(parse: Parse, text: &str, expected: &str) {
    let printed = check(parse, text, NARROW);
    assert_eq!(printed, expected, "\n{printed}");
}

/// Machine with every clause.
pub(crate) const LIFT: &str = r#"// A lift
MACHINE Lift(FLOORS, top_floor) CONSTRAINTS top_floor:NAT1&card(FLOORS)=3
SETS DIR={up,down};DOOR={open,closed}; PERSON
CONSTANTS start /*@ desc where it begins */,capacity PROPERTIES start : 0..top_floor & capacity=10
VARIABLES
  floor, // where it is
  door,  // open or closed
  inside
DEFINITIONS
 "LibraryStrings.def";
 MayMove(f)==f/=floor&door=closed; SET_PREF_MAXINT==20;
 Close == BEGIN door:=closed END
INVARIANT
  floor:0..top_floor & door:DOOR & /* who is
   in it */ inside<:PERSON
  // never too many
  & card(inside)<=capacity & (door=open or floor>=0&floor< -1=>(inside={}))
ASSERTIONS floor:NAT; /*@ label thm2 */ 1=1
INITIALISATION floor:=start||door:=closed||inside:={}
OPERATIONS
move(to)=PRE to:0..top_floor & MayMove(to) & !(p,q).(p:inside&q:inside&p/=q=>p|->q:id(PERSON)\/(PERSON*PERSON)) THEN floor:=to END
; // the doors
toggle = IF door=open THEN door:=closed ELSE door:=open END;
/* people */
people<--look=people:=inside;
enter(p)=SELECT p/:inside & door=open THEN inside:=inside\/{p} WHEN p:inside THEN skip END /*@ desc somebody enters */;
shuffle = BEGIN inside::POW(PERSON);VAR x IN x:=1;WHILE x<10 DO x:=x+1 INVARIANT x<=10 VARIANT 10-x END END; floor :(floor:0..top_floor & floor$0=floor) END
END // done
"#;
