//! Canonical labelling of graphs with coloured vertices and labelled edges (Algorithms 3.12 and 3.14 in Spermann's thesis, after
//! McKay), exactly: what is compared are the graphs themselves.
//!
//! An ordered partition of the vertices is refined until all vertices of a cell have the same labelled edges into each cell. Then the vertices
//! of the first smallest cell are tried as its first, one after the other. A leaf numbers the vertices; the least of the numbered graphs is
//! the canonical form. Leaves with the same numbered graph give automorphisms, which prune what they map to what was searched. Cells
//! whose vertices have the very same neighbours need no search.

use std::cmp::Ordering;

use super::graph::{EdgeLabel, GraphEdge, ValueGraph, VertexColour};
use super::term::mix2;

/// The position of each vertex in the canonical form.
pub fn canonical_labelling(graph: &ValueGraph) -> Vec<u32> {
    let mut labeller = Labeller::new(graph);
    let partition = labeller.initial();
    labeller.visit(partition, Ordering::Equal);
    labeller.best.map(|best| best.position).unwrap_or_default()
}

/// The graph with its vertices in the order of their positions: equal for isomorphic graphs and for no others.
pub fn numbered(graph: &ValueGraph, position: &[u32]) -> ValueGraph {
    let mut colours = graph.colours.clone();
    for (vertex, colour) in graph.colours.iter().enumerate() {
        colours[position[vertex] as usize] = colour.clone();
    }
    let mut points: Vec<(u32, u32)> = graph.points.clone();
    points.iter_mut().for_each(|(_, vertex)| *vertex = position[*vertex as usize]);
    ValueGraph { colours, edges: numbered_edges(&graph.edges, position), points }
}

fn numbered_edges(edges: &[GraphEdge], position: &[u32]) -> Vec<GraphEdge> {
    let at = |vertex: u32| position[vertex as usize];
    let mut edges: Vec<GraphEdge> =
        edges.iter().map(|edge| GraphEdge { from: at(edge.from), to: at(edge.to), label: edge.label }).collect();
    edges.sort_unstable();
    edges
}

/// An edge as seen from one of its ends: label, whether it leads away, and the other end.
type Half = (EdgeLabel, bool, u32);

struct Labeller<'g> {
    graph: &'g ValueGraph,
    /// Edges of each vertex, sorted.
    halves: Vec<Vec<Half>>,
    best: Option<LabelledLeaf>,
    /// What was met on the way to the current node, and which vertices were put first.
    trace: Vec<u64>,
    path: Vec<u32>,
    automorphisms: Vec<Vec<u32>>,
}

struct LabelledLeaf {
    trace: Vec<u64>,
    path: Vec<u32>,
    edges: Vec<GraphEdge>,
    position: Vec<u32>,
}

/// Vertices in order, and for each vertex where its cell starts.
#[derive(Clone)]
struct Partition {
    order: Vec<u32>,
    cell: Vec<u32>,
}

impl Partition {
    fn cells(&self) -> impl Iterator<Item = std::ops::Range<usize>> {
        let mut next = 0;
        std::iter::from_fn(move || {
            let start = next;
            let vertex = *self.order.get(start)?;
            let cell = self.cell[vertex as usize];
            let is_outside = |idx: &usize| self.cell[self.order[*idx] as usize] != cell;
            let end = (start..self.order.len()).find(is_outside).unwrap_or(self.order.len());
            next = end;
            Some(start..end)
        })
    }
}

/// A number for the contents of each vertex, equal for vertices that a symmetry maps to each other. Refinement would tell the levels of a deeply nested
/// value apart one round after the other.
fn contents(graph: &ValueGraph) -> Vec<u64> {
    let n_vertices = graph.colours.len();
    let is_nested = |edge: &&GraphEdge| matches!(edge.label, EdgeLabel::Inside | EdgeLabel::Component(_));
    let mut owners: Vec<Vec<GraphEdge>> = vec![Vec::new(); n_vertices];
    let mut n_waiting = vec![0_u32; n_vertices];
    for edge in graph.edges.iter().filter(is_nested) {
        owners[edge.to as usize].push(*edge);
        n_waiting[edge.from as usize] += 1;
    }
    let mut contents: Vec<u64> = graph.colours.iter().map(kind).collect();
    let mut ready: Vec<u32> = (0..n_vertices as u32).filter(|vertex| n_waiting[*vertex as usize] == 0).collect();
    while let Some(part) = ready.pop() {
        let number = mix2(contents[part as usize], 1);
        for edge in &owners[part as usize] {
            let position = if let EdgeLabel::Component(position) = edge.label { u64::from(position) + 1 } else { 0 };
            let owner = edge.from as usize;
            // A sum, since the parts of a set have no order.
            contents[owner] = contents[owner].wrapping_add(mix2(number, position));
            n_waiting[owner] -= 1;
            if n_waiting[owner] == 0 {
                ready.push(edge.from);
            }
        }
    }
    contents
}

/// A number for what a colour says about contents, without the value of an atom, which the colour compares.
fn kind(colour: &VertexColour) -> u64 {
    match colour {
        VertexColour::Root => 0,
        VertexColour::Point(block) => mix2(1, u64::from(*block)),
        VertexColour::Atom(_) => 2,
        VertexColour::Set => 3,
        VertexColour::Pair => 4,
        VertexColour::Record(shape) => mix2(5, u64::from(*shape)),
        VertexColour::Free(free_type, constructor) => mix2(6, mix2(u64::from(*free_type), u64::from(*constructor))),
        VertexColour::Formula(number) => mix2(7, *number),
    }
}

impl<'g> Labeller<'g> {
    fn new(graph: &'g ValueGraph) -> Self {
        let mut halves = vec![Vec::new(); graph.colours.len()];
        for edge in &graph.edges {
            halves[edge.from as usize].push((edge.label, true, edge.to));
            halves[edge.to as usize].push((edge.label, false, edge.from));
        }
        halves.iter_mut().for_each(|halves| halves.sort_unstable());
        Labeller { graph, halves, best: None, trace: Vec::new(), path: Vec::new(), automorphisms: Vec::new() }
    }

    /// Vertices by colour and by contents.
    fn initial(&self) -> Partition {
        let colours = &self.graph.colours;
        let contents = contents(self.graph);
        let look = |vertex: u32| (&colours[vertex as usize], contents[vertex as usize]);
        let mut order: Vec<u32> = (0..colours.len() as u32).collect();
        order.sort_by(|left, right| look(*left).cmp(&look(*right)));
        let mut cell = vec![0; colours.len()];
        let mut start = 0;
        for (idx, vertex) in order.iter().enumerate() {
            if idx > 0 && look(*vertex) != look(order[idx - 1]) {
                start = idx as u32;
            }
            cell[*vertex as usize] = start;
        }
        Partition { order, cell }
    }

    /// Splits cells until all vertices of a cell have the same edges into each cell; the number describes how cells were split.
    fn refine(&self, partition: &mut Partition) -> u64 {
        let mut number = 0;
        loop {
            let cells: Vec<std::ops::Range<usize>> = partition.cells().collect();
            let mut is_split = false;
            let mut next = partition.cell.clone();
            for cell in cells.into_iter().filter(|cell| cell.len() > 1) {
                let view = |vertex: u32| {
                    let at = |half: &Half| (half.0, half.1, partition.cell[half.2 as usize]);
                    let mut view: Vec<Half> = self.halves[vertex as usize].iter().map(at).collect();
                    view.sort_unstable();
                    view
                };
                let mut views: Vec<(Vec<Half>, u32)> =
                    partition.order[cell.clone()].iter().map(|vertex| (view(*vertex), *vertex)).collect();
                views.sort_unstable();
                let mut start = cell.start;
                for (idx, (view, vertex)) in views.iter().enumerate() {
                    if idx > 0 && *view != views[idx - 1].0 {
                        start = cell.start + idx;
                        is_split = true;
                        number = mix2(number, start as u64);
                    }
                    next[*vertex as usize] = start as u32;
                }
                for (place, (_, vertex)) in partition.order[cell].iter_mut().zip(views) {
                    *place = vertex;
                }
            }
            partition.cell = next;
            if !is_split {
                return number;
            }
        }
    }

    /// The smallest cell that needs a search.
    fn open_cell(&self, partition: &Partition) -> Option<std::ops::Range<usize>> {
        let is_open = |cell: &std::ops::Range<usize>| {
            let cell = &partition.order[cell.clone()];
            cell.iter().any(|vertex| self.halves[*vertex as usize] != self.halves[cell[0] as usize])
        };
        partition.cells().filter(|cell| cell.len() > 1).filter(is_open).min_by_key(|cell| cell.len())
    }

    fn visit(&mut self, mut partition: Partition, mut compared: Ordering) -> Option<usize> {
        let number = self.refine(&mut partition);
        if let (Ordering::Equal, Some(best)) = (compared, &self.best) {
            compared = number.cmp(&best.trace.get(self.trace.len()).copied().unwrap_or(0));
            if compared == Ordering::Greater {
                return None;
            }
        }
        self.trace.push(number);
        let jump = match self.open_cell(&partition) {
            Some(cell) => self.branch(&partition, cell, compared),
            None => self.leaf(&partition, compared),
        };
        self.trace.pop();
        jump
    }

    fn branch(&mut self, partition: &Partition, cell: std::ops::Range<usize>, mut compared: Ordering) -> Option<usize> {
        let depth = self.path.len();
        let mut tried: Vec<u32> = Vec::new();
        for idx in cell.clone() {
            let vertex = partition.order[idx];
            if self.is_known(vertex, &tried, &partition.order[cell.clone()]) {
                continue;
            }
            tried.push(vertex);
            let mut next = partition.clone();
            next.order.swap(cell.start, idx);
            for other in &next.order[cell.start + 1..cell.end] {
                next.cell[*other as usize] = cell.start as u32 + 1;
            }
            self.path.push(vertex);
            let jump = self.visit(next, compared);
            self.path.pop();
            if jump.is_some_and(|to| to < depth) {
                return jump;
            }
            compared = Ordering::Equal;
        }
        None
    }

    /// Whether a symmetry of the graph that keeps the path maps a vertex that was tried to this one.
    fn is_known(&self, vertex: u32, tried: &[u32], cell: &[u32]) -> bool {
        if tried.is_empty() {
            return false;
        }
        let mut orbits = super::search::JoinedPoints::new(self.halves.len());
        for automorphism in &self.automorphisms {
            if self.path.iter().all(|kept| automorphism[*kept as usize] == *kept) {
                (0..).zip(automorphism).for_each(|(from, to)| orbits.join(from, *to));
            }
        }
        for (idx, one) in cell.iter().enumerate() {
            let alike = |other: &&u32| self.halves[**other as usize] == self.halves[*one as usize];
            if let Some(twin) = cell[..idx].iter().find(alike) {
                orbits.join(*twin, *one);
            }
        }
        let class = orbits.find(vertex);
        tried.iter().any(|other| orbits.find(*other) == class)
    }

    fn leaf(&mut self, partition: &Partition, compared: Ordering) -> Option<usize> {
        let mut position = vec![0; partition.order.len()];
        (0..).zip(&partition.order).for_each(|(place, vertex)| position[*vertex as usize] = place);
        let edges = numbered_edges(&self.graph.edges, &position);
        let compared = match &self.best {
            Some(best) => compared.then_with(|| (self.trace.len(), &edges).cmp(&(best.trace.len(), &best.edges))),
            None => Ordering::Less,
        };
        match (compared, &self.best) {
            (Ordering::Less, _) => {
                self.best = Some(LabelledLeaf { trace: self.trace.clone(), path: self.path.clone(), edges, position });
                None
            }
            (Ordering::Equal, Some(best)) => {
                let mut automorphism = vec![0; position.len()];
                let mut inverse = vec![0; position.len()];
                (0..).zip(&position).for_each(|(vertex, place)| inverse[*place as usize] = vertex);
                for (vertex, place) in best.position.iter().enumerate() {
                    automorphism[vertex] = inverse[*place as usize];
                }
                let common = best.path.iter().zip(&self.path).take_while(|(left, right)| left == right).count();
                self.automorphisms.push(automorphism);
                Some(common)
            }
            _ => None,
        }
    }
}
