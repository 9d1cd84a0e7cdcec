//! Random machines with random temporal formulas: every way of checking has the same verdicts, and violations have whole traces.

use abridge_testkit::temporal::machines::{FormulaComparison, Reduced, case, compare_formulas};

/// `campaign temporal` of the examples checks many more.
const N_CASES: u64 = 600;

/// Differences that the campaign has found: formulas of CTL beside `WEF` or `SEF`, under symmetry.
const FOUND: [u64; 3] = [13_067, 13_197, 15_828];

#[test]
fn forall_machines_and_formulas_all_ways_agree() {
    let mut all = FormulaComparison::default();
    for number in (0..N_CASES).chain(FOUND) {
        let case = case(number);
        match compare_formulas(&case) {
            Ok(compared) => all.add(compared),
            Err(difference) => panic!("case {number}: {difference}\n{}", case.machine),
        }
    }
    println!("{all:?}");
    let FormulaComparison { machines, formulas, violated, judged, unknown, fair_and_symmetric, linear, branching } =
        all;
    assert!(unknown * 100 <= formulas, "small machines are explored whole: {all:?}");
    assert!(
        formulas >= machines && violated * 4 >= formulas && violated <= formulas * 3 / 4 && judged * 8 >= formulas,
        "{all:?}"
    );
    assert!(machines * 4 >= N_CASES as usize * 3 && fair_and_symmetric >= 40, "{all:?}");
    let (linear, branching) = (Reduced::sum(&linear), Reduced::sum(&branching));
    assert!(linear.reduced * 6 >= linear.allowed && branching.reduced * 10 >= branching.allowed, "{all:?}");
}
