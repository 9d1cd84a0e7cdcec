//! Every operator on all values over carriers of at most three elements: the compiled form gives what the plain interpreter gives.
//!
//! Arguments are searched for by an operation, which keeps them with the result in a variable. With ProB's conventions an argument for
//! which the operator is not well-defined has no step, so that definedness is compared too. The compiled form must not hand over to the
//! plain interpreter.

use std::collections::BTreeSet;

use abridge_check::Config;
use abridge_explicit::{Explicit, judge};
use abridge_model::Model;
use abridge_system::{Machine as _, Steps, System as _, Worker as _};
use abridge_testkit::Project;

fn model(domains: &str, names: &str, expr: &str) -> Model {
    let text = format!(
        "MACHINE M
        SETS S = {{a, b, c}}; D = {{d, e}}; ONE = {{o}}
        FREETYPES L = nil, cons(BOOL * L)
        VARIABLES v INVARIANT card(v) <= 1
        INITIALISATION v := {{}}
        OPERATIONS op = PRE v = {{}} THEN ANY {names}, result WHERE {domains} & result = ({expr}) THEN
          v := {{(({names}), result)}} END END
        END"
    );
    Project::model_of(&text)
}

/// What the operation makes of the initial state, as text.
fn outcomes(model: &Model, is_compiled: bool) -> BTreeSet<String> {
    let mut config = Config::default().prob();
    config.system.compiled = is_compiled;
    config.system.profile = true;
    let system = Explicit::new(judge(model, config.eval.clone()), config.system.clone());
    let mut worker = system.worker();
    let mut steps = Steps::new(system.width());
    assert!(worker.initial(&mut steps).is_whole());
    let first = steps.iter().next().expect("one initial state").target.to_vec();
    steps.clear();
    assert!(worker.successors(&first, &mut steps).is_whole());
    let texts = steps.iter().map(|step| format!("{:?}", system.values(step.target)));
    let texts = texts.collect();
    drop(worker);
    let n_plain: u64 = system.profile().rows.iter().map(|(_, cost)| cost.plain).sum();
    assert!(!is_compiled || n_plain == 0, "the plain interpreter had to help");
    texts
}

/// The values of `expr` for all values of the names in their domains; `least` of them are well-defined.
#[track_caller]
fn same(domains: &str, expr: &str, least: usize) {
    let names: Vec<&str> =
        domains.split(" & ").filter_map(|part| part.split([':', '<']).next()).map(str::trim).collect();
    let model = model(domains, &names.join(", "), expr);
    let compiled = outcomes(&model, true);
    assert_eq!(compiled, outcomes(&model, false), "{expr} for {domains}");
    assert!(compiled.len() >= least, "{} values of {expr} for {domains}", compiled.len());
}

const SETS: &str = "x <: S & y <: S";
const RELATIONS: &str = "x : S <-> D & y : S <-> D";
const INTEGERS: &str = "x : -3..3 & y : -3..3";
const SEQUENCES: &str = "x : UNION(n).(n : 0..3 | (1..n) --> D) & y : UNION(n).(n : 0..2 | (1..n) --> D)";
const SEQUENCE: &str = "x : UNION(n).(n : 0..3 | (1..n) --> S)";

#[test]
fn numbers() {
    for op in ["+", "-", "*", ".."] {
        same(INTEGERS, &format!("x {op} y"), 49);
    }
    same(INTEGERS, "x / y", 42);
    same(INTEGERS, "x mod y", 12);
    same(INTEGERS, "x ** y", 28);
    same("x : -3..3", "-x", 7);
    same("x <: -1..2", "max(x)", 15);
    same("x <: -1..2", "min(x)", 15);
    for op in ["<", "<=", ">", ">=", "=", "/="] {
        same(INTEGERS, &format!("bool(x {op} y)"), 49);
    }
    for set in ["NATURAL", "NATURAL1", "INTEGER", "INT", "NAT", "0..y", "{0, y}"] {
        same(INTEGERS, &format!("bool(x : {set})"), 49);
    }
}

#[test]
fn sets() {
    for op in ["\\/", "/\\", "-", "*"] {
        same(SETS, &format!("x {op} y"), 64);
        same("x <: -1..1 & y <: 0..2", &format!("x {op} y"), 64);
        same("x <: BOOL & y <: BOOL", &format!("x {op} y"), 16);
        same("x <: POW(D) & y <: POW(D)", &format!("x {op} y"), 256);
    }
    for op in ["<:", "<<:", "/<:", "/<<:", "=", "/="] {
        same(SETS, &format!("bool(x {op} y)"), 64);
        same("x <: POW(D) & y <: POW(D)", &format!("bool(x {op} y)"), 256);
    }
    same("x : S & y <: S", "bool(x : y)", 24);
    same("x : S & y <: S", "bool(x /: y)", 24);
    same("x <: S & y <: POW(S) & z : BOOL", "bool(x : y or z = TRUE)", 4096);
    for op in ["card", "POW", "POW1", "FIN", "FIN1", "id"] {
        same("x <: S", &format!("{op}(x)"), 8);
    }
    same("x <: POW(D)", "union(x)", 16);
    same("x <: POW(D)", "inter(x)", 15);
    same("x : S & y : S", "{x, y}", 9);
    same("x : S & y : D", "x |-> y", 6);
    same("x : S * D", "prj1(S, D)(x)", 6);
    same("x : S * D", "prj2(S, D)(x)", 6);
    same("x : ONE & y <: ONE", "{x} - y", 2);
}

#[test]
fn relations() {
    for op in ["\\/", "/\\", "-", "<+", "><", "||"] {
        same(RELATIONS, &format!("(x {op} y)"), 4096);
    }
    same("x : S <-> D & y : D <-> S", "(x ; y)", 4096);
    same("x : D <-> D & y : D <-> D", "(x ; y)", 256);
    for op in ["dom", "ran", "fnc"] {
        same("x : S <-> D", &format!("{op}(x)"), 64);
    }
    same("x : S <-> D", "x~", 64);
    same("x : S <-> S", "closure1(x)", 512);
    same("x : D <-> D", "closure(x)", 16);
    same("x : D +-> POW(D)", "rel(x)", 25);
    same("x : D <-> D & y : 0..3", "iterate(x, y)", 64);
    same("x : S <-> D & y <: S", "x[y]", 512);
    same("x : S <-> D & y <: D", "x~[y]", 256);
    same("x : S <-> D & y <: S", "y <| x", 512);
    same("x : S <-> D & y <: S", "y <<| x", 512);
    same("x : S <-> D & y <: D", "x |> y", 256);
    same("x : S <-> D & y <: D", "x |>> y", 256);
    // Relations of numbers and of pairs are laid out in other ways.
    same("x : 0..2 <-> D & y <: 0..2", "x[y] \\/ ran(y <<| x)", 512);
    same("x : (D * D) <-> BOOL & y : D & z : D", "x[{y |-> z}]", 1024);
}

#[test]
fn functions() {
    same("x : S <-> D & y : S", "x(y)", 96);
    same("x : D <-> S & y : S", "x~(y)", 48);
    same("x : 0..2 +-> D & y : 0..2", "x(y)", 54);
    same("x : (D * D) +-> BOOL & y : D & z : D", "x(y, z)", 216);
    same("x : D --> (D --> D) & y : D & z : D", "x(y)(z)", 64);
    same("x : S --> D & y : S & z : D", "x <+ {y |-> z}", 48);
    for arrow in ["<->", "+->", "-->", ">+>", ">->", "+->>", "-->>", ">+>>", ">->>", "<<->", "<->>", "<<->>"] {
        same("x : S <-> D", &format!("bool(x : S {arrow} D)"), 64);
        same("x : S <-> D & y <: S", &format!("bool(x : y {arrow} D)"), 512);
        same("x : D <-> S & y <: S", &format!("bool(x : D {arrow} y)"), 512);
        same("x <: D & y <: D", &format!("x {arrow} y"), 16);
    }
    same("x : S --> D", "%s.(s : S | x(s) |-> s)", 8);
    same("x : S --> D & y : S", "(%s.(s : S & s /= y | x(s)))~[{d}]", 24);
}

#[test]
fn sequences() {
    for op in ["size", "rev"] {
        same(SEQUENCE, &format!("{op}(x)"), 40);
    }
    for op in ["first", "last", "front", "tail"] {
        same(SEQUENCE, &format!("{op}(x)"), 39);
    }
    same(SEQUENCES, "x ^ y", 105);
    same("x : UNION(n).(n : 0..2 | (1..n) --> D) & y : D", "x <- y", 14);
    same("x : UNION(n).(n : 0..2 | (1..n) --> D) & y : D", "y -> x", 14);
    same("x : UNION(n).(n : 0..3 | (1..n) --> D) & y : -1..4", "x /|\\ y", 26);
    same("x : UNION(n).(n : 0..3 | (1..n) --> D) & y : -1..4", "x \\|/ y", 26);
    same("x : UNION(n).(n : 0..2 | (1..n) --> UNION(m).(m : 0..1 | (1..m) --> D))", "conc(x)", 13);
    same("x : D & y : D", "[x, y, x]", 4);
    for set in ["seq", "seq1", "iseq", "iseq1", "perm"] {
        same("x : 0..3 <-> D", &format!("bool(x : {set}(D))"), 256);
    }
    for set in ["iseq", "iseq1", "perm"] {
        same("x <: D", &format!("{set}(x)"), 4);
    }
}

#[test]
fn booleans_and_quantifiers() {
    let both = "x : BOOL & y : BOOL";
    for op in ["&", "or", "=>", "<=>"] {
        same(both, &format!("bool(x = TRUE {op} y = TRUE)"), 4);
        // The right side is not well-defined where `x` is empty.
        same("x <: 0..2 & y : 0..2", &format!("bool(x /= {{}} {op} min(x) <= y)"), 21);
    }
    same(both, "bool(not(x = y))", 4);
    same("x : S <-> D", "bool(!s.(s : dom(x) => x[{s}] = D))", 64);
    same("x : S <-> D", "bool(#s.(s : dom(x) & x[{s}] = D))", 64);
    same("x : S <-> S", "bool(!(s, t).(s |-> t : x => t |-> s : x))", 512);
    same("x : S --> -1..1", "SIGMA(s).(s : S | x(s))", 27);
    same("x : S --> -1..2", "PI(s).(s : S | x(s))", 64);
    same("x : D --> POW(D)", "UNION(s).(s : D | x(s))", 16);
    same("x : D --> POW(D)", "INTER(s).(s : D | x(s))", 16);
    same("x : S <-> D", "{s, t | s : S & t : S & x[{s}] = x[{t}]}", 64);
    same("x : -2..2 & y : -2..2", "IF x < y THEN x ELSE y - x END", 25);
    // The value that is not chosen need not be well-defined.
    same("x : 0..2 & y : BOOL", "{TRUE |-> 1, FALSE |-> 6 / x}(y)", 5);
    same("x : 0..2 & y : S", "{a |-> 2 * x, b |-> 6 / x}(y)", 5);
    same("x : -2..2 & y : -2..2", "LET z BE z = x * y IN z - x END", 25);
    same("x : -2..2 & y : -2..2", "{n | (n = x + 1 & n /= y) or n = y - x or (n = x & y : 0..1)}", 25);
    same("x : S <-> D", "{s | s : S & x[{s}] /\\ x[S - {s}] = {}}", 64);
}

#[test]
fn records_freetypes_and_strings() {
    same("x : struct(p : BOOL, q : D)", "x'q |-> x'p", 4);
    same("x : BOOL & y : D", "rec(p : x, q : y)", 4);
    same("x : struct(p : BOOL, q : D) & y : struct(p : BOOL, q : D)", "bool(x = y)", 16);
    same("x : BOOL & y : BOOL", "cons(x |-> cons(y |-> nil))", 4);
    same("x : {nil, cons(TRUE |-> nil), cons(FALSE |-> cons(TRUE |-> nil))}", "bool(x = nil)", 3);
    same("x : {nil, cons(TRUE |-> nil), cons(FALSE |-> cons(TRUE |-> nil))}", "cons~(x)", 2);
    same("x : {\"\", \"a\", \"ab\"} & y : {\"\", \"a\", \"ab\"}", "bool(x = y)", 9);
    same("x : {0.5, 1.0, -2.0} & y : {0.5, 1.0, -2.0}", "x + y", 9);
    same("x : {0.5, 1.0, -2.0} & y : {0.5, 1.0, -2.0}", "bool(x < y)", 9);
}
