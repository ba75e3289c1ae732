//! Which chunks of a store lie near a query in meaning?
//!
//! A store's embeddings stand in a folder beside its catalog, one folder a model, and are derived from it: those of the built-in
//! model follow the catalog at once after an edit, those of an encoder in the background. A search asks those of the best
//! model that hold every chunk; until any do, words decide. What is damaged, of another model or of another format is set
//! aside and made again. An encoder is asked together with the built-in model, since they do not err alike.

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

/// How often it is looked whether the embeddings have caught up.
const LOOK_INTERVAL: Duration = Duration::from_millis(2);

/// The embeddings of a store by each model that has a part in it.
pub(crate) struct Semantic {
    folder: Arc<Folder>,
    /// The model that shall answer first, the one that answers at once last.
    layers: ArcSwap<Vec<Arc<Layer>>>,
    /// Held by whoever changes which layers there are.
    changing: Mutex<()>,
}

impl Semantic {
    /// Opens the embeddings in a folder, or begins them. Without a model there are none.
    ///
    /// They are never ahead of their catalog, which has that generation: those that are belong to one that was made anew or
    /// has lost its last commits, and its rows mean other chunks.
    pub(crate) fn open(dir: PathBuf, models: &Models, generation: Generation, now: Timestamp) -> Self {
        let semantic =
            Self { folder: Arc::new(Folder::new(dir, now)), layers: ArcSwap::default(), changing: Mutex::default() };
        semantic.use_models(models, generation);
        semantic
    }

    /// Has these models from now on.
    ///
    /// Embeddings by a model that stays stay as they are. Those by one that has no part any more are deleted, but while the
    /// chosen model's do not cover the store, those by the former one still answer.
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

    /// Sets aside the embeddings whose files somebody else has changed while they were open; they are made again. Returns whether
    /// there were any.
    pub(crate) fn give_up_disturbed(&self) -> bool {
        self.layers.load().iter().filter(|layer| layer.give_up_disturbed()).count() > 0
    }

    /// The embeddings that hold every chunk of a generation; `None` where none do.
    pub(crate) fn covering(&self, generation: Generation) -> Option<Covering> {
        Covering::of(&self.layers.load(), generation)
    }

    /// The model whose embeddings answer for a catalog of that generation.
    pub(crate) fn answering(&self, generation: Generation) -> Option<Arc<str>> {
        self.covering(generation)?.model()
    }

    /// How far the embeddings by each model are, for a catalog of that generation.
    pub(crate) fn embedded(&self, generation: Generation) -> Vec<Embedded> {
        self.layers.load().iter().map(|layer| layer.embedded(generation)).collect()
    }

    /// How far the embeddings by the chosen model are; `None` where none is chosen.
    pub(crate) fn chosen(&self, generation: Generation) -> Option<Embedded> {
        let layers = self.layers.load();
        let chosen = layers.iter().find(|layer| layer.part() == Part::Chosen);
        chosen.map(|layer| layer.embedded(generation))
    }

    /// Why embeddings are passed over, or do not follow.
    pub(crate) fn problems(&self) -> Vec<String> {
        let mut problems: Vec<String> = self.layers.load().iter().filter_map(|layer| layer.problem()).collect();
        problems.dedup();
        problems
    }

    /// Whether there is a model, and no embeddings yet that hold every chunk of a generation though nothing is wrong with any.
    pub(crate) fn is_to_come(&self, generation: Generation) -> bool {
        let layers = self.layers.load();
        let is_fine = layers.iter().all(|layer| layer.problem().is_none());
        is_fine && !layers.is_empty() && self.covering(generation).is_none()
    }

    /// Brings the embeddings that follow at once up to what the catalog holds, and after an edit those that answer while a
    /// chosen model is on its way.
    ///
    /// Does nothing without a model, and while another thread does it: that one goes on until it is through. What fails is
    /// noted, and tried again the next time.
    pub(crate) fn follow(&self, catalog: &Catalog, reach: Reach, cancel: &Cancel) {
        for layer in self.layers.load().iter() {
            match layer.part().pace() {
                Pace::AtOnce => layer.follow(catalog, reach, cancel),
                Pace::Patient => {}
            }
        }
    }

    /// Waits until embeddings that follow at once hold every chunk of a generation, at most that long, and only where they can
    /// be brought there.
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

    /// Whether embeddings that follow in the background are behind a catalog of that generation.
    pub(crate) fn is_behind(&self, generation: Generation) -> bool {
        self.layers.load().iter().any(|layer| layer.is_behind(generation))
    }

    /// Brings the embeddings that follow in the background up to what the catalog holds, leaving the processor to others now
    /// and then; then lets go of those that a chosen model has replaced.
    pub(crate) fn follow_patiently(&self, catalog: &Catalog, cancel: &Cancel) {
        let layers = self.layers.load_full();
        // The former model first: it answers meanwhile, and has little to do.
        for layer in layers.iter().rev() {
            match layer.part() {
                Part::Former if layer.is_far_behind(catalog) => self.let_go(layer),
                Part::Former | Part::Chosen => layer.follow(catalog, Reach::Patient, cancel),
                Part::Instant => {}
            }
        }
        self.let_go_of_replaced(catalog);
    }

    /// Waits until the embeddings are up to what the catalog holds, or cannot be brought there; not those by a former model.
    pub(crate) fn settle(&self, catalog: &Catalog, cancel: &Cancel) {
        for layer in self.layers.load_full().iter().filter(|layer| layer.part() != Part::Former) {
            layer.settle(catalog, cancel);
        }
        self.let_go_of_replaced(catalog);
    }

    /// Deletes the embeddings by former models once those by the chosen one hold every chunk.
    fn let_go_of_replaced(&self, catalog: &Catalog) {
        let Ok(generation) = catalog.generation() else { return };
        let layers = self.layers.load_full();
        let is_there = |layer: &&Arc<Layer>| layer.part() == Part::Chosen && layer.embedded(generation).is_whole;
        if layers.iter().any(|layer| is_there(&layer)) {
            for former in layers.iter().filter(|layer| layer.part() == Part::Former) {
                tracing::info!(model = %former.name(), "the embeddings of a former model are deleted");
                self.let_go(former);
            }
        }
    }

    fn let_go(&self, layer: &Arc<Layer>) {
        let _changing = self.changing.lock();
        let rest: Vec<_> = self.layers.load().iter().filter(|known| !Arc::ptr_eq(known, layer)).cloned().collect();
        layer.close();
        let fingerprints: Vec<_> = rest.iter().map(|layer| layer.fingerprint()).collect();
        self.layers.store(Arc::new(rest));
        self.folder.sweep(&fingerprints);
    }
}
