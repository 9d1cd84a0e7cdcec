//! The reductions of a run: which definitions, in which order, by which strategy.
//!
//! Functions of all chosen reductions are numbered through, in the order in which the explicit system knows them. A number that belongs to another
//! function would apply a generator that nobody checked.

use abridge_model::{ExprId, Model, OpId, ReductionKind, SetId};

use crate::symmetry::{CarrierBlock, Group};

/// How a canonizer follows from the generators of a group (section 4.4).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CanonizerStrategy {
    /// Applies generators as long as that makes the state smaller. An orbit may keep several representatives.
    Local,
    /// The smallest state of the orbit.
    Enumerate,
}

/// A reduction that a run is to apply.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChosenReduction {
    /// Its position among those of the model.
    pub reduction: usize,
    pub strategy: CanonizerStrategy,
}

/// All reductions of a run, applied from left to right.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct ReductionPlan {
    pub parts: Vec<PlannedReduction>,
    /// The functions of all parts, by number.
    pub functions: Vec<OpId>,
    /// The first state is canonised like any other. Definition 7 does not.
    pub canonises_start: bool,
}

/// One reduction of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlannedReduction {
    pub name: String,
    pub kind: PartKind,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PartKind {
    /// The function with this number.
    Canonizer(usize),
    /// A group that the functions with these numbers generate.
    Orbit { generators: Vec<usize>, strategy: CanonizerStrategy, order: Option<ExprId> },
    /// Permutations of elements that the text of the model does not tell apart.
    Symmetry { group: Group, generators: Vec<usize> },
}

impl PlannedReduction {
    /// The functions that it consists of.
    pub fn functions(&self) -> &[usize] {
        match &self.kind {
            PartKind::Canonizer(function) => std::slice::from_ref(function),
            PartKind::Orbit { generators, .. } | PartKind::Symmetry { generators, .. } => generators,
        }
    }
}

impl ReductionPlan {
    /// The plan of some reductions of a model. `is_symmetric` tells given sets all of whose elements can be exchanged.
    pub fn new(
        model: &Model,
        chosen: &[ChosenReduction],
        canonises_start: bool,
        is_symmetric: impl Fn(SetId) -> bool,
    ) -> ReductionPlan {
        let mut plan = ReductionPlan { canonises_start, ..ReductionPlan::default() };
        for ChosenReduction { reduction, strategy } in chosen {
            let definition = &model.steering.reductions[*reduction];
            let first = plan.functions.len();
            plan.functions.extend(definition.operations());
            let generators: Vec<usize> = (first..plan.functions.len()).collect();
            let kind = match definition.kind {
                ReductionKind::Canonizer(_) => PartKind::Canonizer(first),
                ReductionKind::Generated { permuted: Some(set), order: None, .. } if is_symmetric(set) => {
                    let indices = (0..model.sets[set].size()).collect();
                    PartKind::Symmetry { group: Group::new(vec![CarrierBlock { set: set.0, indices }]), generators }
                }
                ReductionKind::Generated { order, .. } => PartKind::Orbit { generators, strategy: *strategy, order },
            };
            plan.push(PlannedReduction { name: definition.name.to_string(), kind });
        }
        plan
    }

    /// Adds a part. Permutations of several sets are one group, whose canonical forms identify more than those of one set after the other.
    fn push(&mut self, part: PlannedReduction) {
        match (self.parts.last_mut(), part) {
            (
                Some(PlannedReduction { name, kind: PartKind::Symmetry { group, generators } }),
                PlannedReduction { name: other, kind: PartKind::Symmetry { group: others, generators: more } },
            ) if !group.blocks().iter().any(|block| others.blocks().iter().any(|other| other.set == block.set)) => {
                *group = Group::new([group.blocks(), others.blocks()].concat());
                generators.extend(more);
                *name = format!("{name}, {other}");
            }
            (_, part) => self.parts.push(part),
        }
    }

    /// The group of a plan that is nothing but symmetry reduction.
    pub fn only_symmetry(&self) -> Option<&Group> {
        match &self.parts[..] {
            [PlannedReduction { kind: PartKind::Symmetry { group, .. }, .. }] if self.canonises_start => Some(group),
            _ => None,
        }
    }

    /// Symmetry reduction goes first. Each part leads from a state to one that is bisimilar to it, so that all of them do, in any order.
    pub fn after_symmetry(mut self, group: Group) -> ReductionPlan {
        let kind = PartKind::Symmetry { group, generators: Vec::new() };
        self.parts.insert(0, PlannedReduction { name: "symmetry".to_owned(), kind });
        self
    }

    /// What is left to be tested: all but symmetry, of which the text of the model is the proof. Both together may identify less than the equivalence
    /// that they generate, and a test would take that for a difference.
    pub fn without_symmetry(&self) -> ReductionPlan {
        let parts = self.parts.iter().filter(|part| !matches!(part.kind, PartKind::Symmetry { .. })).cloned().collect();
        ReductionPlan { parts, ..self.clone() }
    }

    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }
}
