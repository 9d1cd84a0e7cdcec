//! Solutions found by circuits are those of the plain search: every operator on all values over small carriers.

mod common;

use common::same_by_circuit;

/// All values of the unknowns that satisfy the predicate.
fn solutions(unknowns: &str, pred: &str) {
    same_by_circuit(&format!("{{{unknowns} | {pred}}}"));
}

#[test]
fn set_operators() {
    let typing = "x <: S & y <: S & z <: S";
    for op in ["\\/", "/\\", "-"] {
        solutions("x,y,z", &format!("{typing} & z = x {op} y"));
        solutions("x,y,z", &format!("{typing} & z /= x {op} y & a : z"));
    }
    for relation in ["<:", "<<:", "/<:", "/<<:", "=", "/="] {
        solutions("x,y", &format!("x <: S & y <: S & x {relation} y"));
    }
    solutions("x,y", "x <: S & y <: S * S & x * x = y");
    solutions("x,n", "x <: S & n : 0..3 & card(x) = n");
    solutions("x,n", "x <: 1..4 & n : 0..5 & max(x) = n");
    solutions("x,n", "x <: 1..4 & n : 0..5 & min(x) = n");
    solutions("x,y", "x <: POW(D) & y <: D & union(x) = y");
    solutions("x,y", "x <: POW(D) & y <: D & inter(x) = y");
    solutions("x,e,f", "x <: S & e : S & f : S & x = {e, f}");
    solutions("x,y,z", "x <: S & y <: S & z <: S & S = x \\/ y \\/ z & x /\\ y = {} & card(z) = 1");
    solutions("x,y", "x : {{a}, {b}, {a, b}, {a, c}} & y : {{a}, {a, b, c}} - {x}");
    solutions("x,y", "x : POW1(S) & y : FIN(S) & x /\\ y = {}");
}

#[test]
fn relations() {
    let typing = "r : D <-> D & q : D <-> D";
    for op in ["\\/", "/\\", "-", "<+", ";"] {
        solutions("r,q,t", &format!("{typing} & t : D <-> D & t = (r {op} q)"));
    }
    for op in
        ["dom(r) = s", "ran(r) = s", "r[s] = s", "dom(s <| r) = s", "ran(r |> s) = s", "s <<| r = {}", "r |>> s = r"]
    {
        solutions("r,s", &format!("r : D <-> D & s <: D & {op}"));
    }
    solutions("r,q", &format!("{typing} & r~ = q"));
    solutions("r,q", &format!("{typing} & closure1(r) = q"));
    solutions("r,q", &format!("{typing} & closure(r) = q"));
    solutions("r,s", "r : S <-> S & s <: S & id(s) = r");
    solutions("r,s", "r : -1..1 <-> D & s <: D & r[NATURAL] = s & r[{n | n < 0}] <: s");
    for arrow in ["+->", "-->", ">+>", ">->", "+->>", "-->>", ">+>>", ">->>", "<<->", "<->>", "<<->>"] {
        solutions("f,x", &format!("f : S <-> D & x : BOOL & (f : S {arrow} D <=> x = TRUE)"));
        solutions("f,s", &format!("s <: S & f : s {arrow} D"));
        solutions("f,s", &format!("s <: D & f : S {arrow} s"));
    }
}

#[test]
fn functions() {
    solutions("f,x,y", "f : S --> D & x : S & y : D & f(x) = y");
    // Ill-defined where `x` is outside the domain or has two values.
    solutions("f,x,y", "f : S +-> D & x : S & y : D & f(x) = y");
    solutions("f,x,y", "f : D <-> D & x : D & y : D & f(x) = y");
    solutions("f,x,y", "f : D <-> D & x : D & y : D & not(f(x) = y)");
    solutions("f,x", "f : D <-> D & x : D & (x : dom(f) => f(x) = x)");
    solutions("f,x", "f : D <-> D & x : D & (f(x) = x or x /: dom(f))");
    solutions("f", "f : D --> (D --> D) & !x.(x : D => f(x)(x) = x)");
    solutions("f,g", "f : D --> D & g : D --> POW(D) & !x.(x : D => f(x) : g(x))");
    solutions("f", "f : (D * D) --> BOOL & !(x,y).(x : D & y : D => f(x|->y) = f(y|->x))");
    solutions("f,n", "f : D --> 0..3 & n : 0..6 & SIGMA(x).(x : D | f(x)) = n");
    solutions("f,n", "f : D --> 1..3 & n : 0..9 & PI(x).(x : D | f(x)) = n");
    solutions("f,s", "f : D --> 0..2 & s <: 0..2 & {x | x : s & #y.(y : D & f(y) = x)} = s & s /= {}");
    solutions("f,g", "f : D --> 0..2 & g : D +-> 0..3 & g = %x.(x : D & f(x) > 0 | f(x) + 1)");
    solutions("f,s", "f : D --> POW(D) & s <: D & UNION(x).(x : D | f(x)) = s");
    solutions("f,s", "f : D --> 0..2 & s <: 0..4 & {x · x : D | 2 * f(x)} = s");
    solutions("f,x", "f : D --> D & x : D & (f <+ {x |-> x})(x) = x & f(x) /= x");
}

#[test]
fn functions_to_sets() {
    let typing = "f : {a, b} --> POW({a, b}) & x <: {a, c} & d : {a, b}";
    for new in ["{d |-> x}", "{d |-> (f(d) \\/ x)}", "{a |-> x, b |-> f(d)}", "{a |-> f(d), b |-> (f(a) - x)}"] {
        solutions("f,x,d,n", &format!("{typing} & n : 0..3 & n = card((f <+ {new})(a))"));
        solutions("f,x,d", &format!("{typing} & f <+ {new} = f"));
        solutions("f,x,d", &format!("{typing} & d /: dom(f - {new})"));
        solutions("f,x,d", &format!("{typing} & {{a |-> x}} <: f <+ {new}"));
    }
}

#[test]
fn numbers() {
    let typing = "x : -3..4 & y : -3..4 & z : -20..20";
    for op in ["+", "-", "*", "/", "mod"] {
        solutions("x,y,z", &format!("{typing} & z = x {op} y"));
        solutions("x,y", &format!("x : -3..4 & y : -3..4 & not(x {op} y < 2)"));
    }
    solutions("x,y,z", "x : 0..3 & y : 0..3 & z : 0..30 & x ** y = z");
    solutions("x,z", "x : -3..4 & z : -5..5 & -x = z");
    for relation in ["<", "<=", ">", ">=", "=", "/="] {
        solutions("x,y", &format!("x : -3..4 & y : -3..4 & x {relation} y + 1"));
    }
    solutions("x,y", "x : 0..9 & y : 0..9 & x : y..8 & y /: 2..x");
    solutions("x,y", "x : 0..4 & y <: 0..4 & y = 1..x");
    // Wide ranges are encoded in binary.
    solutions("x,y", "x : 1000..1400 & y : -700..700 & x + 2 * y = 17 & x * 3 - y > 4040 & y < -500");
    solutions("x,y", "x : 0..2000 & y : 0..2000 & x * y = 1999 & x < y");
    solutions("x,y", "x : -300..300 & y : -300..300 & x * y = -22 & x - y <= -5");
    solutions("s,n", "s : 1..3 --> 0..300 & n : 1..3 & SIGMA(i).(i : 1..3 | s(i) * (10 + i)) = 71 & s(n) = 0");
    let chosen = "f(0) = 3 & !i.(i : 1..4 => g(i) < i & f(i) = f(i - 1) * f(g(i)) - f(g(i)))";
    solutions("f,g", &format!("f : 0..4 --> -1000..1000 & g : 1..4 --> 0..3 & {chosen} & f(4) > 0"));
}

#[test]
fn predicates() {
    let typing = "x : BOOL & y : BOOL & z : BOOL";
    for pred in [
        "(x = TRUE & y = TRUE) or z = TRUE",
        "x = TRUE => (y = TRUE => z = TRUE)",
        "x = TRUE <=> not(y = TRUE or z = TRUE)",
        "bool(x = y) = z",
        "IF x = TRUE THEN y ELSE z END = TRUE",
        "#u.(u : BOOL & u /= x & (u = y or u = z))",
        "!u.(u : {x, y} => u = z)",
        "LET k BE k = x IN k = y & k = z END",
    ] {
        solutions("x,y,z", &format!("{typing} & ({pred})"));
        solutions("x,y,z", &format!("{typing} & not({pred})"));
    }
    solutions("f,g", "f : D --> 0..2 & g : D --> 0..2 & !(x,v).(x : D & v = f(x) + 1 => g(x) < v)");
    solutions("f", "f : S --> (S --> D) & !x.(x : S => !h.(h : {f(x)} => h(x) = h(a)))");
    solutions("r,e", "r : struct(p: D, q: 0..2) & e : 0..2 & r'q = e & r /= rec(p: r'p, q: 0)");
    solutions("x,y", "x : S * D & y : D * S & prj1(S, D)(x) = prj2(D, S)(y)");
}

#[test]
fn sequences() {
    solutions("s", "s : perm(S) & s(1) /= a");
    solutions("s", "s : iseq(S) & size(s) > 1 & first(s) = b & last(s) /= a");
    solutions("s,n", "s : seq(D) & size(s) <= 3 & n : 0..3 & size(s) = n & (n > 0 => first(s) = last(s))");
    solutions("f,x", "f : 1..3 +-> D & x : BOOL & (f : seq(D) <=> x = TRUE)");
    solutions("f,x", "f : 1..3 +-> D & x : BOOL & (f : iseq1(D) <=> x = TRUE)");
    solutions("x,y,s", "x : D & y : D & s : 1..2 --> D & s = [x, y]");
}
