//! A benchmark of exact search: the size of signatures, what they exclude, and the time of a scan.
//!
//! `cargo bench -p recall-index --bench exact -- DIRECTORY [MEGABYTES]` reads the texts of a directory, repeats them with other names until there
//! are so many megabytes (by default 100, about 100,000 chunks), and searches them in one thread.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::fs;
use std::path::Path;
use std::time::Instant;

use recall_core::Case;
use recall_index::lexical::exact::Pattern;
use recall_text::TextSignature;

/// The length of a block that is compressed alone, as in the catalog.
const BLOCK_BYTES: usize = 8 * 1024;

struct Stored {
    blocks: Vec<(usize, Vec<u8>)>,
    signature: TextSignature,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let directory = arguments.first().map_or(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."), String::as_str);
    let megabytes: usize = arguments.get(1).and_then(|count| count.parse().ok()).unwrap_or(100);
    let mut texts = Vec::new();
    collect(Path::new(directory), &mut texts);
    assert!(!texts.is_empty(), "{directory} holds no texts");
    let (mut stored, mut text_bytes, mut copy) = (Vec::new(), 0, 0);
    let begun = Instant::now();
    let mut signing = 0.0;
    while text_bytes < megabytes * 1_000_000 {
        for text in &texts {
            let text = if copy == 0 { text.clone() } else { text.replace("er", &format!("er{copy}")) };
            text_bytes += text.len();
            let signed = Instant::now();
            let signature = TextSignature::compute(&text);
            signing += signed.elapsed().as_secs_f64();
            let blocks = text.as_bytes().chunks(BLOCK_BYTES);
            let blocks = blocks.map(|block| (block.len(), lz4_flex::block::compress(block))).collect();
            stored.push(Stored { blocks, signature });
        }
        copy += 1;
    }
    let signatures: usize = stored.iter().map(|one| one.signature.as_bytes().len()).sum();
    let compressed: usize = stored.iter().flat_map(|one| &one.blocks).map(|(_, block)| block.len()).sum();
    println!(
        "{} texts of {copy} copies, {:.1} MB, {:.1} MB compressed; signatures {:.1} MB, {:.3} of the text, {:.1} MB/s; {:.1?}",
        stored.len(),
        text_bytes as f64 / 1e6,
        compressed as f64 / 1e6,
        signatures as f64 / 1e6,
        signatures as f64 / text_bytes as f64,
        text_bytes as f64 / 1e6 / signing,
        begun.elapsed(),
    );
    let literals = [
        "qzxv_absent_name",
        "no such sentence here",
        "<=>",
        "?.",
        "|>",
        "~>",
        "🦀",
        "fn",
        "return",
        "TODO",
        "unwrap()",
    ];
    for literal in literals {
        search(&stored, literal, &Pattern::literal(literal, Case::Sensitive).expect("a literal"));
    }
    for expression in [r"fn \w+_handler", r"\bTODO\(\w+\)", r"(?i)deadlock|livelock", r"[0-9]{4}-[0-9]{2}-[0-9]{2}"] {
        search(&stored, expression, &Pattern::regex(expression, Case::Sensitive).expect("an expression"));
    }
}

fn search(stored: &[Stored], name: &str, pattern: &Pattern) {
    let (mut passed, mut held, mut matches) = (0, 0, 0);
    let begun = Instant::now();
    let candidates: Vec<&Stored> = stored.iter().filter(|one| pattern.may_match(&one.signature)).collect();
    let filtered = begun.elapsed();
    for one in candidates {
        passed += 1;
        let found = pattern.matches(&text(one)).count();
        held += usize::from(found > 0);
        matches += found;
    }
    println!(
        "{name:32} filter {filtered:>9.1?}  all {:>9.1?}  read {passed}, held {held}, matches {matches}",
        begun.elapsed()
    );
}

fn text(stored: &Stored) -> String {
    let mut text = Vec::new();
    for (bytes, block) in &stored.blocks {
        text.extend(lz4_flex::block::decompress(block, *bytes).expect("it was compressed here"));
    }
    String::from_utf8(text).expect("it was a text")
}

fn collect(directory: &Path, texts: &mut Vec<String>) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && !is_hidden && entry.file_name() != "target" => collect(&path, texts),
            Ok(kind) if kind.is_file() => texts.extend(fs::read_to_string(&path)),
            _ => {}
        }
    }
}
