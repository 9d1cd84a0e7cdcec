//! States on fair cycles: [`fair_states`].
//!
//! A component is fair if it takes an edge of every set that must recur, and for every pair has a response or no request. Where a pair has requests and no response,
//! the requests are removed and the components looked for again (Emerson and Lei, "Modalities for model checking", 1987). Each round removes an edge, so
//! the rounds end.

use abridge_value::BitSet;
use rustc_hash::FxHashSet;

use crate::components::{UNKNOWN, components};

use super::{FairEdges, Graph, Stopped};

/// The states of a set that lie on a fair cycle within it.
pub(super) fn fair_states<G: Graph>(graph: &G, stay: &BitSet, constraints: &[FairEdges]) -> Result<BitSet, Stopped> {
    let mut fair = BitSet::with_room(graph.n_states());
    for component in fair_components(graph, stay, constraints)? {
        component.members.iter().for_each(|member| _ = fair.insert(*member as usize));
    }
    Ok(fair)
}

/// A strongly connected set of states with the edges between them.
pub(super) struct FairComponent {
    pub(super) members: Vec<u32>,
    /// Source, edge and target.
    pub(super) edges: Vec<(u32, u32, u32)>,
}

/// The fair components within a set of states.
pub(super) fn fair_components<G: Graph>(
    graph: &G,
    stay: &BitSet,
    constraints: &[FairEdges],
) -> Result<Vec<FairComponent>, Stopped> {
    let mut removed: FxHashSet<u32> = FxHashSet::default();
    loop {
        if graph.is_stopped() {
            return Err(Stopped);
        }
        let successors = |state: u32, out: &mut Vec<u32>| {
            graph.successors(state, &mut |edge, target| {
                if stay.contains(target as usize) && !removed.contains(&edge) {
                    out.push(target);
                }
            });
        };
        let found = components(graph.n_states(), stay.iter().map(|state| state as u32), successors);
        let mut list: Vec<FairComponent> =
            found.members().into_iter().map(|members| FairComponent { members, edges: Vec::new() }).collect();
        for state in stay.iter() {
            let component = found.of[state];
            graph.successors(state as u32, &mut |edge, target| {
                let is_inside = component != UNKNOWN && found.of[target as usize] == component;
                if is_inside && !removed.contains(&edge) {
                    list[component as usize].edges.push((state as u32, edge, target));
                }
            });
        }
        list.retain(|component| !component.edges.is_empty() && has_recurring(component, constraints));
        let n_removed = removed.len();
        for component in &list {
            removed.extend(unanswered(component, constraints));
        }
        if removed.len() == n_removed {
            return Ok(list);
        }
    }
}

fn has_recurring(component: &FairComponent, constraints: &[FairEdges]) -> bool {
    constraints.iter().all(|constraint| match constraint {
        FairEdges::Infinitely(edges) => component.edges.iter().any(|(_, edge, _)| edges.contains(*edge as usize)),
        FairEdges::Pair { .. } => true,
    })
}

/// Requests of a component that it never answers.
fn unanswered(component: &FairComponent, constraints: &[FairEdges]) -> Vec<u32> {
    let mut edges = Vec::new();
    for constraint in constraints {
        let FairEdges::Pair { requests, responses } = constraint else { continue };
        let has_response = component.edges.iter().any(|(_, edge, _)| responses.contains(*edge as usize));
        if !has_response {
            let inside = component.edges.iter().map(|(_, edge, _)| *edge);
            edges.extend(inside.filter(|edge| requests.contains(*edge as usize)));
        }
    }
    edges
}
