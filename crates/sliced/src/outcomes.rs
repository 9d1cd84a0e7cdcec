//! Outcomes of an operation: the ways in which its steps can happen, in the order of the explicit system.
//!
//! What is chosen inside an instance is replaced by each of its values, so that every outcome has at most one target. Outcomes are then sorted by what is
//! chosen, as the search of the explicit system finds them ([`StepOrder`]): numbers of states follow from the order of steps. Outcomes with equal parameters and
//! outputs are one transition where their targets are equal, so they are marked.

use abridge_blast::{Circuit, CircuitValue, Lit, Replaced};
use abridge_encoding::{CellId, ChoiceKind, Instance};
use abridge_eval::Val;
use abridge_explicit::StepOrder;
use abridge_model::LocalId;
use abridge_value::Value;
use rustc_hash::{FxHashMap, FxHashSet};

/// Outcomes of one instance, and nodes of the search for them.
const MAX_OUTCOMES: usize = 256;
const MAX_CHOICE_NODES: usize = 4096;

/// Literals of an outcome, in terms of cells alone.
pub(crate) struct Drawn {
    pub(crate) relation: Lit,
    pub(crate) writes: Vec<(CellId, Lit)>,
    pub(crate) group: u32,
    pub(crate) may_repeat: bool,
    /// Values of the locals of the label.
    pub(crate) label: Vec<Val>,
    /// Values of the outputs; nothing if they depend on the state.
    pub(crate) outputs: Option<Vec<Value>>,
}

/// What outcomes are sorted by: branches, label, then choices. What plays no role in an outcome is nothing.
type Place = Vec<Option<Value>>;

/// An outcome with what is chosen in it.
struct Way {
    relation: Lit,
    writes: Vec<(CellId, Lit)>,
    /// Values of the outputs; nothing if they are not known.
    outputs: Option<Vec<Value>>,
    /// For each choice of the instance what is chosen; nothing for one that plays no role.
    chosen: Place,
}

/// What outcomes are drawn of.
pub(crate) struct OutcomeSource<'o> {
    /// Instances of the operation.
    pub(crate) instances: Vec<&'o Instance>,
    /// Locals of their labels.
    pub(crate) labels: &'o [LocalId],
    /// Nothing where the interpreter finds the steps.
    pub(crate) order: Option<StepOrder>,
    pub(crate) has_params: bool,
}

impl OutcomeSource<'_> {
    /// The outcomes, or why there are none; the conditions of errors are added to `errors`, and groups are numbered from `n_groups` on.
    pub(crate) fn draw(
        &self,
        circuit: &mut Circuit,
        errors: &mut Vec<Lit>,
        n_groups: &mut u32,
    ) -> Result<Vec<Drawn>, &'static str> {
        let has_several = |instance: &&Instance| instance.points.len() > 1;
        if self.order.is_none() && self.instances.iter().any(has_several) {
            return Err("several choices that only the interpreter makes");
        }
        let mut ways = Vec::new();
        for (number, instance) in self.instances.iter().enumerate() {
            let own = ways_of(circuit, instance, errors).ok_or("choices that are many")?;
            ways.extend(own.into_iter().map(|way| (self.place(number, &way), number, way)));
        }
        if self.order.is_some() {
            ways.sort_by(|one, other| one.0.cmp(&other.0));
        }
        let identities = self.identities(&ways).ok_or("outputs that tell transitions apart")?;
        let mut seen = FxHashSet::default();
        let mut drawn: Vec<Drawn> = Vec::with_capacity(ways.len());
        let mut before = None;
        for ((_, number, way), (identity, may_repeat)) in ways.into_iter().zip(identities) {
            // Equal targets are looked for among the outcomes just before.
            if before != Some(identity) && !seen.insert(identity) && may_repeat {
                return Err("equal transitions that are found apart from each other");
            }
            *n_groups += u32::from(before != Some(identity));
            before = Some(identity);
            let label = self.instances[number].label.clone().unwrap_or_default();
            let Way { relation, writes, outputs, .. } = way;
            drawn.push(Drawn { relation, writes, group: *n_groups, may_repeat, label, outputs });
        }
        *n_groups += 1;
        Ok(drawn)
    }

    /// For each outcome a number that it shares with those of equal parameters and outputs, and whether there are others. Nothing if outputs are not known and
    /// matter.
    fn identities(&self, ways: &[(Place, usize, Way)]) -> Option<Vec<(usize, bool)>> {
        let mut numbers: FxHashMap<(usize, Vec<Value>), usize> = FxHashMap::default();
        let label = |number: usize| if self.has_params { number } else { 0 };
        let mut n_ways: FxHashMap<usize, usize> = FxHashMap::default();
        ways.iter().for_each(|(_, number, _)| *n_ways.entry(label(*number)).or_default() += 1);
        let mut found = Vec::with_capacity(ways.len());
        for (_, number, way) in ways {
            let outputs = match &way.outputs {
                Some(outputs) => outputs.clone(),
                None if n_ways[&label(*number)] == 1 => Vec::new(),
                None => return None,
            };
            let next = numbers.len();
            found.push(*numbers.entry((label(*number), outputs)).or_insert(next));
        }
        let mut counts = vec![0; numbers.len()];
        found.iter().for_each(|identity| counts[*identity] += 1);
        Some(found.into_iter().map(|identity| (identity, counts[identity] > 1)).collect())
    }

    /// The place of an outcome among the others.
    fn place(&self, number: usize, way: &Way) -> Place {
        let Some(order) = &self.order else { return Vec::new() };
        let instance = self.instances[number];
        let label = instance.label.as_deref().unwrap_or_default();
        let mut place = Vec::new();
        let mut inner: Vec<(Option<LocalId>, Option<Value>)> = Vec::new();
        for (point, chosen) in instance.points.iter().zip(&way.chosen) {
            match point.kind {
                ChoiceKind::Branch(id) if order.branches.contains(&id) => place.push(chosen.clone()),
                ChoiceKind::Local(local) => inner.push((Some(local), chosen.clone())),
                _ => inner.push((None, chosen.clone())),
            }
        }
        for local in &order.bound {
            if let Some(at) = self.labels.iter().position(|other| other == local) {
                place.push(label.get(at).and_then(Val::as_value).cloned());
            }
        }
        sort_runs(&mut inner, &order.bound);
        place.extend(inner.into_iter().map(|(_, chosen)| chosen));
        place
    }
}

/// Sorts locals that are chosen together by the order in which they are bound.
fn sort_runs(points: &mut [(Option<LocalId>, Option<Value>)], bound: &[LocalId]) {
    let rank = |point: &(Option<LocalId>, Option<Value>)| bound.iter().position(|local| Some(*local) == point.0);
    let mut start = 0;
    for end in 1..=points.len() {
        // An operation that is called twice has the same locals twice.
        let goes_on = end < points.len()
            && points[end].0.is_some()
            && points[start].0.is_some()
            && !points[start..end].iter().any(|point| point.0 == points[end].0);
        if !goes_on {
            points[start..end].sort_by_key(rank);
            start = end;
        }
    }
}

/// The outcomes of an instance. Nothing if there are too many.
fn ways_of(circuit: &mut Circuit, instance: &Instance, errors: &mut Vec<Lit>) -> Option<Vec<Way>> {
    // A step that leaves bounds is no error, but has no circuit either.
    let error = circuit.and(instance.error.context, instance.error.ill_defined);
    let error = circuit.or(error, instance.leaves);
    let writes: Vec<(CellId, Lit)> = instance.writes.iter().filter_map(|(cell, new)| Some((*cell, (*new)?))).collect();
    let outputs: Option<Vec<&CircuitValue>> = instance.outputs.iter().map(Option::as_ref).collect();
    let mut first = vec![instance.relation, error];
    first.extend(writes.iter().map(|(_, lit)| *lit));
    outputs.iter().flatten().for_each(|value| value.for_each_lit(&mut |lit| first.push(lit)));
    let n_needed = first.len();
    instance.points.iter().for_each(|point| point.value.for_each_lit(&mut |lit| first.push(lit)));
    let places: FxHashMap<Lit, usize> = first.iter().enumerate().map(|(at, lit)| (*lit, at)).collect();
    let choices: FxHashSet<Lit> = instance.choices.iter().copied().collect();
    let (mut found, mut n_nodes) = (Vec::new(), 0);
    let mut open = vec![first];
    while let Some(lits) = open.pop() {
        n_nodes += 1;
        if n_nodes > MAX_CHOICE_NODES || found.len() > MAX_OUTCOMES {
            return None;
        }
        if lits[0] == Lit::FALSE && lits[1] == Lit::FALSE {
            continue;
        }
        let mut inputs = match choices.is_empty() {
            true => Vec::new(),
            false => circuit.inputs_of(lits[..n_needed].iter().copied()),
        };
        inputs.retain(|input| choices.contains(input));
        let Some(choice) = inputs.first() else {
            errors.push(lits[1]);
            if lits[0] != Lit::FALSE {
                let now = Assignment { places: &places, lits: &lits };
                let values = outputs.iter().flatten().map(|value| now.value(value)).collect();
                let chosen = instance.points.iter().map(|point| now.value(&point.value)).collect();
                let writes = writes.iter().map(|(cell, _)| *cell).zip(lits[2..].iter().copied()).collect();
                found.push(Way { relation: lits[0], writes, outputs: outputs.as_ref().and(values), chosen });
            }
            continue;
        };
        for value in [Lit::FALSE, Lit::TRUE] {
            let with = |input: Lit| (input == *choice).then_some(value);
            let mut done = Replaced::default();
            open.push(lits.iter().map(|lit| circuit.replace(*lit, &with, &mut done)).collect());
        }
    }
    Some(found)
}

/// What became of literals, by their places.
struct Assignment<'l> {
    places: &'l FxHashMap<Lit, usize>,
    lits: &'l [Lit],
}

impl Assignment<'_> {
    fn of(&self, lit: Lit) -> Lit {
        self.places.get(&lit).map_or(lit, |at| self.lits[*at])
    }

    /// The value that a symbolic value has now; nothing if that is open.
    fn value(&self, value: &CircuitValue) -> Option<Value> {
        let mut is_known = true;
        value.for_each_lit(&mut |lit| is_known &= self.of(lit).is_constant());
        if is_known { value.decode(&|lit: Lit| self.of(lit) == Lit::TRUE) } else { None }
    }
}
