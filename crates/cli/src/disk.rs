//! The disk, as the front end sees it.

use std::path::{Path, PathBuf};

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
