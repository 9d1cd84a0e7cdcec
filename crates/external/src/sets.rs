//! Functions on sets: CHOOSE, SORT, SCCS, LibraryRandom, LibraryHash and parts of LibraryProB.
//!
//! Choices are deterministic: equal arguments give equal results.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use abridge_eval::{ElementFn, Result, Session, SymbolicSet, Val, value_text};
use abridge_model::BaseSet;
use abridge_value::{Int, Set, Value, relation, sequence};

use super::{Call, number, text};

impl Call<'_> {
    pub(super) fn set_function(&self) -> Result<Option<Val>> {
        match self.name {
            "CHOOSE" => self.choose(),
            "MU" | "MU_WD" => {
                let only = self.set(0)?.only();
                Ok(Some(only.ok_or_else(|| self.ill_defined("the set is not a singleton"))?.into()))
            }
            "SORT" => Ok(Some(sequence::from_items(&self.set(0)?).into())),
            "SQUASH" => self.squash(),
            "REPLACE" => self.replace(),
            "SCCS" => Ok(Some(components(self.session, &self.set(0)?)?.into())),
            "CLOSURE1" => Ok(Some(relation::closure1(&self.set(0)?, &mut self.session.meter())?.into())),
            "MAXIMIZE" => self.maximize(),
            "INT_TO_ENUM" => {
                let wanted = self.int(1)?;
                let numbered = |value: &Value| match value {
                    Value::Element { index, .. } => Int::from(index + 1) == wanted,
                    value => value.as_int().as_ref() == Some(&wanted),
                };
                let found = self.set(0)?.iter().find(numbered);
                Ok(Some(found.ok_or_else(|| self.ill_defined("no element has this number"))?.into()))
            }
            "HASH" => number(Int::from(self.session.finite(self.arg(0)?, self.env)?.stable_hash() >> 4)),
            "SHA_HASH" => {
                let bytes = self.digest()?.map(|byte| Value::Int(i64::from(byte)));
                Ok(Some(sequence::from_items(bytes).into()))
            }
            "SHA_HASH_HEX" => text(self.digest()?.map(|byte| format!("{byte:02x}")).concat()),
            _ => self.chance(),
        }
    }

    fn choose(&self) -> Result<Option<Val>> {
        match self.arg(0)?.as_sym() {
            Some(SymbolicSet::Base(BaseSet::Integer | BaseSet::Natural)) => return number(Int::ZERO),
            Some(SymbolicSet::Base(BaseSet::Natural1)) => return number(Int::ONE),
            Some(SymbolicSet::Base(BaseSet::String)) => return text(""),
            Some(SymbolicSet::Base(BaseSet::Real)) => return Ok(Some(Value::real(0.0).into())),
            _ => {}
        }
        let first = self.set(0)?.first();
        Ok(Some(first.ok_or_else(|| self.ill_defined("the set is empty"))?.into()))
    }

    fn squash(&self) -> Result<Option<Val>> {
        let set = self.set(0)?;
        if !relation::is_functional(&set) {
            return Err(self.ill_defined("the relation is not a function"));
        }
        Ok(Some(sequence::from_items(relation::pairs(&set).map(|(_, value)| value)).into()))
    }

    /// Results of one replacement, at every possible position.
    fn replace(&self) -> Result<Option<Val>> {
        let (old, new, items) = (self.items(0)?, self.items(1)?, self.items(2)?);
        let starts = (0..=items.len().saturating_sub(old.len())).filter(|start| items[*start..].starts_with(&old));
        let results = starts.map(|start| {
            let parts = [&items[..start], &new, &items[start + old.len()..]].concat();
            Value::Set(sequence::from_items(parts))
        });
        Ok(Some(results.collect::<Set>().into()))
    }

    /// Element whose leftmost integer is greatest; the first of several such elements. An infinite set is bounded from below, first at zero and then
    /// further down, until it has an element.
    fn maximize(&self) -> Result<Option<Val>> {
        let (session, set) = (self.session, self.arg(0)?);
        let failure = match greatest(|visit| session.each(set, self.env, visit)) {
            Ok(best) => return Ok(Some(best.ok_or_else(|| self.ill_defined("the set is empty"))?)),
            Err(error) if error.is_expansion() => error,
            Err(error) => return Err(error),
        };
        let cuts = (0..=12).map(|exponent| &Int::ONE - &Int::from(16).pow(exponent));
        for least in cuts {
            let mut is_cut = true;
            let best = greatest(|visit| {
                let flow = session.each_at_least(set, &least, self.env, visit);
                is_cut = flow.is_some();
                flow.unwrap_or(Ok(ControlFlow::Continue(())))
            });
            match best {
                Ok(Some(best)) => return Ok(Some(best)),
                Ok(None) if is_cut => {}
                Err(error) if !error.is_expansion() => return Err(error),
                _ => break,
            }
        }
        Err(failure)
    }

    /// Values of random functions: always the same ones, with a warning.
    fn chance(&self) -> Result<Option<Val>> {
        let val: Val = match self.name {
            "RANDOM" => {
                let (lo, hi) = (self.int(0)?, self.int(1)?);
                if lo >= hi {
                    return Err(self.ill_defined("the range is empty"));
                }
                lo.into()
            }
            "NORMAL" => self.int(0)?.into(),
            "random_element" => self.set(0)?.first().ok_or_else(|| self.ill_defined("the set is empty"))?.into(),
            "random_subset" => self.set(0)?.into(),
            "random_ordering" => sequence::from_items(&self.set(0)?).into(),
            "random_permutation" => sequence::from_items(self.items(0)?).into(),
            "random_numset" => Set::interval(self.int(1)?, self.int(2)?).into(),
            _ => return Ok(None),
        };
        self.impure();
        Ok(Some(val))
    }

    /// SHA-1 digest of the text of a value.
    fn digest(&self) -> Result<[u8; 20]> {
        let value = self.session.finite(self.arg(0)?, self.env)?;
        Ok(sha1(value_text(self.session.model(), &value).as_bytes()))
    }
}

/// Visited value whose leftmost integer is greatest.
fn greatest(each: impl FnOnce(&mut ElementFn<'_>) -> Result<ControlFlow<()>>) -> Result<Option<Val>> {
    let mut best: Option<(Int, Val)> = None;
    let _ = each(&mut |val| {
        let mut leftmost = val.clone();
        while let Ok((first, _)) = leftmost.split() {
            leftmost = first;
        }
        let score = leftmost.int()?;
        if best.as_ref().is_none_or(|(other, _)| score > *other) {
            best = Some((score, val));
        }
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(best.map(|(_, val)| val))
}

/// Strongly connected components that contain a cycle.
fn components(session: &Session<'_>, edges: &Set) -> Result<Set> {
    let closure = relation::closure1(edges, &mut session.meter())?;
    let mut done: BTreeSet<Value> = BTreeSet::new();
    let mut found = Vec::new();
    for (node, target) in relation::pairs(&closure) {
        session.tick()?;
        if node != target || done.contains(&node) {
            continue;
        }
        let reaches_back = |other: &Value| closure.contains(&Value::pair(other.clone(), node.clone()));
        let component: Set = relation::images(&closure, &node).filter(reaches_back).collect();
        done.extend(component.iter());
        found.push(Value::Set(component));
    }
    Ok(found.into_iter().collect())
}

pub(super) fn sha1(message: &[u8]) -> [u8; 20] {
    let mut state: [u32; 5] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];
    let mut padded = message.to_vec();
    padded.push(0x80);
    while padded.len() % 64 != 56 {
        padded.push(0);
    }
    padded.extend((message.len() as u64 * 8).to_be_bytes());
    for block in padded.chunks_exact(64) {
        sha1_block(&mut state, block);
    }
    let mut digest = [0; 20];
    for (word, bytes) in state.iter().zip(digest.chunks_exact_mut(4)) {
        bytes.copy_from_slice(&word.to_be_bytes());
    }
    digest
}

fn sha1_block(state: &mut [u32; 5], block: &[u8]) {
    let mut words = [0_u32; 80];
    for (word, bytes) in words.iter_mut().zip(block.chunks_exact(4)) {
        *word = bytes.iter().fold(0, |word, byte| word << 8 | u32::from(*byte));
    }
    for idx in 16..80 {
        words[idx] = (words[idx - 3] ^ words[idx - 8] ^ words[idx - 14] ^ words[idx - 16]).rotate_left(1);
    }
    let [mut a, mut b, mut c, mut d, mut e] = *state;
    for (idx, word) in words.iter().enumerate() {
        let (mixed, key) = match idx / 20 {
            0 => ((b & c) | (!b & d), 0x5a82_7999),
            1 => (b ^ c ^ d, 0x6ed9_eba1),
            2 => ((b & c) | (b & d) | (c & d), 0x8f1b_bcdc),
            _ => (b ^ c ^ d, 0xca62_c1d6_u32),
        };
        let next = a.rotate_left(5).wrapping_add(mixed).wrapping_add(e).wrapping_add(key).wrapping_add(*word);
        (a, b, c, d, e) = (next, a, b.rotate_left(30), c, d);
    }
    for (word, add) in state.iter_mut().zip([a, b, c, d, e]) {
        *word = word.wrapping_add(add);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sha1_of_the_standard_example() {
        let hex: String = sha1(b"abc").iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, "a9993e364706816aba3e25717850c26c9cd0d89d");
    }
}
