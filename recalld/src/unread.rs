//! The unread answers of one client: their size in bytes, and the client's progress.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::task::Waker;
use std::time::Duration;

use futures_util::task::AtomicWaker;
use recall_engine::{Budget, Permit};

/// How long a client may make no progress while other clients wait for the memory of its unread answers.
const PRESSING_PATIENCE: Duration = Duration::from_secs(3);

/// The unread answers of one connection. Clones share them.
#[derive(Clone, Debug)]
pub(crate) struct Unread(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    answers: Lane,
    texts: Lane,
    /// The number of buffers with answers that are not completely written.
    buffers: AtomicUsize,
    /// Counts the pieces that the connection has taken and the buffers that were freed.
    progress: AtomicU64,
    /// Wakes the connection when the first unread answer appears.
    begun: AtomicWaker,
}

impl Unread {
    /// Creates the counter of a connection with two budgets of its own, of `own_bytes` each, within those of all connections.
    pub(crate) fn new(own_bytes: u64, answers: Budget, texts: Budget) -> Self {
        let lane = |all| Lane { own: Budget::new(own_bytes), all };
        Self(Arc::new(Shared {
            answers: lane(answers),
            texts: lane(texts),
            buffers: AtomicUsize::new(0),
            progress: AtomicU64::new(0),
            begun: AtomicWaker::new(),
        }))
    }

    /// Waits until an answer of `bytes` fits.
    pub(crate) async fn admit_answer(&self, bytes: u64) -> Room {
        self.0.answers.admit(bytes).await
    }

    /// Waits until texts of `bytes` in an admitted answer fit.
    pub(crate) async fn admit_texts(&self, bytes: u64) -> Room {
        self.0.texts.admit(bytes).await
    }

    /// Returns a mark that changes with the client's progress; `None` while it has no unread answer.
    pub(crate) fn mark(&self) -> Option<u64> {
        (self.0.buffers.load(Ordering::SeqCst) > 0).then(|| self.0.progress.load(Ordering::Relaxed))
    }

    /// Returns the mark; if there is none, registers `waker` to be woken when there is.
    pub(crate) fn mark_or_wake(&self, waker: &Waker) -> Option<u64> {
        self.mark().or_else(|| {
            self.0.begun.register(waker);
            self.mark()
        })
    }

    /// Returns how long the client may make no progress: `patience`, or less if others wait for the memory.
    pub(crate) fn patience(&self, patience: Duration) -> Duration {
        let Shared { answers, texts, .. } = &*self.0;
        let is_short = [answers, texts].iter().any(|lane| lane.all.usage().waiting > 0);
        if is_short { patience.min(PRESSING_PATIENCE) } else { patience }
    }

    /// Records that the connection has taken a piece of an answer.
    pub(crate) fn advance(&self) {
        self.0.progress.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a buffer until the returned value is dropped.
    pub(crate) fn buffer(&self) -> Buffered {
        if self.0.buffers.fetch_add(1, Ordering::SeqCst) == 0 {
            self.0.begun.wake();
        }
        Buffered(self.clone())
    }
}

/// The budget of one connection and the one that all connections share.
#[derive(Debug)]
struct Lane {
    own: Budget,
    all: Budget,
}

impl Lane {
    /// Waits for the budget of the connection, then for the shared one. In this order a client that does not read waits only
    /// for itself, and does not enter the queue of the others.
    async fn admit(&self, bytes: u64) -> Room {
        let own = self.own.acquire(bytes).await;
        let all = self.all.acquire(bytes).await;
        Room { own, all }
    }
}

/// A reservation for an answer or a part of one.
#[derive(Debug)]
pub(crate) struct Room {
    own: Permit,
    all: Permit,
}

impl Room {
    /// Returns the reserved bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.all.bytes()
    }

    /// Changes the reservation to `bytes`.
    pub(crate) fn resize(&mut self, bytes: u64) {
        self.own.resize(bytes);
        self.all.resize(bytes);
    }
}

/// The count of one buffer with a part of an answer.
#[derive(Debug)]
pub(crate) struct Buffered(Unread);

impl Drop for Buffered {
    fn drop(&mut self) {
        self.0.0.buffers.fetch_sub(1, Ordering::SeqCst);
        self.0.advance();
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[test]
    fn a_client_that_does_not_read_waits_only_for_itself() {
        let (answers, texts) = (Budget::new(100), Budget::new(100));
        let new = || Unread::new(10, answers.clone(), texts.clone());
        let (lazy, other) = (new(), new());
        let _first = lazy.admit_answer(10).now_or_never().expect("there is room");
        assert!(lazy.admit_answer(1).now_or_never().is_none());
        assert!(other.admit_answer(10).now_or_never().is_some());
        assert_eq!(answers.usage().waiting, 0);
    }

    #[test]
    fn there_is_a_mark_while_an_answer_is_unread() {
        let unread = Unread::new(10, Budget::new(10), Budget::new(10));
        assert_eq!(unread.mark(), None);
        let first = unread.buffer();
        let before = unread.mark().expect("a buffer is unread");
        unread.advance();
        assert_ne!(unread.mark(), Some(before));
        drop(first);
        assert_eq!(unread.mark(), None);
    }

    #[tokio::test]
    async fn patience_is_short_while_others_wait_for_memory() {
        let patience = Duration::from_secs(30);
        let (answers, texts) = (Budget::new(10), Budget::new(10));
        let unread = Unread::new(10, answers.clone(), texts);
        let _room = unread.admit_answer(10).await;
        assert_eq!(unread.patience(patience), patience);
        let mut waiting = Box::pin(answers.acquire(1));
        assert!((&mut waiting).now_or_never().is_none());
        assert_eq!(unread.patience(patience), PRESSING_PATIENCE);
    }
}
