//! Files that are opened with care: those that others may have prepared, and those that only this user may read or change.
//!
//! What is kept for later is opened without following links, since whoever can place a link could have another file truncated or read. What
//! is read as a machine may be a link, but must be a file: a pipe or a device might never end.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::Path;
use std::time::{Duration, SystemTime};

/// How a file of ours is opened.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileAccess {
    Read,
    /// An existing file, to be read and appended to.
    Append,
    /// A file to be locked, made if it is not there.
    Lock,
    /// A new file; one that is there goes away first.
    Create,
}

/// Opens a file that is no link; what is changed has no other name either. Only this user can read what is created.
pub(crate) fn open_own(path: &Path, access: FileAccess) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(access != FileAccess::Read).create(access == FileAccess::Lock);
    if access == FileAccess::Create {
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => options.create_new(true),
        };
    }
    careful(&mut options, false);
    let file = options.open(path)?;
    let known = file.metadata()?;
    if !known.is_file() || access != FileAccess::Read && n_names(&known) > 1 {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no plain file"));
    }
    Ok(file)
}

/// The content of a file that is read as a whole, up to so many bytes. Links are followed.
pub(crate) fn read_up_to(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let mut options = OpenOptions::new();
    careful(options.read(true), true);
    let file = options.open(path)?;
    let known = file.metadata()?;
    if known.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !known.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is a pipe or a device, not a file"));
    }
    if known.len() > limit {
        return Err(too_large(limit));
    }
    read_whole(file, limit)
}

/// The rest of a file, which may be longer than it said it was.
pub(crate) fn read_whole(file: File, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit { Err(too_large(limit)) } else { Ok(bytes) }
}

fn too_large(limit: u64) -> io::Error {
    let message = format!("it has more than {} MB, which is the most that may be read", limit >> 20);
    io::Error::new(io::ErrorKind::FileTooLarge, message)
}

/// A folder that belongs to this user; made if it is not there, for nobody else to enter. `is_ours` closes it to others even if it was
/// there.
pub(crate) fn private_folder(path: &Path, is_ours: bool) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)?;
    check_folder(path, is_ours)
}

/// Neither a pipe nor a link leads elsewhere; what is created is for this user only.
#[cfg(unix)]
fn careful(options: &mut OpenOptions, follows_links: bool) {
    use rustix::fs::OFlags;
    use std::os::unix::fs::OpenOptionsExt as _;
    let links = if follows_links { OFlags::empty() } else { OFlags::NOFOLLOW };
    options.mode(0o600).custom_flags((OFlags::NONBLOCK | links).bits() as i32);
}

#[cfg(not(unix))]
fn careful(_: &mut OpenOptions, _: bool) {}

#[cfg(unix)]
fn n_names(known: &fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(known)
}

#[cfg(not(unix))]
fn n_names(_: &fs::Metadata) -> u64 {
    1
}

#[cfg(unix)]
fn check_folder(path: &Path, is_ours: bool) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let known = fs::metadata(path)?;
    check_owner(&known)?;
    if is_ours && known.permissions().mode() & 0o077 != 0 {
        fs::set_permissions(path, fs::Permissions::from_mode(0o700))?;
    }
    Ok(())
}

#[cfg(not(unix))]
fn check_folder(_: &Path, _: bool) -> io::Result<()> {
    Ok(())
}

/// An error unless it belongs to this user.
#[cfg(unix)]
pub(crate) fn check_owner(known: &fs::Metadata) -> io::Result<()> {
    if std::os::unix::fs::MetadataExt::uid(known) == rustix::process::geteuid().as_raw() {
        Ok(())
    } else {
        Err(io::Error::new(io::ErrorKind::PermissionDenied, "it belongs to another user"))
    }
}

/// An error unless it belongs to this user and nobody else can read or change it.
#[cfg(unix)]
pub(crate) fn check_secret(known: &fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    check_owner(known)?;
    if known.permissions().mode() & 0o077 == 0 {
        Ok(())
    } else {
        Err(io::Error::new(io::ErrorKind::PermissionDenied, "others can read it (it should have mode 600)"))
    }
}

#[cfg(not(unix))]
pub(crate) fn check_secret(_: &fs::Metadata) -> io::Result<()> {
    Ok(())
}

/// What follows the name of a file while its new content is written; the number of the process follows.
const NEW: &str = ".abridge-new-";
/// Files of this age that are still being written are given up, if their process is gone.
const STALE_AFTER: Duration = Duration::from_secs(60);

/// Writes beside the file and renames, so that the file is never half written, not even by two processes at once. A device is written to
/// directly.
pub(crate) fn replace_file(file: &Path, content: impl AsRef<[u8]>) -> io::Result<()> {
    let target = match fs::metadata(file) {
        Ok(known) if !known.is_file() => return File::create(file)?.write_all(content.as_ref()),
        // The file itself, if a link leads to it.
        Ok(_) => fs::canonicalize(file)?,
        Err(_) => file.to_owned(),
    };
    let mut name = target.file_name().unwrap_or_default().to_owned();
    remove_stale(&target);
    name.push(format!("{NEW}{}", std::process::id()));
    let temporary = target.with_file_name(name);
    let _ = fs::remove_file(&temporary);
    let written = File::create_new(&temporary)
        .and_then(|mut file| file.write_all(content.as_ref()))
        .and_then(|()| fs::rename(&temporary, &target));
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// Removes what processes that were killed left beside a file.
fn remove_stale(file: &Path) {
    let (Some(folder), Some(name)) = (file.parent(), file.file_name().and_then(|name| name.to_str())) else { return };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let found = entry.file_name();
        let rest = found.to_str().and_then(|found| found.strip_prefix(name)?.strip_prefix(NEW)?.parse().ok());
        let is_old = || {
            let written = entry.metadata().and_then(|known| known.modified()).unwrap_or_else(|_| SystemTime::now());
            SystemTime::now().duration_since(written).is_ok_and(|age| age > STALE_AFTER)
        };
        if rest.is_some_and(|process| !is_running(process)) && is_old() {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(unix)]
fn is_running(process: i32) -> bool {
    use rustix::process::{Pid, test_kill_process};
    Pid::from_raw(process).is_some_and(|pid| test_kill_process(pid) != Err(rustix::io::Errno::SRCH))
}

#[cfg(not(unix))]
fn is_running(_: i32) -> bool {
    false
}
