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
    /// Loads the runtime, or returns the one that is loaded.
    ///
    /// # Errors
    /// There is none, or it is damaged, or it ended the daemon the last time.
    pub(crate) fn open(&self) -> Result<Runtime, RuntimeError> {
        Runtime::open_guarded(&find_runtime(self.configured.as_deref(), &self.folder)?, &self.folder)
    }
}
