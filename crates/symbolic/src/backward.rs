//! Backward search: from the states where a property fails to the initial states, by substitution and with variables left out.
//!
//! The search of Emerson and Wahl's figure 1 computes *EF bad* backwards. The image of a set backwards is a substitution (`backward/action.rs`): each bit by its new value. A variable that
//! the set does not read costs nothing, however an operation writes it, and no relation over next values is built. What is covered already is subtracted before anything
//! else; facts that hold in all reachable states (`backward/facts.rs`) keep out what is no state.
//!
//! A queue is a permutation, and sets of permutations have large diagrams, so only some variables are *visible* at a time: those that the property reads, at first. All others are quantified in every set, which then has
//! too many states, never too few. If such a fixpoint does not meet the initial states, the property holds. If it does, a walk forwards through the rings (`backward/walk.rs`) ends in a
//! real path, or in a state whose hidden values rule the next step out; what rules it out becomes visible, and the search starts again (Clarke, Grumberg, Jha, Lu, Veith,
//! "Counterexample-guided abstraction refinement", 2003). With all variables visible the search is exact, so it ends with an answer or a limit.

mod action;
mod facts;
mod walk;

use abridge_encoding::PropertyKind;
use abridge_eval::State;
use rustc_hash::FxHashSet;

use crate::bdd::{Bdd, BddStop, Made, Var};
use crate::reach::{AskedFindings, FixpointProgress, FixpointWatch, SymbolicFinding};
use crate::space::{Halt, Space, fold};
use action::BackwardAction;
use facts::DiagramFacts;
use walk::Walked;

/// The direction of a search.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Direction {
    /// From the initial states, all of which are reached and counted.
    #[default]
    Forward,
    /// From the states where a property fails.
    Backward,
}

/// What a backward search found out.
#[derive(Default)]
pub struct Traced {
    /// What was found, each with a path from an initial state.
    pub found: Vec<(SymbolicFinding, Vec<State>)>,
    /// There is an initial state.
    pub has_start: bool,
    /// Sets of states that were searched from: properties that may fail, operations that may be ill-defined, deadlocks.
    pub targets: usize,
    /// Rounds of all fixpoints.
    pub rounds: u32,
    /// Variables that were made visible because a path was none.
    pub refinements: u32,
    /// Variables that were visible at most, of how many.
    pub visible: usize,
    pub variables: usize,
    /// Nodes of the largest fixpoint.
    pub fixpoint_nodes: usize,
    /// Why something was not decided; nothing if everything was.
    pub halt: Option<Halt>,
}

/// What all fixpoints of a search share.
struct BackwardSearch {
    actions: Vec<BackwardAction>,
    /// What holds in all reachable states, and what holds in those before the first finding.
    bounds: DiagramFacts,
    facts: DiagramFacts,
    /// Bits of variables that are quantified.
    hidden: FxHashSet<Var>,
}

/// The end of a fixpoint.
enum FixpointEnd {
    /// No initial state is in it.
    Closed,
    /// The last of the rings has an initial state; the first has the states that were searched for.
    Meets(Vec<Bdd>),
}

impl Space<'_> {
    /// Searches backwards from everything that is asked.
    pub fn trace(&mut self, asked: AskedFindings, watch: &mut FixpointWatch<'_>) -> Traced {
        let mut traced =
            Traced { has_start: !self.initial.is_false(), variables: self.source.variables.len(), ..Traced::default() };
        traced.halt = self.trace_all(asked, &mut traced, watch).err();
        traced
    }

    fn trace_all(
        &mut self,
        asked: AskedFindings,
        traced: &mut Traced,
        watch: &mut FixpointWatch<'_>,
    ) -> Result<(), Halt> {
        let actions = self.backward_actions(asked)?;
        let (bounds, facts) = (self.bounds()?, self.facts(asked)?);
        let mut search = BackwardSearch { actions, bounds, facts, hidden: FxHashSet::default() };
        let mut undecided = None;
        for kind in self.targets(asked) {
            traced.targets += 1;
            match self.trace_one(&mut search, kind, asked, traced, watch) {
                Ok(None) => {}
                Ok(Some(found)) => {
                    traced.found.push(found);
                    if asked.stop_at_first {
                        return Ok(());
                    }
                }
                // Another property may have smaller diagrams.
                Err(Halt::Stop(BddStop::Nodes)) => undecided = Some(Halt::Stop(BddStop::Nodes)),
                Err(halt) => return Err(halt),
            }
        }
        undecided.map_or(Ok(()), Err)
    }

    /// Everything that is asked, each with states that are searched from.
    fn targets(&self, asked: AskedFindings) -> Vec<SymbolicFinding> {
        let mut targets = Vec::new();
        for property in self.encoding.properties.iter().filter(|property| asked.includes(property.kind)) {
            targets.push(SymbolicFinding::Property(property.kind));
            if property.kind != PropertyKind::Goal {
                targets.push(SymbolicFinding::IllDefinedProperty(property.kind));
            }
        }
        targets.extend((0..self.source.operations.len()).map(SymbolicFinding::IllDefined));
        targets.extend(asked.deadlock.then_some(SymbolicFinding::Deadlock));
        targets
    }

    /// A path to something that is looked for, or to another finding that is met on the way; nothing if there is none.
    fn trace_one(
        &mut self,
        search: &mut BackwardSearch,
        kind: SymbolicFinding,
        asked: AskedFindings,
        traced: &mut Traced,
        watch: &mut FixpointWatch<'_>,
    ) -> Result<Option<(SymbolicFinding, Vec<State>)>, Halt> {
        let bad = self.bad(search, kind)?;
        let key: FxHashSet<Var> = self.manager.support(&bad).into_iter().collect();
        let bad = search.bounds.within(&mut self.manager, &bad, &|_| true)?;
        if bad.is_false() {
            return Ok(None);
        }
        let read = self.manager.support(&bad);
        let n_variables = self.source.variables.len();
        let is_read = |position: usize| self.layout.bits_of(position).iter().any(|bit| read.binary_search(bit).is_ok());
        let mut is_visible: Vec<bool> = (0..n_variables).map(is_read).collect();
        loop {
            traced.visible = traced.visible.max(is_visible.iter().filter(|visible| **visible).count());
            let hidden = (0..n_variables).filter(|position| !is_visible[*position]);
            search.hidden = hidden.flat_map(|position| self.layout.bits_of(position)).copied().collect();
            self.set_swaps(&search.hidden, &key)?;
            let rings = match self.close(search, &bad, traced, watch)? {
                FixpointEnd::Closed => return Ok(None),
                FixpointEnd::Meets(rings) => rings,
            };
            match self.walk(&rings)? {
                Walked::Path(path) => return Ok(Some((kind, path))),
                Walked::Stuck { path, bits, n_rings } => {
                    // Facts hold before the first finding only, and this may be it.
                    if let Some(other) = self.failing(asked, &bits) {
                        return Ok(Some((other, path)));
                    }
                    match self.ruled_out(search, &bits, &rings[..n_rings])? {
                        Some(position) => {
                            is_visible[position] = true;
                            traced.refinements += 1;
                        }
                        // The state has a step to the orbit of a ring, which its representative does not show.
                        None if self.is_reduced() => self.classes.clear(),
                        None => return Err(Halt::Inapplicable("backward search: circuits and the evaluator differ")),
                    }
                }
            }
        }
    }

    /// The position of a variable that has to be visible, so that a state has no step to some rings.
    fn ruled_out(&mut self, search: &mut BackwardSearch, bits: &FxHashSet<Var>, rings: &[Bdd]) -> Made<Option<usize>> {
        let ring = self.manager.any(rings.to_vec())?;
        let ring = self.orbits(&ring)?;
        match self.refined(search, bits, &ring, true)? {
            None => self.refined(search, bits, &ring, false),
            found => Ok(found),
        }
    }

    /// The states from which some of the bad ones can be reached, as far as visible variables tell. Operations are applied in turn, the last one first, each to what was found since its last
    /// turn (chaining): a ring has the states from which one step leads to a ring before.
    fn close(
        &mut self,
        search: &mut BackwardSearch,
        bad: &Bdd,
        traced: &mut Traced,
        watch: &mut FixpointWatch<'_>,
    ) -> Result<FixpointEnd, Halt> {
        let n_operations = self.source.operations.len();
        let ring = self.representatives(bad)?;
        let (mut known, mut rings) = (ring.clone(), vec![ring.clone()]);
        if self.has_initial(&ring)? {
            return Ok(FixpointEnd::Meets(rings));
        }
        let mut pending = vec![ring; n_operations];
        while pending.iter().any(|open| !open.is_false()) {
            traced.rounds += 1;
            for operation in (0..n_operations).rev() {
                let none = self.manager.constant(false);
                let open = std::mem::replace(&mut pending[operation], none);
                if open.is_false() {
                    continue;
                }
                let ring = self.ring(search, operation, (&open, &known), traced.rounds, watch)?;
                if ring.is_false() {
                    continue;
                }
                known = self.manager.or(&known, &ring)?;
                for others in &mut pending {
                    *others = self.manager.or(others, &ring)?;
                }
                let meets = self.has_initial(&ring)?;
                rings.push(ring);
                if meets {
                    return Ok(FixpointEnd::Meets(rings));
                }
            }
        }
        traced.fixpoint_nodes = traced.fixpoint_nodes.max(self.manager.size(&known));
        Ok(FixpointEnd::Closed)
    }

    fn has_initial(&mut self, ring: &Bdd) -> Made<bool> {
        Ok(!self.manager.and(&self.initial, ring)?.is_false())
    }

    /// New states from which a step of an operation leads to a set.
    fn ring(
        &mut self,
        search: &mut BackwardSearch,
        operation: usize,
        (open, known): (&Bdd, &Bdd),
        rounds: u32,
        watch: &mut FixpointWatch<'_>,
    ) -> Result<Bdd, Halt> {
        let open = self.open(open, known)?;
        let support = self.manager.support(&open);
        let mut parts = Vec::new();
        let own = (0..search.actions.len()).filter(|idx| search.actions[*idx].operation == operation);
        for idx in own.collect::<Vec<_>>() {
            let (nodes, bytes) = (self.manager.n_nodes(), self.manager.bytes());
            if !watch(&FixpointProgress { rounds, nodes, bytes, states: 0 }) {
                return Err(Halt::Stop(BddStop::Stopped));
            }
            let before = self.before(search, idx, (&open, &support), known)?;
            if !before.is_false() {
                parts.push(before);
            }
        }
        let new = self.manager.any(parts)?;
        let new = search.facts.within(&mut self.manager, &new, &|_| true)?;
        let new = self.representatives(&new)?;
        Ok(self.manager.minus(&new, known)?)
    }

    /// A set with a small diagram between the last ring and all that is known.
    fn open(&mut self, ring: &Bdd, known: &Bdd) -> Made<Bdd> {
        let care = self.manager.or(ring, &known.not())?;
        let simpler = self.manager.simplify(ring, &care)?;
        Ok(if self.manager.size(&simpler) < self.manager.size(ring) { simpler } else { ring.clone() })
    }

    /// The states that are searched from.
    fn bad(&mut self, search: &mut BackwardSearch, kind: SymbolicFinding) -> Made<Bdd> {
        match kind {
            SymbolicFinding::Property(property) | SymbolicFinding::IllDefinedProperty(property) => {
                let found = self.encoding.properties.iter().find(|it| it.kind == property);
                let Some(Ok(truth)) = found.map(|property| property.truth) else {
                    return Ok(self.manager.constant(false));
                };
                let lits = match kind {
                    SymbolicFinding::IllDefinedProperty(_) => vec![!truth.holds, !truth.fails],
                    _ if property == PropertyKind::Goal => vec![truth.holds],
                    _ => vec![truth.fails],
                };
                let none = Default::default();
                let values = fold(&self.encoding, &self.layout, &mut self.manager, &none, &lits)?;
                let mut all = self.manager.constant(true);
                for value in &values {
                    all = self.manager.and(&all, value)?;
                }
                Ok(all)
            }
            SymbolicFinding::IllDefined(operation) => {
                let own = (0..search.actions.len()).filter(|idx| search.actions[*idx].operation == operation);
                let errors: Made<Vec<Bdd>> = own.map(|idx| self.error_of(&search.actions[idx])).collect();
                self.manager.any(errors?)
            }
            SymbolicFinding::Deadlock => {
                let mut stuck = self.manager.constant(true);
                for idx in 0..search.actions.len() {
                    let enabled = self.enabled(&mut search.actions[idx])?;
                    stuck = self.manager.minus(&stuck, &enabled)?;
                }
                Ok(stuck)
            }
        }
    }
}
