//! Which library runs networks?

use std::path::PathBuf;

use recall_models::{Runtime, RuntimeError, find_runtime};

/// Where the runtime is looked for.
#[derive(Clone, Debug)]
pub(crate) struct Runtimes {
    /// The library that the settings name.
    pub(crate) configured: Option<PathBuf>,
    /// Where one is installed.
    pub(crate) folder: PathBuf,
}

impl Runtimes {
    /// Loads the runtime, or tells the one that is loaded.
    pub(crate) fn open(&self) -> Result<Runtime, RuntimeError> {
        Runtime::open(&find_runtime(self.configured.as_deref(), &self.folder)?)
    }
}
