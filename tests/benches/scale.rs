//! A benchmark of stores of 10,000 chunks and more.
//!
//! `cargo bench -p recall-tests --bench scale -- CHUNKS…` generates a project for each number of chunks, indexes it, restarts the
//! daemon, and prints a row of a table. The default is 10,000 and 100,000. A million chunks take about a gigabyte of disk.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use recall_api::v1;
use recall_client::{Client, ConnectOptions, Launch, Replace};
use recall_testkit::{Project, Sandbox};

/// The default sizes.
const CHUNKS: [usize; 2] = [10_000, 100_000];

/// The number of functions of a file; each is a chunk.
const PER_FILE: usize = 16;

/// The number of different words; the most frequent ones are in most chunks.
const VOCABULARY: usize = 30_000;

/// The number of words of a function.
const WORDS: usize = 40;

/// The number of queries, and of rounds over all of them.
const QUERIES: usize = 60;
const ROUNDS: usize = 5;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // Tests build and start benchmarks too.
    if !arguments.iter().any(|argument| argument == "--bench") {
        return;
    }
    let sizes: Vec<usize> = arguments.iter().filter_map(|argument| argument.parse().ok()).collect();
    let sizes = if sizes.is_empty() { CHUNKS.to_vec() } else { sizes };
    println!(
        "| chunks | text | first index | embedded after | reopened | own memory | resident | search p50 | p99 | on disk |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    for chunks in sizes {
        let sandbox = recall_tests::sandbox!();
        let project = sandbox.project("scale", &[]);
        let text_bytes = generate(&project, chunks);
        runtime.block_on(measure(&sandbox, &project, text_bytes));
    }
}

/// Writes a project of about that many chunks; returns the bytes of its text.
fn generate(project: &Project, chunks: usize) -> u64 {
    let mut random = oorandom::Rand64::new(chunks as u128);
    // Zipf's law: the probability of a word is inverse to its rank.
    let mut word = move || {
        let rank = ((VOCABULARY as f64).powf(random.rand_float()) as usize).min(VOCABULARY - 1);
        format!("w{}", radix(rank))
    };
    let mut bytes = 0;
    for file in 0..chunks.div_ceil(PER_FILE) {
        let mut text = String::new();
        for function in 0..PER_FILE {
            let _ = write!(
                text,
                "/// {} {} {}.\npub fn {}_{}_{file}_{function}() {{\n",
                word(),
                word(),
                word(),
                word(),
                word()
            );
            for _ in 0..WORDS / 4 {
                let _ = writeln!(text, "    {}({}, {}, {});", word(), word(), word(), word());
            }
            text.push_str("}\n\n");
        }
        bytes += text.len() as u64;
        project.write(&format!("src/m{}/d{}/f{file}.rs", file % 40, file / 40 % 50), text);
    }
    bytes
}

/// A number in letters.
fn radix(mut number: usize) -> String {
    let mut letters = String::new();
    loop {
        letters.push(char::from(b'a' + (number % 26) as u8));
        number /= 26;
        if number == 0 {
            return letters;
        }
    }
}

async fn measure(sandbox: &Sandbox, project: &Project, text_bytes: u64) {
    let began = Instant::now();
    sandbox.command(&sandbox.binaries().recall, project.root()).args(["add", "."]).output().expect("it runs");
    let indexed = began.elapsed();
    let status = loop {
        let status = read_status(sandbox, project).await;
        let store = &status.stores[0];
        if store.embedded.values().all(|share| *share >= 1.0) && store.indexing.is_none_or(|run| !run.running) {
            break status;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    };
    let embedded = began.elapsed();
    let store = &status.stores[0];
    // What runs in the background, as the graph of a large store, is not measured.
    tokio::time::sleep(Duration::from_secs(2)).await;
    run(sandbox, project, &["daemon", "stop"]);
    run(sandbox, project, &["daemon", "start"]);
    let client = connect(sandbox).await;
    let began = Instant::now();
    client.search(request(project, "warm")).await.expect("an answer");
    let reopened = began.elapsed();
    let mut times = Vec::new();
    for round in 0..ROUNDS {
        for number in 0..QUERIES {
            let query = format!("w{} w{} w{}", radix(number * 7), radix(number * 131), radix(number * 401));
            let began = Instant::now();
            client.search(request(project, &query)).await.expect("an answer");
            // The first round reads pages that were never read.
            if round > 0 {
                times.push(began.elapsed());
            }
        }
    }
    times.sort_unstable();
    let ms = |part: usize| times[(times.len() * part / 100).min(times.len() - 1)].as_secs_f64() * 1e3;
    let status = read_status(sandbox, project).await;
    let memory = status.daemon.and_then(|daemon| daemon.memory).expect("its memory");
    let mb = |bytes: u64| bytes as f64 / 1e6;
    println!(
        "| {} | {:.0} MB | {:.1} s | {:.1} s | {:.2} s | {:.0} MB | {:.0} MB | {:.2} ms | {:.2} ms | {:.0} MB |",
        store.chunks,
        mb(text_bytes),
        indexed.as_secs_f64(),
        embedded.as_secs_f64(),
        reopened.as_secs_f64(),
        mb(memory.anonymous_bytes),
        mb(memory.resident_bytes),
        ms(50),
        ms(99),
        mb(store.index_bytes),
    );
    run(sandbox, project, &["daemon", "stop"]);
}

fn run(sandbox: &Sandbox, project: &Project, arguments: &[&str]) {
    let outcome = sandbox.recall(project, arguments);
    assert_eq!(outcome.code, Some(0), "{arguments:?}: {}", outcome.stderr);
}

async fn connect(sandbox: &Sandbox) -> Client {
    let options = ConnectOptions {
        dirs: sandbox.dirs(),
        launch: Launch::Never,
        daemon_binary: None,
        daemon_home: None,
        client_name: "bench".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        replace: Replace::Older,
        deadline: Duration::from_mins(1),
        attempts: 1,
    };
    Client::connect(&options).await.expect("the daemon runs")
}

async fn read_status(sandbox: &Sandbox, project: &Project) -> v1::StatusResponse {
    let request = v1::StatusRequest { context: Some(context(project)), ..Default::default() };
    connect(sandbox).await.status(request).await.expect("a status")
}

fn context(project: &Project) -> v1::RequestContext {
    let root = project.root().to_string_lossy().into_owned();
    v1::RequestContext { working_directory: root.clone(), project_root: root, ..Default::default() }
}

fn request(project: &Project, query: &str) -> v1::SearchRequest {
    v1::SearchRequest { context: Some(context(project)), query: query.to_owned(), ..Default::default() }
}
