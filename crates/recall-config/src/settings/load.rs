//! Loading of settings, with their keys, bounds and reach.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use recall_core::Limits;

use super::{ClientSettings, DaemonSettings, IndexSettings, ModelsSettings, RootsSettings, SearchSettings, Settings};
use crate::read::Reach::{Project, User};
use crate::read::Reader;
use crate::value::{
    address, count, domains, duration, file, folders, globs, log_level, model, names, or_word, part, positive,
    providers, proxy, ranker, size, types, weight,
};
use crate::{ConfigError, Dirs, Environment, Origin, Warning, layers};

/// The loaded settings, with their origins.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    /// The settings.
    pub settings: Settings,
    /// Where each value was set.
    pub origins: Origins,
    /// The parts of the configuration that were ignored, ordered by place.
    pub warnings: Vec<Warning>,
}

/// The origins of all settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origins(BTreeMap<&'static str, Origin>);

impl Origins {
    /// Returns the origin of a setting such as `daemon.idle_exit`; `None` if there is no such setting.
    pub fn origin(&self, key: &str) -> Option<&Origin> {
        self.0.get(key)
    }

    /// Iterates over all settings with their origins, ordered by name.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &Origin)> {
        self.0.iter().map(|(key, origin)| (*key, origin))
    }
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
        Self::read(Reader::new(layers::collect(dirs, project_root, env, flags)?))
    }

    fn read(mut from: Reader) -> Result<Loaded, ConfigError> {
        let default = Self::default();
        let settings = Self {
            limits: limits(&mut from, &default.limits)?,
            index: index(&mut from, default.index)?,
            search: search(&mut from, default.search)?,
            models: models(&mut from, default.models)?,
            roots: roots(&mut from, default.roots)?,
            daemon: daemon(&mut from, &default.daemon)?,
            client: client(&mut from, default.client)?,
        };
        let (origins, warnings) = from.finish()?;
        Ok(Loaded { settings, origins: Origins(origins), warnings })
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
        hits,
        list_entries,
        file_bytes,
        chunk_tokens,
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
        query_bytes: from.key("limits.query_bytes", User, query_bytes, size(1..=MIB))?,
        hits: from.key("limits.hits", User, hits, count(1..=1_000))?,
        list_entries: from.key("limits.list_entries", User, list_entries, count(1..=10_000))?,
        file_bytes: from.key("limits.file_bytes", User, file_bytes, size(1..=GIB))?,
        // A chunk below 32 tokens does not hold a definition. Above 8,192 no embedding model reads all of it.
        chunk_tokens: from.key("limits.chunk_tokens", Project, chunk_tokens, count(32..=8_192))?,
        parse_time: from.key("limits.parse_time", User, parse_time, duration(MILLISECOND..=MINUTE))?,
        // Chunking uses one recursion level of a thread's stack per nesting level.
        parse_depth: from.key("limits.parse_depth", User, parse_depth, count(8..=2_000))?,
        ingest_bytes_in_flight: from.key(
            "limits.ingest_bytes_in_flight",
            User,
            ingest_bytes_in_flight,
            size(MIB..=4 * GIB),
        )?,
        scan_wait: from.key("limits.scan_wait", User, scan_wait, duration(Duration::ZERO..=MINUTE))?,
        scan_interval: from.key("limits.scan_interval", User, scan_interval, duration(Duration::ZERO..=DAY))?,
        watch_wait: from.key("limits.watch_wait", User, watch_wait, duration(Duration::ZERO..=MINUTE))?,
        watched_directories: from.key(
            "limits.watched_directories",
            User,
            watched_directories,
            count(0..=10_000_000),
        )?,
        watched_scan_interval: from.key(
            "limits.watched_scan_interval",
            User,
            watched_scan_interval,
            duration(Duration::from_secs(1)..=DAY),
        )?,
        look_interval: from.key("limits.look_interval", User, look_interval, duration(Duration::ZERO..=DAY))?,
    })
}

fn index(from: &mut Reader, default: IndexSettings) -> Result<IndexSettings, ConfigError> {
    let IndexSettings { include, exclude, types: known_types, threads, first_wait, wait, embedding_wait, at_once } =
        default;
    Ok(IndexSettings {
        include: from.key("index.include", Project, include, globs)?,
        exclude: from.key("index.exclude", Project, exclude, globs)?,
        types: from.key("index.types", Project, known_types, types)?,
        threads: from.key("index.threads", User, threads, or_word("auto", positive(256)))?,
        first_wait: from.key("index.first_wait", User, first_wait, duration(Duration::ZERO..=60 * MINUTE))?,
        wait: from.key("index.wait", User, wait, duration(Duration::ZERO..=MINUTE))?,
        embedding_wait: from.key("index.embedding_wait", User, embedding_wait, duration(Duration::ZERO..=MINUTE))?,
        at_once: from.key("index.at_once", User, at_once, positive(64))?,
    })
}

fn search(from: &mut Reader, default: SearchSettings) -> Result<SearchSettings, ConfigError> {
    let SearchSettings {
        per_document,
        bm25_weight,
        ranker: default_ranker,
        model: default_model,
        low_confidence,
        rerank_candidates,
        rerank_wait,
        rerank_weight,
        domains: listed,
    } = default;
    Ok(SearchSettings {
        per_document: from.key("search.per_document", Project, per_document, positive(1_000))?,
        bm25_weight: from.key("search.bm25_weight", Project, bm25_weight, or_word("auto", weight))?,
        ranker: from.key("search.ranker", Project, default_ranker, ranker)?,
        model: from.key("search.model", User, default_model, model)?,
        low_confidence: from.key("search.low_confidence", Project, low_confidence, part)?,
        rerank_candidates: from.key("search.rerank_candidates", User, rerank_candidates, positive(1_000))?,
        rerank_wait: from.key("search.rerank_wait", User, rerank_wait, duration(MILLISECOND..=MINUTE))?,
        rerank_weight: from.key("search.rerank_weight", User, rerank_weight, part)?,
        domains: from.key("search.domains", Project, listed, names)?,
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
        runtime: from.key("models.runtime", User, runtime, or_word("installed", file))?,
        providers: from.key("models.providers", User, known_providers, providers)?,
        threads: from.key("models.threads", User, threads, positive(256))?,
        idle_unload: from.key("models.idle_unload", User, idle_unload, idle)?,
        hub: from.key("models.hub", User, hub, or_word("public", address))?,
        index: from.key("models.index", User, index, or_word("public", address))?,
        proxy: from.key("models.proxy", User, known_proxy, proxy)?,
        embeddings_bytes: from.key("models.embeddings_bytes", User, embeddings_bytes, size(MIB..=1024 * GIB))?,
    })
}

fn roots(from: &mut Reader, default: RootsSettings) -> Result<RootsSettings, ConfigError> {
    let RootsSettings { allowed, domains: known } = default;
    Ok(RootsSettings {
        allowed: from.key("roots.allowed", User, allowed, folders)?,
        domains: from.key("roots.domains", User, known, domains)?,
    })
}

fn daemon(from: &mut Reader, default: &DaemonSettings) -> Result<DaemonSettings, ConfigError> {
    let DaemonSettings {
        idle_exit,
        drain,
        request_timeout,
        memory_ceiling_bytes,
        max_message_bytes,
        unread_bytes,
        max_open_stores,
        max_connections,
        handshake_timeout,
        socket_check,
        log_level: default_level,
        log_file_bytes,
        log_files,
    } = *default;
    let idle = or_word("never", duration(MILLISECOND..=365 * DAY));
    Ok(DaemonSettings {
        idle_exit: from.key("daemon.idle_exit", User, idle_exit, idle)?,
        drain: from.key("daemon.drain", User, drain, duration(Duration::ZERO..=MINUTE))?,
        request_timeout: from.key("daemon.request_timeout", User, request_timeout, duration(MILLISECOND..=DAY))?,
        memory_ceiling_bytes: from.key(
            "daemon.memory_ceiling_bytes",
            User,
            memory_ceiling_bytes,
            size(64 * MIB..=1024 * GIB),
        )?,
        max_message_bytes: from.key("daemon.max_message_bytes", User, max_message_bytes, size(MIB..=GIB))?,
        unread_bytes: from.key("daemon.unread_bytes", User, unread_bytes, size(MIB..=GIB))?,
        max_open_stores: from.key("daemon.max_open_stores", User, max_open_stores, positive(10_000))?,
        max_connections: from.key("daemon.max_connections", User, max_connections, positive(100_000))?,
        handshake_timeout: from.key(
            "daemon.handshake_timeout",
            User,
            handshake_timeout,
            duration(MILLISECOND..=10 * MINUTE),
        )?,
        socket_check: from.key("daemon.socket_check", User, socket_check, duration(MILLISECOND..=10 * MINUTE))?,
        log_level: from.key("daemon.log_level", User, default_level, log_level)?,
        log_file_bytes: from.key("daemon.log_file_bytes", User, log_file_bytes, size(1_024..=GIB))?,
        log_files: from.key("daemon.log_files", User, log_files, positive(1_000))?,
    })
}

fn client(from: &mut Reader, default: ClientSettings) -> Result<ClientSettings, ConfigError> {
    let ClientSettings { start_timeout } = default;
    let start = duration(MILLISECOND..=10 * MINUTE);
    Ok(ClientSettings { start_timeout: from.key("client.start_timeout", User, start_timeout, start)? })
}
