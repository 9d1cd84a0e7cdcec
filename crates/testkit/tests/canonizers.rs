//! Reductions that machines define: published counts, and random machines with and without.
//!
//! A right reduction changes no verdict and visits as many states as there are orbits. `wrong_canonizers.rs` is about the others. `MACHINES=2000` sets the number of random machines,
//! `SEED` the first of them.

use std::collections::HashMap;
use std::sync::Arc;

use abridge_check::{
    CanonizerStrategy, CheckAnswer, Config, Engine, Method, PorMode, Report, TemporalVerdict, Verdict, check,
    choose_reductions,
};
use abridge_explicit::{Explicit, SystemConfig, judge};
use abridge_model::{Logic, Model};
use abridge_model_system::{ModelSystem as _, Transformer as _};
use abridge_reduce::canonizer::ReductionPlan;
use abridge_system::{Origin, Steps, System as _, Worker as _, go_on};
use abridge_testkit::models::subjects;
use abridge_testkit::{Project, Random};

fn config_for(model: &Model, names: &str) -> Config {
    let reduce = choose_reductions(model, names).unwrap_or_else(|message| panic!("{message}"));
    Config { reduce, find_all: true, deadlock: false, ..Config::default() }
}

fn reduced(model: &Model, names: &str) -> Report {
    check(model, &config_for(model, names), &mut ())
}

fn model_with(name: &str, set: &str, size: u32) -> Model {
    let subject = subjects().into_iter().find(|subject| subject.path.ends_with(name));
    subject.unwrap_or_else(|| panic!("there is no {name}")).model(&[(set.to_owned(), size)])
}

/// Table 3: reuse and abstraction of names, rotations and positions.
#[test]
fn philosophers_have_the_published_counts() {
    let table: [(u32, [u64; 4]); 4] =
        [(2, [21, 10, 18, 10]), (3, [115, 27, 76, 27]), (4, [801, 86, 322, 86]), (5, [6_251, 275, 1_364, 275])];
    for (n, counts) in table {
        let model = model_with("ForkMessages.mch", "PHIL", n);
        let plans = [("nr", true), ("nr,rp,fs", true), ("na", false), ("na,rs", true)];
        for ((names, canonises_start), count) in plans.into_iter().zip(counts) {
            let config = Config { canonises_start, ..config_for(&model, names) };
            let report = check(&model, &config, &mut ());
            assert_eq!(report.states, count, "{names} for {n}");
            // Nobody has proved that names do not matter.
            assert_eq!(report.verdict, Verdict::Incomplete, "{names} for {n}: {:?}", report.limits);
            assert!(report.limits[0].starts_with("reduction tested on"), "{:?}", report.limits);
        }
    }
}

/// Rotations with equal phases are told apart by an order of the messages. The counts of the paper follow from this one, but for 982 where N = 6.
#[test]
fn the_order_of_messages_decides_what_is_kept() {
    for (names, count) in [("nr,rp,fs", 983), ("nr,rs,fs", 992), ("na,rs", 982)] {
        assert_eq!(reduced(&model_with("ForkMessages.mch", "PHIL", 6), names).states, count, "{names}");
    }
}

/// Table 1: orbits of processes and managers, by enumeration and by symmetry reduction.
#[test]
fn processes_and_managers_have_the_published_orbits() {
    for (name, set, sizes) in
        [("Peterson.mch", "PROC", &[(2, 6), (3, 20), (4, 62)][..]), ("Managers.mch", "MANAGER", &[(3, 11), (4, 21)])]
    {
        for (n, orbits) in sizes.iter().copied() {
            let model = model_with(name, set, n);
            let strong = reduced(&model, "swap:enumerate");
            assert_eq!(strong.states, orbits, "{name} for {n}");
            assert_eq!(reduced(&model, "all").states, orbits, "{name} for {n}, as a family");
            let weak = reduced(&model, "swap:local").states;
            assert!(weak >= orbits, "{name} for {n}: {weak} states");
        }
    }
    let family = reduced(&model_with("Managers.mch", "MANAGER", 4), "all");
    assert_eq!(family.verdict, Verdict::Holds, "{:?}", family.limits);
}

/// A reduction may exchange operations and conjuncts. Formulas that speak of operations tell them apart.
#[test]
fn steps_and_conjuncts_may_change_places() {
    let text = "MACHINE Twins DEFINITIONS GENERATOR_c == BEGIN aa, bb := bb, aa END VARIABLES aa, bb \
                INVARIANT aa : 0..5 & bb : 0..5 & (aa = 5 => bb < 5) & (bb = 5 => aa < 5) INITIALISATION aa, bb := 0, 0 OPERATIONS \
                ua = SELECT aa < 5 & 6 / (6 - aa) > 0 & LIMIT THEN aa := aa + 1 END; ub = SELECT bb < 5 & LIMIT THEN bb := bb + 1 END END";
    for (limit, verdict) in [("1 = 1", Verdict::Violated), ("aa + bb < 9", Verdict::Holds)] {
        let project = Project::new(&[("Twins.mch", &text.replace("LIMIT", limit))]);
        let model = project.analyse().model.unwrap_or_else(|| panic!("{}", project.diagnostics()));
        for check_reduce in [false, true] {
            let report = check(&model, &Config { check_reduce, ..config_for(&model, "c") }, &mut ());
            assert_eq!(report.verdict, verdict, "{limit}: {:?}", report.limits);
            let reduction = report.reduction.expect("a reduction");
            assert!(reduction.refutation.is_none(), "{limit}: {reduction:?}");
            assert!(reduction.parts.iter().all(|part| part.proof.is_complete()), "{limit}: {reduction:?}");
            assert!(report.violations.iter().all(|violation| violation.trace.gap.is_none()));
        }
        for (logic, formula) in [(Logic::Ltl, "G not([ua])"), (Logic::Ctl, "AG e(ua)")] {
            let config = Config { reduce: Vec::new(), ..config_for(&model, "c") };
            let (model, prepared) = project.with_formulas(&[(logic, formula)], &config).expect("a formula");
            let config = Config { formulas: Arc::new(prepared), ..config_for(&model, "c") };
            let report = check(&model, &config, &mut ());
            assert!(!report.reduction.as_ref().is_some_and(|it| it.is_proved), "{formula}: {:?}", report.limits);
            assert_ne!(report.temporal[0].verdict, TemporalVerdict::Holds, "{formula}");
        }
    }
}

/// Permutations of several given sets are one group, which moves constants, too.
#[test]
fn families_of_given_sets_are_symmetry_reduction() {
    let text = "MACHINE Seats SETS Phil; Fork CONSTANTS left PROPERTIES left : Phil >->> Fork
        DEFINITIONS scope_Phil == 4; scope_Fork == 4; PERMUTATION_p == Phil; PERMUTATION_f == Fork
        VARIABLES taken INVARIANT taken : Fork +-> Phil INITIALISATION taken := {}
        OPERATIONS take(pp) = PRE pp : Phil & left(pp) /: dom(taken) THEN taken(left(pp)) := pp END END";
    let project = Project::new(&[("Seats.mch", text)]);
    let model = project.analyse().model.unwrap_or_else(|| panic!("{}", project.diagnostics()));
    let symmetric = Config { reduce: Vec::new(), symmetry: Method::Auto, ..config_for(&model, "p,f") };
    let expected = check(&model, &symmetric, &mut ());
    for names in ["p,f", "f,p"] {
        let report = reduced(&model, names);
        let counts = (report.verdict, report.states, report.transitions);
        assert_eq!(counts, (Verdict::Holds, expected.states, expected.transitions), "{names}: {:?}", report.limits);
    }
    // One family alone leaves the other set as it is.
    assert!(reduced(&model, "p").states > expected.states);
}

/// Section 4.2: rotations preserve that no two neighbours eat, permutations do not.
#[test]
fn neighbours_are_preserved_by_rotations_only() {
    let subject = subjects().into_iter().find(|subject| subject.path.ends_with("Ring.mch")).expect("the ring is there");
    let model = subject.model(&[]);
    for names in ["turn", "rot", "rot:local"] {
        let report = reduced(&model, names);
        assert_eq!(report.verdict, Verdict::Holds, "{names}: {:?}", report.limits);
        let parts = report.reduction.expect("a reduction").parts;
        assert!(parts.iter().all(|part| part.proof.is_complete()), "{parts:?}");
    }
    assert_eq!(reduced(&model, "rot").states, 11);
    let report = reduced(&model, "mix");
    assert_eq!((report.verdict, report.states), (Verdict::Incomplete, 0));
    let reduction = report.reduction.expect("a reduction");
    let refutation = reduction.refutation.clone().expect("a refutation");
    assert_eq!((refutation.name.as_str(), refutation.is_doubtful), ("mix", false));
    assert_ne!(refutation.state, refutation.image);
    assert!(refutation.is_about_steps);
    // The predicate itself is refuted as well: two who eat opposite each other become neighbours.
    let [_, (_, predicates), (_, steps), _] = reduction.parts[0].checks(&reduction);
    assert!(
        matches!(predicates, CheckAnswer::Refuted(_)) && matches!(steps, CheckAnswer::Refuted(_)),
        "{predicates:?}"
    );
    let further = reduction.further.expect("a state that the predicate tells from its image");
    assert!(!further.is_about_steps && further.difference.contains("conjunct 2 of the invariant"), "{further:?}");
    // The trace of a violation goes through states of the machine itself.
    let config = Config { deadlock: true, find_all: false, ..config_for(&model, "rot") };
    let trace = check(&model, &config, &mut ()).violations.remove(0).trace;
    assert_eq!((trace.gap, trace.steps.len()), (None, 5));
}

/// The symbolic engine applies functions to sets of states.
#[test]
fn reductions_are_applied_to_sets_of_states() {
    let subject = subjects().into_iter().find(|subject| subject.path.ends_with("Ring.mch")).expect("the ring is there");
    let model = subject.model(&[]);
    for (names, states) in [("rot", 11), ("turn", 11), ("rot:local", 11)] {
        let config = Config { engine: Engine::Symbolic, ..config_for(&model, names) };
        let report = check(&model, &config, &mut ());
        assert!(report.symbolic.is_some(), "{names}");
        assert_eq!((report.verdict, report.states), (Verdict::Holds, states), "{names}: {:?}", report.limits);
        // The trace of a violation goes through states of the machine itself.
        let config = Config { deadlock: true, find_all: false, ..config };
        let trace = check(&model, &config, &mut ()).violations.remove(0).trace;
        assert_eq!((trace.gap, trace.steps.len()), (None, 5), "{names}");
    }
    let model = model_with("Managers.mch", "MANAGER", 3);
    for names in ["swap", "all"] {
        let config = Config { engine: Engine::Symbolic, ..config_for(&model, names) };
        let (report, explicit) = (check(&model, &config, &mut ()), reduced(&model, names));
        assert_eq!(report.verdict, explicit.verdict, "{names}: {:?}", report.limits);
        assert!((11..28).contains(&report.states), "{names}: {} states", report.states);
    }
    // Numbers without bounds have no exact circuit.
    let model = model_with("ForkMessages.mch", "PHIL", 3);
    let config = Config { engine: Engine::Symbolic, ..config_for(&model, "na,rs") };
    let report = check(&model, &config, &mut ());
    assert_eq!(report.verdict, Verdict::Incomplete);
    assert!(report.limits.iter().any(|limit| limit.contains("symbolic engine")), "{:?}", report.limits);
}

/// A random machine whose processes form a set that can be permuted, a ring, two sets, or a ring and a set.
struct RandomMachine {
    text: String,
    names: String,
    is_symmetric: bool,
}

fn random_machine(random: &mut Random) -> RandomMachine {
    let (kind, n) = (random.below(4), 2 + random.below(2));
    let has_ring = kind % 2 == 1;
    let sets: &[&str] = if kind >= 2 { &["P", "Q"] } else { &["P"] };
    let mut definitions = Vec::new();
    if has_ring {
        definitions.push(format!("P == 0..{}", n));
        definitions.push(format!("next(ii) == (ii + 1) mod {}", n + 1));
        // Some of these turn the ring by a part of its rotations only.
        definitions.push(format!("turned(ii) == (ii + {}) mod {}", 1 + random.below(n), n + 1));
    }
    for set in sets.iter().filter(|set| !has_ring || **set != "P") {
        definitions.push(format!("scope_{set} == {}", if *set == "P" { n + 1 } else { 2 }));
    }
    let (mut operations, mut invariant, mut variables, mut start) =
        (Vec::new(), vec!["gg : 0..2".to_owned()], vec!["gg".to_owned()], vec!["gg := 0".to_owned()]);
    for set in sets {
        let is_ring = has_ring && *set == "P";
        let (ff, ss) = (format!("ff{set}"), format!("ss{set}"));
        variables.extend([ff.clone(), ss.clone()]);
        invariant.extend([format!("{ff} : {set} --> 0..2"), format!("{ss} <: {set}")]);
        start.extend([format!("{ff} := {set} * {{0}}"), format!("{ss} := {{}}")]);
        definitions.push(match is_ring {
            true => format!(
                "GENERATOR_{set} == BEGIN {ff} := %ii.(ii : P | {ff}(turned(ii))) || {ss} := {{ii | ii : P & turned(ii) : {ss}}} END"
            ),
            false => format!(
                "GENERATOR_{set}(aa, bb) == PRE aa : {set} & bb : {set} & aa /= bb THEN {ff} := {ff} <+ {{aa |-> {ff}(bb), bb |-> {ff}(aa)}} \
                 || {ss} := (id({set}) <+ {{aa |-> bb, bb |-> aa}})[{ss}] END"
            ),
        });
        match random.below(4) {
            0 => definitions.push(format!("ORDER_{set} == {ss} |-> gg")),
            1 => definitions.push(format!("ORDER_{set} == card({ss} /\\ {ff}~[{{1}}]) |-> {ff}")),
            _ => {}
        }
        for number in 0..2 + random.below(2) {
            let mut guards = vec![format!("pp : {set}")];
            for _ in 0..1 + random.below(2) {
                let constant = random.below(3);
                guards.push(match random.below(if is_ring { 8 } else { 6 }) {
                    0 => format!("{ff}(pp) = {constant}"),
                    1 => format!("{ff}(pp) /= {constant}"),
                    2 => format!("pp : {ss}"),
                    3 => format!("pp /: {ss}"),
                    4 => format!("card({ss}) <= {constant}"),
                    5 => format!("gg = {constant}"),
                    6 => format!("{ff}(next(pp)) = {constant}"),
                    _ => format!("next(pp) /: {ss}"),
                });
            }
            let constant = random.below(3);
            let first = match random.below(if is_ring { 3 } else { 2 }) {
                0 => format!("{ff}(pp) := {constant}"),
                1 => format!("{ff}(pp) := ({ff}(pp) + 1) mod 3"),
                _ => format!("{ff}(next(pp)) := {constant}"),
            };
            let second = match random.below(4) {
                0 => format!("{ss} := {ss} \\/ {{pp}}"),
                1 => format!("{ss} := {ss} - {{pp}}"),
                2 => "gg := (gg + 1) mod 3".to_owned(),
                _ => "skip".to_owned(),
            };
            operations.push(format!("op{number}{set}(pp) = PRE {} THEN {first} || {second} END", guards.join(" & ")));
        }
        let constant = random.below(3);
        invariant.push(match random.below(if is_ring { 4 } else { 3 }) {
            0 => format!("card({ss}) <= {}", 1 + constant),
            1 => format!("card({{qq | qq : {set} & {ff}(qq) = {constant}}}) <= {n}"),
            2 => format!("card({ss}) <= {}", n + 1),
            _ => format!("!qq.(qq : {ss} => next(qq) /: {ss})"),
        });
    }
    let given: Vec<&str> = sets.iter().copied().filter(|set| !has_ring || *set != "P").collect();
    let header = if given.is_empty() { String::new() } else { format!("SETS {}\n", given.join("; ")) };
    let text = format!(
        "MACHINE Random\n{header}DEFINITIONS {}\nVARIABLES {}\nINVARIANT {}\nINITIALISATION {}\nOPERATIONS {}\nEND",
        definitions.join(";\n "),
        variables.join(", "),
        invariant.join(" & "),
        start.join(" || "),
        operations.join(";\n ")
    );
    RandomMachine { text, names: sets.join(","), is_symmetric: !has_ring }
}

/// Orbits among the reachable states: classes of states that are images of each other.
fn orbits_by_brute_force(model: &Model, config: &Config) -> u64 {
    let plan = ReductionPlan::new(model, &config.reduce, true, |_| false);
    let transformations = plan.functions.clone();
    let system =
        Explicit::new(judge(model, config.eval.clone()), SystemConfig { transformations, ..SystemConfig::default() });
    let (mut worker, mut transformer) = (system.worker(), system.transformer());
    let mut steps = Steps::new(system.width());
    let mut numbers: HashMap<Vec<u32>, usize> = HashMap::new();
    let mut classes: Vec<usize> = Vec::new();
    let mut open: Vec<Vec<u32>> = Vec::new();
    fn class_of(classes: &[usize], mut number: usize) -> usize {
        while classes[number] != number {
            number = classes[number];
        }
        number
    }
    assert!(worker.expand(Origin::Root, None, &mut steps, &mut go_on).is_whole());
    let mut is_reachable: Vec<bool> = Vec::new();
    let mut add = |state: &[u32],
                   reachable: bool,
                   open: &mut Vec<Vec<u32>>,
                   classes: &mut Vec<usize>,
                   is_reachable: &mut Vec<bool>| {
        let next = classes.len();
        let number = *numbers.entry(state.to_vec()).or_insert(next);
        if number == next {
            classes.push(number);
            is_reachable.push(false);
        }
        if reachable && !is_reachable[number] {
            is_reachable[number] = true;
            open.push(state.to_vec());
        }
        number
    };
    for step in steps.iter() {
        add(step.target, true, &mut open, &mut classes, &mut is_reachable);
    }
    while let Some(state) = open.pop() {
        let number = add(&state, true, &mut open, &mut classes, &mut is_reachable);
        steps.clear();
        assert!(worker.successors(&state, &mut steps).is_whole());
        for step in steps.iter() {
            add(step.target, true, &mut open, &mut classes, &mut is_reachable);
        }
        // The whole orbit, so that two reachable states are joined through states that are not.
        let mut orbit = vec![state.clone()];
        let mut next = 0;
        while next < orbit.len() {
            for function in 0..plan.functions.len() {
                let mut images = Steps::new(system.width());
                assert!(transformer.images(function, &orbit[next], &mut images).is_whole());
                for image in images.iter() {
                    let other = add(image.target, false, &mut open, &mut classes, &mut is_reachable);
                    let (a, b) = (class_of(&classes, number), class_of(&classes, other));
                    classes[a.max(b)] = a.min(b);
                    if !orbit.iter().any(|known| known == image.target) {
                        orbit.push(image.target.to_vec());
                    }
                }
            }
            next += 1;
        }
    }
    let reachable = (0..classes.len()).filter(|number| is_reachable[*number]);
    reachable.map(|number| class_of(&classes, number)).collect::<std::collections::HashSet<usize>>().len() as u64
}

/// States of a random machine that is compared; few have more.
const MAX_STATES: u64 = 10_000;

#[derive(Default, Debug)]
struct Tally {
    n_compared: usize,
    n_violated: usize,
    n_smaller: usize,
    n_proved: usize,
    n_symbolic: usize,
}

/// A machine of which all states are known, the run without reductions, and a configuration with them.
struct Known<'k> {
    seed: u64,
    machine: &'k RandomMachine,
    model: &'k Model,
    plain: &'k Report,
    config: &'k Config,
}

impl Known<'_> {
    /// A run agrees with the one without reductions. It says nothing more than that, and nothing less: without a proof there is one limit.
    fn agrees(&self, report: &Report, what: &str) {
        let Known { seed, plain, machine: RandomMachine { text, .. }, .. } = self;
        let reduction = report.reduction.as_ref().expect("a reduction");
        assert!(reduction.refutation.is_none(), "seed {seed}, {what}: {reduction:?}\n{text}");
        assert_eq!(report.found, plain.found, "seed {seed}, {what}\n{text}");
        assert!(report.states <= plain.states, "seed {seed}, {what}\n{text}");
        let expected = match plain.verdict {
            Verdict::Holds if !reduction.is_proved => Verdict::Incomplete,
            verdict => verdict,
        };
        assert_eq!(report.verdict, expected, "seed {seed}, {what}: {:?}\n{text}", report.limits);
        let is_tested = |limit: &String| !reduction.is_proved && limit.starts_with("reduction tested on");
        assert!(report.limits.iter().all(is_tested), "seed {seed}, {what}: {:?}\n{text}", report.limits);
        let gaps = report.violations.iter().filter(|violation| violation.trace.gap.is_some()).count();
        assert_eq!(gaps, 0, "seed {seed}, {what}: every trace is one of the machine\n{text}");
    }

    /// Both strategies, tested and compared with all states. Returns the number of orbits.
    fn agrees_by_strategies(&self, tally: &mut Tally) -> u64 {
        let Known { seed, model, plain, machine: RandomMachine { text, is_symmetric, .. }, .. } = self;
        let orbits = orbits_by_brute_force(model, self.config);
        for strategy in [CanonizerStrategy::Enumerate, CanonizerStrategy::Local] {
            let mut config = self.config.clone();
            config.reduce.iter_mut().for_each(|chosen| chosen.strategy = strategy);
            let report = check(model, &config, &mut ());
            self.agrees(&report, &format!("{strategy:?}"));
            tally.n_proved += usize::from(report.reduction.as_ref().is_some_and(|it| it.is_proved));
            // A local strategy may keep more than one state of an orbit, and never less.
            assert!(orbits <= report.states, "seed {seed}, {strategy:?}: orbits\n{text}");
            if strategy == CanonizerStrategy::Enumerate {
                assert_eq!(report.states, orbits, "seed {seed}: orbits\n{text}");
                tally.n_smaller += usize::from(report.states < plain.states);
                let symmetric = Config { reduce: Vec::new(), symmetry: Method::Canon, ..config.clone() };
                let canon = check(model, &symmetric, &mut ());
                assert!(!is_symmetric || canon.states == orbits, "seed {seed}: canonical forms\n{text}");
            }
            // There may be more images than states.
            let compared = check(model, &Config { check_reduce: true, max_states: None, ..config }, &mut ());
            self.agrees(&compared, &format!("{strategy:?}, compared"));
            let reduction = compared.reduction.as_ref().expect("a reduction");
            assert!(reduction.is_proved, "seed {seed}, {strategy:?}, compared: {reduction:?}\n{text}");
            assert!(reduction.compared.is_some_and(|(_, is_whole)| is_whole), "seed {seed}, {strategy:?}\n{text}");
            assert_eq!(compared.states, report.states, "seed {seed}, {strategy:?}, compared\n{text}");
        }
        orbits
    }

    /// Groups that move different variables can be applied in either order.
    fn agrees_the_other_way_round(&self, orbits: u64) {
        let Known { seed, model, machine: RandomMachine { text, names, .. }, config, .. } = self;
        let names = names.split(',').rev().collect::<Vec<_>>().join(",");
        let reduce = choose_reductions(model, &names).unwrap_or_else(|message| panic!("{message}"));
        let report = check(model, &Config { reduce, ..(*config).clone() }, &mut ());
        self.agrees(&report, &names);
        assert_eq!(report.states, orbits, "seed {seed}, {names}\n{text}");
    }

    fn agrees_with_other_reductions(&self) {
        let config = || self.config.clone();
        let combined = [
            ("symmetry", Config { symmetry: Method::Auto, ..config() }),
            ("partial order", Config { por: PorMode::Semantic, ..config() }),
            ("both", Config { symmetry: Method::Auto, por: PorMode::Syntactic, ..config() }),
        ];
        for (what, config) in combined {
            self.agrees(&check(self.model, &config, &mut ()), what);
        }
    }

    /// The symbolic engine finds the same under the reductions of a machine, among at least one state of each orbit. False if a function has no exact circuit.
    fn agrees_symbolically(&self, orbits: u64) -> bool {
        let Known { seed, model, machine: RandomMachine { text, names, is_symmetric }, config, .. } = self;
        let report = check(model, &Config { engine: Engine::Symbolic, ..(*config).clone() }, &mut ());
        if report.limits.iter().any(|limit| limit.starts_with("symbolic engine")) {
            return false;
        }
        self.agrees(&report, "symbolic");
        assert!(orbits <= report.states, "seed {seed}, symbolic\n{text}");
        assert!(names != "P" || *is_symmetric || report.states == orbits, "seed {seed}, ring\n{text}");
        true
    }
}

#[test]
fn random_machines_have_the_same_verdicts_with_and_without() {
    let number = |variable: &str, default: u64| {
        std::env::var(variable)
            .map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{variable} is no number: {text}")))
    };
    let (first, n_machines) = (number("SEED", 0), number("MACHINES", 60));
    let mut tally = Tally::default();
    for seed in first..first + n_machines {
        let machine = random_machine(&mut Random::new(seed));
        let RandomMachine { text, names, .. } = &machine;
        let project = Project::new(&[("Random.mch", text)]);
        let model = project.analyse().model.unwrap_or_else(|| panic!("seed {seed}: {}\n{text}", project.diagnostics()));
        let config = Config { deadlock: true, max_states: Some(MAX_STATES), ..config_for(&model, names) };
        let plain = check(&model, &Config { reduce: Vec::new(), ..config.clone() }, &mut ());
        if !plain.limits.is_empty() {
            continue;
        }
        tally.n_compared += 1;
        tally.n_violated += usize::from(plain.verdict == Verdict::Violated);
        let known = Known { seed, machine: &machine, model: &model, plain: &plain, config: &config };
        let orbits = known.agrees_by_strategies(&mut tally);
        match seed % 4 {
            1 => known.agrees_with_other_reductions(),
            2 => tally.n_symbolic += usize::from(known.agrees_symbolically(orbits)),
            3 => known.agrees_the_other_way_round(orbits),
            _ => {}
        }
    }
    eprintln!("{tally:?}");
    let Tally { n_compared, n_violated, n_smaller, n_proved, n_symbolic } = tally;
    assert!(n_compared * 2 > n_machines as usize && n_violated > 0 && n_symbolic > 0);
    assert!(n_smaller * 2 > n_compared && n_proved * 3 > n_compared);
}
