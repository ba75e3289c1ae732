//! What does a model's folder say of the model?

mod describe;

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use recall_core::ModelFingerprint;
use serde::{Deserialize, Serialize};

use crate::folder::read_text;

pub use describe::DescribeError;
pub(crate) use describe::{Description, describe};

/// The file in a model's folder that says all this.
pub(crate) const MANIFEST: &str = "recall-model.json";
/// The network.
pub(crate) const NETWORK: &str = "model.onnx";
/// The tokenizer, in the form of the library of that name.
pub(crate) const TOKENIZER: &str = "tokenizer.json";

/// The version of the manifest's form. Another one is refused: what a field means decides about embeddings.
const VERSION: u32 = 1;

/// What a model is and how it is used: all that decides about its outputs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The version of this form.
    pub version: u32,
    /// What it is for.
    pub role: Role,
    /// How many components its embeddings have; 1 for a cross-encoder, which tells a score.
    pub dimensions: usize,
    /// How the outputs of a text's tokens become one.
    pub pooling: Pooling,
    /// Whether outputs are scaled to length 1. Where they are not, the network must do that itself, or is refused.
    pub normalise: bool,
    /// What goes before a query.
    pub query_prefix: String,
    /// What goes before a text that shall be found.
    pub document_prefix: String,
    /// How many tokens of a text are read, those that the tokenizer adds included.
    pub window_tokens: usize,
    /// Whether texts are run together.
    pub batching: Batching,
    /// Its licence, in SPDX; `None` where nothing says.
    pub licence: Option<String>,
    /// Where it was pulled from; `None` where it was added from a folder.
    pub origin: Option<String>,
    /// Its files, the network first.
    pub files: Vec<ModelFile>,
}

/// What a model is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Makes embeddings.
    Embed,
    /// Scores texts against a query.
    Rerank,
}

impl Role {
    /// Every role.
    pub const ALL: [Self; 2] = [Self::Embed, Self::Rerank];

    /// Its name in interfaces.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Embed => "embed",
            Self::Rerank => "rerank",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// How the outputs of a text's tokens become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pooling {
    /// Their mean, without padding.
    Mean,
    /// That of the first token.
    Cls,
    /// That of the last token.
    Last,
}

/// Whether texts are run together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Batching {
    /// In batches of like length: an embedding does not depend on what else is in the batch.
    Together,
    /// Each by itself: the network's outputs depend on the others, as those of dynamically quantised ones do, and equal
    /// texts must give equal embeddings.
    Alone,
}

/// A file of a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelFile {
    /// Its name in the model's folder.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// The SHA-256 of its bytes in hexadecimal digits.
    pub sha256: String,
}

impl Manifest {
    /// Reads the manifest of an installed model.
    ///
    /// # Errors
    /// See [`ManifestError`].
    pub fn read(folder: &Path) -> Result<Self, ManifestError> {
        let path = folder.join(MANIFEST);
        let text = read_text(&path).map_err(|source| ManifestError::Unreadable { path: path.clone(), source })?;
        let manifest: Self =
            serde_json::from_str(&text).map_err(|source| ManifestError::Malformed { path: path.clone(), source })?;
        let problem = match () {
            () if manifest.version != VERSION => Some(format!("its version is {}, not {VERSION}", manifest.version)),
            () if manifest.dimensions == 0 => Some("it has no dimensions".to_owned()),
            () if manifest.window_tokens == 0 => Some("its window is empty".to_owned()),
            () if !manifest.files.iter().any(|file| file.name == NETWORK) => Some(format!("it lists no {NETWORK}")),
            () if !manifest.files.iter().any(|file| file.name == TOKENIZER) => Some(format!("it lists no {TOKENIZER}")),
            () => None,
        };
        problem.map_or(Ok(manifest), |problem| Err(ManifestError::Wrong { path, problem }))
    }

    /// Writes it into a folder.
    pub(crate) fn write(&self, folder: &Path) -> io::Result<()> {
        let text = serde_json::to_string_pretty(self).expect("a manifest has only texts and numbers");
        fs::write(folder.join(MANIFEST), text + "\n")
    }

    /// What tells the model from every other: its files, and how they are used. Not its licence or origin.
    pub fn fingerprint(&self) -> ModelFingerprint {
        let (role, pooling, batching) = (self.role as u8, self.pooling as u8, self.batching as u8);
        let numbers = format!("{role} {pooling} {batching} {} {}", u8::from(self.normalise), self.window_tokens);
        let mut parts =
            vec![b"onnx".as_slice(), numbers.as_bytes(), self.query_prefix.as_bytes(), self.document_prefix.as_bytes()];
        parts.extend(self.files.iter().flat_map(|file| [file.name.as_bytes(), file.sha256.as_bytes()]));
        ModelFingerprint::of(&parts)
    }

    /// The bytes of all its files.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }
}

/// A manifest cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// It cannot be read.
    #[error("{} cannot be read", path.display())]
    Unreadable {
        /// The manifest.
        path: PathBuf,
        /// What was said.
        source: io::Error,
    },
    /// It is not in the form of a manifest.
    #[error("{} is no manifest of a model", path.display())]
    Malformed {
        /// The manifest.
        path: PathBuf,
        /// What was said.
        source: serde_json::Error,
    },
    /// What it says cannot be.
    #[error("{} cannot be right: {problem}", path.display())]
    Wrong {
        /// The manifest.
        path: PathBuf,
        /// What.
        problem: String,
    },
}

impl Description {
    /// Completes what is known of a model with what was measured.
    pub(crate) fn into_manifest(self, dimensions: usize, batching: Batching, files: Vec<ModelFile>) -> Manifest {
        let Self {
            role,
            dimensions: _,
            pooling,
            normalise,
            query_prefix,
            document_prefix,
            window_tokens,
            licence,
            origin,
        } = self;
        let version = VERSION;
        Manifest {
            version,
            role,
            dimensions,
            pooling,
            normalise,
            query_prefix,
            document_prefix,
            window_tokens,
            batching,
            licence,
            origin,
            files,
        }
    }
}
