//! Points that colours do not tell apart: refinement, and individualisation with pruning by automorphisms.
//!
//! This is McKay's scheme (Algorithms 3.12 and 3.14 in Spermann's thesis) over trees of values instead of graphs. A node of the search is
//! a colouring. Its colours are refined until no more points are told apart; if points of one colour remain that are no twins, each of
//! them in turn is given a colour of its own. A leaf orders the points; the least leaf, by what was met on the way and by the state with its
//! points renamed, gives the order that is looked for. Two leaves with the same renamed state show an automorphism; subtrees that it
//! maps to each other are searched once.
//!
//! Departs from the thesis: cells are ordered by colour rather than by splitting, twins are not searched at all, and states are compared by
//! 64-bit numbers.

use std::cmp::Ordering;
use std::ops::Range;

use super::auto::{PointInfo, sort_by_colour};
use super::group::Group;
use super::term::{Sweep, mix, mix2};

/// Nodes after which the best leaf so far is taken. It gives a permutation of the state like any other.
const MAX_NODES: u32 = 50_000;

pub(super) struct LabelSearch<'a> {
    group: &'a Group,
    /// The values in which points meet.
    infos: &'a [&'a PointInfo],
    base: &'a [u64],
    sweep: &'a mut Sweep,
    best: Option<SearchLeaf>,
    /// Of the current node: what was met on the way, and the points that were given colours of their own.
    trace: Vec<u64>,
    path: Vec<u32>,
    automorphisms: Vec<Vec<u32>>,
    n_nodes: u32,
}

struct SearchLeaf {
    trace: Vec<u64>,
    path: Vec<u32>,
    number: u64,
    order: Vec<u32>,
}

/// Where the search goes on: at the node of this depth.
type Backjump = Option<usize>;

impl<'a> LabelSearch<'a> {
    /// `base` are the colours by which the points are told apart already.
    pub(super) fn new(group: &'a Group, infos: &'a [&'a PointInfo], base: &'a [u64], sweep: &'a mut Sweep) -> Self {
        LabelSearch {
            group,
            infos,
            base,
            sweep,
            best: None,
            trace: Vec::new(),
            path: Vec::new(),
            automorphisms: Vec::new(),
            n_nodes: 0,
        }
    }

    /// Puts the points, which are sorted by their colours, into the order that all symmetric states share.
    pub(super) fn settle(&mut self, order: &mut Vec<u32>) {
        if self.open_cell(self.base, order).is_none() {
            return;
        }
        self.visit(self.base.to_vec(), Ordering::Equal);
        if let Some(best) = self.best.take() {
            *order = best.order;
        }
    }

    /// If all points of one colour are twins: how many permutations keep the colours, as factors of a product. These are then all that
    /// keep the values.
    pub(super) fn twins_only(&mut self, order: &[u32]) -> Option<Vec<u64>> {
        let cells: Vec<Range<usize>> = cells(self.group, self.base, order).collect();
        let mut factors = Vec::new();
        for cell in cells {
            if !self.are_twins(&order[cell.clone()]) {
                return None;
            }
            factors.extend(1..=cell.len() as u64);
        }
        Some(factors)
    }

    /// For each point the first of its twins, or a number that says that it has none.
    pub(super) fn find_twins(&mut self, order: &[u32], alone: u32, classes: &mut Vec<u32>) {
        classes.clear();
        classes.resize(order.len(), alone);
        let cells: Vec<Range<usize>> = cells(self.group, self.base, order).collect();
        for cell in cells.into_iter().map(|cell| &order[cell]).filter(|cell| cell.len() > 1) {
            if self.are_twins(cell) {
                cell.iter().for_each(|point| classes[*point as usize] = cell[0]);
                continue;
            }
            for (idx, point) in cell.iter().enumerate() {
                let is_first = |first: &u32| [alone, *first].contains(&classes[*first as usize]);
                let firsts: Vec<u32> = cell[..idx].iter().copied().filter(is_first).collect();
                if let Some(first) = firsts.into_iter().find(|first| self.are_twins(&[*first, *point])) {
                    classes[first as usize] = first;
                    classes[*point as usize] = first;
                }
            }
        }
    }

    /// Where in the order the smallest cell lies whose points are not all twins.
    fn open_cell(&mut self, colours: &[u64], order: &[u32]) -> Option<Range<usize>> {
        let mut found: Option<Range<usize>> = None;
        for cell in cells(self.group, colours, order) {
            let is_smaller = found.as_ref().is_none_or(|found| cell.len() < found.len());
            if cell.len() > 1 && is_smaller && !self.are_twins(&order[cell.clone()]) {
                found = Some(cell);
            }
        }
        found
    }

    fn are_twins(&mut self, points: &[u32]) -> bool {
        let LabelSearch { group, infos, sweep, .. } = self;
        infos.iter().all(|info| {
            let twins = info.twins(group, sweep);
            points.iter().all(|point| twins[*point as usize] == twins[points[0] as usize])
        })
    }

    /// One point of each class of twins.
    fn candidates(&mut self, cell: &[u32]) -> Vec<u32> {
        let mut candidates: Vec<u32> = Vec::new();
        for point in cell {
            if !candidates.iter().any(|known| self.are_twins(&[*known, *point])) {
                candidates.push(*point);
            }
        }
        candidates
    }

    /// Refines colours as far as possible; the number describes the result.
    fn refine(&mut self, colours: &mut Vec<u64>, order: &mut Vec<u32>) -> u64 {
        sort_by_colour(self.group, colours, order);
        let mut n_cells = cells(self.group, colours, order).count();
        let mut next = Vec::with_capacity(colours.len());
        while n_cells < colours.len() {
            next.clear();
            next.extend(colours.iter().map(|colour| mix(*colour)));
            for (place, info) in (0..).zip(self.infos) {
                info.term.surroundings(colours, self.sweep, |point, number| {
                    let colour = &mut next[point as usize];
                    *colour = colour.wrapping_add(mix2(number, place));
                });
            }
            sort_by_colour(self.group, &next, order);
            let n_next = cells(self.group, &next, order).count();
            if n_next <= n_cells {
                break;
            }
            n_cells = n_next;
            std::mem::swap(colours, &mut next);
        }
        sort_by_colour(self.group, colours, order);
        order.iter().fold(0, |sum, point| mix2(sum, colours[*point as usize]))
    }

    /// Searches below a node. `compared` says how what was met so far compares with the best leaf.
    fn visit(&mut self, mut colours: Vec<u64>, mut compared: Ordering) -> Backjump {
        self.n_nodes += 1;
        let mut order = Vec::new();
        let number = self.refine(&mut colours, &mut order);
        if let (Ordering::Equal, Some(best)) = (compared, &self.best) {
            let met = best.trace.get(self.trace.len()).copied().unwrap_or(0);
            compared = number.cmp(&met);
            if compared == Ordering::Greater {
                return None;
            }
        }
        self.trace.push(number);
        let jump = match self.open_cell(&colours, &order) {
            Some(cell) => self.branch(&colours, &order[cell], compared),
            None => self.leaf(order, compared),
        };
        self.trace.pop();
        jump
    }

    fn branch(&mut self, colours: &[u64], cell: &[u32], mut compared: Ordering) -> Backjump {
        let depth = self.path.len();
        let candidates = self.candidates(cell);
        let mut tried: Vec<u32> = Vec::new();
        for candidate in candidates {
            if self.n_nodes > MAX_NODES && self.best.is_some() {
                return Some(0);
            }
            if self.is_known(candidate, &tried, cell) {
                continue;
            }
            tried.push(candidate);
            let mut individual = colours.to_vec();
            individual[candidate as usize] = mix2(individual[candidate as usize], 1);
            self.path.push(candidate);
            let jump = self.visit(individual, compared);
            self.path.pop();
            if jump.is_some_and(|to| to < depth) {
                return jump;
            }
            // What is less than the best leaf has become the best leaf.
            compared = Ordering::Equal;
        }
        None
    }

    /// Whether an automorphism that keeps the path maps a point that was tried to this one.
    fn is_known(&mut self, candidate: u32, tried: &[u32], cell: &[u32]) -> bool {
        if tried.is_empty() || self.automorphisms.is_empty() {
            return false;
        }
        let mut orbits = JoinedPoints::new(self.group.n_points());
        for automorphism in &self.automorphisms {
            if self.path.iter().all(|point| automorphism[*point as usize] == *point) {
                (0..).zip(automorphism).for_each(|(point, image)| orbits.join(point, *image));
            }
        }
        for (idx, point) in cell.iter().enumerate() {
            if let Some(twin) = cell[..idx].iter().find(|other| self.are_twins(&[**other, *point])) {
                orbits.join(*twin, *point);
            }
        }
        let class = orbits.find(candidate);
        tried.iter().any(|other| orbits.find(*other) == class)
    }

    fn leaf(&mut self, order: Vec<u32>, compared: Ordering) -> Backjump {
        let mut names = vec![0; order.len()];
        for (name, point) in (0..).zip(&order) {
            names[*point as usize] = name;
        }
        let mut number = 0_u64;
        for (colour, name) in self.base.iter().zip(&names) {
            number = number.wrapping_add(mix2(*colour, *name));
        }
        for info in self.infos {
            number = mix2(number, info.term.hash(&names, self.sweep));
        }
        let compared = match &self.best {
            Some(best) => compared.then_with(|| (self.trace.len(), number).cmp(&(best.trace.len(), best.number))),
            None => Ordering::Less,
        };
        match (compared, &self.best) {
            (Ordering::Less, _) => {
                self.best = Some(SearchLeaf { trace: self.trace.clone(), path: self.path.clone(), number, order });
                None
            }
            (Ordering::Equal, Some(best)) => {
                let mut automorphism = vec![0; order.len()];
                for (from, to) in best.order.iter().zip(&order) {
                    automorphism[*from as usize] = *to;
                }
                let common = best.path.iter().zip(&self.path).take_while(|(left, right)| left == right).count();
                self.automorphisms.push(automorphism);
                Some(common)
            }
            _ => None,
        }
    }
}

/// Runs of points of one colour, block by block.
fn cells<'a>(group: &'a Group, colours: &'a [u64], order: &'a [u32]) -> impl Iterator<Item = Range<usize>> + 'a {
    let starts = group.ranges().flat_map(move |range| {
        let block = range.start as usize..range.end as usize;
        block
            .clone()
            .filter(move |idx| *idx == block.start || colours[order[*idx] as usize] != colours[order[idx - 1] as usize])
    });
    let mut starts = starts.peekable();
    std::iter::from_fn(move || {
        let start = starts.next()?;
        Some(start..starts.peek().copied().unwrap_or(order.len()))
    })
}

/// Classes of points that are joined pair by pair.
pub(super) struct JoinedPoints(Vec<u32>);

impl JoinedPoints {
    pub(super) fn new(n_points: usize) -> JoinedPoints {
        JoinedPoints((0..n_points as u32).collect())
    }

    pub(super) fn find(&mut self, point: u32) -> u32 {
        let mut root = point;
        while self.0[root as usize] != root {
            root = self.0[root as usize];
        }
        self.0[point as usize] = root;
        root
    }

    pub(super) fn join(&mut self, left: u32, right: u32) {
        let (left, right) = (self.find(left), self.find(right));
        self.0[left.max(right) as usize] = left.min(right);
    }
}
