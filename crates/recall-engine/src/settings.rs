//! The settings of the engine and of stores.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use recall_chunk::CodeParser;
use recall_core::{
    CrossEncoder, DocumentType, Embedder, Freshness, LOW_CONFIDENCE, Limits, ReviewPolicy, SessionShare, Weights,
};
use recall_journal::Storage;
use recall_os::git::UserConfig;
use recall_shared::Guarded;
use recall_text::AGENT_FOLDERS;

use crate::ranking::{RankerUse, Rankers};

/// The folders of a user's stores.
#[derive(Clone, Debug)]
pub struct Places {
    /// The root of the global store.
    pub global_root: PathBuf,
    /// The folder that holds a folder for each store, by its root.
    pub stores: PathBuf,
    /// The user's home folder; refused as a project's root unless forced.
    pub home: Option<PathBuf>,
    /// The folder that `XDG_CONFIG_HOME` names, where git may keep the user's configuration; `None` for `.config` in the home
    /// folder.
    pub config_home: Option<PathBuf>,
    /// The folders of coding agents' files of this user, by the names of the agents; what is not here is not adopted.
    pub agents: BTreeMap<&'static str, PathBuf>,
    /// Roots outside the client's project that requests may read.
    pub allowed_roots: Vec<PathBuf>,
    /// The roots of the domains, by name. A domain's root has the scope of a domain also for clients that work in it.
    pub domains: BTreeMap<String, PathBuf>,
}

impl Places {
    /// Returns the folder of the marker files by which a watcher detects that it has seen every change. Each process has its own.
    pub(crate) fn markers(&self) -> PathBuf {
        self.stores.with_file_name("markers").join(std::process::id().to_string())
    }

    /// Returns the folder of the pasts of projects.
    pub(crate) fn past(&self) -> PathBuf {
        self.stores.with_file_name("past")
    }

    /// Returns where the user's configuration of git is.
    pub(crate) fn git(&self) -> UserConfig {
        UserConfig { home: self.home.clone(), config_home: self.config_home.clone() }
    }

    /// Returns the folder of the own logs and the confirmations, which cannot be derived.
    pub(crate) fn written_logs(&self) -> PathBuf {
        self.stores.with_file_name("written")
    }
}

/// The settings of the engine, which stay as they are while it runs. Those of a project are [`StoreSettings`].
#[derive(Clone)]
pub struct EngineSettings {
    /// The number of threads that read and parse files.
    pub ingest_threads: NonZero<usize>,
    /// The most open stores; the least recently used one is closed first.
    pub open_stores: NonZero<usize>,
    /// The most stores that a request reads besides those of its scope: of nested repositories and of other projects.
    pub stores_per_request: u32,
    /// How long the first search of a project waits for its first index.
    pub first_index_wait: Duration,
    /// After what time a search of a large project that is indexed for the first time answers from the files that most likely answer,
    /// once these are indexed.
    pub partial_after: Duration,
    /// How long a search waits for changed files to be indexed again, once the scan has found them, if they are many.
    pub ingest_wait: Duration,
    /// How long a search waits for the scan and the indexing of a few changed files.
    pub few_files_wait: Duration,
    /// How long the job or search that builds a store's first index, and a search without a hit, wait for embeddings.
    pub embedding_wait: Duration,
    /// The rankers.
    pub rankers: Rankers,
    /// The instant embedding model. Without it and without an encoder, ranking uses words only.
    pub model: Option<EmbeddingModel>,
    /// The cache of embeddings by encoders that all stores share; `None` for no cache.
    pub embedding_store: Option<EmbeddingStoreSettings>,
    /// Tells whether this machine runs on battery: encoders wait meanwhile. `None` to embed on battery too.
    pub on_battery: Option<OnBattery>,
    /// The use of a cross-encoder, if one is selected.
    pub rerank: RerankSettings,
    /// The use of a small cross-encoder before it, if one is selected.
    pub prerank: RerankSettings,
    /// The use of a language model, if one is selected.
    pub judge: JudgeSettings,
    /// The bounds of memory.
    pub memory: MemorySettings,
    /// The bounds of the pasts of projects.
    pub past: PastSettings,
    /// The bounds of questions about the origin of lines.
    pub why: WhySettings,
    /// Whether files are watched, in a long-running process; otherwise they are scanned before every search.
    pub watch: bool,
    /// Parses source code outside of this process; `None` to parse it on the threads that read the files.
    pub code_parser: Option<Arc<dyn CodeParser>>,
    /// The stores that a team shares.
    pub shared: Vec<Guarded>,
}

/// The bounds of the pasts of projects, which requests with `as_of` read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PastSettings {
    /// The most files of a past.
    pub files: u64,
    /// Their most bytes.
    pub bytes: u64,
    /// Larger files are left out.
    pub file_bytes: u64,
    /// How many pasts stay indexed.
    pub kept: usize,
}

impl Default for PastSettings {
    /// 20,000 files of 256 MiB, none above 16 MiB; four pasts.
    fn default() -> Self {
        const MIB: u64 = 1024 * 1024;
        Self { files: 20_000, bytes: 256 * MIB, file_bytes: 16 * MIB, kept: 4 }
    }
}

/// The bounds of a question about the origin of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WhySettings {
    /// The most lines that one answer explains.
    pub lines: u32,
    /// How long git may look for the commits that wrote them.
    pub wait: Duration,
    /// How long an edit waits for the commits of the lines that it replaces.
    pub edit_wait: Duration,
    /// How far back an edit looks for these commits; `None` for the whole history.
    pub edit_history: Option<Duration>,
    /// How long a search waits for the commit that removed a name; zero to ask for none. git looks for at most `wait`.
    pub removed_wait: Duration,
}

impl Default for WhySettings {
    /// 500 lines, five seconds; an edit waits a tenth of a second, a third of the time of a hook, and looks back for 180 days, which git
    /// does in that time in most repositories. A search for a name that is nowhere waits longer: its hits hardly answer.
    fn default() -> Self {
        Self {
            lines: 500,
            wait: Duration::from_secs(5),
            edit_wait: Duration::from_millis(100),
            edit_history: Some(Duration::from_hours(180 * 24)),
            removed_wait: Duration::from_millis(300),
        }
    }
}

/// Returns whether this machine runs on battery.
pub type OnBattery = Arc<dyn Fn() -> bool + Send + Sync>;

/// The bounds of the engine's memory.
#[derive(Clone)]
pub struct MemorySettings {
    /// The most that all index runs together may hold, in bytes.
    pub index_run_bytes: u64,
    /// The number of index runs that run at once; each has an equal share.
    pub index_runs_at_once: NonZero<usize>,
    /// Above this memory use, idle stores are closed, and index runs read one file at a time.
    pub ceiling_bytes: u64,
    /// Returns the current memory use of the process.
    pub used_bytes: Arc<dyn Fn() -> u64 + Send + Sync>,
}

impl Default for MemorySettings {
    /// 512 MiB, half of it for index runs, without a measurement of the process.
    fn default() -> Self {
        Self {
            index_run_bytes: 256 * 1024 * 1024,
            index_runs_at_once: INDEX_RUNS_AT_ONCE,
            ceiling_bytes: 512 * 1024 * 1024,
            used_bytes: Arc::new(|| 0),
        }
    }
}

/// How many of the first ranked chunks a small cross-encoder scores by default.
const PRERANK_CANDIDATES: NonZero<usize> = NonZero::new(100).expect("100 is not zero");

/// The use of a cross-encoder.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RerankSettings {
    /// How many of the first ranked chunks it scores.
    pub candidates: NonZero<usize>,
    /// How long a search waits for it; then the order is not changed.
    pub wait: Duration,
    /// The weight of its score, from 0 to 1; the previous score has the rest.
    pub weight: f64,
}

impl Default for RerankSettings {
    fn default() -> Self {
        Self { candidates: NonZero::new(30).expect("30 is not zero"), wait: Duration::from_secs(2), weight: 0.6 }
    }
}

/// The cache of embeddings, by model and text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmbeddingStoreSettings {
    /// The file of the cache, which all stores share.
    pub path: PathBuf,
    /// The size above which what was not used for longest is deleted.
    pub most_bytes: u64,
}

/// An embedding model with its name.
#[derive(Clone)]
pub struct EmbeddingModel {
    /// Its name, as a status and an answer show it.
    pub name: String,
    /// The model itself; equal fingerprints mean equal embeddings.
    pub embedder: Arc<dyn Embedder>,
}

/// A cross-encoder with its name.
#[derive(Clone)]
pub struct Reranker {
    /// Its name, as an answer shows it.
    pub name: String,
    /// The model itself, whose scores have a scale of their own.
    pub cross_encoder: Arc<dyn CrossEncoder>,
}

/// The use of a language model that scores the first hits, if one is selected.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JudgeSettings {
    /// How many of the first ranked chunks it scores.
    pub candidates: NonZero<usize>,
    /// How long a search waits for it; then the order is not changed.
    pub wait: Duration,
    /// The weight of its score, from 0 to 1; the previous score has the rest.
    pub weight: f64,
    /// The greatest distance between the scores of the first and the third chunk at which they count as close.
    pub close: f64,
}

impl Default for JudgeSettings {
    fn default() -> Self {
        let candidates = NonZero::new(10).expect("10 is not zero");
        Self { candidates, wait: Duration::from_secs(5), weight: 0.7, close: 0.1 }
    }
}

/// The default of [`EngineSettings::stores_per_request`]. A search takes about half a millisecond per store.
const STORES_PER_REQUEST: u32 = 64;

/// The default of [`MemorySettings::index_runs_at_once`].
const INDEX_RUNS_AT_ONCE: NonZero<usize> = NonZero::new(2).expect("2 is not zero");

/// The default of [`EngineSettings::open_stores`].
const OPEN_STORES: NonZero<usize> = NonZero::new(32).expect("32 is not zero");

impl EngineSettings {
    /// Returns the defaults with these rankers. The built-in ones are not read, since the training of new ones may use features
    /// that they do not have.
    pub fn ranked_by(rankers: Rankers) -> Self {
        Self {
            ingest_threads: std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN),
            open_stores: OPEN_STORES,
            stores_per_request: STORES_PER_REQUEST,
            first_index_wait: Duration::from_mins(1),
            partial_after: Duration::from_secs(1),
            ingest_wait: Duration::from_millis(250),
            few_files_wait: Duration::from_secs(2),
            embedding_wait: Duration::from_secs(1),
            rankers,
            model: None,
            embedding_store: None,
            on_battery: None,
            rerank: RerankSettings::default(),
            prerank: RerankSettings { candidates: PRERANK_CANDIDATES, ..RerankSettings::default() },
            judge: JudgeSettings::default(),
            memory: MemorySettings::default(),
            past: PastSettings::default(),
            why: WhySettings::default(),
            watch: false,
            code_parser: None,
            shared: Vec::new(),
        }
    }
}

impl Default for EngineSettings {
    fn default() -> Self {
        Self::ranked_by(Rankers::built_in())
    }
}

/// The settings of one store, from its project's configuration.
#[derive(Clone, Debug)]
pub struct StoreSettings {
    /// The bounds of requests, files and chunks.
    pub limits: Limits,
    /// Globs of the files that are indexed; empty for all.
    pub include: Vec<String>,
    /// Globs of the files that are not indexed.
    pub exclude: Vec<String>,
    /// Globs that set a document's type; the first match wins.
    pub types: Vec<(String, DocumentType)>,
    /// The most chunks of one document in an answer. A search uses the project's value for all its stores.
    pub chunks_per_document: usize,
    /// Weights for requests that have none. A search uses the project's for all its stores.
    pub weights: Weights,
    /// What orders candidates. A search uses the choice of its project for all its stores.
    pub ranker: RankerUse,
    /// Whether the project's own history orders its code, where it is better.
    pub learns_from_history: bool,
    /// The confidence below which an answer is doubtful. A search uses the project's value for all its stores.
    pub low_confidence: f64,
    /// The domains that the project sees, by name.
    pub domains: Vec<String>,
    /// What of the instructions and memories of other programs is adopted.
    pub adopt: AdoptSettings,
    /// Which transcripts of agents are read.
    pub transcripts: TranscriptSettings,
    /// Which sessions' summaries become files of the project.
    pub share: SessionShare,
    /// Whether the end of a session notes at its commits which lines it wrote.
    pub traces: bool,
    /// What a briefing shows.
    pub briefing: BriefingParts,
    /// What the age of an item says about it.
    pub freshness: Freshness,
    /// What happens to memories that arrive.
    pub review: ReviewPolicy,
    /// The problems of the configuration, for a person.
    pub warnings: Vec<String>,
    /// The files that the settings were read from, existing or not. If one of them changes, all are read again.
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
            ranker: RankerUse::BuiltIn,
            learns_from_history: true,
            low_confidence: LOW_CONFIDENCE,
            domains: Vec::new(),
            adopt: AdoptSettings::default(),
            transcripts: TranscriptSettings::default(),
            share: SessionShare::default(),
            traces: false,
            briefing: BriefingParts::default(),
            freshness: Freshness::default(),
            review: ReviewPolicy::default(),
            warnings: Vec::new(),
            files: Vec::new(),
        }
    }
}

/// What a briefing shows, besides what is known about the current work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BriefingParts {
    /// Whether it shows the profiles.
    pub profile: bool,
    /// Whether it shows the last sessions.
    pub history: bool,
    /// Whether it shows what they left open.
    pub tasks: bool,
}

impl Default for BriefingParts {
    fn default() -> Self {
        Self { profile: true, history: true, tasks: true }
    }
}

/// What of the instructions and memories of other programs is adopted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdoptSettings {
    /// Whether files with instructions for agents are indexed although git ignores them, and whether they are checked.
    pub instructions: bool,
    /// Whether the auto memory of a project is searched together with it.
    pub auto_memory: bool,
    /// The most files of the auto memory of a project that are indexed; the latest are.
    pub auto_memory_files: NonZero<usize>,
    /// The agents whose files in the user's home are searched together with the projects that they concern.
    pub home: Vec<String>,
}

impl Default for AdoptSettings {
    fn default() -> Self {
        let files = NonZero::new(1000).expect("1000 is not zero");
        let home = AGENT_FOLDERS.iter().map(|folder| folder.agent.to_owned()).collect();
        Self { instructions: true, auto_memory: true, auto_memory_files: files, home }
    }
}

/// Which transcripts of a project's agents are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TranscriptSettings {
    /// Whether they are read at all.
    pub read: bool,
    /// The most transcripts; the latest are read.
    pub files: NonZero<usize>,
    /// Transcripts that did not change for this long are not read.
    pub age: Duration,
    /// The most bytes of the files that one request reads.
    pub bytes: u64,
}

impl Default for TranscriptSettings {
    fn default() -> Self {
        let files = NonZero::new(200).expect("200 is not zero");
        Self { read: false, files, age: Duration::from_hours(90 * 24), bytes: 128 * 1024 * 1024 }
    }
}

/// Opens the journals in the folder at a plain path below a root: on disk, or in memory for tests.
pub type JournalSource = dyn Fn(&Path, &Path) -> Arc<dyn Storage> + Send + Sync;

/// Reads the settings of the store with that root.
pub type StoreSettingsSource = dyn Fn(&Path) -> StoreSettings + Send + Sync;
