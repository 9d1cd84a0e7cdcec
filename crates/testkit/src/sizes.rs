//! Inputs that are large or deep in one direction, to find what takes more than linear time or recurses without care.

/// An input of any size: its name and what makes it.
pub type Input = (&'static str, fn(usize) -> String);

/// Inputs of so many levels of nesting, links of a chain or declarations.
pub const DEEP: &[Input] = &[
    ("parentheses around a predicate", |n| assertion(&nested(n, "(", "x = 1", ")"))),
    ("parentheses around an expression", |n| assertion(&format!("x = {}", nested(n, "(", "1", ")")))),
    ("parentheses never closed", |n| assertion(&"(".repeat(n))),
    ("parentheses never opened", |n| assertion(&")".repeat(n))),
    ("negations", |n| assertion(&nested(n, "not(", "x = 1", ")"))),
    ("implications to the left", |n| assertion(&format!("{}x = 1", "x = 1 => ".repeat(n)))),
    ("implications to the right", |n| assertion(&nested(n, "x = 1 => (", "x = 1", ")"))),
    ("conjunctions to the right", |n| assertion(&nested(n, "x = 1 & (", "x = 1", ")"))),
    ("conjunctions and disjunctions", |n| assertion(&nested(n, "x = 1 & (x = 2 or (", "x = 1", "))"))),
    ("quantifiers", |n| assertion(&nested(n, "!y.(y : 1..2 => ", "x = y", ")"))),
    ("quantifiers with different names", |n| {
        let open = listed(n, |idx| format!("#y{idx}.(y{idx} = x & "), "");
        assertion(&format!("{open}x = y0{}", ")".repeat(n)))
    }),
    ("comprehensions", |n| assertion(&format!("x : {}", nested(n, "union({y | y <: ", "1..2", "})")))),
    ("sets in sets", |n| assertion(&format!("{} /= {}", nested(n, "{", "x", "}"), nested(n, "{", "x", "}")))),
    ("sets never closed", |n| assertion(&"{".repeat(n))),
    ("sequences in sequences", |n| assertion(&format!("{} /= []", nested(n, "[", "x", "]")))),
    ("power sets", |n| assertion(&format!("{{}} : {}", nested(n, "POW(", "INTEGER", ")")))),
    ("records in records", |n| {
        assertion(&format!("{} = {}", nested(n, "rec(a : ", "x", ")"), nested(n, "rec(a : ", "x", ")")))
    }),
    ("fields of fields", |n| assertion(&format!("x = {}{}", nested(n, "rec(a : ", "x", ")"), "'a".repeat(n)))),
    ("fields of a number", |n| assertion(&format!("x = x{}", "'a".repeat(n)))),
    ("pairs", |n| assertion(&format!("{} = {}", equal(n, "x", " |-> "), equal(n, "x", " |-> ")))),
    ("pairs to the right", |n| assertion(&format!("{0} = {0}", nested(n, "(x |-> ", "x", ")")))),
    ("tuples", |n| assertion(&format!("({}) /= ({})", equal(n, "x", ","), equal(n, "x", ",")))),
    ("applications", |n| assertion(&format!("x = x{}", "(x)".repeat(n)))),
    ("images", |n| assertion(&format!("{{}} = id(INTEGER){}", "[{x}]".repeat(n)))),
    ("inverses", |n| assertion(&format!("{{}} = {}", nested(n, "(", "{1 |-> 2}", "~)")))),
    ("sums", |n| assertion(&format!("x = {}", equal(n, "1", " + ")))),
    ("differences", |n| assertion(&format!("x = {}", equal(n, "1", " - ")))),
    ("products", |n| assertion(&format!("x = {}", equal(n, "1", " * ")))),
    ("powers", |n| assertion(&format!("x = {}", equal(n, "1", " ** ")))),
    ("unions", |n| assertion(&format!("{{x}} = {}", equal(n, "{1}", " \\/ ")))),
    ("unions of unknown sets", |n| assertion(&format!("{{}} = {}", equal(n, "{}", " \\/ ")))),
    ("concatenations of unknown sequences", |n| assertion(&format!("[] = {}", equal(n, "[]", " ^ ")))),
    ("compositions", |n| assertion(&format!("{{}} = ({})", equal(n, "id(INTEGER)", " ; ")))),
    ("products of sets", |n| assertion(&format!("{{}} = {}", equal(n, "BOOL", " * ")))),
    ("functions to functions", |n| assertion(&format!("{{}} = {}", nested(n, "BOOL --> (", "BOOL", ")")))),
    ("conditional expressions", |n| assertion(&format!("x = {}", nested(n, "IF x = 1 THEN 1 ELSE ", "2", " END")))),
    ("conditional predicates", |n| assertion(&nested(n, "IF x = 1 THEN x = 2 ELSE ", "x = 3", " END"))),
    ("alternatives of an IF", |n| {
        let branches = " ELSIF x = 1 THEN x = 2".repeat(n);
        assertion(&format!("IF x = 1 THEN x = 2{branches} ELSE x = 3 END"))
    }),
    ("bindings", |n| assertion(&format!("x = {}", nested(n, "LET y BE y = x IN ", "y", " END")))),
    ("bool of bool", |n| assertion(&format!("TRUE = {}", nested(n, "bool(TRUE = ", "TRUE", ")")))),
    ("templates in templates", |n| assertion(&format!("{} = \"\"", nested(n, "```${", "x", "}```")))),
    ("templates never closed", |n| assertion(&"```${".repeat(n))),
    ("labels", |n| assertion(&format!("{} x = 1", "/*@label l */ ".repeat(n)))),
    ("blocks", |n| operation(&nested(n, "BEGIN ", "x := 1", " END"))),
    ("blocks never closed", |n| operation(&"BEGIN ".repeat(n))),
    ("conditions", |n| operation(&nested(n, "IF x = 1 THEN ", "x := 1", " END"))),
    ("conditions never closed", |n| operation(&"IF x = 1 THEN ".repeat(n))),
    ("conditions in ELSE", |n| operation(&nested(n, "IF x = 1 THEN skip ELSE ", "x := 1", " END"))),
    ("alternatives", |n| operation(&format!("IF x = 1 THEN skip{} END", " ELSIF x = 1 THEN skip".repeat(n)))),
    ("guards", |n| operation(&nested(n, "SELECT x = 1 THEN ", "x := 1", " END"))),
    ("preconditions", |n| operation(&nested(n, "PRE x = 1 THEN ", "x := 1", " END"))),
    ("choices", |n| operation(&nested(n, "CHOICE skip OR ", "x := 1", " END"))),
    ("cases", |n| operation(&nested(n, "CASE x OF EITHER 1 THEN ", "x := 1", " END END"))),
    ("any", |n| operation(&nested(n, "ANY y WHERE y = x THEN ", "x := y", " END"))),
    ("locals", |n| operation(&nested(n, "VAR y IN y := x; ", "x := y", " END"))),
    ("loops", |n| operation(&nested(n, "WHILE x < 1 DO ", "x := 1", " INVARIANT x = x VARIANT x END"))),
    ("sequences", |n| operation(&format!("BEGIN {} END", equal(n, "x := 1", "; ")))),
    ("parallels", |n| {
        let body = listed(n, |idx| format!("x{idx} := 0"), " || ");
        let (names, typing) = (names(n), zeros(n));
        format!("MACHINE Main VARIABLES {names} INVARIANT {typing} INITIALISATION {body} OPERATIONS op = {body} END")
    }),
    ("parallels in parallels", |n| {
        let (names, typing) = (names(n), zeros(n));
        let body = format!("{}skip{}", listed(n, |idx| format!("BEGIN x{idx} := 0 || "), ""), " END".repeat(n));
        format!("MACHINE Main VARIABLES {names} INVARIANT {typing} INITIALISATION {body} END")
    }),
    ("assignment to many", |n| {
        let (names, typing, values) = (names(n), zeros(n), equal(n, "0", ", "));
        format!("MACHINE Main VARIABLES {names} INVARIANT {typing} INITIALISATION {names} := {values} END")
    }),
    ("choice of many", |n| {
        let (names, typing, values) = (names(n), zeros(n), equal(n, "{0}", " * "));
        format!("MACHINE Main VARIABLES {names} INVARIANT {typing} INITIALISATION {names} :: {values} END")
    }),
    ("elements of a place", |n| operation(&format!("x{} := 1", "(1)".repeat(n)))),
    ("fields of a place", |n| operation(&format!("x{} := 1", "'a".repeat(n)))),
    ("a chain of equal constants", |n| {
        constants(n, &format!("{} & x0 = 1", chain(n, |low, high| format!("x{low} = x{high}"), " & ")))
    }),
    ("a chain of equal constants backwards", |n| {
        constants(n, &format!("{} & x0 = 1", chain_backwards(n, |low, high| format!("x{low} = x{high}"), " & ")))
    }),
    ("a chain of untyped constants", |n| {
        constants(n, &format!("{} & x0 = x0", chain(n, |low, high| format!("x{low} = x{high}"), " & ")))
    }),
    ("a chain of members", |n| {
        constants(n, &format!("{} & x0 = 1", chain(n, |low, high| format!("x{low} : x{high}"), " & ")))
    }),
    ("a chain of sums", |n| {
        constants(n, &format!("{} & x0 = 1", chain(n, |low, high| format!("x{low} + x{high} = x{high}"), " & ")))
    }),
    ("a chain of differences backwards", |n| {
        let differences = chain_backwards(n, |low, high| format!("x{low} - x{low} = x{high}"), " & ");
        constants(n, &format!("{differences} & x0 = 1"))
    }),
    ("a chain of products backwards", |n| {
        let products = chain_backwards(n, |low, high| format!("x{low} * x{low} = x{high}"), " & ");
        constants(n, &format!("{products} & x0 = 1"))
    }),
    ("a chain of fields backwards", |n| {
        let fields = chain_backwards(n, |low, high| format!("x{low}'a = x{high}'a"), " & ");
        constants(n, &format!("{fields} & x0 = rec(a : 1)"))
    }),
    ("constants", |n| constants(n, &listed(n, |idx| format!("x{idx} = {idx}"), " & "))),
    ("untyped constants", |n| constants(n, "1 = 1")),
    ("different constants", |n| {
        let names = names(n);
        format!("MACHINE Main SETS S CONSTANTS {names} PROPERTIES S = {{{names}}} & card({{{names}}}) = {n} END")
    }),
    ("a record of many fields", |n| {
        let record = |value: &str| format!("rec({})", listed(n, |idx| format!("x{idx} : {value}"), ", "));
        assertion(&format!("{} = {}", record("1"), record("x")))
    }),
    ("a record of one field many times", |n| assertion(&format!("rec({}) = x", equal(n, "a : 1", ", ")))),
    ("many bound names", |n| assertion(&format!("#({}).({})", names(n), zeros(n)))),
    ("one bound name many times", |n| assertion(&format!("#({}).(y = x)", equal(n, "y", ", ")))),
    ("a binding of many names", |n| assertion(&format!("LET {} BE {} IN x = x0 END", names(n), zeros(n)))),
    ("a substitution of many names", |n| assertion(&format!("[{} := {}] (x = x0)", names(n), equal(n, "x", ", ")))),
    ("unknown names", |n| assertion(&listed(n, |idx| format!("y{idx} = 1"), " & "))),
    ("one name declared many times", |n| format!("MACHINE Main VARIABLES {} END", equal(n, "x", ", "))),
    ("enumerated sets", |n| {
        format!("MACHINE Main SETS {} END", listed(n, |idx| format!("S{idx} = {{a{idx}, b{idx}}}"), "; "))
    }),
    ("deferred sets", |n| format!("MACHINE Main SETS {} END", listed(n, |idx| format!("S{idx}"), "; "))),
    ("elements", |n| format!("MACHINE Main SETS S = {{{}}} END", names(n))),
    ("freetypes", |n| {
        format!("MACHINE Main FREETYPES {} END", listed(n, |idx| format!("T{idx} = c{idx}, d{idx}(INTEGER)"), "; "))
    }),
    ("operations", |n| calls(&listed(n, |idx| format!("op{idx} = x := {idx}"), "; "))),
    ("one operation many times", |n| format!("MACHINE Main OPERATIONS {} END", equal(n, "op = skip", "; "))),
    ("a chain of calls", |n| {
        let chain = chain(n, |low, high| format!("op{low} = op{high}; "), "");
        calls(&format!("{chain}op{} = x := 1", n - 1))
    }),
    ("a chain of calls backwards", |n| {
        let chain = chain_backwards(n, |low, high| format!("; op{low} = op{high}"), "");
        calls(&format!("op{} = x := 1{chain}", n - 1))
    }),
    ("a chain of calls twice each", |n| {
        let chain = chain(n, |low, high| format!("op{low} = BEGIN op{high}; op{high} END; "), "");
        calls(&format!("{chain}op{} = x := 1", n - 1))
    }),
    ("parameters", |n| format!("MACHINE Main OPERATIONS op({}) = PRE {} THEN skip END END", names(n), zeros(n))),
    ("definitions", |n| format!("MACHINE Main DEFINITIONS {} END", listed(n, |idx| format!("d{idx} == {idx}"), "; "))),
    ("one definition many times", |n| format!("MACHINE Main DEFINITIONS {} END", equal(n, "d == 1", "; "))),
    ("a chain of definitions", |n| {
        let chain = chain(n, |low, high| format!("d{low} == d{high} + 1; "), "");
        format!("MACHINE Main DEFINITIONS {chain}d{} == 1 ASSERTIONS d0 = 1 END", n - 1)
    }),
    ("a chain of definitions with parameters", |n| {
        let chain = chain(n, |low, high| format!("d{low}(e) == d{high}(e); "), "");
        format!("MACHINE Main DEFINITIONS {chain}d{}(e) == e ASSERTIONS d0(1) = 1 END", n - 1)
    }),
    ("definitions that double", |n| {
        let chain = chain(n, |low, high| format!("d{low} == d{high} + d{high}; "), "");
        format!("MACHINE Main DEFINITIONS {chain}d{} == 1 ASSERTIONS d0 = 1 END", n - 1)
    }),
    ("definitions of predicates that double", |n| {
        let chain = chain(n, |low, high| format!("d{low} == d{high} & d{high}; "), "");
        format!("MACHINE Main DEFINITIONS {chain}d{} == btrue ASSERTIONS d0 END", n - 1)
    }),
    ("definitions of substitutions that double", |n| {
        let chain = chain(n, |low, high| format!("d{low} == BEGIN d{high}; d{high} END; "), "");
        format!("MACHINE Main DEFINITIONS {chain}d{} == BEGIN skip END OPERATIONS op = d0 END", n - 1)
    }),
    ("definitions of names that double", |n| {
        let chain = chain(n, |low, high| format!("d{low} == d{high}, d{high}; "), "");
        format!("MACHINE Main DEFINITIONS {chain}d{} == a, b VARIABLES d0 END", n - 1)
    }),
    ("arguments that double", |n| {
        let chain = chain(n, |low, high| format!("d{low}(e) == d{high}(e + e); "), "");
        format!("MACHINE Main DEFINITIONS {chain}d{}(e) == e ASSERTIONS d0(1) = 1 END", n - 1)
    }),
    ("types that double", |n| {
        constants(n, &format!("x0 = 1{}", chain(n, |low, high| format!(" & x{high} = (x{low} |-> x{low})"), "")))
    }),
    ("types that double backwards", |n| {
        let chain = chain_backwards(n, |low, high| format!("x{high} = (x{low} |-> x{low}) & "), "");
        constants(n, &format!("{chain}x0 = 1"))
    }),
    ("records that double", |n| {
        constants(
            n,
            &format!("x0 = 1{}", chain(n, |low, high| format!(" & x{high} = rec(a : x{low}, b : x{low})"), "")),
        )
    }),
    ("a cycle of definitions", |n| {
        let cycle = listed(n, |idx| format!("d{idx} == d{}", (idx + 1) % n), "; ");
        format!("MACHINE Main DEFINITIONS {cycle} ASSERTIONS d0 = 1 END")
    }),
    ("definitions that all use each other", |n| {
        let all = listed(n.isqrt(), |idx| format!("d{idx}"), " + ");
        let definitions = listed(n.isqrt(), |idx| format!("d{idx} == {all}"), "; ");
        format!("MACHINE Main DEFINITIONS {definitions} ASSERTIONS d0 = 1 END")
    }),
    ("an identifier", |n| assertion(&format!("{0} = {0}", "x".repeat(n)))),
    ("a quoted identifier", |n| assertion(&format!("`{}` = 1", "\\n".repeat(n)))),
    ("an integer", |n| assertion(&format!("x = {}", "9".repeat(n)))),
    ("a hexadecimal integer", |n| assertion(&format!("x = 0x{}", "F".repeat(n)))),
    ("a real", |n| assertion(&format!("x = {0}.{0}", "9".repeat(n)))),
    ("a string", |n| assertion(&format!("\"{}\" = \"\"", "\\n".repeat(n)))),
    ("a string never closed", |n| assertion(&"\"".repeat(n | 1))),
    ("a comment", |n| assertion(&format!("/*{}*/ x = 1", "*".repeat(n)))),
    ("comments", |n| assertion(&format!("{} x = 1", "/* */".repeat(n)))),
    ("comments never closed", |n| assertion(&"/*".repeat(n))),
    ("lines", |n| assertion(&format!("{} x = 1", "// a\n".repeat(n)))),
    ("blanks", |n| assertion(&format!("{} x = 1", " \n".repeat(n)))),
    ("less", |n| assertion(&"< ".repeat(n))),
    ("names", |n| assertion(&"x ".repeat(n))),
    ("semicolons", |n| format!("MACHINE Main OPERATIONS {} END", ";".repeat(n))),
    ("clauses", |n| format!("MACHINE Main {} END", "VARIABLES x ".repeat(n))),
    ("wrong characters", |n| assertion(&"§".repeat(n))),
    ("null", |n| "\0".repeat(n)),
];

/// Flat inputs of about so many bytes.
pub const LARGE: &[Input] = &[
    ("a conjunction", |n| assertion(&repeated(n, "x + 1 : 1..3 & x /= 7 & ", "x = 1"))),
    ("a dense conjunction", |n| assertion(&repeated(n, "x=1&", "x=1"))),
    ("a sum", |n| assertion(&format!("x = {}", repeated(n, "1+", "1")))),
    ("a set", |n| assertion(&format!("x : {{{}}}", repeated(n, "1,", "1")))),
    ("a relation", |n| assertion(&format!("{{x |-> x}} = {{{}}}", repeated(n, "1|->x,", "1|->x")))),
    ("an error in the middle", |n| {
        assertion(&format!("{}x = ) & {}", repeated(n, "x=1&", ""), repeated(n, "x=1&", "x=1")))
    }),
    ("an identifier", |n| assertion(&format!("{} = 1", "x".repeat(n)))),
];

/// The inputs of one size whose names contain `part`, one after the other.
pub fn inputs(table: &'static [Input], n: usize, part: &str) -> impl Iterator<Item = (&'static str, String)> {
    table.iter().filter(move |(name, _)| name.contains(part)).map(move |(name, make)| (*name, make(n)))
}

fn nested(n: usize, open: &str, inside: &str, close: &str) -> String {
    format!("{}{inside}{}", open.repeat(n), close.repeat(n))
}

/// A machine with a formula about `x`.
fn assertion(text: &str) -> String {
    format!("MACHINE Main VARIABLES x INVARIANT x : INTEGER & ({text}) INITIALISATION x := 0 END")
}

/// A machine with an operation on `x`.
fn operation(body: &str) -> String {
    format!("MACHINE Main VARIABLES x INVARIANT x : INTEGER INITIALISATION x := 0 OPERATIONS op = {body} END")
}

/// A machine with so many constants.
fn constants(n: usize, properties: &str) -> String {
    format!("MACHINE Main CONSTANTS {} PROPERTIES {properties} END", names(n))
}

/// A machine whose operations call each other.
fn calls(operations: &str) -> String {
    let start = "MACHINE Main DEFINITIONS SET_PREF_ALLOW_LOCAL_OPERATION_CALLS == TRUE VARIABLES x INVARIANT x = 0";
    format!("{start} INITIALISATION x := 0 OPERATIONS {operations} END")
}

fn listed(n: usize, item: impl Fn(usize) -> String, separator: &str) -> String {
    (0..n).map(item).collect::<Vec<_>>().join(separator)
}

fn names(n: usize) -> String {
    listed(n, |idx| format!("x{idx}"), ", ")
}

/// `x0 = 0 & x1 = 0 ...`
fn zeros(n: usize) -> String {
    listed(n, |idx| format!("x{idx} = 0"), " & ")
}

/// The items for 1 to n - 1, each with its predecessor.
fn chain(n: usize, item: impl Fn(usize, usize) -> String, separator: &str) -> String {
    (1..n).map(|idx| item(idx - 1, idx)).collect::<Vec<_>>().join(separator)
}

fn chain_backwards(n: usize, item: impl Fn(usize, usize) -> String, separator: &str) -> String {
    (1..n).rev().map(|idx| item(idx - 1, idx)).collect::<Vec<_>>().join(separator)
}

/// An item again and again, up to so many bytes.
fn repeated(n_bytes: usize, item: &str, last: &str) -> String {
    format!("{}{last}", item.repeat(n_bytes / item.len()))
}

/// So many equal items.
fn equal(n: usize, item: &str, separator: &str) -> String {
    [item].repeat(n).join(separator)
}
