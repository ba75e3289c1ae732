//! The user's installed models and the roles they are used in.
//!
//! Models are installed in a folder of the user and run by a library that is loaded when the first model needs it. The
//! engine decides how a store uses an encoder.

mod on_demand;
mod problems;
mod remote;
mod transfer;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

pub(crate) use on_demand::STATIC;
use on_demand::{CrossEncoder, Encoder, Listed, OnDemand, Run, Runtimes};
use parking_lot::Mutex;
use problems::CachedProblems;
pub(crate) use problems::{ModelProblem, ModelsError};
use recall_api::v1;
use recall_config::{Dirs, Environment, ModelSetting, ModelsSettings, ProxySetting, Settings};
use recall_core::Embedder as _;
use recall_engine::{EmbeddingModel, Encoders, Engine, Reranker};
use recall_models::providers::{Network, RemoteComparer, RemoteDescriber, RemoteEncoder, RemoteJudge, RemoteName};
use recall_models::{
    BuiltIn, FetchSettings, FolderError, Installed, Manifest, ModelsFolder, NetworkKind, OnnxCrossEncoder, OnnxEncoder,
    OnnxSettings, REGISTRY, RegistryModel, Role,
};
pub(crate) use remote::RemoteError;
use remote::RemoteModels;
pub(crate) use transfer::Transfer;

/// The models that were requested since the daemon started, by name.
type Running<M> = Mutex<BTreeMap<String, Arc<OnDemand<M>>>>;

/// The installed models with a readable manifest that the engine may use.
#[derive(Default)]
struct Usable {
    encoder: Option<Arc<Encoder>>,
    /// The selected encoder, if it is remote. Others are not asked: the user may not want to send them anything any more.
    remote_encoder: Option<Arc<RemoteEncoder>>,
    other_encoders: Vec<Arc<Encoder>>,
    /// The selected small cross-encoder.
    preranker: Option<Arc<CrossEncoder>>,
    /// The selected cross-encoder.
    reranker: Option<Arc<CrossEncoder>>,
    /// The selected language model that scores.
    judge: Option<Arc<RemoteJudge>>,
    /// The selected language model that describes chunks.
    describer: Option<Arc<RemoteDescriber>>,
    /// The selected language model that compares memories.
    comparer: Option<Arc<RemoteComparer>>,
}

/// The name that selects no model.
pub(crate) const NONE: &str = "none";

/// The user's models.
pub(crate) struct Models {
    folder: ModelsFolder,
    runtimes: Runtimes,
    onnx: OnnxSettings,
    fetch: FetchSettings,
    hub: Option<String>,
    index: Option<String>,
    built_in: ModelSetting,
    remote: RemoteModels,
    encoders: Running<OnnxEncoder>,
    cross_encoders: Running<OnnxCrossEncoder>,
    /// The cached problems of the selected models.
    problems: Mutex<CachedProblems>,
    /// Held while the installed or selected models are changed.
    changing: Mutex<()>,
}

impl Models {
    /// Creates the models of a user. Reads no files.
    pub(crate) fn new(dirs: &Dirs, environment: &Environment, settings: &Settings) -> Self {
        let ModelsSettings {
            runtime,
            providers,
            threads,
            idle_unload,
            hub,
            index,
            proxy,
            on_battery: _,
            embeddings_bytes: _,
        } = settings.models.clone();
        let fetch = match proxy {
            ProxySetting::Environment => FetchSettings {
                proxy: environment.proxy.clone(),
                no_proxy: environment.no_proxy.clone(),
                ..FetchSettings::default()
            },
            ProxySetting::None => FetchSettings::default(),
            ProxySetting::At(address) => FetchSettings { proxy: Some(address), ..FetchSettings::default() },
        };
        let network = Network { proxy: fetch.proxy.clone(), no_proxy: fetch.no_proxy.clone() };
        Self {
            folder: ModelsFolder::new(dirs.models()),
            remote: RemoteModels::new(&dirs.models(), environment, &settings.remote, network),
            runtimes: Runtimes { configured: runtime, folder: dirs.runtimes() },
            onnx: OnnxSettings { providers, threads: threads.get(), idle: idle_unload, ..OnnxSettings::default() },
            fetch,
            hub,
            index,
            built_in: settings.search.model,
            encoders: Mutex::default(),
            cross_encoders: Mutex::default(),
            problems: Mutex::default(),
            changing: Mutex::default(),
        }
    }

    /// Returns every model that is installed or can be pulled, ordered by name; with `role`, only those made for it.
    pub(crate) fn list(&self, role: Option<Role>) -> Result<Vec<v1::Model>, ModelsError> {
        let installed = self.folder.list()?;
        let mut models: Vec<v1::Model> = installed.iter().map(|model| self.describe(model)).collect();
        models.push(self.built_in());
        models.extend(self.remote_models()?);
        let is_there =
            |known: &&RegistryModel| !installed.iter().any(|model| model.name.eq_ignore_ascii_case(known.name));
        models.extend(REGISTRY.iter().filter(is_there).map(on_demand::registry_model));
        if let Some(role) = role {
            models.retain(|model| model.roles.iter().any(|known| known == role.as_str()));
        }
        models.sort_by(|left, right| left.name.cmp(&right.name));
        Ok(models)
    }

    pub(crate) fn in_use(&self) -> Vec<v1::Model> {
        let models = self.list(None).unwrap_or_else(|error| {
            tracing::warn!(error = recall_text::error_chain(&error), "the models cannot be listed");
            vec![self.built_in()]
        });
        models.into_iter().filter(|model| !model.used_as.is_empty()).collect()
    }

    /// Returns the models that are in use, with what a remote one has left to embed.
    pub(crate) fn in_use_with(&self, engine: &Engine) -> Vec<v1::Model> {
        let mut models = self.in_use();
        let embeds = [Role::Embed.as_str(), Role::Describe.as_str()];
        let follows = |model: &&mut v1::Model| model.used_as.iter().any(|role| embeds.contains(&role.as_str()));
        for remote in models.iter_mut().filter(follows).filter_map(|model| model.remote.as_mut()) {
            remote.chunks_left = engine.chunks_to_embed();
        }
        models
    }

    /// Installs the model in a folder; if `name` is empty, under the name of the folder.
    pub(crate) fn add(&self, from: &Path, name: &str) -> Result<v1::Model, ModelsError> {
        if !from.is_dir() {
            return Err(ModelsError::NoFolder { path: from.to_owned() });
        }
        let own = || from.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let name = if name.is_empty() { own() } else { name.to_owned() };
        let _changing = self.changing.lock();
        self.folder.add(from, &name, &self.runtimes.open()?, &self.onnx)?;
        self.describe_model(&name)
    }

    /// Selects a model for a role; `None` selects no installed model. Returns the model that then has the role, if any.
    pub(crate) fn use_as(&self, role: Role, name: Option<&str>) -> Result<Option<v1::Model>, ModelsError> {
        let _changing = self.changing.lock();
        let name = name.filter(|name| *name != NONE);
        if let Some(name) = name.filter(|name| RemoteName::is_remote(name)) {
            return self.use_remote(role, name).map(Some);
        }
        match (name, role) {
            (Some(STATIC), Role::Rerank | Role::Prerank | Role::Judge | Role::Describe | Role::Compare) => {
                let other = FolderError::OtherRole { name: STATIC.to_owned(), found: NetworkKind::Embed, asked: role };
                return Err(other.into());
            }
            (Some(STATIC), Role::Embed) if self.built_in != ModelSetting::Static => {
                return Err(ModelsError::BuiltInIsOff);
            }
            _ => {}
        }
        let installed = name.filter(|name| *name != STATIC);
        self.folder.use_as(role, installed)?;
        match (installed, role) {
            (Some(name), _) => self.describe_model(name).map(Some),
            (None, Role::Embed) => Ok(Some(self.built_in()).filter(|_| self.built_in == ModelSetting::Static)),
            (None, Role::Rerank | Role::Prerank | Role::Judge | Role::Describe | Role::Compare) => Ok(None),
        }
    }

    /// Asks a remote model once, and selects it for a role.
    fn use_remote(&self, role: Role, name: &str) -> Result<v1::Model, ModelsError> {
        if role == Role::Describe && !self.folder.roles()?.contains_key(&Role::Embed) {
            return Err(ModelsError::NothingDescribed);
        }
        let model = self.remote.choose(role, name)?;
        self.folder.use_remote(role, &model.name)?;
        Ok(self.remote.describe(&model, &[role]))
    }

    /// Describes the remote models that the user chose.
    fn remote_models(&self) -> Result<Vec<v1::Model>, ModelsError> {
        let roles = self.folder.roles()?;
        let described = self.remote.list()?.into_iter().map(|model| {
            let used_as: Vec<Role> =
                roles.iter().filter(|(_, used)| **used == model.name).map(|(role, _)| *role).collect();
            self.remote.describe(&model, &used_as)
        });
        Ok(described.collect())
    }

    /// Deletes an installed model; returns the size of its files in bytes.
    pub(crate) fn remove(&self, name: &str) -> Result<u64, ModelsError> {
        if name == STATIC {
            return Err(ModelsError::BuiltInStays);
        }
        let _changing = self.changing.lock();
        if RemoteName::is_remote(name) {
            if let Some((role, _)) = self.folder.roles()?.into_iter().find(|(_, used)| used == name) {
                return Err(FolderError::InUse { name: name.to_owned(), role }.into());
            }
            self.remote.forget(name)?;
            return Ok(0);
        }
        let bytes = self.folder.list()?.iter().find(|model| model.name == name).map_or(0, on_demand::installed_bytes);
        self.folder.remove(name)?;
        self.encoders.lock().remove(name);
        self.cross_encoders.lock().remove(name);
        Ok(bytes)
    }

    /// Passes the installed and the selected models to the engine, and loads the selected ones in the background.
    ///
    /// A model whose manifest cannot be used is left out; [`list`](Self::list) reports it.
    pub(crate) fn hand_to(&self, engine: &Engine) {
        let usable = self.usable().unwrap_or_else(|error| {
            tracing::warn!(error = recall_text::error_chain(&error), "the installed models are not used");
            Usable::default()
        });
        let Usable { encoder, remote_encoder, other_encoders, preranker, reranker, judge, describer, comparer } =
            usable;
        let model = |encoder: &Arc<Encoder>| EmbeddingModel {
            name: encoder.name().to_owned(),
            embedder: Arc::<Encoder>::clone(encoder),
        };
        let others = other_encoders.iter().map(model).collect();
        let remote =
            remote_encoder.map(|encoder| EmbeddingModel { name: encoder.model().name.clone(), embedder: encoder });
        engine.use_encoders(Encoders {
            selected: encoder.as_ref().map(model).or(remote),
            others,
            describer: describer.map(|describer| describer as Arc<_>),
        });
        let rescorer = |cross_encoder: &Arc<CrossEncoder>| Reranker {
            name: cross_encoder.name().to_owned(),
            cross_encoder: Arc::<CrossEncoder>::clone(cross_encoder),
        };
        engine.use_preranker(preranker.as_ref().map(rescorer));
        engine.use_reranker(reranker.as_ref().map(rescorer));
        engine.use_judge(judge.map(|judge| Reranker { name: judge.model().name.clone(), cross_encoder: judge }));
        engine.use_comparer(comparer.map(|comparer| comparer as Arc<_>));
        if let Some(encoder) = encoder {
            encoder.warm_up();
        }
        for cross_encoder in preranker.into_iter().chain(reranker) {
            cross_encoder.warm_up();
        }
    }

    fn usable(&self) -> Result<Usable, ModelsError> {
        let mut usable = Usable::default();
        for (role, name) in self.folder.roles()?.iter().filter(|(_, name)| RemoteName::is_remote(name)) {
            let found = match role {
                Role::Embed => self.remote.encoder(name).map(|encoder| usable.remote_encoder = Some(encoder)),
                Role::Judge => self.remote.judge(name).map(|judge| usable.judge = Some(judge)),
                Role::Describe => self.remote.describer(name).map(|describer| usable.describer = Some(describer)),
                Role::Compare => self.remote.comparer(name).map(|comparer| usable.comparer = Some(comparer)),
                Role::Rerank | Role::Prerank => self.remote.check(*role, name),
            };
            if let Err(error) = found {
                tracing::warn!(name, error = recall_text::error_chain(&error), "a model is not used");
            }
        }
        for Installed { name, path, manifest, used_as } in self.folder.list()? {
            match manifest.map(|manifest| (manifest.kind, manifest)) {
                Ok((NetworkKind::Embed, manifest)) => {
                    let encoder = self.on_demand(&self.encoders, &name, &path, manifest);
                    if used_as.contains(&Role::Embed) {
                        usable.encoder = Some(encoder);
                    } else {
                        usable.other_encoders.push(encoder);
                    }
                }
                Ok((NetworkKind::Rerank, manifest)) => {
                    let places = [(Role::Prerank, &mut usable.preranker), (Role::Rerank, &mut usable.reranker)];
                    for (_, place) in places.into_iter().filter(|(role, _)| used_as.contains(role)) {
                        *place = Some(self.on_demand(&self.cross_encoders, &name, &path, manifest.clone()));
                    }
                }
                Err(error) => tracing::warn!(name, %error, "a model is ignored"),
            }
        }
        Ok(usable)
    }

    /// Returns the size of the files of all loaded networks, in bytes.
    pub(crate) fn loaded_bytes(&self) -> u64 {
        loaded_bytes(&self.encoders) + loaded_bytes(&self.cross_encoders)
    }

    /// Returns the problems of the selected models that their folder shows. The result is cached.
    pub(crate) fn problems(&self) -> Vec<ModelProblem> {
        self.problems.lock().read(&self.folder, &self.remote)
    }

    /// Returns the problems of the selected models, read without the cache, with the latest errors of loading them.
    pub(crate) fn problems_now(&self) -> Vec<ModelProblem> {
        problems::problems_now(&self.folder, &self.remote, self.in_use())
    }

    fn on_demand<M: Run>(&self, running: &Running<M>, name: &str, path: &Path, manifest: Manifest) -> Arc<OnDemand<M>> {
        let mut running = running.lock();
        if let Some(known) = running.get(name).filter(|known| *known.manifest() == manifest) {
            return Arc::clone(known);
        }
        let model = Arc::new(OnDemand::new(name, path, manifest, self.runtimes.clone(), self.onnx.clone()));
        running.insert(name.to_owned(), Arc::clone(&model));
        model
    }

    /// Returns the description of the installed model of that name.
    fn describe_model(&self, name: &str) -> Result<v1::Model, ModelsError> {
        let installed = self.folder.list()?;
        let found = installed.iter().find(|model| model.name == name);
        found.map(|model| self.describe(model)).ok_or_else(|| ModelsError::Vanished { name: name.to_owned() })
    }

    fn describe(&self, model: &Installed) -> v1::Model {
        on_demand::installed_model(model, self.running(&model.name).as_deref())
    }

    /// Returns the model of that name if it was requested since the daemon started.
    fn running(&self, name: &str) -> Option<Arc<dyn Listed>> {
        let encoder = self.encoders.lock().get(name).map(|encoder| Arc::clone(encoder) as Arc<_>);
        encoder
            .or_else(|| self.cross_encoders.lock().get(name).map(|cross_encoder| Arc::clone(cross_encoder) as Arc<_>))
    }

    fn built_in(&self) -> v1::Model {
        on_demand::built_in(self.built_in == ModelSetting::Static)
    }
}

/// Returns the size of the files of the loaded networks, in bytes.
fn loaded_bytes<M: Run>(running: &Running<M>) -> u64 {
    let running = running.lock();
    running.values().filter(|model| model.provider().is_some()).map(|model| model.bytes()).sum()
}

/// Reads the built-in model in the background, so that no request waits for it. Takes about 20 ms.
pub(crate) fn warm_up(setting: ModelSetting) {
    if setting != ModelSetting::Static {
        return;
    }
    let reading = std::thread::Builder::new().name("model".to_owned());
    if let Err(error) = reading.spawn(|| BuiltIn.dimensions()) {
        tracing::warn!(%error, "no thread to read the built-in model; the first request that needs it does");
    }
}
