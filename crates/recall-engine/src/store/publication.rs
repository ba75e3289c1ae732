//! Which generation do searches see?

use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use recall_core::Generation;

/// The generation that searches see, and a way to wait for the next one.
///
/// The catalog commits a generation first and the lexical index follows; a search that meets a row of the lexical
/// index which the catalog no longer has waits here for the two to agree.
#[derive(Debug)]
pub(crate) struct Publication {
    generation: Mutex<Generation>,
    changed: Condvar,
}

impl Publication {
    pub(crate) fn new(generation: Generation) -> Self {
        Self { generation: Mutex::new(generation), changed: Condvar::new() }
    }

    /// Says that searches see the generation from here on.
    pub(crate) fn publish(&self, generation: Generation) {
        *self.generation.lock() = generation;
        self.changed.notify_all();
    }

    /// Waits until the generation is published; tells whether it was in time.
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
