//! Cache of solver answers about dependences, kept between runs: one file per machine.
//!
//! The cache saves time and nothing else. An answer that is missing, damaged or from another version is computed again, and a folder
//! that cannot be written to is ignored. Verdicts rest on the answers, so files are sealed with the key of the user (`key.rs`); a file
//! that someone else wrote or changed counts as damaged.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use abridge_check::{Answers, Key, model_sum};
use abridge_model::Model;
use clap::Args;

use crate::files::{FileAccess, open_own, private_folder, read_whole, replace_file};
use crate::key::user_key;
use crate::out::errln;

/// Suffix of cache files.
const SUFFIX: &str = "answers";
/// The oldest files beyond this number are removed.
const MAX_CACHE_FILES: usize = 400;
/// Bytes of the digest of a model that its file is named after.
const NAME_BYTES: usize = 16;
/// A file is not longer than this; what is was not written by us.
const MAX_FILE_BYTES: u64 = 256 << 20;

#[derive(Args)]
pub(crate) struct CacheOptions {
    /// Cache folder of the dependence analysis, or `off` [default: user's cache folder]
    #[arg(long, value_name = "DIR|off", overrides_with = "por_cache", help_heading = "Reductions")]
    por_cache: Option<PathBuf>,
}

/// Cached answers about one machine.
pub(crate) struct Cache {
    /// `None` if the cache is off.
    kept: Option<Kept>,
    /// The user named the folder, so a failure to write is reported.
    is_named: bool,
    answers: Arc<Answers>,
}

/// The file for the answers about one machine.
struct Kept {
    file: PathBuf,
    key: Key,
    /// The folder is there for this alone.
    is_own_folder: bool,
}

impl Cache {
    /// A cache that neither reads nor writes.
    pub(crate) fn off() -> Cache {
        Cache { kept: None, is_named: false, answers: Arc::default() }
    }

    pub(crate) fn open(options: &CacheOptions, model: &Model) -> Cache {
        let folder = match &options.por_cache {
            Some(path) if path == Path::new("off") => None,
            Some(path) => Some(path.clone()),
            None => user_folder(),
        };
        let is_named = options.por_cache.is_some();
        let Some(folder) = folder else { return Cache::off() };
        let key = match user_key() {
            Ok(key) => key,
            Err(message) => {
                if is_named {
                    errln!("note: answers cannot be kept in {}: {message}", folder.display());
                }
                return Cache::off();
            }
        };
        let name: String = model_sum(model).iter().take(NAME_BYTES).map(|byte| format!("{byte:02x}")).collect();
        let kept = Kept { file: folder.join(format!("{name}.{SUFFIX}")), key, is_own_folder: !is_named };
        Cache { answers: Arc::new(kept.read().unwrap_or_default()), kept: Some(kept), is_named }
    }

    pub(crate) fn answers(&self) -> Arc<Answers> {
        self.answers.clone()
    }

    /// Writes new answers, merged with those that other runs have written in the meantime.
    pub(crate) fn save(&self) {
        let Some(kept) = self.kept.as_ref().filter(|_| self.answers.is_changed()) else { return };
        if let Some(others) = kept.read() {
            self.answers.merge(&others);
        }
        if let Err(error) = kept.write(&self.answers)
            && self.is_named
        {
            errln!("note: cannot write the cache file {}: {error}", kept.file.display());
        }
    }
}

impl Kept {
    fn read(&self) -> Option<Answers> {
        let bytes = read_whole(open_own(&self.file, FileAccess::Read).ok()?, MAX_FILE_BYTES).ok()?;
        Answers::from_bytes(&bytes, &self.key)
    }

    fn write(&self, answers: &Answers) -> std::io::Result<()> {
        if let Some(folder) = self.file.parent() {
            private_folder(folder, self.is_own_folder)?;
            remove_oldest(folder, MAX_CACHE_FILES);
        }
        replace_file(&self.file, answers.to_bytes(&self.key))
    }
}

/// The folder of this user for what is kept between runs.
pub(crate) fn user_folder() -> Option<PathBuf> {
    default_folder(|name| std::env::var_os(name).map(PathBuf::from))
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
