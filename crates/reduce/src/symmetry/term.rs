//! A value as a tree whose leaves are points, and numbers that describe it when the points have colours.
//!
//! The tree is what the graph of a value is in sections 2.4 and 3.4 of Spermann's thesis, unfolded: one node per occurrence, elements
//! that do not move and everything made of them folded into one leaf, and nodes coloured by the structure they come from. Two sweeps
//! describe it: upwards, each node gets a number made of its children's, whose order counts under a tuple and does not under a set;
//! downwards, each occurrence of a point gets a number made of all that surrounds it. Both follow from colours and structure alone, so
//! symmetric values under corresponding colours have equal numbers.

use std::borrow::Borrow;

use abridge_eval::Val;
use abridge_value::Value;
use std::hash::{BuildHasher as _, Hash};

use rustc_hash::FxBuildHasher;

use super::group::Group;

/// One number of 64 bits from another; every bit of the argument matters to every bit of the result (SplitMix64).
pub(super) fn mix(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

pub(super) fn mix2(first: u64, second: u64) -> u64 {
    mix(first.rotate_left(23) ^ mix(second))
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Point(u32),
    /// No point below; the number stands for the whole value.
    Atom(u64),
    /// The number tells tuples of different structures and sets apart.
    Inner(u64),
}

#[derive(Clone, Copy, Debug)]
struct TermNode {
    kind: Kind,
    parent: u32,
    /// What the place below the parent adds; the same for all elements of a set.
    place: u64,
    /// Not inside a member of a set. What else is in the value is then no news to a point below: all points share it.
    is_open: bool,
}

const SET: u64 = 0x5e70;
const MEMBER: u64 = 0x3e3b;
const PAIR: u64 = 0x9a18;

/// The tree, parents before children; the root is the first node. Empty if there is no point in the value.
#[derive(Clone, Default, Debug)]
pub(super) struct ValueTerm {
    nodes: Vec<TermNode>,
}

/// Buffers of the sweeps.
#[derive(Default)]
pub(super) struct Sweep {
    up: Vec<u64>,
    down: Vec<u64>,
}

impl ValueTerm {
    /// Becomes the tree of values in a fixed order.
    pub(super) fn fill<V: Borrow<Val>>(&mut self, group: &Group, vals: impl Iterator<Item = V>) {
        self.nodes.clear();
        self.push(Kind::Inner(PAIR), 0, 0);
        let mut has_points = false;
        for (place, val) in (1..).zip(vals) {
            has_points |= self.add(group, val.borrow(), 0, place);
        }
        if !has_points {
            self.nodes.clear();
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    pub(super) fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<TermNode>()
    }

    fn push(&mut self, kind: Kind, parent: u32, place: u64) -> u32 {
        let is_open = place != MEMBER && self.nodes.get(parent as usize).is_none_or(|parent| parent.is_open);
        self.nodes.push(TermNode { kind, parent, place, is_open });
        self.nodes.len() as u32 - 1
    }

    /// Whether a value has a point.
    fn add(&mut self, group: &Group, val: &Val, parent: u32, place: u64) -> bool {
        let Val::Value(value) = val else {
            return self.add_formula(group, val, parent, place);
        };
        self.add_value(group, value, parent, place)
    }

    /// A formula is a tuple of its leaves; what is around them is told by the number of the tuple.
    fn add_formula(&mut self, group: &Group, val: &Val, parent: u32, place: u64) -> bool {
        let blank = val.map_leaves(&mut |_| Some(Value::Bool(false)));
        let node = self.push(Kind::Inner(hash_of(blank.as_ref().unwrap_or(val))), parent, place);
        let mut has_points = false;
        let mut leaf_place = 0;
        val.for_each_leaf(&mut |leaf| {
            leaf_place += 1;
            has_points |= self.add_value(group, leaf, node, leaf_place);
        });
        has_points
    }

    fn add_value(&mut self, group: &Group, value: &Value, parent: u32, place: u64) -> bool {
        let node = match value {
            Value::Element { set, index } => {
                return match group.point(*set, *index) {
                    Some(point) => {
                        self.push(Kind::Point(point), parent, place);
                        true
                    }
                    None => self.add_atom(value, parent, place),
                };
            }
            Value::Pair(_) => self.push(Kind::Inner(PAIR), parent, place),
            Value::Record(record) => self.push(Kind::Inner(mix2(1, u64::from(record.shape()))), parent, place),
            Value::Free(free) => {
                let label = mix2(u64::from(free.free_type()) + 2, u64::from(free.constructor()));
                self.push(Kind::Inner(label), parent, place)
            }
            Value::Set(_) => self.push(Kind::Inner(SET), parent, place),
            _ => return self.add_atom(value, parent, place),
        };
        let has_points = match value {
            Value::Pair(pair) => {
                let first = self.add_value(group, &pair.0, node, 1);
                self.add_value(group, &pair.1, node, 2) || first
            }
            Value::Record(record) => (1..)
                .zip(record.fields())
                .fold(false, |has_points, (place, field)| self.add_value(group, field, node, place) || has_points),
            Value::Free(free) => {
                free.arg().is_some_and(|arg| abridge_diag::with_stack(|| self.add_value(group, arg, node, 1)))
            }
            Value::Set(set) => self.add_members(group, set, node),
            _ => false,
        };
        if !has_points {
            self.nodes.truncate(node as usize);
            self.add_atom(value, parent, place);
        }
        has_points
    }

    fn add_members(&mut self, group: &Group, set: &abridge_value::Set, node: u32) -> bool {
        let mut has_points = false;
        if let Some(items) = set.as_slice() {
            for item in items {
                has_points |= self.add_value(group, item, node, MEMBER);
            }
            return has_points;
        }
        // Numbers and booleans have no points; elements may, and pairs of them.
        let is_inert = match set.first() {
            Some(Value::Element { set: carrier, .. }) => !group.moves(carrier),
            Some(Value::Int(_) | Value::BigInt(_) | Value::Bool(_)) | None => true,
            Some(_) => false,
        };
        if !is_inert {
            for item in set {
                has_points |= self.add_value(group, &item, node, MEMBER);
            }
        }
        has_points
    }

    fn add_atom(&mut self, value: &Value, parent: u32, place: u64) -> bool {
        self.push(Kind::Atom(value.stable_hash()), parent, place);
        false
    }

    /// Whether no member of an outermost set holds two points. What surrounds an occurrence then does not depend on colours, and points
    /// with equal surroundings can be exchanged.
    pub(super) fn is_unary(&self) -> bool {
        let mut n_points = 0;
        for node in &self.nodes {
            // A member's nodes are contiguous.
            if node.is_open || self.nodes[node.parent as usize].is_open {
                n_points = 0;
            }
            n_points += u32::from(!node.is_open && matches!(node.kind, Kind::Point(_)));
            if n_points > 1 {
                return false;
            }
        }
        true
    }

    /// The number of the whole value.
    pub(super) fn hash(&self, colours: &[u64], sweep: &mut Sweep) -> u64 {
        self.upwards(colours, sweep);
        sweep.up.first().copied().unwrap_or(0)
    }

    fn upwards(&self, colours: &[u64], sweep: &mut Sweep) {
        sweep.up.clear();
        sweep.up.resize(self.nodes.len(), 0);
        for (idx, node) in self.nodes.iter().enumerate().rev() {
            let number = match node.kind {
                Kind::Point(point) => mix(colours[point as usize]),
                Kind::Atom(number) => mix(number ^ 0xa70),
                Kind::Inner(label) => mix(sweep.up[idx] ^ label),
            };
            sweep.up[idx] = number;
            if idx > 0 {
                let parent = &mut sweep.up[node.parent as usize];
                *parent = parent.wrapping_add(mix(number ^ node.place.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
            }
        }
    }

    /// Calls `each` with every occurrence of a point and the number of what surrounds it.
    pub(super) fn surroundings(&self, colours: &[u64], sweep: &mut Sweep, mut each: impl FnMut(u32, u64)) {
        self.upwards(colours, sweep);
        sweep.down.clear();
        sweep.down.resize(self.nodes.len(), 0);
        for (idx, node) in self.nodes.iter().enumerate().skip(1) {
            let parent = node.parent as usize;
            let beside = if self.nodes[parent].is_open { 0 } else { sweep.up[parent] };
            let surroundings = || mix(sweep.down[parent].rotate_left(17) ^ beside ^ node.place);
            match node.kind {
                Kind::Point(point) => each(point, surroundings()),
                Kind::Inner(_) => sweep.down[idx] = surroundings(),
                Kind::Atom(_) => {}
            }
        }
    }
}

fn hash_of(hashable: &impl Hash) -> u64 {
    FxBuildHasher.hash_one(hashable)
}
