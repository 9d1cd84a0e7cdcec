//! The symbolic engine against headers of models, formulas and the explicit engine.
//!
//! `RUN_SLOW=1` compares more random formulas; the random machines of `compare.rs` go through the engine as well.

use std::sync::Arc;

use abridge_check::{
    Config, Control, Direction, ElementBitOrder, Engine, Evaluator, Method, PorMode, Progress, Report, Representatives,
    SymbolicSymmetry, TemporalReport, TemporalVerdict, Verdict, check,
};
use abridge_model::{Logic, Model};
use abridge_system::Limit;
use abridge_testkit::Project;
use abridge_testkit::expectations::{About, Count};
use abridge_testkit::models::{ModelFile, subjects};
use abridge_testkit::symbolic::{SymbolicComparison, compare, compare_number};
use abridge_testkit::temporal::machines::case;

/// Larger state spaces are not explored here.
const MAX_STATES: u64 = 9_000;
const MAX_COMPARED_STATES: u64 = 1_500;

fn survey() -> Config {
    Config {
        engine: Engine::Symbolic,
        find_all: true,
        assertions: false,
        goal: false,
        temporal: false,
        gluing: false,
        ..Config::default()
    }
}

fn of_subject(subject: &ModelFile) -> Config {
    if subject.is_prob() { survey().prob() } else { survey() }
}

/// Both numbers of states: representatives, and all behind them.
fn numbers(report: &Report) -> (String, Option<String>) {
    let symbolic = report.symbolic.as_ref().expect("the symbolic engine answers");
    (symbolic.states.to_string(), symbolic.states_behind.as_ref().map(ToString::to_string))
}

#[test]
fn models_have_the_states_of_their_headers() {
    let (mut n_counts, mut n_transitions) = (0, 0);
    for subject in subjects().iter().filter(|subject| subject.is_checked(false)) {
        for counts in subject.counts(About::All).into_iter().filter(|counts| counts.states() <= MAX_STATES) {
            let report = check(&subject.model(&counts.sizes), &of_subject(subject), &mut ());
            let place = format!("{} {:?}", subject.path.display(), counts.sizes);
            assert_eq!(report.limits, [""; 0], "{place}");
            let Some(symbolic) = &report.symbolic else { continue };
            for (count, expected) in &counts.list {
                match count {
                    Count::States => assert_eq!(report.states, *expected, "{place}"),
                    Count::Nodes => assert_eq!(report.states + 1, *expected, "{place}"),
                    Count::Transitions if symbolic.transitions.is_some() => {
                        assert_eq!(report.transitions, *expected, "{place}");
                        n_transitions += 1;
                    }
                    Count::Transitions => continue,
                }
                n_counts += 1;
            }
        }
    }
    eprintln!("{n_counts} counts compared, {n_transitions} of transitions");
    assert!(n_counts > 50 && n_transitions > 20, "{n_counts} counts, {n_transitions} of transitions");
}

/// `SYMBOLIC_MACHINES=2000` compares more.
#[test]
fn random_machines_agree_with_every_method_and_order() {
    let n_machines = std::env::var("SYMBOLIC_MACHINES").ok().and_then(|text| text.parse().ok()).unwrap_or(60);
    let mut all = SymbolicComparison::default();
    for number in 10_000..10_000 + n_machines {
        let compared = compare_number(number).unwrap_or_else(|text| panic!("machine {number}: {text}"));
        all.add(compared);
    }
    eprintln!("{all:?}");
    assert!(all.finished as u64 >= 4 * n_machines && all.reduced.iter().all(|n| *n > 5), "{all:?}");
    assert!(all.backward as u64 >= 2 * n_machines, "{all:?}");
}

/// Sets of sets of three elements: a pair of elements stands for the third, so that the cells of an orbit run against the order of elements.
#[test]
fn sets_of_sets_have_one_representative_per_orbit() {
    let text = "MACHINE M SETS ID DEFINITIONS scope_ID == 3 VARIABLES ssi INVARIANT ssi : POW(POW(ID)) \
        INITIALISATION ssi := {} OPERATIONS Add(yy) = PRE yy <: ID & yy /: ssi THEN ssi := ssi \\/ {yy} END END";
    let compared = compare(&Project::new(&[("M.mch", text)]), &[]).expect("all methods agree");
    assert!(compared.unique >= 2, "{compared:?}");
}

/// With one valuation of the constants, `ww` leaves its bound and has no cells, so elements are not exchanged there; with the other they are.
#[test]
fn representatives_are_not_unique_where_elements_are_left_alone() {
    let text = "MACHINE M SETS SS; TT CONSTANTS c0 PROPERTIES card(SS) = 2 & card(TT) = 2 & c0 : 0..1 VARIABLES vt, wt, ww \
        INVARIANT vt : TT & wt : TT & ww : SS --> {0.1, 0.2} INITIALISATION vt :: TT || wt :: TT || ww := SS * {0.1} \
        OPERATIONS set(pp, qq) = PRE pp : SS & qq : TT & c0 = 1 THEN ww := ww <+ {pp |-> 0.3} || vt := qq END END";
    let compared = compare(&Project::new(&[("M.mch", text)]), &[]).expect("all methods agree");
    assert!(compared.reduced[0] >= 1 && compared.unique < compared.reduced.iter().sum(), "{compared:?}");
}

fn backward() -> Config {
    Config {
        engine: Engine::Symbolic,
        direction: Direction::Backward,
        symmetry: Method::Off,
        deadlock: false,
        temporal: false,
        ..Config::default()
    }
}

fn protocol(name: &str, set: &str, size: u32) -> Model {
    let subject = subjects().into_iter().find(|subject| subject.path.ends_with(name)).expect("a model");
    subject.model(&[(set.to_owned(), size)])
}

/// The links of the queue are never looked at: who waits behind whom does not matter to mutual exclusion.
#[test]
fn mutual_exclusion_of_the_queue_lock_needs_no_queue() {
    for size in [2, 3, 5] {
        let report = check(&protocol("McsLock.mch", "PROC", size), &backward(), &mut ());
        assert_eq!((report.verdict, &report.limits[..]), (Verdict::Holds, &[][..]));
        let found = report.symbolic.and_then(|symbolic| symbolic.backward).expect("a backward search");
        assert_eq!((found.visible, found.variables), (4, 5), "{found:?}");
    }
    let sorted = Config { symmetry: Method::Auto, ..backward() };
    let report = check(&protocol("McsLock.mch", "PROC", 3), &sorted, &mut ());
    assert_eq!((report.verdict, report.limits.len()), (Verdict::Holds, 0));
}

/// A process that overlooks its predecessor: the path is one of the machine.
#[test]
fn a_backward_search_finds_a_path_to_a_planted_bug() {
    let path = subjects().into_iter().find(|subject| subject.path.ends_with("McsLock.mch")).expect("a model").path;
    let text = std::fs::read_to_string(path).expect("a file");
    let right = "IF p : dom(before) THEN goes(p, flagging) ELSE goes(p, inside) END";
    assert!(text.contains(right));
    let project = Project::new(&[("McsLock.mch", &text.replace(right, "goes(p, inside)"))]);
    let (model, _) = project.with_formulas(&[], &backward()).expect("a model");
    let report = check(&model, &backward(), &mut ());
    assert_eq!(report.verdict, Verdict::Violated);
    let violation = report.violation().expect("a violation");
    assert_eq!((violation.trace.gap.as_deref(), violation.trace.steps.len()), (None, 7));
}

/// No step leads back from a finding: the initial states are asked nevertheless.
#[test]
fn a_backward_search_needs_no_operations() {
    for text in [
        "MACHINE M CONSTANTS c PROPERTIES c = 1 ASSERTIONS c = 2 END",
        "MACHINE M VARIABLES x INVARIANT x : 0..1 & x /= 1 INITIALISATION x :: 0..1 END",
    ] {
        let report = check(&Project::model_of(text), &backward(), &mut ());
        assert_eq!(report.verdict, Verdict::Violated, "{text}: {:?}", report.limits);
        assert_eq!(report.violation().and_then(|violation| violation.trace.gap.as_deref()), None);
    }
    let report = check(&Project::model_of("MACHINE M END"), &Config { deadlock: true, ..backward() }, &mut ());
    assert!(report.found.deadlock && report.verdict == Verdict::Violated, "{:?}", report.limits);
}

/// Without a circuit for everything, there is no backward search, and no verdict.
#[test]
fn a_backward_search_says_what_it_cannot_do() {
    let text = "MACHINE M VARIABLES x INVARIANT x : NATURAL INITIALISATION x := 0 OPERATIONS Up = x := x + 1 END";
    let project = Project::new(&[("M.mch", text)]);
    let (model, _) = project.with_formulas(&[], &backward()).expect("a model");
    let report = check(&model, &backward(), &mut ());
    assert_eq!(report.verdict, Verdict::Incomplete, "{:?}", report.limits);
    assert!(report.limits.iter().any(|limit| limit.starts_with("backward search: ")), "{:?}", report.limits);
}

#[test]
fn orbits_are_those_of_the_explicit_engine() {
    let mut n_unique = 0;
    for subject in subjects().iter().filter(|subject| subject.is_checked(false) && !subject.is_prob()) {
        for counts in subject.counts(About::All).into_iter().filter(|counts| counts.states() <= MAX_COMPARED_STATES) {
            let model = subject.model(&counts.sizes);
            let reduced = Config { symmetry: Method::Auto, ..of_subject(subject) };
            let report = check(&model, &reduced, &mut ());
            let Some(symbolic) = &report.symbolic else { continue };
            let explicit = check(&model, &Config { engine: Engine::Explicit, ..reduced }, &mut ());
            let place = format!("{} {:?}", subject.path.display(), counts.sizes);
            assert_eq!((report.verdict, report.found), (explicit.verdict, explicit.found), "{place}");
            let plain = check(&model, &of_subject(subject), &mut ());
            assert_eq!(symbolic.states_behind, plain.symbolic.map(|symbolic| symbolic.states), "{place}");
            match symbolic.symmetry {
                SymbolicSymmetry::Off => {}
                SymbolicSymmetry::Unique => {
                    assert_eq!(report.states, explicit.states, "{place}");
                    n_unique += 1;
                }
                SymbolicSymmetry::Several => assert!(report.states >= explicit.states, "{place}"),
            }
        }
    }
    assert!(n_unique >= 5, "only {n_unique} models with unique representatives");
}

/// Protocols whose elements are all interchangeable: each method has the orbits of the explicit engine, or several representatives.
#[test]
fn methods_have_the_orbits_of_the_protocols() {
    for (name, sizes, orbits, all) in [
        ("MsLock.mch", &[("PROC", 3)][..], 112_u64, 569_u64),
        ("McsLock.mch", &[("PROC", 2)], 81, 159),
        ("McsLock.mch", &[("PROC", 3)], 1_285, 7_597),
    ] {
        let subject = subjects().into_iter().find(|subject| subject.path.ends_with(name)).expect("a model");
        let sizes: Vec<(String, u32)> = sizes.iter().map(|(set, size)| ((*set).to_owned(), *size)).collect();
        let model = subject.model(&sizes);
        for order in [ElementBitOrder::Concatenated, ElementBitOrder::Interlaced] {
            for representatives in [
                Representatives::Dynamic,
                Representatives::Multiple,
                Representatives::Orbits,
                Representatives::Counters,
            ] {
                let config = Config { symmetry: Method::Auto, representatives, order, ..survey() };
                let report = check(&model, &config, &mut ());
                let place = format!("{name} {sizes:?} {representatives:?} {order:?}");
                // Of two processes, each knows itself and the other one.
                if representatives == Representatives::Counters && orbits == 1_285 {
                    assert!(report.limits.iter().any(|limit| limit.starts_with("counter abstraction: ")), "{place}");
                    continue;
                }
                assert_eq!(report.limits, [""; 0], "{place}");
                let symbolic = report.symbolic.as_ref().expect("the symbolic engine answers");
                assert_eq!(symbolic.states_behind, Some(all.into()), "{place}");
                let is_unique = symbolic.symmetry == SymbolicSymmetry::Unique;
                match representatives {
                    Representatives::Orbits | Representatives::Counters => assert!(is_unique, "{place}"),
                    Representatives::Multiple => assert!(!is_unique, "{place}"),
                    // Exchanges of neighbours are not enough where three processes know each other.
                    Representatives::Dynamic | Representatives::Patterns => {
                        assert_eq!(is_unique, (name, orbits) != ("McsLock.mch", 1_285), "{place}")
                    }
                }
                let expected = if is_unique { orbits..=orbits } else { orbits..=all };
                assert!(expected.contains(&report.states), "{place}: {}", report.states);
            }
        }
    }
}

/// Elements in a ring, which only rotations leave as it is: a token goes round, and elements that have it may be lit.
const RING: &str = "MACHINE Ring\nSETS P\nCONSTANTS after\nPROPERTIES after : P >->> P & !(p).(p : P => closure1(after)[{p}] = P)\nVARIABLES lit, at\n\
    INVARIANT lit <: P & at : P\nINITIALISATION lit := {} || at :: P\nOPERATIONS\n  on = SELECT at /: lit THEN lit := lit \\/ {at} END;\n  \
    off = SELECT at : lit & after(at) : lit THEN lit := lit - {at} END;\n  go = BEGIN at := after(at) END\nEND\n";

#[test]
fn rotations_of_a_ring_are_found_and_unique() {
    for size in [3, 4, 5] {
        let mut project = Project::new(&[("M.mch", RING)]);
        project.options.set_sizes = vec![("P".to_owned(), size)];
        let model = project.analyse().model.expect("a model");
        let explicit =
            check(&model, &Config { engine: Engine::Explicit, symmetry: Method::Canon, ..survey() }, &mut ());
        let all = check(&model, &Config { engine: Engine::Explicit, ..survey() }, &mut ());
        for representatives in [Representatives::Dynamic, Representatives::Multiple, Representatives::Orbits] {
            let config = Config { symmetry: Method::Auto, representatives, ..survey() };
            let report = check(&model, &config, &mut ());
            let symbolic = report.symbolic.as_ref().expect("the symbolic engine answers");
            assert_eq!(report.states, explicit.states, "{size} {representatives:?}");
            assert_eq!(symbolic.states_behind, Some(all.states.into()), "{size} {representatives:?}");
        }
    }
}

/// A ring of cells, each of which can be set once its neighbour is, and a token that goes round.
fn counters(n: u32) -> Model {
    Project::model_of(&format!(
        "MACHINE Counters\nVARIABLES on, at\nINVARIANT on <: 1..{n} & at : 1..{n}\nINITIALISATION on := {{}} || at := 1\nOPERATIONS\n  \
         set = SELECT at /: on THEN on := on \\/ {{at}} END;\n  clear = SELECT at : on THEN on := on - {{at}} END;\n  \
         go = IF at < {n} THEN at := at + 1 ELSE at := 1 END\nEND\n"
    ))
}

#[test]
fn counts_beyond_machine_words_are_exact() {
    let report = check(&counters(130), &survey(), &mut ());
    let expected = num_bigint::BigUint::from(130_u32) << 130_u32;
    assert_eq!((report.verdict, numbers(&report).0), (Verdict::Holds, expected.to_string()));
}

/// A process is absent, idle or waiting, or one of them is active.
#[test]
fn a_scheduler_of_forty_processes_is_counted() {
    let subject = subjects().into_iter().find(|subject| subject.path.ends_with("scheduler0.mch")).expect("a model");
    let model = subject.model(&[("PROC".to_owned(), 40)]);
    let expected = num_bigint::BigUint::from(43_u32) * num_bigint::BigUint::from(3_u32).pow(39);
    let report = check(&model, &survey(), &mut ());
    assert_eq!((report.verdict, numbers(&report).0), (Verdict::Holds, expected.to_string()));
}

/// A token ring for each permutation of the servers: the token, a set of requests, and whether the server with the token is in its critical section.
#[test]
fn a_token_ring_of_eleven_servers_is_counted() {
    let subject = subjects().into_iter().find(|subject| subject.path.ends_with("TokenRing.mch")).expect("a model");
    let model = subject.model(&[("Servers".to_owned(), 11)]);
    let report = check(&model, &Config { symmetry: Method::Auto, ..survey() }, &mut ());
    let n_setups: u64 = (1..=11).product();
    assert_eq!((report.verdict, numbers(&report).1), (Verdict::Holds, Some((n_setups * (1 + (11 << 12))).to_string())));
}

/// Closed walks around the table that never pass two eating neighbours.
#[test]
fn a_round_table_of_fifty_philosophers_is_counted() {
    let subject = subjects().into_iter().find(|subject| subject.path.ends_with("RoundTable.mch")).expect("a model");
    let model = subject.model(&[("CHAIR".to_owned(), 50)]);
    let mut counts = [num_bigint::BigUint::from(2_u32), num_bigint::BigUint::from(8_u32)];
    for _ in 3..=50 {
        let next = (&counts[0] + &counts[1]) * 2_u32;
        counts.swap(0, 1);
        counts[1] = next;
    }
    let report = check(&model, &survey(), &mut ());
    assert_eq!((report.verdict, numbers(&report).0), (Verdict::Holds, counts[1].to_string()));
}

#[test]
fn counters_and_sorting_count_the_same_states() {
    let subject = subjects().into_iter().find(|subject| subject.path.ends_with("MsLock.mch")).expect("a model");
    let model = subject.model(&[("PROC".to_owned(), 10)]);
    for representatives in [Representatives::Dynamic, Representatives::Counters] {
        let report = check(&model, &Config { symmetry: Method::Auto, representatives, ..survey() }, &mut ());
        assert_eq!(numbers(&report), ("11298".to_owned(), Some("585126414".to_owned())), "{representatives:?}");
    }
}

/// One element moves on its own, and the same step moves all others in another way.
#[test]
fn counters_follow_steps_of_all_elements() {
    let text = "MACHINE M SETS PP DEFINITIONS scope_PP == 6 VARIABLES aa, bb INVARIANT aa <: PP & bb <: PP \
        INITIALISATION aa := {} || bb := {} OPERATIONS add(ii) = SELECT ii : PP - aa THEN aa := aa \\/ {ii} END; \
        copy(ii) = SELECT ii : aa THEN bb := aa - {ii} || aa := aa - {ii} END; \
        clear = SELECT bb = aa & bb /= {} THEN bb := {} END END";
    let report_of = |representatives: Representatives| {
        let report =
            check(&Project::model_of(text), &Config { symmetry: Method::Auto, representatives, ..survey() }, &mut ());
        assert_eq!(report.limits, [""; 0], "{representatives:?}");
        (numbers(&report), report.verdict)
    };
    assert_eq!(report_of(Representatives::Counters), report_of(Representatives::Dynamic));
}

/// More than 10^24 states, counted as sums over two different diagrams.
#[test]
fn counters_and_sorting_count_the_same_states_of_thirty_processes() {
    if std::env::var_os("RUN_SLOW").is_none() {
        return;
    }
    let subject = subjects().into_iter().find(|subject| subject.path.ends_with("MsLock.mch")).expect("a model");
    let model = subject.model(&[("PROC".to_owned(), 30)]);
    let numbers_by = |representatives: Representatives| {
        let report = check(&model, &Config { symmetry: Method::Auto, representatives, ..survey() }, &mut ());
        assert_eq!(report.limits, [""; 0], "{representatives:?}");
        numbers(&report)
    };
    let (orbits, behind) = numbers_by(Representatives::Counters);
    assert_eq!((orbits.as_str(), behind.as_ref().map(String::len)), ("1628617", Some(25)));
    assert_eq!(numbers_by(Representatives::Dynamic), (orbits, behind));
}

/// Several tables: the philosophers sit between two forks as a derangement says, and each fork is free or with one of two philosophers.
#[test]
fn twelve_dining_philosophers_are_counted() {
    let subject = subjects().into_iter().find(|subject| subject.path.ends_with("Dining.mch")).expect("a model");
    let model = subject.model(&[("Phil".to_owned(), 12), ("Forks".to_owned(), 12)]);
    let big = num_bigint::BigUint::from;
    let (mut factorial, mut derangements) = (big(1_u32), [big(1_u32), big(0_u32)]);
    for n in 1..=12_u32 {
        factorial *= n;
        if n > 1 {
            let next = (&derangements[0] + &derangements[1]) * (n - 1);
            derangements.swap(0, 1);
            derangements[1] = next;
        }
    }
    let expected = factorial * &derangements[1] * (big(3).pow(12) + 1_u32);
    let report = check(&model, &Config { symmetry: Method::Auto, ..survey() }, &mut ());
    assert_eq!(report.limits, [""; 0]);
    assert_eq!((report.verdict, numbers(&report).1), (Verdict::Holds, Some(expected.to_string())));
}

/// The bits of a function into interchangeable elements are listed in another order than the elements: counters must not misread them.
#[test]
fn counters_read_functions_into_elements() {
    let text = "MACHINE M\nSETS SS = {s1, s2}; TT\nVARIABLES vs, vt, to\nINVARIANT vs : SS & vt : TT & to : SS --> TT & vt : ran(to)\n\
                INITIALISATION vs :: SS || vt :: TT || to :: SS --> TT\nOPERATIONS\n  op = BEGIN vs := s1 END\nEND\n";
    for (size, all) in [(2, 16), (3, 54)] {
        let mut project = Project::new(&[("M.mch", text)]);
        project.options.set_sizes = vec![("TT".to_owned(), size)];
        let model = project.analyse().model.expect("a model");
        for representatives in [Representatives::Dynamic, Representatives::Counters] {
            let report = check(&model, &Config { symmetry: Method::Auto, representatives, ..survey() }, &mut ());
            assert_eq!(report.limits, [""; 0], "{size} {representatives:?}");
            assert_eq!(numbers(&report).1, Some(all.to_string()), "{size} {representatives:?}");
            assert_eq!(report.verdict, Verdict::Violated, "{size} {representatives:?}");
        }
    }
}

#[test]
fn symmetry_reduces_subsets_to_their_sizes() {
    let text = "MACHINE Club\nSETS MEMBER\nVARIABLES in, chair\nINVARIANT in <: MEMBER & chair <: MEMBER & chair <: in & card(chair) <= 1\n\
                INITIALISATION in := {} || chair := {}\nOPERATIONS\n  join(m) = SELECT m : MEMBER - in THEN in := in \\/ {m} END;\n  \
                leave(m) = SELECT m : in - chair THEN in := in - {m} END;\n  elect(m) = SELECT m : in THEN chair := {m} END\nEND\n";
    let mut project = Project::new(&[("M.mch", text)]);
    project.options.set_sizes = vec![("MEMBER".to_owned(), 12)];
    let model = project.analyse().model.expect("a model");
    let report = check(&model, &Config { symmetry: Method::Auto, ..survey() }, &mut ());
    // Sizes 0 to 12 without a chair, 1 to 12 with one; all subsets, and all subsets with one of their members.
    assert_eq!(numbers(&report), ("25".to_owned(), Some((4096 + 12 * 2048).to_string())));
    assert_eq!(report.verdict, Verdict::Holds);
}

const BROKEN: &str = "MACHINE Broken\nSETS P\nVARIABLES in, n\nINVARIANT in <: P & n : 0..9 & card(in) < 3\nINITIALISATION in := {} || n := 0\nOPERATIONS\n  \
                      enter(p) = SELECT p : P - in & n > 2 THEN in := in \\/ {p} END;\n  tick = SELECT n < 9 THEN n := n + 1 END\nEND\n";

#[test]
fn traces_are_shortest_and_real() {
    let mut project = Project::new(&[("M.mch", BROKEN)]);
    project.options.set_sizes = vec![("P".to_owned(), 4)];
    let model = project.analyse().model.expect("a model");
    for symmetry in [Method::Off, Method::Auto] {
        let report = check(&model, &Config { symmetry, find_all: false, ..survey() }, &mut ());
        let violation = report.violation().expect("the invariant fails");
        assert_eq!(
            (report.verdict, violation.trace.n_steps(), violation.trace.gap.clone()),
            (Verdict::Violated, 7, None)
        );
    }
}

#[test]
fn what_ends_a_search_is_a_limit() {
    struct Impatient;
    impl Control for Impatient {
        fn poll(&mut self, progress: &Progress) -> Option<Limit> {
            (progress.depth > 2).then_some(Limit::Interrupted)
        }
    }
    let report = check(&counters(30), &survey(), &mut Impatient);
    assert_eq!(
        (report.verdict, &report.limits[..]),
        (Verdict::Incomplete, &["interrupted by the user".to_owned()][..])
    );
    assert_eq!(report.symbolic.as_ref().map(|symbolic| symbolic.rounds), Some(3));
    assert!(report.states > 4, "{} states", report.states);
    let config = Config { symmetry: Method::Off, max_nodes: 200_000, ..survey() };
    let report = check(&protocol("McsLock.mch", "PROC", 5), &config, &mut ());
    assert_eq!(report.limits, ["node limit of the symbolic engine reached"]);
    let symbolic = report.symbolic.expect("the symbolic engine answers");
    // While levels move, there may be a fifth more.
    assert!(report.states > 1_000 && symbolic.rounds > 1 && symbolic.peak_nodes <= 250_000, "{symbolic:?}");
    let report = check(&counters(30), &Config { max_nodes: 1, ..survey() }, &mut ());
    assert_eq!(report.verdict, Verdict::Incomplete);
    assert_eq!(report.limits, ["node limit of the symbolic engine reached"]);
    let report = check(&counters(30), &Config { max_depth: Some(3), ..survey() }, &mut ());
    assert_eq!(report.verdict, Verdict::Incomplete);
}

#[test]
fn what_has_no_circuit_is_learnt() {
    let text = "MACHINE Queue\nVARIABLES q, n\nINVARIANT q : seq(1..3) & n : 0..3 & size(q) <= 4\nINITIALISATION q := <> || n := 0\nOPERATIONS\n  \
                put(x) = SELECT x : 1..3 & size(q) < 4 THEN q := q <- x END;\n  get = SELECT q /= <> THEN q := tail(q) END;\n  \
                count = BEGIN n := (n + 1) mod 4 END\nEND\n";
    let report = check(&Project::model_of(text), &survey(), &mut ());
    let symbolic = report.symbolic.as_ref().expect("the symbolic engine answers");
    // 1 + 3 + 9 + 27 + 81 sequences.
    assert_eq!((report.verdict, report.states), (Verdict::Holds, 121 * 4));
    let explicit = check(&Project::model_of(text), &Config { engine: Engine::Explicit, ..survey() }, &mut ());
    assert_eq!(symbolic.transitions, Some(explicit.transitions.into()));
}

/// Equal targets with several outputs are several transitions.
#[test]
fn transitions_that_diagrams_do_not_tell_apart_are_counted() {
    let text = "MACHINE M VARIABLES qq INVARIANT qq <: 1..4 INITIALISATION qq := {} OPERATIONS \
        rr <-- take = ANY xx WHERE xx : 1..4 & xx /: qq THEN qq := qq \\/ {xx} || rr :: {xx, 0} END; \
        drop = BEGIN qq := {} END END";
    let report = check(&Project::model_of(text), &survey(), &mut ());
    let explicit = check(&Project::model_of(text), &Config { engine: Engine::Explicit, ..survey() }, &mut ());
    let symbolic = report.symbolic.expect("the symbolic engine answers");
    assert_eq!((symbolic.exact_operations, symbolic.transitions), (2, Some(explicit.transitions.into())));
}

#[test]
fn automatic_choice_gives_the_same_answer() {
    let report = check(&counters(12), &Config { engine: Engine::Auto, ..survey() }, &mut ());
    assert_eq!((report.verdict, report.states), (Verdict::Holds, 12 << 12));
    let report = check(&counters(40), &Config { engine: Engine::Auto, ..survey() }, &mut ());
    assert_eq!((report.verdict, report.states), (Verdict::Holds, 40 << 40));
    assert!(report.symbolic.is_some());
}

/// Verdicts and traces of formulas of branching time about a machine.
fn branching(project: &Project, formulas: &[&str], config: &Config) -> Vec<TemporalReport> {
    let formulas: Vec<(Logic, &str)> = formulas.iter().map(|text| (Logic::Ctl, *text)).collect();
    judged(project, &formulas, config).temporal
}

fn judged(project: &Project, formulas: &[(Logic, &str)], config: &Config) -> Report {
    let (model, prepared) =
        project.with_formulas(formulas, config).unwrap_or_else(|| panic!("{}", project.diagnostics()));
    check(&model, &Config { formulas: Arc::new(prepared), ..config.clone() }, &mut ())
}

fn of_formulas(engine: Engine, symmetry: Method) -> Config {
    Config { engine, symmetry, invariant: false, deadlock: false, goal: false, ..survey() }
}

#[test]
fn random_formulas_have_the_same_verdict() {
    let n_cases = if std::env::var_os("RUN_SLOW").is_some() { 6_000 } else { 600 };
    // By logic: formulas, violated ones, those with a loop, and those that were not judged.
    let mut counts = [[0; 4]; 2];
    for number in 70_000..70_000 + n_cases {
        let case = case(number);
        let formulas: Vec<(Logic, &str)> = case.formulas.iter().map(|it| (it.logic, it.text.as_str())).collect();
        let project = Project::new(&[("M.mch", &case.machine)]);
        let explicit = of_formulas(Engine::Explicit, Method::Off);
        let explicit = Config { max_states: Some(MAX_COMPARED_STATES), ..explicit };
        let expected = judged(&project, &formulas, &explicit);
        // Some machines have no end, and some formulas are violated all the same.
        let is_open = |report: &TemporalReport| matches!(report.verdict, TemporalVerdict::Incomplete(_));
        if !expected.visited_all || expected.temporal.iter().any(is_open) {
            continue;
        }
        let expected = expected.temporal;
        for symmetry in [Method::Off, Method::Auto] {
            let found = judged(&project, &formulas, &of_formulas(Engine::Symbolic, symmetry)).temporal;
            assert_eq!(found.len(), expected.len());
            for (found, expected) in found.iter().zip(&expected) {
                let place = || format!("case {number}, {symmetry:?}: {}\n{}", found.formula, case.machine);
                let counts = &mut counts[usize::from(found.logic == Logic::Ltl)];
                counts[0] += 1;
                let is_about_every = ["WEF", "SEF"].iter().any(|premise| found.formula.contains(premise));
                let may_be_open = found.logic == Logic::Ltl || is_about_every;
                if may_be_open && matches!(found.verdict, TemporalVerdict::Incomplete(_)) {
                    counts[3] += 1;
                    continue;
                }
                assert_eq!(found.verdict, expected.verdict, "{}", place());
                if found.verdict == TemporalVerdict::Violated {
                    counts[1] += 1;
                    let trace = found.trace.as_ref().unwrap_or_else(|| panic!("no trace: {}", place()));
                    assert_eq!(trace.gap, None, "{}", place());
                    if let Some(head) = trace.loop_start {
                        counts[2] += 1;
                        let [last, first] = [trace.steps.len() - 1, head - 1].map(|step| &trace.steps[step].state);
                        assert_eq!(last, first, "the loop closes: {}", place());
                    }
                }
            }
        }
    }
    eprintln!("branching and linear time: {counts:?}");
    let [branching, linear] = counts;
    assert!(branching[0] > 400 && branching[1] > 100 && branching[2] > 10, "{branching:?}");
    assert!(linear[0] > 400 && linear[1] > 100 && linear[2] > 10 && linear[0] > linear[3] + 400, "{linear:?}");
}

const LIGHTS: &str = "MACHINE M\nSETS ID = {e1, e2, e3}\nVARIABLES lit\nINVARIANT lit <: ID\nINITIALISATION lit := {}\n\
    OPERATIONS\n  on(pp) = PRE pp : ID - lit THEN lit := lit \\/ {pp} END;\n  off(pp) = PRE pp : lit & card(lit) < 3 \
    THEN lit := lit - {pp} END\nEND\n";

#[test]
fn atoms_of_branching_time_are_those_of_the_explicit_engine() {
    let formulas = [
        "AG EF {lit = {}}",
        "EF AG {lit = ID}",
        "AF deadlock",
        "AG (deadlock => {card(lit) = 3})",
        "E {card(lit) < 2} U {card(lit) = 2}",
        "AX [on] true",
        "EX [off] true",
        "AG e(on(e1))",
        "EF not e(on(e1))",
        "EX [on(e2)] {e2 : lit}",
        "EX [on(e2)] {e1 : lit}",
        "AG (e(off) or {lit = {}} or sink)",
        "EG {lit /= ID}",
        "A {card(lit) <= 3} W {lit = {}}",
        "AG {1 / card(lit) > 0}",
    ];
    let project = Project::new(&[("M.mch", LIGHTS)]);
    let expected = branching(&project, &formulas, &of_formulas(Engine::Explicit, Method::Off));
    let n_violated = expected.iter().filter(|it| it.verdict == TemporalVerdict::Violated).count();
    assert!((4..=11).contains(&n_violated), "{n_violated}");
    assert!(matches!(expected[14].verdict, TemporalVerdict::IllDefined(_)), "{:?}", expected[14].verdict);
    for symmetry in [Method::Off, Method::Auto] {
        let found = branching(&project, &formulas, &of_formulas(Engine::Symbolic, symmetry));
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!(found.verdict, expected.verdict, "{} {symmetry:?}", found.formula);
        }
    }
}

/// Lights go on and off; on fair paths some operation cannot be left out for ever.
#[test]
fn premises_of_branching_time_leave_paths_out() {
    let formulas = [
        ("AF {lit = ID}", false),
        ("SF(on) & SF(off) => AF {lit = ID}", false),
        ("WF(on) => AF {lit /= {}}", true),
        ("AF {card(lit) = 2}", false),
        ("SF(on(e1)) => AG AF {e1 : lit or lit = ID}", true),
        ("WF(on(e1)) => AG AF {e1 : lit}", true),
        ("SF(off) => EG {card(lit) <= 1}", true),
        ("SF(off) => EX EG {card(lit) = 1}", false),
        ("WF(on) or WF(off) => AG EF {lit = ID}", true),
    ];
    let texts: Vec<&str> = formulas.iter().map(|(text, _)| *text).collect();
    let project = Project::new(&[("M.mch", LIGHTS)]);
    let explicit = branching(&project, &texts, &of_formulas(Engine::Explicit, Method::Off));
    for symmetry in [Method::Off, Method::Auto] {
        let found = branching(&project, &texts, &of_formulas(Engine::Symbolic, symmetry));
        for ((found, explicit), (text, holds)) in found.iter().zip(&explicit).zip(&formulas) {
            assert_eq!(found.verdict, explicit.verdict, "{text} {symmetry:?}");
            assert_eq!(found.verdict == TemporalVerdict::Holds, *holds, "{text} {symmetry:?}");
            let trace = found.trace.as_ref();
            assert!(*holds || trace.is_some_and(|trace| trace.gap.is_none()), "{text} {symmetry:?}");
        }
    }
}

/// Links between elements: an orbit has several representatives.
const LINKS: &str = "MACHINE M\nSETS ID = {e1, e2, e3}\nVARIABLES to, top\nINVARIANT to : ID +-> ID & top <: ID\nINITIALISATION to := {} || top := {}\n\
    OPERATIONS\n  link(pp, qq) = PRE pp : ID - dom(to) & qq : ID & pp /= qq THEN to := to \\/ {pp |-> qq} || top := {qq} END;\n  \
    cut(pp) = PRE pp : dom(to) & to(pp) : dom(to) THEN to := {pp} <<| to || top := top - {pp} END\nEND\n";

#[test]
fn formulas_hold_for_whole_orbits() {
    let formulas = [
        "AG EF {to = {}}",
        "EF {closure1(to) /\\ id(ID) /= {}}",
        "AG ({to = {}} or EX [cut] true)",
        "EG {closure1(to) /\\ id(ID) = {}}",
        "AG (EF {top = {}})",
        "A {card(to) < 3} U {top /= {}}",
        "AG (e(cut) => EF not e(cut))",
        "AF {card(to) = 3}",
    ];
    let project = Project::new(&[("M.mch", LINKS)]);
    let expected = branching(&project, &formulas, &of_formulas(Engine::Explicit, Method::Off));
    let n_violated = expected.iter().filter(|it| it.verdict == TemporalVerdict::Violated).count();
    assert!((2..=6).contains(&n_violated), "{n_violated}");
    for symmetry in [Method::Off, Method::Auto] {
        let found = branching(&project, &formulas, &of_formulas(Engine::Symbolic, symmetry));
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!(found.verdict, expected.verdict, "{} {symmetry:?}", found.formula);
            let gap = found.trace.as_ref().and_then(|trace| trace.gap.clone());
            assert_eq!(gap, None, "{} {symmetry:?}", found.formula);
        }
    }
    let config = Config { symmetry: Method::Auto, ..survey() };
    let report = check(&Project::model_of(LINKS), &config, &mut ());
    assert_eq!(report.symbolic.map(|it| it.symmetry), Some(SymbolicSymmetry::Several));
}

/// Machines about which something is assumed or not known, in a state, an operation or a property.
const OPEN: [&str; 5] = [
    "MACHINE M VARIABLES n INVARIANT n : 0..3 & %x.(x : INTEGER & x > n | x mod 7 - 2 * n) : INTEGER +-> NATURAL INITIALISATION n := 0\n\
     OPERATIONS up = n := (n + 1) mod 4 END\n",
    "MACHINE M VARIABLES f INVARIANT f : INTEGER --> NATURAL INITIALISATION f := %x.(x : INTEGER | x * x)\n\
     OPERATIONS down = f := %x.(x : INTEGER | x - 1) END\n",
    "MACHINE M VARIABLES n INVARIANT n : 0..3 INITIALISATION n := 0\n\
     OPERATIONS up = SELECT not(%x.(x : INTEGER & x > n | x mod 7 - 2) : INTEGER +-> NATURAL) THEN n := (n + 1) mod 4 END END\n",
    "MACHINE M VARIABLES n INVARIANT n : 0..3 INITIALISATION n := 0\n\
     OPERATIONS up(p) = SELECT p : NATURAL & p > n THEN n := p mod 4 END END\n",
    "MACHINE M DEFINITIONS \"LibraryRandom.def\" VARIABLES n INVARIANT n : 0..3 INITIALISATION n := 0\n\
     OPERATIONS up = SELECT RANDOM(0, 9) < 20 THEN n := (n + 1) mod 4 END END\n",
];

#[test]
fn what_is_assumed_or_unknown_is_neither_proved_nor_refuted() {
    let engines = [
        Config::default(),
        Config { evaluator: Evaluator::Sliced, ..Config::default() },
        Config { por: PorMode::Semantic, ..Config::default() },
        Config { engine: Engine::Symbolic, ..Config::default() },
    ];
    for (text, config) in OPEN.iter().flat_map(|text| engines.iter().map(move |config| (text, config))) {
        let report = check(&Project::model_of(text), config, &mut ());
        let place = format!("{text} {:?} {:?}", config.engine, config.evaluator);
        assert_eq!(report.verdict, Verdict::Incomplete, "{place}: {:?} {:?}", report.found, report.limits);
    }
}

/// `%z.(z : INTEGER & z > 1 | z mod 3 - 1)` is no function to NATURAL, so the invariant holds; membership of an infinite function is assumed, which makes it false. What is
/// false by an assumption is no violation, and a goal that cannot be evaluated is not reached.
#[test]
fn an_assumption_makes_no_finding() {
    let texts = [
        "MACHINE M VARIABLES n INVARIANT n : 0..3 & not(%z.(z : INTEGER & z > 1 | z mod 3 - 1) : INTEGER +-> NATURAL)\n\
         INITIALISATION n := 0 OPERATIONS up = n := (n + 1) mod 4 END\n",
        "MACHINE M VARIABLES n INVARIANT n : 0..3\n\
         ASSERTIONS %z.(z : INTEGER & z > n | z mod 3 - 1) : INTEGER +-> NATURAL => n > 4\n\
         INITIALISATION n := 0 OPERATIONS up = n := (n + 1) mod 4 END\n",
        "MACHINE M DEFINITIONS GOAL == %z.(z : INTEGER & z > n | z mod 3 - 1) : INTEGER +-> NATURAL\n\
         VARIABLES n INVARIANT n : 0..3 INITIALISATION n := 0 OPERATIONS up = n := (n + 1) mod 4 END\n",
        "MACHINE M DEFINITIONS GOAL == #(y, z).(y : INTEGER & z : INTEGER & y * y - 61 * z * z = 1 & z > n + 3)\n\
         VARIABLES n INVARIANT n : 0..3 INITIALISATION n := 0 OPERATIONS up = n := (n + 1) mod 4 END\n",
    ];
    for text in texts {
        for engine in [Engine::Explicit, Engine::Symbolic] {
            let report = check(&Project::model_of(text), &Config { engine, ..Config::default() }, &mut ());
            assert_eq!(
                report.verdict,
                Verdict::Incomplete,
                "{engine:?} {text}: {:?} {:?}",
                report.found,
                report.limits
            );
        }
    }
}

/// Patterns exclude everything for many processes at once; where something can be found, another search finds it.
#[test]
fn patterns_prove_mutual_exclusion_of_queue_locks() {
    let patterns = Config { symmetry: Method::Auto, representatives: Representatives::Patterns, ..backward() };
    let report = check(&protocol("McsLock.mch", "PROC", 12), &patterns, &mut ());
    assert_eq!((report.verdict, &report.limits), (Verdict::Holds, &Vec::new()));
    let found = report.symbolic.and_then(|symbolic| symbolic.backward).expect("a backward search");
    let proof = found.proof.expect("patterns give the answer");
    assert!(proof.n_variables <= 3 && proof.patterns.iter().any(|it| it.contains("inside")), "{proof:?}");
    let text = "MACHINE M SETS ID DEFINITIONS scope_ID == 5 VARIABLES xx, yy INVARIANT xx <: ID & yy <: ID & card(xx) <= 1 \
        INITIALISATION xx, yy := {}, {} OPERATIONS Ask(ii) = PRE ii : ID & ii /: xx THEN yy := yy \\/ {ii} END; \
        Enter(ii) = PRE ii : yy & xx = {} THEN xx := xx \\/ {ii} || yy := yy - {ii} END; Slip(ii) = PRE ii : yy & yy = {ii} & xx /= {} \
        THEN xx := xx \\/ {ii} END END";
    let model = Project::model_of(text);
    let report = check(&model, &patterns, &mut ());
    assert_eq!(report.verdict, Verdict::Violated, "{:?}", report.limits);
    let found = report.symbolic.and_then(|symbolic| symbolic.backward).expect("a backward search");
    assert!(found.proof.is_none() && found.without_patterns.is_some(), "{found:?}");
}

/// An invariant that was written to be proved is proved as it is, for any number of elements; a true one that is not inductive is not, and needs patterns.
#[test]
fn an_inductive_invariant_needs_no_patterns() {
    let patterns = Config { symmetry: Method::Auto, representatives: Representatives::Patterns, ..backward() };
    let proof_of = |invariant: &str| {
        let text = format!(
            "MACHINE M SETS ID DEFINITIONS scope_ID == 9 VARIABLES asking, inside INVARIANT asking <: ID & inside <: ID & {invariant} \
             INITIALISATION asking, inside := {{}}, {{}} OPERATIONS Ask(ii) = SELECT ii : ID & asking \\/ inside = {{}} THEN asking := {{ii}} END; \
             Enter = SELECT asking /= {{}} THEN inside := asking || asking := {{}} END; Leave = SELECT inside /= {{}} THEN inside := {{}} END END"
        );
        let report = check(&Project::model_of(&text), &patterns, &mut ());
        assert_eq!((report.verdict, &report.limits), (Verdict::Holds, &Vec::new()), "{invariant}");
        let found = report.symbolic.and_then(|symbolic| symbolic.backward).expect("a backward search");
        found.proof.expect("a proof").patterns.len()
    };
    assert!(proof_of("card(inside) <= 1") > 0);
    assert_eq!(proof_of("!(ii, jj).(ii : asking & jj : asking => ii = jj) & card(inside) <= 1"), 0);
    for n_cells in [3, 6, 24] {
        let report = check(&protocol("DistributedList.mch", "CELL", n_cells), &patterns, &mut ());
        assert_eq!((report.verdict, &report.limits), (Verdict::Holds, &Vec::new()));
        let found = report.symbolic.and_then(|symbolic| symbolic.backward).expect("a backward search");
        assert_eq!(found.proof.expect("a proof").patterns, [""; 0]);
    }
}

/// Clauses that stand for their images miss none of them: a list that is broken in one place, for one of its elements, is not proved. Two cells are enough for diagrams to find out what
/// happens; what they do with three takes long, and says nothing about clauses.
#[test]
fn a_broken_invariant_is_not_inductive() {
    let patterns = Config { symmetry: Method::Auto, representatives: Representatives::Patterns, ..backward() };
    let path = subjects().into_iter().map(|subject| subject.path).find(|path| path.ends_with("DistributedList.mch"));
    let text = std::fs::read_to_string(path.expect("a model")).expect("a text");
    let changes = [
        ("top := {c}\n", "top := top \\/ {c}\n"),
        ("answer := answer \\/ ({c} * top)", "answer := answer \\/ (CELL * top)"),
        ("<<| executor || points(c, {c})", "<<| executor || points(c, {})"),
        ("linked := linked - {c} ||", "linked := linked - {c} || top := {} ||"),
        ("acknowledged := acknowledged - {c} ||", "acknowledged := {} ||"),
        ("points(c, successor) || acknowledged", "points(c, next[{c}]) || acknowledged"),
    ];
    for (old, new) in changes {
        assert!(text.contains(old), "{old}");
        for n_cells in [2, 3] {
            let text = text.replacen("DEFINITIONS\n", &format!("DEFINITIONS\n  scope_CELL == {n_cells};\n"), 1);
            let model = Project::model_of(&text.replacen(old, new, 1));
            let forwards = check(&model, &Config { deadlock: false, ..Config::default() }, &mut ());
            assert_eq!(forwards.verdict, Verdict::Violated, "{new}");
            let max_nodes = if n_cells == 2 { patterns.max_nodes } else { 1 << 10 };
            let report = check(&model, &Config { max_nodes, ..patterns.clone() }, &mut ());
            let backward = report.symbolic.and_then(|symbolic| symbolic.backward).expect("a backward search");
            assert!(backward.proof.is_none() && backward.without_patterns.is_some(), "{new}");
            assert_eq!(report.verdict == Verdict::Violated, n_cells == 2, "{new}: {:?}", report.limits);
        }
    }
}
