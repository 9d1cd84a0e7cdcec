//! Inputs that are nearly B: seeds with a few random changes.
//!
//! [`Mutator::input`] makes input number n of a run; it depends on the seeds and the number only, so that a failure can be repeated.
//! Most changes work on tokens, cut roughly: words, numbers, operators and blanks. What is cut wrongly makes other inputs, not
//! fewer. A share of the inputs comes from `generate.rs` instead of a seed.

use crate::Random;
use crate::generate;

/// Longer results are cut off; they make a run slow, and size has tests of its own.
const MAX_LEN: usize = 16 * 1024;

/// Makes inputs from seeds.
pub struct Mutator {
    /// The tokens of each seed.
    seeds: Vec<Vec<String>>,
}

impl Mutator {
    /// A mutator of these seeds, of which there is at least one.
    pub fn new(seeds: &[String]) -> Self {
        let seeds: Vec<Vec<String>> =
            seeds.iter().filter(|text| text.len() <= MAX_LEN).map(|text| tokens(text)).collect();
        assert!(!seeds.is_empty(), "no seeds");
        Mutator { seeds }
    }

    /// Input `number` of a run.
    pub fn input(&self, number: u64) -> Vec<u8> {
        let mut random = Random::new(number.wrapping_mul(0x2545_f491_4f6c_dd1d));
        let mut tokens = match random.below(8) {
            0 => {
                let len = 20 + random.below(600);
                tokens(&generate::machine(&random.bytes(len), generate::GeneratorConfig::default()))
            }
            _ => random.pick(&self.seeds).clone(),
        };
        // Few changes reach far into the front end, many are for the parser.
        let n_changes = if random.once_in(4) { 4 + random.below(12) } else { random.below(4) };
        for _ in 0..n_changes {
            self.change(&mut tokens, &mut random);
        }
        let mut bytes = tokens.concat().into_bytes();
        bytes.truncate(MAX_LEN);
        if random.once_in(6) {
            (0..=random.below(4)).for_each(|_| change_bytes(&mut bytes, &mut random));
        }
        bytes
    }

    /// One random change.
    fn change(&self, tokens: &mut Vec<String>, random: &mut Random) {
        let at = random.below(tokens.len() + 1);
        let max_len = if random.once_in(4) { 40 } else { 4 };
        let end = (at + 1 + random.below(max_len)).min(tokens.len());
        let range = at.min(end)..end;
        match random.below(16) {
            0 => _ = tokens.drain(range),
            1 => {
                let copy = tokens[range].to_vec();
                let copies = 1 + if random.once_in(8) { random.below(50) } else { 0 };
                let copies: Vec<String> = std::iter::repeat_n(copy, copies).flatten().collect();
                tokens.splice(at..at, copies);
            }
            2 => {
                let to = random.below(tokens.len() + 1);
                if at < tokens.len() && to < tokens.len() {
                    tokens.swap(at, to);
                }
            }
            3 => {
                let moved: Vec<String> = tokens.drain(range).collect();
                let to = random.below(tokens.len() + 1);
                tokens.splice(to..to, moved);
            }
            4 | 5 => {
                let other = random.pick(&self.seeds);
                let from = random.below(other.len());
                let to = (from + 1 + random.below(60)).min(other.len());
                let piece = other[from..to].to_vec();
                let place = if random.once_in(2) { at..at } else { range };
                tokens.splice(place, piece);
            }
            6 => tokens.insert(at, format!(" {} ", random.pick(KEYWORDS))),
            7 => tokens.insert(at, (*random.pick(OPERATORS)).to_owned()),
            8 => tokens.insert(at, (*random.pick(PIECES)).to_owned()),
            9 => tokens.insert(at, storm(random)),
            10 => nest(tokens, range, random),
            11 => replace_one(tokens, is_number, || (*random.pick(NUMBERS)).to_owned(), at),
            12 => replace_one(tokens, is_operator, || (*random.pick(OPERATORS)).to_owned(), at),
            // A name for another name of the same input: the front end's most frequent meal.
            _ => {
                let names: Vec<String> = tokens.iter().filter(|token| is_name(token)).cloned().collect();
                if !names.is_empty() {
                    replace_one(tokens, is_name, || random.pick(&names).clone(), at);
                }
            }
        }
    }
}

/// Cuts a text into words, numbers, operators and blanks; together they are the text.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut last = None;
    for ch in text.chars() {
        let class = Class::of(ch);
        match tokens.last_mut() {
            Some(token) if last == Some(class) && class != Class::Single => token.push(ch),
            _ => tokens.push(ch.to_string()),
        }
        last = Some(class);
    }
    tokens
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Word,
    Blank,
    Operator,
    /// A token of its own.
    Single,
}

impl Class {
    fn of(ch: char) -> Class {
        match ch {
            ch if ch.is_alphanumeric() || ch == '_' => Class::Word,
            ch if ch.is_whitespace() => Class::Blank,
            '(' | ')' | '[' | ']' | '{' | '}' | ',' | ';' | '"' | '`' | '\'' => Class::Single,
            _ => Class::Operator,
        }
    }
}

fn is_name(token: &str) -> bool {
    token.starts_with(char::is_alphabetic)
}

fn is_number(token: &str) -> bool {
    token.starts_with(|ch: char| ch.is_ascii_digit())
}

fn is_operator(token: &str) -> bool {
    token.chars().next().is_some_and(|ch| Class::of(ch) == Class::Operator)
}

/// Replaces the first such token from a place on, if there is one.
fn replace_one(tokens: &mut [String], wanted: fn(&str) -> bool, with: impl FnOnce() -> String, from: usize) {
    if let Some(token) = tokens.iter_mut().skip(from).find(|token| wanted(token)) {
        *token = with();
    }
}

/// Brackets and block words in no order.
fn storm(random: &mut Random) -> String {
    let parts =
        ["(", ")", "[", "]", "{", "}", " BEGIN ", " END ", " IF ", " THEN ", "/*", "*/", "\"", "'''", "```", "${", "`"];
    let n_kinds = 1 + random.below(4);
    let kinds: Vec<&str> = (0..n_kinds).map(|_| *random.pick(&parts)).collect();
    (0..1 + random.below(40)).map(|_| *random.pick(&kinds)).collect()
}

/// Puts tokens inside many brackets of one kind.
fn nest(tokens: &mut Vec<String>, range: std::ops::Range<usize>, random: &mut Random) {
    let pairs = [
        ("(", ")"),
        ("{", "}"),
        ("[", "]"),
        ("POW(", ")"),
        ("not(", ")"),
        ("-(", ")"),
        ("f(", ")"),
        ("!e.(", ")"),
        ("{e|", "}"),
        ("bool(", ")"),
        ("rec(n:", ")"),
        (" BEGIN ", " END "),
        (" IF x=1 THEN ", " END "),
        (" CHOICE ", " END "),
        (" LET e BE e=1 IN ", " END "),
        ("", "~"),
        ("", "'n"),
        ("", "[A]"),
        ("", "+x"),
        ("", " \\/ A"),
        ("", " |-> x"),
    ];
    let (open, close) = random.pick(&pairs);
    let n_levels = 1 + if random.once_in(8) { random.below(300) } else { random.below(6) };
    tokens.insert(range.end, close.repeat(n_levels));
    tokens.insert(range.start, open.repeat(n_levels));
}

/// A change below the level of characters.
fn change_bytes(bytes: &mut Vec<u8>, random: &mut Random) {
    let at = random.below(bytes.len());
    match random.below(5) {
        0 if !bytes.is_empty() => bytes[at] ^= 1 << random.below(8),
        1 if !bytes.is_empty() => bytes[at] = random.number() as u8,
        2 if !bytes.is_empty() => _ = bytes.remove(at),
        3 => bytes.insert(at, random.number() as u8),
        _ if random.once_in(4) => bytes.truncate(at),
        _ => bytes.insert(at, *random.pick(b"\0\r\n\t\"'`\\$@/*;")),
    }
}

const NUMBERS: &[&str] = &[
    "0",
    "1",
    "-1",
    "2147483647",
    "2147483648",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551616",
    "-9223372036854775809",
    "100000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
    "0x0",
    "0xFFFFFFFFFFFFFFFFFFFFFFFF",
    "00000000000000000000000000000001",
    "1.0",
    "0.0",
    "1.5e300",
    "1.0e-99999999999999999999",
    "9.9e99999999999999999999",
    "2 ** 2 ** 2 ** 100",
    "1..1000000000000",
];

const KEYWORDS: &[&str] = &[
    "ABSTRACT_CONSTANTS",
    "ABSTRACT_VARIABLES",
    "ANY",
    "ASSERT",
    "ASSERTIONS",
    "BE",
    "BEGIN",
    "BOOL",
    "CASE",
    "CHOICE",
    "CONCRETE_CONSTANTS",
    "CONCRETE_VARIABLES",
    "CONSTANTS",
    "CONSTRAINTS",
    "DEFINITIONS",
    "DO",
    "EITHER",
    "ELSE",
    "ELSIF",
    "END",
    "EVENTS",
    "EXPRESSIONS",
    "EXTENDS",
    "FALSE",
    "FIN",
    "FIN1",
    "FLOAT",
    "FREETYPES",
    "IF",
    "IMPLEMENTATION",
    "IMPORTS",
    "IN",
    "INCLUDES",
    "INITIALISATION",
    "INITIALIZATION",
    "INT",
    "INTEGER",
    "INTER",
    "INVARIANT",
    "LET",
    "LOCAL_OPERATIONS",
    "MACHINE",
    "MAXINT",
    "MININT",
    "MODEL",
    "NAT",
    "NAT1",
    "NATURAL",
    "NATURAL1",
    "OF",
    "OPERATIONS",
    "OR",
    "PI",
    "POW",
    "POW1",
    "PRE",
    "PREDICATES",
    "PROMOTES",
    "PROPERTIES",
    "REAL",
    "REFINEMENT",
    "REFINES",
    "SEES",
    "SELECT",
    "SETS",
    "SIGMA",
    "STRING",
    "SYSTEM",
    "THEN",
    "TRUE",
    "UNION",
    "USES",
    "VALUES",
    "VAR",
    "VARIABLES",
    "VARIANT",
    "WHEN",
    "WHERE",
    "WHILE",
    "WITNESS",
    "bfalse",
    "bool",
    "btrue",
    "card",
    "ceiling",
    "closure",
    "closure1",
    "conc",
    "dom",
    "first",
    "floor",
    "fnc",
    "front",
    "id",
    "inter",
    "iseq",
    "iseq1",
    "iterate",
    "last",
    "max",
    "min",
    "mod",
    "not",
    "or",
    "perm",
    "pred",
    "prj1",
    "prj2",
    "ran",
    "real",
    "rec",
    "rel",
    "rev",
    "seq",
    "seq1",
    "size",
    "skip",
    "struct",
    "succ",
    "tail",
    "union",
    "ref",
    "tree",
    "btree",
    "const",
    "top",
    "sons",
    "prefix",
    "postfix",
    "sizet",
    "mirror",
    "rank",
    "father",
    "son",
    "subtree",
    "arity",
    "bin",
    "left",
    "right",
    "infix",
    "@finite",
    "@partition",
    "@prj1",
    "@prj2",
];

const OPERATORS: &[&str] = &[
    "&", " or ", " not", "=>", "<=>", "!", "#", ".", "%", "=", "/=", ":", "/:", "<:", "/<:", "<<:", "/<<:", "<", ">",
    "<=", ">=", "+", "-", "*", "/", " mod ", "**", "\\/", "/\\", "\\", "{}", "..", "|->", ",", ";", "||", "|", "~",
    "<->", "+->", "-->", ">+>", ">->", "+->>", "-->>", ">+>>", ">->>", "<<->", "<->>", "<<->>", "<|", "<<|", "|>",
    "|>>", "<+", "><", "^", "->", "<-", "/|\\", "\\|/", ":=", "::", "<--", "==", "$0", "'", "`", "_", "(", ")", "[",
    "]", "{", "}", "<>", "∧", "∨", "¬", "⇒", "⟹", "⇔", "∀", "∃", "·", "⋅", "•", "λ", "≠", "∈", "∉", "⊆", "⊈", "⊂", "⊄",
    "∋", "∌", "⊇", "⊃", "⊉", "⊅", "⊋", "≤", "≥", "−", "∗", "÷", "˄", "×", "⨯", "∪", "∩", "∖", "∅", "‥", "↦", "∥", "‖",
    "∣", "∼", "⁻¹", "↔", "⇸", "→", "⤔", "↣", "⤀", "↠", "⤖", "\u{e100}", "\u{e101}", "\u{e102}", "◁", "⩤", "▷", "⩥",
    "\u{e103}", "⋖", "⊗", "∘", "⌒", "⇾", "⇽", "↑", "↓", "≔", ":∈", "←", "⟵", "≜", "⊤", "⊥", "𝔹", "ℤ", "ℝ", "ℕ", "ℕ1",
    "ℕ₁", "ℙ", "ℙ1", "ℙ₁", "∑", "∏", "⋃", "⋂", "⦂", "⋀", "⋁", "∄", "⊎", "⊢", "⇐",
];

/// Pieces of text with a meaning of their own.
const PIECES: &[&str] = &[
    "/*",
    "*/",
    "//",
    "\n",
    "\r",
    "\r\n",
    "\u{2028}",
    "\u{feff}",
    "\u{a0}",
    "\0",
    "\"",
    "'''",
    "```",
    "${",
    "}```",
    "\"\\",
    "\"x\"",
    "'''a\nb'''",
    "```a${x}b```",
    "/*@label l */",
    "/*@label \"two words\" */",
    "/*@desc text */",
    "/*@symbolic */",
    "/*@file \"a.mch\" */",
    "/*@package a.b */",
    "/*@import-package a.* */",
    "/*@generated */",
    "/*@ unit x */",
    "/*@",
    "#!",
    "x$0",
    "a.b.c",
    "a.b$0",
    "`a b`",
    "`POW`",
    "``",
    "x′",
    "x₁",
    "é",
    "\u{301}",
    "\u{1f600}",
    "\u{fffd}",
    " x == ",
    " x(y) == ",
    " x <-- y ",
    " x : (y = y$0) ",
    " := ",
    " == x; x == ",
    " rec(a:1,a:2) ",
    " struct(a:INTEGER) ",
    "'a'b",
    "(x)(y)[z]",
    "\n//# A.mch\n",
    "\n//# Main.mch\n",
    "\n//# A.def\n",
    "\"A.def\";",
    " INCLUDES A ",
    " SEES Main ",
    " REFINES A ",
    " SET_PREF_MAXINT == 100; ",
    " SET_PREF_ALLOW_COMPLEX_LETS == TRUE; ",
    " SET_PREF_ALLOW_LOCAL_OPERATION_CALLS == TRUE; ",
    " SET_PREF_ALLOW_OPERATION_CALLS_IN_EXPRESSIONS == TRUE; ",
    " SET_PREF_ALLOW_UNTYPED_IDENTIFIERS == TRUE; ",
    " SET_PREF_ALLOW_SIMULTANEOUS_ASSIGNMENTS == TRUE; ",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_the_text() {
        let text = "x:=f(1)+\"é \"; /* a */ y' ≠ {}";
        assert_eq!(tokens(text).concat(), text);
        assert_eq!(tokens("ab:=12 (x"), ["ab", ":=", "12", " ", "(", "x"]);
    }

    #[test]
    fn inputs_depend_on_their_number_only() {
        let mutator = Mutator::new(&crate::seeds::built_in());
        assert!((0..200).all(|number| mutator.input(number) == mutator.input(number)));
        assert!((0..200).any(|number| mutator.input(number) != mutator.input(number + 1)));
    }
}
