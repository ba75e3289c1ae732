//! Resolution of the file names in a client's request.

use std::path::Path;

use recall_core::Citation;
use recall_text::{DocPath, path_spellings};
use recall_watch::StatOutcome;

use crate::error::MemoryError;
use crate::origin::Origin;
use crate::store::Store;
use crate::written;

/// Returns the paths below the store's root of files that a client names, in any form. Sorted, without duplicates.
///
/// # Errors
/// One of them is outside of the root.
pub(crate) fn resolve(store: &Store, origin: &Origin, named: &[String]) -> Result<Vec<DocPath>, MemoryError> {
    let mut paths = named.iter().map(|named| one(store, origin, named)).collect::<Result<Vec<_>, _>>()?;
    paths.sort_unstable();
    paths.dedup();
    Ok(paths)
}

fn one(store: &Store, origin: &Origin, named: &str) -> Result<DocPath, MemoryError> {
    let documents = Citation::readings(named).map(|reading| reading.document);
    let candidates: Vec<DocPath> =
        documents.flat_map(|document| written::paths_below(&store.root, origin, document)).collect();
    // An existing file wins; the client's directory is tried first.
    let is_there = |path: &&DocPath| store.files.stat(path) != StatOutcome::Gone;
    let path = candidates.iter().find(is_there).or(candidates.first());
    path.cloned().map_or_else(|| outside(store, origin, named), Ok)
}

fn outside(store: &Store, origin: &Origin, named: &str) -> Result<DocPath, MemoryError> {
    let resolved =
        recall_watch::root::resolve_inside(&store.root, &origin.absolute(Path::new(&*path_spellings(named)[0])));
    resolved.map_err(|source| MemoryError::Outside { path: named.to_owned(), source })
}
