//! What an indexing run reported.

use recall_api::v1::{IndexFinished, IndexStarted, Warning};

/// The events of an indexing run.
#[derive(Debug, Default)]
pub(crate) struct Run {
    pub(crate) started: IndexStarted,
    pub(crate) finished: IndexFinished,
    pub(crate) warnings: Vec<Warning>,
}
