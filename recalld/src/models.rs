//! Which models are there, and what are they used for?
//!
//! Models are installed in a folder of the user and run by a library that is loaded when the first one needs it. What a
//! store does with an encoder is the engine's business.

mod encoder;
mod error;
mod runtimes;
mod transfer;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;
use recall_config::{Environment, Homes, ModelSetting, ModelsSettings, ProxySetting, Settings};
use recall_core::{Embedder as _, Provider};
use recall_engine::{EmbeddingModel, Encoders, Engine};
use recall_models::{BuiltIn, FetchSettings, Installed, KNOWN, Known, Manifest, ModelsFolder, OnnxSettings, Role};
use recall_proto::v1;

pub(crate) use encoder::Encoder;
pub(crate) use error::ModelsError;
use runtimes::Runtimes;
pub(crate) use transfer::Transfer;

/// What the built-in model is called.
pub(crate) const STATIC: &str = "static";

/// The encoder that is used, and the other installed ones.
type UsedAndOthers = (Option<Arc<Encoder>>, Vec<Arc<Encoder>>);

/// What stands for no model.
pub(crate) const NONE: &str = "none";

/// The models of the daemon's user.
pub(crate) struct Models {
    folder: ModelsFolder,
    runtimes: Runtimes,
    onnx: OnnxSettings,
    fetch: FetchSettings,
    hub: Option<String>,
    index: Option<String>,
    built_in: ModelSetting,
    /// Encoders that were asked for since the daemon started, by name.
    encoders: Mutex<BTreeMap<String, Arc<Encoder>>>,
    /// Held by whoever changes which models there are.
    changing: Mutex<()>,
}

impl Models {
    /// The models of a user. Reads nothing.
    pub(crate) fn new(homes: &Homes, environment: &Environment, settings: &Settings) -> Self {
        let ModelsSettings { runtime, providers, threads, idle_unload, hub, index, proxy, embeddings_bytes: _ } =
            settings.models.clone();
        Self {
            folder: ModelsFolder::new(homes.models()),
            runtimes: Runtimes { configured: runtime, folder: homes.runtimes() },
            onnx: OnnxSettings { providers, threads: threads.get(), idle: idle_unload, ..OnnxSettings::default() },
            fetch: FetchSettings {
                proxy: match proxy {
                    ProxySetting::Environment => environment.proxy.clone(),
                    ProxySetting::None => None,
                    ProxySetting::At(address) => Some(address),
                },
                ..FetchSettings::default()
            },
            hub,
            index,
            built_in: settings.search.model,
            encoders: Mutex::default(),
            changing: Mutex::default(),
        }
    }

    /// Every model that is there or can be pulled, by name; with a role those that are made for it.
    pub(crate) fn list(&self, role: Option<Role>) -> Result<Vec<v1::Model>, ModelsError> {
        let installed = self.folder.list()?;
        let mut models: Vec<v1::Model> = installed.iter().map(|model| self.describe(model)).collect();
        models.push(self.built_in());
        let is_there = |known: &&Known| !installed.iter().any(|model| model.name.eq_ignore_ascii_case(known.name));
        models.extend(KNOWN.iter().filter(is_there).map(known));
        if let Some(role) = role {
            models.retain(|model| model.roles.iter().any(|known| known == role.as_str()));
        }
        models.sort_by(|left, right| left.name.cmp(&right.name));
        Ok(models)
    }

    /// Every model that is in use.
    pub(crate) fn in_use(&self) -> Vec<v1::Model> {
        let models = self.list(None).unwrap_or_else(|error| {
            tracing::warn!(error = crate::failure::chain(&error), "the models cannot be listed");
            vec![self.built_in()]
        });
        models.into_iter().filter(|model| !model.used_as.is_empty()).collect()
    }

    /// Installs the model of a folder; without a name under that of the folder.
    pub(crate) fn add(&self, from: &Path, name: &str) -> Result<v1::Model, ModelsError> {
        if !from.is_dir() {
            return Err(ModelsError::NoFolder { path: from.to_owned() });
        }
        let own = || from.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let name = if name.is_empty() { own() } else { name.to_owned() };
        let _changing = self.changing.lock();
        self.folder.add(from, &name, &self.runtimes.open()?, &self.onnx)?;
        self.told(&name)
    }

    /// Uses a model in a role; `None` is no installed one. Tells the model that has the role then, if there is one.
    pub(crate) fn use_as(&self, role: Role, name: Option<&str>) -> Result<Option<v1::Model>, ModelsError> {
        let _changing = self.changing.lock();
        let name = name.filter(|name| *name != NONE);
        if name == Some(STATIC) && self.built_in == ModelSetting::None {
            return Err(ModelsError::BuiltInIsOff);
        }
        let installed = name.filter(|name| *name != STATIC);
        if role == Role::Rerank && installed.is_some() {
            return Err(ModelsError::NoReranking);
        }
        self.folder.use_as(role, installed)?;
        match (installed, role) {
            (Some(name), _) => self.told(name).map(Some),
            (None, Role::Embed) => Ok(Some(self.built_in()).filter(|_| self.built_in == ModelSetting::Static)),
            (None, Role::Rerank) => Ok(None),
        }
    }

    /// Deletes an installed model; tells how many bytes it had.
    pub(crate) fn remove(&self, name: &str) -> Result<u64, ModelsError> {
        if name == STATIC {
            return Err(ModelsError::BuiltInStays);
        }
        let _changing = self.changing.lock();
        let bytes = self.folder.list()?.iter().find(|model| model.name == name).map_or(0, bytes);
        self.folder.remove(name)?;
        self.encoders.lock().remove(name);
        Ok(bytes)
    }

    /// Tells the engine which encoders there are, and which of them is used. That one is loaded beside the first requests.
    ///
    /// One whose manifest cannot be used is left out; [`list`](Self::list) tells of it.
    pub(crate) fn hand_to(&self, engine: &Engine) {
        let (used, others) = self.encoders().unwrap_or_else(|error| {
            tracing::warn!(error = crate::failure::chain(&error), "the installed models are not used");
            (None, Vec::new())
        });
        let model = |encoder: &Arc<Encoder>| EmbeddingModel {
            name: encoder.name().to_owned(),
            embedder: Arc::<Encoder>::clone(encoder),
        };
        engine.use_encoders(Encoders { chosen: used.as_ref().map(model), others: others.iter().map(model).collect() });
        if let Some(used) = used {
            used.warm_up();
        }
    }

    fn encoders(&self) -> Result<UsedAndOthers, ModelsError> {
        let mut used = None;
        let mut others = Vec::new();
        for Installed { name, path, manifest, used_as } in self.folder.list()? {
            match manifest {
                Ok(manifest) if manifest.role == Role::Embed => {
                    let encoder = self.encoder(&name, &path, manifest);
                    if used_as.contains(&Role::Embed) { used = Some(encoder) } else { others.push(encoder) }
                }
                Ok(_) => {}
                Err(error) => tracing::warn!(name, %error, "a model is passed over"),
            }
        }
        Ok((used, others))
    }

    /// The bytes of all networks that are loaded, as files.
    pub(crate) fn loaded_bytes(&self) -> u64 {
        self.encoders
            .lock()
            .values()
            .filter(|encoder| encoder.provider().is_some())
            .map(|encoder| encoder.bytes())
            .sum()
    }

    fn encoder(&self, name: &str, path: &Path, manifest: Manifest) -> Arc<Encoder> {
        let mut encoders = self.encoders.lock();
        if let Some(known) = encoders.get(name).filter(|known| *known.manifest() == manifest) {
            return Arc::clone(known);
        }
        let encoder = Encoder::new(name, path, manifest, self.runtimes.clone(), self.onnx.clone());
        let encoder = Arc::new(encoder);
        encoders.insert(name.to_owned(), Arc::clone(&encoder));
        encoder
    }

    /// What is told of the installed model of a name.
    fn told(&self, name: &str) -> Result<v1::Model, ModelsError> {
        let installed = self.folder.list()?;
        let found = installed.iter().find(|model| model.name == name);
        found.map(|model| self.describe(model)).ok_or_else(|| ModelsError::Vanished { name: name.to_owned() })
    }

    fn describe(&self, model: &Installed) -> v1::Model {
        let Installed { name, path, manifest, used_as } = model;
        let told = v1::Model {
            name: name.clone(),
            used_as: used_as.iter().map(|role| role.as_str().to_owned()).collect(),
            path: path.to_string_lossy().into_owned(),
            installed: true,
            ..v1::Model::default()
        };
        let manifest = match manifest {
            Ok(manifest) => manifest,
            Err(error) => {
                return v1::Model { origin: "local".to_owned(), problem: crate::failure::chain(error), ..told };
            }
        };
        let encoder = self.encoders.lock().get(name).cloned();
        let provider = encoder.as_ref().and_then(|encoder| encoder.provider());
        v1::Model {
            roles: vec![manifest.role.as_str().to_owned()],
            origin: if manifest.origin.is_some() { "hub" } else { "local" }.to_owned(),
            dimensions: if manifest.role == Role::Embed { manifest.dimensions as u32 } else { 0 },
            window_tokens: manifest.window_tokens as u32,
            licence: manifest.licence.clone().unwrap_or_default(),
            fingerprint: manifest.fingerprint().to_string(),
            loaded: provider.is_some(),
            provider: provider.unwrap_or_default(),
            bytes: bytes(model),
            problem: encoder.and_then(|encoder| encoder.problem()).unwrap_or_default(),
            ..told
        }
    }

    fn built_in(&self) -> v1::Model {
        let embeds = || vec![Role::Embed.as_str().to_owned()];
        let is_used = self.built_in == ModelSetting::Static;
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
        }
    }
}

/// A model that can be pulled.
fn known(known: &Known) -> v1::Model {
    v1::Model {
        name: known.name.to_owned(),
        roles: vec![known.role.as_str().to_owned()],
        origin: "hub".to_owned(),
        dimensions: if known.role == Role::Embed { known.dimensions as u32 } else { 0 },
        window_tokens: known.window_tokens as u32,
        licence: known.licence.to_owned(),
        ..v1::Model::default()
    }
}

fn bytes(model: &Installed) -> u64 {
    model.manifest.as_ref().map_or(0, Manifest::bytes)
}

/// Reads the built-in model beside the first requests, so that none waits for it. Takes some 20 ms.
pub(crate) fn warm_up(setting: ModelSetting) {
    if setting == ModelSetting::None {
        return;
    }
    let reading = std::thread::Builder::new().name("model".to_owned());
    if let Err(error) = reading.spawn(|| BuiltIn.dimensions()) {
        tracing::warn!(%error, "no thread to read the built-in model; the first request that needs it does");
    }
}
