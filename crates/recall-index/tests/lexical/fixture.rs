//! Small documents and indexes for tests.

use recall_core::{
    ByteSpan, Candidate, Chunk, ChunkKind, ChunkRow, ContentHash, Document, DocumentId, DocumentRow, DocumentType,
    Filters, Generation, ParseOutcome, ParsedDocument, Span, Symbol, SymbolKind, Timestamp, understand,
};
use recall_index::lexical::{IndexedDocument, Lexical, LexicalWriter, Searcher, WriterSettings};
use recall_text::{DocPath, FileKind, Language};
use tempfile::TempDir;

/// A document of chunks. Its chunks have the rows `10 × row`, `10 × row + 1`, and so on.
#[derive(Clone, Debug)]
pub(crate) struct Doc {
    pub(crate) row: i64,
    pub(crate) path: String,
    pub(crate) document_type: DocumentType,
    pub(crate) language: Option<&'static str>,
    pub(crate) tags: Vec<String>,
    pub(crate) chunks: Vec<ChunkSpec>,
}

/// The text of a chunk and the qualified names that it defines.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChunkSpec {
    pub(crate) text: String,
    pub(crate) names: Vec<String>,
}

/// A code document with these chunks, which define nothing.
pub(crate) fn doc(row: i64, path: &str, chunks: &[&str]) -> Doc {
    Doc {
        row,
        path: path.to_owned(),
        document_type: DocumentType::Code,
        language: Some("rust"),
        tags: Vec::new(),
        chunks: chunks.iter().map(|text| ChunkSpec { text: (*text).to_owned(), names: Vec::new() }).collect(),
    }
}

/// A code document with one chunk for each definition.
pub(crate) fn definitions(row: i64, path: &str, names: &[&str]) -> Doc {
    let chunks =
        names.iter().map(|name| ChunkSpec { text: format!("fn {name}()"), names: vec![(*name).to_owned()] }).collect();
    Doc { chunks, ..doc(row, path, &[]) }
}

impl Doc {
    pub(crate) fn add_to(&self, writer: &mut LexicalWriter) {
        let mut text = String::new();
        let mut chunks = Vec::new();
        let mut symbols = Vec::new();
        for (ordinal, spec) in (0_u32..).zip(&self.chunks) {
            let start = text.len() as u32;
            text.push_str(&spec.text);
            let bytes = ByteSpan { start, end: text.len() as u32 };
            let span = Span { bytes, start_line: ordinal + 1, end_line: ordinal + 1 };
            text.push('\n');
            chunks.push(Chunk {
                ordinal,
                kind: ChunkKind::Group,
                span,
                symbol: None,
                signature: None,
                doc_comment: None,
                tokens: 1,
            });
            symbols.extend(spec.names.iter().map(|qualified| Symbol {
                name: qualified.rsplit("::").next().expect("never empty").to_owned(),
                qualified: qualified.clone(),
                kind: SymbolKind::Function,
                span,
                chunk: ordinal,
            }));
        }
        let path = DocPath::new(&self.path).expect("a plain path");
        let document = Document {
            id: DocumentId::from_path(&path),
            document_type: self.document_type,
            title: path.file_name().to_owned(),
            language: self.language.map(Language::from_static),
            hash: ContentHash::hash(text.as_bytes()),
            size_bytes: text.len() as u64,
            modified: Timestamp(0),
            file_kind: FileKind::from_path(&path),
            tags: self.tags.clone(),
            source: None,
            path,
            memory: None,
        };
        let parsed = ParsedDocument {
            title: None,
            tags: Vec::new(),
            chunks,
            symbols,
            edges: Vec::new(),
            outcome: ParseOutcome::Parsed,
        };
        let indexed = IndexedDocument {
            row: DocumentRow(self.row),
            first_chunk: ChunkRow(self.row * 10),
            document: &document,
            parsed: &parsed,
            text: &text,
        };
        writer.add(&indexed).expect("added");
    }
}

/// An index in a temporary folder.
pub(crate) struct Store {
    pub(crate) dir: TempDir,
    pub(crate) lexical: Lexical,
}

impl Store {
    pub(crate) fn empty() -> Self {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let lexical = Lexical::open(dir.path()).expect("created");
        Self { dir, lexical }
    }

    /// Creates an index with one commit of all documents.
    pub(crate) fn of(docs: &[Doc]) -> Self {
        let store = Self::empty();
        store.commit(1, &[], docs);
        store
    }

    pub(crate) fn writer(&self) -> LexicalWriter {
        self.lexical.writer(WriterSettings::default()).expect("no other writer")
    }

    /// Removes, adds and commits. The writer is dropped and not finished, which would wait for the disk.
    pub(crate) fn commit(&self, generation: u64, removed: &[i64], added: &[Doc]) {
        let mut writer = self.writer();
        for &row in removed {
            writer.remove(DocumentRow(row));
        }
        for doc in added {
            doc.add_to(&mut writer);
        }
        writer.commit(Generation(generation)).expect("committed");
    }

    pub(crate) fn searcher(&self) -> Searcher {
        self.lexical.searcher()
    }

    pub(crate) fn lexical(&self, query: &str) -> Vec<i64> {
        rows(&self.searcher().lexical(&understand(query), &Filters::default(), 100).expect("searched"))
    }

    pub(crate) fn symbols(&self, query: &str) -> Vec<i64> {
        rows(&self.searcher().symbols(&understand(query), &Filters::default(), 100).expect("searched"))
    }

    pub(crate) fn paths(&self, query: &str) -> Vec<i64> {
        rows(&self.searcher().paths(&understand(query), &Filters::default(), 100).expect("searched"))
    }
}

/// The chunk rows of candidates, in order.
pub(crate) fn rows(candidates: &[Candidate]) -> Vec<i64> {
    candidates.iter().map(|candidate| candidate.chunk.0).collect()
}
