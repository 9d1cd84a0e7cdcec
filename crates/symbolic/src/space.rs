//! A machine under one valuation of the constants, as diagrams: initial states, steps and properties.
//!
//! Circuits of the encoding are folded into diagrams. A step is the relation of one instance over the bits that it reads and the next values of those
//! that it writes; all other bits stay. What has no exact circuit, an operation, a property or the initialisation, is learnt from the evaluator
//! instead (`learn.rs`). A relation that lacks a step would make states unreachable, so whatever could not be evaluated is noted in
//! [`Space::missing`] and becomes a limit.

use std::collections::BTreeSet;
use std::sync::Arc;

use abridge_blast::{Algebra, Lit};
use abridge_diag::StopFlag;
use abridge_encoding::{
    CellId, CircuitGap, Encoding, EncodingConfig, EncodingSource, Initial, Instance, PropertyKind, SatProver,
    StateProperty,
};
use abridge_eval::State;
use rustc_hash::FxHashMap;

use crate::backward::Direction;
use crate::bdd::{Bdd, BddStop, Made, Manager, Var};
use crate::canonize::ReductionRelations;
use crate::constant;
use crate::layout::{BitLayout, Placed};
use crate::learn::{LearntOperation, LearntProperty};
use crate::order::order;
use crate::symmetry::{self, Counters, ElementBitOrder, Mapping, MovedClass, PermutationClass, Representatives, Swap};
use crate::within::Gates;

/// States, steps and properties of a machine as diagrams.
pub struct Space<'s> {
    pub(crate) source: &'s EncodingSource<'s>,
    pub(crate) encoding: Encoding,
    /// The constants, with no values of variables.
    pub(crate) blank: State,
    pub(crate) layout: BitLayout,
    pub(crate) manager: Manager,
    pub(crate) initial: Bdd,
    pub(crate) steps: Vec<RelationPart>,
    pub(crate) properties: Vec<Checked>,
    /// Permutations of interchangeable elements; none without symmetry reduction.
    pub(crate) swaps: Vec<Swap>,
    /// The relation to representatives, if they are not found by sorting.
    pub(crate) mapping: Option<Mapping>,
    /// Reductions by functions, in their order.
    pub(crate) stages: Vec<ReductionRelations>,
    /// The machine over counters, if that is to be explored.
    pub(crate) counters: Option<Counters>,
    /// Numbers of choices, by bit: at most one bit of a choice is true in a state.
    pub(crate) choices: FxHashMap<Var, u32>,
    /// Choices of each instance, with the cells that they decide about.
    pub(crate) placed: Vec<Placed>,
    /// Permutations that a backward search may reduce by.
    pub(crate) classes: Vec<MovedClass>,
    pub(crate) method: Representatives,
    /// All interchangeable elements are of one list, all their permutations are meant, and no cell is about two of them.
    pub(crate) is_by_elements: bool,
    /// With symmetry reduction, an orbit may have several representatives.
    pub has_several_representatives: bool,
    /// Some interchangeable elements are not exchanged, since values that contain them are no cells.
    pub leaves_elements: bool,
    /// The initial states were listed by the evaluator.
    pub(crate) lists_initial: bool,
    /// The initialisation is ill-defined for some of its choices.
    pub is_start_ill_defined: bool,
    /// What could not be evaluated, in words.
    pub missing: BTreeSet<String>,
}

/// Steps with one relation.
pub(crate) struct RelationPart {
    /// The position of the operation.
    pub(crate) operation: usize,
    /// The position of the instance; nothing for an operation that is learnt.
    pub(crate) instance: Option<usize>,
    pub(crate) relation: Bdd,
    /// Bits that are written, and their cube.
    pub(crate) written: Vec<Var>,
    pub(crate) writes: Bdd,
    /// States with a step.
    pub(crate) enabled: Bdd,
    /// States where evaluating the step is an error.
    pub(crate) errors: Bdd,
    /// States where the operation could not be evaluated as a whole, so that a step may be missing.
    pub(crate) partial: Bdd,
    pub(crate) learnt: Option<LearntOperation>,
}

/// A property with the states where it is true and false; elsewhere it is ill-defined.
pub(crate) struct Checked {
    pub(crate) position: usize,
    pub(crate) holds: Bdd,
    pub(crate) fails: Bdd,
    pub(crate) learnt: Option<LearntProperty>,
    /// The states that `holds` and `fails` are about, if the property is evaluated within a set.
    pub(crate) within: Option<Bdd>,
}

/// The reason why a machine cannot be checked symbolically, or not to the end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Halt {
    Stop(BddStop),
    /// There is no encoding.
    Gap(CircuitGap),
    /// A variable without an exact form has too many values.
    ManyValues,
    /// A method of symmetry reduction does not apply: its name and the reason.
    Inapplicable(&'static str),
}

/// How a machine becomes diagrams.
#[derive(Clone, Copy, Debug)]
pub struct SymbolicOptions {
    pub representatives: Representatives,
    pub order: ElementBitOrder,
    pub max_nodes: usize,
    pub direction: Direction,
    /// Classes of interchangeable elements reduce the search; else they say only which bits belong together.
    pub is_reduced: bool,
}

impl From<BddStop> for Halt {
    fn from(stop: BddStop) -> Halt {
        Halt::Stop(stop)
    }
}

impl SymbolicOptions {
    /// The order of the bits of elements. Counters are read element by element; the orbit relation is smaller by far where the bits that it compares are neighbours.
    fn order(&self) -> ElementBitOrder {
        match self.representatives {
            Representatives::Counters => ElementBitOrder::Concatenated,
            Representatives::Orbits => ElementBitOrder::Interlaced,
            Representatives::Dynamic | Representatives::Multiple | Representatives::Patterns => self.order,
        }
    }
}

/// What is learnt from the evaluator although it has a circuit, because the two were found to differ.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Distrust {
    /// Positions of operations.
    pub operations: BTreeSet<usize>,
    pub properties: Vec<PropertyKind>,
}

/// How much of a machine is exact.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct ExactParts {
    /// Operations as circuits, and operations that are learnt from the evaluator.
    pub exact_operations: usize,
    pub learnt_operations: usize,
    /// Variables with cells, and variables whose values are numbered.
    pub exact_variables: usize,
    pub numbered_variables: usize,
    /// Properties that are learnt from the evaluator.
    pub learnt_properties: usize,
    /// The initial states were listed by the evaluator.
    pub lists_initial: bool,
}

impl<'s> Space<'s> {
    /// Encodes a machine for the constants of a state. With classes of interchangeable elements, which must leave the constants as they are, fixpoints run over
    /// representatives of orbits.
    pub fn new(
        source: &'s EncodingSource<'s>,
        constants: &State,
        classes: &[PermutationClass<'_>],
        distrust: &Distrust,
        options: SymbolicOptions,
        stop: StopFlag,
    ) -> Result<Space<'s>, Halt> {
        let mut prover = SatProver { stop: stop.clone(), ..SatProver::default() };
        let encoding = Encoding::new(source, constants, &EncodingConfig::default(), &mut prover);
        let encoding = match encoding {
            Err(_) if stop.is_raised() => return Err(Halt::Stop(BddStop::Stopped)),
            encoding => encoding.map_err(Halt::Gap)?,
        };
        let (classes, leaves_elements) = symmetry::moved(&encoding, &source.variables, classes);
        let is_backward = options.direction == Direction::Backward;
        let mut order = order(&encoding);
        if !classes.is_empty() {
            order = symmetry::order(&encoding, &source.variables, &classes, &order, (options.order(), is_backward));
        }
        let choices: Vec<Placed> = encoding.instances.iter().map(|it| placed(&encoding, &order, it)).collect();
        let first = placed_first(&encoding, &order);
        let all: Vec<Placed> = choices.iter().cloned().chain([first.clone()]).collect();
        let fixed = constant_cells(source, &encoding, &classes, distrust);
        let layout = BitLayout::new(&encoding, &source.variables, &order, fixed, &all);
        let mut manager = Manager::new(layout.n_pairs(), options.max_nodes, stop);
        // Sorting needs the bits of neighbours near each other.
        if classes.is_empty() {
            manager.allow_reordering();
        }
        let is_relational = symmetry::is_relational(&classes);
        let blank = vec![None; source.interp.model().variables.len()];
        let blank = State { constants: constants.constants.clone(), variables: Arc::new(blank) };
        let initial = manager.constant(false);
        let mut space = Space {
            source,
            encoding,
            blank,
            layout,
            manager,
            initial,
            steps: Vec::new(),
            properties: Vec::new(),
            swaps: Vec::new(),
            mapping: None,
            stages: Vec::new(),
            counters: None,
            choices: FxHashMap::default(),
            placed: choices,
            classes: Vec::new(),
            method: options.representatives,
            is_by_elements: !is_relational && matches!(&classes[..], [class] if !class.is_group),
            has_several_representatives: is_relational,
            leaves_elements,
            lists_initial: false,
            is_start_ill_defined: false,
            missing: BTreeSet::new(),
        };
        space.choices = space.choice_numbers();
        if is_backward {
            space.add_initial(&first)?;
            if options.is_reduced {
                space.classes = classes;
            }
            return Ok(space);
        }
        space.add_steps(distrust)?;
        space.add_properties(distrust, options.representatives == Representatives::Counters)?;
        space.add_initial(&first)?;
        space.add_swaps(&classes)?;
        space.add_method(&classes)?;
        Ok(space)
    }

    /// Prepares the method that finds representatives.
    fn add_method(&mut self, classes: &[MovedClass]) -> Result<(), Halt> {
        match self.method {
            Representatives::Dynamic | Representatives::Patterns => {}
            Representatives::Multiple => {
                let n_moving = |class: &MovedClass| class.list.iter().filter(|moved| !moved.is_empty()).count();
                let lists: Vec<_> = classes.iter().map(|class| (n_moving(class), class.is_group)).collect();
                self.mapping = self.multiple(&lists)?;
                self.has_several_representatives = self.mapping.is_some();
            }
            Representatives::Orbits => {
                self.mapping = self.least()?;
                self.has_several_representatives = false;
            }
            Representatives::Counters => self.add_counters()?,
        }
        Ok(())
    }

    /// How much of the machine has exact circuits.
    pub fn parts(&self) -> ExactParts {
        let n_operations = self.source.operations.len();
        let learnt_operations = self.steps.iter().filter(|step| step.learnt.is_some()).count();
        let n_variables = self.source.variables.len();
        let numbered_variables = (0..n_variables).filter(|position| self.layout.is_numbered(*position)).count();
        ExactParts {
            exact_operations: n_operations - learnt_operations,
            learnt_operations,
            exact_variables: n_variables - numbered_variables,
            numbered_variables,
            learnt_properties: self.properties.iter().filter(|checked| checked.learnt.is_some()).count(),
            lists_initial: self.lists_initial,
        }
    }

    /// Nodes at most in use at any time.
    pub fn peak_nodes(&self) -> usize {
        self.manager.peak_nodes() + self.counters.as_ref().map_or(0, Counters::peak_nodes)
    }

    /// Of these, nodes that were needed: garbage is not counted.
    pub fn live_nodes(&self) -> usize {
        self.manager.live_nodes() + self.counters.as_ref().map_or(0, Counters::live_nodes)
    }

    pub fn n_reorderings(&self) -> u32 {
        self.manager.n_reorderings()
    }

    fn add_steps(&mut self, distrust: &Distrust) -> Result<(), Halt> {
        for operation in 0..self.source.operations.len() {
            let instances: Vec<usize> = (0..self.encoding.instances.len())
                .filter(|idx| self.encoding.instances[*idx].operation == operation)
                .collect();
            if is_learnt(&self.encoding, operation, distrust) {
                let step = self.learnt_step(operation)?;
                self.steps.push(step);
                continue;
            }
            for idx in instances {
                let step = self.step(idx)?;
                if !step.relation.is_false() || !step.errors.is_false() {
                    self.steps.push(step);
                }
            }
        }
        Ok(())
    }

    /// The step of an instance with exact circuits.
    fn step(&mut self, idx: usize) -> Made<RelationPart> {
        let Space { encoding, layout, manager, placed, .. } = self;
        let instance = &encoding.instances[idx];
        let choice_bits = layout.choice_bits(&placed[idx]);
        let mut written: Vec<(Var, Lit)> =
            instance.writes.iter().filter_map(|(cell, lit)| Some((layout.cell(*cell)?, (*lit)?))).collect();
        // From the last level to the first: a conjunction changes the upper part of a diagram only.
        written.sort_by_key(|(bit, _)| std::cmp::Reverse(manager.level_of(*bit)));
        let error = [instance.error.context, instance.error.ill_defined];
        let lits: Vec<Lit> =
            [instance.relation].into_iter().chain(error).chain(written.iter().map(|it| it.1)).collect();
        let values = fold(encoding, layout, manager, &choice_bits, &lits)?;
        let errors = manager.and(&values[1], &values[2])?;
        let every_choice = manager.cube(choice_bits.values().copied())?;
        let errors = manager.exists(&errors, &every_choice)?;
        let mut parts = vec![(instance.relation, values[0].clone())];
        for ((bit, lit), value) in written.iter().zip(&values[3..]) {
            let next = manager.var(bit.next())?;
            parts.push((*lit, manager.xor(&next, value)?.not()));
        }
        let relation = conjoin(encoding, manager, &choice_bits, &parts)?;
        let written: Vec<Var> = written.into_iter().map(|(bit, _)| bit).collect();
        let nexts = manager.cube(written.iter().map(|bit| bit.next()))?;
        Ok(RelationPart {
            operation: instance.operation,
            instance: Some(idx),
            enabled: manager.exists(&relation, &nexts)?,
            relation,
            writes: manager.cube(written.iter().copied())?,
            written,
            errors,
            partial: manager.constant(false),
            learnt: None,
        })
    }

    /// Counters need diagrams that are about all states.
    fn add_properties(&mut self, distrust: &Distrust, is_eager: bool) -> Result<(), Halt> {
        for position in 0..self.encoding.properties.len() {
            let StateProperty { truth, kind, .. } = &self.encoding.properties[position];
            let checked = match truth {
                Ok(truth) if !distrust.properties.contains(kind) => {
                    let lits = [truth.holds, truth.fails];
                    self.circuit_property(position, lits, is_eager)?
                }
                _ => self.learnt_property(position)?,
            };
            self.properties.push(checked);
        }
        Ok(())
    }

    /// A property with exact circuits: where it is true, and where it is false.
    fn circuit_property(&mut self, position: usize, [holds, fails]: [Lit; 2], is_eager: bool) -> Made<Checked> {
        let Space { encoding, layout, manager, .. } = self;
        let made = |holds: Bdd, fails: Bdd, within| Checked { position, holds, fails, learnt: None, within };
        let gates = Gates::new(encoding, layout, manager, &[holds, fails])?;
        if let Some((holds, fails)) = gates.small(holds).zip(gates.small(fails)) {
            return Ok(made(holds, fails, None));
        }
        if is_eager {
            let none = FxHashMap::default();
            let values = fold(encoding, layout, manager, &none, &[holds, fails])?;
            return Ok(made(values[0].clone(), values[1].clone(), None));
        }
        let none = manager.constant(false);
        Ok(made(none.clone(), none.clone(), Some(none)))
    }

    fn add_initial(&mut self, choices: &Placed) -> Result<(), Halt> {
        let has_numbers = (0..self.source.variables.len()).any(|position| self.layout.is_numbered(position));
        let Initial::Circuit { holds, error, cells, .. } = &self.encoding.initial else { return self.list_initial() };
        if has_numbers {
            return self.list_initial();
        }
        let (layout, manager) = (&self.layout, &mut self.manager);
        let choice_bits = layout.choice_bits(choices);
        let cell = |(idx, lit): (usize, &Option<Lit>)| Some((layout.cell(CellId(idx as u32))?, (*lit)?));
        let mut cells: Vec<(Var, Lit)> = cells.iter().enumerate().filter_map(cell).collect();
        cells.sort_by_key(|(bit, _)| std::cmp::Reverse(manager.level_of(*bit)));
        let lits: Vec<Lit> = [*holds, *error].into_iter().chain(cells.iter().map(|it| it.1)).collect();
        let values = fold(&self.encoding, layout, manager, &choice_bits, &lits)?;
        self.is_start_ill_defined = !values[1].is_false();
        let mut parts = vec![(*holds, values[0].clone())];
        for ((bit, lit), value) in cells.iter().zip(&values[2..]) {
            let bit = manager.var(*bit)?;
            parts.push((*lit, manager.xor(&bit, value)?.not()));
        }
        self.initial = conjoin(&self.encoding, manager, &choice_bits, &parts)?;
        Ok(())
    }
}

/// Whether an operation is learnt from the evaluator. Without any instance a guard is not true for the constants: false, or ill-defined.
pub(crate) fn is_learnt(encoding: &Encoding, operation: usize, distrust: &Distrust) -> bool {
    let mut instances = encoding.instances.iter().filter(|instance| instance.operation == operation).peekable();
    instances.peek().is_none() || !instances.all(is_exact) || distrust.operations.contains(&operation)
}

/// The values of constant cells. Operations that are learnt may give any value to what they write; an initialisation that is listed, to anything.
fn constant_cells(
    source: &EncodingSource<'_>,
    encoding: &Encoding,
    classes: &[MovedClass],
    distrust: &Distrust,
) -> Vec<Option<bool>> {
    if source.variables.iter().any(|variable| encoding.cells.is_opaque(*variable)) {
        return vec![None; encoding.cells.len()];
    }
    let model = source.interp.model();
    let learnt = (0..source.operations.len()).filter(|operation| is_learnt(encoding, *operation, distrust));
    let written = learnt.flat_map(|operation| model.operations[source.operations[operation]].effects.writes.iter());
    let free = constant::cells_of(encoding, written);
    constant::constants(encoding, classes, |cell| free.contains(&cell))
}

/// Whether every part of an instance has an exact circuit.
pub(crate) fn is_exact(instance: &Instance) -> bool {
    instance.gaps.is_empty()
        && instance.writes.iter().all(|(_, lit)| lit.is_some())
        && instance.opaque_guards.is_empty()
        && instance.opaque_reads.is_empty()
        && !instance.error.is_doubtful
}

/// The choices of an instance, each with the cell that it decides about: one whose new value depends on it.
fn placed(encoding: &Encoding, order: &[CellId], instance: &Instance) -> Placed {
    let writes = instance.writes.iter().filter_map(|(cell, lit)| Some((*cell, (*lit)?)));
    place(encoding, order, &instance.choices, writes)
}

fn placed_first(encoding: &Encoding, order: &[CellId]) -> Placed {
    let Initial::Circuit { cells, choices, .. } = &encoding.initial else { return Placed::new() };
    let cells = (0..).map(CellId).zip(cells).filter_map(|(cell, lit)| Some((cell, (*lit)?)));
    place(encoding, order, choices, cells)
}

fn place(
    encoding: &Encoding,
    order: &[CellId],
    choices: &[Lit],
    writes: impl Iterator<Item = (CellId, Lit)>,
) -> Placed {
    let last = order.last().map_or(0, |cell| cell.0 as usize);
    if choices.is_empty() {
        return Placed::new();
    }
    let mut cell_of: FxHashMap<Lit, (usize, usize)> = FxHashMap::default();
    for (cell, lit) in writes {
        let inputs = encoding.blast.circuit.inputs_of([lit]);
        let n_inputs = inputs.len();
        for input in inputs {
            let known = cell_of.entry(input).or_insert((n_inputs, cell.0 as usize));
            // The cell that depends on little else is the one that the choice is about.
            if n_inputs < known.0 {
                *known = (n_inputs, cell.0 as usize);
            }
        }
    }
    choices.iter().map(|choice| (*choice, cell_of.get(choice).map_or(last, |(_, cell)| *cell))).collect()
}

/// The conjunction of literals with their diagrams. Each choice is quantified as soon as no further part depends on it.
fn conjoin(
    encoding: &Encoding,
    manager: &mut Manager,
    choice_bits: &FxHashMap<Lit, Var>,
    parts: &[(Lit, Bdd)],
) -> Made<Bdd> {
    let mut last_use: FxHashMap<Var, usize> = choice_bits.values().map(|bit| (*bit, 0)).collect();
    if !choice_bits.is_empty() {
        for (idx, (lit, _)) in parts.iter().enumerate() {
            for input in encoding.blast.circuit.inputs_of([*lit]) {
                if let Some(bit) = choice_bits.get(&input) {
                    last_use.insert(*bit, idx);
                }
            }
        }
    }
    let mut all = manager.constant(true);
    for (idx, (_, part)) in parts.iter().enumerate() {
        let over = manager.cube(last_use.iter().filter(|(_, last)| **last == idx).map(|(bit, _)| *bit))?;
        all = manager.and_exists(&all, part, &over)?;
    }
    Ok(all)
}

/// The diagrams of literals over cells and choices.
pub(crate) fn fold(
    encoding: &Encoding,
    layout: &BitLayout,
    manager: &mut Manager,
    choice_bits: &FxHashMap<Lit, Var>,
    lits: &[Lit],
) -> Made<Vec<Bdd>> {
    let bit = |input: Lit| match encoding.cells.of_input(input) {
        Some(cell) => layout.constant(cell).map(InputMeaning::Constant).or(layout.cell(cell).map(InputMeaning::Bit)),
        None => choice_bits.get(&input).copied().map(InputMeaning::Bit),
    };
    let mut diagrams = Diagrams { manager, bit: &bit, stop: None };
    let values = encoding.blast.circuit.fold(lits, &mut diagrams);
    diagrams.stop.map_or(Ok(values), Err)
}

/// The algebra of diagrams. After a stop all values are false, and none counts.
struct Diagrams<'d> {
    manager: &'d mut Manager,
    bit: &'d dyn Fn(Lit) -> Option<InputMeaning>,
    stop: Option<BddStop>,
}

/// What an input stands for.
enum InputMeaning {
    Bit(Var),
    Constant(bool),
}

impl Diagrams<'_> {
    fn value(&mut self, made: Made<Bdd>) -> Bdd {
        made.unwrap_or_else(|stop| {
            self.stop = Some(stop);
            self.manager.constant(false)
        })
    }
}

impl Algebra for Diagrams<'_> {
    type Value = Bdd;

    fn truth(&mut self) -> Bdd {
        self.manager.constant(true)
    }

    fn input(&mut self, input: Lit) -> Bdd {
        match (self.bit)(input).expect("every input is a cell or a choice") {
            InputMeaning::Bit(bit) => {
                let made = self.manager.var(bit);
                self.value(made)
            }
            InputMeaning::Constant(value) => self.manager.constant(value),
        }
    }

    fn not(&mut self, value: &Bdd) -> Bdd {
        value.not()
    }

    fn and(&mut self, values: &[Bdd]) -> Bdd {
        let mut all = self.manager.constant(true);
        for value in values {
            if self.stop.is_some() || all.is_false() {
                break;
            }
            let made = self.manager.and(&all, value);
            all = self.value(made);
        }
        all
    }
}
