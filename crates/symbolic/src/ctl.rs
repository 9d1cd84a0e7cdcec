//! Branching time on sets of states.
//!
//! The states of each subformula by fixpoints of backward images (Clarke, Emerson, Sistla 1986; Burch et al. 1992) among the reached states, with the semantics of
//! `abridge_temporal::ctl`: paths are maximal, and a state without steps ends them. With symmetry, sets consist of representatives, and atoms must not tell
//! interchangeable elements apart. Emerson and Wahl, section 6.3: the backward image of the quotient is `α(EX Z)`, and universal operators are negations of existential ones
//! among the representatives. Where an orbit may have several representatives, or a relation is known for representatives only, the whole orbits of `Z` are taken
//! instead, so that every set has all representatives of an orbit or none: negation would be wrong otherwise.

use abridge_encoding::PropertyKind;
use abridge_eval::State;
use abridge_temporal::BranchingFormula;
use abridge_temporal::formula::{AtomId, Ctl, CtlNode, NodeId, PathQuantifier};
use abridge_value::Value;

use crate::bdd::{Bdd, BddStop, Made};
use crate::reach::{FixpointProgress, FixpointWatch, ReachedStates};
use crate::space::{Halt, Space};

/// An atom of a formula, about the parts of a [`Space`].
#[derive(Clone, Debug)]
pub enum StateAtom {
    /// A predicate of `Source::propositions`, by position.
    Proposition(usize),
    /// The next step is one of these.
    Taken(Matching),
    Enabled(Matching),
    Deadlock,
    /// At least and at most so many of these are enabled.
    Number(Vec<Matching>, usize, usize),
    /// No other operation than the one at a position is enabled.
    NoOther(usize),
    /// No step leads to a different state.
    Sink,
    /// The reason why it is not supported.
    Unsupported(&'static str),
}

/// Steps of an operation, by position, with some values of its label given, by position.
#[derive(Clone, Debug)]
pub struct Matching {
    pub operation: usize,
    pub label: Vec<(usize, Value)>,
}

/// The verdict about a formula.
#[derive(Debug)]
pub enum CtlVerdict {
    Holds,
    Violated(Witness),
    /// The atom has no value in the last state.
    IllDefined(AtomId, Witness),
}

/// States that follow each other from an initial one, representatives under symmetry.
#[derive(Default, Debug)]
pub struct Witness {
    pub states: Vec<State>,
    /// The position of the state that the last one repeats; under symmetry, the orbit.
    pub loop_start: Option<usize>,
}

/// The reason why there is no verdict.
#[derive(Debug)]
pub enum NoVerdict {
    Halt(Halt),
    Unsupported(&'static str),
}

impl From<Halt> for NoVerdict {
    fn from(halt: Halt) -> NoVerdict {
        NoVerdict::Halt(halt)
    }
}

impl From<BddStop> for NoVerdict {
    fn from(stop: BddStop) -> NoVerdict {
        NoVerdict::Halt(Halt::Stop(stop))
    }
}

mod fair;
mod linear;
mod witness;

use fair::FairPaths;
use witness::WitnessPath;

type CtlResult<T> = Result<T, NoVerdict>;

/// Paths that contradict a universal operator: those that stay in a set for ever, and those that stay in a set until they reach another.
type RefutingPaths = (Option<Bdd>, Option<(Bdd, Bdd)>);

impl Space<'_> {
    /// Judges a formula, given the atoms by number, on the reached states, which must be all.
    pub fn judge(
        &mut self,
        reached: &ReachedStates,
        branching: &BranchingFormula,
        atoms: &[StateAtom],
        watch: &mut FixpointWatch<'_>,
    ) -> Result<CtlVerdict, NoVerdict> {
        let ctl = &branching.formula;
        if self.counters.is_some() {
            return Err(NoVerdict::Unsupported("formulas over counters"));
        }
        self.learn_properties(&reached.set, &|kind| matches!(kind, PropertyKind::Proposition(_)))?;
        let mut judge = CtlJudge::new(self, reached, ctl, atoms, watch)?;
        if let Some((atom, undefined)) = judge.undefined()? {
            return Ok(CtlVerdict::IllDefined(atom, judge.way_to(&undefined)?));
        }
        if branching.has_premise() {
            judge.be_fair(&branching.premises)?;
        }
        for (_, node) in ctl.nodes() {
            let row = judge.node(node)?;
            judge.rows.push(row);
        }
        let root = judge.rows[ctl.root().idx()].clone();
        let wrong = judge.space.manager.minus(&judge.initial, &root)?;
        let Some(start) = judge.pick(&wrong)? else { return Ok(CtlVerdict::Holds) };
        let mut walk = WitnessPath::new(start);
        judge.explain(ctl.root(), &mut walk)?;
        if judge.fairness.is_some() && walk.loop_start.is_none() {
            judge.go_fairly(&mut walk, &reached.set)?;
        }
        Ok(CtlVerdict::Violated(judge.shown(&walk)?))
    }
}

struct CtlJudge<'j, 's, 'w> {
    space: &'j mut Space<'s>,
    ctl: &'j Ctl,
    atoms: &'j [StateAtom],
    watch: &'j mut FixpointWatch<'w>,
    /// All reached states, the initial ones and those without a step.
    all: Bdd,
    initial: Bdd,
    deadlocks: Bdd,
    /// Backward images start from whole orbits.
    by_orbits: bool,
    /// Paths that count; all of them without a premise.
    fairness: Option<FairPaths>,
    rounds: u32,
    /// States of the subformulas so far.
    rows: Vec<Bdd>,
}

impl<'j, 's, 'w> CtlJudge<'j, 's, 'w> {
    fn new(
        space: &'j mut Space<'s>,
        reached: &ReachedStates,
        ctl: &'j Ctl,
        atoms: &'j [StateAtom],
        watch: &'j mut FixpointWatch<'w>,
    ) -> CtlResult<Self> {
        let all = reached.set.clone();
        let initial = space.representatives(&space.initial.clone())?;
        let mut deadlocks = all.clone();
        for step in &space.steps {
            deadlocks = space.manager.minus(&deadlocks, &step.enabled)?;
        }
        let is_learnt = space.steps.iter().any(|step| step.learnt.is_some());
        let by_orbits = space.is_reduced() && (is_learnt || space.has_several_representatives);
        let (rounds, rows) = (reached.rounds, Vec::new());
        Ok(CtlJudge { space, ctl, atoms, watch, all, initial, deadlocks, by_orbits, fairness: None, rounds, rows })
    }

    /// Looks at the clock, the memory and the stop flag.
    fn look_up(&mut self) -> CtlResult<()> {
        let (nodes, bytes) = (self.space.manager.n_nodes(), self.space.manager.bytes());
        let progress = FixpointProgress { rounds: self.rounds, nodes, bytes, states: 0 };
        if (self.watch)(&progress) { Ok(()) } else { Err(Halt::Stop(BddStop::Stopped).into()) }
    }

    /// States where a proposition of the formula has no value, with its atom.
    fn undefined(&mut self) -> CtlResult<Option<(AtomId, Bdd)>> {
        for (id, _) in self.ctl.atoms.iter() {
            let StateAtom::Proposition(number) = &self.atoms[id.0 as usize] else { continue };
            let (holds, fails) = self.proposition(*number);
            let rest = self.space.manager.minus(&self.all, &holds)?;
            let rest = self.space.manager.minus(&rest, &fails)?;
            if !rest.is_false() {
                return Ok(Some((id, rest)));
            }
        }
        Ok(None)
    }

    fn proposition(&self, number: usize) -> (Bdd, Bdd) {
        let properties = &self.space.encoding.properties;
        let is_meant = |position: usize| properties[position].kind == PropertyKind::Proposition(number);
        let found = self.space.properties.iter().find(|checked| is_meant(checked.position));
        let found = found.expect("every proposition of the source is a property");
        (found.holds.clone(), found.fails.clone())
    }

    /// Positions of the relations of the steps that match.
    fn parts_of(&self, matching: &Matching) -> CtlResult<Vec<usize>> {
        let mut parts = Vec::new();
        for (idx, step) in self.space.steps.iter().enumerate().filter(|(_, it)| it.operation == matching.operation) {
            if matching.label.is_empty() {
                parts.push(idx);
                continue;
            }
            let instance = step.instance.map(|instance| &self.space.encoding.instances[instance]);
            let Some(label) = instance.and_then(|instance| instance.label.as_ref()) else {
                return Err(NoVerdict::Unsupported("arguments of an operation without a circuit for each of them"));
            };
            if matching.label.iter().all(|(place, value)| label[*place].as_value() == Some(value)) {
                parts.push(idx);
            }
        }
        Ok(parts)
    }

    fn enabled(&mut self, matching: &Matching) -> CtlResult<Bdd> {
        let parts = self.parts_of(matching)?;
        let sets = parts.into_iter().map(|idx| self.space.steps[idx].enabled.clone()).collect();
        let set = self.space.manager.any(sets)?;
        Ok(self.space.manager.and(&set, &self.all)?)
    }

    /// The reached states where an atom holds; for one about steps, those with such a step.
    fn atom(&mut self, atom: &StateAtom) -> CtlResult<Bdd> {
        Ok(match atom {
            StateAtom::Proposition(number) => {
                let (holds, _) = self.proposition(*number);
                self.space.manager.and(&holds, &self.all)?
            }
            StateAtom::Taken(matching) | StateAtom::Enabled(matching) => self.enabled(matching)?,
            StateAtom::Deadlock => self.deadlocks.clone(),
            StateAtom::Number(matchings, least, most) => {
                // The states where exactly so many of those before are enabled, up to one more than matter.
                let none = self.space.manager.constant(false);
                let mut exactly = vec![none; most + 2];
                exactly[0] = self.all.clone();
                for matching in matchings {
                    let enabled = self.enabled(matching)?;
                    for number in (0..exactly.len()).rev() {
                        let stays = self.space.manager.minus(&exactly[number], &enabled)?;
                        let more = match number.checked_sub(1) {
                            Some(fewer) => self.space.manager.and(&exactly[fewer], &enabled)?,
                            None => self.space.manager.constant(false),
                        };
                        exactly[number] = self.space.manager.or(&stays, &more)?;
                    }
                }
                self.space.manager.any(exactly[*least..=*most].to_vec())?
            }
            StateAtom::NoOther(operation) => {
                let mut rest = self.all.clone();
                for step in self.space.steps.iter().filter(|step| step.operation != *operation) {
                    rest = self.space.manager.minus(&rest, &step.enabled)?;
                }
                rest
            }
            StateAtom::Sink => self.sinks()?,
            StateAtom::Unsupported(reason) => return Err(NoVerdict::Unsupported(reason)),
        })
    }

    /// States from which no step leads to a different state.
    fn sinks(&mut self) -> CtlResult<Bdd> {
        let (mut rest, manager) = (self.all.clone(), &mut self.space.manager);
        for step in &self.space.steps {
            let mut differs = manager.constant(false);
            for bit in &step.written {
                let (old, new) = (manager.var(*bit)?, manager.var(bit.next())?);
                let changes = manager.xor(&old, &new)?;
                differs = manager.or(&differs, &changes)?;
            }
            let nexts = manager.cube(step.written.iter().map(|bit| bit.next()))?;
            let leaves = manager.and_exists(&step.relation, &differs, &nexts)?;
            rest = manager.minus(&rest, &leaves)?;
        }
        Ok(rest)
    }

    fn not(&mut self, set: &Bdd) -> Made<Bdd> {
        self.space.manager.minus(&self.all, set)
    }

    fn and(&mut self, left: &Bdd, right: &Bdd) -> Made<Bdd> {
        self.space.manager.and(left, right)
    }

    fn or(&mut self, left: &Bdd, right: &Bdd) -> Made<Bdd> {
        self.space.manager.or(left, right)
    }

    fn row(&self, node: NodeId) -> Bdd {
        self.rows[node.idx()].clone()
    }

    /// Relations of the steps that an atom about steps asks for; all without one.
    fn parts(&self, step: Option<AtomId>) -> CtlResult<Vec<usize>> {
        match step.map(|step| &self.atoms[step.0 as usize]) {
            None => Ok((0..self.space.steps.len()).collect()),
            Some(StateAtom::Taken(matching)) => self.parts_of(matching),
            Some(_) => Err(NoVerdict::Unsupported("steps by what they change")),
        }
    }

    /// Reached states with a step into a set.
    fn some_next(&mut self, targets: &Bdd, step: Option<AtomId>) -> CtlResult<Bdd> {
        let parts = self.parts(step)?;
        self.some_next_by(targets, &parts)
    }

    /// Reached states with one of some steps into a set.
    fn some_next_by(&mut self, targets: &Bdd, parts: &[usize]) -> CtlResult<Bdd> {
        self.look_up()?;
        self.rounds += 1;
        let targets = if self.by_orbits { self.space.orbits(targets)? } else { targets.clone() };
        let mut sources = Vec::new();
        for idx in parts {
            let part = &self.space.steps[*idx];
            sources.push(self.space.manager.preimage(&targets, &part.relation, &part.writes)?);
        }
        let mut sources = self.space.manager.any(sources)?;
        if !self.by_orbits {
            sources = self.space.representatives(&sources)?;
        }
        Ok(self.and(&sources, &self.all.clone())?)
    }

    /// States from which a path stays in one set until it is in the other, by distance from the latter. The last layer is empty, or the first with a state of `until`.
    fn layers(&mut self, stay: &Bdd, goal: &Bdd, until: &Bdd) -> CtlResult<Vec<Bdd>> {
        let mut found = goal.clone();
        let mut layers = vec![goal.clone()];
        loop {
            let last = layers[layers.len() - 1].clone();
            if last.is_false() || !self.and(&last, until)?.is_false() {
                return Ok(layers);
            }
            let before = self.some_next(&last, None)?;
            let before = self.and(&before, stay)?;
            let new = self.space.manager.minus(&before, &found)?;
            found = self.or(&found, &new)?;
            layers.push(new);
        }
    }

    /// States from which a path stays in one set until it is in the other, whatever follows.
    fn until(&mut self, stay: &Bdd, goal: &Bdd) -> CtlResult<Bdd> {
        let nothing = self.space.manager.constant(false);
        let layers = self.layers(stay, goal, &nothing)?;
        Ok(self.space.manager.any(layers)?)
    }

    fn some_until(&mut self, stay: &Bdd, goal: &Bdd) -> CtlResult<Bdd> {
        let goal = self.fairly(goal)?;
        self.until(stay, &goal)
    }

    fn some_globally(&mut self, stay: &Bdd) -> CtlResult<Bdd> {
        if self.fairness.is_some() {
            return self.some_fairly(stay);
        }
        let ends = self.and(stay, &self.deadlocks.clone())?;
        let mut left = stay.clone();
        loop {
            let before = self.some_next(&left, None)?;
            let before = self.and(&before, &left)?;
            let next = self.or(&before, &ends)?;
            if next == left {
                return Ok(left);
            }
            left = next;
        }
    }

    fn node(&mut self, node: &CtlNode) -> CtlResult<Bdd> {
        let all = self.all.clone();
        Ok(match node {
            CtlNode::Const(true) => all,
            CtlNode::Const(false) => self.space.manager.constant(false),
            CtlNode::Atom(atom) => self.atom(&self.atoms[atom.0 as usize])?,
            CtlNode::Not(operand) => self.not(&self.row(*operand))?,
            CtlNode::And(left, right) => self.and(&self.row(*left), &self.row(*right))?,
            CtlNode::Or(left, right) => self.or(&self.row(*left), &self.row(*right))?,
            CtlNode::Implies(left, right) => {
                let not_left = self.not(&self.row(*left))?;
                self.or(&not_left, &self.row(*right))?
            }
            CtlNode::Iff(left, right) => {
                let differs = self.space.manager.xor(&self.row(*left), &self.row(*right))?;
                self.not(&differs)?
            }
            CtlNode::Next(PathQuantifier::E, step, operand) => {
                let targets = self.fairly(&self.row(*operand))?;
                self.some_next(&targets, *step)?
            }
            CtlNode::Next(PathQuantifier::A, step, operand) => {
                let bad = self.not(&self.row(*operand))?;
                let bad = self.fairly(&bad)?;
                let some = self.some_next(&bad, *step)?;
                self.not(&some)?
            }
            CtlNode::Finally(PathQuantifier::E, operand) => self.some_until(&all, &self.row(*operand))?,
            CtlNode::Globally(PathQuantifier::E, operand) => self.some_globally(&self.row(*operand))?,
            CtlNode::Until(PathQuantifier::E, left, right) => self.some_until(&self.row(*left), &self.row(*right))?,
            CtlNode::WeakUntil(PathQuantifier::E, left, right) => {
                let (left, right) = (self.row(*left), self.row(*right));
                let (until, globally) = (self.some_until(&left, &right)?, self.some_globally(&left)?);
                self.or(&until, &globally)?
            }
            CtlNode::Release(PathQuantifier::E, left, right) => {
                let right = self.row(*right);
                let goal = self.and(&self.row(*left), &right)?;
                let (until, globally) = (self.some_until(&right, &goal)?, self.some_globally(&right)?);
                self.or(&until, &globally)?
            }
            universal => {
                let some = self.counterexamples(universal)?;
                self.not(&some)?
            }
        })
    }

    /// States with a path that contradicts a universal operator.
    fn counterexamples(&mut self, node: &CtlNode) -> CtlResult<Bdd> {
        let (lasso, path) = self.contradiction(node)?;
        let lassos = lasso.map(|stay| self.some_globally(&stay)).transpose()?;
        let paths = path.map(|(stay, goal)| self.some_until(&stay, &goal)).transpose()?;
        Ok(self.space.manager.any(lassos.into_iter().chain(paths).collect())?)
    }

    /// What contradicts a universal operator.
    fn contradiction(&mut self, node: &CtlNode) -> CtlResult<RefutingPaths> {
        let mut not = |node: &NodeId| self.space.manager.minus(&self.all, &self.rows[node.idx()]);
        Ok(match node {
            CtlNode::Finally(_, operand) => (Some(not(operand)?), None),
            CtlNode::Globally(_, operand) => (None, Some((self.all.clone(), not(operand)?))),
            CtlNode::Until(_, left, right) => {
                let (not_left, not_right) = (not(left)?, not(right)?);
                let goal = self.and(&not_left, &not_right)?;
                (Some(not_right.clone()), Some((not_right, goal)))
            }
            CtlNode::WeakUntil(_, left, right) => {
                let (not_left, not_right) = (not(left)?, not(right)?);
                let goal = self.and(&not_left, &not_right)?;
                (None, Some((not_right, goal)))
            }
            CtlNode::Release(_, left, right) => (None, Some((not(left)?, not(right)?))),
            _ => (None, None),
        })
    }
}
