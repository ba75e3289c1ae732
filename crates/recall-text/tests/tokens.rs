//! The count of tokens against the vocabularies of GPT, over this repository's own files and four other languages.

#![expect(clippy::print_stdout, reason = "the figures of the documentation")]

use std::fs;
use std::path::{Path, PathBuf};

use bpe_openai::{Tokenizer, cl100k_base, o200k_base};
use recall_text::tokens::count;

/// The tokens of a window of text, about: enough for the errors of single words to average out.
const WINDOW_BYTES: usize = 4_000;

/// A window that is counted below this part of its tokens is too low.
const LEAST: f64 = 0.95;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the workspace").to_owned()
}

/// Returns the texts of the files below a folder with one of the ends.
fn texts(folder: &Path, ends: &[&str]) -> Vec<String> {
    let mut texts = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let mut entries: Vec<PathBuf> =
            fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
        entries.sort();
        for path in entries {
            if path.is_dir() {
                folders.push(path);
            } else if ends.iter().any(|end| path.to_string_lossy().ends_with(end)) {
                texts.push(fs::read_to_string(&path).expect("text"));
            }
        }
    }
    texts
}

/// Splits texts into windows of whole lines.
fn windows(texts: &[String]) -> Vec<&str> {
    let mut windows = Vec::new();
    for text in texts {
        let mut rest = text.as_str();
        while rest.len() > WINDOW_BYTES / 2 {
            let end = rest[..rest.floor_char_boundary(WINDOW_BYTES)].rfind('\n').map_or(rest.len(), |at| at + 1);
            windows.push(&rest[..end]);
            rest = &rest[end..];
        }
    }
    windows
}

/// Checks that the sum over the windows is between `most` times too high and nothing too low, and that hardly a window is too
/// low.
#[track_caller]
fn check(texts: &[String], most: f64) {
    let windows = windows(texts);
    assert!(!windows.is_empty());
    for tokenizer in [o200k_base(), cl100k_base()] {
        let tokens = |tokenizer: &Tokenizer, text: &str| tokenizer.count(text) as f64;
        let ratios: Vec<f64> = windows.iter().map(|text| f64::from(count(text)) / tokens(tokenizer, text)).collect();
        let counted: f64 = windows.iter().map(|text| f64::from(count(text))).sum();
        let sum = counted / windows.iter().map(|text| tokens(tokenizer, text)).sum::<f64>();
        let low = ratios.iter().filter(|ratio| **ratio < LEAST).count();
        let lowest = ratios.iter().copied().fold(f64::INFINITY, f64::min);
        println!(
            "{} windows: {sum:.3} of the tokens, the lowest window {lowest:.3}, {low} below {LEAST}",
            windows.len()
        );
        assert!((1.0..most).contains(&sum), "{sum}");
        assert!(
            low * 100 <= windows.len(),
            "{low} of {} windows are below {LEAST}, the lowest {lowest}",
            windows.len()
        );
    }
}

#[test]
fn code_is_not_undercounted() {
    check(&texts(&root().join("crates"), &[".rs", ".sql", ".toml", ".json"]), 1.25);
}

#[test]
fn code_in_other_languages_is_not_undercounted() {
    let ends =
        [".py", ".go", ".ts", ".js", ".java", ".c", ".cpp", ".rb", ".php", ".cs", ".kt", ".swift", ".scala", ".hs"];
    check(&texts(&root().join("crates/recall-chunk/fixtures"), &ends), 1.3);
}

#[test]
fn prose_is_not_undercounted() {
    check(&texts(&root().join("docs"), &[".md"]), 1.25);
}

#[test]
fn other_scripts_are_not_undercounted() {
    // The newer vocabulary needs half the tokens of the older one for these.
    for language in ["chinese", "japanese", "korean", "russian"] {
        let text =
            fs::read_to_string(root().join(format!("crates/recall-text/fixtures/tokens/{language}.md"))).expect("text");
        check(&[text.repeat(3)], 2.6);
    }
}
