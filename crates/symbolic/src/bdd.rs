//! Reduced ordered binary decision diagrams with complement edges.
//!
//! A [`Manager`] owns all nodes; a [`Bdd`] is a handle that keeps its nodes alive. Variables come in pairs: variable `2k` is a bit of a state, variable
//! `2k + 1` the same bit of the next state, and the two stay on adjacent levels whatever the order. Images (`image.rs`) rest on that. Nodes are
//! collected and levels reordered (`reorder.rs`) only between operations, so operations see neither. Two diagrams of one function are one edge; if that
//! failed, fixpoints would not be noticed.
//!
//! Every operation ends in a [`BddStop`] when the node budget is used up or the stop flag is set; handles stay valid then.

mod apply;
mod arranged;
mod compose;
mod count;
mod counted;
mod image;
mod reorder;

use std::cell::RefCell;
use std::rc::Rc;

use abridge_diag::StopFlag;
use rustc_hash::FxHashMap;

pub use apply::MapId;
use apply::OpCache;
pub use counted::{BlockChange, BlockRecord, Counting, CountingReader};

/// The reason why an operation has no result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BddStop {
    /// The node budget is used up.
    Nodes,
    /// The stop flag was set.
    Stopped,
}

pub type Made<T> = Result<T, BddStop>;

/// Number of a variable, whatever its level.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Var(pub u32);

impl Var {
    /// The same bit of the next state.
    pub fn next(self) -> Var {
        Var(self.0 | 1)
    }
}

/// A node and whether the function is negated: the node's number, shifted, and a bit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct BddEdge(u32);

const TRUE: BddEdge = BddEdge(0);
const FALSE: BddEdge = BddEdge(1);
/// The variable of the terminal and of free nodes.
const NO_VAR: u32 = u32::MAX;
/// The end of a chain of nodes.
const NO_NODE: u32 = u32::MAX;
/// The level of the terminal, below all others.
const BOTTOM: u32 = u32::MAX;

impl BddEdge {
    fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    fn not(self) -> BddEdge {
        BddEdge(self.0 ^ 1)
    }

    fn not_if(self, condition: bool) -> BddEdge {
        BddEdge(self.0 ^ u32::from(condition))
    }

    fn is_constant(self) -> bool {
        self.0 < 2
    }
}

/// A decision; the edge to `hi` is never negated.
#[derive(Clone, Copy)]
struct BddNode {
    var: u32,
    hi: BddEdge,
    lo: BddEdge,
    /// The next node with the same hash in the table of the variable, or the next free node.
    next: u32,
}

/// The nodes of one variable, by their children.
#[derive(Default)]
struct VarTable {
    heads: Vec<u32>,
    len: usize,
}

/// Numbers of handles, by node.
type Pins = RefCell<FxHashMap<u32, u32>>;

/// A boolean function. Its nodes live as long as the handle.
#[derive(Debug)]
pub struct Bdd {
    edge: BddEdge,
    pins: Rc<Pins>,
}

impl Bdd {
    fn new(edge: BddEdge, pins: &Rc<Pins>) -> Bdd {
        *pins.borrow_mut().entry(edge.0 >> 1).or_insert(0) += 1;
        Bdd { edge, pins: pins.clone() }
    }

    pub fn is_false(&self) -> bool {
        self.edge == FALSE
    }

    pub fn is_true(&self) -> bool {
        self.edge == TRUE
    }

    /// The negation, which needs no node.
    #[must_use]
    pub fn not(&self) -> Bdd {
        Bdd::new(self.edge.not(), &self.pins)
    }
}

impl Clone for Bdd {
    fn clone(&self) -> Bdd {
        Bdd::new(self.edge, &self.pins)
    }
}

impl Drop for Bdd {
    fn drop(&mut self) {
        let mut pins = self.pins.borrow_mut();
        if let Some(count) = pins.get_mut(&(self.edge.0 >> 1)) {
            *count -= 1;
            if *count == 0 {
                pins.remove(&(self.edge.0 >> 1));
            }
        }
    }
}

impl PartialEq for Bdd {
    fn eq(&self, other: &Bdd) -> bool {
        self.edge == other.edge
    }
}

impl Eq for Bdd {}

/// Nodes before the first collection, and before the first reordering.
const FIRST_COLLECTION_NODES: usize = 1 << 16;
const FIRST_REORDERING_NODES: usize = 1 << 14;
/// Decisions for each node between two counts of the nodes that handles need: counting takes some hundredths of the time.
const DECISIONS_PER_COUNTED_NODE: u64 = 16;
/// Larger hash tables are made smaller.
const MAX_HEADS_PER_NODE: usize = 8;
/// Decisions between two looks at the stop flag. Those that exist already count too: a long operation may make none that is new.
const DECISIONS_PER_POLL: u32 = 1 << 11;

/// All nodes, and the order of the variables.
pub struct Manager {
    nodes: Vec<BddNode>,
    free: u32,
    n_used: usize,
    tables: Vec<VarTable>,
    level_of: Vec<u32>,
    var_at: Vec<u32>,
    pins: Rc<Pins>,
    cache: OpCache,
    max_nodes: usize,
    next_collection: usize,
    /// Nodes in use before the next reordering; nothing if the order is fixed.
    next_reordering: Option<usize>,
    peak: usize,
    /// Nodes that handles needed, the most of all times when they were counted, and when they are counted next.
    live_peak: usize,
    next_count: u64,
    n_reorderings: u32,
    /// Decisions that operations asked for, and nodes that reorderings looked at.
    n_decisions: u64,
    n_moves: u64,
    until_poll: u32,
    stop: StopFlag,
    /// Maps of variables that were registered, with the last level that each moves.
    maps: Vec<Vec<u32>>,
}

impl Manager {
    /// Nodes for so many pairs of variables, each a bit and its next value, in the order of their numbers.
    pub fn new(n_pairs: usize, max_nodes: usize, stop: StopFlag) -> Manager {
        let n_vars = 2 * n_pairs as u32;
        Manager {
            nodes: vec![BddNode { var: NO_VAR, hi: TRUE, lo: TRUE, next: NO_NODE }],
            free: NO_NODE,
            n_used: 1,
            tables: (0..n_vars).map(|_| VarTable::default()).collect(),
            level_of: (0..n_vars).collect(),
            var_at: (0..n_vars).collect(),
            pins: Rc::default(),
            cache: OpCache::default(),
            max_nodes: max_nodes.clamp(1 << 10, 1 << 30),
            next_collection: FIRST_COLLECTION_NODES,
            next_reordering: None,
            peak: 1,
            live_peak: 1,
            next_count: FIRST_COLLECTION_NODES as u64,
            n_reorderings: 0,
            n_decisions: 0,
            n_moves: 0,
            until_poll: DECISIONS_PER_POLL,
            stop,
            maps: Vec::new(),
        }
    }

    /// An empty manager for other variables, with the same stop flag. The two share the node budget: the new one gets three quarters of what is free.
    pub fn split(&mut self, n_pairs: usize) -> Manager {
        self.collect();
        let quarter = self.max_nodes.saturating_sub(self.n_used) / 4;
        self.max_nodes = self.n_used + quarter;
        Manager::new(n_pairs, 3 * quarter, self.stop.clone())
    }

    /// The stop flag is set.
    pub fn is_stopped(&self) -> bool {
        self.stop.is_raised()
    }

    /// Lets the order of variables change when diagrams grow.
    pub fn allow_reordering(&mut self) {
        self.next_reordering = Some(FIRST_REORDERING_NODES);
    }

    pub fn constant(&self, value: bool) -> Bdd {
        Bdd::new(if value { TRUE } else { FALSE }, &self.pins)
    }

    pub fn var(&mut self, var: Var) -> Made<Bdd> {
        let edge = self.make(var.0, TRUE, FALSE)?;
        Ok(Bdd::new(edge, &self.pins))
    }

    /// The conjunction of variables.
    pub fn cube(&mut self, vars: impl IntoIterator<Item = Var>) -> Made<Bdd> {
        let mut vars: Vec<u32> = vars.into_iter().map(|var| var.0).collect();
        vars.sort_unstable_by_key(|var| std::cmp::Reverse(self.level_of[*var as usize]));
        let mut edge = TRUE;
        for var in vars {
            edge = self.make(var, edge, FALSE)?;
        }
        Ok(Bdd::new(edge, &self.pins))
    }

    /// The function that holds under one assignment of some variables.
    pub fn assignment(&mut self, values: impl IntoIterator<Item = (Var, bool)>) -> Made<Bdd> {
        let mut values: Vec<(Var, bool)> = values.into_iter().collect();
        values.sort_unstable_by_key(|(var, _)| std::cmp::Reverse(self.level_of[var.0 as usize]));
        let mut edge = TRUE;
        for (Var(var), value) in values {
            edge = if value { self.make(var, edge, FALSE)? } else { self.make(var, FALSE, edge)? };
        }
        Ok(Bdd::new(edge, &self.pins))
    }

    /// The disjunction of many functions.
    pub fn any(&mut self, mut parts: Vec<Bdd>) -> Made<Bdd> {
        while parts.len() > 1 {
            let mut halved = Vec::with_capacity(parts.len().div_ceil(2));
            for pair in parts.chunks(2) {
                halved.push(match pair {
                    [left, right] => self.or(left, right)?,
                    only => only[0].clone(),
                });
            }
            parts = halved;
        }
        Ok(parts.pop().unwrap_or_else(|| self.constant(false)))
    }

    /// The level of a variable.
    pub fn level_of(&self, var: Var) -> u32 {
        self.level_of[var.0 as usize]
    }

    /// Nodes of a function.
    pub fn size(&self, bdd: &Bdd) -> usize {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut open = vec![bdd.edge.node()];
        while let Some(node) = open.pop() {
            if seen.insert(node) && node != 0 {
                open.extend([self.nodes[node].hi.node(), self.nodes[node].lo.node()]);
            }
        }
        seen.len()
    }

    /// Nodes in use, those that nothing refers to included.
    pub fn n_nodes(&self) -> usize {
        self.n_used
    }

    /// Most nodes in use at any time, those that nothing referred to included.
    pub fn peak_nodes(&self) -> usize {
        self.peak
    }

    /// Most nodes that handles needed, of all times when they were counted: at collections, now and then between operations, and now.
    pub fn live_nodes(&self) -> usize {
        self.live_peak.max(self.live().1)
    }

    pub fn n_reorderings(&self) -> u32 {
        self.n_reorderings
    }

    /// Bytes of all tables. Room for nodes that was never used is no memory yet.
    pub fn bytes(&self) -> u64 {
        let heads: usize = self.tables.iter().map(|table| table.heads.len()).sum();
        (self.nodes.len() * size_of::<BddNode>() + heads * size_of::<u32>()) as u64 + self.cache.bytes()
    }

    /// The level of an edge's node.
    fn level(&self, edge: BddEdge) -> u32 {
        match self.nodes[edge.node()].var {
            NO_VAR => BOTTOM,
            var => self.level_of[var as usize],
        }
    }

    /// The cofactors of an edge where the variable at a level is true and false.
    fn cofactors(&self, edge: BddEdge, level: u32) -> (BddEdge, BddEdge) {
        if self.level(edge) != level {
            return (edge, edge);
        }
        let BddNode { hi, lo, .. } = self.nodes[edge.node()];
        (hi.not_if(edge.is_negated()), lo.not_if(edge.is_negated()))
    }

    /// The edge of a decision, which exists once.
    fn make(&mut self, var: u32, hi: BddEdge, lo: BddEdge) -> Made<BddEdge> {
        if hi == lo {
            return Ok(hi);
        }
        if hi.is_negated() {
            return Ok(self.find_or_add(var, hi.not(), lo.not())?.not());
        }
        self.find_or_add(var, hi, lo)
    }

    fn find_or_add(&mut self, var: u32, hi: BddEdge, lo: BddEdge) -> Made<BddEdge> {
        self.until_poll -= 1;
        if self.until_poll == 0 {
            self.until_poll = DECISIONS_PER_POLL;
            self.n_decisions += u64::from(DECISIONS_PER_POLL);
            if self.stop.is_raised() {
                return Err(BddStop::Stopped);
            }
        }
        if let Some(node) = self.find(var, hi, lo) {
            return Ok(BddEdge(node << 1));
        }
        if self.n_used >= self.max_nodes {
            return Err(BddStop::Nodes);
        }
        Ok(BddEdge(self.add(var, hi, lo) << 1))
    }

    fn find(&self, var: u32, hi: BddEdge, lo: BddEdge) -> Option<u32> {
        let table = &self.tables[var as usize];
        if table.heads.is_empty() {
            return None;
        }
        let mut at = table.heads[hash(hi, lo) & (table.heads.len() - 1)];
        while at != NO_NODE {
            let node = &self.nodes[at as usize];
            if node.hi == hi && node.lo == lo {
                return Some(at);
            }
            at = node.next;
        }
        None
    }

    /// Adds a node that does not exist.
    fn add(&mut self, var: u32, hi: BddEdge, lo: BddEdge) -> u32 {
        let node = BddNode { var, hi, lo, next: NO_NODE };
        let number = if self.free == NO_NODE {
            self.nodes.push(node);
            self.nodes.len() as u32 - 1
        } else {
            let number = self.free;
            self.free = self.nodes[number as usize].next;
            self.nodes[number as usize] = node;
            number
        };
        self.n_used += 1;
        self.peak = self.peak.max(self.n_used);
        self.link(number);
        number
    }

    /// Puts a node into the table of its variable.
    fn link(&mut self, number: u32) {
        let BddNode { var, hi, lo, .. } = self.nodes[number as usize];
        let table = &mut self.tables[var as usize];
        if table.len >= table.heads.len() {
            let (n_heads, old) = ((table.heads.len() * 2).max(16), std::mem::take(&mut table.heads));
            table.heads = vec![NO_NODE; n_heads];
            for head in old {
                let mut at = head;
                while at != NO_NODE {
                    let node = &mut self.nodes[at as usize];
                    let slot = hash(node.hi, node.lo) & (n_heads - 1);
                    let following = std::mem::replace(&mut node.next, table.heads[slot]);
                    table.heads[slot] = at;
                    at = following;
                }
            }
        }
        let slot = hash(hi, lo) & (table.heads.len() - 1);
        self.nodes[number as usize].next = table.heads[slot];
        table.heads[slot] = number;
        table.len += 1;
    }

    /// Takes a node out of the table of its variable.
    fn unlink(&mut self, number: u32) {
        let BddNode { var, hi, lo, next } = self.nodes[number as usize];
        let table = &mut self.tables[var as usize];
        let slot = hash(hi, lo) & (table.heads.len() - 1);
        table.len -= 1;
        if table.heads[slot] == number {
            table.heads[slot] = next;
            return;
        }
        let mut at = table.heads[slot];
        while self.nodes[at as usize].next != number {
            at = self.nodes[at as usize].next;
        }
        self.nodes[at as usize].next = next;
    }

    fn release(&mut self, number: u32) {
        self.nodes[number as usize] = BddNode { var: NO_VAR, hi: TRUE, lo: TRUE, next: self.free };
        self.free = number;
        self.n_used -= 1;
    }

    /// Which nodes some handle needs, and how many they are.
    fn live(&self) -> (Vec<bool>, usize) {
        let mut is_live = vec![false; self.nodes.len()];
        is_live[0] = true;
        let mut n_live = 1;
        let mut open: Vec<u32> = self.pins.borrow().keys().copied().collect();
        while let Some(number) = open.pop() {
            if !std::mem::replace(&mut is_live[number as usize], true) {
                n_live += 1;
                let BddNode { hi, lo, .. } = self.nodes[number as usize];
                open.extend([hi.0 >> 1, lo.0 >> 1]);
            }
        }
        (is_live, n_live)
    }

    /// Frees all nodes that no handle needs.
    pub fn collect(&mut self) {
        let (is_live, n_live) = self.live();
        self.note_live(n_live);
        for table in &mut self.tables {
            if table.heads.len() > MAX_HEADS_PER_NODE * table.len.max(16) {
                table.heads = Vec::new();
            }
            table.heads.fill(NO_NODE);
            table.len = 0;
        }
        for number in 1..self.nodes.len() as u32 {
            if self.nodes[number as usize].var == NO_VAR {
                continue;
            }
            if is_live[number as usize] { self.link(number) } else { self.release(number) }
        }
        self.cache.clear();
    }

    fn note_live(&mut self, n_live: usize) {
        self.live_peak = self.live_peak.max(n_live);
        self.next_count = self.n_decisions + DECISIONS_PER_COUNTED_NODE * self.nodes.len() as u64;
    }

    /// Collects and reorders where that is due. Called before operations, whose operands have handles.
    fn prepare(&mut self) {
        if self.n_used >= self.next_collection {
            self.collect();
            if self.next_reordering.is_some_and(|next| self.n_used >= next) && self.has_time_to_reorder() {
                self.reorder();
                self.next_reordering = Some((self.n_used * 2).max(FIRST_REORDERING_NODES));
            }
            self.next_collection = (self.n_used * 2).max(FIRST_COLLECTION_NODES);
        }
        if self.n_decisions >= self.next_count {
            let (_, n_live) = self.live();
            self.note_live(n_live);
        }
        self.cache.grow_to(self.n_used, self.max_nodes);
    }

    /// Runs an operation; once more after a collection if it ran out of nodes.
    fn run(&mut self, operation: impl Fn(&mut Manager) -> Made<BddEdge>) -> Made<Bdd> {
        self.prepare();
        let mut result = operation(self);
        if result == Err(BddStop::Nodes) {
            self.collect();
            result = operation(self);
        }
        Ok(Bdd::new(result?, &self.pins))
    }
}

fn hash(hi: BddEdge, lo: BddEdge) -> usize {
    let mixed = (u64::from(hi.0) << 32 | u64::from(lo.0)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed >> 32) as usize
}

#[cfg(test)]
mod tests;
