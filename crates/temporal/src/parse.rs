//! Parser of temporal formulas: [`parse_ltl`] and [`parse_ctl`].
//!
//! The priorities are ProB's: `&` and `or` share a level and associate to the left, as do the binary temporal operators; `=>` associates to
//! the left; `<=>` takes one pair. A fairness premise may stand before the first `=>` of a formula or of something in parentheses, and has
//! a grammar of its own, in which `&` before a block of the other strength binds last. Reading these priorities in another way would
//! change the meaning of formulas that people have written for ProB.

use abridge_diag::{Diagnostic, FileId, MAX_DEPTH, Span, with_stack};

use crate::formula::{
    AtomId, AtomKind, BinaryTemporal, Ctl, Fairness, FairnessNode, FormulaAtom, Ltl, LtlNode, NodeId, TextRange,
    UnaryTemporal, ValueQuantifier,
};
use crate::lexer::{self, FormulaLogic, FormulaToken};

mod ctl;

/// Text of a formula in a file of the source map. `base` is the offset of the text in that file.
#[derive(Clone, Copy, Debug)]
pub struct TemporalText<'t> {
    pub file: FileId,
    pub base: u32,
    pub text: &'t str,
}

impl TemporalText<'_> {
    pub fn span(&self, place: TextRange) -> Span {
        Span::new(self.file, self.base + place.start, self.base + place.end)
    }
}

/// The formula, if it can be read, and what there is to say about it.
pub fn parse_ltl(source: TemporalText<'_>) -> (Option<Ltl>, Vec<Diagnostic>) {
    let mut parser = match Parser::new(source, FormulaLogic::Ltl) {
        Ok(parser) => parser,
        Err(diagnostic) => return (None, vec![*diagnostic]),
    };
    let mut ltl = Ltl::default();
    match parser.formula(&mut ltl).and_then(|_| parser.expect_end()) {
        Ok(()) => (Some(ltl), parser.warnings),
        Err(diagnostic) => (None, parser.warnings.into_iter().chain([*diagnostic]).collect()),
    }
}

/// The formula, if it can be read, and what there is to say about it.
pub fn parse_ctl(source: TemporalText<'_>) -> (Option<Ctl>, Vec<Diagnostic>) {
    let mut parser = match Parser::new(source, FormulaLogic::Ctl) {
        Ok(parser) => parser,
        Err(diagnostic) => return (None, vec![*diagnostic]),
    };
    let mut ctl = Ctl::default();
    match parser.ctl_whole(&mut ctl).and_then(|_| parser.expect_end()) {
        Ok(()) => (Some(ctl), parser.warnings),
        Err(diagnostic) => (None, parser.warnings.into_iter().chain([*diagnostic]).collect()),
    }
}

type Parsed<T> = Result<T, Box<Diagnostic>>;

struct Parser<'t> {
    source: TemporalText<'t>,
    tokens: Vec<(FormulaToken, TextRange)>,
    /// For each token, the next one that cannot belong to a fairness premise.
    after_fairness: Vec<usize>,
    /// For each token, the fairness terms before it.
    n_terms: Vec<usize>,
    at: usize,
    depth: u32,
    warnings: Vec<Diagnostic>,
}

impl<'t> Parser<'t> {
    fn new(source: TemporalText<'t>, logic: FormulaLogic) -> Parsed<Self> {
        let tokens = lexer::tokens(source.file, source.base, source.text, logic)?;
        let mut after_fairness = vec![tokens.len() - 1; tokens.len()];
        for (idx, (token, _)) in tokens.iter().enumerate().rev().skip(1) {
            let may_belong = matches!(
                token,
                FormulaToken::Fair(_)
                    | FormulaToken::Open
                    | FormulaToken::Close
                    | FormulaToken::Binary(BinaryTemporal::And | BinaryTemporal::Or)
            );
            after_fairness[idx] = if may_belong { after_fairness[idx + 1] } else { idx };
        }
        let count = |n: &mut usize, (token, _): &(FormulaToken, TextRange)| {
            let before = *n;
            *n += usize::from(matches!(token, FormulaToken::Fair(_)));
            Some(before)
        };
        let n_terms = tokens.iter().scan(0, count).collect();
        Ok(Parser { source, tokens, after_fairness, n_terms, at: 0, depth: 0, warnings: Vec::new() })
    }

    fn token(&self) -> &FormulaToken {
        &self.tokens[self.at].0
    }

    fn place(&self) -> TextRange {
        self.tokens[self.at].1
    }

    /// The end of the token before this one.
    fn place_behind(&self) -> TextRange {
        let end = self.at.checked_sub(1).map_or(0, |before| self.tokens[before].1.end);
        TextRange { start: end, end }
    }

    fn advance(&mut self) -> (FormulaToken, TextRange) {
        let found = self.tokens[self.at].clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        found
    }

    fn error(&self, id: &'static str, message: impl Into<String>, place: TextRange) -> Box<Diagnostic> {
        Box::new(Diagnostic::error(id, message).at(self.source.span(place)))
    }

    fn shown(&self, place: TextRange) -> &'t str {
        &self.source.text[place.start as usize..place.end as usize]
    }

    fn expect_end(&self) -> Parsed<()> {
        let place = self.place();
        let text = self.shown(place);
        match self.token() {
            FormulaToken::End => Ok(()),
            FormulaToken::Close => Err(self.error("unmatched-bracket", "this `)` closes nothing", place)),
            FormulaToken::Binary(BinaryTemporal::Iff) => {
                let error = self.error("unexpected-token", format!("a second `{text}` needs parentheses"), place);
                Err(Box::new(error.help("write `(a <=> b) <=> c`")))
            }
            _ => {
                let message = format!("an operator is missing before `{text}`");
                Err(Box::new(
                    self.error("missing-separator", message, place).help("join formulas by `&`, `or` or `=>`"),
                ))
            }
        }
    }

    fn expect_close(&mut self, open: TextRange) -> Parsed<TextRange> {
        if *self.token() == FormulaToken::Close {
            return Ok(self.advance().1);
        }
        if *self.token() != FormulaToken::End {
            self.expect_end()?;
        }
        let error = self.error("unclosed-bracket", "this `(` is never closed", open);
        Err(Box::new(error.also(self.source.span(self.place()), "`)` is missing here").help("add `)`")))
    }

    /// Runs a production one level deeper.
    fn nested<T>(&mut self, production: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            let message = format!("formulas are nested more than {MAX_DEPTH} levels deep");
            return Err(self.error("nested-too-deep", message, self.place()));
        }
        self.depth += 1;
        let parsed = with_stack(|| production(self));
        self.depth -= 1;
        parsed
    }

    fn missing_operand(&self) -> Box<Diagnostic> {
        let place = self.place();
        let before = self.at.checked_sub(1).map(|idx| self.tokens[idx].1);
        let after = before.map_or(String::new(), |before| format!(" after `{}`", self.shown(before)));
        let help = "write `{P}` for a predicate of B, `[op]` for a step, `e(op)` for an enabled operation";
        let error = match self.token() {
            FormulaToken::End if self.at == 0 => self.error("missing-operand", "the formula is empty", place),
            FormulaToken::End => {
                self.error("missing-operand", format!("a formula is missing{after}"), self.place_behind())
            }
            FormulaToken::Fair(_) => {
                let text = self.shown(place);
                let message = format!("the fairness premise `{text}` cannot stand here");
                let help =
                    "premises stand before the outermost `=>`, without other formulas: `WF(a) & WF(b) => formula`";
                return Box::new(self.error("unexpected-token", message, place).help(help));
            }
            _ => {
                let message = format!("a formula is missing{after}; this is `{}`", self.shown(place));
                self.error("missing-operand", message, place)
            }
        };
        Box::new(error.help(help))
    }

    fn warn_bang(&mut self, place: TextRange) {
        let message = "`!` is read as `not`; elsewhere it begins a quantifier";
        self.warnings
            .push(Diagnostic::warning("foreign-operator", message).at(self.source.span(place)).help("write `not`"));
    }

    /// A whole formula, with or without a fairness premise.
    fn formula(&mut self, ltl: &mut Ltl) -> Parsed<NodeId> {
        if !self.is_at_premise() {
            return self.equivalence(ltl);
        }
        let start = self.place();
        let premise = self.premise()?;
        self.advance();
        let body = self.equivalence(ltl)?;
        let place = start.to(ltl.place(body));
        Ok(ltl.push(LtlNode::Fair(premise, body), place))
    }

    /// Whether a fairness premise and `=>` begin here.
    fn is_at_premise(&self) -> bool {
        let stop = self.after_fairness[self.at];
        let has_terms = self.n_terms[stop] > self.n_terms[self.at];
        if !has_terms || self.tokens[stop].0 != FormulaToken::Binary(BinaryTemporal::Implies) {
            return false;
        }
        let mut depth = 0_i64;
        for (token, _) in &self.tokens[self.at..stop] {
            depth += i64::from(*token == FormulaToken::Open) - i64::from(*token == FormulaToken::Close);
            if depth < 0 {
                return false;
            }
        }
        depth == 0
    }

    fn premise(&mut self) -> Parsed<Fairness> {
        let mut fairness = Fairness { nodes: Vec::new() };
        self.fairness(&mut fairness)?;
        if *self.token() != FormulaToken::Binary(BinaryTemporal::Implies) {
            return Err(self.missing_operand());
        }
        Ok(fairness)
    }

    /// Blocks of one strength, joined by `&`.
    fn fairness(&mut self, fairness: &mut Fairness) -> Parsed<(u32, Strength)> {
        let (mut left, mut strength) = self.fairness_block(fairness)?;
        while let FormulaToken::Binary(op @ (BinaryTemporal::And | BinaryTemporal::Or)) = *self.token() {
            let place = self.advance().1;
            if op == BinaryTemporal::Or {
                let message = "`or` cannot join strong and weak fairness";
                let help = "put premises of one strength together: `(SF(a) or SF(b)) & WF(c) => formula`";
                return Err(Box::new(self.error("unexpected-token", message, place).help(help)));
            }
            let (right, _) = self.fairness_block(fairness)?;
            fairness.nodes.push(FairnessNode::And(left, right));
            left = fairness.root();
            strength = Strength::Mixed;
        }
        Ok((left, strength))
    }

    /// Terms of one strength: `&` and `or` on one level, from the left.
    fn fairness_block(&mut self, fairness: &mut Fairness) -> Parsed<(u32, Strength)> {
        let (mut left, strength) = self.fairness_term(fairness)?;
        while let FormulaToken::Binary(op @ (BinaryTemporal::And | BinaryTemporal::Or)) = *self.token() {
            if strength == Strength::Mixed || self.strength_ahead(self.at + 1) != Some(strength) {
                break;
            }
            self.advance();
            let (right, _) = self.fairness_term(fairness)?;
            fairness.nodes.push(match op {
                BinaryTemporal::And => FairnessNode::And(left, right),
                _ => FairnessNode::Or(left, right),
            });
            left = fairness.root();
        }
        Ok((left, strength))
    }

    fn fairness_term(&mut self, fairness: &mut Fairness) -> Parsed<(u32, Strength)> {
        match self.token().clone() {
            FormulaToken::Fair(term) => {
                self.advance();
                let strength = Strength::of(term.is_strong);
                fairness.nodes.push(FairnessNode::Term(term));
                Ok((fairness.root(), strength))
            }
            FormulaToken::Open => {
                let open = self.advance().1;
                let inside = self.nested(|parser| parser.fairness(fairness))?;
                self.expect_close(open)?;
                Ok(inside)
            }
            _ => Err(self.missing_operand()),
        }
    }

    /// The strength of the term or parenthesised block at a token.
    fn strength_ahead(&self, from: usize) -> Option<Strength> {
        let mut depth = 0_usize;
        let mut found: Option<Strength> = None;
        for (token, _) in &self.tokens[from..] {
            match token {
                FormulaToken::Open => depth += 1,
                FormulaToken::Close => depth = depth.saturating_sub(1),
                FormulaToken::Fair(term) => {
                    let strength = Strength::of(term.is_strong);
                    found =
                        Some(if found.is_some_and(|before| before != strength) { Strength::Mixed } else { strength });
                }
                FormulaToken::Binary(_) if depth > 0 => {}
                _ => return None,
            }
            if depth == 0 {
                return found;
            }
        }
        None
    }

    fn equivalence(&mut self, ltl: &mut Ltl) -> Parsed<NodeId> {
        let left = self.implication(ltl)?;
        if *self.token() != FormulaToken::Binary(BinaryTemporal::Iff) {
            return Ok(left);
        }
        self.advance();
        let right = self.implication(ltl)?;
        Ok(binary(ltl, BinaryTemporal::Iff, left, right))
    }

    fn implication(&mut self, ltl: &mut Ltl) -> Parsed<NodeId> {
        let mut left = self.conjunction(ltl)?;
        while *self.token() == FormulaToken::Binary(BinaryTemporal::Implies) {
            self.advance();
            let right = self.conjunction(ltl)?;
            left = binary(ltl, BinaryTemporal::Implies, left, right);
        }
        Ok(left)
    }

    fn conjunction(&mut self, ltl: &mut Ltl) -> Parsed<NodeId> {
        let mut left = self.until(ltl)?;
        while let FormulaToken::Binary(op @ (BinaryTemporal::And | BinaryTemporal::Or)) = *self.token() {
            self.advance();
            let right = self.until(ltl)?;
            left = binary(ltl, op, left, right);
        }
        Ok(left)
    }

    fn until(&mut self, ltl: &mut Ltl) -> Parsed<NodeId> {
        let mut left = self.prefix(ltl)?;
        while let FormulaToken::Binary(
            op @ (BinaryTemporal::Until
            | BinaryTemporal::WeakUntil
            | BinaryTemporal::Release
            | BinaryTemporal::Since
            | BinaryTemporal::Trigger),
        ) = *self.token()
        {
            self.advance();
            let right = self.prefix(ltl)?;
            left = binary(ltl, op, left, right);
        }
        Ok(left)
    }

    fn prefix(&mut self, ltl: &mut Ltl) -> Parsed<NodeId> {
        self.nested(|parser| parser.prefix_here(ltl))
    }

    fn prefix_here(&mut self, ltl: &mut Ltl) -> Parsed<NodeId> {
        let (token, place) = (self.token().clone(), self.place());
        let unary = match token {
            FormulaToken::Unary(op) => op,
            FormulaToken::Bang => {
                self.warn_bang(place);
                UnaryTemporal::Not
            }
            FormulaToken::Const(value) => {
                self.advance();
                return Ok(ltl.push(LtlNode::Const(value), place));
            }
            FormulaToken::Atom(kind) => {
                self.advance();
                let atom = ltl.atoms.intern(FormulaAtom { kind, bindings: Vec::new(), place });
                return Ok(ltl.push(LtlNode::Atom(atom), place));
            }
            FormulaToken::Open => {
                self.advance();
                let inside = self.formula(ltl)?;
                self.expect_close(place)?;
                return Ok(inside);
            }
            FormulaToken::Quantifier(quantifier, name) => {
                self.advance();
                let (range, body, end) = self.quantified(ltl, quantifier)?;
                return Ok(ltl.push(LtlNode::Quantified(quantifier, name, range, body), place.to(end)));
            }
            _ => return Err(self.missing_operand()),
        };
        self.advance();
        let operand = self.prefix(ltl)?;
        let place = place.to(ltl.place(operand));
        Ok(ltl.push(LtlNode::Unary(unary, operand), place))
    }

    /// `({P} & φ)` or `({P} => φ)`.
    fn quantified(&mut self, ltl: &mut Ltl, quantifier: ValueQuantifier) -> Parsed<(AtomId, NodeId, TextRange)> {
        let (op, form) = match quantifier {
            ValueQuantifier::Exists => (BinaryTemporal::And, "#x.({P} & formula)"),
            ValueQuantifier::Forall => (BinaryTemporal::Implies, "!x.({P} => formula)"),
        };
        let wrong = |parser: &Self, message: &str| {
            let error = parser.error("unexpected-token", message, parser.place());
            Box::new(error.help(format!("write `{form}`")))
        };
        if *self.token() != FormulaToken::Open {
            return Err(wrong(self, "a quantifier needs parentheses after its dot"));
        }
        let open = self.advance().1;
        let FormulaToken::Atom(kind @ AtomKind::Predicate(_)) = self.token().clone() else {
            return Err(wrong(self, "the range of a quantifier is a predicate in braces"));
        };
        let place = self.advance().1;
        let range = ltl.atoms.intern(FormulaAtom { kind, bindings: Vec::new(), place });
        if *self.token() != FormulaToken::Binary(op) {
            let message = if op == BinaryTemporal::And {
                "`&` follows the range of `#`"
            } else {
                "`=>` follows the range of `!`"
            };
            return Err(wrong(self, message));
        }
        self.advance();
        let body = self.formula(ltl)?;
        Ok((range, body, self.expect_close(open)?))
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Strength {
    Strong,
    Weak,
    Mixed,
}

impl Strength {
    fn of(is_strong: bool) -> Strength {
        if is_strong { Strength::Strong } else { Strength::Weak }
    }
}

fn binary(ltl: &mut Ltl, op: BinaryTemporal, left: NodeId, right: NodeId) -> NodeId {
    let place = ltl.place(left).to(ltl.place(right));
    ltl.push(LtlNode::Binary(op, left, right), place)
}
