//! Installed models that are opened when they are first needed, and descriptions of models as messages.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use parking_lot::Mutex;
use recall_api::v1;
use recall_core::{ChunkText, CrossEncoder as _, Embedder, Embedding, ModelError, ModelFingerprint, Provider};
use recall_models::{
    BuiltIn, Installed, LoadError, Manifest, ModelState, NetworkKind, OnnxCrossEncoder, OnnxEncoder, OnnxSettings,
    RegistryModel, Role, Runtime, RuntimeError, find_runtime,
};
use recall_text::error_chain;

/// A model that the runtime executes.
pub(crate) trait Run: Sized + Send + Sync + 'static {
    /// Opens the model; its network is loaded when it is needed.
    fn open(name: &str, folder: &Path, runtime: &Runtime, settings: &OnnxSettings) -> Result<Self, LoadError>;

    /// Returns whether the network is loaded, its provider and its problem.
    fn state(&self) -> ModelState;

    /// Runs a short input, so that the network is loaded.
    fn wake(&self) -> Result<(), ModelError>;
}

pub(crate) type Encoder = OnDemand<OnnxEncoder>;

pub(crate) type CrossEncoder = OnDemand<OnnxCrossEncoder>;

/// An installed model. The first text opens its tokenizer and the runtime; if that fails, the next text tries again.
///
/// So a daemon starts without the runtime, and finds one that is installed later.
pub(crate) struct OnDemand<M> {
    name: String,
    folder: PathBuf,
    manifest: Manifest,
    runtimes: Runtimes,
    settings: OnnxSettings,
    opened: Mutex<Opened<M>>,
}

struct Opened<M> {
    model: Option<Arc<M>>,
    /// The error of the latest attempt to open it.
    problem: Option<String>,
}

/// The description of a model that may be open.
pub(crate) trait Listed {
    /// Returns the size of its files, in bytes.
    fn bytes(&self) -> u64;

    /// Returns the provider that executes it; `None` while it is not loaded.
    fn provider(&self) -> Option<String>;

    /// Returns the error of the latest attempt to load it.
    fn problem(&self) -> Option<String>;
}

impl<M: Run> OnDemand<M> {
    /// Creates a model. Reads no files.
    pub(super) fn new(
        name: &str,
        folder: &Path,
        manifest: Manifest,
        runtimes: Runtimes,
        settings: OnnxSettings,
    ) -> Self {
        let (name, folder) = (name.to_owned(), folder.to_owned());
        let opened = Mutex::new(Opened { model: None, problem: None });
        Self { name, folder, manifest, runtimes, settings, opened }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Loads its network in the background if it is not loaded, so that the first query need not wait.
    pub(crate) fn warm_up(self: &Arc<Self>) {
        let model = Arc::clone(self);
        let loading = std::thread::Builder::new().name("model".to_owned()).spawn(move || {
            if let Err(error) = model.open().and_then(|opened| opened.wake()) {
                tracing::warn!(model = model.name, error = error_chain(&error), "a model that is used does not answer");
            }
        });
        if let Err(error) = loading {
            tracing::warn!(%error, "no thread to load a model; the first request that needs it does");
        }
    }

    fn open(&self) -> Result<Arc<M>, ModelError> {
        let mut opened = self.opened.lock();
        if let Some(model) = &opened.model {
            return Ok(Arc::clone(model));
        }
        match self.try_open() {
            Ok(model) => {
                let model = Arc::new(model);
                *opened = Opened { model: Some(Arc::clone(&model)), problem: None };
                Ok(model)
            }
            Err(error) => {
                opened.problem = Some(error_chain(&error));
                Err(ModelError::Unavailable { model: self.name.clone(), source: Arc::new(error) })
            }
        }
    }

    fn try_open(&self) -> Result<M, OpenError> {
        let runtime = self.runtimes.open()?;
        Ok(M::open(&self.name, &self.folder, &runtime, &self.settings)?)
    }
}

impl<M: Run> Listed for OnDemand<M> {
    fn bytes(&self) -> u64 {
        self.manifest.bytes()
    }

    fn provider(&self) -> Option<String> {
        let model = self.opened.lock().model.clone()?;
        model.state().provider.map(|provider| provider.main().to_owned())
    }

    fn problem(&self) -> Option<String> {
        let opened = self.opened.lock();
        let state = opened.model.as_ref().map(|model| model.state());
        opened.problem.clone().or_else(|| state?.problem.map(|error| error_chain(&*error)))
    }
}

impl Run for OnnxEncoder {
    fn open(name: &str, folder: &Path, runtime: &Runtime, settings: &OnnxSettings) -> Result<Self, LoadError> {
        Self::open(name, folder, runtime, settings)
    }

    fn state(&self) -> ModelState {
        self.state()
    }

    fn wake(&self) -> Result<(), ModelError> {
        self.embed_query("", None).map(drop)
    }
}

impl Run for OnnxCrossEncoder {
    fn open(name: &str, folder: &Path, runtime: &Runtime, settings: &OnnxSettings) -> Result<Self, LoadError> {
        Self::open(name, folder, runtime, settings)
    }

    fn state(&self) -> ModelState {
        self.state()
    }

    fn wake(&self) -> Result<(), ModelError> {
        self.scores("", &[""], None).map(drop)
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

impl recall_core::CrossEncoder for CrossEncoder {
    fn window_tokens(&self) -> usize {
        self.manifest.window_tokens
    }

    fn fingerprint(&self) -> ModelFingerprint {
        self.manifest.fingerprint()
    }

    fn scores(&self, query: &str, texts: &[&str], deadline: Option<Instant>) -> Result<Vec<f32>, ModelError> {
        self.open()?.scores(query, texts, deadline)
    }
}

/// A model cannot be opened.
#[derive(Debug, thiserror::Error)]
enum OpenError {
    #[error(transparent)]
    Runtime(#[from] RuntimeError),
    #[error(transparent)]
    Load(#[from] LoadError),
}

/// The places where the runtime is searched for.
#[derive(Clone, Debug)]
pub(crate) struct Runtimes {
    /// The library named in the settings.
    pub(crate) configured: Option<PathBuf>,
    /// The folder of the installed runtime.
    pub(crate) folder: PathBuf,
}

impl Runtimes {
    /// Loads the runtime, or returns the one that is loaded.
    ///
    /// # Errors
    /// There is none, it is damaged, or it crashed the daemon the last time.
    pub(crate) fn open(&self) -> Result<Runtime, RuntimeError> {
        Runtime::open_guarded(&find_runtime(self.configured.as_deref(), &self.folder)?, &self.folder)
    }
}

/// The name of the built-in model.
pub(crate) const STATIC: &str = "static";

pub(super) fn role_names(roles: &[Role]) -> Vec<String> {
    roles.iter().map(|role| role.as_str().to_owned()).collect()
}

/// Describes an installed model. `running` is the model if it was requested since the daemon started.
pub(super) fn installed_model(model: &Installed, running: Option<&dyn Listed>) -> v1::Model {
    let Installed { name, path, manifest, used_as } = model;
    let described = v1::Model {
        name: name.clone(),
        used_as: role_names(used_as),
        path: path.to_string_lossy().into_owned(),
        installed: true,
        ..v1::Model::default()
    };
    let manifest = match manifest {
        Ok(manifest) => manifest,
        Err(error) => {
            return v1::Model { origin: "local".to_owned(), problem: recall_text::error_chain(error), ..described };
        }
    };
    let provider = running.and_then(Listed::provider);
    let known = RegistryModel::find(name).map(registry_model).unwrap_or_default();
    v1::Model {
        roles: role_names(manifest.kind.roles()),
        origin: if manifest.origin.is_some() { "hub" } else { "local" }.to_owned(),
        dimensions: if manifest.kind == NetworkKind::Embed { manifest.dimensions as u32 } else { 0 },
        window_tokens: manifest.window_tokens as u32,
        licence: manifest.licence.clone().unwrap_or_default(),
        fingerprint: manifest.fingerprint().to_string(),
        loaded: provider.is_some(),
        provider: provider.unwrap_or_default(),
        bytes: installed_bytes(model),
        problem: running.and_then(Listed::problem).unwrap_or_default(),
        languages: known.languages,
        measured: known.measured,
        ..described
    }
}

/// Returns the size of an installed model's files in bytes; 0 if its manifest cannot be read.
pub(super) fn installed_bytes(model: &Installed) -> u64 {
    model.manifest.as_ref().map_or(0, Manifest::bytes)
}

pub(super) fn built_in(is_used: bool) -> v1::Model {
    let embeds = || role_names(NetworkKind::Embed.roles());
    v1::Model {
        name: STATIC.to_owned(),
        roles: embeds(),
        used_as: if is_used { embeds() } else { Vec::new() },
        origin: "builtin".to_owned(),
        path: String::new(),
        dimensions: BuiltIn.dimensions() as u32,
        window_tokens: 0,
        licence: env!("CARGO_PKG_LICENSE").to_owned(),
        fingerprint: BuiltIn.fingerprint().to_string(),
        loaded: is_used,
        provider: if is_used { Provider::Cpu.as_str().to_owned() } else { String::new() },
        bytes: 0,
        problem: String::new(),
        installed: true,
        address: String::new(),
        remote: None,
        languages: vec!["code".to_owned(), "en".to_owned()],
        measured: String::new(),
    }
}

/// Describes a model that can be pulled.
pub(super) fn registry_model(known: &RegistryModel) -> v1::Model {
    v1::Model {
        name: known.name.to_owned(),
        roles: role_names(known.kind.roles()),
        origin: "hub".to_owned(),
        dimensions: if known.kind == NetworkKind::Embed { known.dimensions as u32 } else { 0 },
        window_tokens: known.window_tokens as u32,
        licence: known.licence.to_owned(),
        bytes: known.download_bytes,
        languages: known.languages.iter().map(|&language| language.to_owned()).collect(),
        measured: known.measured.to_owned(),
        ..v1::Model::default()
    }
}
