//! The contents of a document in the form in which a shared store has them: masked, analysed, and addressed by what they are.

use recall_core::{ByteSpan, Chunk, ChunkKind, Document, DocumentType};
use recall_index::catalog::{ChunkedDocument, OwnedRecord};
use recall_index::lexical::{ChunkAnalysis, ChunkParts, Lengths, document_keys, is_data_member};
use recall_shared::{ChunkRecord, DocumentRecord, Key};
use recall_text::Language;

use super::record::{Record, RecordedMemory};
use crate::embeddings::ChunkTexts;
use crate::mask::{self, Whole};

/// The version of what is stored. Raised with every change of it, so that everything is sent again.
const VERSION: u32 = 5;

/// A document with the chunks that it consists of, and their texts for an embedding.
pub(crate) struct KeyedDocument {
    pub(crate) record: DocumentRecord,
    pub(crate) chunks: Vec<ChunkRecord>,
    /// The text of each chunk in the form in which it is embedded.
    pub(crate) texts: ChunkTexts,
}

/// Returns the identity of a document's content, from its metadata alone.
pub(crate) fn document_key(document: &Document) -> Key {
    let Document { path, document_type, title, language, hash, file_kind, tags, source, .. } = document;
    let mut hasher = blake3::Hasher::new();
    hasher.update(&VERSION.to_le_bytes()).update(&recall_chunk::VERSION.to_le_bytes()).update(&hash.0);
    let language = language.as_ref().map(Language::as_str).unwrap_or_default();
    let role = format!("{file_kind:?}");
    let parts = [path.as_str(), document_type.as_str(), title, language, &role, source.as_deref().unwrap_or_default()];
    for part in parts.into_iter().chain(tags.iter().map(String::as_str)) {
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
    }
    key(&hasher)
}

/// Converts a document of the catalog. `memory` is what is said of the memory that it represents.
///
/// Returns `None` for a document without chunks, and for one whose path contains a secret.
pub(crate) fn published_document(stored: OwnedRecord, memory: Option<RecordedMemory>) -> Option<KeyedDocument> {
    let own_key = document_key(&stored.document);
    let OwnedRecord { first_chunk, mut document, text, mut parsed, .. } = stored;
    if parsed.chunks.is_empty() || mask::is_secret_path(&document.path) {
        return None;
    }
    let whole = Whole::new(&document.path, text);
    let whole_text = whole.mask_range(0..whole.text().len());
    let (text, pieces) = mask_chunks(&whole, &parsed.chunks);
    whole.mask_label(&mut document.title);
    mask::document(&mut document);
    for chunk in &mut parsed.chunks {
        mask::some_text(&mut chunk.symbol);
        mask::some_text(&mut chunk.signature);
    }
    for symbol in &mut parsed.symbols {
        mask::symbol(symbol);
    }
    for edge in &mut parsed.edges {
        mask::text(&mut edge.target);
    }
    let chunked = ChunkedDocument {
        path: document.path.clone(),
        document_type: document.document_type,
        first: first_chunk,
        text: text.clone(),
        chunks: pieces.clone(),
    };
    let texts = ChunkTexts::new(&chunked);
    let names = names(&parsed.symbols, parsed.chunks.len());
    let (chunks, analyses): (Vec<ChunkRecord>, Vec<ChunkAnalysis>) = (0..pieces.len())
        .map(|place| chunk_record(&document, &text, &pieces[place], place, &names[place], &parsed.symbols))
        .unzip();
    let mut lengths = Lengths::default();
    let keys = document_keys(&document.path, &mut lengths);
    let record = DocumentRecord {
        path: document.path.as_str().to_owned(),
        key: own_key,
        chunks: chunks.iter().map(|chunk| chunk.key).collect(),
        keys,
        lengths: lengths.to_array(),
        kind: document.document_type.as_str().to_owned(),
        language: document.language.as_ref().map(|language| language.as_str().to_owned()).unwrap_or_default(),
        tags: document.tags.clone(),
        text: whole_text,
        record: Record {
            document,
            chunks: parsed.chunks,
            analyses,
            symbols: parsed.symbols,
            edges: parsed.edges,
            memory,
        }
        .encode(),
    };
    Some(KeyedDocument { record, chunks, texts })
}

/// Returns a text without secrets, and the chunks with their places in it. Without a secret, both are as they were.
fn mask_chunks(whole: &Whole, chunks: &[Chunk]) -> (String, Vec<Chunk>) {
    let original = whole.text();
    if !whole.has_secrets() {
        return (original.to_owned(), chunks.to_vec());
    }
    let mut text = String::new();
    let mut append = |part: &str| {
        let start = text.len() as u32;
        text.push_str(part);
        text.push('\n');
        ByteSpan { start, end: start + part.len() as u32 }
    };
    let range = |span: ByteSpan| span.start as usize..span.end as usize;
    let mut pieces = Vec::with_capacity(chunks.len());
    for chunk in chunks {
        let mut piece = chunk.clone();
        let before = chunk.doc_comment.filter(|comment| comment.end <= chunk.span.bytes.start);
        let inside = chunk.doc_comment.filter(|_| before.is_none());
        piece.doc_comment = before.map(|comment| append(&whole.mask_range(range(comment))));
        piece.span.bytes = append(&whole.mask_range(range(chunk.span.bytes)));
        if let Some(comment) = inside {
            piece.doc_comment = Some(append(&whole.mask_range(range(comment))));
        }
        pieces.push(piece);
    }
    (text, pieces)
}

/// Returns the qualified names that each chunk defines, those of fields, constants and values of types apart.
fn names(symbols: &[recall_core::Symbol], chunks: usize) -> Vec<[Vec<String>; 2]> {
    let mut names: Vec<[Vec<String>; 2]> = vec![Default::default(); chunks];
    for symbol in symbols {
        if let Some([names, members]) = names.get_mut(symbol.chunk as usize) {
            let names = if is_data_member(symbol) { members } else { names };
            names.push(symbol.qualified.clone());
        }
    }
    names
}

/// Returns a chunk with its analysis, from which scores are computed.
fn chunk_record(
    document: &Document,
    text: &str,
    piece: &Chunk,
    place: usize,
    [names, members]: &[Vec<String>; 2],
    symbols: &[recall_core::Symbol],
) -> (ChunkRecord, ChunkAnalysis) {
    let body = piece.span.bytes.slice(text).unwrap_or_default();
    let comment = piece.doc_comment.and_then(|span| span.slice(text)).unwrap_or_default();
    let is_prose = document.document_type != DocumentType::Code;
    // A title that is only the file name is already searched as a part of the path.
    let title = (document.title != document.path.file_name()).then_some(document.title.as_str());
    let symbol = if piece.kind == ChunkKind::Window { None } else { piece.symbol.as_deref() };
    let enclosing: Vec<&str> = symbol.into_iter().chain(title).collect();
    let of_chunk = symbols.iter().filter(|symbol| is_prose && symbol.chunk as usize == place);
    let mut phrases: Vec<&str> = of_chunk.map(|symbol| symbol.name.as_str()).collect();
    if place == 0 && is_prose {
        phrases.extend(title);
    }
    if place == 0 && document.document_type.is_memory() {
        phrases.push(recall_index::lexical::first_sentence(text));
    }
    let analysis =
        ChunkAnalysis::new(&ChunkParts { body, comment, names, members, enclosing: &enclosing, phrases: &phrases });
    let mut hasher = blake3::Hasher::new();
    hasher.update(&VERSION.to_le_bytes());
    let parts = [document.path.as_str(), document.document_type.as_str(), body, comment];
    let lists =
        names.iter().chain(members).map(String::as_str).chain(enclosing.iter().copied()).chain(phrases.iter().copied());
    for part in parts.into_iter().chain(lists) {
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
    }
    let mut lengths = Lengths::default();
    analysis.add_lengths(&mut lengths);
    let record = ChunkRecord {
        key: key(&hasher),
        text: body.to_owned(),
        keys: analysis.keys(),
        lengths: lengths.to_array(),
        vector: None,
    };
    (record, analysis)
}

fn key(hasher: &blake3::Hasher) -> Key {
    let hash = hasher.finalize();
    let mut key = Key::default();
    key.0.copy_from_slice(&hash.as_bytes()[..16]);
    key
}
