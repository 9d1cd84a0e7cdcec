//! And-inverter circuits with structural hashing: each distinct conjunction of literals is one gate.
//!
//! Arguments precede their users, so a pass in order visits a circuit bottom-up.

use std::ops::Not;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

/// Gate or its negation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Lit(u32);

#[derive(Clone, Copy, Debug)]
pub(crate) enum Gate {
    /// The constant true.
    Constant,
    Input,
    /// Conjunction of `args[start..end]`.
    And {
        start: u32,
        end: u32,
    },
}

/// Gates in order of creation: arguments precede their users.
pub struct Circuit {
    gates: Vec<Gate>,
    args: Vec<Lit>,
    index: HashMap<Box<[Lit]>, Lit, FxBuildHasher>,
}

impl Lit {
    pub const TRUE: Lit = Lit(0);
    pub const FALSE: Lit = Lit(1);

    pub fn is_constant(self) -> bool {
        self.0 < 2
    }

    pub(crate) fn gate(self) -> usize {
        (self.0 >> 1) as usize
    }

    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    /// Literal of the same gate without negation.
    pub fn positive(self) -> Lit {
        Lit(self.0 & !1)
    }

    /// Number of the literal within its circuit.
    pub fn number(self) -> u32 {
        self.0
    }

    /// Positive literal of a gate.
    pub(crate) fn of_gate(gate: usize) -> Lit {
        Lit((gate as u32) << 1)
    }
}

impl From<bool> for Lit {
    fn from(flag: bool) -> Lit {
        if flag { Lit::TRUE } else { Lit::FALSE }
    }
}

impl Not for Lit {
    type Output = Lit;
    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

impl Default for Circuit {
    fn default() -> Circuit {
        Circuit { gates: vec![Gate::Constant], args: Vec::new(), index: HashMap::default() }
    }
}

impl Circuit {
    /// Number of gates and connections.
    pub fn size(&self) -> usize {
        self.gates.len() + self.args.len()
    }

    /// True if a literal is an input and not negated.
    pub fn is_input(&self, lit: Lit) -> bool {
        !lit.is_negated() && matches!(self.gate(lit.gate()), Gate::Input)
    }

    pub(crate) fn gate(&self, idx: usize) -> Gate {
        self.gates[idx]
    }

    pub(crate) fn args(&self, start: u32, end: u32) -> &[Lit] {
        &self.args[start as usize..end as usize]
    }

    pub(crate) fn n_gates(&self) -> usize {
        self.gates.len()
    }

    pub(crate) fn n_args(&self) -> usize {
        self.args.len()
    }

    /// Drops all but the first `n_gates` gates and `n_args` arguments.
    pub(crate) fn truncate(&mut self, n_gates: usize, n_args: usize) {
        for gate in self.gates.drain(n_gates..) {
            if let Gate::And { start, end } = gate {
                self.index.remove(&self.args[start as usize..end as usize]);
            }
        }
        self.args.truncate(n_args);
    }

    pub fn input(&mut self) -> Lit {
        self.push(Gate::Input)
    }

    fn push(&mut self, gate: Gate) -> Lit {
        self.gates.push(gate);
        Lit((self.gates.len() as u32 - 1) << 1)
    }

    pub fn and_all(&mut self, lits: impl IntoIterator<Item = Lit>) -> Lit {
        let mut args: Vec<Lit> = Vec::new();
        for lit in lits {
            match lit {
                Lit::TRUE => {}
                Lit::FALSE => return Lit::FALSE,
                _ => args.push(lit),
            }
        }
        args.sort_unstable();
        args.dedup();
        // A literal and its negation are adjacent when sorted.
        if args.windows(2).any(|pair| pair[0] == !pair[1]) {
            return Lit::FALSE;
        }
        match args[..] {
            [] => return Lit::TRUE,
            [only] => return only,
            _ => {}
        }
        if let Some(known) = self.index.get(&args[..]) {
            return *known;
        }
        let start = self.args.len() as u32;
        self.args.extend(&args);
        let gate = self.push(Gate::And { start, end: self.args.len() as u32 });
        self.index.insert(args.into(), gate);
        gate
    }

    pub fn or_all(&mut self, lits: impl IntoIterator<Item = Lit>) -> Lit {
        !self.and_all(lits.into_iter().map(|lit| !lit))
    }

    pub fn and(&mut self, left: Lit, right: Lit) -> Lit {
        self.and_all([left, right])
    }

    pub fn or(&mut self, left: Lit, right: Lit) -> Lit {
        self.or_all([left, right])
    }

    pub fn implies(&mut self, left: Lit, right: Lit) -> Lit {
        self.or_all([!left, right])
    }

    pub fn iff(&mut self, left: Lit, right: Lit) -> Lit {
        match (left, right) {
            (Lit::TRUE, other) | (other, Lit::TRUE) => return other,
            (Lit::FALSE, other) | (other, Lit::FALSE) => return !other,
            _ if left == right => return Lit::TRUE,
            _ if left == !right => return Lit::FALSE,
            _ => {}
        }
        let both = self.and(left, right);
        let neither = self.and(!left, !right);
        self.or(both, neither)
    }

    pub fn xor(&mut self, left: Lit, right: Lit) -> Lit {
        !self.iff(left, right)
    }

    pub fn ite(&mut self, condition: Lit, then: Lit, otherwise: Lit) -> Lit {
        if then == otherwise {
            return then;
        }
        let yes = self.and(condition, then);
        let no = self.and(!condition, otherwise);
        self.or(yes, no)
    }

    /// Condition that at most one literal is true.
    pub fn at_most_one(&mut self, lits: &[Lit]) -> Lit {
        let lits: Vec<Lit> = lits.iter().copied().filter(|lit| *lit != Lit::FALSE).collect();
        let mut conflicts = Vec::new();
        if lits.len() <= 6 {
            for (idx, left) in lits.iter().enumerate() {
                for right in &lits[idx + 1..] {
                    conflicts.push(self.and(*left, *right));
                }
            }
        } else {
            let mut earlier = lits[0];
            for lit in &lits[1..] {
                conflicts.push(self.and(earlier, *lit));
                earlier = self.or(earlier, *lit);
            }
        }
        !self.or_all(conflicts)
    }

    pub fn exactly_one(&mut self, lits: &[Lit]) -> Lit {
        let some = self.or_all(lits.iter().copied());
        let unique = self.at_most_one(lits);
        self.and(some, unique)
    }
}
