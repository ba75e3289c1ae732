//! A bound on the text that waits to be indexed.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Counts the bytes of documents from [`acquire`](Self::acquire) to the drop of their [`Permit`], and blocks callers while
/// the limit is exceeded. tantivy bounds its queue by the number of documents, which does not bound memory.
#[derive(Clone, Debug)]
pub(crate) struct ByteSemaphore {
    state: Arc<SemaphoreState>,
}

#[derive(Debug)]
struct SemaphoreState {
    limit_bytes: usize,
    used_bytes: Mutex<usize>,
    freed: Condvar,
}

impl ByteSemaphore {
    /// Creates a bound of `limit_bytes`.
    pub(crate) fn new(limit_bytes: usize) -> Self {
        Self { state: Arc::new(SemaphoreState { limit_bytes, used_bytes: Mutex::new(0), freed: Condvar::new() }) }
    }

    /// Waits until the bytes fit, or nothing else is in flight.
    pub(crate) fn acquire(&self, bytes: usize) -> Permit {
        let used = self.state.lock_used();
        let mut used = self
            .state
            .freed
            .wait_while(used, |used| *used > 0 && *used + bytes > self.state.limit_bytes)
            .unwrap_or_else(PoisonError::into_inner);
        *used += bytes;
        Permit { state: Arc::clone(&self.state), bytes }
    }
}

impl SemaphoreState {
    fn lock_used(&self) -> MutexGuard<'_, usize> {
        self.used_bytes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The reservation of a document in flight. Released on drop.
#[derive(Debug)]
pub(crate) struct Permit {
    state: Arc<SemaphoreState>,
    bytes: usize,
}

impl Drop for Permit {
    fn drop(&mut self) {
        *self.state.lock_used() -= self.bytes;
        self.state.freed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_document_that_does_not_fit_waits_for_room() {
        let semaphore = ByteSemaphore::new(10);
        let first = semaphore.acquire(8);
        let (sender, receiver) = mpsc::channel();
        let second = semaphore.clone();
        let waiter = std::thread::spawn(move || {
            let permit = second.acquire(3);
            sender.send(()).expect("the test listens");
            drop(permit);
        });
        assert!(receiver.recv_timeout(Duration::from_millis(50)).is_err(), "acquired beyond the limit");
        drop(first);
        receiver.recv_timeout(Duration::from_secs(10)).expect("acquired once there is room");
        waiter.join().expect("no panic");
    }

    #[test]
    fn a_document_beyond_the_limit_passes_alone() {
        let semaphore = ByteSemaphore::new(10);
        let (sender, receiver) = mpsc::channel();
        let passing = semaphore.clone();
        std::thread::spawn(move || {
            drop(passing.acquire(100));
            sender.send(passing.acquire(100)).expect("the test listens");
        });
        let permit = receiver.recv_timeout(Duration::from_secs(10)).expect("nothing else is in flight");
        assert_eq!(*semaphore.state.lock_used(), 100);
        drop(permit);
        assert_eq!(*semaphore.state.lock_used(), 0);
    }
}
