//! What is the embedding of a text by the built-in model?

mod format;
mod port;
mod tokenizer;

use std::sync::OnceLock;

use recall_core::{ChunkText, Embedding, ModelFingerprint};

use format::Parts;
pub use format::ReadError;
pub use tokenizer::MOST_TEXT_BYTES;
use tokenizer::Tokenizer;

/// How much the parts of a chunk count. Of mixtures tried on 19 repositories (nDCG@10 of code search): all words in one sum
/// .710; a path of 0.5 .749; a path of 1.0 .757; these .764.
const PATH_WEIGHT: f32 = 0.7;
const SYMBOL_WEIGHT: f32 = 0.4;
const TEXT_WEIGHT: f32 = 1.0;

/// A table of vectors, one a row of the vocabulary, and their weighted sum.
///
/// A row counts by the root of how often it occurs; how much a word tells is a part of its vector. Reading a model copies
/// nothing but the index of its words.
#[derive(Debug)]
pub struct StaticModel<'a> {
    tokenizer: Tokenizer<'a>,
    dimensions: usize,
    /// By how much the components of each row are multiplied, four bytes a row.
    scales: &'a [u8],
    /// The components of all rows, one signed byte each.
    table: &'a [u8],
    fingerprint: ModelFingerprint,
}

impl StaticModel<'static> {
    /// The model that is a part of the program.
    ///
    /// Its index of words is made at the first call, which takes a few milliseconds.
    ///
    /// # Panics
    /// Never: the bytes are a part of the program, and a test reads them.
    pub fn built_in() -> &'static Self {
        static BUILT_IN: OnceLock<StaticModel<'static>> = OnceLock::new();
        BUILT_IN.get_or_init(|| {
            Self::read(include_bytes!("../builtin/recall-embed-1.bin")).expect("a test reads the built-in model")
        })
    }
}

impl<'a> StaticModel<'a> {
    /// Reads a model from the bytes of its file.
    ///
    /// # Errors
    /// The bytes are no such model, of another version, cut or changed.
    pub fn read(bytes: &'a [u8]) -> Result<Self, ReadError> {
        let Parts { dimensions, words, pieces, hashed, scales, table } = format::read(bytes)?;
        Ok(Self {
            tokenizer: Tokenizer::new(words, pieces, hashed),
            dimensions,
            scales,
            table,
            fingerprint: ModelFingerprint::of(&[bytes]),
        })
    }

    /// How many components an embedding has.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// The hash of the model's file: equal exactly for models that give equal embeddings to equal texts.
    pub fn fingerprint(&self) -> ModelFingerprint {
        self.fingerprint
    }

    /// Embeds each text.
    ///
    /// One embedding a text, in input order, each of [`dimensions`](Self::dimensions) components and length 1, so that a dot
    /// product is a cosine. Equal texts give equal embeddings, whatever they are embedded with. A text is read up to
    /// [`MOST_TEXT_BYTES`]. A text without a letter or digit has no direction: its embedding is zero, as is its cosine to
    /// every other.
    pub fn embed(&self, texts: &[&str]) -> Vec<Embedding> {
        let mut rows = Vec::new();
        texts.iter().map(|text| self.embed_one(text, &mut rows)).collect()
    }

    /// Embeds each chunk by its parts.
    ///
    /// As [`embed`](Self::embed), but each part of a chunk is embedded alone and counts by its weight: the few words of a
    /// path or a name would else drown in those of the text. A chunk whose parts are all without letters and digits is zero.
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cosine(model: &StaticModel<'_>, one: &str, other: &str) -> f32 {
        let embeddings = model.embed(&[one, other]);
        embeddings[0].iter().zip(&embeddings[1]).map(|(one, other)| one * other).sum()
    }

    #[test]
    fn what_means_the_same_is_nearer_than_what_does_not() {
        let model = StaticModel::built_in();
        let question = "retry a failed request after a delay";
        let near = cosine(model, question, "fn backoff(attempt: u32) -> Duration { base * 2u32.pow(attempt) }");
        let far = cosine(model, question, "fn parse_color(hex: &str) -> Rgb { Rgb::from_hex(hex) }");
        assert!(near > far, "{near} {far}");
    }

    #[test]
    fn a_text_without_words_has_no_direction() {
        for text in ["", " \n", "(){}", "🦀🎉"] {
            assert!(StaticModel::built_in().embed(&[text])[0].iter().all(|component| *component == 0.0), "{text:?}");
        }
    }

    #[test]
    fn a_chunk_of_text_alone_is_embedded_as_its_text() {
        let model = StaticModel::built_in();
        let chunk = ChunkText { text: "fn open(path: &Path)", ..ChunkText::default() };
        let [alone, text] = [model.embed_chunks(&[chunk]), model.embed(&[chunk.text])];
        assert!(alone[0].iter().zip(&text[0]).all(|(one, other)| (one - other).abs() < 1e-6));
        assert_eq!(model.embed_chunks(&[ChunkText::default()]), [vec![0.0; model.dimensions()]]);
    }

    #[test]
    fn the_path_of_a_chunk_counts_beside_a_long_text() {
        let model = StaticModel::built_in();
        let text = "let sum = numbers.iter().sum(); ".repeat(40);
        let query = &model.embed(&["where are passwords hashed"])[0];
        let nearness = |path: &str| -> f32 {
            let chunk = ChunkText { path, symbol: "", text: &text };
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
    fn the_built_in_model_is_no_larger_than_promised() {
        let model = StaticModel::built_in();
        assert!(model.table.len() + model.scales.len() < 10_000_000);
    }

    proptest! {
        #[test]
        fn embeddings_have_length_one_and_depend_on_their_text_alone(text in "\\PC{0,60}", other in "\\PC{0,60}") {
            let model = StaticModel::built_in();
            let together = model.embed(&[&other, &text]);
            prop_assert_eq!(&together[1], &model.embed(&[&text])[0]);
            let length = together[1].iter().map(|component| component * component).sum::<f32>().sqrt();
            prop_assert!(length == 0.0 || (length - 1.0).abs() < 1e-5, "{}", length);
        }
    }
}
