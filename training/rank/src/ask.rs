//! What does the ranker see when a query is asked?

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use recall_core::{Ablation, Clock, DocumentType, Filters, Scope, SearchRequest, Timestamp};
use recall_engine::{
    Basis, Cancel, EmbeddingModel, Encoders, Engine, EngineSettings, IndexError, IndexRequest, Origin, Places,
    RankedDocument, Rankers, RootCheck, SearchError, Side, StoreSettings,
};
use recall_models::{BuiltIn, OnnxEncoder, OnnxSettings, Runtime};

use crate::arguments::{Knows, MineArguments};

/// An engine over one folder.
pub(crate) struct Asked {
    engine: Engine,
    origin: Origin,
}

/// What tells the engine the meaning.
pub(crate) struct Models {
    instant: EmbeddingModel,
    encoder: Option<EmbeddingModel>,
}

impl Knows {
    /// What the engine's features of it are called.
    pub(crate) fn basis(self) -> Basis {
        match self {
            Self::Words => Basis::Words,
            Self::Meaning => Basis::Meaning,
        }
    }

    /// The folder of the queries that are mined for it, below that of all.
    pub(crate) fn folder(self) -> &'static str {
        match self {
            Self::Words => "words",
            Self::Meaning => "meaning",
        }
    }

    /// The stages that are left out where it is all that is known.
    fn without(self) -> Vec<Ablation> {
        match self {
            Self::Words => vec![Ablation::Semantic],
            Self::Meaning => Vec::new(),
        }
    }
}

impl Models {
    /// Opens what the arguments name.
    pub(crate) fn of(arguments: &MineArguments) -> Result<Self, Box<dyn Error + Send + Sync>> {
        let instant = EmbeddingModel { name: "static".to_owned(), embedder: Arc::new(BuiltIn) };
        let (Some(folder), Some(library)) = (&arguments.encoder, &arguments.runtime) else {
            return Ok(Self { instant, encoder: None });
        };
        let runtime = Runtime::open(library)?;
        let encoder = OnnxEncoder::open("encoder", folder, &runtime, &OnnxSettings::default())?;
        let encoder = EmbeddingModel { name: "encoder".to_owned(), embedder: Arc::new(encoder) };
        Ok(Self { instant, encoder: Some(encoder) })
    }
}

struct Now;

impl Clock for Now {
    #[expect(clippy::disallowed_methods, reason = "this is the clock")]
    fn now(&self) -> Timestamp {
        Timestamp::from(SystemTime::now())
    }
}

impl Asked {
    /// An engine that keeps its stores in `home`.
    pub(crate) fn new(root: &Path, home: &Path, models: &Models) -> Self {
        let places = Places {
            global_root: home.join("global"),
            stores: home.join("stores"),
            home: None,
            allowed_roots: Vec::new(),
            domains: std::collections::BTreeMap::new(),
        };
        let engine = Engine::new(
            places,
            EngineSettings { model: Some(models.instant.clone()), ..EngineSettings::ranked_by(Rankers::none()) },
            Box::new(|_: &Path| StoreSettings::default()),
            Arc::new(Now),
        );
        engine.use_encoders(Encoders { chosen: models.encoder.clone(), others: Vec::new() });
        let root: PathBuf = root.to_owned();
        let origin =
            Origin { directory: root.clone(), project: Some(root), root_check: RootCheck::Force, domain: None };
        Self { engine, origin }
    }

    /// Brings the index up to the folder.
    pub(crate) fn refresh(&self) -> Result<(), IndexError> {
        let request = IndexRequest {
            paths: Vec::new(),
            scope: Scope::Project,
            recursive: true,
            globs: Vec::new(),
            ignore: Vec::new(),
            tags: Vec::new(),
            source: None,
            document_type: None,
            force: false,
        };
        self.engine.index(&self.origin, &request, &mut |_| {}, &Cancel::default()).map(|_| ())
    }

    /// What a ranker that knows so much sees of each candidate.
    pub(crate) fn candidates(&self, query: &str, side: Side, knows: Knows) -> Result<Vec<RankedDocument>, SearchError> {
        let types = DocumentType::ALL.into_iter().filter(|&kind| (kind == DocumentType::Code) == (side == Side::Code));
        let filters = Filters { types: types.collect(), ..Filters::default() };
        let without = knows.without();
        let request = SearchRequest { filters, without, ..SearchRequest::new(query, Scope::Project, 10) };
        self.engine.settle(&self.origin, Scope::Project)?;
        let mut candidates = self.engine.candidates(&self.origin, &request)?;
        let width = recall_engine::feature_names(knows.basis()).len();
        for document in &mut candidates {
            document.features.truncate(width);
        }
        Ok(candidates)
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        self.engine.close();
    }
}
