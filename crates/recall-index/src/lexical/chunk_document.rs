//! The index entry of a chunk.

use std::sync::Arc;

use recall_core::{ByteSpan, ChunkKind, ChunkRow, Document, DocumentRow, DocumentType, ParsedDocument, Traits};
use recall_text::{DocPath, FileKind, Form, fold_case};
use tantivy::schema::Field;
use tantivy::schema::document::{ReferenceValue, ReferenceValueLeaf, Value};

use crate::lexical::byte_semaphore::Permit;
use crate::lexical::fields::Fields;
use crate::lexical::format::checksum;
use crate::lexical::names::{self, MAX_NAME_BYTES};
use crate::lexical::translation::in_english;

/// A document to index, as stored in the catalog.
#[derive(Clone, Copy, Debug)]
pub struct IndexedDocument<'a> {
    /// The row that it has in the catalog.
    pub row: DocumentRow,
    /// The row of its first chunk. The others follow in the order of their ordinals, without gaps.
    pub first_chunk: ChunkRow,
    /// The path, the type, the language and the tags.
    pub document: &'a Document,
    /// Its chunks and symbols.
    pub parsed: &'a ParsedDocument,
    /// Its text. The spans of `parsed` refer to it.
    pub text: &'a str,
}

/// The data shared by the chunks of a document until they are indexed.
struct DocumentFields {
    fields: Fields,
    row: DocumentRow,
    document_type: DocumentType,
    traits: u64,
    text: Box<str>,
    path: Box<str>,
    stem: Box<str>,
    title: Option<Box<str>>,
    language: Option<Box<str>>,
    tags: Vec<String>,
    /// Held until the last chunk is indexed.
    _permit: Permit,
}

/// One chunk, queued for an indexing thread.
pub(crate) struct ChunkDocument {
    shared: Arc<DocumentFields>,
    row: ChunkRow,
    position: ChunkPosition,
    body: ByteSpan,
    /// The English words for what its text says in other languages.
    english: Option<String>,
    comment: Option<ByteSpan>,
    enclosing: Option<String>,
    /// The qualified names of the symbols defined in the chunk.
    names: Vec<String>,
    /// Those of the fields, constants and values of types. Their words are not searched as those of names.
    members: Vec<String>,
    /// The headings in the chunk, for prose.
    headings: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ChunkPosition {
    First,
    Later,
}

/// Converts a document to the index entries of its chunks, in order.
pub(crate) fn chunks(fields: Fields, indexed: &IndexedDocument<'_>, permit: Permit) -> Vec<ChunkDocument> {
    let IndexedDocument { row, first_chunk, document, parsed, text } = *indexed;
    let shared = Arc::new(DocumentFields {
        fields,
        row,
        document_type: document.document_type,
        traits: pack(Traits {
            document_type: document.document_type,
            file_kind: document.file_kind,
            form: Form::for_language(document.language.as_ref()),
        }) | SiblingKeys::new(&document.path).pack(),
        text: text.into(),
        path: document.path.as_str().into(),
        stem: document.path.stem().into(),
        // A title that is only the file name is already searched as a part of the path.
        title: (document.title != document.path.file_name()).then(|| document.title.as_str().into()),
        language: document.language.as_ref().map(|language| language.as_str().into()),
        tags: document.tags.clone(),
        _permit: permit,
    });
    let is_prose = document.document_type != DocumentType::Code;
    let mut names: Vec<[Vec<String>; 3]> = vec![Default::default(); parsed.chunks.len()];
    for symbol in &parsed.symbols {
        if let Some([names, members, headings]) = names.get_mut(symbol.chunk as usize) {
            let names = if names::is_data_member(symbol) { members } else { names };
            names.push(symbol.qualified.clone());
            if is_prose {
                headings.push(symbol.name.clone());
            }
        }
    }
    let chunks = parsed.chunks.iter().zip(names).enumerate();
    chunks
        .map(|(place, (chunk, [names, members, headings]))| ChunkDocument {
            shared: Arc::clone(&shared),
            row: ChunkRow(first_chunk.0 + place as i64),
            position: if place == 0 { ChunkPosition::First } else { ChunkPosition::Later },
            body: chunk.span.bytes,
            english: chunk.span.bytes.slice(text).and_then(in_english),
            comment: chunk.doc_comment,
            // In prose this is the title and the section headings, in code the enclosing definitions.
            enclosing: if chunk.kind == ChunkKind::Window { None } else { chunk.symbol.clone() },
            names,
            members,
            headings,
        })
        .collect()
}

/// Packs traits into a number: the type's index in [`DocumentType::ALL`], the file kind's index in [`FileKind::ALL`] ×
/// 256, the form's index in [`Form::ALL`] × 65,536. The bits from [`SiblingKeys::SHIFT`] up are zero.
pub(crate) fn pack(traits: Traits) -> u64 {
    let document_type = DocumentType::ALL.iter().position(|&known| known == traits.document_type);
    let file_kind = FileKind::ALL.iter().position(|&known| known == traits.file_kind);
    let form = Form::ALL.iter().position(|&known| known == traits.form);
    document_type.unwrap_or_default() as u64
        | (file_kind.unwrap_or_default() as u64) << 8
        | (form.unwrap_or_default() as u64) << 16
}

/// Unpacks traits. `None` if the number is not a valid packing.
pub(crate) fn unpack(packed: u64) -> Option<Traits> {
    let document_type = *DocumentType::ALL.get((packed & 0xff) as usize)?;
    let file_kind = *FileKind::ALL.get((packed >> 8 & 0xff) as usize)?;
    let form = *Form::ALL.get((packed >> 16 & 0xff) as usize)?;
    Some(Traits { document_type, file_kind, form })
}

/// Hashes of a document's directory and file name, to find related documents.
///
/// Both have twenty bits and are packed next to the document's traits. Among a few hundred candidates, two unrelated
/// documents collide once in a few thousand queries, and then one feature is slightly too high.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SiblingKeys {
    /// Equal for documents of one directory.
    pub(crate) folder: u32,
    /// Equal for files with the same bare name: `store.c`, `store.h`, `test_store.c`, `StoreTests.cs`.
    pub(crate) stem: u32,
}

impl SiblingKeys {
    /// The lowest bit of the packed hashes.
    const SHIFT: u32 = 24;
    const BITS: u32 = 20;
    const MASK: u64 = (1 << Self::BITS) - 1;

    pub(crate) fn new(path: &DocPath) -> Self {
        let folder = path.as_str().rsplit_once('/').map_or("", |(folder, _)| folder);
        let hash = |text: &str| {
            let sum = checksum(text);
            ((sum ^ sum >> 32) & Self::MASK) as u32
        };
        Self { folder: hash(folder), stem: hash(&bare_stem(path.stem())) }
    }

    /// Packs the hashes. The bits below [`SHIFT`](Self::SHIFT) are zero.
    fn pack(self) -> u64 {
        (u64::from(self.folder) | u64::from(self.stem) << Self::BITS) << Self::SHIFT
    }

    /// Unpacks the result of [`pack`](Self::pack).
    pub(crate) fn unpack(packed: u64) -> Self {
        let packed = packed >> Self::SHIFT;
        Self { folder: (packed & Self::MASK) as u32, stem: (packed >> Self::BITS & Self::MASK) as u32 }
    }
}

/// A file name in folded form, without separators and without the affixes of tests.
fn bare_stem(stem: &str) -> String {
    let mut bare: String = fold_case(stem).chars().filter(|c| c.is_alphanumeric()).collect();
    for ending in ["tests", "test", "spec"] {
        if bare.len() > ending.len() && bare.ends_with(ending) {
            bare.truncate(bare.len() - ending.len());
            break;
        }
    }
    match bare.strip_prefix("test") {
        Some(rest) if !rest.is_empty() => rest.to_owned(),
        _ => bare,
    }
}

impl tantivy::Document for ChunkDocument {
    type Value<'a> = FieldValue<'a>;
    type FieldsValuesIter<'a> = std::vec::IntoIter<(Field, FieldValue<'a>)>;

    fn iter_fields_and_values(&self) -> Self::FieldsValuesIter<'_> {
        let DocumentFields { fields, row, document_type, traits, text, path, stem, title, language, tags, _permit } =
            &*self.shared;
        let folder = path.rsplit('/').nth(1).unwrap_or_default();
        let mut values = Vec::with_capacity(16 + 3 * self.names.len() + 2 * self.members.len());
        let mut put = |field: Field, text| values.push((field, FieldValue::Text(text)));
        let body = self.body.slice(text).unwrap_or_default();
        put(fields.body, body);
        put(fields.form, body);
        if let Some(english) = &self.english {
            put(fields.body, english);
        }
        if let Some(comment) = self.comment.and_then(|span| span.slice(text)) {
            put(fields.comment, comment);
        }
        for name in &self.names {
            put(fields.symbol, name);
        }
        for name in self.names.iter().chain(&self.members).filter(|name| name.len() <= MAX_NAME_BYTES) {
            put(fields.name, name);
            put(fields.folded_name, name);
        }
        if let Some(enclosing) = &self.enclosing {
            put(fields.symbol, enclosing);
        }
        if let Some(title) = title {
            put(fields.symbol, title);
        }
        put(fields.path, path);
        put(fields.path_raw, path);
        for heading in &self.headings {
            put(fields.phrase, heading);
        }
        if self.position == ChunkPosition::First {
            if *document_type != DocumentType::Code
                && let Some(title) = title
            {
                put(fields.phrase, title);
            }
            if document_type.is_memory() {
                put(fields.phrase, names::first_sentence(text));
            }
            put(fields.path_end, path);
            put(fields.stem, stem);
            put(fields.path_words, path);
            put(fields.stem_words, stem);
            put(fields.folder_words, folder);
        }
        put(fields.document_type, document_type.as_str());
        if let Some(language) = language {
            put(fields.language, language);
        }
        for tag in tags {
            put(fields.tag, tag);
            put(fields.tag_words, tag);
        }
        values.push((fields.document, FieldValue::Number(row.0 as u64)));
        values.push((fields.chunk, FieldValue::Number(self.row.0 as u64)));
        values.push((fields.traits, FieldValue::Number(*traits)));
        values.into_iter()
    }
}

/// The value of a field, borrowed from its chunk.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FieldValue<'a> {
    /// Text to be tokenized.
    Text(&'a str),
    Number(u64),
}

impl<'a> Value<'a> for FieldValue<'a> {
    type ArrayIter = std::iter::Empty<Self>;
    type ObjectIter = std::iter::Empty<(&'a str, Self)>;

    fn as_value(&self) -> ReferenceValue<'a, Self> {
        ReferenceValue::Leaf(match *self {
            Self::Text(text) => ReferenceValueLeaf::Str(text),
            Self::Number(number) => ReferenceValueLeaf::U64(number),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traits_read_back_as_they_were_packed() {
        for document_type in DocumentType::ALL {
            for file_kind in FileKind::ALL {
                for form in Form::ALL {
                    let traits = Traits { document_type, file_kind, form };
                    let keys = SiblingKeys { folder: 0xf_ffff, stem: 0xa_aaaa };
                    let packed = pack(traits) | keys.pack();
                    assert_eq!((unpack(packed), SiblingKeys::unpack(packed)), (Some(traits), keys));
                }
            }
        }
        assert_eq!(unpack(0xff), None);
        assert_eq!(unpack(0xff00), None);
    }

    fn keys(path: &str) -> SiblingKeys {
        SiblingKeys::new(&DocPath::new(path).expect("plain"))
    }

    #[test]
    fn a_file_and_its_test_have_the_same_bare_name() {
        for (one, other) in [
            ("src/store.c", "tests/test_store.c"),
            ("src/Store.cs", "src/StoreTests.cs"),
            ("store.h", "store.c"),
            ("lib/user_store.rb", "spec/user_store_spec.rb"),
        ] {
            assert_eq!(keys(one).stem, keys(other).stem, "{one} {other}");
        }
        assert_ne!(keys("a/store.c").stem, keys("a/restore.c").stem);
    }

    #[test]
    fn a_directory_differs_from_its_parent() {
        assert_eq!(keys("src/a.c").folder, keys("src/b.c").folder);
        assert_ne!(keys("src/a.c").folder, keys("src/x/a.c").folder);
    }
}
