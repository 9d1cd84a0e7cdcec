//! A comparison as bytes and back: what the words of pairs stand for, on both levels, and what covers other pairs.
//!
//! Each checkpoint appends frames: the tables of both levels, abstract parts in the order of their numbers, and pairs that were
//! expanded. A frame says which of these it belongs to. Abstract parts are read back in the same order, so that they get the same numbers
//! again; a pair that refers to one with another number would stand for something else. What was expanded since the search last
//! paused covers nothing yet, and is part of the notes.

use std::io::{self, Read, Write};
use std::sync::PoisonError;

use abridge_model_system::{FIRST_OPERATION, ModelSystem as _};
use abridge_system::System;
use abridge_value::bytes::{Reader, put_bytes, put_number};

use crate::pair::{Obligation, Pair};
use crate::spec::{MatchResult, Spec};

/// Parts of what is saved.
const CONCRETE: u8 = 0;
const ABSTRACT: u8 = 1;
const SPECS: u8 = 2;
const EXPANDED: u8 = 3;
const N_PARTS: usize = 4;

/// Bytes of a frame, roughly.
const BYTES_PER_FRAME: usize = 1 << 18;

/// Writes what belongs to one part.
struct Framed<'s> {
    part: u8,
    sink: &'s mut dyn Write,
}

impl Write for Framed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.sink.write_all(&[self.part])?;
        self.sink.write_all(&(bytes.len() as u64).to_le_bytes())?;
        self.sink.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
    }
}

fn damaged() -> io::Error {
    io::ErrorKind::InvalidData.into()
}

/// All frames, part by part.
fn parts(source: &mut dyn Read) -> io::Result<[Vec<u8>; N_PARTS]> {
    let mut parts: [Vec<u8>; N_PARTS] = Default::default();
    loop {
        let (mut part, mut len) = ([0], [0; 8]);
        if source.read(&mut part)? == 0 {
            return Ok(parts);
        }
        source.read_exact(&mut len)?;
        let len = u64::from_le_bytes(len);
        let bytes = parts.get_mut(part[0] as usize).ok_or_else(damaged)?;
        let n_before = bytes.len() as u64;
        Read::take(&mut *source, len).read_to_end(bytes)?;
        if bytes.len() as u64 - n_before != len {
            return Err(damaged());
        }
    }
}

impl Pair<'_> {
    pub(crate) fn save_tables(&self, marks: &mut Vec<u64>, sink: &mut dyn Write) -> io::Result<()> {
        let (own, other) = (self.concrete.system.width(), self.abstracted.system.width());
        marks.resize(own + other + 2, 0);
        let (mut concrete, mut abstracted) = (marks[..own].to_vec(), marks[own..own + other].to_vec());
        self.concrete.system.save(&mut concrete, &mut Framed { part: CONCRETE, sink })?;
        self.abstracted.system.save(&mut abstracted, &mut Framed { part: ABSTRACT, sink })?;
        let n_specs = self.specs.len() as u64;
        let specs = (marks[own + other]..n_specs).map(|number| self.specs.get(number as u32));
        write_entries(&mut Framed { part: SPECS, sink }, specs, put_spec)?;
        let mut n_expanded = 0;
        if let Some(antichain) = &self.antichain {
            let (new, next) = antichain.since(marks[own + other + 1]);
            write_entries(&mut Framed { part: EXPANDED, sink }, new.iter(), put_pair)?;
            n_expanded = next;
        }
        *marks = [concrete, abstracted, vec![n_specs, n_expanded]].concat();
        Ok(())
    }

    pub(crate) fn restore_tables(&self, marks: &[u64], source: &mut dyn Read, notes: &[u8]) -> io::Result<()> {
        let (own, other) = (self.concrete.system.width(), self.abstracted.system.width());
        if marks.len() != own + other + 2 {
            return Err(damaged());
        }
        let [concrete, abstracted, specs, expanded] = parts(source)?;
        let mut reader = Reader::new(notes);
        let mut of_levels: [&[u8]; 4] = Default::default();
        for level in &mut of_levels {
            *level = reader.bytes().ok_or_else(damaged)?;
        }
        let [own_notes, other_notes, precondition_notes, joint_notes] = of_levels;
        restore_level(&self.concrete.system, &marks[..own], &concrete, own_notes)?;
        restore_level(&self.abstracted.system, &marks[own..own + other], &abstracted, other_notes)?;
        restore_notes(&self.preconditions, precondition_notes)?;
        restore_notes(self.gluing.system(), joint_notes)?;
        self.restore_specs(marks[own + other], &mut Reader::new(&specs)).ok_or_else(damaged)?;
        self.restore_pairs(marks[own + other + 1], &mut Reader::new(&expanded), &mut reader).ok_or_else(damaged)
    }

    fn restore_specs(&self, n_specs: u64, reader: &mut Reader<'_>) -> Option<()> {
        for number in 0..n_specs {
            let spec = self.read_spec(reader)?;
            if u64::from(self.specs.number(spec)) != number {
                return None;
            }
        }
        reader.is_empty().then_some(())
    }

    fn restore_pairs(&self, next: u64, expanded: &mut Reader<'_>, notes: &mut Reader<'_>) -> Option<()> {
        let mut gaps = self.gaps.lock().unwrap_or_else(PoisonError::into_inner);
        for name in notes.list(|reader| reader.text().map(str::to_owned))? {
            // Names of operations; others come from somewhere else.
            let known = self.gluing.system().model().operations.values().find(|op| *op.name == *name)?;
            gaps.insert(known.name.clone());
        }
        let (has_sets, is_active) = (notes.byte()? != 0, notes.byte()? != 0);
        let recent = notes.list(|reader| self.read_pair(reader))?;
        let mut known = Vec::new();
        while !expanded.is_empty() {
            known.push(self.read_pair(expanded)?);
        }
        if let Some(antichain) = &self.antichain {
            antichain.restore(&self.specs, next, known, recent, has_sets, is_active);
        }
        notes.is_empty().then_some(())
    }

    pub(crate) fn notes_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for system in [&self.concrete.system, &self.abstracted.system, &self.preconditions, self.gluing.system()] {
            put_bytes(&mut out, &system.save_notes());
        }
        let gaps = self.gaps.lock().unwrap_or_else(PoisonError::into_inner);
        put_number(&mut out, gaps.len() as u64);
        gaps.iter().for_each(|name| put_bytes(&mut out, name.as_bytes()));
        let (recent, has_sets, is_active) = self.antichain.as_ref().map(|known| known.notes()).unwrap_or_default();
        out.extend([u8::from(has_sets), u8::from(is_active)]);
        put_number(&mut out, recent.len() as u64);
        recent.iter().for_each(|pair| put_pair(&mut out, pair));
        out
    }

    /// True if each word of a pair refers to something.
    pub(crate) fn are_known(&self, words: &[u32]) -> bool {
        let Some((spec, concrete)) = words.split_last() else { return false };
        (*spec as usize) < self.specs.len() && self.concrete.system.is_state(concrete)
    }

    fn read_spec(&self, reader: &mut Reader<'_>) -> Option<Spec> {
        let (tag, number): (u8, u32) = (reader.byte()?, reader.small()?);
        let n_operations = (self.alphabet.concrete.len() + self.alphabet.abstracted.len()) as u32;
        let is_number = Obligation::of_number(number).1 < FIRST_OPERATION + n_operations;
        let outcome = match tag {
            0 => MatchResult::Followed,
            1 if is_number => MatchResult::Failed(number),
            2 if is_number => MatchResult::IllDefined(number),
            _ => return None,
        };
        let states = reader.list(|reader| {
            let words: Vec<u32> = reader.list(Reader::small)?;
            self.abstracted.system.is_state(&words).then(|| words.into())
        })?;
        (!states.is_empty()).then(|| Spec::new(states, outcome))
    }

    fn read_pair(&self, reader: &mut Reader<'_>) -> Option<(Box<[u32]>, u32)> {
        let words: Vec<u32> = reader.list(Reader::small)?;
        let spec = reader.small()?;
        let is_known = self.concrete.system.is_state(&words) && (spec as usize) < self.specs.len();
        is_known.then(|| (words.into(), spec))
    }
}

fn restore_level(system: &impl System, marks: &[u64], mut bytes: &[u8], notes: &[u8]) -> io::Result<()> {
    system.restore(marks, &mut bytes, notes)?;
    if bytes.is_empty() { Ok(()) } else { Err(damaged()) }
}

/// Tables that no pair refers to are empty at first, and stay so.
fn restore_notes(system: &impl System, notes: &[u8]) -> io::Result<()> {
    system.restore(&vec![0; system.width()], &mut io::empty(), notes)
}

/// Writes entries, several to a frame.
fn write_entries<T>(
    sink: &mut dyn Write,
    entries: impl Iterator<Item = T>,
    put: impl Fn(&mut Vec<u8>, T),
) -> io::Result<()> {
    let mut bytes = Vec::new();
    for entry in entries {
        put(&mut bytes, entry);
        if bytes.len() >= BYTES_PER_FRAME {
            sink.write_all(&bytes)?;
            bytes.clear();
        }
    }
    if bytes.is_empty() { Ok(()) } else { sink.write_all(&bytes) }
}

fn put_words(out: &mut Vec<u8>, words: &[u32]) {
    put_number(out, words.len() as u64);
    words.iter().for_each(|word| put_number(out, u64::from(*word)));
}

fn put_spec(out: &mut Vec<u8>, spec: &Spec) {
    let (tag, number) = match spec.outcome {
        MatchResult::Followed => (0, 0),
        MatchResult::Failed(number) => (1, number),
        MatchResult::IllDefined(number) => (2, number),
    };
    out.push(tag);
    put_number(out, u64::from(number));
    put_number(out, spec.states.len() as u64);
    spec.states.iter().for_each(|words| put_words(out, words));
}

fn put_pair(out: &mut Vec<u8>, (words, spec): &(Box<[u32]>, u32)) {
    put_words(out, words);
    put_number(out, u64::from(*spec));
}
