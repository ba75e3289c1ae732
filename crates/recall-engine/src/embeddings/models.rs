//! The models that may be used in a store, their roles, the mode of their updates, and the progress of their
//! embeddings.

use std::sync::Arc;

use recall_core::Describer;

use crate::embeddings::cache::{Described, EmbeddingCache};
use crate::settings::{EmbeddingModel, OnBattery};

/// The encoders: models that are slower and better than the built-in one. They can be changed while the engine runs.
#[derive(Clone, Default)]
pub struct Encoders {
    /// The selected encoder; `None` if only the model of the settings is used.
    pub selected: Option<EmbeddingModel>,
    /// The other encoders. One whose embeddings a store still has is used there until the selected one's cover the store.
    pub others: Vec<EmbeddingModel>,
    /// The language model that describes the chunks of prose before the selected encoder embeds them; `None` for none.
    pub describer: Option<Arc<dyn Describer>>,
}

/// Every model that may be used in a store.
#[derive(Clone, Default)]
pub(crate) struct Models {
    pub(crate) encoders: Encoders,
    /// The model whose embeddings follow at once.
    pub(crate) built_in: Option<EmbeddingModel>,
    pub(crate) cache: Option<Arc<EmbeddingCache>>,
    /// Encoders wait while it returns true.
    pub(crate) on_battery: Option<OnBattery>,
    /// The selected encoder with the descriptions, if chunks are described.
    described: Option<Arc<Described>>,
}

impl Models {
    /// Returns the models of this machine, without encoders.
    pub(crate) fn new(
        built_in: Option<EmbeddingModel>,
        cache: Option<Arc<EmbeddingCache>>,
        on_battery: Option<OnBattery>,
    ) -> Self {
        Self { built_in, cache, on_battery, ..Self::default() }
    }

    /// Returns the same models with other encoders. An encoder with the same describer as before stays the same one, so that running
    /// work on it continues.
    pub(crate) fn with_encoders(&self, mut encoders: Encoders) -> Self {
        let (built_in, cache, on_battery) = (self.built_in.clone(), self.cache.clone(), self.on_battery.clone());
        let Some((plain, describer)) = encoders.selected.clone().zip(encoders.describer.clone()) else {
            return Self { encoders, built_in, cache, on_battery, described: None };
        };
        let known = self.described.clone().filter(|known| known.is_of(&plain, &*describer));
        let own = known.unwrap_or_else(|| Described::new(&plain, describer, cache.clone()));
        encoders.selected = Some(own.model());
        // Its embeddings without descriptions answer meanwhile.
        encoders.others.push(plain);
        Self { encoders, built_in, cache, on_battery, described: Some(own) }
    }

    /// Returns the models to use in a store, the best first. `has` tells whether the store has embeddings by a model.
    pub(crate) fn roles(&self, has: impl Fn(&EmbeddingModel) -> bool) -> Vec<(&EmbeddingModel, ModelRole)> {
        let Encoders { selected, others, describer: _ } = &self.encoders;
        let mut roles: Vec<_> = selected.iter().map(|model| (model, ModelRole::Selected)).collect();
        if selected.is_some() {
            roles.extend(others.iter().filter(|model| has(model)).map(|model| (model, ModelRole::Previous)));
        }
        roles.extend(self.built_in.iter().map(|model| (model, ModelRole::BuiltIn)));
        roles
    }
}

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
    /// One batch of the newest chunks, while others wait to be indexed.
    Newest,
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
