//! The work of a store on threads of its own: embeddings, the graph of the documents, and what follows an index run.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Store;
use super::index::ReadTurn;
use crate::embeddings::{Models, UpdateExtent};
use crate::index_runs::IndexRun;

/// The pause before a remote model is asked again. It doubles with each further failure. Requests that fail for a moment are
/// repeated before that.
const FIRST_PAUSE: Duration = Duration::from_secs(2);

const LONGEST_PAUSE: Duration = Duration::from_mins(2);

/// How often a pause checks whether the store is closed.
const STEP: Duration = Duration::from_millis(100);

/// The outcome of waiting for the graph of the documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StructureWait {
    /// The graph is current.
    Over,
    /// The graph is still of an older generation.
    InVain,
}

impl Store {
    /// Runs a job on a thread of its own. Closing the store waits for it.
    pub(crate) fn work(self: &Arc<Self>, name: &str, work: impl FnOnce(&Arc<Self>) + Send + 'static) {
        let (store, working) = (Arc::clone(self), self.jobs.begin_thread());
        let thread = std::thread::Builder::new().name(name.to_owned()).spawn(move || {
            work(&store);
            drop(store);
            drop(working);
        });
        if let Err(error) = thread {
            tracing::warn!(name, %error, "no thread to work for a store");
        }
    }

    /// Finishes an index job on a thread of its own: updates the embeddings that follow at once, closes the lexical writer, which
    /// waits for its merges, empties the log, then reads the graph and starts the slow embeddings. The index run ends after the
    /// merges.
    pub(crate) fn settle_soon(self: &Arc<Self>, index_run: Option<IndexRun>) {
        self.work("settle", |store| {
            store.catch_up(UpdateExtent::Complete);
            store.settle();
            drop(index_run);
            store.empty_log();
            // The first search after a job then ranks by the same graph as the second.
            store.follow_structure();
            store.embed_soon();
        });
    }

    /// Keeps the counts of retrievals, closes the lexical index's writer, which waits for its merges, and checkpoints the catalog's
    /// write-ahead log.
    pub(crate) fn settle(&self) {
        if self.index.is_claimed() {
            self.facts.retrievals().keep();
        }
        self.index.settle();
    }

    /// Empties the log of a [settled](Self::settle) catalog. Waits a moment for readers, so nothing that others wait for is held.
    pub(crate) fn empty_log(&self) {
        self.index.empty_log(self.jobs.cancel());
    }

    /// Updates the embeddings that follow at once to the catalog, within `extent`.
    pub(crate) fn catch_up(&self, extent: UpdateExtent) {
        self.index.catch_up(extent, self.jobs.cancel());
    }

    /// Updates the embeddings to the catalog on a thread of their own, if any are missing.
    pub(super) fn catch_up_soon(self: &Arc<Self>) {
        let generation = self.index.known_documents().generation;
        if self.index.embeddings().embedded_chunks(generation).iter().any(|embedded| !embedded.is_whole) {
            self.work("embed", |store| {
                store.catch_up(UpdateExtent::Complete);
                store.embed_soon();
            });
        }
    }

    /// Updates the embeddings that follow in the background on a thread of their own, if any are missing.
    pub(crate) fn embed_soon(self: &Arc<Self>) {
        if self.index.embeddings().is_behind(self.index.known_documents().generation) {
            self.work("embed", Self::embed);
        }
    }

    pub(super) fn use_models(self: &Arc<Self>, models: &Models) {
        self.index.use_models(models);
        self.catch_up_soon();
    }

    /// Updates the embeddings that follow in the background. If a remote model fails, or an encoder waits for power, it is asked again
    /// later, until it has embedded every chunk or the store is closed.
    fn embed(self: &Arc<Self>) {
        let embeddings = self.index.embeddings();
        self.index.embed(self.jobs.cancel());
        if !embeddings.awaits_retry() || !embeddings.begin_retry() {
            return;
        }
        // A waiting thread must not keep the store open.
        let store = Arc::downgrade(self);
        let waiting = std::thread::Builder::new().name("retry".to_owned()).spawn(move || {
            let mut pause = FIRST_PAUSE;
            loop {
                let until = Instant::now() + pause;
                while Instant::now() < until {
                    std::thread::sleep(STEP);
                    if store.upgrade().is_none_or(|store| store.jobs.cancel().is_cancelled()) {
                        return;
                    }
                }
                let Some(store) = store.upgrade() else { return };
                let working = store.jobs.begin_thread();
                store.index.embed(store.jobs.cancel());
                if !store.index.embeddings().awaits_retry() {
                    store.index.embeddings().end_retry();
                    return;
                }
                pause = (pause * 2).min(LONGEST_PAUSE);
                drop(store);
                drop(working);
            }
        });
        if let Err(error) = waiting {
            embeddings.end_retry();
            tracing::warn!(%error, "no thread to ask a model again; the next change of a file does");
        }
    }

    /// Starts reading the graph if it is older than the documents, unless the last, long read ended recently.
    pub(crate) fn follow_structure(self: &Arc<Self>) {
        if !self.index.is_structure_current() && self.index.begin_reading_structure() == ReadTurn::Taken {
            self.read_structure_soon();
        }
    }

    /// Waits until the graph is current, so that the first search ranks by the same graph as the next one.
    pub(crate) fn wait_for_structure(self: &Arc<Self>, patience: Duration) -> StructureWait {
        let asked = Instant::now();
        while !self.index.is_structure_current() && !self.index.holds_nothing() {
            match self.index.begin_reading_structure() {
                ReadTurn::Taken => self.read_structure_soon(),
                ReadTurn::Others => {}
                ReadTurn::Resting => return StructureWait::InVain,
            }
            if !self.index.wait_for_structure_reader(asked, patience) {
                return StructureWait::InVain;
            }
        }
        StructureWait::Over
    }

    fn read_structure_soon(self: &Arc<Self>) {
        let (store, working) = (Arc::clone(self), self.jobs.begin_thread());
        let thread = std::thread::Builder::new().name("structure".to_owned()).spawn(move || {
            let began = Instant::now();
            if let Err(error) = store.index.read_structure() {
                tracing::warn!(root = %store.root.display(), %error, "the graph of the documents was not read");
            }
            store.index.end_reading_structure(began.elapsed());
            drop(store);
            drop(working);
        });
        if let Err(error) = thread {
            self.index.end_reading_structure(Duration::ZERO);
            tracing::warn!(%error, "no thread to read the graph of the documents");
        }
    }
}
