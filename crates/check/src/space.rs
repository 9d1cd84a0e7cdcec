//! Graphs of state spaces: all states, the quotient, what flooding makes of it, or a projection onto formulas; and the graph of one state.
//!
//! They are small by nature, so every step is listed with its label by the judge of the machine.

use std::collections::{HashMap, HashSet};

use abridge_diag::with_stack;
use abridge_eval::{Env, value_text};
use abridge_explicit::judge;
use abridge_model::Model;
use abridge_model_system::ModelSystem;
use abridge_reduce::symmetry::{
    Auto, Canonizer as _, EdgeLabel, Flood, Group, Quotient as _, ValueGraph, ValueStates as _, VertexColour,
    symmetry_of,
};
use abridge_sema::FormulaBody;
use abridge_system::{FindingKind, Machine, Move, Origin};

use crate::animation::choices;
use crate::{Config, Control, asked, nth_state, stack};

/// What to show of a state space.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SpaceView {
    /// All states; one of each class is marked.
    Everything,
    /// One state of each class.
    Quotient,
    /// One state of each class is expanded; the others are there as its permutations.
    Flooded,
}

/// States and steps.
#[derive(Clone, Default, Debug)]
pub struct StateSpace {
    pub nodes: Vec<SpaceNode>,
    pub edges: Vec<SpaceEdge>,
    /// There are more states.
    pub is_cut: bool,
    /// What could not be evaluated first, and why: steps are missing.
    pub missing: Option<(String, String)>,
}

#[derive(Clone, Debug)]
pub struct SpaceNode {
    /// Constants and variables with their values; nothing for the root.
    pub values: Vec<(String, String)>,
    /// The distance from the root.
    pub depth: u32,
    /// The first state that was met of its class.
    pub is_representative: bool,
    /// No step leads out of it, though all were tried.
    pub is_deadlock: bool,
    /// A conjunct of the invariant is false in it, or not well-defined.
    pub is_violated: bool,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SpaceEdge {
    pub from: usize,
    pub to: usize,
    pub label: String,
    /// Name of the operation.
    pub operation: String,
    /// Leads to a permutation rather than to a successor.
    pub is_permutation: bool,
}

/// The states of a model, at most so many. Node 0 is the root.
pub fn space(model: &Model, config: &Config, view: SpaceView, max_nodes: usize) -> StateSpace {
    with_stack(|| space_inner(model, config, view, max_nodes))
}

fn space_inner(model: &Model, config: &Config, view: SpaceView, max_nodes: usize) -> StateSpace {
    let system = stack::system_of(judge(model, config.eval.clone()), config.system.clone());
    let group = symmetry_of(model, asked(config), &[], system.pinned()).group;
    let (auto, flood) = (Auto::new(&system, group.clone()), Flood::new(&system, group));
    let (mut auto, mut flood) = (auto.judge(), flood.canonizer());
    let orbits = Orbits {
        represent: &mut |state| auto.represent(state),
        members: &mut |state| flood.members(state).into_iter().map(Into::into).collect(),
    };
    let (mut space, states) = space_with_states(&system, view, max_nodes, Some(orbits));
    mark_violations(&system, &mut space, &states);
    space
}

fn mark_violations(system: &impl ModelSystem, space: &mut StateSpace, states: &HashMap<Vec<u32>, usize>) {
    let invariant = &system.model().invariant;
    let conjuncts: Vec<u32> = (0..).zip(invariant).filter(|(_, one)| !one.is_gluing).map(|(idx, _)| idx).collect();
    for (state, node) in states {
        let is_violated = |idx: &u32| system.explain(FindingKind::Invariant(*idx), state).is_some();
        space.nodes[*node].is_violated = system.is_running(Origin::State(state)) && conjuncts.iter().any(is_violated);
    }
}

/// The states of a model, at most so many, with those in one node that agree on the values of formulas beside the model. A node has the values of the formulas and the number of its
/// states; an edge the name of its operation. Node 0 is the root.
pub fn projection(model: &Model, config: &Config, formulas: &[(String, FormulaBody)], max_states: usize) -> StateSpace {
    with_stack(|| projection_inner(model, config, formulas, max_states))
}

fn projection_inner(
    model: &Model,
    config: &Config,
    formulas: &[(String, FormulaBody)],
    max_states: usize,
) -> StateSpace {
    let system = stack::system_of(judge(model, config.eval.clone()), config.system.clone());
    let (mut whole, states) = space_with_states(&system, SpaceView::Everything, max_states, None);
    mark_violations(&system, &mut whole, &states);
    let mut values: Vec<Vec<(String, String)>> = vec![Vec::new(); whole.nodes.len()];
    for (state, node) in &states {
        values[*node] = observed(&system, formulas, state);
    }
    let (is_cut, missing) = (whole.is_cut, whole.missing);
    let mut space = StateSpace { is_cut, missing, ..StateSpace::default() };
    let mut places: HashMap<Vec<(String, String)>, usize> = HashMap::new();
    let (mut nodes, mut sizes) = (Vec::new(), Vec::new());
    for (node, values) in whole.nodes.iter().zip(values) {
        let place = *places.entry(values.clone()).or_insert_with(|| {
            space.nodes.push(SpaceNode { values, ..node.clone() });
            sizes.push(0_u64);
            sizes.len() - 1
        });
        let joined = &mut space.nodes[place];
        joined.is_deadlock |= node.is_deadlock;
        joined.is_violated |= node.is_violated;
        sizes[place] += 1;
        nodes.push(place);
    }
    for (node, size) in space.nodes.iter_mut().zip(sizes).skip(1) {
        node.values.push(("states".to_owned(), size.to_string()));
    }
    let mut known = HashSet::new();
    for edge in whole.edges {
        let (from, to, label) = (nodes[edge.from], nodes[edge.to], edge.operation.clone());
        let edge = SpaceEdge { from, to, label, ..edge };
        if known.insert(edge.clone()) {
            space.edges.push(edge);
        }
    }
    space
}

/// The values of formulas in a state; before the initialisation there are none.
fn observed(system: &impl ModelSystem, formulas: &[(String, FormulaBody)], words: &[u32]) -> Vec<(String, String)> {
    let (state, is_initialised) = system.decode(words);
    if !is_initialised {
        return vec![("set-up".to_owned(), "constants".to_owned())];
    }
    let (session, env) = (system.judge().session(), Env::new(&state));
    let value = |body: &FormulaBody| match body {
        FormulaBody::Expr(expr) => {
            session.value(*expr, &env).map(|val| system.notations().value_text(system.model(), *expr, &val))
        }
        FormulaBody::Pred(pred) => session.pred(*pred, &env).map(|is_true| is_true.to_string().to_uppercase()),
    };
    let text = |body: &FormulaBody| match value(body) {
        Ok(text) => text,
        Err(error) if error.is_ill_defined() => "not well-defined".to_owned(),
        Err(_) => "not evaluated".to_owned(),
    };
    formulas.iter().map(|(name, body)| (name.clone(), text(body))).collect()
}

/// Orbits of states under a group of symmetries.
pub struct Orbits<'o> {
    /// Replaces a state by the representative of its orbit.
    pub represent: &'o mut dyn FnMut(&mut [u32]),
    /// All members of the orbit of a state, itself first.
    pub members: &'o mut dyn FnMut(&[u32]) -> Vec<Vec<u32>>,
}

/// The states of any machine, at most so many. Without orbits every state is its own.
pub fn space_of<M: Machine>(machine: &M, view: SpaceView, max_nodes: usize, orbits: Option<Orbits<'_>>) -> StateSpace {
    space_with_states(machine, view, max_nodes, orbits).0
}

/// The same with the states behind the nodes.
fn space_with_states<M: Machine>(
    machine: &M,
    view: SpaceView,
    max_nodes: usize,
    orbits: Option<Orbits<'_>>,
) -> (StateSpace, HashMap<Vec<u32>, usize>) {
    let mut builder = SpaceBuilder {
        machine,
        view,
        orbits,
        space: StateSpace::default(),
        numbers: HashMap::new(),
        classes: HashMap::new(),
        waiting: Vec::new(),
    };
    builder.space.nodes.push(SpaceNode {
        values: Vec::new(),
        depth: 0,
        is_representative: false,
        is_deadlock: false,
        is_violated: false,
    });
    builder.expand(0, None);
    let mut next = 0;
    while let Some((node, state)) = builder.waiting.get(next).cloned() {
        if builder.space.nodes.len() > max_nodes {
            builder.space.is_cut = true;
            break;
        }
        builder.expand(node, Some(&state));
        next += 1;
    }
    (builder.space, builder.numbers)
}

struct SpaceBuilder<'a, 'o, M> {
    machine: &'a M,
    view: SpaceView,
    orbits: Option<Orbits<'o>>,
    space: StateSpace,
    numbers: HashMap<Vec<u32>, usize>,
    /// The first state of each class, by canonical form.
    classes: HashMap<Vec<u32>, usize>,
    waiting: Vec<(usize, Vec<u32>)>,
}

impl<M: Machine> SpaceBuilder<'_, '_, M> {
    fn expand(&mut self, from: usize, state: Option<&[u32]>) {
        let found = choices(self.machine, state.map_or(Origin::Root, Origin::State), usize::MAX);
        self.space.is_cut |= !found.completeness.is_whole();
        if let (None, Some((name, error))) = (&self.space.missing, found.errors.first()) {
            self.space.missing = Some((name.clone(), error.message.clone()));
        }
        self.space.nodes[from].is_deadlock = found.list.is_empty() && found.completeness.is_whole();
        let mut known = HashSet::new();
        for step in found.list {
            let label = label(&step);
            let to = self.node(from, step.to);
            let edge = SpaceEdge { from, to, label, operation: step.name, is_permutation: false };
            if known.insert(edge.clone()) {
                self.space.edges.push(edge);
            }
        }
    }

    /// The node of a state, new if need be.
    fn node(&mut self, from: usize, state: Vec<u32>) -> usize {
        if let Some(known) = self.numbers.get(&state) {
            return *known;
        }
        let mut canonical = state.clone();
        if let Some(orbits) = &mut self.orbits {
            (orbits.represent)(&mut canonical);
        }
        let first = self.classes.get(&canonical).copied();
        if let (SpaceView::Quotient, Some(first)) = (self.view, first) {
            return first;
        }
        let depth = self.space.nodes[from].depth + 1;
        let node = self.push(state.clone(), depth, first.is_none());
        if first.is_none() {
            self.classes.insert(canonical, node);
        }
        self.waiting.push((node, state.clone()));
        if self.view == SpaceView::Flooded {
            self.add_permutations(node, &state, depth);
        }
        node
    }

    fn add_permutations(&mut self, node: usize, state: &[u32], depth: u32) {
        let members = self.orbits.as_mut().map(|orbits| (orbits.members)(state)).unwrap_or_default();
        for member in members.into_iter().skip(1) {
            let to = self.push(member, depth, false);
            let label = "permute".to_owned();
            let edge = SpaceEdge { from: node, to, operation: label.clone(), label, is_permutation: true };
            self.space.edges.push(edge);
        }
    }

    fn push(&mut self, state: Vec<u32>, depth: u32, is_representative: bool) -> usize {
        let values = self.machine.values(&state).into_iter().map(|value| (value.name, value.text)).collect();
        self.numbers.insert(state, self.space.nodes.len());
        self.space.nodes.push(SpaceNode { values, depth, is_representative, is_deadlock: false, is_violated: false });
        self.space.nodes.len() - 1
    }
}

/// A step as text: `operation(parameters) --> results`.
fn label(step: &Move) -> String {
    let values = |list: &[(String, String)]| -> Vec<String> { list.iter().map(|(_, text)| text.clone()).collect() };
    let (params, outputs) = (values(&step.params), values(&step.outputs));
    let params = if params.is_empty() { String::new() } else { format!("({})", params.join(",")) };
    let outputs = if outputs.is_empty() { String::new() } else { format!(" --> {}", outputs.join(",")) };
    format!("{}{params}{outputs}", step.name)
}

/// The graph of a state: vertices with what they stand for, and labelled edges.
#[derive(Clone, Debug)]
pub struct StateDiagram {
    pub vertices: Vec<Vertex>,
    /// From, to and label.
    pub edges: Vec<(u32, u32, String)>,
}

#[derive(Clone, Debug)]
pub struct Vertex {
    pub text: String,
    /// An interchangeable element; those of one block have one colour.
    pub block: Option<u32>,
}

/// The graph of the state with a number in breadth-first order, counted from 1; nothing if there are fewer states.
pub fn state_graph(model: &Model, config: &Config, number: u64, control: &mut dyn Control) -> Option<StateDiagram> {
    with_stack(|| state_graph_inner(model, config, number, control))
}

fn state_graph_inner(model: &Model, config: &Config, number: u64, control: &mut dyn Control) -> Option<StateDiagram> {
    let system = stack::system_of(judge(model, config.eval.clone()), config.system.clone());
    let group = symmetry_of(model, asked(config), &[], system.pinned()).group;
    let words = nth_state(&system, number, control)?;
    let graph = ValueGraph::new(&group, system.values_of(&words), true);
    let edges = graph.edges.iter().map(|edge| (edge.from, edge.to, label_text(model, edge.label))).collect();
    Some(StateDiagram { vertices: vertices(model, &group, &graph), edges })
}

fn vertices(model: &Model, group: &Group, graph: &ValueGraph) -> Vec<Vertex> {
    let text = |colour: &VertexColour| match colour {
        VertexColour::Root => "root".to_owned(),
        VertexColour::Atom(value) => value_text(model, value),
        VertexColour::Set => "{ }".to_owned(),
        VertexColour::Pair => "|->".to_owned(),
        VertexColour::Record(_) => "rec".to_owned(),
        VertexColour::Free(..) => "constructor".to_owned(),
        VertexColour::Formula(_) => "formula".to_owned(),
        VertexColour::Point(_) => String::new(),
    };
    let mut vertices: Vec<Vertex> =
        graph.colours.iter().map(|colour| Vertex { text: text(colour), block: None }).collect();
    for (point, vertex) in &graph.points {
        let (set, index) = group.element(*point);
        vertices[*vertex as usize] = Vertex {
            text: model.sets[abridge_model::SetId(set)].element_name(index).to_string(),
            block: Some(group.block_of(*point)),
        };
    }
    vertices
}

fn label_text(model: &Model, label: EdgeLabel) -> String {
    let name = |place: u32| {
        let constants = model.constants.values().map(|constant| constant.name.as_str());
        let variables = model.variables.values().map(|variable| variable.name.as_str());
        constants.chain(variables).nth(place as usize).unwrap_or("?").to_owned()
    };
    match label {
        EdgeLabel::Value(place) | EdgeLabel::Member(place) | EdgeLabel::Couple(place) => name(place),
        EdgeLabel::Inside => "el".to_owned(),
        EdgeLabel::Component(component) => format!("{}", component + 1),
    }
}
