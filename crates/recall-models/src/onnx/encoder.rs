//! Encoders run by ONNX Runtime.

use std::collections::VecDeque;
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use recall_core::{ChunkText, Embedder, Embedding, ModelError, ModelFingerprint};

use super::open::TokenizerSlot;
use super::open::open;
use super::tokens::Tokens;
use super::worker::{Pending, Priority, Worker};
use super::{LoadError, ModelState, OnnxSettings};
use crate::Runtime;
use crate::manifest::{Manifest, NetworkKind};

/// The number of texts of a request that are queued at a time. It equals the number that is sorted by length together.
/// Up to two such chunks are queued, so that one is tokenized while the other is run.
const QUEUED_TEXTS: usize = 512;

/// A transformer that embeds texts, run by ONNX Runtime.
///
/// Its network is loaded on first use, which may take seconds, and is shared by all callers. Embeddings of equal texts
/// are equal up to rounding, whatever else is in the batch. If that does not hold for a network, it runs each text
/// alone ([`Batching`](crate::Batching)).
pub struct OnnxEncoder {
    name: String,
    manifest: Manifest,
    tokenizer: Arc<TokenizerSlot>,
    worker: Worker,
}

impl OnnxEncoder {
    /// Opens an installed encoder by reading its manifest and tokenizer. The network is loaded on first use.
    ///
    /// # Errors
    /// See [`LoadError`].
    pub fn open(name: &str, folder: &Path, runtime: &Runtime, settings: &OnnxSettings) -> Result<Self, LoadError> {
        let (manifest, tokenizer, worker) = open(name, folder, NetworkKind::Embed, runtime, settings)?;
        Ok(Self { name: name.to_owned(), manifest, tokenizer, worker })
    }

    /// Returns its name in the folder of models.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the manifest with which it was loaded.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Returns whether it is loaded, its provider, and its last error.
    pub fn state(&self) -> ModelState {
        self.worker.state()
    }

    fn tokens(&self, prefix: &str, texts: &[&str]) -> Result<Vec<Tokens>, ModelError> {
        let unavailable =
            |error: LoadError| ModelError::Unavailable { model: self.name.clone(), source: Arc::new(error) };
        let tokenizer = self.tokenizer.get().map_err(unavailable)?;
        let tokens = texts.iter().map(|text| tokenizer.text(prefix, text)).collect::<Result<_, _>>();
        tokens.map_err(|error| ModelError::Failed { model: self.name.clone(), source: Arc::new(error) })
    }

    /// Embeds texts chunk by chunk. The next chunk is tokenized while the previous one is run.
    fn embed_in_background(&self, texts: &[&str]) -> Result<Vec<Embedding>, ModelError> {
        let mut embeddings = Vec::with_capacity(texts.len());
        let mut running: VecDeque<Pending> = VecDeque::new();
        for texts in texts.chunks(QUEUED_TEXTS) {
            let tokens = self.tokens(&self.manifest.document_prefix, texts)?;
            running.push_back(self.worker.submit(tokens, Priority::Background, None));
            if running.len() == 2
                && let Some(first) = running.pop_front()
            {
                embeddings.extend(first.wait(None)?);
            }
        }
        for pending in running {
            embeddings.extend(pending.wait(None)?);
        }
        Ok(embeddings)
    }
}

impl Embedder for OnnxEncoder {
    fn dimensions(&self) -> usize {
        self.manifest.dimensions
    }

    fn window_tokens(&self) -> Option<usize> {
        Some(self.manifest.window_tokens)
    }

    fn fingerprint(&self) -> ModelFingerprint {
        self.manifest.fingerprint()
    }

    fn embed_query(&self, query: &str, deadline: Option<Instant>) -> Result<Embedding, ModelError> {
        let tokens = self.tokens(&self.manifest.query_prefix, &[query])?;
        let mut embeddings = self.worker.submit(tokens, Priority::Interactive, deadline).wait(deadline)?;
        Ok(embeddings.remove(0))
    }

    fn embed_documents(&self, texts: &[&str]) -> Result<Vec<Embedding>, ModelError> {
        self.embed_in_background(texts)
    }

    /// A transformer reads a chunk as a single text: path, symbol and content, each on its own line.
    fn embed_chunks(&self, chunks: &[ChunkText<'_>]) -> Result<Vec<Embedding>, ModelError> {
        let texts: Vec<String> = chunks.iter().map(ChunkText::full_text).collect();
        self.embed_in_background(&texts.iter().map(String::as_str).collect::<Vec<_>>())
    }
}

impl fmt::Debug for OnnxEncoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OnnxEncoder").field("name", &self.name).finish_non_exhaustive()
    }
}
