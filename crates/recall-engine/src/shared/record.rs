//! What a shared store has of a document besides its texts.

use recall_core::{
    Chunk, ChunkKind, ContentHash, Document, DocumentId, DocumentType, Edge, Enclosing, MemoryId, Span, Symbol,
    SymbolKind, Timestamp, Traits,
};
use recall_index::lexical::ChunkAnalysis;
use recall_text::{DocPath, FileKind, Form, Language};
use serde::{Deserialize, Serialize};

/// A document with its structure. Secrets are masked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) document: Document,
    pub(crate) chunks: Vec<Chunk>,
    /// What the scores of each chunk are computed from.
    pub(crate) analyses: Vec<ChunkAnalysis>,
    pub(crate) symbols: Vec<Symbol>,
    pub(crate) edges: Vec<Edge>,
    /// The memory as it is in force; `None` for a file.
    pub(crate) memory: Option<RecordedMemory>,
}

/// The published fields of a memory. They carry no trust; readers treat the memory as somebody else's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RecordedMemory {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) created: i64,
    pub(crate) updated: i64,
    pub(crate) agent: Option<String>,
    pub(crate) tags: Vec<String>,
}

/// The form of a record in the store: its length as JSON, the JSON, and the length and bytes of each analysis. Names are short, since there is one for each document.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    v: u32,
    title: String,
    kind: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    language: Option<String>,
    hash: String,
    bytes: u64,
    modified: i64,
    role: usize,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tags: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    chunks: Vec<StoredChunk>,
    symbols: Vec<StoredSymbol>,
    edges: Vec<(String, u32, String)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    memory: Option<RecordedMemory>,
}

#[derive(Debug, Serialize, Deserialize)]
struct StoredChunk {
    k: String,
    /// Bytes, then lines: start and end.
    s: [u32; 4],
    #[serde(default, skip_serializing_if = "Option::is_none")]
    y: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    g: Option<String>,
    t: u32,
}

#[derive(Debug, Serialize, Deserialize)]
struct StoredSymbol {
    n: String,
    q: String,
    k: String,
    s: [u32; 4],
    c: u32,
}

/// The version of the form. A reader leaves out documents of another one.
const VERSION: u32 = 2;

impl Record {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let Self { document, chunks, analyses, symbols, edges, memory } = self;
        let stored = Stored {
            v: VERSION,
            title: document.title.clone(),
            kind: document.document_type.as_str().to_owned(),
            language: document.language.as_ref().map(|language| language.as_str().to_owned()),
            hash: document.hash.to_string(),
            bytes: document.size_bytes,
            modified: document.modified.0,
            role: FileKind::ALL.iter().position(|kind| *kind == document.file_kind).unwrap_or_default(),
            tags: document.tags.clone(),
            source: document.source.clone(),
            chunks: chunks
                .iter()
                .map(|chunk| StoredChunk {
                    k: chunk.kind.as_str().to_owned(),
                    s: numbers(chunk.span),
                    y: chunk.symbol.clone(),
                    g: chunk.signature.clone(),
                    t: chunk.tokens,
                })
                .collect(),
            symbols: symbols
                .iter()
                .map(|symbol| StoredSymbol {
                    n: symbol.name.clone(),
                    q: symbol.qualified.clone(),
                    k: symbol.kind.as_str().to_owned(),
                    s: numbers(symbol.span),
                    c: symbol.chunk,
                })
                .collect(),
            edges: edges.iter().map(|edge| (edge.kind.as_str().to_owned(), edge.chunk, edge.target.clone())).collect(),
            memory: memory.clone(),
        };
        let mut bytes = Vec::new();
        append(&mut bytes, &serde_json::to_vec(&stored).expect("every part has a form in JSON"));
        for analysis in analyses {
            append(&mut bytes, &analysis.encode());
        }
        bytes
    }

    /// Decodes the record of the document at a path; `None` if another version wrote it, or it is damaged.
    pub(crate) fn decode(path: &str, mut bytes: &[u8]) -> Option<Self> {
        let stored: Stored = serde_json::from_slice(next(&mut bytes)?).ok()?;
        let path = DocPath::new(path).ok().filter(|_| stored.v == VERSION)?;
        let memory_id: Option<MemoryId> = stored.memory.as_ref().and_then(|memory| memory.id.parse().ok());
        let document = Document {
            id: DocumentId::from_path(&path),
            path,
            memory: memory_id,
            document_type: stored.kind.parse::<DocumentType>().ok()?,
            title: stored.title,
            language: stored.language.map(Language::from),
            hash: ContentHash(hex::decode(&stored.hash).ok()?.try_into().ok()?),
            size_bytes: stored.bytes,
            modified: Timestamp(stored.modified),
            file_kind: *FileKind::ALL.get(stored.role)?,
            tags: stored.tags,
            source: stored.source,
        };
        let chunk = |(ordinal, chunk): (usize, StoredChunk)| {
            Some(Chunk {
                ordinal: ordinal as u32,
                kind: ChunkKind::from_name(&chunk.k)?,
                span: span(chunk.s),
                symbol: chunk.y,
                signature: chunk.g,
                doc_comment: None,
                tokens: chunk.t,
            })
        };
        let symbol = |symbol: StoredSymbol| {
            Some(Symbol {
                name: symbol.n,
                qualified: symbol.q,
                kind: SymbolKind::from_name(&symbol.k)?,
                span: span(symbol.s),
                chunk: symbol.c,
            })
        };
        let edge = |(kind, chunk, target): (String, u32, String)| {
            Some(Edge { kind: recall_core::EdgeKind::from_name(&kind)?, chunk, target })
        };
        let analysis = |_: &StoredChunk| ChunkAnalysis::decode(next(&mut bytes)?);
        Some(Self {
            analyses: stored.chunks.iter().map(analysis).collect::<Option<_>>()?,
            chunks: stored.chunks.into_iter().enumerate().map(chunk).collect::<Option<_>>()?,
            symbols: stored.symbols.into_iter().map(symbol).collect::<Option<_>>()?,
            edges: stored.edges.into_iter().filter_map(edge).collect(),
            memory: stored.memory,
            document,
        })
    }

    /// Returns what ranking needs to know of the document.
    pub(crate) fn traits(&self) -> Traits {
        let Document { document_type, file_kind, language, .. } = &self.document;
        Traits { document_type: *document_type, file_kind: *file_kind, form: Form::for_language(language.as_ref()) }
    }

    /// Returns the definitions or headings around a chunk, outermost first.
    pub(crate) fn parents(&self, chunk: usize) -> Vec<Enclosing> {
        let Some(inner) = self.chunks.get(chunk).map(|chunk| chunk.span.bytes) else { return Vec::new() };
        let encloses = |outer: &&Symbol| {
            let outer = outer.span.bytes;
            outer.start <= inner.start && inner.end <= outer.end && outer != inner
        };
        let mut around: Vec<&Symbol> = self.symbols.iter().filter(encloses).collect();
        around.sort_by_key(|symbol| (symbol.span.bytes.start, std::cmp::Reverse(symbol.span.bytes.end)));
        let enclosing = |symbol: &Symbol| Enclosing {
            name: symbol.name.clone(),
            kind: symbol.kind,
            signature: None,
            start_line: symbol.span.start_line,
            end_line: symbol.span.end_line,
        };
        around.into_iter().map(enclosing).collect()
    }
}

/// Appends a part with its length.
fn append(bytes: &mut Vec<u8>, part: &[u8]) {
    bytes.extend((part.len() as u32).to_le_bytes());
    bytes.extend(part);
}

/// Takes the next part; `None` if the bytes end before it does.
fn next<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (length, rest) = bytes.split_first_chunk()?;
    let (part, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    *bytes = rest;
    Some(part)
}

fn numbers(span: Span) -> [u32; 4] {
    [span.bytes.start, span.bytes.end, span.start_line, span.end_line]
}

fn span([start, end, start_line, end_line]: [u32; 4]) -> Span {
    Span { bytes: recall_core::ByteSpan { start, end }, start_line, end_line }
}
