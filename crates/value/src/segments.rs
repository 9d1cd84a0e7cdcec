//! Growing array of places that never move: what tables shared by all workers keep their entries in.
//!
//! Places lie in segments, which are allocated when they are first needed. The first ones double in size; further on, every doubling is made of equal
//! parts, so that an allocation is at most a sixteenth of what there is already. With whole doublings, one more entry could take half of a limit on memory
//! before anybody looks at it again.

use std::sync::OnceLock;

/// Indices of so many bits lie in doublings that are whole.
const WHOLE_BITS: u32 = 17;
/// Parts of each further doubling.
const N_PARTS: usize = 1 << PART_BITS;
const PART_BITS: u32 = 4;
/// Segments of all further doublings, up to indices of 32 bits.
const N_SPLIT: usize = (u32::BITS + 1 - WHOLE_BITS) as usize * N_PARTS;

type Segment<T> = OnceLock<Box<[T]>>;

/// Places for values with default `T::default()`, by 32-bit index. `FIRST` is the length of the first segment, a power of two
/// below 2^17.
pub struct Segments<T, const FIRST: u32> {
    whole: [Segment<T>; WHOLE_BITS as usize],
    split: OnceLock<Box<[Segment<T>]>>,
}

impl<T, const FIRST: u32> Default for Segments<T, FIRST> {
    fn default() -> Self {
        Segments { whole: [const { OnceLock::new() }; WHOLE_BITS as usize], split: OnceLock::new() }
    }
}

impl<T: Default, const FIRST: u32> Segments<T, FIRST> {
    /// Place of an index; `None` if its segment is not allocated.
    #[inline]
    pub fn get(&self, index: u32) -> Option<&T> {
        let (segment, offset) = match place(index, FIRST) {
            Place::Whole(segment, offset) => (&self.whole[segment], offset),
            Place::Split(segment, offset) => (self.split.get()?.get(segment)?, offset),
        };
        segment.get()?.get(offset)
    }

    /// Place of an index, whose segment is allocated if it is not.
    pub fn grow_to(&self, index: u32) -> &T {
        let place = place(index, FIRST);
        let (segment, offset) = match place {
            Place::Whole(segment, offset) => (&self.whole[segment], offset),
            Place::Split(segment, offset) => {
                let split = self.split.get_or_init(|| (0..N_SPLIT).map(|_| OnceLock::new()).collect());
                (&split[segment], offset)
            }
        };
        let places = segment.get_or_init(|| std::iter::repeat_with(T::default).take(len(&place, FIRST)).collect());
        &places[offset]
    }
}

/// Segment of an index, and the offset in it.
#[derive(PartialEq, Eq, Debug)]
enum Place {
    Whole(usize, usize),
    Split(usize, usize),
}

#[inline]
fn place(index: u32, first: u32) -> Place {
    let shifted = u64::from(index) + u64::from(first);
    let top = shifted.ilog2();
    if top < WHOLE_BITS {
        return Place::Whole((top - first.ilog2()) as usize, (shifted - (1 << top)) as usize);
    }
    let part_bits = top - PART_BITS;
    let part = (shifted >> part_bits) as usize % N_PARTS;
    Place::Split((top - WHOLE_BITS) as usize * N_PARTS + part, (shifted & ((1 << part_bits) - 1)) as usize)
}

/// Length of the segment of a place.
fn len(place: &Place, first: u32) -> usize {
    match place {
        Place::Whole(doubling, _) => (first as usize) << doubling,
        Place::Split(segment, _) => 1 << (WHOLE_BITS as usize + segment / N_PARTS - PART_BITS as usize),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Follows all indices of `FIRST` up to some number; each has the place after the one before it.
    fn are_dense(first: u32, n: u32) {
        let mut before: Option<Place> = None;
        for index in 0..n {
            let now = place(index, first);
            let is_next = match (&before, &now) {
                (None, now) => *now == Place::Whole(0, 0),
                (Some(Place::Whole(old, at)), Place::Whole(new, offset))
                | (Some(Place::Split(old, at)), Place::Split(new, offset)) => {
                    if old == new {
                        *offset == at + 1
                    } else {
                        *new == old + 1 && *offset == 0 && before.as_ref().is_some_and(|old| at + 1 == len(old, first))
                    }
                }
                (Some(old @ Place::Whole(_, at)), Place::Split(0, 0)) => at + 1 == len(old, first),
                _ => false,
            };
            assert!(is_next, "{index}: {before:?}, {now:?}");
            before = Some(now);
        }
    }

    #[test]
    fn places_are_dense() {
        are_dense(8, 700_000);
        are_dense(1, 70_000);
        for first in [1, 8, 1024] {
            let last = place(u32::MAX, first);
            assert!(
                matches!(&last, Place::Split(segment, offset) if *segment < N_SPLIT && *offset < len(&last, first))
            );
        }
    }

    #[test]
    fn segments_are_a_small_part_of_what_there_is() {
        for first in [8_u32, 1024] {
            for bits in 20..32 {
                let index = (1_u32 << bits) - first;
                let place = place(index, first);
                assert!(len(&place, first) * N_PARTS <= index as usize + first as usize, "{index}");
            }
        }
    }

    #[test]
    fn places_keep_what_is_written() {
        use std::sync::atomic::{AtomicU32, Ordering};
        let segments = Segments::<AtomicU32, 8>::default();
        assert!(segments.get(0).is_none());
        for index in (0..400_000).step_by(37) {
            segments.grow_to(index).store(index + 1, Ordering::Relaxed);
        }
        for index in (0..400_000).step_by(37) {
            assert_eq!(segments.get(index).map(|place| place.load(Ordering::Relaxed)), Some(index + 1));
        }
        assert!(segments.get(1 << 30).is_none());
    }
}
