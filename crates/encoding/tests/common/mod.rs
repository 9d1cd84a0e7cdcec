//! The oracle: every circuit of an encoding is compared with the plain interpreter, state by state.
#![allow(dead_code, reason = "each test file uses a part of it")]

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use abridge_blast::Lit;
use abridge_encoding::{
    CellId, CircuitGap, Encoding, EncodingConfig, EncodingSource, Initial, Instance, PropertyKind, SatProver,
};
use abridge_eval::{Env, EvalConfig, Interp, State};
use abridge_explicit::judge;
use abridge_model::ids::Id as _;
use abridge_model::{Model, PredId};
use abridge_testkit::{Project, Random};
use abridge_value::BitSet;

/// Cells beyond which assignments are drawn instead of listed.
const MAX_LISTED_CELLS: usize = 12;
/// Choices beyond which an instance is not followed in all outcomes.
const MAX_CHOICES: usize = 10;
const N_DRAWN: usize = 400;
const N_REACHED: usize = 60;

/// Numbers of comparisons, so that a test can say that it was not empty.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Compared {
    pub(crate) states: usize,
    pub(crate) steps: usize,
    pub(crate) errors: usize,
    pub(crate) truths: usize,
    pub(crate) ill_defined: usize,
    pub(crate) initial: usize,
    pub(crate) gaps: usize,
    pub(crate) instances: usize,
}

impl Compared {
    pub(crate) fn add(&mut self, other: Compared) {
        self.states += other.states;
        self.steps += other.steps;
        self.errors += other.errors;
        self.truths += other.truths;
        self.ill_defined += other.ill_defined;
        self.initial += other.initial;
        self.gaps += other.gaps;
        self.instances += other.instances;
    }
}

/// Both ways to write down integers.
pub(crate) fn configs() -> [EncodingConfig; 2] {
    [EncodingConfig::default(), EncodingConfig { max_one_hot: 128, ..EncodingConfig::default() }]
}

pub(crate) fn constants_of(interp: &Interp<'_>) -> Vec<State> {
    let mut found = Vec::new();
    interp.session().setup_constants(&mut |state| {
        found.push(state.expect("the constants can be set up"));
        if found.len() < 3 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    found
}

pub(crate) fn encode(interp: &Interp<'_>, constants: &State, config: &EncodingConfig) -> Result<Encoding, CircuitGap> {
    Encoding::new(&EncodingSource::new(interp), constants, config, &mut SatProver::default())
}

/// Compares all circuits of a machine with the interpreter, for some valuations of its constants, in all given forms.
pub(crate) fn compare(text: &str) -> Compared {
    compare_with(text, &EvalConfig::default())
}

pub(crate) fn compare_with(text: &str, eval: &EvalConfig) -> Compared {
    let model = Project::model_of(text);
    let interp = judge(&model, eval.clone());
    let mut compared = Compared::default();
    for constants in constants_of(&interp) {
        for config in configs() {
            let encoding = match encode(&interp, &constants, &config) {
                Ok(encoding) => encoding,
                Err(gap) => panic!("{}\n{text}", gap.text(&model)),
            };
            let mut oracle = Oracle { text, model: &model, interp: &interp, constants: &constants, encoding };
            compared.add(oracle.compare());
        }
    }
    compared
}

struct Oracle<'o> {
    text: &'o str,
    model: &'o Model,
    interp: &'o Interp<'o>,
    constants: &'o State,
    encoding: Encoding,
}

/// What an operation does in a state: targets, and whether something is wrong.
type Effects = (BTreeSet<String>, bool);

impl Oracle<'_> {
    fn compare(&mut self) -> Compared {
        self.encoding.gaps.iter().for_each(|gap| eprintln!("{}", gap.text(self.model)));
        let mut compared = Compared {
            gaps: self.encoding.gaps.len(),
            instances: self.encoding.instances.len(),
            ..Compared::default()
        };
        let mut states: BTreeMap<String, (State, BitSet)> = BTreeMap::new();
        let initial = self.initial_states();
        compared.initial = initial.len();
        for state in self.reached(initial) {
            let bits = self.encoding.cells.encode(&state);
            let bits =
                bits.unwrap_or_else(|| panic!("{} is reachable and has no cells\n{}", self.shown(&state), self.text));
            assert!(self.assumed(&bits), "{} is reachable, against an assumption\n{}", self.shown(&state), self.text);
            states.insert(self.shown(&state), (state, bits));
        }
        for bits in self.assignments() {
            let state = self.encoding.cells.decode(&bits, self.constants);
            if !self.assumed(&bits) {
                continue;
            }
            let state = state.unwrap_or_else(|| panic!("cells {bits:?} are assumed and mean no state\n{}", self.text));
            assert!(self.encoding.cells.encode(&state).unwrap().iter().eq(bits.iter()), "encode after decode");
            states.insert(self.shown(&state), (state, bits));
        }
        for (state, bits) in states.values() {
            compared.states += 1;
            let decoded = self.encoding.cells.decode(bits, self.constants);
            assert!(self.has_opaque() || decoded.as_ref() == Some(state), "decode after encode\n{}", self.text);
            self.compare_steps(state, bits, &mut compared);
            self.compare_properties(state, bits, &mut compared);
        }
        compared
    }

    fn has_opaque(&self) -> bool {
        self.model.state_variables().any(|(id, _)| self.encoding.cells.is_opaque(id))
    }

    fn shown(&self, state: &State) -> String {
        let shown = self.model.state_variables().map(|(id, variable)| {
            let val = state.variables[id.index()].as_ref();
            format!(
                "{} = {}",
                variable.name,
                val.map_or_else(String::new, |val| abridge_eval::val_text(self.model, val))
            )
        });
        shown.collect::<Vec<_>>().join(", ")
    }

    /// Values of literals where cells and choices are given.
    fn values(&self, lits: &[Lit], bits: &BitSet, choices: &[Lit], chosen: u64) -> Vec<bool> {
        self.encoding.blast.circuit.evaluate(lits, |input| match self.encoding.cells.of_input(input) {
            Some(cell) => bits.contains(cell.0 as usize),
            None => choices.iter().position(|choice| *choice == input).is_some_and(|idx| chosen >> idx & 1 == 1),
        })
    }

    fn assumed(&self, bits: &BitSet) -> bool {
        self.values(&self.encoding.assumptions, bits, &[], 0).into_iter().all(|holds| holds)
    }

    /// All assignments of the cells, or some if there are many; nothing where a variable is opaque.
    fn assignments(&self) -> Vec<BitSet> {
        let n_cells = self.encoding.cells.len();
        if self.has_opaque() {
            return Vec::new();
        }
        if n_cells <= MAX_LISTED_CELLS {
            let bits = |number: u64| (0..n_cells).filter(|cell| number >> cell & 1 == 1).collect();
            return (0..1 << n_cells).map(bits).collect();
        }
        // A solver finds assignments that the assumptions allow; fixed cells at random make them differ.
        let mut random = Random::new(n_cells as u64);
        let circuit = &self.encoding.blast.circuit;
        let inputs: Vec<Lit> = (0..n_cells as u32).filter_map(|cell| self.encoding.cells.input(CellId(cell))).collect();
        let mut found = Vec::new();
        let mut solver = abridge_blast::SatSolver::new(u64::MAX);
        self.encoding.assumptions.iter().for_each(|lit| solver.require(circuit, *lit));
        inputs.iter().for_each(|lit| solver.track(circuit, *lit));
        for _ in 0..N_DRAWN {
            let mut fixed: Vec<Lit> = Vec::new();
            for _ in 0..n_cells.min(14) {
                let lit = *random.pick(&inputs);
                let lit = if random.once_in(2) { lit } else { !lit };
                if !fixed.contains(&!lit) {
                    fixed.push(lit);
                }
            }
            while solver.solve_under(circuit, &fixed, u64::MAX) != abridge_blast::SatAnswer::Satisfiable {
                fixed.pop();
            }
            found.push((0..n_cells).filter(|cell| solver.value(inputs[*cell])).collect());
        }
        found
    }

    /// The initial states of the interpreter, which the circuit must have too.
    fn initial_states(&mut self) -> Vec<State> {
        let mut states = Vec::new();
        let mut is_wrong = false;
        let blank = vec![None; self.model.variables.len()];
        let blank = State { constants: self.constants.constants.clone(), variables: std::sync::Arc::new(blank) };
        self.interp.session().initialise(&blank, &mut |state| {
            match state {
                Ok(state) => states.push(state),
                Err(_) => is_wrong = true,
            }
            ControlFlow::Continue(())
        });
        let Encoding { initial, cells, blast, .. } = &mut self.encoding;
        let initial: &Initial = initial;
        let Initial::Circuit { holds, error, choices, .. } = initial else { return states };
        let relation = initial.relation(cells, blast).expect("a circuit is a relation");
        let (holds, error, choices) = (*holds, *error, choices.clone());
        if choices.len() > MAX_CHOICES || self.has_opaque() {
            return states;
        }
        let mut found: BTreeSet<String> = BTreeSet::new();
        let mut circuit_is_wrong = false;
        let expected: BTreeSet<String> = states.iter().map(|state| self.shown(state)).collect();
        for chosen in 0..1_u64 << choices.len() {
            let given = self.values(&[holds, error], &BitSet::default(), &choices, chosen);
            circuit_is_wrong |= given[1];
            if given[0] {
                let Initial::Circuit { cells: lits, .. } = &self.encoding.initial else { unreachable!() };
                let lits: Vec<Lit> = lits.iter().map(|lit| lit.expect("no cell is opaque")).collect();
                let values = self.values(&lits, &BitSet::default(), &choices, chosen);
                let bits: BitSet = (0..lits.len()).filter(|cell| values[*cell]).collect();
                assert_eq!(self.values(&[relation], &bits, &choices, chosen), [true]);
                let state = self.encoding.cells.decode(&bits, self.constants).expect("an initial state");
                found.insert(self.shown(&state));
            }
        }
        assert_eq!(found, expected, "initial states\n{}", self.text);
        assert_eq!(circuit_is_wrong, is_wrong, "an error of the initialisation\n{}", self.text);
        states
    }

    /// Some reachable states.
    fn reached(&self, initial: Vec<State>) -> Vec<State> {
        let mut seen: BTreeMap<String, State> = BTreeMap::new();
        let mut open = initial;
        while let Some(state) = open.pop() {
            if seen.len() >= N_REACHED || seen.insert(self.shown(&state), state.clone()).is_some() {
                continue;
            }
            for (op, _) in self.model.transitions() {
                self.interp.session().operation(op, &state, &mut |transition| {
                    open.extend(transition.ok().map(|transition| transition.state));
                    ControlFlow::Continue(())
                });
            }
        }
        seen.into_values().collect()
    }

    fn compare_steps(&self, state: &State, bits: &BitSet, compared: &mut Compared) {
        for (position, (op, operation)) in self.model.transitions().enumerate() {
            let instances = self.encoding.instances.iter().filter(|instance| instance.operation == position);
            let instances: Vec<&Instance> = instances.collect();
            let is_exact = instances.iter().all(|instance| instance.gaps.is_empty());
            if !is_exact || self.has_opaque() || instances.iter().any(|instance| instance.choices.len() > MAX_CHOICES) {
                continue;
            }
            let mut expected: Effects = Effects::default();
            self.interp.session().operation(op, state, &mut |transition| {
                match transition {
                    Ok(transition) => _ = expected.0.insert(self.shown(&transition.state)),
                    Err(error) => {
                        let is_known = error.is_ill_defined() || error.is_obligation();
                        assert!(is_known, "{error:?}\n{}", self.text);
                        expected.1 = true;
                    }
                }
                ControlFlow::Continue(())
            });
            let mut found = Effects::default();
            instances.iter().for_each(|instance| self.perform(instance, bits, &mut found));
            let place = || format!("{} in {}\n{}", operation.name, self.shown(state), self.text);
            assert_eq!(found.0, expected.0, "steps of {}", place());
            assert_eq!(found.1, expected.1, "an error of {}", place());
            compared.steps += expected.0.len();
            compared.errors += usize::from(expected.1);
        }
    }

    /// Adds the steps of an instance, for all choices.
    fn perform(&self, instance: &Instance, bits: &BitSet, found: &mut Effects) {
        let mut lits = vec![instance.relation, instance.error.context, instance.error.ill_defined];
        let writes: Vec<(CellId, Lit)> =
            instance.writes.iter().map(|(cell, lit)| (*cell, lit.expect("an exact instance"))).collect();
        lits.extend(writes.iter().map(|(_, lit)| *lit));
        for chosen in 0..1_u64 << instance.choices.len() {
            let values = self.values(&lits, bits, &instance.choices, chosen);
            found.1 |= values[1] && values[2];
            if !values[0] {
                continue;
            }
            let mut target = bits.clone();
            for ((cell, _), value) in writes.iter().zip(&values[3..]) {
                match value {
                    true => _ = target.insert(cell.0 as usize),
                    false => target.remove(cell.0 as usize),
                }
            }
            assert!(self.assumed(&target), "a step leaves the assumptions\n{}", self.text);
            let state = self.encoding.cells.decode(&target, self.constants).expect("a step leads to a state");
            found.0.insert(self.shown(&state));
        }
    }

    fn compare_properties(&self, state: &State, bits: &BitSet, compared: &mut Compared) {
        for property in &self.encoding.properties {
            let Ok(truth) = property.truth else { continue };
            let pred: PredId = match property.kind {
                PropertyKind::Invariant(idx) => self.model.invariant[idx].pred,
                PropertyKind::Assertion(idx) => self.model.assertions[idx].pred,
                PropertyKind::Goal => self.model.steering.goal.expect("there is a goal"),
                PropertyKind::Proposition(_) => continue,
            };
            let expected = match self.interp.session().pred(pred, &Env::new(state)) {
                Ok(holds) => Some(holds),
                Err(error) if error.is_ill_defined() => None,
                Err(error) => panic!("{error:?}\n{}", self.text),
            };
            let found = match self.values(&[truth.holds, truth.fails], bits, &[], 0)[..] {
                [true, false] => Some(true),
                [false, true] => Some(false),
                [false, false] => None,
                _ => panic!("{:?} is true and false in {}\n{}", property.kind, self.shown(state), self.text),
            };
            assert_eq!(found, expected, "{:?} in {}\n{}", property.kind, self.shown(state), self.text);
            compared.truths += 1;
            compared.ill_defined += usize::from(expected.is_none());
        }
    }
}
