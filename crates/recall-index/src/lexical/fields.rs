//! The fields of the index and their weights.

use tantivy::schema::{FAST, Field, INDEXED, IndexRecordOption, Schema, SchemaBuilder, TextFieldIndexing, TextOptions};

use crate::lexical::tokenizer;

/// The fields of the index, with one entry per chunk. No field is stored: an entry gives the rows of the chunk and its
/// document, and the catalog has their contents.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fields {
    /// Terms of the chunk's text.
    pub(crate) body: Field,
    /// The words of the chunk's text whose term is another form, in lower case: `sessions`, whose term is `session`.
    pub(crate) form: Field,
    /// Terms of the names defined in the chunk, of the names that enclose them, and of the document's title.
    pub(crate) symbol: Field,
    /// Terms of the document's path.
    pub(crate) path: Field,
    /// Terms of the doc comment.
    pub(crate) comment: Field,
    /// Terms of the document's tags.
    pub(crate) tag_words: Field,
    /// Names defined in the chunk, with and without their scopes, as written apart from the Unicode form.
    pub(crate) name: Field,
    /// The same in folded form.
    pub(crate) folded_name: Field,
    /// The title and headings of prose and the first sentence of a memory, each as a key of [`crate::lexical::phrase`].
    pub(crate) phrase: Field,
    /// In the first chunk of a document: every suffix of its path that begins at a component, folded.
    pub(crate) path_end: Field,
    /// In the first chunk of a document: its file name without extension, folded.
    pub(crate) stem: Field,
    /// In the first chunk of a document: terms of its path.
    pub(crate) path_words: Field,
    /// In the first chunk of a document: terms of its file name without extension.
    pub(crate) stem_words: Field,
    /// In the first chunk of a document: terms of the name of its directory.
    pub(crate) folder_words: Field,
    /// The document's whole path, normalized.
    pub(crate) path_raw: Field,
    /// The document's type.
    pub(crate) document_type: Field,
    /// The document's language.
    pub(crate) language: Field,
    /// The document's tags.
    pub(crate) tag: Field,
    /// The document's row: indexed for removal, a column for candidates.
    pub(crate) document: Field,
    /// The chunk's row: a column for candidates.
    pub(crate) chunk: Field,
    /// The document's traits, packed; see [`crate::lexical::chunk_document::pack`].
    pub(crate) traits: Field,
}

/// The name of the column of document rows.
pub(crate) const DOCUMENT_COLUMN: &str = "document";
/// The name of the column of chunk rows.
pub(crate) const CHUNK_COLUMN: &str = "chunk";
/// The name of the column of packed traits.
pub(crate) const TRAITS_COLUMN: &str = "traits";

impl Fields {
    pub(crate) fn schema() -> (Schema, Self) {
        let mut schema = Schema::builder();
        let fields = Self {
            body: terms(&mut schema, "body"),
            form: keys(&mut schema, "form", tokenizer::FORMS),
            symbol: terms(&mut schema, "symbol"),
            path: terms(&mut schema, "path"),
            comment: terms(&mut schema, "comment"),
            tag_words: terms(&mut schema, "tag_words"),
            name: keys(&mut schema, "name", tokenizer::NAMES),
            folded_name: keys(&mut schema, "folded_name", tokenizer::FOLDED_NAMES),
            phrase: keys(&mut schema, "phrase", tokenizer::PHRASES),
            path_end: keys(&mut schema, "path_end", tokenizer::PATH_ENDS),
            stem: keys(&mut schema, "stem", tokenizer::FOLDED),
            path_words: terms(&mut schema, "path_words"),
            stem_words: terms(&mut schema, "stem_words"),
            folder_words: terms(&mut schema, "folder_words"),
            path_raw: keys(&mut schema, "path_raw", tokenizer::WHOLE),
            document_type: keys(&mut schema, "document_type", tokenizer::WHOLE),
            language: keys(&mut schema, "language", tokenizer::WHOLE),
            tag: keys(&mut schema, "tag", tokenizer::WHOLE),
            document: schema.add_u64_field(DOCUMENT_COLUMN, INDEXED | FAST),
            chunk: schema.add_u64_field(CHUNK_COLUMN, FAST),
            traits: schema.add_u64_field(TRAITS_COLUMN, FAST),
        };
        (schema.build(), fields)
    }

    /// The fields scored by BM25, which therefore store lengths.
    pub(crate) fn scored_fields(&self) -> [Field; 8] {
        let Self { body, symbol, path, comment, tag_words, path_words, stem_words, folder_words, .. } = *self;
        [body, symbol, path, comment, tag_words, path_words, stem_words, folder_words]
    }
}

/// A field of terms, with frequencies and lengths. Positions would double the index, and there are no phrase queries.
fn terms(schema: &mut SchemaBuilder, name: &str) -> Field {
    schema.add_text_field(name, text(tokenizer::WORDS, IndexRecordOption::WithFreqs, true))
}

/// A field of keys, which are matched exactly.
fn keys(schema: &mut SchemaBuilder, name: &str, tokenizer: &str) -> Field {
    schema.add_text_field(name, text(tokenizer, IndexRecordOption::Basic, false))
}

fn text(tokenizer: &str, record: IndexRecordOption, lengths: bool) -> TextOptions {
    TextOptions::default().set_indexing_options(
        TextFieldIndexing::default().set_tokenizer(tokenizer).set_index_option(record).set_fieldnorms(lengths),
    )
}

/// The factor on the BM25 score of each field of a chunk. A field of weight 0 is not searched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldWeights {
    /// The chunk's text.
    pub body: f32,
    /// The names defined in the chunk, the names that enclose them, and the document's title.
    pub symbol: f32,
    /// The words of the document's path.
    pub path: f32,
    /// The doc comment of the definition in the chunk.
    pub comment: f32,
    /// The words of the document's tags.
    pub tag: f32,
}

impl Default for FieldWeights {
    /// The text has the largest weight, because it contains every word at least once. A word that is also a name, a
    /// part of the path or a tag tells the subject of the chunk and raises its score. Names and paths are short fields
    /// whose scores saturate at one match; a weight below 1 keeps a chance match in a name from outranking a text that
    /// contains the whole query. Doc comments repeat the names in prose and are part of the text already.
    fn default() -> Self {
        Self { body: 1.0, symbol: 0.8, path: 0.6, comment: 0.3, tag: 0.5 }
    }
}
