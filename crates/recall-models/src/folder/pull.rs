//! How does a model come from a hub?

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::ModelsFolder;
use super::add::{AddError, finish};
use super::known::{HUB, Known};
use crate::Runtime;
use crate::fetch::{Digest, Download, FetchError, Fetcher, Lock, Watch};
use crate::manifest::{Manifest, TOKENIZER};
use crate::onnx::OnnxSettings;

/// The branch that is pulled.
const REVISION: &str = "main";

/// A file of a repository, as a hub tells it.
#[derive(Debug, Deserialize)]
struct HubFile {
    path: String,
    size: u64,
    oid: String,
    lfs: Option<LargeFile>,
}

/// A file that a hub keeps outside of git.
#[derive(Debug, Deserialize)]
struct LargeFile {
    oid: String,
}

impl ModelsFolder {
    /// Fetches a known model and installs it as [`add`](Self::add) does.
    ///
    /// The hub (`mirror`, or the public one) says which sizes and checksums the files have; each is verified. A pull that
    /// broke goes on where it ended when it is asked for again.
    ///
    /// # Errors
    /// See [`PullError`].
    pub fn pull(
        &self,
        known: &Known,
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
        let is_wanted = |file: &&HubFile| file.path.starts_with(known.network) || file.path == TOKENIZER;
        for file in files.iter().filter(is_wanted) {
            let path = file.path.as_str();
            let to = staging.join(Path::new(path).file_name().unwrap_or_default());
            let url = format!("{hub}/{}/resolve/{REVISION}/{path}", known.repository);
            let digest = Some(file.digest().ok_or_else(|| PullError::NoChecksum { url: url.clone() })?);
            // A whole file of an earlier pull may be of a revision that the hub has left since.
            if to.is_file() && !is_it(&to, digest).map_err(unwritable)? {
                fs::remove_file(&to).map_err(unwritable)?;
            }
            fetcher.download(&Download { url: &url, to: &to, bytes: Some(file.size), digest }, watch)?;
        }
        let origin = format!("{hub}/{}", known.repository);
        Ok(finish(&staging, &target, known.description(origin), runtime, settings)?)
    }
}

/// What the hub has of a repository.
fn files(fetcher: &Fetcher, hub: &str, known: &Known) -> Result<Vec<HubFile>, PullError> {
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

fn is_it(path: &Path, digest: Option<Digest>) -> io::Result<bool> {
    let comparison = digest.map(|digest| digest.compare(path)).transpose()?;
    Ok(comparison.is_none_or(|comparison| comparison.expected == comparison.found))
}

/// A model was not pulled.
#[derive(Debug, thiserror::Error)]
pub enum PullError {
    /// Another pull of it is under way.
    #[error("the model {name} is being pulled")]
    Busy {
        /// Its name.
        name: String,
    },
    /// The hub cannot be reached, or a file did not arrive.
    #[error("the model cannot be fetched")]
    Fetch(#[from] FetchError),
    /// The hub's list of files cannot be understood.
    #[error("{url} is no list of files")]
    Malformed {
        /// What was asked for.
        url: String,
        /// What was said.
        source: serde_json::Error,
    },
    /// The hub does not have a file.
    #[error("the repository {repository} has no {file}")]
    NotInHub {
        /// The repository.
        repository: &'static str,
        /// The file.
        file: String,
    },
    /// The hub does not say which checksum a file has.
    #[error("the hub tells no checksum of {url}")]
    NoChecksum {
        /// The file.
        url: String,
    },
    /// It was fetched and cannot be installed.
    #[error(transparent)]
    Add(#[from] AddError),
    /// Files cannot be written.
    #[error("{} cannot be written", path.display())]
    Unwritable {
        /// Where.
        path: PathBuf,
        /// What was said.
        source: io::Error,
    },
}
