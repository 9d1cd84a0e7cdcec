//! A formula made ready for an engine: [`LinearProperty`].
//!
//! An engine looks for a path that violates the formula. It gets an automaton for the violations, the class of the formula, which says how simple
//! the search may be, and what was taken out of the automaton because components answer it better: fairness premises, and conjuncts
//! `G F a => G F b` of the negated formula as Streett [`StreettPair`]s. Each such conjunct would double the automaton.

use crate::automaton::Automaton;
use crate::bdd::{self, LetterBdd, LetterBdds};
use crate::expand::{ExpandedFormula, FairnessConstraint};
use crate::formula::{AtomId, Atoms};
use crate::lower::{Lowered, lower};
use crate::monitor::with_monitors;
use crate::normal::{FALSE, Form, Forms, Nf, TRUE};
use crate::simplify::{pruned, simplify};
use crate::stutter;
use crate::translate::{Budget, GaveUp, translate};
use crate::weak::{Weak, deterministic_weak};

/// How hard a formula is to check, from simple to general. Paths may be finite or infinite in all classes; a finite path that violates a formula
/// is found by reachability in any case.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Class {
    /// A violation shows after finitely many steps, whatever follows. The automaton is deterministic, and an infinite path violates the formula
    /// exactly if it reaches [`Automaton::universal_state`].
    Safety,
    /// Satisfaction shows after finitely many steps, whatever follows; any loop in an accepting component is a violation.
    Guarantee,
    /// A boolean combination of both; any loop in an accepting component is a violation.
    Obligation,
    /// The automaton is weak: any loop in an accepting component is a violation.
    Weak,
    /// A violation is a loop with all marks.
    General,
}

impl Class {
    pub fn name(self) -> &'static str {
        match self {
            Class::Safety => "safety",
            Class::Guarantee => "guarantee",
            Class::Obligation => "obligation",
            Class::Weak => "weak",
            Class::General => "general",
        }
    }
}

/// On infinite paths: if letters of `request` occur infinitely often, so do letters of `response`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StreettPair {
    pub request: LetterBdd,
    pub response: LetterBdd,
}

/// A formula ready for an engine.
#[derive(Clone, Debug)]
pub struct LinearProperty {
    pub atoms: Atoms,
    /// See [`ExpandedFormula::premises`].
    pub premises: Vec<Vec<FairnessConstraint>>,
    /// Guards of automata and pairs. Variable i is atom i.
    pub bdds: LetterBdds,
    /// Accepts the paths that violate the formula, as far as `pairs` hold on them.
    pub violation: Automaton,
    pub pairs: Vec<StreettPair>,
    pub class: Class,
    /// Whether steps that the formula cannot see may be left out of paths, or added. False if that was too hard to decide.
    pub is_stutter_invariant: bool,
}

/// States up to which the formula and its negation are translated for the sake of the class.
const MAX_CLASSIFIED_STATES: usize = 400;
const MAX_CLASSIFIED_BDD_NODES: usize = 1 << 17;

impl LinearProperty {
    pub fn new(expanded: &ExpandedFormula, budget: &Budget<'_>) -> Result<LinearProperty, GaveUp> {
        let mut lowered = lower(&expanded.formula);
        let atoms = &expanded.formula.atoms;
        let mut bdds = LetterBdds::new(budget.max_bdd_nodes);
        let (core, conjuncts) = separated(&mut lowered, atoms.len() as u32);
        let mut violation = automaton_of(&mut lowered, core, atoms, &mut bdds, budget)?;
        let mut class = if is_weak(&violation) { Class::Weak } else { Class::General };
        let mut pairs = Vec::new();
        for (request, response) in &conjuncts {
            let (request, response) =
                (lowered.forms.function(*request, &mut bdds), lowered.forms.function(*response, &mut bdds));
            class = Class::General;
            pairs.push(StreettPair { request, response });
            // A finite path has no infinitely often; its last letter decides.
            let holds_last = bdds.ite(request, response, bdd::TRUE);
            for state in &mut violation.states {
                let last = bdds.and(state.last, holds_last);
                state.last = without_steps(last, atoms, &mut bdds);
            }
        }
        let mut is_stutter_invariant = stutter::is_obvious(&expanded.formula);
        if pairs.is_empty() || !is_stutter_invariant && stutter::may_decide(atoms) {
            let small = Budget { max_states: budget.max_states.min(MAX_CLASSIFIED_STATES), ..*budget };
            let mut scratch = bdds.with_room(MAX_CLASSIFIED_BDD_NODES);
            let whole = pairs.is_empty().then_some(&violation);
            match classify(&mut lowered, whole, class, atoms, &mut scratch, &small) {
                Ok(found) => {
                    class = found.class;
                    is_stutter_invariant |= found.is_stutter_invariant;
                    if let Some(better) = found.better {
                        violation = better;
                        bdds = scratch.with_room(budget.max_bdd_nodes);
                    }
                }
                Err(GaveUp::Stopped) => return Err(GaveUp::Stopped),
                Err(GaveUp::TooLarge) => {}
            }
        }
        if bdds.is_full() {
            return Err(GaveUp::TooLarge);
        }
        let (atoms, premises) = (atoms.clone(), expanded.premises.clone());
        Ok(LinearProperty { atoms, premises, bdds, violation, pairs, class, is_stutter_invariant })
    }
}

/// An automaton for the paths that satisfy an expanded formula, and the table of its guards. Premises are not part of it.
pub fn satisfaction(expanded: &ExpandedFormula, budget: &Budget<'_>) -> Result<(LetterBdds, Automaton), GaveUp> {
    let mut lowered = lower(&expanded.formula);
    let mut bdds = LetterBdds::new(budget.max_bdd_nodes);
    let atoms = &expanded.formula.atoms;
    let (positive, negative) = (lowered.positive, lowered.negative);
    let automaton = automaton_of(&mut lowered, positive, atoms, &mut bdds, budget)?;
    let small = Budget { max_states: budget.max_states.min(MAX_CLASSIFIED_STATES), ..*budget };
    let mut scratch = bdds.with_room(MAX_CLASSIFIED_BDD_NODES);
    let smaller = automaton_of(&mut lowered, negative, atoms, &mut scratch, &small)
        .and_then(|negation| deterministic_weak(&automaton, &negation, &mut scratch, &small))
        .map(|weak| weak.map(|weak| simplified_weak(&weak, &mut scratch)));
    match smaller {
        Err(GaveUp::Stopped) => Err(GaveUp::Stopped),
        Ok(Some(weak)) if weak.states.len() <= automaton.states.len() && !scratch.is_full() => Ok((scratch, weak)),
        _ if bdds.is_full() => Err(GaveUp::TooLarge),
        _ => Ok((bdds, automaton)),
    }
}

/// The simplified automaton of a form.
fn automaton_of(
    lowered: &mut Lowered,
    root: Nf,
    atoms: &Atoms,
    bdds: &mut LetterBdds,
    budget: &Budget<'_>,
) -> Result<Automaton, GaveUp> {
    let n_vars = lowered.n_vars;
    let translated = translate(&mut lowered.forms, bdds, root, n_vars, budget)?;
    let mut automaton = with_monitors(&translated, lowered, bdds, budget)?;
    for state in &mut automaton.states {
        state.last = without_steps(state.last, atoms, bdds);
    }
    simplify(automaton, bdds, budget)
}

/// A guard for letters without a step, where atoms about steps are false.
fn without_steps(guard: LetterBdd, atoms: &Atoms, bdds: &mut LetterBdds) -> LetterBdd {
    let is_about_step = |var: u32| var < atoms.len() as u32 && atoms.get(AtomId(var)).kind.is_about_step();
    bdds.replace(guard, &|var| is_about_step(var).then_some(bdd::FALSE))
}

/// What automata for a formula and its negation tell.
struct Classified {
    class: Class,
    /// A better automaton for the violations.
    better: Option<Automaton>,
    is_stutter_invariant: bool,
}

/// Classifies a formula. `violation` is the automaton for all its violations, if nothing was taken out of it; its class is known as far as
/// `class`.
fn classify(
    lowered: &mut Lowered,
    violation: Option<&Automaton>,
    class: Class,
    atoms: &Atoms,
    bdds: &mut LetterBdds,
    budget: &Budget<'_>,
) -> Result<Classified, GaveUp> {
    let (positive, negative) = (lowered.positive, lowered.negative);
    let positive = automaton_of(lowered, positive, atoms, bdds, budget)?;
    let Some(violation) = violation else {
        let negative = automaton_of(lowered, negative, atoms, bdds, budget)?;
        let is_stutter_invariant = stutter::is_invariant(&positive, &negative, atoms, bdds, budget)?;
        return Ok(Classified { class, better: None, is_stutter_invariant });
    };
    let is_stutter_invariant = stutter::is_invariant(&positive, violation, atoms, bdds, budget)?;
    let Some(weak) = deterministic_weak(violation, &positive, bdds, budget)? else {
        return Ok(Classified { class, better: None, is_stutter_invariant });
    };
    let class = class_of(&weak);
    let deterministic = simplified_weak(&weak, bdds);
    let is_better = class == Class::Safety || deterministic.states.len() <= violation.states.len();
    budget.check(bdds, deterministic.states.len())?;
    Ok(Classified { class, better: is_better.then_some(deterministic), is_stutter_invariant })
}

/// The class of a formula by the minimal weak automaton of its violations.
fn class_of(violations: &Weak) -> Class {
    let components = violations.components();
    let is_cyclic = |state: u32| {
        let edges = &violations.states[state as usize].edges;
        edges.iter().any(|(_, target)| components.of[*target as usize] == components.of[state as usize])
    };
    // In the minimal automaton, all states with every continuation are one, and so are all without any.
    let is_trap = |state: u32, last: LetterBdd| {
        let state_data = &violations.states[state as usize];
        state_data.last == last && state_data.edges.iter().all(|(_, target)| *target == state)
    };
    let all_are = |is_accepting: bool, last: LetterBdd| {
        (0..violations.states.len() as u32).all(|state| {
            violations.states[state as usize].is_accepting != is_accepting || !is_cyclic(state) || is_trap(state, last)
        })
    };
    if all_are(true, bdd::TRUE) {
        Class::Safety
    } else if all_are(false, bdd::FALSE) {
        Class::Guarantee
    } else {
        Class::Obligation
    }
}

/// A deterministic weak automaton without the states from which nothing is accepted.
fn simplified_weak(weak: &Weak, bdds: &mut LetterBdds) -> Automaton {
    let mut automaton = pruned(&weak.automaton(), bdds);
    let structure = automaton.structure();
    let has_rejecting =
        structure.is_cyclic.iter().zip(&structure.is_accepting).any(|(cyclic, accepting)| *cyclic && !accepting);
    automaton.n_marks = u32::from(has_rejecting);
    for (source, state) in automaton.states.iter_mut().enumerate() {
        for edge in &mut state.edges {
            let is_inside = structure.is_inside(source as u32, edge.target);
            if !has_rejecting || !is_inside {
                edge.marks = crate::automaton::MarkSet::default();
            }
        }
        crate::automaton::merge_edges(bdds, &mut state.edges);
    }
    automaton
}

/// Whether each component is accepting or rejecting as a whole. Holds for simplified automata whose marks say so.
fn is_weak(automaton: &Automaton) -> bool {
    let structure = automaton.structure();
    let all = crate::automaton::MarkSet::all(automaton.n_marks);
    automaton.edges().all(|(source, edge)| {
        !structure.is_inside(source, edge.target) || !structure.is_accepting_at(source) || all.is_within(edge.marks)
    })
}

/// The negated formula without its conjuncts `G F a => G F b`, and these as pairs of propositions over atoms.
fn separated(lowered: &mut Lowered, n_atoms: u32) -> (Nf, Vec<(Nf, Nf)>) {
    let parts: Vec<Nf> = match lowered.forms.get(lowered.negative) {
        Form::And(parts) => parts.to_vec(),
        _ => vec![lowered.negative],
    };
    let forms = &mut lowered.forms;
    let mut rest = Vec::new();
    let mut pairs = Vec::new();
    for part in parts {
        match streett(forms, part, n_atoms) {
            Some(pair) => pairs.push(pair),
            None => rest.push(part),
        }
    }
    (forms.and(rest), pairs)
}

/// The propositions a and b if a form is `F G not a or G F b`.
fn streett(forms: &mut Forms, form: Nf, n_atoms: u32) -> Option<(Nf, Nf)> {
    let Form::Or(parts) = forms.get(form) else { return None };
    let (mut stays, mut recurs) = (None, None);
    for part in parts.iter() {
        match forms.get(*part) {
            Form::Until(TRUE, inner) => match forms.get(*inner) {
                Form::Release(FALSE, proposition) if stays.is_none() => stays = Some(*proposition),
                _ => return None,
            },
            Form::Release(FALSE, inner) => match forms.get(*inner) {
                Form::Until(TRUE, proposition) if recurs.is_none() => recurs = Some(*proposition),
                _ => return None,
            },
            _ => return None,
        }
    }
    let (stays, recurs) = (stays?, recurs?);
    if !is_over_atoms(forms, stays, n_atoms) || !is_over_atoms(forms, recurs, n_atoms) {
        return None;
    }
    Some((forms.not(stays), recurs))
}

fn is_over_atoms(forms: &Forms, form: Nf, n_atoms: u32) -> bool {
    let mut todo = vec![form];
    while let Some(next) = todo.pop() {
        match forms.get(next) {
            Form::Const(_) => {}
            Form::Literal(var, _) if *var < n_atoms => {}
            Form::And(parts) | Form::Or(parts) => todo.extend(parts.iter()),
            _ => return false,
        }
    }
    true
}
