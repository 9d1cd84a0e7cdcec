//! Branching time on explicit graphs: [`check`].
//!
//! Sets of states by fixpoints backwards along the steps (Clarke, Emerson, Sistla, "Automatic verification of finite-state concurrent systems using
//! temporal logic specifications", 1986), computed by all threads in sweeps through the states (`fixpoint.rs`). Paths are maximal: a state without steps ends them. There `EX φ`
//! is false, `AX φ` true, and `AF φ` and `EG φ` are φ; so a state without steps stays in the greatest fixpoint of `EG`, which
//! would lose it if it only counted successors. With a fairness premise, path quantifiers range over fair paths; finite paths
//! are fair. Universal operators are negations of existential ones.
//!
//! Where steps are missing, a subformula has two sets ([`StateBounds`]): states in which it is true whatever is missing, and states in which it may be true. All operators
//! of existential paths are monotone, so each set follows from the same sets of the operands. A verdict that took one for the other would claim what nobody has seen.

use abridge_value::BitSet;

use crate::emptiness::{FairCycles, LetterGraph, Truth};
use crate::expand::BranchingFormula;
use crate::formula::{AtomId, Ctl, CtlNode, NodeId, PathQuantifier};

mod evidence;
mod fixpoint;

pub use evidence::{Evidence, EvidencePart, evidence};

use fixpoint::{JoinRule, gather, least};

/// A graph as threads look at it.
pub struct Views<'v, G> {
    /// Makes the view of one thread.
    pub view: &'v (dyn Fn() -> G + Sync),
    pub n_workers: usize,
    /// Steps may be listed by their targets, in four bytes each, where sweeps through the states go slowly.
    pub may_index: bool,
}

/// Sets of states between which the set of those that satisfy a formula lies.
#[derive(Clone, Debug)]
pub struct StateBounds {
    surely: BitSet,
    /// The same, unless it is larger.
    maybe: Option<BitSet>,
}

impl StateBounds {
    fn new(surely: BitSet, maybe: BitSet) -> StateBounds {
        let is_exact = maybe.is_within(&surely);
        StateBounds { surely, maybe: (!is_exact).then_some(maybe) }
    }

    fn exact(set: BitSet) -> StateBounds {
        StateBounds { surely: set, maybe: None }
    }

    /// States that satisfy the formula whatever is missing.
    pub fn surely(&self) -> &BitSet {
        &self.surely
    }

    /// States that may satisfy the formula.
    pub fn maybe(&self) -> &BitSet {
        self.maybe.as_ref().unwrap_or(&self.surely)
    }
}

/// The states that satisfy each subformula.
#[derive(Clone, Debug)]
pub struct Satisfied {
    rows: Vec<StateBounds>,
    known: KnownStates,
}

/// What is known of states before any formula is looked at.
#[derive(Clone, Debug)]
struct KnownStates {
    all: BitSet,
    /// States where paths end.
    endings: BitSet,
    /// States of which steps may be missing.
    open: BitSet,
    /// States from which a fair path leads on.
    fair: StateBounds,
}

impl Satisfied {
    /// The truth of a subformula in a state; nothing if missing steps decide it.
    pub fn value(&self, node: NodeId, state: u32) -> Option<bool> {
        let row = &self.rows[node.idx()];
        let state = state as usize;
        match (row.surely().contains(state), row.maybe().contains(state)) {
            (true, _) => Some(true),
            (false, false) => Some(false),
            (false, true) => None,
        }
    }

    /// The states where a subformula surely has a value.
    fn where_is(&self, node: NodeId, value: bool) -> BitSet {
        let row = &self.rows[node.idx()];
        if value { row.surely().clone() } else { without(&self.known.all, row.maybe()) }
    }
}

/// The check was stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stopped;

/// The states that satisfy a formula and its parts.
pub fn check<G: LetterGraph>(views: &Views<'_, G>, formula: &BranchingFormula) -> Result<Satisfied, Stopped> {
    let ctl = &formula.formula;
    let cycles = FairCycles::new(formula).map_err(|_| Stopped)?;
    let (known, atoms) = known(views, ctl)?;
    let has_premise = formula.has_premise();
    let mut checker = Checker { views, graph: (views.view)(), cycles: has_premise.then_some(&cycles), known };
    if has_premise {
        checker.known.fair = checker.some_globally(&StateBounds::exact(checker.known.all.clone()))?;
    }
    let mut rows: Vec<StateBounds> = Vec::with_capacity(ctl.len());
    for (_, node) in ctl.nodes() {
        let row = checker.node(node, &rows, &atoms)?;
        rows.push(row);
    }
    Ok(Satisfied { rows, known: checker.known })
}

/// Sets of [`gather`] before those of the atoms.
const ENDING: usize = 0;
const OPEN: usize = 1;
const FIRST_ATOM: usize = 2;

/// What there is to know about each state alone, and the states in which each atom holds. An atom about steps holds in a state if it holds on some
/// step.
fn known<G: LetterGraph>(views: &Views<'_, G>, ctl: &Ctl) -> Result<(KnownStates, Vec<StateBounds>), Stopped> {
    let graph = (views.view)();
    let is_about_step: Vec<bool> = ctl.atoms.iter().map(|(_, atom)| atom.kind.is_about_step()).collect();
    let truths: Vec<Vec<Truth>> = (0..graph.n_letters() as u32)
        .map(|letter| (0..is_about_step.len() as u32).map(|atom| graph.truth(letter, AtomId(atom))).collect())
        .collect();
    let n_sets = FIRST_ATOM + 2 * is_about_step.len();
    let mut sets = gather(views, n_sets, &|graph, state, add| {
        let mut note = |letter: u32, is_first: bool| {
            for (atom, truth) in truths[letter as usize].iter().enumerate() {
                if is_first || is_about_step[atom] {
                    if *truth == Truth::True {
                        add(FIRST_ATOM + 2 * atom);
                    }
                    if *truth != Truth::False {
                        add(FIRST_ATOM + 2 * atom + 1);
                    }
                }
            }
        };
        let mut is_first = true;
        graph.steps(state, &mut |letter, _| {
            note(letter, is_first);
            is_first = false;
        });
        let is_open = graph.is_open(state);
        if let Some(letter) = graph.ending(state) {
            note(letter, true);
            add(ENDING);
        } else if is_open {
            add(OPEN);
            for (atom, is_about_step) in is_about_step.iter().enumerate() {
                if is_first || *is_about_step {
                    add(FIRST_ATOM + 2 * atom + 1);
                }
            }
        }
    })?;
    let all: BitSet = (0..graph.n_states()).collect();
    let mut atoms = Vec::new();
    for pair in sets.split_off(FIRST_ATOM).chunks_exact_mut(2) {
        atoms.push(StateBounds::new(std::mem::take(&mut pair[0]), std::mem::take(&mut pair[1])));
    }
    let (open, endings) = (sets.pop().unwrap_or_default(), sets.pop().unwrap_or_default());
    let fair = StateBounds::exact(all.clone());
    Ok((KnownStates { all, endings, open, fair }, atoms))
}

struct Checker<'v, G> {
    views: &'v Views<'v, G>,
    graph: G,
    /// Present if there is a fairness premise.
    cycles: Option<&'v FairCycles>,
    known: KnownStates,
}

type BoundsResult = Result<StateBounds, Stopped>;

impl<G: LetterGraph> Checker<'_, G> {
    fn not(&self, row: &StateBounds) -> StateBounds {
        let maybe = without(&self.known.all, row.surely());
        match &row.maybe {
            None => StateBounds::exact(maybe),
            Some(larger) => StateBounds::new(without(&self.known.all, larger), maybe),
        }
    }

    fn node(&self, node: &CtlNode, rows: &[StateBounds], atoms: &[StateBounds]) -> BoundsResult {
        let of = |id: &NodeId| &rows[id.idx()];
        let all = || StateBounds::exact(self.known.all.clone());
        Ok(match node {
            CtlNode::Const(true) => all(),
            CtlNode::Const(false) => StateBounds::exact(BitSet::with_room(self.graph.n_states())),
            CtlNode::Atom(atom) => atoms[atom.0 as usize].clone(),
            CtlNode::Not(operand) => self.not(of(operand)),
            CtlNode::And(left, right) => both(of(left), of(right)),
            CtlNode::Or(left, right) => either(of(left), of(right)),
            CtlNode::Implies(left, right) => either(&self.not(of(left)), of(right)),
            CtlNode::Iff(left, right) => {
                let neither = both(&self.not(of(left)), &self.not(of(right)));
                either(&both(of(left), of(right)), &neither)
            }
            CtlNode::Next(PathQuantifier::E, step, operand) => self.some_next(of(operand), *step)?,
            CtlNode::Next(PathQuantifier::A, step, operand) => {
                self.not(&self.some_next(&self.not(of(operand)), *step)?)
            }
            CtlNode::Finally(PathQuantifier::E, operand) => self.some_until(&all(), of(operand))?,
            CtlNode::Finally(PathQuantifier::A, operand) => self.not(&self.some_globally(&self.not(of(operand)))?),
            CtlNode::Globally(PathQuantifier::E, operand) => self.some_globally(of(operand))?,
            CtlNode::Globally(PathQuantifier::A, operand) => {
                self.not(&self.some_until(&all(), &self.not(of(operand)))?)
            }
            CtlNode::Until(PathQuantifier::E, left, right) => self.some_until(of(left), of(right))?,
            CtlNode::Until(PathQuantifier::A, left, right) => {
                let (not_left, not_right) = (self.not(of(left)), self.not(of(right)));
                let never = self.some_globally(&not_right)?;
                let too_early = self.some_until(&not_right, &both(&not_left, &not_right))?;
                self.not(&either(&never, &too_early))
            }
            CtlNode::WeakUntil(PathQuantifier::E, left, right) => {
                either(&self.some_until(of(left), of(right))?, &self.some_globally(of(left))?)
            }
            CtlNode::WeakUntil(PathQuantifier::A, left, right) => {
                let (not_left, not_right) = (self.not(of(left)), self.not(of(right)));
                self.not(&self.some_until(&not_right, &both(&not_left, &not_right))?)
            }
            CtlNode::Release(PathQuantifier::E, left, right) => {
                either(&self.some_until(of(right), &both(of(left), of(right)))?, &self.some_globally(of(right))?)
            }
            CtlNode::Release(PathQuantifier::A, left, right) => {
                self.not(&self.some_until(&self.not(of(left)), &self.not(of(right)))?)
            }
        })
    }

    /// Sources of steps to states of a set from which a fair path leads on; of steps with an atom, if one is given.
    fn some_next(&self, targets: &StateBounds, step: Option<AtomId>) -> BoundsResult {
        let targets = both(targets, &self.known.fair);
        let truth = |letter: u32| step.map_or(Truth::True, |step| self.graph.truth(letter, step));
        let truths: Vec<Truth> = (0..self.graph.n_letters() as u32).map(truth).collect();
        let mut sets = gather(self.views, 2, &|graph, state, add| {
            graph.steps(state, &mut |letter, target| {
                let truth = truths[letter as usize];
                if truth == Truth::True && targets.surely().contains(target as usize) {
                    add(0);
                }
                if truth != Truth::False && targets.maybe().contains(target as usize) {
                    add(1);
                }
            });
        })?;
        let mut maybe = sets.pop().unwrap_or_default();
        maybe.union_with(&self.known.open);
        Ok(StateBounds::new(sets.pop().unwrap_or_default(), maybe))
    }

    /// States from which a path stays in one set until it is in the other and goes on fairly.
    fn some_until(&self, stay: &StateBounds, goal: &StateBounds) -> BoundsResult {
        let goal = both(goal, &self.known.fair);
        let surely = self.until(stay.surely(), goal.surely().clone())?;
        let is_exact = self.known.open.is_empty() && stay.maybe.is_none() && goal.maybe.is_none();
        if is_exact {
            return Ok(StateBounds::exact(surely));
        }
        let mut seeds = goal.maybe().clone();
        seeds.union_with(&common(&self.known.open, stay.maybe()));
        Ok(StateBounds::new(surely, self.until(stay.maybe(), seeds)?))
    }

    /// States from which a path stays in a set until it is in the other.
    fn until(&self, stay: &BitSet, goal: BitSet) -> Result<BitSet, Stopped> {
        let todo = without(stay, &goal);
        least(self.views, goal, todo, JoinRule::SomeStep)
    }

    /// States from which a fair path stays in a set.
    fn some_globally(&self, stay: &StateBounds) -> BoundsResult {
        let surely = self.globally(stay.surely(), None)?;
        if self.known.open.is_empty() && stay.maybe.is_none() {
            return Ok(StateBounds::exact(surely));
        }
        Ok(StateBounds::new(surely, self.globally(stay.maybe(), Some(&self.known.open))?))
    }

    /// States from which a fair path stays in a set, or stays there until it is in a state of which more may be true.
    fn globally(&self, stay: &BitSet, open: Option<&BitSet>) -> Result<BitSet, Stopped> {
        let mut ends = self.known.endings.clone();
        open.iter().for_each(|open| ends.union_with(open));
        let Some(cycles) = self.cycles else {
            // States leave the set when all their steps do.
            let gone = without(&self.known.all, stay);
            let gone = least(self.views, gone, without(stay, &ends), JoinRule::AllSteps)?;
            return Ok(without(&self.known.all, &gone));
        };
        let found = cycles.states(&self.graph, stay).ok_or(Stopped)?;
        if found.is_partial && open.is_some() {
            return Ok(stay.clone());
        }
        let mut seeds = common(stay, &ends);
        seeds.union_with(&found.states);
        self.until(stay, seeds)
    }
}

fn common(left: &BitSet, right: &BitSet) -> BitSet {
    let mut set = left.clone();
    set.intersect_with(right);
    set
}

fn without(set: &BitSet, other: &BitSet) -> BitSet {
    let mut set = set.clone();
    set.subtract(other);
    set
}

fn both(left: &StateBounds, right: &StateBounds) -> StateBounds {
    combined(left, right, BitSet::intersect_with)
}

fn either(left: &StateBounds, right: &StateBounds) -> StateBounds {
    combined(left, right, BitSet::union_with)
}

fn combined(left: &StateBounds, right: &StateBounds, join: fn(&mut BitSet, &BitSet)) -> StateBounds {
    let mut surely = left.surely().clone();
    join(&mut surely, right.surely());
    if left.maybe.is_none() && right.maybe.is_none() {
        return StateBounds::exact(surely);
    }
    let mut maybe = left.maybe().clone();
    join(&mut maybe, right.maybe());
    StateBounds::new(surely, maybe)
}
