//! Builder of small models for tests.

use abridge_diag::{FileId, Span};
use num_bigint::BigInt;
use smol_str::SmolStr;

use crate::expr::{BaseSet, BinaryOp, Expr, ExprNode};
use crate::ids::{ConstId, ExprId, IdSet, IdVec, LocalId, OpId, PredId, SetId, SubstId, TypeId, VarId};
use crate::model::{
    CarrierKind, CarrierSet, Conjunct, Constant, Constructor, Effects, FreeType, Local, Model, ModelKind, Operation,
    Origin, Steering, Variable,
};
use crate::pred::{Comparison, Pred, PredNode};
use crate::subst::{Subst, SubstNode, Target};
use crate::types::{Type, TypeTable};

pub(crate) const INTEGER: TypeId = TypeTable::INTEGER;
pub(crate) const BOOL: TypeId = TypeTable::BOOL;

fn span() -> Span {
    Span::new(FileId(0), 0, 0)
}

fn origin() -> Origin {
    Origin { machine: SmolStr::new("M"), span: span(), desc: None }
}

/// A model under construction; it starts with `skip` as its initialisation.
pub(crate) struct Build {
    pub(crate) model: Model,
}

impl Build {
    pub(crate) fn new() -> Self {
        let model = Model {
            name: SmolStr::new("M"),
            kind: ModelKind::Machine,
            types: TypeTable::new(),
            sets: IdVec::new(),
            free_types: IdVec::new(),
            constants: IdVec::new(),
            variables: IdVec::new(),
            locals: IdVec::new(),
            externals: IdVec::new(),
            operations: IdVec::new(),
            exprs: IdVec::new(),
            preds: IdVec::new(),
            substs: IdVec::new(),
            properties: Vec::new(),
            invariant: Vec::new(),
            assertions: Vec::new(),
            initialisation: SubstId(0),
            abstraction: None,
            distinct_constants: Vec::new(),
            steering: Steering::default(),
        };
        let mut build = Build { model };
        build.model.initialisation = build.subst(Subst::Skip);
        build
    }

    /// The model with its effects filled in.
    pub(crate) fn finish(mut self) -> Model {
        crate::effects::compute(&mut self.model);
        self.model
    }

    pub(crate) fn pow(&mut self, elem: TypeId) -> TypeId {
        self.model.types.pow(elem)
    }

    pub(crate) fn relation(&mut self, from: TypeId, to: TypeId) -> TypeId {
        let pair = self.model.types.pair(from, to);
        self.pow(pair)
    }

    pub(crate) fn set(&mut self, name: &str, kind: CarrierKind) -> (SetId, TypeId) {
        let set = self.model.sets.push(CarrierSet { name: SmolStr::new(name), kind, origin: origin() });
        (set, self.model.types.intern(Type::Given(set)))
    }

    pub(crate) fn constant(&mut self, name: &str, ty: TypeId) -> ConstId {
        self.model.constants.push(Constant { name: SmolStr::new(name), ty, origin: origin() })
    }

    pub(crate) fn variable(&mut self, name: &str, ty: TypeId) -> VarId {
        self.model.variables.push(Variable { name: SmolStr::new(name), ty, is_abstract: false, origin: origin() })
    }

    pub(crate) fn local(&mut self, name: &str, ty: TypeId) -> LocalId {
        self.model.locals.push(Local { name: SmolStr::new(name), ty, span: span() })
    }

    pub(crate) fn expr(&mut self, expr: Expr, ty: TypeId) -> ExprId {
        self.model.exprs.push(ExprNode { expr, ty, span: span() })
    }

    pub(crate) fn int(&mut self, value: i64) -> ExprId {
        self.expr(Expr::Integer(BigInt::from(value)), INTEGER)
    }

    /// The value of a variable, constant or local.
    pub(crate) fn get(&mut self, what: impl Into<Named>) -> ExprId {
        match what.into() {
            Named::Variable(id) => self.expr(Expr::Variable(id), self.model.variables[id].ty),
            Named::Constant(id) => self.expr(Expr::Constant(id), self.model.constants[id].ty),
            Named::Local(id) => self.expr(Expr::Local(id), self.model.locals[id].ty),
        }
    }

    pub(crate) fn binary(&mut self, op: BinaryOp, left: ExprId, right: ExprId, ty: TypeId) -> ExprId {
        self.expr(Expr::Binary(op, left, right), ty)
    }

    /// An operator whose result has the type of its left operand.
    pub(crate) fn same(&mut self, op: BinaryOp, left: ExprId, right: ExprId) -> ExprId {
        self.binary(op, left, right, self.model.ty(left))
    }

    pub(crate) fn carrier(&mut self, set: SetId, ty: TypeId) -> ExprId {
        let pow = self.pow(ty);
        self.expr(Expr::Carrier(set), pow)
    }

    pub(crate) fn pred(&mut self, pred: Pred) -> PredId {
        self.model.preds.push(PredNode { pred, span: span() })
    }

    pub(crate) fn compare(&mut self, op: Comparison, left: ExprId, right: ExprId) -> PredId {
        self.pred(Pred::Compare(op, left, right))
    }

    pub(crate) fn subst(&mut self, subst: Subst) -> SubstId {
        self.model.substs.push(SubstNode { subst, span: span() })
    }

    pub(crate) fn assign(&mut self, target: impl Into<Named>, value: ExprId) -> SubstId {
        self.subst(Subst::Assign { targets: vec![target.into().target()], values: vec![value] })
    }

    pub(crate) fn conjunct(&self, pred: PredId, labels: &[&str]) -> Conjunct {
        Conjunct {
            pred,
            labels: labels.iter().map(SmolStr::new).collect(),
            machine: SmolStr::new("M"),
            span: span(),
            reads: IdSet::new(),
            constants: IdSet::new(),
            is_gluing: false,
        }
    }

    /// A transition.
    pub(crate) fn operation(&mut self, name: &str, params: &[LocalId], outputs: &[LocalId], body: SubstId) -> OpId {
        self.model.operations.push(Operation {
            name: SmolStr::new(name),
            params: params.to_vec(),
            outputs: outputs.to_vec(),
            body,
            is_top_level: true,
            refines: None,
            effects: Effects::default(),
            origin: origin(),
        })
    }
}

pub(crate) enum Named {
    Variable(VarId),
    Constant(ConstId),
    Local(LocalId),
}

impl Named {
    fn target(self) -> Target {
        match self {
            Named::Variable(id) => Target::Variable(id),
            Named::Local(id) => Target::Local(id),
            Named::Constant(id) => panic!("{id:?} cannot be assigned"),
        }
    }
}

impl From<VarId> for Named {
    fn from(id: VarId) -> Self {
        Named::Variable(id)
    }
}

impl From<ConstId> for Named {
    fn from(id: ConstId) -> Self {
        Named::Constant(id)
    }
}

impl From<LocalId> for Named {
    fn from(id: LocalId) -> Self {
        Named::Local(id)
    }
}

/// A refinement with a bit of everything:
///
/// - `PROC` deferred, `COLOUR = {red, green}`, `List = nil, cons(INTEGER*List)`, constant `n`
/// - variables `waiting` (set of PROC), `x`, `lamp` (record), and `old`, which only the abstraction has
/// - `ask(p)`, `r <-- get`, `step` (calls `get`), `grow` (becomes such), `drain` (a loop), `spec` (of the abstraction)
pub(crate) fn sample() -> Model {
    let mut b = Build::new();
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

    let (get_waiting, all) = (b.get(waiting), b.carrier(proc_set, proc));
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
    b.finish()
}

fn lists(b: &mut Build) {
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
fn ask(b: &mut Build, waiting: VarId, proc_set: SetId, proc: TypeId) {
    let procs = b.pow(proc);
    let p = b.local("p", proc);
    let (get_p, all) = (b.get(p), b.carrier(proc_set, proc));
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
fn get_and_step(b: &mut Build, x: VarId) -> OpId {
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
fn grow(b: &mut Build, x: VarId) {
    let new = b.local("x", INTEGER);
    let (before, after) = (b.get(x), b.get(new));
    let pred = b.compare(Comparison::Less, before, after);
    let body = b.subst(Subst::BecomesSuch { targets: vec![Target::Variable(x)], new: vec![new], pred });
    b.operation("grow", &[], &[], body);
}

/// `drain = WHILE 0 < x DO x := x - 1 INVARIANT x <= x$0 VARIANT x END`
fn drain(b: &mut Build, x: VarId) {
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
