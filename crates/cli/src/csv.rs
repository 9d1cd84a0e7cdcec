//! CSV reader and writer: a header row, quoted fields where necessary.

use std::collections::HashMap;

/// One row, keyed by column name.
pub(crate) type CsvRow = HashMap<String, String>;

/// Parses the rows below the header.
pub(crate) fn parse(text: &str) -> Vec<CsvRow> {
    let mut records = records(text.strip_prefix('\u{feff}').unwrap_or(text)).into_iter();
    let header = records.next().unwrap_or_default();
    records.map(|record| header.iter().cloned().zip(record).collect()).collect()
}

/// Parses the column names.
pub(crate) fn header(text: &str) -> Vec<String> {
    records(text.strip_prefix('\u{feff}').unwrap_or(text)).into_iter().next().unwrap_or_default()
}

fn records(text: &str) -> Vec<Vec<String>> {
    let mut records = Vec::new();
    let mut record = Vec::new();
    let mut field = String::new();
    let mut is_quoted = false;
    let mut chars = text.chars().peekable();
    while let Some(ch) = chars.next() {
        match ch {
            '"' if is_quoted && chars.peek() == Some(&'"') => {
                chars.next();
                field.push('"');
            }
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => record.push(std::mem::take(&mut field)),
            '\r' if !is_quoted => {}
            '\n' if !is_quoted => {
                record.push(std::mem::take(&mut field));
                records.push(std::mem::take(&mut record));
            }
            ch => field.push(ch),
        }
    }
    if !field.is_empty() || !record.is_empty() {
        record.push(field);
        records.push(record);
    }
    records.retain(|record| record.iter().any(|field| !field.is_empty()));
    records
}

/// Formats one row.
pub(crate) fn line<'a>(fields: impl IntoIterator<Item = &'a str>) -> String {
    let quoted = |field: &str| match field.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", field.replace('"', "\"\"")),
        false => field.to_owned(),
    };
    fields.into_iter().map(quoted).collect::<Vec<_>>().join(",") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let text = line(["path", "note"]) + &line(["a.mch", "one, \"two\"\nthree"]) + &line(["b.mch", ""]);
        let rows = parse(&text);
        assert_eq!(header(&text), ["path", "note"]);
        assert_eq!(
            (rows.len(), rows[0]["note"].as_str(), rows[1]["path"].as_str()),
            (2, "one, \"two\"\nthree", "b.mch")
        );
    }

    #[test]
    fn blank_lines_and_other_line_ends_do_not_matter() {
        assert_eq!(parse("path,kind\r\na.mch,exact\r\n\r\n").len(), 1);
        assert!(parse("").is_empty());
    }
}
