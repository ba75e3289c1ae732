//! The status of stores: contents, index jobs and problems.

use std::path::PathBuf;
use std::time::Duration;

use recall_catalog::FailureKind;
use recall_core::{DocumentType, Generation, Scope, StoreScope, Timestamp};

use crate::coverage::Indexing;
use crate::embeddings::Embedded;
use crate::error::StatusError;
use crate::origin::Origin;
use crate::ranking::{RankerUse, Rankers};
use crate::store::Store;
use crate::{Engine, mask};

/// The state of the stores that a client sees.
#[derive(Clone, Debug, PartialEq)]
pub struct Status {
    /// The stores, that of the client's project first.
    pub stores: Vec<StoreStatus>,
    /// The number of open stores, including those of other projects.
    pub open_stores: usize,
}

/// The state of one store.
#[derive(Clone, Debug, PartialEq)]
pub struct StoreStatus {
    /// The store's scope.
    pub scope: StoreScope,
    /// Its root.
    pub root: PathBuf,
    /// The folder that holds its index.
    pub index: PathBuf,
    /// The generation that searches see.
    pub generation: Generation,
    /// How many documents it holds.
    pub documents: u64,
    /// How many chunks.
    pub chunks: u64,
    /// How many symbols.
    pub symbols: u64,
    /// The relations that its texts state: calls, references, imports and the like.
    pub edges: u64,
    /// Bytes of the documents' text.
    pub text_bytes: u64,
    /// Bytes of the index on disk.
    pub index_bytes: u64,
    /// How many memories are in force.
    pub memories: u64,
    /// Documents of each type.
    pub by_type: Vec<(DocumentType, u64)>,
    /// Documents of each language, descending by count.
    pub by_language: Vec<(String, u64)>,
    /// The index job that is running, if one is.
    pub indexing: Option<Indexing>,
    /// The time since the last scan of the store's files.
    pub scanned_ago: Option<Duration>,
    /// Why its files are not watched, so that they are scanned before every search; `None` if they are watched.
    pub unwatched: Option<String>,
    /// The modification time of its newest document.
    pub newest: Option<Timestamp>,
    /// How many files and journal lines could not be read or parsed.
    pub failed: u64,
    /// How many files are not text to be indexed.
    pub skipped: u64,
    /// The files, up to the requested number, failures first.
    pub failures: Vec<FailureEntry>,
    /// The ranker in use.
    pub ranker: RankerUse,
    /// Why the project's own ranker is not used.
    pub ranker_problem: Option<String>,
    /// The embedding models, the selected one first, each with the number of chunks that it has embedded.
    pub embedded: Vec<(String, u64)>,
    /// The model that answers semantic searches at present; `None` if search is lexical only.
    pub model: Option<String>,
    /// Why embeddings are not used.
    pub embeddings_problems: Vec<String>,
    /// The parts that were damaged and have been rebuilt.
    pub repaired: Vec<String>,
    /// Problems of the configuration.
    pub configuration: Vec<String>,
}

/// A file that is not indexed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailureEntry {
    /// The file's path below the root; bytes that are not UTF-8 are replaced.
    pub path: String,
    /// Why.
    pub reason: String,
    /// Whether reading failed. If not, the file is not text to be indexed.
    pub failed: bool,
}

impl Engine {
    /// Returns the status of the stores that the client sees, without updating them from their files.
    ///
    /// # Errors
    /// A store cannot be opened or read.
    pub fn status(&self, origin: &Origin, scope: Scope, failures: usize) -> Result<Status, StatusError> {
        let stores = self.registry.stores(origin, scope, &*self.clock)?;
        for store in &stores {
            // An unreadable journal is reported by `faults`.
            let _ = store.ledger.look(self.clock.now(), store.settings().limits.look_interval);
        }
        let stores = stores
            .iter()
            .map(|store| store_status(store, &self.settings.rankers, failures))
            .collect::<Result<_, _>>()?;
        Ok(Status { stores, open_stores: self.registry.open_stores().len() })
    }
}

impl Engine {
    /// Returns the status of all open stores. A store that cannot be read is left out.
    pub fn status_of_open_stores(&self, failures: usize) -> Status {
        let open = self.registry.open_stores();
        let mut stores: Vec<_> =
            open.iter().filter_map(|store| store_status(store, &self.settings.rankers, failures).ok()).collect();
        stores.sort_by(|a, b| (a.scope, &a.root).cmp(&(b.scope, &b.root)));
        Status { stores, open_stores: open.len() }
    }
}

fn store_status(store: &Store, built_in: &Rankers, failures: usize) -> Result<StoreStatus, StatusError> {
    let (counts, failed, skipped, entries) = store.read(|snapshot| {
        let count = |kind| snapshot.failure_count(kind);
        let (failed, skipped) = (count(FailureKind::Failed)?, count(FailureKind::Skipped)?);
        Ok((snapshot.counts()?, failed, skipped, snapshot.failures(failures)?))
    })?;
    let mut by_language: Vec<(String, u64)> =
        counts.by_language.iter().map(|(language, &count)| (language.as_str().to_owned(), count)).collect();
    by_language.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let (faults, fault_count) = store.ledger.faults(failures);
    let coverage = store.coverage();
    let ranking = store.ranking(built_in);
    Ok(StoreStatus {
        scope: store.scope,
        root: store.root.clone(),
        index: store.folder.index.clone(),
        generation: coverage.generation,
        documents: counts.documents,
        chunks: counts.chunks,
        symbols: counts.symbols,
        edges: counts.edges,
        text_bytes: counts.text_bytes,
        index_bytes: store.folder.index_bytes(),
        memories: store.ledger.count(),
        by_type: counts.by_type.into_iter().collect(),
        by_language,
        indexing: coverage.indexing,
        scanned_ago: store.freshness.last_scan().map(|at| at.elapsed()),
        unwatched: store.unwatched(),
        newest: coverage.newest,
        failed: failed + fault_count,
        skipped,
        failures: faults
            .into_iter()
            .map(|(path, reason)| FailureEntry { path, reason, failed: true })
            .chain(entries.into_iter().map(|entry| FailureEntry {
                path: entry.path,
                reason: entry.reason,
                failed: entry.kind == FailureKind::Failed,
            }))
            .take(failures)
            .map(|FailureEntry { path, reason, failed }| FailureEntry {
                path: mask::shown_path(path),
                reason: mask::shown_path(reason),
                failed,
            })
            .collect(),
        ranker: ranking.used,
        ranker_problem: ranking.problem.clone(),
        embedded: store
            .semantic
            .embedded(coverage.generation)
            .into_iter()
            .map(|Embedded { model, chunks, is_whole }| {
                // Chunks without words need no embedding, so a complete model counts all chunks.
                (model.to_string(), if is_whole { counts.chunks } else { chunks.min(counts.chunks) })
            })
            .collect(),
        model: store.semantic.answering(coverage.generation).map(|model| model.to_string()),
        embeddings_problems: store.semantic.problems(),
        repaired: store.repaired.clone(),
        configuration: store.settings().warnings.clone(),
    })
}
