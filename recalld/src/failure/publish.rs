//! The errors of publications, as reasons with hints.

use recall_api::{Failure, Reason};
use recall_engine::{PublishError, PublishSourceError};
use recall_text::error_chain;

use super::{IntoFailure, shared_failure, store_failure};

impl IntoFailure for PublishError {
    fn into_failure(self) -> Failure {
        let message = error_chain(&self);
        match self {
            Self::NoStores => Failure::new(Reason::NotFound, message).with_hint(
                "add `[stores.NAME]` with `kind` and `address` to your `recall.toml`; see docs/shared-store.md",
            ),
            Self::SeveralStores { .. } => Failure::new(Reason::InvalidArgument, message)
                .with_detail("field", "store")
                .with_hint("name one with `--store`"),
            Self::NoStore { .. } => {
                Failure::new(Reason::NotFound, message).with_hint("name one of these with `--store`")
            }
            Self::NoBranch => Failure::new(Reason::InvalidArgument, message)
                .with_detail("field", "branch")
                .with_hint("name it with `--branch`"),
            Self::Index(error) => error.into_failure(),
            Self::Source(PublishSourceError::NotTracked) => Failure::new(Reason::InvalidArgument, message)
                .with_hint("only files that git tracks are published; run it in a git repository"),
            Self::Source(PublishSourceError::Store(error)) => store_failure(&error, message, Reason::IndexFailed),
            Self::Source(PublishSourceError::Model(_)) => Failure::new(Reason::EmbeddingFailed, message),
            Self::Shared { source, .. } => shared_failure(
                &source,
                message,
                "publish again when the server answers: what was sent is not sent twice",
            ),
            Self::Cancelled => Failure::new(Reason::Cancelled, message),
        }
    }
}
