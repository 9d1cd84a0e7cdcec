//! The method that is used by default: signatures of values, then refinement, then search, each only for what the one before left open.
//!
//! The signature of a point in a value describes all its occurrences there; it is computed once for a value, and the colour of a point in
//! a state is the sum of its signatures. Points are sorted by colour within their blocks. Where points of one colour can be
//! exchanged without changing the state (twins: bound elements that play the same part), any order of them gives the same state, and
//! nothing is left to do; that is the case in most states of most models. Otherwise colours are refined, and at last points of one
//! colour are told apart one by one (`search.rs`). The representative is the state with its points renamed in the order found.
//!
//! If hardly any state turns out to have another representative than itself, each state stands for itself until there are twice as many states.
//!
//! Colours are numbers of 64 bits made from values. If two different descriptions should ever have the same number, two symmetric states
//! might not be identified; states that are not symmetric never are.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use abridge_eval::Val;
use abridge_model_system::UNSET;
use abridge_system::Alike;
use rustc_hash::FxHashMap;

use super::cache::{Allowance, PerId};
use super::group::{Group, Permutation};
use super::permute::permute_word;
use super::quotient::{Canonizer, Quotient};
use super::search::LabelSearch;
use super::states::ValueStates;
use super::term::{Sweep, ValueTerm, mix, mix2};

/// Bytes for descriptions of values; those of further values are computed whenever they are needed.
const INFO_BYTES: usize = 64 << 20;
/// Images of values that a thread remembers for each word.
const MAX_IMAGES: usize = 1 << 14;
/// After so many questions, images of a word's values must have been known in one of eight cases to be remembered any longer.
const TRIAL: u32 = 4096;

/// Representatives by signatures, refinement and search.
pub struct Auto<'s, S> {
    system: &'s S,
    group: Group,
    /// The words in whose values points may occur.
    words: Vec<usize>,
    /// For each word of a state and each of its values.
    infos: Vec<PerId<Option<Box<PointInfo>>>>,
    allowance: Allowance,
    worth: Benefits,
}

/// Whether it pays to look for representatives. Decided when no thread is at work, from sums that do not depend on how many there are.
#[derive(Default)]
struct Benefits {
    n_states: AtomicU32,
    /// How many of them were not their own representatives.
    n_changed: AtomicU32,
    is_decided: AtomicBool,
    is_given_up: AtomicBool,
    /// With so many states, what was given up is tried again.
    again_at: AtomicU64,
}

/// After so many states, one of so many must have had another representative than itself.
const TRIAL_STATES: u32 = 4096;
const STATES_PER_CHANGED_STATE: u32 = 256;

impl Benefits {
    fn note(&self, is_changed: bool) {
        if !self.is_decided.load(Ordering::Relaxed) {
            self.n_states.fetch_add(1, Ordering::Relaxed);
            self.n_changed.fetch_add(u32::from(is_changed), Ordering::Relaxed);
        }
    }

    fn decide(&self, so_far: u64) {
        if self.is_given_up() {
            if so_far >= self.again_at.load(Ordering::Relaxed) {
                [&self.n_states, &self.n_changed].into_iter().for_each(|count| count.store(0, Ordering::Relaxed));
                [&self.is_given_up, &self.is_decided].into_iter().for_each(|flag| flag.store(false, Ordering::Relaxed));
            }
            return;
        }
        let (n_states, n_changed) = (self.n_states.load(Ordering::Relaxed), self.n_changed.load(Ordering::Relaxed));
        if n_states >= TRIAL_STATES && !self.is_decided.swap(true, Ordering::Relaxed) {
            self.is_given_up.store(n_changed < n_states / STATES_PER_CHANGED_STATE, Ordering::Relaxed);
            self.again_at.store(so_far * 2, Ordering::Relaxed);
        }
    }

    fn is_given_up(&self) -> bool {
        self.is_given_up.load(Ordering::Relaxed)
    }
}

/// How points occur in a value.
#[derive(Default)]
pub(super) struct PointInfo {
    pub(super) term: ValueTerm,
    /// The points that occur, ascending, and their signatures.
    support: Vec<u32>,
    signatures: Vec<u64>,
    /// See [`ValueTerm::is_unary`].
    is_unary: bool,
    /// For each point of the group the least point that it can be exchanged with.
    twins: OnceLock<Box<[u32]>>,
    /// For each point that occurs, the number of the value as seen from it.
    views: OnceLock<Box<[u64]>>,
}

impl<'s, S: ValueStates> Auto<'s, S> {
    pub fn new(system: &'s S, group: Group) -> Self {
        let infos = (0..system.width()).map(|_| PerId::new()).collect();
        let words = system.movable_words(&group);
        Auto { system, group, words, infos, allowance: Allowance::new(INFO_BYTES), worth: Benefits::default() }
    }

    pub fn group(&self) -> &Group {
        &self.group
    }

    /// Describes the value of a word in `info`; false if it has no points.
    fn describe(&self, state: &[u32], word: usize, info: &mut PointInfo, scratch: &mut AutoScratch) -> bool {
        info.term.fill(&self.group, self.system.values_at(state, word).map(|(_, val)| val));
        if info.term.is_empty() {
            return false;
        }
        info.describe(&self.group, scratch);
        true
    }
}

impl PointInfo {
    fn describe(&mut self, group: &Group, scratch: &mut AutoScratch) {
        self.is_unary = self.term.is_unary();
        self.twins = OnceLock::new();
        self.views = OnceLock::new();
        scratch.sums.clear();
        scratch.sums.resize(group.n_points(), None);
        if scratch.plain.is_empty() {
            scratch.plain.extend((0..group.n_points() as u32).map(|point| mix(u64::from(group.block_of(point)))));
        }
        let sums = &mut scratch.sums;
        self.term.surroundings(&scratch.plain, &mut scratch.sweep, |point, number| {
            let sum = sums[point as usize].get_or_insert(0);
            *sum = sum.wrapping_add(number);
        });
        self.support.clear();
        self.signatures.clear();
        for (point, sum) in (0..).zip(sums) {
            if let Some(sum) = sum {
                self.support.push(point);
                self.signatures.push(*sum);
            }
        }
    }

    /// Describes a value outside of states; false if it has no points.
    pub(super) fn describe_alone(&mut self, group: &Group, val: &Val) -> bool {
        self.term.fill(group, std::iter::once(val));
        if self.term.is_empty() {
            return false;
        }
        self.describe(group, &mut AutoScratch::default());
        true
    }

    /// The same as [`PointInfo::twins`]; in a value with more points, those that occur are taken to have no twins.
    pub(super) fn twins_alone(&self, group: &Group, max_points: usize) -> Box<[u32]> {
        if self.support.len() <= max_points || self.is_unary {
            return self.find_twins(group, &mut Sweep::default());
        }
        let absent = |point: &u32| self.support.binary_search(point).is_err();
        let twin = |point: u32| {
            let block = group.ranges().find(|range| range.contains(&point)).unwrap_or(point..point);
            if absent(&point) { block.into_iter().find(absent).unwrap_or(point) } else { point }
        };
        (0..group.n_points() as u32).map(twin).collect()
    }

    fn bytes(&self, group: &Group) -> usize {
        self.term.bytes() + self.support.len() * 12 + group.n_points() * 4 + size_of::<PointInfo>()
    }

    /// For each point the least one that it can be exchanged with.
    pub(super) fn twins(&self, group: &Group, sweep: &mut Sweep) -> &[u32] {
        self.twins.get_or_init(|| self.find_twins(group, sweep))
    }

    /// The value as seen from each point that occurs: where the point itself is, and where others are that it cannot tell apart.
    fn views(&self, group: &Group, sweep: &mut Sweep) -> &[u64] {
        self.views.get_or_init(|| {
            let alike = |point: u32| mix(u64::from(group.block_of(point)));
            let mut colours: Vec<u64> = (0..group.n_points() as u32).map(alike).collect();
            let view = |point: &u32| {
                colours[*point as usize] = !alike(*point);
                let view = self.term.hash(&colours, sweep);
                colours[*point as usize] = alike(*point);
                view
            };
            self.support.iter().map(view).collect()
        })
    }

    /// Being exchangeable is an equivalence, so one comparison with each class is enough. Points that do not occur are all alike.
    fn find_twins(&self, group: &Group, sweep: &mut Sweep) -> Box<[u32]> {
        let n_points = group.n_points() as u32;
        let mut colours: Vec<u64> = (0..n_points).map(|point| mix(u64::from(point))).collect();
        let whole = self.term.hash(&colours, sweep);
        let mut signatures = vec![0; n_points as usize];
        for (point, signature) in self.support.iter().zip(&self.signatures) {
            signatures[*point as usize] = *signature;
        }
        let occurs = |point: u32| self.support.binary_search(&point).is_ok();
        let mut twins: Box<[u32]> = (0..n_points).collect();
        for range in group.ranges() {
            for point in range.clone() {
                let alike = |other: &u32| {
                    twins[*other as usize] == *other && signatures[*other as usize] == signatures[point as usize]
                };
                let found = (range.start..point).filter(alike).find(|other| {
                    if !occurs(point) || self.is_unary {
                        return true;
                    }
                    colours.swap(*other as usize, point as usize);
                    let is_same = self.term.hash(&colours, sweep) == whole;
                    colours.swap(*other as usize, point as usize);
                    is_same
                });
                twins[point as usize] = found.unwrap_or(point);
            }
        }
        twins
    }
}

impl<S: ValueStates> Quotient for Auto<'_, S> {
    type Canonizer<'a>
        = AutoCanonizer<'a, S>
    where
        Self: 'a;

    fn canonizer(&self) -> AutoCanonizer<'_, S> {
        AutoCanonizer {
            auto: self,
            own: (0..self.system.width()).map(|_| PointInfo::default()).collect(),
            scratch: AutoScratch::default(),
            colours: Vec::new(),
            order: Vec::new(),
            images: Vec::new(),
            images_of_words: (0..self.system.width()).map(|_| Images::default()).collect(),
            key: Vec::new(),
            is_judge: false,
            twins: Twins { group: &self.group, classes: Vec::new() },
        }
    }

    fn judge(&self) -> AutoCanonizer<'_, S> {
        AutoCanonizer { is_judge: true, ..self.canonizer() }
    }

    fn tidy(&self, n_states: u64) {
        self.worth.decide(n_states);
    }

    fn is_lasting(&self) -> bool {
        true
    }

    fn bytes(&self) -> u64 {
        self.allowance.spent() as u64
    }
}

#[derive(Default)]
struct AutoScratch {
    sweep: Sweep,
    /// For each point that occurs the sum of what surrounds it.
    sums: Vec<Option<u64>>,
    /// Colours by which only blocks are told apart.
    plain: Vec<u64>,
}

pub struct AutoCanonizer<'a, S> {
    auto: &'a Auto<'a, S>,
    /// Descriptions of values that are not kept for others.
    own: Vec<PointInfo>,
    scratch: AutoScratch,
    colours: Vec<u64>,
    /// The points, block by block, in the order of their new names.
    order: Vec<u32>,
    images: Vec<u32>,
    images_of_words: Vec<Images>,
    key: Vec<u32>,
    /// Goes on when looking for representatives has been given up.
    is_judge: bool,
    twins: Twins<'a>,
}

/// Points of a state that can be exchanged.
struct Twins<'a> {
    group: &'a Group,
    /// For each point the first one that it can be exchanged with; [`NO_CLASS`] for points without twins.
    classes: Vec<u32>,
}

const NO_CLASS: u32 = u32::MAX;

impl Alike for Twins<'_> {
    fn class(&self, set: u32, index: u32) -> Option<u32> {
        let point = self.group.point(set, index)?;
        Some(self.classes[point as usize]).filter(|class| *class != NO_CLASS)
    }
}

/// Images of the values of a word.
#[derive(Default)]
struct Images {
    /// Value and images of the points that occur, to the new value.
    known: FxHashMap<Box<[u32]>, u32>,
    n_asked: u32,
    n_known: u32,
    is_given_up: bool,
}

impl Images {
    fn get(&mut self, key: &[u32]) -> Option<u32> {
        if self.is_given_up {
            return None;
        }
        let known = self.known.get(key).copied();
        self.n_asked += 1;
        self.n_known += u32::from(known.is_some());
        if self.n_asked == TRIAL {
            if self.n_known < TRIAL / 8 {
                *self = Images { is_given_up: true, ..Images::default() };
            } else {
                (self.n_asked, self.n_known) = (0, 0);
            }
        }
        known
    }

    fn insert(&mut self, key: &[u32], image: u32) {
        if self.is_given_up {
            return;
        }
        if self.known.len() >= MAX_IMAGES {
            self.known.clear();
        }
        self.known.insert(key.into(), image);
    }
}

impl<'a, S: ValueStates> AutoCanonizer<'a, S> {
    /// The description that all threads share, if there is one; otherwise whether our own one was made.
    fn look_up(&mut self, state: &[u32], word: usize) -> CachedForm<'a> {
        let id = if word == 0 { state[0] >> 1 } else { state[word] };
        if word > 0 && id == UNSET {
            return CachedForm::Nothing;
        }
        let auto = self.auto;
        if let Some(place) = auto.infos[word].place(id, auto.allowance.is_left()) {
            if place.get().is_none() && auto.allowance.is_left() {
                let mut info = Box::<PointInfo>::default();
                let has_points = auto.describe(state, word, &mut info, &mut self.scratch);
                auto.allowance.spend(if has_points { info.bytes(&auto.group) } else { 0 } + size_of::<usize>() * 2);
                let _ = place.set(has_points.then_some(info));
            }
            if let Some(info) = place.get() {
                return info.as_deref().map_or(CachedForm::Nothing, CachedForm::Shared);
            }
        }
        let mut own = std::mem::take(&mut self.own[word]);
        let has_points = auto.describe(state, word, &mut own, &mut self.scratch);
        self.own[word] = own;
        if has_points { CachedForm::Own } else { CachedForm::Nothing }
    }

    fn look_up_all(&mut self, state: &[u32]) -> Vec<(usize, CachedForm<'a>)> {
        self.auto.words.iter().map(|word| (*word, self.look_up(state, *word))).collect()
    }

    /// Renames the points of the value of a word.
    fn rename(&mut self, state: &[u32], word: usize, support: &[u32]) -> u32 {
        let images = &self.images;
        if support.iter().all(|point| images[*point as usize] == *point) {
            return state[word];
        }
        self.key.clear();
        self.key.push(state[word]);
        self.key.extend(support.iter().map(|point| images[*point as usize]));
        if let Some(known) = self.images_of_words[word].get(&self.key) {
            return known;
        }
        let image = permute_word(self.auto.system, &self.auto.group, images, state, word);
        self.images_of_words[word].insert(&self.key, image);
        image
    }
}

enum CachedForm<'a> {
    /// No points.
    Nothing,
    Shared(&'a PointInfo),
    Own,
}

/// The words with points, with their descriptions.
fn described<'i>(looked: &[(usize, CachedForm<'i>)], own: &'i [PointInfo]) -> Vec<(usize, &'i PointInfo)> {
    let described = looked.iter().filter_map(|(word, looked)| match looked {
        CachedForm::Nothing => None,
        CachedForm::Shared(info) => Some((*word, *info)),
        CachedForm::Own => Some((*word, &own[*word])),
    });
    described.collect()
}

impl<S: ValueStates> AutoCanonizer<'_, S> {
    /// The marker of a state: a number for each word, in which each point is replaced by what is seen from it. True if markers decide
    /// for such states (see `marker.rs`).
    pub(super) fn mark(&mut self, state: &[u32], marker: &mut Vec<u64>) -> bool {
        let looked = self.look_up_all(state);
        let infos = described(&looked, &self.own);
        let group = &self.auto.group;
        marker.clear();
        marker.extend(state.iter().map(|word| u64::from(*word)));
        self.colours.clear();
        self.colours.extend((0..group.n_points() as u32).map(|point| mix(u64::from(group.block_of(point)))));
        for (word, info) in &infos {
            for (point, view) in info.support.iter().zip(info.views(group, &mut self.scratch.sweep)) {
                let colour = &mut self.colours[*point as usize];
                *colour = colour.wrapping_add(mix2(*view, *word as u64));
            }
        }
        for (word, info) in &infos {
            let is_initialised = if *word == 0 { u64::from(state[0] & 1) } else { 0 };
            marker[*word] = mix2(info.term.hash(&self.colours, &mut self.scratch.sweep), is_initialised);
        }
        infos.iter().all(|(_, info)| info.is_unary)
    }
}

impl<S: ValueStates> Canonizer for AutoCanonizer<'_, S> {
    fn represent(&mut self, state: &mut [u32]) {
        self.images.clear();
        if self.auto.worth.is_given_up() && !self.is_judge {
            return;
        }
        let group = &self.auto.group;
        let looked = self.look_up_all(state);
        let own = std::mem::take(&mut self.own);
        let infos = described(&looked, &own);
        let mut is_changed = false;
        if !infos.is_empty() {
            find_order(group, &infos, &mut self.colours, &mut self.order, &mut self.scratch.sweep);
            images_of(&self.order, &mut self.images);
            for (word, info) in infos {
                let image = self.rename(state, word, &info.support);
                is_changed |= image != state[word];
                state[word] = image;
            }
        }
        if !self.is_judge {
            self.auto.worth.note(is_changed);
        }
        self.own = own;
    }

    fn images(&self) -> Option<&[u32]> {
        Some(&self.images)
    }

    fn alike(&mut self, state: &[u32]) -> Option<&dyn Alike> {
        if self.auto.worth.is_given_up() {
            return None;
        }
        let group = &self.auto.group;
        let looked = self.look_up_all(state);
        let infos = described(&looked, &self.own);
        colour_by_signatures(group, &infos, &mut self.colours);
        sort_by_colour(group, &self.colours, &mut self.order);
        let tangled: Vec<&PointInfo> = infos.iter().map(|(_, info)| *info).filter(|info| !info.is_unary).collect();
        let mut search = LabelSearch::new(group, &tangled, &self.colours, &mut self.scratch.sweep);
        search.find_twins(&self.order, NO_CLASS, &mut self.twins.classes);
        let has_twins = self.twins.classes.iter().any(|class| *class != NO_CLASS);
        has_twins.then_some(&self.twins as &dyn Alike)
    }

    fn alike_at_first(&mut self) -> Option<&dyn Alike> {
        let blank = self.auto.system.blank_state();
        self.alike(&blank)
    }
}

/// The order of the points in which all symmetric states agree, from the descriptions of their values.
fn find_order(
    group: &Group,
    infos: &[(usize, &PointInfo)],
    colours: &mut Vec<u64>,
    order: &mut Vec<u32>,
    sweep: &mut Sweep,
) {
    colour_by_signatures(group, infos, colours);
    sort_by_colour(group, colours, order);
    let tangled: Vec<&PointInfo> = infos.iter().map(|(_, info)| *info).filter(|info| !info.is_unary).collect();
    if !tangled.is_empty() {
        LabelSearch::new(group, &tangled, colours, sweep).settle(order);
    }
}

/// The sums of the signatures of each point.
fn colour_by_signatures(group: &Group, infos: &[(usize, &PointInfo)], colours: &mut Vec<u64>) {
    colours.clear();
    colours.resize(group.n_points(), 0);
    for (place, info) in infos {
        for (point, signature) in info.support.iter().zip(&info.signatures) {
            let colour = &mut colours[*point as usize];
            *colour = colour.wrapping_add(mix2(*signature, *place as u64));
        }
    }
}

/// The permutation that renames the points in an order.
pub(super) fn images_of(order: &[u32], images: &mut Vec<u32>) {
    images.clear();
    images.resize(order.len(), 0);
    for (new, old) in (0..).zip(order) {
        images[*old as usize] = new;
    }
}

fn describe_all(group: &Group, vals: &[Val]) -> Vec<(usize, PointInfo)> {
    let describe = |(place, val): (usize, &Val)| {
        let mut info = PointInfo::default();
        info.describe_alone(group, val).then_some((place, info))
    };
    vals.iter().enumerate().filter_map(describe).collect()
}

/// How many permutations leave a tuple of values as it is, as factors of a product, if twins are all there is to it.
pub(super) fn stabiliser_by_twins(group: &Group, vals: &[Val]) -> Option<Vec<u64>> {
    let infos = describe_all(group, vals);
    let infos: Vec<(usize, &PointInfo)> = infos.iter().map(|(place, info)| (*place, info)).collect();
    let (mut colours, mut order, mut sweep) = (Vec::new(), Vec::new(), Sweep::default());
    colour_by_signatures(group, &infos, &mut colours);
    sort_by_colour(group, &colours, &mut order);
    let tangled: Vec<&PointInfo> = infos.iter().map(|(_, info)| *info).filter(|info| !info.is_unary).collect();
    let mut search = LabelSearch::new(group, &tangled, &colours, &mut sweep);
    search.twins_only(&order)
}

/// The permutation that maps a tuple of values to its representative.
pub fn canonical_permutation(group: &Group, vals: &[Val]) -> Permutation {
    let infos = describe_all(group, vals);
    let infos: Vec<(usize, &PointInfo)> = infos.iter().map(|(place, info)| (*place, info)).collect();
    let (mut order, mut images) = (Vec::new(), Vec::new());
    find_order(group, &infos, &mut Vec::new(), &mut order, &mut Sweep::default());
    images_of(&order, &mut images);
    images
}

/// The points, block by block, by colour within each.
pub(super) fn sort_by_colour(group: &Group, colours: &[u64], order: &mut Vec<u32>) {
    order.clear();
    order.extend(0..group.n_points() as u32);
    for range in group.ranges() {
        order[range.start as usize..range.end as usize].sort_unstable_by_key(|point| colours[*point as usize]);
    }
}
