//! The search for a small stubborn set.
//!
//! Errors come first, and what they need is in every set. For deadlocks something must be in it that disables an enabled instance: each
//! enabled instance is tried, with all that follows, and the set with the fewest enabled instances is taken.

use abridge_blast::Evaluation;
use abridge_deps::{Dependencies, EventId, GuardId};
use abridge_value::BitSet;

pub(super) struct Chooser {
    evaluation: Evaluation,
    /// Values of guards in the state at hand; nothing where there is no circuit.
    values: Vec<(u32, Option<bool>)>,
    now: u32,
    base: EventClosure,
    trial: EventClosure,
    best: EventClosure,
}

/// A set of events and what follows from it.
#[derive(Clone, Default)]
struct EventClosure {
    events: BitSet,
    /// Nodes of which nothing has followed yet.
    open: Vec<EventId>,
    /// How many of the events are enabled.
    n_enabled: usize,
}

/// What a state is like.
struct EventStatus<'a> {
    dependencies: &'a Dependencies,
    bits: &'a BitSet,
    enabled: &'a BitSet,
}

impl EventClosure {
    fn clear(&mut self) {
        self.events.clear();
        self.open.clear();
        self.n_enabled = 0;
    }

    fn copy_from(&mut self, other: &EventClosure) {
        self.clear();
        self.events.union_with(&other.events);
        self.n_enabled = other.n_enabled;
    }

    fn add(&mut self, scene: &EventStatus<'_>, event: EventId) {
        if self.events.insert(event) {
            self.open.push(event);
            self.n_enabled += usize::from(scene.enabled.contains(event));
        }
    }

    fn add_all(&mut self, scene: &EventStatus<'_>, events: &BitSet) {
        events.iter().for_each(|event| self.add(scene, event));
    }
}

impl Chooser {
    pub(super) fn new(dependencies: &Dependencies) -> Chooser {
        let empty = EventClosure { events: BitSet::with_room(dependencies.n_events()), ..EventClosure::default() };
        Chooser {
            evaluation: Evaluation::default(),
            values: Vec::new(),
            now: 0,
            base: empty.clone(),
            trial: empty.clone(),
            best: empty,
        }
    }

    /// A stubborn set for a state given by its true cells and its enabled instances.
    pub(super) fn choose(&mut self, dependencies: &Dependencies, bits: &BitSet, enabled: &BitSet) -> &BitSet {
        self.begin();
        let scene = EventStatus { dependencies, bits, enabled };
        let mut base = std::mem::take(&mut self.base);
        base.clear();
        dependencies.errors().for_each(|error| base.add(&scene, error));
        self.close(&scene, &mut base, enabled.len());
        if dependencies.may_deadlock()
            && !enabled.iter().any(|event| dependencies.disablers(event).is_within(&base.events))
        {
            self.cover_deadlocks(&scene, &base);
        } else {
            self.best.copy_from(&base);
        }
        self.base = base;
        &self.best.events
    }

    /// A stubborn set that formulas of linear time allow, with as few enabled instances as there are (conditions V and I of `paths.rs`): with all instances that are noticed in some state, and one
    /// that is not; or with none that is noticed, which puts noticed steps off, as the answer says. `noticed` are those that are enabled, and `closing` those that no set has that puts steps off;
    /// without them, none may.
    pub(super) fn choose_linear(
        &mut self,
        dependencies: &Dependencies,
        (bits, enabled): (&BitSet, &BitSet),
        noticed: &BitSet,
        closing: Option<&BitSet>,
    ) -> bool {
        self.begin();
        let scene = EventStatus { dependencies, bits, enabled };
        let mut fewest = self.take_all(&scene);
        let unnoticed = || enabled.iter().filter(|event| !noticed.contains(*event));
        let mut base = std::mem::take(&mut self.base);
        base.clear();
        base.add_all(&scene, dependencies.noticed());
        if self.close(&scene, &mut base, fewest) {
            match unnoticed().find(|event| base.events.contains(*event)) {
                Some(event) => self.improve(&scene, Some(&base), event, &BitSet::default(), &mut fewest),
                None => unnoticed()
                    .for_each(|event| self.improve(&scene, Some(&base), event, &BitSet::default(), &mut fewest)),
            }
        }
        self.base = base;
        let Some(closing) = closing else { return false };
        let before = fewest;
        let mut shunned = noticed.clone();
        shunned.union_with(closing);
        for event in enabled.iter().filter(|event| !shunned.contains(*event)) {
            self.improve(&scene, None, event, &shunned, &mut fewest);
        }
        fewest < before
    }

    /// A stubborn set with one of these instances and nothing else that is enabled; all that is enabled if there is none.
    pub(super) fn choose_single(
        &mut self,
        dependencies: &Dependencies,
        (bits, enabled): (&BitSet, &BitSet),
        single: &BitSet,
    ) {
        self.begin();
        let scene = EventStatus { dependencies, bits, enabled };
        // Two are too many.
        let mut fewest = self.take_all(&scene).min(2);
        for event in single.iter() {
            self.improve(&scene, None, event, &BitSet::default(), &mut fewest);
        }
    }

    /// The set that was chosen last.
    pub(super) fn chosen(&self) -> &BitSet {
        &self.best.events
    }

    /// Begins with all that is enabled.
    fn take_all(&mut self, scene: &EventStatus<'_>) -> usize {
        self.best.clear();
        self.best.add_all(scene, scene.enabled);
        scene.enabled.len()
    }

    /// Takes what follows from a set and an instance, if that has fewer enabled instances than the best set so far and none of the shunned ones.
    fn improve(
        &mut self,
        scene: &EventStatus<'_>,
        base: Option<&EventClosure>,
        event: EventId,
        shunned: &BitSet,
        fewest: &mut usize,
    ) {
        if *fewest <= 1 {
            return;
        }
        let mut trial = std::mem::take(&mut self.trial);
        match base {
            Some(base) => trial.copy_from(base),
            None => trial.clear(),
        }
        trial.add(scene, event);
        if self.close(scene, &mut trial, *fewest) && trial.n_enabled < *fewest && !trial.events.intersects(shunned) {
            *fewest = trial.n_enabled;
            self.best.copy_from(&trial);
        }
        self.trial = trial;
    }

    /// Adds to a set what can disable some enabled instance, whichever makes the set smallest.
    fn cover_deadlocks(&mut self, scene: &EventStatus<'_>, base: &EventClosure) {
        let (mut best, mut trial) = (std::mem::take(&mut self.best), std::mem::take(&mut self.trial));
        best.copy_from(base);
        let mut fewest = usize::MAX;
        for event in scene.enabled.iter() {
            trial.copy_from(base);
            trial.add_all(scene, scene.dependencies.disablers(event));
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
    fn close(&mut self, scene: &EventStatus<'_>, set: &mut EventClosure, limit: usize) -> bool {
        while let Some(event) = set.open.pop() {
            if set.n_enabled >= limit {
                // All that is enabled may be taken in any case.
                set.events.union_with(scene.enabled);
                set.n_enabled = scene.enabled.len();
                set.open.clear();
                return false;
            }
            if scene.enabled.contains(event) {
                set.add_all(scene, scene.dependencies.discords(event));
            } else {
                self.add_enabling(scene, event, set);
            }
        }
        true
    }

    /// Adds a necessary enabling set of a event that is not enabled.
    fn add_enabling(&mut self, scene: &EventStatus<'_>, event: EventId, set: &mut EventClosure) {
        let dependencies = scene.dependencies;
        let (mut best, mut fewest) = (None, (usize::MAX, usize::MAX));
        let mut is_open = false;
        for guard in dependencies.guards_of(event).iter().copied() {
            match self.value(scene, guard) {
                Some(true) => {}
                Some(false) => {
                    let enablers = dependencies.enablers(guard);
                    let cost =
                        (enablers.count_new(scene.enabled, &set.events), enablers.count_new(enablers, &set.events));
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
                for guard in dependencies.guards_of(event).iter().copied() {
                    if self.value(scene, guard).is_none() {
                        set.add_all(scene, dependencies.enablers(guard));
                    }
                }
            }
            None => set.add_all(scene, dependencies.writers(event)),
        }
    }

    /// An ample set with the conditions A1, A2.1 and A2.2 of Koerner and Leuschel, "Towards practical partial order reduction for high-level
    /// formalisms", section 2; all that is enabled if none is smaller.
    ///
    /// Enabled instances that do not accord with a member are members (A2.1). Whatever else does not accord with a member, and every error,
    /// must not become enabled by instances outside (A2.2): then it is stubborn, with all these as disabled members.
    pub(super) fn choose_ample(&mut self, dependencies: &Dependencies, bits: &BitSet, enabled: &BitSet) -> &BitSet {
        let scene = EventStatus { dependencies, bits, enabled };
        let mut best: Option<BitSet> = None;
        for seed in enabled.iter() {
            let ample = direct(&scene, seed);
            if best.as_ref().is_none_or(|best| ample.len() < best.len()) && is_closed(&scene, &ample) {
                best = Some(ample);
            }
        }
        self.best.events = best.unwrap_or_else(|| enabled.clone());
        &self.best.events
    }

    fn begin(&mut self) {
        self.evaluation.begin();
        self.now = self.now.wrapping_add(1);
        if self.now == 0 {
            self.values.clear();
            self.now = 1;
        }
    }

    fn value(&mut self, scene: &EventStatus<'_>, guard: GuardId) -> Option<bool> {
        if self.values.len() <= guard {
            self.values.resize(guard + 1, (0, None));
        }
        let (stamp, value) = self.values[guard];
        if stamp == self.now {
            return value;
        }
        let value = scene.dependencies.guard_value(guard, &mut self.evaluation, scene.bits);
        self.values[guard] = (self.now, value);
        value
    }
}

/// The enabled instances that follow from one by A2.1.
fn direct(scene: &EventStatus<'_>, seed: EventId) -> BitSet {
    let mut ample = BitSet::with_room(scene.dependencies.n_events());
    let mut open = vec![seed];
    ample.insert(seed);
    while let Some(event) = open.pop() {
        for other in scene.dependencies.discords(event).common(scene.enabled) {
            if ample.insert(other) {
                open.push(other);
            }
        }
    }
    ample
}

/// Whether nothing outside enables what depends on a member, or an error (A2.2).
fn is_closed(scene: &EventStatus<'_>, ample: &BitSet) -> bool {
    let dependencies = scene.dependencies;
    let mut disabled: BitSet = dependencies.errors().collect();
    ample.iter().for_each(|event| disabled.union_with(dependencies.discords(event)));
    let is_safe = |event: EventId| {
        let guards = dependencies.guards_of(event);
        guards.iter().all(|guard| dependencies.enablers(*guard).is_within(ample))
    };
    disabled.iter().filter(|event| !scene.enabled.contains(*event)).all(is_safe)
}
