//! A benchmark of adding memories and of searching among very many.
//!
//! `cargo bench -p recall-tests --bench memories [-- COUNT]` sends requests to a real daemon, for a project with a few files
//! and COUNT memories (100,000 by default). Everything is on the disk of the system's temporary folder.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use recall_api::v1;
use recall_client::{Client, ConnectOptions, Launch, Replace};
use recall_testkit::{Project, Running, Sandbox};

/// The default number of memories.
const MEMORIES: usize = 100_000;

/// The number of memories added per day.
const A_DAY: usize = 1000;

/// The size of the vocabulary; the most frequent word is in most memories.
const VOCABULARY: usize = 20_000;

/// The number of words of a memory: a paragraph.
const WORDS: usize = 80;

/// The number of sequential additions that are timed.
const ALONE: usize = 300;

/// The number of concurrent clients, and of additions per client.
const CLIENTS: usize = 32;
const BY_EACH: usize = 100;

/// The number of additions that are searched for immediately after their acknowledgement.
const LOOKED_FOR: usize = 30;

/// The number of queries, and of rounds over all of them.
const QUESTIONS: usize = 50;
const ROUNDS: usize = 10;

/// The interval between two checks whether the daemon is idle.
const LOOK: Duration = Duration::from_secs(1);

/// The number of daemon restarts.
const STARTS: usize = 5;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // Tests build and start benchmarks too.
    if !arguments.iter().any(|argument| argument == "--bench") {
        return;
    }
    let count = arguments.iter().find_map(|argument| argument.parse().ok()).unwrap_or(MEMORIES);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    disk();
    for count in [0, count] {
        println!("\n{count} memories");
        let sandbox = recall_tests::sandbox!();
        let project = sandbox.project("bench", &[("src/store.rs", "pub fn open_store() {}\n")]);
        let bytes = write_journals(&project, count);
        println!("  {:<56} {:>8.1} MB", "journals", bytes as f64 / 1e6);
        runtime.block_on(Bench { sandbox: &sandbox, project: &project }.run(count));
    }
}

/// Measures the write and sync of one line, which is part of every addition.
fn disk() {
    let mut file = tempfile::tempfile().expect("a file");
    let mut times: Vec<_> = (0..ALONE)
        .map(|_| {
            let began = Instant::now();
            std::io::Write::write_all(&mut file, &[b'x'; 600]).and_then(|()| file.sync_data()).expect("written");
            began.elapsed()
        })
        .collect();
    spread("a write and a sync of 600 bytes by themselves", &mut times);
}

/// Returns a word; a lower number is more frequent.
fn word(random: &mut fastrand::Rng) -> String {
    // Nearly Zipf's law: the logarithm of the rank is uniform.
    let rank = ((VOCABULARY as f64).ln() * random.f64()).exp() as u64;
    let mut letters = fastrand::Rng::with_seed(rank);
    (0..3 + rank % 7).map(|_| letters.lowercase()).collect()
}

fn words(random: &mut fastrand::Rng, count: usize) -> String {
    (0..count).map(|_| word(random)).collect::<Vec<_>>().join(" ")
}

/// Writes the journals as the daemon does; returns their size in bytes.
fn write_journals(project: &Project, count: usize) -> u64 {
    let mut random = fastrand::Rng::with_seed(count as u64);
    let mut bytes = 0;
    for day in 0..count.div_ceil(A_DAY) {
        let date = format!("2026-{:02}-{:02}", 1 + day / 28, 1 + day % 28);
        let mut lines = String::new();
        for number in day * A_DAY..((day + 1) * A_DAY).min(count) {
            let (title, content) = (words(&mut random, 6), words(&mut random, WORDS));
            writeln!(
                lines,
                r#"{{"event":"add","event_id":"{:032x}","id":"L-{:08x}","type":"lesson","title":"{title}","content":"{content}","tags":["bench"],"related_files":["src/store.rs"],"scope":"project","origin":"observed","timestamp":"{date}T{:02}:{:02}:{:02}Z","provenance":{{"session":"5c1f","agent":"claude-code","branch":"main","project":"bench"}}}}"#,
                number + 1,
                number + 1,
                number % A_DAY / 50,
                number % 50,
                number % 60,
            )
            .expect("a text takes all");
        }
        bytes += lines.len() as u64;
        project.write(&format!(".recall/{date}/memories.jsonl"), lines);
    }
    bytes
}

struct Bench<'a> {
    sandbox: &'a Sandbox,
    project: &'a Project,
}

impl Bench<'_> {
    async fn run(&self, count: usize) {
        let daemon = self.sandbox.start_daemon(&[]);
        let began = Instant::now();
        let indexed = self.sandbox.recall(self.project, &["add", "."]);
        assert_eq!(indexed.code, Some(0), "{indexed:?}");
        figure("from the journals alone to a whole index", began.elapsed());
        // Embeddings and the graph follow.
        let client = self.client().await;
        let mut random = fastrand::Rng::with_seed(7);
        let questions: Vec<_> = (0..QUESTIONS).map(|number| words(&mut random, 1 + number % 6)).collect();
        self.settle(&client).await;
        self.search("search through the socket, while embeddings settle", &client, &questions).await;
        let began = Instant::now();
        self.rest(&client).await;
        figure("until the daemon rests", began.elapsed());
        self.search("search through the socket, 10 hits", &client, &questions).await;
        drop((client, daemon));
        self.open(&questions[0]).await;

        let _daemon = self.sandbox.start_daemon(&[]);
        let client = self.client().await;
        self.settle(&client).await;
        self.rest(&client).await;
        self.add(&client, count).await;
        let memory = self.status(&client).await.daemon.and_then(|daemon| daemon.memory).expect("its memory");
        println!("  {:<56} {:>8.1} MB", "daemon, own memory in the end", memory.anonymous_bytes as f64 / 1e6);
    }

    /// Waits until a response is complete.
    async fn settle(&self, client: &Client) {
        loop {
            let answer = client.search(self.question("settled")).await.expect("an answer");
            if answer.warnings.is_empty() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    /// Waits until the daemon is idle: the first HNSW graph over many embeddings takes half a minute.
    async fn rest(&self, client: &Client) {
        let pid = self.status(client).await.daemon.expect("reported").pid;
        let mut before = work_of(pid);
        loop {
            tokio::time::sleep(LOOK).await;
            let after = work_of(pid);
            let work = after.zip(before).map_or(Duration::ZERO, |(after, before)| after.saturating_sub(before));
            if work < LOOK / 20 {
                return;
            }
            before = after;
        }
    }

    async fn search(&self, name: &str, client: &Client, questions: &[String]) {
        let mut times = Vec::new();
        for round in 0..ROUNDS {
            for question in questions {
                let began = Instant::now();
                client.search(self.question(question)).await.expect("an answer");
                // The first round reads pages that were never read.
                if round > 0 {
                    times.push(began.elapsed());
                }
            }
        }
        spread(name, &mut times);
    }

    /// Measures the first response of a daemon that has opened no store.
    async fn open(&self, question: &str) {
        let mut times = Vec::new();
        for _ in 0..STARTS {
            let daemon: Running = self.sandbox.start_daemon(&[]);
            let client = self.client().await;
            let began = Instant::now();
            client.search(self.question(question)).await.expect("an answer");
            times.push(began.elapsed());
            self.rest(&client).await;
            let stopped = self.sandbox.recall(self.project, &["daemon", "stop"]);
            assert_eq!(stopped.code, Some(0), "{stopped:?}");
            drop((client, daemon));
        }
        spread("opening: the first answer of a new daemon", &mut times);
    }

    async fn add(&self, client: &Client, count: usize) {
        let mut times = Vec::new();
        let mut random = fastrand::Rng::with_seed(11);
        for number in 0..ALONE {
            let began = Instant::now();
            client.add(self.memory(&mut random, &format!("alone{number}"))).await.expect("kept");
            times.push(began.elapsed());
        }
        spread("an addition acknowledged, one client", &mut times);
        self.settle(client).await;

        let mut times = Vec::new();
        for number in 0..LOOKED_FOR {
            let name = format!("looked{number}for");
            client.add(self.memory(&mut random, &name)).await.expect("kept");
            let began = Instant::now();
            while !self.is_found(client, &name).await {}
            times.push(began.elapsed());
        }
        spread("found, from its acknowledgement on", &mut times);

        self.settle(client).await;
        let pid = self.status(client).await.daemon.expect("reported").pid;
        let (began, before) = (Instant::now(), work_of(pid));
        let mut clients = Vec::new();
        for number in 0..CLIENTS {
            let client = self.client().await;
            let mut random = random.fork();
            let memories: Vec<_> =
                (0..BY_EACH).map(|more| self.memory(&mut random, &format!("many{number}x{more}"))).collect();
            clients.push(tokio::spawn(async move {
                for memory in memories {
                    client.add(memory).await.expect("kept");
                }
            }));
        }
        for client in clients {
            client.await.expect("no panic");
        }
        let rate = (CLIENTS * BY_EACH) as f64 / began.elapsed().as_secs_f64();
        println!("  {:<56} {rate:>8.0} /s", format!("{CLIENTS} clients at once"));
        // The work that it does for them afterwards counts too.
        self.settle(client).await;
        if let Some((before, after)) = before.zip(work_of(pid)) {
            let work = after.saturating_sub(before).as_secs_f64() * 1e3 / (CLIENTS * BY_EACH) as f64;
            println!("  {:<56} {work:>8.3} ms", "the daemon's work for each of them, on a processor");
        }
        let expected = count + ALONE + LOOKED_FOR + CLIENTS * BY_EACH;
        let known: u64 = self.status(client).await.stores.iter().map(|store| store.memories).sum();
        assert_eq!(known, expected as u64, "none is lost, none is there twice");
    }

    async fn status(&self, client: &Client) -> v1::StatusResponse {
        let request = v1::StatusRequest { context: Some(self.context()), ..Default::default() };
        client.status(request).await.expect("a status")
    }

    async fn is_found(&self, client: &Client, name: &str) -> bool {
        let answer = client.search(self.question(name)).await.expect("an answer");
        answer.results.iter().any(|hit| hit.memory.as_ref().is_some_and(|memory| memory.title.contains(name)))
    }

    fn memory(&self, random: &mut fastrand::Rng, name: &str) -> v1::AddRequest {
        v1::AddRequest {
            context: Some(self.context()),
            r#type: "lesson".to_owned(),
            title: format!("{name} {}", words(random, 5)),
            content: words(random, WORDS),
            related_files: vec!["src/store.rs".to_owned()],
            ..Default::default()
        }
    }

    fn question(&self, words: &str) -> v1::SearchRequest {
        v1::SearchRequest { context: Some(self.context()), query: words.to_owned(), ..Default::default() }
    }

    async fn client(&self) -> Client {
        let options = ConnectOptions {
            dirs: self.sandbox.dirs(),
            launch: Launch::Never,
            daemon_binary: None,
            daemon_home: None,
            client_name: "bench".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            replace: Replace::Older,
            deadline: Duration::from_secs(10),
            attempts: 1,
        };
        Client::connect(&options).await.expect("the daemon runs")
    }

    fn context(&self) -> v1::RequestContext {
        let root = self.project.root().to_string_lossy().into_owned();
        v1::RequestContext { working_directory: root.clone(), project_root: root, ..Default::default() }
    }
}

/// Returns the CPU time of a process, if the system reports it. Linux counts in hundredths of a second.
fn work_of(pid: u32) -> Option<Duration> {
    let reported = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The eleventh and twelfth number after the name, which may contain anything.
    let times: Vec<u64> =
        reported.rsplit_once(')')?.1.split_whitespace().skip(11).take(2).flat_map(str::parse).collect();
    Some(Duration::from_millis(10 * times.iter().sum::<u64>()))
}

fn figure(name: &str, took: Duration) {
    println!("  {name:<56} {:>8.1} ms", took.as_secs_f64() * 1e3);
}

fn spread(name: &str, times: &mut [Duration]) {
    times.sort_unstable();
    let at = |part: usize| times[(times.len() * part / 100).min(times.len() - 1)].as_secs_f64() * 1e3;
    println!("  {name:<56} p50 {:>7.3} ms   p95 {:>7.3} ms   most {:>7.3} ms", at(50), at(95), at(100));
}
