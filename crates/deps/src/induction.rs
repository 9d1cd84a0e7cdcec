//! Inductive conjuncts, which hold in all reachable states.
//!
//! Candidates are conjuncts that hold in every initial state. A candidate that some instance can falsify, assuming all others, is dropped, up to a
//! fixpoint (Flanagan, Leino, "Houdini, an annotation assistant"). The remaining ones hold in all reachable states, whether or not they are
//! checked. A candidate that is kept wrongly would exclude reachable states from every question.

use abridge_blast::{Lit, Replaced, SatAnswer};

use abridge_encoding::Cells;

use crate::dependencies::AnalysedInstance;
use crate::theory::{QuestionKind, Theory};

/// Keeps the candidates that all instances preserve, assuming `ground`.
pub(crate) fn inductive(
    theory: &mut Theory,
    cells: &Cells,
    instances: &[&AnalysedInstance],
    ground: &[Lit],
    mut candidates: Vec<Lit>,
) -> Vec<Lit> {
    // An instance must be examined again only after a candidate was dropped, since less can be assumed then.
    let mut waiting: Vec<bool> = vec![true; instances.len()];
    theory.know(ground.iter().chain(&candidates).copied());
    while let Some(next) = waiting.iter().position(|waits| *waits) {
        waiting[next] = false;
        // One answer for each instance: an analysis that ran out of time goes on from where it was.
        let question = candidates.iter().map(|candidate| candidate.number()).chain([next as u32]);
        let dropped = theory.remembered(QuestionKind::Inductive, question, candidates.len(), |theory| {
            let falsified = falsified(theory, cells, instances[next], &candidates);
            theory.forget();
            (0..candidates.len()).filter(|idx| falsified.contains(&candidates[*idx])).collect()
        });
        if !dropped.is_empty() {
            let mut idx = 0..;
            candidates.retain(|_| idx.next().is_some_and(|idx| !dropped.contains(idx)));
            waiting.fill(true);
            theory.know(ground.iter().chain(&candidates).copied());
        }
    }
    candidates
}

/// The candidates that an instance can falsify while all of them hold.
fn falsified(theory: &mut Theory, cells: &Cells, instance: &AnalysedInstance, candidates: &[Lit]) -> Vec<Lit> {
    let mut done = Replaced::default();
    let mut open: Vec<(Lit, Lit)> = Vec::new();
    let mut doubtful = Vec::new();
    for candidate in candidates.iter().copied() {
        let reads = theory.circuit().inputs_of([candidate]);
        let reads: Vec<usize> =
            reads.into_iter().filter_map(|input| cells.of_input(input)).map(|cell| cell.0 as usize).collect();
        if reads.iter().any(|cell| instance.opaque_writes.contains(*cell)) {
            doubtful.push(candidate);
        } else if reads.iter().any(|cell| instance.written.contains(*cell)) {
            let with = |input: Lit| instance.new_lit(cells.of_input(input)?);
            let after = theory.circuit().replace(candidate, &with, &mut done);
            if after != candidate && after != Lit::TRUE {
                open.push((candidate, after));
            }
        }
    }
    while !open.is_empty() {
        let some_falsified = theory.circuit().or_all(open.iter().map(|(_, after)| !*after));
        let Some(mut solver) = theory.solver(&[instance.relation, some_falsified]) else {
            doubtful.extend(open.drain(..).map(|(candidate, _)| candidate));
            break;
        };
        match theory.solve(&mut solver) {
            SatAnswer::Unsatisfiable => break,
            SatAnswer::Unknown => doubtful.extend(open.drain(..).map(|(candidate, _)| candidate)),
            SatAnswer::Satisfiable => {
                let is_falsified = |pair: &mut (Lit, Lit)| !solver.value(pair.1);
                doubtful.extend(open.extract_if(.., is_falsified).map(|(candidate, _)| candidate));
            }
        }
    }
    doubtful
}
