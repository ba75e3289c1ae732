//! Updates of the graph of the documents, in the background.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Store;
use super::structure::ReadTurn;
use crate::error::StoreError;
use crate::links;
use crate::links::structure::Structure;

/// The outcome of waiting for the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StructureWait {
    /// The graph is current.
    Over,
    /// The graph is still of an older generation.
    InVain,
}

impl Store {
    /// Returns the last graph that was read.
    pub(crate) fn structure(&self) -> Arc<Structure> {
        self.structure.current.load_full()
    }

    /// Starts reading the graph if it is older than the documents, unless the last, long read ended recently.
    pub(crate) fn follow_structure(self: &Arc<Self>) {
        if !self.is_structure_current() && self.structure.begin() == ReadTurn::Taken {
            self.read_structure_soon();
        }
    }

    /// Waits until the graph is current, so that the first search ranks by the same graph as the next one.
    pub(crate) fn wait_for_structure(self: &Arc<Self>, patience: Duration) -> StructureWait {
        let deadline = Instant::now() + patience;
        while !self.is_structure_current() && !self.holds_nothing() {
            match self.structure.begin() {
                ReadTurn::Taken => self.read_structure_soon(),
                ReadTurn::Others => {}
                ReadTurn::Resting => return StructureWait::InVain,
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

    /// Reads the graph and makes it visible to queries.
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
