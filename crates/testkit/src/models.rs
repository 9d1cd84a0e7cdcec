//! The machines under `models/` with the expectations of their headers.
//!
//! Every test that runs over these machines starts with [`subjects`]; a machine whose header is malformed or that the front end refuses
//! ends the test.

use std::path::{Path, PathBuf};

use abridge_check::{Config, Prepared};
use abridge_model::Model;
use abridge_sema::{Options, analyse};

use crate::expectations::{About, Claim, Count, Expectation, Subtest, expectations};
use crate::{FolderFiles, with_formulas};

/// A machine and its header.
pub struct ModelFile {
    pub path: PathBuf,
    pub lines: Vec<Expectation>,
}

/// Counts of one state space.
pub struct Counts {
    pub sizes: Vec<(String, u32)>,
    pub list: Vec<(Count, u64)>,
}

/// The path of a machine under `models/`.
pub fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(name)
}

/// All machines and refinements under `models/`, by name.
pub fn subjects() -> Vec<ModelFile> {
    let folder = path("");
    let entries = std::fs::read_dir(folder).expect("models/ exists");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == "mch" || end == "ref"));
    paths.sort();
    paths.into_iter().map(ModelFile::new).collect()
}

/// The model of a machine under `models/`, with the options of no header.
pub fn model(name: &str) -> Model {
    let analysis = analyse(&FolderFiles, &path(name), &Options::default());
    analysis.model.unwrap_or_else(|| panic!("{name}: {:?}", analysis.diagnostics))
}

impl ModelFile {
    fn new(path: PathBuf) -> Self {
        let text = std::fs::read_to_string(&path).expect("readable");
        let lines = expectations(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        ModelFile { path, lines }
    }

    /// The sizes of the header, then those given.
    pub fn options(&self, sizes: &[(String, u32)]) -> Options {
        let of_header = self.lines.iter().filter_map(|line| match &line.claim {
            Claim::SetSizes(sizes) => Some(sizes.clone()),
            _ => None,
        });
        let set_sizes = of_header.flatten().chain(sizes.iter().cloned()).collect();
        Options { set_sizes, ..Options::default() }
    }

    pub fn model(&self, sizes: &[(String, u32)]) -> Model {
        let analysis = analyse(&FolderFiles, &self.path, &self.options(sizes));
        analysis.model.unwrap_or_else(|| panic!("{}: {:?}", self.path.display(), analysis.diagnostics))
    }

    /// The model with the atoms of the temporal properties that the machine states, and these.
    pub fn with_formulas(&self, config: &Config) -> (Model, Prepared) {
        let prepared = with_formulas(&FolderFiles, &self.path, &self.options(&[]), &[], config);
        prepared.unwrap_or_else(|| panic!("{} has mistakes", self.path.display()))
    }

    /// Whether the counts presuppose ProB's conventions.
    pub fn is_prob(&self) -> bool {
        self.lines.iter().any(|line| line.claim == Claim::CompatProb)
    }

    /// Whether the state space is to be explored, in a run with or without slow tests.
    pub fn is_checked(&self, slow: bool) -> bool {
        self.lines.iter().any(|line| match &line.claim {
            Claim::Run { subtests, is_slow } => subtests.contains(&Subtest::Check) && (slow || !is_slow),
            _ => false,
        })
    }

    /// The counts of the header, by the sizes they are about.
    pub fn counts(&self, about: About) -> Vec<Counts> {
        let mut lists: Vec<Counts> = Vec::new();
        for line in self.lines.iter().filter(|line| line.about == about) {
            let Claim::Count(count, number) = line.claim else { continue };
            match lists.iter_mut().find(|counts| counts.sizes == line.sizes) {
                Some(counts) => counts.list.push((count, number)),
                None => lists.push(Counts { sizes: line.sizes.clone(), list: vec![(count, number)] }),
            }
        }
        lists
    }
}

impl Counts {
    /// The largest number of states or nodes; transitions cost less.
    pub fn states(&self) -> u64 {
        let of_states = self.list.iter().filter(|(count, _)| *count != Count::Transitions);
        of_states.map(|(_, number)| *number).max().unwrap_or(0)
    }

    pub fn largest(&self) -> u64 {
        self.list.iter().map(|(_, number)| *number).max().unwrap_or(0)
    }
}
