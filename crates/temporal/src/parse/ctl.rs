//! Productions of CTL.
//!
//! ProB's grammar has `E φ U ψ` with bare operands. The binary path operators may also stand in parentheses, `A (φ U ψ)`, as most other
//! tools write them; then both operands need parentheses of their own unless they are prefix formulas.

use crate::formula::{BinaryTemporal, Ctl, CtlNode, FormulaAtom, NodeId, PathQuantifier, TextRange, UnaryTemporal};
use crate::lexer::FormulaToken;

use super::{Parsed, Parser};

impl Parser<'_> {
    /// A whole formula, with or without a fairness premise.
    pub(super) fn ctl_whole(&mut self, ctl: &mut Ctl) -> Parsed<NodeId> {
        if self.is_at_premise() {
            ctl.premise = Some(self.premise()?);
            self.advance();
        }
        self.ctl_formula(ctl)
    }

    fn ctl_formula(&mut self, ctl: &mut Ctl) -> Parsed<NodeId> {
        let left = self.ctl_implication(ctl)?;
        if *self.token() != FormulaToken::Binary(BinaryTemporal::Iff) {
            return Ok(left);
        }
        self.advance();
        let right = self.ctl_implication(ctl)?;
        Ok(push_binary(ctl, CtlNode::Iff, left, right))
    }

    fn ctl_implication(&mut self, ctl: &mut Ctl) -> Parsed<NodeId> {
        let mut left = self.ctl_conjunction(ctl)?;
        while *self.token() == FormulaToken::Binary(BinaryTemporal::Implies) {
            self.advance();
            let right = self.ctl_conjunction(ctl)?;
            left = push_binary(ctl, CtlNode::Implies, left, right);
        }
        Ok(left)
    }

    fn ctl_conjunction(&mut self, ctl: &mut Ctl) -> Parsed<NodeId> {
        let mut left = self.ctl_prefix(ctl)?;
        while let FormulaToken::Binary(op @ (BinaryTemporal::And | BinaryTemporal::Or)) = *self.token() {
            self.advance();
            let right = self.ctl_prefix(ctl)?;
            left = push_binary(ctl, if op == BinaryTemporal::And { CtlNode::And } else { CtlNode::Or }, left, right);
        }
        Ok(left)
    }

    fn ctl_prefix(&mut self, ctl: &mut Ctl) -> Parsed<NodeId> {
        self.nested(|parser| parser.ctl_prefix_here(ctl))
    }

    fn ctl_prefix_here(&mut self, ctl: &mut Ctl) -> Parsed<NodeId> {
        let (token, place) = (self.token().clone(), self.place());
        match token {
            FormulaToken::Unary(UnaryTemporal::Not) | FormulaToken::Bang => {
                if token == FormulaToken::Bang {
                    self.warn_bang(place);
                }
                self.advance();
                let operand = self.ctl_prefix(ctl)?;
                let place = place.to(ctl.place(operand));
                Ok(ctl.push(CtlNode::Not(operand), place))
            }
            FormulaToken::Const(value) => {
                self.advance();
                Ok(ctl.push(CtlNode::Const(value), place))
            }
            FormulaToken::Atom(kind) => {
                use crate::formula::AtomKind::Taken;
                if kind.is_about_step() && !matches!(kind, Taken(_)) {
                    let message =
                        format!("`{}` speaks about a step, but formulas of CTL speak about states", self.shown(place));
                    return Err(Box::new(
                        self.error("unexpected-token", message, place).help("use it in a formula of LTL"),
                    ));
                }
                self.advance();
                let atom = ctl.atoms.intern(FormulaAtom { kind, bindings: Vec::new(), place });
                Ok(ctl.push(CtlNode::Atom(atom), place))
            }
            FormulaToken::Open => {
                self.advance();
                let inside = self.ctl_formula(ctl)?;
                self.expect_close(place)?;
                Ok(inside)
            }
            FormulaToken::Some => self.ctl_path(ctl, PathQuantifier::E),
            FormulaToken::All => self.ctl_path(ctl, PathQuantifier::A),
            FormulaToken::Unary(_) | FormulaToken::Quantifier(..) | FormulaToken::Fair(_) => {
                Err(self.not_in_ctl(place))
            }
            _ => Err(self.missing_operand()),
        }
    }

    fn not_in_ctl(&self, place: TextRange) -> Box<abridge_diag::Diagnostic> {
        let text = self.shown(place);
        let error = self.error("unexpected-token", format!("`{text}` cannot stand here in a formula of CTL"), place);
        Box::new(match self.token() {
            FormulaToken::Unary(UnaryTemporal::Globally | UnaryTemporal::Finally | UnaryTemporal::Next) => {
                error.help(format!("write `A{text}` (on all paths) or `E{text}` (on some path), or use LTL"))
            }
            FormulaToken::Fair(_) => {
                error.help("a fairness premise comes first, and `=>` follows it: `WF(op) => AF {P}`")
            }
            _ => error.help("use a formula of LTL"),
        })
    }

    /// What follows `E` or `A`.
    fn ctl_path(&mut self, ctl: &mut Ctl, path: PathQuantifier) -> Parsed<NodeId> {
        let start = self.advance().1;
        match self.token().clone() {
            FormulaToken::Unary(op @ (UnaryTemporal::Next | UnaryTemporal::Finally | UnaryTemporal::Globally)) => {
                self.advance();
                let step = if op == UnaryTemporal::Next { self.ctl_step(ctl) } else { None };
                let operand = self.ctl_prefix(ctl)?;
                let place = start.to(ctl.place(operand));
                let node = match op {
                    UnaryTemporal::Next => CtlNode::Next(path, step, operand),
                    UnaryTemporal::Finally => CtlNode::Finally(path, operand),
                    _ => CtlNode::Globally(path, operand),
                };
                Ok(ctl.push(node, place))
            }
            FormulaToken::Open => self.ctl_path_in_parentheses(ctl, path, start),
            _ => {
                let left = self.ctl_prefix(ctl)?;
                self.ctl_path_binary(ctl, path, start, left)
            }
        }
    }

    /// The step of `EX[op] φ`, if a formula follows the brackets.
    fn ctl_step(&mut self, ctl: &mut Ctl) -> Option<crate::formula::AtomId> {
        let FormulaToken::Atom(kind @ crate::formula::AtomKind::Taken(_)) = self.token().clone() else { return None };
        let begins_formula = match &self.tokens[self.at + 1].0 {
            FormulaToken::Binary(_) | FormulaToken::Close | FormulaToken::End => false,
            FormulaToken::Const(_)
            | FormulaToken::Atom(_)
            | FormulaToken::Unary(_)
            | FormulaToken::Quantifier(..)
            | FormulaToken::Bang => true,
            FormulaToken::Fair(_) | FormulaToken::Open | FormulaToken::Some | FormulaToken::All => true,
        };
        if !begins_formula {
            return None;
        }
        let place = self.advance().1;
        Some(ctl.atoms.intern(FormulaAtom { kind, bindings: Vec::new(), place }))
    }

    /// `E (φ) U ψ` or `E (φ U ψ)`.
    fn ctl_path_in_parentheses(&mut self, ctl: &mut Ctl, path: PathQuantifier, start: TextRange) -> Parsed<NodeId> {
        let open = self.advance().1;
        let n_before = ctl.len();
        let left_at = self.at;
        let left = self.ctl_formula(ctl)?;
        if path_operator(self.token()).is_none() {
            self.expect_close(open)?;
            return self.ctl_path_binary(ctl, path, start, left);
        }
        let is_junction =
            matches!(ctl.node(left), CtlNode::And(..) | CtlNode::Or(..) | CtlNode::Implies(..) | CtlNode::Iff(..));
        if is_junction && ctl.len() > n_before && !self.is_in_parentheses(left_at) {
            let text = self.shown(self.place());
            let message = format!("the left side of `{text}` needs parentheses");
            return Err(Box::new(
                self.error("missing-parentheses", message, self.place()).help("write `E ((a & b) U c)`"),
            ));
        }
        let inside = self.ctl_path_binary(ctl, path, start, left)?;
        self.expect_close(open)?;
        Ok(inside)
    }

    /// Whether the tokens from here to the one before the current stand in one pair of parentheses.
    fn is_in_parentheses(&self, from: usize) -> bool {
        let mut depth = 0_usize;
        for (idx, (token, _)) in self.tokens[from..self.at].iter().enumerate() {
            match token {
                FormulaToken::Open => depth += 1,
                FormulaToken::Close => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                return from + idx + 1 == self.at;
            }
        }
        false
    }

    fn ctl_path_binary(
        &mut self,
        ctl: &mut Ctl,
        path: PathQuantifier,
        start: TextRange,
        left: NodeId,
    ) -> Parsed<NodeId> {
        let Some(op) = path_operator(self.token()) else {
            let letter = if path == PathQuantifier::E { 'E' } else { 'A' };
            let message = format!("`{letter}` needs `X`, `F`, `G` or one of `U`, `W`, `R` after its first formula");
            let help = format!("write `{letter}F formula` or `{letter} formula U formula`");
            return Err(Box::new(self.error("unexpected-token", message, start).help(help)));
        };
        self.advance();
        let right = self.ctl_prefix(ctl)?;
        let place = start.to(ctl.place(right));
        let node = match op {
            BinaryTemporal::Until => CtlNode::Until(path, left, right),
            BinaryTemporal::WeakUntil => CtlNode::WeakUntil(path, left, right),
            _ => CtlNode::Release(path, left, right),
        };
        Ok(ctl.push(node, place))
    }
}

fn path_operator(token: &FormulaToken) -> Option<BinaryTemporal> {
    match token {
        FormulaToken::Binary(op @ (BinaryTemporal::Until | BinaryTemporal::WeakUntil | BinaryTemporal::Release)) => {
            Some(*op)
        }
        _ => None,
    }
}

fn push_binary(ctl: &mut Ctl, node: fn(NodeId, NodeId) -> CtlNode, left: NodeId, right: NodeId) -> NodeId {
    let place = ctl.place(left).to(ctl.place(right));
    ctl.push(node(left, right), place)
}
