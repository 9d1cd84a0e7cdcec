//! Lexer: B text to tokens.
//!
//! [`lex`] makes one pass over the text and takes the longest token at each position. Blanks are dropped. Comments are listed separately, for the
//! printer. A pragma is stored with the index of the token after it, and the grammar looks for pragmas only where they have a meaning. A character
//! that starts no token is reported and skipped. `lexer/symbol.rs` has the symbols, `lexer/token.rs` the reserved words.

mod symbol;
mod token;

use abridge_diag::{Diagnostic, FileId, Span};
use smol_str::SmolStr;

use crate::ast::{Atom, Builtin, Comment};
use symbol::Unicode;
pub(crate) use token::{Keyword, Token, TokenKind, clause_words, reserved};

/// Result of the lexer. The last token is [`TokenKind::EndOfFile`].
pub(crate) struct Lexed {
    pub(crate) tokens: Vec<Token>,
    pub(crate) comments: Vec<Comment>,
    pub(crate) pragmas: Vec<Pragma>,
    /// Offsets of blank lines ([`crate::ast::Ast::blank_lines`]).
    pub(crate) blank_lines: Vec<u32>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// Pragma `/*@ name ... */` with a known name.
#[derive(Clone, Debug)]
pub(crate) struct Pragma {
    pub(crate) kind: PragmaKind,
    /// Index of the token that follows it.
    pub(crate) before: u32,
    pub(crate) comment: Comment,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum PragmaKind {
    Label(SmolStr),
    Desc(SmolStr),
    Symbolic,
    File(SmolStr),
    Package(SmolStr),
    ImportPackage(SmolStr),
    Generated,
}

/// Splits a text of less than 4 GiB into tokens.
pub(crate) fn lex(file: FileId, text: &str) -> Lexed {
    let lexed = Lexed {
        // Texts usually have less than one token per three bytes.
        tokens: Vec::with_capacity(text.len() / 3 + 1),
        comments: Vec::new(),
        pragmas: Vec::new(),
        blank_lines: Vec::new(),
        diagnostics: Vec::new(),
    };
    let mut lexer = Lexer {
        file,
        text,
        pos: 0,
        line_start: 0,
        line_used: false,
        n_placed: (0, 0),
        templates: Vec::new(),
        open_templates: Vec::new(),
        lexed,
    };
    lexer.file_start();
    while lexer.pos < text.len() {
        lexer.token();
    }
    lexer.file_end();
    lexer.lexed
}

/// Offsets of line starts.
pub(crate) fn line_starts(text: &str) -> Vec<u32> {
    let bytes = text.as_bytes();
    let mut starts = vec![0];
    for (idx, byte) in bytes.iter().enumerate() {
        let ends_line = match byte {
            b'\n' => true,
            b'\r' => bytes.get(idx + 1) != Some(&b'\n'),
            // Last byte of U+2028 and U+2029.
            0xa8 | 0xa9 => bytes[..idx].ends_with(&[0xe2, 0x80]),
            _ => false,
        };
        if ends_line {
            starts.push(idx as u32 + 1);
        }
    }
    starts
}

/// Value of a string literal, with escapes resolved and line ends normalised to LF.
pub(crate) fn unescape(inside: &str) -> SmolStr {
    unescape_with(inside, &['"', '\'', '\\'])
}

/// Value of text in back quotes, where a back quote can be escaped by a backslash.
pub(crate) fn unescape_back_quoted(inside: &str) -> SmolStr {
    unescape_with(inside, &['"', '\'', '\\', '`'])
}

/// Resolves escapes. A backslash before a character of `verbatim` is dropped.
fn unescape_with(inside: &str, verbatim: &[char]) -> SmolStr {
    if !inside.contains(['\\', '\r']) {
        return SmolStr::new(inside);
    }
    let mut value = String::with_capacity(inside.len());
    let mut chars = inside.chars().peekable();
    while let Some(ch) = chars.next() {
        match (ch, chars.peek()) {
            ('\\', Some('n')) => value.push('\n'),
            ('\\', Some('r')) => value.push('\r'),
            ('\\', Some('t')) => value.push('\t'),
            ('\\', Some(escaped)) if verbatim.contains(escaped) => value.push(*escaped),
            // Unknown escapes stay unchanged.
            ('\\', _) => {
                value.push('\\');
                continue;
            }
            ('\r', Some('\n')) => value.push('\n'),
            ('\r', _) => {
                value.push('\n');
                continue;
            }
            _ => {
                value.push(ch);
                continue;
            }
        }
        chars.next();
    }
    SmolStr::new(value)
}

struct Lexer<'a> {
    file: FileId,
    text: &'a str,
    pos: usize,
    /// Start of the current line, if it is blank so far.
    line_start: usize,
    /// True if the current line is not blank.
    line_used: bool,
    /// Number of comments and pragmas whose following token is known.
    n_placed: (usize, usize),
    /// Start of the template and number of open braces, for each open `${`.
    templates: Vec<(usize, u32)>,
    /// Starts of the open templates.
    open_templates: Vec<usize>,
    lexed: Lexed,
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.text[self.pos..]
    }

    fn byte_at(&self, pos: usize) -> u8 {
        self.text.as_bytes().get(pos).copied().unwrap_or(0)
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.file, start as u32, end as u32)
    }

    /// Adds a token of `len` bytes and advances.
    fn push(&mut self, kind: TokenKind, len: usize) {
        let start = self.pos;
        self.pos += len;
        self.line_used = true;
        self.place_comments(start as u32);
        self.lexed.tokens.push(Token { kind, start: start as u32, end: self.pos as u32 });
    }

    /// Sets the next token of all comments since the last token.
    fn place_comments(&mut self, start: u32) {
        let (n_comments, n_pragmas) = self.n_placed;
        self.lexed.comments[n_comments..].iter_mut().for_each(|comment| comment.before = start);
        self.lexed.pragmas[n_pragmas..].iter_mut().for_each(|pragma| pragma.comment.before = start);
        self.n_placed = (self.lexed.comments.len(), self.lexed.pragmas.len());
    }

    /// Advances over a line end of `len` bytes.
    fn line_end(&mut self, len: usize) {
        if !self.line_used {
            self.lexed.blank_lines.push(self.line_start as u32);
        }
        self.pos += len;
        self.line_start = self.pos;
        self.line_used = false;
    }

    fn error(&mut self, diagnostic: Diagnostic) {
        const MAX_DIAGNOSTICS: usize = 100;
        if self.lexed.diagnostics.len() < MAX_DIAGNOSTICS {
            self.lexed.diagnostics.push(diagnostic);
        }
    }

    fn file_start(&mut self) {
        if self.text.starts_with('\u{feff}') {
            self.pos = '\u{feff}'.len_utf8();
        }
        if self.rest().starts_with("#!") {
            self.line_comment();
        }
    }

    fn file_end(&mut self) {
        if let Some(start) = self.open_templates.last() {
            self.unclosed("template", "```", *start, self.text.len());
        }
        self.place_comments(self.text.len() as u32);
        // An error at the end is placed after the last token, not after trailing comments.
        let end = self.lexed.tokens.last().map_or(0, |token| token.end);
        self.lexed.tokens.push(Token { kind: TokenKind::EndOfFile, start: end, end });
    }

    fn token(&mut self) {
        let byte = self.byte_at(self.pos);
        let next = self.byte_at(self.pos + 1);
        match byte {
            b' ' | b'\t' => self.pos += 1,
            b'\r' if next == b'\n' => self.line_end(2),
            b'\n' | b'\r' => self.line_end(1),
            b'a'..=b'z' | b'A'..=b'Z' => self.word(),
            b'0'..=b'9' => self.number(),
            b'"' => self.string(),
            b'\'' if self.rest().starts_with("'''") => self.long_string(),
            b'`' if self.rest().starts_with("```") => self.template(),
            b'`' => self.quoted_ident(),
            b'/' if next == b'*' => self.block_comment(),
            b'/' if next == b'/' => self.line_comment(),
            b'$' => self.dollar(),
            b'@' => self.at_word(),
            b'<' if self.empty_sequence() => {}
            b'{' | b'}' if !self.templates.is_empty() => self.template_brace(byte),
            0x80.. => self.unicode(),
            _ => match symbol::symbol(self.rest()) {
                Some((kind, len)) => self.push(kind, len),
                None => self.bad_characters(),
            },
        }
    }

    fn word(&mut self) {
        let rest = self.rest();
        let mut len = ident_len(rest);
        if let Some(marks) = rest.get(len..).filter(|marks| marks.bytes().next().is_some_and(|byte| byte >= 0x80)) {
            let subscripts = marks.trim_start_matches(|ch| ('₀'..='₉').contains(&ch));
            let primes = subscripts.trim_start_matches(['′', '‘', '’']);
            len += marks.len() - primes.len();
        }
        let kind = reserved(&rest[..len]).unwrap_or(TokenKind::Ident);
        self.push(kind, len);
    }

    fn number(&mut self) {
        let bytes = self.rest().as_bytes();
        let digits = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        if bytes.starts_with(b"0x") {
            let len = bytes[2..].iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
            if len > 0 {
                return self.push(TokenKind::Integer, 2 + len);
            }
        }
        let whole = digits(0);
        let fraction = if bytes.get(whole) == Some(&b'.') { digits(whole + 1) } else { 0 };
        if fraction == 0 && bytes.get(whole) == Some(&b'.') && bytes.get(whole + 1) != Some(&b'.') {
            return self.unfinished_real(whole);
        }
        if fraction == 0 {
            return self.push(TokenKind::Integer, whole);
        }
        let mut len = whole + 1 + fraction;
        if matches!(bytes.get(len), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(len + 1), Some(b'+' | b'-')));
            let exponent = bytes.get(len + 1 + sign..).map_or(0, |_| digits(len + 1 + sign));
            len += if exponent > 0 { 1 + sign + exponent } else { 0 };
        }
        self.push(TokenKind::Real, len);
    }

    /// Reports a number such as `1.`.
    fn unfinished_real(&mut self, whole: usize) {
        let span = self.span(self.pos, self.pos + whole + 1);
        let message = "a real number has digits after the point";
        let help = format!("write `{}.0`", &self.rest()[..whole]);
        self.error(Diagnostic::error("bad-number", message).at(span).help(help));
        self.push(TokenKind::Real, whole + 1);
    }

    /// Length up to and including the first unescaped `quote`. If it is missing, `Err` has the length of the text up to where it should be.
    fn closing(&self, from: usize, quote: &str, one_line: bool) -> Result<usize, usize> {
        let bytes = self.rest().as_bytes();
        let mut idx = from;
        while idx < bytes.len() {
            match bytes[idx] {
                b'\\' => idx += 1,
                b'\n' | b'\r' if one_line => return Err(idx),
                _ if bytes[idx..].starts_with(quote.as_bytes()) => return Ok(idx + quote.len()),
                _ => {}
            }
            idx += 1;
        }
        Err(bytes.len())
    }

    fn string(&mut self) {
        match self.closing(1, "\"", true) {
            Ok(len) => self.push(TokenKind::String, len),
            Err(len) => {
                self.unclosed("string", "\"", self.pos, self.pos + len);
                self.push(TokenKind::String, len);
            }
        }
    }

    fn long_string(&mut self) {
        match self.closing(3, "'''", false) {
            Ok(len) => self.push(TokenKind::LongString, len),
            Err(len) => {
                self.unclosed("string", "'''", self.pos, self.pos + len);
                self.push(TokenKind::LongString, len);
            }
        }
    }

    fn unclosed(&mut self, what: &str, closer: &str, start: usize, end: usize) {
        let opening = self.span(start, (start + closer.len()).min(self.text.len()));
        let found = if end == self.text.len() { "the file ends before" } else { "the line ends before" };
        let message = format!("this {what} is never closed");
        let diagnostic = match what {
            "comment" => Diagnostic::error("unclosed-comment", message),
            _ => Diagnostic::error("unclosed-string", message),
        };
        let diagnostic = diagnostic.at_saying(opening, format!("{found} the closing `{closer}`"));
        let help = match (what, closer) {
            ("string", "\"") => {
                "write the closing `\"` on the same line; `'''...'''` may span several lines".to_owned()
            }
            _ => format!("write `{closer}` where the {what} ends"),
        };
        self.error(diagnostic.help(help));
    }

    fn quoted_ident(&mut self) {
        let (len, closed) = match self.closing(1, "`", true) {
            Ok(len) => (len, true),
            Err(len) => (len, false),
        };
        let span = self.span(self.pos, self.pos + len);
        let inside = self.rest()[1..len].trim_end_matches('`');
        if !closed {
            let message = "this quoted name is never closed";
            self.error(Diagnostic::error("unclosed-name", message).at(span).help("write the closing back quote"));
        } else if inside.is_empty() || inside.contains('.') {
            let message = "a quoted name must not be empty or contain a dot";
            let help = "quote each part of a dotted name on its own: `` `a`.`b` ``";
            self.error(Diagnostic::error("bad-name", message).at(span).help(help));
        }
        self.push(TokenKind::QuotedIdent, len);
    }

    fn template(&mut self) {
        self.open_templates.push(self.pos);
        let opening = self.pos;
        self.push(TokenKind::TemplateOpen, 3);
        self.template_text(opening);
    }

    /// Reads text up to the next `${` or the end of the template.
    fn template_text(&mut self, opening: usize) {
        let bytes = self.rest().as_bytes();
        let mut len = 0;
        while len < bytes.len() && !bytes[len..].starts_with(b"${") && !bytes[len..].starts_with(b"```") {
            len += if bytes[len] == b'\\' { 2 } else { 1 };
        }
        let len = len.min(bytes.len());
        if len > 0 {
            self.push(TokenKind::TemplateText, len);
        }
        if self.rest().starts_with("${") {
            self.push(TokenKind::TemplateExprOpen, 2);
            self.templates.push((opening, 0));
        } else if self.rest().starts_with("```") {
            self.push(TokenKind::TemplateClose, 3);
            self.open_templates.pop();
        }
    }

    fn template_brace(&mut self, byte: u8) {
        let Some((opening, n_open)) = self.templates.last_mut() else { return };
        match byte {
            b'{' => *n_open += 1,
            _ if *n_open > 0 => *n_open -= 1,
            _ => {
                let opening = *opening;
                self.templates.pop();
                self.push(TokenKind::TemplateExprClose, 1);
                return self.template_text(opening);
            }
        }
        self.push(if byte == b'{' { TokenKind::LBrace } else { TokenKind::RBrace }, 1);
    }

    fn dollar(&mut self) {
        let rest = self.rest();
        let digits = rest[1..].bytes().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        if &rest[1..1 + digits] == "0" {
            return self.push(TokenKind::DollarZero, 2);
        }
        let span = self.span(self.pos, self.pos + 1 + digits);
        let message = "`$` is only used in `x$0`, the value of `x` before a substitution";
        self.error(Diagnostic::error("bad-dollar", message).at(span).help("write `$0` directly after a name"));
        self.pos += 1 + digits;
    }

    fn at_word(&mut self) {
        let rest = self.rest();
        let len = 1 + ident_len(&rest[1..]);
        let kind = match &rest[..len] {
            "@finite" => TokenKind::Builtin(Builtin::Finite),
            "@partition" => TokenKind::Builtin(Builtin::Partition),
            "@prj1" => TokenKind::Atom(Atom::Prj1),
            "@prj2" => TokenKind::Atom(Atom::Prj2),
            _ => {
                let message = "`@` only starts `@finite`, `@partition`, `@prj1` and `@prj2`";
                let span = self.span(self.pos, self.pos + len);
                self.error(Diagnostic::error("unexpected-character", message).at(span));
                self.pos += 1;
                return;
            }
        };
        self.push(kind, len);
    }

    /// Reads `<` and `>` with only blanks between them as one token.
    fn empty_sequence(&mut self) -> bool {
        let inside = self.rest()[1..].trim_start_matches(is_blank);
        let is_empty = inside.starts_with('>') && !inside.starts_with(">=");
        if is_empty {
            let len = self.text.len() - self.pos - inside.len() + 1;
            self.push(TokenKind::Atom(Atom::EmptySequence), len);
        }
        is_empty
    }

    fn unicode(&mut self) {
        let rest = self.rest();
        let mut chars = rest.chars();
        let (Some(ch), next) = (chars.next(), chars.next()) else { return };
        match (ch, next) {
            ('\u{a0}', _) => self.pos += ch.len_utf8(),
            ('\u{2028}' | '\u{2029}', _) => self.line_end(ch.len_utf8()),
            ('−', _) => {
                if let Some((kind, len)) = symbol::symbol(rest) {
                    self.push(kind, len);
                }
            }
            ('⁻', Some('¹')) => self.push(TokenKind::Inverse, "⁻¹".len()),
            ('ℕ', Some(one @ ('1' | '₁'))) => self.push(TokenKind::Atom(Atom::Natural1), 3 + one.len_utf8()),
            ('ℙ', Some(one @ ('1' | '₁'))) => self.push(TokenKind::Builtin(Builtin::Pow1), 3 + one.len_utf8()),
            ('“' | '”' | '„', _) => self.typographic_string(),
            _ => match symbol::unicode(ch) {
                Some(Unicode::Symbol(kind)) => self.push(kind, ch.len_utf8()),
                Some(Unicode::Refused { hint, meant }) => self.refused(ch, hint, meant),
                None if ch.is_alphabetic() => self.word(),
                None => self.bad_characters(),
            },
        }
    }

    /// Reports `“text”` and reads it as a string.
    fn typographic_string(&mut self) {
        let rest = self.rest();
        let line = rest.find(['\n', '\r']).map_or(rest, |end| &rest[..end]);
        let mut inside = line.char_indices().skip(1);
        let len =
            inside.find(|(_, ch)| matches!(ch, '“' | '”' | '"')).map_or(line.len(), |(idx, ch)| idx + ch.len_utf8());
        let span = self.span(self.pos, self.pos + len);
        let message = "strings are written between straight quotation marks";
        self.error(Diagnostic::error("unexpected-character", message).at(span).help("write `\"text\"`"));
        self.push(TokenKind::String, len);
    }

    fn refused(&mut self, ch: char, hint: &str, meant: Option<TokenKind>) {
        let len = ch.len_utf8();
        let span = self.span(self.pos, self.pos + len);
        let message = format!("`{ch}` is not a symbol of B");
        self.error(Diagnostic::error("unexpected-character", message).at(span).help(hint));
        match meant {
            Some(kind) => self.push(kind, len),
            None => self.pos += len,
        }
    }

    /// Reports a run of equal characters that start no token.
    fn bad_characters(&mut self) {
        let rest = self.rest();
        let Some(ch) = rest.chars().next() else { return };
        let len = rest.len() - rest.trim_start_matches(ch).len();
        let span = self.span(self.pos, self.pos + len);
        let diagnostic = match ch {
            '\u{fffd}' => Diagnostic::error("unexpected-character", "this text is not valid UTF-8")
                .help("save the file as UTF-8; other encodings are only understood inside comments"),
            '_' => {
                Diagnostic::error("unexpected-character", "a name cannot start with `_`").help("start it with a letter")
            }
            '?' => Diagnostic::error("unexpected-character", "`?` has no meaning in B")
                .help("a choice between values is written `IF P THEN E ELSE F END`"),
            ch if ch.is_control() || ch.is_whitespace() => {
                let message = format!("the character U+{:04X} is not allowed here", u32::from(ch));
                Diagnostic::error("unexpected-character", message).help("replace it by a blank")
            }
            ch => Diagnostic::error("unexpected-character", format!("`{ch}` has no meaning in B")),
        };
        self.error(diagnostic.at(span));
        self.pos += len;
    }

    fn line_comment(&mut self) {
        let rest = self.rest();
        let len = rest.find(['\n', '\r', '\u{2028}', '\u{2029}']).unwrap_or(rest.len());
        let comment = self.comment(len, true);
        self.lexed.comments.push(comment);
    }

    fn block_comment(&mut self) {
        let rest = self.rest();
        let Some(end) = rest.get(2..).and_then(|inside| inside.find("*/")) else {
            self.unclosed("comment", "*/", self.pos, self.text.len());
            self.pos = self.text.len();
            return;
        };
        let kind = rest[2..2 + end].strip_prefix('@').and_then(pragma_kind);
        let comment = self.comment(end + 4, false);
        match kind {
            Some(kind) => {
                let before = self.lexed.tokens.len() as u32;
                self.lexed.pragmas.push(Pragma { kind, before, comment });
            }
            None => self.lexed.comments.push(comment),
        }
    }

    fn comment(&mut self, len: usize, is_line: bool) -> Comment {
        let text = SmolStr::new(&self.rest()[..len]);
        let span = self.span(self.pos, self.pos + len);
        let after = self.lexed.tokens.last().map_or(0, |token| token.end);
        let comment = Comment { span, text, is_line, own_line: !self.line_used, after, before: 0 };
        self.line_used = true;
        self.pos += len;
        comment
    }
}

fn is_blank(ch: char) -> bool {
    matches!(ch, ' ' | '\t' | '\n' | '\r' | '\u{a0}' | '\u{2028}' | '\u{2029}')
}

/// Length of the letters, digits and underscores at the start of a text.
fn ident_len(text: &str) -> usize {
    let ascii = text.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
    if text.as_bytes().get(ascii).is_none_or(u8::is_ascii) {
        return ascii;
    }
    let continues = |ch: char| ch.is_ascii_alphanumeric() || ch == '_' || ch == 'λ' || is_letter(ch);
    let rest = &text[ascii..];
    ascii + rest.len() - rest.trim_start_matches(continues).len()
}

fn is_letter(ch: char) -> bool {
    ch.is_alphabetic() && symbol::unicode(ch).is_none()
}

/// Kind of a pragma, from the text between `/*@` and `*/`.
fn pragma_kind(inside: &str) -> Option<PragmaKind> {
    let inside = inside.trim_start_matches(is_blank);
    let len = inside.bytes().take_while(|byte| byte.is_ascii_lowercase() || matches!(byte, b'-' | b'_')).count();
    let (name, text) = inside.split_at(len);
    let text = text.trim_matches(is_blank);
    let unquoted = || {
        let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
        SmolStr::new(inner.unwrap_or(text))
    };
    match name {
        "label" => Some(PragmaKind::Label(unquoted())),
        "desc" => Some(PragmaKind::Desc(SmolStr::new(text))),
        "symbolic" => Some(PragmaKind::Symbolic),
        "file" => Some(PragmaKind::File(unquoted())),
        "package" => Some(PragmaKind::Package(unquoted())),
        "import-package" => Some(PragmaKind::ImportPackage(unquoted())),
        "generated" => Some(PragmaKind::Generated),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts of the tokens, separated by `|`.
    fn tokens(text: &str) -> String {
        let lexed = lex(FileId(0), text);
        let shown = lexed.tokens.iter().map(|token| &text[token.start as usize..token.end as usize]);
        shown.filter(|token| !token.is_empty()).collect::<Vec<_>>().join("|")
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(tokens(text), expected);
    }

    #[test]
    fn the_longest_token_wins() {
        check("x<-1", "x|<-|1");
        check("x<--1", "x|<--|1");
        check("a<<->>b<<->c<->>d<->e", "a|<<->>|b|<<->|c|<->>|d|<->|e");
        check("1..3", "1|..|3");
        check("1.5.2", "1.5|.|2");
        check("1.5e3e", "1.5e3|e");
        check("1.5e+", "1.5|e|+");
        check("0xFFg 0x 0X1", "0xFF|g|0|x|0|X1");
        check("a/<<:b/|\\c/\\d/=e/:f", "a|/<<:|b|/|\\|c|/\\|d|/=|e|/:|f");
        check("x:∈S:=::", "x|:∈|S|:=|::");
        check("< \n>", "< \n>");
        check("ℕ1ℙ₁ℕ", "ℕ1|ℙ₁|ℕ");
        check("2or", "2|or");
    }

    #[test]
    fn comments_remember_their_line() {
        let lexed = lex(FileId(0), "x // a\n  /* b */ y\n/*@ label l */ // c");
        let shown = lexed.comments.iter().map(|each| (each.text.as_str(), each.is_line, each.own_line));
        let expected = [("// a", true, false), ("/* b */", false, true), ("// c", true, false)];
        assert_eq!(shown.collect::<Vec<_>>(), expected);
        let around = lexed.comments.iter().map(|each| (each.after, each.before));
        assert_eq!(around.collect::<Vec<_>>(), [(1, 17), (1, 17), (18, 38)]);
        assert_eq!(lexed.pragmas.len(), 1);
        assert_eq!(lexed.pragmas[0].before, 2);
    }

    #[test]
    fn lines() {
        let text = "a\n\n \t\r\n\r\rb /*\n\n*/\u{2028}\u{2029}\n'''\n\n'''\n";
        assert_eq!(line_starts(text), [0, 2, 3, 7, 8, 9, 14, 15, 20, 23, 24, 28, 29, 33]);
        assert_eq!(lex(FileId(0), text).blank_lines, [2, 3, 7, 8, 20, 23]);
        assert_eq!(line_starts(""), [0]);
    }

    #[test]
    fn pragmas() {
        assert_eq!(pragma_kind(" label abc "), Some(PragmaKind::Label("abc".into())));
        assert_eq!(pragma_kind("label \"a b\""), Some(PragmaKind::Label("a b".into())));
        assert_eq!(pragma_kind("desc  some text\n"), Some(PragmaKind::Desc("some text".into())));
        assert_eq!(pragma_kind(" import-package a.b.* "), Some(PragmaKind::ImportPackage("a.b.*".into())));
        assert_eq!(pragma_kind("file \"x.mch\""), Some(PragmaKind::File("x.mch".into())));
        assert_eq!(pragma_kind(" unit 10**1"), None);
        assert_eq!(pragma_kind("labels x"), None);
    }

    #[test]
    fn escapes() {
        assert_eq!(unescape(r#"a\"b\n\t\\\d\`"#), "a\"b\n\t\\\\d\\`");
        assert_eq!(unescape("a\r\nb\rc"), "a\nb\nc");
        assert_eq!(unescape_back_quoted("a\\`b"), "a`b");
    }

    #[test]
    fn any_text_gives_tokens_in_order() {
        let text = "\u{feff}#! x\n\u{0}\u{c}é′λ𝔹$9@q`a\\`b` '''a\\'''' ```x${{}}${``` \u{2028}\\ ";
        for start in text.char_indices().map(|(idx, _)| idx) {
            let lexed = lex(FileId(0), &text[start..]);
            assert!(lexed.tokens.windows(2).all(|pair| pair[0].end <= pair[1].start));
            assert_eq!(lexed.tokens.last().map(|token| token.kind), Some(TokenKind::EndOfFile));
        }
    }
}
