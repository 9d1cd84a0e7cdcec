//! Random machines with everything, checked in all ways: no way disagrees with the plain interpreter.
//!
//! `RUN_SLOW=1` compares many more; `cargo run -p abridge-testkit --example campaign -- compare` as many as one likes.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use abridge_testkit::compare::{Compared, compare_all, machine, minimised, ways};
use abridge_testkit::{Project, Random, fuzz};

#[derive(Default)]
struct Tally {
    machines: u64,
    violated: u64,
    finished: usize,
    unfinished: usize,
}

#[test]
fn all_ways_agree_on_random_machines() {
    let n_machines = if std::env::var_os("RUN_SLOW").is_some() { 20_000 } else { 200 };
    let (next, tally) = (AtomicU64::new(0), Mutex::new(Tally::default()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= n_machines {
                        break;
                    }
                    let compared = compared(number);
                    let mut tally = tally.lock().expect("no panic");
                    let is_compared = compared.finished > 0;
                    tally.machines += u64::from(is_compared);
                    tally.violated += u64::from(is_compared && compared.found != Default::default());
                    tally.finished += compared.finished;
                    tally.unfinished += compared.unfinished;
                }
            });
        }
    });
    let Tally { machines, violated, finished, unfinished } = tally.into_inner().expect("no panic");
    eprintln!("{machines} of {n_machines} machines, {violated} violated; {finished} ways finished, {unfinished} not");
    assert!(machines * 2 > n_machines, "only {machines} machines were compared");
    assert!(violated * 4 > machines && violated < machines, "{violated} of {machines} are violated");
    assert!(finished as u64 * 10 > machines * ways().len() as u64 * 9, "only {finished} ways finished");
}

fn compared(number: u64) -> Compared {
    let text = machine(number);
    compare_all(&Project::model_of(&text)).unwrap_or_else(|difference| {
        panic!("machine {number}: {difference}\n{}", minimised(&text, difference.way));
    })
}

/// The oracles of the fuzz targets on the bytes of fixed seeds.
#[test]
fn oracles_accept_what_bytes_stand_for() {
    for oracle in [fuzz::evaluators_agree, fuzz::searches_agree, fuzz::reductions_agree] {
        let n_compared = (0..20).filter(|seed| oracle(&Random::new(*seed).bytes(300)).finished > 0).count();
        assert!(n_compared >= 10, "only {n_compared} machines were compared");
        // No bytes are a machine too.
        assert!(oracle(&[]).finished > 0);
    }
}

/// Membership of an infinite function that is assumed, since nobody decides it.
const ASSUMED: &str = "%zz.(zz : INTEGER & zz > vv | zz mod 0) : INTEGER +-> NATURAL";

/// A machine in which one operation has a guard, and another one always leads on.
fn guarded(step: &str) -> Compared {
    let text = format!(
        "MACHINE M\nSETS SS\nVARIABLES vv\nINVARIANT vv : 0..2\nINITIALISATION vv := 0\nOPERATIONS\n  on = SELECT vv < 2 THEN vv := vv + 1 END;\n  step{step}\nEND\n"
    );
    compare_all(&Project::model_of(&text)).unwrap_or_else(|difference| panic!("{difference}\n{text}"))
}

#[test]
fn what_is_assumed_does_not_matter_beside_what_is_false() {
    for guard in [
        format!("{ASSUMED} & vv > 2"),
        format!("vv > 2 & {ASSUMED}"),
        format!("not({ASSUMED}) & vv > 2"),
        format!("({ASSUMED} & vv > 2) or vv > 3"),
        format!("{ASSUMED} & (1 = vv & vv = 2)"),
    ] {
        let compared = guarded(&format!(" = SELECT {guard} THEN vv := 7 END"));
        assert!(compared.finished > 0 && compared.found.deadlock && !compared.found.invariant, "{guard}: {compared:?}");
        let compared = guarded(&format!("(pp) = PRE pp : SS & {guard} THEN vv := 7 END"));
        assert!(compared.finished > 0 && compared.found.deadlock && !compared.found.invariant, "{guard}: {compared:?}");
        let compared = guarded(&format!(" = ANY xx WHERE xx : 0..vv & {guard} THEN vv := xx END"));
        assert!(compared.finished > 0 && compared.found.deadlock, "{guard}: {compared:?}");
    }
    for step in [
        format!("PRE {ASSUMED} & vv > 2 THEN vv := 7 END"),
        format!("PRE vv > 2 & {ASSUMED} THEN vv := 7 END"),
        format!("PRE {ASSUMED} THEN SELECT vv > 2 THEN vv := 7 END END"),
        format!("PRE not({ASSUMED}) & {ASSUMED} & vv > 2 THEN vv := 7 END"),
        format!("SELECT {ASSUMED} THEN SELECT vv > 2 THEN vv := 7 END END"),
        format!("SELECT {ASSUMED} THEN vv := 7 END || SELECT vv > 2 THEN skip END"),
        format!("SELECT not({ASSUMED}) THEN vv := 7 END || SELECT vv > 2 THEN skip END"),
    ] {
        let compared = guarded(&format!(" = {step}"));
        assert!(compared.finished > 0 && compared.found.deadlock && !compared.found.invariant, "{step}: {compared:?}");
    }
    for guard in [ASSUMED.to_owned(), format!("{ASSUMED} & vv < 3"), format!("not({ASSUMED}) & vv < 3")] {
        assert!(guarded(&format!(" = SELECT {guard} THEN skip END")).is_open, "{guard}");
        assert!(guarded(&format!("(pp) = PRE pp : SS & {guard} THEN skip END")).is_open, "{guard}");
    }
}

#[test]
fn which_of_two_violations_is_met_first_does_not_matter() {
    let text = "MACHINE M\nSETS SS\nCONSTANTS cc\nPROPERTIES cc : SS\nVARIABLES vv\nINVARIANT vv : SS\nINITIALISATION vv :: SS\nOPERATIONS\n  \
                step(pp) = PRE pp : SS & {vv |-> 2}(cc) = 3 THEN vv := pp END\nEND\n";
    let compared = compare_all(&Project::model_of(text)).unwrap_or_else(|difference| panic!("{difference}"));
    assert!(compared.found.deadlock && compared.found.ill_defined && compared.finished > 0, "{compared:?}");
}
