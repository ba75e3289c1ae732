//! The records of an export: one JSON object a line, with checksums.
//!
//! A checksum covers the lines since the one before it, and that checksum, so that a partial export can be continued.

use recall_core::{Chunk, ChunkId, Document, DocumentType, Edge, Memory, Symbol, Timestamp};
use recall_journal::{moment_of, rfc_3339};
use recall_text::{DocPath, Language};
use serde::{Deserialize, Serialize};

use super::layout::Area;
use crate::store::ImportedDocument;

/// The name of the format.
pub(super) const FORMAT: &str = "recall-export";

/// The version of the format. Within a version, fields and kinds of records are only added.
pub(super) const VERSION: u64 = 1;

/// The longest path of a document: no file of Linux has a longer one, and every answer about the document repeats it.
const MOST_PATH_BYTES: usize = 4096;

/// A line of an export.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "record", rename_all = "snake_case")]
pub(super) enum Record {
    /// The first line.
    Header(Header),
    /// A document with its text. Its chunks, symbols, edges and embeddings follow.
    Document(DocumentRecord),
    /// A chunk of the last document.
    Chunk(ChunkRecord),
    /// A symbol of the last document.
    Symbol(SymbolRecord),
    /// An edge of the last document.
    Edge(EdgeRecord),
    /// The embedding of a chunk of the last document.
    Embedding(EmbeddingRecord),
    /// A memory as it is now.
    Memory(MemoryRecord),
    /// A line of a journal of memories, or of the events of a session.
    Journal(JournalRecord),
    /// A checksum at which a partial export can be continued.
    Checkpoint(Checkpoint),
    /// The last line.
    End(Checkpoint),
}

/// What was exported.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Header {
    pub(super) format: String,
    pub(super) version: u64,
    pub(super) recall_version: String,
    pub(super) created: String,
    /// The root of the store.
    pub(super) project: String,
    pub(super) scope: String,
    pub(super) generation: u64,
    /// The version of the parser, on which chunks and symbols depend.
    pub(super) parser_version: u32,
    /// The largest chunk, on which they depend too.
    pub(super) chunk_tokens: u32,
    /// Whether there are embeddings.
    pub(super) embeddings: bool,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct DocumentRecord {
    pub(super) row: i64,
    pub(super) id: String,
    pub(super) path: String,
    #[serde(rename = "type")]
    pub(super) document_type: String,
    pub(super) title: String,
    pub(super) language: Option<String>,
    pub(super) hash: String,
    pub(super) size: u64,
    pub(super) mtime: String,
    pub(super) created_at: String,
    pub(super) file_kind: String,
    pub(super) tag: Vec<String>,
    pub(super) source: Option<String>,
    pub(super) text: String,
}

impl DocumentRecord {
    pub(super) fn new(row: i64, document: &Document, created: Timestamp, text: String) -> Self {
        let Document {
            id,
            path,
            memory: _,
            document_type,
            title,
            language,
            hash,
            size_bytes,
            modified,
            file_kind,
            tags,
            source,
        } = document;
        Self {
            row,
            id: id.to_string(),
            path: path.as_str().to_owned(),
            document_type: document_type.as_str().to_owned(),
            title: title.clone(),
            language: language.as_ref().map(Language::to_string),
            hash: hash.to_string(),
            size: *size_bytes,
            mtime: rfc_3339(*modified),
            created_at: rfc_3339(created),
            file_kind: file_kind.as_str().to_owned(),
            tag: tags.clone(),
            source: source.clone(),
            text,
        }
    }

    /// Returns the document as a store keeps it without its file; `None` if a field is not valid. What follows from the text is
    /// left out.
    pub(super) fn imported_document(&self) -> Option<ImportedDocument> {
        if self.path.len() > MOST_PATH_BYTES {
            return None;
        }
        let document_type: DocumentType = self.document_type.parse().ok()?;
        Some(ImportedDocument {
            path: DocPath::new(&self.path).ok()?,
            document_type: Some(document_type).filter(|kind| !kind.is_memory())?,
            hash: recall_core::ContentHash(*blake3::Hash::from_hex(&self.hash).ok()?.as_bytes()),
            size_bytes: self.size,
            modified: moment_of(&self.mtime)?,
            created: moment_of(&self.created_at)?,
            tags: self.tag.clone(),
            source: self.source.clone(),
        })
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ChunkRecord {
    pub(super) id: String,
    pub(super) doc_id: String,
    pub(super) kind: String,
    /// The first byte in the document's text, before secrets are masked.
    pub(super) offset: u32,
    pub(super) start_line: u32,
    pub(super) end_line: u32,
    pub(super) tokens: u32,
    pub(super) symbol: Option<String>,
    pub(super) signature: Option<String>,
    pub(super) text: String,
}

impl ChunkRecord {
    pub(super) fn new(id: ChunkId, chunk: &Chunk, text: String) -> Self {
        let Chunk { ordinal: _, kind, span, symbol, signature, doc_comment: _, tokens } = chunk;
        Self {
            id: id.to_string(),
            doc_id: id.document.to_string(),
            kind: kind.as_str().to_owned(),
            offset: span.bytes.start,
            start_line: span.start_line,
            end_line: span.end_line,
            tokens: *tokens,
            symbol: symbol.clone(),
            signature: signature.clone(),
            text,
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SymbolRecord {
    pub(super) chunk_id: String,
    pub(super) name: String,
    pub(super) qualified: String,
    pub(super) kind: String,
    pub(super) start_line: u32,
    pub(super) end_line: u32,
}

impl SymbolRecord {
    pub(super) fn new(chunk: ChunkId, symbol: &Symbol) -> Self {
        let Symbol { name, qualified, kind, span, chunk: _ } = symbol;
        Self {
            chunk_id: chunk.to_string(),
            name: name.clone(),
            qualified: qualified.clone(),
            kind: kind.as_str().to_owned(),
            start_line: span.start_line,
            end_line: span.end_line,
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct EdgeRecord {
    pub(super) chunk_id: String,
    pub(super) kind: String,
    pub(super) target: String,
}

impl EdgeRecord {
    pub(super) fn new(chunk: ChunkId, edge: &Edge) -> Self {
        let Edge { kind, chunk: _, target } = edge;
        Self { chunk_id: chunk.to_string(), kind: kind.as_str().to_owned(), target: target.clone() }
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct EmbeddingRecord {
    pub(super) chunk_id: String,
    pub(super) model: String,
    pub(super) values: Vec<f32>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct MemoryRecord {
    pub(super) id: String,
    #[serde(rename = "type")]
    pub(super) memory_type: String,
    pub(super) title: String,
    pub(super) content: String,
    pub(super) tags: Vec<String>,
    pub(super) related_files: Vec<String>,
    pub(super) source: Option<String>,
    pub(super) supersedes: Option<String>,
    pub(super) created_at: String,
    pub(super) updated_at: String,
}

impl MemoryRecord {
    pub(super) fn new(memory: &Memory) -> Self {
        Self {
            id: memory.id.to_string(),
            memory_type: memory.id.memory_type.as_str().to_owned(),
            title: memory.title.to_string(),
            content: memory.content.to_string(),
            tags: memory.tags.clone(),
            related_files: memory.related_files.iter().map(|path| path.as_str().to_owned()).collect(),
            source: memory.source.clone(),
            supersedes: memory.supersedes.map(|older| older.to_string()),
            created_at: rfc_3339(memory.created),
            updated_at: rfc_3339(memory.updated),
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct JournalRecord {
    /// The folder that the path is relative to.
    pub(super) area: Area,
    pub(super) path: String,
    pub(super) line: String,
}

/// The checksum of everything before it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Checkpoint {
    /// The row of the last document before it.
    pub(super) after_row: i64,
    /// The number of records before it, other than checkpoints.
    pub(super) records: u64,
    /// The checksum, in hexadecimal digits.
    pub(super) blake3: String,
}

/// The checksums of an export.
#[derive(Debug)]
pub(super) struct Chain {
    hasher: blake3::Hasher,
    /// The number of bytes since the last checksum.
    pub(super) bytes: u64,
    /// The number of records so far, other than checkpoints.
    pub(super) records: u64,
}

impl Chain {
    /// Begins the checksums of an export.
    pub(super) fn new() -> Self {
        Self { hasher: blake3::Hasher::new(), bytes: 0, records: 0 }
    }

    /// Continues after a checksum; `None` if it is not one.
    pub(super) fn after(blake3: &str, records: u64) -> Option<Self> {
        let before = blake3::Hash::from_hex(blake3).ok()?;
        let mut hasher = blake3::Hasher::new();
        hasher.update(before.as_bytes());
        Some(Self { hasher, bytes: 0, records })
    }

    /// Counts a line, with its line break.
    pub(super) fn line(&mut self, line: &[u8]) {
        self.hasher.update(line);
        self.bytes += line.len() as u64;
        self.records += 1;
    }

    /// Returns the checksum of the lines so far, and begins the next one.
    pub(super) fn checksum(&mut self) -> String {
        let hash = self.hasher.finalize();
        self.hasher.reset();
        self.hasher.update(hash.as_bytes());
        self.bytes = 0;
        hash.to_hex().to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_with_a_longer_path_than_any_file_is_not_valid() {
        let document = |path: String| {
            let record = serde_json::json!({
                "row": 1, "id": "d", "path": path, "type": "documentation", "title": "t", "language": null, "hash": "0".repeat(64),
                "size": 1, "mtime": "2026-01-01T00:00:00Z", "created_at": "2026-01-01T00:00:00Z", "file_kind": "source",
                "tag": [], "source": null, "text": "x",
            });
            serde_json::from_value::<DocumentRecord>(record).expect("a record").imported_document()
        };
        assert!(document("docs/zoo.md".to_owned()).is_some());
        assert!(document(format!("{}.md", "a/".repeat(2_500))).is_none());
    }

    #[test]
    fn a_continued_chain_gives_the_same_checksums() {
        let lines: [&[u8]; 4] = [b"a\n", b"b\n", b"c\n", b"d\n"];
        let mut whole = Chain::new();
        lines[..2].iter().for_each(|line| whole.line(line));
        let middle = whole.checksum();
        lines[2..].iter().for_each(|line| whole.line(line));
        let mut continued = Chain::after(&middle, 2).expect("a checksum");
        lines[2..].iter().for_each(|line| continued.line(line));
        assert_eq!((continued.records, continued.checksum()), (whole.records, whole.checksum()));
        let mut other = Chain::after(&middle, 2).expect("a checksum");
        other.line(b"c\n");
        assert_ne!(other.checksum(), middle);
        assert!(Chain::after("no", 0).is_none());
    }
}
