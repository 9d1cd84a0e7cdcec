//! Saved form of the value tables behind the words of states, and of the notes. Memos are not saved.
//!
//! Ids are given in the order of interning, so values read back in the order of their ids get the same ids again. All values are validated
//! against the model (`plausible.rs`).

use std::io;
use std::sync::Arc;

use abridge_diag::Diagnostic;
use abridge_eval::{Slots, put_slots, put_span, put_val, put_warning, read_slots, read_span, read_val, read_warning};
use abridge_model::TypeId;
use abridge_model_system::{ModelSystem as _, UNSET};
use abridge_value::ValueId;
use abridge_value::bytes::{Reader, put_bytes, put_number};

use abridge_system::Failure;

use crate::plausible;
use crate::system::{Explicit, Notes, lock};
use crate::table::ValueTable;

/// Approximate bytes per piece.
const BYTES_PER_PIECE: usize = 1 << 18;

/// Writer of the entries of one table, in pieces: length, table, number of entries, entries.
struct Pieces<'s> {
    sink: &'s mut dyn io::Write,
    table: usize,
    n_entries: u64,
    entries: Vec<u8>,
}

impl Pieces<'_> {
    /// Adds the entry that `put` appends; `put` returns `None` if it cannot.
    fn add(&mut self, put: impl FnOnce(&mut Vec<u8>) -> Option<()>) -> io::Result<()> {
        let unsupported = || io::Error::new(io::ErrorKind::Unsupported, "a value of the model cannot be saved");
        put(&mut self.entries).ok_or_else(unsupported)?;
        self.n_entries += 1;
        if self.entries.len() >= BYTES_PER_PIECE { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.n_entries == 0 {
            return Ok(());
        }
        let mut head = Vec::new();
        put_number(&mut head, self.table as u64);
        put_number(&mut head, self.n_entries);
        let len = (head.len() + self.entries.len()) as u64;
        self.sink.write_all(&len.to_le_bytes())?;
        self.sink.write_all(&head)?;
        self.sink.write_all(&self.entries)?;
        self.n_entries = 0;
        self.entries.clear();
        Ok(())
    }
}

impl Explicit<'_> {
    /// Numbers of entries of the tables: constants, then the values of each variable.
    fn table_lens(&self) -> Vec<u64> {
        let values = self.values.iter().map(|values| values.len() as u64);
        std::iter::once(self.constants.len() as u64).chain(values).collect()
    }

    pub(crate) fn save_tables(&self, marks: &mut Vec<u64>, sink: &mut dyn io::Write) -> io::Result<()> {
        let lens = self.table_lens();
        marks.resize(lens.len(), 0);
        for (table, (mark, len)) in marks.iter_mut().zip(lens).enumerate() {
            let mut pieces = Pieces { sink, table, n_entries: 0, entries: Vec::new() };
            for id in *mark..len {
                let id = ValueId(id as u32);
                match table.checked_sub(1) {
                    None => pieces.add(|out| put_slots(out, self.constants.get(id)))?,
                    Some(variable) => pieces.add(|out| put_val(out, &self.values[variable].get(id)))?,
                }
            }
            pieces.flush()?;
            *mark = len;
        }
        Ok(())
    }

    pub(crate) fn restore_tables(&self, marks: &[u64], source: &mut dyn io::Read) -> io::Result<()> {
        while self.table_lens() != marks {
            let mut len = [0; 8];
            source.read_exact(&mut len)?;
            let mut piece = Vec::new();
            let mut limited = io::Read::take(&mut *source, u64::from_le_bytes(len));
            io::Read::read_to_end(&mut limited, &mut piece)?;
            self.restore_piece(&mut Reader::new(&piece)).ok_or(io::ErrorKind::InvalidData)?;
        }
        Ok(())
    }

    fn restore_piece(&self, reader: &mut Reader<'_>) -> Option<()> {
        let (table, n_entries) = (reader.small::<usize>()?, reader.number()?);
        for _ in 0..n_entries {
            let (given, len) = match table.checked_sub(1) {
                None => {
                    let slots = read_slots(reader).filter(|slots| self.are_constants(slots))?;
                    (self.constants.intern(&Arc::new(slots)), self.constants.len())
                }
                Some(variable) => {
                    let values = self.values.get(variable)?;
                    let ty = self.model().variables[self.variables[variable]].ty;
                    let val = read_val(reader).filter(|val| plausible::is_val(self.model(), Some(ty), val))?;
                    (values.intern(&val), values.len())
                }
            };
            // Every entry must be new, so that it gets the next id.
            if given.0 as usize + 1 != len {
                return None;
            }
        }
        reader.is_empty().then_some(())
    }

    /// Whether each word of a state has an entry in its table.
    pub(crate) fn are_known(&self, words: &[u32]) -> bool {
        let Some((first, rest)) = words.split_first() else { return false };
        let is_value = |(word, values): (&u32, &ValueTable)| *word == UNSET || (*word as usize) < values.len();
        ((first >> 1) as usize) < self.constants.len()
            && rest.len() == self.values.len()
            && rest.iter().zip(&self.values).all(is_value)
    }

    fn are_constants(&self, slots: &Slots) -> bool {
        let types: Vec<TypeId> = self.model().constants.values().map(|constant| constant.ty).collect();
        plausible::are_slots(self.model(), &types, slots)
    }

    pub(crate) fn notes_bytes(&self) -> Vec<u8> {
        let notes = lock(&self.notes);
        let mut out = Vec::new();
        put_number(&mut out, notes.n_outside);
        put_number(&mut out, notes.warnings.len() as u64);
        notes.warnings.iter().for_each(|warning| put_warning(&mut out, warning));
        put_number(&mut out, notes.failures.len() as u64);
        for Failure { what, is_violation, diagnostic } in &notes.failures {
            [what.as_str(), diagnostic.id, &diagnostic.message]
                .iter()
                .for_each(|text| put_bytes(&mut out, text.as_bytes()));
            out.push(u8::from(*is_violation));
            put_span(&mut out, diagnostic.span());
        }
        out
    }

    pub(crate) fn restore_notes(&self, bytes: &[u8]) -> Option<()> {
        let mut reader = Reader::new(bytes);
        let n_outside = reader.number()?;
        let warnings = reader.list(read_warning)?.into_iter().collect();
        let failures = reader.list(read_failure)?;
        let spans = failures.iter().filter_map(|failure| failure.diagnostic.span());
        (reader.is_empty() && spans.into_iter().all(|span| plausible::is_place(self.model(), span))).then_some(())?;
        *lock(&self.notes) = Notes { warnings, failures, n_outside };
        Some(())
    }
}

fn read_failure(reader: &mut Reader<'_>) -> Option<Failure> {
    let (what, id, message) = (reader.text()?.to_owned(), reader.text()?, reader.text()?);
    // Leaked ids are few and short, and needed as long as the process lives.
    let diagnostic = Diagnostic::error(id.to_owned().leak(), message);
    let is_violation = reader.byte()? != 0;
    let diagnostic = match read_span(reader)? {
        Some(span) => diagnostic.at(span),
        None => diagnostic,
    };
    Some(Failure { what, is_violation, diagnostic })
}
