//! What a name stands for: abbreviations of ids, ids that a memory had where it was imported from, names of symbols, and the
//! paths of documents that were published to a shared store.

use std::collections::BTreeSet;

use recall_core::{ChunkId, DocumentId, MemoryType, Scope, StoreScope};
use recall_shared::{Guarded, StoreError, WholeDocument};
use recall_text::DocPath;

use super::get::{Item, ItemRequest, Parent};
use crate::engine::split_chunk;
use crate::error::{GetError, ListError};
use crate::origin::Origin;
use crate::shared::{Record, coverage_of, in_store};
use crate::{Engine, mask};

/// The fewest digits of an abbreviated id.
const LEAST_DIGITS: usize = 4;

/// The digits of the whole id of a memory, and of a document.
const MEMORY_DIGITS: usize = 8;
const DOCUMENT_DIGITS: usize = 16;

/// The most candidates that an error lists.
const MOST_CANDIDATES: usize = 10;

/// What an abbreviated id names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Abbreviated {
    /// The beginning of the id of a memory.
    Memory,
    /// A document, unless its name looks like an id.
    Document,
    /// A memory by a whole id: its own, or the one that it had where it was imported from.
    Whole,
}

impl Abbreviated {
    /// Recognises the beginning of an id (`D-0c5a`, `3f9a1b`), and the whole id of a memory, also of another tool (`R-0c5a11f2`).
    pub fn parse(text: &str) -> Option<Self> {
        let is_beginning = |digits: &str, whole: usize| {
            let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
            (LEAST_DIGITS..whole).contains(&digits.len()) && digits.bytes().all(is_digit)
        };
        if is_beginning(text, DOCUMENT_DIGITS) {
            return Some(Self::Document);
        }
        let (letter, digits) = text.split_once('-')?;
        let is_letter = matches!(letter.as_bytes(), [byte] if byte.is_ascii_uppercase());
        if is_letter && digits.len() == MEMORY_DIGITS && digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Some(Self::Whole);
        }
        let is_type = MemoryType::ALL.into_iter().any(|memory_type| letter.chars().eq([memory_type.letter()]));
        (is_type && is_beginning(digits, MEMORY_DIGITS)).then_some(Self::Memory)
    }
}

impl Engine {
    /// Returns the whole id for the beginning of one, and that of a memory for the id that it had where it was imported from; the
    /// text itself if it is a known id, if it fits nothing, or if a document's name is meant.
    ///
    /// # Errors
    /// It fits several, or a store cannot be read.
    pub fn whole_id(&self, origin: &Origin, text: &str) -> Result<String, GetError> {
        let Some(abbreviated) = Abbreviated::parse(text) else { return Ok(text.to_owned()) };
        let now = self.clock.now();
        let mut fitting: BTreeSet<String> = BTreeSet::new();
        for store in self.stores(origin, Scope::All)? {
            match abbreviated {
                Abbreviated::Memory => {
                    store.ledger.refresh(now)?;
                    fitting.extend(
                        store
                            .ledger
                            .ids()
                            .into_iter()
                            .chain(store.ledger.proposals())
                            .map(|id| id.to_string())
                            .filter(|id| id.starts_with(text)),
                    );
                }
                Abbreviated::Whole => {
                    store.ledger.refresh(now)?;
                    if text.parse().is_ok_and(|id| store.ledger.memory(id).is_some()) {
                        return Ok(text.to_owned());
                    }
                    fitting.extend(store.ledger.imported_as(text).iter().map(ToString::to_string));
                }
                Abbreviated::Document => {
                    let known = store.index.known_documents();
                    if known.files.contains_key(text) {
                        return Ok(text.to_owned());
                    }
                    let ids = known.files.keys().filter_map(|path| DocPath::new(path).ok());
                    let ids = ids.map(|path| DocumentId::from_path(&path).to_string());
                    fitting.extend(ids.filter(|id| id.starts_with(text)));
                }
            }
        }
        if fitting.len() > 1 {
            let candidates = fitting.into_iter().take(MOST_CANDIDATES).collect();
            return Err(GetError::Ambiguous { id: text.to_owned(), candidates });
        }
        Ok(fitting.pop_first().unwrap_or_else(|| text.to_owned()))
    }
}

/// A request for the names of symbols that begin with a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamesRequest {
    /// The beginning, with a scope or without, not empty.
    pub prefix: String,
    /// The stores to read.
    pub scope: Scope,
    /// The most names in the answer.
    pub limit: usize,
}

impl Engine {
    /// Returns the names of the indexed symbols that begin with a text, in order, with secrets masked. Indexes nothing.
    ///
    /// # Errors
    /// A store cannot be opened or read.
    pub fn names(&self, origin: &Origin, request: &NamesRequest) -> Result<Vec<String>, ListError> {
        let mut names = Vec::new();
        for store in self.stores(origin, request.scope)? {
            let found = store.index.searcher().names(request.prefix.trim(), request.limit);
            names.extend(found.map_err(|source| store.index.search_error(source))?);
        }
        names.sort_unstable();
        names.dedup();
        names.truncate(request.limit);
        for name in &mut names {
            mask::text(name);
        }
        Ok(names)
    }
}

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
        match split_chunk(name) {
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
        let failed = |(store, source)| GetError::Shared { store, source };
        let Some((store, found)) = self.published_document(origin, request.scope, &path).map_err(failed)? else {
            return Ok(None);
        };
        match chunk {
            None => Ok(item(store, found)),
            Some(ordinal) => {
                let failed = |source| GetError::Shared { store: store.name.clone(), source };
                part(store, found, ordinal, request.parent).map_err(failed)
            }
        }
    }
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

/// Returns `None` if another version of recall published the document in another form.
fn item(store: &Guarded, found: WholeDocument) -> Option<Item> {
    let WholeDocument { document, text } = found;
    let record = Record::decode(&document.path, &document.record)?;
    Some(Item {
        scope: StoreScope::Domain,
        coverage: coverage_of(&store.name, 1, Some(record.document.modified)),
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
    fn the_beginning_of_an_id_is_recognised() {
        let check =
            |text: &str, expected: Option<Abbreviated>| assert_eq!(Abbreviated::parse(text), expected, "{text}");
        check("D-0c5a", Some(Abbreviated::Memory));
        check("L-f9b2977", Some(Abbreviated::Memory));
        check("3f9a", Some(Abbreviated::Document));
        for whole in ["L-f9b2977a", "R-00000000", "X-F9B2977A"] {
            check(whole, Some(Abbreviated::Whole));
        }
        for other in [
            "L-f9b2977az",
            "l-f9b2977a",
            "D-0c",
            "X-0c5a",
            "D-0C5A",
            "3f9",
            "0123456789abcdef",
            "src/abcd",
            "abcd:3",
            "",
        ] {
            check(other, None);
        }
    }
}
