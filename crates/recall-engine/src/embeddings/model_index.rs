//! The embeddings of a store by one model: the open files, their query, and their updates.
//!
//! Damaged files are quarantined as a whole, since embeddings can be computed again. Embeddings of a greater generation than the
//! catalog's belong to a catalog that is gone, so they are quarantined. Queries take the open files without a lock; one thread at a
//! time updates them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arc_swap::ArcSwapOption;
use parking_lot::Mutex;
use recall_core::{Embedder, Embedding, Generation, ModelFingerprint, NearestError, RowSet, VectorIndex as _};
use recall_index::catalog::{Catalog, ChunkRun};
use recall_text::error_chain;

use crate::EmbeddingModel;
use crate::embeddings::cache::EmbeddingCache;
use crate::embeddings::folder::EmbeddingsFolder;
use crate::embeddings::follow::{FollowState, UpdateRun};
use crate::embeddings::model_vectors::{ModelVectors, NearError};
use crate::embeddings::models::{Embedded, ModelRole, Models, UpdateExtent, UpdateMode};
use crate::index_runs::Cancel;
use crate::settings::OnBattery;

/// A previous model that lacks more than one in this many chunks is deleted, not updated: it was never complete, or much has
/// changed since.
const FORMER_LACKS_ONE_IN: usize = 10;

/// The embeddings of a store by one model.
pub(crate) struct ModelIndex {
    name: Arc<str>,
    embedder: Arc<dyn Embedder>,
    role: Mutex<ModelRole>,
    folder: Arc<EmbeddingsFolder>,
    /// The cache that all stores share.
    cache: Option<Arc<EmbeddingCache>>,
    open: ArcSwapOption<ModelVectors>,
    /// Held while the embeddings are updated.
    state: Mutex<FollowState>,
    /// Cancels the update when the index is closed.
    end: Cancel,
    /// Why they cannot be opened or updated.
    problem: Mutex<Option<String>>,
    /// Why the last query failed.
    unanswered: Mutex<Option<String>>,
    on_battery: Option<OnBattery>,
    /// Whether the last update ended because this machine runs on battery.
    awaits_power: AtomicBool,
}

impl ModelIndex {
    /// Opens the embeddings by a model. Those of a greater generation than the catalog's are quarantined.
    pub(crate) fn open(
        folder: &Arc<EmbeddingsFolder>,
        model: &EmbeddingModel,
        role: ModelRole,
        models: &Models,
        generation: Generation,
    ) -> Self {
        let EmbeddingModel { name, embedder } = model;
        let index = Self {
            name: name.as_str().into(),
            embedder: Arc::clone(embedder),
            role: Mutex::new(role),
            folder: Arc::clone(folder),
            cache: models.cache.clone(),
            end: Cancel::default(),
            open: ArcSwapOption::empty(),
            state: Mutex::default(),
            problem: Mutex::default(),
            unanswered: Mutex::default(),
            on_battery: models.on_battery.clone(),
            awaits_power: AtomicBool::new(false),
        };
        let ahead = index.space().filter(|space| space.vectors.generation() > generation);
        if let Some(space) = ahead {
            index.quarantine(&space);
            index.space();
        }
        index
    }

    pub(crate) fn name(&self) -> Arc<str> {
        Arc::clone(&self.name)
    }

    pub(crate) fn role(&self) -> ModelRole {
        *self.role.lock()
    }

    pub(crate) fn set_role(&self, role: ModelRole) {
        *self.role.lock() = role;
    }

    /// Embeds texts as documents; `None` if the model fails.
    pub(crate) fn embed(&self, texts: &[&str]) -> Option<Vec<Embedding>> {
        self.embedder.embed_documents(texts).ok()
    }

    /// Returns whether it uses this model, by the same embedder and name.
    pub(crate) fn is_by(&self, model: &EmbeddingModel) -> bool {
        Arc::ptr_eq(&self.embedder, &model.embedder) && *self.name == *model.name
    }

    pub(crate) fn fingerprint(&self) -> ModelFingerprint {
        self.embedder.fingerprint()
    }

    /// See [`Embedder::prepare`].
    pub(crate) fn prepare(&self) {
        self.embedder.prepare();
    }

    /// Returns the embeddings if they cover every chunk of a generation.
    pub(crate) fn complete_vectors(&self, generation: Generation) -> Option<Arc<ModelVectors>> {
        self.open.load_full().filter(|space| space.vectors.generation() >= generation)
    }

    /// Returns the embeddings of a selected encoder that has embedded a part of the chunks, whatever the generation.
    pub(crate) fn partial_vectors(&self) -> Option<Arc<ModelVectors>> {
        let is_encoder = self.role() == ModelRole::Selected;
        self.open.load_full().filter(|space| is_encoder && space.vectors.len() > 0)
    }

    pub(crate) fn embedded_chunks(&self, generation: Generation) -> Embedded {
        let (chunks, is_whole) = self
            .open
            .load_full()
            .map_or((0, false), |space| (space.vectors.len() as u64, space.vectors.generation() >= generation));
        Embedded { model: self.name(), chunks, is_whole }
    }

    /// Returns whether it follows in the background and does not cover a generation.
    pub(crate) fn is_behind(&self, generation: Generation) -> bool {
        self.role().update_mode() == UpdateMode::Background && self.complete_vectors(generation).is_none()
    }

    /// Returns whether it is by a remote model that failed, and may answer later, or waits for power.
    pub(crate) fn awaits_retry(&self) -> bool {
        let is_selected = self.role() == ModelRole::Selected && !self.end.is_cancelled();
        is_selected && (self.awaits_power() || (self.embedder.is_remote() && self.problem.lock().is_some()))
    }

    /// Returns whether the last update ended because this machine runs on battery.
    pub(crate) fn awaits_power(&self) -> bool {
        self.awaits_power.load(Ordering::Relaxed)
    }

    /// Returns whether it lacks so many chunks that it will not answer soon.
    pub(crate) fn is_far_behind(&self, catalog: &Catalog) -> bool {
        let Some(space) = self.open.load_full() else { return true };
        let expected = catalog.snapshot().and_then(|snapshot| snapshot.chunk_runs());
        // A failed read may succeed later, so it is not a reason to delete the embeddings.
        let Ok(runs) = expected else { return false };
        let expected: RowSet = runs.iter().flat_map(ChunkRun::rows).collect();
        space.vectors.difference(&expected).missing.len() > expected.len() / FORMER_LACKS_ONE_IN
    }

    /// Returns why it is not used.
    pub(crate) fn problem(&self) -> Option<String> {
        self.problem.lock().clone().or_else(|| self.unanswered.lock().clone())
    }

    /// Updates the embeddings to the catalog, unless another thread does.
    pub(crate) fn follow(&self, catalog: &Catalog, extent: UpdateExtent, cancel: &Cancel) {
        if let Some(mut state) = self.state.try_lock() {
            self.follow_as(&mut state, catalog, extent, cancel);
        }
    }

    /// Updates the embeddings to the catalog, after any other thread that does.
    pub(crate) fn settle(&self, catalog: &Catalog, cancel: &Cancel) {
        self.follow_as(&mut self.state.lock(), catalog, UpdateExtent::Complete, cancel);
    }

    fn follow_as(&self, state: &mut FollowState, catalog: &Catalog, extent: UpdateExtent, cancel: &Cancel) {
        let Some(space) = self.space() else { return };
        let role = self.role();
        let cache = self.cache.as_deref().filter(|_| role.update_mode() == UpdateMode::Background);
        // Between two batches; a batch takes a second. A remote model takes no power of this machine.
        let waits = extent == UpdateExtent::CompleteWithPauses && !self.embedder.is_remote();
        // A model whose part has changed need not be completed; the next update decides by the new part.
        let is_over = || cancel.is_cancelled() || self.end.is_cancelled() || self.role() != role;
        let on_battery = self.on_battery.as_ref().filter(|_| waits);
        let run =
            UpdateRun { space: &space, cache, extent, is_over: &is_over, on_battery, awaits_power: &self.awaits_power };
        match state.follow(&run, role.update_mode(), catalog) {
            Ok(()) => *self.problem.lock() = None,
            Err(error) => {
                self.note(&error);
                if error.is_damage() {
                    self.quarantine(&space);
                }
            }
        }
    }

    /// Closes the index. Its files are closed after the last query and update that use them.
    pub(crate) fn close(&self) {
        self.end.cancel();
        self.open.store(None);
    }

    /// Returns the embeddings; opens them if necessary. `None` if they cannot be opened or the index is closed.
    fn space(&self) -> Option<Arc<ModelVectors>> {
        if let Some(space) = self.open.load_full() {
            return Some(space);
        }
        if self.end.is_cancelled() {
            return None;
        }
        match ModelVectors::open(&self.folder, &self.embedder) {
            Ok(space) => {
                let space = Arc::new(space);
                *self.problem.lock() = None;
                self.open.store(Some(Arc::clone(&space)));
                Some(space)
            }
            Err(error) => {
                self.note(&error);
                None
            }
        }
    }

    /// Quarantines embeddings, unless another thread has; the next use creates them again.
    ///
    /// Opening them again would not suffice: it verifies only the head of a large file, and may miss the damage.
    fn quarantine(&self, space: &Arc<ModelVectors>) {
        let before = self.open.compare_and_swap(&Some(Arc::clone(space)), None);
        let is_first = before.as_ref().is_some_and(|before| Arc::ptr_eq(before, space));
        if is_first && let Err(error) = self.folder.quarantine(self.fingerprint()) {
            self.note(&error);
        }
    }

    /// Quarantines the embeddings if another process has changed their files while they were open; returns whether it has.
    pub(crate) fn quarantine_disturbed(&self) -> bool {
        let disturbed = self.open.load_full().filter(|space| space.vectors.is_disturbed());
        if let Some(space) = &disturbed {
            tracing::warn!(model = %self.name, "embeddings were changed by another process and are rebuilt");
            self.quarantine(space);
        }
        disturbed.is_some()
    }

    pub(crate) fn note_answer(&self) {
        *self.unanswered.lock() = None;
    }

    pub(crate) fn did_not_answer(&self, space: &Arc<ModelVectors>, error: &NearError) {
        let reason = error_chain(error);
        tracing::warn!(model = %self.name, reason, "a model could not answer a query");
        if let NearError::Nearest(NearestError::Damaged { .. }) = error {
            // Recorded as a problem of the embeddings, so that a later successful query does not clear it before they are rebuilt.
            *self.problem.lock() = Some(reason);
            self.quarantine(space);
        } else {
            *self.unanswered.lock() = Some(reason);
        }
    }

    fn note(&self, error: &dyn std::error::Error) {
        let reason = error_chain(error);
        tracing::warn!(model = %self.name, reason, "embeddings are not used");
        *self.problem.lock() = Some(reason);
    }
}
