//! The location of the runtime, the library that runs networks.

use std::path::PathBuf;

use recall_models::{Runtime, RuntimeError, find_runtime};

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
