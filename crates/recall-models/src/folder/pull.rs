//! Installing a model from a hub.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::add::finish;
use super::registry::{HUB, RegistryModel};
use super::{AddError, ModelsFolder};
use crate::Runtime;
use crate::fetch::{Digest, Download, FetchError, Fetcher, Lock, Watch};
use crate::manifest::{Manifest, TOKENIZER};
use crate::onnx::OnnxSettings;

/// The branch that is pulled.
const REVISION: &str = "main";

/// A file of a repository, as listed by a hub.
#[derive(Debug, Deserialize)]
struct HubFile {
    path: String,
    size: u64,
    oid: String,
    lfs: Option<LargeFile>,
}

/// A file that the hub stores outside of git (LFS).
#[derive(Debug, Deserialize)]
struct LargeFile {
    oid: String,
}

impl ModelsFolder {
    /// Downloads a known model and installs it like [`add`](Self::add).
    ///
    /// The hub (`mirror`, or the default one) lists the sizes and checksums of the files, and each file is verified.
    /// Pulling again after an interruption resumes the download.
    ///
    /// # Errors
    /// See [`PullError`].
    pub fn pull(
        &self,
        known: &RegistryModel,
        fetcher: &Fetcher,
        mirror: Option<&str>,
        runtime: &Runtime,
        settings: &OnnxSettings,
        watch: &mut Watch<'_>,
    ) -> Result<Manifest, PullError> {
        let target = self.free(known.name)?;
        let staging = self.path.join(format!(".pulled-{}", known.name));
        let unwritable = |source| PullError::Unwritable { path: staging.clone(), source };
        fs::create_dir_all(&staging).map_err(unwritable)?;
        let lock = Lock::take(&self.path.join(format!(".pulled-{}.lock", known.name))).map_err(unwritable)?;
        let _lock = lock.ok_or_else(|| PullError::Busy { name: known.name.to_owned() })?;
        let hub = mirror.unwrap_or(HUB).trim_end_matches('/');
        let files = files(fetcher, hub, known)?;
        for path in [known.network, TOKENIZER] {
            if !files.iter().any(|file| file.path == path) {
                return Err(PullError::NotInHub { repository: known.repository, file: path.to_owned() });
            }
        }
        let is_needed = |file: &&HubFile| file.path.starts_with(known.network) || file.path == TOKENIZER;
        for file in files.iter().filter(is_needed) {
            let path = file.path.as_str();
            let to = staging.join(Path::new(path).file_name().unwrap_or_default());
            let url = format!("{hub}/{}/resolve/{REVISION}/{path}", known.repository);
            let digest = Some(file.digest().ok_or_else(|| PullError::NoChecksum { url: url.clone() })?);
            // A complete file of an earlier pull may belong to a revision that was replaced since.
            if to.is_file() && !matches_digest(&to, digest).map_err(unwritable)? {
                fs::remove_file(&to).map_err(unwritable)?;
            }
            fetcher.download(&Download { url: &url, to: &to, bytes: Some(file.size), digest }, watch)?;
        }
        let origin = format!("{hub}/{}", known.repository);
        Ok(finish(&staging, &target, known.description(origin), runtime, settings)?)
    }
}

/// Lists the files of a repository on the hub.
fn files(fetcher: &Fetcher, hub: &str, known: &RegistryModel) -> Result<Vec<HubFile>, PullError> {
    let url = format!("{hub}/api/models/{}/tree/{REVISION}?recursive=true", known.repository);
    let text = fetcher.text(&url)?;
    let entries: Vec<serde_json::Value> =
        serde_json::from_str(&text).map_err(|source| PullError::Malformed { url: url.clone(), source })?;
    let is_file = |entry: &serde_json::Value| entry["type"] == "file";
    let files = entries.into_iter().filter(is_file).map(serde_json::from_value);
    files.collect::<Result<_, _>>().map_err(|source| PullError::Malformed { url, source })
}

impl HubFile {
    fn digest(&self) -> Option<Digest> {
        match &self.lfs {
            Some(large) => Digest::sha256(large.oid.trim_start_matches("sha256:")),
            None => Digest::git_blob(&self.oid),
        }
    }
}

fn matches_digest(path: &Path, digest: Option<Digest>) -> io::Result<bool> {
    let comparison = digest.map(|digest| digest.compare(path)).transpose()?;
    Ok(comparison.is_none_or(|comparison| comparison.expected == comparison.found))
}

/// A model could not be pulled.
#[derive(Debug, thiserror::Error)]
pub enum PullError {
    /// Another process is pulling the model.
    #[error("another process is pulling the model `{name}`")]
    Busy {
        /// The model's name.
        name: String,
    },
    /// The hub cannot be reached, or a download failed.
    #[error("cannot download the model")]
    Fetch(#[from] FetchError),
    /// The hub's list of files is malformed.
    #[error("`{url}` is not a list of files")]
    Malformed {
        /// The URL of the list.
        url: String,
        /// The parser's error.
        source: serde_json::Error,
    },
    /// The repository lacks a file.
    #[error("the repository `{repository}` has no file `{file}`")]
    NotInHub {
        /// The name of the repository on the hub.
        repository: &'static str,
        /// The path of the file in the repository.
        file: String,
    },
    /// The hub lists no checksum for a file.
    #[error("the hub has no checksum for `{url}`")]
    NoChecksum {
        /// The URL of the file.
        url: String,
    },
    /// The model was downloaded, but cannot be installed.
    #[error(transparent)]
    Add(#[from] AddError),
    /// Files cannot be written.
    #[error("cannot write to `{}`", path.display())]
    Unwritable {
        /// The folder.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
}
