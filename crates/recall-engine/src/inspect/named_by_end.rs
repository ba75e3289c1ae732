//! Documents that are named by the end of their path, as people and logs do: `sleep.rs:385`.

use std::collections::BTreeSet;

use recall_core::{Citation, Scope};

use crate::error::GetError;
use crate::origin::Origin;
use crate::warning::Warning;
use crate::{Engine, mask};

/// The most candidates that an error lists.
const MOST_CANDIDATES: usize = 10;

impl Engine {
    /// Returns a citation with the whole path of the document that it names by the end of its path; `None` if there is none.
    ///
    /// # Errors
    /// Several documents end with it, or a store cannot be read.
    pub(crate) fn named_by_end(
        &self,
        origin: &Origin,
        scope: Scope,
        text: &str,
    ) -> Result<Option<NamedByEnd>, GetError> {
        let text = text.trim();
        for Citation { document, .. } in Citation::readings(text) {
            let end = format!("/{}", document.trim_start_matches("./"));
            let mut fitting: BTreeSet<String> = BTreeSet::new();
            for store in self.stores(origin, scope)? {
                let known = store.index.known_documents();
                let inner = known.files.keys().filter(|path| path.ends_with(&end));
                fitting.extend(inner.map(|path| mask::shown_path(store.mount.outer(path))));
            }
            if fitting.len() > 1 {
                let candidates = fitting.into_iter().take(MOST_CANDIDATES).collect();
                return Err(GetError::Ambiguous { id: text.to_owned(), candidates });
            }
            if let Some(path) = fitting.pop_first() {
                let citation = format!("{path}{}", &text[document.len()..]);
                return Ok(Some(NamedByEnd { citation, warning: Warning::NamedByEnd { path } }));
            }
        }
        Ok(None)
    }
}

/// A citation of a document that was named by the end of its path.
pub(crate) struct NamedByEnd {
    /// The citation with the whole path.
    pub(crate) citation: String,
    /// What the answer says about it.
    pub(crate) warning: Warning,
}
