//! Cache of solver answers about dependences, kept between runs: one file per machine.
//!
//! The cache saves time and nothing else. An answer that is missing, damaged or from another version is computed again, and a folder
//! that cannot be written to is ignored.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use abridge_check::{Answers, model_sum};
use abridge_model::Model;
use clap::Args;

use crate::commands::replace_file;
use crate::out::errln;

/// Suffix of cache files.
const SUFFIX: &str = "answers";
/// The oldest files beyond this number are removed.
const MAX_CACHE_FILES: usize = 400;

#[derive(Args)]
pub(crate) struct CacheOptions {
    /// Cache folder of the dependence analysis, or `off` [default: user's cache folder]
    #[arg(long, value_name = "DIR|off", overrides_with = "por_cache", help_heading = "Reductions")]
    por_cache: Option<PathBuf>,
}

/// Cached answers about one machine.
pub(crate) struct Cache {
    /// `None` if the cache is off.
    file: Option<PathBuf>,
    /// The user named the folder, so a failure to write is reported.
    is_named: bool,
    answers: Arc<Answers>,
}

impl Cache {
    /// A cache that neither reads nor writes.
    pub(crate) fn off() -> Cache {
        Cache { file: None, is_named: false, answers: Arc::default() }
    }

    pub(crate) fn open(options: &CacheOptions, model: &Model) -> Cache {
        let folder = match &options.por_cache {
            Some(path) if path == Path::new("off") => None,
            Some(path) => Some(path.clone()),
            None => default_folder(|name| std::env::var_os(name).map(PathBuf::from)),
        };
        let file = folder.map(|folder| folder.join(format!("{:016x}.{SUFFIX}", model_sum(model))));
        let known = file.as_deref().and_then(read).unwrap_or_default();
        Cache { file, is_named: options.por_cache.is_some(), answers: Arc::new(known) }
    }

    pub(crate) fn answers(&self) -> Arc<Answers> {
        self.answers.clone()
    }

    /// Writes new answers, merged with those that other runs have written in the meantime.
    pub(crate) fn save(&self) {
        let Some(file) = self.file.as_deref().filter(|_| self.answers.is_changed()) else { return };
        if let Some(others) = read(file) {
            self.answers.merge(&others);
        }
        if let Err(error) = write(file, &self.answers.to_bytes())
            && self.is_named
        {
            errln!("note: cannot write the cache file {}: {error}", file.display());
        }
    }
}

fn read(file: &Path) -> Option<Answers> {
    Answers::from_bytes(&fs::read(file).ok()?)
}

fn write(file: &Path, bytes: &[u8]) -> std::io::Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
        remove_oldest(folder, MAX_CACHE_FILES);
    }
    replace_file(file, bytes)
}

/// The cache folder of the platform.
fn default_folder(variable: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    let absolute = |name: &str| variable(name).filter(|path| path.is_absolute());
    let caches = absolute("XDG_CACHE_HOME")
        .or_else(|| absolute("LOCALAPPDATA"))
        .or_else(|| absolute("HOME").map(|home| home.join(".cache")));
    Some(caches?.join("abridge"))
}

/// Removes all but the latest files.
fn remove_oldest(folder: &Path, n_files: usize) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let ours = entries.flatten().map(|entry| entry.path()).filter(|path| path.extension() == Some(OsStr::new(SUFFIX)));
    let age = |path: &PathBuf| fs::metadata(path).and_then(|data| data.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
    let mut files: Vec<PathBuf> = ours.collect();
    if files.len() > n_files {
        files.sort_by_cached_key(age);
        files[..files.len() - n_files].iter().for_each(|file| _ = fs::remove_file(file));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_follows_the_environment() {
        let folder = |known: &[(&str, &str)]| {
            default_folder(|name| known.iter().find(|(key, _)| *key == name).map(|(_, path)| PathBuf::from(path)))
        };
        assert_eq!(folder(&[("HOME", "/home/me")]), Some(PathBuf::from("/home/me/.cache/abridge")));
        let both = [("HOME", "/home/me"), ("XDG_CACHE_HOME", "/var/me")];
        assert_eq!(folder(&both), Some(PathBuf::from("/var/me/abridge")));
        assert_eq!(folder(&[("XDG_CACHE_HOME", "relative")]), None);
        assert_eq!(folder(&[]), None);
    }

    #[test]
    fn only_our_oldest_files_go_away() {
        let folder = std::env::temp_dir().join(format!("abridge-cache-test-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder for the test");
        for (age, name) in ["c.answers", "a.answers", "b.answers", "other.txt"].into_iter().enumerate() {
            let file = fs::File::create(folder.join(name)).expect("a file");
            let time = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1000 - age as u64);
            file.set_modified(time).expect("a time");
        }
        remove_oldest(&folder, 2);
        let mut left: Vec<_> = fs::read_dir(&folder).expect("the folder").flatten().map(|e| e.file_name()).collect();
        left.sort();
        fs::remove_dir_all(&folder).expect("the folder goes away");
        assert_eq!(left, ["a.answers", "c.answers", "other.txt"]);
    }
}
