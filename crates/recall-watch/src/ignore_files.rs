//! The ignore files between the root and a file.
//!
//! This module reads the files itself: the walker of the `ignore` crate would open anything called `.gitignore`, even a
//! pipe or a symlink out of the root. The ignore file that the user has configured for git applies in every repository,
//! after all others; it arrives as [`UserRules`].

use std::ffi::OsStr;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder, Glob};

use crate::file::open_regular;
use crate::git_facts::UserIgnore;

/// The compiled ignore file that the user has configured for git; `None` if there is none.
pub(crate) type UserRules = Option<Arc<Gitignore>>;

/// Compiles the user's ignore file.
pub(crate) fn user_rules(user_ignore: Option<&UserIgnore>) -> UserRules {
    let UserIgnore { path, text } = user_ignore?;
    Some(Arc::new(compile_lines(text, path))).filter(|rules| !rules.is_empty())
}

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
/// Precedence is that of ripgrep: `.recallignore`, `.ignore`, `.gitignore`, git's exclude file, the user's ignore file;
/// among files of the same name the deepest wins. `.gitignore` files above a nested repository do not apply inside it.
#[derive(Debug)]
pub(crate) struct IgnoreFiles {
    above: Option<Arc<IgnoreFiles>>,
    place: Place,
    recallignore: Gitignore,
    ignore: Gitignore,
    gitignore: Gitignore,
    exclude: Gitignore,
    /// The user's ignore file, at the top of a repository.
    user: UserRules,
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
    pub(crate) fn above(root: &Path, user: &UserRules) -> Option<Arc<Self>> {
        let is_top = |directory: &Path| directory.join(".git").symlink_metadata().is_ok();
        if is_top(root) {
            return None;
        }
        let top = root.ancestors().skip(1).find(|directory| is_top(directory))?;
        let between: Vec<&Path> = root.ancestors().skip(1).take_while(|directory| directory.starts_with(top)).collect();
        between.into_iter().rev().fold(None, |above, directory| {
            let way = root.strip_prefix(directory).ok()?.to_str()?;
            let repository = if directory == top { Repository::Top } else { Repository::No };
            Self::read(directory, Place::Above(format!("{way}/")), repository, above, user)
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
        user: &UserRules,
    ) -> Option<Arc<Self>> {
        let length = if path.is_empty() { 0 } else { path.len() + 1 };
        Self::read(&root.join(path), Place::Below(length), repository, above, user)
    }

    fn read(
        directory: &Path,
        place: Place,
        repository: Repository,
        above: Option<Arc<Self>>,
        user: &UserRules,
    ) -> Option<Arc<Self>> {
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
            user: user.clone().filter(|_| repository == Repository::Top),
            repository,
            above,
        };
        let has_no_rules =
            [&files.recallignore, &files.ignore, &files.gitignore, &files.exclude].iter().all(|rules| rules.is_empty());
        if has_no_rules && repository == Repository::No { files.above } else { Some(Arc::new(files)) }
    }

    /// Returns the verdict on a path below the directory.
    pub(crate) fn verdict(&self, path: &str, kind: Kind) -> Verdict {
        self.decide(path, kind).0
    }

    /// Returns the ignore file and the pattern that decide about a path below the directory.
    pub(crate) fn deciding_pattern(&self, path: &str, kind: Kind) -> Option<(PathBuf, String)> {
        let glob = self.decide(path, kind).1?;
        Some((glob.from()?.to_owned(), glob.original().to_owned()))
    }

    fn decide(&self, path: &str, kind: Kind) -> (Verdict, Option<&Glob>) {
        let mut of_recallignore = None;
        let mut of_ignore = None;
        let mut of_gitignore = None;
        let mut of_exclude = None;
        let mut of_user = None;
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
            ask(&mut of_recallignore, &files.recallignore, path, kind);
            if of_recallignore.is_some() {
                break;
            }
            ask(&mut of_ignore, &files.ignore, path, kind);
            if !left_repository {
                ask(&mut of_gitignore, &files.gitignore, path, kind);
                ask(&mut of_exclude, &files.exclude, path, kind);
                if let Some(user) = &files.user {
                    ask(&mut of_user, user, path, kind);
                }
            }
            left_repository |= files.repository == Repository::Top;
            next = files.above.as_deref();
        }
        match (of_recallignore.or(of_ignore), of_gitignore.or(of_exclude).or(of_user)) {
            (Some(Decision::Ignore(glob)), _) => (Verdict::Ignored, Some(glob)),
            (Some(Decision::Keep(glob)), _) => (Verdict::ForcedIn, Some(glob)),
            (None, Some(Decision::Ignore(glob))) => (Verdict::IgnoredByGit, Some(glob)),
            (None, Some(Decision::Keep(glob))) => (Verdict::Reincluded, Some(glob)),
            (None, None) => (Verdict::NoMatch, None),
        }
    }
}

/// What a pattern says about a path.
#[derive(Clone, Copy)]
enum Decision<'f> {
    Ignore(&'f Glob),
    Keep(&'f Glob),
}

/// Asks the rules about a path, unless a deeper file has decided.
fn ask<'f>(decision: &mut Option<Decision<'f>>, rules: &'f Gitignore, path: &str, kind: Kind) {
    if decision.is_none() && !rules.is_empty() {
        *decision = match rules.matched(path, kind == Kind::Directory) {
            Match::None => None,
            Match::Ignore(glob) => Some(Decision::Ignore(glob)),
            Match::Whitelist(glob) => Some(Decision::Keep(glob)),
        };
    }
}

/// Whether a path is matched as a directory or as a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
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

fn read_rules(path: &Path) -> Gitignore {
    read_small(path).map_or_else(Gitignore::empty, |text| compile_lines(&text, path))
}

/// Compiles the lines of an ignore file. An invalid line matches nothing, as in git.
fn compile_lines(text: &str, path: &Path) -> Gitignore {
    let mut builder = GitignoreBuilder::new("");
    for line in text.trim_start_matches('\u{FEFF}').lines() {
        // The error says that the line is not a glob. Git ignores such a line silently, too.
        let _ = builder.add_line(Some(path.to_owned()), line);
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

/// Returns the exclude file of the repository whose top is `directory`.
fn exclude_file(directory: &Path) -> Option<PathBuf> {
    let git = directory.join(".git");
    if git.symlink_metadata().ok()?.is_dir() {
        return Some(git.join("info/exclude"));
    }
    Some(recall_os::git::common_dir(&git_directory(directory)?)?.join("info/exclude"))
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
    if git.symlink_metadata().ok()?.is_file() { recall_os::git::git_dir_named_by(&git) } else { None }
}

/// The most bytes read of an ignore file. The longest hand-written ones have some thousand lines.
pub(crate) const LIMIT_BYTES: u64 = 1024 * 1024;

/// Reads a file that is not a symlink, up to the size limit.
fn read_small(path: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    open_regular(path).ok()?.take(LIMIT_BYTES).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests;
