//! Documents that are named by the end of their path, as people and logs do: `sleep.rs:385`. The case of letters may differ, and similar file names are suggested.

use std::borrow::Cow;
use std::collections::BTreeSet;

use recall_core::{Citation, Scope};
use recall_text::fold_case;

use crate::error::GetError;
use crate::origin::Origin;
use crate::warning::Warning;
use crate::{Engine, mask};

/// The most candidates that an error lists.
const MOST_CANDIDATES: usize = 10;

/// The most similar paths that an error lists.
const MOST_NEAR: usize = 3;

impl Engine {
    /// Returns a citation with the whole path of the document that it names by the end of its path; `None` if there is none. If no path
    /// ends so, the case of letters is ignored.
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
        for matching in [PathMatching::Exact, PathMatching::IgnoringCase] {
            for Citation { document, .. } in Citation::readings(text) {
                let end = format!("/{}", matching.read(document.trim_start_matches("./")));
                let mut fitting: BTreeSet<String> = BTreeSet::new();
                // A whole path precedes the end of another one: `readme.md` is `README.md`, and not `src/README.md`.
                let mut whole: BTreeSet<String> = BTreeSet::new();
                for store in self.stores(origin, scope)? {
                    let known = store.index.known_documents();
                    for path in known.files.keys() {
                        let compared = format!("/{}", matching.read(path));
                        if compared.ends_with(&end) {
                            let fits = if compared == end { &mut whole } else { &mut fitting };
                            fits.insert(mask::shown_path(store.mount.outer(path)));
                        }
                    }
                }
                let mut fitting = if whole.is_empty() { fitting } else { whole };
                if fitting.len() > 1 {
                    let candidates = fitting.into_iter().take(MOST_CANDIDATES).collect();
                    return Err(GetError::Ambiguous { id: text.to_owned(), candidates });
                }
                if let Some(path) = fitting.pop_first() {
                    let citation = format!("{path}{}", &text[document.len()..]);
                    return Ok(Some(NamedByEnd { citation, warning: Warning::NamedByEnd { path } }));
                }
            }
        }
        Ok(None)
    }

    /// Returns the paths of documents whose file names are similar to that of an unknown one, nearest first.
    pub(crate) fn near_paths(&self, origin: &Origin, scope: Scope, text: &str) -> Vec<String> {
        let asked = fold_case(Citation::split(text.trim()).document);
        let mut paths: Vec<(String, String)> = Vec::new();
        // If a store cannot be read, the error names no similar paths.
        for store in self.stores(origin, scope).unwrap_or_default() {
            let known = store.index.known_documents();
            let shown = known.files.keys().map(|path| mask::shown_path(store.mount.outer(path)));
            paths.extend(shown.map(|path| (fold_case(file_name(&path)).into_owned(), path)));
        }
        paths.sort_unstable();
        let mut near = recall_text::near(file_name(&asked), paths.iter().map(|(name, _)| name.as_str()));
        near.dedup();
        let with_name = |name| paths.iter().filter(move |(known, _)| known == name).map(|(_, path)| path.clone());
        near.into_iter().flat_map(with_name).take(MOST_NEAR).collect()
    }
}

/// How paths are compared.
#[derive(Clone, Copy, Debug)]
enum PathMatching {
    Exact,
    IgnoringCase,
}

impl PathMatching {
    /// Returns a path in the form that is compared.
    fn read(self, path: &str) -> Cow<'_, str> {
        match self {
            Self::Exact => Cow::Borrowed(path),
            Self::IgnoringCase => fold_case(path),
        }
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// A citation of a document that was named by the end of its path.
pub(crate) struct NamedByEnd {
    /// The citation with the whole path.
    pub(crate) citation: String,
    /// What the answer says about it.
    pub(crate) warning: Warning,
}
