//! The provenance of a request, completed from git and the store.

use recall_core::{Provenance, StoreScope};

use crate::git::Head;
use crate::mask;
use crate::store::Store;

/// Fills the branch, commit and project's name that the client did not send, and masks secrets. The project's path is not filled:
/// journals are shared, and a path of one machine means nothing on another.
pub(crate) fn complete(said: &Provenance, head: &Head, store: &Store) -> Provenance {
    let Provenance { session, agent, mode, branch, commit, project, project_path } = said.clone();
    let name = || match store.scope {
        StoreScope::Project => store.root.file_name().map(|name| name.to_string_lossy().into_owned()),
        StoreScope::Global | StoreScope::Domain => None,
    };
    mask::provenance(Provenance {
        session,
        agent,
        mode,
        branch: branch.or_else(|| head.branch.clone()),
        commit: commit.or_else(|| head.commit.clone()),
        project: project.or_else(name),
        project_path,
    })
}

/// Completes the client's provenance with the current branch and commit of the store's root.
pub(crate) fn where_of(store: &Store, said: &Provenance) -> Provenance {
    complete(said, &Head::read_from(&store.root), store)
}
