//! How is an installed encoder asked that nobody has needed yet?

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use parking_lot::Mutex;
use recall_core::{ChunkText, Embedder, Embedding, ModelError, ModelFingerprint};
use recall_models::{LoadError, Manifest, OnnxEncoder, OnnxSettings, RuntimeError};

use super::runtimes::Runtimes;
use crate::failure::chain;

/// An installed encoder. Its tokenizer and the runtime are opened by the first text, and where that fails by the next.
///
/// So a daemon starts without the runtime, and one that is installed later is found.
pub(crate) struct Encoder {
    name: String,
    folder: PathBuf,
    manifest: Manifest,
    runtimes: Runtimes,
    settings: OnnxSettings,
    opened: Mutex<Opened>,
}

#[derive(Default)]
struct Opened {
    encoder: Option<Arc<OnnxEncoder>>,
    /// Why it could not be opened the last time.
    problem: Option<String>,
}

impl Encoder {
    /// An encoder; reads nothing.
    pub(super) fn new(
        name: &str,
        folder: &Path,
        manifest: Manifest,
        runtimes: Runtimes,
        settings: OnnxSettings,
    ) -> Self {
        let (name, folder) = (name.to_owned(), folder.to_owned());
        Self { name, folder, manifest, runtimes, settings, opened: Mutex::default() }
    }

    /// Its name.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// What it is.
    pub(super) fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The bytes of its files.
    pub(super) fn bytes(&self) -> u64 {
        self.manifest.bytes()
    }

    /// What computes it; `None` while it is not loaded.
    pub(super) fn provider(&self) -> Option<String> {
        let encoder = self.opened.lock().encoder.clone()?;
        encoder.state().provider.map(|provider| provider.main().to_owned())
    }

    /// Why it could not be loaded the last time that was tried.
    pub(super) fn problem(&self) -> Option<String> {
        let opened = self.opened.lock();
        let state = opened.encoder.as_ref().map(|encoder| encoder.state());
        opened.problem.clone().or_else(|| state?.problem.map(|error| chain(&*error)))
    }

    /// Loads its network, unless it is, so that the first query need not wait for that.
    pub(crate) fn warm_up(self: &Arc<Self>) {
        let encoder = Arc::clone(self);
        let loading = std::thread::Builder::new().name("model".to_owned()).spawn(move || {
            if let Err(error) = encoder.embed_query("", None) {
                tracing::warn!(model = encoder.name, error = chain(&error), "a model that is used does not answer");
            }
        });
        if let Err(error) = loading {
            tracing::warn!(%error, "no thread to load a model; the first request that needs it does");
        }
    }

    fn open(&self) -> Result<Arc<OnnxEncoder>, ModelError> {
        let mut opened = self.opened.lock();
        if let Some(encoder) = &opened.encoder {
            return Ok(Arc::clone(encoder));
        }
        match self.try_open() {
            Ok(encoder) => {
                let encoder = Arc::new(encoder);
                *opened = Opened { encoder: Some(Arc::clone(&encoder)), problem: None };
                Ok(encoder)
            }
            Err(error) => {
                opened.problem = Some(chain(&error));
                Err(ModelError::Unavailable { model: self.name.clone(), source: Arc::new(error) })
            }
        }
    }

    fn try_open(&self) -> Result<OnnxEncoder, OpenError> {
        let runtime = self.runtimes.open()?;
        Ok(OnnxEncoder::open(&self.name, &self.folder, &runtime, &self.settings)?)
    }
}

impl Embedder for Encoder {
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
        self.open()?.embed_query(query, deadline)
    }

    fn embed_documents(&self, texts: &[&str]) -> Result<Vec<Embedding>, ModelError> {
        self.open()?.embed_documents(texts)
    }

    fn embed_chunks(&self, chunks: &[ChunkText<'_>]) -> Result<Vec<Embedding>, ModelError> {
        self.open()?.embed_chunks(chunks)
    }
}

/// An encoder cannot be opened.
#[derive(Debug, thiserror::Error)]
enum OpenError {
    #[error(transparent)]
    Runtime(#[from] RuntimeError),
    #[error(transparent)]
    Load(#[from] LoadError),
}
