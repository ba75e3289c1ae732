//! The saved searches of each project, in a file of the data home.
//!
//! The browser cannot keep them: it keeps data by address, and the page has another port after each start. The file is read once and
//! replaced as a whole, so that it is never half written.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

/// How many searches of a project are kept: more than fit on the page where they are chosen.
const SEARCHES: usize = 50;

/// A search, as the page asks for it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct SavedSearch {
    /// The query.
    pub(crate) q: String,
    /// The mode; empty for a ranked search.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) mode: String,
    /// Whether the case of letters counts, in an exact search; `1` if it does not.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) any_case: String,
    /// The scope; empty for all.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) scope: String,
}

/// The saved searches cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SavedError {
    /// The file cannot be read or written.
    #[error("the saved searches in {} cannot be read or written", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The file is not what this program writes.
    #[error("the saved searches in {} are damaged", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where it is damaged.
        #[source]
        source: serde_json::Error,
    },
    /// The project has as many as are kept.
    #[error("{SEARCHES} searches of this project are saved, and no more are kept")]
    Full,
}

/// The searches by the root of their project, the one saved last first.
type Searches = BTreeMap<String, Vec<SavedSearch>>;

/// The saved searches of all projects.
#[derive(Debug)]
pub(crate) struct SavedSearches {
    path: PathBuf,
    /// What the file holds; `None` until it was read.
    searches: Mutex<Option<Searches>>,
}

impl SavedSearches {
    /// Creates the collection of a file, which need not exist.
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path, searches: Mutex::new(None) }
    }

    /// Returns the searches of a project, the one saved last first.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(crate) fn list(&self, root: &str) -> Result<Vec<SavedSearch>, SavedError> {
        let mut searches = self.searches.lock();
        if searches.is_none() {
            *searches = Some(read(&self.path)?);
        }
        Ok(searches.as_ref().and_then(|searches| searches.get(root)).cloned().unwrap_or_default())
    }

    /// Saves a search. One that is saved already becomes the first.
    ///
    /// # Errors
    /// The project has too many, or the file cannot be read or written.
    pub(crate) fn insert(&self, root: &str, search: SavedSearch) -> Result<(), SavedError> {
        self.change(root, |searches| {
            searches.retain(|saved| *saved != search);
            if searches.len() >= SEARCHES {
                return Err(SavedError::Full);
            }
            searches.insert(0, search);
            Ok(())
        })
    }

    /// Removes a search, if it is saved.
    ///
    /// # Errors
    /// The file cannot be read or written.
    pub(crate) fn remove(&self, root: &str, search: &SavedSearch) -> Result<(), SavedError> {
        self.change(root, |searches| {
            searches.retain(|saved| saved != search);
            Ok(())
        })
    }

    /// Changes the searches of a project in the file, and then in memory.
    fn change(
        &self,
        root: &str,
        change: impl FnOnce(&mut Vec<SavedSearch>) -> Result<(), SavedError>,
    ) -> Result<(), SavedError> {
        let mut searches = self.searches.lock();
        let mut changed = match &*searches {
            Some(known) => known.clone(),
            None => read(&self.path)?,
        };
        change(changed.entry(root.to_owned()).or_default())?;
        changed.retain(|_, searches| !searches.is_empty());
        write(&self.path, &changed).map_err(|source| SavedError::File { path: self.path.clone(), source })?;
        *searches = Some(changed);
        Ok(())
    }
}

fn read(path: &Path) -> Result<Searches, SavedError> {
    let text = match fs::read(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Searches::new()),
        Err(source) => return Err(SavedError::File { path: path.to_owned(), source }),
    };
    serde_json::from_slice(&text).map_err(|source| SavedError::Damaged { path: path.to_owned(), source })
}

fn write(path: &Path, searches: &Searches) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let unfinished = path.with_extension("new");
    fs::write(&unfinished, serde_json::to_vec_pretty(searches)?)?;
    fs::rename(&unfinished, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(q: &str) -> SavedSearch {
        SavedSearch { q: q.to_owned(), ..SavedSearch::default() }
    }

    #[test]
    fn searches_are_kept_by_project_and_survive_a_restart() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("page/searches.json");
        let saved = SavedSearches::new(path.clone());
        assert_eq!(saved.list("/a").expect("no file"), []);
        for (root, query) in [("/a", "one"), ("/b", "one"), ("/a", "two"), ("/a", "one")] {
            saved.insert(root, search(query)).expect("saved");
        }
        saved.remove("/b", &search("one")).expect("removed");
        saved.remove("/b", &search("one")).expect("removed before");
        let again = SavedSearches::new(path);
        assert_eq!(again.list("/a").expect("read"), [search("one"), search("two")]);
        assert_eq!(again.list("/b").expect("read"), []);
    }

    #[test]
    fn a_project_has_a_bounded_number() {
        let folder = tempfile::tempdir().expect("a folder");
        let saved = SavedSearches::new(folder.path().join("searches.json"));
        for number in 0..SEARCHES {
            saved.insert("/a", search(&number.to_string())).expect("saved");
        }
        assert!(matches!(saved.insert("/a", search("one more")), Err(SavedError::Full)));
        saved.insert("/a", search("7")).expect("it is among them");
        saved.insert("/b", search("one more")).expect("another project");
    }

    #[test]
    fn a_damaged_file_is_named_and_left_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("searches.json");
        fs::write(&path, "{").expect("written");
        let saved = SavedSearches::new(path.clone());
        assert!(matches!(saved.list("/a"), Err(SavedError::Damaged { .. })));
        assert!(saved.insert("/a", search("one")).is_err());
        assert_eq!(fs::read_to_string(&path).expect("read"), "{");
    }
}
