//! Definedness, exhaustively at small scope: every operator, an ill-defined operand in every position, in every context, with the plain
//! interpreter, the compiled form, and circuits of problems and of whole operations.
//!
//! An evaluator that looks at an operand less often than the plain interpreter finds a truth value where there is none, and calls a
//! machine correct that is not well-defined. `$int` in [`OPERATORS`] is a position for an integer; each position in turn gets the
//! ill-defined operand of its kind, the others get well-defined ones of several values, since what is skipped depends on them.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use abridge_check::{Config, Evaluator, check};
use abridge_model::Model;
use abridge_testkit::Project;

/// The word of a kind, its ill-defined operand where `z` is 0, and well-defined ones.
type Kind = (&'static str, &'static str, [&'static str; 3]);

const KINDS: [Kind; 12] = [
    ("int", "(1 / z)", ["0", "2", "(z - 1)"]),
    ("set", "{1 / z}", ["{0, 2}", "(1..z)", "NATURAL"]),
    ("rel", "{0 |-> (1 / z)}", ["{0 |-> 2}", "{0 |-> 0, 0 |-> 2}", "((1..z) * {0})"]),
    ("seq", "[1 / z]", ["[0]", "[2, 0, 0]", "((1..z) * {0})"]),
    ("fam", "{{1 / z}}", ["{{0}}", "{1..z, {2}}", "{{z}, {0, 2}}"]),
    ("bool", "bool(1 / z = 1)", ["TRUE", "FALSE", "bool(z = 0)"]),
    ("pred", "(1 / z = 1)", ["(z = 0)", "(z = 1)", "(z < 5)"]),
    ("real", "(1.0 / real(z))", ["1.0", "2.5", "real(z)"]),
    ("str", "({1 |-> \"a\"}(z))", ["\"a\"", "\"\"", "({0 |-> \"b\"}(z))"]),
    ("rec", "rec(a : 1 / z, b : TRUE)", ["rec(a : 0, b : TRUE)", "rec(a : 2, b : FALSE)", "rec(a : z, b : TRUE)"]),
    ("free", "cons(bool(1 / z = 1) |-> nil)", ["nil", "cons(TRUE |-> nil)", "cons(bool(z = 0) |-> nil)"]),
    ("pair", "((1 / z) |-> 2)", ["(0 |-> 2)", "(2 |-> 0)", "(z |-> z)"]),
];

const ARROWS: [&str; 12] = ["<->", "+->", "-->", ">+>", ">->", "+->>", "-->>", ">+>>", ">->>", "<<->", "<->>", "<<->>"];

/// One predicate for each operator, or several where its operands can be skipped in several ways.
const OPERATORS: &[&str] = &[
    "$int = $int",
    "$int /= $int",
    "$int < $int",
    "$int <= $int",
    "$int + $int = $int",
    "$int - $int = 0",
    "$int * $int = 0",
    "$int / $int = 0",
    "$int mod $int = 0",
    "$int ** $int = 0",
    "-$int = 0",
    "succ($int) = 1",
    "pred($int) = 1",
    "$int : $int..$int",
    "$int..$int = $set",
    "$int : NATURAL",
    "$int : INT",
    "max($set) = 2",
    "min($set) = 0",
    "card($set) = 2",
    "$int : $set",
    "$int : $set \\/ $set",
    "$int : $set /\\ $set",
    "$int : $set - $set",
    "$set \\/ $set = $set",
    "$set /\\ $set = {}",
    "$set - $set = {}",
    "{$int, $int} = $set",
    "$int : {$int, $int}",
    "$set = $set",
    "$set <: $set",
    "$set <<: $set",
    "$set <: $set \\/ $set",
    "$set : POW($set)",
    "$set : POW1($set)",
    "$set : FIN($set)",
    "$set : FIN1($set)",
    "POW($set) = $fam",
    "$set : $fam",
    "$int : union($fam)",
    "$int : inter($fam)",
    "union($fam) = $set",
    "inter($fam) = $set",
    "@finite($set)",
    "@partition($set, $set, $set)",
    "$pair = $pair",
    "($int |-> $int) = $pair",
    "$pair : $rel",
    "$pair : $set * $set",
    "$set * $set = $rel",
    "prj1(INTEGER, INTEGER)($pair) = 0",
    "prj2($set, $set)($pair) = 0",
    "$int : dom($rel)",
    "$int : ran($rel)",
    "dom($rel) = $set",
    "$int : $rel[$set]",
    "$rel[$set] = $set",
    "$pair : $rel~",
    "$rel~ = $rel",
    "$pair : id($set)",
    "$pair : $set <| $rel",
    "$pair : $set <<| $rel",
    "$pair : $rel |> $set",
    "$pair : $rel |>> $set",
    "$set <| $rel = $rel",
    "$rel |>> $set = $rel",
    "$pair : $rel <+ $rel",
    "$rel <+ $rel = $rel",
    "$pair : ($rel ; $rel)",
    "($rel ; $rel) = $rel",
    "($int |-> $pair) : ($rel >< $rel)",
    "($pair |-> $pair) : ($rel || $rel)",
    "$pair : closure1($rel)",
    "$pair : closure($rel)",
    "iterate($rel, $int) = $rel",
    "$rel($int) = $int",
    "fnc($rel) = {}",
    "$seq : seq($set)",
    "$seq : seq1($set)",
    "$seq : iseq($set)",
    "$seq : iseq1($set)",
    "$seq : perm($set)",
    "size($seq) = $int",
    "first($seq) = $int",
    "last($seq) = $int",
    "tail($seq) = $seq",
    "front($seq) = $seq",
    "rev($seq) = $seq",
    "$seq ^ $seq = $seq",
    "($int -> $seq) = $seq",
    "($seq <- $int) = $seq",
    "$seq /|\\ $int = $seq",
    "$seq \\|/ $int = $seq",
    "conc([$seq, $seq]) = $seq",
    "[$int, $int] = $seq",
    "$pair : [$int, $int]",
    "$seq($int) = 0",
    "$rec = $rec",
    "rec(a : $int, b : $bool) = $rec",
    "$rec'a = $int",
    "$rec : struct(a : $set, b : {$bool})",
    "$bool = $bool",
    "$bool : {$bool}",
    "bool($pred) = $bool",
    "($pred & $pred)",
    "($pred or $pred)",
    "($pred => $pred)",
    "($pred <=> $pred)",
    "not($pred)",
    "!x.(x : $set /\\ 0..2 => $pred)",
    "!x.(x : $set /\\ 0..2 & $pred => x = $int)",
    "#x.(x : $set /\\ 0..2 & $pred)",
    "#x.(x : 0..2 & $pred & x = $int)",
    "$int : {x | x : 0..2 & $pred}",
    "card({x | x : 0..2 & $pred & x < $int}) = 1",
    "$int : {x | x : $set & x < $int}",
    "SIGMA(x).(x : 0..1 & $pred | $int) = $int",
    "PI(x).(x : 0..1 & $pred | $int) = $int",
    "$int : UNION(x).(x : 0..1 & $pred | $set)",
    "$int : INTER(x).(x : 0..1 & $pred | $set)",
    "$int : INTER(x).(x : 1..z & $pred | $set)",
    "$pair : %x.(x : $set & $pred | $int)",
    "%x.(x : 0..2 & $pred | $int)($int) = $int",
    "$pair : %x.(x : 0..2 | 1 / x)",
    "$pair : %x.(x : $set /\\ 0..2 | 1 / x)",
    "$int : dom(%x.(x : 0..z | 1 / x))",
    "%x.(x : 0..z | 1 / x) = $rel",
    "$set <: UNION(x).(x : 0..2 & $pred | {1 / x})",
    "UNION(x).(x : 0..2 & $pred | {1 / x}) = $set",
    "$int : UNION(x).(x : 0..2 & $pred | {1 / x})",
    "1 : {y | #x.(x : 0..2 & $pred & y = 1 / x)} \\/ $set",
    "!x.(x : 0..2 => (1 / x = 1 or $pred))",
    "not(!x.(x : 0..2 & $pred => 1 / x < $int))",
    "card(%x.(x : 0..2 & $pred | $int)) = 3",
    "IF $pred THEN $int ELSE $int END = $int",
    "IF $pred THEN $pred ELSE $pred END",
    "LET x BE x = $int IN x = $int END",
    "LET x BE x = $int IN $pred END",
    "$real = $real",
    "$real < $real",
    "$real + $real = $real",
    "$real * $real = $real",
    "$real / $real = $real",
    "floor($real) = $int",
    "ceiling($real) = $int",
    "real($int) = $real",
    "$str = $str",
    "$str : {$str}",
    "$str ^ $str = $str",
    "size($str) = $int",
    "rev($str) = $str",
    "$free = $free",
    "$free : {nil, $free}",
    "cons~($free) = ($bool |-> nil)",
    "cons($bool |-> $free) = $free",
];

/// Machines around a predicate `@P`.
const CONTEXTS: [(&str, &str); 34] = [
    ("invariant", "INVARIANT z = 0 & b : BOOL & @P"),
    ("negated invariant", "INVARIANT z = 0 & b : BOOL & not(@P)"),
    ("assertion", "INVARIANT z = 0 & b : BOOL ASSERTIONS @P"),
    ("universal", "INVARIANT z = 0 & b : BOOL & !q.(q : 0..1 => @P)"),
    ("existential", "INVARIANT z = 0 & b : BOOL & #q.(q : 0..1 & @P)"),
    ("guard", "op = SELECT @P THEN skip END"),
    ("precondition", "op = PRE @P THEN skip END"),
    ("parameter", "op(p) = SELECT p : 0..1 & @P THEN skip END"),
    ("any", "op = ANY p WHERE p : 0..1 & @P THEN skip END"),
    ("such that", "op = BEGIN b : (b : BOOL & @P) END"),
    ("assignment", "op = BEGIN b := bool(@P) END"),
    ("if", "op = IF @P THEN b := TRUE ELSE b := FALSE END"),
    ("sequence", "op = BEGIN b := TRUE; IF @P THEN b := FALSE END END"),
    ("let", "op = LET q BE q = bool(@P) IN b := q END"),
    ("comprehension", "op = BEGIN b := bool(card({q | q : 0..1 & @P}) = 2) END"),
    ("lambda", "op = BEGIN b := %q.(q : 0..1 | bool(@P))(0) END"),
    ("sum", "op = BEGIN b := bool(SIGMA(q).(q : 0..1 & @P | 1) = 2) END"),
    ("guard around any", "op = SELECT @P THEN ANY p WHERE p : 0..1 & p > z + 5 THEN skip END END"),
    ("guard around an any that is closed", "op = SELECT @P THEN ANY p WHERE p : 0..1 & b = TRUE THEN skip END END"),
    ("any with a false condition", "op = SELECT z = 0 THEN ANY p WHERE z = 1 & p : 0..1 & @P THEN b := TRUE END END"),
    ("other guards", "op = SELECT @P THEN b := TRUE WHEN z = 1 THEN b := FALSE ELSE skip END"),
    ("guard around a guard", "op = SELECT @P THEN SELECT z = 1 THEN skip END END"),
    ("any in a parameter", "op(p) = SELECT p : 0..1 THEN ANY q WHERE q : 0..1 & @P THEN b := TRUE END END"),
    ("case", "op = CASE bool(@P) OF EITHER TRUE THEN b := TRUE OR FALSE THEN b := FALSE END END"),
    ("choice", "op = CHOICE b := bool(@P) OR SELECT @P THEN b := TRUE END END"),
    ("output", "r <-- op = BEGIN r := bool(@P) || b := TRUE END"),
    // Inside a search, where an evaluator that calls too much ill-defined leaves steps out.
    ("in a search", "op(p) = SELECT p : 0..1 & (p = 5 or @P) THEN skip END"),
    ("negated in a search", "op(p) = SELECT p : 0..1 & (p = 5 or not(@P)) THEN skip END"),
    ("universal in a search", "op(p) = SELECT p : 0..1 & not(!q.(q : p..1 => @P)) THEN skip END"),
    ("condition of a universal in a search", "op(p) = SELECT p : 0..1 & !q.(q : p..1 & @P => q = 5) THEN skip END"),
    (
        "implication of a universal in a search",
        "op(p) = SELECT p : 0..1 & !q.(q : p..1 => (@P => q = 5)) THEN skip END",
    ),
    ("negation of a universal in a search", "op(p) = SELECT p : 0..1 & !q.(q : p..1 => not(q = 5 & @P)) THEN skip END"),
    ("existential in a search", "op(p) = SELECT p : 0..1 & not(#q.(q : p..1 & @P)) THEN skip END"),
    ("member in a search", "op(p) = SELECT p : 0..1 & !q.(q : 0..1 & q : {r | r : p..1 & @P} => q = 5) THEN skip END"),
];

/// The same values in local definitions beside a parameter, whose guards are taken off the operation; each is defined where that of the context
/// `let` is.
const DEFINITIONS: [(&str, &str); 5] = [
    ("let and a guard", "op(p) = SELECT p : 0..1 THEN LET q BE q = bool(@P) IN b := q END END"),
    ("let and a guard inside", "op(p) = LET q BE q = bool(@P) IN SELECT p : 0..1 THEN b := q END END"),
    ("let that a guard reads", "op(p) = LET q BE q = bool(@P) IN SELECT p : 0..1 & q : BOOL THEN b := q END END"),
    (
        "let in a let",
        "op(p) = SELECT p : 0..1 THEN LET r BE r = p IN LET q BE q = bool(r < 5 & @P) IN b := q END END END",
    ),
    ("var", "op(p) = SELECT p : 0..1 THEN VAR q IN q := bool(@P); b := q END END"),
];

fn machine(context: &str, predicate: &str) -> String {
    let context = context.replace("@P", &format!("({predicate})"));
    let (invariant, operation) = if !context.starts_with("INVARIANT") {
        ("INVARIANT z = 0 & b : BOOL", context.as_str())
    } else {
        (context.as_str(), "op = skip")
    };
    format!(
        "MACHINE M FREETYPES L = nil, cons(BOOL * L) VARIABLES z, b {invariant}
        INITIALISATION z, b := 0, FALSE OPERATIONS {operation}; z0 = BEGIN z := 0 END END"
    )
}

/// All predicates with one ill-defined operand, and those with none. The well-defined ones go through their values together, or, if slow tests
/// are asked for, each for itself.
fn predicates() -> Vec<String> {
    let slow = std::env::var_os("RUN_SLOW").is_some();
    let arrows = ARROWS.iter().map(|arrow| format!("$rel : $set {arrow} $set"));
    let operators = OPERATORS.iter().map(|text| (*text).to_owned()).chain(arrows);
    let mut predicates = Vec::new();
    for operator in operators {
        let n_positions = operator.matches('$').count();
        for ill in 0..=n_positions {
            let n_variants = if slow { 3_usize.pow(n_positions as u32) } else { 3 };
            for variant in 0..n_variants {
                let value = |position: usize| match slow {
                    true => variant / 3_usize.pow(position as u32),
                    false => variant + position,
                };
                predicates.push(filled(&operator, ill, &value));
            }
        }
    }
    predicates.sort();
    predicates.dedup();
    predicates
}

/// The operator with its ill-defined operand at one position and, elsewhere, the values with these numbers.
fn filled(operator: &str, ill: usize, value: &dyn Fn(usize) -> usize) -> String {
    let mut parts = operator.split('$');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for (position, part) in parts.enumerate() {
        let end = part.find(|ch: char| !ch.is_ascii_lowercase()).unwrap_or(part.len());
        let (_, undefined, values) = KINDS.iter().find(|(word, ..)| *word == &part[..end]).expect("a kind");
        text += if position == ill { undefined } else { values[value(position) % values.len()] };
        text += &part[end..];
    }
    text
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    Plain,
    Compiled,
    Circuits,
    /// Circuits of whole operations and properties.
    Sliced,
}

fn answer(model: &Model, way: Way) -> String {
    let mut config = Config { find_all: true, deadlock: false, ..Config::default() };
    let is_fast = matches!(way, Way::Compiled | Way::Sliced);
    (config.system.compiled, config.system.memo) = (is_fast, is_fast);
    match way {
        Way::Plain => config.eval.hard = u64::MAX,
        Way::Compiled => {}
        Way::Circuits => (config.eval.hard, config.eval.probe) = (2, 0),
        Way::Sliced => config.evaluator = Evaluator::Sliced,
    }
    let report = check(model, &config, &mut ());
    let coverage: Vec<u64> = report.coverage.iter().map(|item| item.transitions).collect();
    format!("{:?} {} states {coverage:?} {:?}", report.found, report.states, report.limits)
}

/// A parameter turns an operation into a search, in which what is not well-defined counts as false. A definition is evaluated nevertheless.
#[test]
fn a_parameter_hides_no_definition() {
    let is_ill_defined = |form: &str, predicate: &str| {
        let model = Project::model_of(&machine(form, predicate));
        let config = Config { find_all: true, deadlock: false, ..Config::default() };
        check(&model, &config, &mut ()).found.ill_defined
    };
    let (_, without) = CONTEXTS.iter().find(|(name, _)| *name == "let").expect("a context");
    let mut differences = Vec::new();
    let mut n_ill_defined = 0;
    for predicate in predicates() {
        let expected = is_ill_defined(without, &predicate);
        n_ill_defined += usize::from(expected);
        let differs = DEFINITIONS.iter().filter(|(_, form)| is_ill_defined(form, &predicate) != expected);
        differences.extend(differs.map(|(name, _)| format!("{name}: {predicate} is ill-defined: {expected}")));
    }
    assert!(n_ill_defined > 500, "only {n_ill_defined} ill-defined predicates");
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn evaluators_agree_on_what_is_defined() {
    let predicates = predicates();
    let (next, n_compared) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let (differences, refused) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let idx = next.fetch_add(1, Ordering::Relaxed);
                    let Some(predicate) = predicates.get(idx / CONTEXTS.len()) else { break };
                    let (context, form) = CONTEXTS[idx % CONTEXTS.len()];
                    let text = machine(form, predicate);
                    let Some(model) = Project::new(&[("M.mch", &text)]).analyse().model else {
                        refused.lock().expect("no panic").push(predicate.clone());
                        continue;
                    };
                    let plain = answer(&model, Way::Plain);
                    for way in [Way::Compiled, Way::Circuits, Way::Sliced] {
                        let found = answer(&model, way);
                        if found != plain {
                            let line = format!("{predicate}\t{context}\t{way:?}\tplain: {plain}\tfound: {found}");
                            differences.lock().expect("no panic").push(line);
                        }
                        n_compared.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    let refused = refused.into_inner().expect("no panic");
    assert!(refused.is_empty(), "not B: {:?}", &refused[..refused.len().min(20)]);
    let mut differences = differences.into_inner().expect("no panic");
    differences.sort();
    let n_compared = n_compared.into_inner();
    eprintln!("{} predicates, {n_compared} comparisons, {} differences", predicates.len(), differences.len());
    assert!(n_compared > 30_000, "only {n_compared} comparisons");
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}
