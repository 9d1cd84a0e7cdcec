//! Automata of random formulas on random words, against the evaluator that follows the definitions.

use abridge_temporal::{Budget, Property, Word, accepts, evaluate, expand, satisfaction};
use abridge_temporal::{Class, NoDomain};
use abridge_testkit::Random;
use abridge_testkit::temporal::{Shape, bits, holds_in, random_ltl, random_word};

const SEED: u64 = 16;

fn shape(random: &mut Random) -> Shape {
    Shape {
        size: 1 + random.below(8),
        n_predicates: 2,
        n_steps: random.below(2) as u32,
        has_next: !random.once_in(3),
        has_past: random.once_in(3),
    }
}

/// Whether the violation automaton with its pairs accepts a word.
fn is_violated(property: &Property, word: &Word<u32>, bits: &[u32]) -> bool {
    let holds = |letter: &u32, var: u32| letter >> bits[var as usize] & 1 == 1;
    if !accepts(&property.violation, &property.bdds, &[property.violation.initial], word, holds) {
        return false;
    }
    let Some(start) = word.loop_start else { return true };
    let occurs = |guard| word.letters[start..].iter().any(|letter| property.bdds.value(guard, |var| holds(letter, var)));
    property.pairs.iter().all(|pair| !occurs(pair.request) || occurs(pair.response))
}

#[test]
fn forall_formulas_and_words_automata_agree_with_the_definitions() {
    let mut random = Random::new(SEED);
    println!("seed {SEED}");
    let mut n_satisfied = 0;
    for round in 0..2_500 {
        let shape = shape(&mut random);
        let ltl = random_ltl(&mut random, shape);
        let expanded = expand(&ltl, &mut NoDomain).expect("no quantifiers");
        let bits = bits(&expanded.formula.atoms, shape.n_predicates);
        let property = Property::new(&expanded, &Budget::default()).expect("small");
        let (bdds, positive) = satisfaction(&expanded, &Budget::default()).expect("small");
        for _ in 0..44 {
            let word = random_word(&mut random, shape, 6);
            let expected = evaluate(&expanded.formula, &word, |letter, atom| holds_in(*letter, &bits, atom)).holds();
            n_satisfied += usize::from(expected);
            let violated = is_violated(&property, &word, &bits);
            assert_eq!(violated, !expected, "seed {SEED}, round {round}: {ltl} on {word:?}, violation");
            let holds = |letter: &u32, var: u32| letter >> bits[var as usize] & 1 == 1;
            let satisfied = accepts(&positive, &bdds, &[positive.initial], &word, holds);
            assert_eq!(satisfied, expected, "seed {SEED}, round {round}: {ltl} on {word:?}, satisfaction");
        }
    }
    assert!((30_000..80_000).contains(&n_satisfied), "{n_satisfied} of 110,000 words satisfy their formulas");
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

fn property(text: &str) -> Property {
    let mut map = abridge_diag::SourceMap::new();
    let file = map.add("formula", text);
    let (ltl, diagnostics) = abridge_temporal::parse_ltl(abridge_temporal::Source { file, base: 0, text });
    let ltl = ltl.unwrap_or_else(|| panic!("{text}: {diagnostics:?}"));
    Property::new(&expand(&ltl, &mut NoDomain).expect("no quantifiers"), &Budget::default()).expect("small")
}
