//! The listening socket on Windows: a named pipe that only this user may open, and only on this machine.

use std::convert::Infallible;
use std::io;
use std::path::{Path, PathBuf};

use interprocess::local_socket::tokio::Listener;
use interprocess::local_socket::traits::Stream as _;
use interprocess::local_socket::{GenericFilePath, ListenerOptions, Stream, ToFsName};
use interprocess::os::windows::local_socket::ListenerOptionsExt as _;
use interprocess::os::windows::security_descriptor::SecurityDescriptor;
use widestring::U16CString;

use super::SocketError;

/// A listening socket that the service manager passed on. Windows has no such thing.
pub(crate) type Inherited = Infallible;

/// A listening pipe.
pub(crate) struct Bound {
    /// The listener that accepts connections.
    pub(crate) listener: Listener,
    /// The path that it listens on.
    pub(crate) path: Option<PathBuf>,
    /// A pipe has no file; it ends with its process.
    pub(crate) file: Option<SocketFile>,
}

/// The file of a socket, which a pipe does not have.
#[derive(Debug)]
pub(crate) enum SocketFile {}

impl SocketFile {
    /// Returns the identity of the file.
    pub(crate) fn id(&self) -> FileId {
        match *self {}
    }
}

/// The identity of a pipe. Nobody can delete it while its process listens, so there is only one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileId;

impl FileId {
    /// Returns the identity of the pipe that this process listens on.
    #[expect(clippy::unnecessary_wraps, reason = "on Unix there may be no file")]
    pub(crate) fn at(_path: &Path) -> Option<Self> {
        Some(Self)
    }
}

/// Listens on a pipe of this name. Connections from other machines are refused by the system.
///
/// Must be called within a tokio runtime.
///
/// # Errors
/// Another process listens there, or the system refuses.
pub(crate) fn bind(path: &Path) -> Result<Bound, SocketError> {
    let failed = |source: io::Error| match source.kind() {
        // The first instance of a pipe cannot be made while another process has one of that name.
        io::ErrorKind::PermissionDenied | io::ErrorKind::AlreadyExists => SocketError::Live { path: path.to_owned() },
        _ => SocketError::Bind { path: path.to_owned(), source },
    };
    let refused = |source| SocketError::Bind { path: path.to_owned(), source };
    let name = path.to_fs_name::<GenericFilePath>().map_err(refused)?;
    let listener = ListenerOptions::new().name(name).security_descriptor(access().map_err(refused)?);
    let listener = listener.create_tokio().map_err(failed)?;
    Ok(Bound { listener, path: Some(path.to_owned()), file: None })
}

/// Returns the access list of the pipe: full access for this user, none for anybody else.
fn access() -> io::Result<SecurityDescriptor> {
    let user = recall_config::user_of(std::process::id())
        .ok_or_else(|| io::Error::other("the system does not say which user this process runs as"))?;
    let list = U16CString::from_str(access_list(&user)).map_err(io::Error::other)?;
    SecurityDescriptor::deserialize(&list)
}

/// The access list in the security descriptor definition language: protected, so that nothing is inherited.
fn access_list(user: &str) -> String {
    format!("D:P(A;;GA;;;{user})")
}

/// Returns the socket that the service manager passed on: none.
#[expect(clippy::unnecessary_wraps, reason = "the same function as on Unix")]
pub(crate) fn inherit() -> io::Result<Option<Inherited>> {
    Ok(None)
}

/// Takes over a listening socket that the service manager created.
pub(crate) fn adopt(listener: Inherited) -> Result<Bound, SocketError> {
    match listener {}
}

/// Returns the path that a socket of the service manager listens on.
pub(crate) fn path_of(listener: &Inherited) -> Option<PathBuf> {
    match *listener {}
}

/// Returns whether a process listens at the path.
pub(crate) fn is_live(path: &Path) -> bool {
    path.to_fs_name::<GenericFilePath>().and_then(Stream::connect).is_ok()
}
