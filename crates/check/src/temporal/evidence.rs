//! Evidence for formulas of branching time, found again by the judge: [`tell`].
//!
//! The engine gives a tree of paths between states of the table. Each path is found again through real states, from the real state that the path above it has reached, with steps that
//! the plain interpreter lists and atoms that it evaluates. Boolean operators leave no branch: what decides them hangs where they stand. A branch that
//! cannot be found again ends with a gap.

use abridge_model_system::ModelSystem;
use abridge_reduce::symmetry::Canonizer;
use abridge_temporal::ctl::{Evidence, EvidencePart};
use abridge_temporal::emptiness::{LetterPath, PathEnd};
use abridge_temporal::formula::Ctl;

use super::prepare::{FormulaTree, PreparedBody};
use super::story::RealPath;
use super::turns::ElementNames;
use super::{MarkedSteps, Searched};
use crate::trace::{Trace, TraceStep};

/// Why a formula has its value: a tree whose branches are paths.
#[derive(Clone, Debug)]
pub struct BranchingStory {
    /// The path of the root begins with the set-up and the initialisation.
    pub root: Branch,
    /// Steps that set the machine up.
    pub n_setup: usize,
    /// The root is about a part of the formula, which decides the whole.
    pub is_about_part: bool,
}

/// Why a formula has its value in a state.
#[derive(Clone, Debug)]
pub struct Branch {
    pub formula: String,
    pub holds: bool,
    /// Steps of the path above after which this hangs.
    pub after: usize,
    pub shown: BranchShown,
    /// Steps of its path.
    pub steps: Vec<TraceStep>,
    /// The position of the first step of a loop, which lasts to the end.
    pub loop_start: Option<usize>,
    /// What could not be found again.
    pub gap: Option<String>,
    /// What hangs off the path.
    pub parts: Vec<Branch>,
}

/// What there is to see of a formula.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BranchShown {
    /// Its value in the state.
    Fact,
    /// A path.
    Path,
    /// A path to where nothing is enabled.
    PathToDeadlock,
    /// It is about all paths, and no picture shows it.
    AllPaths,
    /// The tree is large enough without it.
    Omitted,
}

impl Branch {
    /// There is a path to see.
    pub fn has_path(&self) -> bool {
        let is_path = matches!(self.shown, BranchShown::Path | BranchShown::PathToDeadlock) && !self.steps.is_empty();
        is_path || self.parts.iter().any(Branch::has_path)
    }

    /// One path through the tree: the path of the root, and from where a branch with a path hangs that branch.
    pub(super) fn spine(&self, n_setup: usize) -> Trace {
        let mut trace = Trace { n_setup, ..Trace::default() };
        let mut next = Some(self);
        while let Some(branch) = next {
            let first = trace.steps.len();
            let below = branch.parts.iter().rev().find(|part| part.has_path());
            // A loop is shown as a whole, unless a branch leaves it.
            let end = match below {
                Some(part) => part.after,
                None => branch.steps.len(),
            };
            trace.steps.extend_from_slice(&branch.steps[..end.min(branch.steps.len())]);
            trace.gap = branch.gap.clone();
            trace.loop_start = branch.loop_start.filter(|_| below.is_none()).map(|start| first + start);
            next = below;
        }
        trace
    }
}

/// The tree of evidence, and one trace through it.
pub(super) fn tell(
    searched: &Searched<'_, impl ModelSystem>,
    body: &PreparedBody,
    seen: MarkedSteps<'_>,
    evidence: &Evidence,
    mut canonizer: Option<&mut dyn Canonizer>,
) -> (Option<BranchingStory>, Trace) {
    let lent = canonizer.as_mut().map(|canonizer| &mut **canonizer as &mut dyn Canonizer);
    let start = match RealPath::from_state(searched, &body.atoms, evidence.state, lent) {
        Ok(real_path) => real_path,
        Err(trace) => return (None, trace),
    };
    let (trace, names) = (start.trace, start.names);
    let Some(state) = start.states.into_iter().next_back() else { return (None, trace) };
    let FormulaTree::Ctl(branching) = &body.tree else { return (None, trace) };
    let teller = EvidenceBuilder { searched, body, ctl: &branching.formula, seen };
    let mut parts = teller.branches(evidence, 0, &(state, names), &mut canonizer);
    // A single branch that hangs off the initial state is the root.
    let mut root = match parts.len() {
        1 => parts.remove(0),
        _ => Branch { parts, ..teller.branch(evidence, 0) },
    };
    let n_before = trace.steps.len();
    root.parts.iter_mut().for_each(|part| part.after += n_before);
    root.loop_start = root.loop_start.map(|start| start + n_before);
    root.steps.splice(0..0, trace.steps.iter().cloned());
    let spine = root.spine(trace.n_setup);
    let is_about_part = root.formula != teller.ctl.text(evidence.node);
    (Some(BranchingStory { root, n_setup: trace.n_setup, is_about_part }), spine)
}

/// A real state, and what its elements are called in the table.
type RealState = (Vec<u32>, Option<ElementNames>);

struct EvidenceBuilder<'t, 's, S> {
    searched: &'t Searched<'s, S>,
    body: &'t PreparedBody,
    ctl: &'t Ctl,
    seen: MarkedSteps<'t>,
}

impl<S: ModelSystem> EvidenceBuilder<'_, '_, S> {
    fn branch(&self, evidence: &Evidence, after: usize) -> Branch {
        Branch {
            formula: self.ctl.text(evidence.node),
            holds: evidence.holds,
            after,
            shown: BranchShown::Fact,
            steps: Vec::new(),
            loop_start: None,
            gap: None,
            parts: Vec::new(),
        }
    }

    /// What there is to see of a formula in a state. Operands stand for boolean operators.
    fn branches(
        &self,
        evidence: &Evidence,
        after: usize,
        here: &RealState,
        canonizer: &mut Option<&mut dyn Canonizer>,
    ) -> Vec<Branch> {
        let mut branch = self.branch(evidence, after);
        match &evidence.shown {
            EvidencePart::Fact => {}
            EvidencePart::AllPaths => branch.shown = BranchShown::AllPaths,
            EvidencePart::Omitted => branch.shown = BranchShown::Omitted,
            EvidencePart::Parts(parts) => {
                return abridge_diag::with_stack(|| {
                    parts.iter().flat_map(|part| self.branches(part, after, here, canonizer)).collect()
                });
            }
            EvidencePart::Path { steps, loop_start, parts } => {
                let states = self.retrace(evidence.state, (steps, *loop_start), here, canonizer, &mut branch);
                for (position, part) in parts {
                    if let Some(here) = states.get(*position) {
                        let below = abridge_diag::with_stack(|| self.branches(part, *position, here, canonizer));
                        branch.parts.extend(below);
                    }
                }
            }
        }
        vec![branch]
    }

    /// Finds a path again, fills the branch with it, and lists the states along it.
    fn retrace(
        &self,
        start: u32,
        (steps, loop_start): (&[(u32, u32)], Option<usize>),
        here: &RealState,
        canonizer: &mut Option<&mut dyn Canonizer>,
        branch: &mut Branch,
    ) -> Vec<RealState> {
        let lent = canonizer.as_mut().map(|canonizer| &mut **canonizer as &mut dyn Canonizer);
        let mut real_path = RealPath::at(self.searched, &self.body.atoms, here.clone(), lent);
        let letter = |position: usize| &self.seen.letters[steps[position].0 as usize];
        let mut states = vec![here.clone()];
        // The last step of a loop is taken where the loop is closed.
        let n_taken = steps.len() - usize::from(loop_start.is_some());
        for (position, (_, target)) in steps[..n_taken].iter().enumerate() {
            if !real_path.step(letter(position), *target) {
                break;
            }
            states.extend(real_path.states.last().map(|state| (state.clone(), real_path.names.clone())));
        }
        let last = steps.last().map_or(start, |(_, target)| *target);
        if let Some(first) = loop_start.filter(|_| real_path.trace.gap.is_none()) {
            let sources = [start].into_iter().chain(steps.iter().map(|(_, target)| *target));
            let positions = sources.zip(steps).map(|(state, (letter, _))| (state, *letter)).collect();
            let path = LetterPath { positions, end: PathEnd::Loop(first) };
            real_path.close(&path, first, &letter);
        }
        let is_end = loop_start.is_none() && self.seen.stored.reader().ending(last).is_some();
        branch.shown = if is_end { BranchShown::PathToDeadlock } else { BranchShown::Path };
        (branch.steps, branch.loop_start, branch.gap) =
            (real_path.trace.steps, real_path.trace.loop_start, real_path.trace.gap);
        states
    }
}
