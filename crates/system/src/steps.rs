//! Buffers of steps, and their completeness.
//!
//! A worker appends the steps out of one state to a [`Steps`] and returns a [`Completeness`]. The two are separate on purpose: the buffer is
//! read in the hot loop, and the caller must consume the completeness. An incomplete list proves neither a deadlock nor that a property
//! holds everywhere.

/// Reason why steps may be missing from a list, or why a property of a state is not known; ordered by severity.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Gap {
    /// Only a part of a type was searched for values.
    Bounded,
    /// A cap on the number of steps was reached.
    Capped,
    /// An evaluation failed.
    Failed,
    /// An evaluation would have exceeded the memory of the run.
    Memory,
    /// The stop flag ended an evaluation: time, memory, or the user.
    Stopped,
}

/// Completeness of a list of steps or findings. The caller hands it on or records a limit.
#[must_use = "a missing step is a limit: hand the completeness on, or note it"]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Completeness {
    /// The list is complete.
    Whole,
    /// Entries may be missing.
    Missing(Gap),
}

impl Completeness {
    /// Completeness of two lists together: the more severe gap.
    pub fn and(self, other: Completeness) -> Completeness {
        Completeness::from(self.gap().max(other.gap()))
    }

    pub fn gap(self) -> Option<Gap> {
        match self {
            Completeness::Whole => None,
            Completeness::Missing(gap) => Some(gap),
        }
    }

    pub fn is_whole(self) -> bool {
        self == Completeness::Whole
    }
}

impl From<Option<Gap>> for Completeness {
    fn from(gap: Option<Gap>) -> Completeness {
        gap.map_or(Completeness::Whole, Completeness::Missing)
    }
}

/// Id of a label. The system that made it maps it to parameters and outputs; steps of one operation with equal labels have equal ones.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LabelId(pub u32);

/// Acceptance marks of a step, as a bit set. A product with an automaton sets them; other systems have none.
pub type Marks = u64;

/// Marks of a step that need not be stored, where steps are.
pub const NOT_STORED: Marks = Marks::MAX;

/// Entry of a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step<'s> {
    pub operation: u32,
    /// Number of transitions with this operation and target, which differ in their labels only.
    pub count: u64,
    /// Absent unless the buffer asks for labels, or if only the operation is known.
    pub label: Option<LabelId>,
    pub marks: Marks,
    pub target: &'s [u32],
}

/// Reusable buffer for the steps out of one state.
///
/// Labels and marks are stored beside the targets and cost nothing unless they are used.
#[derive(Clone, Default, Debug)]
pub struct Steps {
    width: usize,
    words: Vec<u32>,
    /// Operation and count of each entry.
    heads: Vec<(u32, u64)>,
    /// Label of each entry, if labels are wanted.
    labels: Option<Vec<Option<LabelId>>>,
    /// Marks of the first entries; the others have none.
    marks: Vec<Marks>,
    /// Marks of a path that ends in the state, if paths may end there.
    ending: Option<Marks>,
    /// Operations that are ill-defined in the state.
    ill_defined: Vec<u32>,
    /// A reduction omitted steps. The state is no deadlock, even if the buffer is empty.
    pub is_reduced: bool,
    /// Steps that were left out may be put off for ever, if there is a cycle of such states.
    pub puts_off: bool,
    /// Operations and labels of the steps that were left out, where that is noted.
    pub left_out: Vec<(u32, Option<LabelId>)>,
    /// Operation and number of transitions to states that are known, for which there are no entries.
    known: Vec<(u32, u64)>,
    /// Sleep sets of the targets of the first entries, so many words each; those of the others are empty.
    sleep_sets: Vec<u64>,
    sleep_words: usize,
}

impl Steps {
    pub fn new(width: usize) -> Self {
        Steps { width, ..Steps::default() }
    }

    /// Makes a buffer that asks for the label of every step. Steps with different labels are different entries.
    pub fn with_labels(width: usize) -> Self {
        Steps { width, labels: Some(Vec::new()), ..Steps::default() }
    }

    /// Whether the buffer asks for labels.
    pub fn wants_labels(&self) -> bool {
        self.labels.is_some()
    }

    pub fn clear(&mut self) {
        self.words.clear();
        self.heads.clear();
        self.labels.iter_mut().for_each(Vec::clear);
        self.marks.clear();
        self.ending = None;
        self.ill_defined.clear();
        (self.is_reduced, self.puts_off) = (false, false);
        self.left_out.clear();
        self.known.clear();
        self.sleep_sets.clear();
    }

    /// Sets the marks of a path that ends in the state; `None` if no path ends there.
    pub fn set_ending(&mut self, marks: Option<Marks>) {
        self.ending = marks;
    }

    /// Marks of a path that ends in the state, if a layer lets paths end there.
    pub fn ending(&self) -> Option<Marks> {
        self.ending
    }

    /// Adds an operation that is ill-defined in the state.
    pub fn push_ill_defined(&mut self, operation: u32) {
        if !self.ill_defined.contains(&operation) {
            self.ill_defined.push(operation);
        }
    }

    /// Operations that are ill-defined in the state, each once.
    pub fn ill_defined(&self) -> &[u32] {
        &self.ill_defined
    }

    /// Removes the ill-defined operations; `true` if there were any.
    pub fn take_ill_defined(&mut self) -> bool {
        let had_any = !self.ill_defined.is_empty();
        self.ill_defined.clear();
        had_any
    }

    /// Whether the state is a deadlock: the list is empty, complete and not reduced, and no transition leads to known states.
    pub fn is_deadlock(&self, completeness: Completeness) -> bool {
        self.is_empty() && self.known.is_empty() && completeness.is_whole() && !self.is_reduced
    }

    /// Counts a transition to a state that is known because the search met it before: one that [`Ahead::asleep`](crate::Ahead) names.
    #[inline]
    pub fn push_known(&mut self, operation: u32) {
        match self.known.last_mut() {
            Some((last, count)) if *last == operation => *count += 1,
            _ => self.known.push((operation, 1)),
        }
    }

    /// Counts the transitions to known states of another list, too.
    pub fn copy_known(&mut self, other: &Steps) {
        self.known.extend_from_slice(&other.known);
    }

    /// Forgets the transitions to known states.
    pub fn forget_known(&mut self) {
        self.known.clear();
    }

    /// Operation and number of transitions to states that are known, for which there are no entries.
    pub fn known(&self) -> &[(u32, u64)] {
        &self.known
    }

    /// Sets the sleep set of the target of the last entry.
    #[inline]
    pub fn set_sleep_set(&mut self, set: impl ExactSizeIterator<Item = u64>) {
        self.sleep_words = set.len();
        self.sleep_sets.resize((self.heads.len() - 1) * self.sleep_words, 0);
        self.sleep_sets.extend(set);
    }

    /// Sleep set of the target of an entry; empty if there is none.
    #[inline]
    pub fn sleep_set(&self, idx: usize) -> &[u64] {
        self.sleep_sets.get(idx * self.sleep_words..(idx + 1) * self.sleep_words).unwrap_or_default()
    }

    /// Adds `count` transitions of one operation to one target that differ in their labels only.
    #[inline]
    pub fn push(&mut self, operation: u32, count: u64, target: &[u32]) {
        self.push_labelled(operation, None, count, target);
    }

    /// Adds a transition to a copy of a state, which the caller then changes.
    #[inline]
    pub fn push_copy(&mut self, operation: u32, state: &[u32]) -> &mut [u32] {
        self.push(operation, 1, state);
        let start = self.words.len() - self.width;
        &mut self.words[start..]
    }

    /// Adds a transition with its label to a copy of a state, which the caller then changes.
    #[inline]
    pub fn push_labelled_copy(&mut self, operation: u32, label: LabelId, state: &[u32]) -> &mut [u32] {
        self.push_labelled(operation, Some(label), 1, state);
        let start = self.words.len() - self.width;
        &mut self.words[start..]
    }

    /// Takes note that the last entry is the same transition as one before it.
    pub fn mark_repeated(&mut self) {
        if let Some((_, count)) = self.heads.last_mut() {
            *count = 0;
        }
    }

    /// Adds a step with its label, which is dropped if the buffer does not ask for it. The count is 0 for a step that is the same transition as one
    /// before it, since labels may say more than transitions do.
    #[inline]
    pub fn push_labelled(&mut self, operation: u32, label: Option<LabelId>, count: u64, target: &[u32]) {
        debug_assert_eq!(target.len(), self.width);
        self.words.extend_from_slice(target);
        self.heads.push((operation, count));
        if let Some(labels) = &mut self.labels {
            labels.push(label);
        }
    }

    /// Adds a copy of a step with another target and additional marks.
    #[inline]
    pub fn push_like(&mut self, step: &Step<'_>, marks: Marks, target: &[u32]) {
        self.push_labelled(step.operation, step.label, step.count, target);
        let marks = step.marks | marks;
        if marks != 0 {
            self.marks.resize(self.heads.len(), 0);
            self.marks[self.heads.len() - 1] = marks;
        }
    }

    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    pub fn len(&self) -> usize {
        self.heads.len()
    }

    /// Adds transitions to the count of an entry, saturating.
    pub fn add_count(&mut self, entry: usize, more: u64) {
        let (_, count) = &mut self.heads[entry];
        *count = count.saturating_add(more);
    }

    /// Last entry.
    pub fn last(&self) -> Option<Step<'_>> {
        self.len().checked_sub(1).map(|idx| self.get(idx))
    }

    /// Keeps the first `len` entries.
    pub fn truncate(&mut self, len: usize) {
        self.heads.truncate(len);
        self.words.truncate(len * self.width);
        self.labels.iter_mut().for_each(|labels| labels.truncate(len));
        self.marks.truncate(len);
        self.sleep_sets.truncate(len * self.sleep_words);
    }

    /// Entry at an index.
    #[inline]
    pub fn get(&self, idx: usize) -> Step<'_> {
        let (operation, count) = self.heads[idx];
        Step {
            operation,
            count,
            // `get` instead of indexing: the compiler can drop a lookup whose result is not used, but not a panic.
            label: self.labels.as_ref().and_then(|labels| labels.get(idx).copied().flatten()),
            marks: self.marks.get(idx).copied().unwrap_or(0),
            target: &self.words[idx * self.width..(idx + 1) * self.width],
        }
    }

    /// All entries in order.
    #[inline]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Step<'_>> {
        self.iter_from(0)
    }

    /// Entries from an index on. Unlike `skip`, it does not step through the entries before.
    #[inline]
    pub fn iter_from(&self, start: usize) -> impl ExactSizeIterator<Item = Step<'_>> {
        (start..self.len()).map(|idx| self.get(idx))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_two_gaps_the_graver_one_counts() {
        let (whole, capped) = (Completeness::Whole, Completeness::Missing(Gap::Capped));
        assert_eq!(whole.and(whole), whole);
        assert_eq!(whole.and(capped), capped);
        assert_eq!(capped.and(Completeness::Missing(Gap::Stopped)), Completeness::Missing(Gap::Stopped));
        assert_eq!(Completeness::Missing(Gap::Failed).and(capped), Completeness::Missing(Gap::Failed));
    }

    #[test]
    fn labels_and_marks_stay_with_their_steps() {
        let mut steps = Steps::with_labels(1);
        steps.push(0, 2, &[7]);
        steps.push_labelled(1, Some(LabelId(5)), 1, &[8]);
        let like = Step { operation: 1, count: 1, label: Some(LabelId(6)), marks: 1, target: &[8] };
        steps.push_like(&like, 2, &[9]);
        let found: Vec<_> = steps.iter().map(|step| (step.label, step.marks, step.target[0])).collect();
        assert_eq!(found, [(None, 0, 7), (Some(LabelId(5)), 0, 8), (Some(LabelId(6)), 3, 9)]);
        steps.truncate(2);
        steps.push(3, 1, &[1]);
        assert_eq!(steps.last().map(|step| (step.label, step.marks)), Some((None, 0)));
        steps.push_labelled_copy(3, LabelId(4), &[1])[0] = 2;
        steps.mark_repeated();
        let last = steps.last().map(|step| (step.label, step.count, step.target[0]));
        assert_eq!(last, Some((Some(LabelId(4)), 0, 2)));
        steps.truncate(3);
        let mut plain = Steps::new(1);
        plain.push_labelled(1, Some(LabelId(5)), 1, &[8]);
        assert_eq!(plain.get(0).label, None);
        assert_eq!(steps.iter_from(1).map(|step| step.target[0]).collect::<Vec<_>>(), [8, 1]);
    }

    #[test]
    fn a_list_that_is_not_whole_is_no_deadlock() {
        let mut steps = Steps::new(1);
        assert!(steps.is_deadlock(Completeness::Whole));
        assert!(!steps.is_deadlock(Completeness::Missing(Gap::Bounded)));
        steps.is_reduced = true;
        assert!(!steps.is_deadlock(Completeness::Whole));
        steps.clear();
        steps.push_known(3);
        steps.push_known(3);
        steps.push_known(5);
        assert!(!steps.is_deadlock(Completeness::Whole) && steps.is_empty());
        assert_eq!(steps.known(), [(3, 2), (5, 1)]);
        steps.clear();
        assert!(steps.is_deadlock(Completeness::Whole));
    }

    #[test]
    fn sleep_sets_stay_with_their_steps() {
        let mut steps = Steps::new(1);
        steps.push(0, 1, &[7]);
        steps.push(0, 1, &[8]);
        steps.set_sleep_set([5, 6].into_iter());
        steps.push(0, 1, &[9]);
        let found: Vec<&[u64]> = (0..3).map(|idx| steps.sleep_set(idx)).collect();
        assert_eq!(found, [&[0, 0][..], &[5, 6], &[]]);
        steps.truncate(1);
        steps.push(0, 1, &[1]);
        assert!(steps.sleep_set(1).is_empty());
    }
}
