//! Escaping of characters that could control a terminal.
//!
//! File names, strings and comments are written by the authors of machines. Control characters in them could clear the screen, forge a verdict or
//! make an XML file malformed. Characters that change the direction of writing could show text in another order. All output for people goes through
//! [`visible`].

use std::borrow::Cow;
use std::fmt::Write as _;

/// True if a character must be escaped. Newlines and tabs need no escape.
pub fn is_unsafe(ch: char) -> bool {
    match ch {
        '\n' | '\t' => false,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{2028}' | '\u{2029}' => true,
        // These are not characters, and XML does not allow them.
        '\u{fffe}' | '\u{ffff}' => true,
        ch => ch.is_control(),
    }
}

/// Text with unsafe characters replaced by escapes such as `\u{1b}`.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for ch in text.chars() {
        if is_unsafe(ch) {
            let _ = write!(out, "\\u{{{:x}}}", ch as u32);
        } else {
            out.push(ch);
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_shown_and_the_rest_stays() {
        for plain in ["", "a\tb\nc", "é ∈ ℕ", "\u{1f686}"] {
            assert!(matches!(visible(plain), Cow::Borrowed(text) if text == plain));
        }
        assert_eq!(visible("\x1b[2J\u{7}"), "\\u{1b}[2J\\u{7}");
        assert_eq!(visible("a\u{9b}b\u{7f}\r"), "a\\u{9b}b\\u{7f}\\u{d}");
        assert_eq!(visible("\u{202e}cba"), "\\u{202e}cba");
        assert!((0..0x20).chain(0x7f..0xa0).filter_map(char::from_u32).all(|ch| is_unsafe(ch) || "\n\t".contains(ch)));
    }
}
