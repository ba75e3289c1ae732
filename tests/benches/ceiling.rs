//! A benchmark of the daemon's peak private memory under heavy load.
//!
//! `cargo bench -p recall-tests --bench ceiling -- [CASE…]` prints the peak of each case and the ceiling of the default
//! settings. The cases are `projects`, `add`, `unread`, `tree` and `together`; all of them run if none is given.
//! `RECALL_BENCH_PROGRAMS=FOLDER` uses the programs in that folder instead of building them.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

#[path = "../tests/ceiling/load.rs"]
#[expect(dead_code, reason = "the test has the clients read again")]
mod load;
#[path = "../tests/ceiling/peak.rs"]
mod peak;
#[path = "../tests/ceiling/source.rs"]
mod source;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use recall_client::Client;
use recall_config::Settings;
use recall_testkit::{Binaries, Running, Sandbox};

use load::{Stopped, large_search, options, runtime, search, search_all};
use peak::{Peak, own_bytes};

/// The time that a case is watched after its end. Freed memory returns to the system within it.
const AFTERWARDS: Duration = Duration::from_secs(10);

/// A case, by its name.
type Case = (&'static str, fn(&Bench));

const CASES: [Case; 5] = [
    ("projects", Bench::projects),
    ("add", Bench::add),
    ("unread", Bench::unread),
    ("tree", Bench::tree),
    ("together", Bench::together),
];

/// The sampling interval of the longest time above the ceiling.
const SAMPLE: Duration = Duration::from_millis(100);

/// The share of the ceiling that may be exceeded for a short time only.
const TOLERANCE: f64 = 1.2;

fn main() {
    let named: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let programs = std::env::var_os("RECALL_BENCH_PROGRAMS").map(PathBuf::from);
    for (name, case) in CASES.iter().filter(|(name, _)| named.is_empty() || named.iter().any(|asked| asked == name)) {
        println!("\n{name}");
        let sandbox = match &programs {
            None => recall_tests::sandbox!(),
            Some(folder) => {
                let [recall, recalld, recall_shim, recall_bench] =
                    ["recall", "recalld", "recall-shim", "recall-bench"].map(|name| folder.join(name));
                Sandbox::new(Binaries { recall, recalld, recall_shim, recall_bench })
            }
        };
        let daemon = sandbox.start_daemon(&["--foreground"]);
        let pid = sandbox.processes()[0];
        case(&Bench { sandbox, pid, _daemon: daemon });
    }
}

/// A daemon with a home of its own.
struct Bench {
    // Before the sandbox, which kills what is left.
    _daemon: Running,
    sandbox: Sandbox,
    pid: i32,
}

impl Bench {
    /// Twenty projects of 2,000 files, all first asked in the same moment.
    fn projects(&self) {
        let roots: Vec<PathBuf> = (0..20)
            .map(|number| {
                let root = self.root(&format!("p{number}"));
                source::fill(&root, 2_000, 6_000, number);
                root
            })
            .collect();
        let watched = Peak::of(self.pid);
        let began = Instant::now();
        let ends = search_all(&self.sandbox, &roots);
        let answered = ends.iter().filter(|(code, _)| matches!(code, Some(0 | 1 | 7))).count();
        println!("  {answered} of {} first searches answered after {:.1?}", ends.len(), began.elapsed());
        for (code, said) in ends.iter().filter(|(code, _)| !matches!(code, Some(0 | 1 | 7))) {
            println!("  exit {code:?}: {}", said.lines().last().unwrap_or_default());
        }
        for root in &roots {
            self.run(root, &["add", "."]);
        }
        println!("  all indexed after {:.1?}", began.elapsed());
        self.report(watched);
    }

    /// One import of 392 files of 850 kB.
    fn add(&self) {
        let root = self.root("large");
        source::fill(&root, 392, 850_000, 1);
        let watched = Peak::of(self.pid);
        self.run(&root, &["add", "."]);
        self.report(watched);
    }

    /// Forty clients that each send 64 requests at once for fifty whole documents, and do not read the responses.
    fn unread(&self) {
        let root = self.root("p");
        source::fill(&root, 600, 25_000, 2);
        self.run(&root, &["add", "."]);
        let watched = Peak::of(self.pid);
        let stopped = Stopped::new(&self.sandbox, &root, 40, 64);
        let began = Instant::now();
        let answer = runtime().block_on(async {
            let client = Client::connect(&options(&self.sandbox)).await.expect("the daemon runs");
            client.search(large_search(&root, "merge")).await
        });
        println!("  another client is answered after {:.1?}: {}", began.elapsed(), answer.is_ok());
        std::thread::sleep(AFTERWARDS);
        self.report(watched);
        drop(stopped);
    }

    /// The first index of a tree of half a million chunks.
    fn tree(&self) {
        let root = self.root("tree");
        source::fill(&root, 60_000, 8_500, 3);
        let watched = Peak::of(self.pid);
        self.run(&root, &["add", "."]);
        self.report(watched);
        self.run(&root, &["status"]);
    }

    /// 64 clients that search 50 projects, while a tree of half a million chunks is indexed for the first time.
    fn together(&self) {
        let roots: Vec<PathBuf> = (0..50)
            .map(|number| {
                let root = self.root(&format!("p{number}"));
                source::fill(&root, 200, 3_000, number);
                self.run(&root, &["add", "."]);
                root
            })
            .collect();
        let tree = self.root("tree");
        source::fill(&tree, 60_000, 8_500, 3);
        let watched = Peak::of(self.pid);
        let is_over = AtomicBool::new(false);
        let ends: Mutex<BTreeMap<String, u64>> = Mutex::default();
        let longest = std::thread::scope(|scope| {
            for seed in 0..64 {
                let (sandbox, roots, ends, is_over) = (&self.sandbox, &roots, &ends, &is_over);
                scope.spawn(move || search_until(sandbox, is_over, roots, seed, ends));
            }
            let (pid, is_over) = (self.pid, &is_over);
            let longest = scope.spawn(move || longest_above(pid, is_over));
            self.run(&tree, &["add", "."]);
            is_over.store(true, Ordering::Relaxed);
            longest.join().expect("no panic")
        });
        for (end, count) in &*ends.lock() {
            println!("  {count:>8} × {end}");
        }
        println!("  longest time above {TOLERANCE} × the ceiling: {longest:.1?}");
        self.report(watched);
    }

    fn root(&self, name: &str) -> PathBuf {
        let root = self.sandbox.path().join("src").join(name);
        std::fs::create_dir_all(root.join(".git")).expect("a new folder can be written");
        root
    }

    /// Runs `recall` to its end, however long that takes.
    fn run(&self, root: &Path, arguments: &[&str]) {
        let began = Instant::now();
        let mut command: Command = self.sandbox.command(&self.sandbox.binaries().recall, root);
        let output = command.args(arguments).stdin(Stdio::null()).output().expect("recall runs");
        let said = String::from_utf8_lossy(if output.status.success() { &output.stdout } else { &output.stderr });
        println!("  recall {}: {} after {:.1?}", arguments.join(" "), output.status, began.elapsed());
        for line in said.lines().filter(|line| ["chunks", "memory", "error"].iter().any(|word| line.contains(word))) {
            println!("    {}", line.trim());
        }
    }

    fn report(&self, watched: Peak) {
        let ceiling_bytes = Settings::default().daemon.memory_ceiling_bytes;
        std::thread::sleep(AFTERWARDS);
        let after_bytes = own_bytes(self.pid).expect("the daemon runs");
        let peak_bytes = watched.end();
        let mebibytes = |bytes: u64| bytes as f64 / (1024.0 * 1024.0);
        println!(
            "  peak {:.0} MiB, {:.2} × the ceiling; {:.0} MiB {AFTERWARDS:?} after",
            mebibytes(peak_bytes),
            peak_bytes as f64 / ceiling_bytes as f64,
            mebibytes(after_bytes)
        );
    }
}

/// Searches one project after another over one connection, and counts how that ended.
fn search_until(
    sandbox: &Sandbox,
    is_over: &AtomicBool,
    roots: &[PathBuf],
    seed: usize,
    ends: &Mutex<BTreeMap<String, u64>>,
) {
    runtime().block_on(async {
        let client = Client::connect(&options(sandbox)).await.expect("the daemon runs");
        let words = ["merge the entries of a journal", "queue", "window of a cursor"];
        for turn in 0.. {
            if is_over.load(Ordering::Relaxed) {
                break;
            }
            let request = search(&roots[(seed + turn) % roots.len()], words[turn % words.len()]);
            let end = match client.search(request).await {
                Ok(_) => "answered".to_owned(),
                Err(status) => format!("refused: {}", status.message()),
            };
            *ends.lock().entry(end).or_default() += 1;
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    });
}

/// Returns the longest time without a break that a process's memory is above the ceiling and its tolerance.
fn longest_above(pid: i32, is_over: &AtomicBool) -> Duration {
    let ceiling_bytes = Settings::default().daemon.memory_ceiling_bytes as f64 * TOLERANCE;
    let (mut since, mut longest) = (None, Duration::ZERO);
    while !is_over.load(Ordering::Relaxed) {
        let is_above = own_bytes(pid).is_some_and(|bytes| bytes as f64 > ceiling_bytes);
        since = if is_above { since.or_else(|| Some(Instant::now())) } else { None };
        longest = longest.max(since.map_or(Duration::ZERO, |since| since.elapsed()));
        std::thread::sleep(SAMPLE);
    }
    longest
}
