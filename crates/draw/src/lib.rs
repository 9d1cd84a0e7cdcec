//! Drawings of directed graphs: DOT for other tools, SVG by a layered layout.
//!
//! A [`Drawing`] says what is to be seen; [`Drawing::picture`] finds the places, and [`Drawing::svg`] writes them. Labels contain text of models, so both writers escape it.
//!
//! What breaks if it is wrong: people read a state or a step off a picture that the machine does not have.

mod layout;
mod svg;
mod text;

use std::collections::HashMap;
use std::fmt::Write as _;

use abridge_diag::visible;

pub use crate::layout::{Picture, Rect, Route};
pub use crate::svg::xml;

/// A directed graph to be drawn.
#[derive(Default)]
pub struct Drawing {
    pub nodes: Vec<DrawnNode>,
    pub edges: Vec<DrawnEdge>,
}

#[derive(Default)]
pub struct DrawnNode {
    pub lines: Vec<String>,
    /// Row, counted from the top. A row that is too wide is broken into several.
    pub row: u32,
    pub has_double_border: bool,
    pub is_round: bool,
    /// Index into the palette.
    pub colour: Option<u32>,
    /// Something is wrong about it: drawn in a colour of its own.
    pub is_marked: bool,
}

pub struct DrawnEdge {
    pub from: usize,
    pub to: usize,
    pub label: String,
    pub is_dashed: bool,
}

const PALETTE: [&str; 6] = ["#cfe3f7", "#f9d9b4", "#d5efcf", "#f3d1e2", "#e7e2b0", "#d9d4f0"];

/// Fill of nodes about which something is wrong.
const MARK: &str = "#f4b6b0";

fn fill(node: &DrawnNode) -> &'static str {
    if node.is_marked {
        return MARK;
    }
    node.colour.map_or("#ffffff", |colour| PALETTE[colour as usize % PALETTE.len()])
}

/// Edges with equal ends, drawn as one.
struct Bundle<'d> {
    from: usize,
    to: usize,
    is_dashed: bool,
    labels: Vec<&'d str>,
}

impl Drawing {
    pub fn dot(&self) -> String {
        let mut out = "digraph {\n  node [shape=box, fontname=\"Helvetica\", style=filled, fillcolor=\"#ffffff\"];\n  edge [fontname=\"Helvetica\", fontsize=10];\n".to_owned();
        for (idx, node) in self.nodes.iter().enumerate() {
            let shape = if node.is_round { ", shape=ellipse" } else { "" };
            let border = if node.has_double_border { ", peripheries=2" } else { "" };
            let text = escaped(&node.lines.join("\n")).replace('\n', "\\n");
            let _ = writeln!(out, "  n{idx} [label=\"{text}\"{shape}{border}, fillcolor=\"{}\"];", fill(node));
        }
        for edge in &self.edges {
            let style = if edge.is_dashed { ", style=dashed" } else { "" };
            let _ = writeln!(out, "  n{} -> n{} [label=\"{}\"{style}];", edge.from, edge.to, escaped(&edge.label));
        }
        out.push_str("}\n");
        out
    }

    pub fn svg(&self) -> String {
        svg::page(self, &self.picture())
    }

    /// The places of boxes, labels and edges.
    pub fn picture(&self) -> Picture {
        layout::picture(self, &self.bundles())
    }

    fn bundles(&self) -> Vec<Bundle<'_>> {
        let mut places: HashMap<(usize, usize, bool), usize> = HashMap::new();
        let mut bundles: Vec<Bundle<'_>> = Vec::new();
        for edge in &self.edges {
            let place = *places.entry((edge.from, edge.to, edge.is_dashed)).or_insert_with(|| {
                bundles.push(Bundle { from: edge.from, to: edge.to, is_dashed: edge.is_dashed, labels: Vec::new() });
                bundles.len() - 1
            });
            bundles[place].labels.push(&edge.label);
        }
        bundles
    }
}

fn escaped(text: &str) -> String {
    visible(text).replace('\\', "\\\\").replace('"', "\\\"")
}
