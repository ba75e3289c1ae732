//! The role of a model in a store, the pace of its updates, and the progress of its embeddings.

use std::sync::Arc;

/// The role of a model in a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// The selected encoder.
    Chosen,
    /// An encoder that was selected before. It answers until the chosen one's embeddings cover the store.
    Former,
    /// The built-in model, whose embeddings follow at once. It answers alone until another model's embeddings cover the store.
    Instant,
}

/// How embeddings follow the catalog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pace {
    /// At once: the model takes microseconds per chunk.
    AtOnce,
    /// In the background: the model takes milliseconds or more per chunk.
    Patient,
}

impl Part {
    pub(crate) fn pace(self) -> Pace {
        match self {
            Self::Instant => Pace::AtOnce,
            Self::Chosen | Self::Former => Pace::Patient,
        }
    }
}

/// The extent of an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Only if few chunks are missing, as after an edit.
    Edit,
    /// Completely, without pauses.
    Whole,
    /// Completely, with pauses for other work.
    Patient,
}

/// The progress of the embeddings of a store by one model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Embedded {
    /// The model's name.
    pub(crate) model: Arc<str>,
    /// Chunks with an embedding.
    pub(crate) chunks: u64,
    /// Whether they cover every chunk of the catalog.
    pub(crate) is_whole: bool,
}
