//! The scan of the texts that may match, and the order of the documents that do.
//!
//! Signatures leave out most documents (ADR 49); of the others the texts are read and matched. Many are read by several threads, each
//! on a snapshot of its own. Their answers count only if all saw the same generation; after some attempts one thread reads one
//! snapshot, so that a store that is written all the time is answered too.
//!
//! The order has three factors, so that it can be explained: what kind of file it is, whether a matched name is defined there, and how
//! often it matches. Every document that matches has an order; none is left out by it.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Instant;

use recall_core::{Chunk, Document, DocumentRow, Filters, Generation, Needle, Symbol, SymbolKind, Timestamp};
use recall_index::catalog::{ReadError, Snapshot};
use recall_index::lexical::document_matcher;
use recall_index::lexical::exact::{MatchedLine, Pattern};

use crate::engine::MountedStore;
use crate::error::StoreError;
use crate::matching::Period;
use crate::search::kind_factor;
use crate::store::Store;
use crate::{Engine, mask};

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
    pub(super) period: Option<&'a Period>,
    pub(super) began: Instant,
}

/// A document that matches.
#[derive(Clone, Debug)]
pub(super) struct Matching {
    /// The index of its store: those of this machine come first, then the shared ones.
    pub(super) store: usize,
    pub(super) source: TextSource,
    /// As it is stored; of a shared store, as answers show it.
    pub(super) document: Document,
    /// When its path was first indexed; `None` if that is not known.
    pub(super) created: Option<Timestamp>,
    /// The number of matches.
    pub(super) matches: u64,
    /// The number of lines in which matches begin.
    pub(super) lines: u64,
    /// The places in its text where a matched name is defined.
    pub(super) definitions: Vec<usize>,
    pub(super) score: f64,
}

/// Where the text of a document is.
#[derive(Clone, Debug)]
pub(super) enum TextSource {
    /// In the catalog of its store.
    Indexed(DocumentRow),
    /// It came from a shared store.
    Published(Arc<PublishedText>),
}

impl Matching {
    /// Returns the row of the document, if its store is this one of this machine.
    fn row_in(&self, store: usize) -> Option<DocumentRow> {
        match self.source {
            TextSource::Indexed(row) if self.store == store => Some(row),
            _ => None,
        }
    }
}

/// The text of a published document, with its structure.
#[derive(Debug)]
pub(super) struct PublishedText {
    pub(super) text: String,
    pub(super) chunks: Vec<Chunk>,
    pub(super) symbols: Vec<Symbol>,
}

impl PublishedText {
    /// Places the chunks and symbols by their lines: their bytes are those of the text before its secrets were masked.
    pub(super) fn new(text: String, mut chunks: Vec<Chunk>, mut symbols: Vec<Symbol>) -> Self {
        let starts: Vec<usize> =
            std::iter::once(0).chain(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1)).collect();
        let start_of = |line: u32| starts.get(line.saturating_sub(1) as usize).copied().unwrap_or(text.len()) as u32;
        let spans = chunks.iter_mut().map(|chunk| &mut chunk.span);
        for span in spans.chain(symbols.iter_mut().map(|symbol| &mut symbol.span)) {
            (span.bytes.start, span.bytes.end) = (start_of(span.start_line), start_of(span.end_line + 1));
        }
        Self { text, chunks, symbols }
    }
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
            let made = self.period.map(|period| period.select(&store.store)).transpose()?;
            let snapshot = store.index.snapshot()?;
            let mut rows = store.index.may_match(&snapshot, self.pattern)?;
            rows.retain(|row| made.as_ref().is_none_or(|made| made.contains(*row)));
            let part = ScanPart {
                store: Arc::clone(&store.store),
                number,
                pattern: Arc::clone(self.pattern),
                filters: Arc::clone(&filters),
                rows,
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

    /// Returns the number of documents that pass the filters, and of the files whose last commit is not known.
    pub(super) fn passing(&self) -> Result<(u64, u64), StoreError> {
        let (mut count, mut undated) = (0, 0);
        for store in self.stores {
            let made = self.period.map(|period| period.select(&store.store)).transpose()?;
            undated += made.as_ref().map_or(0, |made| made.undated);
            let filters = store.mount.inner_filters(self.filters);
            let passes = document_matcher(&filters);
            store.index.read(|snapshot| {
                snapshot.each_document(None, |stored, _| {
                    let is_made = made.as_ref().is_none_or(|made| made.contains(stored.row));
                    count += u64::from(is_made && passes(&stored.document));
                    Ok(std::ops::ControlFlow::Continue(()))
                })
            })?;
        }
        Ok((count, undated))
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
                    source: TextSource::Indexed(row),
                    document: stored.document,
                    created: Some(stored.created),
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

/// The factor of a document that defines a matched name.
const DEFINES: f64 = 4.0;

/// The factor of a document in which a match is in the name of a definition, or in a heading or a key.
const NAMES: f64 = 2.0;

/// What a match more adds to the logarithm: eight matches count like two thirds of a match more.
const MATCHES_WEIGHT: f64 = 0.3;

/// In how many documents definitions are looked for: those first by the other factors, and those that the index of names has for
/// the literal. Reading them takes about as long as the rest of an answer.
const MOST_WITH_DEFINITIONS: usize = 100;

/// Scores the documents and sorts them, best first; equal scores by path and store.
pub(super) fn sort_documents(scan: &Scan<'_>, matching: &mut [Matching], needle: &Needle) -> Result<(), StoreError> {
    for one in matching.iter_mut() {
        one.score = kind_factor(one.document.file_kind) * (1.0 + MATCHES_WEIGHT * (one.matches as f64).ln());
    }
    sort_by_score(matching);
    let named = if matching.len() > MOST_WITH_DEFINITIONS { documents_by_name(scan, needle)? } else { HashSet::new() };
    for (number, store) in scan.stores.iter().enumerate() {
        let snapshot = store.index.snapshot()?;
        for (place, one) in matching.iter_mut().enumerate() {
            let Some(row) = one.row_in(number) else { continue };
            if place < MOST_WITH_DEFINITIONS || named.contains(&(number, row)) {
                let definitions = indexed_definitions(&snapshot, scan, row, &one.document);
                one.weigh_definitions(definitions.map_err(|source| store.index.read_error(source))?);
            }
        }
    }
    for one in matching.iter_mut().take(MOST_WITH_DEFINITIONS) {
        if let TextSource::Published(published) = &one.source {
            let PublishedText { text, chunks, symbols } = &**published;
            one.weigh_definitions(definitions(scan.pattern, &one.document, text, chunks, symbols));
        }
    }
    sort_by_score(matching);
    Ok(())
}

fn sort_by_score(matching: &mut [Matching]) {
    matching.sort_by(|a, b| {
        let by_path = || (&a.document.path, a.store).cmp(&(&b.document.path, b.store));
        b.score.total_cmp(&a.score).then_with(by_path)
    });
}

/// Returns the documents with a definition of the literal, by the index of names.
fn documents_by_name(scan: &Scan<'_>, needle: &Needle) -> Result<HashSet<(usize, DocumentRow)>, StoreError> {
    let mut all = HashSet::new();
    if let Needle::Literal(name) = needle {
        for (number, store) in scan.stores.iter().enumerate() {
            let found = store.index.searcher().defining(name, MOST_WITH_DEFINITIONS);
            let found = found.map_err(|source| store.index.search_error(source))?;
            all.extend(found.into_iter().map(|candidate| (number, candidate.document)));
        }
    }
    Ok(all)
}

impl Matching {
    /// Notes the places of names that are defined, with the factor of each.
    fn weigh_definitions(&mut self, definitions: Vec<(usize, f64)>) {
        self.score *= definitions.iter().map(|(_, factor)| *factor).fold(1.0, f64::max);
        self.definitions = definitions.into_iter().map(|(place, _)| place).collect();
    }
}

fn indexed_definitions(
    snapshot: &Snapshot<'_>,
    scan: &Scan<'_>,
    row: DocumentRow,
    document: &Document,
) -> Result<Vec<(usize, f64)>, ReadError> {
    let symbols = snapshot.symbols_of(row)?;
    if symbols.is_empty() {
        return Ok(Vec::new());
    }
    let Some(text) = snapshot.text(row)? else { return Ok(Vec::new()) };
    Ok(definitions(scan.pattern, document, &text, &snapshot.chunks_of(row)?, &symbols))
}

/// Returns the places of the names that are defined in a document and touched by a match, with the factor of each.
fn definitions(
    pattern: &Pattern,
    document: &Document,
    text: &str,
    chunks: &[Chunk],
    symbols: &[Symbol],
) -> Vec<(usize, f64)> {
    let lines = visible_lines(pattern, document, text);
    let mut found = Vec::new();
    for symbol in symbols {
        // The name may be in the comment before the definition too. A comment in its body, as in Python, is after the name.
        let bytes = symbol.span.bytes;
        let comment = chunks.get(symbol.chunk as usize).and_then(|chunk| chunk.doc_comment);
        let before = comment.filter(|comment| comment.start <= bytes.start && comment.end > bytes.start);
        let start = before.map_or(bytes.start, |comment| comment.end) as usize;
        let Some(body) = text.get(start..bytes.end as usize) else { continue };
        let Some(at) = body.find(&symbol.name).map(|at| start + at) else { continue };
        let end = at + symbol.name.len();
        let line = lines.partition_point(|line| line.bytes.end < at);
        let touching = lines[line..].iter().take_while(|line| line.bytes.start < end);
        let matches = touching.flat_map(|line| &line.matches).filter(|one| one.start < end && at < one.end);
        let is_prose = matches!(symbol.kind, SymbolKind::Heading | SymbolKind::Key);
        let factor = |one: &std::ops::Range<usize>| {
            if one.start <= at && end <= one.end && !is_prose { DEFINES } else { NAMES }
        };
        if let Some(factor) = matches.map(factor).reduce(f64::max) {
            found.push((at, factor));
        }
    }
    found
}
