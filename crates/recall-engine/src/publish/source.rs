//! The documents of a project that are published.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use recall_core::{ChunkText, DocumentRow, Embedder, Memory, MemoryId};
use recall_index::catalog::{ListQuery, ListSort, OwnedRecord};
use recall_shared::{ChunkRecord, DocumentRecord, Key, Manifest, Source};

use crate::error::{PublishSourceError, StoreError};
use crate::git::Git;
use crate::index_runs::Cancel;
use crate::operations::OperationHandle;
use crate::shared::{KeyedDocument, RecordedMemory, document_key, published_document};
use crate::store::Store;

/// The documents of one store: the files that git tracks, and the memories in force.
pub(super) struct Documents<'a> {
    store: &'a Store,
    embedder: Option<Arc<dyn Embedder>>,
    manifest: Manifest,
    rows: HashMap<String, DocumentRow>,
    memories: HashMap<MemoryId, Memory>,
    /// The texts of the chunks that were read last, in the form in which they are embedded.
    read: RefCell<HashMap<Key, OwnedText>>,
    operation: OperationHandle<'a>,
    cancel: &'a Cancel,
}

/// The parts of a chunk that are embedded.
struct OwnedText {
    path: String,
    symbol: String,
    text: String,
}

impl<'a> Documents<'a> {
    /// Lists the documents. Reads no texts.
    pub(super) fn list(
        store: &'a Store,
        embedder: Option<Arc<dyn Embedder>>,
        operation: OperationHandle<'a>,
        cancel: &'a Cancel,
    ) -> Result<Self, PublishSourceError> {
        let tracked = Git::at(&store.root).tracked_paths(&["."]).ok_or(PublishSourceError::NotTracked)?;
        let all = ListQuery { sort: ListSort::Path, limit: u64::MAX, ..ListQuery::default() };
        let listed = store.index.read(|snapshot| snapshot.list(&all))?;
        let memories: HashMap<MemoryId, Memory> =
            store.ledger.in_force().into_iter().map(|memory| (memory.id, memory)).collect();
        let (mut manifest, mut rows) = (Manifest::new(), HashMap::new());
        for stored in listed {
            let document = &stored.document;
            let is_public = match document.memory {
                Some(id) => memories.contains_key(&id),
                None => tracked.contains(&document.path),
            };
            if is_public && stored.chunk_count > 0 && !crate::mask::is_secret_path(&document.path) {
                let path = document.path.as_str().to_owned();
                manifest.insert(path.clone(), document_key(document));
                rows.insert(path, stored.row);
            }
        }
        Ok(Self { store, embedder, manifest, rows, memories, read: RefCell::default(), operation, cancel })
    }

    /// Returns the number of documents.
    pub(super) fn count(&self) -> u64 {
        self.manifest.len() as u64
    }

    fn record(&self, path: &str) -> Result<Option<OwnedRecord>, StoreError> {
        let Some(row) = self.rows.get(path) else { return Ok(None) };
        let before = DocumentRow(row.0 - 1);
        let at_row = self.store.index.read(|snapshot| snapshot.records_after(before, 1))?.pop();
        Ok(at_row.filter(|record| record.document.path.as_str() == path))
    }

    fn recorded_memory(&self, id: MemoryId) -> Option<RecordedMemory> {
        let memory = self.memories.get(&id)?;
        Some(RecordedMemory {
            id: memory.id.to_string(),
            title: memory.title.to_string(),
            created: memory.created.0,
            updated: memory.updated.0,
            agent: memory.provenance.agent.clone(),
            tags: memory.tags.clone(),
        })
    }
}

impl Source for Documents<'_> {
    type Error = PublishSourceError;

    fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    fn read(&self, paths: &[String]) -> Result<Vec<(DocumentRecord, Vec<ChunkRecord>)>, PublishSourceError> {
        let mut read = self.read.borrow_mut();
        read.clear();
        let mut documents = Vec::with_capacity(paths.len());
        for path in paths {
            let Some(record) = self.record(path)? else { continue };
            let memory = record.document.memory.and_then(|id| self.recorded_memory(id));
            let Some(KeyedDocument { record, chunks, texts }) = published_document(record, memory) else { continue };
            for (chunk, ChunkText { path, symbol, text, document: _ }) in chunks.iter().zip(texts.parts()) {
                let text = OwnedText { path: path.to_owned(), symbol: symbol.to_owned(), text: text.to_owned() };
                read.insert(chunk.key, text);
            }
            documents.push((record, chunks));
        }
        Ok(documents)
    }

    fn embed(&self, chunks: &mut [ChunkRecord]) -> Result<(), PublishSourceError> {
        let Some(embedder) = &self.embedder else { return Ok(()) };
        let read = self.read.borrow();
        let texts: Vec<ChunkText<'_>> = chunks
            .iter()
            .map(|chunk| match read.get(&chunk.key) {
                Some(OwnedText { path, symbol, text }) => ChunkText { path, symbol, text, document: "" },
                None => ChunkText::default(),
            })
            .collect();
        let vectors = embedder.embed_chunks(&texts).map_err(PublishSourceError::Model)?;
        for (chunk, vector) in chunks.iter_mut().zip(vectors) {
            chunk.vector = Some(vector);
        }
        Ok(())
    }

    fn report(&self, done: u64, all: u64) -> bool {
        self.operation.report(done, all);
        !self.cancel.is_cancelled()
    }
}
