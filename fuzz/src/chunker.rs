//! The chunker: any text in any language.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use recall_chunk::notebook_text;

#[path = "../../crates/recall-chunk/tests/fixtures/laws.rs"]
mod laws;

/// Names of files, one for each way to cut a text. The first byte of an input selects one.
const NAMES: &[&str] = &[
    "Store.cs",
    "Store.hs",
    "Store.java",
    "Store.kt",
    "Store.php",
    "Store.scala",
    "Store.swift",
    "Store.tsx",
    "store.c",
    "store.cpp",
    "store.css",
    "store.ex",
    "store.go",
    "store.html",
    "store.ipynb",
    "store.js",
    "store.json",
    "store.lua",
    "store.md",
    "store.py",
    "store.rb",
    "store.rs",
    "store.rst",
    "store.sh",
    "store.sql",
    "store.toml",
    "store.ts",
    "store.vue",
    "store.yaml",
    "store.zig",
    "store.adoc",
    "store.org",
    "store.txt",
    "store",
];

/// A parse is given up at its limit, and all else is linear. On a loaded machine this only bounds hanging.
const PATIENCE: Duration = Duration::from_secs(30);

/// Cuts a text. The first byte selects the language, the second one the largest chunk.
///
/// # Panics
/// If the chunks break one of the laws.
pub fn chunker(bytes: &[u8]) {
    let [name, max_tokens, text @ ..] = bytes else { return };
    let name = NAMES[usize::from(*name) % NAMES.len()];
    let text = String::from_utf8_lossy(text);
    let start = Instant::now();
    laws::assert_laws(name, &text, u32::from(*max_tokens) * 2 + 1);
    if let Some(notebook) = notebook_text(&text) {
        assert!(notebook.ends_with('\n'));
        laws::assert_laws("store.ipynb", &notebook, u32::from(*max_tokens) * 2 + 1);
    }
    assert!(start.elapsed() < PATIENCE, "{name} took {:?}", start.elapsed());
}

/// The fixtures of the chunker, each as its own language and with two sizes of chunks.
///
/// # Panics
/// If the fixtures cannot be read.
pub fn chunker_seeds() -> Vec<Vec<u8>> {
    let fixtures: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/recall-chunk/fixtures");
    let text =
        |name: &str| std::fs::read(fixtures.join(name)).unwrap_or_else(|_| b"One.\n\n= Two\n\n* three\n".to_vec());
    let seed = |(at, name): (usize, &&str)| [15, 200].map(|size| [&[at as u8, size][..], &text(name)].concat());
    NAMES.iter().enumerate().flat_map(seed).collect()
}
