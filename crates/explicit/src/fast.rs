//! The compiled form with the state it has been given.

use abridge_compile::{Runtime, unset};

use super::{Explicit, UNSET};

pub(super) struct FastPath<'a> {
    pub(super) runtime: Runtime<'a>,
    constants: Option<u32>,
    /// The words whose values the runtime has; nothing where that is not known.
    loaded: Vec<Option<u32>>,
}

impl<'a> FastPath<'a> {
    pub(super) fn new(system: &'a Explicit<'a>) -> Option<Self> {
        let program = system.program.as_ref()?;
        let loaded = vec![None; 1 + system.variables.len()];
        let runtime = Runtime::new(program, &system.interp).with_interchangeable(system.interchangeable.get());
        Some(FastPath { runtime, constants: None, loaded })
    }

    /// Makes the constants and some variables known.
    pub(super) fn load<'w>(
        &mut self,
        system: &Explicit<'_>,
        words: &[u32],
        needed: impl IntoIterator<Item = &'w usize>,
    ) {
        let constants = words[0] >> 1;
        if self.constants != Some(constants) {
            self.runtime.load_constants(system.constants_of(words));
            self.constants = Some(constants);
        }
        for word in needed.into_iter().copied() {
            if self.loaded[word] == Some(words[word]) {
                continue;
            }
            let val = if words[word] == UNSET { unset() } else { system.decode_val(word, words[word]).clone() };
            self.runtime.set_variable(system.variables[word - 1], val);
            self.loaded[word] = Some(words[word]);
        }
    }

    /// After an end before the end, slots may hold anything.
    pub(super) fn forget(&mut self) {
        self.loaded.fill(None);
    }
}

/// How often the compiled form gave an answer.
#[derive(Default)]
pub(super) struct Trust {
    asked: u32,
    failed: u32,
}

impl Trust {
    /// Whether asking is worth it.
    pub(super) fn is_given(&self) -> bool {
        self.failed < 8 || self.failed < self.asked / 2
    }

    pub(super) fn count(&mut self, answered: bool) {
        self.asked = self.asked.saturating_add(1);
        self.failed = self.failed.saturating_add(u32::from(!answered));
    }
}
