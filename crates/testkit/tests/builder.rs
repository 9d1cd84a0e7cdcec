//! A model that no B text stands behind: made with the builder, it is checked like any other.

use abridge_check::{Config, Method, Verdict, ViolationKind, check};
use abridge_model::{BinaryOp, Builder, CarrierKind, Comparison, Expr, Model, ModelKind, Pred, Subst, UnaryOp, dump};

/// Processes that enter one after the other; `limit` bounds how many the invariant allows inside.
fn room(limit: i64) -> Model {
    let mut b = Builder::new("Room", ModelKind::Machine);
    let (set, process) = b.set("PROC", CarrierKind::Deferred { size: 0 });
    b.steering().set_sizes.push((set, 3));
    let processes = b.pow(process);
    let inside = b.variable("inside", processes);
    let empty = b.expr(Expr::EmptySet, processes);
    let start = b.assign(inside, empty);
    b.initialisation(start);

    let (get, all) = (b.get(inside), b.carrier(set));
    let typing = b.compare(Comparison::Subset, get, all);
    b.invariant(typing, &[]);
    let (get, limit) = (b.get(inside), b.int(limit));
    let number = b.expr(Expr::Unary(UnaryOp::Card, get), abridge_model::TypeTable::INTEGER);
    let bound = b.compare(Comparison::LessEqual, number, limit);
    b.invariant(bound, &["bound"]);

    let p = b.local("p", process);
    let (get_p, all) = (b.get(p), b.carrier(set));
    let is_process = b.compare(Comparison::Member, get_p, all);
    let (get_p, get) = (b.get(p), b.get(inside));
    let is_inside = b.compare(Comparison::Member, get_p, get);
    let is_outside = b.pred(Pred::Not(is_inside));
    let guard = b.pred(Pred::And(vec![is_process, is_outside]));
    let (get_p, get) = (b.get(p), b.get(inside));
    let single = b.expr(Expr::SetExtension(vec![get_p]), processes);
    let joined = b.same(BinaryOp::Union, get, single);
    let body = b.assign(inside, joined);
    let body = b.subst(Subst::Pre { pred: guard, body });
    b.operation("enter", &[p], &[], body);
    b.finish().expect("the model keeps its promises")
}

#[test]
fn a_built_model_is_checked() {
    let report = check(&room(3), &Config { deadlock: false, ..Config::default() }, &mut ());
    assert_eq!((report.verdict, report.states, report.transitions), (Verdict::Holds, 8, 13));
    let config = Config { deadlock: false, symmetry: Method::Auto, ..Config::default() };
    let reduced = check(&room(3), &config, &mut ());
    assert_eq!((reduced.verdict, reduced.states), (Verdict::Holds, 4));
}

#[test]
fn a_violation_has_its_trace() {
    let report = check(&room(1), &Config::default(), &mut ());
    let violation = report.violation().expect("two are inside");
    assert!(matches!(violation.kind, ViolationKind::Invariant { conjunct: 1 }));
    let names: Vec<&str> = violation.trace.steps.iter().map(|step| step.name.as_str()).collect();
    assert_eq!(names, ["INITIALISATION", "enter", "enter"]);
}

#[test]
fn a_built_model_has_text() {
    assert!(dump::dump(&room(2)).contains("enter(p)"));
}
