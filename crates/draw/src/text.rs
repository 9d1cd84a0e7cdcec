//! Text in pictures: estimated widths, and breaking of long lines.
//!
//! Widths are those of a wide font, so that text in another one leaves some room and never reaches beyond its box.

use abridge_diag::visible;

/// Size of the text in boxes, and of labels at edges.
pub(crate) const BOX_FONT: f64 = 12.0;
pub(crate) const LABEL_FONT: f64 = 10.0;

/// Width of a line in a font of a size.
pub(crate) fn width(text: &str, font: f64) -> f64 {
    text.chars().map(|ch| share(ch) * font).sum()
}

/// Width of a character, in parts of the size of the font.
fn share(ch: char) -> f64 {
    match ch {
        'i' | 'j' | 'l' | '\'' | ' ' | '.' | ',' | ':' | ';' | '|' | '!' => 0.36,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '/' | '\\' | '"' => 0.46,
        'm' | 'w' | 'M' | 'W' | '%' | '@' | '+' | '<' | '>' | '=' => 1.0,
        '{' | '}' | '_' | '-' => 0.66,
        'A'..='Z' => 0.8,
        _ if ch.is_ascii() => 0.66,
        _ => 1.05,
    }
}

/// A text in lines of at most so many characters, broken behind commas and blanks where there are some. What is beyond the last line is cut.
pub(crate) fn broken(text: &str, max_chars: usize, max_lines: usize) -> Vec<String> {
    let text = visible(text);
    let mut rest: Vec<char> = text.chars().collect();
    let mut lines = Vec::new();
    while rest.len() > max_chars {
        if lines.len() + 1 == max_lines {
            rest.truncate(max_chars - 1);
            rest.push('…');
            break;
        }
        let is_break = |at: &usize| matches!(rest[*at - 1], ',' | ' ' | ';' | '>' | '&');
        let at = (max_chars / 2..=max_chars).rev().find(is_break).unwrap_or(max_chars);
        let tail = rest.split_off(at);
        lines.push(rest.into_iter().collect());
        rest = tail;
    }
    lines.push(rest.into_iter().collect());
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_broken_behind_commas() {
        assert_eq!(broken("{aa,bb,cc,dd}", 8, 9), ["{aa,bb,", "cc,dd}"]);
        assert_eq!(broken("abcdefghij", 4, 9), ["abcd", "efgh", "ij"]);
        assert_eq!(broken("abcdefghij", 4, 2), ["abcd", "efg…"]);
        assert_eq!(broken("", 4, 2), [""]);
    }
}
