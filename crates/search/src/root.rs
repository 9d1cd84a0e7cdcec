//! Steps out of the root, taken while they are being found.

use std::ops::ControlFlow;
use std::time::Duration;

use abridge_system::{Gap, Limit, Origin, Steps, System, Worker};

use crate::explore::{Config, Control, Progress};
use crate::record::Record;
use crate::scout::{Scout, Start, WALK_STEPS};

/// Steps that are taken together. Their number does not depend on time, so neither does what a search has seen when it ends at a finding.
const STEPS_PER_PART: usize = 256;
/// Time between two questions to the [`Control`], and steps between them where there is no clock.
const POLL_EVERY: Duration = Duration::from_millis(5);
const STEPS_PER_POLL: usize = 64;
/// Steps of a walk from a set-up if the search ends at what it finds: set-up and initialisation make a trace that hardly anything is shorter than.
const SETUP_WALK_STEPS: usize = 2;

/// A search that takes up the steps out of the root.
pub(crate) trait Taker<'s, S: System + 's> {
    /// Counts some steps and adds what is new.
    fn take_part(&mut self, steps: &mut Steps);

    fn progress(&self) -> Progress;

    /// Takes notice of a limit; whether the search must end.
    fn heed(&mut self, limit: Limit) -> bool;

    fn record(&mut self) -> &mut Record;

    fn scout(&mut self) -> &mut Scout<'s, S>;
}

/// What the root is like.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Root {
    /// Nothing leaves it.
    pub(crate) is_stuck: bool,
    pub(crate) is_ill_defined: bool,
    /// All steps out of it were taken.
    pub(crate) is_whole: bool,
}

/// Finds all steps out of the root, or as many as there is time for.
pub(crate) fn enumerate<'s, S: System + 's>(
    system: &'s S,
    config: &Config,
    taker: &mut impl Taker<'s, S>,
    control: &mut dyn Control,
) -> Root {
    let mut steps = Steps::new(system.width());
    let mut root = Root { is_stuck: true, is_ill_defined: false, is_whole: true };
    let mut pace = Pace::default();
    let mut take = |steps: &mut Steps, taker: &mut dyn Taker<'s, S>| {
        root.is_stuck &= steps.is_empty();
        root.is_ill_defined |= !steps.ill_defined().is_empty();
        taker.take_part(steps);
        steps.clear();
    };
    let completeness = system.worker().expand(Origin::Root, None, &mut steps, &mut |steps| {
        let is_due = pace.is_due(&*control);
        let looks = is_due && taker.scout().is_due(&*control);
        let newest = steps.last().filter(|_| looks).map(|step| step.target.to_vec());
        if steps.len() >= STEPS_PER_PART {
            take(steps, taker);
        }
        if let Some(words) = newest {
            look_ahead(config, &words, taker, &*control);
        }
        if is_due && let Some(limit) = control.poll(&taker.progress()) {
            taker.heed(limit);
        }
        if taker.record().is_done { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let was_done = taker.record().is_done;
    taker.record().heed(completeness);
    take(&mut steps, taker);
    root.is_whole = !was_done && completeness.gap() != Some(Gap::Stopped);
    root
}

/// Walks from the newest of the steps.
fn look_ahead<'s, S: System + 's>(
    config: &Config,
    newest: &[u32],
    taker: &mut impl Taker<'s, S>,
    control: &dyn Control,
) {
    let length = if config.stop_at_first { SETUP_WALK_STEPS } else { WALK_STEPS };
    let mut start = |_: &mut _| Some(Start { number: None, words: newest.to_vec() });
    taker.scout().look(config, length, control, &mut start);
    if config.stop_at_first && !taker.scout().found.is_empty() {
        // What was found ahead is enough.
        taker.record().is_done = true;
    }
}

/// When it is time to ask the [`Control`].
#[derive(Default)]
struct Pace {
    last: Duration,
    n_steps: usize,
}

impl Pace {
    fn is_due(&mut self, control: &dyn Control) -> bool {
        let Some(elapsed) = control.elapsed() else {
            self.n_steps += 1;
            return self.n_steps.is_multiple_of(STEPS_PER_POLL);
        };
        let is_due = elapsed >= self.last + POLL_EVERY;
        if is_due {
            self.last = elapsed;
        }
        is_due
    }
}
