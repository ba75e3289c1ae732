//! The documents of a store that were made in a period: memories and sessions by when they were made, files by their last commit.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use recall_core::{
    Document, DocumentRow, DocumentType, Filters, RowSet, TimePoint, TimeWords, Timestamp, Understood, read_time_words,
};
use recall_index::catalog::ChunkRun;
use recall_journal::{Day, moment_of};
use recall_text::DocPath;

use crate::Engine;
use crate::error::StoreError;
use crate::git::Git;
use crate::moments::{UnknownTime, resolve};
use crate::origin::Origin;
use crate::past_root::PastRoot;
use crate::store::Store;
use crate::warning::Warning;

/// A filter on the time at which something was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Period {
    since: Option<TimePoint>,
    before: Option<TimePoint>,
}

/// A period that a search is limited to, and what it found of it.
#[derive(Debug)]
pub(crate) struct PeriodLimit {
    period: Period,
    /// The most files of a store that were left out because their last commit is not known.
    undated: AtomicU64,
}

impl PeriodLimit {
    /// Returns the chunks of a store that were made in the period, or those of them that are in a set.
    ///
    /// # Errors
    /// The store cannot be read.
    pub(crate) fn chunk_rows(&self, store: &Arc<Store>, among: Option<&RowSet>) -> Result<RowSet, StoreError> {
        let made = self.period.select(store)?;
        self.undated.fetch_max(made.undated, Ordering::Relaxed);
        Ok(made.chunk_rows(among))
    }

    /// Whether something was made in the period.
    pub(crate) fn contains(&self, made: Timestamp) -> bool {
        self.period.contains(made, None)
    }

    /// Returns the warning that files were left out.
    pub(crate) fn warning(&self) -> Option<Warning> {
        undated_warning(self.undated.load(Ordering::Relaxed))
    }
}

/// Returns the warning that so many files were left out; `None` for none.
pub(crate) fn undated_warning(files: u64) -> Option<Warning> {
    (files > 0).then_some(Warning::Undated { files })
}

impl Engine {
    /// Reads the period of the filters of a request; `None` if they have none. Revisions are those of the client's project.
    ///
    /// # Errors
    /// A text is not a time.
    pub(crate) fn period(&self, origin: &Origin, filters: &Filters) -> Result<Option<Period>, UnknownTime> {
        let root = origin.root(&self.registry.places).unwrap_or_else(|_| origin.directory.clone());
        let root = PastRoot::read(&root, &self.registry.places).map_or(root, |past| past.project);
        Period::read(filters, &root, self.clock.now())
    }

    /// Takes the words of a query that name a time, if git and the calendar know it. Returns the words that were taken.
    pub(crate) fn take_time_words(&self, origin: &Origin, query: Understood) -> (Understood, Option<String>) {
        if query.filters.has_time() || query.report.is_some() || !query.phrases.is_empty() {
            return (query, None);
        }
        let Some(time) = read_time_words(&query.text) else { return (query, None) };
        let TimeWords { words, rest, since, before, before_event } = time;
        let event = before_event.as_ref().map(|event| self.commit_about(origin, event));
        let before = match event {
            Some(None) => return (query, None),
            Some(commit) => commit,
            None => before,
        };
        let filters = Filters { since: since.clone(), before: before.clone(), ..Filters::default() };
        match self.period(origin, &filters) {
            Ok(_) => (query.with_time(&rest, since, before), Some(words)),
            // A version that is no tag here is a word like others.
            Err(_) => (query, None),
        }
    }

    /// Returns the first commit of the client's project whose message has a word.
    fn commit_about(&self, origin: &Origin, word: &str) -> Option<String> {
        let root = origin.root(&self.registry.places).ok()?;
        let root = PastRoot::read(&root, &self.registry.places).map_or(root, |past| past.project);
        Git::at(&root).first_about(word)?.commit
    }

    /// The same, for a search.
    pub(crate) fn period_limit(&self, origin: &Origin, filters: &Filters) -> Result<Option<PeriodLimit>, UnknownTime> {
        let period = self.period(origin, filters)?;
        Ok(period.map(|period| PeriodLimit { period, undated: AtomicU64::new(0) }))
    }
}

/// The documents of a store that were made in a period.
#[derive(Debug, Default)]
pub(crate) struct MadeInPeriod {
    documents: Vec<(DocumentRow, ChunkRun)>,
    /// The files whose last commit is not known, so that they were left out.
    pub(crate) undated: u64,
}

impl Period {
    /// Reads the times of filters; `None` if they have none. Revisions are those of the repository of a root.
    ///
    /// # Errors
    /// A text is not a time.
    fn read(filters: &Filters, root: &Path, now: Timestamp) -> Result<Option<Self>, UnknownTime> {
        if !filters.has_time() {
            return Ok(None);
        }
        let start = |text: &Option<String>| {
            text.as_deref().map(|text| resolve(root, text, now).map(|stretch| stretch.start)).transpose()
        };
        Ok(Some(Self { since: start(&filters.since)?, before: start(&filters.before)? }))
    }

    /// Whether something was made in the period, and at which commit.
    pub(crate) fn contains(&self, made: Timestamp, made_at: Option<&str>) -> bool {
        self.since.as_ref().is_none_or(|since| !since.includes(made, made_at))
            && self.before.as_ref().is_none_or(|before| before.includes(made, made_at))
    }

    /// Returns the documents of a store that were made in the period.
    ///
    /// # Errors
    /// The store cannot be read.
    pub(crate) fn select(&self, store: &Arc<Store>) -> Result<MadeInPeriod, StoreError> {
        let commits = self.commits(store.present_root());
        let mut documents = Vec::new();
        store.index.read(|snapshot| {
            documents.clear();
            snapshot.each_document(None, |stored, run| {
                documents.push((stored.row, stored.document, run));
                Ok(ControlFlow::Continue(()))
            })
        })?;
        store.ledger.load_memories(documents.iter().filter_map(|(_, document, _)| document.memory));
        let mut made = MadeInPeriod::default();
        for (row, document, run) in documents {
            let is_in = if let Some(id) = document.memory {
                let memory = store.ledger.memory(id);
                memory.is_some_and(|memory| self.contains(memory.created, memory.provenance.commit.as_deref()))
            } else if document.document_type == DocumentType::Session {
                self.contains(session_time(&document), None)
            } else if let Some(is_in) = commits.as_ref().and_then(|commits| commits.contains(&document.path)) {
                is_in
            } else {
                made.undated += 1;
                false
            };
            if is_in {
                made.documents.push((row, run));
            }
        }
        made.documents.sort_unstable_by_key(|(row, _)| *row);
        Ok(made)
    }

    fn commits(&self, root: &Path) -> Option<CommittedInPeriod> {
        let git = Git::at(root);
        let changed = |point: &Option<TimePoint>| match point {
            Some(point) => git.changed_since(point).map(Some),
            None => Some(None),
        };
        Some(CommittedInPeriod {
            all: git.committed_files()?,
            since: changed(&self.since)?,
            since_end: changed(&self.before)?,
        })
    }
}

/// Which committed files changed since the beginning and since the end of a period.
struct CommittedInPeriod {
    all: BTreeSet<DocPath>,
    since: Option<BTreeSet<DocPath>>,
    since_end: Option<BTreeSet<DocPath>>,
}

impl CommittedInPeriod {
    /// Whether the last commit of a file is in the period; `None` if it has none.
    fn contains(&self, path: &DocPath) -> Option<bool> {
        let is_after = self.since.as_ref().is_none_or(|changed| changed.contains(path));
        let is_before = self.since_end.as_ref().is_none_or(|changed| !changed.contains(path));
        self.all.contains(path).then_some(is_after && is_before)
    }
}

impl MadeInPeriod {
    /// Whether a document was made in the period.
    pub(crate) fn contains(&self, row: DocumentRow) -> bool {
        self.documents.binary_search_by_key(&row, |(row, _)| *row).is_ok()
    }

    /// Returns the chunks of the documents, or those of them that are in a set.
    pub(crate) fn chunk_rows(&self, among: Option<&RowSet>) -> RowSet {
        let rows = self.documents.iter().flat_map(|(_, run)| run.rows());
        RowSet::from_rows(rows.filter(|row| among.is_none_or(|set| set.contains(*row))))
    }
}

/// Returns when a session ended: the time of its summary, or noon of the day in the name if the file was written on another day.
fn session_time(document: &Document) -> Timestamp {
    let name = document.path.as_str().rsplit('/').next().unwrap_or_default();
    match name.get(..10).and_then(Day::from_name) {
        Some(day) if Day::from_timestamp(document.modified) != day => {
            moment_of(&format!("{day}T12:00:00Z")).unwrap_or(document.modified)
        }
        _ => document.modified,
    }
}
