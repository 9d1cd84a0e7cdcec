//! Every predicate that the description of the externals gives as an example holds.

mod common;

use abridge_eval::{Config, Env, Interp};
use abridge_testkit::Project;

/// Examples of these need what the interpreter refuses: files, clocks, regular expressions, the text of formulas, the tool itself.
const REFUSED: [&str; 12] = [
    "REGEX",
    "FILES",
    "READ_",
    "STRINGIFY",
    "svg_",
    "TIME",
    "PROJECT",
    "FILE_EXISTS",
    "random(",
    "GET_PREF",
    "STATE_",
    "MAXIMIZE",
];

const LIBRARIES: [&str; 11] = [
    "LibraryStrings.def",
    "LibraryIO.def",
    "CHOOSE.def",
    "SORT.def",
    "SCCS.def",
    "LibraryMath.def",
    "LibraryReals.def",
    "LibraryBits.def",
    "LibraryHash.def",
    "LibraryProB.def",
    "LibraryMeta.def",
];

#[test]
fn documented_examples_hold() {
    let text = include_str!("../../sema/library/EXTERNALS.md");
    let mut n_checked = 0;
    let mut inside = false;
    for line in text.lines() {
        match line {
            "```b" => inside = true,
            "```" => inside = false,
            // The machines of the library have their own constants.
            line if inside
                && !REFUSED.iter().any(|name| line.contains(name))
                && !line.contains("int2")
                && !line.contains("append(")
                && !line.contains("decStr") =>
            {
                check_line(line);
                n_checked += 1;
            }
            _ => {}
        }
    }
    assert!(n_checked > 40, "only {n_checked} examples");
}

fn check_line(line: &str) {
    let imports = LIBRARIES.map(|library| format!("\"{library}\";")).concat();
    let machine = format!(
        "MACHINE M DEFINITIONS {imports}
         EXTERNAL_FUNCTION_PROLOG_FUN == (STRING * INTEGER * INTEGER) --> INTEGER; PROLOG_FUN(f, m, x) == 0
         ASSERTIONS {line} END"
    );
    let project = Project::new(&[("M.mch", &machine)]);
    let model = project.analyse().model.unwrap_or_else(|| panic!("{line}\n{}", project.diagnostics()));
    let interp = Interp::new(&model, Config::default());
    for assertion in &model.assertions {
        match interp.session().pred(assertion.pred, &Env::empty()) {
            Ok(holds) => assert!(holds, "{line}"),
            Err(error) => panic!("{line}: {:?}", error.diagnostic(&model)),
        }
    }
}
