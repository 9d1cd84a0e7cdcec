//! LibraryStrings: functions on strings.
//!
//! Strings are sequences of Unicode code points. Memory of long results is charged before it is allocated.

use abridge_eval::{Result, Val};
use abridge_model::{CarrierKind, SetId, Type};
use abridge_value::{Int, PAIR_BYTES, Set, Value, sequence};

use super::{Call, number, text};

/// Approximate memory of a short string in a sequence, including its pair.
const ITEM_BYTES: usize = PAIR_BYTES + 64;

/// Maximum number of padding characters.
const MAX_PADDING_CHARS: usize = 1 << 24;

impl Call<'_> {
    pub(super) fn string_function(&self) -> Result<Option<Val>> {
        if let Some(predicate) = self.name.strip_prefix("GET_")
            && let Some(flag) = self.string_predicate(predicate)?
        {
            return Ok(Some(flag.into()));
        }
        match self.name {
            "STRING_LENGTH" => number(Int::from(self.str(0)?.chars().count())),
            "STRING_APPEND" => text([self.str(0)?, self.str(1)?].concat()),
            "STRING_CONC" => self.join(""),
            "STRING_REV" => text(self.str(0)?.chars().rev().collect::<String>()),
            "STRING_SPLIT" => self.split(),
            "STRING_JOIN" => self.join(self.str(1)?),
            "STRING_CHARS" => {
                self.charge_items(self.str(0)?.len())?;
                strings(self.str(0)?.chars().map(String::from))
            }
            "STRING_CODES" => {
                self.charge_items(self.str(0)?.len())?;
                let codes = self.str(0)?.chars().map(|ch| Value::Int(i64::from(u32::from(ch))));
                Ok(Some(sequence::from_items(codes).into()))
            }
            "CODES_TO_STRING" => self.codes_to_string(),
            "SUB_STRING" => self.sub_string(),
            "STRING_PADLEFT" => self.pad_left(),
            "STRING_REPLACE" => {
                let (old, new) = (self.str(1)?, self.str(2)?);
                if old.is_empty() {
                    return Err(self.ill_defined("the text to replace is empty"));
                }
                let whole = self.str(0)?;
                if new.len() > old.len() {
                    let n_places = whole.matches(old).count();
                    self.session.charge_bulk(n_places.saturating_mul(new.len() - old.len()))?;
                }
                text(whole.replace(old, new))
            }
            "STRING_TO_UPPER" => text(plain(self.str(0)?).to_uppercase()),
            "STRING_TO_LOWER" => text(plain(self.str(0)?).to_lowercase()),
            "STRING_CONTAINS_STRING" => Ok(Some(self.str(0)?.contains(self.str(1)?).into())),
            "STRING_TO_INT" => {
                let int = parse_int(self.str(0)?).ok_or_else(|| self.ill_defined("the string is no integer"))?;
                number(int)
            }
            "INT_TO_STRING" => text(self.int(0)?.to_string()),
            "DEC_STRING_TO_INT" => self.decimal_to_int(),
            "INT_TO_DEC_STRING" => self.int_to_decimal(),
            "INT_TO_HEX_STRING" => {
                let int = self.int(0)?;
                let sign = if int.is_negative() { "-" } else { "" };
                text(format!("{sign}{:x}", int.abs().to_big()))
            }
            "STRING_TO_REAL" => {
                let real: Option<f64> = self.str(0)?.trim().parse().ok();
                let real =
                    real.filter(|real| real.is_finite()).ok_or_else(|| self.ill_defined("the string is no number"))?;
                Ok(Some(Value::real(real).into()))
            }
            "REAL_TO_DEC_STRING" => {
                let digits = self.int(1)?.to_usize().filter(|digits| *digits <= 1000);
                let digits =
                    digits.ok_or_else(|| self.ill_defined("the number of decimals is negative or too large"))?;
                text(format!("{:.digits$}", self.real(0)?))
            }
            "STRING_TO_ENUM" => self.string_to_enum(),
            "TYPED_STRING_TO_ENUM" => {
                let wanted = self.str(1)?.to_string();
                self.element_called(&self.set(0)?, &wanted)
            }
            "TO_STRING" => text(self.session.to_string(self.arg(0)?, self.env)?),
            "FORMAT_TO_STRING" => self.format(),
            _ => Ok(None),
        }
    }

    /// Truth value of a predicate of this file; `None` if the name is another one.
    pub(super) fn string_predicate(&self, name: &str) -> Result<Option<bool>> {
        Ok(Some(match name {
            "STRING_IS_INT" => parse_int(self.str(0)?).is_some(),
            "STRING_IS_NUMBER" => {
                let number = self.str(0)?.trim_start();
                parse_int(number).is_some() || is_decimal(number)
            }
            "STRING_IS_DECIMAL" => is_decimal(self.str(0)?),
            "STRING_IS_ALPHANUMERIC" => {
                let name = self.str(0)?;
                !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric())
            }
            "STRING_EQUAL_CASE_INSENSITIVE" => plain(self.str(0)?).to_lowercase() == plain(self.str(1)?).to_lowercase(),
            _ => return Ok(None),
        }))
    }

    /// Concatenation of the strings of a sequence, with a separator between them.
    fn join(&self, separator: &str) -> Result<Option<Val>> {
        let items = self.items(0)?;
        let parts: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
        let n_bytes =
            parts.iter().map(|part| part.len().saturating_add(separator.len())).fold(0, usize::saturating_add);
        self.session.charge_bulk(n_bytes)?;
        text(parts.join(separator))
    }

    /// Charges the memory of a sequence of short strings or numbers.
    pub(super) fn charge_items(&self, n_items: usize) -> Result<()> {
        self.session.charge_bulk(n_items.saturating_mul(ITEM_BYTES))
    }

    fn split(&self) -> Result<Option<Val>> {
        let (whole, separator) = (self.str(0)?, self.str(1)?);
        if separator.is_empty() {
            return strings([whole.to_string()].into_iter());
        }
        self.charge_items(whole.matches(separator).count())?;
        strings(whole.split(separator).map(String::from))
    }

    fn codes_to_string(&self) -> Result<Option<Val>> {
        let code = |value: &Value| char::from_u32(u32::try_from(value.as_int()?.to_i64()?).ok()?);
        let chars: Option<String> = self.items(0)?.iter().map(code).collect();
        text(chars.ok_or_else(|| self.ill_defined("a number is no code point"))?)
    }

    fn sub_string(&self) -> Result<Option<Val>> {
        let (from, len) = (self.int(1)?, self.int(2)?);
        if from < Int::ONE || len.is_negative() {
            return Err(self.ill_defined("the position is not positive or the length is negative"));
        }
        let from = from.to_usize().unwrap_or(usize::MAX);
        let len = len.to_usize().unwrap_or(usize::MAX);
        text(self.str(0)?.chars().skip(from - 1).take(len).collect::<String>())
    }

    fn pad_left(&self) -> Result<Option<Val>> {
        let (whole, fill) = (self.str(0)?, self.str(2)?);
        if fill.chars().count() != 1 {
            return Err(self.ill_defined("the padding is not one character"));
        }
        let width = self.int(1)?;
        let width = if width.is_negative() { Some(0) } else { width.to_usize() };
        let missing = width.map_or(usize::MAX, |width| width.saturating_sub(whole.chars().count()));
        if missing > MAX_PADDING_CHARS {
            return Err(super::unsupported_use(self.name, "with a width of more than 16777216"));
        }
        text(format!("{}{whole}", fill.repeat(missing)))
    }

    fn decimal_to_int(&self) -> Result<Option<Val>> {
        let wrong = || self.ill_defined("the string is no number");
        let source = self.str(0)?.trim_start();
        let (whole, fraction) = source.split_once('.').unwrap_or((source, ""));
        if !(parse_int(source).is_some() || is_decimal(&source.replace(' ', ""))) {
            return Err(wrong());
        }
        let is_negative = whole.trim_start().starts_with('-');
        let digits: String = whole.chars().filter(char::is_ascii_digit).chain(fraction.chars()).collect();
        let number_value = Int::parse(&digits).ok_or_else(wrong)?;
        let scale = &self.int(1)? - &Int::from(fraction.len());
        let scaled = match (scale.is_negative(), scale.abs().to_u64()) {
            (false, Some(scale)) if scale < 100_000 => &number_value * &Int::from(10).pow(scale as u32),
            (true, Some(scale)) if scale < 100_000 => divide_rounding(&number_value, &Int::from(10).pow(scale as u32)),
            _ => return Err(self.ill_defined("the precision is too large")),
        };
        number(if is_negative { -scaled } else { scaled })
    }

    fn int_to_decimal(&self) -> Result<Option<Val>> {
        let (int, precision) = (self.int(0)?, self.int(1)?);
        let places = precision.abs().to_u64().filter(|places| *places < 100_000);
        let places = places.ok_or_else(|| self.ill_defined("the precision is too large"))? as usize;
        if precision <= Int::ZERO {
            return text((&int * &Int::from(10).pow(places as u32)).to_string());
        }
        let sign = if int.is_negative() { "-" } else { "" };
        let digits = format!("{:0>width$}", int.abs().to_string(), width = places + 1);
        let (whole, fraction) = digits.split_at(digits.len() - places);
        text(format!("{sign}{whole}.{fraction}"))
    }

    fn string_to_enum(&self) -> Result<Option<Val>> {
        let model = self.session.model();
        let ty = self.node.map(|node| model.types.get(model.ty(node)));
        let Some(Type::Given(set)) = ty else { return Err(self.ill_defined("the type is no enumerated set")) };
        let wanted = self.str(0)?.to_string();
        self.element_called(&Set::carrier(set.0, model.sets[*set].size()), &wanted)
    }

    fn element_called(&self, set: &Set, name: &str) -> Result<Option<Val>> {
        let found = set.iter().find(|value| match value {
            Value::Element { set, index } => {
                let carrier = &self.session.model().sets[SetId(*set)];
                matches!(carrier.kind, CarrierKind::Enumerated(_)) && carrier.element_name(*index) == name
            }
            Value::Bool(flag) => name == if *flag { "TRUE" } else { "FALSE" },
            _ => false,
        });
        Ok(Some(found.ok_or_else(|| self.ill_defined("no element has this name"))?.into()))
    }

    /// Executes the directives of a format string.
    fn format(&self) -> Result<Option<Val>> {
        let mut values = self.items(1)?.into_iter();
        let missing = || self.ill_defined("there are too few values");
        let mut out = String::new();
        let mut rest = self.str(0)?;
        while let Some((before, after)) = rest.split_once('~') {
            out.push_str(before);
            let digits = after.len() - after.trim_start_matches(|ch: char| ch.is_ascii_digit()).len();
            let count = after[..digits].parse::<usize>().unwrap_or(1).min(1000);
            let mut directive = after[digits..].chars();
            match directive.next() {
                Some('w') => {
                    let value = values.next().ok_or_else(missing)?;
                    out.push_str(&self.session.to_string(&value.into(), self.env)?);
                }
                Some('i') => _ = values.next().ok_or_else(missing)?,
                Some('n') => out.push_str(&"\n".repeat(count)),
                Some('N') => {
                    if !out.is_empty() && !out.ends_with('\n') {
                        out.push('\n');
                    }
                }
                Some('~') => out.push('~'),
                other => {
                    out.push('~');
                    out.push_str(&after[..digits]);
                    out.extend(other);
                }
            }
            rest = directive.as_str();
        }
        out.push_str(rest);
        text(out)
    }
}

fn strings(items: impl Iterator<Item = String>) -> Result<Option<Val>> {
    Ok(Some(sequence::from_items(items.map(Value::string)).into()))
}

/// Integer of a text with blanks, an optional minus, blanks and digits.
fn parse_int(source: &str) -> Option<Int> {
    let source = source.trim_start_matches(' ');
    let (is_negative, digits) = match source.strip_prefix('-') {
        Some(rest) => (true, rest.trim_start_matches(' ')),
        None => (false, source),
    };
    if digits.starts_with('-') {
        return None;
    }
    let int = Int::parse(digits)?;
    Some(if is_negative { -int } else { int })
}

/// True for an optional minus, digits, a dot and digits.
fn is_decimal(source: &str) -> bool {
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let unsigned = source.strip_prefix('-').unwrap_or(source);
    unsigned.split_once('.').is_some_and(|(whole, fraction)| is_digits(whole) && is_digits(fraction))
}

/// Quotient of natural numbers; halves are rounded up.
fn divide_rounding(int: &Int, divisor: &Int) -> Int {
    let doubled = &(int * &Int::from(2)) + divisor;
    doubled.div_floor(&(divisor * &Int::from(2))).unwrap_or(Int::ZERO)
}

/// Text without accents and umlauts, for the letters of Western and Central European languages.
fn plain(source: &str) -> String {
    const FAMILIES: [(&str, char); 30] = [
        ("àáâãäåāăą", 'a'),
        ("çćĉċč", 'c'),
        ("ďđ", 'd'),
        ("èéêëēĕėęě", 'e'),
        ("ĝğġģ", 'g'),
        ("ĥħ", 'h'),
        ("ìíîïĩīĭįı", 'i'),
        ("ĵ", 'j'),
        ("ķ", 'k'),
        ("ĺļľŀł", 'l'),
        ("ñńņň", 'n'),
        ("òóôõöøōŏő", 'o'),
        ("ŕŗř", 'r'),
        ("śŝşš", 's'),
        ("ţťŧ", 't'),
        ("ùúûüũūŭůűų", 'u'),
        ("ŵ", 'w'),
        ("ýÿŷ", 'y'),
        ("źżž", 'z'),
        ("ÀÁÂÃÄÅĀĂĄ", 'A'),
        ("ÇĆĈĊČ", 'C'),
        ("ÈÉÊËĒĔĖĘĚ", 'E'),
        ("ÌÍÎÏĨĪĬĮİ", 'I'),
        ("ÑŃŅŇ", 'N'),
        ("ÒÓÔÕÖØŌŎŐ", 'O'),
        ("ŚŜŞŠ", 'S'),
        ("ÙÚÛÜŨŪŬŮŰŲ", 'U'),
        ("ÝŸŶ", 'Y'),
        ("ŹŻŽ", 'Z'),
        ("ĎĐ", 'D'),
    ];
    let plain_char = |ch: char| {
        if ch.is_ascii() {
            return ch;
        }
        FAMILIES.iter().find(|(letters, _)| letters.contains(ch)).map_or(ch, |(_, base)| *base)
    };
    source.chars().map(plain_char).collect()
}
