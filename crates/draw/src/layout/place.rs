//! Coordinates across: every item strives for the mean of its neighbours, and a rank keeps its order and distances.
//!
//! For one rank, the places that are closest to what its items strive for, in the sense of squares, are found exactly: neighbours that are too close form a block, which moves as
//! one.

use super::chains::{Chain, RankPlan};

/// Sweeps that listen to one side, which move items far, and to both, which settle them.
const N_ONE_SIDED: usize = 12;
const MIN_TWO_SIDED: usize = 48;
const MAX_TWO_SIDED: usize = 4_000;
/// Moves of single items that settling may take, and the largest move at which a layout is settled.
const MAX_MOVES: usize = 15_000_000;
const SETTLED: f64 = 0.02;
const N_STRAIGHTENINGS: usize = 4;
/// Weights of connections: straight lanes matter most.
const LANE_WEIGHT: f64 = 8.0;
const END_WEIGHT: f64 = 2.0;
/// A branch of a trunk, and a box at the end of a long edge: they pull little, or rows of them would lean towards the trunk.
const BRANCH_WEIGHT: f64 = 0.02;
const LONG_END_WEIGHT: f64 = 0.02;

/// The middle of each item.
pub(super) fn coordinates(plan: &RankPlan) -> Vec<f64> {
    let mut xs = vec![0.0; plan.items.len()];
    for rank in &plan.ranks {
        let mut x = 0.0;
        for (at, item) in rank.iter().enumerate() {
            x += if at == 0 { 0.0 } else { plan.items[rank[at - 1]].distance(&plan.items[*item]) };
            xs[*item] = x;
        }
        rank.iter().for_each(|item| xs[*item] -= x / 2.0);
    }
    let n_ranks = plan.ranks.len();
    let n_two_sided = (MAX_MOVES / plan.items.len().max(1)).clamp(MIN_TWO_SIDED, MAX_TWO_SIDED);
    for sweep in 0..N_ONE_SIDED + n_two_sided {
        let (is_down, hears_both) = (sweep % 2 == 0, sweep >= N_ONE_SIDED);
        let sides = (is_down || hears_both, !is_down || hears_both);
        let mut furthest: f64 = 0.0;
        let mut visit = |rank: usize| furthest = furthest.max(settle(plan, &mut xs, rank, sides));
        match is_down {
            true => (0..n_ranks).for_each(&mut visit),
            false => (0..n_ranks).rev().for_each(&mut visit),
        }
        if hears_both && furthest < SETTLED {
            break;
        }
    }
    (0..N_STRAIGHTENINGS).for_each(|_| straighten(plan, &mut xs));
    xs
}

/// Makes edges upright over as many ranks as there is room for. Nothing but their lanes is moved.
fn straighten(plan: &RankPlan, xs: &mut [f64]) {
    let mut places = vec![0; plan.items.len()];
    plan.ranks.iter().for_each(|rank| rank.iter().enumerate().for_each(|(place, item)| places[*item] = place));
    let mut chains: Vec<&Chain> = plan.chains.iter().flatten().filter(|chain| chain.items.len() > 3).collect();
    chains.sort_by_key(|chain| std::cmp::Reverse(chain.items.len()));
    let mut is_done = vec![false; plan.items.len()];
    for chain in chains {
        // The rest of a trunk lies where a longer edge has it.
        let inner = &chain.items[1..chain.items.len() - 1];
        let lanes: Vec<usize> =
            inner.iter().copied().filter(|lane| !std::mem::replace(&mut is_done[*lane], true)).collect();
        let mut start = 0;
        while start < lanes.len() {
            let (mut low, mut high, mut end) = (f64::MIN, f64::MAX, start);
            while let Some(lane) = lanes.get(end) {
                let (from, to) = room(plan, xs, *lane, places[*lane]);
                if from.max(low) > to.min(high) {
                    break;
                }
                (low, high, end) = (from.max(low), to.min(high), end + 1);
            }
            // A lane has at least the room that it takes; rounding may say otherwise.
            let end = end.max(start + 1);
            let mean = lanes[start..end].iter().map(|lane| xs[*lane]).sum::<f64>() / (end - start) as f64;
            if low <= high {
                lanes[start..end].iter().for_each(|lane| xs[*lane] = mean.clamp(low, high));
            }
            start = end;
        }
    }
}

/// The places that an item can have between its neighbours.
fn room(plan: &RankPlan, xs: &[f64], item: usize, place: usize) -> (f64, f64) {
    let rank = &plan.ranks[plan.items[item].rank];
    let left = place.checked_sub(1).map(|before| rank[before]);
    let right = rank.get(place + 1);
    (
        left.map_or(f64::MIN, |left| xs[left] + plan.items[left].distance(&plan.items[item])),
        right.map_or(f64::MAX, |right| xs[*right] - plan.items[item].distance(&plan.items[*right])),
    )
}

/// A run of neighbours that touch: what the first strives for and the weight of all, and their number.
struct Block {
    wish: f64,
    weight: f64,
    n_items: usize,
}

/// Moves the items of a rank and returns the largest move.
fn settle(plan: &RankPlan, xs: &mut [f64], rank: usize, (above, below): (bool, bool)) -> f64 {
    let items = &plan.ranks[rank];
    let mut blocks: Vec<Block> = Vec::with_capacity(items.len());
    let mut offsets = Vec::with_capacity(items.len());
    let mut offset = 0.0;
    for (at, item) in items.iter().enumerate() {
        offset += if at == 0 { 0.0 } else { plan.items[items[at - 1]].distance(&plan.items[*item]) };
        offsets.push(offset);
        let (wish, weight) = wish(plan, xs, *item, above, below);
        let mut block = Block { wish: wish - offset, weight, n_items: 1 };
        while let Some(before) = blocks.pop_if(|before| before.wish > block.wish) {
            let weight = before.weight + block.weight;
            let wish = (before.wish * before.weight + block.wish * block.weight) / weight;
            block = Block { wish, weight, n_items: before.n_items + block.n_items };
        }
        blocks.push(block);
    }
    let starts = blocks.iter().flat_map(|block| std::iter::repeat_n(block.wish, block.n_items));
    let mut furthest: f64 = 0.0;
    for ((item, offset), start) in items.iter().zip(offsets).zip(starts) {
        furthest = furthest.max((xs[*item] - start - offset).abs());
        xs[*item] = start + offset;
    }
    furthest
}

/// The mean of the neighbours with its weight; without neighbours, the present place with a small one.
fn wish(plan: &RankPlan, xs: &[f64], item: usize, above: bool, below: bool) -> (f64, f64) {
    const IDLE_WEIGHT: f64 = 0.05;
    let is_lane = plan.items[item].is_lane;
    let sides = [(above, &plan.above), (below, &plan.below)];
    let neighbours = sides.into_iter().filter(|(is_heard, _)| *is_heard).flat_map(|(_, side)| &side[item]);
    let (mut sum, mut weight) = (xs[item] * IDLE_WEIGHT, IDLE_WEIGHT);
    for other in neighbours {
        let is_other_lane = plan.items[*other].is_lane;
        let one = match is_lane && is_other_lane {
            true if plan.below[item].len().max(plan.below[*other].len()) > 1 => BRANCH_WEIGHT,
            true => LANE_WEIGHT,
            false if is_long(plan, item) || is_long(plan, *other) => LONG_END_WEIGHT,
            false => END_WEIGHT,
        };
        sum += xs[*other] * one;
        weight += one;
    }
    (sum / weight, weight)
}

/// A lane of an edge that passes a row.
fn is_long(plan: &RankPlan, item: usize) -> bool {
    plan.items[item].is_lane && plan.above[item].iter().chain(&plan.below[item]).any(|other| plan.items[*other].is_lane)
}
