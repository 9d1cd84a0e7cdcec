//! A block of states as slices of bits, with the answers of a gate program.
//!
//! States come as vectors of value ids. Their bits are looked up, put together to rows and transposed. What cannot be said with cells, and states under other
//! constants, are *outside*: nothing is known of them, and the explicit system answers instead.

use abridge_encoding::CellId;
use abridge_explicit::Explicit;

use crate::compiled::GatePrograms;
use crate::lanes::{MAX_BLOCK_STATES, MAX_SLICE_WORDS, WORD_LANES, transpose};
use crate::program::{GateProgram, Signal};

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
    /// For each 64 states and each variable the first bits of their values.
    bits: Vec<[u64; WORD_LANES]>,
    n_variables: usize,
}

impl Block {
    pub(crate) fn len(&self) -> usize {
        self.n_states
    }

    pub(crate) fn clear(&mut self) {
        self.n_states = 0;
    }

    /// Loads states, at most [`MAX_BLOCK_STATES`], by their vectors of so many words, and runs a program on them.
    pub(crate) fn load(
        &mut self,
        system: &Explicit<'_>,
        compiled: &GatePrograms,
        program: &GateProgram,
        (vectors, width): (&[u32], usize),
    ) {
        self.n_states = vectors.len() / width;
        debug_assert!(self.n_states <= MAX_BLOCK_STATES, "{}", self.n_states);
        self.n_words = self.n_states.div_ceil(WORD_LANES).next_power_of_two();
        let n_cells = compiled.n_cells();
        self.slices.resize(self.slices.len().max(program.n_words(self.n_words)), 0);
        self.rows.resize(n_cells.div_ceil(64), [0; WORD_LANES]);
        self.outside = [0; MAX_SLICE_WORDS];
        self.n_variables = compiled.variables.len();
        self.bits.resize(self.n_variables * self.n_words, [0; WORD_LANES]);
        let Some(constants) = vectors.first().copied() else { return };
        for group in 0..self.n_words {
            let start = (group * WORD_LANES).min(self.n_states);
            let end = (start + WORD_LANES).min(self.n_states);
            self.rows.iter_mut().for_each(|rows| rows.fill(0));
            let states = vectors[start * width..end * width].chunks_exact(width);
            let others = states.clone().enumerate().filter(|(_, state)| state[0] != constants);
            self.outside[group] = others.fold(0, |outside, (lane, _)| outside | 1 << lane);
            let bits = self.bits[group * self.n_variables..].iter_mut();
            for (variable, bits) in compiled.variables.iter().zip(bits) {
                let ids = states.clone().map(|state| state[variable.word()]);
                self.outside[group] |= variable.add_to_rows(system, &compiled.cells, ids, &mut self.rows, bits);
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

    /// One bit for each state that is outside, or in which one of these literals holds.
    pub(crate) fn outside_or_any(&self, signals: impl Iterator<Item = Signal>) -> [u64; MAX_SLICE_WORDS] {
        let mut any = self.outside;
        for signal in signals {
            for (word, any) in any.iter_mut().enumerate().take(self.n_words) {
                *any |= signal.word(&self.slices, self.n_words, word);
            }
        }
        any
    }

    /// The first bits of the value of a variable in a state.
    #[inline]
    pub(crate) fn first_bits(&self, variable: usize, lane: usize) -> u64 {
        self.bits[lane / WORD_LANES * self.n_variables + variable][lane % WORD_LANES]
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
