//! How a server asks for the password, and the end of a connection whose server would see it.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// How a server may ask for the password.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Authentication {
    /// By SCRAM, which shows it to nobody, or not at all.
    #[default]
    Scram,
    /// By any method, also for the password itself.
    Any,
}

/// The length of a message of the server with its type, its length and the method of authentication.
const METHOD_BYTES: usize = 9;

/// A stream from a server that ends with an error if the server asks for the password in a form that shows it.
///
/// The first message decides: after it the client has answered. A client acts on a whole message only, so it never sees the one that
/// ends the stream.
pub(super) struct PasswordGuard<S> {
    pub(super) stream: S,
    head: Vec<u8>,
    authentication: Authentication,
}

impl<S> PasswordGuard<S> {
    pub(super) fn new(stream: S, authentication: Authentication) -> Self {
        Self { stream, head: Vec::with_capacity(METHOD_BYTES), authentication }
    }

    /// Looks at what has arrived, until the method of authentication is known.
    fn check(&mut self, arrived: &[u8]) -> io::Result<()> {
        let missing = METHOD_BYTES - self.head.len();
        if missing == 0 || self.authentication == Authentication::Any {
            return Ok(());
        }
        self.head.extend_from_slice(&arrived[..missing.min(arrived.len())]);
        match self.head[..] {
            [b'R', _, _, _, _, 0, 0, 0, 3] => Err(ShownPassword::Plain.into()),
            [b'R', _, _, _, _, 0, 0, 0, 5] => Err(ShownPassword::Hashed.into()),
            _ => Ok(()),
        }
    }
}

/// A server asked for the password in a form that shows it.
#[derive(Clone, Copy, Debug, thiserror::Error)]
pub(super) enum ShownPassword {
    /// As it is.
    #[error(
        "the server asks for the password itself, which is not sent; let it use SCRAM, or set `authentication = \"any\"`"
    )]
    Plain,
    /// As an MD5 hash, from which it can be guessed.
    #[error(
        "the server asks for an MD5 hash of the password, which is not sent; let it use SCRAM, or set `authentication = \"any\"`"
    )]
    Hashed,
}

impl From<ShownPassword> for io::Error {
    fn from(shown: ShownPassword) -> Self {
        Self::new(io::ErrorKind::PermissionDenied, shown)
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for PasswordGuard<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        Poll::Ready(self.check(&buffer.filled()[before..]))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for PasswordGuard<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns whether a stream of messages is ended, if it arrives in parts of a size.
    fn is_ended(authentication: Authentication, message: &[u8], part: usize) -> bool {
        let mut guarded = PasswordGuard::new((), authentication);
        message.chunks(part).any(|part| guarded.check(part).is_err())
    }

    #[test]
    fn a_server_that_asks_for_a_shown_password_gets_no_answer() {
        let message = |method: u8| [b'R', 0, 0, 0, 8, 0, 0, 0, method, b'x', b'R', 0, 0, 0, 8, 0, 0, 0, 3];
        for (method, expected) in [(0, false), (3, true), (5, true), (10, false)] {
            for part in [1, 4, 9, 100] {
                assert_eq!(is_ended(Authentication::Scram, &message(method), part), expected, "{method} {part}");
                assert!(!is_ended(Authentication::Any, &message(method), part));
            }
        }
        assert!(!is_ended(Authentication::Scram, b"E\0\0\0\x08\0\0\0\x03", 3), "another message");
    }
}
