//! Stores that a team shares: what is stored of a document, and the name of a repository.
//!
//! The repository's name is the host and path of its remote, so a clone recognises itself and is not searched twice. A record carries
//! the analysis of each chunk, from which any machine computes the features of ranking; chunks, documents and models are named by
//! hashes of their contents, so that a publication can be repeated (ADR 41, ADR 42). What a record says of trust is not believed by
//! its reader.

mod contents;
mod record;

use std::path::{Path, PathBuf};

pub(crate) use contents::{KeyedDocument, document_key, published_document};
pub(crate) use record::{Record, RecordedMemory};

use recall_core::{Document, DocumentId, Embedder, Generation, StoreScope, Timestamp};
use recall_os::git::Repository;
use recall_shared::{Filters, Model, PathCondition, StoreError};
use recall_text::{DocPath, error_chain};

use crate::git::Git;
use crate::warning::{Coverage, Warning};

/// Returns a model as shared stores name it.
pub(crate) fn model_of(embedder: &dyn Embedder) -> Model {
    let fingerprint = embedder.fingerprint().0;
    Model { fingerprint: hex::encode(&fingerprint[..FINGERPRINT_BYTES]), dimensions: embedder.dimensions() }
}

/// Returns a document with the path under which answers show it: its store, its repository, and its path there.
pub(crate) fn in_store(store: &str, repository: &str, mut document: Document) -> Document {
    let path = format!("{store}/{repository}/{}", document.path);
    document.path = DocPath::new(&path).unwrap_or(document.path);
    document.id = DocumentId::from_path(&document.path);
    // The memory itself is in the journal of its project, and can be neither amended nor confirmed from here.
    document.memory = None;
    document
}

/// Returns the filters in the form of the stores. A glob without a directory matches the file name.
pub(crate) fn store_filters(filters: &recall_core::Filters) -> Filters {
    let path = |filter: &recall_core::PathFilter| {
        let text = filter.0.trim_start_matches("./").trim_matches('/');
        if !filter.is_glob() {
            return PathCondition::Below(text.to_owned());
        }
        PathCondition::Glob(if text.contains('/') { text.to_owned() } else { format!("**/{text}") })
    };
    Filters {
        kinds: filters.types.iter().map(|kind| kind.as_str().to_owned()).collect(),
        languages: filters.languages.iter().map(|language| language.as_str().to_owned()).collect(),
        paths: filters.paths.iter().map(path).collect(),
        tags: filters.tags.clone(),
    }
}

/// Returns the warning that a shared store did not answer. One that is paused was reported when it failed.
pub(crate) fn warn_of_failure(store: &str, error: &StoreError) -> Warning {
    let is_new = !matches!(error, StoreError::Resting);
    Warning::SharedStore { store: store.to_owned(), reason: error_chain(error), is_new }
}

/// Returns the state of a shared store as an answer saw it.
pub(crate) fn coverage_of(store: &str, documents: u64, newest: Option<Timestamp>) -> Coverage {
    Coverage {
        scope: StoreScope::Domain,
        root: PathBuf::from(store),
        generation: Generation::default(),
        documents,
        newest,
        is_elsewhere: false,
        is_shared: true,
        indexing: None,
    }
}

/// How many bytes of a fingerprint name a model. Two models share them with a probability of one in 10^38.
const FINGERPRINT_BYTES: usize = 16;

/// Returns the name of the repository that a root belongs to: the host and path of its remote `origin`; without one, the name of
/// the root's folder. A root below the repository's has its path at the end.
pub(crate) fn repository_name(root: &Path) -> String {
    let folder = || root.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let Some(address) = Git::at(root).remote() else { return folder() };
    let name = name_of(&address).unwrap_or_else(folder);
    let below = Repository::find(root).and_then(|known| {
        let below = root.canonicalize().ok()?.strip_prefix(known.work_tree.canonicalize().ok()?).ok()?.to_owned();
        Some(below.to_string_lossy().replace('\\', "/")).filter(|below| !below.is_empty())
    });
    match below {
        Some(below) => format!("{name}/{below}"),
        None => name,
    }
}

/// Returns the name of the branch that is checked out. `None` if there is none, as in most continuous integration.
pub(crate) fn current_branch(root: &Path) -> Option<String> {
    Git::at(root).branch()
}

/// Returns the host and path of an address, without what differs between clones: the scheme, the user, the port and the ending.
fn name_of(address: &str) -> Option<String> {
    let address = address.trim().trim_end_matches('/');
    let address = address.strip_suffix(".git").unwrap_or(address);
    let (host, path) = match address.split_once("://") {
        Some((_, rest)) => rest.split_once('/')?,
        // The form of scp: `git@host:path`.
        None => address.split_once(':').filter(|(host, _)| !host.contains('/'))?,
    };
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let host = host.split_once(':').map_or(host, |(host, _)| host);
    let path = path.trim_start_matches('/');
    (!host.is_empty() && !path.is_empty()).then(|| format!("{}/{path}", host.to_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_of_a_repository_have_one_name() {
        let check = |address: &str, expected: Option<&str>| {
            assert_eq!(name_of(address).as_deref(), expected, "{address}");
        };
        check("https://github.com/acme/api.git", Some("github.com/acme/api"));
        check("https://user:token@GitHub.com:443/acme/api", Some("github.com/acme/api"));
        check("git@github.com:acme/api.git", Some("github.com/acme/api"));
        check("ssh://git@github.com:22/acme/api.git/", Some("github.com/acme/api"));
        check("/srv/git/api.git", None);
        check("../api", None);
        check("https://github.com", None);
    }
}
