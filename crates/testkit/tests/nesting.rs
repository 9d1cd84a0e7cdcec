//! No input overflows the stack: every construct is nested deeply, and everything that can be done with a machine is done. An overflow ends
//! the process; the last line on the standard output tells the case. `RUN_SLOW=1` nests as deep as the parser allows.

use std::collections::HashSet;
use std::io::Write as _;
use std::thread;

use abridge_testkit::Project;
use abridge_testkit::nesting::{self, NestingCase};

/// Less than any thread of ours has, and little more than what lets `with_stack` begin a segment.
const STACK_BYTES: usize = 256 * 1024;

/// Does everything with machines, at the usual depth or at the first of the slow ones, which descend, at which they are accepted.
fn bear(cases: fn(usize) -> Vec<NestingCase>, usual: usize, slow: &[usize]) {
    let is_slow = std::env::var_os("RUN_SLOW").is_some();
    let depths = if is_slow { slow.to_vec() } else { vec![usual] };
    let mut borne: HashSet<String> = HashSet::new();
    for depth in depths {
        for case in cases(depth).into_iter().filter(|case| !borne.contains(&case.name)).collect::<Vec<_>>() {
            let run = || {
                nesting::everything(&case, |what| {
                    // Past the capture of output, which an overflow would take along.
                    let _ = writeln!(std::io::stdout(), "{} at {depth}: {what}", case.name);
                })
            };
            let is_accepted = thread::scope(|scope| {
                let worker = thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, run);
                worker.expect("a thread can be started").join().expect("the case ends well")
            });
            if is_accepted {
                borne.insert(case.name);
            }
        }
    }
}

/// A construct that is written wrongly is refused at every depth, and tests nothing.
#[test]
fn every_construct_is_accepted_at_depth_one() {
    let cases = nesting::formulas(1).into_iter().chain(nesting::substitutions(1));
    let is_refused = |case: &NestingCase| Project::new(&[("M.mch", &case.text)]).analyse().has_errors();
    let refused: Vec<String> = cases.filter(is_refused).map(|case| case.name).collect();
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}

#[test]
fn nested_formulas() {
    bear(nesting::formulas, 150, &[19_900, 9_900, 6_600]);
}

#[test]
fn nested_substitutions() {
    bear(nesting::substitutions, 200, &[19_900, 9_900]);
}

#[test]
fn chains() {
    bear(nesting::chains, 60, &[4_000]);
}

#[test]
fn values_of_loops() {
    bear(nesting::loops, 250, &[100_000]);
}

/// A few as deep as the parser allows; the room for them is large enough for all.
#[test]
fn to_the_limit() {
    const NAMES: [&str; 3] = ["minus", "not", "if"];
    let few = |depth| nesting::cases(depth).into_iter().filter(|case| NAMES.contains(&case.name.as_str())).collect();
    bear(few, 19_900, &[19_900]);
}
