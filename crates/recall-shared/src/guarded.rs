//! A store whose failures cost a search little.
//!
//! A search waits for a server for one deadline. After a failure, a breaker is open: searches skip the server at once, and one
//! background thread asks it, at growing intervals, until it answers. Publications do not go through this: they wait and retry.

use std::sync::Arc;

use crate::breaker::{Health, Standing};
use crate::{Ask, Found, Key, Model, Place, SharedStore, Statistics, StoreError, WholeDocument};

/// The reading side of a store, by its name in the configuration.
///
/// A store that does not answer in time is not asked again by searches until it has answered a background request. The deadline of
/// each call is the store's own.
#[derive(Clone)]
pub struct Guarded {
    /// The name of its section in the configuration.
    pub name: String,
    /// The store; the reason if its settings are wrong.
    store: Result<Arc<dyn SharedStore>, String>,
    health: Arc<Health>,
}

impl Guarded {
    /// Guards a store, which counts as answering until it is asked.
    pub fn new(name: impl Into<String>, store: Arc<dyn SharedStore>) -> Self {
        Self { name: name.into(), store: Ok(store), health: Arc::default() }
    }

    /// A store whose settings are wrong. Each request fails with the reason.
    pub fn unusable(name: impl Into<String>, reason: String) -> Self {
        Self { name: name.into(), store: Err(reason), health: Arc::default() }
    }

    /// Whether the store answers.
    pub fn standing(&self) -> Standing {
        self.health.standing()
    }

    /// The store itself, for publications, which wait and retry.
    ///
    /// # Errors
    /// Its settings are wrong.
    pub fn store(&self) -> Result<&Arc<dyn SharedStore>, StoreError> {
        self.store.as_ref().map_err(|reason| StoreError::Unusable { reason: reason.clone() })
    }

    /// See [`SharedStore::statistics`].
    pub fn statistics(&self, keys: &[u32]) -> Result<Statistics, StoreError> {
        self.ask(|store| store.statistics(keys))
    }

    /// See [`SharedStore::models`].
    pub fn models(&self) -> Result<Vec<Model>, StoreError> {
        self.ask(|store| store.models())
    }

    /// See [`SharedStore::find`].
    pub fn find(&self, ask: &Ask) -> Result<Found, StoreError> {
        self.ask(|store| store.find(ask))
    }

    /// See [`SharedStore::texts`].
    pub fn texts(&self, chunks: &[Key]) -> Result<Vec<Option<String>>, StoreError> {
        self.ask(|store| store.texts(chunks))
    }

    /// See [`SharedStore::document`].
    pub fn document(&self, places: &[Place]) -> Result<Option<WholeDocument>, StoreError> {
        self.ask(|store| store.document(places))
    }

    fn ask<T>(&self, ask: impl FnOnce(&dyn SharedStore) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let store = self.store()?;
        if self.health.standing() != Standing::Answers {
            return Err(StoreError::Resting);
        }
        let answer = ask(&**store);
        if let Err(error) = &answer
            && error.may_pass()
        {
            let store = Arc::downgrade(store);
            let probe = move || store.upgrade().is_none_or(|store| store.ping().is_ok());
            self.health.note_failure(&error.to_string(), probe);
        }
        answer
    }
}
