//! The search for a small stubborn set.
//!
//! Errors come first, and what they need is in every set. For deadlocks something must be in it that disables an enabled instance: each
//! enabled instance is tried, with all that follows, and the set with the fewest enabled instances is taken.

use abridge_blast::Evaluation;
use abridge_deps::{Facts, GuardId, NodeId};
use abridge_value::BitSet;

pub(super) struct Chooser {
    evaluation: Evaluation,
    /// Values of guards in the state at hand; nothing where there is no circuit.
    values: Vec<(u32, Option<bool>)>,
    now: u32,
    base: Closure,
    trial: Closure,
    best: Closure,
}

/// A set of nodes and what follows from it.
#[derive(Clone, Default)]
struct Closure {
    nodes: BitSet,
    /// Nodes of which nothing has followed yet.
    open: Vec<NodeId>,
    /// How many of the nodes are enabled.
    n_enabled: usize,
}

/// What a state is like.
struct Scene<'a> {
    facts: &'a Facts,
    bits: &'a BitSet,
    enabled: &'a BitSet,
}

impl Closure {
    fn clear(&mut self) {
        self.nodes.clear();
        self.open.clear();
        self.n_enabled = 0;
    }

    fn copy_from(&mut self, other: &Closure) {
        self.clear();
        self.nodes.union_with(&other.nodes);
        self.n_enabled = other.n_enabled;
    }

    fn add(&mut self, scene: &Scene<'_>, node: NodeId) {
        if self.nodes.insert(node) {
            self.open.push(node);
            self.n_enabled += usize::from(scene.enabled.contains(node));
        }
    }

    fn add_all(&mut self, scene: &Scene<'_>, nodes: &BitSet) {
        nodes.iter().for_each(|node| self.add(scene, node));
    }
}

impl Chooser {
    pub(super) fn new(facts: &Facts) -> Chooser {
        let empty = Closure { nodes: BitSet::with_room(facts.n_nodes()), ..Closure::default() };
        Chooser {
            evaluation: Evaluation::default(),
            values: Vec::new(),
            now: 0,
            base: empty.clone(),
            trial: empty.clone(),
            best: empty,
        }
    }

    /// A stubborn set for a state given by its true places and its enabled instances.
    pub(super) fn choose(&mut self, facts: &Facts, bits: &BitSet, enabled: &BitSet) -> &BitSet {
        self.begin();
        let scene = Scene { facts, bits, enabled };
        let mut base = std::mem::take(&mut self.base);
        base.clear();
        facts.errors().for_each(|error| base.add(&scene, error));
        self.close(&scene, &mut base, enabled.len());
        if facts.may_deadlock() && !enabled.iter().any(|node| facts.disablers(node).is_within(&base.nodes)) {
            self.cover_deadlocks(&scene, &base);
        } else {
            self.best.copy_from(&base);
        }
        self.base = base;
        &self.best.nodes
    }

    /// Adds to a set what can disable some enabled instance, whichever makes the set smallest.
    fn cover_deadlocks(&mut self, scene: &Scene<'_>, base: &Closure) {
        let (mut best, mut trial) = (std::mem::take(&mut self.best), std::mem::take(&mut self.trial));
        best.copy_from(base);
        let mut fewest = usize::MAX;
        for node in scene.enabled.iter() {
            trial.copy_from(base);
            trial.add_all(scene, scene.facts.disablers(node));
            if self.close(scene, &mut trial, fewest) && trial.n_enabled < fewest {
                fewest = trial.n_enabled;
                std::mem::swap(&mut best, &mut trial);
            }
            if fewest <= base.n_enabled {
                break;
            }
        }
        (self.trial, self.best) = (trial, best);
    }

    /// Adds what follows; false, and not finished, if that has as many enabled instances as `limit` and so is of no use.
    fn close(&mut self, scene: &Scene<'_>, set: &mut Closure, limit: usize) -> bool {
        while let Some(node) = set.open.pop() {
            if set.n_enabled >= limit {
                // All that is enabled may be taken in any case.
                set.nodes.union_with(scene.enabled);
                set.n_enabled = scene.enabled.len();
                set.open.clear();
                return false;
            }
            if scene.enabled.contains(node) {
                set.add_all(scene, scene.facts.discords(node));
            } else {
                self.add_enabling(scene, node, set);
            }
        }
        true
    }

    /// Adds a necessary enabling set of a node that is not enabled.
    fn add_enabling(&mut self, scene: &Scene<'_>, node: NodeId, set: &mut Closure) {
        let facts = scene.facts;
        let (mut best, mut fewest) = (None, (usize::MAX, usize::MAX));
        let mut is_open = false;
        for guard in facts.guards_of(node).iter().copied() {
            match self.value(scene, guard) {
                Some(true) => {}
                Some(false) => {
                    let enablers = facts.enablers(guard);
                    let cost =
                        (enablers.count_new(scene.enabled, &set.nodes), enablers.count_new(enablers, &set.nodes));
                    if cost < fewest {
                        (best, fewest) = (Some(enablers), cost);
                    }
                    if cost == (0, 0) {
                        return;
                    }
                }
                None => is_open = true,
            }
        }
        match best {
            Some(enablers) => set.add_all(scene, enablers),
            // One of the guards whose value is not known is false, or something is not as the circuits say.
            None if is_open => {
                for guard in facts.guards_of(node).iter().copied() {
                    if self.value(scene, guard).is_none() {
                        set.add_all(scene, facts.enablers(guard));
                    }
                }
            }
            None => set.add_all(scene, facts.writers(node)),
        }
    }

    /// An ample set with the conditions A1, A2.1 and A2.2 of Koerner and Leuschel, "Towards practical partial order reduction for high-level
    /// formalisms", section 2; all that is enabled if none is smaller.
    ///
    /// Enabled instances that do not accord with a member are members (A2.1). Whatever else does not accord with a member, and every error,
    /// must not become enabled by instances outside (A2.2): then it is stubborn, with all these as disabled members.
    pub(super) fn choose_ample(&mut self, facts: &Facts, bits: &BitSet, enabled: &BitSet) -> &BitSet {
        let scene = Scene { facts, bits, enabled };
        let mut best: Option<BitSet> = None;
        for seed in enabled.iter() {
            let ample = direct(&scene, seed);
            if best.as_ref().is_none_or(|best| ample.len() < best.len()) && is_closed(&scene, &ample) {
                best = Some(ample);
            }
        }
        self.best.nodes = best.unwrap_or_else(|| enabled.clone());
        &self.best.nodes
    }

    fn begin(&mut self) {
        self.evaluation.begin();
        self.now = self.now.wrapping_add(1);
        if self.now == 0 {
            self.values.clear();
            self.now = 1;
        }
    }

    fn value(&mut self, scene: &Scene<'_>, guard: GuardId) -> Option<bool> {
        if self.values.len() <= guard {
            self.values.resize(guard + 1, (0, None));
        }
        let (stamp, value) = self.values[guard];
        if stamp == self.now {
            return value;
        }
        let value = scene.facts.guard_value(guard, &mut self.evaluation, scene.bits);
        self.values[guard] = (self.now, value);
        value
    }
}

/// The enabled instances that follow from one by A2.1.
fn direct(scene: &Scene<'_>, seed: NodeId) -> BitSet {
    let mut ample = BitSet::with_room(scene.facts.n_nodes());
    let mut open = vec![seed];
    ample.insert(seed);
    while let Some(node) = open.pop() {
        for other in scene.facts.discords(node).common(scene.enabled) {
            if ample.insert(other) {
                open.push(other);
            }
        }
    }
    ample
}

/// Whether nothing outside enables what depends on a member, or an error (A2.2).
fn is_closed(scene: &Scene<'_>, ample: &BitSet) -> bool {
    let facts = scene.facts;
    let mut disabled: BitSet = facts.errors().collect();
    ample.iter().for_each(|node| disabled.union_with(facts.discords(node)));
    let is_safe = |node: NodeId| {
        let guards = facts.guards_of(node);
        guards.iter().all(|guard| facts.enablers(*guard).is_within(ample))
    };
    disabled.iter().filter(|node| !scene.enabled.contains(*node)).all(is_safe)
}
