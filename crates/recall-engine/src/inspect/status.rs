//! The status of stores: contents, index jobs and problems.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use recall_core::{DocumentType, Generation, Scope, StoreScope, Timestamp};
use recall_index::catalog::{FailureKind, FileFailure, UnparsedDocument};
use recall_watch::LeftOut;

use crate::embeddings::Embedded;
use crate::error::StatusError;
use crate::known::Known;
use crate::origin::Origin;
use crate::ranking::RankerUse;
use crate::store::Store;
use crate::warning::{Indexing, LeftOutGroup};
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
    /// The root of its files, absolute.
    pub root: PathBuf,
    /// The folder that holds its index.
    pub index: PathBuf,
    /// The generation that searches see.
    pub generation: Generation,
    /// How many documents it holds.
    pub documents: u64,
    /// How many chunks the documents have.
    pub chunks: u64,
    /// How many symbols the documents define.
    pub symbols: u64,
    /// The relations that its texts state: calls, references, imports and the like.
    pub edges: u64,
    /// Bytes of the documents' text.
    pub text_bytes: u64,
    /// Bytes of the index on disk.
    pub index_bytes: u64,
    /// How many memories are in force.
    pub memories: u64,
    /// How many memories are in no journal of a work tree yet, or have changes that are in none.
    pub memories_pending: u64,
    /// Documents of each type; the types without documents are left out.
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
    /// The files that the last scan listed, and what became of them.
    pub files: FileCounts,
    /// The files that are not indexed, by reason, the most frequent first.
    pub left_out: Vec<LeftOutGroup>,
    /// How many files and directories a rule leaves out, as the last scan found them. Of a directory, only what git tracks is
    /// indexed.
    pub ruled_out: u64,
    /// How many files and journal lines could not be read or parsed.
    pub failed: u64,
    /// The files, up to the requested number, failures first.
    pub failures: Vec<FailureEntry>,
    /// What orders the candidates of a search at present.
    pub ranker: RankerUse,
    /// What was learnt from the project's history; `None` if nothing was yet, or if that is switched off.
    pub history: Option<HistoryStatus>,
    /// The embedding models, the selected one first, each with the number of chunks that it has embedded.
    pub embedded: Vec<(String, u64)>,
    /// The model that answers semantic searches at present; `None` if search is lexical only.
    pub model: Option<String>,
    /// Why embeddings are not used.
    pub embeddings_problems: Vec<String>,
    /// Whether an encoder waits because this machine runs on battery.
    pub awaits_power: bool,
    /// The parts that were damaged and have been rebuilt.
    pub repaired: Vec<String>,
    /// Problems of the configuration.
    pub configuration: Vec<String>,
}

/// What was learnt from a project's history, and whether it orders the project's code.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HistoryStatus {
    /// The number of commits that it was learnt from.
    pub commits: u64,
    /// How many of the newest of them judged it; 0 if there were too few.
    pub questions: u64,
    /// The mean reciprocal rank of their files without the history, from 0 to 1.
    pub without: f64,
    /// The same with it.
    pub with: f64,
    /// Whether it is used.
    pub is_used: bool,
}

/// The files of a store. Whenever no scan or ingest is running, `listed = indexed + failed + skipped`; while files are being indexed,
/// the rest is pending.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileCounts {
    /// Files that the last scan listed, without ignored ones; 0 before the first scan.
    pub listed: u64,
    /// Files that are documents.
    pub indexed: u64,
    /// Files that could not be read.
    pub failed: u64,
    /// Files that are not text to be indexed.
    pub skipped: u64,
    /// Files that wait for their turn.
    pub pending: u64,
}

/// A file that is not indexed, or not by its syntax.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailureEntry {
    /// The file's path below the root; bytes that are not UTF-8 are replaced.
    pub path: String,
    /// The reason, as a clause to follow the path.
    pub reason: String,
    /// What happened to it.
    pub kind: FailureEntryKind,
}

/// What happened to a file in a list of failures, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FailureEntryKind {
    /// It, or a line of a journal, could not be read. It is not indexed.
    Failed,
    /// It could not be parsed. It is indexed in windows of lines.
    Unparsed,
    /// It is not text to be indexed.
    Skipped,
    /// A rule leaves it out. Of a directory, only what git tracks is indexed.
    RuledOut,
}

impl Engine {
    /// Returns the status of the stores that the client sees, without updating them from their files.
    ///
    /// # Errors
    /// A store cannot be opened or read.
    pub fn status(&self, origin: &Origin, scope: Scope, failures: usize) -> Result<Status, StatusError> {
        let stores = self.stores(origin, scope)?;
        for store in &stores {
            // An unreadable journal is reported by `faults`.
            let _ = store.ledger.refresh(self.clock.now());
        }
        let stores = stores.iter().map(|store| store_status(store, failures)).collect::<Result<_, _>>()?;
        Ok(Status { stores, open_stores: self.registry.open_stores().len() })
    }
}

impl Engine {
    /// Returns the status of all open stores. A store that cannot be read is left out.
    pub fn status_of_open_stores(&self, failures: usize) -> Status {
        let open = self.registry.open_stores();
        let mut stores: Vec<_> = open.iter().filter_map(|store| store_status(store, failures).ok()).collect();
        stores.sort_by(|a, b| (a.scope, &a.root).cmp(&(b.scope, &b.root)));
        Status { stores, open_stores: open.len() }
    }
}

fn store_status(store: &Store, failures: usize) -> Result<StoreStatus, StatusError> {
    let (generation, counts, indexed, failed, skipped, entries, unparsed) = store.index.read(|snapshot| {
        let counts = snapshot.counts()?;
        let mut known = store.index.known_documents();
        let is_current = known.generation == snapshot.generation();
        let is_running = store.jobs.indexing().is_some();
        // Between an ingest's commit and the reading of what it wrote. During a long run, that is all the time, and it would read the
        // states of all files for each status.
        if !is_current && !is_running {
            known = Arc::new(Known::read(snapshot)?);
        }
        let memories = known.memories.ids().count() as u64;
        let indexed = counts.documents.saturating_sub(memories);
        let count = |kind| snapshot.failure_count(kind);
        let failed = count(FailureKind::Failed)?;
        let skipped = count(FailureKind::Skipped)? + count(FailureKind::Repository)?;
        let (entries, unparsed) = (snapshot.failures(failures)?, snapshot.unparsed_documents(failures)?);
        Ok((snapshot.generation(), counts, indexed, failed, skipped, entries, unparsed))
    })?;
    let mut by_language: Vec<(String, u64)> =
        counts.by_language.iter().map(|(language, &count)| (language.as_str().to_owned(), count)).collect();
    by_language.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let (faults, fault_count) = store.ledger.faults(failures);
    let coverage = store.coverage();
    let ruled_out = store.files.scans().ruled_out();
    let listed = store.files.scans().listed_files();
    // The scan and the catalog are of one moment each; an ingest may end in between.
    let pending = if store.jobs.indexing().is_some() { listed.saturating_sub(indexed + failed + skipped) } else { 0 };
    Ok(StoreStatus {
        files: FileCounts { listed, indexed, failed, skipped, pending },
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
        memories_pending: store.ledger.pending().len() as u64,
        by_type: counts.by_type.into_iter().collect(),
        by_language,
        indexing: coverage.indexing,
        scanned_ago: store.files.scans().last_scan().map(|at| at.elapsed()),
        unwatched: store.files.reason_unwatched(),
        newest: coverage.newest,
        left_out: store.index.left_out_groups()?,
        ruled_out: ruled_out.count,
        failed: failed + fault_count,
        failures: failure_list(faults, unparsed, entries, &ruled_out.listed, failures),
        ranker: store.settings().ranker,
        history: history_status(store),
        embedded: store
            .index
            .embeddings()
            // Of the catalog, whose chunks are counted: during a run, searches know an earlier one.
            .embedded_chunks(generation)
            .into_iter()
            .map(|Embedded { model, chunks, is_whole }| {
                // Chunks without words need no embedding, so a complete model counts all chunks.
                (model.to_string(), if is_whole { counts.chunks } else { chunks.min(counts.chunks) })
            })
            .collect(),
        model: store.index.embeddings().answering(coverage.generation).map(|model| model.to_string()),
        embeddings_problems: store.index.embeddings().problems(),
        awaits_power: store.index.embeddings().awaits_power(),
        repaired: store.repairs().to_vec(),
        configuration: store.settings().warnings.clone(),
    })
}

fn history_status(store: &Store) -> Option<HistoryStatus> {
    let model = store.facts.history().model().filter(|_| store.settings().learns_from_history)?;
    let trial = model.trial;
    Some(HistoryStatus {
        commits: model.changes as u64,
        questions: trial.questions as u64,
        without: trial.without,
        with: trial.with,
        is_used: model.precedents.is_some(),
    })
}

/// Returns the failures by kind, at most `limit`, with their secrets masked.
fn failure_list(
    faults: Vec<(String, String)>,
    unparsed: Vec<UnparsedDocument>,
    files: Vec<FileFailure>,
    ruled_out: &[LeftOut],
    limit: usize,
) -> Vec<FailureEntry> {
    let faults = faults.into_iter().map(|(path, reason)| FailureEntry { path, reason, kind: FailureEntryKind::Failed });
    let unparsed = unparsed.into_iter().map(|UnparsedDocument { path, reason }| FailureEntry {
        path: path.as_str().to_owned(),
        reason: format!("indexed in windows of lines: {reason}"),
        kind: FailureEntryKind::Unparsed,
    });
    let files = files.into_iter().map(|FileFailure { path, reason, kind, .. }| FailureEntry {
        path,
        reason,
        kind: match kind {
            FailureKind::Failed => FailureEntryKind::Failed,
            FailureKind::Skipped | FailureKind::Repository => FailureEntryKind::Skipped,
        },
    });
    let ruled_out = ruled_out.iter().map(|LeftOut { path, is_directory, rule }| FailureEntry {
        path: if *is_directory { format!("{path}/") } else { path.clone() },
        reason: rule.to_string(),
        kind: FailureEntryKind::RuledOut,
    });
    let mut all: Vec<FailureEntry> = faults.chain(files).chain(unparsed).chain(ruled_out).collect();
    all.sort_by_key(|entry| entry.kind);
    all.truncate(limit);
    for entry in &mut all {
        entry.path = mask::shown_path(std::mem::take(&mut entry.path));
        entry.reason = mask::shown_path(std::mem::take(&mut entry.reason));
    }
    all
}
