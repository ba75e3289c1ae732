//! Quarantine of damaged parts of an index.

use std::io;
use std::path::{Path, PathBuf};

use crate::{Folder, OpenError};

/// The number of quarantined versions kept per name. A new one replaces the oldest.
const KEPT: usize = 3;

/// Renames a file or folder to `<name>.damaged-<suffix>` and returns its new path.
///
/// The three versions with the greatest names are kept. If suffixes grow with time, these are the latest.
///
/// # Errors
/// It cannot be renamed. Then nothing has changed.
pub fn quarantine(path: &Path, suffix: &str) -> io::Result<PathBuf> {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(OpenError::NotPlain { path: path.to_owned() }.into());
    };
    let folder = Folder::open(parent)?;
    let name = name.to_string_lossy();
    let beginning = format!("{name}.damaged-");
    let target = format!("{beginning}{suffix}");
    folder.rename(&name, &target)?;
    let known = folder.names()?.into_iter().filter_map(|name| name.into_string().ok());
    let mut others: Vec<_> = known.filter(|known| known.starts_with(&beginning) && *known != target).collect();
    others.sort_unstable();
    for surplus in others.iter().rev().skip(KEPT - 1) {
        // A leftover takes space but is harmless.
        let _ = folder.remove(surplus);
    }
    Ok(parent.join(target))
}
