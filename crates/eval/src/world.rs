//! World outside of a model, for external functions: files and the time of day.
//!
//! Nothing here touches the disk or the clock; both are behind [`Outside`]. A [`World`] is frozen: a file is read once and the time is taken once, so
//! that evaluation is a function of the state.

use std::collections::HashMap;
use std::fmt;
use std::io;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Files, folders and the clock. Relative paths start at the folder of the main machine.
pub trait Outside: Send + Sync {
    /// Bytes of a file.
    ///
    /// # Errors
    /// When the file does not exist or cannot be read.
    fn read(&self, path: &str) -> io::Result<Vec<u8>>;

    /// Metadata of a file or folder; `None` if there is none.
    ///
    /// # Errors
    /// When access is not allowed.
    fn facts(&self, path: &str) -> io::Result<Option<FileMetadata>>;

    /// Names in a folder.
    ///
    /// # Errors
    /// When there is no such folder or it cannot be listed.
    fn names(&self, folder: &str) -> io::Result<Vec<String>>;

    /// Absolute path.
    ///
    /// # Errors
    /// When there is no such file or folder, or access is not allowed.
    fn full_path(&self, path: &str) -> io::Result<String>;

    /// Seconds since 1970-01-01 00:00 UTC.
    fn now(&self) -> i64;
}

/// Metadata of a file or folder. Times are seconds since 1970-01-01 00:00 UTC, if the file system has them.
#[derive(Clone, Copy, Default, Debug)]
pub struct FileMetadata {
    pub is_folder: bool,
    pub is_readable: bool,
    pub is_writable: bool,
    pub is_executable: bool,
    pub size: u64,
    pub created: Option<i64>,
    pub modified: Option<i64>,
    pub accessed: Option<i64>,
}

/// Frozen view of the outside.
#[derive(Clone)]
pub struct World {
    outside: Arc<dyn Outside>,
    memory: Arc<MemoryWorld>,
}

#[derive(Default)]
struct MemoryWorld {
    files: Mutex<HashMap<String, Result<Arc<str>, String>>>,
    now: OnceLock<i64>,
}

impl World {
    pub fn new(outside: Arc<dyn Outside>) -> World {
        World { outside, memory: Arc::default() }
    }

    pub fn outside(&self) -> &dyn Outside {
        &*self.outside
    }

    /// Time at the first call.
    pub fn now(&self) -> i64 {
        *self.memory.now.get_or_init(|| self.outside.now())
    }

    /// Text of a file at its first reading, or the reason why it cannot be read.
    pub fn text(&self, path: &str) -> Result<Arc<str>, String> {
        let mut files = self.memory.files.lock().unwrap_or_else(PoisonError::into_inner);
        let known = files.entry(path.to_owned()).or_insert_with(|| {
            let bytes = self.outside.read(path).map_err(|error| format!("`{path}` cannot be read: {error}"))?;
            Ok(decoded(&bytes).into())
        });
        known.clone()
    }
}

/// Decodes UTF-8 or, if invalid, Latin-1, and drops a byte order mark.
fn decoded(bytes: &[u8]) -> String {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|byte| char::from(*byte)).collect(),
    }
}

impl Default for World {
    fn default() -> World {
        World::new(Arc::new(Nothing))
    }
}

/// Equal for all worlds, so that configurations can be compared by their debug text.
impl fmt::Debug for World {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("World")
    }
}

/// Outside without files, at time 0.
struct Nothing;

impl Outside for Nothing {
    fn read(&self, _: &str) -> io::Result<Vec<u8>> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "there are no files here"))
    }

    fn facts(&self, _: &str) -> io::Result<Option<FileMetadata>> {
        Ok(None)
    }

    fn names(&self, _: &str) -> io::Result<Vec<String>> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "there are no folders here"))
    }

    fn full_path(&self, path: &str) -> io::Result<String> {
        Ok(path.to_owned())
    }

    fn now(&self) -> i64 {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_utf8_or_latin1() {
        assert_eq!(decoded("\u{feff}äb".as_bytes()), "äb");
        assert_eq!(decoded(b"\xe4b"), "äb");
        assert_eq!(decoded(b""), "");
    }
}
