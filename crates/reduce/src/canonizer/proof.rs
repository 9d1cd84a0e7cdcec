//! Proofs about reductions, for all states, over the circuits of the machine.
//!
//! Operations and functions of a reduction are encoded together, so that bounds of variables hold in all states that steps and functions reach
//! (`encoding/src/bounds.rs`); nothing else is assumed. For each function f the solver is asked for a counterexample to: f has an inverse
//! in the group (4.1); a property is as true in f(s) as in s (4.2); a step from s to t has a step from f(s) to f(t) (4.3), of the same operation if formulas speak of operations. A
//! canonizer c is no group; its equivalence is that of states with the same image, for which c must be idempotent, and steps must correspond both ways.
//!
//! A model of the negation may be an unreachable state, so it only means "not proved". A circuit that is not exact proves nothing.

use abridge_blast::{Blast, Lit, Replaced};
use abridge_encoding::{CellId, Encoding, EncodingConfig, EncodingSource, GapSubject, PropertyKind, Prover, SatProver};
use abridge_eval::State;
use abridge_model::SetId;
use abridge_model_system::ModelSystem;
use abridge_system::Properties;
use abridge_value::BitSet;
use rustc_hash::FxHashMap;

use super::plan::{CanonizerStrategy, PartKind, PlannedReduction, ReductionPlan};
use crate::source_of;

/// Valuations of the constants for which proofs are made; with more there is none.
const MAX_SETUPS: usize = 8;
/// Conflicts of the solver for one question, and questions for one reduction.
const MAX_CONFLICTS: u64 = 5_000;
const MAX_QUESTIONS: usize = 5_000;
/// Products of functions, instances and cells that are compared.
const MAX_COMPARISONS: usize = 30_000_000;
/// Order of a generator up to which it is looked for.
const MAX_ORDER: usize = 64;
/// Gates of all circuits.
const MAX_GATES: usize = 4_000_000;

/// Answers about one reduction: the reason why something is proved, or why it is not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReductionProof {
    /// The functions are elements of a group, or an idempotent function (4.1).
    pub action: Result<String, String>,
    /// Properties do not tell a state and its images apart (4.2).
    pub predicates: Result<String, String>,
    /// Steps of a state and its images correspond (4.3).
    pub bisimulation: Result<String, String>,
    /// Equivalent states have the same representative (Proposition 2).
    pub strong: Result<String, String>,
}

impl ReductionProof {
    /// All that verdicts rest on is proved.
    pub fn is_complete(&self) -> bool {
        self.action.is_ok() && self.predicates.is_ok() && self.bisimulation.is_ok()
    }

    fn all(why: &str) -> ReductionProof {
        let answer = Ok(why.to_owned());
        ReductionProof {
            action: answer.clone(),
            predicates: answer.clone(),
            bisimulation: answer.clone(),
            strong: answer,
        }
    }

    fn none(why: &str, strong: Result<String, String>) -> ReductionProof {
        let answer = Err(why.to_owned());
        ReductionProof { action: answer.clone(), predicates: answer.clone(), bisimulation: answer, strong }
    }

    /// The least state of an orbit is one for all its states if the orbits are those of a group: without a way back, two states of an orbit have orbits of their own.
    fn with_strength_of_action(mut self) -> ReductionProof {
        if self.action.is_err() {
            self.strong = self.strong.and_then(|_| Err("it needs a group".to_owned()));
        }
        self
    }

    /// What holds for both.
    fn and(self, other: ReductionProof) -> ReductionProof {
        ReductionProof {
            action: self.action.and(other.action),
            predicates: self.predicates.and(other.predicates),
            bisimulation: self.bisimulation.and(other.bisimulation),
            strong: self.strong.and(other.strong),
        }
    }
}

/// Proves what can be proved about each reduction of a plan. `setups` are states with all valuations of the constants; nothing if they are not known.
pub fn prove(
    system: &impl ModelSystem,
    plan: &ReductionPlan,
    asked: Properties,
    setups: Option<&[State]>,
    is_over: &dyn Fn() -> bool,
) -> Vec<ReductionProof> {
    let prove_part = |part: &PlannedReduction| {
        if let PartKind::Symmetry { group, .. } = &part.kind {
            let sets = group.blocks().iter().map(|block| format!("`{}`", system.model().sets[SetId(block.set)].name));
            let mut sets: Vec<String> = sets.collect();
            sets.dedup();
            let sets = sets.join(" and ");
            return ReductionProof::all(&format!("the text of the machine does not tell elements of {sets} apart"));
        }
        let strong = strength(part);
        let proof = match setups {
            Some([]) => ReductionProof::none("there are no constants to prove it for", strong),
            Some(setups) if setups.len() <= MAX_SETUPS => {
                let mut proofs = setups.iter().map(|state| prove_for(system, plan, part, asked, state, is_over));
                let first =
                    proofs.next().unwrap_or_else(|| ReductionProof::none("nothing to prove it for", strong.clone()));
                proofs.fold(first, ReductionProof::and)
            }
            _ => ReductionProof::none(&format!("there are more than {MAX_SETUPS} valuations of the constants"), strong),
        };
        proof.with_strength_of_action()
    };
    plan.parts.iter().map(prove_part).collect()
}

fn strength(part: &PlannedReduction) -> Result<String, String> {
    match &part.kind {
        PartKind::Orbit { strategy: CanonizerStrategy::Enumerate, .. } => {
            Ok("the least state of each orbit".to_owned())
        }
        PartKind::Orbit { .. } => Err("a local strategy may keep several states of an orbit".to_owned()),
        PartKind::Canonizer(_) => Err("a canonizer without generators".to_owned()),
        PartKind::Symmetry { .. } => Ok("canonical forms".to_owned()),
    }
}

fn prove_for(
    system: &impl ModelSystem,
    plan: &ReductionPlan,
    part: &PlannedReduction,
    asked: Properties,
    constants: &State,
    is_over: &dyn Fn() -> bool,
) -> ReductionProof {
    let strong = strength(part);
    let mut source = source_of(system);
    if asked.propositions {
        source.propositions = system.propositions().to_vec();
    }
    let n_operations = source.operations.len();
    // A run applies all functions, so what is assumed about states must survive all of them.
    source.functions.clone_from(&plan.functions);
    let mut solver = Bounded { sat: SatProver { conflicts: MAX_CONFLICTS, ..SatProver::default() }, is_over };
    let encoding = match Encoding::new(&source, constants, &EncodingConfig::default(), &mut solver) {
        Ok(encoding) => encoding,
        Err(gap) => return ReductionProof::none(&gap.text(system.model()), strong),
    };
    if let Some(why) = obstacle(&encoding, &source, system, n_operations) {
        return ReductionProof::none(&why, strong);
    }
    let is_by_name = asked.propositions;
    let mut obligations = Obligations { encoding, n_operations, is_by_name, solver, n_questions: 0 };
    let functions = match obligations.functions(part.functions()) {
        Ok(functions) => functions,
        Err(why) => return ReductionProof::none(&why, strong),
    };
    let is_canonizer = matches!(part.kind, PartKind::Canonizer(_));
    let action = if is_canonizer { obligations.idempotent(&functions) } else { obligations.group(&functions) };
    let predicates = obligations.predicates(&functions, asked);
    let bisimulation = match (&action, is_canonizer) {
        (Err(_), _) => Err("it needs a group, or an idempotent function".to_owned()),
        (Ok(_), true) => obligations.kernel(&functions),
        (Ok(_), false) => obligations.commutes(&functions),
    };
    let strong = match (&action, is_canonizer) {
        (Ok(_), true) => Ok("states with equal images are equivalent".to_owned()),
        _ => strong,
    };
    ReductionProof { action, predicates, bisimulation, strong }
}

/// Why circuits are of no use, in words.
fn obstacle(
    encoding: &Encoding,
    source: &EncodingSource<'_>,
    system: &impl ModelSystem,
    n_operations: usize,
) -> Option<String> {
    let model = system.model();
    let matters = |subject: GapSubject| {
        matches!(subject, GapSubject::Machine | GapSubject::Variable(_) | GapSubject::Operation(_))
    };
    if let Some(gap) = encoding.gaps.iter().find(|gap| matters(gap.subject)) {
        return Some(gap.text(model));
    }
    if encoding.is_cut {
        return Some("the budget of the translation ran out".to_owned());
    }
    let chooses = encoding.instances.iter().find(|instance| instance.has_choice || !instance.choices.is_empty());
    chooses.map(|instance| {
        let op = source.operation(instance.operation);
        let what = if instance.operation < n_operations { "operation" } else { "function" };
        format!("{what} `{}` has choices that are not parameters", model.operations[op].name)
    })
}

/// A solver that can be ended.
struct Bounded<'o> {
    sat: SatProver,
    is_over: &'o dyn Fn() -> bool,
}

impl Prover for Bounded<'_> {
    fn satisfiable(&mut self, blast: &mut Blast, assumptions: &[Lit], queries: &[Vec<Lit>]) -> BitSet {
        self.sat.satisfiable(blast, assumptions, queries)
    }

    fn is_over(&self) -> bool {
        (self.is_over)()
    }
}

fn counted(n: usize, noun: &str) -> String {
    if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}s") }
}

/// New literals of all cells, by cell.
type CellMap = Vec<Lit>;

/// A function for one value of its parameters.
struct Function {
    /// The number of the function in the plan.
    number: usize,
    map: CellMap,
    /// The position of its instance.
    instance: usize,
}

struct Obligations<'o> {
    encoding: Encoding,
    n_operations: usize,
    /// Formulas speak of operations, so a step and its counterpart are of the same one.
    is_by_name: bool,
    solver: Bounded<'o>,
    n_questions: usize,
}

impl Obligations<'_> {
    fn n_cells(&self) -> u32 {
        self.encoding.cells.len() as u32
    }

    /// The inputs of all cells.
    fn identity(&self) -> CellMap {
        (0..self.n_cells()).map(|cell| self.encoding.cells.input(CellId(cell)).unwrap_or(Lit::FALSE)).collect()
    }

    fn map_of(&self, instance: usize) -> CellMap {
        let instance = &self.encoding.instances[instance];
        let old = self.identity();
        (0..).zip(old).map(|(cell, old)| instance.new_literal(CellId(cell)).unwrap_or(old)).collect()
    }

    /// A literal in the state that a map leads to.
    fn after(&mut self, lit: Lit, map: &CellMap, done: &mut Replaced) -> Lit {
        let Encoding { blast, cells, .. } = &mut self.encoding;
        let with = |input: Lit| cells.of_input(input).map(|cell| map[cell.0 as usize]);
        blast.circuit.replace(lit, &with, done)
    }

    /// First `first`, then `second`.
    fn then(&mut self, first: &CellMap, second: &CellMap) -> CellMap {
        let mut done = Replaced::default();
        second.iter().map(|lit| self.after(*lit, first, &mut done)).collect()
    }

    /// Whether some literals can hold together; true if that is not known.
    fn may_hold(&mut self, lits: Vec<Lit>) -> Result<bool, String> {
        if lits.contains(&Lit::FALSE) {
            return Ok(false);
        }
        self.n_questions += 1;
        if self.n_questions > MAX_QUESTIONS || self.encoding.blast.circuit.size() > MAX_GATES || self.solver.is_over() {
            return Err("the budget of the proof ran out".to_owned());
        }
        let Encoding { blast, assumptions, .. } = &mut self.encoding;
        Ok(!self.solver.satisfiable(blast, assumptions, &[lits]).is_empty())
    }

    /// The literal that holds where two maps differ.
    fn differ(&mut self, a: &CellMap, b: &CellMap) -> Lit {
        let circuit = &mut self.encoding.blast.circuit;
        let differing: Vec<Lit> = a.iter().zip(b).filter(|(a, b)| a != b).map(|(a, b)| circuit.xor(*a, *b)).collect();
        circuit.or_all(differing)
    }

    fn are_equal(&mut self, a: &CellMap, b: &CellMap) -> Result<bool, String> {
        let differ = self.differ(a, b);
        Ok(!self.may_hold(vec![differ])?)
    }

    /// The functions, each different one once; they must have a result in all states.
    fn functions(&mut self, wanted: &[usize]) -> Result<Vec<Function>, String> {
        let mut functions: Vec<Function> = Vec::new();
        for instance in 0..self.encoding.instances.len() {
            let item = &self.encoding.instances[instance];
            let (relation, operation) = (item.relation, item.operation);
            let error = [item.error.context, item.error.ill_defined];
            let number = operation.checked_sub(self.n_operations).filter(|number| wanted.contains(number));
            let Some(number) = number else { continue };
            if !self.may_hold(vec![relation])? && !self.may_hold(error.to_vec())? {
                continue;
            }
            if self.may_hold(vec![!relation])? || self.may_hold(error.to_vec())? {
                return Err("a function may have no result".to_owned());
            }
            functions.push(Function { number, map: self.map_of(instance), instance });
        }
        if functions.is_empty() {
            return Err("no value of the parameters satisfies the precondition".to_owned());
        }
        Ok(functions)
    }

    /// Every function has an inverse among the products of functions.
    fn group(&mut self, functions: &[Function]) -> Result<String, String> {
        let identity = self.identity();
        let mut orders = Vec::new();
        for function in functions {
            // The definition of the inverse has the same parameters.
            let label = self.encoding.instances[function.instance].label.clone();
            let is_partner = |other: &&Function| {
                other.number != function.number && self.encoding.instances[other.instance].label == label
            };
            if let Some(inverse) = functions.iter().find(is_partner) {
                let both = self.then(&function.map, &inverse.map);
                if self.are_equal(&both, &identity)? {
                    continue;
                }
                return Err("the definition of the inverse does not undo the generator".to_owned());
            }
            let mut power = function.map.clone();
            let mut order = 1;
            while !self.are_equal(&power, &identity)? {
                order += 1;
                if order > MAX_ORDER {
                    return Err(format!("a generator was not found to be the identity after {MAX_ORDER} times"));
                }
                power = self.then(&power, &function.map);
            }
            orders.push(order);
        }
        let largest = orders.into_iter().max();
        Ok(largest.map_or("inverses are given".to_owned(), |order| format!("generators of order at most {order}")))
    }

    fn idempotent(&mut self, functions: &[Function]) -> Result<String, String> {
        let map = &functions[0].map;
        let twice = self.then(map, map);
        match self.are_equal(&twice, map)? {
            true => Ok("an idempotent function".to_owned()),
            false => Err("it was not shown to be idempotent".to_owned()),
        }
    }

    /// Properties have the same truth value in a state and in its images, one by one or at least together.
    fn predicates(&mut self, functions: &[Function], asked: Properties) -> Result<String, String> {
        let is_asked = |kind: PropertyKind| match kind {
            PropertyKind::Invariant(_) => asked.invariant,
            PropertyKind::Assertion(_) => asked.assertions,
            PropertyKind::Goal => asked.goal,
            PropertyKind::Proposition(_) => asked.propositions,
        };
        let mut groups: [Vec<(Lit, Lit)>; 4] = Default::default();
        for property in &self.encoding.properties {
            if !is_asked(property.kind) {
                continue;
            }
            let (group, name) = match property.kind {
                PropertyKind::Invariant(idx) => (0, format!("invariant {}", idx + 1)),
                PropertyKind::Assertion(idx) => (1, format!("assertion {}", idx + 1)),
                PropertyKind::Goal => (2, "the goal".to_owned()),
                PropertyKind::Proposition(idx) => (3, format!("proposition {}", idx + 1)),
            };
            let truth = property.truth.map_err(|_| format!("{name} has no exact circuit"))?;
            groups[group].push((truth.holds, truth.fails));
        }
        let mut n_properties = 0;
        for (group, what) in groups.into_iter().zip(["the invariant", "the assertions", "the goal", "a proposition"]) {
            n_properties += group.len();
            let circuit = &mut self.encoding.blast.circuit;
            let whole = [
                circuit.and_all(group.iter().map(|(holds, _)| *holds)),
                circuit.or_all(group.iter().map(|(_, fails)| *fails)),
            ];
            for function in functions {
                let mut done = Replaced::default();
                let mut is_preserved = true;
                for (holds, fails) in &group {
                    is_preserved = is_preserved && self.is_preserved([*holds, *fails], &function.map, &mut done)?;
                }
                // A formula reads propositions one by one.
                let may_be_joint = what != "a proposition";
                let is_joint = !is_preserved && may_be_joint && self.is_preserved(whole, &function.map, &mut done)?;
                if !is_preserved && !is_joint {
                    return Err(format!("{what} may tell a state and its image apart"));
                }
            }
        }
        self.errors(functions)?;
        Ok(format!("{n_properties} {}", if n_properties == 1 { "property" } else { "properties" }))
    }

    fn is_preserved(&mut self, lits: [Lit; 2], map: &CellMap, done: &mut Replaced) -> Result<bool, String> {
        for lit in lits {
            let image = self.after(lit, map, done);
            let differ = self.encoding.blast.circuit.xor(lit, image);
            if self.may_hold(vec![differ])? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// An operation is ill-defined in a state and in its images, or in none of them.
    fn errors(&mut self, functions: &[Function]) -> Result<(), String> {
        // Operations that need not be told apart.
        let n_alike = if self.is_by_name { 1 } else { self.n_operations.max(1) };
        for first in (0..self.n_operations).step_by(n_alike) {
            let operations = first..first + n_alike;
            let Encoding { blast, instances, .. } = &mut self.encoding;
            let errors = instances.iter().filter(|instance| operations.contains(&instance.operation));
            let errors = errors.map(|instance| &instance.error);
            let errors: Vec<[Lit; 2]> = errors.map(|error| [error.context, error.ill_defined]).collect();
            let errors: Vec<Lit> = errors.into_iter().map(|error| blast.circuit.and_all(error)).collect();
            let error = blast.circuit.or_all(errors);
            for function in functions {
                if !self.is_preserved([error, Lit::FALSE], &function.map, &mut Replaced::default())? {
                    return Err("an operation may be ill-defined in a state and not in its image".to_owned());
                }
            }
        }
        Ok(())
    }

    /// The instances of operations, with their maps.
    fn steps(&self) -> Vec<(usize, Lit, CellMap)> {
        let instances = self.encoding.instances.iter().enumerate();
        let steps = instances.filter(|(_, instance)| instance.operation < self.n_operations);
        steps.map(|(idx, instance)| (instance.operation, instance.relation, self.map_of(idx))).collect()
    }

    /// The same steps out of the state that a map leads to, and another map after them.
    fn moved(
        &mut self,
        steps: &[(usize, Lit, CellMap)],
        map: &CellMap,
        finally: Option<&CellMap>,
    ) -> Vec<(usize, Lit, CellMap)> {
        let mut done = Replaced::default();
        let mut moved = Vec::with_capacity(steps.len());
        for (operation, relation, step) in steps {
            let relation = self.after(*relation, map, &mut done);
            let target: CellMap = step.iter().map(|lit| self.after(*lit, map, &mut done)).collect();
            let target = finally.map_or_else(|| target.clone(), |finally| self.then(&target, finally));
            moved.push((*operation, relation, target));
        }
        moved
    }

    /// Every step of the first list has one in the second that happens whenever it does and leads to the same. Most often that is one of the same operation.
    fn follows(&mut self, steps: &[(usize, Lit, CellMap)], others: &[(usize, Lit, CellMap)]) -> Result<bool, String> {
        let mut known: FxHashMap<(usize, Lit, &[Lit]), ()> = FxHashMap::default();
        known.extend(others.iter().map(|(operation, relation, map)| ((*operation, *relation, &map[..]), ())));
        for step in steps {
            let (operation, relation, map) = step;
            if known.contains_key(&(*operation, *relation, &map[..])) || self.is_answered(step, others, true)? {
                continue;
            }
            if self.is_by_name || !self.is_answered(step, others, false)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whenever a step happens, one of the others does that leads to the same: any, or one of the same operation.
    fn is_answered(
        &mut self,
        (operation, relation, map): &(usize, Lit, CellMap),
        others: &[(usize, Lit, CellMap)],
        is_by_name: bool,
    ) -> Result<bool, String> {
        let mut answers = Vec::new();
        for (_, other, target) in others.iter().filter(|(other, ..)| !is_by_name || other == operation) {
            let differ = self.differ(target, map);
            answers.push(self.encoding.blast.circuit.and(*other, !differ));
        }
        let answered = self.encoding.blast.circuit.or_all(answers);
        Ok(!self.may_hold(vec![*relation, !answered])?)
    }

    fn refuse_many(&self, n_functions: usize, n_steps: usize) -> Result<(), String> {
        match n_functions * n_steps * n_steps * self.n_cells() as usize > MAX_COMPARISONS {
            true => Err("there are too many steps to compare".to_owned()),
            false => Ok(()),
        }
    }

    /// A step from s to t has one from f(s) to f(t).
    fn commutes(&mut self, functions: &[Function]) -> Result<String, String> {
        let steps = self.steps();
        self.refuse_many(functions.len(), steps.len())?;
        for function in functions {
            let wanted: Vec<(usize, Lit, CellMap)> = steps
                .iter()
                .map(|(operation, relation, map)| (*operation, *relation, self.then(map, &function.map)))
                .collect();
            let others = self.moved(&steps, &function.map, None);
            if !self.follows(&wanted, &others)? {
                return Err("a step may have no counterpart in the image of its state".to_owned());
            }
        }
        Ok(format!("{} under {}", counted(steps.len(), "step"), counted(functions.len(), "function")))
    }

    /// Steps of s and c(s) lead to states with the same images, both ways.
    fn kernel(&mut self, functions: &[Function]) -> Result<String, String> {
        let steps = self.steps();
        self.refuse_many(2, steps.len())?;
        let map = &functions[0].map;
        let plain: Vec<(usize, Lit, CellMap)> =
            steps.iter().map(|(operation, relation, step)| (*operation, *relation, self.then(step, map))).collect();
        let others = self.moved(&steps, map, Some(map));
        if !self.follows(&plain, &others)? || !self.follows(&others, &plain)? {
            return Err("a step may have no counterpart in the image of its state".to_owned());
        }
        Ok(format!("{}, both ways", counted(steps.len(), "step")))
    }
}
