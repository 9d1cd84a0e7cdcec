//! `abridge graph`: drawings of state spaces, symmetry quotients, projections and single states.
//!
//! `check` yields a graph; this file maps it to nodes and edges of a [`Drawing`].

use std::path::{Path, PathBuf};
use std::time::Instant;

use abridge_check::{SpaceNode, SpaceView, StateDiagram, StateSpace, projection, space, state_graph};
use abridge_sema::{FormulaBody, FormulaRole, FormulaText, Options};
use clap::{Args, ValueEnum};

use crate::commands::{Compat, complain};
use crate::exit::Exit;
use crate::files::replace_file;
use crate::load::{load, load_with};
use crate::out::{errln, out};
use crate::text::io_text;
use crate::watch::{Interrupt, Watch, usual_budget};
use abridge_draw::{Drawing, DrawnEdge, DrawnNode};

#[derive(Args)]
pub(crate) struct GraphOptions {
    /// Follow the conventions of another tool where B leaves a choice
    #[arg(long, value_enum)]
    compat: Option<Compat>,
    /// Part of the state space to draw
    #[arg(long, value_enum, default_value = "off")]
    symmetry: GraphContent,
    /// Draw the N-th state in breadth-first order as a graph, instead of the state space
    #[arg(long, value_name = "N")]
    state: Option<u64>,
    /// Join states that agree on the value of a formula, which the node shows with the number of its states (repeatable)
    #[arg(long, value_name = "FORMULA", conflicts_with_all = ["symmetry", "state"])]
    project: Vec<String>,
    /// Stop after N states [default: 200, or 10000 with --project]
    #[arg(long, value_name = "N")]
    max_states: Option<usize>,
    /// Output format [default: by the file name, else DOT]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Write to a file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum GraphContent {
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

impl GraphOptions {
    fn max_states(&self) -> usize {
        self.max_states.unwrap_or(if self.project.is_empty() { 200 } else { 10_000 })
    }

    fn tell_cut(&self, space: &StateSpace) {
        if let Some((name, why)) = &space.missing {
            errln!("warning: steps are missing: {name} could not be evaluated: {why}");
        } else if space.is_cut {
            errln!("warning: drawing cut at {} states (raise --max-states)", self.max_states());
        }
    }
}

pub(crate) fn run(file: &Path, options: &GraphOptions, model_options: &Options) -> Exit {
    let model_options = &Compat::options(options.compat, model_options);
    if !options.project.is_empty() {
        return project(file, options, model_options);
    }
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
                GraphContent::Off => SpaceView::Everything,
                GraphContent::Auto => SpaceView::Quotient,
                GraphContent::Flood => SpaceView::Flooded,
            };
            let space = space(model, &config, view, options.max_states());
            options.tell_cut(&space);
            draw_space(&space, view)
        }
    };
    write(&drawing, options)
}

/// Draws the state space with states joined by the values of formulas.
fn project(file: &Path, options: &GraphOptions, model_options: &Options) -> Exit {
    let text =
        |text: &String| FormulaText { source: "<formula>".to_owned(), text: text.clone(), role: FormulaRole::Any };
    let texts: Vec<FormulaText> = options.project.iter().map(text).collect();
    let analysis = load_with(Some(file), &texts, model_options);
    complain(&analysis.sources, &analysis.relevant());
    let Some(model) = analysis.model.as_ref().filter(|_| analysis.formulas.len() == texts.len()) else {
        return Exit::WrongModel;
    };
    if let Some((text, _)) = options.project.iter().zip(&analysis.formulas).find(|(_, one)| !one.free.is_empty()) {
        errln!("error: `{text}` has names that the machine does not declare");
        return Exit::Usage;
    }
    let bodies = analysis.formulas.iter().map(|formula| formula.body);
    let formulas: Vec<(String, FormulaBody)> = options.project.iter().cloned().zip(bodies).collect();
    let config = Compat::config(options.compat, Some(file), usual_budget());
    let space = projection(model, &config, &formulas, options.max_states());
    options.tell_cut(&space);
    // Every node stands for many states, so that no border is needed to tell one of them.
    write(&draw_space(&space, SpaceView::Quotient), options)
}

fn write(drawing: &Drawing, options: &GraphOptions) -> Exit {
    let is_svg = |path: &PathBuf| path.extension().is_some_and(|end| end.eq_ignore_ascii_case("svg"));
    let by_name = if options.output.as_ref().is_some_and(is_svg) { Format::Svg } else { Format::Dot };
    let text = match options.format.unwrap_or(by_name) {
        Format::Dot => drawing.dot(),
        Format::Svg => drawing.svg(),
    };
    // A picture of another kind under such a name could not be opened.
    const OTHER_KINDS: [&str; 8] = ["png", "jpg", "jpeg", "gif", "pdf", "ps", "eps", "html"];
    let end = options.output.as_ref().and_then(|path| path.extension()).map(|end| end.to_string_lossy().to_lowercase());
    if let Some(end) = end.filter(|end| options.format.is_none() && OTHER_KINDS.contains(&end.as_str())) {
        errln!("error: pictures are written as .svg and .dot, not as .{end}; `dot -T{end}` makes one of a .dot file");
        return Exit::Usage;
    }
    let Some(path) = &options.output else {
        out!("{text}");
        return Exit::Ok;
    };
    match replace_file(path, text) {
        Ok(()) => Exit::Ok,
        Err(error) => {
            errln!("error: cannot write `{}`: {}", path.display(), io_text(&error));
            Exit::Usage
        }
    }
}

fn draw_space(space: &StateSpace, view: SpaceView) -> Drawing {
    // In a quotient, and without symmetry, every state is a representative, and a border would tell nothing.
    let has_orbits = view != SpaceView::Quotient && space.nodes.iter().skip(1).any(|node| !node.is_representative);
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
        has_double_border: node.is_representative && has_orbits,
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

fn draw_state(graph: &StateDiagram) -> Drawing {
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
