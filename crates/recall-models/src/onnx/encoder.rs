//! Encoders and cross-encoders run by ONNX Runtime, and their opening.

use std::collections::VecDeque;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use parking_lot::Mutex;
use recall_core::{ChunkText, CrossEncoder, Embedder, Embedding, ModelError, ModelFingerprint};

use super::network::{Network, OnnxNetwork, Task};
use super::tokens::{TextTokenizer, Tokens};
use super::worker::{Pending, Priority, Worker};
use super::{LoadError, ModelState, OnnxSettings};
use crate::Runtime;
use crate::files::sha256_of;
use crate::manifest::{Manifest, NETWORK, NetworkKind, TOKENIZER};

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

    fn prepare(&self) {
        if self.state().provider.is_some() {
            return;
        }
        // A text is what makes the worker load the network. Nobody reads its embedding.
        if let Ok(tokens) = self.tokens(&self.manifest.query_prefix, &[""]) {
            drop(self.worker.submit(tokens, Priority::Interactive, None));
        }
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

/// A transformer that scores a query and a text together, run by ONNX Runtime.
///
/// Its network is loaded on first use and shared by all callers.
pub struct OnnxCrossEncoder {
    name: String,
    manifest: Manifest,
    tokenizer: Arc<TokenizerSlot>,
    worker: Worker,
}

impl OnnxCrossEncoder {
    /// Opens an installed cross-encoder by reading its manifest and tokenizer. The network is loaded on first use.
    ///
    /// # Errors
    /// See [`LoadError`].
    pub fn open(name: &str, folder: &Path, runtime: &Runtime, settings: &OnnxSettings) -> Result<Self, LoadError> {
        let (manifest, tokenizer, worker) = open(name, folder, NetworkKind::Rerank, runtime, settings)?;
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
}

impl CrossEncoder for OnnxCrossEncoder {
    fn window_tokens(&self) -> usize {
        self.manifest.window_tokens
    }

    fn fingerprint(&self) -> ModelFingerprint {
        self.manifest.fingerprint()
    }

    fn scores(&self, query: &str, texts: &[&str], deadline: Option<Instant>) -> Result<Vec<f32>, ModelError> {
        let unavailable =
            |error: LoadError| ModelError::Unavailable { model: self.name.clone(), source: Arc::new(error) };
        let tokenizer = self.tokenizer.get().map_err(unavailable)?;
        let query = format!("{}{query}", self.manifest.query_prefix);
        let pairs = texts.iter().map(|text| tokenizer.pair(&query, text)).collect::<Result<_, _>>();
        let pairs = pairs.map_err(|error| ModelError::Failed { model: self.name.clone(), source: Arc::new(error) })?;
        let outputs = self.worker.submit(pairs, Priority::Interactive, deadline).wait(deadline)?;
        Ok(outputs.into_iter().map(|output| output[0]).collect())
    }
}

impl fmt::Debug for OnnxCrossEncoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OnnxCrossEncoder").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Opens the parts that encoders and cross-encoders have in common.
pub(super) fn open(
    name: &str,
    folder: &Path,
    kind: NetworkKind,
    runtime: &Runtime,
    settings: &OnnxSettings,
) -> Result<(Manifest, Arc<TokenizerSlot>, Worker), LoadError> {
    let manifest = Manifest::read(folder)?;
    if manifest.kind != kind {
        return Err(LoadError::OtherKind { path: folder.to_owned(), found: manifest.kind, asked: kind });
    }
    let tokenizer = TokenizerSlot::open(folder.join(TOKENIZER), manifest.window_tokens)?;
    let padding = tokenizer.get()?.padding();
    let tokenizer = Arc::new(tokenizer);
    let load = loader(folder.to_owned(), manifest.clone(), runtime.clone(), settings.clone(), padding);
    let slot = Arc::clone(&tokenizer);
    let worker = Worker::start(name, settings, manifest.batching, Box::new(load), Box::new(move || slot.clear()));
    Ok((manifest, tokenizer, worker))
}

/// Returns the loader of an installed network. It verifies the files, since the model's fingerprint is that of the
/// installed ones.
fn loader(
    folder: PathBuf,
    manifest: Manifest,
    runtime: Runtime,
    settings: OnnxSettings,
    padding: u32,
) -> impl Fn() -> Result<Box<dyn Network>, LoadError> + Send {
    move || {
        for file in &manifest.files {
            let path = folder.join(&file.name);
            match sha256_of(&path) {
                Ok((found, _)) if found == file.sha256 => {}
                Ok((found, _)) => return Err(LoadError::Changed { path, expected: file.sha256.clone(), found }),
                Err(source) => return Err(LoadError::Unreadable { path, source }),
            }
        }
        let task = Task {
            kind: manifest.kind,
            pooling: manifest.pooling,
            normalise: manifest.normalise,
            dimensions: Some(manifest.dimensions),
            padding,
        };
        Ok(Box::new(OnnxNetwork::load(&runtime, &folder.join(NETWORK), &settings, task)?))
    }
}

/// A tokenizer that is loaded on demand and released with its network. Large vocabularies take a hundred megabytes.
#[derive(Debug)]
pub(crate) struct TokenizerSlot {
    path: PathBuf,
    window: usize,
    kept: Mutex<Option<Arc<TextTokenizer>>>,
}

impl TokenizerSlot {
    /// Reads the tokenizer, so that an invalid one is reported at once.
    pub(crate) fn open(path: PathBuf, window: usize) -> Result<Self, LoadError> {
        let kept = Mutex::new(Some(Arc::new(TextTokenizer::read(&path, window)?)));
        Ok(Self { path, window, kept })
    }

    /// Returns the tokenizer, reading it again if it was released.
    pub(crate) fn get(&self) -> Result<Arc<TextTokenizer>, LoadError> {
        let mut kept = self.kept.lock();
        if let Some(tokenizer) = &*kept {
            return Ok(Arc::clone(tokenizer));
        }
        let tokenizer = Arc::new(TextTokenizer::read(&self.path, self.window)?);
        *kept = Some(Arc::clone(&tokenizer));
        Ok(tokenizer)
    }

    pub(crate) fn clear(&self) {
        *self.kept.lock() = None;
    }
}
