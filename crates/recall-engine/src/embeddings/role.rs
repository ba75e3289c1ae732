//! The role of a model in a store, the mode of its updates, and the progress of its embeddings.

use std::sync::Arc;

/// The role of a model in a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ModelRole {
    Selected,
    /// An encoder that was selected before. It answers until the selected one's embeddings cover the store.
    Previous,
    /// The built-in model, whose embeddings follow at once. It answers alone until another model's embeddings cover the store.
    BuiltIn,
}

/// How embeddings follow the catalog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UpdateMode {
    /// At once: the model takes microseconds per chunk.
    Inline,
    /// In the background: the model takes milliseconds or more per chunk.
    Background,
}

impl ModelRole {
    pub(crate) fn update_mode(self) -> UpdateMode {
        match self {
            Self::BuiltIn => UpdateMode::Inline,
            Self::Selected | Self::Previous => UpdateMode::Background,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UpdateExtent {
    /// Only if few chunks are missing, as after an edit.
    FewChunks,
    /// Completely, without pauses.
    Complete,
    /// Completely, with pauses for other work.
    CompleteWithPauses,
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
