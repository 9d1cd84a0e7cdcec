//! A block of states as slices of bits, with the answers of a gate program.
//!
//! States come as vectors of value ids. Their bits are looked up, put together to rows and transposed. What cannot be said with cells, and states under other
//! constants, are *outside*: nothing is known of them, and the explicit system answers instead.

use abridge_encoding::CellId;
use abridge_explicit::Explicit;
use abridge_system::Ahead;

use crate::compiled::Compiled;
use crate::lanes::{MAX_BLOCK_STATES, MAX_SLICE_WORDS, WORD_LANES, transpose};
use crate::program::{Program, Signal};

/// States that were announced together, as slices.
#[derive(Default)]
pub(crate) struct Block {
    n_states: usize,
    /// Words of a slice.
    n_words: usize,
    slices: Vec<u64>,
    /// One bit for each state that is outside.
    outside: [u64; MAX_SLICE_WORDS],
    /// Rows of 64 states, the first word of all rows first.
    rows: Vec<[u64; WORD_LANES]>,
}

impl Block {
    pub(crate) fn len(&self) -> usize {
        self.n_states
    }

    pub(crate) fn clear(&mut self) {
        self.n_states = 0;
    }

    /// Loads states, at most [`MAX_BLOCK_STATES`], and runs a program on them.
    pub(crate) fn load(&mut self, system: &Explicit<'_>, compiled: &Compiled, program: &Program, states: &[Ahead]) {
        debug_assert!(states.len() <= MAX_BLOCK_STATES, "{}", states.len());
        self.n_states = states.len();
        self.n_words = states.len().div_ceil(WORD_LANES).next_power_of_two();
        let n_cells = compiled.n_cells();
        self.slices.resize(self.slices.len().max(program.n_words(self.n_words)), 0);
        self.rows.resize(n_cells.div_ceil(64), [0; WORD_LANES]);
        self.outside = [0; MAX_SLICE_WORDS];
        let Some(constants) = states.first().map(|state| state.words[0]) else { return };
        for group in 0..self.n_words {
            let start = (group * WORD_LANES).min(states.len());
            let end = (start + WORD_LANES).min(states.len());
            self.rows.iter_mut().for_each(|rows| rows.fill(0));
            let states = &states[start..end];
            let others = states.iter().enumerate().filter(|(_, state)| state.words[0] != constants);
            self.outside[group] = others.fold(0, |outside, (lane, _)| outside | 1 << lane);
            for variable in &compiled.variables {
                let ids = states.iter().map(|state| state.words[variable.word()]);
                self.outside[group] |= variable.add_to_rows(system, &compiled.cells, ids, &mut self.rows);
            }
            for (first, rows) in (0..).step_by(64).zip(&mut self.rows) {
                transpose(rows);
                for (cell, slice) in (first..n_cells).zip(rows.iter()) {
                    self.slices[cell * self.n_words + group] = *slice;
                }
            }
        }
        program.run(&mut self.slices, self.n_words, n_cells);
    }

    /// Cells that are true in some state of the block.
    pub(crate) fn loud_cells(&self, n_cells: usize) -> impl Iterator<Item = usize> {
        let slices = self.slices.chunks_exact(self.n_words).take(n_cells).enumerate();
        slices.filter(|(_, slice)| slice.iter().any(|word| *word != 0)).map(|(cell, _)| cell)
    }

    /// One bit for each state in which some of these cells is true.
    pub(crate) fn with_any(&self, cells: &[CellId]) -> [u64; MAX_SLICE_WORDS] {
        let mut any = [0; MAX_SLICE_WORDS];
        for cell in cells {
            let slice = &self.slices[cell.0 as usize * self.n_words..][..self.n_words];
            any.iter_mut().zip(slice).for_each(|(any, word)| *any |= word);
        }
        any
    }

    /// A state of the block is outside.
    pub(crate) fn is_outside(&self, lane: usize) -> bool {
        self.outside[lane / WORD_LANES] >> (lane % WORD_LANES) & 1 == 1
    }

    /// The truth of a literal in a state.
    #[inline]
    pub(crate) fn is_true(&self, signal: Signal, lane: usize) -> bool {
        signal.word(&self.slices, self.n_words, lane / WORD_LANES) >> (lane % WORD_LANES) & 1 == 1
    }

    /// For each state one bit for each of some literals, `out_words` words a state.
    pub(crate) fn by_state(&self, signals: impl ExactSizeIterator<Item = Signal> + Clone, out: &mut Vec<u64>) -> usize {
        let out_words = signals.len().div_ceil(64);
        out.clear();
        out.resize(self.n_words * WORD_LANES * out_words, 0);
        for word in 0..out_words {
            for group in 0..self.n_words {
                let mut rows = [0; WORD_LANES];
                for (row, signal) in rows.iter_mut().zip(signals.clone().skip(word * 64)) {
                    *row = signal.word(&self.slices, self.n_words, group);
                }
                transpose(&mut rows);
                for (lane, row) in rows.iter().enumerate() {
                    out[(group * WORD_LANES + lane) * out_words + word] = *row;
                }
            }
        }
        out_words
    }
}
