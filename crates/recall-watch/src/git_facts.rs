//! What git says about the files of a root: which it tracks, and which the user has ignored for all repositories.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use recall_os::FileStamp;
use recall_os::git::{Repository, TrackedFiles, UserConfig, UserIgnoreFile};

/// What git's files say about a root, and the stamps of these files.
///
/// The configuration of the repository is not read: a `core.excludesFile` in it could name any file of the user.
#[derive(Debug, Default)]
pub struct GitFacts {
    tracked: TrackedFiles,
    user_ignore: Option<UserIgnore>,
    /// The repository's own exclude file, which decides together with the ignore files.
    exclude: Option<String>,
    stamps: Vec<(PathBuf, Option<FileStamp>)>,
}

/// The ignore file of the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UserIgnore {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

impl GitFacts {
    /// Reads what git's files say about a root. Without a repository, nothing is tracked and nothing is ignored.
    pub fn read(root: &Path, user: &UserConfig) -> Self {
        let Some(repository) = Repository::find(root) else {
            return Self { stamps: stamps([root.join(".git")]), ..Self::default() };
        };
        let UserIgnoreFile { path, configuration } = user.ignore_file();
        let exclude = repository.common_dir.join("info/exclude");
        let index = repository.git_dir.join("index");
        let own = [index, exclude.clone()];
        // The stamps are taken before the files are read, so that a write in between is noticed the next time.
        let stamps = stamps(own.into_iter().chain(configuration).chain(path.clone()));
        Self {
            tracked: TrackedFiles::read(&repository, root).unwrap_or_default(),
            user_ignore: path.and_then(|path| Some(UserIgnore { text: read_text(&path)?, path })),
            exclude: read_text(&exclude),
            stamps,
        }
    }

    /// Returns whether git's files have not changed since they were read. Costs one `stat` per file, of which there are
    /// about five.
    pub fn is_current(&self) -> bool {
        self.stamps.iter().all(|(path, stamp)| stamp_of(path) == *stamp)
    }

    /// Returns whether both say the same about every file.
    ///
    /// Git writes its index again whenever it looks at the files, mostly with the same paths.
    pub fn agrees_with(&self, other: &Self) -> bool {
        self.tracked == other.tracked && self.user_ignore == other.user_ignore && self.exclude == other.exclude
    }

    /// Returns whether git tracks a file, given by its path below the root.
    pub fn tracks(&self, path: &str) -> bool {
        self.tracked.contains(path)
    }

    /// Returns the number of files that git tracks below the root.
    pub fn tracked_files(&self) -> usize {
        self.tracked.len()
    }

    pub(crate) fn tracks_below(&self, directory: &str) -> bool {
        self.tracked.has_below(directory)
    }

    pub(crate) fn user_ignore(&self) -> Option<&UserIgnore> {
        self.user_ignore.as_ref()
    }
}

fn stamps(paths: impl IntoIterator<Item = PathBuf>) -> Vec<(PathBuf, Option<FileStamp>)> {
    paths.into_iter().map(|path| (path.clone(), stamp_of(&path))).collect()
}

/// Returns the stamp of a file, or of the file that a link leads to: settings of users are often links.
fn stamp_of(path: &Path) -> Option<FileStamp> {
    let stamp = FileStamp::read(path)?;
    if path.is_symlink() { FileStamp::read(&dunce::canonicalize(path).ok()?) } else { Some(stamp) }
}

/// Reads a file of patterns, up to the limit for ignore files. It may be a link, since it is not part of the root.
fn read_text(path: &Path) -> Option<String> {
    // Opening a pipe would block.
    if !path.metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(crate::ignore_files::LIMIT_BYTES).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests;
