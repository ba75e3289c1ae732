//! Resolution of the file names in a client's request.

use recall_core::DocPath;
use recall_watch::StatOutcome;

use crate::error::MemoryError;
use crate::origin::Origin;
use crate::store::Store;

/// Returns the paths below the store's root of files that a client names: absolute, relative to the client's directory as a shell
/// completes them, or relative to the root as a citation writes them. Sorted, without duplicates.
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
    let from_root = DocPath::new(named).ok();
    let is_there = |path: &DocPath| store.stat(path) != StatOutcome::Gone;
    let resolved = recall_watch::root::resolve_inside(&store.root, &origin.absolute(named.as_ref()));
    // An existing file wins; the client's directory is tried first.
    let there = [resolved.as_ref().ok(), from_root.as_ref()].into_iter().flatten().find(|path| is_there(path));
    if let Some(path) = there {
        return Ok(path.clone());
    }
    match (resolved, from_root) {
        (Ok(path), _) | (Err(_), Some(path)) => Ok(path),
        (Err(source), None) => Err(MemoryError::Outside { path: named.to_owned(), source }),
    }
}
