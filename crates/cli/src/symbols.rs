//! Mathematical symbols by name: `\forall` for `∀`, and `\u2200` by number.
//!
//! Names are replaced outside of strings only, where a backslash begins no operator of B.

/// Names as in LaTeX, and the symbols.
pub(crate) const SYMBOLS: &[(&str, &str)] = &[
    ("Rightarrow", "⇒"),
    ("Leftrightarrow", "⇔"),
    ("and", "∧"),
    ("bool", "BOOL"),
    ("cap", "∩"),
    ("cup", "∪"),
    ("emptyset", "∅"),
    ("equiv", "⇔"),
    ("exists", "∃"),
    ("forall", "∀"),
    ("geq", "≥"),
    ("implies", "⇒"),
    ("in", "∈"),
    ("int", "ℤ"),
    ("lambda", "λ"),
    ("leq", "≤"),
    ("mapsto", "↦"),
    ("nat", "ℕ"),
    ("neq", "≠"),
    ("not", "¬"),
    ("notin", "∉"),
    ("or", "∨"),
    ("pow", "ℙ"),
    ("subset", "⊂"),
    ("subseteq", "⊆"),
    ("times", "×"),
    ("to", "→"),
];

/// A line with symbols in place of their names.
pub(crate) fn with_symbols(line: &str) -> String {
    let (mut out, mut rest, mut is_string) = (String::with_capacity(line.len()), line, false);
    while let Some(ch) = rest.chars().next() {
        if is_string && ch == '\\' {
            // Whatever follows is part of the string.
            let end = rest.char_indices().nth(2).map_or(rest.len(), |(end, _)| end);
            out += &rest[..end];
            rest = &rest[end..];
            continue;
        }
        is_string ^= ch == '"';
        match rest.strip_prefix('\\').filter(|_| !is_string).and_then(symbol) {
            Some((symbol, length)) => {
                out += &symbol;
                rest = &rest[1 + length..];
            }
            None => {
                out.push(ch);
                rest = &rest[ch.len_utf8()..];
            }
        }
    }
    out
}

/// The symbol whose name begins a text, and the length of the name.
fn symbol(text: &str) -> Option<(String, usize)> {
    let length = text.find(|ch: char| !ch.is_ascii_alphanumeric()).unwrap_or(text.len());
    let name = &text[..length];
    if let Some((_, symbol)) = SYMBOLS.iter().find(|(known, _)| *known == name) {
        return Some(((*symbol).to_owned(), length));
    }
    const DIGITS: usize = 4;
    let digits = name.strip_prefix('u')?.get(..DIGITS)?;
    let ch = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32)?;
    Some((ch.to_string(), 1 + DIGITS))
}

#[cfg(test)]
mod tests {
    use super::with_symbols;

    #[test]
    fn names_become_symbols_outside_of_strings() {
        assert_eq!(with_symbols("\\forall x.(x \\in 1..3 => x \\leq 3)"), "∀ x.(x ∈ 1..3 => x ≤ 3)");
        assert_eq!(with_symbols("x \\u2208 \\u2115"), "x ∈ ℕ");
        assert_eq!(with_symbols("\"\\forall \\\"\\in\" = s"), "\"\\forall \\\"\\in\" = s");
        assert_eq!(with_symbols("a \\/ b /|\\ 2 \\|/ 3 \\nothing"), "a \\/ b /|\\ 2 \\|/ 3 \\nothing");
        assert_eq!(with_symbols("\\"), "\\");
    }
}
