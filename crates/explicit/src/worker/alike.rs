//! Groups of solutions that differ only by an exchange of interchangeable elements.
//!
//! A permutation in the stabiliser of a state maps the choices of an operation to choices. If a choice leads to a state, the permuted choice leads
//! to the permuted state. So choices fall into orbits, and one of each orbit is enough. For elements and sets of elements, an orbit is identified
//! by the number of elements of each class that occur at each set of positions in the choice.

use abridge_compile::elements;
use abridge_system::Alike;
use abridge_value::Value;
use rustc_hash::FxHashMap;

use crate::system::Explicit;

/// Indices of solutions, group by group, ascending within a group.
pub(crate) struct Groups(Vec<Vec<usize>>);

impl Groups {
    /// Groups solutions, given as ids of values. A solution with interchangeable elements deeper inside its values is a group of its own.
    pub(crate) fn of<'r>(
        system: &Explicit<'_>,
        alike: &dyn Alike,
        solutions: impl Iterator<Item = &'r [u32]>,
    ) -> Groups {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let mut known: FxHashMap<SolutionInvariant, usize> = FxHashMap::default();
        for (idx, solution) in solutions.enumerate() {
            match pattern(system, alike, solution).map(|pattern| *known.entry(pattern).or_insert(groups.len())) {
                Some(group) if group < groups.len() => groups[group].push(idx),
                _ => groups.push(vec![idx]),
            }
        }
        Groups(groups)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &[usize]> {
        self.0.iter().map(Vec::as_slice)
    }
}

/// Orbit invariant of a solution: its fixed values and members, and for each class the positions at which its elements occur.
pub(crate) type SolutionInvariant = Vec<(u64, u64)>;

/// Tag of a fixed member of a set, plus the position of the set. Smaller tags are positions of fixed values.
const MEMBER_TAG: u64 = 64;
/// Tag of an element of a class, plus the class.
const CLASS_TAG: u64 = 128;

/// Pattern of a solution; `None` if interchangeable elements occur in it other than as values or as members of sets.
pub(crate) fn pattern(system: &Explicit<'_>, alike: &dyn Alike, solution: &[u32]) -> Option<SolutionInvariant> {
    let mut pattern = SolutionInvariant::new();
    // Each interchangeable element, its class, and the bit set of positions at which it occurs.
    let mut moving: Vec<((u32, u32), u32, u64)> = Vec::new();
    let mut moves = |element: (u32, u32), place: usize| {
        let Some(class) = alike.class(element.0, element.1) else { return false };
        match moving.iter_mut().find(|(other, _, _)| *other == element) {
            Some((_, _, part)) => *part |= 1 << place,
            None => moving.push((element, class, 1 << place)),
        }
        true
    };
    if solution.len() > MEMBER_TAG as usize {
        return None;
    }
    for (place, id) in solution.iter().enumerate() {
        let value = system.local(*id).as_value()?;
        match value {
            Value::Element { set, index } if moves((*set, *index), place) => {}
            Value::Set(members) if matches!(members.first(), Some(Value::Element { .. })) => {
                for member in members.iter() {
                    let Value::Element { set, index } = member else { return None };
                    if !moves((set, index), place) {
                        pattern.push((MEMBER_TAG + place as u64, u64::from(index)));
                    }
                }
            }
            _ if has_moving(alike, value) => return None,
            _ => pattern.push((place as u64, u64::from(*id))),
        }
    }
    let parts = pattern.len();
    pattern.extend(moving.into_iter().map(|(_, class, part)| (CLASS_TAG + u64::from(class), part)));
    pattern[parts..].sort_unstable();
    Some(pattern)
}

fn has_moving(alike: &dyn Alike, value: &Value) -> bool {
    let mut moves = false;
    elements(value, &mut |set, index| moves |= alike.class(set, index).is_some());
    moves
}
