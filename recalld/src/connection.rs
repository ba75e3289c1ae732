//! The connection of one client, which is closed when the client stops reading.
//!
//! Answers that are not read fill the daemon's memory. Two signs are watched: a write that makes no progress, because the socket is
//! full, and answers that stay unread although the socket takes every byte, because HTTP/2 holds them back. A client without unread
//! answers may be silent for as long as it likes.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use interprocess::local_socket::tokio::Stream;
use tokio::io::{AsyncRead, AsyncWrite, BufWriter, ReadBuf};
use tokio::time::{Instant, Sleep};
use tonic::transport::server::Connected;

use crate::activity::Presence;
use crate::places::{Caller, Place};

/// How long a closed connection waits for its client to close it too.
///
/// Closing a socket with unread input resets the connection, and the client loses an answer that it has not read yet.
const LINGER: Duration = Duration::from_millis(250);

/// The size of the write buffer. HTTP/2 writes the headers, the message and the trailers of an answer separately, and each
/// write wakes the client. Nearly every answer of ten hits fits and costs one write; larger ones bypass the buffer.
const GATHERED_BYTES: usize = 32 * 1024;

/// A connection. While it exists, its client counts as connected and holds one of the places for connections.
pub(crate) struct Connection<S = Stream> {
    stream: BufWriter<Watched<S>>,
    /// Runs while the client has not closed its side yet.
    lingering: Option<Pin<Box<Sleep>>>,
    /// Set while answers are unread.
    reading: Option<Reading>,
    /// How long answers may be unread without progress.
    patience: Duration,
    presence: Presence,
    place: Place,
}

impl<S: AsyncWrite + Unpin> Connection<S> {
    /// Wraps a stream whose peer was admitted.
    pub(crate) fn new(stream: S, patience: Duration, presence: Presence, place: Place) -> Self {
        let stream = BufWriter::with_capacity(GATHERED_BYTES, Watched { stream, patience, stalled: None });
        Self { stream, lingering: None, reading: None, patience, presence, place }
    }
}

/// The observed progress of a client that has unread answers.
struct Reading {
    /// The latest mark of its unread answers, and when it changed.
    mark: u64,
    since: Instant,
    /// Ends when the mark is to be checked again.
    next_check: Pin<Box<Sleep>>,
}

/// How often the progress of a client is checked. Writes alone do not show it: the client's HTTP/2 window may hold answers
/// back while the socket accepts every byte.
const READING_INTERVAL: Duration = Duration::from_secs(1);

impl<S> Connection<S> {
    /// Fails when answers have been unread for too long without progress.
    fn watch_reading(&mut self, cx: &mut Context<'_>) -> io::Result<()> {
        let unread = &self.presence.caller().unread;
        loop {
            let Some(reading) = &mut self.reading else {
                let Some(mark) = unread.mark_or_wake(cx.waker()) else { return Ok(()) };
                let next_check = Box::pin(tokio::time::sleep(READING_INTERVAL));
                self.reading = Some(Reading { mark, since: Instant::now(), next_check });
                continue;
            };
            if reading.next_check.as_mut().poll(cx).is_pending() {
                return Ok(());
            }
            let now = Instant::now();
            match unread.mark() {
                None => {
                    self.reading = None;
                    continue;
                }
                Some(mark) if mark != reading.mark => (reading.mark, reading.since) = (mark, now),
                Some(_) if now - reading.since >= unread.patience(self.patience) => {
                    return Err(io::Error::new(io::ErrorKind::TimedOut, "the client does not read its answers"));
                }
                Some(_) => {}
            }
            reading.next_check.as_mut().reset(now + READING_INTERVAL);
        }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Connection<S> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        // The transport polls for reads on every event, including a new answer, so this check runs often enough.
        this.watch_reading(cx)?;
        let read = Pin::new(&mut this.stream).poll_read(cx, buf);
        this.place.watch(cx, read)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Connection<S> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write(cx, buf)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(Pin::new(&mut this.stream).poll_shutdown(cx))?;
        let lingering = this.lingering.get_or_insert_with(|| Box::pin(tokio::time::sleep(LINGER)));
        loop {
            if lingering.as_mut().poll(cx).is_ready() {
                return Poll::Ready(Ok(()));
            }
            let mut unread = [0; 1024];
            let mut unread = ReadBuf::new(&mut unread);
            let read = ready!(Pin::new(&mut this.stream).poll_read(cx, &mut unread));
            if read.is_err() || unread.filled().is_empty() {
                return Poll::Ready(Ok(()));
            }
        }
    }
}

/// A stream whose writes fail if they make no progress for too long.
struct Watched<S> {
    stream: S,
    /// How long a write may make no progress.
    patience: Duration,
    /// Runs while a write makes no progress.
    stalled: Option<Pin<Box<Sleep>>>,
}

impl<S> Watched<S> {
    /// Starts the timer when a write makes no progress, stops it when one does, and fails when it has run out.
    fn watch<T>(&mut self, cx: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let patience = self.patience;
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(tokio::time::sleep(patience)));
        match stalled.as_mut().poll(cx) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(()) => Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the client does not read"))),
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Watched<S> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_read(cx, buf)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Watched<S> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.stream).poll_write(cx, buf);
        this.watch(cx, written)
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(cx)
    }
}

impl<S> Connected for Connection<S> {
    type ConnectInfo = Caller;

    fn connect_info(&self) -> Caller {
        self.presence.caller().clone()
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZero;
    use std::sync::Arc;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio_util::sync::CancellationToken;

    use super::*;
    use crate::activity::Activity;
    use crate::places::Places;

    type Pair = (Connection<tokio::io::DuplexStream>, tokio::io::DuplexStream);

    async fn connection(capacity_bytes: usize) -> Pair {
        connect(capacity_bytes).await.0
    }

    /// A connection over which a call was made.
    async fn calling_connection(capacity_bytes: usize) -> Pair {
        let (pair, places) = connect(capacity_bytes).await;
        drop(places.call(pair.0.presence.client()));
        pair
    }

    async fn connect(capacity_bytes: usize) -> (Pair, Arc<Places>) {
        let (ours, theirs) = tokio::io::duplex(capacity_bytes);
        let presence = Activity::default().enter();
        let places = Places::new(NonZero::<usize>::MIN, Duration::from_secs(5), CancellationToken::new());
        let place = places.enter(presence.client()).await;
        ((Connection::new(ours, Duration::from_secs(30), presence, place), theirs), places)
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_without_a_call_ends_as_if_its_client_had_closed_it() {
        let (mut ours, mut theirs) = connection(64).await;
        theirs.write_all(b"PRI * HTTP/2.0").await.expect("there is room");
        let mut read = Vec::new();
        ours.read_to_end(&mut read).await.expect("an orderly end");
        assert_eq!(read, b"PRI * HTTP/2.0");
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_never_reads_is_disconnected() {
        let (mut ours, _theirs) = connection(4).await;
        ours.write_all(b"more than four").await.expect("there is room");
        let error = ours.flush().await.expect_err("nobody reads");
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_reader_is_not_disconnected() {
        let (mut ours, mut theirs) = connection(1).await;
        let reader = tokio::spawn(async move {
            let mut read = Vec::new();
            for _ in 0..4 {
                tokio::time::sleep(Duration::from_secs(20)).await;
                read.push(theirs.read_u8().await.expect("the writer waits"));
            }
            read
        });
        ours.write_all(b"slow").await.expect("there is room");
        ours.flush().await.expect("each byte comes in time");
        assert_eq!(reader.await.expect("no panic"), b"slow");
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_whose_window_holds_answers_back_is_disconnected() {
        let (mut ours, _theirs) = calling_connection(64).await;
        let unread = ours.presence.caller().unread.clone();
        let began = tokio::time::Instant::now();
        let reading = tokio::spawn(async move { ours.read_u8().await });
        // The client reads a little before it stops.
        let answer = unread.buffer();
        tokio::time::sleep(Duration::from_secs(20)).await;
        unread.advance();
        let error = reading.await.expect("no panic").expect_err("nobody reads");
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        let waited = began.elapsed().as_secs();
        assert!((50..=52).contains(&waited), "given up after {waited} s");
        drop(answer);
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_without_unread_answers_may_be_silent() {
        let (mut ours, mut theirs) = calling_connection(64).await;
        drop(ours.presence.caller().unread.buffer());
        let reading = tokio::spawn(async move { ours.read_u8().await });
        tokio::time::sleep(Duration::from_hours(1)).await;
        theirs.write_u8(7).await.expect("the connection is there");
        assert_eq!(reading.await.expect("no panic").expect("a byte"), 7);
    }

    #[tokio::test(start_paused = true)]
    async fn a_closed_connection_waits_a_little_for_its_client() {
        for (client_closes_after, expected) in [(Duration::from_millis(100), 100), (Duration::from_secs(9), 250)] {
            let (mut ours, mut theirs) = connection(64).await;
            theirs.write_all(b"nobody reads this").await.expect("there is room");
            let client = tokio::spawn(async move {
                tokio::time::sleep(client_closes_after).await;
                drop(theirs);
            });
            let began = tokio::time::Instant::now();
            ours.shutdown().await.expect("closed in order");
            assert_eq!(began.elapsed().as_millis(), expected);
            client.abort();
        }
    }
}
