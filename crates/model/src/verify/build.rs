//! Builder of small models for tests.

use abridge_diag::{FileId, Span};
use smol_str::SmolStr;

pub(crate) use crate::builder::Builder;
use crate::expr::{BaseSet, BinaryOp, Expr};
use crate::ids::{OpId, SetId, TypeId, VarId};
use crate::model::{CarrierKind, Constructor, DeclOrigin, FreeType, Model, ModelKind};
use crate::pred::{Comparison, Pred};
use crate::subst::{Subst, Target};
use crate::types::{Type, TypeTable};

pub(crate) const INTEGER: TypeId = TypeTable::INTEGER;
pub(crate) const BOOL: TypeId = TypeTable::BOOL;

fn span() -> Span {
    Span::new(FileId(0), 0, 0)
}

fn origin() -> DeclOrigin {
    DeclOrigin { machine: SmolStr::new("M"), span: span(), desc: None }
}

/// Refinement with declarations of every kind:
///
/// - `PROC` deferred, `COLOUR = {red, green}`, `List = nil, cons(INTEGER*List)`, constant `n`
/// - variables `waiting` (set of PROC), `x`, `lamp` (record), and `old`, which only the abstraction has
/// - `ask(p)`, `r <-- get`, `step` (calls `get`), `grow` (becomes such), `drain` (a loop), `spec` (of the abstraction)
pub(crate) fn sample() -> Model {
    let mut b = Builder::new("M", ModelKind::Machine);
    let (proc_set, proc) = b.set("PROC", CarrierKind::Deferred { size: 3 });
    let (colours, colour) = b.set("COLOUR", CarrierKind::Enumerated(vec!["red".into(), "green".into()]));
    let procs = b.pow(proc);
    let lamp_type = b.model.types.intern(Type::Record(vec![("colour".into(), colour), ("on".into(), BOOL)]));
    lists(&mut b);
    let n = b.constant("n", INTEGER);
    let waiting = b.variable("waiting", procs);
    let x = b.variable("x", INTEGER);
    let lamp = b.variable("lamp", lamp_type);
    let old = b.variable("old", INTEGER);
    b.model.variables[old].is_abstract = true;

    let (get_n, one, ten) = (b.get(n), b.int(1), b.int(10));
    let integers = b.pow(INTEGER);
    let range = b.binary(BinaryOp::Interval, one, ten, integers);
    let property = b.compare(Comparison::Member, get_n, range);
    b.model.properties = vec![b.conjunct(property, &[])];

    let (get_waiting, all) = (b.get(waiting), b.carrier(proc_set));
    let typing = b.compare(Comparison::Subset, get_waiting, all);
    let (get_x, get_n) = (b.get(x), b.get(n));
    let bound = b.compare(Comparison::LessEqual, get_x, get_n);
    let (get_x, get_old) = (b.get(x), b.get(old));
    let glue = b.compare(Comparison::Equal, get_x, get_old);
    b.model.invariant = vec![b.conjunct(typing, &[]), b.conjunct(bound, &["inv2"]), b.conjunct(glue, &[])];

    let (empty, natural) = (b.expr(Expr::EmptySet, procs), b.expr(Expr::BaseSet(BaseSet::Natural), integers));
    let (red, off) = (b.expr(Expr::Element(colours, 0), colour), b.expr(Expr::Bool(false), BOOL));
    let dark = b.expr(Expr::Record(vec![red, off]), lamp_type);
    let parts = vec![
        b.assign(waiting, empty),
        b.subst(Subst::BecomesElement { targets: vec![Target::Variable(x)], set: natural }),
        b.assign(lamp, dark),
    ];
    b.model.initialisation = b.subst(Subst::Parallel(parts));

    ask(&mut b, waiting, proc_set, proc);
    let get = get_and_step(&mut b, x);
    grow(&mut b, x);
    drain(&mut b, x);
    let (spec_value, one) = (b.get(old), b.int(1));
    let next = b.same(BinaryOp::Add, spec_value, one);
    let body = b.assign(old, next);
    let spec = b.operation("spec", &[], &[], body);
    b.model.operations[spec].is_top_level = false;
    b.model.operations[get].refines = Some(spec);
    b.unchecked()
}

fn lists(b: &mut Builder) {
    let free = b.model.free_types.push(FreeType { name: "List".into(), constructors: Vec::new(), origin: origin() });
    let list = b.model.types.intern(Type::Free(free));
    let (lists, integers, cells) = (b.pow(list), b.pow(INTEGER), b.relation(INTEGER, list));
    let left = b.expr(Expr::BaseSet(BaseSet::Integer), integers);
    let right = b.expr(Expr::FreeType(free), lists);
    let set = b.binary(BinaryOp::Cartesian, left, right, cells);
    let cell = b.model.types.pair(INTEGER, list);
    b.model.free_types[free].constructors = vec![
        Constructor { name: "nil".into(), arg: None },
        Constructor { name: "cons".into(), arg: Some((set, cell)) },
    ];
}

/// `ask(p) = PRE p : PROC & p /: waiting THEN waiting := waiting \/ {p} END`
fn ask(b: &mut Builder, waiting: VarId, proc_set: SetId, proc: TypeId) {
    let procs = b.pow(proc);
    let p = b.local("p", proc);
    let (get_p, all) = (b.get(p), b.carrier(proc_set));
    let typing = b.compare(Comparison::Member, get_p, all);
    let (get_p, get_waiting) = (b.get(p), b.get(waiting));
    let inside = b.compare(Comparison::Member, get_p, get_waiting);
    let outside = b.pred(Pred::Not(inside));
    let pred = b.pred(Pred::And(vec![typing, outside]));
    let (get_p, get_waiting) = (b.get(p), b.get(waiting));
    let single = b.expr(Expr::SetExtension(vec![get_p]), procs);
    let joined = b.same(BinaryOp::Union, get_waiting, single);
    let body = b.assign(waiting, joined);
    let body = b.subst(Subst::Pre { pred, body });
    b.operation("ask", &[p], &[], body);
}

/// `r <-- get = r := x` and `step = VAR v IN v <-- get; x := v + 1 END`
fn get_and_step(b: &mut Builder, x: VarId) -> OpId {
    let r = b.local("r", INTEGER);
    let get_x = b.get(x);
    let body = b.assign(r, get_x);
    let get = b.operation("get", &[], &[r], body);
    let v = b.local("v", INTEGER);
    let call = b.subst(Subst::Call { op: get, args: vec![], outputs: vec![Target::Local(v)] });
    let (get_v, one) = (b.get(v), b.int(1));
    let sum = b.same(BinaryOp::Add, get_v, one);
    let assign = b.assign(x, sum);
    let body = b.subst(Subst::Sequence(vec![call, assign]));
    let body = b.subst(Subst::Var { locals: vec![v], body });
    b.operation("step", &[], &[], body);
    get
}

/// `grow = x : (x$0 < x)`
fn grow(b: &mut Builder, x: VarId) {
    let new = b.local("x", INTEGER);
    let (before, after) = (b.get(x), b.get(new));
    let pred = b.compare(Comparison::Less, before, after);
    let body = b.subst(Subst::BecomesSuch { targets: vec![Target::Variable(x)], new: vec![new], pred });
    b.operation("grow", &[], &[], body);
}

/// `drain = WHILE 0 < x DO x := x - 1 INVARIANT x <= x$0 VARIANT x END`
fn drain(b: &mut Builder, x: VarId) {
    let (zero, get_x) = (b.int(0), b.get(x));
    let condition = b.compare(Comparison::Less, zero, get_x);
    let (get_x, one) = (b.get(x), b.int(1));
    let less = b.same(BinaryOp::Subtract, get_x, one);
    let body = b.assign(x, less);
    let start = b.local("x$0", INTEGER);
    let (get_x, get_start) = (b.get(x), b.get(start));
    let invariant = b.compare(Comparison::LessEqual, get_x, get_start);
    let variant = b.get(x);
    let before = vec![(Target::Variable(x), start)];
    let body = b.subst(Subst::While { condition, body, invariant, variant, before });
    b.operation("drain", &[], &[], body);
}
