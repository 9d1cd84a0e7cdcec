//! Regression tests of the front end: minimised inputs that once made it fail, and inputs that grow when they are expanded.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use abridge_model::verify;
use abridge_sema::{Analysis, FileSystem, Options, analyse};

/// Files by name.
struct Files(HashMap<PathBuf, String>);

impl FileSystem for Files {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let text = self.0.get(path).ok_or(io::ErrorKind::NotFound)?;
        Ok(text.clone().into_bytes())
    }

    fn is_file(&self, path: &Path) -> bool {
        self.0.contains_key(path)
    }
}

/// Ids of the errors in a file.
fn errors(text: &str) -> Vec<&'static str> {
    errors_of([("Main.mch".to_owned(), text.to_owned())])
}

/// Ids of the errors in `Main.mch` and the files it refers to. Without errors the model is verified.
fn errors_of(files: impl IntoIterator<Item = (String, String)>) -> Vec<&'static str> {
    let files = Files(files.into_iter().map(|(name, text)| (PathBuf::from(name), text)).collect());
    let Analysis { diagnostics, model, .. } = analyse(&files, Path::new("Main.mch"), &Options::default());
    let errors: Vec<&str> =
        diagnostics.iter().filter(|diagnostic| diagnostic.is_error()).map(|error| error.id).collect();
    match model {
        Some(model) => assert_eq!(verify(&model), []),
        None => assert!(!errors.is_empty(), "there is no model, and nothing says why"),
    }
    errors
}

fn accepted(text: &str) {
    assert_eq!(errors(text), [] as [&str; 0], "{text}");
}

#[test]
fn a_tree_with_holes_makes_no_model() {
    assert_eq!(errors("MACHINE Main VARIABLES x INVARIANT x : BOOL INITIALISATION x := END"), ["unexpected-token"]);
    assert_eq!(errors("MACHINE Main SETS S CONSTANTS c PROPERTIES c - () : S END"), ["empty-parentheses"]);
}

#[test]
fn a_constant_that_differs_from_itself() {
    accepted("MACHINE Main SETS S CONSTANTS c PROPERTIES c : S & c /= c END");
    accepted(
        "MACHINE Main SETS S CONSTANTS c, d PROPERTIES {c, d} <: S & card({c, c, d}) = 3 & @partition(S, {c}, {c, d}) END",
    );
}

#[test]
fn a_real_raised_to_an_integer() {
    accepted("MACHINE Main ASSERTIONS 0.5 ** 2 = 0.25; 0.5 ** 2.0 = 0.25 END");
}

#[test]
fn joined_numbers_are_a_mistake() {
    assert_eq!(errors("MACHINE Main ASSERTIONS conc([1]) = [1] END"), ["type-mismatch"]);
    assert_eq!(errors("MACHINE Main CONSTANTS s PROPERTIES conc(s) = [1] & s = {1 |-> 1} END"), ["type-mismatch"]);
}

#[test]
fn a_freetype_declared_twice() {
    assert_eq!(errors("MACHINE Main FREETYPES T = a; T = b, c(INTEGER) END"), ["duplicate-name"]);
}

#[test]
fn declarations_of_externals_that_never_end() {
    let with = |definitions: &str| format!("MACHINE Main DEFINITIONS {definitions}; F(e) == 0 ASSERTIONS F(1) = 1 END");
    assert_eq!(errors(&with("EXTERNAL_FUNCTION_F == EXTERNAL_FUNCTION_F")), ["cyclic-definition"]);
    assert_eq!(errors(&with("EXTERNAL_FUNCTION_F == INTEGER --> T; T == T")), ["cyclic-definition"]);
    let types = doubling("t", " * ", "BOOL");
    assert_eq!(errors(&with(&format!("EXTERNAL_FUNCTION_F == INTEGER --> t0; {types}"))), ["expansion-too-large"]);
}

#[test]
fn a_definition_that_uses_its_value_before() {
    let text = "MACHINE Main DEFINITIONS d == d$0 + 1 VARIABLES x INVARIANT x : INTEGER INITIALISATION x := 0
        OPERATIONS op = x : (x > d) END";
    assert_eq!(errors(text), ["cyclic-definition"]);
}

#[test]
fn a_cycle_hidden_by_a_bound_name_ends() {
    let text = "MACHINE Main DEFINITIONS d == 1 + card({d | d = 1}) + d ASSERTIONS d = 1 END";
    assert!(!errors(text).is_empty());
}

#[test]
fn definitions_that_all_use_each_other() {
    let all: Vec<String> = (0..100).map(|idx| format!("d{idx}")).collect();
    let all = all.join(" + ");
    let definitions: Vec<String> = (0..100).map(|idx| format!("d{idx} == {all}")).collect();
    let errors = errors(&format!("MACHINE Main DEFINITIONS {} ASSERTIONS d0 = 1 END", definitions.join("; ")));
    assert!(errors.len() <= 100 && errors.iter().all(|id| *id == "cyclic-definition"));
}

#[test]
fn steering_with_a_mistake_is_ignored_each_time() {
    accepted("MACHINE Main DEFINITIONS GOAL == d = 1; SCOPE == d = 2; HEURISTIC_FUNCTION == d; d == unknown END");
}

#[test]
fn steering_that_grows_is_ignored() {
    let doubling = doubling("d", " + ", "1");
    accepted(&format!("MACHINE Main DEFINITIONS {doubling}; GOAL == d0 = 1 END"));
    accepted(&format!("MACHINE Main DEFINITIONS {doubling}; scope_S == d0 SETS S END"));
    accepted("MACHINE Main DEFINITIONS scope_S == ((((9 ** 999) ** 999) ** 999) ** 999) ** 999 SETS S END");
}

/// `d0 == d1 + d1; d1 == d2 + d2; ...`
fn doubling(name: &str, operator: &str, last: &str) -> String {
    let chain: Vec<String> =
        (1..100).map(|idx| format!("{name}{} == {name}{idx}{operator}{name}{idx}", idx - 1)).collect();
    format!("{}; {name}99 == {last}", chain.join("; "))
}

#[test]
fn definitions_that_double_are_refused() {
    let with = |definitions: String, clause: &str| format!("MACHINE Main DEFINITIONS {definitions} {clause} END");
    let too_large = ["expansion-too-large"];
    assert_eq!(errors(&with(doubling("d", " + ", "1"), "ASSERTIONS d0 = 1")), too_large);
    assert_eq!(errors(&with(doubling("d", " & ", "btrue"), "ASSERTIONS d0")), too_large);
    let blocks: Vec<String> = (1..100).map(|idx| format!("d{} == BEGIN d{idx}; d{idx} END", idx - 1)).collect();
    let blocks = format!("{}; d99 == BEGIN skip END", blocks.join("; "));
    assert_eq!(errors(&with(blocks, "OPERATIONS op = d0")), too_large);
    let arguments: Vec<String> = (1..100).map(|idx| format!("d{}(e) == d{idx}(e + e)", idx - 1)).collect();
    let arguments = format!("{}; d99(e) == e", arguments.join("; "));
    assert_eq!(errors(&with(arguments, "ASSERTIONS d0(1) = 1")), too_large);
    // The same in an identifier list.
    assert!(!errors(&with(doubling("d", ", ", "a, b"), "VARIABLES d0 INVARIANT 1 = 1 INITIALISATION skip")).is_empty());
}

#[test]
fn definitions_nest_as_deep_as_files() {
    let chain = |len: usize| {
        let chain: Vec<String> = (1..len).map(|idx| format!("d{} == d{idx} + 1", idx - 1)).collect();
        format!("MACHINE Main DEFINITIONS {}; d{} == 1 ASSERTIONS d0 = 1 END", chain.join("; "), len - 1)
    };
    accepted(&chain(1_000));
    assert_eq!(errors(&chain(50_000)), ["nested-too-deep"]);
    let calls: Vec<String> = (1..50_000).map(|idx| format!("d{} == d{idx}", idx - 1)).collect();
    let calls = format!("MACHINE Main DEFINITIONS {}; d49999 == skip OPERATIONS op = d0 END", calls.join("; "));
    assert_eq!(errors(&calls), ["nested-too-deep"]);
}

#[test]
fn lists_that_mean_nested_pairs_have_a_limit() {
    let items = ["1"].repeat(50_000).join(", ");
    assert_eq!(errors(&format!("MACHINE Main ASSERTIONS ({items}) /= ({items}) END")), ["nested-too-deep"]);
    let branches = " ELSIF 1 = 2 THEN 3".repeat(50_000);
    assert_eq!(
        errors(&format!("MACHINE Main ASSERTIONS 1 = IF 1 = 1 THEN 2{branches} ELSE 4 END END")),
        ["nested-too-deep"]
    );
    let place = format!("f{} := 1", "(1)".repeat(100));
    let text =
        format!("MACHINE Main VARIABLES f INVARIANT f : BOOL INITIALISATION f := TRUE OPERATIONS op = {place} END");
    assert_eq!(errors(&text), ["nested-too-deep"]);
}

#[test]
fn numbers_have_a_limit() {
    let number = "9".repeat(200_000);
    assert_eq!(errors(&format!("MACHINE Main ASSERTIONS 1 = {number} END")), ["number-too-long"]);
    accepted(&format!("MACHINE Main DEFINITIONS scope_S == {number} SETS S END"));
}

#[test]
fn machines_that_double_are_refused() {
    let machine = |idx: usize| format!("MACHINE M{idx} INCLUDES a.M{0}, b.M{0} END", idx + 1);
    let chain = (0..40).map(|idx| (format!("M{idx}.mch"), machine(idx)));
    let ends = [("Main.mch".to_owned(), machine(0)), ("M40.mch".to_owned(), "MACHINE M40 END".to_owned())];
    let files = chain.chain(ends).map(|(name, text)| (name, text.replacen("MACHINE M0 ", "MACHINE Main ", 1)));
    assert_eq!(errors_of(files.filter(|(name, _)| name != "M0.mch")), ["too-many-machines"]);
}

#[test]
fn machines_that_include_each_other_in_a_long_chain() {
    let machine = |idx: usize| (format!("M{idx}.mch"), format!("MACHINE M{idx} INCLUDES M{} END", idx + 1));
    let main = ("Main.mch".to_owned(), "MACHINE Main INCLUDES M0 END".to_owned());
    let files = (0..900).map(machine).chain([main, ("M900.mch".to_owned(), "MACHINE M900 END".to_owned())]);
    assert_eq!(errors_of(files), [] as [&str; 0]);
}

#[test]
fn types_with_shared_parts() {
    let names: Vec<String> = (0..200).map(|idx| format!("x{idx}")).collect();
    let chain: Vec<String> = (1..200).map(|idx| format!("x{idx} = (x{0} |-> x{0})", idx - 1)).collect();
    let (names, chain) = (names.join(", "), chain.join(" & "));
    accepted(&format!("MACHINE Main CONSTANTS {names} PROPERTIES {chain} & x0 = 1 END"));
    accepted(&format!("MACHINE Main CONSTANTS {names}, y PROPERTIES y = x199 & {chain} & x0 = TRUE END"));
}
