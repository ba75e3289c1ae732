//! Which chunks of a store lie near a query in meaning?
//!
//! A store's embeddings stand in a folder beside its catalog and are derived from it: they follow the catalog, at once after
//! an edit and in the background after an import, and until they have caught up no search asks them. What is damaged, of
//! another model or of another format is set aside and made again.

mod follow;
mod text;

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use arc_swap::ArcSwapOption;
use parking_lot::Mutex;
use recall_core::{
    ChunkRow, Embedder, Embedding, Generation, ModelError, NearestError, Neighbour, RowFilter, RowSet, Timestamp,
    VectorIndex as _,
};
use recall_vector::{Model, OpenError, Settings, Vectors};

use crate::settings::EmbeddingModel;

use follow::Following;
pub(crate) use follow::Reach;

/// How long a search waits for the embedding of its query; then it is answered by words alone.
const QUERY_PATIENCE: Duration = Duration::from_millis(200);

/// How often it is looked whether the embeddings have caught up.
const LOOK_INTERVAL: Duration = Duration::from_millis(2);

/// The embeddings of a store, if there is a model and nothing stands in the way.
pub(crate) struct Semantic {
    model: Option<EmbeddingModel>,
    dir: PathBuf,
    /// What is set aside gets its name from it: when the store was opened, and how often something was set aside since.
    aside: Mutex<i64>,
    open: ArcSwapOption<Space>,
    /// Held by whoever brings the embeddings up to the catalog.
    following: Mutex<Following>,
    /// Why there are none, or why they do not follow.
    problem: Mutex<Option<String>>,
}

/// Embeddings by one model, and the model.
pub(crate) struct Space {
    embedder: Arc<dyn Embedder>,
    vectors: Vectors,
    /// While it is held, no other process changes the files.
    _lock: File,
}

/// A query in a space, and what lies near it.
pub(crate) struct Near {
    space: Arc<Space>,
    query: Embedding,
    /// The greatest cosine first.
    pub(crate) neighbours: Vec<Neighbour>,
}

/// How far the embeddings of a store are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Embedded {
    /// Chunks with an embedding.
    pub(crate) chunks: u64,
    /// Whether that is every chunk that the catalog holds.
    pub(crate) is_whole: bool,
}

impl Semantic {
    /// Opens the embeddings in a folder, or begins them. Without a model there are none.
    ///
    /// They are never ahead of their catalog, which has that generation: those that are belong to one that was made anew or
    /// has lost its last commits, and its rows mean other chunks.
    pub(crate) fn open(dir: PathBuf, model: Option<EmbeddingModel>, generation: Generation, now: Timestamp) -> Self {
        let semantic = Self {
            model,
            dir,
            aside: Mutex::new(now.as_millis()),
            open: ArcSwapOption::empty(),
            following: Mutex::default(),
            problem: Mutex::default(),
        };
        let space = semantic.open_space();
        if space.is_some_and(|space| space.vectors.generation() > generation) {
            if let Some(space) = semantic.open.load_full() {
                semantic.give_up(&space);
            }
            semantic.open_space();
        }
        semantic
    }

    /// The space, where it holds every chunk of a generation.
    pub(crate) fn covering(&self, generation: Generation) -> Option<Arc<Space>> {
        self.open.load_full().filter(|space| space.vectors.generation() >= generation)
    }

    /// Waits until the space holds every chunk of a generation, at most that long, and only where it can be brought there.
    pub(crate) fn wait_for(&self, generation: Generation, patience: Duration) {
        let began = Instant::now();
        let is_awaited = || self.model.is_some() && self.problem().is_none() && self.covering(generation).is_none();
        while is_awaited() && began.elapsed() < patience {
            std::thread::sleep(LOOK_INTERVAL);
        }
    }

    /// Finds what lies near a query; `None` where the model did not answer, or the embeddings cannot be read. Damaged ones
    /// are made again by the next [`follow`](Self::follow).
    pub(crate) fn near(&self, space: &Arc<Space>, query: &str, allowed: Option<&RowSet>, count: usize) -> Option<Near> {
        match space.near(query, allowed, count) {
            Ok((query, neighbours)) => Some(Near { space: Arc::clone(space), query, neighbours }),
            Err(error) => {
                self.note(&error);
                if let NearError::Nearest(NearestError::Damaged { .. }) = error {
                    self.give_up(space);
                }
                None
            }
        }
    }

    /// What the model is called, where there is one.
    pub(crate) fn model_name(&self) -> Option<&str> {
        self.model.as_ref().map(|model| &*model.name)
    }

    /// The model's name, and how far the embeddings are for a catalog of that generation; `None` without a model.
    pub(crate) fn embedded(&self, generation: Generation) -> Option<(&str, Embedded)> {
        let name = self.model_name()?;
        let embedded = self.open.load_full().map_or(Embedded { chunks: 0, is_whole: false }, |space| Embedded {
            chunks: space.vectors.len() as u64,
            is_whole: space.vectors.generation() >= generation,
        });
        Some((name, embedded))
    }

    /// Why there are none, or why they do not follow.
    pub(crate) fn problem(&self) -> Option<String> {
        self.problem.lock().clone()
    }

    /// Opens the space. What cannot be used is set aside and begun again.
    fn open_space(&self) -> Option<Arc<Space>> {
        if let Some(space) = self.open.load_full() {
            return Some(space);
        }
        let model = self.model.as_ref()?;
        match Space::open(&self.dir, &model.embedder, &self.aside) {
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

    /// Sets the embeddings of a space aside, unless somebody else has; whoever opens them next begins again.
    ///
    /// Opening them alone would not do: of a large file it verifies the head, and finds nothing wrong.
    fn give_up(&self, space: &Arc<Space>) {
        let before = self.open.compare_and_swap(&Some(Arc::clone(space)), None);
        let is_first = before.as_ref().is_some_and(|before| Arc::ptr_eq(before, space));
        if is_first && let Err(error) = Space::set_aside(&self.dir, &self.aside) {
            self.note(&error);
        }
    }

    fn note(&self, error: &dyn std::error::Error) {
        let reason = crate::freshness::reason_of(error);
        tracing::warn!(dir = %self.dir.display(), reason, "embeddings are passed over");
        *self.problem.lock() = Some(reason);
    }
}

impl Space {
    fn open(dir: &Path, embedder: &Arc<dyn Embedder>, aside: &Mutex<i64>) -> Result<Self, SpaceError> {
        let lock = lock(dir)?;
        let model = Model { fingerprint: embedder.fingerprint(), dimensions: embedder.dimensions() };
        let vectors = match Vectors::open(dir, model, Settings::default()) {
            Err(error @ (OpenError::Damaged { .. } | OpenError::OtherModel { .. } | OpenError::Outdated { .. })) => {
                tracing::warn!(%error, "the embeddings are set aside and made again");
                Self::set_aside(dir, aside)?;
                Vectors::open(dir, model, Settings::default())?
            }
            opened => opened?,
        };
        Ok(Self { embedder: Arc::clone(embedder), vectors, _lock: lock })
    }

    fn set_aside(dir: &Path, aside: &Mutex<i64>) -> Result<(), SpaceError> {
        let mut name = aside.lock();
        *name += 1;
        let failed = |source| SpaceError::SetAside { path: dir.to_owned(), source };
        recall_vector::set_aside(dir, &name.to_string()).map(drop).map_err(failed)
    }

    fn near(
        &self,
        query: &str,
        allowed: Option<&RowSet>,
        count: usize,
    ) -> Result<(Embedding, Vec<Neighbour>), NearError> {
        let query = self.embedder.embed_query(query, Some(Instant::now() + QUERY_PATIENCE))?;
        match self.vectors.nearest(&query, allowed.map_or(RowFilter::All, RowFilter::Only), count) {
            // A query without a word that the model knows lies near nothing.
            Err(NearestError::NoDirection) => Ok((query, Vec::new())),
            found => Ok((query, found?)),
        }
    }
}

impl Near {
    /// The cosine of the query to each chunk, in their order; `None` for a chunk without an embedding.
    pub(crate) fn cosines(&self, rows: &[ChunkRow]) -> Vec<Option<f32>> {
        // What can fail has just succeeded: the files were verified, and the query has a direction or none is asked for.
        self.space.vectors.cosines(&self.query, rows).unwrap_or_else(|_| vec![None; rows.len()])
    }
}

/// Takes the right to change the files of a folder, which is beside it, so that it outlives what is set aside.
fn lock(dir: &Path) -> Result<File, SpaceError> {
    let path = dir.with_extension("lock");
    let failed = |source| SpaceError::Lock { path: path.clone(), source };
    let file = File::options().create(true).truncate(false).write(true).open(&path).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(SpaceError::Taken),
        Err(TryLockError::Error(source)) => Err(failed(source)),
    }
}

/// There are no embeddings to ask.
#[derive(Debug, thiserror::Error)]
enum SpaceError {
    #[error("another process has the embeddings of this store open")]
    Taken,
    #[error("cannot lock `{}`", path.display())]
    Lock { path: PathBuf, source: std::io::Error },
    #[error("cannot set `{}` aside", path.display())]
    SetAside { path: PathBuf, source: std::io::Error },
    #[error(transparent)]
    Open(#[from] OpenError),
}

/// The embeddings were not asked.
#[derive(Debug, thiserror::Error)]
enum NearError {
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error(transparent)]
    Nearest(#[from] NearestError),
}
