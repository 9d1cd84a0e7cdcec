//! Tokens of temporal formulas.
//!
//! Operators need no blanks between them (`GF[op]`), so a word is cut into the longest spellings that fit. Atoms are tokens: what
//! stands between the braces of `{P}` or in the brackets of `[op(x, _)]` is cut out as text, with brackets balanced and strings skipped.
//! A wrong cut here would move every offset inside a B predicate, and with it every diagnostic of the front end.

use abridge_diag::{Diagnostic, FileId, Span};
use smol_str::SmolStr;

use crate::formula::{
    AtomKind, BText, BinaryTemporal, FairSteps, FairnessTerm, OperationPattern, TextRange, UnaryTemporal,
    ValueQuantifier,
};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FormulaLogic {
    Ltl,
    Ctl,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum FormulaToken {
    Const(bool),
    Atom(AtomKind),
    Unary(UnaryTemporal),
    Binary(BinaryTemporal),
    /// `#x.` or `!x.`
    Quantifier(ValueQuantifier, SmolStr),
    /// `!` as negation.
    Bang,
    Fair(FairnessTerm),
    Open,
    Close,
    /// The path quantifiers of CTL.
    Some,
    All,
    End,
}

/// Words that stand alone, longest first where one begins another.
const WORDS: &[(&str, FormulaToken)] = &[
    ("historically", FormulaToken::Unary(UnaryTemporal::Historically)),
    ("stronguntil", FormulaToken::Binary(BinaryTemporal::Until)),
    ("eventually", FormulaToken::Unary(UnaryTemporal::Finally)),
    ("equivalent", FormulaToken::Binary(BinaryTemporal::Iff)),
    ("det_output", FormulaToken::Atom(AtomKind::DetOutput)),
    ("weakuntil", FormulaToken::Binary(BinaryTemporal::WeakUntil)),
    ("yesterday", FormulaToken::Unary(UnaryTemporal::Yesterday)),
    ("globally", FormulaToken::Unary(UnaryTemporal::Globally)),
    ("deadlock", FormulaToken::Atom(AtomKind::Deadlock)),
    ("implies", FormulaToken::Binary(BinaryTemporal::Implies)),
    ("finally", FormulaToken::Unary(UnaryTemporal::Finally)),
    ("release", FormulaToken::Binary(BinaryTemporal::Release)),
    ("trigger", FormulaToken::Binary(BinaryTemporal::Trigger)),
    ("current", FormulaToken::Atom(AtomKind::Current)),
    ("always", FormulaToken::Unary(UnaryTemporal::Globally)),
    ("since", FormulaToken::Binary(BinaryTemporal::Since)),
    ("until", FormulaToken::Binary(BinaryTemporal::Until)),
    ("error", FormulaToken::Atom(AtomKind::Error)),
    ("false", FormulaToken::Const(false)),
    ("next", FormulaToken::Unary(UnaryTemporal::Next)),
    ("once", FormulaToken::Unary(UnaryTemporal::Once)),
    ("sink", FormulaToken::Atom(AtomKind::Sink)),
    ("goal", FormulaToken::Atom(AtomKind::Goal)),
    ("true", FormulaToken::Const(true)),
    ("and", FormulaToken::Binary(BinaryTemporal::And)),
    ("not", FormulaToken::Unary(UnaryTemporal::Not)),
    ("SEF", FormulaToken::Fair(FairnessTerm { is_strong: true, subject: FairSteps::Every })),
    ("WEF", FormulaToken::Fair(FairnessTerm { is_strong: false, subject: FairSteps::Every })),
    ("or", FormulaToken::Binary(BinaryTemporal::Or)),
    ("G", FormulaToken::Unary(UnaryTemporal::Globally)),
    ("F", FormulaToken::Unary(UnaryTemporal::Finally)),
    ("X", FormulaToken::Unary(UnaryTemporal::Next)),
    ("H", FormulaToken::Unary(UnaryTemporal::Historically)),
    ("O", FormulaToken::Unary(UnaryTemporal::Once)),
    ("Y", FormulaToken::Unary(UnaryTemporal::Yesterday)),
    ("U", FormulaToken::Binary(BinaryTemporal::Until)),
    ("W", FormulaToken::Binary(BinaryTemporal::WeakUntil)),
    ("R", FormulaToken::Binary(BinaryTemporal::Release)),
    ("S", FormulaToken::Binary(BinaryTemporal::Since)),
    ("T", FormulaToken::Binary(BinaryTemporal::Trigger)),
];

/// Words that are followed by something in parentheses.
const HEADS: &[&str] = &[
    "before_after",
    "deterministic",
    "controller",
    "increasing",
    "decreasing",
    "available",
    "unchanged",
    "deadlock",
    "enabled",
    "changed",
    "SF",
    "WF",
    "sf",
    "wf",
    "BA",
    "Av",
    "e",
];

const SIGNS: &[(&str, FormulaToken)] = &[
    ("<=>", FormulaToken::Binary(BinaryTemporal::Iff)),
    ("<->", FormulaToken::Binary(BinaryTemporal::Iff)),
    ("⇔", FormulaToken::Binary(BinaryTemporal::Iff)),
    ("=>", FormulaToken::Binary(BinaryTemporal::Implies)),
    ("->", FormulaToken::Binary(BinaryTemporal::Implies)),
    ("⇒", FormulaToken::Binary(BinaryTemporal::Implies)),
    ("&&", FormulaToken::Binary(BinaryTemporal::And)),
    ("&", FormulaToken::Binary(BinaryTemporal::And)),
    ("∧", FormulaToken::Binary(BinaryTemporal::And)),
    ("||", FormulaToken::Binary(BinaryTemporal::Or)),
    ("∨", FormulaToken::Binary(BinaryTemporal::Or)),
    ("¬", FormulaToken::Unary(UnaryTemporal::Not)),
    ("□", FormulaToken::Unary(UnaryTemporal::Globally)),
    ("<>", FormulaToken::Unary(UnaryTemporal::Finally)),
    ("⋄", FormulaToken::Unary(UnaryTemporal::Finally)),
    ("◇", FormulaToken::Unary(UnaryTemporal::Finally)),
    ("(", FormulaToken::Open),
    (")", FormulaToken::Close),
];

/// Spellings of other languages and what to write instead.
const FOREIGN: &[(&str, &str)] =
    &[("[]", "G"), ("/\\", "&"), ("\\/", "or"), ("==>", "=>"), ("==", "<=>"), ("|", "or"), ("~", "not")];

/// Cuts a formula into tokens, or says what is wrong with it.
pub(crate) fn tokens(
    file: FileId,
    base: u32,
    text: &str,
    logic: FormulaLogic,
) -> Result<Vec<(FormulaToken, TextRange)>, Box<Diagnostic>> {
    let mut lexer = Lexer { file, base, text, logic, at: 0, found: Vec::new() };
    while lexer.skip_blanks() {
        lexer.token()?;
    }
    let end = text.len() as u32;
    lexer.found.push((FormulaToken::End, TextRange { start: end, end }));
    Ok(lexer.found)
}

struct Lexer<'t> {
    file: FileId,
    base: u32,
    text: &'t str,
    logic: FormulaLogic,
    at: usize,
    found: Vec<(FormulaToken, TextRange)>,
}

type Lexed = Result<(), Box<Diagnostic>>;

impl<'t> Lexer<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// Whether something is left.
    fn skip_blanks(&mut self) -> bool {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches(is_blank).len();
        self.at < self.text.len()
    }

    fn push(&mut self, token: FormulaToken, start: usize) {
        self.found.push((token, TextRange { start: start as u32, end: self.at as u32 }));
    }

    fn error(&self, id: &'static str, message: String, start: usize, end: usize) -> Box<Diagnostic> {
        let span = Span::new(self.file, self.base + start as u32, self.base + end as u32);
        Box::new(Diagnostic::error(id, message).at(span))
    }

    fn token(&mut self) -> Lexed {
        let (rest, start) = (self.rest(), self.at);
        let first = rest.chars().next().unwrap_or(' ');
        match first {
            '{' => {
                let text = self.enclosed('}')?;
                self.push(FormulaToken::Atom(AtomKind::Predicate(text)), start);
                return Ok(());
            }
            '[' if !rest.starts_with("[]") => {
                let inside = self.enclosed(']')?;
                let pattern = self.pattern(&inside)?;
                self.push(FormulaToken::Atom(AtomKind::Taken(pattern)), start);
                return Ok(());
            }
            '#' | '!' if self.quantifier(first)? => return Ok(()),
            '!' => {
                self.at += 1;
                self.push(FormulaToken::Bang, start);
                return Ok(());
            }
            ch if ch.is_alphabetic() || ch == '_' || ch.is_ascii_digit() => return self.word(),
            _ => {}
        }
        let is_foreign = |spelling: &str| rest.starts_with(spelling) && !(spelling == "|" && rest.starts_with("||"));
        if let Some((wrong, right)) = FOREIGN.iter().find(|(spelling, _)| is_foreign(spelling)) {
            let message = format!("`{wrong}` is not an operator of temporal formulas");
            let mut error = self.error("foreign-operator", message, start, start + wrong.len());
            *error = error.help(format!("write `{right}`"));
            return Err(error);
        }
        if let Some((spelling, token)) = SIGNS.iter().find(|(spelling, _)| rest.starts_with(spelling)) {
            self.at += spelling.len();
            self.push(token.clone(), start);
            return Ok(());
        }
        let message = format!("`{first}` has no meaning in a temporal formula");
        let mut error = self.error("unexpected-character", message, start, start + first.len_utf8());
        *error = error.help("write predicates of B in braces: `{x > 0}`");
        Err(error)
    }

    /// `#x.` and `!x.`; `!` may be something else.
    fn quantifier(&mut self, sign: char) -> Result<bool, Box<Diagnostic>> {
        let start = self.at;
        let after = self.rest()[1..].trim_start_matches(is_blank);
        let name: &str = &after[..after.len() - after.trim_start_matches(is_name_char).len()];
        let dot = after[name.len()..].trim_start_matches(is_blank);
        if name.starts_with(char::is_alphabetic) && dot.starts_with('.') {
            self.at = self.text.len() - dot.len() + 1;
            let quantifier = if sign == '#' { ValueQuantifier::Exists } else { ValueQuantifier::Forall };
            self.push(FormulaToken::Quantifier(quantifier, name.into()), start);
            return Ok(true);
        }
        if sign == '!' {
            return Ok(false);
        }
        let mut error = self.error("missing-dot", "`#` needs one variable and a dot".into(), start, start + 1);
        *error = error.help("write `#x.({P} & formula)`");
        Err(error)
    }

    /// One or more tokens from a run of letters.
    fn word(&mut self) -> Lexed {
        let start = self.at;
        let rest = self.rest();
        let word = &rest[..rest.len() - rest.trim_start_matches(is_name_char).len()];
        let end = start + word.len();
        while self.at < end {
            let here = self.at;
            let part = &self.text[here..end];
            let is_last =
                |spelling: &&&str| part.len() == spelling.len() && self.text[end..].trim_start().starts_with('(');
            if let Some(head) = HEADS.iter().filter(|head| part == **head).find(is_last) {
                self.at = end;
                return self.with_parentheses(head, here);
            }
            let ctl = [("E", FormulaToken::Some), ("A", FormulaToken::All)];
            let of_ctl = ctl.iter().filter(|_| self.logic == FormulaLogic::Ctl);
            let known = WORDS.iter().chain(of_ctl).find(|(spelling, _)| part.starts_with(spelling));
            let Some((spelling, token)) = known else { return Err(self.unknown_word(word, start)) };
            self.at += spelling.len();
            self.push(token.clone(), here);
        }
        Ok(())
    }

    fn unknown_word(&self, word: &str, start: usize) -> Box<Diagnostic> {
        let message = format!("`{word}` is no operator and no atom of temporal formulas");
        let mut error = self.error("unexpected-token", message, start, start + word.len());
        let mut words = WORDS.iter().map(|(spelling, _)| *spelling).chain(HEADS.iter().copied());
        let near = words.find(|spelling| spelling.len() > 2 && is_slip(word, spelling));
        *error = match near {
            _ if HEADS.contains(&word) => error.help(format!("`{word}` is followed by parentheses: `{word}(..)`")),
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error.help(format!(
                "a predicate of B is written `{{{word} = ..}}`, a step `[{word}]`, an enabled operation `e({word})`"
            )),
        };
        error
    }

    /// What follows a word with parentheses.
    fn with_parentheses(&mut self, head: &str, start: usize) -> Lexed {
        self.skip_blanks();
        let inside = self.enclosed(')')?;
        let token = match head {
            "SF" | "sf" | "WF" | "wf" => FormulaToken::Fair(FairnessTerm {
                is_strong: matches!(head, "SF" | "sf"),
                subject: FairSteps::Operation(self.pattern(&inside)?),
            }),
            "e" | "enabled" => FormulaToken::Atom(AtomKind::Enabled(self.pattern(&inside)?)),
            "Av" | "available" => FormulaToken::Atom(AtomKind::Available(self.pattern(&inside)?)),
            "deadlock" => FormulaToken::Atom(AtomKind::DeadlockOf(self.patterns(&inside)?)),
            "deterministic" => FormulaToken::Atom(AtomKind::Deterministic(self.patterns(&inside)?)),
            "controller" => FormulaToken::Atom(AtomKind::Controller(self.patterns(&inside)?)),
            _ => {
                let text = self.braced(head, &inside)?;
                FormulaToken::Atom(match head {
                    "unchanged" => AtomKind::Unchanged(text),
                    "changed" => AtomKind::Changed(text),
                    "increasing" => AtomKind::Increasing(text),
                    "decreasing" => AtomKind::Decreasing(text),
                    _ => AtomKind::BeforeAfter(text),
                })
            }
        };
        self.push(token, start);
        Ok(())
    }

    /// The text between the bracket here and its partner; goes on behind it.
    fn enclosed(&mut self, close: char) -> Result<BText, Box<Diagnostic>> {
        let start = self.at;
        let Some(len) = balanced(self.rest(), close) else {
            let open = self.rest().chars().next().unwrap_or('(');
            let message = format!("this `{open}` is never closed");
            let mut error = self.error("unclosed-bracket", message, start, start + 1);
            *error = error.help(format!("add `{close}`"));
            return Err(error);
        };
        self.at += len;
        Ok(trimmed(&self.text[start + 1..start + len - 1], start + 1))
    }

    /// `{E}` in the parentheses of `unchanged({E})` and its like.
    fn braced(&self, head: &str, inside: &BText) -> Result<BText, Box<Diagnostic>> {
        let start = inside.start as usize;
        let is_one = inside.text.starts_with('{') && balanced(&inside.text, '}') == Some(inside.text.len());
        if is_one {
            return Ok(trimmed(&inside.text[1..inside.text.len() - 1], start + 1));
        }
        let message = format!("`{head}` needs its argument in braces");
        let end = start + inside.text.len();
        let mut error = self.error("unexpected-token", message, start, end);
        *error = error.help(format!("write `{head}({{{}}})`", inside.text));
        Err(error)
    }

    fn patterns(&self, inside: &BText) -> Result<Vec<OperationPattern>, Box<Diagnostic>> {
        split(inside).iter().map(|part| self.pattern(part)).collect()
    }

    /// `op` or `op(E, _, ..)`.
    fn pattern(&self, text: &BText) -> Result<OperationPattern, Box<Diagnostic>> {
        let start = text.start as usize;
        let all: &str = &text.text;
        let name = &all[..all.len() - all.trim_start_matches(|ch| is_name_char(ch) || ch == '.').len()];
        let after = trimmed(&all[name.len()..], start + name.len());
        let operation = BText { text: name.into(), start: text.start };
        if name.is_empty() || name.starts_with(['.', '_']) || name.starts_with(|ch: char| ch.is_ascii_digit()) {
            let mut error =
                self.error("unexpected-token", "the name of an operation is missing".into(), start, start + all.len());
            *error = error.help("name an operation of the machine, with or without arguments: `op` or `op(x, _)`");
            return Err(error);
        }
        if after.text.is_empty() {
            return Ok(OperationPattern { operation, arguments: Vec::new() });
        }
        if !after.text.starts_with('(') || balanced(&after.text, ')') != Some(after.text.len()) {
            let message = format!("only arguments in parentheses may follow the operation `{name}`");
            let end = after.start as usize + after.text.len();
            let mut error = self.error("unexpected-token", message, after.start as usize, end);
            *error = error.help("write `op(x, _)`; `_` stands for any value");
            return Err(error);
        }
        let list = trimmed(&after.text[1..after.text.len() - 1], after.start as usize + 1);
        if list.text.is_empty() {
            return Ok(OperationPattern { operation, arguments: Vec::new() });
        }
        let parts = split(&list);
        if let Some(empty) = parts.iter().find(|part| part.text.is_empty()) {
            let place = empty.start as usize;
            let message = format!("an argument of `{name}` is missing");
            let mut error = self.error("missing-operand", message, place, place);
            *error = error.help("write `_` for an argument that may have any value");
            return Err(error);
        }
        let arguments = parts.into_iter().map(|part| (part.text != "_").then_some(part)).collect();
        Ok(OperationPattern { operation, arguments })
    }
}

fn is_blank(ch: char) -> bool {
    ch.is_whitespace() || matches!(ch, '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{a0}' | '\u{200e}' | '\u{200f}')
}

fn is_name_char(ch: char) -> bool {
    ch.is_alphanumeric() || ch == '_'
}

fn trimmed(text: &str, start: usize) -> BText {
    let body = text.trim_start_matches(is_blank);
    let start = start + (text.len() - body.len());
    BText { text: body.trim_end_matches(is_blank).into(), start: start as u32 }
}

/// Length of the bracketed text at the start of `text`, the closing bracket included. In braces, only braces count: what stands there is
/// B, and its other brackets are for the parser of B.
fn balanced(text: &str, close: char) -> Option<usize> {
    let mut depth = 0_usize;
    let mut is_quoted = false;
    let mut is_escaped = false;
    for (idx, ch) in text.char_indices() {
        if is_quoted {
            is_quoted = is_escaped || ch != '"';
            is_escaped = !is_escaped && ch == '\\';
            continue;
        }
        let (opens, closes) = match close {
            '}' => (ch == '{', ch == '}'),
            _ => (matches!(ch, '(' | '[' | '{'), matches!(ch, ')' | ']' | '}')),
        };
        is_quoted = ch == '"';
        depth += usize::from(opens);
        depth -= usize::from(closes && depth > 0);
        if closes && depth == 0 {
            return (ch == close).then_some(idx + ch.len_utf8());
        }
    }
    None
}

/// The parts between commas that stand in no bracket.
fn split(list: &BText) -> Vec<BText> {
    let mut parts = Vec::new();
    let (mut depth, mut from, mut is_quoted, mut is_escaped) = (0_usize, 0, false, false);
    for (idx, ch) in list.text.char_indices() {
        if is_quoted {
            is_quoted = is_escaped || ch != '"';
            is_escaped = !is_escaped && ch == '\\';
            continue;
        }
        match ch {
            '"' => is_quoted = true,
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(trimmed(&list.text[from..idx], list.start as usize + from));
                from = idx + 1;
            }
            _ => {}
        }
    }
    parts.push(trimmed(&list.text[from..], list.start as usize + from));
    parts
}

/// Whether a word is a spelling with one letter changed, added or left out, or with other capitals.
fn is_slip(word: &str, spelling: &str) -> bool {
    if word.eq_ignore_ascii_case(spelling) {
        return true;
    }
    let (word, spelling): (Vec<char>, Vec<char>) = (word.chars().collect(), spelling.chars().collect());
    let prefix = word.iter().zip(&spelling).take_while(|(left, right)| left == right).count();
    let (word, spelling) = (&word[prefix..], &spelling[prefix..]);
    let is_same_after = |skip_word: usize, skip_spelling: usize| {
        word.len() >= skip_word && spelling.len() >= skip_spelling && word[skip_word..] == spelling[skip_spelling..]
    };
    is_same_after(1, 1) || is_same_after(1, 0) || is_same_after(0, 1)
}
