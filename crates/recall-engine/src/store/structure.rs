//! Is the graph of the documents up to them?

use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use parking_lot::{Condvar, Mutex};

use crate::links::structure::Structure;

/// The graph of a store's documents, read anew beside the queries when it is behind.
#[derive(Debug, Default)]
pub(crate) struct StructureCell {
    pub(super) current: ArcSwap<Structure>,
    reading: Mutex<Reading>,
    ended: Condvar,
}

#[derive(Debug, Default)]
struct Reading {
    is_running: bool,
    /// When the last reading ended, and how long it took.
    last: Option<(Instant, Duration)>,
}

/// Reading a graph that no search can wait for takes at most this part of the time: one second in twenty.
const REST: u32 = 20;

/// A reading that takes no longer is made for every generation.
const SHORT: Duration = Duration::from_millis(250);

/// Who reads the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// Whoever asked.
    Taken,
    /// Another thread, already.
    Others,
    /// Nobody for now: the last reading took long and ended a moment ago.
    Resting,
}

impl StructureCell {
    /// Takes the turn to read, if nobody has it and the last reading was short or long enough ago.
    pub(super) fn begin(&self) -> Turn {
        let mut reading = self.reading.lock();
        if reading.is_running {
            return Turn::Others;
        }
        if reading.last.is_some_and(|(ended, took)| took > SHORT && ended.elapsed() < took * REST) {
            return Turn::Resting;
        }
        reading.is_running = true;
        Turn::Taken
    }

    pub(super) fn end(&self, took: Duration) {
        *self.reading.lock() = Reading { is_running: false, last: Some((Instant::now(), took)) };
        self.ended.notify_all();
    }

    /// Waits until no reading runs; `false` if one still does at the deadline.
    pub(super) fn wait(&self, deadline: Instant) -> bool {
        let mut reading = self.reading.lock();
        while reading.is_running && Instant::now() < deadline {
            self.ended.wait_until(&mut reading, deadline);
        }
        !reading.is_running && Instant::now() < deadline
    }
}
