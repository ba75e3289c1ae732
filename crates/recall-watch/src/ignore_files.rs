//! What do the ignore files on the way down to a file say about it?
//!
//! The files are read here and not by the `ignore` crate, whose walker would open whatever is called `.gitignore`: a fifo,
//! or a symlink out of the root. The global excludes of git are left out: which files a project has does not depend on
//! who looks.

use std::ffi::OsStr;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::open::open_regular;

/// What the ignore files say about one path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Nothing.
    Silent,
    /// It is ignored.
    Ignored,
    /// A `.gitignore` or an exclude file takes it back in.
    Kept,
    /// A `.recallignore` or `.ignore` takes it back in: somebody wants it to be searched.
    Wanted,
}

/// The ignore files of one directory, and those of the directories above it.
///
/// As ripgrep has it: `.recallignore` beats `.ignore`, which beats `.gitignore`, which beats git's exclude file; of files
/// of one name the deepest wins. The `.gitignore` files above a nested repository say nothing about what it holds.
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

/// Where the directory lies, seen from the root.
#[derive(Debug)]
enum Place {
    /// Below it or at it: so many bytes of a path below the root lead to the directory, its `/` included.
    Below(usize),
    /// Above it: this path, with a `/` behind it, leads from the directory to the root.
    Above(String),
}

/// Whether a directory is the top of a git repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Repository {
    /// It holds `.git`.
    Top,
    /// It does not.
    No,
}

impl IgnoreFiles {
    /// Reads the ignore files of the directories above the root, up to the top of the repository that the root lies in.
    /// None where the root is such a top itself, or lies in no repository.
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

    /// Reads the ignore files of the directory at `path` below the root, and puts them before those above.
    ///
    /// `path` is empty for the root itself. Gives `above` back where the directory has no ignore file.
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
        let says_nothing =
            [&files.recallignore, &files.ignore, &files.gitignore, &files.exclude].iter().all(|rules| rules.is_empty());
        if says_nothing && repository == Repository::No { files.above } else { Some(Arc::new(files)) }
    }

    /// What the files say about the path, which lies below their directory.
    pub(crate) fn verdict(&self, path: &str, kind: Kind) -> Verdict {
        let mut of_recallignore = Verdict::Silent;
        let mut of_ignore = Verdict::Silent;
        let mut of_gitignore = Verdict::Silent;
        let mut of_exclude = Verdict::Silent;
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
                if *verdict == Verdict::Silent && !rules.is_empty() {
                    *verdict = match rules.matched(path, kind == Kind::Directory) {
                        Match::None => Verdict::Silent,
                        Match::Ignore(_) => Verdict::Ignored,
                        Match::Whitelist(_) => kept,
                    };
                }
            };
            ask(&mut of_recallignore, &files.recallignore, Verdict::Wanted);
            if of_recallignore != Verdict::Silent {
                return of_recallignore;
            }
            ask(&mut of_ignore, &files.ignore, Verdict::Wanted);
            if !left_repository {
                ask(&mut of_gitignore, &files.gitignore, Verdict::Kept);
                ask(&mut of_exclude, &files.exclude, Verdict::Kept);
            }
            left_repository |= files.repository == Repository::Top;
            next = files.above.as_deref();
        }
        [of_ignore, of_gitignore, of_exclude]
            .into_iter()
            .find(|verdict| *verdict != Verdict::Silent)
            .unwrap_or(Verdict::Silent)
    }
}

/// Whether a path is asked about as a directory's or a file's.
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

/// Whether a name is one of an ignore file, or marks the top of a repository.
pub(crate) fn is_of_interest(name: &OsStr) -> bool {
    name.as_encoded_bytes().first() == Some(&b'.')
        && [RECALLIGNORE, IGNORE, GITIGNORE, ".git"].iter().any(|known| name == *known)
}

/// Compiles globs that a user wrote.
///
/// # Errors
/// A glob that cannot be read, with the reason.
pub(crate) fn compile(globs: &[String]) -> Result<Gitignore, (String, ignore::Error)> {
    let mut builder = GitignoreBuilder::new("");
    // A `[` that nothing closes is a character in a `.gitignore`; in a setting it is a slip.
    builder.allow_unclosed_class(false);
    for glob in globs {
        builder.add_line(None, glob).map_err(|error| (glob.clone(), error))?;
    }
    builder.build().map_err(|error| (globs.join(" "), error))
}

/// Reads an ignore file. A line that cannot be understood matches nothing, as in git.
fn read_rules(path: &Path) -> Gitignore {
    let Some(text) = read_small(path) else { return Gitignore::empty() };
    let mut builder = GitignoreBuilder::new("");
    for line in text.trim_start_matches('\u{FEFF}').lines() {
        // The error says that the line is no glob; there is nobody to tell.
        let _ = builder.add_line(None, line);
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

/// The exclude file of the repository whose top is `directory`.
fn exclude_file(directory: &Path) -> Option<PathBuf> {
    let git = directory.join(".git");
    if git.symlink_metadata().ok()?.is_dir() {
        return Some(git.join("info/exclude"));
    }
    let own = git_directory(directory)?;
    let shared = read_small(&own.join("commondir")).map_or_else(|| own.clone(), |common| own.join(common.trim_end()));
    Some(shared.join("info/exclude"))
}

/// Whether the directory is a worktree that git linked to a repository elsewhere: a second copy of its files.
pub(crate) fn is_linked_worktree(directory: &Path) -> bool {
    git_directory(directory)
        .is_some_and(|own| own.parent().and_then(Path::file_name).is_some_and(|name| name == "worktrees"))
}

/// What the `.git` file of a worktree or a submodule points to.
fn git_directory(directory: &Path) -> Option<PathBuf> {
    let text = read_small(&directory.join(".git"))?;
    Some(directory.join(text.strip_prefix("gitdir:")?.trim()))
}

/// Reads a small file that is not a symlink; longer ones up to the limit.
fn read_small(path: &Path) -> Option<String> {
    /// The longest ignore files that people write have some thousand lines.
    const LIMIT_BYTES: u64 = 1024 * 1024;

    let mut bytes = Vec::new();
    open_regular(path).ok()?.take(LIMIT_BYTES).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests;
