//! Symmetry of pairs: one permutation acts on the concrete state and on every abstract one.
//!
//! The group is that of both texts together, with the gluing invariant. A representative is the image of its pair under one permutation,
//! so that related states stay related and events keep matching; permuting the levels separately would find false counterexamples.

use std::borrow::Cow;

use abridge_eval::Val;
use abridge_model_system::ModelSystem as _;
use abridge_reduce::symmetry::{Group, ValueStates};
use abridge_system::System as _;
use abridge_value::Value;

use crate::pair::Pair;
use crate::spec::{Spec, as_set};

impl Pair<'_> {
    /// The values of the abstract part: the constants, which a permutation must move as well, and those of its one state, or all of them as one value. Where that has no canonical form, those of
    /// all states in the order of their vectors, which may fail to identify pairs and is sound.
    fn abstract_vals<'s>(&'s self, spec: &'s Spec) -> &'s [Val] {
        spec.vals.get_or_init(|| {
            let variables = |state: &[u32]| -> Vec<Option<Val>> {
                let system = &self.abstracted.system;
                (1..system.width()).map(|word| system.value_of(word, state[word]).map(Cow::into_owned)).collect()
            };
            let all: Vec<Vec<Option<Val>>> = spec.states.iter().map(|state| variables(state)).collect();
            let single = if all.len() > 1 { as_set(&all) } else { None };
            let constants =
                spec.states.first().map(|state| self.abstracted.system.constants_of(state).iter().flatten());
            let constants = constants.into_iter().flatten().cloned();
            match single {
                Some(set) => constants.chain([set]).collect(),
                None => constants.chain(all.into_iter().flatten().flatten()).collect(),
            }
        })
    }
}

impl ValueStates for Pair<'_> {
    fn may_move(&self, group: &Group, word: usize) -> bool {
        if word + 1 < self.width() {
            return self.concrete.system.may_move(group, word);
        }
        (0..self.abstracted.system.width()).any(|word| self.abstracted.system.may_move(group, word))
    }

    fn values_at<'s>(&'s self, state: &'s [u32], word: usize) -> impl Iterator<Item = (u32, Cow<'s, Val>)> {
        let last = self.width() - 1;
        let (own, others) = if word < last {
            (Some(self.concrete.system.values_at(self.concrete_words(state), word)), &[][..])
        } else {
            (None, self.abstract_vals(self.spec(state)))
        };
        let model = self.gluing.system().model();
        let first = (model.constants.len() + model.variables.len()) as u32;
        own.into_iter().flatten().chain((first..).zip(others.iter().map(Cow::Borrowed)))
    }

    fn map_word(&self, state: &[u32], word: usize, change: &mut dyn FnMut(&Value) -> Option<Value>) -> u32 {
        if word + 1 < self.width() {
            return self.concrete.system.map_word(self.concrete_words(state), word, change);
        }
        let spec = self.spec(state);
        let system = &self.abstracted.system;
        let image = |old: &[u32], change: &mut dyn FnMut(&Value) -> Option<Value>| -> Box<[u32]> {
            (0..old.len()).map(|word| system.map_word(old, word, change)).collect()
        };
        let states = spec.states.iter().map(|old| image(old, change)).collect();
        self.specs.number(Spec::new(states, spec.outcome))
    }

    fn blank_state(&self) -> Vec<u32> {
        let mut words = self.concrete.system.blank_state();
        let system = &self.abstracted.system;
        let blank = system.words_of(&system.blank(), false);
        words.push(self.specs.number(Spec::new(vec![blank.into()], crate::spec::MatchResult::Followed)));
        words
    }
}
