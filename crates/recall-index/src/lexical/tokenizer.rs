//! The tokenizers of the index's fields.

use recall_text::{fold_case, normalize_text, normalized_path};
use tantivy::tokenizer::{TextAnalyzer, Token, TokenStream, Tokenizer, TokenizerManager};

use crate::lexical::analysis::{Analysis, cut};
use crate::lexical::names;
use crate::lexical::words::Word;

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
/// [`NAMES`] in folded form.
pub(crate) const FOLDED_NAMES: &str = "recall-folded-names";
/// The tokenizer of whole paths: every suffix that begins at a component, in folded form.
pub(crate) const PATH_ENDS: &str = "recall-path-ends";
/// The tokenizer of titles and headings: the value as a [`names::phrase_key`].
pub(crate) const PHRASES: &str = "recall-phrases";

/// Registers the tokenizers under their names.
pub(crate) fn register(tokenizers: &TokenizerManager) {
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
            names::each_end(&normalize_text(text), |end| out.push(&fold_case(end)));
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
        register(&tokenizers);
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
