//! Every operator as a predicate and as a new value: circuits agree with the plain interpreter in all states over small carriers, also where
//! something is ill-defined.

mod common;

use abridge_eval::EvalConfig;
use common::{Compared, compare, compare_with};

/// A machine with these variables, assertions and assignments.
fn machine(typing: &str, initial: &str, assertions: &[&str], assignments: &[&str]) -> String {
    let names: Vec<&str> =
        initial.split("||").map(|part| part.split([':', ' ']).find(|word| !word.is_empty()).unwrap()).collect();
    let operations: Vec<String> =
        assignments.iter().enumerate().map(|(idx, body)| format!("op{idx} = BEGIN {body} END")).collect();
    let operations = if operations.is_empty() { "none = skip".to_owned() } else { operations.join(";\n") };
    let assertions = if assertions.is_empty() { "TRUE = TRUE".to_owned() } else { assertions.join(";\n") };
    format!(
        "MACHINE M\nSETS S = {{a, b, c}}; D = {{d, e}}\nVARIABLES {}\nINVARIANT {typing}\nASSERTIONS {assertions}\n\
         INITIALISATION {initial}\nOPERATIONS {operations}\nEND",
        names.join(", ")
    )
}

/// Compares and demands that something was compared, and that nothing has a gap.
fn exact(typing: &str, initial: &str, assertions: &[&str], assignments: &[&str]) -> Compared {
    let compared = compare(&machine(typing, initial, assertions, assignments));
    assert_eq!(compared.gaps, 0, "{assertions:?} {assignments:?}");
    assert!(compared.states > 1 && compared.truths > assertions.len());
    assert!(assignments.is_empty() || compared.steps > assignments.len());
    compared
}

#[test]
fn sets() {
    let preds = [
        "x : s",
        "x /: s",
        "s <: t",
        "s <<: t",
        "s /<: t",
        "s = t",
        "s /= t",
        "s \\/ t = S",
        "s /\\ t = {}",
        "s - t = {x}",
        "card(s) = 2",
        "card(s) > card(t)",
        "{x} \\/ s = t",
        "s * t = {x |-> x}",
        "#y.(y : s & y : t)",
        "!y.(y : s => y : t)",
        "{y | y : s & y /= x} <: t",
        "s : POW(t)",
        "s : POW1(t)",
        "s : FIN1(S)",
        "bool(x : s) = TRUE",
        "IF x : s THEN s ELSE t END = s",
        "card({y | y : S & y : s}) = card(s)",
        "SIGMA(y).(y : s | 2) = 4",
        "UNION(y).(y : s | {y} \\/ t) = S",
        "x : s & x : t",
        "x : s or x : t",
        "x : s => x : t",
        "x : s <=> x : t",
        "not(x : s)",
        "(x : s & x : t) or not(x : s \\/ t)",
    ];
    let updates =
        ["s := s \\/ t", "s := s /\\ t", "s := s - {x}", "t := S - s", "s := {y | y : S & y : t}", "s, t := t, s"];
    exact("s <: S & t <: S & x : S", "s := {} || t := {a} || x := b", &preds, &updates);
}

#[test]
fn relations() {
    let preds = [
        "x : dom(r)",
        "dom(r) = ran(q)",
        "r~ = q",
        "(r ; q) = r",
        "r <+ q = q",
        "{x} <| r = r",
        "{x} <<| r = {}",
        "r |> {x} = r",
        "r |>> {x} = q",
        "r[{x}] = D",
        "closure1(r) = q",
        "closure(r) = q",
        "id(D) <: r",
        "r : D +-> D",
        "r : D --> D",
        "r : D >-> D",
        "r : D >+> D",
        "r : D -->> D",
        "r : D +->> D",
        "r : D >->> D",
        "r : D <-> {x}",
        "card(r) = 3",
    ];
    let updates = [
        "r := r \\/ q",
        "r := r~",
        "r := (r ; q)",
        "r := r <+ {x |-> x}",
        "q := {x} <| r",
        "q := r |>> {x}",
        "r := closure1(q)",
        "r := {x} * dom(q)",
    ];
    exact("r : D <-> D & q : D <-> D & x : D", "r := {} || q := {d |-> e} || x := d", &preds, &updates);
}

#[test]
fn functions_by_pairs() {
    let preds =
        ["f(x) = n", "x : dom(f) & f(x) = n", "n : ran(f)", "f[{x}] = {n}", "f <+ {x |-> n} = f", "card(f) = n"];
    let updates = ["f(x) := n", "f := {x} <<| f", "f := f |>> {n}", "n := f(x)", "f := f <+ {x |-> f(x)}"];
    let compared =
        exact("f : S +-> 0..2 & n : 0..3 & x : S", "f := {} || n := 0 || x := a", &preds, &["f := {x} <<| f"]);
    assert!(compared.ill_defined > 0);
    let total = ["f(x) = n", "f(a) < f(b)", "f(x) + 1 = n", "f~[{n}] = {x}", "SIGMA(y).(y : S | f(y)) > n"];
    exact("f : S --> 0..2 & n : 0..2 & x : S", "f := S * {0} || n := 0 || x := a", &total, &["f(x) := n", "n := f(x)"]);
    // Values may leave what the invariant says: the bound is widened or given up.
    let compared =
        compare(&machine("f : S +-> 0..2 & n : 0..3 & x : S", "f := {} || n := 0 || x := a", &preds, &updates));
    assert!(compared.states > 10 && compared.gaps == 0);
}

#[test]
fn functions_to_sets() {
    let preds =
        ["g(x) = {x}", "x : dom(g)", "x : dom(g) & x : g(x)", "dom(g) = D", "g : D --> POW(D)", "g : D +-> POW1(D)"];
    for (typing, initial) in
        [("g : D +-> POW(D)", "g := {}"), ("g : D --> POW(D)", "g := D * {{}}"), ("g : D +-> POW1(D)", "g := {}")]
    {
        let updates = ["g(x) := {x}", "g := g <+ {x |-> D}"];
        exact(&format!("{typing} & x : D"), &format!("{initial} || x := d"), &preds, &updates);
    }
    exact("g : D +-> POW(D) & x : D", "g := {} || x := d", &preds, &["g := {x} <<| g", "g := {x} <| g"]);
}

#[test]
fn numbers() {
    let preds = [
        "n + m = 3",
        "n - m = -1",
        "n * m = 6",
        "n / m = 1",
        "n mod m = 1",
        "n ** m = 8",
        "-n = m",
        "n < m",
        "n <= m",
        "n > m",
        "n >= m",
        "n : 0..m",
        "n..m = {}",
        "card(n..m) = 2",
        "max({n, m}) = n",
        "min({n, m}) = n",
        "max(n..m) = m",
        "SIGMA(i).(i : 0..m | i * n) = 3",
        "PI(i).(i : 1..2 | n + i) = 6",
        "n : NATURAL",
        "n : NATURAL1",
        "succ(n) = m",
        "#i.(i : 0..2 & n + i = m)",
        "!i.(i : 0..m => i + n < 5)",
        "{i | i : 0..4 & i < m} = 0..(m - 1)",
        "n : {i | i = m + 1 or i = m - 1}",
        "n |-> m + 1 |-> n : {i, j, k | i < j & k = n}",
        "m /: {i | i > n}",
    ];
    let updates =
        ["n := m - 2", "m := IF n < 0 THEN 0 ELSE n END", "SELECT n < 3 THEN n := n + 1 END", "n := -1", "n :: -2..1"];
    let compared = exact("n : -2..3 & m : 0..4", "n := 0 || m := 1", &preds, &updates);
    assert!(compared.ill_defined > 0);
    // A single value, a negative range, two values.
    exact(
        "n : -7..-4 & m : 5..5",
        "n := -5 || m := 5",
        &["n + m = 0", "n < m", "n * m = -25"],
        &["n := -n - 11", "m := 5"],
    );
    exact(
        "n : 0..1 & m : -1..0",
        "n := 0 || m := 0",
        &["n = -m", "n + m = 0", "n * m = 0"],
        &["n := 1 - n", "m := -n"],
    );
}

#[test]
fn sequences_and_records() {
    let preds = ["size(q) = 2", "q : seq(D)", "first(q) = d", "last(q) = e", "q = [d, e]", "q(1) = d", "1 : dom(q)"];
    let updates = ["q := [d]", "q := {1} <| q", "q := {}"];
    let compared = exact("q : 1..3 +-> D", "q := {}", &preds, &updates);
    assert!(compared.ill_defined > 0);
    let preds = ["r'x = TRUE", "r'y > 1", "r = rec(x: FALSE, y: 2)", "r : struct(x: {TRUE}, y: 0..1)"];
    let updates = ["r'x := FALSE", "r := rec(x: TRUE, y: 1)", "r'y := 2"];
    exact("r : struct(x: BOOL, y: 0..2)", "r := rec(x: TRUE, y: 0)", &preds, &updates);
    exact(
        "p : D * (0..2)",
        "p := d |-> 0",
        &["p = d |-> 1", "prj1(D, INTEGER)(p) = e", "p : {d} * (1..2)"],
        &["p := e |-> 2"],
    );
}

#[test]
fn ill_defined_operands() {
    let preds = [
        "1 / n = 1",
        "not(1 / n = 1)",
        "n = 0 or 1 / n = 1",
        "1 / n = 1 or n = 0",
        "n /= 0 & 1 / n = 1",
        "1 / n = 1 & n /= 0",
        "n /= 0 => 1 / n = 1",
        "1 / n = 1 => n = 1",
        "1 / n = 1 <=> n = 1",
        "bool(1 / n = 1) = TRUE",
        "{1 / n} = {1}",
        "card({1 / n, 2}) = 2",
        "1 / n : {1, 2}",
        "1 : {1 / n}",
        "#i.(i : 0..1 & i = 1 / n)",
        "#i.(i : 0..1 & i / n = 1)",
        "!i.(i : 0..1 => i < 1 / n)",
        "!i.(i : 0..n => 1 / i < 3)",
        "{i | i : 0..2 & i = 1 / n} = {1}",
        "1 : {i | i : 0..2 & i = 1 / n}",
        "SIGMA(i).(i : 0..1 | i / n) = 1",
        "IF n = 0 THEN 1 ELSE 1 / n END = 1",
        "IF 1 / n = 1 THEN n ELSE 2 END = 1",
        "max(0..(n - 1)) = 1",
        "min({i | i : 0..2 & i > n}) = 2",
        "f(n) = 0",
        "f(n) = f(n)",
        "n : dom(f) & f(n) = 0",
        "f(f(n)) = 0",
        "f : 0..1 --> {1 / n, 0}",
        "f : 0..1 +-> 0..(1 / n)",
        "f[{1 / n}] = {}",
        "{1 / n} <| f = f",
        "f <+ {1 / n |-> 0} = f",
        "f = {0 |-> 1 / n}",
        "LET z BE z = 1 / n IN z = 1 END",
    ];
    let updates = [
        "n := 2 / n",
        "n := f(n)",
        "IF 1 / n = 1 THEN n := 0 ELSE n := 1 END",
        "SELECT 1 / n = 1 THEN n := 0 END",
        "SELECT n /= 0 THEN n := 2 / n END",
        "n := 0 || f := {0 |-> 1 mod n}",
        "PRE n > 0 THEN n := n - 1 END",
        "ASSERT n > 0 THEN n := n - 1 END",
        "n := 1; n := 2 / n",
        "BEGIN n := 2 / n END || SELECT n = 1 THEN f := {} END",
        "CASE 2 / n OF EITHER 1 THEN n := 0 OR 2 THEN n := 1 ELSE n := 2 END END",
        "CASE n OF EITHER 1 / n THEN n := 0 OR 0, 1 / n THEN n := 1 ELSE n := 2 END END",
        "ANY i WHERE i : 0..2 & i = 1 / n THEN n := i END",
        "CHOICE n := 2 / n OR n := 0 END",
        "n : (n : 0..2 & n /= n$0)",
    ];
    let mut compared = Compared::default();
    for pred in preds {
        compared.add(compare(&machine("n : 0..2 & f : 0..1 +-> 0..1", "n := 0 || f := {}", &[pred], &[])));
    }
    for update in updates {
        compared.add(compare(&machine("n : 0..2 & f : 0..1 +-> 0..2", "n := 0 || f := {}", &[], &[update])));
    }
    assert!(compared.ill_defined > 300 && compared.errors > 50, "{compared:?}");
}

/// Conditions around searches and other conditions: which of them are evaluated, and which false one hides an error, is up to the interpreter.
/// A form may be left out by a gap, so the number of those that are exact has a floor.
#[test]
fn errors_of_nested_conditions() {
    let conditions = ["1 / n = 1", "n = 2", "n < 5", "f(n) = 0", "1 / c = 1", "c = 1"];
    let forms = [
        "op = SELECT @A THEN ANY x WHERE x : 0..2 & @X THEN n := x END END",
        "op = SELECT @A THEN ANY x WHERE x : 0..2 & @X & @B THEN n := x END END",
        "op = SELECT @A THEN ANY x WHERE x : 1..c & @B THEN n := x END END",
        "op = SELECT @A THEN ANY x WHERE x : 0..2 & @B THEN n := 2 / x END END",
        "op = SELECT @A THEN ANY x, y WHERE x : 0..1 & y : 0..n & @B THEN n := x + y END END",
        "op = SELECT @A THEN SELECT @B THEN n := 1 END END",
        "op = PRE @A THEN SELECT @B THEN n := 2 / n END END",
        "op = SELECT @A THEN SELECT @B THEN n := 1 WHEN n = 1 THEN n := 2 END END",
        "op = SELECT @A THEN SELECT @B THEN n := 1 ELSE n := 2 END END",
        "op = SELECT @A THEN SELECT n = 1 THEN n := 2 / n ELSE ANY x WHERE x : 0..1 & @B THEN n := x END END END",
        "op = SELECT @A THEN n := 1 || SELECT @B THEN f := {} END END",
        "op = SELECT @A THEN LET y BE y = 1 / n IN SELECT @B THEN n := y END END END",
        "op = SELECT @A THEN IF @B THEN n := 0 ELSIF 1 / n = 1 THEN n := 1 END END",
        "op = SELECT @A THEN n := 1; SELECT @B THEN n := 2 END END",
        "op(p) = PRE p : 0..2 & @A & @P THEN n := p END",
        "op(p) = SELECT p : 0..2 & @A THEN SELECT @B & @P THEN n := p END END",
        "op(p) = SELECT p : 1..c & @A THEN n := p END",
        "op(p) = SELECT p : 1..n & @A & @B THEN n := p END",
        "op(p) = PRE p : 0..2 & @A THEN ANY x WHERE x : 0..2 & x = p & @B THEN n := x END END",
        "op(p) = PRE p : 0..2 & @A THEN ANY x WHERE x : 1..n THEN n := 1 / x END END",
        "op(p) = PRE p : 0..2 & @A THEN LET y BE y = 1 / n IN SELECT @B THEN n := y END END END",
        "op(p) = PRE p : 0..2 & @A THEN LET y BE y = 2 / n IN n := y END END",
        "op(p) = PRE p : 0..2 & @A THEN n := p || SELECT @B THEN f := {} END END",
        "op(p) = PRE p : 0..2 & @A THEN SELECT @B THEN n := p WHEN p = n THEN n := 0 END END",
        "r <-- op = SELECT @A THEN ANY x WHERE x : 0..2 & @B THEN r := 1 / x END END",
        "r <-- op(p) = PRE p : 0..2 & @A THEN IF @B THEN r := f(p) || n := p ELSE r := p END END",
    ];
    let open = ["1 / @ = 1", "@ = n", "@ > 2"];
    let slow = std::env::var_os("RUN_SLOW").is_some();
    let mut compared = Compared::default();
    for (number, form) in forms.into_iter().enumerate() {
        for (idx, first) in conditions.iter().enumerate() {
            for (jdx, second) in conditions.iter().enumerate() {
                let is_drawn = slow || (number + idx + jdx).is_multiple_of(4);
                if !is_drawn || !form.contains("@B") && jdx > 3 {
                    continue;
                }
                let searched = open[(idx + jdx) % open.len()];
                let operation = form.replace("@A", first).replace("@B", second);
                let operation =
                    operation.replace("@X", &searched.replace('@', "x")).replace("@P", &searched.replace('@', "p"));
                let text = format!(
                    "MACHINE M CONSTANTS c PROPERTIES c : 0..1 VARIABLES n, f INVARIANT n : 0..2 & f : 0..1 +-> 0..1
                     INITIALISATION n := 0 || f := {{}}
                     OPERATIONS {operation}; up = BEGIN n :: 0..2 || f :: {{{{}}, {{0 |-> 0, 1 |-> 1}}}} END END"
                );
                let eval = if idx == jdx { EvalConfig::prob() } else { EvalConfig::default() };
                compared.add(compare_with(&text, &eval));
            }
        }
    }
    assert!(compared.errors > 2_000 && compared.gaps * 4 < compared.instances, "{compared:?}");
}

#[test]
fn initial_states() {
    let initials = [
        "n := 2 || s := {a}",
        "n :: 0..3 || s :: POW(S)",
        "n : (n : 0..3 & n > 1) || s :: {{a}, {b, c}}",
        "BEGIN s :: POW(S); n := card(s) END",
        "ANY x WHERE x : S THEN s := {x} || n := 1 END",
        "CHOICE n := 0 || s := {} OR n := 3 || s := S END",
        "IF card(S) = 3 THEN n := 1 || s := {} ELSE n := 2 || s := S END",
        "ANY x, y WHERE x : 0..3 & y <: S & card(y) = x THEN n := x || s := y END",
        "BEGIN n := 1; s := S; IF n = 1 THEN s := s - {a} END END",
        "SELECT TRUE = TRUE THEN n := 1 || s := {} WHEN card(S) = 3 THEN n := 2 || s := S END",
        "LET x BE x = 2 IN n := x || s := {} END",
    ];
    for initial in initials {
        let text = format!(
            "MACHINE M SETS S = {{a, b, c}} VARIABLES n, s INVARIANT n : 0..3 & s <: S INITIALISATION {initial}
             OPERATIONS up = SELECT n < 3 THEN n := n + 1 END END"
        );
        let compared = compare(&text);
        assert!(compared.initial > 0 && compared.gaps == 0, "{initial}: {compared:?}");
    }
}
