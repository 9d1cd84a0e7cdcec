//! The solver finds exactly the solutions that exhaustive enumeration finds.
//!
//! Each predicate is solved with its variables unknown, and evaluated for every candidate with the variables known.

mod common;

use common::{check_in, holds};
use proptest::prelude::*;

/// Integer terms over `x` and `y`.
fn term() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![Just("x".to_string()), Just("y".to_string()), (-2_i64..4).prop_map(|n| format!("({n})")),];
    leaf.prop_recursive(3, 8, 2, |inner| {
        let op = prop_oneof![Just("+"), Just("-"), Just("*"), Just("/"), Just("mod")];
        (inner.clone(), op, inner).prop_map(|(left, op, right)| format!("({left} {op} {right})"))
    })
}

fn atom() -> impl Strategy<Value = String> {
    let comparison = prop_oneof![Just("="), Just("/="), Just("<"), Just("<="), Just(">"), Just(">=")];
    let compare = (term(), comparison, term()).prop_map(|(left, op, right)| format!("{left} {op} {right}"));
    let member = (term(), -2_i64..4, 0_i64..4).prop_map(|(term, lo, len)| format!("{term} : {lo}..{}", lo + len));
    let apply = (term(), term()).prop_map(|(arg, value)| format!("{{0 |-> 1, 1 |-> 3, 2 |-> 0}}({arg}) = {value}"));
    let pair = (term(), term()).prop_map(|(left, right)| format!("{left} |-> {right} : {{1 |-> 2, 2 |-> 2, 0 |-> 3}}"));
    let exists = term().prop_map(|term| format!("#z.(z : 0..2 & z + {term} = 2)"));
    let forall = (term(), term()).prop_map(|(left, right)| format!("!z.(z : 0..2 & z < {left} => z <= {right})"));
    prop_oneof![4 => compare, 2 => member, 1 => apply, 1 => pair, 1 => exists, 1 => forall]
}

fn pred() -> impl Strategy<Value = String> {
    connected(atom(), 10)
}

/// Predicates on a function `f : 0..2 +-> 0..2` and a set `s <: 0..3`.
fn function_pred() -> impl Strategy<Value = String> {
    let key = prop_oneof![Just("0"), Just("1"), Just("2"), Just("card(s)"), Just("f(0)"), Just("f(1)")];
    let size = prop_oneof![Just("="), Just("<="), Just("<"), Just(">"), Just(">=")];
    let atoms = prop_oneof![
        (key.clone(), key.clone()).prop_map(|(left, right)| format!("f({left}) = {right}")),
        (key.clone(), key.clone()).prop_map(|(left, right)| format!("f({left}) /= f({right})")),
        key.clone().prop_map(|key| format!("{key} : dom(f)")),
        key.clone().prop_map(|key| format!("{key} /: ran(f)")),
        key.clone().prop_map(|key| format!("{key} : s")),
        (size, 0..4).prop_map(|(op, n)| format!("card(s) {op} {n}")),
        (0..4, 0..5).prop_map(|(n, most)| format!("{n} /: s & {most} > card(s)")),
        Just("f : 0..2 --> 0..2".to_string()),
        Just("f : 0..2 >+> 0..2".to_string()),
        Just("!(i, j).(i : dom(f) & j : dom(f) & i < j => f(i) <= f(j))".to_string()),
        Just("dom(f) <: s".to_string()),
        Just("f[s] = s".to_string()),
        Just("(f ; f) = f".to_string()),
        Just("f~ = f".to_string()),
        Just("card(f) = card(s)".to_string()),
        Just("SIGMA(i).(i : s | i) = 3".to_string()),
        Just("s /= {}".to_string()),
        Just("0 |-> 1 : f \\/ s * {1}".to_string()),
    ];
    connected(atoms, 6)
}

/// Combinations of atoms by connectives, about `size` nodes.
fn connected(atoms: impl Strategy<Value = String> + 'static, size: u32) -> impl Strategy<Value = String> {
    atoms.prop_recursive(3, size, 2, |inner| {
        prop_oneof![
            3 => (inner.clone(), inner.clone()).prop_map(|(left, right)| format!("({left} & {right})")),
            1 => (inner.clone(), inner.clone()).prop_map(|(left, right)| format!("({left} or {right})")),
            1 => (inner.clone(), inner.clone()).prop_map(|(left, right)| format!("({left} => {right})")),
            1 => (inner.clone(), inner.clone()).prop_map(|(left, right)| format!("(({left}) <=> ({right}))")),
            1 => inner.prop_map(|inner| format!("not({inner})")),
        ]
    })
}

/// A sequence built around `x`, at most three items shorter than it.
fn sequence() -> impl Strategy<Value = String> {
    let other = prop_oneof![Just("y"), Just("[]"), Just("[0]"), Just("[n, 1]"), Just("rev(y)")];
    let around = prop_oneof![
        other.clone().prop_map(|other| format!("({other} ^ _)")),
        other.clone().prop_map(|other| format!("(_ ^ {other})")),
        (other.clone(), other).prop_map(|(left, right)| format!("conc([{left}, _, {right}])")),
        Just("(n -> _)".to_string()),
        Just("(_ <- 0)".to_string()),
        Just("rev(_)".to_string()),
        Just("front(_)".to_string()),
        Just("tail(_)".to_string()),
    ];
    let nest = |layers: Vec<String>| layers.iter().fold("x".to_string(), |inner, layer| layer.replace('_', &inner));
    prop::collection::vec(around, 1..4).prop_map(nest)
}

fn sequence_pred() -> impl Strategy<Value = String> {
    let items = prop::collection::vec(prop_oneof![Just("0"), Just("1")], 0..4);
    let equation = (sequence(), items).prop_map(|(built, items)| format!("{built} = [{}]", items.join(", ")));
    let other = prop_oneof![
        Just("first(x) = 1".to_string()),
        Just("last(x) > 0".to_string()),
        Just("last(x) <= n".to_string()),
        Just("size(x) = 2".to_string()),
        Just("x /= y".to_string()),
        Just("0 = 0".to_string()),
    ];
    (equation, other).prop_map(|(equation, other)| format!("{equation} & {other}"))
}

/// Predicates that relate points of a function `f : 0..2 --> 0..12` in pairs.
fn related_points() -> impl Strategy<Value = String> {
    let key = prop_oneof![Just("x"), Just("y")];
    let relation = prop_oneof![Just("="), Just("/="), Just("<="), Just("<")];
    let pairs = "{p, q | p : 0..12 & q : 0..12 & (p + 2 * q) mod 3 /= 1}";
    let edges = "{0 |-> 1, 1 |-> 0, 1 |-> 2, 2 |-> 0}";
    let atoms = prop_oneof![
        (key.clone(), relation, key.clone()).prop_map(|(left, op, right)| format!("f({left}) {op} f({right})")),
        (key.clone(), key.clone()).prop_map(move |(left, right)| format!("f({left}) |-> f({right}) : {pairs}")),
        (key.clone(), key.clone()).prop_map(|(left, right)| format!("6 / f({left}) /= f({right}) - x")),
        key.clone().prop_map(|key| format!("f({key}) : {{x, y, 5}}")),
        Just(format!("x |-> y : {edges}")),
        Just("x < y".to_string()),
    ];
    connected(atoms, 4).prop_map(|body| format!("!(x, y).(x : 0..2 & y : 0..2 => {body})"))
}

/// A quantifier with ill-defined instances behaves like the conjunction of its instances.
#[test]
fn ill_defined_instances() {
    let pred = "!(x, y).(x : 0..3 & y : 0..3 => (not(6 / f(3) /= f(y) - x) => 6 / f(0) /= f(y) - x))";
    holds(&format!(
        "LET F BE F = (0..3 --> 0..6) IN {{f | f : 0..3 --> 0..6 & {pred}}} = {{f | f : F & f : {{f | {pred}}}}} END"
    ));
}

/// Two graphs with the same numbers of common neighbours everywhere: the edges of a complete graph that meet, and the same with
/// neighbours exchanged around a perfect matching.
#[test]
fn graphs_that_are_not_isomorphic() {
    let nodes = "{s | s <: 0..7 & card(s) = 2}";
    let triangular = "{s, t | s : N & t : N & card(s /\\ t) = 1}";
    let matching = "{{0, 1}, {2, 3}, {4, 5}, {6, 7}}";
    let switched = "{s, t | s : N & t : N & s /= t & (card(s /\\ t) = 1 <=> (s : M <=> t : M))}";
    check_in(
        2_000_000,
        &format!(
            "LET N, M BE N = {nodes} & M = {matching} IN LET g, h BE g = {triangular} & h = {switched} IN
               bool(#f.(f : N >-> N & !(x, y).(x : N & y : N => (x |-> y : g <=> f(x) |-> f(y) : h)))) END END"
        ),
        "FALSE",
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, ..ProptestConfig::default() })]

    #[test]
    fn forall_integer_predicates_solutions_are_exact(pred in pred()) {
        holds(&format!(
            "{{x, y | x : -1..3 & y : -1..3 & {pred}}} = {{p | p : (-1..3) * (-1..3) & p : {{x, y | {pred}}}}}"
        ));
    }

    #[test]
    fn forall_function_predicates_solutions_are_exact(pred in function_pred()) {
        holds(&format!(
            "LET F, S BE F = (0..2 +-> 0..2) & S = POW(0..3) IN
               {{f, s | f : 0..2 +-> 0..2 & s <: 0..3 & {pred}}} = {{p | p : F * S & p : {{f, s | {pred}}}}} END"
        ));
    }

    #[test]
    fn forall_larger_functions_points_are_exact(pred in function_pred()) {
        let pred = pred.replace("0..2", "0..3");
        holds(&format!(
            "LET F BE F = (0..3 +-> 0..3) IN
               {{f | f : 0..3 +-> 0..3 & #s.(s = {{0, 2}} & {pred})}} = {{f | f : F & f : {{f | #s.(s = {{0, 2}} & {pred})}}}} END"
        ));
    }

    /// Nothing bounds `x` but the equation.
    #[test]
    fn forall_equations_of_sequences_solutions_are_exact(pred in sequence_pred()) {
        holds(&format!(
            "LET X, Y BE X = UNION(k).(k : 0..6 | 1..k --> 0..1) & Y = {{[], [0], [1], [1, 0]}} IN
               {{x, y, n | x : seq(0..1) & y : Y & n : 0..1 & {pred}}} = {{p | p : X * Y * (0..1) & p : {{x, y, n | {pred}}}}} END"
        ));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn forall_related_points_solutions_are_exact(pred in related_points(), arrow in prop_oneof![Just("-->"), Just(">->")]) {
        holds(&format!(
            "LET F BE F = (0..2 {arrow} 0..12) IN {{f | f : 0..2 {arrow} 0..12 & {pred}}} = {{f | f : F & f : {{f | {pred}}}}} END"
        ));
    }
}
