//! Benchmark of the search for secrets, in MB per second of this thread's processor time.
//!
//! `cargo bench -p recall-secrets -- DIRECTORY` prints the time to create a masker. Then it measures the text files
//! below the directory, separately for files with and without findings, and a repeated line without keywords. Each
//! figure is the best of several rounds.
#![expect(clippy::print_stdout, reason = "figures are for a person")]

use std::hint::black_box;
use std::path::PathBuf;
use std::time::Duration;

use recall_secrets::{Masker, Settings};

const ROUNDS: usize = 7;

fn main() {
    let Some(root) = std::env::args().skip(1).find(|argument| !argument.starts_with('-')) else {
        println!("usage: cargo bench -p recall-secrets -- DIRECTORY");
        return;
    };
    let start = now();
    let masker = Masker::new(Settings::default()).expect("no rule is off");
    println!("created in {:.0?}", now().saturating_sub(start));
    let texts = texts(PathBuf::from(root));
    let (clean, found): (Vec<_>, Vec<_>) = texts.iter().partition(|text| masker.find(text).is_empty());
    measure("all text", &masker, &texts.iter().collect::<Vec<_>>());
    measure("text without findings", &masker, &clean);
    measure("text with findings", &masker, &found);
    let blank = "let mut buffer = vec![0; 4096]; // an ordinary line\n".repeat(100_000);
    measure("text without keywords", &masker, &[&blank]);
}

fn measure(what: &str, masker: &Masker, texts: &[&String]) {
    let bytes: usize = texts.iter().map(|text| text.len()).sum();
    let best = (0..ROUNDS).map(|_| time(masker, texts)).min().unwrap_or_default();
    let megabytes = bytes as f64 / 1e6;
    let rate = megabytes / best.as_secs_f64().max(1e-9);
    println!("{what}: {} files, {megabytes:.1} MB, {rate:.0} MB/s", texts.len());
}

fn time(masker: &Masker, texts: &[&String]) -> Duration {
    let start = now();
    for text in texts {
        black_box(masker.find(black_box(text)));
    }
    now().saturating_sub(start)
}

/// Returns the processor time of this thread, which excludes the rest of the machine's load.
#[cfg(unix)]
fn now() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

#[cfg(not(unix))]
fn now() -> Duration {
    static BEGINNING: std::sync::LazyLock<std::time::Instant> = std::sync::LazyLock::new(std::time::Instant::now);
    BEGINNING.elapsed()
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
