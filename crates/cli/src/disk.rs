//! File access of the front end and of external functions.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use abridge_eval::{Facts, Outside};
use abridge_sema::FileSystem;

pub(crate) struct Disk;

impl FileSystem for Disk {
    fn read(&self, path: &Path) -> std::io::Result<Vec<u8>> {
        std::fs::read(path)
    }

    fn is_file(&self, path: &Path) -> bool {
        path.is_file()
    }
}

/// The disk around a machine, and the clock.
pub(crate) struct Surroundings {
    folder: PathBuf,
}

impl Surroundings {
    /// Without a machine, relative paths start at the current folder.
    pub(crate) fn of(machine: Option<&Path>) -> Surroundings {
        Surroundings { folder: machine.and_then(Path::parent).unwrap_or(Path::new("")).to_owned() }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.join(path)
    }
}

impl Outside for Surroundings {
    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        let path = self.path(path);
        // A pipe or device might never end.
        if std::fs::metadata(&path)?.is_file() {
            std::fs::read(path)
        } else {
            Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no file"))
        }
    }

    fn facts(&self, path: &str) -> Option<Facts> {
        let path = self.path(path);
        let known = std::fs::metadata(&path).ok()?;
        let is_folder = known.is_dir();
        let seconds = |time: io::Result<SystemTime>| Some(seconds_since_1970(time.ok()?));
        Some(Facts {
            is_folder,
            is_readable: if is_folder { std::fs::read_dir(&path).is_ok() } else { std::fs::File::open(&path).is_ok() },
            is_writable: !known.permissions().readonly(),
            is_executable: is_executable(&known),
            size: known.len(),
            created: seconds(known.created()),
            modified: seconds(known.modified()),
            accessed: seconds(known.accessed()),
        })
    }

    fn names(&self, folder: &str) -> io::Result<Vec<String>> {
        let entries = std::fs::read_dir(self.path(folder))?;
        entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
    }

    fn full_path(&self, path: &str) -> String {
        let path = self.path(path);
        std::fs::canonicalize(&path).unwrap_or(path).to_string_lossy().into_owned()
    }

    fn now(&self) -> i64 {
        seconds_since_1970(SystemTime::now())
    }
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
