//! The embeddings of a store, and the chunks nearest to a query.
//!
//! The embeddings are in a folder next to the catalog, with a subfolder for each model, and are derived from the catalog. Those of
//! the built-in model follow an edit at once, those of an encoder in the background. A search uses the best model whose
//! embeddings cover every chunk; until one does, it uses words only. Embeddings that are damaged, of another model or of another
//! format are quarantined and rebuilt. An encoder is combined with the built-in model, since their errors differ.

mod cache;
mod covering;
mod folder;
mod follow;
mod layer;
mod models;
mod part;
mod space;
mod text;
mod together;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use parking_lot::Mutex;
use recall_catalog::Catalog;
use recall_core::{Generation, Timestamp};

use crate::progress::Cancel;

use crate::embeddings::folder::Folder;
use crate::embeddings::layer::Layer;
use crate::embeddings::part::Pace;
pub(crate) use cache::EmbeddingCache;
pub(crate) use covering::{Covering, Near};
pub use models::Encoders;
pub(crate) use models::Models;
pub(crate) use part::{Embedded, Part, Reach};
pub(crate) use text::Texts;
pub(crate) use together::Nearness;

/// How often a waiting thread checks whether the embeddings are complete.
const LOOK_INTERVAL: Duration = Duration::from_millis(2);

/// The embeddings of a store by each model in use.
pub(crate) struct Semantic {
    folder: Arc<Folder>,
    /// The preferred model first, the instant one last.
    layers: ArcSwap<Vec<Arc<Layer>>>,
    /// Held while `layers` is replaced.
    changing: Mutex<()>,
}

impl Semantic {
    /// Opens or creates the embeddings in a folder. Without a model there are none.
    ///
    /// `generation` is the catalog's. Embeddings of a greater generation are quarantined: the catalog was rebuilt or has lost its
    /// last commits, and its rows are other chunks.
    pub(crate) fn open(dir: PathBuf, models: &Models, generation: Generation, now: Timestamp) -> Self {
        let semantic =
            Self { folder: Arc::new(Folder::new(dir, now)), layers: ArcSwap::default(), changing: Mutex::default() };
        semantic.use_models(models, generation);
        semantic
    }

    /// Replaces the models.
    ///
    /// The embeddings of a model that stays are kept. Those of a model that is no longer used are deleted, except that a former
    /// model answers until the chosen model's embeddings cover the store.
    pub(crate) fn use_models(&self, models: &Models, generation: Generation) {
        let _changing = self.changing.lock();
        let before = self.layers.load_full();
        let wanted = models.parts(|model| self.folder.has(model.embedder.fingerprint()));
        let stays = |layer: &Arc<Layer>| wanted.iter().any(|(model, _)| layer.is_by(model));
        for layer in before.iter().filter(|layer| !stays(layer)) {
            layer.close();
        }
        let layers = wanted.iter().map(|&(model, part)| match before.iter().find(|layer| layer.is_by(model)) {
            Some(layer) => {
                layer.take_part(part);
                Arc::clone(layer)
            }
            None => Arc::new(Layer::open(&self.folder, model, part, models.kept.clone(), generation)),
        });
        let layers: Vec<Arc<Layer>> = layers.collect();
        let fingerprints: Vec<_> = layers.iter().map(|layer| layer.fingerprint()).collect();
        self.layers.store(Arc::new(layers));
        self.folder.sweep(&fingerprints);
    }

    /// Quarantines the embeddings whose files another process has changed while they were open; they are rebuilt. Returns whether
    /// there were any.
    pub(crate) fn give_up_disturbed(&self) -> bool {
        self.layers.load().iter().filter(|layer| layer.give_up_disturbed()).count() > 0
    }

    /// Returns the embeddings that cover every chunk of a generation; `None` if there are none.
    pub(crate) fn covering(&self, generation: Generation) -> Option<Covering> {
        Covering::of(&self.layers.load(), generation)
    }

    /// Returns the name of the first model whose embeddings cover a generation.
    pub(crate) fn answering(&self, generation: Generation) -> Option<Arc<str>> {
        self.covering(generation)?.model()
    }

    /// Returns the progress of the embeddings by each model, for a generation of the catalog.
    pub(crate) fn embedded(&self, generation: Generation) -> Vec<Embedded> {
        self.layers.load().iter().map(|layer| layer.embedded(generation)).collect()
    }

    /// Returns the progress of the embeddings by the chosen model; `None` if none is chosen.
    pub(crate) fn chosen(&self, generation: Generation) -> Option<Embedded> {
        let layers = self.layers.load();
        let chosen = layers.iter().find(|layer| layer.part() == Part::Chosen);
        chosen.map(|layer| layer.embedded(generation))
    }

    /// Returns why embeddings are not used or cannot be updated.
    pub(crate) fn problems(&self) -> Vec<String> {
        let mut problems: Vec<String> = self.layers.load().iter().filter_map(|layer| layer.problem()).collect();
        problems.dedup();
        problems
    }

    /// Returns whether embeddings are being computed: there are models without problems, and none covers the generation yet.
    pub(crate) fn is_to_come(&self, generation: Generation) -> bool {
        let layers = self.layers.load();
        let is_fine = layers.iter().all(|layer| layer.problem().is_none());
        is_fine && !layers.is_empty() && self.covering(generation).is_none()
    }

    /// Updates the embeddings that follow at once to the catalog, within `reach`.
    ///
    /// Does nothing without a model, or while another thread updates them, which continues until they are complete. A failure is
    /// recorded, and retried by the next call.
    pub(crate) fn follow(&self, catalog: &Catalog, reach: Reach, cancel: &Cancel) {
        for layer in self.layers.load().iter() {
            match layer.part().pace() {
                Pace::AtOnce => layer.follow(catalog, reach, cancel),
                Pace::Patient => {}
            }
        }
    }

    /// Waits until the embeddings that follow at once cover a generation, at most for `patience`, and only if they have no problem.
    pub(crate) fn wait_for(&self, generation: Generation, patience: Duration) {
        let began = Instant::now();
        let awaited = |layer: &Arc<Layer>| layer.part().pace() == Pace::AtOnce && layer.problem().is_none();
        let is_awaited = || {
            let layers = self.layers.load();
            layers.iter().any(|layer| awaited(layer) && layer.covering(generation).is_none())
        };
        while is_awaited() && began.elapsed() < patience {
            std::thread::sleep(LOOK_INTERVAL);
        }
    }

    /// Returns whether embeddings that follow in the background do not cover a generation.
    pub(crate) fn is_behind(&self, generation: Generation) -> bool {
        self.layers.load().iter().any(|layer| layer.is_behind(generation))
    }

    /// Updates the embeddings that follow in the background to the catalog, with pauses for other work; then deletes those that the
    /// chosen model has replaced.
    pub(crate) fn follow_patiently(&self, catalog: &Catalog, cancel: &Cancel) {
        let layers = self.layers.load_full();
        // The former model first: it answers meanwhile, and few of its embeddings are missing.
        for layer in layers.iter().rev() {
            match layer.part() {
                Part::Former if layer.is_far_behind(catalog) => self.drop_layer(layer),
                Part::Former | Part::Chosen => layer.follow(catalog, Reach::Patient, cancel),
                Part::Instant => {}
            }
        }
        self.drop_replaced(catalog);
    }

    /// Waits until the embeddings match the catalog or fail to; does not wait for those by a former model.
    pub(crate) fn settle(&self, catalog: &Catalog, cancel: &Cancel) {
        for layer in self.layers.load_full().iter().filter(|layer| layer.part() != Part::Former) {
            layer.settle(catalog, cancel);
        }
        self.drop_replaced(catalog);
    }

    /// Deletes the embeddings by former models once those by the chosen one cover every chunk.
    fn drop_replaced(&self, catalog: &Catalog) {
        let Ok(generation) = catalog.generation() else { return };
        let layers = self.layers.load_full();
        let is_there = |layer: &&Arc<Layer>| layer.part() == Part::Chosen && layer.embedded(generation).is_whole;
        if layers.iter().any(|layer| is_there(&layer)) {
            for former in layers.iter().filter(|layer| layer.part() == Part::Former) {
                tracing::info!(model = %former.name(), "the embeddings of a former model are deleted");
                self.drop_layer(former);
            }
        }
    }

    /// Closes a layer and deletes its embeddings.
    fn drop_layer(&self, layer: &Arc<Layer>) {
        let _changing = self.changing.lock();
        let rest: Vec<_> = self.layers.load().iter().filter(|known| !Arc::ptr_eq(known, layer)).cloned().collect();
        layer.close();
        let fingerprints: Vec<_> = rest.iter().map(|layer| layer.fingerprint()).collect();
        self.layers.store(Arc::new(rest));
        self.folder.sweep(&fingerprints);
    }
}
