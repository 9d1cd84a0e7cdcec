//! File access of the front end and of external functions.
//!
//! Machines are not trusted: a machine reads only the folder of its own file with its subfolders, the folders
//! of `--include`, and what the user allows ([`FileOptions`]). Links are resolved before the check, so that none leads out. Nothing is ever
//! written or executed for a machine. `docs/trust.md` documents this for users.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};

use abridge_eval::{FileMetadata, Outside};
use abridge_sema::{FileSystem, Options};
use clap::Args;

use crate::files::read_up_to;
use crate::watch::usual_budget;

/// No file of a machine is longer than this.
pub(crate) const MAX_SOURCE_BYTES: u64 = 256 << 20;
/// Of the memory that a run may take, the part that one file may have: its text is held several times while values are made of it.
const READ_SHARE: u64 = 8;

/// What machines may read beside what lies around them.
#[derive(Args, Default, Debug)]
pub(crate) struct FileOptions {
    /// Let machines also read files in DIR and below; otherwise only those in the folder of the machine, below it, and in the folders of --include
    #[arg(long, value_name = "DIR", global = true, help_heading = "Files")]
    allow_read: Vec<PathBuf>,
    /// Read nothing but the files named on the command line and the built-in libraries
    #[arg(long, global = true, help_heading = "Files")]
    no_files: bool,
}

/// What the user of this process allows: said once, before anything is read.
static ALLOWED: OnceLock<FileOptions> = OnceLock::new();

pub(crate) fn allow(options: FileOptions) {
    let _ = ALLOWED.set(options);
}

/// The options by which a process that is started for a machine is allowed the same.
pub(crate) fn passed_on() -> Vec<OsString> {
    let Some(FileOptions { allow_read, no_files }) = ALLOWED.get() else { return Vec::new() };
    let folders = allow_read.iter().flat_map(|folder| ["--allow-read".into(), folder.clone().into_os_string()]);
    folders.chain(no_files.then(|| "--no-files".into())).collect()
}

/// The folders that may be read.
struct Reach(Vec<PathBuf>);

impl Reach {
    fn new(folders: impl Iterator<Item = PathBuf>) -> Reach {
        let allowed = ALLOWED.get().into_iter().flat_map(|options| options.allow_read.iter().cloned());
        Reach(folders.chain(allowed).filter_map(|folder| std::fs::canonicalize(or_here(&folder)).ok()).collect())
    }

    /// The file or folder itself, where all links have been followed, if it may be read.
    fn admit(&self, path: &Path) -> io::Result<PathBuf> {
        if ALLOWED.get().is_some_and(|options| options.no_files) {
            return Err(io::Error::other("no files are read with `--no-files`"));
        }
        let found = std::fs::canonicalize(or_here(path))?;
        if self.0.iter().any(|folder| found.starts_with(folder)) {
            return Ok(found);
        }
        let folder = found.parent().unwrap_or(&found).display();
        Err(io::Error::other(format!(
            "it lies outside the folder of the machine, and is not read; `--allow-read {folder}` allows it"
        )))
    }
}

/// The current folder has no name.
fn or_here(path: &Path) -> &Path {
    if path.as_os_str().is_empty() { Path::new(".") } else { path }
}

/// The files of one machine.
pub(crate) struct MachineFiles {
    machine: Option<PathBuf>,
    reach: Reach,
}

impl MachineFiles {
    /// Without a machine, what lies in the current folder can be read.
    pub(crate) fn around(machine: Option<&Path>, options: &Options) -> MachineFiles {
        let home = machine.and_then(Path::parent).unwrap_or(Path::new("")).to_owned();
        let reach = Reach::new(std::iter::once(home).chain(options.include.iter().cloned()));
        MachineFiles { machine: machine.and_then(|path| std::fs::canonicalize(path).ok()), reach }
    }

    /// The machine itself was named by the user.
    fn is_machine(&self, path: &Path) -> bool {
        self.machine.as_ref().is_some_and(|machine| std::fs::canonicalize(path).is_ok_and(|path| path == *machine))
    }
}

impl FileSystem for MachineFiles {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let path = if self.is_machine(path) { path.to_owned() } else { self.reach.admit(path)? };
        read_up_to(&path, MAX_SOURCE_BYTES.min(usual_budget() / READ_SHARE))
    }

    /// Also of files that may not be read: to say that is better than to say that there is none.
    fn is_file(&self, path: &Path) -> bool {
        path.is_file()
    }

    /// Only of folders whose files may be read.
    fn names_in(&self, folder: &Path) -> Vec<String> {
        let Ok(folder) = self.reach.admit(folder) else { return Vec::new() };
        names_in(&folder)
    }
}

/// Names of the files in a folder, in order; not all of them, if there are very many.
pub(crate) fn names_in(folder: &Path) -> Vec<String> {
    const MAX_LISTED_FILES: usize = 10_000;
    let Ok(entries) = std::fs::read_dir(or_here(folder)) else { return Vec::new() };
    let names = entries.take(MAX_LISTED_FILES).flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.collect();
    names.sort_unstable();
    names
}

/// The disk around a machine, and the clock.
pub(crate) struct Surroundings {
    folder: PathBuf,
    reach: Reach,
    max_bytes: u64,
}

impl Surroundings {
    /// For a run that may take so many bytes of memory. Without a machine, relative paths start at the current folder.
    pub(crate) fn of(machine: Option<&Path>, budget: u64) -> Surroundings {
        let folder = machine.and_then(Path::parent).unwrap_or(Path::new("")).to_owned();
        let reach = Reach::new(std::iter::once(folder.clone()));
        Surroundings { folder, reach, max_bytes: budget / READ_SHARE }
    }

    fn path(&self, path: &str) -> io::Result<PathBuf> {
        self.reach.admit(&self.folder.join(path))
    }
}

impl Outside for Surroundings {
    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        read_up_to(&self.path(path)?, self.max_bytes)
    }

    fn facts(&self, path: &str) -> io::Result<Option<FileMetadata>> {
        let path = match self.path(path) {
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                return Ok(None);
            }
            path => path?,
        };
        let known = std::fs::metadata(&path)?;
        let is_folder = known.is_dir();
        let seconds = |time: io::Result<SystemTime>| Some(seconds_since_1970(time.ok()?));
        Ok(Some(FileMetadata {
            is_folder,
            is_readable: if is_folder { std::fs::read_dir(&path).is_ok() } else { can_read(&path, &known) },
            is_writable: !known.permissions().readonly(),
            is_executable: is_executable(&known),
            size: known.len(),
            created: seconds(known.created()),
            modified: seconds(known.modified()),
            accessed: seconds(known.accessed()),
        }))
    }

    fn names(&self, folder: &str) -> io::Result<Vec<String>> {
        let entries = std::fs::read_dir(self.path(folder)?)?;
        entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
    }

    fn full_path(&self, path: &str) -> io::Result<String> {
        Ok(self.path(path)?.to_string_lossy().into_owned())
    }

    fn now(&self) -> i64 {
        seconds_since_1970(SystemTime::now())
    }
}

/// Opening a pipe would wait for somebody to write to it.
fn can_read(path: &Path, known: &std::fs::Metadata) -> bool {
    known.is_file() && std::fs::File::open(path).is_ok()
}

fn seconds_since_1970(time: SystemTime) -> i64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => after.as_secs() as i64,
        Err(before) => -(before.duration().as_secs() as i64),
    }
}

#[cfg(unix)]
fn is_executable(known: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    known.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(known: &std::fs::Metadata) -> bool {
    known.is_dir()
}

/// The machine files among the given files and below the given folders, in a stable order.
pub(crate) fn machine_files(paths: &[PathBuf]) -> std::io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            let first = files.len();
            collect(path, &mut files)?;
            files[first..].sort();
        } else {
            files.push(path.clone());
        }
    }
    Ok(files)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path
            .extension()
            .is_some_and(|suffix| ["mch", "ref", "imp", "sys"].iter().any(|known| suffix == *known))
        {
            files.push(path);
        }
    }
    Ok(())
}
