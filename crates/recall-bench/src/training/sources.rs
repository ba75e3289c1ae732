//! The repositories to learn from, the files of their trees, and even samples.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use recall_os::git::{MissingGit, Program};
use recall_text::DocPath;
use serde::Deserialize;
use thiserror::Error;

/// The list of repositories.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Sources {
    pub(crate) source: Vec<Source>,
}

/// A repository at a commit.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Source {
    /// `owner/name`.
    pub(crate) name: String,
    /// The commit up to which the history is read.
    pub(crate) commit: String,
    /// Its licence, as an SPDX expression.
    #[cfg_attr(not(test), expect(dead_code, reason = "documentation for readers of the list"))]
    pub(crate) licence: String,
    /// Its main language.
    #[expect(dead_code, reason = "documentation for readers of the list")]
    pub(crate) language: String,
}

/// A repository cannot be provided.
#[derive(Debug, Error)]
pub(crate) enum SourcesError {
    #[error("cannot read `{}`", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("`{}` is not a valid list of repositories", path.display())]
    Parse { path: PathBuf, source: toml::de::Error },
    #[error(transparent)]
    Missing(#[from] MissingGit),
    #[error("cannot run `git {arguments}`")]
    Git { arguments: String, source: std::io::Error },
    #[error("`git {arguments}` failed for {name}")]
    Refused { arguments: String, name: String },
}

impl Sources {
    pub(crate) fn read(path: &Path) -> Result<Self, SourcesError> {
        let text =
            std::fs::read_to_string(path).map_err(|source| SourcesError::Read { path: path.to_owned(), source })?;
        toml::from_str(&text).map_err(|source| SourcesError::Parse { path: path.to_owned(), source })
    }
}

impl Source {
    /// Returns the bare clone in a folder of mirrors, with its `HEAD` at the listed commit. Clones it if it does not
    /// exist.
    pub(crate) fn git_dir(&self, mirrors: &Path) -> Result<PathBuf, SourcesError> {
        let git_dir = mirrors.join(self.name.replace('/', "+")).join("repo");
        let folder = git_dir.to_string_lossy().into_owned();
        if !git_dir.exists() {
            let url = format!("https://github.com/{}.git", self.name);
            self.git(mirrors, &["clone", "--quiet", "--bare", &url, &folder])?;
        }
        self.git(mirrors, &["--git-dir", &folder, "update-ref", "--no-deref", "HEAD", &self.commit])?;
        Ok(git_dir)
    }

    fn git(&self, mirrors: &Path, arguments: &[&str]) -> Result<(), SourcesError> {
        let said = || arguments.join(" ");
        // Uses the plain program instead of the read-only command, because this fetches.
        let git = Program::find(mirrors)?;
        let status = Command::new(git.executable()).args(arguments).status();
        let status = status.map_err(|source| SourcesError::Git { arguments: said(), source })?;
        if status.success() {
            Ok(())
        } else {
            Err(SourcesError::Refused { arguments: said(), name: self.name.clone() })
        }
    }
}

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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// The licences that allow training and the distribution of the rankers.
    const PERMISSIVE: &[&str] = &["MIT", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "Unlicense"];

    fn shipped() -> Vec<Source> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../training/rank/sources.toml");
        Sources::read(&path).expect("the list is valid").source
    }

    /// The repositories of the evaluation: one per line, in lower case.
    fn judging() -> BTreeSet<String> {
        let lines = include_str!("../../../../training/rank/judging.txt").lines();
        lines.filter(|line| !line.starts_with('#')).map(str::to_ascii_lowercase).collect()
    }

    #[test]
    fn there_are_at_least_a_hundred_distinct_repositories() {
        let sources = shipped();
        assert!(sources.len() >= 100, "{}", sources.len());
        let names: BTreeSet<String> = sources.iter().map(|source| source.name.to_ascii_lowercase()).collect();
        assert_eq!(names.len(), sources.len());
    }

    #[test]
    fn each_is_a_repository_at_a_commit() {
        for Source { name, commit, .. } in shipped() {
            assert!(name.split('/').filter(|part| !part.is_empty()).count() == 2, "{name}");
            assert!(
                commit.len() == 40 && commit.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')),
                "{name}"
            );
        }
    }

    #[test]
    fn every_licence_is_permissive() {
        for Source { name, licence, .. } in shipped() {
            assert!(licence.split(" OR ").all(|one| PERMISSIVE.contains(&one)), "{name}: {licence}");
        }
    }

    #[test]
    fn evaluation_repositories_are_not_trained_on() {
        let judging = judging();
        assert!(judging.len() >= 63 && judging.contains("tokio-rs/axum"), "the list of those that judge is not read");
        for Source { name, .. } in shipped() {
            assert!(!judging.contains(&name.to_ascii_lowercase()), "{name}");
        }
    }
}
