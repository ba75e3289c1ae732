use std::fs;

use super::*;

/// Writes files, given by path and content, below a new directory.
fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    for (path, content) in files {
        let path = place.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    place
}

/// Returns the ignore files from the root down to a directory, including those above the root.
fn down_to(root: &Path, directory: &str) -> Option<Arc<IgnoreFiles>> {
    let mut way = String::new();
    let mut files = IgnoreFiles::above(root, &None);
    for part in std::iter::once("").chain(directory.split('/').filter(|part| !part.is_empty())) {
        if !part.is_empty() {
            way = if way.is_empty() { part.to_owned() } else { format!("{way}/{part}") };
        }
        let repository = if root.join(&way).join(".git").exists() { Repository::Top } else { Repository::No };
        files = IgnoreFiles::below(root, &way, repository, files, &None);
    }
    files
}

fn check(root: &Path, path: &str, kind: Kind, expected: Verdict) {
    let directory = path.rsplit_once('/').map_or("", |(directory, _)| directory);
    let verdict = down_to(root, directory).map_or(Verdict::NoMatch, |files| files.verdict(path, kind));
    assert_eq!(verdict, expected, "{path}");
}

#[test]
fn the_more_specific_file_name_wins_and_then_the_deepest() {
    let place = tree(&[
        (".gitignore", "*.log\n/top\nsub/*.tmp\n"),
        ("sub/.gitignore", "!keep.log\n"),
        (".ignore", "!wanted.log\n"),
        ("sub/.recallignore", "wanted.log\n*.rs\n!main.rs\n"),
    ]);
    for (path, expected) in [
        ("a.log", Verdict::IgnoredByGit),
        ("a.rs", Verdict::NoMatch),
        ("top", Verdict::IgnoredByGit),
        ("sub/top", Verdict::NoMatch),
        ("sub/keep.log", Verdict::Reincluded),
        ("sub/a.log", Verdict::IgnoredByGit),
        ("sub/a.tmp", Verdict::IgnoredByGit),
        ("wanted.log", Verdict::ForcedIn),
        ("sub/wanted.log", Verdict::Ignored),
        ("sub/lib.rs", Verdict::Ignored),
        ("sub/main.rs", Verdict::ForcedIn),
    ] {
        check(place.path(), path, Kind::File, expected);
    }
}

#[test]
fn a_directory_pattern_does_not_match_files() {
    let place = tree(&[(".gitignore", "\u{FEFF}cache/\n\\#odd\n[\nlast")]);
    check(place.path(), "cache", Kind::Directory, Verdict::IgnoredByGit);
    check(place.path(), "cache", Kind::File, Verdict::NoMatch);
    check(place.path(), "#odd", Kind::File, Verdict::IgnoredByGit);
    // An invalid line does not affect the others.
    check(place.path(), "last", Kind::File, Verdict::IgnoredByGit);
}

#[test]
fn ignore_files_above_the_root_apply_up_to_the_top_of_its_repository() {
    let place = tree(&[
        (".gitignore", "*.never\n"),
        ("repo/.git/info/exclude", "*.mine\n"),
        ("repo/.gitignore", "*.log\n/part/root/only.txt\n"),
        ("repo/part/.recallignore", "/root/src/gone\n"),
    ]);
    let root = place.path().join("repo/part/root");
    fs::create_dir_all(root.join("src")).unwrap();
    for (path, expected) in [
        ("a.log", Verdict::IgnoredByGit),
        ("src/a.log", Verdict::IgnoredByGit),
        ("only.txt", Verdict::IgnoredByGit),
        ("src/only.txt", Verdict::NoMatch),
        ("src/gone", Verdict::Ignored),
        ("a.mine", Verdict::IgnoredByGit),
        ("a.never", Verdict::NoMatch),
    ] {
        check(&root, path, Kind::File, expected);
    }
    let outside = place.path().join("plain");
    fs::create_dir_all(&outside).unwrap();
    check(&outside, "a.never", Kind::File, Verdict::NoMatch);
}

#[test]
fn gitignores_of_a_repository_do_not_apply_to_a_nested_one() {
    let place = tree(&[
        (".git/HEAD", ""),
        (".gitignore", "*.log\n"),
        (".recallignore", "*.tmp\n"),
        ("nested/.git/info/exclude", "*.own\n"),
    ]);
    check(place.path(), "nested/a.log", Kind::File, Verdict::NoMatch);
    check(place.path(), "nested/a.tmp", Kind::File, Verdict::Ignored);
    check(place.path(), "nested/a.own", Kind::File, Verdict::IgnoredByGit);
}

#[test]
fn a_worktree_uses_the_exclude_file_of_its_repository() {
    let place = tree(&[
        ("repo/.git/info/exclude", "*.mine\n"),
        ("repo/.git/worktrees/w/commondir", "../..\n"),
        ("repo/.git/modules/m/info/exclude", "*.modular\n"),
        ("submodule/.git", "gitdir: ../repo/.git/modules/m\n"),
    ]);
    let worktree = place.path().join("worktree");
    fs::create_dir(&worktree).unwrap();
    let own = place.path().join("repo/.git/worktrees/w");
    fs::write(worktree.join(".git"), format!("gitdir: {}\n", own.display())).unwrap();
    check(&worktree, "a.mine", Kind::File, Verdict::IgnoredByGit);
    assert!(is_linked_worktree(&worktree));
    let submodule = place.path().join("submodule");
    check(&submodule, "a.modular", Kind::File, Verdict::IgnoredByGit);
    assert!(!is_linked_worktree(&submodule));
    assert!(!is_linked_worktree(&place.path().join("repo")));
}
