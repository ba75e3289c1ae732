//! What is fetched over the network, or taken out of a package at hand?

use std::path::{Path, PathBuf};

use recall_core::Provider;
use recall_models::{Fetcher, InstallError, RegistryModel, RuntimePackage, Watch};
use recall_models::{forget_failed_loads, install_runtime, install_runtime_from};
use recall_proto::v1;

use super::{Models, ModelsError};

/// What came.
pub(crate) struct Transfer {
    /// The model, where it was one.
    pub(crate) model: Option<v1::Model>,
    /// Where it is.
    pub(crate) path: PathBuf,
}

impl Models {
    /// Fetches a known model from the hub, or from a mirror in its place, and installs it.
    pub(crate) fn pull(&self, name: &str, mirror: &str, watch: &mut Watch<'_>) -> Result<Transfer, ModelsError> {
        let known = RegistryModel::find(name).ok_or_else(|| ModelsError::Unknown { name: name.to_owned() })?;
        // What cannot be installed in the end need not be fetched.
        let runtime = self.runtimes.open()?;
        let fetcher = Fetcher::new(self.fetch.clone())?;
        let mirror = Some(mirror).filter(|mirror| !mirror.is_empty()).or(self.hub.as_deref());
        self.folder.pull(known, &fetcher, mirror, &runtime, &self.onnx, watch)?;
        let model = self.told(known.name)?;
        Ok(Transfer { path: model.path.clone().into(), model: Some(model) })
    }

    /// Brings the library that runs networks: from a package at hand, or from the index, and loads it.
    pub(crate) fn install_runtime(
        &self,
        at_hand: Option<&Path>,
        provider: &str,
        watch: &mut Watch<'_>,
    ) -> Result<Transfer, ModelsError> {
        if !provider.is_empty() && provider != Provider::Cpu.as_str() {
            return Err(ModelsError::NoProvider { provider: provider.to_owned() });
        }
        // Who installs it wants it to be loaded, whatever happened the last time.
        forget_failed_loads(&self.runtimes.folder)?;
        let (system, processor) = (std::env::consts::OS, std::env::consts::ARCH);
        let package = RuntimePackage::of_this_platform().ok_or(InstallError::NoPackage { system, processor })?;
        let folder = &self.runtimes.folder;
        let path = match at_hand {
            None => {
                let fetcher = Fetcher::new(self.fetch.clone())?;
                install_runtime(&fetcher, &package, self.index.as_deref(), folder, watch)?
            }
            Some(path) if is_library(path) => return Err(ModelsError::NoPackage { path: path.to_owned() }),
            Some(path) => install_runtime_from(path, &package, folder)?,
        };
        // Where the settings name another library, that one is used; what was installed is there all the same.
        if self.runtimes.configured.is_none() {
            self.runtimes.open().map_err(InstallError::from)?;
        }
        Ok(Transfer { model: None, path })
    }

    /// Loads the library again that ended a daemon while it was loaded.
    pub(crate) fn retry_runtime(&self) -> Result<Transfer, ModelsError> {
        forget_failed_loads(&self.runtimes.folder)?;
        let runtime = self.runtimes.open()?;
        Ok(Transfer { model: None, path: runtime.library().to_owned() })
    }
}

/// Whether a file looks like a library rather than an archive.
fn is_library(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_ascii_lowercase();
    name.contains(".so") || [".dylib", ".dll"].iter().any(|end| name.ends_with(end))
}
