//! The `//!` header of a model file: what a checker must find there.
//!
//! The vocabulary is fixed and described in `models/README.md`; an unknown key is an error.

/// One line of a header: `key[qualifiers]: value`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expectation {
    pub key: String,
    /// Sizes of sets, for instance `PROC` and 3.
    pub sizes: Vec<(String, u32)>,
    /// `[symmetry]`: about representatives only.
    pub symmetry: bool,
    /// `[markers]`: what the approximate method of symmetry markers visits.
    pub markers: bool,
    pub value: String,
}

const KEYS: [&str; 11] = [
    "run",
    "run-slow",
    "compat",
    "set-size",
    "states",
    "nodes",
    "transitions",
    "deadlocks",
    "holds",
    "fails",
    "reaches",
];

/// All expectations of a file.
///
/// # Errors
/// When a line is not of the documented form.
pub fn expectations(text: &str) -> Result<Vec<Expectation>, String> {
    let lines = text.lines().take_while(|line| line.starts_with("//!"));
    lines.map(|line| line.trim_start_matches("//!").trim()).map(expectation).collect()
}

fn expectation(line: &str) -> Result<Expectation, String> {
    let (head, value) = line.split_once(": ").ok_or_else(|| format!("`{line}` is not `key: value`"))?;
    let (key, qualifiers) = match head.split_once('[') {
        Some((key, rest)) => (key, rest.strip_suffix(']').ok_or_else(|| format!("`{head}` lacks `]`"))?),
        None => (head, ""),
    };
    if !KEYS.contains(&key) {
        return Err(format!("`{key}` is not a known key"));
    }
    let parts: Vec<&str> = qualifiers.split(',').map(str::trim).filter(|part| !part.is_empty()).collect();
    let (words, sizes): (Vec<&str>, Vec<&str>) =
        parts.into_iter().partition(|part| ["symmetry", "markers"].contains(part));
    Ok(Expectation {
        key: key.to_owned(),
        sizes: sizes.into_iter().map(size).collect::<Result<_, _>>()?,
        symmetry: words.contains(&"symmetry"),
        markers: words.contains(&"markers"),
        value: value.trim().to_owned(),
    })
}

/// `S=3`
///
/// # Errors
/// When the text has another form.
pub fn size(text: &str) -> Result<(String, u32), String> {
    let (set, size) = text.split_once('=').ok_or_else(|| format!("`{text}` is not `SET=N`"))?;
    let size = size.trim().parse().map_err(|_| format!("`{text}` does not name a number"))?;
    Ok((set.trim().to_owned(), size))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_taken_apart() {
        let parsed =
            expectations("//! run: parse, types\n//! nodes[PROC=3, symmetry]: 14\nMACHINE m END").unwrap_or_default();
        assert_eq!(parsed.len(), 2);
        assert_eq!(parsed[1].sizes, [("PROC".to_owned(), 3)]);
        assert!(parsed[1].symmetry);
        assert_eq!(parsed[1].value, "14");
        assert!(expectations("//! colour: red").is_err());
    }
}
