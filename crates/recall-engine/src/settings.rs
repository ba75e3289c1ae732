//! Where do stores live, and what bounds them?

use std::collections::BTreeMap;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use recall_core::{CrossEncoder, DocumentType, Embedder, LOW_CONFIDENCE, Limits, Weights};
use recall_journal::Storage;

use crate::ranking::Rankers;

/// Where the stores of a user live.
#[derive(Clone, Debug)]
pub struct Places {
    /// The root of the global store.
    pub global_root: PathBuf,
    /// The folder that holds a folder for each store, by its root.
    pub stores: PathBuf,
    /// The user's home folder; refused as a project's root unless forced.
    pub home: Option<PathBuf>,
    /// Roots outside the client's project that requests may read.
    pub allowed_roots: Vec<PathBuf>,
    /// The roots of the domains, by their names. A root that is one is that domain's for whoever asks, also from within.
    pub domains: BTreeMap<String, PathBuf>,
}

impl Places {
    /// The folder of the files by which a watcher knows that it has seen everything, one folder a process.
    pub(crate) fn markers(&self) -> PathBuf {
        self.stores.with_file_name("markers").join(std::process::id().to_string())
    }

    /// The folder of what this user's recall wrote itself and of what this user confirmed; not derived.
    pub(crate) fn written(&self) -> PathBuf {
        self.stores.with_file_name("written")
    }
}

/// What bounds the engine as a whole.
#[derive(Clone)]
pub struct EngineSettings {
    /// How many threads read and parse while indexing.
    pub ingest_threads: NonZero<usize>,
    /// How many stores stay open; the least recently used one is closed first.
    pub open_stores: NonZero<usize>,
    /// How long the first search of a project that nobody indexed waits for its index.
    pub first_index_wait: Duration,
    /// How long a search waits for changed files to be indexed again, once the scan has found them.
    pub ingest_wait: Duration,
    /// How long whoever makes a store's first index, a job or a search, waits for its embeddings.
    pub embedding_wait: Duration,
    /// Who decides on the order of candidates where a store has no ranker of its own.
    pub rankers: Rankers,
    /// What tells how near texts are in meaning, at once; without one, and without an encoder, words alone decide.
    pub model: Option<EmbeddingModel>,
    /// Where embeddings by encoders are kept for all stores; `None` keeps them with each store alone.
    pub embedding_store: Option<EmbeddingStoreSettings>,
    /// How much a cross-encoder is asked, where one is used.
    pub rerank: RerankSettings,
    /// How much memory it may take.
    pub memory: MemorySettings,
    /// Whether changes of files are watched, for a process that lives long; else the files are scanned before every search.
    pub watch: bool,
}

/// How much memory the engine may take.
#[derive(Clone)]
pub struct MemorySettings {
    /// The most that all imports together may hold, in bytes.
    pub import_bytes: u64,
    /// How many imports run at once; each has an equal share.
    pub imports_at_once: NonZero<usize>,
    /// Above so many bytes idle stores are closed, and imports read one file at a time.
    pub ceiling_bytes: u64,
    /// How many bytes the process has of its own at this moment.
    pub used_bytes: Arc<dyn Fn() -> u64 + Send + Sync>,
}

impl Default for MemorySettings {
    /// 512 MiB, of which imports may take the half, in a process that nobody measures.
    fn default() -> Self {
        Self {
            import_bytes: 256 * 1024 * 1024,
            imports_at_once: IMPORTS_AT_ONCE,
            ceiling_bytes: 512 * 1024 * 1024,
            used_bytes: Arc::new(|| 0),
        }
    }
}

/// How much a cross-encoder is asked, and how much it counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RerankSettings {
    /// How many of the ranked chunks it reads, the first ones.
    pub candidates: NonZero<usize>,
    /// How long a search waits for it; then the order stays what it was.
    pub wait: Duration,
    /// How much of a score is its own, 0 to 1; the rest is what put the chunks in order before.
    pub weight: f64,
}

impl Default for RerankSettings {
    fn default() -> Self {
        Self { candidates: NonZero::new(30).expect("30 is not zero"), wait: Duration::from_secs(2), weight: 0.6 }
    }
}

/// Where embeddings are kept by model and text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmbeddingStoreSettings {
    /// The file.
    pub path: PathBuf,
    /// The most that it holds.
    pub most_bytes: u64,
}

/// A model that makes embeddings, and what it is called.
#[derive(Clone)]
pub struct EmbeddingModel {
    /// Its name, as a status and an answer tell it.
    pub name: String,
    /// The model.
    pub embedder: Arc<dyn Embedder>,
}

/// A model that reads a question and a text together, and what it is called.
#[derive(Clone)]
pub struct Reranker {
    /// Its name, as an answer tells it.
    pub name: String,
    /// The model.
    pub cross_encoder: Arc<dyn CrossEncoder>,
}

/// How many imports run at once by default.
const IMPORTS_AT_ONCE: NonZero<usize> = NonZero::new(2).expect("2 is not zero");

/// How many stores are open at once by default.
const OPEN_STORES: NonZero<usize> = NonZero::new(32).expect("32 is not zero");

impl EngineSettings {
    /// The defaults with other rankers than the built-in ones, which are not read: a recipe that makes new ones asks for
    /// features that they do not know.
    pub fn ranked_by(rankers: Rankers) -> Self {
        Self {
            ingest_threads: std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN),
            open_stores: OPEN_STORES,
            first_index_wait: Duration::from_mins(1),
            ingest_wait: Duration::from_millis(250),
            embedding_wait: Duration::from_secs(1),
            rankers,
            model: None,
            embedding_store: None,
            rerank: RerankSettings::default(),
            memory: MemorySettings::default(),
            watch: false,
        }
    }
}

impl Default for EngineSettings {
    fn default() -> Self {
        Self::ranked_by(Rankers::built_in())
    }
}

/// What bounds one store, from its project's configuration.
#[derive(Clone, Debug)]
pub struct StoreSettings {
    /// The bounds of requests, files and chunks.
    pub limits: Limits,
    /// Globs of what is indexed; empty for everything.
    pub include: Vec<String>,
    /// Globs of what is not indexed.
    pub exclude: Vec<String>,
    /// Globs that give a document's type; the first that matches decides.
    pub types: Vec<(String, DocumentType)>,
    /// How many chunks of one document a search shows at most; the project's decides for all stores of a search.
    pub chunks_per_document: usize,
    /// Weights for requests that give none; the project's decide for all stores of a search.
    pub weights: Weights,
    /// What puts candidates in order; the project's decides for all stores of a search.
    pub ranker: RankerChoice,
    /// Below which confidence an answer is doubtful; the project's decides for all stores of a search.
    pub low_confidence: f64,
    /// The domains that the project sees, by name. The project's decide for all stores of a request.
    pub domains: Vec<String>,
    /// What was wrong with the configuration, for a person.
    pub warnings: Vec<String>,
    /// The files that all this was read from, there or not. If one of them changes, all is read again.
    pub files: Vec<PathBuf>,
}

impl Default for StoreSettings {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            include: Vec::new(),
            exclude: Vec::new(),
            types: Vec::new(),
            chunks_per_document: 2,
            weights: Weights::default(),
            ranker: RankerChoice::BuiltIn,
            low_confidence: LOW_CONFIDENCE,
            domains: Vec::new(),
            warnings: Vec::new(),
            files: Vec::new(),
        }
    }
}

/// What puts the candidates of a store in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RankerChoice {
    /// The ranker for code in that file, learnt from the project's history, beside the built-in one for prose. Where there
    /// is no such file, or it cannot be used, the built-in rankers.
    Own(PathBuf),
    /// The built-in rankers.
    BuiltIn,
    /// None: the weighted fusion of the retrievers' ranks.
    Fusion,
}

/// Opens the journals in the folder at a plain path below a root: on disk, or in a test's memory.
pub type JournalSource = dyn Fn(&Path, &Path) -> Arc<dyn Storage> + Send + Sync;

/// Reads the settings of the store with that root.
pub type StoreSettingsSource = dyn Fn(&Path) -> StoreSettings + Send + Sync;
