//! Quarantine of damaged parts of an index.

use std::io;
use std::path::{Path, PathBuf};

use crate::{Folder, OpenError};

/// The number of quarantined versions kept per name. A new one replaces the oldest. The first of a series is as useful for an
/// investigation as the last; more than a few fill the disk.
const KEPT: usize = 3;

/// Renames a file or folder to `<name>.damaged-<suffix>` and returns its new path. If that name is taken, a number is appended.
///
/// The three versions with the greatest names are kept. If suffixes grow with time, these are the latest.
///
/// # Errors
/// It cannot be renamed. Then nothing has changed.
pub fn quarantine(path: &Path, suffix: &str) -> io::Result<PathBuf> {
    quarantine_with(path, &[], suffix)
}

/// Quarantines a file as [`quarantine`] does, together with the files whose names are its own and one of these endings.
///
/// They are renamed alike and before it, in the order given; those that are missing are skipped.
///
/// # Errors
/// One of them cannot be renamed. Those before it have their new names.
pub fn quarantine_with(path: &Path, endings: &[&str], suffix: &str) -> io::Result<PathBuf> {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(OpenError::NotPlain { path: path.to_owned() }.into());
    };
    let folder = Folder::open(if parent.as_os_str().is_empty() { Path::new(".") } else { parent })?;
    let name = name.to_string_lossy();
    let beginning = format!("{name}.damaged-");
    let known = folder.names()?.into_iter().filter_map(|name| name.into_string().ok());
    let is_whole = |known: &String| known.starts_with(&beginning) && !endings.iter().any(|end| known.ends_with(end));
    let mut others: Vec<_> = known.filter(is_whole).collect();
    let preferred = format!("{beginning}{suffix}");
    let numbered = (2..).map(|number| format!("{preferred}-{number}"));
    let is_free = |target: &String| !others.contains(target);
    let target = std::iter::once(preferred.clone()).chain(numbered).find(is_free).unwrap_or(preferred);
    for end in endings {
        match folder.rename(&format!("{name}{end}"), &format!("{target}{end}")) {
            Err(error) if error.is_missing() => {}
            outcome => outcome?,
        }
    }
    folder.rename(&name, &target)?;
    others.sort_unstable();
    for surplus in others.iter().rev().skip(KEPT - 1) {
        for end in std::iter::once(&"").chain(endings) {
            // A leftover takes space but is harmless.
            let _ = folder.remove(format!("{surplus}{end}"));
        }
    }
    Ok(parent.join(target))
}
