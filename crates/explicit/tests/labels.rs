//! Labels of steps: parameters and outputs, compared with the transitions of the judge in every state.
//!
//! Temporal formulas about steps and refinement rest on labels. Every way of computing steps is tested: in stages, at once, by the interpreter, and
//! from memos.

mod common;

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use abridge_eval::{EvalConfig, Val, val_text};
use abridge_explicit::{Explicit, SystemConfig, judge};
use abridge_model::Model;
use abridge_model_system::{FIRST_OPERATION, ModelSystem as _};
use abridge_system::{Completeness, Gap, Steps, System as _, Worker as _};
use abridge_testkit::{Random, everything, generate};
use common::model;

/// Operation, parameters, outputs and target of a step, as text.
type Shown = (u32, Vec<String>, Vec<String>, Vec<u32>);

/// Labelled steps of operations; `None` if some are missing or ill-defined.
fn labelled(system: &Explicit<'_>, worker: &mut impl abridge_system::Worker, words: &[u32]) -> Option<BTreeSet<Shown>> {
    let mut steps = Steps::with_labels(system.width());
    let completeness = worker.successors(words, &mut steps);
    if !completeness.is_whole() || !steps.ill_defined().is_empty() {
        return None;
    }
    let text = |val: &Val| val_text(system.model(), val);
    let shown = steps.iter().map(|step| {
        let label = step.label.expect("a step of an operation has a label");
        let values = system.label_values(step.operation, label);
        let outputs = values.outputs.into_iter().map(|val| val.map_or("?".to_owned(), text));
        (step.operation, values.params.into_iter().map(text).collect(), outputs.collect(), step.target.to_vec())
    });
    Some(shown.collect())
}

/// Labelled steps as the judge finds them; `None` if an evaluation fails.
fn judged(system: &Explicit<'_>, words: &[u32]) -> Option<BTreeSet<Shown>> {
    let (state, _) = system.decode(words);
    let session = system.judge().session();
    let text = |val: &Val| val_text(system.model(), val);
    let mut shown = BTreeSet::new();
    let mut is_whole = true;
    for (number, op) in (FIRST_OPERATION..).zip(system.operation_ids()) {
        session.operation(*op, &state, &mut |transition| {
            match transition {
                Ok(step) => {
                    let outputs = step.outputs.iter().map(|val| val.as_ref().map_or("?".to_owned(), text)).collect();
                    let target = system.words_of(&step.state, true);
                    shown.insert((number, step.params.iter().map(text).collect(), outputs, target));
                }
                Err(_) => is_whole = false,
            }
            ControlFlow::Continue(())
        });
    }
    (is_whole && session.take_warnings().is_empty()).then_some(shown)
}

/// Compares labels in up to `max_states` states of a machine. Returns the number of steps compared.
fn compare(model: &Model, config: &SystemConfig, max_states: usize) -> usize {
    let limits = EvalConfig { fuel: 300_000, max_set_size: 10_000, max_calls: 200, ..EvalConfig::default() };
    let system = Explicit::new(judge(model, limits), config.clone());
    let mut worker = system.worker();
    let mut open = Vec::new();
    let mut roots = Steps::new(system.width());
    let _ = worker.expand(abridge_system::Origin::Root, None, &mut roots, &mut |_| ControlFlow::Continue(()));
    open.extend(roots.iter().take(max_states).map(|step| step.target.to_vec()));
    let mut seen: BTreeSet<Vec<u32>> = open.iter().cloned().collect();
    let mut n_compared = 0;
    while let Some(words) = open.pop() {
        let mut steps = Steps::new(system.width());
        let _ = worker.successors(&words, &mut steps);
        let is_new = |target: &&[u32]| seen.len() < max_states && seen.insert(target.to_vec());
        open.extend(steps.iter().map(|step| step.target).filter(is_new).map(<[u32]>::to_vec));
        if words[0] & 1 == 0 {
            continue;
        }
        // The second answer comes from the memo.
        for _ in 0..2 {
            let (Some(found), Some(expected)) = (labelled(&system, &mut worker, &words), judged(&system, &words))
            else {
                continue;
            };
            assert_eq!(found, expected, "{config:?}\n{}", abridge_model::dump::dump(model));
            n_compared += found.len();
        }
    }
    n_compared
}

fn configs() -> [SystemConfig; 3] {
    let labels = SystemConfig { labels: true, ..SystemConfig::default() };
    [SystemConfig { compiled: false, ..labels.clone() }, SystemConfig { memo: false, ..labels.clone() }, labels]
}

#[test]
fn labels_have_parameters_and_outputs() {
    let machine = model(
        "MACHINE M SETS S = {a, b}
         VARIABLES x, s, unread INVARIANT x : 0..3 & s <: S & unread : BOOL
         INITIALISATION x, s, unread := 0, {}, TRUE
         OPERATIONS
           r <-- get = r := x;
           old, new <-- add(n) = PRE n : 1..3 & x + n <= 3 THEN new := x + n || x := x + n || old := x END;
           r <-- pick = ANY e, d WHERE e : S & d : 1..2 THEN s := s \\/ {e} || r := bool(e : s) END;
           r <-- may = CHOICE r := 1 OR skip OR r :: {1, 2} || x := 0 END;
           r, q <-- cond(p) = PRE p : S THEN IF p : s THEN r := p; s := s - {p} ELSE q := x END END;
           r <-- set = ANY e WHERE e : S THEN IF e : s THEN r := 0 ELSE r := {b |-> 1, a |-> 2}(e) END END;
           flip = unread := bool(unread = FALSE)
         END",
    );
    for config in configs() {
        let n_compared = compare(&machine, &config, 1_000);
        assert!(n_compared > 500, "only {n_compared} steps");
    }
}

#[test]
fn a_cap_on_steps_holds_with_labels() {
    let machine = model("MACHINE M OPERATIONS r <-- pick = ANY e WHERE e : 1..9 THEN r := e END END");
    for labels in [true, false] {
        let config = SystemConfig { max_operations: Some(4), ..SystemConfig::default() };
        let system = Explicit::new(judge(&machine, EvalConfig::default()), config);
        let words = system.words_of(&system.blank(), true);
        let mut steps = if labels { Steps::with_labels(1) } else { Steps::new(1) };
        let completeness = system.worker().successors(&words, &mut steps);
        assert_eq!(completeness, Completeness::Missing(Gap::Capped));
        assert_eq!(steps.iter().map(|step| step.count).sum::<u64>(), 4);
    }
}

#[test]
fn labels_of_random_machines_are_those_of_the_judge() {
    let n_machines = if std::env::var_os("RUN_SLOW").is_some() { 2_000 } else { 40 };
    let mut n_compared = 0;
    for seed in 0..n_machines {
        let texts = [
            generate::machine(
                &Random::new(seed).bytes(50 + (seed as usize % 7) * 80),
                generate::GeneratorConfig::default(),
            ),
            everything::machine(&mut Random::new(seed)),
        ];
        for text in texts {
            let machine = model(&text);
            n_compared += configs().iter().map(|config| compare(&machine, config, 10)).sum::<usize>();
        }
    }
    eprintln!("{n_compared} steps of {n_machines} machines compared");
    assert!(n_compared > 50 * n_machines as usize, "only {n_compared} steps were compared");
}
