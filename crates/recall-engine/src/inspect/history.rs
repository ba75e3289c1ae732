//! The commits that changed a document.

use recall_core::{Citation, Scope};
use recall_index::catalog::ReadError;
use recall_text::DocPath;

use crate::error::GetError;
use crate::git::{DocumentCommit, Git};
use crate::graph::name::Name;
use crate::origin::Origin;
use crate::store::Store;
use crate::warning::Warning;
use crate::{Engine, mask};

/// A request for the commits that changed a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryRequest {
    /// The id of a document or of a chunk, or a path below the root.
    pub id: String,
    /// The stores to search, the project's first.
    pub scope: Scope,
    /// The most commits in the answer; the latest ones.
    pub limit: usize,
}

/// The commits that changed a document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    /// The path of the document.
    pub path: String,
    /// The commits, the latest first, with secrets masked.
    pub commits: Vec<DocumentCommit>,
    /// Conditions that affect the answer.
    pub warnings: Vec<Warning>,
}

impl Engine {
    /// Returns the latest commits of the current branch that changed a document. A memory, and a file that git does not know, have none.
    ///
    /// # Errors
    /// The id or path is unknown, or a store cannot be opened or read.
    pub fn history(&self, origin: &Origin, request: &HistoryRequest) -> Result<History, GetError> {
        let not_found = || GetError::NotFound { id: request.id.clone() };
        let names: Vec<Name> =
            Citation::readings(request.id.trim()).filter_map(|read| self.name(origin, read.document)).collect();
        for store in self.fresh_stores(origin, request.scope)?.stores {
            for name in names.iter().filter_map(|name| name.in_store(&store)) {
                if let Some(path) = path_of(&store, &name)? {
                    let shown = mask::shown_path(store.mount.outer(path.as_str()));
                    return Ok(history_of(&store, &path, shown, request.limit));
                }
            }
        }
        Err(not_found())
    }
}

/// Returns the path of a document as its store has it; `None` if the store does not have it.
fn path_of(store: &Store, name: &Name) -> Result<Option<DocPath>, GetError> {
    let found = store.index.read(|snapshot| match name {
        Name::Document(id) => Ok(snapshot.document(*id)?.map(|stored| stored.document)),
        Name::Chunk(id) => Ok(snapshot.chunk(*id)?.map(|stored| stored.document.document)),
        Name::Paths(paths) => {
            let at = |path: &DocPath| Ok::<_, ReadError>(snapshot.document_at(path)?.map(|stored| stored.document));
            paths.iter().map(at).find_map(Result::transpose).transpose()
        }
    })?;
    Ok(found.map(|document| document.path))
}

fn history_of(store: &Store, path: &DocPath, shown: String, limit: usize) -> History {
    let Some(mut commits) = Git::at(&store.root).commits_of(path, limit) else {
        let warnings = vec![Warning::HistoryUnread { path: shown.clone() }];
        return History { path: shown, commits: Vec::new(), warnings };
    };
    for commit in &mut commits {
        mask::text(&mut commit.author);
        mask::text(&mut commit.subject);
    }
    History { path: shown, commits, warnings: Vec::new() }
}
