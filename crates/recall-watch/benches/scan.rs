//! Benchmark of a scan, compared with the walker of the `ignore` crate and with bare `stat` calls.
//!
//! `cargo bench -p recall-watch --bench scan [-- DIRECTORY]`. Without a directory a tree of 10,000 files is created.
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use ignore::{WalkBuilder, WalkState};
use recall_core::ContentHash;
use recall_watch::content::ReadOptions;
use recall_watch::{FoundFile, Rules, StatOutcome, content, scan, stat};

const ROUNDS: usize = 15;

fn main() {
    let given = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).map(PathBuf::from);
    let made = tempfile::tempdir().expect("a temporary directory");
    let root = given.unwrap_or_else(|| {
        make_tree(made.path());
        made.path().to_owned()
    });
    println!("{}", root.display());
    let go = AtomicBool::new(false);
    for threads in [1, 2, 4] {
        let threads = NonZero::new(threads).expect("not zero");
        let of_scan = measure(|| scan(&root, &Rules::default(), threads, &go).expect("a scan").files.len());
        let of_ignore = measure(|| walk_with_ignore(&root, threads.get()));
        println!("{threads} threads: scan {of_scan}; ignore + stat {of_ignore}");
    }
    let scanned = scan(&root, &Rules::default(), NonZero::new(2).expect("not zero"), &go).expect("a scan");
    let stats = || scanned.files.iter().filter(|file| stat(&root, &file.path) != StatOutcome::Gone).count();
    println!("1 thread, stat only: {}", measure(stats));
    let options = ReadOptions::up_to(Rules::default().sizes.file_bytes);
    let read = |file: &FoundFile| content::read(&root, &file.path, &options).is_ok();
    println!("1 thread, read with all checks: {}", measure(|| scanned.files.iter().filter(|file| read(file)).count()));
    let bare =
        |file: &FoundFile| fs::read(root.join(file.path.as_str())).map(|bytes| ContentHash::hash(&bytes)).is_ok();
    println!("1 thread, read and hash only: {}", measure(|| scanned.files.iter().filter(|file| bare(file)).count()));
}

fn measure(mut run: impl FnMut() -> usize) -> String {
    let files = run();
    let mut times: Vec<Duration> = (0..ROUNDS)
        .map(|_| {
            let started = Instant::now();
            assert_eq!(run(), files, "the tree does not change");
            started.elapsed()
        })
        .collect();
    times.sort();
    let millis = |time: Duration| time.as_secs_f64() * 1000.0;
    format!("{files} files, best {:.1} ms, median {:.1} ms", millis(times[0]), millis(times[ROUNDS / 2]))
}

fn walk_with_ignore(root: &Path, threads: usize) -> usize {
    let files = AtomicUsize::new(0);
    WalkBuilder::new(root).require_git(false).git_global(false).hidden(false).threads(threads).build_parallel().run(
        || {
            Box::new(|entry| {
                if entry.is_ok_and(|entry| entry.metadata().is_ok_and(|metadata| metadata.is_file())) {
                    files.fetch_add(1, Ordering::Relaxed);
                }
                WalkState::Continue
            })
        },
    );
    files.into_inner()
}

/// Creates 600 directories of 16 or 17 files, three levels deep, under one `.gitignore` of typical length.
fn make_tree(root: &Path) {
    fs::write(root.join(".gitignore"), "*.log\n/out/\n.cache/\n**/*.tmp\n!keep.tmp\ndocs/_site\n*~\n.DS_Store\n")
        .expect("a file");
    for number in 0..10_000 {
        let directory = number % 600;
        let directory = root.join(format!("crate_{}/src/module_{}", directory / 20, directory % 20));
        fs::create_dir_all(&directory).expect("a directory");
        fs::write(directory.join(format!("file_{number}.rs")), "fn main() {}\n").expect("a file");
    }
}
