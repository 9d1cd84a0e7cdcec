//! Cyclic groups that move each variable by itself: rotations.
//!
//! The generator assigns to each variable a value that depends on that variable alone. Then the images of a value are a cycle, whatever the rest of the state
//! is, and the orbit of a state is found by turning the cycles of its values together. A cycle is computed when one of its values is met, with the rank of each value in each
//! criterion of the order; afterwards the least state of an orbit is found by comparing small numbers. Cycles are forgotten when there are too many of them. A variable
//! that is taken to move by itself and does not would give images that are none, so the form of the generator decides, and nothing else.

use abridge_eval::Val;
use abridge_model::{Model, OpId, Subst, SubstId, Target, VarId, effects};
use abridge_model_system::ModelSystem;
use rustc_hash::FxHashMap;

use super::order::{Criterion, Rank, StateOrder};
use super::represent::TroubleKind;

/// States of an orbit, and values of a cycle.
pub(super) const MAX_ORBIT_STATES: usize = 1 << 16;

/// The words that a generator moves, each by itself; nothing if its form does not show that.
pub(super) fn moved_words(system: &impl ModelSystem, op: OpId) -> Option<Vec<usize>> {
    let model = system.model();
    let operation = &model.operations[op];
    if !operation.params.is_empty() {
        return None;
    }
    let moved = assigned_alone(model, operation.body)?;
    moved.into_iter().map(|id| system.word_of(id)).collect()
}

/// The variables to which a substitution gives values that depend on nothing but their old ones, if it does nothing else.
fn assigned_alone(model: &Model, body: SubstId) -> Option<Vec<VarId>> {
    let (mut moved, mut open) = (Vec::new(), vec![body]);
    while let Some(id) = open.pop() {
        match model.subst(id) {
            Subst::Skip => {}
            Subst::Parallel(parts) => open.extend(parts),
            Subst::Assign { targets, values } => {
                for (target, value) in targets.iter().zip(values) {
                    let Target::Variable(id) = target else { return None };
                    let reads = effects::reads_of_expr(model, *value);
                    if !reads.constants.is_empty() || reads.variables.iter().any(|read| read != *id) {
                        return None;
                    }
                    moved.push(*id);
                }
            }
            _ => return None,
        }
    }
    Some(moved)
}

/// Criteria can be ranked value by value: each reads one word, or words that do not move.
pub(super) fn can_rank(order: &StateOrder<'_, impl ModelSystem>, moved: &[usize]) -> bool {
    order.criteria().iter().all(|criterion| match criterion {
        Criterion::Word(_) => true,
        Criterion::Key { reads, reads_constants, .. } => {
            let is_alone = reads.len() == 1 && !reads_constants;
            is_alone || !reads.iter().any(|word| moved.contains(word))
        }
    })
}

/// Values in the cycles that a thread remembers.
const MAX_REMEMBERED_VALUES: usize = 1 << 20;
/// Approximate bytes of a cycle beside its values, and of a value beside its ranks.
const CYCLE_BYTES: usize = 96;
const VALUE_BYTES: usize = 32;

/// The cycles of values that a thread has met.
pub(super) struct ValueCycles {
    moved: Vec<MovedWord>,
    /// For each criterion that matters, the position of its word among the moved ones, and its position among the criteria of that word.
    criteria: Vec<(usize, usize)>,
    shifts: Vec<u32>,
    max_values: usize,
}

struct MovedWord {
    word: usize,
    /// Positions of the criteria in the order.
    criteria: Vec<usize>,
    /// Cycle and position of each value.
    places: FxHashMap<u32, (u32, u32)>,
    cycles: Vec<Cycle>,
}

struct Cycle {
    values: Vec<u32>,
    /// For each criterion the ranks of the values.
    ranks: Vec<Vec<u32>>,
}

impl ValueCycles {
    pub(super) fn new(order: &StateOrder<'_, impl ModelSystem>, moved: &[usize]) -> ValueCycles {
        let mut words: Vec<MovedWord> = moved
            .iter()
            .map(|word| MovedWord {
                word: *word,
                criteria: Vec::new(),
                places: FxHashMap::default(),
                cycles: Vec::new(),
            })
            .collect();
        let mut criteria = Vec::new();
        for (number, criterion) in order.criteria().iter().enumerate() {
            if let [word] = criterion.reads()
                && let Some(position) = moved.iter().position(|moved| moved == word)
            {
                criteria.push((position, words[position].criteria.len()));
                words[position].criteria.push(number);
            }
        }
        ValueCycles { moved: words, criteria, shifts: Vec::new(), max_values: MAX_REMEMBERED_VALUES }
    }

    /// Approximate bytes of what is remembered.
    pub(super) fn bytes(&self) -> u64 {
        let of_word = |word: &MovedWord| {
            let n_ranks = word.criteria.len();
            word.places.len() * (VALUE_BYTES + n_ranks * size_of::<u32>())
                + word.cycles.len() * (CYCLE_BYTES + n_ranks * size_of::<Vec<u32>>())
        };
        self.moved.iter().map(of_word).sum::<usize>() as u64
    }

    /// Forgets all cycles if there are too many. The state at hand has not been looked up yet, so that none of its cycles goes missing.
    fn make_room(&mut self) {
        if self.moved.iter().map(|word| word.places.len()).sum::<usize>() > self.max_values {
            for word in &mut self.moved {
                word.places.clear();
                word.cycles.clear();
            }
        }
    }

    /// Replaces a state by the least of its orbit. `turn` applies the generator.
    pub(super) fn represent(
        &mut self,
        order: &StateOrder<'_, impl ModelSystem>,
        state: &mut [u32],
        mut turn: impl FnMut(&mut Vec<u32>) -> Result<(), Option<TroubleKind>>,
    ) -> Result<(), Option<TroubleKind>> {
        self.make_room();
        let mut n_shifts = 1;
        for moved in &mut self.moved {
            if !moved.places.contains_key(&state[moved.word]) {
                moved.learn(order, state, &mut turn)?;
            }
            n_shifts = least_common_multiple(n_shifts, moved.cycle_of(state).0.values.len());
            if n_shifts > MAX_ORBIT_STATES {
                return Err(Some(TroubleKind::LargeOrbit));
            }
        }
        self.shifts.clear();
        self.shifts.extend(0..n_shifts as u32);
        for (position, criterion) in &self.criteria {
            if self.shifts.len() == 1 {
                break;
            }
            let (cycle, place) = self.moved[*position].cycle_of(state);
            let rank = |shift: &u32| cycle.ranks[*criterion][cycle.turned(place, *shift)];
            let least = self.shifts.iter().map(rank).min();
            self.shifts.retain(|shift| Some(rank(shift)) == least);
        }
        let shift = self.shifts[0];
        for moved in &self.moved {
            let (cycle, place) = moved.cycle_of(state);
            state[moved.word] = cycle.values[cycle.turned(place, shift)];
        }
        Ok(())
    }
}

impl MovedWord {
    fn cycle_of(&self, state: &[u32]) -> (&Cycle, u32) {
        let (cycle, place) = self.places[&state[self.word]];
        (&self.cycles[cycle as usize], place)
    }

    /// Takes up the cycle of the value that the word has in a state.
    fn learn(
        &mut self,
        order: &StateOrder<'_, impl ModelSystem>,
        state: &[u32],
        turn: &mut impl FnMut(&mut Vec<u32>) -> Result<(), Option<TroubleKind>>,
    ) -> Result<(), Option<TroubleKind>> {
        let keys = |state: &[u32]| -> Vec<Option<Val>> {
            let keys = self.criteria.iter().map(|number| match &order.criteria()[*number] {
                Criterion::Word(_) => None,
                Criterion::Key { expr, .. } => order.key_of(*expr, state),
            });
            keys.collect()
        };
        let mut current = state.to_vec();
        let (mut values, mut known) = (Vec::new(), Vec::new());
        let mut circle = CircleGuard::new(vec![state[self.word]]);
        loop {
            if values.len() >= MAX_ORBIT_STATES {
                return Err(Some(TroubleKind::LargeOrbit));
            }
            values.push(current[self.word]);
            known.push(keys(&current));
            turn(&mut current)?;
            if current[self.word] == state[self.word] {
                break;
            }
            if circle.closes(&current[self.word..=self.word]) {
                return Err(Some(TroubleKind::NoReturn));
            }
        }
        let ranks = self.criteria.iter().enumerate().map(|(position, number)| {
            let compare = |a: u32, b: u32| {
                let (a, b) = (a as usize, b as usize);
                match &order.criteria()[*number] {
                    Criterion::Word(word) => order.ranks(*word, Rank::Word(values[a]), Rank::Word(values[b])),
                    Criterion::Key { .. } => {
                        let (a, b) = (known[a][position].as_ref(), known[b][position].as_ref());
                        order.ranks(0, Rank::Key(a), Rank::Key(b))
                    }
                }
            };
            let mut sorted: Vec<u32> = (0..values.len() as u32).collect();
            sorted.sort_by(|a, b| compare(*a, *b));
            let mut ranks = vec![0; values.len()];
            for pair in sorted.windows(2) {
                ranks[pair[1] as usize] = ranks[pair[0] as usize] + u32::from(compare(pair[0], pair[1]).is_ne());
            }
            ranks
        });
        let cycle = Cycle { ranks: ranks.collect(), values };
        let number = self.cycles.len() as u32;
        self.places.extend((0..).zip(&cycle.values).map(|(place, value)| (*value, (number, place))));
        self.cycles.push(cycle);
        Ok(())
    }
}

impl Cycle {
    fn turned(&self, place: u32, shift: u32) -> usize {
        (place as usize + shift as usize) % self.values.len()
    }
}

/// Notices that a walk runs in a circle that does not lead back to its start, by a place on the way that it comes to again (Brent). A generator that is no
/// bijection would be applied to every state as often as an orbit may have states.
pub(super) struct CircleGuard {
    mark: Vec<u32>,
    n_moves: usize,
    /// The move after which the place is marked anew.
    next: usize,
}

impl CircleGuard {
    pub(super) fn new(start: Vec<u32>) -> CircleGuard {
        CircleGuard { mark: start, n_moves: 0, next: 1 }
    }

    /// Whether the walk has been in this place.
    pub(super) fn closes(&mut self, place: &[u32]) -> bool {
        if self.mark == place {
            return true;
        }
        self.n_moves += 1;
        if self.n_moves == self.next {
            self.mark.copy_from_slice(place);
            self.next *= 2;
        }
        false
    }
}

fn least_common_multiple(a: usize, b: usize) -> usize {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    a / x * b
}

#[cfg(test)]
mod tests {
    use abridge_explicit::{Explicit, SystemConfig, judge};
    use abridge_model_system::Transformer as _;
    use abridge_system::{Origin, Steps, System as _, Worker as _, go_on};
    use abridge_testkit::Project;

    use super::*;

    /// Forgetting costs time and changes no representative, also where several words move together.
    #[test]
    fn forgotten_cycles_are_computed_again() {
        let text = "MACHINE Turning DEFINITIONS P == 0..4; GENERATOR_c == BEGIN ff := %ii.(ii : P | ff((ii + 1) mod 5)) || \
                    ss := {ii | ii : P & (ii + 1) mod 5 : ss} END VARIABLES ff, ss INVARIANT ff : P --> 0..1 & ss <: P \
                    INITIALISATION ff := P * {0} || ss := {} OPERATIONS set(ii) = PRE ii : P THEN ff(ii) := 1 - ff(ii) END; \
                    add(ii) = PRE ii : P THEN ss := ss \\/ {ii} END END";
        let model = Project::model_of(text);
        let transformations: Vec<OpId> = model.transformations().collect();
        let config = SystemConfig { transformations: transformations.clone(), ..SystemConfig::default() };
        let system = Explicit::new(judge(&model, abridge_eval::EvalConfig::default()), config);
        let (mut worker, mut transformer) = (system.worker(), system.transformer());
        let order = StateOrder::new(&system, None);
        let moved = moved_words(&system, transformations[0]).expect("each variable moves by itself");
        let (mut all, mut few) = (ValueCycles::new(&order, &moved), ValueCycles::new(&order, &moved));
        few.max_values = 7;
        let (mut steps, mut images) = (Steps::new(system.width()), Steps::new(system.width()));
        assert!(worker.expand(Origin::Root, None, &mut steps, &mut go_on).is_whole());
        let mut states: Vec<Vec<u32>> = steps.iter().map(|step| step.target.to_vec()).collect();
        let mut next = 0;
        while next < states.len() {
            let mut representatives = [states[next].clone(), states[next].clone()];
            for (cycles, representative) in [&mut all, &mut few].into_iter().zip(&mut representatives) {
                let result = cycles.represent(&order, representative, |state| {
                    assert!(transformer.images(0, state, &mut images).is_whole());
                    state.copy_from_slice(images.get(0).target);
                    Ok(())
                });
                assert_eq!(result, Ok(()));
            }
            assert_eq!(representatives[0], representatives[1]);
            let n_values: usize = few.moved.iter().map(|word| word.places.len()).sum();
            assert!(n_values <= few.max_values + 2 * 5, "{n_values}");
            steps.clear();
            assert!(worker.successors(&states[next], &mut steps).is_whole());
            for step in steps.iter() {
                if !states.iter().any(|known| known == step.target) {
                    states.push(step.target.to_vec());
                }
            }
            next += 1;
        }
        assert_eq!(states.len(), 1 << 10);
        assert!(few.bytes() < all.bytes());
    }
}
