//! The listening socket on Unix: a file that only this user may connect to.
//!
//! A killed daemon leaves its file, which is removed only if nobody listens on it. A daemon that ends removes the file only if it is
//! still its own, by device and inode: a later daemon may have taken the path.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use interprocess::local_socket::tokio::Listener;
use interprocess::local_socket::traits::Stream as _;
use interprocess::local_socket::{GenericFilePath, ListenerOptions, Stream, ToFsName};
use interprocess::os::unix::uds_local_socket;

use super::SocketError;

/// A listening socket that the service manager passed on.
pub(crate) type Inherited = UnixListener;

/// The longest path of a socket: the kernel's `sun_path` has 108 bytes on Linux and 104 on the BSDs, with a NUL at its end.
const MAX_PATH_BYTES: usize = if cfg!(target_os = "linux") { 107 } else { 103 };

/// The name of the socket in the agent's property list.
#[cfg(target_os = "macos")]
const LAUNCHD_SOCKET: &str = "Listener";

/// A listening socket, and its file.
pub(crate) struct Bound {
    /// The listener that accepts connections.
    pub(crate) listener: Listener,
    /// The path that it listens on; `None` for a socket of the service manager that has none.
    pub(crate) path: Option<PathBuf>,
    /// The file in the file system, which is removed with it; `None` for a socket of the service manager, which
    /// removes it itself.
    pub(crate) file: Option<SocketFile>,
}

/// The file of a socket that this process created. Dropping it removes the file, unless the path leads to another one.
#[derive(Debug)]
pub(crate) struct SocketFile {
    path: PathBuf,
    id: FileId,
}

/// The identity of a file: its device and inode number. The system does not reuse them while the socket is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileId(u64, u64);

impl FileId {
    /// Returns the identity of the file at a path, or `None` if there is none. Does not follow a symbolic link.
    pub(crate) fn at(path: &Path) -> Option<Self> {
        fs::symlink_metadata(path).ok().map(|found| Self(found.dev(), found.ino()))
    }
}

impl SocketFile {
    /// Returns the identity of the file.
    pub(crate) fn id(&self) -> FileId {
        self.id
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        if FileId::at(&self.path) == Some(self.id) {
            // If it cannot be removed, the next daemon replaces it.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Listens at a path. Replaces a stale socket, never a live one.
///
/// Must be called within a tokio runtime.
///
/// # Errors
/// Another process listens there, the file there is not a socket, the path is too long, or the system refuses.
pub(crate) fn bind(path: &Path) -> Result<Bound, SocketError> {
    let bytes = path.as_os_str().len();
    if bytes > MAX_PATH_BYTES {
        return Err(SocketError::PathTooLong { path: path.to_owned(), bytes, most: MAX_PATH_BYTES });
    }
    remove_stale(path)?;
    let failed = |source| SocketError::Bind { path: path.to_owned(), source };
    let name = path.to_fs_name::<GenericFilePath>().map_err(failed)?;
    // The library would remove the file of that name on drop, even if it is the socket of a later daemon.
    let listener = ListenerOptions::new().name(name).reclaim_name(false).create_tokio().map_err(failed)?;
    let id = FileId::at(path).ok_or_else(|| failed(io::ErrorKind::NotFound.into()))?;
    let file = SocketFile { path: path.to_owned(), id };
    // The process's umask keeps other users out from the start; this removes the useless execute bit.
    fs::set_permissions(path, Permissions::from_mode(0o600)).map_err(failed)?;
    Ok(Bound { listener, path: Some(path.to_owned()), file: Some(file) })
}

/// Returns the socket that the service manager passed on, if it did.
///
/// # Errors
/// The descriptor is not a Unix socket.
pub(crate) fn inherit() -> io::Result<Option<Inherited>> {
    match listenfd::ListenFd::from_env().take_unix_listener(0)? {
        Some(listener) => Ok(Some(listener)),
        None => from_launchd(),
    }
}

#[cfg(target_os = "macos")]
fn from_launchd() -> io::Result<Option<Inherited>> {
    recall_os::system::launchd_listener(LAUNCHD_SOCKET)
}

#[cfg(not(target_os = "macos"))]
#[expect(clippy::unnecessary_wraps, reason = "the same function as on macOS")]
fn from_launchd() -> io::Result<Option<Inherited>> {
    Ok(None)
}

/// Takes over a listening socket that the service manager created.
///
/// # Errors
/// The socket cannot be registered with the runtime.
pub(crate) fn adopt(listener: UnixListener) -> Result<Bound, SocketError> {
    let path = path_of(&listener);
    let adopted = uds_local_socket::tokio::Listener::try_from(uds_local_socket::Listener::from(listener))
        .map_err(|source| SocketError::Adopt { source })?;
    Ok(Bound { listener: Listener::from(adopted), path, file: None })
}

/// Returns the path that a socket of the service manager listens on; `None` if it has none.
pub(crate) fn path_of(listener: &UnixListener) -> Option<PathBuf> {
    listener.local_addr().ok()?.as_pathname().map(ToOwned::to_owned)
}

/// Returns whether a process listens at the path.
pub(crate) fn is_live(path: &Path) -> bool {
    path.to_fs_name::<GenericFilePath>().and_then(Stream::connect).is_ok()
}

fn remove_stale(path: &Path) -> Result<(), SocketError> {
    let failed = |source| SocketError::Bind { path: path.to_owned(), source };
    let found = match fs::symlink_metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(failed(error)),
    };
    if !found.file_type().is_socket() {
        return Err(SocketError::NoSocket { path: path.to_owned() });
    }
    if is_live(path) {
        return Err(SocketError::Live { path: path.to_owned() });
    }
    fs::remove_file(path).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_stale_socket_is_replaced() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("recalld.sock");
        drop(UnixListener::bind(&path).expect("free"));
        assert!(path.exists(), "a closed listener leaves its socket behind");
        let listener = bind(&path).expect("nobody listens");
        assert!(is_live(&path));
        assert_eq!(fs::metadata(&path).expect("bound").permissions().mode() & 0o777, 0o600);
        drop(listener);
        assert!(!path.exists(), "the socket goes with its listener");
    }

    #[tokio::test]
    async fn the_socket_of_a_later_daemon_stays() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("recalld.sock");
        let earlier = bind(&path).expect("nobody listens");
        fs::remove_file(&path).expect("bound");
        let later = bind(&path).expect("nobody listens here");
        assert_ne!(earlier.file.as_ref().map(SocketFile::id), later.file.as_ref().map(SocketFile::id));
        drop(earlier);
        assert!(is_live(&path));
        drop(later);
        assert!(!path.exists());
    }

    #[tokio::test]
    async fn a_live_socket_is_never_replaced() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("recalld.sock");
        let _theirs = UnixListener::bind(&path).expect("free");
        assert!(matches!(bind(&path), Err(SocketError::Live { .. })));
        assert!(is_live(&path));
    }

    #[tokio::test]
    async fn a_file_in_the_way_is_left_alone() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("recalld.sock");
        fs::write(&path, "precious").expect("writable");
        assert!(matches!(bind(&path), Err(SocketError::NoSocket { .. })));
        assert_eq!(fs::read_to_string(&path).expect("still there"), "precious");
    }

    #[tokio::test]
    async fn a_path_that_is_too_long_for_the_kernel_is_rejected() {
        let path = PathBuf::from(format!("/tmp/{}/recalld.sock", "x".repeat(120)));
        assert!(matches!(bind(&path), Err(SocketError::PathTooLong { bytes: 138, .. })));
    }
}
