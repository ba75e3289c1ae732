//! The checked-out branch and commit of a folder.
//!
//! Read from git's own files, because a process would take longer than the rest of adding a memory.

use std::path::Path;

use recall_os::Folder;
use recall_os::git::Repository;

/// The branch and commit of a checkout.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Head {
    /// The branch; `None` if the head is detached.
    pub(crate) branch: Option<String>,
    /// The commit; `None` before the first one.
    pub(crate) commit: Option<String>,
}

/// The most bytes that are read of a file other than the packed references.
const FILE_BYTES: u64 = 4096;

/// The most bytes that are read of the packed references: more than a hundred thousand of them.
const PACKED_BYTES: u64 = 16 * 1024 * 1024;

impl Head {
    /// Reads the head of a folder's repository. Empty if the folder has none of its own, or if the repository stores its
    /// references in another format.
    pub(crate) fn read_from(root: &Path) -> Self {
        Repository::find(root).map(|repository| Self::read(&repository)).unwrap_or_default()
    }

    fn read(Repository { git_dir, common_dir, .. }: &Repository) -> Self {
        let (Ok(own), Ok(shared)) = (Folder::open(git_dir), Folder::open(common_dir)) else { return Self::default() };
        let Some(head) = read(&own, "HEAD", FILE_BYTES) else { return Self::default() };
        let head = head.trim();
        let Some(name) = head.strip_prefix("ref:").map(str::trim) else {
            return Self { branch: None, commit: hash(head) };
        };
        let is_plain = name.split('/').all(|part| !matches!(part, "" | "." | ".."));
        let loose = || read(&shared, name, FILE_BYTES).and_then(|text| hash(text.trim()));
        let commit = if is_plain { loose().or_else(|| read_packed_ref(&shared, name)) } else { None };
        Self { branch: name.strip_prefix("refs/heads/").map(str::to_owned), commit }
    }
}

fn read_packed_ref(shared: &Folder, name: &str) -> Option<String> {
    let all = read(shared, "packed-refs", PACKED_BYTES)?;
    let mut lines = all.lines().filter_map(|line| line.split_once(' '));
    lines.find(|(_, known)| *known == name).and_then(|(commit, _)| hash(commit))
}

fn hash(text: &str) -> Option<String> {
    let is_hash = matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash.then(|| text.to_owned())
}

/// Reads a file of git's folder. A link there may lead to another repository, so none is followed.
fn read(folder: &Folder, below: &str, limit_bytes: u64) -> Option<String> {
    String::from_utf8(folder.read(below, limit_bytes).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

    fn check(files: &[(&str, &str)], folder: &str, branch: Option<&str>, commit: Option<&str>) {
        let place = tempfile::tempdir().expect("a folder");
        for (path, text) in files {
            let path = place.path().join(path);
            fs::create_dir_all(path.parent().expect("below the folder")).expect("made");
            fs::write(path, text).expect("written");
        }
        fs::create_dir_all(place.path().join(folder)).expect("made");
        let expected = Head { branch: branch.map(str::to_owned), commit: commit.map(str::to_owned) };
        assert_eq!(Head::read_from(&place.path().join(folder)), expected, "{files:?}");
    }

    #[test]
    fn the_branch_and_the_commit_are_read_as_git_keeps_them() {
        let on_main = (".git/HEAD", "ref: refs/heads/main\n");
        let commit = format!("{COMMIT}\n");
        check(&[on_main, (".git/refs/heads/main", &commit)], "", Some("main"), Some(COMMIT));
        let packed = format!("# pack-refs\n{COMMIT} refs/heads/main\n");
        check(&[on_main, (".git/packed-refs", &packed)], "sub/folder", Some("main"), Some(COMMIT));
        check(&[on_main], "", Some("main"), None);
        check(&[(".git/HEAD", &commit)], "", None, Some(COMMIT));
        check(&[("a.rs", "")], "", None, None);
    }

    #[test]
    fn a_further_worktree_has_its_own_head_and_the_repositorys_references() {
        let files = [
            ("tree/.git", "gitdir: ../main/.git/worktrees/tree\n"),
            ("main/.git/worktrees/tree/gitdir", "../../../../tree/.git\n"),
            ("main/.git/worktrees/tree/HEAD", "ref: refs/heads/fix/a\n"),
            ("main/.git/worktrees/tree/commondir", "../..\n"),
            ("main/.git/refs/heads/fix/a", COMMIT),
        ];
        check(&files, "tree", Some("fix/a"), Some(COMMIT));
    }

    #[test]
    fn a_reference_does_not_lead_out_of_the_repository() {
        let files = [(".git/HEAD", "ref: ../../secret\n"), ("secret", COMMIT)];
        check(&files, "", None, None);
    }

    #[cfg(unix)]
    #[test]
    fn a_reference_is_not_read_through_a_link() {
        let place = tempfile::tempdir().expect("a folder");
        let root = place.path().join("clone");
        for folder in ["clone/.git/refs", "private/heads"] {
            fs::create_dir_all(place.path().join(folder)).expect("made");
        }
        fs::write(root.join(".git/HEAD"), "ref: refs/heads/main\n").expect("written");
        fs::write(place.path().join("private/heads/main"), COMMIT).expect("written");
        std::os::unix::fs::symlink("../../../private/heads", root.join(".git/refs/heads")).expect("linked");
        assert_eq!(Head::read_from(&root).commit, None);
    }

    #[test]
    fn a_repository_elsewhere_that_does_not_know_the_folder_is_not_read() {
        let files = [("clone/.git", "gitdir: ../private/.git\n"), ("private/.git/HEAD", "ref: refs/heads/merger\n")];
        check(&files, "clone", None, None);
    }
}
