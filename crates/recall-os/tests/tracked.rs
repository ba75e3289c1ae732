//! Reading of tracked files from the indexes that git writes.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use recall_os::git::{Repository, TrackedFiles};

/// A repository in a temporary folder, made by the program `git`.
struct Place {
    _folder: tempfile::TempDir,
    root: PathBuf,
}

impl Place {
    fn new(init: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let root = dunce::canonicalize(folder.path()).expect("there").join("repository");
        fs::create_dir(&root).expect("made");
        let place = Self { _folder: folder, root };
        place.git(&[&["init", "-q"], init].concat());
        place
    }

    fn git(&self, arguments: &[&str]) {
        let output = Command::new("git")
            .args(["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "core.excludesFile="])
            .args(arguments)
            .current_dir(&self.root)
            .env_remove("GIT_DIR")
            .output()
            .expect("git runs");
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    fn write(&self, path: &str) {
        let file = self.root.join(path);
        fs::create_dir_all(file.parent().expect("below")).expect("made");
        fs::write(file, path).expect("written");
    }

    fn tracked(&self, folder: &str) -> Option<Vec<String>> {
        let folder = self.root.join(folder);
        let repository = Repository::find(&folder)?;
        TrackedFiles::read(&repository, &folder).map(|tracked| tracked.iter().map(str::to_owned).collect())
    }
}

#[expect(clippy::unnecessary_wraps, reason = "compared with what is read")]
fn paths(paths: &[&str]) -> Option<Vec<String>> {
    Some(paths.iter().map(|&path| path.to_owned()).collect())
}

#[test]
fn every_version_of_the_index_is_read() {
    for version in ["2", "3", "4"] {
        for init in [&[][..], &["--object-format=sha256"]] {
            let place = Place::new(init);
            for path in ["src/a.rs", "src/a-b.rs", "build/deep/long name.py", "z"] {
                place.write(path);
            }
            place.git(&["add", "--force", "."]);
            if version == "3" {
                place.write("later");
                place.git(&["add", "--intent-to-add", "later"]);
            } else {
                place.git(&["update-index", "--index-version", version]);
            }
            let mut expected = vec!["build/deep/long name.py", "src/a-b.rs", "src/a.rs", "z"];
            if version == "3" {
                expected.insert(1, "later");
            }
            assert_eq!(place.tracked(""), paths(&expected), "version {version} {init:?}");
            assert_eq!(place.tracked("src"), paths(&["a-b.rs", "a.rs"]), "below a folder");
        }
    }
}

#[test]
fn a_split_index_is_read_with_its_shared_one() {
    let place = Place::new(&[]);
    for number in 0..100 {
        place.write(&format!("{number:02}.rs"));
    }
    place.git(&["add", "."]);
    place.git(&["config", "splitIndex.maxPercentChange", "100"]);
    place.git(&["update-index", "--split-index"]);
    place.git(&["rm", "-q", "--cached", "03.rs", "70.rs"]);
    place.write("new.rs");
    fs::write(place.root.join("05.rs"), "changed").expect("written");
    place.git(&["add", "05.rs", "new.rs"]);
    let expected: Vec<String> = (0..100)
        .filter(|number| ![3, 70].contains(number))
        .map(|number| format!("{number:02}.rs"))
        .chain(["new.rs".to_owned()])
        .collect();
    assert_eq!(place.tracked(""), Some(expected));
}

#[test]
fn a_linked_work_tree_has_an_index_of_its_own() {
    let place = Place::new(&[]);
    place.write("a");
    place.git(&["add", "."]);
    place.git(&["commit", "-qm", "first"]);
    place.git(&["worktree", "add", "-q", "../tree"]);
    place.write("../tree/only here");
    place.git(&["-C", "../tree", "add", "."]);
    assert_eq!(place.tracked("../tree"), paths(&["a", "only here"]));
    assert_eq!(place.tracked(""), paths(&["a"]));
}

#[cfg(unix)]
#[test]
fn an_index_that_leads_elsewhere_is_not_read() {
    let (place, other) = (Place::new(&[]), Place::new(&[]));
    for repository in [&place, &other] {
        repository.write("a");
        repository.git(&["add", "."]);
    }
    let repository = Repository::find(&place.root).expect("its own");
    let index = place.root.join(".git/index");
    fs::remove_file(&index).expect("removed");
    std::os::unix::fs::symlink(other.root.join(".git/index"), &index).expect("linked");
    assert_eq!(TrackedFiles::read(&repository, &place.root), None);
}
