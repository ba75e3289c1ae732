//! Where do clients come in?
//!
//! The directory is prepared before, so that nobody else reaches into it.
//! Only whoever holds the daemon's lock may call [`bind`]: the lock is what makes it safe to remove a stale socket.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::{Path, PathBuf};

use interprocess::local_socket::tokio::Listener;
use interprocess::local_socket::traits::Stream as _;
use interprocess::local_socket::{GenericFilePath, ListenerOptions, Stream, ToFsName};
use interprocess::os::unix::uds_local_socket;

/// The longest path of a socket: the kernel's `sun_path` is 108 bytes on Linux and 104 on the BSDs, with a NUL at its end.
const MAX_PATH_BYTES: usize = if cfg!(target_os = "linux") { 107 } else { 103 };

/// Listens at a path. A stale socket there is replaced, a live one never. Removes the socket when it is dropped.
///
/// Takes effect inside a tokio runtime.
///
/// # Errors
/// Somebody listens there, something that is no socket stands there, the path is too long, or the system refuses.
pub(crate) fn bind(path: &Path) -> Result<Listener, SocketError> {
    let bytes = path.as_os_str().len();
    if bytes > MAX_PATH_BYTES {
        return Err(SocketError::PathTooLong { path: path.to_owned(), bytes, most: MAX_PATH_BYTES });
    }
    remove_stale(path)?;
    let failed = |source| SocketError::Bind { path: path.to_owned(), source };
    let name = path.to_fs_name::<GenericFilePath>().map_err(failed)?;
    let listener = ListenerOptions::new().name(name).create_tokio().map_err(failed)?;
    // The process's umask keeps others out from the first moment; this takes away the useless execute bit.
    fs::set_permissions(path, Permissions::from_mode(0o600)).map_err(failed)?;
    Ok(listener)
}

/// Takes over a listening socket that the service manager made.
///
/// # Errors
/// The socket cannot be registered with the runtime.
pub(crate) fn adopt(listener: std::os::unix::net::UnixListener) -> Result<Listener, SocketError> {
    let adopted = uds_local_socket::tokio::Listener::try_from(uds_local_socket::Listener::from(listener))
        .map_err(|source| SocketError::Adopt { source })?;
    Ok(Listener::from(adopted))
}

/// Whether somebody listens at the path.
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

/// The daemon cannot listen.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SocketError {
    /// The kernel has no room for the path.
    #[error("the socket's path `{}` is {bytes} bytes long, the system allows {most}", path.display())]
    PathTooLong {
        /// The path.
        path: PathBuf,
        /// Its length.
        bytes: usize,
        /// The longest that the system allows.
        most: usize,
    },
    /// Something that is no socket stands there.
    #[error("`{}` is in the way: it is no socket", path.display())]
    NoSocket {
        /// The path.
        path: PathBuf,
    },
    /// Somebody listens there without holding the lock.
    #[error("another process listens on `{}`", path.display())]
    Live {
        /// The path.
        path: PathBuf,
    },
    /// The system refuses.
    #[error("cannot listen on `{}`", path.display())]
    Bind {
        /// The path.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The service manager's socket cannot be used.
    #[error("cannot take over the socket of the service manager")]
    Adopt {
        /// Why.
        #[source]
        source: io::Error,
    },
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;

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
    async fn a_path_that_the_kernel_has_no_room_for_is_named() {
        let path = PathBuf::from(format!("/tmp/{}/recalld.sock", "x".repeat(120)));
        assert!(matches!(bind(&path), Err(SocketError::PathTooLong { bytes: 138, .. })));
    }
}
