//! Sliced evaluation agrees with the explicit system, state by state: steps with their order and counts, ill-defined operations, completeness and findings.
//!
//! Random machines cover guards, choices, errors and conjuncts; the machines under `models/` cover what people write. States are met breadth-first and announced
//! in blocks of changing sizes, so that lanes, widths of slices and the fallback all take part. The explicit system is compared with the plain interpreter elsewhere.

use abridge_eval::EvalConfig;
use abridge_explicit::{Explicit, SystemConfig, judge};
use abridge_model::Model;
use abridge_model_system::ModelSystem as _;
use abridge_sliced::{Evaluator, MAX_BLOCK_STATES, Sliced};
use abridge_system::{Ahead, Completeness, FindingKind, Properties, Question, Steps, System, Worker};
use abridge_testkit::{Project, Random, everything, guarded, models};

/// What was compared, so that a test can say that it was not empty.
#[derive(Default, Debug)]
struct Compared {
    machines: usize,
    sliced_machines: usize,
    states: usize,
    steps: usize,
    ill_defined: usize,
    findings: usize,
    /// States that need not be inspected.
    settled: usize,
    /// Properties that need not be evaluated.
    proved: usize,
}

const ASKED: Properties = Properties { invariant: true, assertions: true, goal: true, propositions: false };

/// Steps and findings of a state.
#[derive(PartialEq, Debug)]
struct Answer {
    steps: Vec<(u32, u64, Vec<u32>)>,
    ill_defined: Vec<u32>,
    findings: Vec<FindingKind>,
    completeness: [Completeness; 2],
}

/// The answers of a worker about states that it is told of in blocks of the given sizes.
fn answers<S: System>(system: &S, states: &[Vec<u32>], sizes: &[usize]) -> Vec<Answer> {
    answers_and_settled(system, states, sizes).0
}

/// The same, with the number of states that need not be inspected.
fn answers_and_settled<S: System>(system: &S, states: &[Vec<u32>], sizes: &[usize]) -> (Vec<Answer>, usize) {
    let mut n_settled = 0;
    let mut worker = system.worker();
    let mut found = Vec::new();
    let (mut rest, mut sizes) = (states, sizes.iter().cycle());
    while !rest.is_empty() {
        let size = sizes.next().copied().unwrap_or(1).min(rest.len());
        // As in a search, predecessors are given only if they are wanted.
        let wants_before = worker.wants_before(ASKED);
        let before = |state: &Vec<u32>| if wants_before { state.clone() } else { Vec::new() };
        let ahead = |state: &Vec<u32>| Ahead { words: state.clone(), before: before(state), ..Ahead::default() };
        let block: Vec<Ahead> = rest[..size].iter().map(ahead).collect();
        let start = found.len();
        worker.announce(&block, Question::Successors);
        for state in &rest[..size] {
            let mut steps = Steps::new(system.width());
            let completeness = worker.successors(state, &mut steps);
            found.push(Answer {
                steps: steps.iter().map(|step| (step.operation, step.count, step.target.to_vec())).collect(),
                ill_defined: steps.ill_defined().to_vec(),
                findings: Vec::new(),
                completeness: [completeness, Completeness::Whole],
            });
        }
        worker.announce(&block, Question::Properties(ASKED));
        let settled = worker.settled().to_vec();
        for (idx, (state, answer)) in rest[..size].iter().zip(&mut found[start..]).enumerate() {
            answer.completeness[1] = worker.inspect(state, None, ASKED, &mut |kind| answer.findings.push(kind));
            let is_settled = settled.get(idx / 64).is_some_and(|settled| settled >> (idx % 64) & 1 == 1);
            let is_clear = answer.findings.is_empty() && answer.completeness[1].is_whole();
            assert!(is_clear || !is_settled, "{:?}", answer.findings);
            n_settled += usize::from(is_settled);
        }
        rest = &rest[size..];
    }
    (found, n_settled)
}

/// Equal steps of one operation, with their numbers added up; those of different operations in order.
fn merged(answer: &Answer) -> Answer {
    let mut steps: Vec<(u32, u64, Vec<u32>)> = Vec::new();
    for (operation, count, target) in &answer.steps {
        match steps.iter_mut().find(|(other, _, known)| other == operation && known == target) {
            Some((_, sum, _)) => *sum += count,
            None => steps.push((*operation, *count, target.clone())),
        }
    }
    let Answer { ill_defined, findings, completeness, .. } = answer;
    Answer { steps, ill_defined: ill_defined.clone(), findings: findings.clone(), completeness: *completeness }
}

/// Memory of values after which no more states are met: strings and sequences that are joined with themselves double with each step.
const MAX_VALUE_BYTES: u64 = 1 << 24;

/// States breadth-first, up to a number.
fn states(system: &Explicit<'_>, most: usize) -> Vec<Vec<u32>> {
    let (mut worker, mut steps) = (system.worker(), Steps::new(system.width()));
    let mut met: Vec<Vec<u32>> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    let _ = worker.initial(&mut steps);
    let mut next = 0;
    loop {
        for step in steps.iter() {
            if met.len() < most && seen.insert(step.target.to_vec()) {
                met.push(step.target.to_vec());
            }
        }
        let Some(state) = met.get(next).cloned().filter(|_| system.bytes() < MAX_VALUE_BYTES) else { return met };
        next += 1;
        steps.clear();
        let _ = worker.successors(&state, &mut steps);
    }
}

fn compare(model: &Model, eval: EvalConfig, most: usize, compared: &mut Compared, what: &str) {
    let system = Explicit::new(judge(model, eval), SystemConfig::default());
    let states = states(&system, most);
    let sliced = Sliced::new(&system, Evaluator::Sliced);
    let expected = answers(&system, &states, &[16]);
    for sizes in [&[MAX_BLOCK_STATES][..], &[1, 70, 200, 3, 300, 64]] {
        let (found, n_settled) = answers_and_settled(&sliced, &states, sizes);
        compared.settled += n_settled;
        for ((state, expected), found) in states.iter().zip(&expected).zip(found) {
            assert_eq!(merged(&found), merged(expected), "{:?}\n{what}", system.decode(state).0);
        }
    }
    compared.proved += agree_with_proofs(&system, &states, &expected, what);
    let usage = sliced.usage();
    compared.machines += 1;
    compared.sliced_machines += usize::from(usage.n_sliced > 0);
    compared.states += states.len();
    for answer in &expected {
        compared.steps += answer.steps.len();
        compared.ill_defined += answer.ill_defined.len();
        compared.findings += answer.findings.len();
    }
}

/// What is proved need not be evaluated: the explicit system has the same answers when it knows. Returns the number of proved properties.
fn agree_with_proofs(system: &Explicit<'_>, states: &[Vec<u32>], expected: &[Answer], what: &str) -> usize {
    let sliced = Sliced::new(system, Evaluator::Auto);
    let Some(first) = states.first() else { return 0 };
    sliced.prepare(first[0]);
    sliced.prove(first[0]);
    for (state, (expected, found)) in states.iter().zip(expected.iter().zip(answers(system, states, &[16]))) {
        assert_eq!(&found, expected, "with proofs: {:?}\n{what}", system.decode(state).0);
    }
    sliced.usage().n_proved
}

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

#[test]
fn circuits_agree_with_memos_on_random_machines() {
    let n_machines = if std::env::var_os("RUN_SLOW").is_some() { 2_000 } else { 40 };
    let first = number("SEED", 0);
    let mut compared = Compared::default();
    for seed in first..first + n_machines {
        eprintln!("seed {seed}");
        let text = match seed % 3 {
            0 => everything::machine(&mut Random::new(seed)),
            _ => guarded::machine(&mut Random::new(seed)),
        };
        let eval = if seed.is_multiple_of(4) { EvalConfig::prob() } else { EvalConfig::default() };
        let Some(model) = Project::new(&[("M.mch", &text)]).analyse().model else { continue };
        compare(&model, eval, 400, &mut compared, &format!("seed {seed}\n{text}"));
    }
    eprintln!("{compared:?}");
    assert!(compared.sliced_machines > 20 && compared.steps > 1000, "{compared:?}");
    assert!(compared.ill_defined > 10 && compared.findings > 100 && compared.settled > 100, "{compared:?}");
    assert!(compared.proved > 10, "{compared:?}");
}

#[test]
fn circuits_agree_with_memos_on_the_models() {
    let mut compared = Compared::default();
    let most = if std::env::var_os("RUN_SLOW").is_some() { 20_000 } else { 700 };
    for subject in models::subjects() {
        let eval = if subject.is_prob() { EvalConfig::prob() } else { EvalConfig::default() };
        compare(&subject.model(&[]), eval, most, &mut compared, &subject.path.display().to_string());
    }
    eprintln!("{compared:?}");
    assert!(compared.sliced_machines > 15 && compared.steps > 5000, "{compared:?}");
}

/// A count under `--max-states`, and the trace among several shortest ones, follow from the order of steps.
#[test]
fn steps_come_in_the_order_of_the_explicit_system() {
    let machine = |guard: &str| {
        format!(
            "MACHINE M VARIABLES b, f, i, j INVARIANT b <: (1..4) * (1..4) & f : (1..4) * (1..4) --> 0..1 & i : 1..4 & j : 1..4
             INITIALISATION b, f, i, j := {{(1, 1)}}, ((1..4) * (1..4) * {{0}}) <+ {{(1, 1, 1)}}, 1, 1
             OPERATIONS Move(x, y) = PRE {guard} & (x, y) /: b & card(b) < 4
                 THEN i, j := x, y || b := b \\/ {{(x, y)}} || f(x, y) := 1 END END"
        )
    };
    // Alternatives whose order follows from the state, with a solution that two of them have; the same as a set.
    let moves = "(x = i + 1 & y = j + 2) or (y = i + 2 & x = j + 1) or (x = i - 1 & y = j + 2) or (x = i + 2 & y = j + 1) or (x = i - 2 & y = j + 1)";
    let moved = moves.replace("x = ", "v = ").replace("y = ", "w = ");
    let guards = [
        &*format!("x : 1..4 & y : 1..4 & ({moves})"),
        &*format!("x : 1..4 & y : 1..4 & (x, y) : {{v, w | {moved}}}"),
        "y : j..4 & x : 1..4 & x /= y + i",
        "x : 1..4 & y : 1..4 & x + y = i + j + 1",
        "y : 1..4 & x : {y, 5 - y} & x /= i",
        "x |-> y : {(1, 4), (2, 3), (3, 1), (4, 1)}",
        // Looked up in the function, or tried with the few values of `y` first.
        "x : 1..4 & y : 1..2 & f(x, y) = 0",
    ];
    let strict = EvalConfig { ill_defined_search_is_false: false, ..EvalConfig::default() };
    for (guard, eval) in guards.iter().flat_map(|guard| [(guard, EvalConfig::default()), (guard, strict.clone())]) {
        let model = Project::model_of(&machine(guard));
        let system = Explicit::new(judge(&model, eval), SystemConfig::default());
        let states = states(&system, 500);
        let sliced = Sliced::new(&system, Evaluator::Sliced);
        let (expected, found) = (answers(&system, &states, &[16]), answers(&sliced, &states, &[MAX_BLOCK_STATES]));
        assert!(expected.iter().any(|answer| answer.steps.len() > 1), "{guard}");
        assert_eq!(found, expected, "{guard}");
        assert_eq!(sliced.usage().n_sliced, 1, "{guard}: {:?}", sliced.usage());
    }
}

/// Bounds that nobody proves: circuits evaluate the states within them, and leave those from which a step leads beyond them, too.
#[test]
fn values_leave_bounds_that_are_not_proved() {
    let text = "MACHINE M SETS S = {a} VARIABLES n, f, q, s
        INVARIANT n : INTEGER & s <: INTEGER & f : S --> NATURAL & q : seq(S) & n > f(a) INITIALISATION n, f, q, s := 100, {a |-> 1}, [], {90}
        OPERATIONS
            double = BEGIN n := n + n END;
            up(k) = PRE k : 1..2 THEN n := n - k || f(a) := f(a) + n + n END;
            push = BEGIN q := q <- a END;
            add(e) = PRE e : s THEN s := s \\/ {e + 4} END
        END";
    let model = Project::model_of(text);
    let mut compared = Compared::default();
    compare(&model, EvalConfig::default(), 3_000, &mut compared, text);
    assert_eq!((compared.sliced_machines, compared.states), (1, 3_000), "{compared:?}");
    let system = Explicit::new(judge(&model, EvalConfig::default()), SystemConfig::default());
    let met: Vec<String> = states(&system, 3_000).iter().map(|state| format!("{:?}", system.decode(state).0)).collect();
    assert!(met.iter().any(|state| state.contains("Value(800)")), "some integer is beyond its range");
    let sliced = Sliced::new(&system, Evaluator::Sliced);
    let _ = answers(&sliced, &states(&system, 10), &[10]);
    assert!(sliced.usage().n_sliced >= 2, "{:?}", sliced.usage());
}
