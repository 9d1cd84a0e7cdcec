//! Text of temporal formulas. What is printed parses to the same formula; tests check that for random formulas.

use std::fmt::{self, Display, Formatter};

use abridge_diag::with_stack;

use crate::formula::{
    AtomKind, BinaryTemporal, Ctl, CtlNode, FairSteps, Fairness, FairnessNode, FormulaAtom, Ltl, LtlNode, NodeId,
    OperationPattern, PathQuantifier, UnaryTemporal, ValueQuantifier,
};

/// Levels of priority, from loose to tight; see `parse.rs`.
const FORMULA: u8 = 0;
const EQUIVALENCE: u8 = 1;
const IMPLICATION: u8 = 2;
const JUNCTION: u8 = 3;
const UNTIL: u8 = 4;
const PREFIX: u8 = 5;

impl Display for Ltl {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        ltl(self, self.root(), FORMULA, out)
    }
}

impl Ltl {
    /// Text of a subformula.
    pub fn text(&self, id: NodeId) -> String {
        struct Part<'f>(&'f Ltl, NodeId);
        impl Display for Part<'_> {
            fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
                ltl(self.0, self.1, FORMULA, out)
            }
        }
        Part(self, id).to_string()
    }
}

impl Display for Ctl {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        if let Some(premise) = &self.premise {
            fairness(premise, premise.root(), true, out)?;
            out.write_str(" => ")?;
        }
        ctl(self, self.root(), FORMULA, out)
    }
}

impl Ctl {
    /// Text of a subformula.
    pub fn text(&self, id: NodeId) -> String {
        struct Part<'f>(&'f Ctl, NodeId);
        impl Display for Part<'_> {
            fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
                ctl(self.0, self.1, FORMULA, out)
            }
        }
        Part(self, id).to_string()
    }
}

fn ltl(formula: &Ltl, id: NodeId, level: u8, out: &mut Formatter<'_>) -> fmt::Result {
    with_stack(|| {
        let own = ltl_level(formula.node(id));
        if own < level {
            out.write_str("(")?;
        }
        match formula.node(id) {
            LtlNode::Const(value) => write!(out, "{value}")?,
            LtlNode::Atom(atom) => write!(out, "{}", formula.atoms.get(*atom))?,
            LtlNode::Unary(op, operand) => {
                out.write_str(unary_sign(*op))?;
                ltl(formula, *operand, PREFIX, out)?;
            }
            LtlNode::Binary(op, left, right) => {
                let left_level = if *op == BinaryTemporal::Iff { own + 1 } else { own };
                ltl(formula, *left, left_level, out)?;
                write!(out, " {} ", binary_sign(*op))?;
                ltl(formula, *right, own + 1, out)?;
            }
            LtlNode::Quantified(quantifier, name, range, body) => {
                let (sign, op) = match quantifier {
                    ValueQuantifier::Exists => ('#', "&"),
                    ValueQuantifier::Forall => ('!', "=>"),
                };
                write!(out, "{sign}{name}.({} {op} ", formula.atoms.get(*range))?;
                ltl(formula, *body, FORMULA, out)?;
                out.write_str(")")?;
            }
            LtlNode::Fair(premise, body) => {
                fairness(premise, premise.root(), true, out)?;
                out.write_str(" => ")?;
                ltl(formula, *body, EQUIVALENCE, out)?;
            }
        }
        if own < level { out.write_str(")") } else { Ok(()) }
    })
}

fn ltl_level(node: &LtlNode) -> u8 {
    match node {
        LtlNode::Fair(..) => FORMULA,
        LtlNode::Binary(BinaryTemporal::Iff, ..) => EQUIVALENCE,
        LtlNode::Binary(BinaryTemporal::Implies, ..) => IMPLICATION,
        LtlNode::Binary(BinaryTemporal::And | BinaryTemporal::Or, ..) => JUNCTION,
        LtlNode::Binary(..) => UNTIL,
        _ => PREFIX,
    }
}

/// The sign with the blank that follows it.
fn unary_sign(op: UnaryTemporal) -> &'static str {
    match op {
        UnaryTemporal::Not => "not ",
        UnaryTemporal::Next => "X ",
        UnaryTemporal::Finally => "F ",
        UnaryTemporal::Globally => "G ",
        UnaryTemporal::Yesterday => "Y ",
        UnaryTemporal::Once => "O ",
        UnaryTemporal::Historically => "H ",
    }
}

fn binary_sign(op: BinaryTemporal) -> &'static str {
    match op {
        BinaryTemporal::And => "&",
        BinaryTemporal::Or => "or",
        BinaryTemporal::Implies => "=>",
        BinaryTemporal::Iff => "<=>",
        BinaryTemporal::Until => "U",
        BinaryTemporal::WeakUntil => "W",
        BinaryTemporal::Release => "R",
        BinaryTemporal::Since => "S",
        BinaryTemporal::Trigger => "T",
    }
}

fn fairness(premise: &Fairness, idx: u32, is_outermost: bool, out: &mut Formatter<'_>) -> fmt::Result {
    let (sign, left, right) = match &premise.nodes[idx as usize] {
        FairnessNode::Term(term) => {
            let strength = if term.is_strong { 'S' } else { 'W' };
            return match &term.subject {
                FairSteps::Operation(pattern) => write!(out, "{strength}F({pattern})"),
                FairSteps::Every => write!(out, "{strength}EF"),
            };
        }
        FairnessNode::And(left, right) => ("&", left, right),
        FairnessNode::Or(left, right) => ("or", left, right),
    };
    with_stack(|| {
        if !is_outermost {
            out.write_str("(")?;
        }
        fairness(premise, *left, false, out)?;
        write!(out, " {sign} ")?;
        fairness(premise, *right, false, out)?;
        if is_outermost { Ok(()) } else { out.write_str(")") }
    })
}

fn ctl(formula: &Ctl, id: NodeId, level: u8, out: &mut Formatter<'_>) -> fmt::Result {
    with_stack(|| {
        let own = ctl_level(formula.node(id));
        if own < level {
            out.write_str("(")?;
        }
        let mut infix = |left: NodeId, sign: &str, right: NodeId, left_level: u8| {
            ctl(formula, left, left_level, out)?;
            write!(out, " {sign} ")?;
            ctl(formula, right, own + 1, out)
        };
        match formula.node(id) {
            CtlNode::And(left, right) => infix(*left, "&", *right, own)?,
            CtlNode::Or(left, right) => infix(*left, "or", *right, own)?,
            CtlNode::Implies(left, right) => infix(*left, "=>", *right, own)?,
            CtlNode::Iff(left, right) => infix(*left, "<=>", *right, own + 1)?,
            node => ctl_prefix(formula, node, out)?,
        }
        if own < level { out.write_str(")") } else { Ok(()) }
    })
}

fn ctl_level(node: &CtlNode) -> u8 {
    match node {
        CtlNode::Iff(..) => EQUIVALENCE,
        CtlNode::Implies(..) => IMPLICATION,
        CtlNode::And(..) | CtlNode::Or(..) => JUNCTION,
        _ => PREFIX,
    }
}

fn ctl_prefix(formula: &Ctl, node: &CtlNode, out: &mut Formatter<'_>) -> fmt::Result {
    let mut prefix = |sign: &str, operand: NodeId| {
        out.write_str(sign)?;
        ctl(formula, operand, PREFIX, out)
    };
    let (path, left, sign, right) = match node {
        CtlNode::Const(value) => return write!(out, "{value}"),
        CtlNode::Atom(atom) => return write!(out, "{}", formula.atoms.get(*atom)),
        CtlNode::Not(operand) => return prefix("not ", *operand),
        CtlNode::Next(path, Some(step), operand) => {
            return prefix(&format!("{}X{} ", path_sign(*path), formula.atoms.get(*step)), *operand);
        }
        CtlNode::Next(path, None, operand) => {
            let sign = format!("{}X ", path_sign(*path));
            // An action after `X` would be read as the step of `EX[op]` if something followed.
            out.write_str(&sign)?;
            return ctl_in_parentheses(formula, *operand, out);
        }
        CtlNode::Finally(path, operand) => return prefix(&format!("{}F ", path_sign(*path)), *operand),
        CtlNode::Globally(path, operand) => return prefix(&format!("{}G ", path_sign(*path)), *operand),
        CtlNode::Until(path, left, right) => (*path, *left, "U", *right),
        CtlNode::WeakUntil(path, left, right) => (*path, *left, "W", *right),
        CtlNode::Release(path, left, right) => (*path, *left, "R", *right),
        CtlNode::And(..) | CtlNode::Or(..) | CtlNode::Implies(..) | CtlNode::Iff(..) => return Ok(()),
    };
    write!(out, "{} ", path_sign(path))?;
    ctl_in_parentheses(formula, left, out)?;
    write!(out, " {sign} ")?;
    ctl(formula, right, PREFIX, out)
}

/// Parentheses around all but constants and atoms other than steps.
fn ctl_in_parentheses(formula: &Ctl, id: NodeId, out: &mut Formatter<'_>) -> fmt::Result {
    let is_plain = match formula.node(id) {
        CtlNode::Const(_) => true,
        CtlNode::Atom(atom) => !formula.atoms.get(*atom).kind.is_about_step(),
        _ => false,
    };
    if is_plain {
        return ctl(formula, id, PREFIX, out);
    }
    out.write_str("(")?;
    ctl(formula, id, FORMULA, out)?;
    out.write_str(")")
}

fn path_sign(path: PathQuantifier) -> char {
    if path == PathQuantifier::E { 'E' } else { 'A' }
}

impl Display for OperationPattern {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.write_str(&self.operation.text)?;
        for (idx, argument) in self.arguments.iter().enumerate() {
            out.write_str(if idx == 0 { "(" } else { "," })?;
            out.write_str(argument.as_ref().map_or("_", |argument| &argument.text))?;
        }
        if self.arguments.is_empty() { Ok(()) } else { out.write_str(")") }
    }
}

impl Display for FormulaAtom {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let list = |patterns: &[OperationPattern]| {
            patterns.iter().map(OperationPattern::to_string).collect::<Vec<_>>().join(",")
        };
        match &self.kind {
            AtomKind::Predicate(text) => write!(out, "{{{}}}", text.text),
            AtomKind::Taken(pattern) => write!(out, "[{pattern}]"),
            AtomKind::Enabled(pattern) => write!(out, "e({pattern})"),
            AtomKind::Available(pattern) => write!(out, "Av({pattern})"),
            AtomKind::Deadlock => out.write_str("deadlock"),
            AtomKind::DeadlockOf(patterns) => write!(out, "deadlock({})", list(patterns)),
            AtomKind::Deterministic(patterns) => write!(out, "deterministic({})", list(patterns)),
            AtomKind::Controller(patterns) => write!(out, "controller({})", list(patterns)),
            AtomKind::Sink => out.write_str("sink"),
            AtomKind::Goal => out.write_str("goal"),
            AtomKind::Error => out.write_str("error"),
            AtomKind::DetOutput => out.write_str("det_output"),
            AtomKind::Current => out.write_str("current"),
            AtomKind::Unchanged(text) => write!(out, "unchanged({{{}}})", text.text),
            AtomKind::Changed(text) => write!(out, "changed({{{}}})", text.text),
            AtomKind::Increasing(text) => write!(out, "increasing({{{}}})", text.text),
            AtomKind::Decreasing(text) => write!(out, "decreasing({{{}}})", text.text),
            AtomKind::BeforeAfter(text) => write!(out, "BA({{{}}})", text.text),
        }
    }
}
