//! Assignments of a substitution: targets with their new values.
//!
//! A sorted vector, since most substitutions assign few targets and loops make very many updates. Each target occurs once; a target that occurred
//! twice would make the result of a substitution depend on the order of its parts.

use abridge_model::Target;

use super::val::Val;

/// New values of assigned targets; `None` for a local that is declared but has no value.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Update(Vec<(Target, Option<Val>)>);

impl Update {
    pub fn new() -> Update {
        Update::default()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// New value of a target; `None` if it is not assigned.
    pub fn get(&self, target: Target) -> Option<&Option<Val>> {
        self.position(target).ok().map(|idx| &self.0[idx].1)
    }

    /// Assigns a target, replacing an earlier assignment.
    pub fn insert(&mut self, target: Target, val: Option<Val>) {
        match self.position(target) {
            Ok(idx) => self.0[idx].1 = val,
            Err(idx) => self.0.insert(idx, (target, val)),
        }
    }

    pub fn remove(&mut self, target: Target) -> Option<Option<Val>> {
        self.position(target).ok().map(|idx| self.0.remove(idx).1)
    }

    pub fn retain(&mut self, is_kept: impl Fn(Target) -> bool) {
        self.0.retain(|(target, _)| is_kept(*target));
    }

    pub fn iter(&self) -> impl Iterator<Item = (Target, &Option<Val>)> {
        self.0.iter().map(|(target, val)| (*target, val))
    }

    fn position(&self, target: Target) -> Result<usize, usize> {
        self.0.binary_search_by_key(&target, |(other, _)| *other)
    }
}

impl Extend<(Target, Option<Val>)> for Update {
    fn extend<I: IntoIterator<Item = (Target, Option<Val>)>>(&mut self, assigned: I) {
        assigned.into_iter().for_each(|(target, val)| self.insert(target, val));
    }
}

impl FromIterator<(Target, Option<Val>)> for Update {
    fn from_iter<I: IntoIterator<Item = (Target, Option<Val>)>>(assigned: I) -> Update {
        let mut list: Vec<_> = assigned.into_iter().collect();
        if !list.is_sorted_by(|(left, _), (right, _)| left < right) {
            // The last assignment to a target counts.
            list.reverse();
            list.sort_by_key(|(target, _)| *target);
            list.dedup_by_key(|(target, _)| *target);
        }
        Update(list)
    }
}

impl IntoIterator for Update {
    type Item = (Target, Option<Val>);
    type IntoIter = std::vec::IntoIter<(Target, Option<Val>)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use abridge_model::VarId;

    use super::*;

    fn assigned(id: u32, int: i64) -> (Target, Option<Val>) {
        (Target::Variable(VarId(id)), Some(abridge_value::Int::from(int).into()))
    }

    #[test]
    fn the_last_assignment_to_a_target_counts() {
        let given = [assigned(3, 1), assigned(1, 2), assigned(3, 5), assigned(0, 7), assigned(1, 2)];
        let collected: Update = given.clone().into_iter().collect();
        let mut extended = Update::new();
        extended.extend(given);
        assert_eq!(collected, extended);
        let expected = [assigned(0, 7), assigned(1, 2), assigned(3, 5)];
        assert_eq!(collected.into_iter().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn targets_are_found_and_removed() {
        let mut update: Update = [assigned(2, 1), assigned(4, 2)].into_iter().collect();
        assert_eq!(update.get(assigned(4, 0).0), Some(&assigned(4, 2).1));
        assert_eq!(update.get(assigned(3, 0).0), None);
        assert_eq!(update.remove(assigned(2, 0).0), Some(assigned(2, 1).1));
        assert_eq!(update.remove(assigned(2, 0).0), None);
        update.retain(|target| target != assigned(4, 0).0);
        assert!(update.is_empty());
    }
}
