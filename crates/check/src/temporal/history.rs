//! A formula along the steps that somebody took: [`along_history`].
//!
//! The steps are taken again in a system that has the atoms of the formula, and each subformula gets its value at each position, as far as the steps so far tell.

use abridge_explicit::judge;
use abridge_model::Model;
use abridge_system::{AnySystem, Machine as _, Move, Origin, Step, Steps, System as _, Worker as _};
use abridge_temporal::emptiness::Truth;
use abridge_temporal::formula::{AtomId, LtlNode};
use abridge_temporal::{PrefixVerdict, evaluate_prefix};

use super::letters::{Lettered, StepLetter};
use super::prepare::FormulaTree;
use crate::animation::Animation;
use crate::trace::TraceStep;
use crate::{Config, stack, system_config};

/// A subformula and what is known of it at each position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HistoryRow {
    pub text: String,
    pub values: Vec<PrefixVerdict>,
}

/// Choices of one operation that are looked at where steps are taken again.
const MAX_CHOICES: usize = 100_000;

/// The subformulas of the first formula of `config`, outermost first, along some steps from the root on. Positions are the states after INITIALISATION. Nothing if the steps cannot be taken again,
/// or if the formula has no values.
pub fn along_history(model: &Model, config: &Config, steps: &[TraceStep]) -> Option<Vec<HistoryRow>> {
    let body = config.formulas.formulas.first()?.body.as_ref()?;
    let FormulaTree::Ltl(expanded) = &body.tree else { return None };
    let system = stack::system_of(judge(model, config.eval.clone()), system_config(model, config));
    let mut animation = Animation::new(&system, MAX_CHOICES);
    for step in steps {
        let befores = animation.state().map(<[u32]>::to_vec);
        let is_same = |choice: &Move| {
            let found = TraceStep::of(&system, befores.as_deref(), choice);
            (&found.name, &found.params, &found.outputs, &found.state)
                == (&step.name, &step.params, &step.outputs, &step.state)
        };
        let choice = animation.choices().list.iter().position(is_same)?;
        animation.take(choice);
    }
    let lettered = Lettered::new(&system, AnySystem::of(&system), &config.formulas.atoms, true);
    let history = animation.history();
    let is_running = |step: &&Move| system.is_running(Origin::State(&step.to));
    let n_before = history.len() - history.iter().filter(is_running).count();
    let path = &history[n_before..];
    let mut is_over = false;
    let mut positions: Vec<Vec<PrefixVerdict>> = Vec::with_capacity(path.len());
    for (idx, step) in path.iter().enumerate() {
        let (mut out, mut worker) = (Steps::new(system.width()), lettered.worker());
        // What is missing has no letter.
        let _ = worker.successors(&step.to, &mut out);
        let next = path.get(idx + 1);
        let is_meant = |found: &Step<'_>| {
            next.is_none_or(|next| (found.operation, found.target) == (next.operation, next.to.as_slice()))
        };
        let mut letters: Vec<u64> = out.iter().filter(is_meant).map(|step| step.marks).collect();
        letters.extend(out.ending());
        is_over = out.ending().is_some();
        let all = lettered.letters();
        let letters: Vec<&StepLetter> = letters.into_iter().filter_map(|letter| all.get(letter as usize)).collect();
        let value = |atom: usize| {
            // Of steps that only labels tell apart, the one that was taken is not known.
            let is_open = next.is_none() && !is_over && config.formulas.atoms[atom].is_about_step();
            let mut truths = letters.iter().map(|letter| letter.truths[atom]);
            let first = truths.next().filter(|_| !is_open)?;
            match first {
                Truth::True | Truth::False if truths.all(|truth| truth == first) => Some(first == Truth::True),
                _ => None,
            }
        };
        positions.push((0..config.formulas.atoms.len()).map(value).collect());
    }
    let holds = |position: usize, atom: AtomId| positions[position][body.atoms[atom.0 as usize]];
    let formula = &expanded.formula;
    let table = evaluate_prefix(formula, positions.len(), is_over, &holds);
    let mut rows: Vec<HistoryRow> = Vec::new();
    let ids: Vec<_> = formula.nodes().map(|(id, _)| id).collect();
    for id in ids.into_iter().rev() {
        let text = formula.text(id);
        if !matches!(formula.node(id), LtlNode::Const(_)) && rows.iter().all(|row| row.text != text) {
            rows.push(HistoryRow { text, values: table[id.idx()].clone() });
        }
    }
    Some(rows)
}
