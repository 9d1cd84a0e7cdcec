//! One thread's means: evaluation and buffers.

use abridge_store::{PairCache, StateTable};
use abridge_system::{FindingKind, Properties, Steps, System, Worker};

pub(crate) struct Hand<W> {
    pub(crate) worker: W,
    pub(crate) steps: Steps,
    cache: PairCache,
    /// The state that was read last, and the ids of its nodes.
    pub(crate) words: Vec<u32>,
    ids: Vec<u32>,
    target: Vec<u32>,
    target_ids: Vec<u32>,
}

impl<W: Worker> Hand<W> {
    pub(crate) fn new<'s, S: System<Worker<'s> = W> + 's>(system: &'s S) -> Self {
        Hand {
            worker: system.worker(),
            steps: Steps::new(system.width()),
            cache: PairCache::new(),
            words: Vec::new(),
            ids: Vec::new(),
            target: Vec::new(),
            target_ids: Vec::new(),
        }
    }

    pub(crate) fn read(&mut self, table: &StateTable, root: u64) {
        table.unfold(root, &mut self.words, &mut self.ids);
    }

    /// Computes the steps out of the state that was read last.
    pub(crate) fn expand(&mut self) {
        self.steps.clear();
        self.worker.successors(&self.words, &mut self.steps);
    }

    /// Operation, number of transitions and root of each step.
    pub(crate) fn targets(&mut self, table: &StateTable, mut each: impl FnMut(u32, u64, u64)) {
        let near = (!self.words.is_empty()).then_some((self.words.as_slice(), self.ids.as_slice()));
        for (operation, count, target) in self.steps.iter() {
            let root = table.fold(&mut self.cache, target, near, &mut self.target_ids);
            each(operation, count, root);
        }
    }

    /// Inspects a child of the state that was read last.
    pub(crate) fn inspect(
        &mut self,
        table: &StateTable,
        root: u64,
        asked: Properties,
        found: &mut dyn FnMut(FindingKind),
    ) {
        table.unfold(root, &mut self.target, &mut self.target_ids);
        let before = (!self.words.is_empty()).then_some(self.words.as_slice());
        self.worker.inspect(&self.target, before, asked, found);
    }
}
