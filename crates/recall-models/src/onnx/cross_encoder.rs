//! Cross-encoders run by ONNX Runtime.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use recall_core::{CrossEncoder, ModelError, ModelFingerprint};

use super::open::TokenizerSlot;
use super::open::open;
use super::worker::{Priority, Worker};
use super::{LoadError, ModelState, OnnxSettings};
use crate::Runtime;
use crate::manifest::{Manifest, NetworkKind};

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
