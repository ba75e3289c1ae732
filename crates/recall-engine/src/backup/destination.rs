//! The file that a backup is written to.

use std::fs::File;
use std::path::{Path, PathBuf};

use recall_os::{Access, Folder, OpenError};

use super::archive::{self, Manifest};
use super::error::BackupError;

/// How a backup treats a file that has its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExistingFile {
    /// The backup is refused.
    Keep,
    /// The backup replaces it.
    Replace,
}

/// The place of a new backup.
pub(super) struct Destination {
    folder: Folder,
    name: String,
    existing: ExistingFile,
}

impl Destination {
    /// Opens the folder of a new backup.
    ///
    /// # Errors
    /// The path is not absolute, its folder cannot be opened, or something has the name and is not to be replaced.
    pub(super) fn prepare(file: &Path, existing: ExistingFile) -> Result<Self, BackupError> {
        let not_absolute = || BackupError::NotAbsolute { path: file.to_owned() };
        let name = file.file_name().and_then(|name| name.to_str()).filter(|_| file.is_absolute());
        let name = name.ok_or_else(not_absolute)?.to_owned();
        let folder = Folder::open(file.parent().ok_or_else(not_absolute)?).map_err(BackupError::Folder)?;
        match folder.metadata(&name).map_err(BackupError::Folder)? {
            Some(found) if existing == ExistingFile::Keep || !found.is_file() => {
                Err(BackupError::Exists { path: file.to_owned() })
            }
            _ => Ok(Self { folder, name, existing }),
        }
    }

    /// Creates a file next to the backup, which is deleted if it is not renamed.
    pub(super) fn temporary(&self, what: &str) -> Result<Temporary<'_>, BackupError> {
        let name = format!(".{}.{what}-{}", self.name, std::process::id());
        let create = || self.folder.file(&name, Access::CreateNew);
        let created = create().or_else(|error| match error {
            // A process that had this id may have left it.
            OpenError::Io { source, .. } if source.kind() == std::io::ErrorKind::AlreadyExists => {
                self.folder.remove(&name).and_then(|()| create())
            }
            error => Err(error),
        });
        let file = created.map_err(|error| self.not_written(error.into()))?;
        Ok(Temporary { folder: &self.folder, name, file })
    }

    /// Writes the archive, and gives it its name.
    pub(super) fn write(
        &self,
        manifest: &Manifest,
        mut spool: Temporary<'_>,
        offsets: &[u64],
    ) -> Result<u64, BackupError> {
        let failed = |source| self.not_written(source);
        let written = self.temporary("unfinished")?;
        let out = written.file.try_clone().map_err(failed)?;
        let bytes = archive::write(manifest, &mut spool.file, offsets, out).map_err(failed)?;
        let renamed = match self.existing {
            ExistingFile::Keep => self.folder.rename_new(&written.name, &self.name),
            ExistingFile::Replace => self.folder.rename(&written.name, &self.name),
        };
        renamed.map_err(|error| match std::io::Error::from(error) {
            error if error.kind() == std::io::ErrorKind::AlreadyExists => BackupError::Exists { path: self.path() },
            source => self.not_written(source),
        })?;
        self.folder.sync().map_err(failed)?;
        Ok(bytes)
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join(&self.name)
    }

    fn not_written(&self, source: std::io::Error) -> BackupError {
        BackupError::Write { path: self.path(), source }
    }
}

/// A file that is deleted when it is dropped, unless it was renamed.
pub(super) struct Temporary<'a> {
    folder: &'a Folder,
    name: String,
    pub(super) file: File,
}

impl Temporary<'_> {
    pub(super) fn path(&self) -> PathBuf {
        self.folder.path().join(&self.name)
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        // It has been renamed, or has no data of its own.
        let _ = self.folder.remove(&self.name);
    }
}
