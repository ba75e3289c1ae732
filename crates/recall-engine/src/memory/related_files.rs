//! Which files does a client mean?

use recall_core::DocPath;

use crate::error::MemoryError;
use crate::origin::Origin;
use crate::store::Store;

/// Finds the places below the store's root of files that a client names: absolute, below its directory as a shell completes
/// them, or below the root as a citation writes them. Sorted, each once.
///
/// # Errors
/// One of them lies outside of the root.
pub(crate) fn resolve(store: &Store, origin: &Origin, named: &[String]) -> Result<Vec<DocPath>, MemoryError> {
    let mut paths = named.iter().map(|named| one(store, origin, named)).collect::<Result<Vec<_>, _>>()?;
    paths.sort_unstable();
    paths.dedup();
    Ok(paths)
}

fn one(store: &Store, origin: &Origin, named: &str) -> Result<DocPath, MemoryError> {
    let from_root = DocPath::new(named).ok();
    let is_there = |path: &DocPath| store.root.join(path.as_str()).symlink_metadata().is_ok();
    let resolved = recall_watch::root::resolve_inside(&store.root, &origin.absolute(named.as_ref()));
    // What is there is meant, in the first place by the client's directory.
    let there = [resolved.as_ref().ok(), from_root.as_ref()].into_iter().flatten().find(|path| is_there(path));
    if let Some(path) = there {
        return Ok(path.clone());
    }
    match (resolved, from_root) {
        (Ok(path), _) | (Err(_), Some(path)) => Ok(path),
        (Err(source), None) => Err(MemoryError::Outside { path: named.to_owned(), source }),
    }
}
