//! What can be set about installed models?

use std::num::NonZero;
use std::path::PathBuf;
use std::time::Duration;

use recall_core::Provider;

/// Installed models: where they come from, and how they are run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelsSettings {
    /// The library that runs networks; `None` for the one that was installed.
    pub runtime: Option<PathBuf>,
    /// What computes networks, the first one tried first; the processor always comes last.
    pub providers: Vec<Provider>,
    /// How many threads compute one network.
    pub threads: NonZero<usize>,
    /// After how long without a request a network is unloaded; `None` for never.
    pub idle_unload: Option<Duration>,
    /// Where models are pulled from; `None` for the public hub.
    pub hub: Option<String>,
    /// Where the package of the runtime is looked up; `None` for the public index.
    pub index: Option<String>,
    /// Through what models and the runtime are fetched.
    pub proxy: ProxySetting,
    /// The most that the store of embeddings keeps on disk.
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

/// Through what models and the runtime are fetched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ProxySetting {
    /// What the variables `ALL_PROXY`, `HTTPS_PROXY` and `HTTP_PROXY` of the daemon say, if anything, but for the hosts in `NO_PROXY`.
    #[default]
    Environment,
    /// Nothing: directly.
    None,
    /// The proxy at an address.
    At(String),
}
