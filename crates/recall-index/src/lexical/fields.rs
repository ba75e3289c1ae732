//! The fields of the index, their weights, and their tokenizers.

use recall_text::{fold_case, normalize_text, normalized_path};
use tantivy::schema::{FAST, Field, INDEXED, IndexRecordOption, Schema, SchemaBuilder, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::{TextAnalyzer, Token, TokenStream, Tokenizer, TokenizerManager};

use crate::lexical::analysis::{Analysis, cut};
use crate::lexical::names;
use crate::lexical::words::Word;

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
    /// The title and headings of prose and the first sentence of a memory, each as a key of [`crate::lexical::names`].
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
            form: keys(&mut schema, "form", FORMS),
            symbol: terms(&mut schema, "symbol"),
            path: terms(&mut schema, "path"),
            comment: terms(&mut schema, "comment"),
            tag_words: terms(&mut schema, "tag_words"),
            name: keys(&mut schema, "name", NAMES),
            folded_name: keys(&mut schema, "folded_name", FOLDED_NAMES),
            phrase: keys(&mut schema, "phrase", PHRASES),
            path_end: keys(&mut schema, "path_end", PATH_ENDS),
            stem: keys(&mut schema, "stem", FOLDED),
            path_words: terms(&mut schema, "path_words"),
            stem_words: terms(&mut schema, "stem_words"),
            folder_words: terms(&mut schema, "folder_words"),
            path_raw: keys(&mut schema, "path_raw", WHOLE),
            document_type: keys(&mut schema, "document_type", WHOLE),
            language: keys(&mut schema, "language", WHOLE),
            tag: keys(&mut schema, "tag", WHOLE),
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
    schema.add_text_field(name, text(WORDS, IndexRecordOption::WithFreqs, true))
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

/// The tokenizer of prose, code, names and paths: the terms of [`Analysis`].
pub(crate) const WORDS: &str = "recall-words";

/// The tokenizer of written forms: the words whose term of [`WORDS`] is another form, in lower case.
pub(crate) const FORMS: &str = "recall-forms";

/// The tokenizer that keeps a value whole, in its normalized form; see [`normalized_path`].
pub(crate) const WHOLE: &str = "recall-whole";

/// The tokenizer that keeps a value whole, in its folded form.
pub(crate) const FOLDED: &str = "recall-folded";

/// The tokenizer of qualified names: every suffix that begins at a name, in normalized form.
pub(crate) const NAMES: &str = "recall-names";

/// [`NAMES`] in the form of [`names::fold_name`].
pub(crate) const FOLDED_NAMES: &str = "recall-folded-names";

/// The tokenizer of whole paths: every suffix that begins at a component, in folded form.
pub(crate) const PATH_ENDS: &str = "recall-path-ends";

/// The tokenizer of titles and headings: the value as a [`names::phrase_key`].
pub(crate) const PHRASES: &str = "recall-phrases";

/// Registers the tokenizers under their names.
pub(crate) fn register_tokenizers(tokenizers: &TokenizerManager) {
    tokenizers.register(WORDS, TextAnalyzer::from(BufferedTokenizer::new(words)));
    tokenizers.register(FORMS, TextAnalyzer::from(BufferedTokenizer::new(forms)));
    tokenizers
        .register(WHOLE, TextAnalyzer::from(BufferedTokenizer::new(|_, text, out| out.push(&normalized_path(text)))));
    tokenizers.register(FOLDED, TextAnalyzer::from(BufferedTokenizer::new(|_, text, out| out.push(&fold_case(text)))));
    tokenizers.register(
        PHRASES,
        TextAnalyzer::from(BufferedTokenizer::new(|_, text, out| {
            if let Some(key) = names::phrase_key(text) {
                out.push(&key);
            }
        })),
    );
    tokenizers.register(
        NAMES,
        TextAnalyzer::from(BufferedTokenizer::new(|_, text, out| {
            names::each_end(&normalize_text(text), |end| out.push(end));
        })),
    );
    tokenizers.register(
        FOLDED_NAMES,
        TextAnalyzer::from(BufferedTokenizer::new(|_, text, out| {
            names::each_end(&normalize_text(text), |end| out.push(&names::fold_name(end)));
        })),
    );
    tokenizers.register(
        PATH_ENDS,
        TextAnalyzer::from(BufferedTokenizer::new(|_, text, out| {
            names::ends(&fold_case(text), "/").for_each(|end| out.push(end));
        })),
    );
}

fn words(analysis: &mut Analysis, text: &str, out: &mut Buffer) {
    analysis.each(text, |term| out.push(term.indexed));
}

fn forms(analysis: &mut Analysis, text: &str, out: &mut Buffer) {
    analysis.each(text, |term| {
        let lower = cut(term.folded);
        if matches!(term.word, Word::Plain(_)) && lower != term.indexed {
            out.push(lower);
        }
    });
}

/// Fills a buffer with the tokens of a text.
type Fill = fn(&mut Analysis, &str, &mut Buffer);

/// A tokenizer that tokenizes the whole text at once and returns the tokens from a reused buffer. No token allocates.
#[derive(Clone)]
struct BufferedTokenizer {
    fill: Fill,
    analysis: Analysis,
    buffer: Buffer,
    token: Token,
}

impl BufferedTokenizer {
    fn new(fill: Fill) -> Self {
        Self { fill, analysis: Analysis::for_documents(), buffer: Buffer::default(), token: Token::default() }
    }
}

impl Tokenizer for BufferedTokenizer {
    type TokenStream<'a> = Stream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Stream<'a> {
        self.buffer.clear();
        (self.fill)(&mut self.analysis, text, &mut self.buffer);
        self.token.reset();
        Stream { buffer: &self.buffer, token: &mut self.token, next: 0, start: 0 }
    }
}

/// Concatenated tokens with their end positions.
#[derive(Clone, Default)]
struct Buffer {
    text: String,
    ends: Vec<usize>,
}

impl Buffer {
    fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
    }

    fn push(&mut self, token: &str) {
        self.text.push_str(token);
        self.ends.push(self.text.len());
    }
}

struct Stream<'a> {
    buffer: &'a Buffer,
    token: &'a mut Token,
    next: usize,
    start: usize,
}

impl TokenStream for Stream<'_> {
    fn advance(&mut self) -> bool {
        let Some(&end) = self.buffer.ends.get(self.next) else { return false };
        self.token.text.clear();
        self.token.text.push_str(&self.buffer.text[self.start..end]);
        self.token.position = self.next;
        self.next += 1;
        self.start = end;
        true
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(tokenizer: &str, text: &str, expected: &[&str]) {
        let tokenizers = TokenizerManager::new();
        register_tokenizers(&tokenizers);
        let mut analyzer = tokenizers.get(tokenizer).expect("registered");
        let mut tokens = Vec::new();
        analyzer.token_stream(text).process(&mut |token| tokens.push(token.text.clone()));
        assert_eq!(tokens, expected, "{tokenizer} of {text:?}");
    }

    #[test]
    fn each_tokenizer_has_its_own_tokens() {
        check(WORDS, "open theFiles", &["open", "thefiles", "the", "file"]);
        check(WORDS, "", &[]);
        check(FORMS, "open theFiles files", &["files"]);
        check(WHOLE, "A b/C", &["A b/C"]);
        check(FOLDED, "MakeFile", &["makefile"]);
        check(NAMES, "engine::Store::open", &["engine::Store::open", "Store::open", "open"]);
        check(FOLDED_NAMES, "Store::open", &["store::open", "open"]);
        check(PHRASES, "Minimum `supported` Rust version", &["minimum supported rust version"]);
        check(PHRASES, "***", &[]);
        check(PATH_ENDS, "src/Store/open.rs", &["src/store/open.rs", "store/open.rs", "open.rs"]);
    }
}
