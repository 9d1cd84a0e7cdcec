//! Formulas of linear time on a path that is not over: [`evaluate_prefix`].
//!
//! Three values: a subformula is true or false at a position if it is so however the path goes on, as far as its operators tell one by one, and open otherwise. Past operators are never open, unless
//! their operands are. At the end of a path that is over, nothing is open.

use crate::formula::{AtomId, BinaryTemporal, Ltl, LtlNode, NodeId, UnaryTemporal};

/// True, false, or not known yet.
pub type PrefixVerdict = Option<bool>;

/// The values of each subformula at the positions of a path, of which there are `n_positions`. `holds` gives those of atoms. `is_over` says that the path ends with its
/// last position.
pub fn evaluate_prefix(
    ltl: &Ltl,
    n_positions: usize,
    is_over: bool,
    holds: &dyn Fn(usize, AtomId) -> PrefixVerdict,
) -> Vec<Vec<PrefixVerdict>> {
    use UnaryTemporal as U;
    let mut rows: Vec<Vec<PrefixVerdict>> = Vec::with_capacity(ltl.len());
    for (_, node) in ltl.nodes() {
        let of = |id: &NodeId, position: usize| rows[id.idx()][position];
        // What stands behind the last position, for operators that are false, or true, if nothing follows.
        let beyond = |if_over: bool| is_over.then_some(if_over);
        let forwards = |step: &dyn Fn(usize, PrefixVerdict) -> PrefixVerdict, first: PrefixVerdict| {
            let mut before = first;
            (0..n_positions)
                .map(|position| {
                    before = step(position, before);
                    before
                })
                .collect::<Vec<PrefixVerdict>>()
        };
        let backwards = |step: &dyn Fn(usize, PrefixVerdict) -> PrefixVerdict, last: PrefixVerdict| {
            let mut row = forwards(&|position, after| step(n_positions - 1 - position, after), last);
            row.reverse();
            row
        };
        let row = match node {
            LtlNode::Const(value) => vec![Some(*value); n_positions],
            LtlNode::Atom(atom) => (0..n_positions).map(|position| holds(position, *atom)).collect(),
            LtlNode::Fair(_, body) => rows[body.idx()].clone(),
            // Quantifiers were expanded.
            LtlNode::Quantified(..) => vec![None; n_positions],
            LtlNode::Unary(operator, operand) => match operator {
                U::Not => (0..n_positions).map(|position| of(operand, position).map(|value| !value)).collect(),
                U::Next => {
                    let next = |position: usize| match position + 1 < n_positions {
                        true => of(operand, position + 1),
                        false => beyond(false),
                    };
                    (0..n_positions).map(next).collect()
                }
                U::Finally => backwards(&|position, after| or(of(operand, position), after), beyond(false)),
                U::Globally => backwards(&|position, after| and(of(operand, position), after), beyond(true)),
                U::Yesterday => {
                    let yesterday = |position: usize| match position.checked_sub(1) {
                        Some(before) => of(operand, before),
                        None => Some(false),
                    };
                    (0..n_positions).map(yesterday).collect()
                }
                U::Once => forwards(&|position, before| or(of(operand, position), before), Some(false)),
                U::Historically => forwards(&|position, before| and(of(operand, position), before), Some(true)),
            },
            LtlNode::Binary(operator, left, right) => {
                let both = |combine: fn(PrefixVerdict, PrefixVerdict) -> PrefixVerdict| {
                    (0..n_positions).map(|position| combine(of(left, position), of(right, position))).collect()
                };
                let until =
                    |position: usize, other: PrefixVerdict| or(of(right, position), and(of(left, position), other));
                let release =
                    |position: usize, other: PrefixVerdict| and(of(right, position), or(of(left, position), other));
                match operator {
                    BinaryTemporal::And => both(and),
                    BinaryTemporal::Or => both(or),
                    BinaryTemporal::Implies => both(|left, right| or(left.map(|value| !value), right)),
                    BinaryTemporal::Iff => both(|left, right| Some(left? == right?)),
                    BinaryTemporal::Until => backwards(&until, beyond(false)),
                    BinaryTemporal::WeakUntil => backwards(&until, beyond(true)),
                    BinaryTemporal::Release => backwards(&release, beyond(true)),
                    BinaryTemporal::Since => forwards(&until, Some(false)),
                    BinaryTemporal::Trigger => forwards(&release, Some(true)),
                }
            }
        };
        rows.push(row);
    }
    rows
}

fn and(left: PrefixVerdict, right: PrefixVerdict) -> PrefixVerdict {
    match (left, right) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

fn or(left: PrefixVerdict, right: PrefixVerdict) -> PrefixVerdict {
    and(left.map(|value| !value), right.map(|value| !value)).map(|value| !value)
}
