//! Formulas as text; substitutions and whole models are in `tests/substs.rs`.

mod substs;

use super::*;
use crate::expr::{Arrow, BaseSet, BinaryOp, Binding, Expr, QuantifiedOp, TreeOp, UnaryOp};
use crate::ids::TypeId;
use crate::pred::{Comparison, Pred};
use crate::subst::{Subst, Target};
use crate::types::Type;
use crate::verify::build::{BOOL, Builder, INTEGER, sample};

/// Nodes of a model under construction. The text does not depend on their types, except for records.
struct Nodes(Builder);

impl Nodes {
    fn new() -> Self {
        Nodes(Builder::new("M", ModelKind::Machine))
    }

    fn v(&mut self, name: &str) -> ExprId {
        let variable = self.0.variable(name, INTEGER);
        self.0.get(variable)
    }

    fn vs<const N: usize>(&mut self, names: [&str; N]) -> [ExprId; N] {
        names.map(|name| self.v(name))
    }

    fn x(&mut self, expr: Expr) -> ExprId {
        self.0.expr(expr, INTEGER)
    }

    fn un(&mut self, op: UnaryOp, operand: ExprId) -> ExprId {
        self.x(Expr::Unary(op, operand))
    }

    fn bin(&mut self, op: BinaryOp, left: ExprId, right: ExprId) -> ExprId {
        self.x(Expr::Binary(op, left, right))
    }

    fn eq(&mut self, left: ExprId, right: ExprId) -> PredId {
        self.0.compare(Comparison::Equal, left, right)
    }

    /// `name = 1`
    fn p(&mut self, name: &str) -> PredId {
        let (left, one) = (self.v(name), self.0.int(1));
        self.eq(left, one)
    }

    fn pred(&mut self, pred: Pred) -> PredId {
        self.0.pred(pred)
    }
}

fn check_expr(expected: &str, build: impl FnOnce(&mut Nodes) -> ExprId) {
    let mut nodes = Nodes::new();
    let id = build(&mut nodes);
    assert_eq!(expr_text(&nodes.0.model, id), expected);
}

fn check_pred(expected: &str, build: impl FnOnce(&mut Nodes) -> PredId) {
    let mut nodes = Nodes::new();
    let id = build(&mut nodes);
    assert_eq!(pred_text(&nodes.0.model, id), expected);
}

fn check_subst(expected: &str, build: impl FnOnce(&mut Nodes) -> SubstId) {
    let mut nodes = Nodes::new();
    let id = build(&mut nodes);
    assert_eq!(subst_text(&nodes.0.model, id), expected);
}

/// Checks the texts of `(a first b) second c` and `a first (b second c)`.
fn check_grouping(first: BinaryOp, second: BinaryOp, to_left: &str, to_right: &str) {
    check_expr(to_left, |n| {
        let [a, b, c] = n.vs(["a", "b", "c"]);
        let left = n.bin(first, a, b);
        n.bin(second, left, c)
    });
    check_expr(to_right, |n| {
        let [a, b, c] = n.vs(["a", "b", "c"]);
        let right = n.bin(second, b, c);
        n.bin(first, a, right)
    });
}

#[test]
fn grouping_of_operators() {
    use BinaryOp::*;
    check_grouping(Add, Add, "a + b + c", "a + (b + c)");
    check_grouping(Subtract, Add, "a - b + c", "a - (b + c)");
    check_grouping(Add, Multiply, "(a + b) * c", "a + b * c");
    check_grouping(Divide, Modulo, "a / b mod c", "a / (b mod c)");
    check_grouping(Power, Power, "(a ** b) ** c", "a ** b ** c");
    check_grouping(Multiply, Power, "(a * b) ** c", "a * b ** c");
    check_grouping(Union, Union, "a \\/ b \\/ c", "a \\/ (b \\/ c)");
    // The parser needs no parentheses here; readers do.
    check_grouping(Union, Intersection, "(a \\/ b) /\\ c", "a \\/ (b /\\ c)");
    check_grouping(Union, Difference, "(a \\/ b) - c", "a \\/ (b - c)");
    check_grouping(DomainRestrict, Override, "(a <| b) <+ c", "a <| (b <+ c)");
    check_grouping(Pair, Pair, "a |-> b |-> c", "a |-> (b |-> c)");
    check_grouping(Add, Pair, "a + b |-> c", "a + (b |-> c)");
    check_grouping(Cartesian, Arrow(crate::Arrow::PARTIAL), "a * b +-> c", "a * (b +-> c)");
    check_grouping(Arrow(crate::Arrow::TOTAL), Arrow(crate::Arrow::TOTAL), "(a --> b) --> c", "a --> (b --> c)");
    check_grouping(Interval, Union, "a..b \\/ c", "a .. (b \\/ c)");
    check_grouping(Add, Interval, "a + b .. c", "a + (b..c)");
    check_grouping(Compose, Compose, "(a ; b ; c)", "(a ; (b ; c))");
    check_grouping(Compose, ParallelProduct, "((a ; b) || c)", "(a ; (b || c))");
    check_grouping(Compose, Apply, "(a ; b)(c)", "(a ; b(c))");
    check_grouping(Apply, Apply, "a(b)(c)", "a(b(c))");
    check_grouping(Apply, Image, "a(b)[c]", "a(b[c])");
    check_grouping(Override, Apply, "(a <+ b)(c)", "a <+ b(c)");
    check_grouping(Pair, Apply, "(a |-> b)(c)", "a |-> b(c)");
    check_grouping(Prj1, Apply, "prj1(a, b)(c)", "prj1(a, b(c))");
    check_grouping(Iterate, Compose, "(iterate(a, b) ; c)", "iterate(a, b ; c)");
}

#[test]
fn minus_signs() {
    use BinaryOp::*;
    check_grouping(Subtract, Subtract, "a - b - c", "a - (b - c)");
    let negated = |op: BinaryOp, is_left: bool| {
        move |n: &mut Nodes| {
            let [a, b] = n.vs(["a", "b"]);
            let minus = n.un(UnaryOp::Negate, if is_left { a } else { b });
            if is_left { n.bin(op, minus, b) } else { n.bin(op, a, minus) }
        }
    };
    check_expr("a - -b", negated(Subtract, false));
    check_expr("a ** -b", negated(Power, false));
    check_expr("(-a) ** b", negated(Power, true));
    check_expr("-a..b", negated(Interval, true));
    check_expr("-(-a)", |n| {
        let a = n.v("a");
        let minus = n.un(UnaryOp::Negate, a);
        n.un(UnaryOp::Negate, minus)
    });
    check_expr("-(-1)", |n| {
        let minus_one = n.0.int(-1);
        n.un(UnaryOp::Negate, minus_one)
    });
    check_expr("-(a ** b)", |n| {
        let [a, b] = n.vs(["a", "b"]);
        let power = n.bin(Power, a, b);
        n.un(UnaryOp::Negate, power)
    });
    check_pred("a < -1", |n| {
        let (a, minus_one) = (n.v("a"), n.0.int(-1));
        n.0.compare(Comparison::Less, a, minus_one)
    });
}

#[test]
fn postfix_operators() {
    let inverse = |n: &mut Nodes| {
        let f = n.v("f");
        n.un(UnaryOp::Inverse, f)
    };
    check_expr("f~(a)", |n| {
        let (f, a) = (inverse(n), n.v("a"));
        n.bin(BinaryOp::Apply, f, a)
    });
    check_expr("(f~)~", |n| {
        let f = inverse(n);
        n.un(UnaryOp::Inverse, f)
    });
    check_expr("f(a, b, c)", |n| {
        let [f, a, b, c] = n.vs(["f", "a", "b", "c"]);
        let pair = n.bin(BinaryOp::Pair, a, b);
        let triple = n.bin(BinaryOp::Pair, pair, c);
        n.bin(BinaryOp::Apply, f, triple)
    });
    // `prj1(a, b)` would be the relation.
    check_expr("prj1(a |-> b)", |n| {
        let [a, b] = n.vs(["a", "b"]);
        let pair = n.bin(BinaryOp::Pair, a, b);
        n.un(UnaryOp::First, pair)
    });
    check_expr("dom(f ; g)", |n| {
        let [f, g] = n.vs(["f", "g"]);
        let composed = n.bin(BinaryOp::Compose, f, g);
        n.un(UnaryOp::Dom, composed)
    });
    check_expr("{(f ; g)}", |n| {
        let [f, g] = n.vs(["f", "g"]);
        let composed = n.bin(BinaryOp::Compose, f, g);
        n.x(Expr::SetExtension(vec![composed]))
    });
    check_expr("(%i.(i : s | i))(a)", |n| {
        let (i, s, a) = (n.0.local("i", INTEGER), n.v("s"), n.v("a"));
        let expr = n.0.get(i);
        let pred = n.0.compare(Comparison::Member, expr, s);
        let op = QuantifiedOp::Lambda;
        let lambda = n.x(Expr::Quantified { op, binder: vec![i], pred, expr, symbolic: false });
        n.bin(BinaryOp::Apply, lambda, a)
    });
    // Keywords only before a parenthesis.
    check_expr("`left`(left)", |n| {
        let [f, a] = n.vs(["left", "left"]);
        n.bin(BinaryOp::Apply, f, a)
    });
    check_expr("left(left)", |n| {
        let a = n.v("left");
        n.x(Expr::Tree(TreeOp::Left, vec![a]))
    });
}

#[test]
fn atoms_and_binders() {
    check_expr("[1, {TRUE}, \"a\\\"b\", 1.0e16, {}]", |n| {
        let truth = n.x(Expr::Bool(true));
        let items = vec![
            n.0.int(1),
            n.x(Expr::SetExtension(vec![truth])),
            n.x(Expr::String("a\"b".into())),
            n.x(Expr::Real(1e16)),
            n.x(Expr::EmptySet),
        ];
        n.x(Expr::SequenceExtension(items))
    });
    check_expr("{succ, @prj1, NATURAL1, `skip`, m.x}", |n| {
        let mut items =
            [Expr::Successor, Expr::FirstProjection, Expr::BaseSet(BaseSet::Natural1)].map(|e| n.x(e)).to_vec();
        items.extend(n.vs(["skip", "m.x"]));
        n.x(Expr::SetExtension(items))
    });
    let over = |build: fn(Vec<LocalId>, PredId, ExprId) -> Expr| {
        move |n: &mut Nodes| {
            let (i, j) = (n.0.local("i", INTEGER), n.0.local("j", INTEGER));
            let (get_i, get_j) = (n.0.get(i), n.0.get(j));
            let pred = n.eq(get_i, get_j);
            n.x(build(vec![i, j], pred, get_i))
        }
    };
    check_expr("{i, j | i = j}", over(|binder, pred, _| Expr::Comprehension { binder, pred, symbolic: false }));
    check_expr("{(i, j).i = j | i}", over(|binder, pred, expr| Expr::SetImage { binder, pred, expr }));
    check_expr(
        "%(i, j).(i = j | i)",
        over(|binder, pred, expr| Expr::Quantified { op: QuantifiedOp::Lambda, binder, pred, expr, symbolic: false }),
    );
    check_expr(
        "/*@ symbolic */ UNION(i, j).(i = j | i)",
        over(|binder, pred, expr| Expr::Quantified { op: QuantifiedOp::Union, binder, pred, expr, symbolic: true }),
    );
    check_expr("IF p = 1 THEN a ELSIF q = 1 THEN b ELSE c END", |n| {
        let (p, q, [a, b, c]) = (n.p("p"), n.p("q"), n.vs(["a", "b", "c"]));
        let rest = n.x(Expr::If(q, b, c));
        n.x(Expr::If(p, a, rest))
    });
    check_expr("bool(p = 1 => q = 1)", |n| {
        let (p, q) = (n.p("p"), n.p("q"));
        let pred = n.pred(Pred::Implies(p, q));
        n.x(Expr::BoolOf(pred))
    });
    check_expr("```a ${a + a} b${\"$\"}```", |n| {
        let a = n.v("a");
        let parts = vec![
            n.x(Expr::String("a ".into())),
            n.bin(BinaryOp::Add, a, a),
            n.x(Expr::String(" b".into())),
            n.x(Expr::String("$".into())),
        ];
        n.x(Expr::Template(parts))
    });
}

#[test]
fn predicates() {
    let pq = |n: &mut Nodes| (n.p("p"), n.p("q"), n.p("r"));
    let pair =
        |first: fn(PredId, PredId) -> Pred, second: fn(PredId, PredId) -> Pred, to_left: &str, to_right: &str| {
            check_pred(to_left, |n| {
                let (p, q, r) = pq(n);
                let left = n.pred(first(p, q));
                n.pred(second(left, r))
            });
            check_pred(to_right, |n| {
                let (p, q, r) = pq(n);
                let right = n.pred(second(q, r));
                n.pred(first(p, right))
            });
        };
    let and = |left, right| Pred::And(vec![left, right]);
    let or = |left, right| Pred::Or(vec![left, right]);
    pair(and, and, "p = 1 & q = 1 & r = 1", "p = 1 & q = 1 & r = 1");
    pair(and, or, "(p = 1 & q = 1) or r = 1", "p = 1 & (q = 1 or r = 1)");
    pair(and, Pred::Implies, "p = 1 & q = 1 => r = 1", "p = 1 & (q = 1 => r = 1)");
    pair(Pred::Implies, Pred::Implies, "(p = 1 => q = 1) => r = 1", "p = 1 => (q = 1 => r = 1)");
    pair(or, Pred::Equivalent, "(p = 1 or q = 1) <=> r = 1", "p = 1 or (q = 1 <=> r = 1)");
    pair(Pred::Implies, Pred::Equivalent, "(p = 1 => q = 1) <=> r = 1", "p = 1 => (q = 1 <=> r = 1)");
    check_pred("not(p = 1 & q = 1)", |n| {
        let (p, q, _) = pq(n);
        let both = n.pred(and(p, q));
        n.pred(Pred::Not(both))
    });
    check_pred("IF p = 1 THEN q = 1 ELSE btrue END", |n| {
        let (p, q, _) = pq(n);
        let otherwise = n.pred(Pred::True);
        n.pred(Pred::If(p, q, otherwise))
    });
    check_pred("!(i, j).(i = j => p = 1)", |n| {
        let (i, j, p) = (n.0.local("i", INTEGER), n.0.local("j", INTEGER), n.p("p"));
        let (left, right) = (n.0.get(i), n.0.get(j));
        let left = n.eq(left, right);
        let body = n.pred(Pred::Implies(left, p));
        n.pred(Pred::Forall { binder: vec![i, j], body })
    });
    check_pred("@partition(s, t, u) & @finite(s)", |n| {
        let [s, t, u] = n.vs(["s", "t", "u"]);
        let (left, right) = (n.pred(Pred::Partition(s, vec![t, u])), n.pred(Pred::Finite(s)));
        n.pred(and(left, right))
    });
}

#[test]
fn relations() {
    use Comparison::*;
    let texts = [
        (Equal, "a = b", "a /= b"),
        (Member, "a : b", "a /: b"),
        (Subset, "a <: b", "a /<: b"),
        (StrictSubset, "a <<: b", "a /<<: b"),
        (Less, "a < b", "not(a < b)"),
        (LessEqual, "a <= b", "not(a <= b)"),
    ];
    for (op, text, negated) in texts {
        let compare = |n: &mut Nodes| {
            let [a, b] = n.vs(["a", "b"]);
            n.0.compare(op, a, b)
        };
        check_pred(text, compare);
        check_pred(negated, |n| {
            let pred = compare(n);
            n.pred(Pred::Not(pred))
        });
    }
    check_pred("a > 0", |n| {
        let (zero, a) = (n.0.int(0), n.v("a"));
        n.0.compare(Less, zero, a)
    });
    check_pred("f : s --> t", |n| {
        let [f, s, t] = n.vs(["f", "s", "t"]);
        let functions = n.bin(BinaryOp::Arrow(Arrow::TOTAL), s, t);
        n.0.compare(Member, f, functions)
    });
}

#[test]
fn locals_that_would_be_mistaken_get_numbers() {
    // Shadowing alone is harmless.
    let nested = |n: &mut Nodes, uses_outer: bool| {
        let (outer, inner) = (n.0.local("x", INTEGER), n.0.local("x", INTEGER));
        let (get_outer, get_inner, s) = (n.0.get(outer), n.0.get(inner), n.v("s"));
        let body = n.eq(get_inner, if uses_outer { get_outer } else { s });
        let body = n.pred(Pred::Exists { binder: vec![inner], body });
        let first = n.eq(get_outer, s);
        let body = n.pred(Pred::And(vec![first, body]));
        n.pred(Pred::Exists { binder: vec![outer], body })
    };
    check_pred("#x.(x = s & #x.(x = s))", |n| nested(n, false));
    check_pred("#x.(x = s & #x_1.(x_1 = x))", |n| nested(n, true));
    // The name of a global, where the first numbered name is taken.
    check_pred("#x_2.(x_2 = x) & x_1 = x", |n| {
        let (local, global, taken) = (n.0.local("x", INTEGER), n.v("x"), n.v("x_1"));
        let get = n.0.get(local);
        let body = n.eq(get, global);
        let exists = n.pred(Pred::Exists { binder: vec![local], body });
        let other = n.eq(taken, global);
        n.pred(Pred::And(vec![exists, other]))
    });
    // Free locals.
    check_pred("x = x_1 & #x_2.(x_2 = x)", |n| {
        let [first, second, bound] = [(); 3].map(|()| n.0.local("x", INTEGER));
        let (first, second, get) = (n.0.get(first), n.0.get(second), n.0.get(bound));
        let different = n.eq(first, second);
        let body = n.eq(get, first);
        let exists = n.pred(Pred::Exists { binder: vec![bound], body });
        n.pred(Pred::And(vec![different, exists]))
    });
    check_pred("x_1 = x", |n| {
        let (local, global) = (n.0.local("x", INTEGER), n.v("x"));
        let get = n.0.get(local);
        n.eq(get, global)
    });
}

#[test]
fn lets() {
    let build = |n: &mut Nodes, second_uses_first: bool| {
        let (x, y) = (n.0.local("x", INTEGER), n.0.local("y", INTEGER));
        let (one, get_x, get_y) = (n.0.int(1), n.0.get(x), n.0.get(y));
        let second = if second_uses_first { get_x } else { one };
        let bindings = vec![Binding { local: x, value: one }, Binding { local: y, value: second }];
        let body = n.bin(BinaryOp::Add, get_x, get_y);
        n.x(Expr::Let { bindings, body })
    };
    check_expr("LET x, y BE x = 1 & y = 1 IN x + y END", |n| build(n, false));
    check_expr("LET x BE x = 1 IN LET y BE y = x IN x + y END END", |n| build(n, true));
    // The equation of a LET sees its local, the value does not.
    check_pred("LET x_1 BE x_1 = x + 1 IN x_1 = x END", |n| {
        let (x, local, one) = (n.v("x"), n.0.local("x", INTEGER), n.0.int(1));
        let (value, get) = (n.bin(BinaryOp::Add, x, one), n.0.get(local));
        let body = n.eq(get, x);
        n.pred(Pred::Let { bindings: vec![Binding { local, value }], body })
    });
}

fn record_type(b: &mut Builder) -> TypeId {
    b.model.types.intern(Type::Record(vec![("a".into(), INTEGER), ("b".into(), BOOL)]))
}

#[test]
fn records() {
    let with = |n: &mut Nodes, record: ExprId| {
        let (one, ty) = (n.0.int(1), record_type(&mut n.0));
        n.0.expr(Expr::WithField(record, 0, one), ty)
    };
    let lamp = |n: &mut Nodes| {
        let ty = record_type(&mut n.0);
        let variable = n.0.variable("lamp", ty);
        n.0.get(variable)
    };
    check_expr("rec(a: 1, b: lamp'b)", |n| {
        let record = lamp(n);
        with(n, record)
    });
    check_expr("LET r_1 BE r_1 = f(r) IN rec(a: 1, b: r_1'b) END", |n| {
        let [f, r] = n.vs(["f", "r"]);
        let ty = record_type(&mut n.0);
        let applied = n.0.binary(BinaryOp::Apply, f, r, ty);
        with(n, applied)
    });
    check_expr("struct(a: s, b: BOOL)", |n| {
        let (s, flags) = (n.v("s"), n.x(Expr::BaseSet(BaseSet::Bool)));
        let ty = record_type(&mut n.0);
        let ty = n.0.pow(ty);
        n.0.expr(Expr::StructSet(vec![s, flags]), ty)
    });
    check_expr("lamp'b", |n| {
        let record = lamp(n);
        n.x(Expr::Field(record, 1))
    });
    check_subst("lamp'a := 1", |n| {
        let record = lamp(n);
        let Expr::Variable(variable) = *n.0.model.expr(record) else { panic!() };
        let value = with(n, record);
        n.0.assign(variable, value)
    });
}

#[test]
fn large_nodes_are_no_problem() {
    let mut n = Nodes::new();
    let a = n.v("a");
    let deep = (0..100_000).fold(a, |inner, _| n.bin(BinaryOp::Add, inner, a));
    assert_eq!(expr_text(&n.0.model, deep).len(), 1 + 100_000 * 4);
    let right = (0..100_000).fold(a, |inner, _| n.bin(BinaryOp::Add, a, inner));
    assert_eq!(expr_text(&n.0.model, right).len(), 1 + 100_000 * 6 - 2);
    let wide = n.x(Expr::SetExtension(vec![a; 1_000_000]));
    assert_eq!(expr_text(&n.0.model, wide).len(), 3 * 1_000_000);
    // Every quantifier lies between a use and the local that is used.
    let (first, truth) = (n.0.local("x", INTEGER), n.pred(Pred::True));
    let body = (0..50_000).fold(truth, |body, _| {
        let (local, outer) = (n.0.local("x", INTEGER), n.0.get(first));
        let get = n.0.get(local);
        let own = n.eq(get, outer);
        let body = n.pred(Pred::And(vec![own, body]));
        n.pred(Pred::Exists { binder: vec![local], body })
    });
    let body = n.pred(Pred::Forall { binder: vec![first], body });
    assert!(pred_text(&n.0.model, body).starts_with("!x.(#x_1.(x_1 = x & #x_2.(x_2 = x & "));
    let skip = n.0.subst(Subst::Skip);
    let nested = (0..50_000).fold(skip, |body, _| n.0.subst(Subst::Choice(vec![body])));
    assert_eq!(subst_text(&n.0.model, nested).len(), 4 + 50_000 * "CHOICE  END".len());
}
