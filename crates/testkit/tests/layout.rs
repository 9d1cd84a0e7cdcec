//! The shape of the source tree: sizes of crates, files and functions, names of types, and layers among the modules of the evaluator and the encoding.
//!
//! The limits keep every part small enough to be read at once. The layers keep the meaning of B readable without the solver and the compiler: a
//! module uses only modules that do not use it, directly or through others. Tests are exempt from the limits.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

const MAX_CRATE_LINES: usize = 15_000;
const MAX_FILE_LINES: usize = 800;
const MAX_FUNCTION_LINES: usize = 80;

/// Crates whose modules must form layers.
const LAYERED: [&str; 7] = ["eval", "external", "solve", "compile", "model-system", "explicit", "encoding"];

struct SourceFile {
    /// The path below `src`.
    path: PathBuf,
    n_lines: usize,
    /// Without comments, literals and test modules; the lines are those of the file.
    code: String,
}

fn crates() -> Vec<(String, PathBuf)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folders = fs::read_dir(root).expect("the folder of crates").map(|entry| entry.expect("an entry").path());
    let mut crates: Vec<(String, PathBuf)> = folders
        .filter(|folder| folder.join("src").is_dir())
        .map(|folder| (folder.file_name().expect("a name").to_string_lossy().into_owned(), folder.join("src")))
        .collect();
    crates.sort();
    assert!(crates.len() > 15, "the crates of the workspace are found");
    crates
}

fn files(source: &Path) -> Vec<SourceFile> {
    let (mut files, mut open) = (Vec::new(), vec![source.to_path_buf()]);
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).expect("a folder of sources") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            let is_test = name == "tests.rs" || name == "tests";
            if path.is_dir() && !is_test {
                open.push(path);
            } else if name.ends_with(".rs") && !is_test {
                let text = fs::read_to_string(&path).expect("a source file");
                let code = without_tests(&without_literals(&text));
                let path = path.strip_prefix(source).expect("a path below the sources").to_path_buf();
                files.push(SourceFile { path, n_lines: text.lines().count(), code });
            }
        }
    }
    files.sort_by(|left, right| left.path.cmp(&right.path));
    files
}

/// The text with comments, strings and characters blanked out.
fn without_literals(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while at < chars.len() {
        let end = literal_end(&chars, at);
        if end == at {
            out.push(chars[at]);
            at += 1;
        } else {
            out.extend(chars[at..end].iter().map(|c| if *c == '\n' { '\n' } else { ' ' }));
            at = end;
        }
    }
    out
}

/// Where the comment or literal that begins here ends; here if there is none.
fn literal_end(chars: &[char], at: usize) -> usize {
    let here = |offset: usize| chars.get(at + offset).copied().unwrap_or(' ');
    let until = |from: usize, is_end: &dyn Fn(usize) -> bool| (from..chars.len()).find(|i| is_end(*i));
    let is_word = at > 0 && (chars[at - 1].is_alphanumeric() || chars[at - 1] == '_');
    match (here(0), here(1)) {
        ('/', '/') => until(at, &|i| chars[i] == '\n').unwrap_or(chars.len()),
        ('/', '*') => block_comment_end(chars, at),
        ('"', _) => string_end(chars, at + 1),
        ('r', '"' | '#') if !is_word => raw_string_end(chars, at),
        ('\'', '\\') => until(at + 3, &|i| chars[i] == '\'').map_or(chars.len(), |end| end + 1),
        ('\'', _) if here(2) == '\'' => at + 3,
        _ => at,
    }
}

fn block_comment_end(chars: &[char], start: usize) -> usize {
    let (mut depth, mut at) = (0, start);
    while at + 1 < chars.len() {
        match (chars[at], chars[at + 1]) {
            ('/', '*') => depth += 1,
            ('*', '/') => depth -= 1,
            _ => {
                at += 1;
                continue;
            }
        }
        at += 2;
        if depth == 0 {
            return at;
        }
    }
    chars.len()
}

fn string_end(chars: &[char], start: usize) -> usize {
    let mut at = start;
    while at < chars.len() && chars[at] != '"' {
        at += if chars[at] == '\\' { 2 } else { 1 };
    }
    (at + 1).min(chars.len())
}

fn raw_string_end(chars: &[char], start: usize) -> usize {
    let n_hashes = chars[start + 1..].iter().take_while(|c| **c == '#').count();
    let open = start + 1 + n_hashes;
    if chars.get(open) != Some(&'"') {
        return start;
    }
    let closes = |at: &usize| {
        chars[*at] == '"' && chars[at + 1..].iter().take(n_hashes).filter(|c| **c == '#').count() == n_hashes
    };
    (open + 1..chars.len()).find(closes).map_or(chars.len(), |end| end + 1 + n_hashes)
}

/// The code with the bodies of test modules blanked out.
fn without_tests(code: &str) -> String {
    let mut out = code.to_owned();
    let mut from = 0;
    while let Some(found) = out[from..].find("#[cfg(test)]") {
        let start = from + found;
        let end = match out[start..].find(['{', ';']).map(|at| start + at) {
            Some(at) if out.as_bytes()[at] == b'{' => block_end(&out, at),
            Some(at) => at,
            None => out.len(),
        };
        let blank: String = out[start..end].chars().map(|c| if c == '\n' { '\n' } else { ' ' }).collect();
        out.replace_range(start..end, &blank);
        from = end;
    }
    out
}

/// The place after the brace that closes the one here.
fn block_end(code: &str, open: usize) -> usize {
    let mut depth = 0;
    for (at, byte) in code.bytes().enumerate().skip(open) {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    code.len()
}

/// Names of functions with their numbers of lines.
fn functions(code: &str) -> Vec<(String, usize)> {
    let mut functions = Vec::new();
    for (at, _) in code.match_indices("fn ") {
        let is_word = code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let name: String = code[at + 3..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        if is_word || name.is_empty() {
            continue;
        }
        if let Some(open) = body_start(code, at) {
            let body = &code[at..block_end(code, open)];
            functions.push((name, body.lines().count()));
        }
    }
    functions
}

/// The brace that opens the body of a function; nothing for a declaration.
fn body_start(code: &str, at: usize) -> Option<usize> {
    let mut depth = 0_i32;
    for (place, byte) in code.bytes().enumerate().skip(at) {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth -= 1,
            b'{' if depth == 0 => return Some(place),
            b';' if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

#[test]
fn sizes_are_within_the_limits() {
    let mut too_large = Vec::new();
    for (name, source) in crates() {
        let mut n_crate_lines = 0;
        for file in files(&source) {
            n_crate_lines += file.n_lines;
            if file.n_lines > MAX_FILE_LINES {
                too_large.push(format!("{name}/{}: {} lines", file.path.display(), file.n_lines));
            }
            let long = functions(&file.code).into_iter().filter(|(_, n_lines)| *n_lines > MAX_FUNCTION_LINES);
            too_large
                .extend(long.map(|(function, n)| format!("{name}/{}: `{function}`: {n} lines", file.path.display())));
        }
        if n_crate_lines > MAX_CRATE_LINES {
            too_large.push(format!("{name}: {n_crate_lines} lines"));
        }
    }
    assert!(too_large.is_empty(), "above the limits:\n{}", too_large.join("\n"));
}

/// Types that other modules see; re-exports are not among them.
fn visible_types(code: &str) -> Vec<String> {
    let of_line = |line: &str| {
        let rest = line.strip_prefix("pub")?;
        let rest = rest.strip_prefix('(').map_or(Some(rest), |limits| Some(limits.split_once(')')?.1))?;
        let mut words = rest.split_whitespace();
        let is_type = matches!(words.next()?, "struct" | "enum" | "trait" | "type" | "union");
        words.next().filter(|_| is_type).and_then(first_name)
    };
    code.lines().filter_map(of_line).collect()
}

#[test]
fn a_type_that_others_see_has_a_name_of_its_own() {
    let mut homes: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    // The syntax tree has the names of what its parts become in the model.
    for (name, source) in crates().into_iter().filter(|(name, _)| name != "syntax") {
        for file in files(&source) {
            for visible in visible_types(&file.code) {
                homes.entry(visible).or_default().insert(format!("{name}/{}", file.path.display()));
            }
        }
    }
    assert!(homes.len() > 500, "the types are found");
    homes.retain(|_, files| files.len() > 1);
    assert!(homes.is_empty(), "one name, several types: {homes:#?}");
}

/// The modules that each top-level module of a crate uses.
fn uses(source: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let files = files(source);
    let top = |path: &Path| {
        let first = path.iter().next().expect("a part").to_string_lossy().into_owned();
        first.trim_end_matches(".rs").to_owned()
    };
    let modules: BTreeSet<String> = files.iter().map(|file| top(&file.path)).collect();
    let root = files.iter().find(|file| file.path == Path::new("lib.rs")).expect("a library");
    let exported = exported_by(&root.code, &modules);
    let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in &files {
        let module = top(&file.path);
        let is_root = module == "lib";
        let depth = if is_root { 0 } else { file.path.iter().count() };
        let to_root =
            if is_root { vec!["crate::".to_owned()] } else { vec!["crate::".to_owned(), "super::".repeat(depth)] };
        for name in to_root.iter().flat_map(|prefix| names_after(&file.code, prefix)) {
            let target = exported.get(&name).cloned().unwrap_or(name);
            let target = if modules.contains(&target) { target } else { "lib".to_owned() };
            if target != module {
                uses.entry(module.clone()).or_default().insert(target);
            }
        }
    }
    uses
}

/// What the root of a crate re-exports, and from which module.
fn exported_by(root: &str, modules: &BTreeSet<String>) -> BTreeMap<String, String> {
    let mut exported = BTreeMap::new();
    for (at, _) in root.match_indices("use ") {
        let statement = &root[at + 4..at + 4 + root[at + 4..].find(';').unwrap_or(0)];
        let Some((module, rest)) = statement.split_once("::").filter(|(module, _)| modules.contains(*module)) else {
            continue;
        };
        let names = rest.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|name| !name.is_empty());
        exported.extend(names.map(|name| (name.to_owned(), module.to_owned())));
    }
    exported
}

/// The first names of the paths that follow a prefix, groups in braces included.
fn names_after(code: &str, prefix: &str) -> Vec<String> {
    let mut names = Vec::new();
    for (at, _) in code.match_indices(prefix) {
        let before = code[..at].chars().next_back().unwrap_or(' ');
        if before.is_alphanumeric() || before == '_' || before == ':' {
            continue;
        }
        let rest = &code[at + prefix.len()..];
        if !rest.starts_with('{') {
            names.extend(first_name(rest));
            continue;
        }
        let group = &rest[1..block_end(rest, 0) - 1];
        let mut depth = 0;
        let parts = group.split(|c: char| {
            depth += i32::from(c == '{') - i32::from(c == '}');
            c == ',' && depth == 0
        });
        names.extend(parts.filter_map(|part| first_name(part.trim())));
    }
    names
}

fn first_name(path: &str) -> Option<String> {
    let name: String = path.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    (!name.is_empty() && name != "super").then_some(name)
}

/// A cycle among modules, if there is one.
fn cycle(uses: &BTreeMap<String, BTreeSet<String>>) -> Option<Vec<String>> {
    let mut left = uses.clone();
    loop {
        let users: BTreeSet<String> = left.keys().cloned().collect();
        let before = left.len();
        left.retain(|_, used| used.iter().any(|module| users.contains(module)));
        if left.is_empty() {
            return None;
        }
        if left.len() == before {
            break;
        }
    }
    let next = |module: &String| left[module].iter().find(|used| left.contains_key(*used)).cloned();
    let mut path = vec![left.keys().next()?.clone()];
    loop {
        let module = next(path.last()?)?;
        let start = path.iter().position(|other| *other == module);
        path.push(module);
        if let Some(start) = start {
            return Some(path.split_off(start));
        }
    }
}

#[test]
fn modules_of_the_evaluator_form_layers() {
    for (name, source) in crates().into_iter().filter(|(name, _)| LAYERED.contains(&name.as_str())) {
        let uses = uses(&source);
        assert!(!uses.is_empty() || name == "external", "{name}: no module uses another");
        if let Some(cycle) = cycle(&uses) {
            panic!("{name}: the modules use each other: {}", cycle.join(" -> "));
        }
    }
}

#[test]
fn the_reader_of_sources_sees_what_is_there() {
    let code = without_literals("fn f() { let x = '{'; let y = \"}\"; /* { */ }\n// {\nfn g<'a>(x: &'a str) {\n}\n");
    assert_eq!(functions(&code), [("f".to_owned(), 1), ("g".to_owned(), 2)]);
    assert_eq!(visible_types("pub struct A(u32);\npub(crate) trait B<T> {\nstruct C;\n    pub enum D {"), ["A", "B"]);
    assert_eq!(names_after("use crate::{a::B, c::{D, E}}; crate::f::g()", "crate::"), ["a", "c", "f"]);
    let two = |a: &str, b: &str| (a.to_owned(), BTreeSet::from([b.to_owned()]));
    assert_eq!(cycle(&BTreeMap::from([two("a", "b"), two("b", "c")])), None);
    assert!(cycle(&BTreeMap::from([two("a", "b"), two("b", "a"), two("x", "a")])).is_some());
}
