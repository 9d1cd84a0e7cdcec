//! `abridge graph`: drawings of state spaces, symmetry quotients and single states.
//!
//! `check` yields a graph; this file maps it to nodes and edges of a [`Drawing`].

use std::path::{Path, PathBuf};
use std::time::Instant;

use abridge_check::{Space, SpaceNode, StateGraph, View, space, state_graph};
use abridge_sema::Options;
use clap::{Args, ValueEnum};

use crate::commands::{Compat, complain};
use crate::drawing::{Drawing, DrawnEdge, DrawnNode};
use crate::exit::Exit;
use crate::files::replace_file;
use crate::load::load;
use crate::out::{errln, out};
use crate::watch::{Interrupt, Watch, usual_budget};

#[derive(Args)]
pub(crate) struct GraphOptions {
    /// Follow the conventions of another tool where B leaves a choice
    #[arg(long, value_enum)]
    compat: Option<Compat>,
    /// Part of the state space to draw
    #[arg(long, value_enum, default_value = "off")]
    symmetry: Shown,
    /// Draw the N-th state in breadth-first order as a graph, instead of the state space
    #[arg(long, value_name = "N")]
    state: Option<u64>,
    /// Stop after N states
    #[arg(long, value_name = "N", default_value_t = 200)]
    max_states: usize,
    /// Output format [default: by the file name, else DOT]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Write to a file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Shown {
    /// All states; one representative per orbit has a double border
    Off,
    /// One representative per orbit
    Auto,
    /// One representative per orbit, with its permutations
    Flood,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Dot,
    Svg,
}

pub(crate) fn run(file: &Path, options: &GraphOptions, model_options: &Options) -> Exit {
    let model_options = &Compat::options(options.compat, model_options);
    let analysis = load(file, model_options);
    complain(&analysis.sources, &analysis.diagnostics);
    let Some(model) = &analysis.model else { return Exit::WrongModel };
    let config = Compat::config(options.compat, Some(file), usual_budget());
    let drawing = match options.state {
        Some(number) => {
            let mut watch = Watch::new(Instant::now(), None, None, true, Interrupt::new());
            let graph = state_graph(model, &config, number, &mut watch);
            watch.clear();
            let Some(graph) = graph else {
                errln!("error: no state {number}: the state space is smaller");
                return Exit::Usage;
            };
            draw_state(&graph)
        }
        None => {
            let view = match options.symmetry {
                Shown::Off => View::Everything,
                Shown::Auto => View::Quotient,
                Shown::Flood => View::Flooded,
            };
            let space = space(model, &config, view, options.max_states);
            if space.is_cut {
                errln!("warning: drawing cut at {} states (raise --max-states)", options.max_states);
            }
            draw_space(&space, view)
        }
    };
    write(&drawing, options)
}

fn write(drawing: &Drawing, options: &GraphOptions) -> Exit {
    let is_svg = |path: &PathBuf| path.extension().is_some_and(|end| end.eq_ignore_ascii_case("svg"));
    let by_name = if options.output.as_ref().is_some_and(is_svg) { Format::Svg } else { Format::Dot };
    let text = match options.format.unwrap_or(by_name) {
        Format::Dot => drawing.dot(),
        Format::Svg => drawing.svg(),
    };
    let Some(path) = &options.output else {
        out!("{text}");
        return Exit::Ok;
    };
    match replace_file(path, text) {
        Ok(()) => Exit::Ok,
        Err(error) => {
            errln!("error: cannot write `{}`: {error}", path.display());
            Exit::Usage
        }
    }
}

fn draw_space(space: &Space, view: View) -> Drawing {
    let lines = |idx: usize, node: &SpaceNode| match idx {
        0 => vec!["root".to_owned()],
        _ if node.values.is_empty() => vec!["no variables".to_owned()],
        _ => node.values.iter().map(|(name, value)| format!("{name} = {value}")).collect(),
    };
    let told = |node: &SpaceNode| {
        let faults = [(node.is_violated, "invariant violated"), (node.is_deadlock, "deadlock")];
        faults.into_iter().filter(|(is_told, _)| *is_told).map(|(_, text)| text.to_owned())
    };
    let node = |(idx, node): (usize, &SpaceNode)| DrawnNode {
        lines: lines(idx, node).into_iter().chain(told(node)).collect(),
        row: node.depth,
        // In a quotient, every state is a representative.
        has_double_border: node.is_representative && view != View::Quotient,
        is_round: idx == 0,
        colour: None,
        is_marked: node.is_violated || node.is_deadlock,
    };
    let edges = space.edges.iter().map(|edge| DrawnEdge {
        from: edge.from,
        to: edge.to,
        label: edge.label.clone(),
        is_dashed: edge.is_permutation,
    });
    Drawing { nodes: space.nodes.iter().enumerate().map(node).collect(), edges: edges.collect() }
}

fn draw_state(graph: &StateGraph) -> Drawing {
    let mut rows = vec![u32::MAX; graph.vertices.len()];
    rows[0] = 0;
    // The graph is acyclic, so one round per vertex suffices.
    for _ in 0..graph.vertices.len() {
        for (from, to, _) in &graph.edges {
            let next = rows[*from as usize].saturating_add(1);
            rows[*to as usize] = rows[*to as usize].min(next);
        }
    }
    let node = |(idx, vertex): (usize, &abridge_check::Vertex)| DrawnNode {
        lines: vec![vertex.text.clone()],
        row: if rows[idx] == u32::MAX { 1 } else { rows[idx] },
        has_double_border: false,
        is_round: true,
        colour: vertex.block,
        is_marked: false,
    };
    let edges = graph.edges.iter().map(|(from, to, label)| DrawnEdge {
        from: *from as usize,
        to: *to as usize,
        label: label.clone(),
        is_dashed: false,
    });
    Drawing { nodes: graph.vertices.iter().enumerate().map(node).collect(), edges: edges.collect() }
}
