//! States made of values: the face that symmetry needs of a system.
//!
//! A word of a state stands for one value or several. Symmetry sees the values behind a word and replaces them by their images under a
//! permutation; it needs to know nothing else. A B machine is one such system, a pair of machines with one permutation for both another.

use std::borrow::Cow;

use abridge_eval::Val;
use abridge_model::ids::Id as _;
use abridge_model_system::{ModelSystem, UNSET};
use abridge_system::System;
use abridge_value::Value;

use super::carriers::may_move;
use super::group::Group;

/// A system whose states are made of values.
pub trait ValueStates: System {
    /// Values behind a word may contain points of the group. Saying so of too many words is sound, of too few is not.
    fn may_move(&self, group: &Group, word: usize) -> bool;

    /// Values behind a word, each with the number of its place. Places of one state have different numbers.
    fn values_at<'s>(&'s self, state: &'s [u32], word: usize) -> impl Iterator<Item = (u32, Cow<'s, Val>)>;

    /// A word with the leaves of its values changed; those for which `change` returns nothing stay.
    fn map_word(&self, state: &[u32], word: usize, change: &mut dyn FnMut(&Value) -> Option<Value>) -> u32;

    /// The state before anything has a value.
    fn blank_state(&self) -> Vec<u32>;

    /// All values of a state with their places.
    fn values_of<'s>(&'s self, state: &'s [u32]) -> impl Iterator<Item = (u32, Cow<'s, Val>)> {
        (0..self.width()).flat_map(|word| self.values_at(state, word))
    }

    /// Words whose values may contain points of the group.
    fn movable_words(&self, group: &Group) -> Vec<usize> {
        (0..self.width()).filter(|word| self.may_move(group, *word)).collect()
    }
}

/// Word 0 stands for the constants, every other word for one variable.
impl<S: ModelSystem> ValueStates for S {
    fn may_move(&self, group: &Group, word: usize) -> bool {
        let model = self.model();
        match word.checked_sub(1) {
            None => model.constants.values().any(|constant| may_move(model, group, constant.ty)),
            Some(idx) => may_move(model, group, model.variables[self.variables()[idx]].ty),
        }
    }

    fn values_at<'s>(&'s self, state: &'s [u32], word: usize) -> impl Iterator<Item = (u32, Cow<'s, Val>)> {
        let constants = (word == 0).then(|| self.constants_of(state).iter());
        let constants = (0..).zip(constants.into_iter().flatten());
        let variable = (word > 0 && state[word] != UNSET).then(|| {
            let place = self.model().constants.len() + self.variables()[word - 1].index();
            (place as u32, self.decode_val(word, state[word]))
        });
        constants.filter_map(|(place, val)| Some((place, Cow::Borrowed(val.as_ref()?)))).chain(variable)
    }

    fn map_word(&self, state: &[u32], word: usize, change: &mut dyn FnMut(&Value) -> Option<Value>) -> u32 {
        if word == 0 {
            return self.map_constants(state, change).unwrap_or(state[0]);
        }
        if state[word] == UNSET {
            return UNSET;
        }
        let image = self.decode_val(word, state[word]).map_leaves(change);
        image.map_or(state[word], |image| self.encode_val(word, &image))
    }

    fn blank_state(&self) -> Vec<u32> {
        self.words_of(&self.blank(), false)
    }
}
