//! Strongly connected components of the product, one after the other.
//!
//! Pearce, "A space-efficient algorithm for finding strongly connected components", 2016: one number for each node, with the stack of calls
//! on the heap. Only nodes that may lie on an accepted cycle have one.

use abridge_value::BitSet;

use crate::ranks::Ranks;

use super::letters::Moves;
use super::{LetterGraph, ProductNode, STOP_INTERVAL};

/// A component with at least one step inside it.
pub(super) struct Component<'c> {
    pub(super) members: &'c [ProductNode],
    numbers: &'c NodeNumbers<'c>,
    number: u32,
}

impl Component<'_> {
    pub(super) fn contains(&self, node: ProductNode) -> bool {
        self.numbers.get(node) == Some(self.number)
    }
}

/// Numbers of the nodes of a set.
struct NodeNumbers<'n> {
    ranks: Ranks<'n>,
    numbers: Vec<u32>,
}

impl<'n> NodeNumbers<'n> {
    fn new(nodes: &'n BitSet) -> Self {
        let ranks = Ranks::new(nodes);
        let numbers = vec![0; ranks.len()];
        NodeNumbers { ranks, numbers }
    }

    fn get(&self, node: ProductNode) -> Option<u32> {
        self.ranks.get(node).map(|slot| self.numbers[slot])
    }

    fn set(&mut self, node: ProductNode, number: u32) {
        if let Some(slot) = self.ranks.get(node) {
            self.numbers[slot] = number;
        }
    }
}

/// A node whose steps are being followed.
struct FollowedNode {
    node: ProductNode,
    /// Steps that were followed.
    n_followed: u32,
    is_root: bool,
    /// The targets of all steps, where there are many; otherwise they are listed anew each time.
    targets: Option<Box<[ProductNode]>>,
}

/// Targets from which on they are kept.
const MIN_KEPT_TARGETS: usize = 32;

struct ComponentSearch<'s, 'g, G> {
    moves: &'s mut Moves<'g, G>,
    numbers: NodeNumbers<'s>,
    calls: Vec<FollowedNode>,
    /// Nodes whose component is not known yet.
    pending: Vec<ProductNode>,
    next_number: u32,
    next_component: u32,
    members: Vec<ProductNode>,
}

/// Calls `visit` with every component of a set of nodes that has a step inside, until it says that this is enough. False if the search was stopped
/// before all components were known.
pub(super) fn for_each_component<'g, G: LetterGraph>(
    graph: &G,
    moves: &mut Moves<'g, G>,
    nodes: &BitSet,
    visit: &mut dyn FnMut(&Component<'_>, &mut Moves<'g, G>) -> bool,
) -> bool {
    let mut search = ComponentSearch {
        moves,
        numbers: NodeNumbers::new(nodes),
        calls: Vec::new(),
        pending: Vec::new(),
        next_number: 1,
        next_component: u32::MAX,
        members: Vec::new(),
    };
    let mut n_done = 0_u64;
    for node in nodes.iter().map(|node| node as ProductNode) {
        if search.numbers.get(node) != Some(0) {
            continue;
        }
        search.enter(node);
        while !search.calls.is_empty() {
            n_done += 1;
            if n_done.is_multiple_of(STOP_INTERVAL) && graph.is_stopped() {
                return false;
            }
            if search.follow() {
                continue;
            }
            let Some(number) = search.leave() else { continue };
            let component = Component { members: &search.members, numbers: &search.numbers, number };
            if visit(&component, search.moves) {
                return true;
            }
        }
    }
    true
}

impl<G: LetterGraph> ComponentSearch<'_, '_, G> {
    fn enter(&mut self, node: ProductNode) {
        self.numbers.set(node, self.next_number);
        self.next_number += 1;
        self.calls.push(FollowedNode { node, n_followed: 0, is_root: true, targets: None });
    }

    /// The step with this position out of the node of the last call.
    fn target(&mut self, position: u32) -> Option<ProductNode> {
        let call = self.calls.last_mut()?;
        if let Some(targets) = &call.targets {
            return targets.get(position as usize).copied();
        }
        let mut targets = Vec::new();
        self.moves.for_each(call.node, |_, target, _| targets.push(target));
        let target = targets.get(position as usize).copied();
        if targets.len() >= MIN_KEPT_TARGETS {
            call.targets = Some(targets.into());
        }
        target
    }

    /// Follows the next step of the last call; false if there is none.
    fn follow(&mut self) -> bool {
        let Some(position) = self.calls.last().map(|call| call.n_followed) else { return false };
        let Some(target) = self.target(position) else { return false };
        let number = self.numbers.get(target);
        if number == Some(0) {
            // Looked at again when its number is known.
            self.enter(target);
            return true;
        }
        let Some(call) = self.calls.last_mut() else { return false };
        call.n_followed += 1;
        let own = self.numbers.get(call.node).unwrap_or(0);
        if let Some(number) = number.filter(|number| *number < own) {
            call.is_root = false;
            let node = call.node;
            self.numbers.set(node, number);
        }
        true
    }

    /// Ends the last call. If a component with a step inside is complete, its members are listed and its number returned.
    fn leave(&mut self) -> Option<u32> {
        let call = self.calls.pop()?;
        if !call.is_root {
            self.pending.push(call.node);
            return None;
        }
        self.members.clear();
        self.members.push(call.node);
        let own = self.numbers.get(call.node).unwrap_or(0);
        while let Some(member) = self.pending.pop_if(|top| self.numbers.get(*top).is_some_and(|number| own <= number)) {
            self.members.push(member);
        }
        self.next_number -= self.members.len() as u32;
        let component = self.next_component;
        self.next_component -= 1;
        for idx in 0..self.members.len() {
            self.numbers.set(self.members[idx], component);
        }
        let mut is_cyclic = self.members.len() > 1;
        if !is_cyclic {
            self.moves.for_each(call.node, |_, target, _| is_cyclic |= target == call.node);
        }
        is_cyclic.then_some(component)
    }
}
