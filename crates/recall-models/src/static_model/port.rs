//! The implementation of [`Embedder`] for the static model.

use std::time::Instant;

use recall_core::{ChunkText, Embedder, Embedding, ModelError, ModelFingerprint};

use crate::StaticModel;

/// Never fails, and is always faster than any deadline.
impl Embedder for StaticModel<'_> {
    fn dimensions(&self) -> usize {
        self.dimensions()
    }

    /// A text is limited by bytes instead, up to [`MOST_TEXT_BYTES`](crate::MOST_TEXT_BYTES).
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
    use super::*;

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
