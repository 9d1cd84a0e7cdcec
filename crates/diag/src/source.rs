//! Source files of a project, and byte spans in them.
//!
//! Positions are 32-bit byte offsets. Line and column are computed when a diagnostic is shown.

use std::sync::Arc;

/// File of a [`SourceMap`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FileId(pub u32);

/// Byte range in a file, end excluded.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Span {
    pub file: FileId,
    pub start: u32,
    pub end: u32,
}

impl Span {
    pub fn new(file: FileId, start: u32, end: u32) -> Self {
        Span { file, start, end }
    }

    /// Smallest span that covers both; `self` if the spans are in different files.
    pub fn to(self, other: Span) -> Span {
        if self.file != other.file {
            return self;
        }
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// Empty span at the end of this one.
    pub fn after(self) -> Span {
        Span { start: self.end, ..self }
    }
}

/// Line and column, both counted from 1. The column counts characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LineColumn {
    pub line: u32,
    pub column: u32,
}

/// Source file: display name, text, and offsets of its lines.
#[derive(Debug)]
pub struct SourceFile {
    name: String,
    text: Arc<str>,
    line_starts: Vec<u32>,
    /// Lines before the text of the user, which are not counted.
    n_hidden_lines: u32,
}

impl SourceFile {
    fn new(name: String, text: Arc<str>) -> Self {
        let mut line_starts = vec![0];
        let bytes = text.as_bytes();
        for (idx, byte) in bytes.iter().enumerate() {
            let ends_line = *byte == b'\n' || (*byte == b'\r' && bytes.get(idx + 1) != Some(&b'\n'));
            if ends_line {
                line_starts.push(idx as u32 + 1);
            }
        }
        SourceFile { name, text, line_starts, n_hidden_lines: 0 }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// Line of a byte offset, counted from 1.
    pub fn line(&self, offset: u32) -> u32 {
        self.shown_line(self.line_starts.partition_point(|start| *start <= offset) - 1)
    }

    /// Number of a line by its index. A hidden line has no number of its own.
    fn shown_line(&self, line_idx: usize) -> u32 {
        (line_idx as u32 + 1).saturating_sub(self.n_hidden_lines)
    }

    /// Line and column of a byte offset. Offsets beyond the end are taken for the end.
    pub fn line_column(&self, offset: u32) -> LineColumn {
        let line_idx = self.line_starts.partition_point(|start| *start <= offset) - 1;
        let start = self.line_starts[line_idx] as usize;
        let end = self.text.floor_char_boundary(offset as usize);
        let column = self.text[start.min(end)..end].chars().count() as u32 + 1;
        LineColumn { line: self.shown_line(line_idx), column }
    }

    /// Byte range of a line (counted from 1) without its line end.
    pub fn line_range(&self, line: u32) -> std::ops::Range<usize> {
        let line = line.saturating_add(self.n_hidden_lines) as usize;
        let idx = line.clamp(1, self.line_starts.len()) - 1;
        let start = self.line_starts[idx] as usize;
        let end = self.line_starts.get(idx + 1).map_or(self.text.len(), |next| *next as usize);
        let trimmed = self.text[start..end].trim_end_matches(['\n', '\r']);
        start..start + trimmed.len()
    }
}

/// All files of a project. Ids are assigned in the order of [`SourceMap::add`].
#[derive(Default, Debug)]
pub struct SourceMap {
    files: Vec<SourceFile>,
}

impl SourceMap {
    pub fn new() -> Self {
        SourceMap::default()
    }

    pub fn add(&mut self, name: impl Into<String>, text: impl Into<Arc<str>>) -> FileId {
        let id = FileId(self.files.len() as u32);
        self.files.push(SourceFile::new(name.into(), text.into()));
        id
    }

    /// Says that the first line is not of the user: lines are counted from the one behind it.
    pub fn hide_first_line(&mut self, id: FileId) {
        self.files[id.0 as usize].n_hidden_lines = 1;
    }

    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    pub fn iter(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        self.files.iter().enumerate().map(|(idx, file)| (FileId(idx as u32), file))
    }

    /// Source text of a span.
    pub fn snippet(&self, span: Span) -> &str {
        let text = self.file(span.file).text();
        let start = text.floor_char_boundary(span.start as usize);
        let end = text.ceil_char_boundary((span.end as usize).min(text.len()));
        &text[start..end.max(start)]
    }

    /// `name:line:column` of the start of a span.
    pub fn locate(&self, span: Span) -> String {
        let file = self.file(span.file);
        let LineColumn { line, column } = file.line_column(span.start);
        format!("{}:{line}:{column}", file.name())
    }
}

/// Decodes a source file: UTF-8, or UTF-16 with a byte order mark. Invalid bytes become U+FFFD.
pub fn decoded(bytes: Vec<u8>) -> String {
    let unit: fn([u8; 2]) -> u16 = match bytes.get(..2) {
        Some([0xff, 0xfe]) => u16::from_le_bytes,
        Some([0xfe, 0xff]) => u16::from_be_bytes,
        _ => {
            return String::from_utf8(bytes)
                .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
        }
    };
    let units: Vec<u16> = bytes[2..].chunks(2).map(|pair| unit([pair[0], pair.get(1).copied().unwrap_or(0)])).collect();
    String::from_utf16_lossy(&units)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_in_utf8_and_utf16() {
        assert_eq!(decoded("MÄ".into()), "MÄ");
        assert_eq!(decoded(vec![b'M', 0xc4]), "M\u{fffd}");
        let little: Vec<u8> = [0xff, 0xfe].into_iter().chain("MÄ".encode_utf16().flat_map(u16::to_le_bytes)).collect();
        let big: Vec<u8> = [0xfe, 0xff].into_iter().chain("MÄ".encode_utf16().flat_map(u16::to_be_bytes)).collect();
        assert_eq!((decoded(little), decoded(big)), ("MÄ".to_owned(), "MÄ".to_owned()));
        assert_eq!(decoded(vec![0xff, 0xfe, b'M']), "M");
    }
}
