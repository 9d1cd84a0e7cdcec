//! Order of variables in a state: variables that steps change together are adjacent.
//!
//! The state table folds states into trees of pairs over their words. A step makes few new pairs if the words that it changes are adjacent. So
//! variables are merged into clusters, the most similar first; clusters that are written more often go to the right, away from the constants.
//! The order affects memory and speed only.

use std::cmp::Reverse;

use abridge_model::{Model, OpId, VarId};

/// Beyond this number of variables the order of the model is kept.
const MAX_ORDERED_VARIABLES: usize = 200;

/// Orders the variables by clustering.
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
    /// For each member, the set of operations that write it.
    writers: Vec<Vec<bool>>,
}

impl Cluster {
    /// Average number of operations that write a member, in thousandths.
    fn weight(&self) -> usize {
        self.writers.iter().flatten().filter(|writes| **writes).count() * 1000 / self.members.len()
    }

    /// Average Jaccard similarity of the writers of members of two clusters, in thousandths.
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

/// Most similar two clusters; the first among equals.
fn closest(clusters: &[Cluster]) -> Option<(usize, usize)> {
    let pairs = (0..clusters.len()).flat_map(|a| (a + 1..clusters.len()).map(move |b| (a, b)));
    pairs.min_by_key(|(a, b)| Reverse(clusters[*a].likeness(&clusters[*b])))
}
