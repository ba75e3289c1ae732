//! Construction of the daemon's parts from the user's settings.

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Duration;

use recall_config::{
    DaemonSettings, Dirs, Environment, ModelSetting, PasswordMethod, RankerSetting, ReadFrom, Settings, SpreadConfig,
    StoreConfig, StoreKind,
};
use recall_core::{Clock as _, Weights};
use recall_engine::{
    AdoptSettings, BriefingParts, EmbeddingModel, EmbeddingStoreSettings, Engine, EngineSettings, JudgeSettings,
    MemorySettings, PastSettings, Places, RankerUse, Rankers, RerankSettings, StoreSettings, TranscriptSettings,
    WhySettings,
};
use recall_models::{BuiltIn, HashModel};
use recall_page::{Page, PageSettings};
use recall_shared::{
    Authentication, Guarded, Postgres, PostgresSettings, Qdrant, QdrantSettings, Replica, SharedStore, Spread,
    StoreError,
};
use recall_text::error_chain;
use tokio_util::sync::CancellationToken;

use crate::activity::Activity;
use crate::admission::Admission;
use crate::blocking::{JOBS_AT_ONCE, Jobs};
use crate::configuration::Configuration;
use crate::daemon::{Daemon, Identity};
use crate::event::Events;
use crate::lifecycle::{COPIES_OF_A_NETWORK, Shares};
use crate::models::{self, Models};
use crate::parsers::ParserPool;
use crate::process::{MemoryUse, SystemClock};
use crate::reported::Reported;

/// How long before its deadline a search stops waiting for an index, so that there is time to answer with a warning.
const TIME_TO_ANSWER: Duration = Duration::from_secs(2);

/// How many models are downloaded at once. More would only share the bandwidth.
const TRANSFERS_AT_ONCE: NonZero<usize> = NonZero::new(2).expect("2 is not zero");

/// Builds the state that all requests share. Opens no files.
pub(crate) fn daemon(identity: Identity, settings: Settings, configuration: Configuration, events: Events) -> Daemon {
    let Configuration { dirs, environment, started: _ } = &configuration;
    let stop = CancellationToken::new();
    let models = Arc::new(Models::new(dirs, environment, &settings));
    let parsers = Arc::new(ParserPool::new(settings.daemon.parser_idle));
    let shares = Shares::split(settings.daemon.memory_ceiling_bytes);
    let memory = memory(&settings, shares, Arc::clone(&models), Arc::clone(&parsers));
    let engine = Arc::new(engine(dirs, environment.clone(), &settings, memory, Arc::clone(&parsers)));
    let DaemonSettings { unread_bytes, max_message_bytes, .. } = settings.daemon;
    let admission = Admission::new(shares.call_bytes, unread_bytes, max_message_bytes);
    let recall_config::PageSettings { idle, editor } = settings.page.clone();
    let page = PageSettings { idle, editor, saved: dirs.data.join("page").join("searches.json") };
    models.hand_to(&engine);
    Daemon {
        parsers,
        models,
        engine,
        settings,
        configuration,
        identity,
        meter: Arc::default(),
        activity: Activity::new(admission.clone()),
        admission,
        reported: Reported::default(),
        jobs: Jobs::new(JOBS_AT_ONCE, stop.clone()),
        transfers: Jobs::new(TRANSFERS_AT_ONCE, stop.clone()),
        page: Page::new(page, stop.clone()),
        events,
        stop,
    }
}

/// Returns the engine's part of the daemon's memory. The memory of the parse workers counts.
///
/// Loaded networks do not count: the user chose them, and closing stores cannot make up for their size.
fn memory(settings: &Settings, shares: Shares, models: Arc<Models>, parsers: Arc<ParserPool>) -> MemorySettings {
    let used_bytes = move || {
        let networks_bytes = models.loaded_bytes() * COPIES_OF_A_NETWORK;
        let own_bytes = MemoryUse::read().anonymous_bytes.saturating_sub(networks_bytes);
        own_bytes + parsers.used_bytes()
    };
    MemorySettings {
        index_run_bytes: shares.index_run_bytes,
        index_runs_at_once: settings.index.at_once,
        ceiling_bytes: settings.daemon.memory_ceiling_bytes,
        used_bytes: Arc::new(used_bytes),
    }
}

fn engine(
    dirs: &Dirs,
    environment: Environment,
    settings: &Settings,
    memory: MemorySettings,
    parsers: Arc<ParserPool>,
) -> Engine {
    let places = Places {
        global_root: dirs.global_root(),
        stores: dirs.data.join("stores"),
        home: environment.home.clone(),
        config_home: environment.config_home.clone(),
        agents: environment.agent_folders(),
        allowed_roots: settings.roots.allowed.clone(),
        domains: settings.roots.domains.clone(),
    };
    let embeddings = dirs.embeddings();
    let shared = shared_stores(settings, &environment);
    let (dirs, user) = (dirs.clone(), settings.clone());
    let of_store = move |root: &Path| store_settings(&dirs, &environment, &user, root);
    let engine_settings =
        EngineSettings { memory, code_parser: Some(parsers), shared, ..engine_settings(settings, embeddings) };
    Engine::new(places, engine_settings, Box::new(of_store), Arc::new(SystemClock))
}

fn engine_settings(settings: &Settings, embeddings: PathBuf) -> EngineSettings {
    let Settings { index, search, past, why, models: installed, daemon, .. } = settings;
    let longest_wait = daemon.request_timeout.saturating_sub(TIME_TO_ANSWER);
    let rescore = |candidates| RerankSettings {
        candidates,
        wait: search.rerank_wait.min(longest_wait),
        weight: search.rerank_weight,
    };
    EngineSettings {
        ingest_threads: index.threads.or_else(|| available_parallelism().ok()).unwrap_or(NonZero::<usize>::MIN),
        open_stores: daemon.max_open_stores,
        stores_per_request: daemon.max_stores_per_request,
        first_index_wait: index.first_wait.min(longest_wait),
        partial_after: index.partial_after,
        ingest_wait: index.wait.min(longest_wait),
        few_files_wait: index.few_files_wait.min(longest_wait),
        embedding_wait: index.embedding_wait.min(longest_wait),
        rankers: Rankers::built_in(),
        model: match search.model {
            ModelSetting::None => None,
            ModelSetting::Static => {
                Some(EmbeddingModel { name: models::STATIC.to_owned(), embedder: Arc::new(BuiltIn) })
            }
            ModelSetting::Hash => {
                let name = ModelSetting::Hash.as_str().to_owned();
                Some(EmbeddingModel { name, embedder: Arc::new(HashModel) })
            }
        },
        embedding_store: Some(EmbeddingStoreSettings { path: embeddings, most_bytes: installed.embeddings_bytes }),
        on_battery: (!installed.on_battery).then(|| Arc::new(recall_os::runs_on_battery) as _),
        rerank: rescore(search.rerank_candidates),
        prerank: rescore(search.prerank_candidates),
        judge: JudgeSettings {
            candidates: search.judge_candidates,
            wait: search.judge_wait.min(longest_wait),
            weight: search.judge_weight,
            ..JudgeSettings::default()
        },
        memory: MemorySettings::default(),
        past: PastSettings {
            files: past.files.get() as u64,
            bytes: past.bytes,
            file_bytes: past.file_bytes,
            kept: past.kept.get(),
        },
        why: WhySettings {
            lines: u32::try_from(why.lines.get()).unwrap_or(u32::MAX),
            wait: why.wait.min(longest_wait),
            edit_wait: why.edit_wait.min(longest_wait),
            edit_history: Some(why.edit_history),
            removed_wait: why.removed_wait.min(longest_wait),
        },
        watch: true,
        code_parser: None,
        shared: Vec::new(),
    }
}

/// Returns the settings of a project. If its configuration is wrong, returns the user's, with a warning.
fn store_settings(dirs: &Dirs, environment: &Environment, user: &Settings, root: &Path) -> StoreSettings {
    let (settings, mut warnings): (_, Vec<String>) = match Settings::load(dirs, Some(root), environment, &[]) {
        Ok(loaded) => (loaded.settings, loaded.warnings.iter().map(ToString::to_string).collect()),
        Err(error) => (user.clone(), vec![error_chain(&error)]),
    };
    let Settings { limits, index, search, freshness, review, adopt, transcripts, briefing, sessions, .. } = settings;
    let unknown = search.domains.iter().filter(|name| !user.roots.domains.contains_key(*name));
    warnings
        .extend(unknown.map(|name| format!("`search.domains` names `{name}`, which `roots.domains` does not define")));
    StoreSettings {
        limits,
        include: index.include,
        exclude: index.exclude,
        types: index.types,
        chunks_per_document: search.per_document.get(),
        weights: Weights { bm25: search.bm25_weight, ..Weights::default() },
        ranker: match search.ranker {
            RankerSetting::BuiltIn => RankerUse::BuiltIn,
            RankerSetting::None => RankerUse::Fusion,
        },
        learns_from_history: search.history,
        low_confidence: search.low_confidence,
        domains: search.domains,
        adopt: AdoptSettings {
            instructions: adopt.instructions,
            auto_memory: adopt.auto_memory,
            auto_memory_files: adopt.auto_memory_files,
            home: adopt.home,
        },
        transcripts: TranscriptSettings {
            read: transcripts.read,
            files: transcripts.files,
            age: transcripts.age,
            bytes: transcripts.bytes,
        },
        share: sessions.share,
        traces: sessions.traces,
        briefing: BriefingParts { profile: briefing.profile, history: briefing.history, tasks: briefing.tasks },
        freshness,
        review,
        warnings,
        files: vec![dirs.user_config(), Dirs::project_config(root)],
    }
}

/// Returns the stores by name, without connecting to any. One that cannot be used says so to each search and publication.
fn shared_stores(settings: &Settings, environment: &Environment) -> Vec<Guarded> {
    let stores = settings.stores.iter().map(|(name, config)| {
        let key = environment.store_keys.get(name).cloned().unwrap_or_default();
        match shared_store(config, key) {
            Ok(store) => Guarded::new(name.clone(), store),
            Err(error) => {
                let reason = error_chain(&error);
                tracing::error!(store = name, reason, "the shared store cannot be used");
                Guarded::unusable(name.clone(), reason)
            }
        }
    });
    stores.collect()
}

fn shared_store(config: &StoreConfig, key: String) -> Result<Arc<dyn SharedStore>, StoreError> {
    let StoreConfig { kind, address, tenant, deadline, publish_deadline, read, authentication, spread } =
        config.clone();
    match kind {
        StoreKind::Postgres => Ok(Arc::new(Postgres::new(&PostgresSettings {
            address,
            password: key,
            authentication: match authentication {
                PasswordMethod::Scram => Authentication::Scram,
                PasswordMethod::Any => Authentication::Any,
            },
            tenant,
            deadline,
            read: match read {
                ReadFrom::Any => Replica::Any,
                ReadFrom::Primary => Replica::Primary,
            },
            publish_deadline,
        })?)),
        StoreKind::Qdrant => {
            let SpreadConfig { shards, replicas, write_consistency } = spread;
            let spread = Spread { shards, replicas, write_consistency };
            let clock = Arc::new(|| (SystemClock.now().as_millis() / 1_000).max(0).cast_unsigned());
            let settings = QdrantSettings { address, key, tenant, deadline, publish_deadline, spread, clock };
            Ok(Arc::new(Qdrant::new(settings)?))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_answers_before_its_deadline_though_the_index_is_not_ready() {
        let mut settings = Settings::default();
        settings.index.first_wait = Duration::from_mins(1);
        settings.daemon.request_timeout = Duration::from_secs(30);
        assert_eq!(engine_settings(&settings, "/embeddings.db".into()).first_index_wait, Duration::from_secs(28));
    }

    fn project_settings(configuration: &str, user: &Settings) -> StoreSettings {
        let home = tempfile::tempdir().expect("a temporary directory");
        let environment = Environment { recall_home: Some(home.path().to_owned()), ..Environment::default() };
        let dirs = Dirs::from_environment(&environment).expect("absolute");
        let root = home.path().join("project");
        std::fs::create_dir_all(root.join(".recall")).expect("writable");
        std::fs::write(root.join(".recall/recall.toml"), configuration).expect("writable");
        store_settings(&dirs, &environment, user, &root)
    }

    #[test]
    fn a_project_decides_how_its_chunks_are_cut_and_ranked() {
        let configuration = "limits.chunk_tokens = 100\nsearch.per_document = 5\nsearch.bm25_weight = 0.5\n";
        let found = project_settings(configuration, &Settings::default());
        assert_eq!((found.limits.chunk_tokens, found.chunks_per_document), (100, 5));
        assert_eq!(found.weights.bm25, Some(0.5));
    }

    #[test]
    fn a_project_chooses_its_ranker() {
        let chosen = |configuration| project_settings(configuration, &Settings::default()).ranker;
        assert_eq!(chosen(""), RankerUse::BuiltIn);
        assert_eq!(chosen("search.ranker = \"none\""), RankerUse::Fusion);
    }

    #[test]
    fn an_unknown_domain_is_a_warning() {
        let mut user = Settings::default();
        user.roots.domains.insert("team".to_owned(), "/srv/team".into());
        let found = project_settings("search.domains = [\"team\", \"ops\"]\n", &user);
        assert_eq!(found.domains, ["team", "ops"]);
        assert_eq!(found.warnings, ["`search.domains` names `ops`, which `roots.domains` does not define"]);
    }

    #[test]
    fn a_wrong_project_configuration_is_a_warning_and_is_ignored() {
        let mut user = Settings::default();
        user.limits.hits = 7;
        let found = project_settings("[limits\n", &user);
        assert_eq!((found.limits.hits, found.warnings.len()), (7, 1));
        assert!(found.warnings[0].contains("recall.toml"), "{:?}", found.warnings);
    }
}
