//! The daemon's memory ceiling under heavy loads: many projects at once, one large import, and clients that do not read their
//! responses. `cargo bench -p recall-tests --bench ceiling` runs larger loads.

#![cfg(target_os = "linux")]

#[path = "ceiling/load.rs"]
mod load;
#[path = "ceiling/peak.rs"]
mod peak;
#[path = "ceiling/source.rs"]
mod source;

use std::path::{Path, PathBuf};

use recall_client::Client;
use recall_testkit::{Running, Sandbox, wait_until};
use serde_json::Value;

use load::{Stopped, large_search, options, runtime, search_all};
use peak::Peak;

/// The ceiling of these daemons: half of the default. A daemon that indexes one file uses a third of it.
const CEILING_MIB: u64 = 256;

/// The tolerated peak, as a multiple of the ceiling: the allocator returns freed memory with a delay.
const TOLERATED: f64 = 1.2;

/// The number of files of each of many projects: more than an edit changes.
const FILES: usize = 80;

/// A daemon with a small ceiling.
struct Case {
    _daemon: Running,
    sandbox: Sandbox,
    pid: i32,
}

impl Case {
    fn new() -> Self {
        let ceiling = format!("{CEILING_MIB} MiB");
        let sandbox = recall_tests::sandbox!().with_variable("RECALL_DAEMON__MEMORY_CEILING_BYTES", &ceiling);
        let daemon = sandbox.start_daemon(&[]);
        let pid = sandbox.processes()[0];
        Self { _daemon: daemon, sandbox, pid }
    }

    /// A project with generated files.
    fn project(&self, name: &str, files: usize, bytes: usize) -> PathBuf {
        let root = self.sandbox.path().join("src").join(name);
        std::fs::create_dir_all(root.join(".git")).expect("a new folder can be written");
        source::fill(&root, files, bytes, name.len() as u64);
        root
    }

    fn recall(&self, root: &Path, arguments: &[&str]) -> recall_testkit::Outcome {
        let mut command = self.sandbox.command(&self.sandbox.binaries().recall, root);
        command.args(arguments);
        Running::to_end(command)
    }

    /// Stops sampling, and fails if the ceiling was exceeded.
    #[track_caller]
    fn check(watched: Peak) {
        let peak_mib = watched.end() as f64 / (1024.0 * 1024.0);
        let most_mib = CEILING_MIB as f64 * TOLERATED;
        assert!(peak_mib <= most_mib, "the daemon had {peak_mib:.0} MiB of its own; {most_mib:.0} MiB are tolerated");
    }
}

#[test]
fn many_projects_at_once_stay_below_the_ceiling() {
    let case = Case::new();
    let roots: Vec<PathBuf> = (0..10).map(|number| case.project(&format!("p{number}"), FILES, 4_000)).collect();
    let watched = Peak::of(case.pid);
    for (code, said) in search_all(&case.sandbox, &roots) {
        assert!(matches!(code, Some(0 | 1 | 7)), "a first search failed with {code:?}: {said}");
    }
    // Projects that had to wait are indexed without another request.
    for root in &roots {
        wait_until("an index", || {
            let status: Value = serde_json::from_str(&case.recall(root, &["status", "--json"]).stdout).ok()?;
            let store = &status["stores"][0];
            (store["documents"] == FILES && store["indexing"].is_null()).then_some(())
        });
    }
    Case::check(watched);
}

#[test]
fn one_large_import_stays_below_the_ceiling() {
    let case = Case::new();
    let root = case.project("large", 12, 800_000);
    let watched = Peak::of(case.pid);
    let outcome = case.recall(&root, &["add", "."]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    Case::check(watched);
}

#[test]
fn clients_that_do_not_read_use_bounded_memory_and_do_not_block_others() {
    let case = Case::new();
    let root = case.project("p", 60, 25_000);
    assert_eq!(case.recall(&root, &["add", "."]).code, Some(0));
    let watched = Peak::of(case.pid);
    let stopped = Stopped::new(&case.sandbox, &root, 6, 32);
    // Its turn comes after the requests of the others. On a slow machine that takes longer than a request's deadline.
    let answer = wait_until("an answer for a client that reads", || {
        runtime().block_on(async {
            let client = Client::connect(&options(&case.sandbox)).await.expect("the daemon runs");
            client.search(large_search(&root, "merge")).await.ok()
        })
    });
    assert!(answer.results.iter().any(|hit| hit.parent_text.is_some()), "no whole texts");
    Case::check(watched);
    drop(stopped);
}

#[test]
fn a_client_that_reads_late_gets_every_answer() {
    let case = Case::new();
    let root = case.project("p", 60, 10_000);
    assert_eq!(case.recall(&root, &["add", "."]).code, Some(0));
    let stopped = Stopped::new(&case.sandbox, &root, 1, 64);
    assert_eq!(stopped.read(), 64);
}
