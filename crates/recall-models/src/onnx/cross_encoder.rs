//! Here are a question and texts; how well does each answer it?

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use recall_core::{CrossEncoder, ModelError, ModelFingerprint};

use super::network::{Network, OnnxNetwork, Task};
use super::slot::TokenizerSlot;
use super::worker::{Urgency, Worker};
use super::{LoadError, ModelState, OnnxSettings};
use crate::Runtime;
use crate::fetch::sha256_of;
use crate::manifest::{Manifest, NETWORK, Role, TOKENIZER};

/// A transformer that reads a question and a text together, run by the ONNX runtime.
///
/// Its network is loaded at the first question and shared by all callers.
pub struct OnnxCrossEncoder {
    name: String,
    manifest: Manifest,
    tokenizer: Arc<TokenizerSlot>,
    worker: Worker,
}

impl OnnxCrossEncoder {
    /// Opens an installed cross-encoder: reads its manifest and its tokenizer. The network is loaded when it is needed.
    ///
    /// # Errors
    /// See [`LoadError`].
    pub fn open(name: &str, folder: &Path, runtime: &Runtime, settings: &OnnxSettings) -> Result<Self, LoadError> {
        let (manifest, tokenizer, worker) = open(name, folder, Role::Rerank, runtime, settings)?;
        Ok(Self { name: name.to_owned(), manifest, tokenizer, worker })
    }

    /// Its name in the folder of models.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it is and how it is used.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Whether it is loaded, who computes it, what is wrong.
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
        let outputs = self.worker.ask(pairs, Urgency::Urgent, deadline).wait(deadline)?;
        Ok(outputs.into_iter().map(|output| output[0]).collect())
    }
}

impl fmt::Debug for OnnxCrossEncoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OnnxCrossEncoder").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Opens what all models have.
pub(super) fn open(
    name: &str,
    folder: &Path,
    role: Role,
    runtime: &Runtime,
    settings: &OnnxSettings,
) -> Result<(Manifest, Arc<TokenizerSlot>, Worker), LoadError> {
    let manifest = Manifest::read(folder)?;
    if manifest.role != role {
        return Err(LoadError::OtherRole { path: folder.to_owned(), found: manifest.role, asked: role });
    }
    let tokenizer = TokenizerSlot::open(folder.join(TOKENIZER), manifest.window_tokens)?;
    let padding = tokenizer.get()?.padding();
    let tokenizer = Arc::new(tokenizer);
    let load = loading(folder.to_owned(), manifest.clone(), runtime.clone(), settings.clone(), padding);
    let slot = Arc::clone(&tokenizer);
    let worker = Worker::start(name, settings, manifest.batching, Box::new(load), Box::new(move || slot.clear()));
    Ok((manifest, tokenizer, worker))
}

/// What loads an installed network: its files must be those that were installed, since the fingerprint is theirs.
fn loading(
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
            role: manifest.role,
            pooling: manifest.pooling,
            normalise: manifest.normalise,
            dimensions: Some(manifest.dimensions),
            padding,
        };
        Ok(Box::new(OnnxNetwork::load(&runtime, &folder.join(NETWORK), &settings, task)?))
    }
}
