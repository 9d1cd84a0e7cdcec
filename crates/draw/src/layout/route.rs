//! Coordinates downwards, and the curves of edges.
//!
//! A curve between two ranks begins and ends upright, so that it stays between them. Edges share the side of a box in the order of where they come from.

use super::chains::{Chain, LABEL_GAP, LOOP_REACH, RankPlan, TURN};
use super::{Label, MARGIN, Picture, Point, Rect, Route};
use crate::{Bundle, Drawing};

/// Room between two ranks: at least, at most, and for each unit across.
const MIN_CHANNEL: f64 = 18.0;
const MAX_CHANNEL: f64 = 70.0;
const CHANNEL_SLOPE: f64 = 0.08;
/// Heights at which edges within a rank turn.
const FLAT_STEP: f64 = 4.0;
const N_FLAT_STEPS: usize = 5;
const MIN_FLAT_CHANNEL: f64 = 44.0;
/// Distance of edges at a box, and the part of a side that they use.
const PORT_DISTANCE: f64 = 16.0;
const PORT_SHARE: f64 = 0.85;

/// What a picture is made of.
pub(super) struct PictureParts {
    pub(super) plan: RankPlan,
    pub(super) xs: Vec<f64>,
    pub(super) boxes: Vec<Rect>,
    pub(super) texts: Vec<Vec<String>>,
    pub(super) labels: Vec<Label>,
}

pub(super) fn picture(drawing: &Drawing, bundles: &[Bundle<'_>], parts: PictureParts) -> Picture {
    let PictureParts { plan, mut xs, mut boxes, texts, labels } = parts;
    let ends = |is_right: bool| {
        let end = |(item, x): (&super::chains::RankItem, &f64)| if is_right { x + item.right } else { x - item.left };
        plan.items.iter().zip(&xs).map(end).collect::<Vec<f64>>()
    };
    let (left, right) =
        (ends(false).into_iter().fold(f64::MAX, f64::min), ends(true).into_iter().fold(f64::MIN, f64::max));
    let (left, right) = if plan.items.is_empty() { (0.0, 0.0) } else { (left, right) };
    xs.iter_mut().for_each(|x| *x += MARGIN - left);
    let bands = bands(&plan, &xs);
    for (node, rect) in boxes.iter_mut().enumerate() {
        let (top, bottom) = bands[plan.items[node].rank];
        rect.x = xs[node] - rect.width / 2.0;
        rect.y = f64::midpoint(top, bottom) - rect.height / 2.0;
    }
    let ports = ports(drawing, &plan, &xs, &boxes);
    let drawer = Drawer { plan: &plan, xs: &xs, bands: &bands, boxes: &boxes, ports: &ports };
    let mut n_loops = vec![0.0; boxes.len()];
    let mut routes = Vec::new();
    for (number, (bundle, label)) in bundles.iter().zip(labels).enumerate() {
        let mut route = match &plan.chains[number] {
            None => drawer.circle(bundle.from, &label, &mut n_loops[bundle.from]),
            Some(chain) if chain.is_flat => drawer.hanging(number, chain, &label),
            Some(chain) => drawer.falling(number, chain, &label),
        };
        route.title = bundle.labels.join("\n");
        (route.from, route.to, route.is_dashed, route.texts) = (bundle.from, bundle.to, bundle.is_dashed, label.texts);
        routes.push(route);
    }
    let height = bands.iter().map(|band| band.1).fold(0.0, f64::max) + MARGIN;
    Picture { boxes, texts, routes, width: right - left + 2.0 * MARGIN, height }
}

/// Top and bottom of each rank. The last one is of labels that hang below the last row.
fn bands(plan: &RankPlan, xs: &[f64]) -> Vec<(f64, f64)> {
    let mut bands = Vec::new();
    let mut top = MARGIN;
    for (number, rank) in plan.ranks.iter().enumerate() {
        let height = rank.iter().map(|item| plan.items[*item].height).fold(0.0, f64::max);
        bands.push((top, top + height));
        let across = |item: &usize| {
            let distances = plan.below[*item].iter().map(|lower| (xs[*lower] - xs[*item]).abs());
            distances.fold(0.0, f64::max)
        };
        let widest = rank.iter().map(across).fold(0.0, f64::max);
        let hangs = |lower: &usize| plan.items[*lower].is_lane && plan.above[*lower].len() > 1;
        let has_flat = rank.iter().flat_map(|item| &plan.below[*item]).any(hangs);
        let least = if has_flat { MIN_FLAT_CHANNEL } else { MIN_CHANNEL };
        let channel = (least + CHANNEL_SLOPE * widest).min(MAX_CHANNEL);
        let is_last = plan.ranks.get(number + 1).is_none_or(Vec::is_empty);
        top += height + if is_last { 0.0 } else { channel };
    }
    bands
}

/// Where edges touch their ends: for each bundle at its upper and at its lower end.
struct Ports {
    first: Vec<f64>,
    second: Vec<f64>,
}

fn ports(drawing: &Drawing, plan: &RankPlan, xs: &[f64], boxes: &[Rect]) -> Ports {
    // Edges at the top and at the bottom of each node: where they come from, by which lane, the bundle, and whether it is its first end.
    type End = (f64, usize, usize, bool);
    let mut sides: Vec<[Vec<End>; 2]> = vec![[Vec::new(), Vec::new()]; boxes.len()];
    for (number, chain) in plan.chains.iter().enumerate() {
        let Some(chain) = chain else { continue };
        let (first, last) = (chain.items[0], chain.items[chain.items.len() - 1]);
        let (second, before) = (chain.items[1], chain.items[chain.items.len() - 2]);
        sides[first][1].push((xs[second], second, number, true));
        sides[last][usize::from(chain.is_flat)].push((xs[before], before, number, false));
    }
    let n_bundles = plan.chains.len();
    let mut ports = Ports { first: vec![0.0; n_bundles], second: vec![0.0; n_bundles] };
    for (node, both) in sides.iter_mut().enumerate() {
        let rect = boxes[node];
        let straight = if drawing.nodes[node].is_round { rect.width - rect.height } else { rect.width };
        for side in both {
            side.sort_by(|left, right| left.0.total_cmp(&right.0).then(left.1.cmp(&right.1)));
            // Edges of one trunk share a port.
            let n_steps = side.windows(2).filter(|pair| pair[0].1 != pair[1].1).count() as f64;
            let spread = (n_steps * PORT_DISTANCE).min(straight.max(0.0) * PORT_SHARE);
            let mut place = 0.0;
            for (at, (_, lane, number, is_first)) in side.iter().enumerate() {
                if at > 0 && side[at - 1].1 != *lane {
                    place += 1.0;
                }
                let x = xs[node] + if n_steps > 0.0 { spread * (place / n_steps - 0.5) } else { 0.0 };
                let list = if *is_first { &mut ports.first } else { &mut ports.second };
                list[*number] = x;
            }
        }
    }
    ports
}

struct Drawer<'p> {
    plan: &'p RankPlan,
    xs: &'p [f64],
    bands: &'p [(f64, f64)],
    boxes: &'p [Rect],
    ports: &'p Ports,
}

/// A curve that begins and ends upright.
fn upright(from: Point, to: Point) -> [Point; 3] {
    let middle = f64::midpoint(from.1, to.1);
    [(from.0, middle), (to.0, middle), to]
}

impl Drawer<'_> {
    fn band(&self, item: usize) -> (f64, f64) {
        self.bands[self.plan.items[item].rank]
    }

    fn label_at(&self, item: usize, label: &Label) -> Rect {
        let (top, bottom) = self.band(item);
        let y = f64::midpoint(top, bottom) - label.height / 2.0;
        Rect { x: self.xs[item] + LABEL_GAP, y, width: label.width, height: label.height }
    }

    /// From rank to rank.
    fn falling(&self, number: usize, chain: &Chain, label: &Label) -> Route {
        let (upper, lower) = (chain.items[0], chain.items[chain.items.len() - 1]);
        let (first, second) = (self.ports.first[number], self.ports.second[number]);
        let mut points = vec![(first, self.boxes[upper].y + self.boxes[upper].height), (first, self.band(upper).1)];
        for lane in &chain.items[1..chain.items.len() - 1] {
            let (top, bottom) = self.band(*lane);
            points.extend([(self.xs[*lane], top), (self.xs[*lane], bottom)]);
        }
        points.extend([(second, self.band(lower).0), (second, self.boxes[lower].y)]);
        if chain.is_reversed {
            points.reverse();
        }
        let curves = points.windows(2).map(|pair| upright(pair[0], pair[1])).collect();
        Route {
            start: points[0],
            curves,
            label: self.label_at(chain.items[chain.items.len() - 2], label),
            ..Route::default()
        }
    }

    /// Below a rank, from one of its boxes to another.
    fn hanging(&self, number: usize, chain: &Chain, label: &Label) -> Route {
        let [from, lane, to] = [chain.items[0], chain.items[1], chain.items[2]];
        let (first, second) = (self.ports.first[number], self.ports.second[number]);
        let bottom = |node: usize| self.boxes[node].y + self.boxes[node].height;
        let (low, (top, _), x) = (self.band(from).1, self.band(lane), self.xs[lane]);
        let start = (first, bottom(from));
        let mut curves = vec![upright(start, (first, low))];
        let is_between = (first.min(second) + TURN..=first.max(second) - TURN).contains(&x);
        if is_between {
            // Neighbours turn at different heights, so that they can be told apart.
            let turn = (x, top - 1.0 - FLAT_STEP * (lane % N_FLAT_STEPS) as f64);
            curves.push([(first, turn.1), (f64::midpoint(first, x), turn.1), turn]);
            curves.push([(f64::midpoint(second, x), turn.1), (second, turn.1), (second, low)]);
        } else {
            // Down and up again in the lane, on the side of each end.
            let half = TURN / 2.0;
            let (down, up) = if first <= second { (x - TURN, x) } else { (x, x - TURN) };
            curves.push(upright((first, low), (down, top)));
            curves.push([(down, top + half), (up, top + half), (up, top)]);
            curves.push(upright((up, top), (second, low)));
        }
        curves.push(upright((second, low), (second, bottom(to))));
        Route { start, curves, label: self.label_at(lane, label), ..Route::default() }
    }

    /// From a box to itself, at its right. Several loops lie one above the other.
    fn circle(&self, node: usize, label: &Label, used: &mut f64) -> Route {
        let rect = self.boxes[node];
        let (x, y) = (rect.x + rect.width, rect.y + rect.height / 2.0 + *used);
        let reach = x + LOOP_REACH * 1.2;
        *used += label.height.max(LOOP_REACH);
        let (start, end) = ((x, y - 6.0), (x, y + 6.0));
        let curve = [(reach, y - LOOP_REACH * 0.7), (reach, y + LOOP_REACH * 0.7), end];
        let at =
            Rect { x: x + LOOP_REACH + LABEL_GAP, y: y - label.height / 2.0, width: label.width, height: label.height };
        Route { start, curves: vec![curve], label: at, ..Route::default() }
    }
}
