//! Folders as volumes: [`Folder`] for checkpoints, whose files are kept, and [`ScratchFolder`] for spilled states, whose files are deleted.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use abridge_check::{Medium, Volume};

use crate::files::{FileAccess, open_own, private_folder, read_whole};

/// Files that are read as a whole are small.
const MAX_WHOLE_BYTES: u64 = 1 << 30;

/// Time to wait for another run that uses the folder, and for one that was killed.
const MAX_WAIT_FOR_RUN: Duration = Duration::from_secs(3);
const MAX_WAIT_FOR_ENDING_RUN: Duration = Duration::from_secs(120);

/// A folder with files of these names, used by one process at a time.
pub(crate) struct Folder {
    path: PathBuf,
    /// Held, and locked, as long as the folder is used. The lock goes away with the process, however it ends.
    _lock: File,
}

impl Folder {
    /// Makes the folder if it is not there.
    pub(crate) fn new(path: &Path) -> io::Result<Folder> {
        private_folder(path, false)?;
        let mut lock = open_own(&path.join("lock"), FileAccess::Lock)?;
        let begun = Instant::now();
        // Where files cannot be locked, users see to it themselves.
        while let Err(fs::TryLockError::WouldBlock) = lock.try_lock() {
            // A run that was killed holds the lock until its memory has been given back, which takes a while if that was much.
            let patience =
                if holder(&mut lock).is_some_and(is_ending) { MAX_WAIT_FOR_ENDING_RUN } else { MAX_WAIT_FOR_RUN };
            if begun.elapsed() > patience {
                return Err(io::Error::new(io::ErrorKind::WouldBlock, "another run uses it"));
            }
            thread::sleep(Duration::from_millis(50));
        }
        lock.rewind()?;
        writeln!(lock, "{:<10}", std::process::id())?;
        Ok(Folder { path: path.to_owned(), _lock: lock })
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.path.join(name).exists()
    }
}

/// The process that wrote its number into a lock.
fn holder(lock: &mut File) -> Option<u32> {
    let mut text = String::new();
    lock.rewind().ok()?;
    lock.take(16).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

/// Whether a process was killed and is giving its memory back. Its command line, which is part of that memory, is gone first. Known where there is `/proc`.
fn is_ending(process: u32) -> bool {
    fs::read(format!("/proc/{process}/cmdline")).is_ok_and(|line| line.is_empty())
}

impl Volume for Folder {
    fn open(&self, name: &str, len: u64) -> io::Result<Box<dyn Medium>> {
        let path = self.path.join(name);
        let file = open_own(&path, if len == 0 { FileAccess::Create } else { FileAccess::Append })?;
        let found = file.metadata()?.len();
        if found < len {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if found > len {
            file.set_len(len)?;
        }
        Ok(Box::new(DiskFile { file, len }))
    }

    fn view(&self, name: &str, len: u64) -> io::Result<Box<dyn Medium>> {
        let file = open_own(&self.path.join(name), FileAccess::Read)?;
        if file.metadata()?.len() < len {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(Box::new(DiskFile { file, len }))
    }

    fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        read_whole(open_own(&self.path.join(name), FileAccess::Read)?, MAX_WHOLE_BYTES)
    }

    fn replace(&self, name: &str, content: &[u8]) -> io::Result<()> {
        let temporary = self.path.join(format!("{name}.new"));
        let write = || {
            let mut file = open_own(&temporary, FileAccess::Create)?;
            file.write_all(content)?;
            file.sync_all()?;
            fs::rename(&temporary, self.path.join(name))?;
            sync_folder(&self.path)
        };
        write().inspect_err(|_| drop(fs::remove_file(&temporary)))
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        fs::remove_file(self.path.join(name))
    }
}

/// Names in a folder survive a loss of power only when the folder itself was written.
#[cfg(unix)]
fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// A folder for files that nobody else needs. Where the system allows it, they have no name as soon as they are open, so nothing is left
/// behind however the process ends.
pub(crate) struct ScratchFolder {
    path: PathBuf,
    n_files: AtomicU64,
}

impl ScratchFolder {
    pub(crate) fn new(path: &Path) -> ScratchFolder {
        ScratchFolder { path: path.to_owned(), n_files: AtomicU64::new(0) }
    }
}

impl Volume for ScratchFolder {
    fn open(&self, name: &str, len: u64) -> io::Result<Box<dyn Medium>> {
        if len > 0 {
            return Err(io::ErrorKind::NotFound.into());
        }
        let number = self.n_files.fetch_add(1, Ordering::Relaxed);
        let path = self.path.join(format!("abridge-{}-{number}-{name}", std::process::id()));
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path)?;
        if cfg!(unix) {
            fs::remove_file(&path)?;
            return Ok(Box::new(DiskFile { file, len: 0 }));
        }
        Ok(Box::new(Named { file: DiskFile { file, len: 0 }, path }))
    }

    fn view(&self, _: &str, _: u64) -> io::Result<Box<dyn Medium>> {
        Err(io::ErrorKind::NotFound.into())
    }

    fn read(&self, _: &str) -> io::Result<Vec<u8>> {
        Err(io::ErrorKind::NotFound.into())
    }

    fn replace(&self, _: &str, _: &[u8]) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// A file goes away when it is closed.
    fn remove(&self, _: &str) -> io::Result<()> {
        Ok(())
    }
}

/// An open file. What could not be written completely counts as not written.
struct DiskFile {
    file: File,
    len: u64,
}

impl Medium for DiskFile {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        write_at(&self.file, self.len, bytes)?;
        self.len += bytes.len() as u64;
        Ok(())
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        read_at(&self.file, offset, buffer)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.file.sync_data()
    }
}

#[cfg(unix)]
fn write_at(file: &File, offset: u64, bytes: &[u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, offset)
}

#[cfg(unix)]
fn read_at(file: &File, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, offset)
}

/// Files have one position, which threads share.
#[cfg(not(unix))]
static POSITION: std::sync::Mutex<()> = std::sync::Mutex::new(());

#[cfg(not(unix))]
fn write_at(mut file: &File, offset: u64, bytes: &[u8]) -> io::Result<()> {
    use std::io::{Seek as _, Write as _};
    let _guard = POSITION.lock();
    file.seek(io::SeekFrom::Start(offset))?;
    file.write_all(bytes)
}

#[cfg(not(unix))]
fn read_at(mut file: &File, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
    use std::io::{Read as _, Seek as _};
    let _guard = POSITION.lock();
    file.seek(io::SeekFrom::Start(offset))?;
    file.read_exact(buffer)
}

/// A file that is deleted when it is closed.
struct Named {
    file: DiskFile,
    path: PathBuf,
}

impl Medium for Named {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.append(bytes)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.file.read_at(offset, buffer)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.file.sync()
    }
}

impl Drop for Named {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A process that has ended and was not waited for has given its memory back, as a killed one does before it lets its locks go.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_killed_process_is_told_from_a_running_one() -> io::Result<()> {
        assert!(!is_ending(std::process::id()));
        let mut child = std::process::Command::new("sleep").arg("100").spawn()?;
        child.kill()?;
        // Not waited for, the process stays, without its memory.
        while !is_ending(child.id()) {
            thread::yield_now();
        }
        child.wait()?;
        Ok(())
    }

    #[test]
    fn a_lock_names_its_holder() -> io::Result<()> {
        let path = std::env::temp_dir().join(format!("abridge-lock-{}", std::process::id()));
        let folder = Folder::new(&path)?;
        let mut lock = open_own(&path.join("lock"), FileAccess::Lock)?;
        assert_eq!(holder(&mut lock), Some(std::process::id()));
        drop(folder);
        fs::remove_dir_all(&path)
    }
}
