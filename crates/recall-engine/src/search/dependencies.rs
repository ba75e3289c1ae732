//! The files that declare a dependency, for questions such as "which version of `serde` does this use".
//!
//! Code that uses the dependency has its name more often, and the parts of the name are words of many files.

use recall_core::{Case, ChunkRow, DocumentRow, Understood};
use recall_index::lexical::exact::Pattern;
use recall_text::{DocPath, Onboarding, asked_dependency};

use crate::error::StoreError;
use crate::known::Known;
use crate::occurrences::first_chunks_with;
use crate::store::Store;

/// The most files of declarations that are looked at.
const MOST_MANIFESTS: usize = 200;

/// The most files that are put first.
const MOST_FOUND: usize = 4;

/// Returns the files that declare the dependency that a query is about, each with the first chunk that has its name: those nearest to the root
/// first. Empty if the query asks for something else, or if no file declares it.
///
/// # Errors
/// The catalog cannot be read.
pub(super) fn find_declarations(
    store: &Store,
    known: &Known,
    understood: &Understood,
) -> Result<Vec<(DocumentRow, ChunkRow)>, StoreError> {
    let asked = asked_dependency(understood.in_english()).and_then(|name| Pattern::word(name, Case::Insensitive).ok());
    let Some(pattern) = asked else { return Ok(Vec::new()) };
    let manifest = |(path, row): (&str, DocumentRow)| {
        Onboarding::is_manifest(&DocPath::new(path).ok()?).then(|| (path.matches('/').count(), path.to_owned(), row))
    };
    let documents = known.files.iter().filter_map(|(path, file)| Some((&**path, file.document()?)));
    let mut manifests: Vec<(usize, String, DocumentRow)> = documents.filter_map(manifest).collect();
    manifests.sort_unstable();
    let rows: Vec<DocumentRow> = manifests.into_iter().map(|(.., row)| row).take(MOST_MANIFESTS).collect();
    first_chunks_with(store, &pattern, &rows, MOST_FOUND)
}
