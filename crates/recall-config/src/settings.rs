//! Everything that can be set, with its type and its default.

mod load;
mod models;

use std::collections::BTreeMap;
use std::num::NonZero;
use std::path::PathBuf;
use std::time::Duration;

pub use load::{Loaded, Origins};
pub use models::{ModelsSettings, ProxySetting};
use recall_core::{DocumentType, LOW_CONFIDENCE, Limits};

/// Everything that can be set. `Default` is what `default.toml` says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// The bounds of requests, files and queries.
    pub limits: Limits,
    /// What is indexed, and how.
    pub index: IndexSettings,
    /// How hits are chosen and ranked.
    pub search: SearchSettings,
    /// Installed models: where they come from, and how they are run.
    pub models: ModelsSettings,
    /// What may be read outside a project.
    pub roots: RootsSettings,
    /// The daemon's process.
    pub daemon: DaemonSettings,
    /// The command line, which calls the daemon.
    pub client: ClientSettings,
}

/// What is indexed, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexSettings {
    /// Globs of what is indexed, against paths below the root; empty for everything.
    pub include: Vec<String>,
    /// Globs of what is not indexed; they win over `include`.
    pub exclude: Vec<String>,
    /// Globs that give a document's type, longest first, equally long ones in bytewise order; the first that matches
    /// decides.
    pub types: Vec<(String, DocumentType)>,
    /// How many threads read and parse; `None` for one a core.
    pub threads: Option<NonZero<usize>>,
    /// How long the first search of a project that nobody indexed waits for its index.
    pub first_wait: Duration,
    /// How long a search waits for changed files to be indexed again, once they were found.
    pub wait: Duration,
    /// How long whoever makes a first index, a command or a search, waits for its embeddings.
    pub embedding_wait: Duration,
    /// How many runs index at once, edits of a few files aside; others wait in the order in which they came.
    pub at_once: NonZero<usize>,
}

impl Default for IndexSettings {
    fn default() -> Self {
        Self {
            include: Vec::new(),
            exclude: Vec::new(),
            types: Vec::new(),
            threads: None,
            first_wait: Duration::from_mins(1),
            wait: Duration::from_millis(250),
            embedding_wait: Duration::from_secs(1),
            at_once: non_zero(2),
        }
    }
}

/// How hits are chosen and ranked.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchSettings {
    /// How many chunks of one document a search shows at most.
    pub per_document: NonZero<usize>,
    /// The weight of BM25 for requests that give none; `None` for that of the query's class.
    pub bm25_weight: Option<f32>,
    /// What puts the candidates in order.
    pub ranker: RankerSetting,
    /// What tells how near texts are in meaning.
    pub model: ModelSetting,
    /// Below which confidence, 0 to 1, an answer says that probably nothing answers the question.
    pub low_confidence: f64,
    /// How many of the first candidates a cross-encoder rescores, where one is used.
    pub rerank_candidates: NonZero<usize>,
    /// How long a search waits for it; then the order stays what it was.
    pub rerank_wait: Duration,
    /// How much of a score is its own, 0 to 1.
    pub rerank_weight: f64,
    /// The domains that are searched beside the project, by their names in [`RootsSettings::domains`].
    pub domains: Vec<String>,
}

/// What puts the candidates of a search in order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RankerSetting {
    /// The project's own ranker where there is one, else the built-in ones.
    #[default]
    Auto,
    /// The built-in rankers.
    BuiltIn,
    /// No ranker: the weighted fusion of the retrievers' ranks.
    None,
}

impl RankerSetting {
    /// Every choice.
    pub const ALL: [Self; 3] = [Self::Auto, Self::BuiltIn, Self::None];

    /// The choice's name, as the configuration writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::BuiltIn => "built-in",
            Self::None => "none",
        }
    }

    /// The choice of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|choice| choice.as_str() == name)
    }
}

/// What tells how near texts are in meaning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ModelSetting {
    /// Nothing: words alone decide.
    None,
    /// The built-in static model.
    #[default]
    Static,
}

impl ModelSetting {
    /// Every choice.
    pub const ALL: [Self; 2] = [Self::None, Self::Static];

    /// The choice's name, as the configuration writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Static => "static",
        }
    }

    /// The choice of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|choice| choice.as_str() == name)
    }
}

impl Default for SearchSettings {
    fn default() -> Self {
        Self {
            per_document: non_zero(2),
            bm25_weight: None,
            ranker: RankerSetting::Auto,
            model: ModelSetting::Static,
            low_confidence: LOW_CONFIDENCE,
            rerank_candidates: non_zero(30),
            rerank_wait: Duration::from_secs(2),
            rerank_weight: 0.6,
            domains: Vec::new(),
        }
    }
}

/// What may be read outside a project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RootsSettings {
    /// Absolute paths of folders that requests of any project may read.
    pub allowed: Vec<PathBuf>,
    /// The folders of the domains, by their names.
    pub domains: BTreeMap<String, PathBuf>,
}

/// The daemon's process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DaemonSettings {
    /// How long a daemon that a client started stays without a client; `None` for ever.
    pub idle_exit: Option<Duration>,
    /// How long requests may go on after the daemon was told to end.
    pub drain: Duration,
    /// The longest that one request may take; indexing, which streams its progress, is not bounded.
    pub request_timeout: Duration,
    /// The most memory of its own that the daemon keeps; what does not fit waits, and idle stores are closed for it.
    pub memory_ceiling_bytes: u64,
    /// The largest message that is taken from a client.
    pub max_message_bytes: u64,
    /// The most that the unread answers of one connection take.
    pub unread_bytes: u64,
    /// How many stores stay open; the least recently used one is closed first.
    pub max_open_stores: NonZero<usize>,
    /// How many clients may be connected at once; the one that has been idle longest makes room for one more.
    pub max_connections: NonZero<usize>,
    /// How long a connection may take until its first call.
    pub handshake_timeout: Duration,
    /// How often the daemon looks whether its socket and its locks are still in place.
    pub socket_check: Duration,
    /// What is logged.
    pub log_level: LogLevel,
    /// The size at which a log file is put aside and a new one begun.
    pub log_file_bytes: u64,
    /// How many log files are kept, the current one included.
    pub log_files: NonZero<usize>,
}

impl Default for DaemonSettings {
    fn default() -> Self {
        Self {
            idle_exit: Some(Duration::from_hours(3)),
            drain: Duration::from_secs(5),
            request_timeout: Duration::from_secs(30),
            memory_ceiling_bytes: 512 * 1024 * 1024,
            max_message_bytes: 8 * 1024 * 1024,
            unread_bytes: 2 * 1024 * 1024,
            max_open_stores: non_zero(32),
            max_connections: non_zero(512),
            handshake_timeout: Duration::from_secs(5),
            socket_check: Duration::from_secs(1),
            log_level: LogLevel::Info,
            log_file_bytes: 1024 * 1024,
            log_files: non_zero(5),
        }
    }
}

/// The command line, which calls the daemon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientSettings {
    /// How long a command waits for a daemon that it started.
    pub start_timeout: Duration,
}

impl Default for ClientSettings {
    fn default() -> Self {
        Self { start_timeout: Duration::from_secs(5) }
    }
}

/// The least serious events that are logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LogLevel {
    /// Something failed.
    Error,
    /// Something is not as it should be.
    Warn,
    /// Starts, ends, what was indexed.
    Info,
    /// Requests and their times.
    Debug,
    /// Everything; the only level at which the text of queries may appear.
    Trace,
}

impl LogLevel {
    /// Every level, the gravest first.
    pub const ALL: [Self; 5] = [Self::Error, Self::Warn, Self::Info, Self::Debug, Self::Trace];

    /// The level's name, as the configuration writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warn => "warn",
            Self::Info => "info",
            Self::Debug => "debug",
            Self::Trace => "trace",
        }
    }

    /// The level of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.as_str() == name)
    }
}

fn non_zero(number: usize) -> NonZero<usize> {
    NonZero::new(number).expect("the defaults are not zero")
}
