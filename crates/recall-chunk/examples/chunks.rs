//! The chunks of a folder as JSON, one object per line, for recipes that learn from chunks.
//!
//! `cargo run --release -p recall-chunk --example chunks -- DIRECTORY > chunks.jsonl`
#![expect(clippy::print_stdout, reason = "the chunks go to standard output")]

use std::path::{Path, PathBuf};

use recall_chunk::{ChunkLimits, Chunker, PARSE_STACK_BYTES};
use recall_core::{Chunk, Limits};
use recall_text::{DocPath, Language};
use serde_json::json;

/// Larger files are data or generated code. By default the daemon does not index them either.
const MAX_FILE_BYTES: usize = 1024 * 1024;

fn main() {
    let Some(root) = std::env::args().nth(1) else {
        println!("usage: chunks DIRECTORY");
        return;
    };
    let print = std::thread::Builder::new().stack_size(PARSE_STACK_BYTES).spawn(move || print(Path::new(&root)));
    print.expect("a thread starts").join().expect("cutting does not panic");
}

fn print(root: &Path) {
    let mut chunker = Chunker::new(ChunkLimits::from(&Limits::default()));
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
                print_file(root, &path, &mut chunker);
            }
        }
    }
}

fn print_file(root: &Path, path: &Path, chunker: &mut Chunker) {
    let Some(relative) = path.strip_prefix(root).ok().and_then(|path| DocPath::from_relative(path).ok()) else {
        return;
    };
    let Ok(text) = std::fs::read_to_string(path) else { return };
    let Some(language) = Language::detect(&relative, &text).filter(|_| text.len() <= MAX_FILE_BYTES) else { return };
    for chunk in chunker.parse(&relative, Some(&language), &text).chunks {
        print_chunk(&relative, &language, &chunk, &text);
    }
}

fn print_chunk(path: &DocPath, language: &Language, chunk: &Chunk, text: &str) {
    let object = json!({
        "path": path.as_str(),
        "language": language.as_str(),
        "kind": chunk.kind.as_str(),
        "symbol": chunk.symbol,
        "signature": chunk.signature,
        "doc": chunk.doc_comment.and_then(|span| span.slice(text)),
        "text": chunk.span.bytes.slice(text),
        "start": chunk.span.start_line,
        "end": chunk.span.end_line,
    });
    println!("{object}");
}
