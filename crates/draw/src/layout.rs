//! The layered layout: rows of boxes, edges as lanes between them, labels in bands of their own.
//!
//! Ranks alternate: boxes stand in even ranks, labels of edges in odd ones. An edge that passes a rank has a lane there, which takes room as a box does. So curves run between
//! ranks only, and within a rank upright in their own lane: by construction no edge crosses a box or a label. `chains` makes ranks and lanes, `order` arranges each rank so
//! that few edges cross, `place` finds coordinates that keep edges straight, `route` draws the curves.

mod chains;
mod order;
mod place;
mod route;

use crate::text::{BOX_FONT, LABEL_FONT, broken, width};
use crate::{Bundle, Drawing, DrawnNode};

/// Height of a line in a box, and room around the lines.
pub(crate) const LINE: f64 = 15.0;
pub(crate) const PADDING: f64 = 8.0;
const LABEL_LINE: f64 = LABEL_FONT * 1.2;
const MARGIN: f64 = 24.0;
/// Characters of a line in a box and of a label, and lines of one value and of all labels of an edge.
const MAX_BOX_CHARS: usize = 60;
const MAX_LABEL_CHARS: usize = 36;
const MAX_VALUE_LINES: usize = 6;
const MAX_LABEL_LINES: usize = 6;

/// A rectangle, by its upper left corner.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub struct Rect {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

/// A point of a picture.
type Point = (f64, f64);

/// An edge in a picture: a start, curves with two control points and an end each, and a label.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Route {
    pub from: usize,
    pub to: usize,
    pub is_dashed: bool,
    pub start: Point,
    pub curves: Vec<[Point; 3]>,
    /// Place of the label; without size if there is none.
    pub label: Rect,
    pub texts: Vec<String>,
    /// All labels in full.
    pub title: String,
}

/// The places of all parts of a drawing.
#[derive(Clone, Default, Debug)]
pub struct Picture {
    /// One for each node.
    pub boxes: Vec<Rect>,
    /// The lines in each box.
    pub texts: Vec<Vec<String>>,
    pub routes: Vec<Route>,
    pub width: f64,
    pub height: f64,
}

/// The label of an edge: lines and their size.
struct Label {
    texts: Vec<String>,
    width: f64,
    height: f64,
}

impl Label {
    fn new(labels: &[&str]) -> Label {
        let mut texts: Vec<String> = Vec::new();
        for (number, label) in labels.iter().enumerate() {
            let n_left = labels.len() - number;
            if texts.len() + 1 >= MAX_LABEL_LINES && n_left > 1 {
                texts.push(format!("and {n_left} more"));
                break;
            }
            let n_lines = (MAX_LABEL_LINES - texts.len()).saturating_sub(usize::from(n_left > 1)).max(1);
            texts.extend(broken(label, MAX_LABEL_CHARS, n_lines.min(3)));
        }
        texts.retain(|text| !text.is_empty());
        let widest = texts.iter().map(|text| width(text, LABEL_FONT)).fold(0.0, f64::max);
        Label { height: texts.len() as f64 * LABEL_LINE, width: widest, texts }
    }
}

fn texts(node: &DrawnNode) -> Vec<String> {
    node.lines.iter().flat_map(|line| broken(line, MAX_BOX_CHARS, MAX_VALUE_LINES)).collect()
}

fn size(node: &DrawnNode, texts: &[String]) -> Rect {
    let widest = texts.iter().map(|text| width(text, BOX_FONT)).fold(0.0, f64::max);
    let height = texts.len().max(1) as f64 * LINE + 2.0 * PADDING;
    // The ends of a round box are half circles.
    let ends = if node.is_round { height * 0.6 } else { 20.0 };
    Rect { width: (widest + ends).max(36.0), height, ..Rect::default() }
}

pub(crate) fn picture(drawing: &Drawing, bundles: &[Bundle<'_>]) -> Picture {
    let texts: Vec<Vec<String>> = drawing.nodes.iter().map(texts).collect();
    let boxes: Vec<Rect> = drawing.nodes.iter().zip(&texts).map(|(node, texts)| size(node, texts)).collect();
    let labels: Vec<Label> = bundles.iter().map(|bundle| Label::new(&bundle.labels)).collect();
    let mut plan = chains::plan(drawing, bundles, &boxes, &labels);
    order::arrange(&mut plan);
    let xs = place::coordinates(&plan);
    route::picture(drawing, bundles, route::PictureParts { plan, xs, boxes, texts, labels })
}
