//! Git repositories for tests.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// A git repository that ignores the user's configuration.
pub(crate) struct Repository {
    place: TempDir,
    path: PathBuf,
}

impl Repository {
    /// Creates an empty repository with the branch `main`.
    pub(crate) fn new() -> Self {
        let place = tempfile::tempdir().expect("a folder");
        let path = place.path().join("repository");
        fs::create_dir(&path).expect("made");
        let repository = Self { place, path };
        repository.git(&["init", "--quiet", "--initial-branch=main"]);
        // Allows clones that omit objects.
        repository.git(&["config", "uploadpack.allowFilter", "true"]);
        repository
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns a path next to the repository.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.place.path().join(name)
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.path.join(path);
        fs::create_dir_all(path.parent().expect("below the root")).expect("made");
        fs::write(path, text).expect("written");
    }

    /// Writes files and commits all changes; returns the commit's id.
    pub(crate) fn commit(&self, message: &str, files: &[(&str, &str)]) -> String {
        for (path, text) in files {
            self.write(path, text);
        }
        for (path, _) in files {
            self.git(&["add", "--", path]);
        }
        if self.path.join("link").is_symlink() {
            self.git(&["add", "link"]);
        }
        self.git(&["commit", "--quiet", "--allow-empty", "-m", message]);
        self.git(&["rev-parse", "HEAD"])
    }

    /// Clones the repository to a folder next to it.
    pub(crate) fn clone_to(&self, name: &str, options: &[&str]) -> PathBuf {
        let to = self.beside(name);
        let (from, into) = (format!("file://{}", self.path.display()), to.to_str().expect("text"));
        self.git(&[&["clone", "--quiet"], options, &[&from, into]].concat());
        to
    }

    /// Returns every file of the repository and of its work tree.
    pub(crate) fn snapshot(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        let mut open = vec![self.path.clone()];
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(folder).expect("readable") {
                let path = entry.expect("readable").path();
                if path.is_dir() {
                    open.push(path);
                } else {
                    files.insert(path.clone(), fs::read(&path).expect("readable"));
                }
            }
        }
        files
    }

    /// Runs `git` in the work tree and returns its output.
    #[track_caller]
    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        let mut git = Command::new("git");
        git.env_clear().envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
        for (name, value) in [
            ("HOME", self.place.path().to_str().expect("text")),
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_AUTHOR_NAME", "A"),
            ("GIT_AUTHOR_EMAIL", "a@example.org"),
            ("GIT_COMMITTER_NAME", "A"),
            ("GIT_COMMITTER_EMAIL", "a@example.org"),
        ] {
            git.env(name, value);
        }
        let output = git.current_dir(&self.path).args(arguments).output().expect("git is installed");
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "git {arguments:?}: {said}{}", String::from_utf8_lossy(&output.stderr));
        said.trim().to_owned()
    }
}
