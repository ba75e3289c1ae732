//! Settings of installed models.

use std::num::NonZero;
use std::path::PathBuf;
use std::time::Duration;

use recall_core::Provider;

/// The sources of models, and how they are run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelsSettings {
    /// The library that runs networks; `None` for the installed one.
    pub runtime: Option<PathBuf>,
    /// The providers to try, in order of preference. The CPU is always tried last.
    pub providers: Vec<Provider>,
    /// The number of threads per network.
    pub threads: NonZero<usize>,
    /// The time without a request after which a network is unloaded; `None` for never.
    pub idle_unload: Option<Duration>,
    /// The mirror from which models are pulled; `None` for the public hub.
    pub hub: Option<String>,
    /// The mirror of the package index for the runtime; `None` for the public index.
    pub index: Option<String>,
    /// The proxy for downloads.
    pub proxy: ProxySetting,
    /// The size limit of the embedding store on disk.
    pub embeddings_bytes: u64,
}

impl Default for ModelsSettings {
    fn default() -> Self {
        Self {
            runtime: None,
            providers: Vec::new(),
            threads: NonZero::<usize>::MIN,
            idle_unload: Some(Duration::from_mins(5)),
            hub: None,
            index: None,
            proxy: ProxySetting::Environment,
            embeddings_bytes: 1024 * 1024 * 1024,
        }
    }
}

/// The proxy for downloads of models and the runtime.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ProxySetting {
    /// As set by `ALL_PROXY`, `HTTPS_PROXY` and `HTTP_PROXY` in the daemon's environment, except for the hosts in
    /// `NO_PROXY`.
    #[default]
    Environment,
    /// No proxy, whatever the environment says.
    None,
    /// The proxy at an address.
    At(String),
}
