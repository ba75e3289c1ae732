//! Prints the findings in the text files below a directory, one per line, then the number of files and bytes.
//!
//! `cargo run --release -p recall-secrets --example secrets -- DIRECTORY`
#![expect(clippy::print_stdout, reason = "the example prints its findings")]

use std::path::PathBuf;

use recall_secrets::{Masker, Settings};

/// How many bytes of a line are shown before and after a secret.
const AROUND: usize = 60;

fn main() {
    let Some(root) = std::env::args_os().nth(1) else {
        println!("usage: secrets DIRECTORY");
        return;
    };
    let masker = Masker::new(Settings::default()).expect("no rule is off");
    let (mut files, mut bytes, mut findings) = (0, 0, 0);
    let mut open = vec![PathBuf::from(root)];
    while let Some(folder) = open.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            if path.is_symlink() || path.ends_with(".git") {
                continue;
            }
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            files += 1;
            bytes += text.len();
            for finding in masker.find(&text) {
                findings += 1;
                let line = text[..finding.span.start].matches('\n').count() + 1;
                let before =
                    &text[text.floor_char_boundary(finding.span.start.saturating_sub(AROUND))..finding.span.start];
                let before = before.rsplit('\n').next().unwrap_or_default();
                let behind = &text[finding.span.end..text.floor_char_boundary(finding.span.end + AROUND)];
                let behind = behind.lines().next().unwrap_or_default();
                let secret = text[finding.span.clone()].replace('\n', "⏎");
                println!("{}\t{}:{line}\t{before}⟦{secret}⟧{behind}", finding.rule, path.display());
            }
        }
    }
    println!(
        "{findings} findings in {files} files, {:.1} MB",
        f64::from(u32::try_from(bytes / 1024).unwrap_or(u32::MAX)) / 1024.0
    );
}
