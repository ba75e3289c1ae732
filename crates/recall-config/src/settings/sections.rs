//! Every setting: its name, type, default, reach and bounds, in one table.
//!
//! `default.toml` has the same defaults with units and reasons, for people; a test compares them.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::path::PathBuf;
use std::time::Duration;

use recall_core::{DocumentType, Freshness, LOW_CONFIDENCE, Limits, Provider, ReviewPolicy, Scope, SessionShare};

use super::choices::{self, LogLevel, ModelSetting, ProxySetting, RankerSetting};
use crate::ConfigError;
use crate::layers::Reader;
use crate::table::Reach;
use crate::value::{
    address, agents, count, domains, duration, editor_link, file, folders, globs, names, or_word, part, positive,
    prices, providers, server, servers, size, text, types, weight, yes_or_no,
};

const MIB: u64 = 1024 * 1024;
const GIB: u64 = 1024 * MIB;
const MILLISECOND: Duration = Duration::from_millis(1);
const MINUTE: Duration = Duration::from_mins(1);
const DAY: Duration = Duration::from_hours(24);

/// Reads the limits of requests, files and queries.
///
/// # Errors
/// A value is invalid.
pub(super) fn limits(from: &mut Reader) -> Result<Limits, ConfigError> {
    let default = Limits::default();
    keys!(from, "limits", default => Limits {
        query_bytes: Daemon, size(1..=MIB);
        searched_bytes: Daemon, size(1_024..=MIB);
        hits: Daemon, count(1..=1_000);
        list_entries: Daemon, count(1..=10_000);
        file_bytes: Search, size(1..=GIB);
        notebook_bytes: Search, size(1..=4 * GIB);
        // A chunk below 32 tokens does not hold a definition. Above 8,192 no embedding model reads all of it.
        chunk_tokens: Project, count(32..=8_192);
        filter_time: Search, duration(MILLISECOND..=DAY);
        // Below 64 KiB, most cuts would divide a definition.
        parse_bytes: Search, size(64 * 1024..=64 * MIB);
        parse_time: Search, duration(MILLISECOND..=MINUTE);
        // Chunking uses one recursion level of a thread's stack per nesting level.
        parse_depth: Search, count(8..=2_000);
        ingest_bytes_in_flight: Search, size(MIB..=4 * GIB);
        scan_wait: Search, duration(Duration::ZERO..=MINUTE);
        scan_interval: Search, duration(Duration::ZERO..=DAY);
        watch_wait: Search, duration(Duration::ZERO..=MINUTE);
        watched_directories: Search, count(0..=10_000_000);
        watched_scan_interval: Search, duration(Duration::from_secs(1)..=DAY);
        look_interval: Search, duration(Duration::ZERO..=DAY);
    })
}

/// Reads what the age of an item says about it. A repository must not decide that nobody sees what no longer holds, or that memories are
/// deprecated.
///
/// # Errors
/// A value is invalid.
pub(super) fn freshness(from: &mut Reader) -> Result<Freshness, ConfigError> {
    let default = Freshness::default();
    keys!(from, "freshness", default => Freshness {
        stale_after_days: Project, choices::days_by_type();
        auto_deprecate_after_days: Search, choices::days();
        check_on_search: Search, yes_or_no();
    })
}

/// Reads what happens to memories that arrive. A repository must not decide that its own memories count.
///
/// # Errors
/// A value is invalid.
pub(super) fn review(from: &mut Reader) -> Result<ReviewPolicy, ConfigError> {
    let default = ReviewPolicy::default();
    keys!(from, "review", default => ReviewPolicy {
        agent: Search, choices::admission();
        import: Search, choices::admission();
        clone: Search, choices::admission();
    })
}

section! {
    /// What is indexed, and how.
    #[derive(Clone, Debug, PartialEq, Eq)]
    IndexSettings in "index" {
        /// Globs of the files to index, relative to the root; if empty, all files.
        include: Vec<String> = Vec::new(), Project, globs();
        /// Globs of files not to index. They take precedence over `include`.
        exclude: Vec<String> = Vec::new(), Project, globs();
        /// Globs with the type of matching documents, the longest first and equally long ones in bytewise order. The first
        /// match decides.
        types: Vec<(String, DocumentType)> = Vec::new(), Project, types();
        /// The number of threads that read and parse; `None` for one per core.
        threads: Option<NonZero<usize>> = None, Daemon, or_word("auto", positive(256));
        /// How long the first search in an unindexed project waits for its index.
        first_wait: Duration = Duration::from_mins(1), Daemon, duration(Duration::ZERO..=60 * MINUTE);
        /// After what time a question to a large project that is indexed for the first time is answered from a part of it.
        partial_after: Duration = Duration::from_secs(1), Daemon, duration(Duration::ZERO..=60 * MINUTE);
        /// How long a search waits for changed files to be reindexed, if they are many.
        wait: Duration = Duration::from_millis(250), Daemon, duration(Duration::ZERO..=MINUTE);
        /// How long a search waits for the scan and the reindexing of a few changed files.
        few_files_wait: Duration = Duration::from_secs(2), Daemon, duration(Duration::ZERO..=MINUTE);
        /// How long the command or search that creates an index waits for its embeddings.
        embedding_wait: Duration = Duration::from_secs(1), Daemon, duration(Duration::ZERO..=MINUTE);
        /// The number of simultaneous indexing runs, not counting edits and projects of a few files. Further runs wait in order of
        /// arrival.
        at_once: NonZero<usize> = non_zero(2), Daemon, positive(64);
    }
}

section! {
    /// How hits are selected and ranked.
    #[derive(Clone, Debug, PartialEq)]
    SearchSettings in "search" {
        /// The maximum number of chunks of one document among the hits.
        per_document: NonZero<usize> = non_zero(2), Project, positive(1_000);
        /// The BM25 weight for requests without one; `None` for that of the query's class.
        bm25_weight: Option<f32> = None, Project, or_word("auto", weight());
        /// How candidates are ranked.
        ranker: RankerSetting = RankerSetting::BuiltIn, Project, choices::ranker();
        /// Whether the project's own history orders its code, where it is better.
        history: bool = true, Project, yes_or_no();
        /// Which built-in model provides semantic search.
        model: ModelSetting = ModelSetting::Static, Daemon, choices::model();
        /// The confidence, from 0 to 1, below which an answer is marked as doubtful.
        low_confidence: f64 = LOW_CONFIDENCE, Project, part();
        /// Whether agents may search other projects.
        agents_everywhere: bool = false, Daemon, yes_or_no();
        /// The number of first candidates that a cross-encoder rescores, if one is in use.
        rerank_candidates: NonZero<usize> = non_zero(30), Daemon, positive(1_000);
        /// The number of first candidates that a small cross-encoder rescores before it, if one is in use.
        prerank_candidates: NonZero<usize> = non_zero(100), Daemon, positive(1_000);
        /// How long a search waits for a cross-encoder before it keeps the previous order.
        rerank_wait: Duration = Duration::from_secs(2), Daemon, duration(MILLISECOND..=MINUTE);
        /// The weight of a cross-encoder's score, from 0 to 1.
        rerank_weight: f64 = 0.6, Daemon, part();
        /// The number of first candidates that a language model rescores, if one is in use.
        judge_candidates: NonZero<usize> = non_zero(10), Daemon, positive(50);
        /// How long a search waits for the language model before it keeps the previous order.
        judge_wait: Duration = Duration::from_secs(5), Daemon, duration(MILLISECOND..=MINUTE);
        /// The weight of the language model's score, from 0 to 1.
        judge_weight: f64 = 0.7, Daemon, part();
        /// The domains to search in addition to the project, by their names in [`RootsSettings::domains`].
        domains: Vec<String> = Vec::new(), Project, names();
        /// The stores that a search reads if its request names none.
        scope: Scope = Scope::All, Daemon, choices::scope();
        /// The number of hits of a request that names none.
        limit: u32 = 10, Daemon, count(1..=50);
        /// Whether a request that does not say uses the selected cross-encoders.
        rerank: bool = true, Daemon, yes_or_no();
    }
}

section! {
    /// What is adopted of the instructions and memories of other programs.
    #[derive(Clone, Debug, PartialEq, Eq)]
    AdoptSettings in "adopt" {
        /// Whether files with instructions for agents and memories of agents are indexed although git ignores them, and checked.
        instructions: bool = true, Search, yes_or_no();
        /// Whether Claude Code's auto memory of a project is searched together with it.
        auto_memory: bool = true, Search, yes_or_no();
        /// The maximum number of files of a project's auto memory. The ones that were changed last are indexed.
        auto_memory_files: NonZero<usize> = non_zero(1000), Search, positive(100_000);
        /// The agents whose files in the user's home are searched together with the projects that they concern.
        home: Vec<String> = recall_text::AGENT_FOLDERS.iter().map(|folder| folder.agent.to_owned()).collect(), Search, agents();
    }
}

section! {
    /// Which transcripts of agents are read.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    TranscriptSettings in "transcripts" {
        /// Whether the conversations of agents in a project are read when somebody asks for them.
        read: bool = false, Search, yes_or_no();
        /// The maximum number of transcripts that a request reads. The ones that were changed last are read.
        files: NonZero<usize> = non_zero(200), Search, positive(10_000);
        /// Transcripts that did not change for this long are not read.
        age: Duration = Duration::from_hours(90 * 24), Search, duration(Duration::from_hours(1)..=3650 * DAY);
        /// The maximum total size of the transcripts that a request reads.
        bytes: u64 = 128 * MIB, Search, size(MIB..=16 * GIB);
    }
}

section! {
    /// The bounds of the pasts of projects.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    PastSettings in "past" {
        /// The maximum number of files of a past.
        files: NonZero<usize> = non_zero(20_000), Daemon, positive(1_000_000);
        /// Their maximum total size.
        bytes: u64 = 256 * MIB, Daemon, size(MIB..=16 * GIB);
        /// Larger files are left out.
        file_bytes: u64 = 16 * MIB, Daemon, size(MIB..=64 * MIB);
        /// The number of pasts that stay indexed.
        kept: NonZero<usize> = non_zero(4), Daemon, positive(100);
    }
}

section! {
    /// The bounds of questions about the origin of lines.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    WhySettings in "why" {
        /// The maximum number of lines that an answer explains.
        lines: NonZero<usize> = non_zero(500), Daemon, positive(10_000);
        /// How long git may look for the commits that wrote them.
        wait: Duration = Duration::from_secs(5), Daemon, duration(MILLISECOND..=MINUTE);
        /// How long a hook before an edit waits for the commits of the lines that the edit replaces.
        edit_wait: Duration = Duration::from_millis(100), Daemon, duration(Duration::ZERO..=MINUTE);
        /// How far back it looks for them.
        edit_history: Duration = DAY * 180, Daemon, duration(DAY..=DAY * 36_500);
        /// How long a search waits for the commit that removed a name which no file has.
        removed_wait: Duration = Duration::from_millis(300), Daemon, duration(Duration::ZERO..=MINUTE);
    }
}

section! {
    /// The sources of models, and how they are run.
    #[derive(Clone, Debug, PartialEq, Eq)]
    ModelsSettings in "models" {
        /// The library that runs networks; `None` for the installed one.
        runtime: Option<PathBuf> = None, Daemon, or_word("installed", file());
        /// The providers to try, in order of preference. The CPU is always tried last.
        providers: Vec<Provider> = Vec::new(), Daemon, providers();
        /// The number of threads per network.
        threads: NonZero<usize> = NonZero::<usize>::MIN, Daemon, positive(256);
        /// The time without a request after which a network is unloaded; `None` for never.
        idle_unload: Option<Duration> = Some(Duration::from_mins(30)), Daemon, or_word("never", duration(MILLISECOND..=365 * DAY));
        /// The mirror from which models are pulled; `None` for the public hub.
        hub: Option<String> = None, Daemon, or_word("public", address());
        /// The mirror of the package index for the runtime; `None` for the public index.
        index: Option<String> = None, Daemon, or_word("public", address());
        /// The proxy for downloads.
        proxy: ProxySetting = ProxySetting::Environment, Daemon, choices::proxy();
        /// Whether encoders embed while this machine runs on battery.
        on_battery: bool = false, Daemon, yes_or_no();
        /// The size limit of the embedding store on disk.
        embeddings_bytes: u64 = GIB, Daemon, size(MIB..=1024 * GIB);
    }
}

section! {
    /// Where remote models are, and how they are asked. A project must not name a server: a clone could have the user's texts sent to it.
    #[derive(Clone, Debug, PartialEq)]
    RemoteSettings in "remote" {
        /// The address of Ollama.
        ollama: String = "http://127.0.0.1:11434".to_owned(), Daemon, server();
        /// The address of OpenAI, or of a server that has the same API.
        openai: String = "https://api.openai.com/v1".to_owned(), Daemon, server();
        /// The address of Voyage.
        voyage: String = "https://api.voyageai.com/v1".to_owned(), Daemon, server();
        /// The address of Anthropic.
        anthropic: String = "https://api.anthropic.com".to_owned(), Daemon, server();
        /// The addresses of further servers that speak OpenAI's format, by name.
        compatible: BTreeMap<String, String> = BTreeMap::new(), Daemon, servers();
        /// How long a search waits for the embedding of its query.
        query_wait: Duration = Duration::from_secs(1), Daemon, duration(MILLISECOND..=MINUTE);
        /// How long a request for the embeddings of documents may take.
        timeout: Duration = Duration::from_mins(1), Daemon, duration(MILLISECOND..=60 * MINUTE);
        /// How often a failed request is sent again at once.
        retries: u32 = 3, Daemon, count(0..=20);
        /// The most texts of one request.
        batch_texts: NonZero<usize> = NonZero::new(64).expect("64 is not zero"), Daemon, positive(2_048);
        /// The most tokens of one request, by estimate.
        batch_tokens: u32 = 50_000, Daemon, count(1..=1_000_000);
        /// The most tokens that are sent in a day; `None` for no limit.
        daily_tokens: Option<u32> = Some(20_000_000), Daemon, or_word("unlimited", count(0..=u32::MAX));
        /// Dollars per million tokens, by the names of models; they take precedence over the built-in prices.
        prices: BTreeMap<String, f64> = BTreeMap::new(), Daemon, prices();
    }
}

section! {
    /// What may be read outside a project.
    #[derive(Clone, Debug, PartialEq, Eq)]
    RootsSettings in "roots" {
        /// Absolute paths of folders that requests of any project may read.
        allowed: Vec<PathBuf> = Vec::new(), Daemon, folders();
        /// The folders of the domains, by name.
        domains: BTreeMap<String, PathBuf> = BTreeMap::new(), Daemon, domains();
    }
}

section! {
    /// The daemon process.
    #[derive(Clone, Debug, PartialEq, Eq)]
    DaemonSettings in "daemon" {
        /// How long a daemon started by a client keeps running without clients; `None` for ever.
        idle_exit: Option<Duration> = Some(Duration::from_hours(3)), Daemon, or_word("never", duration(MILLISECOND..=365 * DAY));
        /// How long an unused parse worker is kept.
        parser_idle: Duration = Duration::from_mins(1), Daemon, duration(MILLISECOND..=DAY);
        /// How long the index of a root that no longer exists is kept; `None` for ever.
        keep_gone_indexes: Option<Duration> = Some(Duration::from_hours(30 * 24)), Daemon, or_word("never", duration(Duration::ZERO..=3650 * DAY));
        /// How long running requests may continue after the daemon was told to stop.
        drain: Duration = Duration::from_secs(5), Daemon, duration(Duration::ZERO..=MINUTE);
        /// The time limit of a request, except for indexing, which streams its progress.
        request_timeout: Duration = Duration::from_secs(30), Daemon, duration(MILLISECOND..=DAY);
        /// The memory limit of the daemon. Work that would exceed it waits, and idle stores are closed to make room.
        memory_ceiling_bytes: u64 = 512 * MIB, Daemon, size(64 * MIB..=1024 * GIB);
        /// The size limit of a client's message.
        max_message_bytes: u64 = 8 * MIB, Daemon, size(MIB..=GIB);
        /// The size limit of the unread answers of one connection.
        unread_bytes: u64 = 2 * MIB, Daemon, size(MIB..=GIB);
        /// The maximum number of open stores. The least recently used one is closed first.
        max_open_stores: NonZero<usize> = non_zero(32), Daemon, positive(10_000);
        /// The maximum number of stores that a request reads besides those of its scope.
        max_stores_per_request: u32 = 64, Daemon, count(0..=10_000);
        /// The maximum number of connected clients. A further one replaces the one that has been idle longest.
        max_connections: NonZero<usize> = non_zero(512), Daemon, positive(100_000);
        /// How long a connection may stay open without a first call.
        handshake_timeout: Duration = Duration::from_secs(5), Daemon, duration(MILLISECOND..=10 * MINUTE);
        /// How often the daemon checks that its socket and its locks are in place.
        socket_check: Duration = Duration::from_secs(1), Daemon, duration(MILLISECOND..=10 * MINUTE);
        /// The least severe level that is logged.
        log_level: LogLevel = LogLevel::Info, Daemon, choices::log_level();
        /// The size at which a log file is rotated.
        log_file_bytes: u64 = MIB, Daemon, size(1_024..=GIB);
        /// The number of log files to keep, including the current one.
        log_files: NonZero<usize> = non_zero(5), Daemon, positive(1_000);
    }
}

section! {
    /// The page in a browser.
    #[derive(Clone, Debug, PartialEq, Eq)]
    PageSettings in "page" {
        /// How long the page stays open without a request.
        idle: Duration = Duration::from_mins(30), Daemon, duration(MINUTE..=7 * DAY);
        /// The link that opens a file in an editor, with `{path}` and maybe `{line}`; `None` for no links.
        editor: Option<String> = Some("vscode://file{path}:{line}".to_owned()), Daemon, or_word("none", editor_link());
    }
}

section! {
    /// The command line client.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    ClientSettings in "client" {
        /// How long a command waits for a daemon that it started.
        start_timeout: Duration = Duration::from_secs(5), Client, duration(MILLISECOND..=10 * MINUTE);
        /// Whether a client replaces a daemon that is older than itself.
        replace_older: bool = true, Client, yes_or_no();
    }
}

section! {
    /// The MCP server.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    McpSettings in "mcp" {
        /// The longest message of a client. A longer one gets an error.
        message_bytes: usize = 16 * 1024 * 1024, Client, size(1_024..=GIB);
        /// The maximum number of calls that are answered at once. Further ones wait in the pipe.
        // Agents have at most a few dozen; each takes some tens of kilobytes.
        calls: NonZero<usize> = NonZero::new(256).expect("it is not zero"), Client, positive(100_000);
        /// How long a call waits for the client's list of its folders.
        roots_wait: Duration = Duration::from_secs(2), Client, duration(Duration::ZERO..=MINUTE);
        /// Whether the first answer to a search asks the model to log which hits it kept.
        judge_reminder: bool = false, Client, yes_or_no();
    }
}

section! {
    /// What `recall hook` shows an agent and what it records.
    #[derive(Clone, Copy, Debug, PartialEq)]
    HookSettings in "hooks" {
        /// How long a hook may take, from its start to its exit. It answers nothing if it is late.
        wait: Duration = Duration::from_millis(300), Client, duration(MILLISECOND..=MINUTE);
        /// How long the start of a session may take, and a prompt that has a briefing to bring.
        start_wait: Duration = Duration::from_secs(2), Client, duration(MILLISECOND..=MINUTE);
        /// Whether a session and a subagent begin with a briefing.
        briefing: bool = true, Client, yes_or_no();
        /// The token budget of a session's briefing.
        briefing_budget_tokens: u32 = 2_000, Client, count(1..=20_000);
        /// The token budget of a subagent's briefing.
        subagent_budget_tokens: u32 = 400, Client, count(1..=20_000);
        /// Whether a prompt is answered with memories and places in the project.
        prompt: bool = true, Client, yes_or_no();
        /// The token budget of that answer.
        prompt_budget_tokens: u32 = 600, Client, count(1..=20_000);
        /// The confidence, from 0 to 1, below which a place is not shown.
        // Chosen by `recall bench --loop` on mined commits: .75 of the places and .77 of the memories are relevant.
        place_confidence: f64 = 0.2, Client, part();
        /// The confidence, from 0 to 1, below which a memory is not shown.
        memory_confidence: f64 = 0.1, Client, part();
        /// Whether memories about a file are shown before it is read or edited.
        files: bool = true, Client, yes_or_no();
        /// The token budget of these memories.
        file_budget_tokens: u32 = 400, Client, count(1..=20_000);
        /// Whether memories and places are shown before a command runs and before files are searched.
        commands: bool = true, Client, yes_or_no();
        /// The token budget of these.
        command_budget_tokens: u32 = 300, Client, count(1..=20_000);
        /// Whether a command that failed is answered with the lines that its output names and the memories about its error.
        failures: bool = true, Client, yes_or_no();
        /// The token budget of that answer.
        // Three places with the lines around them and a short memory.
        failure_budget_tokens: u32 = 400, Client, count(1..=20_000);
        /// How long ago another session may have edited a file to be named.
        others_within: Duration = Duration::from_mins(15), Client, duration(Duration::ZERO..=DAY);
        /// The token budget of all that is shown from one prompt to the next, except for briefings.
        turn_budget_tokens: u32 = 600, Client, count(1..=100_000);
        /// Whether edits, failed commands and commits become events of the session, and its end writes a summary.
        events: bool = true, Client, yes_or_no();
    }
}

section! {
    /// What a briefing shows, besides what is known about the current work.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    BriefingSettings in "briefing" {
        /// The profiles of the user and the project.
        profile: bool = true, Search, yes_or_no();
        /// What the last sessions did.
        history: bool = true, Search, yes_or_no();
        /// What they left open.
        tasks: bool = true, Search, yes_or_no();
    }
}

section! {
    /// What hooks record of a session.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    CaptureSettings in "capture" {
        /// The first prompt, as the goal of the session.
        goal: bool = true, Client, yes_or_no();
        /// Which files were edited.
        edits: bool = true, Client, yes_or_no();
        /// Which commands failed, and why.
        failures: bool = true, Client, yes_or_no();
        /// Which commits were made.
        commits: bool = true, Client, yes_or_no();
        /// What the agent said at the end of a turn.
        messages: bool = true, Client, yes_or_no();
        /// The agent's list of tasks.
        tasks: bool = true, Client, yes_or_no();
    }
}

section! {
    /// What happens to the records of sessions.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    SessionSettings in "sessions" {
        /// Which sessions' summaries become files of the project.
        share: SessionShare = SessionShare::default(), Search, choices::share();
        /// Whether the end of a session notes at its commits which lines it wrote.
        traces: bool = false, Search, yes_or_no();
    }
}

section! {
    /// The launch of agents.
    #[derive(Clone, Debug, PartialEq, Eq)]
    LaunchSettings in "launch" {
        /// The mode in which an agent is launched.
        mode: String = "coder".to_owned(), Client, text();
        /// The agent that is launched.
        client: String = "claude".to_owned(), Client, text();
        /// How long the context files of launched agents are kept.
        keep_context: Duration = Duration::from_hours(7 * 24), Client, duration(MINUTE..=365 * DAY);
    }
}

section! {
    /// The loop that works on a list of tasks.
    #[derive(Clone, Debug, PartialEq, Eq)]
    LoopSettings in "loop" {
        /// The command line of the agent, which reads its prompt from standard input.
        agent: String = "claude -p".to_owned(), Client, text();
        /// The maximum number of runs of the agent.
        max_iterations: NonZero<usize> = non_zero(50), Client, positive(10_000);
        /// The number of consecutive runs with the same error after which a person is asked.
        stuck_threshold: NonZero<usize> = non_zero(3), Client, positive(100);
        /// How long one run of the agent may take.
        agent_timeout: Duration = Duration::from_hours(1), Client, duration(Duration::from_secs(1)..=7 * DAY);
    }
}

fn non_zero(number: usize) -> NonZero<usize> {
    NonZero::new(number).expect("no default is zero")
}
