//! Folders that only their user may access.

use std::path::Path;

use cap_std::ambient_authority;
use cap_std::fs::Dir;

use crate::{Folder, OpenError};

impl Folder {
    /// Opens a folder of this user alone, and creates it and its missing ancestors with mode 0700.
    ///
    /// If others may access an existing folder, their permissions are removed. The last component of the path must not
    /// be a link.
    ///
    /// # Errors
    /// It is a link, is not a folder, or belongs to another user; or the system refuses.
    pub fn private(path: &Path) -> Result<Self, OpenError> {
        let failed = |source| OpenError::Io { path: path.to_owned(), source };
        if std::fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink()) {
            return Err(OpenError::Link { path: path.to_owned() });
        }
        make(path).map_err(failed)?;
        let dir = Dir::open_ambient_dir(path, ambient_authority()).map_err(|source| match source.kind() {
            std::io::ErrorKind::NotADirectory => OpenError::NotAFolder { path: path.to_owned() },
            _ => failed(source),
        })?;
        close_to_others(&dir, path)?;
        Ok(Self::new(dir, path.to_owned()))
    }
}

fn make(path: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(path) {
        // Opening it tells a folder from other files.
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        made => made,
    }
}

#[cfg(unix)]
fn close_to_others(dir: &Dir, path: &Path) -> Result<(), OpenError> {
    use cap_std::fs::{MetadataExt as _, Permissions, PermissionsExt as _};

    let failed = |source| OpenError::Io { path: path.to_owned(), source };
    let found = dir.dir_metadata().map_err(failed)?;
    if found.uid() != rustix::process::geteuid().as_raw() {
        return Err(OpenError::NotOurs { path: path.to_owned() });
    }
    if found.mode() & 0o077 != 0 {
        dir.set_permissions(".", Permissions::from_mode(0o700)).map_err(failed)?;
    }
    Ok(())
}

/// On other systems the folder inherits the access list of the user's profile.
#[cfg(not(unix))]
fn close_to_others(_dir: &Dir, _path: &Path) -> Result<(), OpenError> {
    Ok(())
}
