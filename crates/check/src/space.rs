//! State spaces to look at: all states, the quotient, or what flooding makes of it; and the graph of one state.
//!
//! Small by nature, so everything is done by the plain interpreter, step by step with labels.

use std::collections::HashMap;

use abridge_eval::{val_text, value_text};
use abridge_explicit::{Explicit, judge};
use abridge_model::Model;
use abridge_reduce::symmetry::{
    Auto, AutoCanonizer, Canonizer as _, Colour, Flood, FloodCanonizer, Graph, Group, Label, Quotient as _, places,
    symmetry_of,
};
use abridge_system::Properties;

use crate::walk::{Move, Place, moves, state_texts};
use crate::{Config, Control, nth_state};

/// What to show of a state space.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum View {
    /// All states; one of each class is marked.
    Everything,
    /// One state of each class.
    Quotient,
    /// One state of each class is expanded; the others are there as its permutations.
    Flooded,
}

/// States and steps.
#[derive(Clone, Default, Debug)]
pub struct Space {
    pub nodes: Vec<SpaceNode>,
    pub edges: Vec<SpaceEdge>,
    /// There are more states.
    pub is_cut: bool,
}

#[derive(Clone, Debug)]
pub struct SpaceNode {
    /// Constants and variables with their values; nothing for the root.
    pub values: Vec<(String, String)>,
    /// The distance from the root.
    pub depth: u32,
    /// The first state that was met of its class.
    pub is_representative: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SpaceEdge {
    pub from: usize,
    pub to: usize,
    pub label: String,
    /// Leads to a permutation rather than to a successor.
    pub is_permutation: bool,
}

/// The states of a model, at most so many. Node 0 is the root.
pub fn space(model: &Model, config: &Config, view: View, max_nodes: usize) -> Space {
    let system = Explicit::new(judge(model, config.eval.clone()), config.system.clone());
    let asked = Properties { invariant: config.invariant, assertions: config.assertions, goal: config.goal };
    let group = symmetry_of(model, asked, system.pinned()).group;
    let (auto, flood) = (Auto::new(&system, group.clone()), Flood::new(&system, group));
    let mut builder = Builder {
        system: &system,
        view,
        auto: auto.judge(),
        flood: flood.canonizer(),
        space: Space::default(),
        numbers: HashMap::new(),
        classes: HashMap::new(),
        waiting: Vec::new(),
    };
    builder.space.nodes.push(SpaceNode { values: Vec::new(), depth: 0, is_representative: false });
    builder.expand(0, &Place::Start);
    let mut next = 0;
    while let Some((node, place)) = builder.waiting.get(next).cloned() {
        if builder.space.nodes.len() > max_nodes {
            builder.space.is_cut = true;
            break;
        }
        builder.expand(node, &place);
        next += 1;
    }
    builder.space
}

struct Builder<'a> {
    system: &'a Explicit<'a>,
    view: View,
    auto: AutoCanonizer<'a>,
    flood: FloodCanonizer<'a>,
    space: Space,
    numbers: HashMap<Vec<u32>, usize>,
    /// The first state of each class, by canonical form.
    classes: HashMap<Vec<u32>, usize>,
    waiting: Vec<(usize, Place)>,
}

impl Builder<'_> {
    fn expand(&mut self, from: usize, place: &Place) {
        for step in moves(self.system, place, usize::MAX).list {
            let Some(words) = step.to.words(self.system) else { continue };
            let to = self.node(from, words, &step.to);
            let edge = SpaceEdge { from, to, label: self.label(&step), is_permutation: false };
            if !self.space.edges.contains(&edge) {
                self.space.edges.push(edge);
            }
        }
    }

    fn label(&self, step: &Move) -> String {
        let model = self.system.model();
        let texts = |vals: Vec<String>| if vals.is_empty() { String::new() } else { format!("({})", vals.join(", ")) };
        let params = texts(step.params.iter().map(|val| val_text(model, val)).collect());
        let outputs: Vec<String> = step.outputs.iter().flatten().map(|val| val_text(model, val)).collect();
        let outputs = if outputs.is_empty() { String::new() } else { format!("{} <-- ", outputs.join(", ")) };
        format!("{outputs}{}{params}", step.name(model))
    }

    /// The node of a state, new if need be.
    fn node(&mut self, from: usize, words: Vec<u32>, place: &Place) -> usize {
        if let Some(known) = self.numbers.get(&words) {
            return *known;
        }
        let mut canonical = words.clone();
        self.auto.represent(&mut canonical);
        let first = self.classes.get(&canonical).copied();
        if let (View::Quotient, Some(first)) = (self.view, first) {
            return first;
        }
        let depth = self.space.nodes[from].depth + 1;
        let node = self.push(words.clone(), place, depth, first.is_none());
        if first.is_none() {
            self.classes.insert(canonical, node);
        }
        self.waiting.push((node, place.clone()));
        if self.view == View::Flooded {
            self.add_permutations(node, &words, depth);
        }
        node
    }

    fn add_permutations(&mut self, node: usize, words: &[u32], depth: u32) {
        for member in self.flood.members(words).into_iter().skip(1) {
            let place = Place::of_words(self.system, &member);
            let to = self.push(member.into_vec(), &place, depth, false);
            self.space.edges.push(SpaceEdge { from: node, to, label: "permute".to_owned(), is_permutation: true });
        }
    }

    fn push(&mut self, words: Vec<u32>, place: &Place, depth: u32, is_representative: bool) -> usize {
        let values = place.state().map(|state| state_texts(self.system.model(), state)).unwrap_or_default();
        self.numbers.insert(words, self.space.nodes.len());
        self.space.nodes.push(SpaceNode { values, depth, is_representative });
        self.space.nodes.len() - 1
    }
}

/// The graph of a state: vertices with what they stand for, and labelled edges.
#[derive(Clone, Debug)]
pub struct StateGraph {
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
pub fn state_graph(model: &Model, config: &Config, number: u64, control: &mut dyn Control) -> Option<StateGraph> {
    let system = Explicit::new(judge(model, config.eval.clone()), config.system.clone());
    let asked = Properties { invariant: config.invariant, assertions: config.assertions, goal: config.goal };
    let group = symmetry_of(model, asked, system.pinned()).group;
    let words = nth_state(&system, number, control)?.words(&system)?;
    let graph = Graph::new(&group, places(&system, &words), true);
    let edges = graph.edges.iter().map(|edge| (edge.from, edge.to, label_text(model, edge.label))).collect();
    Some(StateGraph { vertices: vertices(model, &group, &graph), edges })
}

fn vertices(model: &Model, group: &Group, graph: &Graph) -> Vec<Vertex> {
    let text = |colour: &Colour| match colour {
        Colour::Root => "root".to_owned(),
        Colour::Atom(value) => value_text(model, value),
        Colour::Set => "{ }".to_owned(),
        Colour::Pair => "|->".to_owned(),
        Colour::Record(_) => "rec".to_owned(),
        Colour::Free(..) => "constructor".to_owned(),
        Colour::Formula(_) => "formula".to_owned(),
        Colour::Point(_) => String::new(),
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

fn label_text(model: &Model, label: Label) -> String {
    let name = |place: u32| {
        let constants = model.constants.values().map(|constant| constant.name.as_str());
        let variables = model.variables.values().map(|variable| variable.name.as_str());
        constants.chain(variables).nth(place as usize).unwrap_or("?").to_owned()
    };
    match label {
        Label::Value(place) | Label::Member(place) | Label::Couple(place) => name(place),
        Label::Inside => "el".to_owned(),
        Label::Component(component) => format!("{}", component + 1),
    }
}
