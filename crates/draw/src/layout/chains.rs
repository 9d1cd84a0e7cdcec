//! Ranks, and the lanes of edges through them.
//!
//! A row of nodes that is wider than the picture should be is broken into several ranks. Every edge is a chain from its upper end to its lower one, whichever way it leads; an edge
//! within a rank hangs below it. Long edges of one direction at the same upper end share a trunk, from which they branch off in turn; the label is where an edge is alone.

use std::collections::{BTreeMap, HashMap};

use super::{Label, Rect};
use crate::{Bundle, Drawing};

/// Least distance between neighbours in a rank: two boxes, or where a lane is one of them.
const BOX_GAP: f64 = 30.0;
const LANE_GAP: f64 = 9.0;
/// Room between a lane and its label, and what a loop takes beside its box.
pub(super) const LABEL_GAP: f64 = 5.0;
pub(super) const LOOP_REACH: f64 = 28.0;
/// A turn of a lane in itself.
pub(super) const TURN: f64 = 8.0;
/// Widths that rows may have whatever the graph, and the width of a picture in parts of the side of a square of its size.
const MIN_BREAK_WIDTH: f64 = 1100.0;
const ASPECT: f64 = 1.7;
/// Height of a rank with what is between it and the next.
const RANK_HEIGHT: f64 = 110.0;
/// Lanes of all edges. Beyond it, the longest edges are drawn without lanes.
const MAX_LANES: usize = 60_000;

/// What stands in a rank: a box with its loops, or the lane of an edge with its label.
pub(super) struct RankItem {
    pub(super) rank: usize,
    /// Extent to both sides of the middle of a box, or of the line of a lane.
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) height: f64,
    pub(super) is_lane: bool,
}

impl RankItem {
    /// Least distance between the middles of two neighbours.
    pub(super) fn distance(&self, next: &RankItem) -> f64 {
        let gap = if self.is_lane || next.is_lane { LANE_GAP } else { BOX_GAP };
        self.right + gap + next.left
    }
}

/// An edge on its way from rank to rank.
pub(super) struct Chain {
    /// Items from the upper end to the lower one; both ends of an edge within a rank are above. The last but one has the label.
    pub(super) items: Vec<usize>,
    /// The edge leads upwards.
    pub(super) is_reversed: bool,
    pub(super) is_flat: bool,
}

/// Items, ranks and chains. Item `n` is node `n` as long as there are nodes.
#[derive(Default)]
pub(super) struct RankPlan {
    pub(super) items: Vec<RankItem>,
    /// Items of each rank, from left to right.
    pub(super) ranks: Vec<Vec<usize>>,
    /// One for each bundle; none for a loop.
    pub(super) chains: Vec<Option<Chain>>,
    /// Neighbours in the rank above and in the rank below.
    pub(super) above: Vec<Vec<usize>>,
    pub(super) below: Vec<Vec<usize>>,
}

pub(super) fn plan(drawing: &Drawing, bundles: &[Bundle<'_>], boxes: &[Rect], labels: &[Label]) -> RankPlan {
    let mut loops: Vec<(f64, f64)> = vec![(0.0, 0.0); boxes.len()];
    for (bundle, label) in bundles.iter().zip(labels).filter(|(bundle, _)| bundle.from == bundle.to) {
        let (reach, height) = &mut loops[bundle.from];
        *reach = reach.max(LOOP_REACH + LABEL_GAP + label.width);
        *height += label.height.max(2.0 * LOOP_REACH);
    }
    let widths: Vec<f64> = boxes.iter().zip(&loops).map(|(rect, (reach, _))| rect.width + reach).collect();
    let rows = broken_rows(drawing, &widths);
    let mut plan = RankPlan { ranks: vec![Vec::new(); 2 * rows.len()], ..RankPlan::default() };
    for ((rect, (reach, height)), _) in boxes.iter().zip(&loops).zip(&drawing.nodes) {
        let half = rect.width / 2.0;
        let (right, height) = (half + reach, rect.height.max(*height));
        plan.items.push(RankItem { rank: 0, left: half, right, height, is_lane: false });
    }
    for (row, nodes) in rows.iter().enumerate() {
        nodes.iter().for_each(|node| plan.items[*node].rank = 2 * row);
        plan.ranks[2 * row].clone_from(nodes);
    }
    let longest = longest_span(&plan, bundles);
    let mut trunks = HashMap::new();
    for (bundle, label) in bundles.iter().zip(labels) {
        let chain = (bundle.from != bundle.to).then(|| plan.chain(bundle, label, longest, &mut trunks));
        plan.chains.push(chain);
    }
    plan.link();
    plan
}

/// The largest span of edges that have lanes.
fn longest_span(plan: &RankPlan, bundles: &[Bundle<'_>]) -> usize {
    let mut spans: Vec<usize> =
        bundles.iter().map(|it| plan.items[it.from].rank.abs_diff(plan.items[it.to].rank)).collect();
    spans.sort_unstable();
    let mut n_lanes = 0;
    let fits = spans.iter().take_while(|span| {
        n_lanes += **span;
        n_lanes <= MAX_LANES
    });
    // An edge to the next row has a lane in any case.
    fits.last().copied().unwrap_or(0).max(2)
}

/// The lanes of trunks: by upper end, direction, dashes and rank.
type Trunks = HashMap<(usize, bool, bool, usize), usize>;

impl RankPlan {
    fn chain(&mut self, bundle: &Bundle<'_>, label: &Label, longest: usize, trunks: &mut Trunks) -> Chain {
        let (from, to) = (self.items[bundle.from].rank, self.items[bundle.to].rank);
        let is_flat = from == to;
        let is_reversed = from > to;
        let (upper, lower) = if is_reversed { (bundle.to, bundle.from) } else { (bundle.from, bundle.to) };
        let (top, bottom) = (from.min(to), from.max(to));
        // The label is in the last rank before the lower end.
        let last = if is_flat { top + 1 } else { bottom - 1 };
        let has_lanes = !is_flat && bottom - top <= longest;
        let mut items = vec![upper];
        for rank in (top + 1..last).filter(|_| has_lanes) {
            let lane = *trunks.entry((upper, is_reversed, bundle.is_dashed, rank)).or_insert_with(|| {
                self.items.push(RankItem { rank, left: 1.0, right: 1.0, height: 0.0, is_lane: true });
                self.ranks[rank].push(self.items.len() - 1);
                self.items.len() - 1
            });
            items.push(lane);
        }
        let (left, least) = if is_flat { (TURN, TURN) } else { (1.0, 0.0) };
        let right = if label.texts.is_empty() { 1.0 } else { LABEL_GAP + label.width };
        self.ranks[last].push(self.items.len());
        items.push(self.items.len());
        self.items.push(RankItem { rank: last, left, right, height: label.height.max(least), is_lane: true });
        items.push(lower);
        Chain { items, is_reversed, is_flat }
    }

    /// Notes which items of neighbouring ranks are connected.
    fn link(&mut self) {
        self.above = vec![Vec::new(); self.items.len()];
        self.below = vec![Vec::new(); self.items.len()];
        for chain in self.chains.iter().flatten() {
            for pair in chain.items.windows(2) {
                let (first, second) = (pair[0], pair[1]);
                let (upper, lower) = match self.items[first].rank < self.items[second].rank {
                    true => (first, second),
                    false => (second, first),
                };
                // Edges without lanes skip ranks.
                let is_next = self.items[upper].rank + 1 == self.items[lower].rank;
                if is_next && !self.above[lower].contains(&upper) {
                    self.below[upper].push(lower);
                    self.above[lower].push(upper);
                }
            }
        }
    }
}

/// The nodes of each rank of boxes: the rows of the drawing, in an order that has neighbours close to each other, broken where they are too wide.
fn broken_rows(drawing: &Drawing, widths: &[f64]) -> Vec<Vec<usize>> {
    let mut rows: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (idx, node) in drawing.nodes.iter().enumerate() {
        rows.entry(node.row).or_default().push(idx);
    }
    let mut parents: Vec<Vec<usize>> = vec![Vec::new(); widths.len()];
    for edge in &drawing.edges {
        if drawing.nodes[edge.from].row < drawing.nodes[edge.to].row {
            parents[edge.to].push(edge.from);
        }
    }
    let all: f64 = widths.iter().map(|width| width + BOX_GAP).sum();
    let limit = (ASPECT * (all * RANK_HEIGHT).sqrt()).max(MIN_BREAK_WIDTH);
    let mut place = vec![0.5; widths.len()];
    let mut broken = Vec::new();
    for row in rows.values() {
        let middle = |node: usize| match parents[node].len() {
            0 => 0.5,
            n => parents[node].iter().map(|parent| place[*parent]).sum::<f64>() / n as f64,
        };
        let mut middles: Vec<(f64, usize)> = row.iter().map(|node| (middle(*node), *node)).collect();
        middles.sort_by(|left, right| left.0.total_cmp(&right.0).then(left.1.cmp(&right.1)));
        for (idx, (_, node)) in middles.iter().enumerate() {
            place[*node] = (idx as f64 + 0.5) / middles.len() as f64;
        }
        let whole: f64 = row.iter().map(|node| widths[*node] + BOX_GAP).sum();
        let share = whole / (whole / limit).ceil().max(1.0);
        let (mut part, mut filled) = (Vec::new(), 0.0);
        for (_, node) in middles {
            if filled >= share && !part.is_empty() {
                broken.push(std::mem::take(&mut part));
                filled = 0.0;
            }
            filled += widths[node] + BOX_GAP;
            part.push(node);
        }
        broken.push(part);
    }
    broken
}
