use std::fs;
#[cfg(unix)]
use std::os::unix::fs::symlink;

use tempfile::TempDir;

use super::*;

/// Creates a temporary directory with the given directories; its path is canonical.
fn tree(directories: &[&str]) -> (TempDir, PathBuf) {
    let place = tempfile::tempdir().unwrap();
    for directory in directories {
        fs::create_dir_all(place.path().join(directory)).unwrap();
    }
    let path = dunce::canonicalize(place.path()).unwrap();
    (place, path)
}

#[test]
fn the_nearest_recall_folder_wins_over_a_nearer_git() {
    let (_place, base) = tree(&[
        "home/.git",
        "home/plain/src",
        "home/git/.git",
        "home/git/src/deep",
        "home/both/.recall",
        "home/both/inner/.git",
        "home/both/inner/src",
        "home/worktree/src",
        "home/marked-file/.git",
        "home/nested/.recall",
        "home/nested/part/.recall",
    ]);
    fs::write(base.join("home/worktree/.git"), "gitdir: /elsewhere/.git/worktrees/w\n").unwrap();
    fs::write(base.join("home/marked-file/.recall"), "not a directory").unwrap();
    let home = base.join("home");
    for (directory, expected) in [
        ("home/plain/src", "home/plain/src"),
        ("home/git/src/deep", "home/git"),
        ("home/git/src/deep/not/there", "home/git"),
        ("home/both/inner/src", "home/both"),
        ("home/worktree/src", "home/worktree"),
        ("home/marked-file", "home/marked-file"),
        ("home/nested/part", "home/nested/part"),
        ("home", "home"),
    ] {
        assert_eq!(project_root(&base.join(directory), Some(&home)), base.join(expected), "{directory}");
    }
    assert_eq!(project_root(&base.join("home/plain/src"), None), home, "without a home the search has no end");
}

#[test]
fn without_git_the_top_of_another_work_tree_or_of_a_package_is_the_root() {
    let (_place, base) = tree(&[
        "home/jj/.jj",
        "home/jj/src",
        "home/hg/.hg",
        "home/hg/src",
        "home/hg/inner/.git",
        "home/ws/crates/a/src",
        "home/ws/crates/a/web",
        "home/marked/.recall",
        "home/marked/sub/deep",
    ]);
    for manifest in
        ["home/Cargo.toml", "home/ws/Cargo.toml", "home/ws/crates/a/Cargo.toml", "home/ws/crates/a/web/package.json"]
    {
        fs::write(base.join(manifest), "").unwrap();
    }
    let home = base.join("home");
    for (directory, expected) in [
        ("home/jj/src", "home/jj"),
        ("home/hg/src", "home/hg"),
        ("home/hg/inner", "home/hg/inner"),
        ("home/ws/crates/a/src", "home/ws"),
        ("home/ws/crates", "home/ws"),
        ("home/ws/crates/a/web", "home/ws/crates/a/web"),
        ("home/marked/sub/deep", "home/marked"),
    ] {
        assert_eq!(project_root(&base.join(directory), Some(&home)), base.join(expected), "{directory}");
    }
}

#[test]
fn a_root_is_an_existing_directory_other_than_home_and_the_file_system_root() {
    let (_place, base) = tree(&["home/project"]);
    fs::write(base.join("home/file"), "").unwrap();
    let home = base.join("home");
    let check = |path: &Path| check_root(path, Some(&home), RootCheck::Checked);

    assert_eq!(check(&home.join("project")).unwrap(), home.join("project"));
    assert_eq!(check(&home.join("project/../project")).unwrap(), home.join("project"));
    assert!(matches!(check(&home), Err(RootError::Home { .. })));
    assert!(matches!(check(&home.join("project/..")), Err(RootError::Home { .. })));
    assert!(matches!(check(Path::new("/")), Err(RootError::FileSystemRoot { .. })));
    #[cfg(unix)]
    assert!(matches!(check(Path::new("/tmp")), Err(RootError::Temporary { .. })));
    assert!(matches!(check(&home.join("file")), Err(RootError::NotDirectory { .. })));
    assert!(matches!(check(&home.join("file/below")), Err(RootError::NotDirectory { .. })));
    assert!(matches!(check(&home.join("missing")), Err(RootError::Missing { .. })));
    assert!(matches!(check(Path::new("project")), Err(RootError::Relative { .. })));
    assert!(matches!(check(Path::new("/a\0b")), Err(RootError::Nul { .. })));
}

#[test]
fn home_and_the_file_system_root_are_accepted_if_forced() {
    let (_place, home) = tree(&[]);
    assert_eq!(check_root(&home, Some(&home), RootCheck::Forced).unwrap(), home);
    assert_eq!(check_root(Path::new("/"), None, RootCheck::Forced).unwrap(), Path::new("/"));
}

#[cfg(unix)]
#[test]
fn a_symlink_to_the_home_folder_is_refused_too() {
    let (_place, base) = tree(&["home", "project"]);
    symlink(base.join("home"), base.join("link")).unwrap();
    symlink(base.join("project"), base.join("way")).unwrap();
    for home in ["home", "link"] {
        let checked = check_root(&base.join("link"), Some(&base.join(home)), RootCheck::Checked);
        assert!(matches!(checked, Err(RootError::Home { .. })), "{home}");
    }
    assert_eq!(check_root(&base.join("way"), None, RootCheck::Checked).unwrap(), base.join("project"));
}

#[cfg(unix)]
#[test]
fn a_path_is_inside_only_if_it_resolves_inside() {
    let (_place, base) = tree(&["root/src/deep", "root-beside", "outside/sub"]);
    fs::write(base.join("root/src/a.rs"), "").unwrap();
    fs::write(base.join("outside/secret"), "").unwrap();
    symlink(base.join("outside"), base.join("root/out")).unwrap();
    symlink("../outside/secret", base.join("root/out-file")).unwrap();
    symlink("src", base.join("root/in")).unwrap();
    symlink("loop", base.join("root/loop")).unwrap();
    symlink("nowhere", base.join("root/broken")).unwrap();
    symlink(base.join("root"), base.join("way")).unwrap();
    symlink("/proc/self/root", base.join("root/everything")).unwrap();
    let root = base.join("root");

    let check = |path: PathBuf, expected: &str| {
        let answer = match resolve_inside(&root, &path) {
            Ok(path) => path.to_string(),
            Err(OutsideError::Outside { .. }) => "outside".to_owned(),
            Err(OutsideError::IsRoot { .. }) => "root".to_owned(),
            Err(OutsideError::NotAPath { .. }) => "no path".to_owned(),
            Err(OutsideError::Unresolvable { .. }) => "unresolvable".to_owned(),
        };
        assert_eq!(answer, expected, "{path:?}");
    };
    for (path, expected) in [
        ("src/a.rs", "src/a.rs"),
        ("./src//deep/../a.rs", "src/a.rs"),
        ("in/a.rs", "src/a.rs"),
        ("in/deep/../a.rs", "src/a.rs"),
        ("src/gone.rs", "src/gone.rs"),
        ("gone/../src/a.rs", "src/a.rs"),
        ("src/a.rs/below", "src/a.rs/below"),
        (".", "root"),
        ("src/..", "root"),
        ("", "no path"),
        ("src/a\0b", "no path"),
        ("..", "outside"),
        ("../outside/secret", "outside"),
        ("../root-beside", "outside"),
        ("gone/../../outside", "outside"),
        ("out", "outside"),
        ("out/secret", "outside"),
        ("out/missing", "outside"),
        ("out/..", "outside"),
        ("out-file", "outside"),
        ("everything/etc/passwd", "outside"),
        ("loop", "unresolvable"),
        ("broken", "unresolvable"),
        ("/etc/passwd", "outside"),
    ] {
        check(path.into(), expected);
    }
    check(root.join("src/a.rs"), "src/a.rs");
    check(base.join("way/src/a.rs"), "src/a.rs");
    check(base.join("outside/../root/src/a.rs"), "src/a.rs");
}
