//! Work trees of one repository share the work of indexing.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use recall_testkit::{Outcome, Project, wait_until};
use recall_tests::{Sandbox, sandbox};

/// The number of files of the repository.
const FILES: usize = 300;

/// A repository with a work tree and an index.
struct Repository {
    sandbox: Sandbox,
    main: Project,
}

impl Repository {
    fn new() -> Self {
        let sandbox = sandbox!();
        let main = sandbox.project("main", &[("docs/digging.md", "# Digging\n\nWombats dig at night.\n")]);
        for number in 0..FILES {
            let functions = (0..30).map(|at| format!("pub fn burrow_{number}_{at}() -> usize {{ {} }}\n", number * at));
            main.write(&format!("src/burrow_{number}.rs"), functions.collect::<String>());
        }
        let repository = Self { sandbox, main };
        repository.git(&["init", "-q", "-b", "main"]);
        repository.git(&["add", "-A"]);
        repository.git(&["commit", "-q", "-m", "first"]);
        repository.search(&repository.main, "burrow_7_7");
        repository.restart();
        repository
    }

    fn git(&self, arguments: &[&str]) {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=t", "-c", "user.email=t@example.com"]).args(arguments);
        assert!(git.current_dir(self.main.root()).status().expect("git runs").success(), "{arguments:?}");
    }

    fn work_tree(&self, name: &str) -> Project {
        let tree = self.sandbox.project(name, &[]);
        fs::remove_dir_all(tree.root()).expect("it is empty");
        self.git(&["worktree", "add", "-q", "-b", name, &tree.root().display().to_string()]);
        tree
    }

    /// Searches until the answer does not say that it may lack edits, as it does on a busy machine.
    fn search(&self, project: &Project, query: &str) -> String {
        for _ in 0..20 {
            let Outcome { code, stdout, stderr } = self.sandbox.recall(project, &["search", query]);
            assert!(code == Some(0) || stderr.contains("nothing found in"), "{stdout}{stderr}");
            if !says_that_edits_may_be_missing(&stderr) {
                return format!("{stdout}{stderr}");
            }
        }
        panic!("no answer has the latest edits")
    }

    /// Closes every store; what runs in the background has ended.
    fn restart(&self) {
        assert_eq!(self.sandbox.recall(&self.main, &["daemon", "stop"]).code, Some(0));
    }

    /// The folder of the index of a work tree.
    fn index(&self, project: &Project) -> PathBuf {
        let stores = self.sandbox.recall_home().join("data/stores");
        let root = format!("{}\n", project.root().canonicalize().expect("it exists").display());
        let mut stores = fs::read_dir(stores).expect("there are stores").map(|store| store.expect("readable").path());
        let store = stores.find(|store| fs::read_to_string(store.join("root")).is_ok_and(|known| known == root));
        store.expect("it has a store").join("index")
    }
}

fn says_that_edits_may_be_missing(stderr: &str) -> bool {
    let warnings = ["the latest edits", "is being indexed", "not indexed yet", "not all are indexed"];
    warnings.iter().any(|words| stderr.contains(words))
}

/// The length of a file; 0 if it does not exist.
fn bytes(file: &Path) -> u64 {
    file.metadata().map_or(0, |metadata| metadata.len())
}

/// The bytes below a folder that no other folder has.
fn own_bytes(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).expect("readable").map(|entry| entry.expect("readable").path());
    let own = entries.map(|path| {
        let metadata = path.symlink_metadata().expect("it exists");
        match (metadata.is_dir(), metadata.nlink()) {
            (true, _) => own_bytes(&path),
            (false, 1) => metadata.len(),
            (false, _) => 0,
        }
    });
    own.sum()
}

#[test]
fn a_second_work_tree_shares_the_index_of_the_first() {
    let repository = Repository::new();
    let alone = own_bytes(&repository.index(&repository.main));
    let tree = repository.work_tree("second");
    tree.write("src/burrow_1.rs", "pub fn changed_here() {}\n");
    tree.remove("docs/digging.md");
    assert!(repository.search(&tree, "changed_here").contains("src/burrow_1.rs"));
    assert!(repository.search(&tree, "burrow_7_7").contains("src/burrow_7.rs:"));
    assert!(!repository.search(&tree, "wombats dig at night").contains("docs/digging.md"));
    assert!(!repository.search(&tree, "burrow_1_3").contains("src/burrow_1.rs"));
    // The first work tree gives up its own copy while it is open, and both empty their logs.
    for project in [&repository.main, &tree] {
        let index = repository.index(project);
        let [base, catalog, log] = ["base.db", "catalog.db", "catalog.db-wal"].map(|name| index.join(name));
        wait_until("the work tree shares its index", || {
            (bytes(&catalog) + bytes(&log) < bytes(&base) / 2).then_some(())
        });
    }
    repository.restart();
    let own = own_bytes(&repository.index(&tree));
    assert!(own < alone / 2, "{own} of {alone} bytes");

    // The first work tree is as it was.
    assert!(repository.search(&repository.main, "wombats dig at night").contains("docs/digging.md"));
    assert!(repository.search(&repository.main, "burrow_1_3").contains("src/burrow_1.rs"));
    assert!(!repository.search(&repository.main, "changed_here").contains("changed_here()"));
    repository.restart();
    let own = own_bytes(&repository.index(&repository.main));
    // An emptied catalog keeps a page of 16 KiB for each of its tables.
    assert!(own < alone * 3 / 5, "{own} of {alone} bytes");
    for project in [&repository.main, &tree] {
        let checked = repository.sandbox.recall(project, &["doctor"]);
        assert_eq!(checked.code, Some(0), "{}", checked.stdout);
    }
}

#[test]
fn a_work_tree_outlives_the_index_that_it_came_from() {
    let repository = Repository::new();
    let tree = repository.work_tree("second");
    assert!(repository.search(&tree, "burrow_7_7").contains("src/burrow_7.rs:"));
    repository.restart();
    fs::remove_dir_all(repository.index(&repository.main)).expect("it exists");
    assert!(repository.search(&tree, "burrow_8_8").contains("src/burrow_8.rs:"));
    tree.write("src/burrow_8.rs", "pub fn changed_here() {}\n");
    assert!(repository.search(&tree, "changed_here").contains("src/burrow_8.rs"));
    // The lost one starts with the index of the one that is left.
    assert!(repository.search(&repository.main, "burrow_8_8").contains("src/burrow_8.rs:"));
    assert_eq!(repository.sandbox.recall(&tree, &["doctor"]).code, Some(0));
}

#[test]
fn a_folder_that_names_a_repository_as_its_own_gets_nothing_from_it() {
    let repository = Repository::new();
    let stranger = repository.sandbox.project("stranger", &[("src/own.rs", "pub fn own_burrow() {}\n")]);
    let git_dir = repository.main.path(".git").canonicalize().expect("it exists");
    stranger.write(".git", format!("gitdir: {}\n", git_dir.display()));
    let answer = repository.search(&stranger, "burrow_7_7");
    assert!(!answer.contains("burrow_7.rs"), "{answer}");
    repository.restart();
    assert!(!repository.index(&stranger).join("base.db").exists());
}

#[test]
fn files_of_one_size_and_time_in_two_work_trees_are_told_apart() {
    let repository = Repository::new();
    let [first, second] = ["first", "second"].map(|name| repository.work_tree(name));
    let time = SystemTime::UNIX_EPOCH + Duration::from_hours(480_000);
    for (tree, text) in [(&first, "pub fn numbat() {}\n"), (&second, "pub fn wombat() {}\n")] {
        tree.write("src/own.rs", text);
        let file = fs::File::options().write(true).open(tree.path("src/own.rs")).expect("it exists");
        file.set_modified(time).expect("it is writable");
    }
    let answer = repository.search(&first, "numbat");
    assert!(answer.contains("src/own.rs"), "{answer}");
    let answer = repository.search(&second, "wombat");
    assert!(answer.contains("fn wombat"), "{answer}");
    let answer = repository.search(&second, "numbat");
    assert!(!answer.contains("numbat()"), "{answer}");
}

#[test]
fn twenty_work_trees_are_searched_at_once() {
    let repository = Repository::new();
    let trees: Vec<Project> = (0..20).map(|number| repository.work_tree(&format!("tree-{number}"))).collect();
    for (number, tree) in trees.iter().enumerate() {
        tree.write("src/own.rs", format!("pub fn only_in_tree_{number}() {{}}\n"));
    }
    let searches: Vec<_> =
        trees.iter().map(|tree| repository.sandbox.start_recall(tree, &["search", "only_in_tree"])).collect();
    for (number, (tree, search)) in trees.iter().zip(searches).enumerate() {
        let Outcome { code: _, stdout, stderr } = search.finish();
        let own = format!("only_in_tree_{number}()");
        // The scans of all work trees take turns; an answer before its turn says so.
        assert!(stdout.contains(&own) || says_that_edits_may_be_missing(&stderr), "{number}: {stdout}{stderr}");
        wait_until("the work tree is scanned", || {
            repository.sandbox.recall(tree, &["search", "only_in_tree"]).stdout.contains(&own).then_some(())
        });
    }
}

#[test]
fn a_rebuild_reads_the_files_and_not_another_index() {
    let repository = Repository::new();
    let tree = repository.work_tree("second");
    repository.search(&tree, "burrow_7_7");
    let rebuilt = repository.sandbox.recall(&tree, &["rebuild"]);
    assert_eq!(rebuilt.code, Some(0), "{}", rebuilt.stderr);
    assert!(!repository.index(&tree).join("base.db").exists());
    assert!(repository.search(&tree, "burrow_7_7").contains("src/burrow_7.rs:"));
}
