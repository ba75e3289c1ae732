//! The generation that searches see.

use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use recall_core::Generation;

/// The generation that searches see, and a way to wait for the next one.
///
/// The catalog commits a generation before the lexical index does. A search that gets a row from the lexical index which the
/// catalog no longer has waits here until both have the same generation.
#[derive(Debug)]
pub(crate) struct GenerationGate {
    generation: Mutex<Generation>,
    changed: Condvar,
}

impl GenerationGate {
    pub(crate) fn new(generation: Generation) -> Self {
        Self { generation: Mutex::new(generation), changed: Condvar::new() }
    }

    /// Publishes a generation and wakes those who wait for it.
    pub(crate) fn publish(&self, generation: Generation) {
        *self.generation.lock() = generation;
        self.changed.notify_all();
    }

    /// Waits until the generation is published; returns whether that was before the timeout.
    pub(crate) fn wait_for(&self, generation: Generation, patience: Duration) -> bool {
        let deadline = Instant::now() + patience;
        let mut published = self.generation.lock();
        while *published < generation {
            if self.changed.wait_until(&mut published, deadline).timed_out() {
                return *published >= generation;
            }
        }
        true
    }
}
