//! States whose representatives are known, shared by all threads.

use std::hash::BuildHasher as _;
use std::sync::{Mutex, PoisonError};

use rustc_hash::{FxBuildHasher, FxHashMap};

use super::cache::Allowance;

const N_SHARDS: usize = 64;

type Shard = FxHashMap<Box<[u32]>, Box<[u32]>>;

/// A map from states to representatives.
pub(super) struct KnownRepresentatives {
    shards: Vec<Mutex<Shard>>,
    allowance: Allowance,
}

impl KnownRepresentatives {
    /// Remembers states as long as they take no more than so many bytes.
    pub(super) fn new(limit: usize) -> Self {
        let shards = (0..N_SHARDS).map(|_| Mutex::default()).collect();
        KnownRepresentatives { shards, allowance: Allowance::new(limit) }
    }

    fn shard(&self, state: &[u32]) -> &Mutex<Shard> {
        // The low bits choose the place within the shard.
        &self.shards[(FxBuildHasher.hash_one(state) >> 40) as usize % N_SHARDS]
    }

    /// Replaces a state by its representative, if that is known.
    pub(super) fn replace(&self, state: &mut [u32]) -> bool {
        let shard = self.shard(state).lock().unwrap_or_else(PoisonError::into_inner);
        match shard.get(&*state) {
            Some(known) => {
                state.copy_from_slice(known);
                true
            }
            None => false,
        }
    }

    pub(super) fn insert(&self, state: &[u32], representative: &[u32]) {
        if !self.allowance.is_left() {
            return;
        }
        self.allowance.spend(state.len() * 8 + 48);
        let mut shard = self.shard(state).lock().unwrap_or_else(PoisonError::into_inner);
        shard.insert(state.into(), representative.into());
    }

    pub(super) fn bytes(&self) -> u64 {
        self.allowance.spent() as u64
    }
}
