//! Index files that are truncated while the daemon has them mapped: the system kills the daemon, unless it notices them before it reads
//! them, and every call gets a response.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use recall_tests::sandbox;

/// The number of concurrent clients.
const CLIENTS: usize = 20;

/// The number of files of the project; each word is in one of them.
const FILES: usize = 60;

#[test]
fn twenty_searches_are_answered_although_the_daemon_may_die() {
    let sandbox = sandbox!();
    let project = sandbox.project("shop", &[]);
    for number in 0..FILES {
        project.write(&format!("src/part{number}.rs"), format!("pub fn wombat{number}() {{}}\n"));
    }
    let found = sandbox.recall(&project, &["search", "wombat0"]);
    assert_eq!(found.code, Some(0), "{found:?}");

    let files = mapped_files(&sandbox.dirs().data);
    assert!(files.len() > 3, "{files:?}");
    let searches: Vec<_> = (0..CLIENTS)
        .map(|number| sandbox.start_recall(&project, &["search", &format!("wombat{}", number + 1)]))
        .collect();
    for file in files {
        // In place, like `cp` and `rsync --inplace`: it stays the same file.
        File::options().write(true).open(&file).and_then(|file| file.set_len(0)).expect("ours");
    }
    for (number, search) in searches.into_iter().enumerate() {
        let outcome = search.finish();
        assert_eq!(outcome.code, Some(0), "search {number}: {outcome:?}");
        assert!(outcome.stdout.contains(&format!("src/part{}.rs", number + 1)), "search {number}: {outcome:?}");
    }
    // The last clients found the files truncated.
    let outcome = sandbox.recall(&project, &["search", "wombat42"]);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    assert!(outcome.stdout.contains("src/part42.rs"), "{outcome:?}");
}

/// The segment files of the lexical index.
fn mapped_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for path in fs::read_dir(folder).expect("there").map(|entry| entry.expect("there").path()) {
        if path.is_dir() {
            files.extend(mapped_files(&path));
        } else if path
            .extension()
            .is_some_and(|kind| ["term", "idx", "pos", "fast", "store"].iter().any(|k| kind == *k))
        {
            files.push(path);
        }
    }
    files
}
