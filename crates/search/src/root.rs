//! Steps out of the root, consumed while they are being enumerated.
//!
//! A machine may have more set-ups than there is time for. Their states enter the search in parts of fixed size, so that limits and findings are
//! seen during the enumeration.

use std::ops::ControlFlow;
use std::time::Duration;

use abridge_system::{Gap, Limit, Origin, Steps, System, Worker};

use crate::explore::{Control, Progress, SearchConfig};
use crate::record::SearchRecord;
use crate::scout::{FIRST_WALK_STEPS, Scout, WALK_STEPS, WalkStart};

/// Steps per part. The number does not depend on time, so neither do the states seen by a search that ends at a finding.
const STEPS_PER_PART: usize = 256;
/// Time between two polls of the [`Control`].
const POLL_INTERVAL: Duration = Duration::from_millis(5);
/// Steps between two polls without a clock.
const STEPS_PER_POLL: usize = 64;

/// Search that consumes the steps out of the root.
pub(crate) trait RootConsumer<'s, S: System + 's> {
    /// Counts the steps of a part, and adds the new targets.
    fn consume(&mut self, steps: &mut Steps);

    fn progress(&self) -> Progress;

    /// Handles a limit of the [`Control`]. Returns `true` if the search ends.
    fn heed(&mut self, limit: Limit) -> bool;

    fn record(&mut self) -> &mut SearchRecord;

    fn scout(&mut self) -> &mut Scout<'s, S>;
}

/// Summary of the root.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Root {
    /// The root has no step.
    pub(crate) is_stuck: bool,
    /// Some step out of the root is ill-defined.
    pub(crate) is_ill_defined: bool,
    /// All steps out of the root were enumerated.
    pub(crate) is_whole: bool,
}

/// Enumerates the steps out of the root, until all are known or the search ends.
pub(crate) fn enumerate<'s, S: System + 's>(
    system: &'s S,
    config: &SearchConfig,
    consumer: &mut impl RootConsumer<'s, S>,
    control: &mut dyn Control,
) -> Root {
    let mut steps = Steps::new(system.width());
    let mut root = Root { is_stuck: true, is_ill_defined: false, is_whole: true };
    let mut pace = Pace::default();
    let mut take = |steps: &mut Steps, consumer: &mut dyn RootConsumer<'s, S>| {
        root.is_stuck &= steps.is_empty();
        root.is_ill_defined |= !steps.ill_defined().is_empty();
        consumer.consume(steps);
        steps.clear();
    };
    let completeness = system.worker().expand(Origin::Root, None, &mut steps, &mut |steps| {
        let is_due = pace.is_due(&*control);
        let looks = is_due && consumer.scout().is_due(&*control);
        let newest = steps.last().filter(|_| looks).map(|step| step.target.to_vec());
        if steps.len() >= STEPS_PER_PART {
            take(steps, consumer);
        }
        if let Some(words) = newest {
            look_ahead(config, &words, consumer, &*control);
        }
        if is_due && let Some(limit) = control.poll(&consumer.progress()) {
            consumer.heed(limit);
        }
        if consumer.record().is_done { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let was_done = consumer.record().is_done;
    consumer.record().heed(completeness);
    take(&mut steps, consumer);
    root.is_whole = !was_done && completeness.gap() != Some(Gap::Stopped);
    root
}

/// Makes walks from the target of the newest step.
fn look_ahead<'s, S: System + 's>(
    config: &SearchConfig,
    newest: &[u32],
    consumer: &mut impl RootConsumer<'s, S>,
    control: &dyn Control,
) {
    let length = if config.stop_at_first { FIRST_WALK_STEPS } else { WALK_STEPS };
    let mut start = |_: &mut _| Some(WalkStart { number: None, is_new: true, words: newest.to_vec() });
    consumer.scout().look(config, length, control, &mut start);
    if config.stop_at_first && !consumer.scout().found.is_empty() {
        // One finding was asked for, and a walk has it.
        consumer.record().is_done = true;
    }
}

/// Interval between two polls of the [`Control`].
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
        let is_due = elapsed >= self.last + POLL_INTERVAL;
        if is_due {
            self.last = elapsed;
        }
        is_due
    }
}
