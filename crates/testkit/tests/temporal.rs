//! Random machines with random temporal formulas: every way of checking has the same verdicts, and violations have whole traces.

use abridge_testkit::temporal::machines::{Compared, case, compare_formulas};

/// `campaign temporal` of the examples checks many more.
const N_CASES: u64 = 60;

#[test]
fn forall_machines_and_formulas_all_ways_agree() {
    let mut all = Compared::default();
    for number in 0..N_CASES {
        let case = case(number);
        match compare_formulas(&case) {
            Ok(compared) => all.add(compared),
            Err(difference) => panic!("case {number}: {difference}\n{}", case.machine),
        }
    }
    println!("{all:?}");
    let Compared { formulas, violated, judged, unknown } = all;
    assert_eq!(unknown, 0, "small machines are explored whole");
    assert!(formulas >= 300 && violated >= 100 && formulas - violated >= 50 && judged >= 80, "{all:?}");
}
