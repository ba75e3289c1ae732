//! What git says about the files of a root: which it tracks, and which the user has ignored for all repositories.

use std::path::{Path, PathBuf};

use recall_os::git::{Repository, TrackedFiles, UserConfig, UserIgnoreFile};
use recall_os::{FileStamp, read_own};

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

/// Reads a file of patterns, up to the limit for ignore files. It may be a link, also the one in git's folder: who links that
/// keeps private files out by it, and git follows it too.
fn read_text(path: &Path) -> Option<String> {
    Some(String::from_utf8_lossy(&read_own(path, crate::ignore_files::LIMIT_BYTES).ok()?).into_owned())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Creates a folder with a home and a repository without commits.
    fn place() -> (tempfile::TempDir, PathBuf, UserConfig) {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().join("project");
        for folder in ["project/.git/info", "home/.config/git"] {
            fs::create_dir_all(place.path().join(folder)).unwrap();
        }
        fs::write(root.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
        let user = UserConfig { home: Some(place.path().join("home")), config_home: None };
        (place, root, user)
    }

    #[test]
    fn every_change_of_a_file_of_git_is_noticed() {
        let (place, root, user) = place();
        for file in ["project/.git/index", "project/.git/info/exclude", "home/.gitconfig", "home/.config/git/ignore"] {
            let facts = GitFacts::read(&root, &user);
            assert!(facts.is_current());
            fs::write(place.path().join(file), "*.log\n").unwrap();
            assert!(!facts.is_current(), "{file}");
        }
        let facts = GitFacts::read(&root, &user);
        assert!(facts.is_current());
        assert_eq!(facts.user_ignore().unwrap().text, "*.log\n");
    }

    #[test]
    fn facts_agree_unless_another_file_is_ignored() {
        let (place, root, user) = place();
        let before = GitFacts::read(&root, &user);
        fs::write(place.path().join("home/.gitconfig"), "[user]\nname = x\n").unwrap();
        let named = GitFacts::read(&root, &user);
        assert!(!before.is_current() && named.agrees_with(&before));
        fs::write(root.join(".git/info/exclude"), "*.log\n").unwrap();
        assert!(!GitFacts::read(&root, &user).agrees_with(&before));
    }

    #[test]
    fn without_a_repository_nothing_is_ignored_until_there_is_one() {
        let (place, root, user) = place();
        fs::write(place.path().join("home/.config/git/ignore"), "*.log\n").unwrap();
        fs::rename(root.join(".git"), root.join("git")).unwrap();
        let facts = GitFacts::read(&root, &user);
        assert!(facts.user_ignore().is_none() && facts.tracked_files() == 0);
        fs::rename(root.join("git"), root.join(".git")).unwrap();
        assert!(!facts.is_current());
    }

    /// The configuration of a clone may name a private file; its lines would show in what is left out.
    #[test]
    fn the_configuration_of_the_repository_is_not_read() {
        let (place, root, user) = place();
        let private = place.path().join("private");
        fs::write(&private, "secret line\n").unwrap();
        fs::write(root.join(".git/config"), format!("[core]\n\texcludesFile = {}\n", private.display())).unwrap();
        assert!(GitFacts::read(&root, &user).user_ignore().is_none());
    }

    #[cfg(unix)]
    #[test]
    fn a_linked_ignore_file_is_read_and_followed() {
        let (place, root, user) = place();
        let real = place.path().join("dotfiles");
        fs::write(&real, "a\n").unwrap();
        std::os::unix::fs::symlink(&real, place.path().join("home/.config/git/ignore")).unwrap();
        let facts = GitFacts::read(&root, &user);
        assert_eq!(facts.user_ignore().unwrap().text, "a\n");
        fs::write(&real, "a\nb\n").unwrap();
        assert!(!facts.is_current());
    }
}
