//! Tokenization of texts for networks.

use std::fs;
use std::path::Path;

use tokenizers::{EncodeInput, Encoding, Tokenizer, TruncationParams, TruncationStrategy};

use super::{LoadError, RunError};

/// The assumed maximum number of bytes per token. A text is cut at the window times this before it is tokenized. Tokens
/// of natural text and code have 2 to 5 bytes, including blanks; longer runs of blanks carry no meaning.
const BYTES_A_TOKEN: usize = 32;

/// The tokens of a text, including the special tokens of the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tokens {
    pub(crate) ids: Vec<u32>,
    /// The segment of a pair that each token belongs to; all 0 for a single text.
    pub(crate) parts: Vec<u32>,
}

impl Tokens {
    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }
}

/// A tokenizer that truncates at the model's window.
#[derive(Debug)]
pub(crate) struct TextTokenizer {
    tokenizer: Tokenizer,
    most_bytes: usize,
    padding: u32,
}

impl TextTokenizer {
    /// Reads a tokenizer. The truncation and padding of the file are ignored: its truncation is often shorter than the
    /// window, and its padding makes short texts as expensive as long ones.
    pub(crate) fn read(path: &Path, window: usize) -> Result<Self, LoadError> {
        let bytes = fs::read(path).map_err(|source| LoadError::Unreadable { path: path.to_owned(), source })?;
        let bad = |error: tokenizers::Error| LoadError::Tokenizer { path: path.to_owned(), reason: error.to_string() };
        let mut tokenizer = Tokenizer::from_bytes(&bytes).map_err(bad)?;
        let padding = tokenizer.get_padding().map(|padding| padding.pad_id);
        let known = || ["[PAD]", "<pad>", "<|endoftext|>"].iter().find_map(|name| tokenizer.token_to_id(name));
        let padding = padding.or_else(known).unwrap_or(0);
        let truncation =
            TruncationParams { max_length: window, strategy: TruncationStrategy::LongestFirst, ..Default::default() };
        tokenizer.with_truncation(Some(truncation)).map_err(bad)?;
        tokenizer.with_padding(None);
        Ok(Self { tokenizer, most_bytes: window.saturating_mul(BYTES_A_TOKEN), padding })
    }

    /// Returns the id of padding, which fills up the shorter texts of a batch. The attention mask excludes it.
    pub(crate) fn padding(&self) -> u32 {
        self.padding
    }

    /// Tokenizes a prefix and a text.
    pub(crate) fn text(&self, prefix: &str, text: &str) -> Result<Tokens, RunError> {
        let text = self.cut(text);
        if prefix.is_empty() { self.encode(text) } else { self.encode(format!("{prefix}{text}")) }
    }

    /// Tokenizes a query and a text. The longer one is truncated.
    pub(crate) fn pair(&self, query: &str, text: &str) -> Result<Tokens, RunError> {
        self.encode((self.cut(query), self.cut(text)))
    }

    fn cut<'t>(&self, text: &'t str) -> &'t str {
        &text[..text.floor_char_boundary(self.most_bytes)]
    }

    fn encode<'t>(&self, input: impl Into<EncodeInput<'t>>) -> Result<Tokens, RunError> {
        let encoding: Encoding = self
            .tokenizer
            .encode_fast(input, true)
            .map_err(|error| RunError::Tokenizer { reason: error.to_string() })?;
        Ok(Tokens { ids: encoding.get_ids().to_vec(), parts: encoding.get_type_ids().to_vec() })
    }
}
