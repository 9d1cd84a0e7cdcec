//! The order of variables in a state: those that steps change together stand together.
//!
//! States are stored as trees of pairs over their words, so a step makes few new pairs if the words it changes are neighbours, and the
//! table of pairs stays small. Variables are merged into clusters, the most alike first; clusters that are written more often go to
//! the right, away from the constants.

use std::cmp::Reverse;

use abridge_model::{Model, OpId, VarId};

/// With more variables the order of the model is kept.
const MAX_ORDERED_VARIABLES: usize = 200;

pub(crate) fn order(model: &Model, variables: Vec<VarId>, operations: &[OpId]) -> Vec<VarId> {
    if variables.len() > MAX_ORDERED_VARIABLES {
        return variables;
    }
    let writers = |id: &VarId| -> Vec<bool> {
        operations.iter().map(|op| model.operations[*op].effects.writes.contains(*id)).collect()
    };
    let mut clusters: Vec<Cluster> =
        variables.iter().map(|id| Cluster { members: vec![*id], writers: vec![writers(id)] }).collect();
    while let Some((first, second)) = closest(&clusters) {
        let right = clusters.remove(second);
        let left = clusters.remove(first);
        clusters.insert(first, left.merge(right));
    }
    clusters.into_iter().flat_map(|cluster| cluster.members).collect()
}

struct Cluster {
    members: Vec<VarId>,
    /// For each member, which operations write it.
    writers: Vec<Vec<bool>>,
}

impl Cluster {
    /// Number of times that some member is written, on average.
    fn weight(&self) -> usize {
        self.writers.iter().flatten().filter(|writes| **writes).count() * 1000 / self.members.len()
    }

    /// How alike the members of two clusters are, in thousandths: writers of both among writers of either.
    fn likeness(&self, other: &Cluster) -> usize {
        let pairs = self.writers.iter().flat_map(|a| other.writers.iter().map(move |b| (a, b)));
        let alike = |(a, b): (&Vec<bool>, &Vec<bool>)| {
            let count = |both: fn(bool, bool) -> bool| a.iter().zip(b).filter(|(a, b)| both(**a, **b)).count();
            count(|a, b| a && b) * 1000 / count(|a, b| a || b).max(1)
        };
        pairs.map(alike).sum::<usize>() / (self.members.len() * other.members.len())
    }

    fn merge(self, other: Cluster) -> Cluster {
        let (mut left, right) = if other.weight() < self.weight() { (other, self) } else { (self, other) };
        left.members.extend(right.members);
        left.writers.extend(right.writers);
        left
    }
}

/// The two clusters that are most alike, the first ones among equals.
fn closest(clusters: &[Cluster]) -> Option<(usize, usize)> {
    let pairs = (0..clusters.len()).flat_map(|a| (a + 1..clusters.len()).map(move |b| (a, b)));
    pairs.min_by_key(|(a, b)| Reverse(clusters[*a].likeness(&clusters[*b])))
}
