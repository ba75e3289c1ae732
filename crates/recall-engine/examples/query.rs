//! How long do statements of the query language without `USING` take in a large store?
//!
//! `cargo run --release -p recall-engine --example query -- DIRECTORY` indexes a folder in a temporary place, asks each statement
//! several times and prints the median with what was read. The values are taken from the store.

#![expect(clippy::print_stdout, reason = "figures are what it is for")]

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use recall_core::rql::Query;
use recall_core::{Clock, Explain, Scope, Timestamp};
use recall_engine::{
    Cancel, Engine, EngineSettings, IndexRequest, Origin, Places, QueryAnswer, QueryRequest, RootCheck, StoreSettings,
};

/// How often each statement is asked.
const ROUNDS: usize = 11;

/// After this time, no further round of a statement begins.
const MOST_TIME: Duration = Duration::from_secs(5);

struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the one place here that asks for the time")]
    fn now(&self) -> Timestamp {
        Timestamp::from(std::time::SystemTime::now())
    }
}

fn main() {
    let root: PathBuf = std::env::args_os().nth(1).expect("a directory").into();
    let root = root.canonicalize().expect("it is there");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (global_root, stores) = (folder.path().join("global"), folder.path().join("stores"));
    let places = Places {
        global_root,
        stores,
        home: None,
        config_home: None,
        agents: BTreeMap::new(),
        allowed_roots: Vec::new(),
        domains: BTreeMap::new(),
    };
    let mut settings = StoreSettings::default();
    // The files do not change here. A daemon watches them instead.
    settings.limits.scan_interval = Duration::from_hours(1);
    let store_settings = move |_: &std::path::Path| settings.clone();
    let engine = Engine::new(places, EngineSettings::default(), Box::new(store_settings), Arc::new(SystemClock));
    let origin = Origin { directory: root.clone(), project: Some(root), root_check: RootCheck::Force, domain: None };
    let everything = IndexRequest::everything(Scope::Project);
    engine.index(&origin, &everything, &mut |_| {}, &Cancel::default()).expect("indexed");
    let status = engine.status(&origin, Scope::Project, 0).expect("readable");
    println!("{} documents, {} chunks", status.stores[0].documents, status.stores[0].chunks);
    engine.settle(&origin, Scope::Project).expect("settled");

    let mut medians = Vec::new();
    for text in statements(&engine, &origin) {
        let (median, answer) = median(&engine, &origin, &text);
        let read = answer.plan.expect("asked").stores[0].read;
        let rows = answer.rows.len();
        println!(
            "{:8.2} ms  {rows:3} rows  read {:5} documents {:6} chunks {:6} texts  {text}",
            median.as_secs_f64() * 1e3,
            read.documents,
            read.chunks,
            read.texts
        );
        medians.push(median);
    }
    medians.sort_unstable();
    println!("median of the statements: {:.2} ms", medians[medians.len() / 2].as_secs_f64() * 1e3);
    long_filters(&engine, &origin);
    engine.close();
}

/// Statements of every kind, with values from the middle of the store.
fn statements(engine: &Engine, origin: &Origin) -> Vec<String> {
    let middle = "SELECT * FROM chunk FILTER doc.type = 'code' AND chunk.kind = 'function' LIMIT 1 OFFSET 2000";
    let row = ask(engine, origin, middle).rows.remove(0);
    let (id, chunk, _) = row.chunk.expect("a chunk");
    let (path, hash, symbol) = (row.document.path, row.document.hash, chunk.symbol.unwrap_or_default());
    let folder = path.as_str().split('/').next().unwrap_or_default().to_owned();
    let (symbol, path) = (symbol.replace('\'', "''"), path.as_str().replace('\'', "''"));
    vec![
        format!("SELECT * FROM doc FILTER doc.path = '{path}'"),
        format!("SELECT * FROM chunk FILTER doc.path = '{path}'"),
        format!("SELECT * FROM chunk FILTER chunk.id = '{id}'"),
        format!("SELECT * FROM doc FILTER doc.id = '{}'", id.document),
        format!("SELECT * FROM doc FILTER doc.hash = '{hash}'"),
        format!("SELECT path FROM doc FILTER doc.path GLOB '{folder}/**'"),
        format!("SELECT * FROM chunk FILTER doc.path GLOB '{folder}/**' AND chunk.kind = 'function'"),
        "SELECT path FROM doc FILTER doc.path LIKE '%test%'".to_owned(),
        "SELECT path, start_line FROM chunk FILTER doc.language = 'rust' AND chunk.tokens > 200".to_owned(),
        "SELECT * FROM chunk FILTER doc.type = 'documentation' AND chunk.kind = 'section'".to_owned(),
        "SELECT path FROM doc FILTER doc.mtime >= '2020-01-01' AND doc.size > 10000".to_owned(),
        "SELECT path FROM doc FILTER doc.tag = 'none'".to_owned(),
        "SELECT path FROM doc ORDER BY doc.size DESC LIMIT 10".to_owned(),
        "SELECT path FROM doc ORDER BY doc.mtime DESC LIMIT 10".to_owned(),
        format!("SELECT path, start_line FROM chunk FILTER chunk.symbol = '{symbol}'"),
        "SELECT * FROM chunk FILTER chunk.text LIKE '%error%' LIMIT 20".to_owned(),
        "SELECT * FROM chunk FILTER chunk.kind = 'function' LIMIT 100 OFFSET 1000".to_owned(),
        "SELECT path, tokens FROM chunk ORDER BY chunk.tokens DESC LIMIT 10".to_owned(),
        "SELECT path FROM chunk FILTER chunk.text LIKE '%no such text at all%'".to_owned(),
    ]
}

fn ask(engine: &Engine, origin: &Origin, text: &str) -> QueryAnswer {
    let query = Query::parse(text).unwrap_or_else(|error| panic!("{error}"));
    let request = QueryRequest { query, scope: Scope::Project, explain: Explain::On };
    engine.query(origin, &request).expect("an answer")
}

fn median(engine: &Engine, origin: &Origin, text: &str) -> (Duration, QueryAnswer) {
    let answer = ask(engine, origin, text);
    let began = Instant::now();
    let mut times = Vec::new();
    while times.len() < ROUNDS && (times.is_empty() || began.elapsed() < MOST_TIME) {
        let began = Instant::now();
        ask(engine, origin, text);
        times.push(began.elapsed());
    }
    times.sort_unstable();
    (times[times.len() / 2], answer)
}

/// Filters of 5,000 terms, which are answered, and of 10,000, which are refused.
fn long_filters(engine: &Engine, origin: &Origin) {
    let repeat = |count: usize, term: &dyn Fn(usize) -> String, separator: &str| {
        (0..count).map(term).collect::<Vec<_>>().join(separator)
    };
    let path = |n: usize| format!("'src/file{n}.rs'");
    let equal = |n: usize| format!("doc.path = 'src/file{n}.rs'");
    let glob = |n: usize| format!("doc.path GLOB '**/file{n}.rs'");
    let filters = [
        ("IN of 5,000 paths", format!("doc.path IN ({})", repeat(5000, &path, ", "))),
        ("OR of 5,000 paths", repeat(5000, &equal, " OR ")),
        ("AND of 5,000 sizes", repeat(5000, &|n| format!("doc.size != {n}"), " AND ")),
        ("IN of 10,000 paths", format!("doc.path IN ({})", repeat(10_000, &path, ", "))),
        ("OR of 10,000 paths", repeat(10_000, &equal, " OR ")),
        ("OR of 10,000 globs", repeat(10_000, &glob, " OR ")),
        ("10,000 parentheses", format!("{}doc.size = 1{}", "(".repeat(10_000), ")".repeat(10_000))),
    ];
    for (name, filter) in filters {
        let text = format!("SELECT path FROM doc FILTER {filter}");
        let mut times: Vec<Duration> = Vec::new();
        let mut outcome = String::new();
        for _ in 0..ROUNDS {
            let began = Instant::now();
            outcome = match Query::parse(&text) {
                Ok(query) => {
                    let request = QueryRequest { query, scope: Scope::Project, explain: Explain::Off };
                    format!("{} rows", engine.query(origin, &request).expect("an answer").rows.len())
                }
                Err(error) => error.problem.to_string(),
            };
            times.push(began.elapsed());
        }
        times.sort_unstable();
        println!("{:8.2} ms  {name}: {outcome}", times[ROUNDS / 2].as_secs_f64() * 1e3);
    }
}
