//! Random temporal formulas, words and graphs, and naive checkers for them.
//!
//! Formulas speak about predicates `{p0}`, `{p1}`, .. and steps `[s0]`, `[s1]`, ..; a letter is a bit set over them. `graph.rs` checks LTL by the
//! tableau of all subformulas and CTL from the definitions, both on small explicit graphs. They share nothing with the automata and fixpoints of
//! `temporal` and are the judges of whatever engine there is.

use abridge_temporal::Word;
use abridge_temporal::formula::{
    AtomId, AtomKind, BText, BinaryTemporal, Ctl, CtlNode, FormulaAtom, Ltl, LtlNode, NodeId, OperationPattern,
    PathQuantifier, TextRange, UnaryTemporal,
};

use crate::Random;

pub mod graph;
pub mod machines;

/// Sizes and operators of random formulas.
#[derive(Clone, Copy, Debug)]
pub struct FormulaShape {
    /// The number of operators, about.
    pub size: usize,
    pub n_predicates: u32,
    pub n_steps: u32,
    pub has_next: bool,
    pub has_past: bool,
}

impl FormulaShape {
    fn atom(&self, random: &mut Random) -> AtomKind {
        let number = random.below((self.n_predicates + self.n_steps) as usize) as u32;
        if number < self.n_predicates { predicate(number) } else { step(number - self.n_predicates) }
    }
}

fn text(text: String) -> BText {
    BText { text: text.into(), start: 0 }
}

/// `{p<number>}`.
pub fn predicate(number: u32) -> AtomKind {
    AtomKind::Predicate(text(format!("p{number}")))
}

/// `[s<number>]`.
pub fn step(number: u32) -> AtomKind {
    AtomKind::Taken(OperationPattern { operation: text(format!("s{number}")), arguments: Vec::new() })
}

/// The bit of an atom in a letter: predicates first, then steps.
pub fn bit(kind: &AtomKind, n_predicates: u32) -> u32 {
    let number = |text: &str| text[1..].parse::<u32>().unwrap_or(0);
    match kind {
        AtomKind::Predicate(text) => number(&text.text),
        AtomKind::Taken(pattern) => n_predicates + number(&pattern.operation.text),
        kind => panic!("{kind:?} is no atom of random formulas"),
    }
}

/// A random formula of linear time.
pub fn random_ltl(random: &mut Random, shape: FormulaShape) -> Ltl {
    let mut ltl = Ltl::default();
    ltl_node(random, shape, shape.size, &mut ltl);
    ltl
}

fn ltl_node(random: &mut Random, shape: FormulaShape, size: usize, ltl: &mut Ltl) -> NodeId {
    use BinaryTemporal::{And, Iff, Implies, Or, Release, Since, Trigger, Until, WeakUntil};
    use UnaryTemporal::{Finally, Globally, Historically, Next, Not, Once, Yesterday};
    let place = TextRange::default();
    if size == 0 {
        if random.once_in(12) {
            return ltl.push(LtlNode::Const(random.once_in(2)), place);
        }
        let atom = ltl.atoms.intern(FormulaAtom { kind: shape.atom(random), bindings: Vec::new(), place });
        return ltl.push(LtlNode::Atom(atom), place);
    }
    let mut unary = vec![Not, Finally, Globally, Finally, Globally];
    let mut binary = vec![And, Or, Until, WeakUntil, Release, And, Or, Implies, Iff];
    if shape.has_next {
        unary.extend([Next, Next]);
    }
    if shape.has_past {
        unary.extend([Yesterday, Once, Historically]);
        binary.extend([Since, Trigger]);
    }
    if random.once_in(2) {
        let op = *random.pick(&unary);
        let operand = ltl_node(random, shape, size - 1, ltl);
        return ltl.push(LtlNode::Unary(op, operand), place);
    }
    let op = *random.pick(&binary);
    let left_size = random.below(size);
    let left = ltl_node(random, shape, left_size, ltl);
    let right = ltl_node(random, shape, size - 1 - left_size, ltl);
    ltl.push(LtlNode::Binary(op, left, right), place)
}

/// A random formula of branching time over predicates; steps occur in `EX[op]` and as atoms.
pub fn random_ctl(random: &mut Random, shape: FormulaShape) -> Ctl {
    let mut ctl = Ctl::default();
    ctl_node(random, shape, shape.size, &mut ctl);
    ctl
}

fn ctl_node(random: &mut Random, shape: FormulaShape, size: usize, ctl: &mut Ctl) -> NodeId {
    let place = TextRange::default();
    if size == 0 {
        if random.once_in(12) {
            return ctl.push(CtlNode::Const(random.once_in(2)), place);
        }
        let atom = ctl.atoms.intern(FormulaAtom { kind: shape.atom(random), bindings: Vec::new(), place });
        return ctl.push(CtlNode::Atom(atom), place);
    }
    let path = *random.pick(&[PathQuantifier::E, PathQuantifier::A]);
    if random.once_in(2) {
        let kind = random.below(if shape.has_next { 5 } else { 3 });
        let operand = ctl_node(random, shape, size - 1, ctl);
        let taken = |ctl: &mut Ctl, random: &mut Random| {
            let kind = step(random.below(shape.n_steps as usize) as u32);
            ctl.atoms.intern(FormulaAtom { kind, bindings: Vec::new(), place })
        };
        let node = match kind {
            0 => CtlNode::Not(operand),
            1 => CtlNode::Finally(path, operand),
            2 => CtlNode::Globally(path, operand),
            3 if shape.n_steps > 0 => CtlNode::Next(path, Some(taken(ctl, random)), operand),
            _ => CtlNode::Next(path, None, operand),
        };
        return ctl.push(node, place);
    }
    let left_size = random.below(size);
    let left = ctl_node(random, shape, left_size, ctl);
    let right = ctl_node(random, shape, size - 1 - left_size, ctl);
    let node = match random.below(7) {
        0 => CtlNode::And(left, right),
        1 => CtlNode::Or(left, right),
        2 => CtlNode::Implies(left, right),
        3 => CtlNode::Iff(left, right),
        4 => CtlNode::Until(path, left, right),
        5 => CtlNode::WeakUntil(path, left, right),
        _ => CtlNode::Release(path, left, right),
    };
    ctl.push(node, place)
}

/// A word over predicates and steps. Where a path ends, no step is taken.
pub fn random_word(random: &mut Random, shape: FormulaShape, max_len: usize) -> Word<u32> {
    let n_bits = shape.n_predicates + shape.n_steps;
    let len = 1 + random.below(max_len);
    let mut letters: Vec<u32> = (0..len).map(|_| random.below(1 << n_bits) as u32).collect();
    let loop_start = (!random.once_in(3)).then(|| random.below(len));
    if loop_start.is_none() {
        letters[len - 1] &= (1 << shape.n_predicates) - 1;
    }
    Word { letters, loop_start }
}

/// Whether an atom holds in a letter.
pub fn holds(letter: u32, kind: &AtomKind, n_predicates: u32) -> bool {
    letter >> bit(kind, n_predicates) & 1 == 1
}

/// Bits of the atoms of a formula, by the numbers of the atoms.
pub fn bits(atoms: &abridge_temporal::formula::Atoms, n_predicates: u32) -> Vec<u32> {
    atoms.iter().map(|(_, atom)| bit(&atom.kind, n_predicates)).collect()
}

/// Whether the atom with these bits holds in a letter.
pub fn holds_in(letter: u32, bits: &[u32], atom: AtomId) -> bool {
    letter >> bits[atom.0 as usize] & 1 == 1
}
