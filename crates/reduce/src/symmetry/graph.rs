//! The graph of a state (Algorithms 2.29 to 2.34 in Spermann's thesis).
//!
//! Vertices are coloured and edges are labelled. Each point that occurs is a vertex with the colour of its block; each value without points
//! is a vertex whose colour is the value; whatever else is nested in a value is a vertex of its own, coloured by the structure it
//! comes from, with edges to its parts. Sets and relations that are values of constants and variables have no vertex: their members hang
//! on the root, and couples are edges. Two states are symmetric if and only if their graphs are isomorphic (Theorem 2.35).
//!
//! Departs from the thesis: equal values inside one state share a vertex, and intermediate vertices have more than one colour.

use std::borrow::Borrow;
use std::hash::BuildHasher as _;

use abridge_eval::Val;
use abridge_value::Value;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::group::Group;

/// What a vertex stands for. The order of colours is part of the canonical form.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum VertexColour {
    Root,
    /// An element that moves, by its block.
    Point(u32),
    /// A value without points.
    Atom(Value),
    Set,
    Pair,
    /// A record, by its type.
    Record(u32),
    /// A value of a freetype, by type and constructor.
    Free(u32, u32),
    /// A set that is kept as a formula, by the formula without the values in it.
    Formula(u64),
}

/// What an edge stands for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum EdgeLabel {
    /// From the root to the value of a place.
    Value(u32),
    /// From the root to a member of the set at a place.
    Member(u32),
    /// From the left to the right side of a couple in the relation at a place.
    Couple(u32),
    /// From a nested set to a member.
    Inside,
    /// From a nested tuple to a component.
    Component(u32),
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct GraphEdge {
    pub from: u32,
    pub to: u32,
    pub label: EdgeLabel,
}

/// The graph of a state. Vertex 0 is the root.
#[derive(Clone, Debug)]
pub struct ValueGraph {
    pub colours: Vec<VertexColour>,
    pub edges: Vec<GraphEdge>,
    /// Points that occur, with their vertices.
    pub points: Vec<(u32, u32)>,
}

impl ValueGraph {
    /// The graph of values at numbered places; places without points are left out unless all are asked for.
    pub fn new<V: Borrow<Val>>(group: &Group, vals: impl Iterator<Item = (u32, V)>, all: bool) -> ValueGraph {
        let graph = ValueGraph { colours: vec![VertexColour::Root], edges: Vec::new(), points: Vec::new() };
        let (atoms, nested) = (FxHashMap::default(), FxHashMap::default());
        let mut builder = GraphBuilder { group, graph, points: FxHashMap::default(), atoms, nested };
        for (place, val) in vals {
            builder.place(place, val.borrow(), all);
        }
        builder.graph
    }

    /// The points of all blocks in the order of their vertices; those that do not occur come last in their block.
    pub(super) fn order(&self, group: &Group, position: &[u32]) -> Vec<u32> {
        let mut places = vec![u32::MAX; group.n_points()];
        for (point, vertex) in &self.points {
            places[*point as usize] = position[*vertex as usize];
        }
        let mut order = group.identity();
        for range in group.ranges() {
            order[range.start as usize..range.end as usize].sort_by_key(|point| places[*point as usize]);
        }
        order
    }
}

/// Vertices are found by what they stand for, a nested value by the vertices of its parts: a table of values would hash whatever is inside at every
/// level.
struct GraphBuilder<'g> {
    group: &'g Group,
    graph: ValueGraph,
    points: FxHashMap<u32, u32>,
    atoms: FxHashMap<Value, u32>,
    nested: FxHashMap<(Structure, Box<[u32]>), u32>,
}

/// The structure of a nested value with points.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Structure {
    Set,
    Pair,
    Record(u32),
    Free(u32, u32),
}

impl Structure {
    fn of(value: &Value) -> Option<Structure> {
        match value {
            Value::Set(_) => Some(Structure::Set),
            Value::Pair(_) => Some(Structure::Pair),
            Value::Record(record) => Some(Structure::Record(record.shape())),
            Value::Free(free) => Some(Structure::Free(free.free_type(), free.constructor())),
            _ => None,
        }
    }

    fn colour(self) -> VertexColour {
        match self {
            Structure::Set => VertexColour::Set,
            Structure::Pair => VertexColour::Pair,
            Structure::Record(shape) => VertexColour::Record(shape),
            Structure::Free(free_type, constructor) => VertexColour::Free(free_type, constructor),
        }
    }
}

impl GraphBuilder<'_> {
    fn place(&mut self, place: u32, val: &Val, all: bool) {
        let Val::Value(value) = val else {
            return self.formula(place, val, all);
        };
        if !all && !self.has_points(value) {
            return;
        }
        match value {
            Value::Set(set) if !set.is_empty() && self.has_points(value) => {
                for member in set.iter() {
                    if let Some((left, right)) = member.as_pair() {
                        let (from, to) = (self.vertex(left), self.vertex(right));
                        self.graph.edges.push(GraphEdge { from, to, label: EdgeLabel::Couple(place) });
                    } else {
                        let to = self.vertex(&member);
                        self.graph.edges.push(GraphEdge { from: 0, to, label: EdgeLabel::Member(place) });
                    }
                }
            }
            _ => {
                let to = self.vertex(value);
                self.graph.edges.push(GraphEdge { from: 0, to, label: EdgeLabel::Value(place) });
            }
        }
    }

    fn formula(&mut self, place: u32, val: &Val, all: bool) {
        let mut leaves = Vec::new();
        val.for_each_leaf(&mut |leaf| leaves.push(leaf.clone()));
        if !all && !leaves.iter().any(|leaf| self.has_points(leaf)) {
            return;
        }
        let blank = val.map_leaves(&mut |_| Some(Value::Bool(false)));
        let formula = FxBuildHasher.hash_one(blank.as_ref().unwrap_or(val));
        let vertex = self.push(VertexColour::Formula(formula));
        self.graph.edges.push(GraphEdge { from: 0, to: vertex, label: EdgeLabel::Value(place) });
        for (component, leaf) in (0..).zip(&leaves) {
            let to = self.vertex(leaf);
            self.graph.edges.push(GraphEdge { from: vertex, to, label: EdgeLabel::Component(component) });
        }
    }

    fn has_points(&self, value: &Value) -> bool {
        match value {
            Value::Element { set, index } => self.group.point(*set, *index).is_some(),
            _ => {
                let mut found = false;
                for_each_part(value, &mut |_, part| found = found || self.has_points(part));
                found
            }
        }
    }

    fn push(&mut self, colour: VertexColour) -> u32 {
        self.graph.colours.push(colour);
        self.graph.colours.len() as u32 - 1
    }

    fn vertex(&mut self, value: &Value) -> u32 {
        self.vertex_with_points(value).unwrap_or_else(|| self.atom(value))
    }

    fn atom(&mut self, value: &Value) -> u32 {
        if let Some(vertex) = self.atoms.get(value) {
            return *vertex;
        }
        let vertex = self.push(VertexColour::Atom(value.clone()));
        self.atoms.insert(value.clone(), vertex);
        vertex
    }

    /// The vertex of a value, if it has points.
    fn vertex_with_points(&mut self, value: &Value) -> Option<u32> {
        if let Value::Element { set, index } = value {
            return self.group.point(*set, *index).map(|point| self.point(point));
        }
        let structure = Structure::of(value)?;
        let mut parts: Vec<(EdgeLabel, Value, Option<u32>)> = Vec::new();
        for_each_part(value, &mut |component, part| {
            let label = component.map_or(EdgeLabel::Inside, EdgeLabel::Component);
            parts.push((label, part.clone(), self.vertex_with_points(part)));
        });
        if parts.iter().all(|(_, _, vertex)| vertex.is_none()) {
            return None;
        }
        let parts = parts.into_iter().map(|(label, part, vertex)| (label, vertex.unwrap_or_else(|| self.atom(&part))));
        let (labels, vertices): (Vec<EdgeLabel>, Vec<u32>) = parts.unzip();
        let key = (structure, vertices.clone().into_boxed_slice());
        if let Some(known) = self.nested.get(&key) {
            return Some(*known);
        }
        let from = self.push(structure.colour());
        self.nested.insert(key, from);
        let edges = labels.into_iter().zip(vertices).map(|(label, to)| GraphEdge { from, to, label });
        self.graph.edges.extend(edges);
        Some(from)
    }

    fn point(&mut self, point: u32) -> u32 {
        if let Some(vertex) = self.points.get(&point) {
            return *vertex;
        }
        let vertex = self.push(VertexColour::Point(self.group.block_of(point)));
        self.graph.points.push((point, vertex));
        self.points.insert(point, vertex);
        vertex
    }
}

/// Members of a set, or components with their positions.
fn for_each_part(value: &Value, visit: &mut dyn FnMut(Option<u32>, &Value)) {
    match value {
        Value::Pair(pair) => {
            visit(Some(0), &pair.0);
            visit(Some(1), &pair.1);
        }
        Value::Record(record) => (0..).zip(record.fields()).for_each(|(idx, field)| visit(Some(idx), field)),
        Value::Free(free) => {
            if let Some(arg) = free.arg() {
                abridge_diag::with_stack(|| visit(Some(0), arg));
            }
        }
        // Numbers and booleans have no parts of interest, and there may be very many of them.
        Value::Set(set) if !matches!(set.first(), Some(Value::Int(_) | Value::BigInt(_) | Value::Bool(_))) => {
            set.iter().for_each(|member| visit(None, &member));
        }
        _ => {}
    }
}
