//! The language: what parses to what, what is refused with which words, and that printing is the inverse of parsing.

use std::path::Path;

use abridge_diag::{Diagnostic, RenderConfig, SourceMap, render};
use abridge_temporal::formula::{BText, Ctl, Ltl, OperationPattern};
use abridge_temporal::{
    Budget, Domain, ExpandError, FairnessSubject, LinearProperty, NoDomain, TemporalText, expand, parse_ctl, parse_ltl,
};
use abridge_testkit::Random;
use abridge_testkit::temporal::{FormulaShape, random_ctl, random_ltl};

/// Parses with the places of a text that stands at offset 10 of a file.
fn ltl(text: &str) -> (Option<Ltl>, Vec<Diagnostic>, SourceMap) {
    let mut map = SourceMap::new();
    let file = map.add("formula", format!("ASSERT == {text}"));
    let (ltl, diagnostics) = parse_ltl(TemporalText { file, base: 10, text });
    (ltl, diagnostics, map)
}

fn ctl(text: &str) -> (Option<Ctl>, Vec<Diagnostic>, SourceMap) {
    let mut map = SourceMap::new();
    let file = map.add("formula", format!("ASSERT == {text}"));
    let (ctl, diagnostics) = parse_ctl(TemporalText { file, base: 10, text });
    (ctl, diagnostics, map)
}

fn read(text: &str) -> Ltl {
    let (ltl, diagnostics, map) = ltl(text);
    ltl.unwrap_or_else(|| panic!("{}", shown(&diagnostics, &map)))
}

fn shown(diagnostics: &[Diagnostic], map: &SourceMap) -> String {
    diagnostics.iter().map(|diagnostic| render(map, diagnostic, RenderConfig { color: false, width: 100 })).collect()
}

/// Checks that a formula is read as if it had these parentheses.
fn check_ltl(text: &str, expected: &str) {
    assert!(read(text).same(&read(expected)), "{text} is read as {}", read(text));
}

#[test]
fn priorities_are_those_of_prob() {
    check_ltl("{a} & {b} or {c}", "(({a} & {b}) or {c})");
    check_ltl("{a} or {b} & {c}", "(({a} or {b}) & {c})");
    check_ltl("{a} => {b} => {c}", "(({a} => {b}) => {c})");
    check_ltl("{a} <=> {b} => {c}", "({a} <=> ({b} => {c}))");
    check_ltl("{a} U {b} U {c}", "(({a} U {b}) U {c})");
    check_ltl("{a} S {b} W {c} R {d} T {e}", "(((({a} S {b}) W {c}) R {d}) T {e})");
    check_ltl("{a} & {b} U {c}", "({a} & ({b} U {c}))");
    check_ltl("G {a} U F {b}", "((G {a}) U (F {b}))");
    check_ltl("not (e(Discard)) U {b}", "((not e(Discard)) U {b})");
}

#[test]
fn letters_need_no_blanks_and_words_are_synonyms() {
    check_ltl("GF[op]", "G (F [op])");
    check_ltl("XX{x=0}", "X (X {x=0})");
    check_ltl("Ge(a)", "G e(a)");
    check_ltl("G F enabled ( a )", "G F e(a)");
    check_ltl("always eventually next {a}", "G F X {a}");
    check_ltl("globally finally {a} stronguntil {b}", "G F {a} U {b}");
    check_ltl("historically once yesterday {a} since {b} trigger {c}", "H O Y {a} S {b} T {c}");
    check_ltl("{a} weakuntil {b} release {c}", "{a} W {b} R {c}");
    check_ltl("{a} and {b} && {c} ∧ {d} || {e} ∨ ¬{f}", "{a} & {b} & {c} & {d} or {e} or not {f}");
    check_ltl("□⋄{a} equivalent <>{b}", "G F {a} <=> F {b}");
    check_ltl("{a} -> {b} implies {c} ⇒ {d}", "{a} => {b} => {c} => {d}");
    check_ltl("{a} <-> {b}", "{a} <=> {b}");
    check_ltl("Av(a) & available(b)", "Av(a) & Av(b)");
    check_ltl("before_after({x > x$0})", "BA({x > x$0})");
    check_ltl("Fdeadlock & deadlock(a, b(1,_))", "F deadlock & deadlock(a,b(1,_))");
    check_ltl("sf(a) => true", "SF(a) => true");
}

#[test]
fn atoms_keep_their_text_and_offset() {
    let text = "G ({ x = \"}\" & y : {1,2} } => [op( f(1,2) , _)])";
    let ltl = read(text);
    let texts: Vec<_> = ltl.atoms.iter().flat_map(|(_, atom)| atom.kind.texts()).collect();
    assert_eq!(texts.iter().map(|text| text.text.as_str()).collect::<Vec<_>>(), ["x = \"}\" & y : {1,2}", "f(1,2)"]);
    for part in texts {
        assert_eq!(&text[part.start as usize..][..part.text.len()], part.text);
    }
    assert_eq!(ltl.to_string(), "G ({x = \"}\" & y : {1,2}} => [op(f(1,2),_)])");
}

#[test]
fn equal_atoms_are_one() {
    assert_eq!(read("{x=1} & F { x=1 } & [a] & X [ a ]").atoms.len(), 2);
}

#[test]
fn fairness_has_a_grammar_of_its_own() {
    check_ltl("SF(C) & (WF(C) & WF(E)) or WF(D) => {p}", "SF(C) & ((WF(C) & WF(E)) or WF(D)) => {p}");
    check_ltl("SF(C) & SF(E) or SF(F) & SF(E) & WF(F) => {p}", "(((SF(C) & SF(E)) or SF(F)) & SF(E)) & WF(F) => {p}");
    check_ltl("(SF(C) & SF(E)) or (SF(F) & SF(E)) => {p}", "(SF(C) & SF(E)) or (SF(F) & SF(E)) => {p}");
    check_ltl("WEF => GF [cs(0)]", "WEF => (G F [cs(0)])");
    check_ltl("G (SF(a) => F {p})", "G ((SF(a)) => F {p})");
    check_ltl("SF(a) => {p} => {q}", "SF(a) => ({p} => {q})");
    let alternatives = |text: &str| expand(&read(text), &mut NoDomain).expect("no quantifiers").premises;
    assert_eq!(alternatives("{p}"), [[]]);
    let both = alternatives("(SF(a) or SF(b)) & WF(c) => {p}");
    assert_eq!(both.iter().map(Vec::len).collect::<Vec<_>>(), [2, 2]);
    assert!(both.iter().flatten().all(|constraint| matches!(constraint.subject, FairnessSubject::Step { .. })));
    assert_eq!(
        alternatives("SF(a) or (SF(a) & SF(b)) => {p}").len(),
        1,
        "the second alternative lets fewer paths through"
    );
    assert!(matches!(alternatives("WEF => {p}")[0][0].subject, FairnessSubject::Every));
}

#[test]
fn fairness_in_parentheses_abbreviates_formulas() {
    let expanded = expand(&read("G (WF(a) => {p}) & (SF(b) => {q})"), &mut NoDomain).expect("no quantifiers");
    let expected = "G (F G e(a) => G F [a] => {p}) & (G F e(b) => G F [b] => {q})";
    assert!(expanded.formula.same(&expand(&read(expected), &mut NoDomain).expect("no quantifiers").formula));
}

/// Values 0 and 1 for everything.
struct TwoValues;

impl Domain for TwoValues {
    fn values(&mut self, _: &str, _: &abridge_temporal::formula::FormulaAtom) -> Option<Vec<u32>> {
        Some(vec![0, 1])
    }

    fn instances(&mut self) -> Option<Vec<OperationPattern>> {
        let text = |text: &str| BText { text: text.into(), start: 0 };
        let pattern =
            |argument: &str| OperationPattern { operation: text("op"), arguments: vec![Some(text(argument))] };
        Some(vec![pattern("0"), pattern("1")])
    }
}

#[test]
fn quantifiers_become_instances() {
    let text = "!x.({x : S} => G ([ask(x)] => F #y.({y : S} & [serve(x,y)]))) & {z}";
    check_ltl(text, text);
    let expanded = expand(&read(text), &mut TwoValues).expect("values are known").formula;
    let shown: Vec<String> = expanded
        .atoms
        .iter()
        .map(|(_, atom)| {
            let bindings: Vec<String> = atom.bindings.iter().map(|(name, value)| format!("{name}={value}")).collect();
            format!("{atom} {}", bindings.join(" ")).trim_end().to_owned()
        })
        .collect();
    assert_eq!(
        shown,
        [
            "{x : S} x=0",
            "[ask(x)] x=0",
            "{y : S} y=0",
            "[serve(x,y)] y=0 x=0",
            "{y : S} y=1",
            "[serve(x,y)] y=1 x=0",
            "{x : S} x=1",
            "[ask(x)] x=1",
            "[serve(x,y)] y=0 x=1",
            "[serve(x,y)] y=1 x=1",
            "{z}",
        ]
    );
    assert!(matches!(expand(&read(text), &mut NoDomain), Err(ExpandError::NoValues(name, _)) if name == "x"));
    assert!(matches!(expand(&read("G (WEF => {p})"), &mut NoDomain), Err(ExpandError::NoInstances(_))));
    let fair = expand(&read("G (WEF => {p})"), &mut TwoValues).expect("two instances").formula;
    let written = "G (true & (F G e(op(0)) => G F [op(0)]) & (F G e(op(1)) => G F [op(1)]) => {p})";
    assert!(fair.same(&expand(&read(written), &mut NoDomain).expect("no quantifiers").formula), "{fair}");
}

#[test]
fn priorities_of_ctl() {
    let same = |text: &str, expected: &str| {
        let (left, right) = (ctl(text), ctl(expected));
        let read = |(ctl, diagnostics, map): (Option<Ctl>, Vec<Diagnostic>, SourceMap)| {
            ctl.unwrap_or_else(|| panic!("{}", shown(&diagnostics, &map)))
        };
        let (left, right) = (read(left), read(right));
        assert!(left.same(&right), "{text} is read as {left}");
    };
    same("AGEFEX[Move]true", "AG (EF (EX[Move] true))");
    same("EX[a] & {p}", "(EX ([a])) & {p}");
    same("E {p} U {q} & {r}", "(E {p} U {q}) & {r}");
    same("A ({p} U {q})", "A {p} U {q}");
    same("A ({p} or {r}) W {q}", "A (({p} or {r}) W {q})");
    same("E E {p} U {q} R {r}", "E (E {p} U {q}) R {r}");
    same("{p} => {q} => {r} <=> {s}", "(({p} => {q}) => {r}) <=> {s}");
    same("not EG {p}", "not (EG {p})");
    same("AX[a]{p}", "AX[a] {p}");
}

/// Compares what is said about texts with a file under `tests/expected`; `BLESS=1` rewrites the file.
fn check_errors(texts: &[&str], parse: impl Fn(&str) -> (Vec<Diagnostic>, SourceMap), file: &str) {
    let shown = texts.iter().map(|text| {
        let (diagnostics, map) = parse(text);
        shown(&diagnostics, &map)
    });
    let shown = shown.collect::<Vec<_>>().join("\n");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/expected").join(file);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &shown).expect("the file can be written");
    }
    assert_eq!(shown, std::fs::read_to_string(&path).expect("the file can be read"));
}

#[test]
fn mistakes_in_ltl() {
    let texts = [
        "G (x > 0)",
        "G {p",
        "G [] {p}",
        "{p} U",
        "",
        "G ({p}",
        "{p})",
        "{p} {q}",
        "{a} <=> {b} <=> {c}",
        "G [1op]",
        "G [op(1,)]",
        "globaly {p}",
        "G {p} | {q}",
        "SF(a) & F{p} => {q}",
        "SF(a) or WF(b) => {q}",
        "G SF(a)",
        "#x ({p} & {q})",
        "#x.({p} => {q})",
        "!x.({p} & {q})",
        "unchanged(x)",
        "e",
        "!e(swap)",
        "G enabled",
        "[op(1) x]",
    ];
    let parse = |text: &str| {
        let (_, diagnostics, map) = ltl(text);
        (diagnostics, map)
    };
    check_errors(&texts, parse, "mistakes_in_ltl.txt");
}

#[test]
fn mistakes_in_ctl() {
    let texts = ["A {p}", "AG F {p}", "E ({a} & {b} U {c})", "AG Y {p}", "AG unchanged({x})", "E {p} U", "AG !{p}"];
    let parse = |text: &str| {
        let (_, diagnostics, map) = ctl(text);
        (diagnostics, map)
    };
    check_errors(&texts, parse, "mistakes_in_ctl.txt");
}

#[test]
fn forall_formulas_printing_is_inverse_to_parsing() {
    const SEED: u64 = 8;
    println!("seed {SEED}");
    let mut random = Random::new(SEED);
    for round in 0..4_000 {
        let shape = FormulaShape {
            size: random.below(25),
            n_predicates: 3,
            n_steps: 2,
            has_next: true,
            has_past: random.once_in(2),
        };
        let formula = random_ltl(&mut random, shape);
        let text = formula.to_string();
        assert!(read(&text).same(&formula), "seed {SEED}, round {round}: {text}");
        let formula = random_ctl(&mut random, shape);
        let text = formula.to_string();
        let (again, diagnostics, map) = ctl(&text);
        let again =
            again.unwrap_or_else(|| panic!("seed {SEED}, round {round}: {text}\n{}", shown(&diagnostics, &map)));
        assert!(again.same(&formula), "seed {SEED}, round {round}: {text} is read as {again}");
    }
}

#[test]
fn forall_texts_parsing_ends_and_what_is_read_can_be_printed() {
    const SEED: u64 = 9;
    const PARTS: [&str; 40] = [
        "G",
        "F",
        "X",
        "U ",
        "W",
        "R ",
        "S",
        "T",
        "H",
        "O",
        "Y",
        "not ",
        "(",
        ")",
        "(",
        ")",
        "{p}",
        "{q}",
        "[a]",
        "[b(1,_)]",
        "e(a)",
        " & ",
        " or ",
        " => ",
        " <=> ",
        "SF(a)",
        "WF(b)",
        "WEF",
        "!",
        "!x.",
        "#y.",
        "({p} & ",
        "({p} => ",
        "true",
        "sink",
        "E",
        "A",
        " ",
        "unchanged({x})",
        "é",
    ];
    println!("seed {SEED}");
    let mut random = Random::new(SEED);
    let mut n_read = 0;
    for round in 0..60_000 {
        let text: String = (0..1 + random.below(9)).map(|_| *random.pick(&PARTS)).collect();
        if let (Some(formula), _, _) = ltl(&text) {
            assert!(
                read(&formula.to_string()).same(&formula),
                "seed {SEED}, round {round}: {text} is printed as {formula}"
            );
            n_read += 1;
        }
        if let (Some(formula), _, _) = ctl(&text) {
            let again = ctl(&formula.to_string()).0;
            assert!(
                again.is_some_and(|again| again.same(&formula)),
                "seed {SEED}, round {round}: {text} is printed as {formula}"
            );
        }
    }
    assert!(n_read > 1_000, "{n_read} texts are formulas");
}

#[test]
fn printing_keeps_fairness_and_quantifiers() {
    let texts = [
        "SF(C) & (WF(C) & WF(E)) or WF(D) => {p} <=> {q}",
        "G (SF(a(1,_)) & SF(b) or SF(c) => F {p}) & {q}",
        "WEF => !x.({x : S} => (SF(a) => [b(x)]) U {p})",
        "unchanged({x}) & changed({y}) & increasing({z}) & decreasing({z}) & BA({x = x$0}) & sink & goal & error & det_output & current",
        "deterministic(a,b(1)) & controller(a) & deadlock",
    ];
    for text in texts {
        let formula = read(text);
        assert!(read(&formula.to_string()).same(&formula), "{text} is printed as {formula}");
    }
}

#[test]
fn deep_and_long_formulas_are_read_or_refused() {
    let deep = format!("{}{{p}}{}", "(".repeat(15_000), ")".repeat(15_000));
    assert!(ltl(&deep).0.is_some());
    let too_deep = format!("{}{{p}}", "X".repeat(50_000));
    assert_eq!(ltl(&too_deep).1[0].id, "nested-too-deep");
    let long = format!("{{p}}{}", " & {p}".repeat(50_000));
    let formula = ltl(&long).0.expect("a long conjunction is fine");
    assert_eq!(formula.to_string().len(), long.len());
    let many: Vec<String> = (0..20_000).map(|number| format!("{{p{number}}}")).collect();
    assert_eq!(read(&many.join(" or ")).atoms.len(), 20_000);
    let premises = format!("{}SF(a){} => {{p}}", "(".repeat(5_000), ")".repeat(5_000));
    assert!(ltl(&premises).0.is_some());
    for broken in
        ["{", "[", "(((", "!x.", "#", "SF(", "e(", "\u{0}", "{p} U (", "🦀", "A", "E", "\"", "{\"}", "[\"]\"]"]
    {
        assert!(ltl(broken).0.is_none(), "{broken}");
        assert!(ctl(broken).0.is_none(), "{broken}");
    }
}

#[test]
fn formulas_of_the_corpus_are_read() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/temporal.csv");
    let Ok(mut reader) = csv::Reader::from_path(&path) else {
        eprintln!("SKIPPED: no corpus at {}", path.display());
        return;
    };
    let mut n_read = 0;
    for record in reader.records() {
        let record = record.expect("a row of the corpus");
        let (logic, text) = (&record[2], &record[3]);
        let (is_read, diagnostics, map) = if logic == "ctl" {
            let (formula, diagnostics, map) = ctl(text);
            (formula.is_some(), diagnostics, map)
        } else {
            let (formula, diagnostics, map) = ltl(text);
            let expanded = formula.as_ref().map(|formula| expand(formula, &mut NoDomain).expect("no quantifiers"));
            let property = expanded.map(|expanded| LinearProperty::new(&expanded, &Budget::default()));
            assert!(matches!(property, None | Some(Ok(_))), "{text} is too large");
            (formula.is_some(), diagnostics, map)
        };
        assert!(is_read, "{}: {text}\n{}", &record[0], shown(&diagnostics, &map));
        n_read += 1;
    }
    assert!(n_read > 700, "{n_read} formulas");
}
