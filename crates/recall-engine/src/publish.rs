//! The publish use case: a project's branch in a store that a team shares.
//!
//! A publication takes the files that git tracks and the memories in force, so an untracked file, an imported document or a private
//! summary stays on this machine. The protocol that makes a branch visible as a whole is in `recall-shared`; a failure leaves readers
//! with the previous state.

mod source;

use std::sync::Arc;
use std::time::{Duration, Instant};

use recall_core::Scope;
use recall_shared::{Branch, Difference, Guarded, Model, Outcome, publish, verify};

use crate::Engine;
use crate::error::PublishError;
use crate::index_runs::{Cancel, Progress};
use crate::indexing::IndexRequest;
use crate::operations::OperationKind;
use crate::origin::Origin;
use crate::shared::{current_branch, model_of, repository_name};
use source::Documents;

/// What is published, and where.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PublishRequest {
    /// The name of the store in the configuration; `None` if there is only one.
    pub store: Option<String>,
    /// The name of the repository; `None` for that of its remote.
    pub repository: Option<String>,
    /// The name of the branch; `None` for the one that is checked out.
    pub branch: Option<String>,
    /// Whether the server's documents are compared with those here one by one.
    pub comparison: Comparison,
}

/// How the server's documents are compared with those here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Comparison {
    /// By one digest of all documents, which costs one request if nothing changed.
    #[default]
    Digest,
    /// One by one. What is missing is sent again.
    Each,
}

/// The state of the branch after a publication, and what it took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishReport {
    /// The name of the store.
    pub store: String,
    /// The repository and the branch.
    pub branch: Branch,
    /// The generation that readers see, and how much was sent.
    pub outcome: Outcome,
    /// What differed, if it was compared one by one.
    pub difference: Option<Difference>,
    /// How long it took, without the indexing before.
    pub took: Duration,
}

impl Engine {
    /// Indexes the project, and publishes what git tracks of it and its memories.
    ///
    /// # Errors
    /// No such store is configured, the branch is unknown, the project cannot be indexed or read, the store failed, or it was
    /// cancelled. Readers see the previous state then.
    pub fn publish(
        &self,
        origin: &Origin,
        request: &PublishRequest,
        progress: &mut dyn FnMut(Progress),
        cancel: &Cancel,
    ) -> Result<PublishReport, PublishError> {
        let shared = self.shared_store(request.store.as_deref())?;
        self.index(origin, &IndexRequest::everything(Scope::Project), progress, cancel)?;
        let began = Instant::now();
        let store = self.single_store(origin, Scope::Project)?;
        let repository = request.repository.clone().unwrap_or_else(|| repository_name(&store.root));
        let name = request.branch.clone().or_else(|| current_branch(&store.root)).ok_or(PublishError::NoBranch)?;
        let branch = Branch { repository, name };
        let model: Option<Model> = self.settings.model.as_ref().map(|model| model_of(&*model.embedder));
        let embedder = self.settings.model.as_ref().map(|model| Arc::clone(&model.embedder));
        let operation = self.operations.begin(OperationKind::Publish, &self.place_of_operations(origin));
        let documents = Documents::list(&store, embedder, operation, cancel)?;
        let failed = |source| PublishError::new(shared.name.clone(), source);
        let server = shared.store().map_err(|error| failed(recall_shared::PublishError::Store(error)))?;
        let (difference, outcome) = match request.comparison {
            Comparison::Digest => (None, publish(&**server, &branch, model.as_ref(), &documents).map_err(failed)?),
            Comparison::Each => {
                let (difference, outcome) = verify(&**server, &branch, model.as_ref(), &documents).map_err(failed)?;
                let unchanged = Outcome { documents: documents.count(), ..Outcome::default() };
                (Some(difference), outcome.unwrap_or(unchanged))
            }
        };
        Ok(PublishReport { store: shared.name.clone(), branch, outcome, difference, took: began.elapsed() })
    }

    fn shared_store(&self, name: Option<&str>) -> Result<&Guarded, PublishError> {
        let all = &self.settings.shared;
        let known = || all.iter().map(|store| store.name.clone()).collect::<Vec<_>>();
        match (name, &all[..]) {
            (_, []) => Err(PublishError::NoStores),
            (None, [one]) => Ok(one),
            (None, _) => Err(PublishError::SeveralStores { known: known() }),
            (Some(name), _) => all
                .iter()
                .find(|store| store.name == name)
                .ok_or_else(|| PublishError::NoStore { name: name.to_owned(), known: known() }),
        }
    }
}
