//! Benchmark of a transformer, compared with a bare session of the runtime.
//!
//! `RECALL_TEST_WHEELS=… cargo bench -p recall-models --features onnx-tests --bench onnx -- [ours|bare] [threads]
//! [batch tokens]`
//!
//! The texts are written next to the model, so that `onnx.py` can measure the same in Python.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints its figures, and stops at the first error"
)]
#![expect(dead_code, reason = "the fixture also serves the tests")]

#[path = "../tests/onnx/bert.rs"]
mod bert;
#[path = "../tests/onnx/fixture.rs"]
mod fixture;
#[path = "../tests/onnx/onnx_file.rs"]
mod onnx_file;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ort::session::Session;
use ort::value::Tensor;
use recall_core::Embedder;
use recall_models::{ModelsFolder, OnnxEncoder, OnnxSettings};
use tokenizers::Tokenizer;

/// The number of texts: enough that the time of one run hardly varies.
const TEXTS: usize = 768;
const QUERIES: &[&str] = &[
    "how are connection pools closed on shutdown",
    "parse http header fields",
    "where is the write ahead log flushed to disk",
    "retry with exponential backoff when the server answers with an error",
];
const ROUNDS: usize = 200;

fn main() {
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    let mode = arguments.next().unwrap_or_else(|| "ours".to_owned());
    let mut number = |default: usize| arguments.next().and_then(|number| number.parse().ok()).unwrap_or(default);
    let threads = number(1);
    let batch_tokens = number(OnnxSettings::default().batch_tokens);
    match mode.as_str() {
        "bare" => bare(threads),
        _ => ours(threads, batch_tokens),
    }
}

fn ours(threads: usize, batch_tokens: usize) {
    let runtime = fixture::runtime();
    let settings = OnnxSettings { threads, batch_tokens, ..fixture::settings() };
    let folder = tempfile::tempdir().expect("a folder");
    let models = ModelsFolder::new(folder.path());
    models.add(&fixture::minilm(), "minilm", runtime, &settings).expect("the model is added");
    let start = Instant::now();
    let encoder =
        OnnxEncoder::open("minilm", &folder.path().join("minilm"), runtime, &settings).expect("the model opens");
    encoder.embed_query("warm", None).expect("it runs");
    println!("loaded in {:.0?}, by {}", start.elapsed(), encoder.state().provider.unwrap_or_default().main());
    report("query", &times(|query| drop(encoder.embed_query(query, None))));

    let texts = texts();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let (start, before) = (Instant::now(), cpu_seconds());
    encoder.embed_documents(&texts).expect("it runs");
    let rate = texts.len() as f64 / start.elapsed().as_secs_f64();
    let cpu = texts.len() as f64 / (cpu_seconds() - before);
    println!(
        "documents: {rate:.1} texts a second, {cpu:.1} a CPU-second, {threads} threads, {batch_tokens} tokens a batch"
    );
    println!("resident: {}", resident());
    std::thread::sleep(settings.rest + Duration::from_secs(1));
    println!("at rest: {}", resident());
}

/// Measures the session alone, configured as its documentation recommends, with the same tokenizer on the same thread.
/// It uses the files that the other mode has written.
fn bare(threads: usize) {
    let at = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let library = at.join("1.31.1").join("libonnxruntime.so");
    let environment = ort::init_from(library).expect("it loads").with_telemetry(false).build().expect("it starts");
    let builder = Session::builder(&environment).and_then(|builder| Ok(builder.with_intra_threads(threads)?));
    let model = at.join("all-MiniLM-L6-v2");
    let mut session = builder.expect("a builder").commit_from_file(model.join("model.onnx")).expect("a session");
    let mut tokenizer = Tokenizer::from_file(model.join("tokenizer.json")).expect("a tokenizer");
    tokenizer.with_padding(None);
    report(
        "query, bare session",
        &times(|query| {
            let encoding = tokenizer.encode_fast(query, true).expect("tokens");
            let input = |numbers: &[u32]| {
                let numbers: Vec<i64> = numbers.iter().map(|number| i64::from(*number)).collect();
                Tensor::from_array(([1, numbers.len()], numbers)).expect("a tensor")
            };
            let inputs = ort::inputs! {
                "input_ids" => input(encoding.get_ids()),
                "attention_mask" => input(encoding.get_attention_mask()),
                "token_type_ids" => input(encoding.get_type_ids()),
            };
            drop(session.run(inputs).expect("it runs"));
        }),
    );
}

fn times(mut ask: impl FnMut(&str)) -> Vec<Duration> {
    let before = cpu_seconds();
    let one = |round: usize| {
        let start = Instant::now();
        ask(QUERIES[round % QUERIES.len()]);
        start.elapsed()
    };
    // The first calls warm up.
    let mut times: Vec<Duration> = (0..20 + ROUNDS).map(one).skip(20).collect();
    println!("{:.2} ms of CPU time per query", (cpu_seconds() - before) * 1e3 / (20 + ROUNDS) as f64);
    times.sort_unstable();
    times
}

fn report(what: &str, times: &[Duration]) {
    println!(
        "{what}: p10 {:.2?}, p50 {:.2?}, p95 {:.2?}",
        times[ROUNDS / 10],
        times[ROUNDS / 2],
        times[ROUNDS * 95 / 100]
    );
}

/// Returns pieces of this workspace's sources, of 100 to 1,200 bytes.
fn texts() -> Vec<String> {
    let mut files = Vec::new();
    let mut open = vec![PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() && !path.ends_with("target") {
                open.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    let mut texts = Vec::new();
    for file in files {
        let source = fs::read_to_string(file).expect("a source");
        let mut rest = source.as_str();
        while !rest.is_empty() {
            let bytes = 100 + texts.len() * 7919 % 1100;
            let (text, after) = rest.split_at(rest.floor_char_boundary(bytes));
            texts.push(text.to_owned());
            rest = after;
        }
    }
    let step = (texts.len() / TEXTS).max(1);
    let texts: Vec<String> = texts.into_iter().step_by(step).take(TEXTS).collect();
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("texts.json");
    fs::write(path, serde_json::to_vec(&texts).expect("texts")).expect("the texts are written");
    texts
}

/// Returns the CPU time of this process in seconds, with a resolution of 10 ms (Linux only). It can be compared even on
/// a busy machine.
fn cpu_seconds() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let behind_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks = behind_name.split_whitespace().skip(11).take(2);
    ticks.filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// Returns the peak and the present memory of this process (Linux only).
fn resident() -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let lines = status.lines().filter(|line| line.starts_with("VmHWM") || line.starts_with("VmRSS"));
    lines.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect::<Vec<_>>().join(", ")
}
