//! Is the graph of the documents up to them?

use std::sync::Arc;
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use parking_lot::Mutex;

use super::Store;
use crate::error::StoreError;
use crate::graph::links;
use crate::structure::Structure;

/// The graph of a store's documents, read anew beside the queries when it is behind.
#[derive(Debug, Default)]
pub(crate) struct StructureCell {
    current: ArcSwap<Structure>,
    reading: Mutex<Reading>,
}

#[derive(Debug, Default)]
struct Reading {
    is_running: bool,
    /// When the last reading ended, and how long it took.
    last: Option<(Instant, Duration)>,
}

/// Reading the graph takes at most this part of the time: one second in twenty.
const REST: u32 = 20;

impl Store {
    /// The graph as it is.
    pub(crate) fn structure(&self) -> Arc<Structure> {
        self.structure.current.load_full()
    }

    /// Has the graph read anew when it is behind the documents, which later queries will see.
    pub(crate) fn follow_structure(self: &Arc<Self>) {
        if self.structure().generation != self.lexical.generation() && self.structure.begin() {
            self.read_structure_soon();
        }
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
    /// Takes the turn to read; tells whether it is free and the last one was long enough ago.
    fn begin(&self) -> bool {
        let mut reading = self.reading.lock();
        let rested = reading.last.is_none_or(|(ended, took)| ended.elapsed() >= took * REST);
        let begins = !reading.is_running && rested;
        reading.is_running |= begins;
        begins
    }

    fn end(&self, took: Duration) {
        *self.reading.lock() = Reading { is_running: false, last: Some((Instant::now(), took)) };
    }
}
