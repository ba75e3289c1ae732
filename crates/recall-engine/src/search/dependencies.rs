//! The files that declare a dependency, for questions such as "which version of `serde` does this use".
//!
//! Code that uses the dependency has its name more often, and the parts of the name are words of many files. Of the files of declarations,
//! those that say a version come first: the others refer to them.

use std::cmp::Reverse;

use recall_core::{Case, ChunkRow, DocumentRow, Understood};
use recall_index::lexical::Searcher;
use recall_index::lexical::exact::Pattern;
use recall_text::{DocPath, Onboarding, asked_dependency, asked_dependency_in_translation, begins_with_version};

use crate::error::StoreError;
use crate::known::Known;
use crate::occurrences::chunks_at;
use crate::store::Store;

/// The most files of declarations that are looked at.
const MOST_MANIFESTS: usize = 200;

/// The most files that are put first.
const MOST_FOUND: usize = 4;

/// What follows the name of a dependency in the name of a property with its version, as in `<XunitPackageVersion>`.
const VERSION_PROPERTIES: [&str; 3] = ["Version", "PackageVersion", "_version"];

/// Returns the files that declare the dependency that a query is about, each with the first chunk that has its version, else its name: those
/// nearest to the root first. Empty if no file declares it, or if the query asks for something else: `is_certain` says whether its form must be
/// that of such a question alone.
///
/// # Errors
/// The catalog or the index cannot be read.
pub(super) fn find_declarations(
    store: &Store,
    searcher: &Searcher,
    known: &Known,
    understood: &Understood,
    is_certain: bool,
) -> Result<Vec<(DocumentRow, ChunkRow)>, StoreError> {
    let read = if understood.original.is_some() { asked_dependency_in_translation } else { asked_dependency };
    let asked = read(understood.in_english()).filter(|asked| asked.is_certain == is_certain);
    let Some(asked) = asked else { return Ok(Vec::new()) };
    let Ok(name) = Pattern::word(asked.name, Case::Insensitive) else { return Ok(Vec::new()) };
    let properties = VERSION_PROPERTIES.map(|property| format!("{}{property}", asked.name));
    let Ok(property) = Pattern::any_of(&properties.each_ref().map(String::as_str), Case::Insensitive) else {
        return Ok(Vec::new());
    };
    let defined = searcher.defining_however_written(&properties[0], 1);
    if !asked.is_certain && !defined.map_err(|source| store.index.search_error(source))?.is_empty() {
        return Ok(Vec::new());
    }
    let mut found =
        chunks_at(store, &manifests(known), |text| place_of_declaration(text, &name, &property, asked.is_certain))?;
    found.sort_by_key(|(value, ..)| Reverse(*value));
    Ok(found.into_iter().map(|(_, document, chunk)| (document, chunk)).take(MOST_FOUND).collect())
}

/// Returns the place of a text that declares a dependency: 1 and the first one with a version, by the name or by the property of its version;
/// else 0 and the first one with the name, if the question is certain to be about a dependency.
fn place_of_declaration(text: &str, name: &Pattern, property: &Pattern, is_certain: bool) -> Option<(u8, usize)> {
    let mut places = name.matches(text).chain(property.matches(text));
    let with_version = places.find(|found| begins_with_version(&text[found.end..]));
    let without = || name.matches(text).next().filter(|_| is_certain);
    with_version.map(|found| (1, found.start)).or_else(|| without().map(|found| (0, found.start)))
}

/// Returns the files of declarations, those nearest to the root first.
fn manifests(known: &Known) -> Vec<DocumentRow> {
    let manifest = |(path, row): (&str, DocumentRow)| {
        Onboarding::is_manifest(&DocPath::new(path).ok()?).then(|| (path.matches('/').count(), path.to_owned(), row))
    };
    let documents = known.files.iter().filter_map(|(path, file)| Some((&**path, file.document()?)));
    let mut manifests: Vec<(usize, String, DocumentRow)> = documents.filter_map(manifest).collect();
    manifests.sort_unstable();
    manifests.into_iter().map(|(.., row)| row).take(MOST_MANIFESTS).collect()
}
