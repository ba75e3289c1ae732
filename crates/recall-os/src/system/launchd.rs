//! Sockets on which launchd listens for a program.

use std::io;
use std::os::fd::FromRawFd as _;
use std::os::unix::net::UnixListener;

/// Takes over the socket of that name in the agent's property list; `None` if launchd did not start this process, or has no such
/// socket.
///
/// # Errors
/// The socket was taken over before.
#[expect(unsafe_code, reason = "descriptors are numbers in the interface of launchd")]
pub fn launchd_listener(name: &str) -> io::Result<Option<UnixListener>> {
    let descriptors = match raunch::activate_socket(name) {
        Ok(descriptors) => descriptors,
        Err(raunch::Error::NotManaged | raunch::Error::NotInPlist) => return Ok(None),
        Err(error) => return Err(io::Error::other(error)),
    };
    // SAFETY: launchd gives each descriptor to this process once, and nothing else in it owns it.
    let mut listeners = descriptors.into_iter().map(|descriptor| unsafe { UnixListener::from_raw_fd(descriptor) });
    // The property list has one path, so there is one socket; others would be closed here.
    let listener = listeners.next();
    listener.iter().try_for_each(|listener| listener.set_nonblocking(true))?;
    Ok(listener)
}
