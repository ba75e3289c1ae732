//! Sample documents.

use proptest::collection::{btree_set, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use recall_core::{
    ByteSpan, Chunk, ChunkKind, ContentHash, Document, DocumentId, DocumentType, Edge, EdgeKind, ParseOutcome,
    ParsedDocument, Span, Symbol, SymbolKind, Timestamp,
};
use recall_index::catalog::{Catalog, DocumentRecord, Inserted};
use recall_text::{DocPath, FileKind, Language};

/// A document with its text and parsed contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sample {
    pub(crate) document: Document,
    pub(crate) text: String,
    pub(crate) parsed: ParsedDocument,
}

impl Sample {
    /// A small document with one chunk per line.
    pub(crate) fn of_lines(path: &str, lines: &[&str]) -> Self {
        let text: String = lines.iter().flat_map(|line| [*line, "\n"]).collect();
        let mut chunks = Vec::new();
        let mut start = 0;
        for (line, content) in (1..).zip(lines) {
            let end = start + content.len() as u32 + 1;
            chunks.push(chunk(line - 1, start, end, line));
            start = end;
        }
        let parsed = ParsedDocument {
            title: None,
            tags: Vec::new(),
            chunks,
            symbols: Vec::new(),
            edges: Vec::new(),
            outcome: ParseOutcome::NoParser,
        };
        Self { document: document(path, &text), text, parsed }
    }

    pub(crate) fn record(&self, indexed: Timestamp) -> DocumentRecord<'_> {
        DocumentRecord { document: &self.document, text: &self.text, parsed: &self.parsed, indexed }
    }

    /// The texts of the chunks.
    pub(crate) fn chunk_texts(&self) -> impl Iterator<Item = &str> {
        self.parsed.chunks.iter().map(|chunk| chunk.span.bytes.slice(&self.text).expect("samples are consistent"))
    }
}

/// Stores samples in one transaction.
pub(crate) fn store(catalog: &Catalog, samples: &[Sample]) -> Vec<Inserted> {
    let mut writer = catalog.writer().unwrap();
    let mut transaction = writer.begin().unwrap();
    let inserted =
        samples.iter().map(|sample| transaction.insert(&sample.record(Timestamp(1))).unwrap()).collect::<Vec<_>>();
    transaction.commit().unwrap();
    inserted
}

pub(crate) fn path(text: &str) -> DocPath {
    DocPath::new(text).expect("samples have plain paths")
}

pub(crate) fn document(at: &str, text: &str) -> Document {
    Document {
        id: DocumentId::from_path(&path(at)),
        path: path(at),
        memory: None,
        document_type: DocumentType::Code,
        title: at.to_owned(),
        language: Some(Language::from_static("rust")),
        hash: ContentHash::hash(text.as_bytes()),
        size_bytes: text.len() as u64,
        modified: Timestamp(1),
        file_kind: FileKind::Main,
        tags: Vec::new(),
        source: None,
    }
}

fn chunk(ordinal: u32, start: u32, end: u32, line: u32) -> Chunk {
    Chunk {
        ordinal,
        kind: ChunkKind::Window,
        span: Span { bytes: ByteSpan { start, end }, start_line: line, end_line: line },
        symbol: None,
        signature: None,
        doc_comment: None,
        tokens: end - start,
    }
}

/// Any document at a path.
pub(crate) fn any_sample(at: &'static str) -> impl Strategy<Value = Sample> {
    // Repetition gives texts of several compressed blocks.
    let text = ("[a-z äß日\n]{0,120}", 0..200_usize).prop_map(|(piece, times)| piece.repeat(times));
    (text, vec(any::<Index>(), 0..8)).prop_flat_map(move |(text, cuts)| {
        let spans = spans(&text, &cuts);
        let count = spans.len();
        (any_document(at, text.clone()), vec(any_chunk(), count), any_rest(count)).prop_map(
            move |(document, mut chunks, mut parsed)| {
                for ((ordinal, chunk), &bytes) in (0..).zip(&mut chunks).zip(&spans) {
                    chunk.ordinal = ordinal;
                    chunk.span.bytes = bytes;
                    chunk.doc_comment = chunk.doc_comment.map(|_| bytes);
                }
                parsed.chunks = chunks;
                Sample { document, text: text.clone(), parsed }
            },
        )
    })
}

/// Consecutive spans of a text, on character boundaries.
fn spans(text: &str, cuts: &[Index]) -> Vec<ByteSpan> {
    let mut ends: Vec<usize> = cuts.iter().map(|cut| text.floor_char_boundary(cut.index(text.len() + 1))).collect();
    ends.sort_unstable();
    let starts = std::iter::once(0).chain(ends.iter().copied());
    starts.zip(&ends).map(|(start, &end)| ByteSpan { start: start as u32, end: end as u32 }).collect()
}

fn any_document(at: &'static str, text: String) -> impl Strategy<Value = Document> {
    let role = (select(&DocumentType::ALL), select(&FileKind::ALL), option::of("[a-z]{1,8}"));
    let labels = (".{0,20}", btree_set("[a-z]{1,5}", 0..4), option::of(".{0,10}"));
    (role, labels, any::<[u8; 32]>(), any::<u64>(), any::<i64>()).prop_map(
        move |((document_type, file_kind, language), (title, tags, source), hash, size_bytes, modified)| Document {
            document_type,
            title,
            language: language.map(Language::from),
            hash: ContentHash(hash),
            size_bytes,
            modified: Timestamp(modified),
            file_kind,
            tags: tags.into_iter().collect(),
            source,
            ..document(at, &text)
        },
    )
}

fn any_chunk() -> impl Strategy<Value = Chunk> {
    let names = (option::of(".{0,30}"), option::of(".{0,30}"), any::<bool>());
    (select(&ChunkKind::ALL), any::<[u32; 3]>(), names).prop_map(
        |(kind, [tokens, start_line, end_line], (symbol, signature, has_comment))| Chunk {
            kind,
            tokens,
            symbol,
            signature,
            span: Span { bytes: ByteSpan { start: 0, end: 0 }, start_line, end_line },
            doc_comment: has_comment.then_some(ByteSpan { start: 0, end: 0 }),
            ..chunk(0, 0, 0, 0)
        },
    )
}

/// Parsed contents of a text, without chunks.
fn any_rest(chunk_count: usize) -> impl Strategy<Value = ParsedDocument> {
    let places = 0..chunk_count.max(1) as u32;
    let symbol =
        (any::<[u32; 4]>(), select(&SymbolKind::ALL), "[a-z]{0,6}", option::of("[a-z:]{0,12}"), places.clone())
            .prop_map(|([start, end, start_line, end_line], kind, name, qualified, chunk)| Symbol {
                qualified: qualified.unwrap_or_else(|| name.clone()),
                name,
                kind,
                span: Span { bytes: ByteSpan { start, end }, start_line, end_line },
                chunk,
            });
    let kinds = vec![EdgeKind::Imports, EdgeKind::References, EdgeKind::RelatesTo, EdgeKind::Supersedes];
    let edge = (select(kinds), places, "[a-zü./]{0,8}").prop_map(|(kind, chunk, target)| Edge { kind, chunk, target });
    let outcome = prop_oneof![
        Just(ParseOutcome::Parsed),
        Just(ParseOutcome::NoParser),
        ".{0,20}".prop_map(|reason| ParseOutcome::Failed { reason }),
    ];
    (option::of(".{0,20}"), vec(".{0,6}", 0..3), vec(symbol, 0..6), btree_set(edge, 0..30), outcome).prop_map(
        |(title, tags, symbols, edges, outcome)| ParsedDocument {
            title,
            tags,
            chunks: Vec::new(),
            symbols,
            edges: edges.into_iter().collect(),
            outcome,
        },
    )
}
