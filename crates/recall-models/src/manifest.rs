//! Manifests of installed models.

mod describe;

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use recall_core::ModelFingerprint;
use serde::{Deserialize, Serialize};

use crate::files::read_text;

pub use describe::DescribeError;
pub(crate) use describe::{Description, describe};

/// The name of the manifest in a model's folder.
pub(crate) const MANIFEST: &str = "recall-model.json";
/// The name of the network.
pub(crate) const NETWORK: &str = "model.onnx";
/// The name of the tokenizer, in the format of the Hugging Face `tokenizers` library.
pub(crate) const TOKENIZER: &str = "tokenizer.json";

/// The version of the manifest format. Other versions are refused, since the meaning of fields determines the
/// embeddings.
const VERSION: u32 = 1;

/// What a model is and how it is run: everything that determines its outputs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The version of the format.
    pub version: u32,
    /// What the model does.
    #[serde(rename = "role")]
    pub kind: NetworkKind,
    /// The dimension of its embeddings; 1 for a cross-encoder, whose output is a score.
    pub dimensions: usize,
    /// The pooling of token outputs.
    pub pooling: Pooling,
    /// Whether outputs are scaled to length 1. If not, the network must do so itself, or its outputs are refused.
    pub normalise: bool,
    /// What precedes every query; empty for nothing.
    pub query_prefix: String,
    /// What precedes every document; empty for nothing.
    pub document_prefix: String,
    /// The maximum number of tokens of a text, including special tokens.
    pub window_tokens: usize,
    /// Whether texts are run in batches.
    pub batching: Batching,
    /// The SPDX identifier of the licence; `None` if unknown.
    pub licence: Option<String>,
    /// The URL from which the model was pulled; `None` if it was added from a folder.
    pub origin: Option<String>,
    /// The model's files, the network first.
    pub files: Vec<ModelFile>,
}

/// What a network does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NetworkKind {
    /// It turns each text into a vector.
    Embed,
    /// It scores texts against a query.
    Rerank,
}

impl NetworkKind {
    /// Returns the roles of a model that does this.
    pub fn roles(self) -> &'static [Role] {
        match self {
            Self::Embed => &[Role::Embed],
            Self::Rerank => &[Role::Rerank, Role::Prerank],
        }
    }
}

impl fmt::Display for NetworkKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Embed => "embed",
            Self::Rerank => "rerank",
        })
    }
}

/// What recall uses a model for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// It embeds chunks and queries for semantic search.
    Embed,
    /// It scores texts against a query.
    Rerank,
    /// It scores more texts than `Rerank`, before it: a smaller network.
    Prerank,
    /// It is a language model that scores texts against a hard question.
    Judge,
    /// It is a language model that writes what a chunk is about, before the chunk is embedded.
    Describe,
    /// It is a language model that says whether two memories contradict each other.
    Compare,
}

impl Role {
    /// All roles, in the order of the enum.
    pub const ALL: [Self; 6] = [Self::Embed, Self::Rerank, Self::Prerank, Self::Judge, Self::Describe, Self::Compare];

    /// The roles of language models. None can be installed.
    pub const OF_LANGUAGE_MODELS: [Self; 3] = [Self::Judge, Self::Describe, Self::Compare];

    /// Returns the role's name in interfaces.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Embed => "embed",
            Self::Rerank => "rerank",
            Self::Prerank => "prerank",
            Self::Judge => "judge",
            Self::Describe => "describe",
            Self::Compare => "compare",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// How the outputs of a text's tokens are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pooling {
    /// The mean over all tokens except padding.
    Mean,
    /// The output of the first token.
    Cls,
    /// The output of the last token.
    Last,
}

/// Whether texts are run in batches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Batching {
    /// In batches of similar length. An embedding does not depend on the rest of its batch.
    Together,
    /// One at a time. The network's outputs depend on the rest of the batch, as with dynamic quantization, but equal
    /// texts must get equal embeddings.
    Alone,
}

/// A file of a model, as it was when the model was installed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelFile {
    /// The name in the model's folder.
    pub name: String,
    /// The size in bytes.
    pub bytes: u64,
    /// The SHA-256 in hexadecimal.
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
            () if manifest.version != VERSION => {
                Some(format!("unsupported version {}, expected {VERSION}", manifest.version))
            }
            () if manifest.dimensions == 0 => Some("`dimensions` is 0".to_owned()),
            () if manifest.window_tokens == 0 => Some("`window_tokens` is 0".to_owned()),
            () if !manifest.files.iter().any(|file| file.name == NETWORK) => Some(format!("`files` lacks {NETWORK}")),
            () if !manifest.files.iter().any(|file| file.name == TOKENIZER) => {
                Some(format!("`files` lacks {TOKENIZER}"))
            }
            () => None,
        };
        problem.map_or(Ok(manifest), |problem| Err(ManifestError::Wrong { path, problem }))
    }

    /// Writes the manifest into a folder.
    pub(crate) fn write(&self, folder: &Path) -> io::Result<()> {
        let text = serde_json::to_string_pretty(self).expect("a manifest has only strings and numbers");
        fs::write(folder.join(MANIFEST), text + "\n")
    }

    /// Returns the model's fingerprint: a hash of its files and of how they are used, without licence and origin.
    pub fn fingerprint(&self) -> ModelFingerprint {
        let (kind, pooling, batching) = (self.kind as u8, self.pooling as u8, self.batching as u8);
        let numbers = format!("{kind} {pooling} {batching} {} {}", u8::from(self.normalise), self.window_tokens);
        let mut parts =
            vec![b"onnx".as_slice(), numbers.as_bytes(), self.query_prefix.as_bytes(), self.document_prefix.as_bytes()];
        parts.extend(self.files.iter().flat_map(|file| [file.name.as_bytes(), file.sha256.as_bytes()]));
        ModelFingerprint::hash(&parts)
    }

    /// Returns the total size of its files in bytes.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }
}

/// A manifest cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// The manifest cannot be read.
    #[error("cannot read `{}`", path.display())]
    Unreadable {
        /// The path of the manifest.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// The manifest is not JSON, or has other fields.
    #[error("`{}` is not a model manifest", path.display())]
    Malformed {
        /// The path of the manifest.
        path: PathBuf,
        /// The parser's error.
        source: serde_json::Error,
    },
    /// The manifest has an invalid value.
    #[error("invalid model manifest `{}`: {problem}", path.display())]
    Wrong {
        /// The path of the manifest.
        path: PathBuf,
        /// Which value is invalid, and why.
        problem: String,
    },
}
