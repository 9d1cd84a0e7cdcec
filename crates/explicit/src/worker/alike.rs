//! Solutions that only an exchange of elements tells apart.
//!
//! In a state in which elements of one class can be exchanged, what is chosen for an operation can be exchanged with it: if one choice
//! leads to a state, the choice with the elements exchanged leads to that state with the elements exchanged. So choices fall into
//! groups, and one of each is enough. For elements and for sets of elements, a group is known by how many elements of each class play
//! which part in the choice.

use abridge_compile::elements;
use abridge_system::Alike;
use abridge_value::Value;
use rustc_hash::FxHashMap;

use crate::system::Explicit;

/// Solutions by number, group by group; each group has the first of its solutions first.
pub(crate) struct Groups(Vec<Vec<usize>>);

impl Groups {
    /// Groups solutions, which come as ids of values. One with elements deep inside of other values stands alone.
    pub(crate) fn of<'r>(
        system: &Explicit<'_>,
        alike: &dyn Alike,
        solutions: impl Iterator<Item = &'r [u32]>,
    ) -> Groups {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let mut known: FxHashMap<Pattern, usize> = FxHashMap::default();
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

/// What remains of a solution when elements that are alike are not told apart: what does not move, and for each class the parts that its
/// elements play.
pub(crate) type Pattern = Vec<(u64, u64)>;

/// Parts of a pattern; the values of a solution come before them.
const MEMBER: u64 = 64;
const CLASS: u64 = 128;

/// The pattern of a solution; nothing if elements that are alike occur in it in other ways than as values and as members of sets.
pub(crate) fn pattern(system: &Explicit<'_>, alike: &dyn Alike, solution: &[u32]) -> Option<Pattern> {
    let mut pattern = Pattern::new();
    // Each element that moves, its class, and one bit for each value of the solution that it is or is in.
    let mut moving: Vec<((u32, u32), u32, u64)> = Vec::new();
    let mut moves = |element: (u32, u32), place: usize| {
        let Some(class) = alike.class(element.0, element.1) else { return false };
        match moving.iter_mut().find(|(other, _, _)| *other == element) {
            Some((_, _, part)) => *part |= 1 << place,
            None => moving.push((element, class, 1 << place)),
        }
        true
    };
    if solution.len() > MEMBER as usize {
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
                        pattern.push((MEMBER + place as u64, u64::from(index)));
                    }
                }
            }
            _ if has_moving(alike, value) => return None,
            _ => pattern.push((place as u64, u64::from(*id))),
        }
    }
    let parts = pattern.len();
    pattern.extend(moving.into_iter().map(|(_, class, part)| (CLASS + u64::from(class), part)));
    pattern[parts..].sort_unstable();
    Some(pattern)
}

fn has_moving(alike: &dyn Alike, value: &Value) -> bool {
    let mut moves = false;
    elements(value, &mut |set, index| moves |= alike.class(set, index).is_some());
    moves
}
