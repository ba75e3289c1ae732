//! Markers that record an attempt to load a library, so that the next process knows if the last one did not survive it.
//!
//! A marker is written before the library is loaded and removed afterwards, whether loading succeeded or failed. Only
//! the death of the process leaves it behind. It is locked meanwhile, so that a process that is still loading is not
//! mistaken for a dead one.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::record::FileStamp;

/// The prefix of a marker's name, which is followed by the process id.
const MARKER: &str = "loading-";

/// The content of a marker: the library and its metadata.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Marker {
    library: PathBuf,
    looks: FileStamp,
}

/// An attempt to load a library. Dropping it removes the marker.
#[derive(Debug)]
pub(super) struct Attempt {
    path: PathBuf,
    _locked: File,
}

impl Attempt {
    /// Records that a library is about to be loaded.
    pub(super) fn begin(folder: &Path, library: &Path) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        let marker = Marker { library: library.to_owned(), looks: FileStamp::read(library)? };
        let path = folder.join(format!("{MARKER}{}", std::process::id()));
        let mut file = File::options().create(true).truncate(true).write(true).open(&path)?;
        file.lock()?;
        file.write_all(&serde_json::to_vec(&marker).map_err(io::Error::other)?)?;
        Ok(Self { path, _locked: file })
    }
}

impl Drop for Attempt {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_file(&self.path) {
            tracing::warn!(path = %self.path.display(), %error, "a marker was not removed; the next start will take the library for one that crashes");
        }
    }
}

/// Returns whether a process died while it loaded this library in its present form. If the library was replaced since,
/// the marker is removed, because the new one has not been tried.
pub(super) fn crashed_a_process(folder: &Path, library: &Path) -> bool {
    let Ok(looks) = FileStamp::read(library) else { return false };
    let mut has_crashed = false;
    for path in left_behind(folder) {
        let marker = fs::read(&path).ok().and_then(|text| serde_json::from_slice::<Marker>(&text).ok());
        match marker {
            Some(marker) if marker.library == library && marker.looks != looks => drop(fs::remove_file(&path)),
            Some(marker) => has_crashed |= marker.library == library,
            // The marker was truncated by the death of the process. It may be that of this library.
            None => has_crashed = true,
        }
    }
    has_crashed
}

/// Removes the markers of dead processes.
pub(super) fn forget(folder: &Path) -> io::Result<()> {
    left_behind(folder).into_iter().try_for_each(fs::remove_file)
}

/// Returns the markers that no living process holds.
fn left_behind(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let is_marker = |path: &PathBuf| {
        path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(MARKER.as_bytes())) && path.is_file()
    };
    let is_left = |path: &PathBuf| match File::open(path).map(|file| file.try_lock()) {
        Ok(Ok(())) => true,
        Ok(Err(TryLockError::WouldBlock | TryLockError::Error(_))) | Err(_) => false,
    };
    entries.flatten().map(|entry| entry.path()).filter(|path| is_marker(path) && is_left(path)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_process_that_dies_leaves_a_marker() {
        let place = tempfile::tempdir().expect("a folder");
        let (folder, library) = (place.path().join("runtimes"), place.path().join("lib.so"));
        fs::write(&library, b"x").expect("written");
        assert!(!crashed_a_process(&folder, &library), "the folder does not exist");
        let attempt = Attempt::begin(&folder, &library).expect("marked");
        assert!(!crashed_a_process(&folder, &library), "it is still being loaded");
        let text = fs::read(&attempt.path).expect("there");
        drop(attempt);
        assert!(!crashed_a_process(&folder, &library), "it was loaded");

        let left = folder.join("loading-1");
        fs::write(&left, &text).expect("written");
        let other = place.path().join("other.so");
        fs::write(&other, b"x").expect("written");
        assert!(crashed_a_process(&folder, &library) && !crashed_a_process(&folder, &other));
        forget(&folder).expect("removed");
        assert!(!crashed_a_process(&folder, &library));

        fs::write(&left, &text).expect("written");
        fs::write(&library, b"a repaired one").expect("written");
        assert!(!crashed_a_process(&folder, &library) && !left.exists(), "the new library has not been tried");
        fs::write(&left, &text[..4]).expect("written");
        assert!(crashed_a_process(&folder, &library), "a truncated marker may be of any library");
    }
}
