//! The watches of the operating system.

use std::path::{Path, PathBuf};

use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};

use super::directories::Directories;
use super::reach::Reach;

/// The watches that cover the claimed directories.
pub(super) struct System {
    watcher: RecommendedWatcher,
    reach: Reach,
}

impl System {
    pub(super) fn new(watcher: RecommendedWatcher, reach: Reach) -> Self {
        Self { watcher, reach }
    }

    /// Covers a directory, unless a tree covers it already.
    ///
    /// # Errors
    /// The directory is gone, or the system refuses.
    pub(super) fn watch(&mut self, directory: &Path, directories: &Directories) -> notify::Result<()> {
        match self.reach {
            Reach::Directory => self.watcher.watch(directory, RecursiveMode::NonRecursive),
            Reach::Tree if directories.is_in_tree(directory) => Ok(()),
            Reach::Tree => {
                self.watcher.watch(directory, RecursiveMode::Recursive)?;
                directories.add_tree(directory);
                directories.change_all();
                Ok(())
            }
        }
    }

    /// Covers a directory that has taken the place of another one.
    ///
    /// # Errors
    /// See [`System::watch`].
    pub(super) fn watch_again(&mut self, directory: &Path, directories: &Directories) -> notify::Result<()> {
        if self.reach == Reach::Directory {
            // The watch may be gone with its directory.
            let _ = self.watcher.unwatch(directory);
        }
        self.watch(directory, directories)
    }

    /// Ends the watches that nobody needs any more, after these directories were released.
    pub(super) fn unwatch(&mut self, released: &[PathBuf], directories: &Directories) {
        match self.reach {
            Reach::Directory => {
                for directory in released {
                    // The directory may be gone already.
                    let _ = self.watcher.unwatch(directory);
                }
            }
            Reach::Tree => {
                for tree in directories.take_unused_trees() {
                    let _ = self.watcher.unwatch(&tree);
                    directories.change_all();
                }
            }
        }
    }
}
