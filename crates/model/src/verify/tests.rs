//! Every promise is broken in every possible way. The type rules of operators are tested in `operators.rs`.

use super::build::{BOOL, Builder, INTEGER, sample};
use super::*;
use crate::expr::{Arrow, BinaryOp, Binding, Expr, UnaryOp};
use crate::ids::*;
use crate::model::{CarrierKind, External, ExternalKind, ModelKind};
use crate::pred::{Comparison, Pred};
use crate::subst::{Subst, Target};
use crate::types::Type;

fn texts(model: &Model) -> Vec<String> {
    verify(model).into_iter().map(|fault| fault.0).collect()
}

/// Asserts that the damaged sample breaks this promise and no other.
fn raw(promise: &str, damage: impl FnOnce(&mut Builder)) {
    let mut build = Builder::of(sample());
    damage(&mut build);
    let faults = texts(&build.model);
    let prefix = format!("{promise}: ");
    assert!(!faults.is_empty() && faults.iter().all(|fault| fault.starts_with(&prefix)), "{promise}: {faults:#?}");
}

/// As [`raw`], with effects computed after the damage.
fn broken(promise: &str, damage: impl FnOnce(&mut Builder)) {
    raw(promise, |b| {
        damage(b);
        crate::effects::compute(&mut b.model);
    });
}

fn valid(build: impl FnOnce(&mut Builder)) {
    let mut b = Builder::of(sample());
    build(&mut b);
    assert_eq!(texts(&b.unchecked()), [""; 0]);
}

fn op(b: &Builder, name: &str) -> OpId {
    b.model.operations.iter().find(|(_, op)| op.name == name).map(|(id, _)| id).expect("an operation of the sample")
}

fn variable(b: &Builder, name: &str) -> VarId {
    b.model
        .variables
        .iter()
        .find(|(_, variable)| variable.name == name)
        .map(|(id, _)| id)
        .expect("a variable of the sample")
}

/// Replaces the body of an operation.
fn set_body(b: &mut Builder, name: &str, subst: Subst) {
    let (id, body) = (op(b, name), b.subst(subst));
    b.model.operations[id].body = body;
}

fn add_goal(b: &mut Builder, pred: Pred) -> PredId {
    let goal = b.pred(pred);
    b.model.steering.goal = Some(goal);
    goal
}

/// Adds the goal `x < x` for an integer expression.
fn add_goal_on(b: &mut Builder, expr: ExprId) {
    add_goal(b, Pred::Compare(Comparison::Less, expr, expr));
}

#[test]
fn the_sample_keeps_all_promises() {
    valid(|_| {});
}

#[test]
fn ids() {
    raw("ids", |b| b.model.initialisation = SubstId(999));
    raw("ids", |b| _ = b.expr(Expr::Variable(VarId(99)), INTEGER));
    raw("ids", |b| _ = b.expr(Expr::Constant(ConstId(99)), INTEGER));
    raw("ids", |b| _ = b.expr(Expr::Local(LocalId(99)), INTEGER));
    raw("ids", |b| _ = b.expr(Expr::Carrier(SetId(99)), INTEGER));
    raw("ids", |b| _ = b.expr(Expr::FreeType(FreeTypeId(99)), INTEGER));
    raw("ids", |b| _ = b.expr(Expr::EmptySet, TypeId(999)));
    raw("ids", |b| _ = b.expr(Expr::Element(SetId(1), 2), INTEGER));
    raw("ids", |b| _ = b.expr(Expr::Element(SetId(99), 0), INTEGER));
    raw("ids", |b| _ = b.expr(Expr::Element(SetId(0), 3), INTEGER));
    raw("ids", |b| _ = b.expr(Expr::Constructor(FreeTypeId(0), 2), INTEGER));
    raw("ids", |b| _ = b.expr(Expr::Constructor(FreeTypeId(9), 0), INTEGER));
    raw("ids", |b| _ = b.expr(Expr::External(ExternalId(0), vec![]), INTEGER));
    raw("ids", |b| _ = b.expr(Expr::CallOperation(OpId(99), vec![]), INTEGER));
    raw("ids", |b| _ = b.expr(Expr::Unary(UnaryOp::Card, ExprId(999)), INTEGER));
    raw("ids", |b| _ = b.pred(Pred::Not(PredId(999))));
    raw("ids", |b| _ = b.pred(Pred::External(ExternalId(0), vec![])));
    raw("ids", |b| _ = b.pred(Pred::Forall { binder: vec![LocalId(99)], body: PredId(0) }));
    raw("ids", |b| _ = b.subst(Subst::Choice(vec![SubstId(999)])));
    raw("ids", |b| _ = b.subst(Subst::External(ExternalId(0), vec![])));
    raw("ids", |b| _ = b.subst(Subst::Call { op: OpId(99), args: vec![], outputs: vec![] }));
    let far = Target::Variable(VarId(99));
    raw("ids", |b| _ = b.subst(Subst::BecomesElement { targets: vec![far], set: ExprId(0) }));
    raw("ids", |b| {
        let before = vec![(far, LocalId(0))];
        let (condition, invariant, body, variant) = (PredId(0), PredId(0), SubstId(0), ExprId(0));
        b.subst(Subst::While { condition, body, invariant, variant, before });
    });
    raw("ids", |b| _ = b.local("l", TypeId(999)));
    raw("ids", |b| _ = b.variable("v", TypeId(999)));
    raw("ids", |b| _ = b.constant("c", TypeId(999)));
    raw("ids", |b| _ = b.model.types.intern(Type::Given(SetId(99))));
    raw("ids", |b| _ = b.model.types.intern(Type::Free(FreeTypeId(99))));
    raw("ids", |b| b.model.free_types[FreeTypeId(0)].constructors[1].arg = Some((ExprId(999), INTEGER)));
    raw("ids", |b| b.model.operations[OpId(0)].params.push(LocalId(99)));
    raw("ids", |b| b.model.operations[OpId(0)].refines = Some(OpId(99)));
    raw("ids", |b| _ = b.model.operations[OpId(0)].effects.reads.insert(VarId(99)));
    raw("ids", |b| _ = b.model.operations[OpId(0)].effects.constants.insert(ConstId(99)));
    raw("ids", |b| b.model.invariant[0].pred = PredId(999));
    raw("ids", |b| _ = b.model.invariant[0].reads.insert(VarId(99)));
    raw("ids", |b| b.model.steering.scope = Some(PredId(999)));
    raw("ids", |b| b.model.steering.heuristic = Some(ExprId(999)));
    raw("ids", |b| b.model.steering.force_symmetry.push(SetId(99)));
    raw("ids", |b| b.model.steering.max_operations.push((OpId(99), 1)));
    raw("ids", |b| b.model.distinct_constants.push(vec![ConstId(99)]));
    raw("ids", |b| b.model.abstraction = Some(crate::Abstraction { name: "A".into(), initialisation: SubstId(999) }));
}

#[test]
fn acyclic() {
    raw("acyclic", |b| {
        let first = b.pred(Pred::True);
        let second = b.pred(Pred::Not(first));
        b.model.preds[first].pred = Pred::Not(second);
    });
    // A shared node is not a cycle.
    valid(|b| {
        let one = b.int(1);
        let sum = (0..10).fold(one, |sum, _| b.same(BinaryOp::Add, sum, sum));
        add_goal_on(b, sum);
    });
}

#[test]
fn types() {
    raw("types", |b| _ = b.model.types.intern(Type::Record(vec![])));
    raw("types", |b| _ = b.model.types.intern(Type::Record(vec![("b".into(), BOOL), ("a".into(), BOOL)])));
    raw("types", |b| _ = b.model.types.intern(Type::Record(vec![("a".into(), BOOL), ("a".into(), BOOL)])));
    raw("types", |b| _ = b.model.types.intern(Type::Pow(TypeId(999))));
    raw("types", |b| _ = b.model.types.intern(Type::Pair(BOOL, TypeId(999))));
}

#[test]
fn carriers() {
    broken("carriers", |b| b.model.sets[SetId(0)].kind = CarrierKind::Deferred { size: 0 });
    broken("carriers", |b| b.model.free_types[FreeTypeId(0)].constructors.clear());
    broken("carriers", |b| {
        let arg = &mut b.model.free_types[FreeTypeId(0)].constructors[1].arg;
        *arg = arg.map(|(set, _)| (set, BOOL));
    });
    broken("carriers", |b| {
        let procs = b.model.variables[VarId(0)].ty;
        let (proc, waiting) = (b.model.types.elem(procs).unwrap(), b.get(VarId(0)));
        b.model.free_types[FreeTypeId(0)].constructors[1].arg = Some((waiting, proc));
    });
}

#[test]
fn typed_leaves() {
    let record = |b: &mut Builder| b.model.variables[VarId(2)].ty;
    for leaf in [
        Expr::Integer(1.into()),
        Expr::Real(1.0),
        Expr::String("s".into()),
        Expr::Bool(true),
        Expr::Element(SetId(1), 0),
        Expr::Constant(ConstId(0)),
        Expr::Variable(VarId(0)),
        Expr::Carrier(SetId(0)),
        Expr::FreeType(FreeTypeId(0)),
        Expr::BaseSet(crate::BaseSet::Natural),
        Expr::EmptySet,
        Expr::BoolOf(PredId(0)),
        Expr::Constructor(FreeTypeId(0), 0),
        Expr::Constructor(FreeTypeId(0), 1),
        Expr::Successor,
        Expr::FirstProjection,
        Expr::SecondProjection,
        Expr::Template(vec![]),
    ] {
        broken("typed", |b| {
            let ty = record(b);
            b.expr(leaf, ty);
        });
    }
    valid(|b| {
        let list = b.model.types.intern(Type::Free(FreeTypeId(0)));
        b.expr(Expr::Constructor(FreeTypeId(0), 0), list);
        let cell = b.model.types.pair(INTEGER, list);
        let cons = b.relation(cell, list);
        b.expr(Expr::Constructor(FreeTypeId(0), 1), cons);
        let (first, second) = (b.relation(cell, INTEGER), b.relation(cell, list));
        b.expr(Expr::FirstProjection, first);
        b.expr(Expr::SecondProjection, second);
    });
}

#[test]
fn typed_collections_and_records() {
    broken("typed", |b| {
        let (one, yes) = (b.int(1), b.expr(Expr::Bool(true), BOOL));
        let ty = b.pow(INTEGER);
        b.expr(Expr::SetExtension(vec![one, yes]), ty);
    });
    broken("typed", |b| {
        let (one, ty) = (b.int(1), b.pow(INTEGER));
        b.expr(Expr::SequenceExtension(vec![one]), ty);
    });
    let lamp = VarId(2);
    broken("typed", |b| {
        let (one, ty) = (b.int(1), b.model.variables[lamp].ty);
        b.expr(Expr::Record(vec![one]), ty);
    });
    broken("typed", |b| {
        let (one, ty) = (b.int(1), b.model.variables[lamp].ty);
        let ty = b.pow(ty);
        b.expr(Expr::StructSet(vec![one, one]), ty);
    });
    broken("typed", |b| {
        let record = b.get(lamp);
        b.expr(Expr::Field(record, 2), BOOL);
    });
    broken("typed", |b| {
        let (record, one) = (b.get(lamp), b.int(1));
        let ty = b.model.ty(record);
        b.expr(Expr::WithField(record, 1, one), ty);
    });
    valid(|b| {
        let record = b.get(lamp);
        let on = b.expr(Expr::Field(record, 1), BOOL);
        let ty = b.model.ty(record);
        b.expr(Expr::WithField(record, 1, on), ty);
    });
}

#[test]
fn typed_binders_and_branches() {
    let bound = |b: &mut Builder, expr: fn(Vec<LocalId>, ExprId) -> Expr, ty: fn(&mut Builder) -> TypeId| {
        let binder = vec![b.local("i", INTEGER), b.local("j", BOOL)];
        let (one, ty) = (b.int(1), ty(b));
        b.expr(expr(binder, one), ty);
    };
    let comprehension = |binder, _| Expr::Comprehension { binder, pred: PredId(0), symbolic: false };
    let image = |binder, expr| Expr::SetImage { binder, pred: PredId(0), expr };
    valid(|b| bound(b, comprehension, |b| b.relation(INTEGER, BOOL)));
    broken("typed", |b| bound(b, comprehension, |b| b.relation(BOOL, INTEGER)));
    valid(|b| bound(b, image, |b| b.pow(INTEGER)));
    broken("typed", |b| bound(b, image, |b| b.pow(BOOL)));
    broken("typed", |b| {
        let (one, yes) = (b.int(1), b.expr(Expr::Bool(true), BOOL));
        b.expr(Expr::If(PredId(0), one, yes), INTEGER);
    });
    broken("typed", |b| {
        let (local, one) = (b.local("l", BOOL), b.int(1));
        b.expr(Expr::Let { bindings: vec![Binding { local, value: one }], body: one }, INTEGER);
    });
    broken("typed", |b| {
        let (yes, one) = (b.expr(Expr::Bool(true), BOOL), b.int(1));
        b.subst(Subst::Case { selector: yes, branches: vec![(vec![one], SubstId(0))], otherwise: None });
    });
    broken("typed", |b| {
        let one = b.int(1);
        b.pred(Pred::Finite(one));
    });
    broken("typed", |b| {
        let (one, ty) = (b.int(1), b.pow(INTEGER));
        let set = b.expr(Expr::EmptySet, ty);
        b.pred(Pred::Partition(set, vec![set, one]));
    });
}

#[test]
fn shape() {
    let sets = |b: &mut Builder| b.pow(INTEGER);
    raw("shape", |b| {
        let ty = sets(b);
        b.expr(Expr::SetExtension(vec![]), ty);
    });
    raw("shape", |b| {
        let ty = b.relation(INTEGER, INTEGER);
        b.expr(Expr::SequenceExtension(vec![]), ty);
    });
    raw("shape", |b| {
        let (expr, ty) = (b.int(1), sets(b));
        b.expr(Expr::SetImage { binder: vec![], pred: PredId(0), expr }, ty);
    });
    raw("shape", |b| {
        let ty = sets(b);
        let (set, relations) = (b.expr(Expr::EmptySet, ty), b.relation(INTEGER, INTEGER));
        let ty = b.pow(relations);
        let arrow = Arrow { injective: true, ..Arrow::RELATION };
        b.binary(BinaryOp::Arrow(arrow), set, set, ty);
    });
    raw("shape", |b| {
        let body = b.int(1);
        b.expr(Expr::Let { bindings: vec![], body }, INTEGER);
    });
    let p = PredId(0);
    for pred in [
        Pred::And(vec![p]),
        Pred::Or(vec![p]),
        Pred::Forall { binder: vec![], body: p },
        Pred::Exists { binder: vec![], body: p },
        Pred::Let { bindings: vec![], body: p },
    ] {
        raw("shape", |b| _ = b.pred(pred));
    }
    let s = SubstId(0);
    for subst in [
        Subst::Assign { targets: vec![], values: vec![] },
        Subst::Select { branches: vec![], otherwise: None },
        Subst::If { branches: vec![], otherwise: Some(s) },
        Subst::Choice(vec![]),
        Subst::Case { selector: ExprId(0), branches: vec![], otherwise: None },
        Subst::Case { selector: ExprId(0), branches: vec![(vec![], s)], otherwise: None },
        Subst::Any { binder: vec![], pred: p, body: s },
        Subst::Let { bindings: vec![], body: s },
        Subst::Var { locals: vec![], body: s },
        Subst::Sequence(vec![s]),
        Subst::Parallel(vec![s]),
    ] {
        raw("shape", |b| _ = b.subst(subst));
    }
}

#[test]
fn externals() {
    let add = |b: &mut Builder, kind| b.model.externals.push(External { name: "print".into(), kind });
    raw("externals", |b| {
        let id = add(b, ExternalKind::Predicate);
        b.expr(Expr::External(id, vec![]), INTEGER);
    });
    raw("externals", |b| {
        let id = add(b, ExternalKind::Function);
        b.pred(Pred::External(id, vec![]));
    });
    raw("externals", |b| {
        let id = add(b, ExternalKind::Function);
        b.subst(Subst::External(id, vec![]));
    });
}

#[test]
fn bound_once() {
    raw("bound-once", |b| _ = b.local("unbound", INTEGER));
    raw("bound-once", |b| {
        let twice = b.local("twice", INTEGER);
        b.pred(Pred::Forall { binder: vec![twice], body: PredId(0) });
        b.pred(Pred::Exists { binder: vec![twice], body: PredId(0) });
    });
    raw("bound-once", |b| {
        let twice = b.local("twice", INTEGER);
        b.pred(Pred::Forall { binder: vec![twice, twice], body: PredId(0) });
    });
}

#[test]
fn scope() {
    // An output of an operation in the goal.
    broken("scope", |b| {
        let p = b.model.operations[op(b, "get")].outputs[0];
        let expr = b.get(p);
        add_goal_on(b, expr);
    });
    // A LET's value sees earlier locals only.
    let chain = |b: &mut Builder, swap: bool| {
        let (first, second) = (b.local("a", INTEGER), b.local("b", INTEGER));
        let (one, get_first) = (b.int(1), b.get(first));
        let mut bindings = vec![Binding { local: first, value: one }, Binding { local: second, value: get_first }];
        if swap {
            bindings.reverse();
        }
        let body = b.compare(Comparison::Equal, one, get_first);
        add_goal(b, Pred::Let { bindings, body });
    };
    valid(|b| chain(b, false));
    broken("scope", |b| chain(b, true));
    // `new` of BecomesSuch belongs to the predicate, `before` of While to invariant and variant.
    broken("scope", |b| {
        let Subst::BecomesSuch { new, .. } = b.model.subst(b.model.operations[op(b, "grow")].body) else { panic!() };
        let value = b.get(new[0]);
        let x = variable(b, "x");
        let (first, second) = (b.assign(x, value), b.model.operations[op(b, "grow")].body);
        set_body(b, "grow", Subst::Sequence(vec![first, second]));
    });
    broken("scope", |b| {
        let body = b.model.operations[op(b, "drain")].body;
        let Subst::While { before, .. } = b.model.subst(body) else { panic!() };
        let start = before[0].1;
        let (get_start, zero) = (b.get(start), b.int(0));
        let test = b.compare(Comparison::Less, zero, get_start);
        let Subst::While { condition, .. } = &mut b.model.substs[body].subst else { panic!() };
        *condition = test;
    });
    // An output as a target elsewhere.
    broken("scope", |b| {
        let r = b.model.operations[op(b, "get")].outputs[0];
        let one = b.int(1);
        set_body(b, "step", Subst::Assign { targets: vec![Target::Local(r)], values: vec![one] });
    });
}

#[test]
fn shared_nodes_see_what_all_their_parents_see() {
    // `#i.(i = i)` with `i = i` also outside of the quantifier.
    let share = |b: &mut Builder, outside: bool| {
        let i = b.local("i", INTEGER);
        let get = b.get(i);
        let body = b.compare(Comparison::Equal, get, get);
        let twice = b.pred(Pred::And(vec![body, body]));
        let exists = b.pred(Pred::Exists { binder: vec![i], body: twice });
        let other = if outside { body } else { exists };
        add_goal(b, Pred::And(vec![exists, other]));
    };
    valid(|b| share(b, false));
    broken("scope", |b| share(b, true));
}

#[test]
fn targets() {
    let (x, twice) = (Target::Variable(VarId(1)), |b: &mut Builder| vec![b.int(1), b.int(2)]);
    raw("targets", |b| {
        let values = twice(b);
        b.subst(Subst::Assign { targets: vec![x, x], values });
    });
    broken("targets", |b| {
        let p = b.model.operations[op(b, "ask")].params[0];
        let value = b.get(p);
        set_body(b, "ask", Subst::Assign { targets: vec![Target::Local(p)], values: vec![value] });
    });
    broken("targets", |b| {
        let (i, one, pred) = (b.local("i", INTEGER), b.int(1), b.pred(Pred::True));
        let body = b.assign(i, one);
        set_body(b, "step", Subst::Any { binder: vec![i], pred, body });
    });
}

#[test]
fn assigned() {
    let x = Target::Variable(VarId(1));
    raw("assigned", |b| _ = b.subst(Subst::Assign { targets: vec![x], values: vec![] }));
    raw("assigned", |b| {
        let value = b.expr(Expr::Bool(true), BOOL);
        b.subst(Subst::Assign { targets: vec![x], values: vec![value] });
    });
    let choose = |b: &mut Builder, ty: TypeId| {
        let (y, set) = (b.variable("y", BOOL), b.expr(Expr::EmptySet, ty));
        b.subst(Subst::BecomesElement { targets: vec![x, Target::Variable(y)], set });
    };
    valid(|b| {
        let ty = b.relation(INTEGER, BOOL);
        choose(b, ty);
    });
    raw("assigned", |b| {
        let ty = b.relation(BOOL, INTEGER);
        choose(b, ty);
    });
    raw("assigned", |b| {
        let (new, pred) = (vec![b.local("x", BOOL)], b.pred(Pred::True));
        b.subst(Subst::BecomesSuch { targets: vec![x], new, pred });
    });
    raw("assigned", |b| {
        let (variant, before) = (b.int(1), vec![(x, b.local("x", BOOL))]);
        b.subst(Subst::While { condition: PredId(0), body: SubstId(0), invariant: PredId(0), variant, before });
    });
}

#[test]
fn calls() {
    raw("calls", |b| {
        let (op, one) = (op(b, "ask"), b.int(1));
        b.subst(Subst::Call { op, args: vec![one], outputs: vec![] });
    });
    raw("calls", |b| {
        let op = op(b, "get");
        b.subst(Subst::Call { op, args: vec![], outputs: vec![] });
    });
    let query = |b: &mut Builder, name: &str, ty: TypeId| {
        let op = op(b, name);
        let value = b.expr(Expr::CallOperation(op, vec![]), ty);
        if ty == INTEGER {
            add_goal_on(b, value);
        }
    };
    valid(|b| query(b, "get", INTEGER));
    broken("calls", |b| query(b, "get", BOOL));
    broken("calls", |b| query(b, "step", INTEGER));
    // A query operation that changes the state.
    broken("calls", |b| {
        let (id, x, r) = (op(b, "get"), variable(b, "x"), b.model.operations[op(b, "get")].outputs[0]);
        let one = b.int(1);
        let parts = vec![b.assign(x, one), b.assign(r, one)];
        b.model.operations[id].body = b.subst(Subst::Parallel(parts));
        query(b, "get", INTEGER);
    });
}

#[test]
fn properties() {
    broken("properties", |b| {
        let pred = b.model.invariant[1].pred;
        b.model.properties[0].pred = pred;
    });
}

#[test]
fn abstract_variables() {
    let old = |b: &mut Builder| variable(b, "old");
    broken("abstract", |b| {
        let (old, x) = (old(b), variable(b, "x"));
        let value = b.get(old);
        let body = b.assign(x, value);
        let id = op(b, "step");
        b.model.operations[id].body = body;
    });
    broken("abstract", |b| {
        let spec = op(b, "spec");
        set_body(b, "step", Subst::Call { op: spec, args: vec![], outputs: vec![] });
    });
    broken("abstract", |b| {
        let (old, one) = (old(b), b.int(1));
        b.model.initialisation = b.assign(old, one);
    });
    broken("abstract", |b| {
        let old = old(b);
        let value = b.get(old);
        add_goal_on(b, value);
    });
    broken("abstract", |b| {
        let old = old(b);
        b.model.steering.heuristic = Some(b.get(old));
    });
}

#[test]
fn effects() {
    let ask = OpId(0);
    raw("effects", |b| b.model.operations[ask].effects.reads = IdSet::new());
    raw("effects", |b| b.model.operations[ask].effects.guard_reads = IdSet::new());
    raw("effects", |b| b.model.operations[ask].effects.writes = IdSet::new());
    raw("effects", |b| b.model.invariant[0].reads = IdSet::new());
    raw("effects", |b| b.model.invariant[1].constants = IdSet::new());
    // Additional entries are sound.
    let mut model = sample();
    model.operations[ask].effects.reads.insert(VarId(1));
    assert_eq!(texts(&model), [""; 0]);
}

#[test]
fn gluing() {
    raw("gluing", |b| b.model.invariant[0].is_gluing = true);
    raw("gluing", |b| b.model.invariant[2].is_gluing = false);
}

#[test]
fn refines() {
    raw("refines", |b| b.model.operations[OpId(0)].refines = Some(OpId(0)));
}

#[test]
fn distinct() {
    let given = |b: &mut Builder, set| b.model.types.intern(Type::Given(SetId(set)));
    let group = |b: &mut Builder, set| {
        let ty = given(b, set);
        let group = vec![b.constant("a", ty), b.constant("b", ty)];
        b.model.distinct_constants.push(group);
    };
    valid(|b| group(b, 0));
    raw("distinct", |b| b.model.distinct_constants.push(vec![]));
    raw("distinct", |b| group(b, 1));
    raw("distinct", |b| b.model.distinct_constants.push(vec![ConstId(0)]));
    raw("distinct", |b| {
        group(b, 0);
        group(b, 0);
    });
    raw("distinct", |b| {
        group(b, 0);
        b.model.distinct_constants[0][1] = ConstId(0);
    });
    raw("distinct", |b| {
        group(b, 0);
        b.model.distinct_constants[0][1] = b.model.distinct_constants[0][0];
    });
}

#[test]
fn deep_and_wide_models_are_no_problem() {
    let mut b = Builder::new("M", ModelKind::Machine);
    let one = b.int(1);
    let deep = (0..100_000).fold(one, |inner, _| b.expr(Expr::Unary(UnaryOp::Negate, inner), INTEGER));
    let deep = b.compare(Comparison::Less, deep, one);
    let wide: Vec<PredId> = (0..100_000).map(|_| b.compare(Comparison::Less, one, one)).collect();
    let wide = b.pred(Pred::Or(wide));
    let both = b.pred(Pred::And(vec![deep, wide]));
    let nested = (0..50_000).fold(both, |body, _| {
        let i = b.local("i", INTEGER);
        let get = b.get(i);
        let own = b.compare(Comparison::Equal, get, get);
        let body = b.pred(Pred::And(vec![own, body]));
        b.pred(Pred::Exists { binder: vec![i], body })
    });
    b.model.steering.goal = Some(nested);
    assert_eq!(texts(&b.unchecked()), [""; 0]);
}
