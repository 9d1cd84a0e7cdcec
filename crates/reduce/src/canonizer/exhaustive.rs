//! Exhaustive comparison of a reduction with the machine: all states and all their images, and the coarsest bisimulation among them.
//!
//! The graph is closed under steps, under the functions of the plan and under permutations, for which representative symmetry reduction takes may depend on
//! the course of a search. Blocks of states with the same findings are split until all states of a block have
//! steps into the same blocks; then a reduction is right if every state and its images are in one block. The answer is exact as long as the
//! graph is whole: it needs neither generators nor proofs, and it is what everything else is measured against.

use abridge_model_system::{ModelSystem, is_initialised};
use abridge_system::{FindingKind, Origin, Properties, Steps, Worker as _};
use rustc_hash::FxHashMap;

use super::plan::{PartKind, ReductionPlan};
use super::represent::Canonized;
use super::sample::{Portrait, first_steps};
use crate::symmetry::{Canonizer as _, Group, Permutation, Quotient as _, permute_state};

/// The outcome of a comparison with the whole state space.
#[derive(Clone, Debug)]
pub struct ExhaustiveComparison {
    /// States that were compared: those of the machine and their images.
    pub n_states: u64,
    /// All of them were.
    pub is_whole: bool,
    /// A state and an image of it that are not bisimilar, with the reduction, by position in the plan; the last stands for all together.
    pub refutation: Option<(usize, Vec<u32>, Vec<u32>)>,
}

/// Graph of states, by number.
#[derive(Default)]
struct ComparedGraph {
    numbers: FxHashMap<Vec<u32>, u32>,
    states: Vec<Vec<u32>>,
    /// Targets of steps, ascending.
    targets: Vec<Vec<u32>>,
    findings: Vec<Vec<FindingKind>>,
    /// Images of the functions of each part, and of the canonizer as a whole.
    images: Vec<Vec<(usize, u32)>>,
}

impl ComparedGraph {
    fn number(&mut self, state: &[u32]) -> u32 {
        if let Some(number) = self.numbers.get(state) {
            return *number;
        }
        let number = self.states.len() as u32;
        self.numbers.insert(state.to_vec(), number);
        self.states.push(state.to_vec());
        number
    }
}

/// Compares a plan with the whole state space, if it has at most so many states.
pub fn compare_all(
    system: &impl ModelSystem,
    plan: &ReductionPlan,
    asked: Properties,
    deadlock: bool,
    max_states: usize,
    is_over: &mut dyn FnMut() -> bool,
) -> ExhaustiveComparison {
    let canonized = Canonized::new(system, plan);
    let (mut worker, mut canonizer) = (system.worker(), canonized.canonizer());
    let exchanges = exchanges(plan);
    let mut graph = ComparedGraph::default();
    let mut steps = Steps::new(system.width());
    let (completeness, is_cut) = first_steps(&mut worker, Origin::Root, max_states, &mut steps);
    let mut is_whole = completeness.is_whole() && !is_cut;
    steps.iter().for_each(|step| _ = graph.number(step.target));
    let mut next = 0;
    while next < graph.states.len() {
        if graph.states.len() > max_states || is_over() || worker.is_stopped() {
            is_whole = false;
            break;
        }
        let state = graph.states[next].clone();
        let portrait = Portrait::of(&mut worker, system.width(), &state, asked, deadlock);
        is_whole &= portrait.is_whole;
        let mut targets: Vec<u32> = portrait.steps.iter().map(|(_, target)| graph.number(target)).collect();
        targets.sort_unstable();
        targets.dedup();
        let mut images = Vec::new();
        if is_initialised(&state) {
            // A state without an image is its own representative.
            let _ = canonizer.images_of(&state, |part, image| images.push((part, graph.number(image))));
            for (part, group, exchange) in &exchanges {
                images.push((*part, graph.number(&permute_state(system, group, exchange, &state))));
            }
            let mut representative = state.clone();
            canonizer.represent(&mut representative);
            images.push((plan.parts.len(), graph.number(&representative)));
        }
        graph.targets.push(targets);
        graph.findings.push(portrait.classes);
        graph.images.push(images);
        next += 1;
    }
    let n_states = next as u64;
    if !is_whole {
        return ExhaustiveComparison { n_states, is_whole, refutation: None };
    }
    let blocks = blocks(&graph);
    let mut pairs = graph
        .images
        .iter()
        .enumerate()
        .flat_map(|(state, images)| images.iter().map(move |(part, image)| (*part, state, *image as usize)));
    let differing = pairs.find(|(_, state, image)| blocks[*state] != blocks[*image]);
    let refutation =
        differing.map(|(part, state, image)| (part, graph.states[state].clone(), graph.states[image].clone()));
    ExhaustiveComparison { n_states, is_whole, refutation }
}

/// The permutations of symmetry reduction that generate all others, with the parts of the plan.
fn exchanges(plan: &ReductionPlan) -> Vec<(usize, &Group, Permutation)> {
    let parts = plan.parts.iter().enumerate();
    let groups = parts.filter_map(|(part, item)| match &item.kind {
        PartKind::Symmetry { group, .. } => Some((part, group)),
        _ => None,
    });
    groups.flat_map(|(part, group)| group.exchanges().into_iter().map(move |it| (part, group, it))).collect()
}

/// The block of each state in the coarsest bisimulation that findings respect.
fn blocks(graph: &ComparedGraph) -> Vec<u32> {
    let mut numbers: FxHashMap<(bool, &[FindingKind]), u32> = FxHashMap::default();
    let mut blocks: Vec<u32> = Vec::with_capacity(graph.states.len());
    for (state, findings) in graph.states.iter().zip(&graph.findings) {
        let next = numbers.len() as u32;
        blocks.push(*numbers.entry((is_initialised(state), findings)).or_insert(next));
    }
    let mut n_blocks = numbers.len();
    loop {
        let mut numbers: FxHashMap<(u32, Vec<u32>), u32> = FxHashMap::default();
        let mut finer = Vec::with_capacity(blocks.len());
        for (block, targets) in blocks.iter().zip(&graph.targets) {
            let mut reached: Vec<u32> = targets.iter().map(|target| blocks[*target as usize]).collect();
            reached.sort_unstable();
            reached.dedup();
            let next = numbers.len() as u32;
            finer.push(*numbers.entry((*block, reached)).or_insert(next));
        }
        let n_finer = numbers.len();
        blocks = finer;
        if n_finer == n_blocks {
            return blocks;
        }
        n_blocks = n_finer;
    }
}
