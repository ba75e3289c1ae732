//! The ignore files between the root and a file.
//!
//! This module reads the files itself: the walker of the `ignore` crate would open anything called `.gitignore`, even a
//! pipe or a symlink out of the root. Git's global excludes are not read, so the files of a project do not depend on
//! the user.

use std::ffi::OsStr;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::open::open_regular;

/// The verdict of the ignore files on a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// No pattern matches.
    NoMatch,
    /// A `.recallignore` or `.ignore` ignores it.
    Ignored,
    /// A `.gitignore` or exclude file ignores it.
    IgnoredByGit,
    /// A `.gitignore` or exclude file re-includes it.
    Reincluded,
    /// A `.recallignore` or `.ignore` re-includes it, so the user wants it to be searched.
    ForcedIn,
}

/// The ignore files of a directory, linked to those of the directories above it.
///
/// Precedence is that of ripgrep: `.recallignore`, `.ignore`, `.gitignore`, git's exclude file; among files of the same
/// name the deepest wins. `.gitignore` files above a nested repository do not apply inside it.
#[derive(Debug)]
pub(crate) struct IgnoreFiles {
    above: Option<Arc<IgnoreFiles>>,
    place: Place,
    recallignore: Gitignore,
    ignore: Gitignore,
    gitignore: Gitignore,
    exclude: Gitignore,
    repository: Repository,
}

/// Where the directory is relative to the root.
#[derive(Debug)]
enum Place {
    /// At or below the root. Paths below the directory begin with that many bytes of directory and `/`.
    Below(usize),
    /// Above the root. This path, which ends with `/`, leads from the directory to the root.
    Above(String),
}

/// Whether a directory is the top of a git repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Repository {
    /// It contains `.git`.
    Top,
    /// It does not.
    No,
}

impl IgnoreFiles {
    /// Reads the ignore files of the directories above the root, up to the top of the repository that contains the
    /// root. Returns `None` if the root is itself such a top, or is not in a repository.
    pub(crate) fn above(root: &Path) -> Option<Arc<Self>> {
        let is_top = |directory: &Path| directory.join(".git").symlink_metadata().is_ok();
        if is_top(root) {
            return None;
        }
        let top = root.ancestors().skip(1).find(|directory| is_top(directory))?;
        let between: Vec<&Path> = root.ancestors().skip(1).take_while(|directory| directory.starts_with(top)).collect();
        between.into_iter().rev().fold(None, |above, directory| {
            let way = root.strip_prefix(directory).ok()?.to_str()?;
            let repository = if directory == top { Repository::Top } else { Repository::No };
            Self::read(directory, Place::Above(format!("{way}/")), repository, above)
        })
    }

    /// Reads the ignore files of the directory at `path` below the root, linked to those above.
    ///
    /// `path` is empty for the root. Returns `above` if the directory has no ignore file.
    pub(crate) fn below(
        root: &Path,
        path: &str,
        repository: Repository,
        above: Option<Arc<Self>>,
    ) -> Option<Arc<Self>> {
        let length = if path.is_empty() { 0 } else { path.len() + 1 };
        Self::read(&root.join(path), Place::Below(length), repository, above)
    }

    fn read(directory: &Path, place: Place, repository: Repository, above: Option<Arc<Self>>) -> Option<Arc<Self>> {
        let rules = |name: &str| read_rules(&directory.join(name));
        let files = Self {
            place,
            recallignore: rules(RECALLIGNORE),
            ignore: rules(IGNORE),
            gitignore: rules(GITIGNORE),
            exclude: match repository {
                Repository::Top => exclude_file(directory).map_or_else(Gitignore::empty, |path| read_rules(&path)),
                Repository::No => Gitignore::empty(),
            },
            repository,
            above,
        };
        let has_no_rules =
            [&files.recallignore, &files.ignore, &files.gitignore, &files.exclude].iter().all(|rules| rules.is_empty());
        if has_no_rules && repository == Repository::No { files.above } else { Some(Arc::new(files)) }
    }

    /// Returns the verdict on a path below the directory.
    pub(crate) fn verdict(&self, path: &str, kind: Kind) -> Verdict {
        let mut of_recallignore = Verdict::NoMatch;
        let mut of_ignore = Verdict::NoMatch;
        let mut of_gitignore = Verdict::NoMatch;
        let mut of_exclude = Verdict::NoMatch;
        let mut left_repository = false;
        let mut next = Some(self);
        while let Some(files) = next {
            let joined;
            let path = match &files.place {
                Place::Below(length) => &path[*length..],
                Place::Above(way) => {
                    joined = format!("{way}{path}");
                    &joined
                }
            };
            let ask = |verdict: &mut Verdict, rules: &Gitignore, kept: Verdict| {
                if *verdict == Verdict::NoMatch && !rules.is_empty() {
                    *verdict = match rules.matched(path, kind == Kind::Directory) {
                        Match::None => Verdict::NoMatch,
                        Match::Ignore(_) => Verdict::Ignored,
                        Match::Whitelist(_) => kept,
                    };
                }
            };
            ask(&mut of_recallignore, &files.recallignore, Verdict::ForcedIn);
            if of_recallignore != Verdict::NoMatch {
                return of_recallignore;
            }
            ask(&mut of_ignore, &files.ignore, Verdict::ForcedIn);
            if !left_repository {
                ask(&mut of_gitignore, &files.gitignore, Verdict::Reincluded);
                ask(&mut of_exclude, &files.exclude, Verdict::Reincluded);
            }
            left_repository |= files.repository == Repository::Top;
            next = files.above.as_deref();
        }
        if of_ignore != Verdict::NoMatch {
            return of_ignore;
        }
        match [of_gitignore, of_exclude].into_iter().find(|verdict| *verdict != Verdict::NoMatch) {
            Some(Verdict::Ignored) => Verdict::IgnoredByGit,
            verdict => verdict.unwrap_or(Verdict::NoMatch),
        }
    }
}

/// Whether a path is matched as a directory or as a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A directory.
    Directory,
    /// Anything else.
    File,
}

const RECALLIGNORE: &str = ".recallignore";
const IGNORE: &str = ".ignore";
const GITIGNORE: &str = ".gitignore";

/// Returns whether a name is that of an ignore file, or marks the top of a repository.
pub(crate) fn is_ignore_file_or_git(name: &OsStr) -> bool {
    name.as_encoded_bytes().first() == Some(&b'.')
        && [RECALLIGNORE, IGNORE, GITIGNORE, ".git"].iter().any(|known| name == *known)
}

/// Compiles globs from a user's settings.
///
/// # Errors
/// The first glob that is invalid, with the reason.
pub(crate) fn compile(globs: &[String]) -> Result<Gitignore, (String, ignore::Error)> {
    let mut builder = GitignoreBuilder::new("");
    // In a `.gitignore` an unclosed `[` is a literal; in a setting it is an error.
    builder.allow_unclosed_class(false);
    for glob in globs {
        builder.add_line(None, glob).map_err(|error| (glob.clone(), error))?;
    }
    builder.build().map_err(|error| (globs.join(" "), error))
}

/// Reads an ignore file. An invalid line matches nothing, as in git.
fn read_rules(path: &Path) -> Gitignore {
    let Some(text) = read_small(path) else { return Gitignore::empty() };
    let mut builder = GitignoreBuilder::new("");
    for line in text.trim_start_matches('\u{FEFF}').lines() {
        // The error says that the line is not a glob. Git ignores such a line silently, too.
        let _ = builder.add_line(None, line);
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

/// Returns the exclude file of the repository whose top is `directory`.
fn exclude_file(directory: &Path) -> Option<PathBuf> {
    let git = directory.join(".git");
    if git.symlink_metadata().ok()?.is_dir() {
        return Some(git.join("info/exclude"));
    }
    Some(recall_git::common_dir(&git_directory(directory)?)?.join("info/exclude"))
}

/// Returns whether the directory is the top of a repository or submodule: its `.git` has a `HEAD`.
pub(crate) fn is_repository(directory: &Path) -> bool {
    let own = directory.join(".git");
    let git = if own.symlink_metadata().is_ok_and(|own| own.is_dir()) { Some(own) } else { git_directory(directory) };
    git.is_some_and(|git| git.join("HEAD").is_file())
}

/// Returns whether the directory is a linked worktree: a second copy of a repository's files.
pub(crate) fn is_linked_worktree(directory: &Path) -> bool {
    git_directory(directory)
        .is_some_and(|own| own.parent().and_then(Path::file_name).is_some_and(|name| name == "worktrees"))
}

/// Returns whether the directory is next to a bare repository, or around one: its `.git` has no checked out files.
pub(crate) fn is_bare(directory: &Path) -> bool {
    let own = directory.join(".git");
    let git = if own.symlink_metadata().is_ok_and(|own| own.is_dir()) { Some(own) } else { git_directory(directory) };
    git.is_some_and(|git| git.join("HEAD").is_file() && !git.join("index").exists())
}

/// Returns whether a directory with these entries is the folder of a repository, under any name, and not a work tree.
pub(crate) fn is_git_folder<'e>(entries: impl Iterator<Item = &'e str>) -> bool {
    entries.filter(|entry| matches!(*entry, "HEAD" | "objects" | "refs")).count() == 3
}

/// Returns the folder named by the `.git` file of a worktree or submodule, if `.git` is a file and not a link to one.
fn git_directory(directory: &Path) -> Option<PathBuf> {
    let git = directory.join(".git");
    if git.symlink_metadata().ok()?.is_file() { recall_git::git_dir_named_by(&git) } else { None }
}

/// Reads a file that is not a symlink, up to the size limit.
fn read_small(path: &Path) -> Option<String> {
    /// The longest hand-written ignore files have some thousand lines.
    const LIMIT_BYTES: u64 = 1024 * 1024;

    let mut bytes = Vec::new();
    open_regular(path).ok()?.take(LIMIT_BYTES).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests;
