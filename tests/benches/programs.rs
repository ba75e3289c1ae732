//! A benchmark of the latency and memory of the real programs over a real source tree.
//!
//! `cargo bench -p recall-tests --bench programs -- DIRECTORY…` prints, for each directory, a table of figures. Without a
//! directory it takes this repository. Nothing is written into the directory.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use recall_api::v1;
use recall_client::{Client, ConnectOptions, Launch, Replace};
use recall_testkit::{Running, Sandbox};

/// Queries as people write them for any project: questions, names and paths.
const QUERIES: &[&str] = &[
    "where are errors converted",
    "open file",
    "how is the configuration loaded",
    "parse header",
    "new",
    "retry with timeout",
    "read buffer size",
    "Config",
    "lib",
    "test helper for requests",
    "write to socket",
    "register handler",
    "main",
    "shutdown signal",
    "lock acquire release",
    "memory allocation failure",
    "iterate over entries",
    "format string",
    "error handling",
    "init",
];

/// The number of rounds over all queries.
const ROUNDS: usize = 100;

/// The number of process starts.
const STARTS: usize = 20;

/// The number of concurrent clients.
const CLIENTS: usize = 64;

fn main() {
    let roots: Vec<PathBuf> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).map(PathBuf::from).collect();
    let roots = if roots.is_empty() { vec![recall_tests::workspace()] } else { roots };
    // One thread, as in the command and the shim.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    for root in roots {
        let root = root.canonicalize().expect("the directory exists");
        println!("\n{}", root.display());
        let sandbox = recall_tests::sandbox!();
        let bench = Bench { sandbox: &sandbox, root: &root };
        bench.cold();
        runtime.block_on(bench.warm());
        bench.programs();
    }
}

/// One directory, and programs with a home of their own.
struct Bench<'a> {
    sandbox: &'a Sandbox,
    root: &'a Path,
}

impl Bench<'_> {
    /// Measures the first response without a daemon and an index, then again with an unchanged index.
    fn cold(&self) {
        let took = self.timed(&self.sandbox.binaries().recall, &["search", "error handling", "--json"]);
        figure("cold: no daemon, no index, to the first answer", took);
        let again = self.timed(&self.sandbox.binaries().recall, &["add", "."]);
        figure("second run, nothing changed", again);
        println!("  {:<56} {:>8.1} %", "second run over first", 100.0 * again.as_secs_f64() / took.as_secs_f64());
    }

    /// Measures a daemon with an index of the directory, over one connection and over many.
    async fn warm(&self) {
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
        let client = Client::connect(&options).await.expect("the daemon runs");
        let status = client.status(v1::StatusRequest { context: Some(self.context()), ..Default::default() }).await;
        let status = status.expect("a status");
        let memory = status.daemon.as_ref().and_then(|daemon| daemon.memory.clone()).expect("its memory");
        for store in &status.stores {
            let of_text = store.index_bytes as f64 / store.text_bytes.max(1) as f64;
            println!(
                "  {} documents, {} chunks, {:.1} MB of text, index {of_text:.2} × the text",
                store.documents,
                store.chunks,
                store.text_bytes as f64 / 1e6
            );
        }
        println!("  {:<56} {:>8.1} MB", "daemon, peak resident while indexing", memory.peak_bytes as f64 / 1e6);

        // The cost of a rejected call, which is part of every other call.
        let mut times = Vec::with_capacity(ROUNDS * QUERIES.len());
        for _ in 0..times.capacity() {
            let began = Instant::now();
            client.search(self.request("")).await.expect_err("an empty query is refused");
            times.push(began.elapsed());
        }
        spread("a bare call through the socket", &mut times);

        let mut times = Vec::with_capacity(ROUNDS * QUERIES.len());
        for round in 0..ROUNDS {
            for query in QUERIES {
                let began = Instant::now();
                client.search(self.request(query)).await.expect("an answer");
                // The first round reads pages that were never read.
                if round > 0 {
                    times.push(began.elapsed());
                }
            }
        }
        spread("search through the socket, 10 hits", &mut times);
        let began = Instant::now();
        let clients: Vec<_> = (0..CLIENTS)
            .map(|number| {
                let (options, request) = (options.clone(), self.request(QUERIES[number % QUERIES.len()]));
                tokio::spawn(async move {
                    let client = Client::connect(&options).await.expect("the daemon runs");
                    let mut errors = 0;
                    for _ in 0..20 {
                        errors += u32::from(client.search(request.clone()).await.is_err());
                    }
                    errors
                })
            })
            .collect();
        let mut errors = 0;
        for client in clients {
            errors += client.await.expect("no panic");
        }
        let rate = (CLIENTS * 20) as f64 / began.elapsed().as_secs_f64();
        println!("  {:<56} {rate:>8.0} /s, {errors} errors", format!("{CLIENTS} clients at once"));

        let status = client.status(v1::StatusRequest { context: Some(self.context()), ..Default::default() }).await;
        let memory = status.expect("a status").daemon.and_then(|daemon| daemon.memory).expect("its memory");
        println!("  {:<56} {:>8.1} MB", "daemon, own memory with the store open", memory.anonymous_bytes as f64 / 1e6);
    }

    /// Measures whole processes.
    fn programs(&self) {
        let binaries = self.sandbox.binaries();
        let mut times: Vec<_> = (0..STARTS).map(|_| self.timed(&binaries.recall, &["search", "open file"])).collect();
        spread("a whole `recall search`", &mut times);

        let mut times = Vec::new();
        let mut resident = 0;
        for _ in 0..STARTS {
            let began = Instant::now();
            let mut shim = Running::start(self.sandbox.command(&binaries.recall_shim, self.root));
            shim.send(r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"0"}}}"#);
            shim.line();
            shim.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
            shim.send(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
            shim.line();
            times.push(began.elapsed());
            resident = resident_bytes(shim.id());
        }
        spread("recall-shim from its start to the list of tools", &mut times);
        println!("  {:<56} {:>8.1} MB", "recall-shim, resident", resident as f64 / 1e6);

        let mut shim = Running::start(self.sandbox.command(&binaries.recall_shim, self.root));
        shim.send(r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"0"}}}"#);
        shim.line();
        shim.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        let mut times = Vec::new();
        for (id, query) in (1..).zip(QUERIES.iter().cycle().take(10 * QUERIES.len())) {
            let began = Instant::now();
            shim.send(&format!(
                r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"recall_search","arguments":{{"query":"{query}"}}}}}}"#
            ));
            shim.line();
            times.push(began.elapsed());
        }
        spread("recall_search through the shim", &mut times[QUERIES.len()..]);

        let mut times = Vec::new();
        for _ in 0..STARTS {
            self.timed(&binaries.recall, &["daemon", "stop"]);
            times.push(self.timed(&binaries.recall, &["daemon", "start"]));
        }
        spread("`recall daemon start`, from nothing to an answered call", &mut times);
    }

    fn timed(&self, program: &Path, arguments: &[&str]) -> Duration {
        let mut command: Command = self.sandbox.command(program, self.root);
        command.args(arguments).arg("--project").arg(self.root);
        let began = Instant::now();
        let output = command.output().expect("the program runs");
        let took = began.elapsed();
        assert!(matches!(output.status.code(), Some(0 | 1)), "{}", String::from_utf8_lossy(&output.stderr));
        took
    }

    fn context(&self) -> v1::RequestContext {
        let root = self.root.to_string_lossy().into_owned();
        v1::RequestContext { working_directory: root.clone(), project_root: root, ..Default::default() }
    }

    fn request(&self, query: &str) -> v1::SearchRequest {
        v1::SearchRequest { context: Some(self.context()), query: query.to_owned(), ..Default::default() }
    }
}

fn figure(name: &str, took: Duration) {
    println!("  {name:<56} {:>8.1} ms", took.as_secs_f64() * 1e3);
}

fn spread(name: &str, times: &mut [Duration]) {
    times.sort_unstable();
    let at = |part: usize| times[(times.len() * part / 100).min(times.len() - 1)].as_secs_f64() * 1e3;
    println!("  {name:<56} p50 {:>7.3} ms   p99 {:>7.3} ms", at(50), at(99));
}

/// Returns the resident memory of a process, including shared pages; 0 if the system does not report it.
fn resident_bytes(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|rest| rest.split_whitespace().next()).and_then(|number| number.parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}
