//! What is open, what does it hold, and what went wrong?

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
    /// The client's project's store first.
    pub stores: Vec<StoreStatus>,
    /// How many stores are open in all, those of other projects included.
    pub open_stores: usize,
}

/// The state of one store.
#[derive(Clone, Debug, PartialEq)]
pub struct StoreStatus {
    /// What the store is the store of.
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
    /// Documents of each language, most first.
    pub by_language: Vec<(String, u64)>,
    /// The index job that is running, if one is.
    pub indexing: Option<Indexing>,
    /// How long ago the store was last compared with its files.
    pub scanned_ago: Option<Duration>,
    /// Why its changes are not watched, so that it is scanned before every search; `None` where they are.
    pub unwatched: Option<String>,
    /// The modification time of its newest document.
    pub newest: Option<Timestamp>,
    /// How many files could not be read or parsed, and lines of journals.
    pub failed: u64,
    /// How many files are not text to be indexed.
    pub skipped: u64,
    /// Which files, as many as were asked for, failures first.
    pub failures: Vec<FailureEntry>,
    /// What puts its candidates in order.
    pub ranker: RankerUse,
    /// Why the project's own ranker is passed over.
    pub ranker_problem: Option<String>,
    /// The models of its embeddings, the chosen one first, and how many of its chunks have one by each.
    pub embedded: Vec<(String, u64)>,
    /// The model whose embeddings answer at present; `None` where words alone decide.
    pub model: Option<String>,
    /// Why embeddings are passed over.
    pub embeddings_problems: Vec<String>,
    /// What was found damaged and made anew.
    pub repaired: Vec<String>,
    /// What is wrong with the configuration.
    pub configuration: Vec<String>,
}

/// A file that is not indexed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailureEntry {
    /// The file's path below the root; bytes that are not UTF-8 are replaced.
    pub path: String,
    /// Why.
    pub reason: String,
    /// Whether reading failed, rather than the file being no text to be indexed.
    pub failed: bool,
}

impl Engine {
    /// Reports on the stores that the client sees, without bringing them up to their files.
    ///
    /// # Errors
    /// A store cannot be opened or read.
    pub fn status(&self, origin: &Origin, scope: Scope, failures: usize) -> Result<Status, StatusError> {
        let stores = self.registry.stores(origin, scope, &*self.clock)?;
        for store in &stores {
            // What cannot be read is told by `problem`.
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
    /// Reports on every store that is open, whoever uses it. One that cannot be read is left out.
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
                // Chunks without words have no embedding, and lack none.
                (model.to_string(), if is_whole { counts.chunks } else { chunks.min(counts.chunks) })
            })
            .collect(),
        model: store.semantic.answering(coverage.generation).map(|model| model.to_string()),
        embeddings_problems: store.semantic.problems(),
        repaired: store.repaired.clone(),
        configuration: store.settings().warnings.clone(),
    })
}
