//! The order of each rank: sweeps down and up put every item at the mean of its neighbours, and neighbours are swapped where that saves crossings. The best order seen is kept.

use super::chains::RankPlan;

const N_SWEEPS: usize = 14;
/// Items up to which neighbours are swapped, which takes longer than a sweep.
const MAX_SWAPPED_ITEMS: usize = 6_000;

pub(super) fn arrange(plan: &mut RankPlan) {
    let mut places = places(plan);
    let mut best = (crossings(plan, &places), plan.ranks.clone());
    for sweep in 0..N_SWEEPS {
        if best.0 == 0 {
            break;
        }
        let n_ranks = plan.ranks.len();
        match sweep % 2 {
            0 => (1..n_ranks).for_each(|rank| sort(plan, &mut places, rank, true)),
            _ => (0..n_ranks.saturating_sub(1)).rev().for_each(|rank| sort(plan, &mut places, rank, false)),
        }
        if plan.items.len() <= MAX_SWAPPED_ITEMS {
            swap_neighbours(plan, &mut places);
        }
        let found = crossings(plan, &places);
        if found < best.0 {
            best = (found, plan.ranks.clone());
        }
    }
    plan.ranks = best.1;
}

fn places(plan: &RankPlan) -> Vec<usize> {
    let mut places = vec![0; plan.items.len()];
    plan.ranks.iter().for_each(|rank| rank.iter().enumerate().for_each(|(place, item)| places[*item] = place));
    places
}

/// Sorts a rank by the mean places of neighbours in the rank above or below. Items without neighbours stay.
fn sort(plan: &mut RankPlan, places: &mut [usize], rank: usize, is_down: bool) {
    let neighbours = if is_down { &plan.above } else { &plan.below };
    let mean = |item: usize| match neighbours[item].len() {
        0 => None,
        n => Some(neighbours[item].iter().map(|other| places[*other] as f64).sum::<f64>() / n as f64),
    };
    let items = &plan.ranks[rank];
    let mut moved: Vec<(f64, usize)> = items.iter().filter_map(|item| Some((mean(*item)?, *item))).collect();
    moved.sort_by(|left, right| left.0.total_cmp(&right.0));
    let mut moved = moved.into_iter();
    let sorted: Vec<usize> = items
        .iter()
        .map(|item| if neighbours[*item].is_empty() { *item } else { moved.next().map_or(*item, |(_, next)| next) })
        .collect();
    sorted.iter().enumerate().for_each(|(place, item)| places[*item] = place);
    plan.ranks[rank] = sorted;
}

/// Swaps neighbours as long as that saves crossings, in a few rounds.
fn swap_neighbours(plan: &mut RankPlan, places: &mut [usize]) {
    const MAX_ROUNDS: usize = 4;
    for _ in 0..MAX_ROUNDS {
        let mut is_better = false;
        for rank in 0..plan.ranks.len() {
            for at in 1..plan.ranks[rank].len() {
                let (left, right) = (plan.ranks[rank][at - 1], plan.ranks[rank][at]);
                let cost = |first: usize, second: usize| {
                    inversions(&plan.above[first], &plan.above[second], places)
                        + inversions(&plan.below[first], &plan.below[second], places)
                };
                if cost(right, left) < cost(left, right) {
                    plan.ranks[rank].swap(at - 1, at);
                    places.swap(left, right);
                    is_better = true;
                }
            }
        }
        if !is_better {
            return;
        }
    }
}

/// Crossings of the edges of two neighbours, the first of which is to the left.
fn inversions(first: &[usize], second: &[usize], places: &[usize]) -> usize {
    first.iter().map(|left| second.iter().filter(|right| places[**right] < places[*left]).count()).sum()
}

/// Crossings of edges between neighbouring ranks.
fn crossings(plan: &RankPlan, places: &[usize]) -> usize {
    let between = |rank: usize| {
        let mut ends: Vec<(usize, usize)> = Vec::new();
        for item in &plan.ranks[rank] {
            ends.extend(plan.below[*item].iter().map(|lower| (places[*item], places[*lower])));
        }
        ends.sort_unstable();
        // Ends that were met, counted by place in a tree of sums.
        let n_places = plan.ranks[rank + 1].len();
        let mut sums = vec![0usize; n_places + 1];
        let mut n_crossings = 0;
        for (n_met, (_, place)) in ends.into_iter().enumerate() {
            let (mut at, mut n_before) = (place + 1, 0);
            while at > 0 {
                n_before += sums[at];
                at &= at - 1;
            }
            n_crossings += n_met - n_before;
            at = place + 1;
            while at <= n_places {
                sums[at] += 1;
                at += at & at.wrapping_neg();
            }
        }
        n_crossings
    };
    (0..plan.ranks.len().saturating_sub(1)).map(between).sum()
}
