//! The hits of the last search in this terminal, so that a hit can be named by its number.
//!
//! A terminal is known by the session of its shell. Each has a file in the state folder; files that were not written for a day
//! are removed.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use recall_api::v1;
use recall_config::Dirs;
use serde::{Deserialize, Serialize};

/// The folder in the state folder.
const FOLDER: &str = "last-search";

/// The time for which the hits of a search can be named. The number of a session is used again after a while.
const KEPT_FOR: Duration = Duration::from_hours(24);

/// The hits of a search, in the order in which they were shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LastSearch {
    /// The root of the project that was searched.
    pub(crate) project_root: PathBuf,
    /// The number of the first hit, from 1.
    pub(crate) first: usize,
    /// The hits.
    pub(crate) hits: Vec<Place>,
}

/// A place in a file of a store, or a memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Place {
    /// The absolute root of the project, if it is another one than the client's; otherwise empty.
    pub(crate) root: PathBuf,
    /// The id of the store.
    pub(crate) store_id: String,
    /// The path below the store's root, or the memory's id.
    pub(crate) path: String,
    /// The first line, from 1.
    pub(crate) line: u32,
    /// Whether it is a memory.
    pub(crate) is_memory: bool,
}

impl Place {
    /// Returns the place of a hit.
    pub(crate) fn from_hit(hit: &v1::Hit) -> Self {
        let doc = hit.doc.clone().unwrap_or_default();
        let line = hit.chunk.as_ref().map_or(1, |chunk| chunk.start_line.max(1));
        match &hit.memory {
            Some(memory) => {
                Self { root: doc.root.into(), store_id: doc.store_id, path: memory.id.clone(), line, is_memory: true }
            }
            None => Self { root: doc.root.into(), store_id: doc.store_id, path: doc.path, line, is_memory: false },
        }
    }
}

impl LastSearch {
    /// Keeps the hits for this terminal, instead of those of the search before.
    pub(crate) fn write(&self, dirs: &Dirs, now: SystemTime) -> io::Result<()> {
        let folder = dirs.state.join(FOLDER);
        fs::create_dir_all(&folder)?;
        remove_old(&folder, now)?;
        let file = file(&folder);
        // Renamed into place, so that a reader never sees half of it.
        let written = file.with_extension(format!("{}.new", std::process::id()));
        fs::write(&written, serde_json::to_string(self).expect("made of texts and numbers"))?;
        fs::rename(&written, &file)
    }

    /// Returns the hits of the last search in this terminal; `None` if there was none within a day.
    pub(crate) fn read(dirs: &Dirs, now: SystemTime) -> io::Result<Option<Self>> {
        let folder = dirs.state.join(FOLDER);
        let file = file(&folder);
        let is_old = match fs::metadata(&file) {
            Ok(seen) => is_old(seen.modified()?, now),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        if is_old {
            return Ok(None);
        }
        // A version of recall with other fields has written it: there is nothing to read.
        Ok(serde_json::from_str(&fs::read_to_string(file)?).ok())
    }

    /// Returns the hit with a number as it was shown.
    pub(crate) fn hit(&self, number: usize) -> Option<&Place> {
        self.hits.get(number.checked_sub(self.first)?)
    }
}

/// The file of this terminal.
fn file(folder: &Path) -> PathBuf {
    folder.join(format!("{}.json", session()))
}

/// The number of this process's session, which all commands of one shell in one terminal share; 0 in a container whose
/// session began outside.
#[cfg(unix)]
fn session() -> i32 {
    nix::unistd::getsid(None).map_or(0, nix::unistd::Pid::as_raw)
}

#[cfg(not(unix))]
fn session() -> i32 {
    0
}

fn is_old(written: SystemTime, now: SystemTime) -> bool {
    now.duration_since(written).is_ok_and(|age| age > KEPT_FOR)
}

fn remove_old(folder: &Path, now: SystemTime) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        // Another command may have removed it meanwhile.
        let written = entry.metadata().and_then(|seen| seen.modified());
        if written.is_ok_and(|written| is_old(written, now)) {
            let _ = fs::remove_file(entry.path());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use recall_config::Environment;

    use super::*;

    #[test]
    fn the_hits_of_a_search_are_named_by_number_for_a_day() {
        let home = tempfile::tempdir().expect("a temporary folder");
        let environment = Environment { recall_home: Some(home.path().to_owned()), ..Environment::default() };
        let dirs = Dirs::from_environment(&environment).expect("absolute");
        #[expect(clippy::disallowed_methods, reason = "compared with the times of files")]
        let now = SystemTime::now();
        assert_eq!(LastSearch::read(&dirs, now).expect("readable"), None);
        let place = |path: &str| Place {
            root: PathBuf::new(),
            store_id: "s".to_owned(),
            path: path.to_owned(),
            line: 3,
            is_memory: false,
        };
        let search =
            LastSearch { project_root: PathBuf::from("/p"), first: 11, hits: vec![place("a.rs"), place("b.rs")] };
        search.write(&dirs, now).expect("written");
        assert_eq!(LastSearch::read(&dirs, now).expect("readable"), Some(search.clone()));
        for (number, expected) in [(0, None), (10, None), (11, Some("a.rs")), (12, Some("b.rs")), (13, None)] {
            assert_eq!(search.hit(number).map(|place| place.path.as_str()), expected, "{number}");
        }
        let later = now + KEPT_FOR + Duration::from_secs(2);
        assert_eq!(LastSearch::read(&dirs, later).expect("readable"), None);
        remove_old(&dirs.state.join(FOLDER), later).expect("removed");
        assert_eq!(fs::read_dir(dirs.state.join(FOLDER)).expect("there").count(), 0);
    }
}
