//! Temporal formulas as trees in arenas: [`Ltl`] (linear time, with past and fairness) and [`Ctl`] (branching time).
//!
//! Atoms stay text: a B predicate, an argument of an operation or an expression keeps its characters and the offset at which they stand
//! in the formula, so that the front end can lower it and place its diagnostics. Equal atoms of a formula are one [`AtomId`].
//! Operands precede their operators in both arenas. Every pass relies on that: a loop over the nodes meets each operand before its
//! operator, and no pass needs the stack.

use rustc_hash::FxHashMap;
use smol_str::SmolStr;

/// A range of bytes in the text of a formula, end excluded.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct TextRange {
    pub start: u32,
    pub end: u32,
}

impl TextRange {
    /// The smallest place that covers both.
    pub fn to(self, other: TextRange) -> TextRange {
        TextRange { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// Text of B inside a formula, without surrounding blanks.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct BText {
    pub text: SmolStr,
    /// Offset of the first character in the text of the formula.
    pub start: u32,
}

/// An operation with patterns for its arguments. Fewer patterns than parameters, or none, leave the others open.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct OperationPattern {
    pub operation: BText,
    /// `None` is the pattern `_`, which every value matches.
    pub arguments: Vec<Option<BText>>,
}

/// What an atom says about a state or about the step that leaves it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum AtomKind {
    /// `{P}`.
    Predicate(BText),
    /// `[op(..)]`: the next step is one of these.
    Taken(OperationPattern),
    /// `e(op(..))`.
    Enabled(OperationPattern),
    /// `Av(op(..))`.
    Available(OperationPattern),
    /// `deadlock`: nothing is enabled.
    Deadlock,
    /// `deadlock(a, ..)`: none of these is enabled.
    DeadlockOf(Vec<OperationPattern>),
    /// `deterministic(a, ..)`: at most one of these is enabled.
    Deterministic(Vec<OperationPattern>),
    /// `controller(a, ..)`: exactly one of these is enabled.
    Controller(Vec<OperationPattern>),
    /// `sink`: no step leads to a different state.
    Sink,
    Goal,
    Error,
    DetOutput,
    /// `current`: the state from which a user asks.
    Current,
    /// `unchanged({E})`: the next step leaves the value of E as it is.
    Unchanged(BText),
    Changed(BText),
    Increasing(BText),
    Decreasing(BText),
    /// `BA({P})`, where `x$0` is the value before the next step.
    BeforeAfter(BText),
}

impl AtomKind {
    /// Whether the atom speaks about the step that leaves a state. Such an atom is false where a path ends.
    pub fn is_about_step(&self) -> bool {
        matches!(
            self,
            AtomKind::Taken(_)
                | AtomKind::Unchanged(_)
                | AtomKind::Changed(_)
                | AtomKind::Increasing(_)
                | AtomKind::Decreasing(_)
                | AtomKind::BeforeAfter(_)
        )
    }

    /// The value of an atom about steps on a step that changes nothing the formula can see.
    pub fn is_idle(&self) -> bool {
        matches!(self, AtomKind::Unchanged(_))
    }

    /// The texts of B in the atom.
    pub fn texts(&self) -> Vec<&BText> {
        match self {
            AtomKind::Predicate(text)
            | AtomKind::Unchanged(text)
            | AtomKind::Changed(text)
            | AtomKind::Increasing(text)
            | AtomKind::Decreasing(text)
            | AtomKind::BeforeAfter(text) => vec![text],
            AtomKind::Taken(pattern) | AtomKind::Enabled(pattern) | AtomKind::Available(pattern) => {
                pattern.arguments.iter().flatten().collect()
            }
            AtomKind::DeadlockOf(patterns) | AtomKind::Deterministic(patterns) | AtomKind::Controller(patterns) => {
                patterns.iter().flat_map(|pattern| pattern.arguments.iter().flatten()).collect()
            }
            AtomKind::Deadlock
            | AtomKind::Sink
            | AtomKind::Goal
            | AtomKind::Error
            | AtomKind::DetOutput
            | AtomKind::Current => Vec::new(),
        }
    }
}

/// The value of a quantified variable: a name, and the caller's number for the value.
pub type BoundValue = (SmolStr, u32);

/// An atom with the values of the quantified variables that it mentions.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FormulaAtom {
    pub kind: AtomKind,
    pub bindings: Vec<BoundValue>,
    /// Where the atom stands first.
    pub place: TextRange,
}

impl FormulaAtom {
    /// Equality up to places.
    pub fn same(&self, other: &FormulaAtom) -> bool {
        self.bindings == other.bindings && same_kind(&self.kind, &other.kind)
    }
}

fn same_text(left: &BText, right: &BText) -> bool {
    left.text == right.text
}

fn same_pattern(left: &OperationPattern, right: &OperationPattern) -> bool {
    let same_argument = |(left, right): (&Option<BText>, &Option<BText>)| match (left, right) {
        (None, None) => true,
        (Some(left), Some(right)) => same_text(left, right),
        _ => false,
    };
    same_text(&left.operation, &right.operation)
        && left.arguments.len() == right.arguments.len()
        && left.arguments.iter().zip(&right.arguments).all(same_argument)
}

fn same_patterns(left: &[OperationPattern], right: &[OperationPattern]) -> bool {
    left.len() == right.len() && left.iter().zip(right).all(|(left, right)| same_pattern(left, right))
}

fn same_kind(left: &AtomKind, right: &AtomKind) -> bool {
    match (left, right) {
        (AtomKind::Predicate(left), AtomKind::Predicate(right))
        | (AtomKind::Unchanged(left), AtomKind::Unchanged(right))
        | (AtomKind::Changed(left), AtomKind::Changed(right))
        | (AtomKind::Increasing(left), AtomKind::Increasing(right))
        | (AtomKind::Decreasing(left), AtomKind::Decreasing(right))
        | (AtomKind::BeforeAfter(left), AtomKind::BeforeAfter(right)) => same_text(left, right),
        (AtomKind::Taken(left), AtomKind::Taken(right))
        | (AtomKind::Enabled(left), AtomKind::Enabled(right))
        | (AtomKind::Available(left), AtomKind::Available(right)) => same_pattern(left, right),
        (AtomKind::DeadlockOf(left), AtomKind::DeadlockOf(right))
        | (AtomKind::Deterministic(left), AtomKind::Deterministic(right))
        | (AtomKind::Controller(left), AtomKind::Controller(right)) => same_patterns(left, right),
        _ => left == right,
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AtomId(pub u32);

/// The atoms of a formula, each once.
#[derive(Clone, Default, Debug)]
pub struct Atoms {
    list: Vec<FormulaAtom>,
    /// By text and bindings.
    ids: FxHashMap<(String, Vec<BoundValue>), AtomId>,
}

impl Atoms {
    pub fn intern(&mut self, atom: FormulaAtom) -> AtomId {
        let new = AtomId(self.list.len() as u32);
        let id = *self.ids.entry((atom.to_string(), atom.bindings.clone())).or_insert(new);
        if id == new {
            self.list.push(atom);
        }
        id
    }

    pub fn get(&self, id: AtomId) -> &FormulaAtom {
        &self.list[id.0 as usize]
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = (AtomId, &FormulaAtom)> {
        self.list.iter().enumerate().map(|(idx, atom)| (AtomId(idx as u32), atom))
    }
}

/// Operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnaryTemporal {
    Not,
    Next,
    Finally,
    Globally,
    Yesterday,
    Once,
    Historically,
}

/// Operators with two operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryTemporal {
    And,
    Or,
    Implies,
    Iff,
    Until,
    WeakUntil,
    Release,
    Since,
    Trigger,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ValueQuantifier {
    /// `#x.({P} & φ)`.
    Exists,
    /// `!x.({P} => φ)`.
    Forall,
}

/// A node of [`Ltl`] or [`Ctl`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(pub u32);

impl NodeId {
    pub fn idx(self) -> usize {
        self.0 as usize
    }
}

/// A node of a linear-time formula.
#[derive(Clone, Debug)]
pub enum LtlNode {
    Const(bool),
    Atom(AtomId),
    Unary(UnaryTemporal, NodeId),
    Binary(BinaryTemporal, NodeId, NodeId),
    /// The variable, its range (a predicate atom) and the body.
    Quantified(ValueQuantifier, SmolStr, AtomId, NodeId),
    /// A fairness premise and what it implies.
    Fair(Fairness, NodeId),
}

/// Fairness premises, as a tree in an arena of its own: operands precede operators, the last node is the root.
#[derive(Clone, Debug)]
pub struct Fairness {
    pub nodes: Vec<FairnessNode>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FairnessNode {
    Term(FairnessTerm),
    And(u32, u32),
    Or(u32, u32),
}

/// `WF(op)`, `SF(op)`, `WEF` or `SEF`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FairnessTerm {
    pub is_strong: bool,
    pub subject: FairSteps,
}

/// Steps that a fairness term speaks about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FairSteps {
    Operation(OperationPattern),
    /// Every operation with its arguments, each on its own.
    Every,
}

impl Fairness {
    pub fn root(&self) -> u32 {
        self.nodes.len() as u32 - 1
    }

    fn same(&self, other: &Fairness) -> bool {
        let same_node = |left: &FairnessNode, right: &FairnessNode| match (left, right) {
            (FairnessNode::Term(left), FairnessNode::Term(right)) => {
                left.is_strong == right.is_strong
                    && match (&left.subject, &right.subject) {
                        (FairSteps::Operation(left), FairSteps::Operation(right)) => same_pattern(left, right),
                        (left, right) => left == right,
                    }
            }
            (left, right) => left == right,
        };
        self.nodes.len() == other.nodes.len() && self.nodes.iter().zip(&other.nodes).all(|(l, r)| same_node(l, r))
    }
}

/// A linear-time formula.
#[derive(Clone, Default, Debug)]
pub struct Ltl {
    pub atoms: Atoms,
    nodes: Vec<LtlNode>,
    places: Vec<TextRange>,
}

impl Ltl {
    /// A formula without nodes over atoms.
    pub(crate) fn over(atoms: Atoms) -> Ltl {
        Ltl { atoms, ..Ltl::default() }
    }

    /// Adds a node; the last one added is the root.
    pub fn push(&mut self, node: LtlNode, place: TextRange) -> NodeId {
        self.nodes.push(node);
        self.places.push(place);
        NodeId(self.nodes.len() as u32 - 1)
    }

    pub fn root(&self) -> NodeId {
        NodeId(self.nodes.len() as u32 - 1)
    }

    pub fn node(&self, id: NodeId) -> &LtlNode {
        &self.nodes[id.idx()]
    }

    pub fn place(&self, id: NodeId) -> TextRange {
        self.places[id.idx()]
    }

    /// All nodes, operands before operators.
    pub fn nodes(&self) -> impl Iterator<Item = (NodeId, &LtlNode)> {
        self.nodes.iter().enumerate().map(|(idx, node)| (NodeId(idx as u32), node))
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Equality up to places and the numbers of nodes and atoms. Formulas that are compared hold no nodes beside the tree of their root.
    pub fn same(&self, other: &Ltl) -> bool {
        let atom = |left: AtomId, right: AtomId| self.atoms.get(left).same(other.atoms.get(right));
        let same_node = |(left, right): (&LtlNode, &LtlNode)| match (left, right) {
            (LtlNode::Const(left), LtlNode::Const(right)) => left == right,
            (LtlNode::Atom(left), LtlNode::Atom(right)) => atom(*left, *right),
            (LtlNode::Unary(op, arg), LtlNode::Unary(other_op, other_arg)) => op == other_op && arg == other_arg,
            (LtlNode::Binary(op, l, r), LtlNode::Binary(other_op, other_l, other_r)) => {
                op == other_op && l == other_l && r == other_r
            }
            (LtlNode::Quantified(q, name, range, body), LtlNode::Quantified(oq, oname, orange, obody)) => {
                q == oq && name == oname && atom(*range, *orange) && body == obody
            }
            (LtlNode::Fair(left, body), LtlNode::Fair(right, other_body)) => left.same(right) && body == other_body,
            _ => false,
        };
        self.nodes.len() == other.nodes.len() && self.nodes.iter().zip(&other.nodes).all(same_node)
    }
}

/// A path quantifier.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PathQuantifier {
    /// Some path.
    E,
    /// All paths.
    A,
}

/// A node of a branching-time formula.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CtlNode {
    Const(bool),
    Atom(AtomId),
    Not(NodeId),
    And(NodeId, NodeId),
    Or(NodeId, NodeId),
    Implies(NodeId, NodeId),
    Iff(NodeId, NodeId),
    /// `EX φ`, or `EX[op] φ` with the atom that the step satisfies.
    Next(PathQuantifier, Option<AtomId>, NodeId),
    Finally(PathQuantifier, NodeId),
    Globally(PathQuantifier, NodeId),
    Until(PathQuantifier, NodeId, NodeId),
    WeakUntil(PathQuantifier, NodeId, NodeId),
    Release(PathQuantifier, NodeId, NodeId),
}

/// A branching-time formula.
#[derive(Clone, Default, Debug)]
pub struct Ctl {
    pub atoms: Atoms,
    /// Path quantifiers range over the paths that meet this, and over those that end.
    pub premise: Option<Fairness>,
    nodes: Vec<CtlNode>,
    places: Vec<TextRange>,
}

impl Ctl {
    /// Adds a node; the last one added is the root.
    pub fn push(&mut self, node: CtlNode, place: TextRange) -> NodeId {
        self.nodes.push(node);
        self.places.push(place);
        NodeId(self.nodes.len() as u32 - 1)
    }

    pub fn root(&self) -> NodeId {
        NodeId(self.nodes.len() as u32 - 1)
    }

    pub fn node(&self, id: NodeId) -> &CtlNode {
        &self.nodes[id.idx()]
    }

    pub fn place(&self, id: NodeId) -> TextRange {
        self.places[id.idx()]
    }

    /// All nodes, operands before operators.
    pub fn nodes(&self) -> impl Iterator<Item = (NodeId, &CtlNode)> {
        self.nodes.iter().enumerate().map(|(idx, node)| (NodeId(idx as u32), node))
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Equality up to places.
    pub fn same(&self, other: &Ctl) -> bool {
        let atom = |left: AtomId, right: AtomId| self.atoms.get(left).same(other.atoms.get(right));
        let same_node = |(left, right): (&CtlNode, &CtlNode)| match (left, right) {
            (CtlNode::Atom(left), CtlNode::Atom(right)) => atom(*left, *right),
            (CtlNode::Next(path, Some(left), arg), CtlNode::Next(other_path, Some(right), other_arg)) => {
                path == other_path && atom(*left, *right) && arg == other_arg
            }
            (left, right) => left == right,
        };
        let has_same_premise = match (&self.premise, &other.premise) {
            (Some(left), Some(right)) => left.same(right),
            (left, right) => left.is_none() && right.is_none(),
        };
        let mut nodes = self.nodes.iter().zip(&other.nodes);
        has_same_premise && self.nodes.len() == other.nodes.len() && nodes.all(same_node)
    }
}
