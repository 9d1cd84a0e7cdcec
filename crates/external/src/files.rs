//! LibraryFiles, and the functions of LibraryIO that read whole files.
//!
//! A file is part of the model that reads it. It is read once, so values stay functions of the state. Functions that continue where the last
//! evaluation stopped (READ_LINE, GET_CODE) are not functions of the state, and are refused.

use std::sync::Arc;

use abridge_eval::{Error, ErrorKind, FileMetadata, Result, Val};
use abridge_value::{Int, Set, Value, sequence};

use super::{Call, number, text};

impl Call<'_> {
    pub(super) fn file_function(&self) -> Result<Option<Val>> {
        match self.name {
            "READ_FILE_AS_STRING" => text(&*self.file(0)?),
            "READ_FILE_AS_STRINGS" => {
                let whole = self.file(0)?;
                self.charge_items(whole.lines().count())?;
                Ok(Some(sequence::from_items(whole.lines().map(Value::string)).into()))
            }
            "SHA_HASH_FILE_HEX" => {
                let bytes = self.file(0)?;
                text(super::sets::sha1(bytes.as_bytes()).map(|byte| format!("{byte:02x}")).concat())
            }
            "FILES" => self.names(false, false),
            "FULL_FILES" => self.names(false, true),
            "DIRECTORIES" => self.names(true, false),
            "FULL_DIRECTORIES" => self.names(true, true),
            "FILE_PROPERTY_VALUE" => self.number_of(false),
            "DIRECTORY_PROPERTY_VALUE" => self.number_of(true),
            _ => Ok(None),
        }
    }

    /// Truth value of a predicate of this file; `None` if the name is another one.
    pub(super) fn file_predicate(&self) -> Result<Option<bool>> {
        Ok(Some(match self.name {
            "FILE_EXISTS" => self.facts(false)?.is_some(),
            "DIRECTORY_EXISTS" => self.facts(true)?.is_some(),
            "FILE_PROPERTY" => self.has_property(false)?,
            "DIRECTORY_PROPERTY" => self.has_property(true)?,
            _ => return Ok(None),
        }))
    }

    /// Text of the file that an argument names.
    pub(super) fn file(&self, idx: usize) -> Result<Arc<str>> {
        let whole = self.session.config().world.text(self.str(idx)?).map_err(ErrorKind::Unreadable)?;
        self.session.charge_bulk(whole.len())?;
        Ok(whole)
    }

    /// Error for a file of the first argument with unexpected content. Values derived from it are unknown, as with a missing file.
    pub(super) fn unreadable(&self, why: &str) -> Error {
        ErrorKind::Unreadable(format!("`{}`: {why}", self.str(0).unwrap_or_default())).into()
    }

    /// Metadata of the file or folder that the first argument names; `None` if there is none.
    fn facts(&self, is_folder: bool) -> Result<Option<FileMetadata>> {
        self.impure();
        let path = self.str(0)?;
        let facts = self.session.config().world.outside().facts(path).map_err(|error| self.refused(path, &error))?;
        Ok(facts.filter(|facts| !path.is_empty() && facts.is_folder == is_folder))
    }

    fn known_facts(&self, is_folder: bool) -> Result<FileMetadata> {
        let missing = || self.ill_defined(&format!("`{}` does not exist", self.str(0).unwrap_or_default()));
        self.facts(is_folder)?.ok_or_else(missing)
    }

    fn has_property(&self, is_folder: bool) -> Result<bool> {
        let facts = self.known_facts(is_folder)?;
        match self.str(1)? {
            "readable" => Ok(facts.is_readable),
            "writable" => Ok(facts.is_writable),
            "executable" if !is_folder => Ok(facts.is_executable),
            "searchable" if is_folder => Ok(facts.is_executable),
            other => Err(self.ill_defined(&format!("the property `{other}` is not known"))),
        }
    }

    fn number_of(&self, is_folder: bool) -> Result<Option<Val>> {
        let facts = self.known_facts(is_folder)?;
        let stamp = match self.str(1)? {
            "size_in_bytes" if !is_folder => return number(Int::from(facts.size)),
            "create_timestamp" => facts.created,
            "modify_timestamp" => facts.modified,
            "access_timestamp" => facts.accessed,
            other => return Err(self.ill_defined(&format!("the property `{other}` is not known"))),
        };
        number(Int::from(stamp.ok_or_else(|| self.ill_defined("the file system does not keep this time"))?))
    }

    /// Names of the files or folders in a folder.
    fn names(&self, folders: bool, full: bool) -> Result<Option<Val>> {
        self.impure();
        let folder = self.str(0)?;
        let outside = self.session.config().world.outside();
        let names = outside.names(folder).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => self.ill_defined(&format!("the folder `{folder}` does not exist")),
            _ => self.refused(folder, &error),
        })?;
        let mut told = Vec::new();
        for name in names {
            let path = format!("{folder}/{name}");
            let facts = outside.facts(&path).map_err(|error| self.refused(&path, &error))?;
            if facts.is_some_and(|facts| facts.is_folder == folders) {
                let shown =
                    if full { outside.full_path(&path).map_err(|error| self.refused(&path, &error))? } else { name };
                told.push(Value::string(shown));
            }
        }
        Ok(Some(told.into_iter().collect::<Set>().into()))
    }

    /// Error for a file or folder that cannot be read. Values derived from it are unknown.
    fn refused(&self, path: &str, error: &std::io::Error) -> Error {
        ErrorKind::Unreadable(format!("`{path}` cannot be read: {error}")).into()
    }
}
