//! Graph drawings: DOT for other tools, SVG by a layered layout.
//!
//! Labels contain text of the model, so both writers must escape it.

use std::fmt::Write as _;

use abridge_diag::visible;

/// A directed graph to be drawn.
#[derive(Default)]
pub(crate) struct Drawing {
    pub(crate) nodes: Vec<DrawnNode>,
    pub(crate) edges: Vec<DrawnEdge>,
}

#[derive(Default)]
pub(crate) struct DrawnNode {
    pub(crate) lines: Vec<String>,
    /// Row, counted from the top.
    pub(crate) row: u32,
    pub(crate) has_double_border: bool,
    pub(crate) is_round: bool,
    /// Index into the palette.
    pub(crate) colour: Option<u32>,
    /// Something is wrong about it: drawn in a colour of its own.
    pub(crate) is_marked: bool,
}

pub(crate) struct DrawnEdge {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) label: String,
    pub(crate) is_dashed: bool,
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

impl Drawing {
    pub(crate) fn dot(&self) -> String {
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

    pub(crate) fn svg(&self) -> String {
        let layout = Layout::new(self);
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0}\" height=\"{1:.0}\" viewBox=\"0 0 {0:.0} {1:.0}\" font-family=\"Helvetica, sans-serif\" font-size=\"12\">\n",
            layout.width, layout.height
        );
        out.push_str("<defs><marker id=\"arrow\" viewBox=\"0 0 10 10\" refX=\"10\" refY=\"5\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto-start-reverse\"><path d=\"M0 0L10 5L0 10z\"/></marker></defs>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
        for (edge, labels) in self.joined() {
            layout.draw_edge(&mut out, edge, &labels);
        }
        for (idx, node) in self.nodes.iter().enumerate() {
            layout.draw_node(&mut out, idx, node);
        }
        out.push_str("</svg>\n");
        out
    }

    /// Edges with equal end points merged, with all their labels.
    fn joined(&self) -> Vec<(&DrawnEdge, Vec<&str>)> {
        let mut joined: Vec<(&DrawnEdge, Vec<&str>)> = Vec::new();
        for edge in &self.edges {
            let same = |(other, _): &&mut (&DrawnEdge, Vec<&str>)| {
                (other.from, other.to, other.is_dashed) == (edge.from, edge.to, edge.is_dashed)
            };
            match joined.iter_mut().find(same) {
                Some((_, labels)) => labels.push(&edge.label),
                None => joined.push((edge, vec![&edge.label])),
            }
        }
        joined
    }
}

fn escaped(text: &str) -> String {
    visible(text).replace('\\', "\\\\").replace('"', "\\\"")
}

/// Text of a model inside XML.
pub(crate) fn xml(text: &str) -> String {
    visible(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Positions of nodes: rows from top to bottom, each ordered so that neighbours are close.
struct Layout {
    boxes: Vec<Rect>,
    width: f64,
    height: f64,
}

#[derive(Clone, Copy, Default)]
struct Rect {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

impl Rect {
    fn centre(self) -> (f64, f64) {
        (self.x + self.width / 2.0, self.y + self.height / 2.0)
    }

    /// The point at which the line from the centre to `towards` crosses the border.
    fn border(self, towards: (f64, f64)) -> (f64, f64) {
        let (x, y) = self.centre();
        let (dx, dy) = (towards.0 - x, towards.1 - y);
        let reach = (dx.abs() / (self.width / 2.0)).max(dy.abs() / (self.height / 2.0));
        if reach < 1e-9 { (x, y) } else { (x + dx / reach, y + dy / reach) }
    }
}

const LINE: f64 = 15.0;
const MARGIN: f64 = 24.0;
const GAP: f64 = 36.0;
const ROW_GAP: f64 = 90.0;

impl Layout {
    fn new(drawing: &Drawing) -> Layout {
        let mut boxes: Vec<Rect> = drawing.nodes.iter().map(size).collect();
        let rows = ordered_rows(drawing);
        let rooms: Vec<f64> = (0..boxes.len()).map(|node| loop_room(drawing, node)).collect();
        let row_width = |row: &Vec<usize>, boxes: &[Rect]| -> f64 {
            let of_nodes = row.iter().map(|node| boxes[*node].width + rooms[*node]).sum::<f64>();
            of_nodes + GAP * row.len().saturating_sub(1) as f64
        };
        let widest = rows.iter().map(|row| row_width(row, &boxes)).fold(0.0, f64::max);
        let mut y = MARGIN;
        for row in &rows {
            let mut x = MARGIN + (widest - row_width(row, &boxes)) / 2.0;
            let height = row.iter().map(|node| boxes[*node].height).fold(0.0, f64::max);
            for node in row {
                boxes[*node].x = x;
                boxes[*node].y = y + (height - boxes[*node].height) / 2.0;
                x += boxes[*node].width + rooms[*node] + GAP;
            }
            y += height + ROW_GAP;
        }
        // Room on the right for loops.
        Layout { boxes, width: widest + 2.0 * MARGIN + 80.0, height: y - ROW_GAP + MARGIN }
    }

    fn draw_node(&self, out: &mut String, idx: usize, node: &DrawnNode) {
        let rect = self.boxes[idx];
        let radius = if node.is_round { rect.height / 2.0 } else { 3.0 };
        let mut frame = |inset: f64, fill: &str| {
            let _ = writeln!(
                out,
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"{radius:.1}\" fill=\"{fill}\" stroke=\"#000000\"/>",
                rect.x + inset,
                rect.y + inset,
                rect.width - 2.0 * inset,
                rect.height - 2.0 * inset
            );
        };
        frame(0.0, fill(node));
        if node.has_double_border {
            frame(3.0, "none");
        }
        let (x, _) = rect.centre();
        for (line, text) in node.lines.iter().enumerate() {
            let y = rect.y + 8.0 + LINE * (line as f64 + 0.8);
            let _ = writeln!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{}</text>", xml(text));
        }
    }

    fn draw_edge(&self, out: &mut String, edge: &DrawnEdge, labels: &[&str]) {
        let (from, to) = (self.boxes[edge.from], self.boxes[edge.to]);
        let (path, mut at) = if edge.from == edge.to { loop_path(from) } else { curve(from, to, edge.from < edge.to) };
        if edge.from == edge.to {
            at.0 += labels.iter().map(|label| beyond_loop(label)).fold(0.0, f64::max) / 2.0;
        }
        let dash = if edge.is_dashed { " stroke-dasharray=\"5 4\"" } else { "" };
        let _ = writeln!(out, "<path d=\"{path}\" fill=\"none\" stroke=\"#555555\"{dash} marker-end=\"url(#arrow)\"/>");
        for (line, label) in labels.iter().enumerate() {
            let y = at.1 + 11.0 * line as f64;
            let _ = writeln!(
                out,
                "<text x=\"{:.1}\" y=\"{y:.1}\" font-size=\"10\" text-anchor=\"middle\" fill=\"#333333\" stroke=\"#ffffff\" stroke-width=\"3\" paint-order=\"stroke\">{}</text>",
                at.0,
                xml(label)
            );
        }
    }
}

/// Width of a character of an edge's label, and of the labels beside a loop that need no further room.
const LABEL_CHARACTER: f64 = 5.5;
const LOOP_LABEL: f64 = 44.0;

/// Room that the label of a loop needs beyond the usual.
fn beyond_loop(label: &str) -> f64 {
    (label.chars().count() as f64 * LABEL_CHARACTER - LOOP_LABEL).max(0.0)
}

/// Room that long labels of loops at a node need before the next node.
fn loop_room(drawing: &Drawing, node: usize) -> f64 {
    let loops = drawing.edges.iter().filter(|edge| edge.from == node && edge.to == node);
    let beyond = loops.map(|edge| beyond_loop(&edge.label)).fold(0.0, f64::max);
    if beyond > 0.0 { beyond + LOOP_LABEL } else { 0.0 }
}

fn size(node: &DrawnNode) -> Rect {
    let longest = node.lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
    Rect {
        width: (longest as f64 * 7.0 + 20.0).max(36.0),
        height: node.lines.len().max(1) as f64 * LINE + 16.0,
        ..Rect::default()
    }
}

/// The nodes of each row, ordered by the mean position of their neighbours in the row above.
fn ordered_rows(drawing: &Drawing) -> Vec<Vec<usize>> {
    let n_rows = drawing.nodes.iter().map(|node| node.row as usize + 1).max().unwrap_or(0);
    let mut rows: Vec<Vec<usize>> = vec![Vec::new(); n_rows];
    for (idx, node) in drawing.nodes.iter().enumerate() {
        rows[node.row as usize].push(idx);
    }
    let mut place = vec![0.0; drawing.nodes.len()];
    for row in &mut rows {
        let middle = |node: usize| {
            let neighbours = drawing.edges.iter().filter_map(|edge| match (edge.from, edge.to) {
                (from, to) if to == node && drawing.nodes[from].row < drawing.nodes[node].row => Some(place[from]),
                (from, to) if from == node && drawing.nodes[to].row < drawing.nodes[node].row => Some(place[to]),
                _ => None,
            });
            let (sum, count) = neighbours.fold((0.0, 0.0), |(sum, count), place| (sum + place, count + 1.0));
            if count == 0.0 { 0.5 } else { sum / count }
        };
        let mut middles: Vec<(f64, usize)> = row.iter().map(|node| (middle(*node), *node)).collect();
        middles.sort_by(|left, right| left.0.total_cmp(&right.0).then(left.1.cmp(&right.1)));
        let n_nodes = row.len() as f64;
        for (idx, (slot, (_, node))) in row.iter_mut().zip(middles).enumerate() {
            *slot = node;
            place[node] = (idx as f64 + 0.5) / n_nodes;
        }
    }
    rows
}

/// A curve between two boxes and the position of its label. It bends to one side, so that opposite edges do not coincide.
fn curve(from: Rect, to: Rect, is_forward: bool) -> (String, (f64, f64)) {
    let ((x1, y1), (x2, y2)) = (from.centre(), to.centre());
    let bend = if is_forward { 0.12 } else { -0.12 };
    let middle = ((x1 + x2) / 2.0 + (y2 - y1).abs() * bend, (y1 + y2) / 2.0 - (x2 - x1).abs() * bend);
    let (start, end) = (from.border(middle), to.border(middle));
    let path = format!("M{:.1} {:.1}Q{:.1} {:.1} {:.1} {:.1}", start.0, start.1, middle.0, middle.1, end.0, end.1);
    // Nearer to where it comes from, so that labels of opposite edges lie apart.
    let (near, along) = (0.62, 0.38);
    let at =
        |start: f64, middle: f64, end: f64| near * near * start + 2.0 * near * along * middle + along * along * end;
    (path, (at(start.0, middle.0, end.0), at(start.1, middle.1, end.1)))
}

fn loop_path(rect: Rect) -> (String, (f64, f64)) {
    let (x, y) = (rect.x + rect.width, rect.y + rect.height / 2.0);
    let path = format!(
        "M{x:.1} {:.1}C{:.1} {:.1} {:.1} {:.1} {x:.1} {:.1}",
        y - 6.0,
        x + 34.0,
        y - 22.0,
        x + 34.0,
        y + 22.0,
        y + 6.0
    );
    (path, (x + 46.0, y + 3.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_nodes() -> Drawing {
        let node = |text: &str, row| DrawnNode { lines: vec![text.to_owned()], row, ..DrawnNode::default() };
        let edge = |from, to, label: &str| DrawnEdge { from, to, label: label.to_owned(), is_dashed: false };
        let mut second = node("xx = \"a\" & {1 < 2}", 1);
        second.has_double_border = true;
        Drawing { nodes: vec![node("root", 0), second], edges: vec![edge(0, 1, "init"), edge(1, 1, "stay")] }
    }

    #[test]
    fn text_is_escaped() {
        let dot = two_nodes().dot();
        assert!(dot.contains("n1 [label=\"xx = \\\"a\\\" & {1 < 2}\", peripheries=2"), "{dot}");
        assert!(dot.contains("n0 -> n1 [label=\"init\"]"), "{dot}");
        let svg = two_nodes().svg();
        assert!(svg.contains("xx = \"a\" &amp; {1 &lt; 2}") && svg.ends_with("</svg>\n"), "{svg}");
    }

    #[test]
    fn control_characters_stay_out_of_pictures() {
        let node = DrawnNode { lines: vec!["a\x1b[0mb\u{1}".to_owned()], ..DrawnNode::default() };
        let edge = DrawnEdge { from: 0, to: 0, label: "x\x08y".to_owned(), is_dashed: false };
        let drawing = Drawing { nodes: vec![node], edges: vec![edge] };
        for text in [drawing.dot(), drawing.svg()] {
            assert!(!text.contains(abridge_diag::is_unsafe) && text.contains("u{1b}[0mb"), "{text:?}");
        }
    }

    #[test]
    fn long_labels_of_loops_have_room() {
        let node = |row| DrawnNode { lines: vec!["0".to_owned()], row, ..DrawnNode::default() };
        let edge = DrawnEdge { from: 0, to: 0, label: "x".repeat(60), is_dashed: false };
        let drawing = Drawing { nodes: vec![node(0), node(0)], edges: vec![edge] };
        let layout = Layout::new(&drawing);
        let label = 60.0 * LABEL_CHARACTER;
        assert!(layout.boxes[1].x > layout.boxes[0].x + layout.boxes[0].width + label);
        assert!(layout.width > label + layout.boxes[1].width);
    }

    #[test]
    fn boxes_do_not_overlap() {
        let node = |row| DrawnNode { lines: vec!["some text".to_owned()], row, ..DrawnNode::default() };
        let drawing = Drawing { nodes: [0, 1, 1, 1, 2, 2].map(node).into(), edges: Vec::new() };
        let boxes = Layout::new(&drawing).boxes;
        for (idx, left) in boxes.iter().enumerate() {
            for right in &boxes[idx + 1..] {
                let apart_x = left.x + left.width <= right.x || right.x + right.width <= left.x;
                let apart_y = left.y + left.height <= right.y || right.y + right.height <= left.y;
                assert!(apart_x || apart_y);
            }
        }
    }
}
