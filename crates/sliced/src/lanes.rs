//! Lanes: many states side by side, one bit of each in a machine word.
//!
//! A *slice* holds one bit of up to 512 states: `W` words of 64 lanes. States come as rows, the bits of one state after the other; circuits
//! need slices. [`transpose`] turns 64 rows of 64 bits into 64 columns and back. A wrong transposition would mix the bits of different states.

/// Lanes of a word.
pub(crate) const WORD_LANES: usize = 64;
/// Words of the widest slice.
pub(crate) const MAX_SLICE_WORDS: usize = 8;
/// States of the largest block.
pub const MAX_BLOCK_STATES: usize = WORD_LANES * MAX_SLICE_WORDS;

/// Bit `j` of row `i` becomes bit `i` of row `j` (Warren, "Hacker's Delight", section 7-3).
pub(crate) fn transpose(rows: &mut [u64; WORD_LANES]) {
    step::<32>(rows, 0x0000_0000_ffff_ffff);
    step::<16>(rows, 0x0000_ffff_0000_ffff);
    step::<8>(rows, 0x00ff_00ff_00ff_00ff);
    step::<4>(rows, 0x0f0f_0f0f_0f0f_0f0f);
    step::<2>(rows, 0x3333_3333_3333_3333);
    step::<1>(rows, 0x5555_5555_5555_5555);
}

/// Exchanges the upper right and the lower left quarter of each square of side `2 * D`.
#[inline(always)]
fn step<const D: usize>(rows: &mut [u64; WORD_LANES], mask: u64) {
    for square in rows.chunks_exact_mut(2 * D) {
        let (upper, lower) = square.split_at_mut(D);
        for (upper, lower) in upper.iter_mut().zip(lower) {
            let differing = ((*upper >> D) ^ *lower) & mask;
            *upper ^= differing << D;
            *lower ^= differing;
        }
    }
}

/// Adds bits to a row from a position on; the row has zeros there.
#[inline]
pub(crate) fn put(row: &mut [u64], at: usize, bits: u64) {
    let (word, shift) = (at / 64, at % 64);
    row[word] |= bits << shift;
    if shift > 0 && bits >> (64 - shift) != 0 {
        row[word + 1] |= bits >> (64 - shift);
    }
}

/// Adds up to `n_bits` bits to each of 64 rows, of which the first word of all comes first.
#[inline]
pub(crate) fn put_lanes(rows: &mut [[u64; WORD_LANES]], at: usize, n_bits: usize, bits: &[u64; WORD_LANES]) {
    let (word, shift) = (at / 64, at % 64);
    // A variable without cells at the end has no word.
    if n_bits > 0 {
        rows[word].iter_mut().zip(bits).for_each(|(row, bits)| *row |= bits << shift);
    }
    if shift > 0 && shift + n_bits > 64 {
        rows[word + 1].iter_mut().zip(bits).for_each(|(row, bits)| *row |= bits >> (64 - shift));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_become_rows() {
        let mut word = 0x9e37_79b9_7f4a_7c15_u64;
        let rows: [u64; WORD_LANES] = std::array::from_fn(|_| {
            word = word.rotate_left(7).wrapping_mul(0xbf58_476d_1ce4_e5b9) ^ 0x94d0;
            word
        });
        let mut columns = rows;
        transpose(&mut columns);
        for (idx, row) in rows.iter().enumerate() {
            for (place, column) in columns.iter().enumerate() {
                assert_eq!(row >> place & 1, column >> idx & 1, "row {idx}, column {place}");
            }
        }
        transpose(&mut columns);
        assert_eq!(columns, rows);
    }

    #[test]
    fn bits_are_put_across_words() {
        let mut row = [0; 3];
        put(&mut row, 0, 0b101);
        put(&mut row, 60, 0x3f);
        put(&mut row, 128, 1 << 63);
        assert_eq!(row, [0b101 | 0xf << 60, 0b11, 1 << 63]);
        let mut rows = [[0; WORD_LANES]; 3];
        let lane = |bits: u64| std::array::from_fn(|lane| if lane == 5 { bits } else { 0 });
        put_lanes(&mut rows, 0, 3, &lane(0b101));
        put_lanes(&mut rows, 60, 6, &lane(0x3f));
        put_lanes(&mut rows, 128, 64, &lane(1 << 63));
        put_lanes(&mut rows, 192, 0, &lane(0));
        assert_eq!(rows.map(|words| words[5]), row);
        assert!(rows.iter().all(|words| words[6] == 0));
    }
}
