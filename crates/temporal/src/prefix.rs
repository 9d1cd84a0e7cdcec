//! Formulas of linear time on a path that is not over: [`evaluate_prefix`].
//!
//! Three values: a subformula is true or false at a position if it is so however the path goes on, as far as its operators tell one by one, and open otherwise. Past operators are never open, unless
//! their operands are. At the end of a path that is over, nothing is open.

use crate::formula::{AtomId, Binary, Ltl, LtlNode, NodeId, Unary};

/// True, false, or not known yet.
pub type Verdict = Option<bool>;

/// The values of each subformula at the positions of a path, of which there are `n_positions`. `holds` gives those of atoms. `is_over` says that the path ends with its
/// last position.
pub fn evaluate_prefix(
    ltl: &Ltl,
    n_positions: usize,
    is_over: bool,
    holds: &dyn Fn(usize, AtomId) -> Verdict,
) -> Vec<Vec<Verdict>> {
    let mut rows: Vec<Vec<Verdict>> = Vec::with_capacity(ltl.len());
    for (_, node) in ltl.nodes() {
        let of = |id: &NodeId, position: usize| rows[id.idx()][position];
        // What stands behind the last position, for operators that are false, or true, if nothing follows.
        let beyond = |if_over: bool| is_over.then_some(if_over);
        let forwards = |step: &dyn Fn(usize, Verdict) -> Verdict, first: Verdict| {
            let mut before = first;
            (0..n_positions)
                .map(|position| {
                    before = step(position, before);
                    before
                })
                .collect::<Vec<Verdict>>()
        };
        let backwards = |step: &dyn Fn(usize, Verdict) -> Verdict, last: Verdict| {
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
                Unary::Not => (0..n_positions).map(|position| of(operand, position).map(|value| !value)).collect(),
                Unary::Next => {
                    let next = |position: usize| match position + 1 < n_positions {
                        true => of(operand, position + 1),
                        false => beyond(false),
                    };
                    (0..n_positions).map(next).collect()
                }
                Unary::Finally => backwards(&|position, after| or(of(operand, position), after), beyond(false)),
                Unary::Globally => backwards(&|position, after| and(of(operand, position), after), beyond(true)),
                Unary::Yesterday => {
                    let yesterday = |position: usize| match position.checked_sub(1) {
                        Some(before) => of(operand, before),
                        None => Some(false),
                    };
                    (0..n_positions).map(yesterday).collect()
                }
                Unary::Once => forwards(&|position, before| or(of(operand, position), before), Some(false)),
                Unary::Historically => forwards(&|position, before| and(of(operand, position), before), Some(true)),
            },
            LtlNode::Binary(operator, left, right) => {
                let both = |combine: fn(Verdict, Verdict) -> Verdict| {
                    (0..n_positions).map(|position| combine(of(left, position), of(right, position))).collect()
                };
                let until = |position: usize, other: Verdict| or(of(right, position), and(of(left, position), other));
                let release = |position: usize, other: Verdict| and(of(right, position), or(of(left, position), other));
                match operator {
                    Binary::And => both(and),
                    Binary::Or => both(or),
                    Binary::Implies => both(|left, right| or(left.map(|value| !value), right)),
                    Binary::Iff => both(|left, right| Some(left? == right?)),
                    Binary::Until => backwards(&until, beyond(false)),
                    Binary::WeakUntil => backwards(&until, beyond(true)),
                    Binary::Release => backwards(&release, beyond(true)),
                    Binary::Since => forwards(&until, Some(false)),
                    Binary::Trigger => forwards(&release, Some(true)),
                }
            }
        };
        rows.push(row);
    }
    rows
}

fn and(left: Verdict, right: Verdict) -> Verdict {
    match (left, right) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

fn or(left: Verdict, right: Verdict) -> Verdict {
    and(left.map(|value| !value), right.map(|value| !value)).map(|value| !value)
}
