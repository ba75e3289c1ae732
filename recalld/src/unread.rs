//! The answers that one client has not read yet, in bytes, and whether it reads on.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::task::Waker;
use std::time::Duration;

use futures_util::task::AtomicWaker;
use recall_engine::{Budget, Permit};

/// How long a client may read nothing of its answers while other clients wait for the memory that these take.
const PRESSING_PATIENCE: Duration = Duration::from_secs(3);

/// The unread answers of one connection. Clones share them.
#[derive(Clone, Debug)]
pub(crate) struct Unread(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    answers: Lane,
    texts: Lane,
    /// How many pieces of memory hold answers that were not written to the end.
    buffers: AtomicUsize,
    /// Grows with every piece of an answer that the connection takes on, and with every buffer that is gone.
    progress: AtomicU64,
    /// Wakes the connection when there is something to read.
    begun: AtomicWaker,
}

impl Unread {
    /// Counts against the budgets of one connection, of `own_bytes` each, and against those of all connections.
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

    /// Waits until an answer of that many bytes fits.
    pub(crate) async fn admit_answer(&self, bytes: u64) -> Room {
        self.0.answers.admit(bytes).await
    }

    /// Waits until the texts of an answer that was admitted fit.
    pub(crate) async fn admit_texts(&self, bytes: u64) -> Room {
        self.0.texts.admit(bytes).await
    }

    /// A mark that changes whenever the client reads on; `None` while it has nothing to read.
    pub(crate) fn mark(&self) -> Option<u64> {
        (self.0.buffers.load(Ordering::SeqCst) > 0).then(|| self.0.progress.load(Ordering::Relaxed))
    }

    /// The mark, or a promise to wake when there is one.
    pub(crate) fn mark_or_wake(&self, waker: &Waker) -> Option<u64> {
        self.mark().or_else(|| {
            self.0.begun.register(waker);
            self.mark()
        })
    }

    /// How long the client may read nothing: `patience`, or less if others wait for the memory.
    pub(crate) fn patience(&self, patience: Duration) -> Duration {
        let Shared { answers, texts, .. } = &*self.0;
        let is_short = [answers, texts].iter().any(|lane| lane.all.usage().waiting > 0);
        if is_short { patience.min(PRESSING_PATIENCE) } else { patience }
    }

    /// Notes that the connection has taken on a piece of an answer.
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

/// A budget of one connection within that of all.
#[derive(Debug)]
struct Lane {
    own: Budget,
    all: Budget,
}

impl Lane {
    /// Waits for room among the answers of the connection, then among all. In this order a client that does not read waits
    /// for itself, and takes no place in the queue of the others.
    async fn admit(&self, bytes: u64) -> Room {
        let own = self.own.acquire(bytes).await;
        let all = self.all.acquire(bytes).await;
        Room { own, all }
    }
}

/// Room for an answer, or a part of one.
#[derive(Debug)]
pub(crate) struct Room {
    own: Permit,
    all: Permit,
}

impl Room {
    /// How many bytes of all answers it has.
    pub(crate) fn bytes(&self) -> u64 {
        self.all.bytes()
    }

    /// Takes note of what is really there.
    pub(crate) fn resize(&mut self, bytes: u64) {
        self.own.resize(bytes);
        self.all.resize(bytes);
    }
}

/// A buffer that holds a part of an answer.
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
    fn a_client_that_does_not_read_waits_for_itself() {
        let (answers, texts) = (Budget::new(100), Budget::new(100));
        let new = || Unread::new(10, answers.clone(), texts.clone());
        let (lazy, other) = (new(), new());
        let _first = lazy.admit_answer(10).now_or_never().expect("there is room");
        assert!(lazy.admit_answer(1).now_or_never().is_none());
        assert!(other.admit_answer(10).now_or_never().is_some());
        assert_eq!(answers.usage().waiting, 0);
    }

    #[test]
    fn a_mark_is_there_while_something_is_unread() {
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
