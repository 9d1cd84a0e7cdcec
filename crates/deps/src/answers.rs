//! Cache of solver answers, beyond one analysis.
//!
//! The answer to a question about a machine never changes, so answers are kept: for the next analysis or, as bytes, for the next run. The key of an
//! answer is a digest of the question with all that it depends on, down to the gates of the circuit. So an answer is valid for any model, constants
//! and options, and a change to any of them is another question.
//!
//! If the solver gave up on a part of an answer, the answer is kept with the number of conflicts, and serves only analyses with the same limit.

use std::sync::{Mutex, MutexGuard, PoisonError};

use abridge_value::BitSet;
use abridge_value::bytes::{Key, Reader, put_number, seal, unsealed};
use rustc_hash::FxHashMap;

/// Sources that answers depend on beside the circuit. A change to these files invalidates all answers.
const OWN_SOURCES: [&str; 6] = [
    include_str!("answers.rs"),
    include_str!("build.rs"),
    include_str!("induction.rs"),
    include_str!("observe.rs"),
    include_str!("relations.rs"),
    include_str!("theory.rs"),
];

/// First bytes of a file of answers.
const MAGIC: &[u8] = b"abridge answers 2\n";
/// Approximate memory of the cache. Further answers are not kept.
const MAX_BYTES: usize = 64 << 20;
/// Largest number in an answer.
const MAX_NUMBER: usize = 1 << 24;

/// Answers to questions about machines. Each is a set of numbers.
#[derive(Default, Debug)]
pub struct Answers {
    kept: Mutex<KeptAnswers>,
}

#[derive(Default, Debug)]
struct KeptAnswers {
    rows: FxHashMap<u128, AnswerRow>,
    n_bytes: usize,
    is_changed: bool,
}

#[derive(Clone, Debug)]
struct AnswerRow {
    numbers: BitSet,
    /// Conflicts after which the solver gave up on a part of the answer.
    given_up: Option<u64>,
}

impl Answers {
    /// Reads bytes of [`Answers::to_bytes`] with this key; `None` if they are damaged, of another version or sealed with another key.
    pub fn from_bytes(bytes: &[u8], key: &Key) -> Option<Answers> {
        let mut reader = Reader::new(unsealed(key, bytes)?.strip_prefix(MAGIC)?);
        let answers = Answers::default();
        let rows = reader.list(|reader| Some((read_key(reader)?, read_row(reader)?)))?;
        reader.is_empty().then_some(())?;
        rows.into_iter().for_each(|(key, row)| answers.lock().add(key, row));
        answers.lock().is_changed = false;
        Some(answers)
    }

    /// Answers as bytes, sealed, since a changed answer could reverse a verdict.
    pub fn to_bytes(&self, key: &Key) -> Vec<u8> {
        let kept = self.lock();
        let mut rows: Vec<(&u128, &AnswerRow)> = kept.rows.iter().collect();
        rows.sort_unstable_by_key(|(key, _)| **key);
        let mut out = MAGIC.to_vec();
        put_number(&mut out, rows.len() as u64);
        for (key, row) in rows {
            put_number(&mut out, *key as u64);
            put_number(&mut out, (*key >> 64) as u64);
            put_number(&mut out, row.given_up.map_or(0, |conflicts| conflicts.saturating_add(1)));
            put_number(&mut out, row.numbers.len() as u64);
            row.numbers.iter().for_each(|number| put_number(&mut out, number as u64));
        }
        seal(key, &mut out);
        out
    }

    /// Adds answers that are not known here.
    pub fn merge(&self, others: &Answers) {
        let others: Vec<(u128, AnswerRow)> = others.lock().rows.iter().map(|(key, row)| (*key, row.clone())).collect();
        let mut kept = self.lock();
        for (key, row) in others {
            if !kept.rows.contains_key(&key) {
                kept.add(key, row);
            }
        }
    }

    /// Whether there are new answers since the cache was read.
    pub fn is_changed(&self) -> bool {
        self.lock().is_changed
    }

    /// Answer for a solver that gives up after `conflicts` conflicts, with numbers below `limit`.
    pub(crate) fn get(&self, key: u128, conflicts: u64, limit: usize) -> Option<BitSet> {
        let kept = self.lock();
        let row = kept.rows.get(&key).filter(|row| row.given_up.is_none_or(|known| known == conflicts))?;
        row.numbers.iter().all(|number| number < limit).then(|| row.numbers.clone())
    }

    /// Adds an answer, with the number of conflicts after which the solver gave up on a part of it.
    pub(crate) fn put(&self, key: u128, numbers: BitSet, given_up: Option<u64>) {
        self.lock().add(key, AnswerRow { numbers, given_up });
    }

    fn lock(&self) -> MutexGuard<'_, KeptAnswers> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl KeptAnswers {
    fn add(&mut self, key: u128, row: AnswerRow) {
        // A key, and usually one or two bytes per number.
        let n_bytes = 24 + 2 * row.numbers.len();
        if self.n_bytes + n_bytes <= MAX_BYTES {
            self.n_bytes += n_bytes;
            self.is_changed = true;
            self.rows.insert(key, row);
        }
    }
}

fn read_key(reader: &mut Reader<'_>) -> Option<u128> {
    let low = reader.number()?;
    Some(u128::from(reader.number()?) << 64 | u128::from(low))
}

fn read_row(reader: &mut Reader<'_>) -> Option<AnswerRow> {
    let given_up = reader.number()?.checked_sub(1);
    let numbers = reader.list(|reader| reader.small().filter(|number| *number < MAX_NUMBER))?;
    Some(AnswerRow { numbers: numbers.into_iter().collect(), given_up })
}

/// FNV-1a over 128 bits, so that different questions have different digests for all practical purposes.
#[derive(Clone, Copy)]
pub(crate) struct QuestionDigest(u128);

impl QuestionDigest {
    pub(crate) fn new() -> QuestionDigest {
        QuestionDigest(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d)
    }

    /// Digest of the version of the analysis.
    pub(crate) fn of_version() -> QuestionDigest {
        let mut digest = QuestionDigest::new();
        OWN_SOURCES
            .iter()
            .chain(&abridge_blast::SOURCES)
            .chain(&abridge_encoding::SOURCES)
            .for_each(|text| digest.add_bytes(text.as_bytes()));
        digest
    }

    fn add_bytes(&mut self, bytes: &[u8]) {
        const PRIME: u128 = (1 << 88) + 0x13b;
        self.0 = bytes.iter().fold(self.0, |sum, byte| (sum ^ u128::from(*byte)).wrapping_mul(PRIME));
    }

    pub(crate) fn add(&mut self, word: u32) {
        self.add_bytes(&word.to_le_bytes());
    }

    /// Adds a list with its length, so that it is distinct from parts of its neighbours.
    pub(crate) fn add_all(&mut self, words: impl IntoIterator<Item = u32>) {
        let mut n_words = 0;
        for word in words {
            self.add(word);
            n_words += 1;
        }
        self.add(n_words);
    }

    pub(crate) fn add_digest(&mut self, other: QuestionDigest) {
        self.add_bytes(&other.0.to_le_bytes());
    }

    pub(crate) fn get(self) -> u128 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(numbers: &[usize]) -> BitSet {
        numbers.iter().copied().collect()
    }

    fn key() -> Key {
        Key::new([7; 32])
    }

    fn some_answers() -> Answers {
        let answers = Answers::default();
        answers.put(7 << 80 | 3, set(&[0, 5, 900]), None);
        answers.put(1, set(&[]), Some(0));
        answers.put(2, set(&[1]), Some(20));
        answers
    }

    #[test]
    fn answers_come_back() {
        let bytes = some_answers().to_bytes(&key());
        let answers = Answers::from_bytes(&bytes, &key()).expect("they are valid");
        assert!(!answers.is_changed() && answers.to_bytes(&key()) == bytes);
        assert_eq!(answers.get(7 << 80 | 3, 20, 901), Some(set(&[0, 5, 900])));
        assert_eq!(answers.get(7 << 80 | 3, 20, 900), None, "a number beyond the limit");
        assert_eq!((answers.get(2, 20, 2), answers.get(2, 21, 2)), (Some(set(&[1])), None));
        assert_eq!(answers.get(3, 20, 2), None);
        let more = Answers::default();
        more.merge(&answers);
        assert!(more.is_changed() && more.to_bytes(&key()) == bytes);
    }

    #[test]
    fn no_damage_goes_unnoticed() {
        let bytes = some_answers().to_bytes(&key());
        for idx in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[idx] ^= 1 << (idx % 8);
            assert!(Answers::from_bytes(&damaged, &key()).is_none(), "byte {idx}");
            assert!(Answers::from_bytes(&bytes[..idx], &key()).is_none(), "{idx} bytes");
        }
    }

    #[test]
    fn answers_of_somebody_else_are_refused() {
        assert!(Answers::from_bytes(&some_answers().to_bytes(&Key::new([8; 32])), &key()).is_none());
    }

    #[test]
    fn bytes_that_make_no_sense_are_refused_even_with_a_seal() {
        for content in [&[3, 1, 1][..], &[1, 1, 1, 0, 1], &[0xff; 40], &[0, 0]] {
            let mut bytes = [MAGIC, content].concat();
            seal(&key(), &mut bytes);
            assert!(Answers::from_bytes(&bytes, &key()).is_none());
        }
    }
}
