//! Installation of models and of the runtime, from the network or from a local package.

use std::path::{Path, PathBuf};

use recall_api::v1;
use recall_core::Provider;
use recall_models::{Fetcher, InstallError, RegistryModel, RuntimePackage, Watch};
use recall_models::{forget_failed_loads, install_runtime, install_runtime_from};

use super::{Models, ModelsError};

/// The result of an installation.
pub(crate) struct Transfer {
    /// The model; `None` for the runtime.
    pub(crate) model: Option<v1::Model>,
    /// The folder of the model, or the library of the runtime.
    pub(crate) path: PathBuf,
}

impl Models {
    /// Downloads a known model from the hub, or from a mirror of it, and installs it.
    pub(crate) fn pull(&self, name: &str, mirror: &str, watch: &mut Watch<'_>) -> Result<Transfer, ModelsError> {
        let known = RegistryModel::find(name).ok_or_else(|| ModelsError::Unknown { name: name.to_owned() })?;
        // Fails before the download if the model could not be installed afterwards.
        let runtime = self.runtimes.open()?;
        let fetcher = Fetcher::new(self.fetch.clone())?;
        let mirror = Some(mirror).filter(|mirror| !mirror.is_empty()).or(self.hub.as_deref());
        self.folder.pull(known, &fetcher, mirror, &runtime, &self.onnx, watch)?;
        let model = self.describe_model(known.name)?;
        Ok(Transfer { path: model.path.clone().into(), model: Some(model) })
    }

    /// Installs the runtime from a local package or from the index, and loads it.
    pub(crate) fn install_runtime(
        &self,
        package_path: Option<&Path>,
        provider: &str,
        watch: &mut Watch<'_>,
    ) -> Result<Transfer, ModelsError> {
        if !provider.is_empty() && provider != Provider::Cpu.as_str() {
            return Err(ModelsError::NoProvider { provider: provider.to_owned() });
        }
        // The user asks for it to be loaded, even if loading it crashed before.
        forget_failed_loads(&self.runtimes.folder)?;
        let (system, processor) = (std::env::consts::OS, std::env::consts::ARCH);
        let package = RuntimePackage::for_this_platform().ok_or(InstallError::NoPackage { system, processor })?;
        let folder = &self.runtimes.folder;
        let path = match package_path {
            None => {
                let fetcher = Fetcher::new(self.fetch.clone())?;
                install_runtime(&fetcher, &package, self.index.as_deref(), folder, watch)?
            }
            Some(path) if is_library(path) => return Err(ModelsError::NoPackage { path: path.to_owned() }),
            Some(path) => install_runtime_from(path, &package, folder)?,
        };
        // If the settings name another library, that one is used, and the installed one is only stored.
        if self.runtimes.configured.is_none() {
            self.runtimes.open().map_err(InstallError::from)?;
        }
        Ok(Transfer { model: None, path })
    }

    /// Loads a library again whose loading crashed the daemon.
    pub(crate) fn retry_runtime(&self) -> Result<Transfer, ModelsError> {
        forget_failed_loads(&self.runtimes.folder)?;
        let runtime = self.runtimes.open()?;
        Ok(Transfer { model: None, path: runtime.library().to_owned() })
    }
}

/// Returns whether a file looks like a library rather than an archive.
fn is_library(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_ascii_lowercase();
    name.contains(".so") || [".dylib", ".dll"].iter().any(|end| name.ends_with(end))
}
