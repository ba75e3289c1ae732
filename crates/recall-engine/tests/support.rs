//! A project in a temporary folder, and an engine over it.

#![allow(dead_code, reason = "each test program uses a part of it")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use recall_core::{
    AddMemory, Clock, Explain, Freshness, Limits, MemoryType, Provenance, Repeats, ReviewPolicy, Scope, SearchRequest,
    SessionShare, Timestamp,
};
use recall_engine::{
    Answer, Cancel, EmbeddingModel, Engine, EngineSettings, Hit, IndexReport, IndexRequest, JournalSource, Origin,
    Places, RootCheck, StoreSettings, WhySettings,
};
use recall_journal::{Disk, Storage};

/// The real time: file times are compared with it.
pub(crate) struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the one place in these tests that asks for the time")]
    fn now(&self) -> Timestamp {
        Timestamp::from(std::time::SystemTime::now())
    }
}

/// A project and a home, deleted when this is dropped.
pub(crate) struct Sandbox {
    folder: tempfile::TempDir,
    pub(crate) limits: Limits,
    pub(crate) share: SessionShare,
    /// How long a search waits for changes that are being indexed.
    pub(crate) ingest_wait: Duration,
    pub(crate) traces: bool,
    pub(crate) freshness: Freshness,
    pub(crate) review: ReviewPolicy,
    pub(crate) learns_from_history: bool,
}

impl Sandbox {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::create_dir_all(folder.path().join("project")).expect("a project");
        // A scan before every search: these tests are about its results, not about its interval.
        let limits = Limits { scan_interval: Duration::ZERO, scan_wait: Duration::from_secs(30), ..Limits::default() };
        Self {
            folder,
            limits,
            share: SessionShare::default(),
            ingest_wait: Duration::from_secs(30),
            traces: false,
            freshness: Freshness::default(),
            review: ReviewPolicy::default(),
            learns_from_history: true,
        }
    }

    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let sandbox = Self::new();
        for (path, text) in files {
            sandbox.write(path, text);
        }
        sandbox
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().expect("it exists").join("project")
    }

    pub(crate) fn home(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().expect("below the root")).expect("a folder");
        fs::write(path, text).expect("written");
    }

    /// Returns an engine over the sandbox, as that of a daemon that was just started.
    pub(crate) fn engine(&self) -> Engine {
        self.engine_with(None)
    }

    /// The same with a model.
    pub(crate) fn engine_with(&self, model: Option<EmbeddingModel>) -> Engine {
        self.engine_by(EngineSettings { model, ..EngineSettings::default() })
    }

    /// The same with settings.
    pub(crate) fn engine_by(&self, settings: EngineSettings) -> Engine {
        let journals = |root: &Path, below: &Path| Arc::new(Disk::below(root, below)) as Arc<dyn Storage>;
        self.engine_at(self.folder.path(), settings, Arc::new(SystemClock), Box::new(journals))
    }

    /// The same with a clock.
    pub(crate) fn engine_by_clock(&self, clock: Arc<dyn Clock>) -> Engine {
        let journals = |root: &Path, below: &Path| Arc::new(Disk::below(root, below)) as Arc<dyn Storage>;
        self.engine_at(self.folder.path(), EngineSettings::default(), clock, Box::new(journals))
    }

    /// The same with other places, a clock and journals.
    pub(crate) fn engine_at(
        &self,
        place: &Path,
        settings: EngineSettings,
        clock: Arc<dyn Clock>,
        journals: Box<JournalSource>,
    ) -> Engine {
        let places = Places {
            global_root: place.join("global"),
            stores: place.join("stores"),
            config_home: None,
            home: None,
            agents: std::collections::BTreeMap::new(),
            allowed_roots: Vec::new(),
            domains: std::collections::BTreeMap::new(),
        };
        let (limits, share, freshness) = (self.limits.clone(), self.share, self.freshness.clone());
        let (learns_from_history, traces, review) = (self.learns_from_history, self.traces, self.review);
        // What git is asked for does not depend on how busy the machine is.
        let long = Duration::from_secs(30);
        let removed_wait = if settings.why.removed_wait.is_zero() { Duration::ZERO } else { long };
        let why = WhySettings { edit_wait: long, removed_wait, wait: long, ..settings.why };
        let settings = EngineSettings { ingest_wait: self.ingest_wait, why, ..settings };
        let store_settings = move |_: &Path| StoreSettings {
            limits: limits.clone(),
            share,
            traces,
            freshness: freshness.clone(),
            learns_from_history,
            review,
            ..StoreSettings::default()
        };
        Engine::with_journals(places, settings, Box::new(store_settings), clock, journals)
    }

    pub(crate) fn origin(&self) -> Origin {
        Origin { directory: self.root(), project: Some(self.root()), root_check: RootCheck::Refuse, domain: None }
    }

    pub(crate) fn search(&self, engine: &Engine, query: &str) -> Answer {
        engine.search(&self.origin(), &request(query)).expect("an answer")
    }

    pub(crate) fn index(&self, engine: &Engine) -> IndexReport {
        engine.index(&self.origin(), &everything(), &mut |_| {}, &Cancel::default()).expect("indexed")
    }
}

/// A new memory of the project, kept also if it repeats another one.
pub(crate) fn new_memory(memory_type: MemoryType, title: impl Into<String>, content: impl Into<String>) -> AddMemory {
    AddMemory {
        memory_type,
        title: title.into(),
        content: content.into(),
        scope: Scope::Project,
        tags: Vec::new(),
        cues: Vec::new(),
        related_files: Vec::new(),
        supersedes: None,
        repeats: Repeats::Accept,
        source: None,
        origin: None,
        key: None,
        provenance: Provenance::default(),
        valid: recall_core::WordedTime::default(),
    }
}

/// Returns a request for ten hits in all scopes.
pub(crate) fn request(query: &str) -> SearchRequest {
    SearchRequest { explain: Explain::On, ..SearchRequest::new(query, Scope::All, 10) }
}

/// Returns a request to index the whole project.
pub(crate) fn everything() -> IndexRequest {
    IndexRequest::everything(Scope::Project)
}

/// Returns hits without the times at which their files were first indexed. Only the index knows them, so a new one has others.
pub(crate) fn undated(hits: Vec<Hit>) -> Vec<Hit> {
    hits.into_iter().map(|hit| Hit { created: hit.created.filter(|_| hit.memory.is_some()), ..hit }).collect()
}

/// Returns the paths of the hits, best first.
pub(crate) fn paths(answer: &Answer) -> Vec<&str> {
    answer.hits.iter().map(|hit| hit.document.path.as_str()).collect()
}
