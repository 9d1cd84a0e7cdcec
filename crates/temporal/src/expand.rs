//! Formulas without quantifiers and without fairness inside: [`expand`].
//!
//! `#x.({P} & φ)` becomes a disjunction over the values of x, `!x.({P} => φ)` a conjunction; the caller says which values there are. The range
//! stays part of each instance, since P may depend on the state. A fairness premise in parentheses becomes the formulas that it abbreviates:
//! `WF(op)` is `F G e(op) => G F [op]`, `SF(op)` is `G F e(op) => G F [op]`. The outermost premise is kept apart as [`FairnessConstraint`]s, because
//! an engine checks it on components and needs no automaton for it. On a path that ends, both forms are true: nothing is enabled in its
//! last state. So fairness filters infinite paths only, in either form.

use abridge_diag::with_stack;
use smol_str::SmolStr;

use crate::formula::{
    AtomId, AtomKind, Atoms, BinaryTemporal, BoundValue, Ctl, FairSteps, Fairness, FairnessNode, FairnessTerm,
    FormulaAtom, Ltl, LtlNode, NodeId, OperationPattern, TextRange, UnaryTemporal, ValueQuantifier,
};

/// Formulas larger than this are refused, and premises with more alternatives.
const MAX_NODES: usize = 1 << 18;
const MAX_ALTERNATIVES: usize = 1 << 10;

/// The caller's knowledge of values and operations.
pub trait Domain {
    /// Numbers of the values that a quantified variable ranges over, or `None` if they cannot be listed. Values that never satisfy the range
    /// may be left out.
    fn values(&mut self, name: &str, range: &FormulaAtom) -> Option<Vec<u32>>;

    /// All operations with arguments that may occur, or `None` if they cannot be listed. They are asked for only where `WEF` or `SEF`
    /// stands in parentheses. Those that never occur may be among them.
    fn instances(&mut self) -> Option<Vec<OperationPattern>>;
}

/// The domain of formulas without quantifiers.
pub struct NoDomain;

impl Domain for NoDomain {
    fn values(&mut self, _: &str, _: &FormulaAtom) -> Option<Vec<u32>> {
        None
    }

    fn instances(&mut self) -> Option<Vec<OperationPattern>> {
        None
    }
}

/// Weak or strong fairness of something.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FairnessConstraint {
    pub is_strong: bool,
    pub subject: FairnessSubject,
}

impl FairnessConstraint {
    /// The constraint as a user writes it; `atoms` are those of the expanded formula.
    pub fn text(&self, atoms: &Atoms) -> String {
        let strength = if self.is_strong { "S" } else { "W" };
        match self.subject {
            FairnessSubject::Every => format!("{strength}EF"),
            FairnessSubject::Step { taken, .. } => match &atoms.get(taken).kind {
                AtomKind::Taken(pattern) => format!("{strength}F({pattern})"),
                _ => format!("{strength}F({})", atoms.get(taken)),
            },
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FairnessSubject {
    /// Atoms of the expanded formula: enabled in a state, taken by a step.
    Step { enabled: AtomId, taken: AtomId },
    /// Every operation with its arguments, each on its own.
    Every,
}

/// A formula without quantifiers and fairness, and its outermost premise.
#[derive(Clone, Debug)]
pub struct ExpandedFormula {
    pub formula: Ltl,
    /// A disjunction of conjunctions; without a premise, one empty conjunction. A path counts if it is finite or if all constraints of some
    /// alternative hold on it.
    pub premises: Vec<Vec<FairnessConstraint>>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExpandError {
    /// The values of a quantified variable cannot be listed; the place of its range.
    NoValues(SmolStr, TextRange),
    /// The operations that `WEF` or `SEF` ranges over cannot be listed.
    NoInstances(TextRange),
    /// The formula becomes too large.
    TooLarge(TextRange),
}

/// Removes quantifiers and fairness.
pub fn expand(ltl: &Ltl, domain: &mut dyn Domain) -> Result<ExpandedFormula, ExpandError> {
    let mut expander = Expander { source: ltl, domain, out: Ltl::default(), bindings: Vec::new() };
    let (premises, body) = match ltl.node(ltl.root()) {
        LtlNode::Fair(premise, body) => {
            let place = ltl.place(ltl.root());
            let premises = alternatives(premise, place, &mut |pattern| expander.atoms_of(pattern, place))?;
            (premises, *body)
        }
        _ => (vec![Vec::new()], ltl.root()),
    };
    expander.copy(body)?;
    Ok(ExpandedFormula { formula: expander.out, premises })
}

/// A branching-time formula, and its premise as in [`ExpandedFormula`].
#[derive(Clone, Debug)]
pub struct BranchingFormula {
    /// Its atoms include those of the premise.
    pub formula: Ctl,
    pub premises: Vec<Vec<FairnessConstraint>>,
}

impl BranchingFormula {
    pub fn new(mut formula: Ctl) -> Result<BranchingFormula, ExpandError> {
        let Some(premise) = formula.premise.clone() else {
            return Ok(BranchingFormula { formula, premises: vec![Vec::new()] });
        };
        let place = formula.place(formula.root());
        let atoms = &mut formula.atoms;
        let premises = alternatives(&premise, place, &mut |pattern| {
            let enabled = atoms.intern(plain(AtomKind::Enabled(pattern.clone()), place));
            (enabled, atoms.intern(plain(AtomKind::Taken(pattern.clone()), place)))
        })?;
        Ok(BranchingFormula { formula, premises })
    }

    /// Some paths are left out because they are not fair.
    pub fn has_premise(&self) -> bool {
        !self.premises.iter().any(Vec::is_empty)
    }
}

struct Expander<'a> {
    source: &'a Ltl,
    domain: &'a mut dyn Domain,
    out: Ltl,
    bindings: Vec<BoundValue>,
}

impl Expander<'_> {
    fn push(&mut self, node: LtlNode, place: TextRange) -> Result<NodeId, ExpandError> {
        if self.out.len() >= MAX_NODES {
            return Err(ExpandError::TooLarge(place));
        }
        Ok(self.out.push(node, place))
    }

    fn unary(&mut self, op: UnaryTemporal, operand: NodeId, place: TextRange) -> Result<NodeId, ExpandError> {
        self.push(LtlNode::Unary(op, operand), place)
    }

    fn binary(
        &mut self,
        op: BinaryTemporal,
        left: NodeId,
        right: NodeId,
        place: TextRange,
    ) -> Result<NodeId, ExpandError> {
        self.push(LtlNode::Binary(op, left, right), place)
    }

    fn copy(&mut self, id: NodeId) -> Result<NodeId, ExpandError> {
        with_stack(|| {
            let place = self.source.place(id);
            match self.source.node(id) {
                LtlNode::Const(value) => self.push(LtlNode::Const(*value), place),
                LtlNode::Atom(atom) => {
                    let atom = self.atom(*atom);
                    self.push(LtlNode::Atom(atom), place)
                }
                LtlNode::Unary(op, operand) => {
                    let operand = self.copy(*operand)?;
                    self.unary(*op, operand, place)
                }
                LtlNode::Binary(op, left, right) => {
                    let left = self.copy(*left)?;
                    let right = self.copy(*right)?;
                    self.binary(*op, left, right, place)
                }
                LtlNode::Quantified(quantifier, name, range, body) => {
                    self.quantified(*quantifier, name, *range, *body, place)
                }
                LtlNode::Fair(premise, body) => {
                    let premise = self.fairness(premise, place)?;
                    let body = self.copy(*body)?;
                    self.binary(BinaryTemporal::Implies, premise, body, place)
                }
            }
        })
    }

    /// The atom with the bindings of the variables that occur in it.
    fn atom(&mut self, id: AtomId) -> AtomId {
        let atom = self.source.atoms.get(id);
        self.instance(atom.kind.clone(), atom.place)
    }

    fn instance(&mut self, kind: AtomKind, place: TextRange) -> AtomId {
        let texts = kind.texts();
        let mut bindings: Vec<BoundValue> = Vec::new();
        for (name, value) in self.bindings.iter().rev() {
            let is_hidden = bindings.iter().any(|(known, _)| known == name);
            if !is_hidden && texts.iter().any(|text| mentions(&text.text, name)) {
                bindings.push((name.clone(), *value));
            }
        }
        self.out.atoms.intern(FormulaAtom { kind, bindings, place })
    }

    fn quantified(
        &mut self,
        quantifier: ValueQuantifier,
        name: &SmolStr,
        range: AtomId,
        body: NodeId,
        place: TextRange,
    ) -> Result<NodeId, ExpandError> {
        let bound = self.atom_for_domain(range);
        let Some(values) = self.domain.values(name, &bound) else {
            return Err(ExpandError::NoValues(name.clone(), bound.place));
        };
        let (inner, outer) = match quantifier {
            ValueQuantifier::Exists => (BinaryTemporal::And, BinaryTemporal::Or),
            ValueQuantifier::Forall => (BinaryTemporal::Implies, BinaryTemporal::And),
        };
        let mut all: Option<NodeId> = None;
        for value in values {
            self.bindings.push((name.clone(), value));
            let atom = self.atom(range);
            let left = self.push(LtlNode::Atom(atom), place)?;
            let right = self.copy(body)?;
            let instance = self.binary(inner, left, right, place)?;
            self.bindings.pop();
            all = Some(match all {
                Some(before) => self.binary(outer, before, instance, place)?,
                None => instance,
            });
        }
        match all {
            Some(all) => Ok(all),
            None => self.push(LtlNode::Const(quantifier == ValueQuantifier::Forall), place),
        }
    }

    /// The range with the outer bindings, which the formula itself does not contain.
    fn atom_for_domain(&self, range: AtomId) -> FormulaAtom {
        FormulaAtom { bindings: self.bindings.clone(), ..self.source.atoms.get(range).clone() }
    }

    /// A premise as a formula.
    fn fairness(&mut self, premise: &Fairness, place: TextRange) -> Result<NodeId, ExpandError> {
        let mut nodes: Vec<NodeId> = Vec::with_capacity(premise.nodes.len());
        for node in &premise.nodes {
            let id = match node {
                FairnessNode::Term(term) => self.term(term, place)?,
                FairnessNode::And(left, right) => {
                    self.binary(BinaryTemporal::And, nodes[*left as usize], nodes[*right as usize], place)?
                }
                FairnessNode::Or(left, right) => {
                    self.binary(BinaryTemporal::Or, nodes[*left as usize], nodes[*right as usize], place)?
                }
            };
            nodes.push(id);
        }
        Ok(nodes[premise.nodes.len() - 1])
    }

    fn term(&mut self, term: &FairnessTerm, place: TextRange) -> Result<NodeId, ExpandError> {
        let instances = match &term.subject {
            FairSteps::Operation(pattern) => {
                let (enabled, taken) = self.atoms_of(pattern, place);
                return self.fair_formula(term.is_strong, enabled, taken, place);
            }
            FairSteps::Every => self.domain.instances().ok_or(ExpandError::NoInstances(place))?,
        };
        let mut all = self.push(LtlNode::Const(true), place)?;
        for instance in instances {
            let enabled = self.out.atoms.intern(plain(AtomKind::Enabled(instance.clone()), place));
            let taken = self.out.atoms.intern(plain(AtomKind::Taken(instance), place));
            let one = self.fair_formula(term.is_strong, enabled, taken, place)?;
            all = self.binary(BinaryTemporal::And, all, one, place)?;
        }
        Ok(all)
    }

    /// `e(op)` and `[op]` for an operation.
    fn atoms_of(&mut self, pattern: &OperationPattern, place: TextRange) -> (AtomId, AtomId) {
        let enabled = self.instance(AtomKind::Enabled(pattern.clone()), place);
        (enabled, self.instance(AtomKind::Taken(pattern.clone()), place))
    }

    /// `F G enabled => G F taken`, or `G F enabled => G F taken`.
    fn fair_formula(
        &mut self,
        strong: bool,
        enabled: AtomId,
        taken: AtomId,
        place: TextRange,
    ) -> Result<NodeId, ExpandError> {
        let (outer, inner) = if strong {
            (UnaryTemporal::Globally, UnaryTemporal::Finally)
        } else {
            (UnaryTemporal::Finally, UnaryTemporal::Globally)
        };
        let enabled = self.push(LtlNode::Atom(enabled), place)?;
        let enabled = self.unary(inner, enabled, place)?;
        let enabled = self.unary(outer, enabled, place)?;
        let taken = self.push(LtlNode::Atom(taken), place)?;
        let taken = self.unary(UnaryTemporal::Finally, taken, place)?;
        let taken = self.unary(UnaryTemporal::Globally, taken, place)?;
        self.binary(BinaryTemporal::Implies, enabled, taken, place)
    }
}

/// The outermost premise as a disjunction of conjunctions, without alternatives that others make redundant.
///
/// `atoms_of` tells `e(op)` and `[op]` for an operation.
fn alternatives(
    premise: &Fairness,
    place: TextRange,
    atoms_of: &mut dyn FnMut(&OperationPattern) -> (AtomId, AtomId),
) -> Result<Vec<Vec<FairnessConstraint>>, ExpandError> {
    let mut nodes: Vec<Vec<Vec<FairnessConstraint>>> = Vec::with_capacity(premise.nodes.len());
    for node in &premise.nodes {
        let alternatives = match node {
            FairnessNode::Term(term) => {
                let subject = match &term.subject {
                    FairSteps::Every => FairnessSubject::Every,
                    FairSteps::Operation(pattern) => {
                        let (enabled, taken) = atoms_of(pattern);
                        FairnessSubject::Step { enabled, taken }
                    }
                };
                vec![vec![FairnessConstraint { is_strong: term.is_strong, subject }]]
            }
            FairnessNode::Or(left, right) => {
                [nodes[*left as usize].as_slice(), nodes[*right as usize].as_slice()].concat()
            }
            FairnessNode::And(left, right) => {
                let (left, right) = (&nodes[*left as usize], &nodes[*right as usize]);
                if left.len().saturating_mul(right.len()) > MAX_ALTERNATIVES {
                    return Err(ExpandError::TooLarge(place));
                }
                let join = |left: &Vec<FairnessConstraint>, right: &Vec<FairnessConstraint>| {
                    let mut both = [left.as_slice(), right.as_slice()].concat();
                    both.sort();
                    both.dedup();
                    both
                };
                left.iter().flat_map(|left| right.iter().map(move |right| join(left, right))).collect()
            }
        };
        nodes.push(without_redundant(alternatives));
    }
    Ok(nodes.pop().unwrap_or_default())
}

/// Drops alternatives that have all constraints of another one: they let fewer paths through.
fn without_redundant(mut alternatives: Vec<Vec<FairnessConstraint>>) -> Vec<Vec<FairnessConstraint>> {
    alternatives.sort_by_key(Vec::len);
    let mut kept: Vec<Vec<FairnessConstraint>> = Vec::new();
    for alternative in alternatives {
        let is_redundant = kept.iter().any(|other| other.iter().all(|constraint| alternative.contains(constraint)));
        if !is_redundant {
            kept.push(alternative);
        }
    }
    kept
}

fn plain(kind: AtomKind, place: TextRange) -> FormulaAtom {
    FormulaAtom { kind, bindings: Vec::new(), place }
}

/// Whether a name occurs in a text of B as a word. A word in a string or under another binder counts too, which costs nothing but an
/// instance more.
fn mentions(text: &str, name: &str) -> bool {
    let is_name = |ch: char| ch.is_alphanumeric() || ch == '_';
    text.match_indices(name).any(|(start, _)| {
        let before = text[..start].chars().next_back();
        let after = text[start + name.len()..].chars().next();
        !before.is_some_and(is_name) && !after.is_some_and(is_name)
    })
}
