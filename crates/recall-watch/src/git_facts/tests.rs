use std::fs;

use super::*;

/// Creates a folder with a home and a repository without commits.
fn place() -> (tempfile::TempDir, PathBuf, UserConfig) {
    let place = tempfile::tempdir().unwrap();
    let root = place.path().join("project");
    for folder in ["project/.git/info", "home/.config/git"] {
        fs::create_dir_all(place.path().join(folder)).unwrap();
    }
    fs::write(root.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    let user = UserConfig { home: Some(place.path().join("home")), config_home: None };
    (place, root, user)
}

#[test]
fn every_change_of_a_file_of_git_is_noticed() {
    let (place, root, user) = place();
    for file in ["project/.git/index", "project/.git/info/exclude", "home/.gitconfig", "home/.config/git/ignore"] {
        let facts = GitFacts::read(&root, &user);
        assert!(facts.is_current());
        fs::write(place.path().join(file), "*.log\n").unwrap();
        assert!(!facts.is_current(), "{file}");
    }
    let facts = GitFacts::read(&root, &user);
    assert!(facts.is_current());
    assert_eq!(facts.user_ignore().unwrap().text, "*.log\n");
}

#[test]
fn facts_agree_unless_another_file_is_ignored() {
    let (place, root, user) = place();
    let before = GitFacts::read(&root, &user);
    fs::write(place.path().join("home/.gitconfig"), "[user]\nname = x\n").unwrap();
    let named = GitFacts::read(&root, &user);
    assert!(!before.is_current() && named.agrees_with(&before));
    fs::write(root.join(".git/info/exclude"), "*.log\n").unwrap();
    assert!(!GitFacts::read(&root, &user).agrees_with(&before));
}

#[test]
fn without_a_repository_nothing_is_ignored_until_there_is_one() {
    let (place, root, user) = place();
    fs::write(place.path().join("home/.config/git/ignore"), "*.log\n").unwrap();
    fs::rename(root.join(".git"), root.join("git")).unwrap();
    let facts = GitFacts::read(&root, &user);
    assert!(facts.user_ignore().is_none() && facts.tracked_files() == 0);
    fs::rename(root.join("git"), root.join(".git")).unwrap();
    assert!(!facts.is_current());
}

/// The configuration of a clone may name a private file; its lines would show in what is left out.
#[test]
fn the_configuration_of_the_repository_is_not_read() {
    let (place, root, user) = place();
    let private = place.path().join("private");
    fs::write(&private, "secret line\n").unwrap();
    fs::write(root.join(".git/config"), format!("[core]\n\texcludesFile = {}\n", private.display())).unwrap();
    assert!(GitFacts::read(&root, &user).user_ignore().is_none());
}

#[cfg(unix)]
#[test]
fn a_linked_ignore_file_is_read_and_followed() {
    let (place, root, user) = place();
    let real = place.path().join("dotfiles");
    fs::write(&real, "a\n").unwrap();
    std::os::unix::fs::symlink(&real, place.path().join("home/.config/git/ignore")).unwrap();
    let facts = GitFacts::read(&root, &user);
    assert_eq!(facts.user_ignore().unwrap().text, "a\n");
    fs::write(&real, "a\nb\n").unwrap();
    assert!(!facts.is_current());
}
