//! Strongly connected components of small graphs: [`components`].
//!
//! Tarjan, "Depth-first search and linear graph algorithms", 1972, with the stack of calls on the heap: graphs come from formulas that users wrote
//! and may be one long chain.

/// The component of each node; components are numbered so that every edge leads to an equal or smaller number.
pub(crate) struct Components {
    pub(crate) of: Vec<u32>,
    pub(crate) count: usize,
}

impl Components {
    /// The nodes of each component.
    pub(crate) fn members(&self) -> Vec<Vec<u32>> {
        let mut members = vec![Vec::new(); self.count];
        for (node, component) in self.of.iter().enumerate() {
            if *component != UNKNOWN {
                members[*component as usize].push(node as u32);
            }
        }
        members
    }
}

/// The component of nodes that cannot be reached.
pub(crate) const UNKNOWN: u32 = u32::MAX;

/// Components of what can be reached from the roots. `successors` lists the targets of a node.
pub(crate) fn components(
    n_nodes: usize,
    roots: impl IntoIterator<Item = u32>,
    successors: impl Fn(u32, &mut Vec<u32>),
) -> Components {
    let mut search = TarjanSearch {
        index: vec![UNKNOWN; n_nodes],
        low: vec![0; n_nodes],
        found: Components { of: vec![UNKNOWN; n_nodes], count: 0 },
        pending: Vec::new(),
        n_indexed: 0,
    };
    for root in roots {
        if search.index[root as usize] == UNKNOWN {
            search.from(root, &successors);
        }
    }
    search.found
}

struct TarjanSearch {
    index: Vec<u32>,
    low: Vec<u32>,
    found: Components,
    pending: Vec<u32>,
    n_indexed: u32,
}

impl TarjanSearch {
    fn enter(&mut self, node: u32) {
        self.index[node as usize] = self.n_indexed;
        self.low[node as usize] = self.n_indexed;
        self.n_indexed += 1;
        self.pending.push(node);
    }

    fn from(&mut self, root: u32, successors: &impl Fn(u32, &mut Vec<u32>)) {
        let list = |node| {
            let mut targets = Vec::new();
            successors(node, &mut targets);
            targets.into_iter()
        };
        self.enter(root);
        let mut calls = vec![(root, list(root))];
        while let Some((node, targets)) = calls.last_mut() {
            let node = *node;
            if let Some(target) = targets.next() {
                if self.index[target as usize] == UNKNOWN {
                    self.enter(target);
                    calls.push((target, list(target)));
                } else if self.found.of[target as usize] == UNKNOWN {
                    self.low[node as usize] = self.low[node as usize].min(self.index[target as usize]);
                }
                continue;
            }
            calls.pop();
            if let Some((caller, _)) = calls.last() {
                self.low[*caller as usize] = self.low[*caller as usize].min(self.low[node as usize]);
            }
            if self.low[node as usize] == self.index[node as usize] {
                self.leave(node);
            }
        }
    }

    /// The pending nodes down to this one are a component.
    fn leave(&mut self, node: u32) {
        while let Some(member) = self.pending.pop() {
            self.found.of[member as usize] = self.found.count as u32;
            if member == node {
                break;
            }
        }
        self.found.count += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_lead_to_smaller_components() {
        let edges = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 3), (5, 0)];
        let successors = |node: u32, out: &mut Vec<u32>| {
            out.extend(edges.iter().filter(|(source, _)| *source == node).map(|(_, target)| *target));
        };
        let found = components(6, [0], successors);
        assert_eq!(found.count, 2);
        assert!(found.of[0] == found.of[1] && found.of[1] == found.of[2] && found.of[3] == found.of[4]);
        assert!(found.of[0] > found.of[3] && found.of[5] == UNKNOWN);
    }

    #[test]
    fn a_long_chain_does_not_need_the_stack() {
        let successors = |node: u32, out: &mut Vec<u32>| out.extend((node < 999_999).then_some(node + 1));
        assert_eq!(components(1_000_000, [0], successors).count, 1_000_000);
    }
}
