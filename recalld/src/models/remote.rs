//! Remote models: the providers of the settings, and the models that the user chose.
//!
//! Texts are sent only to an address that the user was told when the model was chosen. If the settings name another one, the model is
//! not used until it is chosen again.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use super::on_demand::role_names;
use crate::process::SystemClock;
use parking_lot::Mutex;
use recall_api::v1;
use recall_config::{Environment, RemoteSettings};
use recall_models::Role;
use recall_models::providers::{
    Addresses, EncoderState, Link, LinkSettings, NameError, Network, Provider, ProviderError, ProviderSetError,
    Providers, Remembered, RememberedError, RemoteComparer, RemoteDescriber, RemoteEncoder, RemoteJudge, RemoteModel,
    RemoteName, Usage, Wire, probe, probe_comparer, probe_describer, probe_judge,
};
use recall_text::error_chain;

/// The remote models of a user.
pub(super) struct RemoteModels {
    providers: Providers,
    network: Network,
    settings: LinkSettings,
    prices: BTreeMap<String, f64>,
    usage: Arc<Usage>,
    remembered: Remembered,
    /// The links that were needed since the daemon started, by the names of the providers.
    links: Mutex<BTreeMap<String, Arc<Link>>>,
    /// The embedders that were needed since the daemon started, by the names of the models.
    encoders: Mutex<BTreeMap<String, Arc<RemoteEncoder>>>,
}

impl RemoteModels {
    /// Creates the remote models of a user. Reads no files, and connects to nothing.
    pub(super) fn new(folder: &Path, environment: &Environment, settings: &RemoteSettings, network: Network) -> Self {
        let RemoteSettings {
            ollama,
            openai,
            voyage,
            anthropic,
            compatible,
            query_wait,
            timeout,
            retries,
            batch_texts,
            batch_tokens,
            daily_tokens,
            prices,
        } = settings.clone();
        Self {
            providers: Providers::new(&Addresses { ollama, openai, voyage, anthropic, compatible }, &environment.keys),
            network,
            settings: LinkSettings {
                query_wait,
                request_timeout: timeout,
                retries,
                batch_texts,
                batch_tokens: batch_tokens as usize,
                ..LinkSettings::default()
            },
            prices,
            usage: Arc::new(Usage::new(folder, daily_tokens.map(u64::from), Arc::new(SystemClock))),
            remembered: Remembered::new(folder),
            links: Mutex::default(),
            encoders: Mutex::default(),
        }
    }

    /// Lists the models that the user chose, ordered by name.
    pub(super) fn list(&self) -> Result<Vec<RemoteModel>, RemoteError> {
        Ok(self.remembered.list()?)
    }

    /// Asks a model once as its role needs it, and remembers it with its address.
    pub(super) fn choose(&self, role: Role, name: &str) -> Result<RemoteModel, RemoteError> {
        let name = RemoteName::parse(name)?;
        let provider = self.providers.get(&name.provider)?;
        if role == Role::Embed && provider.wire == Wire::Anthropic {
            // Without a key there would be another error first.
            return Err(ProviderError::NoEmbeddings { provider: name.provider }.into());
        }
        // A link of its own: an error in the name must not pause the models that are used.
        let link = Arc::new(self.new_link(provider)?);
        let model = match role {
            Role::Embed => probe(&link, &name)?,
            Role::Judge => probe_judge(&link, &name)?,
            Role::Describe => probe_describer(&link, &name)?,
            Role::Compare => probe_comparer(&link, &name)?,
            Role::Rerank | Role::Prerank => return Err(RemoteError::OtherRole { name: name.to_string(), role }),
        };
        if let Some(link) = self.links.lock().get(&name.provider) {
            link.resume();
        }
        self.remembered.keep(model.clone())?;
        Ok(model)
    }

    pub(super) fn forget(&self, name: &str) -> Result<(), RemoteError> {
        self.encoders.lock().remove(name);
        if self.remembered.forget(name)? { Ok(()) } else { Err(RemoteError::NotChosen { name: name.to_owned() }) }
    }

    /// Returns the embedder of a model that the user chose.
    pub(super) fn encoder(&self, name: &str) -> Result<Arc<RemoteEncoder>, RemoteError> {
        self.encoder_of(self.chosen_model(name)?.0)
    }

    /// Returns a language model that the user chose, as a judge.
    pub(super) fn judge(&self, name: &str) -> Result<Arc<RemoteJudge>, RemoteError> {
        let (model, link) = self.chosen_model(name)?;
        Ok(Arc::new(RemoteJudge::new(model, link)?))
    }

    /// Returns a language model that the user chose, as one that describes chunks.
    pub(super) fn describer(&self, name: &str) -> Result<Arc<RemoteDescriber>, RemoteError> {
        let (model, link) = self.chosen_model(name)?;
        Ok(Arc::new(RemoteDescriber::new(model, link)?))
    }

    /// Returns a language model that the user chose, as one that compares memories.
    pub(super) fn comparer(&self, name: &str) -> Result<Arc<RemoteComparer>, RemoteError> {
        let (model, link) = self.chosen_model(name)?;
        Ok(Arc::new(RemoteComparer::new(model, link)?))
    }

    /// Returns a model that the user chose, with its link.
    fn chosen_model(&self, name: &str) -> Result<(RemoteModel, Arc<Link>), RemoteError> {
        let model = self.remembered.list()?.into_iter().find(|model| model.name == name);
        let model = model.ok_or_else(|| RemoteError::NotChosen { name: name.to_owned() })?;
        let link = self.link_of(&model)?;
        Ok((model, link))
    }

    /// Returns whether a selected model can be used.
    pub(super) fn check(&self, role: Role, name: &str) -> Result<(), RemoteError> {
        match role {
            Role::Embed => self.encoder(name).map(drop),
            Role::Judge | Role::Describe | Role::Compare => self.chosen_model(name).map(drop),
            Role::Rerank | Role::Prerank => Err(RemoteError::OtherRole { name: name.to_owned(), role }),
        }
    }

    /// Returns the link to a model's provider, if it is where the user was told.
    fn link_of(&self, model: &RemoteModel) -> Result<Arc<Link>, RemoteError> {
        let link = self.link(&model.parse_name()?.provider)?;
        let now = &link.provider().address;
        if *now == model.address {
            return Ok(link);
        }
        let RemoteModel { name, address: before, .. } = model.clone();
        Err(RemoteError::Moved { name, before, now: now.clone() })
    }

    fn encoder_of(&self, model: RemoteModel) -> Result<Arc<RemoteEncoder>, RemoteError> {
        let link = self.link_of(&model)?;
        let mut encoders = self.encoders.lock();
        if let Some(known) = encoders.get(&model.name).filter(|known| *known.model() == model) {
            return Ok(Arc::clone(known));
        }
        let name = model.name.clone();
        let encoder = Arc::new(RemoteEncoder::new(model, link)?);
        encoders.insert(name, Arc::clone(&encoder));
        Ok(encoder)
    }

    /// Returns the link to a provider.
    fn link(&self, provider: &str) -> Result<Arc<Link>, RemoteError> {
        let mut links = self.links.lock();
        if let Some(link) = links.get(provider) {
            return Ok(Arc::clone(link));
        }
        let link = Arc::new(self.new_link(self.providers.get(provider)?)?);
        links.insert(provider.to_owned(), Arc::clone(&link));
        Ok(link)
    }

    fn new_link(&self, provider: &Provider) -> Result<Link, ProviderError> {
        Link::new(provider.clone(), &self.network, self.settings.clone(), Arc::clone(&self.usage))
    }

    /// Describes a model that the user chose.
    pub(super) fn describe(&self, model: &RemoteModel, used_as: &[Role]) -> v1::Model {
        // Only embeddings have dimensions.
        let embeds = model.dimensions > 0;
        let described = v1::Model {
            name: model.name.clone(),
            roles: role_names(if embeds { &[Role::Embed] } else { &Role::OF_LANGUAGE_MODELS }),
            used_as: role_names(used_as),
            origin: "remote".to_owned(),
            dimensions: model.dimensions as u32,
            window_tokens: model.window_tokens as u32,
            installed: true,
            address: model.address.clone(),
            ..v1::Model::default()
        };
        let link = match self.link_of(model) {
            Ok(link) => link,
            Err(error) => return v1::Model { problem: error_chain(&error), ..described },
        };
        let encoder = embeds.then(|| self.encoder_of(model.clone()).ok()).flatten();
        let state = encoder.as_ref().map(|encoder| encoder.state());
        let EncoderState { problem, texts_per_second } =
            state.unwrap_or_else(|| EncoderState { problem: link.problem(), texts_per_second: None });
        let spent = self.usage.model_total(&model.name);
        let price = self.prices.get(&model.name).copied().or_else(|| model.price(link.provider().wire));
        v1::Model {
            fingerprint: model.fingerprint(link.provider().wire).to_string(),
            loaded: true,
            problem: problem.unwrap_or_default(),
            remote: Some(v1::RemoteUse {
                texts: spent.texts,
                tokens: spent.tokens,
                dollars: price.map(|price| spent.tokens as f64 * price / 1e6),
                tokens_today: self.usage.today(),
                tokens_daily: self.usage.budget(),
                texts_per_second,
                chunks_left: 0,
            }),
            ..described
        }
    }
}

/// A remote model cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RemoteError {
    /// The name is malformed.
    #[error(transparent)]
    Name(#[from] NameError),
    /// There is no such provider.
    #[error(transparent)]
    Provider(#[from] ProviderSetError),
    /// The provider did not answer.
    #[error(transparent)]
    Request(#[from] ProviderError),
    /// The file of remote models cannot be used.
    #[error(transparent)]
    Remembered(#[from] RememberedError),
    /// The model was not chosen, or the file of remote models was deleted.
    #[error("the remote model `{name}` was not chosen")]
    NotChosen {
        /// Its name.
        name: String,
    },
    /// The settings name another address than when the model was chosen.
    #[error("the model {name} was chosen at {before}, and the settings name {now}")]
    Moved {
        /// Its name.
        name: String,
        /// The address then.
        before: String,
        /// The address now.
        now: String,
    },
    /// Remote models cannot have the role.
    #[error("the remote model `{name}` cannot be used to {role}")]
    OtherRole {
        /// Its name.
        name: String,
        /// The requested role.
        role: Role,
    },
}
