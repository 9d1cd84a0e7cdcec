//! Lifting and generalising: from one state to a pattern of states that go on in the same way, and to a larger pattern that no known state has.

use abridge_blast::{Lit, SatAnswer};
use abridge_value::BitSet;
use rustc_hash::FxHashSet;

use super::pattern::{Literal, Pattern};
use super::samples::SampleMatch;
use super::vocabulary::{Element, PatternAtom, SOME};
use super::{MAX_VARIABLES, NoProof, PatternSearch, STOPPED};

/// The use of a literal in a pattern: what says little about few elements comes first. That no element at all makes a scheme true is said if nothing else helps.
fn weight((atom, is_true): &Literal) -> (usize, bool) {
    let kind = match (atom.guard, atom.args.contains(&SOME), atom.args.len()) {
        (Some(_), ..) => 5,
        (None, false, 0 | 1) => 1,
        (None, true, 2) => 2,
        (None, true, 1) => 3,
        _ => 4,
    };
    (kind, !*is_true)
}

/// Instances with the variables whose elements label them.
type Ways = FxHashSet<(usize, Vec<Option<u8>>)>;

impl PatternSearch<'_, '_> {
    /// A pattern that a state has with some elements for its variables, and in which a goal holds: for all states within bounds or, if they are to be good, with properties. If there are no words for such
    /// a pattern, as much as can be said of the state; the last result is false then.
    pub(super) fn lift(
        &mut self,
        is_good: bool,
        state: &BitSet,
        mut named: Vec<Element>,
        choices: &[(Lit, bool)],
        goal: Lit,
    ) -> Result<(Pattern, Vec<Element>, bool), NoProof> {
        loop {
            let mut literals: Vec<Literal> = self
                .vocabulary
                .atoms(named.len() as u8, self.has_guards)
                .into_iter()
                .map(|atom| {
                    let is_true = self.vocabulary.value(&atom, &named, state);
                    (atom, is_true)
                })
                .collect();
            literals.sort_by_key(weight);
            if let Some(mut core) = self.core(is_good, &literals, &named, choices, goal)? {
                let mut next = core.len();
                while next > 0 {
                    next -= 1;
                    let mut fewer = core.clone();
                    fewer.remove(next);
                    if let Some(smaller) = self.core(is_good, &fewer, &named, choices, goal)? {
                        core = smaller;
                        next = next.min(core.len());
                    }
                }
                let (pattern, variables) = Pattern::new(&core);
                let frame = variables.iter().map(|variable| named[usize::from(*variable)]).collect();
                return Ok((pattern, frame, true));
            }
            match self.neighbour(state, &named).filter(|_| named.len() < MAX_VARIABLES) {
                Some(next) => named.push(next),
                None => {
                    let (pattern, variables) = Pattern::new(&literals);
                    let frame = variables.iter().map(|variable| named[usize::from(*variable)]).collect();
                    return Ok((pattern, frame, false));
                }
            }
        }
    }

    /// Those of some literals that are needed for a goal; nothing if all together are not enough.
    fn core(
        &mut self,
        is_good: bool,
        literals: &[Literal],
        named: &[Element],
        choices: &[(Lit, bool)],
        goal: Lit,
    ) -> Result<Option<Vec<Literal>>, NoProof> {
        let signed = |(lit, is_true): (Lit, bool)| if is_true { lit } else { !lit };
        let lits: Vec<Lit> = literals
            .iter()
            .map(|(atom, is_true)| signed((self.vocabulary.literal(&mut self.encoding, atom, named), *is_true)))
            .collect();
        let mut assumed = vec![!goal];
        assumed.extend(choices.iter().copied().map(signed));
        assumed.extend(&lits);
        if goal == Lit::TRUE {
            return Ok(Some(Vec::new()));
        }
        let PatternSearch { encoding, facts, first, good, bounded, .. } = self;
        let (solver, facts) = if is_good { (good, &facts[2]) } else { (bounded, &facts[1]) };
        self.queries += 1;
        match solver.ask(encoding, (facts, first), &assumed) {
            SatAnswer::Satisfiable => Ok(None),
            SatAnswer::Unknown if self.stop.is_raised() => Err(STOPPED),
            SatAnswer::Unknown => Err(NoProof("a question to the solver takes too long", true)),
            SatAnswer::Unsatisfiable => {
                let needed = literals.iter().zip(&lits).filter(|(_, lit)| solver.is_to_blame(**lit));
                Ok(Some(needed.map(|(literal, _)| literal.clone()).collect()))
            }
        }
    }

    /// An element that a state relates to one of some elements, or that differs from what it was at first.
    fn neighbour(&self, state: &BitSet, named: &[Element]) -> Option<Element> {
        let n_elements = self.vocabulary.elements.len() as u32;
        let mut related = vec![0_usize; n_elements as usize];
        for (cell, (_, tuple)) in self.vocabulary.cells.iter().enumerate() {
            if state.contains(cell) == self.first.contains(cell) {
                continue;
            }
            let about_named = tuple.iter().filter(|element| named.contains(element)).count();
            tuple.iter().for_each(|element| related[*element as usize] += 1 + 100 * about_named);
        }
        let free = (0..n_elements).filter(|element| !named.contains(element));
        free.filter(|element| related[*element as usize] > 0).max_by_key(|element| related[*element as usize])
    }

    /// A pattern with fewer literals that no known state has. Variables go first, then literals that say much. A guided search drops what leads to no new kinds of steps into the
    /// pattern; without a guide everything goes that no known state speaks against.
    pub(super) fn generalised(&mut self, lifted: &Pattern, is_guided: bool) -> Result<Pattern, NoProof> {
        let mut pattern = lifted.clone();
        let mut ways = if is_guided { Some(self.ways(&pattern)?) } else { None };
        // What is true of two elements is rarely the reason; what is false, or true of one, often is.
        let relations = self.vocabulary.is_relation.clone();
        let is_relation = |(atom, is_true): &Literal| *is_true && relations[atom.scheme as usize];
        if self.policy.relations_first {
            self.drop_literals(&mut pattern, &mut ways, &is_relation, false)?;
        }
        let mut variable = pattern.n_variables;
        while variable > 0 {
            variable -= 1;
            let is_about = |(atom, _): &Literal| atom.variables().any(|other| other == variable);
            let rest: Vec<Literal> = pattern.literals.iter().filter(|literal| !is_about(literal)).cloned().collect();
            let must_gain = self.policy.must_gain || pattern.n_variables <= 2;
            if self.drop_to(&mut pattern, &rest, &mut ways, must_gain)? {
                variable = variable.min(pattern.n_variables);
            }
        }
        if !self.policy.relations_first {
            self.drop_literals(&mut pattern, &mut ways, &is_relation, false)?;
        }
        if self.policy.drops_all || !is_guided {
            self.drop_literals(&mut pattern, &mut ways, &|_| true, true)?;
        }
        Ok(pattern)
    }

    /// Drops some literals of a pattern, one by one, but keeps its variables.
    fn drop_literals(
        &mut self,
        pattern: &mut Pattern,
        ways: &mut Option<Ways>,
        is_meant: &dyn Fn(&Literal) -> bool,
        must_gain: bool,
    ) -> Result<(), NoProof> {
        let mut kept: FxHashSet<Literal> = FxHashSet::default();
        loop {
            let candidates = pattern.literals.iter().filter(|literal| is_meant(literal) && !kept.contains(*literal));
            let Some(next) = candidates.max_by_key(|literal| weight(literal)).cloned() else { return Ok(()) };
            let rest: Vec<Literal> = pattern.literals.iter().filter(|literal| **literal != next).cloned().collect();
            let is_possible = Pattern::new(&rest).0.n_variables == pattern.n_variables;
            if !is_possible || !self.drop_to(pattern, &rest, ways, must_gain)? {
                kept.insert(next);
            }
        }
    }

    /// Makes a pattern larger, if no known state has it then and there are no new ways into it; if something is to be gained, there must be fewer.
    fn drop_to(
        &mut self,
        pattern: &mut Pattern,
        rest: &[Literal],
        ways: &mut Option<Ways>,
        must_gain: bool,
    ) -> Result<bool, NoProof> {
        let (larger, old) = Pattern::new(rest);
        if !self.may_be_excluded(&larger)? {
            return Ok(false);
        }
        if let Some(before) = ways {
            let number = |variable: &Option<u8>| variable.map(|variable| old[usize::from(variable)]);
            let after = self.ways(&larger)?;
            let old_names: Ways =
                after.iter().map(|(instance, labels)| (*instance, labels.iter().map(number).collect())).collect();
            if !old_names.is_subset(before) || must_gain && !after.is_empty() && after.len() >= before.len() {
                return Ok(false);
            }
            *before = after;
        }
        *pattern = larger;
        Ok(true)
    }

    /// The kinds of steps that lead into a pattern from states outside of all that look likely: instances, with the variables whose elements label them.
    fn ways(&mut self, pattern: &Pattern) -> Result<Ways, NoProof> {
        let mut ways = Ways::default();
        for instance in 0..self.encoding.instances.len() {
            for elements in self.frames(usize::from(pattern.n_variables), instance) {
                let label = |label: u32| elements.iter().position(|element| *element == label).map(|idx| idx as u8);
                let Some((mut goal, _)) = self.goal(pattern, instance, &elements) else { continue };
                let lits = self.literals_of(pattern, &elements);
                goal.push(!self.encoding.blast.circuit.and_all(lits));
                goal.push(self.is_likely);
                if self.state_of(true, &goal, None)?.is_some() {
                    ways.insert((instance, (0..self.n_labels[instance] as u32).map(label).collect()));
                }
            }
        }
        Ok(ways)
    }

    /// Whether no state that is known to be reachable has a pattern.
    fn may_be_excluded(&mut self, pattern: &Pattern) -> Result<bool, NoProof> {
        if !matches!(self.samples.find(pattern), SampleMatch::Nowhere)
            || self.known.iter().any(|state| pattern.is_in(&self.vocabulary, state, &self.first))
        {
            return Ok(false);
        }
        let elements: Vec<Element> = (0..u32::from(pattern.n_variables)).collect();
        Ok(!self.meets_initial(pattern, &elements)?)
    }
}

impl PatternSearch<'_, '_> {
    /// Tells the solver of good states what looks unlikely, as no sample has it: two things that are true of two elements, or of one while another thing is true of none.
    pub(super) fn add_unlikely(&mut self) {
        let single: Vec<u32> =
            (0..).zip(&self.vocabulary.arities).filter(|(_, arity)| **arity == 1).map(|(scheme, _)| scheme).collect();
        let of = |scheme: u32, arg: u8| PatternAtom { scheme, args: vec![arg], guard: None };
        let mut pairs: Vec<[Literal; 2]> = Vec::new();
        for (idx, first) in single.iter().enumerate() {
            pairs.extend(single[idx..].iter().map(|second| [(of(*first, 0), true), (of(*second, 1), true)]));
            pairs.extend(single.iter().map(|second| [(of(*first, 0), true), (of(*second, SOME), false)]));
        }
        let n_elements = (self.vocabulary.elements.len() as u32).min(super::EAGER_ELEMENTS);
        for pair in pairs {
            let (pattern, _) = Pattern::new(&pair);
            if !matches!(self.samples.find(&pattern), SampleMatch::Nowhere) {
                continue;
            }
            for left in 0..n_elements {
                for right in (0..n_elements).filter(|right| *right != left) {
                    let lits = self.literals_of(&pattern, &[left, right]);
                    let clause: Vec<Lit> = lits.into_iter().map(|lit| !lit).chain([!self.is_likely]).collect();
                    self.good_outside.clause(&self.encoding, (&self.facts[2], &self.first), &clause);
                }
            }
        }
    }
}
