//! Expanded formulas as normal forms: [`lower`].
//!
//! A past operator over propositions becomes a [`Monitor`]: one bit of memory and the value that follows from it and the current letter. The
//! formula sees the value as a proposition. A past operator over future ones has no such monitor. Its memory becomes a hidden proposition
//! m, and the formula is joined with a definition of m for all positions: m is false (or true) at first, and wherever there is a step, m holds after it exactly if
//! the operator's value holds before it. One word has one value of m at each position, so hiding m again loses and adds nothing,
//! and the definition is the same for a formula and its negation.

use rustc_hash::FxHashMap;

use crate::formula::{BinaryTemporal, Ltl, LtlNode, NodeId, UnaryTemporal};
use crate::normal::{FALSE, Forms, Nf, PropVar, TRUE};

/// Memory of a past operator.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum PastMemory {
    /// The operand before. At first false.
    Yesterday(Nf),
    /// `right or (left & memory)`. At first false.
    Since(Nf, Nf),
    /// `right & (left or memory)`. At first true.
    Trigger(Nf, Nf),
}

impl PastMemory {
    pub(crate) fn initial(self) -> bool {
        matches!(self, PastMemory::Trigger(..))
    }
}

/// A past operator over propositions. Its operands mention atoms, hidden propositions and the values of earlier monitors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Monitor {
    /// The proposition for its value.
    pub(crate) var: PropVar,
    pub(crate) memory: PastMemory,
}

/// A formula in normal form.
pub(crate) struct Lowered {
    pub(crate) forms: Forms,
    /// The formula as it is and negated, each with the definitions of hidden propositions.
    pub(crate) positive: Nf,
    pub(crate) negative: Nf,
    /// Propositions: atoms first, then values of monitors and hidden ones.
    pub(crate) n_vars: u32,
    pub(crate) monitors: Vec<Monitor>,
    pub(crate) hidden: Vec<PropVar>,
}

/// Translates a formula without quantifiers and fairness.
pub(crate) fn lower(ltl: &Ltl) -> Lowered {
    let mut lowering = Lowering {
        forms: Forms::new(),
        n_vars: ltl.atoms.len() as u32,
        monitors: Vec::new(),
        known: FxHashMap::default(),
        hidden: Vec::new(),
        definitions: Vec::new(),
    };
    let mut nodes: Vec<Nf> = Vec::with_capacity(ltl.len());
    for (_, node) in ltl.nodes() {
        let form = lowering.node(node, &nodes);
        nodes.push(form);
    }
    let root = nodes.last().copied().unwrap_or(TRUE);
    let negated = lowering.forms.not(root);
    let definitions = lowering.definitions.clone();
    let mut with_definitions = |form| lowering.forms.and(definitions.iter().copied().chain([form]).collect());
    let (positive, negative) = (with_definitions(root), with_definitions(negated));
    Lowered {
        forms: lowering.forms,
        positive,
        negative,
        n_vars: lowering.n_vars,
        monitors: lowering.monitors,
        hidden: lowering.hidden,
    }
}

struct Lowering {
    forms: Forms,
    n_vars: u32,
    monitors: Vec<Monitor>,
    known: FxHashMap<PastMemory, Nf>,
    hidden: Vec<PropVar>,
    definitions: Vec<Nf>,
}

impl Lowering {
    fn node(&mut self, node: &LtlNode, nodes: &[Nf]) -> Nf {
        let of = |id: NodeId| nodes[id.idx()];
        match node {
            LtlNode::Const(value) => Forms::constant(*value),
            LtlNode::Atom(atom) => self.forms.literal(atom.0, true),
            LtlNode::Unary(op, operand) => self.unary(*op, of(*operand)),
            LtlNode::Binary(op, left, right) => self.binary(*op, of(*left), of(*right)),
            LtlNode::Quantified(..) | LtlNode::Fair(..) => {
                unreachable!("`expand` leaves no quantifier and no fairness")
            }
        }
    }

    fn unary(&mut self, op: UnaryTemporal, operand: Nf) -> Nf {
        match op {
            UnaryTemporal::Not => self.forms.not(operand),
            UnaryTemporal::Next => self.forms.next(operand),
            UnaryTemporal::Finally => self.forms.finally(operand),
            UnaryTemporal::Globally => self.forms.globally(operand),
            UnaryTemporal::Yesterday => self.past(PastMemory::Yesterday(operand)),
            UnaryTemporal::Once => self.past(PastMemory::Since(TRUE, operand)),
            UnaryTemporal::Historically => self.past(PastMemory::Trigger(FALSE, operand)),
        }
    }

    fn binary(&mut self, op: BinaryTemporal, left: Nf, right: Nf) -> Nf {
        let forms = &mut self.forms;
        match op {
            BinaryTemporal::And => forms.and2(left, right),
            BinaryTemporal::Or => forms.or2(left, right),
            BinaryTemporal::Implies => {
                let left = forms.not(left);
                forms.or2(left, right)
            }
            BinaryTemporal::Iff => self.iff(left, right),
            BinaryTemporal::Until => forms.until(left, right),
            BinaryTemporal::WeakUntil => {
                let either = forms.or2(left, right);
                forms.release(right, either)
            }
            BinaryTemporal::Release => forms.release(left, right),
            BinaryTemporal::Since => self.past(PastMemory::Since(left, right)),
            BinaryTemporal::Trigger => self.past(PastMemory::Trigger(left, right)),
        }
    }

    fn iff(&mut self, left: Nf, right: Nf) -> Nf {
        let (not_left, not_right) = (self.forms.not(left), self.forms.not(right));
        let both = self.forms.and2(left, right);
        let neither = self.forms.and2(not_left, not_right);
        self.forms.or2(both, neither)
    }

    fn past(&mut self, memory: PastMemory) -> Nf {
        match memory {
            PastMemory::Since(_, right @ (TRUE | FALSE)) | PastMemory::Trigger(_, right @ (TRUE | FALSE)) => {
                return right;
            }
            PastMemory::Since(FALSE, right) | PastMemory::Trigger(TRUE, right) => return right,
            PastMemory::Yesterday(FALSE) => return FALSE,
            _ => {}
        }
        if let Some(known) = self.known.get(&memory) {
            return *known;
        }
        let var = self.n_vars;
        self.n_vars += 1;
        let is_propositional = match memory {
            PastMemory::Yesterday(operand) => self.forms.is_propositional(operand),
            PastMemory::Since(left, right) | PastMemory::Trigger(left, right) => {
                self.forms.is_propositional(left) && self.forms.is_propositional(right)
            }
        };
        let form = self.forms.literal(var, true);
        let value = if is_propositional {
            self.monitors.push(Monitor { var, memory });
            form
        } else {
            self.hidden.push(var);
            self.define(form, memory)
        };
        self.known.insert(memory, value);
        value
    }

    /// The value of a past operator whose memory is a hidden proposition, which gets its definition.
    fn define(&mut self, remembered: Nf, memory: PastMemory) -> Nf {
        let forms = &mut self.forms;
        let (value, next) = match memory {
            PastMemory::Yesterday(operand) => (remembered, operand),
            PastMemory::Since(left, right) => {
                let waiting = forms.and2(left, remembered);
                let value = forms.or2(right, waiting);
                (value, value)
            }
            PastMemory::Trigger(left, right) => {
                let waiting = forms.or2(left, remembered);
                let value = forms.and2(right, waiting);
                (value, value)
            }
        };
        let initially = if memory.initial() { remembered } else { forms.not(remembered) };
        let not_remembered = forms.not(remembered);
        let not_next = forms.not(next);
        let (if_set, if_clear) = (forms.weak_next(remembered), forms.weak_next(not_remembered));
        let set = forms.and2(next, if_set);
        let clear = forms.and2(not_next, if_clear);
        let step = forms.or2(set, clear);
        let always = forms.globally(step);
        self.definitions.extend([initially, always]);
        value
    }
}
