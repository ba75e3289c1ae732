//! All settings, with their types and defaults.
//!
//! Each section is a struct with typed fields: a value that is there is valid, and no other crate reads TOML. The defaults are in the
//! code, and a test compares them with `default.toml`, which people read.

mod freshness;
mod hooks;
mod load;
mod load_sessions;
mod models;
mod remote;
mod sessions;
mod stores;

use std::collections::BTreeMap;
use std::num::NonZero;
use std::path::PathBuf;
use std::time::Duration;

pub use hooks::HookSettings;
pub use load::Loaded;
pub use models::{ModelsSettings, ProxySetting};
use recall_core::{DocumentType, Freshness, LOW_CONFIDENCE, Limits, Scope};
pub use remote::RemoteSettings;
pub use sessions::{BriefingSettings, CaptureSettings, SessionSettings};
pub use stores::{ReadFrom, SpreadConfig, StoreConfig, StoreKind};

/// All settings. The `Default` values are those of `default.toml`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// Limits for requests, files and queries.
    pub limits: Limits,
    /// What is indexed, and how.
    pub index: IndexSettings,
    /// How hits are selected and ranked.
    pub search: SearchSettings,
    /// What the age of an item says about it.
    pub freshness: Freshness,
    /// What is adopted of the instructions and memories of other programs.
    pub adopt: AdoptSettings,
    /// The sources of models, and how they are run.
    pub models: ModelsSettings,
    /// Where remote models are, and how they are asked.
    pub remote: RemoteSettings,
    /// What may be read outside a project.
    pub roots: RootsSettings,
    /// How the daemon runs and when it ends.
    pub daemon: DaemonSettings,
    /// The page in a browser.
    pub page: PageSettings,
    /// The clients: the command and the MCP server.
    pub client: ClientSettings,
    /// How much the MCP server reads and answers at once.
    pub mcp: McpSettings,
    /// What `recall hook` tells an agent, and what it records.
    pub hooks: HookSettings,
    /// What a briefing shows.
    pub briefing: BriefingSettings,
    /// What hooks record of a session.
    pub capture: CaptureSettings,
    /// What happens to the records of sessions.
    pub sessions: SessionSettings,
    /// The launch of agents.
    pub launch: LaunchSettings,
    /// The loop that works on a list of tasks.
    pub task_loop: LoopSettings,
    /// The stores that a team shares, by name.
    pub stores: BTreeMap<String, StoreConfig>,
}

/// What is indexed, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexSettings {
    /// Globs of the files to index, relative to the root; if empty, all files.
    pub include: Vec<String>,
    /// Globs of files not to index. They take precedence over `include`.
    pub exclude: Vec<String>,
    /// Globs with the type of matching documents, the longest first and equally long ones in bytewise order. The first
    /// match decides.
    pub types: Vec<(String, DocumentType)>,
    /// The number of threads that read and parse; `None` for one per core.
    pub threads: Option<NonZero<usize>>,
    /// How long the first search in an unindexed project waits for its index.
    pub first_wait: Duration,
    /// How long a search waits for changed files to be reindexed, if they are many.
    pub wait: Duration,
    /// How long a search waits for the scan and the reindexing of a few changed files.
    pub few_files_wait: Duration,
    /// How long the command or search that creates an index waits for its embeddings.
    pub embedding_wait: Duration,
    /// The number of simultaneous indexing runs, not counting edits of a few files. Further runs wait in order of
    /// arrival.
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
            few_files_wait: Duration::from_secs(2),
            embedding_wait: Duration::from_secs(1),
            at_once: non_zero(2),
        }
    }
}

/// How hits are selected and ranked.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchSettings {
    /// The maximum number of chunks of one document among the hits.
    pub per_document: NonZero<usize>,
    /// The BM25 weight for requests without one; `None` for that of the query's class.
    pub bm25_weight: Option<f32>,
    /// How candidates are ranked.
    pub ranker: RankerSetting,
    /// Which built-in model provides semantic search.
    pub model: ModelSetting,
    /// The confidence, from 0 to 1, below which an answer is marked as doubtful.
    pub low_confidence: f64,
    /// Whether agents may search other projects.
    pub agents_everywhere: bool,
    /// The number of first candidates that a cross-encoder rescores, if one is in use.
    pub rerank_candidates: NonZero<usize>,
    /// The number of first candidates that a small cross-encoder rescores before it, if one is in use.
    pub prerank_candidates: NonZero<usize>,
    /// How long a search waits for a cross-encoder before it keeps the previous order.
    pub rerank_wait: Duration,
    /// The weight of a cross-encoder's score, from 0 to 1.
    pub rerank_weight: f64,
    /// The number of first candidates that a language model rescores, if one is in use.
    pub judge_candidates: NonZero<usize>,
    /// How long a search waits for the language model before it keeps the previous order.
    pub judge_wait: Duration,
    /// The weight of the language model's score, from 0 to 1.
    pub judge_weight: f64,
    /// The domains to search in addition to the project, by their names in [`RootsSettings::domains`].
    pub domains: Vec<String>,
    /// The stores that a search reads if its request names none.
    pub scope: Scope,
    /// The number of hits of a request that names none.
    pub limit: u32,
    /// Whether a request that does not say uses the selected cross-encoders.
    pub rerank: bool,
}

/// How the candidates of a search are ranked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RankerSetting {
    /// By the project's own ranker if there is one, otherwise by the built-in ones.
    #[default]
    Auto,
    /// By the built-in rankers.
    BuiltIn,
    /// Without a ranker, by the weighted fusion of the retrievers' ranks.
    None,
}

impl RankerSetting {
    /// All choices, the default first.
    pub const ALL: [Self; 3] = [Self::Auto, Self::BuiltIn, Self::None];

    /// Returns the name in the configuration.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::BuiltIn => "built-in",
            Self::None => "none",
        }
    }

    /// Finds a choice by name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|choice| choice.as_str() == name)
    }
}

/// Which built-in model provides semantic search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ModelSetting {
    /// None: search is lexical only.
    None,
    /// The static model that is part of the program.
    #[default]
    Static,
    /// The hashes of words, without a model.
    Hash,
}

impl ModelSetting {
    /// All choices, in the order of the enum.
    pub const ALL: [Self; 3] = [Self::None, Self::Static, Self::Hash];

    /// Returns the name in the configuration.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Static => "static",
            Self::Hash => "hash",
        }
    }

    /// Finds a choice by name.
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
            agents_everywhere: false,
            rerank_candidates: non_zero(30),
            prerank_candidates: non_zero(100),
            rerank_wait: Duration::from_secs(2),
            rerank_weight: 0.6,
            judge_candidates: non_zero(10),
            judge_wait: Duration::from_secs(5),
            judge_weight: 0.7,
            domains: Vec::new(),
            scope: Scope::All,
            limit: 10,
            rerank: true,
        }
    }
}

/// What is adopted of the instructions and memories of other programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AdoptSettings {
    /// Whether files with instructions for agents are indexed although git ignores them, and checked.
    pub instructions: bool,
    /// Whether Claude Code's auto memory of a project is searched together with it.
    pub auto_memory: bool,
    /// The maximum number of files of a project's auto memory. The ones that were changed last are indexed.
    pub auto_memory_files: NonZero<usize>,
}

impl Default for AdoptSettings {
    fn default() -> Self {
        Self { instructions: true, auto_memory: true, auto_memory_files: non_zero(1000) }
    }
}

/// What may be read outside a project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RootsSettings {
    /// Absolute paths of folders that requests of any project may read.
    pub allowed: Vec<PathBuf>,
    /// The folders of the domains, by name.
    pub domains: BTreeMap<String, PathBuf>,
}

/// The daemon process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DaemonSettings {
    /// How long a daemon started by a client keeps running without clients; `None` for ever.
    pub idle_exit: Option<Duration>,
    /// How long an unused parse worker is kept.
    pub parser_idle: Duration,
    /// How long the index of a root that no longer exists is kept; `None` for ever.
    pub keep_gone_indexes: Option<Duration>,
    /// How long running requests may continue after the daemon was told to stop.
    pub drain: Duration,
    /// The time limit of a request, except for indexing, which streams its progress.
    pub request_timeout: Duration,
    /// The memory limit of the daemon. Work that would exceed it waits, and idle stores are closed to make room.
    pub memory_ceiling_bytes: u64,
    /// The size limit of a client's message.
    pub max_message_bytes: u64,
    /// The size limit of the unread answers of one connection.
    pub unread_bytes: u64,
    /// The maximum number of open stores. The least recently used one is closed first.
    pub max_open_stores: NonZero<usize>,
    /// The maximum number of stores that a request reads besides those of its scope.
    pub max_stores_per_request: u32,
    /// The maximum number of connected clients. A further one replaces the one that has been idle longest.
    pub max_connections: NonZero<usize>,
    /// How long a connection may stay open without a first call.
    pub handshake_timeout: Duration,
    /// How often the daemon checks that its socket and its locks are in place.
    pub socket_check: Duration,
    /// The least severe level that is logged.
    pub log_level: LogLevel,
    /// The size at which a log file is rotated.
    pub log_file_bytes: u64,
    /// The number of log files to keep, including the current one.
    pub log_files: NonZero<usize>,
}

impl Default for DaemonSettings {
    fn default() -> Self {
        Self {
            idle_exit: Some(Duration::from_hours(3)),
            parser_idle: Duration::from_mins(1),
            keep_gone_indexes: Some(Duration::from_hours(30 * 24)),
            drain: Duration::from_secs(5),
            request_timeout: Duration::from_secs(30),
            memory_ceiling_bytes: 512 * 1024 * 1024,
            max_message_bytes: 8 * 1024 * 1024,
            unread_bytes: 2 * 1024 * 1024,
            max_open_stores: non_zero(32),
            max_stores_per_request: 64,
            max_connections: non_zero(512),
            handshake_timeout: Duration::from_secs(5),
            socket_check: Duration::from_secs(1),
            log_level: LogLevel::Info,
            log_file_bytes: 1024 * 1024,
            log_files: non_zero(5),
        }
    }
}

/// The page in a browser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageSettings {
    /// How long the page stays open without a request.
    pub idle: Duration,
    /// The link that opens a file in an editor, with `{path}` and maybe `{line}`; `None` for no links.
    pub editor: Option<String>,
}

impl Default for PageSettings {
    fn default() -> Self {
        Self { idle: Duration::from_mins(30), editor: Some("vscode://file{path}:{line}".to_owned()) }
    }
}

/// The command line client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientSettings {
    /// How long a command waits for a daemon that it started.
    pub start_timeout: Duration,
    /// Whether a client replaces a daemon that is older than itself.
    pub replace_older: bool,
}

impl Default for ClientSettings {
    fn default() -> Self {
        Self { start_timeout: Duration::from_secs(5), replace_older: true }
    }
}

/// The MCP server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct McpSettings {
    /// The longest message of a client. A longer one gets an error.
    pub message_bytes: usize,
    /// The maximum number of calls that are answered at once. Further ones wait in the pipe.
    pub calls: NonZero<usize>,
    /// How long a call waits for the client's list of its folders.
    pub roots_wait: Duration,
}

impl Default for McpSettings {
    fn default() -> Self {
        Self {
            message_bytes: 16 * 1024 * 1024,
            // Agents have at most a few dozen; each takes some tens of kilobytes.
            calls: NonZero::new(256).expect("it is not zero"),
            roots_wait: Duration::from_secs(2),
        }
    }
}

/// The launch of agents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchSettings {
    /// The mode in which an agent is launched.
    pub mode: String,
    /// The agent that is launched.
    pub client: String,
    /// How long the context files of launched agents are kept.
    pub keep_context: Duration,
}

impl Default for LaunchSettings {
    fn default() -> Self {
        Self { mode: "coder".to_owned(), client: "claude".to_owned(), keep_context: Duration::from_hours(7 * 24) }
    }
}

/// The loop that works on a list of tasks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopSettings {
    /// The command line of the agent, which reads its prompt from standard input.
    pub agent: String,
    /// The maximum number of runs of the agent.
    pub max_iterations: NonZero<usize>,
    /// The number of consecutive runs with the same error after which a person is asked.
    pub stuck_threshold: NonZero<usize>,
    /// How long one run of the agent may take.
    pub agent_timeout: Duration,
}

impl Default for LoopSettings {
    fn default() -> Self {
        Self {
            agent: "claude -p".to_owned(),
            max_iterations: non_zero(50),
            stuck_threshold: non_zero(3),
            agent_timeout: Duration::from_hours(1),
        }
    }
}

/// The severity of log events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LogLevel {
    /// Failures of the daemon or of a request.
    Error,
    /// Problems that do not stop the daemon.
    Warn,
    /// Starts and stops, and indexing.
    Info,
    /// Requests and their durations.
    Debug,
    /// Everything. The only level that may log the text of queries.
    Trace,
}

impl LogLevel {
    /// All levels, the most severe first.
    pub const ALL: [Self; 5] = [Self::Error, Self::Warn, Self::Info, Self::Debug, Self::Trace];

    /// Returns the name in the configuration.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warn => "warn",
            Self::Info => "info",
            Self::Debug => "debug",
            Self::Trace => "trace",
        }
    }

    /// Finds a level by name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.as_str() == name)
    }
}

fn non_zero(number: usize) -> NonZero<usize> {
    NonZero::new(number).expect("no default is zero")
}
