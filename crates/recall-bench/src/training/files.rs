//! The files of a tree, and even samples.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use recall_text::DocPath;

/// Lists the files of a tree, sorted.
pub(crate) fn files(tree: &Path) -> Result<Vec<DocPath>, Box<dyn Error + Send + Sync>> {
    let mut files = Vec::new();
    let mut folders: Vec<PathBuf> = vec![tree.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            let (path, kind) = (entry.path(), entry.file_type()?);
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_file()
                && let Ok(below) = path.strip_prefix(tree)
                && let Some(below) = below.to_str()
                && let Ok(path) = DocPath::new(below)
            {
                files.push(path);
            }
        }
    }
    files.sort_unstable();
    Ok(files)
}

/// Samples at most `most` items, evenly spaced.
pub(crate) fn spread<T>(all: &[T], most: usize) -> impl Iterator<Item = &T> {
    let count = all.len().min(most);
    (0..count).map(move |place| &all[place * all.len() / count])
}
