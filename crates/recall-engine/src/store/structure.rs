//! Is the graph of the documents up to them?

use std::sync::Arc;
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use parking_lot::{Condvar, Mutex};

use super::Store;
use crate::error::StoreError;
use crate::graph::links;
use crate::structure::Structure;

/// The graph of a store's documents, read anew beside the queries when it is behind.
#[derive(Debug, Default)]
pub(crate) struct StructureCell {
    current: ArcSwap<Structure>,
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
enum Turn {
    /// Whoever asked.
    Taken,
    /// Another thread, already.
    Others,
    /// Nobody for now: the last reading took long and ended a moment ago.
    Resting,
}

/// Whether the graph is that of the documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StructureWait {
    /// It is.
    Over,
    /// It was not in time.
    InVain,
}

impl Store {
    /// The graph as it is.
    pub(crate) fn structure(&self) -> Arc<Structure> {
        self.structure.current.load_full()
    }

    /// Has the graph read anew when it is behind the documents, unless that is to rest.
    pub(crate) fn follow_structure(self: &Arc<Self>) {
        if !self.is_structure_current() && self.structure.begin() == Turn::Taken {
            self.read_structure_soon();
        }
    }

    /// Waits until the graph is that of the documents, so that the first search ranks by it as the next one does.
    pub(crate) fn wait_for_structure(self: &Arc<Self>, patience: Duration) -> StructureWait {
        let deadline = Instant::now() + patience;
        while !self.is_structure_current() && !self.holds_nothing() {
            match self.structure.begin() {
                Turn::Taken => self.read_structure_soon(),
                Turn::Others => {}
                Turn::Resting => return StructureWait::InVain,
            }
            if !self.structure.wait(deadline) {
                return StructureWait::InVain;
            }
        }
        StructureWait::Over
    }

    fn is_structure_current(&self) -> bool {
        self.structure().generation >= self.lexical.generation()
    }

    /// Reads the graph, and shows it to queries.
    pub(crate) fn read_structure(&self) -> Result<(), StoreError> {
        let structure = self.read(|snapshot| Ok(Structure::new(snapshot.generation(), links(snapshot)?)))?;
        self.structure.current.store(Arc::new(structure));
        Ok(())
    }

    fn read_structure_soon(self: &Arc<Self>) {
        let (store, working) = (Arc::clone(self), self.background.begin());
        let thread = std::thread::Builder::new().name("structure".to_owned()).spawn(move || {
            let began = Instant::now();
            if let Err(error) = store.read_structure() {
                tracing::warn!(root = %store.root.display(), %error, "the graph of the documents was not read");
            }
            store.structure.end(began.elapsed());
            drop(store);
            drop(working);
        });
        if let Err(error) = thread {
            self.structure.end(Duration::ZERO);
            tracing::warn!(%error, "no thread to read the graph of the documents");
        }
    }
}

impl StructureCell {
    /// Takes the turn to read, if nobody has it and the last reading was short or long enough ago.
    fn begin(&self) -> Turn {
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

    fn end(&self, took: Duration) {
        *self.reading.lock() = Reading { is_running: false, last: Some((Instant::now(), took)) };
        self.ended.notify_all();
    }

    /// Waits until no reading runs; `false` if one still does at the deadline.
    fn wait(&self, deadline: Instant) -> bool {
        let mut reading = self.reading.lock();
        while reading.is_running && Instant::now() < deadline {
            self.ended.wait_until(&mut reading, deadline);
        }
        !reading.is_running && Instant::now() < deadline
    }
}
