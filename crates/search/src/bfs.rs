//! Breadth-first search, block by block.
//!
//! A block is a sequence of consecutive states of one level. Its size follows from the states visited so far, never from time or the number of
//! threads. Conditions that end the search are examined after a block. So results do not depend on the number of threads. Small blocks are
//! expanded by the calling thread, large ones by all threads ([`ParallelBlock`]).

use std::io;
use std::ops::Range;
use std::thread::{self, Scope};

use abridge_diag::with_stack;
use abridge_store::{Inserted, MAX_STATES, NO_PARENT, Order, StateTable, Volume};
use abridge_system::{Completeness, Finding, FindingKind, Gap, Limit, Properties, Steps, System};

use crate::disk::{self, Disk, Grown, OpenBlock, Position, Refusal, Resumed, Saver};
use crate::explore::{Control, DiskUse, Exploration, Progress, SearchConfig};
use crate::graph::{Encoded, Encoder, StateGraph, StateNotes};
use crate::parallel::{ParallelBlock, Task};
use crate::pool::Pool;
use crate::record::{SearchRecord, Tally};
use crate::root::{self, RootConsumer};
use crate::scout::{self, Scout, WalkStart};
use crate::scratch::BatchScratch;

/// Smallest block that all threads expand together.
const MIN_PARALLEL_STATES: u32 = 128;
const MIN_BLOCK_STATES: u32 = 16;
const MAX_BLOCK_STATES: u32 = 1 << 17;
/// States per part of a block, near the limit on states.
const SHORT_PART_STATES: u32 = 16;
/// Target for the number of steps of a block.
const MAX_BLOCK_STEPS: u64 = 1 << 20;
/// Expanded states between two calls of [`System::tidy`], at least.
const MIN_STATES_PER_TIDY: u32 = 64;
/// Expanded states between two polls of the [`Control`].
const STATES_PER_POLL: u32 = 256;
/// Expanded states between two looks at the clock for random walks, at least.
const STATES_PER_CLOCK: u32 = 16;
/// Number of steps that take about as long as expanding a state; makes states with many steps count as several.
const STEPS_PER_STATE: u32 = 64;

/// Quad ids kept in reserve for the steps of one block, since the number of quads is examined between blocks only.
pub(crate) const QUADS_MARGIN: u64 = 1 << 26;

pub(crate) fn explore<S: System>(system: &S, config: &SearchConfig, control: &mut dyn Control) -> Exploration {
    let (table, stores_steps) = (empty_table(system, control), control.needs_steps());
    run(system, config, control, Start { table, stores_steps, ..Start::default() })
}

pub(crate) fn explore_on_disk<S: System>(
    system: &S,
    config: &SearchConfig,
    disk: Disk<'_>,
    control: &mut dyn Control,
) -> Result<Exploration, Refusal> {
    let stores_steps = control.needs_steps();
    let mut start = Start { spill: disk.spill, stores_steps, ..Start::default() };
    let table = empty_table(system, control);
    match disk.checkpoint {
        Some(checkpoint) if checkpoint.resume => {
            let mut pause = |grown: Grown<'_>| spill_on_demand(grown, disk.spill, control);
            let Resumed { saver, table, steps, position, record } =
                disk::resume(system, checkpoint, table, &mut pause)?;
            if stores_steps != (steps.n_states() > 0) && position.next > 0 {
                return Err(Refusal::OtherModel);
            }
            (start.table, start.steps) = (table, steps);
            (start.saver, start.resumed) = (Some(saver), Some((position, record)));
        }
        checkpoint => (start.table, start.saver) = (table, checkpoint.map(Saver::new)),
    }
    Ok(run(system, config, control, start))
}

fn empty_table<S: System>(system: &S, control: &dyn Control) -> StateTable {
    StateTable::new(system.width(), Order::Ascending).numbered(control.needs_steps())
}

/// While a saved search is read, memory is the only limit.
fn spill_on_demand(grown: Grown<'_>, volume: Option<&dyn Volume>, control: &mut dyn Control) -> io::Result<()> {
    let Some(volume) = volume else { return Ok(()) };
    let progress = Progress {
        states: grown.table.len() as u64,
        bytes: grown.table.bytes() as u64 + grown.steps.bytes(),
        is_spilled: grown.table.is_spilled(),
        can_spill: true,
        ..Progress::default()
    };
    if control.poll(&progress) != Some(Limit::Memory) {
        return Ok(());
    }
    if is_worth_spilling_steps(grown.steps, progress.bytes) {
        return grown.steps.spill(volume);
    }
    if is_worth_spilling(grown.table, progress.bytes) { grown.table.spill(volume) } else { Ok(()) }
}

/// Stored steps go to files first: nobody needs them before the search pauses.
fn is_worth_spilling_steps(steps: &StateGraph, bytes: u64) -> bool {
    steps.spillable_bytes() >= bytes / 8
}

/// Whether a spill frees a worthwhile part of the memory: a quarter of `bytes`, with at least 1/64 of the states not yet in files. Spilling
/// fewer states again and again would not help, since then something else uses the memory.
fn is_worth_spilling(table: &StateTable, bytes: u64) -> bool {
    table.spillable_bytes() as u64 >= bytes / 4 && table.n_recent() >= table.len() / 64
}

/// Starting point of a search: an empty or restored table, and the files that it may use.
struct Start<'v> {
    table: StateTable,
    stores_steps: bool,
    steps: StateGraph,
    resumed: Option<(Position, SearchRecord)>,
    saver: Option<Saver<'v>>,
    spill: Option<&'v dyn Volume>,
}

impl Default for Start<'_> {
    fn default() -> Self {
        let table = StateTable::new(0, Order::Ascending);
        Start { table, stores_steps: false, steps: StateGraph::default(), resumed: None, saver: None, spill: None }
    }
}

fn run<S: System>(system: &S, config: &SearchConfig, control: &mut dyn Control, start: Start<'_>) -> Exploration {
    let parallel = ParallelBlock::new(config, start.stores_steps);
    let pool = Pool::new();
    thread::scope(|scope| {
        let _dismissal = pool.dismissal();
        let is_new = start.resumed.is_none();
        let (position, record) = start.resumed.unwrap_or_default();
        if record.may_miss_steps() {
            parallel.forgo_sleep();
        }
        let mut search = BreadthFirst {
            system,
            config,
            parallel: &parallel,
            pool: &pool,
            table: start.table,
            scratch: BatchScratch::new(system, start.saver.is_none()),
            scout: Scout::new(system, config),
            record,
            position,
            asked: config.properties,
            since_poll: 0,
            walked_before: 0,
            saver: start.saver,
            spill: start.spill,
            is_spill_due: false,
            disk: DiskUse::default(),
            buffers: Buffers::default(),
            stores_steps: start.stores_steps,
            steps: start.steps,
        };
        search.run(is_new, scope, control)
    })
}

struct BreadthFirst<'e, 'v, S: System + 'e> {
    system: &'e S,
    config: &'e SearchConfig,
    parallel: &'e ParallelBlock<'e>,
    pool: &'e Pool<Task>,
    /// The table, but while all threads work on it.
    table: StateTable,
    scratch: BatchScratch<S::Worker<'e>>,
    scout: Scout<'e, S>,
    record: SearchRecord,
    position: Position,
    /// Properties that new states are inspected for.
    asked: Properties,
    since_poll: u32,
    /// First state that was not expanded when random walks were last considered.
    walked_before: u32,
    saver: Option<Saver<'v>>,
    spill: Option<&'v dyn Volume>,
    /// Memory is short; states are to be spilled after this block.
    is_spill_due: bool,
    disk: DiskUse,
    buffers: Buffers,
    stores_steps: bool,
    /// Steps of the states before the next one, if they are stored.
    steps: StateGraph,
}

/// Buffers reused by small blocks.
#[derive(Default)]
struct Buffers {
    /// State roots of the states to expand.
    roots: Vec<u64>,
    /// State roots of the targets of steps.
    targets: Vec<u64>,
    /// New targets, as (number, step).
    fresh: Vec<(u32, usize)>,
    /// Numbers of the targets.
    numbers: Vec<u32>,
    encoder: Encoder,
    record: Vec<u8>,
}

impl<'e, S: System> RootConsumer<'e, S> for BreadthFirst<'e, '_, S> {
    fn consume(&mut self, steps: &mut Steps) {
        std::mem::swap(steps, &mut self.scratch.steps);
        self.absorb(NO_PARENT, self.is_last(0));
        self.cut();
        if std::mem::take(&mut self.is_spill_due) && !self.record.is_done {
            self.relieve_memory();
        }
    }

    fn progress(&self) -> Progress {
        self.progress(0)
    }

    fn heed(&mut self, limit: Limit) -> bool {
        self.heed(limit)
    }

    fn record(&mut self) -> &mut SearchRecord {
        &mut self.record
    }

    fn scout(&mut self) -> &mut Scout<'e, S> {
        &mut self.scout
    }
}

impl<'e, S: System> BreadthFirst<'e, '_, S> {
    fn run<'s>(&mut self, is_new: bool, scope: &'s Scope<'s, 'e>, control: &mut dyn Control) -> Exploration {
        if is_new {
            self.root(control);
        } else if !self.is_within_part() {
            // The limit may be one that was reached before.
            self.cut();
        }
        self.levels(scope, control);
        match &self.saver {
            // What the steps are for is still to be done.
            Some(saver) if !self.record.is_stopped && !self.stores_steps => saver.remove(),
            _ => self.save(),
        }
        control.poll(&self.progress(self.position.next));
        let (record, depth) = (std::mem::take(&mut self.record), self.deepest());
        self.disk.is_spilled = self.table.is_spilled();
        Exploration {
            table: std::mem::replace(&mut self.table, StateTable::new(0, Order::Ascending)),
            n_expanded: self.position.next,
            steps: std::mem::take(&mut self.steps),
            transitions: record.tally.transitions,
            per_operation: record.tally.per_operation,
            findings: record.findings,
            scouted: std::mem::take(&mut self.scout.found),
            limits: record.limits,
            is_stopped: record.is_stopped,
            depth,
            is_stuck_at_root: self.position.is_stuck,
            is_ill_defined_at_root: self.position.is_ill_defined,
            disk: std::mem::take(&mut self.disk),
        }
    }

    /// Adds the states after the root.
    fn root(&mut self, control: &mut dyn Control) {
        let root = root::enumerate(self.system, self.config, self, control);
        let n_starts = self.table.len() as u32;
        self.table.close(NO_PARENT, n_starts);
        (self.position.is_stuck, self.position.is_ill_defined) = (root.is_stuck, root.is_ill_defined);
        if !root.is_whole {
            self.forgo_saving("the search was ended before all set-ups and initial states were known");
        }
        self.cut();
    }

    /// Gives up checkpoints, since this search could not be resumed from one.
    fn forgo_saving(&mut self, why: &str) {
        if self.saver.take().is_some() {
            self.disk.checkpoint_error = Some(why.to_owned());
        }
    }

    /// A large block was interrupted inside a part, which would have been expanded to its end before the limit on states is looked at.
    fn is_within_part(&self) -> bool {
        self.position.block.is_some_and(|block| block.is_large) && !self.position.next.is_multiple_of(SHORT_PART_STATES)
    }

    /// Depth of the deepest state: that of the level being expanded, or one more if the next level has begun.
    fn deepest(&self) -> u32 {
        let has_next_level = self.table.len() > self.position.level_end as usize;
        self.position.depth + u32::from(has_next_level)
    }

    fn is_last(&self, depth: u32) -> bool {
        self.config.max_depth.is_some_and(|max| depth >= max)
    }

    fn levels<'s>(&mut self, scope: &'s Scope<'s, 'e>, control: &mut dyn Control) {
        // A resumed search may already have its finding. In a large block a finding ends the search only after the block.
        let is_in_large = self.position.block.is_some_and(|block| block.is_large);
        self.record.is_done |= self.config.stop_at_first && !self.record.findings.is_empty() && !is_in_large;
        while !self.record.is_done {
            if self.position.next == self.position.level_end {
                self.position.level_end = self.table.len() as u32;
                if self.position.next == self.position.level_end {
                    return;
                }
                self.position.depth += 1;
            }
            self.block(scope, control);
            self.cut();
            self.tidy(self.position.next);
            self.use_disk(control);
            // Levels of few states would ask the clock too often.
            if self.position.next.wrapping_sub(self.walked_before) >= STATES_PER_CLOCK {
                self.look_ahead(self.position.next, control);
            }
            self.record.is_done |= control.is_enough(&self.table, &self.steps);
        }
    }

    /// Makes random walks from the frontier, if they are due.
    fn look_ahead(&mut self, first: u32, control: &mut dyn Control) {
        self.walked_before = first;
        if self.record.is_done || !self.scout.is_due(control) {
            return;
        }
        let Self { table, scout, config, .. } = self;
        scout.look(config, scout::WALK_STEPS, control, &mut |random| WalkStart::waiting(table, first, random));
    }

    /// Expands the next block, or the rest of a block that was interrupted.
    fn block<'s>(&mut self, scope: &'s Scope<'s, 'e>, control: &mut dyn Control) {
        let next = self.position.next;
        let open = self.position.block.take().unwrap_or_else(|| {
            let level_end = self.position.level_end;
            let end = if level_end - next <= MIN_BLOCK_STATES {
                level_end
            } else {
                level_end.min(next.saturating_add(self.block_size(next)))
            };
            OpenBlock { end, is_large: end - next >= MIN_PARALLEL_STATES }
        });
        let is_last_level = self.is_last(self.position.depth);
        self.position.next = if open.is_large {
            self.large_block_in_parts(next..open.end, is_last_level, scope, control)
        } else {
            self.small_block(next..open.end, is_last_level, control)
        };
        self.position.block = Some(open).filter(|open| self.position.next < open.end);
        if open.is_large && self.position.block.is_none() {
            self.record.is_done |= self.config.stop_at_first && !self.record.findings.is_empty();
        }
    }

    /// Spills states and writes a checkpoint, if they are due.
    fn use_disk(&mut self, control: &mut dyn Control) {
        if std::mem::take(&mut self.is_spill_due) && !self.record.is_done {
            self.relieve_memory();
        }
        if !self.record.is_done && self.saver.is_some() && control.is_checkpoint_due() {
            self.save();
        }
    }

    fn relieve_memory(&mut self) {
        let Some(volume) = self.spill else { return };
        if is_worth_spilling_steps(&self.steps, self.bytes()) {
            if let Err(error) = self.steps.spill(volume) {
                self.disk_failed(&error);
            }
            return;
        }
        if !self.is_worth_spilling() {
            self.table.shrink();
            return;
        }
        let spilled = self.table.spill(volume);
        if let Err(error) = spilled {
            self.disk_failed(&error);
        }
    }

    fn disk_failed(&mut self, error: &io::Error) {
        self.disk.spill_error = Some(error.to_string());
        self.record.stop(Limit::Disk);
    }

    fn save(&mut self) {
        let Some(saver) = &mut self.saver else { return };
        match saver.save(self.system, (&self.table, &self.steps), &self.position, &self.record) {
            Ok(()) => {
                self.disk.n_checkpoints += 1;
                self.disk.checkpoint_error = None;
            }
            Err(error) => self.disk.checkpoint_error = Some(error.to_string()),
        }
    }

    /// Handles a limit of the [`Control`]: schedules a spill, or ends the search and returns `true`.
    fn heed(&mut self, limit: Limit) -> bool {
        if limit == Limit::Memory && self.can_spill() {
            self.is_spill_due = true;
            return false;
        }
        self.record.stop(limit);
        true
    }

    /// Whether memory can be freed by spilling states or shrinking the table.
    fn can_spill(&self) -> bool {
        let is_worth_it = || is_worth_spilling_steps(&self.steps, self.bytes()) || self.is_worth_spilling();
        self.spill.is_some() && (is_worth_it() || self.table.can_shrink())
    }

    fn is_worth_spilling(&self) -> bool {
        is_worth_spilling(&self.table, self.bytes())
    }

    /// Bytes of the search and of what the system keeps.
    fn bytes(&self) -> u64 {
        let sleep_bytes = self.parallel.sleep_bytes();
        self.table.bytes() as u64 + sleep_bytes + self.steps.bytes() + self.system.bytes()
    }

    /// Where it is done follows from the state space alone: never inside a block, and after a checkpoint as without one.
    fn tidy(&mut self, visited: u32) {
        if visited - self.position.tidied >= MIN_STATES_PER_TIDY && self.position.block.is_none() {
            self.position.tidied = visited;
            let n_states = self.table.len() as u64;
            match self.system.tidy(n_states) {
                0 => {}
                n_parts => self.run_task(Task::Tidy(n_parts), &mut |_| {}),
            }
            self.asked = self.system.open_properties(self.config.properties);
        }
    }

    /// Number of states in the next block: a quarter of the states expanded so far, within bounds. So the work wasted when a search ends is a
    /// fraction of the work done before.
    fn block_size(&self, visited: u32) -> u32 {
        let per_state = self.record.tally.transitions / u64::from(visited.max(1)) + 1;
        let largest =
            (MAX_BLOCK_STEPS / per_state).clamp(u64::from(MIN_PARALLEL_STATES), u64::from(MAX_BLOCK_STATES)) as u32;
        (visited / 4).clamp(MIN_BLOCK_STATES, largest)
    }

    /// Ends the search at the limit on states, or when the ids of quads run out.
    fn cut(&mut self) {
        self.cut_after(self.position.next);
    }

    fn cut_after(&mut self, visited: u32) {
        let (len, n_quads) = (self.table.len() as u64, self.table.n_quads());
        if self.config.max_states.is_some_and(|max| len >= max && u64::from(visited) < len) {
            self.record.stop(Limit::States(len));
        }
        if n_quads >= MAX_STATES - QUADS_MARGIN {
            self.record.stop(Limit::Numbers);
        }
    }

    fn progress(&self, visited: u32) -> Progress {
        Progress {
            states: self.table.len() as u64,
            transitions: self.record.tally.transitions,
            waiting: self.table.len() as u64 - u64::from(visited),
            bytes: self.bytes(),
            is_spilled: self.table.is_spilled(),
            can_spill: self.can_spill(),
            depth: self.position.depth,
            is_settled: !self.record.findings.is_empty() || !self.scout.found.is_empty(),
        }
    }

    /// Expands states one after the other. Returns the first state that was not expanded.
    fn small_block(&mut self, block: Range<u32>, is_last_level: bool, control: &mut dyn Control) -> u32 {
        if !self.table.is_spilled() {
            return self.expand_each(block, |table, state| table.root(state), is_last_level, control);
        }
        let mut roots = std::mem::take(&mut self.buffers.roots);
        let read = self.table.read_roots(block.clone(), &mut roots);
        let next = match read {
            Ok(()) => {
                let start = block.start;
                self.expand_each(block, |_, state| roots[(state - start) as usize], is_last_level, control)
            }
            Err(error) => {
                self.disk_failed(&error);
                block.start
            }
        };
        self.buffers.roots = roots;
        next
    }

    fn expand_each(
        &mut self,
        block: Range<u32>,
        root: impl Fn(&StateTable, u32) -> u64,
        is_last_level: bool,
        control: &mut dyn Control,
    ) -> u32 {
        for state in block.clone() {
            self.since_poll += 1;
            if self.since_poll >= STATES_PER_POLL {
                self.since_poll = 0;
                if control.poll(&self.progress(state)).is_some_and(|limit| self.heed(limit)) {
                    return state;
                }
                self.look_ahead(state, control);
            }
            self.scratch.read(&self.table, root(&self.table, state));
            let Some(completeness) = self.expand(state, control) else { return state };
            self.record.heed(completeness);
            if !completeness.is_whole() || !self.scratch.steps.ill_defined().is_empty() {
                self.parallel.forgo_sleep();
            }
            for operation in self.scratch.steps.ill_defined() {
                self.record.find(self.config, Finding { kind: FindingKind::IllDefined(*operation), state });
            }
            if self.config.deadlock && self.scratch.steps.is_deadlock(completeness) {
                self.record.find(self.config, Finding { kind: FindingKind::Deadlock, state });
            }
            if !self.absorb(state, is_last_level) {
                return state;
            }
            self.store(state, is_last_level, completeness);
            self.since_poll = self.since_poll.saturating_add(self.scratch.steps.len() as u32 / STEPS_PER_STATE);
            self.cut_after(state + 1);
            if self.record.is_done {
                return state + 1;
            }
        }
        block.end
    }

    /// Computes the steps out of the current state. There may be very many, such as initial states of a set-up, so that walks look ahead meanwhile.
    /// Returns `None` if that ended the search.
    fn expand(&mut self, state: u32, control: &dyn Control) -> Option<Completeness> {
        let Self { scratch, scout, config, .. } = self;
        let mut is_over = false;
        let completeness = scratch.expand_with(&mut |steps| {
            let flow = scout.look_within(config, state, steps, control);
            is_over |= flow.is_break();
            flow
        });
        self.record.is_done |= is_over;
        Some(completeness).filter(|_| !is_over)
    }

    /// Counts the steps in the buffer, adds the new targets to the table and inspects them. Returns `false` after a failure.
    fn absorb(&mut self, parent: u32, is_last_level: bool) -> bool {
        let BreadthFirst { config, table, scratch, record, position, buffers, asked, .. } = self;
        if is_last_level {
            if !scratch.steps.is_empty() {
                record.limit(Limit::Depth(position.depth));
            }
            if parent != NO_PARENT {
                table.close(parent, 0);
            }
            return true;
        }
        if table.len() as u64 + scratch.steps.len() as u64 > MAX_STATES {
            record.stop(Limit::Numbers);
            return false;
        }
        let Buffers { targets, fresh, numbers, .. } = buffers;
        targets.clear();
        let is_whole = scratch.targets(table, |operation, count, root| {
            record.tally.add(operation, count);
            targets.push(root);
        });
        if !is_whole {
            record.heed_gap(Some(Gap::Stopped));
        }
        fresh.clear();
        numbers.clear();
        let mut failure = None;
        for (step, root) in targets.iter().enumerate() {
            if scratch.is_stopped_at(step) {
                record.heed_gap(Some(Gap::Stopped));
                break;
            }
            match table.insert(*root) {
                Ok(Inserted::New(state)) => {
                    fresh.push((state, step));
                    numbers.push(state);
                }
                Ok(Inserted::Known(state)) => numbers.push(state),
                Err(error) => failure = Some(error),
            }
        }
        if parent != NO_PARENT {
            table.close(parent, fresh.len() as u32);
        }
        let inspected = if *asked == Properties::default() { &[][..] } else { fresh.as_slice() };
        for (idx, (state, step)) in inspected.iter().copied().enumerate() {
            if scratch.is_stopped_at(idx) {
                record.heed_gap(Some(Gap::Stopped));
                break;
            }
            let completeness = scratch.inspect(step, *asked, &mut |kind| {
                record.find(config, Finding { kind, state });
            });
            record.heed(completeness);
        }
        if let Some(error) = &failure {
            self.disk_failed(error);
            // Some children of the state may be missing, so a checkpoint would be wrong.
            self.saver = None;
        }
        failure.is_none()
    }

    /// Stores the steps in the buffer, whose targets were taken.
    fn store(&mut self, state: u32, is_last_level: bool, completeness: Completeness) {
        if !self.stores_steps {
            return;
        }
        let Buffers { numbers, encoder, record, .. } = &mut self.buffers;
        let is_cut = !is_last_level && numbers.len() < self.scratch.steps.len();
        let completeness = completeness.and(is_cut.then_some(Gap::Stopped).into());
        let mut notes = StateNotes::new(&self.scratch.steps, completeness);
        encoder.begin();
        if is_last_level {
            notes.leave_out(self.scratch.known_targets(&self.table, |marks, target| encoder.push(marks, target)));
        } else {
            self.scratch.steps.iter().zip(numbers).for_each(|(step, target)| encoder.push(step.marks, *target));
        }
        record.clear();
        let mut tally = Encoded::default();
        encoder.end(state, notes, record, &mut tally);
        self.steps.append(record, &tally);
    }

    /// Expands a block, or where the number of states is limited a part of it; the first state that was not expanded.
    ///
    /// The search must not go far beyond the limit, and must end in the same place whether it was interrupted or not. So a part that could reach the
    /// limit ends at a fixed place, a multiple of [`SHORT_PART_STATES`]. Longer parts are used only if their steps are too few to reach the limit.
    fn large_block_in_parts<'s>(
        &mut self,
        block: Range<u32>,
        is_last_level: bool,
        scope: &'s Scope<'s, 'e>,
        control: &mut dyn Control,
    ) -> u32 {
        let Some(max) = self.config.max_states else {
            return self.large_block(block.clone(), is_last_level, u64::MAX, scope, control).unwrap_or(block.start);
        };
        let per_state = self.record.tally.transitions / u64::from(block.start.max(1)) + 1;
        let room = max.saturating_sub(self.table.len() as u64);
        let mut size = u32::try_from(room / per_state).unwrap_or(u32::MAX);
        while size > SHORT_PART_STATES {
            let part = block.start..block.end.min(block.start.saturating_add(size));
            if let Some(next) = self.large_block(part, is_last_level, room, scope, control) {
                return next;
            }
            size /= 2;
        }
        let end = (block.start / SHORT_PART_STATES + 1).saturating_mul(SHORT_PART_STATES).min(block.end);
        self.large_block(block.start..end, is_last_level, u64::MAX, scope, control).unwrap_or(block.start)
    }

    /// Expands states on all threads. Returns the first state that was not expanded, or `None`, with nothing changed, if there are at least
    /// `room` steps.
    fn large_block<'s>(
        &mut self,
        block: Range<u32>,
        is_last_level: bool,
        room: u64,
        scope: &'s Scope<'s, 'e>,
        control: &mut dyn Control,
    ) -> Option<u32> {
        self.start_helpers(scope);
        self.since_poll = 0;
        let start = block.start;
        self.parallel.begin(self.system, &self.table, block, is_last_level);
        let (mut limit, mut is_short) = (None, false);
        let (progress, can_spill) = (self.progress(start), self.can_spill());
        self.run_task(Task::Expand, &mut |parallel| {
            if limit.is_none() {
                limit = control.poll(&progress);
                if limit == Some(Limit::Memory) && can_spill {
                    is_short = true;
                    limit = None;
                }
                if limit.is_some() {
                    parallel.stop();
                }
            }
        });
        self.is_spill_due |= is_short;
        if let Some(error) = self.parallel.take_failure() {
            self.disk_failed(&error);
            return Some(start);
        }
        let next = self.parallel.close_expansion();
        if self.parallel.is_misled() {
            self.parallel.give_up();
            if let Some(limit) = limit {
                self.record.stop(limit);
            }
            return Some(start);
        }
        let n_steps = self.parallel.n_steps();
        if n_steps >= room && limit.is_none() {
            self.parallel.give_up();
            return None;
        }
        if self.table.len() as u64 + n_steps > MAX_STATES {
            self.record.stop(Limit::Numbers);
            return Some(start);
        }
        self.run_task(Task::Sift, &mut |_| {});
        if let Some(error) = self.parallel.take_failure() {
            self.disk_failed(&error);
            return Some(start);
        }
        self.run_task(Task::Inspect, &mut |_| {});
        if self.parallel.number(&mut self.table) {
            self.run_task(Task::Settle, &mut |_| {});
        }
        if self.stores_steps {
            self.run_task(Task::Encode, &mut |_| {});
        }
        self.collect();
        if let Some(limit) = limit {
            self.record.stop(limit);
        }
        Some(next)
    }

    /// Starts the helper threads, at the first large block.
    fn start_helpers<'s>(&mut self, scope: &'s Scope<'s, 'e>) {
        if self.pool.has_helpers() {
            return;
        }
        let (system, parallel, pool, can_stop) = (self.system, self.parallel, self.pool, self.saver.is_none());
        for _ in 1..self.config.workers.get() {
            let last = pool.enlist();
            scope.spawn(move || {
                with_stack(|| {
                    let mut scratch = BatchScratch::new(system, can_stop);
                    pool.help(last, |task| parallel.work(task, system, &mut scratch, &mut || {}));
                });
            });
        }
    }

    /// Runs a task on all threads; the calling thread calls `pause` between its parts.
    fn run_task(&mut self, task: Task, pause: &mut dyn FnMut(&ParallelBlock<'_>)) {
        let (parallel, system, scratch) = (self.parallel, self.system, &mut self.scratch);
        parallel.exchange(&mut self.table);
        parallel.rewind();
        self.pool.lead(task, || parallel.work(task, system, scratch, &mut || pause(parallel)));
        parallel.exchange(&mut self.table);
    }

    /// Adds counts, findings and limits of all batches to the record, in the order of the batches.
    fn collect(&mut self) {
        let BreadthFirst { config, parallel, record, position, steps, .. } = self;
        let mut tally = Tally::default();
        parallel.for_each_batch(|batch| {
            tally.take_over(&batch.tally);
            batch.findings().for_each(|(kind, state)| record.find(config, Finding { kind, state }));
            record.heed_gap(batch.gap);
            if batch.leads_too_far {
                record.limit(Limit::Depth(position.depth));
            }
            batch.records_to(steps);
        });
        record.tally.take_over(&tally);
    }
}
