//! Spelling of operators and punctuation, in ASCII and Unicode.
//!
//! The lexer tries longer symbols first. A missing or misplaced entry makes it read two tokens instead of one.

use super::token::TokenKind;
use crate::ast::{Atom, BinaryOp, Builtin, Quantifier};

use TokenKind as T;
use TokenKind::Op;

/// Symbols with a given first byte, longer ones first.
fn candidates(byte: u8) -> &'static [(&'static str, TokenKind)] {
    use BinaryOp::*;
    match byte {
        b'!' => &[("!", T::Forall)],
        b'#' => &[("#", T::Exists)],
        b'%' => &[("%", T::Quantifier(Quantifier::Lambda))],
        b'&' => &[("&", T::And)],
        b'\'' => &[("'", T::Quote)],
        b'(' => &[("(", T::LParen)],
        b')' => &[(")", T::RParen)],
        b'*' => &[("**", Op(Power)), ("*", Op(Times))],
        b'+' => &[("+->>", Op(PartialSurjection)), ("+->", Op(PartialFunction)), ("+", Op(Add))],
        b',' => &[(",", T::Comma)],
        b'-' => &[("-->>", Op(TotalSurjection)), ("-->", Op(TotalFunction)), ("->", Op(InsertFront)), ("-", Op(Minus))],
        b'.' => &[("..", Op(Interval)), (".", T::Dot)],
        b'/' => &[
            ("/<<:", Op(NotStrictSubset)),
            ("/<:", Op(NotSubset)),
            ("/|\\", Op(RestrictFront)),
            ("/\\", Op(Intersection)),
            ("/=", Op(NotEqual)),
            ("/:", Op(NotMember)),
            ("/", Op(Divide)),
        ],
        b':' => &[(":∈", T::BecomesElement), ("::", T::BecomesElement), (":=", T::Assign), (":", Op(Member))],
        b';' => &[(";", T::Semicolon)],
        b'<' => &[
            ("<<->>", Op(TotalSurjectionRelation)),
            ("<<->", Op(TotalRelation)),
            ("<->>", Op(SurjectionRelation)),
            ("<->", Op(Relation)),
            ("<=>", T::Op(Equivalent)),
            ("<<:", Op(StrictSubset)),
            ("<<|", Op(DomainSubtract)),
            ("<--", T::Outputs),
            ("<-", Op(InsertTail)),
            ("<:", Op(Subset)),
            ("<|", Op(DomainRestrict)),
            ("<=", Op(LessEqual)),
            ("<+", Op(Override)),
            ("<", Op(Less)),
        ],
        b'=' => &[("==", T::DefinedAs), ("=>", Op(Implies)), ("=", Op(Equal))],
        b'>' => &[
            (">->>", Op(TotalBijection)),
            (">+>>", Op(PartialBijection)),
            (">->", Op(TotalInjection)),
            (">+>", Op(PartialInjection)),
            ("><", Op(DirectProduct)),
            (">=", Op(GreaterEqual)),
            (">", Op(Greater)),
        ],
        b'[' => &[("[", T::LBracket)],
        b'\\' => &[("\\|/", Op(RestrictTail)), ("\\/", Op(Union)), ("\\", Op(SetMinus))],
        b']' => &[("]", T::RBracket)],
        b'^' => &[("^", Op(Concat))],
        b'{' => &[("{", T::LBrace)],
        b'|' => &[
            ("|->", Op(Maplet)),
            ("|>>", Op(RangeSubtract)),
            ("||", Op(ParallelProduct)),
            ("|>", Op(RangeRestrict)),
            ("|", T::Bar),
        ],
        b'}' => &[("}", T::RBrace)],
        b'~' => &[("~", T::Inverse)],
        _ => &[],
    }
}

/// Longest ASCII symbol at the start of `text`, and its length.
pub(super) fn symbol(text: &str) -> Option<(TokenKind, usize)> {
    let byte = text.bytes().next()?;
    // U+2212 may replace `-` in arrows, also as their first character.
    let byte = if text.starts_with('−') { b'-' } else { byte };
    candidates(byte).iter().find_map(|(spelling, kind)| Some((*kind, matched(text, spelling)?)))
}

/// Length of `symbol` at the start of `text`. U+2212 may replace `-`, except in `<-` and `<--`.
fn matched(text: &str, symbol: &str) -> Option<usize> {
    if text.starts_with(symbol) {
        return Some(symbol.len());
    }
    if !symbol.contains('-') || matches!(symbol, "<-" | "<--") {
        return None;
    }
    let mut rest = text;
    for expected in symbol.chars() {
        let stripped = rest.strip_prefix(expected);
        rest = if expected == '-' { stripped.or_else(|| rest.strip_prefix('−'))? } else { stripped? };
    }
    Some(text.len() - rest.len())
}

/// Meaning of a character beyond ASCII.
pub(super) enum Unicode {
    Symbol(TokenKind),
    /// Not a symbol of B. The hint says what to write; `meant` is the probable token.
    Refused {
        hint: &'static str,
        meant: Option<TokenKind>,
    },
}

pub(super) fn unicode(ch: char) -> Option<Unicode> {
    let refused = |hint, meant| Some(Unicode::Refused { hint, meant });
    match ch {
        '⋀' => refused("write `&` or `∧` between predicates", Some(T::And)),
        '⋁' => refused("write `or` or `∨` between predicates", Some(T::Or)),
        '∄' => refused("write `not(#x.(P))` or `¬(∃x·(P))`", None),
        '⊎' => refused("B has no disjoint union; write `\\/` or `∪`", Some(Op(BinaryOp::Union))),
        '⊢' | '⊦' | '⊧' => refused("B has no sequents; write `=>` or `⇒` for an implication", None),
        '⇐' | '⟸' => refused("write the implication from left to right with `=>` or `⇒`", None),
        '–' | '—' => refused("write `-` for minus", Some(Op(BinaryOp::Minus))),
        '…' => refused("an interval is written `a..b`", Some(Op(BinaryOp::Interval))),
        '⟶' => refused("a total function is written `-->` or `→`", Some(Op(BinaryOp::TotalFunction))),
        '⟷' => refused("a relation is written `<->` or `↔`", Some(Op(BinaryOp::Relation))),
        '≡' => refused("an equivalence is written `<=>` or `⇔`", Some(Op(BinaryOp::Equivalent))),
        '⊕' => refused("overriding is written `<+`", Some(Op(BinaryOp::Override))),
        '∊' => refused("write `:` or `∈` for membership", Some(Op(BinaryOp::Member))),
        '∍' => refused("write `x : S` or `S ∋ x`", Some(T::Reversed(BinaryOp::Member))),
        _ => symbol_of(ch).or_else(|| operator_of(ch).map(Op)).map(Unicode::Symbol),
    }
}

fn symbol_of(ch: char) -> Option<TokenKind> {
    let kind = match ch {
        '∧' => T::And,
        '∨' => T::Or,
        '¬' => T::Not,
        '∀' => T::Forall,
        '∃' => T::Exists,
        '·' | '⋅' | '•' => T::MiddleDot,
        'λ' | '𝜆' => T::Quantifier(Quantifier::Lambda),
        '∑' => T::Quantifier(Quantifier::Sigma),
        '∏' => T::Quantifier(Quantifier::Pi),
        '⋃' => T::Quantifier(Quantifier::Union),
        '⋂' => T::Quantifier(Quantifier::Inter),
        '∋' => T::Reversed(BinaryOp::Member),
        '∌' => T::Reversed(BinaryOp::NotMember),
        '⊇' => T::Reversed(BinaryOp::Subset),
        '⊃' | '⊋' => T::Reversed(BinaryOp::StrictSubset),
        '⊉' => T::Reversed(BinaryOp::NotSubset),
        '⊅' => T::Reversed(BinaryOp::NotStrictSubset),
        '∣' => T::Bar,
        '∼' => T::Inverse,
        '≔' => T::Assign,
        '←' | '⟵' => T::Outputs,
        '≜' => T::DefinedAs,
        '⦂' => T::OfType,
        '∅' => T::Atom(Atom::EmptySet),
        '⊤' => T::Atom(Atom::BTrue),
        '⊥' => T::Atom(Atom::BFalse),
        '𝔹' => T::Atom(Atom::Bool),
        'ℤ' => T::Atom(Atom::Integer),
        'ℝ' => T::Atom(Atom::Real),
        'ℕ' => T::Atom(Atom::Natural),
        'ℙ' => T::Builtin(Builtin::Pow),
        _ => return None,
    };
    Some(kind)
}

fn operator_of(ch: char) -> Option<BinaryOp> {
    use BinaryOp::*;
    let op = match ch {
        '⇒' | '⟹' => Implies,
        '⇔' | '⟺' => Equivalent,
        '≠' => NotEqual,
        '∈' => Member,
        '∉' => NotMember,
        '⊆' => Subset,
        '⊈' => NotSubset,
        '⊂' | '⊊' => StrictSubset,
        '⊄' => NotStrictSubset,
        '≤' => LessEqual,
        '≥' => GreaterEqual,
        '∗' => Times,
        '÷' => Divide,
        '˄' => Power,
        '×' | '⨯' => Cartesian,
        '∪' => Union,
        '∩' => Intersection,
        '∖' => SetMinus,
        '‥' => Interval,
        '↦' => Maplet,
        '∥' | '‖' => ParallelProduct,
        '↔' => Relation,
        '⇸' => PartialFunction,
        '→' => TotalFunction,
        '⤔' => PartialInjection,
        '↣' => TotalInjection,
        '⤀' => PartialSurjection,
        '↠' => TotalSurjection,
        '⤖' => TotalBijection,
        '\u{e100}' => TotalRelation,
        '\u{e101}' => SurjectionRelation,
        '\u{e102}' => TotalSurjectionRelation,
        '◁' => DomainRestrict,
        '⩤' | '◀' => DomainSubtract,
        '▷' => RangeRestrict,
        '⩥' | '▶' => RangeSubtract,
        '\u{e103}' | '⋖' => Override,
        '⊗' => DirectProduct,
        '∘' => BackwardCompose,
        '⌒' => Concat,
        '⇾' => InsertFront,
        '⇽' => InsertTail,
        '↑' => RestrictFront,
        '↓' => RestrictTail,
        _ => return None,
    };
    Some(op)
}
