//! What does a test index?

use std::fs;
use std::path::{Path, PathBuf};

/// A folder of files in a sandbox.
#[derive(Clone, Debug)]
pub struct Project {
    root: PathBuf,
}

impl Project {
    /// Makes a folder with files; paths are below it, folders are made on the way.
    pub(crate) fn make(root: PathBuf, files: &[(&str, &str)]) -> Self {
        fs::create_dir_all(&root).unwrap_or_else(|error| panic!("cannot make {}: {error}", root.display()));
        let project = Self { root };
        for (path, text) in files {
            project.write(path, text);
        }
        project
    }

    /// The project's root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The path of a file below the root.
    pub fn path(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    /// Writes a file, its folders on the way.
    ///
    /// # Panics
    /// It cannot be written.
    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.path(path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).unwrap_or_else(|error| panic!("cannot make {}: {error}", folder.display()));
        }
        fs::write(&path, content).unwrap_or_else(|error| panic!("cannot write {}: {error}", path.display()));
    }

    /// Removes a file.
    ///
    /// # Panics
    /// It cannot be removed.
    pub fn remove(&self, path: &str) {
        let path = self.path(path);
        fs::remove_file(&path).unwrap_or_else(|error| panic!("cannot remove {}: {error}", path.display()));
    }
}
