//! Files behind a trait, for spilled states and checkpoints.
//!
//! Crates below `cli` do not access the disk. [`Ram`] is the volume for tests; it can be given a capacity.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Flat folder of files with plain names.
pub trait Volume: Sync {
    /// Opens a file for appending and truncates it to its first `len` bytes; creates it if `len` is 0. A shorter file is an error.
    fn open(&self, name: &str, len: u64) -> io::Result<Box<dyn Medium>>;

    /// Opens a file to read its first `len` bytes, without changing it. A shorter file is an error.
    fn view(&self, name: &str, len: u64) -> io::Result<Box<dyn Medium>>;

    /// Reads a whole file.
    fn read(&self, name: &str) -> io::Result<Vec<u8>>;

    /// Replaces a file atomically. A crash leaves either the old or the new content; after the return, the new one is durable.
    fn replace(&self, name: &str, content: &[u8]) -> io::Result<()>;

    fn remove(&self, name: &str) -> io::Result<()>;
}

/// Open file. Bytes never change once they are written.
pub trait Medium: Send + Sync {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Fills the buffer from an offset.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()>;

    /// Makes appended bytes durable.
    fn sync(&mut self) -> io::Result<()>;
}

/// Volume in memory with an optional capacity, for tests.
#[derive(Default)]
pub struct Ram {
    files: Mutex<HashMap<String, Arc<Mutex<Vec<u8>>>>>,
    /// Bytes that may still be written, if there is a capacity.
    left: Option<Arc<Mutex<u64>>>,
}

struct RamFile {
    content: Arc<Mutex<Vec<u8>>>,
    left: Option<Arc<Mutex<u64>>>,
}

impl Ram {
    pub fn new() -> Self {
        Ram::default()
    }

    /// Makes a volume with a capacity in bytes.
    pub fn with_capacity(bytes: u64) -> Self {
        Ram { files: Mutex::default(), left: Some(Arc::new(Mutex::new(bytes))) }
    }

    /// Names of the files, sorted.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = lock(&self.files).keys().cloned().collect();
        names.sort();
        names
    }

    fn file(&self, name: &str) -> io::Result<Arc<Mutex<Vec<u8>>>> {
        lock(&self.files).get(name).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn use_up(left: Option<&Arc<Mutex<u64>>>, bytes: usize) -> io::Result<()> {
    let Some(left) = left else { return Ok(()) };
    let mut left = lock(left);
    *left = left.checked_sub(bytes as u64).ok_or(io::ErrorKind::StorageFull)?;
    Ok(())
}

impl Volume for Ram {
    fn open(&self, name: &str, len: u64) -> io::Result<Box<dyn Medium>> {
        let content =
            if len == 0 { lock(&self.files).entry(name.to_owned()).or_default().clone() } else { self.file(name)? };
        if (lock(&content).len() as u64) < len {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        lock(&content).truncate(len as usize);
        Ok(Box::new(RamFile { content, left: self.left.clone() }))
    }

    fn view(&self, name: &str, len: u64) -> io::Result<Box<dyn Medium>> {
        let content = self.file(name)?;
        if (lock(&content).len() as u64) < len {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(Box::new(RamFile { content, left: self.left.clone() }))
    }

    fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        Ok(lock(&*self.file(name)?).clone())
    }

    fn replace(&self, name: &str, content: &[u8]) -> io::Result<()> {
        use_up(self.left.as_ref(), content.len())?;
        lock(&self.files).insert(name.to_owned(), Arc::new(Mutex::new(content.to_vec())));
        Ok(())
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        lock(&self.files).remove(name).map(drop).ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

impl Medium for RamFile {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        use_up(self.left.as_ref(), bytes.len())?;
        lock(&self.content).extend_from_slice(bytes);
        Ok(())
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let content = lock(&self.content);
        let range = offset as usize..(offset as usize).saturating_add(buffer.len());
        buffer.copy_from_slice(content.get(range).ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}
