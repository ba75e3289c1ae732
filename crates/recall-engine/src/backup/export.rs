//! The export use case: everything that a store holds, as lines of JSON.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use recall_core::{ChunkId, DocumentRow, Scope};
use recall_index::catalog::{ChunkedDocument, OwnedRecord, ReadError};
use recall_journal::{JOURNAL_FILE, LineHash, rfc_3339};

use super::error::ExportError;
use super::layout;
use super::layout::{Area, Content, read_source};
use super::records::{
    Chain, Checkpoint, ChunkRecord, DocumentRecord, EdgeRecord, EmbeddingRecord, FORMAT, Header, JournalRecord,
    MemoryRecord, Record, SymbolRecord, VERSION,
};
use crate::Engine;
use crate::embeddings::ChunkTexts;
use crate::error::StoreError;
use crate::indexing::freshen;
use crate::mask::{self, Whole};
use crate::origin::Origin;
use crate::settings::EmbeddingModel;
use crate::store::Store;
use crate::warning::Warning;

/// How many documents are read from the catalog at a time.
const DOCUMENTS_A_PAGE: usize = 16;

/// After how many bytes a checksum is written, at which a partial export can be continued.
const CHECKPOINT_BYTES: u64 = 8 * 1024 * 1024;

/// What is exported, and where a partial export continues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportRequest {
    /// The store. All means the project's.
    pub scope: Scope,
    /// Whether embeddings by the built-in model are exported too.
    pub embeddings: Embeddings,
    /// The checkpoint to continue after; `None` for the beginning.
    pub resume: Option<Resume>,
}

/// Whether embeddings are exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Embeddings {
    /// One record for each chunk, by the built-in model. Other models are not exported.
    Included,
    /// No records of embeddings; an import computes them anyway.
    LeftOut,
}

/// The end of a partial export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resume {
    /// The generation that its first line names.
    pub generation: u64,
    /// The row that its last checkpoint names.
    pub after_row: i64,
    /// The number of records that it names.
    pub records: u64,
    /// The checksum that it names.
    pub blake3: String,
}

/// Takes the next lines of an export, whole lines each time, and the number of records so far. An error ends the export.
pub type ExportSink<'a> = dyn FnMut(Vec<u8>, u64) -> Result<(), ExportError> + 'a;

impl Engine {
    /// Updates a store from its files, and waits until all are indexed: an export of a part would look whole.
    fn freshen_wholly(&self, store: &Arc<Store>) -> Result<(), StoreError> {
        loop {
            let warnings = freshen(store, &self.settings, &self.clock)?;
            if !warnings.iter().any(is_unfinished) {
                return Ok(());
            }
            if store.jobs.cancel().is_cancelled() {
                return Err(StoreError::Cancelled);
            }
            std::thread::sleep(PAUSE);
        }
    }
}

/// Whether an answer with that warning lacks files.
fn is_unfinished(warning: &Warning) -> bool {
    matches!(
        warning,
        Warning::Indexing { .. } | Warning::IndexingWaits | Warning::NotIndexedYet(_) | Warning::ScanRunning
    )
}

/// How long an unfinished index is left alone before it is asked again.
const PAUSE: Duration = Duration::from_millis(50);

impl Engine {
    /// Exports a store. Its lines are passed on as they are made.
    ///
    /// The text is what answers show: secrets are masked. The documents are those of one generation.
    ///
    /// # Errors
    /// The store cannot be opened or read, it has changed since the partial export was begun, or `sink` ends the export.
    pub fn export(
        &self,
        origin: &Origin,
        request: &ExportRequest,
        sink: &mut ExportSink<'_>,
    ) -> Result<(), ExportError> {
        let ExportRequest { scope, embeddings, resume } = request;
        let store = self.single_store(origin, *scope)?;
        self.freshen_wholly(&store)?;
        self.flush_recorder();
        let model = match embeddings {
            Embeddings::LeftOut => None,
            Embeddings::Included => Some(self.settings.model.as_ref().ok_or(ExportError::NoModel)?),
        };
        let snapshot = store.index.snapshot()?;
        let generation = snapshot.generation().0;
        let mut lines = match resume {
            None => ExportedLines::new(Chain::new(), sink),
            Some(Resume { generation: was, .. }) if *was != generation => {
                return Err(ExportError::Changed { was: *was, is: generation });
            }
            Some(Resume { blake3, records, .. }) => {
                ExportedLines::new(Chain::after(blake3, *records).ok_or(ExportError::NoCheckpoint)?, sink)
            }
        };
        if resume.is_none() {
            let parser_version = snapshot.parser_version().map_err(|source| store.index.read_error(source))?;
            lines.write(&Record::Header(Header {
                format: FORMAT.to_owned(),
                version: VERSION,
                recall_version: env!("CARGO_PKG_VERSION").to_owned(),
                created: rfc_3339(self.clock.now()),
                project: mask::shown_path(store.root.display().to_string()),
                scope: store.scope.as_str().to_owned(),
                generation,
                parser_version,
                chunk_tokens: store.settings().limits.chunk_tokens,
                embeddings: model.is_some(),
            }))?;
        }
        let mut after = DocumentRow(resume.as_ref().map_or(0, |resume| resume.after_row));
        loop {
            let page = snapshot.records_after(after, DOCUMENTS_A_PAGE);
            let page = page.map_err(|source: ReadError| store.index.read_error(source))?;
            let Some(last) = page.last() else { break };
            let last = last.row;
            for record in page {
                after = record.row;
                // A memory's document follows from its journal.
                if record.document.memory.is_none() {
                    lines.document(record, model)?;
                }
                if lines.chain.bytes >= CHECKPOINT_BYTES {
                    lines.checkpoint(after, Record::Checkpoint)?;
                }
            }
            after = last;
        }
        drop(snapshot);
        if lines.chain.bytes > 0 {
            lines.checkpoint(after, Record::Checkpoint)?;
        }
        for memory in store.ledger.in_force() {
            lines.write(&Record::Memory(MemoryRecord::new(&mask::memory(memory))))?;
        }
        self.export_journals(origin, &store, &mut lines)?;
        lines.checkpoint(after, Record::End)?;
        lines.flush()
    }

    /// Exports the journals of memories and the events of sessions, and which of the memories this user's recall wrote.
    fn export_journals(
        &self,
        origin: &Origin,
        store: &Store,
        lines: &mut ExportedLines<'_, '_>,
    ) -> Result<(), ExportError> {
        let mut exported = HashSet::new();
        for area in self.areas(origin, store) {
            for source in layout::list_files(&area, &self.root_of(&area, store))? {
                lines.journal(&source, &mut |line, is_journal| {
                    if is_journal {
                        exported.insert(LineHash::from_line(line));
                    }
                    true
                })?;
            }
        }
        for source in layout::list_files(&Area::Written, &self.registry.places.written_logs())? {
            if source.path.ends_with(JOURNAL_FILE) {
                lines.journal(&source, &mut |line, _| exported.contains(&LineHash::from_line(line)))?;
            }
        }
        Ok(())
    }
}

/// Decides whether a line is exported; the second argument is whether it is of a journal of memories.
type IsWanted<'a> = dyn FnMut(&[u8], bool) -> bool + 'a;

struct ExportedLines<'s, 'f> {
    chain: Chain,
    waiting: Vec<u8>,
    sink: &'s mut ExportSink<'f>,
}

/// How many bytes are passed on at once, at least.
const PIECE_BYTES: usize = 32 * 1024;

impl<'s, 'f> ExportedLines<'s, 'f> {
    fn new(chain: Chain, sink: &'s mut ExportSink<'f>) -> Self {
        Self { chain, waiting: Vec::new(), sink }
    }

    fn write(&mut self, record: &Record) -> Result<(), ExportError> {
        let start = self.append(record);
        self.chain.line(&self.waiting[start..]);
        if self.waiting.len() >= PIECE_BYTES { self.flush() } else { Ok(()) }
    }

    fn append(&mut self, record: &Record) -> usize {
        let start = self.waiting.len();
        serde_json::to_writer(&mut self.waiting, record).expect("the records have text keys only");
        self.waiting.push(b'\n');
        start
    }

    fn checkpoint(&mut self, after: DocumentRow, record: impl FnOnce(Checkpoint) -> Record) -> Result<(), ExportError> {
        let records = self.chain.records;
        let checkpoint = Checkpoint { after_row: after.0, records, blake3: self.chain.checksum() };
        self.append(&record(checkpoint));
        self.flush()
    }

    fn flush(&mut self) -> Result<(), ExportError> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        (self.sink)(std::mem::take(&mut self.waiting), self.chain.records)
    }

    fn document(&mut self, record: OwnedRecord, model: Option<&EmbeddingModel>) -> Result<(), ExportError> {
        let OwnedRecord { row, first_chunk, mut document, created, text, mut parsed } = record;
        let id = document.id;
        let chunk_id = |ordinal| ChunkId { document: id, ordinal };
        let chunked = model.map(|_| ChunkedDocument {
            path: document.path.clone(),
            document_type: document.document_type,
            first: first_chunk,
            text: text.clone(),
            chunks: parsed.chunks.clone(),
        });
        let has_secrets = !mask::find_in_file(&document.path, &text).is_empty() || mask::is_secret_path(&document.path);
        let whole = has_secrets.then(|| Whole::new(&document.path, text.clone()));
        let shown = |mut part: String, at: std::ops::Range<usize>| {
            if let Some(whole) = &whole {
                whole.mask_part(&mut part, at);
            }
            part
        };
        let all = 0..text.len();
        if let Some(whole) = &whole {
            whole.mask_label(&mut document.title);
        }
        mask::document(&mut document);
        let chunks: Vec<ChunkRecord> = parsed
            .chunks
            .iter_mut()
            .map(|chunk| {
                mask::some_text(&mut chunk.symbol);
                mask::some_text(&mut chunk.signature);
                let bytes = chunk.span.bytes;
                let part = bytes.slice(&text).unwrap_or_default().to_owned();
                let part = shown(part, bytes.start as usize..bytes.end as usize);
                ChunkRecord::new(chunk_id(chunk.ordinal), chunk, part)
            })
            .collect();
        let text = shown(text, all);
        self.write(&Record::Document(DocumentRecord::new(row.0, &document, created, text)))?;
        for chunk in chunks {
            self.write(&Record::Chunk(chunk))?;
        }
        for symbol in &mut parsed.symbols {
            mask::symbol(symbol);
            self.write(&Record::Symbol(SymbolRecord::new(chunk_id(symbol.chunk), symbol)))?;
        }
        for edge in &mut parsed.edges {
            mask::text(&mut edge.target);
            self.write(&Record::Edge(EdgeRecord::new(chunk_id(edge.chunk), edge)))?;
        }
        let (Some(model), Some(chunked)) = (model, chunked) else { return Ok(()) };
        let texts = ChunkTexts::new(&chunked);
        let embedded = model.embedder.embed_chunks(&texts.parts()).map_err(ExportError::Model)?;
        for (embedding, ordinal) in embedded.iter().zip(0..) {
            let values = embedding.as_slice().to_vec();
            let (chunk_id, model) = (chunk_id(ordinal).to_string(), model.name.clone());
            self.write(&Record::Embedding(EmbeddingRecord { chunk_id, model, values }))?;
        }
        Ok(())
    }

    /// Exports the lines of a journal or of a session's events. Other files are not exported.
    fn journal(&mut self, source: &layout::Source, is_wanted: &mut IsWanted<'_>) -> Result<(), ExportError> {
        let Some(Content::Lines(name)) = source.area.content(&source.path) else { return Ok(()) };
        // A file that is gone or no regular file has no lines; `recall doctor` reports the latter.
        let Ok(bytes) = read_source(source)? else { return Ok(()) };
        // The end of the file may be a line that is being written.
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        for line in bytes[..whole].split_inclusive(|byte| *byte == b'\n') {
            // Journals keep lines that are not UTF-8, but they cannot be events.
            let Ok(text) = std::str::from_utf8(line) else { continue };
            if text.trim().is_empty() || !is_wanted(line, name == JOURNAL_FILE) {
                continue;
            }
            let mut line = text.trim_end_matches('\n').to_owned();
            mask::text(&mut line);
            let (area, path) = (source.area.clone(), source.path.clone());
            self.write(&Record::Journal(JournalRecord { area, path, line }))?;
        }
        Ok(())
    }
}

impl fmt::Debug for ExportedLines<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lines").field("chain", &self.chain).finish_non_exhaustive()
    }
}
