//! A soak test of the daemon under mixed load.
//!
//! `cargo bench -p recall-tests --bench soak -- [MINUTES]` runs clients that search and remember, an editor, branch switches and
//! clients that are killed, for two minutes by default. It prints the number of errors and stale answers and the growth of the
//! daemon's memory.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use recall_api::v1;
use recall_client::{Client, ConnectOptions, Launch, Replace};
use recall_testkit::{Project, Sandbox};
use tokio::sync::RwLock;

/// The number of files of the project, and of those that each branch changes.
const FILES: usize = 600;
const BRANCH_FILES: usize = 200;

/// The number of clients that search one query after the other.
const SEARCHERS: usize = 3;

/// The interval between two measurements of memory.
const SAMPLE: Duration = Duration::from_secs(5);

/// The share of the time after which memory must not grow: caches are full by then.
const WARM_UP: f64 = 0.25;

/// The warnings that say that an answer may be behind the files.
const ANNOUNCED: [&str; 5] = ["SCAN_RUNNING", "INDEXING", "INDEXING_QUEUED", "NOT_INDEXED_YET", "NOT_COMPARED"];

/// What the threads share.
struct Load {
    sandbox: Sandbox,
    project: Project,
    over: AtomicBool,
    /// Held for reading while the editor compares answers with files, for writing while the branch changes.
    tree: RwLock<()>,
    counts: Mutex<BTreeMap<&'static str, u64>>,
    errors: Mutex<BTreeMap<String, u64>>,
    remembered: AtomicU64,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // Tests build and start benchmarks too.
    if !arguments.iter().any(|argument| argument == "--bench") {
        return;
    }
    let minutes: f64 = arguments.iter().find_map(|argument| argument.parse().ok()).unwrap_or(2.0);
    let sandbox = recall_tests::sandbox!();
    let project = sandbox.project("soak", &[]);
    for number in 0..FILES {
        project.write(&format!("src/part_{number}.rs"), text(number, "main"));
    }
    let load = Arc::new(Load {
        sandbox,
        project,
        over: AtomicBool::new(false),
        tree: RwLock::default(),
        counts: Mutex::default(),
        errors: Mutex::default(),
        remembered: AtomicU64::new(0),
    });
    load.git(&["init", "-q", "-b", "main"]);
    load.git(&["add", "-A"]);
    load.git(&["commit", "-q", "-m", "main"]);
    load.git(&["checkout", "-q", "-b", "other"]);
    for number in 0..BRANCH_FILES {
        load.project.write(&format!("src/part_{number}.rs"), text(number, "other"));
    }
    load.git(&["commit", "-q", "-a", "-m", "other"]);
    load.sandbox.recall(&load.project, &["search", "warm up"]);

    let began = Instant::now();
    let until = Duration::from_secs_f64(minutes * 60.0);
    let mut threads: Vec<_> = (0..SEARCHERS).map(|seed| load.spawn(move |load| search(load, seed as u64))).collect();
    threads.push(load.spawn(edit));
    threads.push(load.spawn(switch));
    threads.push(load.spawn(kill));
    threads.push(load.spawn(remember));
    let samples = sample(&load, began, until);
    load.over.store(true, Ordering::Relaxed);
    for thread in threads {
        thread.join().expect("no panic");
    }
    report(&load, &samples, began.elapsed());
}

impl Load {
    fn spawn(self: &Arc<Self>, work: impl FnOnce(&Load) + Send + 'static) -> thread::JoinHandle<()> {
        let load = Arc::clone(self);
        thread::spawn(move || work(&load))
    }

    fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    fn count(&self, what: &'static str) {
        *self.counts.lock().entry(what).or_default() += 1;
    }

    fn error(&self, error: String) {
        *self.errors.lock().entry(error).or_default() += 1;
    }

    fn git(&self, arguments: &[&str]) {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=t", "-c", "user.email=t@example.com"]).args(arguments);
        assert!(git.current_dir(self.project.root()).status().expect("git runs").success(), "{arguments:?}");
    }

    fn context(&self) -> v1::RequestContext {
        let root = self.project.root().to_string_lossy().into_owned();
        v1::RequestContext { working_directory: root.clone(), project_root: root, ..Default::default() }
    }

    fn options(&self) -> ConnectOptions {
        ConnectOptions {
            dirs: self.sandbox.dirs(),
            launch: Launch::Never,
            daemon_binary: None,
            daemon_home: None,
            client_name: "soak".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            replace: Replace::Older,
            deadline: Duration::from_secs(10),
            attempts: 1,
        }
    }

    /// Runs calls over one connection.
    fn with_client(&self, calls: impl AsyncFnOnce(Client)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            match Client::connect(&self.options()).await {
                Ok(client) => calls(client).await,
                Err(error) => self.error(error.to_string()),
            }
        });
    }

    async fn ask(&self, client: &Client, query: String) -> Option<v1::SearchResponse> {
        let request = v1::SearchRequest { context: Some(self.context()), query, ..Default::default() };
        match client.search(request).await {
            Ok(answer) => Some(answer),
            Err(status) => {
                self.error(format!("search: {}", status.message()));
                None
            }
        }
    }
}

fn text(number: usize, branch: &str) -> String {
    let mut text = format!("//! Part {number} of {branch}.\n");
    for at in 0..12 {
        let _ = writeln!(text, "pub fn {branch}_{number}_{at}() -> usize {{ {at} }}");
    }
    text
}

fn hit_text(hit: &v1::Hit) -> &str {
    hit.chunk.as_ref().map_or("", |chunk| chunk.text.as_str())
}

/// Searches one query after the other.
fn search(load: &Load, seed: u64) {
    let mut random = fastrand::Rng::with_seed(seed);
    load.with_client(async |client| {
        while !load.is_over() {
            let query = format!("main_{}_{}", random.usize(..FILES), random.usize(..12));
            load.ask(&client, query).await;
            load.count("searches");
            tokio::time::sleep(Duration::from_millis(random.u64(..40))).await;
        }
    });
}

/// Writes a new name into a file, as editors do, and searches for it: it is found, or the answer says that it may be behind. The name
/// that was there before is never shown.
fn edit(load: &Load) {
    let mut random = fastrand::Rng::with_seed(99);
    let mut before: Option<String> = None;
    load.with_client(async |client| {
        while !load.is_over() {
            let tree = load.tree.read().await;
            let name: String = std::iter::repeat_with(|| random.lowercase()).take(14).collect();
            let path = load.project.path("src/edited.rs");
            let unfinished = path.with_extension("tmp");
            fs::write(&unfinished, format!("pub fn {name}() {{}}\n")).expect("written");
            fs::rename(&unfinished, &path).expect("renamed");
            if let Some(answer) = load.ask(&client, name.clone()).await {
                load.count("edits");
                let is_found = answer.results.iter().any(|hit| hit_text(hit).contains(&name));
                let is_announced = answer.warnings.iter().any(|warning| ANNOUNCED.contains(&warning.code.as_str()));
                if !is_found {
                    load.count(if is_announced {
                        "edits not found and announced"
                    } else {
                        "edits not found without a word"
                    });
                }
            }
            if let Some(before) = before.replace(name)
                && let Some(answer) = load.ask(&client, before.clone()).await
                && answer.results.iter().any(|hit| hit_text(hit).contains(&before))
            {
                load.count("stale texts");
            }
            drop(tree);
            tokio::time::sleep(Duration::from_millis(random.u64(..300))).await;
        }
    });
}

/// Switches between two branches that differ in a third of the files.
fn switch(load: &Load) {
    for branch in ["main", "other"].into_iter().cycle() {
        for _ in 0..50 {
            if load.is_over() {
                return;
            }
            thread::sleep(Duration::from_millis(100));
        }
        let _tree = load.tree.blocking_write();
        load.git(&["checkout", "-q", branch]);
        load.count("branch switches");
    }
}

/// Starts clients and kills them at a random moment.
fn kill(load: &Load) {
    let mut random = fastrand::Rng::with_seed(7);
    while !load.is_over() {
        let mut client = load.sandbox.start_recall(&load.project, &["search", "part of main"]);
        thread::sleep(Duration::from_millis(random.u64(..8)));
        client.kill();
        load.count("killed clients");
        thread::sleep(Duration::from_millis(200));
    }
}

/// Adds memories; each is found afterwards.
fn remember(load: &Load) {
    load.with_client(async |client| {
        while !load.is_over() {
            let number = load.remembered.fetch_add(1, Ordering::Relaxed);
            let content = format!("Decision number d{number}x: the part {number} stays as it is.");
            let request = v1::AddRequest {
                context: Some(load.context()),
                title: format!("Part {number} stays"),
                r#type: "decision".to_owned(),
                content,
                force: true,
                ..Default::default()
            };
            match client.add(request).await {
                Ok(_) => load.count("memories"),
                Err(status) => load.error(format!("add: {}", status.message())),
            }
            if let Some(answer) = load.ask(&client, format!("d{number}x")).await
                && !answer.results.iter().any(|hit| hit_text(hit).contains(&format!("d{number}x")))
            {
                load.count("memories not found at once");
            }
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
    });
}

/// Measures the daemon's own memory until the time is over: pairs of hours and MiB.
fn sample(load: &Load, began: Instant, until: Duration) -> Vec<(f64, f64)> {
    let mut samples = Vec::new();
    load.with_client(async |client| {
        while began.elapsed() < until {
            tokio::time::sleep(SAMPLE).await;
            let memory =
                client.status(v1::StatusRequest::default()).await.ok().and_then(|status| status.daemon?.memory);
            if let Some(memory) = memory {
                samples
                    .push((began.elapsed().as_secs_f64() / 3600.0, memory.anonymous_bytes as f64 / f64::from(1 << 20)));
            }
        }
    });
    samples
}

fn report(load: &Load, samples: &[(f64, f64)], took: Duration) {
    println!("\n{:.1} minutes", took.as_secs_f64() / 60.0);
    for (what, count) in &*load.counts.lock() {
        println!("  {what:<40} {count:>8}");
    }
    let errors = load.errors.lock();
    println!("  {:<40} {:>8}", "errors", errors.values().sum::<u64>());
    for (error, count) in &*errors {
        println!("    {count} × {error}");
    }
    let warm = &samples[(samples.len() as f64 * WARM_UP) as usize..];
    let quarters: Vec<String> = warm
        .chunks(warm.len().div_ceil(4).max(1))
        .map(|quarter| {
            let mut bytes: Vec<f64> = quarter.iter().map(|sample| sample.1).collect();
            bytes.sort_unstable_by(f64::total_cmp);
            format!("{:.0}", bytes[bytes.len() / 2])
        })
        .collect();
    println!("  {:<40} {} MiB", "own memory by quarter, median", quarters.join(", "));
    println!("  {:<40} {:>8.2} MiB per hour", "slope", slope(warm));
}

/// The slope of the line through points with the least squares.
fn slope(points: &[(f64, f64)]) -> f64 {
    let count = points.len().max(1) as f64;
    let mean = |part: fn(&(f64, f64)) -> f64| points.iter().map(part).sum::<f64>() / count;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let over = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum::<f64>();
    let under = points.iter().map(|point| (point.0 - x).powi(2)).sum::<f64>();
    over / under.max(f64::MIN_POSITIVE)
}
