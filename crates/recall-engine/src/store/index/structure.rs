//! The cell that holds the graph of a store's documents.

use std::sync::Arc;
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use parking_lot::{Condvar, Mutex};

use crate::links::structure::Structure;

/// The graph of a store's documents. A background thread reads it again when it is out of date.
#[derive(Debug, Default)]
pub(super) struct StructureCell {
    current: ArcSwap<Structure>,
    reading: Mutex<ReadState>,
    ended: Condvar,
}

#[derive(Debug, Default)]
struct ReadState {
    is_running: bool,
    /// When the last read ended, and how long it took.
    last: Option<(Instant, Duration)>,
}

/// The pause after a long read of the graph, in multiples of its duration, so that reads take at most a twentieth of the time.
const REST: u32 = 20;

/// A graph that is read faster than this is read for every generation.
const SHORT: Duration = Duration::from_millis(250);

/// Which thread reads the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::store) enum ReadTurn {
    /// The caller.
    Taken,
    /// Another thread is reading it.
    Others,
    /// None for now: the last read took long and ended recently.
    Resting,
}

impl StructureCell {
    /// Returns the last graph that was read.
    pub(super) fn current(&self) -> Arc<Structure> {
        self.current.load_full()
    }

    pub(super) fn replace(&self, structure: Structure) {
        self.current.store(Arc::new(structure));
    }

    /// Takes the turn to read, unless another thread has it or a long read ended recently.
    pub(super) fn begin(&self) -> ReadTurn {
        let mut reading = self.reading.lock();
        if reading.is_running {
            return ReadTurn::Others;
        }
        if reading.last.is_some_and(|(ended, took)| took > SHORT && ended.elapsed() < took * REST) {
            return ReadTurn::Resting;
        }
        reading.is_running = true;
        ReadTurn::Taken
    }

    pub(super) fn end(&self, took: Duration) {
        *self.reading.lock() = ReadState { is_running: false, last: Some((Instant::now(), took)) };
        self.ended.notify_all();
    }

    /// Waits until no read is running; returns `false` if the deadline passes first.
    pub(super) fn wait(&self, deadline: Instant) -> bool {
        let mut reading = self.reading.lock();
        while reading.is_running && Instant::now() < deadline {
            self.ended.wait_until(&mut reading, deadline);
        }
        !reading.is_running && Instant::now() < deadline
    }
}
