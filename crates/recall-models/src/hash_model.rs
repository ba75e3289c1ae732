//! An embedder without a model: words and their trigrams are hashed to components.
//!
//! It knows no meaning. Texts that share words or parts of words are near, so a search with it can be followed by hand, and its
//! results depend on nothing but this file.

use std::time::Instant;

use recall_core::{ChunkText, Embedder, Embedding, ModelError, ModelFingerprint};
use recall_text::fold_case;
use recall_text::words::{self, Word};

/// The number of components. With 256, two of a chunk's hundred words share a component every few chunks.
const DIMENSIONS: usize = 256;

/// The weight of a trigram next to that of its word: a word outweighs what it has in common with another.
const TRIGRAM_WEIGHT: f32 = 0.25;

/// What the embeddings depend on. It changes with every change of them.
const DEFINITION: &[u8] = b"words and trigrams, FNV-1a, 256 components, 1";

/// The feature-hashing embedder.
#[derive(Clone, Copy, Debug, Default)]
pub struct HashModel;

impl Embedder for HashModel {
    fn dimensions(&self) -> usize {
        DIMENSIONS
    }

    fn window_tokens(&self) -> Option<usize> {
        None
    }

    fn fingerprint(&self) -> ModelFingerprint {
        ModelFingerprint::hash(&[DEFINITION])
    }

    fn embed_query(&self, query: &str, _: Option<Instant>) -> Result<Embedding, ModelError> {
        Ok(embed(query))
    }

    fn embed_documents(&self, texts: &[&str]) -> Result<Vec<Embedding>, ModelError> {
        Ok(texts.iter().map(|text| embed(text)).collect())
    }

    fn embed_chunks(&self, chunks: &[ChunkText<'_>]) -> Result<Vec<Embedding>, ModelError> {
        Ok(chunks.iter().map(|chunk| embed(&chunk.full_text())).collect())
    }
}

/// Returns an embedding of length 1; all zero if the text has no words but stop words.
fn embed(text: &str) -> Embedding {
    let mut embedding = vec![0.0_f32; DIMENSIONS];
    words::split(text, |word| {
        let (Word::Plain(word) | Word::Part(word)) = word else { return };
        let word = fold_case(word);
        if words::is_stop_word(&word) {
            return;
        }
        add(&mut embedding, &word, 1.0);
        let letters: Vec<char> = word.chars().collect();
        for trigram in letters.windows(3) {
            add(&mut embedding, &trigram.iter().collect::<String>(), TRIGRAM_WEIGHT);
        }
    });
    let length = embedding.iter().map(|component| component * component).sum::<f32>().sqrt();
    if length > 0.0 {
        for component in &mut embedding {
            *component /= length;
        }
    }
    embedding
}

/// Adds a feature to the component of its hash, with the sign of its hash, so that collisions cancel out on average
/// (Weinberger et al., ICML 2009).
fn add(embedding: &mut [f32], feature: &str, weight: f32) {
    let hash = fnv1a(feature.as_bytes());
    let sign = if hash >> 63 == 0 { 1.0 } else { -1.0 };
    embedding[(hash % DIMENSIONS as u64) as usize] += sign * weight;
}

/// The 64-bit hash FNV-1a, which is the same on every machine.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cosine(a: &str, b: &str) -> f32 {
        embed(a).iter().zip(embed(b)).map(|(a, b)| a * b).sum()
    }

    #[test]
    fn texts_that_share_words_or_parts_of_them_are_near() {
        let near = cosine("retry the payment", "payments are retried");
        let far = cosine("retry the payment", "keepers feed wombats at noon");
        assert!(cosine("retry the payment", "payment retry").abs() > 0.99 && near > far + 0.1, "{near} {far}");
    }

    #[test]
    fn an_embedding_has_length_one_and_the_same_bytes_everywhere() {
        let embedding = embed("openStore");
        let length: f32 = embedding.iter().map(|component| component * component).sum();
        assert!((length - 1.0).abs() < 1e-5, "{length}");
        let signs = [f32::is_sign_positive, f32::is_sign_negative];
        let components = || embedding.iter().filter(|component| **component != 0.0);
        assert!(signs.iter().all(|sign| components().any(|component| sign(*component))), "{embedding:?}");
        assert_eq!(fnv1a(b"store"), 0x44EE_54AD_76B0_BD8E);
        assert_eq!(embed("the of and"), vec![0.0; DIMENSIONS]);
        assert_eq!(embed(""), vec![0.0; DIMENSIONS]);
    }
}
