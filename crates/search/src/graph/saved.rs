//! Stored steps as bytes, for checkpoints.
//!
//! Full chunks never change, so a checkpoint appends those that are new since the last one; the rest is small and written as a whole. What is read back
//! is checked record by record, since a target that does not exist would end the run in a panic.

use std::io::{self, Read, Write};

use abridge_system::Gap;
use abridge_value::bytes::{Reader, put_bytes, put_number};

use super::{CHUNK_STATES, StateGraph, Tail, record};
use crate::disk::GAPS;

/// Bytes of a chunk beyond which it is no chunk.
const MAX_CHUNK_BYTES: u32 = 1 << 30;

impl StateGraph {
    /// Appends the chunks after the first `n_saved`, and counts them.
    pub(crate) fn save(&self, n_saved: &mut u64, sink: &mut dyn Write) -> io::Result<()> {
        let mut buffer = Vec::new();
        for chunk in &self.chunks[*n_saved as usize..] {
            sink.write_all(&chunk.data.len().to_le_bytes())?;
            match &chunk.data {
                super::Data::Here(bytes) => sink.write_all(bytes)?,
                super::Data::There(offset, len) => {
                    if !self.read_chunk(*offset, *len, &mut buffer) {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                    sink.write_all(&buffer)?;
                }
            }
        }
        *n_saved = self.chunks.len() as u64;
        Ok(())
    }

    /// What [`StateGraph::save`] omits.
    pub(crate) fn save_rest(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let gap = self.gap.and_then(|gap| GAPS.iter().position(|other| *other == gap));
        put_number(&mut out, gap.map_or(0, |gap| gap as u64 + 1));
        put_bytes(&mut out, &self.tail.bytes);
        out
    }

    /// Adds a saved chunk.
    pub(crate) fn load(
        &mut self,
        source: &mut dyn Read,
        n_states: u64,
        is_mark: &dyn Fn(u64) -> bool,
    ) -> io::Result<()> {
        let mut len = [0; 4];
        source.read_exact(&mut len)?;
        let len = u32::from_le_bytes(len);
        if len > MAX_CHUNK_BYTES {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let mut bytes = Vec::new();
        if source.take(u64::from(len)).read_to_end(&mut bytes)? != len as usize {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.take_up(&bytes, n_states, is_mark)
            .filter(|n_records| *n_records == CHUNK_STATES)
            .map(drop)
            .ok_or_else(|| io::ErrorKind::InvalidData.into())
    }

    /// Adds what is not in chunks.
    pub(crate) fn load_rest(&mut self, rest: &[u8], n_states: u64, is_mark: &dyn Fn(u64) -> bool) -> Option<()> {
        let mut reader = Reader::new(rest);
        let gap = reader.small::<usize>()?;
        let gap: Option<Gap> =
            gap.checked_sub(1).map(|gap| GAPS.get(gap).copied()).map_or(Some(None), |gap| gap.map(Some))?;
        self.gap = self.gap.max(gap);
        let n_records = self.take_up(reader.bytes()?, n_states, is_mark)?;
        (reader.is_empty() && n_records < CHUNK_STATES).then_some(())
    }

    /// Adds records that come from a file; their number, unless one is wrong.
    fn take_up(&mut self, mut bytes: &[u8], n_states: u64, is_mark: &dyn Fn(u64) -> bool) -> Option<u32> {
        if self.tail.n_states > 0 {
            return None;
        }
        let mut n_records = 0;
        let mut tail = Tail::default();
        let first = self.n_states();
        while !bytes.is_empty() && n_records < CHUNK_STATES {
            let (record, rest) = bytes.split_at(record::len_of(bytes));
            self.n_steps += record::checked(record, first + n_records, n_states, is_mark)?;
            tail.push(record);
            n_records += 1;
            bytes = rest;
        }
        self.tail = tail;
        if n_records == CHUNK_STATES {
            self.close_tail();
        }
        bytes.is_empty().then_some(n_records)
    }
}
