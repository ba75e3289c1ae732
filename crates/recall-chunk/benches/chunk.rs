//! A benchmark of cutting real sources. Prints MB per CPU second for each language below a directory, next to the speed
//! of bare parsing.
//!
//! `cargo bench -p recall-chunk -- DIRECTORY`
#![expect(clippy::print_stdout, reason = "figures are for a person")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use recall_chunk::{ChunkLimits, Chunker, PARSE_STACK_BYTES};
use recall_core::{Limits, ParseOutcome};
use recall_text::{DocPath, Language};

/// The most text measured of one language: enough for steady figures, small enough to run in a short time.
const MAX_BYTES: usize = 24 * 1024 * 1024;

#[derive(Default)]
struct Figures {
    files: usize,
    bytes: usize,
    chunks: usize,
    symbols: usize,
    edges: usize,
    failed: usize,
    bare: Duration,
    whole: Duration,
}

fn main() {
    let Some(root) = std::env::args().skip(1).find(|argument| !argument.starts_with('-')) else {
        println!("usage: cargo bench -p recall-chunk -- DIRECTORY");
        return;
    };
    let bench = std::thread::Builder::new().stack_size(PARSE_STACK_BYTES).spawn(move || measure(Path::new(&root)));
    bench.expect("a thread starts").join().expect("cutting does not panic");
}

fn measure(root: &Path) {
    let mut chunker = Chunker::new(ChunkLimits::from(&Limits::default()));
    let mut all: BTreeMap<String, Figures> = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            if path.is_symlink() {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else {
                measure_file(root, &path, &mut chunker, &mut all);
            }
        }
    }
    println!("language     files      MB  chunks symbols   edges failed  bare MB/s  all MB/s  on top");
    for (language, figures) in all {
        let megabytes = figures.bytes as f64 / 1e6;
        let (bare, whole) = (figures.bare.as_secs_f64(), figures.whole.as_secs_f64());
        println!(
            "{language:12} {:5} {megabytes:7.2} {:7} {:7} {:7} {:6} {:10.1} {:9.1} {:5.0} %",
            figures.files,
            figures.chunks,
            figures.symbols,
            figures.edges,
            figures.failed,
            megabytes / bare,
            megabytes / whole,
            (whole / bare - 1.0) * 100.0,
        );
    }
}

fn measure_file(root: &Path, path: &Path, chunker: &mut Chunker, all: &mut BTreeMap<String, Figures>) {
    let Some(relative) = path.strip_prefix(root).ok().and_then(|path| DocPath::from_relative(path).ok()) else {
        return;
    };
    let Ok(text) = std::fs::read_to_string(path) else { return };
    let Some(language) = Language::detect(&relative, &text).filter(|_| text.len() <= 1024 * 1024) else { return };
    let figures = all.entry(language.as_str().to_owned()).or_default();
    if figures.bytes > MAX_BYTES {
        return;
    }
    let start = Instant::now();
    std::hint::black_box(chunker.parses(&language, &text));
    figures.bare += start.elapsed();
    let start = Instant::now();
    let parsed = chunker.parse(&relative, Some(&language), &text);
    figures.whole += start.elapsed();
    figures.files += 1;
    figures.bytes += text.len();
    figures.chunks += parsed.chunks.len();
    figures.symbols += parsed.symbols.len();
    figures.edges += parsed.edges.len();
    figures.failed += usize::from(matches!(parsed.outcome, ParseOutcome::Failed { .. }));
}
