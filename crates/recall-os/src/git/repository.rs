//! The repository of a folder, read from git's own files.
//!
//! A `.git` may lead anywhere: it may be a link, or a file that names another folder, and that folder may name a third
//! one. A repository outside the work tree is only accepted if it names the work tree as its own, as the repository of
//! a linked work tree or a submodule does. No other repository is read: git's files are opened without following links, and `git` is
//! only run where nothing that it reads leads out ([`Repository::keeps_to_itself`]).

use std::fs;
use std::path::{Path, PathBuf};

use crate::Folder;

/// The number of bytes read of git's files. The files read here are shorter.
const FILE_BYTES: u64 = 64 * 1024;

/// The number of ancestors of a folder that are searched for a repository.
const MOST_LEVELS: usize = 32;

/// The parts of a repository that must not be links out of it, besides every name that ends in `HEAD`, and shared indexes.
const PARTS: [&str; 14] = [
    "commondir",
    "config",
    "config.worktree",
    "gitdir",
    "index",
    "info",
    "logs",
    "modules",
    "objects",
    "packed-refs",
    "refs",
    "reftable",
    "shallow",
    "worktrees",
];

/// The parts of which every entry decides what a name or a commit is.
const REFERENCES: [&str; 3] = ["refs", "logs", "reftable"];

/// The most entries of references that are looked at. Git packs them long before.
const MOST_REFERENCES: usize = 200_000;

/// How many folders of objects may borrow from each other in turn, as in git.
const MOST_BORROWED: usize = 5;

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
        let Ok(all) = Folder::open(&self.common_dir).and_then(|shared| shared.folder("worktrees")) else {
            return Vec::new();
        };
        let entries = all.names().unwrap_or_default().into_iter().take(most);
        let named =
            entries.filter_map(|entry| first_line(&all.read(Path::new(&entry).join("gitdir"), FILE_BYTES).ok()?));
        named.filter_map(|dot_git| Path::new(&dot_git).parent().map(Path::to_owned)).collect()
    }

    /// Returns whether the repository is inside the work tree, or names it as its own.
    fn is_own(&self, dot_git: &Path) -> bool {
        let is_named = if self.git_dir.starts_with(&self.work_tree) {
            self.common_dir.starts_with(&self.work_tree)
        } else {
            self.is_linked_work_tree(dot_git) || self.is_submodule()
        };
        is_named && self.git_folders().all(|folder| self.has_own_parts(folder))
    }

    /// Returns whether `git`, run here, finds no reference and no object of another repository: no reference, log or folder of objects
    /// is a link that leads out, and no objects are borrowed from outside.
    ///
    /// Looks at every reference that is not packed, which takes less than to start a process.
    pub fn keeps_to_itself(&self) -> bool {
        let mut left = MOST_REFERENCES;
        self.git_folders().all(|folder| {
            REFERENCES.iter().all(|part| self.has_own_entries(&folder.join(part), &mut left))
                && self.has_own_objects(&folder.join("objects"), 0)
        })
    }

    /// Returns the folders that git reads: its own and the shared one, which may be the same.
    fn git_folders(&self) -> impl Iterator<Item = &Path> {
        let shared = Some(self.common_dir.as_path()).filter(|shared| *shared != self.git_dir);
        std::iter::once(self.git_dir.as_path()).chain(shared)
    }

    /// Returns whether a path leads to a place in the work tree or in one of git's folders.
    fn is_inside(&self, path: &Path) -> bool {
        let is_below =
            |real: PathBuf| real.starts_with(&self.work_tree) || self.git_folders().any(|own| real.starts_with(own));
        dunce::canonicalize(path).is_ok_and(is_below)
    }

    /// Returns whether no part of a folder of git is a link that leads out. What is not read, such as `hooks`, may be one.
    fn has_own_parts(&self, folder: &Path) -> bool {
        let Ok(entries) = fs::read_dir(folder) else { return false };
        entries.flatten().all(|entry| {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let is_read = PARTS.contains(&&*name) || name.ends_with("HEAD") || name.starts_with("sharedindex.");
            !is_read || !is_link(&entry) || self.is_inside(&entry.path())
        })
    }

    /// Returns whether nothing below a folder is a link that leads out; false if there is more than can be looked at.
    fn has_own_entries(&self, folder: &Path, left: &mut usize) -> bool {
        // A folder that is missing has no entries. Git cannot read what is not readable.
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        for entry in entries {
            *left = left.saturating_sub(1);
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let is_own = !is_link(&entry) || self.is_inside(&entry.path());
            if *left == 0 || !is_own || (is_folder && !self.has_own_entries(&entry.path(), left)) {
                return false;
            }
        }
        true
    }

    /// Returns whether a folder of objects, with its packs and those that it borrows from, is inside.
    fn has_own_objects(&self, objects: &Path, depth: usize) -> bool {
        let has_own = |folder: &Path| {
            let mut entries = fs::read_dir(folder).into_iter().flatten().flatten();
            entries.all(|entry| !is_link(&entry) || self.is_inside(&entry.path()))
        };
        // A file of one object has a name that nobody guesses; a folder of them has not.
        if !has_own(objects) || !has_own(&objects.join("pack")) || !has_own(&objects.join("info")) {
            return false;
        }
        let alternates = match Folder::open(objects).and_then(|all| all.read("info/alternates", FILE_BYTES)) {
            Ok(alternates) => alternates,
            Err(error) => return error.is_missing(),
        };
        if alternates.len() as u64 == FILE_BYTES || depth == MOST_BORROWED {
            return false;
        }
        let alternates = String::from_utf8_lossy(&alternates);
        alternates.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).all(|line| {
            let named = objects.join(line);
            // A path in quotes has escapes, and one that does not exist now may exist when git looks.
            !line.starts_with('"') && self.is_inside(&named) && self.has_own_objects(&named, depth + 1)
        })
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

/// Whether an entry of a folder is a link.
fn is_link(entry: &fs::DirEntry) -> bool {
    entry.file_type().is_ok_and(|kind| kind.is_symlink())
}

/// Returns the first line of a short file; `None` if it is empty.
fn line_of(path: &Path) -> Option<String> {
    first_line(read(path)?.as_bytes())
}

fn first_line(text: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(text).ok()?;
    text.lines().next().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned)
}

/// Reads a regular file that is not a link.
fn read(path: &Path) -> Option<String> {
    String::from_utf8(Folder::open(path.parent()?).ok()?.read(path.file_name()?, FILE_BYTES).ok()?).ok()
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
        // Nor is one of whose parts a link leads out, whatever names it.
        let linked = [
            ("private/refs/heads/main", ""),
            ("tree/.git", "gitdir: @/main/.git/worktrees/tree\n"),
            ("main/.git/worktrees/tree/gitdir", "@/tree/.git\n"),
            ("main/.git/worktrees/tree/commondir", "../..\n"),
            ("main/.git/refs", "-> @/private/refs"),
        ];
        check(&linked, "tree", None);
        // Its own `.git` hides the one above.
        check(&[("a/.git/HEAD", "x"), ("a/clone/.git", "-> nowhere")], "a/clone", None);
    }

    #[track_caller]
    fn check_keeping(own: &[(&str, &str)], expected: bool) {
        let private = [("private/heads/main", "x"), ("private/objects/ab/c", "x"), ("a/.git/HEAD", "x")];
        let (_place, at) = place(&[&private, own].concat());
        let repository = Repository::find(&at.join("a")).expect("its own");
        assert_eq!(repository.keeps_to_itself(), expected, "{own:?}");
    }

    #[test]
    fn a_repository_keeps_to_itself_unless_something_below_its_parts_leads_out() {
        let check = check_keeping;
        check(&[("a/.git/refs/heads/main", "x"), ("a/.git/hooks", "-> @/private"), ("a/.git/objects/ab/c", "x")], true);
        check(&[("a/.git/refs/heads", "-> ../../../private/heads")], false);
        check(&[("a/.git/refs/heads/main", "-> @/private/heads/main")], false);
        check(&[("a/.git/refs/heads/main", "-> nowhere")], false);
        check(&[("a/.git/logs/refs", "-> @/private/heads")], false);
        check(&[("a/.git/objects/ab", "-> @/private/objects/ab")], false);
        check(&[("a/.git/objects/pack", "-> @/private/objects/ab")], false);
        for alternates in ["@/private/objects", "../../../private/objects", "# a\n\n@/private/objects\n", "nowhere"] {
            check(&[("a/.git/objects/info/alternates", alternates)], false);
        }
        check(&[("a/.git/objects/info/alternates", "\"@/a/b/objects\"\n"), ("a/b/objects/x", "")], false);
        check(&[("a/.git/objects/info/alternates", "# none\n")], true);
        check(&[("a/.git/objects/info/alternates", "-> @/private/heads/main")], false);
        let inner = [("a/.git/objects/info/alternates", "@/a/b/objects\n"), ("a/b/objects/x", "")];
        check(&inner, true);
        check(&[&inner[..], &[("a/b/objects/info/alternates", "@/private/objects\n")]].concat(), false);
        check(&[&inner[..], &[("a/b/objects/info/alternates", "@/a/.git/objects\n")]].concat(), false);
    }
}
