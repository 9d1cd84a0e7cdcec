//! State table as bytes, for checkpoints.
//!
//! Chunks, quads and parents are append-only, so a checkpoint appends only the data added since the last one. The other data is small and rewritten
//! as a whole. Restoring must give every state its old number.
//!
//! Restoring checks all data: an index outside a table, or a parent after its child, makes the checkpoint invalid. Otherwise a file could make the
//! search panic, or follow parents forever.

use std::io::{self, Read, Write};
use std::sync::PoisonError;

use crate::parents::Parents;
use crate::roots::CHUNK_STATES;
use crate::shard::{Known, shard_of};
use crate::table::{MAX_STATES, StateTable};

/// Saved lengths of the append-only parts of a table.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct SavedLengths {
    pub chunks: u64,
    pub quads: u64,
    pub parent_words: u64,
}

/// Sinks or sources of the append-only parts.
pub struct TableParts<T> {
    pub roots: T,
    pub quads: T,
    pub parents: T,
}

/// Callbacks while a table is restored.
pub struct Restoring<'r> {
    /// True if the words can be a state.
    pub is_state: &'r dyn Fn(&[u32]) -> bool,
    /// Called regularly, so that a large table can be spilled during the restoration.
    pub pause: &'r mut dyn FnMut(&mut StateTable) -> io::Result<()>,
}

impl StateTable {
    /// Appends the data added since the last call. Only tables with [`Order::Ascending`] can be saved.
    pub fn save(&self, lengths: &mut SavedLengths, to: TableParts<&mut dyn Write>) -> io::Result<()> {
        for chunk in lengths.chunks as usize..self.roots.n_chunks() {
            self.roots.save_chunk(chunk, to.roots)?;
        }
        for id in lengths.quads..self.quads.len() {
            for half in self.quads.get(id as u32) {
                to.quads.write_all(&half.to_le_bytes())?;
            }
        }
        let Parents::Ascending(runs) = &self.parents else { return Err(io::ErrorKind::Unsupported.into()) };
        let n_words = runs.full_words();
        for word in &n_words[lengths.parent_words as usize..] {
            to.parents.write_all(&word.to_le_bytes())?;
        }
        *lengths = SavedLengths {
            chunks: self.roots.n_chunks() as u64,
            quads: self.quads.len(),
            parent_words: n_words.len() as u64,
        };
        Ok(())
    }

    /// Data that is not append-only, which [`StateTable::save`] omits.
    pub fn save_rest(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut put = |number: u64| bytes.extend_from_slice(&number.to_le_bytes());
        if let Parents::Ascending(runs) = &self.parents {
            put(runs.len());
            put(runs.last_word());
        }
        put(self.roots.tail().len() as u64);
        self.roots.tail().iter().for_each(|root| put(*root));
        bytes
    }

    /// Restores a saved table into an empty one.
    pub fn restore(
        mut table: StateTable,
        lengths: SavedLengths,
        from: TableParts<&mut dyn Read>,
        rest: &[u8],
        restoring: Restoring<'_>,
    ) -> io::Result<StateTable> {
        let mut rest = rest;
        for id in 0..lengths.quads {
            if table.quads.add([number(from.quads)?, number(from.quads)?]) != Some(id as u32) {
                return Err(io::ErrorKind::InvalidData.into());
            }
        }
        let (len, last_word) = (number(&mut rest)?, number(&mut rest)?);
        if let Parents::Ascending(runs) = &mut table.parents {
            for _ in 0..lengths.parent_words {
                runs.push_word(number(from.parents)?);
            }
            runs.end_with(last_word, len).ok_or(io::ErrorKind::InvalidData)?;
        }
        let mut buffers = (Vec::new(), Vec::new());
        for _ in 0..lengths.chunks {
            if table.len() as u64 + CHUNK_STATES as u64 > MAX_STATES {
                return Err(io::ErrorKind::InvalidData.into());
            }
            let start = table.len();
            let roots = table.roots.load_chunk(from.roots)?;
            for (number, root) in (start..).zip(roots) {
                table.index_checked(root, number, restoring.is_state, &mut buffers)?;
            }
            (restoring.pause)(&mut table)?;
        }
        let n_tail = number(&mut rest)?;
        if n_tail >= CHUNK_STATES as u64 || table.len() as u64 + n_tail > MAX_STATES {
            return Err(io::ErrorKind::InvalidData.into());
        }
        for _ in 0..n_tail {
            let root = number(&mut rest)?;
            let number = table.append(root);
            table.index_checked(root, number as usize, restoring.is_state, &mut buffers)?;
        }
        if !rest.is_empty() || table.n_closed().is_none() {
            return Err(io::ErrorKind::InvalidData.into());
        }
        Ok(table)
    }

    /// Number of states whose children are all in the table; `None` if the parent links are not those of a search.
    pub fn n_closed(&self) -> Option<u64> {
        match &self.parents {
            Parents::Ascending(runs) => runs.n_parents(self.len() as u64),
            Parents::Listed(_) => None,
        }
    }

    /// Adds a root to the index, after checking that its words can be a state.
    fn index_checked(
        &mut self,
        root: u64,
        number: usize,
        is_state: &dyn Fn(&[u32]) -> bool,
        (words, ids): &mut (Vec<u32>, Vec<u32>),
    ) -> io::Result<()> {
        if !self.try_unfold(root, words, ids) || !is_state(words) {
            return Err(io::ErrorKind::InvalidData.into());
        }
        self.index(root, number);
        Ok(())
    }

    /// Adds a root to the index.
    fn index(&mut self, root: u64, number: usize) {
        let known = Known { roots: &self.roots, base: self.base };
        let shard = self.shards[shard_of(root)].get_mut().unwrap_or_else(PoisonError::into_inner);
        shard.add(root, number - self.base, known);
    }
}

fn number(source: &mut dyn Read) -> io::Result<u64> {
    let mut bytes = [0; 8];
    source.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quads::QuadCache;
    use crate::table::{Inserted, NO_PARENT, Order};
    use crate::volume::Ram;

    fn grow(table: &mut StateTable, cache: &mut QuadCache, numbers: std::ops::Range<u32>) -> io::Result<()> {
        for n in numbers {
            let words = [n % 50, n / 50 % 300, n / 7, 3];
            let root = table.fold(cache, &words, None, &mut Vec::new());
            assert_eq!(table.insert(root)?, Inserted::New(n));
            table.close(n.checked_sub(1).unwrap_or(NO_PARENT), 1);
        }
        Ok(())
    }

    #[test]
    fn a_table_saved_in_pieces_comes_back() -> io::Result<()> {
        [false, true].into_iter().try_for_each(saved_in_pieces)
    }

    fn saved_in_pieces(is_numbered: bool) -> io::Result<()> {
        let mut table = StateTable::new(4, Order::Ascending).numbered(is_numbered);
        let (mut cache, mut lengths, volume) = (QuadCache::new(), SavedLengths::default(), Ram::new());
        let (mut roots, mut quads, mut parents) = (Vec::new(), Vec::new(), Vec::new());
        for piece in 0..5_u32 {
            grow(&mut table, &mut cache, piece * 21_000..(piece + 1) * 21_000)?;
            let parts = TableParts { roots: &mut roots as &mut dyn Write, quads: &mut quads, parents: &mut parents };
            table.save(&mut lengths, parts)?;
            for spills in [false, true] {
                let (mut roots, mut quads, mut parents) = (roots.as_slice(), quads.as_slice(), parents.as_slice());
                let from = TableParts { roots: &mut roots as &mut dyn Read, quads: &mut quads, parents: &mut parents };
                let mut pause = |table: &mut StateTable| if spills { table.spill(&volume) } else { Ok(()) };
                let restoring = Restoring { is_state: &|words| words[3] == 3, pause: &mut pause };
                let empty = StateTable::new(4, Order::Ascending).numbered(is_numbered);
                let mut copy = StateTable::restore(empty, lengths, from, &table.save_rest(), restoring)?;
                assert_eq!(copy.len(), table.len());
                for state in (0..table.len() as u32).step_by(97) {
                    assert_eq!(copy.get(state)?, table.get(state)?);
                    assert_eq!(copy.parent(state), table.parent(state));
                }
                assert_eq!(copy.is_spilled(), spills);
                let known = table.fold(&mut cache, &table.get(777)?, None, &mut Vec::new());
                let Inserted::Known(number) = copy.insert(known)? else { panic!("state 777 is new") };
                assert!(!is_numbered || number == 777, "{number}");
            }
        }
        Ok(())
    }
}
