//! Orbit representatives of members, subsets, relations, functions and sequences.
//!
//! Lists are complete: they contain at least one member of every orbit. Some orbits may occur twice, which costs time only.

use abridge_model::Arrow;
use abridge_value::{Set, Value, relation};
use rustc_hash::FxHashSet;

use super::Stabiliser;

/// Members of a set in the same cell, or a single fixed member.
type Group = Vec<Value>;

impl Stabiliser {
    /// One member per orbit, for a set that the group leaves unchanged.
    pub(crate) fn members(&self, set: &Set) -> Vec<Value> {
        let mut known: FxHashSet<Value> = FxHashSet::default();
        let mut taken: FxHashSet<(u32, u32)> = FxHashSet::default();
        let mut is_new = |member: &Value| match self.of(member) {
            Some(cell) => taken.insert(cell),
            None if self.moves(member) => {
                let mut canonical = [member.clone()];
                let is_deterministic = self.canonise(&mut canonical).is_some();
                let [canonical] = canonical;
                !is_deterministic || known.insert(canonical)
            }
            None => true,
        };
        set.iter().filter(|member| is_new(member)).collect()
    }

    /// One subset per orbit, for a set that the group leaves unchanged: one for each number of members of each cell. `None` if there are more than
    /// `most`, or if the group moves something inside a member.
    pub(crate) fn subsets(&self, whole: &Set, most: u64) -> Option<Vec<Value>> {
        let groups = self.groups(whole)?;
        let n_subsets = groups.iter().try_fold(1_u64, |n, group| n.checked_mul(group.len() as u64 + 1))?;
        if n_subsets > most {
            return None;
        }
        let mut subsets: Vec<Vec<Value>> = vec![Vec::new()];
        for group in &groups {
            let with = |subset: &Vec<Value>, n: usize| [subset, &group[..n]].concat();
            subsets = subsets.iter().flat_map(|subset| (0..=group.len()).map(move |n| with(subset, n))).collect();
        }
        Some(subsets.into_iter().map(|members| Value::Set(members.into_iter().collect())).collect())
    }

    /// One function or relation per orbit, between sets that the group leaves unchanged.
    pub(crate) fn arrows(&self, arrow: Arrow, from: &Set, to: &Set, most: u64) -> Option<Vec<Value>> {
        let (sources, targets) = (self.groups(from)?, self.groups(to)?);
        let mut search = Arrows { arrow, from, to, most, n_tried: 0, found: Vec::new() };
        let (left, right) = (moving_sets(&sources), moving_sets(&targets));
        if left.is_empty() && right.is_empty() {
            return None;
        }
        // If the group moves both sides, permuting one side is enough. If both sides share a given set, it cannot be fixed on one side only.
        let is_tied = left.iter().any(|set| right.contains(set));
        match (arrow.functional, left.is_empty()) {
            (true, false) if !is_tied => {
                let nowhere = (!arrow.total).then(Vec::new);
                let options: Vec<_> = nowhere.into_iter().chain(to.iter().map(|value| vec![value])).collect();
                search.distribute(&Share { groups: &sources, options: &options, is_turned: false })?;
            }
            (true, _) => search.point_by_point(self, &from.iter().collect::<Vec<_>>(), &[])?,
            (false, _) if is_tied => return None,
            (false, is_turned) => {
                let (groups, partners) = if is_turned { (&targets, from) } else { (&sources, to) };
                search.distribute(&Share { groups, options: &subsets_of(partners, most)?, is_turned })?;
            }
        }
        Some(search.found)
    }

    /// One injective sequence per orbit, of length `least` or more, over a set that the group leaves unchanged.
    pub(crate) fn sequences(&self, of: &Set, least: u64, most: u64) -> Option<Vec<Value>> {
        let arrow = Arrow { functional: true, total: true, injective: true, surjective: false };
        let mut sequences = Vec::new();
        for len in least..=of.len() {
            let places: Set = (1..=i64::try_from(len).ok()?).map(Value::Int).collect();
            sequences.extend(self.arrows(arrow, &places, of, most)?);
        }
        (sequences.len() as u64 <= most).then_some(sequences)
    }

    /// Members of a set by cell, in the order of first members; `None` if the group moves something inside a member.
    fn groups(&self, set: &Set) -> Option<Vec<Group>> {
        let mut groups: Vec<(Option<(u32, u32)>, Group)> = Vec::new();
        for member in set.iter() {
            let cell = self.of(&member);
            if cell.is_none() && self.moves(&member) {
                return None;
            }
            match groups.iter_mut().find(|(other, _)| cell.is_some() && *other == cell) {
                Some((_, group)) => group.push(member),
                None => groups.push((cell, vec![member])),
            }
        }
        Some(groups.into_iter().map(|(_, group)| group).collect())
    }
}

/// All subsets of a small set.
fn subsets_of(set: &Set, most: u64) -> Option<Vec<Vec<Value>>> {
    if set.len() >= 64 || 1 << set.len() > most {
        return None;
    }
    let mut subsets: Vec<Vec<Value>> = vec![Vec::new()];
    for member in set.iter() {
        let with = |subset: &Vec<Value>| [&subset[..], std::slice::from_ref(&member)].concat();
        subsets.extend(subsets.iter().map(with).collect::<Vec<_>>());
    }
    Some(subsets)
}

/// Given sets with elements that the group moves.
fn moving_sets(groups: &[Group]) -> Vec<u32> {
    let moving = groups.iter().filter(|group| group.len() > 1);
    let set = |group: &Group| match group[0] {
        Value::Element { set, .. } => Some(set),
        _ => None,
    };
    moving.filter_map(set).collect()
}

/// Groups of members, and the options of each member: sets of fixed partners. With `is_turned`, members are on the right of pairs.
struct Share<'s> {
    groups: &'s [Group],
    options: &'s [Vec<Value>],
    is_turned: bool,
}

impl Share<'_> {
    fn pair(&self, member: &Value, partner: &Value) -> Value {
        let (first, second) = if self.is_turned { (partner, member) } else { (member, partner) };
        Value::pair(first.clone(), second.clone())
    }
}

/// Search for functions or relations.
struct Arrows<'s> {
    arrow: Arrow,
    from: &'s Set,
    to: &'s Set,
    most: u64,
    n_tried: u64,
    found: Vec<Value>,
}

/// Partial relations that may be tried for each wanted result.
const TRIES_PER_RESULT: u64 = 16;

impl Arrows<'_> {
    /// Distributes the members of each group to the options. Only the number of members per option matters.
    fn distribute(&mut self, share: &Share<'_>) -> Option<()> {
        self.give(share, (0, 0, 0), &mut Vec::new())
    }

    /// Continues from a member of a group and an option.
    fn give(
        &mut self,
        share: &Share<'_>,
        (group, member, option): (usize, usize, usize),
        pairs: &mut Vec<Value>,
    ) -> Option<()> {
        self.count()?;
        let Some(members) = share.groups.get(group) else { return self.add(pairs) };
        if member == members.len() {
            return self.give(share, (group + 1, 0, 0), pairs);
        }
        let Some(partners) = share.options.get(option) else { return Some(()) };
        let n_left = members.len() - member;
        let n_options = share.options.len() - option;
        // A value of an injective function belongs to one argument only.
        let is_single = self.arrow.injective && self.arrow.functional && !partners.is_empty();
        let is_used = |partner: &Value| pairs.iter().any(|pair| is_second(pair, partner));
        let most = match is_single {
            true if n_left > n_options => return Some(()),
            true if partners.iter().any(is_used) => 0,
            true => 1,
            false => n_left,
        };
        let least = if n_options == 1 { n_left } else { 0 };
        let n_pairs = pairs.len();
        for n_given in 0..=most {
            if n_given > 0 {
                let given = &members[member + n_given - 1];
                pairs.extend(partners.iter().map(|partner| share.pair(given, partner)));
            }
            if n_given >= least {
                self.give(share, (group, member + n_given, option + 1), pairs)?;
            }
        }
        pairs.truncate(n_pairs);
        Some(())
    }

    /// Counts a partial relation; `None` if there are too many.
    fn count(&mut self) -> Option<()> {
        self.n_tried += 1;
        (self.n_tried <= self.most.saturating_mul(TRIES_PER_RESULT)).then_some(())
    }

    /// Assigns a value to each argument in turn: one used before, a fixed one, or the first of a cell.
    fn point_by_point(&mut self, cells: &Stabiliser, arguments: &[Value], pairs: &[Value]) -> Option<()> {
        self.count()?;
        let Some((argument, others)) = arguments.split_first() else { return self.add(pairs) };
        let cells = cells.refined([argument]);
        if !self.arrow.total {
            self.point_by_point(&cells, others, pairs)?;
        }
        for value in cells.members(self.to) {
            if self.arrow.injective && pairs.iter().any(|pair| is_second(pair, &value)) {
                continue;
            }
            let pair = Value::pair(argument.clone(), value.clone());
            self.point_by_point(&cells.refined([&value]), others, &[pairs, &[pair]].concat())?;
        }
        Some(())
    }

    /// Adds a relation if it satisfies the arrow; `None` if there are too many.
    fn add(&mut self, pairs: &[Value]) -> Option<()> {
        let relation: Set = pairs.iter().cloned().collect();
        let Arrow { functional, total, injective, surjective } = self.arrow;
        let fits = (!functional || relation::is_functional(&relation))
            && (!injective || relation::is_injective(&relation))
            && (!total || relation::dom(&relation).len() == self.from.len())
            && (!surjective || relation::ran(&relation).len() == self.to.len());
        if fits {
            self.found.push(Value::Set(relation));
        }
        (self.found.len() as u64 <= self.most).then_some(())
    }
}

fn is_second(pair: &Value, value: &Value) -> bool {
    pair.as_pair().is_some_and(|(_, second)| second == value)
}
