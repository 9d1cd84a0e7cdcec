//! Substitutions and whole models as text.

use super::*;
use crate::model::{Abstraction, External, Logic, TemporalProperty};

#[test]
fn substitutions() {
    let assign = |n: &mut Nodes, name: &str| {
        let (variable, one) = (n.0.variable(name, INTEGER), n.0.int(1));
        n.0.assign(variable, one)
    };
    check_subst("a := 1; b := 1 || c := 1", |n| {
        let [a, b, c] = ["a", "b", "c"].map(|name| assign(n, name));
        let both = n.0.subst(Subst::Parallel(vec![b, c]));
        n.0.subst(Subst::Sequence(vec![a, both]))
    });
    check_subst("BEGIN a := 1; b := 1 END || c := 1", |n| {
        let [a, b, c] = ["a", "b", "c"].map(|name| assign(n, name));
        let both = n.0.subst(Subst::Sequence(vec![a, b]));
        n.0.subst(Subst::Parallel(vec![both, c]))
    });
    check_subst("f(a, b) := 1", |n| {
        let (f, [a, b], one) = (n.0.variable("f", INTEGER), n.vs(["a", "b"]), n.0.int(1));
        let key = n.bin(BinaryOp::Pair, a, b);
        let pair = n.bin(BinaryOp::Pair, key, one);
        let (old, change) = (n.0.get(f), n.x(Expr::SetExtension(vec![pair])));
        let value = n.bin(BinaryOp::Override, old, change);
        n.0.assign(f, value)
    });
    check_subst("CASE a OF EITHER 1, 2 THEN skip OR 3 THEN b := 1 ELSE skip END END", |n| {
        let (selector, [one, two, three]) = (n.v("a"), [1, 2, 3].map(|value| n.0.int(value)));
        let (skip, b) = (n.0.subst(Subst::Skip), assign(n, "b"));
        let branches = vec![(vec![one, two], skip), (vec![three], b)];
        n.0.subst(Subst::Case { selector, branches, otherwise: Some(skip) })
    });
    let skip = |n: &mut Nodes| n.0.subst(Subst::Skip);
    check_subst("SELECT p = 1 THEN skip WHEN q = 1 THEN skip ELSE skip END", |n| {
        let (p, q, skip) = (n.p("p"), n.p("q"), skip(n));
        n.0.subst(Subst::Select { branches: vec![(p, skip), (q, skip)], otherwise: Some(skip) })
    });
    check_subst("IF p = 1 THEN skip ELSIF q = 1 THEN skip END", |n| {
        let (p, q, skip) = (n.p("p"), n.p("q"), skip(n));
        n.0.subst(Subst::If { branches: vec![(p, skip), (q, skip)], otherwise: None })
    });
    check_subst("CHOICE skip OR ASSERT p = 1 THEN skip END END", |n| {
        let (pred, body) = (n.p("p"), skip(n));
        let asserted = n.0.subst(Subst::Assert { pred, body });
        n.0.subst(Subst::Choice(vec![body, asserted]))
    });
    check_subst("ANY i, j WHERE p = 1 THEN LET k BE k = i IN VAR v IN skip END END END", |n| {
        let [i, j, k, v] = ["i", "j", "k", "v"].map(|name| n.0.local(name, INTEGER));
        let (pred, body, value) = (n.p("p"), skip(n), n.0.get(i));
        let body = n.0.subst(Subst::Var { locals: vec![v], body });
        let body = n.0.subst(Subst::Let { bindings: vec![Binding { local: k, value }], body });
        n.0.subst(Subst::Any { binder: vec![i, j], pred, body })
    });
    check_subst("a, r <-- query(1) || print(1) || a, b :: s", |n| {
        let (op_body, r, one, s) = (skip(n), n.0.local("r", INTEGER), n.0.int(1), n.v("s"));
        let op = n.0.operation("query", &[], &[], op_body);
        let print = External { name: "print".into(), kind: ExternalKind::Substitution };
        let print = n.0.model.externals.push(print);
        let [a, b] = ["a", "b"].map(|name| Target::Variable(n.0.variable(name, INTEGER)));
        let parts = vec![
            n.0.subst(Subst::Call { op, args: vec![one], outputs: vec![a, Target::Local(r)] }),
            n.0.subst(Subst::External(print, vec![one])),
            n.0.subst(Subst::BecomesElement { targets: vec![a, b], set: s }),
        ];
        n.0.subst(Subst::Parallel(parts))
    });
}

#[test]
fn values_before_and_after() {
    // The new value is shown by the target's name, the old one with `$0`; a quantifier in between must not catch either.
    check_subst("x : (x$0 < x & #x_1.(x_1 = x))", |n| {
        let (x, new, bound) = (n.0.variable("x", INTEGER), n.0.local("x", INTEGER), n.0.local("x", INTEGER));
        let (before, after, get) = (n.0.get(x), n.0.get(new), n.0.get(bound));
        let grows = n.0.compare(Comparison::Less, before, after);
        let body = n.eq(get, after);
        let exists = n.pred(Pred::Exists { binder: vec![bound], body });
        let pred = n.pred(Pred::And(vec![grows, exists]));
        n.0.subst(Subst::BecomesSuch { targets: vec![Target::Variable(x)], new: vec![new], pred })
    });
}

#[test]
fn a_whole_model() {
    let mut b = Builder::of(sample());
    b.model.kind = ModelKind::Refinement;
    b.model.abstraction = Some(Abstraction { name: "M0".into(), initialisation: SubstId(0) });
    let proc = b.model.types.intern(Type::Given(crate::SetId(0)));
    let group = vec![b.constant("c1", proc), b.constant("c2", proc)];
    b.model.distinct_constants.push(group);
    b.model.externals.push(External { name: "printf".into(), kind: ExternalKind::Predicate });
    b.model.variables[VarId(1)].origin.machine = "Counter".into();
    b.model.variables[VarId(1)].origin.desc = Some("how\n many".into());
    b.model.invariant[0].labels.push("two words".into());
    b.model.invariant[1].machine = "Counter".into();
    let steering = &mut b.model.steering;
    steering.goal = Some(b.model.invariant[1].pred);
    steering.max_operations.push((crate::OpId(0), 5));
    steering.force_symmetry.push(crate::SetId(1));
    let span = b.model.invariant[0].span;
    let property = TemporalProperty { name: "ASSERT_LTL_1".into(), logic: Logic::Ltl, text: "G{x > 0}".into(), span };
    steering.temporal.push(property);
    steering.preferences.max_int = 7.into();
    let set = [("MAXINT", "7"), ("SYMMETRY_MODE", "hash"), ("SYMBOLIC", "TRUE")];
    steering.preferences.set = set.map(|(name, value)| (name.into(), value.into())).into();
    assert_eq!(
        dump(&b.model),
        r#"REFINEMENT M
REFINES M0

SETS
  PROC  // deferred, size 3
  COLOUR = {red, green}

FREETYPES
  List = nil, cons(INTEGER * List)

EXTERNALS
  printf  // predicate

CONSTANTS
  n : INTEGER
  c1 : PROC
  c2 : PROC
  // distinct c1, c2

VARIABLES
  waiting : POW(PROC)
  x /*@ desc how many */ : INTEGER  // of Counter
  lamp : struct(colour:COLOUR,on:BOOL)
  old : INTEGER  // abstract, not part of the state

PROPERTIES
  n : 1..10  // constants n

INVARIANT
  /*@ label "two words" */ waiting <: PROC  // reads waiting
  /*@ label inv2 */ x <= n  // reads x; constants n; of Counter
  x = old  // reads x, old; gluing

INITIALISATION
  waiting := {}
  || x :: NATURAL
  || lamp := rec(colour: red, on: FALSE)

INITIALISATION
  // of the abstraction M0
  skip

OPERATIONS
  ask(p) =
    // p : PROC
    // reads waiting; guard reads waiting; writes waiting
    PRE p : PROC & p /: waiting THEN
      waiting := waiting \/ {p}
    END;

  r <-- get =
    // r : INTEGER
    // refines spec
    // reads x
    r := x;

  step =
    // reads x; writes x
    VAR v IN
      v <-- get;
      x := v + 1
    END;

  grow =
    // reads x; guard reads x; writes x
    x : (x$0 < x);

  drain =
    // reads x; writes x
    WHILE x > 0 DO
      x := x - 1
    INVARIANT x <= x$0
    VARIANT x
    END;

  spec =
    // no transition
    // reads old; writes old
    old := old + 1

DEFINITIONS
  GOAL == x <= n;
  ASSERT_LTL_1 == "G{x > 0}";
  FORCE_SYMMETRY_COLOUR == TRUE;
  MAX_OPERATIONS_ask == 5;
  SET_PREF_MININT == -1;
  SET_PREF_MAXINT == 7;
  SET_PREF_DEFAULT_SETSIZE == 2;
  SET_PREF_SYMBOLIC == TRUE;
  SET_PREF_SYMMETRY_MODE == "hash"
END
"#
    );
}

#[test]
fn layout_of_nested_substitutions() {
    let mut n = Nodes::new();
    let (p, q, selector, one) = (n.p("p"), n.p("q"), n.v("a"), n.0.int(1));
    let skip = n.0.subst(Subst::Skip);
    let both = n.0.subst(Subst::Sequence(vec![skip, skip]));
    let branches = vec![(p, both), (q, skip)];
    let first = n.0.subst(Subst::If { branches, otherwise: Some(skip) });
    let second = n.0.subst(Subst::Case { selector, branches: vec![(vec![one], skip)], otherwise: None });
    let body = n.0.subst(Subst::Sequence(vec![first, second]));
    n.0.operation("op", &[], &[], body);
    let text = dump(&n.0.unchecked());
    let body = text.split("reads p, q, a\n").nth(1).and_then(|rest| rest.split("\n\nDEFINITIONS").next());
    assert_eq!(
        body,
        Some(
            "    BEGIN
      IF p = 1 THEN
        skip;
        skip
      ELSIF q = 1 THEN
        skip
      ELSE
        skip
      END;
      CASE a OF
        EITHER 1 THEN
          skip
        END
      END
    END"
        )
    );
}
