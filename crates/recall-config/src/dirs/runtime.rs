//! Creation and verification of the runtime folder.

use std::io;
#[cfg(unix)]
use std::path::Path;
use std::path::PathBuf;

use super::Dirs;

impl Dirs {
    /// Creates the runtime folder, or verifies that only this user may write to it.
    ///
    /// A created folder has mode 0700, independent of the umask. If others may read an existing folder, that permission
    /// is removed. If others may write to it, it is refused, because its content may be theirs. On Windows the folder
    /// inherits the access list of the user's profile.
    ///
    /// # Errors
    /// The folder cannot be created, is a symlink or not a folder, belongs to another user, or is writable by others.
    pub fn prepare_runtime(&self) -> Result<(), RuntimeError> {
        prepare(self)
    }
}

#[cfg(unix)]
fn prepare(dirs: &Dirs) -> Result<(), RuntimeError> {
    use std::fs::{DirBuilder, Permissions};
    use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};

    let path = &dirs.runtime;
    let failed = |source: io::Error| RuntimeError::Io { path: path.clone(), source };
    match DirBuilder::new().mode(0o700).create(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(failed)?;
        }
        made => made.map_err(failed)?,
    }

    let folder = open_folder(path)?;
    let seen = folder.metadata().map_err(failed)?;
    check_owner(path, seen.uid())?;
    let mode = seen.mode() & 0o7777;
    if mode & 0o022 != 0 {
        return Err(RuntimeError::WritableByOthers { path: path.clone(), mode });
    }
    if mode != 0o700 {
        folder.set_permissions(Permissions::from_mode(0o700)).map_err(failed)?;
    }
    Ok(())
}

/// Opens the folder, so that all further checks apply to this folder even if its path changes.
#[cfg(unix)]
fn open_folder(path: &Path) -> Result<std::fs::File, RuntimeError> {
    use rustix::fs::{Mode, OFlags};
    use rustix::io::Errno;

    let failed = |errno: Errno| RuntimeError::Io { path: path.to_owned(), source: errno.into() };
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(folder) => Ok(folder.into()),
        Err(Errno::LOOP | Errno::NOTDIR) => Err(RuntimeError::NotAFolder { path: path.to_owned() }),
        Err(Errno::ACCESS) => {
            check_owner(path, rustix::fs::lstat(path).map_err(failed)?.st_uid)?;
            Err(failed(Errno::ACCESS))
        }
        Err(errno) => Err(failed(errno)),
    }
}

#[cfg(unix)]
fn check_owner(path: &Path, owner: u32) -> Result<(), RuntimeError> {
    let user = rustix::process::geteuid().as_raw();
    if owner == user { Ok(()) } else { Err(RuntimeError::ForeignOwner { path: path.to_owned(), owner, user }) }
}

#[cfg(not(unix))]
fn prepare(dirs: &Dirs) -> Result<(), RuntimeError> {
    let path = &dirs.runtime;
    std::fs::create_dir_all(path).map_err(|source| RuntimeError::Io { path: path.clone(), source })
}

/// The runtime folder is unusable.
#[derive(Debug, thiserror::Error)]
pub enum RuntimeError {
    /// The operating system refused.
    #[error("cannot prepare the folder `{}`", path.display())]
    Io {
        /// The folder that was to be created or inspected.
        path: PathBuf,
        /// The operating system's error.
        #[source]
        source: io::Error,
    },
    /// The path is not a folder. A symlink could lead the socket to another user's folder.
    #[error("`{}` is a symlink or a file, not a folder", path.display())]
    NotAFolder {
        /// The path at which the folder should be.
        path: PathBuf,
    },
    /// The folder belongs to another user, who could impersonate the daemon.
    #[error("the folder `{}` belongs to the user {owner}, not to {user}", path.display())]
    ForeignOwner {
        /// The folder that would hold the socket.
        path: PathBuf,
        /// The user id of the owner.
        owner: u32,
        /// The user id of this process.
        user: u32,
    },
    /// Others may write to the folder, so its content may be theirs.
    #[error("others may write to the folder `{}` (mode {mode:04o})", path.display())]
    WritableByOthers {
        /// The folder that would hold the socket.
        path: PathBuf,
        /// Its permission bits, of which one for group or others allows writing.
        mode: u32,
    },
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn dirs(runtime: PathBuf) -> Dirs {
        let unused = PathBuf::new();
        let (data, config, cache, state) = (unused.clone(), unused.clone(), unused.clone(), unused);
        Dirs { data, config, cache, state, runtime, service_socket: None }
    }

    fn mode_of(path: &Path) -> u32 {
        fs::metadata(path).expect("exists").permissions().mode() & 0o7777
    }

    #[test]
    fn a_missing_folder_is_created_private() {
        let place = tempfile::tempdir().expect("temporary folder");
        for runtime in [place.path().join("run"), place.path().join("a/b/run")] {
            dirs(runtime.clone()).prepare_runtime().expect("made");
            dirs(runtime.clone()).prepare_runtime().expect("kept");
            assert_eq!(mode_of(&runtime), 0o700);
        }
    }

    #[test]
    fn read_permission_of_others_is_removed() {
        let place = tempfile::tempdir().expect("temporary folder");
        for mode in [0o755, 0o711, 0o500] {
            fs::set_permissions(place.path(), fs::Permissions::from_mode(mode)).expect("own folder");
            dirs(place.path().to_owned()).prepare_runtime().expect("closed");
            assert_eq!(mode_of(place.path()), 0o700);
        }
    }

    #[test]
    fn a_folder_writable_by_others_is_refused_and_unchanged() {
        let place = tempfile::tempdir().expect("temporary folder");
        for mode in [0o770, 0o702, 0o1777] {
            fs::set_permissions(place.path(), fs::Permissions::from_mode(mode)).expect("own folder");
            let refused = dirs(place.path().to_owned()).prepare_runtime();
            assert!(matches!(refused, Err(RuntimeError::WritableByOthers { .. })), "{refused:?}");
            assert_eq!(mode_of(place.path()), mode);
        }
    }

    #[test]
    fn a_symlink_or_a_file_is_refused() {
        let place = tempfile::tempdir().expect("temporary folder");
        let (link, file) = (place.path().join("link"), place.path().join("file"));
        symlink(place.path(), &link).expect("linked");
        fs::write(&file, "").expect("written");
        for path in [link, file] {
            let refused = dirs(path).prepare_runtime();
            assert!(matches!(refused, Err(RuntimeError::NotAFolder { .. })), "{refused:?}");
        }
    }

    #[test]
    fn a_folder_of_another_user_is_refused() {
        // The file system's root belongs to another user. If the test runs as root, a folder is given away instead.
        let place = tempfile::tempdir().expect("temporary folder");
        let foreign = if rustix::process::geteuid().is_root() {
            std::os::unix::fs::chown(place.path(), Some(12345), None).expect("root may give away");
            place.path().to_owned()
        } else {
            PathBuf::from("/")
        };
        let refused = dirs(foreign).prepare_runtime();
        assert!(matches!(refused, Err(RuntimeError::ForeignOwner { .. })), "{refused:?}");
    }
}
