//! The embeddings of a store by one model.

use std::sync::Arc;

use arc_swap::ArcSwapOption;
use parking_lot::Mutex;
use recall_catalog::{Catalog, ChunkRun};
use recall_core::{Embedder, Generation, ModelFingerprint, NearestError, RowSet, VectorIndex as _, error_chain};

use crate::EmbeddingModel;
use crate::embeddings::cache::EmbeddingCache;
use crate::embeddings::folder::Folder;
use crate::embeddings::follow::Following;
use crate::embeddings::part::{Embedded, Pace, Part, Reach};
use crate::embeddings::space::{NearError, Space};
use crate::progress::Cancel;

/// A former model that lacks more than one in this many chunks is deleted, not updated: it was never complete, or much has
/// changed since.
const FORMER_LACKS_ONE_IN: usize = 10;

/// The embeddings of a store by one model.
pub(crate) struct Layer {
    name: Arc<str>,
    embedder: Arc<dyn Embedder>,
    part: Mutex<Part>,
    folder: Arc<Folder>,
    /// The cache that all stores share.
    kept: Option<Arc<EmbeddingCache>>,
    open: ArcSwapOption<Space>,
    /// Held while the embeddings are updated.
    following: Mutex<Following>,
    /// Cancels the update when the layer is closed.
    end: Cancel,
    /// Why they cannot be opened or updated.
    problem: Mutex<Option<String>>,
    /// Why the last query failed.
    unanswered: Mutex<Option<String>>,
}

impl Layer {
    /// Opens the embeddings by a model. Those of a greater generation than the catalog's are quarantined.
    pub(crate) fn open(
        folder: &Arc<Folder>,
        model: &EmbeddingModel,
        part: Part,
        kept: Option<Arc<EmbeddingCache>>,
        generation: Generation,
    ) -> Self {
        let EmbeddingModel { name, embedder } = model;
        let layer = Self {
            name: name.as_str().into(),
            embedder: Arc::clone(embedder),
            part: Mutex::new(part),
            folder: Arc::clone(folder),
            kept,
            end: Cancel::default(),
            open: ArcSwapOption::empty(),
            following: Mutex::default(),
            problem: Mutex::default(),
            unanswered: Mutex::default(),
        };
        let ahead = layer.space().filter(|space| space.vectors.generation() > generation);
        if let Some(space) = ahead {
            layer.give_up(&space);
            layer.space();
        }
        layer
    }

    pub(crate) fn name(&self) -> Arc<str> {
        Arc::clone(&self.name)
    }

    pub(crate) fn part(&self) -> Part {
        *self.part.lock()
    }

    pub(crate) fn take_part(&self, part: Part) {
        *self.part.lock() = part;
    }

    /// Returns whether it uses this model, by the same embedder and name.
    pub(crate) fn is_by(&self, model: &EmbeddingModel) -> bool {
        Arc::ptr_eq(&self.embedder, &model.embedder) && *self.name == *model.name
    }

    pub(crate) fn fingerprint(&self) -> ModelFingerprint {
        self.embedder.fingerprint()
    }

    /// Returns the embeddings if they cover every chunk of a generation.
    pub(crate) fn covering(&self, generation: Generation) -> Option<Arc<Space>> {
        self.open.load_full().filter(|space| space.vectors.generation() >= generation)
    }

    pub(crate) fn embedded(&self, generation: Generation) -> Embedded {
        let (chunks, is_whole) = self
            .open
            .load_full()
            .map_or((0, false), |space| (space.vectors.len() as u64, space.vectors.generation() >= generation));
        Embedded { model: self.name(), chunks, is_whole }
    }

    /// Returns whether it follows in the background and does not cover a generation.
    pub(crate) fn is_behind(&self, generation: Generation) -> bool {
        self.part().pace() == Pace::Patient && self.covering(generation).is_none()
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
    pub(crate) fn follow(&self, catalog: &Catalog, reach: Reach, cancel: &Cancel) {
        if let Some(mut following) = self.following.try_lock() {
            self.follow_as(&mut following, catalog, reach, cancel);
        }
    }

    /// Updates the embeddings to the catalog, after any other thread that does.
    pub(crate) fn settle(&self, catalog: &Catalog, cancel: &Cancel) {
        self.follow_as(&mut self.following.lock(), catalog, Reach::Whole, cancel);
    }

    fn follow_as(&self, following: &mut Following, catalog: &Catalog, reach: Reach, cancel: &Cancel) {
        let Some(space) = self.space() else { return };
        let part = self.part();
        let kept = self.kept.as_deref().filter(|_| part.pace() == Pace::Patient);
        // A model whose part has changed need not be completed; the next update decides by the new part.
        let is_over = || cancel.is_cancelled() || self.end.is_cancelled() || self.part() != part;
        match following.follow(&space, part.pace(), kept, catalog, reach, &is_over) {
            Ok(()) => *self.problem.lock() = None,
            Err(error) => {
                self.note(&error);
                if error.is_damage() {
                    self.give_up(&space);
                }
            }
        }
    }

    /// Closes the layer. Its files are closed after the last query and update that use them.
    pub(crate) fn close(&self) {
        self.end.cancel();
        self.open.store(None);
    }

    /// Returns the embeddings; opens them if necessary. `None` if they cannot be opened or the layer is closed.
    fn space(&self) -> Option<Arc<Space>> {
        if let Some(space) = self.open.load_full() {
            return Some(space);
        }
        if self.end.is_cancelled() {
            return None;
        }
        match Space::open(&self.folder, &self.embedder) {
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
    fn give_up(&self, space: &Arc<Space>) {
        let before = self.open.compare_and_swap(&Some(Arc::clone(space)), None);
        let is_first = before.as_ref().is_some_and(|before| Arc::ptr_eq(before, space));
        if is_first && let Err(error) = self.folder.set_aside(self.fingerprint()) {
            self.note(&error);
        }
    }

    /// Quarantines the embeddings if another process has changed their files while they were open; returns whether it has.
    pub(crate) fn give_up_disturbed(&self) -> bool {
        let disturbed = self.open.load_full().filter(|space| space.vectors.is_disturbed());
        if let Some(space) = &disturbed {
            tracing::warn!(model = %self.name, "embeddings were changed by another process and are rebuilt");
            self.give_up(space);
        }
        disturbed.is_some()
    }

    pub(crate) fn answered(&self) {
        *self.unanswered.lock() = None;
    }

    pub(crate) fn did_not_answer(&self, space: &Arc<Space>, error: &NearError) {
        let reason = error_chain(error);
        tracing::warn!(model = %self.name, reason, "a model could not answer a query");
        if let NearError::Nearest(NearestError::Damaged { .. }) = error {
            // Recorded as a problem of the embeddings, so that a later successful query does not clear it before they are rebuilt.
            *self.problem.lock() = Some(reason);
            self.give_up(space);
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
