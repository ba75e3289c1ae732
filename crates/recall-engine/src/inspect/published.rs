//! Lookup of a document that was published to a shared store, by the path that answers show.

use std::path::PathBuf;

use recall_core::{ChunkId, Generation, StoreScope};
use recall_shared::{Guarded, Place, StoreError, WholeDocument};
use recall_text::DocPath;

use super::get::{Item, ItemRequest, Parent};
use crate::Engine;
use crate::error::GetError;
use crate::origin::Origin;
use crate::shared::{Record, in_store};
use crate::warning::Coverage;

impl Engine {
    /// Returns the document with a path like `platform/github.com/acme/api/src/lib.rs`, or its chunk `…/lib.rs#3`, counted from 0;
    /// `None` if no shared store has one.
    ///
    /// # Errors
    /// The store that the path begins with does not answer.
    pub(super) fn get_published(&self, origin: &Origin, request: &ItemRequest) -> Result<Option<Item>, GetError> {
        let name = request.id.trim();
        if let Some(found) = self.published_at(origin, request, name, None)? {
            return Ok(Some(found));
        }
        match chunk_of(name) {
            Some((path, ordinal)) => self.published_at(origin, request, path, Some(ordinal)),
            None => Ok(None),
        }
    }

    fn published_at(
        &self,
        origin: &Origin,
        request: &ItemRequest,
        path: &str,
        chunk: Option<u32>,
    ) -> Result<Option<Item>, GetError> {
        let Ok(path) = DocPath::new(path) else { return Ok(None) };
        for store in self.shared_stores(origin, request.scope) {
            let Some(rest) = path.as_str().strip_prefix(&*store.name).and_then(|rest| rest.strip_prefix('/')) else {
                continue;
            };
            let found = store.document(&places(rest)).and_then(|found| match (found, chunk) {
                (Some(found), None) => Ok(item(store, found)),
                (Some(found), Some(ordinal)) => part(store, found, ordinal, request.parent),
                (None, _) => Ok(None),
            });
            match found {
                // Nothing was published yet.
                Err(StoreError::Empty) => {}
                found => return found.map_err(|source| GetError::Shared { store: store.name.clone(), source }),
            }
        }
        Ok(None)
    }
}

/// Splits the name of a chunk, which is its document's path and its number.
fn chunk_of(name: &str) -> Option<(&str, u32)> {
    let (path, ordinal) = name.rsplit_once('#')?;
    Some((path, ordinal.parse().ok()?))
}

/// Returns a chunk of a document; `None` if the document has no such chunk.
fn part(store: &Guarded, found: WholeDocument, ordinal: u32, parent: Parent) -> Result<Option<Item>, StoreError> {
    let place = ordinal as usize;
    let Some(key) = found.document.chunks.get(place).map(|chunk| chunk.key) else { return Ok(None) };
    let record = Record::decode(&found.document.path, &found.document.record);
    let Some(chunk) =
        record.and_then(|mut record| (place < record.chunks.len()).then(|| record.chunks.swap_remove(place)))
    else {
        return Ok(None);
    };
    let text = store.texts(&[key])?.pop().flatten();
    Ok(text.zip(item(store, found)).map(|(text, mut whole)| {
        let id = ChunkId { document: whole.document.id, ordinal };
        whole.symbols.retain(|symbol| symbol.chunk == ordinal);
        let of_parent = (parent == Parent::Include).then_some(whole.text);
        Item { chunk: Some((id, chunk)), parent_text: of_parent, text, ..whole }
    }))
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
            is_shared: true,
            indexing: None,
        },
        document: in_store(&store.name, &document.repository, record.document),
        created: None,
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
    fn a_chunk_is_named_by_its_number() {
        assert_eq!(chunk_of("platform/acme/a.rs#3"), Some(("platform/acme/a.rs", 3)));
        assert_eq!(chunk_of("platform/acme/c#/a#1.rs#0"), Some(("platform/acme/c#/a#1.rs", 0)));
        assert_eq!(chunk_of("platform/acme/c#/a.rs"), None);
        assert_eq!(chunk_of("platform/acme/a.rs"), None);
    }

    #[test]
    fn each_slash_may_end_the_repository() {
        let all = |path| places(path).into_iter().map(|place| (place.repository, place.path)).collect::<Vec<_>>();
        let place = |repository: &str, path: &str| (repository.to_owned(), path.to_owned());
        assert_eq!(all("acme/api/a.rs"), [place("acme", "api/a.rs"), place("acme/api", "a.rs")]);
        assert_eq!(all("a.rs"), []);
    }
}
