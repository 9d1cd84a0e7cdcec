//! Diagrams against truth tables, for random functions, orders and relations.

use abridge_value::Random;
use num_bigint::BigUint;

use super::*;

const N_PAIRS: usize = 4;
const N_ROWS: u32 = 1 << (2 * N_PAIRS);

/// A truth table over all variables: bit `row` is the value where variable `v` is bit `v` of the row.
type Rows = Vec<bool>;

fn manager() -> Manager {
    Manager::new(N_PAIRS, 1 << 20, StopFlag::default())
}

fn rows_of(manager: &Manager, bdd: &Bdd) -> Rows {
    (0..N_ROWS).map(|row| manager.value(bdd, |var| row >> var.0 & 1 == 1)).collect()
}

fn of_rows(manager: &mut Manager, rows: &Rows, vars: &[u32]) -> Bdd {
    let mut sum = manager.constant(false);
    for row in (0..N_ROWS).filter(|row| rows[*row as usize]) {
        let mut cube = manager.constant(true);
        for var in vars {
            let literal = manager.var(Var(*var)).unwrap();
            let literal = if row >> var & 1 == 1 { literal } else { literal.not() };
            cube = manager.and(&cube, &literal).unwrap();
        }
        sum = manager.or(&sum, &cube).unwrap();
    }
    sum
}

/// A random function of some variables.
fn random_rows(random: &mut Random, vars: &[u32]) -> Rows {
    let mask: u32 = vars.iter().map(|var| 1 << var).sum();
    let mut rows = vec![false; N_ROWS as usize];
    for row in 0..N_ROWS {
        rows[row as usize] = if row & mask == row { random.once_in(2) } else { rows[(row & mask) as usize] };
    }
    rows
}

#[test]
fn operations_agree_with_truth_tables_under_every_order() {
    let mut random = Random::new(1);
    let all: Vec<u32> = (0..2 * N_PAIRS as u32).collect();
    for _ in 0..20 {
        let mut manager = manager();
        let (left_rows, right_rows) = (random_rows(&mut random, &all), random_rows(&mut random, &all));
        let (left, right) = (of_rows(&mut manager, &left_rows, &all), of_rows(&mut manager, &right_rows, &all));
        manager.reorder();
        assert_eq!(rows_of(&manager, &left), left_rows, "reordering changes no function");
        assert!(manager.level_of.chunks(2).all(|pair| pair[1] == pair[0] + 1 && pair[0] % 2 == 0), "pairs stay");
        let zipped = |op: fn(bool, bool) -> bool| -> Rows {
            left_rows.iter().zip(&right_rows).map(|(l, r)| op(*l, *r)).collect()
        };
        let both = manager.and(&left, &right).unwrap();
        assert_eq!(rows_of(&manager, &both), zipped(|l, r| l && r));
        let either = manager.or(&left, &right).unwrap();
        assert_eq!(rows_of(&manager, &either), zipped(|l, r| l || r));
        let different = manager.xor(&left, &right).unwrap();
        assert_eq!(rows_of(&manager, &different), zipped(|l, r| l != r));
        assert_eq!(of_rows(&mut manager, &zipped(|l, r| l != r), &all), different, "one function, one edge");
        let quantified = random.below(N_ROWS as usize) as u32;
        let cube = manager.cube(all.iter().filter(|var| quantified >> **var & 1 == 1).map(|var| Var(*var))).unwrap();
        let some = manager.and_exists(&left, &right, &cube).unwrap();
        let expected: Rows = (0..N_ROWS)
            .map(|row| {
                let same = |other: u32| (row ^ other) & !quantified == 0;
                (0..N_ROWS).any(|other| same(other) && left_rows[other as usize] && right_rows[other as usize])
            })
            .collect();
        assert_eq!(rows_of(&manager, &some), expected);
        let n_true = left_rows.iter().filter(|row| **row).count();
        let vars: Vec<Var> = all.iter().map(|var| Var(*var)).collect();
        assert_eq!(manager.count(&left, &vars), BigUint::from(n_true));
        let picked = manager.pick(&left).unwrap();
        assert!(manager.value(&left, |var| picked.contains(&var)));
    }
}

#[test]
fn images_agree_with_single_steps() {
    let mut random = Random::new(2);
    let bits: Vec<u32> = (0..N_PAIRS as u32).map(|pair| 2 * pair).collect();
    for round in 0..40 {
        let mut manager = manager();
        let written: Vec<u32> = bits.iter().copied().filter(|_| random.once_in(2)).collect();
        let read: Vec<u32> = bits.iter().copied().chain(written.iter().map(|bit| bit + 1)).collect();
        let (set_rows, relation_rows) = (random_rows(&mut random, &bits), random_rows(&mut random, &read));
        let (set, relation) = (of_rows(&mut manager, &set_rows, &bits), of_rows(&mut manager, &relation_rows, &read));
        if round % 2 == 0 {
            manager.reorder();
        }
        let writes = manager.cube(written.iter().map(|bit| Var(*bit))).unwrap();
        let (image, preimage) =
            (manager.image(&set, &relation, &writes).unwrap(), manager.preimage(&set, &relation, &writes).unwrap());
        let states: Vec<u32> = (0..N_ROWS).filter(|row| row & 0xAA == 0).collect();
        let leads = |from: u32, to: u32| {
            let frame = bits.iter().all(|bit| written.contains(bit) || (from ^ to) >> bit & 1 == 0);
            let next: u32 = written.iter().map(|bit| (to >> bit & 1) << (bit + 1)).sum();
            frame && relation_rows[(from | next) as usize]
        };
        for state in &states {
            let is_in = |bdd: &Bdd| manager.value(bdd, |var| state >> var.0 & 1 == 1);
            assert_eq!(is_in(&image), states.iter().any(|from| set_rows[*from as usize] && leads(*from, *state)));
            assert_eq!(is_in(&preimage), states.iter().any(|to| set_rows[*to as usize] && leads(*state, *to)));
        }
    }
}

#[test]
fn an_exchange_of_variables_permutes_assignments() {
    let mut random = Random::new(3);
    let all: Vec<u32> = (0..2 * N_PAIRS as u32).collect();
    for _ in 0..20 {
        let mut manager = manager();
        let rows = random_rows(&mut random, &all);
        let bdd = of_rows(&mut manager, &rows, &all);
        let map = manager.permutation(&[(Var(0), Var(4)), (Var(4), Var(0)), (Var(2), Var(6)), (Var(6), Var(2))]);
        let mapped = manager.map(&bdd, map).unwrap();
        for row in 0..N_ROWS {
            let moved = (row << 4 | row >> 4) & 0xFF;
            assert_eq!(manager.value(&mapped, |var| row >> var.0 & 1 == 1), rows[moved as usize]);
        }
        assert_eq!(manager.map(&mapped, map).unwrap(), bdd);
    }
}

/// The disjunction of pairs of variables that lie far apart, so that the diagram is exponential, as far as the budget goes.
fn far_pairs(manager: &mut Manager, n_pairs: u32) -> (Bdd, Made<()>) {
    let mut sum = manager.constant(false);
    for pair in 0..n_pairs {
        let step = |manager: &mut Manager, sum: &Bdd| -> Made<Bdd> {
            let (left, right) = (manager.var(Var(2 * pair))?, manager.var(Var(2 * (pair + n_pairs)))?);
            let both = manager.and(&left, &right)?;
            manager.or(sum, &both)
        };
        match step(manager, &sum) {
            Ok(more) => sum = more,
            Err(stop) => return (sum, Err(stop)),
        }
    }
    (sum, Ok(()))
}

#[test]
fn a_budget_bounds_the_memory_of_all_tables() {
    // Just above a power of two, where a table of the next one would be too large.
    let max_nodes = 70_000;
    let mut manager = Manager::new(40, max_nodes, StopFlag::default());
    assert_eq!(far_pairs(&mut manager, 20).1, Err(BddStop::Nodes));
    assert!(manager.bytes() <= 48 * max_nodes as u64, "{} bytes", manager.bytes());
}

#[test]
fn a_budget_ends_in_a_stop_and_handles_survive() {
    let mut manager = Manager::new(40, 1 << 10, StopFlag::default());
    let (sum, result) = far_pairs(&mut manager, 20);
    assert_eq!(result, Err(BddStop::Nodes));
    assert!(manager.n_nodes() <= 1 << 10);
    let size = manager.size(&sum);
    manager.collect();
    assert_eq!(manager.size(&sum), size);
    manager.reorder();
    assert!(manager.size(&sum) < size, "sifting finds the order in which the diagram is linear");
}

#[test]
fn the_stop_flag_ends_an_operation() {
    let stop = StopFlag::default();
    let mut manager = Manager::new(60, 1 << 22, stop.clone());
    let mut parity = manager.constant(false);
    stop.raise();
    let result = (0..120 * 120).try_for_each(|idx| {
        let (left, right) = (manager.var(Var(idx % 120))?, manager.var(Var(idx / 120))?);
        let both = manager.and(&left, &right)?;
        parity = manager.xor(&parity, &both)?;
        Ok(())
    });
    assert_eq!(result, Err(BddStop::Stopped));
}

#[test]
fn substitutions_agree_with_truth_tables() {
    let mut random = Random::new(11);
    let vars: Vec<u32> = (0..2 * N_PAIRS as u32).collect();
    for _ in 0..40 {
        let mut manager = manager();
        let tables: Vec<Rows> = (0..4).map(|_| random_rows(&mut random, &vars)).collect();
        let parts: Vec<Bdd> = tables.iter().map(|table| of_rows(&mut manager, table, &vars)).collect();
        let copy = manager.var(Var(5)).unwrap();
        // Variable 0 by a function, variable 3 by a copy of variable 5, variable 5 by a constant.
        let no = manager.constant(false);
        let with = [(Var(0), parts[1].clone()), (Var(3), copy), (Var(5), no)];
        let put_in = |row: u32| -> u32 {
            let bit = |is_true: bool, var: u32| u32::from(is_true) << var;
            row & !0b10_1001 | bit(tables[1][row as usize], 0) | bit(row >> 5 & 1 == 1, 3)
        };
        let composed = manager.compose(&parts[0], &with, &parts[2]).unwrap();
        let expected: Rows =
            (0..N_ROWS).map(|row| tables[2][row as usize] && tables[0][put_in(row) as usize]).collect();
        assert_eq!(rows_of(&manager, &composed), expected);
        let simpler = manager.simplify(&parts[0], &parts[3]).unwrap();
        let simpler = rows_of(&manager, &simpler);
        assert!((0..N_ROWS as usize).all(|row| !tables[3][row] || simpler[row] == tables[0][row]));
        let is_read = |var: u32| (0..N_ROWS).any(|row| expected[row as usize] != expected[(row ^ 1 << var) as usize]);
        let reads: Vec<Var> = vars.iter().copied().filter(|var| is_read(*var)).map(Var).collect();
        assert_eq!(manager.support(&composed), reads);
    }
}
