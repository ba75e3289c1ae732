//! The part of a model in a store, how its embeddings follow the catalog, and how far they are.

use std::sync::Arc;

/// What a model has to do with a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// It shall tell the meaning.
    Chosen,
    /// It was chosen before, and tells the meaning until the chosen one's embeddings cover the store.
    Former,
    /// Its embeddings are there at once, and tell the meaning until others do.
    Instant,
}

/// How embeddings follow the catalog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pace {
    /// With it: the model takes microseconds a chunk.
    AtOnce,
    /// In the background: it takes milliseconds and more.
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

/// How far to follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// At once, if that is an edit; an import is left to the background.
    Edit,
    /// To the end, as fast as it can be.
    Whole,
    /// To the end, with rests.
    Patient,
}

/// How far the embeddings of a store by one model are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Embedded {
    /// The model's name.
    pub(crate) model: Arc<str>,
    /// Chunks with an embedding.
    pub(crate) chunks: u64,
    /// Whether that is every chunk that the catalog holds.
    pub(crate) is_whole: bool,
}
