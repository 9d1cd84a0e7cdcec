//! Random formulas without the parentheses of the user: the printer must add all that are needed.

use abridge_diag::FileId;
use abridge_value::Random;

use super::{PrintConfig, print, print_expr};
use crate::ast::{Ast, Builtin, ExprId, Unit};
use crate::{parse_formula, same_tree};

/// Random word of a list separated by blanks.
fn word<'t>(random: &mut Random, words: &'t str) -> &'t str {
    let words: Vec<&str> = words.split_whitespace().collect();
    words[random.below(words.len())]
}

/// Formulas without operands, separated by blanks.
const LEAVES: &str = r#"
    x m.x x$0 0 12 0xfF 1.5 1.0e+3 "a" "\\\d\n\"'" '''a\n"b''' {} [] TRUE NATURAL1 succ @prj1 `dom` `a-b` `back\`quote` m.`or`
    floor `left` x₁ aλ2 MAXINT STRING ```a${x}b``` ```${1+2}\${c}\\``` ref
"#;

const EXPRESSION_OPERATORS: &str = r"
    ; || <-> +-> --> >+> >-> +->> -->> >+>> >->> <<-> <->> <<->> <+ >< ∘ ^ <| <<| |> |>> -> <- \/ /\ /|\ \|/ |-> .. - + \ * /
    ** mod × ⦂
";

const RELATIONS: &str = "= /= : /: <: /<: <<: /<<: < <= > >= ∋";

/// Random expression in parentheses, or a leaf.
fn expression(random: &mut Random, depth: usize) -> String {
    if depth == 0 {
        return word(random, LEAVES).to_owned();
    }
    let depth = depth - 1;
    let mut e = || expression(random, depth);
    let (a, b, c) = (e(), e(), e());
    let p = predicate(random, depth);
    let text = match random.below(26) {
        0..=8 => format!("{a} {} {b}", word(random, EXPRESSION_OPERATORS)),
        9 => format!("{a} /*@ symbolic */ ; {b}"),
        10 => format!("-{a}"),
        11 => format!("{a}~"),
        12 => format!("{a}({b})"),
        13 => format!("{a}({b}, {c})"),
        14 => format!("{a}[{b}]"),
        15 => format!("{a}'`if`"),
        16 => format!("{a}, {b}"),
        17 => match random.below(5) {
            0 => format!("{{{a}}}"),
            1 => format!("[{a}]"),
            2 => format!("{{{a}, {b}}}"),
            3 => format!("[{a}, {b}]"),
            _ => format!("({a}, {b}, {c})"),
        },
        18 => format!("{{x | {p}}}"),
        19 => format!("{} | {p}}}", random.pick(&["{x, y", "{x |-> y", "/*@ symbolic */ {(x, y)"])),
        20 => format!("{{(x, y).{p} | {a}}}"),
        21 => {
            let quantifier = random.pick(&["%", "SIGMA", "PI", "UNION", "INTER", "/*@ symbolic */ %"]);
            format!("{quantifier}(x, y).({p} | {a})")
        }
        22 => format!("{}(f: {a}, `g h`: {b})", random.pick(&["rec", "struct"])),
        23 => format!("IF {p} THEN {a} ELSE {b} END"),
        24 => format!("LET x, y BE {p} IN {a} END"),
        _ => builtin(random, &a, &p),
    };
    if random.below(12) == 0 { format!("({text} /*@ desc of {} */)", random.below(9)) } else { format!("({text})") }
}

fn builtin(random: &mut Random, a: &str, p: &str) -> String {
    match Builtin::ALL[random.below(Builtin::ALL.len())] {
        Builtin::Bool => format!("bool({p})"),
        Builtin::Finite | Builtin::Partition => format!("card({a})"),
        builtin => {
            let args = vec![a; *builtin.info().arity.start()];
            format!("{}({})", builtin.info().name, args.join(", "))
        }
    }
}

/// Random predicate in parentheses.
fn predicate(random: &mut Random, depth: usize) -> String {
    if depth == 0 {
        return random.pick(&["(btrue)", "(x = 1)", "(P)", "(q(x))"]).to_string();
    }
    let depth = depth - 1;
    let (a, b) = (expression(random, depth), expression(random, depth));
    let mut p = || predicate(random, depth);
    let (p, q, r) = (p(), p(), p());
    let text = match random.below(17) {
        0..=3 => format!("{a} {} {b}", word(random, RELATIONS)),
        4 => format!("{p} & {q}"),
        5 => format!("{p} & {q} & {r}"),
        6 => format!("{p} or {q} or {r}"),
        7 => format!("{p} => {q}"),
        8 => format!("{p} <=> {q}"),
        9 => format!("not({p})"),
        10 => format!("!x.({p})"),
        11 => format!("#(x, y).({p})"),
        12 => format!("[x, y := {a}, {b}]{p}"),
        13 => format!("{}{p}", random.pick(&["/*@ label a */ ", "/*@ label a */ /*@ label \"b c\" */ "])),
        14 => format!("IF {p} THEN {q} ELSIF {r} THEN {p} ELSE {q} END"),
        15 => format!("LET x BE {p} IN {q} END"),
        _ => format!("@partition({a}, {b})"),
    };
    if random.below(8) == 0 { format!("({text} /*@ desc d */)") } else { format!("({text})") }
}

fn parsed(text: &str) -> Ast {
    let (ast, diagnostics) = parse_formula(FileId(0), text);
    let errors: Vec<_> = diagnostics.iter().filter(|diagnostic| diagnostic.is_error()).collect();
    assert!(errors.is_empty(), "{errors:?}\n{text}");
    ast
}

#[test]
fn forall_formulas_without_parentheses() {
    for seed in 0..3_000 {
        let mut random = Random::new(seed);
        let depth = 1 + random.below(4);
        let text = if seed % 2 == 0 { predicate(&mut random, depth) } else { expression(&mut random, depth) };
        let mut ast = parsed(&text);
        for idx in 0..ast.n_exprs() {
            ast.expr_mut(ExprId(idx as u32)).parens = false;
        }
        for (unicode, width) in [(false, 100), (true, 100), (false, 15)] {
            let config = PrintConfig { unicode, width };
            let printed = print(&ast, config);
            let again = parsed(&printed);
            assert!(same_tree(&ast, &again), "seed {seed}\n{text}\n{printed}");
            assert_eq!(print(&again, config), printed, "seed {seed}\n{text}");
        }
        let Unit::Formula(root) = ast.unit else { panic!("a formula was parsed") };
        let line = print_expr(&ast, root, PrintConfig::default());
        assert!(!line.contains('\n') && same_tree(&ast, &parsed(&line)), "seed {seed}\n{text}\n{line}");
    }
}
