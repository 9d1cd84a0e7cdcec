//! Unknowns of a problem that have no value yet.
//!
//! A constraint has few names, and a problem may have very many unknowns. So where they are many they are hashed, too, and it costs no more than its
//! names to see that a formula is ready. An unknown that is in the list and not among the hashed ones would make a formula ready too early.

use std::ops::Deref;

use rustc_hash::FxHashSet;

use super::Unknown;
use crate::free::FreeNames;

/// Unknowns up to which none are hashed.
const MAX_SCANNED_UNKNOWNS: usize = 16;

/// Open unknowns in the order of the problem, each once.
#[derive(Clone, Default, Debug)]
pub struct OpenUnknowns {
    list: Vec<Unknown>,
    /// All of the list, or none while the list is short.
    hashed: FxHashSet<Unknown>,
}

impl OpenUnknowns {
    pub fn has(&self, unknown: Unknown) -> bool {
        if self.hashed.is_empty() { self.list.contains(&unknown) } else { self.hashed.contains(&unknown) }
    }

    /// Whether one of them is among these names.
    pub fn occur_in(&self, names: &FreeNames) -> bool {
        if self.hashed.is_empty() {
            return self.list.iter().any(|unknown| unknown.is_in(names));
        }
        names_that_may_be_unknown(names).any(|unknown| self.hashed.contains(&unknown))
    }

    /// Whether one of them but this one is among these names.
    pub fn others_occur_in(&self, unknown: Unknown, names: &FreeNames) -> bool {
        names_that_may_be_unknown(names).any(|other| other != unknown && self.has(other))
    }

    pub fn push(&mut self, unknown: Unknown) {
        self.list.push(unknown);
        if !self.hashed.is_empty() {
            self.hashed.insert(unknown);
        } else if self.list.len() > MAX_SCANNED_UNKNOWNS {
            self.hashed.extend(&self.list);
        }
    }

    pub fn remove(&mut self, unknown: Unknown) {
        self.list.retain(|other| *other != unknown);
        self.hashed.remove(&unknown);
    }

    #[must_use]
    pub fn without(mut self, unknown: Unknown) -> OpenUnknowns {
        self.remove(unknown);
        self
    }
}

impl Deref for OpenUnknowns {
    type Target = [Unknown];

    fn deref(&self) -> &[Unknown] {
        &self.list
    }
}

impl Extend<Unknown> for OpenUnknowns {
    fn extend<I: IntoIterator<Item = Unknown>>(&mut self, unknowns: I) {
        unknowns.into_iter().for_each(|unknown| self.push(unknown));
    }
}

impl From<Vec<Unknown>> for OpenUnknowns {
    fn from(unknowns: Vec<Unknown>) -> OpenUnknowns {
        let mut open = OpenUnknowns::default();
        open.extend(unknowns);
        open
    }
}

fn names_that_may_be_unknown(names: &FreeNames) -> impl Iterator<Item = Unknown> {
    let locals = names.locals.iter().map(|id| Unknown::Local(*id));
    locals.chain(names.constants.iter().map(|id| Unknown::Constant(*id)))
}

#[cfg(test)]
mod tests {
    use abridge_model::LocalId;

    use super::*;

    #[test]
    fn many_unknowns_are_found_like_few() {
        let local = |number| Unknown::Local(LocalId(number));
        let names = |number| FreeNames { locals: vec![LocalId(number)], ..FreeNames::default() };
        for n_unknowns in [3, 40] {
            let mut open = OpenUnknowns::from((0..n_unknowns).map(local).collect::<Vec<Unknown>>());
            assert!(open.has(local(2)) && open.occur_in(&names(2)) && !open.occur_in(&names(n_unknowns)));
            assert!(open.others_occur_in(local(1), &names(2)) && !open.others_occur_in(local(2), &names(2)));
            open.remove(local(2));
            assert!(!open.has(local(2)) && !open.occur_in(&names(2)) && open.occur_in(&names(1)));
            (0..n_unknowns).for_each(|number| open.remove(local(number)));
            assert!(open.is_empty() && !open.has(local(1)));
            open.push(local(1));
            assert!(open.has(local(1)) && open.occur_in(&names(1)));
        }
    }
}
