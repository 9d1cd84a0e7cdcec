//! Automata for the formula sets of the literature: right on short lassos, equivalent to those of `lbt` and `spin` where these are installed, and not larger.

use std::io::Write as _;
use std::process::{Command, Stdio};

use abridge_temporal::automaton::{Automaton, AutomatonEdge, AutomatonState, MarkSet};
use abridge_temporal::bdd::{self, LetterBdd, LetterBdds};
use abridge_temporal::formula::{AtomKind, BinaryTemporal, Ltl, LtlNode, NodeId, UnaryTemporal};
use abridge_temporal::{
    Budget, ExpandedFormula, LinearProperty, NoDomain, TemporalText, Word, accepts, evaluate, expand, intersect,
    parse_ltl, satisfaction,
};
use abridge_testkit::Random;

#[path = "literature/formulas.rs"]
mod formulas;
#[path = "literature/spin.rs"]
mod spin;

use formulas::{DWYER, ETESSAMI_HOLZMANN, SOMENZI_BLOEM};

fn all() -> impl Iterator<Item = &'static str> {
    DWYER.into_iter().chain(ETESSAMI_HOLZMANN).chain(SOMENZI_BLOEM)
}

/// A formula in the language of `abridge`.
fn read(text: &str) -> ExpandedFormula {
    let with_braces = |ch: char| if ch.is_ascii_lowercase() { format!("{{{ch}}}") } else { ch.to_string() };
    let written: String = text.chars().map(with_braces).collect();
    let written = written.replace("->", "=>").replace('!', "not ").replace('|', "or");
    let file = abridge_diag::SourceMap::new().add("formula", written.as_str());
    let (ltl, diagnostics) = parse_ltl(TemporalText { file, base: 0, text: &written });
    let ltl = ltl.unwrap_or_else(|| panic!("{text} is {written}: {diagnostics:?}"));
    expand(&ltl, &mut NoDomain).expect("no quantifiers")
}

#[test]
fn automata_agree_with_the_definitions_on_short_lassos() {
    const SEED: u64 = 55;
    println!("seed {SEED}");
    let mut random = Random::new(SEED);
    for text in all() {
        let expanded = read(text);
        let n_atoms = expanded.formula.atoms.len() as u32;
        let property = LinearProperty::new(&expanded, &Budget::default()).expect("small");
        let (bdds, positive) = satisfaction(&expanded, &Budget::default()).expect("small");
        let check = |word: Word<u32>| {
            let expected = evaluate(&expanded.formula, &word, |letter, atom| letter >> atom.0 & 1 == 1).holds();
            let holds = |letter: &u32, var: u32| letter >> var & 1 == 1;
            let is_accepted =
                |bdds: &LetterBdds, automaton: &Automaton| accepts(automaton, bdds, &[automaton.initial], &word, holds);
            assert_eq!(is_accepted(&bdds, &positive), expected, "{text} on {word:?}");
            let occurs = |guard| {
                let letters = word.loop_start.map_or(&[] as &[u32], |start| &word.letters[start..]);
                letters.iter().any(|letter| property.bdds.value(guard, |var| holds(letter, var)))
            };
            let pairs_hold = property.pairs.iter().all(|pair| !occurs(pair.request) || occurs(pair.response));
            assert_eq!(
                !(is_accepted(&property.bdds, &property.violation) && pairs_hold),
                expected,
                "not {text} on {word:?}"
            );
        };
        let n_letters = 1_u32 << n_atoms.min(5);
        for first in 0..n_letters {
            check(Word { letters: vec![first], loop_start: Some(0) });
            check(Word { letters: vec![first], loop_start: None });
            for second in 0..n_letters {
                check(Word { letters: vec![first, second], loop_start: Some(0) });
                check(Word { letters: vec![first, second], loop_start: Some(1) });
                check(Word { letters: vec![first, second], loop_start: None });
            }
        }
        for _ in 0..1_000 {
            let len = 3 + random.below(6);
            let letters: Vec<u32> = (0..len).map(|_| random.below(1 << n_atoms) as u32).collect();
            let loop_start = (!random.once_in(4)).then(|| random.below(len));
            check(Word { letters, loop_start });
        }
    }
}

#[test]
fn automata_stay_small() {
    let mut sums = Vec::new();
    for set in [&DWYER[..], &ETESSAMI_HOLZMANN, &SOMENZI_BLOEM] {
        let (mut n_states, mut n_edges) = (0, 0);
        for text in set {
            let (_, automaton) = satisfaction(&read(text), &Budget::default()).expect("small");
            if std::env::var_os("SHOW_SIZES").is_some() {
                println!("{:3} {:3} {text}", automaton.states.len(), automaton.n_edges());
            }
            n_states += automaton.states.len();
            n_edges += automaton.n_edges();
        }
        sums.push((n_states, n_edges));
    }
    println!("{sums:?}");
    let states: Vec<usize> = sums.iter().map(|sum| sum.0).collect();
    assert!(states[0] <= 219 && states[1] <= 39 && states[2] <= 85, "{sums:?}");
}

/// Formulas and their negations, ours against `lbt`'s: no word is in a formula of one and in the negation of the other.
#[test]
fn automata_are_equivalent_to_those_of_lbt_and_not_larger() {
    if Command::new("lbt").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().is_err() {
        eprintln!("SKIPPED: lbt is not installed");
        return;
    }
    let (mut ours, mut theirs) = ((0, 0), (0, 0));
    for text in all() {
        let expanded = read(text);
        let (mut bdds, positive) = satisfaction(&expanded, &Budget::default()).expect("small");
        let prefix = prefix(&expanded.formula, expanded.formula.root());
        let lbt_positive = lbt(&prefix, &mut bdds);
        let lbt_negative = lbt(&format!("! {prefix}"), &mut bdds);
        let budget = Budget::default();
        assert!(!intersect(&positive, &lbt_negative, false, &mut bdds, &budget).expect("small"), "{text}");
        let negation = read(&format!("!({text})"));
        let (mut bdds, negative) = satisfaction(&negation, &budget).expect("small");
        let lbt_again = lbt(&prefix, &mut bdds);
        assert!(!intersect(&negative, &lbt_again, false, &mut bdds, &budget).expect("small"), "not {text}");
        ours = (ours.0 + positive.states.len(), ours.1 + positive.n_edges());
        theirs = (theirs.0 + lbt_positive.states.len(), theirs.1 + lbt_positive.n_edges());
    }
    println!("states and edges: ours {ours:?}, of lbt {theirs:?}");
    assert!(ours.0 <= theirs.0 && ours.1 <= theirs.1, "ours {ours:?}, of lbt {theirs:?}");
}

/// The same with `spin`, which knows no `X` and takes minutes for some formulas.
#[test]
fn automata_are_equivalent_to_those_of_spin_and_not_larger() {
    if !spin::is_installed() {
        eprintln!("SKIPPED: spin is not installed");
        return;
    }
    let (mut ours, mut theirs) = (0, 0);
    let mut n_compared = 0;
    let budget = Budget::default();
    for text in all() {
        let expanded = read(text);
        let Some(infix) = spin::infix(&expanded.formula, expanded.formula.root()) else { continue };
        let Some((claim, negated)) = spin::never(&infix).zip(spin::never(&format!("!({infix})"))) else { continue };
        let (mut bdds, positive) = satisfaction(&expanded, &budget).expect("small");
        let (spin_positive, spin_negative) = (spin::automaton(&claim, &mut bdds), spin::automaton(&negated, &mut bdds));
        assert!(!intersect(&positive, &spin_negative, false, &mut bdds, &budget).expect("small"), "{text}");
        // What is read of a claim is not less than it says.
        let is_there = intersect(&positive, &positive, false, &mut bdds, &budget).expect("small");
        let is_common = intersect(&positive, &spin_positive, false, &mut bdds, &budget).expect("small");
        assert_eq!(is_there, is_common, "{text}");
        let (mut bdds, negative) = satisfaction(&read(&format!("!({text})")), &budget).expect("small");
        let spin_positive = spin::automaton(&claim, &mut bdds);
        assert!(!intersect(&negative, &spin_positive, false, &mut bdds, &budget).expect("small"), "not {text}");
        ours += positive.states.len();
        theirs += spin_positive.states.len();
        n_compared += 1;
    }
    println!("{n_compared} formulas with states: ours {ours}, of spin {theirs}");
    assert!(n_compared >= 30 && ours <= theirs, "{n_compared} formulas; ours {ours}, of spin {theirs}");
}

/// A formula in the notation of `lbt`; atoms are numbered as here.
fn prefix(ltl: &Ltl, id: NodeId) -> String {
    let of = |id: &NodeId| prefix(ltl, *id);
    match ltl.node(id) {
        LtlNode::Const(true) => "t".into(),
        LtlNode::Const(false) => "f".into(),
        LtlNode::Atom(atom) => format!("p{}", atom.0),
        LtlNode::Unary(UnaryTemporal::Not, operand) => format!("! {}", of(operand)),
        LtlNode::Unary(UnaryTemporal::Next, operand) => format!("X {}", of(operand)),
        LtlNode::Unary(UnaryTemporal::Finally, operand) => format!("F {}", of(operand)),
        LtlNode::Unary(UnaryTemporal::Globally, operand) => format!("G {}", of(operand)),
        LtlNode::Binary(BinaryTemporal::And, left, right) => format!("& {} {}", of(left), of(right)),
        LtlNode::Binary(BinaryTemporal::Or, left, right) => format!("| {} {}", of(left), of(right)),
        LtlNode::Binary(BinaryTemporal::Implies, left, right) => format!("i {} {}", of(left), of(right)),
        LtlNode::Binary(BinaryTemporal::Iff, left, right) => format!("e {} {}", of(left), of(right)),
        LtlNode::Binary(BinaryTemporal::Until, left, right) => format!("U {} {}", of(left), of(right)),
        LtlNode::Binary(BinaryTemporal::Release, left, right) => format!("V {} {}", of(left), of(right)),
        LtlNode::Binary(BinaryTemporal::WeakUntil, left, right) => {
            format!("V {} | {} {}", of(right), of(left), of(right))
        }
        node => panic!("{node:?} is not in these sets"),
    }
}

/// The automaton that `lbt` makes. Sets of accepting states become marks on the edges that leave them.
fn lbt(formula: &str, bdds: &mut LetterBdds) -> Automaton {
    let mut child = Command::new("lbt").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("lbt starts");
    child.stdin.take().expect("a pipe").write_all(formula.as_bytes()).expect("lbt reads");
    let output = String::from_utf8(child.wait_with_output().expect("lbt ends").stdout).expect("lbt writes text");
    let mut lines = output.lines();
    let numbers =
        |line: &str| line.split_whitespace().map(|word| word.parse().expect("a number")).collect::<Vec<i64>>();
    let head = numbers(lines.next().expect("a first line"));
    let n_marks = head[1] as u32;
    let mut states = vec![AutomatonState { edges: Vec::new(), last: bdd::FALSE }; head[0] as usize];
    let mut initial = 0;
    while let Some(line) = lines.next() {
        let state = numbers(line);
        let marks = state[2..]
            .iter()
            .filter(|set| **set >= 0)
            .fold(MarkSet::default(), |marks, set| marks.with(MarkSet::one(*set as u32)));
        if state[1] == 1 {
            initial = state[0] as u32;
        }
        for line in lines.by_ref().take_while(|line| *line != "-1") {
            let (target, guard) = line.split_once(' ').expect("a target and a guard");
            let guard = guard_of(&mut guard.split_whitespace(), bdds);
            states[state[0] as usize].edges.push(AutomatonEdge {
                guard,
                marks,
                target: target.parse().expect("a target"),
            });
        }
    }
    Automaton { states, initial, n_marks }
}

fn guard_of<'t>(words: &mut impl Iterator<Item = &'t str>, bdds: &mut LetterBdds) -> LetterBdd {
    match words.next().expect("a guard") {
        "t" => bdd::TRUE,
        "f" => bdd::FALSE,
        "!" => {
            let operand = guard_of(words, bdds);
            bdds.not(operand)
        }
        op @ ("&" | "|") => {
            let (left, right) = (guard_of(words, bdds), guard_of(words, bdds));
            if op == "&" { bdds.and(left, right) } else { bdds.or(left, right) }
        }
        atom => bdds.var(atom[1..].parse().expect("a number")),
    }
}

#[test]
fn formulas_are_read_as_they_are_written() {
    let expanded = read("F r -> (!p U r)");
    assert_eq!(expanded.formula.to_string(), "F {r} => not {p} U {r}");
    let is_predicate = |kind: &AtomKind| matches!(kind, AtomKind::Predicate(_));
    assert!(all().all(|text| read(text).formula.atoms.iter().all(|(_, atom)| is_predicate(&atom.kind))));
}
