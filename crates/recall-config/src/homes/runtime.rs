//! Is the folder of the socket ours alone?

use std::io;
use std::path::{Path, PathBuf};

use super::Homes;

impl Homes {
    /// Makes the runtime folder, or checks that the existing one is this user's alone.
    ///
    /// A folder that is made has mode 0700 whatever the umask says. An existing one that others may look into is
    /// closed to them; one that others may write to is refused, because what lies in it may be theirs. On Windows the
    /// folder is made below the user's profile, whose access list the platform keeps.
    ///
    /// # Errors
    /// The folder cannot be made, is a symlink or no folder, belongs to another user, or is writable by others.
    pub fn prepare_runtime(&self) -> Result<(), RuntimeError> {
        prepare(self)
    }
}

#[cfg(unix)]
fn prepare(homes: &Homes) -> Result<(), RuntimeError> {
    use std::fs::{DirBuilder, Permissions};
    use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};

    let path = &homes.runtime;
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

/// Opens the folder, so that all further questions go to it and not to what its path leads to a moment later.
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
fn prepare(homes: &Homes) -> Result<(), RuntimeError> {
    let path = &homes.runtime;
    std::fs::create_dir_all(path).map_err(|source| RuntimeError::Io { path: path.clone(), source })
}

/// The runtime folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RuntimeError {
    /// The file system refused.
    #[error("cannot prepare the folder `{}`", path.display())]
    Io {
        /// The folder.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// Something else has the folder's name: a symlink could lead the socket to where others listen.
    #[error("`{}` is a symlink or a file, not a folder", path.display())]
    NotAFolder {
        /// The path.
        path: PathBuf,
    },
    /// Another user could answer in the daemon's name.
    #[error("the folder `{}` belongs to the user {owner}, not to {user}", path.display())]
    ForeignOwner {
        /// The folder.
        path: PathBuf,
        /// The user id of its owner.
        owner: u32,
        /// The user id of this process.
        user: u32,
    },
    /// Others may have put into it what is taken for ours.
    #[error("others may write to the folder `{}` (mode {mode:04o})", path.display())]
    WritableByOthers {
        /// The folder.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn homes(runtime: PathBuf) -> Homes {
        let unused = PathBuf::new();
        let (data, config, cache, state) = (unused.clone(), unused.clone(), unused.clone(), unused);
        Homes { data, config, cache, state, runtime, service_socket: None }
    }

    fn mode_of(path: &Path) -> u32 {
        fs::metadata(path).expect("exists").permissions().mode() & 0o7777
    }

    #[test]
    fn a_missing_folder_is_made_for_its_user_alone() {
        let place = tempfile::tempdir().expect("temporary folder");
        for runtime in [place.path().join("run"), place.path().join("a/b/run")] {
            homes(runtime.clone()).prepare_runtime().expect("made");
            homes(runtime.clone()).prepare_runtime().expect("kept");
            assert_eq!(mode_of(&runtime), 0o700);
        }
    }

    #[test]
    fn an_existing_folder_is_closed_to_those_who_could_only_look() {
        let place = tempfile::tempdir().expect("temporary folder");
        for mode in [0o755, 0o711, 0o500] {
            fs::set_permissions(place.path(), fs::Permissions::from_mode(mode)).expect("own folder");
            homes(place.path().to_owned()).prepare_runtime().expect("closed");
            assert_eq!(mode_of(place.path()), 0o700);
        }
    }

    #[test]
    fn a_folder_that_others_could_have_filled_is_refused_and_left_alone() {
        let place = tempfile::tempdir().expect("temporary folder");
        for mode in [0o770, 0o702, 0o1777] {
            fs::set_permissions(place.path(), fs::Permissions::from_mode(mode)).expect("own folder");
            let refused = homes(place.path().to_owned()).prepare_runtime();
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
            let refused = homes(path).prepare_runtime();
            assert!(matches!(refused, Err(RuntimeError::NotAFolder { .. })), "{refused:?}");
        }
    }

    #[test]
    fn a_folder_of_another_user_is_refused() {
        // The root of the file system stands for it; where the test runs as its owner, an unowned one is made.
        let place = tempfile::tempdir().expect("temporary folder");
        let foreign = if rustix::process::geteuid().is_root() {
            std::os::unix::fs::chown(place.path(), Some(12345), None).expect("root may give away");
            place.path().to_owned()
        } else {
            PathBuf::from("/")
        };
        let refused = homes(foreign).prepare_runtime();
        assert!(matches!(refused, Err(RuntimeError::ForeignOwner { .. })), "{refused:?}");
    }
}
