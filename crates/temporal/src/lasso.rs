//! Truth of formulas on a given word, from the definitions: [`evaluate`].
//!
//! Each operator walks along the word, forwards or backwards, as its definition reads. Nothing is shared with normal forms and automata, so this
//! is their judge: every counterexample must be false here. The rows of the [`LassoTruth`] also explain a counterexample.
//!
//! Positions of a loop look back on different pasts in each round. A past operator over operands that repeat from position p on repeats from one round
//! after p on: within a round, its memory is either set to a constant or handed through. So the loop is unrolled once for each level of
//! nested past operators, and the last copy stands for all later rounds.

use crate::expand::{FairnessConstraint, FairnessSubject};
use crate::formula::{AtomId, BinaryTemporal, Ltl, LtlNode, NodeId, UnaryTemporal};
use crate::product::Word;

/// Truth of all subformulas at all positions of a word whose loop may be unrolled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LassoTruth {
    /// For each position, the position of the given word that it stands for.
    pub positions: Vec<usize>,
    /// The position after the last one; `None` if the path ends.
    pub loop_start: Option<usize>,
    /// Values by node, then by position.
    rows: Vec<Vec<bool>>,
}

impl LassoTruth {
    pub fn row(&self, node: NodeId) -> &[bool] {
        &self.rows[node.idx()]
    }

    /// Truth of the whole formula at the first position.
    pub fn holds(&self) -> bool {
        self.rows.last().is_some_and(|row| row[0])
    }
}

/// Evaluates a formula without quantifiers and fairness on a word that is not empty.
pub fn evaluate<L>(ltl: &Ltl, word: &Word<L>, holds: impl Fn(&L, AtomId) -> bool) -> LassoTruth {
    let n_letters = word.letters.len();
    let mut positions: Vec<usize> = (0..n_letters).collect();
    let mut loop_start = word.loop_start;
    if let Some(start) = word.loop_start {
        for _ in 0..past_depth(ltl) {
            positions.extend(start..n_letters);
        }
        loop_start = Some(positions.len() - (n_letters - start));
    }
    let mut table = LassoTruth { positions, loop_start, rows: Vec::with_capacity(ltl.len()) };
    for (_, node) in ltl.nodes() {
        let row = match node {
            LtlNode::Const(value) => vec![*value; table.positions.len()],
            LtlNode::Atom(atom) => {
                table.positions.iter().map(|position| holds(&word.letters[*position], *atom)).collect()
            }
            LtlNode::Unary(op, operand) => table.unary(*op, table.row(*operand)),
            LtlNode::Binary(op, left, right) => table.binary(*op, table.row(*left), table.row(*right)),
            LtlNode::Quantified(..) | LtlNode::Fair(..) => {
                unreachable!("`expand` leaves no quantifier and no fairness")
            }
        };
        table.rows.push(row);
    }
    table
}

/// Whether a fairness constraint on one operation holds on a word. Words that end are fair. [`FairnessSubject::Every`] is for the caller, who knows all
/// operations; `None` says so.
pub fn is_fair<L>(constraint: FairnessConstraint, word: &Word<L>, holds: impl Fn(&L, AtomId) -> bool) -> Option<bool> {
    let FairnessSubject::Step { enabled, taken } = constraint.subject else { return None };
    let Some(start) = word.loop_start else { return Some(true) };
    let rounds = &word.letters[start..];
    let is_asked = match constraint.is_strong {
        true => rounds.iter().any(|letter| holds(letter, enabled)),
        false => rounds.iter().all(|letter| holds(letter, enabled)),
    };
    Some(!is_asked || rounds.iter().any(|letter| holds(letter, taken)))
}

/// The number of past operators inside each other.
fn past_depth(ltl: &Ltl) -> usize {
    let mut depths: Vec<usize> = Vec::with_capacity(ltl.len());
    for (_, node) in ltl.nodes() {
        depths.push(match node {
            LtlNode::Const(_) | LtlNode::Atom(_) => 0,
            LtlNode::Unary(op, operand) => {
                let is_past =
                    matches!(op, UnaryTemporal::Yesterday | UnaryTemporal::Once | UnaryTemporal::Historically);
                depths[operand.idx()] + usize::from(is_past)
            }
            LtlNode::Binary(op, left, right) => {
                let is_past = matches!(op, BinaryTemporal::Since | BinaryTemporal::Trigger);
                depths[left.idx()].max(depths[right.idx()]) + usize::from(is_past)
            }
            LtlNode::Quantified(_, _, _, body) | LtlNode::Fair(_, body) => depths[body.idx()],
        });
    }
    depths.last().copied().unwrap_or(0)
}

impl LassoTruth {
    fn next(&self, position: usize) -> Option<usize> {
        if position + 1 < self.positions.len() { Some(position + 1) } else { self.loop_start }
    }

    /// The positions from one on, each at least once.
    fn onwards(&self, from: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(from), |position| self.next(*position)).take(2 * self.positions.len())
    }

    fn row_of(&self, value: impl Fn(usize) -> bool) -> Vec<bool> {
        (0..self.positions.len()).map(value).collect()
    }

    fn unary(&self, op: UnaryTemporal, operand: &[bool]) -> Vec<bool> {
        self.row_of(|here| match op {
            UnaryTemporal::Not => !operand[here],
            UnaryTemporal::Next => self.next(here).is_some_and(|next| operand[next]),
            UnaryTemporal::Finally => self.onwards(here).any(|position| operand[position]),
            UnaryTemporal::Globally => self.onwards(here).all(|position| operand[position]),
            UnaryTemporal::Yesterday => here > 0 && operand[here - 1],
            UnaryTemporal::Once => (0..=here).any(|position| operand[position]),
            UnaryTemporal::Historically => (0..=here).all(|position| operand[position]),
        })
    }

    fn binary(&self, op: BinaryTemporal, left: &[bool], right: &[bool]) -> Vec<bool> {
        let until = |positions: &mut dyn Iterator<Item = usize>| {
            for position in positions {
                if right[position] {
                    return true;
                }
                if !left[position] {
                    return false;
                }
            }
            false
        };
        let release = |positions: &mut dyn Iterator<Item = usize>| {
            for position in positions {
                if !right[position] {
                    return false;
                }
                if left[position] {
                    return true;
                }
            }
            true
        };
        self.row_of(|here| match op {
            BinaryTemporal::And => left[here] && right[here],
            BinaryTemporal::Or => left[here] || right[here],
            BinaryTemporal::Implies => !left[here] || right[here],
            BinaryTemporal::Iff => left[here] == right[here],
            BinaryTemporal::Until => until(&mut self.onwards(here)),
            BinaryTemporal::WeakUntil => {
                until(&mut self.onwards(here)) || self.onwards(here).all(|position| left[position])
            }
            BinaryTemporal::Release => release(&mut self.onwards(here)),
            BinaryTemporal::Since => until(&mut (0..=here).rev()),
            BinaryTemporal::Trigger => release(&mut (0..=here).rev()),
        })
    }
}
