//! A new name for a damaged part of an index.

use std::io;
use std::path::{Path, PathBuf};

use crate::{Folder, OpenError};

/// The most that are kept of what was set aside under one name; an older one is deleted when another comes.
const KEPT: usize = 3;

/// Renames a file or folder to `<name>.damaged-<suffix>` and returns its new path.
///
/// Of what was set aside from the same place, the three with the greatest names are kept, so that a suffix which grows with time
/// keeps the latest.
///
/// # Errors
/// It cannot be renamed; nothing was changed then.
pub fn set_aside(path: &Path, suffix: &str) -> io::Result<PathBuf> {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(OpenError::NotPlain { path: path.to_owned() }.into());
    };
    let folder = Folder::open(parent)?;
    let name = name.to_string_lossy();
    let beginning = format!("{name}.damaged-");
    let aside = format!("{beginning}{suffix}");
    folder.rename(&name, &aside)?;
    let known = folder.names()?.into_iter().filter_map(|name| name.into_string().ok());
    let mut others: Vec<_> = known.filter(|known| known.starts_with(&beginning) && *known != aside).collect();
    others.sort_unstable();
    for surplus in others.iter().rev().skip(KEPT - 1) {
        // What cannot be deleted takes space and harms nothing.
        let _ = folder.remove(surplus);
    }
    Ok(parent.join(aside))
}
