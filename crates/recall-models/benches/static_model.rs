//! Benchmark of the built-in model: time per query and chunks per second, on one thread.
//!
//! `cargo bench -p recall-models`

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use recall_models::StaticModel;

const QUERIES: &[&str] = &[
    "how are connection pools closed on shutdown",
    "parse http header fields",
    "where is the write ahead log flushed to disk",
    "retry with exponential backoff",
    "HttpRequestBuilder::with_timeout",
];
/// The mean length of a chunk of real text.
const CHUNK_BYTES: usize = 1024;
const ROUNDS: usize = 2000;

fn main() {
    let start = Instant::now();
    let model = StaticModel::built_in();
    println!("opened in {:.2?}", start.elapsed());

    let mut times: Vec<Duration> = (0..ROUNDS).map(|round| time(model, &[QUERIES[round % QUERIES.len()]])).collect();
    times.sort_unstable();
    println!("query p50 {:.2?}, p99 {:.2?}", times[ROUNDS / 2], times[ROUNDS * 99 / 100]);

    let source = include_str!("../src/static_model.rs");
    let bounds: Vec<usize> = (0..source.len()).step_by(CHUNK_BYTES).map(|at| source.floor_char_boundary(at)).collect();
    let chunks: Vec<&str> = bounds.windows(2).map(|bounds| &source[bounds[0]..bounds[1]]).collect();
    let mut rates: Vec<f64> =
        (0..ROUNDS / 10).map(|_| chunks.len() as f64 / time(model, &chunks).as_secs_f64()).collect();
    rates.sort_unstable_by(f64::total_cmp);
    println!("{:.0} chunks of {CHUNK_BYTES} bytes a second", rates[rates.len() / 2]);
}

fn time(model: &StaticModel<'_>, texts: &[&str]) -> Duration {
    let start = Instant::now();
    black_box(model.embed(black_box(texts)));
    start.elapsed()
}
