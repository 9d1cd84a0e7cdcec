//! Formulas beside a machine do not change the machine: ids, types and values mean the same with and without them.

use std::path::Path;

use abridge_model::Model;
use abridge_model::dump::dump;
use abridge_sema::{FormulaBody, FormulaRole, FormulaText, Options, analyse, analyse_formulas};
use abridge_testkit::FolderFiles;
use abridge_testkit::models::{self, ModelFile, subjects};

fn text(text: &str, role: FormulaRole) -> FormulaText {
    FormulaText { source: "<formula>".to_owned(), text: text.to_owned(), role }
}

/// Formulas with types that no machine has.
fn strange() -> Vec<FormulaText> {
    vec![
        text("strange : POW(STRING * POW(REAL * BOOL)) & stranger = rec(zz: strange, aa: {1.5})", FormulaRole::Any),
        text("{(1 |-> \"a\", {rec(qq: [TRUE])})}", FormulaRole::Any),
        text("!k.(k : 1..3 => k > 0)", FormulaRole::Predicate),
    ]
}

#[test]
fn the_machine_stays_the_same() {
    let subjects = subjects();
    assert!(subjects.len() >= 34, "only {} machines", subjects.len());
    for ModelFile { path, .. } in subjects {
        let plain = analyse(&FolderFiles, &path, &Options::default()).model.expect("a model");
        let analysis = analyse_formulas(&FolderFiles, Some(&path), &strange(), &Options::default());
        let with = analysis.model.unwrap_or_else(|| panic!("{}: {:?}", path.display(), analysis.diagnostics));
        assert_eq!(analysis.formulas.len(), 3);
        same(&plain, &with, &path);
    }
}

fn same(plain: &Model, with: &Model, path: &Path) {
    let path = path.display();
    assert_eq!(dump(plain), dump(with), "{path}");
    for id in plain.exprs.ids() {
        assert_eq!(plain.exprs[id].ty, with.exprs[id].ty, "{path}: {id:?}");
    }
    for id in plain.locals.ids() {
        assert_eq!(
            (plain.locals[id].ty, &plain.locals[id].name),
            (with.locals[id].ty, &with.locals[id].name),
            "{path}: {id:?}"
        );
    }
    for id in plain.constants.ids() {
        assert_eq!(plain.constants[id].ty, with.constants[id].ty, "{path}: {id:?}");
    }
    for id in plain.variables.ids() {
        assert_eq!(plain.variables[id].ty, with.variables[id].ty, "{path}: {id:?}");
    }
    for id in (0..plain.types.len() as u32).map(abridge_model::TypeId) {
        assert_eq!(plain.types.get(id), with.types.get(id), "{path}: {id:?}");
    }
}

#[test]
fn free_identifiers_are_found_in_order() {
    let analysis = analyse_formulas(
        &FolderFiles,
        None,
        &[text("b : 1..3 & a : {b} & #c.(c = a)", FormulaRole::Any)],
        &Options::default(),
    );
    let model = analysis.model.expect("a model");
    let names: Vec<&str> = analysis.formulas[0].free.iter().map(|local| model.locals[*local].name.as_str()).collect();
    assert_eq!(names, ["b", "a"]);
}

#[test]
fn values_take_the_type_of_what_they_are_the_value_of() {
    let path = models::path("mutex.mch");
    let role = FormulaRole::ValueOf("waiting".into());
    let analysis = analyse_formulas(
        &FolderFiles,
        Some(&path),
        &[text("{}", role.clone()), text("{PROC2}", role.clone())],
        &Options::default(),
    );
    let model = analysis.model.expect("a model");
    let variable = model.variables.values().find(|variable| variable.name == "waiting").expect("the variable");
    for formula in &analysis.formulas {
        let FormulaBody::Expr(expr) = formula.body else { panic!("an expression is expected") };
        assert_eq!(model.ty(expr), variable.ty);
    }
    let wrong = analyse_formulas(&FolderFiles, Some(&path), &[text("{1}", role)], &Options::default());
    assert_eq!(wrong.relevant().iter().map(|diagnostic| diagnostic.id).collect::<Vec<_>>(), ["type-mismatch"]);
}

#[test]
fn predicates_of_a_fixed_role_have_no_free_identifiers() {
    for (formula, id) in [("x = 1", "unknown-identifier"), ("1 + 1", "predicate-expected")] {
        let analysis =
            analyse_formulas(&FolderFiles, None, &[text(formula, FormulaRole::Predicate)], &Options::default());
        assert_eq!(analysis.relevant().first().map(|diagnostic| diagnostic.id), Some(id), "{formula}");
    }
}
