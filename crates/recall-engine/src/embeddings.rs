//! The embeddings of a store, and the chunks nearest to a query.
//!
//! The embeddings are in a folder next to the catalog, with a subfolder for each model, and are derived from the catalog. Those of
//! the built-in model follow an edit at once, those of an encoder in the background. A search uses the best model whose
//! embeddings cover every chunk; until one does, it uses words only. Embeddings that are damaged, of another model or of another
//! format are quarantined and rebuilt. An encoder is combined with the built-in model, since their errors differ.
//!
//! An answer never mixes chunks with and without embeddings, so a new text never ranks lower for lack of one (ADR 13). Where an encoder
//! has embedded a part, the built-in model speaks for the rest (ADR 68). Cosines of two models do not compare, so a search over several stores uses models that cover all of them.
//! Begin with `models`, `follow` and `answering_models`.

mod answering_models;
mod cache;
mod conversion;
mod folder;
mod follow;
mod model_index;
mod model_vectors;
mod models;
mod text;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use parking_lot::Mutex;
use recall_core::{Embedding, Generation, Timestamp};
use recall_index::catalog::Catalog;

use crate::index_runs::Cancel;

use crate::embeddings::folder::EmbeddingsFolder;
use crate::embeddings::model_index::ModelIndex;
pub(crate) use answering_models::{AnsweringModels, Near, Nearness};
pub(crate) use cache::EmbeddingCache;
pub use models::Encoders;
use models::UpdateMode;
pub(crate) use models::{Embedded, ModelRole, Models, UpdateExtent};
pub(crate) use text::ChunkTexts;

/// How often a waiting thread checks whether the embeddings are complete.
const POLL_INTERVAL: Duration = Duration::from_millis(2);

/// The embeddings of a store by each model in use.
pub(crate) struct Embeddings {
    folder: Arc<EmbeddingsFolder>,
    /// The preferred model first, the built-in one last.
    indexes: ArcSwap<Vec<Arc<ModelIndex>>>,
    /// Held while `indexes` is replaced.
    changing: Mutex<()>,
    /// Whether a thread waits to ask a model again.
    is_retried: AtomicBool,
}

impl Embeddings {
    /// Opens or creates the embeddings in a folder. Without a model there are none.
    ///
    /// `generation` is the catalog's. Embeddings of a greater generation are quarantined: the catalog was rebuilt or has lost its
    /// last commits, and its rows are other chunks.
    pub(crate) fn open(dir: PathBuf, models: &Models, generation: Generation, now: Timestamp) -> Self {
        let embeddings = Self {
            folder: Arc::new(EmbeddingsFolder::new(dir, now)),
            indexes: ArcSwap::default(),
            changing: Mutex::default(),
            is_retried: AtomicBool::new(false),
        };
        embeddings.use_models(models, generation);
        embeddings
    }

    /// Creates the same embeddings in another folder. Both share the files that are never written again.
    ///
    /// A file that is replaced meanwhile is missing there; the embeddings that it had are added again.
    pub(crate) fn fork(&self, target: &Path) -> io::Result<()> {
        self.folder.fork(target)
    }

    /// Replaces the models.
    ///
    /// Keeps the embeddings of models that stay in use, and deletes those of the others. The previous model's embeddings are deleted
    /// later, when the selected model's cover the store.
    pub(crate) fn use_models(&self, models: &Models, generation: Generation) {
        let _changing = self.changing.lock();
        let before = self.indexes.load_full();
        let wanted = models.roles(|model| self.folder.has(model.embedder.fingerprint()));
        let stays = |index: &Arc<ModelIndex>| wanted.iter().any(|(model, _)| index.is_by(model));
        for index in before.iter().filter(|index| !stays(index)) {
            index.close();
        }
        let indexes = wanted.iter().map(|&(model, role)| match before.iter().find(|index| index.is_by(model)) {
            Some(index) => {
                index.set_role(role);
                Arc::clone(index)
            }
            None => Arc::new(ModelIndex::open(&self.folder, model, role, models, generation)),
        });
        let indexes: Vec<Arc<ModelIndex>> = indexes.collect();
        let fingerprints: Vec<_> = indexes.iter().map(|index| index.fingerprint()).collect();
        self.indexes.store(Arc::new(indexes));
        self.folder.sweep(&fingerprints);
    }

    /// Quarantines the embeddings whose files another process has changed while they were open; they are rebuilt. Returns whether
    /// there were any.
    pub(crate) fn quarantine_disturbed(&self) -> bool {
        self.indexes.load().iter().filter(|index| index.quarantine_disturbed()).count() > 0
    }

    /// Returns the embeddings that answer for every chunk of a generation; `None` if there are none.
    pub(crate) fn answering_models(&self, generation: Generation) -> Option<AnsweringModels> {
        AnsweringModels::new(&self.indexes.load(), generation)
    }

    /// Returns the cosines of a text to others by the built-in model; `None` without one.
    pub(crate) fn nearness(&self, text: &str, others: &[&str]) -> Option<Vec<f64>> {
        let indexes = self.indexes.load();
        let built_in = indexes.iter().find(|index| index.role() == ModelRole::BuiltIn)?;
        let texts: Vec<&str> = [text].into_iter().chain(others.iter().copied()).collect();
        let embeddings = built_in.embed(&texts)?;
        let (first, others) = embeddings.split_first()?;
        let cosine = |other: &Embedding| f64::from(first.iter().zip(other).map(|(a, b)| a * b).sum::<f32>());
        Some(others.iter().map(cosine).collect())
    }

    /// Returns the name of the best model whose embeddings answer for a generation.
    pub(crate) fn answering(&self, generation: Generation) -> Option<Arc<str>> {
        self.answering_models(generation)?.model()
    }

    /// Returns the progress of the embeddings by each model, for a generation of the catalog.
    pub(crate) fn embedded_chunks(&self, generation: Generation) -> Vec<Embedded> {
        self.indexes.load().iter().map(|index| index.embedded_chunks(generation)).collect()
    }

    /// Returns the progress of the embeddings by the selected model; `None` if none is selected.
    pub(crate) fn selected_model(&self, generation: Generation) -> Option<Embedded> {
        let indexes = self.indexes.load();
        let selected = indexes.iter().find(|index| index.role() == ModelRole::Selected);
        selected.map(|index| index.embedded_chunks(generation))
    }

    /// Begins to load the models that answer, so that the first question of a session need not do without them. Does not wait.
    pub(crate) fn prepare(&self) {
        let indexes = self.indexes.load_full();
        // A vocabulary takes up to a second to read.
        std::thread::spawn(move || indexes.iter().for_each(|index| index.prepare()));
    }

    /// Returns why embeddings are not used or cannot be updated.
    pub(crate) fn problems(&self) -> Vec<String> {
        let mut problems: Vec<String> = self.indexes.load().iter().filter_map(|index| index.problem()).collect();
        problems.dedup();
        problems
    }

    /// Returns whether embeddings are being computed: there are models without problems, and none covers the generation yet.
    pub(crate) fn is_to_come(&self, generation: Generation) -> bool {
        let indexes = self.indexes.load();
        let is_fine = indexes.iter().all(|index| index.problem().is_none());
        is_fine && !indexes.is_empty() && self.answering_models(generation).is_none()
    }

    /// Updates the embeddings that follow at once to the catalog, within `extent`.
    ///
    /// Returns at once without a model or if another thread is already updating; that thread finishes the work. A failure is
    /// recorded, and retried by the next call.
    pub(crate) fn follow(&self, catalog: &Catalog, extent: UpdateExtent, cancel: &Cancel) {
        for index in self.indexes.load().iter() {
            match index.role().update_mode() {
                UpdateMode::Inline => index.follow(catalog, extent, cancel),
                UpdateMode::Background => {}
            }
        }
    }

    /// Waits until the embeddings that follow at once cover a generation, at most for `patience`, and only if they have no problem.
    pub(crate) fn wait_for(&self, generation: Generation, patience: Duration) {
        let began = Instant::now();
        let awaited =
            |index: &Arc<ModelIndex>| index.role().update_mode() == UpdateMode::Inline && index.problem().is_none();
        let is_awaited = || {
            let indexes = self.indexes.load();
            indexes.iter().any(|index| awaited(index) && index.complete_vectors(generation).is_none())
        };
        while is_awaited() && began.elapsed() < patience {
            std::thread::sleep(POLL_INTERVAL);
        }
    }

    /// Returns whether embeddings that follow in the background do not cover a generation.
    pub(crate) fn is_behind(&self, generation: Generation) -> bool {
        self.indexes.load().iter().any(|index| index.is_behind(generation))
    }

    /// Updates the embeddings that follow in the background to the catalog, with pauses for other work; then deletes those that the
    /// selected model has replaced.
    pub(crate) fn follow_in_background(&self, catalog: &Catalog, cancel: &Cancel) {
        let indexes = self.indexes.load_full();
        // The previous model first: it answers meanwhile, and few of its embeddings are missing.
        for index in indexes.iter().rev() {
            match index.role() {
                ModelRole::Previous if index.is_far_behind(catalog) => self.drop_index(index),
                ModelRole::Previous | ModelRole::Selected => {
                    index.follow(catalog, UpdateExtent::CompleteWithPauses, cancel);
                }
                ModelRole::BuiltIn => {}
            }
        }
        self.drop_replaced(catalog);
    }

    /// Returns whether a remote model failed to embed, or an encoder waits for power, and should be asked again later.
    pub(crate) fn awaits_retry(&self) -> bool {
        self.indexes.load().iter().any(|index| index.awaits_retry())
    }

    /// Returns whether an encoder waits because this machine runs on battery.
    pub(crate) fn awaits_power(&self) -> bool {
        self.indexes.load().iter().any(|index| index.awaits_power())
    }

    /// Begins to wait for a model; returns whether no other thread does.
    pub(crate) fn begin_retry(&self) -> bool {
        !self.is_retried.swap(true, Ordering::SeqCst)
    }

    /// Ends waiting for a model.
    pub(crate) fn end_retry(&self) {
        self.is_retried.store(false, Ordering::SeqCst);
    }

    /// Waits until the embeddings match the catalog or fail to; does not wait for those by a previous model.
    pub(crate) fn settle(&self, catalog: &Catalog, cancel: &Cancel) {
        for index in self.indexes.load_full().iter().filter(|index| index.role() != ModelRole::Previous) {
            index.settle(catalog, cancel);
        }
        self.drop_replaced(catalog);
    }

    /// Deletes the embeddings by previous models once those by the selected one cover every chunk.
    fn drop_replaced(&self, catalog: &Catalog) {
        let Ok(generation) = catalog.generation() else { return };
        let indexes = self.indexes.load_full();
        let is_there = |index: &&Arc<ModelIndex>| {
            index.role() == ModelRole::Selected && index.embedded_chunks(generation).is_whole
        };
        if indexes.iter().any(|index| is_there(&index)) {
            for previous in indexes.iter().filter(|index| index.role() == ModelRole::Previous) {
                tracing::info!(model = %previous.name(), "the embeddings of a former model are deleted");
                self.drop_index(previous);
            }
        }
    }

    /// Closes an index and deletes its embeddings.
    fn drop_index(&self, index: &Arc<ModelIndex>) {
        let _changing = self.changing.lock();
        let rest: Vec<_> = self.indexes.load().iter().filter(|known| !Arc::ptr_eq(known, index)).cloned().collect();
        index.close();
        let fingerprints: Vec<_> = rest.iter().map(|index| index.fingerprint()).collect();
        self.indexes.store(Arc::new(rest));
        self.folder.sweep(&fingerprints);
    }
}
