//! Names of symbols by their beginning.

use recall_core::Scope;

use crate::error::ListError;
use crate::origin::Origin;
use crate::{Engine, mask};

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
