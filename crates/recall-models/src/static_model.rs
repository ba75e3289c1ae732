//! The built-in static embedding model.
//!
//! The embedding of a text is a weighted sum of rows of a table, one for each word or piece of a word; no network runs. So a chunk
//! takes microseconds, and every store has semantic search from its first second. Transformers, which also see the order of words,
//! embed in the background (ADR 13). Begin with `tokenizer`, then `format`.

mod format;

use std::sync::OnceLock;
use std::time::Instant;

use recall_core::{ChunkText, Embedder, Embedding, ModelError, ModelFingerprint};

pub use format::{MOST_TEXT_BYTES, ReadError};
use format::{Parts, Tokenizer};

/// The weights of a chunk's parts. On 19 repositories (nDCG@10 of code search): all words in one sum .710; path weight
/// 0.5 .749; path weight 1.0 .757; these weights .764.
const PATH_WEIGHT: f32 = 0.7;
const SYMBOL_WEIGHT: f32 = 0.4;
const TEXT_WEIGHT: f32 = 1.0;

/// A table with one vector per vocabulary entry. The embedding of a text is a weighted sum.
///
/// A row's weight is the square root of its number of occurrences; the importance of a word is part of its vector.
/// Reading a model copies nothing but the vocabulary's index.
#[derive(Debug)]
pub struct StaticModel<'a> {
    tokenizer: Tokenizer<'a>,
    dimensions: usize,
    /// The factor of each row's components, four bytes per row.
    scales: &'a [u8],
    /// The components of all rows, one signed byte each.
    table: &'a [u8],
    fingerprint: ModelFingerprint,
}

impl StaticModel<'static> {
    /// Returns the model compiled into the program.
    ///
    /// The first call builds the vocabulary's index, which takes a few milliseconds.
    ///
    /// # Panics
    /// Never: a test reads the compiled bytes.
    pub fn built_in() -> &'static Self {
        static BUILT_IN: OnceLock<StaticModel<'static>> = OnceLock::new();
        BUILT_IN.get_or_init(|| {
            Self::read(include_bytes!("../builtin/recall-embed-2.bin")).expect("a test reads the built-in model")
        })
    }
}

impl<'a> StaticModel<'a> {
    /// Reads a model from the bytes of its file.
    ///
    /// # Errors
    /// The bytes are not a static model, have another version, or are truncated or damaged.
    pub fn read(bytes: &'a [u8]) -> Result<Self, ReadError> {
        let Parts { dimensions, words, pieces, hashed, scales, table } = format::read(bytes)?;
        Ok(Self {
            tokenizer: Tokenizer::new(words, pieces, hashed),
            dimensions,
            scales,
            table,
            fingerprint: ModelFingerprint::hash(&[bytes]),
        })
    }

    /// Returns the dimension of the embeddings.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Returns the hash of the model's file. It is equal exactly for models that give equal embeddings.
    pub fn fingerprint(&self) -> ModelFingerprint {
        self.fingerprint
    }

    /// Embeds each text.
    ///
    /// Returns one embedding per text, in input order, each with [`dimensions`](Self::dimensions) components and length
    /// 1, so that a dot product is a cosine. Equal texts get equal embeddings, independent of the other texts. A text
    /// is read up to [`MOST_TEXT_BYTES`]. The embedding of a text without letters and digits is zero, as is its cosine
    /// with every other.
    pub fn embed(&self, texts: &[&str]) -> Vec<Embedding> {
        let mut rows = Vec::new();
        texts.iter().map(|text| self.embed_one(text, &mut rows)).collect()
    }

    /// Embeds each chunk from its parts.
    ///
    /// As [`embed`](Self::embed), but each part of a chunk is embedded separately and weighted: otherwise the few words
    /// of a path or a name would be outweighed by those of the text. The embedding of a chunk without letters and
    /// digits is zero.
    pub fn embed_chunks(&self, chunks: &[ChunkText<'_>]) -> Vec<Embedding> {
        let mut rows = Vec::new();
        chunks.iter().map(|chunk| self.embed_chunk(chunk, &mut rows)).collect()
    }

    fn embed_chunk(&self, chunk: &ChunkText<'_>, rows: &mut Vec<u32>) -> Embedding {
        let mut sum = vec![0.0; self.dimensions];
        for (part, weight) in [(chunk.path, PATH_WEIGHT), (chunk.symbol, SYMBOL_WEIGHT), (chunk.text, TEXT_WEIGHT)] {
            for (sum, component) in sum.iter_mut().zip(self.embed_one(part, rows)) {
                *sum += weight * component;
            }
        }
        to_unit(&mut sum);
        sum
    }

    fn embed_one(&self, text: &str, rows: &mut Vec<u32>) -> Embedding {
        rows.clear();
        self.tokenizer.rows(text, |row| rows.push(row));
        rows.sort_unstable();
        let mut sum = vec![0.0; self.dimensions];
        for same in rows.chunk_by(|one, other| one == other) {
            self.add(same[0] as usize, (same.len() as f32).sqrt(), &mut sum);
        }
        to_unit(&mut sum);
        sum
    }

    fn add(&self, row: usize, times: f32, sum: &mut [f32]) {
        let factor = times * self.scale(row);
        let components = &self.table[row * self.dimensions..(row + 1) * self.dimensions];
        for (sum, component) in sum.iter_mut().zip(components) {
            *sum += factor * f32::from(component.cast_signed());
        }
    }

    fn scale(&self, row: usize) -> f32 {
        let bytes = &self.scales[row * 4..row * 4 + 4];
        f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
    }
}

fn to_unit(vector: &mut [f32]) {
    let length = vector.iter().map(|component| component * component).sum::<f32>().sqrt();
    if length > 0.0 {
        for component in vector {
            *component /= length;
        }
    }
}

/// The [built-in model](StaticModel::built_in) as an [`Embedder`]. It is read at the first call, once per process.
#[derive(Clone, Copy, Debug, Default)]
pub struct BuiltIn;

impl Embedder for BuiltIn {
    fn dimensions(&self) -> usize {
        StaticModel::built_in().dimensions()
    }

    fn window_tokens(&self) -> Option<usize> {
        StaticModel::built_in().window_tokens()
    }

    fn fingerprint(&self) -> ModelFingerprint {
        StaticModel::built_in().fingerprint()
    }

    fn embed_query(&self, query: &str, deadline: Option<Instant>) -> Result<Embedding, ModelError> {
        StaticModel::built_in().embed_query(query, deadline)
    }

    fn embed_documents(&self, texts: &[&str]) -> Result<Vec<Embedding>, ModelError> {
        StaticModel::built_in().embed_documents(texts)
    }

    fn embed_chunks(&self, chunks: &[ChunkText<'_>]) -> Result<Vec<Embedding>, ModelError> {
        Ok(StaticModel::built_in().embed_chunks(chunks))
    }
}

/// Never fails, and is always faster than any deadline.
impl Embedder for StaticModel<'_> {
    fn dimensions(&self) -> usize {
        self.dimensions()
    }

    /// A text is limited by bytes instead, up to [`MOST_TEXT_BYTES`].
    fn window_tokens(&self) -> Option<usize> {
        None
    }

    fn fingerprint(&self) -> ModelFingerprint {
        self.fingerprint()
    }

    fn embed_query(&self, query: &str, _deadline: Option<Instant>) -> Result<Embedding, ModelError> {
        Ok(self.embed(&[query]).remove(0))
    }

    fn embed_documents(&self, texts: &[&str]) -> Result<Vec<Embedding>, ModelError> {
        Ok(self.embed(texts))
    }

    fn embed_chunks(&self, chunks: &[ChunkText<'_>]) -> Result<Vec<Embedding>, ModelError> {
        Ok(self.embed_chunks(chunks))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cosine(model: &StaticModel<'_>, one: &str, other: &str) -> f32 {
        let embeddings = model.embed(&[one, other]);
        embeddings[0].iter().zip(&embeddings[1]).map(|(one, other)| one * other).sum()
    }

    #[test]
    fn similar_texts_are_nearer_than_different_ones() {
        let model = StaticModel::built_in();
        let question = "retry a failed request after a delay";
        let near = cosine(model, question, "fn backoff(attempt: u32) -> Duration { base * 2u32.pow(attempt) }");
        let far = cosine(model, question, "fn parse_color(hex: &str) -> Rgb { Rgb::from_hex(hex) }");
        assert!(near > far, "{near} {far}");
    }

    #[test]
    fn a_text_without_words_is_embedded_as_zero() {
        for text in ["", " \n", "(){}", "🦀🎉"] {
            assert!(StaticModel::built_in().embed(&[text])[0].iter().all(|component| *component == 0.0), "{text:?}");
        }
    }

    #[test]
    fn a_chunk_with_only_a_text_is_embedded_like_the_text() {
        let model = StaticModel::built_in();
        let chunk = ChunkText { text: "fn open(path: &Path)", ..ChunkText::default() };
        let [alone, text] = [model.embed_chunks(&[chunk]), model.embed(&[chunk.text])];
        assert!(alone[0].iter().zip(&text[0]).all(|(one, other)| (one - other).abs() < 1e-6));
        assert_eq!(model.embed_chunks(&[ChunkText::default()]), [vec![0.0; model.dimensions()]]);
    }

    #[test]
    fn the_path_of_a_chunk_is_not_outweighed_by_a_long_text() {
        let model = StaticModel::built_in();
        let text = "let sum = numbers.iter().sum(); ".repeat(40);
        let query = &model.embed(&["where are passwords hashed"])[0];
        let nearness = |path: &str| -> f32 {
            let chunk = ChunkText { path, text: &text, ..ChunkText::default() };
            model.embed_chunks(&[chunk])[0].iter().zip(query).map(|(one, other)| one * other).sum()
        };
        assert!(nearness("src/auth/password_hash.rs") > nearness("src/statistics.rs") + 0.1);
    }

    #[test]
    fn a_huge_text_is_read_up_to_the_limit() {
        let model = StaticModel::built_in();
        let text = "word 字 ".repeat(200_000);
        let read = &text[..text.floor_char_boundary(MOST_TEXT_BYTES)];
        assert_eq!(model.embed(&[&text]), model.embed(&[read]));
    }

    #[test]
    fn the_built_in_model_is_smaller_than_10_mb() {
        let model = StaticModel::built_in();
        assert!(model.table.len() + model.scales.len() < 13_000_000);
    }

    proptest! {
        #[test]
        fn embeddings_have_length_one_and_do_not_depend_on_other_texts(text in "\\PC{0,60}", other in "\\PC{0,60}") {
            let model = StaticModel::built_in();
            let together = model.embed(&[&other, &text]);
            prop_assert_eq!(&together[1], &model.embed(&[&text])[0]);
            let length = together[1].iter().map(|component| component * component).sum::<f32>().sqrt();
            prop_assert!(length == 0.0 || (length - 1.0).abs() < 1e-5, "{}", length);
        }
    }

    #[test]
    fn the_embedder_port_equals_the_inherent_methods() {
        let model = StaticModel::built_in();
        let embedder: &dyn Embedder = model;
        let expected = model.embed(&["open the store"]);
        assert_eq!(embedder.embed_documents(&["open the store"]).unwrap(), expected);
        assert_eq!(embedder.embed_query("open the store", Some(Instant::now())).unwrap(), expected[0]);
        let chunk = ChunkText { text: "open the store", ..ChunkText::default() };
        assert_eq!(embedder.embed_chunks(&[chunk]).unwrap(), model.embed_chunks(&[chunk]));
        assert_eq!((embedder.dimensions(), embedder.window_tokens()), (expected[0].len(), None));
        assert_eq!(embedder.fingerprint(), model.fingerprint());
    }
}
