//! The repository of a replayed tree.
//!
//! It is in the tree only while the engine is asked about an edit, for which git is asked who wrote the lines. Otherwise the engine would
//! read the history of each of hundreds of trees when it indexes them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A repository with the objects of another one and no references. Its head is the commit whose files are in the tree.
pub(super) struct ReplayRepository {
    aside: PathBuf,
    in_tree: PathBuf,
}

impl ReplayRepository {
    /// Creates the repository at `aside`, for a tree on the same file system.
    ///
    /// The objects are hard links, because the engine reads no borrowed ones.
    pub(super) fn new(git_dir: &Path, aside: PathBuf, tree: &Path) -> io::Result<Self> {
        link_files(&git_dir.join("objects"), &aside.join("objects"))?;
        fs::create_dir_all(aside.join("refs"))?;
        fs::write(aside.join("config"), "[core]\n\trepositoryformatversion = 0\n\tbare = false\n")?;
        Ok(Self { aside, in_tree: tree.join(".git") })
    }

    /// Puts the repository into the tree until the guard is dropped.
    pub(super) fn put_at(&self, commit: &str) -> io::Result<InTree<'_>> {
        fs::write(self.aside.join("HEAD"), format!("{commit}\n"))?;
        fs::rename(&self.aside, &self.in_tree)?;
        Ok(InTree(self))
    }
}

/// Takes the repository out of the tree when it is dropped.
pub(super) struct InTree<'r>(&'r ReplayRepository);

impl Drop for InTree<'_> {
    fn drop(&mut self) {
        // If this fails, the next edit fails.
        let _ = fs::rename(&self.0.in_tree, &self.0.aside);
    }
}

/// Links the files of a folder, or copies them from another file system.
fn link_files(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type()?.is_dir() {
            link_files(&source, &target)?;
        } else if fs::hard_link(&source, &target).is_err() {
            fs::copy(&source, &target)?;
        }
    }
    Ok(())
}
