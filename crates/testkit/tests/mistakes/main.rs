//! What the front end says about mistakes that people make.
//!
//! Each test holds a wrong machine and the diagnostics as a user sees them, one file per family of mistakes. The question to
//! ask of every one: would a student know what to do? After a change of wording, `UPDATE_EXPECT=1 cargo test` rewrites the
//! expectations; the difference is then read like code.

mod clauses;
mod composition;
mod definitions;
mod formulas;
mod lexical;
mod names;
mod options;
mod substitutions;
mod types;

use abridge_testkit::{Project, dedent};
use expect_test::Expect;

/// The diagnostics of one machine.
fn check(machine: &str, expected: Expect) {
    check_project(&[("M.mch", machine)], expected);
}

/// The diagnostics of several files, the main machine first.
fn check_project(files: &[(&str, &str)], expected: Expect) {
    let texts: Vec<String> = files.iter().map(|(_, text)| dedent(text)).collect();
    let files: Vec<(&str, &str)> = files.iter().zip(&texts).map(|((name, _), text)| (*name, text.as_str())).collect();
    expected.assert_eq(&Project::new(&files).diagnostics());
}

/// The diagnostics for one more conjunct of an invariant.
fn check_predicate(predicate: &str, expected: Expect) {
    check(&MACHINE.replace("btrue", predicate), expected);
}

/// The diagnostics for the body of an operation.
fn check_body(body: &str, expected: Expect) {
    check(&MACHINE.replace("skip", body), expected);
}

/// Where formulas and substitutions are tried: `btrue` and `skip` are replaced.
const MACHINE: &str = "\
MACHINE M
SETS PROC; COLOUR = {red, green}
CONSTANTS limit, table
PROPERTIES limit : NAT & table : INTEGER * INTEGER --> COLOUR
VARIABLES x, y, procs, flag, load, name, point
INVARIANT
  x : INTEGER & y : INTEGER & procs <: PROC & flag : BOOL & load : PROC +-> INTEGER &
  name : STRING & point : struct(east : INTEGER, north : INTEGER) &
  btrue
INITIALISATION
  x := 0 || y := 0 || procs := {} || flag := FALSE || load := {} || name := \"\" || point := rec(east : 0, north : 0)
OPERATIONS
  step(p) = PRE p : PROC THEN
    skip
  END
END
";
