//! Built-in library: definition files and machines that projects may import as if they were in their folder.

use std::path::Path;

/// Folder under which library files appear in diagnostics.
pub(crate) const FOLDER: &str = "<library>";

macro_rules! library {
    ($($name:literal),* $(,)?) => {
        const FILES: &[(&str, &str)] = &[$(($name, include_str!(concat!("../library/", $name)))),*];
    };
}

library! {
    "CHOOSE.def", "LibraryBits.def", "LibraryCSV.def", "LibraryFiles.def", "LibraryFiles.mch", "LibraryHash.def",
    "LibraryIO.def", "LibraryMath.def", "LibraryMath.mch", "LibraryMeta.def", "LibraryProB.def", "LibraryRandom.def",
    "LibraryRandomReals.def", "LibraryReals.def", "LibraryRegex.def", "LibrarySVG.def", "LibraryStrings.def",
    "LibraryStrings.mch", "LibraryXML.def", "SCCS.def", "SORT.def",
}

/// Text of a library file.
pub(crate) fn text(path: &Path) -> Option<&'static str> {
    let name = path.strip_prefix(FOLDER).ok()?;
    FILES.iter().find(|(file, _)| Path::new(file) == name).map(|(_, text)| *text)
}

/// Library file that defines a name.
pub(crate) fn defining(name: &str) -> Option<&'static str> {
    let defines = |line: &str| {
        let rest = line.trim_start().strip_prefix(name);
        rest.is_some_and(|rest| rest.starts_with('(') || rest.trim_start().starts_with("=="))
    };
    let files = FILES.iter().filter(|(file, _)| file.ends_with(".def"));
    files.filter(|(_, text)| text.lines().any(defines)).map(|(file, _)| *file).next()
}

/// Names of all library files.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|(name, _)| *name)
}
