//! Runtime of the compiled form with the state loaded into it. Only words that differ from the loaded ones are loaded.

use abridge_compile::{Runtime, unset};

use crate::system::Explicit;
use abridge_model_system::{ModelSystem as _, UNSET};

/// Runtime of the compiled form, and the words loaded into it.
pub(crate) struct FastPath<'a> {
    pub(crate) runtime: Runtime<'a>,
    constants: Option<u32>,
    /// Words whose values the runtime has; `None` if unknown.
    loaded: Vec<Option<u32>>,
}

impl<'a> FastPath<'a> {
    pub(crate) fn new(system: &'a Explicit<'a>) -> Option<Self> {
        let program = system.program.as_ref()?;
        let loaded = vec![None; 1 + system.variables.len()];
        let runtime = Runtime::new(program, &system.interp).with_interchangeable(system.interchangeable.get());
        Some(FastPath { runtime, constants: None, loaded })
    }

    /// Loads the constants and the variables at the `needed` positions.
    #[inline]
    pub(crate) fn load<'w>(
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
            let val = if words[word] == UNSET { unset() } else { system.decode_val(word, words[word]).into_owned() };
            self.runtime.set_variable(system.variables[word - 1], val);
            self.loaded[word] = Some(words[word]);
        }
    }

    /// Marks all words as unknown. A run that stopped early may leave anything in its slots.
    pub(crate) fn forget(&mut self) {
        self.loaded.fill(None);
    }
}
