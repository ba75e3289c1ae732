//! Opening installed models.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;

use super::network::{Network, OnnxNetwork, Task};
use super::tokens::TextTokenizer;
use super::worker::Worker;
use super::{LoadError, OnnxSettings};
use crate::Runtime;
use crate::fetch::sha256_of;
use crate::manifest::{Manifest, NETWORK, NetworkKind, TOKENIZER};

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
