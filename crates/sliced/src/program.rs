//! Gate programs: the gates below some literals, in an order in which they can be evaluated, one slice each.
//!
//! A gate is interpreted once for all states of a block. Gates come in topological order, each once, and dead ones are left out. Slices are
//! used again after their last use, so that those of a program stay in the cache. Inputs come first and are never overwritten; nor are the
//! slices of roots. A slice that were used again too early would give a state the truth of another gate.

use abridge_blast::{Circuit, GateView, Lit};
use rustc_hash::FxHashMap;

/// Place of a literal: its slice, and whether it is inverted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Signal(u32);

impl Signal {
    fn new(slot: u32, is_inverted: bool) -> Signal {
        Signal(slot << 1 | u32::from(is_inverted))
    }

    fn slot(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// All bits set if the literal is inverted.
    fn mask(self) -> u64 {
        u64::from(self.0 & 1).wrapping_neg()
    }

    /// A word of the literal, where slices have `n_words` words.
    #[inline]
    pub(crate) fn word(self, slices: &[u64], n_words: usize, word: usize) -> u64 {
        slices[self.slot() * n_words + word] ^ self.mask()
    }
}

/// Gates below some roots.
pub(crate) struct GateProgram {
    /// For each gate its slice, the number of its arguments and the arguments.
    code: Vec<u32>,
    n_slots: usize,
    n_gates: usize,
    /// Where each root is.
    pub(crate) roots: Vec<Signal>,
}

/// The slice of the constant true follows those of the inputs.
const N_CONSTANTS: usize = 1;

impl GateProgram {
    /// The program of some roots. `input` gives the slice of an input among the first `n_inputs`.
    pub(crate) fn new(circuit: &Circuit, roots: &[Lit], n_inputs: usize, input: impl Fn(Lit) -> Option<u32>) -> Self {
        let mut uses: FxHashMap<Lit, u32> = FxHashMap::default();
        // A root has a use that never comes.
        roots.iter().for_each(|root| *uses.entry(root.positive()).or_insert(0) += 1);
        circuit.visit(roots, |_, gate| {
            if let GateView::And(args) = gate {
                args.iter().for_each(|arg| *uses.entry(arg.positive()).or_insert(0) += 1);
            }
        });
        let truth = n_inputs as u32;
        let mut slots: FxHashMap<Lit, u32> = FxHashMap::default();
        let mut program =
            GateProgram { code: Vec::new(), n_slots: n_inputs + N_CONSTANTS, n_gates: 0, roots: Vec::new() };
        let mut free: Vec<u32> = Vec::new();
        circuit.visit(roots, |lit, gate| match gate {
            GateView::True => _ = slots.insert(lit, truth),
            GateView::Input => _ = slots.insert(lit, input(lit).expect("choices are replaced before")),
            GateView::And(args) => {
                let slot = free.pop().unwrap_or_else(|| {
                    program.n_slots += 1;
                    program.n_slots as u32 - 1
                });
                program.n_gates += 1;
                program.code.extend([slot, args.len() as u32]);
                program.code.extend(args.iter().map(|arg| Signal::new(slots[&arg.positive()], arg.is_negated()).0));
                for arg in args {
                    if let Some(left) = uses.get_mut(&arg.positive()) {
                        *left -= 1;
                        let slot = slots[&arg.positive()];
                        if *left == 0 && slot as usize >= n_inputs + N_CONSTANTS {
                            free.push(slot);
                        }
                    }
                }
                slots.insert(lit, slot);
            }
        });
        program.roots = roots.iter().map(|root| Signal::new(slots[&root.positive()], root.is_negated())).collect();
        program
    }

    pub(crate) fn n_gates(&self) -> usize {
        self.n_gates
    }

    /// Words of all slices, where a slice has `n_words`.
    pub(crate) fn n_words(&self, n_words: usize) -> usize {
        self.n_slots * n_words
    }

    /// Evaluates all gates on slices of `n_words` words: 1, 2, 4 or 8. The slices of the inputs are given.
    pub(crate) fn run(&self, slices: &mut [u64], n_words: usize, n_inputs: usize) {
        match n_words {
            1 => self.run_as::<1>(slices, n_inputs),
            2 => self.run_as::<2>(slices, n_inputs),
            4 => self.run_as::<4>(slices, n_inputs),
            _ => self.run_as::<8>(slices, n_inputs),
        }
    }

    fn run_as<const W: usize>(&self, slices: &mut [u64], n_inputs: usize) {
        let (slices, _) = slices.as_chunks_mut::<W>();
        slices[n_inputs] = [u64::MAX; W];
        let mut code = self.code.as_slice();
        while let [slot, n_args, rest @ ..] = code {
            let (args, rest) = rest.split_at(*n_args as usize);
            let mut all = [u64::MAX; W];
            for arg in args {
                let signal = Signal(*arg);
                let (slice, mask) = (&slices[signal.slot()], signal.mask());
                for (all, word) in all.iter_mut().zip(slice) {
                    *all &= word ^ mask;
                }
            }
            slices[*slot as usize] = all;
            code = rest;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_agrees_with_plain_evaluation_in_every_width() {
        let mut circuit = Circuit::default();
        let inputs: Vec<Lit> = (0..6).map(|_| circuit.input()).collect();
        let sums: Vec<Lit> = inputs.windows(2).map(|pair| circuit.xor(pair[0], pair[1])).collect();
        let one = circuit.exactly_one(&inputs);
        let mux = circuit.ite(sums[0], sums[3], !one);
        let roots = [mux, !one, sums[2], Lit::TRUE, Lit::FALSE, inputs[4], !inputs[5], circuit.and_all(sums.clone())];
        let place = |input: Lit| inputs.iter().position(|other| *other == input).map(|idx| idx as u32);
        let program = GateProgram::new(&circuit, &roots, inputs.len(), place);
        for n_words in [1, 2, 4, 8] {
            let mut slices = vec![0; program.n_words(n_words)];
            for lane in 0..64 * n_words {
                for idx in 0..inputs.len() {
                    slices[idx * n_words + lane / 64] |= ((lane >> idx & 1) as u64) << (lane % 64);
                }
            }
            program.run(&mut slices, n_words, inputs.len());
            for lane in 0..64 * n_words {
                let value = |input: Lit| place(input).is_some_and(|idx| lane >> idx & 1 == 1);
                let expected = circuit.evaluate(&roots, value);
                let found: Vec<bool> = program
                    .roots
                    .iter()
                    .map(|root| root.word(&slices, n_words, lane / 64) >> (lane % 64) & 1 == 1)
                    .collect();
                assert_eq!(found, expected, "lane {lane} of {}", 64 * n_words);
            }
        }
    }

    #[test]
    fn slices_are_used_again() {
        let mut circuit = Circuit::default();
        let inputs: Vec<Lit> = (0..64).map(|_| circuit.input()).collect();
        let mut sum = inputs[0];
        for input in &inputs[1..] {
            sum = circuit.xor(sum, *input);
        }
        let place = |input: Lit| inputs.iter().position(|other| *other == input).map(|idx| idx as u32);
        let program = GateProgram::new(&circuit, &[sum], inputs.len(), place);
        assert_eq!(program.n_gates(), 63 * 3);
        assert!(program.n_words(1) < 64 + 8, "{}", program.n_words(1));
    }
}
