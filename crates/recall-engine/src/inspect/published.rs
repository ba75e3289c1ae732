//! Lookup of a document that was published to a shared store, by the path that answers show.

use std::path::PathBuf;

use recall_core::{DocPath, Generation, StoreScope};
use recall_shared::{Guarded, Place, StoreError, WholeDocument};

use super::get::{Item, ItemRequest};
use crate::Engine;
use crate::coverage::Coverage;
use crate::error::GetError;
use crate::origin::Origin;
use crate::shared::{Record, shown};

impl Engine {
    /// Returns the document with a path like `platform/github.com/acme/api/src/lib.rs`; `None` if no shared store has one.
    ///
    /// # Errors
    /// The store that the path begins with does not answer.
    pub(super) fn get_published(&self, origin: &Origin, request: &ItemRequest) -> Result<Option<Item>, GetError> {
        let Ok(path) = DocPath::new(request.id.trim()) else { return Ok(None) };
        for store in self.shared_stores(origin, request.scope) {
            let Some(rest) = path.as_str().strip_prefix(&*store.name).and_then(|rest| rest.strip_prefix('/')) else {
                continue;
            };
            match store.document(&places(rest)) {
                Ok(found) => return Ok(found.and_then(|found| item(store, found))),
                // Nothing was published yet.
                Err(StoreError::Empty) => {}
                Err(source) => return Err(GetError::Shared { store: store.name.clone(), source }),
            }
        }
        Ok(None)
    }
}

/// Returns what a path in a store may mean: names of repositories have slashes too.
fn places(path: &str) -> Vec<Place> {
    let split = |(at, _): (usize, &str)| Place { repository: path[..at].to_owned(), path: path[at + 1..].to_owned() };
    path.match_indices('/').map(split).collect()
}

/// Returns `None` if another version of recall published the document in another form.
fn item(store: &Guarded, found: WholeDocument) -> Option<Item> {
    let WholeDocument { document, text } = found;
    let record = Record::decode(&document.path, &document.record)?;
    Some(Item {
        scope: StoreScope::Domain,
        coverage: Coverage {
            scope: StoreScope::Domain,
            root: PathBuf::from(&store.name),
            generation: Generation::default(),
            documents: 1,
            newest: Some(record.document.modified),
            is_elsewhere: false,
            indexing: None,
        },
        document: shown(&store.name, &document.repository, record.document),
        chunk: None,
        text,
        parent_text: None,
        symbols: record.symbols,
        memory: None,
        warnings: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_slash_may_end_the_repository() {
        let all = |path| places(path).into_iter().map(|place| (place.repository, place.path)).collect::<Vec<_>>();
        let place = |repository: &str, path: &str| (repository.to_owned(), path.to_owned());
        assert_eq!(all("acme/api/a.rs"), [place("acme", "api/a.rs"), place("acme/api", "a.rs")]);
        assert_eq!(all("a.rs"), []);
    }
}
