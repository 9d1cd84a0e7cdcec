//! Large, deeply nested and broken texts: the parser must end and must not overflow the stack.

use abridge_diag::{FileId, MAX_DEPTH};

use super::{Parse, mistakes};
use crate::ast::{Expr, ExprId, Unit};
use crate::{parse_file, parse_formula, parse_substitution};

#[track_caller]
fn too_deep(parse: Parse, input: &str) {
    let (ast, diagnostics) = parse(FileId(0), input);
    let ids: Vec<&str> = diagnostics.iter().map(|diagnostic| diagnostic.id).collect();
    assert_eq!(ids, ["nested-too-deep"]);
    for idx in 0..ast.n_exprs() {
        assert!(ast.expr(ExprId(idx as u32)).depth <= MAX_DEPTH + 1);
    }
}

#[test]
fn deep_nesting_is_one_diagnostic() {
    const N: usize = 100_000;
    for (open, close) in
        [("(", ")"), ("{", "}"), ("not(", ")"), ("!x.(", ")"), ("-(", ")"), ("f(", ")"), ("```${", "}```")]
    {
        too_deep(parse_formula, &format!("{}x{}", open.repeat(N), close.repeat(N)));
    }
    for chain in ["x+", "x**", "p=>", "IF p THEN "] {
        too_deep(parse_formula, &format!("{}x", chain.repeat(N)));
    }
    too_deep(parse_formula, &format!("f{}", "(x)".repeat(N)));
    too_deep(parse_formula, &format!("r{}", "'a".repeat(N)));
    too_deep(parse_substitution, &"BEGIN ".repeat(N));
    too_deep(parse_substitution, &"IF p THEN ".repeat(N));
    too_deep(parse_file, &format!("MACHINE M PROPERTIES {} END", "(".repeat(N)));
}

#[test]
fn moderate_nesting_is_accepted() {
    const N: usize = 5_000;
    let input = format!("{}x=1{}", "(".repeat(N), ")".repeat(N));
    assert_eq!(mistakes(parse_formula, &input), "");
    let input = format!("{}skip{}", "BEGIN ".repeat(N), " END".repeat(N));
    assert_eq!(mistakes(parse_substitution, &input), "");
}

#[test]
fn a_million_conjuncts_are_one_flat_node() {
    let input = format!("{}x=1", "x=1 & ".repeat(1_000_000));
    let (ast, diagnostics) = parse_formula(FileId(0), &input);
    assert!(diagnostics.is_empty());
    let Unit::Formula(id) = ast.unit else { panic!("not a formula") };
    let node = ast.expr(id);
    assert!(matches!(&node.expr, Expr::And(operands) if operands.len() == 1_000_001));
    assert_eq!(node.depth, 3);
}

#[test]
fn long_sequences_are_flat() {
    let input = format!("{}x:=1", "x:=1; ".repeat(100_000));
    let (ast, diagnostics) = parse_substitution(FileId(0), &input);
    assert!(diagnostics.is_empty());
    let Unit::Substitution(id) = ast.unit else { panic!("not a substitution") };
    assert_eq!(ast.subst(id).depth, 3);
}

#[test]
fn repeated_junk_ends() {
    for piece in [
        "(",
        ")",
        "{",
        "}",
        "[",
        "]",
        "&",
        "&&",
        ";",
        ",",
        "|",
        "||",
        "!",
        "x ",
        "x,",
        "x.",
        "= ",
        "< ",
        "-",
        "'",
        "`",
        "\"",
        "```",
        "${",
        "/*",
        "END ",
        "IF ",
        "THEN ",
        "BEGIN ",
        "x:=",
        "x==",
        "a=",
        "$",
        "_",
        "≜",
        "\u{fffd}",
        "{x,",
        "[x,",
        "{(",
        "VARIABLES ",
        "VARIABLES x ",
        "MACHINE M ",
        "DEFINITIONS ",
        "OPERATIONS ",
        "a = PRE ",
        "x=IF ",
        "/*@label a*/",
        "dom ",
        "CASE ",
        "x <-- ",
        "rec(",
        "a == IF ",
        "a == (",
        "(;a ==",
        "first ",
        "VARIABLS ",
        "op = skip ",
    ] {
        let junk = piece.repeat(20_000);
        for parse in [parse_formula as Parse, parse_substitution, parse_file] {
            let (_, diagnostics) = parse(FileId(0), &junk);
            assert!(diagnostics.len() <= 100, "{piece}");
        }
        for start in ["MACHINE M ", "MACHINE M DEFINITIONS a == ", "MACHINE M OPERATIONS a = BEGIN ", "MACHINE M SETS "]
        {
            parse_file(FileId(0), &format!("{start}{junk}"));
        }
    }
}

/// Every prefix of a machine, and the machine without any one of its tokens, gives a tree.
#[test]
fn every_mutilation_of_a_machine_ends() {
    let text = "MACHINE M(S) SETS T={a,b}; U CONSTANTS c PROPERTIES c : seq(T) & !x.(x:dom(c) => c(x) /= a) \
        DEFINITIONS \"f.def\"; D(x) == {y | y = x}; E == BEGIN x := 1 END VARIABLES x, y \
        INVARIANT x : 1..3 & y = rec(a:1, b:{x·x:T|[x]})'b & LET z BE z = 1 IN z > 0 END \
        INITIALISATION x, y := 1, {} ; WHILE x < 3 DO x := x + 1 INVARIANT x < 4 VARIANT 3 - x END \
        OPERATIONS r <-- op(p) = PRE p : T THEN CASE p OF EITHER a THEN r := 1 OR b THEN r :: S ELSE skip END END END; \
        q = ANY k WHERE k : NAT THEN IF k = 1 THEN x : (x > x$0) ELSIF k = 2 THEN r <-- m.op(a) ELSE skip END || y := ~ END END";
    let starts: Vec<usize> = text.char_indices().map(|(idx, _)| idx).collect();
    for start in starts {
        parse_file(FileId(0), &text[..start]);
        let end = text[start..].find(' ').map_or(text.len(), |len| start + len);
        parse_file(FileId(0), &format!("{}{}", &text[..start], &text[end..]));
        parse_file(FileId(0), &format!("{} ) {}", &text[..start], &text[start..]));
    }
}
