//! Who does it, and where? What the client does not say, git and the store do.

use recall_core::{Provenance, StoreScope};

use crate::git::Head;
use crate::mask;
use crate::store::Store;

/// Completes what the client said. Of the project's path only what the client says is kept: a journal is shared, and where a
/// project lies on one machine means nothing on another.
pub(crate) fn completed(said: &Provenance, head: &Head, store: &Store) -> Provenance {
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

/// Who does it, and where, completed by what git and the store say.
pub(crate) fn where_of(store: &Store, said: &Provenance) -> Provenance {
    completed(said, &Head::of(&store.root), store)
}
