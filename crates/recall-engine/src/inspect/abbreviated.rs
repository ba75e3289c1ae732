//! What an abbreviation stands for: whole ids, ids that a memory had where it was imported from, and names of symbols.

use std::collections::BTreeSet;

use recall_core::{DocumentId, MemoryType, Scope};
use recall_text::DocPath;

use crate::error::{GetError, ListError};
use crate::origin::Origin;
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
                        store.ledger.ids().into_iter().map(|id| id.to_string()).filter(|id| id.starts_with(text)),
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
