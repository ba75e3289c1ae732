//! The ignore files mean the same as to ripgrep's walker.
#![expect(clippy::unwrap_used, reason = "a test's failure is a panic")]

use std::collections::BTreeSet;
use std::fs;
use std::num::NonZero;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use ignore::WalkBuilder;
use proptest::collection::{btree_set, vec};
use proptest::prelude::*;
use proptest::sample::select;
use recall_watch::{Rules, scan};

const DIRECTORIES: &[&str] = &["", "a/", "b/", "a/b/", "a/src/", "b/a/", "src/", "src/a/b/"];
const FILES: &[&str] = &["x.rs", "y.log", "keep.log", "z.tmp", "a", "[x].rs"];
const IGNORE_FILES: &[&str] = &[".gitignore", ".ignore", ".recallignore", ".git/info/exclude"];
const LINES: &[&str] = &[
    "*.log",
    "!keep.log",
    "/a",
    "a/",
    "b/",
    "!b/",
    "a/**",
    "**/x.rs",
    "src/*.tmp",
    "!/src",
    "/a/b",
    "*",
    "!*/",
    "!*.rs",
    "# note",
    "",
    "\\[x].rs",
    "[xy].*",
    "!x.rs",
    "src/**/b",
    "**",
    "a/b/../b",
    " ",
    "x.rs ",
    "\\!x",
    "/",
    "!",
];

#[derive(Clone, Debug)]
struct Tree {
    files: BTreeSet<(&'static str, &'static str)>,
    ignore_files: Vec<(&'static str, &'static str, Vec<&'static str>)>,
}

fn trees() -> impl Strategy<Value = Tree> {
    let files = btree_set((select(DIRECTORIES), select(FILES)), 1..20);
    let ignore_files = vec((select(DIRECTORIES), select(IGNORE_FILES), vec(select(LINES), 1..4)), 0..5);
    (files, ignore_files).prop_map(|(files, ignore_files)| Tree { files, ignore_files })
}

impl Tree {
    fn write(&self, root: &Path) {
        let write = |path: String, content: String| {
            let path = root.join(path);
            // A directory may have the name already.
            if fs::create_dir_all(path.parent().unwrap()).is_ok() && !path.is_dir() {
                fs::write(path, content).unwrap();
            }
        };
        // Ripgrep's walker recognizes nested repositories only inside a repository.
        fs::create_dir(root.join(".git")).unwrap();
        for (directory, name, lines) in &self.ignore_files {
            write(format!("{directory}{name}"), lines.join("\n"));
        }
        for (directory, name) in &self.files {
            write(format!("{directory}{name}"), String::new());
        }
    }
}

fn found_by_ignore(root: &Path) -> Vec<String> {
    let mut builder = WalkBuilder::new(root);
    builder.hidden(false).git_global(false).parents(false);
    builder.add_custom_ignore_filename(".recallignore").filter_entry(|entry| entry.file_name() != ".git");
    let mut found: Vec<String> = builder
        .build()
        .map(Result::unwrap)
        .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))
        .map(|entry| entry.path().strip_prefix(root).unwrap().to_str().unwrap().to_owned())
        .collect();
    found.sort();
    found
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(100) })]

    #[test]
    fn a_scan_finds_what_ripgreps_walker_finds(tree in trees()) {
        let root = tempfile::tempdir().unwrap();
        tree.write(root.path());
        let scan = scan(root.path(), &Rules::default(), NonZero::<usize>::MIN, &AtomicBool::new(false)).unwrap();
        let found: Vec<String> = scan.files.iter().map(|file| file.path.to_string()).collect();
        prop_assert_eq!(found, found_by_ignore(root.path()));
    }
}
