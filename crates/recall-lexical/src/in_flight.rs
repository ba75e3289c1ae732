//! A bound on the text that waits to be indexed.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Counts the bytes of documents from [`admit`](Self::admit) to the drop of their [`Ticket`], and blocks callers while
/// the limit is exceeded. tantivy bounds its queue by the number of documents, which does not bound memory.
#[derive(Clone, Debug)]
pub(crate) struct InFlight {
    gate: Arc<Gate>,
}

#[derive(Debug)]
struct Gate {
    limit_bytes: usize,
    waiting_bytes: Mutex<usize>,
    left: Condvar,
}

impl InFlight {
    /// Creates a bound of `limit_bytes`.
    pub(crate) fn new(limit_bytes: usize) -> Self {
        Self { gate: Arc::new(Gate { limit_bytes, waiting_bytes: Mutex::new(0), left: Condvar::new() }) }
    }

    /// Waits until the bytes fit, or nothing else is in flight.
    pub(crate) fn admit(&self, bytes: usize) -> Ticket {
        let waiting = self.gate.waiting();
        let mut waiting = self
            .gate
            .left
            .wait_while(waiting, |waiting| *waiting > 0 && *waiting + bytes > self.gate.limit_bytes)
            .unwrap_or_else(PoisonError::into_inner);
        *waiting += bytes;
        Ticket { gate: Arc::clone(&self.gate), bytes }
    }
}

impl Gate {
    fn waiting(&self) -> MutexGuard<'_, usize> {
        self.waiting_bytes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The reservation of a document in flight. Released on drop.
#[derive(Debug)]
pub(crate) struct Ticket {
    gate: Arc<Gate>,
    bytes: usize,
}

impl Drop for Ticket {
    fn drop(&mut self) {
        *self.gate.waiting() -= self.bytes;
        self.gate.left.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_document_that_does_not_fit_waits_for_room() {
        let in_flight = InFlight::new(10);
        let first = in_flight.admit(8);
        let (sender, receiver) = mpsc::channel();
        let second = in_flight.clone();
        let waiter = std::thread::spawn(move || {
            let ticket = second.admit(3);
            sender.send(()).expect("the test listens");
            drop(ticket);
        });
        assert!(receiver.recv_timeout(Duration::from_millis(50)).is_err(), "admitted beyond the limit");
        drop(first);
        receiver.recv_timeout(Duration::from_secs(10)).expect("admitted once there is room");
        waiter.join().expect("no panic");
    }

    #[test]
    fn a_document_beyond_the_limit_passes_alone() {
        let in_flight = InFlight::new(10);
        drop(in_flight.admit(100));
        drop(in_flight.admit(100));
    }
}
