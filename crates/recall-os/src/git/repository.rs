//! The repository of a folder, read from git's own files.
//!
//! A `.git` may lead anywhere: it may be a link, or a file that names another folder, and that folder may name a third
//! one. A repository outside the work tree is only accepted if it names the work tree as its own, as the repository of
//! a linked work tree or a submodule does. No other repository is read.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// The number of bytes read of git's files. The files read here are shorter.
const FILE_BYTES: u64 = 64 * 1024;

/// The number of ancestors of a folder that are searched for a repository.
const MOST_LEVELS: usize = 32;

/// The parts of a repository inside its own work tree that must not be links out of the work tree.
const PARTS: [&str; 7] = ["HEAD", "config", "index", "logs", "objects", "packed-refs", "refs"];

/// A repository and its work tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repository {
    /// The folder with the `.git`: the top of the work tree, without links.
    pub work_tree: PathBuf,
    /// The folder with `HEAD` and the index.
    pub git_dir: PathBuf,
    /// The folder with the references and objects, shared by all work trees of a repository.
    pub common_dir: PathBuf,
}

impl Repository {
    /// Finds the repository of a folder: the nearest `.git` in the folder or its ancestors.
    ///
    /// Returns `None` if there is none, or if the nearest one leads to a repository that is not its own.
    pub fn find(folder: &Path) -> Option<Self> {
        let folder = dunce::canonicalize(folder).ok()?;
        let above = folder.ancestors().take(MOST_LEVELS);
        let (work_tree, dot_git) = above.map(|above| (above, above.join(".git"))).find(|(_, git)| exists(git))?;
        let git_dir = if dot_git.is_dir() { dot_git.clone() } else { git_dir_named_by(&dot_git)? };
        let git_dir = dunce::canonicalize(git_dir).ok()?;
        let found = Self { work_tree: work_tree.to_owned(), common_dir: common_dir(&git_dir)?, git_dir };
        found.is_own(&dot_git).then_some(found)
    }

    /// Returns the work tree that a linked work tree belongs to, and for another one itself.
    ///
    /// A folder inside the work tree is never taken for another work tree, whatever the files of the repository say.
    pub fn main_work_tree(&self) -> &Path {
        let is_linked = self.common_dir != self.git_dir && !self.common_dir.starts_with(&self.work_tree);
        let main = self.common_dir.parent().filter(|_| is_linked && self.common_dir.ends_with(".git"));
        main.unwrap_or(&self.work_tree)
    }

    /// Returns the folders that the repository names as its linked work trees, at most a number of them, in no particular order. They need
    /// not exist, nor be work trees of it: [`find`](Self::find) in one of them says that.
    pub fn named_work_trees(&self, most: usize) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.common_dir.join("worktrees")).into_iter().flatten().flatten();
        let named = entries.take(most).filter_map(|entry| line_of(&entry.path().join("gitdir")));
        named.filter_map(|dot_git| Path::new(&dot_git).parent().map(Path::to_owned)).collect()
    }

    /// Returns whether the repository is inside the work tree, or names it as its own.
    fn is_own(&self, dot_git: &Path) -> bool {
        if self.git_dir.starts_with(&self.work_tree) {
            let is_inside = |path: &Path| dunce::canonicalize(path).is_ok_and(|real| real.starts_with(&self.work_tree));
            let parts = PARTS.iter().map(|part| self.git_dir.join(part)).filter(|part| exists(part));
            return is_inside(&self.common_dir) && parts.into_iter().all(|part| is_inside(&part));
        }
        self.is_linked_work_tree(dot_git) || self.is_submodule()
    }

    /// Returns whether an outside repository lists this `.git` as that of one of its work trees.
    fn is_linked_work_tree(&self, dot_git: &Path) -> bool {
        let Some(named) = line_of(&self.git_dir.join("gitdir")) else { return false };
        // If `.git` is a link, it differs from its canonical path.
        dunce::canonicalize(self.git_dir.join(named)).is_ok_and(|named| named == dot_git)
    }

    /// Returns whether an outside repository is configured with this work tree, like that of a submodule.
    fn is_submodule(&self) -> bool {
        let Some(config) = read(&self.git_dir.join("config")) else { return false };
        let named = core_worktree(&config).and_then(|named| dunce::canonicalize(self.git_dir.join(named)).ok());
        self.common_dir == self.git_dir && named.as_deref() == Some(self.work_tree.as_path())
    }
}

/// Returns whether something is at the path, even a broken link.
fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// Returns the folder named by the `.git` file of a linked work tree or a submodule.
///
/// The folder need not exist, and need not be a repository of that work tree: [`Repository::find`] checks that.
pub fn git_dir_named_by(dot_git: &Path) -> Option<PathBuf> {
    let text = read(dot_git)?;
    let named = text.strip_prefix("gitdir:")?.trim();
    let work_tree = dot_git.parent()?;
    Some(named).filter(|named| !named.is_empty()).map(|named| work_tree.join(named))
}

/// Returns the folder shared by the work trees of a repository, or the repository's own folder if it names no other.
///
/// `None` if the named folder does not exist.
pub fn common_dir(git_dir: &Path) -> Option<PathBuf> {
    match line_of(&git_dir.join("commondir")) {
        Some(named) => dunce::canonicalize(git_dir.join(named)).ok(),
        None => Some(git_dir.to_owned()),
    }
}

/// Returns the value of `core.worktree` as written by git. Other notations are not recognized.
fn core_worktree(config: &str) -> Option<&str> {
    let mut is_core = false;
    let mut value = None;
    for line in config.lines().map(str::trim) {
        if line.starts_with('[') {
            is_core = line.eq_ignore_ascii_case("[core]");
        } else if let Some((name, found)) = line.split_once('=').filter(|_| is_core)
            && name.trim().eq_ignore_ascii_case("worktree")
        {
            value = Some(found.trim().trim_matches('"'));
        }
    }
    value
}

/// Returns the first line of a short file; `None` if it is empty.
fn line_of(path: &Path) -> Option<String> {
    let text = read(path)?;
    text.lines().next().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned)
}

fn read(path: &Path) -> Option<String> {
    // Opening a pipe would block.
    if !path.metadata().ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    fs::File::open(path).ok()?.take(FILE_BYTES).read_to_string(&mut text).ok()?;
    Some(text)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// Creates files and links (`-> target`) below a temporary folder.
    fn place(entries: &[(&str, &str)]) -> (tempfile::TempDir, PathBuf) {
        let place = tempfile::tempdir().expect("a folder");
        let at = dunce::canonicalize(place.path()).expect("there");
        for (path, text) in entries {
            let text = text.replace('@', at.to_str().expect("text"));
            let file = at.join(path);
            fs::create_dir_all(file.parent().expect("below")).expect("made");
            match text.strip_prefix("-> ") {
                Some(to) => symlink(to, &file).expect("linked"),
                None => fs::write(&file, text).expect("written"),
            }
        }
        (place, at)
    }

    #[track_caller]
    fn check(entries: &[(&str, &str)], folder: &str, expected: Option<(&str, &str, &str)>) {
        let (_place, at) = place(entries);
        let expected = expected.map(|(work_tree, git_dir, common_dir)| Repository {
            work_tree: at.join(work_tree),
            git_dir: at.join(git_dir),
            common_dir: at.join(common_dir),
        });
        assert_eq!(Repository::find(&at.join(folder)), expected, "{entries:?}");
    }

    #[test]
    fn a_repository_is_found_from_its_work_tree_and_from_below() {
        let files = [("a/.git/HEAD", "x"), ("a/b/c/file", "")];
        check(&files, "a", Some(("a", "a/.git", "a/.git")));
        check(&files, "a/b/c", Some(("a", "a/.git", "a/.git")));
        check(&[("a/file", "")], "a", None);
    }

    #[test]
    fn linked_work_trees_and_submodules_find_their_repositories() {
        let tree = "main/.git/worktrees/tree";
        let files = [
            ("tree/.git", "gitdir: @/main/.git/worktrees/tree\n"),
            ("main/.git/worktrees/tree/gitdir", "@/tree/.git\n"),
            ("main/.git/worktrees/tree/commondir", "../..\n"),
        ];
        check(&files, "tree", Some(("tree", tree, "main/.git")));
        let files = [
            ("all/sub/.git", "gitdir: ../.git/modules/sub\n"),
            ("all/.git/modules/sub/config", "[core]\n\tbare = false\n\tworktree = ../../../sub\n"),
        ];
        check(&files, "all/sub", Some(("all/sub", "all/.git/modules/sub", "all/.git/modules/sub")));
    }

    #[test]
    fn the_main_work_tree_is_that_of_the_shared_repository() {
        let files = [
            ("main/.git/HEAD", "x"),
            ("tree/.git", "gitdir: @/main/.git/worktrees/tree\n"),
            ("main/.git/worktrees/tree/gitdir", "@/tree/.git\n"),
            ("main/.git/worktrees/tree/commondir", "../..\n"),
            ("odd/.git/HEAD", "x"),
            ("odd/.git/commondir", "../inner/.git\n"),
            ("odd/inner/.git/HEAD", "x"),
            ("all/sub/.git", "gitdir: ../.git/modules/sub\n"),
            ("all/.git/modules/sub/config", "[core]\n\tworktree = ../../../sub\n"),
        ];
        let (_place, at) = place(&files);
        for (folder, main) in [("main", "main"), ("tree", "main"), ("odd", "odd"), ("all/sub", "all/sub")] {
            let repository = Repository::find(&at.join(folder)).expect("its own");
            assert_eq!(repository.main_work_tree(), at.join(main), "{folder}");
        }
    }

    #[test]
    fn a_repository_that_does_not_name_the_work_tree_is_refused() {
        let private = [
            ("private/.git/HEAD", "x"),
            ("private/.git/config", "[core]\n\tbare = false\n"),
            ("private/.git/worktrees/tree/gitdir", "@/tree/.git\n"),
            ("private/.git/worktrees/tree/commondir", "../..\n"),
            ("tree/.git", "gitdir: @/private/.git/worktrees/tree\n"),
        ];
        for hostile in [
            &[("clone/.git", "gitdir: ../private/.git\n")][..],
            &[("clone/.git", "-> ../private/.git")],
            &[("clone/.git/commondir", "../../private/.git\n")],
            &[("clone/.git/HEAD", "x"), ("clone/.git/refs", "-> ../../private/.git/refs")],
            &[("clone/.git/HEAD", "-> @/private/.git/HEAD")],
            &[("clone/.git/HEAD", "x"), ("clone/.git/index", "-> @/private/.git/index")],
            &[("clone/.git", "gitdir: \n")],
            &[("clone/.git", "-> nowhere")],
            &[("clone/.git", "-> ../tree/.git")],
        ] {
            check(&[&private, hostile].concat(), "clone", None);
        }
        // Its own `.git` hides the one above.
        check(&[("a/.git/HEAD", "x"), ("a/clone/.git", "-> nowhere")], "a/clone", None);
    }
}
