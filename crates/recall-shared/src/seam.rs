//! What a search and a publication ask of a shared store, and why it did not answer.

use std::collections::BTreeMap;
use std::fmt;

use rustc_hash::FxHashMap;

/// The identity of a chunk or of a document's content. Equal contents have equal keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(pub [u8; 16]);

impl Key {
    /// Reads keys that are stored one after the other.
    ///
    /// # Errors
    /// The last one is not whole.
    pub(crate) fn all_of(bytes: &[u8]) -> Result<Vec<Self>, StoreError> {
        let (whole, rest) = bytes.as_chunks();
        if rest.is_empty() {
            Ok(whole.iter().map(|key| Self(*key)).collect())
        } else {
            Err(StoreError::Invalid { what: "a list of keys has another length".to_owned() })
        }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// A branch of a repository.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Branch {
    /// The name of the repository in the store.
    pub repository: String,
    /// The name of the branch.
    pub name: String,
}

/// An embedding model, as a store names its vectors.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Model {
    /// Its fingerprint: lower-case letters and digits.
    pub fingerprint: String,
    /// The number of components of a vector.
    pub dimensions: usize,
}

/// A chunk to store.
#[derive(Clone, Debug, PartialEq)]
pub struct ChunkRecord {
    /// The identity of its content, under which it is stored once.
    pub key: Key,
    /// Its text, as it was split from the document.
    pub text: String,
    /// The numbers of its terms and names, ascending, without repetition.
    pub keys: Vec<u32>,
    /// The number of terms in its body, symbols, comments, path, stem and folder.
    pub lengths: [u64; 6],
    /// Its embedding; `None` if the publication has no model.
    pub vector: Option<Vec<f32>>,
}

/// A document to store, without the texts of its chunks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentRecord {
    /// Its path in the repository.
    pub path: String,
    /// The identity of its content.
    pub key: Key,
    /// Its metadata, its structure, and what scores of its chunks are computed from.
    pub record: Vec<u8>,
    /// The chunks, in order; at least one.
    pub chunks: Vec<Key>,
    /// The numbers of the parts of its path, ascending, without repetition.
    pub keys: Vec<u32>,
    /// The number of terms in each field of its path.
    pub lengths: [u64; 6],
    /// The name of its type.
    pub kind: String,
    /// Its language; empty if it has none.
    pub language: String,
    /// Its tags, one by one, for filters.
    pub tags: Vec<String>,
    /// Its whole text, of which the chunks are parts.
    pub text: String,
}

/// The documents of a branch, by path, with the identities of their contents.
pub type Manifest = BTreeMap<String, Key>;

/// The published state of a branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchState {
    /// How often the branch was published. A greater one is newer.
    pub generation: u64,
    /// The digest of its manifest.
    pub digest: [u8; 32],
    /// The number of its documents.
    pub documents: u64,
}

/// A publication in progress. Readers see nothing of it before it is committed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Publication {
    /// The branch that is published.
    pub branch: Branch,
    /// The generation that it replaces; 0 for none.
    pub base: u64,
    /// A number that no other publication of the branch has.
    pub id: u64,
}

/// The statistics of a store that scores depend on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// The number of chunks.
    pub chunks: u64,
    /// The number of documents.
    pub documents: u64,
    /// The number of terms in all bodies, symbols, comments, paths, stems and folders.
    pub lengths: [u64; 6],
    /// In how many chunks or documents a key occurs, for each key that occurs at all.
    pub counts: FxHashMap<u32, u64>,
}

/// A key that a search looks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weighted {
    /// The number of a term, a name or a part of a path.
    pub key: u32,
    /// What it adds to the score; more than 0.
    pub weight: f32,
    /// In how many chunks or documents it occurs.
    pub count: u64,
}

/// How many candidates each retriever returns; 0 leaves it out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Depths {
    /// Chunks by their words.
    pub words: usize,
    /// Chunks by the names that they define.
    pub definitions: usize,
    /// Documents by their paths.
    pub files: usize,
    /// Chunks by their embeddings.
    pub nearest: usize,
}

/// Conditions on documents. An empty list is no condition. The entries of a list are alternatives, except for tags.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filters {
    /// The document's type is one of these.
    pub kinds: Vec<String>,
    /// The document's language is one of these.
    pub languages: Vec<String>,
    /// Its path satisfies one of these.
    pub paths: Vec<PathCondition>,
    /// The document has all of these tags.
    pub tags: Vec<String>,
}

impl Filters {
    /// Whether there is no condition.
    pub fn is_empty(&self) -> bool {
        let Self { kinds, languages, paths, tags } = self;
        kinds.is_empty() && languages.is_empty() && paths.is_empty() && tags.is_empty()
    }
}

/// A condition on a path in a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathCondition {
    /// It is this path, or below this directory.
    Below(String),
    /// It matches this glob as a whole. `*` and `?` do not match `/`; `**` does.
    Glob(String),
}

/// What a search asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct Ask {
    /// The keys of words.
    pub words: Vec<Weighted>,
    /// The keys of names.
    pub definitions: Vec<Weighted>,
    /// The keys of paths.
    pub files: Vec<Weighted>,
    /// The embedded query, with its model; `None` to leave out embeddings.
    pub vector: Option<(Model, Vec<f32>)>,
    /// Conditions on the documents.
    pub filters: Filters,
    /// The repositories that are left out.
    pub without: Vec<String>,
    /// How many candidates each retriever returns.
    pub depths: Depths,
}

/// The candidates of a search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// The documents with a candidate, by repository and path.
    pub documents: Vec<Document>,
    /// Whether embeddings were compared.
    pub has_cosines: bool,
}

/// A document that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// The name of its repository in the store.
    pub repository: String,
    /// Its path in the repository.
    pub path: String,
    /// The identity of its content.
    pub key: Key,
    /// Its metadata, its structure, and what scores of its chunks are computed from.
    pub record: Vec<u8>,
    /// All its chunks, in order.
    pub chunks: Vec<Chunk>,
}

/// A chunk of a document that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Chunk {
    /// The identity of its content.
    pub key: Key,
    /// The cosine of its embedding to the query; `None` if it is no candidate or has no embedding.
    pub cosine: Option<f32>,
    /// Whether it is one of the nearest chunks.
    pub is_near: bool,
}

/// Where a document is in a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The name of its repository in the store.
    pub repository: String,
    /// Its path in the repository.
    pub path: String,
}

/// A document with its whole text.
#[derive(Clone, Debug, PartialEq)]
pub struct WholeDocument {
    /// The document. Its chunks were not compared with anything.
    pub document: Document,
    /// The text from which it was indexed.
    pub text: String,
}

/// A shared store did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// No connection, or it was lost.
    #[error("the server cannot be reached")]
    Unreachable {
        /// The error of the connection.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// No answer in time.
    #[error("the server did not answer within {} ms", waited.as_millis())]
    Late {
        /// How long was waited.
        waited: std::time::Duration,
    },
    /// The server has too much to do.
    #[error("the server asks to wait for {} s", after.as_secs())]
    Overloaded {
        /// How long the server asks to wait.
        after: std::time::Duration,
        /// What the server reports.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The server is not asked, because it did not answer before.
    #[error("the server did not answer before; it is asked again in the background")]
    Resting,
    /// The server rejected the request.
    #[error("the server rejected the request")]
    Refused {
        /// What the server reports.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// Nothing was published to the server.
    #[error("nothing was published to the server for this tenant")]
    Empty,
    /// Another publication of the branch is running, or was committed meanwhile.
    #[error("another publication of this branch is running")]
    Busy,
    /// Part of a publication is not on the server any more.
    #[error("the server lost {lost} of {sent} documents of the publication")]
    Lost {
        /// How many are missing.
        lost: u64,
        /// How many were sent.
        sent: u64,
    },
    /// The settings of the store are wrong.
    #[error("its settings are wrong: {reason}")]
    Unusable {
        /// Which setting is wrong, and why.
        reason: String,
    },
    /// The answer is not understood.
    #[error("the server's answer is invalid: {what}")]
    Invalid {
        /// What is wrong with it, in words.
        what: String,
    },
}

impl StoreError {
    /// Whether the same request may succeed when it is sent again.
    pub fn may_pass(&self) -> bool {
        matches!(self, Self::Unreachable { .. } | Self::Late { .. } | Self::Overloaded { .. })
    }

    /// Returns the error with a mask in place of a secret that a server repeats.
    pub(crate) fn with_mask(self, secret: &str) -> Self {
        let mask = |source: Box<dyn std::error::Error + Send + Sync>| {
            let text = chain(&*source);
            if secret.is_empty() || !text.contains(secret) { source } else { text.replace(secret, MASK).into() }
        };
        match self {
            Self::Unreachable { source } => Self::Unreachable { source: mask(source) },
            Self::Overloaded { after, source } => Self::Overloaded { after, source: mask(source) },
            Self::Refused { source } => Self::Refused { source: mask(source) },
            Self::Invalid { what } if !secret.is_empty() => Self::Invalid { what: what.replace(secret, MASK) },
            error => error,
        }
    }

    pub(crate) fn unreachable(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Unreachable { source: source.into() }
    }

    pub(crate) fn refusal(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Refused { source: source.into() }
    }
}

/// What is shown in place of a password or key, as in the answers of providers of models.
const MASK: &str = "[secret: key]";

/// Returns an error with its causes as one text.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(known) = cause {
        text = format!("{text}: {known}");
        cause = known.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_repeats_no_key() {
        let key = "tR7kq9Zw2Lx";
        let nested = std::io::Error::other(format!("FATAL: password {key} is wrong"));
        for error in [
            StoreError::refusal(nested),
            StoreError::unreachable(format!("{key}@host")),
            StoreError::Invalid { what: key.to_owned() },
        ] {
            let told = chain(&error.with_mask(key));
            assert!(!told.contains(key) && told.contains(MASK), "{told}");
        }
        assert_eq!(chain(&StoreError::refusal("no").with_mask("")), "the server rejected the request: no");
    }
}
