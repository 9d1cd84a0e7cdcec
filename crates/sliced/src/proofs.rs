//! Proofs in a long search: whether invariant and assertions hold in all reachable states, so that they need not be evaluated in each.
//!
//! A proof by induction asks a SAT solver about every step and every conjunct. It takes a fraction of a second where invariants were written to be proved, and is hopeless
//! elsewhere, so it gets a small part of the time that the search has taken, and goes on later if that was not enough. A property that is not proved is evaluated as before.

use std::sync::Arc;
use std::time::{Duration, Instant};

use abridge_deps::{AnalysisDepth, Answers, Dependencies, Resources};
use abridge_diag::StopFlag;
use abridge_encoding::PropertyKind;
use abridge_explicit::Explicit;
use abridge_model_system::ModelSystem as _;

use crate::compiled::source;

/// Time of a search after which the first proof is tried, and the factor to the next one.
const FIRST_PROOF_AFTER: Duration = Duration::from_secs(1);
const GROWTH: u32 = 3;
/// A proof takes at most one part in so many of the time of the search so far, and the search waits no longer than that.
const TIME_DIVISOR: u32 = 32;
const MAX_TIME: Duration = Duration::from_secs(10);
/// Conflicts after which the solver gives up on a question, and effort of the analysis.
const MAX_CONFLICTS: u64 = 2_000;
const MAX_EFFORT: u64 = 200_000;

/// When the next proof is due.
pub(crate) struct ProofSchedule {
    begin: Option<Instant>,
    /// Nothing after a proof that was brought to an end.
    due: Option<Duration>,
    /// Answers of the solver so far.
    answers: Arc<Answers>,
}

impl Default for ProofSchedule {
    fn default() -> Self {
        ProofSchedule { begin: None, due: Some(FIRST_PROOF_AFTER), answers: Arc::default() }
    }
}

impl ProofSchedule {
    /// Tries a proof if one is due. `prove` gets the time that it may take and the answers so far, and says whether it was brought to an end.
    pub(crate) fn next(&mut self, now: Instant, prove: impl FnOnce(Duration, &Arc<Answers>) -> bool) {
        let elapsed = now.duration_since(*self.begin.get_or_insert(now));
        if self.due.is_some_and(|due| elapsed >= due) {
            let has_ended = prove((elapsed / TIME_DIVISOR).min(MAX_TIME), &self.answers);
            self.due = (!has_ended).then_some(elapsed * GROWTH);
        }
    }
}

/// The properties that are proved for the constants of a state within some time; nothing if that was too short, or the machine cannot be analysed.
pub(crate) fn proved(
    system: &Explicit<'_>,
    words: &[u32],
    time: Option<Duration>,
    answers: &Arc<Answers>,
) -> Option<Vec<PropertyKind>> {
    let deadline = time.map(|time| Instant::now() + time);
    let whole = system.judge().stop();
    let stop =
        StopFlag::probed(move || whole.is_raised() || deadline.is_some_and(|deadline| Instant::now() >= deadline));
    let judge = system.judge().clone().stopped_by(stop.clone());
    let resources = Resources::new(answers.clone(), MAX_EFFORT).ended_by({
        let stop = stop.clone();
        move || stop.is_raised()
    });
    let depth = AnalysisDepth::Semantic { conflicts: MAX_CONFLICTS };
    let proved = Dependencies::proved_properties(&source(system, &judge), &system.decode(words).0, depth, &resources);
    // What was stopped may lack steps, and proves nothing.
    proved.filter(|_| !stop.is_raised())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proofs_are_tried_until_one_ends() {
        let (mut schedule, begin) = (ProofSchedule::default(), Instant::now());
        let mut tried = Vec::new();
        for second in 0..40 {
            schedule.next(begin + Duration::from_secs(second), |time, _| {
                tried.push((second, time.as_millis()));
                second >= 9
            });
        }
        assert_eq!(tried, [(1, 31), (3, 93), (9, 281)]);
    }
}
