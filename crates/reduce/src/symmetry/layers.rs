//! A graph with labelled edges as one whose edges are plain (section 3.4 of Spermann's thesis, Definitions 3.16 to 3.18).
//!
//! Each vertex becomes a column of vertices, one per layer, with the colour of the vertex and the layer, joined from layer to layer. The thesis
//! uses a layer per label; here labels are numbers, and an edge runs in the layers of the bits of its number (the future work of the
//! thesis, and the nauty manual), so that k labels need log2(k + 1) layers. Several edges between two vertices count as one whose label is the
//! set of theirs. Graphs are isomorphic if and only if their layered graphs are and the numbers mean the same (Propositions 3.19 and
//! 3.23).

use std::collections::BTreeMap;

use super::graph::{EdgeLabel, ValueGraph, VertexColour};

/// A graph with coloured vertices and plain directed edges. Vertex `v` of layer `l` is `l * width + v`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layered {
    /// The number of vertices in a layer.
    pub width: usize,
    pub n_layers: usize,
    /// For each vertex of a layer the number of its colour, in the order of colours.
    pub colours: Vec<u32>,
    pub edges: Vec<(u32, u32)>,
    /// What the numbers of labels mean, from 1.
    pub labels: Vec<Vec<EdgeLabel>>,
    /// What the numbers of colours mean.
    pub palette: Vec<VertexColour>,
}

impl Layered {
    pub fn new(graph: &ValueGraph) -> Layered {
        let mut between: BTreeMap<(u32, u32), Vec<EdgeLabel>> = BTreeMap::new();
        for edge in &graph.edges {
            between.entry((edge.from, edge.to)).or_default().push(edge.label);
        }
        between.values_mut().for_each(|labels| labels.sort_unstable());
        let mut labels: Vec<Vec<EdgeLabel>> = between.values().cloned().collect();
        labels.sort_unstable();
        labels.dedup();
        let width = graph.colours.len();
        let n_layers = (labels.len().max(1).ilog2() + 1) as usize;
        let mut edges = Vec::new();
        for ((from, to), set) in &between {
            let number = labels.binary_search(set).map_or(0, |idx| idx + 1);
            for layer in (0..n_layers).filter(|layer| number >> layer & 1 == 1) {
                let offset = (layer * width) as u32;
                edges.push((from + offset, to + offset));
            }
        }
        for vertex in 0..(width * (n_layers - 1)) as u32 {
            edges.push((vertex, vertex + width as u32));
            edges.push((vertex + width as u32, vertex));
        }
        edges.sort_unstable();
        let mut palette = graph.colours.clone();
        palette.sort_unstable();
        palette.dedup();
        let number = |colour| palette.binary_search(colour).unwrap_or(0) as u32;
        let colours = graph.colours.iter().map(number).collect();
        Layered { width, n_layers, colours, edges, labels, palette }
    }
}
