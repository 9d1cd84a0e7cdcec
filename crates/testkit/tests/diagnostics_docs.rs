//! The pages under `docs/diagnostics/`: every diagnostic has one, and its examples do what it says.
//!
//! A page holds one block that is marked `b fails` and one that is marked `b ok`. A line `// file: Name.mch` inside a block
//! starts another file; the text before the first such line is the main machine.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use abridge_check::{Config, ViolationKind, check};
use abridge_diag::{Diagnostic, in_order};
use abridge_model::Model;
use abridge_testkit::Project;

/// The crates that make diagnostics, besides evaluation.
const CRATES: [&str; 5] = ["syntax", "sema", "model", "check", "cli"];

/// What would need an example that fits on no page.
const WITHOUT_FAILING_EXAMPLE: [&str; 15] = [
    "expansion-too-large",
    "file-too-large",
    "nested-too-deep",
    "no-abstraction",
    "not-an-abstraction",
    "number-too-long",
    "out-of-fuel",
    "out-of-memory",
    "set-too-large",
    "stopped",
    "timed-out",
    "too-many-machines",
    "too-many-messages",
    "undecided",
    "unsupported-file",
];

/// What only bugs and unfinished features say.
const WITHOUT_PAGE: [&str; 3] = ["internal", "unconfirmed", "unsupported"];

#[test]
fn every_id_has_a_page_and_every_page_an_id() {
    let ids = ids_in_sources();
    let pages: BTreeSet<String> = pages().into_iter().map(|page| page.id).collect();
    let without_page: Vec<&String> = ids.difference(&pages).collect();
    let without_id: Vec<&String> = pages.difference(&ids).collect();
    assert!(without_page.is_empty(), "write docs/diagnostics/<id>.md for {without_page:?}");
    assert!(without_id.is_empty(), "no diagnostic has the id of these pages: {without_id:?}");
}

#[test]
fn the_table_lists_every_page() {
    let table = fs::read_to_string(folder().join("README.md")).expect("the table is readable");
    let rows = table.lines().filter_map(|line| line.strip_prefix("| [")?.split_once(']'));
    let listed: Vec<String> = rows.map(|(id, _)| id.to_owned()).collect();
    let pages: Vec<String> = pages().into_iter().map(|page| page.id).collect();
    assert_eq!(listed, pages, "the table in docs/diagnostics/README.md lists all pages, sorted");
}

#[test]
fn pages_are_complete() {
    for page in pages() {
        assert_eq!(page.text.lines().next(), Some(format!("# {}", page.id).as_str()), "{}", page.id);
        assert!(page.block("ok").is_some(), "{} has no corrected example", page.id);
        let excused = WITHOUT_FAILING_EXAMPLE.contains(&page.id.as_str());
        assert_eq!(page.block("fails").is_none(), excused, "{}: the failing example", page.id);
    }
}

#[test]
fn failing_examples_yield_their_id_first() {
    let mut wrong = Vec::new();
    for page in pages() {
        let Some(example) = page.block("fails") else { continue };
        let project = project(&example);
        let analysis = project.analyse();
        let first = match &analysis.model {
            Some(model) if is_of_run(&page.id) => evaluated(model).first().copied(),
            Some(_) if page.id == OF_FORMULAS => of_formulas(&project).first().copied(),
            _ => in_order(&analysis.diagnostics).first().map(|first| first.id),
        };
        if first != Some(page.id.as_str()) {
            wrong.push(format!("{}:\n{}", page.id, project.diagnostics()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn corrected_examples_are_accepted() {
    let mut wrong = Vec::new();
    for page in pages() {
        let Some(example) = page.block("ok") else { continue };
        let project = project(&example);
        let analysis = project.analyse();
        let is_wrong = |diagnostic: &Diagnostic| diagnostic.is_error() || diagnostic.id == page.id;
        let fails = |model: &Model| is_of_run(&page.id) && !evaluated(model).is_empty();
        let has_wrong_formula = page.id == OF_FORMULAS && !of_formulas(&project).is_empty();
        if analysis.diagnostics.iter().any(is_wrong) || analysis.model.as_ref().is_some_and(fails) || has_wrong_formula
        {
            wrong.push(format!("{}:\n{}", page.id, project.diagnostics()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

struct Page {
    id: String,
    text: String,
}

impl Page {
    /// The block that is marked with a word.
    fn block(&self, mark: &str) -> Option<String> {
        let (_, rest) = self.text.split_once(&format!("```b {mark}\n"))?;
        let (block, _) = rest.split_once("\n```")?;
        Some(block.to_owned())
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn folder() -> PathBuf {
    root().join("docs/diagnostics")
}

/// All pages, sorted by their ids.
fn pages() -> Vec<Page> {
    let mut pages = Vec::new();
    for path in files(&folder()) {
        let id = path.file_stem().expect("a file has a name").to_string_lossy().into_owned();
        if id != "README" {
            pages.push(Page { id, text: fs::read_to_string(&path).expect("a page is readable") });
        }
    }
    pages.sort_by(|left, right| left.id.cmp(&right.id));
    pages
}

/// The files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder is readable") {
        let path = entry.expect("the folder is readable").path();
        if path.is_dir() {
            files.extend(self::files(&path));
        } else {
            files.push(path);
        }
    }
    files
}

/// The ids of what goes wrong when the machine is run, a few states deep.
fn evaluated(model: &Model) -> Vec<&'static str> {
    let config = Config { find_all: true, deadlock: false, max_states: Some(50), ..Config::default() };
    let report = check(model, &config, &mut ());
    let told = match report.violation().map(|violation| &violation.kind) {
        Some(ViolationKind::IllDefined { error, .. }) => Some(error.id),
        _ => None,
    };
    let unchecked = report.unchecked.iter().map(|warning| warning.id);
    told.into_iter().chain(report.failures.iter().map(|(_, error)| error.id)).chain(unchecked).collect()
}

/// The diagnostic of temporal formulas that have no other one.
const OF_FORMULAS: &str = "temporal-formula";

/// The ids of what is wrong with the temporal formulas of a machine.
fn of_formulas(project: &Project) -> Vec<&'static str> {
    let (_, prepared) = project.with_formulas(&[], &Config::default()).expect("the machine itself is right");
    prepared.formulas.iter().flat_map(|formula| formula.diagnostics.iter().map(|one| one.id)).collect()
}

/// Whether a diagnostic is made when a machine is run.
fn is_of_run(id: &str) -> bool {
    id.ends_with("-unchecked") || ids_of_evaluation().contains(id)
}

/// The ids of diagnostics that evaluation makes: literals in one table.
fn ids_of_evaluation() -> BTreeSet<String> {
    let text = fs::read_to_string(root().join("crates/eval/src/domain/error.rs")).expect("a source is readable");
    let (_, table) = text.split_once("fn message").expect("the table is there");
    let literals = table.match_indices('"').map(|(at, _)| &table[at + 1..]);
    let ids = literals.filter_map(|rest| rest.split_once("\",")).map(|(id, _)| id.to_owned());
    let is_id = |id: &String| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    ids.filter(is_id).filter(|id| !WITHOUT_PAGE.contains(&id.as_str())).collect()
}

/// The ids of all diagnostics, which stand as literals where diagnostics are made.
fn ids_in_sources() -> BTreeSet<String> {
    let mut ids = ids_of_evaluation();
    for path in CRATES.iter().flat_map(|name| files(&root().join("crates").join(name).join("src"))) {
        let text = fs::read_to_string(&path).expect("a source is readable");
        for maker in ["Diagnostic::error(", "Diagnostic::warning("] {
            for (at, _) in text.match_indices(maker) {
                let rest = text[at + maker.len()..].trim_start();
                let literal = rest.strip_prefix('"').and_then(|rest| rest.split_once('"'));
                let (id, _) = literal.unwrap_or_else(|| panic!("{}: an id is written as a literal", path.display()));
                ids.insert(id.to_owned());
            }
        }
    }
    ids.retain(|id| !WITHOUT_PAGE.contains(&id.as_str()));
    ids
}

/// The files of an example.
fn project(example: &str) -> Project {
    let mut parts = example.split("// file: ");
    let main = parts.next().unwrap_or_default();
    let others: Vec<(&str, &str)> = parts.filter_map(|part| part.split_once('\n')).collect();
    let mut words = main.split_whitespace();
    let suffix = match words.next() {
        Some("REFINEMENT") => "ref",
        Some("IMPLEMENTATION") => "imp",
        _ => "mch",
    };
    let name = format!("{}.{suffix}", words.next().unwrap_or("Main"));
    let mut files = vec![(name.as_str(), main)];
    files.extend(others);
    Project::new(&files)
}
