//! How fast are secrets found? Prints MB a second over the text files below a directory.
//!
//! `cargo bench -p recall-secrets -- DIRECTORY`: of all text, of the text in which nothing is found, and of the latter
//! without a single keyword (what most text would cost), each the best of several rounds; then how long a masker takes to
//! make.
#![expect(clippy::print_stdout, reason = "figures are for a person")]

use std::hint::black_box;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use recall_secrets::{Masker, Settings};

const ROUNDS: usize = 7;

fn main() {
    let Some(root) = std::env::args().skip(1).find(|argument| !argument.starts_with('-')) else {
        println!("usage: cargo bench -p recall-secrets -- DIRECTORY");
        return;
    };
    let start = Instant::now();
    let masker = Masker::new(Settings::default()).expect("no rule is off");
    println!("made in {:.0?}", start.elapsed());
    let texts = texts(PathBuf::from(root));
    let (clean, found): (Vec<_>, Vec<_>) = texts.iter().partition(|text| masker.find(text).is_empty());
    measure("all text", &masker, &texts.iter().collect::<Vec<_>>());
    measure("text without findings", &masker, &clean);
    measure("text with findings", &masker, &found);
    let blank = "let mut buffer = vec![0; 4096]; // a line as any, of no interest\n".repeat(100_000);
    measure("text without keywords", &masker, &[&blank]);
}

fn measure(what: &str, masker: &Masker, texts: &[&String]) {
    let bytes: usize = texts.iter().map(|text| text.len()).sum();
    let best = (0..ROUNDS).map(|_| time(masker, texts)).min().unwrap_or_default();
    let megabytes = bytes as f64 / 1e6;
    println!("{what}: {} files, {megabytes:.1} MB, {:.0} MB/s", texts.len(), megabytes / best.as_secs_f64());
}

fn time(masker: &Masker, texts: &[&String]) -> Duration {
    let start = Instant::now();
    for text in texts {
        black_box(masker.find(black_box(text)));
    }
    start.elapsed()
}

fn texts(root: PathBuf) -> Vec<String> {
    let mut texts = Vec::new();
    let mut open = vec![root];
    while let Some(folder) = open.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for path in entries.flatten().map(|entry| entry.path()) {
            if path.is_symlink() || path.ends_with(".git") {
                continue;
            }
            if path.is_dir() {
                open.push(path);
            } else if let Ok(text) = std::fs::read_to_string(&path) {
                texts.push(text);
            }
        }
    }
    texts
}
