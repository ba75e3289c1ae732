//! The scan of the texts that may match.
//!
//! Signatures leave out most documents (ADR 49); of the others the texts are read and matched. Many are read by several threads, each
//! on a snapshot of its own. Their answers count only if all saw the same generation; after some attempts one thread reads one
//! snapshot, so that a store that is written all the time is answered too.

use std::sync::Arc;
use std::time::Instant;

use recall_core::{Document, DocumentRow, Filters, Generation, Timestamp};
use recall_index::catalog::Snapshot;
use recall_index::lexical::document_matcher;
use recall_index::lexical::exact::{MatchedLine, Pattern};

use crate::Engine;
use crate::engine::MountedStore;
use crate::error::StoreError;
use crate::mask;
use crate::store::Store;

/// How many documents a task reads. Fewer cost more for the tasks than they save.
const DOCUMENTS_A_TASK: usize = 128;

/// How often a scan on several threads starts again because the store was written meanwhile. After that one thread reads one state.
const PARALLEL_ATTEMPTS: u32 = 2;

/// A search for the documents that match.
pub(super) struct Scan<'a> {
    pub(super) engine: &'a Engine,
    pub(super) stores: &'a [MountedStore],
    pub(super) pattern: &'a Arc<Pattern>,
    pub(super) filters: &'a Filters,
    pub(super) began: Instant,
}

/// A document that matches.
#[derive(Clone, Debug)]
pub(super) struct Matching {
    /// The index of its store.
    pub(super) store: usize,
    pub(super) row: DocumentRow,
    /// As it is stored.
    pub(super) document: Document,
    /// When its path was first indexed.
    pub(super) created: Timestamp,
    /// The number of matches.
    pub(super) matches: u64,
    /// The number of lines in which matches begin.
    pub(super) lines: u64,
    /// The places in its text where a matched name is defined.
    pub(super) definitions: Vec<usize>,
    pub(super) score: f64,
}

/// What a task of a scan needs.
#[derive(Clone)]
struct ScanPart {
    store: Arc<Store>,
    number: usize,
    pattern: Arc<Pattern>,
    filters: Arc<Filters>,
    rows: Vec<DocumentRow>,
    generation: Generation,
    began: Instant,
}

impl Scan<'_> {
    /// Returns all documents that match, in no particular order.
    ///
    /// # Errors
    /// A store cannot be read, or there is no time left.
    pub(super) fn run(&self) -> Result<Vec<Matching>, StoreError> {
        let mut all = Vec::new();
        for (number, store) in self.stores.iter().enumerate() {
            all.extend(self.scan_store(number, store)?);
        }
        Ok(all)
    }

    fn scan_store(&self, number: usize, store: &MountedStore) -> Result<Vec<Matching>, StoreError> {
        let filters = Arc::new(store.mount.inner_filters(self.filters));
        let mut attempt = 0;
        loop {
            attempt += 1;
            let snapshot = store.index.snapshot()?;
            let part = ScanPart {
                store: Arc::clone(&store.store),
                number,
                pattern: Arc::clone(self.pattern),
                filters: Arc::clone(&filters),
                rows: store.index.may_match(&snapshot, self.pattern)?,
                generation: snapshot.generation(),
                began: self.began,
            };
            if part.rows.len() <= DOCUMENTS_A_TASK || attempt > PARALLEL_ATTEMPTS {
                return part.read(&snapshot);
            }
            if let Some(found) = self.in_parallel(&part)? {
                return Ok(found);
            }
        }
    }

    /// Reads the documents on several threads; `None` if one of them saw another generation.
    fn in_parallel(&self, whole: &ScanPart) -> Result<Option<Vec<Matching>>, StoreError> {
        let parts = whole.rows.chunks(DOCUMENTS_A_TASK).map(|rows| ScanPart { rows: rows.to_vec(), ..whole.clone() });
        let tasks: Vec<_> = parts.map(|part| self.engine.tasks.spawn(move || part.read_alone())).collect();
        let mut all = Some(Vec::new());
        // All tasks are joined, so that none reads on after the answer.
        let results: Vec<_> = tasks.into_iter().map(crate::task_pool::Deferred::join).collect();
        for result in results {
            match (result?, &mut all) {
                (Some(found), Some(all)) => all.extend(found),
                (None, _) => all = None,
                (Some(_), None) => {}
            }
        }
        Ok(all)
    }

    /// Returns the number of documents that pass the filters.
    pub(super) fn passing(&self) -> Result<u64, StoreError> {
        let mut count = 0;
        for store in self.stores {
            let filters = store.mount.inner_filters(self.filters);
            let passes = document_matcher(&filters);
            store.index.read(|snapshot| {
                snapshot.each_document(None, |stored, _| {
                    count += u64::from(passes(&stored.document));
                    Ok(std::ops::ControlFlow::Continue(()))
                })
            })?;
        }
        Ok(count)
    }
}

impl ScanPart {
    /// Reads the documents from a state of its own; `None` if that is of another generation.
    fn read_alone(&self) -> Result<Option<Vec<Matching>>, StoreError> {
        let snapshot = self.store.index.snapshot()?;
        if snapshot.generation() != self.generation {
            return Ok(None);
        }
        self.read(&snapshot).map(Some)
    }

    /// Reads the documents and returns those that match.
    fn read(&self, snapshot: &Snapshot<'_>) -> Result<Vec<Matching>, StoreError> {
        let passes = document_matcher(&self.filters);
        let failed = |source| self.store.index.read_error(source);
        let limit = self.store.settings().limits.filter_time;
        let mut found = Vec::new();
        for (documents, &row) in self.rows.iter().enumerate() {
            if self.began.elapsed() > limit {
                let root = self.store.root.clone();
                return Err(StoreError::FilterTime { root, documents: documents as u64, limit });
            }
            let Some(stored) = snapshot.document_in(row).map_err(failed)? else { continue };
            if !passes(&stored.document) {
                continue;
            }
            let Some(text) = snapshot.text(row).map_err(failed)? else { continue };
            let lines = visible_lines(&self.pattern, &stored.document, &text);
            if !lines.is_empty() {
                found.push(Matching {
                    store: self.number,
                    row,
                    document: stored.document,
                    created: stored.created,
                    matches: lines.iter().map(|line| line.matches.len() as u64).sum(),
                    lines: lines.len() as u64,
                    definitions: Vec::new(),
                    score: 0.0,
                });
            }
        }
        Ok(found)
    }
}

/// Returns the lines of a document's text that match, without the matches that touch a secret.
pub(super) fn visible_lines(pattern: &Pattern, document: &Document, text: &str) -> Vec<MatchedLine> {
    let mut lines: Vec<MatchedLine> = pattern.lines(text).collect();
    if lines.is_empty() {
        return lines;
    }
    let secrets = mask::find_in_file(&document.path, text);
    if secrets.is_empty() {
        return lines;
    }
    for line in &mut lines {
        let is_open = |found: &std::ops::Range<usize>| {
            !secrets.iter().any(|secret| secret.span.start < found.end && found.start < secret.span.end)
        };
        line.matches.retain(is_open);
    }
    lines.retain(|line| !line.matches.is_empty());
    lines
}
