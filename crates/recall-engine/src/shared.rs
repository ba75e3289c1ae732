//! Stores that a team shares: what is stored of a document, and the name of a repository.

mod contents;
mod record;
mod repository;

pub(crate) use contents::{KeyedDocument, document_key, published};
pub(crate) use record::{Record, RecordedMemory};
pub(crate) use repository::{current_branch, repository_name};

use recall_core::Embedder;
use recall_shared::Model;

/// Returns a model as shared stores name it.
pub(crate) fn model_of(embedder: &dyn Embedder) -> Model {
    let fingerprint = embedder.fingerprint().0;
    Model { fingerprint: hex::encode(&fingerprint[..FINGERPRINT_BYTES]), dimensions: embedder.dimensions() }
}

/// How many bytes of a fingerprint name a model. Two models share them with a probability of one in 10^38.
const FINGERPRINT_BYTES: usize = 16;
