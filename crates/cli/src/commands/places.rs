//! Folders that a run may write to: the checkpoint folder, and the spill folder for states that do not fit into memory.

use std::path::{Path, PathBuf};

use abridge_check::{Checkpoint, Disk, DiskUse, Key, MANIFEST, Refusal, Volume};
use clap::Args;

use crate::key::user_key;
use crate::out::{errln, outln};
use crate::volume::{Folder, ScratchFolder};

/// Options about files that a search writes.
#[derive(Args)]
pub(crate) struct DiskOptions {
    /// Folder for states that do not fit into --memory [default: folder for temporary files]. Its files are removed at the end
    #[arg(long, value_name = "DIR", requires = "memory", help_heading = "Disk")]
    spill: Option<PathBuf>,
    /// Stop at the memory limit instead of writing states to files
    #[arg(long, conflicts_with = "spill", help_heading = "Disk")]
    no_spill: bool,
    /// Save the search to this folder periodically, and when Ctrl-C or a limit ends it; continue with --resume
    #[arg(long, value_name = "DIR", conflicts_with = "resume", help_heading = "Disk")]
    checkpoint: Option<PathBuf>,
    /// Minutes between two checkpoints
    #[arg(long, value_name = "MINUTES", default_value = "10", value_parser = minutes, help_heading = "Disk")]
    pub(crate) checkpoint_every: f64,
    /// Continue the search that was saved in this folder, and keep saving it there. Model and options must be the same; --workers and limits may differ
    #[arg(long, value_name = "DIR", help_heading = "Disk")]
    resume: Option<PathBuf>,
}

/// What a run is told whose reduction keeps in memory what it has seen, and cannot be gone on with.
pub(crate) const UNSAVED_METHOD: &str =
    "--checkpoint and --resume need a method of symmetry reduction other than `flood` and `marker`";

impl DiskOptions {
    /// The run is to be saved, or is one that was.
    pub(crate) fn saves(&self) -> bool {
        self.checkpoint.is_some() || self.resume.is_some()
    }
}

pub(crate) struct Places {
    pub(crate) folder: Option<Folder>,
    /// Seals what is saved in the folder.
    key: Option<Key>,
    pub(crate) scratch: Option<ScratchFolder>,
    pub(crate) resumes: bool,
    path: PathBuf,
}

impl Places {
    /// Opens the folders that the options name; an error message if one cannot be used. States go to files if the memory is limited.
    pub(crate) fn new(options: &DiskOptions, memory: Option<u64>, is_breadth_first: bool) -> Result<Places, String> {
        let resumes = options.resume.is_some();
        let path = options.resume.as_ref().or(options.checkpoint.as_ref());
        if path.is_some() && !is_breadth_first {
            return Err("--checkpoint and --resume need breadth-first search: remove --strategy".to_owned());
        }
        let folder = path.map(|path| open(path, resumes)).transpose()?;
        let key =
            path.map(|path| user_key().map_err(|error| format!("nothing can be saved in {}: {error}", path.display())));
        let spills = memory.is_some() && !options.no_spill && is_breadth_first;
        let spill = options.spill.clone().unwrap_or_else(std::env::temp_dir);
        if options.spill.is_some() && !spill.is_dir() {
            return Err(format!("--spill: `{}` is not a folder", spill.display()));
        }
        let scratch = spills.then(|| ScratchFolder::new(&spill));
        Ok(Places { folder, key: key.transpose()?, scratch, resumes, path: path.cloned().unwrap_or_default() })
    }

    pub(crate) fn are_used(&self) -> bool {
        self.folder.is_some() || self.scratch.is_some()
    }

    /// For a search with this fingerprint, which goes on with what was saved if it `resumes`.
    pub(crate) fn disk(&self, fingerprint: [u8; 32], resumes: bool) -> Disk<'_> {
        let sealed = self.folder.as_ref().zip(self.key.as_ref());
        let checkpoint = sealed.map(|(volume, key)| Checkpoint { volume, key, fingerprint, resume: resumes });
        Disk { checkpoint, spill: self.scratch.as_ref().map(|scratch| scratch as &dyn Volume) }
    }

    pub(crate) fn refusal_text(&self, refusal: &Refusal) -> String {
        let path = self.path.display();
        match refusal {
            Refusal::Unreadable(error) if error.kind() == std::io::ErrorKind::NotFound => {
                format!("no checkpoint in {path}")
            }
            Refusal::Unreadable(error) => format!("the checkpoint in {path} cannot be read: {error}"),
            Refusal::OtherVersion => {
                format!("the checkpoint in {path} was written by another version of abridge; restart without --resume")
            }
            Refusal::OtherKey => {
                format!(
                    "the checkpoint in {path} was written by another user or on another machine, and is not believed; copy the key of that \
                     user (see docs/disk.md), or start again without --resume"
                )
            }
            Refusal::OtherModel => format!(
                "the checkpoint in {path} belongs to another model or other options: the files of the model, or options that change \
                 the search, differ"
            ),
            Refusal::Damaged => format!("the checkpoint in {path} is damaged; restart without --resume"),
            Refusal::Spill(error) => {
                format!(
                    "the checkpoint in {path} does not fit into --memory, and states could not be written to files: {error}"
                )
            }
        }
    }

    /// Prints how to continue the saved run, or why it could not be saved.
    pub(crate) fn print_outcome(&self, disk: &DiskUse, command: &str, file: &Path) {
        if self.folder.is_none() {
            return;
        }
        if let Some(error) = &disk.checkpoint_error {
            errln!("warning: cannot save the checkpoint in {}: {error}", self.path.display());
        } else if self.folder.as_ref().is_some_and(|folder| folder.has(MANIFEST)) {
            outln!(
                "checkpoint saved; continue with: abridge {command} {} --resume {}",
                file.display(),
                self.path.display()
            );
        }
    }
}

fn open(path: &Path, resumes: bool) -> Result<Folder, String> {
    if resumes && !path.join(MANIFEST).exists() {
        return Err(format!("no checkpoint in {}", path.display()));
    }
    let folder = Folder::new(path).map_err(|error| format!("cannot use {}: {error}", path.display()))?;
    if !resumes && folder.has(MANIFEST) {
        return Err(format!(
            "{} already holds a checkpoint: continue it with --resume, or remove the folder",
            path.display()
        ));
    }
    Ok(folder)
}

fn minutes(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(minutes) if minutes >= 0.0 && minutes.is_finite() => Ok(minutes),
        _ => Err(format!("`{text}` is not a number of minutes")),
    }
}
