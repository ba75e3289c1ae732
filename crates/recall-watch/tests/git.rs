//! Scans of repositories: what git tracks and what it ignores, and why the rest is left out.

#![expect(clippy::unwrap_used, reason = "a test's failure is a panic")]

use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use recall_os::git::UserConfig;
use recall_text::DocPath;
use recall_watch::{Explanation, GitFacts, Rules, Scan, explain, scan};

/// A repository and a home folder.
struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap() };
        fs::create_dir_all(place.root()).unwrap();
        place.git(&["init", "-q"]);
        place
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    fn write(&self, path: &str, text: &str) {
        write(&self.root().join(path), text);
    }

    fn write_at_home(&self, path: &str, text: &str) {
        write(&self.folder.path().join("home").join(path), text);
    }

    fn git(&self, arguments: &[&str]) {
        let output = Command::new("git")
            .args(["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "core.excludesFile="])
            .args(arguments)
            .current_dir(self.root())
            .env_remove("GIT_DIR")
            .output()
            .unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    fn rules(&self, root: &Path) -> Rules {
        let user = UserConfig { home: Some(self.folder.path().join("home")), config_home: None };
        Rules { git: Arc::new(GitFacts::read(root, &user)), ..Rules::default() }
    }

    fn scan(&self) -> Scan {
        let root = self.root();
        scan(&root, &self.rules(&root), NonZero::new(2).unwrap(), &AtomicBool::new(false)).unwrap()
    }

    #[track_caller]
    fn check(&self, expected: &[&str]) {
        let scan = self.scan();
        let found: Vec<&str> = scan.files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(found, expected);
    }

    fn left_out(&self) -> Vec<String> {
        self.scan().left_out.iter().map(|left| format!("{}: {}", left.path, left.rule)).collect()
    }

    fn explanation(&self, path: &str) -> String {
        let root = self.root();
        match explain(&root, &self.rules(&root), &DocPath::new(path).unwrap()).unwrap() {
            Explanation::Included => "included".to_owned(),
            Explanation::LeftOut(left) => format!("{}: {}", left.path, left.rule),
            Explanation::Skipped { path, reason } => format!("{path}: {reason}"),
            Explanation::NoFile => "no file".to_owned(),
        }
    }
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[test]
fn what_git_tracks_is_found_in_folders_that_tools_write_and_in_hidden_ones() {
    let place = Place::new();
    let folders = [".githooks", ".well-known", "build", "dist", "node_modules/pkg", "target", "vendor"];
    for folder in folders {
        place.write(&format!("{folder}/f.py"), "pass\n");
    }
    place.git(&["add", "--force", "."]);
    for folder in folders {
        place.write(&format!("{folder}/untracked.py"), "pass\n");
        place.write(&format!("{folder}/deeper/untracked.py"), "pass\n");
    }
    let expected: Vec<String> = folders.iter().map(|folder| format!("{folder}/f.py")).collect();
    place.check(&expected.iter().map(String::as_str).collect::<Vec<_>>());
    let left_out = place.left_out();
    assert_eq!(left_out.len(), folders.len(), "each folder once: {left_out:?}");
    assert_eq!(left_out[2], "build: in the built-in list of directories: only what git tracks in it is indexed");
    assert_eq!(place.explanation("build/f.py"), "included");
    assert_eq!(place.explanation("build/untracked.py"), left_out[2]);
    assert_eq!(place.explanation("build/deeper/untracked.py"), left_out[2]);
}

#[test]
fn what_git_tracks_is_found_although_an_ignore_file_of_git_matches() {
    let place = Place::new();
    place.write("conf/kept.py", "pass\n");
    place.write("notes.log", "text\n");
    place.git(&["add", "--force", "."]);
    place.write("conf/local.py", "pass\n");
    place.write("other.log", "text\n");
    place.write(".gitignore", "conf/\n*.log\n");
    place.check(&[".gitignore", "conf/kept.py", "notes.log"]);
    assert_eq!(
        place.left_out(),
        ["conf: ignored: `conf/` in `.gitignore`", "other.log: ignored: `*.log` in `.gitignore`"]
    );
    assert_eq!(place.explanation("conf/local.py"), "conf: ignored: `conf/` in `.gitignore`");
}

#[test]
fn what_a_person_excludes_from_searches_stays_out_even_if_git_tracks_it() {
    let place = Place::new();
    for path in ["a/f.py", "b/f.py", "c/f.py", "d.py"] {
        place.write(path, "pass\n");
    }
    place.git(&["add", "."]);
    place.write("a/.ignore", "*.py\n");
    place.write(".recallignore", "b/\n");
    place.check(&[".recallignore", "a/.ignore", "c/f.py", "d.py"]);
    assert_eq!(place.explanation("b/f.py"), "b: ignored: `b/` in `.recallignore`");
    let root = place.root();
    let rules = Rules { exclude: vec!["c".to_owned()], ..place.rules(&root) };
    let path = DocPath::new("c/f.py").unwrap();
    let Explanation::LeftOut(left) = explain(&root, &rules, &path).unwrap() else { panic!("found") };
    assert_eq!(format!("{}: {}", left.path, left.rule), "c: excluded by the setting `index.exclude`");
}

#[test]
fn what_the_user_has_git_ignore_everywhere_is_left_out() {
    let place = Place::new();
    place.write("priv/a.py", "pass\n");
    place.write("scratch/b.py", "pass\n");
    place.write("scratch/tracked.py", "pass\n");
    place.write("top/scratch/c.py", "pass\n");
    place.git(&["add", "scratch/tracked.py"]);
    place.write_at_home(".config/git/ignore", "priv/\n");
    place.check(&["scratch/b.py", "scratch/tracked.py", "top/scratch/c.py"]);
    place.write_at_home(".gitconfig", "[core]\n\texcludesFile = ~/gi\n");
    place.write_at_home("gi", "/scratch/\n");
    place.check(&["priv/a.py", "scratch/tracked.py", "top/scratch/c.py"]);
    let explanation = place.explanation("scratch/b.py");
    assert!(explanation.starts_with("scratch: ignored: `/scratch/` in `/"), "{explanation}");
    place.write(".gitignore", "!/scratch/\n");
    place.check(&[".gitignore", "priv/a.py", "scratch/b.py", "scratch/tracked.py", "top/scratch/c.py"]);
}

#[test]
fn a_root_below_the_top_of_its_repository_has_the_same_rules() {
    let place = Place::new();
    place.write("part/build/f.py", "pass\n");
    place.write("part/priv/a.py", "pass\n");
    place.git(&["add", "part/build"]);
    place.write_at_home(".config/git/ignore", "/part/priv/\n");
    let root = place.root().join("part");
    let scan = scan(&root, &place.rules(&root), NonZero::new(1).unwrap(), &AtomicBool::new(false)).unwrap();
    let found: Vec<&str> = scan.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(found, ["build/f.py"]);
}

#[test]
fn files_that_tools_write_are_found_if_git_tracks_them() {
    let place = Place::new();
    for name in ["Cargo.lock", "app.min.js", "logo.svg"] {
        place.write(name, "text\n");
    }
    place.git(&["add", "."]);
    for name in ["yarn.lock", "other.min.js", ".env"] {
        place.write(name, "text\n");
    }
    place.check(&["Cargo.lock", "app.min.js", "logo.svg"]);
    assert_eq!(place.explanation("yarn.lock"), "yarn.lock: lock file (git does not track it)");
    assert_eq!(place.explanation(".env"), ".env: secret by name");
}

#[test]
fn a_path_without_a_file_has_no_explanation() {
    let place = Place::new();
    place.write("src/a.py", "pass\n");
    for (path, expected) in [("src/a.py", "included"), ("src", "no file"), ("src/b.py", "no file"), ("x/y", "no file")]
    {
        assert_eq!(place.explanation(path), expected, "{path}");
    }
    let internal = place.explanation(".git/HEAD");
    assert_eq!(internal, ".git: part of version control or of recall");
}

/// The index of git is as large as its repository, so only a change of it may cost a read.
#[test]
fn scans_read_the_index_of_git_only_after_it_changed() {
    let place = Place::new();
    place.write("a", "text\n");
    place.git(&["add", "."]);
    let root = place.root();
    let facts = place.rules(&root).git;
    assert!(facts.is_current());
    place.write("b", "text\n");
    assert!(facts.is_current(), "a file that is not tracked changes nothing");
    place.git(&["add", "b"]);
    assert!(!facts.is_current());
}
