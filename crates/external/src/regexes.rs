//! LibraryRegex: regular expressions in the syntax of ECMAScript.
//!
//! Functions with an I before the verb of their name ignore case.

use abridge_eval::{Result, Val};
use abridge_model::Type;
use abridge_value::{Int, Value, sequence};
use fancy_regex::{Captures, Regex, RegexBuilder};

use super::{Call, text, unsupported_use};

/// Character classes that cover Unicode in the library, but only ASCII in the regex crate, with their replacements.
const CLASSES: [(&str, &str); 5] = [
    ("[:alpha:]", r"\p{Alphabetic}"),
    ("[:alnum:]", r"\p{Alphabetic}\p{Nd}"),
    ("[:upper:]", r"\p{Uppercase}"),
    ("[:lower:]", r"\p{Lowercase}"),
    ("[:space:]", r"\s"),
];

impl Call<'_> {
    pub(super) fn regex_function(&self) -> Result<Option<Val>> {
        if let Some(predicate) = self.name.strip_prefix("GET_IS_") {
            return match predicate {
                "REGEX" => Ok(Some(self.is_regex()?.into())),
                "REGEX_MATCH" => Ok(Some(self.is_match(false)?.into())),
                _ => Ok(None),
            };
        }
        match self.name {
            "REGEX_REPLACE" => self.replace_matches(false),
            "REGEX_IREPLACE" => self.replace_matches(true),
            "REGEX_SEARCH_STR" => self.first_text(false),
            "REGEX_ISEARCH_STR" => self.first_text(true),
            "REGEX_SEARCH" => self.first_match(false),
            "REGEX_ISEARCH" => self.first_match(true),
            "REGEX_SEARCH_ALL" => self.all_texts(false),
            "REGEX_ISEARCH_ALL" => self.all_texts(true),
            _ => Ok(None),
        }
    }

    /// Truth value of a predicate of this file; `None` if the name is another one.
    pub(super) fn regex_predicate(&self) -> Result<Option<bool>> {
        Ok(Some(match self.name {
            "IS_REGEX" => self.is_regex()?,
            "REGEX_MATCH" => self.is_match(false)?,
            "REGEX_IMATCH" => self.is_match(true)?,
            _ => return Ok(None),
        }))
    }

    fn is_regex(&self) -> Result<bool> {
        Ok(compiled(self.str(0)?, false).is_ok())
    }

    fn is_match(&self, ignore_case: bool) -> Result<bool> {
        // The expression is checked alone first: `a)|(b` is not a regular expression, but it is one in parentheses.
        self.regex(1, ignore_case)?;
        let whole = compiled(&format!("^(?:{})$", self.str(1)?), ignore_case).map_err(|why| self.ill_defined(&why))?;
        let found = whole.find(self.str(0)?).map_err(|error| self.too_hard(&error))?;
        Ok(found.is_some_and(|found| found.start() == 0 && found.end() == self.args[0].str().map_or(0, str::len)))
    }

    fn replace_matches(&self, ignore_case: bool) -> Result<Option<Val>> {
        let (whole, new, regex) = (self.str(0)?, self.str(2)?, self.regex(1, ignore_case)?);
        let mut out = String::new();
        let mut end = 0;
        for found in regex.captures_iter(whole) {
            let found = found.map_err(|error| self.too_hard(&error))?;
            let Some(all) = found.get(0) else { continue };
            out.push_str(&whole[end..all.start()]);
            expand(new, &found, &mut out);
            end = all.end();
        }
        out.push_str(&whole[end..]);
        text(out)
    }

    fn first_text(&self, ignore_case: bool) -> Result<Option<Val>> {
        let found = self.regex(1, ignore_case)?.find(self.str(0)?).map_err(|error| self.too_hard(&error))?;
        text(found.map_or("", |found| found.as_str()))
    }

    fn all_texts(&self, ignore_case: bool) -> Result<Option<Val>> {
        let regex = self.regex(1, ignore_case)?;
        let mut texts = Vec::new();
        for found in regex.find_iter(self.str(0)?) {
            texts.push(Value::string(found.map_err(|error| self.too_hard(&error))?.as_str()));
        }
        Ok(Some(sequence::from_items(texts).into()))
    }

    /// Position, text and groups of the first match at or after a position.
    fn first_match(&self, ignore_case: bool) -> Result<Option<Val>> {
        let (whole, regex) = (self.str(0)?, self.regex(2, ignore_case)?);
        let from = self.int(1)?;
        if from < Int::ONE {
            return Err(self.ill_defined("the position is not positive"));
        }
        let skipped = from.to_usize().map_or(usize::MAX, |from| from - 1);
        let start = whole.char_indices().map(|(start, _)| start).chain([whole.len()]).nth(skipped);
        let found = match start {
            Some(start) => regex.captures_from_pos(whole, start).map_err(|error| self.too_hard(&error))?,
            None => None,
        };
        let Some((all, groups)) = found.as_ref().and_then(|found| Some((found.get(0)?, found))) else {
            return self.match_record(Int::from(-1), Int::from(-1), "", Vec::new());
        };
        let group = |idx| Value::string(groups.get(idx).map_or("", |group| group.as_str()));
        let length = Int::from(all.as_str().chars().count());
        let position = Int::from(whole[..all.start()].chars().count() + 1);
        self.match_record(length, position, all.as_str(), (1..groups.len()).map(group).collect())
    }

    fn match_record(&self, length: Int, position: Int, all: &str, groups: Vec<Value>) -> Result<Option<Val>> {
        let model = self.session.model();
        let ty = self.node.map(|node| model.ty(node));
        let Some((ty, Type::Record(fields))) = ty.map(|ty| (ty, model.types.get(ty))) else {
            return Err(unsupported_use(self.name, "with a result that is no record"));
        };
        let values: Option<Vec<Value>> = fields
            .iter()
            .map(|(name, _)| match name.as_str() {
                "length" => Some(Value::int(length.clone())),
                "position" => Some(Value::int(position.clone())),
                "string" => Some(Value::string(all)),
                "submatches" => Some(Value::Set(sequence::from_items(groups.clone()))),
                _ => None,
            })
            .collect();
        let values = values.ok_or_else(|| unsupported_use(self.name, "with other fields"))?;
        Ok(Some(Value::record(ty.0, values).into()))
    }

    fn regex(&self, idx: usize, ignore_case: bool) -> Result<Regex> {
        compiled(self.str(idx)?, ignore_case).map_err(|why| self.ill_defined(&why))
    }

    fn too_hard(&self, error: &fancy_regex::Error) -> abridge_eval::Error {
        unsupported_use(self.name, &format!("with this text ({error})"))
    }
}

fn compiled(pattern: &str, ignore_case: bool) -> std::result::Result<Regex, String> {
    let mut source = pattern.to_owned();
    for (class, meaning) in CLASSES {
        source = source.replace(class, meaning);
    }
    let built = RegexBuilder::new(&source).case_insensitive(ignore_case).build();
    built.map_err(|error| format!("`{pattern}` is no regular expression: {error}"))
}

/// Writes a replacement: `$0` and `$&` are the match, `$1` to `$99` its groups, `$$` a dollar.
fn expand(new: &str, found: &Captures<'_, str>, out: &mut String) {
    let mut rest = new;
    while let Some((before, after)) = rest.split_once('$') {
        out.push_str(before);
        let digits = after.bytes().take(2).take_while(u8::is_ascii_digit).count();
        let (group, length) = match (digits, after.chars().next()) {
            (1.., _) => (after[..digits].parse().unwrap_or(0), digits),
            (_, Some('&')) => (0, 1),
            (_, Some('$')) => {
                out.push('$');
                rest = &after[1..];
                continue;
            }
            _ => {
                out.push('$');
                rest = after;
                continue;
            }
        };
        out.push_str(found.get(group).map_or("", |group| group.as_str()));
        rest = &after[length..];
    }
    out.push_str(rest);
}
