//! Stores that a team shares: what is stored of a document, and the name of a repository.
//!
//! The repository's name is the host and path of its remote, so a clone recognises itself and is not searched twice. A record carries
//! the analysis of each chunk, from which any machine computes the features of ranking; chunks, documents and models are named by
//! hashes of their contents, so that a publication can be repeated (ADR 41, ADR 42). What a record says of trust is not believed by
//! its reader.

mod contents;
mod record;
mod repository;

pub(crate) use contents::{KeyedDocument, document_key, published_document};
pub(crate) use record::{Record, RecordedMemory};
pub(crate) use repository::{current_branch, repository_name};

use recall_core::{Document, DocumentId, Embedder};
use recall_shared::Model;
use recall_text::DocPath;

/// Returns a model as shared stores name it.
pub(crate) fn model_of(embedder: &dyn Embedder) -> Model {
    let fingerprint = embedder.fingerprint().0;
    Model { fingerprint: hex::encode(&fingerprint[..FINGERPRINT_BYTES]), dimensions: embedder.dimensions() }
}

/// Returns a document with the path under which answers show it: its store, its repository, and its path there.
pub(crate) fn in_store(store: &str, repository: &str, mut document: Document) -> Document {
    let path = format!("{store}/{repository}/{}", document.path);
    document.path = DocPath::new(&path).unwrap_or(document.path);
    document.id = DocumentId::from_path(&document.path);
    // The memory itself is in the journal of its project, and can be neither amended nor confirmed from here.
    document.memory = None;
    document
}

/// How many bytes of a fingerprint name a model. Two models share them with a probability of one in 10^38.
const FINGERPRINT_BYTES: usize = 16;
