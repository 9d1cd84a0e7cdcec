//! Inputs that are large or deep in one direction, to find what takes more than linear time or recurses without care.

/// Names and texts of inputs of about `scale` units each: levels of nesting, links of a chain, declarations.
pub fn deep(scale: usize) -> Vec<(&'static str, String)> {
    let nested =
        |open: &str, inside: &str, close: &str| format!("{}{inside}{}", open.repeat(scale), close.repeat(scale));
    let operation = |body: &str| {
        format!("MACHINE Main VARIABLES x INVARIANT x : INTEGER INITIALISATION x := 0 OPERATIONS op = {body} END")
    };
    let assertion =
        |text: &str| format!("MACHINE Main VARIABLES x INVARIANT x : INTEGER & ({text}) INITIALISATION x := 0 END");
    let constants = |names: &str, text: &str| format!("MACHINE Main CONSTANTS {names} PROPERTIES {text} END");
    let listed =
        |item: &dyn Fn(usize) -> String, separator: &str| (0..scale).map(item).collect::<Vec<_>>().join(separator);
    let names = listed(&|idx| format!("x{idx}"), ", ");
    vec![
        ("parentheses around a predicate", assertion(&nested("(", "x = 1", ")"))),
        ("parentheses around an expression", assertion(&format!("x = {}", nested("(", "1", ")")))),
        ("parentheses never closed", assertion(&"(".repeat(scale))),
        ("parentheses never opened", assertion(&")".repeat(scale))),
        ("negations", assertion(&nested("not(", "x = 1", ")"))),
        ("implications to the left", assertion(&format!("{}x = 1", "x = 1 => ".repeat(scale)))),
        ("implications to the right", assertion(&nested("x = 1 => (", "x = 1", ")"))),
        ("conjunctions to the right", assertion(&nested("x = 1 & (", "x = 1", ")"))),
        ("conjunctions and disjunctions", assertion(&nested("x = 1 & (x = 2 or (", "x = 1", "))"))),
        ("quantifiers", assertion(&nested("!y.(y : 1..2 => ", "x = y", ")"))),
        ("quantifiers with different names", {
            let open = listed(&|idx| format!("#y{idx}.(y{idx} = x & "), "");
            assertion(&format!("{open}x = y0{}", ")".repeat(scale)))
        }),
        ("comprehensions", assertion(&format!("x : {}", nested("union({y | y <: ", "1..2", "})")))),
        ("sets in sets", assertion(&format!("{} /= {}", nested("{", "x", "}"), nested("{", "x", "}")))),
        ("sets never closed", assertion(&"{".repeat(scale))),
        ("sequences in sequences", assertion(&format!("{} /= []", nested("[", "x", "]")))),
        ("power sets", assertion(&format!("{{}} : {}", nested("POW(", "INTEGER", ")")))),
        (
            "records in records",
            assertion(&format!("{} = {}", nested("rec(a : ", "x", ")"), nested("rec(a : ", "x", ")"))),
        ),
        ("fields of fields", assertion(&format!("x = {}{}", nested("rec(a : ", "x", ")"), "'a".repeat(scale)))),
        ("fields of a number", assertion(&format!("x = x{}", "'a".repeat(scale)))),
        ("pairs", assertion(&format!("{} = {}", ["x"].repeat(scale).join(" |-> "), ["x"].repeat(scale).join(" |-> ")))),
        ("pairs to the right", assertion(&format!("{0} = {0}", nested("(x |-> ", "x", ")")))),
        ("tuples", assertion(&format!("({}) /= ({})", ["x"].repeat(scale).join(","), ["x"].repeat(scale).join(",")))),
        ("applications", assertion(&format!("x = x{}", "(x)".repeat(scale)))),
        ("images", assertion(&format!("{{}} = id(INTEGER){}", "[{x}]".repeat(scale)))),
        ("inverses", assertion(&format!("{{}} = {}", nested("(", "{1 |-> 2}", "~)")))),
        ("sums", assertion(&format!("x = {}", ["1"].repeat(scale).join(" + ")))),
        ("differences", assertion(&format!("x = {}", ["1"].repeat(scale).join(" - ")))),
        ("products", assertion(&format!("x = {}", ["1"].repeat(scale).join(" * ")))),
        ("powers", assertion(&format!("x = {}", ["1"].repeat(scale).join(" ** ")))),
        ("unions", assertion(&format!("{{x}} = {}", ["{1}"].repeat(scale).join(" \\/ ")))),
        ("unions of unknown sets", assertion(&format!("{{}} = {}", ["{}"].repeat(scale).join(" \\/ ")))),
        ("concatenations of unknown sequences", assertion(&format!("[] = {}", ["[]"].repeat(scale).join(" ^ ")))),
        ("compositions", assertion(&format!("{{}} = ({})", ["id(INTEGER)"].repeat(scale).join(" ; ")))),
        ("products of sets", assertion(&format!("{{}} = {}", ["BOOL"].repeat(scale).join(" * ")))),
        ("functions to functions", assertion(&format!("{{}} = {}", nested("BOOL --> (", "BOOL", ")")))),
        ("conditional expressions", assertion(&format!("x = {}", nested("IF x = 1 THEN 1 ELSE ", "2", " END")))),
        ("conditional predicates", assertion(&nested("IF x = 1 THEN x = 2 ELSE ", "x = 3", " END"))),
        ("alternatives of an IF", {
            let branches = " ELSIF x = 1 THEN x = 2".repeat(scale);
            assertion(&format!("IF x = 1 THEN x = 2{branches} ELSE x = 3 END"))
        }),
        ("bindings", assertion(&format!("x = {}", nested("LET y BE y = x IN ", "y", " END")))),
        ("bool of bool", assertion(&format!("TRUE = {}", nested("bool(TRUE = ", "TRUE", ")")))),
        ("templates in templates", assertion(&format!("{} = \"\"", nested("```${", "x", "}```")))),
        ("templates never closed", assertion(&"```${".repeat(scale))),
        ("labels", assertion(&format!("{} x = 1", "/*@label l */ ".repeat(scale)))),
        ("blocks", operation(&nested("BEGIN ", "x := 1", " END"))),
        ("blocks never closed", operation(&"BEGIN ".repeat(scale))),
        ("conditions", operation(&nested("IF x = 1 THEN ", "x := 1", " END"))),
        ("conditions never closed", operation(&"IF x = 1 THEN ".repeat(scale))),
        ("conditions in ELSE", operation(&nested("IF x = 1 THEN skip ELSE ", "x := 1", " END"))),
        ("alternatives", operation(&format!("IF x = 1 THEN skip{} END", " ELSIF x = 1 THEN skip".repeat(scale)))),
        ("guards", operation(&nested("SELECT x = 1 THEN ", "x := 1", " END"))),
        ("preconditions", operation(&nested("PRE x = 1 THEN ", "x := 1", " END"))),
        ("choices", operation(&nested("CHOICE skip OR ", "x := 1", " END"))),
        ("cases", operation(&nested("CASE x OF EITHER 1 THEN ", "x := 1", " END END"))),
        ("any", operation(&nested("ANY y WHERE y = x THEN ", "x := y", " END"))),
        ("locals", operation(&nested("VAR y IN y := x; ", "x := y", " END"))),
        ("loops", operation(&nested("WHILE x < 1 DO ", "x := 1", " INVARIANT x = x VARIANT x END"))),
        ("sequences", operation(&format!("BEGIN {} END", ["x := 1"].repeat(scale).join("; ")))),
        ("parallels", {
            let body = listed(&|idx| format!("x{idx} := 0"), " || ");
            let typing = listed(&|idx| format!("x{idx} = 0"), " & ");
            format!(
                "MACHINE Main VARIABLES {names} INVARIANT {typing} INITIALISATION {body} OPERATIONS op = {body} END"
            )
        }),
        ("parallels in parallels", {
            let body = listed(&|idx| format!("BEGIN x{idx} := 0 || "), "");
            let typing = listed(&|idx| format!("x{idx} = 0"), " & ");
            let body = format!("{body}skip{}", " END".repeat(scale));
            format!("MACHINE Main VARIABLES {names} INVARIANT {typing} INITIALISATION {body} END")
        }),
        ("assignment to many", {
            let zeros = ["0"].repeat(scale).join(", ");
            let typing = listed(&|idx| format!("x{idx} = 0"), " & ");
            format!("MACHINE Main VARIABLES {names} INVARIANT {typing} INITIALISATION {names} := {zeros} END")
        }),
        ("choice of many", {
            let typing = listed(&|idx| format!("x{idx} = 0"), " & ");
            let values = ["{0}"].repeat(scale).join(" * ");
            format!("MACHINE Main VARIABLES {names} INVARIANT {typing} INITIALISATION {names} :: {values} END")
        }),
        ("elements of a place", operation(&format!("x{} := 1", "(1)".repeat(scale)))),
        ("fields of a place", operation(&format!("x{} := 1", "'a".repeat(scale)))),
        ("a chain of equal constants", {
            let chain = (1..scale).map(|idx| format!("x{} = x{idx}", idx - 1)).collect::<Vec<_>>().join(" & ");
            constants(&names, &format!("{chain} & x0 = 1"))
        }),
        ("a chain of equal constants backwards", {
            let chain = (1..scale).rev().map(|idx| format!("x{} = x{idx}", idx - 1)).collect::<Vec<_>>().join(" & ");
            constants(&names, &format!("{chain} & x0 = 1"))
        }),
        ("a chain of untyped constants", {
            let chain = (1..scale).map(|idx| format!("x{} = x{idx}", idx - 1)).collect::<Vec<_>>().join(" & ");
            constants(&names, &chain)
        }),
        ("a chain of members", {
            let chain = (1..scale).map(|idx| format!("x{} : x{idx}", idx - 1)).collect::<Vec<_>>().join(" & ");
            constants(&names, &format!("{chain} & x0 = 1"))
        }),
        ("a chain of sums", {
            let chain = (1..scale).map(|idx| format!("x{} + x{idx} = x{idx}", idx - 1)).collect::<Vec<_>>().join(" & ");
            constants(&names, &format!("{chain} & x0 = 1"))
        }),
        ("a chain of differences backwards", {
            let chain = (1..scale).rev().map(|idx| format!("x{} - x{} = x{idx}", idx - 1, idx - 1));
            let chain = chain.collect::<Vec<_>>().join(" & ");
            constants(&names, &format!("{chain} & x0 = 1"))
        }),
        ("a chain of products backwards", {
            let chain = (1..scale).rev().map(|idx| format!("x{} * x{} = x{idx}", idx - 1, idx - 1));
            let chain = chain.collect::<Vec<_>>().join(" & ");
            constants(&names, &format!("{chain} & x0 = 1"))
        }),
        ("a chain of fields backwards", {
            let chain =
                (1..scale).rev().map(|idx| format!("x{}'a = x{idx}'a", idx - 1)).collect::<Vec<_>>().join(" & ");
            constants(&names, &format!("{chain} & x0 = rec(a : 1)"))
        }),
        ("constants", constants(&names, &listed(&|idx| format!("x{idx} = {idx}"), " & "))),
        ("untyped constants", constants(&names, "1 = 1")),
        ("different constants", {
            format!(
                "MACHINE Main SETS S CONSTANTS {names} PROPERTIES S = {{{names}}} & card({{{names}}}) = {scale} END"
            )
        }),
        ("a record of many fields", {
            let record = |value: &str| format!("rec({})", listed(&|idx| format!("x{idx} : {value}"), ", "));
            assertion(&format!("{} = {}", record("1"), record("x")))
        }),
        ("a record of one field many times", assertion(&format!("rec({}) = x", ["a : 1"].repeat(scale).join(", ")))),
        ("many bound names", assertion(&format!("#({names}).({})", listed(&|idx| format!("x{idx} = x"), " & ")))),
        ("one bound name many times", assertion(&format!("#({}).(y = x)", ["y"].repeat(scale).join(", ")))),
        ("a binding of many names", {
            assertion(&format!("LET {names} BE {} IN x = x0 END", listed(&|idx| format!("x{idx} = x"), " & ")))
        }),
        ("a substitution of many names", {
            assertion(&format!("[{names} := {}] (x = x0)", ["x"].repeat(scale).join(", ")))
        }),
        ("unknown names", assertion(&listed(&|idx| format!("y{idx} = 1"), " & "))),
        ("one name declared many times", format!("MACHINE Main VARIABLES {} END", ["x"].repeat(scale).join(", "))),
        (
            "enumerated sets",
            format!("MACHINE Main SETS {} END", listed(&|idx| format!("S{idx} = {{a{idx}, b{idx}}}"), "; ")),
        ),
        ("deferred sets", format!("MACHINE Main SETS {} END", listed(&|idx| format!("S{idx}"), "; "))),
        ("elements", format!("MACHINE Main SETS S = {{{names}}} END")),
        (
            "freetypes",
            format!("MACHINE Main FREETYPES {} END", listed(&|idx| format!("T{idx} = c{idx}, d{idx}(INTEGER)"), "; ")),
        ),
        ("operations", {
            let operations = listed(&|idx| format!("op{idx} = x := {idx}"), "; ");
            format!("MACHINE Main VARIABLES x INVARIANT x = 0 INITIALISATION x := 0 OPERATIONS {operations} END")
        }),
        ("one operation many times", {
            format!("MACHINE Main OPERATIONS {} END", ["op = skip"].repeat(scale).join("; "))
        }),
        ("a chain of calls", {
            let first =
                "MACHINE Main DEFINITIONS SET_PREF_ALLOW_LOCAL_OPERATION_CALLS == TRUE VARIABLES x INVARIANT x = 0";
            let calls = (1..scale).map(|idx| format!("op{} = op{idx}", idx - 1)).collect::<Vec<_>>().join("; ");
            format!("{first} INITIALISATION x := 0 OPERATIONS {calls}; op{} = x := 1 END", scale - 1)
        }),
        ("a chain of calls backwards", {
            let first =
                "MACHINE Main DEFINITIONS SET_PREF_ALLOW_LOCAL_OPERATION_CALLS == TRUE VARIABLES x INVARIANT x = 0";
            let calls = (1..scale).rev().map(|idx| format!("op{} = op{idx}", idx - 1)).collect::<Vec<_>>().join("; ");
            format!("{first} INITIALISATION x := 0 OPERATIONS op{} = x := 1; {calls} END", scale - 1)
        }),
        ("a chain of calls twice each", {
            let first =
                "MACHINE Main DEFINITIONS SET_PREF_ALLOW_LOCAL_OPERATION_CALLS == TRUE VARIABLES x INVARIANT x = 0";
            let calls = (1..scale).map(|idx| format!("op{0} = BEGIN op{idx}; op{idx} END", idx - 1));
            let calls = calls.collect::<Vec<_>>().join("; ");
            format!("{first} INITIALISATION x := 0 OPERATIONS {calls}; op{} = x := 1 END", scale - 1)
        }),
        (
            "parameters",
            format!(
                "MACHINE Main OPERATIONS op({names}) = PRE {} THEN skip END END",
                listed(&|idx| format!("x{idx} = 0"), " & ")
            ),
        ),
        ("definitions", format!("MACHINE Main DEFINITIONS {} END", listed(&|idx| format!("d{idx} == {idx}"), "; "))),
        ("one definition many times", format!("MACHINE Main DEFINITIONS {} END", ["d == 1"].repeat(scale).join("; "))),
        ("a chain of definitions", {
            let chain = (1..scale).map(|idx| format!("d{} == d{idx} + 1", idx - 1)).collect::<Vec<_>>().join("; ");
            format!("MACHINE Main DEFINITIONS {chain}; d{} == 1 ASSERTIONS d0 = 1 END", scale - 1)
        }),
        ("a chain of definitions with parameters", {
            let chain = (1..scale).map(|idx| format!("d{}(e) == d{idx}(e)", idx - 1)).collect::<Vec<_>>().join("; ");
            format!("MACHINE Main DEFINITIONS {chain}; d{}(e) == e ASSERTIONS d0(1) = 1 END", scale - 1)
        }),
        ("definitions that double", {
            let chain = (1..scale).map(|idx| format!("d{} == d{idx} + d{idx}", idx - 1)).collect::<Vec<_>>().join("; ");
            format!("MACHINE Main DEFINITIONS {chain}; d{} == 1 ASSERTIONS d0 = 1 END", scale - 1)
        }),
        ("definitions of predicates that double", {
            let chain = (1..scale).map(|idx| format!("d{} == d{idx} & d{idx}", idx - 1)).collect::<Vec<_>>().join("; ");
            format!("MACHINE Main DEFINITIONS {chain}; d{} == btrue ASSERTIONS d0 END", scale - 1)
        }),
        ("definitions of substitutions that double", {
            let chain = (1..scale).map(|idx| format!("d{0} == BEGIN d{idx}; d{idx} END", idx - 1));
            let chain = chain.collect::<Vec<_>>().join("; ");
            format!("MACHINE Main DEFINITIONS {chain}; d{} == BEGIN skip END OPERATIONS op = d0 END", scale - 1)
        }),
        ("definitions of names that double", {
            let chain = (1..scale).map(|idx| format!("d{} == d{idx}, d{idx}", idx - 1)).collect::<Vec<_>>().join("; ");
            format!("MACHINE Main DEFINITIONS {chain}; d{} == a, b VARIABLES d0 END", scale - 1)
        }),
        ("arguments that double", {
            let chain =
                (1..scale).map(|idx| format!("d{}(e) == d{idx}(e + e)", idx - 1)).collect::<Vec<_>>().join("; ");
            format!("MACHINE Main DEFINITIONS {chain}; d{}(e) == e ASSERTIONS d0(1) = 1 END", scale - 1)
        }),
        ("types that double", {
            let chain =
                (1..scale).map(|idx| format!("x{idx} = (x{0} |-> x{0})", idx - 1)).collect::<Vec<_>>().join(" & ");
            constants(&names, &format!("x0 = 1 & {chain}"))
        }),
        ("types that double backwards", {
            let chain = (1..scale)
                .rev()
                .map(|idx| format!("x{idx} = (x{0} |-> x{0})", idx - 1))
                .collect::<Vec<_>>()
                .join(" & ");
            constants(&names, &format!("{chain} & x0 = 1"))
        }),
        ("records that double", {
            let chain = (1..scale)
                .map(|idx| format!("x{idx} = rec(a : x{0}, b : x{0})", idx - 1))
                .collect::<Vec<_>>()
                .join(" & ");
            constants(&names, &format!("x0 = 1 & {chain}"))
        }),
        ("a cycle of definitions", {
            let chain = listed(&|idx| format!("d{idx} == d{}", (idx + 1) % scale), "; ");
            format!("MACHINE Main DEFINITIONS {chain} ASSERTIONS d0 = 1 END")
        }),
        ("definitions that all use each other", {
            let n_definitions = scale.isqrt();
            let all = (0..n_definitions).map(|idx| format!("d{idx}")).collect::<Vec<_>>().join(" + ");
            let chain = (0..n_definitions).map(|idx| format!("d{idx} == {all}")).collect::<Vec<_>>().join("; ");
            format!("MACHINE Main DEFINITIONS {chain} ASSERTIONS d0 = 1 END")
        }),
        ("an identifier", assertion(&format!("{0} = {0}", "x".repeat(scale)))),
        ("a quoted identifier", assertion(&format!("`{}` = 1", "\\n".repeat(scale)))),
        ("an integer", assertion(&format!("x = {}", "9".repeat(scale)))),
        ("a hexadecimal integer", assertion(&format!("x = 0x{}", "F".repeat(scale)))),
        ("a real", assertion(&format!("x = {0}.{0}", "9".repeat(scale)))),
        ("a string", assertion(&format!("\"{}\" = \"\"", "\\n".repeat(scale)))),
        ("a string never closed", assertion(&"\"".repeat(scale | 1))),
        ("a comment", assertion(&format!("/*{}*/ x = 1", "*".repeat(scale)))),
        ("comments", assertion(&format!("{} x = 1", "/* */".repeat(scale)))),
        ("comments never closed", assertion(&"/*".repeat(scale))),
        ("lines", assertion(&format!("{} x = 1", "// a\n".repeat(scale)))),
        ("blanks", assertion(&format!("{} x = 1", " \n".repeat(scale)))),
        ("less", assertion(&"< ".repeat(scale))),
        ("names", assertion(&"x ".repeat(scale))),
        ("semicolons", format!("MACHINE Main OPERATIONS {} END", ";".repeat(scale))),
        ("clauses", format!("MACHINE Main {} END", "VARIABLES x ".repeat(scale))),
        ("wrong characters", assertion(&"§".repeat(scale))),
        ("null", "\0".repeat(scale)),
    ]
}

/// Flat inputs of about so many bytes.
pub fn large(n_bytes: usize) -> Vec<(&'static str, String)> {
    let repeated = |item: &str, last: &str| format!("{}{last}", item.repeat(n_bytes / item.len()));
    let assertion =
        |text: &str| format!("MACHINE Main VARIABLES x INVARIANT x : INTEGER & ({text}) INITIALISATION x := 0 END");
    vec![
        ("a conjunction", assertion(&repeated("x + 1 : 1..3 & x /= 7 & ", "x = 1"))),
        ("a dense conjunction", assertion(&repeated("x=1&", "x=1"))),
        ("a sum", assertion(&format!("x = {}", repeated("1+", "1")))),
        ("a set", assertion(&format!("x : {{{}}}", repeated("1,", "1")))),
        ("a relation", assertion(&format!("{{x |-> x}} = {{{}}}", repeated("1|->x,", "1|->x")))),
        ("an error in the middle", assertion(&format!("{}x = ) & {}", repeated("x=1&", ""), repeated("x=1&", "x=1")))),
        ("an identifier", assertion(&format!("{} = 1", "x".repeat(n_bytes)))),
    ]
}
