//! What is known of formulas on the beginning of a path is what they are on every path that begins so.

use abridge_temporal::formula::{AtomId, AtomKind, Ltl};
use abridge_temporal::{Word, evaluate, evaluate_prefix};
use abridge_testkit::Random;
use abridge_testkit::temporal::{FormulaShape, random_ltl};

const N_PREDICATES: u32 = 3;

fn bit(ltl: &Ltl, atom: AtomId) -> u32 {
    match &ltl.atoms.get(atom).kind {
        AtomKind::Predicate(text) => text.text[1..].parse().expect("a number"),
        AtomKind::Taken(pattern) => N_PREDICATES + pattern.operation.text[1..].parse::<u32>().expect("a number"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn forall_paths_what_a_prefix_decides_stays() {
    let random = &mut Random::new(7);
    let (mut n_decided, mut n_open) = (0, 0);
    for round in 0..3_000 {
        let shape = FormulaShape {
            size: 1 + round % 5,
            n_predicates: N_PREDICATES,
            n_steps: 2,
            has_next: true,
            has_past: true,
        };
        let ltl = random_ltl(random, shape);
        let mut letters: Vec<u32> = (0..1 + random.below(5)).map(|_| random.below(32) as u32).collect();
        let n_positions = letters.len();
        let known = |letters: &[u32], is_over: bool| {
            let holds = |position: usize, atom: AtomId| Some(letters[position] >> bit(&ltl, atom) & 1 == 1);
            evaluate_prefix(&ltl, n_positions, is_over, &holds)
        };
        let holds = |letter: &u32, atom: AtomId| letter >> bit(&ltl, atom) & 1 == 1;
        let over = known(&letters, true);
        let ended = evaluate(&ltl, &Word { letters: letters.clone(), loop_start: None }, holds);
        let open = known(&letters, false);
        letters.extend((0..1 + random.below(4)).map(|_| random.below(32) as u32));
        let loop_start = (!random.once_in(4)).then(|| random.below(letters.len()));
        let word = Word { letters, loop_start };
        let table = evaluate(&ltl, &word, holds);
        for (id, _) in ltl.nodes() {
            for position in 0..n_positions {
                assert_eq!(over[id.idx()][position], Some(ended.row(id)[position]), "{} at {position}", ltl.text(id));
                match open[id.idx()][position] {
                    None => n_open += 1,
                    Some(value) => {
                        n_decided += 1;
                        assert_eq!(value, table.row(id)[position], "{} at {position} of {word:?}", ltl.text(id));
                    }
                }
            }
        }
    }
    assert!(n_decided > 10_000 && n_open > 3_000, "{n_decided} decided, {n_open} open");
}
