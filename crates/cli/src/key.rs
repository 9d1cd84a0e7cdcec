//! The key of the user, with which everything is sealed that is kept on disk and read back.
//!
//! It lies among the user's state and not among the caches, since a checkpoint must survive that those are cleared. It is made at first use.
//! Whoever has the key can write checkpoints and answers that are believed, so a key that others could read or that belongs to somebody else is
//! not used.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use abridge_check::Key;

use crate::files::{FileAccess, check_secret, open_own, private_folder, read_whole};

const NAME: &str = "key";
const KEY_BYTES: usize = 32;

/// The key; a message if there can be none.
pub(crate) fn user_key() -> Result<Key, String> {
    let folder = default_folder(|name| std::env::var_os(name).map(PathBuf::from))
        .ok_or("there is no place for the key that seals it: set HOME or XDG_STATE_HOME")?;
    key_in(&folder)
        .map_err(|error| format!("the key that seals it, {}, cannot be used: {error}", folder.join(NAME).display()))
}

/// The platform's folder for what programs keep.
fn default_folder(variable: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    let absolute = |name: &str| variable(name).filter(|path| path.is_absolute());
    let state = absolute("XDG_STATE_HOME")
        .or_else(|| absolute("LOCALAPPDATA"))
        .or_else(|| absolute("HOME").map(|home| home.join(".local/state")));
    Some(state?.join("abridge"))
}

fn key_in(folder: &Path) -> io::Result<Key> {
    private_folder(folder, true)?;
    let path = folder.join(NAME);
    match open_own(&path, FileAccess::Read) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            make(folder, &path)?;
            read(open_own(&path, FileAccess::Read)?)
        }
        opened => read(opened?),
    }
}

fn read(file: File) -> io::Result<Key> {
    check_secret(&file.metadata()?)?;
    let bytes = read_whole(file, KEY_BYTES as u64)?;
    let secret = <[u8; KEY_BYTES]>::try_from(bytes);
    secret.map(Key::new).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is damaged; remove it"))
}

/// Makes a key that is there as a whole or not at all. If another process was faster, its key stays.
fn make(folder: &Path, path: &Path) -> io::Result<()> {
    let mut secret = [0; KEY_BYTES];
    getrandom::fill(&mut secret).map_err(|error| io::Error::other(error.to_string()))?;
    let temporary = folder.join(format!("{NAME}-{}", std::process::id()));
    let mut file = open_own(&temporary, FileAccess::Create)?;
    file.write_all(&secret)?;
    file.sync_all()?;
    // Unlike a renaming, this fails if the name is taken.
    let linked = fs::hard_link(&temporary, path);
    fs::remove_file(&temporary)?;
    match linked {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("abridge-key-test-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        folder
    }

    #[test]
    fn the_folder_follows_the_environment() {
        let folder = |known: &[(&str, &str)]| {
            default_folder(|name| known.iter().find(|(key, _)| *key == name).map(|(_, path)| PathBuf::from(path)))
        };
        assert_eq!(folder(&[("HOME", "/home/me")]), Some(PathBuf::from("/home/me/.local/state/abridge")));
        let both = [("HOME", "/home/me"), ("XDG_STATE_HOME", "/var/me")];
        assert_eq!(folder(&both), Some(PathBuf::from("/var/me/abridge")));
        assert_eq!((folder(&[("XDG_STATE_HOME", "relative")]), folder(&[])), (None, None));
    }

    #[test]
    fn a_key_is_made_once_by_many() {
        let folder = folder("once");
        let names: Vec<_> = std::thread::scope(|scope| {
            // Processes have names of their own for what they are writing; one thread stands for all of this one.
            let first = key_in(&folder).expect("a key").name();
            let others: Vec<_> = (0..8).map(|_| scope.spawn(|| key_in(&folder).expect("a key").name())).collect();
            std::iter::once(first).chain(others.into_iter().map(|other| other.join().expect("no panic"))).collect()
        });
        assert!(names.iter().all(|name| *name == names[0]));
        let left: Vec<_> =
            fs::read_dir(&folder).expect("the folder").flatten().map(|entry| entry.file_name()).collect();
        assert_eq!(left, [NAME]);
        fs::remove_dir_all(&folder).expect("the folder goes away");
    }

    #[cfg(unix)]
    #[test]
    fn a_key_that_is_no_secret_is_not_used() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = folder("secret");
        key_in(&folder).expect("a key");
        let path = folder.join(NAME);
        let mode = |path: &Path| fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
        assert_eq!((mode(&folder), mode(&path)), (0o700, 0o600));
        let refused = || key_in(&folder).err().map(|error| error.kind());
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).expect("a mode");
        assert_eq!(refused(), Some(io::ErrorKind::PermissionDenied));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("a mode");
        fs::write(&path, "short").expect("it can be written");
        assert_eq!(refused(), Some(io::ErrorKind::InvalidData));
        fs::rename(&path, folder.join("elsewhere")).expect("it can be moved");
        std::os::unix::fs::symlink(folder.join("elsewhere"), &path).expect("a link");
        assert!(refused().is_some(), "a link is not followed");
        fs::remove_dir_all(&folder).expect("the folder goes away");
    }
}
