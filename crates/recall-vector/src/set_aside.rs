//! Where does a damaged index go?

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The most indexes that are kept aside; an older one is deleted when another comes.
const KEPT: usize = 3;

/// Moves an index out of the way, to `<dir>.damaged-<suffix>`, and returns where it is.
///
/// Of the indexes set aside from the same place, the three with the greatest names are kept, so that a suffix which grows
/// with time keeps the latest.
///
/// # Errors
/// The folder cannot be renamed; nothing was changed then.
pub fn set_aside(dir: &Path, suffix: &str) -> io::Result<PathBuf> {
    let name = dir.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_string_lossy().into_owned();
    let beginning = format!("{name}.damaged-");
    let aside = dir.with_file_name(format!("{beginning}{suffix}"));
    fs::rename(dir, &aside)?;
    let beside = aside.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut others: Vec<PathBuf> = fs::read_dir(beside)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.file_name() != aside.file_name())
        .filter(|path| path.file_name().is_some_and(|known| known.to_string_lossy().starts_with(&beginning)))
        .collect();
    others.sort();
    for surplus in others.iter().rev().skip(KEPT - 1) {
        // What cannot be deleted takes space and harms nothing.
        let _ = fs::remove_dir_all(surplus);
    }
    Ok(aside)
}
