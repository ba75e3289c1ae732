//! Projects to index in tests.

use std::fs;
use std::path::{Path, PathBuf};

/// A project folder in a sandbox.
#[derive(Clone, Debug)]
pub struct Project {
    root: PathBuf,
}

impl Project {
    /// Creates a folder with files. The paths are relative to it; parent folders are created.
    pub(crate) fn make(root: PathBuf, files: &[(&str, &str)]) -> Self {
        fs::create_dir_all(&root).unwrap_or_else(|error| panic!("cannot create `{}`: {error}", root.display()));
        let project = Self { root };
        for (path, text) in files {
            project.write(path, text);
        }
        project
    }

    /// Returns the project's root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the path of a file below the root.
    pub fn path(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    /// Writes a file and creates its folders.
    ///
    /// # Panics
    /// If the file cannot be written.
    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.path(path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).unwrap_or_else(|error| panic!("cannot create `{}`: {error}", folder.display()));
        }
        fs::write(&path, content).unwrap_or_else(|error| panic!("cannot write `{}`: {error}", path.display()));
    }

    /// Removes a file.
    ///
    /// # Panics
    /// If the file cannot be removed.
    pub fn remove(&self, path: &str) {
        let path = self.path(path);
        fs::remove_file(&path).unwrap_or_else(|error| panic!("cannot remove `{}`: {error}", path.display()));
    }
}
