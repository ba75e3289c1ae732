//! The stores that a team shares, and what is published to them, as requests name it.

use recall_core::{Scope, StoreScope};
use recall_shared::{Guarded, Place, StoreError, WholeDocument};
use recall_text::DocPath;

use crate::Engine;
use crate::origin::Origin;

impl Engine {
    /// Returns the shared stores that a request is about.
    pub(crate) fn shared_stores(&self, origin: &Origin, scope: Scope) -> impl Iterator<Item = &Guarded> {
        let is_present = !origin.is_past(&self.registry.places);
        let meant = origin.domain.clone().filter(|_| scope == Scope::Domain);
        let is_meant = move |store: &&Guarded| meant.as_ref().is_none_or(|name| *name == store.name);
        self.settings.shared.iter().filter(move |_| is_present && scope.sees(StoreScope::Domain)).filter(is_meant)
    }

    /// Returns the origin with which a request that may ask shared stores finds those of this machine; `None` if it asks none of these.
    ///
    /// A client may name a shared store as its domain. The domain of this machine is then another one, and a request for the domain asks
    /// the shared store alone.
    pub(crate) fn local_origin(&self, origin: &Origin, scope: Scope) -> Option<Origin> {
        let names_shared = self.settings.shared.iter().any(|store| Some(&store.name) == origin.domain.as_ref());
        match (names_shared, scope) {
            (true, Scope::Domain) => None,
            (true, _) => Some(Origin { domain: None, ..origin.clone() }),
            (false, _) => Some(origin.clone()),
        }
    }

    /// Returns the document with a path like `platform/github.com/acme/api/src/lib.rs`, and its store; `None` if no shared store has it.
    ///
    /// # Errors
    /// The store that the path begins with does not answer; its name is returned too.
    pub(crate) fn published_document(
        &self,
        origin: &Origin,
        scope: Scope,
        path: &DocPath,
    ) -> Result<Option<(&Guarded, WholeDocument)>, (String, StoreError)> {
        for store in self.shared_stores(origin, scope) {
            let Some(rest) = path.as_str().strip_prefix(&*store.name).and_then(|rest| rest.strip_prefix('/')) else {
                continue;
            };
            match store.document(&places(rest)) {
                Ok(Some(found)) => return Ok(Some((store, found))),
                // Nothing was published yet.
                Ok(None) | Err(StoreError::Empty) => {}
                Err(error) => return Err((store.name.clone(), error)),
            }
        }
        Ok(None)
    }
}

/// Splits the name of a chunk, which is its document's path and its number.
pub(crate) fn split_chunk(name: &str) -> Option<(&str, u32)> {
    let (path, ordinal) = name.rsplit_once('#')?;
    Some((path, ordinal.parse().ok()?))
}

/// Returns what a path in a store may mean: names of repositories have slashes too.
fn places(path: &str) -> Vec<Place> {
    let split = |(at, _): (usize, &str)| Place { repository: path[..at].to_owned(), path: path[at + 1..].to_owned() };
    path.match_indices('/').map(split).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chunk_is_named_by_its_number() {
        assert_eq!(split_chunk("platform/acme/a.rs#3"), Some(("platform/acme/a.rs", 3)));
        assert_eq!(split_chunk("platform/acme/c#/a#1.rs#0"), Some(("platform/acme/c#/a#1.rs", 0)));
        assert_eq!(split_chunk("platform/acme/c#/a.rs"), None);
        assert_eq!(split_chunk("platform/acme/a.rs"), None);
    }

    #[test]
    fn each_slash_may_end_the_repository() {
        let all = |path| places(path).into_iter().map(|place| (place.repository, place.path)).collect::<Vec<_>>();
        let place = |repository: &str, path: &str| (repository.to_owned(), path.to_owned());
        assert_eq!(all("acme/api/a.rs"), [place("acme", "api/a.rs"), place("acme/api", "a.rs")]);
        assert_eq!(all("a.rs"), []);
    }
}
