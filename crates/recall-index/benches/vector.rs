//! A benchmark of vector search: its latency, recall and cost.
//!
//! `cargo bench -p recall-index --bench vector -- [scan] [graph N] [bases N] [open N]` measures the time of a scan by size; recall, times
//! and sizes of an index of N embeddings with a graph, with and without filters; the same in one base and in several; and the opening
//! of an index of N.
//! Embeddings have 256 dimensions and are drawn from a mixture that resembles those of texts (see
//! `tests/index/clusters.rs`). Without arguments it does nothing.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark reports to its terminal, and ends where it cannot"
)]

#[path = "../tests/vector/clusters.rs"]
mod clusters;

use std::path::Path;
use std::time::{Duration, Instant};

use clusters::Clusters;
use recall_core::{ChunkRow, Generation, ModelFingerprint, Quantised, RowFilter, RowSet, VectorIndex};
use recall_index::vector::{Change, Exact, Model, Settings, Vectors};

const DIMENSIONS: usize = 256;
const QUERIES: usize = 200;
const SEED: u64 = 1;

/// The number of embeddings per change while an index is filled.
const BATCH: usize = 10_000;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let mut arguments = arguments.iter().map(String::as_str);
    while let Some(what) = arguments.next() {
        let mut count = || arguments.next().and_then(|number| number.parse().ok()).expect("a number of embeddings");
        match what {
            "scan" => [1_000, 10_000, 20_000, 50_000, 100_000, 200_000].into_iter().for_each(scan),
            "graph" => graph(count()),
            "bases" => bases(count()),
            "open" => open(count()),
            other => panic!("unknown measurement `{other}`"),
        }
    }
}

fn scan(count: usize) {
    let mut clusters = Clusters::new(DIMENSIONS, count, SEED);
    let mut exact = Exact::new(DIMENSIONS);
    for row in 0..count {
        exact.insert(ChunkRow(row as i64), &quantised(&clusters.draw()));
    }
    let queries: Vec<_> = (0..QUERIES).map(|_| clusters.draw()).collect();
    time(&format!("scan of {count}"), &queries, |query| drop(exact.nearest(query, RowFilter::All, 10).unwrap()));
}

fn graph(count: usize) {
    let folder = tempfile::tempdir().unwrap();
    let mut clusters = Clusters::new(DIMENSIONS, count, SEED);
    let mut exact = Exact::new(DIMENSIONS);
    let vectors = vectors(folder.path(), Settings { graph_from: 1, ..Settings::default() });
    fill(&vectors, count, &mut clusters, |row, embedding| exact.insert(row, embedding));
    let (start, cpu) = (Instant::now(), cpu());
    vectors.merge().unwrap();
    let spent = crate::cpu().saturating_sub(cpu);
    println!(
        "{count} merged into a graph in {:.1?}, {:.1} CPU-s; {:.1} MB on disk",
        start.elapsed(),
        spent.as_secs_f64(),
        vectors.size_bytes().unwrap() as f64 / 1e6
    );
    let queries: Vec<_> = (0..QUERIES).map(|_| clusters.draw()).collect();
    let sample = exact.nearest(&queries[0], RowFilter::All, count / 2).unwrap();
    println!(
        "cosines: first {:.2}, tenth {:.2}, median {:.2}",
        sample[0].cosine,
        sample[9].cosine,
        sample[count / 2 - 1].cosine
    );
    time("everything looked at", &queries, |query| drop(exact.nearest(query, RowFilter::All, 10).unwrap()));
    drop(vectors);
    for expansion in [32, 64, 128, 256] {
        let settings = Settings { graph_from: 1, expansion, ..Settings::default() };
        let walked = self::vectors(folder.path(), Settings { node_cost: 0, ..settings.clone() });
        report(&format!("walk, expansion {expansion}"), &walked, &exact, &queries, RowFilter::All);
    }
    for selectivity in [0.001, 0.01, 0.1, 0.2, 0.3, 0.5, 0.8] {
        let mut rng = fastrand::Rng::with_seed(SEED);
        let rows = RowSet::from_rows((0..count as i64).filter(|_| rng.f64() < selectivity).map(ChunkRow));
        for (how, node_cost) in [("scanned", usize::MAX), ("walked", 0), ("chosen", Settings::default().node_cost)] {
            if how == "walked" && selectivity < 0.01 {
                continue;
            }
            let settings = Settings { graph_from: 1, node_cost, ..Settings::default() };
            let vectors = self::vectors(folder.path(), settings);
            let what = format!("filter of {:.1} %, {how}", selectivity * 100.0);
            report(&what, &vectors, &exact, &queries, RowFilter::Only(&rows));
        }
    }
}

/// Fills indexes whose bases have room for all embeddings, for a quarter and for a sixteenth of them.
fn bases(count: usize) {
    for parts in [1, 4, 16] {
        let folder = tempfile::tempdir().unwrap();
        let settings = Settings { graph_from: 1, base_most: count / parts, ..Settings::default() };
        let vectors = vectors(folder.path(), settings);
        let mut clusters = Clusters::new(DIMENSIONS, count, SEED);
        let mut exact = Exact::new(DIMENSIONS);
        let cpu = cpu();
        for (number, from) in (0..count).step_by(BATCH).enumerate() {
            let rows = (from..count.min(from + BATCH)).map(|row| (ChunkRow(row as i64), quantised(&clusters.draw())));
            let change = Change { added: rows.collect(), ..Change::default() };
            change.added.iter().for_each(|(row, embedding)| exact.insert(*row, embedding));
            vectors.apply(Generation(number as u64 + 1), &change).unwrap();
            vectors.merge().unwrap();
        }
        let spent = crate::cpu().saturating_sub(cpu);
        println!("bases of {}: {:.1} CPU-s, {}", count / parts, spent.as_secs_f64(), memory());
        let queries: Vec<_> = (0..QUERIES).map(|_| clusters.draw()).collect();
        report(&format!("{parts} or more bases"), &vectors, &exact, &queries, RowFilter::All);
        for selectivity in [0.01, 0.1, 0.5] {
            let mut rng = fastrand::Rng::with_seed(SEED);
            let rows = RowSet::from_rows((0..count as i64).filter(|_| rng.f64() < selectivity).map(ChunkRow));
            let filter = RowFilter::Only(&rows);
            report(&format!("filter of {:.1} %", selectivity * 100.0), &vectors, &exact, &queries, filter);
        }
    }
}

fn report(what: &str, vectors: &Vectors, exact: &Exact, queries: &[Vec<f32>], filter: RowFilter<'_>) {
    vectors.verify().unwrap();
    let recall = |count| {
        let of = |query: &Vec<f32>| {
            let found = vectors.nearest(query, filter, count).unwrap();
            let expected = exact.nearest(query, filter, count).unwrap();
            let hits = expected.iter().filter(|wanted| found.iter().any(|one| one.row == wanted.row)).count();
            hits as f64 / expected.len() as f64
        };
        queries.iter().map(of).sum::<f64>() / queries.len() as f64
    };
    println!("{what}: recall@10 {:.4}, recall@100 {:.4}", recall(10), recall(100));
    time("  10 nearest", queries, |query| drop(vectors.nearest(query, filter, 10).unwrap()));
    time("  100 nearest", queries, |query| drop(vectors.nearest(query, filter, 100).unwrap()));
}

/// Opens an index twice. The caller can do so in separate processes: the second call finds the index that the first
/// left in the folder named by the environment.
fn open(count: usize) {
    let folder = std::env::var_os("RECALL_BENCH_VECTORS").map(std::path::PathBuf::from);
    let temporary = tempfile::tempdir().unwrap();
    let folder = folder.unwrap_or_else(|| temporary.path().to_owned());
    let mut clusters = Clusters::new(DIMENSIONS, count, SEED);
    if !folder.join("base-1.vectors").exists() {
        let vectors = vectors(&folder, Settings::default());
        fill(&vectors, count, &mut clusters, |_, _| ());
        let (start, cpu) = (Instant::now(), cpu());
        vectors.merge().unwrap();
        println!("merged in {:.1?}, {:.1} CPU-s", start.elapsed(), (crate::cpu().saturating_sub(cpu)).as_secs_f64());
        println!("to be opened again by a process that holds nothing else");
        return;
    }
    let query = clusters.draw();
    println!("before: {}", memory());
    let start = Instant::now();
    let vectors = vectors(&folder, Settings::default());
    println!("opened {} in {:.1?}, {}", vectors.len(), start.elapsed(), memory());
    let start = Instant::now();
    vectors.verify().unwrap();
    println!("verified in {:.1?}, {}", start.elapsed(), memory());
    let start = Instant::now();
    vectors.nearest(&query, RowFilter::All, 10).unwrap();
    println!("first search in {:.1?}, {}", start.elapsed(), memory());
    let queries: Vec<_> = (0..QUERIES).map(|_| clusters.draw()).collect();
    time("search", &queries, |query| drop(vectors.nearest(query, RowFilter::All, 10).unwrap()));
    println!("after {QUERIES} searches: {}", memory());
    let start = Instant::now();
    let change = Change { added: vec![(ChunkRow(i64::MAX), quantised(&query))], ..Change::default() };
    vectors.apply(vectors.generation().next(), &change).unwrap();
    println!("added one in {:.1?}, {}", start.elapsed(), memory());
    assert_eq!(vectors.nearest(&query, RowFilter::All, 1).unwrap()[0].row, ChunkRow(i64::MAX));
    drop(vectors);
    let start = Instant::now();
    let vectors = self::vectors(&folder, Settings::default());
    println!("opened again in {:.1?}", start.elapsed());
    let change = Change { removed: vec![ChunkRow(i64::MAX)], ..Change::default() };
    vectors.apply(vectors.generation().next(), &change).unwrap();
}

fn vectors(dir: &Path, settings: Settings) -> Vectors {
    let fingerprint = ModelFingerprint::hash(&[b"drawn"]);
    Vectors::open(dir, Model { fingerprint, dimensions: DIMENSIONS }, settings).unwrap()
}

fn fill(vectors: &Vectors, count: usize, clusters: &mut Clusters, mut each: impl FnMut(ChunkRow, &Quantised)) {
    let mut wall = Duration::ZERO;
    for (number, from) in (0..count).step_by(BATCH).enumerate() {
        let rows = (from..count.min(from + BATCH)).map(|row| (ChunkRow(row as i64), quantised(&clusters.draw())));
        let change = Change { added: rows.collect(), ..Change::default() };
        change.added.iter().for_each(|(row, embedding)| each(*row, embedding));
        let start = Instant::now();
        vectors.apply(Generation(number as u64 + 1), &change).unwrap();
        wall += start.elapsed();
    }
    println!("{count} added in {wall:.1?}");
}

fn quantised(embedding: &[f32]) -> Quantised {
    Quantised::quantise(embedding).unwrap()
}

fn time(what: &str, queries: &[Vec<f32>], mut search: impl FnMut(&[f32])) {
    let mut times: Vec<Duration> = queries
        .iter()
        .map(|query| {
            let start = Instant::now();
            search(query);
            start.elapsed()
        })
        .collect();
    times.sort();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    println!("{what}: least {:.3?}, p50 {:.3?}, p95 {:.3?}", times[0], at(0.5), at(0.95));
}

/// The CPU time of this thread. Zero if it is not available.
fn cpu() -> Duration {
    let statistics = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(statistics.split(' ').next().and_then(|nanos| nanos.parse().ok()).unwrap_or(0))
}

/// The resident memory of the process, if it is available.
fn memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let of = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).map_or("?", str::trim);
    format!("resident {} (of files {})", of("VmRSS:"), of("RssFile:"))
}
