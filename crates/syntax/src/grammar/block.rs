//! Keywords inside blocks, such as THEN and END, and recovery when one is missing.
//!
//! A missing END is assumed at the place where parsing can resume. The indentation of blocks suggests where it was forgotten.

use abridge_diag::Diagnostic;

use super::recovery::{closes_bracket, ends_bracket};
use super::{Abandoned, Parsed, Parser};
use crate::ast::{BinaryOp, Ident};
use crate::lexer::{Keyword, Token, TokenKind};

impl Parser<'_> {
    /// Expects a keyword in the middle of a block. Text before a later occurrence is skipped. If there is none, the keyword is assumed.
    pub(super) fn expect_word(&mut self, keyword: Keyword, opener: Token) -> Parsed<()> {
        if self.eat_keyword(keyword) || self.eat_misspelt(keyword) {
            return Ok(());
        }
        let word = word_of(keyword);
        let opener_text = self.text_of(opener).to_owned();
        let quiet = self.quiet_at == Some(self.pos);
        if ends_bracket(self.kind()) && self.open_brackets_since(opener) {
            self.report_unclosed_bracket();
        }
        let conjunct = self.starts_formula() && keyword == Keyword::Then && self.word_ahead(keyword).is_some();
        let message = match conjunct {
            true => format!("expected `&` or `{word}`, found {}", self.found()),
            false => format!("expected `{word}`, found {}", self.found()),
        };
        let opened = match conjunct {
            true => format!("in the predicate of this `{opener_text}`"),
            false => format!("this `{opener_text}` needs its `{word}`"),
        };
        let mut diagnostic =
            Diagnostic::error("missing-keyword", message).at(self.here()).also(self.span_of(opener), opened);
        if conjunct {
            diagnostic = diagnostic.help("join predicates with `&`");
        } else if let Some(hint) = self.word_hint(keyword) {
            diagnostic = diagnostic.help(hint);
        }
        self.report(diagnostic);
        if self.find_word(keyword, quiet).is_ok() {
            return Ok(());
        }
        self.skip_block();
        Err(Abandoned)
    }

    /// Takes a keyword of a block in lower case, and reports it.
    pub(super) fn eat_misspelt(&mut self, keyword: Keyword) -> bool {
        let word = word_of(keyword);
        let misspelt = self.at(TokenKind::Ident) && self.text_of(self.token()).eq_ignore_ascii_case(word);
        if misspelt {
            let message = format!("{} is written `{word}` in B", self.found());
            let help = "keywords of substitutions are in upper case";
            self.report(Diagnostic::error("misspelt-keyword", message).at(self.here()).help(help));
            self.bump();
        }
        misspelt
    }

    /// True if a keyword of a block in lower case is next, at a place where a name is not possible.
    pub(super) fn at_misspelt_word(&self) -> bool {
        const WORDS: [&str; 12] =
            ["then", "else", "elsif", "elseif", "end", "when", "do", "invariant", "variant", "or", "in", "where"];
        let is_word = |text: &str| WORDS.iter().any(|word| text.eq_ignore_ascii_case(word));
        let follows = self.kind_ahead(1);
        let is_target = matches!(follows, TokenKind::Assign | TokenKind::BecomesElement | TokenKind::Outputs);
        self.at(TokenKind::Ident) && !is_target && is_word(self.text_of(self.token()))
    }

    /// Advances past the END of the current block.
    fn skip_block(&mut self) {
        let in_bracket = !self.open_brackets.is_empty();
        self.skip_until(|kind| kind == TokenKind::Keyword(Keyword::End) || (in_bracket && closes_bracket(kind)));
        self.eat_keyword(Keyword::End);
        self.quiet_at = Some(self.pos);
    }

    /// Names between the first keyword of a block and the next one. Other tokens are skipped.
    pub(super) fn block_names(&mut self, next: Keyword) -> Vec<Ident> {
        self.bound_names().unwrap_or_else(|_| {
            let next = TokenKind::Keyword(next);
            self.skip_until(|kind| kind == next || ends_bracket(kind) || kind == TokenKind::Semicolon);
            self.ast.lost_names = true;
            Vec::new()
        })
    }

    fn word_hint(&self, keyword: Keyword) -> Option<&'static str> {
        match (keyword, self.kind()) {
            (Keyword::Then, TokenKind::Op(BinaryOp::Equal) | TokenKind::Assign) => {
                Some("did you forget `THEN` before this substitution?")
            }
            (Keyword::Then, TokenKind::Ident) => Some("write `THEN` before the substitution"),
            (Keyword::Then, TokenKind::Keyword(Keyword::Do)) => Some("only `WHILE` has `DO`"),
            (Keyword::Do, TokenKind::Keyword(Keyword::Then)) => Some("`WHILE` has `DO`, not `THEN`"),
            (Keyword::Be, _) => Some("a local name is written `LET x BE x = E IN S END`"),
            (Keyword::In, TokenKind::Assign) => Some("variables are only named here; write `VAR x IN x := E; S END`"),
            (Keyword::Invariant | Keyword::Variant, TokenKind::Keyword(Keyword::End)) => {
                Some("a loop is written `WHILE P DO S INVARIANT I VARIANT V END`")
            }
            (Keyword::Where, TokenKind::Keyword(Keyword::Then | Keyword::When | Keyword::Be | Keyword::In)) => {
                Some("`ANY` is written `ANY x WHERE P THEN S END`")
            }
            (Keyword::Where, TokenKind::Op(_)) => {
                Some("the values are described after `WHERE`: `ANY x WHERE x : S THEN T END`")
            }
            (Keyword::Either | Keyword::Of, _) => {
                Some("`CASE` is written `CASE E OF EITHER a THEN S OR b THEN T ELSE U END END`")
            }
            _ => None,
        }
    }

    /// Takes ELSIF or its form in other languages, which is reported.
    pub(super) fn eat_elsif(&mut self) -> bool {
        if self.at_foreign_elsif() || self.at_lower_case("elsif") {
            let message = format!("{} is written `ELSIF` in B", self.found());
            self.report(Diagnostic::error("foreign-operator", message).at(self.here()).help("write `ELSIF`"));
            self.bump();
            return true;
        }
        self.eat_keyword(Keyword::Elsif)
    }

    pub(super) fn at_foreign_elsif(&self) -> bool {
        self.at(TokenKind::Ident) && matches!(self.text_of(self.token()), "ELSEIF" | "ELIF" | "ELSE_IF")
    }

    fn at_lower_case(&self, word: &str) -> bool {
        self.at(TokenKind::Ident) && self.text_of(self.token()).eq_ignore_ascii_case(word)
    }

    /// Searches a few tokens ahead for a missing keyword.
    fn word_ahead(&self, keyword: Keyword) -> Option<usize> {
        const MAX_LOOKAHEAD_TOKENS: usize = 100;
        let mut depth = 0;
        for ahead in 0..MAX_LOOKAHEAD_TOKENS {
            match self.kind_ahead(ahead) {
                TokenKind::Keyword(found) if found == keyword && depth == 0 => return Some(ahead),
                TokenKind::EndOfFile | TokenKind::Semicolon | TokenKind::Assign => return None,
                TokenKind::Keyword(Keyword::End) if depth > 0 => depth -= 1,
                TokenKind::Keyword(found) if found.opens_block() && ahead > 0 => depth += 1,
                TokenKind::Keyword(Keyword::End | Keyword::Else | Keyword::Elsif | Keyword::When) if depth == 0 => {
                    return None;
                }
                _ => {}
            }
        }
        None
    }

    /// Advances past a missing keyword, if it occurs soon.
    fn find_word(&mut self, keyword: Keyword, quiet: bool) -> Parsed<()> {
        if let Some(ahead) = self.word_ahead(keyword) {
            self.ast.skipped = true;
            self.pos += ahead + 1;
            return Ok(());
        }
        if keyword == Keyword::Then && self.kind() == TokenKind::Keyword(Keyword::Do)
            || keyword == Keyword::Do && self.kind() == TokenKind::Keyword(Keyword::Then)
        {
            self.bump();
            return Ok(());
        }
        let starts = match self.kind() {
            _ if keyword == Keyword::Either && self.is_value_ahead(0) => true,
            TokenKind::Ident | TokenKind::QuotedIdent => true,
            TokenKind::Keyword(found) => found.starts_only_substitution() || found == Keyword::If,
            _ => false,
        };
        // The keyword is assumed, unless text was skipped.
        if starts && !quiet { Ok(()) } else { Err(Abandoned) }
    }

    /// True if a bracket opened after `opener` is still open.
    fn open_brackets_since(&self, opener: Token) -> bool {
        self.innermost_bracket().is_some_and(|(bracket, _)| bracket.start > opener.start)
    }

    /// Expects the END of a block.
    pub(super) fn end(&mut self, opener: Token) -> Parsed<()> {
        self.end_with_hint(opener, None)
    }

    pub(super) fn end_with_hint(&mut self, opener: Token, hint: Option<&str>) -> Parsed<()> {
        if self.at_keyword(Keyword::End) {
            let end = self.bump();
            self.compare_indentation(opener, end, hint.is_some());
            return Ok(());
        }
        if self.eat_misspelt(Keyword::End) {
            return Ok(());
        }
        let opener_text = self.text_of(opener).to_owned();
        let message = format!("expected the `END` of this `{opener_text}`, found {}", self.found());
        let here = self.here();
        let mut diagnostic = Diagnostic::error("missing-end", message).at(here);
        diagnostic = diagnostic.also(self.span_of(opener), "opened here");
        let suspect = self.suspects.last().filter(|suspect| suspect.opener.start > opener.start).copied();
        diagnostic = match (hint, suspect, self.kind()) {
            (Some(hint), ..) => diagnostic.help(hint),
            (None, Some(suspect), _) => self.with_suspect(diagnostic, suspect),
            (None, None, TokenKind::Semicolon) if self.operation_ahead(1) => diagnostic
                .help(format!("another operation follows; write the `END` of the `{opener_text}` before the `;`")),
            _ => diagnostic.help(format!("every `{opener_text}` needs an `END`")),
        };
        self.report(diagnostic);
        Err(Abandoned)
    }

    /// Records a block whose END is indented less than its first keyword, if both start their lines.
    fn compare_indentation(&mut self, opener: Token, end: Token, has_inner: bool) {
        const MAX_SUSPECTS: usize = 100;
        let indented_less = match (self.line_indentation(opener.start), self.indentation(end.start)) {
            (Some(opener), Some(end)) => end < opener,
            _ => false,
        };
        if indented_less && self.suspects.len() < MAX_SUSPECTS {
            self.suspects.push(Suspect { opener, end, has_inner });
        }
    }

    /// Indentation of a position, if only blanks precede it on its line.
    pub(super) fn indentation(&self, start: u32) -> Option<usize> {
        let before = self.line_before(start)?;
        before.iter().all(|byte| is_blank(*byte)).then_some(before.len())
    }

    /// Indentation of the line of a position.
    fn line_indentation(&self, start: u32) -> Option<usize> {
        self.line_before(start).map(|before| before.iter().take_while(|byte| is_blank(**byte)).count())
    }

    /// Part of a line before a position; `None` if it is very long.
    fn line_before(&self, start: u32) -> Option<&[u8]> {
        const MAX_LINE_BYTES: usize = 300;
        let before = &self.text.as_bytes()[..start as usize];
        let len = before.iter().rev().take(MAX_LINE_BYTES).take_while(|byte| !matches!(byte, b'\n' | b'\r')).count();
        (len < MAX_LINE_BYTES).then(|| &before[before.len() - len..])
    }

    /// Adds a block whose END is probably missing to a diagnostic.
    pub(super) fn with_suspect(&self, diagnostic: Diagnostic, suspect: Suspect) -> Diagnostic {
        let text = self.text_of(suspect.opener);
        let diagnostic = diagnostic
            .also(self.span_of(suspect.end), format!("this `END` closes the `{text}`, but is indented less"))
            .help(format!("look at this `{text}`: perhaps its `END` is the missing one"));
        match (suspect.opener.kind, suspect.has_inner) {
            (TokenKind::Keyword(Keyword::Case), _) => diagnostic.help(TWO_ENDS),
            (TokenKind::Keyword(Keyword::If), true) => diagnostic.help(ELSE_IF),
            _ => diagnostic,
        }
    }
}

/// Block whose END is indented less than its first keyword, and so may belong to another block.
#[derive(Clone, Copy)]
pub(super) struct Suspect {
    opener: Token,
    end: Token,
    /// True if the block contains another one whose END is often forgotten.
    has_inner: bool,
}

pub(super) const ELSE_IF: &str =
    "an `IF` after `ELSE` needs an `END` of its own; write `ELSIF` to go on with the same `IF`";
pub(super) const TWO_ENDS: &str = "a `CASE` has two `END`s: one for `EITHER`, one for `CASE`";

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

fn word_of(keyword: Keyword) -> &'static str {
    match keyword {
        Keyword::Be => "BE",
        Keyword::Do => "DO",
        Keyword::Either => "EITHER",
        Keyword::Else => "ELSE",
        Keyword::End => "END",
        Keyword::In => "IN",
        Keyword::Invariant => "INVARIANT",
        Keyword::Of => "OF",
        Keyword::Variant => "VARIANT",
        Keyword::Where => "WHERE",
        _ => "THEN",
    }
}
