//! Automata of random formulas on random words, against the evaluator that follows the definitions.

use abridge_temporal::formula::AtomId;
use abridge_temporal::{Budget, Class, ExpandedFormula, GaveUp, HoaWords, LinearProperty, NoDomain, Word};
use abridge_temporal::{accepts, evaluate, expand, is_fair, satisfaction};
use abridge_testkit::Random;
use abridge_testkit::temporal::{FormulaShape, bits, holds_in, random_ltl, random_word};

const SEED: u64 = 444;

fn shape(random: &mut Random) -> FormulaShape {
    FormulaShape {
        size: 1 + random.below(8),
        n_predicates: 2,
        n_steps: random.below(2) as u32,
        has_next: !random.once_in(3),
        has_past: random.once_in(3),
    }
}

/// Whether the violation automaton with its pairs accepts a word.
fn is_violated(property: &LinearProperty, word: &Word<u32>, bits: &[u32]) -> bool {
    let holds = |letter: &u32, var: u32| letter >> bits[var as usize] & 1 == 1;
    if !accepts(&property.violation, &property.bdds, &[property.violation.initial], word, holds) {
        return false;
    }
    let Some(start) = word.loop_start else { return true };
    let occurs =
        |guard| word.letters[start..].iter().any(|letter| property.bdds.value(guard, |var| holds(letter, var)));
    property.pairs.iter().all(|pair| !occurs(pair.request) || occurs(pair.response))
}

/// Whether the run on a word comes to the state that accepts everything.
fn reaches_universal(property: &LinearProperty, word: &Word<u32>, bits: &[u32]) -> bool {
    let violation = &property.violation;
    let (mut state, mut position) = (violation.initial, 0);
    for _ in 0..=violation.states.len() * word.letters.len() {
        if Some(state) == violation.universal_state() {
            return true;
        }
        let letter = word.letters[position];
        let mut fitting = violation.states[state as usize]
            .edges
            .iter()
            .filter(|edge| property.bdds.value(edge.guard, |var| letter >> bits[var as usize] & 1 == 1));
        let Some(edge) = fitting.next() else { return false };
        assert!(fitting.next().is_none(), "the automaton of a safety formula is deterministic");
        (state, position) = (edge.target, word.next(position).expect("the word is infinite"));
    }
    false
}

#[test]
fn forall_formulas_and_words_automata_agree_with_the_definitions() {
    let mut random = Random::new(SEED);
    println!("seed {SEED}");
    let mut n_satisfied = 0;
    let n_rounds = if std::env::var_os("RUN_SLOW").is_some() { 60_000 } else { 2_500 };
    for round in 0..n_rounds {
        let shape = shape(&mut random);
        let ltl = random_ltl(&mut random, shape);
        let expanded = expand(&ltl, &mut NoDomain).expect("no quantifiers");
        let bits = bits(&expanded.formula.atoms, shape.n_predicates);
        let property = LinearProperty::new(&expanded, &Budget::default()).expect("small");
        let (bdds, positive) = satisfaction(&expanded, &Budget::default()).expect("small");
        let with_one_mark = positive.degeneralised();
        assert!(with_one_mark.n_marks <= 1);
        for _ in 0..44 {
            let word = random_word(&mut random, shape, 6);
            let expected = evaluate(&expanded.formula, &word, |letter, atom| holds_in(*letter, &bits, atom)).holds();
            n_satisfied += usize::from(expected);
            let violated = is_violated(&property, &word, &bits);
            assert_eq!(violated, !expected, "seed {SEED}, round {round}: {ltl} on {word:?}, violation");
            if property.class == Class::Safety && word.loop_start.is_some() {
                assert_eq!(reaches_universal(&property, &word, &bits), violated, "round {round}: {ltl} on {word:?}");
            }
            let holds = |letter: &u32, var: u32| letter >> bits[var as usize] & 1 == 1;
            let satisfied = accepts(&positive, &bdds, &[positive.initial], &word, holds);
            assert_eq!(satisfied, expected, "seed {SEED}, round {round}: {ltl} on {word:?}, satisfaction");
            let satisfied = accepts(&with_one_mark, &bdds, &[with_one_mark.initial], &word, holds);
            assert_eq!(satisfied, expected, "seed {SEED}, round {round}: {ltl} on {word:?}, degeneralised");
        }
    }
    let n_pairs = 44 * n_rounds;
    assert!(
        (n_pairs / 4..n_pairs / 4 * 3).contains(&n_satisfied),
        "{n_satisfied} of {n_pairs} words satisfy their formulas"
    );
}

/// Formulas whose automata lose or gain words if letters are taken from edges by a simulation that is too generous, if obligations are
/// dropped because others imply them, or if simulation is not transitive.
#[test]
fn words_of_formulas_that_tempt_to_simplify() {
    for text in ["F G {p}", "G F ((F {p} & not {p}) or {p})", "G X ({q} U G (F X {p} or {p}))"] {
        let expanded = expanded(text);
        let (bdds, automaton) = satisfaction(&expanded, &Budget::default()).expect("small");
        let is_p = |var: u32| expanded.formula.atoms.get(AtomId(var)).to_string() == "{p}";
        let is_accepted = |letter: u32| {
            let word = Word { letters: vec![letter], loop_start: Some(0) };
            accepts(&automaton, &bdds, &[automaton.initial], &word, |letter, var| *letter == 1 && is_p(var))
        };
        assert_eq!((is_accepted(0), is_accepted(1)), (false, true), "{text}");
    }
}

#[test]
fn classes_of_known_formulas() {
    let cases = [
        ("G {p}", Class::Safety),
        ("{p} W {q}", Class::Safety),
        ("G ([s] => X {p})", Class::Safety),
        ("G ({p} => O {q})", Class::Safety),
        ("X {p}", Class::Safety),
        ("F {p}", Class::Guarantee),
        ("{p} U {q}", Class::Guarantee),
        ("G {p} or F {q}", Class::Obligation),
        ("G {p} & F {q}", Class::Obligation),
        ("G F {p}", Class::Weak),
        ("G ({p} => F {q})", Class::Weak),
        ("F G {p}", Class::General),
        ("(G F {p} => G F {q}) => G F {r}", Class::General),
    ];
    for (text, class) in cases {
        let property = property(text);
        assert_eq!(property.class, class, "{text}");
    }
}

fn property(text: &str) -> LinearProperty {
    try_property(text, &Budget::default()).expect("small")
}

fn try_property(text: &str, budget: &Budget<'_>) -> Result<LinearProperty, GaveUp> {
    LinearProperty::new(&expanded(text), budget)
}

fn expanded(text: &str) -> ExpandedFormula {
    let file = abridge_diag::SourceMap::new().add("formula", text);
    let (ltl, diagnostics) = abridge_temporal::parse_ltl(abridge_temporal::TemporalText { file, base: 0, text });
    let ltl = ltl.unwrap_or_else(|| panic!("{text}: {diagnostics:?}"));
    expand(&ltl, &mut NoDomain).expect("no quantifiers")
}

/// A premise holds on a word exactly if the formulas that it abbreviates do.
#[test]
fn forall_words_premises_mean_their_formulas() {
    println!("seed {SEED}");
    let mut random = Random::new(SEED);
    for strength in ["WF", "SF"] {
        let premise = expanded(&format!("{strength}(a) => {{p}}"));
        let formula = expanded(&format!("not ({strength}(a) => false)"));
        let mut n_fair = 0;
        for _ in 0..2_000 {
            let len = 1 + random.below(5);
            let loop_start = (!random.once_in(4)).then(|| random.below(len));
            // Bit 0: enabled, bit 1: taken, which needs to be enabled; at the end nothing is.
            let mut letters: Vec<u32> = (0..len).map(|_| *random.pick(&[0, 1, 3])).collect();
            if loop_start.is_none() {
                letters[len - 1] = 0;
            }
            let word = Word { letters, loop_start };
            let bit = |expanded: &ExpandedFormula, atom: AtomId| {
                u32::from(expanded.formula.atoms.get(atom).kind.is_about_step())
            };
            let expected =
                evaluate(&formula.formula, &word, |letter, atom| letter >> bit(&formula, atom) & 1 == 1).holds();
            let constraint = premise.premises[0][0];
            let found = is_fair(constraint, &word, |letter, atom| letter >> bit(&premise, atom) & 1 == 1);
            assert_eq!(found, Some(expected), "{strength}(a) on {word:?}");
            n_fair += usize::from(expected);
        }
        assert!((500..1_900).contains(&n_fair), "{n_fair} fair words");
    }
}

#[test]
fn stutter_invariance_of_known_formulas() {
    let cases = [
        ("G {p}", true),
        ("G ({p} => F {q})", true),
        ("F [s]", true),
        ("G ([s] => F [t])", true),
        ("G ([s] => X {p})", true),
        ("G ([s] => {p})", true),
        ("G unchanged({x})", true),
        ("[s]", false),
        ("X {p}", false),
        ("G ({p} => X {q})", false),
        ("G ([s] => X [t])", false),
        ("F changed({x})", true),
        ("F unchanged({x})", false),
        ("X {p} => X {p}", true),
        ("G (e(s) => [s])", false),
        ("F ([s] & Y [t])", false),
        ("{p} & X {q} & not {q}", false),
        ("G F [s] => G F [t]", true),
        ("(G F e(s) => G F [s]) & (G F e(t) => G F [t]) => G ([s] => F {p})", true),
    ];
    for (text, expected) in cases {
        assert_eq!(property(text).is_stutter_invariant, expected, "{text}");
    }
}

/// A word with invisible letters put in: the values of predicates that follow, and no step.
fn stuttered(random: &mut Random, word: &Word<u32>, shape: FormulaShape) -> Word<u32> {
    let predicates = (1_u32 << shape.n_predicates) - 1;
    let mut letters = Vec::new();
    let mut loop_start = word.loop_start;
    for (position, letter) in word.letters.iter().enumerate() {
        if word.loop_start == Some(position) {
            loop_start = Some(letters.len());
        }
        for _ in 0..random.below(3) {
            letters.push(letter & predicates);
        }
        letters.push(*letter);
    }
    Word { letters, loop_start }
}

#[test]
fn forall_formulas_that_are_invariant_stuttering_changes_nothing() {
    println!("seed {SEED}");
    let mut random = Random::new(SEED);
    let (mut n_invariant, mut n_confirmed, n_formulas) = (0, 0, 1_500);
    for round in 0..n_formulas {
        let shape = FormulaShape {
            size: 1 + random.below(5),
            n_predicates: 2,
            n_steps: 1,
            has_next: true,
            has_past: random.once_in(4),
        };
        let ltl = random_ltl(&mut random, shape);
        let expanded = expand(&ltl, &mut NoDomain).expect("no quantifiers");
        let bits = bits(&expanded.formula.atoms, shape.n_predicates);
        let property = LinearProperty::new(&expanded, &Budget::default()).expect("small");
        n_invariant += usize::from(property.is_stutter_invariant);
        let value =
            |word: &Word<u32>| evaluate(&expanded.formula, word, |letter, atom| holds_in(*letter, &bits, atom)).holds();
        let mut is_changed = false;
        for _ in 0..60 {
            let word = random_word(&mut random, shape, 4);
            let longer = stuttered(&mut random, &word, shape);
            is_changed |= value(&word) != value(&longer);
            let is_wrong = is_changed && property.is_stutter_invariant;
            assert!(!is_wrong, "seed {SEED}, round {round}: {ltl} on {word:?} and {longer:?}");
        }
        n_confirmed += usize::from(is_changed);
    }
    println!("{n_invariant} invariant, {n_confirmed} sensitive of {n_formulas}");
    // Sensitive formulas show it on words by chance; hardly any is called sensitive for nothing.
    assert!(n_invariant > n_formulas / 3 && n_invariant + n_confirmed > n_formulas * 95 / 100);
}

#[test]
fn automata_are_shown() {
    let text = "G ({p} => F [s])";
    let property = property(text);
    let shown = abridge_temporal::hoa(&property.violation, &property.bdds, &property.atoms, text, HoaWords::All);
    assert_eq!(
        shown,
        r#"HOA: v1
name: "G ({p} => F [s])"
States: 3
Start: 0
AP: 3 "{p}" "[s]" "alive"
acc-name: Buchi
Acceptance: 1 Inf(0)
properties: trans-labels explicit-labels trans-acc
--BODY--
State: 0
[2] 0
[(0&!1)&2] 1
[(0)&!2] 2
State: 1
[(!1)&2] 1 {0}
[!2] 2
State: 2
[!2] 2 {0}
--END--
"#
    );
    let shown = abridge_temporal::hoa(&property.violation, &property.bdds, &property.atoms, text, HoaWords::Infinite);
    assert_eq!(
        shown,
        r#"HOA: v1
name: "G ({p} => F [s])"
States: 2
Start: 0
AP: 2 "{p}" "[s]"
acc-name: Buchi
Acceptance: 1 Inf(0)
properties: trans-labels explicit-labels trans-acc
--BODY--
State: 0
[t] 0
[0&!1] 1
State: 1
[!1] 1 {0}
--END--
"#
    );
    let shown = abridge_temporal::dot(&property.violation, &property.bdds, &property.atoms, text);
    assert_eq!(
        shown,
        r#"digraph automaton {
  label="G ({p} => F [s])"; rankdir=LR;
  node [shape=circle];
  start [shape=point];
  start -> 0;
  0 [label="0\nmay end if {p}"];
  0 -> 0 [label="true"];
  0 -> 1 [label="{p} & not [s]"];
  1 [label="1\nmay end"];
  1 -> 1 [label="not [s] (0)"];
}
"#
    );
}

#[test]
fn formulas_that_would_be_too_large_are_given_up() {
    let parts: Vec<String> = (0..40).map(|number| format!("(F {{p{number}}} U G {{q{number}}})")).collect();
    let text = parts.join(" & ");
    let budget = Budget { max_states: 1_000, max_bdd_nodes: 1 << 18, is_stopped: &|| false };
    assert_eq!(try_property(&text, &budget).err(), Some(GaveUp::TooLarge));
    let budget = Budget { is_stopped: &|| true, ..Budget::default() };
    assert_eq!(try_property("G {p}", &budget).err(), Some(GaveUp::Stopped));
}

/// Formulas that are deep, wide or both end in an automaton or in a refusal, and do not end the stack.
#[test]
fn formulas_of_any_shape_are_translated_or_given_up() {
    let list = |n: usize, sign: &str, part: &dyn Fn(usize) -> String| (0..n).map(part).collect::<Vec<_>>().join(sign);
    let budget = Budget { max_states: 2_000, max_bdd_nodes: 1 << 18, is_stopped: &|| false };
    let texts = [
        format!("{}{{p}}", "X".repeat(1_500)),
        format!("{}{{p}}", "FX".repeat(700)),
        format!("{}{{p}}", "GF".repeat(5_000)),
        format!("{}{{p}}", "Y".repeat(60)),
        format!("{}{{p}}{}", "({q} U X ".repeat(300), ")".repeat(300)),
        format!("{}{{p}}{}", "(not ({q} S ".repeat(12), "))".repeat(12)),
        list(2_000, " & ", &|number| format!("({{p{number}}} U {{q{number}}})")),
        list(2_000, " or ", &|number| format!("X {{p{number}}}")),
        list(500, " or ", &|number| format!("G F {{p{number}}}")),
        list(80, " & ", &|number| format!("G F {{p{number}}}")),
        list(30, " & ", &|number| format!("G ({{p{number}}} => X X {{q{number}}})")),
        list(30, " <=> ", &|number| format!("(X {{p{number}}}")) + &")".repeat(30),
        list(12, " & ", &|number| format!("O {{p{number}}}")),
        list(3, " & ", &|number| format!("Y G F {{p{number}}}")),
    ];
    for text in texts {
        let answer = try_property(&text, &budget);
        assert!(matches!(answer, Ok(_) | Err(GaveUp::TooLarge)), "{text}");
    }
}

#[test]
fn premises_written_as_formulas_become_pairs() {
    let premises: Vec<String> = (0..12).map(|number| format!("(G F e(a{number}) => G F [a{number}])")).collect();
    let property = property(&format!("{} => F [done]", premises.join(" & ")));
    assert_eq!((property.pairs.len(), property.violation.states.len(), property.class), (12, 1, Class::General));
}
