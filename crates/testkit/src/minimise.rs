//! Making a failing input small.

/// The smallest input found that still fails: pieces are left out, large ones first, as long as `fails` says so (Zeller and
/// Hildebrandt, "Simplifying and isolating failure-inducing input", 2002, without the search in complements).
pub fn minimise(input: &[u8], fails: impl Fn(&[u8]) -> bool) -> Vec<u8> {
    let mut best = input.to_vec();
    let mut len = best.len().div_ceil(2);
    while len > 0 {
        let mut start = 0;
        let mut is_smaller = false;
        while start < best.len() {
            let end = (start + len).min(best.len());
            let shorter = [&best[..start], &best[end..]].concat();
            if fails(&shorter) {
                best = shorter;
                is_smaller = true;
            } else {
                start = end;
            }
        }
        // At the smallest size, again until nothing more can go.
        len = if len == 1 && is_smaller { 1 } else { len / 2 };
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_matters_is_left() {
        let fails = |input: &[u8]| input.contains(&b'(') && input.ends_with(b"x");
        assert_eq!(minimise(b"some (text) that ends with an x", fails), b"(x");
    }
}
