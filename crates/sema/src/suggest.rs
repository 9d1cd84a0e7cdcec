//! "Did you mean": the known name nearest to a misspelt one.

/// Candidate at the smallest edit distance, if it is close enough to be a plausible slip.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = name.chars().count();
    let limit = match length {
        0..=1 => 0,
        2..=5 => 1,
        6..=8 => 2,
        _ => 3,
    };
    let scored = candidates.into_iter().filter(|candidate| *candidate != name).filter_map(|candidate| {
        // A forgotten prefix: `n` for `m.n`.
        if candidate.strip_suffix(name).is_some_and(|prefix| prefix.ends_with('.')) {
            return Some((0, candidate));
        }
        let distance = distance(name, candidate, limit)?;
        (distance < length || distance == 1).then_some((distance, candidate))
    });
    scored.min().map(|(_, candidate)| candidate)
}

/// Edit distance with transpositions, case differences at no more than one; `None` beyond `limit`.
fn distance(left: &str, right: &str, limit: usize) -> Option<usize> {
    if left.eq_ignore_ascii_case(right) {
        return Some(1);
    }
    let (left, right): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
    if left.len().abs_diff(right.len()) > limit || left.len() > 64 {
        return None;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.iter().enumerate() {
        let mut next = vec![i + 1];
        for (j, b) in right.iter().enumerate() {
            let mut best = (row[j] + usize::from(a != b)).min(row[j + 1] + 1).min(next[j] + 1);
            if i > 0 && j > 0 && *a == right[j - 1] && left[i - 1] == *b {
                best = best.min(before[j - 1] + 1);
            }
            next.push(best);
        }
        before = std::mem::replace(&mut row, next);
    }
    Some(row[right.len()]).filter(|distance| *distance <= limit)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        assert_eq!(nearest("actve", ["active", "idle"]), Some("active"));
        assert_eq!(nearest("acitve", ["active", "idle"]), Some("active"));
        assert_eq!(nearest("Active", ["active"]), Some("active"));
        assert_eq!(nearest("x", ["y", "X"]), Some("X"));
        assert_eq!(nearest("queue", ["stack", "heap"]), None);
        assert_eq!(nearest("count", ["point"]), None);
        assert_eq!(nearest("n", ["m.n", "N"]), Some("m.n"));
    }
}
