//! Machines whose evaluation explodes, to find what takes no notice of a limit on time or memory.
//!
//! Each family is a small text of any scale. At a large scale no computer has the time or the memory for it, so a run must end with a limit (or an
//! answer, where there is a clever one). `examples/explosions.rs` measures runs of the program; `tests/explosions.rs` runs each family with a tiny
//! budget of bytes and steps. A family that is missing here is a limit that nobody tests.

/// A machine of any scale: its name, what makes it, and a scale that explodes.
pub struct Explosion {
    pub name: &'static str,
    pub machine: fn(usize) -> String,
    pub scale: usize,
}

/// Machines that take much time or memory in few steps.
pub const EVALUATION: &[Explosion] = &[
    explosion("closure of a chain", 30_000, |n| assigned(&format!("closure1(%i.(i : 1..{n} | i + 1))"))),
    explosion("closure of a wide relation", 40_000, |n| {
        assigned(&format!("closure1({{i, j | i : 1..{n} & j : {{(i * 7) mod {n}, (i * 13 + 5) mod {n}}}}})"))
    }),
    explosion("reflexive closure of a chain", 30_000, |n| {
        assigned(&format!("closure(%i.(i : 1..{n} | i + 1)) |> 1..{n}"))
    }),
    explosion("composition through one element", 20_000, |n| {
        assigned(&format!("(%i.(i : 1..{n} | 0) ; {{0}} * (1..{n}))"))
    }),
    explosion("iteration of a relation", 3_000, |n| {
        assigned(&format!("iterate({{i, j | i : 1..{n} & j : {{i + 1, i + 2, i + 3}}}}, {n})"))
    }),
    explosion("direct product", 20_000, |n| {
        assigned_like("0", &format!("card(({{0}} * (1..{n})) >< ({{0}} * (1..{n})))"))
    }),
    explosion("parallel product", 20_000, |n| {
        assigned_like("0", &format!("card((%i.(i : 1..{n} | i) || %i.(i : 1..{n} | i + 1)))"))
    }),
    explosion("Cartesian product in a variable", 20_000, |n| {
        assigned(&format!("((1..{n}) * (1..{n})) \\/ {{0 |-> 0}}"))
    }),
    explosion("union of intervals", 30_000, |n| {
        assigned(&format!("union({{s | #i.(i : 1..{n} & s = (1..i) - {{i / 2}})}})"))
    }),
    explosion("sequence doubled in a loop", 64, |n| looped(n, "v := v ^ v", "[1, 2, 3]")),
    explosion("sequence squared by conc", 64, |n| looped(n, "v := conc([v, v, v, v])", "[1, 2, 3]")),
    explosion("string doubled in a loop", 64, |n| looped(n, "v := STRING_APPEND(v, v)", "\"abc\"")),
    explosion("string that STRING_REPLACE multiplies", 64, |n| {
        looped(n, "v := STRING_REPLACE(v, \"a\", \"aaaaaaaa\")", "\"a\"")
    }),
    explosion("string joined from itself", 64, |n| {
        looped(n, "v := STRING_JOIN([v, v, v, v, v, v, v, v], v)", "\"ab\"")
    }),
    explosion("string of one set in another", 64, |n| looped(n, "v := TO_STRING({v, STRING_APPEND(v, v)})", "\"ab\"")),
    explosion("padding", 4_000_000_000, |n| assigned_like("\"\"", &format!("STRING_PADLEFT(\"a\", {n}, \"b\")"))),
    explosion("characters of a string", 64, |n| {
        looped(n, "v := STRING_CONC(STRING_CHARS(STRING_APPEND(v, v)))", "\"abc\"")
    }),
    explosion("relation squared in a loop", 64, |n| {
        looped(n, "v := v \\/ ran(v * v) \\/ {x | x : 1..card(v) * card(v) & x /= 7}", "{1, 2}")
    }),
    explosion("set of sets in a loop", 64, |n| {
        looped(n, "v := v \\/ {max(v) + 1} \\/ {x | x - card(v) : v}", "{1, 2}")
    }),
    explosion("integer squared in a loop", 64, |n| looped(n, "v := v * v + 1", "12345678901234567890")),
    explosion("integer power in a loop", 64, |n| looped(n, "v := v ** 1000", "3")),
    explosion("power of a large exponent", 4_000_000_000, |n| assigned_like("0", &format!("3 ** {n}"))),
    explosion("sum of a long interval", 4_000_000_000, |n| {
        assigned_like("0", &format!("SIGMA(i).(i : 1..{n} | i * i)"))
    }),
    explosion("product of a long interval", 100_000_000, |n| assigned_like("0", &format!("PI(i).(i : 1..{n} | i)"))),
    explosion("permutations", 12, |n| assigned(&format!("perm(1..{n}) - {{[]}}"))),
    explosion("number of permutations", 12, |n| assigned_like("0", &format!("card(perm(1..{n}) \\/ {{[]}})"))),
    explosion("choice of a permutation", 12, |n| {
        operation("0", &format!("ANY p WHERE p : perm(1..{n}) THEN v := p(1) END"))
    }),
    explosion("injective sequences", 12, |n| assigned_like("0", &format!("card({{s | s : iseq(1..{n}) & s /= []}})"))),
    explosion("sorting", 2_000_000, |n| assigned(&format!("SORT({{i, j | i : 1..{n} & j = (i * 7919) mod 1000003}})"))),
    explosion("squash of many pairs", 1_000_000, |n| {
        assigned(&format!("SQUASH({{i, j | i : 1..{n} & j = (i * 7919) mod 1000003}})"))
    }),
    explosion("power set in a variable", 30, |n| assigned(&format!("POW(1..{n}) - {{{{}}}}"))),
    explosion("power set of a power set", 6, |n| assigned(&format!("POW(POW(1..{n})) - {{{{}}}}"))),
    explosion("union of all subsets", 30, |n| assigned(&format!("union({{s | s : POW(1..{n}) & 1 : s}})"))),
    explosion("nested lambdas", 100_000, |n| {
        assigned(&format!("%x.(x : 1..{n} | %y.(y : 1..{n} | x + y)) <+ {{0 |-> {{0 |-> 0}}}}"))
    }),
    explosion("concatenation of rows", 5_000, |n| {
        assigned(&format!("conc(%x.(x : 1..{n} | %y.(y : 1..{n} | x * y)))"))
    }),
    explosion("concatenations in a loop", 64, |n| looped(n, "v := v ^ v ^ rev(v) ^ tail(v)", "[1, 2, 3]")),
    explosion("pairs of pairs in a loop", 64, |n| {
        looped(n, "v := v <+ %x.(x : 1..2 * card(v) | x + 1)", "%x.(x : 1..3 | x)")
    }),
    explosion("choice of a subset", 40, |n| operation("0", &format!("ANY s WHERE s <: 1..{n} THEN v := card(s) END"))),
    explosion("choice of a subset that stays", 40, |n| {
        operation("{}", &format!("ANY s WHERE s <: 1..{n} THEN v := s \\/ {{{n}}} END"))
    }),
    explosion("choice of a function", 12, |n| {
        operation("0", &format!("ANY f WHERE f : 1..{n} --> 1..{n} THEN v := f(1) END"))
    }),
    explosion("choice of a relation", 12, |n| {
        operation("{}", &format!("ANY f WHERE f : 1..{n} <-> 1..{n} THEN v := f END"))
    }),
    explosion("becomes such that", 40, |n| operation("{}", &format!("v :(v <: 1..{n})"))),
    explosion("becomes element of", 40, |n| operation("{}", &format!("v :: POW(1..{n})"))),
    explosion("functions as elements", 10, |n| operation("{}", &format!("v :: 1..{n} +-> 1..{n}"))),
    explosion("subsets as parameters", 40, |n| parametrised("{}", &format!("s <: 1..{n}"), "v := s")),
    explosion("subsets as idle parameters", 40, |n| parametrised("0", &format!("s <: 1..{n}"), "skip")),
    explosion("functions as parameters", 12, |n| parametrised("0", &format!("s : 1..{n} --> 1..{n}"), "skip")),
    explosion("sequences of choices", 40, |n| {
        let each = vec!["CHOICE v := v + 1 OR v := 2 * v OR v := v * v END"; n].join("; ");
        operation("0", &each.replacen("v + 1", "card({v})", 1))
    }),
    explosion("many outputs", 30, |n| {
        let names = listed(n, |idx| format!("o{idx}"), ", ");
        let body = listed(n, |idx| format!("o{idx} :: 1..10"), " || ");
        machine("0", &format!("{names} <-- op = BEGIN {body} END"))
    }),
    explosion("many parameters with choices", 30, |n| {
        let names = listed(n, |idx| format!("p{idx}"), ", ");
        let guard = listed(n, |idx| format!("p{idx} : 1..10"), " & ");
        machine("0", &format!("op({names}) = PRE {guard} THEN v := p0 END"))
    }),
    explosion("initial choices", 30, |n| {
        let names = listed(n, |idx| format!("w{idx}"), ", ");
        let body = listed(n, |idx| format!("w{idx} :: 1..10"), " || ");
        let types = listed(n, |idx| format!("w{idx} : INTEGER"), " & ");
        format!("MACHINE M VARIABLES {names} INVARIANT {types} INITIALISATION {body} OPERATIONS op = skip END")
    }),
    explosion("constants with many values", 30, |n| {
        let names = listed(n, |idx| format!("c{idx}"), ", ");
        let properties = listed(n, |idx| format!("c{idx} : 1..10"), " & ");
        format!(
            "MACHINE M CONSTANTS {names} PROPERTIES {properties} VARIABLES v INVARIANT v : INTEGER INITIALISATION v := 0 \
             OPERATIONS op = skip END"
        )
    }),
    explosion("records in a variable", 2_000, |n| {
        assigned(&format!("struct(a : 1..{n}, b : 1..{n}, c : 1..{n}) - {{rec(a : 0, b : 0, c : 0)}}"))
    }),
    explosion("comprehension of triples", 2_000, |n| {
        assigned(&format!("{{x, y, z | x : 1..{n} & y : 1..{n} & z : 1..{n}}}"))
    }),
    explosion("comprehension of sets", 30, |n| {
        assigned(&format!("{{s, t | s <: 1..{n} & t = s \\/ {{0}} & card(s) mod 2 = 0}}"))
    }),
    explosion("quantifier over subsets", 40, |n| {
        operation("0", &format!("SELECT !s.(s <: 1..{n} => card(s) <= {n}) THEN v := 1 END"))
    }),
    explosion("union of many sets", 20_000, |n| assigned(&format!("UNION(x).(x : 1..{n} | {{x}} * (1..{n}))"))),
    explosion("sets of sets by a lambda", 20_000, |n| {
        assigned(&format!("ran(%x.(x : 1..{n} | {{y | y : 1..x & y /= 3}}))"))
    }),
    explosion("rel of functions", 5_000, |n| assigned(&format!("rel(%x.(x : 1..{n} | {{y | y : 1..{n} & y /= x}}))"))),
    explosion("fnc of a relation", 5_000, |n| assigned(&format!("fnc((1..{n}) * (1..{n}) - {{1 |-> 1}})"))),
    explosion("recursive function", 64, |n| {
        format!(
            "MACHINE M ABSTRACT_CONSTANTS f PROPERTIES f : INTEGER --> INTEGER & \
             f = %x.(x : INTEGER | IF x <= 1 THEN 1 ELSE f(x - 1) + f(x - 2) END) \
             VARIABLES v INVARIANT v : INTEGER INITIALISATION v := f({n}) OPERATIONS op = skip END"
        )
    }),
    explosion("invariant over subsets", 40, |n| {
        format!(
            "MACHINE M VARIABLES v INVARIANT v : INTEGER & !s.(s : POW(1..{n}) => card(s) + v >= 0) INITIALISATION v := 0 \
             OPERATIONS op = v := v + 1 END"
        )
    }),
    explosion("intervals within intervals", 4_000_000_000_000_000_000, |n| {
        format!(
            "MACHINE M VARIABLES v INVARIANT v <: 0..{n} & v : POW(NATURAL) & v <: NATURAL1 \\/ {{0}} INITIALISATION v := 0..{n} \
             OPERATIONS op(x) = PRE x : 0..3 THEN v := x..{n} END END"
        )
    }),
    explosion("states with long sequences", 100_000, |n| {
        format!(
            "MACHINE M VARIABLES v INVARIANT v : seq(INTEGER) INITIALISATION v := %i.(i : 1..{n} | i) \
             OPERATIONS op(x) = PRE x : 1..1000 THEN v := v <+ {{x |-> v(x) + 1}} END END"
        )
    }),
    explosion("states with long strings", 100_000, |n| {
        format!(
            "MACHINE M DEFINITIONS \"LibraryStrings.def\" VARIABLES v INVARIANT v : STRING \
             INITIALISATION v := STRING_PADLEFT(\"\", {n}, \"b\") OPERATIONS op(x) = PRE x : 1..1000 THEN v := STRING_APPEND(v, INT_TO_STRING(x)) END END"
        )
    }),
];

/// Machines with very many parts, and parts that stand for very much.
pub const DECLARATIONS: &[Explosion] = &[
    explosion("constants squared", 60, |n| squared_constants(n, "{0, 1}")),
    explosion("infinite constants squared", 60, |n| squared_constants(n, "INTEGER")),
    explosion("parameters", 3_000, |n| {
        let names = listed(n, |idx| format!("p{idx}"), ", ");
        let guard = listed(n, |idx| format!("p{idx} : 1..2"), " & ");
        machine("0", &format!("op({names}) = PRE {guard} THEN v := p0 END"))
    }),
    explosion("parameters in a chain", 3_000, |n| {
        let names = listed(n, |idx| format!("p{idx}"), ", ");
        let guard = listed(n - 1, |idx| format!("p{} = p{idx} + 1", idx + 1), " & ");
        machine("0", &format!("op({names}) = PRE p0 : 1..2 & {guard} THEN v := p0 END"))
    }),
    explosion("variables", 100_000, |n| {
        let names = listed(n, |idx| format!("w{idx}"), ", ");
        let types = listed(n, |idx| format!("w{idx} : INTEGER"), " & ");
        let values = listed(n, |idx| format!("w{idx} := {idx}"), " || ");
        format!(
            "MACHINE M VARIABLES {names} INVARIANT {types} INITIALISATION {values} \
             OPERATIONS op = SELECT w0 < 3 THEN w0 := w0 + 1 END END"
        )
    }),
    explosion("assertions", 100_000, |n| {
        let assertions = listed(n, |idx| format!("v < {}", idx + 10), "; ");
        format!(
            "MACHINE M VARIABLES v INVARIANT v : INTEGER ASSERTIONS {assertions} INITIALISATION v := 0 \
             OPERATIONS op = SELECT v < 3 THEN v := v + 1 END END"
        )
    }),
    explosion("conjuncts of the invariant", 100_000, |n| {
        let conjuncts = listed(n, |idx| format!("v < {}", idx + 10), " & ");
        format!(
            "MACHINE M VARIABLES v INVARIANT v : INTEGER & {conjuncts} INITIALISATION v := 0 \
             OPERATIONS op = SELECT v < 3 THEN v := v + 1 END END"
        )
    }),
    explosion("constants", 10_000, |n| {
        let names = listed(n, |idx| format!("c{idx}"), ", ");
        let properties = listed(n, |idx| format!("c{idx} = {idx}"), " & ");
        format!(
            "MACHINE M CONSTANTS {names} PROPERTIES {properties} VARIABLES v INVARIANT v : INTEGER INITIALISATION v := c0 \
             OPERATIONS op = SELECT v < 3 THEN v := v + 1 END END"
        )
    }),
    explosion("constants in a chain", 10_000, |n| {
        let names = listed(n, |idx| format!("c{idx}"), ", ");
        let properties = listed(n - 1, |idx| format!("c{} = c{idx} + 1", idx + 1), " & ");
        format!(
            "MACHINE M CONSTANTS {names} PROPERTIES c0 = 0 & {properties} VARIABLES v INVARIANT v : INTEGER INITIALISATION v := c0 \
             OPERATIONS op = SELECT v < 3 THEN v := v + 1 END END"
        )
    }),
    explosion("operations", 30_000, |n| {
        let operations = listed(n, |idx| format!("op{idx} = SELECT v = {idx} THEN v := {} END", idx + 1), "; ");
        machine("0", &operations)
    }),
    explosion("branches", 30_000, |n| {
        let branches = listed(n, |idx| format!("v := {idx}"), " OR ");
        machine("0", &format!("op = CHOICE {branches} END"))
    }),
    explosion("assignments in sequence", 30_000, |n| {
        let steps = listed(n, |idx| format!("v := v + {idx}"), "; ");
        machine("0", &format!("op = BEGIN {steps} END"))
    }),
    explosion("elements of an enumerated set", 100_000, |n| {
        let elements = listed(n, |idx| format!("e{idx}"), ", ");
        format!(
            "MACHINE M SETS S = {{{elements}}} VARIABLES v INVARIANT v : S INITIALISATION v := e0 OPERATIONS op = v :: S END"
        )
    }),
    explosion("elements of a set literal", 100_000, |n| {
        assigned(&format!("{{{}}}", listed(n, |idx| idx.to_string(), ", ")))
    }),
    explosion("comparisons of squared constants", 60, |n| {
        squared_constants(n, "{0, 1}")
            .replace("op = skip", &format!("op = SELECT c{n} = c{n} & c{n} /= {{}} THEN v := 1 END"))
    }),
];

const fn explosion(name: &'static str, scale: usize, machine: fn(usize) -> String) -> Explosion {
    Explosion { name, machine, scale }
}

/// An operation that assigns a large set.
fn assigned(set: &str) -> String {
    operation("{}", &format!("v := {set}"))
}

/// An operation that assigns a number or a text, like the initial value.
fn assigned_like(start: &str, value: &str) -> String {
    operation(start, &format!("v := {value}"))
}

/// An operation that is executed once.
fn operation(start: &str, body: &str) -> String {
    machine(start, &format!("op = SELECT n = 0 THEN {body} || n := 1 END; idle = SELECT n = 1 THEN skip END"))
}

/// An operation that changes `v` many times.
fn looped(n_passes: usize, body: &str, start: &str) -> String {
    let body = format!("WHILE i < {n_passes} DO {body}; i := i + 1 INVARIANT i : INTEGER VARIANT {n_passes} - i END");
    machine(
        start,
        &format!("op = SELECT n = 0 THEN VAR i IN i := 0; {body} END; n := 1 END; idle = SELECT n = 1 THEN skip END"),
    )
}

/// An operation with a parameter `s`.
fn parametrised(start: &str, precondition: &str, body: &str) -> String {
    machine(start, &format!("op(s) = PRE {precondition} THEN {body} END"))
}

/// A machine with a variable `v`, and `n` that starts at 0.
fn machine(start: &str, operations: &str) -> String {
    format!(
        "MACHINE M DEFINITIONS \"LibraryStrings.def\"; \"SORT.def\" VARIABLES n, v INVARIANT n : 0..1 & v = v \
         INITIALISATION n := 0 || v := {start} OPERATIONS {operations} END"
    )
}

/// Constants each of which is the product of the one before with itself.
fn squared_constants(n: usize, first: &str) -> String {
    let names = listed(n + 1, |idx| format!("c{idx}"), ", ");
    let properties = listed(n, |idx| format!("c{} = c{idx} * c{idx}", idx + 1), " & ");
    format!(
        "MACHINE M ABSTRACT_CONSTANTS {names} PROPERTIES c0 = {first} & {properties} VARIABLES v INVARIANT v : INTEGER \
         INITIALISATION v := 0 OPERATIONS op = skip END"
    )
}

/// `n` texts with a separator between them.
fn listed(n: usize, each: impl Fn(usize) -> String, separator: &str) -> String {
    (0..n).map(each).collect::<Vec<_>>().join(separator)
}
