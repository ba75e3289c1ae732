//! A row that filters are evaluated on, as an answer shows it.

use std::borrow::Cow;

use recall_core::rql::{Field, Row, Value};
use recall_core::{Chunk, ChunkId, ChunkRow, MemoryView, StoreScope};
use recall_index::catalog::{ChunkRun, StoredDocument};
use recall_text::{DocPath, Language};

/// A document, with one of its chunks and its memory if they are part of the row. Secrets are masked in what conditions depend on.
#[derive(Clone, Debug)]
pub(crate) struct MatchRow {
    pub(crate) scope: StoreScope,
    /// The path, unmasked: only the order of rows may depend on it.
    pub(crate) path: DocPath,
    pub(crate) stored: StoredDocument,
    pub(crate) run: ChunkRun,
    /// The memory, if the document is one and it was read.
    pub(crate) memory: Option<Box<MemoryView>>,
    pub(crate) chunk: Option<(ChunkRow, Chunk)>,
    /// The text of the chunk, if it was read.
    pub(crate) text: Option<String>,
}

impl Row for MatchRow {
    fn value(&self, field: Field) -> Value<'_> {
        match field {
            Field::ChunkId
            | Field::ChunkDocId
            | Field::ChunkOffset
            | Field::ChunkTokens
            | Field::ChunkText
            | Field::ChunkKind
            | Field::ChunkSymbol
            | Field::ChunkStartLine
            | Field::ChunkEndLine => self.chunk_value(field).unwrap_or(Value::Absent),
            Field::MemoryId
            | Field::MemoryType
            | Field::MemoryTitle
            | Field::MemoryContent
            | Field::MemoryTag
            | Field::MemoryScope
            | Field::MemoryCreatedAt
            | Field::MemoryUpdatedAt
            | Field::MemorySession
            | Field::MemoryUsefulness => self.memory_value(field).unwrap_or(Value::Absent),
            _ => self.document_value(field),
        }
    }
}

impl MatchRow {
    fn document_value(&self, field: Field) -> Value<'_> {
        let document = &self.stored.document;
        match field {
            Field::DocId => {
                let memory = document.memory.map(|memory| memory.to_string());
                text(memory.unwrap_or_else(|| document.id.to_string()))
            }
            Field::DocPath => Value::from_text(Some(document.path.as_str())),
            Field::DocMtime => Value::Time(document.modified.0),
            Field::DocHash => text(document.hash.to_string()),
            Field::DocTag => Value::Set(&document.tags),
            Field::DocSource => Value::from_text(document.source.as_deref()),
            Field::DocType => Value::from_text(Some(document.document_type.as_str())),
            Field::DocTitle => Value::from_text(Some(&document.title)),
            Field::DocScope => Value::from_text(Some(self.scope.as_str())),
            Field::DocLanguage => Value::from_text(document.language.as_ref().map(Language::as_str)),
            Field::DocSize => Value::Number(document.size_bytes as f64),
            Field::DocStaleness => Value::Number(self.memory.as_ref().map_or(0.0, |memory| memory.staleness)),
            _ => Value::Absent,
        }
    }

    fn chunk_value(&self, field: Field) -> Option<Value<'_>> {
        let (_, chunk) = self.chunk.as_ref()?;
        let document = self.stored.document.id;
        Some(match field {
            Field::ChunkId => text(ChunkId { document, ordinal: chunk.ordinal }.to_string()),
            Field::ChunkDocId => text(document.to_string()),
            Field::ChunkOffset => Value::Number(f64::from(chunk.span.bytes.start)),
            Field::ChunkTokens => Value::Number(f64::from(chunk.tokens)),
            Field::ChunkText => Value::from_text(self.text.as_deref()),
            Field::ChunkKind => Value::from_text(Some(chunk.kind.as_str())),
            Field::ChunkSymbol => Value::from_text(chunk.symbol.as_deref()),
            Field::ChunkStartLine => Value::Number(f64::from(chunk.span.start_line)),
            Field::ChunkEndLine => Value::Number(f64::from(chunk.span.end_line)),
            _ => return None,
        })
    }

    fn memory_value(&self, field: Field) -> Option<Value<'_>> {
        let view = self.memory.as_ref()?;
        let memory = &view.memory;
        Some(match field {
            Field::MemoryId => text(memory.id.to_string()),
            Field::MemoryType => Value::from_text(Some(memory.id.memory_type.as_str())),
            Field::MemoryTitle => Value::from_text(Some(&memory.title)),
            Field::MemoryContent => Value::from_text(Some(&memory.content)),
            Field::MemoryTag => Value::Set(&memory.tags),
            Field::MemoryScope => Value::from_text(Some(self.scope.as_str())),
            Field::MemoryCreatedAt => Value::Time(memory.created.0),
            Field::MemoryUpdatedAt => Value::Time(memory.updated.0),
            Field::MemorySession => Value::from_text(memory.provenance.session.as_deref()),
            Field::MemoryUsefulness => view.stats.usefulness.map_or(Value::Absent, Value::Number),
            _ => return None,
        })
    }
}

fn text(text: String) -> Value<'static> {
    Value::Text(Cow::Owned(text))
}
