//! Wrong models that carry their diagnostics: the files under `tests/models/mistakes/`.
//!
//! A line is marked where it is wrong, `n <: 1..2   //~ type-mismatch "INTEGER"`: the id of a diagnostic whose primary place begins
//! on that line, and optionally a piece of its message. Lines `//|` at the end of the file hold all diagnostics as a user reads them.
//! Marks and shown text are cut off before the front end reads the files, so they change no place and no message. If a mark could
//! be met by no diagnostic, or a diagnostic by no mark, a mistake of a user would go unnoticed; both are a [`MistakeCase::difference`].
//!
//! A case may hold several files: a line `//! file: Name.mch` begins the next one. The first file is the main machine, `M` with
//! the ending of the case unless such a line names it. Header lines `//! preference: NAME=VALUE` and `//! set-size: SET=N` are what
//! the command line says.

use std::path::Path;

use abridge_diag::{Diagnostic, SourceMap, in_order};
use abridge_sema::Options;

use crate::Project;
use crate::expectations::size;

const FILE: &str = "//! file: ";
const HEADER: &str = "//! ";
const MARK: &str = "//~ ";
const SHOWN: &str = "//|";

/// One wrong model with what must be said about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MistakeCase {
    /// The name that the main machine has unless the case names it.
    default_name: String,
    files: Vec<CaseFile>,
    /// The diagnostics as text; none if the case does not say.
    shown: Option<String>,
    preferences: Vec<(String, String)>,
    set_sizes: Vec<(String, u32)>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct CaseFile {
    name: String,
    lines: Vec<Line>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Line {
    text: String,
    marks: Vec<Annotation>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Annotation {
    id: String,
    /// A part of the message.
    piece: Option<String>,
}

impl MistakeCase {
    /// Takes a case apart.
    ///
    /// # Errors
    /// When a header line or a mark is not of the documented form.
    pub fn parse(text: &str, extension: &str) -> Result<MistakeCase, String> {
        let default_name = format!("M.{extension}");
        let mut case = MistakeCase {
            files: vec![CaseFile { name: default_name.clone(), lines: Vec::new() }],
            default_name,
            shown: None,
            preferences: Vec::new(),
            set_sizes: Vec::new(),
        };
        for line in text.lines() {
            if let Some(shown) = line.strip_prefix(SHOWN) {
                let text = case.shown.get_or_insert_default();
                text.push_str(shown.strip_prefix(' ').unwrap_or(shown));
                text.push('\n');
            } else if case.shown.is_some() {
                return Err(format!("`{line}` comes after the diagnostics"));
            } else if let Some(name) = line.strip_prefix(FILE) {
                case.begin_file(name.trim());
            } else {
                case.add_line(line)?;
            }
        }
        case.files.iter_mut().for_each(CaseFile::drop_last_empty_lines);
        Ok(case)
    }

    fn begin_file(&mut self, name: &str) {
        if let [main] = self.files.as_mut_slice()
            && main.lines.is_empty()
        {
            main.name = name.to_owned();
        } else {
            self.files.push(CaseFile { name: name.to_owned(), lines: Vec::new() });
        }
    }

    fn add_line(&mut self, line: &str) -> Result<(), String> {
        let mut parts = line.split(MARK);
        let text = parts.next().unwrap_or_default();
        let marks: Vec<Annotation> = parts.map(Annotation::parse).collect::<Result<_, _>>()?;
        let text = if marks.is_empty() { text } else { text.trim_end() };
        if let Some(header) = text.strip_prefix(HEADER) {
            self.add_header(header)?;
        }
        if let Some(file) = self.files.last_mut() {
            file.lines.push(Line { text: text.to_owned(), marks });
        }
        Ok(())
    }

    fn add_header(&mut self, header: &str) -> Result<(), String> {
        match header.split_once(": ") {
            Some(("preference", value)) => {
                let (name, value) = value.split_once('=').ok_or_else(|| format!("`{value}` is not `NAME=VALUE`"))?;
                self.preferences.push((name.to_owned(), value.to_owned()));
            }
            Some(("set-size", value)) => self.set_sizes.push(size(value)?),
            _ => return Err(format!("`{header}` is not a known header")),
        }
        Ok(())
    }

    /// The files without marks.
    fn project(&self) -> Project {
        let text = |file: &CaseFile| file.lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join("\n");
        let files: Vec<(&str, String)> = self.files.iter().map(|file| (file.name.as_str(), text(file))).collect();
        let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
        let mut project = Project::new(&files);
        project.options =
            Options { preferences: self.preferences.clone(), set_sizes: self.set_sizes.clone(), ..Options::default() };
        project
    }

    /// Marks that no diagnostic meets, diagnostics without a mark, and other words than those shown; nothing if all is as expected.
    pub fn difference(&self) -> Option<String> {
        let blessed = self.blessed();
        if blessed.files == self.files && (self.shown.is_none() || self.shown == blessed.shown) {
            return None;
        }
        let mut text = String::new();
        for (file, found) in self.files.iter().zip(&blessed.files) {
            for (idx, (line, found)) in file.lines.iter().zip(&found.lines).enumerate() {
                if line.marks != found.marks {
                    let place = format!("{}:{}", file.name, idx + 1);
                    text += &format!("  {place}: marked `{}`, found `{}`\n", line.marks_text(), found.marks_text());
                }
            }
        }
        if self.shown.is_some() && self.shown != blessed.shown {
            let (expected, found) = (self.shown.as_deref().unwrap_or_default(), blessed.shown.unwrap_or_default());
            text += &format!("--- expected ---\n{expected}--- found ---\n{found}");
        }
        Some(text)
    }

    /// The case with what the front end says now. Marks that are met stay as they are.
    pub fn blessed(&self) -> MistakeCase {
        let project = self.project();
        let analysis = project.analyse();
        let mut blessed = self.clone();
        for (file_idx, file) in blessed.files.iter_mut().enumerate() {
            for (line_idx, line) in file.lines.iter_mut().enumerate() {
                let is_here = |diagnostic: &&Diagnostic| match place(&analysis.sources, diagnostic) {
                    Some((name, line)) => name == self.files[file_idx].name && line == line_idx + 1,
                    // What has no place is marked on the first line.
                    None => (file_idx, line_idx) == (0, 0),
                };
                let here: Vec<&Diagnostic> =
                    in_order(&analysis.diagnostics).into_iter().filter(|diagnostic| is_here(diagnostic)).collect();
                let is_met = line.marks.len() == here.len() && line.marks.iter().zip(&here).all(|(m, d)| m.is_met(d));
                if !is_met {
                    line.marks = here.iter().map(|diagnostic| Annotation::of(diagnostic)).collect();
                }
            }
        }
        blessed.shown = Some(project.diagnostics().lines().map(|line| format!("{}\n", line.trim_end())).collect());
        blessed
    }

    /// Whether anything is expected.
    pub fn expects_something(&self) -> bool {
        self.files.iter().flat_map(|file| &file.lines).any(|line| !line.marks.is_empty())
    }

    /// The case as text, the inverse of [`MistakeCase::parse`].
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (idx, file) in self.files.iter().enumerate() {
            text += if idx > 0 { "\n" } else { "" };
            if idx > 0 || file.name != self.default_name {
                text += &format!("{FILE}{}\n", file.name);
            }
            for line in &file.lines {
                text += &line.text;
                if !line.marks.is_empty() {
                    text += if line.text.is_empty() { "" } else { "   " };
                    text += &line.marks_text();
                }
                text.push('\n');
            }
        }
        text += if self.shown.is_some() { "\n" } else { "" };
        for line in self.shown.as_deref().unwrap_or_default().lines() {
            text += format!("{SHOWN} {line}").trim_end();
            text.push('\n');
        }
        text
    }
}

impl CaseFile {
    /// Empty lines before the next file or the diagnostics are for the reader only.
    fn drop_last_empty_lines(&mut self) {
        while self.lines.last().is_some_and(|line| line.text.is_empty() && line.marks.is_empty()) {
            self.lines.pop();
        }
    }
}

impl Line {
    fn marks_text(&self) -> String {
        self.marks.iter().map(Annotation::text).collect::<Vec<_>>().join(" ")
    }
}

impl Annotation {
    fn parse(text: &str) -> Result<Annotation, String> {
        let text = text.trim();
        let (id, rest) = text.split_once(' ').unwrap_or((text, ""));
        let piece = match rest.trim() {
            "" => None,
            quoted => {
                let inner = quoted.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
                Some(inner.ok_or_else(|| format!("`{quoted}` is not a quoted piece of a message"))?.to_owned())
            }
        };
        Ok(Annotation { id: id.to_owned(), piece })
    }

    fn of(diagnostic: &Diagnostic) -> Annotation {
        Annotation { id: diagnostic.id.to_owned(), piece: None }
    }

    fn is_met(&self, diagnostic: &Diagnostic) -> bool {
        self.id == diagnostic.id && self.piece.as_ref().is_none_or(|piece| diagnostic.message.contains(piece))
    }

    fn text(&self) -> String {
        let piece = self.piece.as_ref().map(|piece| format!(" \"{piece}\"")).unwrap_or_default();
        format!("{MARK}{}{piece}", self.id)
    }
}

/// The file and the line of the primary place.
fn place<'s>(sources: &'s SourceMap, diagnostic: &Diagnostic) -> Option<(&'s str, usize)> {
    let span = diagnostic.span()?;
    let file = sources.file(span.file);
    let name = Path::new(file.name()).file_name()?.to_str()?;
    Some((name, file.line_column(span.start).line as usize))
}

#[cfg(test)]
mod tests {
    use super::*;

    const WRONG: &str = "MACHINE M\nVARIABLES x\nINVARIANT x : NAT & x <: 1..2   //~ type-mismatch \"INTEGER\"\n\
                         INITIALISATION x := 0\nEND\n";

    fn difference(text: &str) -> Option<String> {
        MistakeCase::parse(text, "mch").expect("a case").difference()
    }

    #[test]
    fn marks_must_be_met_and_diagnostics_marked() {
        assert_eq!(difference(WRONG), None);
        assert!(difference(&WRONG.replace("\"INTEGER\"", "\"STRING\"")).is_some());
        assert!(difference(&WRONG.replace("   //~ type-mismatch \"INTEGER\"", "")).is_some());
        assert!(difference(&WRONG.replace("x := 0", "x := 0   //~ type-mismatch")).is_some());
        assert!(difference(&format!("{WRONG}//| error[type-mismatch]: another text\n")).is_some());
        assert!(MistakeCase::parse("//! colour: red\nMACHINE M END", "mch").is_err());
    }

    #[test]
    fn text_is_the_inverse_of_parse() {
        let two =
            format!("//! file: A.ref\n{WRONG}\n//! file: B.mch\nMACHINE B\nEND\n\n//| error: words\n//|\n//|   more\n");
        for text in [WRONG, &two] {
            assert_eq!(MistakeCase::parse(text, "mch").expect("a case").text(), text);
        }
    }
}
