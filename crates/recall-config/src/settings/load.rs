//! Loading of settings, with their keys, bounds and reach.

use std::path::Path;
use std::time::Duration;

use recall_core::{Limits, Scope};

use super::freshness::freshness;
use super::load_sessions::{briefing, capture, sessions};
use super::{
    AdoptSettings, ClientSettings, DaemonSettings, HookSettings, IndexSettings, LaunchSettings, LoopSettings,
    McpSettings, ModelsSettings, PageSettings, RemoteSettings, RootsSettings, SearchSettings, Settings,
};
use crate::kind::{Kind, Shape};
use crate::layers::Entry;
use crate::read::Reader;
use crate::store_table::store;
use crate::table::Reach::{self, Project, Search};
use crate::value::{
    address, count, domains, duration, editor_link, file, folders, globs, log_level, model, names, or_word, part,
    positive, prices, providers, proxy, ranker, server, servers, size, text, types, weight, yes_or_no,
};
use crate::{ConfigError, Dirs, Environment, Table, Warning, layers};

/// The loaded settings, with the table of their values and origins.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    /// The values in force.
    pub settings: Settings,
    /// Each value with where it was set.
    pub table: Table,
    /// The parts of the configuration that were ignored, ordered by place.
    pub warnings: Vec<Warning>,
}

impl Settings {
    /// Layers the settings: built-in defaults < the user's file < the project's file < environment variables < flags.
    ///
    /// A later layer replaces a setting as a whole, including lists and tables. A missing file sets nothing. Variables
    /// are named `RECALL_<SECTION>__<KEY>`. Variables and flags are parsed as TOML or, if they are not valid TOML, as
    /// strings. Flags are pairs of a setting's name (`daemon.idle_exit`) and its value.
    ///
    /// # Errors
    /// A file cannot be read or is not TOML, a value is invalid, or a flag names an unknown setting.
    pub fn load(
        dirs: &Dirs,
        project_root: Option<&Path>,
        env: &Environment,
        flags: &[(String, String)],
    ) -> Result<Loaded, ConfigError> {
        Self::from_entries(layers::collect(dirs, project_root, env, flags)?)
    }

    /// Resolves the values of the layers.
    pub(crate) fn from_entries(entries: Vec<Entry>) -> Result<Loaded, ConfigError> {
        Self::read(Reader::new(entries))
    }

    fn read(mut from: Reader) -> Result<Loaded, ConfigError> {
        let default = Self::default();
        let settings = Self {
            limits: limits(&mut from, &default.limits)?,
            index: index(&mut from, default.index)?,
            search: search(&mut from, default.search)?,
            freshness: freshness(&mut from, default.freshness)?,
            adopt: adopt(&mut from, &default.adopt)?,
            models: models(&mut from, default.models)?,
            remote: remote(&mut from, default.remote)?,
            roots: roots(&mut from, default.roots)?,
            daemon: daemon(&mut from, &default.daemon)?,
            page: page(&mut from, default.page)?,
            client: client(&mut from, default.client)?,
            mcp: mcp(&mut from, default.mcp)?,
            hooks: hooks(&mut from, default.hooks)?,
            briefing: briefing(&mut from, default.briefing)?,
            capture: capture(&mut from, default.capture)?,
            sessions: sessions(&mut from, default.sessions)?,
            launch: launch(&mut from, default.launch)?,
            task_loop: task_loop(&mut from, default.task_loop)?,
            stores: from.family("stores", store)?,
        };
        let (table, warnings) = from.finish()?;
        Ok(Loaded { settings, table, warnings })
    }
}

const MIB: u64 = 1024 * 1024;
const GIB: u64 = 1024 * MIB;
const MILLISECOND: Duration = Duration::from_millis(1);
const MINUTE: Duration = Duration::from_mins(1);
const DAY: Duration = Duration::from_hours(24);

fn limits(from: &mut Reader, default: &Limits) -> Result<Limits, ConfigError> {
    let Limits {
        query_bytes,
        searched_bytes,
        hits,
        list_entries,
        file_bytes,
        notebook_bytes,
        chunk_tokens,
        filter_time,
        parse_bytes,
        parse_time,
        parse_depth,
        ingest_bytes_in_flight,
        scan_wait,
        scan_interval,
        watch_wait,
        watched_directories,
        watched_scan_interval,
        look_interval,
    } = *default;
    Ok(Limits {
        query_bytes: from.key("limits.query_bytes", Reach::Daemon, query_bytes, &size(1..=MIB))?,
        searched_bytes: from.key("limits.searched_bytes", Reach::Daemon, searched_bytes, &size(1_024..=MIB))?,
        hits: from.key("limits.hits", Reach::Daemon, hits, &count(1..=1_000))?,
        list_entries: from.key("limits.list_entries", Reach::Daemon, list_entries, &count(1..=10_000))?,
        file_bytes: from.key("limits.file_bytes", Search, file_bytes, &size(1..=GIB))?,
        notebook_bytes: from.key("limits.notebook_bytes", Search, notebook_bytes, &size(1..=4 * GIB))?,
        // A chunk below 32 tokens does not hold a definition. Above 8,192 no embedding model reads all of it.
        chunk_tokens: from.key("limits.chunk_tokens", Project, chunk_tokens, &count(32..=8_192))?,
        filter_time: from.key("limits.filter_time", Search, filter_time, &duration(MILLISECOND..=DAY))?,
        // Below 64 KiB, most cuts would divide a definition.
        parse_bytes: from.key("limits.parse_bytes", Search, parse_bytes, &size(64 * 1024..=64 * MIB))?,
        parse_time: from.key("limits.parse_time", Search, parse_time, &duration(MILLISECOND..=MINUTE))?,
        // Chunking uses one recursion level of a thread's stack per nesting level.
        parse_depth: from.key("limits.parse_depth", Search, parse_depth, &count(8..=2_000))?,
        ingest_bytes_in_flight: from.key(
            "limits.ingest_bytes_in_flight",
            Search,
            ingest_bytes_in_flight,
            &size(MIB..=4 * GIB),
        )?,
        scan_wait: from.key("limits.scan_wait", Search, scan_wait, &duration(Duration::ZERO..=MINUTE))?,
        scan_interval: from.key("limits.scan_interval", Search, scan_interval, &duration(Duration::ZERO..=DAY))?,
        watch_wait: from.key("limits.watch_wait", Search, watch_wait, &duration(Duration::ZERO..=MINUTE))?,
        watched_directories: from.key(
            "limits.watched_directories",
            Search,
            watched_directories,
            &count(0..=10_000_000),
        )?,
        watched_scan_interval: from.key(
            "limits.watched_scan_interval",
            Search,
            watched_scan_interval,
            &duration(Duration::from_secs(1)..=DAY),
        )?,
        look_interval: from.key("limits.look_interval", Search, look_interval, &duration(Duration::ZERO..=DAY))?,
    })
}

fn index(from: &mut Reader, default: IndexSettings) -> Result<IndexSettings, ConfigError> {
    let IndexSettings {
        include,
        exclude,
        types: known_types,
        threads,
        first_wait,
        wait,
        few_files_wait,
        embedding_wait,
        at_once,
    } = default;
    Ok(IndexSettings {
        include: from.key("index.include", Project, include, &globs())?,
        exclude: from.key("index.exclude", Project, exclude, &globs())?,
        types: from.key("index.types", Project, known_types, &types())?,
        threads: from.key("index.threads", Reach::Daemon, threads, &or_word("auto", positive(256)))?,
        first_wait: from.key("index.first_wait", Reach::Daemon, first_wait, &duration(Duration::ZERO..=60 * MINUTE))?,
        wait: from.key("index.wait", Reach::Daemon, wait, &duration(Duration::ZERO..=MINUTE))?,
        few_files_wait: from.key(
            "index.few_files_wait",
            Reach::Daemon,
            few_files_wait,
            &duration(Duration::ZERO..=MINUTE),
        )?,
        embedding_wait: from.key(
            "index.embedding_wait",
            Reach::Daemon,
            embedding_wait,
            &duration(Duration::ZERO..=MINUTE),
        )?,
        at_once: from.key("index.at_once", Reach::Daemon, at_once, &positive(64))?,
    })
}

fn search(from: &mut Reader, default: SearchSettings) -> Result<SearchSettings, ConfigError> {
    let SearchSettings {
        per_document,
        bm25_weight,
        ranker: default_ranker,
        model: default_model,
        low_confidence,
        agents_everywhere,
        rerank_candidates,
        prerank_candidates,
        rerank_wait,
        rerank_weight,
        judge_candidates,
        judge_wait,
        judge_weight,
        domains: listed,
        scope: default_scope,
        limit,
        rerank,
    } = default;
    Ok(SearchSettings {
        per_document: from.key("search.per_document", Project, per_document, &positive(1_000))?,
        bm25_weight: from.key("search.bm25_weight", Project, bm25_weight, &or_word("auto", weight()))?,
        ranker: from.key("search.ranker", Project, default_ranker, &ranker())?,
        model: from.key("search.model", Reach::Daemon, default_model, &model())?,
        low_confidence: from.key("search.low_confidence", Project, low_confidence, &part())?,
        agents_everywhere: from.key("search.agents_everywhere", Reach::Daemon, agents_everywhere, &yes_or_no())?,
        rerank_candidates: from.key("search.rerank_candidates", Reach::Daemon, rerank_candidates, &positive(1_000))?,
        prerank_candidates: from.key(
            "search.prerank_candidates",
            Reach::Daemon,
            prerank_candidates,
            &positive(1_000),
        )?,
        rerank_wait: from.key("search.rerank_wait", Reach::Daemon, rerank_wait, &duration(MILLISECOND..=MINUTE))?,
        rerank_weight: from.key("search.rerank_weight", Reach::Daemon, rerank_weight, &part())?,
        judge_candidates: from.key("search.judge_candidates", Reach::Daemon, judge_candidates, &positive(50))?,
        judge_wait: from.key("search.judge_wait", Reach::Daemon, judge_wait, &duration(MILLISECOND..=MINUTE))?,
        judge_weight: from.key("search.judge_weight", Reach::Daemon, judge_weight, &part())?,
        domains: from.key("search.domains", Project, listed, &names())?,
        scope: from.key("search.scope", Reach::Daemon, default_scope, &scope())?,
        limit: from.key("search.limit", Reach::Daemon, limit, &count(1..=50))?,
        rerank: from.key("search.rerank", Reach::Daemon, rerank, &yes_or_no())?,
    })
}

/// Parses the name of a scope.
fn scope() -> Kind<Scope> {
    const NAMES: [&str; 4] = ["project", "global", "domain", "all"];
    Kind::new(Shape::OneOf(NAMES.to_vec()), |value| {
        let scope = value.as_str().and_then(|name| name.parse().ok());
        scope.ok_or_else(|| format!("one of {}", NAMES.join(", ")))
    })
}

fn adopt(from: &mut Reader, default: &AdoptSettings) -> Result<AdoptSettings, ConfigError> {
    let AdoptSettings { instructions, auto_memory, auto_memory_files } = *default;
    Ok(AdoptSettings {
        instructions: from.key("adopt.instructions", Search, instructions, &yes_or_no())?,
        auto_memory: from.key("adopt.auto_memory", Search, auto_memory, &yes_or_no())?,
        auto_memory_files: from.key("adopt.auto_memory_files", Search, auto_memory_files, &positive(100_000))?,
    })
}

fn models(from: &mut Reader, default: ModelsSettings) -> Result<ModelsSettings, ConfigError> {
    let ModelsSettings {
        runtime,
        providers: known_providers,
        threads,
        idle_unload,
        hub,
        index,
        proxy: known_proxy,
        embeddings_bytes,
    } = default;
    let idle = or_word("never", duration(MILLISECOND..=365 * DAY));
    Ok(ModelsSettings {
        runtime: from.key("models.runtime", Reach::Daemon, runtime, &or_word("installed", file()))?,
        providers: from.key("models.providers", Reach::Daemon, known_providers, &providers())?,
        threads: from.key("models.threads", Reach::Daemon, threads, &positive(256))?,
        idle_unload: from.key("models.idle_unload", Reach::Daemon, idle_unload, &idle)?,
        hub: from.key("models.hub", Reach::Daemon, hub, &or_word("public", address()))?,
        index: from.key("models.index", Reach::Daemon, index, &or_word("public", address()))?,
        proxy: from.key("models.proxy", Reach::Daemon, known_proxy, &proxy())?,
        embeddings_bytes: from.key(
            "models.embeddings_bytes",
            Reach::Daemon,
            embeddings_bytes,
            &size(MIB..=1024 * GIB),
        )?,
    })
}

fn remote(from: &mut Reader, default: RemoteSettings) -> Result<RemoteSettings, ConfigError> {
    let RemoteSettings {
        ollama,
        openai,
        voyage,
        anthropic,
        compatible,
        query_wait,
        timeout,
        retries,
        batch_texts,
        batch_tokens,
        daily_tokens,
        prices: known_prices,
    } = default;
    let wait = duration(MILLISECOND..=MINUTE);
    // A project must not name a server: a clone could have the user's texts sent to it.
    Ok(RemoteSettings {
        ollama: from.key("remote.ollama", Reach::Daemon, ollama, &server())?,
        openai: from.key("remote.openai", Reach::Daemon, openai, &server())?,
        voyage: from.key("remote.voyage", Reach::Daemon, voyage, &server())?,
        anthropic: from.key("remote.anthropic", Reach::Daemon, anthropic, &server())?,
        compatible: from.key("remote.compatible", Reach::Daemon, compatible, &servers())?,
        query_wait: from.key("remote.query_wait", Reach::Daemon, query_wait, &wait)?,
        timeout: from.key("remote.timeout", Reach::Daemon, timeout, &duration(MILLISECOND..=60 * MINUTE))?,
        retries: from.key("remote.retries", Reach::Daemon, retries, &count(0..=20))?,
        batch_texts: from.key("remote.batch_texts", Reach::Daemon, batch_texts, &positive(2_048))?,
        batch_tokens: from.key("remote.batch_tokens", Reach::Daemon, batch_tokens, &count(1..=1_000_000))?,
        daily_tokens: from.key(
            "remote.daily_tokens",
            Reach::Daemon,
            daily_tokens,
            &or_word("unlimited", count(0..=u32::MAX)),
        )?,
        prices: from.key("remote.prices", Reach::Daemon, known_prices, &prices())?,
    })
}

fn roots(from: &mut Reader, default: RootsSettings) -> Result<RootsSettings, ConfigError> {
    let RootsSettings { allowed, domains: known } = default;
    Ok(RootsSettings {
        allowed: from.key("roots.allowed", Reach::Daemon, allowed, &folders())?,
        domains: from.key("roots.domains", Reach::Daemon, known, &domains())?,
    })
}

fn daemon(from: &mut Reader, default: &DaemonSettings) -> Result<DaemonSettings, ConfigError> {
    let DaemonSettings {
        idle_exit,
        parser_idle,
        keep_gone_indexes,
        drain,
        request_timeout,
        memory_ceiling_bytes,
        max_message_bytes,
        unread_bytes,
        max_open_stores,
        max_stores_per_request,
        max_connections,
        handshake_timeout,
        socket_check,
        log_level: default_level,
        log_file_bytes,
        log_files,
    } = *default;
    let idle = or_word("never", duration(MILLISECOND..=365 * DAY));
    Ok(DaemonSettings {
        idle_exit: from.key("daemon.idle_exit", Reach::Daemon, idle_exit, &idle)?,
        parser_idle: from.key("daemon.parser_idle", Reach::Daemon, parser_idle, &duration(MILLISECOND..=DAY))?,
        keep_gone_indexes: from.key(
            "daemon.keep_gone_indexes",
            Reach::Daemon,
            keep_gone_indexes,
            &or_word("never", duration(Duration::ZERO..=3650 * DAY)),
        )?,
        drain: from.key("daemon.drain", Reach::Daemon, drain, &duration(Duration::ZERO..=MINUTE))?,
        request_timeout: from.key(
            "daemon.request_timeout",
            Reach::Daemon,
            request_timeout,
            &duration(MILLISECOND..=DAY),
        )?,
        memory_ceiling_bytes: from.key(
            "daemon.memory_ceiling_bytes",
            Reach::Daemon,
            memory_ceiling_bytes,
            &size(64 * MIB..=1024 * GIB),
        )?,
        max_message_bytes: from.key("daemon.max_message_bytes", Reach::Daemon, max_message_bytes, &size(MIB..=GIB))?,
        unread_bytes: from.key("daemon.unread_bytes", Reach::Daemon, unread_bytes, &size(MIB..=GIB))?,
        max_open_stores: from.key("daemon.max_open_stores", Reach::Daemon, max_open_stores, &positive(10_000))?,
        max_stores_per_request: from.key(
            "daemon.max_stores_per_request",
            Reach::Daemon,
            max_stores_per_request,
            &count(0..=10_000),
        )?,
        max_connections: from.key("daemon.max_connections", Reach::Daemon, max_connections, &positive(100_000))?,
        handshake_timeout: from.key(
            "daemon.handshake_timeout",
            Reach::Daemon,
            handshake_timeout,
            &duration(MILLISECOND..=10 * MINUTE),
        )?,
        socket_check: from.key(
            "daemon.socket_check",
            Reach::Daemon,
            socket_check,
            &duration(MILLISECOND..=10 * MINUTE),
        )?,
        log_level: from.key("daemon.log_level", Reach::Daemon, default_level, &log_level())?,
        log_file_bytes: from.key("daemon.log_file_bytes", Reach::Daemon, log_file_bytes, &size(1_024..=GIB))?,
        log_files: from.key("daemon.log_files", Reach::Daemon, log_files, &positive(1_000))?,
    })
}

fn launch(from: &mut Reader, default: LaunchSettings) -> Result<LaunchSettings, ConfigError> {
    let LaunchSettings { mode, client, keep_context } = default;
    Ok(LaunchSettings {
        mode: from.key("launch.mode", Reach::Client, mode, &text())?,
        client: from.key("launch.client", Reach::Client, client, &text())?,
        keep_context: from.key("launch.keep_context", Reach::Client, keep_context, &duration(MINUTE..=365 * DAY))?,
    })
}

fn task_loop(from: &mut Reader, default: LoopSettings) -> Result<LoopSettings, ConfigError> {
    let LoopSettings { agent, max_iterations, stuck_threshold, agent_timeout } = default;
    let time = duration(Duration::from_secs(1)..=7 * DAY);
    Ok(LoopSettings {
        agent: from.key("loop.agent", Reach::Client, agent, &text())?,
        max_iterations: from.key("loop.max_iterations", Reach::Client, max_iterations, &positive(10_000))?,
        stuck_threshold: from.key("loop.stuck_threshold", Reach::Client, stuck_threshold, &positive(100))?,
        agent_timeout: from.key("loop.agent_timeout", Reach::Client, agent_timeout, &time)?,
    })
}

fn page(from: &mut Reader, default: PageSettings) -> Result<PageSettings, ConfigError> {
    let PageSettings { idle, editor } = default;
    Ok(PageSettings {
        idle: from.key("page.idle", Reach::Daemon, idle, &duration(MINUTE..=7 * DAY))?,
        editor: from.key("page.editor", Reach::Daemon, editor, &or_word("none", editor_link()))?,
    })
}

fn client(from: &mut Reader, default: ClientSettings) -> Result<ClientSettings, ConfigError> {
    let ClientSettings { start_timeout, replace_older } = default;
    let start = duration(MILLISECOND..=10 * MINUTE);
    Ok(ClientSettings {
        start_timeout: from.key("client.start_timeout", Reach::Client, start_timeout, &start)?,
        replace_older: from.key("client.replace_older", Reach::Client, replace_older, &yes_or_no())?,
    })
}

fn mcp(from: &mut Reader, default: McpSettings) -> Result<McpSettings, ConfigError> {
    let McpSettings { message_bytes, calls, roots_wait } = default;
    Ok(McpSettings {
        message_bytes: from.key("mcp.message_bytes", Reach::Client, message_bytes, &size(1_024..=GIB))?,
        calls: from.key("mcp.calls", Reach::Client, calls, &positive(100_000))?,
        roots_wait: from.key("mcp.roots_wait", Reach::Client, roots_wait, &duration(Duration::ZERO..=MINUTE))?,
    })
}

fn hooks(from: &mut Reader, default: HookSettings) -> Result<HookSettings, ConfigError> {
    let HookSettings {
        wait,
        start_wait,
        briefing,
        briefing_budget_tokens,
        subagent_budget_tokens,
        prompt,
        prompt_budget_tokens,
        place_confidence,
        memory_confidence,
        files,
        file_budget_tokens,
        failures,
        failure_budget_tokens,
        events,
    } = default;
    let tokens = count(1..=20_000);
    let mut budget = |key, default| from.key(key, Reach::Client, default, &tokens);
    let briefing_budget_tokens = budget("hooks.briefing_budget_tokens", briefing_budget_tokens)?;
    let subagent_budget_tokens = budget("hooks.subagent_budget_tokens", subagent_budget_tokens)?;
    let prompt_budget_tokens = budget("hooks.prompt_budget_tokens", prompt_budget_tokens)?;
    let file_budget_tokens = budget("hooks.file_budget_tokens", file_budget_tokens)?;
    let failure_budget_tokens = budget("hooks.failure_budget_tokens", failure_budget_tokens)?;
    Ok(HookSettings {
        wait: from.key("hooks.wait", Reach::Client, wait, &duration(MILLISECOND..=MINUTE))?,
        start_wait: from.key("hooks.start_wait", Reach::Client, start_wait, &duration(MILLISECOND..=MINUTE))?,
        briefing: from.key("hooks.briefing", Reach::Client, briefing, &yes_or_no())?,
        briefing_budget_tokens,
        subagent_budget_tokens,
        prompt: from.key("hooks.prompt", Reach::Client, prompt, &yes_or_no())?,
        prompt_budget_tokens,
        place_confidence: from.key("hooks.place_confidence", Reach::Client, place_confidence, &part())?,
        memory_confidence: from.key("hooks.memory_confidence", Reach::Client, memory_confidence, &part())?,
        files: from.key("hooks.files", Reach::Client, files, &yes_or_no())?,
        file_budget_tokens,
        failures: from.key("hooks.failures", Reach::Client, failures, &yes_or_no())?,
        failure_budget_tokens,
        events: from.key("hooks.events", Reach::Client, events, &yes_or_no())?,
    })
}
