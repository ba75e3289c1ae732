//! An engine that reports the features of the candidates of a query.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use recall_core::{
    Ablation, AddMemory, Clock, DocumentType, Filters, MemoryType, Provenance, Repeats, Scope, SearchRequest,
    StartSession, Timestamp, title_of,
};
use recall_engine::{
    Cancel, ContentKind, EmbeddingModel, Encoders, Engine, EngineSettings, FeatureSet, IndexError, IndexRequest,
    MemoryError, Origin, Places, RankedDocument, Rankers, RemindRequest, Reminders, RootCheck, SearchError,
    SessionError, StoreSettings, WhySettings,
};
use recall_models::{BuiltIn, OnnxEncoder, OnnxSettings, Runtime};

use crate::training::arguments::{Knows, MineArguments};
use crate::training::comments::Body;
use crate::training::questions;

/// An engine over one folder.
pub(crate) struct QueryEngine {
    engine: Engine,
    origin: Origin,
}

/// The embedding models of the engine.
pub(crate) struct Models {
    instant: EmbeddingModel,
    encoder: Option<EmbeddingModel>,
}

impl Knows {
    /// The engine's name of the feature set.
    pub(crate) fn feature_set(self) -> FeatureSet {
        match self {
            Self::Words => FeatureSet::Words,
            Self::Meaning => FeatureSet::Semantic,
        }
    }

    /// The name of the output subfolder.
    pub(crate) fn folder(self) -> &'static str {
        match self {
            Self::Words => "words",
            Self::Meaning => "meaning",
        }
    }

    /// The stages to disable.
    fn without(self) -> Vec<Ablation> {
        match self {
            Self::Words => vec![Ablation::Semantic],
            Self::Meaning => Vec::new(),
        }
    }
}

impl Models {
    /// Opens the models given on the command line.
    pub(crate) fn open(arguments: &MineArguments) -> Result<Self, Box<dyn Error + Send + Sync>> {
        let (Some(folder), Some(library)) = (&arguments.encoder, &arguments.runtime) else {
            return Ok(Self::instant());
        };
        let runtime = Runtime::open(library)?;
        let encoder = OnnxEncoder::open("encoder", folder, &runtime, &OnnxSettings::default())?;
        let encoder = EmbeddingModel { name: "encoder".to_owned(), embedder: Arc::new(encoder) };
        Ok(Self { encoder: Some(encoder), ..Self::instant() })
    }

    /// Uses only the built-in model.
    pub(crate) fn instant() -> Self {
        let instant = EmbeddingModel { name: "static".to_owned(), embedder: Arc::new(BuiltIn) };
        Self { instant, encoder: None }
    }
}

struct Now;

impl Clock for Now {
    #[expect(clippy::disallowed_methods, reason = "this is the clock")]
    fn now(&self) -> Timestamp {
        Timestamp::from(SystemTime::now())
    }
}

impl QueryEngine {
    /// Creates an engine that keeps its stores in `home`.
    pub(crate) fn new(root: &Path, home: &Path, models: &Models, rankers: Rankers) -> Self {
        let places = Places {
            global_root: home.join("global"),
            stores: home.join("stores"),
            config_home: None,
            home: None,
            agents: std::collections::BTreeMap::new(),
            allowed_roots: Vec::new(),
            domains: std::collections::BTreeMap::new(),
        };
        let engine = Engine::new(
            places,
            EngineSettings {
                model: Some(models.instant.clone()),
                // What is found does not depend on how busy the machine is.
                why: WhySettings { edit_wait: Duration::from_secs(10), edit_history: None, ..WhySettings::default() },
                ..EngineSettings::ranked_by(rankers)
            },
            Box::new(|_: &Path| StoreSettings::default()),
            Arc::new(Now),
        );
        engine.use_encoders(Encoders { selected: models.encoder.clone(), ..Encoders::default() });
        let root: PathBuf = root.to_owned();
        let origin =
            Origin { directory: root.clone(), project: Some(root), root_check: RootCheck::Force, domain: None };
        Self { engine, origin }
    }

    /// Updates the index.
    pub(crate) fn refresh(&self) -> Result<(), IndexError> {
        let request = IndexRequest::everything(Scope::Project);
        self.engine.index(&self.origin, &request, &mut |_| {}, &Cancel::default()).map(|_| ())
    }

    /// Adds the body of a commit as a memory, some with the commit's subject as their title. Returns its id.
    pub(crate) fn remember(&self, number: usize, body: &Body) -> Result<String, Box<dyn Error + Send + Sync>> {
        let types = [MemoryType::Lesson, MemoryType::Decision, MemoryType::Failure, MemoryType::Note];
        let there = body.files.iter().filter(|file| self.origin.directory.join(file).is_file());
        let request = AddMemory {
            memory_type: types[number % types.len()],
            title: if questions::is_titled(number) { questions::title(body) } else { title_of(&body.text) },
            content: body.text.clone(),
            scope: Scope::Project,
            tags: Vec::new(),
            cues: Vec::new(),
            related_files: if number.is_multiple_of(2) { there.cloned().collect() } else { Vec::new() },
            supersedes: None,
            repeats: Repeats::Accept,
            source: None,
            origin: None,
            key: None,
            provenance: Provenance::default(),
            valid: recall_core::WordedTime::default(),
        };
        Ok(self.add(&request)?)
    }

    /// Adds a memory. Returns its id.
    pub(crate) fn add(&self, memory: &AddMemory) -> Result<String, MemoryError> {
        Ok(self.engine.add_memory(&self.origin, memory)?.id.to_string())
    }

    /// Waits until all memories are indexed.
    pub(crate) fn settle(&self) -> Result<(), SearchError> {
        self.engine.settle(&self.origin, Scope::Project)
    }

    /// Returns those of some files that the folder has.
    pub(crate) fn retain_present(&self, mut files: Vec<String>) -> Vec<String> {
        files.retain(|file| self.origin.directory.join(file).is_file());
        files
    }

    /// Starts a session.
    pub(crate) fn start_session(&self, request: &StartSession) -> Result<(), SessionError> {
        self.engine.start_session(&self.origin, request).map(|_| ())
    }

    /// Returns what an agent should know on an occasion.
    pub(crate) fn remind(&self, request: &RemindRequest) -> Result<Reminders, SearchError> {
        self.engine.remind(&self.origin, request)
    }

    /// Returns the features of the relevance for each candidate of any kind.
    pub(crate) fn candidates_of_all_kinds(
        &self,
        query: &str,
        knows: Knows,
    ) -> Result<Vec<RankedDocument>, SearchError> {
        let request = SearchRequest { without: knows.without(), ..SearchRequest::new(query, Scope::Project, 10) };
        self.engine.settle(&self.origin, Scope::Project)?;
        self.engine.candidates(&self.origin, &request)
    }

    /// Returns the features of each candidate of one kind.
    pub(crate) fn candidates(
        &self,
        query: &str,
        kind: ContentKind,
        knows: Knows,
    ) -> Result<Vec<RankedDocument>, SearchError> {
        let types =
            DocumentType::ALL.into_iter().filter(|&one| (one == DocumentType::Code) == (kind == ContentKind::Code));
        let filters = Filters { types: types.collect(), ..Filters::default() };
        let without = knows.without();
        let request = SearchRequest { filters, without, ..SearchRequest::new(query, Scope::Project, 10) };
        self.engine.settle(&self.origin, Scope::Project)?;
        let mut candidates = self.engine.candidates(&self.origin, &request)?;
        let width = recall_engine::feature_names(knows.feature_set()).len();
        for document in &mut candidates {
            document.features.truncate(width);
        }
        Ok(candidates)
    }
}

impl Drop for QueryEngine {
    fn drop(&mut self) {
        self.engine.close();
    }
}
