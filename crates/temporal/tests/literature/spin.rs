//! Automata of `spin -f`: never claims as automata.
//!
//! A state of a claim whose name begins with `accept` marks the edges that leave it. `atomic { guard -> assert(..) }` leads to where everything is accepted.

use std::collections::HashMap;
use std::process::{Command, Stdio};

use abridge_temporal::automaton::{Automaton, AutomatonEdge, AutomatonState, MarkSet};
use abridge_temporal::bdd::{self, LetterBdd, LetterBdds};
use abridge_temporal::formula::{BinaryTemporal, Ltl, LtlNode, NodeId, UnaryTemporal};

/// A formula in the notation of `spin`; nothing if it has an operator that `spin` does not know.
pub(crate) fn infix(ltl: &Ltl, id: NodeId) -> Option<String> {
    let of = |id: &NodeId| infix(ltl, *id);
    Some(match ltl.node(id) {
        LtlNode::Const(value) => value.to_string(),
        LtlNode::Atom(atom) => format!("p{}", atom.0),
        LtlNode::Unary(UnaryTemporal::Not, operand) => format!("!({})", of(operand)?),
        LtlNode::Unary(UnaryTemporal::Finally, operand) => format!("<>({})", of(operand)?),
        LtlNode::Unary(UnaryTemporal::Globally, operand) => format!("[]({})", of(operand)?),
        LtlNode::Binary(BinaryTemporal::And, left, right) => format!("(({}) && ({}))", of(left)?, of(right)?),
        LtlNode::Binary(BinaryTemporal::Or, left, right) => format!("(({}) || ({}))", of(left)?, of(right)?),
        LtlNode::Binary(BinaryTemporal::Implies, left, right) => format!("(({}) -> ({}))", of(left)?, of(right)?),
        LtlNode::Binary(BinaryTemporal::Iff, left, right) => format!("(({}) <-> ({}))", of(left)?, of(right)?),
        LtlNode::Binary(BinaryTemporal::Until, left, right) => format!("(({}) U ({}))", of(left)?, of(right)?),
        LtlNode::Binary(BinaryTemporal::Release, left, right) => format!("(({}) V ({}))", of(left)?, of(right)?),
        LtlNode::Binary(BinaryTemporal::WeakUntil, left, right) => {
            let (left, right) = (of(left)?, of(right)?);
            format!("(({right}) V (({left}) || ({right})))")
        }
        _ => return None,
    })
}

pub(crate) fn is_installed() -> bool {
    Command::new("spin").arg("-V").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

/// The claim that `spin` makes; nothing if that takes more than a second of processor time: there are formulas that it needs minutes for.
pub(crate) fn never(formula: &str) -> Option<String> {
    let limited = ["-c", "ulimit -t 1; exec spin -f \"$1\"", "sh", formula];
    let output = Command::new("sh").args(limited).stderr(Stdio::null()).output().expect("a shell starts");
    output.status.success().then(|| String::from_utf8(output.stdout).expect("spin writes text"))
}

#[derive(Default)]
struct States<'t> {
    names: HashMap<&'t str, u32>,
    list: Vec<AutomatonState>,
}

impl<'t> States<'t> {
    fn number(&mut self, name: &'t str) -> u32 {
        *self.names.entry(name).or_insert_with(|| {
            self.list.push(AutomatonState { edges: Vec::new(), last: bdd::FALSE });
            self.list.len() as u32 - 1
        })
    }

    fn add(&mut self, state: u32, guard: LetterBdd, marks: MarkSet, target: u32) {
        self.list[state as usize].edges.push(AutomatonEdge { guard, marks, target });
    }
}

/// A claim as an automaton.
pub(crate) fn automaton(text: &str, bdds: &mut LetterBdds) -> Automaton {
    let mut states = States::default();
    let initial = states.number("T0_init");
    let (mut here, mut marks) = (initial, MarkSet::default());
    let mut is_label = false;
    for line in text.lines().skip(1).map(str::trim) {
        if let Some(name) = line.strip_suffix(':') {
            // A state with two names, `accept_init` and `T0_init`, accepts.
            let of_name = if name.starts_with("accept") { MarkSet::one(0) } else { MarkSet::default() };
            marks = if is_label { marks.with(of_name) } else { of_name };
            here = if name == "accept_init" { initial } else { states.number(name) };
            is_label = true;
            continue;
        }
        is_label = false;
        if line.starts_with("skip") {
            states.add(here, bdd::TRUE, marks, here);
        } else if let Some(step) = line.strip_prefix(":: ") {
            let step = step.strip_prefix("atomic { ").unwrap_or(step);
            let (guard, rest) = step.split_once(" -> ").expect("a guard and a target");
            let guard = guard_of(guard, bdds);
            let target = rest.strip_prefix("goto ").unwrap_or("accept_all");
            let target = states.number(target);
            states.add(here, guard, marks, target);
        }
    }
    Automaton { states: states.list, initial, n_marks: 1 }
}

fn guard_of(text: &str, bdds: &mut LetterBdds) -> LetterBdd {
    let text: String = text.chars().filter(|ch| !ch.is_whitespace()).collect();
    let (guard, rest) = disjunction(&text, bdds);
    assert!(rest.is_empty(), "{text}");
    guard
}

fn disjunction<'t>(text: &'t str, bdds: &mut LetterBdds) -> (LetterBdd, &'t str) {
    let (mut left, mut rest) = conjunction(text, bdds);
    while let Some(behind) = rest.strip_prefix("||") {
        let (right, after) = conjunction(behind, bdds);
        left = bdds.or(left, right);
        rest = after;
    }
    (left, rest)
}

fn conjunction<'t>(text: &'t str, bdds: &mut LetterBdds) -> (LetterBdd, &'t str) {
    let (mut left, mut rest) = literal(text, bdds);
    while let Some(behind) = rest.strip_prefix("&&") {
        let (right, after) = literal(behind, bdds);
        left = bdds.and(left, right);
        rest = after;
    }
    (left, rest)
}

fn literal<'t>(text: &'t str, bdds: &mut LetterBdds) -> (LetterBdd, &'t str) {
    if let Some(behind) = text.strip_prefix('!') {
        let (operand, rest) = literal(behind, bdds);
        return (bdds.not(operand), rest);
    }
    if let Some(behind) = text.strip_prefix('(') {
        let (inside, rest) = disjunction(behind, bdds);
        return (inside, rest.strip_prefix(')').expect("a parenthesis closes"));
    }
    let end = text.find(|ch: char| !ch.is_alphanumeric()).unwrap_or(text.len());
    let guard = match &text[..end] {
        "1" | "true" => bdd::TRUE,
        "0" | "false" => bdd::FALSE,
        atom => bdds.var(atom[1..].parse().expect("a number")),
    };
    (guard, &text[end..])
}
