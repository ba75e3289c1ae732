//! The document that represents a memory in the index.

use recall_chunk::Chunker;
use recall_core::{ContentHash, Document, DocumentId, Edge, EdgeKind, Memory, ParsedDocument};
use recall_text::{FileKind, Language};

/// The language that memories are parsed as.
const LANGUAGE: &str = "markdown";

pub(crate) fn document_of(memory: &Memory) -> Document {
    let path = memory.id.to_path();
    Document {
        id: DocumentId::from_path(&path),
        document_type: memory.id.memory_type.into(),
        title: memory.title.to_string(),
        language: Some(Language::from_static(LANGUAGE)),
        hash: hash_of(memory),
        size_bytes: text_of(memory).len() as u64,
        modified: memory.updated,
        file_kind: FileKind::from_path(&path),
        tags: memory.tags.clone(),
        source: memory.source.clone(),
        path,
        memory: Some(memory.id),
    }
}

/// Returns the text of the document: the memory's content, or its title if the content is blank.
pub(crate) fn text_of(memory: &Memory) -> &str {
    if memory.content.trim().is_empty() { &memory.title } else { &memory.content }
}

/// Parses the document into chunks, with edges to the related files and the superseded memory.
pub(crate) fn parsed_of(memory: &Memory, chunker: &mut Chunker) -> ParsedDocument {
    let language = Language::from_static(LANGUAGE);
    let mut parsed = chunker.parse(&memory.id.to_path(), Some(&language), text_of(memory));
    // The title and tags are those of the memory, even if the text has front matter of its own.
    (parsed.title, parsed.tags) = (Some(memory.title.to_string()), memory.tags.clone());
    if !parsed.chunks.is_empty() {
        let edge = |kind, target: String| Edge { kind, chunk: 0, target };
        let files = memory.related_files.iter();
        parsed.edges.extend(files.map(|path| edge(EdgeKind::RelatesTo, format!("/{path}"))));
        parsed.edges.extend(memory.supersedes.map(|older| edge(EdgeKind::Supersedes, format!("/{older}"))));
        parsed.edges.sort_unstable();
        parsed.edges.dedup();
    }
    parsed
}

/// Returns a hash of everything that the document of a memory depends on.
pub(crate) fn hash_of(memory: &Memory) -> ContentHash {
    let mut hasher = blake3::Hasher::new();
    let mut part = |text: &str| {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    };
    part(&memory.title);
    part(&memory.content);
    part(memory.source.as_deref().unwrap_or_default());
    part(&memory.supersedes.map(|older| older.to_string()).unwrap_or_default());
    part(&memory.updated.0.to_string());
    for tags in [memory.tags.len().to_string()].iter().chain(&memory.tags) {
        part(tags);
    }
    for path in &memory.related_files {
        part(path.as_str());
    }
    ContentHash(*hasher.finalize().as_bytes())
}
