//! What does the ranker see when a query is asked?

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use recall_core::{Clock, DocumentType, Filters, Scope, SearchRequest, Timestamp};
use recall_engine::{
    Basis, Cancel, EmbeddingModel, Engine, EngineSettings, IndexError, IndexRequest, Origin, Places, RankedDocument,
    Rankers, RootCheck, SearchError, Side, StoreSettings,
};
use recall_models::BuiltIn;

use crate::arguments::Knows;

/// An engine over one folder.
pub(crate) struct Asked {
    engine: Engine,
    origin: Origin,
}

impl Knows {
    /// What the engine's features of it are called.
    pub(crate) fn basis(self) -> Basis {
        match self {
            Self::Words => Basis::Words,
            Self::Meaning => Basis::Meaning,
        }
    }

    fn model(self) -> Option<EmbeddingModel> {
        match self {
            Self::Words => None,
            Self::Meaning => Some(EmbeddingModel { name: "static".to_owned(), embedder: Arc::new(BuiltIn) }),
        }
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
    pub(crate) fn new(root: &Path, home: &Path, knows: Knows) -> Self {
        let places = Places {
            global_root: home.join("global"),
            stores: home.join("stores"),
            home: None,
            allowed_roots: Vec::new(),
            domains: std::collections::BTreeMap::new(),
        };
        let engine = Engine::new(
            places,
            EngineSettings { rankers: Rankers::none(), model: knows.model(), ..EngineSettings::default() },
            Box::new(|_: &Path| StoreSettings::default()),
            Arc::new(Now),
        );
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

    /// What the ranker sees of each candidate.
    pub(crate) fn candidates(&self, query: &str, side: Side) -> Result<Vec<RankedDocument>, SearchError> {
        let types = DocumentType::ALL.into_iter().filter(|&kind| (kind == DocumentType::Code) == (side == Side::Code));
        let filters = Filters { types: types.collect(), ..Filters::default() };
        let request = SearchRequest { filters, ..SearchRequest::new(query, Scope::Project, 10) };
        self.engine.settle(&self.origin, Scope::Project)?;
        self.engine.candidates(&self.origin, &request)
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        self.engine.close();
    }
}
